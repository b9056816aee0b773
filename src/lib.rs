//! Keeps a project's rules anchored to the code that shows them.
//!
//! The code map, from the top. A module uses modules of a lower number only.
//!
//! | layer | module | what it owns |
//! |---|---|---|
//! | 6 | here | [`run`] and [`command`]: what the binary and the generated files need |
//! | 5 | `commands` | one file per subcommand: arguments to options, an operation, its report printed |
//! | 4 | `cli` | the command line's types and help |
//! | 4 | `config` | environment, flags and TOML to settings |
//! | 4 | `output` | reports and failures to bytes |
//! | 4 | `mcp` | the same operations as tools of the Model Context Protocol |
//! | 3 | `ops` | operations that several commands share |
//! | 2 | `engine` | the one way to code: its index, the ranking of examples, the tracking of anchors |
//! | 2 | `bank` | the files people own: memories, `anchors.lock`, `pins.toml`, the trash |
//! | 2 | `store` | SQLite: what can be made again |
//! | 2 | `tree` | the code on disk: walking, reading, git |
//! | 1 | `syntax` | source code as symbols, tokens and fingerprints |
//! | 1 | `markdown` | frontmatter, sections and links |
//! | 1 | `tokens` | exact token counts |
//! | 0 | `model`, `text`, `stamp`, `error`, `timings` | plain types, positions, whether a file changed, how a command ends, where its time goes |
//!
//! From a rule to its example: `cli` parses the arguments, and `commands::anchor_test` passes a
//! query to `engine::examples`. `engine::index` updates the index (`tree` walks, `store` persists),
//! `engine::discover` ranks the files, parses the best ones with `syntax` and ranks their symbols
//! with the formulas of `engine::rank`. The ranking goes to `output`.

use std::ffi::OsString;

mod bank;
mod cli;
mod commands;
mod config;
mod engine;
mod error;
#[cfg(any(fuzzing, test))]
pub mod fuzz;
mod markdown;
mod mcp;
mod model;
mod ops;
mod output;
mod stamp;
mod store;
mod syntax;
mod text;
mod timings;
mod tokens;
mod tree;

pub use error::ExitStatus;

/// Runs a command line and returns how it ended.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitStatus {
    commands::run(args)
}

/// Returns the command line's definition, from which completions and man pages are made.
pub fn command() -> clap::Command {
    use clap::CommandFactory;
    cli::Cli::command()
}
