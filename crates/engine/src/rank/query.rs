//! Parses a rule or a search query into weighted terms.
//!
//! Stop words are dropped, common words weigh little. A contrast ("instead of X", "…, never X")
//! names things to avoid, so its words weigh less than the rest. Hints weigh nearly as much as words of the rule and are never stop words,
//! because their author expects them in the code.
//!
//! A rule may name code. Such a name is evidence of its own, and its parts weigh less than words
//! of prose: "use `pkg.Batch()`" is about one function, not about packages and batches. The words
//! of paths and commands and the numbers of prose do not describe code.

use std::ops::Range;

use super::code_form::RuleForms;
use super::named_code::{self, Role, Span, SpanKind};
use super::roles::{self, RoleSpan, SpanRole};
use super::weights::WEIGHTS;
use super::word_lists::{
    COMMON_WORDS, CONTRASTS, OPENING_CONTRASTS, OUTSIDE_TESTS, PREFERENCE_VERBS, STOP_WORDS,
    TEST_TERMS,
};
use super::{rule_kind, tokenize};

/// Minimum length of an adverb in "-ly"; shorter words are rarely adverbs (apply, reply).
const MIN_ADVERB_LEN: usize = 6;

/// A term of a query with its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    pub term: String,
    /// The word as written.
    pub word: String,
    pub weight: f64,
    /// Whether the rule or search contains it.
    pub(crate) is_in_text: bool,
    /// Whether a hint contains it.
    pub(crate) is_hinted: bool,
}

/// Code that a rule or a hint names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NamedCode {
    /// The identifier or qualified name as written, without arguments.
    pub(crate) text: String,
    /// Its parts, as indices into the terms.
    pub(crate) parts: Vec<usize>,
    /// Relative to a word of the rule.
    pub(crate) weight: f64,
    /// Whether only a hint names it.
    pub(crate) is_hinted: bool,
    /// Whether `text` is a pattern of names.
    pub(crate) is_pattern: bool,
    /// Whether back-ticks hold nothing else than it and its arguments, so that it is not a part of an example.
    pub(crate) is_alone: bool,
    pub(crate) role: Role,
}

/// The distinct terms of a rule or a search query, in order of first occurrence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParsedQuery {
    pub terms: Vec<QueryTerm>,
    /// Adjacent terms, as ascending pairs of indices into `terms`.
    pub(crate) pairs: Vec<(usize, usize)>,
    pub(crate) names: Vec<NamedCode>,
    /// The files and folders that the rule names.
    pub(crate) paths: Vec<String>,
    pub(crate) is_about_tests: bool,
    /// Whether it opens with a prohibition, or ends where its demand should follow.
    pub(crate) is_without_demand: bool,
    /// The code that it demands and forbids.
    pub(crate) forms: RuleForms,
}

impl ParsedQuery {
    /// Parses a rule and its hints.
    pub(crate) fn rule(text: &str, hints: &[String]) -> Self {
        let roles = roles::roles(text);
        let forms = RuleForms::new(text, &roles);
        let is_without_demand = is_without_demand(text);
        let mut query = Self {
            is_without_demand,
            forms,
            ..Self::default()
        };
        let weights = &WEIGHTS.query;
        let spans = named_code::spans(text);
        let parts = Parts {
            clauses: clauses(text),
            roles,
        };
        let has_demand = query.forms.demands();
        let weight = |range: Range<usize>| {
            let word = text[range.clone()].to_lowercase();
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            let own = match span_at(&spans, range.start).map(|span| span.kind) {
                Some(SpanKind::Name | SpanKind::Pattern) => weights.name_part,
                Some(SpanKind::Path | SpanKind::Command) => 0.0,
                Some(SpanKind::Block) => weights.block * word_weight(&word),
                None if is_number => 0.0,
                None => word_weight(&word),
            };
            own * parts.weight(range.start, has_demand)
        };
        query.add(text, weight, false);
        for (span, role) in spans.iter().zip(named_code::roles(text, &spans)) {
            let name = &text[span.range.clone()];
            let start = span.range.start;
            let weight = parts.weight(start, has_demand);
            match span.kind {
                // An example does not have to contain the code to avoid.
                SpanKind::Name | SpanKind::Pattern if parts.is_avoided(start, has_demand) => {}
                SpanKind::Name => {
                    let name = name.trim_start_matches('@');
                    query.add_name(name, &[name], weight, false);
                    if let Some(known) = query.names.iter_mut().find(|known| known.text == name) {
                        known.is_alone |= is_alone(text, &span.range);
                        known.role = match (known.role, role) {
                            (Role::Used, _) | (_, Role::Used) => Role::Used,
                            (Role::Other, role) => role,
                            (known, _) => known,
                        };
                    }
                }
                SpanKind::Pattern => {
                    query.add_name(name, &named_code::pattern_pieces(name), weight, false);
                }
                SpanKind::Path => query.paths.push(name.to_owned()),
                SpanKind::Command | SpanKind::Block => {}
            }
        }
        query.finish(text, hints)
    }

