//! Detects rules that contradict each other: the same topic with opposite polarity.
//!
//! A text is split into clauses of whole words and parsed into statements (demands and
//! prohibitions; a negation extends to the end of its clause) and alternatives ("x over y"). Two
//! texts contradict each other if one demands what the other prohibits or rejects. Clauses that
//! are hard to parse (two negations, an exception, a permission) are ignored, because a false
//! alarm costs more than a miss. English only, without synonyms.

use std::collections::BTreeSet;

use crate::text::WordList;

use super::tokenize;
use super::word_lists::{
    CONDITIONS, CONJUNCTIONS, DEMAND_WORDS, EXCEPTIONS, NEGATIONS, OMISSIONS, PERMISSIONS,
    PREFERENCE_VERBS, REASONS,
};

#[cfg(test)]
mod tests;

/// Minimum Jaccard similarity of two statements about the same topic: three of four words.
/// Origin so that none of the compatible rules in the tests contradict each other.
const SAME_TOPIC: f64 = 0.75;

type Words = BTreeSet<String>;

/// The statements and alternatives of a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ParsedText {
    statements: Vec<Statement>,
    alternatives: Vec<Alternative>,
}

/// A demand or a prohibition.
#[derive(Debug, Clone, PartialEq)]
struct Statement {
    words: Words,
    is_negative: bool,
    /// Whether it is the only clause of its sentence, so that a single word is enough to
    /// identify its topic.
    is_alone: bool,
}

/// A preference: "x over y".
#[derive(Debug, Clone, PartialEq)]
struct Alternative {
    chosen: Words,
    rejected: Words,
}

impl ParsedText {
    /// Parses the first paragraph of a text; further paragraphs are explanations.
    pub(crate) fn parse(text: &str) -> Self {
        let mut parsed = Self::default();
        let rule = text.trim().split("\n\n").next().unwrap_or_default();
        let mut label = Vec::new();
        for mut sentence in sentences(rule) {
            if let [clause] = &mut sentence[..]
                && is_prohibiting_label(clause)
            {
                label = std::mem::take(clause);
                continue;
            }
            sentence[0].splice(0..0, label.drain(..));
            parsed.add_sentence(&sentence);
        }
        parsed
    }

    /// Returns whether one text demands an action that the other prohibits or rejects.
    pub(crate) fn contradicts(&self, other: &Self) -> bool {
        if !self.has_negation() && !other.has_negation() {
            return false;
        }
        let rejects =
            |a: &Self, b: &Self| any_pair(&a.alternatives, &b.statements, Alternative::rejects);
        any_pair(&self.statements, &other.statements, Statement::contradicts)
            || any_pair(&self.alternatives, &other.alternatives, Alternative::is_reverse_of)
            || rejects(self, other)
            || rejects(other, self)
    }

    /// Returns whether anything is prohibited or rejected.
    fn has_negation(&self) -> bool {
        !self.alternatives.is_empty() || self.statements.iter().any(|it| it.is_negative)
    }

    fn add_sentence(&mut self, clauses: &[Vec<String>]) {
        let mut condition = Words::new();
        // The words after "Instead of" in a first clause: "Instead of x, …".
        let mut rejected = None;
        let mut last_positive: Option<Words> = None;
        let is_alone = clauses.len() == 1;
        for (clause_idx, clause) in clauses.iter().enumerate() {
            let clause = without_reason(clause);
            let Some(first) = clause.first() else { continue };
            let is_last = clause_idx + 1 == clauses.len();
            if let Some(rest) = after_contrast(clause, 0) {
                rejected = Some(content_words(rest));
                continue;
            }
            if CONDITIONS.contains(first.as_str()) && !is_last && last_positive.is_none() {
                condition.extend(content_words(clause));
                continue;
            }
            if let (Some(chosen), "not" | "never", Some(second)) =
                (&last_positive, first.as_str(), clause.get(1))
                && second != "only"
            {
                self.add_alternative(chosen.clone(), content_words(&clause[1..]));
                continue;
            }
            if let Some((before, after)) = split_alternative(clause) {
                if !before.iter().any(|word| is_negation(word)) {
                    let chosen = &content_words(before) | &condition;
                    self.add_alternative(chosen.clone(), content_words(after));
                    last_positive = Some(chosen);
                }
                continue;
            }
            let Some((words, is_negative)) = parse_statement(clause) else { continue };
            let words = &words | &condition;
            if !is_negative {
                if let Some(rejected) = rejected.take() {
                    self.add_alternative(words.clone(), rejected);
                }
                last_positive = Some(words.clone());
            }
            self.add_statement(words, is_negative, is_alone);
        }
    }

