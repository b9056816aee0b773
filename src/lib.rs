//! Keeps a project's rules anchored to the code that shows them.
//!
//! The code map, from the top. A module uses modules of a lower number only.
//!
//! | layer | module | what it owns |
//! |---|---|---|
//! | 7 | here | [`run`] and [`command`]: what the binary and the generated files need |
//! | 6 | `cli` | the command line: parsing, dispatch, live completion |
//! | 5 | `mcp` | the same operations as tools of the Model Context Protocol |
//! | 4 | `commands` | one file per command: its arguments, the operation, the printed report |
//! | 4 | `config` | environment, flags and TOML to settings |
//! | 4 | `output` | reports and failures to bytes |
//! | 3 | `ops` | operations that several commands share |
//! | 2 | `engine` | the one way to code: its index, the ranking of examples, the tracking of anchors |
//! | 2 | `bank` | the files people own: memories, `anchors.lock`, `pins.toml`, the trash |
//! | 2 | `store` | SQLite: what can be made again |
//! | 2 | `tree` | the code on disk: walking, reading, git |
//! | 1 | `syntax` | source code as symbols, tokens and fingerprints |
//! | 1 | `markdown` | frontmatter, sections and links |
//! | 1 | `tokens` | exact token counts |
//! | 0 | `model`, `text`, `file_stat`, `error`, `timings` | plain types, positions, whether a file changed, how a command ends, where its time goes |
//!
//! The way of a rule: `cli` reads it, `commands::anchor_test` asks `ops::anchor_test`,
//! which has `ops::code_index` bring the first stage up to date (`tree` walks, `rank`
//! tokenizes, `store` keeps), ranks files and parses the best ones (`ops::discover`,
//! `syntax`), scores their symbols (`rank`), and returns a report for `output`.

use std::ffi::OsString;

mod bank;
mod cli;
mod commands;
mod config;
mod engine;
mod error;
mod file_stat;
#[cfg(any(fuzzing, test))]
pub mod fuzz;
mod markdown;
mod mcp;
mod model;
mod ops;
mod output;
mod store;
mod syntax;
mod text;
mod timings;
mod tokens;
mod tree;

pub use error::ExitStatus;

/// Runs a command line and returns how it ended.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitStatus {
    cli::run(args)
}

/// Returns the command line's definition, from which completions and man pages are made.
pub fn command() -> clap::Command {
    use clap::CommandFactory;
    cli::Cli::command()
}