    /// Parses a search query, in which every word that is not a stop word counts.
    pub fn search(text: &str, hints: &[String]) -> Self {
        let mut query = Self::default();
        let parts = Parts {
            clauses: clauses(text),
            roles: Vec::new(),
        };
        let weight = |range: Range<usize>| {
            parts.weight(range.start, false) * word_weight(&text[range].to_lowercase())
        };
        query.add(text, weight, false);
        query.finish(text, hints)
    }

    fn finish(mut self, text: &str, hints: &[String]) -> Self {
        if self.terms.is_empty() {
            // A text with only stop words is searched for these.
            self.add(text, |_| 1.0, false);
        }
        let mut lower = text.to_lowercase();
        for phrase in OUTSIDE_TESTS.entries() {
            lower = lower.replace(phrase, " ");
        }
        self.is_about_tests = tokenize::terms(&lower)
            .iter()
            .any(|term| TEST_TERMS.contains(term));
        let weight = WEIGHTS.query.hint;
        for hint in hints {
            self.add(hint, |_| weight, true);
            if tokenize::terms(hint).len() > 1 && !hint.contains(char::is_whitespace) {
                let name = hint.trim_start_matches('@');
                self.add_name(name, &[name], weight, true);
            }
        }
        self
    }

    /// Adds the words of a text or a hint, with the weight of the word at each range. Words of
    /// weight 0 are skipped; the words around them count as adjacent.
    fn add(&mut self, text: &str, weight: impl Fn(Range<usize>) -> f64, is_hint: bool) {
        let mut previous = None;
        tokenize::word_bounds(text.as_bytes(), |start, end| {
            let Some(word) = text.get(start..end) else {
                return;
            };
            let weight = weight(start..end);
            if weight == 0.0 {
                return;
            }
            tokenize::parts(word, |part| {
                let term_idx = self.add_term(part, weight, is_hint);
                if let Some(previous) = previous.replace(term_idx) {
                    let pair = (term_idx.min(previous), term_idx.max(previous));
                    if term_idx != previous && !self.pairs.contains(&pair) {
                        self.pairs.push(pair);
                    }
                }
            });
        });
    }

