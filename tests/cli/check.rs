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

const AGENTS: &str = "# Shop

- Sessions are in `src/db/session.py`; see [the guide](docs/guide.md).
- Open one with `open_session()`, and run `make lint` before a commit.
- Never use `src/db/legacy.py`. Names like `src/foo.py` are examples.
- Tests use `pytest` 7.
";

/// A project in which everything that its instructions say is true, and then one in which
/// nothing is.
fn moved() -> Sandbox {
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
    "#]]);
}

#[test]
fn everything_else_that_fails_is_shown_on_request() {
    moved().session(expect![[r#"
        $ cerberus check AGENTS.md --all --json
    "#]]);
}

#[test]
fn fix_writes_only_the_names_that_were_followed() {
    let sandbox = moved();
    sandbox.session(expect![[r#"
        $ cerberus check --fix

        $ cerberus check --fix --yes
    "#]]);
    let fixed = AGENTS
        .replace("src/db/session.py", "core/session.py")
        .replace("open_session", "connect_session");
    assert_eq!(sandbox.read("AGENTS.md"), fixed);
}

#[test]
fn since_reports_what_a_change_broke_in_other_documents() {
    let sandbox = moved();
    sandbox.session(expect![[r#"
        $ cerberus check --since HEAD~1 --format github

        $ cerberus check --since HEAD

        $ cerberus check --since nothing
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

        $ cerberus check --baseline accepted.json --update-baseline

        $ cerberus check --baseline accepted.json
    "#]]);
    sandbox.write("accepted.json", "{\"version\": 1, \"accepted\": [");
    sandbox.session(expect![[r#"
        $ cerberus check --baseline accepted.json
    "#]]);
}

#[test]
fn comments_and_the_configuration_exclude_claims() {
    let sandbox = moved();
    sandbox.write("cerberus.toml", "[check]\nignore = [\"open_*\", \"make lint\"]\n");
    let text = AGENTS.replace("- Sessions", "<!-- cerberus: ignore -->\n- Sessions");
    sandbox.write("AGENTS.md", text.replace("7.\n", "7. <!-- cerberus: ignore -->\n"));
    sandbox.session(expect![[r#"
        $ cerberus check
    "#]]);
    sandbox.write("cerberus.toml", "[check]\nexclude = [\"AGENTS.md\"]\n");
    sandbox.session(expect![[r#"
        $ cerberus check
    "#]]);
}

#[test]
fn uncommitted_changes_count() {
    let sandbox = moved();
    sandbox.write("CLAUDE.md", "See `core/session.py` and `core/nothing.py`.\n");
    sandbox.remove("core/session.py");
    sandbox.session(expect![[r#"
        $ cerberus check CLAUDE.md
    "#]]);
}

#[test]
fn the_sarif_log_has_a_rule_for_each_result() {
    let sandbox = moved();
    let log = sandbox.json_of(sandbox.run("check --format sarif"));
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 5);
    for result in results {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "{result}");
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
    "#]]);
    sandbox.write("AGENTS.md", "See `src/a.py`.\n");
    sandbox.session(expect![[r#"
        $ cerberus check

        $ cerberus check nothing.md
    "#]]);
    sandbox.write("AGENTS.md", b"\xff\xfe\0x `src/a.py`\0\n".to_vec());
    sandbox.write("src/a.py", "x = 1\n");
    sandbox.commit("start");
    sandbox.git("checkout -q --detach");
    sandbox.ok("check");
    let large = "`src/a.py` and more\n".repeat(60_000);
    sandbox.write("AGENTS.md", large);
    sandbox.session(expect![[r#"
        $ cerberus check
    "#]]);
}

#[test]
fn a_shallow_clone_is_said_once() {
    let sandbox = moved();
    let source = sandbox.path("").display().to_string();
    sandbox.git(&format!("clone -q --depth 1 file://{source} ../shallow"));
    let clone = sandbox.beside("shallow");
    clone.session(expect![[r#"
        $ cerberus check
    "#]]);
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
