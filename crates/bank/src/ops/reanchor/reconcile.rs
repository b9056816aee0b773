//! Decides which changes of anchors are recorded, and which a person has to decide.

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_engine::examples::{Options, Query, RankedSymbol};
use cerberus_engine::track::{Degree, FoundSymbol, LostWords, Outcome};
use cerberus_engine::tree::git;
use cerberus_model::text::shell_word;
use cerberus_model::{Anchor, ExampleRole, Origin, OtherExample, RuleKind, State, split_number};

use super::{Finding, Mode, Request, TrackedLocation};
use crate::Workspace;
use crate::lockfile::Anchors;
use crate::ops::memories::Memories;
use crate::ops::{Project, anchors, rounded};

/// Number of candidates among which an edited example must be found to be rescored.
const N_RESCORED: usize = 200;

/// A followed example of a memory. A counter-example is a record of code that need not exist any more, so it is
/// not followed.
pub(super) struct Example<'a> {
    pub(super) id: &'a str,
    /// `None` for the anchor itself.
    pub(super) other: Option<&'a OtherExample>,
    pub(super) anchor: Anchor,
}

/// Returns the anchors, and after them the examples beside them, in their order.
pub(super) fn followed_examples(selected: &Anchors) -> Vec<Example<'_>> {
    let mut examples = Vec::new();
    for (id, anchor) in selected {
        examples.push(Example {
            id,
            other: None,
            anchor: anchor.clone(),
        });
    }
    for (id, anchor) in selected {
        for other in &anchor.others {
            if other.role == ExampleRole::Also {
                examples.push(Example {
                    id,
                    other: Some(other),
                    anchor: other.anchor.clone(),
                });
            }
        }
    }
    examples
}

impl Example<'_> {
    /// Replaces the example among the anchors.
    pub(super) fn record(&self, anchors: &mut Anchors, update: &Anchor) {
        let Some(example) = self.other else {
            anchors.insert(self.id.to_owned(), update.clone());
            return;
        };
        if let Some(anchor) = anchors.get_mut(self.id)
            && let Some(old) = anchor.others.iter_mut().find(|other| *other == example)
        {
            old.anchor = update.clone();
        }
    }
}

/// Reconciles the anchors with the followed code, and the candidates of the rules if needed.
pub(super) struct Reconciler<'a> {
    project: &'a Project,
    min_quality: f64,
    accepts: bool,
    memories: &'a Memories,
    /// By memory id.
    candidates: BTreeMap<String, Vec<RankedSymbol>>,
    head: Option<String>,
    lost_words: LostWords<'a>,
}

