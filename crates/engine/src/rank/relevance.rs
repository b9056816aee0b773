//! Scores whether a rule is relevant: to a file, to changed lines, to an edit, to a task, or at the start of a session.
//!
//! There is one vector of features and one table of weights, `../weights/relevance.toml`: a row for each feature, a column
//! for each occasion. Rules that hold for any change come at the start of a session and with a task, where the moment of the
//! work, the emphasis and the length of a rule say more than common words. With a file decides what it has in common with
//! the rule and its example. In the middle of an edit, a rule that the added lines have nothing to do with distracts.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Index, IndexMut};
use std::sync::LazyLock;

use anyhow::Result;
use serde::{Deserialize, Serialize, Serializer};

use super::tokenize;

/// When rules are asked for; a column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// Files are named.
    File,
    /// Files are named whose changed lines are known. These say more than the rest of the file.
    Lines,
    /// An agent edits files.
    Edit,
    /// The same, by the example of the rule alone: an example that is similar enough to the added lines suffices.
    EditExample,
    /// A task and its files are named. The rules of a bank are compared with each other.
    Task,
    /// The text of a prompt asks for no change: a question, or a commit.
    Question,
    /// A session starts.
    Session,
}

const N_OCCASIONS: usize = Occasion::Session as usize + 1;

/// A feature of a rule: a row of the table of weights. A feature without a unit is a share from 0 to 1, or
/// a flag, 0 or 1.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize
)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// The share of the words of the rule that the file contains, weighted by rarity.
    Words,
    /// By how many standard deviations the words are more frequent in the file than in the mean
    /// file: words that every file has say nothing.
    Prominence,
    /// The share of the code that the rule names which the file contains.
    NamedCode,
    /// The share of the hints of the rule that the file contains as they are written.
    Hints,
    HasHints,
    /// The share of the identifiers of the example that the file contains, weighted by rarity.
    Names,
    /// The cosine of the terms of the example's file and the file.
    Terms,
    /// The share of the names that the example's file imports which the file imports too, weighted
    /// by rarity.
    Imports,
    /// The nearness of the example, see [`nearness`].
    Nearness,
    /// See [`file_name_similarity`].
    FileName,
    /// Whether the file and that of the example are both tests or neither is one.
    SameClass,
    /// Whether the rule has no example, but a common word. Without one, nothing says that it holds.
    HasNoExample,
    /// Whether the changed lines of the file are known; the others that start with `Line` are about them.
    HasLines,
    LineWords,
    LineNamedCode,
    LineNames,
    LineNoExample,
    /// The logarithm of the number of words in the code of the rule that the lines contain, plus one.
    LineCodeWords,
    /// How much of the code that the rule marks as code is new in the lines.
    LineMentions,
    /// The score for the file or its lines. The rows above make it up.
    Code,
    /// By how much it exceeds the [`floor`].
    Excess,
    /// Whether the example is in a named file.
    Anchored,
    /// The same, if the changed lines are known: they say whether the edit is about it.
    AnchoredToLines,
    /// Whether the text mentions a named file.
    Mentioned,
    /// Whether the rule is declared for a named file, by its globs.
    Declared,
    /// The nearness of the folder of the glob.
    DeclaredNearness,
    /// The sum of the rarities of the words of the task that it has.
    QueryWords,
    /// The cosine of its words and those of the task.
    QueryCosine,
    /// By how much its words are more frequent in the likely files than in the tree, weighted by rarity; the most of the rules
    /// below its heading, in standard deviations of the rules of the bank.
    FileWords,
    /// The share of the identifiers of its code that the likely files have.
    FileCode,
    /// Whether it is declared for other files than the likely ones.
    OtherPaths,
    /// Whether its headings name only other languages than those of the likely files.
    OtherLanguage,
    /// The number of its parts that are marked as code, at most three.
    MarkedParts,
    /// Whether it matters at the moment of the work that the task is about.
    SameMoment,
    /// Whether it is working advice such as "add a changeset".
    Process,
    /// Whether it is about tests, and a named file is one.
    TestInTest,
    /// Whether it is about tests, and no named file is one.
    TestInSource,
    /// Whether a named file is a test.
    InTest,
    /// Whether it comes from a guide for contributors or users, most of which is not about code. With a task, the share of the
    /// rules of the bank that do not.
    FromGuide,
    /// Whether its author marked it as important.
    Emphatic,
    // The moment of the work at which it matters.
    Writing,
    Testing,
    Checking,
    /// The logarithm of the number of rules that are declared for the file, or of those that are not declared for any. An
    /// edit is about as many rules of a large bank as of a small one.
    NRules,
    Bias,
    /// Whether it is a decision, which binds the project.
    Decision,
    HasExample,
    /// Whether a person chose the example.
    ChosenExample,
}

const N_FEATURES: usize = Feature::ChosenExample as usize + 1;

