//! The place in the code that a rule itself names.
//!
//! A place counts only if it is the only one: a file that is there, a symbol that the
//! code defines once. Where a rule names several, none is taken.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::engine::rank::tokenize;
use crate::markdown::rules;

use crate::engine::index::CodeIndex;
use crate::model::CodeLocation;

/// A name whose words are in more files than this is not looked for.
const MAX_FILES: usize = 200;

/// Where the symbols that rules name are defined, if only once.
type Definitions = BTreeMap<String, Place>;

/// A file and a symbol in it.
type Place = (String, String);

/// What one rule names.
#[derive(Default)]
struct Named {
    files: BTreeSet<String>,
    places: BTreeSet<Place>,
    symbols: BTreeSet<String>,
}

/// Returns the place that each rule names, given with its document.
pub(super) fn places(
    index: &mut CodeIndex,
    rules: &[(&str, &str)],
) -> Result<Vec<Option<CodeLocation>>> {
    let named: Vec<Named> = rules.iter().map(|(file, rule)| named(index, file, rule)).collect();
    let symbols = named.iter().flat_map(|named| named.symbols.iter().cloned()).collect();
    let definitions = definitions(index, &symbols)?;
    Ok(named.into_iter().map(|named| settled(named, &definitions)).collect())
}

fn named(index: &CodeIndex, file: &str, rule: &str) -> Named {
    let mut found = Named::default();
    for name in rules::mentions(rule) {
        let (path, symbol) = match name.split_once("::") {
            Some((path, symbol)) if path.contains(['/', '.']) => (path, Some(symbol)),
            _ => (name.as_str(), None),
        };
        match (named_file(index, file, path), symbol) {
            (Some(path), Some(symbol)) => {
                found.places.insert((path, symbol.replace("::", ".")));
            }
            (Some(path), None) => {
                found.files.insert(path);
            }
            (None, _) => found.symbols.extend(symbol_name(&name)),
        }
    }
    found
}

fn settled(named: Named, definitions: &Definitions) -> Option<CodeLocation> {
    let Named { mut files, mut places, symbols } = named;
    places.extend(symbols.iter().filter_map(|symbol| definitions.get(symbol)).cloned());
    match (places.pop_first(), places.is_empty()) {
        (Some((file, symbol)), true) if files.iter().all(|other| *other == file) => {
            Some(CodeLocation { file, symbol: Some(symbol) })
        }
        (None, _) if files.len() == 1 => {
            files.pop_first().map(|file| CodeLocation { file, symbol: None })
        }
        _ => None,
    }
}

/// Returns the indexed file that a path means: from the root, from the document's folder,
/// or the only one with this tail.
fn named_file(index: &CodeIndex, document: &str, path: &str) -> Option<String> {
    let path = path.trim_start_matches("./").trim_start_matches('@');
    let path = path.split(['#', ' ']).next().unwrap_or_default();
    let path = match path.rsplit_once(':') {
        Some((path, line)) if line.starts_with(|c: char| c.is_ascii_digit()) => path,
        _ => path,
    };
    let beside = document.rsplit_once('/').map(|(folder, _)| format!("{folder}/{path}"));
    let has = |path: &str| index.files.binary_search_by(|row| row.path.as_str().cmp(path)).is_ok();
    if has(path) {
        return Some(path.to_owned());
    }
    if let Some(beside) = beside.filter(|beside| has(beside)) {
        return Some(beside);
    }
    if !path.contains('/') {
        return None;
    }
    let tail = format!("/{path}");
    let mut tails = index.files.iter().filter(|row| row.path.ends_with(&tail));
    match (tails.next(), tails.next()) {
        (Some(row), None) => Some(row.path.clone()),
        _ => None,
    }
}

/// Returns a name as symbols are written, if it can only be one: `Class.method`, `a_function`,
/// `ClassName`, `call()`.
fn symbol_name(name: &str) -> Option<String> {
    let called = name.split('(').next().unwrap_or_default();
    let plain = called.replace("::", ".");
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let is_telling = called.len() < name.len()
        || plain.trim_matches('_').contains(['.', '_'])
        || plain.chars().skip(1).any(|c| c.is_ascii_uppercase());
    (is_telling && plain.split('.').all(is_part)).then_some(plain)
}

/// Returns the symbols that the code defines once, by the names that mean them.
fn definitions(index: &mut CodeIndex, names: &BTreeSet<String>) -> Result<Definitions> {
    let mut wanted = Vec::with_capacity(names.len());
    for name in names {
        let last = name.rsplit('.').next().unwrap_or(name);
        let ids = tokenize::terms(last).into_iter().map(|term| index.term_id(&term));
        // A name with a word that no code has is defined nowhere.
        wanted.push(ids.collect::<Option<Vec<u32>>>().unwrap_or_default());
    }
    let mut found = Definitions::new();
    for (name, files) in names.iter().zip(index.files_with(&wanted)) {
        if files.len() > MAX_FILES {
            continue;
        }
        index.load_symbols(&files)?;
        let mut places = BTreeSet::new();
        for at in files {
            let Some(document) = index.document(at) else { continue };
            let is_meant = |full: &&str| *full == name || full.ends_with(&format!(".{name}"));
            let names = document.symbols.iter().map(|symbol| symbol.name.as_str());
            let path = &index.files[at].path;
            places.extend(names.filter(is_meant).map(|full| (path.clone(), full.to_owned())));
        }
        if let (Some(place), true) = (places.pop_first(), places.is_empty()) {
            found.insert(name.clone(), place);
        }
    }
    Ok(found)
}
