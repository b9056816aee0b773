//! Follows every anchor through changes in the code.
//!
//! An exact match is recorded at its new location. An edited example is recorded if its anchor was
//! chosen automatically and the code still matches the rule; the approved fingerprint
//! of a manual anchor stays until a person accepts the change. A check and a dry run do not write.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::Result;
use cerberus_engine::examples::RankedSymbol;
use cerberus_engine::syntax::language;
use cerberus_engine::track;
use cerberus_engine::track::{Degree, FoundSymbol, Outcome, Step};
use cerberus_engine::tree::{git, walk};
use cerberus_model::{
    Anchor, ExampleRole, Origin, State, UserError, format_location, refuse, split_number,
};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::{Deserialize, Serialize};

use crate::lockfile::Anchors;
use crate::lookup::find_named;
use crate::ops::anchors::{AnchorSummary, remember_look_alikes};
use crate::ops::memories::{Filter, Memories};
use crate::ops::{Progress, Project, patterns, rounded};
use crate::{LOCKFILE, MemoryFile, Workspace};

mod conflict;
mod missing;
mod reconcile;

use reconcile::{Example, Reconciler, followed_examples};

/// The anchors to follow, and the effect on the lock file.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub mode: Mode,
    /// Whether a check fails on any edit.
    pub strict: bool,
    /// Only anchors that changed since this revision.
    pub since: Option<String>,
    /// Only memories of this scope.
    pub scope: Option<String>,
    /// The minimum quality of a first anchor, and of a replacement for a missing one.
    pub min_quality: Option<f64>,
    /// Whether rules without an anchor get none.
    pub keeps_open: bool,
}

/// The effect of a run on the lock file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Mode {
    /// Records what is certain.
    #[default]
    Record,
    /// Records the changed code of this memory, or of all of them, too.
    Accept(Option<String>),
    /// Writes nothing, and fails if any anchor is out of date.
    Check,
    /// Writes nothing.
    DryRun,
}

impl Request {
    /// Returns the request of a check of all anchors.
    pub fn check() -> Self {
        Self {
            mode: Mode::Check,
            ..Self::default()
        }
    }

    /// Returns whether the lock file may be written.
    pub fn writes(&self) -> bool {
        matches!(self.mode, Mode::Record | Mode::Accept(_))
    }

    /// Returns the memory whose changed code is approved, if it is a single one.
    fn accepted(&self) -> Option<&str> {
        match &self.mode {
            Mode::Accept(id) => id.as_deref(),
            _ => None,
        }
    }
}

#[derive(Debug, Serialize)]
pub struct Report {
    pub summary: Summary,
    pub results: Vec<Finding>,
    /// The rules that got their first anchor.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<Added>,
    /// Ids of anchors whose memory does not exist.
    pub orphans: Vec<String>,
    /// Ids of anchors that both sides of a merge changed to different code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<String>,
    /// Accepted patterns that are not valid, or contradict the examples of their rule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<PatternFault>,
    /// Whether a check passes.
    pub ok: bool,
    /// Whether the lock file was changed.
    pub written: bool,
    pub warnings: Vec<String>,
}

/// A fault of the accepted pattern of a memory.
#[derive(Debug, Clone, Serialize)]
pub struct PatternFault {
    pub id: String,
    /// File of the memory, relative to the project root.
    pub memory: String,
    pub message: String,
}

/// The first anchor of a rule.
#[derive(Debug, Clone, Serialize)]
pub struct Added {
    pub id: String,
    /// File of the memory, relative to the project root.
    pub memory: String,
    pub anchor: AnchorSummary,
}

/// Number of anchors in each state.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Summary {
    pub total: usize,
    pub anchored: usize,
    pub failed: usize,
    #[serde(flatten)]
    pub states: BTreeMap<State, usize>,
}

/// Outcome of one anchor.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Finding {
    pub id: String,
    /// File of the memory, relative to the project root.
    pub memory: String,
    pub state: State,
    pub edited: bool,
    /// How much of edited code changed: `touched`, `edited` or `gutted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degree: Option<Degree>,
    pub chosen: Origin,
    /// The role of an example beside the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<ExampleRole>,
    pub old: TrackedLocation,
    pub new: Option<TrackedLocation>,
    pub similarity: f64,
    /// The equal matches of an `ambiguous` anchor, or the most similar code of a `gone` one.
    pub candidates: Vec<TrackedLocation>,
    /// The best other example for a `gone` anchor.
    pub replacement: Option<RankedSymbol>,
    /// Whether a person has to decide: the anchor is lost or no longer matches its rule.
    pub drift: bool,
    /// Whether the lock file gets a new record; not yet written by a check or dry run.
    pub written: bool,
    pub reason: String,
    /// The commits that changed, moved or renamed the example, oldest first, if git was asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// The command that resolves the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Report {
    /// Reduces the report to one anchor. An explanation writes nothing.
    pub fn explained(self, prefix: &str, writes: bool) -> Result<Self> {
        let results = self.results.iter();
        let ids: Vec<&str> = results.map(|finding| finding.id.as_str()).collect();
        let finding_idx = find_named("memory", prefix, &ids).map_err(|_| {
            UserError::usage(format!("`{prefix}` is not among the checked anchors"))
                .hint("list them with `cerberus memory reanchor --dry-run`")
        })?;
        let mut finding = self.results[finding_idx].clone();
        finding.written &= writes;
        let results = vec![finding];
        Ok(Self {
            summary: summary(&results),
            results,
            added: Vec::new(),
            orphans: Vec::new(),
            ..self
        })
    }
}

