//! `cerberus memory reanchor`: follows every anchor through changes in the code.
//!
//! An exact match is recorded at its new location. An edited example is recorded if its anchor was
//! chosen automatically and the code still matches the rule; the approved fingerprint
//! of a manual anchor stays until a person accepts the change. `--check` and `--dry-run` do not write.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::Result;
use cerberus_bank::LOCKFILE;
use cerberus_bank::Workspace;
use cerberus_bank::lockfile::Anchors;
use cerberus_bank::ops::anchors::remember_look_alikes;
use cerberus_bank::ops::memories::{Filter, Memories, find_named};
use cerberus_bank::ops::{Progress, Project, patterns, rounded};
use cerberus_engine::examples::RankedSymbol;
use cerberus_engine::syntax::language;
use cerberus_engine::track;
use cerberus_engine::track::{Degree, FoundSymbol, Outcome, Step};
use cerberus_engine::tree::{git, walk};
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::text::plural;
use cerberus_model::{Anchor, ExampleRole, Origin, State, format_location, split_number};
use clap::Args;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::args::quality;
use crate::config::Settings;
use crate::output::{CliResult, Printer, ProgressBar};

pub(super) mod conflict;
mod print;
mod reconcile;

use reconcile::{Example, Reconciler, followed_examples};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReanchorArgs {
    /// Fail if any anchor is out of date, without writing
    #[arg(long, group = "mode")]
    pub(crate) check: bool,
    /// Approve the changed code of one memory, or of all
    #[arg(long, value_name = "ID", group = "mode")]
    pub(crate) accept: Option<Option<String>>,
    /// Show what would be recorded, without writing
    #[arg(long, group = "mode")]
    pub(crate) dry_run: bool,
    /// Undo the last reanchor, or the anchors of the last review by an agent
    #[arg(long, group = "mode")]
    pub(crate) undo: bool,
    /// Fail on any edit
    #[arg(long, requires = "check")]
    pub(crate) strict: bool,
    /// Only anchors that changed since this revision; fail if git does not know it
    #[arg(long, value_name = "REV")]
    pub(crate) since: Option<String>,
    /// Show the compared code and the reason for this memory
    #[arg(long, value_name = "ID")]
    pub(crate) explain: Option<String>,
    /// Only memories of this scope (default: all)
    #[arg(long)]
    pub(crate) scope: Option<String>,
    /// Minimum quality of a replacement for a missing anchor (0 to 1)
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    pub(crate) min_quality: Option<f64>,
}

impl ReanchorArgs {
    /// Returns whether the lock file may be written. A question for an explanation does not write.
    fn writes(&self) -> bool {
        !self.check && !self.dry_run && (self.explain.is_none() || self.accept.is_some())
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) summary: Summary,
    pub(crate) results: Vec<Finding>,
    /// Ids of anchors whose memory does not exist.
    pub(crate) orphans: Vec<String>,
    /// Ids of anchors that both sides of a merge changed to different code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) undecided: Vec<String>,
    /// Accepted patterns that are not valid, or contradict the examples of their rule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) patterns: Vec<PatternFault>,
    /// Whether a check passes.
    pub(crate) ok: bool,
    /// Whether the lock file was changed.
    pub(crate) written: bool,
    pub(crate) warnings: Vec<String>,
}

/// A fault of the accepted pattern of a memory.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct PatternFault {
    pub(crate) id: String,
    /// File of the memory, relative to the project root.
    pub(crate) memory: String,
    pub(crate) message: String,
}

/// Number of anchors in each state.
#[derive(Debug, Default, Clone, Serialize)]
pub(crate) struct Summary {
    pub(crate) total: usize,
    pub(crate) anchored: usize,
    pub(crate) failed: usize,
    #[serde(flatten)]
    pub(crate) states: BTreeMap<State, usize>,
}

/// Outcome of one anchor.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Finding {
    pub(crate) id: String,
    /// File of the memory, relative to the project root.
    pub(crate) memory: String,
    pub(crate) state: State,
    pub(crate) edited: bool,
    /// How much of edited code changed: `touched`, `edited` or `gutted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) degree: Option<Degree>,
    pub(crate) chosen: Origin,
    /// The role of an example beside the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<ExampleRole>,
    pub(crate) old: TrackedLocation,
    pub(crate) new: Option<TrackedLocation>,
    pub(crate) similarity: f64,
    /// The equal matches of an `ambiguous` anchor, or the most similar code of a `gone` one.
    pub(crate) candidates: Vec<TrackedLocation>,
    /// The best other example for a `gone` anchor.
    pub(crate) replacement: Option<RankedSymbol>,
    /// Whether a person has to decide: the anchor is lost or no longer matches its rule.
    pub(crate) drift: bool,
    /// Whether the lock file gets a new record; not yet written by a check or dry run.
    pub(crate) written: bool,
    pub(crate) reason: String,
    /// The commits that changed, moved or renamed the example, oldest first, if git was asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) steps: Vec<Step>,
    /// The command that resolves the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
}