impl<'a> Reconciler<'a> {
    /// Ranks the candidates of all rules that need them in one pass over the index. A check of
    /// unchanged anchors does not open the index.
    pub(super) fn new(
        project: &'a Workspace,
        memories: &'a Memories,
        request: &Request,
        followed: &[(&Example<'_>, Outcome)],
    ) -> Result<Self> {
        let accepts = matches!(request.mode, Mode::Accept(_));
        let mut head = None;
        for (example, outcome) in followed {
            // Without the history, code that moved looks like code that is gone.
            if head.is_none() && is_changed(&example.anchor, outcome) {
                head = Some(git::checked_head(&project.root)?);
            }
        }
        let mut reconciler = Self {
            project,
            min_quality: request.min_quality.unwrap_or(project.min_quality),
            accepts,
            memories,
            candidates: BTreeMap::new(),
            head: head.flatten().map(|head| head.abbreviated_id()),
            lost_words: LostWords::new(&project.root),
        };
        let mut ids = Vec::new();
        let mut queries = Vec::new();
        for (Example { id, anchor, other }, followed) in followed {
            if other.is_some() {
                continue;
            }
            let is_wanted = match anchor.origin {
                // Only rated again: the choice of an agent is not replaced by the search.
                Origin::Auto | Origin::Agent => followed.edited,
                Origin::Manual | Origin::Document => false,
            };
            let is_needed = followed.state == State::Gone || (is_wanted && !accepts);
            if is_needed
                && let Some(stored) = memories.get(id)
                && stored.memory.example.is_none()
                && let Ok(query) = anchors::scoped_query(stored)
            {
                ids.push((*id).to_owned());
                queries.push(query);
            }
        }
        if !queries.is_empty() {
            reconciler.rank(project, ids, &queries)?;
        }
        Ok(reconciler)
    }

    /// Ranks the candidates of rules.
    fn rank(&mut self, project: &Workspace, ids: Vec<String>, queries: &[Query]) -> Result<()> {
        let options = Options {
            limit: N_RESCORED,
            distinct_files: false,
            min_quality: self.min_quality,
            explain: false,
        };
        for (id, ranking) in ids.into_iter().zip(project.rank(queries, options)?) {
            // Code does not replace the example of a rule that no code shows.
            if ranking.kind == RuleKind::Code {
                self.candidates.insert(id, ranking.candidates);
            }
        }
        Ok(())
    }

    /// Returns the finding for an example, and the anchor to record if it changed.
    pub(super) fn reconcile(
        &self,
        example: &Example<'_>,
        followed: Outcome,
    ) -> Result<(Finding, Option<Anchor>)> {
        let Example { id, anchor, other } = example;
        let file = match self.memories.get(id) {
            Some(stored) => &stored.file,
            None => "",
        };
        let candidates = followed.candidates.iter().map(TrackedLocation::from);
        let mut finding = Finding {
            id: (*id).to_owned(),
            memory: self.project.bank.shown_path(file, &self.project.root),
            state: followed.state,
            edited: followed.edited,
            degree: followed.degree,
            chosen: anchor.origin,
            role: other.map(|other| other.role),
            old: TrackedLocation::from(anchor),
            new: followed.new.as_ref().map(TrackedLocation::from),
            similarity: rounded(followed.similarity),
            candidates: candidates.collect(),
            reason: followed.reason.clone(),
            steps: followed.steps.clone(),
            ..Finding::default()
        };
        if other.is_some() {
            let update = self.reconcile_other(anchor, &followed, &mut finding);
            return Ok((finding, update));
        }
        let update = match (&followed.new, followed.state) {
            (_, State::Fresh) if !is_changed(anchor, &followed) => None,
            (Some(place), _) if !followed.edited || self.accepts => {
                self.approve(anchor, place, &followed)
            }
            (Some(place), _) => self.judge(anchor, place, &followed, &mut finding),
            (None, State::Gone) => self.replace(anchor, &mut finding)?,
            (None, _) => {
                finding.drift = true;
                let choice = match finding.candidates.first() {
                    Some(first) => format!("--to {}", shell_word(&first.to_string())),
                    None => "--candidates 5".to_owned(),
                };
                finding.next = Some(anchors::command(id, &choice));
                None
            }
        };
        finding.written = update.as_ref().is_some_and(|update| update != anchor);
        Ok((finding, update))
    }

    /// Returns the record of an example beside the anchor, unless a person has to decide about it.
    fn reconcile_other(
        &self,
        anchor: &Anchor,
        followed: &Outcome,
        finding: &mut Finding,
    ) -> Option<Anchor> {
        if !is_changed(anchor, followed) {
            return None;
        }
        let is_accepted =
            !followed.edited || self.accepts || followed.degree <= Some(Degree::Touched);
        let place = followed.new.as_ref();
        let update = place
            .filter(|_| is_accepted)
            .and_then(|place| self.approve(anchor, place, followed));
        finding.written = update.is_some();
        finding.drift = update.is_none();
        if finding.drift {
            finding.next = Some(match place {
                Some(_) => accept_command(&finding.id),
                None => {
                    let old = finding.old.to_string();
                    anchors::command(&finding.id, &format!("--drop {}", shell_word(&old)))
                }
            });
        }
        update
    }

    /// Returns the anchor at its new location with its new fingerprint.
    fn approve(&self, anchor: &Anchor, place: &FoundSymbol, followed: &Outcome) -> Option<Anchor> {
        Some(Anchor {
            commit: self.head.clone(),
            fingerprint: followed.fingerprint.clone()?,
            look_alikes: followed
                .look_alikes
                .clone()
                .or_else(|| anchor.look_alikes.clone()),
            ..relocate(anchor, place)
        })
    }

    /// Returns an anchor whose code was touched, with its new fingerprint. Returns `None` for code
    /// that was edited more: a person has to decide whether it is still the example.
    fn judge(
        &self,
        anchor: &Anchor,
        place: &FoundSymbol,
        followed: &Outcome,
        finding: &mut Finding,
    ) -> Option<Anchor> {
        let lost = self.lost_words(anchor, place, &finding.id);
        if let Some(first) = lost.first() {
            finding.degree = finding.degree.max(Some(Degree::Edited));
            finding.reason += &format!("; `{first}`, a word of the rule, is no longer in it");
        }
        if finding.degree <= Some(Degree::Touched) {
            finding.reason += "; most of the example is as before";
            let updated = self.approve(anchor, place, followed)?;
            let candidate = self.candidate(&finding.id, place);
            return Some(match candidate {
                Some(candidate) if !anchor.origin.is_of_person() => Anchor {
                    quality: candidate.quality,
                    match_score: candidate.match_score,
                    ..updated
                },
                _ => updated,
            });
        }
        let left = match finding.degree {
            Some(Degree::Gutted) => "too little of the example is left",
            _ => "too much of the example changed to record it without a person",
        };
        finding.reason += &format!("; {left}");
        finding.drift = true;
        finding.next = Some(match finding.degree {
            // A stub shows nothing.
            Some(Degree::Gutted) => anchors::command(&finding.id, "--candidates 5"),
            _ => accept_command(&finding.id),
        });
        None
    }

    /// Returns the words of a rule that the recorded code contained and the current code does not.
    fn lost_words(&self, anchor: &Anchor, place: &FoundSymbol, id: &str) -> Vec<String> {
        let Some(stored) = self.memories.get(id) else {
            return Vec::new();
        };
        let query = anchors::query(stored, &[]);
        self.lost_words
            .find((&query.rule, &query.hints), anchor, place)
    }

    /// Returns an anchor to the best other example. Only an automatic anchor is replaced; for one that a
    /// person or an agent chose the example is suggested.
    fn replace(&self, anchor: &Anchor, finding: &mut Finding) -> Result<Option<Anchor>> {
        let mut choice = "--candidates 5";
        if let Some(candidates) = self.candidates.get(&finding.id)
            && let Some(best) = candidates.first()
            && best.meets_threshold(self.min_quality)
        {
            finding.replacement = Some(best.clone());
            if finding.chosen == Origin::Auto {
                return Ok(Some(Anchor {
                    others: anchor.others.clone(),
                    ..anchors::from_candidate(self.project, best)?
                }));
            }
            choice = "--pick 1";
        }
        finding.next = Some(anchors::command(&finding.id, choice));
        finding.drift = true;
        Ok(None)
    }

    /// Returns the candidate at a place. Old records have no number.
    fn candidate(&self, id: &str, place: &FoundSymbol) -> Option<&RankedSymbol> {
        let recorded = place.symbol.as_deref();
        let mut candidates = self.candidates.get(id)?.iter();
        candidates.find(|found| {
            let symbol = found.symbol.as_deref();
            let name = symbol.map(|symbol| split_number(symbol).0);
            found.file == place.file && (symbol == recorded || name == recorded)
        })
    }
}

fn accept_command(id: &str) -> String {
    format!("cerberus memory reanchor --accept {}", shell_word(id))
}

/// Returns whether the record of an anchor changes: its code did, or its number among the definitions
/// of its name.
fn is_changed(anchor: &Anchor, followed: &Outcome) -> bool {
    match &followed.new {
        Some(new) if followed.state == State::Fresh => new.symbol != anchor.symbol,
        _ => followed.state != State::Fresh,
    }
}

/// Returns the anchor at another location, otherwise unchanged.
fn relocate(anchor: &Anchor, place: &FoundSymbol) -> Anchor {
    Anchor {
        file: place.file.clone(),
        symbol: place.symbol.clone(),
        kind: place.kind,
        language: place.language,
        ..anchor.clone()
    }
}
