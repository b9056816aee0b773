//! A disk without room, as a limit on the size of files: commands that write say so and
//! leave no trace, commands that read work, and all work again when there is room.

use std::process::Command;

use crate::kills::{self, COMMANDS};
use crate::sandbox::{Outcome, Sandbox};

/// The largest file that can be written, in blocks of 512 bytes: none, the smallest
/// memories, memories but not the lock file.
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
fn what_cannot_be_written_leaves_no_trace_and_can_be_done_later() {
    let template = kills::template();
    let before = kills::files(&template);
    for (n, line) in COMMANDS.iter().enumerate() {
        for limit in LIMITS {
            let sandbox = kills::copy(&template, &format!("{n}-{limit}"));
            let outcome = limited(&sandbox, *limit, line);
            let is_done = [0, 1].contains(&outcome.status());
            let is_told = outcome.status() == 3 && outcome.stderr().contains("cerberus: ");
            assert!(is_done || is_told, "{limit}: {}", outcome.text());
            // What a merge has done is kept: the same command again does the rest.
            if is_told && !line.contains("merge") {
                assert_eq!(kills::files(&sandbox), before, "{limit}: {}", outcome.text());
            }
            if is_told {
                let again = sandbox.run(line);
                assert!([0, 1].contains(&again.status()), "{limit}: {}", again.text());
            }
        }
    }
}

#[test]
fn what_only_reads_needs_no_room() {
    let sandbox = kills::template();
    for line in READING {
        let expected = sandbox.run(line);
        let outcome = limited(&sandbox, 0, line);
        let of = |outcome: &Outcome| (outcome.status(), outcome.stdout());
        assert_eq!(of(&outcome), of(&expected), "{}", outcome.text());
    }
}

#[test]
fn what_lives_in_the_store_alone_is_not_said_to_be_kept_without_it() {
    let sandbox = Sandbox::anchored();
    sandbox.remove(".memories/indices");
    sandbox.write(".memories/indices/cerberus.db/x", "A folder is in the way.");
    for line in ["memory feedback escape-html --good", "memory pin add \"For now\" --expires 2h"] {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 3, "{}", outcome.text());
        assert!(outcome.stderr().contains("cannot write to the store"), "{}", outcome.text());
    }
    sandbox.ok("memory pin add \"For good\"");
}

/// Runs a command that can write no file larger than so many blocks.
fn limited(sandbox: &Sandbox, blocks: usize, line: &str) -> Outcome {
    let inner = sandbox.command(line);
    let mut command = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    command.args(["-c", &script]).arg(inner.get_program()).args(inner.get_args());
    command.current_dir(sandbox.path("")).env_clear();
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    sandbox.outcome(line, command.output().expect("sh runs"))
}
