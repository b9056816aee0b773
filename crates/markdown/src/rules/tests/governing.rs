//! The text above an item that is kept with it, whatever it says.

use expect_test::expect;

use super::{check, parse};

/// Returns the texts of the rules.
fn texts(text: &str) -> Vec<String> {
    let rules = parse(text, "shop")
        .into_iter()
        .filter(|item| item.skipped_because.is_none());
    rules.map(|item| item.text).collect()
}

#[test]
fn an_item_keeps_any_sentence_above_its_list() {
    for sentence in [
        "A patch is sent back if it does this:",
        "We close requests of this kind:",
        "Das lehnen wir ab:",
        "以下の変更は受け付けません：",
        "Bad:",
        "**Bad:**",
        "❌",
        "🚫 In handlers",
        "The team does not take every change. These are among them.",
        "Not without a word of a maintainer…",
    ] {
        let document = format!("## Code review\n\n{sentence}\n\n- Use the global cart\n");
        let kept = sentence
            .trim_matches('*')
            .trim_end_matches([':', '：', '.']);
        assert_eq!(
            texts(&document),
            [format!("{kept}: Use the global cart")],
            "{sentence}"
        );
    }
}

#[test]
fn an_item_keeps_the_headings_that_are_more_than_a_topic() {
    for (headings, kept) in [
        ("# Shop\n## Testing", ""),
        ("# Contributing to the shop\n## 2. Code style & naming", ""),
        ("# Shop\n## FastAPI", ""),
        (
            "# Shop\n## What gets a request closed",
            "What gets a request closed: ",
        ),
        ("# Shop\n## ❌ Code\n### Naming", "❌ Code: "),
        ("# Nie tun\n## Testing", "Nie tun: "),
        ("# Shop\n## NEVER\n### Code", "NEVER: "),
        ("# Shop\n## DONTs", "DONTs: "),
        ("# Shop\n## Code Anti-Pattern", "Code Anti-Pattern: "),
        ("# Shop\n## In tests", "In tests: "),
        (
            "# Shop\n## Patterns (out)\n### Carts",
            "Patterns (out): Carts: ",
        ),
    ] {
        let document = format!("{headings}\n\n- Use the global cart\n");
        assert_eq!(
            texts(&document),
            [format!("{kept}Use the global cart")],
            "{headings}"
        );
        let paragraph = format!("{headings}\n\nAlways use the global cart.\n");
        assert_eq!(
            texts(&paragraph),
            [format!("{kept}Always use the global cart.")],
            "{headings}"
        );
    }
}

#[test]
fn lists_in_lists_keep_all_outer_sentences() {
    check(
        "\
# Shop

We send these back:

- Handlers
  - Use of the disk:
    1. Write the cart to a file
    2. Read the prices from a file

  and, after a review:

  - Use a cache
- Use globals

- ## Nowhere
  - Use threads
",
        expect![[r#"
            3   - an introduction
            5   - a statement
            6   - an introduction
            7   + We send these back: Handlers: Use of the disk: Write the cart to a file  [shop]
            8   + We send these back: Handlers: Use of the disk: Read the prices from a file  [shop]
            12  + We send these back: Handlers: and, after a review: Use a cache  [shop]
            13  + We send these back: Use globals  [shop]
            16  + We send these back: Nowhere: Use threads  [shop]
        "#]],
    );
}

#[test]
fn text_between_a_list_and_its_sentence_is_no_end() {
    check(
        "\
# Shop

No view may:

<!-- by the team -->

- Open a file

It is slow.

- Call the store

Not so:

```py
open(\"x\")
```

- Use a handle

**Wrong**

```py
close(x)
```

- Keep the handle open

One.

Two.

- Use tea

<details>
<summary>Not in use any more</summary>

- Use pots

</details>

> [!CAUTION]
> - Use cups
",
        expect![[r#"
            3   - an introduction
            7   + No view may: Open a file  [shop]
            9   - prose
            11  + No view may: … It is slow: Call the store  [shop]
            13  - an introduction
            15  - a separate code block
            19  + Not so:
                  ```py
                  open("x")
                  ```
                  Use a handle

                  **Wrong**

                  ```py
                  close(x)
                  ```  [shop]
            27  + Not so:
                  ```py
                  open("x")
                  ```
                  … Wrong:
                  ```py
                  close(x)
                  ```
                  Keep the handle open  [shop]
            29  - prose
            31  - prose
            33  + Two: Use tea  [shop]
            38  + Not in use any more: Use pots  [shop]
            42  - an introduction
            43  + CAUTION: Use cups  [shop]
        "#]],
    );
}

#[test]
fn a_paragraph_with_a_label_begins_another_list() {
    check(
        "\
**Handlers**: sent back

- Use globals

**Views**: fine

- Use partials

✅ Carts

- Use types

It is slow.

- Use frames

It is old.

- Use tables
",
        expect![[r#"
            1   - prose
            3   + Handlers: sent back: Use globals  []
            5   - an introduction
            7   + Views: fine: Use partials  []
            9   - an introduction
            11  + ✅ Carts: Use types  []
            13  - prose
            15  + ✅ Carts: … It is slow: Use frames  []
            17  - prose
            19  + ✅ Carts: … It is old: Use tables  []
        "#]],
    );
}

#[test]
fn paragraphs_tables_and_sections_are_governed_too() {
    check(
        "\
# Shop

## Refused

Use integers for prices.

### Never sleep

A sleep is slow.

### Rows

| Rule | Why |
|---|---|
| Use `any` | It is short |

**Old:**

Always call the shop by its name.
",
        expect![[r#"
            5   + Refused: Use integers for prices.  [refused]
            9   - prose
            15  + Refused: Rows: Rule: Use `any`; Why: It is short  [refused rows]
            17  - an introduction
            19  + Refused: Rows: Old: Always call the shop by its name.  [refused rows]
        "#]],
    );
}

#[test]
fn an_item_whose_sentences_are_too_long_is_skipped_with_a_reason() {
    let sentence = "We close requests of this kind. ".repeat(40);
    let document =
        format!("{sentence}It is long:\n\n- Use the global cart\n\n## Code\n\n- Use tea\n");
    let items = parse(&document, "shop");
    let reasons: Vec<&str> = items
        .iter()
        .filter_map(|item| item.skipped_because)
        .collect();
    assert!(
        reasons.contains(&crate::rules::items::LONG_PREFIX),
        "{reasons:?}"
    );
    assert_eq!(texts(&document), ["Use tea"]);
}

#[test]
fn only_known_demands_and_conditions_cannot_negate_an_item() {
    for (above, may_be_negated) in [
        ("", false),
        ("## Testing", false),
        ("All changes must:", false),
        ("If you add a table:", false),
        ("If you add a table, do not:", true),
        ("Changes that do this are closed:", true),
        ("## Handlers", true),
    ] {
        let items = parse(&format!("{above}\n\n- Use the global cart\n"), "shop");
        let rule = items
            .iter()
            .find(|item| item.skipped_because.is_none())
            .expect("a rule");
        assert_eq!(rule.may_be_negated, may_be_negated, "{above}");
    }
}
