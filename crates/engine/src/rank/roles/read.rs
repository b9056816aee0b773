//! Finds the cues of a rule and what they govern.

use std::ops::Range;

use cerberus_model::WordList;

use super::token::{self, Token};
use super::{RoleSpan, SpanRole};
use crate::rank::query;
use crate::rank::word_lists::{
    ADOPTING, ADVISING, BANNED, CARRYING, CASES, CHOOSING, COMPARISONS, COPULAS, FILLERS,
    FORGETTING, HARMLESS, HAVING, LOOPED, PROHIBITIONS, PURPOSES, REFUSALS, REPLACED_WITH,
    REPLACING, RESTRICTIONS, RIGHT_TITLES, STATEMENTS, SUPERSEDED, SUPERSEDING, TOWARDS, VALUES,
    WANTED, WRONG_TITLES,
};

mod phrase;

use phrase::Phrase;

/// Maximum number of words without code that a comparison compares.
const MAX_WORDS: usize = 3;

pub(super) struct Reader<'t> {
    text: &'t str,
    pub(super) tokens: Vec<Token>,
    pub(super) found: Vec<RoleSpan>,
    /// The first token of the clause.
    clause_start: usize,
    /// Whether the clause is about a case, or says what its cue cannot decide: only comparisons count.
    is_case: bool,
    /// Whether the sentence has something that it demands.
    has_demand: bool,
    /// Whether the clause has something that it forbids.
    has_prohibition: bool,
    /// Whether the sentence opens with what it forbids: "instead of `b`, …".
    is_fronted: bool,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            tokens: token::tokens(text),
            found: Vec::new(),
            clause_start: 0,
            is_case: false,
            has_demand: false,
            has_prohibition: false,
            is_fronted: false,
        }
    }

    /// Finds the roles of the whole text.
    pub(super) fn read(&mut self) {
        let mut at = 0;
        let mut sentence_start = 0;
        while at < self.tokens.len() {
            if let Token::Mark(mark) = self.tokens[at] {
                if mark == '.' {
                    self.end_sentence(sentence_start, at);
                    sentence_start = at + 1;
                }
                at = self.mark(at, mark);
                continue;
            }
            // A cue at the end of a sentence governs nothing.
            let end = self.sentence_end(at);
            at = self.cue(at).max(at + 1).min(end);
        }
        self.end_sentence(sentence_start, at);
    }

    /// Returns the token that ends the sentence of a word.
    fn sentence_end(&self, at: usize) -> usize {
        let is_end = |token: &Token| *token == Token::Mark('.');
        let rest = self.tokens[at..].iter().position(is_end);
        rest.map_or(self.tokens.len(), |n_before| at + n_before)
    }

    /// Starts a new clause, unless the mark is inside of one.
    fn mark(&mut self, at: usize, mark: char) -> usize {
        if matches!(mark, '❌' | '✗' | '✅' | '✓') {
            let role = if matches!(mark, '❌' | '✗') {
                SpanRole::Forbidden
            } else {
                SpanRole::Demanded
            };
            return self.titled(at + 1, role);
        }
        if matches!(mark, '.' | ',' | ';' | ':' | '(' | ')' | '-' | '|') {
            self.clause_start = at + 1;
            self.is_case = false;
            self.has_prohibition = false;
        }
        at + 1
    }

    fn end_sentence(&mut self, start: usize, end: usize) {
        if self.is_fronted && !self.has_demand {
            // "Instead of `b`, inject `a`".
            for code in token::codes(&self.tokens[start..end]) {
                if !self.found.iter().any(|span| span.range == code) {
                    self.found.push(RoleSpan {
                        range: code,
                        is_code: true,
                        role: SpanRole::Demanded,
                    });
                }
            }
        }
        self.is_fronted = false;
        self.has_demand = false;
    }

    /// Reads the cue at a token, if there is one. Returns the token after what it governs.
    fn cue(&mut self, at: usize) -> usize {
        if let Some(len) = self.comparison(at) {
            return self.compare(at, len);
        }
        if let Some(len) = self.find(at, &REPLACING) {
            return self.replace(at + len);
        }
        if let Some(len) = self.find(at, &TOWARDS) {
            return self.demand(at + len);
        }
        if self.is_case {
            return at + 1;
        }
        if self.is_word(at, &CASES) {
            self.is_case = true;
            return at + 1;
        }
        if let Some(end) = self.title(at) {
            return end;
        }
        if let Some(len) = self.find(at, &PROHIBITIONS) {
            return self.prohibit(at, at + len);
        }
        if let Some(len) = self.refusal(at) {
            if self.word(at) == Some("not") {
                self.demand_before(at);
            }
            return self.refuse(at + len);
        }
        if let Some(end) = self.predicate(at) {
            return end;
        }
        if let Some(len) = self.find(at, &SUPERSEDING) {
            let subject = self.subject(at);
            let object = self.phrase(at + len);
            let end = object.end;
            self.add(subject, SpanRole::Demanded);
            self.add(object, SpanRole::Forbidden);
            return end;
        }
        match self.adopting(at) {
            Some(len) => self.demand(at + len),
            None => at + 1,
        }
    }

    /// Returns the length of a phrase of a list at a token, the longest one.
    fn find(&self, at: usize, list: &'static WordList) -> Option<usize> {
        let mut longest = None;
        for entry in list.entries() {
            let mut len = 0;
            let mut is_here = true;
            for word in entry.split(' ') {
                is_here &= self.word(at + len) == Some(word);
                len += 1;
            }
            if is_here && longest.is_none_or(|known| known < len) {
                longest = Some(len);
            }
        }
        longest
    }

    fn word(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at) {
            Some(Token::Word { word, .. }) => Some(word),
            _ => None,
        }
    }

    fn is_word(&self, at: usize, list: &'static WordList) -> bool {
        self.word(at).is_some_and(|word| list.contains(word))
    }

    fn is_code(&self, at: usize) -> bool {
        matches!(self.tokens.get(at), Some(Token::Code(_)))
    }

    /// Returns whether a token ends the clause.
    fn is_boundary(&self, at: usize) -> bool {
        matches!(
            self.tokens.get(at),
            None | Some(Token::Mark('.' | ',' | ';' | ':' | '(' | ')' | '-' | '|'))
        )
    }

    /// Returns the token that ends the clause at a token.
    fn clause_end(&self, at: usize) -> usize {
        let mut end = at;
        while !self.is_boundary(end) {
            end += 1;
        }
        end
    }

    /// Returns the first token at or after another that is not a filler in front of a form.
    fn after_fillers(&self, at: usize) -> usize {
        let mut at = at;
        while self.is_word(at, &FILLERS) || self.is_adverb(at) {
            at += 1;
        }
        at
    }

    fn is_adverb(&self, at: usize) -> bool {
        self.word(at)
            .is_some_and(|word| word.len() > 4 && word.ends_with("ly"))
    }

    /// Returns the length of a verb of use at a token, in any of its forms.
    fn adopting(&self, at: usize) -> Option<usize> {
        let listed = self.find(at, &ADOPTING);
        let word = self.word(at)?;
        let is_base = |end: &str| {
            word.strip_suffix(end)
                .is_some_and(|base| ADOPTING.contains(base))
        };
        listed.or((is_base("d") || is_base("ed")).then_some(1))
    }

    /// Returns the length of a comparison at a token.
    fn comparison(&self, at: usize) -> Option<usize> {
        if let Some(len) = self.find(at, &COMPARISONS) {
            return Some(len);
        }
        let next = self.after_fillers(at + 1);
        let is_between_code = at > 0 && self.is_code(at - 1) && self.is_code(next);
        let before = self.clause_start..at;
        let is_chosen = before.clone().any(|at| self.is_word(at, &CHOOSING));
        match self.word(at)? {
            "instead" if self.is_code(next) => Some(1),
            "over" => {
                let is_used = before.clone().any(|at| self.adopting(at).is_some());
                let is_motto = (1..=MAX_WORDS).contains(&before.len())
                    && (1..=MAX_WORDS).contains(&(self.clause_end(at) - at - 1))
                    && !before.clone().any(|at| self.word(at).is_none());
                let is_loop = self.is_word(at + 1, &LOOPED);
                let is_compared =
                    is_between_code || is_chosen || ((is_used || is_motto) && !is_loop);
                is_compared.then_some(1)
            }
            "to" if is_chosen && at > self.clause_start + 1 && !self.is_word(at - 1, &CHOOSING) => {
                let n_words = self.clause_end(at) - at - 1;
                let is_short = (1..=MAX_WORDS).contains(&n_words)
                    && !self.is_word(at + 1, &PURPOSES)
                    && token::codes(&self.tokens[before]).is_empty();
                (self.is_code(next) || is_short && self.adopting(at + 1).is_none()).then_some(1)
            }
            _ => None,
        }
    }

    /// Reads a comparison: what is before it is demanded, what is behind it forbidden.
    fn compare(&mut self, at: usize, len: usize) -> usize {
        let behind = self.phrase(at + len);
        let end = behind.end;
        if self.has_prohibition {
            // "Never use `b` instead of `a`".
            self.add(behind, SpanRole::Demanded);
            return end;
        }
        if at == self.clause_start && !self.has_demand {
            self.is_fronted = true;
        } else {
            self.demand_before(at);
        }
        // "Raise the epoch instead of closing them": a deed is not a form that code has.
        if !behind.codes.is_empty() || !self.is_gerund(self.after_fillers(at + len)) {
            self.add(behind, SpanRole::Forbidden);
        }
        end
    }

    /// Returns whether a token is a verb in "-ing" that does not only say that its object is used.
    fn is_gerund(&self, at: usize) -> bool {
        let is_long = self
            .word(at)
            .is_some_and(|word| word.len() > 5 && word.ends_with("ing"));
        is_long && self.adopting(at).is_none()
    }

    /// Reads an old form and a new one: "replace `b` with `a`".
    fn replace(&mut self, at: usize) -> usize {
        let old = self.phrase(at);
        if old.is_empty() || !self.is_word(old.end, &REPLACED_WITH) {
            return at;
        }
        let new = self.phrase(old.end + 1);
        let end = new.end;
        if new.is_empty() {
            return end;
        }
        self.add(old, SpanRole::Forbidden);
        self.add(new, SpanRole::Demanded);
        end
    }

    fn demand(&mut self, at: usize) -> usize {
        let phrase = self.phrase(at);
        let end = phrase.end;
        if !self.is_refused_behind(end) {
            self.add(phrase, SpanRole::Demanded);
        }
        end
    }

    /// Returns whether the clause refuses its subject behind a token: "calls of `b` are not allowed".
    fn is_refused_behind(&self, at: usize) -> bool {
        for at in at..self.clause_end(at) {
            if self.find(at, &PROHIBITIONS).is_some() {
                return true;
            }
            let Some(len) = self.find(at, &COPULAS) else {
                continue;
            };
            let behind = self.after_fillers(at + len);
            if self
                .find(behind, &BANNED)
                .or(self.find(behind, &SUPERSEDED))
                .is_some()
            {
                return true;
            }
        }
        false
    }

    /// Reads the title of a form: "Bad: `b`".
    fn title(&mut self, at: usize) -> Option<usize> {
        if at != self.clause_start || !matches!(self.tokens.get(at + 1), Some(Token::Mark(':'))) {
            return None;
        }
        let role = if self.is_word(at, &WRONG_TITLES) {
            SpanRole::Forbidden
        } else if self.is_word(at, &RIGHT_TITLES) {
            SpanRole::Demanded
        } else {
            return None;
        };
        Some(self.titled(at + 2, role))
    }

    /// Reads the code behind a title or a mark; words there are a sentence of their own.
    fn titled(&mut self, at: usize, role: SpanRole) -> usize {
        self.clause_start = at;
        if !self.is_code(at) {
            return at;
        }
        let phrase = self.phrase(at);
        let end = phrase.end;
        self.add(phrase, role);
        end
    }

    /// Reads a prohibition with a verb, whose words end before `behind`.
    fn prohibit(&mut self, at: usize, behind: usize) -> usize {
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
    fn refusal(&self, at: usize) -> Option<usize> {
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

    fn refuse(&mut self, at: usize) -> usize {
        if self.is_purpose(at) {
            // "Sort them to avoid `b`".
            self.is_case = true;
            return at;
        }
        let verb = self.after_fillers(at);
        if let Some(len) = self.adopting(verb) {
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
    fn forbid(&mut self, at: usize) -> usize {
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

    fn is_restricted(&self, start: usize, end: usize) -> bool {
        (start..end).any(|at| self.is_word(at, &RESTRICTIONS))
    }

    /// Reads what is said of a subject: "`b` is deprecated", "`a` is preferred".
    fn predicate(&mut self, at: usize) -> Option<usize> {
        let copula = self.find(at, &COPULAS);
        let is_bare = at > 0 && self.is_code(at - 1);
        let len = copula.or(is_bare.then_some(0))?;
        let mut behind = at + len;
        while self.is_adverb(behind) || matches!(self.word(behind), Some("now" | "also")) {
            behind += 1;
        }
        if let Some(len) = self.find(behind, &SUPERSEDED) {
            let (subject, new) = (self.subject(at), self.phrase(behind + len));
            let end = new.end;
            self.add(subject, SpanRole::Forbidden);
            self.add(new, SpanRole::Demanded);
            return Some(end);
        }
        if let Some(len) = self.find(behind, &BANNED) {
            if !self.is_restricted(self.clause_start, self.clause_end(at)) {
                let subject = self.subject(at);
                self.add(subject, SpanRole::Forbidden);
            }
            return Some(behind + len);
        }
        let is_modal = at > 0 && matches!(self.word(at - 1), Some("must" | "should" | "shall"));
        let is_used = is_modal && copula.is_some() && self.word(behind) == Some("used");
        let wanted = self.find(behind, &WANTED).filter(|_| copula.is_some());
        let len = wanted.or(is_used.then_some(1))?;
        let subject = self.subject(at);
        self.add(subject, SpanRole::Demanded);
        Some(behind + len)
    }

    /// Demands the form in front of a comparison, unless the sentence demands one already.
    fn demand_before(&mut self, at: usize) {
        if !self.has_demand {
            let before = self.before(at);
            self.add(before, SpanRole::Demanded);
        }
    }

    fn add(&mut self, phrase: Phrase, role: SpanRole) {
        if role == SpanRole::Demanded && !phrase.is_empty() {
            self.has_demand = true;
        }
        for range in phrase.codes {
            self.found.push(RoleSpan {
                range,
                is_code: true,
                role,
            });
        }
        for range in phrase.words {
            if query::is_content(&self.text[range.clone()].to_lowercase()) {
                self.found.push(RoleSpan {
                    range,
                    is_code: false,
                    role,
                });
            }
        }
    }
}
