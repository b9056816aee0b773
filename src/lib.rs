//! Anchors the rules of a project to examples in its code.
//!
//! The program over the packages in `crates/`, each of which has a README. Modules, highest first; a
//! module uses lower ones only.
//!
//! | layer | module | responsibility |
//! |---|---|---|
//! | 7 | here | [`run`] and [`command`]: entry points of the binary and of the generated files |
//! | 6 | `cli` | the command line: parsing, dispatch, live completion |
//! | 5 | `mcp` | the operations as tools of the Model Context Protocol |
//! | 4 | `commands` | one file per command: its arguments, the operation, the printed report |
//! | 4 | `output` | output of reports and errors |
//! | 4 | `config` | settings from environment, flags and TOML files |
//!
//! The packages below, each of which uses only those after it: `bank` (the files of the user, and
//! operations that commands share), `patterns`, `claims`, `engine` (code: parsing, index, ranking,
//! following), `store` (SQLite), `markdown`, `model` (plain types).
//!
//! The path of a rule: `cli` parses the command line and calls `commands::anchor_test`, which calls
//! `cerberus_engine::examples`. That updates the index (`index`: `tree` walks, `rank` tokenizes,
//! `cerberus_store` saves), ranks the files, parses the best ones (`discover`, `syntax`) and scores
//! their symbols (`rank`). The command prints the report through `output`.

use std::ffi::OsString;

mod cli;
mod commands;
mod config;
#[cfg(any(fuzzing, test))]
#[path = "../tests/fuzz/properties/program.rs"]
pub mod fuzz;
mod mcp;
mod output;

pub use cerberus_model::error::ExitStatus;

/// Runs a command line and returns its exit status.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitStatus {
    cli::run(args)
}

/// Returns the definition of the command line, the source of completions and man pages.
pub fn command() -> clap::Command {
    cli::command()
}
