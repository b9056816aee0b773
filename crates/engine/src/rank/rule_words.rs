//! Finds the words of a rule, and the code that it names, in lines of code.

use cerberus_model::Span;
use rustc_hash::FxHashMap;

use super::query::ParsedQuery;
use super::weights::WEIGHTS;
use super::{named_code, tokenize};

/// The words of a rule and of its hints, with the code that they name.
pub struct RuleWords {
    /// Numbers and weights by term.
    terms: FxHashMap<String, (usize, f64)>,
    names: Vec<String>,
}

impl RuleWords {
    /// Reads the words of a rule and its hints.
    pub fn new(rule: &str, hints: &[String]) -> Self {
        let query = ParsedQuery::rule(rule, hints);
        let mut terms = FxHashMap::default();
        for (idx, term) in query.terms.into_iter().enumerate() {
            terms.insert(term.term, (idx, term.weight));
        }
        let names = query.names.into_iter();
        Self {
            terms,
            names: names.map(|name| name.text).collect(),
        }
    }

    /// Returns the spans of the identifiers that contain a word of the rule and of the code that it
    /// names, in order and without overlaps.
    pub fn spans(&self, code: &str) -> Vec<Span> {
        let mut spans = self.name_spans(code);
        tokenize::word_bounds(code.as_bytes(), |start, end| {
            let mut is_match = false;
            if let Some(word) = code.get(start..end) {
                tokenize::parts(word, |part| {
                    is_match |= self.terms.contains_key(&tokenize::term(part));
                });
            }
            if is_match {
                spans.push(Span::new(start, end));
            }
        });
        spans.sort_unstable_by_key(|span| (span.start, span.end));
        let mut distinct: Vec<Span> = Vec::with_capacity(spans.len());
        for span in spans {
            match distinct.last_mut() {
                Some(last) if span.start < last.end => last.end = last.end.max(span.end),
                _ => distinct.push(span),
            }
        }
        distinct
    }

    /// Returns whether the rule names one of these, or a part of it.
    pub(crate) fn has_name(&self, names: &[&str]) -> bool {
        let mut parts = self.names.iter().flat_map(|name| name.split(['.', ':']));
        parts.any(|part| names.contains(&part))
    }

    /// Returns the distinct words and names in a line, as numbers with their weights.
    pub(crate) fn evidence(&self, line: &str) -> Vec<(usize, f64)> {
        let mut found: Vec<(usize, f64)> = Vec::new();
        for term in tokenize::terms(line) {
            found.extend(self.terms.get(&term));
        }
        for (idx, name) in self.names.iter().enumerate() {
            if named_code::occurrences(line, name).next().is_some() {
                found.push((self.terms.len() + idx, WEIGHTS.query.name_in_line));
            }
        }
        found.sort_unstable_by_key(|(id, _)| *id);
        found.dedup_by_key(|(id, _)| *id);
        found
    }

    fn name_spans(&self, code: &str) -> Vec<Span> {
        let mut spans = Vec::new();
        for name in &self.names {
            for start in named_code::occurrences(code, name) {
                spans.push(Span::new(start, start + name.len()));
            }
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rule: &str, code: &str, expected: &str) {
        let words = RuleWords::new(rule, &[]);
        let mut marked = String::new();
        let mut end = 0;
        for span in words.spans(code) {
            marked += &format!("{}[{}]", &code[end..span.start], span.slice(code));
            end = span.end;
        }
        assert_eq!(marked + &code[end..], expected, "{rule}");
    }

    #[test]
    fn identifiers_with_words_of_the_rule_are_marked() {
        check(
            "Close the sessions",
            "closeDb(session); open(s)",
            "[closeDb]([session]); open(s)",
        );
        check("Always", "always(x)", "[always](x)");
        check("é", "", "");
    }

    #[test]
    fn named_code_is_marked_as_a_whole() {
        check(
            "Use `errors.Join()`",
            "return errors.Join(a)",
            "return [errors.Join](a)",
        );
    }

    #[test]
    fn names_weigh_more_than_words_and_repetitions_nothing() {
        let words = RuleWords::new("Join wrapped errors with `errors.Join()`", &[]);
        let weight = |line| {
            words
                .evidence(line)
                .iter()
                .map(|(_, weight)| weight)
                .sum::<f64>()
        };
        let weights = ["x", "wrapped", "wrapped(wrapped)", "errors.Join(a)"].map(weight);
        assert!(
            weights[0] == 0.0 && weights[1] == weights[2] && weights[2] < weights[3],
            "{weights:?}"
        );
    }
}
