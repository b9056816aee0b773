//! Finds functions of the project that nearly equal a new one.
//!
//! Two functions are nearly equal if most of their code and of their identifiers are, the rare ones
//! first; less is enough for functions with the same name. Short functions have too little to compare:
//! getters and wrappers are similar everywhere. A missing hint costs less than a wrong one.
//!
//! The words of all files are read, but only those files are parsed that have most of the identifiers
//! of a new function.

use anyhow::Result;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use cerberus_engine::rank::path_class::PathClass;
use cerberus_engine::syntax::fingerprint::{FileFeatures, SymbolFeatures, WordSet, hashed_words};
use cerberus_engine::syntax::parse::last_name;
use cerberus_engine::syntax::{ParsedFile, language, minhash};
use cerberus_model::text::LineIndex;
use cerberus_model::{Language, SymbolKind};

/// Minimum number of tokens and of identifiers of functions that are compared.
const MIN_TOKENS: u32 = 25;
const MIN_NAMES: usize = 5;

/// Minimum similarity of the code of functions with the same name.
const SAME_NAME_CODE: f64 = 0.5;

/// Minimum number of tokens, similarity of the code and of the identifiers of functions with different
/// names. Longer functions are rarely similar by chance.
const DIFFERENT_NAMES: [(u32, f64, f64); 2] = [(40, 0.8, 0.8), (60, 0.65, MIN_IDENTIFIERS)];

/// Minimum similarity of the identifiers of any two functions.
const MIN_IDENTIFIERS: f64 = 0.7;

/// Minimum length of the shorter one of functions with different names, as a share of the longer one.
const MIN_LENGTH: f64 = 0.7;

/// Maximum number of pairs of functions that are compared. Real changes have fewer; in a copy of a
/// large part of the project, the functions after that have no hints.
const MAX_PAIRS: usize = 4_000_000;

/// Names that many types and modules have of their own.
const COMMON_NAMES: &str = "main init __init__ new setup run get set create update delete render handler default toString equals hashCode from into fmt \
    next parse build start stop close open read write execute apply call constructor GET POST PUT DELETE PATCH";

/// Where a function of the project is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub file: String,
    /// The first and the last line, counted from 0.
    pub lines: (u32, u32),
    pub name: String,
}

struct Function {
    place: Place,
    language: Language,
    features: SymbolFeatures,
}

/// A new function and the one that the project has.
#[derive(Debug)]
pub struct ExistingFunction {
    pub new: Place,
    pub existing: Place,
    /// Similarity of the code, from 0 to 1.
    pub similarity: f64,
}

/// Returns the functions of `changed` files that are new, each with the most similar one of the
/// files that `paths` lists, if that is nearly equal. `is_new` returns whether the 0-based lines of a
/// changed file are all new, and `read` returns the text of a file.
pub fn find(
    changed: &[(&str, &str)],
    is_new: impl Fn(usize, (u32, u32)) -> bool,
    paths: impl FnOnce() -> Result<Vec<String>>,
    read: impl Fn(&str) -> Option<String> + Sync,
) -> Result<Vec<ExistingFunction>> {
    let is_source = |path: &str| PathClass::from_path(path) == PathClass::Source;
    let (mut added, mut unchanged): (Vec<Function>, Vec<Function>) = Default::default();
    for (idx, (path, text)) in changed.iter().enumerate() {
        if is_source(path) {
            let is_new = |function: &Function| is_new(idx, function.place.lines);
            let (new, old): (Vec<_>, Vec<_>) = functions(path, text).into_iter().partition(is_new);
            added.extend(new);
            unchanged.extend(old);
        }
    }
    if added.is_empty() {
        return Ok(Vec::new());
    }
    let languages: FxHashSet<Language> = added.iter().map(|function| function.language).collect();
    let is_kin = |path: &str| {
        let own = language::from_path(path);
        own.is_some_and(|own| languages.iter().any(|language| language.is_kin(own)))
    };
    let is_changed: FxHashMap<&str, &str> = changed.iter().copied().collect();
    let text = |path: &str| match is_changed.get(path) {
        Some(text) => Some((*text).to_owned()),
        None => read(path),
    };
    let mut paths = paths()?;
    paths.retain(|path| is_source(path) && is_kin(path));
    let (weights, found) = identifiers(&paths, &added, text);
    let weights = weights.weighed();
    let paths: FxHashSet<&str> = found
        .into_par_iter()
        .filter(|(_, known)| added.iter().any(|new| weights.may_be_known(new, known)))
        .map(|(path, _)| path)
        .collect();
    unchanged.retain(|function| paths.contains(&*function.place.file));
    let others = paths.par_iter().filter(|path| !is_changed.contains_key(**path));
    let parsed = others
        .flat_map_iter(|path| text(path).map(|text| functions(path, &text)).unwrap_or_default());
    let candidates: Vec<Function> = parsed.chain(unchanged).collect();
    let n_compared = MAX_PAIRS / candidates.len().max(1);
    let compared = added.par_iter().take(n_compared);
    let mut found: Vec<ExistingFunction> =
        compared.filter_map(|function| existing(function, &candidates, &weights)).collect();
    found.sort_by(|a, b| a.new.cmp(&b.new));
    Ok(found)
}

