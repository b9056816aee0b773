//! Closed and full output streams, and the separation of stdout and stderr.
#![cfg(unix)]

use std::fs::File;
use std::process::Stdio;

use crate::sandbox::Sandbox;

/// A bank whose output exceeds the capacity of a pipe.
fn talkative() -> Sandbox {
    let sandbox = Sandbox::bank();
    for n in 0..4 {
        sandbox.memory(&format!("long-{n}"), "word after word\n".repeat(6_000));
    }
    sandbox
}

const LONG: &str = "memory show long-0 long-1 long-2 long-3";

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let sandbox = talkative();
    for line in [LONG.to_owned(), format!("{LONG} --json")] {
        let mut command = sandbox.command(&line);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        drop(child.stdout.take());
        let outcome = sandbox.outcome(&line, child.wait_with_output().expect("it ends"));
        assert_eq!(outcome.status(), 0, "{}", outcome.text());
        assert!(!outcome.stderr().contains("output"), "{}", outcome.text());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_output_device_is_an_error() {
    full(&[
        "memory show",
        "memory show --json",
        "completions bash",
        "memory reanchor --check",
    ]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_output_device_is_an_error_for_help() {
    full(&["--help", "--version", "memory show --help"]);
}

#[cfg(target_os = "linux")]
fn full(lines: &[&str]) {
    let sandbox = Sandbox::anchored();
    for line in lines {
        let full = File::options()
            .write(true)
            .open("/dev/full")
            .expect("Linux has it");
        let output = sandbox
            .command(line)
            .stdout(full)
            .output()
            .expect("it runs");
        let outcome = sandbox.outcome(line, output);
        assert_eq!(outcome.status(), 3, "{}", outcome.text());
        assert!(
            outcome.stderr().contains("failed to write output"),
            "{}",
            outcome.text()
        );
    }
}

#[test]
fn warnings_go_to_stderr() {
    let sandbox = Sandbox::bank();
    sandbox.memory("odd", b"bad \xFF byte\n");
    let outcome = sandbox.run("memory show");
    assert!(
        outcome.stderr().starts_with("warning: "),
        "{}",
        outcome.text()
    );
    assert!(!outcome.stdout().contains("warning"), "{}", outcome.text());
    assert_eq!(outcome.status(), 0);
}

#[test]
fn colour_is_used_only_on_terminals_or_on_request() {
    let sandbox = Sandbox::anchored();
    sandbox.edit("shop/accounts.py", "r=8", "r=16");
    let lines = [
        "memory show",
        "memory show --anchored",
        "memory stats",
        "memory reanchor --check",
        "memory anchor-test hash --explain",
        "memory search password",
        "memory sections hash",
    ];
    for line in lines {
        let plain = sandbox.run(line).stdout();
        assert!(!plain.contains('\x1b'), "{plain}");
        let forced = sandbox
            .command(line)
            .env("CLICOLOR_FORCE", "1")
            .env("TERM", "xterm")
            .output();
        assert_eq!(
            sandbox.outcome(line, forced.expect("it runs")).stdout(),
            plain
        );
    }
    for line in ["memory show hash", "memory search password"] {
        let line = format!("{line} --color always");
        let asked = sandbox
            .command(&line)
            .env("NO_COLOR", "1")
            .output()
            .expect("it runs");
        assert!(asked.stdout.contains(&0x1b), "{line}");
    }
    assert!(
        !sandbox
            .ok("memory show --json --color always")
            .contains('\x1b')
    );
}
