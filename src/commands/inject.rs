//! `cerberus memory inject`: pins, memories and their examples within a token budget.
//!
//! The budget is a hard limit that includes the envelope, headers and fences. The output is deterministic: the
//! same bank, source tree and request produce the same text.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::json;

use super::args::SessionArgs;
use crate::bank::{ExternalFile, MemoryFile};
use crate::config::Settings;
use crate::error::{ExitStatus, UserError};
use crate::markdown::sections::{self, Origin, Section};
use crate::model::{Memory, Pin, PinScope, Priority, State};
use crate::ops::memories::Memories;
use crate::ops::pins::{self, builtin, render};
use crate::ops::{Project, managed_block};
use crate::output::{NAME, OK, Printer, WARN};
use crate::text::Span;
use crate::tokens;
use crate::tree::git;

/// Names without an extension of files with instructions: of Cursor, Windsurf, Cline, Roo Code,
/// Goose and Zed.
const INSTRUCTION_FILES: &[&str] =
    &[".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".goosehints", ".rules"];

mod block;
mod client;
mod example;
mod pack;
mod relevance;

pub(crate) use client::ClientProfile;
pub(crate) use pack::Cost;

use block::{Block, Item};
use relevance::{Focus, Ranked};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Request {
    /// Limit the output to this many tokens [default: 1500]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    /// Only memories that match these words, the best first
    #[arg(long, value_name = "WORDS")]
    pub(crate) query: Option<String>,
    /// Only memories that are relevant to this file, the best first (may be repeated)
    #[arg(long = "file", value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Only memories that are relevant to the staged files, the best first
    #[arg(long = "diff")]
    pub(crate) staged: bool,
    /// Omit the examples
    #[arg(long)]
    pub(crate) no_examples: bool,
    /// Format for this client within its size limit, and count the skipped items
    #[arg(long = "for", value_name = "CLIENT")]
    pub(crate) client: Option<ClientProfile>,
    /// Allow --into to write texts of a user bank into a file of the project
    #[arg(long, requires = "into")]
    pub(crate) include_user_bank: bool,
    /// Skips pins of a session and pins that expire, for text that is saved in a file.
    #[arg(skip)]
    pub(crate) persistent_only: bool,
    /// The part of the client's limit that other text uses.
    #[arg(skip)]
    pub(crate) reserved: Option<Cost>,
}

#[derive(Debug, Args)]
pub(crate) struct InjectArgs {
    #[command(flatten)]
    pub(crate) request: Request,
    /// Print to stderr why items are relevant or skipped
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print in this format (--json is the same as json)
    #[arg(long, value_name = "FORMAT", default_value = "md", conflicts_with = "into")]
    pub(crate) format: InjectFormat,
    /// Write to a managed block of this markdown file; the rest of the file is unchanged
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

/// The injected text and its parts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) budget: usize,
    pub(crate) used_tokens: usize,
    pub(crate) tokenizer: &'static str,
    pub(crate) pins: Vec<InjectedPin>,
    pub(crate) memories: Vec<InjectedMemory>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) text: String,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InjectedPin {
    pub(crate) id: String,
    pub(crate) priority: Priority,
    pub(crate) text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InjectedMemory {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) example: Option<InjectedExample>,
    /// Why it is relevant to the task, if a query or files were named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InjectedExample {
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    pub(crate) start_line: u32,
    pub(crate) code: String,
    /// `edited` if the code changed since the anchor was recorded.
    pub(crate) state: State,
}

/// An item that is not part of the text, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skipped {
    pub(crate) id: String,
    pub(crate) what: &'static str,
    pub(crate) why: String,
}

