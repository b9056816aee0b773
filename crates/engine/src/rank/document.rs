//! The ranking's view of a parsed file: its symbols and the terms of each of their fields.
//!
//! Terms are sorted by id, so that the few terms of a rule are found by binary search. The store
//! saves documents in packed form.

use anyhow::Result;
use cerberus_model::SymbolKind;
use serde::{Deserialize, Serialize};

use super::postings::{read_varint, write_varint};

/// The part of a symbol in which a term occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Field {
    /// The symbol's own name.
    Name,
    /// Parameters, types, decorators, base classes.
    Signature,
    /// The docstring and the comments above the symbol.
    Doc,
    /// Identifiers and keywords of the body.
    Body,
    /// String literals.
    Text,
    /// Comments in the body.
    Comment,
    /// The names of the enclosing symbols.
    Owner,
    /// The file's path.
    Path,
    /// The file's own documentation.
    Module,
}

/// Number of fields.
pub(crate) const N_FIELDS: usize = 9;
/// Number of fields that belong to the symbol itself, the first ones.
pub(crate) const N_OWN_FIELDS: usize = 6;

/// Weight of a member's terms in the type or module that contains it, so that a class does not
/// outrank the method that has all the words. Functions nested in a function are part of its
/// body and count in full.
const MEMBER_WEIGHT: f64 = 0.5;

/// A symbol without its terms.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SymbolDoc {
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    pub(crate) parent: Option<u32>,
    /// The 0-based first and last lines.
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
}

/// The length of a symbol in terms.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Lengths {
    /// By field, including the weighted terms of nested symbols.
    pub(crate) fields: [f64; N_OWN_FIELDS],
    /// Total without nested symbols.
    pub(crate) own: f64,
}

/// The number of times a term occurs in a field of a symbol, excluding nested symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Occurrence {
    /// `symbol << 3 | field`.
    location: u32,
    count: u32,
}

impl Occurrence {
    pub(crate) fn symbol(self) -> usize {
        (self.location >> 3) as usize
    }

    pub(crate) fn field(self) -> usize {
        ((self.location & 7) as usize).min(N_OWN_FIELDS - 1)
    }

    pub(crate) fn count(self) -> f64 {
        f64::from(self.count)
    }
}

/// Returns the field of the parent that inherits the terms of a field: names become body.
pub(crate) fn inherited_field(field: usize) -> usize {
    if field == Field::Name as usize {
        Field::Body as usize
    } else {
        field
    }
}

/// One occurrence of a term in a field of a symbol: id, symbol and field in one number, which
/// sorts faster than a tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FieldTerm(u64);

impl FieldTerm {
    pub(crate) fn new(id: u32, symbol: usize, field: Field) -> Self {
        // Files that are large enough for 2^29 symbols are not indexed.
        Self(u64::from(id) << 32 | u64::from((symbol as u32) << 3 | field as u32))
    }
}

/// A parsed file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Document {
    pub(crate) n_lines: u32,
    /// The terms of the file's own documentation, ascending.
    pub(crate) module: Vec<u32>,
    /// Parents come before their children.
    pub(crate) symbols: Vec<SymbolDoc>,
    /// Term ids, ascending, each with the index of its first occurrence.
    terms: Vec<(u32, u32)>,
    occurrences: Vec<Occurrence>,
}

impl Document {
    /// Creates a document from its symbols and their terms in any order.
    pub(crate) fn new(
        n_lines: u32,
        module: Vec<u32>,
        symbols: Vec<SymbolDoc>,
        mut terms: Vec<FieldTerm>,
    ) -> Self {
        terms.sort_unstable();
        let mut document = Self {
            n_lines,
            module,
            symbols,
            ..Self::default()
        };
        for run in terms.chunk_by(|a, b| a == b) {
            let n_times = u32::try_from(run.len()).unwrap_or(u32::MAX);
            document.add((run[0].0 >> 32) as u32, run[0].0 as u32, n_times);
        }
        document
    }

    /// Appends an occurrence; term ids ascend, and so do the locations of each term.
    fn add(&mut self, id: u32, location: u32, count: u32) {
        if (location >> 3) as usize >= self.symbols.len() {
            return;
        }
        if self.terms.last().is_none_or(|&(last, _)| last != id) {
            self.terms.push((
                id,
                u32::try_from(self.occurrences.len()).unwrap_or(u32::MAX),
            ));
        }
        self.occurrences.push(Occurrence { location, count });
    }

    /// Frees excess capacity, for a document that is held for long.
    pub(crate) fn shrink(&mut self) {
        self.terms.shrink_to_fit();
        self.occurrences.shrink_to_fit();
    }

    /// Returns the occurrences of a term.
    pub(crate) fn occurrences(&self, id: u32) -> &[Occurrence] {
        match self.terms.binary_search_by_key(&id, |&(id, _)| id) {
            Ok(term_idx) => self.occurrences_at(term_idx),
            Err(_) => &[],
        }
    }

    fn occurrences_at(&self, term_idx: usize) -> &[Occurrence] {
        let start = self.terms[term_idx].1 as usize;
        let end = self
            .terms
            .get(term_idx + 1)
            .map_or(self.occurrences.len(), |it| it.1 as usize);
        &self.occurrences[start..end]
    }

