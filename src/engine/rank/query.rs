//! Parses a rule or a search query into weighted terms.
//!
//! Stop words are dropped, common words weigh little. A contrast ("instead of X", "…, never X")
//! names things to avoid and a purpose ("so that X") gives the reason, so their words weigh less
//! than the rest. Hints weigh nearly as much as words of the rule and are never stop words,
//! because their author expects them in the code.

use super::tokenize;
use super::word_lists::{
    COMMON_WORDS, CONTRASTS, OPENING_CONTRASTS, PURPOSES, STOP_WORDS, TEST_TERMS,
};

// The weights are relative to an ordinary word of the rule, whose weight is 1.

/// Weight of a hint: it is only a guess, but usually a good one.
const HINT_WEIGHT: f64 = 0.9;

/// Weight of a word that occurs only in a contrast: the example must not do it, but often names
/// it, for example to check for it.
const CONTRAST_WEIGHT: f64 = 0.5;

/// Weight of a word that occurs only in a purpose: code shows the means rather than the goal.
const PURPOSE_WEIGHT: f64 = 0.5;

/// Weight of a common word or an adverb of manner.
const COMMON_WEIGHT: f64 = 0.4;

/// Minimum length of an adverb in "-ly"; shorter words are rarely adverbs (apply, reply).
const MIN_ADVERB_LEN: usize = 6;

/// A term of a query with its weight.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QueryTerm {
    pub(crate) term: String,
    /// The word as written.
    pub(crate) word: String,
    pub(crate) weight: f64,
    /// Whether a hint contains it.
    pub(crate) is_hinted: bool,
}

/// The distinct terms of a rule or a search query, in order of first occurrence.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ParsedQuery {
    pub(crate) terms: Vec<QueryTerm>,
    /// Adjacent terms, as ascending pairs of indices into `terms`.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// Identifiers of several parts, as indices into `terms`.
    pub(crate) identifiers: Vec<Vec<usize>>,
    pub(crate) is_about_tests: bool,
}

impl ParsedQuery {
    /// Parses a text and its hints.
    pub(crate) fn parse(text: &str, hints: &[String]) -> Self {
        let mut query = Self::default();
        for (clause, weight) in clauses(text) {
            query.add(clause, |word| weight * word_weight(word), false);
        }
        if query.terms.is_empty() {
            // A text with only stop words is searched for these.
            query.add(text, |_| 1.0, false);
        }
        query.is_about_tests =
            tokenize::terms(text).iter().any(|term| TEST_TERMS.contains(&term.as_str()));
        for hint in hints {
            query.add(hint, |_| HINT_WEIGHT, true);
        }
        query
    }

    /// Adds the words of a clause or a hint. Words of weight 0 are skipped; the words around
    /// them count as adjacent.
    fn add(&mut self, text: &str, weight: impl Fn(&str) -> f64, is_hint: bool) {
        let mut previous = None;
        tokenize::words(text, |word| {
            let weight = weight(&word.to_lowercase());
            if weight == 0.0 {
                return;
            }
            let mut parts = Vec::new();
            tokenize::parts(word, |part| {
                let term_idx = self.add_term(part, weight, is_hint);
                parts.push(term_idx);
                if let Some(previous) = previous.replace(term_idx) {
                    let pair = (term_idx.min(previous), term_idx.max(previous));
                    if term_idx != previous && !self.pairs.contains(&pair) {
                        self.pairs.push(pair);
                    }
                }
            });
            if parts.len() > 1 && !self.identifiers.contains(&parts) {
                self.identifiers.push(parts);
            }
        });
    }

    fn add_term(&mut self, word: &str, weight: f64, is_hint: bool) -> usize {
        let term = tokenize::term(word);
        if let Some(term_idx) = self.terms.iter().position(|known| known.term == term) {
            let known = &mut self.terms[term_idx];
            known.weight = known.weight.max(weight);
            known.is_hinted |= is_hint;
            return term_idx;
        }
        self.terms.push(QueryTerm { term, word: word.to_owned(), weight, is_hinted: is_hint });
        self.terms.len() - 1
    }
}

/// Returns the weight of a lower-case word, 0 for stop words.
fn word_weight(word: &str) -> f64 {
    if STOP_WORDS.contains(word) {
        0.0
    } else if COMMON_WORDS.contains(word) || (word.len() >= MIN_ADVERB_LEN && word.ends_with("ly"))
    {
        COMMON_WEIGHT
    } else {
        1.0
    }
}

