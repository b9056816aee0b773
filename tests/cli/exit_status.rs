//! The documented exit statuses, one test each.

use expect_test::expect;

use crate::sandbox::Sandbox;

fn ends_with(status: i32, sandbox: &Sandbox, lines: &[&str]) {
    for line in lines {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), status, "{}", outcome.text());
        let is_told = !outcome.output.stdout.is_empty() || !outcome.output.stderr.is_empty();
        assert!(is_told, "`{line}` ended without a word");
    }
}

#[test]
fn status_0_means_success() {
    let lines = [
        "--help",
        "--version",
        "memory --help",
        "memory show",
        "memory show --json",
        "memory stats",
        "memory reanchor --check",
        "memory search password",
        "memory sections hash-passwords",
        "memory anchor-test x",
        "memory anchor hash-passwords --candidates",
        "index",
        "memory init",
        "completions bash",
        "doctor",
    ];
    ends_with(0, &Sandbox::anchored(), &lines);
}

#[test]
fn status_1_means_a_failed_check() {
    let sandbox = Sandbox::anchored();
    sandbox.git("mv web/html.ts web/markup.ts");
    sandbox.memory("odd", "<!-- ANCHOR:a -->\n");
    let lines = [
        "memory reanchor --check",
        "memory reanchor --check --json",
        "memory sections odd --validate",
        "memory sections odd --validate --json",
        "memory search zebra",
        "memory anchor hang-curtains",
        "memory anchor hang-curtains --json",
        "memory show --tag none",
        "doctor",
    ];
    ends_with(1, &sandbox, &lines);
}

#[test]
fn status_2_means_wrong_usage_or_input() {
    let lines = [
        "",
        "memory",
        "memory forget",
        "memory show --colour",
        "memory show none",
        "memory add",
        "memory add \" \"",
        "memory show --type none",
        "memory add x --id ../x",
        "memory search \"?\"",
        "memory show --project none",
        "memory show --color sometimes",
        "memory restore none",
        "memory anchor-test x --min-quality 2",
        "memory anchor-test --rules none.txt",
    ];
    ends_with(2, &Sandbox::anchored(), &lines);
}

#[test]
fn status_3_means_an_environment_failure() {
    let sandbox = Sandbox::anchored();
    sandbox.write(".memories/anchors.lock", "version = 1\nnot toml\n");
    ends_with(
        3,
        &sandbox,
        &[
            "memory show",
            "memory reanchor --check",
            "memory show --json",
        ],
    );
    let mut command = sandbox.command("memory show");
    let output = command
        .env("CERBERUS_NOW", "yesterday")
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_failure_prints_nothing_on_stdout() {
    let sandbox = Sandbox::anchored();
    for line in [
        "memory show none --json",
        "memory show none",
        "memory add x --id hash-passwords --json",
    ] {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.stdout(), "", "{}", outcome.text());
        let start = if line.ends_with("--json") {
            "{\"error\":"
        } else {
            "cerberus: "
        };
        assert!(outcome.stderr().starts_with(start), "{}", outcome.text());
    }
}

#[test]
fn a_misplaced_command_gets_a_tip() {
    let sandbox = Sandbox::bank();
    sandbox.session(expect![[r#"
        $ cerberus search session
        --- stderr
        cerberus: unrecognized subcommand `search`
        hint: use `cerberus memory search`
        hint: see cerberus --help
        [exit 2]

        $ cerberus memory doctor
        --- stderr
        cerberus: unrecognized subcommand `doctor`
        hint: use `cerberus doctor`
        hint: see cerberus memory --help
        [exit 2]

        $ cerberus memory pin add
        --- stderr
        cerberus: the following required arguments were not provided: <TEXT>
        hint: see cerberus memory pin add --help
        [exit 2]

        $ cerberus memory anchor-test ""
        --- stderr
        cerberus: the rule is empty
        hint: pass a text, as in `cerberus memory anchor-test "close the session"`
        [exit 2]
    "#]]);
}

#[test]
#[cfg(target_os = "linux")]
fn commands_without_threads_fail_without_a_panic() {
    let sandbox = Sandbox::anchored();
    for line in [
        "memory reanchor --check",
        "memory inject",
        "check",
        "mcp",
        "doctor",
    ] {
        // No thread has so much memory for its stack.
        let mut command = sandbox.command(line);
        let output = command
            .env("RUST_MIN_STACK", "70368744177664")
            .output()
            .expect("it runs");
        let outcome = sandbox.outcome(line, output);
        assert_eq!(outcome.status(), 3, "{}", outcome.text());
        let stderr = outcome.stderr();
        assert!(
            stderr.starts_with("cerberus: failed to start a thread: "),
            "{stderr}"
        );
    }
}
