//! Parses a file into its symbols, each with the terms of its fields.

use cerberus_model::{Language, LineIndex, Span, sorted};

use super::vocabulary::WordIds;
use crate::rank::document::{Document, Field, FieldTerm, SymbolDoc};
use crate::syntax::{ParsedFile, Symbol, Token, TokenKind};

/// Parses a text. Returns its symbols, and whether it has none because parsing takes too much time
/// or memory.
pub(super) fn document(
    words: &mut WordIds<'_>,
    language: Language,
    text: &str,
) -> (Document, bool) {
    let source = ParsedFile::outline(language, text);
    (of_source(words, text, &source), source.exceeds_limits)
}

fn of_source(words: &mut WordIds<'_>, text: &str, source: &ParsedFile) -> Document {
    let lines = LineIndex::new(text);
    let mut pieces = Vec::with_capacity(source.tokens.len());
    for_each_owned_token(source, |token, owner| match owner {
        Some((symbol_idx, field)) => pieces.push((token.span, Owner::Symbol(symbol_idx, field))),
        None if matches!(token.kind, TokenKind::Docstring | TokenKind::Comment) => {
            pieces.push((token.span, Owner::Module));
        }
        None => {}
    });
    // A word with the separator after it has about seven bytes on average.
    let (mut terms, mut module) = (Vec::with_capacity(text.len() / 6), Vec::new());
    each_owned_id(words, text, &pieces, |id, owner| match owner {
        Owner::Symbol(symbol_idx, field) => terms.push(FieldTerm::new(id, symbol_idx, field)),
        Owner::Module => module.push(id),
    });
    let symbols = source.symbols.iter().map(|symbol| SymbolDoc {
        name: symbol.name.clone(),
        kind: symbol.kind,
        parent: symbol.parent.and_then(|idx| u32::try_from(idx).ok()),
        first_line: u32::try_from(lines.line(symbol.span.start)).unwrap_or(0),
        last_line: u32::try_from(lines.line(symbol.span.end.saturating_sub(1))).unwrap_or(0),
    });
    let ends_line = text.is_empty() || text.ends_with('\n');
    let n_lines = lines.len() - usize::from(ends_line);
    let n_lines = u32::try_from(n_lines).unwrap_or(u32::MAX);
    Document::new(n_lines, sorted(module), symbols.collect(), terms)
}

/// The owner of a piece of text.
#[derive(Clone, Copy)]
enum Owner {
    Symbol(usize, Field),
    Module,
}

/// Calls `each` with every term of the pieces of a text and its owner, in no specified order. The
/// pieces are sorted.
fn each_owned_id(
    words: &mut WordIds<'_>,
    text: &str,
    pieces: &[(Span, Owner)],
    mut each: impl FnMut(u32, Owner),
) {
    let mut cuts = Vec::new();
    let mut next = 0;
    words.each_word(text, |word, ids| {
        while pieces
            .get(next)
            .is_some_and(|(piece, _)| piece.end <= word.start)
        {
            next += 1;
        }
        for &(piece, owner) in &pieces[next..] {
            if piece.start >= word.end {
                break;
            }
            if piece.start <= word.start && word.end <= piece.end {
                // Mostly one id, for which a call to copy the slice costs too much.
                ids.iter().for_each(|&id| each(id, owner));
            } else {
                // A grammar may split a word: in `\nbar`, only `bar` is text.
                let cut = Span::new(word.start.max(piece.start), word.end.min(piece.end));
                cuts.push((cut, owner));
            }
        }
    });
    for (cut, owner) in cuts {
        words.each_id(cut.slice(text), |id| each(id, owner));
    }
}

/// Calls `each` with every token, and the symbol and field that contain it.
fn for_each_owned_token(source: &ParsedFile, mut each: impl FnMut(Token, Option<(usize, Field)>)) {
    let symbols = &source.symbols;
    // Comments and decorators above a definition are outside its span.
    let above = symbols.iter().enumerate().flat_map(|(idx, symbol)| {
        let spans = [
            (symbol.leading_comments, Field::Doc),
            (symbol.decorators, Field::Signature),
        ];
        spans
            .into_iter()
            .filter_map(move |(span, field)| Some((span?.start, span?.end, idx, field)))
    });
    let mut above: Vec<(usize, usize, usize, Field)> = above.collect();
    above.sort_unstable_by_key(|run| (run.0, run.1, run.2));
    let mut order: Vec<usize> = (0..symbols.len()).collect();
    order.sort_by_key(|&idx| {
        (
            symbols[idx].span.start,
            std::cmp::Reverse(symbols[idx].span.end),
            idx,
        )
    });
    let (mut next, mut open): (usize, Vec<usize>) = (0, Vec::new());
    let mut above_idx = 0;
    for &token in &source.tokens {
        let start = token.span.start;
        while next < order.len() && symbols[order[next]].span.start <= start {
            open.push(order[next]);
            next += 1;
        }
        while open
            .last()
            .is_some_and(|&idx| symbols[idx].span.end <= start)
        {
            open.pop();
        }
        while above_idx < above.len() && above[above_idx].1 <= start {
            above_idx += 1;
        }
        let is_above = |run: &&(usize, usize, usize, Field)| {
            run.0 <= start && (run.3 != Field::Doc || token.kind == TokenKind::Comment)
        };
        let owner = match above.get(above_idx).filter(is_above) {
            Some(&(_, _, idx, field)) => Some((idx, field)),
            None => open.last().map(|&idx| (idx, field(&symbols[idx], token))),
        };
        each(token, owner);
    }
}

