//! `reanchor`: follows every anchor through what changed, and says what a person must decide.
//!
//! What is followed exactly is recorded. What changed is recorded where the anchor was
//! found automatically and the code still shows its rule; an anchor chosen by hand stays
//! as it was approved until somebody accepts the change.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use crate::bank::lockfile::Anchors;
use crate::error::Failure;
use crate::model::{Anchor, Chosen, State};
use crate::tree::git;

use super::anchor_test::{self, Candidate, Options};
use super::follow::{self, Followed, Place};
use super::memories::{self, Filter, Memories};
use super::{Progress, Project, anchor, rounded};

/// How deep an edited anchor may stand among its rule's candidates to count as found again.
const RESCORED: usize = 200;

/// What `reanchor` does with what it finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Records what can be recorded.
    Follow,
    /// Writes nothing; the report says whether all is well.
    Check,
    /// Writes nothing; the report says what would be recorded.
    DryRun,
    /// Records the changed code of one memory, or of all, as approved.
    Accept(Option<String>),
}

/// How `reanchor` works.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) mode: Mode,
    pub(crate) filter: Filter,
    pub(crate) min_quality: f64,
    /// Whether any edit fails the check.
    pub(crate) strict: bool,
}

/// What became of the anchors.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) summary: Summary,
    pub(crate) results: Vec<Finding>,
    /// Anchors of memories that are no more.
    pub(crate) orphans: Vec<String>,
    /// Whether a check passes.
    pub(crate) ok: bool,
    /// Whether the lock file was changed.
    pub(crate) stored: bool,
    pub(crate) warnings: Vec<String>,
}

/// How many anchors are in each state.
#[derive(Debug, Default, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary {
    pub(crate) total: usize,
    pub(crate) anchored: usize,
    pub(crate) failed: usize,
    #[serde(flatten)]
    pub(crate) states: BTreeMap<State, usize>,
}

/// What became of one anchor.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Finding {
    pub(crate) id: String,
    pub(crate) state: State,
    pub(crate) edited: bool,
    pub(crate) chosen: Chosen,
    pub(crate) old: Target,
    pub(crate) new: Option<Target>,
    pub(crate) similarity: f64,
    /// For `ambiguous` the equals, for `gone` the nearest look-alikes.
    pub(crate) candidates: Vec<Target>,
    /// For `gone`: the best other example of the rule.
    pub(crate) replacement: Option<Candidate>,
    /// Whether a person has to decide: the anchor is lost, or no longer shows its rule.
    pub(crate) drift: bool,
    /// Whether the lock file holds, or would hold, something new.
    pub(crate) recorded: bool,
    pub(crate) reason: String,
    /// The command that settles it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
}

/// A place in the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Target {
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start_line: Option<u32>,
}

impl Target {
    fn of(place: &Place) -> Self {
        Self {
            file: place.file.clone(),
            symbol: place.symbol.clone(),
            start_line: Some(place.first_line + 1),
        }
    }
}

/// Follows the anchors that the filter takes.
pub(crate) fn reanchor(project: &Project, request: &Request, progress: Progress<'_>) -> Result<Report> {
    let writes = matches!(request.mode, Mode::Follow | Mode::Accept(_));
    // Held from reading to writing, so that nobody's anchors are lost in between.
    let guard = if writes { Some(project.bank.lock_for_writing()?) } else { None };
    let memories = Memories::load(project)?;
    request.filter.check_scope(&memories)?;
    let accepted = match &request.mode {
        Mode::Accept(Some(typed)) => Some(memories.find(typed)?.memory.id.clone()),
        _ => None,
    };
    let mut anchors = memories.anchors.clone();
    let taken: Vec<(String, Anchor)> = anchors_in(&memories, &request.filter)
        .into_iter()
        .filter(|(id, _)| accepted.as_ref().is_none_or(|wanted| wanted == id))
        .collect();
    if let (Some(id), true) = (&accepted, taken.is_empty()) {
        return Err(Failure::usage(format!("`{id}` has no anchor to accept"))
            .hint(format!("find one with `cerberus memory anchor {id}`"))
            .into());
    }
    let lost: Vec<Anchor> = taken.iter().map(|(_, anchor)| anchor.clone()).collect();
    let followed = follow::follow(&project.root, &project.exclude, &lost, progress)?;
    let mut results: Vec<Finding> = Vec::with_capacity(taken.len());
    let mut desk = Desk {
        project,
        memories: &memories,
        min_quality: request.min_quality,
        accepts: matches!(request.mode, Mode::Accept(_)),
        scores: Scores::default(),
        head: git::head(&project.root).map(|head| head.id),
    };
    desk.score(&taken, &followed)?;
    for ((id, anchor), followed) in taken.into_iter().zip(followed) {
        let (finding, update) = desk.settle(&id, &anchor, followed)?;
        if let Some(update) = update {
            anchors.insert(id, update);
        }
        results.push(finding);
    }
    let orphans = orphans(&memories, &request.filter);
    for id in &orphans {
        anchors.remove(id);
    }
    let stored = writes && project.bank.write_anchors(&anchors)?;
    drop(guard);
    let is_current = anchors_equal_lock(&anchors, &memories.anchors) || stored;
    let ok = results.iter().all(|it| !it.drift && !(request.strict && it.edited)) && is_current;
    Ok(Report {
        summary: summary(&results),
        results,
        orphans,
        ok,
        stored,
        warnings: memories.warnings.clone(),
    })
}

