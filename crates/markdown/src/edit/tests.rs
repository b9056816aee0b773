//! Each case is a text, an edit, and the edited text.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::test_support::any_markdown;

fn shown(result: Result<String, EditError>) -> String {
    result.unwrap_or_else(|error| {
        let line = error
            .line
            .map(|line| format!("{}: ", line + 1))
            .unwrap_or_default();
        format!("! {line}{}\n    {}\n", error.message, error.hint)
    })
}

fn check_body(text: &str, content: &str, mode: EditMode, expected: &str) {
    let edited = body(text, content, mode).expect(text);
    assert_eq!(edited, expected);
    assert_eq!(
        body(&edited, content, mode).as_ref(),
        Ok(&edited),
        "the edit is idempotent"
    );
}

fn check(text: &str, wanted: &str, content: &str, mode: EditMode, expected: Expect) {
    let edit = |text: &str| section(text, wanted, content, mode).map(|(_, edited)| edited);
    let edited = edit(text);
    if let Ok(edited) = &edited {
        assert_eq!(edit(edited).as_ref(), Ok(edited), "the edit is idempotent");
    }
    expected.assert_eq(&shown(edited));
}

#[test]
fn appended_text_follows_a_blank_line() {
    for (text, expected) in [
        ("One.\n", "One.\n\nTwo.\n"),
        ("One.", "One.\n\nTwo."),
        ("One.\n\n\n", "One.\n\n\nTwo.\n"),
        (
            "---\ntype: fact\n---\n\nOne.\n",
            "---\ntype: fact\n---\n\nOne.\n\nTwo.\n",
        ),
        ("---\ntype: fact\n---\n", "---\ntype: fact\n---\n\nTwo.\n"),
        ("---\ntype: fact\n---", "---\ntype: fact\n---\n\nTwo.\n"),
        ("\u{FEFF}One.\r\n", "\u{FEFF}One.\r\n\r\nTwo.\r\n"),
        ("", "Two.\n"),
        ("\u{FEFF}", "\u{FEFF}Two.\n"),
        ("One.\n\nTwo.\n", "One.\n\nTwo.\n"),
        ("One.\nTwo.", "One.\nTwo."),
        ("Only Two.\n", "Only Two.\n\nTwo.\n"),
    ] {
        check_body(text, "\n\nTwo.\r\n", EditMode::Append, expected);
    }
}

#[test]
fn appended_items_join_a_list() {
    for (text, content, expected) in [
        ("- a\n", "- b\n", "- a\n- b\n"),
        ("1. a\n", "2) b", "1. a\n2) b\n"),
        ("- a\n\n", "- b", "- a\n\n- b\n"),
        ("- a\n", "b", "- a\n\nb\n"),
        ("-a\n", "- b", "-a\n\n- b\n"),
    ] {
        check_body(text, content, EditMode::Append, expected);
    }
}

#[test]
fn a_replaced_body_retains_its_blank_lines() {
    for (text, expected) in [
        ("Old.\n", "New\ntext.\n"),
        ("Old.", "New\ntext."),
        (
            "---\nx: 1\n---\n\n\nOld.\n\nText.\n\n",
            "---\nx: 1\n---\n\n\nNew\ntext.\n\n",
        ),
        (
            "\u{FEFF}---\r\nx: 1\r\n---\r\nOld.\r\n",
            "\u{FEFF}---\r\nx: 1\r\n---\r\nNew\r\ntext.\r\n",
        ),
        ("---\nx: 1\n---\n", "---\nx: 1\n---\n\nNew\ntext.\n"),
        ("", "New\ntext.\n"),
    ] {
        check_body(text, "New\ntext.", EditMode::Replace, expected);
    }
}

#[test]
fn an_edit_does_not_create_frontmatter() {
    for (text, content, mode) in [
        ("Old.\n", "---\nid: x\n---\nNew.", EditMode::Replace),
        ("---\nid: x\n", "more\n\n---\n", EditMode::Append),
        ("---", "x\n---\n", EditMode::Append),
    ] {
        let error = body(text, content, mode).expect_err(text);
        assert!(
            error.message.contains("change the frontmatter"),
            "{error:?}"
        );
    }
    check_body(
        "",
        "---\nid: x\n---\nNew.",
        EditMode::Append,
        "\n---\nid: x\n---\nNew.\n",
    );
}

