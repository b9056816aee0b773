//! No command uses another one: shared work is in the library, shared output in a module of its own.

use std::collections::BTreeSet;

use crate::lexer::is_word;

/// Modules of `src/commands/` that are not commands.
const SHARED: [&str; 11] = [
    "added_code",
    "agent",
    "args",
    "candidates",
    "confirm",
    "content",
    "edited",
    "findings",
    "outside_documents",
    "settings_file",
    "temporary",
];

/// The uses of a command that are left, with the command that has them: what an agent gets, the rooms of `check`,
/// and the settings of the agents.
const LEFT: [(&str, &str); 9] = [
    ("check", "doctor"),
    ("doctor", "inject"),
    ("doctor", "setup"),
    ("hooks", "check"),
    ("hooks", "inject"),
    ("hooks", "review_diff"),
    ("import", "setup"),
    ("report", "check"),
    ("report", "doctor"),
];

/// Returns the faults of the sources of commands, given with their paths.
pub(crate) fn faults(sources: &[(String, String)]) -> Vec<String> {
    let mut files = Vec::new();
    for (path, text) in sources {
        if let Some(below) = path.strip_prefix("src/commands/")
            && below != "mod.rs"
        {
            files.push((below, text));
        }
    }
    let commands: BTreeSet<&str> = files.iter().map(|(path, _)| command(path)).collect();
    let mut left: BTreeSet<(&str, &str)> = LEFT.into();
    let mut faults = Vec::new();
    for (path, text) in &files {
        for &used in &commands {
            let user = command(path);
            if used == user || SHARED.contains(&used) || !uses(path, text, used) {
                continue;
            }
            if !LEFT.contains(&(user, used)) {
                faults.push(format!(
                    "src/commands/{path}: it uses the command `{used}`: move what both need to the library"
                ));
            }
            left.remove(&(user, used));
        }
    }
    for (user, used) in left {
        faults.push(format!(
            "tests/tidy/commands.rs: LEFT has `{used}` for `{user}`, which no longer uses it"
        ));
    }
    faults
}

/// Returns the module of `commands` that a file below it is part of.
fn command(path: &str) -> &str {
    let name = path.split('/').next().unwrap_or_default();
    name.strip_suffix(".rs").unwrap_or(name)
}

/// Returns whether a file names a module of `commands` in a path.
fn uses(path: &str, text: &str, module: &str) -> bool {
    let up = "super::".repeat(path.matches('/').count() + 1);
    let mut is_used = false;
    for prefix in ["commands::", &up] {
        for (at, _) in text.match_indices(prefix) {
            let before = text[..at].chars().next_back().unwrap_or(' ');
            let is_longer = before == ':' && prefix == up;
            is_used |= !is_longer && names(&text[at + prefix.len()..], module);
        }
    }
    is_used
}

/// Returns whether the rest of a path starts with a module, alone or in braces.
fn names(rest: &str, module: &str) -> bool {
    let list = match rest.strip_prefix('{') {
        Some(list) => list.split_once(['}', '{']).unwrap_or_default().0,
        None => rest.split(|c: char| !is_word(c)).next().unwrap_or_default(),
    };
    let mut named = list.split(',').map(str::trim);
    named.any(|name| name.split("::").next() == Some(module))
}

#[test]
fn a_use_of_another_command_is_found() {
    let of = |path: &str, text: &str| uses(path, text, "trash");
    for text in [
        "use super::trash::Report;",
        "use crate::commands::{add, trash};",
        "super::trash::run()",
    ] {
        assert!(of("merge.rs", text), "{text}");
    }
    assert!(of("merge/print.rs", "use super::super::trash;"));
    assert!(
        !of("merge/print.rs", "use super::trash;"),
        "a module of its own"
    );
    assert!(!of(
        "merge.rs",
        "use cerberus_bank::ops::trash; use super::trashed;"
    ));
}
