//! The pins that cerberus brings along: what an agent should never do unasked.
//!
//! They are on unless switched off one by one, and do not count against the limits.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::model::{Pin, PinScope, Priority};

/// What the id of a built-in pin starts with, before its name in the configuration.
pub(crate) const PREFIX: &str = "default-";

/// Each built-in pin: its name in the configuration and its text.
const ALL: &[(&str, &str)] = &[
    (
        "git",
        "Ask before `git reset --hard`, `git clean`, a forced push or any rewriting of history: what goes may be the only copy.",
    ),
    (
        "deletes",
        "Delete, move and overwrite inside this project only, and list what a recursive delete would take before it runs.",
    ),
    ("secrets", "Keep keys, tokens and passwords out of output, logs, code and commits."),
    ("data", "Ask before a migration or anything else that touches production data."),
    (
        "dependencies",
        "Change dependencies and lockfiles with their own tool, and only where the task needs it.",
    ),
    ("tests", "Never disable or weaken a test or a check to make it pass; say that it fails."),
    ("claims", "Call a thing working only after running it; say what was not run."),
    ("generated", "Leave generated and vendored files alone; change what they are made from."),
];

/// Returns the names by which the configuration knows the built-in pins.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _)| *name)
}

/// Returns the built-in pins but those that are switched off.
pub(super) fn pins(off: &[String]) -> Vec<Pin> {
    let on = ALL.iter().filter(|(name, _)| !off.iter().any(|it| it == name));
    on.map(|(name, content)| Pin {
        id: format!("{PREFIX}{name}"),
        content: (*content).to_owned(),
        priority: Priority::Safety,
        scope: PinScope::Persistent,
        created_at: Timestamp::UNIX_EPOCH,
        expires_at: None,
        tags: Vec::new(),
        metadata: BTreeMap::new(),
        project: None,
    })
    .collect()
}
