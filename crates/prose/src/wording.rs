//! The wording of a text: an obligation, a command or a statement. English only.

use cerberus_model::WordList;

use crate::lists::{
    ADVERB_SUBJECTS, AMBIGUOUS_VERBS, CLAUSE_OPENERS, COMPARISONS, CONDITION_STARTS,
    DEMAND_PHRASES, DEMANDS, DETERMINERS, EMPHASES, FORBIDDING_TITLES, MODAL_PHRASES,
    NEGATED_PHRASES, NEGATING, OBJECT_STARTS, OPENERS, PERMISSIONS, POINTER_VERBS, STATEMENT_VERBS,
    STRICT_MODALS, VERBS,
};
use crate::sentences;
use crate::token::{self, Token};
use crate::words::is_stop_word;

/// The character in place of inline code in a text without markup.
pub const CODE: char = '\u{FFFC}';

/// The maximum number of words of a sentence that forbids something by "No", and of one that
/// chooses something by "instead of".
const MAX_BAN_WORDS: usize = 10;
const MAX_CHOICE_WORDS: usize = 14;

/// The maximum number of words before the verb of a statement.
const MAX_SUBJECT_WORDS: usize = 4;

/// The number of words after "please" that may contain the verb.
const MAX_REQUEST_WORDS: usize = 6;

/// How strongly a text instructs its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Modality {
    Statement,
    /// It says what somebody needs, which may be a fact: "The generator needs a type".
    Need,
    /// It starts with a verb in the imperative.
    Command,
    /// It contains must, never, always or a similar word.
    Obligation,
}

/// Returns the strongest modality of a text's clauses.
pub fn modality(plain: &str) -> Modality {
    let tokens = token::of_plain(without_label(plain));
    let mut strongest = Modality::Statement;
    for (sentence_idx, sentence) in token::sentences(&tokens).enumerate() {
        let mut in_condition = false;
        let has_main_clause = sentence.contains(&Token::Mark(','));
        for (clause_idx, clause) in token::clauses(sentence).enumerate() {
            let words = words_of(clause);
            // "If the child never answers, the parent exits" obliges nobody.
            let is_premise = clause_idx == 0
                && has_main_clause
                && words
                    .first()
                    .is_some_and(|first| CONDITION_STARTS.contains(first));
            // "Severity: critical" is a value.
            let is_emphasis = sentence_idx == 0
                && words.len() <= 2
                && words.first().is_some_and(|first| EMPHASES.contains(first));
            if (is_obligation(&words) && !is_premise) || is_emphasis {
                return Modality::Obligation;
            }
            if has_need(&words) {
                // "Fixes need a test", unlike "The generator needs a type".
                if clause_idx == 0 && !has_known_subject(&words) {
                    return Modality::Obligation;
                }
                strongest = strongest.max(Modality::Need);
            }
            if clause_idx == 0 {
                in_condition = words
                    .first()
                    .is_some_and(|first| CLAUSE_OPENERS.contains(first));
            }
            // "Before you commit, run:"
            let is_open = in_condition && matches!(&words[..], [only] if VERBS.contains(only));
            if is_open || (clause_idx == 0 || in_condition) && is_imperative(&words) {
                strongest = strongest.max(Modality::Command);
            }
        }
    }
    strongest
}

/// Returns a text without a label in brackets: `[IMPORTANT]`, `[!NOTE]`.
fn without_label(plain: &str) -> &str {
    let rest = plain
        .trim_start()
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'));
    let is_label = |label: &str| label.chars().all(|c| c.is_ascii_uppercase() || c == '!');
    rest.filter(|(label, _)| is_label(label))
        .map_or(plain, |(_, rest)| rest)
}

/// Returns whether a heading or an introduction is followed by prohibitions.
pub fn is_prohibition(plain: &str) -> bool {
    const MAX_WORDS: usize = 10;
    let words = words(plain);
    // "Do's and don'ts" precedes both.
    let is_both = words
        .iter()
        .any(|word| matches!(word.as_str(), "do's" | "dos" | "do"))
        && words.iter().any(|word| word.starts_with("don"));
    words.len() <= MAX_WORDS
        && !is_both
        && !is_conditional(plain)
        && (FORBIDDING_TITLES.contains_any(&words)
            || has_pair(&words, &NEGATED_PHRASES)
            || is_permission(&words))
}

