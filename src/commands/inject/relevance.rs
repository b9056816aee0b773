//! Selects the memories that are relevant to the current task, and orders them by relevance, then by
//! scope and age. Without a task, every memory is relevant.
//!
//! There are three kinds of requests. Files alone are about to be edited: what they have in common with the code that shows a rule
//! decides, and few rules are given. A few words alone are a search. A longer query, or one with files, is a task: it also needs
//! the rules that hold for any change. If it names no file, the code that is most similar to it is used in their place.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use rustc_hash::FxHashMap;

use super::start;
use crate::bank::MemoryFile;
use crate::engine::patterns;
use crate::engine::rank::moment::{self, Moment};
use crate::engine::rank::path_class::PathClass;
use crate::engine::rank::query::ParsedQuery;
use crate::engine::rank::task::{TaskFeatures, TaskWords};
use crate::engine::rank::{relevance, rule_kind, tokenize};
use crate::engine::relevance as code;
use crate::model::{Anchor, Language, Memory, MemoryStatus, MemoryType, Origin, RuleKind, Scope};
use crate::ops::memories::Memories;
use crate::ops::sync::{self, SyncedStore};
use crate::ops::{Project, links, search};
use crate::syntax::language;
use crate::text::Globs;

// Points on the scale of `relevance::Features::score`, whose range is about 12.

/// For a memory that is anchored to, or mentions, a file of the focus.
const ANCHORED: f64 = 8.0;
const MENTION: f64 = 4.0;

/// For a memory that is anchored to a file of which the changed lines are known: they say whether the edit is
/// about it.
const ANCHORED_TO_CHANGED: f64 = 3.0;

/// For a memory whose paths match a file of the focus, and for the nearness of the folder of the
/// glob and the file. What a project declares for a folder comes before what is only similar.
const PATHS: f64 = 10.0;
const NEAR_PATHS: f64 = 4.0;

/// For working advice such as "add a changeset": it matters before a commit, not in a file.
const PROCESS: f64 = -8.0;

/// For a rule about tests if the focus has a test, and if it has none.
const TEST_IN_TEST: f64 = 3.0;
const TEST_IN_SOURCE: f64 = -6.0;

/// For the best match of the query.
const MATCH: f64 = 6.0;

/// The stem of "test", "tests" and "testing".
const TEST: &str = "test";

/// The fewest words of a task, stop words not counted. Fewer are a search.
const MIN_TASK_WORDS: usize = 4;

/// The most memories that match a query.
const MAX_MATCHES: usize = 100;

/// The current task.
#[derive(Debug, Clone, Default)]
pub(super) struct Focus {
    pub(super) query: Option<String>,
    /// Paths relative to the root of the project.
    pub(super) files: BTreeSet<String>,
    /// The texts that are added to some of the files, or are about to be.
    pub(super) changed: BTreeMap<String, String>,
}

impl Focus {
    /// Whether there is no task.
    pub(super) fn is_empty(&self) -> bool {
        self.query.is_none() && self.files.is_empty()
    }

    /// Whether there is a task whose files are known.
    pub(super) fn is_task(&self) -> bool {
        self.task().is_some()
    }

    /// The text of a task that names no file. A few words are a search.
    pub(super) fn task_without_files(&self) -> Option<&str> {
        let query = self.query.as_deref().filter(|_| self.files.is_empty())?;
        (ParsedQuery::search(query, &[]).terms.len() >= MIN_TASK_WORDS).then_some(query)
    }

    /// The text of the task, if its files are known too.
    fn task(&self) -> Option<&str> {
        self.query.as_deref().filter(|_| !self.files.is_empty())
    }
}

/// The applicable memories, the most relevant first.
pub(super) struct Ranked<'m> {
    pub(super) memories: Vec<&'m MemoryFile>,
    /// Why each of them is relevant, if there is a task.
    pub(super) reasons: Vec<Option<String>>,
    /// Whether the example of each of them is worth its room: there is no task, or the task is likely to need it.
    pub(super) shows: Vec<bool>,
    pub(super) skipped: Vec<Skipped>,
}

