//! `memory show`.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn memories_are_listed_one_per_line() {
    let sandbox = Sandbox::anchored();
    sandbox.session(expect![[r#"
        $ cerberus memory show
        close-session	rule	shop/db.py::request_session	Close the database session in a finally block when the request ends
        escape-html	rule	web/html.ts::escapeHtml	Escape HTML entities in text before it is rendered as markup
        hang-curtains	rule	-	Hang velvet curtains in golden ballrooms
        hash-passwords	rule	shop/accounts.py::AccountStore.hash_password	Hash the password with a fresh salt before the account is stored
        limit-clients	rule	api/limit.go::Limiter.RejectClient	Answer too many requests from one client with the limiter's retry header
        [exit 0]
    "#]]);
}

#[test]
fn an_example_is_shown_at_its_current_lines() {
    let sandbox = Sandbox::anchored();
    sandbox.session(expect![[r#"
        $ cerberus memory show escape-html
        escape-html  rule · project:shop
          Escape HTML entities in text before it is rendered as markup
          example web/html.ts::escapeHtml:4-6  fresh  quality Q
            export function escapeHtml(text: string): string {
              return text.replace(/[&<>]/g, (found) => ENTITIES[found]);
            }
        [exit 0]
    "#]]);
    sandbox.edit("web/html.ts", "const ENTITIES", "\n\nconst ENTITIES");
    sandbox.session(expect![[r#"
        $ cerberus memory show escape-html
        escape-html  rule · project:shop
          Escape HTML entities in text before it is rendered as markup
          example web/html.ts::escapeHtml:6-8  fresh  quality Q
            export function escapeHtml(text: string): string {
              return text.replace(/[&<>]/g, (found) => ENTITIES[found]);
            }
        [exit 0]
    "#]]);
    sandbox.edit("web/html.ts", "ENTITIES[found]", "ENTITIES[found] ?? found");
    assert!(
        sandbox
            .ok("memory show escape-html")
            .contains("6-8  edited")
    );
    sandbox.remove("web/html.ts");
    sandbox.session(expect![[r#"
        $ cerberus memory show escape-html
        escape-html  rule · project:shop
          Escape HTML entities in text before it is rendered as markup
          example web/html.ts::escapeHtml  gone  quality Q
          next: cerberus memory reanchor, then cerberus memory show escape-html
        [exit 0]
    "#]]);
}

#[test]
fn a_long_example_is_shortened_to_the_lines_of_its_rule() {
    let sandbox = Sandbox::bank();
    let steps = |n: usize| format!("    steps.append({n})\n").repeat(n);
    let code = format!(
        "def run(jobs):\n{}    with pool.lease() as lease:\n        lease.extend(jobs)\n{}",
        steps(60),
        steps(40)
    );
    sandbox.write("shop/run.py", code);
    sandbox.ok("memory add \"Take a `pool.lease` for the jobs\" --id lease --to shop/run.py::run");
    sandbox.session(expect![[r#"
        $ cerberus memory show lease
        lease  rule · project:shop
          Take a `pool.lease` for the jobs
          example shop/run.py::run:1-103  fresh  chosen by hand
            def run(jobs):
                # … 56 lines
                steps.append(60)
                steps.append(60)
                steps.append(60)
                steps.append(60)
                with pool.lease() as lease:
                    lease.extend(jobs)
                steps.append(40)
                steps.append(40)
                steps.append(40)
                # … 37 lines
        [exit 0]
    "#]]);
    let anchor = |line: &str| sandbox.json(line)["memories"][0]["anchor"].clone();
    let short = anchor("memory show lease");
    let lines = |anchor: &serde_json::Value| anchor["code"].as_str().expect("code").lines().count();
    assert_eq!(
        (lines(&short), &short["startLine"], &short["endLine"]),
        (12, &1.into(), &103.into())
    );
    assert_eq!(anchor("memory show --anchored")["code"], short["code"]);
    let full = anchor("memory show lease --full");
    assert_eq!(
        (lines(&full), &full["shownLines"]),
        (103, &serde_json::json!([[1, 103]]))
    );
}

#[test]
fn the_newest_comes_first() {
    let sandbox = Sandbox::bank();
    for (id, year) in [("old", 2020), ("new", 2025), ("middle", 2023)] {
        let text = format!("---\ncreated_at: {year}-01-01T00:00:00Z\n---\nText.\n");
        sandbox.memory(id, text);
    }
    sandbox.memory("undated", "Text.\n");
    let listed = sandbox.ok("memory show");
    let ids: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split('\t').next())
        .collect();
    assert_eq!(ids, ["new", "middle", "old", "undated"]);
}

#[test]
fn filters_select_memories() {
    let sandbox = Sandbox::anchored();
    sandbox.ok("memory add \"Be kind\" --id kind --scope universal --type decision");
    sandbox.ok("memory add \"Go on\" --id go --scope language:go --tag a --tag b --category c");
    sandbox.memory("past", "---\nstatus: archived\n---\nOnce.\n");
    let cases = [
        (
            "--anchored",
            "close-session escape-html hash-passwords limit-clients",
        ),
        ("--unanchored", "go hang-curtains kind past"),
        ("--scope universal", "kind"),
        ("--scope language", "go"),
        ("--type decision", "kind"),
        ("--category C", "go"),
        ("--tag a --tag B", "go"),
        ("--status archived", "past"),
        ("--file web/html.ts", "escape-html"),
    ];
    for (flags, expected) in cases {
        let document = sandbox.json(&format!("memory show {flags}"));
        let memories = document["memories"].as_array().expect("memories");
        let ids: Vec<&str> = memories.iter().filter_map(|it| it["id"].as_str()).collect();
        assert_eq!(ids.join(" "), expected, "{flags}");
    }
}

#[test]
fn an_unknown_id_is_refused_with_a_suggestion() {
    let sandbox = Sandbox::anchored();
    sandbox.ok("memory add \"Hash file names\" --id hash-files --no-anchor");
    sandbox.session(expect![[r#"
        $ cerberus memory show close-sesion
        --- stderr
        cerberus: memory `close-sesion` not found
        hint: did you mean `close-session`?
        [exit 2]

        $ cerberus memory show hash
        --- stderr
        cerberus: `hash` is a prefix of 2 ids
        hint: type more characters of one of: hash-files, hash-passwords
        [exit 2]

        $ cerberus memory show hash-p escape zzz
        --- stderr
        cerberus: memory `zzz` not found
        hint: list the memories with `cerberus memory show`
        [exit 2]

        $ cerberus memory show ""
        --- stderr
        cerberus: memory `` not found
        hint: list the memories with `cerberus memory show`
        [exit 2]

        $ cerberus memory show --scope projct:shop
        --- stderr
        cerberus: no memory has the scope `projct:shop`
        hint: did you mean `project:shop`?
        [exit 2]

        $ cerberus memory show --scope language:go
        --- stderr
        cerberus: no memory has the scope `language:go`
        hint: specify one of: all, project:shop
        [exit 2]

        $ cerberus memory show --type ruel
        --- stderr
        cerberus: invalid value `ruel` for `--type <TYPE>`: unknown type `ruel`: expected one of rule, decision, plan, journal, fact, observation, reflection
        hint: see cerberus memory show --help
        [exit 2]

        $ cerberus memory show --anchored --unanchored
        --- stderr
        cerberus: the argument `--anchored` cannot be used with `--unanchored`
        hint: see cerberus memory show --help
        [exit 2]
    "#]],
    );
}

#[test]
fn an_empty_result_is_reported() {
    let sandbox = Sandbox::bank();
    sandbox.session(expect![[r#"
        $ cerberus memory show
        --- stderr
        cerberus: there are no memories
        hint: add one with `cerberus memory add "…"`
        [exit 1]

        $ cerberus memory show --anchored
        --- stderr
        cerberus: no memory has an anchor
        hint: add one with `cerberus memory add "…"`
        [exit 1]
    "#]]);
    sandbox.ok("memory add \"Be kind\" --id kind --no-anchor");
    sandbox.session(expect![[r#"
        $ cerberus memory show --anchored
        --- stderr
        cerberus: no memory has an anchor
        hint: add one with `cerberus memory add "…"`
        [exit 1]

        $ cerberus memory show --tag none
        --- stderr
        cerberus: no memory matches the filters
        hint: list all with `cerberus memory show`
        [exit 1]

        $ cerberus memory show kind --tag none
        --- stderr
        cerberus: no memory matches the filters
        hint: list all with `cerberus memory show`
        [exit 1]
    "#]]);
}

#[test]
fn an_anchor_of_a_rule_without_an_example_is_a_contradiction() {
    let sandbox = Sandbox::anchored();
    sandbox.edit(
        ".memories/close-session.md",
        "type: rule",
        "type: rule\nexample: none",
    );
    let ways = "remove the anchor with `cerberus memory anchor close-session --none`, or the line \
                `example: none` from its frontmatter";
    let contradiction =
        "`close-session` has `example: none` in its frontmatter but also has an anchor";
    for command in ["memory show", "memory show close-session"] {
        let stderr = sandbox.run(command).stderr();
        assert!(
            stderr.contains(&format!("{contradiction}: {ways}")),
            "{command}: {stderr}"
        );
    }
    sandbox.ok("memory anchor close-session --none");
    assert_eq!(sandbox.run("memory show close-session").stderr(), "");
}

#[test]
fn a_path_outside_the_project_is_refused() {
    let sandbox = Sandbox::anchored();
    sandbox.session(expect![[r#"
        $ cerberus memory show --path ../x.py
        --- stderr
        cerberus: `../x.py` is outside the project
        hint: name a file by its path relative to the project root
        [exit 2]

        $ cerberus memory search session --path /etc/passwd
        --- stderr
        cerberus: `/etc/passwd` is outside the project
        hint: name a file by its path relative to the project root
        [exit 2]
    "#]]);
    let inside = sandbox.json("memory show --path ./web/../web/html.ts");
    assert!(!inside["memories"].as_array().expect("a list").is_empty());
}
