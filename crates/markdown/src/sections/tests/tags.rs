//! Well-formed tags: their forms, positions and nesting.

use super::*;

#[test]
fn text_without_tags_has_no_sections() {
    for text in [
        "",
        " \n\t\n",
        "Just text.\n",
        "\u{FEFF}",
        "<!-- a comment -->\n",
        "a < b --> c",
    ] {
        assert_eq!(parse(text), Sections::default(), "{text:?}");
    }
}

#[test]
fn the_content_is_the_text_between_the_tags() {
    check(
        "before\n<!-- ANCHOR:a -->\n\ntext\n\n<!-- /ANCHOR:a -->\nafter\n",
        expect![[r#"a 2-6 "text""#]],
    );
}

#[test]
fn sections_are_ordered_by_start() {
    check(
        "<!-- ANCHOR:b -->1<!-- /ANCHOR:b -->\n<!-- ANCHOR:a -->2<!-- /ANCHOR:a -->\n<!-- ANCHOR:c -->\n3\n<!-- /ANCHOR:c -->",
        expect![[r#"
            b 1-1 "1"
            a 2-2 "2"
            c 3-5 "3""#]],
    );
}

#[test]
fn white_space_in_tags_is_optional() {
    check(
        "<!--ANCHOR:a-->1<!--/ANCHOR:a-->\n<!--   ANCHOR:   b   -->2<!-- /  ANCHOR: b -->\n<!--\tANCHOR:c\t-->3<!--\t/ANCHOR:c-->\n",
        expect![[r#"
            a 1-1 "1"
            b 2-2 "2"
            c 3-3 "3""#]],
    );
}

#[test]
fn a_tag_may_span_lines() {
    check(
        "<!--\n  ANCHOR:a\n-->\ntext\n<!-- /ANCHOR:a\n-->\n",
        expect![[r#"a 1-6 "text""#]],
    );
    check(
        "> <!--\n> ANCHOR:a\n> -->\n> text\n> <!-- /ANCHOR:a -->\n",
        expect![[r#"a 1-5 "> text""#]],
    );
    check(
        "text <!-- ANCHOR:a\n--> more <!-- /ANCHOR:a -->",
        expect![[r#"a 1-2 "more""#]],
    );
}

#[test]
fn the_keyword_is_case_insensitive() {
    check(
        "<!-- anchor:a -->1<!-- /ANCHOR:a -->\n<!-- Anchor:b -->2<!-- /aNCHOR:b -->",
        expect![[r#"
            a 1-1 "1"
            b 2-2 "2""#]],
    );
}

#[test]
fn ids_may_contain_letters_digits_and_punctuation() {
    let ids = "simple with-hyphens 001-leading-digit CamelCase123 folder/section snake_case _memory.continuity \
        v1.2 a/b/c.md constructor __proto__ x- 0 _";
    for id in ids.split(' ') {
        let text = format!("<!-- ANCHOR:{id} -->text<!-- /ANCHOR:{id} -->");
        let sections = parse(&text);
        assert_eq!(sections.list[0].id, id);
        assert_eq!(sections.diagnostics, []);
    }
}

#[test]
fn a_section_may_be_empty() {
    check(
        "<!-- ANCHOR:a --><!-- /ANCHOR:a -->\n<!-- ANCHOR:b -->\n\n\n<!-- /ANCHOR:b -->\n",
        expect![[r#"
            a 1-1 ""
            b 2-5 """#]],
    );
}

#[test]
fn line_endings_and_byte_order_marks_are_preserved() {
    check(
        "\u{FEFF}<!-- ANCHOR:a -->\r\n\r\none\r\n\r\ntwo\r\n<!-- /ANCHOR:a -->\r\n",
        expect![[r#"a 1-6 "one\r\n\r\ntwo""#]],
    );
    check(
        "\u{FEFF}# Title\r\ntext\r\n",
        expect![[r##"# title 1-2 "# Title\r\ntext""##]],
    );
    let wide = "\u{FEFF}<!-- ANCHOR:a -->\r\né\r\n<!-- /ANCHOR:a -->\r\n";
    for bytes in [u16::to_be_bytes, u16::to_le_bytes] {
        let utf16: Vec<u8> = wide.encode_utf16().flat_map(bytes).collect();
        check(
            &cerberus_model::text::decode(&utf16).0,
            expect![[r#"a 1-3 "é""#]],
        );
    }
}

#[test]
fn tags_may_be_in_quotes_lists_and_lines() {
    check(
        "> <!-- ANCHOR:a -->\n> text\n> <!-- /ANCHOR:a -->\n",
        expect![[r#"a 1-3 "> text""#]],
    );
    check(
        "- <!-- ANCHOR:a -->\n  text\n  <!-- /ANCHOR:a -->\n1. <!-- ANCHOR:b -->text<!-- /ANCHOR:b -->\n",
        expect![[r#"
            a 1-3 "  text"
            b 4-4 "text""#]],
    );
    check(
        "Some <!-- ANCHOR:a --> words <!-- /ANCHOR:a --> here.\n",
        expect![[r#"a 1-1 "words""#]],
    );
    check(
        "| <!-- ANCHOR:a --> | cell <!-- /ANCHOR:a --> |\n",
        expect![[r#"a 1-1 "| cell""#]],
    );
    check(
        "text\n    <!-- ANCHOR:a -->\n    goes on\n<!-- /ANCHOR:a -->\n",
        expect![[r#"a 2-4 "    goes on""#]],
    );
    check(
        "- item\n\n    <!-- ANCHOR:a -->\n    in the item\n    <!-- /ANCHOR:a -->\n",
        expect![[r#"a 3-5 "    in the item""#]],
    );
}

#[test]
fn an_escaped_tag_is_text() {
    check("\\<!-- ANCHOR:a -->text\\<!-- /ANCHOR:a -->", expect![[""]]);
}

#[test]
fn nested_content_is_included_without_its_tags() {
    check(
        "<!-- ANCHOR:a -->\none\n\n<!-- ANCHOR:b -->\ntwo\n<!-- /ANCHOR:b -->\n\nthree\n<!-- /ANCHOR:a -->\n",
        expect![[r#"
            a 1-9 "one\n\ntwo\n\nthree"
            b 4-6 "two""#]],
    );
}

#[test]
fn a_line_of_tags_is_deleted_unless_it_separates_paragraphs() {
    check(
        "<!-- ANCHOR:a -->\none\n<!-- ANCHOR:b -->\ntwo\n<!-- /ANCHOR:b --> <!-- ANCHOR:c -->\nthree\n  <!-- /ANCHOR:c -->  \n\nfour <!-- ANCHOR:d -->five<!-- /ANCHOR:d -->\n\n<!-- ANCHOR:e -->\n<!-- /ANCHOR:e -->\n\nsix\n<!-- /ANCHOR:a -->\n",
        expect![[r#"
            a 1-15 "one\n\ntwo\n\nthree\n\nfour five\n\nsix"
            b 3-5 "two"
            c 5-7 "three"
            d 9-9 "five"
            e 11-12 """#]],
    );
    check(
        "<!-- ANCHOR:a -->\r\none\r\n<!-- ANCHOR:b -->\r\ntwo\r\n<!-- /ANCHOR:b -->\r\n<!-- /ANCHOR:a -->\r\n",
        expect![[r#"
            a 1-6 "one\r\n\r\ntwo"
            b 3-5 "two""#]],
    );
}

#[test]
fn raw_content_includes_the_tags() {
    let text =
        "<!-- ANCHOR:a -->\n\n<!-- ANCHOR:b -->\n  two\n<!-- /ANCHOR:b -->\n\n<!-- /ANCHOR:a -->\n";
    let sections = parse(text);
    let raw = content(text, &sections.list[0], &sections, true);
    assert_eq!(raw, "<!-- ANCHOR:b -->\n  two\n<!-- /ANCHOR:b -->");
    assert_eq!(content(text, &sections.list[0], &sections, false), "  two");
}

#[test]
fn a_section_nested_in_one_with_the_same_id_is_numbered() {
    check(
        "<!-- ANCHOR:a -->\n1\n<!-- ANCHOR:a -->\n2\n<!-- /ANCHOR:a -->\n3\n<!-- /ANCHOR:a -->\n",
        expect![[r#"
            a 1-7 "1\n\n2\n\n3"
            a#2 3-5 "2"
            ! 3:1 self-nested: section `a` on line 3 is inside another `a`, opened on line 1
                rename one of them; this one is `a#2` until then"#]],
    );
}

#[test]
fn repeated_ids_are_numbered() {
    check(
        "<!-- ANCHOR:a -->1<!-- /ANCHOR:a -->\n\n<!-- ANCHOR:A -->2<!-- /ANCHOR:A -->\n<!-- ANCHOR:a -->3<!-- /ANCHOR:a -->\n",
        expect![[r#"
            a 1-1 "1"
            A#2 3-3 "2"
            a#3 4-4 "3"
            ! 3:1 duplicate: section `A` on line 3 has the same name as the one on line 1
                rename one of them; this one is `A#2` until then
            ! 4:1 duplicate: section `a` on line 4 has the same name as the one on line 1
                rename one of them; this one is `a#3` until then"#]],
    );
}

#[test]
fn malformed_neighbours_do_not_affect_a_section() {
    const GOOD: &str = "<!-- ANCHOR:good -->\ntext\n<!-- /ANCHOR:good -->\n";
    for beside in [
        "```\n<!-- ANCHOR:x -->\n```\n",
        "~~~\n<!-- ANCHOR:x -->\n~~~\n",
        "    <!-- ANCHOR:x -->\n\n",
        "Write `<!-- ANCHOR:x -->`.\n",
        "<!-- ANCHOR:snake_case -->a<!-- /ANCHOR:snake_case -->\n",
        "<!-- ANCHOR:_memory.continuity -->a<!-- /ANCHOR:_memory.continuity -->\n",
        "<!-- ANCHOR:x -->\n",
        "<!-- /ANCHOR:x -->\n",
        "<!-- ANCHOR:x --><!-- ANCHOR:y --><!-- /ANCHOR:x --><!-- /ANCHOR:y -->\n",
        "<!-- ANCHOR:x -->a<!-- /ANCHOR:x --><!-- ANCHOR:x -->b<!-- /ANCHOR:x -->\n",
        "<!-- ANCHOR:Foo -->a<!-- /ANCHOR:foo -->\n",
        "<!-- ANCHOR : x -->\n<!-- ANCHOR:x extra -->\n<!-- ANCHOR_END:x -->\n",
        "<!-- ANCHOR:größe -->\n<!-- ANCHOR:(*[ -->\n<!-- ANCHOR: -->\n<!-- ANCHOR -->\n",
        "<!-- never ended\n",
    ] {
        for text in [format!("{beside}{GOOD}"), format!("{GOOD}{beside}")] {
            let sections = parse(&text);
            let good = sections.list.iter().find(|it| it.id == "good");
            let good = good.map(|it| content(&text, it, &sections, false));
            assert_eq!(good.as_deref(), Some("text"), "{text}");
        }
    }
}
