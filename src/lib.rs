//! Anchors the rules of a project to examples in its code.
//!
//! Modules of this package, highest first. A module uses modules below it only.
//!
//! | module | responsibility |
//! |---|---|
//! | here | [`run`] and [`command`]: entry points of the binary and of the generated files |
//! | `cli` | the command line: parsing, dispatch, completion |
//! | `mcp` | the operations as tools of the Model Context Protocol |
//! | `commands` | one file per command: its arguments, the operation, the printed report |
//! | `output` | output of reports and errors |
//! | `agents` | the data of each agent, from `agents/NAME.toml` |
//! | `config` | settings from environment, flags and TOML files |
//!
//! Packages below `crates/`, highest first. A package uses packages below it only.
//!
//! | package | responsibility |
//! |---|---|
//! | `claims` | what documents say about a project, and whether it is still true |
//! | `brief` | what an agent is given on an occasion |
//! | `bank` | the memories of a project, and the operations that commands and tools share |
//! | `patterns` | patterns of code that breaks a rule |
//! | `engine` | source code, its index, the ranking of examples, the tracking of anchors |
//! | `store` | SQLite: a cache, and what exists only there |
//! | `markdown` | frontmatter, sections, links and rules in texts |
//! | `prose` | English: what a sentence demands, forbids and says of a name, and the words for that |
//! | `model` | plain types, positions in texts, file metadata, exit statuses |
//!
//! The path of a rule: `cli` parses the command line and calls `commands::anchor_test`, which calls
//! `cerberus_engine::examples`. That updates the index (`index`: `tree` walks, `rank` tokenizes,
//! `cerberus_store` saves), ranks the files, parses the best ones (`discover`, `syntax`) and scores
//! their symbols (`rank`). The command prints the report through `output`.

use std::ffi::OsString;

mod agents;
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
