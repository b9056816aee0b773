//! `cerberus memory append`.

use super::args::{ContentArgs, SecretArgs};
use anyhow::Result;
use clap::Args;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::append::{self, Request};
use crate::output::Printer;

use super::content;

#[derive(Debug, Args)]
pub(crate) struct AppendArgs {
    /// The memory, or a unique start of its id
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Append to this section: one between tags, or one below a heading
    #[arg(long)]
    pub(crate) section: Option<String>,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

pub(crate) fn run(args: &AppendArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let request = Request {
        id: args.id.clone(),
        content: content::required(args.content.content.as_deref(), args.content.file.as_deref())?,
        section: args.section.clone(),
        allow_secret: args.secret.allow_secret,
    };
    let report = append::append(&settings.project, &request)?;
    super::update::show(&report, "appended to", "ends with this text already", out)
}