/// The table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Model {
    weights: BTreeMap<Feature, BTreeMap<Occasion, f64>>,
    thresholds: Thresholds,
}

/// The limits of scores and features, described in the table.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Thresholds {
    file: f64,
    edit: f64,
    task: f64,
    question: f64,
    likely: f64,
    prior_mean: f64,
    prior_rules: f64,
    prominence: [f64; 2],
    line_words: f64,
    line_names: f64,
    any_names: f64,
}

static MODEL: LazyLock<Model> =
    LazyLock::new(|| crate::weights::read(include_str!("../weights/relevance.toml")));

static WEIGHTS: LazyLock<[[f64; N_FEATURES]; N_OCCASIONS]> = LazyLock::new(|| {
    let mut weights = [[0.0; N_FEATURES]; N_OCCASIONS];
    for (feature, row) in &MODEL.weights {
        for (occasion, weight) in row {
            weights[*occasion as usize][*feature as usize] = *weight;
        }
    }
    weights
});

/// The features of a rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features([f64; N_FEATURES]);

impl Default for Features {
    fn default() -> Self {
        let mut features = Self([0.0; N_FEATURES]);
        features[Bias] = 1.0;
        features
    }
}

impl Serialize for Features {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let present = MODEL
            .weights
            .keys()
            .filter(|feature| self[**feature] != 0.0);
        serializer.collect_map(present.map(|feature| (feature, self[*feature])))
    }
}

impl Index<Feature> for Features {
    type Output = f64;

    fn index(&self, feature: Feature) -> &f64 {
        &self.0[feature as usize]
    }
}

impl IndexMut<Feature> for Features {
    fn index_mut(&mut self, feature: Feature) -> &mut f64 {
        &mut self.0[feature as usize]
    }
}

use Feature::*;

/// The groups of features that a file can have in common with a rule, with their reasons.
const REASONS: [(&[Feature], &str); 7] = [
    (&[Words, Prominence], "it has the words of the rule"),
    (&[NamedCode], "it has the code that the rule names"),
    (&[Hints, HasHints], "it has the hints of the rule"),
    (&[Names], "it uses the identifiers of the example"),
    (&[Terms], "it is similar to the file of the example"),
    (
        &[Imports],
        "it imports what the file of the example imports",
    ),
    (&[Nearness, FileName, SameClass], "it is near the example"),
];

impl Features {
    /// Sets a feature that holds or does not.
    pub fn set_flag(&mut self, feature: Feature, is_set: bool) {
        self[feature] = f64::from(u8::from(is_set));
    }

    /// Sets the prominence, by how many standard deviations the words are more frequent in the file.
    pub(crate) fn set_prominence(&mut self, prominence: f64) {
        let [min, max] = MODEL.thresholds.prominence;
        self[Prominence] = prominence.clamp(min, max);
    }

    /// Sets the feature of the number of rules that compete.
    pub fn set_n_rules(&mut self, n_rules: usize) {
        self[NRules] = (n_rules as f64 + MODEL.thresholds.prior_rules).ln();
    }

    /// Returns the log-odds, up to a constant, that the rule is relevant.
    pub fn score(&self, occasion: Occasion) -> f64 {
        self.0
            .iter()
            .zip(&WEIGHTS[occasion as usize])
            .map(|(value, weight)| value * weight)
            .sum()
    }

    /// Returns the log-odds, up to a constant, that the rule holds in the file, or in its changed lines.
    pub fn score_in_file(&self) -> f64 {
        self.score(self.occasion())
    }

    fn occasion(&self) -> Occasion {
        if self[HasLines] > 0.0 {
            Occasion::Lines
        } else {
            Occasion::File
        }
    }

    /// Returns whether the rule concerns the task about as much as the rule with the best score.
    pub fn concerns_task(&self, best: f64) -> bool {
        self.score(Occasion::Task) >= best - MODEL.thresholds.task
    }

    /// Returns whether the rule is an answer to a question, by its words alone.
    pub fn answers(&self) -> bool {
        self.score(Occasion::Question) >= MODEL.thresholds.question
    }

    /// Returns the log-odds that an edit is about the rule. However similar the file is, that is hopeless if the added lines
    /// have nothing of the rule or its example.
    pub fn score_of_edit(&self) -> f64 {
        let has_any_word = self[LineWords] > 0.0
            || self[LineCodeWords] > 0.0
            || self[LineNamedCode] > 0.0
            || self[LineMentions] > 0.0
            || self[LineNames] >= MODEL.thresholds.any_names;
        if self[Mentioned] == 0.0 && !has_any_word {
            return f64::NEG_INFINITY;
        }
        let mut by_text = *self;
        if self.is_anchored() {
            // The file of the example is similar to itself.
            by_text[Code] -= self[Excess].max(0.0);
        }
        let text = by_text.score(Occasion::Edit);
        if self[HasExample] > 0.0 && (!self.is_anchored() || self.has_words_of_example()) {
            text.max(self.score(Occasion::EditExample))
        } else {
            text
        }
    }

