//! Selects the memories that are relevant to the current task, and orders them by relevance, then by
//! scope and age. Without a task, every memory is relevant.
//!
//! There are three kinds of requests. Files alone are about to be edited: what they have in common with the code that shows a rule
//! decides, and few rules are given. A few words alone are a search. A longer query, or one with files, is a task: it also needs
//! the rules that hold for any change. If it names no file, the code that is most similar to it is used in their place.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use anyhow::Result;
use cerberus_bank::MemoryFile;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::{Project, search, sync};
use cerberus_engine::rank::moment::{self, Moment};
use cerberus_engine::rank::query::ParsedQuery;
use cerberus_engine::rank::relevance::Feature::{
    Anchored, AnchoredToLines, Checking, Declared, DeclaredNearness, Emphatic, Excess, FromGuide,
    InTest, Mentioned, OtherMoment, Process, Query, QueryWords, TestInSource, TestInTest, Testing,
};
use cerberus_engine::rank::relevance::{self, Features, Occasion};
use cerberus_engine::rank::{rule_kind, tokenize};
use cerberus_engine::relevance::{self as code, is_test};
use cerberus_engine::syntax::language;
use cerberus_engine::tree::documents;
use cerberus_model::{
    Anchor, Globs, Language, Memory, MemoryStatus, MemoryType, Origin, RuleKind, Scope,
};
use cerberus_patterns as patterns;
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator,
};
use rustc_hash::FxHashMap;

use super::{Skipped, start};

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
    /// Whether an agent edits the files.
    pub(super) is_edit: bool,
}

impl Focus {
    /// Returns the focus on the texts that an agent writes to files, by path; `None` if none is about code.
    pub(super) fn of_edit(mut written: BTreeMap<String, String>) -> Option<Self> {
        // A rule has the words of the document that it was imported from.
        written.retain(|path, lines| !documents::is_rule_file(path) && !lines.trim().is_empty());
        let files: BTreeSet<String> = written.keys().cloned().collect();
        (!files.is_empty()).then_some(Self {
            query: None,
            files,
            changed: written,
            is_edit: true,
        })
    }

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

/// A relevant memory.
pub(super) struct Relevant<'m> {
    pub(super) stored: &'m MemoryFile,
    /// Why it is relevant, if there is a task.
    pub(super) why: Option<String>,
    /// Whether its example is worth its room: there is no task, or the task is likely to need it.
    pub(super) shows_example: bool,
    score: f64,
}

/// The memories of a bank.
pub(super) struct Ranked<'m> {
    /// The most relevant first.
    pub(super) relevant: Vec<Relevant<'m>>,
    pub(super) skipped: Vec<Skipped>,
    /// The features of those that apply to the files, by id.
    pub(super) features: BTreeMap<&'m str, Features>,
}

/// Ranks the memories by their relevance to the task.
pub(super) fn rank<'m>(
    project: &Project,
    memories: &'m Memories,
    focus: &Focus,
) -> Result<Ranked<'m>> {
    let matches = matches(project, memories, focus)?;
    let (applicable, mut skipped) = applicable(memories, focus);
    let features = features(project, memories, focus, &applicable)?;
    let n_declared = applicable
        .iter()
        .filter(|it| !it.memory.paths.is_empty())
        .count();
    let judge = Judge {
        focus,
        matches,
        moment_of_task: focus.task().map(moment::moment_of_task),
        is_in_test: focus.files.iter().any(|file| is_test(file)),
        n_rules: [applicable.len() - n_declared, n_declared],
    };
    let judge = |(stored, mut features): (&'m MemoryFile, Features)| {
        let anchor = memories.anchors.get(&stored.memory.id);
        let judged = match focus.is_edit {
            true => judge.edit(stored, anchor, &mut features),
            false => judge.request(stored, anchor, &mut features),
        };
        (stored, features, judged)
    };
    let judged: Vec<_> = applicable
        .into_par_iter()
        .zip(features)
        .map(judge)
        .collect();
    let (mut relevant, mut features_by_id) = (Vec::new(), BTreeMap::new());
    for (stored, features, judged) in judged {
        match judged {
            Some(found) => relevant.push(found),
            None => skipped.push(Skipped::memory(stored, "not relevant to the task")),
        }
        features_by_id.insert(&*stored.memory.id, features);
    }
    relevant.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| match focus.is_edit {
                true => a.stored.memory.id.cmp(&b.stored.memory.id),
                false => tie_break(a.stored).cmp(&tie_break(b.stored)),
            })
    });
    Ok(Ranked {
        relevant,
        skipped,
        features: features_by_id,
    })
}