    /// Returns whether a symbol itself has a term.
    pub(crate) fn has_term(&self, symbol_idx: usize, id: u32) -> bool {
        let mut occurrences = self.occurrences(id).iter();
        occurrences.any(|occurrence| occurrence.symbol() == symbol_idx)
    }

    /// Returns the index of the enclosing symbol.
    pub(crate) fn parent(&self, symbol_idx: usize) -> Option<usize> {
        self.symbols[symbol_idx]
            .parent
            .map(|it| it as usize)
            .filter(|&parent| parent < symbol_idx)
    }

    /// Returns the weight of a child's terms in `parent`.
    pub(crate) fn inherited_weight(&self, parent: usize) -> f64 {
        if self.symbols[parent].kind.is_container() {
            MEMBER_WEIGHT
        } else {
            1.0
        }
    }

    /// Returns the lengths of all symbols.
    pub(crate) fn lengths(&self) -> Vec<Lengths> {
        let mut lengths = vec![Lengths::default(); self.symbols.len()];
        for occurrence in &self.occurrences {
            lengths[occurrence.symbol()].fields[occurrence.field()] += occurrence.count();
        }
        for length in &mut lengths {
            length.own = length.fields.iter().sum();
        }
        for symbol_idx in (0..lengths.len()).rev() {
            let Some(parent) = self.parent(symbol_idx) else {
                continue;
            };
            let weight = self.inherited_weight(parent);
            let fields = lengths[symbol_idx].fields;
            for (field, n_terms) in fields.into_iter().enumerate() {
                lengths[parent].fields[inherited_field(field)] += weight * n_terms;
            }
        }
        lengths
    }

    /// Packs the document into bytes.
    pub(crate) fn pack(&self) -> Result<Vec<u8>, postcard::Error> {
        let mut bytes = postcard::to_stdvec(&(self.n_lines, &self.module, &self.symbols))?;
        let mut previous = 0;
        for (term_idx, &(id, _)) in self.terms.iter().enumerate() {
            let occurrences = self.occurrences_at(term_idx);
            let n_occurrences = u32::try_from(occurrences.len()).unwrap_or(u32::MAX);
            write_pair(&mut bytes, id - previous, n_occurrences);
            previous = id;
            let mut location = 0;
            for occurrence in occurrences {
                write_pair(&mut bytes, occurrence.location - location, occurrence.count);
                location = occurrence.location;
            }
        }
        Ok(bytes)
    }

    /// Unpacks a document; `None` if the bytes are not valid.
    pub(crate) fn unpack(bytes: &[u8]) -> Option<Self> {
        let (head, mut rest) = postcard::take_from_bytes(bytes).ok()?;
        let (n_lines, module, symbols) = head;
        let mut document = Self {
            n_lines,
            module,
            symbols,
            ..Self::default()
        };
        let mut id = 0u32;
        while !rest.is_empty() {
            let (delta, n_occurrences) = read_pair(&mut rest)?;
            id = id.checked_add(delta)?;
            let mut location = 0u32;
            for _ in 0..n_occurrences {
                let (delta, count) = read_pair(&mut rest)?;
                location = location.checked_add(delta)?;
                document.add(id, location, count);
            }
        }
        Some(document)
    }
}

/// Appends a delta and a count; the most frequent count, 1, takes no extra byte.
fn write_pair(bytes: &mut Vec<u8>, delta: u32, count: u32) {
    write_varint(bytes, u64::from(delta) << 1 | u64::from(count != 1));
    if count != 1 {
        write_varint(bytes, count);
    }
}

fn read_pair(rest: &mut &[u8]) -> Option<(u32, u32)> {
    let delta = read_varint(rest)?;
    let count = if delta & 1 == 1 {
        u32::try_from(read_varint(rest)?).ok()?
    } else {
        1
    };
    Some((u32::try_from(delta >> 1).ok()?, count))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn symbol(name: String, parent: Option<u32>) -> SymbolDoc {
        SymbolDoc {
            name,
            kind: SymbolKind::Class,
            parent,
            first_line: 1,
            last_line: 2,
        }
    }

    proptest! {
        #[test]
        fn packing_round_trips(
            terms in prop::collection::vec((any::<u32>(), 0..3usize), 0..60),
            names in prop::collection::vec("[ab.é]{0,4}", 3),
        ) {
            let parents = [None, Some(0), None];
            let symbols = names.into_iter().zip(parents);
            let symbols = symbols.map(|(name, parent)| symbol(name, parent)).collect();
            let name_terms = terms.iter().map(|&(id, symbol)| FieldTerm::new(id, symbol, Field::Name));
            let document = Document::new(9, vec![1, 5], symbols, name_terms.collect());
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
    fn a_class_inherits_half_of_the_terms_of_its_members() {
        let symbols = [None, Some(0)]
            .map(|parent| symbol("name".to_owned(), parent))
            .into();
        let terms = [
            (7, 0, Field::Name),
            (8, 1, Field::Name),
            (8, 1, Field::Text),
        ];
        let terms = terms.map(|(id, symbol, field)| FieldTerm::new(id, symbol, field));
        let document = Document::new(3, Vec::new(), symbols, terms.into());
        let lengths = document.lengths();
        let class = lengths[0];
        assert_eq!((class.own, class.fields[Field::Name as usize]), (1.0, 1.0));
        assert_eq!(class.fields[Field::Body as usize], 0.5);
        assert_eq!(class.fields[Field::Text as usize], 0.5);
        assert_eq!(lengths[1].own, 2.0);
    }
}
