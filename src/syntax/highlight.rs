//! Code cut into the pieces that an editor would colour.
//!
//! The leaves of the tree that anchors are found by tell enough: comments, strings,
//! keywords, numbers and the names of what is defined. Loses nothing: the pieces joined
//! are the code.

use crate::model::{Language, SymbolKind};
use crate::text::Span;

use super::source::{Leaf, Role, Source};

/// What a piece of code is to its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Comment,
    Text,
    Keyword,
    Number,
    /// The name of what is defined.
    Name,
}

/// What stands around a member of a class, which is no code of its own in some languages.
const AROUND_MEMBER: (&str, &str) = ("class C {\n", "\n}");

/// Returns the pieces of `code`, which defines something of this kind, in their order.
pub(crate) fn highlight(
    language: Option<Language>,
    kind: SymbolKind,
    code: &str,
) -> Vec<(Option<Class>, &str)> {
    let Some(language) = language else { return vec![(None, code)] };
    let (before, after) = if is_member(language, kind) { AROUND_MEMBER } else { ("", "") };
    let source = Source::parse(language, &[before, code, after].concat());
    let inside = |span: Span| {
        let start = span.start.checked_sub(before.len())?;
        let end = span.end - before.len();
        (end <= code.len()).then(|| Span::new(start, end))
    };
    let names: Vec<Span> = source.symbols.iter().filter_map(|it| inside(it.name_span)).collect();
    let mut pieces: Vec<(Option<Class>, Span)> = Vec::new();
    let mut push = |class: Option<Class>, span: Span| match pieces.last_mut() {
        Some((last, whole)) if *last == class => whole.end = span.end,
        _ if span.start == span.end => {}
        _ => pieces.push((class, span)),
    };
    let mut at = 0;
    let mut quote = "";
    for leaf in &source.leaves {
        let Some(mut span) = inside(leaf.span).filter(|span| span.start >= at) else { continue };
        push(None, Span::new(at, span.start));
        if leaf.role == Role::Quote {
            quote = span.slice(code).trim_start_matches(|c: char| !is_quote(c));
        }
        // The quote that ends a string is no leaf.
        if matches!(leaf.role, Role::Text | Role::Quote) && code[span.end..].starts_with(quote) {
            span.end += quote.len();
        }
        push(class(leaf, span.slice(code), names.contains(&span)), span);
        at = span.end;
    }
    push(None, Span::new(at, code.len()));
    pieces.into_iter().map(|(class, span)| (class, span.slice(code))).collect()
}

fn is_member(language: Language, kind: SymbolKind) -> bool {
    match language {
        Language::Java => {
            matches!(kind, SymbolKind::Method | SymbolKind::Constant | SymbolKind::Variable)
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => kind == SymbolKind::Method,
        Language::Python | Language::Go | Language::Rust => false,
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '/')
}

fn class(leaf: &Leaf, text: &str, is_name: bool) -> Option<Class> {
    match leaf.role {
        Role::Comment | Role::Doc => Some(Class::Comment),
        Role::Text | Role::Quote => Some(Class::Text),
        Role::Keyword => text.starts_with(char::is_alphabetic).then_some(Class::Keyword),
        Role::Word if is_name => Some(Class::Name),
        Role::Word if text.starts_with(|c: char| c.is_ascii_digit()) => Some(Class::Number),
        Role::Word | Role::Mark | Role::Layout => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each piece that has a class stands in brackets behind its first letter.
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
    fn each_language_has_its_colours() {
        check(
            Language::Python,
            SymbolKind::Function,
            "def f(a=1):\n    \"\"\"Doc.\"\"\"\n    return a + \"x\" + ''  # why",
            "K[def] N[f](a=N[1]):\n    C[\"\"\"Doc.\"\"\"]\n    K[return] a + T[\"x\"] + T['']  C[# why]",
        );
        check(
            Language::Go,
            SymbolKind::Method,
            "func (s *S) Run() error {\n\treturn s.do(0x1F, \"a\")\n}",
            "K[func] (s *S) N[Run]() error {\n\tK[return] s.do(N[0x1F], T[\"a\"])\n}",
        );
        check(
            Language::Rust,
            SymbolKind::Method,
            "fn run(&self) -> u8 {\n    7 // seven\n}",
            "K[fn] N[run](&self) -> u8 {\n    N[7] C[// seven]\n}",
        );
    }

    #[test]
    fn members_without_their_class_are_known() {
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
            "K[async] N[run](a: K[string]) { K[return] T[`x]${a}T[`]; }",
        );
    }

    proptest::proptest! {
        #[test]
        fn nothing_is_lost(code in "[a-z(){}\\[\\]\"'`#/* \n:;=0-9é]{0,80}", is_method: bool) {
            let kind = if is_method { SymbolKind::Method } else { SymbolKind::Function };
            for &language in Language::ALL {
                let pieces = highlight(Some(language), kind, &code);
                let joined: String = pieces.iter().map(|(_, text)| *text).collect();
                proptest::prop_assert_eq!(&joined, &code);
            }
        }
    }
}
