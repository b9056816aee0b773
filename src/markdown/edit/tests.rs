//! Each case is a text, what is done to it, and the text after.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn told(result: Result<String, Refusal>) -> String {
    result.unwrap_or_else(|it| {
        let line = it.line.map(|line| format!("{}: ", line + 1)).unwrap_or_default();
        format!("! {line}{}\n    {}\n", it.message, it.hint)
    })
}

fn check_body(text: &str, content: &str, way: Way, expected: &str) {
    let edited = body(text, content, way).expect(text);
    assert_eq!(edited, expected);
    assert_eq!(body(&edited, content, way).as_ref(), Ok(&edited), "twice is once");
}

fn check(text: &str, wanted: &str, content: &str, way: Way, expected: Expect) {
    let edit = |text: &str| section(text, wanted, content, way).map(|(_, edited)| edited);
    let edited = edit(text);
    if let Ok(edited) = &edited {
        assert_eq!(edit(edited).as_ref(), Ok(edited), "twice is once");
    }
    expected.assert_eq(&told(edited));
}

#[test]
fn what_is_appended_follows_a_blank_line() {
    for (text, expected) in [
        ("One.\n", "One.\n\nTwo.\n"),
        ("One.", "One.\n\nTwo."),
        ("One.\n\n\n", "One.\n\n\nTwo.\n"),
        ("---\ntype: fact\n---\n\nOne.\n", "---\ntype: fact\n---\n\nOne.\n\nTwo.\n"),
        ("---\ntype: fact\n---\n", "---\ntype: fact\n---\n\nTwo.\n"),
        ("---\ntype: fact\n---", "---\ntype: fact\n---\n\nTwo.\n"),
        ("\u{FEFF}One.\r\n", "\u{FEFF}One.\r\n\r\nTwo.\r\n"),
        ("", "Two.\n"),
        ("\u{FEFF}", "\u{FEFF}Two.\n"),
        ("One.\n\nTwo.\n", "One.\n\nTwo.\n"),
        ("One.\nTwo.", "One.\nTwo."),
        ("Only Two.\n", "Only Two.\n\nTwo.\n"),
    ] {
        check_body(text, "\n\nTwo.\r\n", Way::Append, expected);
    }
}

#[test]
fn items_join_a_list() {
    for (text, content, expected) in [
        ("- a\n", "- b\n", "- a\n- b\n"),
        ("1. a\n", "2) b", "1. a\n2) b\n"),
        ("- a\n\n", "- b", "- a\n\n- b\n"),
        ("- a\n", "b", "- a\n\nb\n"),
        ("-a\n", "- b", "-a\n\n- b\n"),
    ] {
        check_body(text, content, Way::Append, expected);
    }
}

#[test]
fn a_body_is_replaced_between_its_blank_lines() {
    for (text, expected) in [
        ("Old.\n", "New\ntext.\n"),
        ("Old.", "New\ntext."),
        ("---\nx: 1\n---\n\n\nOld.\n\nText.\n\n", "---\nx: 1\n---\n\n\nNew\ntext.\n\n"),
        (
            "\u{FEFF}---\r\nx: 1\r\n---\r\nOld.\r\n",
            "\u{FEFF}---\r\nx: 1\r\n---\r\nNew\r\ntext.\r\n",
        ),
        ("---\nx: 1\n---\n", "---\nx: 1\n---\n\nNew\ntext.\n"),
        ("", "New\ntext.\n"),
    ] {
        check_body(text, "New\ntext.", Way::Replace, expected);
    }
}

