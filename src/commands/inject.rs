//! `cerberus memory inject`.

use super::args::SessionArgs;
use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::PathBuf;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::inject::{self, BlockReport, ClientProfile, Request, Skipped};
use crate::output::{GOOD, NAME, ODD, Printer};

#[derive(Debug, Args)]
pub(crate) struct InjectArgs {
    #[command(flatten)]
    pub(crate) request: Request,
    /// Print the skipped items and the reasons to stderr
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print in this format (--json is the same as json)
    #[arg(long, value_name = "FORMAT", default_value = "md", conflicts_with = "into")]
    pub(crate) format: InjectFormat,
    /// Write to a managed block of this file; the rest of the file is unchanged
    #[arg(long, value_name = "FILE")]
    pub(crate) into: Option<PathBuf>,
    /// Write nothing; exit with 1 if the block is out of date
    #[arg(long, requires = "into")]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InjectFormat {
    /// Markdown
    Md,
    /// One JSON document
    Json,
}

pub(crate) fn run(args: &InjectArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let request = &args.request;
    if let Some(path) = &args.into {
        let block = inject::update_block(&settings.project, request, path, args.check)?;
        return print_block(&block, args, out);
    }
    let session = super::pin::session(&args.session, settings);
    let report = inject::inject(&settings.project, request, session)?;
    if out.json || args.format == InjectFormat::Json {
        out.document(&report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    if !report.text.is_empty() {
        match request.client {
            Some(ClientProfile::GeminiHook) => out.document(&json!({
                "hookSpecificOutput": {
                    "hookEventName": "SessionStart",
                    "additionalContext": report.text,
                }
            }))?,
            Some(ClientProfile::CursorHook) => {
                out.document(&json!({ "additional_context": report.text }))?;
            }
            _ => out.line(report.text.trim_end_matches('\n')),
        }
    }
    if args.explain {
        out.note(&explanation(&report.skipped));
    }
    Ok(ExitStatus::Done)
}

fn print_block(block: &BlockReport, args: &InjectArgs, out: &mut Printer) -> Result<ExitStatus> {
    let is_stale = args.check && block.stale;
    if out.json {
        out.document(block)?;
        return Ok(if is_stale { ExitStatus::CheckFailed } else { ExitStatus::Done });
    }
    out.warn(&block.report.warnings);
    let file = out.styled(NAME, &block.file);
    if is_stale {
        out.line(&format!("{} {file}: its block is out of date", out.painted(ODD, "stale")));
        out.line(&format!("next: cerberus memory inject --into {}", out.safe(&block.file)));
    } else if block.written {
        let tokens = block.report.used_tokens;
        out.line(&format!("{} {file} ({tokens} tokens)", out.painted(GOOD, "updated")));
    } else {
        out.line(&format!("{file} is up to date"));
    }
    if args.explain {
        out.note(&explanation(&block.report.skipped));
    }
    Ok(if is_stale { ExitStatus::CheckFailed } else { ExitStatus::Done })
}

fn explanation(skipped: &[Skipped]) -> Vec<String> {
    if skipped.is_empty() {
        return vec!["no items were skipped".to_owned()];
    }
    skipped.iter().map(|it| format!("skipped: {} {}: {}", it.what, it.id, it.why)).collect()
}