    fn add_alternative(&mut self, chosen: Words, rejected: Words) {
        if !chosen.is_empty() && !rejected.is_empty() {
            self.add_statement(chosen.clone(), false, true);
            self.alternatives.push(Alternative { chosen, rejected });
        }
    }

    fn add_statement(&mut self, words: Words, is_negative: bool, is_alone: bool) {
        if !words.is_empty() {
            self.statements.push(Statement { words, is_negative, is_alone });
        }
    }
}

impl Statement {
    fn contradicts(&self, other: &Self) -> bool {
        let n_least = self.words.len().min(other.words.len());
        let n_most = self.words.len().max(other.words.len());
        self.is_negative != other.is_negative
            // An upper bound of the Jaccard similarity, cheaper to compute.
            && n_least as f64 >= SAME_TOPIC * n_most as f64
            && (n_least > 1 || (self.is_alone && other.is_alone))
            && jaccard(&self.words, &other.words) >= SAME_TOPIC
    }
}

impl Alternative {
    /// Returns whether the two are "x over y" and "y over x" on the same topic.
    fn is_reverse_of(&self, other: &Self) -> bool {
        let rest = |a: &Self, b: &Self| &a.chosen - &b.rejected;
        self.rejected.is_subset(&other.chosen)
            && other.rejected.is_subset(&self.chosen)
            && jaccard(&rest(self, other), &rest(other, self)) >= SAME_TOPIC
    }

    /// Returns whether a statement demands the rejected words and has no words of another topic.
    fn rejects(&self, statement: &Statement) -> bool {
        !statement.is_negative
            && statement.is_alone
            && self.rejected.is_subset(&statement.words)
            && (&statement.words - &self.rejected).is_subset(&self.chosen)
            && !self.chosen.is_subset(&statement.words)
    }
}

fn any_pair<A, B>(a: &[A], b: &[B], is_match: impl Fn(&A, &B) -> bool) -> bool {
    a.iter().any(|a| b.iter().any(|b| is_match(a, b)))
}

/// Returns the Jaccard similarity, 1 for two empty sets.
fn jaccard(a: &Words, b: &Words) -> f64 {
    let n_union = a.union(b).count();
    if n_union == 0 { 1.0 } else { a.intersection(b).count() as f64 / n_union as f64 }
}

/// Returns the terms of a clause that identify its topic.
fn content_words(clause: &[String]) -> Words {
    let words = clause.iter().filter(|word| !DEMAND_WORDS.contains(word.as_str()));
    // Names without terms, like "c++" or those of one letter, are used as they are.
    words
        .flat_map(|word| match tokenize::terms(word) {
            terms if terms.is_empty() => vec![word.clone()],
            terms => terms,
        })
        .collect()
}

/// Returns whether a clause is only a label that prohibits what follows, as in "Do not: squash commits".
fn is_prohibiting_label(clause: &[String]) -> bool {
    clause.iter().any(|word| is_negation(word))
        && clause.iter().all(|word| word == "do" || is_negation(word))
}

fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(word) || word.ends_with("n't")
}

/// Returns the content words of a clause without an alternative, and whether it is a prohibition.
fn parse_statement(clause: &[String]) -> Option<(Words, bool)> {
    if clause.iter().any(|word| EXCEPTIONS.contains(word.as_str())) {
        return None;
    }
    // "not only x" is not a negation.
    let is_not_only =
        |idx: usize| clause[idx] == "not" && clause.get(idx + 1).is_some_and(|next| next == "only");
    let mut negations =
        (0..clause.len()).filter(|&idx| is_negation(&clause[idx]) && !is_not_only(idx));
    let Some(idx) = negations.next() else { return Some((content_words(clause), false)) };
    if negations.next().is_some() {
        return None;
    }
    let (before, after) = (&clause[..idx], &clause[idx + 1..]);
    let has = |list: &WordList, word: Option<&String>| {
        word.is_some_and(|word| list.contains(word.as_str()))
    };
    if has(&PERMISSIONS, after.first()) || has(&PERMISSIONS, before.last()) {
        return None;
    }
    let is_demand = has(&OMISSIONS, after.first());
    let words = [before, &after[usize::from(is_demand)..]].concat();
    Some((content_words(&words), !is_demand))
}

