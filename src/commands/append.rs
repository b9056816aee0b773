//! `cerberus memory append`: appends text to a memory or to one of its sections.

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::ops::document;
use cerberus_bank::ops::document::{Edit, EditReport};
use cerberus_markdown::edit::EditMode;
use clap::Args;

use super::args::{ContentArgs, SecretArgs};
use crate::config::Settings;
use crate::output::{CliResult, Printer};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct AppendArgs {
    /// Memory id or a unique prefix of it
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Append to this section: the id of section tags or of a heading
    #[arg(long)]
    pub(crate) section: Option<String>,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

/// Appends a text, unless the memory or section already ends with it.
pub(crate) fn append(project: &Workspace, args: &AppendArgs, content: &str) -> Result<EditReport> {
    document::check_content(content)?;
    args.secret.check(&[("the content", content)])?;
    document::edit_memory(project, &args.id, |_, stored, text| {
        let wanted = args.section.as_deref();
        let (section, text) =
            document::edit_content(&stored.file, text, wanted, (content, EditMode::Append))?;
        Ok(Edit {
            text,
            section,
            warnings: Vec::new(),
        })
    })
}

pub(crate) fn run(args: &AppendArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let report = append(&settings.project, args, &args.content.read()?)?;
    super::update::print(&report, "appended to", out)
}