/// A formatter's work alone leaves the lock as good as it was.
fn anchors_equal_lock(new: &Anchors, old: &Anchors) -> bool {
    let without_layout = |anchors: &Anchors| -> Anchors {
        let mut anchors = anchors.clone();
        for anchor in anchors.values_mut() {
            anchor.fingerprint.bytes = 0;
            anchor.commit = None;
        }
        anchors
    };
    without_layout(new) == without_layout(old)
}

fn anchors_in(memories: &Memories, filter: &Filter) -> Vec<(String, Anchor)> {
    let taken = memories.all.iter().filter(|stored| filter.takes(stored, &memories.anchors));
    taken
        .filter_map(|stored| {
            let id = &stored.memory.id;
            memories.anchors.get(id).map(|anchor| (id.clone(), anchor.clone()))
        })
        .collect::<BTreeMap<_, _>>()
        .into_iter()
        .collect()
}

/// Anchors without a memory are dropped only when the whole bank could be read.
fn orphans(memories: &Memories, filter: &Filter) -> Vec<String> {
    let is_whole = filter.scope.as_deref().is_none_or(|scope| scope == "all");
    if !is_whole || memories.is_partial {
        return Vec::new();
    }
    let has_memory = |id: &&String| memories.all.iter().any(|stored| &stored.memory.id == *id);
    memories.anchors.keys().filter(|id| !has_memory(id)).cloned().collect()
}

fn summary(results: &[Finding]) -> Summary {
    let mut summary = Summary {
        total: results.len(),
        ..Summary::default()
    };
    for state in State::ALL {
        summary.states.insert(*state, 0);
    }
    for finding in results {
        *summary.states.entry(finding.state).or_insert(0) += 1;
        let is_lost = matches!(finding.state, State::Gone | State::Ambiguous);
        if is_lost && !(finding.recorded && finding.replacement.is_some()) {
            summary.failed += 1;
        } else {
            summary.anchored += 1;
        }
    }
    summary
}

/// The candidates of each rule whose anchor was edited or lost, by memory id.
#[derive(Default)]
struct Scores(BTreeMap<String, Vec<Candidate>>);

/// Decides what is recorded and what is left to a person.
struct Desk<'a> {
    project: &'a Project,
    memories: &'a Memories,
    min_quality: f64,
    accepts: bool,
    scores: Scores,
    head: Option<String>,
}

