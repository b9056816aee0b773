//! The parts of a sentence that name forms.

use std::ops::Range;

use super::{MAX_WORDS, Reader};
use crate::lists::{
    CASES, COPULAS, FILLERS, PHRASE_ENDS, PROHIBITIONS, RESTRICTIONS, TOWARDS, USES,
};
use crate::roles::token::{self, Token};

/// A part of a sentence that names forms: code, or else words.
#[derive(Debug, Default)]
pub(super) struct Phrase {
    pub(super) codes: Vec<Range<usize>>,
    pub(super) words: Vec<Range<usize>>,
    /// The token after it.
    pub(super) end: usize,
}

impl Phrase {
    pub(super) fn is_empty(&self) -> bool {
        self.codes.is_empty() && self.words.is_empty()
    }
}

impl Reader<'_> {
    /// Returns the subject of the clause before a token: its first code, or else its words.
    pub(super) fn subject(&self, end: usize) -> Phrase {
        let mut at = self.clause_start;
        while at < end && !self.is_code(at) {
            at += 1;
        }
        if at == end {
            at = self.after_fillers(self.clause_start);
        }
        let mut phrase = self.phrase_before(at, end);
        phrase.words.truncate(MAX_WORDS);
        phrase
    }

    /// Returns the form in front of a comparison: its last code, or else its last words.
    pub(super) fn before(&self, end: usize) -> Phrase {
        let (mut start, mut end) = (self.clause_start, end);
        if start == end && start > 0 {
            // "`a` (instead of `b`)".
            end -= 1;
            start = end;
            while start > 0 && !matches!(self.tokens[start - 1], Token::Mark(_)) {
                start -= 1;
            }
            if self.is_word(start, &PHRASE_ENDS) || self.is_word(start, &CASES) {
                // "For hot paths, never panic".
                return Phrase::default();
            }
        }
        let mut codes = token::codes(&self.tokens[start..end]);
        if !codes.is_empty() {
            let last = codes.split_off(codes.len() - 1);
            return Phrase {
                codes: last,
                words: Vec::new(),
                end,
            };
        }
        let mut words = Vec::new();
        for at in (start..end).rev() {
            let Token::Word { range, word } = &self.tokens[at] else {
                break;
            };
            let is_end = PHRASE_ENDS.contains(word) && !words.is_empty();
            if is_end || words.len() == MAX_WORDS {
                break;
            }
            // The first word of an order is its verb.
            let is_verb = at == start && !words.is_empty() && end - start > 1;
            if !FILLERS.contains(word) && !PHRASE_ENDS.contains(word) && !is_verb {
                words.push(range.clone());
            }
        }
        Phrase { codes, words, end }
    }

    /// Returns the forms from a token to the end of their phrase.
    pub(super) fn phrase(&self, at: usize) -> Phrase {
        self.phrase_before(at, self.tokens.len())
    }

    /// Returns the forms from a token to the end of their phrase, at most to another token.
    fn phrase_before(&self, at: usize, limit: usize) -> Phrase {
        let mut phrase = Phrase {
            end: at,
            ..Phrase::default()
        };
        if self.is_word(self.after_fillers(at), &PHRASE_ENDS) {
            // "Avoid in tests".
            return phrase;
        }
        while phrase.end < limit {
            let at = phrase.end;
            if phrase.is_empty()
                && let Some(len) = self.find(at, &USES)
            {
                phrase.end += len;
                continue;
            }
            let token = &self.tokens[at];
            match token {
                Token::Code(range) => phrase.codes.push(range.clone()),
                Token::Other if phrase.is_empty() => break,
                Token::Other => {}
                Token::Mark(',') if self.continues(at + 1, &phrase) => {}
                // Quotes.
                Token::Mark('"' | '\'' | '“' | '”' | '/') => {}
                Token::Mark(_) => break,
                Token::Word { range, word } => {
                    if self.ends_phrase(at, &phrase) {
                        break;
                    }
                    let is_filler = FILLERS.contains(word)
                        || PHRASE_ENDS.contains(word)
                        || matches!(&**word, "or" | "and" | "nor" | "both" | "either")
                        || (phrase.is_empty() && self.adopting(at).is_some());
                    if !is_filler {
                        phrase.words.push(range.clone());
                    }
                }
            }
            phrase.end += 1;
        }
        if !phrase.codes.is_empty() {
            phrase.words.clear();
        }
        phrase
    }

    /// Returns whether a list of code goes on behind a comma.
    fn continues(&self, at: usize, phrase: &Phrase) -> bool {
        let is_joint = matches!(self.word(at), Some("or" | "and" | "nor"));
        let next = self.after_fillers(at + usize::from(is_joint));
        !phrase.codes.is_empty() && self.is_code(next)
    }

    pub(super) fn ends_phrase(&self, at: usize, phrase: &Phrase) -> bool {
        let Some(word) = self.word(at) else {
            return true;
        };
        if self.comparison(at).is_some()
            || self.find(at, &TOWARDS).is_some()
            || self.find(at, &PROHIBITIONS).is_some()
            || self.find(at, &COPULAS).is_some()
            || self.is_word(at, &RESTRICTIONS)
            || self.title_at(at).is_some()
            || (self.refusal(at).is_some() && at > self.clause_start)
            // "Instead of `b` use `a`".
            || (self.is_fronted && !phrase.is_empty() && self.adopting(at).is_some())
        {
            return true;
        }
        let next = self.after_fillers(at + 1);
        match word {
            "and" | "or" | "nor" if self.is_code(next) => phrase.is_empty(),
            "and" => true,
            "or" | "nor" => !phrase.codes.is_empty(),
            _ => !phrase.is_empty() && PHRASE_ENDS.contains(word),
        }
    }
}
