//! `cerberus memory add`.

use anyhow::Result;

use crate::cli::AddArgs;
use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::add::{self, Request};
use crate::output::{FAINT, GOOD, NAME, ODD, Printer};

pub(super) fn run(args: &AddArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let request = Request {
        text: args.text.clone(),
        id: args.id.clone(),
        memory_type: args.memory_type,
        category: args.category.clone(),
        scope: args.scope.clone(),
        tags: args.tags.clone(),
        hints: super::hints(&args.hints),
        anchor_to: args.anchor_to.clone(),
        no_anchor: args.no_anchor,
        min_quality: args.min_quality.unwrap_or(settings.project.min_quality),
        allow_secret: args.secret.allow_secret,
    };
    let report = add::add(&settings.project, &request)?;
    if out.json {
        out.document(&report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    out.line(&format!(
        "{} {} {}",
        out.painted(GOOD, "added"),
        out.styled(NAME, &report.id),
        out.painted(FAINT, &format!("({})", report.file))
    ));
    match (&report.anchor, &report.unanchored) {
        (Some(anchor), _) => {
            let place = super::place(&anchor.file, anchor.symbol.as_deref());
            out.line(&format!(
                "  example {} (quality {:.2})",
                out.styled(NAME, &place),
                anchor.quality
            ));
        }
        (None, Some(why)) => {
            out.line(&format!("  {}: {}", out.painted(ODD, "no example"), why.reason));
            if why.can_be_anchored {
                let anchor = format!("cerberus memory anchor {}", report.id);
                out.line(&format!("  next: {anchor} --candidates 5"));
                out.line(&format!("  or, with a word of its code: {anchor} --hint WORD"));
            }
        }
        (None, None) => {}
    }
    Ok(ExitStatus::Done)
}
