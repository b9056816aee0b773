//! What an introduction gives to the items below it.

use expect_test::expect;

use super::check;

#[test]
fn a_list_of_faults_keeps_its_introduction() {
    check(
        "\
# Shop

## Common Mistakes

- Leaving the file open after reading
- Not closing the file after reading
- Setting the id but not the name
- Never log in a loop

## Review

Flag PRs that:

- Ignore the `ORDERS` constants

For every `tracing` call:

- Put the fields first

Names must be lower case. Exceptions:

- Files such as `README.md` must keep their names

Important nuance:

#fetch https://example.org/rules

- Examples (`examples/`) must compile and never use `unwrap`
- Example (short): `x`
",
        expect![[r#"
            5   + Common Mistakes: Leaving the file open after reading  [common-mistakes]
            6   + Common Mistakes: Not closing the file after reading  [common-mistakes]
            7   + Common Mistakes: Setting the id but not the name  [common-mistakes]
            8   + Common Mistakes: Never log in a loop  [common-mistakes]
            12  - an introduction
            14  + Flag PRs that: Ignore the `ORDERS` constants  [review]
            16  - an introduction
            18  + For every `tracing` call: Put the fields first  [review]
            20  + Names must be lower case. Exceptions:  [review]
            22  + Names must be lower case. Exceptions: Files such as `README.md` must keep their names  [review]
            24  - an introduction
            26  - prose
            28  + Important nuance: #fetch https://example.org/rules: Examples (`examples/`) must compile and never use `unwrap`  [review]
            29  - an example
        "#]],
    );
}

#[test]
fn a_bold_lead_gives_its_sense_to_the_list_below_it() {
    check(
        "\
# Shop

**Never**

- commit secrets
- Push to `main`

**Always**

- Run the tests

- **Never**
  - Use `any`
  - Call the store from a view
- **Errors**
  - Wrap them with their cause

- **Never**

**Don't use `var`**

**Note**

When you add a column, write it as:

```sql
ALTER TABLE
```
",
        expect![[r#"
            3   - an introduction
            5   + Never: commit secrets  [shop]
            6   + Never: Push to `main`  [shop]
            8   - an introduction
            10  + Always: Run the tests  [shop]
            12  - an introduction
            13  + Always: Never: Use `any`  [shop]
            14  + Always: Never: Call the store from a view  [shop]
            15  - an introduction
            16  + Always: Errors: Wrap them with their cause  [shop]
            18  - an introduction
            20  + **Don't use `var`**  [shop]
            22  - prose
            24  + When you add a column, write it as:

                  ```sql
                  ALTER TABLE
                  ```  [shop]
        "#]],
    );
}
