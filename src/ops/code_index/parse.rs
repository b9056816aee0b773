//! A file's symbols with the terms of each of their fields.

use crate::model::Language;
use crate::rank::document::{Document, Field, SymbolDoc};
use crate::syntax::{Leaf, Role, Source, Symbol};
use crate::text::{LineIndex, Span};

use super::vocabulary::{Vocabulary, Worker};

/// Parses a text.
pub(super) fn document(
    worker: &mut Worker,
    vocabulary: &Vocabulary,
    language: Language,
    text: &str,
) -> Document {
    of_source(worker, vocabulary, text, &Source::outline(language, text))
}

fn of_source(
    worker: &mut Worker,
    vocabulary: &Vocabulary,
    text: &str,
    source: &Source,
) -> Document {
    let lines = LineIndex::new(text);
    let mut words = Words::read(worker, vocabulary, text);
    let (mut terms, mut module) = (Vec::new(), Vec::new());
    for_each_owned_leaf(source, |leaf, owner| match owner {
        Some((at, field)) => words.each_id(leaf.span, |id| terms.push((id, at, field))),
        None if matches!(leaf.role, Role::Doc | Role::Comment) => {
            words.each_id(leaf.span, |id| module.push(id));
        }
        None => {}
    });
    module.sort_unstable();
    module.dedup();
    let symbols = source.symbols.iter().map(|symbol| SymbolDoc {
        name: symbol.name.clone(),
        kind: symbol.kind,
        parent: symbol.parent.and_then(|at| u32::try_from(at).ok()),
        first_line: u32::try_from(lines.line(symbol.span.start)).unwrap_or(0),
        last_line: u32::try_from(lines.line(symbol.span.end.saturating_sub(1))).unwrap_or(0),
    });
    let n_lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    Document::new(n_lines, module, symbols.collect(), terms)
}

/// The words of a text, split and looked up once.
struct Words<'a> {
    worker: &'a mut Worker,
    vocabulary: &'a Vocabulary,
    text: &'a str,
    /// Where each word is, and where its ids end in `ids`.
    words: Vec<(Span, usize)>,
    ids: Vec<u32>,
    /// The first word that does not end before what was asked last.
    next: usize,
}

impl<'a> Words<'a> {
    fn read(worker: &'a mut Worker, vocabulary: &'a Vocabulary, text: &'a str) -> Self {
        // Most words are of some seven bytes with what is between them.
        let (mut words, mut ids) =
            (Vec::with_capacity(text.len() / 6), Vec::with_capacity(text.len() / 6));
        worker.each_word(vocabulary, text, |at, of_word| {
            // Mostly one, for which a call to copy it is too much.
            of_word.iter().for_each(|id| ids.push(*id));
            words.push((Span::new(at.start, at.end), ids.len()));
        });
        Self { worker, vocabulary, text, words, ids, next: 0 }
    }

    /// Calls `each` with the ids of a piece of the text; pieces are asked by ascending starts.
    fn each_id(&mut self, piece: Span, mut each: impl FnMut(u32)) {
        while self.words.get(self.next).is_some_and(|(word, _)| word.end <= piece.start) {
            self.next += 1;
        }
        let mut at = self.next;
        while let Some(&(word, end)) = self.words.get(at).filter(|(word, _)| word.start < piece.end)
        {
            if piece.start <= word.start && word.end <= piece.end {
                let start = at.checked_sub(1).map_or(0, |before| self.words[before].1);
                self.ids[start..end].iter().copied().for_each(&mut each);
            } else {
                // A grammar may cut a word: of `\nbar` only `bar` is text.
                let cut = Span::new(word.start.max(piece.start), word.end.min(piece.end));
                self.worker.each_id(self.vocabulary, cut.of(self.text), &mut each);
            }
            at += 1;
        }
    }
}

