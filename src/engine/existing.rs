//! Finds functions of the project that nearly equal a new one.
//!
//! Two functions are nearly equal if their code is, whatever their names, or if their names,
//! signatures and much of their code are. Short functions have too little to compare: getters and
//! wrappers are similar everywhere. A missing hint costs less than a wrong one.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::rank::path_class::PathClass;
use crate::model::{Language, SymbolKind};
use crate::syntax::fingerprint::{FileFeatures, SymbolFeatures};
use crate::syntax::parse::last_name;
use crate::syntax::{ParsedFile, language, minhash};
use crate::text::LineIndex;

/// Minimum number of tokens of functions that are compared by their code.
const MIN_TOKENS: u32 = 40;

/// Minimum number of tokens of functions with the same name and signature.
const MIN_NAMED_TOKENS: u32 = 25;

/// Minimum similarity of the code of functions with different names, and of those with the same.
const SAME_CODE: f64 = 0.85;
const SAME_NAME_CODE: f64 = 0.5;

/// Names that many types and modules have of their own.
const COMMON_NAMES: &[&str] = &[
    "main",
    "init",
    "__init__",
    "new",
    "setup",
    "run",
    "get",
    "set",
    "create",
    "update",
    "delete",
    "render",
    "handler",
    "default",
    "toString",
    "equals",
    "hashCode",
    "from",
    "into",
    "fmt",
    "next",
    "parse",
    "build",
    "start",
    "stop",
    "close",
    "open",
    "read",
    "write",
    "execute",
    "apply",
    "call",
    "constructor",
    "GET",
    "POST",
    "PUT",
    "DELETE",
    "PATCH",
];

/// A function of the project.
struct Function {
    file: String,
    name: String,
    language: Language,
    /// The first and the last line, counted from 0.
    lines: (u32, u32),
    features: SymbolFeatures,
}

/// A new function and the one that the project has.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ExistingFunction {
    pub(crate) file: String,
    pub(crate) name: String,
    /// The first and the last line, counted from 0.
    pub(crate) lines: (u32, u32),
    pub(crate) existing_file: String,
    pub(crate) existing_name: String,
    pub(crate) existing_line: u32,
    /// Similarity of the code, from 0 to 1.
    pub(crate) similarity: f64,
}

/// Returns the functions of `changed` files that are new, each with the most similar one of the
/// files in `paths`, if that is nearly equal. `is_new` returns whether the 0-based lines of a changed
/// file are all new, and `read` returns the text of a file.
pub(crate) fn find(
    changed: &[(&str, &str)],
    is_new: impl Fn(usize, (u32, u32)) -> bool,
    paths: &[String],
    read: impl Fn(&str) -> Option<String> + Sync,
) -> Vec<ExistingFunction> {
    let is_source = |path: &str| PathClass::from_path(path) == PathClass::Source;
    let mut added: Vec<Function> = Vec::new();
    for (idx, (path, text)) in changed.iter().enumerate() {
        if is_source(path) {
            let functions = functions(path, text, &|_| true);
            added.extend(functions.into_iter().filter(|function| is_new(idx, function.lines)));
        }
    }
    if added.is_empty() {
        return Vec::new();
    }
    let languages: FxHashSet<Language> = added.iter().map(|function| function.language).collect();
    let is_kin = |path: &str| {
        let own = language::from_path(path);
        own.is_some_and(|own| languages.iter().any(|language| language.is_kin(own)))
    };
    let is_changed: FxHashMap<&str, &str> = changed.iter().copied().collect();
    let candidates: Vec<Function> = paths
        .par_iter()
        .filter(|path| is_source(path) && is_kin(path))
        .flat_map_iter(|path| {
            let text = match is_changed.get(path.as_str()) {
                Some(text) => Some((*text).to_owned()),
                None => read(path),
            };
            text.map(|text| functions(path, &text, &|n_tokens| n_tokens >= MIN_NAMED_TOKENS))
                .unwrap_or_default()
        })
        .collect();
    let mut found: Vec<ExistingFunction> =
        added.par_iter().filter_map(|function| existing(function, &candidates, &added)).collect();
    found.sort_by(|a, b| (&a.file, a.lines).cmp(&(&b.file, b.lines)));
    found
}

