//! `inject --into`: the managed block in a file that agents read as instructions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use cerberus_bank::ops::Project;
use cerberus_bank::ops::import::sources::{self, Source};
use cerberus_bank::ops::managed_block::{self, BlockMarkers};
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::pins::{self, render};
use cerberus_bank::{ExternalFile, MemoryFile, Workspace};
use cerberus_brief::{Answer, Cost, Known, Occasion, Omitted, Request, Room};
use cerberus_engine::tree::{documents, read};
use cerberus_model::PinScope;
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::text::plural;
use serde::Serialize;

use super::{InjectArgs, explanation};
use crate::agents::Limit;
use crate::output::{CliResult, NAME, OK, Printer, WARN};

const MARKERS: BlockMarkers<'static> = managed_block::MARKDOWN;

/// The state of the managed block, as `--json` prints it.
#[derive(Debug, Serialize)]
struct BlockReport<'a> {
    file: String,
    /// Whether the block was out of date.
    stale: bool,
    written: bool,
    #[serde(flatten)]
    report: &'a Answer,
}

/// How a block is written.
struct Options {
    budget: Option<usize>,
    client: Option<&'static Limit>,
    shows_examples: bool,
    include_user_bank: bool,
    /// Whether it gets pins that it does not have yet.
    adds_pins: bool,
    explain: bool,
}

/// A file with its new content.
struct Plan {
    file: ExternalFile,
    /// `None` if there is to be no file.
    new: Option<Vec<u8>>,
    report: Answer,
}

impl Plan {
    /// Plans the block in the file at `path`.
    fn new(project: &Workspace, options: &Options, path: &Path) -> Result<Self> {
        check_bank(project, options.include_user_bank, path)?;
        let file = ExternalFile::open(path, &project.root)?;
        let target = target(project, &file, path)?;
        let shown = path.display().to_string();
        if file.bytes.starts_with(&[0xFF, 0xFE]) || file.bytes.starts_with(&[0xFE, 0xFF]) {
            return Err(UserError::usage(format!("`{shown}` is UTF-16"))
                .hint("save it as UTF-8, or print the block with `cerberus memory inject`")
                .into());
        }
        let with_path = |error: UserError| UserError {
            message: format!("`{shown}`: {}", error.message),
            ..error
        };
        let old = if file.exists {
            &*file.bytes
        } else {
            frontmatter(&target).as_bytes()
        };
        let outside = MARKERS.without_block(old).map_err(with_path)?;
        let cost = Cost::of(&format!("\n{}\n{}\n", MARKERS.start, MARKERS.end));
        let budget = options.budget.unwrap_or(project.inject.budget);
        let memories = project.memories()?;
        let lines = stated(old, &target, &memories);
        let mut elsewhere = stated_elsewhere(project, &target, &memories);
        elsewhere.retain(|id| !lines.contains_key(id));
        let has_pins = match MARKERS.text(old) {
            Ok(Some(text)) => has_pins(text),
            _ => false,
        };
        let loaded = pins::load(project, None)?;
        let mut pins = Vec::new();
        if options.adds_pins || has_pins {
            pins = loaded.injected(project);
            pins.retain(|pin| pin.scope == PinScope::Persistent);
        }
        let client = options.client.map_or(Cost::UNLIMITED, Limit::cost);
        let request = Request {
            occasion: Occasion::Block { lines },
            pins,
            room: Room {
                budget: budget.saturating_sub(cost.tokens),
                client: client.minus(Cost::of(&String::from_utf8_lossy(&outside)).plus(cost)),
            },
            known: Known {
                whole: elsewhere,
                ..Known::default()
            },
            shows_examples: options.shows_examples,
        };
        let mut report = cerberus_brief::answer(project, &request)?;
        report.warnings.splice(0..0, loaded.warnings);
        report.budget = budget;
        if !options.explain {
            report.features.clear();
        }
        report.omitted.needed_tokens += cost.tokens;
        let mut new = None;
        if file.exists || !report.text.is_empty() {
            new = Some(MARKERS.update(old, &report.text).map_err(with_path)?);
        }
        Ok(Self { file, new, report })
    }

    fn is_stale(&self) -> bool {
        match &self.new {
            Some(new) => *new != self.file.bytes || !self.file.exists,
            None => self.file.exists,
        }
    }
}

/// Returns whether the block of a file is out of date, in the way in which it was written.
pub(crate) fn is_block_stale(
    project: &Workspace,
    client: Option<&'static Limit>,
    path: &Path,
) -> Result<bool> {
    let options = Options {
        budget: None,
        client,
        shows_examples: true,
        // Nothing is written.
        include_user_bank: true,
        adds_pins: false,
        explain: false,
    };
    Ok(Plan::new(project, &options, path)?.is_stale())
}

/// Returns the frontmatter with which a client reads a new file for every task.
fn frontmatter(target: &str) -> &'static str {
    if target.starts_with(".cursor/rules/") && target.ends_with(".mdc") {
        "---\nalwaysApply: true\n---\n\n"
    } else if target.starts_with(".github/instructions/") && target.ends_with(".instructions.md") {
        "---\napplyTo: \"**\"\n---\n\n"
    } else {
        ""
    }
}

/// Refuses to publish the texts of a user bank without consent.
fn check_bank(project: &Project, has_consent: bool, path: &Path) -> Result<()> {
    if !project.has_user_bank() || has_consent {
        return Ok(());
    }
    let shown = path.display();
    Err(UserError::usage(format!(
        "`{shown}` is a file of the project, but the bank is in your data folder: the block would publish its texts"
    ))
    .hint(format!("to write them anyway: `cerberus memory inject --into {shown} --include-user-bank`"))
    .into())
}

