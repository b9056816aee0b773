//! Patterns of code that break a rule, tested against the examples of the rule.
//!
//! A pattern is a rule of ast-grep in the frontmatter of a memory. This package reads and writes
//! patterns, tests them, and finds their hits in files. [`command`] has the patterns of commands.
//! [`stated`] finds code that the text of a rule forbids.

pub mod code_pattern;
pub mod command;
mod documents;
pub mod stated;
#[cfg(test)]
mod tests;

use cerberus_engine::syntax::language;
use cerberus_markdown::code_examples::{CodeExample, Label};
use cerberus_model::Language;
use cerberus_model::text::{PathGlobs, path_globs};
pub use documents::{named_languages, parse, render};
use serde::Serialize;

use crate::code_pattern::{CodePattern, Compiled, Match, MatchedFile};

/// Code that follows or breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    pub label: Label,
    pub language: Language,
    pub code: String,
}

/// Returns whether a pattern hits a sample, or `None` if it is not for its language.
fn is_hit(pattern: &CodePattern, sample: &Sample) -> Option<bool> {
    let languages = documents::languages(&pattern.language).ok()?;
    let mut found = None;
    for language in languages
        .into_iter()
        .filter(|it| it.is_kin(sample.language))
    {
        let compiled = code_pattern::compile(pattern, language).ok()?;
        let tables = language::tables(language)?;
        let prefix = tables.spec.prefix;
        let is_whole = sample.code.starts_with(prefix.trim_end());
        let in_function = code_pattern::in_function(tables, &sample.code);
        let alone = || [if is_whole { "" } else { prefix }, &sample.code].concat();
        let code = in_function.map_or_else(alone, |(code, _)| code);
        let file = MatchedFile::parse(language, &code)?;
        found = Some(found == Some(true) || !file.matches(&compiled).0.is_empty());
    }
    found
}

/// The hits of patterns in the examples of their rule.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestReport {
    /// Number of examples and of counter-examples in languages of the patterns.
    pub n_good: usize,
    pub n_bad: usize,
    /// Indices of the examples that are hit.
    pub false_hits: Vec<usize>,
    /// Indices of the counter-examples that are not hit.
    pub misses: Vec<usize>,
}

/// Tests patterns with the examples of their rule.
pub fn test(patterns: &[CodePattern], samples: &[Sample]) -> TestReport {
    let mut report = TestReport::default();
    for (idx, sample) in samples.iter().enumerate() {
        let hits: Vec<bool> = patterns
            .iter()
            .filter_map(|it| is_hit(it, sample))
            .collect();
        if hits.is_empty() {
            continue;
        }
        let is_hit = hits.contains(&true);
        match sample.label {
            Label::Good => {
                report.n_good += 1;
                report.false_hits.extend(is_hit.then_some(idx));
            }
            Label::Bad => {
                report.n_bad += 1;
                report.misses.extend((!is_hit).then_some(idx));
            }
        }
    }
    report
}

/// Returns the samples in the code blocks of a rule. Blocks in other languages are skipped.
pub fn samples(examples: &[CodeExample], fallback: Option<Language>) -> Vec<Sample> {
    let sample = |example: &CodeExample| {
        let fallback = fallback.filter(|_| example.language.is_empty());
        let language = documents::fence_language(&example.language).or(fallback)?;
        Some(Sample {
            label: example.label,
            language,
            code: example.code.clone(),
        })
    };
    examples.iter().filter_map(sample).collect()
}

/// Compiled patterns of several rules.
pub struct Checker {
    entries: Vec<CheckerEntry>,
}

/// The hits in a file, and the rules that were not checked, by their indices.
#[derive(Debug, Default)]
pub struct FileHits {
    /// In the order of the text.
    pub hits: Vec<(usize, Match)>,
    /// The rules, each with the reason.
    pub unchecked: Vec<(usize, &'static str)>,
}

struct CheckerEntry {
    rule_idx: usize,
    language: Language,
    compiled: Compiled,
    files: PathGlobs,
    ignores: PathGlobs,
}

impl Checker {
    /// Compiles the patterns of rules, which are known by their index. An invalid pattern has no
    /// hits.
    pub fn new<'p>(rules: impl Iterator<Item = (usize, &'p [CodePattern])>) -> Self {
        let mut entries = Vec::new();
        for (rule_idx, patterns) in rules {
            for pattern in patterns {
                for language in documents::languages(&pattern.language).unwrap_or_default() {
                    let Ok(compiled) = code_pattern::compile(pattern, language) else {
                        continue;
                    };
                    let files = path_globs(&pattern.files);
                    let ignores = path_globs(&pattern.ignores);
                    entries.push(CheckerEntry {
                        rule_idx,
                        language,
                        compiled,
                        files,
                        ignores,
                    });
                }
            }
        }
        Self { entries }
    }

    /// Returns the patterns for a file.
    fn entries_for(&self, path: &str) -> Vec<&CheckerEntry> {
        let language = language::from_path(path);
        let is_match = |globs: &PathGlobs| globs.iter().any(|it| it.is_match(path));
        let applies = |it: &&CheckerEntry| {
            Some(it.language) == language
                && (it.files.is_empty() || is_match(&it.files))
                && !is_match(&it.ignores)
        };
        self.entries.iter().filter(applies).collect()
    }

    /// Returns the indices of the rules with a pattern for a file.
    pub fn rules_for(&self, path: &str) -> Vec<usize> {
        self.entries_for(path)
            .iter()
            .map(|it| it.rule_idx)
            .collect()
    }

    /// Returns the hits in a file.
    pub fn hits(&self, path: &str, text: &str) -> FileHits {
        let applying = self.entries_for(path);
        let mut found = FileHits::default();
        let Some(first) = applying.first() else {
            return found;
        };
        let Some(file) = MatchedFile::parse(first.language, text) else {
            let why = "it is nested too deeply, or has too many errors, to be parsed";
            found.unchecked = applying.iter().map(|it| (it.rule_idx, why)).collect();
            return found;
        };
        for CheckerEntry {
            rule_idx, compiled, ..
        } in applying
        {
            let (hits, is_whole) = file.matches(compiled);
            found
                .hits
                .extend(hits.into_iter().map(|hit| (*rule_idx, hit)));
            found
                .unchecked
                .extend((!is_whole).then_some((*rule_idx, "its search takes too many steps")));
        }
        found
            .hits
            .sort_by_key(|(rule_idx, hit)| (hit.span, *rule_idx));
        found
    }
}