/// Returns the memories that may hold for the files of the focus, and the others.
fn applicable<'m>(memories: &'m Memories, focus: &Focus) -> (Vec<&'m MemoryFile>, Vec<Skipped>) {
    let superseded = memories.superseded();
    let (mut applicable, mut skipped) = (Vec::new(), Vec::new());
    for stored in &memories.all {
        let memory = &stored.memory;
        let reason = if memory.status == MemoryStatus::Archived {
            Some("archived".to_owned())
        } else if let Some(by) = superseded.get(&memory.id) {
            Some(format!("superseded by `{by}`"))
        } else if let Some(fault) = stored.fault {
            Some(fault.to_owned())
        } else if memory.body.trim().is_empty() {
            Some("it has no text".to_owned())
        } else {
            other_language(&memory.scope, focus).or_else(|| other_paths(&memory.paths, focus))
        };
        match reason {
            Some(reason) => skipped.push(Skipped::memory(stored, reason)),
            None => applicable.push(stored),
        }
    }
    (applicable, skipped)
}

/// Returns what memories have in common with the files of the focus and the words of its task.
fn features(
    project: &Project,
    memories: &Memories,
    focus: &Focus,
    applicable: &[&MemoryFile],
) -> Result<Vec<Features>> {
    if focus.files.is_empty() {
        return Ok(vec![Features::default(); applicable.len()]);
    }
    let rules = applicable.iter().map(|stored| code::Rule {
        text: &stored.memory.body,
        hints: &stored.memory.hints,
        anchor: memories.anchors.get(&stored.memory.id),
    });
    let rules: Vec<code::Rule> = rules.collect();
    let mut features = code::compare(project.code(), &focus.files, &focus.changed, &rules)?;
    if let Some(task) = focus.task() {
        let terms = applicable.par_iter().map(|stored| {
            let Memory { heading, body, .. } = &stored.memory;
            let heading = tokenize::terms(heading.as_deref().unwrap_or_default());
            heading.into_iter().chain(tokenize::terms(body)).collect()
        });
        let words = relevance::words_of_task(task, &terms.collect::<Vec<BTreeSet<String>>>());
        features
            .iter_mut()
            .zip(words)
            .for_each(|(it, words)| it[QueryWords] = words);
    }
    Ok(features)
}

/// The evidence about the files and the query that memories are compared with.
struct Judge<'a> {
    focus: &'a Focus,
    /// The scores of the memories that match the query, by that of the best; `None` without a query.
    matches: Option<FxHashMap<String, f64>>,
    /// The moment of the work that the task is about, if there is one.
    moment_of_task: Option<Moment>,
    is_in_test: bool,
    /// The number of applicable memories without paths, and of those with some.
    n_rules: [usize; 2],
}

