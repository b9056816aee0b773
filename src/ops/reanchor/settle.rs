//! What is recorded of a followed anchor, and what is left to a person.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::model::{Anchor, Chosen, State};
use crate::tree::git;

use super::super::anchor_test::{self, Candidate, Options};
use super::super::follow::{self, Followed, Place};
use super::super::memories::{self, Memories};
use super::super::{Project, anchor, rounded};
use super::{Finding, Mode, Request, Target};

/// How deep an edited anchor may stand among its rule's candidates to count as found again.
const RESCORED: usize = 200;

/// How much better in quality another example must be to be worth a word: less than
/// that, and two readers would not agree which of the two is better.
const CLEARLY_BETTER: f64 = 0.1;

/// Decides over followed anchors, with the candidates of those rules that need them.
pub(super) struct Desk<'a> {
    project: &'a Project,
    memories: &'a Memories,
    min_quality: f64,
    accepts: bool,
    /// By memory id.
    candidates: BTreeMap<String, Vec<Candidate>>,
    head: Option<String>,
}

impl<'a> Desk<'a> {
    /// Ranks the candidates of all rules that need them in one pass over the index. A
    /// check of anchors that hold needs none, and so no index.
    pub(super) fn open(
        project: &'a Project,
        memories: &'a Memories,
        request: &Request,
        taken: &[(String, Anchor)],
        followed: &[Followed],
    ) -> Result<Self> {
        let accepts = matches!(request.mode, Mode::Accept(_));
        let seeks_better = matches!(request.mode, Mode::Follow | Mode::DryRun);
        let (mut ids, mut questions) = (Vec::new(), Vec::new());
        for ((id, anchor), followed) in taken.iter().zip(followed) {
            let is_auto = anchor.chosen == Chosen::Auto;
            let is_needed = followed.state == State::Gone
                || (is_auto && !accepts && (followed.edited || seeks_better));
            let stored = memories.all.iter().find(|stored| &stored.memory.id == id);
            if let (true, Some(stored)) = (is_needed, stored) {
                let mut question = anchor::question(stored, &[]);
                let Ok(languages) = memories::languages(&stored.memory.scope) else { continue };
                question.languages = languages;
                ids.push(id.clone());
                questions.push(question);
            }
        }
        let mut desk = Self {
            project,
            memories,
            min_quality: request.min_quality,
            accepts,
            candidates: BTreeMap::new(),
            head: None,
        };
        if followed.iter().any(|followed| followed.state != State::Fresh) {
            desk.head = git::head(&project.root).map(|head| head.kept_id());
        }
        if !ids.is_empty() {
            let options =
                Options { limit: RESCORED, min_quality: request.min_quality, explain: false };
            let reports = anchor_test::anchor_test(project, &questions, options)?;
            desk.candidates =
                ids.into_iter().zip(reports.into_iter().map(|report| report.candidates)).collect();
        }
        Ok(desk)
    }

    /// Returns the finding for an anchor and what to record of it.
    pub(super) fn settle(
        &self,
        id: &str,
        anchor: &Anchor,
        followed: Followed,
    ) -> Result<(Finding, Option<Anchor>)> {
        let stored = self.memories.all.iter().find(|stored| stored.memory.id == id);
        let mut finding = Finding {
            id: id.to_owned(),
            memory: super::memory_path(
                self.project,
                stored.map_or("", |stored| stored.file.as_str()),
            ),
            state: followed.state,
            edited: followed.edited,
            chosen: anchor.chosen,
            old: Target::recorded(anchor),
            new: followed.new.as_ref().map(Target::of),
            similarity: rounded(followed.similarity),
            changed_line: self.changed_line(anchor, &followed),
            candidates: followed.candidates.iter().map(Target::of).collect(),
            replacement: None,
            better: None,
            drift: false,
            recorded: false,
            reason: followed.reason.clone(),
            next: None,
        };
        let update = match (&followed.new, followed.state) {
            (_, State::Fresh) => None,
            (Some(place), _) if !followed.edited || self.accepts => {
                self.approved(anchor, place, &followed)
            }
            (Some(place), _) => self.edited(anchor, place, &followed, &mut finding),
            (None, State::Gone) => self.gone(&mut finding)?,
            (None, _) => {
                finding.drift = true;
                finding.next = Some(match finding.candidates.first() {
                    Some(first) => format!("cerberus memory anchor {id} --to {}", shown(first)),
                    None => format!("cerberus memory anchor {id} --candidates 5"),
                });
                None
            }
        };
        if let (Some(place), false) = (&followed.new, finding.drift) {
            finding.better = self.better(id, place);
        }
        if let (Some(_), Some(place)) = (&finding.better, &followed.new) {
            let symbol = place.symbol.as_deref();
            let now = follow::locate(&self.project.root, &place.file, symbol).ok();
            finding.new = now.map(|now| Target::of(&now.place)).or(finding.new);
        }
        finding.recorded = update.as_ref().is_some_and(|update| update != anchor);
        Ok((finding, update))
    }

