//! The wording of a text: an obligation, a command or a statement. English only.

use super::blocks::CODE;
use crate::markdown::word_lists::{
    AMBIGUOUS_VERBS, CONDITION_STARTS, CONDITIONS, MODALS, NEGATIONS, OBJECT_STARTS, OPENERS,
    PROHIBITIONS, VERBS,
};
use crate::text::sentences;

/// How strongly a text instructs its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Modality {
    Statement,
    /// It starts with a verb in the imperative.
    Command,
    /// It contains must, never, always or a similar word.
    Obligation,
}

/// Returns the strongest modality of a text's clauses.
pub(super) fn modality(plain: &str) -> Modality {
    let is_break =
        |c, next| c == '→' || sentences::ends_sentence(c, next) || sentences::is_dash(c, next);
    let mut strongest = Modality::Statement;
    for sentence in sentences::split(plain, is_break) {
        let mut in_condition = false;
        for (clause_idx, clause) in sentence.split([',', '(']).enumerate() {
            let words = words(clause);
            if is_obligation(&words) {
                return Modality::Obligation;
            }
            if clause_idx == 0 {
                in_condition = words.first().is_some_and(|first| CONDITIONS.contains(first));
            }
            if (clause_idx == 0 || in_condition) && is_imperative(&words) {
                strongest = Modality::Command;
            }
        }
    }
    strongest
}

/// Returns whether a heading or an introduction is followed by prohibitions.
pub(super) fn is_prohibition(plain: &str) -> bool {
    const MAX_WORDS: usize = 10;
    const AUXILIARIES: [&str; 7] = ["do", "must", "should", "to", "is", "are", "may"];
    let words = words(plain);
    let is_negated = |pair: &[String]| pair[1] == "not" && AUXILIARIES.contains(&pair[0].as_str());
    // "Do's and don'ts" precedes both.
    let is_both = words.iter().any(|word| matches!(word.as_str(), "do's" | "dos" | "do"))
        && words.iter().any(|word| word.starts_with("don"));
    words.len() <= MAX_WORDS
        && !is_both
        && !is_conditional(plain)
        && (PROHIBITIONS.contains_any(&words) || words.windows(2).any(is_negated))
}

/// Returns whether a text is a prohibition by itself.
pub(super) fn is_negated(plain: &str) -> bool {
    let words = words(plain);
    NEGATIONS.contains_any(&words)
        || words.iter().any(|word| word.ends_with("n't"))
        || plain.trim_start().starts_with(['❌', '🚫', '⛔'])
}

/// Returns whether a text starts with its condition.
pub(super) fn is_conditional(plain: &str) -> bool {
    words(plain).first().is_some_and(|first| CONDITION_STARTS.contains(first))
}

/// Returns whether a text starts as a description does: "Uses x", "Provides x".
pub(super) fn is_descriptive(plain: &str) -> bool {
    let words = words(plain);
    let verb = words.first().and_then(|first| first.strip_suffix('s'));
    verb.is_some_and(|verb| VERBS.contains(verb))
}

/// Returns the words of a text, in lower case, each inline code as one word.
pub(super) fn words(text: &str) -> Vec<String> {
    let is_in_word = |c: char| c.is_alphanumeric() || c == CODE || matches!(c, '\'' | '-' | '_');
    let text = text.replace('’', "'");
    let words = text.split(|c: char| !is_in_word(c));
    let words = words.map(|word| word.trim_matches(['\'', '-', '_']).to_lowercase());
    words.filter(|word| !word.is_empty()).collect()
}

fn is_obligation(words: &[String]) -> bool {
    let word = |word_idx: usize| words.get(word_idx).map_or("", String::as_str);
    (0..words.len()).any(|word_idx| {
        let previous = word_idx.checked_sub(1).map_or("", word);
        let (current, next) = (word(word_idx), word(word_idx + 1));
        let is_modal_phrase = matches!(
            (current, next),
            ("must" | "may", "not")
                | ("need" | "needs" | "have" | "has", "to")
                | ("make" | "be", "sure")
                | ("not", "allowed")
                | ("please", "do")
        );
        // "This will have to wait" is a prediction.
        let is_prediction = matches!(previous, "will" | "would" | "might");
        // "They don't" is a statement; "don't" and "and do not" are obligations.
        let is_negated = current == "don't" || (current == "do" && next == "not");
        let is_addressed = word_idx == 0
            || matches!(previous, "please" | "also" | "then" | "you")
            || (matches!(previous, "and" | "but") && is_imperative(words));
        // "Required fields" is not an obligation, "x is required" is.
        let is_attribute =
            matches!(current, "required" | "preferred") && !matches!(previous, "is" | "are" | "be");
        (is_modal_phrase && !is_prediction)
            || (is_negated && is_addressed)
            || (MODALS.contains(current) && !is_attribute)
    })
}

fn is_imperative(words: &[String]) -> bool {
    let is_opener = |word: &&String| OPENERS.contains(word) || word.ends_with("ly");
    let mut rest = words.iter().skip_while(is_opener);
    let (Some(verb), Some(next)) = (rest.next(), rest.next()) else { return false };
    if AMBIGUOUS_VERBS.contains(verb) {
        return next.starts_with(CODE) || OBJECT_STARTS.contains(next);
    }
    VERBS.contains(verb) && !matches!(next.as_str(), "is" | "are" | "of" | "was")
}
