//! A file's symbols with the terms of each of their fields.

use crate::model::Language;
use crate::rank::document::{Document, Field, SymbolDoc};
use crate::syntax::{Leaf, Role, Source, Symbol};
use crate::text::LineIndex;

use super::vocabulary::{Vocabulary, Worker};

/// Parses a text.
pub(super) fn document(
    worker: &mut Worker,
    vocabulary: &Vocabulary,
    language: Language,
    text: &str,
) -> Document {
    let source = Source::parse(language, text);
    let lines = LineIndex::new(text);
    let (mut terms, mut module) = (Vec::new(), Vec::new());
    for_each_owned_leaf(&source, |leaf, owner| {
        let piece = leaf.span.of(text);
        match owner {
            Some((at, field)) => {
                worker.each_id(vocabulary, piece, |id| terms.push((id, at, field)))
            }
            None if matches!(leaf.role, Role::Doc | Role::Comment) => {
                worker.each_id(vocabulary, piece, |id| module.push(id));
            }
            None => {}
        }
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
