//! Documents of several styles with their rules and skipped blocks.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

mod classes;
mod governing;
mod introductions;
mod layout;
mod structure;

/// Prints rules with `+` and their headings, doubtful ones with `?`, and skipped blocks with `-`.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    for found in parse(text, "shop") {
        let line = found.line + 1;
        let body = found
            .text
            .replace('\n', "\n      ")
            .replace("\n      \n", "\n\n");
        shown += &match found.skipped_because {
            None => {
                let mark = if found.doubt.is_some() { '?' } else { '+' };
                format!("{line:<3} {mark} {body}  [{}]\n", found.headings.join(" "))
            }
            Some(reason) => format!("{line:<3} - {reason}\n"),
        };
    }
    shown
}

#[expect(clippy::needless_pass_by_value, reason = "as expect_test has it")]
#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&shown(text));
}

#[test]
fn a_file_of_bullets_is_parsed() {
    check(
        "\
# Shop

The shop sells tea. Agents read this first.

## Contents

- [Layout](#layout)
- [Rules](#rules)

## Layout

- `src/`: the sources
- `tools/gen.py` - Writes the catalogue
- Run tests are in `tests/`

## Commands

- `make test`: runs the tests
- Run `make lint` to lint
- Never run `make publish` on a branch

## Code

- Close sessions in a `finally` block.
  Even in tests.
- When a query fails, log it with its id
- The cache holds prices
- Is this needed?
- [ ] I have read this
- Prices should be integers:

  ```py
  price = 100
  ```
- Checkout:
  - Hash the cart before it is stored
  - Carts are small
",
        expect![[r#"
            3   - prose
            7   - links
            8   - links
            12  - a description, not a rule
            13  - a description, not a rule
            14  - a statement
            18  - a description, not a rule
            19  - a step or a command
            20  + Never run `make publish` on a branch  [commands]
            24  + Close sessions in a `finally` block.
                  Even in tests.  [code]
            26  + When a query fails, log it with its id  [code]
            27  - a statement
            28  - a question
            29  - a task list item
            30  + Prices should be integers:

                  ```py
                  price = 100
                  ```  [code]
            35  - an introduction
            36  + Checkout: Hash the cart before it is stored  [code]
            37  - a statement
        "#]],
    );
}

#[test]
fn headings_and_labels_give_context() {
    check(
        "\
# Style guide

## Naming

- Functions: snake_case
- **Types:** PascalCase
- Names of booleans begin with `is_` or `has_` in every language that is used here
- Uses the table of words
- Rationale: people read names

### Folders

- Lower case

**Units:**
- Prices: cents
- ❌ NEVER floats

## Don't

- Use default exports
- Never sleep in tests

## Never commit

- `.env`
- `data/*.db` — local data
",
        expect![[r#"
            5   + Functions: snake_case  [naming]
            6   + **Types:** PascalCase  [naming]
            7   + Names of booleans begin with `is_` or `has_` in every language that is used here  [naming]
            8   - a statement
            9   - a reason
            13  + Lower case  [naming folders]
            15  - an introduction
            16  ? Units: Prices: cents  [naming folders]
            17  + Units: ❌ NEVER floats  [naming folders]
            21  + Don't: Use default exports  [dont]
            22  + Don't: Never sleep in tests  [dont]
            26  + Never commit: `.env`  [never-commit]
            27  + Never commit: `data/*.db` — local data  [never-commit]
        "#]],
    );
}

#[test]
fn introductions_and_steps_are_distinguished() {
    check(
        "\
Before a commit, run these:

- `make fmt`
- `make test`

You must not:

- edit generated files
- skip hooks

If you add a table:

1. Write a migration
2. Register it in `tables.py`
   - in order

## Adding a command

1. Create `commands/x.py`
2. Register it

## Getting started

1. Install the following:
   - node
2. Always use the pinned version

## Style

- Break lines after operators, as in:

```py
a = b +
    c
```

> - Quoted rules are quoted

| a | b |
|---|---|
| always | never |

You must ask first.
",
        expect![[r#"
            1   + Before a commit, run these:

                  - `make fmt`
                  - `make test`  []
            6   - an introduction
            8   + You must not: edit generated files  []
            9   + You must not: skip hooks  []
            11  - an introduction
            13  + If you add a table: Write a migration  []
            14  + If you add a table: Register it in `tables.py`
                  - in order  []
            19  - a step or a command
            20  - a step or a command
            24  - an introduction
            25  - a step or a command
            26  + Always use the pinned version  [getting-started]
            30  + Break lines after operators, as in:

                  ```py
                  a = b +
                    c
                  ```  [style]
            37  ? Quoted rules are quoted  [style]
            39  - a table
            43  + You must ask first.  [style]
        "#]],
    );
}

#[test]
fn the_managed_block_is_skipped() {
    check(
        "\
- Use tea

<!-- cerberus:start (written by `cerberus memory inject --into`) -->
## Rules

- Use coffee
<!-- cerberus:end -->

<!-- - Use water -->

- Use cups
",
        expect![[r#"
            1   + Use tea  []
            3   - managed by `inject --into`
            11  + Use cups  []
        "#]],
    );
}

#[test]
fn frontmatter_and_line_endings_are_ignored() {
    check(
        "---\r\ndescription: Tea\r\nglobs: *.py\r\n---\r\n# Tea\r\n\r\n- Use pots\r\n  and cups\r\n",
        expect![[r#"
            7   + Tea: Use pots
                  and cups  [tea]
        "#]],
    );
    check("", expect![[""]]);
}

#[test]
fn large_documents_take_linear_time() {
    for part in [
        "- a\n<!-- -->\n",
        "please ",
        "# Never a b c\n\nx\n\n",
        "<x>\n",
        "> ",
        "a: ",
    ] {
        parse(&part.repeat(4_000), "shop");
    }
}

proptest! {
    #[test]
    fn any_text_parses(text in "([-*>#1. ]{0,3}|never|use|`|:|\n|\r\n| |a|\\[b\\]\\(c\\)|<!-- cerberus:start|<!--|\\PC){0,60}") {
        for found in parse(&text, "shop") {
            prop_assert!(found.line <= text.matches('\n').count());
            prop_assert!(found.text.get(found.prefix_len..).is_some());
        }
    }
}

#[test]
fn all_shapes_of_rules_are_taken() {
    check(
        "\
# Shop

The shop is a platform that sells tea.

**Prices are integers.** This is a strong requirement, so never store a float.

RULE: sort imports
RULE: one class in a file

The checked-in configuration is authoritative. Run `make check` before a commit.

> [!IMPORTANT]
> Ask before you change `db/`.

## Never sleep in tests

A sleep makes the suite slow.

```py
clock.advance(1)
```

<important if=\"you write SQL\">

- Bind values

</important>

## Escaping

Escape text before it is rendered:

```ts
escapeHtml(text)
```

Bad:

```ts
text
```

| do | don't |
|---|---|
| `price = 100` | `price = 1.0` |

All changes need to:

- be small
- have tests

Install the tools:

```sh
make tools
```

The cache never expires.
",
        expect![[r#"
            3   - prose
            5   + **Prices are integers.** This is a strong requirement, so never store a float.  []
            7   + RULE: sort imports
                  RULE: one class in a file  []
            10  + The checked-in configuration is authoritative. Run `make check` before a commit.  []
            12  + Ask before you change `db/`.  []
            15  + Never sleep in tests

                  A sleep makes the suite slow.

                  ```py
                  clock.advance(1)
                  ```  []
            25  + if you write SQL: Bind values  []
            31  + Escaping: Escape text before it is rendered:

                  ```ts
                  escapeHtml(text)
                  ```

                  Bad:

                  ```ts
                  text
                  ```  [escaping]
            45  + Escaping: Escape text before it is rendered:
                  ```ts
                  escapeHtml(text)
                  ```
                  … Bad:
                  ```ts
                  text
                  ```
                  do: `price = 100`; don't: `price = 1.0`  [escaping]
            47  - an introduction
            49  + Escaping: All changes need to: be small  [escaping]
            50  + Escaping: All changes need to: have tests  [escaping]
            52  - an introduction
            54  - a separate code block
            58  - prose
        "#]],
    );
}

#[test]
fn a_heading_above_a_good_and_a_bad_example_is_a_rule() {
    check(
        "\
# Style

## Early returns

Bad:

```py
if x: run()
```

**Good**

```py
if not x: return
```

## Tools

Example:

```py
run()
```

- #fetch https://example.org/rules.md
",
        expect![[r#"
            3   + Early returns

                  Bad:

                  ```py
                  if x: run()
                  ```

                  **Good**

                  ```py
                  if not x: return
                  ```  []
            19  - an introduction
            21  - a separate code block
            25  - links
        "#]],
    );
}

#[test]
fn siblings_are_judged_together() {
    check(
        "\
## Orders

- Use integers
- Mock the clock
- Body: why before what
- Carts are small

<!-- next -->
- Clone carts

## Parts

- Mock clocks
- Prices
- Carts
",
        expect![[r#"
            3   + Orders: Use integers  [orders]
            4   + Orders: Mock the clock  [orders]
            5   ? Orders: Body: why before what  [orders]
            6   - a statement
            9   + Orders: Clone carts  [orders]
            13  - a statement
            14  - a statement
            15  - a statement
        "#]],
    );
}

#[test]
fn facts_offers_and_premises_are_not_rules() {
    check(
        "\
# Shop

## Requirements

- Docker
- Node.js: v22

## Testing

- Framework: tape
- Fast tests: `make quick` (without the database)
- `make slow` runs the database, too
- Test files: `*.test.ts` beside the sources
- Every fixture is located in `fixtures/`

## Reviews

- Packages usually bundle their prices
- If your request stalls, you can ask again
- If the cart never answers, the request fails
- Please note that reviews take a week
- Install the hooks with `make hooks`
- [Debug prices](debug.md)
- Keep them short

The checks include:

- Searching for typos
- Formatting
",
        expect![[r#"
            5   - a step or a command
            6   - a description, not a rule
            10  - a description, not a rule
            11  - a description, not a rule
            12  - a statement
            13  + Test files: `*.test.ts` beside the sources  [testing]
            14  ? Every fixture is located in `fixtures/`  [testing]
            18  - a statement
            19  - an offer
            20  - a statement
            21  - a statement
            22  - a step or a command
            23  - links
            24  + Keep them short  [reviews]
            26  - an introduction
            28  - a statement
            29  - a statement
        "#]],
    );
}

#[test]
fn instructions_in_steps_are_found_by_their_shape() {
    check(
        "\
# Shop

## Opening a pull request

- Fill in the template
- Cherish the existing style

## Opening an issue

1. Click on the button

## Adding a price

> [!REQUIRED]

**Keep the description short** — one sentence.

**Run one case** by name with `make one`.

1. Create a file
2. Run `make prices` if adding a currency
",
        expect![[r#"
            5   + Opening a pull request: Fill in the template  [opening-a-pull-request]
            6   + Opening a pull request: Cherish the existing style  [opening-a-pull-request]
            10  - a step or a command
            14  - prose
            16  + Adding a price: **Keep the description short** — one sentence.  [adding-a-price]
            18  - prose
            20  - a step or a command
            21  + Adding a price: Run one case by name with `make one`: Run `make prices` if adding a currency  [adding-a-price]
        "#]],
    );
}

#[test]
fn a_rule_that_no_memory_can_hold_is_skipped() {
    let text = format!(
        "- Always close it\n- Always close {}\n",
        "the session ".repeat(10_000)
    );
    assert_eq!(
        shown(&text),
        "1   + Always close it  []\n2   - longer than a memory\n"
    );
}
