//! Counts the occurrences of a term in the symbols of a file.
//!
//! Terms are counted one at a time, because most occur in few symbols. The counts are the same for
//! every query that has the term.

use super::super::document::{Field, N_FIELDS, N_OWN_FIELDS, inherited_field};
use super::{ScorableFile, field_weight};

/// The occurrences of a term in the symbols of one file.
#[derive(Debug, Clone, Default)]
pub(crate) struct TermHits {
    /// The symbols that contain the term, themselves or in a nested symbol.
    pub(super) symbols: Vec<Hit>,
    /// Other symbols to which the term contributes by the file or an enclosing symbol, with its
    /// weighted frequency.
    pub(super) surroundings: Vec<(usize, f64)>,
}

/// The occurrences of a term in one symbol.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub(super) symbol: usize,
    /// Frequency weighted by field.
    pub(super) weighted: f64,
    /// Frequency in names.
    pub(super) in_name: f64,
}

/// Counts one term at a time in a file.
pub(crate) struct HitCounter<'a> {
    file: &'a ScorableFile,
    /// The weights of the fields that are not of a symbol itself.
    surrounding_weights: [f64; N_FIELDS - N_OWN_FIELDS],
    /// Per-symbol counts of the current term, including those inherited from children.
    counts: Vec<[f64; N_OWN_FIELDS]>,
    has_term: Vec<bool>,
    /// The symbols that contain the term, themselves or in a nested symbol.
    with_term: Vec<usize>,
    /// Per-symbol counts of the term in the names of enclosing symbols; 0 but for those of `inside`.
    owners: Vec<f64>,
    /// The symbols in a symbol whose name has the term.
    inside: Vec<usize>,
    /// Counts in the file's path and in the file's own documentation.
    in_path: f64,
    in_module: f64,
}

impl<'a> HitCounter<'a> {
    pub(crate) fn new(file: &'a ScorableFile) -> Self {
        let n_symbols = file.symbols.len();
        Self {
            file,
            surrounding_weights: [Field::Owner, Field::Path, Field::Module]
                .map(|field| field_weight(field as usize, 0.0)),
            counts: vec![[0.0; N_OWN_FIELDS]; n_symbols],
            has_term: vec![false; n_symbols],
            with_term: Vec::new(),
            owners: vec![0.0; n_symbols],
            inside: Vec::new(),
            in_path: 0.0,
            in_module: 0.0,
        }
    }

    /// Counts the term with an id, in place of the previous one; `is_in_path` returns whether the
    /// file's path has an id.
    pub(crate) fn count(&mut self, id: Option<u32>, is_in_path: impl Fn(u32) -> bool) {
        for symbol in self.with_term.drain(..) {
            self.counts[symbol] = [0.0; N_OWN_FIELDS];
            self.has_term[symbol] = false;
        }
        (self.in_path, self.in_module) = (0.0, 0.0);
        if let Some(id) = id {
            let module = &self.file.document.module;
            self.in_path = f64::from(u8::from(is_in_path(id)));
            self.in_module = f64::from(u8::from(module.binary_search(&id).is_ok()));
            for occurrence in self.file.document.occurrences(id) {
                let symbol = occurrence.symbol();
                self.counts[symbol][occurrence.field()] += occurrence.count();
                self.mark(symbol);
            }
        }
        self.propagate_to_parents();
        self.propagate_names_to_children();
    }

    /// Marks a symbol as containing the term; returns whether it was not marked before.
    fn mark(&mut self, symbol: usize) -> bool {
        let is_new = !std::mem::replace(&mut self.has_term[symbol], true);
        if is_new {
            self.with_term.push(symbol);
        }
        is_new
    }

    /// Adds the counts of symbols to those of the enclosing symbols.
    fn propagate_to_parents(&mut self) {
        for n in 0..self.with_term.len() {
            let mut child = self.with_term[n];
            while let Some((parent, _)) = self.file.symbols[child].parent
                && self.mark(parent)
            {
                child = parent;
            }
        }
        // Children come after their parents.
        self.with_term.sort_unstable_by(|a, b| b.cmp(a));
        for &symbol in &self.with_term {
            let Some((parent, weight)) = self.file.symbols[symbol].parent else {
                continue;
            };
            let counts = self.counts[symbol];
            for (field, count) in counts.iter().enumerate() {
                self.counts[parent][inherited_field(field)] += weight * count;
            }
        }
    }

    /// Counts the names of symbols for all symbols nested in them.
    fn propagate_names_to_children(&mut self) {
        for symbol in self.inside.drain(..) {
            self.owners[symbol] = 0.0;
        }
        for &symbol in &self.with_term {
            let in_name = self.counts[symbol][Field::Name as usize];
            if in_name == 0.0 {
                continue;
            }
            // Symbols are in the order of the text, so those nested in one follow it.
            for nested in symbol + 1..self.owners.len() {
                match self.file.symbols[nested].parent {
                    Some((parent, _)) if parent >= symbol => {}
                    _ => break,
                }
                let owner = &mut self.owners[nested];
                if *owner == 0.0 {
                    self.inside.push(nested);
                }
                *owner = owner.max(in_name);
            }
        }
    }

    /// Returns the frequency of the current term for a symbol, weighted by field.
    pub(super) fn weighted(&self, symbol: usize) -> f64 {
        let weights = &self.file.symbols[symbol].field_weights;
        let counts = self.counts[symbol].iter().zip(weights);
        let own: f64 = counts.map(|(count, weight)| count * weight).sum();
        self.with_surroundings(own, self.owners[symbol])
    }

    /// Adds the weighted counts in enclosing names, path and module to those of a symbol itself.
    fn with_surroundings(&self, own: f64, owner: f64) -> f64 {
        let [of_owner, of_path, of_module] = self.surrounding_weights;
        own + owner * of_owner + self.in_path * of_path + self.in_module * of_module
    }

    /// Returns the counts of the current term by field of a symbol.
    pub(super) fn by_field(&self, symbol: usize) -> [f64; N_FIELDS] {
        let mut counts = [0.0; N_FIELDS];
        counts[..N_OWN_FIELDS].copy_from_slice(&self.counts[symbol]);
        counts[N_OWN_FIELDS..].copy_from_slice(&[
            self.owners[symbol],
            self.in_path,
            self.in_module,
        ]);
        counts
    }

    /// Returns the hits of the current term in all symbols.
    pub(crate) fn term_hits(&self) -> TermHits {
        let symbols = self.with_term.iter().map(|&symbol| Hit {
            symbol,
            weighted: self.weighted(symbol),
            in_name: self.counts[symbol][Field::Name as usize],
        });
        let is_in_file = self.with_surroundings(0.0, 0.0) > 0.0;
        let others = if is_in_file {
            (0..self.has_term.len()).collect()
        } else {
            self.inside.clone()
        };
        let mut surroundings = Vec::new();
        for symbol in others {
            let weighted = self.with_surroundings(0.0, self.owners[symbol]);
            if !self.has_term[symbol] && weighted > 0.0 {
                surroundings.push((symbol, weighted));
            }
        }
        TermHits {
            symbols: symbols.collect(),
            surroundings,
        }
    }
}
