//! The weights of the ranking and of its confidence, in `engine/weights/`. Those without another source
//! were chosen on the labelled rules of benches/README.md.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::document::N_FIELDS;
use crate::weights::{self, LinearModel};

/// The weights of the ranking.
pub(crate) static WEIGHTS: LazyLock<RankingWeights> =
    LazyLock::new(|| weights::read(include_str!("../weights/ranking.toml")));

/// A field of a symbol.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldWeight {
    pub(crate) name: String,
    pub(crate) weight: f64,
    /// Usual number of terms; longer fields weigh less.
    pub(crate) usual_length: f64,
}

/// The weights of the stages, from the words of a rule to the order of the candidates.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RankingWeights {
    pub(crate) query: QueryWeights,
    pub(crate) file: FileWeights,
    pub(crate) symbol: SymbolWeights,
    pub(crate) names: NameWeights,
    pub(crate) candidates: CandidateWeights,
    /// In the order of [`Field`](super::document::Field). Names state the purpose of code and
    /// documentation explains it; the body only implements it. Accuracy changes by less than 0.02 for
    /// weights of the name from 3 to 8, and by less than 0.03 for half or double of any other weight;
    /// the worst of these is documentation at the weight of the body.
    pub(crate) fields: [FieldWeight; N_FIELDS],
}

/// Weights of the words of a rule, relative to an ordinary word.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueryWeights {
    /// A hint: it is only a guess, but usually a good one.
    pub(crate) hint: f64,
    /// A word that occurs only in a contrast: the example must not do it, but often names it, for
    /// example to check for it.
    pub(crate) contrast: f64,
    /// A common word or an adverb of manner.
    pub(crate) common: f64,
    /// A part of a name in the rule's text.
    pub(crate) name_part: f64,
    /// A word in a code block of the rule: it shows a case, good or bad.
    pub(crate) block: f64,
    /// Code in back-ticks that is more than a name, relative to one.
    pub(crate) literal: f64,
    /// A name of code that occurs verbatim in a line.
    pub(crate) name_in_line: f64,
}

/// Weights of the terms of a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileWeights {
    /// Saturation of a term frequency: files repeat words more often than symbols.
    pub(crate) k1: f64,
    /// A term in the path, relative to one occurrence in the text.
    pub(crate) path: f64,
}

/// Weights and factors of a symbol.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SymbolWeights {
    /// Minimum length of a field as a share of its usual length, so that two words of documentation
    /// do not weigh five times as much as a sentence.
    pub(crate) min_length: f64,
    /// Share of the file's score in a symbol's score: words outside the symbol are evidence too.
    pub(crate) file_share: f64,
    /// Bonus for a name that consists of the query's words, as a share of the score.
    pub(crate) name_share: f64,
    /// Factor for symbols of fewer than `stub_terms` terms, one or two lines: a re-export, an alias
    /// or a stub is not a good example.
    pub(crate) stub: f64,
    pub(crate) stub_terms: f64,
    /// Factor for functions that only call another function, which is the better example.
    pub(crate) delegate: f64,
    pub(crate) delegate_lines: u32,
    pub(crate) delegate_terms: f64,
    /// Code of more lines than this contains words of anything: its factor is their ratio to the
    /// power of `long_power`. Of 66 first answers with more than 200 lines that were read, 13 were
    /// good examples; of those with 10 to 200 lines, .40. Powers from 0.05 to 0.3 and limits from 100
    /// to 200 do about the same.
    pub(crate) long_lines: f64,
    pub(crate) long_power: f64,
    /// Factor for constants, variables and type aliases: data is rarely an example of a rule.
    pub(crate) data: f64,
    /// Factor for tests, unless the query is about tests. Public benchmarks use 0.3; below 0.5, rules
    /// whose example is a test lose it. Accuracy is the same from 0.5 to 0.7.
    pub(crate) test: f64,
    pub(crate) vendored: f64,
    /// Factor for other code than tests if the query is about tests. Accuracy is the same from 0.7 to
    /// 0.9.
    pub(crate) other_than_test: f64,
    /// Factor for scripts, examples and checkers: a checker has all words of the rule that it
    /// enforces.
    pub(crate) tool: f64,
    /// Factor for files without symbols, which are candidates themselves.
    pub(crate) whole_file: f64,
    /// Bonus for adjacent words of the query that are adjacent in the code, as a share of their
    /// weights.
    pub(crate) pair: f64,
    /// Bonus for the symbols of a file with several matching symbols: it is likely to be about the
    /// rule.
    pub(crate) coherence: f64,
}

/// Weights of the code that a rule names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NameWeights {
    /// Relative to a word of the same rarity.
    pub(crate) named_code: f64,
    /// Bonus for a symbol that has the name, as a share of the name's weight.
    pub(crate) definition: f64,
    /// Share of the weight for a file or a symbol that contains all parts, before the text is
    /// compared, and for a symbol that has only the last part of a qualified name (`env.close` as
    /// `environment.close`). Accuracy changes by at most 0.02 for half or double of any of these.
    pub(crate) all_parts: f64,
    pub(crate) last_part: f64,
    /// Long code contains any name: of code of more lines than this the found names count by the ratio to the power of
    /// `long_power`.
    pub(crate) long_lines: f64,
    pub(crate) long_power: f64,
    /// Bonus for a symbol whose text contains all hints as they are written, as a share of its score:
    /// hints are also split into words, of which common ones occur everywhere. With 0.3 to 1.2, 0.02
    /// to 0.03 more of 354 imported rules with hints have the right code first.
    pub(crate) found_hints: f64,
    /// Number of files from which a name is said of its uses.
    pub(crate) common_files: usize,
    /// Bonus for a name that is imported from a module with a word of the rule, as a share of the weight of the word.
    pub(crate) imported: f64,
}

/// Weights of the order and the confidence of candidates.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CandidateWeights {
    /// Factor for files that the rule applies to, if it applies to some only. Code elsewhere may show
    /// it too, for example a test.
    pub(crate) inside: f64,
    /// Factors for the files that the rule names, and for the files of the folders that it names.
    pub(crate) named_file: f64,
    pub(crate) named_folder: f64,
    /// Factor for the files whose names end as the rule says.
    pub(crate) named_ending: f64,
    /// Factor for the files of a package that the rule demands to use: its users are the example.
    pub(crate) used_package: f64,
    /// Share of the best score that a short symbol needs to be preferred to the longer one around it.
    /// 35 more answers of 512 then have at most 60 lines, and the right symbol is first for 242 instead
    /// of 239; a share of 0.8 gains 1, 0.7 loses 6.
    pub(crate) nearly_as_good: f64,
    /// Quality from which a candidate is worth a decision by a person or an agent. Of the candidates
    /// between this and the threshold for anchors, about half are right.
    pub(crate) likely: f64,
}

/// The models of `engine/weights/quality.toml`, which `benches/anchors/fit.py` writes. Fitted on 3,000
/// searches (`benches/README.md`): rules of 53 instruction files and of eight code bases, without and
/// with hints, also asked in other code bases, where every answer is wrong.
pub(crate) static QUALITY: LazyLock<QualityModel> =
    LazyLock::new(|| weights::read(include_str!("../weights/quality.toml")));

/// The two models that decide whether a rule gets an anchor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QualityModel {
    /// The log odds that a rule is working advice; see [`super::rule_kind`].
    pub(crate) working_advice: LinearModel,
    /// The summand of each word of a rule, by its first letters.
    pub(crate) stems: BTreeMap<String, f64>,
    /// The log odds that the first candidate is right.
    pub(crate) first_answer: LinearModel,
}
