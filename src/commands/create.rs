//! `cerberus memory create`.

use anyhow::Result;

use crate::cli::CreateArgs;
use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::create::{self, Request};
use crate::output::{FAINT, GOOD, NAME, Printer};

use super::content;

pub(super) fn run(args: &CreateArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
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
        out.document(&report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    out.line(&format!(
        "{} {} {}",
        out.painted(GOOD, "created"),
        out.styled(NAME, &report.id),
        out.painted(FAINT, &format!("({})", report.file))
    ));
    Ok(ExitStatus::Done)
}