/// Returns the weights of identifiers, and for each file those identifiers of the new functions that it
/// has.
fn identifiers<'p>(
    paths: &'p [String],
    added: &[Function],
    text: impl Fn(&str) -> Option<String> + Sync,
) -> (Weights, Vec<(&'p str, FxHashSet<u16>)>) {
    let wanted: FxHashSet<u16> =
        added.iter().flat_map(|new| new.features.names.iter().copied()).collect();
    let count = |(mut weights, mut found): (Weights, Vec<_>), path: &'p String| {
        if let Some(text) = text(path) {
            let words = WordSet::new(hashed_words(&text));
            words.iter().for_each(|word| weights.n_with[usize::from(word)] += 1);
            weights.n_files += 1;
            let known = wanted.iter().copied().filter(|name| words.contains(*name)).collect();
            found.push((path.as_str(), known));
        }
        (weights, found)
    };
    paths.par_iter().fold(|| (Weights::new(), Vec::new()), count).reduce(
        || (Weights::new(), Vec::new()),
        |(a, mut found), (b, mut more)| {
            found.append(&mut more);
            (a.plus(&b), found)
        },
    )
}

/// The weights of identifiers: rare ones say more.
struct Weights {
    n_files: u32,
    /// The number of files with each identifier.
    n_with: Vec<u32>,
    /// The weight of each identifier.
    weights: Vec<f64>,
}

impl Weights {
    fn new() -> Self {
        Self { n_files: 0, n_with: vec![0; 1 << 16], weights: Vec::new() }
    }

    fn plus(mut self, other: &Self) -> Self {
        self.n_files += other.n_files;
        self.n_with.iter_mut().zip(&other.n_with).for_each(|(own, other)| *own += other);
        self
    }

    /// Computes the weights after all files were counted.
    fn weighed(mut self) -> Self {
        let n_files = f64::from(self.n_files);
        let weight = |n_with: &u32| (n_files / f64::from((*n_with).max(1))).ln_1p();
        self.weights = self.n_with.iter().map(weight).collect();
        self
    }

    fn of<'n>(&self, names: impl IntoIterator<Item = &'n u16>) -> f64 {
        names.into_iter().map(|name| self.weights[usize::from(*name)]).sum()
    }

    /// Returns whether a file that has these identifiers may contain a function with enough of those of
    /// a new one.
    fn may_be_known(&self, new: &Function, known: &FxHashSet<u16>) -> bool {
        let names = &new.features.names;
        let shared = names.iter().filter(|name| known.contains(name));
        self.of(shared) >= MIN_IDENTIFIERS * self.of(names)
    }

    /// Returns the similarity of the identifiers of two functions.
    fn similarity(&self, a: &SymbolFeatures, b: &SymbolFeatures) -> f64 {
        let shared = a.names.iter().filter(|name| b.names.binary_search(name).is_ok());
        let shared = self.of(shared);
        let all = self.of(&a.names) + self.of(&b.names) - shared;
        if all > 0.0 { shared / all } else { 0.0 }
    }
}

/// Returns the function that is most similar to a new one, if it is nearly equal.
fn existing(
    new: &Function,
    candidates: &[Function],
    weights: &Weights,
) -> Option<ExistingFunction> {
    let kin = candidates.iter().filter(|it| it.language.is_kin(new.language));
    let near = kin.filter_map(|it| Some((similarity(new, it, weights)?, it)));
    // Of equally similar ones, the first one of the first file.
    let best = near
        .max_by(|(a, one), (b, other)| a.total_cmp(b).then_with(|| other.place.cmp(&one.place)));
    let (similarity, existing) = best?;
    Some(ExistingFunction { new: new.place.clone(), existing: existing.place.clone(), similarity })
}

/// Returns the similarity of two functions if they are nearly equal.
fn similarity(new: &Function, old: &Function, weights: &Weights) -> Option<f64> {
    let (a, b) = (&new.features.fingerprint, &old.features.fingerprint);
    if a.name_independent_hash == b.name_independent_hash {
        return Some(1.0);
    }
    let name = last_name(&new.place.name);
    let is_named =
        name == last_name(&old.place.name) && !COMMON_NAMES.split(' ').any(|it| it == name);
    let (small, large) = (a.n_tokens.min(b.n_tokens), a.n_tokens.max(b.n_tokens));
    let is_as_long = f64::from(small) >= MIN_LENGTH * f64::from(large);
    let code = minhash::jaccard(&a.sketch, &b.sketch);
    let identifiers = weights.similarity(&new.features, &old.features);
    let is_equal = identifiers >= MIN_IDENTIFIERS && is_named && code >= SAME_NAME_CODE
        || is_as_long
            && DIFFERENT_NAMES.iter().any(|&(min_tokens, min_code, min_identifiers)| {
                small >= min_tokens && code >= min_code && identifiers >= min_identifiers
            });
    is_equal.then_some(code.min(0.99))
}

