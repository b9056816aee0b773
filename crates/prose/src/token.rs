//! The pieces of a sentence: words, names, and the marks between them.

use cerberus_model::Span;

use crate::wording::CODE;

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// In lower case.
    Word(String),
    /// Code, a link, or the claim.
    Name,
    /// A character that separates; `.` ends a sentence, and `-` is any dash.
    Mark(char),
}

/// Returns the tokens of a part of a text, and the position of the claim.
pub(crate) fn tokens(
    text: &str,
    part: Span,
    names: &[Span],
    claim: Span,
) -> (Vec<Token>, Option<usize>) {
    let (mut found, mut position) = (Vec::new(), None);
    let mut at = part.start;
    for name in names {
        if name.start < at {
            // A part of a link.
            continue;
        }
        words(&text[at..name.start], &mut found);
        if name.start <= claim.start && claim.end <= name.end {
            position = Some(found.len());
        }
        found.push(Token::Name);
        at = name.end.min(part.end);
        if text[at..part.end].starts_with("'s") || text[at..part.end].starts_with("’s") {
            found.push(Token::Mark('\''));
        }
    }
    words(&text[at.min(part.end)..part.end], &mut found);
    (found, position)
}

/// Returns the tokens of a text without markup, in which each name is a [`CODE`].
pub(crate) fn of_plain(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    words(text, &mut found);
    found
}

/// Returns the sentences between full stops, colons and dashes.
pub(crate) fn sentences(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    tokens.split(|token| matches!(token, Token::Mark('.' | ':' | '-')))
}

/// Returns the parts of a sentence between commas, and in parentheses.
pub(crate) fn clauses(sentence: &[Token]) -> impl Iterator<Item = &[Token]> {
    sentence.split(|token| matches!(token, Token::Mark(',' | '(')))
}

/// Adds the words and marks of a text without names.
fn words(text: &str, found: &mut Vec<Token>) {
    let is_in_word =
        |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '_' | '.' | '/' | '@');
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = if first.is_alphanumeric() || first == '_' {
            let len = rest.find(|c| !is_in_word(c)).unwrap_or(rest.len());
            let word = rest[..len].trim_end_matches(['.', '-', '\'', '’', '/']);
            let mut lower = word.to_lowercase();
            if lower.contains('’') {
                lower = lower.replace('’', "'");
            }
            found.push(Token::Word(lower));
            let is_end = rest[word.len()..len].starts_with('.') && !is_abbreviation(word);
            if is_end && (len == word.len() + 1) && is_before_space(&rest[len..]) {
                found.push(Token::Mark('.'));
            }
            len
        } else {
            mark(first, rest, found)
        };
        rest = &rest[len..];
    }
}

/// Returns whether the full stops of a word are those of an abbreviation, as in "e.g", unlike `3.9` and `README.md`.
pub(crate) fn is_abbreviation(word: &str) -> bool {
    let is_letter = |part: &str| part.len() == 1 && part.starts_with(char::is_alphabetic);
    word.contains('.') && word.split('.').all(is_letter)
}

/// Returns whether a text goes on with a space, after the end of an emphasis or a quotation.
fn is_before_space(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '_', '"', '”', ')']);
    text.is_empty() || text.starts_with(char::is_whitespace)
}

/// Adds the mark at the start of a text. Returns its length.
fn mark(first: char, rest: &str, found: &mut Vec<Token>) -> usize {
    let after = &rest[first.len_utf8()..];
    let mark = match first {
        '.' | '!' | '?' if is_before_space(after) => '.',
        ';' => '.',
        '\n' if after
            .trim_start_matches([' ', '\t', '>', '\r'])
            .starts_with('\n')
            || is_item(rest) =>
        {
            '.'
        }
        // Not in a time or a qualified name: `12:30`, `a::b`.
        ':' if after.starts_with(|c: char| c.is_alphanumeric() || c == ':') => return 1,
        ',' | ':' | '(' | ')' | '|' => first,
        '—' | '–' | '→' => '-',
        '-' if after
            .chars()
            .next()
            .is_none_or(|c| c.is_whitespace() || "->".contains(c)) =>
        {
            '-'
        }
        '=' if after.starts_with('>') => '-',
        '~' if after.starts_with('~') => {
            found.push(Token::Mark('~'));
            return 2;
        }
        '❌' | '🚫' | '✅' => {
            found.push(Token::Word(first.to_string()));
            return first.len_utf8();
        }
        CODE => {
            found.push(Token::Name);
            return first.len_utf8();
        }
        _ => return first.len_utf8(),
    };
    found.push(Token::Mark(mark));
    first.len_utf8()
}

/// Returns whether a text starts with the marker of an item of a list on a new line.
fn is_item(text: &str) -> bool {
    let Some(line) = text.strip_prefix('\n') else {
        return false;
    };
    let line = line.trim_start_matches([' ', '\t', '>']);
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ "]
        .iter()
        .any(|marker| line.starts_with(marker))
        || (number.len() < line.len() && [". ", ") "].iter().any(|it| number.starts_with(it)))
}

pub(crate) fn starts_with(tokens: &[Token], words: &[&str]) -> bool {
    let is_same = |(token, word): (&Token, &&str)| matches!(token, Token::Word(it) if it == word);
    tokens.len() >= words.len() && tokens.iter().zip(words).all(is_same)
}