    /// Returns whether the edit is about the rule.
    pub fn is_for_edit(&self) -> bool {
        self.score_of_edit() >= MODEL.thresholds.edit
    }

    /// Returns whether the example is in a named file.
    pub fn is_anchored(&self) -> bool {
        self[Anchored] > 0.0 || self[AnchoredToLines] > 0.0
    }

    /// Returns whether the file is likely to show the rule, so that its example is worth the room of several rules.
    pub fn is_likely(&self) -> bool {
        self[Excess] >= MODEL.thresholds.likely
    }

    /// Returns whether the example is worth its room in an edit: it is similar to the code, and the added lines have code that
    /// the rule names, or words of both the rule and the example.
    pub fn shows_example_in_edit(&self) -> bool {
        let has_code = self[LineCodeWords] > 0.0 && self[LineNamedCode] > 0.0;
        self.is_likely() && (has_code || self.has_words_of_example())
    }

    fn has_words_of_example(&self) -> bool {
        let Thresholds {
            line_words,
            line_names,
            ..
        } = MODEL.thresholds;
        self[LineWords] >= line_words && self[LineNames] >= line_names
    }

    /// Returns the reason that contributes most to the score in a file.
    pub fn reason(&self) -> &'static str {
        // A rule without an example gets as much as one that the lines do not show.
        let weights = &WEIGHTS[self.occasion() as usize];
        let usual = weights[LineNoExample as usize] * self[HasLines];
        let lines = self.sum(&[LineWords, LineNamedCode, LineNames, LineNoExample]);
        if self[HasLines] > 0.0 && lines - usual > self[Code] - lines - self.sum(&[HasLines]) {
            return "the changed lines are about it";
        }
        let mut most = f64::NEG_INFINITY;
        let mut best = "";
        for (features, reason) in REASONS {
            let sum = self.sum(features);
            if sum.total_cmp(&most).is_ge() {
                most = sum;
                best = reason;
            }
        }
        best
    }

    /// Returns the part of the score in a file that some features make up.
    fn sum(&self, features: &[Feature]) -> f64 {
        let weights = &WEIGHTS[self.occasion() as usize];
        let parts = features.iter();
        parts
            .map(|feature| weights[*feature as usize] * self[*feature])
            .sum()
    }
}

/// Sets the scores of the rules of a bank in a file, and by how much they exceed the least score of a relevant rule.
pub(crate) fn set_excess(rules: &mut [Features]) {
    let mut scores = Vec::with_capacity(rules.len());
    for rule in rules.iter_mut() {
        rule[Code] = rule.score_in_file();
        scores.push(rule[Code]);
    }
    let floor = floor(&scores);
    for rule in rules {
        rule[Excess] = rule[Code] - floor;
    }
}

/// Returns the least score of a relevant rule, the mean of all rules of the bank: what they have in
/// common with a file is the style of the project. On the pairs of the fit, a third of the rules remain,
/// and 0.07 of the right ones are lost.
fn floor(scores: &[f64]) -> f64 {
    let Thresholds {
        file,
        prior_mean,
        prior_rules,
        ..
    } = MODEL.thresholds;
    let sum: f64 = scores.iter().sum();
    let mean = (sum + prior_mean * prior_rules) / (scores.len() as f64 + prior_rules);
    mean.max(file)
}

/// Returns the weighted mean of values, given as weights and values.
pub(crate) fn share(values: impl Iterator<Item = (f64, f64)>) -> f64 {
    let mut sum = 0.0;
    let mut total = 0.0;
    for (weight, value) in values {
        sum += weight * value;
        total += weight;
    }
    if total > 0.0 { sum / total } else { 0.0 }
}

/// Returns how near two files are in the tree: 1 in the same folder, less the fewer folders contain
/// both. All files are in the root, which counts half.
pub fn nearness(a: &str, b: &str) -> f64 {
    let n_folders_a = a.matches('/').count();
    let n_folders_b = b.matches('/').count();
    let pairs = a.split('/').zip(b.split('/'));
    let n_same = pairs.take_while(|(a, b)| a == b).count();
    let n_shared = n_same.min(n_folders_a).min(n_folders_b);
    (2 * n_shared + 1) as f64 / (n_folders_a + n_folders_b + 1) as f64
}

fn words_of_name(path: &str) -> BTreeSet<String> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    tokenize::terms(stem).into_iter().collect()
}

/// Returns the share of the words in the names of two files that both have: `user_view.py` and
/// `OrderView.ts` have one of three.
pub(crate) fn file_name_similarity(a: &str, b: &str) -> f64 {
    let a = words_of_name(a);
    let b = words_of_name(b);
    a.intersection(&b).count() as f64 / a.union(&b).count().max(1) as f64
}

#[cfg(test)]
mod tests;
