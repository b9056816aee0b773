//! Hints about code that the text of a rule forbids, for rules without an accepted pattern.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::{CheckedRule, Finding, FoundInFile, allowed, finding};
use crate::commands::prelude::*;
use cerberus_bank::ops::memories;
use cerberus_bank::ops::patterns;
use cerberus_claims::parse;
use cerberus_engine::rank::path_class::PathClass;
use cerberus_engine::syntax::language;
use cerberus_engine::tree::git::AddedLines;
use cerberus_engine::tree::read;
use cerberus_model::text::conventions::{self, CONVENTIONS};
use cerberus_model::text::{Globs, LineIndex};
use cerberus_model::{Enforcement, MemoryStatus};
use cerberus_patterns::named_languages;
use cerberus_patterns::stated::{CodeTokens, RuleContext, StatedBan, declares_tests};

/// Returns the hints about the added lines of changed files, and the number of those that a comment allows.
pub(super) fn find(
    project: &Project,
    memories: &Memories,
    changes: &[AddedLines],
) -> (Vec<Finding>, usize) {
    let rules: Vec<Stated<'_>> = memories.all.iter().filter_map(Stated::new).collect();
    let found: Vec<FoundInFile> =
        changes.par_iter().map(|change| in_file(project, memories, &rules, change)).collect();
    let n_allowed = found.iter().map(|it| it.n_allowed).sum();
    (found.into_iter().flat_map(|it| it.findings).collect(), n_allowed)
}

/// A rule with the code that its text forbids.
struct Stated<'m> {
    stored: &'m MemoryFile,
    /// Each with whether it hits code that follows the rule, so that the text means something else.
    bans: Vec<(StatedBan, OnceLock<bool>)>,
    paths: Option<Globs>,
}

impl<'m> Stated<'m> {
    fn new(stored: &'m MemoryFile) -> Option<Self> {
        let memory = &stored.memory;
        let is_active = memory.status != MemoryStatus::Archived && stored.fault.is_none();
        if !is_active || patterns::of_memory(stored).enforcement == Enforcement::Enforced {
            return None;
        }
        let bans: Vec<_> =
            bans(stored).into_iter().map(|(_, ban)| (ban, OnceLock::new())).collect();
        let paths = (!memory.paths.is_empty()).then(|| Globs::new(&memory.paths));
        (!bans.is_empty()).then_some(Self { stored, bans, paths })
    }

    fn is_wrong(&self, ban: &StatedBan, project: &Project, memories: &Memories) -> bool {
        let anchor = memories.anchors.get(&self.stored.memory.id);
        let samples = patterns::good_code(project, self.stored, anchor);
        samples.iter().any(|it| !ban.hits(&CodeTokens::new(it.language, &it.code)).is_empty())
    }
}

/// Returns the code that the text of a memory forbids, as it is written, with its bans.
pub(super) fn bans(stored: &MemoryFile) -> Vec<(String, StatedBan)> {
    let memory = &stored.memory;
    let scope = || memories::languages(&memory.scope).ok().flatten().map(<[_]>::to_vec);
    let heading = memory.heading.as_deref().unwrap_or_default();
    let is_source = |path: &String| PathClass::from_path(path) == PathClass::Source;
    let names_tests = [heading, &*memory.body].iter().any(|it| it.to_lowercase().contains("test"))
        || !memory.paths.iter().all(is_source);
    let languages = || {
        let named = || named_languages(&format!("{heading} {}", memory.body));
        let of_paths = || memory.paths.iter().filter_map(|it| language::from_path(it)).collect();
        scope().or_else(|| Some(named()).filter(|it| !it.is_empty())).unwrap_or_else(of_paths)
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
    let context = Arc::new(RuleContext { languages: languages(), others, within, names_tests });
    let ban = |ban: parse::Ban| Some((StatedBan::new(&ban.code, &ban.place, &context)?, ban.code));
    let stated = bans.into_iter().filter(|ban| ban.is_whole).filter_map(ban);
    stated.map(|(stated, code)| (code, stated)).collect()
}

/// Returns whether a file of Rust is a module that its parent declares for tests only.
fn is_test_module(root: &Path, path: &str) -> bool {
    let Some(module) = path.strip_suffix(".rs") else { return false };
    let Some((folder, name)) = module.rsplit_once('/') else { return false };
    let parents = ["/mod.rs", "/lib.rs", "/main.rs", ".rs"];
    let mut texts = parents.iter().map(|it| read::text(root, &format!("{folder}{it}")));
    texts.any(|text| text.is_ok_and(|text| declares_tests(&text, name)))
}

fn in_file(
    project: &Project,
    memories: &Memories,
    rules: &[Stated<'_>],
    change: &AddedLines,
) -> FoundInFile {
    let mut found = FoundInFile { findings: Vec::new(), n_allowed: 0, unchecked: Vec::new() };
    let is_written = !conventions::is_bundle(&change.path)
        && !conventions::is_below(&change.path, &CONVENTIONS.generated.folders)
        && PathClass::from_path(&change.path) != PathClass::Vendored
        && read::skip_reason(change.text.as_bytes()).is_none();
    let Some(language) = language::from_path(&change.path).filter(|_| is_written) else {
        return found;
    };
    let mut file = None;
    let lines: Vec<&str> = change.text.lines().collect();
    let index = LineIndex::new(&change.text);
    for rule in rules {
        let applies = rule.paths.as_ref().is_none_or(|paths| paths.find(&change.path).is_some());
        let bans = rule.bans.iter().filter(|it| it.0.may_hit(&change.path, language, &change.text));
        let mut hits = Vec::new();
        for (ban, is_wrong) in bans.filter(|_| applies) {
            let file = file.get_or_insert_with(|| {
                let mut file = CodeTokens::of_file(&change.path, language, &change.text);
                file.is_test_file |= is_test_module(&project.root, &change.path);
                file
            });
            let added = ban.hits(file).into_iter();
            let mut added =
                added.filter(|hit| change.has_any((hit.lines.0, hit.lines.0))).peekable();
            let is_wrong = || *is_wrong.get_or_init(|| rule.is_wrong(ban, project, memories));
            if added.peek().is_some() && !is_wrong() {
                hits.extend(added);
            }
        }
        if hits.is_empty() {
            continue;
        }
        // A rule has one finding in a line.
        hits.sort_by_key(|hit| hit.span);
        hits.dedup_by_key(|hit| hit.lines.0);
        let checked = CheckedRule::new(rule.stored, memories, Vec::new());
        for hit in hits {
            if allowed::is_allowed(&lines, hit.lines.0, &checked.id) {
                found.n_allowed += 1;
            } else {
                let finding = finding(&checked, change, &index, &hit);
                found.findings.push(Finding { severity: Severity::Hint, ..finding });
            }
        }
    }
    found
}