impl Judge<'_> {
    /// Returns a memory if it is relevant to a request.
    fn request<'m>(
        &self,
        stored: &'m MemoryFile,
        anchor: Option<&Anchor>,
        features: &mut Features,
    ) -> Option<Relevant<'m>> {
        let place = place(&stored.memory, anchor, self.focus, features);
        let query = self
            .matches
            .as_ref()
            .and_then(|it| it.get(&stored.memory.id).copied());
        features[Query] = query.unwrap_or_default();
        let has_files = !self.focus.files.is_empty();
        let is_in_code = query.is_some() || (has_files && features[Excess] >= 0.0);
        let (score, is_relevant, general) = match self.moment_of_task {
            Some(moment_of_task) => {
                let moment = moment_of(stored, anchor);
                let is_of_file = anchor.is_some() && moment == Moment::Writing;
                let is_general =
                    moment.is_of_every_change() && !is_of_file && self.is_general(&stored.memory);
                set_task_features(features, &stored.memory, moment);
                if is_of_file {
                    features.set_excess_of_code();
                }
                let is_of_moment = moment.is_of_every_change() || moment == moment_of_task;
                let general = is_general.then(|| match moment {
                    Moment::Checking => "it is a check of any change".to_owned(),
                    _ => "it holds for any change".to_owned(),
                });
                let is_relevant = is_general || (is_of_moment && is_in_code);
                (features.score(Occasion::Task), is_relevant, general)
            }
            None => {
                if has_files {
                    self.set_subject(features, &stored.memory, anchor);
                }
                let is_unfocused = self.matches.is_none() && !has_files;
                (features.score_in_file(), is_in_code || is_unfocused, None)
            }
        };
        if !is_relevant && place.is_none() {
            return None;
        }
        let query = query.map(|_| "it matches the query".to_owned());
        let in_code = || has_files.then(|| format!("of the file: {}", features.reason()));
        let shows_example =
            is_chosen(anchor) || !has_files || features.is_anchored() || features.is_likely();
        let why = place.or(query).or(general).or_else(in_code);
        Some(Relevant {
            stored,
            why,
            shows_example,
            score,
        })
    }

    /// Returns a memory if an edit is about it.
    fn edit<'m>(
        &self,
        stored: &'m MemoryFile,
        anchor: Option<&Anchor>,
        features: &mut Features,
    ) -> Option<Relevant<'m>> {
        let Memory {
            body,
            heading,
            kind,
            paths,
            ..
        } = &stored.memory;
        let files = &self.focus.files;
        let globs = Globs::new(&code::named_globs(body));
        let is_named = |file: &String| body.contains(file.as_str()) || globs.find(file).is_some();
        features.set_flag(Mentioned, files.iter().any(is_named));
        features.set_flag(
            Anchored,
            anchor.is_some_and(|anchor| files.contains(&anchor.file)),
        );
        features.set_flag(InTest, self.is_in_test);
        features.set_n_rules(self.n_rules[usize::from(!paths.is_empty())]);
        // What the text says can only lower the score, and most rules need not be read for it.
        if !features.is_for_edit() || is_of_other_language(heading.as_deref(), self.focus) {
            return None;
        }
        let is_process =
            kind.unwrap_or_else(|| rule_kind::classify(body).kind) == RuleKind::Process;
        let is_about_tests = moment::moment(body, heading.as_deref()) == Moment::Testing;
        features.set_flag(FromGuide, is_from_guide(&stored.memory));
        features.set_flag(Process, is_process);
        features.set_flag(TestInSource, is_about_tests && !self.is_in_test);
        features.is_for_edit().then(|| Relevant {
            stored,
            why: None,
            shows_example: is_chosen(anchor) || features.shows_example_in_edit(),
            score: features.score_of_edit(),
        })
    }

    /// Sets what a memory is about: working advice, tests, or other code.
    fn set_subject(&self, features: &mut Features, memory: &Memory, anchor: Option<&Anchor>) {
        let kind = || {
            memory
                .kind
                .unwrap_or_else(|| rule_kind::classify(&memory.body).kind)
        };
        // Code that shows a rule is better evidence than its wording.
        features.set_flag(Process, anchor.is_none() && kind() == RuleKind::Process);
        let names_tests = |text: &str| tokenize::terms(text).iter().any(|term| term == TEST);
        let is_about_tests = match anchor {
            Some(anchor) => is_test(&anchor.file),
            None => memory.heading.as_deref().is_some_and(names_tests) || names_tests(&memory.body),
        };
        features.set_flag(TestInTest, is_about_tests && self.is_in_test);
        features.set_flag(TestInSource, is_about_tests && !self.is_in_test);
    }

    /// Returns whether every change needs such a rule, if it comes to its moment.
    fn is_general(&self, memory: &Memory) -> bool {
        memory.memory_type == MemoryType::Rule
            && memory.paths.is_empty()
            // An introduction whose list was imported in parts.
            && !memory.body.trim_end().ends_with(':')
            && !is_of_other_language(memory.heading.as_deref(), self.focus)
    }
}

/// Returns the moment of the work at which a memory matters.
fn moment_of(stored: &MemoryFile, anchor: Option<&Anchor>) -> Moment {
    let Memory {
        heading,
        body,
        kind,
        ..
    } = &stored.memory;
    match moment::moment(body, heading.as_deref()) {
        Moment::Writing if anchor.is_some_and(|it| is_test(&it.file)) => Moment::Testing,
        moment if moment.is_of_every_change() => moment,
        // What a person decided.
        _ if *kind == Some(RuleKind::Code) => Moment::Writing,
        moment => moment,
    }
}