/// Selects and formats the text.
pub(crate) fn inject(
    project: &Project,
    request: &Request,
    session: Option<&str>,
) -> Result<Report> {
    let loaded = pins::load(project, session)?;
    let mut pins = loaded.injected(project);
    if request.persistent_only {
        pins.retain(|pin| pin.scope == PinScope::Persistent);
    }
    let memories = Memories::load(project)?;
    let focus =
        Focus { query: request.query.clone(), files: files(project, request)?, ..Focus::default() };
    let Ranked { memories: ranked, reasons, skipped: not_applicable } =
        relevance::rank(project, &memories, &focus)?;
    let mut warnings = loaded.warnings;
    warnings.extend(memories.warnings.iter().cloned());
    let budget = request.budget.unwrap_or(project.inject.budget);
    let client_limit = request.client.map_or(Cost::UNLIMITED, ClientProfile::limit);
    let mut limit = client_limit.minus(request.reserved.unwrap_or(Cost::ZERO));
    limit.tokens = limit.tokens.min(budget);
    let limit = limit.minus(block::envelope_cost());
    let mut block = Block {
        project,
        memories: &memories,
        with_examples: !request.no_examples,
        pins: pins.iter().map(|pin| Item::new(render::item(pin))).collect(),
        is_builtin: pins.iter().map(|pin| pin.id.starts_with(builtin::PREFIX)).collect(),
        texts: ranked
            .iter()
            .map(|stored| Item::new(render::list_item(&with_place(stored))))
            .collect(),
        examples: vec![None; ranked.len()],
        ranked: &ranked,
        reasons: &reasons,
    };
    let (rendered, packed) = block.fill(limit, request.client.is_some());
    let mut skipped = block.skipped(&pins, &packed, limit);
    skipped.extend(not_applicable.into_iter().map(|(id, why)| Skipped { id, what: "memory", why }));
    let pins = pins.iter().zip(&packed.pins).filter(|(_, is_packed)| **is_packed);
    Ok(Report {
        budget,
        used_tokens: tokens::count(&rendered),
        tokenizer: tokens::NAME,
        pins: pins.map(|(pin, _)| injected_pin(pin)).collect(),
        memories: block.injected(&packed),
        skipped,
        text: rendered,
        warnings,
    })
}

/// The state of the managed block in a file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BlockReport {
    pub(crate) file: String,
    /// Whether the block was out of date.
    pub(crate) stale: bool,
    pub(crate) written: bool,
    #[serde(flatten)]
    pub(crate) report: Report,
}

/// Whether agents read a file as instructions. The markers of the block are a comment in markdown,
/// but break source code and settings.
fn is_instruction_file(path: &Path) -> bool {
    let lower = |name: Option<&OsStr>| name.map(|name| name.to_string_lossy().to_lowercase());
    let is_markdown = lower(path.extension())
        .is_some_and(|extension| ["md", "mdc", "markdown"].contains(&&*extension));
    is_markdown || lower(path.file_name()).is_some_and(|name| INSTRUCTION_FILES.contains(&&*name))
}

/// Updates the block in the file at `path`; with `check_only` writes nothing.
pub(crate) fn update_block(
    project: &Project,
    request: &Request,
    path: &Path,
    check_only: bool,
) -> Result<BlockReport> {
    if project.has_user_bank() && !request.include_user_bank {
        let shown = path.display();
        return Err(UserError::usage(format!(
            "`{shown}` is a file of the project, but the bank is in your data folder: the block would publish its texts"
        ))
        .hint(format!("to write them anyway: `cerberus memory inject --into {shown} --include-user-bank`"))
        .into());
    }
    let file = ExternalFile::open(path, &project.root)?;
    if !is_instruction_file(file.real_path()) {
        return Err(UserError::usage(format!("`{}` is not a markdown file", path.display()))
            .hint("name a file with instructions for agents, such as `AGENTS.md` or `.cursorrules`")
            .into());
    }
    if file.bytes.starts_with(&[0xFF, 0xFE]) || file.bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(UserError::usage(format!("`{}` is UTF-16", path.display()))
            .hint("save it as UTF-8, or print the block with `cerberus memory inject`")
            .into());
    }
    let with_path = |error: UserError| UserError {
        message: format!("`{}`: {}", path.display(), error.message),
        ..error
    };
    let outside = managed_block::MARKDOWN.without_block(&file.bytes).map_err(with_path)?;
    let markers = Cost::of(&format!(
        "\n{}\n{}\n",
        managed_block::MARKDOWN.start,
        managed_block::MARKDOWN.end
    ));
    let budget = request.budget.unwrap_or(project.inject.budget);
    let request = Request {
        budget: Some(budget.saturating_sub(markers.tokens)),
        persistent_only: true,
        reserved: Some(Cost::of(&String::from_utf8_lossy(&outside)).plus(markers)),
        ..request.clone()
    };
    let mut report = inject(project, &request, None)?;
    report.budget = budget;
    let new = managed_block::MARKDOWN.update(&file.bytes, &report.text).map_err(with_path)?;
    let stale = new != file.bytes;
    let written = !check_only && file.write(&new)?;
    Ok(BlockReport { file: path.display().to_string(), stale, written, report })
}

