//! What an agent gets without a task, at the start of a session: what holds everywhere and matters
//! most, and a table of contents of the rest, by folder and topic.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::pins::render::safe;
use cerberus_engine::rank::moment::{self, Moment};
use cerberus_engine::rank::relevance::{Feature, Features, Occasion};
use cerberus_model::text::plural;
use cerberus_model::{Anchor, Memory, MemoryType, Origin};
use rustc_hash::FxHashMap;

use super::pack::Cost;
use super::relevance::{Relevant, folder};

/// The share of the budget for the table of contents.
const CONTENTS_SHARE: f64 = 0.25;

/// The name of the folder of memories without paths.
const EVERYWHERE: &str = "everywhere";

/// Maximum number of topics of a folder.
const MAX_TOPICS: usize = 4;

/// Maximum number of characters of a folder or a topic.
const MAX_NAME_CHARS: usize = 60;

/// The most for feedback.
const MAX_FEEDBACK: i64 = 3;

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
/// Returns how many of them to give: all that hold everywhere, and the decisions and well received
/// memories for some paths, which are not needed before a file of these paths is.
pub(super) fn sort(
    balances: &FxHashMap<String, i64>,
    memories: &Memories,
    sorted: &mut [Relevant],
) -> usize {
    let key = |it: &Relevant| {
        let memory = &it.stored.memory;
        let received = balances.get(&memory.id).copied().unwrap_or_default();
        let features = importance(memory, memories.anchors.get(&memory.id), received);
        // In thousandths, for a total order.
        let importance = (features.score(Occasion::Session) * 1000.0).round() as i64;
        let has_paths = !memory.paths.is_empty();
        let is_later = has_paths && memory.memory_type != MemoryType::Decision && received <= 0;
        (
            is_later,
            has_paths,
            Reverse(importance),
            memory.heading.clone(),
        )
    };
    // A topic stays together. Stable: the rest of the order is that by scope and age.
    sorted.sort_by_cached_key(key);
    sorted.partition_point(|it| !key(it).0)
}

/// Returns what makes a memory important in any session. A rule that every change needs, or a check at its end, comes before
/// those about releases or answers.
fn importance(memory: &Memory, anchor: Option<&Anchor>, received: i64) -> Features {
    let moment = moment::moment(&memory.body, memory.heading.as_deref());
    let mut features = Features::default();
    features[Feature::Feedback] = received.clamp(-MAX_FEEDBACK, MAX_FEEDBACK) as f64;
    for (feature, is_set) in [
        (
            Feature::Decision,
            memory.memory_type == MemoryType::Decision,
        ),
        (Feature::Emphatic, is_emphatic(&memory.body)),
        (Feature::HasExample, anchor.is_some()),
        (
            Feature::ChosenExample,
            anchor.is_some_and(|it| it.origin == Origin::Manual),
        ),
        (Feature::Writing, moment == Moment::Writing),
        (Feature::Testing, moment == Moment::Testing),
        (Feature::Checking, moment == Moment::Checking),
    ] {
        features.set_flag(feature, is_set);
    }
    features
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
pub(super) fn contents(memories: &[Relevant], limit: Cost) -> String {
    let mut folders: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for Relevant { stored, .. } in memories {
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
        *folders
            .entry(folder)
            .or_default()
            .entry(topic.unwrap_or_default())
            .or_default() += 1;
    }
    let mut folders: Vec<(usize, String, BTreeMap<String, usize>)> = folders
        .into_iter()
        .map(|(folder, topics)| (topics.values().sum(), folder, topics))
        .collect();
    folders.sort_by(|(a, a_name, _), (b, b_name, _)| b.cmp(a).then_with(|| a_name.cmp(b_name)));
    let budget = (limit.tokens as f64 * CONTENTS_SHARE) as usize;
    let limit = Cost {
        tokens: budget,
        ..limit
    };
    let header = format!(
        "Contents, {} by folder and topic (get those of a file with `cerberus memory inject --file FILE`, \
         of a topic with `cerberus memory search WORDS --content`, or with the MCP tools \
         `inject_context` and `search_memories`):\n",
        plural(memories.len(), "memory")
    );
    let last = |n_folders: usize, n: usize| {
        format!(
            "- {} in {}\n",
            plural(n, "memory"),
            plural(n_folders, "other folder")
        )
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
    if n_lines > 0 && has_names {
        text
    } else {
        String::new()
    }
}

/// Returns the line of a folder with its most frequent topics.
fn line(n: usize, folder: &str, topics: &BTreeMap<String, usize>) -> String {
    let mut topics: Vec<(&String, &usize)> = topics
        .iter()
        .filter(|(topic, _)| !topic.is_empty())
        .collect();
    topics.sort_by(|(a_name, a), (b_name, b)| b.cmp(a).then_with(|| a_name.cmp(b_name)));
    let shown: Vec<String> = topics
        .iter()
        .take(MAX_TOPICS)
        .map(|(topic, n)| format!("{topic} ({n})"))
        .collect();
    let more = if topics.len() > MAX_TOPICS {
        ", …"
    } else {
        ""
    };
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
