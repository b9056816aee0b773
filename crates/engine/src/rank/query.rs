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

use cerberus_prose::contrast::{Clause, clauses, is_without_demand};
use cerberus_prose::lists::{OUTSIDE_TESTS, TEST_TERMS};
use cerberus_prose::words;
pub use cerberus_prose::words::is_stop_word;

use super::code_form::{CodeForm, RuleForms};
use super::named_code::{self, Role, Span, SpanKind};
use super::roles::{self, RoleSpan, SpanRole};
use super::tokenize;
use super::weights::WEIGHTS;

/// Characters before a name that belong to it: `#[derive]`.
const SIGNS: [char; 5] = ['@', '&', '*', '#', '['];

/// Maximum number of the pieces of code that is looked for as it is written. Longer code is an example of its own.
const MAX_LITERAL_PIECES: usize = 8;

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
    /// What is looked for in code.
    pub(crate) look: Look,
    /// Whether back-ticks hold nothing else than it and its arguments, so that it is not a part of an example.
    pub(crate) is_alone: bool,
    pub(crate) role: Role,
}

impl NamedCode {
    /// Returns whether it is one name, not a pattern and not other code.
    pub(crate) fn is_name(&self) -> bool {
        matches!(self.look, Look::Name(_))
    }

    /// Returns whether the rule asks for code that uses it, derives from it or is marked with it.
    pub(crate) fn is_to_be_used(&self) -> bool {
        matches!(self.role, Role::Used | Role::Base | Role::Mark)
    }

    /// Returns the last part of a qualified name.
    pub(crate) fn last_part(&self) -> &str {
        let mut parts = self.text.rsplit(['.', ':']);
        parts.find(|part| !part.is_empty()).unwrap_or_default()
    }
}

/// How named code is looked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Look {
    /// The name of something, perhaps written with signs: `@cached`, `panic!`.
    Name(Option<CodeForm>),
    /// Names of a pattern: `test_*`.
    Pattern,
    /// Code as it is written: `as const`.
    Literal(CodeForm),
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
    /// The packages that the rule demands to use.
    pub(crate) packages: Vec<String>,
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
                    let is_mark = is_alone(text, &span.range) && is_mark(text, &span.range);
                    let role = if is_mark { Role::Mark } else { role };
                    let name = name.trim_start_matches('@');
                    query.add_name(name, &[name], weight, false);
                    if let Some(known) = query.names.iter_mut().find(|known| known.text == name) {
                        if is_alone(text, &span.range) {
                            known.is_alone = true;
                            known.look = Look::Name(signed_form(text, &span.range));
                        }
                        known.role = match (known.role, role) {
                            (Role::Mark, _) | (_, Role::Mark) => Role::Mark,
                            (Role::Used, _) | (_, Role::Used) => Role::Used,
                            (Role::Other, role) => role,
                            (known, _) => known,
                        };
                    }
                }
                SpanKind::Pattern => {
                    query.add_name(name, &named_code::pattern_pieces(name), weight, false);
                    if let Some(known) = query.names.iter_mut().find(|known| known.text == name) {
                        known.look = Look::Pattern;
                    }
                }
                // What is registered or exported there is the example, not the file.
                SpanKind::Path if role == Role::Place => {}
                // Its users are the example, not its own files.
                SpanKind::Path if role == Role::Used && is_package(name) => {
                    let module = name.trim_end_matches('/').rsplit('/').next();
                    query.add(module.unwrap_or_default(), |_| 1.0, false);
                    query.packages.push(name.to_owned());
                }
                SpanKind::Path => query.paths.push(name.to_owned()),
                SpanKind::Command | SpanKind::Block => {}
            }
        }
        for literal in literals(text, &spans) {
            let is_avoided = parts.is_avoided(literal.start, has_demand);
            if let Some(form) = CodeForm::new(&text[literal.clone()])
                && form.n_pieces() <= MAX_LITERAL_PIECES
                && !is_avoided
            {
                query.add_literal(&text[literal], form);
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
        let mut names = self.names.iter_mut();
        if let Some(known) = names.find(|known| known.text == text) {
            known.weight = known.weight.max(weight);
            return;
        }
        self.names.push(NamedCode {
            text: text.to_owned(),
            parts,
            weight,
            is_hinted,
            look: Look::Name(None),
            is_alone: false,
            role: Role::Other,
        });
    }

    /// Adds code that is looked for as it is written.
    fn add_literal(&mut self, text: &str, form: CodeForm) {
        self.add_name(text, &[text], WEIGHTS.query.literal, false);
        if let Some(known) = self.names.iter_mut().find(|known| known.text == text) {
            known.look = Look::Literal(form);
        }
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

/// Returns whether a name is written as an annotation of a definition: `@cached`, `#[must_use]`.
fn is_mark(text: &str, name: &Range<usize>) -> bool {
    text[name.clone()].starts_with('@') || text[..name.start].ends_with("#[")
}

/// Returns whether a path may be one that code imports: `lib/rest`, not `src/rest.go`.
fn is_package(path: &str) -> bool {
    let is_relative = path.starts_with(['.', '/']);
    path.contains('/') && !is_relative && !named_code::has_file_ending(path)
}

fn span_at(spans: &[Span], at: usize) -> Option<&Span> {
    let after = spans.partition_point(|span| span.range.start <= at);
    spans[..after].last().filter(|span| at < span.range.end)
}

/// Returns the ranges of the code in back-ticks that is more than a name, a path, a command or a block.
fn literals(text: &str, spans: &[Span]) -> Vec<Range<usize>> {
    let mut literals = Vec::new();
    for quote in named_code::quotes(text) {
        let inner = &text[quote.inner.clone()];
        let mut is_known = named_code::is_value(inner.trim());
        for span in spans {
            let is_inside =
                quote.inner.start <= span.range.start && span.range.end <= quote.inner.end;
            is_known |= is_inside
                && match span.kind {
                    SpanKind::Name => is_alone(text, &span.range),
                    _ => true,
                };
        }
        if !is_known {
            literals.push(quote.inner);
        }
    }
    literals
}

/// Returns the form of a name alone in back-ticks with the signs around it, if there are any.
fn signed_form(text: &str, name: &Range<usize>) -> Option<CodeForm> {
    let before = &text[..name.start];
    let start = before.trim_end_matches(SIGNS).len();
    let is_called = text[name.end..].starts_with(['(', '!']);
    let end = name.end + usize::from(is_called);
    let is_signed = start < name.start || is_called || text[name.clone()].starts_with('@');
    if is_signed {
        CodeForm::new(&text[start..end])
    } else {
        None
    }
}

/// Returns whether the back-ticks around a name hold nothing else than its sigils and arguments, or there are none.
fn is_alone(text: &str, name: &Range<usize>) -> bool {
    let before = &text[..name.start];
    if before.matches('`').count().is_multiple_of(2) {
        return true;
    }
    let before = before.trim_end_matches(SIGNS);
    before.ends_with('`') && text[name.end..].starts_with(['`', '(', '!', '<', '[', '{'])
}

/// Returns the weight of a lower-case word, 0 for stop words.
fn word_weight(word: &str) -> f64 {
    if words::is_stop_word(word) {
        0.0
    } else if words::is_common(word) {
        WEIGHTS.query.common
    } else {
        1.0
    }
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

#[cfg(test)]
mod tests;