    fn changed_line(&self, anchor: &Anchor, followed: &Followed) -> Option<u32> {
        let place = followed.new.as_ref().filter(|_| followed.edited)?;
        let commit = anchor.commit.as_ref()?;
        let root = &self.project.root;
        git::first_changed_line(root, commit, &anchor.file, &place.file, place.lines?)
            .map(|line| line + 1)
    }

    /// The anchor at its new place with its new fingerprint.
    fn approved(&self, anchor: &Anchor, place: &Place, followed: &Followed) -> Option<Anchor> {
        Some(Anchor {
            commit: self.head.clone(),
            fingerprint: followed.fingerprint.clone()?,
            ..placed(anchor, place)
        })
    }

    /// What changed is re-scored; what a person chose keeps the fingerprint that was approved.
    fn edited(
        &self,
        anchor: &Anchor,
        place: &Place,
        followed: &Followed,
        finding: &mut Finding,
    ) -> Option<Anchor> {
        let accept = format!("cerberus memory reanchor --accept {}", finding.id);
        if anchor.chosen == Chosen::Manual {
            finding.next = Some(accept);
            return Some(placed(anchor, place));
        }
        match self.candidate(&finding.id, place) {
            Some(again) if again.quality >= self.min_quality => Some(Anchor {
                quality: again.quality,
                match_score: again.match_score,
                ..self.approved(anchor, place, followed)?
            }),
            found => {
                let quality = found.map_or(0.0, |found| found.quality);
                let gate = self.min_quality;
                finding.drift = true;
                finding.reason += &format!(
                    "; it now fits its rule with quality {quality:.2}, under the gate {gate}"
                );
                finding.next = Some(accept);
                None
            }
        }
    }

    /// An example found by itself may be replaced by itself; a person's choice may not.
    fn gone(&self, finding: &mut Finding) -> Result<Option<Anchor>> {
        let best = self.candidates.get(&finding.id).and_then(|candidates| candidates.first());
        finding.replacement = best.filter(|best| best.quality >= self.min_quality).cloned();
        match &finding.replacement {
            Some(best) if finding.chosen == Chosen::Auto => {
                anchor::of_candidate(self.project, best, Chosen::Auto).map(Some)
            }
            found => {
                let choice = if found.is_some() { "--pick 1" } else { "--candidates 5" };
                finding.next = Some(format!("cerberus memory anchor {} {choice}", finding.id));
                finding.drift = true;
                Ok(None)
            }
        }
    }

    /// Returns the candidate that is the code at `place`.
    fn candidate(&self, id: &str, place: &Place) -> Option<&Candidate> {
        let candidates = self.candidates.get(id)?;
        candidates.iter().find(|it| it.file == place.file && it.symbol == place.symbol)
    }

    /// Returns the first candidate, where it is clearly better than the anchored code
    /// and neither a part of it nor around it.
    fn better(&self, id: &str, place: &Place) -> Option<Candidate> {
        let best = self.candidates.get(id)?.first()?;
        let now = self.candidate(id, place).map_or(0.0, |now| now.quality);
        let is_related = best.file == place.file
            && match (&best.symbol, &place.symbol) {
                (Some(a), Some(b)) => {
                    a == b || a.starts_with(&format!("{b}.")) || b.starts_with(&format!("{a}."))
                }
                _ => true,
            };
        let is_better = best.quality >= self.min_quality && best.quality >= now + CLEARLY_BETTER;
        (is_better && !is_related).then(|| best.clone())
    }
}

/// The anchor at another place, otherwise as it was.
fn placed(anchor: &Anchor, place: &Place) -> Anchor {
    Anchor {
        file: place.file.clone(),
        symbol: place.symbol.clone(),
        kind: place.kind,
        language: place.language,
        ..anchor.clone()
    }
}

fn shown(target: &Target) -> String {
    match &target.symbol {
        Some(symbol) => format!("{}::{symbol}", target.file),
        None => target.file.clone(),
    }
}
