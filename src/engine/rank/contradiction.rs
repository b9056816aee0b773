//! Whether two rules ask for opposite things: the same topic with opposite polarity.
//!
//! A text is read clause by clause, by whole words: what it asks for, what it forbids
//! (a negation reaches to the end of its clause), and what it chooses over what. Two
//! texts are opposite where one asks for what the other forbids or passes over. Where
//! a clause is hard to read (two negations, an exception, a permission) it says nothing:
//! a false alarm costs more than a miss. English only; understands no synonyms.

use std::collections::BTreeSet;

use super::tokenize;

#[cfg(test)]
mod tests;

/// The least share of common words at which two claims are about the same.
const SAME_TOPIC: f64 = 0.75;

/// Words that say that something is asked for, not what. Words of place and time
/// (before, outside, first) stay: they are often all that two compatible rules differ in.
const FILLER: &str = "
    a an the this that these those it its they them their there we our us you your i my is are be been
    being was were do does did done doing has have had having will would shall should must may might can
    could need needs to of and or but please also then just always prefer preferably favor favour use
    uses used using make makes making made ensure sure instead rather only ever really simply strictly
    every all any each both by choose pick let lets if when whenever
";

const NEGATORS: &[&str] = &[
    "never",
    "avoid",
    "not",
    "no",
    "cannot",
    "forbid",
    "forbidden",
    "prohibited",
    "disallow",
    "disallowed",
    "ban",
    "banned",
];

/// Negations of these are permissions, not prohibitions: "need not", "not necessarily".
const PERMISSIONS: &[&str] =
    &["need", "needs", "needed", "necessarily", "necessary", "required", "yet", "have", "worry"];

/// Negations of these are demands: "do not forget to".
const DEMANDS: &[&str] = &["forget", "hesitate", "fail"];

/// What makes a clause hold only in part, or turns a negation round.
const EXCEPTIONS: &[&str] = &["without", "unless", "until", "except", "besides", "than", "lest"];

/// What opens a condition at the start of a sentence.
const CONDITIONS: &[&str] = &[
    "when", "whenever", "if", "for", "before", "after", "while", "once", "unless", "in", "on",
    "during", "with", "without", "as", "where", "at", "under", "until", "inside", "outside",
    "within", "to", "from", "by",
];

/// What opens the reason of a rule, which is no rule.
const REASONS: &[&str] = &["because", "since", "so"];

type Words = BTreeSet<String>;

/// What a text asks for, forbids and chooses.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ParsedText {
    claims: Vec<Statement>,
    choices: Vec<Alternative>,
}

#[derive(Debug, Clone, PartialEq)]
struct Statement {
    words: Words,
    is_negative: bool,
    /// Whether nothing else stands in its sentence, so that a single word may carry it.
    is_alone: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct Alternative {
    chosen: Words,
    passed_over: Words,
}

impl ParsedText {
    /// Reads the first paragraph of a text: what follows explains.
    pub(crate) fn parse(text: &str) -> Self {
        let mut reading = Self::default();
        let rule = text.trim().split("\n\n").next().unwrap_or_default();
        for sentence in sentences(rule) {
            reading.add(&sentence);
        }
        reading
    }

    /// Returns whether one asks for what the other forbids or passes over.
    pub(crate) fn contradicts(&self, other: &Self) -> bool {
        if !self.denies() && !other.denies() {
            return false;
        }
        let claims_differ =
            self.claims.iter().any(|a| other.claims.iter().any(|b| a.contradicts(b)));
        let choices_differ =
            self.choices.iter().any(|a| other.choices.iter().any(|b| a.is_reverse_of(b)));
        let passes_over = |choices: &Self, claims: &Self| {
            choices
                .choices
                .iter()
                .any(|choice| claims.claims.iter().any(|claim| choice.passes_over(claim)))
        };
        claims_differ || choices_differ || passes_over(self, other) || passes_over(other, self)
    }

    /// Whether anything is forbidden or passed over; without that nothing is opposite.
    fn denies(&self) -> bool {
        !self.choices.is_empty() || self.claims.iter().any(|claim| claim.is_negative)
    }

