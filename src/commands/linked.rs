//! `cerberus memory linked`: memories that link to a file, a symbol or a memory, or are anchored to
//! it.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::hooks::{self, HookTool};
use crate::bank::lockfile::Anchors;
use crate::config::Settings;
use crate::engine::track;
use crate::error::{ExitStatus, UserError};
use crate::markdown::links::{Kind, Part, Target, normalize_path};
use crate::model::{LinkState, MemoryStatus, MemoryType};
use crate::ops::links::{self, Edge};
use crate::ops::search::signals::{self, Query};
use crate::ops::sync::{self, IndexedMemory, SyncedStore};
use crate::ops::{Project, rounded};
use crate::output::{DIM, NAME, Printer, WARN};
use crate::syntax::parse::last_name;
use crate::text::Globs;
use crate::tree::git;

#[derive(Debug, Default, Args)]
#[command(group = clap::ArgGroup::new("about").required(true).args(["target", "diff"]))]
pub(crate) struct LinkedArgs {
    /// FILE, FOLDER, FILE::SYMBOL, SYMBOL or memory:ID
    pub(crate) target: Option<String>,
    /// Rank the memories by this query
    #[arg(requires = "target")]
    pub(crate) query: Option<String>,
    /// Use the files staged in git as targets
    #[arg(long)]
    pub(crate) diff: bool,
    /// Include superseded memories
    #[arg(long)]
    pub(crate) superseded: bool,
    // Hooks that earlier versions wrote use it; `cerberus hooks run` replaces it.
    /// Run as a hook before a commit
    #[arg(long = "for", value_name = "CLIENT", requires = "diff", hide = true)]
    pub(crate) client: Option<CommitHook>,
}

/// Hook that runs before a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CommitHook {
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

/// Memories that are linked or anchored to the targets.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// The normalized target, or the staged files.
    pub(crate) targets: Vec<String>,
    pub(crate) query: Option<String>,
    pub(crate) memories: Vec<Linked>,
    pub(crate) warnings: Vec<String>,
}

/// Memory with its relations to the targets.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Linked {
    pub(crate) id: String,
    pub(crate) file: String,
    #[serde(rename = "type")]
    pub(crate) memory_type: MemoryType,
    /// Score for the query, if there is one.
    pub(crate) score: Option<f64>,
    pub(crate) reasons: Vec<Reason>,
}

/// Link or anchor from a memory to a target.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reason {
    /// `anchor`, `paths`, or the relation that the link states.
    pub(crate) relation: &'static str,
    /// Target of the link, location of the anchor, or glob that matches the target.
    pub(crate) target: String,
    /// Sentence around the link.
    pub(crate) context: Option<String>,
    /// 1-based line of the link in the memory.
    pub(crate) line: Option<usize>,
    /// Whether the changes overlap the target. `None` if the target is a whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) is_changed: Option<bool>,
}

/// The relation of the example of a memory.
pub(crate) const ANCHOR: &str = "anchor";
const PATHS: &str = "paths";

/// Returns the memories that are linked or anchored to the target. Without a target, the staged
/// files are the targets.
pub(crate) fn linked(project: &Project, args: &LinkedArgs) -> Result<Report> {
    let query = match &args.query {
        None => None,
        Some(text) => Some(Query::parse(text).ok_or_else(|| {
            UserError::usage("the query contains no words").hint("omit it to list all memories")
        })?),
    };
    let pattern = args.target.as_deref().map(TargetPattern::parse).transpose()?;
    let Some(pattern) = pattern else {
        return of_changes(project, &git::staged(&project.root)?, args.superseded);
    };
    let mut synced = sync::open(project)?;
    let warnings = std::mem::take(&mut synced.warnings);
    let (edges, anchors) = (links::edges(project, &synced)?, synced.anchors()?);
    let mut reasons = Reasons::new();
    collect(&pattern, &edges, &anchors, None, &mut reasons);
    // Not for changed files: the rules of their folders would hide the memories about them.
    collect_paths(&pattern, &synced, &mut reasons)?;
    let targets = vec![pattern.text];
    let mut memories = with_reasons(&synced, args.superseded, reasons)?;
    rank(&synced, query.as_ref(), &mut memories)?;
    Ok(Report { targets, query: args.query.clone(), memories, warnings })
}

