//! `cerberus memory append`.

use cerberus_bank::ops::update::{self, Append};
use clap::Args;

use super::args::{ContentArgs, SecretArgs};
use super::edited;
use crate::config::Settings;
use crate::output::{CliResult, Printer};

#[derive(Debug, Args)]
pub(crate) struct AppendArgs {
    /// Memory id or a unique prefix of it
    id: String,
    #[command(flatten)]
    content: ContentArgs,
    /// Append to this section: the id of section tags or of a heading
    #[arg(long)]
    section: Option<String>,
    #[command(flatten)]
    secret: SecretArgs,
}

pub(crate) fn run(args: &AppendArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let request = Append {
        id: args.id.clone(),
        content: args.content.read()?,
        section: args.section.clone(),
        allow_secrets: args.secret.allow_secret,
    };
    let report = update::append(&settings.project, &request)?;
    edited::print(&report, "appended to", out)
}
