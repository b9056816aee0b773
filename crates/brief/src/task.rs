//! Ranks the memories by whether they concern a task.
//!
//! Its words are compared with those of the rule, of its headings and of the code that it names, and the files that it names or
//! that are similar to it with the code that shows the rule. A fitted model turns this into the odds that the rule concerns the
//! task; a rule that is hardly relevant is not given, however few there are.

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::{MemoryFile, Workspace};
use cerberus_engine::rank::moment::{self, Moment};
use cerberus_engine::rank::relevance::Feature::{
    Checking, Emphatic, Excess, FromGuide, NoFiles, OnlyDocuments, OnlyTests, OtherLanguage,
    OtherPaths,
};
use cerberus_engine::rank::relevance::{Features, Occasion};
use cerberus_engine::task_relevance;
use cerberus_model::{Memory, WordList, word_lists};

use super::Skipped;
use super::focus::Focus;
use super::list::{self, Imported, List};
use super::relevance::{
    Ranked, Relevant, applicable, belonging, in_files, is_from_guide, is_of_other_language,
    names_tests, other_paths, tie_break,
};
use super::start::is_emphatic;

/// The most bytes of a list that is given as a whole.
const MAX_LIST_BYTES: usize = 1200;

word_lists! { "words/documents.txt": DOCUMENTS_OF_RULE DOCUMENTS_OF_TASK }

/// Ranks the memories by the odds that they concern a task.
pub(crate) fn rank<'m>(
    project: &Workspace,
    memories: &'m Memories,
    focus: &Focus,
    task: &str,
) -> Result<Ranked<'m>> {
    let (applicable, mut skipped) = applicable(memories, focus);
    let features = features(project, memories, focus, task, &applicable)?;
    let mut imported = Vec::with_capacity(applicable.len());
    for stored in &applicable {
        imported.push(Imported {
            heading: stored.memory.heading.as_deref().unwrap_or_default(),
            body: &stored.memory.body,
        });
    }
    let lists = list::lists(&imported);
    let mut all = Vec::with_capacity(applicable.len());
    let mut features_by_id = BTreeMap::new();
    for ((stored, mut features), list) in applicable.into_iter().zip(features).zip(lists) {
        let anchor = memories.anchors.get(&stored.memory.id);
        let why = belonging(&stored.memory, anchor, focus, &mut features);
        all.push(Relevant {
            stored,
            why: why.or_else(|| Some("the task is about it".to_owned())),
            shows_example: true,
            score: features.score(Occasion::Task),
            list,
        });
        features_by_id.insert(&*stored.memory.id, features);
    }
    let mut relevant = Vec::new();
    for unit in units(all) {
        let concerns_task = features_by_id[&*unit[0].stored.memory.id].concerns_task();
        for memory in unit {
            if concerns_task {
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

/// Returns memories one by one or as lists, the best first. A list is as good as its best item, and is complete if it is short:
/// of a longer one, the items are on their own.
fn units(mut all: Vec<Relevant<'_>>) -> Vec<Vec<Relevant<'_>>> {
    let mut sizes: BTreeMap<List<'_>, usize> = BTreeMap::new();
    for memory in &all {
        if let Some(list) = &memory.list {
            let body = &memory.stored.memory.body;
            let size = sizes.entry(*list).or_insert(list.text.len());
            *size += body.len() - list.text.len();
        }
    }
    all.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| tie_break(a.stored).cmp(&tie_break(b.stored)))
    });
    let mut units: Vec<Vec<Relevant<'_>>> = Vec::new();
    for mut memory in all {
        if memory
            .list
            .as_ref()
            .is_some_and(|list| sizes[list] > MAX_LIST_BYTES)
        {
            memory.list = None;
        }
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

/// Returns the features of memories beside a task.
fn features(
    project: &Workspace,
    memories: &Memories,
    focus: &Focus,
    task: &str,
    applicable: &[&MemoryFile],
) -> Result<Vec<Features>> {
    let mut rules = Vec::with_capacity(applicable.len());
    for stored in applicable {
        let Memory { heading, body, .. } = &stored.memory;
        rules.push(task_relevance::Rule {
            text: body,
            heading: heading.as_deref().unwrap_or_default(),
        });
    }
    let mut features = project.with_index(|code, index| {
        task_relevance::compare(code.root, index, task, &focus.files, &rules)
    })?;
    let has_no_files = focus.files.is_empty();
    let is_about_tests = names_tests(task);
    let is_about_documents = names(task, &DOCUMENTS_OF_TASK);
    for (features, stored) in features.iter_mut().zip(applicable) {
        let memory = &stored.memory;
        let heading = memory.heading.as_deref();
        let moment = moment::moment(&memory.body, heading);
        let (_, own) = memory.body.rsplit_once(": ").unwrap_or(("", &memory.body));
        let is_of_documents = names(own, &DOCUMENTS_OF_RULE)
            || names(heading.unwrap_or_default(), &DOCUMENTS_OF_RULE);
        let is_of_tests = moment == Moment::Testing;
        features.set_flag(NoFiles, has_no_files);
        features.set_flag(OnlyTests, is_of_tests && !is_about_tests);
        features.set_flag(OnlyDocuments, is_of_documents && !is_about_documents);
        features.set_flag(Checking, moment == Moment::Checking);
        features.set_flag(Emphatic, is_emphatic(own));
        features.set_flag(FromGuide, is_from_guide(memory));
        features.set_flag(OtherPaths, other_paths(&memory.paths, focus).is_some());
        features.set_flag(OtherLanguage, is_of_other_language(heading, focus));
    }
    add_examples(project, memories, focus, applicable, &mut features)?;
    Ok(features)
}

/// Adds the similarity of the files with the code that shows a rule.
fn add_examples(
    project: &Workspace,
    memories: &Memories,
    focus: &Focus,
    applicable: &[&MemoryFile],
    features: &mut [Features],
) -> Result<()> {
    let mut anchored = Vec::new();
    let mut indices = Vec::new();
    for (idx, stored) in applicable.iter().enumerate() {
        if memories.anchors.contains_key(&stored.memory.id) {
            anchored.push(*stored);
            indices.push(idx);
        }
    }
    if anchored.is_empty() {
        return Ok(());
    }
    let in_files = in_files(project, memories, focus, &anchored)?;
    for (idx, in_files) in indices.into_iter().zip(in_files) {
        features[idx][Excess] = in_files[Excess];
    }
    Ok(())
}

/// Returns whether the prose of a text has a word of a list. Paths have such words, too.
fn names(text: &str, list: &WordList) -> bool {
    let lower = text.to_lowercase();
    for word in lower
        .split_whitespace()
        .filter(|word| !word.contains(['/', '`']))
    {
        for part in word.split(|c: char| !c.is_alphanumeric()) {
            if list.contains(part) {
                return true;
            }
        }
    }
    false
}
