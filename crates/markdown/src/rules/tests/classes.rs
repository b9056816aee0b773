//! What is a rule, what may be one, and what is none.

use expect_test::expect;

use super::check;

#[test]
fn a_list_of_what_something_does_has_no_rules() {
    check(
        "\
# Shop

The basket has hooks that watch each sale:

- **Check prices** before an order
- **Send mails** at the end
- Never stops at night

A change has to keep these:

- Check prices before an order

Severity: critical

- **Severity**: critical
- [Mandatory things](#mandatory-things)
- **Orders**: `docs/orders.md`
",
        expect![[r#"
            3   - an introduction
            5   - a statement
            6   - a statement
            7   - a statement
            9   + A change has to keep these:

                  - Check prices before an order  [shop]
            13  - an introduction
            15  - a statement
            16  - links
            17  - links
        "#]],
    );
}

#[test]
fn what_may_be_a_rule_is_doubtful() {
    check(
        "\
# Shop

Every order has a receipt.

The basket needs a lock.

Baskets need a lock.

## Conventions

- Baskets are small
- Prices in cents
- Read [the handbook](handbook.md) for more

## Work

- Weigh the tea
- Never sell coffee
- PRs against `main`
- Sunday sales are allowed
- [ ] Ask for a receipt
",
        expect![[r#"
            3   ? Every order has a receipt.  []
            5   ? The basket needs a lock.  []
            7   + Baskets need a lock.  []
            11  ? Baskets are small  [conventions]
            12  + Prices in cents  [conventions]
            13  ? Read [the handbook](handbook.md) for more  [conventions]
            17  + Weigh the tea  [work]
            18  + Never sell coffee  [work]
            19  ? PRs against `main`  [work]
            20  ? Sunday sales are allowed  [work]
            21  ? Ask for a receipt  [work]
        "#]],
    );
}

#[test]
fn a_tutorial_and_a_guide_for_prose_are_doubtful_as_a_whole() {
    check(
        "# Translation guide\n\n- Never use an anglicism\n",
        expect![[r#"
            3   ? Translation guide: Never use an anglicism  [translation-guide]
        "#]],
    );
    check(
        "# Tutorial\n\n## Shop\n\n- Always add tea\n",
        expect![[r#"
            5   ? Tutorial: Always add tea  [shop]
        "#]],
    );
}

#[test]
fn a_demand_within_a_description_is_doubtful() {
    check(
        "\
# Shop

The till is old. Restart it on Monday.

The till is old. Never restart it on Sunday.

Please read [the handbook](handbook.md).

There are ways in which you can help:

- Weigh the tea
",
        expect![[r#"
            3   ? The till is old. Restart it on Monday.  [shop]
            5   + The till is old. Never restart it on Sunday.  [shop]
            7   - prose
            9   - an introduction
            11  - a statement
        "#]],
    );
}

#[test]
fn a_remark_makes_no_description_a_rule() {
    check(
        "\
# Shop

- Never sell one basket twice
- `sell one` or `sell all` - Run the sale (never use it for a refund)
- `fix:` - Changes of the basket (not of the shop)
- The basket holds prices, each in cents (do not round them)
- Never round a price (it is an integer)
- Structure a page by its use (never by its author)
",
        expect![[r#"
            3   + Never sell one basket twice  [shop]
            4   - a description, not a rule
            5   - a description, not a rule
            6   ? The basket holds prices, each in cents (do not round them)  [shop]
            7   + Never round a price (it is an integer)  [shop]
            8   + Structure a page by its use (never by its author)  [shop]
        "#]],
    );
}

#[test]
fn code_below_a_heading_of_samples_is_a_sample() {
    let text = "\
# Shop

## Golden samples

- Orders: `shop/orders.rs::send` and `shop/bills.rs`
- Orders without a file

| Pattern | Where |
|---|---|
| Baskets | `shop/basket.rs:4` |

## Bad examples to avoid

- Prices: `shop/old.rs`

## Layout

| Part | Example |
|---|---|
| Receipts | `shop/receipt.rs` |
| Carts | none |

- Close the till, see `shop/till.rs` for an example
";
    let mut found = Vec::new();
    for item in crate::rules::parse(text, "") {
        if !item.samples.is_empty() {
            let how = if item.is_sample { "only" } else { "also" };
            found.push(format!(
                "{} {how} {}",
                item.line + 1,
                item.samples.join(" ")
            ));
        }
    }
    assert_eq!(
        found,
        [
            "5 only shop/orders.rs::send shop/bills.rs",
            "10 only shop/basket.rs:4",
            "20 only shop/receipt.rs",
            "23 also shop/till.rs",
        ]
    );
}