    fn add(&mut self, clauses: &[Vec<String>]) {
        let mut condition = Words::new();
        // What stood in "Instead of x, …" before the comma.
        let mut passed_over = None;
        let mut last_positive: Option<Words> = None;
        let is_alone = clauses.len() == 1;
        for (at, clause) in clauses.iter().enumerate() {
            let clause = without_reason(clause);
            let Some(first) = clause.first() else { continue };
            let is_last = at + 1 == clauses.len();
            if let Some(rest) = contrast(clause, 0) {
                passed_over = Some(content(rest));
                continue;
            }
            if CONDITIONS.contains(&first.as_str()) && !is_last && last_positive.is_none() {
                condition.extend(content(clause));
                continue;
            }
            if let (Some(chosen), "not" | "never", Some(_)) =
                (&last_positive, first.as_str(), clause.get(1))
                && clause[1] != "only"
            {
                self.choose(chosen.clone(), content(&clause[1..]));
                continue;
            }
            if let Some((before, after)) = choice(clause) {
                if !before.iter().any(|word| is_negator(word)) {
                    let chosen = &content(before) | &condition;
                    self.choose(chosen.clone(), content(after));
                    last_positive = Some(chosen);
                }
                continue;
            }
            let Some((words, is_negative)) = claim(clause) else { continue };
            let words = &words | &condition;
            if !is_negative {
                if let Some(passed_over) = passed_over.take() {
                    self.choose(words.clone(), passed_over);
                }
                last_positive = Some(words.clone());
            }
            self.claim(words, is_negative, is_alone);
        }
    }

    fn choose(&mut self, chosen: Words, passed_over: Words) {
        if !chosen.is_empty() && !passed_over.is_empty() {
            self.claim(chosen.clone(), false, true);
            self.choices.push(Alternative { chosen, passed_over });
        }
    }

    fn claim(&mut self, words: Words, is_negative: bool, is_alone: bool) {
        if !words.is_empty() {
            self.claims.push(Statement { words, is_negative, is_alone });
        }
    }
}

impl Statement {
    fn contradicts(&self, other: &Self) -> bool {
        let least = self.words.len().min(other.words.len());
        let most = self.words.len().max(other.words.len());
        self.is_negative != other.is_negative
            && least as f64 >= SAME_TOPIC * most as f64
            && (least > 1 || (self.is_alone && other.is_alone))
            && likeness(&self.words, &other.words) >= SAME_TOPIC
    }
}

impl Alternative {
    /// "x over y" and "y over x", said of the same.
    fn is_reverse_of(&self, other: &Self) -> bool {
        let rest = |a: &Self, b: &Self| &a.chosen - &b.passed_over;
        self.passed_over.is_subset(&other.chosen)
            && other.passed_over.is_subset(&self.chosen)
            && likeness(&rest(self, other), &rest(other, self)) >= SAME_TOPIC
    }

