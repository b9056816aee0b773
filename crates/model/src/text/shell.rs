//! Words and operators of a shell command. The command is not run, and nothing is expanded.

use std::iter::Peekable;
use std::str::CharIndices;

use super::Span;

/// A word or an operator of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub span: Span,
    /// The word without its quotes and escapes, in which `$` is a command substitution, or the operator.
    pub text: String,
    pub is_operator: bool,
}

/// Returns the words and operators of a command, without comments. An operator is one character, or
/// `<<`; the text of a here-document is read like a command.
pub fn tokens(command: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = command.char_indices().peekable();
    while let Some(&(start, first)) = chars.peek() {
        let mut push = |chars: &mut Chars<'_>, text: String, is_operator: bool| {
            let end = chars.peek().map_or(command.len(), |(at, _)| *at);
            tokens.push(Token { span: Span::new(start, end), text, is_operator });
        };
        if let Some(operator) = operator(&command[start..]) {
            chars.nth(operator.len() - 1);
            push(&mut chars, operator.to_owned(), true);
        } else if first.is_whitespace() {
            chars.next();
        } else if first == '#' {
            // A comment ends before the line break.
            while chars.next_if(|(_, c)| *c != '\n').is_some() {}
        } else if let Some(word) = word(command, &mut chars) {
            push(&mut chars, word, false);
        }
    }
    tokens
}

type Chars<'c> = Peekable<CharIndices<'c>>;

/// Returns the operator at the start of a text.
fn operator(text: &str) -> Option<&str> {
    const OPERATORS: [&str; 7] = [";", "&", "|", "\n", "(", ")", "<<"];
    OPERATORS.into_iter().find(|operator| text.starts_with(operator))
}

/// Reads a word. Returns `None` for the mark of a continued line.
fn word(command: &str, chars: &mut Chars<'_>) -> Option<String> {
    let mut word: Option<String> = None;
    while let Some((_, c)) =
        chars.next_if(|(at, c)| !c.is_whitespace() && operator(&command[*at..]).is_none())
    {
        if c == '\\' {
            match chars.next() {
                Some((_, '\n')) | None => {}
                Some((_, escaped)) => word.get_or_insert_default().push(escaped),
            }
            continue;
        }
        let word = word.get_or_insert_default();
        match c {
            '\'' => word.extend(chars.by_ref().map(|(_, c)| c).take_while(|c| *c != '\'')),
            '"' => quoted(chars, word),
            '$' if chars.next_if(|(_, c)| *c == '(').is_some() => substitution(chars, word),
            c => word.push(c),
        }
    }
    word
}

/// Reads to the end of double quotes.
fn quoted(chars: &mut Chars<'_>, word: &mut String) {
    while let Some((_, c)) = chars.next() {
        match c {
            '"' => return,
            '\\' => word.extend(chars.next().map(|(_, c)| c)),
            '$' if chars.next_if(|(_, c)| *c == '(').is_some() => substitution(chars, word),
            c => word.push(c),
        }
    }
}

/// Skips a command substitution, whose value is not known.
fn substitution(chars: &mut Chars<'_>, word: &mut String) {
    word.push('$');
    let mut depth = 1;
    for (_, c) in chars {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &[&str]) {
        let found = tokens(command);
        let found: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(found, expected, "{command}");
    }

    #[test]
    fn words_lose_their_quotes() {
        check("git  commit -m 'a && b'", &["git", "commit", "-m", "a && b"]);
        check(r#"a "b \"c\" $(d "e f") '" g\ h"#, &["a", "b \"c\" $ '", "g h"]);
        check("a$(b (c) d)e ''", &["a$e", ""]);
    }

    #[test]
    fn operators_end_words() {
        check("(a;b)|c&&d\ne", &["(", "a", ";", "b", ")", "|", "c", "&", "&", "d", "\n", "e"]);
        check("cat<<EOF >x", &["cat", "<<", "EOF", ">x"]);
        check("a \\\n  b\\\nc # d; e\nf#g", &["a", "bc", "\n", "f#g"]);
    }

    #[test]
    fn spans_are_those_of_the_text() {
        let command = "a \"b c\"&& é";
        let found = tokens(command).into_iter().map(|it| it.span.slice(command).to_owned());
        assert_eq!(found.collect::<Vec<_>>(), ["a", "\"b c\"", "&", "&", "é"]);
    }

    #[test]
    fn any_text_is_read() {
        for text in ["", "'", "\"$(", "a \\", "$(((", "\"\\", "\\\n", "<", "<<"] {
            let _ = tokens(text);
        }
    }
}
