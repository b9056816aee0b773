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
use cerberus_model::{Enforcement, Language, MemoryStatus, Severity};
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
    let idxs: BTreeSet<usize> = hits
        .iter()
        .flatten()
        .map(|(rule_idx, _)| *rule_idx)
        .collect();
    let hit: Vec<&Stated<'_>> = idxs.iter().map(|rule_idx| &rules[*rule_idx]).collect();
    let n_files = n_files(project, &hit, changes, MAX_FILES);
    let hint = |(rule_idx, n_files): (&usize, usize)| {
        let rule = &rules[*rule_idx];
        let is_hint = rule.no_hint(project, memories, n_files).is_none();
        is_hint.then(|| {
            (
                *rule_idx,
                CheckedRule::new(rule.stored, memories, Vec::new()),
            )
        })
    };
    let hints: BTreeMap<usize, CheckedRule> = idxs.iter().zip(n_files).filter_map(hint).collect();
    let (mut findings, mut n_allowed) = (Vec::new(), 0);
    for (change, hits) in changes.iter().zip(hits) {
        let hits = hits
            .into_iter()
            .filter_map(|(idx, hit)| Some((hints.get(&idx)?, hit)));
        let (found, n) = super::found_in(change, hits);
        findings.extend(found.into_iter().map(|it| Finding {
            severity: Severity::Hint,
            ..it
        }));
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
        if self
            .paths
            .as_ref()
            .is_none_or(|paths| paths.find(file.path).is_some())
        {
            for (_, ban) in &self.bans {
                if ban.may_hit(file.path, file.language, file.text)
                    && let Some(tokens) = file.tokens()
                {
                    hits.append(&mut ban.hits(tokens));
                }
            }
        }
        hits.sort_by_key(|hit| hit.span);
        hits.dedup_by_key(|hit| hit.lines.0);
        hits
    }

    /// Returns why more of the forbidden code is not a hint, if `n_files` of the project have it.
    fn no_hint(&self, project: &Project, memories: &Memories, n_files: usize) -> Option<String> {
        let anchor = memories.anchors.get(&self.stored.memory.id);
        let is_hit = |it: &Sample| {
            let code = CodeTokens::new(it.language, &it.code);
            self.bans.iter().any(|(_, ban)| !ban.hits(&code).is_empty())
        };
        if n_files > MAX_FILES {
            Some(format!("{n_files} files of the project have it"))
        } else {
            let good = patterns::good_code(project, self.stored, anchor);
            good.iter()
                .any(is_hit)
                .then(|| "an example of the rule has it".to_owned())
        }
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
        let read = || {
            let mut tokens = CodeTokens::of_file(self.path, self.language, self.text);
            tokens.is_test_file |= is_test_module(self.root, self.path);
            tokens
        };
        let is_written = || read::skip_reason(self.text.as_bytes()).is_none();
        self.tokens.get_or_init(|| is_written().then(read)).as_ref()
    }
}

/// Returns where the added lines of a file break rules, by their indices. A file with other lines that do, too, is an
/// exception.
fn added_hits(root: &Path, rules: &[Stated<'_>], change: &AddedLines) -> Vec<(usize, Match)> {
    let Some(file) = CodeFile::new(root, &change.path, &change.text) else {
        return Vec::new();
    };
    let is_added = |hit: &Match| change.has_any((hit.lines.0, hit.lines.0));
    let found = rules.iter().enumerate().flat_map(|(rule_idx, rule)| {
        let hits = Some(rule.hits(&file)).filter(|hits| hits.iter().all(is_added));
        hits.into_iter().flatten().map(move |hit| (rule_idx, hit))
    });
    found.collect()
}

/// Returns the number of files that have the code that each rule forbids, beside the added lines. What more than `limit`
/// have is not searched on.
fn n_files(
    project: &Project,
    rules: &[&Stated<'_>],
    changes: &[AddedLines],
    limit: usize,
) -> Vec<usize> {
    let changed: BTreeMap<&str, &AddedLines> = changes
        .iter()
        .map(|change| (change.path.as_str(), change))
        .collect();
    let n_files: Vec<AtomicUsize> = rules.iter().map(|_| AtomicUsize::new(0)).collect();
    let is_open = |n_files: &AtomicUsize| n_files.load(Ordering::Relaxed) <= limit;
    let count = |path: &String| {
        let change = changed.get(path.as_str());
        let is_old = |hit: &Match| change.is_none_or(|it| !it.has_any((hit.lines.0, hit.lines.0)));
        let Ok(text) = read::text(&project.root, path) else {
            return;
        };
        let Some(file) = CodeFile::new(&project.root, path, &text) else {
            return;
        };
        for (rule, n_files) in rules.iter().zip(&n_files) {
            if is_open(n_files) && rule.hits(&file).iter().any(is_old) {
                n_files.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    if !rules.is_empty() {
        let files = super::code_files(project).unwrap_or_default();
        files
            .par_iter()
            .filter(|_| n_files.iter().any(is_open))
            .for_each(count);
    }
    n_files.into_iter().map(AtomicUsize::into_inner).collect()
}

/// Returns the code that the text of a memory forbids.
fn bans(stored: &MemoryFile) -> Vec<(String, StatedBan)> {
    let memory = &stored.memory;
    let scope = || {
        memories::languages(&memory.scope)
            .ok()
            .flatten()
            .map(<[_]>::to_vec)
    };
    let heading = memory.heading.as_deref().unwrap_or_default();
    let is_source = |path: &String| PathClass::from_path(path) == PathClass::Source;
    let names_tests = [heading, &*memory.body]
        .iter()
        .any(|it| it.to_lowercase().contains("test"))
        || !memory.paths.iter().all(is_source);
    let languages = || {
        let named = || named_languages(&format!("{heading} {}", memory.body));
        let of_paths = || {
            memory
                .paths
                .iter()
                .filter_map(|it| language::from_path(it))
                .collect()
        };
        scope()
            .or_else(|| Some(named()).filter(|it| !it.is_empty()))
            .unwrap_or_else(of_paths)
    };
    let (bans, others) = parse::bans(&memory.body);
    if bans.is_empty() {
        return Vec::new();
    }
    // "Domain (`src/domain/`): no `sqlx`".
    let label = memory.body.split_once(':').map_or("", |(label, _)| label);
    let text = format!("{heading} {label}");
    let words = text.split(|c: char| c.is_whitespace() || "`()*,:".contains(c));
    let folders = words.filter(|it| it.len() > 1 && it.ends_with('/') && !it.contains("://"));
    let within = folders.map(str::to_owned).collect();
    let context = Arc::new(RuleContext {
        languages: languages(),
        others,
        within,
        names_tests,
    });
    let ban = |ban: parse::Ban| Some((StatedBan::new(&ban.code, &ban.place, &context)?, ban.code));
    let stated = bans.into_iter().filter(|ban| ban.is_whole).filter_map(ban);
    stated.map(|(stated, code)| (code, stated)).collect()
}

/// Returns whether a file of Rust is a module that its parent declares for tests only.
fn is_test_module(root: &Path, path: &str) -> bool {
    let Some(module) = path.strip_suffix(".rs") else {
        return false;
    };
    let Some((folder, name)) = module.rsplit_once('/') else {
        return false;
    };
    let parents = ["/mod.rs", "/lib.rs", "/main.rs", ".rs"];
    let mut texts = parents
        .iter()
        .map(|it| read::text(root, &format!("{folder}{it}")));
    texts.any(|text| text.is_ok_and(|text| declares_tests(&text, name)))
}
