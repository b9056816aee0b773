//! Ranks the memories by whether they concern a task.
//!
//! Its words are compared with those of the rule, of its headings and of the code that it names, and the files that it names or
//! that are similar to it with the code that shows the rule. A fitted model turns this into a score by which the rules of
//! the bank are compared with each other. A prompt that asks for no change gets only the rules whose words answer it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::{MemoryFile, Workspace};
use cerberus_engine::rank::relevance::Feature::{
    Emphatic, Excess, FromGuide, OtherLanguage, OtherPaths,
};
use cerberus_engine::rank::relevance::{Features, Occasion};
use cerberus_engine::rank::tokenize;
use cerberus_engine::task_relevance;
use cerberus_model::Memory;

use super::Skipped;
use super::focus::Focus;
use super::intent::Intent;
use super::list::{self, Imported, List};
use super::relevance::{
    Ranked, Relevant, applicable, belonging, in_files, is_from_guide, is_of_other_language,
    other_paths, tie_break,
};
use super::start::is_emphatic;

/// The most bytes of a list that is given as a whole.
const MAX_LIST_BYTES: usize = 1200;

/// One of so many words of the sentence above a list is also in a task that it concerns.
const LIST_WORDS: usize = 3;

/// Ranks the memories by their scores for a task.
pub(crate) fn rank<'m>(
    project: &Workspace,
    memories: &'m Memories,
    focus: &Focus,
    task: &str,
) -> Result<Ranked<'m>> {
    let (applicable, mut skipped) = applicable(memories, focus);
    let rules = Rules {
        project,
        memories,
        focus,
        applicable: &applicable,
    };
    let features = rules.features(task)?;
    let mut imported = Vec::with_capacity(applicable.len());
    for stored in &applicable {
        imported.push(Imported {
            heading: stored.memory.heading.as_deref().unwrap_or_default(),
            body: &stored.memory.body,
        });
    }
    let lists = list::lists(&imported);
    let intent = Intent::of(task);
    let is_change = !focus.files.is_empty() && intent == Intent::Change;
    let mut all = Vec::with_capacity(applicable.len());
    let mut features_by_id = BTreeMap::new();
    for ((stored, mut features), list) in applicable.into_iter().zip(features).zip(lists) {
        let anchor = memories.anchors.get(&stored.memory.id);
        let why = belonging(&stored.memory, anchor, focus, &mut features);
        let occasion = if is_change {
            Occasion::Task
        } else {
            Occasion::Question
        };
        all.push(Relevant {
            stored,
            why: why.or_else(|| Some("the task is about it".to_owned())),
            shows_example: true,
            score: features.score(occasion),
            list,
        });
        features_by_id.insert(&*stored.memory.id, features);
    }
    let mut relevant = Vec::new();
    let mut best = None;
    for unit in units(all, task) {
        let best = *best.get_or_insert(unit[0].score);
        let features = &features_by_id[&*unit[0].stored.memory.id];
        let is_relevant = if is_change {
            features.concerns_task(best)
        } else {
            intent != Intent::Reading && features.answers()
        };
        for memory in unit {
            if is_relevant {
                relevant.push(memory);
            } else {
                skipped.push(Skipped::memory(memory.stored, "not relevant to the task"));
            }
        }
    }
    Ok(Ranked {
        relevant,
        skipped,
        features: features_by_id,
    })
}

/// Returns memories one by one or as lists, the best first. A list is as good as its best item. It is complete if it is short and
/// its sentence is about the task; else its items are on their own.
fn units<'m>(mut all: Vec<Relevant<'m>>, task: &str) -> Vec<Vec<Relevant<'m>>> {
    let mut sizes: BTreeMap<List<'_>, usize> = BTreeMap::new();
    for memory in &all {
        if let Some(list) = &memory.list {
            let body = &memory.stored.memory.body;
            let size = sizes.entry(*list).or_insert(list.text.len());
            *size += body.len() - list.text.len();
        }
    }
    let task: BTreeSet<String> = tokenize::terms(task).into_iter().collect();
    sizes.retain(|list, size| *size <= MAX_LIST_BYTES && concerns(list, &task));
    all.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| tie_break(a.stored).cmp(&tie_break(b.stored)))
    });
    let mut units: Vec<Vec<Relevant<'_>>> = Vec::new();
    for mut memory in all {
        memory.list = memory.list.filter(|list| sizes.contains_key(list));
        let of_list = units
            .iter_mut()
            .find(|unit| memory.list.is_some() && unit[0].list == memory.list);
        match of_list {
            Some(unit) => unit.push(memory),
            None => units.push(vec![memory]),
        }
    }
    units
}

/// Returns whether the sentence above a list has enough words of a task.
fn concerns(list: &List<'_>, task: &BTreeSet<String>) -> bool {
    let terms: BTreeSet<String> = tokenize::terms(list.sentence()).into_iter().collect();
    let n_shared = terms.intersection(task).count();
    n_shared > 0 && n_shared * LIST_WORDS >= terms.len()
}

/// Rules that may concern a task.
struct Rules<'r> {
    project: &'r Workspace,
    memories: &'r Memories,
    focus: &'r Focus,
    applicable: &'r [&'r MemoryFile],
}

impl Rules<'_> {
    /// Returns their features beside a task.
    fn features(&self, task: &str) -> Result<Vec<Features>> {
        let mut rules = Vec::with_capacity(self.applicable.len());
        let mut n_from_guides = 0;
        for stored in self.applicable {
            let Memory { heading, body, .. } = &stored.memory;
            rules.push(task_relevance::Rule {
                text: body,
                heading: heading.as_deref().unwrap_or_default(),
            });
            n_from_guides += usize::from(is_from_guide(&stored.memory));
        }
        let task = task_relevance::Task {
            text: task,
            files: &self.focus.files,
        };
        let mut features = self
            .project
            .with_index(|code, index| task_relevance::compare(code.root, index, &task, &rules))?;
        // Where all rules are from guides, that does not distinguish them.
        let share_of_others = 1.0 - n_from_guides as f64 / rules.len().max(1) as f64;
        for (features, stored) in features.iter_mut().zip(self.applicable) {
            let memory = &stored.memory;
            let heading = memory.heading.as_deref();
            let (_, own) = memory.body.rsplit_once(": ").unwrap_or(("", &memory.body));
            features.set_flag(Emphatic, is_emphatic(own));
            if is_from_guide(memory) {
                features[FromGuide] = share_of_others;
            }
            features.set_flag(OtherPaths, other_paths(&memory.paths, self.focus).is_some());
            features.set_flag(OtherLanguage, is_of_other_language(heading, self.focus));
        }
        self.add_examples(&mut features)?;
        Ok(features)
    }

    /// Adds the similarity of the files with the code that shows a rule.
    fn add_examples(&self, features: &mut [Features]) -> Result<()> {
        let mut anchored = Vec::new();
        let mut indices = Vec::new();
        for (idx, stored) in self.applicable.iter().enumerate() {
            if self.memories.anchors.contains_key(&stored.memory.id) {
                anchored.push(*stored);
                indices.push(idx);
            }
        }
        if anchored.is_empty() {
            return Ok(());
        }
        let in_files = in_files(self.project, self.memories, self.focus, &anchored)?;
        for (idx, in_files) in indices.into_iter().zip(in_files) {
            features[idx][Excess] = in_files[Excess];
        }
        Ok(())
    }
}