/// Returns whether a heading or an introduction is followed by what needs a permission: "Ask
/// before".
fn is_permission(words: &[String]) -> bool {
    let last = words.last().map_or("", String::as_str);
    words.iter().any(|word| word == "ask") && matches!(last, "before" | "first")
}

/// Returns whether a text states how things are to be, without an instruction: "New code belongs
/// in `x`, not in `y`".
pub fn is_norm(plain: &str) -> bool {
    // "infrastructure (not infra)"
    plain.contains("(not ")
        || token::sentences(&token::of_plain(plain)).any(|sentence| {
            let words = words_of(sentence);
            let word = |word_idx: usize| words.get(word_idx).map_or("", String::as_str);
            // "No floats", unlike "No problem was found in the last release of the library".
            let is_ban = word(0) == "no"
                && words.len() > 1
                && words.len() <= MAX_BAN_WORDS
                && !is_declared(&words);
            // "Fixes require tests", unlike "The generator requires types".
            let is_demand = words.iter().skip(1).any(|word| word.starts_with("require"))
                && !has_known_subject(&words);
            is_ban
                || is_demand
                || has_pair(&words, &DEMAND_PHRASES)
                || (words.len() <= MAX_CHOICE_WORDS && has_pair(&words, &COMPARISONS))
        })
}

/// Returns whether a text begins with a statement, and demands nothing strictly after it.
pub fn is_aside(plain: &str) -> bool {
    let first = sentences::of(plain).next().unwrap_or_default();
    let is_statement = modality(first) < Modality::Command && !is_norm(first);
    let words = words(plain);
    let is_strict = STRICT_MODALS.contains_any(&words)
        || has_pair(&words, &NEGATED_PHRASES)
        || words.iter().any(|word| word == "don't");
    is_statement && !is_strict
}

/// Returns a text without its remarks in parentheses, or the text if it is only one.
pub fn without_remarks(plain: &str) -> String {
    let mut rest = String::with_capacity(plain.len());
    let mut depth = 0;
    for c in plain.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            _ if depth == 0 => rest.push(c),
            _ => {}
        }
    }
    let is_unclosed = depth > 0;
    if is_unclosed || words(&rest).is_empty() {
        return plain.to_owned();
    }
    rest
}

/// Returns whether a text permits something: "Unused variables are allowed".
pub fn is_permitted(plain: &str) -> bool {
    PERMISSIONS.contains_any(&words(plain))
}

/// Returns whether a text states something of all things of a kind: "Every page starts with a title".
pub fn is_universal(plain: &str) -> bool {
    let words = words(plain);
    let first = words.first().map_or("", String::as_str);
    matches!(first, "every" | "each" | "all") && words.len() > MAX_SUBJECT_WORDS
}

/// Returns whether two adjacent words are in a list of pairs.
pub fn has_pair(words: &[String], pairs: &WordList) -> bool {
    words.windows(2).any(|pair| pairs.contains(&pair.join(" ")))
}

/// Returns the verb of the first instruction in a text.
pub fn first_verb(plain: &str) -> Option<String> {
    let tokens = token::of_plain(plain);
    for sentence in token::sentences(&tokens) {
        for clause in token::clauses(sentence) {
            let words = words_of(clause);
            if is_imperative(&words) {
                return words.into_iter().find(|word| !is_opener(word));
            }
        }
    }
    None
}

/// Returns the number of words before the first dash or the end of the first sentence.
pub fn n_words_of_first(plain: &str) -> usize {
    let tokens = token::of_plain(plain);
    token::sentences(&tokens)
        .next()
        .map_or(0, |sentence| words_of(sentence).len())
}

/// Returns whether a text may start with a command: "Mock external dependencies", "Default to x".
pub fn is_possible_command(plain: &str) -> bool {
    let after_label = plain.split_once(": ").map(|(_, rest)| rest);
    starts_with_command(plain) || after_label.is_some_and(starts_with_command)
}

