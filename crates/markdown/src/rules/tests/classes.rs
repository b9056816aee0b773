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
