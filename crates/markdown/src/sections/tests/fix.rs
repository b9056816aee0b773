//! Closing unclosed sections, and skipping ambiguous ones.

use super::super::fix::{Fixed, fix};
use super::*;

/// Prints the fixed text, then the reasons for skipped sections.
fn check_fix(text: &str, expected: Expect) {
    let fixed = fix(text);
    check_invariants(text, &fixed);
    let mut shown = fixed.text.clone();
    if !shown.ends_with('\n') {
        shown += "⏎\n";
    }
    let lines = LineIndex::new(&fixed.text);
    for skipped in &fixed.skipped {
        shown += &format!("! {}: {}\n", lines.line(skipped.start) + 1, skipped.reason);
    }
    expected.assert_eq(&shown.replace('\r', "␍"));
}

fn check_skipped(text: &str, expected: &[&str]) {
    let fixed = fix(text);
    check_invariants(text, &fixed);
    assert_eq!(fixed.text, text);
    let reasons: Vec<&str> = fixed.skipped.iter().map(|it| it.reason.as_str()).collect();
    assert_eq!(reasons, expected, "{text}");
}

/// Checks the properties of a fix of any text.
pub(super) fn check_invariants(text: &str, fixed: &Fixed) {
    assert_eq!(fix(&fixed.text), Fixed { closed: Vec::new(), ..fixed.clone() }, "{text:?} twice");
    // Only tags are added, each with at most one newline.
    let (mut rest, mut at) = (String::new(), 0);
    for closed in &fixed.closed {
        rest += &fixed.text[at..closed.closing.start];
        at = closed.closing.end;
    }
    rest += &fixed.text[at..];
    assert!(rest.len() <= text.len() + 2 * fixed.closed.len());
    let mut bytes = rest.bytes();
    assert!(text.bytes().all(|byte| bytes.any(|it| it == byte)), "{text:?} lost bytes");

    let (before, after) = (parse(text), parse(&fixed.text));
    assert_eq!(before.unclosed.len(), fixed.closed.len() + fixed.skipped.len());
    assert_eq!(after.unclosed.len(), fixed.skipped.len());
    let words = |text: &str, section: &Section, sections: &Sections| -> String {
        content(text, section, sections, false).split_ascii_whitespace().collect()
    };
    for section in before.list.iter().filter(|it| it.origin == Origin::Tag) {
        let same = after.list.iter().find(|it| it.id == section.id);
        let same = same.map(|it| words(&fixed.text, it, &after));
        assert_eq!(same, Some(words(text, section, &before)), "{text:?}: `{}`", section.id);
    }
    for closed in &fixed.closed {
        let is_it = |it: &&Section| it.outer.start == closed.start;
        let section = after.list.iter().find(is_it).expect("a closed tag is a section");
        assert_eq!((&section.id, section.inner.end), (&closed.id, closed.closing.start));
    }
}

#[test]
fn a_text_without_unclosed_sections_is_unchanged() {
    for text in [
        "",
        "text",
        "# A\n",
        "<!-- ANCHOR:a -->\r\nx\r\n<!-- /ANCHOR:a -->",
        "```\n<!-- ANCHOR:a -->\n",
    ] {
        let unchanged = Fixed { text: text.to_owned(), ..Fixed::default() };
        assert_eq!(fix(text), unchanged);
    }
}