/// Returns the functions of a file that are long enough to be compared.
fn functions(path: &str, text: &str) -> Vec<Function> {
    let Some(language) = language::from_path(path) else { return Vec::new() };
    let parsed = ParsedFile::parse(language, text);
    let features = FileFeatures::new(text, &parsed);
    let index = LineIndex::new(text);
    let line = |offset: usize| u32::try_from(index.line(offset)).unwrap_or(u32::MAX);
    let is_function = |kind| matches!(kind, SymbolKind::Function | SymbolKind::Method);
    let numbered = parsed.symbols.iter().enumerate();
    numbered
        .filter(|(_, symbol)| is_function(symbol.kind))
        .map(|(idx, symbol)| Function {
            place: Place {
                file: path.to_owned(),
                name: symbol.name.clone(),
                lines: (line(symbol.span.start), line(symbol.span.end.saturating_sub(1))),
            },
            language,
            features: features.symbol(idx),
        })
        .filter(|function| {
            let SymbolFeatures { fingerprint, names, .. } = &function.features;
            fingerprint.n_tokens >= MIN_TOKENS && names.len() >= MIN_NAMES
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "(text, limit):\n    words = []\n    for part in text.split(','):\n        part = part.strip()\n        if part and len(words) < limit:\n            words.append(part.lower())\n    return sorted(set(words))\n";

    #[track_caller]
    fn check(new: &str, old_path: &str, old: &str, expected: Option<&str>) {
        let paths = [old_path.to_owned(), "src/new.py".to_owned()];
        let read = |path: &str| (path == old_path).then(|| old.to_owned());
        let found = find(&[("src/new.py", new)], |_, _| true, || Ok(paths.to_vec()), read);
        let found = found.expect("the paths are known");
        assert_eq!(found.first().map(|it| it.existing.name.as_str()), expected, "{new}");
    }

    #[test]
    fn a_function_with_nearly_the_same_code_exists() {
        let old = format!("def words_of{BODY}");
        check(&format!("def split_words{BODY}"), "src/old.py", &old, Some("words_of"));
        let edited = BODY.replace(".lower()", ".upper()");
        check(&format!("def words_of{edited}"), "src/old.py", &old, Some("words_of"));
        // The signature may differ.
        let edited = edited.replace("limit):", "limit=5):");
        check(&format!("def words_of{edited}"), "src/old.py", &old, Some("words_of"));
        // Rare identifiers decide: other words in the same shape are another function.
        let other = BODY.replace("words", "sizes").replace("part", "file").replace("text", "path");
        let other = other.replace("strip", "stat").replace("lower", "close");
        check(&format!("def words_of{other}"), "src/old.py", &old, None);
        check("def split_words(text):\n    return text.split(',')\n", "src/old.py", &old, None);
        // Not in tests, nor in another language.
        check(&format!("def split_words{BODY}"), "tests/old.py", &old, None);
        check(&format!("def split_words{BODY}"), "src/old.go", &old, None);
    }

    #[test]
    fn a_short_function_exists_only_with_equal_code() {
        let code = "(data):\n    data = data.strip()\n    return bytes(reversed(data.encode('utf-8'))).hex()\n";
        let old = format!("def hex_of{code}");
        check(&format!("def to_hex{code}"), "src/old.py", &old, Some("hex_of"));
        let edited = code.replace("hex", "lower");
        check(&format!("def to_hex{edited}"), "src/old.py", &old, None);
        // Fewer identifiers are in many functions.
        let code = "(self):\n    return self.items[0] if len(self.items) > 0 else self.items\n";
        check(&format!("def b{code}"), "src/old.py", &format!("def a{code}"), None);
    }

    #[test]
    fn a_copy_of_a_large_part_of_the_project_is_compared_in_part() {
        let functions =
            |name: &str| (0..2500).map(|n| format!("def {name}{n}{BODY}\n")).collect::<String>();
        let (old, new) = (functions("old"), functions("new"));
        let paths = || Ok(vec!["src/old.py".to_owned()]);
        let found = find(&[("src/new.py", &new)], |_, _| true, paths, |_| Some(old.clone()));
        assert_eq!(found.expect("the paths are known").len(), MAX_PAIRS / 2500);
    }

    #[test]
    fn a_new_function_does_not_exist_already_in_the_same_change() {
        check(&format!("def a{BODY}\n\ndef b{BODY}"), "src/old.py", "x = 1\n", None);
    }
}
