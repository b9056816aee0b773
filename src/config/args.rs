//! The flags that every command takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Options of all commands.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Work on the project in this folder
    ///
    /// The default is the project around the current folder.
    #[arg(long, global = true, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) project: Option<PathBuf>,
    /// Print one JSON document, or JSON Lines
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Colour the output
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
