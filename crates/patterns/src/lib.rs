//! Patterns of code that break a rule, tested against the examples of the rule.
//!
//! A pattern is a rule of ast-grep in the frontmatter of a memory. This package reads and writes
//! patterns, tests them, and finds their hits in files. [`command`] has the patterns of commands.
//! [`stated`] finds code that the text of a rule forbids.

pub mod code_pattern;
pub mod command;
mod documents;
pub mod shell;
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
    for language in languages {
        if !language.is_kin(sample.language) {
            continue;
        }
        let compiled = code_pattern::compile(pattern, language).ok()?;
        let tables = language::tables(language)?;
        let prefix = tables.spec.prefix;
        let code = match code_pattern::in_function(tables, &sample.code) {
            Some((code, _)) => code,
            None if sample.code.starts_with(prefix.trim_end()) => sample.code.clone(),
            None => [prefix, &sample.code].concat(),
        };
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
            .filter_map(|pattern| is_hit(pattern, sample))
            .collect();
        if hits.is_empty() {
            continue;
        }
        let is_hit = hits.contains(&true);
        match sample.label {
            Label::Good => report.n_good += 1,
            Label::Bad => report.n_bad += 1,
        }
        match sample.label {
            Label::Good if is_hit => report.false_hits.push(idx),
            Label::Bad if !is_hit => report.misses.push(idx),
            _ => {}
        }
    }
    report
}

/// Returns the samples in the code blocks of a rule. Blocks in other languages are skipped.
pub fn samples(examples: &[CodeExample], fallback: Option<Language>) -> Vec<Sample> {
    let mut samples = Vec::new();
    for example in examples {
        let language = match documents::fence_language(&example.language) {
            None if example.language.is_empty() => fallback,
            named => named,
        };
        if let Some(language) = language {
            samples.push(Sample {
                label: example.label,
                language,
                code: example.code.clone(),
            });
        }
    }
    samples
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

impl CheckerEntry {
    fn applies_to(&self, path: &str) -> bool {
        let is_ignored = self.ignores.iter().any(|glob| glob.is_match(path));
        let is_included =
            self.files.is_empty() || self.files.iter().any(|glob| glob.is_match(path));
        is_included && !is_ignored
    }
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
        let Some(language) = language::from_path(path) else {
            return Vec::new();
        };
        let entries = self.entries.iter();
        let of_language = entries.filter(|entry| entry.language == language);
        of_language.filter(|entry| entry.applies_to(path)).collect()
    }

    /// Returns the indices of the rules with a pattern for a file.
    pub fn rules_for(&self, path: &str) -> Vec<usize> {
        let entries = self.entries_for(path);
        entries.iter().map(|entry| entry.rule_idx).collect()
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
            for entry in applying {
                found.unchecked.push((entry.rule_idx, why));
            }
            return found;
        };
        for entry in applying {
            let rule_idx = entry.rule_idx;
            let (hits, is_whole) = file.matches(&entry.compiled);
            for hit in hits {
                found.hits.push((rule_idx, hit));
            }
            if !is_whole {
                let why = "its search takes too many steps";
                found.unchecked.push((rule_idx, why));
            }
        }
        let hits = &mut found.hits;
        hits.sort_by_key(|(rule_idx, hit)| (hit.span, *rule_idx));
        found
    }
}
