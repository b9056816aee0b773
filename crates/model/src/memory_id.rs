//! The ids of memories, and the rule for them.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use serde::Serialize;

use crate::error::{UserError, refuse};

/// Maximum length of an id; every file system supports it.
const MAX_BYTES: usize = 120;

/// Names that are reserved: those of devices on Windows, and the folder of the store.
const DEVICES: &[&str] = &[
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "lpt1", "lpt2", "lpt3",
];
const STORE_FOLDER: &str = "indices";

/// The id of a memory that is written. Its file has this name, so it is a safe path in the bank on every platform.
///
/// The id of a memory that is read is a plain string: its file may have any name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct MemoryId(String);

impl FromStr for MemoryId {
    type Err = UserError;

    fn from_str(id: &str) -> Result<Self, UserError> {
        match fault(id) {
            None => Ok(Self(id.to_owned())),
            Some(fault) => refuse(
                format!("`{}` is not a valid memory id: {fault}", id.escape_debug()),
                "use letters, digits, `-`, `_`, `.` and `/` for folders, as in `db/close-sessions`",
            ),
        }
    }
}

/// Returns what is wrong with an id.
fn fault(id: &str) -> Option<String> {
    if id.is_empty() {
        return Some("it is empty".to_owned());
    }
    if id.len() > MAX_BYTES {
        return Some(format!("it has more than {MAX_BYTES} bytes"));
    }
    for c in id.chars() {
        if !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.' | '/') {
            return Some(format!("`{}` is not allowed in it", c.escape_debug()));
        }
    }
    for part in id.split('/') {
        if part.is_empty() || part.starts_with('.') || part.ends_with('.') {
            return Some("no part of it may be empty or start or end with a dot".to_owned());
        }
        // Names of devices on Windows, whatever the ending.
        let stem = part.split('.').next().unwrap_or(part);
        let is_device = DEVICES.iter().any(|name| stem.eq_ignore_ascii_case(name));
        if is_device || part == STORE_FOLDER {
            return Some(format!("`{part}` is reserved"));
        }
    }
    None
}

impl MemoryId {
    /// Returns the id of a memory whose text gives none.
    pub fn generic() -> Self {
        Self("memory".to_owned())
    }

    /// Returns the id with a number, or unchanged for the number 1.
    pub fn numbered(&self, n: usize) -> Self {
        match n {
            1 => self.clone(),
            _ => Self(format!("{self}-{n}")),
        }
    }

    /// Returns the path of its file in the bank.
    pub fn file(&self) -> String {
        format!("{self}.md")
    }
}

impl Deref for MemoryId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_with_unsafe_paths_are_rejected() {
        for id in ["a", "close-sessions", "db/close", "v1.2", "größe"] {
            assert!(id.parse::<MemoryId>().is_ok(), "{id}");
        }
        for id in [
            "",
            "..",
            "../x",
            "/x",
            "a//b",
            "a\nb",
            "a b",
            ".x",
            "x.",
            "NUL",
            "con.md",
            "a\\b",
            "indices/x",
        ] {
            assert!(id.parse::<MemoryId>().is_err(), "{id:?}");
        }
    }
}
