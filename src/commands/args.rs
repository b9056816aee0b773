//! Arguments that several commands share.

use std::path::PathBuf;

use cerberus_bank::ops::fields::Fields;
use cerberus_bank::ops::memories::Filter;
use cerberus_model::{MemoryStatus, MemoryType, RuleKind, Scope};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use crate::config::Settings;

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
    #[arg(value_name = "TEXT", conflicts_with_all = ["content", "from"], allow_hyphen_values = true, value_parser = text)]
    pub(crate) text: Option<String>,
    /// Text of the content (default: read standard input)
    #[arg(
        long,
        value_name = "TEXT",
        help_heading = "Content",
        allow_hyphen_values = true
    )]
    pub(crate) content: Option<String>,
    /// File to read the content from, or - for standard input
    #[arg(
        long,
        alias = "file",
        value_name = "FILE",
        help_heading = "Content",
        conflicts_with = "content"
    )]
    pub(crate) from: Option<PathBuf>,
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
    #[arg(long, global = true, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
}

impl SessionArgs {
    /// Returns the name of the session, if there is one.
    pub(super) fn name<'a>(&'a self, settings: &'a Settings) -> Option<&'a str> {
        self.session.as_deref().or(settings.session.as_deref())
    }
}

/// The fields of the frontmatter to set.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Frontmatter")]
pub(crate) struct FieldArgs {
    /// Type of the memory (of a new one by default: rule if it is short, journal for a document)
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) memory_type: Option<MemoryType>,
    /// Kind of the rule, if its wording misleads: code or process
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<RuleKind>,
    /// Category of the memory
    #[arg(long)]
    pub(crate) category: Option<String>,
    /// Scope: universal, language:NAME or project:NAME
    #[arg(long)]
    pub(crate) scope: Option<Scope>,
    /// Glob of the files that the memory applies to, from the project's root (repeatable; an update
    /// replaces all, and an empty one removes them)
    #[arg(long = "path", value_name = "GLOB")]
    pub(crate) paths: Option<Vec<String>>,
    /// Status: active or archived
    #[arg(long)]
    pub(crate) status: Option<MemoryStatus>,
    /// Tag of the memory (repeatable; an update replaces all, and an empty one removes them)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Option<Vec<String>>,
    /// Keyword expected in the example (repeatable; an update replaces all)
    #[arg(long = "hint", visible_alias = "keyword", value_name = "WORD")]
    pub(crate) hints: Option<Vec<String>>,
}

impl FieldArgs {
    /// Returns the fields as they are stored: each word alone, without white space around it.
    pub(super) fn fields(&self) -> Fields {
        Fields {
            memory_type: self.memory_type,
            kind: self.kind,
            category: self.category.clone(),
            scope: self.scope.clone(),
            paths: self.paths.as_deref().map(trimmed),
            status: self.status,
            tags: self.tags.as_deref().map(trimmed),
            hints: self.hints.as_deref().map(super::hints),
        }
    }
}

/// Returns the ids of a list that is separated by commas.
pub(crate) fn ids(given: &[String]) -> Vec<String> {
    trimmed(given)
}

fn trimmed(words: &[String]) -> Vec<String> {
    let mut trimmed = Vec::new();
    for word in words {
        let word = word.trim();
        if !word.is_empty() {
            trimmed.push(word.to_owned());
        }
    }
    trimmed
}

/// The conditions that memories must meet.
#[derive(Debug, Default, Args)]
pub(crate) struct FilterArgs {
    /// Only memories with this scope; `project` and `language` match every scope of that kind
    #[arg(long, help_heading = "Filters")]
    scope: Option<String>,
    /// Only memories of this type
    #[arg(long = "type", value_name = "TYPE", help_heading = "Filters")]
    memory_type: Option<MemoryType>,
    /// Only memories of this category
    #[arg(long, help_heading = "Filters")]
    category: Option<String>,
    /// Only memories with this tag (repeatable; all tags must match)
    #[arg(long = "tag", value_name = "TAG", help_heading = "Filters")]
    tags: Vec<String>,
    /// Only memories with this status
    #[arg(long, help_heading = "Filters")]
    status: Option<MemoryStatus>,
    /// Only memories anchored to this file
    #[arg(long, alias = "file", value_name = "FILE", help_heading = "Filters")]
    anchored_to: Option<String>,
    /// Only memories that apply to this file: their `paths` match it, or they have none
    #[arg(long, alias = "path", value_name = "FILE", help_heading = "Filters")]
    applies_to: Option<String>,
}

impl FilterArgs {
    pub(super) fn filter(&self) -> Filter {
        Filter {
            scope: self.scope.clone(),
            memory_type: self.memory_type,
            category: self.category.clone(),
            tags: self.tags.clone(),
            status: self.status,
            file: self.anchored_to.clone(),
            path: self.applies_to.clone(),
        }
    }
}
