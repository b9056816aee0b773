//! `cerberus memory add`.

use super::args::{SecretArgs, quality};
use crate::model::{MemoryType, Scope};
use anyhow::Result;
use clap::Args;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::model::CodeLocation;
use crate::ops::add::{self, Request};
use crate::output::{DIM, NAME, OK, Printer, WARN};

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// What is to be remembered
    pub(crate) text: String,
    /// Name the memory instead of making a name from its text
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// What the memory is
    #[arg(long = "type", value_name = "TYPE", default_value = "rule")]
    pub(crate) memory_type: MemoryType,
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
    /// Anchor it by hand to FILE or FILE::SYMBOL
    #[arg(long, value_name = "PLACE", conflicts_with = "no_anchor")]
    pub(crate) anchor_to: Option<CodeLocation>,
    /// Do not look for its example
    #[arg(long)]
    pub(crate) no_anchor: bool,
    /// Keep an example from this quality on
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    pub(crate) min_quality: Option<f64>,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

pub(crate) fn run(args: &AddArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
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
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    out.line(&format!(
        "{} {} {}",
        out.paint(OK, "added"),
        out.style(NAME, &report.id),
        out.paint(DIM, &format!("({})", report.file))
    ));
    match (&report.anchor, &report.unanchored) {
        (Some(anchor), _) => {
            let place = super::place(&anchor.file, anchor.symbol.as_deref());
            out.line(&format!(
                "  example {} (quality {:.2})",
                out.style(NAME, &place),
                anchor.quality
            ));
        }
        (None, Some(why)) => {
            out.line(&format!("  {}: {}", out.paint(WARN, "no example"), why.reason));
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