/// Returns the memories that are linked or anchored to changed files, given with their changed lines.
pub(crate) fn of_changes(
    project: &Project,
    changes: &BTreeMap<String, Vec<(u32, u32)>>,
    with_superseded: bool,
) -> Result<Report> {
    let mut synced = sync::open(project)?;
    let warnings = std::mem::take(&mut synced.warnings);
    let (edges, anchors) = (links::edges(project, &synced)?, synced.anchors()?);
    let mut reasons = Reasons::new();
    for (path, hunks) in changes {
        let hunks = ChangedLines { project, path, hunks };
        let pattern = TargetPattern {
            text: path.clone(),
            path: Some(path.clone()),
            ..TargetPattern::default()
        };
        collect(&pattern, &edges, &anchors, Some(&hunks), &mut reasons);
    }
    let mut memories = with_reasons(&synced, with_superseded, reasons)?;
    rank(&synced, None, &mut memories)?;
    Ok(Report { targets: changes.keys().cloned().collect(), query: None, memories, warnings })
}

pub(crate) fn run(args: &LinkedArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    if let Some(client) = args.client {
        let tool = match client {
            CommitHook::Claude => HookTool::Claude,
            CommitHook::Codex => HookTool::Codex,
            CommitHook::Git => HookTool::Git,
        };
        return hooks::commit::run_in(tool, settings, out).map(|()| ExitStatus::Done);
    }
    let report = linked(&settings.project, args)?;
    // An empty result for the staged files is not a failure.
    let is_failed = report.memories.is_empty() && !args.diff;
    if out.json {
        out.json(&report)?;
        return Ok(if is_failed { ExitStatus::CheckFailed } else { ExitStatus::Done });
    }
    out.warn(&report.warnings);
    if is_failed {
        let target = report.targets.join(", ");
        return Err(UserError::check(format!("no memory mentions or is anchored to `{target}`"))
            .hint("list all links with `cerberus memory links`")
            .into());
    }
    if args.diff && report.targets.is_empty() {
        out.line("no files are staged");
    } else if report.memories.is_empty() {
        out.line("no memory mentions the staged files");
    }
    for memory in &report.memories {
        print_memory(memory, out);
    }
    Ok(ExitStatus::Done)
}

fn print_memory(memory: &Linked, out: &mut Printer) {
    let memory_type = out.paint(DIM, memory.memory_type.as_str());
    out.line(&format!("{}  {memory_type}", out.style(NAME, &memory.id)));
    for reason in &memory.reasons {
        let changed = match reason.is_changed {
            Some(true) => out.paint(WARN, "  has staged changes"),
            _ => String::new(),
        };
        out.line(&format!("  {}{changed}", out.safe(&display(memory, reason))));
    }
}

fn display(memory: &Linked, reason: &Reason) -> String {
    let Reason { relation, target, .. } = reason;
    if *relation == ANCHOR {
        return format!("anchored to {target}");
    }
    if *relation == PATHS {
        return format!("applies to {target}");
    }
    let location = reason.line.map(|line| format!(" {}:{line}", memory.file)).unwrap_or_default();
    let context = reason.context.as_ref().map(|it| format!("  {it}")).unwrap_or_default();
    format!("{relation} {target}{location}{context}")
}

/// The target argument in each of its possible meanings.
#[derive(Debug, Default)]
struct TargetPattern {
    /// Normalized spelling.
    text: String,
    path: Option<String>,
    symbol: Option<String>,
    memory: Option<String>,
}

