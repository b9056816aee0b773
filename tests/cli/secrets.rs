//! Every command that writes to the bank refuses secrets and never prints them.

use expect_test::expect;

use crate::sandbox::Sandbox;

/// Returns an invented token. It is assembled here so that scanners do not report this file.
fn token() -> String {
    format!("ghp_{}", "Ab3dE5gH7jKq".repeat(3))
}

/// Runs command lines with `TOKEN` replaced by a token, checks that it is not printed, and
/// returns the outcomes as text.
fn session(sandbox: &Sandbox, lines: &[&str]) -> String {
    let texts = lines.iter().map(|line| {
        let outcome = sandbox.run(&line.replace("TOKEN", &token()));
        let message = outcome.stdout() + &outcome.stderr();
        assert!(!message.contains(&token()), "{}", outcome.text());
        outcome.text().replace(&token(), "TOKEN")
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_write_command_refuses_secrets_by_kind() {
    let sandbox = Sandbox::bank();
    sandbox.memory("plan", "---\ntype: plan\n---\nThe plan.\n");
    sandbox.write(
        "notes.md",
        format!("---\ntags: [{}]\n---\nText.\n", token()),
    );
    let lines = [
        "memory add \"Deploy with TOKEN\"",
        "memory add \"Deploy with a token\" --tag TOKEN",
        "memory create notes --file notes.md",
        "memory create notes --content Text --category TOKEN",
        "memory append plan --content \"Use TOKEN.\"",
        "memory update plan --content \"Use TOKEN.\"",
        "memory update plan --hint TOKEN",
        "memory merge plan --into all --content \"Use TOKEN.\"",
        "memory pin add \"Push with TOKEN\"",
        "memory pin add \"Push\" --meta key=TOKEN",
    ];
    let before = sandbox.bank_files();
    expect![[r#"
        $ cerberus memory add "Deploy with TOKEN"
        --- stderr
        cerberus: found a GitHub token in the text
        hint: write where the secret is stored instead; if it is not a secret, pass `--allow-secret`
        [exit 2]

        $ cerberus memory add "Deploy with a token" --tag TOKEN
        --- stderr
        cerberus: found a GitHub token in the tags
        hint: write where the secret is stored instead; if it is not a secret, pass `--allow-secret`
        [exit 2]

        $ cerberus memory create notes --file notes.md
        --- stderr
        cerberus: found a GitHub token in line 2 of the content
        hint: write where the secret is stored instead; if it is not a secret, pass `--allow-secret`
        [exit 2]

        $ cerberus memory create notes --content Text --category TOKEN
        --- stderr
        cerberus: found a GitHub token in the category
        hint: write where the secret is stored instead; if it is not a secret, pass `--allow-secret`
        [exit 2]

        $ cerberus memory append plan --content "Use TOKEN."
        --- stderr
        cerberus: found a GitHub token in the content
        hint: write where the secret is stored instead; if it is not a secret, pass `--allow-secret`
        [exit 2]

        $ cerberus memory update plan --content "Use TOKEN."
        --- stderr
        cerberus: found a GitHub token in the content
        hint: write where the secret is stored instead; if it is not a secret, pass `--allow-secret`
        [exit 2]

        $ cerberus memory update plan --hint TOKEN
        --- stderr
        cerberus: found a GitHub token in the hints
        hint: write where the secret is stored instead; if it is not a secret, pass `--allow-secret`
        [exit 2]

        $ cerberus memory merge plan --into all --content "Use TOKEN."
        --- stderr
        cerberus: found a GitHub token in the content
        hint: write where the secret is stored instead; if it is not a secret, pass `--allow-secret`
        [exit 2]

        $ cerberus memory pin add "Push with TOKEN"
        --- stderr
        cerberus: found a GitHub token in the text
        hint: write where the secret is stored instead; if it is not a secret, pass `--allow-secret`
        [exit 2]

        $ cerberus memory pin add "Push" --meta key=TOKEN
        --- stderr
        cerberus: found a GitHub token in the metadata
        hint: write where the secret is stored instead; if it is not a secret, pass `--allow-secret`
        [exit 2]
    "#]]
    .assert_eq(&session(&sandbox, &lines));
    assert_eq!(sandbox.bank_files(), before, "nothing was written");
    for line in &lines[..lines.len() - 1] {
        sandbox.ok(&format!(
            "{} --allow-secret",
            line.replace("TOKEN", &token())
        ));
        if line.contains("create notes") {
            sandbox.ok("memory delete notes");
        }
        if line.contains("merge") {
            sandbox.ok("memory restore plan");
        }
    }
    assert!(sandbox.read(".memories/pins.toml").contains(&token()));
}

#[test]
fn text_about_secrets_is_accepted() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory add \"Never commit AKIA keys, ghp_ tokens or a PRIVATE KEY\" --no-anchor");
    sandbox.ok("memory create sums --content e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

#[test]
fn import_skips_a_rule_with_a_secret() {
    let sandbox = Sandbox::bank();
    let document = "# Rules\n\n- Always close the session\n- Always push with TOKEN\n- Never sleep in a test\n\nPush with TOKEN by hand.\n";
    sandbox.write("AGENTS.md", document.replace("TOKEN", &token()));
    expect![[r#"
        $ cerberus memory import AGENTS.md --no-anchor --dry-run
        AGENTS.md:3	added	always-close-the-session	Always close the session	
        AGENTS.md:4	skipped	contains a GitHub token	(not shown)	
        AGENTS.md:5	added	never-sleep-in-a-test	Never sleep in a test	
        AGENTS.md:7	skipped	contains a GitHub token	(not shown)	
        2 rules would be added, 0 changed, 0 duplicates, 2 skipped
        --- stderr
        warning: `AGENTS.md:4` contains a GitHub token and is skipped; describe where the secret is stored instead, or use `--allow-secret` if it is not a secret
        warning: `AGENTS.md:7` contains a GitHub token and is skipped; describe where the secret is stored instead, or use `--allow-secret` if it is not a secret
        [exit 0]

        $ cerberus memory import AGENTS.md --no-anchor --json
        {
          "documents": [
            {
              "added": 2,
              "anchored": 0,
              "changed": 0,
              "conflicts": 0,
              "duplicates": 0,
              "file": "AGENTS.md",
              "proposed": 0,
              "removed": 0,
              "skipped": 2
            }
          ],
          "dryRun": false,
          "items": [
            {
              "anchor": null,
              "category": "rules",
              "endLine": 3,
              "file": "AGENTS.md",
              "heading": "Rules",
              "id": "always-close-the-session",
              "line": 3,
              "outcome": "added",
              "paths": [],
              "reason": null,
              "scope": "project:shop",
              "tags": [],
              "text": "Always close the session"
            },
            {
              "anchor": null,
              "category": null,
              "endLine": 4,
              "file": "AGENTS.md",
              "heading": null,
              "id": null,
              "line": 4,
              "outcome": "skipped",
              "paths": [],
              "reason": "contains a GitHub token",
              "scope": null,
              "tags": [],
              "text": "(not shown)"
            },
            {
              "anchor": null,
              "category": "rules",
              "endLine": 5,
              "file": "AGENTS.md",
              "heading": "Rules",
              "id": "never-sleep-in-a-test",
              "line": 5,
              "outcome": "added",
              "paths": [],
              "reason": null,
              "scope": "project:shop",
              "tags": [],
              "text": "Never sleep in a test"
            },
            {
              "anchor": null,
              "category": null,
              "endLine": 7,
              "file": "AGENTS.md",
              "heading": null,
              "id": null,
              "line": 7,
              "outcome": "skipped",
              "paths": [],
              "reason": "contains a GitHub token",
              "scope": null,
              "tags": [],
              "text": "(not shown)"
            }
          ],
          "rules": {
            "anchored": 0,
            "noExample": 0,
            "process": 0,
            "total": 2,
            "waiting": 2
          },
          "warnings": [
            "`AGENTS.md:4` contains a GitHub token and is skipped; describe where the secret is stored instead, or use `--allow-secret` if it is not a secret",
            "`AGENTS.md:7` contains a GitHub token and is skipped; describe where the secret is stored instead, or use `--allow-secret` if it is not a secret"
          ]
        }
        [exit 0]

        $ cerberus memory import AGENTS.md --no-anchor
        0 rules added, 0 changed, 2 duplicates, 2 skipped
          show the skipped items and the reasons with --dry-run
        2 rules: 0 anchored, 2 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        --- stderr
        warning: `AGENTS.md:4` contains a GitHub token and is skipped; describe where the secret is stored instead, or use `--allow-secret` if it is not a secret
        warning: `AGENTS.md:7` contains a GitHub token and is skipped; describe where the secret is stored instead, or use `--allow-secret` if it is not a secret
        [exit 0]
    "#]].assert_eq(&session(
        &sandbox,
        &[
            "memory import AGENTS.md --no-anchor --dry-run",
            "memory import AGENTS.md --no-anchor --json",
            "memory import AGENTS.md --no-anchor",
        ],
    ));
    sandbox.ok("memory import AGENTS.md --no-anchor --allow-secret");
    assert_eq!(sandbox.json("memory stats")["memories"], 4);
}

#[test]
fn a_secret_already_in_the_bank_does_not_block_edits() {
    let sandbox = Sandbox::bank();
    sandbox.memory("old", format!("---\ntype: fact\n---\nUse {}.\n", token()));
    sandbox.memory("other", "---\ntype: fact\n---\nTwo.\n");
    expect![[r#"
        $ cerberus memory append old --content More.
        appended to old (old.md)
        [exit 0]

        $ cerberus memory merge old other --into all
        merged into the new all (all.md)
          old moved to the trash as .trash/old.md
          other moved to the trash as .trash/other.md
        --- stderr
        warning: `all.md:10` contains a GitHub token from a merged memory
        [exit 0]
    "#]]
    .assert_eq(&session(
        &sandbox,
        &[
            "memory append old --content More.",
            "memory merge old other --into all",
        ],
    ));
}