/// Ranks the memories that apply to the task.
pub(super) fn rank<'m>(
    project: &Project,
    memories: &'m Memories,
    focus: &Focus,
) -> Result<Ranked<'m>> {
    let mut synced = sync::open_with(project, memories)?;
    let matches = matches(project, &mut synced, focus)?;
    let (applicable, mut skipped) = applicable(memories, focus, &synced)?;
    let in_code = compare(project, memories, focus, &applicable)?;
    let tasks = task_features(memories, focus, &applicable, &in_code);
    let mut ranked = Vec::new();
    for ((stored, in_code), task) in applicable.into_iter().zip(in_code).zip(tasks) {
        let id = &stored.memory.id;
        let query = matches.as_ref().and_then(|matches| matches.get(id));
        let anchor = memories.anchors.get(id);
        let subject = subject(&stored.memory, anchor, focus);
        let place = place(stored, memories, focus);
        let evidence = Evidence { place, query, in_code, subject, task };
        if evidence.is_relevant() || (matches.is_none() && focus.files.is_empty()) {
            // A person chose a manual example.
            let is_chosen = anchor.is_some_and(|anchor| anchor.origin == Origin::Manual);
            let shows = focus.is_empty() || is_chosen || evidence.shows();
            ranked.push((evidence.score(), stored, (evidence.reason(), shows)));
        } else {
            skipped.push((id.clone(), "not relevant to the task".to_owned()));
        }
    }
    ranked.sort_by(|(a_score, a, _), (b_score, b, _)| {
        b_score.total_cmp(a_score).then_with(|| tie_break(a).cmp(&tie_break(b)))
    });
    let (memories, (reasons, shows)) =
        ranked.into_iter().map(|(_, stored, why)| (stored, why)).unzip();
    Ok(Ranked { memories, reasons, shows, skipped })
}

/// A memory that is not given, by id, and the reason.
type Skipped = (String, String);

/// Returns the memories that may hold for the files of the focus, and the others.
pub(super) fn applicable<'m>(
    memories: &'m Memories,
    focus: &Focus,
    synced: &SyncedStore,
) -> Result<(Vec<&'m MemoryFile>, Vec<Skipped>)> {
    let superseded = links::supersession(synced)?.superseded;
    let (mut applicable, mut skipped) = (Vec::new(), Vec::new());
    for stored in &memories.all {
        let memory = &stored.memory;
        let reason = if memory.status == MemoryStatus::Archived {
            Some("archived".to_owned())
        } else if let Some(by) = superseded.get(&memory.id) {
            Some(format!("superseded by `{by}`"))
        } else if memory.body.trim().is_empty() {
            Some("it has no text".to_owned())
        } else {
            other_language(&memory.scope, focus).or_else(|| other_paths(&memory.paths, focus))
        };
        match reason {
            Some(reason) => skipped.push((memory.id.clone(), reason)),
            None => applicable.push(stored),
        }
    }
    Ok((applicable, skipped))
}

/// Why a memory is relevant to the task.
struct Evidence<'s> {
    place: Option<Place>,
    /// The score of its match with the query, at most 1.
    query: Option<&'s f64>,
    /// What it has in common with the files, and the least score of a relevant memory.
    in_code: Option<(relevance::Features, f64)>,
    /// The points for what it is about.
    subject: f64,
    /// Of a task.
    task: Option<Task>,
}

/// What a task says of a memory.
struct Task {
    features: TaskFeatures,
    /// Whether every change needs such a rule.
    is_general: bool,
    /// Whether the task is about another moment of the work, which is that of the rule too.
    is_of_its_moment: bool,
}

