//! What an agent gets without a task, at the start of a session: what holds everywhere and matters
//! most, and a table of contents of the rest, by folder and topic.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::pins::render::safe;
use cerberus_engine::rank::moment::{self, Moment};
use cerberus_engine::rank::relevance::{Feature, Features, Occasion};
use cerberus_model::text::plural;
use cerberus_model::{Anchor, Memory, MemoryType};

use super::cost::Cost;
use super::relevance::{Relevant, folder};

/// The share of the budget for the table of contents.
const CONTENTS_SHARE: f64 = 0.25;

/// The name of the folder of memories without paths.
const EVERYWHERE: &str = "everywhere";

/// Maximum number of topics of a folder.
const MAX_TOPICS: usize = 4;

/// Maximum number of characters of a folder or a topic.
const MAX_NAME_CHARS: usize = 60;

/// Words with which authors mark what matters, in capitals or at the start of bold text.
const EMPHASES: &[&str] = &[
    "always",
    "critical",
    "do not",
    "don't",
    "important",
    "must",
    "never",
];

/// Sorts memories by importance: first those that hold everywhere, then those for some paths.
/// Returns how many of them to give: all that hold everywhere, and the decisions for some paths. The
/// others are not needed before a file of their paths is.
pub(crate) fn sort(memories: &Memories, sorted: &mut [Relevant]) -> usize {
    // A topic stays together. Stable: the rest of the order is that by scope and age.
    sorted.sort_by_cached_key(|relevant| {
        let memory = &relevant.stored.memory;
        let features = importance(memory, memories.anchors.get(&memory.id));
        // In thousandths, for a total order.
        let importance = (features.score(Occasion::Session) * 1000.0).round() as i64;
        let has_paths = !memory.paths.is_empty();
        let heading = memory.heading.clone();
        (is_later(memory), has_paths, Reverse(importance), heading)
    });
    sorted.partition_point(|relevant| !is_later(&relevant.stored.memory))
}

/// Returns whether a memory is given only with a file of its paths.
fn is_later(memory: &Memory) -> bool {
    !memory.paths.is_empty() && memory.memory_type != MemoryType::Decision
}

/// Returns the features that make a memory important in any session. A rule that every change needs, or a check at its
/// end, comes before those about releases or answers.
fn importance(memory: &Memory, anchor: Option<&Anchor>) -> Features {
    let moment = moment::moment(&memory.body, memory.heading.as_deref());
    let is_decision = memory.memory_type == MemoryType::Decision;
    let is_chosen = anchor.is_some_and(|anchor| anchor.origin.is_of_person());
    let mut features = Features::default();
    for (feature, is_set) in [
        (Feature::Decision, is_decision),
        (Feature::Emphatic, is_emphatic(&memory.body)),
        (Feature::HasExample, anchor.is_some()),
        (Feature::ChosenExample, is_chosen),
        (Feature::Writing, moment == Moment::Writing),
        (Feature::Testing, moment == Moment::Testing),
        (Feature::Checking, moment == Moment::Checking),
    ] {
        features.set_flag(feature, is_set);
    }
    features
}

/// Returns whether the author of a text marked it as important.
pub(crate) fn is_emphatic(text: &str) -> bool {
    let lower = text.to_lowercase();
    EMPHASES
        .iter()
        .any(|word| text.contains(&word.to_uppercase()) || lower.contains(&format!("**{word}")))
}

/// Returns the table of contents of memories that fits into its share of `limit`. It is empty if not
/// a single folder fits, or if there are neither folders nor topics.
pub(crate) fn contents(memories: &[Relevant], limit: Cost) -> String {
    let mut folders: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for Relevant { stored, .. } in memories {
        let memory = &stored.memory;
        let folder = match memory.paths.first().map(|glob| folder(glob)) {
            None => EVERYWHERE.to_owned(),
            Some("") => name(&memory.paths[0]),
            Some(folder) => name(folder),
        };
        let topic = match &memory.heading {
            Some(heading) => name(heading.split(" › ").next().unwrap_or(heading)),
            None => String::new(),
        };
        let topics = folders.entry(folder).or_default();
        *topics.entry(topic).or_default() += 1;
    }
    // Stable: folders with as many memories are in the order of their names.
    let mut folders: Vec<(String, BTreeMap<String, usize>)> = folders.into_iter().collect();
    folders.sort_by_key(|(_, topics)| Reverse(topics.values().sum::<usize>()));
    let limit = Cost {
        tokens: (limit.tokens as f64 * CONTENTS_SHARE) as usize,
        ..limit
    };
    let mut text = format!(
        "Contents, {} by folder and topic (get those of a file with `cerberus memory inject --file FILE`, \
         of a topic with `cerberus memory search WORDS --content`, or with the MCP tools \
         `inject_context` and `search_memories`):\n",
        plural(memories.len(), "memory")
    );
    let longest_last_line = rest_line(folders.len(), memories.len());
    let mut used = Cost::of(&text).plus(Cost::of(&longest_last_line));
    let mut n_rest = memories.len();
    let mut n_lines = 0;
    let mut has_names = false;
    for (folder, topics) in &folders {
        has_names |= folder != EVERYWHERE || topics.keys().any(|topic| !topic.is_empty());
    }
    for (folder, topics) in &folders {
        let n: usize = topics.values().sum();
        let line = line(n, folder, topics);
        let cost = Cost::of(&line);
        if !used.plus(cost).fits(limit) {
            text.push_str(&rest_line(folders.len() - n_lines, n_rest));
            break;
        }
        used = used.plus(cost);
        n_rest -= n;
        n_lines += 1;
        text.push_str(&line);
    }
    if n_lines > 0 && has_names {
        text
    } else {
        String::new()
    }
}

/// Returns the line for the folders that do not fit.
fn rest_line(n_folders: usize, n_memories: usize) -> String {
    let memories = plural(n_memories, "memory");
    let folders = plural(n_folders, "other folder");
    format!("- {memories} in {folders}\n")
}

/// Returns the line of a folder with its most frequent topics.
fn line(n: usize, folder: &str, topics: &BTreeMap<String, usize>) -> String {
    let mut topics: Vec<(&String, &usize)> = topics.iter().collect();
    topics.retain(|(topic, _)| !topic.is_empty());
    if topics.is_empty() {
        return format!("- {folder} ({n})\n");
    }
    // Stable: the others are in the order of their names.
    topics.sort_by_key(|(_, n)| Reverse(**n));
    let mut shown = Vec::new();
    for (topic, n) in topics.iter().take(MAX_TOPICS) {
        shown.push(format!("{topic} ({n})"));
    }
    if topics.len() > MAX_TOPICS {
        shown.push("…".to_owned());
    }
    format!("- {folder} ({n}): {}\n", shown.join(", "))
}

/// Returns a name from a document in one short line.
fn name(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let short: String = words.join(" ").chars().take(MAX_NAME_CHARS).collect();
    safe(&short)
}
