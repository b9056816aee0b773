//! How well a file or a symbol fits a rule.
//!
//! Both stages are BM25-like sums over the rule's terms: idf times a saturating
//! function of how often the term occurs, weighed by the field it stands in
//! (BM25F: Robertson, Zaragoza: "The Probabilistic Relevance Framework", 2009).
//! Document frequencies come from the first stage alone, and a symbol's fields are
//! held against fixed usual lengths, so that no score depends on which other files
//! happen to be parsed.

use serde::{Deserialize, Serialize};

use crate::model::SymbolKind;

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

/// How many fields there are.
pub(crate) const N_FIELDS: usize = 9;

/// The fields that a parsed symbol carries itself.
pub(crate) const OWN_FIELDS: [Field; 6] = [
    Field::Name,
    Field::Signature,
    Field::Doc,
    Field::Body,
    Field::Text,
    Field::Comment,
];

/// A symbol as ranking sees it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SymbolDoc {
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    pub(crate) parent: Option<u32>,
    /// The 0-based lines on which it starts and ends.
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
    /// Counted terms by field, of its own code without the symbols inside it.
    pub(crate) terms: Vec<(u32, u8, u32)>,
}

/// A parsed file as ranking sees it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct FileDoc {
    /// The terms of the file's own documentation.
    pub(crate) module: Vec<u32>,
    pub(crate) symbols: Vec<SymbolDoc>,
}

/// Saturation of a term within a file: whole files repeat their words, so that
/// counting goes on for longer than in a symbol.
const FILE_K1: f64 = 3.0;

/// How much a file's length counts against it.
const FILE_B: f64 = 0.75;

/// What a term in the path counts beside one in the text.
const FILE_PATH: f64 = 3.0;

/// Returns the inverse document frequency of a term that `n_with` of `n_docs` files have.
pub(crate) fn idf(n_with: usize, n_docs: usize) -> f64 {
    let (with, docs) = (n_with as f64, n_docs as f64);
    (1.0 + (docs - with + 0.5) / (with + 0.5)).ln()
}

/// Returns the share of its idf that a term gains in a file, below 1.
pub(crate) fn in_file(count: f64, in_path: bool, n_terms: f64, average: f64) -> f64 {
    let norm = 1.0 - FILE_B + FILE_B * n_terms / average.max(1.0);
    let weighed = count / norm + if in_path { FILE_PATH } else { 0.0 };
    weighed / (FILE_K1 + weighed)
}

/// Returns how much a quality loses for length: 1 for a line, 0 for 500 and more.
pub(crate) fn size(n_lines: usize) -> f64 {
    1.0 - n_lines.min(500) as f64 / 500.0
}

/// Returns how recent a change `days` ago is: half after 30 days.
pub(crate) fn recency(days: f64) -> f64 {
    (-0.023 * days.max(0.0)).exp()
}

/// A rule's terms with what the code says of them, ready to score with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query {
    /// What each term can add: its idf times its weight in the rule.
    pub(crate) weights: Vec<f64>,
    /// Which of the rule's terms a term id stands for, and how fully.
    pub(crate) slots: rustc_hash::FxHashMap<u32, (usize, f64)>,
}

/// Tunables
pub(crate) struct Params { pub w: [f64; N_FIELDS], pub k1: f64, pub b: f64, pub child: f64, pub fshare: f64, pub test: f64, pub cov: f64, pub tiny: f64 }

/// scratch
pub(crate) static PARAMS: std::sync::LazyLock<Params> = std::sync::LazyLock::new(|| {
    let mut p = Params { w: [4.0, 1.5, 2.0, 1.0, 1.0, 1.0, 1.0, 2.0, 0.3], k1: 1.4, b: 0.5, child: 0.2, fshare: 0.2, test: 0.7, cov: 0.0, tiny: 0.7 };
    if let Ok(s) = std::env::var("CPARAMS") {
        for kv in s.split(',') {
            let Some((k, v)) = kv.split_once('=') else { continue };
            let v: f64 = v.parse().unwrap();
            match k { "k1" => p.k1 = v, "b" => p.b = v, "child" => p.child = v, "fshare" => p.fshare = v, "test" => p.test = v, "cov" => p.cov = v, "tiny" => p.tiny = v,
              _ => p.w[k[1..].parse::<usize>().unwrap()] = v }
        }
    }
    p
});

