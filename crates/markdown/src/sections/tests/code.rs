//! Tags and headings in code and frontmatter are text.

use super::*;

#[test]
fn tags_in_fenced_code_are_text() {
    for code in [
        "```\n<!-- ANCHOR:x -->\n```",
        "~~~\n<!-- ANCHOR:x -->\n~~~",
        "```html title=\"a\"\n<!-- /ANCHOR:it -->\n```",
        "````\n```\n<!-- /ANCHOR:it -->\n```\n````",
        "~~~\n```\n<!-- ANCHOR:x -->\n~~~",
        "```\n~~~\n<!-- ANCHOR:x -->\n```",
        "```\n<!-- ANCHOR:x -->\n``` no end\n<!-- ANCHOR:y -->\n`````",
        "   ```\n<!-- ANCHOR:x -->\n  ```",
        "~~~ `a` ~~~\n<!-- ANCHOR:x -->\n~~~",
        "```\n\n\n<!-- ANCHOR:x -->\n# No heading\n```",
        "text\n```\n<!-- ANCHOR:x -->\n```\ntext",
        "```\n    ```\n<!-- ANCHOR:x -->\n```",
        "- item\n  ```\n  <!-- ANCHOR:x -->\n\n  <!-- ANCHOR:y -->\n  ```",
        "1. item\n\n   ~~~\n   <!-- ANCHOR:x -->\n   ~~~\n2. item",
        "- a\n  - b\n\n    ```\n    <!-- ANCHOR:x -->\n    ```",
        "- ```\n  <!-- ANCHOR:x -->\n  ```",
        "> ```\n> <!-- ANCHOR:x -->\n> ```",
        "> - ```\n>   <!-- ANCHOR:x -->\n>   ```",
        "> ```\n> <!-- ANCHOR:x -->\n\nout of the quote, out of the fence",
        "- ```\n  <!-- ANCHOR:x -->\n\nout of the item, out of the fence",
        "\t- x\n\t\t```\n\t\t<!-- ANCHOR:x -->",
        "```\r\n<!-- ANCHOR:x -->\r\n```",
    ] {
        check_content(code);
    }
}

#[test]
fn tags_in_indented_code_are_text() {
    for code in [
        "    <!-- ANCHOR:x -->",
        "\t<!-- ANCHOR:x -->",
        "text\n\n    <!-- ANCHOR:x -->\n\n\n     <!-- ANCHOR:y -->",
        "  \t<!-- ANCHOR:x -->",
        "- item\n\n      <!-- ANCHOR:x -->",
        "-     <!-- ANCHOR:x -->",
        ">     <!-- ANCHOR:x -->",
        "***\n    <!-- ANCHOR:x -->",
    ] {
        check_content(code);
    }
}

#[test]
fn tags_in_inline_code_are_text() {
    for code in [
        "Write `<!-- ANCHOR:x -->` above it.",
        "Write ``<!-- ANCHOR:x --> ` `` above it.",
        "a `code\nspan <!-- ANCHOR:x -->\nover` lines",
        "> a `code\n> span <!-- ANCHOR:x --> over` lines",
        "- a `<!-- ANCHOR:x -->`\n- b",
        "\\\\`<!-- ANCHOR:x -->`",
        "`\\` then `<!-- ANCHOR:x -->`",
        "\\``<!-- ANCHOR:x -->`",
        "| `<!-- ANCHOR:x -->` | cell |",
    ] {
        check_content(code);
    }
    check(
        "<!-- ANCHOR:a -->Use `<!-- ANCHOR:b -->` to open.<!-- /ANCHOR:a -->",
        expect![[r#"a 1-1 "Use `<!-- ANCHOR:b -->` to open.""#]],
    );
}

#[test]
fn text_that_resembles_code_is_not_code() {
    const A: &str = "<!-- ANCHOR:a -->text<!-- /ANCHOR:a -->";
    for (before, after) in [
        ("A ` tick ", "\n\nand ` another"),
        ("\\`", "`"),
        ("`` ", " `"),
        ("``` a ` b\n", "\n"),
        ("<!-- ` -->", " `"),
        ("<!--\n```\n--> \n", "\n"),
        ("- item\n  `\n- ", " `\n"),
        ("    ```\n\n", "\n"),
    ] {
        let text = format!("{before}{A}{after}");
        let sections = parse(&text);
        let [section] = &sections.list[..] else {
            panic!("expected one section in {text}, got {:?}", sections.list);
        };
        assert_eq!(
            section.outer,
            Span::new(before.len(), before.len() + A.len())
        );
        assert_eq!(content(&text, section, &sections, false), "text");
        assert_eq!(sections.diagnostics, [], "{text}");
    }
}

#[test]
fn an_unclosed_fence_extends_to_the_end() {
    check(
        "<!-- ANCHOR:a -->text<!-- /ANCHOR:a -->\n```\n<!-- ANCHOR:b -->text<!-- /ANCHOR:b -->\n# No\n",
        expect![[r#"a 1-1 "text""#]],
    );
}

#[test]
fn tags_in_frontmatter_are_text() {
    check(
        "---\nid: x\nnote: <!-- ANCHOR:a -->\n# heading\n---\n<!-- ANCHOR:b -->text<!-- /ANCHOR:b -->\n",
        expect![[r#"b 6-6 "text""#]],
    );
    check(
        "---\nid: x\n<!-- ANCHOR:b -->text<!-- /ANCHOR:b -->\n",
        expect![[r#"b 3-3 "text""#]],
    );
}