    /// Whether a claim asks for what was passed over, and for nothing that was not spoken of.
    fn passes_over(&self, claim: &Statement) -> bool {
        !claim.is_negative
            && claim.is_alone
            && self.passed_over.is_subset(&claim.words)
            && (&claim.words - &self.passed_over).is_subset(&self.chosen)
            && !self.chosen.is_subset(&claim.words)
    }
}

/// Returns the share of common words; two empty sets are alike.
fn likeness(a: &Words, b: &Words) -> f64 {
    let n_all = a.union(b).count();
    if n_all == 0 { 1.0 } else { a.intersection(b).count() as f64 / n_all as f64 }
}

/// Returns the words of a clause that say what it is about.
fn content(clause: &[String]) -> Words {
    let words = clause.iter().filter(|word| !FILLER.split_whitespace().any(|it| it == *word));
    // A name with signs in it ("c++") or of one letter is a word of its own.
    words
        .flat_map(|word| match tokenize::terms(word) {
            terms if terms.is_empty() => vec![word.clone()],
            terms => terms,
        })
        .collect()
}

fn is_negator(word: &str) -> bool {
    NEGATORS.contains(&word) || word.ends_with("n't")
}

/// Returns what a plain clause is about, and whether it forbids it.
fn claim(clause: &[String]) -> Option<(Words, bool)> {
    let negators: Vec<usize> = (0..clause.len())
        .filter(|&at| is_negator(&clause[at]) && !is_widening(clause, at))
        .collect();
    let has_exception = clause.iter().any(|word| EXCEPTIONS.contains(&word.as_str()));
    let at = match negators[..] {
        _ if has_exception => return None,
        [] => return Some((content(clause), false)),
        [at] => at,
        _ => return None,
    };
    let next = clause.get(at + 1).map(String::as_str).unwrap_or_default();
    let previous = at.checked_sub(1).map(|at| clause[at].as_str()).unwrap_or_default();
    if PERMISSIONS.contains(&next) || PERMISSIONS.contains(&previous) {
        return None;
    }
    let mut words = clause.to_vec();
    words.remove(at);
    if DEMANDS.contains(&next) {
        words.remove(at);
        return Some((content(&words), false));
    }
    Some((content(&words), true))
}

/// "not only x": no negation.
fn is_widening(clause: &[String], at: usize) -> bool {
    clause[at] == "not" && clause.get(at + 1).is_some_and(|next| next == "only")
}

/// Returns what is chosen and what is passed over: "x over y", "x instead of y".
fn choice(clause: &[String]) -> Option<(&[String], &[String])> {
    const CHOOSES: &[&str] =
        &["prefer", "favor", "favour", "use", "choose", "pick", "preferred", "write"];
    for at in 1..clause.len() {
        if let Some(rest) = contrast(clause, at) {
            return Some((&clause[..at], rest));
        }
        let chooses = || clause[..at].iter().any(|word| CHOOSES.contains(&word.as_str()));
        if clause[at] == "over" && chooses() {
            return Some((&clause[..at], &clause[at + 1..]));
        }
        if clause[at] == "to" && matches!(clause[0].as_str(), "prefer" | "favor" | "favour") {
            return Some((&clause[..at], &clause[at + 1..]));
        }
    }
    None
}

fn contrast(clause: &[String], at: usize) -> Option<&[String]> {
    let pair = (clause.get(at)?.as_str(), clause.get(at + 1)?.as_str());
    matches!(pair, ("instead", "of") | ("rather", "than")).then(|| &clause[at + 2..])
}

fn without_reason(clause: &[String]) -> &[String] {
    let end = clause.iter().position(|word| REASONS.contains(&word.as_str()));
    &clause[..end.unwrap_or(clause.len())]
}

/// Returns the sentences of a text, each as its clauses, each as its words in lower case.
fn sentences(text: &str) -> Vec<Vec<Vec<String>>> {
    let mut all = vec![vec![Vec::new()]];
    let chars: Vec<char> = text.chars().collect();
    let mut word = String::new();
    for (at, &c) in chars.iter().enumerate() {
        let next = chars.get(at + 1).copied().unwrap_or('\n');
        let is_sign = |c: char| matches!(c, '+' | '#' | '_' | '.' | '/' | '-');
        if c.is_alphanumeric() || c == '_' {
            word.extend(c.to_lowercase());
            continue;
        }
        // Inside a word: "don't", "std::fs" is two, "node.js" and "read-only" are one.
        if matches!(c, '\'' | '’') && !word.is_empty() && next.is_alphanumeric() {
            word.push('\'');
            continue;
        }
        if is_sign(c) && !word.is_empty() && (next.is_alphanumeric() || matches!(c, '+' | '#')) {
            word.push(c);
            continue;
        }
        push(&mut all, &mut word);
        match c {
            '.' | '!' | '?' | ';' if next.is_whitespace() => all.push(vec![Vec::new()]),
            ':' if next.is_whitespace() => all.push(vec![Vec::new()]),
            ',' | '(' | ')' | '—' | '–' => break_clause(&mut all),
            '-' if next.is_whitespace() => break_clause(&mut all),
            _ => {}
        }
    }
    push(&mut all, &mut word);
    for sentence in &mut all {
        sentence.retain(|clause| !clause.is_empty());
    }
    all.retain(|sentence| !sentence.is_empty());
    all
}

fn break_clause(all: &mut [Vec<Vec<String>>]) {
    if let Some(sentence) = all.last_mut() {
        sentence.push(Vec::new());
    }
}

fn push(all: &mut [Vec<Vec<String>>], word: &mut String) {
    const JOINS: &[&str] = &["and", "but", "so", "or", "then"];
    if word.is_empty() {
        return;
    }
    let word = std::mem::take(word);
    let Some(sentence) = all.last_mut() else { return };
    let Some(clause) = sentence.last_mut() else { return };
    let is_helper = clause.last().is_some_and(|last| last == "do");
    let before = clause.len().checked_sub(1 + usize::from(is_helper));
    let joined = before.filter(|&at| is_negator(&word) && JOINS.contains(&clause[at].as_str()));
    if let Some(at) = joined {
        // "x and do not y": the negation begins a clause of its own.
        let mut rest = clause.split_off(at);
        rest.remove(0);
        rest.push(word);
        sentence.push(rest);
        return;
    }
    clause.push(word);
}
