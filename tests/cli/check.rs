//! `check`: claims of documents, without a bank.

use expect_test::expect;

use crate::sandbox::Sandbox;

const SESSION: &str = "class Session:
    def close(self):
        self.connection.rollback()
        self.connection.close()
        self.log.append(\"closed\")


def open_session(path):
    connection = connect(path, timeout=30)
    return Session(connection, log=[])
";

pub(crate) const AGENTS: &str = "# Shop
Rules:
- Sessions are in `src/db/session.py`; see [the guide](docs/guide.md).
- Open one with `open_session()`, and run `make lint` before a commit.
- Never use `src/db/legacy.py`. Names like `src/foo.py` are examples.
- Tests use `pytest` 7.
";

/// A project in which everything that its instructions say is true, and then one in which
/// nothing is.
pub(crate) fn moved() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("src/db/session.py", SESSION);
    sandbox.write("src/db/legacy.py", "x = 1\n");
    sandbox.write("docs/guide.md", "# Guide\n\nA guide to sessions.\n");
    sandbox.write("Makefile", "lint:\n\truff check\n");
    sandbox.write("requirements.txt", "pytest>=7.4\n");
    sandbox.write("AGENTS.md", AGENTS);
    sandbox.commit("start");
    sandbox.write("core/.keep", "");
    sandbox.git("mv src/db/session.py core/session.py");
    sandbox.git("rm -q src/db/legacy.py");
    sandbox.commit("Move the session");
    sandbox.edit("core/session.py", "open_session", "connect_session");
    sandbox.commit("Rename the function");
    sandbox.write("Makefile", "check:\n\truff check\n");
    sandbox.write("requirements.txt", "pytest>=8.1\n");
    sandbox.git("rm -q docs/guide.md");
    sandbox.commit("Replace lint, drop the guide");
    sandbox
}

