//! `cerberus memory review-diff`: checks added and changed code against the patterns of the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::patterns::{self as rule_patterns, RulePattern};
use cerberus_bank::ops::{Project, anchors, linked, memories};
use cerberus_bank::{MemoryFile, Workspace};
use cerberus_engine::syntax::language;
use cerberus_engine::tree::git;
use cerberus_engine::tree::git::{AddedLines, Changes};
use cerberus_engine::tree::walk::{self, Listing};
use cerberus_model::{Enforcement, Globs, LineIndex, Severity, format_location};
use cerberus_patterns::code_pattern::{CodePattern, Match};
use cerberus_patterns::{Checker, FileHits};
use clap::Args;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;

use super::findings::{self, FindingsFormat, Unchecked};
use crate::config::Settings;
use crate::output::{CliResult, Printer};

mod allowed;
mod annotations;
mod print;
mod stated;

use allowed::Allowances;
pub(crate) use stated::stated_code;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReviewDiffArgs {
    /// Compare the working tree with the last common commit of HEAD and REV (default: HEAD)
    #[arg(value_name = "REV", conflicts_with_all = ["staged", "all"])]
    pub(crate) revision: Option<String>,
    /// Check the staged changes
    #[arg(long, conflicts_with = "all")]
    pub(crate) staged: bool,
    /// Check all code, not only changes
    #[arg(long)]
    pub(crate) all: bool,
    /// Output format (--json is the same as json)
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<FindingsFormat>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Whether everything was checked and no accepted pattern is hit.
    pub(crate) ok: bool,
    pub(crate) summary: Summary,
    pub(crate) findings: Vec<Finding>,
    /// The parts of the request that could not be checked.
    pub(crate) unchecked: Vec<Unchecked>,
    /// The rules that are linked to the changed code or whose pattern is for its language.
    pub(crate) rules: Vec<AppliedRule>,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary {
    pub(crate) files: usize,
    pub(crate) added_lines: usize,
    pub(crate) errors: usize,
    pub(crate) hints: usize,
    /// Hits that a comment allows.
    pub(crate) allowed: usize,
}

/// A rule that concerns the change.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct AppliedRule {
    pub(crate) id: String,
    pub(crate) rule: String,
    pub(crate) enforcement: Enforcement,
}

/// Added code that a pattern hits.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    /// The memory.
    pub(crate) id: String,
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: usize,
    pub(crate) end_line: usize,
    /// In characters, from 1.
    pub(crate) column: usize,
    /// The first line of the code.
    pub(crate) code: String,
    /// The rule.
    pub(crate) message: String,
    /// Code to imitate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) example: Option<String>,
    /// The comment that allows it.
    pub(crate) allow: String,
}

/// A rule with its patterns.
struct CheckedRule {
    id: String,
    title: String,
    /// The files that it applies to, if it is not all.
    paths: Option<Globs>,
    patterns: Vec<CodePattern>,
    example: Option<String>,
}