impl Evidence<'_> {
    fn is_relevant(&self) -> bool {
        match &self.task {
            Some(task) => {
                let is_of_moment =
                    task.features.moment.is_of_every_change() || task.is_of_its_moment;
                self.place.is_some()
                    || task.is_general
                    || (is_of_moment && (self.query.is_some() || self.is_in_code()))
            }
            None => self.place.is_some() || self.query.is_some() || self.is_in_code(),
        }
    }

    /// Whether the example is worth its room: the rule is likely to hold in the file, or the file has the example, or
    /// there is only a query. The room of an example is that of several rules.
    fn shows(&self) -> bool {
        let excess = self.in_code.map(|(features, floor)| features.score() - floor);
        let is_in_file = self.place.as_ref().is_some_and(|place| place.has_example);
        is_in_file || excess.is_none_or(|excess| excess >= relevance::LIKELY)
    }

    fn is_in_code(&self) -> bool {
        self.in_code.is_some_and(|(features, floor)| features.score() >= floor)
    }

    fn score(&self) -> f64 {
        if let Some(task) = &self.task {
            return task.features.score();
        }
        let place = self.place.as_ref().map_or(0.0, |place| place.points);
        let in_code = self.in_code.map_or(0.0, |(features, _)| features.score());
        place + MATCH * self.query.copied().unwrap_or(0.0) + in_code + self.subject
    }

    fn reason(&self) -> Option<String> {
        let place = self.place.as_ref().map(|place| place.reason.clone());
        let query = || self.query.map(|_| "it matches the query".to_owned());
        let in_code = || Some(format!("of the file: {}", self.in_code?.0.reason()));
        let general = || match &self.task {
            Some(task) if task.is_general => Some(match task.features.moment {
                Moment::Checking => "it is a check of any change".to_owned(),
                _ => "it holds for any change".to_owned(),
            }),
            _ => None,
        };
        place.or_else(query).or_else(general).or_else(in_code)
    }
}

/// Returns what a task says of each memory, or nothing without a task.
fn task_features(
    memories: &Memories,
    focus: &Focus,
    applicable: &[&MemoryFile],
    in_code: &[Option<(relevance::Features, f64)>],
) -> Vec<Option<Task>> {
    let Some(task) = focus.task() else { return applicable.iter().map(|_| None).collect() };
    let terms: Vec<BTreeSet<String>> = applicable
        .iter()
        .map(|stored| {
            let Memory { heading, body, .. } = &stored.memory;
            let heading = tokenize::terms(heading.as_deref().unwrap_or_default());
            heading.into_iter().chain(tokenize::terms(body)).collect()
        })
        .collect();
    let words = TaskWords::new(task, &terms);
    let task_moment = moment::moment_of_task(task);
    let features = applicable.iter().zip(&terms).zip(in_code).map(|((stored, terms), in_code)| {
        let Memory { heading, body, paths, memory_type, .. } = &stored.memory;
        let anchor = memories.anchors.get(&stored.memory.id);
        let moment = match moment::moment(body, heading.as_deref()) {
            Moment::Writing if anchor.is_some_and(|anchor| is_test(&anchor.file)) => {
                Moment::Testing
            }
            // What a person decided.
            moment if moment.is_of_every_change() => moment,
            _ if stored.memory.kind == Some(RuleKind::Code) => Moment::Writing,
            moment => moment,
        };
        let declared = place(stored, memories, focus).map(|place| place.nearness);
        let excess = |(features, floor): &(relevance::Features, f64)| features.score() - floor;
        // The file says nothing of the tests and checks to come.
        let is_of_file = anchor.is_some() && moment == Moment::Writing;
        let in_code = in_code.as_ref().filter(|_| is_of_file).map_or(0.0, excess);
        Some(Task {
            features: TaskFeatures {
                moment,
                is_emphatic: start::is_emphatic(body),
                is_from_guide: is_from_guide(stored),
                n_tokens: body.len() / BYTES_PER_TOKEN,
                words: words.rarity(terms),
                declared,
                in_code,
            },
            // A rule with an example is compared with the code.
            is_general: *memory_type == MemoryType::Rule
                && moment.is_of_every_change()
                && paths.is_empty()
                // An introduction whose list was imported in parts.
                && !body.trim_end().ends_with(':')
                && !is_of_file
                && !is_of_other_language(heading.as_deref().unwrap_or_default(), focus),
            is_of_its_moment: task_moment == moment,
        })
    });
    features.collect()
}

