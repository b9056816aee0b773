//! `memory pin`.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn pins_are_added_listed_and_removed() {
    let sandbox = Sandbox::bank();
    sandbox.session(expect![[r#"
        $ cerberus memory pin list
        0 of 20 pins, 0 of 2000 tokens: 0 % used
        plus 8 built-in pins; print all: cerberus memory pin show
        [exit 0]

        $ cerberus memory pin add "Run the tests before a push" --priority safety --tag ci --tag git
        pinned run-the-tests-before-a-push (safety, persistent, 12 tokens)
        [exit 0]

        $ cerberus memory pin add "Deploys are frozen" --priority critical --project-id shop --meta by=Ada
        pinned deploys-are-frozen (critical, persistent, 9 tokens)
        [exit 0]

        $ cerberus memory pin add "accounts.py is being split" --expires 2h --tag git
        pinned accounts-py-is-being-split (info, until 2026-01-02T05:04:05Z, 7 tokens)
        [exit 0]

        $ cerberus memory pin add "Review only; change nothing" --scope session --session review
        pinned review-only-change-nothing (info, session, 7 tokens)
        [exit 0]

        $ cerberus memory pin list
        deploys-are-frozen	critical	persistent	Deploys are frozen
        run-the-tests-before-a-push	safety	persistent	Run the tests before a push
        accounts-py-is-being-split	info	until 2026-01-02T05:04:05Z	accounts.py is being split
        3 of 20 pins, 31 of 2000 tokens: 15 % used
        plus 8 built-in pins; print all: cerberus memory pin show
        [exit 0]

        $ cerberus memory pin list --session review --tag ci --tag git
        run-the-tests-before-a-push	safety	persistent	Run the tests before a push
        4 of 20 pins, 38 of 2000 tokens: 20 % used
        plus 8 built-in pins; print all: cerberus memory pin show
        [exit 0]

        $ cerberus memory pin list --session review --scope session
        review-only-change-nothing	info	session	Review only; change nothing
        4 of 20 pins, 38 of 2000 tokens: 20 % used
        plus 8 built-in pins; print all: cerberus memory pin show
        [exit 0]

        $ cerberus memory pin list --global-only --priority critical
        3 of 20 pins, 31 of 2000 tokens: 15 % used
        plus 8 built-in pins; print all: cerberus memory pin show
        [exit 0]

        $ cerberus memory pin list --project-id shop --json
        {
          "defaults": [
            {
              "content": "Ask before `git reset --hard`, `git clean`, a forced push or any rewriting of history: what goes may be the only copy.",
              "id": "default-git"
            },
            {
              "content": "Delete, move and overwrite inside this project only, and list what a recursive delete would take before it runs.",
              "id": "default-deletes"
            },
            {
              "content": "Keep keys, tokens and passwords out of output, logs, code and commits.",
              "id": "default-secrets"
            },
            {
              "content": "Ask before a migration or anything else that touches production data.",
              "id": "default-data"
            },
            {
              "content": "Change dependencies and lockfiles with their own tool, and only where the task needs it.",
              "id": "default-dependencies"
            },
            {
              "content": "Never disable or weaken a test or a check to make it pass; say that it fails.",
              "id": "default-tests"
            },
            {
              "content": "Call a thing working only after running it; say what was not run.",
              "id": "default-claims"
            },
            {
              "content": "Leave generated and vendored files alone; change what they are made from.",
              "id": "default-generated"
            }
          ],
          "pins": [
            {
              "content": "Deploys are frozen",
              "createdAt": "2026-01-02T03:04:05Z",
              "expired": false,
              "expiresAt": null,
              "id": "deploys-are-frozen",
              "metadata": {
                "by": "Ada"
              },
              "priority": "critical",
              "projectId": "shop",
              "scope": "persistent",
              "tags": [],
              "tokens": 9
            }
          ],
          "totals": {
            "maxPins": 20,
            "maxTokens": 2000,
            "pins": 3,
            "tokenizer": "o200k_base",
            "tokens": 31,
            "usage": 0.15
          },
          "warnings": []
        }
        [exit 0]

        $ cerberus memory pin remove run-the-tests-before-a-push accounts-py-is-being-split
        removed run-the-tests-before-a-push
        removed accounts-py-is-being-split
        [exit 0]

        $ cerberus memory pin clear --scope session --session review
        removed review-only-change-nothing
        [exit 0]

        $ cerberus memory pin clear --scope session
        no pins match
        [exit 0]

        $ cerberus memory pin clear --all
        removed deploys-are-frozen
        [exit 0]

        $ cerberus memory pin events
        {
          "at": "2026-01-02T03:04:05Z",
          "message": "persistent safety",
          "pins": [
            "run-the-tests-before-a-push"
          ],
          "type": "added"
        }
        {
          "at": "2026-01-02T03:04:05Z",
          "message": "`pins.toml` was written",
          "pins": [
            "run-the-tests-before-a-push"
          ],
          "type": "persisted"
        }
        {
          "at": "2026-01-02T03:04:05Z",
          "message": "persistent critical",
          "pins": [
            "deploys-are-frozen"
          ],
          "type": "added"
        }
        {
          "at": "2026-01-02T03:04:05Z",
          "message": "`pins.toml` was written",
          "pins": [
            "deploys-are-frozen"
          ],
          "type": "persisted"
        }
        {
          "at": "2026-01-02T03:04:05Z",
          "message": "temporary info",
          "pins": [
            "accounts-py-is-being-split"
          ],
          "type": "added"
        }
        {
          "at": "2026-01-02T03:04:05Z",
          "message": "session info",
          "pins": [
            "review-only-change-nothing"
          ],
          "type": "added"
        }
        {
          "at": "2026-01-02T03:04:05Z",
          "message": "requested",
          "pins": [
            "run-the-tests-before-a-push",
            "accounts-py-is-being-split"
          ],
          "type": "removed"
        }
        {
          "at": "2026-01-02T03:04:05Z",
          "message": "`pins.toml` was written",
          "pins": [
            "run-the-tests-before-a-push"
          ],
          "type": "persisted"
        }
        {
          "at": "2026-01-02T03:04:05Z",
          "message": "requested",
          "pins": [
            "review-only-change-nothing"
          ],
          "type": "removed"
        }
        {
          "at": "2026-01-02T03:04:05Z",
          "message": "requested",
          "pins": [
            "deploys-are-frozen"
          ],
          "type": "removed"
        }
        {
          "at": "2026-01-02T03:04:05Z",
          "message": "`pins.toml` was written",
          "pins": [
            "deploys-are-frozen"
          ],
          "type": "persisted"
        }
        [exit 0]
    "#]]);
}

#[test]
fn invalid_pins_are_refused() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory pin add \"Be kind\" --id kind");
    sandbox.session(expect![[r#"
        $ cerberus memory pin add " "
        --- stderr
        cerberus: the pin has no text
        hint: write a sentence: `cerberus memory pin add "Run the tests before a push"`
        [exit 2]

        $ cerberus memory pin add "Be kind"
        --- stderr
        cerberus: the pin `kind` already has this text
        hint: remove it first: `cerberus memory pin remove kind`
        [exit 2]

        $ cerberus memory pin add "Be good" --id kind
        --- stderr
        cerberus: the pin `kind` already exists
        hint: choose another `--id`
        [exit 2]

        $ cerberus memory pin add "Be good" --id ../kind
        --- stderr
        cerberus: `../kind` is not a valid memory id: no part of it may be empty or start or end with a dot
        hint: use letters, digits, `-`, `_`, `.` and `/` for folders, as in `db/close-sessions`
        [exit 2]

        $ cerberus memory pin add "Be good" --id default-good
        --- stderr
        cerberus: the prefix of `default-good` is reserved for built-in pins
        hint: choose another `--id`
        [exit 2]

        $ cerberus memory pin add "Be good" --scope session
        --- stderr
        cerberus: a session pin needs a session
        hint: name it with `--session NAME` or CERBERUS_SESSION
        [exit 2]

        $ cerberus memory pin add "Be good" --scope temporary
        --- stderr
        cerberus: a temporary pin needs an expiry
        hint: set it, as in `--expires 2h` or `--expires 2026-12-31`
        [exit 2]

        $ cerberus memory pin add "Be good" --scope persistent --expires 2h
        --- stderr
        cerberus: a persistent pin cannot expire
        hint: omit `--scope` or `--expires`
        [exit 2]

        $ cerberus memory pin add "Be good" --expires soon
        --- stderr
        cerberus: `soon` is not a valid expiry
        hint: write it as `2h`, `3d`, `2026-12-31` or `2026-12-31T18:00:00Z`
        [exit 2]

        $ cerberus memory pin add "Be good" --expires 2026-01-01
        --- stderr
        cerberus: `2026-01-01` is not in the future
        hint: pass a later time
        [exit 2]

        $ cerberus memory pin add "Be good" --priority urgent
        --- stderr
        cerberus: invalid value `urgent` for `--priority <PRIORITY>`: unknown priority `urgent`: expected one of critical, safety, info
        hint: see cerberus memory pin add --help
        [exit 2]

        $ cerberus memory pin add "Be good" --meta by
        --- stderr
        cerberus: invalid value `by` for `--meta <KEY=VALUE>`: the format is KEY=VALUE
        hint: see cerberus memory pin add --help
        [exit 2]

        $ cerberus memory pin remove knd
        --- stderr
        cerberus: pin `knd` not found
        hint: did you mean `kind`?
        [exit 2]

        $ cerberus memory pin remove default-git
        --- stderr
        cerberus: `default-git` is a built-in pin
        hint: disable it in `cerberus.toml`: `builtin = { git = false }` under `[pins]`
        [exit 2]

        $ cerberus memory pin clear
        --- stderr
        cerberus: this would remove every pin
        hint: add a filter, as in `cerberus memory pin clear --scope session`, or `--all`
        [exit 2]

        $ cerberus memory pin list --project-id shop --global-only
        --- stderr
        cerberus: the argument `--project-id <NAME>` cannot be used with `--global-only`
        hint: see cerberus memory pin list --help
        [exit 2]
    "#]]);
    assert_eq!(
        sandbox.json("memory pin list")["totals"]["pins"],
        1,
        "nothing else was pinned"
    );
}

#[test]
fn a_full_set_evicts_the_oldest_pin_of_the_lowest_priority() {
    let sandbox = Sandbox::bank();
    sandbox.write("cerberus.toml", "[pins]\nmax_pins = 3\nbuiltin = false\n");
    for (id, priority, at) in [("a", "safety", 1), ("b", "info", 2), ("c", "critical", 3)] {
        let line = format!("memory pin add \"note {id}\" --id {id} --priority {priority}");
        let mut command = sandbox.command(&line);
        let output = command
            .env("CERBERUS_NOW", format!("2026-01-01T00:00:0{at}Z"))
            .output();
        assert!(output.expect("it runs").status.success());
    }
    sandbox.session(expect![[r#"
        $ cerberus memory pin add "note d" --id d --priority critical
        pinned d (critical, persistent, 7 tokens)
          removed b to stay within the limits
        [exit 0]

        $ cerberus memory pin add "note e" --id e --priority critical --json
        {
          "evicted": [
            "a"
          ],
          "pin": {
            "content": "note e",
            "createdAt": "2026-01-02T03:04:05Z",
            "expired": false,
            "expiresAt": null,
            "id": "e",
            "metadata": {},
            "priority": "critical",
            "projectId": null,
            "scope": "persistent",
            "tags": [],
            "tokens": 7
          },
          "totals": {
            "maxPins": 3,
            "maxTokens": 2000,
            "pins": 3,
            "tokenizer": "o200k_base",
            "tokens": 24,
            "usage": 1.0
          },
          "warnings": []
        }
        [exit 0]

        $ cerberus memory pin add "note f" --id f --priority critical
        --- stderr
        cerberus: the limit of 3 pins and 2000 tokens is used up by critical pins
        hint: list them with `cerberus memory pin list`, and remove one with `cerberus memory pin remove`
        [exit 2]

        $ cerberus memory pin show
        Pinned notes:
        - (critical) note c
        - (critical) note d
        - (critical) note e
        [exit 0]
    "#]]);
    assert_eq!(
        sandbox
            .read(".memories/pins.toml")
            .matches("[[pin]]")
            .count(),
        3
    );
    let kinds: Vec<String> = sandbox
        .ok("memory pin events")
        .lines()
        .filter_map(|line| {
            Some(
                line.split_once("\"type\":\"")?
                    .1
                    .split('"')
                    .next()?
                    .to_owned(),
            )
        })
        .collect();
    assert_eq!(
        kinds
            .join(" ")
            .matches("budget_exceeded removed added persisted")
            .count(),
        2
    );
}

#[test]
fn a_temporary_pin_expires_on_time() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory pin add \"Hands off accounts.py\" --id hands --expires 1h");
    let given = |now: &str| {
        let output = sandbox
            .command("memory pin render")
            .env("CERBERUS_NOW", now)
            .output();
        sandbox
            .outcome("", output.expect("it runs"))
            .stdout()
            .contains("Hands off")
    };
    assert!(given("2026-01-02T04:04:04Z"));
    assert!(!given("2026-01-02T04:04:05Z"));
    let mut later = sandbox.command("memory pin list --expired-only");
    let output = later
        .env("CERBERUS_NOW", "2026-02-01T00:00:00Z")
        .output()
        .expect("it runs");
    expect![[r#"
        $ cerberus memory pin list --expired-only
        hands	info	expired 2026-01-02T04:04:05Z	Hands off accounts.py
        0 of 20 pins, 0 of 2000 tokens: 0 % used
        plus 8 built-in pins; print all: cerberus memory pin show
        [exit 0]
    "#]]
    .assert_eq(
        &sandbox
            .outcome("memory pin list --expired-only", output)
            .text(),
    );
    let mut later = sandbox.command("memory pin clear --expired-only --json");
    let output = later
        .env("CERBERUS_NOW", "2026-02-01T00:00:00Z")
        .output()
        .expect("it runs");
    assert!(sandbox.outcome("", output).stdout().contains("[\"hands\"]"));
    let events = sandbox.ok("memory pin events");
    assert_eq!(
        events.matches("\"type\":\"expired\"").count(),
        1,
        "{events}"
    );
}

#[test]
fn persistent_pins_are_in_git_and_a_damaged_file_is_not_overwritten() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory pin add \"Be kind\" --id kind");
    sandbox.ok("memory pin add \"In a hurry\" --id hurry --expires 1h");
    assert!(
        sandbox
            .git("status --porcelain --untracked-files=all")
            .contains("pins.toml")
    );
    sandbox.commit("pins");
    sandbox.remove(".memories/indices");
    assert!(
        sandbox.ok("memory pin list").contains("In a hurry"),
        "it is not in the store"
    );
    sandbox.remove("../home/.local/state/cerberus");
    assert!(sandbox.ok("memory pin list").contains("Be kind"));
    assert!(!sandbox.ok("memory pin list").contains("In a hurry"));
    assert!(sandbox.ok("memory pin events").contains("\"loaded\""));
    assert_eq!(
        sandbox.git("status --porcelain"),
        "",
        "reading leaves no trace"
    );
    sandbox.edit(
        ".memories/pins.toml",
        "priority = \"info\"",
        "priority = \"urgent\"",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory pin list
        0 of 20 pins, 0 of 2000 tokens: 0 % used
        plus 8 built-in pins; print all: cerberus memory pin show
        --- stderr
        warning: `pins.toml:7`: unknown variant `urgent`, expected one of `critical`, `safety`, `info`; persistent pins are skipped until it is fixed
        [exit 0]

        $ cerberus memory pin add "Be good" --id good
        pinned good (info, persistent, 4 tokens)
        --- stderr
        warning: `pins.toml:7`: unknown variant `urgent`, expected one of `critical`, `safety`, `info`; persistent pins are skipped until it is fixed
        warning: the damaged file was saved as `$ROOT/shop/.memories/pins.toml.corrupt`
        [exit 0]

        $ cerberus memory pin list
        good	info	persistent	Be good
        1 of 20 pins, 7 of 2000 tokens: 5 % used
        plus 8 built-in pins; print all: cerberus memory pin show
        [exit 0]
    "#]]);
    assert!(
        sandbox
            .read(".memories/pins.toml.corrupt")
            .contains("Be kind")
    );
}

#[test]
fn builtin_pins_are_disabled_one_by_one() {
    let sandbox = Sandbox::bank();
    sandbox.session(expect![[r#"
        $ cerberus memory pin show
        Pinned notes:
        - (safety) Ask before `git reset --hard`, `git clean`, a forced push or any rewriting of history: what goes may be the only copy.
        - (safety) Delete, move and overwrite inside this project only, and list what a recursive delete would take before it runs.
        - (safety) Keep keys, tokens and passwords out of output, logs, code and commits.
        - (safety) Ask before a migration or anything else that touches production data.
        - (safety) Change dependencies and lockfiles with their own tool, and only where the task needs it.
        - (safety) Never disable or weaken a test or a check to make it pass; say that it fails.
        - (safety) Call a thing working only after running it; say what was not run.
        - (safety) Leave generated and vendored files alone; change what they are made from.
        [exit 0]
    "#]]);
    sandbox.write(
        "cerberus.toml",
        "[pins]\nbuiltin = { git = false, tests = false }\n",
    );
    let text = sandbox.ok("memory pin show");
    assert_eq!(text.lines().count(), 7, "{text}");
    sandbox.write("cerberus.toml", "[pins]\nbuiltin = false\n");
    assert_eq!(sandbox.ok("memory pin show"), "");
}
