//! Locations of the files and symbols that a rule mentions.
//!
//! A location counts only if it is unique: an existing file, or a symbol with one definition. Several
//! locations in one rule are ignored.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::engine::index::CodeIndex;
use crate::engine::rank::tokenize;
use crate::markdown::rules;
use crate::model::CodeLocation;

/// Symbols whose words occur in more files than this are ignored.
const MAX_FILES: usize = 200;

/// The file and the full name of symbols with one definition, by the mentioned name.
type Definitions = BTreeMap<String, (String, String)>;

/// Files and symbols in the text of a rule.
#[derive(Default)]
struct Mentions {
    files: BTreeSet<String>,
    /// Files with a symbol.
    locations: BTreeSet<(String, String)>,
    symbols: BTreeSet<String>,
}

/// Returns the location that each rule mentions. Each rule comes with the path of its document.
pub(super) fn locations(
    index: &mut CodeIndex,
    rules: &[(&str, &str)],
) -> Result<Vec<Option<CodeLocation>>> {
    let mentions: Vec<Mentions> =
        rules.iter().map(|(document, rule)| Mentions::new(index, document, rule)).collect();
    let symbols = mentions.iter().flat_map(|it| it.symbols.iter().cloned()).collect();
    let definitions = definitions(index, &symbols)?;
    Ok(mentions.into_iter().map(|mentions| mentions.location(&definitions)).collect())
}

impl Mentions {
    fn new(index: &CodeIndex, document: &str, rule: &str) -> Self {
        let mut mentions = Self::default();
        for name in rules::mentions(rule) {
            let (path, symbol) = match name.split_once("::") {
                Some((path, symbol)) if path.contains(['/', '.']) => (path, Some(symbol)),
                _ => (name.as_str(), None),
            };
            match (find_file(index, document, path), symbol) {
                (Some(path), Some(symbol)) => {
                    mentions.locations.insert((path, symbol.replace("::", ".")));
                }
                (Some(path), None) => {
                    mentions.files.insert(path);
                }
                (None, _) => mentions.symbols.extend(symbol_name(&name)),
            }
        }
        mentions
    }

    /// Returns the location if it is unique.
    fn location(self, definitions: &Definitions) -> Option<CodeLocation> {
        let Self { mut files, mut locations, symbols } = self;
        locations.extend(symbols.iter().filter_map(|symbol| definitions.get(symbol)).cloned());
        match (locations.pop_first(), locations.is_empty()) {
            (Some((file, symbol)), true) if files.iter().all(|other| *other == file) => {
                Some(CodeLocation { file, symbol: Some(symbol) })
            }
            (None, _) if files.len() == 1 => {
                files.pop_first().map(|file| CodeLocation { file, symbol: None })
            }
            _ => None,
        }
    }
}

/// Returns the indexed file for a path that is relative to the project root or to the document, or
/// that is the end of a single path.
fn find_file(index: &CodeIndex, document: &str, path: &str) -> Option<String> {
    let path = path.trim_start_matches("./").trim_start_matches('@');
    let path = path.split(['#', ' ']).next().unwrap_or_default();
    let path = match path.rsplit_once(':') {
        Some((path, line)) if line.starts_with(|c: char| c.is_ascii_digit()) => path,
        _ => path,
    };
    let sibling = document.rsplit_once('/').map(|(folder, _)| format!("{folder}/{path}"));
    let exists = |path: &String| index.files.binary_search_by(|row| row.path.cmp(path)).is_ok();
    if let Some(path) = [Some(path.to_owned()), sibling].into_iter().flatten().find(exists) {
        return Some(path);
    }
    if !path.contains('/') {
        return None;
    }
    let suffix = format!("/{path}");
    let mut matches = index.files.iter().filter(|row| row.path.ends_with(&suffix));
    let first = matches.next()?;
    matches.next().is_none().then(|| first.path.clone())
}

/// Returns the qualified symbol of a name that looks like one: `Class.method`, `a_function`,
/// `ClassName`, `call()`.
fn symbol_name(name: &str) -> Option<String> {
    let callee = name.split('(').next().unwrap_or_default();
    let symbol = callee.replace("::", ".");
    let is_identifier = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let is_distinctive = callee.len() < name.len()
        || symbol.trim_matches('_').contains(['.', '_'])
        || symbol.chars().skip(1).any(|c| c.is_ascii_uppercase());
    (is_distinctive && symbol.split('.').all(is_identifier)).then_some(symbol)
}

/// Returns the definitions of the names that have exactly one.
fn definitions(index: &mut CodeIndex, names: &BTreeSet<String>) -> Result<Definitions> {
    let term_ids = |name: &String| {
        let last = name.rsplit('.').next().unwrap_or(name);
        let ids = tokenize::terms(last).into_iter().map(|term| index.term_id(&term));
        // A name with a term that is not in the index has no definition.
        ids.collect::<Option<Vec<u32>>>().unwrap_or_default()
    };
    let term_ids: Vec<Vec<u32>> = names.iter().map(term_ids).collect();
    let mut found = Definitions::new();
    for (name, files) in names.iter().zip(index.files_with(&term_ids)) {
        if files.len() > MAX_FILES {
            continue;
        }
        index.load_symbols(&files, &|_, _| {})?;
        let suffix = format!(".{name}");
        let mut locations = BTreeSet::new();
        for file_idx in files {
            let Some(document) = index.document(file_idx) else { continue };
            let symbols = document.symbols.iter().map(|symbol| symbol.name.as_str());
            let matching = symbols.filter(|symbol| symbol == name || symbol.ends_with(&suffix));
            let path = &index.files[file_idx].path;
            locations.extend(matching.map(|symbol| (path.clone(), symbol.to_owned())));
        }
        if let (Some(location), true) = (locations.pop_first(), locations.is_empty()) {
            found.insert(name.clone(), location);
        }
    }
    Ok(found)
}
