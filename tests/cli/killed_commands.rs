//! Every writing command, killed at some moment of its run: each file has its old or its new
//! content, nothing is lost, and the next command works.
//!
//! A normal run kills each command a few times. `CERBERUS_TEST_KILLS=500 cargo test --test cli
//! killed_commands -- --nocapture` distributes 500 kills over the commands and prints how many
//! hit a running command.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::sandbox::{self, Sandbox};

/// Number of kills in a normal run.
const KILLS: usize = 22;

/// The commands, each run on its own copy of the project.
pub(crate) const COMMANDS: &[&str] = &[
    "memory init --project fresh",
    "memory add \"Escape HTML entities in text before it is rendered as markup\" --id new",
    "memory create deep/new --content \"A new document.\"",
    "memory append deep/plan --content \"More of it.\"",
    "memory update deep/plan --content \"Another text.\" --tag new",
    "memory delete close-session plain",
    "memory restore gone",
    "memory rename two deep/two",
    "memory merge one two --into deep/plan",
    "memory anchor plain --to web/cart.ts",
    "memory anchor escape-html --clear",
    "memory anchor close-session --none",
    AGENT_REVIEW,
    "memory reanchor",
    "memory reanchor --accept hash-passwords",
    "memory import RULES.md",
    "memory pin add \"Another pin\" --id new",
    "memory pin remove first",
    "memory pin add \"For now\" --id now --expires 2h",
    "memory inject --into AGENTS.md",
    "index --full",
];

/// A review by an agent that always answers the same.
const AGENT_REVIEW: &str = r#"memory review plain --with "printf '{\042rules\042:[{\042id\042:\042plain\042,\042kind\042:\042code\042,\042hints\042:[\042cart\042],\042example\042:\042web/cart.ts\042}]}'""#;

/// The text of each file by path, without `.git` and the store.
pub(crate) type Files = BTreeMap<String, String>;

#[test]
#[expect(clippy::print_stdout, reason = "the figures of a long run")]
fn a_killed_command_leaves_every_file_intact() {
    let n_kills =
        std::env::var("CERBERUS_TEST_KILLS").map_or(KILLS, |n| n.parse().expect("a number"));
    let template = template();
    let before = files(&template);
    let afters: Vec<(Files, Duration)> = COMMANDS
        .iter()
        .map(|line| uninterrupted(&template, line))
        .collect();
    let (mut n_killed, mut n_left, mut n_between) = (0, 0, 0);
    for n in 0..n_kills {
        let (line, (after, lasts)) = (COMMANDS[n % COMMANDS.len()], &afters[n % COMMANDS.len()]);
        let sandbox = copy(&template, &format!("run-{n}"));
        // Multiples of the golden ratio are spread evenly, whatever their number. A command
        // reads first and writes last, so two of three kills hit its second half.
        let spread = (n as f64 * 0.618_034 + 0.5).fract();
        let moment = if n % 3 == 0 {
            spread
        } else {
            0.5 + spread / 2.0
        };
        let was_killed = kill_after(&sandbox, line, lasts.mul_f64(moment));
        let now = files(&sandbox);
        let what = format!("kill {n} at {moment:.2}: {line}");
        n_killed += usize::from(was_killed);
        n_left += usize::from(now.keys().any(|path| is_temporary(path)));
        n_between += usize::from(was_killed && now != before && now != *after);
        check(&what, &before, after, &now);
        recovers(&sandbox, &what, line, after);
        std::fs::remove_dir_all(sandbox.path("")).expect("it is ours");
    }
    println!(
        "{n_kills} kills: {n_killed} before the end, {n_between} between two writes, {n_left} left a temporary file"
    );
    assert!(
        n_killed * 3 > n_kills,
        "{n_killed} of {n_kills} came before the end"
    );
}

