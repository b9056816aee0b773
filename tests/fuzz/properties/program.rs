//! Entry points of the fuzz targets for settings, completions and messages of MCP.
//!
//! Not part of releases. Each function checks properties that hold for any input, and panics if one is
//! violated. The unit tests run all seeds in `tests/fuzz/seeds`.
#![expect(clippy::disallowed_methods, reason = "some parsers read files")]

use std::path::Path;

use cerberus_bank::ops::complete::{self as completion, Request, ValueKind};
use cerberus_engine::tree::walk;
use cerberus_model::text;

use crate::config::{ColorChoice, GlobalArgs, Settings};
use crate::mcp::{self, ToolSet};

#[cfg(test)]
#[path = "seeds.rs"]
mod seeds;

/// A configuration is accepted or rejected, and a walk with its globs terminates.
pub fn config(bytes: &[u8], folder: &Path) {
    std::fs::write(folder.join("cerberus.toml"), bytes).expect("a writable folder");
    if let Ok(settings) = Settings::resolve(&project(folder)) {
        // An invalid glob is an error.
        let _ = walk::walk(folder, &settings.project.exclude);
    }
}

/// Completions start with the typed prefix, are unique, and contain no control characters. The
/// first line is the prefix, the rest is the content of all files.
pub fn complete(bytes: &[u8], folder: &Path) {
    let at = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (typed, rest) = bytes.split_at(at);
    for file in ["a.py", ".memories/a.md", ".memories/pins.toml", ".memories/anchors.lock"] {
        std::fs::write(folder.join(file), rest).expect("a writable folder");
    }
    let settings = Settings::resolve(&project(folder)).expect("default settings");
    let request =
        Request { typed: String::from_utf8_lossy(typed).into_owned(), memory: None, session: None };
    for wanted in [
        ValueKind::Memory,
        ValueKind::Anchored,
        ValueKind::Pin,
        ValueKind::PinTag,
        ValueKind::ScopeFilter,
        ValueKind::Tag,
        ValueKind::Category,
        ValueKind::Section,
        ValueKind::Target,
    ] {
        let found = completion::complete(&settings.project, wanted, &request);
        assert!(found.is_sorted_by(|a, b| a.value < b.value), "{found:?}");
        for candidate in found {
            assert!(candidate.value.starts_with(&request.typed), "{candidate:?}");
            let line = [candidate.value, candidate.description.unwrap_or_default()].concat();
            assert!(text::escaped(&line) == line && !line.contains(['\n', '\t']), "{line}");
        }
    }
}

/// The server answers any input and does not write outside of `folder`.
pub fn messages(bytes: &[u8], folder: &Path) {
    mcp::run_messages(&project(folder), ToolSet::All, bytes);
}

fn project(folder: &Path) -> GlobalArgs {
    GlobalArgs { project: Some(folder.to_owned()), json: false, color: ColorChoice::Never }
}

#[test]
fn all_seeds_satisfy_the_properties() {
    seeds::run("config", config);
    seeds::run("complete", complete);
    seeds::run("messages", messages);
}
