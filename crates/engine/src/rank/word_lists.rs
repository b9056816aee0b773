//! The word lists of ranking, and the abbreviations of programmers. Each list is explained in its file
//! in `engine/words/`.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use cerberus_model::text::WordList;
use cerberus_model::text::word_list::lines;

const QUERY: &str = include_str!("../words/query.txt");
const ADVICE: &str = include_str!("../words/working_advice.txt");
const MOMENTS: &str = include_str!("../words/moments.txt");

pub(super) static STOP_WORDS: WordList = WordList::section(QUERY, "stop words");
pub(super) static COMMON_WORDS: WordList = WordList::section(QUERY, "common words");
pub(super) static CONTRASTS: WordList = WordList::section(QUERY, "contrasts");
pub(super) static OPENING_CONTRASTS: WordList = WordList::section(QUERY, "opening contrasts");
pub(super) static PREFERENCE_VERBS: WordList = WordList::section(QUERY, "preference verbs");
pub(super) static TEST_TERMS: WordList = WordList::section(QUERY, "test terms");
pub(super) static OUTSIDE_TESTS: WordList = WordList::section(QUERY, "outside tests");

pub(super) static PROCESS_WORDS: WordList = WordList::section(ADVICE, "process words");
pub(super) static PROJECT_WORDS: WordList = WordList::section(ADVICE, "project words");
pub(super) static CODE_WORDS: WordList = WordList::section(ADVICE, "code words");
pub(super) static PROCESS_VERBS: WordList = WordList::section(ADVICE, "process verbs");
pub(super) static DEMAND_OPENINGS: WordList = WordList::section(ADVICE, "demand openings");
pub(super) static PROCESS_PHRASES: WordList = WordList::section(ADVICE, "process phrases");

pub(super) static SHARING_WORDS: WordList = WordList::section(MOMENTS, "sharing words");
pub(super) static SHARING_PHRASES: WordList = WordList::section(MOMENTS, "sharing phrases");
pub(super) static SHARING_HEADINGS: WordList = WordList::section(MOMENTS, "sharing headings");
pub(super) static GENERATED_PHRASES: WordList = WordList::section(MOMENTS, "generated phrases");
pub(super) static TALKING_WORDS: WordList = WordList::section(MOMENTS, "talking words");
pub(super) static TALKING_PHRASES: WordList = WordList::section(MOMENTS, "talking phrases");
pub(super) static TALKING_HEADINGS: WordList = WordList::section(MOMENTS, "talking headings");
pub(super) static SETUP_WORDS: WordList = WordList::section(MOMENTS, "setup words");
pub(super) static SETUP_PHRASES: WordList = WordList::section(MOMENTS, "setup phrases");
pub(super) static SETUP_HEADINGS: WordList = WordList::section(MOMENTS, "setup headings");
pub(super) static CHECK_NOUNS: WordList = WordList::section(MOMENTS, "check nouns");
pub(super) static CHECK_VERBS: WordList = WordList::section(MOMENTS, "check verbs");
pub(super) static CHECK_TIMES: WordList = WordList::section(MOMENTS, "check times");

/// The full words by their abbreviations.
pub(super) static ABBREVIATIONS: LazyLock<FxHashMap<&'static str, &'static str>> =
    LazyLock::new(|| {
        let mut table = FxHashMap::default();
        for line in lines(include_str!("../words/abbreviations.txt")) {
            let (word, shorts) = line.split_once(' ').unwrap_or((line, ""));
            table.extend(shorts.split(' ').map(|short| (short, word)));
        }
        table
    });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_abbreviation_is_listed_once() {
        let mut seen = std::collections::BTreeSet::new();
        for line in lines(include_str!("../words/abbreviations.txt")) {
            for short in line.split_whitespace().skip(1) {
                assert!(seen.insert(short), "duplicate abbreviation `{short}`");
            }
        }
    }
}
