//! The built-in pins: actions for which an agent needs permission.
//!
//! Each can be disabled in the configuration. They do not count against the limits.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;

use cerberus_model::{Pin, PinScope, Priority};

/// The prefix of the id of a built-in pin; its name in the configuration follows.
pub const PREFIX: &str = "default-";

/// The name in the configuration and the text of each built-in pin.
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

/// Built-in pins: all enabled or disabled, or some of them by name.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "expected true, false, or names as in `{ git = false }`")]
pub enum BuiltInPins {
    All(bool),
    Some(BTreeMap<String, bool>),
}

impl BuiltInPins {
    fn enables(&self, name: &str) -> bool {
        match self {
            Self::All(enabled) => *enabled,
            Self::Some(named) => named.get(name) != Some(&false),
        }
    }
}

/// Returns the names of the built-in pins in the configuration.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _)| *name)
}

/// Returns the enabled built-in pins.
pub(super) fn pins(choice: Option<&BuiltInPins>) -> Vec<Pin> {
    let on = ALL.iter().filter(|(name, _)| choice.is_none_or(|choice| choice.enables(name)));
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
