//! A full disk, simulated by a limit on file sizes: writing commands fail and change nothing,
//! reading commands work, and a failed command succeeds once there is space.

use std::collections::BTreeMap;
use std::process::Command;

use crate::killed_commands::{self, COMMANDS};
use crate::sandbox::{Outcome, Sandbox};

/// The largest possible file in blocks of 512 bytes: no file at all, small memories only, and
/// memories but not the lock file.
const LIMITS: &[usize] = &[0, 1, 3];

const READING: &[&str] = &[
    "memory show --anchored",
    "memory search text",
    "memory inject --query session",
    "memory linked web/html.ts",
    "memory stats",
    "memory reanchor --check",
    "memory anchor-test \"hash the password\" --limit 1",
    "memory pin list",
];

#[test]
fn a_write_without_space_changes_nothing_and_can_be_retried() {
    let template = killed_commands::template();
    let before = killed_commands::files(&template);
    let mut n_failed = BTreeMap::new();
    for (n, line) in COMMANDS.iter().enumerate() {
        for limit in LIMITS {
            let sandbox = killed_commands::copy(&template, &format!("{n}-{limit}"));
            let outcome = limited(&sandbox, *limit, line);
            if outcome.status() == 0 {
                continue;
            }
            assert_eq!(outcome.status(), 3, "{limit}: {}", outcome.text());
            assert!(
                outcome.stderr().contains("cerberus: "),
                "{limit}: {}",
                outcome.text()
            );
            *n_failed.entry(*limit).or_insert(0) += 1;
            assert_eq!(
                killed_commands::files(&sandbox),
                before,
                "{limit}: {}",
                outcome.text()
            );
            let again = sandbox.run(line);
            assert_eq!(again.status(), 0, "{limit}: {}", again.text());
        }
    }
    // Without any space every command fails except `index`, because the store is optional.
    assert_eq!(
        n_failed.get(&0),
        Some(&(COMMANDS.len() - 1)),
        "{n_failed:?}"
    );
    assert!(
        LIMITS.iter().all(|limit| n_failed.contains_key(limit)),
        "{n_failed:?}"
    );
}

#[test]
fn reading_commands_work_without_disk_space() {
    let sandbox = killed_commands::template();
    for line in READING {
        let expected = sandbox.run(line);
        let outcome = limited(&sandbox, 0, line);
        let of = |outcome: &Outcome| (outcome.status(), outcome.stdout());
        assert_eq!(of(&outcome), of(&expected), "{}", outcome.text());
    }
}

#[test]
fn data_of_the_store_is_not_reported_as_saved_without_a_store() {
    let sandbox = Sandbox::anchored();
    sandbox.remove(".memories/indices");
    sandbox.write(".memories/indices/cerberus.db/x", "A folder is in the way.");
    let outcome = sandbox.run("memory pin add \"For now\" --expires 2h");
    assert_eq!(outcome.status(), 3, "{}", outcome.text());
    assert!(
        outcome.stderr().contains("cannot write to the store"),
        "{}",
        outcome.text()
    );
    sandbox.ok("memory pin add \"For good\"");
}

/// Runs a command with a limit on the size of the files that it writes.
fn limited(sandbox: &Sandbox, blocks: usize, line: &str) -> Outcome {
    let inner = sandbox.command(line);
    let mut command = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    command
        .args(["-c", &script])
        .arg(inner.get_program())
        .args(inner.get_args());
    command.current_dir(sandbox.path("")).env_clear();
    command.envs(
        inner
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    sandbox.outcome(line, command.output().expect("sh runs"))
}
