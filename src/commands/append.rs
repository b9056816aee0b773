//! `cerberus memory append`.

use anyhow::Result;

use crate::cli::AppendArgs;
use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::append::{self, Request};
use crate::output::Printer;

use super::content;

pub(super) fn run(args: &AppendArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let request = Request {
        id: args.id.clone(),
        content: content::required(args.content.content.as_deref(), args.content.file.as_deref())?,
        section: args.section.clone(),
        allow_secret: args.secret.allow_secret,
    };
    let report = append::append(&settings.project, &request)?;
    super::update::show(&report, "appended to", "ends with this text already", out)
}
