//! Hints about code that the text of a rule forbids, for rules without an accepted pattern.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cerberus_bank::MemoryFile;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::{Project, memories, patterns};
use cerberus_claims::parse;
use cerberus_engine::rank::path_class::PathClass;
use cerberus_engine::syntax::language;
use cerberus_engine::tree::git::AddedLines;
use cerberus_engine::tree::read;
use cerberus_model::text::Globs;
use cerberus_model::text::conventions::{self, CONVENTIONS};
use cerberus_model::{Enforcement, Language, Memory, MemoryStatus, Severity};
use cerberus_patterns::code_pattern::Match;
use cerberus_patterns::stated::{CodeTokens, RuleContext, StatedBan, declares_tests};
use cerberus_patterns::{Sample, named_languages};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{CheckedRule, Finding};

/// Maximum number of files of the project with forbidden code, for hints about more of it: what a project does widely is not
/// forbidden, or the text means something else. See benches/patterns/README.md.
const MAX_FILES: usize = 15;

/// Returns the hints about the added lines of changed files, and the number of those that a comment allows.
pub(super) fn find(
    project: &Project,
    memories: &Memories,
    changes: &[AddedLines],
) -> (Vec<Finding>, usize) {
    let rules: Vec<Stated<'_>> = memories.all.iter().filter_map(Stated::new).collect();
    let root = &project.root;
    let hits: Vec<Vec<(usize, Match)>> = changes
        .par_iter()
        .map(|change| added_hits(root, &rules, change))
        .collect();
    let hit_rules = hits.iter().flatten().map(|(rule_idx, _)| *rule_idx);
    let hit_rules = BTreeSet::from_iter(hit_rules);
    let stated: Vec<&Stated<'_>> = hit_rules.iter().map(|rule_idx| &rules[*rule_idx]).collect();
    let n_files = n_files(project, &stated, changes, MAX_FILES);
    let mut hints = BTreeMap::new();
    for (rule_idx, n_files) in hit_rules.into_iter().zip(n_files) {
        let rule = &rules[rule_idx];
        if rule.no_hint(project, memories, n_files).is_none() {
            let checked = CheckedRule::new(rule.stored, memories, Vec::new());
            hints.insert(rule_idx, checked);
        }
    }
    let mut findings = Vec::new();
    let mut n_allowed = 0;
    for (change, hits) in changes.iter().zip(hits) {
        let hits = hits.into_iter();
        let hits = hits.filter_map(|(rule_idx, hit)| Some((hints.get(&rule_idx)?, hit)));
        let (found, n) = super::found_in(change, hits);
        for finding in found {
            findings.push(Finding {
                severity: Severity::Hint,
                ..finding
            });
        }
        n_allowed += n;
    }
    (findings, n_allowed)
}

/// Returns the code that the text of a memory forbids, and why more of it is not a hint.
pub(crate) fn stated_code(
    project: &Project,
    memories: &Memories,
    stored: &MemoryFile,
) -> (Vec<String>, Option<String>) {
    let Some(rule) = Stated::new(stored) else {
        return Default::default();
    };
    let n_files = n_files(project, &[&rule], &[], usize::MAX)[0];
    let why = rule.no_hint(project, memories, n_files);
    (rule.bans.into_iter().map(|(code, _)| code).collect(), why)
}

/// A rule with the code that its text forbids, as it is written.
struct Stated<'m> {
    stored: &'m MemoryFile,
    bans: Vec<(String, StatedBan)>,
    paths: Option<Globs>,
}

impl<'m> Stated<'m> {
    fn new(stored: &'m MemoryFile) -> Option<Self> {
        let memory = &stored.memory;
        let is_active = memory.status == MemoryStatus::Active && stored.fault.is_none();
        if !is_active || patterns::of_memory(stored).enforcement == Enforcement::Enforced {
            return None;
        }
        let bans = bans(stored);
        let paths = (!memory.paths.is_empty()).then(|| Globs::new(&memory.paths));
        (!bans.is_empty()).then_some(Self {
            stored,
            bans,
            paths,
        })
    }

    /// Returns where a file has the forbidden code, once in a line.
    fn hits(&self, file: &CodeFile<'_>) -> Vec<Match> {
        let mut hits = Vec::new();
        if let Some(paths) = &self.paths
            && paths.find(file.path).is_none()
        {
            return hits;
        }
        for (_, ban) in &self.bans {
            if ban.may_hit(file.path, file.language, file.text)
                && let Some(tokens) = file.tokens()
            {
                hits.append(&mut ban.hits(tokens));
            }
        }
        hits.sort_by_key(|hit| hit.span);
        hits.dedup_by_key(|hit| hit.lines.0);
        hits
    }

    /// Returns why more of the forbidden code is not a hint, if `n_files` of the project have it.
    fn no_hint(&self, project: &Project, memories: &Memories, n_files: usize) -> Option<String> {
        if n_files > MAX_FILES {
            return Some(format!("{n_files} files of the project have it"));
        }
        let anchor = memories.anchors.get(&self.stored.memory.id);
        for Sample { language, code, .. } in patterns::good_code(project, self.stored, anchor) {
            let code = CodeTokens::new(language, &code);
            if self.bans.iter().any(|(_, ban)| !ban.hits(&code).is_empty()) {
                return Some("an example of the rule has it".to_owned());
            }
        }
        None
    }
}

/// A file of code that people write.
struct CodeFile<'t> {
    root: &'t Path,
    path: &'t str,
    language: Language,
    text: &'t str,
    /// `None` for generated code.
    tokens: OnceCell<Option<CodeTokens<'t>>>,
}

