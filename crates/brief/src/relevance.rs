//! Selects the memories that are relevant to files or to an edit, and orders them by relevance, then by
//! scope and age. Without files, every memory is relevant.
//!
//! What files have in common with the rule and with the code that shows it decides. An edit gets few rules, those that
//! its added lines are about.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::{MemoryFile, Workspace};
use cerberus_engine::rank::moment::{self, Moment};
use cerberus_engine::rank::relevance::Feature::{
    Anchored, AnchoredToLines, Declared, DeclaredNearness, Excess, FromGuide, InTest, Mentioned,
    Process, TestInSource, TestInTest,
};
use cerberus_engine::rank::relevance::{self, Features};
use cerberus_engine::rank::{rule_kind, tokenize};
use cerberus_engine::relevance::{self as code, is_test};
use cerberus_engine::syntax::language;
use cerberus_model::{Anchor, Globs, Language, Memory, MemoryStatus, RuleKind, Scope};
use cerberus_patterns as patterns;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::Skipped;
use super::focus::Focus;
use super::list::List;

/// The stem of "test", "tests" and "testing".
const TEST: &str = "test";

/// Maximum number of rules of an edit. They come in the middle of the work, and more would not be read.
const MAX_EDIT_RULES: usize = 3;

/// Maximum number of bytes of a rule of an edit. A longer text is a document.
const MAX_EDIT_BYTES: usize = 800;

/// What the mention of an edited file counts if the rule forbids to edit it, relative to another mention.
const FORBIDDEN_FILE: f64 = 2.0;

/// A relevant memory.
pub(crate) struct Relevant<'m> {
    pub(crate) stored: &'m MemoryFile,
    /// Why it is relevant, if there is a task.
    pub(crate) why: Option<String>,
    /// Whether its example is worth its room: there is no task, or the task is likely to need it.
    pub(crate) shows_example: bool,
    pub(crate) score: f64,
    /// The list that it is an item of, if its items are given together.
    pub(crate) list: Option<List<'m>>,
}

/// The memories of a bank.
#[derive(Default)]
pub(crate) struct Ranked<'m> {
    /// The most relevant first.
    pub(crate) relevant: Vec<Relevant<'m>>,
    pub(crate) skipped: Vec<Skipped>,
    /// The features of those that apply to the files, by id.
    pub(crate) features: BTreeMap<&'m str, Features>,
}

/// Ranks the memories by their relevance to the files of the focus.
pub(crate) fn rank<'m>(
    project: &Workspace,
    memories: &'m Memories,
    focus: &Focus,
) -> Result<Ranked<'m>> {
    if focus.is_edit && focus.files.is_empty() {
        return Ok(Ranked::default());
    }
    let (applicable, mut skipped) = applicable(memories, focus);
    let features = in_files(project, memories, focus, &applicable)?;
    let has_paths = applicable
        .iter()
        .filter(|stored| !stored.memory.paths.is_empty());
    let n_declared = has_paths.count();
    let judge = Judge {
        focus,
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
                judge.files(stored, anchor, &mut features)
            };
            (stored, features, judged)
        })
        .collect();
    let mut relevant = Vec::new();
    let mut features_by_id = BTreeMap::new();
    for (stored, features, judged) in judged {
        match judged {
            Some(found) => relevant.push(found),
            None => skipped.push(Skipped::memory(stored, "not relevant to the files")),
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
    if focus.is_edit {
        relevant.retain(|relevant| relevant.stored.memory.body.len() <= MAX_EDIT_BYTES);
        relevant.truncate(MAX_EDIT_RULES);
    }
    Ok(Ranked {
        relevant,
        skipped,
        features: features_by_id,
    })
}

/// Returns the memories that may hold for the files of the focus, and the others.
pub(crate) fn applicable<'m>(
    memories: &'m Memories,
    focus: &Focus,
) -> (Vec<&'m MemoryFile>, Vec<Skipped>) {
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
        } else if focus.is_guess {
            None
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

/// Returns the features of memories by what they have in common with the files of the focus.
pub(crate) fn in_files(
    project: &Workspace,
    memories: &Memories,
    focus: &Focus,
    applicable: &[&MemoryFile],
) -> Result<Vec<Features>> {
    if focus.files.is_empty() {
        return Ok(vec![Features::default(); applicable.len()]);
    }
    let mut rules = Vec::with_capacity(applicable.len());
    for stored in applicable {
        rules.push(code::Rule {
            text: &stored.memory.body,
            hints: &stored.memory.hints,
            anchor: memories.anchors.get(&stored.memory.id),
        });
    }
    let store = project.store()?;
    code::compare(project.code(&store), &focus.files, &focus.added, &rules)
}

/// The files that memories are compared with.
struct Judge<'a> {
    focus: &'a Focus,
    is_in_test: bool,
    /// The number of applicable memories without paths, and of those with some.
    n_rules: [usize; 2],
}