#[test]
fn nothing_becomes_frontmatter() {
    for (text, content, way) in [
        ("Old.\n", "---\nid: x\n---\nNew.", Way::Replace),
        ("---\nid: x\n", "more\n\n---\n", Way::Append),
        ("---", "x\n---\n", Way::Append),
    ] {
        let refusal = body(text, content, way).expect_err(text);
        assert!(refusal.message.contains("other frontmatter"), "{refusal:?}");
    }
    check_body("", "---\nid: x\n---\nNew.", Way::Append, "\n---\nid: x\n---\nNew.\n");
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
> <!-- anchor : spoilt -->
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
        Way::Replace,
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
            > <!-- anchor : spoilt -->
            > <!-- ANCHOR:quote -->
            > said
            > <!-- /ANCHOR:quote -->
        "#]],
    );
    let edited = |wanted, content, way| told(section(TAGGED, wanted, content, way).map(|it| it.1));
    let tail =
        |text: String| text.split_once("Between.\n").map(|it| it.1.to_owned()).expect("it stays");
    expect![[r#"
        <!-- ANCHOR:short -->new<!-- /ANCHOR:short -->
        > <!-- anchor : spoilt -->
        > <!-- ANCHOR:quote -->
        > said
        > <!-- /ANCHOR:quote -->
    "#]]
    .assert_eq(&tail(edited("short", "new", Way::Replace)));
    expect![[r#"
        <!-- ANCHOR:short -->
        - a
        - b
        <!-- /ANCHOR:short -->
        > <!-- anchor : spoilt -->
        > <!-- ANCHOR:quote -->
        > said
        > <!-- /ANCHOR:quote -->
    "#]]
    .assert_eq(&tail(edited("short", "- a\n- b", Way::Replace)));
    expect![[r#"
        <!-- ANCHOR:short -->old

        new
        <!-- /ANCHOR:short -->
        > <!-- anchor : spoilt -->
        > <!-- ANCHOR:quote -->
        > said
        > <!-- /ANCHOR:quote -->
    "#]]
    .assert_eq(&tail(edited("short", "new", Way::Append)));
    expect![[r#"
        <!-- ANCHOR:short -->old<!-- /ANCHOR:short -->
        > <!-- anchor : spoilt -->
        > <!-- ANCHOR:quote -->
        > said
        >
        > a
        >
        > b
        > <!-- /ANCHOR:quote -->
    "#]]
    .assert_eq(&tail(edited("quote", "a\n\nb", Way::Append)));
}

#[test]
fn an_empty_section_is_filled() {
    for (text, expected) in [
        ("<!-- ANCHOR:a --><!-- /ANCHOR:a -->\n", "<!-- ANCHOR:a -->x<!-- /ANCHOR:a -->\n"),
        ("<!-- ANCHOR:a -->\n<!-- /ANCHOR:a -->\n", "<!-- ANCHOR:a -->\nx\n<!-- /ANCHOR:a -->\n"),
        (
            "- i\n  <!-- ANCHOR:a -->\n  <!-- /ANCHOR:a -->\n",
            "- i\n  <!-- ANCHOR:a -->\n  x\n  <!-- /ANCHOR:a -->\n",
        ),
        ("# A\n", "# A\n\nx\n"),
        ("# A", "# A\n\nx"),
        ("# A\n# B\n", "# A\n\nx\n\n# B\n"),
        ("A\n===\n\n\n# B\n", "A\n===\n\nx\n\n# B\n"),
    ] {
        for way in [Way::Append, Way::Replace] {
            let (id, edited) = section(text, "a", "x", way).expect(text);
            assert_eq!((id.as_str(), edited.as_str()), ("a", expected));
            assert_eq!(section(&edited, "a", "x", way), Ok((id, edited)));
        }
    }
}

#[test]
fn a_heading_keeps_its_line() {
    let text = "# Plan\n\nText.\n\n## Next\n\n- one\n\n### Deep\n\ndeep\n\n## Last\nend";
    check(
        text,
        "next",
        "- two",
        Way::Replace,
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
        Way::Replace,
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
        Way::Append,
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
fn a_heading_ends_with_any_line_end() {
    for (text, expected) in [
        ("# A\r# B\rx\r", "# A\r\n\nnew\n\n# B\rx\r"),
        ("# A\r\rold\r# B\rx\r", "# A\r\r\nnew\n# B\rx\r"),
        ("# A\r\nold\r\n", "# A\r\nnew\r\n"),
    ] {
        let edited = section(text, "a", "new", Way::Replace).map(|(_, edited)| edited);
        assert_eq!(edited.as_deref(), Ok(expected));
    }
}

#[test]
fn tags_around_a_heading_stay_around_it() {
    check(
        "<!-- ANCHOR:x -->\n## A\ntext\n<!-- /ANCHOR:x -->\n\n<!-- ANCHOR:y -->\n## B\n<!-- ANCHOR:z -->in<!-- /ANCHOR:z -->\n<!-- /ANCHOR:y -->\n",
        "a",
        "more",
        Way::Append,
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
        Way::Append,
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
fn an_edit_that_would_harm_is_refused() {
    let text = "# Top\n<!-- ANCHOR:open -->\n\n<!-- ANCHOR:a -->\none\n<!-- ANCHOR:b -->\ntwo\n<!-- /ANCHOR:b -->\n<!-- /ANCHOR:a -->\n\n## Notes\nx\n\n## Done\nx\n";
    let torn = "## A\nx\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n";
    let refused = |wanted, content, way| told(section(text, wanted, content, way).map(|it| it.1));
    let all = [
        refused("note", "x", Way::Append),
        refused("zebra", "x", Way::Append),
        refused("open", "x", Way::Append),
        refused("a", "x", Way::Replace),
        refused("top", "x", Way::Replace),
        refused("b", "<!-- ANCHOR:c -->x<!-- /ANCHOR:c -->", Way::Replace),
        refused("b", "<!-- /ANCHOR:b -->", Way::Append),
        refused("b", "```\nopen", Way::Replace),
        refused("notes", "```\nopen", Way::Append),
        refused("notes", "## Other\nx", Way::Replace),
        refused("notes", "### Done\nx", Way::Replace),
        told(section(torn, "a", "x", Way::Append).map(|it| it.1)),
        refused("notes", "## Notes\n", Way::Replace),
    ];
    expect![[r#"
        ! there is no section `note`
            did you mean `notes`?
        ! there is no section `zebra`
            it has top, a, b, notes, done
        ! 2: section `open`, opened on line 2, is never closed
            add `<!-- /ANCHOR:open -->` where it ends
        ! 6: section `a` holds tags of other sections
            replace what is in it instead: b
        ! 2: section `top` holds tags of other sections
            replace what is in it instead: a, b
        ! the content has section tags of its own
            leave the tags out: those of the section stay where they are
        ! the content has section tags of its own
            leave the tags out: those of the section stay where they are
        ! the content would swallow the end of section `b`
            close the code blocks and comments that it opens
        ! the content would end section `notes`, or begin another
            use headings below the section's own, and close the code blocks that it opens
        ! the content would end section `notes`, or begin another
            use headings below the section's own, and close the code blocks that it opens
        ! the content would take its name from section `done`
            give its headings other titles, and close the code blocks that it opens
        ! 3: the memory holds a merge conflict
            settle it in an editor first
        ! there would be nothing in section `notes`
            give it a text below its heading
    "#]]
    .assert_eq(&all.concat());
    assert_eq!(
        section("", "x", "y", Way::Append).map(|it| it.1),
        Err(Refusal::new("there is no section `x`", "it has none; a heading begins one"))
    );
}

#[test]
fn tags_in_code_are_text() {
    check(
        "## A\nold\n",
        "a",
        "```md\n<!-- ANCHOR:x -->\n```",
        Way::Replace,
        expect![[r#"
            ## A
            ```md
            <!-- ANCHOR:x -->
            ```
        "#]],
    );
}

fn markdown() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "<!-- ANCHOR:a -->",
        "<!-- /ANCHOR:a -->",
        "<!-- ANCHOR:b -->",
        "<!-- /ANCHOR:b -->",
        "\n",
        "\n",
        "\n\n",
        "```",
        "~~~",
        "`",
        "    ",
        "  ",
        "> ",
        "- ",
        "1. ",
        "# A\n",
        "\n## b\n",
        "---\n",
        "\n===\n",
        "<!--",
        "-->",
        "text",
        "words\n",
        "é",
        "\u{FEFF}",
        "日本",
        "\n<!-- ANCHOR:a -->\n",
        "\n<!-- /ANCHOR:a -->\n",
        "id: x\n",
    ]);
    proptest::collection::vec(piece, 0..25).prop_map(|pieces| pieces.concat())
}

fn content() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "text",
        "\n",
        "\n\n",
        "- ",
        "> ",
        "    ",
        "```",
        "## b",
        "### c\n",
        "é",
        "---\n",
        "a",
        "<!-- x -->",
        "<!--",
        "===\n",
    ]);
    let pieces = proptest::collection::vec(piece, 1..8).prop_map(|pieces| pieces.concat());
    pieces.prop_filter("content has text", |text| !text.trim().is_empty())
}

fn ways() -> impl Strategy<Value = Way> {
    proptest::sample::select(vec![Way::Append, Way::Replace])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_body_is_edited_once_and_nothing_before_it(text in markdown(), content in content(), way in ways(), is_crlf in any::<bool>()) {
        let text = if is_crlf { text.replace('\n', "\r\n") } else { text };
        let Ok(edited) = body(&text, &content, way) else { return Ok(()) };
        prop_assert!(edited.starts_with(&text[..frontmatter::body_start(&text)]));
        if way == Way::Append {
            prop_assert!(edited.starts_with(&text));
        }
        if is_crlf && text.contains('\n') {
            prop_assert!(!edited.replace("\r\n", "").contains('\n'));
        }
        prop_assert_eq!(body(&edited, &content, way), Ok(edited.clone()));
    }

    #[test]
    fn a_section_is_edited_once_and_nothing_beside_it(
        text in markdown(),
        content in content(),
        way in ways(),
        is_crlf in any::<bool>(),
        wanted in proptest::sample::select(vec!["a", "b"]),
    ) {
        let text = if is_crlf { text.replace('\n', "\r\n") } else { text };
        let Ok((id, edited)) = section(&text, wanted, &content, way) else { return Ok(()) };
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
        prop_assert_eq!(section(&edited, wanted, &content, way), Ok((id, edited.clone())));
    }
}
