//! Resolves a location that a person typed.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};

use crate::syntax::parse::limit_warning;
use crate::syntax::{ParsedFile, language};
use crate::tree::read;
use cerberus_model::Fingerprint;
use cerberus_model::error::UserError;
use cerberus_model::text;

use super::FoundSymbol;
use super::file_symbols::{FileSymbol, FileSymbols};

/// Maximum number of symbols that an error lists.
const MAX_LISTED: usize = 8;

/// A location and the fingerprint of the code there.
#[derive(Debug, Clone)]
pub struct Located {
    pub found: FoundSymbol,
    pub fingerprint: Fingerprint,
}

impl Located {
    fn new(code: &FileSymbols, symbol_idx: usize) -> Self {
        Self { found: code.found(symbol_idx, 1.0), fingerprint: code.fingerprint(symbol_idx) }
    }
}

/// Returns the symbol of `file` with this qualified name, or the only one whose name ends with
/// `.symbol`. Without a symbol, returns the whole file.
pub fn locate(root: &Path, file: &str, symbol: Option<&str>) -> Result<Located> {
    if !root.join(file).exists() {
        let hint = "write the path relative to the project root, with `/` between its parts";
        return Err(UserError::usage(format!("file `{file}` not found")).hint(hint).into());
    }
    let may_match = |name: Option<&str>| match (name, symbol) {
        (Some(name), Some(symbol)) => name.ends_with(symbol),
        (name, symbol) => name == symbol,
    };
    let code = FileSymbols::read(root, file, Some(&may_match))
        .with_context(|| format!("failed to anchor to `{file}`"))?;
    let symbol_idx = match symbol {
        None => code.symbols.len() - 1,
        Some(symbol) => resolve(&code, symbol)?,
    };
    Ok(Located::new(&code, symbol_idx))
}

/// Returns the code of a symbol with this qualified name in a version of a file.
pub fn locate_in(file: &str, bytes: &[u8], symbol: &str) -> Option<Located> {
    let code = FileSymbols::parse(file, bytes, Some(&|name| name == Some(symbol)));
    let is_named = |it: &FileSymbol| it.name.as_deref() == Some(symbol);
    let symbol_idx = code.symbols.iter().position(is_named)?;
    Some(Located::new(&code, symbol_idx))
}

/// Returns a warning for each of `files` whose parsing takes too much time or memory, so that its
/// symbols are not found.
pub fn limit_warnings(root: &Path, files: &BTreeSet<&str>) -> Vec<String> {
    let exceeds_limits = |path: &&str| {
        let source = language::from_path(path).zip(read::text(root, path).ok());
        source.is_some_and(|(language, text)| ParsedFile::outline(language, &text).exceeds_limits)
    };
    files.iter().copied().filter(exceeds_limits).map(limit_warning).collect()
}

fn resolve(code: &FileSymbols, symbol: &str) -> Result<usize> {
    if code.language.is_none() {
        let message = format!("`{}` has no symbols: its language is not supported", code.path);
        let hint = format!("anchor to the whole file: `{}`", code.path);
        return Err(UserError::usage(message).hint(hint).into());
    }
    let known: Vec<(usize, &str)> = code
        .symbols
        .iter()
        .enumerate()
        .filter_map(|(idx, symbol)| Some((idx, symbol.name.as_deref()?)))
        .collect();
    // Of several definitions of one name (overloads, accessors), the first is used.
    if let Some((idx, _)) = known.iter().find(|(_, name)| *name == symbol) {
        return Ok(*idx);
    }
    let is_tail = |name: &str| name.strip_suffix(symbol).is_some_and(|head| head.ends_with('.'));
    let mut tails: Vec<(usize, &str)> =
        known.iter().filter(|(_, name)| is_tail(name)).copied().collect();
    tails.dedup_by_key(|(_, name)| *name);
    let (message, hint) = match tails.as_slice() {
        [(idx, _)] => return Ok(*idx),
        [] => {
            let message = format!("symbol `{symbol}` not found in `{}`", code.path);
            (message, list_symbols(symbol, &known))
        }
        several => {
            let names: Vec<String> = several.iter().map(|(_, name)| format!("`{name}`")).collect();
            let message = format!("`{symbol}` is ambiguous in `{}`", code.path);
            (message, format!("specify one of: {}", names.join(", ")))
        }
    };
    Err(UserError::usage(message).hint(hint).into())
}

/// Lists the symbols of a file, with the most similar name first.
fn list_symbols(symbol: &str, known: &[(usize, &str)]) -> String {
    let mut names: Vec<&str> = known.iter().map(|(_, name)| *name).collect();
    names.dedup();
    if names.is_empty() {
        return "the file has no symbols; anchor to the whole file".to_owned();
    }
    let nearest = text::suggest(symbol, names.iter().copied()).or_else(|| {
        names.iter().copied().find(|name| text::suggest(symbol, name.rsplit('.').next()).is_some())
    });
    names.sort_by_key(|name| Some(*name) != nearest);
    let n_more = names.len().saturating_sub(MAX_LISTED);
    let listed: Vec<String> =
        names.iter().take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
    let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
    format!("it defines {}{more}", listed.join(", "))
}