impl Finding {
    /// Returns whether anything changed, or could be improved.
    pub(crate) fn is_notable(&self) -> bool {
        self.state != State::Fresh
    }

    /// Returns whether the code is in place and at most touched.
    fn is_kept_in_place(&self) -> bool {
        let Some(new) = &self.new else {
            return false;
        };
        let is_kept = self.state == State::Fresh || self.degree == Some(Degree::Touched);
        is_kept && !self.drift && new.is_place_of(&self.old)
    }

    /// Returns whether there is no code to record.
    fn is_lost(&self) -> bool {
        self.drift && self.new.is_none()
    }
}

/// Location of code, with its lines and its similarity to the anchored code if they are known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TrackedLocation {
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) similarity: Option<f64>,
}

impl TrackedLocation {
    /// Returns whether the file and the name are the same. The number among the definitions of the
    /// name changes without a move.
    pub(crate) fn is_place_of(&self, old: &Self) -> bool {
        self.file == old.file && self.name() == old.name()
    }

    /// Returns the symbol without its number.
    fn name(&self) -> Option<&str> {
        let (name, _) = split_number(self.symbol.as_deref()?);
        Some(name)
    }
}

impl From<&FoundSymbol> for TrackedLocation {
    fn from(place: &FoundSymbol) -> Self {
        Self {
            file: place.file.clone(),
            symbol: place.symbol.clone(),
            start_line: place.lines.map(|(first, _)| first + 1),
            end_line: place.lines.map(|(_, last)| last + 1),
            similarity: Some(rounded(place.similarity)),
        }
    }
}

impl From<&Anchor> for TrackedLocation {
    fn from(anchor: &Anchor) -> Self {
        Self {
            file: anchor.file.clone(),
            symbol: anchor.symbol.clone(),
            ..Self::default()
        }
    }
}

impl fmt::Display for TrackedLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_location(&self.file, self.symbol.as_deref()))
    }
}

/// Follows the selected anchors and, unless it is a check or dry run, records their new state.
pub(crate) fn reanchor(
    project: &Workspace,
    args: &ReanchorArgs,
    progress: Progress<'_>,
) -> Result<Report> {
    // Held from the first read to the write, so that no other write is lost.
    let mut guard = None;
    let mut resolved = None;
    if args.writes() {
        guard = Some(project.lock()?);
        if project.bank.has_conflict()? {
            resolved = Some(conflict::resolve(project)?);
        }
    }
    let memories = project.memories()?;
    if args.check && !memories.unread.is_empty() {
        return Err(UserError::environment(memories.unread.join("; ")).into());
    }
    let mut report = reanchor_in(project, &memories, args, progress)?;
    drop(guard);
    if let Some(mut undecided) = resolved {
        // The anchor of a memory that one side deleted is removed, so nobody has to choose it.
        undecided.retain(|id, _| !report.orphans.contains(id));
        report.written = true;
        report.ok &= undecided.is_empty();
        for (id, warning) in undecided {
            report.undecided.push(id);
            report.warnings.push(warning);
        }
    }
    Ok(report)
}

