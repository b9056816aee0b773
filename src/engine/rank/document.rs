//! A parsed file as ranking sees it: its symbols, and which terms stand in which field of
//! which symbol.
//!
//! Terms are ordered by id, so that the few of a rule are found among the many of a file
//! by halving. Packed, a document is what the store keeps.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::model::SymbolKind;

use super::postings::{pull, push};

/// Where in a symbol a term stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Field {
    /// The symbol's own name.
    Name,
    /// Parameters, types, decorators, bases.
    Signature,
    /// Docstring and the comments above.
    Doc,
    /// Identifiers and keywords of the body.
    Body,
    /// String literals.
    Text,
    /// Comments in the body.
    Comment,
    /// The names of the symbols around.
    Owner,
    /// The file's path.
    Path,
    /// The file's own documentation.
    Module,
}

/// How many fields there are, and how many of them a symbol carries itself.
pub(crate) const N_FIELDS: usize = 9;
pub(crate) const N_OWN_FIELDS: usize = 6;

/// What a hit in a member counts for the type or module around it; a function's inner
/// functions are its body and count in full.
const MEMBER: f64 = 0.5;

/// A symbol as ranking sees it.
#[derive(Debug, Clone)]
pub(crate) struct SymbolDoc {
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    pub(crate) parent: Option<u32>,
    /// The 0-based lines on which it starts and ends.
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
}

/// What is packed as it is.
#[derive(Debug, Serialize, Deserialize)]
struct Head<'a> {
    n_lines: u32,
    module: Cow<'a, [u32]>,
    #[serde(borrow)]
    symbols: Vec<PackedSymbol<'a>>,
}

/// A symbol without what it shares with the one before it, since most are members of one
/// class: a quarter of what a packed file takes.
#[derive(Debug, Serialize, Deserialize)]
struct PackedSymbol<'a> {
    /// How many bytes its name begins like the name before.
    n_shared: usize,
    rest: &'a str,
    kind: SymbolKind,
    parent: Option<u32>,
    first_line: u32,
    n_more_lines: u32,
}

impl<'a> PackedSymbol<'a> {
    fn new(symbol: &'a SymbolDoc, before: &str) -> Self {
        let same = symbol.name.char_indices().zip(before.chars()).find(|((_, a), b)| a != b);
        let shorter = symbol.name.len().min(before.len());
        let n_shared = same.map_or(shorter, |((at, _), _)| at);
        Self {
            n_shared,
            rest: &symbol.name[n_shared..],
            kind: symbol.kind,
            parent: symbol.parent,
            first_line: symbol.first_line,
            n_more_lines: symbol.last_line.saturating_sub(symbol.first_line),
        }
    }

    fn unpack(self, before: &str) -> Option<SymbolDoc> {
        Some(SymbolDoc {
            name: [before.get(..self.n_shared)?, self.rest].concat(),
            kind: self.kind,
            parent: self.parent,
            first_line: self.first_line,
            last_line: self.first_line.saturating_add(self.n_more_lines),
        })
    }
}

/// How long a symbol is, in terms.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Lengths {
    /// By field, with what inner symbols count for it.
    pub(crate) fields: [f64; N_OWN_FIELDS],
    /// Without those of inner symbols.
    pub(crate) own: f64,
}

/// How often a term stands in a field of a symbol, of its own code without the symbols
/// inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Occurrence {
    /// The symbol, times eight, and the field.
    place: u32,
    count: u32,
}

impl Occurrence {
    pub(crate) fn symbol(self) -> usize {
        (self.place >> 3) as usize
    }

    pub(crate) fn field(self) -> usize {
        ((self.place & 7) as usize).min(N_OWN_FIELDS - 1)
    }

    pub(crate) fn count(self) -> f64 {
        f64::from(self.count)
    }
}

/// Returns in which field of the symbol around it a hit in a field of a symbol counts: its
/// name is body there.
pub(crate) fn inherited_field(field: usize) -> usize {
    if field == Field::Name as usize { Field::Body as usize } else { field }
}

/// A term that stands in a field of a symbol, as often as it does: as one number, which sorts
/// faster than two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FieldTerm(u64);

impl FieldTerm {
    pub(crate) fn new(id: u32, symbol: usize, field: Field) -> Self {
        // No file that is read has so many symbols that one would be taken for another.
        Self(u64::from(id) << 32 | u64::from((symbol as u32) << 3 | field as u32))
    }
}

