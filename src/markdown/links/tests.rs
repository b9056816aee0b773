//! Each case is a text and, as text, the links in it.

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
    let label = link.label.as_ref().map(|label| format!(" label {label:?}")).unwrap_or_default();
    let stated = if link.is_stated { " stated" } else { "" };
    assert_eq!(link.name_span.of(text), link.target.name);
    assert!(link.span.of(text).starts_with("[[") && link.span.of(text).ends_with("]]"));
    format!(
        "{} {kind} {:?}{part}{label}{stated} {}\n",
        link.span.start, link.target.name, link.edge
    )
}

/// Prints each link with its place, target and relation.
fn check(text: &str, expected: Expect) {
    let links = parse(text);
    expected.assert_eq(&links.iter().map(|link| shown(link, text)).collect::<String>());
}

#[track_caller]
fn check_names(text: &str, expected: &[&str]) {
    let names: Vec<String> = parse(text).into_iter().map(|link| link.target.name).collect();
    assert_eq!(names, expected, "{text}");
}

#[track_caller]
fn check_edges(text: &str, expected: &str) {
    let edges: Vec<&str> = parse(text).iter().map(|link| link.edge.as_str()).collect();
    assert_eq!(edges.join(" "), expected, "{text}");
}

#[track_caller]
fn check_context(text: &str, expected: &[&str]) {
    let contexts: Vec<String> = parse(text).into_iter().map(|link| link.context).collect();
    assert_eq!(contexts, expected, "{text}");
}

#[test]
fn targets_of_every_form() {
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
            239 memory "x" stated supersedes
            273 path "db/sessions" stated depends_on
            301 plain "x" stated related_to
            319 url "https://example.org/a#b" related_to
            347 path "./a" related_to
            355 plain "v1.2" related_to
        "#]],
    );
}

#[test]
fn what_is_a_link_and_what_is_none() {
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
    check_names("[[[a]]] [[[[b]]]] [[a[b]c]] [[d[0]]]", &["a", "b", "a[b]c", "d[0]"]);
    check_names("[[a\nb]] [[c\r\nd]] [[e", &[]);
    check_names("[[b and [[c]] [[d", &["c"]);
    check_names("größe [[größe/übung.py]] 日本 [[日本]]", &["größe/übung.py", "日本"]);
    check_names("[[a]] again [[a]]", &["a", "a"]);
}

#[test]
fn code_comments_and_frontmatter_hold_no_links() {
    check_names("`[[a]]` ``[[b]] ` `` [[c]] `x`[[d]]`y`", &["c", "d"]);
    check_names("```\n[[a]]\n```\n[[b]]\n~~~\n[[c]]\n~~~\n", &["b"]);
    check_names("x\n\n    [[a]]\n\n[[b]]\n", &["b"]);
    check_names("- x\n  ```\n  [[a]]\n  ```\n  [[b]]\n", &["b"]);
    check_names("````\n```\n[[a]]\n```\n````\n[[b]]", &["b"]);
    check_names("[[a]]\n```\n[[b]] to the end", &["a"]);
    check_names("<!-- [[a]] --> [[b]] <!-- ANCHOR:x -->[[c]]<!-- /ANCHOR:x -->", &["b", "c"]);
    check_names("<!-- ANCHOR:x -->\nThe `code` and [[a]]\n<!-- /ANCHOR:x -->\n", &["a"]);
    check_names("---\nid: x\nlinks: [\"[[a]]\"]\n---\n[[b]]\n", &["b"]);
    check_names("\u{FEFF}---\r\nid: x\r\n---\r\n[[b]]\r\n", &["b"]);
    check_names("[[a`b]]` [[c]]", &["c"]);
}

#[test]
fn the_words_near_a_link_say_what_it_is() {
    for (word, edge) in [
        ("refactor", "refactors"),
        ("Rewrite", "refactors"),
        ("restructure", "refactors"),
        ("plan", "plans"),
        ("TODO:", "plans"),
        ("will", "plans"),
        ("should", "plans"),
        ("bug", "debugs"),
        ("FIX", "debugs"),
        ("issue", "debugs"),
        ("errors", "debugs"),
        ("note", "mentions"),
        ("remember", "mentions"),
        ("mention", "mentions"),
        ("see", "related_to"),
        ("**fix**", "debugs"),
        ("bug-fix", "debugs"),
    ] {
        check_edges(&format!("we {word} [[src/a.py]] here"), edge);
        check_edges(&format!("[[src/a.py]] {word} it"), edge);
    }
    check_edges("[[src/a.py]]", "related_to");
}

#[test]
fn parts_of_words_say_nothing() {
    for word in [
        "explanation",
        "prefer",
        "William",
        "prefix",
        "footnote",
        "tissue",
        "terrorism",
        "planet",
        "suffix",
        "plane",
        "goodwill",
        "terror",
        "shoulder",
        "fixture",
        "plan.py",
        "src/plan",
        "error_code",
        "bugle",
        "denote",
    ] {
        check_edges(&format!("the {word} of [[src/a.py]] there"), "related_to");
    }
    for text in [
        "It should never use [[src/a.py]]",
        "We will not touch [[src/a.py]]",
        "don't fix [[src/a.py]]",
    ] {
        check_edges(text, "related_to");
    }
}

