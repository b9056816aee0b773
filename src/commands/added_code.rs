//! Checks added and changed code against the patterns of the rules, and finds what the texts of other rules forbid.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::{Project, anchors, linked, memories, patterns as rule_patterns};
use cerberus_bank::{MemoryFile, Workspace};
use cerberus_engine::syntax::language;
use cerberus_engine::tree::git;
use cerberus_engine::tree::git::{AddedLines, Changes};
use cerberus_engine::tree::walk::{self, Listing};
use cerberus_model::{Enforcement, Globs, LineIndex, Severity, format_location, sorted};
use cerberus_patterns::code_pattern::{CodePattern, Match};
use cerberus_patterns::{Checker, FileHits};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;

use super::findings::{self, Unchecked};

mod allowed;
mod stated;

use allowed::Allowances;
pub(crate) use stated::stated_code;

/// The changes to check.
#[derive(Debug)]
pub(crate) enum Request {
    /// Those of the working tree since its last common commit with a revision, or since HEAD.
    Since(Option<String>),
    Staged,
    /// All code, not only changes.
    All,
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

/// Checks the requested changes. `progress` gets the number of checked files and of all.
pub(crate) fn review(
    project: &Workspace,
    request: &Request,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Report> {
    let memories = project.memories()?;
    let changes = changes(project, request)?;
    let mut report = check(project, &memories, &changes, progress);
    if !matches!(request, Request::All) {
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
fn changes(project: &Project, request: &Request) -> Result<Changes> {
    let root = &project.root;
    git::check_usable(root)?;
    let mut changes = match request {
        Request::Staged => git::added_in_index(root)?,
        Request::All => whole(root, walk::written_code(root, &project.exclude)?),
        Request::Since(None) if git::checked_head(root)?.is_none() => {
            // Before the first commit everything is new.
            whole(root, walk::all_code(root)?)
        }
        Request::Since(revision) => {
            let revision = revision.as_deref().unwrap_or("HEAD");
            let commit = findings::fork_point(root, revision)?;
            git::added_since(root, &commit, is_code)?
        }
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
    let entries = walk::walk(&project.root, &project.exclude)?
        .entries
        .into_iter();
    Ok(entries.map(|entry| entry.path).collect())
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
        let pattern = rule_patterns::of_memory(stored);
        if let Some(reason) = pattern.fault {
            let file = project.bank.shown_path(&stored.file, &project.root);
            unchecked.push(Unchecked { file, reason });
        }
        if !pattern.patterns.is_empty() {
            rules.push(CheckedRule::new(stored, memories, pattern.patterns));
        }
    }
    let patterns = rules.iter().map(|rule| &rule.patterns[..]);
    let checker = Checker::new(patterns.enumerate());
    let files = &changes.files;
    let n_done = AtomicUsize::new(0);
    let found: Vec<FoundInFile> = files
        .par_iter()
        .map(|change| {
            // It ends this function if the call was cancelled.
            progress(n_done.fetch_add(1, Ordering::Relaxed), files.len());
            hits(&rules, &checker, change)
        })
        .collect();
    let mut summary = Summary {
        files: files.len(),
        ..Summary::default()
    };
    for change in files {
        summary.added_lines += change.is_added.iter().filter(|is_added| **is_added).count();
    }
    for (path, why) in &changes.unread {
        let idxs = checker.rules_for(path).into_iter();
        unchecked.extend(not_checked(path, &rules, idxs.map(|idx| (idx, why))));
    }
    for reason in &changes.unlisted {
        unchecked.push(Unchecked {
            file: ".".to_owned(),
            reason: reason.clone(),
        });
    }
    let mut findings = Vec::new();
    for mut found in found {
        summary.allowed += found.n_allowed;
        findings.append(&mut found.findings);
        unchecked.append(&mut found.unchecked);
    }
    let mut applied = Vec::new();
    for rule in rules {
        if findings.iter().any(|finding| finding.id == rule.id) {
            applied.push(AppliedRule {
                id: rule.id,
                rule: rule.title,
                enforcement: Enforcement::Enforced,
            });
        }
    }
    let mut warnings = memories.warnings.clone();
    warnings.retain(|warning| !memories.unread.contains(warning));
    let mut report = Report {
        ok: true,
        summary,
        findings,
        unchecked: sorted(unchecked),
        rules: applied,
        warnings,
    };
    count(&mut report);
    report
}

fn count(report: &mut Report) {
    report.summary.errors = 0;
    report.summary.hints = 0;
    for finding in &report.findings {
        match finding.severity {
            Severity::Error => report.summary.errors += 1,
            Severity::Hint => report.summary.hints += 1,
            _ => {}
        }
    }
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
    let mut unchecked = Vec::new();
    for (idx, why) in reasons {
        let rule = &rules[idx];
        if rule.applies_to(path) {
            unchecked.push(Unchecked {
                file: path.to_owned(),
                reason: format!("the pattern of `{}`: {why}", rule.id),
            });
        }
    }
    unchecked
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
            example: anchor.map(|anchor| format_location(&anchor.file, anchor.symbol.as_deref())),
        }
    }

    fn applies_to(&self, path: &str) -> bool {
        match &self.paths {
            Some(paths) => paths.find(path).is_some(),
            None => true,
        }
    }
}

/// Returns the hits in the added lines of a file.
fn hits(rules: &[CheckedRule], checker: &Checker, change: &AddedLines) -> FoundInFile {
    let mut known: BTreeSet<(usize, usize)> = BTreeSet::new();
    let FileHits { hits, unchecked } = checker.hits(&change.path, &change.text);
    let mut found = Vec::new();
    for (rule_idx, hit) in hits {
        let rule = &rules[rule_idx];
        let (first, last) = hit.lines;
        // A long match is about its first line, unless only a part of it is new.
        let is_added =
            change.has_any((first, first)) || (last - first < 3 && change.has_any(hit.lines));
        // A rule has one finding in a line.
        if is_added && rule.applies_to(&change.path) && known.insert((rule_idx, first)) {
            found.push((rule, hit));
        }
    }
    let (findings, n_allowed) = found_in(change, found.into_iter());
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
    let mut findings = Vec::new();
    let mut n_allowed = 0;
    for (rule, hit) in hits {
        if allowances.allow(hit.lines.0, &rule.id) {
            n_allowed += 1;
        } else {
            findings.push(finding(rule, change, &index, &hit));
        }
    }
    (findings, n_allowed)
}

fn finding(rule: &CheckedRule, change: &AddedLines, index: &LineIndex, hit: &Match) -> Finding {
    let line_start = index.start(hit.lines.0);
    let before = change.text.get(line_start..hit.span.start);
    let first_line = change.text[line_start..].lines().next();
    Finding {
        severity: Severity::Error,
        id: rule.id.clone(),
        file: change.path.clone(),
        line: hit.lines.0 + 1,
        end_line: hit.lines.1 + 1,
        column: before.unwrap_or_default().chars().count() + 1,
        code: first_line.unwrap_or_default().trim().to_owned(),
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
    let mut changed = BTreeMap::new();
    for change in changes {
        changed.insert(change.path.clone(), ranges(&change.is_added));
    }
    for linked in linked::of_changes(project, &changed)?.memories {
        let mut reasons = linked.reasons.iter();
        let is_about = reasons.any(|reason| reason.is_changed != Some(false));
        let is_known = report.rules.iter().any(|rule| rule.id == linked.id);
        if is_about
            && !is_known
            && let Some(stored) = memories.get(&linked.id)
        {
            report.rules.push(AppliedRule {
                id: linked.id,
                rule: title(stored),
                enforcement: rule_patterns::of_memory(stored).enforcement,
            });
        }
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