/// A parsed file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Document {
    pub(crate) n_lines: u32,
    /// The terms of the file's own documentation.
    pub(crate) module: Vec<u32>,
    /// A symbol stands before those inside it.
    pub(crate) symbols: Vec<SymbolDoc>,
    /// Ascending, each with where its occurrences start.
    terms: Vec<(u32, u32)>,
    occurrences: Vec<Occurrence>,
}

impl Document {
    /// Makes a document of its symbols and of their terms.
    pub(crate) fn new(
        n_lines: u32,
        module: Vec<u32>,
        symbols: Vec<SymbolDoc>,
        mut terms: Vec<FieldTerm>,
    ) -> Self {
        terms.sort_unstable();
        let mut document = Self::of_no_terms(n_lines, module, symbols);
        for run in terms.chunk_by(|a, b| a == b) {
            let n_times = u32::try_from(run.len()).unwrap_or(u32::MAX);
            document.add((run[0].0 >> 32) as u32, run[0].0 as u32, n_times);
        }
        document
    }

    fn of_no_terms(n_lines: u32, module: Vec<u32>, symbols: Vec<SymbolDoc>) -> Self {
        Self { n_lines, module, symbols, terms: Vec::new(), occurrences: Vec::new() }
    }

    /// Adds where a term stands; terms ascend, and the places of each.
    fn add(&mut self, id: u32, place: u32, count: u32) {
        if (place >> 3) as usize >= self.symbols.len() {
            return;
        }
        if self.terms.last().is_none_or(|&(last, _)| last != id) {
            self.terms.push((id, u32::try_from(self.occurrences.len()).unwrap_or(u32::MAX)));
        }
        self.occurrences.push(Occurrence { place, count });
    }

    /// Gives back the room that terms might have taken, for a document that is to stay.
    pub(crate) fn shrink(&mut self) {
        self.terms.shrink_to_fit();
        self.occurrences.shrink_to_fit();
    }

    /// Returns where a term stands.
    pub(crate) fn occurrences(&self, id: u32) -> &[Occurrence] {
        let Ok(at) = self.terms.binary_search_by_key(&id, |&(id, _)| id) else {
            return &[];
        };
        let start = self.terms[at].1 as usize;
        let end = self.terms.get(at + 1).map_or(self.occurrences.len(), |&(_, end)| end as usize);
        &self.occurrences[start..end]
    }

    /// Returns the symbol around the one at `at`.
    pub(crate) fn parent(&self, at: usize) -> Option<usize> {
        self.symbols[at].parent.map(|parent| parent as usize).filter(|&parent| parent < at)
    }

    /// Returns how much a hit in a member of the symbol at `parent` counts there.
    pub(crate) fn inherited_weight(&self, parent: usize) -> f64 {
        if self.symbols[parent].kind.is_container() { MEMBER } else { 1.0 }
    }

    /// Returns how long each symbol is, with what it passes to those around.
    pub(crate) fn lengths(&self) -> Vec<Lengths> {
        let mut lengths = vec![Lengths::default(); self.symbols.len()];
        for it in &self.occurrences {
            lengths[it.symbol()].fields[it.field()] += it.count();
        }
        for it in &mut lengths {
            it.own = it.fields.iter().sum();
        }
        for at in (0..lengths.len()).rev() {
            let Some(parent) = self.parent(at) else { continue };
            let share = self.inherited_weight(parent);
            for field in 0..N_OWN_FIELDS {
                lengths[parent].fields[inherited_field(field)] += share * lengths[at].fields[field];
            }
        }
        lengths
    }

    /// Returns the document as bytes.
    pub(crate) fn pack(&self) -> Result<Vec<u8>, postcard::Error> {
        let names = self.symbols.iter().map(|symbol| symbol.name.as_str());
        let before = std::iter::once("").chain(names);
        let symbols = self.symbols.iter().zip(before);
        let head = Head {
            n_lines: self.n_lines,
            module: Cow::Borrowed(&self.module),
            symbols: symbols.map(|(symbol, before)| PackedSymbol::new(symbol, before)).collect(),
        };
        let mut bytes = postcard::to_stdvec(&head)?;
        let mut last = 0;
        for (at, &(id, start)) in self.terms.iter().enumerate() {
            let end = self.terms.get(at + 1).map_or(self.occurrences.len(), |it| it.1 as usize);
            let occurrences = &self.occurrences[start as usize..end];
            let n_places = u32::try_from(occurrences.len()).unwrap_or(u32::MAX);
            push_pair(&mut bytes, id - last, n_places);
            last = id;
            let mut place = 0;
            for it in occurrences {
                push_pair(&mut bytes, it.place - place, it.count);
                place = it.place;
            }
        }
        Ok(bytes)
    }

