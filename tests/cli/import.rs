//! `memory import` of rules.

use expect_test::expect;
use serde_json::json;

use crate::mcp::Client;
use crate::sandbox::Sandbox;

const AGENTS: &str = "\
# The shop

Agents read this first.

## Database

- Close the session as `request_session` does
- Never write SQL by hand, see shop/orders.py

## Web

- Escape HTML entities before text is rendered as markup:

  ```ts
  escapeHtml(text)
  ```
- `web/` - the pages
";

fn with_agents() -> Sandbox {
    let sandbox = Sandbox::bank();
    sandbox.write("AGENTS.md", AGENTS);
    sandbox
}

/// Nobody sees each of the many anchors of an import.
#[test]
fn an_import_needs_more_than_a_rule_that_is_added() {
    let sandbox = Sandbox::bank();
    sandbox.remove("cerberus.toml");
    sandbox.write("AGENTS.md", "- Add up the lines of an order, in cents\n");
    sandbox.session(expect![[r#"
        $ cerberus memory import AGENTS.md
        added add-up-the-lines-of-an-order (AGENTS.md:1)
          [1] shop/orders.py::total:4-6  Q
              def total(lines):
                  """Add up the lines of an order."""
                  return sum(line.price * line.quantity for line in lines)
          [2] web/cart.ts::addToCart:7-13  Q
              /** Puts one more piece into the cart. */
              export function addToCart(cart: CartLine[], sku: string): CartLine[] {
                const line = cart.find((it) => it.sku === sku);
                // … 3 lines
                return [...cart, { sku, quantity: 1 }];
              }
          [3] shop/orders.py::ship:9-13  Q
              def ship(order, carrier):
                  """Hand an order to its carrier."""
                  label = carrier.label(order.address)
                  order.shipped_with(label)
                  return label
        1 rule added, 0 changed, 0 duplicates, 0 skipped
        1 rule: 0 anchored, 1 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]
    "#]]);
    assert_eq!(
        sandbox.json("memory review")["items"][0]["confidence"],
        "likely"
    );
    let anchored = sandbox.ok("memory anchor add-up-the-lines-of-an");
    assert!(anchored.contains("shop/orders.py::total"), "{anchored}");

    sandbox.remove(".memories");
    sandbox.ok("memory init");
    sandbox.write("cerberus.toml", "[anchor]\nmin_quality = 0.7\n");
    assert!(
        sandbox
            .ok("memory import AGENTS.md")
            .contains("1 rule: 1 anchored")
    );
}

#[test]
fn importing_twice_adds_rules_once() {
    let sandbox = with_agents();
    sandbox.session(expect![[r#"
        $ cerberus memory import AGENTS.md --dry-run
        AGENTS.md:3	skipped	prose	Agents read this first.	
        AGENTS.md:7	added	close-the-session-as-request-session	Close the session as `request_session` does	shop/db.py::request_session
        AGENTS.md:8	added	never-write-sql-by-hand-see	Never write SQL by hand, see shop/orders.py	
        AGENTS.md:12	added	escape-html-entities-before-text-is-rendered	Escape HTML entities before text is rendered as markup:	web/html.ts::escapeHtml
        AGENTS.md:17	skipped	a description, not a rule	`web/` - the pages	
        3 rules would be added, 0 changed, 0 duplicates, 2 skipped
        [exit 0]

        $ cerberus memory import AGENTS.md
        added close-the-session-as-request-session (AGENTS.md:7)
          example shop/db.py::request_session
        added never-write-sql-by-hand-see (AGENTS.md:8)
        added escape-html-entities-before-text-is-rendered (AGENTS.md:12)
          example web/html.ts::escapeHtml
        3 rules added, 0 changed, 0 duplicates, 2 skipped
          show the skipped items and the reasons with --dry-run
        3 rules: 2 anchored, 1 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]

        $ cerberus memory import AGENTS.md
        0 rules added, 0 changed, 3 duplicates, 2 skipped
          show the skipped items and the reasons with --dry-run
        3 rules: 2 anchored, 1 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]

        $ cerberus memory read escape-html-entities-before-text-is --raw
        ---
        type: rule
        category: web
        heading: Web
        scope: project:shop
        created_at: "2026-01-02T03:04:05Z"
        source: AGENTS.md:12 (b2a9e179)
        ---

        Escape HTML entities before text is rendered as markup:

        ```ts
        escapeHtml(text)
        ```
        [exit 0]
    "#]]);
}

#[test]
fn import_prints_a_json_report() {
    let sandbox = Sandbox::bank();
    sandbox.write(
        "NOTES.md",
        "# Notes\n\n## Code\n\n### Names\n\n- Use short names\n- Names\n",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory import NOTES.md --no-anchor --json
        {
          "documents": [
            {
              "added": 1,
              "anchored": 0,
              "changed": 0,
              "conflicts": 0,
              "duplicates": 0,
              "file": "NOTES.md",
              "proposed": 0,
              "removed": 0,
              "skipped": 1
            }
          ],
          "dryRun": false,
          "items": [
            {
              "anchor": null,
              "category": "names",
              "endLine": 7,
              "file": "NOTES.md",
              "heading": "Code › Names",
              "id": "use-short-names",
              "line": 7,
              "outcome": "added",
              "paths": [],
              "reason": null,
              "scope": "project:shop",
              "tags": [
                "code"
              ],
              "text": "Use short names"
            },
            {
              "anchor": null,
              "category": null,
              "endLine": 8,
              "file": "NOTES.md",
              "heading": null,
              "id": null,
              "line": 8,
              "outcome": "skipped",
              "paths": [],
              "reason": "a statement",
              "scope": null,
              "tags": [],
              "text": "Names"
            }
          ],
          "rules": {
            "anchored": 0,
            "noExample": 0,
            "process": 0,
            "total": 1,
            "waiting": 1
          },
          "warnings": []
        }
        [exit 0]
    "#]]);
}

#[test]
fn a_dry_run_writes_nothing() {
    let sandbox = with_agents();
    let before = sandbox.bank_files();
    sandbox.ok("memory import AGENTS.md --dry-run --json");
    assert_eq!(sandbox.bank_files(), before);
}

#[test]
fn a_dry_run_needs_no_bank() {
    let sandbox = Sandbox::empty();
    sandbox.write("AGENTS.md", "- Use tea\n");
    let report = sandbox.json("memory import --dry-run");
    assert_eq!(n_added(&report), 1, "{report}");
    assert!(!sandbox.exists(".memories"));
    let imported = sandbox.run("memory import");
    assert_eq!(imported.status(), 2);
    assert!(
        imported.stderr().contains("cerberus memory init"),
        "{}",
        imported.stderr()
    );
}

#[test]
fn edited_memories_and_moved_items_are_recognised() {
    let sandbox = with_agents();
    sandbox.ok("memory import AGENTS.md --no-anchor");
    sandbox.ok("memory update never-write-sql-by-hand-see --content \"Let the mapper write SQL\"");
    sandbox.write(
        "AGENTS.md",
        AGENTS.replace("# The shop\n", "# The shop\n\nMoved down.\n"),
    );
    sandbox.session(expect![[r#"
        $ cerberus memory import AGENTS.md
        0 rules added, 0 changed, 3 duplicates, 3 skipped
          show the skipped items and the reasons with --dry-run
        3 rules: 0 anchored, 3 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]
    "#]]);
    sandbox.edit(
        "AGENTS.md",
        "Close the session as",
        "Always close the session as",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory import AGENTS.md
        changed close-the-session-as-request-session (AGENTS.md:9): `close-the-session-as-request-session` was imported from an earlier version of this item
        0 rules added, 1 changed, 2 duplicates, 3 skipped
          show the skipped items and the reasons with --dry-run
        3 rules: 0 anchored, 3 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]

        $ cerberus memory update close-the-session-as-request-session --content "Always close the session as `request_session` does"
        unchanged close-the-session-as-request-session (close-the-session-as-request-session.md)
        [exit 0]

        $ cerberus memory import AGENTS.md
        0 rules added, 0 changed, 3 duplicates, 3 skipped
          show the skipped items and the reasons with --dry-run
        3 rules: 0 anchored, 3 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]
    "#]]);
    sandbox.edit(
        "AGENTS.md",
        "- Never write SQL by hand, see shop/orders.py\n",
        "",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory import AGENTS.md
        removed never-write-sql-by-hand-see (AGENTS.md:8): no longer in the document
        0 rules added, 0 changed, 1 removed, 2 duplicates, 3 skipped
          show the skipped items and the reasons with --dry-run
          move the removed ones to the trash with --prune
        3 rules: 0 anchored, 3 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]
    "#]]);
}

#[test]
fn rules_in_a_folder_get_a_scope() {
    let sandbox = Sandbox::bank();
    sandbox.write(
        ".cursor/rules/go-api.mdc",
        "---\ndescription: The API\nglobs: **/*.go\nalwaysApply: false\n---\n- Answer clients over the limit with a retry header\n",
    );
    sandbox.write(
        ".cursor/rules/web.mdc",
        "---\nglobs: [\"web/**/*.ts\"]\n---\n# Web\n\n- Use the cart's own total\n",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory import .cursor/rules --no-anchor
        added answer-clients-over-the-limit-with-a-retry (.cursor/rules/go-api.mdc:6)
        added use-the-carts-own-total (.cursor/rules/web.mdc:6)
        2 rules added, 0 changed, 0 duplicates, 0 skipped
        2 rules: 0 anchored, 2 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]

        $ cerberus memory read answer-clients-over-the-limit-with --raw
        ---
        type: rule
        category: go-api
        scope: language:go
        paths: ["**/*.go"]
        created_at: "2026-01-02T03:04:05Z"
        source: .cursor/rules/go-api.mdc:6 (11db91f4)
        ---

        Answer clients over the limit with a retry header
        [exit 0]

        $ cerberus memory read use-the-carts-own-total --raw
        ---
        type: rule
        category: web
        heading: Web
        scope: project:shop
        paths: [web/**/*.ts]
        created_at: "2026-01-02T03:04:05Z"
        source: .cursor/rules/web.mdc:6 (cd0a6b83)
        ---

        Use the cart's own total
        [exit 0]
    "#]]);
}

#[test]
fn a_heading_that_names_a_folder_or_a_language_scopes_its_rules() {
    let sandbox = Sandbox::bank();
    sandbox.write("web/page.ts", "export const page = 1;\n");
    sandbox.write(
        "AGENTS.md",
        "# Shop\n\n## Pages (TypeScript)\n\n- Never use `any`\n\n## Rules for `web/`\n\n- Always use `page`\n",
    );
    let report = sandbox.json("memory import AGENTS.md --no-anchor");
    assert_eq!(report["items"][0]["scope"], "language:typescript");
    assert_eq!(report["items"][1]["paths"][0], "web/**");
    sandbox.ok("memory import AGENTS.md --check");
}

#[test]
fn what_may_be_a_rule_is_proposed_until_somebody_confirms_it() {
    let sandbox = Sandbox::bank();
    sandbox.write(
        "AGENTS.md",
        "# Shop\n\n- Never sell tea on a Sunday\n- [ ] Weigh the tea\n",
    );
    let report = sandbox.json("memory import AGENTS.md --no-anchor");
    assert_eq!(report["documents"][0]["proposed"], 1);
    assert_eq!(report["items"][1]["doubt"], "a task list item");
    let injected = || sandbox.ok("memory inject --query tea");
    let by_mcp = || {
        let mut client = Client::new(&sandbox);
        let call = json!({ "name": "inject_context", "arguments": { "query": "tea" } });
        client.ask("tools/call", call).to_string()
    };
    assert!(!injected().contains("Weigh") && !by_mcp().contains("Weigh"));
    assert!(
        sandbox
            .ok("memory show --status proposed")
            .contains("Weigh")
    );
    let listed = sandbox.json("memory review --list");
    assert_eq!(listed["proposals"][0]["id"], "weigh-the-tea");
    assert!(
        sandbox
            .ok("memory review --list")
            .contains("1 proposed rule")
    );
    sandbox.ok("memory update weigh-the-tea --status active");
    assert!(injected().contains("Weigh"));
    assert!(by_mcp().contains("Weigh"));
    let by_hook = |session: &str| {
        let prompt =
            json!({ "session_id": session, "cwd": sandbox.path(""), "prompt": "Weigh the tea" });
        let outcome = sandbox.piped("hooks run claude prompt", prompt.to_string());
        outcome.stdout()
    };
    sandbox.ok("memory update weigh-the-tea --status proposed");
    assert!(!by_hook("a").contains("Weigh"));
    sandbox.ok("memory update weigh-the-tea --status active");
    assert!(by_hook("b").contains("Weigh"));
    sandbox.ok("memory import AGENTS.md --check");
}

#[test]
fn a_nested_document_holds_for_its_folder() {
    let sandbox = Sandbox::bank();
    sandbox.write("web/docs/cart.md", "x");
    sandbox.write(
        "web/AGENTS.md",
        "# Web\n\n## State\n\n### The `Cart`\n\n- Keep most state here, as `docs/cart.md` and [html](html.ts) show\n- Use `shop/orders.py` for orders\n",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory import web/AGENTS.md --no-anchor
        added keep-most-state-here-as-web (web/AGENTS.md:7)
        added use-shop-orders-py-for-orders (web/AGENTS.md:8)
        2 rules added, 0 changed, 0 duplicates, 0 skipped
        2 rules: 0 anchored, 2 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]

        $ cerberus memory read keep-most-state-here-as-web --raw
        ---
        type: rule
        category: the
        heading: State › The Cart
        scope: project:shop
        paths: [web/**]
        tags: [state]
        created_at: "2026-01-02T03:04:05Z"
        source: web/AGENTS.md:7 (cc457d81)
        ---

        The Cart: Keep most state here, as `web/docs/cart.md` and [html](web/html.ts) show
        [exit 0]

        $ cerberus memory read use-shop-orders-py-for-orders --raw
        ---
        type: rule
        category: the
        heading: State › The Cart
        scope: project:shop
        paths: [web/**]
        tags: [state]
        created_at: "2026-01-02T03:04:05Z"
        source: web/AGENTS.md:8 (ca2ea591)
        ---

        The Cart: Use `shop/orders.py` for orders
        [exit 0]
    "#]]);
}

#[test]
fn an_unreadable_source_is_refused() {
    let sandbox = Sandbox::bank();
    sandbox.write("PROSE.md", "Only prose.\n");
    sandbox.write("../outside.md", "- Use tea\n");
    sandbox.write("empty/x.py", "x = 1\n");
    sandbox.session(expect![[r#"
        $ cerberus memory import MISSING.md
        --- stderr
        cerberus: failed to read `MISSING.md`: No such file or directory (os error 2)
        hint: name a file of the project, such as `AGENTS.md`
        [exit 2]

        $ cerberus memory import ../outside.md
        --- stderr
        cerberus: `../outside.md` is outside the project `$ROOT/shop`
        hint: copy it into the project, or name its project with `--project DIR`
        [exit 2]

        $ cerberus memory import empty
        --- stderr
        cerberus: no documents found in the folder `empty`
        hint: name a file, or a folder with `.md`, `.mdc`, `.mdx`, `.markdown`, `.txt` files
        [exit 2]

        $ cerberus memory import PROSE.md
        0 rules added, 0 changed, 0 duplicates, 1 skipped
          show the skipped items and the reasons with --dry-run
        0 rules: 0 anchored, 0 waiting, 0 process, 0 no example
        --- stderr
        warning: `PROSE.md` contains no rules: nothing in it demands anything
        [exit 0]
    "#]]);
}

#[test]
fn other_markup_is_refused() {
    let sandbox = Sandbox::bank();
    sandbox.write("CONTRIBUTING.rst", "Rules\n=====\n\n* Use tea\n");
    sandbox.write("style.adoc", "= Style\n\n* Use tea\n");
    sandbox.session(expect![[r#"
        $ cerberus memory import CONTRIBUTING.rst
        --- stderr
        cerberus: `CONTRIBUTING.rst` is not markdown or plain text, but `.rst`
        hint: convert it first, for example with `pandoc -t gfm CONTRIBUTING.rst -o rules.md`
        [exit 2]

        $ cerberus memory import style.adoc
        --- stderr
        cerberus: `style.adoc` is not markdown or plain text, but `.adoc`
        hint: convert it first, for example with `pandoc -t gfm style.adoc -o rules.md`
        [exit 2]
    "#]]);
}

#[test]
fn all_files_of_rules_are_found_with_their_imports() {
    let sandbox = Sandbox::bank();
    sandbox.write("AGENTS.md", "- Use tea\n");
    sandbox.write(
        "CLAUDE.md",
        "@AGENTS.md\n\nSee @README.md and @docs/style.md.\n",
    );
    sandbox.write("README.md", "- Always read this\n");
    sandbox.write("docs/style.md", "- Use short names\n");
    sandbox.write("docs/rfc.md", "- Use long names\n");
    sandbox.write("web/AGENTS.md", "- Use pots\n- Use tea\n");
    sandbox.write("web/CLAUDE.md", "@notes.md\n");
    sandbox.write("web/notes.md", "- Use cups\n");
    sandbox.write(
        ".cursor/rules/go.mdc",
        "---\nglobs: api/**\n---\n- Use a limiter\n",
    );
    sandbox.write(".gitignore", "vendor/\n");
    sandbox.write("vendor/AGENTS.md", "- Use water\n");
    sandbox.write("third_party/pots/AGENTS.md", "- Use sand\n");
    sandbox.session(expect![[r#"
        $ cerberus memory import --no-anchor
        added use-a-limiter (.cursor/rules/go.mdc:4)
        added use-tea (AGENTS.md:1)
        added use-pots (web/AGENTS.md:1)
        added use-short-names (docs/style.md:1)
        added use-cups (web/notes.md:1)
        5 rules added, 0 changed, 1 duplicate, 3 skipped
          show the skipped items and the reasons with --dry-run
        5 rules: 0 anchored, 5 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]

        $ cerberus memory import --no-anchor
        0 rules added, 0 changed, 6 duplicates, 3 skipped
          show the skipped items and the reasons with --dry-run
        5 rules: 0 anchored, 5 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]

        $ cerberus memory import --check
        the documents and the bank agree
        [exit 0]

        $ cerberus memory read use-tea --raw
        ---
        type: rule
        scope: project:shop
        created_at: "2026-01-02T03:04:05Z"
        source: [AGENTS.md:1 (9e5902d0), web/AGENTS.md:2 (9e5902d0)]
        ---

        Use tea
        [exit 0]

        $ cerberus memory read use-cups --raw
        ---
        type: rule
        scope: project:shop
        paths: [web/**]
        created_at: "2026-01-02T03:04:05Z"
        source: web/notes.md:1 (6b5ccab3)
        ---

        Use cups
        [exit 0]

        $ cerberus memory read use-a-limiter --raw
        ---
        type: rule
        category: go
        scope: project:shop
        paths: [api/**]
        created_at: "2026-01-02T03:04:05Z"
        source: .cursor/rules/go.mdc:4 (a58f660e)
        ---

        Use a limiter
        [exit 0]
    "#]]);
    sandbox.remove("AGENTS.md");
    sandbox.remove("web/notes.md");
    sandbox.session(expect![[r#"
        $ cerberus memory import --check
        changed use-tea (AGENTS.md:1): no longer a source of the rule
        removed use-cups (web/notes.md:1): no longer in the document
        2 differences between the documents and the bank
        next: cerberus memory import --prune, which moves the removed ones to the trash
        --- stderr
        warning: CLAUDE.md:1: `@AGENTS.md` is not imported: no such file
        warning: web/CLAUDE.md:1: `@notes.md` is not imported: no such file
        [exit 1]

        $ cerberus memory import --no-anchor --prune
        changed use-tea (AGENTS.md:1): no longer a source of the rule
        moved to the trash use-cups (web/notes.md:1): no longer in the document
        0 rules added, 1 changed, 1 removed, 4 duplicates, 3 skipped
          show the skipped items and the reasons with --dry-run
        4 rules: 0 anchored, 4 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        --- stderr
        warning: CLAUDE.md:1: `@AGENTS.md` is not imported: no such file
        warning: web/CLAUDE.md:1: `@notes.md` is not imported: no such file
        [exit 0]

        $ cerberus memory import --check
        the documents and the bank agree
        --- stderr
        warning: CLAUDE.md:1: `@AGENTS.md` is not imported: no such file
        warning: web/CLAUDE.md:1: `@notes.md` is not imported: no such file
        [exit 0]

        $ cerberus memory read use-tea --raw
        ---
        type: rule
        scope: project:shop
        created_at: "2026-01-02T03:04:05Z"
        updated_at: "2026-01-02T03:04:05Z"
        source: web/AGENTS.md:2 (9e5902d0)
        ---

        Use tea
        [exit 0]
    "#]]);
}

#[test]
fn the_bank_stays_in_step_with_a_document() {
    let sandbox = with_agents();
    sandbox.ok("memory import AGENTS.md");
    sandbox.edit(
        "AGENTS.md",
        "Close the session as",
        "Always close the session as",
    );
    sandbox.edit(
        "AGENTS.md",
        "- Never write SQL by hand, see shop/orders.py\n",
        "",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory import AGENTS.md --check
        changed close-the-session-as-request-session (AGENTS.md:7): `close-the-session-as-request-session` was imported from an earlier version of this item
        removed never-write-sql-by-hand-see (AGENTS.md:8): no longer in the document
        2 differences between the documents and the bank
        next: cerberus memory import --prune, which moves the removed ones to the trash
        [exit 1]

        $ cerberus memory import AGENTS.md
        changed close-the-session-as-request-session (AGENTS.md:7): `close-the-session-as-request-session` was imported from an earlier version of this item
        removed never-write-sql-by-hand-see (AGENTS.md:8): no longer in the document
        0 rules added, 1 changed, 1 removed, 1 duplicate, 2 skipped
          show the skipped items and the reasons with --dry-run
          move the removed ones to the trash with --prune
        3 rules: 2 anchored, 1 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]

        $ cerberus memory show close-the-session-as-request-session
        close-the-session-as-request-session  rule · project:shop · Database
          Always close the session as `request_session` does
          example shop/db.py::request_session:6-14  fresh  quality Q
            @contextmanager
            def request_session(factory):
                """Open a database session, closed in a finally block when the request ends."""
                session = factory()
                try:
                    yield session
                    session.commit()
                finally:
                    session.close()
        [exit 0]

        $ cerberus memory read close-the-session-as-request-session --raw
        ---
        type: rule
        category: database
        heading: Database
        scope: project:shop
        created_at: "2026-01-02T03:04:05Z"
        updated_at: "2026-01-02T03:04:05Z"
        source: AGENTS.md:7 (7e6c2067)
        ---

        Always close the session as `request_session` does
        [exit 0]

        $ cerberus memory delete close-the-session-as-request-session never-write-sql-by-hand-see
        close-the-session-as-request-session moved to the trash as .trash/close-the-session-as-request-session.md, with its anchor
        never-write-sql-by-hand-see moved to the trash as .trash/never-write-sql-by-hand-see.md
        undo with: cerberus memory restore close-the-session-as-request-session
        undo with: cerberus memory restore never-write-sql-by-hand-see
        [exit 0]

        $ cerberus memory import AGENTS.md
        0 rules added, 0 changed, 1 duplicate, 3 skipped
          show the skipped items and the reasons with --dry-run
        1 rule: 1 anchored, 0 waiting, 0 process, 0 no example
        [exit 0]

        $ cerberus memory import AGENTS.md --check
        the documents and the bank agree
        [exit 0]

        $ cerberus memory restore close-the-session-as-request-session
        close-the-session-as-request-session restored as close-the-session-as-request-session.md, with its anchor
        [exit 0]

        $ cerberus memory import AGENTS.md
        0 rules added, 0 changed, 2 duplicates, 2 skipped
          show the skipped items and the reasons with --dry-run
        2 rules: 2 anchored, 0 waiting, 0 process, 0 no example
        [exit 0]
    "#]]);
}

#[test]
fn an_item_that_was_edited_in_both_places_is_a_conflict() {
    let sandbox = with_agents();
    sandbox.ok("memory import AGENTS.md --no-anchor");
    sandbox.ok("memory update never-write-sql-by-hand-see --content \"Never write SQL by hand at all, see shop/orders.py\"");
    sandbox.edit(
        "AGENTS.md",
        "Never write SQL by hand",
        "Never ever write SQL by hand",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory import AGENTS.md --no-anchor
        conflict never-write-sql-by-hand-see (AGENTS.md:8): `never-write-sql-by-hand-see` was imported from an earlier version of this item and edited since; update it with `cerberus memory update never-write-sql-by-hand-see --content …`, or delete it and import again
        0 rules added, 0 changed, 1 in conflict, 2 duplicates, 2 skipped
          show the skipped items and the reasons with --dry-run
        3 rules: 0 anchored, 3 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]
    "#]]);
}

#[test]
fn an_import_records_the_commit() {
    let sandbox = with_agents();
    sandbox.git("init --quiet");
    sandbox.git("add AGENTS.md");
    sandbox.git("-c user.name=a -c user.email=b commit --quiet -m x");
    sandbox.ok("memory import AGENTS.md --no-anchor");
    let text = sandbox.ok("memory read never-write-sql-by-hand-see --raw");
    let source = text
        .lines()
        .find(|line| line.starts_with("source:"))
        .expect("a source");
    let commit = source.split(['@', ' ']).nth(2).expect("a commit");
    assert_eq!(commit.len(), 12, "{source}");
    assert!(
        sandbox
            .ok("memory import AGENTS.md --no-anchor")
            .starts_with("0 rules added, 0 changed")
    );
}

#[cfg(unix)]
#[test]
fn a_symlink_to_a_document_is_imported_once() {
    let sandbox = with_agents();
    std::os::unix::fs::symlink("AGENTS.md", sandbox.path("CLAUDE.md")).expect("a link");
    let first = sandbox.json("memory import AGENTS.md --no-anchor");
    assert_eq!(n_added(&first), 3);
    let report = sandbox.json("memory import CLAUDE.md AGENTS.md --no-anchor");
    assert_eq!(n_added(&report), 0);
    assert_eq!(
        report["items"].as_array().map(Vec::len),
        first["items"].as_array().map(Vec::len)
    );
}

fn n_added(report: &serde_json::Value) -> usize {
    let items = report["items"].as_array().expect("items").iter();
    items
        .filter(|item| item["outcome"].as_str().expect("a text") == "added")
        .count()
}

#[test]
fn memories_are_not_imported() {
    let sandbox = with_agents();
    sandbox.memory("tea", "- Use tea\n");
    sandbox.write("vendor/RULES.md", "- Use water\n");
    sandbox.write(".gitignore", "vendor/\n");
    let report = sandbox.json("memory import . --no-anchor");
    assert_eq!(n_added(&report), 3, "those of AGENTS.md alone");
}

#[test]
fn a_failed_import_changes_nothing() {
    let sandbox = with_agents();
    sandbox.write(".memories/use-tea.md/keep", "in the way");
    sandbox.write("AGENTS.md", "- Use pots\n- Use tea\n");
    let outcome = sandbox.run("memory import AGENTS.md --no-anchor");
    assert_eq!(outcome.status(), 2, "{}", outcome.text());
    assert!(!sandbox.exists(".memories/use-pots.md"));
}
