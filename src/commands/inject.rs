//! `cerberus memory inject`.

use anyhow::Result;
use serde_json::json;

use crate::cli::{HostName, InjectArgs, InjectFormat};
use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::inject::{self, Host, Kept, Request, Skipped};
use crate::output::{GOOD, NAME, ODD, Printer};

pub(super) fn run(args: &InjectArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
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
        out.document(&report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    if !report.text.is_empty() {
        match request.host {
            Some(Host::GeminiHook) => out.document(&json!({
                "hookSpecificOutput": {
                    "hookEventName": "SessionStart",
                    "additionalContext": report.text,
                }
            }))?,
            Some(Host::CursorHook) => {
                out.document(&json!({ "additional_context": report.text }))?;
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
pub(super) fn host(name: HostName) -> Host {
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
        out.document(kept)?;
        return Ok(if is_failed { ExitStatus::CheckFailed } else { ExitStatus::Done });
    }
    out.warn(&kept.report.warnings);
    let file = out.styled(NAME, &kept.file);
    if is_failed {
        out.line(&format!("{} {file}: its block is not up to date", out.painted(ODD, "stale")));
        out.line(&format!("next: cerberus memory inject --into {}", out.safe(&kept.file)));
    } else if kept.written {
        let tokens = kept.report.used_tokens;
        out.line(&format!("{} {file} ({tokens} tokens)", out.painted(GOOD, "updated")));
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
