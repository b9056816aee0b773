//! Reads rules as weighted terms and named code.

use super::*;

fn check(text: &str, expected: &str) {
    let words: Vec<String> = ParsedQuery::rule(text, &[])
        .terms
        .iter()
        .map(|term| match term.weight {
            1.0 => term.word.clone(),
            weight => format!("{}:{weight}", term.word),
        })
        .collect();
    assert_eq!(words.join(" "), expected, "{text}");
}

#[test]
fn stop_words_are_dropped_and_terms_are_distinct() {
    check(
        "Always close the session; a session must be closed.",
        "close session",
    );
    check("Use it.", "use it");
    check("", "");
}

#[test]
fn common_words_weigh_little() {
    check(
        "Quickly find the real owner",
        "quickly:0.4 find:0.4 real:0.4 owner",
    );
    check("Apply the reply", "apply reply");
}

#[test]
fn contrasts_weigh_half() {
    check(
        "Wrap writes in a transaction instead of committing by name",
        "wrap writes transaction committing:0.5 name:0.5",
    );
    check("Never log secrets", "log secrets");
    check(
        "Hash passwords, never store text",
        "hash passwords store:0.5 text:0.5",
    );
    check(
        "Return early, not deeply nested",
        "return early:0.4 deeply:0.2 nested:0.5",
    );
    check("İ never X", "i\u{307}");
    check("Prefer enums over numbers", "enums numbers:0.5");
    check("Log twice, avoid printing", "log twice printing:0.5");
}

#[test]
fn hints_are_split_like_identifiers() {
    let query = ParsedQuery::rule("Close a db", &["close_db".into(), "teardown".into()]);
    let words: Vec<&str> = query.terms.iter().map(|term| term.word.as_str()).collect();
    assert_eq!(words, ["close", "db", "teardown"]);
    assert!(query.terms.iter().all(|term| term.is_hinted));
    assert_eq!(
        query.names.iter().map(|it| &it.parts).collect::<Vec<_>>(),
        [&[0, 1]]
    );
    assert_eq!(query.pairs, [(0, 1)]);
}

#[test]
fn named_code_is_a_name_with_light_parts() {
    let query = ParsedQuery::rule("Close with `db.close_all()` in `src/db/`, not 404", &[]);
    let words: Vec<(&str, f64)> = query
        .terms
        .iter()
        .map(|it| (it.word.as_str(), it.weight))
        .collect();
    assert_eq!(words, [("close", 1.0), ("db", 0.5), ("all", 0.5)]);
    let name = &query.names[0];
    assert_eq!(
        (name.text.as_str(), name.parts.as_slice()),
        ("db.close_all", &[1, 0, 2][..])
    );
    assert_eq!(query.paths, ["src/db/"]);
}

#[test]
fn names_in_contrasts_are_not_searched_for() {
    let names = |text: &str| -> Vec<String> {
        ParsedQuery::rule(text, &[])
            .names
            .into_iter()
            .map(|name| name.text)
            .collect()
    };
    assert_eq!(
        names("Use `log_line` instead of `print_line`"),
        ["log_line"]
    );
    assert_eq!(names("Never call `print_line`"), ["print_line"]);
    assert_eq!(
        names("Close `my_file` so that `other_file` is free"),
        ["my_file", "other_file"]
    );
}

#[test]
fn names_with_nothing_else_in_their_back_ticks_are_alone() {
    let check = |text: &str, expected: bool| {
        assert_eq!(
            ParsedQuery::rule(text, &[]).names[0].is_alone,
            expected,
            "{text}"
        );
    };
    check("Call `close_all()`", true);
    check("Add `@pytest.fixture`", true);
    check("Call close_all()", true);
    check(
        "Show a use before `pub trait ParquetHandler { ... }`",
        false,
    );
}

#[test]
fn prohibitions_and_introductions_demand_nothing() {
    let check = |text: &str, expected: bool| {
        assert_eq!(
            ParsedQuery::rule(text, &[]).is_without_demand,
            expected,
            "{text}"
        );
    };
    check("Never log secrets", true);
    check("**NEVER** log secrets", true);
    check("**Secrets**: do not log them", true);
    check("Avoid sleeps. Instead:", true);
    check("Close the file, never leave it open", false);
}

#[test]
fn rules_about_code_outside_tests_are_not_about_tests() {
    assert!(ParsedQuery::rule("Use a fixture in tests", &[]).is_about_tests);
    assert!(!ParsedQuery::rule("No panics outside of tests", &[]).is_about_tests);
}

#[test]
fn adjacent_terms_are_paired_across_stop_words() {
    let query = ParsedQuery::rule("Compare a signature in constant time", &[]);
    assert_eq!(query.pairs, [(0, 1), (1, 2), (2, 3)]);
}
