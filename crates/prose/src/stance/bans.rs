//! The pieces of code that a text forbids.
//!
//! Unlike for a claim, what a sentence replaces is forbidden, too ("`a` instead of `b`"), and what comes
//! after "not" and "no" is, if nothing is said to be so.

use std::ops::Range;

use cerberus_model::Span;

use super::{Cue, Sentence, Stance, located};
use crate::lists::{
    ADDRESSED, AUXILIARIES, CHOOSING, CODE_NOUNS, CONDITIONS, DETERMINERS, EXCEPTIONS, LIMITS,
    MODALS, NOUNS, PREPOSITIONS, USE_OF_CODE,
};
use crate::token::Token;

/// A piece of code that a text forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ban {
    pub code: String,
    /// The words that say where or when it is forbidden; empty for everywhere.
    pub place: String,
    /// Whether it is forbidden itself, and not something of that name, as in "no `__init__` docstring".
    pub is_whole: bool,
}

/// Returns the prohibition of the claim in `span`, without its code, if its sentence forbids it.
pub fn ban(text: &str, block: Span, names: &[Span], span: Span) -> Option<Ban> {
    let (tokens, position) = located(text, block, names, span);
    Sentence::around(&tokens, position?).ban()
}

impl Sentence<'_> {
    fn ban(&self) -> Option<Ban> {
        let (_, start, end) =
            self.cues()
                .into_iter()
                .rev()
                .find(|(cue, start, end)| match cue {
                    Cue::Denied => self.is_denied(*start, *end),
                    // Something is chosen: not "direct access instead of `a`".
                    Cue::Alternative
                        if !(0..*start).any(|at| self.is_name(at) || self.is_choice(at)) =>
                    {
                        false
                    }
                    // What cannot be is not forbidden.
                    Cue::Never if self.word(*start).is_some_and(|it| it.starts_with("can")) => {
                        false
                    }
                    Cue::Never
                    | Cue::Wrong
                    | Cue::Alternative
                    | Cue::Participle(Stance::Forbidden) => {
                        self.governed(*cue, *start, *end) != Stance::Plain
                    }
                    _ => false,
                })?;
        let is_mark = |token: &Token| matches!(token, Token::Mark(_));
        // "Logging: never `a`".
        let opening = self.tokens[..start]
            .iter()
            .rposition(|it| *it == Token::Mark(':'));
        let opening = opening.map_or(0, |at| at + 1);
        // "Use the logger, not `a`": what is chosen restricts nothing.
        let choice = (opening..start).find(|at| self.is_choice(*at));
        let choice = choice.filter(|at| !(*at..start).any(|at| self.is_limit(at)));
        let (mut before, mut at) = (Vec::new(), opening);
        while at < choice.unwrap_or(start) {
            before.extend((!self.restricts_nothing(at)).then_some(&self.tokens[at]));
            at = self.aside(at).map_or(at, |aside| aside.end) + 1;
        }
        // "Never use `a` (or the like) or `c` in tests", "`b` (not `a`) in tests".
        let mut after = self.name.max(end - 1) + 1;
        let is_inner = self.tokens.get(after) == Some(&Token::Mark(')'));
        after += usize::from(is_inner);
        while after < self.tokens.len()
            && !self.is_limit(after)
            && (!is_mark(&self.tokens[after]) || self.continues_list(after))
        {
            after = self.aside(after).map_or(after, |aside| aside.end) + 1;
        }
        // "Never use `a`, except in b" and "(only in c)".
        let is_exception = self.aside(after).is_some()
            || self.is_in(after + 1, &EXCEPTIONS) && self.word(after + 1) != Some("only");
        after += usize::from(after < self.tokens.len() && is_exception);
        let after = self.tokens[after..]
            .iter()
            .take_while(|token| !is_mark(token));
        let words = before.into_iter().chain(after);
        let words = words.filter_map(|token| match token {
            Token::Word(word) => Some(word.as_str()),
            Token::Name => Some("`"),
            Token::Mark(_) => None,
        });
        let next = self.name + 1;
        let is_end = self
            .word(next)
            .is_none_or(|word| matches!(word, "or" | "and" | "nor"))
            || self.is_limit(next)
            || self.is_in(next, &AUXILIARIES)
            || self.is_in(next, &CODE_NOUNS);
        let place = words.collect::<Vec<_>>().join(" ");
        Some(Ban {
            code: String::new(),
            place,
            is_whole: is_end,
        })
    }

    /// Returns whether something is chosen there: "prefer `b` over `a`", "use `b`, not `a`".
    fn is_choice(&self, at: usize) -> bool {
        self.is_in(at, &CHOOSING) || self.word(at) == Some("use")
    }

    /// Returns whether a word restricts what is said of the name before it. A reason does not.
    fn is_limit(&self, at: usize) -> bool {
        let is_reason = matches!(self.word(at), Some("by" | "via" | "as"));
        let lists = [&PREPOSITIONS, &CONDITIONS, &LIMITS];
        !is_reason && lists.iter().any(|list| self.is_in(at, list))
    }

    /// Returns whether a token before a prohibition says neither for what it holds, nor when: "we must", "use `b`", but
    /// not "widgets", "times are", "in `b`".
    fn restricts_nothing(&self, at: usize) -> bool {
        let is_after_name = at > 0 && self.is_name(at - 1);
        let lists = [&ADDRESSED, &USE_OF_CODE, &CHOOSING, &DETERMINERS, &MODALS];
        let is_noun = is_after_name && [&CODE_NOUNS, &NOUNS].iter().any(|it| self.is_in(at, it));
        match &self.tokens[at] {
            Token::Name => at == 0 || !self.is_in(at - 1, &PREPOSITIONS),
            Token::Mark(_) => true,
            Token::Word(word) => {
                is_noun
                    || matches!(word.as_str(), "is" | "are" | "be")
                    || lists.iter().any(|it| self.is_in(at, it))
            }
        }
    }

    /// Returns what is inside the parentheses that open at a mark.
    fn aside(&self, at: usize) -> Option<Range<usize>> {
        let rest = self
            .tokens
            .get(at..)
            .filter(|it| it.first() == Some(&Token::Mark('(')))?;
        let end = rest.iter().position(|it| *it == Token::Mark(')'))?;
        Some(at + 1..at + end)
    }

    /// Returns whether more of a list follows a mark, or an aside that restricts nothing.
    fn continues_list(&self, at: usize) -> bool {
        let is_exception = |at: usize| self.is_in(at, &EXCEPTIONS);
        self.aside(at)
            .is_some_and(|mut aside| !aside.any(is_exception))
            || self.tokens[at] == Token::Mark(',')
                && (self.is_coordinated(at)
                    || matches!(self.word(at + 1), Some("or" | "and" | "nor")))
    }

    /// Returns whether "not" or "no" is about the name, and not about the verb before it.
    pub(super) fn is_denied(&self, start: usize, end: usize) -> bool {
        let is_statement = |at: usize| self.is_in(at, &AUXILIARIES) || self.is_in(at, &MODALS);
        let is_open = match self.word(start) {
            Some("no") => start == 0 || matches!(self.tokens[start - 1], Token::Mark(_)),
            Some("over") => {
                let clause = self.tokens[..start]
                    .iter()
                    .rposition(|it| *it == Token::Mark(':'));
                (clause.unwrap_or(0)..start).any(|at| self.is_choice(at))
            }
            _ => start == 0 || !is_statement(start - 1),
        };
        let reaches = self.is_object(Cue::Never, end);
        is_open && reaches && self.name <= end + 2 && !is_statement(self.name + 1)
    }
}
