//! Compares rules with a task and the files that it is likely to change.
//!
//! The rarity of a word is that in the whole tree: a word of the task that most files have says nothing about the rule that has
//! it too, and a rule whose words or code are in the likely files more often than in others is about such code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};

use super::index::CodeIndex;
use super::rank::moment::{self, Moment};
use super::rank::relevance::{Feature, Features};
use super::rank::{named_code, postings, tokenize};
use super::rule_reading::{self, Reading, Words, words_of};
use crate::tree::read;

/// A rule to compare with a task.
pub struct Rule<'a> {
    pub text: &'a str,
    /// The headings above it.
    pub heading: &'a str,
}

/// A task, with the files that it is likely to change.
pub struct Task<'a> {
    pub text: &'a str,
    pub files: &'a BTreeSet<String>,
}

/// Returns what each rule has in common with a task and its files, in the order of the rules.
pub fn compare(
    root: &Path,
    index: &CodeIndex,
    task: &Task<'_>,
    rules: &[Rule<'_>],
) -> Vec<Features> {
    let task_words = words_of(task.text);
    let moment_of_task = moment::moment_of_task(task.text);
    let readings = rule_reading::readings(index.store(), rules);
    let shares = Shares::new(index, &task_words, &readings);
    let texts: Vec<Text> = task
        .files
        .par_iter()
        .filter_map(|file| Some(Text::new(&read::text(root, file).ok()?)))
        .collect();
    let mut compared = Vec::with_capacity(rules.len());
    for (rule, reading) in rules.iter().zip(&readings) {
        let mut features = Features::default();
        shares.compare_task(&task_words, &reading.words, &mut features);
        shares.compare_files(&reading.words, &texts, &mut features);
        features[Feature::FileCode] = share_of_code(&reading.identifiers, &texts);
        features.set_flag(Feature::SameMoment, reading.moment == moment_of_task);
        features.set_flag(Feature::Checking, reading.moment == Moment::Checking);
        features[Feature::MarkedParts] = marked_parts(rule.text).min(MAX_MARKED) as f64;
        compared.push(features);
    }
    compare_headings(rules, &mut compared);
    compared
}

/// The most marked parts of a rule that count.
const MAX_MARKED: usize = 3;

/// Returns the number of parts of the prose that are marked as code: a rule that has some is about code.
fn marked_parts(text: &str) -> usize {
    let mut n_marks = 0;
    for line in text.lines() {
        if !line.trim_start().starts_with("```") {
            n_marks += line.matches('`').count();
        }
    }
    n_marks / 2
}

/// Gives each rule the [`Feature::FileWords`] of the best rule below its heading, in standard deviations of all rules: the rules of
/// a section are about the same code, and banks differ in how much they share with any code.
fn compare_headings(rules: &[Rule<'_>], features: &mut [Features]) {
    let mut most: FxHashMap<&str, f64> = FxHashMap::default();
    for (rule, features) in rules.iter().zip(&*features) {
        let of_heading = most.entry(rule.heading).or_insert(f64::NEG_INFINITY);
        *of_heading = of_heading.max(features[Feature::FileWords]);
    }
    let mut sum = 0.0;
    let mut squares = 0.0;
    for (rule, features) in rules.iter().zip(&mut *features) {
        if !rule.heading.is_empty() {
            features[Feature::FileWords] = most[rule.heading];
        }
        let value = features[Feature::FileWords];
        sum += value;
        squares += value * value;
    }
    let mean = sum / features.len().max(1) as f64;
    let variance = squares / features.len().max(1) as f64 - mean * mean;
    let deviation = variance.max(0.0).sqrt() + MIN_DEVIATION;
    for features in features {
        features[Feature::FileWords] = (features[Feature::FileWords] - mean) / deviation;
    }
}

/// A smaller deviation is chance.
const MIN_DEVIATION: f64 = 1e-3;

/// A file that the task is likely to change.
struct Text {
    words: FxHashSet<String>,
    identifiers: FxHashSet<String>,
}

impl Text {
    fn new(text: &str) -> Self {
        Self {
            words: tokenize::terms(text).into_iter().collect(),
            identifiers: named_code::identifiers(text).map(str::to_owned).collect(),
        }
    }
}

/// The share of the files of a tree that have each word of a task or a rule.
struct Shares {
    shares: FxHashMap<String, f64>,
    n_files: f64,
}

impl Shares {
    fn new(index: &CodeIndex, task: &Words, rules: &[Reading]) -> Self {
        let mut terms: BTreeSet<&str> = task.keys().map(String::as_str).collect();
        for rule in rules {
            terms.extend(rule.words.keys().map(String::as_str));
        }
        let mut term_by_id: FxHashMap<u32, &str> = FxHashMap::default();
        for term in terms {
            if let Some(id) = index.term_id(term) {
                term_by_id.insert(id, term);
            }
        }
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for row in &index.files {
            let vector = row.vector.as_deref().unwrap_or_default();
            postings::unpack(vector, |id, _, is_in_path| {
                if !is_in_path && term_by_id.contains_key(&id) {
                    *counts.entry(id).or_default() += 1;
                }
            });
        }
        let n_files = index.files.len().max(1) as f64;
        let mut shares = FxHashMap::default();
        for (id, count) in counts {
            shares.insert(term_by_id[&id].to_owned(), count as f64 / n_files);
        }
        Self { shares, n_files }
    }

    fn share(&self, word: &str) -> f64 {
        self.shares.get(word).copied().unwrap_or_default()
    }

    fn rarity(&self, word: &str) -> f64 {
        (1.0 + self.n_files / (1.0 + self.share(word) * self.n_files)).ln()
    }

    /// Sets the sum of the rarities of the words that a rule has in common with a task, and the cosine of all their words.
    fn compare_task(&self, task: &Words, rule: &Words, features: &mut Features) {
        let mut shared = 0.0;
        let mut product = 0.0;
        for (word, weight) in task {
            if let Some(of_rule) = rule.get(word) {
                let rarity = self.rarity(word);
                shared += weight * rarity;
                product += weight * of_rule * rarity * rarity;
            }
        }
        let norm = self.norm(task) * self.norm(rule);
        features[Feature::QueryWords] = shared;
        features[Feature::QueryCosine] = product / norm.max(1.0);
    }

    fn norm(&self, words: &Words) -> f64 {
        let squares = words
            .iter()
            .map(|(word, weight)| (weight * self.rarity(word)).powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// Sets by how much the words of a rule are more frequent in files than in the tree.
    fn compare_files(&self, rule: &Words, files: &[Text], features: &mut Features) {
        let mut excess = 0.0;
        let mut total = 0.0;
        for (word, weight) in rule {
            let rarity = weight * self.rarity(word);
            let n_with = files
                .iter()
                .filter(|file| file.words.contains(word))
                .count();
            let share = n_with as f64 / files.len().max(1) as f64;
            excess += rarity * (share - self.share(word));
            total += rarity;
        }
        if !files.is_empty() && total > 0.0 {
            features[Feature::FileWords] = excess / total;
        }
    }
}

/// Returns the share of the identifiers of a rule that any of the files has.
fn share_of_code(identifiers: &[String], files: &[Text]) -> f64 {
    let mut n_found = 0;
    for word in identifiers {
        let is_found = files.iter().any(|file| file.identifiers.contains(word));
        n_found += usize::from(is_found);
    }
    n_found as f64 / identifiers.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::code_mentions;

    fn shares(task: &Words, rules: &[Words]) -> Shares {
        let mut shares = Shares {
            shares: FxHashMap::default(),
            n_files: 100.0,
        };
        for word in rules.iter().chain([task]).flat_map(Words::keys) {
            let share = if word == "session" { 0.9 } else { 0.01 };
            shares.shares.insert(word.clone(), share);
        }
        shares
    }

    #[test]
    fn a_rare_word_that_a_rule_shares_with_a_task_counts_more_than_a_usual_one() {
        let task = words_of("renew the lease of a session");
        let rules = [
            words_of("Log each lease"),
            words_of("Log each session"),
            words_of("Log it"),
        ];
        let shares = shares(&task, &rules);
        let compared = rules.each_ref().map(|rule| {
            let mut features = Features::default();
            shares.compare_task(&task, rule, &mut features);
            features
        });
        for feature in [Feature::QueryWords, Feature::QueryCosine] {
            let [lease, session, none] = compared.map(|features| features[feature]);
            assert!(lease > session && session > none, "{feature:?}");
            assert_eq!(none, 0.0);
        }
    }

    #[test]
    fn words_of_the_likely_files_count_more_than_those_of_every_file() {
        let rules = [words_of("Renew the lease"), words_of("Close the session")];
        let task = Words::default();
        let shares = shares(&task, &rules);
        let file = Text::new("lease.renew() session.close()");
        let compared = rules.each_ref().map(|rule| {
            let mut features = Features::default();
            shares.compare_files(rule, std::slice::from_ref(&file), &mut features);
            features[Feature::FileWords]
        });
        assert!(compared[0] > compared[1] && compared[1] > 0.0);
    }

    #[test]
    fn the_code_of_a_rule_is_what_it_marks_as_code() {
        let file = Text::new("throw new AppError(clap)");
        let share = |rule: &str| {
            let words = code_mentions::marked_identifiers(rule);
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            share_of_code(&words, std::slice::from_ref(&file))
        };
        assert_eq!(share("Use AppError"), 1.0);
        assert_eq!(share("Parse with `clap` or `getopt`"), 0.5);
        assert_eq!(share("Parse with clap"), 0.0);
    }
}
