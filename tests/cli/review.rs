//! `memory review`, as a list, and rules without an example.

use expect_test::expect;
use serde_json::json;

use crate::mcp::Client;
use crate::sandbox::Sandbox;

/// The project with rules of which none has a sure example.
fn unsure() -> Sandbox {
    let sandbox = Sandbox::bank();
    sandbox.write("cerberus.toml", "[anchor]\nmin_quality = 1.0\n");
    sandbox.ok(
        "memory add \"Escape HTML entities in text before it is rendered as markup\" --id escape",
    );
    sandbox.ok("memory add \"Hang velvet curtains\" --id hang --kind code");
    sandbox.ok(
        "memory add \"Ask the maintainers before adding a dependency\" --id ask --kind process",
    );
    sandbox
}

#[test]
fn the_list_has_reasons_and_candidates_with_code() {
    unsure().session(expect![[r#"
        $ cerberus memory review --list
        1/2 escape  likely
          Escape HTML entities in text before it is rendered as markup
          the best candidate has a quality of Q, and an anchor needs Q
          [1] web/html.ts::escapeHtml:4-6  Q
              /** Escapes HTML entities in text before it is rendered as markup. */
              export function escapeHtml(text: string): string {
                return text.replace(/[&<>]/g, (found) => ENTITIES[found]);
              }
          [2] web/html.ts::ENTITIES:1-1  Q
              const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

        2/2 hang  unknown
          Hang velvet curtains
          no code contains any of its words

        2 memories to review; 1 process rule skipped (see --all)
        3 rules: 0 anchored, 2 waiting, 1 process, 0 no example
        next: cerberus memory review on a terminal, or cerberus memory anchor ID --to FILE::SYMBOL
        [exit 0]

        $ cerberus memory review ask hang --limit 1
        1/1 hang  unknown
          Hang velvet curtains
          no code contains any of its words

        2 memories to review, 1 of them listed
        3 rules: 0 anchored, 2 waiting, 1 process, 0 no example
        [exit 0]

        $ cerberus memory review --all --limit 1 --json
        {
          "items": [
            {
              "anchor": null,
              "candidates": [
                {
                  "endLine": 6,
                  "excerpt": "/** Escapes HTML entities in text before it is rendered as markup. */\nexport function escapeHtml(text: string): string {\n  return text.replace(/[&<>]/g, (found) => ENTITIES[found]);\n}",
                  "file": "web/html.ts",
                  "isAnchored": false,
                  "kind": "function",
                  "language": "typescript",
                  "matchedTerms": [
                    "html",
                    "escape",
                    "text",
                    "entities",
                    "rendered",
                    "markup"
                  ],
                  "quality": "Q",
                  "rank": 1,
                  "shownLines": [
                    [
                      3,
                      3
                    ],
                    [
                      4,
                      6
                    ]
                  ],
                  "startLine": 4,
                  "symbol": "escapeHtml"
                },
                {
                  "endLine": 1,
                  "excerpt": "const ENTITIES: Record<string, string> = { \"&\": \"&amp;\", \"<\": \"&lt;\", \">\": \"&gt;\" };",
                  "file": "web/html.ts",
                  "isAnchored": false,
                  "kind": "constant",
                  "language": "typescript",
                  "matchedTerms": [
                    "entities",
                    "html"
                  ],
                  "quality": "Q",
                  "rank": 2,
                  "shownLines": [
                    [
                      1,
                      1
                    ]
                  ],
                  "startLine": 1,
                  "symbol": "ENTITIES"
                }
              ],
              "confidence": "likely",
              "explanation": "the best candidate has a quality of Q, and an anchor needs Q",
              "file": "escape.md",
              "hints": [],
              "id": "escape",
              "kind": "code",
              "kindReasons": [],
              "reason": "unanchored",
              "rule": "Escape HTML entities in text before it is rendered as markup",
              "unknownHints": []
            }
          ],
          "proposals": [],
          "rules": {
            "anchored": 0,
            "noExample": 0,
            "process": 1,
            "total": 3,
            "waiting": 2
          },
          "skippedProcess": 0,
          "total": 3,
          "warnings": []
        }
        [exit 0]

        $ cerberus memory review --scope universal
        --- stderr
        cerberus: no memory has the scope `universal`
        hint: specify one of: all, project:shop
        [exit 2]
    "#]]);
}

#[test]
fn a_rule_without_an_example_is_not_searched_for() {
    let sandbox = unsure();
    sandbox.session(expect![[r#"
        $ cerberus memory anchor escape --none --dry-run
        would record that escape has no example: no command searches for one
        [exit 0]

        $ cerberus memory anchor escape --none
        recorded that escape has no example: no command searches for one
        [exit 0]

        $ cerberus memory anchor escape
        --- stderr
        cerberus: `escape` has `example: none` in its frontmatter: no example is searched for
        hint: specify its example with `cerberus memory anchor escape --to FILE::SYMBOL`
        hint: or list candidates with `cerberus memory anchor escape --candidates 5`, and store one with `--pick`
        [exit 2]

        $ cerberus memory review --list --limit 0
        1 memory to review, 0 of them listed; 1 process rule skipped (see --all)
        3 rules: 0 anchored, 1 waiting, 1 process, 1 no example
        [exit 0]

        $ cerberus memory review escape
        nothing to review
        3 rules: 0 anchored, 1 waiting, 1 process, 1 no example
        --- stderr
        warning: `escape` is skipped: it has `example: none` in its frontmatter; remove that with `cerberus memory anchor escape --clear`
        [exit 0]

        $ cerberus memory show escape
        escape  rule · project:shop
          Escape HTML entities in text before it is rendered as markup
          no example, by decision (`example: none`)
        [exit 0]

        $ cerberus memory stats
        memories		3
        type	rule	3
        scope	project:shop	3
        status	active	3
        anchored		0 (0.0 %)
        no example		1
        rules		3
        rules	anchored	0
        rules	waiting	1
        rules	process	1
        rules	no example	1
        [exit 0]

        $ cerberus memory anchor escape --clear
        escape may have an example again: find it with `cerberus memory anchor`
        [exit 0]

        $ cerberus memory anchor escape --none --to web/html.ts
        --- stderr
        cerberus: the argument `--none` cannot be used with `--to <FILE[::SYMBOL]>`
        hint: see cerberus memory anchor --help
        [exit 2]
    "#]]);
    sandbox.ok("memory anchor escape --none");
    sandbox.ok("memory anchor escape --to web/html.ts::escapeHtml");
    assert!(!sandbox.read(".memories/escape.md").contains("example:"));
    sandbox.ok("memory anchor escape --none");
    assert!(
        sandbox
            .read(".memories/escape.md")
            .contains("\nexample: none\n")
    );
    assert!(
        !sandbox.lock().contains("[[anchor]]"),
        "the anchor is removed"
    );
    assert_eq!(
        sandbox.json("memory show escape")["memories"][0]["example"],
        json!("none")
    );
    assert_eq!(sandbox.json("memory report")["counts"]["noExample"], 1);
}

#[test]
fn changed_examples_are_reviewed_with_their_code_first() {
    let sandbox = Sandbox::anchored();
    sandbox.ok("memory anchor escape-html --to web/html.ts::escapeHtml");
    sandbox.edit("web/html.ts", "return", "console.log(text);\n  return");
    let list = sandbox.json("memory review");
    let item = &list["items"][0];
    assert_eq!(
        (&item["id"], &item["reason"]),
        (&json!("escape-html"), &json!("edited"))
    );
    let first = &item["candidates"][0];
    assert_eq!(
        (&first["symbol"], &first["isAnchored"]),
        (&json!("escapeHtml"), &json!(true))
    );
    assert!(
        first["excerpt"]
            .as_str()
            .expect("code")
            .contains("console.log"),
        "{first}"
    );
    sandbox.remove("web/html.ts");
    assert_eq!(sandbox.json("memory review")["items"][0]["reason"], "gone");
}

#[test]
fn the_kind_in_the_frontmatter_overrides_the_wording() {
    let sandbox = unsure();
    sandbox.session(expect![[r#"
        $ cerberus memory anchor ask
        ask is not anchored: the rule has `kind: process`, so that no code is searched for
        [exit 1]

        $ cerberus memory anchor ask --kind code --hint vendor
        recorded that ask is of the kind code
        ask is not anchored: no code contains any of its words
        not found in the code: `ask`
        not found in the code: `maintainers`
        not found in the code: `adding`
        not found in the code: `dependency`
        not found in the code: `vendor`
        [exit 1]

        $ cerberus memory update ask --kind code
        unchanged ask (ask.md)
        [exit 0]

        $ cerberus memory show ask
        ask  rule · project:shop · kind code
          Ask the maintainers before adding a dependency
        [exit 0]

        $ cerberus memory update escape --kind process
        updated escape (escape.md)
        [exit 0]

        $ cerberus memory anchor escape --hint qqqq
        escape is not anchored: the rule has `kind: process`, so that no code is searched for
          [1] web/html.ts::escapeHtml:4-6  Q
              /** Escapes HTML entities in text before it is rendered as markup. */
              export function escapeHtml(text: string): string {
                return text.replace(/[&<>]/g, (found) => ENTITIES[found]);
              }
              +Q html in name, doc, path
              +Q escape in name, doc
              +Q text in signature, doc, body
              +Q entities in doc, body
              +Q rendered in doc
              +Q markup in doc
          [2] web/html.ts::ENTITIES:1-1  Q
              const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
              +Q entities in name
              +Q html in path
        store one with: cerberus memory anchor escape --hint qqqq --pick 1
        or search with a keyword from the code: cerberus memory anchor escape --hint WORD
        [exit 1]
    "#]]);
}

#[test]
fn hints_that_occur_nowhere_are_reported() {
    unsure().session(expect![[r#"
        $ cerberus memory anchor escape --hint qqqq --hint entitys --pick 1
        anchored escape to web/html.ts::escapeHtml (chosen by hand)
        --- stderr
        warning: the hint `qqqq` is not found in the code
        [exit 0]

        $ cerberus memory add "Render markup" --id render --kind code --hint zzzz
        added render (render.md)
          not anchored: the best candidate has a quality of Q, and an anchor needs Q
          [1] web/html.ts::escapeHtml:4-6  Q
              /** Escapes HTML entities in text before it is rendered as markup. */
              export function escapeHtml(text: string): string {
                return text.replace(/[&<>]/g, (found) => ENTITIES[found]);
              }
          next: cerberus memory anchor render --pick 1, or --candidates 5 for more
          or, with a keyword from its code: cerberus memory anchor render --hint WORD
        --- stderr
        warning: the hint `zzzz` is not found in the code
        [exit 0]
    "#]]);
}

#[test]
fn an_agent_is_led_through_the_list() {
    let sandbox = unsure();
    let mut client = Client::new(&sandbox);
    let open = client.call("review_rules", json!({ "limit": 1 }));
    assert_eq!(
        (&open["total"], open["rules"].as_array().map(Vec::len)),
        (&json!(2), Some(1))
    );
    let found = client.call("find_anchor", json!({ "rule": "Escape HTML entities" }));
    assert_eq!(found["candidates"][0]["symbol"], "escapeHtml");
    client.call(
        "anchor_memory",
        json!({ "id": "escape", "to": "web/html.ts::escapeHtml" }),
    );
    let refused = client.call("anchor_memory", json!({ "id": "hang", "none": true }));
    assert_eq!(
        (&refused["example"], &refused["written"]),
        (&json!("none"), &json!(true))
    );
    let both = json!({ "id": "hang", "none": true, "to": "web/html.ts" });
    assert!(
        client
            .refused("anchor_memory", both)
            .contains("exclude each other")
    );
    let also = json!({ "id": "escape", "also": "web/cart.ts::addToCart" });
    assert_eq!(
        client.call("anchor_memory", also)["others"][0]["role"],
        "also"
    );
    let not = json!({ "id": "escape", "not": "web/cart.ts::addToCart" });
    let others = &client.call("anchor_memory", not)["others"];
    assert_eq!(
        (&others[0]["role"], others.as_array().map(Vec::len)),
        (&json!("not"), Some(1))
    );
    let both = json!({ "id": "escape", "also": "web/cart.ts", "not": "web/html.ts" });
    assert!(
        client
            .refused("anchor_memory", both)
            .contains("exclude each other")
    );
    assert_eq!(client.call("review_rules", json!({}))["total"], 0);
}

#[test]
fn likely_candidates_are_accepted_in_one_step_that_can_be_undone() {
    let sandbox = unsure();
    let asked = sandbox.run("memory review --accept-likely");
    assert_eq!(asked.status(), 2, "{}", asked.text());
    let accepted = sandbox.ok("memory review --accept-likely --yes");
    assert!(accepted.contains("web/html.ts::escapeHtml"), "{accepted}");
    assert!(accepted.contains("1 rule anchored"), "{accepted}");
    let anchors = || std::fs::read_to_string(sandbox.path(".memories/anchors.lock"));
    assert!(anchors().expect("a lock file").contains("escapeHtml"));
    sandbox.ok("memory reanchor --undo");
    assert!(!anchors().unwrap_or_default().contains("escapeHtml"));
}

#[test]
fn reanchor_anchors_the_rules_that_nobody_decided_about() {
    let sandbox = Sandbox::bank();
    let rule = "Escape HTML entities in text before it is rendered as markup";
    sandbox.ok(&format!("memory add \"{rule}\" --id escape --no-anchor"));
    sandbox.ok(&format!(
        "memory add \"{rule}, always\" --id none --no-anchor"
    ));
    sandbox.ok("memory anchor none --none");
    let planned = sandbox.ok("memory reanchor --dry-run --scope all");
    assert!(planned.contains("would be anchored escape"), "{planned}");
    let done = sandbox.ok("memory reanchor --scope all");
    assert!(
        done.contains("anchored escape: web/html.ts::escapeHtml"),
        "{done}"
    );
    assert!(!done.contains("none"), "{done}");
    assert!(sandbox.ok("memory reanchor --check").contains("up to date"));
}
