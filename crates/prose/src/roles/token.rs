//! The tokens of a rule: code, words and marks.

use std::ops::Range;

use crate::named_code::{self, Span, SpanKind};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Code(Range<usize>),
    /// A path, a command or a block of code, which has no role.
    Other,
    Word {
        range: Range<usize>,
        /// In lower case.
        word: String,
    },
    /// A character that separates; `.` ends a sentence, and `-` is any dash.
    Mark(char),
}

/// Returns the ranges of the code.
pub(super) fn codes(tokens: &[Token]) -> Vec<Range<usize>> {
    let mut codes = Vec::new();
    for token in tokens {
        if let Token::Code(range) = token {
            codes.push(range.clone());
        }
    }
    codes
}

/// Splits a text.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let spans = named_code::spans(text);
    let mut tokens = Vec::new();
    let mut start = 0;
    for quote in named_code::quotes(text) {
        prose(text, start..quote.outer.start, &spans, &mut tokens);
        tokens.push(quoted(text, quote.inner, &spans));
        start = quote.outer.end;
    }
    prose(text, start..text.len(), &spans, &mut tokens);
    tokens
}

/// Returns the token of a text in back-ticks.
fn quoted(text: &str, inner: Range<usize>, spans: &[Span]) -> Token {
    for span in spans {
        let is_here = inner.start <= span.range.start && span.range.end <= inner.end;
        let is_other = match span.kind {
            // `console.log` looks like a file.
            SpanKind::Path => {
                text[inner.clone()].contains('/') || text[inner.clone()].starts_with('.')
            }
            SpanKind::Command | SpanKind::Block => true,
            SpanKind::Name | SpanKind::Pattern => false,
        };
        if is_here && is_other {
            return Token::Other;
        }
    }
    let trimmed = text[inner.clone()].trim();
    if trimmed.is_empty() {
        return Token::Other;
    }
    let start = inner.start + (text[inner.clone()].len() - text[inner].trim_start().len());
    Token::Code(start..start + trimmed.len())
}

/// Appends the tokens of a part without back-ticks.
fn prose(text: &str, range: Range<usize>, spans: &[Span], tokens: &mut Vec<Token>) {
    let mut at = range.start;
    for piece in text[range].split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        raw_word(text, at..at + word.len(), spans, tokens);
        at += piece.len();
        let is_item = ["- ", "* ", "+ ", "\n"]
            .iter()
            .any(|start| text[at..].starts_with(start));
        if piece.ends_with('\n') && is_item {
            tokens.push(Token::Mark('.'));
        }
    }
}

/// Appends the tokens of a word with the marks around it.
fn raw_word(text: &str, raw: Range<usize>, spans: &[Span], tokens: &mut Vec<Token>) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '$' | '/');
    let trimmed = text[raw.clone()].trim_matches(|c: char| !is_part(c));
    if trimmed.is_empty() {
        return marks(&text[raw], tokens);
    }
    let lead = text[raw.clone()].len()
        - text[raw.clone()]
            .trim_start_matches(|c: char| !is_part(c))
            .len();
    let (start, mut end) = (raw.start + lead, raw.start + lead + trimmed.len());
    marks(&text[raw.start..start], tokens);
    if let Some(span) = spans
        .iter()
        .find(|span| start <= span.range.start && span.range.end <= end)
    {
        // The arguments of a call.
        if text[end..raw.end].starts_with("()") {
            end += 2;
        }
        tokens.push(match span.kind {
            SpanKind::Name | SpanKind::Pattern => Token::Code(start..end),
            SpanKind::Path | SpanKind::Command | SpanKind::Block => Token::Other,
        });
    } else if is_camel(trimmed) || is_qualified(trimmed) {
        tokens.push(Token::Code(start..end));
    } else {
        words(text, start..end, tokens);
    }
    marks(&text[end..raw.end], tokens);
}

/// Appends the marks of a text. Emphasis is none, and neither is the variant of an emoji.
fn marks(text: &str, tokens: &mut Vec<Token>) {
    for c in text.chars() {
        if !matches!(c, '*' | '\u{fe0f}') {
            tokens.push(Token::Mark(as_mark(c)));
        }
    }
}

/// Appends the words of a part without spaces; a dash between letters is part of its word.
fn words(text: &str, range: Range<usize>, tokens: &mut Vec<Token>) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '’' | '-' | '@');
    let mut start = range.start;
    for (offset, c) in text[range.clone()].char_indices() {
        let at = range.start + offset;
        if !is_part(c) {
            push_word(text, start..at, tokens);
            marks(&text[at..at + c.len_utf8()], tokens);
            start = at + c.len_utf8();
        }
    }
    push_word(text, start..range.end, tokens);
}

fn push_word(text: &str, range: Range<usize>, tokens: &mut Vec<Token>) {
    if !range.is_empty() {
        let word = text[range.clone()].to_lowercase().replace('’', "'");
        tokens.push(Token::Word { range, word });
    }
}

fn as_mark(c: char) -> char {
    match c {
        '—' | '–' => '-',
        '!' | '?' | '。' | '！' | '？' => '.',
        '，' | '、' => ',',
        '；' => ';',
        '：' => ':',
        c => c,
    }
}

/// Returns whether a word has parts of several letters with dots between them, as `React.memo`, and not "e.g".
fn is_qualified(word: &str) -> bool {
    let is_part =
        |part: &str| part.len() > 1 && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    word.contains('.')
        && word.starts_with(|c: char| c.is_alphabetic())
        && word.split('.').all(is_part)
}

/// Returns whether a word has a capital letter after a small one, as `ValueError`.
fn is_camel(word: &str) -> bool {
    let is_boundary = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && word.as_bytes().windows(2).any(is_boundary)
}