/// Like [`reanchor`], with memories that are already loaded. The caller holds the write lock unless
/// the arguments only check.
pub(crate) fn reanchor_in(
    project: &Workspace,
    memories: &Memories,
    args: &ReanchorArgs,
    progress: Progress<'_>,
) -> Result<Report> {
    let filter = Filter {
        scope: args.scope.clone(),
        ..Filter::default()
    };
    filter.check(memories.all.iter().map(|stored| &stored.memory))?;
    let selected = selected(project, args, &filter, memories)?;
    let mut lacking = BTreeMap::new();
    let mut examples = Vec::new();
    let mut old = Vec::new();
    for example in followed_examples(&selected) {
        match example.anchor.language {
            Some(language) if !language::is_built(language) => {
                *lacking.entry(language).or_default() += 1;
            }
            _ => {
                old.push(example.anchor.clone());
                examples.push(example);
            }
        }
    }
    let followed = track::follow(&project.root, &project.exclude, &old, progress)?;
    let pairs: Vec<(&Example<'_>, Outcome)> = examples.iter().zip(followed).collect();
    let reconciler = Reconciler::new(project, memories, args, &pairs)?;
    // Edited code is compared with its recorded version, which git has to read.
    let reconciled: Vec<(Finding, Option<Anchor>)> = pairs
        .into_par_iter()
        .map(|(example, followed)| reconciler.reconcile(example, followed))
        .collect::<Result<_>>()?;
    let mut anchors = memories.anchors.clone();
    // The anchors that a check expects in the lock file.
    let mut expected = anchors.clone();
    let mut results = Vec::with_capacity(reconciled.len());
    for (example, (finding, update)) in examples.iter().zip(reconciled) {
        if let Some(update) = update {
            example.record(&mut anchors, &update);
            // Touched code in place passes a check, also under a new number.
            if !finding.is_kept_in_place() {
                example.record(&mut expected, &update);
            }
        }
        results.push(finding);
    }
    let patterns = pattern_faults(project, memories, &filter);
    let orphans = orphans(memories, &filter);
    for id in &orphans {
        anchors.remove(id);
        expected.remove(id);
    }
    if args.writes() {
        // Versions of the lock file before 3 have none. Whoever records an anchor completes it.
        let mut incomplete = Vec::new();
        for (id, anchor) in &mut anchors {
            if anchor.look_alikes.is_none() && memories.anchors.get(id) != Some(&*anchor) {
                incomplete.push(anchor);
            }
        }
        remember_look_alikes(project, &mut incomplete)?;
    }
    let written = args.writes() && project.bank.write_anchors_undoably(&anchors, false)?;
    let mut warnings = memories.warnings.clone();
    if !lacking.is_empty() {
        warnings.push(language::lacks("anchor", &lacking));
    }
    let mut lost_files = BTreeSet::new();
    let mut fails = false;
    for finding in &results {
        fails |= finding.drift || (args.strict && finding.edited);
        if matches!(finding.state, State::Gone | State::Ambiguous) {
            lost_files.insert(finding.old.file.as_str());
        }
    }
    if !lost_files.is_empty() {
        // Their code may be where the search could not look.
        warnings.extend(walk::walk(&project.root, &project.exclude)?.all_warnings());
    }
    warnings.extend(track::limit_warnings(&project.root, &lost_files));
    if let Some(Some(_)) = args.accept {
        for Finding { id, state, .. } in results.iter().filter(|finding| finding.is_lost()) {
            warnings.push(format!(
                "nothing of `{id}` is accepted: its code is {state}"
            ));
        }
    }
    let is_recorded = written || differ_only_in_layout(&expected, &memories.anchors);
    Ok(Report {
        ok: is_recorded && patterns.is_empty() && !fails,
        summary: summary(&results),
        results,
        orphans,
        undecided: Vec::new(),
        patterns,
        written,
        warnings,
    })
}

/// Tests the accepted patterns of the selected memories with the examples of their rules.
fn pattern_faults(project: &Project, memories: &Memories, filter: &Filter) -> Vec<PatternFault> {
    let mut faults = Vec::new();
    for stored in &memories.all {
        if !filter.takes(stored, &memories.anchors) {
            continue;
        }
        let id = &stored.memory.id;
        if let Some(message) = patterns::fault(project, stored, memories.anchors.get(id)) {
            faults.push(PatternFault {
                id: id.clone(),
                memory: project.bank.shown_path(&stored.file, &project.root),
                message,
            });
        }
    }
    faults
}

/// Returns the anchors that the arguments select.
fn selected(
    project: &Project,
    args: &ReanchorArgs,
    filter: &Filter,
    memories: &Memories,
) -> Result<Anchors> {
    let mut accepted = None;
    if let Some(Some(prefix)) = &args.accept {
        accepted = Some(&memories.find(prefix)?.memory.id);
    }
    let mut changed = None;
    if let Some(revision) = &args.since {
        let anchors = memories.anchors.values();
        let files = anchors.map(|anchor| anchor.file.clone()).collect();
        let bank = project.bank.folder().strip_prefix(&project.root).ok();
        let since = git::changed_since(&project.root, revision, &files, bank)?;
        let lock_file = project.bank.shown_path(LOCKFILE, &project.root);
        // A change of the lock file may concern any anchor.
        if !since.contains(&lock_file) {
            changed = Some(since);
        }
    }
    let mut selected = Anchors::new();
    for stored in &memories.all {
        let id = &stored.memory.id;
        let Some(anchor) = memories.anchors.get(id) else {
            continue;
        };
        let is_changed = match &changed {
            None => true,
            Some(changed) => {
                let memory = project.bank.shown_path(&stored.file, &project.root);
                changed.contains(&anchor.file) || changed.contains(&memory)
            }
        };
        let is_accepted = accepted.is_none_or(|accepted| accepted == id);
        if is_changed && is_accepted && filter.takes(stored, &memories.anchors) {
            selected.insert(id.clone(), anchor.clone());
        }
    }
    if let Some(id) = accepted
        && selected.is_empty()
    {
        return Err(UserError::usage(format!("`{id}` has no anchor to accept"))
            .hint(format!("find one with `cerberus memory anchor {id}`"))
            .into());
    }
    Ok(selected)
}

/// Reduces a report to the explained anchor. An explanation writes nothing.
fn explained(report: Report, prefix: &str, writes: bool) -> Result<Report> {
    let ids: Vec<&str> = report
        .results
        .iter()
        .map(|finding| finding.id.as_str())
        .collect();
    let finding_idx = find_named("memory", prefix, &ids).map_err(|_| {
        UserError::usage(format!("`{prefix}` is not among the checked anchors"))
            .hint("list them with `cerberus memory reanchor --dry-run`")
    })?;
    let mut finding = report.results[finding_idx].clone();
    finding.written &= writes;
    let results = vec![finding];
    Ok(Report {
        summary: summary(&results),
        results,
        orphans: Vec::new(),
        ..report
    })
}

/// Compares anchors without the fields that change when code is only reformatted.
fn differ_only_in_layout(new: &Anchors, old: &Anchors) -> bool {
    without_layout(new) == without_layout(old)
}

fn without_layout(anchors: &Anchors) -> Anchors {
    let mut anchors = anchors.clone();
    for anchor in anchors.values_mut() {
        anchor.fingerprint.bytes = 0;
        anchor.fingerprint.file = 0;
        anchor.commit = None;
    }
    anchors
}

/// Returns the anchors without a memory. Empty if not all memories are known.
fn orphans(memories: &Memories, filter: &Filter) -> Vec<String> {
    let mut orphans = Vec::new();
    let is_filtered = !matches!(filter.scope.as_deref(), None | Some("all"));
    if is_filtered || memories.is_partial {
        return orphans;
    }
    for id in memories.anchors.keys() {
        if !memories.all.iter().any(|stored| &stored.memory.id == id) {
            orphans.push(id.clone());
        }
    }
    orphans
}

fn summary(results: &[Finding]) -> Summary {
    let mut states: BTreeMap<State, usize> = State::ALL.iter().map(|state| (*state, 0)).collect();
    let mut failed = 0;
    for finding in results {
        *states.entry(finding.state).or_default() += 1;
        if finding.drift && matches!(finding.state, State::Gone | State::Ambiguous) {
            failed += 1;
        }
    }
    Summary {
        total: results.len(),
        anchored: results.len() - failed,
        failed,
        states,
    }
}

pub(crate) fn run(args: &ReanchorArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    if args.undo {
        // Unless the lock file was changed since.
        let _guard = settings.project.lock()?;
        let n_anchors = settings.project.bank.undo_anchors()?;
        return out.report(&json!({ "anchors": n_anchors }), |_, out| {
            let n = plural(n_anchors, "anchor");
            out.line(&format!("reverted the last recorded change; restored {n}"));
        });
    }
    let bar = ProgressBar::new(out.terminal, "following anchors");
    let mut report = reanchor(&settings.project, args, &|done, total| {
        bar.step(done, total)
    })?;
    drop(bar);
    if let Some(prefix) = &args.explain {
        report = explained(report, prefix, args.writes())?;
    }
    out.warn(&report.warnings);
    match &args.explain {
        _ if out.json => out.json(&report)?,
        Some(_) => print::explanation(&report.results[0], out),
        None => print::report(&report, args, out),
    }
    let is_lost =
        matches!(args.accept, Some(Some(_))) && report.results.iter().any(Finding::is_lost);
    let fails = args.check && !report.ok;
    Ok(if fails || is_lost || !report.undecided.is_empty() {
        ExitStatus::CheckFailed
    } else {
        ExitStatus::Done
    })
}