    /// Adds code that is named, of which the words of `pieces` are terms already. A pattern of names
    /// has several pieces.
    fn add_name(&mut self, text: &str, pieces: &[&str], weight: f64, is_hinted: bool) {
        let mut parts: Vec<usize> = Vec::new();
        for term in pieces.iter().flat_map(|piece| tokenize::terms(piece)) {
            parts.extend(self.terms.iter().position(|known| known.term == term));
        }
        if parts.is_empty() {
            return;
        }
        let is_pattern = pieces.len() > 1;
        let mut names = self.names.iter_mut();
        if let Some(known) = names.find(|known| !is_pattern && known.text == text) {
            known.weight = known.weight.max(weight);
            return;
        }
        self.names.push(NamedCode {
            text: text.to_owned(),
            parts,
            weight,
            is_hinted,
            is_pattern,
            is_alone: false,
            role: Role::Other,
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
        self.terms.push(QueryTerm {
            term,
            word: word.to_owned(),
            weight,
            is_in_text: !is_hint,
            is_hinted: is_hint,
        });
        self.terms.len() - 1
    }
}

fn span_at(spans: &[Span], at: usize) -> Option<&Span> {
    let after = spans.partition_point(|span| span.range.start <= at);
    spans[..after].last().filter(|span| at < span.range.end)
}

/// Returns whether the back-ticks around a name hold nothing else than its sigils and arguments, or there are none.
fn is_alone(text: &str, name: &Range<usize>) -> bool {
    let before = &text[..name.start];
    if before.matches('`').count().is_multiple_of(2) {
        return true;
    }
    let before = before.trim_end_matches(['@', '&', '*', '#', '[']);
    before.ends_with('`') && text[name.end..].starts_with(['`', '(', '!', '<', '[', '{'])
}

/// Returns whether a rule opens with a prohibition, maybe after a title, or ends with a colon.
fn is_without_demand(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    for statement in [&lower, rule_kind::lead(&lower)] {
        let statement = statement.trim_start_matches(|c: char| !c.is_alphanumeric());
        if contrast(statement) == Some(0) {
            return true;
        }
    }
    lower.trim_end().ends_with(':')
}

/// Returns whether a lower-case word has no meaning of its own.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// Returns whether a lower-case word says something about code.
pub(super) fn is_content(word: &str) -> bool {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    !is_number && word_weight(word) >= 1.0
}

/// Returns the weight of a lower-case word, 0 for stop words.
fn word_weight(word: &str) -> f64 {
    if is_stop_word(word) {
        0.0
    } else if COMMON_WORDS.contains(word) || (word.len() >= MIN_ADVERB_LEN && word.ends_with("ly"))
    {
        WEIGHTS.query.common
    } else {
        1.0
    }
}

/// A part of a text.
struct Clause {
    start: usize,
    is_contrast: bool,
}

/// Splits a text into clauses. A contrast extends to the end of its clause; one that starts the text
/// is its main statement.
fn clauses(text: &str) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    let mut next_start = 0;
    for end in clause_ends(text) {
        let start = next_start;
        next_start = end;
        let clause = &text[start..end];
        let mut lower = clause.to_lowercase();
        if lower.len() != clause.len() {
            // Its offsets are not valid in `clause`.
            lower.clear();
        }
        let is_first = clauses.is_empty();
        clauses.push(Clause {
            start,
            is_contrast: false,
        });
        if let Some(offset) = contrast(&lower)
            && (offset > 0 || !is_first)
        {
            clauses.push(Clause {
                start: start + offset,
                is_contrast: true,
            });
        }
    }
    clauses
}

/// The clauses of a text, and the code that it demands and forbids.
struct Parts {
    clauses: Vec<Clause>,
    roles: Vec<RoleSpan>,
}

impl Parts {
    /// Returns whether a text names what is at an offset as code to avoid. If it forbids without a demand, what it
    /// forbids is all that it is about.
    fn is_avoided(&self, at: usize, has_demand: bool) -> bool {
        let span = self.roles.iter().find(|span| span.range.contains(&at));
        match span.map(|span| span.role) {
            Some(SpanRole::Demanded) => false,
            Some(SpanRole::Forbidden) if has_demand => true,
            _ => {
                let n_before = self.clauses.partition_point(|clause| clause.start <= at);
                self.clauses[..n_before]
                    .last()
                    .is_some_and(|clause| clause.is_contrast)
            }
        }
    }

    /// Returns the factor for the words at an offset.
    fn weight(&self, at: usize, has_demand: bool) -> f64 {
        if self.is_avoided(at, has_demand) {
            WEIGHTS.query.contrast
        } else {
            1.0
        }
    }
}

/// Returns the ends of the clauses of a text. Code in back-ticks and the dots inside of words do
/// not end a clause.
fn clause_ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut is_quoted = false;
    let mut chars = text.char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let ends_word = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        match c {
            '`' => is_quoted = !is_quoted,
            ';' | '(' | ')' | ',' if !is_quoted => ends.push(offset + 1),
            '.' | ':' if !is_quoted && ends_word => ends.push(offset + 1),
            _ => {}
        }
    }
    if ends.last() != Some(&text.len()) {
        ends.push(text.len());
    }
    ends
}

/// Returns the start of the first contrast in a lower-case clause.
fn contrast(lower: &str) -> Option<usize> {
    let mut starts = Vec::new();
    starts.extend(find_phrase(lower, CONTRASTS.entries()));
    let first = lower.len() - lower.trim_start().len();
    if find_phrase(lower, OPENING_CONTRASTS.entries()) == Some(first) {
        starts.push(first);
    }
    if let Some(over) = find_phrase(lower, &["over"]) {
        let mut words = lower[..over].split_whitespace();
        if words.any(|word| PREFERENCE_VERBS.contains(word)) {
            starts.push(over);
        }
    }
    starts.into_iter().min()
}

