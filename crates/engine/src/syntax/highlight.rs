//! Splits code into pieces by syntax class, for colours.
//!
//! The pieces are derived from the same tokens as fingerprints: comments, strings, keywords,
//! numbers and the names of definitions. Joined, they are the input.

use cerberus_model::{Language, Span, SymbolKind};

use super::language;
use super::parse::{ParsedFile, TokenKind};

/// The syntax class of a piece of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HighlightClass {
    Comment,
    String,
    Keyword,
    Number,
    /// The name of a definition.
    Name,
}

/// The text around a class member, which some languages cannot parse alone.
const MEMBER_CONTEXT: (&str, &str) = ("class C {\n", "\n}");

/// Splits `code`, a definition of the given kind, into pieces with their classes.
pub fn highlight(
    language: Option<Language>,
    kind: SymbolKind,
    code: &str,
) -> Vec<(Option<HighlightClass>, &str)> {
    let Some(tables) = language.and_then(language::tables) else {
        return vec![(None, code)];
    };
    let (before, after) = if tables.spec.member_kinds.contains(&kind) {
        MEMBER_CONTEXT
    } else {
        ("", "")
    };
    let prefix = if code.starts_with(tables.spec.prefix.trim_end()) {
        ""
    } else {
        tables.spec.prefix
    };
    let before = [prefix, before].concat();
    let parsed = ParsedFile::parse(tables.language, &[&before, code, after].concat());
    let in_code = |span: Span| {
        let start = span.start.checked_sub(before.len())?;
        let end = span.end - before.len();
        (end <= code.len()).then(|| Span::new(start, end))
    };
    let names: Vec<Span> = parsed
        .symbols
        .iter()
        .filter_map(|symbol| in_code(symbol.name_span))
        .collect();
    let mut pieces: Vec<(Option<HighlightClass>, Span)> = Vec::new();
    let mut push = |class, span: Span| match pieces.last_mut() {
        Some((last, whole)) if *last == class => whole.end = span.end,
        _ if span.start == span.end => {}
        _ => pieces.push((class, span)),
    };
    let mut end = 0;
    let mut quote = "";
    for token in &parsed.tokens {
        let Some(mut span) = in_code(token.span).filter(|span| span.start >= end) else {
            continue;
        };
        push(None, Span::new(end, span.start));
        if token.kind == TokenKind::Quote {
            quote = span
                .slice(code)
                .trim_start_matches(|c| !matches!(c, '"' | '\'' | '`' | '/'));
        }
        // The closing quote of a string is not a token.
        if matches!(token.kind, TokenKind::StringContent | TokenKind::Quote)
            && code[span.end..].starts_with(quote)
        {
            span.end += quote.len();
        }
        push(
            class(token.kind, span.slice(code), names.contains(&span)),
            span,
        );
        end = span.end;
    }
    push(None, Span::new(end, code.len()));
    pieces
        .into_iter()
        .map(|(class, span)| (class, span.slice(code)))
        .collect()
}

fn class(kind: TokenKind, text: &str, is_name: bool) -> Option<HighlightClass> {
    match kind {
        TokenKind::Comment | TokenKind::Docstring => Some(HighlightClass::Comment),
        TokenKind::StringContent | TokenKind::Quote => Some(HighlightClass::String),
        TokenKind::Keyword => text
            .starts_with(char::is_alphabetic)
            .then_some(HighlightClass::Keyword),
        TokenKind::Identifier if is_name => Some(HighlightClass::Name),
        TokenKind::Identifier if text.starts_with(|c: char| c.is_ascii_digit()) => {
            Some(HighlightClass::Number)
        }
        TokenKind::Identifier | TokenKind::Punctuation | TokenKind::Layout => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats each piece with a class as the first letter of the class and the text in brackets.
    #[track_caller]
    fn check(language: Language, kind: SymbolKind, code: &str, expected: &str) {
        let pieces = highlight(Some(language), kind, code);
        let shown = pieces.iter().map(|(class, text)| match class {
            Some(class) => format!("{}[{text}]", &format!("{class:?}")[..1]),
            None => (*text).to_owned(),
        });
        assert_eq!(shown.collect::<String>(), expected);
    }

    #[test]
    fn comments_strings_keywords_numbers_and_names_have_classes() {
        check(
            Language::Python,
            SymbolKind::Function,
            "def f(a=1):\n    \"\"\"Doc.\"\"\"\n    return a + \"x\" + ''  # why",
            "K[def] N[f](a=N[1]):\n    C[\"\"\"Doc.\"\"\"]\n    K[return] a + S[\"x\"] + S['']  C[# why]",
        );
        check(
            Language::Go,
            SymbolKind::Method,
            "func (s *S) Run() error {\n\treturn s.do(0x1F, \"a\")\n}",
            "K[func] (s *S) N[Run]() error {\n\tK[return] s.do(N[0x1F], S[\"a\"])\n}",
        );
        check(
            Language::Rust,
            SymbolKind::Method,
            "fn run(&self) -> u8 {\n    7 // seven\n}",
            "K[fn] N[run](&self) -> u8 {\n    N[7] C[// seven]\n}",
        );
    }

    #[test]
    fn a_method_without_its_class_is_highlighted() {
        check(
            Language::Java,
            SymbolKind::Method,
            "private int run() { return 1; }",
            "K[private] K[int] N[run]() { K[return] N[1]; }",
        );
        check(
            Language::TypeScript,
            SymbolKind::Method,
            "async run(a: string) { return `x${a}`; }",
            "K[async] N[run](a: K[string]) { K[return] S[`x]${a}S[`]; }",
        );
    }

    proptest::proptest! {
        #[test]
        fn the_joined_pieces_are_the_code(code in "[a-z(){}\\[\\]\"'`#/* \n:;=0-9é]{0,80}", is_method: bool) {
            let kind = if is_method { SymbolKind::Method } else { SymbolKind::Function };
            for &language in Language::ALL {
                let pieces = highlight(Some(language), kind, &code);
                let joined: String = pieces.iter().map(|(_, text)| *text).collect();
                proptest::prop_assert_eq!(&joined, &code);
            }
        }
    }
}
