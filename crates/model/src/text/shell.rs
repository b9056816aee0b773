//! Words and operators of a shell command line in a document. Nothing is run, and nothing is expanded.

use super::Span;
use crate::word_lists;

word_lists! { "words/shell.txt": KEYWORDS WRAPPERS }

/// Maximum depth of substitutions in substitutions. Deeper ones are not read.
const MAX_DEPTH: usize = 16;

/// A word or an operator of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub span: Span,
    /// The word without its quotes and escapes, in which `$` is a command substitution, or the operator.
    pub text: String,
    pub is_operator: bool,
}

/// Returns the words and operators of a command, without comments and here-documents. An operator is one
/// character, `<<` or `<<<`.
pub fn tokens(command: &str) -> Vec<Token> {
    Lexer {
        command,
        at: 0,
        depth: 0,
    }
    .tokens(None)
}

struct Lexer<'c> {
    command: &'c str,
    at: usize,
    depth: usize,
}

/// Returns the operator at the start of a text.
fn operator(text: &str) -> Option<&str> {
    const OPERATORS: [&str; 8] = [";", "&", "|", "\n", "(", ")", "<<<", "<<"];
    // A redirection of both streams is a part of a word.
    let is_redirection = text.starts_with("&>");
    OPERATORS
        .into_iter()
        .find(|operator| text.starts_with(operator) && !is_redirection)
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.command[self.at..]
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn next_if(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    /// Reads to the end of the text, or over the character that ends a substitution.
    fn tokens(&mut self, end: Option<char>) -> Vec<Token> {
        let mut tokens: Vec<Token> = Vec::new();
        let mut n_open = 0_usize;
        while let Some(first) = self.rest().chars().next() {
            let start = self.at;
            // A parenthesis may close another one.
            if end == Some(first) && (n_open == 0 || first != ')') {
                self.at += first.len_utf8();
                break;
            }
            let operator = operator(self.rest()).map(str::to_owned);
            if first.is_whitespace() && operator.is_none() {
                self.at += first.len_utf8();
                continue;
            }
            if first == '#' {
                // A comment ends before the line break.
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                continue;
            }
            let is_operator = operator.is_some();
            let text = match operator {
                Some(operator) => {
                    self.at += operator.len();
                    n_open += usize::from(operator == "(");
                    n_open -= usize::from(operator == ")" && n_open > 0);
                    Some(operator)
                }
                None => self.word(end),
            };
            let Some(text) = text else { continue };
            let is_line_end = text == "\n" && is_operator;
            let span = Span::new(start, self.at);
            tokens.push(Token {
                span,
                text,
                is_operator,
            });
            if is_line_end {
                self.skip_documents(&tokens);
            }
        }
        tokens
    }

    /// Skips the here-documents that the line before a line break starts.
    fn skip_documents(&mut self, tokens: &[Token]) {
        let last = tokens.len() - 1;
        let before = tokens[..last]
            .iter()
            .rposition(|token| token.is_operator && token.text == "\n");
        let first = before.map_or(0, |at| at + 1);
        for idx in first..last {
            if !(tokens[idx].is_operator && tokens[idx].text == "<<") {
                continue;
            }
            let delimiter = tokens[idx + 1].text.trim_start_matches('-');
            while self.at < self.command.len() {
                let line = self.rest().split_inclusive('\n').next().unwrap_or_default();
                let rest = line.trim_start_matches('\t').strip_prefix(delimiter);
                if let Some(rest) = rest
                    && matches!(rest.trim(), "" | ")" | ")\"")
                {
                    self.at += line.len() - rest.len();
                    break;
                }
                self.at += line.len();
            }
        }
    }

    /// Reads a word. Returns `None` for the mark of a continued line.
    fn word(&mut self, end: Option<char>) -> Option<String> {
        let mut word: Option<String> = None;
        while let Some(c) = self.rest().chars().next() {
            let is_redirection = word.is_some() && self.rest().starts_with("&>");
            if c.is_whitespace()
                || operator(self.rest()).is_some()
                || is_redirection
                || end == Some(c)
            {
                break;
            }
            self.at += c.len_utf8();
            if c == '\\' {
                match self.next() {
                    Some('\n') | None => {}
                    Some(escaped) => word.get_or_insert_default().push(escaped),
                }
                continue;
            }
            let word = word.get_or_insert_default();
            match c {
                '\'' => self.literal(word),
                '"' => self.quoted(word),
                '$' if self.next_if("'") => self.literal(word),
                '$' if self.next_if("(") => self.substitution(')', word),
                '`' => self.substitution('`', word),
                '&' | '<' | '>' => {
                    word.push(c);
                    // `2>&1` has no operator.
                    let is_stream = c != '&' && self.next_if("&");
                    word.extend(is_stream.then_some('&'));
                }
                c => word.push(c),
            }
        }
        word
    }

    /// Reads to the end of single quotes.
    fn literal(&mut self, word: &mut String) {
        word.extend(std::iter::from_fn(|| self.next()).take_while(|c| *c != '\''));
    }

    /// Reads to the end of double quotes.
    fn quoted(&mut self, word: &mut String) {
        while let Some(c) = self.next() {
            match c {
                '"' => return,
                '\\' => word.extend(self.next()),
                '$' if self.next_if("(") => self.substitution(')', word),
                '`' => self.substitution('`', word),
                c => word.push(c),
            }
        }
    }

    /// Reads a command substitution, whose value is not known.
    fn substitution(&mut self, end: char, word: &mut String) {
        word.push('$');
        if self.depth == MAX_DEPTH {
            self.at = self.command.len();
            return;
        }
        self.depth += 1;
        self.tokens(Some(end));
        self.depth -= 1;
    }
}

/// Returns the name of a program without its folder.
pub fn program_name(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Returns the number of words before the program that a command runs in the end.
pub fn n_before_program(words: &[&str]) -> usize {
    let mut n_words = n_prefix(words);
    while let Some(n_wrapper) = n_wrapper(&words[n_words..]) {
        n_words += n_wrapper;
        n_words += n_prefix(&words[n_words..]);
    }
    n_words
}

/// Returns the number of keywords and assignments before a command.
fn n_prefix(words: &[&str]) -> usize {
    let is_prefix = |word: &&&str| KEYWORDS.entries().contains(word) || is_assignment(word);
    words.iter().take_while(is_prefix).count()
}

/// Returns whether a word gives a variable a value.
pub fn is_assignment(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(is_part))
}

/// Returns the number of words before the command that a program runs, if it is one that does.
fn n_wrapper(words: &[&str]) -> Option<usize> {
    let name = program_name(words.first()?);
    let mut wrappers = WRAPPERS.entries().iter().map(|entry| entry.split(' '));
    let entry = wrappers.find_map(|mut entry| (entry.next() == Some(name)).then_some(entry))?;
    let with_value: Vec<&str> = entry.collect();
    // `command -v NAME` only looks for a program.
    if name == "command" && matches!(words.get(1), Some(&("-v" | "-V"))) {
        return None;
    }
    let mut at = 1;
    while let Some(option) = words.get(at).filter(|word| word.starts_with('-')) {
        at += 1 + usize::from(with_value.contains(option));
    }
    at += with_value
        .last()
        .and_then(|last| last.parse::<usize>().ok())
        .unwrap_or(0);
    (at < words.len()).then_some(at)
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
        check(
            "git  commit -m 'a && b'",
            &["git", "commit", "-m", "a && b"],
        );
        check(
            r#"a "b \"c\" $(d "e f") '" g\ h"#,
            &["a", "b \"c\" $ '", "g h"],
        );
        check("a$(b (c) \")\" d)e `f` ''", &["a$e", "$", ""]);
        check("a `(b` c", &["a", "$", "c"]);
    }

    #[test]
    fn operators_end_words() {
        check(
            "(a;b)|c&&d\ne",
            &["(", "a", ";", "b", ")", "|", "c", "&", "&", "d", "\n", "e"],
        );
        check("cat<<EOF >x", &["cat", "<<", "EOF", ">x"]);
        check("a 2>&1 &>b&c", &["a", "2>&1", "&>b", "&", "c"]);
        check("a <<E\nit's\nE\nb", &["a", "<<", "E", "\n", "\n", "b"]);
        check("a \\\n  b\\\nc # d; e\nf#g", &["a", "bc", "\n", "f#g"]);
    }

    #[test]
    fn spans_are_those_of_the_text() {
        let command = "a \"b c\"&& é";
        let found = tokens(command)
            .into_iter()
            .map(|it| it.span.slice(command).to_owned());
        assert_eq!(found.collect::<Vec<_>>(), ["a", "\"b c\"", "&", "&", "é"]);
    }

    #[test]
    fn any_text_is_read() {
        let deep = "$(".repeat(10_000);
        let sudo = "sudo ".repeat(10_000);
        for text in [
            "", "'", "\"$(", "a \\", "$(((", "\"\\", "\\\n", "<", "<<", "<<\n", "`", &deep, &sudo,
        ] {
            let _ = tokens(text);
        }
    }
}
