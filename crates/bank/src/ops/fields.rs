//! The fields of the frontmatter that a caller sets.

use anyhow::Result;
use cerberus_markdown::frontmatter::{FieldValue, Frontmatter};
use cerberus_markdown::{EditError, frontmatter};
use cerberus_model::{MemoryStatus, MemoryType, RuleKind, Scope, refuse};

use super::{Project, default_scope, document, seconds};

/// The fields to set; the others remain as they are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fields {
    pub memory_type: Option<MemoryType>,
    pub kind: Option<RuleKind>,
    pub category: Option<String>,
    pub scope: Option<Scope>,
    pub paths: Option<Vec<String>>,
    pub status: Option<MemoryStatus>,
    pub tags: Option<Vec<String>>,
    pub hints: Option<Vec<String>>,
}

impl Fields {
    /// Checks the values, and that neither they nor `text`, with its name for the message, contain secrets.
    pub fn check(&self, text: (&str, &str), allow_secrets: bool) -> Result<()> {
        let Self {
            category,
            paths,
            tags,
            hints,
            ..
        } = self;
        let [paths, tags, hints] =
            [paths, tags, hints].map(|words| words.as_deref().unwrap_or_default());
        if let Some(category) = category
            && category.trim().is_empty()
        {
            return refuse(
                "the category is empty",
                "specify one, for example `--category db`",
            );
        }
        document::check_globs(paths)?;
        document::check_words("category", category.as_deref())?;
        document::check_words("tag", tags.iter().map(String::as_str))?;
        document::check_words("hint", hints.iter().map(String::as_str))?;
        if allow_secrets {
            return Ok(());
        }
        let tags = tags.join(" ");
        let hints = hints.join(" ");
        let category = category.as_deref().unwrap_or_default();
        document::refuse_secrets(&[
            text,
            ("the category", category),
            ("the tags", &tags),
            ("the hints", &hints),
        ])
    }

    /// Returns the frontmatter of a new memory, which has this type unless the fields state another.
    pub fn frontmatter(&self, project: &Project, default_type: MemoryType) -> Frontmatter {
        let fields = self.clone();
        let scope = fields.scope.unwrap_or_else(|| default_scope(project));
        Frontmatter {
            memory_type: fields.memory_type.or(Some(default_type)),
            kind: fields.kind,
            category: fields.category,
            scope: Some(scope),
            paths: fields.paths.unwrap_or_default(),
            status: fields.status,
            tags: fields.tags.unwrap_or_default(),
            hints: fields.hints.unwrap_or_default(),
            created_at: Some(seconds(project.now)),
            ..Frontmatter::default()
        }
    }

    /// Sets the fields whose value changes. New frontmatter always states the type, at least the default one.
    pub fn set(&self, text: String, default_type: MemoryType) -> Result<String, EditError> {
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