/// A heading of rules for the languages of browsers.
const FRONTEND: &str = "frontend";

/// Returns whether a heading, as "Code style › Go", names languages of which no file of the focus is.
pub(super) fn is_of_other_language(heading: &str, focus: &Focus) -> bool {
    let mut named = patterns::named_languages(heading);
    if heading.to_lowercase().contains(FRONTEND) {
        named.extend([Language::JavaScript, Language::TypeScript, Language::Tsx]);
    }
    let is_other = |file: &String| {
        language::from_path(file)
            .is_some_and(|language| !named.iter().any(|named| named.is_kin(language)))
    };
    !named.is_empty() && focus.files.iter().all(is_other)
}

/// The bytes of a token of prose.
const BYTES_PER_TOKEN: usize = 4;

/// Names of documents for people who contribute to a project or use it, in upper case.
const GUIDES: [&str; 2] = ["CONTRIBUTING", "README"];

/// Returns whether a memory was imported from a guide for people.
pub(super) fn is_from_guide(stored: &MemoryFile) -> bool {
    let start = &stored.text[..stored.text.len() - stored.memory.body.len()];
    let sources = start.lines().filter(|line| line.starts_with("source:"));
    sources.into_iter().any(|line| GUIDES.iter().any(|guide| line.to_uppercase().contains(guide)))
}

/// Compares memories with the files of the focus, if there are any.
pub(super) fn compare(
    project: &Project,
    memories: &Memories,
    focus: &Focus,
    applicable: &[&MemoryFile],
) -> Result<Vec<Option<(relevance::Features, f64)>>> {
    if focus.files.is_empty() {
        return Ok(vec![None; applicable.len()]);
    }
    let rules: Vec<code::Rule> = applicable
        .iter()
        .map(|stored| code::Rule {
            text: &stored.memory.body,
            hints: &stored.memory.hints,
            anchor: memories.anchors.get(&stored.memory.id),
        })
        .collect();
    let features = code::compare(project.code(), &focus.files, &focus.changed, &rules)?;
    let scores: Vec<f64> = features.iter().map(relevance::Features::score).collect();
    let floor = relevance::floor(&scores);
    Ok(features.into_iter().map(|features| Some((features, floor))).collect())
}

/// The order of memories with the same score: by scope, then the newest first.
fn tie_break(stored: &MemoryFile) -> impl Ord + '_ {
    let memory = &stored.memory;
    let distance = match memory.scope {
        // Without files in focus, what holds everywhere comes first.
        _ if !memory.paths.is_empty() => 3,
        Scope::Project(_) => 0,
        Scope::Language(_) => 1,
        Scope::Universal => 2,
    };
    (distance, Reverse(memory.updated_at.max(memory.created_at)), &memory.id)
}

/// A file of the focus that a memory belongs to.
struct Place {
    points: f64,
    /// 1 for the file itself, less for a folder that contains it.
    nearness: f64,
    has_example: bool,
    reason: String,
}

/// Returns the file of the focus that a memory belongs to.
fn place(stored: &MemoryFile, memories: &Memories, focus: &Focus) -> Option<Place> {
    let memory = &stored.memory;
    let anchor = memories.anchors.get(&memory.id);
    if let Some(anchor) = anchor.filter(|anchor| focus.files.contains(&anchor.file)) {
        let is_changed = focus.changed.contains_key(&anchor.file);
        let points = if is_changed { ANCHORED_TO_CHANGED } else { ANCHORED };
        let reason = format!("its example is in {}", anchor.file);
        return Some(Place { points, nearness: 1.0, has_example: true, reason });
    }
    if let Some(file) = focus.files.iter().find(|file| memory.body.contains(file.as_str())) {
        let reason = format!("it mentions {file}");
        return Some(Place { points: MENTION, nearness: 1.0, has_example: false, reason });
    }
    if memory.paths.is_empty() {
        return None;
    }
    let globs = Globs::new(&memory.paths);
    let matches = focus.files.iter().filter_map(|file| {
        let glob = globs.find(file)?;
        let nearness = relevance::nearness(folder(glob), file);
        let (points, reason) = (PATHS + NEAR_PATHS * nearness, format!("it applies to {glob}"));
        Some(Place { points, nearness, has_example: false, reason })
    });
    matches.max_by(|a, b| a.points.total_cmp(&b.points))
}

