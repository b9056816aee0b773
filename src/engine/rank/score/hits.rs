//! Where a word stands in a parsed file, counted for the symbols of it.
//!
//! One word at a time, since most words stand in few symbols. What is counted is the same
//! for every rule that has the word.

use super::super::document::{Field, N_FIELDS, N_OWN_FIELDS, inherited_field};
use super::{ScorableFile, worth};

/// A word in the symbols of one file.
#[derive(Debug, Clone, Default)]
pub(crate) struct TermHits {
    /// The symbols that have it, themselves or inside.
    pub(super) inside: Vec<Hit>,
    /// Other symbols for which it counts since it stands around them, and what it counts.
    pub(super) around: Vec<(usize, f64)>,
}

/// A word in a symbol.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub(super) symbol: usize,
    /// How often it stands there, weighed by the fields.
    pub(super) weighed: f64,
    /// How often it stands in names.
    pub(super) in_name: f64,
}

/// Counts a word in a file.
pub(crate) struct HitCounter<'a> {
    file: &'a ScorableFile,
    /// The word at hand in each symbol, with what is passed to it from those inside; 0 but
    /// in those that have the word.
    counts: Vec<[f64; N_OWN_FIELDS]>,
    has_word: Vec<bool>,
    /// The symbols that have the word, themselves or inside.
    with_word: Vec<usize>,
    /// The word in the names of the symbols around each one, if it is in any name.
    owners: Vec<f64>,
    is_in_a_name: bool,
    /// The word in the file's path and in its own documentation.
    in_path: f64,
    in_module: f64,
}

impl<'a> HitCounter<'a> {
    pub(crate) fn new(file: &'a ScorableFile) -> Self {
        let n_symbols = file.symbols.len();
        Self {
            file,
            counts: vec![[0.0; N_OWN_FIELDS]; n_symbols],
            has_word: vec![false; n_symbols],
            with_word: Vec::new(),
            owners: vec![0.0; n_symbols],
            is_in_a_name: false,
            in_path: 0.0,
            in_module: 0.0,
        }
    }

    /// Counts a word in place of the one before: all of `ids`, each as fully as told;
    /// `is_in_path` tells of an id whether the file's path has it.
    pub(crate) fn count(&mut self, ids: &[(u32, f64)], is_in_path: impl Fn(u32) -> bool) {
        for at in self.with_word.drain(..) {
            self.counts[at] = [0.0; N_OWN_FIELDS];
            self.has_word[at] = false;
        }
        (self.in_path, self.in_module) = (0.0, 0.0);
        for &(id, share) in ids {
            if is_in_path(id) {
                self.in_path += share;
            }
            if self.file.document.module.binary_search(&id).is_ok() {
                self.in_module += share;
            }
            for it in self.file.document.occurrences(id) {
                self.counts[it.symbol()][it.field()] += it.count() * share;
                self.note(it.symbol());
            }
        }
        self.pass_to_parents();
        self.pass_names_down();
    }

    /// Takes note that a symbol has the word; returns whether that is new.
    fn note(&mut self, at: usize) -> bool {
        let is_new = !std::mem::replace(&mut self.has_word[at], true);
        if is_new {
            self.with_word.push(at);
        }
        is_new
    }

    /// Counts what stands in a symbol for those around it.
    fn pass_to_parents(&mut self) {
        for n in 0..self.with_word.len() {
            let mut inside = self.with_word[n];
            while let Some((parent, _)) = self.file.symbols[inside].parent {
                if !self.note(parent) {
                    break;
                }
                inside = parent;
            }
        }
        // What is inside comes after what is around it.
        self.with_word.sort_unstable_by(|a, b| b.cmp(a));
        for &at in &self.with_word {
            let Some((parent, share)) = self.file.symbols[at].parent else { continue };
            let counts = self.counts[at];
            for (field, count) in counts.iter().enumerate() {
                self.counts[parent][inherited_field(field)] += share * count;
            }
        }
    }

    /// Counts the names of the symbols around for those in them.
    fn pass_names_down(&mut self) {
        if std::mem::take(&mut self.is_in_a_name) {
            self.owners.fill(0.0);
        }
        let name = Field::Name as usize;
        self.is_in_a_name = self.with_word.iter().any(|&at| self.counts[at][name] > 0.0);
        if self.is_in_a_name {
            for at in 0..self.owners.len() {
                if let Some((parent, _)) = self.file.symbols[at].parent {
                    self.owners[at] = self.counts[parent][name].max(self.owners[parent]);
                }
            }
        }
    }

    /// Returns how often the word at hand counts for a symbol, weighed by the fields.
    pub(super) fn weighed(&self, at: usize) -> f64 {
        let worth = &self.file.symbols[at].worth;
        let own: f64 = self.counts[at].iter().zip(worth).map(|(count, worth)| count * worth).sum();
        self.with_around(own, self.owners[at])
    }

    /// Adds what stands around to what is a symbol's own.
    fn with_around(&self, own: f64, owner: f64) -> f64 {
        own + owner * worth(Field::Owner as usize, 0.0)
            + self.in_path * worth(Field::Path as usize, 0.0)
            + self.in_module * worth(Field::Module as usize, 0.0)
    }

    /// Returns how often the word at hand stands in each field of a symbol.
    pub(super) fn by_field(&self, at: usize) -> [f64; N_FIELDS] {
        let mut counts = [0.0; N_FIELDS];
        counts[..N_OWN_FIELDS].copy_from_slice(&self.counts[at]);
        counts[N_OWN_FIELDS..].copy_from_slice(&[self.owners[at], self.in_path, self.in_module]);
        counts
    }

    /// Returns the word at hand in all symbols.
    pub(crate) fn term_hits(&self) -> TermHits {
        let inside = self.with_word.iter().map(|&symbol| Hit {
            symbol,
            weighed: self.weighed(symbol),
            in_name: self.counts[symbol][Field::Name as usize],
        });
        let mut around = Vec::new();
        let of_file = self.with_around(0.0, 0.0);
        if of_file > 0.0 || self.is_in_a_name {
            let others = (0..self.has_word.len()).filter(|&at| !self.has_word[at]);
            let weighed = others.map(|at| (at, self.with_around(0.0, self.owners[at])));
            around.extend(weighed.filter(|&(_, weighed)| weighed > 0.0));
        }
        TermHits { inside: inside.collect(), around }
    }
}
