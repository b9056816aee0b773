//! The pieces of code that a text forbids.
//!
//! Unlike for a claim, what a sentence replaces is forbidden, too ("`a` instead of `b`"), and what comes
//! after "not" and "no" is, if nothing is said to be so.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser};

use super::super::context::Context;
use super::{
    AUXILIARIES, CHOOSING, CONDITIONS, Cue, LIMITS, MODALS, PREPOSITIONS, Sentence, Stance, Token,
    located,
};
use cerberus_markdown::structure::normalize;
use cerberus_model::text::Span;

/// A piece of code that a text forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ban {
    pub code: String,
    /// The words that say where or when it is forbidden; empty for everywhere.
    pub place: String,
}

/// Returns the pieces of code that the sentences of a text forbid or replace.
pub fn bans(text: &str) -> Vec<Ban> {
    let normalized = normalize(text);
    let mut context = Context::new(text);
    let events: Vec<(Event<'_>, Range<usize>)> =
        Parser::new_ext(&normalized, Options::ENABLE_TABLES).into_offset_iter().collect();
    for (event, range) in &events {
        context.add(event, Span::new(range.start, range.end));
    }
    let ban = |(event, range): (Event<'_>, Range<usize>)| {
        let Event::Code(code) = event else { return None };
        let place = context.ban(Span::new(range.start, range.end))?;
        Some(Ban { code: code.trim().to_owned(), place })
    };
    events.into_iter().filter_map(ban).collect()
}

/// Returns the words by which a block restricts its prohibition of the claim in `span`, or `None` if it does
/// not forbid it. Unlike in a claim, what is replaced is forbidden, too.
pub(in super::super) fn ban(text: &str, block: Span, names: &[Span], span: Span) -> Option<String> {
    let (tokens, position) = located(text, block, names, span);
    Sentence::around(&tokens, position?).ban()
}

impl Sentence<'_> {
    /// Returns the words by which the sentence restricts its prohibition of the name, if it forbids it.
    fn ban(&self) -> Option<String> {
        let (_, start, end) = self.cues().into_iter().find(|(cue, start, end)| match cue {
            Cue::Denied => self.is_denied(*start, *end),
            Cue::Never | Cue::Wrong | Cue::Alternative | Cue::Participle(Stance::Forbidden) => {
                self.governed(*cue, *start, *end) != Stance::Plain
            }
            _ => false,
        })?;
        // "In tests, never use `a`", "never use `a` in tests".
        let is_placed = self.is_in(0, &PREPOSITIONS) || self.is_in(0, &CONDITIONS);
        let before = if is_placed { start } else { 0 };
        let after = self.tokens[self.name.max(end - 1) + 1..].iter();
        let after = after.take_while(|token| !matches!(token, Token::Mark(_)));
        let lists = [&PREPOSITIONS, &CONDITIONS, &LIMITS];
        let is_limit = |token: &&Token| match token {
            Token::Word(word) => lists.iter().any(|list| list.contains(word)),
            _ => false,
        };
        let after = after.skip_while(|token| !is_limit(token));
        let words = self.tokens[..before].iter().chain(after).map(|token| match token {
            Token::Word(word) => word.as_str(),
            Token::Name => "`",
            Token::Mark(_) => ",",
        });
        Some(words.collect::<Vec<_>>().join(" "))
    }

    /// Returns whether "not" or "no" is about the name, and not about the verb before it.
    fn is_denied(&self, start: usize, end: usize) -> bool {
        let is_statement = |at: usize| self.is_in(at, &AUXILIARIES) || self.is_in(at, &MODALS);
        let is_open = match self.word(start) {
            Some("no") => start == 0 || matches!(self.tokens[start - 1], Token::Mark(_)),
            Some("over") => (0..start).any(|at| self.is_in(at, &CHOOSING)),
            _ => start == 0 || !is_statement(start - 1),
        };
        let reaches = self.is_object(Cue::Never, end);
        is_open && reaches && self.name <= end + 2 && !is_statement(self.name + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_forbids_and_says_where() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let found = bans(text);
            let found: Vec<_> = found.iter().map(|it| (&*it.code, &*it.place)).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("Use `uv`, never `pip`.", &[("pip", "")]);
        check("Not `pytest`, run `make test`", &[("pytest", "")]);
        check(
            "Never `git push --force` or `git reset`",
            &[("git push --force", ""), ("git reset", "")],
        );
        check("Use `uv add` instead of `pip install`", &[("pip install", "")]);
        check("Prefer `a` over `b`", &[("b", "")]);
        check("- No `any` types\n- `c` is deprecated", &[("any", ""), ("c", "")]);
        check("We don't use `@DisplayName`", &[("@DisplayName", "")]);
        check("Never add `x`, use `y`", &[("x", "")]);
        check("Never use `a` in tests, they are slow", &[("a", "in tests")]);
        check("In tests, never use `a`", &[("a", "in tests ,")]);
        check("Don't use `a` without `b`", &[("a", "without `")]);
        for text in [
            "Never edit `a`",
            "It is not `a`",
            "This does not use `a`",
            "No `a` was found",
            "Iterate over `a`",
            "If you don't have `a`, install it",
            "There is no `a`",
            "Use `a` to avoid `b`",
        ] {
            check(text, &[]);
        }
    }
}