/// A project in which each of the commands has work to do.
pub(crate) fn template() -> Sandbox {
    let sandbox = Sandbox::anchored();
    sandbox.ok("memory create deep/plan --content \"The plan.\"");
    for id in ["one", "two", "plain", "gone"] {
        let text = format!("---\ntype: fact\n---\nText of {id}, see [[memory:two]].\n");
        sandbox.memory(id, text);
    }
    sandbox.memory(
        "open",
        "---\ntype: plan\n---\n<!-- ANCHOR:a -->\nText.\n\n## Next\n\nEnd.\n",
    );
    sandbox.ok("memory anchor one --to web/html.ts::escapeHtml");
    sandbox.ok("memory anchor gone --to web/cart.ts");
    sandbox.ok("memory pin add \"The first pin\" --id first");
    for id in ["one", "deep/plan"] {
        sandbox.ok(&format!("memory update {id} --content \"Changed since.\""));
    }
    sandbox.ok("memory delete gone");
    sandbox.ok("memory delete two");
    sandbox.ok("memory restore two");
    sandbox.write("RULES.md", "- Never block the event loop\n- Use UTC\n");
    sandbox.ok("memory import RULES.md --no-anchor");
    sandbox.write("fresh/main.py", "def main(): pass\n");
    sandbox.write("AGENTS.md", "# For agents\n\nWritten by a person.\n");
    sandbox.write(
        "RULES.md",
        "- Always close the session\n- Never block the event loop in a handler\n- Use UTC\n",
    );
    sandbox.commit("all of it");
    std::fs::rename(sandbox.path("web/html.ts"), sandbox.path("web/markup.ts"))
        .expect("it is there");
    sandbox.edit("shop/accounts.py", "n=16384", "n=32768");
    sandbox
}

/// Copies a project without its store, which is bound to its folder, into the folder `name`. The
/// project folder keeps its own name.
pub(crate) fn copy(from: &Sandbox, name: &str) -> Sandbox {
    let to = from.beside(&format!("{name}/shop"));
    copy_folder(&from.path(""), &to.path(""));
    to
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder can be made");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy_folder(&entry.path(), &to);
        } else if !sandbox::is_store(&entry.path()) {
            std::fs::copy(entry.path(), to).expect("a file can be copied");
        }
    }
}

pub(crate) fn files(sandbox: &Sandbox) -> Files {
    let mut found = Files::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(sandbox.path(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = format!("{folder}{}", entry.file_name().to_string_lossy());
            if entry.file_type().expect("a type").is_dir() {
                if path != ".git" && !path.ends_with(".memories/indices") {
                    folders.push(format!("{path}/"));
                }
            } else {
                found.insert(path.clone(), sandbox.read(&path));
            }
        }
    }
    found
}

fn is_temporary(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with(".cerberus-"))
}

/// Runs a command to its end and returns the resulting files and the duration.
fn uninterrupted(template: &Sandbox, line: &str) -> (Files, Duration) {
    let runs = ["first", "second"].map(|name| {
        let sandbox = copy(template, name);
        let start = Instant::now();
        let outcome = sandbox.run(line);
        let lasts = start.elapsed();
        assert_eq!(outcome.status(), 0, "{}", outcome.text());
        let after = files(&sandbox);
        std::fs::remove_dir_all(sandbox.path("")).expect("it is ours");
        (after, lasts)
    });
    let [(after, first), (again, second)] = runs;
    assert_eq!(after, again, "{line}: two runs give the same files");
    (after, first.min(second))
}

/// Starts a command, kills it after `wait`, and returns whether it was still running.
fn kill_after(sandbox: &Sandbox, line: &str, wait: Duration) -> bool {
    let mut command = sandbox.command(line);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    // The sleep selects the moment of the kill; nothing is awaited.
    std::thread::sleep(wait);
    // Killing a process that has ended is an error without meaning here.
    let _ = child.kill();
    child.wait().expect("it ends").signal().is_some()
}