fn starts_with_command(plain: &str) -> bool {
    let words = words(plain);
    let mut rest = words.iter().skip_while(|word| is_opener(word));
    let (Some(verb), Some(_)) = (rest.next(), rest.next()) else {
        return false;
    };
    AMBIGUOUS_VERBS.contains(verb)
}

/// Returns whether words say what somebody needs, a demand or a fact: "needs a", "have to".
fn has_need(words: &[String]) -> bool {
    words.windows(2).any(|pair| match pair[0].as_str() {
        "have" | "has" => pair[1] == "to",
        "need" | "needs" => matches!(pair[1].as_str(), "to" | "a" | "an" | "the"),
        "require" | "requires" => matches!(pair[1].as_str(), "a" | "an" | "the"),
        _ => false,
    })
}

/// Returns whether a text is a prohibition by itself.
pub fn is_negated(plain: &str) -> bool {
    let words = words(plain);
    NEGATING.contains_any(&words)
        || words.iter().any(|word| word.ends_with("n't"))
        || plain.trim_start().starts_with(['❌', '🚫', '⛔'])
}

/// Returns whether a text names an act or its omission, as a list of mistakes does: "Not closing the file".
pub fn names_act(plain: &str) -> bool {
    let words = words(plain);
    words
        .iter()
        .find(|word| *word != "not")
        .is_some_and(|word| word.ends_with("ing"))
}

/// Returns whether a text starts with its condition.
pub fn is_conditional(plain: &str) -> bool {
    words(plain)
        .first()
        .is_some_and(|first| CONDITION_STARTS.contains(first))
}

/// Returns whether a text starts as a description does: "Uses x", "Provides x".
pub fn is_descriptive(plain: &str) -> bool {
    let words = words(plain);
    let verb = words.first().and_then(|first| first.strip_suffix('s'));
    verb.is_some_and(|verb| VERBS.contains(verb))
}

/// Returns whether a text offers something: "If you are stuck, you can ask".
pub fn is_offer(plain: &str) -> bool {
    let words = words(plain);
    words
        .windows(2)
        .any(|pair| pair[0] == "you" && matches!(pair[1].as_str(), "can" | "may"))
}

/// Returns whether a text says what its subject in code does: "`build` runs all checks".
pub fn is_about_code(plain: &str) -> bool {
    const MAX_NOUNS: usize = 1;
    let words = words(plain);
    let is_code = words.first().is_some_and(|first| first.starts_with(CODE));
    is_code
        && words
            .iter()
            .skip(1)
            .take(MAX_NOUNS + 1)
            .any(|word| is_third_person(word))
}

/// Returns whether a text states a fact: "The cache holds prices", "Carts are small".
pub fn is_declarative(plain: &str) -> bool {
    is_declared(&words(plain))
}

fn is_declared(words: &[String]) -> bool {
    words
        .iter()
        .take(MAX_SUBJECT_WORDS + 1)
        .skip(1)
        .any(|word| is_third_person(word))
        || has_plural_subject(words)
}

/// Returns whether a plural and a verb are the first words: "Packages usually bundle their x".
fn has_plural_subject(words: &[String]) -> bool {
    let Some((subject, rest)) = words.split_first() else {
        return false;
    };
    let verb = rest.iter().find(|word| !word.ends_with("ly"));
    subject.ends_with('s')
        && !subject.ends_with("ss")
        && !VERBS.contains(subject)
        && verb.is_some_and(|verb| VERBS.contains(verb))
}

/// Returns whether a word is a verb as it follows a subject: "holds", "is".
fn is_third_person(word: &str) -> bool {
    let verb = word.strip_suffix('s').unwrap_or_default();
    VERBS.contains(verb) || STATEMENT_VERBS.contains(word)
}

/// Words before the name of something that the reader knows.
const DEFINITES: [&str; 8] = ["the", "this", "these", "it", "its", "our", "you", "to"];

/// Returns whether a sentence is about something known, or about its reader.
pub fn has_known_subject(words: &[String]) -> bool {
    words
        .first()
        .is_some_and(|first| DEFINITES.contains(&first.as_str()) || first.starts_with(CODE))
}