#[test]
fn what_was_true_and_is_not_is_an_error_with_its_commit() {
    moved().session(expect![[r#"
        $ cerberus check
        AGENTS.md:3:56: `docs/guide.md`: the file no longer exists
            since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide
        AGENTS.md:3:20: `src/db/session.py`: the file no longer exists
            since 21572e42c1 of 2026-01-02: Move the session
            now `core/session.py`
            next: cerberus check --fix
        AGENTS.md:4:49: `make lint`: no manifest defines it any more
            was in `Makefile`
            since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide
        AGENTS.md:4:18: `open_session()`: the code no longer defines or uses it
            was in `core/session.py`
            since b856d34e76 of 2026-01-02: Rename the function
            now `core/session.py::connect_session`
            next: cerberus check --fix

        AGENTS.md: 1 warning
            6:14: `pytest`: the manifests now require >=8.1, since 3a1c86e95b of 2026-01-02

        4 errors, 1 warning; checked 8 claims in 1 document; of 1 other only the links: cerberus check .
        2 never true here (see --all)
        to correct 2 of them: cerberus check --fix
        next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        [exit 1]
    "#]]);
}

#[test]
fn everything_else_that_fails_is_shown_on_request() {
    moved().session(expect![[r#"
        $ cerberus check AGENTS.md --all --json
        {
          "documents": [
            {
              "path": "AGENTS.md",
              "read": "all"
            }
          ],
          "findings": [
            {
              "check": "link",
              "claim": "docs/guide.md",
              "class": "stale",
              "column": 56,
              "file": "AGENTS.md",
              "line": 3,
              "message": "the file no longer exists",
              "next": "correct or remove it, or put `<!-- cerberus: ignore -->` above it",
              "removed": {
                "commit": "<commit>",
                "date": "2026-01-02",
                "subject": "Replace lint, drop the guide"
              },
              "severity": "error",
              "written": {
                "commit": "<commit>",
                "date": "2026-01-02",
                "subject": "start"
              }
            },
            {
              "check": "path",
              "claim": "src/db/session.py",
              "class": "stale",
              "column": 20,
              "file": "AGENTS.md",
              "line": 3,
              "message": "the file no longer exists",
              "next": "cerberus check --fix",
              "now": "core/session.py",
              "removed": {
                "commit": "<commit>",
                "date": "2026-01-02",
                "subject": "Move the session"
              },
              "replacement": "core/session.py",
              "severity": "error",
              "written": {
                "commit": "<commit>",
                "date": "2026-01-02",
                "subject": "start"
              }
            },
            {
              "check": "command",
              "claim": "make lint",
              "class": "stale",
              "column": 49,
              "file": "AGENTS.md",
              "line": 4,
              "message": "no manifest defines it any more",
              "next": "correct or remove it, or put `<!-- cerberus: ignore -->` above it",
              "removed": {
                "commit": "<commit>",
                "date": "2026-01-02",
                "subject": "Replace lint, drop the guide"
              },
              "severity": "error",
              "was": "Makefile",
              "written": {
                "commit": "<commit>",
                "date": "2026-01-02",
                "subject": "start"
              }
            },
            {
              "check": "symbol",
              "claim": "open_session()",
              "class": "stale",
              "column": 18,
              "file": "AGENTS.md",
              "line": 4,
              "message": "the code no longer defines or uses it",
              "next": "cerberus check --fix",
              "now": "core/session.py::connect_session",
              "removed": {
                "commit": "<commit>",
                "date": "2026-01-02",
                "subject": "Rename the function"
              },
              "replacement": "connect_session",
              "severity": "error",
              "was": "core/session.py",
              "written": {
                "commit": "<commit>",
                "date": "2026-01-02",
                "subject": "start"
              }
            },
            {
              "check": "path",
              "claim": "src/db/legacy.py",
              "class": "fulfilled",
              "column": 14,
              "file": "AGENTS.md",
              "line": 5,
              "message": "it no longer exists, and the sentence forbids it",
              "next": "none, unless it is a mistake",
              "severity": "note"
            },
            {
              "check": "path",
              "claim": "src/foo.py",
              "class": "neverTrue",
              "column": 45,
              "file": "AGENTS.md",
              "line": 5,
              "message": "it was never true in this repository",
              "next": "none, unless it is a mistake",
              "severity": "note"
            },
            {
              "check": "version",
              "claim": "pytest",
              "class": "stale",
              "column": 14,
              "doubt": "its name alone does not say that it is meant here",
              "file": "AGENTS.md",
              "line": 6,
              "message": "the manifests now require >=8.1",
              "next": "correct or remove it, or put `<!-- cerberus: ignore -->` above it",
              "removed": {
                "commit": "<commit>",
                "date": "2026-01-02",
                "subject": "Replace lint, drop the guide"
              },
              "severity": "warning",
              "was": "requirements.txt",
              "written": {
                "commit": "<commit>",
                "date": "2026-01-02",
                "subject": "start"
              }
            }
          ],
          "ok": false,
          "outdated": [],
          "summary": {
            "accepted": 0,
            "claims": 8,
            "dismissed": 0,
            "documents": 1,
            "errors": 4,
            "fixable": 2,
            "ignored": 0,
            "neverTrue": 2,
            "others": 0,
            "unknown": 0,
            "warnings": 1
          },
          "unchecked": [],
          "warnings": []
        }
        [exit 1]
    "#]]);
}

#[test]
fn fix_writes_only_the_names_that_were_followed() {
    let sandbox = moved();
    sandbox.session(expect![[r#"
        $ cerberus check --fix
        --- AGENTS.md
        +++ AGENTS.md
        @@ -2,4 +2,4 @@
         Rules:
        -- Sessions are in `src/db/session.py`; see [the guide](docs/guide.md).
        -- Open one with `open_session()`, and run `make lint` before a commit.
        +- Sessions are in `core/session.py`; see [the guide](docs/guide.md).
        +- Open one with `connect_session()`, and run `make lint` before a commit.
         - Never use `src/db/legacy.py`. Names like `src/foo.py` are examples.
        --- stderr
        cerberus: 2 names not written, because nobody can be asked
        hint: write them: cerberus check --fix --yes
        [exit 1]

        $ cerberus check --fix --yes
        --- AGENTS.md
        +++ AGENTS.md
        @@ -2,4 +2,4 @@
         Rules:
        -- Sessions are in `src/db/session.py`; see [the guide](docs/guide.md).
        -- Open one with `open_session()`, and run `make lint` before a commit.
        +- Sessions are in `core/session.py`; see [the guide](docs/guide.md).
        +- Open one with `connect_session()`, and run `make lint` before a commit.
         - Never use `src/db/legacy.py`. Names like `src/foo.py` are examples.
        wrote 2 names in 1 document

        AGENTS.md:3:54: `docs/guide.md`: the file no longer exists
            since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide
        AGENTS.md:4:52: `make lint`: no manifest defines it any more
            was in `Makefile`
            since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide

        AGENTS.md: 1 warning
            6:14: `pytest`: the manifests now require >=8.1, since 3a1c86e95b of 2026-01-02

        2 errors, 1 warning; checked 8 claims in 1 document; of 1 other only the links: cerberus check .
        2 never true here (see --all)
        next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        [exit 1]
    "#]]);
    let fixed = AGENTS
        .replace("src/db/session.py", "core/session.py")
        .replace("open_session", "connect_session");
    assert_eq!(sandbox.read("AGENTS.md"), fixed);
}

#[test]
fn a_document_that_is_edited_during_the_check_is_not_corrected() {
    let sandbox = moved();
    let outcome = sandbox.run_while_edited("check --fix --yes", "AGENTS.md", "An edit.");
    assert_eq!(outcome.status(), 3, "{}", outcome.text());
    assert!(
        outcome.stderr().contains("was edited meanwhile"),
        "{}",
        outcome.text()
    );
    let left = sandbox.read("AGENTS.md");
    assert_eq!(left.trim_end_matches("An edit.\n"), AGENTS);
}

#[test]
fn since_reports_what_a_change_broke_in_other_documents() {
    let sandbox = moved();
    sandbox.session(expect![[r#"
        $ cerberus check --since HEAD~1 --format github
        ::error file=AGENTS.md,line=3,col=56,title=cerberus%3A link is out of date::`docs/guide.md`: the file no longer exists, since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide. Next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        ::error file=AGENTS.md,line=4,col=49,title=cerberus%3A command is out of date::`make lint`: no manifest defines it any more, since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide. Next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        ::warning file=AGENTS.md,line=6,col=14,title=cerberus%3A version may be out of date::`pytest`: the manifests now require >=8.1, since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide. Only likely: its name alone does not say that it is meant here. Next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        [exit 1]

        $ cerberus check --since HEAD
        nothing is out of date; checked 8 claims in 2 documents
        7 never true here (see --all)
        [exit 0]

        $ cerberus check --since nothing
        --- stderr
        cerberus: failed to find the revision `nothing`
        hint: name a commit of this clone; a shallow clone may need `git fetch --unshallow`
        [exit 3]
    "#]]);
}

#[test]
fn a_baseline_accepts_old_findings_and_only_shrinks() {
    let sandbox = moved();
    sandbox.ok("check --baseline accepted.json --update-baseline");
    sandbox.ok("check --baseline accepted.json");
    sandbox.edit("AGENTS.md", "src/db/session.py", "core/session.py");
    sandbox.session(expect![[r#"
        $ cerberus check --baseline accepted.json
        AGENTS.md: `src/db/session.py`: the baseline accepts it, but it is no longer found

        0 errors; checked 8 claims in 1 document; of 1 other only the links: cerberus check .
        4 accepted by the baseline, 2 never true here (see --all)
        to shrink the baseline: cerberus check --baseline accepted.json --update-baseline
        [exit 1]

        $ cerberus check --baseline accepted.json --update-baseline
        the baseline `accepted.json` accepts 4 findings
        [exit 0]

        $ cerberus check --baseline accepted.json
        nothing is out of date; checked 8 claims in 1 document; of 1 other only the links: cerberus check .
        4 accepted by the baseline, 2 never true here (see --all)
        [exit 0]
    "#]]);
    sandbox.write("accepted.json", "{\"version\": 1, \"accepted\": [");
    sandbox.session(expect![[r#"
        $ cerberus check --baseline accepted.json
        --- stderr
        cerberus: failed to read the baseline `accepted.json:1:28`: EOF while parsing a list
        hint: write it anew: cerberus check --baseline accepted.json --update-baseline
        [exit 2]
    "#]]);
}

#[test]
fn comments_and_the_configuration_exclude_claims() {
    let sandbox = moved();
    sandbox.write(
        "cerberus.toml",
        "[check]\nignore = [\"open_*\", \"make lint\"]\n",
    );
    let text = AGENTS.replace("- Sessions", "<!-- cerberus: ignore -->\n- Sessions");
    sandbox.write(
        "AGENTS.md",
        text.replace("7.\n", "7. <!-- cerberus: ignore -->\n"),
    );
    sandbox.session(expect![[r#"
        $ cerberus check
        nothing is out of date; checked 2 claims in 1 document; of 1 other only the links: cerberus check .
        6 ignored, 2 never true here (see --all)
        [exit 0]
    "#]]);
    sandbox.write("cerberus.toml", "[check]\nexclude = [\"AGENTS.md\"]\n");
    sandbox.session(expect![[r#"
        $ cerberus check
        no documents to check; name them: cerberus check FILE
        [exit 0]
    "#]]);
}

#[test]
fn uncommitted_changes_count() {
    let sandbox = moved();
    sandbox.write(
        "CLAUDE.md",
        "See `core/session.py` and `core/nothing.py`. Run `make check`.\n",
    );
    sandbox.commit("Add a guide");
    sandbox.remove("core/session.py");
    sandbox.write("Makefile", "lint:\n\truff check\n");
    sandbox.session(expect![[r#"
        $ cerberus check CLAUDE.md
        CLAUDE.md:1:6: `core/session.py`: the file no longer exists
        CLAUDE.md:1:56: `make check`: no manifest defines it any more
            was in `Makefile`

        2 errors; checked 3 claims in 1 document
        1 never true here (see --all)
        next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        [exit 1]
    "#]]);
}

#[test]
fn the_sarif_log_has_a_rule_for_each_result() {
    let sandbox = moved();
    sandbox.write("ruff.toml", "[lint]\nselect = [\"T201\"]\n");
    sandbox.edit(
        "AGENTS.md",
        "- Tests",
        "- Ruff `T201` enforces that nothing is printed.\n- Tests",
    );
    sandbox.commit("Forbid print");
    sandbox.write("ruff.toml", "[lint]\nselect = [\"E4\"]\n");
    sandbox.commit("Allow print");
    let log = sandbox.json_of(sandbox.run("check --format sarif"));
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 6);
    assert!(
        results
            .iter()
            .any(|result| result["ruleId"] == "enforcement"),
        "{results:?}"
    );
    for result in results {
        assert!(
            rules.iter().any(|rule| rule["id"] == result["ruleId"]),
            "{result}"
        );
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "AGENTS.md");
        assert!(place["region"]["startColumn"].is_u64());
    }
}

#[test]
fn unusual_repositories_have_an_answer() {
    let sandbox = Sandbox::empty();
    sandbox.session(expect![[r#"
        $ cerberus check
        no documents to check; name them: cerberus check FILE
        [exit 0]
    "#]]);
    sandbox.write("AGENTS.md", "See `src/a.py`.\n");
    sandbox.session(expect![[r#"
        $ cerberus check
        nothing is out of date; checked 1 claim in 1 document
        1 unknown
        --- stderr
        warning: the repository has no commits, so no claim can be older than the tree
        [exit 0]

        $ cerberus check nothing.md
        --- stderr
        cerberus: failed to read `nothing.md`: No such file or directory (os error 2)
        hint: name a file of the project, such as `AGENTS.md`
        [exit 2]
    "#]]);
    sandbox.write("AGENTS.md", b"\xff\xfe\0x `src/a.py`\0\n");
    sandbox.write("src/a.py", "x = 1\n");
    sandbox.commit("start");
    sandbox.git("checkout -q --detach");
    sandbox.ok("check");
    let large = "`src/a.py` and more\n".repeat(60_000);
    sandbox.write("AGENTS.md", large);
    sandbox.session(expect![[r#"
        $ cerberus check
        0 errors, and not all was checked; checked 0 claims in 0 documents; of 1 other only the links: cerberus check .
        --- stderr
        warning: not checked in `AGENTS.md`: `AGENTS.md` is larger than 1 MB
        [exit 3]
    "#]]);
    sandbox.write("AGENTS.md", "- `src/a.py`\n".repeat(10_001));
    sandbox.session(expect![[r#"
        $ cerberus check
        0 errors, and not all was checked; checked 10000 claims in 1 document
        --- stderr
        warning: not checked in `AGENTS.md`: it has more than 10000 claims, and the rest was not checked: split it, or exclude it in `[check]`
        [exit 3]
    "#]]);
}

#[test]
fn a_shallow_clone_is_not_enough() {
    let sandbox = moved();
    let source = sandbox.path("").display().to_string();
    sandbox.git(&format!("clone -q --depth 1 file://{source} ../shallow"));
    let clone = sandbox.beside("shallow");
    clone.session(expect![[r#"
        $ cerberus check
        0 errors, and not all was checked; checked 8 claims in 1 document; of 1 other only the links: cerberus check .
        7 unknown
        --- stderr
        warning: not checked in `AGENTS.md`: 7 claims: this clone is shallow, without the commits that wrote them: fetch the history with `git fetch --unshallow`, or set `fetch-depth: 0` of actions/checkout
        [exit 3]

        $ cerberus check --allow-shallow
        nothing is out of date; checked 8 claims in 1 document; of 1 other only the links: cerberus check .
        7 unknown
        --- stderr
        warning: `AGENTS.md`: 7 claims: this clone is shallow, without the commits that wrote them: fetch the history with `git fetch --unshallow`, or set `fetch-depth: 0` of actions/checkout
        [exit 0]

        $ cerberus check --format github
        ::warning file=AGENTS.md,title=cerberus%3A not checked::7 claims: this clone is shallow, without the commits that wrote them: fetch the history with `git fetch --unshallow`, or set `fetch-depth: 0` of actions/checkout
        [exit 3]
    "#]]);
    clone.git("fetch -q --unshallow");
    assert_eq!(clone.run("check").status(), 1);
}

#[cfg(unix)]
#[test]
fn programs_of_the_repository_are_not_started() {
    let sandbox = moved();
    sandbox.write(".gitattributes", "* diff=evil filter=evil\n");
    for key in [
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.smudge",
        "diff.external",
    ] {
        sandbox.git(&format!("config {key} \"touch started; cat\""));
    }
    sandbox.write("AGENTS.md", format!("{AGENTS}\n"));
    sandbox.run("check");
    assert!(!sandbox.exists("started"));
}

#[test]
fn a_managed_block_that_is_out_of_date_is_an_error() {
    let sandbox = Sandbox::anchored();
    sandbox.write("AGENTS.md", "# Agents\n");
    sandbox.ok("memory inject --into AGENTS.md --for agents-md --pins");
    sandbox.commit("agents");
    sandbox.ok("check");
    sandbox.ok("memory pin add \"Run the tests\"");
    let outcome = sandbox.run("check");
    assert_eq!(outcome.status(), 1, "{}", outcome.text());
    for expected in [
        "the block of cerberus is out of date",
        "memory inject --into AGENTS.md",
    ] {
        assert!(outcome.stdout().contains(expected), "{}", outcome.text());
    }
}
