//! Arguments that several commands share.

use crate::commands::prelude::*;

/// Parses the value of `--min-quality`.
pub(super) fn quality(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("must be between 0 and 1".to_owned()),
    }
}

/// Parses a text that may start with a dash, as an item of a list does.
pub(super) fn text(text: &str) -> Result<String, String> {
    let is_option = text.len() > 1 && text.starts_with('-') && !text.contains(char::is_whitespace);
    if is_option {
        Err("no such option, and a text has several words".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

/// Source of a text. The default is standard input.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ContentArgs {
    /// Text of the content, as with --content
    #[arg(value_name = "TEXT", conflicts_with_all = ["content", "file"], allow_hyphen_values = true, value_parser = text)]
    pub(crate) text: Option<String>,
    /// Text of the content (default: read standard input)
    #[arg(long, value_name = "TEXT", help_heading = "Content", allow_hyphen_values = true)]
    pub(crate) content: Option<String>,
    /// File to read the content from, or - for standard input
    #[arg(long, value_name = "FILE", help_heading = "Content", conflicts_with = "content")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SecretArgs {
    /// Write text that looks like a private key or an access token
    #[arg(long)]
    pub(crate) allow_secret: bool,
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SessionArgs {
    /// Session whose pins are included (default: CERBERUS_SESSION)
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
}