impl Desk<'_> {
    /// Scores the rules whose anchors were edited or lost, all in one pass over the index.
    fn score(&mut self, taken: &[(String, Anchor)], followed: &[Followed]) -> Result<()> {
        let (mut ids, mut questions) = (Vec::new(), Vec::new());
        for ((id, anchor), followed) in taken.iter().zip(followed) {
            let is_gone = followed.state == State::Gone;
            let is_rescored = followed.edited && anchor.chosen == Chosen::Auto && !self.accepts;
            let stored = self.memories.all.iter().find(|stored| &stored.memory.id == id);
            if let (true, Some(stored)) = (is_gone || is_rescored, stored) {
                let mut question = anchor::question(stored, &[]);
                let Ok(languages) = memories::languages(&stored.memory.scope) else { continue };
                question.languages = languages;
                ids.push(id.clone());
                questions.push(question);
            }
        }
        if ids.is_empty() {
            return Ok(());
        }
        let options = Options {
            limit: RESCORED,
            min_quality: self.min_quality,
            explain: false,
        };
        let reports = anchor_test::anchor_test(self.project, &questions, options)?;
        self.scores.0 = ids.into_iter().zip(reports.into_iter().map(|report| report.candidates)).collect();
        Ok(())
    }

    /// Returns the finding for an anchor and what to record of it.
    fn settle(&self, id: &str, anchor: &Anchor, followed: Followed) -> Result<(Finding, Option<Anchor>)> {
        let mut finding = Finding {
            id: id.to_owned(),
            state: followed.state,
            edited: followed.edited,
            chosen: anchor.chosen,
            old: Target {
                file: anchor.file.clone(),
                symbol: anchor.symbol.clone(),
                start_line: None,
            },
            new: followed.new.as_ref().map(Target::of),
            similarity: rounded(followed.similarity),
            candidates: followed.candidates.iter().map(Target::of).collect(),
            replacement: None,
            drift: false,
            recorded: false,
            reason: followed.reason.clone(),
            next: None,
        };
        let update = match (&followed.new, followed.state) {
            (_, State::Fresh) => None,
            (Some(place), _) if !followed.edited || self.accepts => self.approved(anchor, place, &followed),
            (Some(place), _) => self.edited(id, anchor, place, &followed, &mut finding),
            (None, State::Gone) => self.gone(id, anchor, &mut finding)?,
            (None, _) => {
                finding.drift = true;
                finding.next = Some(match finding.candidates.first() {
                    Some(first) => format!("cerberus memory anchor {id} --to {}", shown(first)),
                    None => format!("cerberus memory anchor {id} --candidates 5"),
                });
                None
            }
        };
        finding.recorded = update.as_ref().is_some_and(|update| update != anchor);
        Ok((finding, update))
    }

    /// The anchor at its new place with its new fingerprint.
    fn approved(&self, anchor: &Anchor, place: &Place, followed: &Followed) -> Option<Anchor> {
        Some(Anchor {
            file: place.file.clone(),
            symbol: place.symbol.clone(),
            kind: place.kind,
            language: place.language,
            commit: self.head.clone(),
            fingerprint: followed.fingerprint.clone()?,
            ..anchor.clone()
        })
    }

    /// What changed is re-scored; what a person chose keeps the fingerprint that was approved.
    fn edited(
        &self,
        id: &str,
        anchor: &Anchor,
        place: &Place,
        followed: &Followed,
        finding: &mut Finding,
    ) -> Option<Anchor> {
        if anchor.chosen == Chosen::Manual {
            finding.next = Some(format!("cerberus memory reanchor --accept {id}"));
            return Some(Anchor {
                file: place.file.clone(),
                symbol: place.symbol.clone(),
                kind: place.kind,
                language: place.language,
                ..anchor.clone()
            });
        }
        let candidates = self.scores.0.get(id).map(Vec::as_slice).unwrap_or_default();
        let again = candidates.iter().find(|it| it.file == place.file && it.symbol == place.symbol);
        match again {
            Some(again) if again.quality >= self.min_quality => Some(Anchor {
                quality: again.quality,
                match_score: again.match_score,
                ..self.approved(anchor, place, followed)?
            }),
            found => {
                let quality = found.map_or(0.0, |found| found.quality);
                finding.drift = true;
                finding.reason += &format!(
                    "; it now fits its rule with quality {quality:.2}, under the gate {}",
                    self.min_quality
                );
                finding.next = Some(format!("cerberus memory reanchor --accept {id}"));
                None
            }
        }
    }

    /// An example found by itself may be replaced by itself; a person's choice may not.
    fn gone(&self, id: &str, anchor: &Anchor, finding: &mut Finding) -> Result<Option<Anchor>> {
        let best = self.scores.0.get(id).and_then(|candidates| candidates.first());
        let Some(best) = best.filter(|best| best.quality >= self.min_quality) else {
            finding.drift = true;
            finding.next = Some(format!("cerberus memory anchor {id} --candidates 5"));
            return Ok(None);
        };
        finding.replacement = Some(best.clone());
        if anchor.chosen == Chosen::Manual {
            finding.drift = true;
            finding.next = Some(format!("cerberus memory anchor {id} --pick 1"));
            return Ok(None);
        }
        anchor::of_candidate(self.project, best, Chosen::Auto).map(Some)
    }
}

fn shown(target: &Target) -> String {
    match &target.symbol {
        Some(symbol) => format!("{}::{symbol}", target.file),
        None => target.file.clone(),
    }
}