fn set_task_features(features: &mut Features, memory: &Memory, moment: Moment) {
    features.set_flag(Checking, moment == Moment::Checking);
    features.set_flag(Testing, moment == Moment::Testing);
    features.set_flag(OtherMoment, !moment.is_of_every_change());
    features.set_flag(Emphatic, start::is_emphatic(&memory.body));
    features.set_flag(FromGuide, is_from_guide(memory));
    features.set_length(memory.body.len() / BYTES_PER_TOKEN);
}

/// Whether a person chose the example.
fn is_chosen(anchor: Option<&Anchor>) -> bool {
    anchor.is_some_and(|anchor| anchor.origin == Origin::Manual)
}

/// A heading of rules for the languages of browsers.
const FRONTEND: &str = "frontend";

/// Returns whether a heading, as "Code style › Go", names languages of which no file of the focus is.
fn is_of_other_language(heading: Option<&str>, focus: &Focus) -> bool {
    let heading = heading.unwrap_or_default();
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
fn is_from_guide(memory: &Memory) -> bool {
    let is_guide = |source: &String| {
        GUIDES
            .iter()
            .any(|guide| source.to_uppercase().contains(guide))
    };
    memory.source.iter().any(is_guide)
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
    (
        distance,
        Reverse(memory.updated_at.max(memory.created_at)),
        &memory.id,
    )
}

/// Sets by what a memory belongs to a file of the focus. Returns the reason, if it does.
fn place(
    memory: &Memory,
    anchor: Option<&Anchor>,
    focus: &Focus,
    features: &mut Features,
) -> Option<String> {
    if let Some(anchor) = anchor.filter(|anchor| focus.files.contains(&anchor.file)) {
        let is_changed = focus.changed.contains_key(&anchor.file);
        features.set_flag(
            if is_changed {
                AnchoredToLines
            } else {
                Anchored
            },
            true,
        );
        return Some(format!("its example is in {}", anchor.file));
    }
    if let Some(file) = focus
        .files
        .iter()
        .find(|file| memory.body.contains(file.as_str()))
    {
        features.set_flag(Mentioned, true);
        return Some(format!("it mentions {file}"));
    }
    if memory.paths.is_empty() {
        return None;
    }
    let globs = Globs::new(&memory.paths);
    let matches = focus.files.iter().filter_map(|file| {
        let glob = globs.find(file)?;
        Some((relevance::nearness(folder(glob), file), glob))
    });
    let (nearness, glob) = matches.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    features.set_flag(Declared, true);
    features[DeclaredNearness] = nearness;
    Some(format!("it applies to {glob}"))
}

/// Returns the part of a glob up to the last folder without a wildcard.
pub(super) fn folder(glob: &str) -> &str {
    let glob = glob.trim().trim_start_matches("./").trim_start_matches('/');
    let fixed = glob
        .find(['*', '?', '[', '{'])
        .map_or(glob, |wildcard| &glob[..wildcard]);
    fixed.rfind('/').map_or("", |end| &fixed[..=end])
}

/// Returns the scores of the memories that match the query, scaled so that the best is 1; `None`
/// without a query.
fn matches(
    project: &Project,
    memories: &Memories,
    focus: &Focus,
) -> Result<Option<FxHashMap<String, f64>>> {
    let query = focus
        .query
        .clone()
        .filter(|query| !tokenize::terms(query).is_empty());
    let Some(query) = query else { return Ok(None) };
    let mut synced = sync::open_with(project, memories)?;
    let request = search::Request {
        query: vec![query],
        superseded: true,
        limit: NonZeroUsize::new(MAX_MATCHES),
        ..search::Request::default()
    };
    let results = search::search_in(project, &mut synced, &request)?.results;
    let best = results
        .iter()
        .map(|hit| hit.score)
        .fold(f64::MIN_POSITIVE, f64::max);
    Ok(Some(
        results
            .into_iter()
            .map(|hit| (hit.id, hit.score / best))
            .collect(),
    ))
}

/// Returns the reason to skip a memory whose language no file of the focus has.
fn other_language(scope: &Scope, focus: &Focus) -> Option<String> {
    let Scope::Language(name) = scope else {
        return None;
    };
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
    is_other.then(|| {
        format!(
            "it applies to {}, but to none of the files",
            paths.join(", ")
        )
    })
}
