//! Each case is a text and its frontmatter, printed.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::test_support::print_diagnostics;

/// Prints the non-empty fields, the body and the warnings.
fn check(text: &str, expected: Expect) {
    let parsed = parse(text);
    let mut shown = String::new();
    for (key, field) in parsed.frontmatter.fields() {
        shown += &match field {
            Field::Scalar(word) => format!("{key}: {word:?}\n"),
            Field::List(words) => format!("{key}: {words:?}\n"),
            Field::Block(text) => format!("{key}: {text:?}\n"),
        };
    }
    shown += &format!("body: {:?}\n", &text[parsed.body_start..]);
    shown += &print_diagnostics(&parsed.warnings);
    expected.assert_eq(shown.trim_end_matches('\n'));
}

#[test]
fn every_field_is_read() {
    check(
        "---\nid: close-sessions\ntype: rule\ncategory: db\nscope: language:go\nstatus: active\ntags: [a, b]\n\
         hints:\n  - session\n  - Close\ncreated_at: 2025-01-15T09:30:00+01:00\nupdated_at: 2025-01-16\n\
         source: jo\nlinks: [src/a.rs]\nother: {x: [1]}\n---\n\nClose sessions.\n",
        expect![[r#"
            id: "close-sessions"
            type: "rule"
            category: "db"
            scope: "language:go"
            status: "active"
            tags: ["a", "b"]
            hints: ["session", "Close"]
            created_at: "2025-01-15T08:30:00Z"
            updated_at: "2025-01-16T00:00:00Z"
            source: "jo"
            links: ["src/a.rs"]
            body: "\nClose sessions.\n""#]],
    );
}

#[test]
fn missing_and_empty_frontmatter_is_valid() {
    for text in [
        "",
        " \n",
        "Just text.\n",
        "\n---\nid: x\n---\n",
        "----\nid: x\n----\n",
        "---",
        "--- x\n---\n",
    ] {
        assert_eq!(parse(text), Parsed::default(), "{text:?}");
    }
    check("---\n---\nText", expect![[r#"body: "Text""#]]);
    check(
        "---\n# only a comment\n---\nText",
        expect![[r#"body: "Text""#]],
    );
    check("---\nid:\ntype: ~\ntags:\n---", expect![[r#"body: """#]]);
}

#[test]
fn delimiters_may_follow_a_byte_order_mark_and_have_any_line_ending() {
    check(
        "\u{FEFF}---\r\nid: x\r\n---\r\nText\r\n",
        expect![[r#"
        id: "x"
        body: "Text\r\n""#]],
    );
    check(
        "---  \nid: x\n...\nText\n",
        expect![[r#"
        id: "x"
        body: "Text\n""#]],
    );
    let (utf16, _) =
        cerberus_model::text::decode(b"\xFF\xFE-\0-\0-\0\n\0i\0d\0:\0 \0x\0\n\0-\0-\0-\0");
    check(
        &utf16,
        expect![[r#"
        id: "x"
        body: """#]],
    );
}

#[test]
fn an_unclosed_block_is_text() {
    check(
        "---\nid: x\n\n# Title\n",
        expect![[r#"
        body: "---\nid: x\n\n# Title\n"
        ! 1:1 unclosed-frontmatter: frontmatter, opened on line 1, is never closed
            add a line `---` where it ends"#]],
    );
    check(
        "\u{FEFF}---\nid: x\n",
        expect![[r#"
        body: "---\nid: x\n"
        ! 1:4 unclosed-frontmatter: frontmatter, opened on line 1, is never closed
            add a line `---` where it ends"#]],
    );
}

#[test]
fn a_list_may_be_separated_by_commas() {
    check(
        "---\ntags: a, b c ,, d\nhints: one\n---\n",
        expect![[r#"
        tags: ["a", "b c", "d"]
        hints: ["one"]
        body: """#]],
    );
    check(
        "---\ntags: ''\nhints: [ '', ' ', x ]\n---\n",
        expect![[r#"
        hints: ["x"]
        body: """#]],
    );
}

#[test]
fn scalars_retain_their_spelling() {
    check(
        "---\nid: 007\ncategory: 1.10\nsource: 0x1F\ntags: [yes, 1_000, 12345678901234567890123456789012345678901, 1e999, .inf, 2025-01-15, null, ~, true]\n---\n",
        expect![[r#"
            id: "007"
            category: "1.10"
            tags: ["yes", "1_000", "12345678901234567890123456789012345678901", "1e999", ".inf", "2025-01-15", "true"]
            source: "0x1F"
            body: ""
            ! 5:7 invalid-value: `tags` is not a list of words"#]],
    );
    check(
        "---\nid: &a 1.0\ncategory: *a\ntags: [*a, é, \"1.0\"]\nsource: |\n  two\n  lines\n---\n",
        expect![[r#"
            id: "1.0"
            category: "1.0"
            tags: ["1.0", "é", "1.0"]
            source: "two\nlines\n"
            body: """#]],
    );
}

#[test]
fn times_without_offset_are_utc() {
    check(
        "---\ncreated_at: 2025-01-15\nupdated_at: 2025-01-15 10:00:00\n---\n",
        expect![[r#"
            created_at: "2025-01-15T00:00:00Z"
            updated_at: "2025-01-15T10:00:00Z"
            body: """#]],
    );
    check(
        "---\ncreated_at: \"2025-01-15T10:00:00\"\nupdated_at: 2025-01-15T10:00:00.5-02:00\n---\n",
        expect![[r#"
            created_at: "2025-01-15T10:00:00Z"
            updated_at: "2025-01-15T12:00:00.5Z"
            body: """#]],
    );
    check(
        "---\ncreated_at: last week\nupdated_at: 2025-02-30\nid: x\n---\n",
        expect![[r#"
            id: "x"
            body: ""
            ! 2:13 invalid-value: `created_at` is not a valid date: `last week`
                write it as `2025-01-15T09:30:00Z` or `2025-01-15`
            ! 3:13 invalid-value: `updated_at` is not a valid date: `2025-02-30`
                write it as `2025-01-15T09:30:00Z` or `2025-01-15`"#]],
    );
}

#[test]
fn an_invalid_value_does_not_affect_others() {
    check(
        "---\nid: x\ntype: rul\nscope: galaxy\nstatus: archive\ncategory: c\n---\nText\n",
        expect![[r#"
            id: "x"
            category: "c"
            body: "Text\n"
            ! 3:7 invalid-value: unknown type `rul`: expected one of rule, decision, plan, journal, fact, observation, reflection
                did you mean `rule`?
            ! 4:8 invalid-value: unknown scope `galaxy`: expected universal, language:<name> or project:<name>
            ! 5:9 invalid-value: unknown status `archive`: expected one of active, proposed, archived
                did you mean `archived`?"#]],
    );
    check(
        "---\nid: [x]\ntags: {a: b}\nhints: [a, [b], {c: d}, e]\ncategory: c\n---\n",
        expect![[r#"
            category: "c"
            hints: ["a", "e"]
            body: ""
            ! 2:5 invalid-value: `id` is not a single value
            ! 3:7 invalid-value: `tags` is not a list of words
            ! 4:8 invalid-value: `hints` is not a list of words"#]],
    );
    check(
        "---\ntype: Rule\nscope: Language:Go\n---\n",
        expect![[r#"
            type: "rule"
            scope: "language:go"
            body: """#]],
    );
    check(
        "---\nid: a\ntags: [t]\nid: b\nx: 1\nx: 2\n---\n",
        expect![[r#"
            id: "a"
            tags: ["t"]
            body: ""
            ! 4:1 duplicate-key: `id` is defined twice: the first value is used"#]],
    );
}

#[test]
fn invalid_yaml_is_reported_with_its_position_and_the_body_is_read() {
    let context = "mapping values are not allowed in this context";
    let trailing = "invalid trailing content after double-quoted scalar";
    let mapping = "expected mapping start";
    for (yaml, line, column, wrong) in [
        ("id: x\ntitle: a: b\n", 3, 9, context),
        ("id: x\r\ntags: [a\r\n", 3, 7, "unclosed bracket '['"),
        ("id: \"é\" b\n", 2, 10, trailing),
        ("- a\n- b\n", 2, 1, mapping),
        ("Some prose.\n", 2, 1, mapping),
        (
            "<<<<<<< HEAD\nid: a\n=======\nid: b\n>>>>>>> x\n",
            2,
            1,
            mapping,
        ),
        ("id: *nobody\n", 2, 5, "alias references unknown anchor"),
        ("? [a, b]\n: c\nid: x\n", 2, 3, "expected string scalar"),
    ] {
        let text = format!("---\r\n{yaml}---\r\nText\r\n");
        let parsed = parse(&text);
        assert_eq!(parsed.frontmatter, Frontmatter::default(), "{yaml}");
        assert_eq!(&text[parsed.body_start..], "Text\r\n");
        let expected = Diagnostic {
            code: "invalid-yaml",
            line: line - 1,
            column: column - 1,
            message: format!("failed to read the frontmatter: {wrong}"),
            hint: Some("write it as lines of `key: value`".to_owned()),
        };
        assert_eq!(parsed.warnings, [expected], "{yaml}");
    }
}

#[test]
fn alias_bombs_and_deep_nesting_are_reported() {
    let mut laughs = "---\na: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, of) in "bcdefghij".chars().zip("abcdefghi".chars()) {
        laughs +=
            &format!("{name}: &{name} [*{of}, *{of}, *{of}, *{of}, *{of}, *{of}, *{of}, *{of}]\n");
    }
    check(
        &format!("{laughs}tags: *j\n---\n"),
        expect![[r#"
            body: ""
            ! 6:16 invalid-yaml: failed to read the frontmatter: budget breached: Events { events: 20001 }
                write it as lines of `key: value`"#]],
    );
    let nested = format!(
        "---\ntags: {}{}\n---\n",
        "[".repeat(50_000),
        "]".repeat(50_000)
    );
    check(
        &nested,
        expect![[r#"
            body: ""
            ! 2:39 invalid-yaml: failed to read the frontmatter: recursion limit exceeded
                write it as lines of `key: value`"#]],
    );
    let flood = format!("---\ntags:\n{}---\n", "- a\n".repeat(50_000));
    check(
        &flood,
        expect![[r#"
            body: ""
            ! 19998:3 invalid-yaml: failed to read the frontmatter: it is too large or too deeply nested
                write it as lines of `key: value`"#]],
    );
}

#[test]
fn new_frontmatter_is_readable() {
    let fields = Frontmatter {
        id: Some("close-sessions".into()),
        memory_type: Some(MemoryType::Rule),
        kind: Some(RuleKind::Code),
        category: Some("yes: no".into()),
        heading: Some("Testing › Mocks".into()),
        scope: Some(Scope::Language("go".into())),
        paths: vec!["src/**/*.{go,mod}".into()],
        status: Some(MemoryStatus::Active),
        tags: vec!["a".into(), "b, c".into(), "1.0".into()],
        hints: vec!["session".into()],
        example: Some(ExampleChoice::None),
        created_at: time("2025-01-15"),
        source: vec!["cli".into()],
        ..Frontmatter::default()
    };
    expect![[r#"
        ---
        id: close-sessions
        type: rule
        kind: code
        category: "yes: no"
        heading: Testing › Mocks
        scope: language:go
        paths: ["src/**/*.{go,mod}"]
        status: active
        tags: [a, "b, c", "1.0"]
        hints: [session]
        example: none
        created_at: "2025-01-15T00:00:00Z"
        source: cli
        ---

    "#]]
    .assert_eq(&render(&fields));
    expect![[r#"
        ---
        ---

    "#]]
    .assert_eq(&render(&Frontmatter::default()));
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{1,120}",
        "[-:#\"'\\[\\]{},&*!|>%@`~? .0-9a-z]{1,12}",
        Just("---".to_owned()),
        Just("...".to_owned()),
        Just("null".to_owned()),
        Just("\u{2028}\u{FEFF}".to_owned()),
    ]
    .prop_filter("blank words are ignored", |word| !word.trim().is_empty())
}

prop_compose! {
    fn any_fields()(
        (id, category, heading) in (word(), proptest::option::of(word()), proptest::option::of(word())),
        (tags, hints, links, paths, source) in (
            proptest::collection::vec(word(), 0..4),
            proptest::collection::vec(word(), 0..2),
            proptest::collection::vec(word(), 0..4),
            proptest::collection::vec(word(), 0..4),
            proptest::collection::vec(word(), 0..2),
        ),
        seconds in proptest::option::of(-60_000_000_000_i64..200_000_000_000),
    ) -> Frontmatter {
        Frontmatter {
            id: Some(id),
            memory_type: Some(MemoryType::Fact),
            kind: Some(RuleKind::Process),
            category,
            heading,
            paths,
            scope: Some(Scope::Project(None)),
            status: Some(MemoryStatus::Archived),
            tags,
            hints,
            example: Some(ExampleChoice::None),
            reviewed_by: Some("claude".to_owned()),
            pattern_by: Some("codex".to_owned()),
            pattern: Some("language: Python\nrule:\n  pattern: \"f($A)\"\n".to_owned()),
            command: vec!["pip install".to_owned(), "git push -f".to_owned()],
            instead: Some("uv add".to_owned()),
            created_at: seconds.and_then(|seconds| Timestamp::from_second(seconds).ok()),
            updated_at: None,
            source,
            links,
        }
    }
}

proptest! {
    #[test]
    fn rendered_fields_parse_back(fields in any_fields()) {
        let text = render(&fields);
        let parsed = parse(&text);
        let is_unexpected = |it: &&Diagnostic| !it.message.contains("has an invalid glob");
        prop_assert_eq!(parsed.warnings.iter().find(is_unexpected), None);
        prop_assert_eq!(parsed.frontmatter, fields);
        prop_assert_eq!(parsed.body_start + 1, text.len());
    }

    #[test]
    fn any_text_parses(text in "(\u{FEFF})?---\r?\n(\\PC|[\n\r\t:\\[\\]{}&*!'\"-]){0,200}\n---\n") {
        let parsed = parse(&text);
        prop_assert!(text.is_char_boundary(parsed.body_start));
        prop_assert_eq!(&parse(&text), &parsed);
    }
}