pub(crate) fn run(args: &InjectArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let request = &args.request;
    if let Some(path) = &args.into {
        let block = update_block(&settings.project, request, path, args.check)?;
        return print_block(&block, args, out);
    }
    let session = super::pin::session(&args.session, settings);
    let report = inject(&settings.project, request, session)?;
    if out.json || args.format == InjectFormat::Json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    if !report.text.is_empty() {
        match request.client {
            Some(ClientProfile::GeminiHook) => out.json(&json!({
                "hookSpecificOutput": {
                    "hookEventName": "SessionStart",
                    "additionalContext": report.text,
                }
            }))?,
            Some(ClientProfile::CursorHook) => {
                out.json(&json!({ "additional_context": report.text }))?;
            }
            _ => out.line(report.text.trim_end_matches('\n')),
        }
    }
    if args.explain {
        out.note(&explanation(&report));
    }
    Ok(ExitStatus::Done)
}

fn print_block(block: &BlockReport, args: &InjectArgs, out: &mut Printer) -> Result<ExitStatus> {
    let is_stale = args.check && block.stale;
    if out.json {
        out.json(block)?;
        return Ok(if is_stale { ExitStatus::CheckFailed } else { ExitStatus::Done });
    }
    out.warn(&block.report.warnings);
    let file = out.style(NAME, &block.file);
    if is_stale {
        out.line(&format!("{} {file}: its block is out of date", out.paint(WARN, "stale")));
        let flag = if args.request.include_user_bank { " --include-user-bank" } else { "" };
        out.line(&format!("next: cerberus memory inject --into {}{flag}", out.safe(&block.file)));
    } else if block.written {
        let tokens = block.report.used_tokens;
        out.line(&format!("{} {file} ({tokens} tokens)", out.paint(OK, "updated")));
    } else {
        out.line(&format!("{file} is up to date"));
    }
    if args.explain {
        out.note(&explanation(&block.report));
    }
    Ok(if is_stale { ExitStatus::CheckFailed } else { ExitStatus::Done })
}

fn explanation(report: &Report) -> Vec<String> {
    let given = report.memories.iter().filter_map(|memory| {
        let why = memory.why.as_ref()?;
        Some(format!("given: memory {}: {why}", memory.id))
    });
    let skipped = report.skipped.iter();
    let skipped = skipped.map(|it| format!("skipped: {} {}: {}", it.what, it.id, it.why));
    let mut lines: Vec<String> = given.chain(skipped).collect();
    if report.skipped.is_empty() {
        lines.push("no items were skipped".to_owned());
    }
    lines
}

fn injected_pin(pin: &Pin) -> InjectedPin {
    InjectedPin { id: pin.id.clone(), priority: pin.priority, text: pin.content.clone() }
}

/// Returns the files of the request as paths relative to the root of the project.
fn files(project: &Project, request: &Request) -> Result<BTreeSet<String>> {
    let mut files = BTreeSet::new();
    for file in &request.files {
        let root = project.root.to_string_lossy();
        let file = file.strip_prefix(&*root).map_or(&**file, |rest| rest.trim_start_matches('/'));
        let file = file.replace('\\', "/");
        files.insert(file.trim_start_matches("./").to_owned());
    }
    if request.staged {
        files.extend(git::staged(&project.root)?.into_keys());
    }
    Ok(files)
}

/// Returns the text of a memory after the paths that it applies to and the headings that it was
/// imported from, without which "Keep the state here" is unclear.
fn with_place(stored: &MemoryFile) -> String {
    let Memory { heading, paths, .. } = &stored.memory;
    let paths: Vec<String> = paths.iter().map(|glob| format!("`{glob}`")).collect();
    let paths = paths.join(", ");
    let place = match (heading, paths.is_empty()) {
        (None, true) => return text(stored),
        (None, false) => format!("In {paths}"),
        (Some(heading), true) => heading.clone(),
        (Some(heading), false) => format!("In {paths} ({heading})"),
    };
    format!("{place}: {}", text(stored))
}

/// Returns the text of a memory without section tags.
pub(crate) fn text(stored: &MemoryFile) -> String {
    let body = &stored.memory.body;
    if !body.contains("<!--") {
        return body.trim().to_owned();
    }
    let span = Span::new(stored.text.len() - body.len(), stored.text.len());
    let all = Section { id: String::new(), origin: Origin::Heading, outer: span, inner: span };
    sections::content(&stored.text, &all, &sections::parse(&stored.text), false).trim().to_owned()
}

#[cfg(test)]
mod tests;
