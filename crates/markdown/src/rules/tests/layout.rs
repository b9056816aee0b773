//! Lists and labels as their author means them, where CommonMark or the parts of a document would give an
//! item the text of another list.

use super::parse;

#[track_caller]
fn check(document: &str, expected: &[&str]) {
    let rules = parse(document, "shop")
        .into_iter()
        .filter(|item| item.skipped_because.is_none());
    let texts: Vec<String> = rules.map(|item| item.text).collect();
    assert_eq!(texts, expected, "{document}");
}

#[test]
fn an_item_further_right_is_below_the_item_that_announces_it() {
    check(
        "1. If a till is lost, you must:\n  1. Use the spare till.\n  2. Add a note.\n2. Use the safe.\n",
        &[
            "If a till is lost, you must: Use the spare till.",
            "If a till is lost, you must: Add a note.",
            "Use the safe.",
        ],
    );
    check(
        "- Never:\r\n - Use the global cart\r\n - Add a row:\r\n   of two lines\r\n- Use tea\r\n",
        &[
            "Never: Use the global cart",
            "Never: Add a row:\nof two lines",
            "Use tea",
        ],
    );
    check(
        "10. Refused:\n  - In carts:\n   - Use `any`\n\n  - In rows:\n\n    - Use `eval`\n11. Use tea\n",
        &[
            "Refused: In carts: Use `any`",
            "Refused: In rows: Use `eval`",
            "Use tea",
        ],
    );
    // The lines behind it are where they are.
    let part = "Don't:\n- Cans:\n - Use milk\nDo:\n- Cups:\n - Use tea\n";
    let rules = ["Don't: Cans: Use milk", "Do: Cups: Use tea"];
    check(&part.repeat(6), &rules.repeat(6));
    // Items of one list, and code.
    check(
        "- Use tea:\n- Use milk\n\n```\n- Never:\n - Use any\n```\n",
        &["Use tea:", "Use milk\n\n```\n- Never:\n - Use any\n```"],
    );
}

#[test]
fn a_label_right_below_an_item_is_above_the_next_list() {
    check(
        "Don't:\n- Use the global cart\nDo:\n- Use the cart of the session\n",
        &[
            "Don't: Use the global cart",
            "Do: Use the cart of the session",
        ],
    );
    check(
        "**Do**\n1. Use tea\n**Don't**\n1. Use milk\n\n✅ Do\n- Use cups\n❌ Don't\n- Use mugs\n",
        &[
            "Do: Use tea",
            "Don't: Use milk",
            "✅ Do: Use cups",
            "❌ Don't: Use mugs",
        ],
    );
    // It ends the lists in the list, too.
    check(
        "Refused:\n- Carts:\n  - Use the global cart\nWanted:\n- Use tea\n",
        &["Refused: Carts: Use the global cart", "Wanted: Use tea"],
    );
    // A line of the item itself.
    check(
        "- Use the following\nnames:\n- Use tea\n",
        &["Use the following\nnames:", "Use tea"],
    );
}

#[test]
fn a_label_above_a_list_is_no_example_of_the_rule_above() {
    check(
        "Don't:\n\n- Use the global cart\n\n**Good**\n\n- Use tea\n\nBad:\n\n- Use milk\n",
        &[
            "Don't: Use the global cart",
            "Good: Use tea",
            "Bad: Use milk",
        ],
    );
    check(
        "- Use tea\n\nBad:\n\n```\nmilk()\n```\n",
        &["Use tea\n\nBad:\n\n```\nmilk()\n```"],
    );
    check(
        "Bad:\n\n- Use milk\n\nPrefer\n\n- Use tea\n",
        &["Bad: Use milk", "Prefer: Use tea"],
    );
}

#[test]
fn instances_are_below_the_text_above_them() {
    check(
        "A patch with a global cart is closed.\n\n**Examples**:\n\n- Add a cart to the module\n",
        &["A patch with a global cart is closed: Examples: Add a cart to the module"],
    );
    check(
        "We close it if you:\n\n- Use milk\n\nFor example:\n\n- Use cream\n",
        &[
            "We close it if you: Use milk",
            "We close it if you: … For example: Use cream",
        ],
    );
    check(
        "We close requests.\n\nGood examples:\n\n- Use tea\n\nBad examples:\n\n- Use milk\n",
        &["Good examples: Use tea", "Bad examples: Use milk"],
    );
}

#[test]
fn text_in_an_element_or_a_quotation_does_not_govern_the_text_behind_it() {
    for (start, end) in [
        ("<details>\n<summary>We refuse</summary>", "</details>"),
        ("<div>\n\nWe refuse:", "</div>"),
        ("<Callout type=\"x\" title=\"We refuse\">", "</Callout>"),
        ("<div>\n\n<p>We refuse</p>", "</div>"),
    ] {
        let document = format!(
            "- Use tea\n\n{start}\n\n- Use milk\n\n{end}\n\n- Use cups\n\n{end}\n\n- Use cans\n"
        );
        let rules = parse(&document, "shop");
        let text = |name: &str| {
            let mut texts = rules.iter().map(|item| item.text.as_str());
            texts.find(|text| text.contains(name)).expect("a rule")
        };
        assert_eq!(text("tea"), "Use tea", "{document}");
        assert!(text("milk").ends_with("We refuse: Use milk"), "{document}");
        assert_eq!(text("cups"), "Use cups", "{document}");
        assert_eq!(text("cans"), "Use cans", "{document}");
    }
    check(
        "Refused:\n\n> - Use milk\n\n- Use tea\n\n> We refuse this:\n> - Use cream\n\n> [!TIP]\n> - Use cups\n\n- Use cans\n",
        &[
            "Refused: Use milk",
            "Use tea",
            "We refuse this: Use cream",
            "Use cups",
            "Use cans",
        ],
    );
    // A quotation that only announces.
    check("> **Never:**\n\n- Use milk\n", &["Never: Use milk"]);
    check(
        "> ### Refused\n> - Use milk\n\n- Use tea\n",
        &["Refused: Use milk", "Use tea"],
    );
}

#[test]
fn a_list_of_an_item_has_the_paragraph_right_above_it() {
    check(
        "1. Carts:\n\n   Do not:\n\n   * Use milk\n\n   Instead:\n\n   * Use tea\n",
        &["Carts: Do not: Use milk", "Carts: Instead: Use tea"],
    );
}

#[test]
fn the_title_of_a_document_that_only_names_it_is_omitted() {
    for (title, kept) in [
        ("Contributing to Acme", ""),
        ("Tea Brewing Guidelines", ""),
        ("Agent instructions: brewing", ""),
        ("Tea brewing", "Tea brewing: "),
        ("Rejection guidelines", "Rejection guidelines: "),
        ("Development without tea", "Development without tea: "),
        (
            "Teeregeln (instructions): verboten ist …",
            "Teeregeln (instructions): verboten ist …: ",
        ),
    ] {
        let document = format!("# {title}\n\n## Testing\n\n- Use tea\n");
        check(&document, &[&format!("{kept}Use tea")]);
    }
    // It is not a title if it is a section.
    check(
        "# Old development\n\n- Use tea\n",
        &["Old development: Use tea"],
    );
    check(
        "# Tea guidelines\n\n- Use tea\n",
        &["Tea guidelines: Use tea"],
    );
}
