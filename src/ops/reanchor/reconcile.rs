//! What is recorded of a followed anchor, and what is left to a person.

use std::collections::BTreeMap;

use anyhow::Result;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::bank::MemoryFile;
use crate::model::{Anchor, Origin, State};
use crate::store::code;
use crate::text::shell_word;
use crate::tree::git;

use super::super::memories::{self, Memories};
use super::super::{Project, anchor, rounded};
use super::{Finding, Mode, Request, Target};
use crate::engine::examples::{self, Options, Query, RankedSymbol};
use crate::engine::track::{self, FoundSymbol, Outcome};

/// How deep an edited anchor may stand among its rule's candidates to count as found again.
const RESCORED: usize = 200;

/// How much better in quality another example must be to be worth a word: less than
/// that, and two readers would not agree which of the two is better.
const CLEARLY_BETTER: f64 = 0.1;

/// A clearly better example than the anchored code, and where that is now, with its lines.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Better {
    candidate: RankedSymbol,
    now: Option<Target>,
}

/// Decides over followed anchors, with the candidates of those rules that need them.
pub(super) struct Desk<'a> {
    project: &'a Project,
    min_quality: f64,
    accepts: bool,
    by_id: FxHashMap<&'a str, &'a MemoryFile>,
    /// By memory id.
    candidates: BTreeMap<String, Vec<RankedSymbol>>,
    /// What was found to be better before, everything being as it is now.
    known_better: BTreeMap<String, Option<Better>>,
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
        followed: &[Outcome],
    ) -> Result<Self> {
        let accepts = matches!(request.mode, Mode::Accept(_));
        let seeks_better = matches!(request.mode, Mode::Follow | Mode::DryRun);
        let stored = memories.all.iter().map(|stored| (stored.memory.id.as_str(), stored));
        let mut desk = Self {
            project,
            min_quality: request.min_quality,
            accepts,
            by_id: stored.collect(),
            candidates: BTreeMap::new(),
            known_better: BTreeMap::new(),
            head: None,
        };
        if followed.iter().any(|followed| followed.state != State::Fresh) {
            desk.head = git::head(&project.root).map(|head| head.abbreviated_id());
        }
        let mut wanted = Vec::new();
        for ((id, anchor), followed) in taken.iter().zip(followed) {
            let is_auto = anchor.origin == Origin::Auto;
            let is_needed = followed.state == State::Gone
                || (is_auto && !accepts && (followed.edited || seeks_better));
            if let (true, Some(stored)) = (is_needed, desk.by_id.get(id.as_str())) {
                let mut question = anchor::question(stored, &[]);
                let Ok(languages) = memories::languages(&stored.memory.scope) else { continue };
                question.languages = languages;
                let is_fresh = followed.state == State::Fresh;
                wanted.push((id, question, is_fresh.then_some(anchor)));
            }
        }
        if !wanted.is_empty() {
            desk.rank(wanted)?;
        }
        Ok(desk)
    }

    /// Ranks the candidates of rules, but for anchors that hold and that were compared with
    /// others when everything was as it is now.
    fn rank(&mut self, wanted: Vec<(&String, Query, Option<&Anchor>)>) -> Result<()> {
        let mut index = examples::open_index(self.project.code())?;
        let tree = index.digest();
        let known = code::rerank_cache(index.store().reader())?.into_iter();
        let known: FxHashMap<String, ([u8; 16], String)> =
            known.map(|(id, asked, better)| (id, (asked, better))).collect();
        let (mut ids, mut questions, mut held) = (Vec::new(), Vec::new(), Vec::new());
        for (id, question, holds) in wanted {
            let asked = self.asked(&question, tree, holds);
            let known = known.get(id).filter(|known| holds.is_some() && known.0 == asked);
            if let Some(better) = known.and_then(|(_, text)| serde_json::from_str(text).ok()) {
                self.known_better.insert(id.clone(), better);
                continue;
            }
            held.extend(holds.map(|anchor| (id, anchor, asked)));
            ids.push(id.clone());
            questions.push(question);
        }
        if ids.is_empty() {
            return Ok(());
        }
        let options = Options { limit: RESCORED, min_quality: self.min_quality, explain: false };
        let reports = examples::rank(self.project.code(), &mut index, &questions, options)?;
        self.candidates =
            ids.into_iter().zip(reports.into_iter().map(|report| report.candidates)).collect();
        for (id, anchor, _) in &held {
            let better = self.better(id, &anchor.file, anchor.symbol.as_deref());
            self.known_better.insert((*id).clone(), better);
        }
        // Where this cannot be kept, the next run ranks again.
        let _ = index.store().transaction(|connection| {
            for (id, _, asked) in held {
                let better = serde_json::to_string(&self.known_better.get(id))?;
                code::cache_rerank(connection, id, &asked, &better)?;
            }
            Ok(())
        });
        Ok(())
    }

    /// Returns what stands for all that a rule's candidates depend on.
    fn asked(&self, question: &Query, tree: u128, anchor: Option<&Anchor>) -> [u8; 16] {
        let place = anchor.map(|anchor| (&anchor.file, &anchor.symbol));
        let version = env!("CARGO_PKG_VERSION");
        let asked = (question, tree, place, self.min_quality, &self.project.weights, version);
        xxh3_128(format!("{asked:?}").as_bytes()).to_le_bytes()
    }

    /// Returns the finding for an anchor and what to record of it.
    pub(super) fn settle(
        &self,
        id: &str,
        anchor: &Anchor,
        followed: Outcome,
    ) -> Result<(Finding, Option<Anchor>)> {
        let stored = self.by_id.get(id);
        let mut finding = Finding {
            id: id.to_owned(),
            memory: super::memory_path(
                self.project,
                stored.map_or("", |stored| stored.file.as_str()),
            ),
            state: followed.state,
            edited: followed.edited,
            chosen: anchor.origin,
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
                    Some(first) => format!(
                        "cerberus memory anchor {} --to {}",
                        shell_word(id),
                        shell_word(&shown(first))
                    ),
                    None => format!("cerberus memory anchor {} --candidates 5", shell_word(id)),
                });
                None
            }
        };
        if let (Some(place), false) = (&followed.new, finding.drift)
            && let Some(better) = self.better(id, &place.file, place.symbol.as_deref())
        {
            finding.better = Some(better.candidate);
            finding.new = better.now.or(finding.new);
        }
        finding.recorded = update.as_ref().is_some_and(|update| update != anchor);
        Ok((finding, update))
    }

    fn changed_line(&self, anchor: &Anchor, followed: &Outcome) -> Option<u32> {
        let place = followed.new.as_ref().filter(|_| followed.edited)?;
        let commit = anchor.commit.as_ref()?;
        let root = &self.project.root;
        git::first_changed_line(root, commit, &anchor.file, &place.file, place.lines?)
            .map(|line| line + 1)
    }

    /// The anchor at its new place with its new fingerprint.
    fn approved(&self, anchor: &Anchor, place: &FoundSymbol, followed: &Outcome) -> Option<Anchor> {
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
        place: &FoundSymbol,
        followed: &Outcome,
        finding: &mut Finding,
    ) -> Option<Anchor> {
        let accept = format!("cerberus memory reanchor --accept {}", shell_word(&finding.id));
        if anchor.origin == Origin::Manual {
            finding.next = Some(accept);
            return Some(placed(anchor, place));
        }
        match self.candidate(&finding.id, &place.file, place.symbol.as_deref()) {
            Some(again) if again.meets_threshold(self.min_quality) => Some(Anchor {
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
        finding.replacement = best.filter(|best| best.meets_threshold(self.min_quality)).cloned();
        match &finding.replacement {
            Some(best) if finding.chosen == Origin::Auto => {
                anchor::of_candidate(self.project, best, Origin::Auto).map(Some)
            }
            found => {
                let choice = if found.is_some() { "--pick 1" } else { "--candidates 5" };
                finding.next =
                    Some(format!("cerberus memory anchor {} {choice}", shell_word(&finding.id)));
                finding.drift = true;
                Ok(None)
            }
        }
    }

    /// Returns the candidate that is the code at a place.
    fn candidate(&self, id: &str, file: &str, symbol: Option<&str>) -> Option<&RankedSymbol> {
        let candidates = self.candidates.get(id)?;
        candidates.iter().find(|it| it.file == file && it.symbol.as_deref() == symbol)
    }

    /// Returns the first candidate, where it is clearly better than the anchored code
    /// and neither a part of it nor around it.
    fn better(&self, id: &str, file: &str, symbol: Option<&str>) -> Option<Better> {
        if let Some(known) = self.known_better.get(id) {
            return known.clone();
        }
        let best = self.candidates.get(id)?.first()?;
        let now = self.candidate(id, file, symbol).map_or(0.0, |now| now.quality);
        let is_related = best.file == file
            && match (best.symbol.as_deref(), symbol) {
                (Some(a), Some(b)) => {
                    a == b || a.starts_with(&format!("{b}.")) || b.starts_with(&format!("{a}."))
                }
                _ => true,
            };
        let is_better =
            best.meets_threshold(self.min_quality) && best.quality >= now + CLEARLY_BETTER;
        let now = || track::locate(&self.project.root, file, symbol).ok();
        (is_better && !is_related).then(|| Better {
            candidate: best.clone(),
            now: now().map(|now| Target::of(&now.found)),
        })
    }
}

/// The anchor at another place, otherwise as it was.
fn placed(anchor: &Anchor, place: &FoundSymbol) -> Anchor {
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
