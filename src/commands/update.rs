//! `cerberus memory update`: replaces the text of a memory or of one section, and sets frontmatter
//! fields.
//!
//! Everything else is unchanged byte for byte. An update without effect does not write the file.

use anyhow::Result;
use cerberus_bank::MemoryFile;
use cerberus_bank::Workspace;
use cerberus_bank::ops::document;
use cerberus_bank::ops::document::{Edit, EditReport};
use cerberus_markdown::edit::EditMode;
use cerberus_markdown::frontmatter;
use cerberus_model::Scope;
use clap::Args;

use super::args::{ContentArgs, FieldArgs, SecretArgs};
use crate::config::Settings;
use crate::output::{CliResult, DIM, NAME, OK, Printer};

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

/// Replaces the text of a memory or section, if there is a new one, and sets frontmatter fields.
pub(crate) fn update(
    project: &Workspace,
    args: &UpdateArgs,
    content: Option<&str>,
) -> Result<EditReport> {
    if let Some(content) = content {
        document::check_content(content)?;
    }
    let content_text = ("the content", content.unwrap_or_default());
    args.fields.check(content_text, &args.secret)?;
    document::edit_memory(project, &args.id, |memories, stored, text| {
        let Edit {
            text,
            section,
            mut warnings,
        } = match content {
            Some(content) => replace_content(args, stored, text, content)?,
            None => Edit {
                text: text.to_owned(),
                section: None,
                warnings: Vec::new(),
            },
        };
        let text = args.fields.set(text, stored.memory.memory_type);
        let text = text.map_err(|error| document::edit_error(&stored.file, error))?;
        let id = &stored.memory.id;
        if args.fields.scope == Some(Scope::Universal) && memories.anchors.contains_key(id) {
            warnings.push(format!(
                "a universal memory is never anchored; remove its anchor with `cerberus memory anchor {id} --clear`"
            ));
        }
        Ok(Edit {
            text,
            section,
            warnings,
        })
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
    Ok(Edit {
        text,
        section,
        warnings,
    })
}

pub(crate) fn run(args: &UpdateArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let fields = args.fields.as_stored();
    let needs_content = fields == FieldArgs::default() || args.section.is_some();
    let args = UpdateArgs {
        fields,
        ..args.clone()
    };
    let content = match args.content.read_if_passed()? {
        None if needs_content => Some(args.content.read()?),
        content => content,
    };
    let report = update(&settings.project, &args, content.as_deref())?;
    print(&report, "updated", out)
}

/// Prints the report of a command that edits a memory.
pub(super) fn print(report: &EditReport, verb: &str, out: &mut Printer) -> CliResult {
    out.report(report, |report, out| {
        out.warn(&report.warnings);
        let verb = if report.written {
            out.paint(OK, verb)
        } else {
            "unchanged".to_owned()
        };
        let id = out.style(NAME, &report.id);
        let section = report
            .section
            .as_ref()
            .map(|id| format!(" section {}", out.safe(id)));
        let file = out.paint(DIM, &format!("({})", out.safe(&report.file)));
        out.line(&format!(
            "{verb} {id}{} {file}",
            section.unwrap_or_default()
        ));
    })
}
