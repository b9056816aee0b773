//! Entry points of the fuzz targets for settings and messages of MCP.
//!
//! Not part of releases. Each function checks properties that hold for any input, and panics if one is
//! violated. The unit tests run all seeds in `tests/fuzz/seeds`.
#![expect(clippy::disallowed_methods, reason = "some parsers read files")]

use std::path::Path;

use cerberus_engine::tree::walk;

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

/// The server answers any input and does not write outside of `folder`.
pub fn messages(bytes: &[u8], folder: &Path) {
    mcp::run_messages(&project(folder), ToolSet::All, bytes);
}

fn project(folder: &Path) -> GlobalArgs {
    GlobalArgs {
        project: Some(folder.to_owned()),
        json: false,
        color: ColorChoice::Never,
    }
}

#[test]
fn all_seeds_satisfy_the_properties() {
    seeds::run("config", config);
    seeds::run("messages", messages);
}
