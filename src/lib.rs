//! Anchors the rules of a project to examples in its code.
//!
//! Modules by layer, highest first. A module uses modules of lower layers only.
//!
//! | layer | module | responsibility |
//! |---|---|---|
//! | 7 | here | [`run`] and [`command`]: entry points of the binary and of the generated files |
//! | 6 | `cli` | the command line: parsing, dispatch, live completion |
//! | 5 | `mcp` | the operations as tools of the Model Context Protocol |
//! | 4 | `commands` | one file per command: its arguments, the operation, the printed report |
//! | 4 | `config` | settings from environment, flags and TOML files |
//! | 4 | `output` | output of reports and errors |
//! | 3 | `ops` | operations that several commands share |
//! | 2 | `engine` | the API to code: its index, the ranking of examples, the tracking of anchors |
//! | 2 | `bank` | the files of the user: memories, `anchors.lock`, `pins.toml`, the trash |
//! | 2 | `store` | SQLite: the index, which can be rebuilt |
//! | 2 | `tree` | code on disk: walking, reading, git |
//! | 1 | `syntax` | symbols, tokens and fingerprints of source code |
//! | 1 | `markdown` | frontmatter, sections and links |
//! | 1 | `tokens` | LLM token counts |
//! | 0 | `model`, `text`, `file_stat`, `regular_file`, `error`, `timings` | plain types, text positions, file metadata, opening of regular files, exit status and errors, timings |
//!
//! The path of a rule: `cli` parses the command line and calls `commands::anchor_test`, which calls
//! `engine::examples`. That updates the index (`engine::index`: `tree` walks, `engine::rank`
//! tokenizes, `store` saves), ranks the files, parses the best ones (`engine::discover`, `syntax`) and
//! scores their symbols (`engine::rank`). The command prints the report through `output`.

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
