//! The commands under `cerberus memory pin`.

use clap::{Args, Subcommand};

use crate::model::{PinScope, Priority};

use super::documents::SecretArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum PinCommand {
    /// Pin a note
    #[command(after_help = "\
Over 20 pins or 2,000 tokens the oldest info goes first, then the oldest safety; a critical one
never goes.

Examples:
  cerberus memory pin add \"Run the tests before a push\" --priority safety
  cerberus memory pin add \"auth.py is being split; do not touch it\" --expires 2h")]
    Add(PinAddArgs),
    /// List the pins with what they cost
    #[command(after_help = "Example: cerberus memory pin list --priority critical")]
    List(PinListArgs),
    /// Remove pins
    #[command(after_help = "Example: cerberus memory pin remove run-the-tests-before-a-push")]
    Remove(PinRemoveArgs),
    /// Remove all pins that pass a filter
    #[command(after_help = "\
Examples:
  cerberus memory pin clear --expired-only
  cerberus memory pin clear --scope session --session review")]
    Clear(PinClearArgs),
    /// Print the pins as they are given to an agent, built-in ones with them
    #[command(after_help = "Example: cerberus memory pin render")]
    Render(SessionArgs),
    /// Print what happened to pins, a JSON document a line
    #[command(after_help = "Example: cerberus memory pin events")]
    Events(SessionArgs),
}

/// Who asks.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SessionArgs {
    /// The session whose pins count (CERBERUS_SESSION otherwise)
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PinAddArgs {
    /// What is to be kept in mind
    pub(crate) text: String,
    /// Name the pin instead of making a name from its text
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// How much it matters: critical, safety or info
    #[arg(long, default_value = "info")]
    pub(crate) priority: Priority,
    /// How long it lasts: session, persistent or temporary; persistent unless it expires
    #[arg(long)]
    pub(crate) scope: Option<PinScope>,
    /// Let it expire after a duration (2h, 3d) or at a date or time
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub(crate) expires: Option<String>,
    /// Tag it (may be repeated)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Keep something with it (may be repeated)
    #[arg(long = "meta", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) metadata: Vec<(String, String)>,
    /// Say which project it is about; without one it is about every project
    #[arg(long, value_name = "NAME")]
    pub(crate) project_id: Option<String>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

/// Which pins a command is about.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PinFilterArgs {
    /// Only pins of this priority
    #[arg(long, help_heading = "Filters")]
    pub(crate) priority: Option<Priority>,
    /// Only pins of this scope
    #[arg(long, help_heading = "Filters")]
    pub(crate) scope: Option<PinScope>,
    /// Only pins with this tag (repeated: with all of them)
    #[arg(long = "tag", value_name = "TAG", help_heading = "Filters")]
    pub(crate) tags: Vec<String>,
    /// Only pins about this project
    #[arg(long, value_name = "NAME", help_heading = "Filters", conflicts_with = "global_only")]
    pub(crate) project_id: Option<String>,
    /// Only pins about every project
    #[arg(long, help_heading = "Filters")]
    pub(crate) global_only: bool,
    /// Only pins that have expired
    #[arg(long, help_heading = "Filters")]
    pub(crate) expired_only: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PinListArgs {
    /// Also pins that have expired
    #[arg(long)]
    pub(crate) include_expired: bool,
    #[command(flatten)]
    pub(crate) filter: PinFilterArgs,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PinRemoveArgs {
    /// Pins, or unique starts of their ids
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PinClearArgs {
    /// Remove every pin
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) filter: PinFilterArgs,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() && !value.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write it as KEY=VALUE".to_owned()),
    }
}