/// Returns the function that is most similar to a new one, if it is nearly equal.
fn existing(
    new: &Function,
    candidates: &[Function],
    added: &[Function],
) -> Option<ExistingFunction> {
    let is_new = |it: &Function| {
        added.iter().any(|new| new.file == it.file && new.name == it.name && new.lines == it.lines)
    };
    let mut best: Option<(f64, &Function)> = None;
    for candidate in candidates.iter().filter(|it| it.language.is_kin(new.language)) {
        let Some(similarity) = similarity(new, candidate) else { continue };
        let is_better = best.is_none_or(|(known, it)| {
            similarity
                .total_cmp(&known)
                .then_with(|| (&it.file, it.lines).cmp(&(&candidate.file, candidate.lines)))
                .is_gt()
        });
        if is_better && !is_new(candidate) {
            best = Some((similarity, candidate));
        }
    }
    let (similarity, existing) = best?;
    Some(ExistingFunction {
        file: new.file.clone(),
        name: new.name.clone(),
        lines: new.lines,
        existing_file: existing.file.clone(),
        existing_name: existing.name.clone(),
        existing_line: existing.lines.0,
        similarity,
    })
}

/// Returns the similarity of two functions if they are nearly equal.
fn similarity(new: &Function, old: &Function) -> Option<f64> {
    let (a, b) = (&new.features.fingerprint, &old.features.fingerprint);
    if a.name_independent_hash == b.name_independent_hash {
        return (a.n_tokens >= MIN_TOKENS).then_some(1.0);
    }
    let has_same_name = last_name(&new.name) == last_name(&old.name)
        && !COMMON_NAMES.contains(&last_name(&new.name));
    let is_named = has_same_name && a.signature == b.signature && a.n_tokens >= MIN_NAMED_TOKENS;
    let (small, large) = (a.n_tokens.min(b.n_tokens), a.n_tokens.max(b.n_tokens));
    if !is_named && (small < MIN_TOKENS || f64::from(small) < SAME_CODE * f64::from(large)) {
        return None;
    }
    let jaccard = minhash::jaccard(&a.sketch, &b.sketch);
    let least = if is_named { SAME_NAME_CODE } else { SAME_CODE };
    (jaccard >= least).then_some(jaccard.min(0.99))
}

/// Returns the functions of a file with at least as many tokens as `is_long` asks for.
fn functions(path: &str, text: &str, is_long: &dyn Fn(u32) -> bool) -> Vec<Function> {
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
            file: path.to_owned(),
            name: symbol.name.clone(),
            language,
            lines: (line(symbol.span.start), line(symbol.span.end.saturating_sub(1))),
            features: features.symbol(idx),
        })
        .filter(|function| is_long(function.features.fingerprint.n_tokens))
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
        let found = find(&[("src/new.py", new)], |_, _| true, &paths, read);
        assert_eq!(found.first().map(|it| it.existing_name.as_str()), expected, "{new}");
    }

    #[test]
    fn a_function_with_nearly_the_same_code_exists() {
        let old = format!("def words_of{BODY}");
        check(&format!("def split_words{BODY}"), "src/old.py", &old, Some("words_of"));
        let edited = BODY.replace(".lower()", ".upper()");
        check(&format!("def words_of{edited}"), "src/old.py", &old, Some("words_of"));
        check("def split_words(text):\n    return text.split(',')\n", "src/old.py", &old, None);
        // Not in tests, nor in another language.
        check(&format!("def split_words{BODY}"), "tests/old.py", &old, None);
        check(&format!("def split_words{BODY}"), "src/old.go", &old, None);
    }

    #[test]
    fn a_new_function_does_not_exist_already_in_the_same_change() {
        check(&format!("def a{BODY}\n\ndef b{BODY}"), "src/old.py", "x = 1\n", None);
    }
}