/// Checks that each file has its old or its new content and that no memory is lost.
fn check(what: &str, before: &Files, after: &Files, now: &Files) {
    let paths: BTreeSet<&String> = before
        .keys()
        .chain(after.keys())
        .chain(now.keys())
        .collect();
    for path in paths.into_iter().filter(|path| !is_temporary(path)) {
        let (old, new, text) = (before.get(path), after.get(path), now.get(path));
        if path.ends_with("anchors.lock") {
            check_lock(
                what,
                [old, new, text].map(|text| text.map_or("", String::as_str)),
            );
        } else {
            assert!(text == old || text == new, "{what}: `{path}` is {text:?}");
        }
    }
    for (path, text) in before
        .iter()
        .filter(|(_, text)| after.values().any(|it| it == *text))
    {
        let is_there = now
            .iter()
            .any(|(path, it)| it == text && !is_temporary(path));
        assert!(is_there, "{what}: `{path}` is lost");
    }
}

/// Checks that each anchor has its old or its new entry. Whole files are not compared because a
/// merge writes the lock once for each source memory.
fn check_lock(what: &str, texts: [&str; 3]) {
    let anchors = texts.map(|text| -> BTreeMap<String, String> {
        let table: toml::Table = text
            .parse()
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        let entries = table.get("anchor").and_then(toml::Value::as_array).cloned();
        let entries = entries.unwrap_or_default().into_iter();
        entries
            .map(|entry| (entry["id"].to_string(), entry.to_string()))
            .collect()
    });
    let [old, new, now] = anchors;
    let ids: BTreeSet<&String> = old.keys().chain(new.keys()).chain(now.keys()).collect();
    for id in ids {
        let anchor = now.get(id);
        assert!(
            anchor == old.get(id) || anchor == new.get(id),
            "{what}: the anchor of {id}"
        );
    }
}

/// Checks that the next commands work, that repeating the command completes it or explains why
/// not, and that no temporary file remains.
fn recovers(sandbox: &Sandbox, what: &str, line: &str, after: &Files) {
    sandbox.ok("memory stats");
    if let Some(ids) = line.strip_prefix("memory delete ") {
        let listed = sandbox.ok("memory show");
        let n_left = ids.split(' ').filter(|id| listed.contains(id)).count();
        assert!(
            n_left == 0 || n_left == ids.split(' ').count(),
            "{what}: {listed}"
        );
    }
    if line == "memory import RULES.md" {
        let listed = sandbox.ok("memory show");
        let rules = ["Always close the session", "in a handler"];
        let n_imported = rules.iter().filter(|rule| listed.contains(**rule)).count();
        assert!(
            n_imported == 0 || n_imported == rules.len(),
            "{what}: {listed}"
        );
    }
    let again = sandbox.run(line);
    // A command that was completed before the kill is refused, such as adding an existing id.
    let is_refused = again.status() == 2 && again.stderr().contains("cerberus: ");
    assert!(
        again.status() == 0 || is_refused,
        "{what}: {}",
        again.text()
    );
    // Every writing command removes leftover temporary files.
    let project = if line.ends_with("fresh") {
        "fresh"
    } else {
        "."
    };
    sandbox.ok(&format!(
        "memory pin add \"Go on\" --id go-on --project {project}"
    ));
    let now = files(sandbox);
    if again.status() == 0 {
        let lock = ".memories/anchors.lock";
        check_lock(what, [&after[lock], &after[lock], &now[lock]]);
    }
    // Outside the bank another process may just have created an empty one, which is left for an hour.
    let is_left =
        |path: &str| is_temporary(path) && (path.contains(".memories/") || !now[path].is_empty());
    let left: Vec<&String> = now.keys().filter(|path| is_left(path)).collect();
    assert!(left.is_empty(), "{what}: {left:?}");
    let indices = std::fs::read_dir(sandbox.path(".memories/indices")).expect("the store's folder");
    let is_left = |name: String| is_temporary(&name) || name.contains("corrupt");
    let left: Vec<String> = indices
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| is_left(name.clone()))
        .collect();
    assert!(left.is_empty(), "{what}: {left:?}");
}
