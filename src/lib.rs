//! Anchors the rules of a project to examples in its code.
//!
//! Modules by layer, highest first. A module uses modules of lower layers only.
//!
//! | layer | module | responsibility |
//! |---|---|---|
//! | 6 | here | [`run`] and [`command`]: entry points of the binary and of the generated files |
//! | 5 | `commands` | one file per subcommand: converts arguments, runs the operation, prints its report |
//! | 4 | `cli` | types and help of the command line |
//! | 4 | `config` | settings from environment, flags and TOML files |
//! | 4 | `output` | output of reports and errors |
//! | 4 | `mcp` | the operations as tools of the Model Context Protocol |
//! | 3 | `ops` | one file per operation: takes options, returns a report |
//! | 2 | `bank` | the files of the user: memories, `anchors.lock`, `pins.toml`, the trash |
//! | 2 | `store` | SQLite: the index, which can be rebuilt |
//! | 2 | `tree` | code on disk: walking, reading, git |
//! | 1 | `syntax` | symbols, tokens and fingerprints of source code |
//! | 1 | `markdown` | frontmatter, sections and links |
//! | 1 | `rank` | tokenization, weights and scores |
//! | 1 | `tokens` | LLM token counts |
//! | 0 | `model`, `text`, `file_stat`, `error`, `timings` | plain types, text positions, file metadata, exit status and errors, timings |
//!
//! Path of a rule: `cli` parses the command line and `commands::anchor_test` calls
//! `ops::anchor_test`. That updates the code index in `ops::code_index` (`tree` walks, `rank`
//! tokenizes, `store` saves), ranks files and parses the best ones (`ops::discover`, `syntax`),
//! scores their symbols (`rank`), and returns a report for `output`.

use std::ffi::OsString;

mod bank;
mod cli;
mod commands;
mod config;
mod error;
mod file_stat;
#[cfg(any(fuzzing, test))]
pub mod fuzz;
mod markdown;
mod mcp;
mod model;
mod ops;
mod output;
mod rank;
mod store;
mod syntax;
mod text;
mod timings;
mod tokens;
mod tree;

pub use error::ExitStatus;

/// Runs a command line and returns its exit status.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitStatus {
    commands::run(args)
}

/// Returns the definition of the command line, the source of completions and man pages.
pub fn command() -> clap::Command {
    use clap::CommandFactory;
    cli::Cli::command()
}
