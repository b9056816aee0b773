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
use cerberus_bank::Workspace;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::search;
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
        if written.is_empty() {
            return None;
        }
        Some(Self {
            query: None,
            files: written.keys().cloned().collect(),
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
    project: &Workspace,
    memories: &'m Memories,
    focus: &Focus,
) -> Result<Ranked<'m>> {
    let matches = matches(project, memories, focus)?;
    let (applicable, mut skipped) = applicable(memories, focus);
    let features = features(project, memories, focus, &applicable)?;
    let has_paths = applicable
        .iter()
        .filter(|stored| !stored.memory.paths.is_empty());
    let n_declared = has_paths.count();
    let judge = Judge {
        focus,
        matches,
        moment_of_task: focus.task().map(moment::moment_of_task),
        is_in_test: focus.files.iter().any(|file| is_test(file)),
        n_rules: [applicable.len() - n_declared, n_declared],
    };
    let judged: Vec<_> = applicable
        .into_par_iter()
        .zip(features)
        .map(|(stored, mut features)| {
            let anchor = memories.anchors.get(&stored.memory.id);
            let judged = if focus.is_edit {
                judge.edit(stored, anchor, &mut features)
            } else {
                judge.request(stored, anchor, &mut features)
            };
            (stored, features, judged)
        })
        .collect();
    let mut relevant = Vec::new();
    let mut features_by_id = BTreeMap::new();
    for (stored, features, judged) in judged {
        match judged {
            Some(found) => relevant.push(found),
            None => skipped.push(Skipped::memory(stored, "not relevant to the task")),
        }
        features_by_id.insert(&*stored.memory.id, features);
    }
    relevant.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        if focus.is_edit {
            by_score.then_with(|| a.stored.memory.id.cmp(&b.stored.memory.id))
        } else {
            by_score.then_with(|| tie_break(a.stored).cmp(&tie_break(b.stored)))
        }
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
    let mut applicable = Vec::new();
    let mut skipped = Vec::new();
    for stored in &memories.all {
        let memory = &stored.memory;
        let reason = if memory.status != MemoryStatus::Active {
            Some(memory.status.to_string())
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

/// Returns the features of memories: their similarity to the files of the focus and the words of its task.
fn features(
    project: &Workspace,
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
    let store = project.store()?;
    let mut features = code::compare(project.code(&store), &focus.files, &focus.changed, &rules)?;
    if let Some(task) = focus.task() {
        let terms = applicable.par_iter().map(|stored| {
            let Memory { heading, body, .. } = &stored.memory;
            let heading = tokenize::terms(heading.as_deref().unwrap_or_default());
            heading.into_iter().chain(tokenize::terms(body)).collect()
        });
        let words = relevance::words_of_task(task, &terms.collect::<Vec<BTreeSet<String>>>());
        for (features, words) in features.iter_mut().zip(words) {
            features[QueryWords] = words;
        }
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
        let matches = self.matches.as_ref();
        let query = matches.and_then(|scores| scores.get(&stored.memory.id).copied());
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
        let shows_example =
            is_chosen(anchor) || !has_files || features.is_anchored() || features.is_likely();
        let mut why = place.or(query).or(general);
        if why.is_none() && has_files {
            why = Some(format!("of the file: {}", features.reason()));
        }
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
        let is_mentioned = files
            .iter()
            .any(|file| body.contains(file.as_str()) || globs.find(file).is_some());
        let is_anchored = anchor.is_some_and(|anchor| files.contains(&anchor.file));
        features.set_flag(Mentioned, is_mentioned);
        features.set_flag(Anchored, is_anchored);
        features.set_flag(InTest, self.is_in_test);
        features.set_n_rules(self.n_rules[usize::from(!paths.is_empty())]);
        // The text can only lower the score, and most rules need not be read for it.
        if !features.is_for_edit() || is_of_other_language(heading.as_deref(), self.focus) {
            return None;
        }
        let kind = kind.unwrap_or_else(|| rule_kind::classify(body).kind);
        let is_about_tests = moment::moment(body, heading.as_deref()) == Moment::Testing;
        features.set_flag(FromGuide, is_from_guide(&stored.memory));
        features.set_flag(Process, kind == RuleKind::Process);
        features.set_flag(TestInSource, is_about_tests && !self.is_in_test);
        if !features.is_for_edit() {
            return None;
        }
        Some(Relevant {
            stored,
            why: None,
            shows_example: is_chosen(anchor) || features.shows_example_in_edit(),
            score: features.score_of_edit(),
        })
    }

    /// Sets the subject of a memory: working advice, tests, or other code.
    fn set_subject(&self, features: &mut Features, memory: &Memory, anchor: Option<&Anchor>) {
        // Code that shows a rule is better evidence than its wording.
        let (is_process, is_about_tests) = match anchor {
            Some(anchor) => (false, is_test(&anchor.file)),
            None => {
                let kind = memory.kind;
                let kind = kind.unwrap_or_else(|| rule_kind::classify(&memory.body).kind);
                let heading = memory.heading.as_deref().unwrap_or_default();
                let names_tests = names_tests(heading) || names_tests(&memory.body);
                (kind == RuleKind::Process, names_tests)
            }
        };
        features.set_flag(Process, is_process);
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

fn names_tests(text: &str) -> bool {
    tokenize::terms(text).iter().any(|term| term == TEST)
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
        Moment::Writing if anchor.is_some_and(|anchor| is_test(&anchor.file)) => Moment::Testing,
        moment if moment.is_of_every_change() => moment,
        // The decision of a person.
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
    if named.is_empty() {
        return false;
    }
    for file in &focus.files {
        let Some(language) = language::from_path(file) else {
            return false;
        };
        if named.iter().any(|named| named.is_kin(language)) {
            return false;
        }
    }
    true
}

/// The bytes of a token of prose.
const BYTES_PER_TOKEN: usize = 4;

/// Names of documents for people who contribute to a project or use it, in upper case.
const GUIDES: [&str; 2] = ["CONTRIBUTING", "README"];

/// Returns whether a memory was imported from a guide for people.
fn is_from_guide(memory: &Memory) -> bool {
    memory.source.iter().any(|source| {
        let source = source.to_uppercase();
        GUIDES.iter().any(|guide| source.contains(guide))
    })
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

/// Sets the features by which a memory belongs to a file of the focus. Returns the reason, if it does.
fn place(
    memory: &Memory,
    anchor: Option<&Anchor>,
    focus: &Focus,
    features: &mut Features,
) -> Option<String> {
    if let Some(anchor) = anchor.filter(|anchor| focus.files.contains(&anchor.file)) {
        let feature = if focus.changed.contains_key(&anchor.file) {
            AnchoredToLines
        } else {
            Anchored
        };
        features.set_flag(feature, true);
        return Some(format!("its example is in {}", anchor.file));
    }
    for file in &focus.files {
        if memory.body.contains(file.as_str()) {
            features.set_flag(Mentioned, true);
            return Some(format!("it mentions {file}"));
        }
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
    let wildcard = glob.find(['*', '?', '[', '{']).unwrap_or(glob.len());
    match glob[..wildcard].rfind('/') {
        Some(end) => &glob[..=end],
        None => "",
    }
}

/// Returns the scores of the memories that match the query, scaled so that the best is 1; `None`
/// without a query.
fn matches(
    project: &Workspace,
    _memories: &Memories,
    focus: &Focus,
) -> Result<Option<FxHashMap<String, f64>>> {
    let Some(query) = &focus.query else {
        return Ok(None);
    };
    if tokenize::terms(query).is_empty() {
        return Ok(None);
    }
    let request = search::Request {
        query: vec![query.clone()],
        superseded: true,
        limit: NonZeroUsize::new(MAX_MATCHES),
        ..search::Request::default()
    };
    let results = search::search(project, &request)?.results;
    let mut best = f64::MIN_POSITIVE;
    for hit in &results {
        best = best.max(hit.score);
    }
    let mut scores = FxHashMap::default();
    for hit in results {
        scores.insert(hit.id, hit.score / best);
    }
    Ok(Some(scores))
}

/// Returns the reason to skip a memory whose language no file of the focus has.
fn other_language(scope: &Scope, focus: &Focus) -> Option<String> {
    let Scope::Language(name) = scope else {
        return None;
    };
    let wanted = language::from_scope(name)?;
    if focus.files.is_empty() {
        return None;
    }
    let mut is_wanted = false;
    for file in &focus.files {
        is_wanted |= wanted.contains(&language::from_path(file)?);
    }
    if is_wanted {
        return None;
    }
    Some(format!("its language is {name}, but none of the files is"))
}

/// Returns the reason to skip a memory that applies to none of the files of the focus.
fn other_paths(paths: &[String], focus: &Focus) -> Option<String> {
    if paths.is_empty() || focus.files.is_empty() {
        return None;
    }
    let globs = Globs::new(paths);
    if focus.files.iter().any(|file| globs.find(file).is_some()) {
        return None;
    }
    let globs = paths.join(", ");
    Some(format!("it applies to {globs}, but to none of the files"))
}