/// Calls `each` with every leaf and the symbol and field it belongs to.
fn for_each_owned_leaf(source: &Source, mut each: impl FnMut(Leaf, Option<(usize, Field)>)) {
    let symbols = &source.symbols;
    // Comments above a definition lie outside its span.
    let mut above: Vec<(usize, usize, usize)> = symbols
        .iter()
        .enumerate()
        .filter_map(|(at, symbol)| symbol.above.map(|span| (span.start, span.end, at)))
        .collect();
    above.sort_unstable();
    let mut order: Vec<usize> = (0..symbols.len()).collect();
    order.sort_by_key(|&at| (symbols[at].span.start, std::cmp::Reverse(symbols[at].span.end), at));
    let (mut next, mut open): (usize, Vec<usize>) = (0, Vec::new());
    let mut doc = 0;
    for &leaf in &source.leaves {
        let start = leaf.span.start;
        while next < order.len() && symbols[order[next]].span.start <= start {
            open.push(order[next]);
            next += 1;
        }
        while open.last().is_some_and(|&at| symbols[at].span.end <= start) {
            open.pop();
        }
        while doc < above.len() && above[doc].1 <= start {
            doc += 1;
        }
        let documented = above.get(doc).filter(|run| run.0 <= start && leaf.role == Role::Comment);
        let owner = match documented {
            Some(&(_, _, at)) => Some((at, Field::Doc)),
            None => open.last().map(|&at| (at, field(&symbols[at], leaf))),
        };
        each(leaf, owner);
    }
}

fn field(symbol: &Symbol, leaf: Leaf) -> Field {
    match leaf.role {
        Role::Doc => Field::Doc,
        Role::Comment => Field::Comment,
        Role::Text => Field::Text,
        _ if symbol.name_span.start <= leaf.span.start && leaf.span.end <= symbol.name_span.end => {
            Field::Name
        }
        _ if leaf.span.start < symbol.body_start => Field::Signature,
        _ => Field::Body,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::syntax::language;
    use crate::tree::{read, walk};

    /// Checks that the outline of a text has the symbols and the words of the whole.
    fn check(language: Language, text: &str, name: &str) {
        let (mut worker, vocabulary) = (Worker::default(), Vocabulary::default());
        let [whole, outline] = [Source::parse, Source::outline].map(|read| {
            let source = read(language, text);
            format!("{:?}", of_source(&mut worker, &vocabulary, text, &source))
        });
        assert_eq!(whole, outline, "{language} {name}");
    }

    #[test]
    fn an_outline_has_all_words_of_this_project_and_its_fixtures() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for folder in ["src", "tests"].map(|folder| root.join(folder)) {
            for file in walk::walk(&folder, &[]).expect("a listing").entries {
                let text = read::text(&folder, &file.path).expect("a text");
                check(file.language, &text, &file.path);
            }
        }
    }

    #[test]
    fn an_outline_has_what_functions_define() {
        for (path, text) in [
            (
                "a.py",
                "def f():\n    g = lambda x: x\n    def h(): pass\n    a, b = c(d)\n    x = 'y z' # w\n",
            ),
            (
                "a.go",
                "package p\nfunc f() {\n\tswitch x {\n\tcase one:\n\t\ttype T int\n\t}\n\tg := func() { a() }\n}\n",
            ),
            (
                "a.js",
                "function f() {\n  a.b.c = d => e;\n  window.g = function () { h(); };\n  let x = <b>some text</b>;\n}\n",
            ),
            (
                "a.ts",
                "function f() {\n  switch (x) { case one: type A = B; }\n  const t = `a\\nbar ${c.d}`;\n}\n",
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
            check(language::of_path(path).expect("a language"), text, text);
        }
    }

    proptest! {
        #[test]
        fn an_outline_of_any_pieces_has_all_words(
            at in 0..Language::ALL.len(),
            pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30),
        ) {
            let text = format!("{}{}", "def f():\n function f() { func f() { fn f() {", pieces.concat());
            check(Language::ALL[at], &text, &text);
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
    ];
}
