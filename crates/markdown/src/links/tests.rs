//! Each case is a text and its links, printed.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn shown(link: &Link, text: &str) -> String {
    let part = match &link.target.part {
        None => String::new(),
        Some(Part::Symbol(symbol)) => format!(" symbol {symbol}"),
        Some(Part::Lines(first, last)) => format!(" lines {}-{}", first + 1, last + 1),
        Some(Part::Section(section)) => format!(" section {section}"),
    };
    let kind = match link.target.kind {
        Kind::Path => "path",
        Kind::Memory => "memory",
        Kind::Url => "url",
        Kind::Plain => "plain",
    };
    let label = link
        .label
        .as_ref()
        .map(|label| format!(" label {label:?}"))
        .unwrap_or_default();
    let explicit = if link.is_explicit { " explicit" } else { "" };
    assert_eq!(link.name_span.slice(text), link.target.name);
    assert!(link.span.slice(text).starts_with("[[") && link.span.slice(text).ends_with("]]"));
    format!(
        "{} {kind} {:?}{part}{label}{explicit} {}",
        link.span.start, link.target.name, link.relation
    )
}

/// Prints each link with its position, target and relation.
fn check(text: &str, expected: Expect) {
    let links = parse(text);
    let shown: Vec<String> = links.iter().map(|link| shown(link, text)).collect();
    expected.assert_eq(&shown.join("\n"));
}

#[track_caller]
fn check_names(text: &str, expected: &[&str]) {
    let names: Vec<String> = parse(text)
        .into_iter()
        .map(|link| link.target.name)
        .collect();
    assert_eq!(names, expected, "{text}");
}

#[track_caller]
fn check_relations(text: &str, expected: &str) {
    let relations: Vec<&str> = parse(text)
        .iter()
        .map(|link| link.relation.as_str())
        .collect();
    assert_eq!(relations.join(" "), expected, "{text}");
}

#[track_caller]
fn check_context(text: &str, expected: &[&str]) {
    let contexts: Vec<String> = parse(text).into_iter().map(|link| link.context).collect();
    assert_eq!(contexts, expected, "{text}");
}

