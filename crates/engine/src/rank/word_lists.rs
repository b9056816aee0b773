//! The word lists of ranking, and the abbreviations of programmers. Each list is explained in its file
//! in `engine/words/`.

use std::sync::LazyLock;

use cerberus_model::text::word_list::lines;
use cerberus_model::word_lists;
use rustc_hash::FxHashMap;

word_lists! { "../words/query.txt":
    STOP_WORDS COMMON_WORDS CONTRASTS OPENING_CONTRASTS PREFERENCE_VERBS TEST_TERMS OUTSIDE_TESTS
}

word_lists! { "../words/working_advice.txt":
    PROCESS_WORDS PROJECT_WORDS CODE_WORDS PROCESS_VERBS DEMAND_OPENINGS PROCESS_PHRASES
}

word_lists! { "../words/moments.txt":
    SHARING_WORDS SHARING_HEADINGS GENERATED_PHRASES TALKING_WORDS
    TALKING_HEADINGS SETUP_WORDS SETUP_HEADINGS CHECK_NOUNS CHECK_VERBS CHECK_TIMES
}

word_lists! { "../words/named_code.txt": PROGRAMS RUNNING LITERALS USING POINTING DERIVING ANNOTATING PLACING }

word_lists! { "../words/roles.txt":
    COMPARISONS CHOOSING LOOPED PURPOSES PROHIBITIONS REFUSALS HAVING HARMLESS STATEMENTS CARRYING FORGETTING ADVISING BANNED
    SUPERSEDED WANTED TOWARDS REPLACING REPLACED_WITH SUPERSEDING ADOPTING COPULAS RESTRICTIONS PHRASE_ENDS CASES
    FILLERS WRONG_TITLES RIGHT_TITLES VALUES DENIALS LACKING PERMITTING NOBODY MODALS USES
}

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
