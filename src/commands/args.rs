//! Arguments that several commands share.

use std::path::PathBuf;

use anyhow::Result;
use cerberus_bank::ops::{Project, default_scope, document, seconds};
use cerberus_markdown::frontmatter::{FieldValue, Frontmatter};
use cerberus_markdown::{EditError, frontmatter};
use cerberus_model::error::UserError;
use cerberus_model::{MemoryStatus, MemoryType, RuleKind, Scope};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;

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
        value_name = "FILE",
        help_heading = "Content",
        conflicts_with = "content"
    )]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SecretArgs {
    /// Write text that looks like a private key or an access token
    #[arg(long)]
    pub(crate) allow_secret: bool,
}

impl SecretArgs {
    /// Checks that texts, each with its name for the message, contain no secrets, unless they may.
    pub(super) fn check(&self, texts: &[(&str, &str)]) -> Result<()> {
        if self.allow_secret {
            Ok(())
        } else {
            document::refuse_secrets(texts)
        }
    }
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SessionArgs {
    /// Session whose pins are included (default: CERBERUS_SESSION)
    #[arg(long, global = true, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
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
    pub(super) fn as_stored(&self) -> Self {
        let trim = |words: &Vec<String>| -> Vec<String> {
            words
                .iter()
                .map(|word| word.trim().to_owned())
                .filter(|word| !word.is_empty())
                .collect()
        };
        Self {
            paths: self.paths.as_ref().map(trim),
            tags: self.tags.as_ref().map(trim),
            hints: self.hints.as_deref().map(super::hints),
            ..self.clone()
        }
    }

    /// Checks the values, and that neither they nor `text`, with its name for the message, contain secrets.
    pub(super) fn check(&self, text: (&str, &str), secret: &SecretArgs) -> Result<()> {
        let Self {
            category,
            paths,
            tags,
            hints,
            ..
        } = self;
        let [paths, tags, hints] =
            [paths, tags, hints].map(|words| words.as_deref().unwrap_or_default());
        if category
            .as_deref()
            .is_some_and(|category| category.trim().is_empty())
        {
            return Err(UserError::usage("the category is empty")
                .hint("specify one, for example `--category db`")
                .into());
        }
        document::check_globs(paths)?;
        document::check_words("category", category.as_deref())?;
        document::check_words("tag", tags.iter().map(String::as_str))?;
        document::check_words("hint", hints.iter().map(String::as_str))?;
        let tags = tags.join(" ");
        let hints = hints.join(" ");
        let category = category.as_deref().unwrap_or_default();
        secret.check(&[
            text,
            ("the category", category),
            ("the tags", &tags),
            ("the hints", &hints),
        ])
    }

    /// Returns the frontmatter of a new memory, which has this type unless the fields state another.
    pub(super) fn frontmatter(&self, project: &Project, default_type: MemoryType) -> Frontmatter {
        let Self {
            memory_type,
            kind,
            category,
            scope,
            paths,
            status,
            tags,
            hints,
        } = self.clone();
        Frontmatter {
            memory_type: memory_type.or(Some(default_type)),
            kind,
            category,
            scope: scope.or_else(|| Some(default_scope(project))),
            paths: paths.unwrap_or_default(),
            status,
            tags: tags.unwrap_or_default(),
            hints: hints.unwrap_or_default(),
            created_at: Some(seconds(project.now)),
            ..Frontmatter::default()
        }
    }

    /// Sets the fields whose value changes. New frontmatter always states the type, at least the default one.
    pub(super) fn set(&self, text: String, default_type: MemoryType) -> Result<String, EditError> {
        use FieldValue::{List, Scalar};
        let Self {
            memory_type,
            kind,
            category,
            scope,
            paths,
            status,
            tags,
            hints,
        } = self;
        let front = frontmatter::parse(&text).frontmatter;
        let spelled = scope.as_ref().map(Scope::to_string);
        let fields = [
            (
                "type",
                memory_type.map(|value| Scalar(value.as_str())),
                *memory_type == front.memory_type,
            ),
            (
                "kind",
                kind.map(|value| Scalar(value.as_str())),
                *kind == front.kind,
            ),
            (
                "category",
                category.as_deref().map(Scalar),
                *category == front.category,
            ),
            (
                "scope",
                spelled.as_deref().map(Scalar),
                *scope == front.scope,
            ),
            (
                "paths",
                paths.as_deref().map(List),
                paths.as_ref() == Some(&front.paths),
            ),
            (
                "status",
                status.map(|value| Scalar(value.as_str())),
                *status == front.status,
            ),
            (
                "tags",
                tags.as_deref().map(List),
                tags.as_ref() == Some(&front.tags),
            ),
            (
                "hints",
                hints.as_deref().map(List),
                hints.as_ref() == Some(&front.hints),
            ),
        ];
        let changes = fields
            .into_iter()
            .filter(|(_, value, is_same)| value.is_some() && !is_same);
        let changes: Vec<_> = changes.map(|(key, value, _)| (key, value)).collect();
        let needs_type = frontmatter::span(&text).is_none() && !changes.is_empty();
        let default_type = (needs_type && memory_type.is_none()).then_some(default_type.as_str());
        let default_type = [("type", default_type.map(Scalar))];
        document::set_fields(text, default_type.into_iter().chain(changes))
    }
}