/// Splits a text into parts with their weights. A contrast or purpose extends to the end of its
/// clause; one that starts the text is its main statement and not weighted down.
fn clauses(text: &str) -> Vec<(&str, f64)> {
    let mut clauses = Vec::new();
    for clause in text.split_inclusive([';', '.', ':', '(', ')', ',']) {
        let mut lower = clause.to_lowercase();
        if lower.len() != clause.len() {
            // Its offsets are not valid in `clause`.
            lower.clear();
        }
        let starts =
            [(contrast(&lower), CONTRAST_WEIGHT), (find_phrase(&lower, PURPOSES), PURPOSE_WEIGHT)];
        let is_first = clauses.is_empty();
        let starts = starts.into_iter().filter_map(|(start, weight)| Some((start?, weight)));
        match starts.filter(|&(start, _)| start > 0 || !is_first).min_by_key(|it| it.0) {
            Some((start, weight)) => {
                clauses.extend([(&clause[..start], 1.0), (&clause[start..], weight)]);
            }
            None => clauses.push((clause, 1.0)),
        }
    }
    clauses
}

/// Returns the start of the first contrast in a lower-case clause.
fn contrast(lower: &str) -> Option<usize> {
    let first = lower.len() - lower.trim_start().len();
    let opening = find_phrase(lower, OPENING_CONTRASTS).filter(|&start| start == first);
    opening.into_iter().chain(find_phrase(lower, CONTRASTS)).min()
}

/// Returns the start of the first of `phrases` that occurs as whole words in a lower-case clause.
fn find_phrase(lower: &str, phrases: &[&str]) -> Option<usize> {
    let is_whole = |start: usize, phrase: &str| {
        let before = lower[..start].chars().next_back();
        let after = lower[start + phrase.len()..].chars().next();
        !before.into_iter().chain(after).any(char::is_alphanumeric)
    };
    let starts = phrases.iter().filter_map(|phrase| {
        let mut starts = lower.match_indices(phrase).map(|(start, _)| start);
        starts.find(|&start| is_whole(start, phrase))
    });
    starts.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let words: Vec<String> = ParsedQuery::parse(text, &[])
            .terms
            .iter()
            .map(|term| match term.weight {
                1.0 => term.word.clone(),
                weight => format!("{}:{weight}", term.word),
            })
            .collect();
        assert_eq!(words.join(" "), expected, "{text}");
    }

    #[test]
    fn stop_words_are_dropped_and_terms_are_distinct() {
        check("Always close the session; a session must be closed.", "close session");
        check("Use it.", "use it");
        check("", "");
    }

    #[test]
    fn common_words_weigh_little() {
        check("Quickly find the real owner", "quickly:0.4 find:0.4 real:0.4 owner");
        check("Apply the reply", "apply reply");
    }

    #[test]
    fn contrasts_weigh_half() {
        check(
            "Wrap writes in a transaction instead of committing by name",
            "wrap writes transaction committing:0.5 name:0.5",
        );
        check("Never log secrets", "log secrets");
        check("Hash passwords, never store text", "hash passwords store:0.5 text:0.5");
        check("Return early, not deeply nested", "return early:0.4 deeply:0.2 nested:0.5");
        check("İ never X", "i\u{307}");
    }

    #[test]
    fn purposes_weigh_half() {
        check("Sort the keys so that diffs stay small", "sort keys diffs:0.5 stay:0.2 small:0.2");
        check("Also sort", "sort");
    }

    #[test]
    fn hints_are_split_like_identifiers() {
        let query = ParsedQuery::parse("Close a db", &["close_db".into(), "teardown".into()]);
        let words: Vec<&str> = query.terms.iter().map(|term| term.word.as_str()).collect();
        assert_eq!(words, ["close", "db", "teardown"]);
        assert!(query.terms.iter().all(|term| term.is_hinted));
        assert_eq!(query.identifiers, [[0, 1]]);
        assert_eq!(query.pairs, [(0, 1)]);
    }

    #[test]
    fn adjacent_terms_are_paired_across_stop_words() {
        let query = ParsedQuery::parse("Compare a signature in constant time", &[]);
        assert_eq!(query.pairs, [(0, 1), (1, 2), (2, 3)]);
    }
}
