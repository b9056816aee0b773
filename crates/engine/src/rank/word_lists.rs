//! The word lists of ranking, and the abbreviations of programmers. Each list is explained in its file
//! in `engine/words/`.

use std::sync::LazyLock;

use cerberus_model::text::word_list::lines;
use rustc_hash::FxHashMap;

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