/// Returns the start of the first of `phrases` that occurs as whole words in a lower-case clause.
fn find_phrase(lower: &str, phrases: &[&str]) -> Option<usize> {
    let mut first = None;
    for phrase in phrases {
        for (start, _) in lower.match_indices(phrase) {
            let before = lower[..start].chars().next_back();
            let after = lower[start + phrase.len()..].chars().next();
            if before.into_iter().chain(after).any(char::is_alphanumeric) {
                continue;
            }
            if first.is_none_or(|first| start < first) {
                first = Some(start);
            }
            break;
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let words: Vec<String> = ParsedQuery::rule(text, &[])
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
        check(
            "Always close the session; a session must be closed.",
            "close session",
        );
        check("Use it.", "use it");
        check("", "");
    }

    #[test]
    fn common_words_weigh_little() {
        check(
            "Quickly find the real owner",
            "quickly:0.4 find:0.4 real:0.4 owner",
        );
        check("Apply the reply", "apply reply");
    }

    #[test]
    fn contrasts_weigh_half() {
        check(
            "Wrap writes in a transaction instead of committing by name",
            "wrap writes transaction committing:0.5 name:0.5",
        );
        check("Never log secrets", "log secrets");
        check(
            "Hash passwords, never store text",
            "hash passwords store:0.5 text:0.5",
        );
        check(
            "Return early, not deeply nested",
            "return early:0.4 deeply:0.2 nested:0.5",
        );
        check("İ never X", "i\u{307}");
        check("Prefer enums over numbers", "enums numbers:0.5");
        check("Log twice, avoid printing", "log twice printing:0.5");
    }

    #[test]
    fn hints_are_split_like_identifiers() {
        let query = ParsedQuery::rule("Close a db", &["close_db".into(), "teardown".into()]);
        let words: Vec<&str> = query.terms.iter().map(|term| term.word.as_str()).collect();
        assert_eq!(words, ["close", "db", "teardown"]);
        assert!(query.terms.iter().all(|term| term.is_hinted));
        assert_eq!(
            query.names.iter().map(|it| &it.parts).collect::<Vec<_>>(),
            [&[0, 1]]
        );
        assert_eq!(query.pairs, [(0, 1)]);
    }

    #[test]
    fn named_code_is_a_name_with_light_parts() {
        let query = ParsedQuery::rule("Close with `db.close_all()` in `src/db/`, not 404", &[]);
        let words: Vec<(&str, f64)> = query
            .terms
            .iter()
            .map(|it| (it.word.as_str(), it.weight))
            .collect();
        assert_eq!(words, [("close", 1.0), ("db", 0.5), ("all", 0.5)]);
        let name = &query.names[0];
        assert_eq!(
            (name.text.as_str(), name.parts.as_slice()),
            ("db.close_all", &[1, 0, 2][..])
        );
        assert_eq!(query.paths, ["src/db/"]);
    }

    #[test]
    fn names_in_contrasts_are_not_searched_for() {
        let names = |text: &str| -> Vec<String> {
            ParsedQuery::rule(text, &[])
                .names
                .into_iter()
                .map(|name| name.text)
                .collect()
        };
        assert_eq!(
            names("Use `log_line` instead of `print_line`"),
            ["log_line"]
        );
        assert_eq!(names("Never call `print_line`"), ["print_line"]);
        assert_eq!(
            names("Close `my_file` so that `other_file` is free"),
            ["my_file", "other_file"]
        );
    }

    #[test]
    fn names_with_nothing_else_in_their_back_ticks_are_alone() {
        let check = |text: &str, expected: bool| {
            assert_eq!(
                ParsedQuery::rule(text, &[]).names[0].is_alone,
                expected,
                "{text}"
            );
        };
        check("Call `close_all()`", true);
        check("Add `@pytest.fixture`", true);
        check("Call close_all()", true);
        check(
            "Show a use before `pub trait ParquetHandler { ... }`",
            false,
        );
    }

    #[test]
    fn prohibitions_and_introductions_demand_nothing() {
        let check = |text: &str, expected: bool| {
            assert_eq!(
                ParsedQuery::rule(text, &[]).is_without_demand,
                expected,
                "{text}"
            );
        };
        check("Never log secrets", true);
        check("**NEVER** log secrets", true);
        check("**Secrets**: do not log them", true);
        check("Avoid sleeps. Instead:", true);
        check("Close the file, never leave it open", false);
    }

    #[test]
    fn rules_about_code_outside_tests_are_not_about_tests() {
        assert!(ParsedQuery::rule("Use a fixture in tests", &[]).is_about_tests);
        assert!(!ParsedQuery::rule("No panics outside of tests", &[]).is_about_tests);
    }

    #[test]
    fn adjacent_terms_are_paired_across_stop_words() {
        let query = ParsedQuery::rule("Compare a signature in constant time", &[]);
        assert_eq!(query.pairs, [(0, 1), (1, 2), (2, 3)]);
    }
}