impl<'t> CodeFile<'t> {
    fn new(root: &'t Path, path: &'t str, text: &'t str) -> Option<Self> {
        let is_written = !conventions::is_bundle(path)
            && !conventions::is_below(path, &CONVENTIONS.generated.folders)
            && PathClass::from_path(path) != PathClass::Vendored;
        let language = language::from_path(path).filter(|_| is_written)?;
        Some(Self {
            root,
            path,
            language,
            text,
            tokens: OnceCell::new(),
        })
    }

    fn tokens(&self) -> Option<&CodeTokens<'t>> {
        let tokens = self.tokens.get_or_init(|| {
            if read::skip_reason(self.text.as_bytes()).is_some() {
                return None;
            }
            let mut tokens = CodeTokens::of_file(self.path, self.language, self.text);
            tokens.is_test_file |= is_test_module(self.root, self.path);
            Some(tokens)
        });
        tokens.as_ref()
    }
}

/// Returns where the added lines of a file break rules, by their indices. A file with other lines that do, too, is an
/// exception.
fn added_hits(root: &Path, rules: &[Stated<'_>], change: &AddedLines) -> Vec<(usize, Match)> {
    let Some(file) = CodeFile::new(root, &change.path, &change.text) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (rule_idx, rule) in rules.iter().enumerate() {
        let hits = rule.hits(&file);
        if hits.iter().all(|hit| begins_in(change, hit)) {
            found.extend(hits.into_iter().map(|hit| (rule_idx, hit)));
        }
    }
    found
}

/// Returns whether the first line of a hit is added.
fn begins_in(change: &AddedLines, hit: &Match) -> bool {
    change.has_any((hit.lines.0, hit.lines.0))
}

/// Returns the number of files that have the code that each rule forbids, beside the added lines. What more than `limit`
/// have is not searched on.
fn n_files(
    project: &Project,
    rules: &[&Stated<'_>],
    changes: &[AddedLines],
    limit: usize,
) -> Vec<usize> {
    let n_files: Vec<AtomicUsize> = rules.iter().map(|_| AtomicUsize::new(0)).collect();
    if rules.is_empty() {
        return Vec::new();
    }
    let changed: BTreeMap<&str, &AddedLines> = changes
        .iter()
        .map(|change| (change.path.as_str(), change))
        .collect();
    let files = super::code_files(project).unwrap_or_default();
    files.par_iter().for_each(|path| {
        let mut open = Vec::new();
        for (rule, n_files) in rules.iter().zip(&n_files) {
            if n_files.load(Ordering::Relaxed) <= limit {
                open.push((rule, n_files));
            }
        }
        if open.is_empty() {
            return;
        }
        let Ok(text) = read::text(&project.root, path) else {
            return;
        };
        let Some(file) = CodeFile::new(&project.root, path, &text) else {
            return;
        };
        for (rule, n_files) in open {
            let mut hits = rule.hits(&file);
            if let Some(change) = changed.get(path.as_str()) {
                hits.retain(|hit| !begins_in(change, hit));
            }
            if !hits.is_empty() {
                n_files.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    n_files.into_iter().map(AtomicUsize::into_inner).collect()
}

/// Returns the code that the text of a memory forbids.
fn bans(stored: &MemoryFile) -> Vec<(String, StatedBan)> {
    let memory = &stored.memory;
    let (bans, others) = parse::bans(&memory.body);
    if bans.is_empty() {
        return Vec::new();
    }
    let heading = memory.heading.as_deref().unwrap_or_default();
    let words = format!("{heading} {}", memory.body);
    let mut names_tests = words.to_lowercase().contains("test");
    for path in &memory.paths {
        names_tests |= PathClass::from_path(path) != PathClass::Source;
    }
    // "Domain (`src/domain/`): no `sqlx`".
    let mut label = heading.to_owned();
    if let Some((before, _)) = memory.body.split_once(':') {
        label = format!("{heading} {before}");
    }
    let mut within = Vec::new();
    for word in label.split(|c: char| c.is_whitespace() || "`()*,:".contains(c)) {
        if word.len() > 1 && word.ends_with('/') && !word.contains("://") {
            within.push(word.to_owned());
        }
    }
    let context = Arc::new(RuleContext {
        languages: languages(memory, &words),
        others,
        within,
        names_tests,
    });
    let mut stated = Vec::new();
    for ban in bans {
        if ban.is_whole
            && let Some(found) = StatedBan::new(&ban.code, &ban.place, &context)
        {
            stated.push((ban.code, found));
        }
    }
    stated
}

/// Returns the languages of a rule: of its scope, else those that its text names, else those of its paths.
fn languages(memory: &Memory, words: &str) -> Vec<Language> {
    if let Ok(Some(languages)) = memories::languages(&memory.scope) {
        return languages.to_vec();
    }
    let named = named_languages(words);
    if !named.is_empty() {
        return named;
    }
    let paths = memory.paths.iter();
    paths.filter_map(|path| language::from_path(path)).collect()
}

/// Returns whether a file of Rust is a module that its parent declares for tests only.
fn is_test_module(root: &Path, path: &str) -> bool {
    let Some(module) = path.strip_suffix(".rs") else {
        return false;
    };
    let Some((folder, name)) = module.rsplit_once('/') else {
        return false;
    };
    for end in ["/mod.rs", "/lib.rs", "/main.rs", ".rs"] {
        if let Ok(parent) = read::text(root, &format!("{folder}{end}"))
            && declares_tests(&parent, name)
        {
            return true;
        }
    }
    false
}