/// Returns the words of a text, in lower case, each inline code as one word.
pub fn words(text: &str) -> Vec<String> {
    words_of(&token::of_plain(text))
}

fn words_of(tokens: &[Token]) -> Vec<String> {
    let mut words = Vec::new();
    for token in tokens {
        match token {
            Token::Word(word) if word.starts_with(is_part_of_word) => {
                words.extend(parts(word).map(str::to_owned));
            }
            Token::Name => words.push(CODE.to_string()),
            // ❌ and other signs are not words of a sentence.
            Token::Word(_) | Token::Mark(_) => {}
        }
    }
    words
}

/// Returns the words of "and/or" and of `CLAUDE.md`. An abbreviation such as "e.g" is one word.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let is_abbreviation = token::is_abbreviation(word);
    let parts = word.split(move |c| c == '/' || (c == '.' && !is_abbreviation));
    parts.filter(|part| !part.is_empty())
}

fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_obligation(words: &[String]) -> bool {
    let word = |word_idx: usize| words.get(word_idx).map_or("", String::as_str);
    (0..words.len()).any(|word_idx| {
        let previous = word_idx.checked_sub(1).map_or("", word);
        let (current, next) = (word(word_idx), word(word_idx + 1));
        let is_modal_phrase = MODAL_PHRASES.contains(&format!("{current} {next}"))
            || (current == "please"
                && next != "note"
                && !POINTER_VERBS.contains(next)
                && is_imperative(&words[word_idx..words.len().min(word_idx + MAX_REQUEST_WORDS)]));
        // "This will have to wait" is a prediction.
        let before_previous = word_idx.checked_sub(2).map_or("", word);
        let is_prediction =
            matches!(previous, "will" | "would" | "might") && before_previous != "you";
        // "They don't" is a statement; "don't" and "and do not" are obligations.
        let is_negated = current == "don't" || (current == "do" && next == "not");
        let is_addressed = word_idx == 0
            || matches!(previous, "please" | "also" | "then" | "you")
            || (matches!(previous, "and" | "but") && is_imperative(words));
        // "The child never connects" is a statement.
        let is_adverb = matches!(current, "never" | "always")
            && (!(word_idx == 0 || ADVERB_SUBJECTS.contains(previous)) || is_third_person(next));
        // "You should be able to find them" is a prediction, too.
        let is_ability = next == "be" && word(word_idx + 2) == "able";
        // "Required fields" is not an obligation, "x is required" is.
        let is_attribute =
            matches!(current, "required" | "preferred") && !matches!(previous, "is" | "are" | "be");
        (is_modal_phrase && !is_prediction)
            || (is_negated && is_addressed)
            || (DEMANDS.contains(current) && !is_attribute && !is_adverb && !is_ability)
    })
}

fn is_opener(word: &str) -> bool {
    OPENERS.contains(word) || (word.ends_with("ly") && !VERBS.contains(word))
}

fn is_imperative(words: &[String]) -> bool {
    let mut rest = words.iter().skip_while(|word| is_opener(word));
    let (Some(verb), Some(next)) = (rest.next(), rest.next()) else {
        return false;
    };
    if AMBIGUOUS_VERBS.contains(verb) {
        // "Please note that …" is a statement.
        let is_note = verb == "note" && next == "that";
        return !is_note && (next.starts_with(CODE) || OBJECT_STARTS.contains(next));
    }
    if VERBS.contains(verb) {
        return !matches!(next.as_str(), "is" | "are" | "of" | "was");
    }
    DETERMINERS.contains(next) && may_be_imperative(verb)
}

/// Returns whether a word that is in no list may be a verb in the imperative.
fn may_be_imperative(word: &str) -> bool {
    let is_inflected = (word.ends_with('s') && !word.ends_with("ss"))
        || ["ing", "ed", "ly"]
            .iter()
            .any(|ending| word.ends_with(ending));
    word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
        && !is_inflected
        && !is_stop_word(word)
        && ![&STATEMENT_VERBS, &CLAUSE_OPENERS, &OPENERS, &DEMANDS]
            .iter()
            .any(|list| list.contains(word))
}