/// Returns the points for what a memory is about: working advice, tests, or other code.
fn subject(memory: &Memory, anchor: Option<&Anchor>, focus: &Focus) -> f64 {
    if focus.files.is_empty() {
        return 0.0;
    }
    let kind = memory.kind.unwrap_or_else(|| rule_kind::classify(&memory.body).kind);
    // Code that shows a rule is better evidence than its wording.
    let is_process = anchor.is_none() && kind == RuleKind::Process;
    let process = if is_process { PROCESS } else { 0.0 };
    let names_tests = |text: &str| tokenize::terms(text).iter().any(|term| term == TEST);
    let is_about_tests = match anchor {
        Some(anchor) => is_test(&anchor.file),
        None => memory.heading.as_deref().is_some_and(names_tests) || names_tests(&memory.body),
    };
    let test = match is_about_tests {
        true if focus.files.iter().any(|file| is_test(file)) => TEST_IN_TEST,
        true => TEST_IN_SOURCE,
        false => 0.0,
    };
    process + test
}

pub(super) fn is_test(path: &str) -> bool {
    PathClass::from_path(path) == PathClass::Test
}

/// Returns the part of a glob up to the last folder without a wildcard.
pub(super) fn folder(glob: &str) -> &str {
    let glob = glob.trim().trim_start_matches("./").trim_start_matches('/');
    let fixed = glob.find(['*', '?', '[', '{']).map_or(glob, |wildcard| &glob[..wildcard]);
    fixed.rfind('/').map_or("", |end| &fixed[..=end])
}

/// Returns the scores of the memories that match the query, scaled so that the best is 1; `None`
/// without a query.
fn matches(
    project: &Project,
    synced: &mut SyncedStore,
    focus: &Focus,
) -> Result<Option<FxHashMap<String, f64>>> {
    let query = focus.query.clone().filter(|query| !tokenize::terms(query).is_empty());
    let Some(query) = query else { return Ok(None) };
    let request = search::Request { superseded: true, ..search::Request::new(query, MAX_MATCHES) };
    let results = search::search_in(project, synced, &request)?.results;
    let best = results.iter().map(|hit| hit.score).fold(f64::MIN_POSITIVE, f64::max);
    Ok(Some(results.into_iter().map(|hit| (hit.id, hit.score / best)).collect()))
}

/// Returns the reason to skip a memory whose language no file of the focus has.
fn other_language(scope: &Scope, focus: &Focus) -> Option<String> {
    let Scope::Language(name) = scope else { return None };
    let wanted = language::from_scope(name)?;
    let mut found: Vec<Language> = Vec::new();
    for file in &focus.files {
        found.push(language::from_path(file)?);
    }
    let is_wanted = |language: &Language| wanted.contains(language);
    (!found.is_empty() && !found.iter().any(is_wanted))
        .then(|| format!("its language is {name}, but none of the files is"))
}

/// Returns the reason to skip a memory that applies to none of the files of the focus.
fn other_paths(paths: &[String], focus: &Focus) -> Option<String> {
    if paths.is_empty() || focus.files.is_empty() {
        return None;
    }
    let globs = Globs::new(paths);
    let is_other = focus.files.iter().all(|file| globs.find(file).is_none());
    is_other.then(|| format!("it applies to {}, but to none of the files", paths.join(", ")))
}
