//! How a sentence presents a claim: as it is, as not wanted, or as gone.
//!
//! A cue, such as "removed" or "never", governs the object of its verb or its subject, not all
//! names of its sentence: "there is no retry in `a`" says nothing about `a`. So the names of a
//! sentence are found by walking from the cue to a word that ends what it governs.

use std::cmp::Reverse;
use std::sync::LazyLock;

use cerberus_model::{Span, WordList};
use rustc_hash::FxHashMap;

pub mod bans;

use crate::lists::{
    AUXILIARIES, CARRIERS, COMPARISONS, CONDITIONS, CREATING, DENIED, DETERMINERS, EXISTING,
    FOLLOWING, GONE, GONE_AFTER, GONE_COLUMNS, GONE_OBJECT, GONE_SUBJECT, GONE_TITLES, KEEPING,
    MODALS, NEGATIONS, NEVER, NOT_NOW, NOUNS, PREPOSITIONS, REFERRING, REFUSED, RELATIVES, STOPS,
    UNWANTED, UNWANTED_TITLES, WRONG,
};
use crate::token::{Token, starts_with, tokens};

/// How a sentence presents a claim.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stance {
    #[default]
    Plain,
    /// It is not known what the sentence says of it, or one that governs it.
    Unclear,
    /// It is one of many that a pattern means.
    Example,
    /// The sentence forbids it: its removal fulfils the rule.
    Forbidden,
    /// The sentence says that it does not exist, no longer or not yet.
    Absent,
}

/// Maximum length of the parts of a block before and after a claim that are read.
pub const MAX_BYTES: usize = 600;

/// What a phrase says about the names around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cue {
    /// About its object, or as a predicate about its subject.
    Participle(Stance),
    Object,
    Subject,
    After,
    Alternative,
    NoLonger,
    Never,
    Wrong,
    /// Forbids what comes next, if nothing is said to be so: "use `a`, not `b`".
    Denied,
}

