//! `cerberus memory update`.

use cerberus_bank::ops::fields::Fields;
use cerberus_bank::ops::update::{self, Update};
use clap::Args;

use super::args::{ContentArgs, FieldArgs, SecretArgs};
use super::edited;
use crate::config::Settings;
use crate::output::{CliResult, Printer};

#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// Memory id or a unique prefix of it
    id: String,
    #[command(flatten)]
    content: ContentArgs,
    /// Replace only the text of this section
    #[arg(long)]
    section: Option<String>,
    #[command(flatten)]
    secret: SecretArgs,
    #[command(flatten)]
    fields: FieldArgs,
}

pub(crate) fn run(args: &UpdateArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let fields = args.fields.fields();
    let needs_content = fields == Fields::default() || args.section.is_some();
    let content = match args.content.read_if_passed()? {
        None if needs_content => Some(args.content.read()?),
        content => content,
    };
    let request = Update {
        id: args.id.clone(),
        content,
        section: args.section.clone(),
        allow_secrets: args.secret.allow_secret,
        fields,
    };
    let report = update::update(&settings.project, &request)?;
    edited::print(&report, "updated", out)
}
