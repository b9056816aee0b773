//! What an agent gets without a task, at the start of a session: what holds everywhere and matters
//! most, and a table of contents of the rest, by folder and topic.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::Result;

use super::pack::Cost;
use super::relevance::folder;
use crate::bank::MemoryFile;
use crate::engine::rank::moment::{self, Moment};
use crate::model::{MemoryType, Origin};
use crate::ops::Project;
use crate::ops::memories::Memories;
use crate::ops::pins::render::safe;
use crate::store::{Store, feedback};
use crate::text::plural;

/// The share of the budget for the table of contents.
const CONTENTS_SHARE: f64 = 0.25;

/// The name of the folder of memories without paths.
const EVERYWHERE: &str = "everywhere";

/// Maximum number of topics of a folder.
const MAX_TOPICS: usize = 4;

/// Maximum number of characters of a folder or a topic.
const MAX_NAME_CHARS: usize = 60;

// Points for the importance of a memory.

/// For a decision, which binds the project.
const DECISION: i64 = 4;

/// The most for feedback; each positive one counts 1.
const MAX_FEEDBACK: i64 = 3;

/// For an emphasis in the text, such as NEVER.
const EMPHASIS: i64 = 1;

/// For an example, and more for one that a person chose.
const EXAMPLE: i64 = 1;

/// For a rule that every change needs, and more for a check at its end: the others are about releases or answers.
const EVERY_CHANGE: i64 = 1;
const CHECK: i64 = 2;

/// Words with which authors mark what matters, in capitals or at the start of bold text.
const EMPHASES: &[&str] = &["always", "critical", "do not", "don't", "important", "must", "never"];

/// Sorts memories by importance: first those that hold everywhere, then those for some paths.
/// Returns how many of them to give: all that hold everywhere, and the decisions and well received
/// memories for some paths, which are not needed before a file of these paths is.
pub(super) fn sort(
    project: &Project,
    memories: &Memories,
    sorted: &mut [&MemoryFile],
) -> Result<usize> {
    let balances = feedback::balances(Store::open(&project.store)?.reader())?;
    let key = |stored: &MemoryFile| {
        let memory = &stored.memory;
        let received =
            balances.get(&memory.id).map_or(0, |it| (*it).clamp(-MAX_FEEDBACK, MAX_FEEDBACK));
        let is_decision = memory.memory_type == MemoryType::Decision;
        let example = match memories.anchors.get(&memory.id) {
            Some(anchor) if anchor.origin == Origin::Manual => 2 * EXAMPLE,
            Some(_) => EXAMPLE,
            None => 0,
        };
        let importance = received
            + example
            + if is_decision { DECISION } else { 0 }
            + if is_emphatic(&memory.body) { EMPHASIS } else { 0 }
            + match moment::moment(&memory.body, memory.heading.as_deref()) {
                Moment::Checking => CHECK,
                moment if moment.is_of_every_change() => EVERY_CHANGE,
                _ => 0,
            };
        let is_later = !memory.paths.is_empty() && !is_decision && received <= 0;
        (is_later, !memory.paths.is_empty(), Reverse(importance), memory.heading.clone())
    };
    // A topic stays together. Stable: the rest of the order is that by scope and age.
    sorted.sort_by_cached_key(|stored| key(stored));
    Ok(sorted.partition_point(|stored| !key(stored).0))
}

/// Returns whether the author of a text marked it as important.
pub(super) fn is_emphatic(text: &str) -> bool {
    let lower = text.to_lowercase();
    EMPHASES
        .iter()
        .any(|word| text.contains(&word.to_uppercase()) || lower.contains(&format!("**{word}")))
}

/// Returns the table of contents of memories that fits into its share of `limit`. It is empty if not
/// a single folder fits, or if there are neither folders nor topics.
pub(super) fn contents(memories: &[&MemoryFile], limit: Cost) -> String {
    let mut folders: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for stored in memories {
        let memory = &stored.memory;
        let folder = match memory.paths.first().map(|glob| folder(glob)) {
            None => EVERYWHERE.to_owned(),
            Some("") => name(&memory.paths[0]),
            Some(folder) => name(folder),
        };
        let topic = memory
            .heading
            .as_deref()
            .map(|heading| name(heading.split(" › ").next().unwrap_or(heading)));
        *folders.entry(folder).or_default().entry(topic.unwrap_or_default()).or_default() += 1;
    }
    let mut folders: Vec<(usize, String, BTreeMap<String, usize>)> = folders
        .into_iter()
        .map(|(folder, topics)| (topics.values().sum(), folder, topics))
        .collect();
    folders.sort_by(|(a, a_name, _), (b, b_name, _)| b.cmp(a).then_with(|| a_name.cmp(b_name)));
    let budget = (limit.tokens as f64 * CONTENTS_SHARE) as usize;
    let limit = Cost { tokens: budget, ..limit };
    let header = format!(
        "Contents, {} by folder and topic (get those of a file with `cerberus memory inject --file FILE`, \
         of a topic with `cerberus memory search WORDS --content`, or with the MCP tools \
         `inject_context` and `search_memories`):\n",
        plural(memories.len(), "memory")
    );
    let last = |n_folders: usize, n: usize| {
        format!("- {} in {}\n", plural(n, "memory"), plural(n_folders, "other folder"))
    };
    let mut text = header;
    // The longest last line.
    let mut used = Cost::of(&text).plus(Cost::of(&last(folders.len(), memories.len())));
    let mut n_rest = memories.len();
    let mut n_lines = 0;
    for (idx, (n, folder, topics)) in folders.iter().enumerate() {
        let line = line(*n, folder, topics);
        let cost = Cost::of(&line);
        if !used.plus(cost).fits(limit) {
            text.push_str(&last(folders.len() - idx, n_rest));
            break;
        }
        used = used.plus(cost);
        n_rest -= n;
        n_lines += 1;
        text.push_str(&line);
    }
    let has_names = folders.iter().any(|(_, folder, topics)| {
        folder != EVERYWHERE || topics.keys().any(|topic| !topic.is_empty())
    });
    if n_lines > 0 && has_names { text } else { String::new() }
}

/// Returns the line of a folder with its most frequent topics.
fn line(n: usize, folder: &str, topics: &BTreeMap<String, usize>) -> String {
    let mut topics: Vec<(&String, &usize)> =
        topics.iter().filter(|(topic, _)| !topic.is_empty()).collect();
    topics.sort_by(|(a_name, a), (b_name, b)| b.cmp(a).then_with(|| a_name.cmp(b_name)));
    let shown: Vec<String> =
        topics.iter().take(MAX_TOPICS).map(|(topic, n)| format!("{topic} ({n})")).collect();
    let more = if topics.len() > MAX_TOPICS { ", …" } else { "" };
    match shown.as_slice() {
        [] => format!("- {folder} ({n})\n"),
        shown => format!("- {folder} ({n}): {}{more}\n", shown.join(", ")),
    }
}

/// Returns a name from a document in one short line.
fn name(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let short: String = words.join(" ").chars().take(MAX_NAME_CHARS).collect();
    safe(&short)
}