/// How many terms a symbol's fields usually have; longer ones count their words less.
const USUAL_LENGTH: [f64; N_FIELDS] = [3.0, 12.0, 30.0, 60.0, 15.0, 15.0, 3.0, 6.0, 30.0];

/// A symbol's score with what each term of the rule added, 0 to 1.
#[derive(Debug, Clone)]
pub(crate) struct Fit {
    pub(crate) symbol: usize,
    pub(crate) score: f64,
    pub(crate) gains: Vec<f64>,
}

/// scratch
pub(crate) fn fits(query: &Query, doc: &FileDoc, path: &[u32]) -> Vec<Fit> {
    let p = &*PARAMS;
    let n = query.weights.len();
    let attainable: f64 = query.weights.iter().sum();
    let n_symbols = doc.symbols.len();
    let mut hits = vec![[0.0f64; N_FIELDS]; n * n_symbols];
    let mut lengths = vec![[0.0f64; N_FIELDS]; n_symbols];
    let mut shared = vec![[0.0f64; N_FIELDS]; n];
    for id in path {
        if let Some(&(slot, share)) = query.slots.get(id) { shared[slot][Field::Path as usize] += share; }
    }
    for id in &doc.module {
        if let Some(&(slot, share)) = query.slots.get(id) { shared[slot][Field::Module as usize] += share; }
    }
    // Symbols come before what is inside them.
    for (at, symbol) in doc.symbols.iter().enumerate() {
        for &(id, field, count) in &symbol.terms {
            let field = usize::from(field);
            lengths[at][field] += f64::from(count);
            if let Some(&(slot, share)) = query.slots.get(&id) {
                hits[at * n + slot][field] += f64::from(count) * share;
            }
        }
    }
    for at in (0..n_symbols).rev() {
        let Some(parent) = doc.symbols[at].parent.map(|p| p as usize).filter(|&p| p < at) else { continue };
        let light = if doc.symbols[parent].kind.is_container() { p.child } else { 1.0 };
        for f in 0..6 {
            let into = if f == 0 { if light == 1.0 { 3 } else { 3 } } else { f };
            lengths[parent][into] += light * lengths[at][f];
            for slot in 0..n { let h = hits[at * n + slot][f]; hits[parent * n + slot][into] += light * h; }
        }
    }
    for at in 0..n_symbols {
        let Some(parent) = doc.symbols[at].parent.map(|p| p as usize).filter(|&p| p < at) else { continue };
        for slot in 0..n { let (a, b) = (hits[parent * n + slot][0], hits[parent * n + slot][6]); hits[at * n + slot][6] = a.max(b); }
    }
    let mut fits = Vec::new();
    for (at, symbol) in doc.symbols.iter().enumerate() {
        let mut gains = vec![0.0; n];
        let mut own = false;
        for slot in 0..n {
            let h = &hits[at * n + slot];
            own |= h[..6].iter().any(|&x| x > 0.0);
            let mut x = 0.0;
            for f in 0..N_FIELDS {
                let v = if f < 6 { h[f] } else { h[f] + if f > 6 { shared[slot][f] } else { 0.0 } };
                if v == 0.0 { continue; }
                let norm = 1.0 - p.b + p.b * (lengths[at][f] / USUAL_LENGTH[f]).max(0.2);
                x += p.w[f] * v / norm;
            }
            gains[slot] = query.weights[slot] * x / (p.k1 + x);
        }
        if !own { continue; }
        let mut score = gains.iter().sum::<f64>() / attainable;
        let n_words: f64 = lengths[at].iter().sum();
        if n_words < 12.0 { score *= p.tiny; }
        let _ = symbol;
        fits.push(Fit { symbol: at, score, gains });
    }
    fits
}