#[test]
fn the_nearest_word_of_the_own_sentence_wins() {
    check_edges("Fix the bug in [[src/a.py]]. Plan for [[src/b.py]].", "debugs plans");
    check_edges("Refactor [[src/a.py]] and fix [[src/b.py]]", "refactors debugs");
    check_edges("Fix it soon.\n\nSee [[src/a.py]]", "related_to");
    check_edges("- a bug\n- [[src/a.py]]\n- a plan", "related_to");
    check_edges("# Plan\n[[src/a.py]]", "related_to");
    check_edges("A plan\nfor [[src/a.py]]", "plans");
    check_edges(
        "[[src/plan.py]] [[memory:fix-login]] [[src/a.py|the bug]]",
        "related_to related_to related_to",
    );
    check_edges("A bug, e.g. [[src/a.py]]", "debugs");
    check_edges("A bug! [[src/a.py]]", "related_to");
    check_edges(&format!("bug {} [[src/a.py]]", "x ".repeat(60)), "related_to");
}

#[test]
fn relations_hold_between_memories_and_in_one_direction() {
    check_edges("This supersedes [[memory:old]].", "supersedes");
    check_edges("It extends the old rule [[close-sessions]]", "extends");
    check_edges("contradicts [[memory:a]] and [[memory:b]]", "contradicts contradicts");
    check_edges("It depends on [[memory:a]]. It depends: [[memory:b]]", "depends_on related_to");
    check_edges("supersedes [[src/old.py]]", "related_to");
    check_edges("[[memory:new]] supersedes this", "related_to");
    check_edges("superseded by [[memory:new]]", "related_to");
    check_edges(
        "does not supersede [[memory:x]], no longer depends on [[memory:y]]",
        "related_to related_to",
    );
    check_edges("supersedes what we had, but see for the reasons [[memory:x]]", "related_to");
    check_edges("a bug: [[supersedes::memory:x]]", "supersedes");
}

#[test]
fn the_context_is_the_sentence() {
    check_context("One. See [[a]] for\n  more.  Three.", &["See [[a]] for more."]);
    check_context("[[a]]", &["[[a]]"]);
    check_context("# The [[a]] title\nText", &["The [[a]] title"]);
    check_context("- one\n- two [[a]] x\n- three", &["two [[a]] x"]);
    check_context("> 1. quoted [[a]]\r\n> more", &["quoted [[a]]"]);
    check_context("Use v1.2 of [[a]]? Yes.", &["Use v1.2 of [[a]]?"]);
    check_context("**Done.** Then [[a]]", &["Then [[a]]"]);
    let long = format!("{}[[a]]{}", "ä".repeat(150), "ö".repeat(150));
    check_context(&long, &[&format!("{}[[a]]{}", "ä".repeat(100), "ö".repeat(100))]);
    check_context("[[a]] then [[b]]", &["[[a]] then [[b]]", "[[a]] then [[b]]"]);
}

#[test]
fn paths_have_one_spelling() {
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
        assert_eq!(normal_path(path).as_deref(), expected, "{path}");
    }
}

#[test]
fn a_target_may_stand_alone() {
    let (target, stated) = parse_target(" [[supersedes::memory:x]] ").expect("a target");
    assert_eq!(
        (target.kind, target.name.as_str(), stated),
        (Kind::Memory, "x", Some(EdgeType::Supersedes))
    );
    assert!(parse_target("[[ ]]").is_none());
    for text in ["a/b.py::C.d", "a#L3-L9", "a#L3", "memory:x/y#z", "Plain name", "https://x.y/#L1"]
    {
        assert_eq!(Target::parse(text).expect(text).to_string(), text);
    }
}

#[test]
fn hostile_texts_end_in_good_time() {
    const N: usize = 1 << 17;
    for unit in [
        "[",
        "]",
        "[[",
        "]]",
        "[[a]]",
        "[[a",
        "![[",
        "\\",
        "[[a|",
        "|",
        "`",
        "[[a]] bug. ",
        "<!--",
        "[[a\n",
        "[ ",
        "[[a[",
        "a",
        ".",
        "\n",
        "ä",
        "[[memory:a]] supersedes ",
    ] {
        parse(&unit.repeat(N / unit.len()));
    }
}

proptest! {
    #[test]
    fn any_text_is_read_and_spans_fit(text in "(\\[|\\]|\\||#|:|\\.|!|\\\\|`|[a-c /]|\n|ä|memory:|\\PC){0,60}") {
        for link in parse(&text) {
            prop_assert_eq!(link.name_span.of(&text), &link.target.name);
            prop_assert!(link.span.of(&text).starts_with("[[") && link.span.of(&text).ends_with("]]"));
            prop_assert!(!link.target.name.is_empty());
        }
    }

    #[test]
    fn normal_paths_stay_normal(path in "([ab./]|\\.\\.){0,12}") {
        if let Some(normal) = normal_path(&path) {
            prop_assert_eq!(normal_path(&normal), Some(normal));
        }
    }
}
