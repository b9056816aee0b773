//! `cerberus memory create`.

use cerberus_bank::ops::create::{self, Request};
use clap::Args;

use super::args::{ContentArgs, FieldArgs, SecretArgs};
use crate::config::Settings;
use crate::output::{CliResult, DIM, NAME, OK, Printer};

#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// Path of the file in the bank, without .md
    name: String,
    #[command(flatten)]
    content: ContentArgs,
    /// Id of the memory (default: its name)
    #[arg(long)]
    id: Option<String>,
    #[command(flatten)]
    secret: SecretArgs,
    #[command(flatten)]
    fields: FieldArgs,
}

pub(crate) fn run(args: &CreateArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let request = Request {
        name: args.name.clone(),
        content: args.content.read()?,
        id: args.id.clone(),
        allow_secrets: args.secret.allow_secret,
        fields: args.fields.fields(),
    };
    let report = create::create(&settings.project, &request)?;
    out.report(&report, |report, out| {
        out.warn(&report.warnings);
        let created = out.paint(OK, "created");
        let id = out.style(NAME, &report.id);
        let file = out.paint(DIM, &format!("({})", report.file));
        out.line(&format!("{created} {id} {file}"));
    })
}
