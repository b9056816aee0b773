//! Finds the forms that a rule demands and forbids in code.
//!
//! A form in back-ticks is found as it is written, with its signs: `Optional[X]` is not `Optional.of`. A capital letter
//! alone and `...` match any code. Words are found by their stems.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cerberus_model::{Language, Span};
use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};

use super::roles::{RoleSpan, SpanRole};
use super::tokenize;
use crate::syntax::ParsedFile;
use crate::syntax::parse::TokenKind;

/// Ends of a call with any arguments.
const CALLS: [&str; 3] = ["()", "(...)", "(…)"];

/// Maximum length of the code that a placeholder matches.
const MAX_ANY: usize = 200;

/// What a rule demands and forbids.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RuleForms {
    demanded: Forms,
    forbidden: Forms,
    /// What it names beside them.
    neutral: Forms,
}

/// Forms of one role.
#[derive(Debug, Clone, PartialEq, Default)]
struct Forms {
    codes: Vec<CodeForm>,
    /// The stems of the words.
    terms: BTreeSet<String>,
}

/// Code with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CodeForm {
    pieces: Vec<Piece>,
    /// Whether it is also found in comments, because it is one.
    is_comment: bool,
    /// Whether it is a name or a call, which is not found in strings.
    is_name: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// An identifier or a sign.
    Text(String),
    Any,
}

/// A file with code, which is parsed at most once, and only if a form is found in it.
#[derive(Debug)]
pub(crate) struct CodeFile {
    language: Language,
    pub(crate) text: String,
    /// Its comments and strings, in order.
    inert: OnceLock<Vec<(Span, TokenKind)>>,
    /// The stems of the words of its candidates, which many rules look for.
    terms: Mutex<FxHashMap<Span, Arc<FxHashSet<String>>>>,
}

impl CodeFile {
    pub(crate) fn new(language: Language, text: String) -> Self {
        Self {
            language,
            text,
            inert: OnceLock::new(),
            terms: Mutex::default(),
        }
    }

    /// Returns the stems of the words of a candidate.
    fn terms(&self, span: Span) -> Arc<FxHashSet<String>> {
        let stored = self.terms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = stored.get(&span) {
            return found.clone();
        }
        drop(stored);
        let found = Arc::new(terms(span.slice(&self.text)));
        let mut stored = self.terms.lock().unwrap_or_else(PoisonError::into_inner);
        stored.insert(span, found.clone());
        found
    }

    fn inert(&self) -> &[(Span, TokenKind)] {
        self.inert.get_or_init(|| {
            let mut inert = Vec::new();
            for token in ParsedFile::parse(self.language, &self.text).tokens {
                if matches!(
                    token.kind,
                    TokenKind::Comment | TokenKind::Docstring | TokenKind::StringContent
                ) {
                    inert.push((token.span, token.kind));
                }
            }
            inert
        })
    }
}

/// The code of a candidate in its file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodeOf<'t> {
    pub(crate) file: &'t CodeFile,
    /// Its lines with the comments and annotations above them.
    pub(crate) span: Span,
}

impl RuleForms {
    /// Reads the forms of a rule with these roles.
    pub(crate) fn new(rule: &str, roles: &[RoleSpan]) -> Self {
        let mut forms = Self::default();
        for RoleSpan {
            range,
            is_code,
            role,
        } in roles
        {
            let of_role = match role {
                SpanRole::Demanded => &mut forms.demanded,
                SpanRole::Forbidden => &mut forms.forbidden,
                SpanRole::Neutral => &mut forms.neutral,
            };
            let part = &rule[range.clone()];
            if *is_code {
                of_role.codes.extend(CodeForm::new(part));
            } else {
                of_role.terms.extend(tokenize::terms(part));
            }
        }
        // A word that both have says nothing: "constructor injection over field injection".
        let both: Vec<String> = forms
            .demanded
            .terms
            .intersection(&forms.forbidden.terms)
            .cloned()
            .collect();
        for term in both {
            forms.demanded.terms.remove(&term);
            forms.forbidden.terms.remove(&term);
        }
        forms
    }