    /// Returns the document that was packed into `bytes`, if they are one.
    pub(crate) fn unpack(bytes: &[u8]) -> Option<Self> {
        let (head, mut rest) = postcard::take_from_bytes::<Head<'_>>(bytes).ok()?;
        let mut symbols = Vec::<SymbolDoc>::with_capacity(head.symbols.len());
        for packed in head.symbols {
            let symbol = packed.unpack(symbols.last().map_or("", |before| &before.name))?;
            symbols.push(symbol);
        }
        let module = head.module.into_owned();
        let mut document = Self::of_no_terms(head.n_lines, module, symbols);
        let mut id = 0u32;
        while !rest.is_empty() {
            let (step, n_places) = pull_pair(&mut rest)?;
            id = id.checked_add(step)?;
            let mut place = 0u32;
            for _ in 0..n_places {
                let (step, count) = pull_pair(&mut rest)?;
                place = place.checked_add(step)?;
                document.add(id, place, count);
            }
        }
        Some(document)
    }
}

/// Appends a step and a number, which most often is 1 and then takes no byte.
fn push_pair(bytes: &mut Vec<u8>, step: u32, number: u32) {
    push(bytes, u64::from(step) << 1 | u64::from(number != 1));
    if number != 1 {
        push(bytes, u64::from(number));
    }
}

fn pull_pair(rest: &mut &[u8]) -> Option<(u32, u32)> {
    let step = pull(rest)?;
    let number = if step & 1 == 1 { u32::try_from(pull(rest)?).ok()? } else { 1 };
    Some((u32::try_from(step >> 1).ok()?, number))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn symbol(parent: Option<u32>) -> SymbolDoc {
        named("it".to_owned(), parent)
    }

    fn named(name: String, parent: Option<u32>) -> SymbolDoc {
        SymbolDoc { name, kind: SymbolKind::Class, parent, first_line: 1, last_line: 2 }
    }

    proptest! {
        #[test]
        fn unpacking_gives_back_what_was_packed(
            terms in prop::collection::vec((any::<u32>(), 0..3usize), 0..60),
            names in prop::collection::vec("[ab.é]{0,4}", 3),
        ) {
            let parents = [None, Some(0), None];
            let symbols = names.into_iter().zip(parents);
            let symbols = symbols.map(|(name, parent)| named(name, parent)).collect();
            let of_names = terms.iter().map(|&(id, symbol)| FieldTerm::new(id, symbol, Field::Name));
            let document = Document::new(9, vec![1, 5], symbols, of_names.collect());
            let again = Document::unpack(&document.pack().expect("packed")).expect("unpacked");
            prop_assert_eq!(format!("{document:?}"), format!("{again:?}"));
            for (id, symbol) in &terms {
                let n = terms.iter().filter(|it| *it == &(*id, *symbol)).count();
                let found = document.occurrences(*id).iter().find(|it| it.symbol() == *symbol);
                prop_assert_eq!(found.map(|it| it.count()), Some(n as f64));
            }
        }

        #[test]
        fn any_bytes_unpack_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Document::unpack(&bytes);
        }
    }

    #[test]
    fn a_member_counts_half_for_its_class() {
        let symbols = vec![symbol(None), symbol(Some(0))];
        let terms = [(7, 0, Field::Name), (8, 1, Field::Name), (8, 1, Field::Text)];
        let terms = terms.map(|(id, symbol, field)| FieldTerm::new(id, symbol, field));
        let document = Document::new(3, Vec::new(), symbols, terms.into());
        let lengths = document.lengths();
        let of_class = lengths[0];
        assert_eq!((of_class.own, of_class.fields[Field::Name as usize]), (1.0, 1.0));
        assert_eq!(of_class.fields[Field::Body as usize], 0.5);
        assert_eq!(of_class.fields[Field::Text as usize], 0.5);
        assert_eq!(lengths[1].own, 2.0);
    }
}