/// The words of phrases with what they say.
type Phrases = Vec<(Vec<&'static str>, Cue)>;

/// The phrases of each cue by their first words, the longest first.
static CUES: LazyLock<FxHashMap<&str, Phrases>> = LazyLock::new(|| {
    let lists: [(&'static WordList, Cue); 9] = [
        (&GONE, Cue::Participle(Stance::Absent)),
        (&UNWANTED, Cue::Participle(Stance::Forbidden)),
        (&GONE_OBJECT, Cue::Object),
        (&GONE_SUBJECT, Cue::Subject),
        (&GONE_AFTER, Cue::After),
        (&COMPARISONS, Cue::Alternative),
        (&NEVER, Cue::Never),
        (&WRONG, Cue::Wrong),
        (&DENIED, Cue::Denied),
    ];
    let listed = lists
        .iter()
        .flat_map(|(list, cue)| list.entries().iter().map(|it| (*it, *cue)));
    let mut cues: FxHashMap<&str, Phrases> = FxHashMap::default();
    for (phrase, cue) in listed.chain([("no longer", Cue::NoLonger)]) {
        let words: Vec<&str> = phrase.split(' ').collect();
        cues.entry(words[0]).or_default().push((words, cue));
    }
    cues.values_mut()
        .for_each(|cues| cues.sort_by_key(|(words, _)| Reverse(words.len())));
    cues
});

/// Returns how a block presents the claim in `span`. `names` are the pieces of code and links of
/// the document, in order.
pub fn of(text: &str, block: Span, names: &[Span], span: Span) -> Stance {
    let (tokens, position) = located(text, block, names, span);
    position.map_or(Stance::Plain, |position| sentence_stance(&tokens, position))
}

/// Returns whether the sentence around the claim in `span` only says what is so now. Otherwise it may be true
/// of the old name and not of a new one: "the code is not in `a`".
pub fn is_about_now(text: &str, span: Span) -> bool {
    let (tokens, position) = located(text, Span::new(0, text.len()), &[], span);
    position.is_none_or(|position| {
        let sentence = Sentence::around(&tokens, position);
        let is_other = |at: usize| sentence.is_in(at, &NOT_NOW);
        sentence.cues().is_empty() && !(0..sentence.tokens.len()).any(is_other)
    })
}

/// Returns the tokens around a claim, and its position.
fn located(text: &str, block: Span, names: &[Span], span: Span) -> (Vec<Token>, Option<usize>) {
    let is_boundary = |at: &usize| text.is_char_boundary(*at);
    let from = block.start.max(span.start.saturating_sub(MAX_BYTES));
    let to = block.end.min(span.end + MAX_BYTES);
    let from = (from..=span.start).find(is_boundary).unwrap_or(span.start);
    let to = (span.end..=to).rev().find(is_boundary).unwrap_or(span.end);
    let first = names.partition_point(|it| it.end <= from);
    let last = names.partition_point(|it| it.start < to);
    let mut names: Vec<Span> = names[first..last.max(first)].to_vec();
    if !names
        .iter()
        .any(|it| it.start <= span.start && span.end <= it.end)
    {
        names.retain(|it| it.end <= span.start || it.start >= span.end);
        names.push(span);
        names.sort_unstable();
    }
    tokens(text, Span::new(from, to), &names, span)
}

/// Returns how a text presents what follows it: a comment, or the words before a list.
pub fn of_lead(text: &str) -> Stance {
    let (mut tokens, text) = lead_tokens(text);
    // "Bad: the test passes", "❌ wrong - it waits".
    let is_wrong = |token: &&Token| matches!(token, Token::Word(word) if WRONG.contains(word));
    let n_wrong = tokens.iter().take_while(is_wrong).count();
    if n_wrong > 0 && !matches!(tokens.get(n_wrong), Some(Token::Word(_))) {
        return Stance::Forbidden;
    }
    // "Before" and "Before (the upgrade)", as the title of a column.
    if let [Token::Word(word), rest @ ..] = &*tokens
        && GONE_COLUMNS.contains(word)
        && matches!(rest, [] | [Token::Mark('('), .., Token::Mark(')')])
    {
        return Stance::Absent;
    }
    let is_refusing = refuses(&tokens, text);
    tokens.extend([Token::Mark(':'), Token::Name]);
    let stance = sentence_stance(&tokens, tokens.len() - 1);
    if stance == Stance::Plain && is_refusing {
        Stance::Unclear
    } else {
        stance
    }
}

/// Returns the tokens of the words before a list without the colon, and their text.
fn lead_tokens(text: &str) -> (Vec<Token>, &str) {
    let text = text
        .trim()
        .trim_end_matches(['*', '_'])
        .trim_end_matches([':', '：']);
    let end = Span::new(text.len(), text.len());
    (tokens(text, Span::new(0, text.len()), &[], end).0, text)
}

/// Returns whether the words before a list may refuse its items: the main clause has a negation, or a word of
/// refusal such as "rejected". "Never edit" and "do not forget" refuse nothing: the items exist.
fn refuses(tokens: &[Token], text: &str) -> bool {
    if text.is_empty() {
        return false;
    }
    let sentence = Sentence {
        tokens,
        name: tokens.len(),
    };
    // "If it fails, run".
    let comma = tokens.iter().position(|token| *token == Token::Mark(','));
    let start =
        comma.filter(|_| sentence.is_in(0, &CONDITIONS) || sentence.is_in(0, &PREPOSITIONS));
    let start = start.map_or(0, |comma| comma + 1);
    let is_other_clause =
        |at: &usize| sentence.is_in(*at, &RELATIVES) || sentence.is_in(*at, &CONDITIONS);
    let end = (start..tokens.len())
        .find(is_other_clause)
        .unwrap_or(tokens.len());
    (start..end).any(|at| {
        let is_negation = sentence.is_in(at, &NEGATIONS)
            || sentence.word(at).is_some_and(|word| word.ends_with("n't"));
        let keeps = |at: usize| sentence.is_in(at, &KEEPING) || sentence.word(at) == Some("only");
        // An adverb or a pronoun may be between them.
        let is_kept = keeps(at + 1) || (!sentence.is_in(at, &REFUSED) && keeps(at + 2));
        (is_negation && !is_kept) || sentence.is_in(at, &REFUSED)
    })
}

/// Returns whether a sentence is about what follows it: "these", "the following".
pub fn is_about_following(text: &str) -> bool {
    let (tokens, _) = lead_tokens(text);
    let sentence = Sentence {
        tokens: &tokens,
        name: tokens.len(),
    };
    let is_aside = |at: usize| at > 0 && sentence.word(at - 1) == Some("see");
    (0..tokens.len()).any(|at| sentence.is_in(at, &FOLLOWING) && !is_aside(at))
}

/// Returns whether a sentence starts with a word for what was said before.
pub fn continues(text: &str) -> bool {
    let (tokens, _) = lead_tokens(text);
    Sentence {
        tokens: &tokens,
        name: tokens.len(),
    }
    .is_in(0, &REFERRING)
}

/// Returns how a heading presents what is below it.
pub fn of_title(title: &str) -> Stance {
    let end = Span::new(title.len(), title.len());
    let (tokens, _) = tokens(title, Span::new(0, title.len()), &[], end);
    let starts = |list: &WordList| {
        list.entries()
            .iter()
            .any(|phrase| starts_with(&tokens, &phrase.split(' ').collect::<Vec<_>>()))
    };
    // A whole sentence is about what it names itself.
    match tokens.len() {
        0 | 6.. => Stance::Plain,
        _ if starts(&GONE_TITLES) => Stance::Absent,
        _ if starts(&UNWANTED_TITLES) => Stance::Forbidden,
        _ => Stance::Plain,
    }
}

/// Returns how a heading presents the items of the lists below it, which may complete it: "We do not use".
pub fn of_title_of_list(title: &str) -> Stance {
    let (tokens, text) = lead_tokens(title);
    // One that names something is about it.
    let is_whole = title.contains('`') || text.ends_with(['.', '!', '?']);
    if !is_whole && refuses(&tokens, text) {
        Stance::Unclear
    } else {
        Stance::Plain
    }
}

/// Returns how the title of a column presents what is below it.
pub fn of_column(title: &str) -> Stance {
    let title = title.trim().trim_matches('*').to_lowercase();
    if GONE_COLUMNS.entries().contains(&title.as_str()) {
        Stance::Absent
    } else {
        of_title(&title)
    }
}

/// Returns how the sentence around a name presents it.
fn sentence_stance(tokens: &[Token], position: usize) -> Stance {
    let sentence = Sentence::around(tokens, position);
    let before = &sentence.tokens[..sentence.name];
    let n_struck = before.iter().filter(|it| **it == Token::Mark('~')).count();
    if n_struck % 2 == 1 {
        return Stance::Absent;
    }
    let cues = sentence.cues().into_iter();
    cues.map(|(cue, at, end)| sentence.governed(cue, at, end))
        .max()
        .unwrap_or_default()
}

/// A sentence with the name that is asked for.
#[derive(Clone, Copy)]
struct Sentence<'s> {
    tokens: &'s [Token],
    name: usize,
}

impl<'s> Sentence<'s> {
    fn around(tokens: &'s [Token], position: usize) -> Self {
        let is_end = |token: &Token| *token == Token::Mark('.');
        let start = tokens[..position]
            .iter()
            .rposition(is_end)
            .map_or(0, |at| at + 1);
        let end = tokens[position..]
            .iter()
            .position(is_end)
            .map_or(tokens.len(), |n| position + n);
        Self {
            tokens: &tokens[start..end],
            name: position - start,
        }
    }

    /// Returns the cues that hold in all cases, each with the position of its words.
    fn cues(&self) -> Vec<(Cue, usize, usize)> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < self.tokens.len() {
            let mut cues = self
                .word(at)
                .and_then(|word| CUES.get(word))
                .into_iter()
                .flatten();
            let cue = cues.find(|(words, _)| starts_with(&self.tokens[at..], words));
            let end = at + cue.map_or(1, |(words, _)| words.len());
            found.extend(
                cue.filter(|_| !self.is_conditional(at))
                    .map(|(_, cue)| (*cue, at, end)),
            );
            at = end;
        }
        found
    }

    fn word(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at)? {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    fn is_in(&self, at: usize, list: &WordList) -> bool {
        self.word(at).is_some_and(|word| list.contains(word))
    }

    fn is_name(&self, at: usize) -> bool {
        self.tokens.get(at) == Some(&Token::Name)
    }

    /// Returns whether the clause of a cue says only what happens in a case.
    fn is_conditional(&self, cue: usize) -> bool {
        let start = self.tokens[..cue]
            .iter()
            .rposition(|it| matches!(it, Token::Mark(_)));
        (start.map_or(0, |at| at + 1)..cue).any(|at| self.is_in(at, &CONDITIONS))
    }

    /// Returns what a cue at `start..end` says about the name.
    fn governed(&self, cue: Cue, start: usize, end: usize) -> Stance {
        let reaches = |name: usize| Self { name, ..*self }.is_object(cue, end);
        let absent = |is_governed: bool| {
            if is_governed {
                Stance::Absent
            } else {
                Stance::Plain
            }
        };
        // What ends the reach of a cue before the first name ends it for all.
        let first = (end..self.tokens.len()).find(|at| self.is_name(*at));
        let has_object = first.is_some_and(reaches);
        let is_predicate = start > 0 && self.is_in(start - 1, &AUXILIARIES);
        match cue {
            // "(not `a`)", other than "not only `a`".
            Cue::Denied if self.word(start) == Some("not") && self.is_name(end) => {
                absent(reaches(self.name))
            }
            // "No `a` in tests", a prohibition.
            Cue::Denied if self.word(start) == Some("no") && self.is_denied(start, end) => {
                Stance::Forbidden
            }
            Cue::Denied => Stance::Plain,
            Cue::Object | Cue::After | Cue::Alternative => absent(reaches(self.name)),
            Cue::Subject => absent(self.is_subject(start)),
            Cue::Participle(stance) => {
                // "These were removed: `a`".
                let is_lead = self.tokens.get(end) == Some(&Token::Mark(':'));
                let is_governed = if (is_lead || !is_predicate) && has_object {
                    reaches(self.name)
                } else {
                    self.is_subject(start)
                };
                if is_governed { stance } else { Stance::Plain }
            }
            Cue::NoLonger if has_object => absent(reaches(self.name)),
            Cue::NoLonger => {
                let verb = if self.is_in(end, &AUXILIARIES) {
                    end + 1
                } else {
                    end
                };
                absent(self.is_in(verb, &EXISTING) && self.is_subject(start))
            }
            Cue::Never if self.is_in(end, &KEEPING) => Stance::Plain,
            // A purpose: "to avoid `a`".
            Cue::Never
                if self.word(start) == Some("avoid")
                    && start > 0
                    && self.is_in(start - 1, &MODALS) =>
            {
                Stance::Plain
            }
            Cue::Never if self.word(end) == Some("be") => {
                let is_after_modal = start > 0 && self.is_in(start - 1, &MODALS);
                let is_governed = self.is_head_before(start - usize::from(is_after_modal));
                if is_governed {
                    Stance::Forbidden
                } else {
                    Stance::Plain
                }
            }
            Cue::Never if !reaches(self.name) => Stance::Plain,
            Cue::Never if self.is_in(end, &CREATING) => Stance::Absent,
            Cue::Never => Stance::Forbidden,
            Cue::Wrong => {
                let is_governed =
                    (start == 0 && reaches(self.name)) || (is_predicate && self.is_subject(start));
                if is_governed {
                    Stance::Forbidden
                } else {
                    Stance::Plain
                }
            }
        }
    }

    /// Returns whether the name is an object of the words before `from`.
    fn is_object(&self, cue: Cue, from: usize) -> bool {
        let mut has_name = false;
        let mut at = from;
        while at < self.name {
            match &self.tokens[at] {
                Token::Name => has_name = true,
                Token::Mark('(') => {
                    match self.tokens[at..self.name]
                        .iter()
                        .position(|it| *it == Token::Mark(')'))
                    {
                        Some(n) => at += n,
                        None => return false,
                    }
                }
                Token::Mark(':') if !has_name => {}
                Token::Mark('-') if at == from => {}
                Token::Mark(',')
                    if has_name && cue != Cue::Alternative && self.is_coordinated(at) => {}
                Token::Mark('~') => {}
                Token::Mark(_) => return false,
                Token::Word(word) if matches!(word.as_str(), "and" | "or" | "nor") => {
                    let is_prohibited = cue == Cue::Never && word != "and";
                    if !(is_prohibited || has_name && self.is_coordinated(at)) {
                        return false;
                    }
                }
                // What was named before.
                Token::Word(word) if matches!(word.as_str(), "it" | "them") => return false,
                Token::Word(_) if self.ends_object(cue, from, at) => return false,
                Token::Word(_) => {}
            }
            at += 1;
        }
        // What belongs to a name is not the name.
        from <= self.name && self.tokens.get(self.name + 1) != Some(&Token::Mark('\''))
    }

    fn ends_object(&self, cue: Cue, from: usize, at: usize) -> bool {
        let is_carried = at > 0 && self.is_in(at - 1, &CARRIERS);
        let is_preposition = self.is_in(at, &PREPOSITIONS) && !is_carried;
        match cue {
            Cue::After => matches!(self.word(at), Some("to" | "into")),
            // "Rather than in `a`".
            Cue::Alternative if at == from => false,
            // "Avoid using `a`".
            Cue::Never if at == from && self.word(at) == Some("using") => false,
            _ => is_preposition || self.is_in(at, &STOPS),
        }
    }

    /// Returns whether a name comes next after a comma or an "and".
    fn is_coordinated(&self, mut at: usize) -> bool {
        at += 1;
        while self
            .word(at)
            .is_some_and(|it| matches!(it, "and" | "or" | "nor"))
            || self.is_in(at, &DETERMINERS)
        {
            at += 1;
        }
        self.is_name(at)
    }

    /// Returns whether the name is a subject of the words at `predicate`.
    fn is_subject(&self, predicate: usize) -> bool {
        let mut at = predicate;
        while at > 0 && self.is_in(at - 1, &AUXILIARIES) {
            at -= 1;
        }
        if at > 0 && self.is_in(at - 1, &MODALS) {
            return false;
        }
        match at.checked_sub(1).map(|it| &self.tokens[it]) {
            // What a relative clause is about is right before it.
            Some(Token::Word(word)) if matches!(word.as_str(), "which" | "that") => {
                at -= 1;
                at -= usize::from(at > 0 && self.tokens[at - 1] == Token::Mark(','));
                while at > 0 && self.is_in(at - 1, &NOUNS) {
                    at -= 1;
                }
                return self.name + 1 == at;
            }
            Some(Token::Mark(':' | '-' | '(' | ',')) if at == predicate => at -= 1,
            _ => {}
        }
        let is_cell = |token: &Token| *token == Token::Mark('|');
        if at > 0 && is_cell(&self.tokens[at - 1]) {
            // A cell with the state of what the first one names.
            let n_before = self.tokens[..self.name]
                .iter()
                .filter(|it| is_cell(it))
                .count();
            return n_before == usize::from(is_cell(&self.tokens[0]));
        }
        self.is_head_before(at)
    }

    /// Returns whether the name is in the noun phrase that ends at `end`, not after a preposition.
    fn is_head_before(&self, end: usize) -> bool {
        let (mut is_governed, mut has_name, mut at) = (false, false, end);
        while at > 0 {
            at -= 1;
            match &self.tokens[at] {
                Token::Name => {
                    has_name = true;
                    is_governed |= at == self.name;
                }
                Token::Mark(')') => {
                    match self.tokens[..at]
                        .iter()
                        .rposition(|it| *it == Token::Mark('('))
                    {
                        Some(open) => at = open,
                        None => break,
                    }
                }
                Token::Mark(',') if has_name && at > 0 && self.is_name(at - 1) => {}
                Token::Mark('~') => {}
                Token::Mark(_) => break,
                Token::Word(word) if matches!(word.as_str(), "and" | "or") => {}
                Token::Word(_) if self.is_in(at, &PREPOSITIONS) => {
                    let is_carried = at > 0 && self.is_in(at - 1, &CARRIERS);
                    is_governed &= is_carried;
                    has_name = true;
                }
                Token::Word(_) if self.is_in(at, &STOPS) => break,
                // The head is another noun, of which the name says the kind.
                Token::Word(_) if !has_name && !self.is_in(at, &NOUNS) => return false,
                Token::Word(_) => {}
            }
        }
        is_governed
    }
}

#[cfg(test)]
mod tests;