    /// Returns whether code can break the rule by what it has.
    pub(crate) fn forbids(&self) -> bool {
        !self.forbidden.is_empty()
    }

    /// Returns whether it demands another form than those that it forbids.
    pub(crate) fn demands(&self) -> bool {
        !self.demanded.is_empty()
    }

    /// Returns whether code has a forbidden form and no demanded one.
    pub(crate) fn are_broken_by(&self, code: CodeOf<'_>) -> bool {
        let text = code.span.slice(&code.file.text);
        let forbidden = self.forbidden.occurrences(text);
        if forbidden.is_empty() && self.forbidden.terms.is_empty() {
            return false;
        }
        let demanded = self.demanded.occurrences(text);
        if forbidden.is_empty() {
            // Words are weak evidence beside other code that the rule names.
            let has_named = !demanded.is_empty() || !self.neutral.occurrences(text).is_empty();
            if has_named || !self.is_forbidden_by_words(&code.file.terms(code.span)) {
                return false;
            }
        }
        let kinds = Kinds::new(code);
        let demanded = kinds.code_only(demanded);
        let forbidden = kinds.code_only(forbidden);
        let has_demanded = demanded.iter().any(|found| !found.is_part_of(&forbidden));
        if has_demanded {
            return false;
        }
        if forbidden.iter().any(|found| !found.is_part_of(&demanded)) {
            // Words are weak evidence beside code.
            return self.demanded.terms.is_empty()
                || !self.demands_all_of(&code.file.terms(code.span));
        }
        if self.forbidden.terms.is_empty() {
            return false;
        }
        let terms = code.file.terms(code.span);
        let has_word = self.demanded.terms.iter().any(|term| terms.contains(term));
        !has_word && self.is_forbidden_by_words(&kinds.terms_without_comments())
    }

    /// Returns whether each demanded word is among these.
    fn demands_all_of(&self, terms: &FxHashSet<String>) -> bool {
        self.demanded.terms.iter().all(|term| terms.contains(term))
    }

    /// Returns whether the words of code are those that the rule forbids. Without another form to tell them apart, all
    /// of them are.
    fn is_forbidden_by_words(&self, terms: &FxHashSet<String>) -> bool {
        let forbidden = &self.forbidden.terms;
        if self.demands() {
            forbidden.iter().any(|term| terms.contains(term))
        } else {
            !forbidden.is_empty() && forbidden.iter().all(|term| terms.contains(term))
        }
    }
}

impl Forms {
    fn is_empty(&self) -> bool {
        self.codes.is_empty() && self.terms.is_empty()
    }

    fn occurrences<'f>(&'f self, text: &str) -> Vec<Found<'f>> {
        let mut found = Vec::new();
        for form in &self.codes {
            for span in form.occurrences(text) {
                found.push(Found { form, span });
            }
        }
        found
    }
}

/// A form in the text of a candidate.
#[derive(Debug)]
struct Found<'f> {
    form: &'f CodeForm,
    span: Span,
}

impl Found<'_> {
    /// Returns whether it is inside of another form, or is the same code.
    fn is_part_of(&self, others: &[Found<'_>]) -> bool {
        others
            .iter()
            .any(|other| other.span.start <= self.span.start && self.span.end <= other.span.end)
    }
}