/// Checks the changes that the arguments select. `progress` gets the number of checked files and of all.
pub(crate) fn review(
    project: &Workspace,
    args: &ReviewDiffArgs,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Report> {
    let memories = project.memories()?;
    let changes = changes(project, args)?;
    let mut report = check(project, &memories, &changes, progress);
    if !args.all {
        add_hints(project, &memories, &changes.files, &mut report);
        add_linked(project, &memories, &changes.files, &mut report)?;
    }
    Ok(report)
}

/// Checks the lines that were added to one file since the last commit.
pub(crate) fn review_file(project: &Workspace, file: &str) -> Result<Report> {
    let memories = project.memories()?;
    let files = git::added_in(&project.root, file).into_iter().collect();
    let changes = Changes {
        files,
        ..Changes::default()
    };
    let mut report = check(project, &memories, &changes, &|_, _| {});
    add_hints(project, &memories, &changes.files, &mut report);
    Ok(report)
}

/// Returns a function that finds what the patterns of a rule hit in the added lines of a file.
pub(crate) fn finder(
    stored: &MemoryFile,
    memories: &Memories,
    patterns: Vec<CodePattern>,
) -> impl Fn(&AddedLines) -> Vec<Finding> {
    let rules = [CheckedRule::new(stored, memories, patterns)];
    let checker = Checker::new(std::iter::once((0, &rules[0].patterns[..])));
    move |change| hits(&rules, &checker, change).findings
}

/// Adds the hints about code that the texts of rules forbid.
fn add_hints(project: &Project, memories: &Memories, changes: &[AddedLines], report: &mut Report) {
    let (stated, n_allowed) = stated::find(project, memories, changes);
    report.findings.extend(stated);
    report.findings.sort_by(|a, b| {
        (&a.file, a.line, a.column, &a.id).cmp(&(&b.file, b.line, b.column, &b.id))
    });
    report.summary.allowed += n_allowed;
    count(report);
}

/// Returns the changed files in supported languages, sorted by path.
fn changes(project: &Project, args: &ReviewDiffArgs) -> Result<Changes> {
    let root = &project.root;
    git::check_usable(root)?;
    let mut changes = if args.staged {
        git::added_in_index(root)?
    } else if args.all {
        whole(root, walk::written_code(root, &project.exclude)?)
    } else if args.revision.is_none() && git::checked_head(root)?.is_none() {
        // Before the first commit everything is new.
        whole(root, walk::all_code(root)?)
    } else {
        let revision = args.revision.as_deref().unwrap_or("HEAD");
        let commit = findings::fork_point(root, revision)?;
        git::added_since(root, &commit, is_code)?
    };
    changes.files.retain(|change| is_code(&change.path));
    changes.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(changes)
}

/// Returns all lines of the listed files as added.
fn whole(root: &Path, listing: Listing) -> Changes {
    let paths = listing.entries.into_iter().map(|entry| entry.path);
    let mut changes = git::all_lines(root, &paths.collect());
    changes.unread.extend(listing.unnamed);
    changes.unlisted = listing.warnings;
    changes.unlisted.extend(listing.failure);
    changes
}

/// Returns the code of the project, without what its configuration excludes.
pub(crate) fn code_files(project: &Project) -> Result<BTreeSet<String>> {
    let listing = walk::walk(&project.root, &project.exclude)?;
    Ok(listing
        .entries
        .into_iter()
        .map(|entry| entry.path)
        .collect())
}

pub(crate) fn is_code(path: &str) -> bool {
    language::from_path(path).is_some()
}

/// Returns the hits in changed code.
fn check(
    project: &Project,
    memories: &Memories,
    changes: &Changes,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Report {
    let mut unchecked = findings::unread_memories(project, memories);
    let mut rules = Vec::new();
    for stored in &memories.all {
        let RulePattern {
            patterns, fault, ..
        } = rule_patterns::of_memory(stored);
        let file = || project.bank.shown_path(&stored.file, &project.root);
        unchecked.extend(fault.map(|reason| Unchecked {
            file: file(),
            reason,
        }));
        if !patterns.is_empty() {
            rules.push(CheckedRule::new(stored, memories, patterns));
        }
    }
    let checker = Checker::new(
        rules
            .iter()
            .enumerate()
            .map(|(idx, rule)| (idx, &rule.patterns[..])),
    );
    let files = &changes.files;
    let n_done = AtomicUsize::new(0);
    let in_file = |change: &AddedLines| {
        // It ends this function if the call was cancelled.
        progress(n_done.fetch_add(1, Ordering::Relaxed), files.len());
        hits(&rules, &checker, change)
    };
    let found: Vec<FoundInFile> = files.par_iter().map(in_file).collect();
    let summary = Summary {
        files: files.len(),
        added_lines: files
            .iter()
            .flat_map(|it| &it.is_added)
            .filter(|it| **it)
            .count(),
        allowed: found.iter().map(|it| it.n_allowed).sum(),
        ..Summary::default()
    };
    for (path, why) in &changes.unread {
        let idxs = checker.rules_for(path);
        unchecked.extend(not_checked(
            path,
            &rules,
            idxs.into_iter().map(|idx| (idx, why)),
        ));
    }
    let unlisted = changes.unlisted.iter().cloned();
    unchecked.extend(unlisted.map(|reason| Unchecked {
        file: ".".to_owned(),
        reason,
    }));
    let mut findings = Vec::new();
    for mut it in found {
        findings.append(&mut it.findings);
        unchecked.append(&mut it.unchecked);
    }
    unchecked.sort();
    unchecked.dedup();
    rules.retain(|rule| findings.iter().any(|it| it.id == rule.id));
    let applied = rules.into_iter().map(|rule| AppliedRule {
        id: rule.id,
        rule: rule.title,
        enforcement: Enforcement::Enforced,
    });
    let rules = applied.collect();
    let mut warnings = memories.warnings.clone();
    warnings.retain(|it| !memories.unread.contains(it));
    let mut report = Report {
        ok: true,
        summary,
        findings,
        unchecked,
        rules,
        warnings,
    };
    count(&mut report);
    report
}

fn count(report: &mut Report) {
    let n = |severity| {
        report
            .findings
            .iter()
            .filter(|it| it.severity == severity)
            .count()
    };
    (report.summary.errors, report.summary.hints) = (n(Severity::Error), n(Severity::Hint));
    report.ok = report.summary.errors == 0 && report.unchecked.is_empty();
}

fn title(stored: &MemoryFile) -> String {
    memories::title(anchors::rule(&stored.memory.body))
}

/// The hits in the added lines of a file.
struct FoundInFile {
    findings: Vec<Finding>,
    /// The number of hits that a comment allows.
    n_allowed: usize,
    unchecked: Vec<Unchecked>,
}

/// Returns what was not checked in a file, of the rules that apply to it.
fn not_checked(
    path: &str,
    rules: &[CheckedRule],
    reasons: impl Iterator<Item = (usize, impl Display)>,
) -> Vec<Unchecked> {
    let applying = reasons.filter(|(idx, _)| rules[*idx].applies_to(path));
    let unchecked = applying.map(|(idx, why)| {
        let reason = format!("the pattern of `{}`: {why}", rules[idx].id);
        Unchecked {
            file: path.to_owned(),
            reason,
        }
    });
    unchecked.collect()
}

impl CheckedRule {
    fn new(stored: &MemoryFile, memories: &Memories, patterns: Vec<CodePattern>) -> Self {
        let memory = &stored.memory;
        let anchor = memories.anchors.get(&memory.id);
        Self {
            id: memory.id.clone(),
            title: title(stored),
            paths: (!memory.paths.is_empty()).then(|| Globs::new(&memory.paths)),
            patterns,
            example: anchor.map(|it| format_location(&it.file, it.symbol.as_deref())),
        }
    }

    fn applies_to(&self, path: &str) -> bool {
        self.paths
            .as_ref()
            .is_none_or(|paths| paths.find(path).is_some())
    }
}

/// Returns the hits in the added lines of a file.
fn hits(rules: &[CheckedRule], checker: &Checker, change: &AddedLines) -> FoundInFile {
    let mut known: BTreeSet<(usize, usize)> = BTreeSet::new();
    let FileHits { hits, unchecked } = checker.hits(&change.path, &change.text);
    let is_found = |(rule_idx, hit): &(usize, Match)| {
        let first_only = (hit.lines.0, hit.lines.0);
        // A long match is about its first line, unless only a part of it is new.
        let is_added = change.has_any(first_only)
            || (hit.lines.1 - hit.lines.0 < 3 && change.has_any(hit.lines));
        let applies = is_added && rules[*rule_idx].applies_to(&change.path);
        // A rule has one finding in a line.
        applies && known.insert((*rule_idx, hit.lines.0))
    };
    let hits = hits
        .into_iter()
        .filter(is_found)
        .map(|(rule_idx, hit)| (&rules[rule_idx], hit));
    let (findings, n_allowed) = found_in(change, hits);
    let unchecked = not_checked(&change.path, rules, unchecked.into_iter());
    FoundInFile {
        findings,
        n_allowed,
        unchecked,
    }
}

/// Returns the findings of hits in a file, and how many others a comment allows.
fn found_in<'r>(
    change: &AddedLines,
    hits: impl Iterator<Item = (&'r CheckedRule, Match)>,
) -> (Vec<Finding>, usize) {
    let index = LineIndex::new(&change.text);
    let allowances = Allowances::new(&change.path, &change.text);
    let (allowed, found): (Vec<_>, Vec<_>) =
        hits.partition(|(rule, hit)| allowances.allow(hit.lines.0, &rule.id));
    let findings = found
        .iter()
        .map(|(rule, hit)| finding(rule, change, &index, hit));
    (findings.collect(), allowed.len())
}

fn finding(rule: &CheckedRule, change: &AddedLines, index: &LineIndex, hit: &Match) -> Finding {
    let line_start = index.start(hit.lines.0);
    let before = change
        .text
        .get(line_start..hit.span.start)
        .unwrap_or_default();
    Finding {
        severity: Severity::Error,
        id: rule.id.clone(),
        file: change.path.clone(),
        line: hit.lines.0 + 1,
        end_line: hit.lines.1 + 1,
        column: before.chars().count() + 1,
        code: change.text[line_start..]
            .lines()
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned(),
        message: rule.title.clone(),
        example: rule.example.clone(),
        allow: allowed::comment(&change.path, &rule.id),
    }
}

/// Adds the rules that are linked or anchored to the changed code.
fn add_linked(
    project: &Workspace,
    memories: &Memories,
    changes: &[AddedLines],
    report: &mut Report,
) -> Result<()> {
    let ranges: BTreeMap<String, Vec<(u32, u32)>> = changes
        .iter()
        .map(|change| (change.path.clone(), ranges(&change.is_added)))
        .collect();
    let by_id: BTreeMap<&str, &MemoryFile> = memories
        .all
        .iter()
        .map(|it| (it.memory.id.as_str(), it))
        .collect();
    for linked in linked::of_changes(project, &ranges)?.memories {
        let is_about = linked
            .reasons
            .iter()
            .any(|reason| reason.is_changed != Some(false));
        let is_known = report.rules.iter().any(|rule| rule.id == linked.id);
        let Some(stored) = by_id
            .get(linked.id.as_str())
            .filter(|_| is_about && !is_known)
        else {
            continue;
        };
        let enforcement = rule_patterns::of_memory(stored).enforcement;
        report.rules.push(AppliedRule {
            id: linked.id,
            rule: title(stored),
            enforcement,
        });
    }
    report.rules.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(())
}

/// Returns the half-open ranges of the added lines.
fn ranges(is_added: &[bool]) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for (line, _) in (0_u32..).zip(is_added).filter(|(_, is_added)| **is_added) {
        match ranges.last_mut() {
            Some((_, end)) if *end == line => *end += 1,
            _ => ranges.push((line, line + 1)),
        }
    }
    ranges
}

pub(crate) fn run(args: &ReviewDiffArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let format = findings::format(args.format, out)?;
    let report = review(&settings.project, args, &|_, _| {})?;
    findings::print(&report, format, out, |out| print::report(&report, out))
}