impl Judge<'_> {
    /// Returns a memory if it is relevant to files.
    fn files<'m>(
        &self,
        stored: &'m MemoryFile,
        anchor: Option<&Anchor>,
        features: &mut Features,
    ) -> Option<Relevant<'m>> {
        let mut why = belonging(&stored.memory, anchor, self.focus, features);
        let has_files = !self.focus.files.is_empty();
        if has_files {
            self.set_subject(features, &stored.memory, anchor);
            if why.is_none() && features[Excess] < 0.0 {
                return None;
            }
            let reason = || format!("of the file: {}", features.reason());
            why = Some(why.unwrap_or_else(reason));
        }
        let shows_example =
            is_chosen(anchor) || !has_files || features.is_anchored() || features.is_likely();
        Some(Relevant {
            stored,
            why,
            shows_example,
            score: features.score_in_file(),
            list: None,
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
            .any(|file| mentions(body, file) || globs.find(file).is_some());
        let is_anchored = anchor.is_some_and(|anchor| files.contains(&anchor.file));
        let forbidden = Globs::new(&code::forbidden_globs(body));
        if files.iter().any(|file| forbidden.find(file).is_some()) {
            features[Mentioned] = FORBIDDEN_FILE;
        } else {
            features.set_flag(Mentioned, is_mentioned);
        }
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
            list: None,
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
}

pub(crate) fn names_tests(text: &str) -> bool {
    tokenize::terms(text).iter().any(|term| term == TEST)
}

/// Whether a person chose the example.
pub(crate) fn is_chosen(anchor: Option<&Anchor>) -> bool {
    anchor.is_some_and(|anchor| anchor.origin.is_of_person())
}

/// A heading of rules for the languages of browsers.
const FRONTEND: &str = "frontend";

/// Returns whether a heading, as "Code style › Go", names languages of which no file of the focus is.
pub(crate) fn is_of_other_language(heading: Option<&str>, focus: &Focus) -> bool {
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

/// Names of documents for people who contribute to a project or use it, in upper case.
const GUIDES: [&str; 2] = ["CONTRIBUTING", "README"];

/// Returns whether a memory was imported from a guide for people.
pub(crate) fn is_from_guide(memory: &Memory) -> bool {
    memory.source.iter().any(|source| {
        let source = source.to_uppercase();
        GUIDES.iter().any(|guide| source.contains(guide))
    })
}

/// The order of memories with the same score: by scope, then the newest first.
pub(crate) fn tie_break(stored: &MemoryFile) -> impl Ord + '_ {
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
pub(crate) fn belonging(
    memory: &Memory,
    anchor: Option<&Anchor>,
    focus: &Focus,
    features: &mut Features,
) -> Option<String> {
    if let Some(anchor) = anchor.filter(|anchor| focus.files.contains(&anchor.file)) {
        let feature = if focus.added.contains_key(&anchor.file) {
            AnchoredToLines
        } else {
            Anchored
        };
        features.set_flag(feature, true);
        return Some(format!("its example is in {}", anchor.file));
    }
    for file in &focus.files {
        if mentions(&memory.body, file) {
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

/// Returns whether a text mentions a file. If it names another file that ends so, the short name means that one.
fn mentions(text: &str, file: &str) -> bool {
    let mut is_mentioned = false;
    for (at, _) in text.match_indices(file) {
        let before = text[..at].trim_end_matches("./");
        if before.ends_with('/') {
            return false;
        }
        is_mentioned = true;
    }
    is_mentioned
}

/// Returns the part of a glob up to the last folder without a wildcard.
pub(crate) fn folder(glob: &str) -> &str {
    let glob = glob.trim().trim_start_matches("./").trim_start_matches('/');
    let wildcard = glob.find(['*', '?', '[', '{']).unwrap_or(glob.len());
    match glob[..wildcard].rfind('/') {
        Some(end) => &glob[..=end],
        None => "",
    }
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
pub(crate) fn other_paths(paths: &[String], focus: &Focus) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_means_the_longer_path_in_the_text() {
        assert!(mentions("Keep `./NEWS.md` sorted", "NEWS.md"));
        assert!(mentions("Sort `docs/NEWS.md`", "docs/NEWS.md"));
        assert!(!mentions(
            "Add it to `docs/NEWS.md`; `NEWS.md` has the rest",
            "NEWS.md"
        ));
    }
}
