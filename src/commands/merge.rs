//! `cerberus memory merge`.

use anyhow::Result;

use crate::cli::MergeArgs;
use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::merge::{self, Request};
use crate::output::{FAINT, GOOD, NAME, Printer};

use super::content;

pub(super) fn run(args: &MergeArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let request = Request {
        sources: args.sources.clone(),
        into: args.into.strip_suffix(".md").unwrap_or(&args.into).to_owned(),
        content: content::named(args.content.as_deref(), args.file.as_deref())?,
        allow_secret: args.secret.allow_secret,
    };
    let report = merge::merge(&settings.project, &request)?;
    if out.json {
        out.document(&report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    if report.merged.is_empty() && report.redirected.is_empty() {
        out.line(&format!(
            "{} holds them already; nothing is changed",
            out.styled(NAME, &report.id)
        ));
        return Ok(ExitStatus::Done);
    }
    let done = if report.created { "merged into the new" } else { "merged into" };
    out.line(&format!(
        "{} {} {}",
        out.painted(GOOD, done),
        out.styled(NAME, &report.id),
        out.painted(FAINT, &format!("({})", out.safe(&report.file)))
    ));
    for moved in &report.merged {
        out.line(&format!(
            "  {} moved to the trash as {}",
            out.styled(NAME, &moved.id),
            out.safe(&moved.file)
        ));
    }
    for other in &report.redirected {
        let links = if other.links == 1 { "link" } else { "links" };
        out.line(&format!("  {}: {} {links} redirected", out.styled(NAME, &other.id), other.links));
    }
    if let Some(id) = &report.anchor_from {
        out.line(&format!("  the example is that of {}", out.safe(id)));
    }
    Ok(ExitStatus::Done)
}
