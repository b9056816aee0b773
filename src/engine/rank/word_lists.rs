//! The English word lists of ranking, and the abbreviations of programmers. Long lists are text files
//! in `word_lists/`.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

type WordSet = LazyLock<FxHashSet<&'static str>>;

fn set(words: &'static str) -> FxHashSet<&'static str> {
    words.split_whitespace().collect()
}

/// Words without information about the code: function words and verbs that occur in every rule.
pub(super) static STOP_WORDS: WordSet =
    LazyLock::new(|| set(include_str!("word_lists/stop_words.txt")));

/// Common English words that code seldom uses in that sense: words of degree, manner, time and
/// opinion, and verbs that describe any code.
pub(super) static COMMON_WORDS: WordSet =
    LazyLock::new(|| set(include_str!("word_lists/common_words.txt")));

/// Phrases that start a contrast anywhere in a clause.
pub(super) const CONTRASTS: &[&str] = &["instead of", "rather than", "never"];

/// Words that start a contrast only at the start of a clause; elsewhere they belong to the
/// statement ("a reader without a lock", "if there is no owner").
pub(super) const OPENING_CONTRASTS: &[&str] = &["not", "without", "no"];

/// Phrases that start a purpose.
pub(super) const PURPOSES: &[&str] = &["so", "in order to"];

/// Terms (stems) of rules about tests.
pub(super) const TEST_TERMS: &[&str] = &["test", "fixtur", "mock"];

/// Words that are ignored when two statements are compared: function words, and verbs that state
/// a demand but not its subject. Words of place and time (before, outside, first) are not in the
/// list, because they are often the only difference between two compatible rules.
pub(super) static DEMAND_WORDS: WordSet =
    LazyLock::new(|| set(include_str!("word_lists/demand_words.txt")));

/// Words that negate the rest of their clause.
pub(super) static NEGATIONS: WordSet = LazyLock::new(|| {
    set("never avoid not no cannot forbid forbidden prohibited disallow disallowed ban banned")
});

/// Words whose negation is a permission, not a prohibition: "need not", "not necessarily".
pub(super) static PERMISSIONS: WordSet =
    LazyLock::new(|| set("need needs needed necessarily necessary required yet have worry"));

/// Words whose negation is a demand: "do not forget to".
pub(super) static OMISSIONS: WordSet = LazyLock::new(|| set("forget hesitate fail"));

/// Words that restrict a clause or reverse a negation in it.
pub(super) static EXCEPTIONS: WordSet =
    LazyLock::new(|| set("without unless until except besides than lest"));

/// Words that start a condition at the start of a sentence.
pub(super) static CONDITIONS: WordSet = LazyLock::new(|| {
    set("
        when whenever if for before after while once unless in on during with without as where at
        under until inside outside within to from by
    ")
});

/// Words that start the reason of a rule.
pub(super) static REASONS: WordSet = LazyLock::new(|| set("because since so"));

/// Verbs after which "x over y" is a preference.
pub(super) static PREFERENCE_VERBS: WordSet =
    LazyLock::new(|| set("prefer favor favour use choose pick preferred write"));

/// Words that may join a negated clause to the clause before: "x and do not y".
pub(super) static CONJUNCTIONS: WordSet = LazyLock::new(|| set("and but so or then"));

/// The full words by their abbreviations.
pub(super) static ABBREVIATIONS: LazyLock<FxHashMap<&'static str, &'static str>> =
    LazyLock::new(|| {
        let mut table = FxHashMap::default();
        for line in include_str!("word_lists/abbreviations.txt").lines() {
            let mut fields = line.split_whitespace();
            if let Some(word) = fields.next().filter(|word| !word.starts_with('#')) {
                table.extend(fields.map(|short| (short, word)));
            }
        }
        table
    });

#[cfg(test)]
mod tests {
    #[test]
    fn each_abbreviation_is_listed_once() {
        let mut seen = std::collections::BTreeSet::new();
        let lines = include_str!("word_lists/abbreviations.txt").lines();
        for line in lines.filter(|line| !line.starts_with('#')) {
            for short in line.split_whitespace().skip(1) {
                assert!(seen.insert(short), "duplicate abbreviation `{short}`");
            }
        }
    }
}
