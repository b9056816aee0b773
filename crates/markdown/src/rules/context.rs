//! The kind of items that a heading or an introduction announces.

use cerberus_prose::lists::{
    CLAUSE_OPENERS, CONTRIBUTIONS, DESCRIPTION_TITLES, DOCUMENTS, OPEN_ENDS, PROCEDURE_TITLES,
    RULE_INTROS, RULE_TITLES, SETUP_TITLES, STEP_INTROS, STEP_TITLES,
};
use cerberus_prose::wording::{
    Modality, has_known_subject, has_pair, is_conditional, is_declarative, is_norm, is_offer,
    is_prohibition, modality, words,
};

/// The maximum number of words of an introduction that names its items: "Follow these rules".
const MAX_INTRO_WORDS: usize = 12;

/// The kind of items that a heading or an introduction announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Prohibitions,
    Rules,
    Steps,
    Descriptions,
}

pub(super) fn kind_of_intro(plain: &str) -> Option<Kind> {
    let all = words(plain);
    let names_rules = all.len() <= MAX_INTRO_WORDS && RULE_INTROS.contains_any(&all);
    let applies = all
        .iter()
        .any(|word| matches!(word.as_str(), "apply" | "applies"));
    if is_prohibition(plain) {
        Some(Kind::Prohibitions)
    } else if STEP_INTROS.contains_any(&all)
        || has_pair(&all, &PROCEDURE_TITLES)
        || plain.contains("as follows")
    {
        Some(Kind::Steps)
    } else if (names_rules && !applies) || is_demand_of_each(plain) {
        Some(Kind::Rules)
    } else if is_description(plain) {
        Some(Kind::Descriptions)
    } else {
        None
    }
}

/// Returns whether an introduction says what a known subject does or has: "The tool has hooks that
/// check each call", or what its reader can do. "A change has" demands it of each change.
pub(super) fn is_description(plain: &str) -> bool {
    let all = words(plain);
    let is_offer = is_offer(plain) && !is_about_contributions(plain);
    (has_known_subject(&all) || is_offer)
        && modality(plain) == Modality::Statement
        && !is_norm(plain)
        && !is_prohibition(plain)
        && !is_unfinished(plain)
        && !RULE_INTROS.contains_any(&all)
        && (is_offer || is_declarative(plain))
        && (is_offer || !all.iter().any(|word| word.starts_with("you")))
}

/// Returns whether each item is incomplete without its introduction: "If you add a table:", "Exceptions:".
pub(super) fn is_incomplete(plain: &str) -> bool {
    let words = words(plain);
    is_unfinished(plain)
        || (is_conditional(plain) && words.len() > 1)
        || matches!(&words[..], [only] if only.starts_with("exception"))
}

/// Returns whether each item continues the sentence of its introduction: "All changes must:".
pub(super) fn is_unfinished(plain: &str) -> bool {
    words(plain)
        .last()
        .is_some_and(|last| OPEN_ENDS.contains(last))
        || is_prohibition(plain)
}

/// Returns whether each item completes a demand: "All changes must:".
pub(super) fn is_demand_of_each(plain: &str) -> bool {
    modality(plain) == Modality::Obligation
        && words(plain)
            .last()
            .is_some_and(|last| OPEN_ENDS.contains(last))
}

/// Returns whether a section is about contributing: its list without numbers has rules, although
/// "Opening a pull request" names a procedure.
pub(super) fn is_about_contributions(title: &str) -> bool {
    CONTRIBUTIONS.contains_any(&words(title))
}

pub(super) fn kind_of_title(title: &str) -> Option<Kind> {
    let words = words(title);
    let start = &words[..words.len().min(2)];
    // "Adding a command", "How to release": a procedure.
    let is_procedure = has_pair(start, &PROCEDURE_TITLES)
        || matches!(start, [first, second] if first.ends_with("ing")
            && matches!(second.as_str(), "a" | "an" | "new" | "the"));
    // "Requirements" alone are those of the machine, unlike "Requirements of a change".
    let is_setup = SETUP_TITLES.contains_any(&words) || words == ["requirements"];
    if is_prohibition(title) {
        Some(Kind::Prohibitions)
    } else if is_setup {
        // "Prerequisites for testing"
        Some(Kind::Steps)
    } else if names_rules(&words) {
        Some(Kind::Rules)
    } else if is_procedure || STEP_TITLES.contains_any(&words) {
        Some(Kind::Steps)
    } else if DESCRIPTION_TITLES.contains_any(&words) {
        Some(Kind::Descriptions)
    } else {
        None
    }
}

/// Returns whether a title is about rules: "Rules for tests", unlike "Rule compiler".
fn names_rules(words: &[String]) -> bool {
    words.iter().enumerate().any(|(word_idx, word)| {
        let is_head = words.get(word_idx + 1).is_none_or(|next| {
            RULE_TITLES.contains(next)
                || DOCUMENTS.contains(next)
                || CLAUSE_OPENERS.contains(next)
                || matches!(next.as_str(), "and" | "or" | "of" | "not")
        });
        RULE_TITLES.contains(word) && is_head
    })
}
