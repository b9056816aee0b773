//! `cerberus memory create`.

use super::args::{ContentArgs, SecretArgs};
use crate::model::{MemoryType, Scope};
use anyhow::Result;
use clap::Args;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::create::{self, Request};
use crate::output::{DIM, NAME, OK, Printer};

use super::content;

#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// The name of its file in the bank, without .md
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Give it an id other than its name
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// What the memory is (journal unless told otherwise)
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) memory_type: Option<MemoryType>,
    /// Put it into a category
    #[arg(long)]
    pub(crate) category: Option<String>,
    /// Say where it holds: universal, language:NAME or project:NAME
    #[arg(long)]
    pub(crate) scope: Option<Scope>,
    /// Tag it (may be repeated)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Give a word that its example should hold (may be repeated, or several in one)
    #[arg(long = "hint", value_name = "WORD")]
    pub(crate) hints: Vec<String>,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

pub(crate) fn run(args: &CreateArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let request = Request {
        name: args.name.clone(),
        id: args.id.clone(),
        content: content::required(args.content.content.as_deref(), args.content.file.as_deref())?,
        memory_type: args.memory_type,
        category: args.category.clone(),
        scope: args.scope.clone(),
        tags: args.tags.clone(),
        hints: super::hints(&args.hints),
        allow_secret: args.secret.allow_secret,
    };
    let report = create::create(&settings.project, &request)?;
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    out.line(&format!(
        "{} {} {}",
        out.paint(OK, "created"),
        out.style(NAME, &report.id),
        out.paint(DIM, &format!("({})", report.file))
    ));
    Ok(ExitStatus::Done)
}
