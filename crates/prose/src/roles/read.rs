//! Finds the cues of a rule and what they govern.

use cerberus_model::WordList;

use super::token::{self, Token};
use super::{RoleSpan, SpanRole};
use crate::lists::{
    ADOPTING, BANNED, CASES, CHOOSING, COMPARISONS, COPULAS, FILLERS, LACKING, LOOPED,
    PROHIBITIONS, PURPOSES, REPLACED_WITH, REPLACING, RIGHT, SUPERSEDED, SUPERSEDING, TOWARDS,
    WANTED, WRONG,
};
use crate::words;

mod bans;
mod phrase;

use phrase::Phrase;

/// Maximum number of words without code that a comparison compares.
const MAX_WORDS: usize = 3;

/// Maximum number of words of a phrase in a list.
const MAX_PHRASE: usize = 5;

pub(super) struct Reader<'t> {
    text: &'t str,
    pub(super) tokens: Vec<Token>,
    pub(super) found: Vec<RoleSpan>,
    /// The first token of the clause.
    clause_start: usize,
    /// Whether the clause is about a case, or says what its cue cannot decide: only comparisons count.
    is_case: bool,
    /// Whether the clause has a prohibition of an act.
    is_denied: bool,
    /// Whether the sentence is titled as wrong, so that it describes what is forbidden.
    is_wrong: bool,
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
            is_denied: false,
            is_wrong: false,
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
        if let Some(role) = title_role(mark.encode_utf8(&mut [0; 4])) {
            return self.titled(at + 1, role);
        }
        if matches!(mark, '.' | ',' | ';' | ':' | '(' | ')' | '-' | '|') {
            self.clause_start = at + 1;
            self.is_case = false;
            self.is_denied = false;
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
        self.is_wrong = false;
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
            return self.turn_to(at, at + len);
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
        if let Some(len) = self.prohibition(at) {
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
            Some(len) if self.is_wrong => self.forbid(at + len),
            Some(len) => self.demand(at + len),
            None => at + 1,
        }
    }

    /// Returns the length of a phrase of a list at a token, the longest one.
    fn find(&self, at: usize, list: &'static WordList) -> Option<usize> {
        let mut longest = None;
        let mut phrase = String::new();
        for len in 1..=MAX_PHRASE {
            let Some(word) = self.word(at + len - 1) else {
                break;
            };
            phrase.push_str(word);
            if list.contains(&phrase) {
                longest = Some(len);
            }
            phrase.push(' ');
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
        let is_fronted = at == self.clause_start && !self.has_demand;
        self.is_fronted |= is_fronted;
        let behind = self.phrase(at + len);
        let end = behind.end;
        if self.has_prohibition {
            // "Never use `b` instead of `a`".
            self.add(behind, SpanRole::Demanded);
            return end;
        }
        if !is_fronted {
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
        if self.is_denied {
            // "Never replace `a` with `b`".
            self.add(new, SpanRole::Forbidden);
            self.add(old, SpanRole::Demanded);
            return end;
        }
        self.add(old, SpanRole::Forbidden);
        self.add(new, SpanRole::Demanded);
        end
    }

    /// Reads the new form behind a cue, and the code of the old one before it: "drop `b` in favor of `a`".
    fn turn_to(&mut self, at: usize, behind: usize) -> usize {
        if at > self.clause_start && !self.is_denied {
            let before = self.before(at);
            let codes = before.codes;
            self.add(
                Phrase {
                    codes,
                    ..Phrase::default()
                },
                SpanRole::Forbidden,
            );
        }
        self.demand(behind)
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
            for behind in [at + len, self.after_fillers(at + len)] {
                let banned = self.find(behind, &BANNED);
                if banned.or(self.find(behind, &SUPERSEDED)).is_some() {
                    return true;
                }
            }
        }
        false
    }

    /// Reads the title of a form: "Bad: `b`".
    fn title(&mut self, at: usize) -> Option<usize> {
        let role = self.title_at(at)?;
        Some(self.titled(at + 2, role))
    }

    /// Returns the role of the form behind a title at a token.
    pub(super) fn title_at(&self, at: usize) -> Option<SpanRole> {
        let opens = at == self.clause_start || !matches!(self.tokens[at - 1], Token::Word { .. });
        let is_title = opens && matches!(self.tokens.get(at + 1), Some(Token::Mark(':')));
        if is_title {
            title_role(self.word(at)?)
        } else {
            None
        }
    }

    /// Reads the code behind a title or a mark. Words there are a sentence of their own, which describes what the
    /// title says.
    fn titled(&mut self, at: usize, role: SpanRole) -> usize {
        self.clause_start = at;
        self.is_wrong = role == SpanRole::Forbidden;
        if !self.is_code(at) {
            return at;
        }
        let phrase = self.phrase(at);
        let end = phrase.end;
        self.add(phrase, role);
        end
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
        if self.find(behind, &PROHIBITIONS).is_some() {
            // "It is forbidden to call `b`".
            return None;
        }
        if let Some(len) = self.find(behind, &BANNED) {
            let is_lacking = (self.clause_start..at).any(|at| self.is_word(at, &LACKING));
            if !is_lacking && !self.is_restricted(self.clause_start, self.clause_end(at)) {
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
            if words::is_content(&self.text[range.clone()].to_lowercase()) {
                self.found.push(RoleSpan {
                    range,
                    is_code: false,
                    role,
                });
            }
        }
    }
}

/// Returns the role of the form behind a title or a mark.
fn title_role(title: &str) -> Option<SpanRole> {
    if WRONG.contains(title) || matches!(title, "no" | "don't") {
        Some(SpanRole::Forbidden)
    } else if RIGHT.contains(title) || matches!(title, "yes" | "do") {
        Some(SpanRole::Demanded)
    } else {
        None
    }
}
