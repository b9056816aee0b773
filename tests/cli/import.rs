//! `memory import` of rules. For exports see `export.rs`.

use expect_test::expect;

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

#[test]
fn importing_twice_adds_rules_once() {
    let sandbox = with_agents();
    sandbox.session(expect![[r#"
        $ cerberus memory import AGENTS.md --dry-run
        AGENTS.md:3	skipped	prose	Agents read this first.	
        AGENTS.md:7	added	close-the-session-as-request-session	Close the session as `request_session` does	shop/db.py::request_session
        AGENTS.md:8	added	never-write-sql-by-hand-see	Never write SQL by hand, see shop/orders.py	shop/orders.py
        AGENTS.md:12	added	escape-html-entities-before-text-is	Escape HTML entities before text is rendered as markup:	web/html.ts::escapeHtml
        AGENTS.md:17	skipped	a description, not a rule	`web/` - the pages	
        3 rules would be added, 0 changed, 0 duplicates, 2 skipped
        [exit 0]

        $ cerberus memory import AGENTS.md
        added close-the-session-as-request-session (AGENTS.md:7)
          example shop/db.py::request_session
        added never-write-sql-by-hand-see (AGENTS.md:8)
          example shop/orders.py
        added escape-html-entities-before-text-is (AGENTS.md:12)
          example web/html.ts::escapeHtml
        3 rules added, 0 changed, 0 duplicates, 2 skipped
          show the skipped items and the reasons with --dry-run
        [exit 0]

        $ cerberus memory import AGENTS.md
        0 rules added, 0 changed, 3 duplicates, 2 skipped
          show the skipped items and the reasons with --dry-run
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
    sandbox.write("NOTES.md", "# Notes\n\n## Code\n\n### Names\n\n- Use short names\n- Names\n");
    sandbox.session(expect![[r#"
        $ cerberus memory import NOTES.md --no-anchor --json
        {
          "dryRun": false,
          "items": [
            {
              "anchor": null,
              "category": "names",
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
          "warnings": []
        }
        [exit 0]
    "#]]);
}

#[test]
fn a_dry_run_writes_nothing() {
    let sandbox = with_agents();
    let before = sandbox.ok("memory export");
    sandbox.ok("memory import AGENTS.md --dry-run --json");
    assert_eq!(sandbox.ok("memory export"), before);
}

#[test]
fn edited_memories_and_moved_items_are_recognised() {
    let sandbox = with_agents();
    sandbox.ok("memory import AGENTS.md --no-anchor");
    sandbox.ok("memory update never-write-sql-by-hand-see --content \"Let the mapper write SQL\"");
    sandbox.write("AGENTS.md", AGENTS.replace("# The shop\n", "# The shop\n\nMoved down.\n"));
    sandbox.session(expect![[r#"
        $ cerberus memory import AGENTS.md
        0 rules added, 0 changed, 3 duplicates, 3 skipped
          show the skipped items and the reasons with --dry-run
        [exit 0]
    "#]]);
    sandbox.edit("AGENTS.md", "Close the session as", "Always close the session as");
    sandbox.session(expect![[r#"
        $ cerberus memory import AGENTS.md
        changed AGENTS.md:9: `close-the-session-as-request-session` was imported from an earlier version of this item; update it with `cerberus memory update close-the-session-as-request-session --content …`, or delete it and import again
        0 rules added, 1 changed, 2 duplicates, 3 skipped
          show the skipped items and the reasons with --dry-run
        [exit 0]

        $ cerberus memory update close-the-session-as-request-session --content "Always close the session as `request_session` does"
        updated close-the-session-as-request-session (close-the-session-as-request-session.md)
        [exit 0]

        $ cerberus memory import AGENTS.md
        0 rules added, 0 changed, 3 duplicates, 3 skipped
          show the skipped items and the reasons with --dry-run
        [exit 0]
    "#]]);
    sandbox.edit("AGENTS.md", "- Never write SQL by hand, see shop/orders.py\n", "");
    sandbox.session(expect![[r#"
        $ cerberus memory import AGENTS.md
        0 rules added, 0 changed, 2 duplicates, 3 skipped
          show the skipped items and the reasons with --dry-run
        --- stderr
        warning: `never-write-sql-by-hand-see` came from `AGENTS.md`, which no longer contains it
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
        added answer-clients-over-the-limit-with (.cursor/rules/go-api.mdc:6)
        added use-the-carts-own-total (.cursor/rules/web.mdc:6)
        2 rules added, 0 changed, 0 duplicates, 0 skipped
        [exit 0]

        $ cerberus memory read answer-clients-over-the-limit-with --raw
        ---
        type: rule
        category: go-api
        scope: language:go
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
        [exit 0]

        $ cerberus memory read keep-most-state-here-as-docs --raw
        --- stderr
        cerberus: memory `keep-most-state-here-as-docs` not found
        hint: did you mean `keep-most-state-here-as-web`?
        [exit 2]

        $ cerberus memory read use-shop-orders-py-for-orders --raw
        ---
        type: rule
        category: the
        heading: State › The Cart
        scope: project:shop
        paths: [web/**]
        tags: [state]
        created_at: "2026-01-02T03:04:05Z"
        source: web/AGENTS.md:8 (5f6586d7)
        ---

        Use `shop/orders.py` for orders
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
        $ cerberus memory import
        --- stderr
        Import rules from AGENTS.md and similar files, or a bank from an export

        Usage: cerberus memory import [OPTIONS] [FILE]...

        Arguments:
          [FILE]...  Documents with rules, or folders of documents

        Options:
              --dry-run               Show what would be imported and skipped
              --no-anchor             Do not search for examples of the rules
              --scope <SCOPE>         Scope of the rules: universal, language:NAME or project:NAME
              --from-export <EXPORT>  Import the output of `cerberus memory export` (`-` for standard input)
              --overwrite             Replace memories that differ, and move the old ones to the trash
              --allow-secret          Write text that looks like a private key or an access token
          -h, --help                  Print help (see more with '--help')
          -V, --version               Print version

        Global options:
              --project <DIR>  Work on the project in this folder instead of the one around the current
                               folder
              --json           Print one JSON document (JSON Lines where a command says so)
              --color <WHEN>   Colour the output [default: auto] [possible values: auto, always, never]
              --timings        Print on stderr where the time went

        List items that give an instruction become rules: AGENTS.md, CLAUDE.md, CONTRIBUTING.md,
        .github/copilot-instructions.md, .cursor/rules, .clinerules. Prose, links, listings and steps are
        skipped; --dry-run shows the reasons. The example of a rule is the file or symbol that it mentions,
        otherwise the best candidate above the threshold. Already imported items are skipped, even if their
        memory was edited since; changed items are reported.

        An export is checked before anything is written. Identical files are skipped; files that differ
        from those in the bank are an error without --overwrite.

        Examples:
          cerberus memory import AGENTS.md .cursor/rules --dry-run
          cerberus memory import --from-export memories.jsonl
        [exit 2]

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
        hint: name a file, or a folder with `.md`, `.mdc`, `.markdown`, `.txt` files
        [exit 2]

        $ cerberus memory import PROSE.md
        0 rules added, 0 changed, 0 duplicates, 1 skipped
          show the skipped items and the reasons with --dry-run
        --- stderr
        warning: `PROSE.md` contains no rules: no list item gives an instruction
        [exit 0]

        $ cerberus memory import PROSE.md --overwrite
        --- stderr
        error: the argument '[FILE]...' cannot be used with '--overwrite'

        Usage: cerberus memory import <FILE>...

        For more information, try '--help'.
        [exit 2]
    "#]]);
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
    assert_eq!(report["items"].as_array().map(Vec::len), first["items"].as_array().map(Vec::len));
}

fn n_added(report: &serde_json::Value) -> usize {
    let items = report["items"].as_array().expect("items").iter();
    items.filter(|item| item["outcome"].as_str().expect("a text") == "added").count()
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
