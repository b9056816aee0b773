//! Which names versions of files define.
//!
//! Many claims ask about the same versions, so each of them is parsed once.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128;

use cerberus_engine::syntax::parse::{Symbol, last_name};
use cerberus_engine::syntax::{ParsedFile, language};
use cerberus_model::{Language, SymbolKind};

use super::words::{self, has_word};

/// Maximum number of versions whose symbols are stored.
const MAX_VERSIONS: usize = 2000;

/// The symbols of the versions that were parsed, by the hash of their text.
#[derive(Default)]
pub(super) struct Definitions(FxHashMap<(Language, u128), Rc<[Symbol]>>);

impl Definitions {
    /// Returns whether a version of a file defines a qualified name. A file that is clear without a
    /// parse is not parsed.
    pub(super) fn has(&mut self, path: &str, text: &str, parts: &[String]) -> bool {
        let Some((name, qualifiers)) = parts.split_last() else { return false };
        let qualifier = qualifiers.last();
        if !has_word(text, name) {
            return false;
        }
        let is_here = qualifier.is_none_or(|qualifier| is_in_place(path, qualifier));
        if is_here && words::defines(text, name) {
            return true;
        }
        self.symbols(path, text).is_some_and(|symbols| {
            named(&symbols, path, parts).is_some()
                || qualifier.is_some_and(|class| has_member(&symbols, text, class, name))
        })
    }

    /// Returns whether a file declares a name: as a function, a type, a module or a constant, not
    /// only as a field, a key, a parameter or a local variable.
    pub(super) fn declares(&mut self, path: &str, text: &str, name: &str) -> bool {
        match self.symbols(path, text) {
            Some(symbols) => symbols
                .iter()
                .filter(|symbol| last_name(&symbol.name) == name)
                .any(|it| it.kind != SymbolKind::Variable || it.parent.is_none()),
            None => words::declares(text, name),
        }
    }

    /// Returns the qualified name under which a version of a file in a parsed language defines a
    /// name.
    pub(super) fn symbol(&mut self, path: &str, text: &str, parts: &[String]) -> Option<String> {
        parts.last().filter(|name| has_word(text, name))?;
        named(&self.symbols(path, text)?, path, parts).map(str::to_owned)
    }

    /// Returns the symbols of a version, or `None` for a language that is not parsed.
    fn symbols(&mut self, path: &str, text: &str) -> Option<Rc<[Symbol]>> {
        let language = language::from_path(path)?;
        if self.0.len() >= MAX_VERSIONS {
            self.0.clear();
        }
        let symbols = self.0.entry((language, xxh3_128(text.as_bytes())));
        let symbols = symbols.or_insert_with(|| ParsedFile::outline(language, text).symbols.into());
        Some(Rc::clone(symbols))
    }
}

/// Returns the symbol with a qualified name.
fn named<'s>(symbols: &'s [Symbol], path: &str, parts: &[String]) -> Option<&'s str> {
    let (name, qualifiers) = parts.split_last()?;
    let is_named = |symbol: &&str| {
        let outer = || symbol.split('.').rev().skip(1);
        let is_within = |qualifier| outer().any(|part| part == qualifier);
        last_name(symbol) == name
            && qualifiers.last().is_none_or(|it| is_within(it) || is_in_place(path, it))
    };
    symbols.iter().map(|symbol| symbol.name.as_str()).find(is_named)
}

/// Returns whether a class has a field, a variant or an attribute, which is not a symbol.
fn has_member(symbols: &[Symbol], text: &str, class: &str, name: &str) -> bool {
    let mut classes = symbols.iter().filter(|symbol| last_name(&symbol.name) == class);
    classes.any(|symbol| has_word(symbol.span.slice(text), name))
}

/// Returns whether a qualifier names a file or a folder around it: a module or a package.
fn is_in_place(path: &str, qualifier: &str) -> bool {
    let path = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    path.split('/').any(|part| part == qualifier || part.replace('-', "_") == *qualifier)
}