const TAGGED: &str = "\
---
type: plan # mine
---
# Plan

<!-- ANCHOR:summary -->

Old words.

<!-- /ANCHOR:summary -->
Between.
<!-- ANCHOR:short -->old<!-- /ANCHOR:short -->
> <!-- anchor : invalid -->
> <!-- ANCHOR:quote -->
> said
> <!-- /ANCHOR:quote -->
";

#[test]
fn a_tagged_section_is_edited_between_its_tags() {
    check(
        TAGGED,
        "SUMMARY",
        "New\nwords.\n",
        EditMode::Replace,
        expect![[r#"
            ---
            type: plan # mine
            ---
            # Plan

            <!-- ANCHOR:summary -->

            New
            words.

            <!-- /ANCHOR:summary -->
            Between.
            <!-- ANCHOR:short -->old<!-- /ANCHOR:short -->
            > <!-- anchor : invalid -->
            > <!-- ANCHOR:quote -->
            > said
            > <!-- /ANCHOR:quote -->
        "#]],
    );
    // The texts before and after the section are checked by the properties below.
    let edited = |wanted, content, mode| {
        let edited = section(TAGGED, wanted, content, mode).map(|(_, edited)| edited);
        let edited = edited.expect("an edit");
        let (start, end) = (
            format!("<!-- ANCHOR:{wanted} -->"),
            format!("/ANCHOR:{wanted} -->\n"),
        );
        let (start, end) = (
            edited.find(&start),
            edited.find(&end).map(|at| at + end.len()),
        );
        edited[start.expect("a start")..end.expect("an end")].to_owned()
    };
    let all = [
        edited("short", "new", EditMode::Replace),
        edited("short", "- a\n- b", EditMode::Replace),
        edited("short", "new", EditMode::Append),
        edited("quote", "a\n\nb", EditMode::Append),
    ];
    expect![[r#"
        <!-- ANCHOR:short -->new<!-- /ANCHOR:short -->
        <!-- ANCHOR:short -->
        - a
        - b
        <!-- /ANCHOR:short -->
        <!-- ANCHOR:short -->old

        new
        <!-- /ANCHOR:short -->
        <!-- ANCHOR:quote -->
        > said
        >
        > a
        >
        > b
        > <!-- /ANCHOR:quote -->
    "#]]
    .assert_eq(&all.concat());
}

#[test]
fn text_is_added_to_an_empty_section() {
    for (text, expected) in [
        (
            "<!-- ANCHOR:a --><!-- /ANCHOR:a -->\n",
            "<!-- ANCHOR:a -->x<!-- /ANCHOR:a -->\n",
        ),
        (
            "<!-- ANCHOR:a -->\n<!-- /ANCHOR:a -->\n",
            "<!-- ANCHOR:a -->\nx\n<!-- /ANCHOR:a -->\n",
        ),
        (
            "- i\n  <!-- ANCHOR:a -->\n  <!-- /ANCHOR:a -->\n",
            "- i\n  <!-- ANCHOR:a -->\n  x\n  <!-- /ANCHOR:a -->\n",
        ),
        ("# A\n", "# A\n\nx\n"),
        ("# A", "# A\n\nx"),
        ("# A\n# B\n", "# A\n\nx\n\n# B\n"),
        ("A\n===\n\n\n# B\n", "A\n===\n\nx\n\n# B\n"),
    ] {
        for mode in [EditMode::Append, EditMode::Replace] {
            let (id, edited) = section(text, "a", "x", mode).expect(text);
            assert_eq!((id.as_str(), edited.as_str()), ("a", expected));
            assert_eq!(section(&edited, "a", "x", mode), Ok((id, edited)));
        }
    }
}

#[test]
fn a_heading_line_is_unchanged() {
    let text = "# Plan\n\nText.\n\n## Next\n\n- one\n\n### Deep\n\ndeep\n\n## Last\nend";
    check(
        text,
        "next",
        "- two",
        EditMode::Replace,
        expect![[r#"
            # Plan

            Text.

            ## Next

            - two

            ## Last
            end"#]],
    );
    check(
        text,
        "next",
        "## Next\n- two\n\n### Deeper\nx",
        EditMode::Replace,
        expect![[r#"
            # Plan

            Text.

            ## Next

            - two

            ### Deeper
            x

            ## Last
            end"#]],
    );
    check(
        text,
        "last",
        "more",
        EditMode::Append,
        expect![[r#"
            # Plan

            Text.

            ## Next

            - one

            ### Deep

            deep

            ## Last
            end

            more"#]],
    );
}

#[test]
fn a_heading_may_have_any_line_ending() {
    for (text, expected) in [
        ("# A\r# B\rx\r", "# A\r\n\nnew\n\n# B\rx\r"),
        ("# A\r\rold\r# B\rx\r", "# A\r\r\nnew\n# B\rx\r"),
        ("# A\r\nold\r\n", "# A\r\nnew\r\n"),
    ] {
        let edited = section(text, "a", "new", EditMode::Replace).map(|(_, edited)| edited);
        assert_eq!(edited.as_deref(), Ok(expected));
    }
}

#[test]
fn tags_around_a_heading_section_are_unchanged() {
    check(
        "<!-- ANCHOR:x -->\n## A\ntext\n<!-- /ANCHOR:x -->\n\n<!-- ANCHOR:y -->\n## B\n<!-- ANCHOR:z -->in<!-- /ANCHOR:z -->\n<!-- /ANCHOR:y -->\n",
        "a",
        "more",
        EditMode::Append,
        expect![[r#"
            <!-- ANCHOR:x -->
            ## A
            text

            more
            <!-- /ANCHOR:x -->

            <!-- ANCHOR:y -->
            ## B
            <!-- ANCHOR:z -->in<!-- /ANCHOR:z -->
            <!-- /ANCHOR:y -->
        "#]],
    );
    check(
        "<!-- ANCHOR:y -->\n## B\n<!-- ANCHOR:z -->in<!-- /ANCHOR:z -->\n<!-- /ANCHOR:y -->\n",
        "b",
        "more",
        EditMode::Append,
        expect![[r#"
            <!-- ANCHOR:y -->
            ## B
            <!-- ANCHOR:z -->in<!-- /ANCHOR:z -->

            more
            <!-- /ANCHOR:y -->
        "#]],
    );
}

#[test]
fn an_edit_that_would_damage_the_text_is_refused() {
    let text = "# Top\n<!-- ANCHOR:open -->\n\n<!-- ANCHOR:a -->\none\n<!-- ANCHOR:b -->\ntwo\n<!-- /ANCHOR:b -->\n<!-- /ANCHOR:a -->\n\n## Notes\nx\n\n## Done\nx\n";
    let torn = "## A\nx\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n";
    let refused =
        |wanted, content, mode| shown(section(text, wanted, content, mode).map(|it| it.1));
    let all = [
        refused("note", "x", EditMode::Append),
        refused("zebra", "x", EditMode::Append),
        refused("open", "x", EditMode::Append),
        refused("a", "x", EditMode::Replace),
        refused("top", "x", EditMode::Replace),
        refused(
            "b",
            "<!-- ANCHOR:c -->x<!-- /ANCHOR:c -->",
            EditMode::Replace,
        ),
        refused("b", "<!-- /ANCHOR:b -->", EditMode::Append),
        refused("b", "```\nopen", EditMode::Replace),
        refused("notes", "```\nopen", EditMode::Append),
        refused("notes", "## Other\nx", EditMode::Replace),
        refused("notes", "### Done\nx", EditMode::Replace),
        shown(section(torn, "a", "x", EditMode::Append).map(|it| it.1)),
        refused("notes", "## Notes\n", EditMode::Replace),
    ];
    expect![[r#"
        ! section `note` not found
            did you mean `notes`?
        ! section `zebra` not found
            its sections are top, a, b, notes, done
        ! 2: section `open`, opened on line 2, is never closed
            add `<!-- /ANCHOR:open -->` where it ends
        ! 6: section `a` contains tags of other sections
            replace the sections inside it instead: b
        ! 2: section `top` contains tags of other sections
            replace the sections inside it instead: a, b
        ! the content contains section tags
            omit them: the tags of the section stay in place
        ! the content contains section tags
            omit them: the tags of the section stay in place
        ! the content would hide the end of section `b`
            close the code blocks and comments that it opens
        ! the content would end section `notes`, or start another
            use headings below the section's own, and close the code blocks that it opens
        ! the content would end section `notes`, or start another
            use headings below the section's own, and close the code blocks that it opens
        ! the content would change the id of section `done`
            give its headings other titles, and close the code blocks that it opens
        ! 3: the memory contains a merge conflict
            resolve it in an editor first
        ! section `notes` would be empty
            add text below its heading
    "#]]
    .assert_eq(&all.concat());
    assert_eq!(
        section("", "x", "y", EditMode::Append).map(|it| it.1),
        Err(EditError::new(
            "section `x` not found",
            "it has no sections; add a heading to start one"
        ))
    );
}

#[test]
fn tags_in_code_are_text() {
    check(
        "## A\nold\n",
        "a",
        "```md\n<!-- ANCHOR:x -->\n```",
        EditMode::Replace,
        expect![[r#"
            ## A
            ```md
            <!-- ANCHOR:x -->
            ```
        "#]],
    );
}

fn content() -> impl Strategy<Value = String> {
    let pieces =
        "text|\n|\n\n|- |> |    |```|## b|### c\n|é|---\n|a|<!-- x -->|<!--|===\n".split('|');
    let piece = proptest::sample::select(pieces.collect::<Vec<_>>());
    let pieces = proptest::collection::vec(piece, 1..8).prop_map(|pieces| pieces.concat());
    pieces.prop_filter("content has text", |text| !text.trim().is_empty())
}

fn modes() -> impl Strategy<Value = EditMode> {
    proptest::sample::select(vec![EditMode::Append, EditMode::Replace])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn editing_a_body_is_idempotent_and_changes_nothing_before_it(text in any_markdown(), content in content(), mode in modes(), is_crlf in any::<bool>()) {
        let text = if is_crlf { text.replace('\n', "\r\n") } else { text };
        let Ok(edited) = body(&text, &content, mode) else { return Ok(()) };
        prop_assert!(edited.starts_with(&text[..frontmatter::body_start(&text)]));
        if mode == EditMode::Append {
            prop_assert!(edited.starts_with(&text));
        }
        if is_crlf && text.contains('\n') {
            prop_assert!(!edited.replace("\r\n", "").contains('\n'));
        }
        prop_assert_eq!(body(&edited, &content, mode), Ok(edited.clone()));
    }

    #[test]
    fn editing_a_section_is_idempotent_and_changes_nothing_around_it(
        text in any_markdown(),
        content in content(),
        mode in modes(),
        is_crlf in any::<bool>(),
        wanted in proptest::sample::select(vec!["a", "b"]),
    ) {
        let text = if is_crlf { text.replace('\n', "\r\n") } else { text };
        let Ok((id, edited)) = section(&text, wanted, &content, mode) else { return Ok(()) };
        let old = sections::parse(&text);
        let old = old.list.iter().find(|it| it.id == id).expect("it was edited");
        prop_assert!(edited.starts_with(&text[..old.inner.start]));
        prop_assert!(edited.ends_with(&text[old.inner.end..]));
        let now = sections::parse(&edited);
        let now = now.list.iter().find(|it| it.id == id).expect("it is still there");
        prop_assert_eq!(now.outer.start, old.outer.start);
        prop_assert_eq!(edited.len() - now.outer.end, text.len() - old.outer.end);
        if is_crlf && text.contains('\n') {
            prop_assert!(!edited.replace("\r\n", "").contains('\n'));
        }
        prop_assert_eq!(section(&edited, wanted, &content, mode), Ok((id, edited.clone())));
    }
}
