//! Prohibitions of verbs and refusals of nouns.

use std::ops::Range;

use super::{Phrase, Reader};
use crate::lists::{
    ADVISING, CARRYING, DENIALS, FORGETTING, HARMLESS, HAVING, MODALS, NOBODY, PERMITTING,
    PROHIBITIONS, REFUSALS, REPLACING, RESTRICTIONS, STATEMENTS, VALUES,
};
use crate::roles::SpanRole;
use crate::roles::token::{self, Token};

impl Reader<'_> {
    /// Returns the length of a prohibition before a verb at a token, unless another word turns it around.
    pub(super) fn prohibition(&self, at: usize) -> Option<usize> {
        let is_turned =
            at > self.clause_start && self.is_word(at - 1, &DENIALS) && !self.is_word(at, &DENIALS);
        if is_turned {
            return None;
        }
        self.find(at, &PROHIBITIONS)
    }

    /// Reads a prohibition with a verb, whose words end before `behind`.
    pub(super) fn prohibit(&mut self, at: usize, behind: usize) -> usize {
        let verb = self.after_fillers(behind);
        if matches!(self.word(verb), Some("be" | "get")) {
            return self.prohibit_passive(at, verb + 1);
        }
        if self.is_code(verb) {
            return self.forbid(verb);
        }
        if let Some(len) = self.adopting(verb) {
            return self.forbid(verb + len);
        }
        if self.is_word(verb, &FORGETTING) {
            return verb + 1;
        }
        let object = self.after_fillers(verb + 1);
        let is_permitted = self.is_word(verb, &PERMITTING) && self.is_code(object);
        if is_permitted && self.word(object + 1) != Some("to") {
            return self.forbid(object);
        }
        self.is_denied = true;
        if self.find(verb, &REPLACING).is_some() {
            return verb;
        }
        if self.is_word(verb, &CARRYING) {
            let end = self.clause_end(verb);
            let next = (verb + 1..end).find(|at| self.adopting(*at).is_some());
            if let Some(next) = next {
                return self.forbid(next + self.adopting(next).unwrap_or(1));
            }
        }
        // "…, never floats".
        let is_contrast = self.word(at) == Some("never")
            && at > 0
            && matches!(self.tokens[at - 1], Token::Mark(',' | '-' | '('));
        if is_contrast && (1..=2).contains(&(self.clause_end(verb) - verb)) {
            self.demand_before(at);
            return self.forbid(verb);
        }
        self.is_case = true;
        verb + 1
    }

    /// Reads a prohibition in the passive, with the participle at `at`: "`b` must not be used".
    fn prohibit_passive(&mut self, cue: usize, at: usize) -> usize {
        let at = self.after_fillers(at);
        if self.is_code(at) {
            return self.forbid(at);
        }
        if self.adopting(at).is_some() && !self.is_restricted(self.clause_start, at) {
            let subject = self.subject(cue);
            self.add_forbidden(subject, at + 1);
        } else {
            self.is_case = true;
        }
        at + 1
    }

    /// Returns the length of a refusal of a noun at a token: "avoid", "no", ", not".
    pub(super) fn refusal(&self, at: usize) -> Option<usize> {
        let is_statement = at > 0 && self.is_word(at - 1, &STATEMENTS);
        match self.word(at)? {
            "no" => {
                let opens = at == self.clause_start || self.is_word(at - 1, &HAVING);
                (opens && !self.is_word(at + 1, &HARMLESS)).then_some(1)
            }
            "not" => {
                let is_behind = |at: usize| {
                    matches!(self.tokens[at], Token::Mark(_) | Token::Code(_))
                        || matches!(self.word(at), Some("and" | "but"))
                };
                let is_contrast = at == 0 || self.has_demand || is_behind(at - 1);
                let is_harmless = is_statement || self.is_word(at + 1, &HARMLESS);
                (is_contrast && !is_harmless).then_some(1)
            }
            _ if at == self.clause_start && self.find(at, &NOBODY).is_some() => {
                let end = self.clause_end(at);
                let modal = (at..end).find(|at| self.is_word(*at, &MODALS))?;
                let verb = self.after_fillers(modal + 1);
                self.adopting(verb).map(|len| verb + len - at)
            }
            _ => self.find(at, &REFUSALS),
        }
    }

    /// Returns whether the cue before a token says what something else of the clause is for.
    fn is_purpose(&self, at: usize) -> bool {
        let mut is_advice = true;
        for before in self.clause_start..at {
            if self.word(before) == Some("to") {
                is_advice = before > self.clause_start && self.is_word(before - 1, &ADVISING);
            }
        }
        !is_advice
    }

    pub(super) fn refuse(&mut self, at: usize) -> usize {
        if self.is_purpose(at) {
            // "Sort them to avoid `b`".
            self.is_case = true;
            return at;
        }
        let verb = self.after_fillers(at);
        if let Some(len) = self.adopting(verb) {
            let is_not = self.word(at - 1) == Some("not");
            if is_not && self.word(verb).is_some_and(|word| word.ends_with("ing")) {
                // "Not calling `a` is a bug".
                self.is_case |= self.is_refused_behind(verb);
            }
            if self.is_case {
                return verb + len;
            }
            return self.forbid(verb + len);
        }
        let clause = verb..self.clause_end(verb);
        if self.is_gerund(verb) && !token::codes(&self.tokens[clause]).is_empty() {
            // "Avoid blocking `b`".
            self.is_case = true;
            return verb + 1;
        }
        self.forbid(verb)
    }

    /// Forbids the phrase at a token.
    pub(super) fn forbid(&mut self, at: usize) -> usize {
        let phrase = self.phrase(at);
        let end = phrase.end;
        self.add_forbidden(phrase, end);
        end
    }

    /// Forbids a phrase, unless the clause restricts that behind `at`. What code must not lack is demanded.
    fn add_forbidden(&mut self, phrase: Phrase, at: usize) {
        self.has_prohibition = true;
        if self.is_restricted(at, self.clause_end(at)) {
            self.is_case = true;
            let with_demand = (at..self.clause_end(at))
                .find(|at| matches!(self.word(*at), Some("without" | "except" | "than")));
            if let Some(before) = with_demand {
                self.demand(before + 1);
            }
            return;
        }
        let end = self.clause_end(at);
        let next = self.after_fillers(end + 1);
        if matches!(self.word(next), Some("unless" | "except" | "without")) {
            return;
        }
        let is_value = |range: &Range<usize>| VALUES.contains(&self.text[range.clone()]);
        let codes = phrase
            .codes
            .iter()
            .filter(|range| !is_value(range))
            .cloned()
            .collect();
        self.add(Phrase { codes, ..phrase }, SpanRole::Forbidden);
    }

    pub(super) fn is_restricted(&self, start: usize, end: usize) -> bool {
        for at in start..end {
            let is_any_more =
                at > 0 && self.word(at - 1) == Some("any") && self.word(at) == Some("more");
            if self.is_word(at, &RESTRICTIONS) && !is_any_more {
                return true;
            }
        }
        false
    }
}
