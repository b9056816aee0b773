//! Arguments that several commands take.

use crate::model::{MemoryStatus, MemoryType};
use clap::Args;
use std::path::PathBuf;

/// Which memories a command is about.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FilterArgs {
    /// Only memories of this scope; `project` and `language` take all of their kind
    #[arg(long, help_heading = "Filters")]
    pub(crate) scope: Option<String>,
    /// Only memories of this type
    #[arg(long = "type", value_name = "TYPE", help_heading = "Filters")]
    pub(crate) memory_type: Option<MemoryType>,
    /// Only memories of this category
    #[arg(long, help_heading = "Filters")]
    pub(crate) category: Option<String>,
    /// Only memories with this tag (repeated: with all of them)
    #[arg(long = "tag", value_name = "TAG", help_heading = "Filters")]
    pub(crate) tags: Vec<String>,
    /// Only memories of this status
    #[arg(long, help_heading = "Filters")]
    pub(crate) status: Option<MemoryStatus>,
    /// Only memories anchored to this file
    #[arg(long, help_heading = "Filters")]
    pub(crate) file: Option<String>,
}

pub(super) fn quality(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("a quality lies between 0 and 1".to_owned()),
    }
}

/// Where a text comes from; without either, from a pipe.
#[derive(Debug, Clone, Args)]
pub(crate) struct ContentArgs {
    /// Take this text (without it and --file: what comes through a pipe)
    #[arg(long, value_name = "TEXT", help_heading = "Content", allow_hyphen_values = true)]
    pub(crate) content: Option<String>,
    /// Take the text of this file, or of the standard input with -
    #[arg(long, value_name = "FILE", help_heading = "Content", conflicts_with = "content")]
    pub(crate) file: Option<PathBuf>,
}

/// Whether what looks like a secret may be written.
#[derive(Debug, Clone, Args)]
pub(crate) struct SecretArgs {
    /// Write it even if it looks like a private key or the token of a service
    #[arg(long)]
    pub(crate) allow_secret: bool,
}

/// Who asks.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SessionArgs {
    /// The session whose pins count (CERBERUS_SESSION otherwise)
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
}
