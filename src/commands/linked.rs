//! `cerberus memory linked`.

use clap::{Args, ValueEnum};
use std::io::{IsTerminal, Read};

use anyhow::Result;
use serde_json::{Value, json};

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::linked::{self, About, Linked, Reason, Request};
use crate::output::{DIM, NAME, Printer, WARN};

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("about").required(true).args(["target", "diff"]))]
pub(crate) struct LinkedArgs {
    /// FILE, FOLDER, FILE::SYMBOL, SYMBOL or memory:ID
    pub(crate) target: Option<String>,
    /// Rank the memories by how well they fit this
    #[arg(requires = "target")]
    pub(crate) query: Option<String>,
    /// Take the files that are staged in git for the target
    #[arg(long)]
    pub(crate) diff: bool,
    /// Also memories that another one supersedes
    #[arg(long)]
    pub(crate) superseded: bool,
    /// Say it to a host's hook before a commit, and nothing where there is nothing to say
    #[arg(long = "for", value_name = "HOST", requires = "diff")]
    pub(crate) host: Option<CommitHost>,
}

/// Whose hook runs before a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CommitHost {
    /// Claude Code, before it runs a command: JSON
    #[value(name = "claude-hook")]
    Claude,
    /// Codex, before it runs a command: JSON
    #[value(name = "codex-hook")]
    Codex,
    /// git
    #[value(name = "git-hook")]
    Git,
}

/// A command line is never longer.
const MAX_PAYLOAD: u64 = 1024 * 1024;

pub(crate) fn run(args: &LinkedArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let is_agent = args.host.is_some_and(|host| host != CommitHost::Git);
    if is_agent && !is_commit(&read_payload()?) {
        return Ok(ExitStatus::Done);
    }
    let request = Request {
        about: match &args.target {
            Some(target) => About::Target(target.clone()),
            None => About::Staged,
        },
        query: args.query.clone(),
        superseded: args.superseded,
    };
    let report = linked::linked(&settings.project, &request)?;
    // Nothing staged, or nothing to say of it, is no failure: hooks ask this.
    let is_empty = report.memories.is_empty() && !args.diff;
    if out.json {
        out.json(&report)?;
        return Ok(if is_empty { ExitStatus::CheckFailed } else { ExitStatus::Done });
    }
    if args.host.is_some() {
        if report.memories.is_empty() {
            return Ok(ExitStatus::Done);
        }
        out.line("Memories about what is staged (read one with `cerberus memory show ID`):");
        for memory in &report.memories {
            show(memory, out);
        }
        if is_agent {
            let text = out.take();
            out.json(&json!({
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "additionalContext": text,
                }
            }))?;
        }
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    if is_empty {
        return Err(linked::nothing(&report).into());
    }
    if args.diff && report.targets.is_empty() {
        out.line("nothing is staged");
    } else if report.memories.is_empty() {
        out.line("no memory speaks of what is staged");
    }
    for memory in &report.memories {
        show(memory, out);
    }
    Ok(ExitStatus::Done)
}

/// Reads what an agent's host says of the command that it is about to run.
fn read_payload() -> Result<String> {
    let mut payload = String::new();
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        stdin.lock().take(MAX_PAYLOAD).read_to_string(&mut payload)?;
    }
    Ok(payload)
}

/// Returns whether the command of a payload commits; without one, nothing speaks against it.
fn is_commit(payload: &str) -> bool {
    let Ok(payload) = serde_json::from_str::<Value>(payload) else { return true };
    let command = payload["tool_input"]["command"].as_str().unwrap_or_default();
    let mut words = command.split_whitespace();
    words.any(|word| word == "git" || word.ends_with("/git")) && words.any(|word| word == "commit")
}

fn show(memory: &Linked, out: &mut Printer) {
    let about = out.paint(DIM, memory.memory_type.as_str());
    out.line(&format!("{}  {about}", out.style(NAME, &memory.id)));
    for reason in &memory.reasons {
        let touched = match reason.touched {
            Some(true) => out.paint(WARN, "  staged lines touch it"),
            _ => String::new(),
        };
        out.line(&format!("  {}{touched}", out.safe(&said(memory, reason))));
    }
}

fn said(memory: &Linked, reason: &Reason) -> String {
    let Some(edge) = reason.edge_type else {
        return format!("anchored to {}", reason.target);
    };
    let place = reason.line.map(|line| format!(" {}:{line}", memory.file)).unwrap_or_default();
    let context = reason.context.as_ref().map(|it| format!("  {it}")).unwrap_or_default();
    format!("{edge} {}{place}{context}", reason.target)
}