/// Returns the path of a file relative to the project's root. Refuses a file that agents do not read
/// as instructions, unless it already has a block.
fn target(project: &Project, file: &ExternalFile, path: &Path) -> Result<String> {
    let root = project.root.canonicalize()?;
    let real_path = file.real_path();
    let relative = real_path.strip_prefix(&root).unwrap_or(real_path);
    let relative = relative
        .to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/");
    let has_block = matches!(MARKERS.text(&file.bytes), Ok(Some(_)));
    if has_block || documents::is_rule_file(&relative) {
        return Ok(relative);
    }
    Err(UserError::usage(format!(
        "`{}` is not a file that agents read as instructions",
        path.display()
    ))
    .hint("name one, such as `AGENTS.md`, `CLAUDE.md`, `.cursor/rules/cerberus.mdc` or `.claude/rules/cerberus.md`")
    .into())
}

/// Returns whether the text of a block has pins.
fn has_pins(text: &[u8]) -> bool {
    text.windows(render::HEADER.len())
        .any(|part| part == render::HEADER.as_bytes())
}

/// Returns the memories that were imported from a file and that its text above the block still has, with the lines.
fn stated(text: &[u8], path: &str, memories: &Memories) -> BTreeMap<String, usize> {
    let text = String::from_utf8_lossy(text);
    let text = text.split("<!-- cerberus:start").next().unwrap_or_default();
    let mut words = String::new();
    // The positions of the words of each line.
    let mut starts = Vec::new();
    for line in text.lines() {
        starts.push(words.len());
        for word in line.split_whitespace() {
            words.push_str(word);
            words.push(' ');
        }
    }
    let mut stated = BTreeMap::new();
    for MemoryFile { memory, .. } in &memories.all {
        let is_from_here = memory.source.iter().any(|source| {
            let (file, _) = source.rsplit_once(':').unwrap_or((source.as_str(), ""));
            file == path || source == path
        });
        if !is_from_here {
            continue;
        }
        let wanted: Vec<&str> = memory.body.split_whitespace().collect();
        if !wanted.is_empty()
            && let Some(at) = words.find(&wanted.join(" "))
        {
            let line = starts.partition_point(|start| *start <= at);
            stated.insert(memory.id.clone(), line);
        }
    }
    stated
}

/// Returns the memories that a file of the same name in another folder states: agents that read the target
/// read that, too.
fn stated_elsewhere(project: &Project, target: &str, memories: &Memories) -> BTreeSet<String> {
    let mut stated = BTreeSet::new();
    for MemoryFile { memory, .. } in &memories.all {
        for source in &memory.source {
            let Some(Source { file, digest, .. }) = Source::parse(source) else {
                continue;
            };
            if file != target
                && name(&file) == name(target)
                && read::is_file(&project.root, &file)
                && digest == sources::digest(&memory.body)
            {
                stated.insert(memory.id.clone());
            }
        }
    }
    stated
}

/// Returns the name of a file without its folder.
fn name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

pub(super) fn run(
    args: &InjectArgs,
    path: &Path,
    project: &Workspace,
    out: &mut Printer,
) -> CliResult {
    let options = Options {
        budget: args.budget,
        client: args.client,
        shows_examples: !args.no_examples,
        include_user_bank: args.include_user_bank,
        adds_pins: args.pins,
        explain: args.explain,
    };
    let plan = Plan::new(project, &options, path)?;
    let stale = plan.is_stale();
    let report = &plan.report;
    let written = stale && !args.check;
    if let Some(new) = &plan.new
        && written
    {
        plan.file.write(new)?;
    }
    let file = path.display().to_string();
    out.report(
        &BlockReport {
            file,
            stale,
            written,
            report,
        },
        |BlockReport { file, .. }, out| {
            out.warn(&report.warnings);
            let styled = out.style(NAME, file);
            out.line(&if written {
                let updated = out.paint(OK, "updated");
                format!("{updated} {styled} ({} tokens)", report.used_tokens)
            } else if stale {
                let label = out.paint(WARN, "stale");
                format!("{label} {styled}: its block is out of date")
            } else {
                format!("{styled} is up to date")
            });
            if stale && args.check {
                let flag = if args.include_user_bank {
                    " --include-user-bank"
                } else {
                    ""
                };
                out.line(&out.safe(&format!("next: cerberus memory inject --into {file}{flag}")));
            }
            print_omitted(file, &report.omitted, out);
            if args.explain {
                out.note(&explanation(report));
            }
        },
    )?;
    Ok(ExitStatus::of_check(!(stale && args.check)))
}

/// Prints the number of items that do not fit into a block, and the budget for them.
fn print_omitted(file: &str, omitted: &Omitted, out: &mut Printer) {
    let Omitted {
        pins,
        memories,
        examples,
        needed_tokens,
        by_client,
    } = *omitted;
    let mut counts = Vec::new();
    for (n, noun) in [(pins, "pin"), (memories, "memory"), (examples, "example")] {
        if n > 0 {
            counts.push(plural(n, noun));
        }
    }
    if counts.is_empty() {
        return;
    }
    let counts = counts.join(" and ");
    let verb = if pins + memories + examples == 1 {
        "does"
    } else {
        "do"
    };
    let label = out.paint(WARN, "omitted");
    out.line(&format!(
        "{label} {}: {counts} {verb} not fit",
        out.style(NAME, file)
    ));
    if by_client {
        out.line("  the limit of `--for` cannot be raised: delete or archive rules");
    } else {
        out.line(&format!("  all of it needs `--budget {needed_tokens}`"));
    }
}
