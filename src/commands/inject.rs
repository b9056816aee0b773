//! `cerberus memory inject`.

use super::args::SessionArgs;
use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::PathBuf;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::inject::{self, Host, Kept, Request, Skipped};
use crate::output::{NAME, OK, Printer, WARN};

#[derive(Debug, Args)]
pub(crate) struct InjectArgs {
    /// Print at most so many tokens [default: 1500]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    /// Put first what speaks of this
    #[arg(long, value_name = "WORDS")]
    pub(crate) query: Option<String>,
    /// Put first what is about this file (may be repeated)
    #[arg(long = "file", value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Put first what is about the files of the staged change
    #[arg(long)]
    pub(crate) diff: bool,
    /// Print the texts alone
    #[arg(long)]
    pub(crate) no_examples: bool,
    /// Say on standard error what was left out and why
    #[arg(long)]
    pub(crate) explain: bool,
    /// Keep under what this host takes, and end with what was left out
    #[arg(long = "for", value_name = "HOST")]
    pub(crate) host: Option<HostName>,
    /// Print it in this form (--json is the same as json)
    #[arg(long, value_name = "FORM", default_value = "md", conflicts_with = "into")]
    pub(crate) format: InjectFormat,
    /// Keep it in a marked block of this file instead, and leave all else there alone
    #[arg(long, value_name = "FILE")]
    pub(crate) into: Option<PathBuf>,
    /// Write nothing and fail if the block is stale
    #[arg(long, requires = "into")]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// How the block is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InjectFormat {
    /// Markdown
    Md,
    /// One document
    Json,
}

/// Who reads the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HostName {
    /// A hook of Claude Code: 10,000 characters
    ClaudeHook,
    /// A hook of Codex: 2,500 tokens
    CodexHook,
    /// A hook of Gemini CLI: JSON
    GeminiHook,
    /// A hook of Cursor: JSON
    CursorHook,
    /// AGENTS.md: 32 KiB
    AgentsMd,
    /// A rule of Cursor: 500 lines
    Cursor,
    /// The instructions of Copilot: 4,000 characters
    Copilot,
}

pub(crate) fn run(args: &InjectArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let request = Request {
        budget: args.budget,
        query: args.query.clone(),
        files: args.files.clone(),
        staged: args.diff,
        no_examples: args.no_examples,
        host: args.host.map(host),
        ..Request::default()
    };
    if let Some(path) = &args.into {
        let kept = inject::keep(&settings.project, &request, path, args.check)?;
        return into(&kept, args, out);
    }
    let session = super::pin::session(&args.session, settings);
    let report = inject::inject(&settings.project, &request, session)?;
    if out.json || args.format == InjectFormat::Json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    if !report.text.is_empty() {
        match request.host {
            Some(Host::GeminiHook) => out.json(&json!({
                "hookSpecificOutput": {
                    "hookEventName": "SessionStart",
                    "additionalContext": report.text,
                }
            }))?,
            Some(Host::CursorHook) => {
                out.json(&json!({ "additional_context": report.text }))?;
            }
            _ => out.line(report.text.trim_end_matches('\n')),
        }
    }
    if args.explain {
        out.note(&explained(&report.skipped));
    }
    Ok(ExitStatus::Done)
}

/// Returns the host of a name.
pub(crate) fn host(name: HostName) -> Host {
    match name {
        HostName::ClaudeHook => Host::ClaudeHook,
        HostName::CodexHook => Host::CodexHook,
        HostName::GeminiHook => Host::GeminiHook,
        HostName::CursorHook => Host::CursorHook,
        HostName::AgentsMd => Host::AgentsMd,
        HostName::Cursor => Host::Cursor,
        HostName::Copilot => Host::Copilot,
    }
}

fn into(kept: &Kept, args: &InjectArgs, out: &mut Printer) -> Result<ExitStatus> {
    let is_failed = args.check && kept.stale;
    if out.json {
        out.json(kept)?;
        return Ok(if is_failed { ExitStatus::CheckFailed } else { ExitStatus::Done });
    }
    out.warn(&kept.report.warnings);
    let file = out.style(NAME, &kept.file);
    if is_failed {
        out.line(&format!("{} {file}: its block is not up to date", out.paint(WARN, "stale")));
        out.line(&format!("next: cerberus memory inject --into {}", out.safe(&kept.file)));
    } else if kept.written {
        let tokens = kept.report.used_tokens;
        out.line(&format!("{} {file} ({tokens} tokens)", out.paint(OK, "updated")));
    } else {
        out.line(&format!("{file} is up to date"));
    }
    if args.explain {
        out.note(&explained(&kept.report.skipped));
    }
    Ok(if is_failed { ExitStatus::CheckFailed } else { ExitStatus::Done })
}

fn explained(skipped: &[Skipped]) -> Vec<String> {
    if skipped.is_empty() {
        return vec!["nothing was left out".to_owned()];
    }
    skipped.iter().map(|it| format!("left out: {} {}: {}", it.what, it.id, it.why)).collect()
}