impl TargetPattern {
    fn parse(typed: &str) -> Result<Self> {
        let invalid = || {
            UserError::usage(format!("`{typed}` is not a valid target"))
                .hint("use a file, a symbol or a memory, as in `cerberus memory linked src/server.py::start`")
        };
        let target = Target::parse(typed).ok_or_else(invalid)?;
        if target.kind == Kind::Memory {
            let text = format!("memory:{}", target.name);
            return Ok(Self { text, memory: Some(target.name), ..Self::default() });
        }
        let path = normalize_path(&target.name).ok_or_else(|| {
            UserError::usage(format!("`{typed}` is outside the project"))
                .hint("use a path from the project root, as in `src/server.py`")
        })?;
        if path.is_empty() {
            return Err(invalid().into());
        }
        let symbol = match target.part {
            Some(Part::Symbol(symbol)) => Some(symbol),
            _ => None,
        };
        let is_name = target.kind == Kind::Plain && symbol.is_none();
        Ok(Self {
            text: match &symbol {
                Some(symbol) => format!("{path}::{symbol}"),
                None => path.clone(),
            },
            symbol: symbol.or_else(|| is_name.then(|| target.name.clone())),
            memory: is_name.then(|| target.name.clone()),
            path: Some(path),
        })
    }

    /// Returns whether a location is the target or inside it.
    fn matches_location(&self, file: &str, symbol: Option<&str>) -> bool {
        let in_path = self.path.as_ref().is_some_and(|path| {
            let rest = file.strip_prefix(path.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        match &self.symbol {
            None => in_path,
            // A name without a path: of a file or of a symbol.
            Some(name) if self.memory.is_some() => {
                in_path || symbol.is_some_and(|symbol| is_in_symbol(symbol, name))
            }
            Some(name) => in_path && symbol.is_some_and(|symbol| is_in_symbol(symbol, name)),
        }
    }

    /// Returns whether the target of a link is this target or inside it.
    fn matches_link(&self, link_target: &str) -> bool {
        let Some(target) = Target::parse(link_target) else {
            return false;
        };
        if target.kind == Kind::Memory {
            return self.memory.as_ref() == Some(&target.name);
        }
        let symbol = match &target.part {
            Some(Part::Symbol(symbol)) => Some(symbol.as_str()),
            _ if target.kind == Kind::Plain => Some(target.name.as_str()),
            _ => None,
        };
        let file = normalize_path(&target.name);
        file.is_some_and(|file| self.matches_location(&file, symbol))
    }
}

/// Returns whether a qualified symbol is the wanted one or inside it. Either name may lack its
/// first parts.
fn is_in_symbol(symbol: &str, wanted: &str) -> bool {
    let parts: Vec<&str> = symbol.split('.').collect();
    let wanted: Vec<&str> = wanted.split('.').collect();
    parts.windows(wanted.len()).any(|window| window == wanted)
        || (wanted.ends_with(&parts) && last_name(symbol) == *wanted.last().unwrap_or(&""))
}

/// Changes of one file.
struct ChangedLines<'a> {
    project: &'a Project,
    path: &'a str,
    hunks: &'a [(u32, u32)],
}

impl ChangedLines<'_> {
    /// Returns whether the changes overlap a part of the file, if its lines are known.
    fn overlap(&self, part: Option<&Part>) -> Option<bool> {
        let (first, last) = match part? {
            Part::Lines(first, last) => (*first, *last),
            Part::Symbol(symbol) => {
                let found = track::locate(&self.project.root, self.path, Some(symbol)).ok()?;
                found.found.lines?
            }
            Part::Section(_) => return None,
        };
        Some(self.hunks.iter().any(|(start, end)| *start <= last && *end > first))
    }
}

/// Reasons by memory id.
type Reasons = BTreeMap<String, Vec<Reason>>;

/// Adds the links and anchors that match a target.
fn collect(
    pattern: &TargetPattern,
    edges: &[Edge],
    anchors: &Anchors,
    changed: Option<&ChangedLines>,
    reasons: &mut Reasons,
) {
    for edge in edges {
        let targets = [Some(&edge.target), edge.resolved_to.as_ref()];
        let matches = edge.state != LinkState::Outside
            && targets.into_iter().flatten().any(|target| pattern.matches_link(target));
        if matches {
            let resolved = Target::parse(edge.resolved_to.as_ref().unwrap_or(&edge.target));
            let part = resolved.and_then(|target| target.part);
            reasons.entry(edge.source.clone()).or_default().push(Reason {
                relation: edge.relation.as_str(),
                target: edge.target.clone(),
                context: Some(edge.context.clone()).filter(|context| !context.is_empty()),
                line: Some(edge.line),
                is_changed: changed.and_then(|changed| changed.overlap(part.as_ref())),
            });
        }
    }
    for (id, anchor) in anchors {
        if pattern.matches_location(&anchor.file, anchor.symbol.as_deref()) {
            let part = anchor.symbol.clone().map(Part::Symbol);
            let target = Target { kind: Kind::Path, name: anchor.file.clone(), part: part.clone() };
            reasons.entry(id.clone()).or_default().push(Reason {
                relation: ANCHOR,
                target: target.to_string(),
                context: None,
                line: None,
                is_changed: changed.and_then(|changed| changed.overlap(part.as_ref())),
            });
        }
    }
}

/// Adds the memories whose paths match the file of a target.
fn collect_paths(
    pattern: &TargetPattern,
    synced: &SyncedStore,
    reasons: &mut Reasons,
) -> Result<()> {
    let Some(path) = &pattern.path else { return Ok(()) };
    for IndexedMemory { memory, .. } in synced.memories()? {
        let globs = Globs::new(&memory.paths);
        if let Some(glob) = globs.find(path) {
            reasons.entry(memory.id).or_default().push(Reason {
                relation: PATHS,
                target: glob.to_owned(),
                context: None,
                line: None,
                is_changed: None,
            });
        }
    }
    Ok(())
}

/// Returns the memories that have reasons, without archived and superseded ones.
fn with_reasons(
    synced: &SyncedStore,
    include_superseded: bool,
    mut reasons: Reasons,
) -> Result<Vec<Linked>> {
    let superseded = links::supersession(synced)?.superseded;
    let mut found = Vec::new();
    for IndexedMemory { memory, file, .. } in synced.memories()? {
        let is_hidden = memory.status == MemoryStatus::Archived
            || (!include_superseded && superseded.contains_key(&memory.id));
        let Some(reasons) = reasons.remove(&memory.id).filter(|_| !is_hidden) else {
            continue;
        };
        let (id, memory_type) = (memory.id, memory.memory_type);
        found.push(Linked { id, file, memory_type, score: None, reasons });
    }
    Ok(found)
}

/// Sorts the memories by their score for the query, then those with staged changes first, then by
/// their number of reasons, then by id.
fn rank(synced: &SyncedStore, query: Option<&Query>, memories: &mut [Linked]) -> Result<()> {
    if let Some(query) = query {
        let is_wanted = |id: &str| memories.iter().any(|it| it.id == id);
        let found = signals::search(&synced.store, query, &is_wanted)?;
        let scores: BTreeMap<String, f64> =
            found.into_iter().map(|it| (it.id, rounded(it.score))).collect();
        for memory in memories.iter_mut() {
            memory.score = Some(scores.get(&memory.id).copied().unwrap_or(0.0));
        }
    }
    let is_changed = |it: &Linked| it.reasons.iter().any(|it| it.is_changed == Some(true));
    memories.sort_by(|a, b| {
        let score = |it: &Linked| it.score.unwrap_or(0.0);
        score(b)
            .total_cmp(&score(a))
            .then_with(|| is_changed(b).cmp(&is_changed(a)))
            .then_with(|| b.reasons.len().cmp(&a.reasons.len()))
            .then_with(|| a.id.cmp(&b.id))
    });
    Ok(())
}
