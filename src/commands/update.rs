//! `cerberus memory update`: replaces the text of a memory or of one section, and sets frontmatter
//! fields.
//!
//! Everything else is unchanged byte for byte. An update without effect does not write the file.

use super::args::{ContentArgs, SecretArgs};
use crate::commands::prelude::*;
use cerberus_bank::ops::document::{Edit, EditReport};
use cerberus_markdown::EditError;
use cerberus_markdown::edit::EditMode;
use cerberus_markdown::frontmatter::{self, FieldValue};
use cerberus_model::MemoryStatus;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct UpdateArgs {
    /// Memory id or a unique prefix of it
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Replace only the text of this section
    #[arg(long)]
    pub(crate) section: Option<String>,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
}

/// The fields of the frontmatter to set.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Frontmatter")]
pub(crate) struct FieldArgs {
    /// Set the type of the memory
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) memory_type: Option<MemoryType>,
    /// Set the kind of the rule, in place of the one by its wording: code or process
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<RuleKind>,
    /// Set the category
    #[arg(long)]
    pub(crate) category: Option<String>,
    /// Set the scope: universal, language:NAME or project:NAME
    #[arg(long)]
    pub(crate) scope: Option<Scope>,
    /// Replace all globs of the files that the memory applies to (repeatable; an empty one removes
    /// them)
    #[arg(long = "path", value_name = "GLOB")]
    pub(crate) paths: Option<Vec<String>>,
    /// Set the status: active or archived
    #[arg(long)]
    pub(crate) status: Option<MemoryStatus>,
    /// Replace all tags (repeatable; an empty tag removes them)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Option<Vec<String>>,
    /// Replace all keywords expected in the example (repeatable)
    #[arg(long = "hint", visible_alias = "keyword", value_name = "WORD")]
    pub(crate) hints: Option<Vec<String>>,
}

/// Replaces the text of a memory or section, if there is a new one, and sets frontmatter fields.
pub(crate) fn update(
    project: &Project,
    args: &UpdateArgs,
    content: Option<&str>,
) -> Result<EditReport> {
    if let Some(content) = content {
        document::check_content(content)?;
    }
    let fields = &args.fields;
    document::check_globs(fields.paths.as_deref().unwrap_or_default())?;
    let tags = fields.tags.as_deref().unwrap_or_default();
    let hints = fields.hints.as_deref().unwrap_or_default();
    document::check_fields(fields.category.as_deref(), tags, hints)?;
    if !args.secret.allow_secret {
        let content = ("the content", content.unwrap_or_default());
        document::check_secrets(content, fields.category.as_deref(), tags, hints)?;
    }
    document::edit_memory(project, &args.id, |memories, stored, text| {
        let Edit { text, section, mut warnings } = match content {
            Some(content) => replace_content(args, stored, text, content)?,
            None => Edit { text: text.to_owned(), section: None, warnings: Vec::new() },
        };
        let text = set_fields(stored, text, fields)
            .map_err(|error| document::edit_error(&stored.file, error))?;
        let id = &stored.memory.id;
        if fields.scope == Some(Scope::Universal) && memories.anchors.contains_key(id) {
            warnings.push(format!(
                "a universal memory is never anchored; remove its anchor with `cerberus memory anchor {id} --clear`"
            ));
        }
        Ok(Edit { text, section, warnings })
    })
}

fn replace_content(
    args: &UpdateArgs,
    stored: &MemoryFile,
    text: &str,
    content: &str,
) -> Result<Edit> {
    let mut warnings = Vec::new();
    let mut content = content;
    if let (None, Some((_, body_start))) = (&args.section, frontmatter::span(content)) {
        content = &content[body_start..];
        document::check_content(content)?;
        let warning = "the frontmatter of the content is ignored: set its fields with options";
        warnings.push(warning.to_owned());
    }
    let wanted = args.section.as_deref();
    let (section, text) =
        document::edit_content(&stored.file, text, wanted, (content, EditMode::Replace))?;
    Ok(Edit { text, section, warnings })
}

/// Sets the fields whose value changes.
fn set_fields(stored: &MemoryFile, text: String, args: &FieldArgs) -> Result<String, EditError> {
    use FieldValue::{List, Scalar};
    let front = frontmatter::parse(&text).frontmatter;
    let scope = args.scope.as_ref().map(Scope::to_string);
    let (memory_type, kind, status) = (args.memory_type, args.kind, args.status);
    let fields = [
        ("type", memory_type.map(|it| Scalar(it.as_str())), memory_type == front.memory_type),
        ("kind", kind.map(|it| Scalar(it.as_str())), kind == front.kind),
        ("category", args.category.as_deref().map(Scalar), args.category == front.category),
        ("scope", scope.as_deref().map(Scalar), args.scope == front.scope),
        ("paths", args.paths.as_deref().map(List), args.paths.as_ref() == Some(&front.paths)),
        ("status", status.map(|it| Scalar(it.as_str())), status == front.status),
        ("tags", args.tags.as_deref().map(List), args.tags.as_ref() == Some(&front.tags)),
        ("hints", args.hints.as_deref().map(List), args.hints.as_ref() == Some(&front.hints)),
    ];
    let changes = fields.into_iter().filter(|(_, value, is_same)| value.is_some() && !is_same);
    let changes: Vec<_> = changes.map(|(key, value, _)| (key, value)).collect();
    // New frontmatter always states the type.
    let needs_type = frontmatter::span(&text).is_none() && !changes.is_empty();
    let default_type = Scalar(stored.memory.memory_type.as_str());
    let default_type = (needs_type && memory_type.is_none()).then_some(default_type);
    document::set_fields(text, [("type", default_type)].into_iter().chain(changes))
}

pub(crate) fn run(args: &UpdateArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let trim = |words: &Vec<String>| -> Vec<String> {
        words.iter().map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
    };
    let fields = FieldArgs {
        tags: args.fields.tags.as_ref().map(trim),
        paths: args.fields.paths.as_ref().map(trim),
        hints: args.fields.hints.as_deref().map(super::hints),
        ..args.fields.clone()
    };
    let needs_content = fields == FieldArgs::default() || args.section.is_some();
    let args = UpdateArgs { fields, ..args.clone() };
    let content = match args.content.read_if_passed()? {
        None if needs_content => Some(args.content.read()?),
        content => content,
    };
    if args.fields.category.as_deref().is_some_and(|category| category.trim().is_empty()) {
        return Err(UserError::usage("the category is empty")
            .hint("specify one, for example `--category db`")
            .into());
    }
    let report = update(&settings.project, &args, content.as_deref())?;
    print(&report, "updated", out)
}

/// Prints the report of a command that edits a memory.
pub(super) fn print(report: &EditReport, verb: &str, out: &mut Printer) -> CliResult {
    out.report(report, |report, out| {
        out.warn(&report.warnings);
        let verb = if report.written { out.paint(OK, verb) } else { "unchanged".to_owned() };
        let id = out.style(NAME, &report.id);
        let section = report.section.as_ref().map(|id| format!(" section {}", out.safe(id)));
        let file = out.paint(DIM, &format!("({})", out.safe(&report.file)));
        out.line(&format!("{verb} {id}{} {file}", section.unwrap_or_default()));
    })
}