#[test]
fn all_forms_of_targets_are_parsed() {
    check(
        "[[src/server.py]] [[src/x.rs::Symbol]] [[src/x.rs::A.b | the b]] [[src/x.rs#L10-L20]]
         [[src/x.rs#L10-20]] [[a.md#L7]] [[README.md]] [[notes with spaces]] [[memory:sub/x]]
         [[Memory: old#summary]] [[a#heading]] [[a|Alias]] [[supersedes::memory:x]]
         [[depends on::db/sessions]] [[related-to::x]] [[https://example.org/a#b]] [[./a]] [[v1.2]]",
        expect![[r#"
            0 path "src/server.py" related_to
            18 path "src/x.rs" symbol Symbol related_to
            39 path "src/x.rs" symbol A.b label "the b" related_to
            65 path "src/x.rs" lines 10-20 related_to
            95 path "src/x.rs" lines 10-20 related_to
            115 path "a.md" lines 7-7 related_to
            127 plain "README.md" related_to
            141 plain "notes with spaces" related_to
            163 memory "sub/x" related_to
            189 memory "old" section summary related_to
            213 plain "a" section heading related_to
            227 plain "a" label "Alias" related_to
            239 memory "x" explicit supersedes
            273 path "db/sessions" explicit depends_on
            301 plain "x" explicit related_to
            319 url "https://example.org/a#b" related_to
            347 path "./a" related_to
            355 plain "v1.2" related_to"#]],
    );
}

#[test]
fn only_well_formed_brackets_are_links() {
    check_names("", &[]);
    check_names(" \n\t", &[]);
    check_names("[[: ::a]] [[memory: :a]] [[://a]]", &[]);
    check_names("no link, [one] bracket, [x](y), [z][]", &[]);
    check_names("[[a]][[b]]", &["a", "b"]);
    check_names(
        "- [[a]]\n- x [[b]]\n  1. [[c]]\n> [[d]]\n\n| [[e\\|label]] |\n# [[f]]",
        &["a", "b", "c", "d", "e", "f"],
    );
    check_names("**[[a]]** _[[b]]_ ([[c]]), “[[d]]”", &["a", "b", "c", "d"]);
    check_names(
        "[[ ]] [[]] [[|x]] [[#h]] [[memory:]] [[memory: #x]] [[::X]] [[supersedes::]]",
        &[],
    );
    check_names(
        "![[image.png]] !\\[[no]] \\![[yes]] \\[[no]] [\\[no]] \\\\[[also]]",
        &["yes", "also"],
    );
    check_names(
        "[[[a]]] [[[[b]]]] [[a[b]c]] [[d[0]]]",
        &["a", "b", "a[b]c", "d[0]"],
    );
    check_names("[[a\nb]] [[c\r\nd]] [[e", &[]);
    check_names("[[b and [[c]] [[d", &["c"]);
    check_names(
        "größe [[größe/übung.py]] 日本 [[日本]]",
        &["größe/übung.py", "日本"],
    );
    check_names("[[a]] again [[a]]", &["a", "a"]);
}

#[test]
fn code_comments_and_frontmatter_contain_no_links() {
    check_names("`[[a]]` ``[[b]] ` `` [[c]] `x`[[d]]`y`", &["c", "d"]);
    check_names("```\n[[a]]\n```\n[[b]]\n~~~\n[[c]]\n~~~\n", &["b"]);
    check_names("x\n\n    [[a]]\n\n[[b]]\n", &["b"]);
    check_names("- x\n  ```\n  [[a]]\n  ```\n  [[b]]\n", &["b"]);
    check_names("````\n```\n[[a]]\n```\n````\n[[b]]", &["b"]);
    check_names("[[a]]\n```\n[[b]] to the end", &["a"]);
    check_names(
        "<!-- [[a]] --> [[b]] <!-- ANCHOR:x -->[[c]]<!-- /ANCHOR:x -->",
        &["b", "c"],
    );
    check_names(
        "<!-- ANCHOR:x -->\nThe `code` and [[a]]\n<!-- /ANCHOR:x -->\n",
        &["a"],
    );
    check_names("---\nid: x\nlinks: [\"[[a]]\"]\n---\n[[b]]\n", &["b"]);
    check_names("\u{FEFF}---\r\nid: x\r\n---\r\n[[b]]\r\n", &["b"]);
    check_names("[[a`b]]` [[c]]", &["c"]);
}

#[test]
fn words_near_a_link_imply_its_relation() {
    for (words, relation) in [
        ("refactor Rewrite restructure", "refactors"),
        ("plan TODO: will should", "plans"),
        ("bug FIX issue errors **fix** bug-fix", "debugs"),
        ("note remember mention", "mentions"),
        ("see", "related_to"),
    ] {
        for word in words.split(' ') {
            check_relations(&format!("we {word} [[src/a.py]] here"), relation);
            check_relations(&format!("[[src/a.py]] {word} it"), relation);
        }
    }
    check_relations("[[src/a.py]]", "related_to");
}

#[test]
fn parts_of_words_imply_no_relation() {
    let words = "explanation prefer William prefix footnote tissue terrorism planet suffix plane goodwill \
        terror shoulder fixture plan.py src/plan error_code bugle denote";
    for word in words.split(' ') {
        check_relations(&format!("the {word} of [[src/a.py]] there"), "related_to");
    }
    for text in [
        "It should never use [[src/a.py]]",
        "We will not touch [[src/a.py]]",
        "don't fix [[src/a.py]]",
    ] {
        check_relations(text, "related_to");
    }
}

#[test]
fn the_nearest_word_in_the_sentence_wins() {
    check_relations(
        "Fix the bug in [[src/a.py]]. Plan for [[src/b.py]].",
        "debugs plans",
    );
    check_relations(
        "Refactor [[src/a.py]] and fix [[src/b.py]]",
        "refactors debugs",
    );
    check_relations("Fix it soon.\n\nSee [[src/a.py]]", "related_to");
    check_relations("- a bug\n- [[src/a.py]]\n- a plan", "related_to");
    check_relations("# Plan\n[[src/a.py]]", "related_to");
    check_relations("A plan\nfor [[src/a.py]]", "plans");
    check_relations(
        "[[src/plan.py]] [[memory:fix-login]] [[src/a.py|the bug]]",
        "related_to related_to related_to",
    );
    check_relations("A bug, e.g. [[src/a.py]]", "debugs");
    check_relations("A bug! [[src/a.py]]", "related_to");
    check_relations(
        &format!("bug {} [[src/a.py]]", "x ".repeat(60)),
        "related_to",
    );
}

#[test]
fn verbs_relate_memories_in_one_direction() {
    check_relations("This supersedes [[memory:old]].", "supersedes");
    check_relations("It extends the old rule [[close-sessions]]", "extends");
    check_relations(
        "contradicts [[memory:a]] and [[memory:b]]",
        "contradicts contradicts",
    );
    check_relations(
        "It depends on [[memory:a]]. It depends: [[memory:b]]",
        "depends_on related_to",
    );
    check_relations("supersedes [[src/old.py]]", "related_to");
    check_relations("[[memory:new]] supersedes this", "related_to");
    check_relations("superseded by [[memory:new]]", "related_to");
    check_relations(
        "does not supersede [[memory:x]], no longer depends on [[memory:y]]",
        "related_to related_to",
    );
    check_relations(
        "supersedes what we had, but see for the reasons [[memory:x]]",
        "related_to",
    );
    check_relations("a bug: [[supersedes::memory:x]]", "supersedes");
}

#[test]
fn the_context_is_the_sentence() {
    check_context(
        "One. See [[a]] for\n  more.  Three.",
        &["See [[a]] for more."],
    );
    check_context("[[a]]", &["[[a]]"]);
    check_context("# The [[a]] title\nText", &["The [[a]] title"]);
    check_context("- one\n- two [[a]] x\n- three", &["two [[a]] x"]);
    check_context("> 1. quoted [[a]]\r\n> more", &["quoted [[a]]"]);
    check_context("Use v1.2 of [[a]]? Yes.", &["Use v1.2 of [[a]]?"]);
    check_context("**Done.** Then [[a]]", &["Then [[a]]"]);
    let long = format!("{}[[a]]{}", "ä".repeat(150), "ö".repeat(150));
    check_context(
        &long,
        &[&format!("{}[[a]]{}", "ä".repeat(100), "ö".repeat(100))],
    );
    check_context(
        "[[a]] then [[b]]",
        &["[[a]] then [[b]]", "[[a]] then [[b]]"],
    );
}

#[test]
fn paths_are_normalized() {
    for (path, expected) in [
        ("a", Some("a")),
        ("./a", Some("a")),
        ("a/../a", Some("a")),
        ("a//b/./c", Some("a/b/c")),
        ("a/b/..", Some("a")),
        ("a\\b", Some("a\\b")),
        ("..", None),
        ("a/../../b", None),
        ("/etc/passwd", None),
    ] {
        assert_eq!(normalize_path(path).as_deref(), expected, "{path}");
    }
}

#[test]
fn a_target_parses_without_brackets() {
    let (target, stated) = parse_target(" [[supersedes::memory:x]] ").expect("a target");
    assert_eq!(
        (target.kind, target.name.as_str(), stated),
        (Kind::Memory, "x", Some(EdgeType::Supersedes))
    );
    assert!(parse_target("[[ ]]").is_none());
    for text in [
        "a/b.py::C.d",
        "a#L3-L9",
        "a#L3",
        "memory:x/y#z",
        "Plain name",
        "https://x.y/#L1",
    ] {
        assert_eq!(Target::parse(text).expect(text).to_string(), text);
    }
}

#[test]
fn a_target_that_does_not_read_back_as_written_is_no_link() {
    check_names(
        "[[a#::]] [[a: ::b]] [[a:: //b]] [[memory:a# ::]] [[a#b::c]]",
        &["a#b"],
    );
    for text in ["a#::", "memory: :a", ":"] {
        assert_eq!(Target::parse(text), None, "{text}");
    }
}

#[test]
fn hostile_texts_take_linear_time() {
    const N: usize = 1 << 17;
    let short = [
        "[", "]", "[[", "]]", "[[a]]", "[[a", "![[", "\\", "[[a|", "|", "`", "<!--", "[[a\n", "[ ",
        "[[a[", "a", ".", "\n", "ä",
    ];
    for unit in short
        .into_iter()
        .chain(["[[a]] bug. ", "[[memory:a]] supersedes "])
    {
        parse(&unit.repeat(N / unit.len()));
    }
}

proptest! {
    #[test]
    fn any_text_parses_and_spans_are_valid(text in "(\\[|\\]|\\||#|:|\\.|!|\\\\|`|[a-c /]|\n|ä|memory:|\\PC){0,60}") {
        for link in parse(&text) {
            prop_assert_eq!(link.name_span.slice(&text), &link.target.name);
            prop_assert!(link.span.slice(&text).starts_with("[[") && link.span.slice(&text).ends_with("]]"));
            prop_assert!(!link.target.name.is_empty());
            prop_assert_eq!(Target::parse(&link.target.to_string()), Some(link.target));
        }
    }

    #[test]
    fn normalizing_a_path_is_idempotent(path in "([ab./]|\\.\\.){0,12}") {
        if let Some(normal) = normalize_path(&path) {
            prop_assert_eq!(normalize_path(&normal), Some(normal));
        }
    }
}
