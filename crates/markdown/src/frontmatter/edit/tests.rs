//! Each case is a text, an edit, and the edited text.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn check(text: &str, key: &'static str, value: FieldValue, expected: Expect) {
    let shown = match set(text, key, value) {
        Ok(edited) => {
            assert_eq!(
                set(&edited, key, value).as_ref(),
                Ok(&edited),
                "the edit is idempotent"
            );
            edited
        }
        Err(error) => format!("! {:?} {}\n    {}\n", error.line, error.message, error.hint),
    };
    expected.assert_eq(&shown);
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn a_value_is_replaced_and_its_comment_retained() {
    let text = "---\n# who\nauthor: jo   # unknown key\nstatus: active  # for now\ntags: [a, 'b # c']# no comment\n---\nText\n";
    check(
        text,
        "status",
        FieldValue::Scalar("archived"),
        expect![[r#"
            ! Some(4) failed to read the frontmatter: comments must be separated from other tokens by whitespace
                write it as lines of `key: value`
        "#]],
    );
    check(
        "---\ntags: ['it''s # a', \"b\\\" # c\", d]  # all of them\n---\n",
        "tags",
        FieldValue::List(&words(&["x", "y, z", "- w", "true"])),
        expect![[r#"
            ---
            tags: [x, "y, z", "- w", "true"] # a', "b\" # c", d]  # all of them
            ---
        "#]],
    );
}

#[test]
fn a_value_of_several_lines_is_replaced_and_the_comments_below_retained() {
    for list in [
        "\n  - a\n  - b # why\n",
        "\n- a\n\n- b\n",
        " [a,\n  # in it\n  b]\n",
        "\n  [a, b]\n",
    ] {
        check(
            &format!(
                "---\ntype: rule\ntags:{list}\n# about scope\nscope: universal\nmine: |\n  text\n---\nText\n"
            ),
            "tags",
            FieldValue::List(&words(&["c"])),
            expect![[r#"
                ---
                type: rule
                tags: [c]

                # about scope
                scope: universal
                mine: |
                  text
                ---
                Text
            "#]],
        );
    }
    check(
        "---\ncategory: >\n  folded\n  text\nx: 1\n---\n",
        "category",
        FieldValue::Scalar("db"),
        expect![[r#"
            ---
            category: db
            x: 1
            ---
        "#]],
    );
}

#[test]
fn a_new_key_is_inserted_in_the_order_of_a_new_file() {
    check(
        "---\ntype: rule\ncreated_at: 2025-01-01 # first\nzebra: 1\n---\nText\n",
        "updated_at",
        FieldValue::Scalar("2026-01-02T03:04:05Z"),
        expect![[r#"
            ---
            type: rule
            created_at: 2025-01-01 # first
            updated_at: "2026-01-02T03:04:05Z"
            zebra: 1
            ---
            Text
        "#]],
    );
    check(
        "---\nzebra: 1\n---\nText\n",
        "status",
        FieldValue::Scalar("archived"),
        expect![[r#"
            ---
            zebra: 1
            status: archived
            ---
            Text
        "#]],
    );
    check(
        "---\n---\nText\n",
        "category",
        FieldValue::Scalar("a: b"),
        expect![[r#"
            ---
            category: "a: b"
            ---
            Text
        "#]],
    );
}

#[test]
fn a_text_without_frontmatter_gets_a_block() {
    check(
        "# Title\n",
        "type",
        FieldValue::Scalar("fact"),
        expect![[r#"
            ---
            type: fact
            ---

            # Title
        "#]],
    );
    let edited = set("\u{FEFF}a\r\nb\r\n", "type", FieldValue::Scalar("fact"));
    assert_eq!(
        edited.as_deref(),
        Ok("\u{FEFF}---\r\ntype: fact\r\n---\r\n\r\na\r\nb\r\n")
    );
}

#[test]
fn an_unsafe_edit_is_refused() {
    let archived = FieldValue::Scalar("archived");
    let message = "failed to set `status`: the frontmatter is not lines of `key: value`";
    for yaml in [
        "{status: active, mine: 1}\n",
        "status: &s active\ncategory: *s\n",
        "? status\n: active\n",
        "{mine: 1}\n",
        "&root\nstatus: active\nstatus: archived\n",
    ] {
        let text = format!("---\n{yaml}---\nText\n");
        match set(&text, "status", archived) {
            Err(error) => assert_eq!(error.message, message, "{yaml}"),
            Ok(edited) => {
                assert_eq!(
                    parse(&edited)
                        .frontmatter
                        .status
                        .map(|it| it.to_string())
                        .as_deref(),
                    Some("archived"),
                    "{yaml}"
                );
            }
        }
    }
    check(
        "---\nstatus: [a\n---\nText\n",
        "status",
        archived,
        expect![[r#"
            ! Some(1) failed to read the frontmatter: unclosed bracket '['
                write it as lines of `key: value`
        "#]],
    );
    check(
        "---\nstatus: active\nText\n",
        "status",
        archived,
        expect![[r#"
            ! Some(0) frontmatter, opened on line 1, is never closed
                add a line `---` where it ends
        "#]],
    );
}

#[test]
fn the_date_is_updated_only_if_the_frontmatter_has_dates() {
    let now = "2026-01-02T03:04:05Z";
    assert_eq!(set_updated_at("Text\n", now), "Text\n");
    assert_eq!(
        set_updated_at("---\ntype: rule\n---\nText\n", now),
        "---\ntype: rule\n---\nText\n"
    );
    assert_eq!(
        set_updated_at("---\r\nupdated_at: 2025-01-01\r\n---\r\nText\r\n", now),
        format!("---\r\nupdated_at: \"{now}\"\r\n---\r\nText\r\n")
    );
    let flow = "---\n{created_at: 2025-01-01}\n---\nText\n";
    assert_eq!(set_updated_at(flow, now), flow);
}

fn line() -> impl Strategy<Value = &'static str> {
    let lines = "type: rule~status: active~status: active # c~\"status\": 'active'~# note~~tags: [a, b]~tags:~\
        \x20 - a~- b~mine: {a: [1, 2]}~text: |~  line # one~  status: no~category: don't # x~scope: universal~\
        \x20 folded~created_at: 2025-01-01~x: \"a~  b\"~y: &a 1~z: *a~hints: a, b";
    proptest::sample::select(lines.split('~').collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn setting_a_key_changes_no_other_line(
        lines in proptest::collection::vec(line(), 0..8),
        body in "\\PC{0,20}",
        is_crlf in any::<bool>(),
        tags in proptest::collection::vec("\\PC{1,8}", 0..3),
    ) {
        let newline = if is_crlf { "\r\n" } else { "\n" };
        let text = format!("---{newline}{}---{newline}{body}", lines.iter().map(|line| format!("{line}{newline}")).collect::<String>());
        let tags: Vec<String> = tags.into_iter().filter(|tag| !tag.trim().is_empty()).collect();
        for (key, value) in [("status", FieldValue::Scalar("archived")), ("tags", FieldValue::List(&tags))] {
            let Ok(edited) = set(&text, key, value) else { continue };
            prop_assert_eq!(set(&edited, key, value), Ok(edited.clone()));
            let end = format!("---{newline}{body}");
            prop_assert!(edited.ends_with(&end));
            if is_crlf {
                prop_assert!(!edited.replace("\r\n", "").contains('\n'));
            }
            // All lines of the edited text except one are lines of the original.
            let common = text.bytes().zip(edited.bytes()).take_while(|(a, b)| a == b).count();
            let n_retained = |it: &str| it.lines().filter(|line| text.lines().any(|old| old == *line)).count();
            prop_assert!(common >= 4 && n_retained(&edited) + 1 >= edited.lines().count());
        }
    }
}

#[test]
fn a_key_is_removed_with_its_lines_and_nothing_else() {
    let text = "---\r\ntype: rule # why\r\nhints:\r\n  - a\r\nexample: none\r\n# end\r\n---\r\nexample: x\r\n";
    let removed = remove(text, "example").expect("it is a line");
    assert_eq!(removed, text.replacen("example: none\r\n", "", 1));
    assert_eq!(
        remove(&removed, "example").as_ref(),
        Ok(&removed),
        "the edit is idempotent"
    );
    let removed = remove(text, "hints").expect("it is a line");
    assert_eq!(removed, text.replacen("hints:\r\n  - a\r\n", "", 1));
    assert_eq!(
        remove("example: none\n", "example").as_deref(),
        Ok("example: none\n")
    );
    let error = remove("---\n{example: none, id: x}\n---\n", "example").expect_err("not lines");
    assert!(
        error.message.starts_with("failed to remove `example`"),
        "{}",
        error.message
    );
}
