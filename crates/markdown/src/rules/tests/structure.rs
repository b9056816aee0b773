//! Rules with the code, the tables and the marks that belong to them.

use expect_test::expect;

use super::check;

#[test]
fn comments_in_code_are_rules_with_the_code_below_them() {
    check(
        "\
# Shop

## Baskets

```go
// Always close the basket
defer basket.Close()

basket.Add(tea)
// Never share a basket
// between orders.
go order(basket)
```

## Prices

```ts
// ✅ Use cents for prices
const price = 100;

// ❌ Avoid floats in prices
const price = 1.0;
```

## Dates

```py
# GOOD
now(UTC)
# BAD
now()
```

## Example

```py
# Create the shop
shop = Shop()
```
",
        expect![[r#"
            6   + Baskets: Always close the basket

                  ```go
                  defer basket.Close()

                  basket.Add(tea)
                  ```  [baskets]
            10  + Baskets: Never share a basket between orders.

                  ```go
                  go order(basket)
                  ```  [baskets]
            18  + Prices: ✅ Use cents for prices

                  ```ts
                  const price = 100;
                  ```  [prices]
            21  + Prices: ❌ Avoid floats in prices

                  ```ts
                  const price = 1.0;
                  ```  [prices]
            27  + Dates

                  ```py
                  # GOOD
                  now(UTC)
                  # BAD
                  now()
                  ```  []
            36  - a separate code block
        "#]],
    );
}

#[test]
fn a_form_of_code_is_no_command() {
    check(
        "\
# Shop

- Use lazy logging: `logger.debug(\"%s\", order)`
- Run the tests: `make test`
- Wrap errors: `errors.wrap(order, error)`
- Run one of the tests in the folder: `make test ONE=1`

Before you open a pull request, run:

```sh
make lint
```

Run the server:

```sh
make serve
```
",
        expect![[r#"
            3   + Use lazy logging: `logger.debug("%s", order)`  [shop]
            4   - a description, not a rule
            5   + Wrap errors: `errors.wrap(order, error)`  [shop]
            6   - a description, not a rule
            8   + Before you open a pull request, run:

                  ```sh
                  make lint
                  ```  [shop]
            14  - an introduction
            16  - a separate code block
        "#]],
    );
}

#[test]
fn rows_that_say_what_to_use_are_rules() {
    check(
        "\
# Shop

| Situation | Use |
|---|---|
| A price | `Cents` |
| A date | `Day` |

| Use case | Size |
|---|---|
| Tea | 3 |

Always take these units:

| Value | Unit |
|---|---|
| Weight | gram |
",
        expect![[r#"
            5   + Situation: A price; Use: `Cents`  [shop]
            6   + Situation: A date; Use: `Day`  [shop]
            8   - a table
            12  + Always take these units:

                  | Value | Unit |
                  |---|---|
                  | Weight | gram |  [shop]
        "#]],
    );
}

#[test]
fn admonitions_are_read() {
    check(
        "\
---
Never sell tea on Sunday.
---

# Shop

:::warning
Never log a card.
:::

!!! danger \"Keys\"
    Never print a key.

    - Always hide tokens

!!! Never open the till alone.

> **Warning**
> Never mail a password.

> [!IMPORTANT]
> Always ask for a receipt.

- Use ~~floats~~ cents <!-- really? -->
- ~~Use floats~~
- [/] You must weigh the tea
- [>] Weigh the coffee
- [ ] The tea is weighed
",
        expect![[r#"
            2   + Never sell tea on Sunday.  []
            8   + warning: Never log a card.  [shop]
            12  + danger Keys: Never print a key.  [shop]
            14  + danger Keys: Never print a key: Always hide tokens  [shop]
            16  + !!! Never open the till alone.  [shop]
            18  + **Warning**
                  Never mail a password.  [shop]
            21  + Always ask for a receipt.  [shop]
            24  + Always ask for a receipt: Use cents  [shop]
            26  + Always ask for a receipt: You must weigh the tea  [shop]
            27  ? Always ask for a receipt: Weigh the coffee  [shop]
            28  - a task list item
        "#]],
    );
}