impl Finding {
    /// Returns whether anything changed, or could be improved.
    pub fn is_notable(&self) -> bool {
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
    pub fn is_lost(&self) -> bool {
        self.drift && self.new.is_none()
    }
}

/// Location of code, with its lines and its similarity to the anchored code if they are known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrackedLocation {
    pub file: String,
    pub symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
}

impl TrackedLocation {
    /// Returns whether the file and the name are the same. The number among the definitions of the
    /// name changes without a move.
    pub fn is_place_of(&self, old: &Self) -> bool {
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
pub fn reanchor(project: &Workspace, request: &Request, progress: Progress<'_>) -> Result<Report> {
    // Held from the first read to the write, so that no other write is lost.
    let mut guard = None;
    let mut resolved = None;
    if request.writes() {
        guard = Some(project.lock()?);
        if project.bank.has_conflict()? {
            resolved = Some(conflict::resolve(project)?);
        }
    }
    let memories = project.memories()?;
    if request.mode == Mode::Check && !memories.unread.is_empty() {
        return Err(UserError::environment(memories.unread.join("; ")).into());
    }
    let request = Request {
        // An anchor that one side of the merge removed does not come back.
        keeps_open: request.keeps_open || resolved.is_some(),
        ..request.clone()
    };
    let mut report = reanchor_in(project, &memories, &request, progress)?;
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
pub fn reanchor_in(
    project: &Workspace,
    memories: &Memories,
    request: &Request,
    progress: Progress<'_>,
) -> Result<Report> {
    let filter = Filter {
        scope: request.scope.clone(),
        ..Filter::default()
    };
    let taken = memories.select(&filter)?;
    let selected = selected(project, request, &taken, memories)?;
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
    let reconciler = Reconciler::new(project, memories, request, &pairs)?;
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
    let patterns = pattern_faults(project, memories, &taken);
    let orphans = orphans(memories, request);
    for id in &orphans {
        anchors.remove(id);
        expected.remove(id);
    }
    let mut added = Vec::new();
    for (stored, anchor) in missing::find(project, memories, request, &taken)? {
        let id = &stored.memory.id;
        added.push(Added {
            id: id.clone(),
            memory: project.bank.shown_path(&stored.file, &project.root),
            anchor: AnchorSummary::from(&anchor),
        });
        anchors.insert(id.clone(), anchor);
    }
    if request.writes() {
        // Versions of the lock file before 3 have none. Whoever records an anchor completes it.
        let mut incomplete = Vec::new();
        for (id, anchor) in &mut anchors {
            if anchor.look_alikes.is_none() && memories.anchors.get(id) != Some(&*anchor) {
                incomplete.push(anchor);
            }
        }
        remember_look_alikes(project, &mut incomplete)?;
    }
    let written = request.writes() && project.bank.write_anchors_undoably(&anchors, false)?;
    let mut warnings = memories.warnings.clone();
    if !lacking.is_empty() {
        warnings.push(language::lacks("anchor", &lacking));
    }
    warnings.extend(lost_warnings(project, request, &results)?);
    let mut fails = false;
    for finding in &results {
        fails |= finding.drift || (request.strict && finding.edited);
    }
    let is_recorded = written || differ_only_in_layout(&expected, &memories.anchors);
    Ok(Report {
        ok: is_recorded && patterns.is_empty() && !fails,
        summary: summary(&results),
        results,
        added,
        orphans,
        undecided: Vec::new(),
        patterns,
        written,
        warnings,
    })
}

/// Returns warnings about anchors whose code was not found.
fn lost_warnings(project: &Project, request: &Request, results: &[Finding]) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    let mut lost_files = BTreeSet::new();
    for finding in results {
        if matches!(finding.state, State::Gone | State::Ambiguous) {
            lost_files.insert(finding.old.file.as_str());
        }
    }
    if !lost_files.is_empty() {
        // Their code may be where the search could not look.
        warnings.extend(walk::walk(&project.root, &project.exclude)?.all_warnings());
    }
    warnings.extend(track::limit_warnings(&project.root, &lost_files));
    if request.accepted().is_some() {
        for Finding { id, state, .. } in results.iter().filter(|finding| finding.is_lost()) {
            warnings.push(format!(
                "nothing of `{id}` is accepted: its code is {state}"
            ));
        }
    }
    Ok(warnings)
}

/// Tests the accepted patterns of the selected memories with the examples of their rules.
fn pattern_faults(
    project: &Project,
    memories: &Memories,
    taken: &[&MemoryFile],
) -> Vec<PatternFault> {
    let mut faults = Vec::new();
    for stored in taken {
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

/// Returns the anchors that a request selects, of the memories that its filter takes.
fn selected(
    project: &Project,
    request: &Request,
    taken: &[&MemoryFile],
    memories: &Memories,
) -> Result<Anchors> {
    let mut accepted = None;
    if let Some(prefix) = request.accepted() {
        accepted = Some(&memories.find(prefix)?.memory.id);
    }
    let mut changed = None;
    if let Some(revision) = &request.since {
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
    for stored in taken {
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
        if is_changed && is_accepted {
            selected.insert(id.clone(), anchor.clone());
        }
    }
    if let Some(id) = accepted
        && selected.is_empty()
    {
        return refuse(
            format!("`{id}` has no anchor to accept"),
            format!("find one with `cerberus memory anchor {id}`"),
        );
    }
    Ok(selected)
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
fn orphans(memories: &Memories, request: &Request) -> Vec<String> {
    let is_filtered = !matches!(request.scope.as_deref(), None | Some("all"));
    if is_filtered || memories.is_partial {
        return Vec::new();
    }
    let mut orphans = Vec::from_iter(memories.anchors.keys().cloned());
    orphans.retain(|id| memories.get(id).is_none());
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