impl CodeForm {
    /// Returns the form in a text, unless nothing is left of it beside placeholders.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let call = CALLS.iter().find_map(|end| text.strip_suffix(end));
        let mut pieces = Self::pieces(call.unwrap_or(text));
        if call.is_some() {
            pieces.push(Piece::Text("(".to_owned()));
        }
        while pieces.first() == Some(&Piece::Any) {
            pieces.remove(0);
        }
        while pieces.last() == Some(&Piece::Any) {
            pieces.pop();
        }
        if pieces.is_empty() {
            return None;
        }
        let is_comment = ["//", "#", "/*", "<!--", "@"]
            .iter()
            .any(|start| text.starts_with(start));
        let is_name = text.starts_with(is_name_part)
            && !text.contains(|c: char| c.is_whitespace() || "\"'`".contains(c));
        Some(Self {
            pieces,
            is_comment,
            is_name,
        })
    }

    /// Returns whether a text has it.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        !self.occurrences(text).is_empty()
    }

    pub(crate) fn n_pieces(&self) -> usize {
        self.pieces.len()
    }

    fn pieces(text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let mut len = c.len_utf8();
            if is_name_part(c) {
                len = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
            } else if rest.starts_with("...") {
                len = 3;
            }
            let piece = &rest[..len];
            rest = &rest[len..];
            let is_letter = len == 1 && c.is_ascii_uppercase();
            match piece {
                "..." | "…" => pieces.push(Piece::Any),
                _ if is_letter => pieces.push(Piece::Any),
                _ if c.is_whitespace() => {}
                _ => pieces.push(Piece::Text(piece.to_owned())),
            }
        }
        pieces
    }

    /// Returns where a text has it, with any white space between its pieces.
    fn occurrences(&self, text: &str) -> Vec<Span> {
        let Some(Piece::Text(first)) = self.pieces.first() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for start in memmem::find_iter(text.as_bytes(), first.as_bytes()) {
            if let Some(end) = self.end_at(text, start) {
                found.push(Span::new(start, end));
            }
        }
        found
    }

    /// Returns the end of the form that starts at an offset, if it is there.
    fn end_at(&self, text: &str, start: usize) -> Option<usize> {
        let mut at = start;
        let mut is_any = false;
        for piece in &self.pieces {
            match piece {
                Piece::Any => is_any = true,
                Piece::Text(wanted) => {
                    let place = if is_any {
                        after_any(text, at, wanted)?
                    } else {
                        skipped(text, at)
                    };
                    at = whole_at(text, place, wanted)?;
                    is_any = false;
                }
            }
        }
        Some(at)
    }
}

/// Returns the first place of a piece behind a placeholder, which matches at least one character.
fn after_any(text: &str, at: usize, wanted: &str) -> Option<usize> {
    let rest = &text.as_bytes()[at..text.len().min(at + MAX_ANY)];
    let mut places = memmem::find_iter(rest, wanted.as_bytes());
    places
        .find(|place| *place > 0 && whole_at(text, at + place, wanted).is_some())
        .map(|it| at + it)
}

/// Returns the offset of the next character that is not white space.
fn skipped(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.len() - rest.trim_start().len()
}

/// Returns the end of a piece at an offset, if it is there as a whole.
fn whole_at(text: &str, at: usize, wanted: &str) -> Option<usize> {
    let rest = text.get(at..)?.strip_prefix(wanted)?;
    let end = at + wanted.len();
    let is_split = |before: Option<char>, after: Option<char>| {
        before.is_some_and(is_name_part) && after.is_some_and(is_name_part)
    };
    let cuts_start = is_split(text[..at].chars().next_back(), wanted.chars().next());
    let cuts_end = is_split(wanted.chars().next_back(), rest.chars().next());
    (!cuts_start && !cuts_end).then_some(end)
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the stems of the words of a text.
fn terms(text: &str) -> FxHashSet<String> {
    tokenize::terms(text).into_iter().collect()
}

/// The kinds of the tokens of a candidate.
struct Kinds<'t> {
    code: CodeOf<'t>,
    /// Its comments and strings, in order.
    inert: Vec<(Span, TokenKind)>,
}