#[test]
fn a_section_is_closed_at_the_end() {
    check_fix(
        "<!-- ANCHOR:a -->\ntext\n\n",
        expect![[r#"
        <!-- ANCHOR:a -->
        text
        <!-- /ANCHOR:a -->

    "#]],
    );
    check_fix(
        "<!-- ANCHOR:a -->\ntext",
        expect![[r#"
        <!-- ANCHOR:a -->
        text
        <!-- /ANCHOR:a -->⏎
    "#]],
    );
    check_fix(
        "<!-- anchor: a -->text",
        expect![[r#"
            <!-- anchor: a -->text<!-- /ANCHOR:a -->⏎
        "#]],
    );
    check_fix(
        "\u{FEFF}---\r\ntype: plan\r\n---\r\n<!-- ANCHOR:a -->\r\n\ttext\r\n\r\n",
        expect![[r#"
        ﻿---␍
        type: plan␍
        ---␍
        <!-- ANCHOR:a -->␍
        	text␍
        <!-- /ANCHOR:a -->␍
        ␍
    "#]],
    );
    check_fix(
        "<!-- ANCHOR:a -->\r\ntext",
        expect![[r#"
        <!-- ANCHOR:a -->␍
        text␍
        <!-- /ANCHOR:a -->⏎
    "#]],
    );
}

#[test]
fn a_section_is_closed_before_the_next_heading_of_its_level() {
    check_fix(
        "# Plan\n\n<!-- ANCHOR:a -->\n## A\n\none\n\n### Deeper\n\ntwo\n\n## B\n\nthree\n",
        expect![[r#"
            # Plan

            <!-- ANCHOR:a -->
            ## A

            one

            ### Deeper

            two
            <!-- /ANCHOR:a -->

            ## B

            three
        "#]],
    );
    check_fix(
        "# Plan\n<!-- ANCHOR:a -->\nunder Plan\n## Deeper\n# Next\n",
        expect![[r#"
        # Plan
        <!-- ANCHOR:a -->
        under Plan
        ## Deeper
        <!-- /ANCHOR:a -->
        # Next
    "#]],
    );
    check_fix(
        "<!-- ANCHOR:a -->\nabove all\n\n### Any\ntext\n",
        expect![[r#"
        <!-- ANCHOR:a -->
        above all
        <!-- /ANCHOR:a -->

        ### Any
        text
    "#]],
    );
    check_fix(
        "## A <!-- ANCHOR:a -->\ntext\n\nTitle\n-----\ntext\n",
        expect![[r#"
        ## A <!-- ANCHOR:a -->
        text
        <!-- /ANCHOR:a -->

        Title
        -----
        text
    "#]],
    );
    check_fix(
        "## A\ntext <!-- ANCHOR:a --> more\n## B\n",
        expect![[r#"
            ## A
            text <!-- ANCHOR:a --> more<!-- /ANCHOR:a -->
            ## B
        "#]],
    );
}

#[test]
fn a_section_is_closed_before_the_next_tag() {
    check_fix(
        "<!-- ANCHOR:a -->\none\n\n<!-- ANCHOR:b -->\ntwo\n<!-- ANCHOR:c -->\nthree\n<!-- /ANCHOR:c -->\n",
        expect![[r#"
            <!-- ANCHOR:a -->
            one
            <!-- /ANCHOR:a -->

            <!-- ANCHOR:b -->
            two
            <!-- /ANCHOR:b -->
            <!-- ANCHOR:c -->
            three
            <!-- /ANCHOR:c -->
        "#]],
    );
    check_fix(
        "<!-- ANCHOR:out -->\nx\n<!-- ANCHOR:in -->\ntwo\n\n<!-- /ANCHOR:out -->\nafter\n",
        expect![[r#"
            <!-- ANCHOR:out -->
            x
            <!-- ANCHOR:in -->
            two
            <!-- /ANCHOR:in -->

            <!-- /ANCHOR:out -->
            after
        "#]],
    );
    check_fix(
        "<!-- ANCHOR:a -->one <!-- ANCHOR:b -->two\nlines<!-- ANCHOR:c -->three<!-- /ANCHOR:c -->\n",
        expect![[r#"
            <!-- ANCHOR:a -->one<!-- /ANCHOR:a --> <!-- ANCHOR:b -->two
            lines<!-- /ANCHOR:b --><!-- ANCHOR:c -->three<!-- /ANCHOR:c -->
        "#]],
    );
}

#[test]
fn code_does_not_end_a_section_and_is_not_changed() {
    check_fix(
        "<!-- ANCHOR:a -->\n```\n# no heading\n<!-- ANCHOR:b -->\n<!-- /ANCHOR:a -->\n```\nafter\n",
        expect![[r#"
            <!-- ANCHOR:a -->
            ```
            # no heading
            <!-- ANCHOR:b -->
            <!-- /ANCHOR:a -->
            ```
            after
            <!-- /ANCHOR:a -->
        "#]],
    );
    check_fix(
        "<!-- ANCHOR:a -->\n    <!-- /ANCHOR:a -->\n\n    indented\n# B\n",
        expect![[r#"
        <!-- ANCHOR:a -->
            <!-- /ANCHOR:a -->

            indented
        <!-- /ANCHOR:a -->
        # B
    "#]],
    );
    check_fix(
        "<!-- ANCHOR:a -->see `<!-- ANCHOR:a -->`\n",
        expect![[r#"
            <!-- ANCHOR:a -->see `<!-- ANCHOR:a -->`<!-- /ANCHOR:a -->
        "#]],
    );
    check_skipped(
        "<!-- ANCHOR:a -->\ntext\n```\ncode\n",
        &["the code block or comment at its end is not closed"],
    );
    check_fix(
        "<!-- ANCHOR:a -->\none\n<!-- ANCHOR:b -->\n```\ncode\n",
        expect![[r#"
            <!-- ANCHOR:a -->
            one
            <!-- /ANCHOR:a -->
            <!-- ANCHOR:b -->
            ```
            code
            ! 4: the code block or comment at its end is not closed
        "#]],
    );
}

#[test]
fn ambiguous_sections_are_skipped() {
    check_skipped(
        "<!-- ANCHOR:a -->\nx\n<!-- ANCHOR:a -->\n",
        &["several tags name `a`", "several tags name `a`"],
    );
    check_skipped(
        "<!-- ANCHOR:a -->\nx\n<!-- ANCHOR:A -->\ny\n<!-- /ANCHOR:A -->\n",
        &["several tags name `a`"],
    );
    check_skipped(
        "<!-- ANCHOR:a -->\nx\n<!-- /ANCHOR:aa -->\n",
        &["the tag on line 3 may be intended to close it"],
    );
    check_skipped(
        "<!-- ANCHOR:a -->\nx\n<!-- ANCHOR_END:a -->\n",
        &["the tag on line 3 may be intended to close it"],
    );
    check_skipped(
        "<!-- ANCHOR:a -->\nx\n# B\ny\n<!-- /ANCHOR a -->\n",
        &["the tag on line 5 may be intended to close it"],
    );
    check_skipped("x\n<!-- ANCHOR:b -->\n\n", &["it has no text of its own"]);
    check_skipped(
        "<!-- ANCHOR:a -->\n<!-- ANCHOR:b -->\nx\n<!-- /ANCHOR:b -->\n",
        &["it has no text of its own"],
    );
    check_skipped(
        "<!-- ANCHOR:a -->\n## B <!-- ANCHOR:b -->\nx\n<!-- /ANCHOR:b -->\n",
        &["it has no text of its own"],
    );
    check_skipped("> <!-- ANCHOR:a -->\n> x\n", &["it is in a quote, a list or a table"]);
    check_skipped("- <!-- ANCHOR:a -->\n  x\n", &["it is in a quote, a list or a table"]);
    check_skipped(
        "<!-- ANCHOR:a -->\n- x\n- <!-- ANCHOR:b --> y <!-- /ANCHOR:b -->\n",
        &["its end on line 3 is in a quote, a list or a table"],
    );
    check_skipped(
        "<!-- ANCHOR:a -->\n<!-- ANCHOR:b -->\n2\n<!-- /ANCHOR:a -->\n<!-- /ANCHOR:b -->\n",
        &[],
    );
    check_skipped("x\n<!-- /ANCHOR:a -->\n", &[]);
}

#[test]
fn a_closed_section_may_hide_the_heading_with_its_id() {
    check_fix(
        "<!-- ANCHOR:summary -->\n## Summary\ntext\n## Next\n",
        expect![[r#"
        <!-- ANCHOR:summary -->
        ## Summary
        text
        <!-- /ANCHOR:summary -->
        ## Next
    "#]],
    );
}

#[test]
fn a_comment_before_a_lone_carriage_return_is_not_in_a_heading() {
    check_fix(
        "<!--ANCHOR:b-->`\r-",
        expect![[r#"
        <!--ANCHOR:b-->`␍-<!-- /ANCHOR:b -->⏎
    "#]],
    );
    check_fix(
        "<!--ANCHOR:b-->`\r-\r\ntext",
        expect![[r#"
        <!--ANCHOR:b-->`␍-␍
        text␍
        <!-- /ANCHOR:b -->⏎
    "#]],
    );
}

#[test]
fn many_sections_are_closed_in_one_pass() {
    let n = 10_000;
    let text: String =
        (0..n).map(|n| format!("<!-- ANCHOR:s{n} -->\n# Title {n}\n## Deeper\ntext\n")).collect();
    assert_eq!(fix(&text).closed.len(), n);
    let text: String = (0..n).map(|n| format!("<!-- ANCHOR:s{n} -->\n")).collect();
    assert_eq!(fix(&text).skipped.len(), n);
    let headings = "### Deep\n".repeat(n);
    let text: String = (0..n).map(|n| format!("<!-- ANCHOR:s{n} --> x\n")).collect();
    assert_eq!(fix(&format!("# A\n{text}{headings}")).closed.len(), n);
}
