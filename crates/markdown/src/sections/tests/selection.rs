//! Selecting sections by id.

use super::*;

fn check_select(ids: &[&str], requested: &[&str], expected: &[&str]) {
    let text: String = ids
        .iter()
        .map(|id| format!("<!-- ANCHOR:{id} -->{id}<!-- /ANCHOR:{id} -->\n"))
        .collect();
    let sections = parse(&text);
    let requested: Vec<String> = requested.iter().map(|&id| id.to_owned()).collect();
    let selection = select(&sections, &requested);
    let mut shown: Vec<String> = selection.found.iter().map(|it| it.id.clone()).collect();
    shown.extend(
        selection
            .missing
            .iter()
            .map(|missing| match &missing.nearest {
                Some(suggestion) => format!("! `{}`: {suggestion}", missing.id),
                None => format!("! `{}`", missing.id),
            }),
    );
    assert_eq!(shown, expected);
}

#[test]
fn an_exact_id_wins_over_a_prefix_in_any_case() {
    check_select(&["summary-x", "summary"], &["summary"], &["summary"]);
    check_select(&["summary-x", "Summary"], &["SUMMARY"], &["Summary"]);
}

#[test]
fn a_prefix_ends_at_a_hyphen() {
    check_select(
        &["summary-3f2", "next-steps-x"],
        &["summary", "next", "next-steps"],
        &["summary-3f2", "next-steps-x"],
    );
    check_select(
        &["summary-x"],
        &["sum", "x", "summary-"],
        &["! `sum`: summary-x", "! `x`", "! `summary-`: summary-x"],
    );
    check_select(&["a_b", "a.b", "a/b"], &["a"], &["! `a`: a_b"]);
}

#[test]
fn the_shortest_id_with_a_prefix_wins() {
    check_select(&["a-bbb", "a-cc", "a-dd"], &["a"], &["a-cc"]);
}

#[test]
fn results_are_in_the_order_of_the_request_without_duplicates() {
    check_select(
        &["a", "b-1", "c"],
        &["nope", "c", "b", "a", "B-1", "C", "nope", "NOPE"],
        &["c", "b-1", "a", "! `nope`"],
    );
}

#[test]
fn empty_requests_and_open_prefixes_match_nothing() {
    check_select(
        &["-x", "x-", "x-y"],
        &["", "x-", "-", " "],
        &["x-", "! ``", "! `-`", "! ` `"],
    );
    check_select(&[], &["x"], &["! `x`"]);
    check_select(&["x"], &[], &[]);
}

#[test]
fn repeated_ids_are_selected_by_number() {
    check_select(
        &["a", "a", "a"],
        &["a#2", "A#3", "a#4", "a"],
        &["a#2", "a#3", "a", "! `a#4`: a#2"],
    );
}

#[test]
fn a_similar_id_is_suggested() {
    check_select(
        &["close-sessions", "hash-passwords"],
        &["close-sesions", "zzz"],
        &["! `close-sesions`: close-sessions", "! `zzz`"],
    );
}

#[test]
fn ids_that_are_special_elsewhere_are_plain_ids() {
    check_select(
        &["constructor", "__proto__"],
        &["__proto__", "constructor", "toString"],
        &["__proto__", "constructor", "! `toString`"],
    );
    check_select(
        &["a"],
        &["constructor", "__proto__"],
        &["! `constructor`", "! `__proto__`"],
    );
}

#[test]
fn an_empty_section_is_found() {
    let sections = parse("<!-- ANCHOR:a --><!-- /ANCHOR:a -->\n");
    let selection = select(&sections, &["a".to_owned()]);
    assert_eq!((selection.found.len(), selection.missing), (1, Vec::new()));
}