impl<'t> Kinds<'t> {
    fn new(code: CodeOf<'t>) -> Self {
        let all = code.file.inert();
        let end = all.partition_point(|(span, _)| span.start < code.span.end);
        let mut inert = Vec::new();
        for (span, kind) in &all[..end] {
            if code.span.start < span.end {
                inert.push((*span, *kind));
            }
        }
        Self { code, inert }
    }

    /// Returns the kind of the comment or string at an offset of the candidate.
    fn at(&self, offset: usize) -> Option<TokenKind> {
        let at = self.code.span.start + offset;
        let n_before = self.inert.partition_point(|(span, _)| span.start <= at);
        let (span, kind) = self.inert[..n_before].last()?;
        (at < span.end).then_some(*kind)
    }

    /// Omits the forms in comments, and the names in strings.
    fn code_only<'f>(&self, found: Vec<Found<'f>>) -> Vec<Found<'f>> {
        let mut kept = Vec::new();
        for found in found {
            let is_code = match self.at(found.span.start) {
                Some(TokenKind::StringContent) => !found.form.is_name,
                Some(_) => found.form.is_comment,
                None => true,
            };
            if is_code {
                kept.push(found);
            }
        }
        kept
    }

    /// Returns the words of the candidate outside of comments.
    fn terms_without_comments(&self) -> FxHashSet<String> {
        let mut terms = FxHashSet::default();
        let mut start = self.code.span.start;
        let end = Span::new(self.code.span.end, self.code.span.end);
        let comments = self
            .inert
            .iter()
            .filter(|(_, kind)| *kind != TokenKind::StringContent);
        for span in comments.map(|(span, _)| *span).chain([end]) {
            let before = Span::new(start, span.start.clamp(start, self.code.span.end));
            terms.extend(tokenize::terms(before.slice(&self.code.file.text)));
            start = span.end.clamp(before.end, self.code.span.end);
        }
        terms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::roles::roles;

    #[track_caller]
    fn check(rule: &str, code: &str, expected: bool) {
        let span = Span::new(0, code.len());
        let file = CodeFile::new(Language::Python, code.to_owned());
        let code_of = CodeOf { file: &file, span };
        let forms = RuleForms::new(rule, &roles(rule));
        assert_eq!(forms.are_broken_by(code_of), expected, "{rule}: {code}");
    }

    #[test]
    fn code_with_only_the_forbidden_form_breaks_a_rule() {
        let union = "Prefer `X | None` over `Optional[X]`";
        check(union, "def f(a: Optional[str]): pass", true);
        check(union, "def f(a: Optional[str], b: int | None): pass", false);
        check(union, "def f(a: OptionalFlags[str]): pass", false);
        check(union, "def f(a: str): pass", false);
        let log = "Use `log.info()` instead of `print()`";
        check(log, "print(1)", true);
        check(log, "log.info(1)", false);
        check(log, "def f():\n    # print(1)\n    x('print(')\n", false);
        check(log, "def f():\n    # not log.info(1)\n    print(1)\n", true);
        check("Never call `print()`", "print(\n  1)", true);
        check("Never call `print()`", "pprint(1)", false);
        check("Use `a.b.c()` instead of `b.c()`", "a.b.c(1)", false);
        check("Use `a.b.c()` instead of `b.c()`", "b.c(1)", true);
        check("Use `b.c()` instead of `a.b.c()`", "a.b.c(1)", true);
        check(
            "Use `log` rather than `# type: ignore`",
            "x = 1  # type: ignore",
            true,
        );
    }

    #[test]
    fn words_break_a_rule_if_the_demanded_ones_are_absent() {
        let rule = "Prefer constructor injection over field injection";
        check(rule, "field_injection = 1", true);
        check(rule, "constructor_injection = field", false);
        check(rule, "injection = 1", false);
        check(
            "Use structured logging instead of `print()`",
            "def logging(): print(1)",
            true,
        );
        check("Avoid global state", "state = 1", false);
        check("Avoid global state", "global state", true);
        check("Close the session", "field = 1", false);
    }
}
