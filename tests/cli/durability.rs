//! The order of system calls of every writing command: what it says to be done is on the disk
//! before it says so, and survives a power failure.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use crate::killed_commands::{self, COMMANDS};
use crate::sandbox::{Sandbox, print_skipped};

/// The system calls that change a folder, that sync, and that print.
const CALLS: &str = "trace=fsync,fdatasync,syncfs,rename,renameat,renameat2,link,linkat,unlink,unlinkat,\
                     mkdir,mkdirat,write";

#[test]
fn folders_are_synced_before_the_answer() {
    if !can_trace() {
        return;
    }
    let template = killed_commands::template();
    let mut faults = Vec::new();
    let mut n_changes = 0;
    for (n, line) in COMMANDS.iter().enumerate() {
        let sandbox = killed_commands::copy(&template, &format!("run-{n}"));
        let calls = trace(&sandbox, line);
        n_changes += check(line, &sandbox, &calls, &mut faults);
    }
    assert_eq!(faults, [""; 0]);
    // Every command but `index` and the one that writes only to the store changes a folder.
    assert!(
        n_changes >= COMMANDS.len() - 2,
        "{n_changes} changes were traced"
    );
}

#[test]
fn an_import_syncs_each_folder_once() {
    if !can_trace() {
        return;
    }
    let to = Sandbox::bank();
    to.write("RULES.md", rules(20));
    // The first commands that write create the folders of the store and of the trash.
    to.ok("memory create first --content Text.");
    to.ok("memory delete first");
    let calls = trace(&to, "memory import RULES.md --no-anchor");
    let bank = to.path(".memories").display().to_string();
    let is_sync =
        |call: &&String| call.starts_with("fsync(") && call.contains(&format!("<{bank}>"));
    assert_eq!(calls.iter().filter(is_sync).count(), 1, "{calls:#?}");
}

#[test]
fn an_import_of_many_memories_syncs_them_in_one_step_before_its_end() {
    if !can_trace() {
        return;
    }
    let to = Sandbox::bank();
    to.write("RULES.md", rules(100));
    let calls = trace(&to, "memory import RULES.md --no-anchor");
    let at = |wanted: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..calls.len())
            .filter(|idx| wanted(&calls[*idx]))
            .collect()
    };
    let bank = to.path(".memories").display().to_string();
    let synced = at(&|call| call.starts_with("syncfs(") && call.contains(&format!("<{bank}>")));
    let created =
        at(&|call| call.contains("RENAME_NOREPLACE") && call.contains(".memories/never-use-m"));
    let finished =
        at(&|call| call.starts_with("unlink") && call.contains(".cerberus-deletion.toml"));
    assert_eq!(
        (synced.len(), created.len(), finished.len()),
        (1, 100, 1),
        "{calls:#?}"
    );
    assert!(
        created[99] < synced[0] && synced[0] < finished[0],
        "{calls:#?}"
    );
}

/// A document of many rules.
fn rules(n_rules: usize) -> String {
    (0..n_rules)
        .map(|n| format!("- Never use m{n} in a handler\n"))
        .collect()
}

/// Whether `strace` can be used; prints why the test is skipped if not.
fn can_trace() -> bool {
    let strace = Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .output();
    let can_trace = strace.is_ok_and(|output| output.status.success());
    if !can_trace {
        print_skipped("`strace` is not installed or not permitted");
    }
    can_trace
}

/// Runs a command and returns its system calls, with the paths of open files.
fn trace(sandbox: &Sandbox, line: &str) -> Vec<String> {
    let inner = sandbox.command(line);
    let log = sandbox.path("../strace.log");
    let mut command = Command::new("strace");
    command
        .args([
            "-f",
            "-qq",
            "-y",
            "-s",
            "8",
            "-e",
            "signal=none",
            "-e",
            CALLS,
            "-o",
        ])
        .arg(&log);
    command.arg(inner.get_program()).args(inner.get_args());
    command.current_dir(sandbox.path("")).env_clear();
    command.envs(
        inner
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let output = command.output().expect("strace runs");
    assert!(
        output.status.success(),
        "{line}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut unfinished = BTreeMap::new();
    let mut calls = Vec::new();
    for line in std::fs::read_to_string(log).expect("a trace").lines() {
        let (process, call) = line.split_once(' ').expect("a process");
        let call = call.trim_start();
        if let Some(start) = call.strip_suffix(" <unfinished ...>") {
            unfinished.insert(process.to_owned(), start.to_owned());
        } else if let Some((_, end)) = call.split_once(" resumed>") {
            calls.push(unfinished.remove(process).unwrap_or_default() + end);
        } else {
            calls.push(call.to_owned());
        }
    }
    calls
}

/// Checks one trace and returns the number of changes of folders.
fn check(line: &str, sandbox: &Sandbox, calls: &[String], faults: &mut Vec<String>) -> usize {
    let (mut changed, mut synced) = (BTreeSet::new(), BTreeSet::new());
    let mut n_changes = 0;
    for call in calls {
        let name = call.split('(').next().unwrap_or_default();
        let is_done = call
            .rsplit_once(" = ")
            .is_some_and(|(_, result)| !result.starts_with('-'));
        let paths: Vec<&str> = call.split('"').skip(1).step_by(2).collect();
        let paths: Vec<String> = paths
            .into_iter()
            .map(|path| {
                sandbox
                    .path(path)
                    .components()
                    .collect::<PathBuf>()
                    .display()
                    .to_string()
            })
            .filter(|path| !is_cache(path))
            .collect();
        match name {
            "fsync" | "fdatasync" => {
                let path = call.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                changed.remove(&path);
                synced.insert(path);
            }
            "write" if call.starts_with("write(1<") => {
                let fault = || format!("{line}: answers before {changed:?} is synced");
                faults.extend((!changed.is_empty()).then(fault));
            }
            _ if !is_done || paths.is_empty() => {}
            "unlink" | "unlinkat" if is_temporary(&paths[0]) => {}
            "rename" | "renameat" | "renameat2" | "link" | "linkat" => {
                if is_temporary(&paths[0]) && !synced.contains(&paths[0]) {
                    faults.push(format!("{line}: {} has no synced content", paths[1]));
                }
                changed.extend(paths.iter().map(|path| folder(path)));
                n_changes += 1;
            }
            "unlink" | "unlinkat" | "mkdir" | "mkdirat" => {
                changed.insert(folder(&paths[0]));
                n_changes += 1;
            }
            _ => {}
        }
    }
    if !changed.is_empty() {
        faults.push(format!("{line}: never syncs {changed:?}"));
    }
    n_changes.min(1)
}

/// Whether a path belongs to the store, which SQLite syncs, or to the cache of the user, or is a folder for
/// a child process.
fn is_cache(path: &str) -> bool {
    let is_temporary_folder = path
        .rsplit('/')
        .next()
        .is_some_and(|name| name.starts_with(".tmp"));
    path.contains("/cerberus.db") || path.contains("/home/") || is_temporary_folder
}

/// Whether a file is temporary. The next writer removes one that a power failure brings back.
fn is_temporary(path: &str) -> bool {
    path.contains("/.cerberus-tmp-") || path.contains("/.trash/.cerberus-import/")
}

fn folder(path: &str) -> String {
    path.rsplit_once('/')
        .map_or(".", |(folder, _)| folder)
        .to_owned()
}