/// Splits "x over y" or "x instead of y" into `x` and `y`.
fn split_alternative(clause: &[String]) -> Option<(&[String], &[String])> {
    for idx in 1..clause.len() {
        let (before, after) = (&clause[..idx], &clause[idx + 1..]);
        if let Some(rest) = after_contrast(clause, idx) {
            return Some((before, rest));
        }
        let is_split = match clause[idx].as_str() {
            "over" => before.iter().any(|word| PREFERENCE_VERBS.contains(word.as_str())),
            "to" => matches!(clause[0].as_str(), "prefer" | "favor" | "favour"),
            _ => false,
        };
        if is_split {
            return Some((before, after));
        }
    }
    None
}

/// Returns the words after "instead of" or "rather than" at `idx`.
fn after_contrast(clause: &[String], idx: usize) -> Option<&[String]> {
    let pair = (clause.get(idx)?.as_str(), clause.get(idx + 1)?.as_str());
    matches!(pair, ("instead", "of") | ("rather", "than")).then(|| &clause[idx + 2..])
}

fn without_reason(clause: &[String]) -> &[String] {
    let end = clause.iter().position(|word| REASONS.contains(word.as_str()));
    &clause[..end.unwrap_or(clause.len())]
}

/// Splits a text into sentences of clauses of lower-case words.
fn sentences(text: &str) -> Vec<Vec<Vec<String>>> {
    let mut sentences = vec![vec![Vec::new()]];
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or('\n');
        if c.is_alphanumeric() || c == '_' {
            word.extend(c.to_lowercase());
            continue;
        }
        // "don't", "node.js", "read-only" and "c++" are one word each; "std::fs" is two.
        if !word.is_empty() {
            let is_inside = next.is_alphanumeric();
            match c {
                '\'' | '’' if is_inside => word.push('\''),
                '+' | '#' => word.push(c),
                '.' | '/' | '-' if is_inside => word.push(c),
                _ => push_word(&mut sentences, &mut word),
            }
            if !word.is_empty() {
                continue;
            }
        }
        match c {
            '.' | '!' | '?' | ';' | ':' if next.is_whitespace() => sentences.push(vec![Vec::new()]),
            ',' | '(' | ')' | '—' | '–' => start_clause(&mut sentences, Vec::new()),
            '-' if next.is_whitespace() => start_clause(&mut sentences, Vec::new()),
            _ => {}
        }
    }
    push_word(&mut sentences, &mut word);
    for sentence in &mut sentences {
        sentence.retain(|clause| !clause.is_empty());
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

fn start_clause(sentences: &mut [Vec<Vec<String>>], words: Vec<String>) {
    if let Some(sentence) = sentences.last_mut() {
        sentence.push(words);
    }
}

/// Moves `word` to the end of the last clause.
fn push_word(sentences: &mut [Vec<Vec<String>>], word: &mut String) {
    if word.is_empty() {
        return;
    }
    let word = std::mem::take(word);
    let Some(clause) = sentences.last_mut().and_then(|sentence| sentence.last_mut()) else {
        return;
    };
    let is_auxiliary = clause.last().is_some_and(|last| last == "do");
    let conjunction = clause.len().checked_sub(1 + usize::from(is_auxiliary));
    let conjunction = conjunction.filter(|&idx| CONJUNCTIONS.contains(clause[idx].as_str()));
    match conjunction.filter(|_| is_negation(&word)) {
        // A negation after a conjunction starts a clause: "x and do not y".
        Some(idx) => {
            let mut words = clause.split_off(idx);
            words.remove(0);
            words.push(word);
            start_clause(sentences, words);
        }
        None => clause.push(word),
    }
}
