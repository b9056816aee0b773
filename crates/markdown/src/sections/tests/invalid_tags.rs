//! Invalid tags do not affect other sections.

use super::*;

#[test]
fn an_unclosed_tag_does_not_affect_other_sections() {
    check(
        "<!-- ANCHOR:a -->\n1\n\n  <!-- ANCHOR:good -->\n2\n<!-- /ANCHOR:good -->\n",
        expect![[r#"
            good 4-6 "2"
            ! 1:1 unclosed: section `a`, opened on line 1, is never closed
                add `<!-- /ANCHOR:a -->` where it ends"#]],
    );
    check(
        "<!-- ANCHOR:out -->\n<!-- ANCHOR:in -->\ntext\n<!-- /ANCHOR:out -->\n",
        expect![[r#"
            out 1-4 "text"
            ! 2:1 unclosed: section `in`, opened on line 2, is never closed
                add `<!-- /ANCHOR:in -->` where it ends, before `out` closes on line 4"#]],
    );
    check(
        "<!-- ANCHOR:a -->\n1\n<!-- ANCHOR:a -->\n2\n<!-- /ANCHOR:a -->\n",
        expect![[r#"
            a 3-5 "2"
            ! 1:1 unclosed: section `a`, opened on line 1, is never closed
                add `<!-- /ANCHOR:a -->` where it ends"#]],
    );
}

#[test]
fn a_closing_tag_without_an_opening_one_is_reported() {
    check(
        "<!-- /ANCHOR:b -->\n<!-- ANCHOR:foo -->1<!-- /ANCHOR:bar -->2<!-- /ANCHOR:foo -->\n",
        expect![[r#"
            foo 2-2 "12"
            ! 1:1 stray-close: line 1 closes section `b`, which is not open
                remove it, or write `<!-- ANCHOR:b -->` where the section begins
            ! 2:21 stray-close: line 2 closes section `bar`, which is not open
                open here is `foo`, from line 2"#]],
    );
    check(
        "<!-- ANCHOR:a -->1<!-- /ANCHOR:a --><!-- /ANCHOR:a -->\n",
        expect![[r#"
            a 1-1 "1"
            ! 1:37 stray-close: line 1 closes section `a`, which is not open
                remove it, or write `<!-- ANCHOR:a -->` where the section begins"#]],
    );
}

#[test]
fn crossed_sections_are_reported() {
    check(
        "<!-- ANCHOR:a -->\n1\n<!-- ANCHOR:b -->\n2\n<!-- /ANCHOR:a -->\n3\n<!-- /ANCHOR:b -->\n<!-- ANCHOR:c -->4<!-- /ANCHOR:c -->\n",
        expect![[r#"
            a 1-5 "1\n\n2"
            c 8-8 "4"
            ! 3:1 crossed: section `b`, opened on line 3, is closed on line 7, after `a` around it on line 5
                close it before `<!-- /ANCHOR:a -->` on line 5"#]],
    );
    check(
        "<!-- ANCHOR:a --><!-- ANCHOR:b --><!-- ANCHOR:c --><!-- /ANCHOR:a --><!-- /ANCHOR:c --><!-- /ANCHOR:b -->",
        expect![[r#"
            a 1-1 ""
            ! 1:18 crossed: section `b`, opened on line 1, is closed on line 1, after `a` around it on line 1
                close it before `<!-- /ANCHOR:a -->` on line 1
            ! 1:35 crossed: section `c`, opened on line 1, is closed on line 1, after `a` around it on line 1
                close it before `<!-- /ANCHOR:a -->` on line 1"#]],
    );
}

#[test]
fn a_closing_tag_in_another_case_is_reported() {
    check(
        "<!-- ANCHOR:Foo -->\n1\n<!-- /ANCHOR:foo -->\n",
        expect![[r#"
            Foo 1-3 "1"
            ! 3:1 mixed-case: section `Foo`, opened on line 1, is closed as `foo` on line 3
                write `<!-- /ANCHOR:Foo -->`"#]],
    );
}

#[test]
fn malformed_tags_are_reported_with_a_suggestion() {
    check(
        "<!-- ANCHOR : x -->\n<!-- ANCHOR:x extra -->\n<!-- ANCHOR:a b -->\n<!-- ANCHOR_END:x -->\n<!-- ANCHOR_END: x -->\n<!-- anchor-start:x -->\n<!-- ANCHOR: -->\n<!-- /ANCHOR -->\n<!-- ANCHOR x -->\n<!-- ANCHOR:größe -->\n<!-- ANCHOR:-x -->\n<!-- /ANCHOR:a*b(c)[ -->\n<!-- ANCHOR:. -->\n<!-- ANCHOR:x -->kept<!-- /ANCHOR:x -->\n",
        expect![[r#"
            x 14-14 "kept"
            ! 1:1 malformed: malformed tag `ANCHOR : x`
                did you mean `<!-- ANCHOR:x -->`?
            ! 2:1 malformed: malformed tag `ANCHOR:x extra`: an id consists of letters, digits and `_./-`, and does not start with `./-`
                did you mean `<!-- ANCHOR:x-extra -->`?
            ! 3:1 malformed: malformed tag `ANCHOR:a b`: an id consists of letters, digits and `_./-`, and does not start with `./-`
                did you mean `<!-- ANCHOR:a-b -->`?
            ! 4:1 malformed: malformed tag `ANCHOR_END:x`
                did you mean `<!-- /ANCHOR:x -->`?
            ! 5:1 malformed: malformed tag `ANCHOR_END: x`
                did you mean `<!-- /ANCHOR:x -->`?
            ! 6:1 malformed: malformed tag `anchor-start:x`
                did you mean `<!-- ANCHOR:x -->`?
            ! 7:1 malformed: malformed tag `ANCHOR:`: it has no id
                did you mean `<!-- ANCHOR:name -->`?
            ! 8:1 malformed: malformed tag `/ANCHOR`: it has no id
                did you mean `<!-- /ANCHOR:name -->`?
            ! 9:1 malformed: malformed tag `ANCHOR x`
                did you mean `<!-- ANCHOR:x -->`?
            ! 10:1 malformed: malformed tag `ANCHOR:größe`: an id consists of letters, digits and `_./-`, and does not start with `./-`
                did you mean `<!-- ANCHOR:gr-e -->`?
            ! 11:1 malformed: malformed tag `ANCHOR:-x`: an id consists of letters, digits and `_./-`, and does not start with `./-`
                did you mean `<!-- ANCHOR:x -->`?
            ! 12:1 malformed: malformed tag `/ANCHOR:a*b(c)[`: an id consists of letters, digits and `_./-`, and does not start with `./-`
                did you mean `<!-- /ANCHOR:a-b-c -->`?
            ! 13:1 malformed: malformed tag `ANCHOR:.`: an id consists of letters, digits and `_./-`, and does not start with `./-`
                did you mean `<!-- ANCHOR:name -->`?"#]],
    );
}

#[test]
fn an_unclosed_comment_does_not_affect_other_sections() {
    check(
        "<!-- ANCHOR:a\n\n<!-- ANCHOR:b -->text<!-- /ANCHOR:b -->\n",
        expect![[r#"
            b 3-3 "text"
            ! 1:1 malformed: malformed tag `ANCHOR:a`: its comment has no `-->`
                did you mean `<!-- ANCHOR:a -->`?"#]],
    );
    check(
        "<!-- ANCHOR:a ->\n<!-- ANCHOR:b -->text<!-- /ANCHOR:b -->\n",
        expect![[r#"
            b 2-2 "text"
            ! 1:1 malformed: malformed tag `ANCHOR:a ->`: its comment has no `-->`
                did you mean `<!-- ANCHOR:a -->`?"#]],
    );
    check(
        "<!-- oops\n<!-- ANCHOR:b -->text<!-- /ANCHOR:b -->\n",
        expect![[r#"b 2-2 "text""#]],
    );
    check(
        "<!-- ANCHOR:b -->text<!-- /ANCHOR:b -->\n<!-- ANCHOR:a",
        expect![[r#"
            b 1-1 "text"
            ! 2:1 malformed: malformed tag `ANCHOR:a`: its comment has no `-->`
                did you mean `<!-- ANCHOR:a -->`?"#]],
    );
}

#[test]
fn prose_that_resembles_a_tag_is_not_a_tag() {
    let text = "<!-- anchors away -->\n<!-- Anchor the boat: now -->\n<!-- ANCHOR a boat now -->\n<!-- anchor x -->\n<!-- see ANCHOR:x -->\n<!-- anchorage:x -->\nANCHOR:x\n";
    assert_eq!(parse(text), Sections::default());
}

#[test]
fn an_unclosed_comment_within_a_line_is_reported() {
    check(
        "Some <!-- ANCHOR:a\n\n`<!-- ANCHOR:c` \\<!-- ANCHOR:d\n\n<!-- ANCHOR:b -->text<!-- /ANCHOR:b -->\n",
        expect![[r#"
            b 5-5 "text"
            ! 1:6 malformed: malformed tag `ANCHOR:a`: its comment has no `-->`
                did you mean `<!-- ANCHOR:a -->`?"#]],
    );
}
