//! `cerberus memory create`: writes a new document. Does not anchor it.

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::names;
use cerberus_bank::ops::{Project, document, seconds, similar};
use cerberus_markdown::frontmatter::{FieldValue, Frontmatter};
use cerberus_markdown::{EditError, edit, frontmatter};
use cerberus_model::MemoryType;
use cerberus_model::error::UserError;
use clap::Args;
use serde::Serialize;

use super::args::{ContentArgs, FieldArgs, SecretArgs};
use crate::config::Settings;
use crate::output::{CliResult, DIM, NAME, OK, Printer};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct CreateArgs {
    /// Path of the file in the bank, without .md
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Id of the memory (default: its name)
    #[arg(long)]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) warnings: Vec<String>,
}

/// Creates a document. The arguments override the frontmatter of `content`.
pub(crate) fn create(project: &Workspace, args: &CreateArgs, content: &str) -> Result<Report> {
    let name = args.name.strip_suffix(".md").unwrap_or(&args.name);
    names::check(name)?;
    if let Some(id) = &args.id {
        names::check(id)?;
    }
    document::check_content(content)?;
    args.fields.check(("the content", content), &args.secret)?;
    let text = compose(project, args, content)?;
    let front = frontmatter::parse(&text).frontmatter;
    let id = front.id.unwrap_or_else(|| name.to_owned());
    let lock = project.lock()?;
    let memories = lock.memories()?;
    memories.check_free(&id)?;
    memories.check_free(name)?;
    let file = project.bank.create_text(name, &text)?;
    let mut warnings = document::text_warnings(&file, &text);
    let body = text[frontmatter::body_start(&text)..].trim();
    warnings.extend(similar::warnings(&memories, body));
    Ok(Report { id, file, warnings })
}

/// Returns the complete text of the new file.
fn compose(project: &Project, args: &CreateArgs, content: &str) -> Result<String> {
    let content = content.trim_start_matches('\u{FEFF}');
    if frontmatter::span(content).is_none() {
        let newline = edit::newline_of(content);
        let front = Frontmatter {
            id: args.id.clone(),
            ..args.fields.frontmatter(project, MemoryType::Journal)
        };
        let head = frontmatter::render(&front).replace('\n', newline);
        let body = edit::normalize(content, newline);
        return Ok(format!("{head}{body}{newline}"));
    }
    let parsed = frontmatter::parse(content);
    if content[parsed.body_start..].trim().is_empty() {
        return Err(UserError::usage("the content has frontmatter but no text")
            .hint("write the text below the second line `---`")
            .into());
    }
    let front = &parsed.frontmatter;
    let new = args.fields.frontmatter(project, MemoryType::Journal);
    let mut fields = args.fields.clone();
    if front.memory_type.is_none() {
        fields.memory_type = fields.memory_type.or(new.memory_type);
    }
    if front.scope.is_none() {
        fields.scope = fields.scope.or(new.scope);
    }
    let mut created_at = None;
    if front.created_at.is_none() {
        created_at = Some(seconds(project.now).to_string());
    }
    let text = set_fields(content, args.id.as_deref(), &fields, created_at.as_deref());
    Ok(text.map_err(|error| document::edit_error("the content", error))?)
}

/// Returns the content with the fields in its frontmatter.
fn set_fields(
    content: &str,
    id: Option<&str>,
    fields: &FieldArgs,
    created_at: Option<&str>,
) -> Result<String, EditError> {
    let text = document::set_fields(content.to_owned(), [("id", id.map(FieldValue::Scalar))])?;
    let text = fields.set(text, MemoryType::Journal)?;
    document::set_fields(text, [("created_at", created_at.map(FieldValue::Scalar))])
}

pub(crate) fn run(args: &CreateArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let content = args.content.read()?;
    let args = CreateArgs {
        fields: args.fields.as_stored(),
        ..args.clone()
    };
    let report = create(&settings.project, &args, &content)?;
    out.report(&report, |report, out| {
        out.warn(&report.warnings);
        let created = out.paint(OK, "created");
        let id = out.style(NAME, &report.id);
        let file = out.paint(DIM, &format!("({})", report.file));
        out.line(&format!("{created} {id} {file}"));
    })
}