fn field(symbol: &Symbol, token: Token) -> Field {
    match token.kind {
        TokenKind::Docstring => Field::Doc,
        TokenKind::Comment => Field::Comment,
        // The name of a test is its title, a string.
        _ if symbol.name_span.start <= token.span.start
            && token.span.end <= symbol.name_span.end =>
        {
            Field::Name
        }
        TokenKind::StringContent => Field::Text,
        _ if token.span.start < symbol.body_start => Field::Signature,
        _ => Field::Body,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::super::vocabulary::{Vocabulary, Worker};
    use super::*;
    use crate::syntax::language;
    use crate::tree::{read, walk};

    /// Checks that the outline of a text has the same symbols and words as the full parse.
    fn check(language: Language, text: &str, name: &str) {
        let (mut worker, vocabulary) = (Worker::default(), Vocabulary::default());
        let [whole, outline] = [ParsedFile::parse, ParsedFile::outline].map(|read| {
            let source = read(language, text);
            format!(
                "{:?}",
                of_source(&mut worker.with(&vocabulary), text, &source)
            )
        });
        assert_eq!(whole, outline, "{language} {name}");
    }

    #[test]
    fn an_outline_has_all_words_of_the_sources_and_the_fixtures() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for folder in ["src", "tests"].map(|folder| root.join(folder)) {
            for file in walk::walk(&folder, &[]).expect("a listing").entries {
                let text = read::text(&folder, &file.path).expect("a text");
                check(file.language, &text, &file.path);
            }
        }
    }

    #[test]
    fn an_outline_has_the_definitions_inside_functions() {
        for (path, text) in [
            (
                "a.py",
                "def f():\n    g = lambda x: x\n    def h(): pass\n    a, b = c(d)\n    x = 'y z' # w\nA = [b for b in c]\nD = {e: f for e, f in g}\n",
            ),
            (
                "a.go",
                "package p\nfunc f() {\n\tswitch x {\n\tcase one:\n\t\ttype T int\n\t}\n\tg := func() { a() }\n\th := i.(interface{ J() k })\n}\n",
            ),
            (
                "a.js",
                "function f() {\n  x({ a: b, c() { d }, e: f => g });\n  a.b.c = d => e;\n  window.g = function () { h(); };\n  let x = <b>some text</b>;\n}\n",
            ),
            (
                "a.ts",
                "function f() {\n  switch (x) { case one: type A = B; }\n  const t = `a\\nbar ${c.d}`;\n}\n",
            ),
            (
                // The header of a method beside an error.
                "b.ts",
                "def f():\n function f() { func f() { fn f() {(/* note */var s = t\nlambda a: b}func f() {switch (a) {return @a\n)/* note */pub declare type A = B;\n}one.two(three)pub `a ${b} c`type (\nA B\nC struct { d e }\n)\nfunction p(): q;\nmacro_rules! n (() => ());\n#[r] \n  \n",
            ),
            (
                "a.rs",
                "fn f() {\n    const ONE: u8 = two;\n    #[cold]\n    fn g() {}\n    h::<'static>(a /* b */);\n}\n",
            ),
            (
                "A.java",
                "class A {\n  void f() {\n    F g = x -> h(x);\n    int i = j; // k\n  }\n}\n",
            ),
        ] {
            check(language::from_path(path).expect("a language"), text, text);
        }
    }

    proptest! {
        #[test]
        fn an_outline_of_any_text_has_all_words(
            language_idx in 0..Language::ALL.len(),
            pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30),
        ) {
            let text = format!("{}{}", "def f():\n function f() { func f() { fn f() {", pieces.concat());
            check(Language::ALL[language_idx], &text, &text);
        }
    }

    const PIECES: &[&str] = &[
        "def f(a, b):\n  ",
        "class A:\n  ",
        "x = y\n",
        "lambda a: b",
        "func f() {",
        "type T int\n",
        "function f() {",
        "a.b = ",
        "(c) => d",
        "let e = ",
        "fn g() {",
        "const H: u8 = i;",
        "}",
        "}\n",
        ")",
        "(",
        "one.two(three)",
        "\n  ",
        "\n",
        ";",
        " ",
        "'text one'",
        "\"text two\"",
        "`a ${b} c`",
        "# note\n",
        "// note\n",
        "/* note */",
        "return ",
        "<b>text</b>",
        "if z ",
        "case a: ",
        "x1y",
        "\\",
        "@a\n",
        "type A = B;\n",
        "struct S;\n",
        "static T: u8 = u;\n",
        "mod m;\n",
        "macro_rules! n (() => ());\n",
        "fn o();\n",
        "function p(): q;\n",
        "declare ",
        "pub ",
        "#[r] ",
        "var s = t\n",
        "type (\nA B\nC struct { d e }\n)\n",
        "x.y.z = function () {",
        "switch (a) {",
        "f\"a {b.c(d)} e\"",
        "[a, b, ",
        ", c, d]",
    ];
}
