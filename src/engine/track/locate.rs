//! Finds the place that a user typed.

use std::path::Path;

use anyhow::{Context, Result};

use crate::error::UserError;
use crate::model::{Anchor, Fingerprint};
use crate::syntax::fingerprint::bytes_hash;
use crate::text;
use crate::tree::read;

use super::Place;
use super::file_symbols::{FileCode, Wanted};

/// How many of a file's symbols an error lists.
const MAX_LISTED: usize = 8;

/// A place and the fingerprint of the code there.
#[derive(Debug, Clone)]
pub(crate) struct Located {
    pub(crate) place: Place,
    pub(crate) fingerprint: Fingerprint,
}

/// Returns where the anchors of one file are, as [`locate`] does; the file is parsed once,
/// and where it is as it was when they were recorded it is not compared with them.
pub(crate) fn locate_in(root: &Path, file: &str, anchors: &[&Anchor]) -> Vec<Option<Located>> {
    let Ok(bytes) = read::bytes(root, file) else {
        return vec![None; anchors.len()];
    };
    let hash = bytes_hash(&bytes);
    let is_unchanged = anchors.iter().all(|anchor| anchor.fingerprint.file == hash);
    let is_wanted = |name: Option<&str>| {
        anchors.iter().any(|anchor| match (name, &anchor.symbol) {
            (Some(name), Some(symbol)) => name.ends_with(symbol),
            (name, symbol) => name == symbol.as_deref(),
        })
    };
    let is_wanted: Wanted<'_> = &is_wanted;
    let code = FileCode::only(file, &bytes, (!is_unchanged).then_some(is_wanted));
    let locate = |anchor: &&Anchor| {
        let found = place_in(&code, anchor.symbol.as_deref()).ok()?;
        let known = is_unchanged.then(|| anchor.fingerprint.clone());
        Some(Located { fingerprint: known.unwrap_or(found.fingerprint), ..found })
    };
    anchors.iter().map(locate).collect()
}

/// Returns the place that `file` and `symbol` mean: the symbol of that qualified name
/// or the only one of which it is a tail at a dot; without a symbol, the whole file.
pub(crate) fn locate(root: &Path, file: &str, symbol: Option<&str>) -> Result<Located> {
    if !root.join(file).exists() {
        let hint = "give the path from the project's root, with `/` between its parts";
        return Err(UserError::usage(format!("no such file: `{file}`")).hint(hint).into());
    }
    let code =
        FileCode::read(root, file).with_context(|| format!("failed to anchor to `{file}`"))?;
    place_in(&code, symbol)
}

fn place_in(code: &FileCode, symbol: Option<&str>) -> Result<Located> {
    let at = match symbol {
        None => code.candidates.len() - 1,
        Some(symbol) => resolve(code, symbol)?,
    };
    Ok(Located { place: code.place(at, 1.0), fingerprint: code.fingerprint(at) })
}

fn resolve(code: &FileCode, symbol: &str) -> Result<usize> {
    if code.language.is_none() {
        let message = format!("`{}` has no symbols that cerberus knows", code.path);
        let hint = format!("anchor to the whole file: `{}`", code.path);
        return Err(UserError::usage(message).hint(hint).into());
    }
    let known: Vec<(usize, &str)> = code
        .candidates
        .iter()
        .enumerate()
        .filter_map(|(at, it)| Some((at, it.symbol.as_deref()?)))
        .collect();
    let is_tail = |name: &str| name.strip_suffix(symbol).is_some_and(|head| head.ends_with('.'));
    // Of several definitions of one name (overloads, accessors) the first is meant.
    if let Some((at, _)) = known.iter().find(|(_, name)| *name == symbol) {
        return Ok(*at);
    }
    let mut tails: Vec<(usize, &str)> =
        known.iter().filter(|(_, name)| is_tail(name)).copied().collect();
    tails.dedup_by_key(|(_, name)| *name);
    match tails.as_slice() {
        [(at, _)] => Ok(*at),
        [] => {
            let message = format!("`{}` defines no `{symbol}`", code.path);
            Err(UserError::usage(message).hint(nearest_first(symbol, &known)).into())
        }
        several => {
            let names: Vec<String> = several.iter().map(|(_, name)| format!("`{name}`")).collect();
            let message = format!("`{symbol}` is ambiguous in `{}`", code.path);
            Err(UserError::usage(message).hint(format!("say which: {}", names.join(", "))).into())
        }
    }
}

fn nearest_first(symbol: &str, known: &[(usize, &str)]) -> String {
    let mut names: Vec<&str> = known.iter().map(|(_, name)| *name).collect();
    names.dedup();
    if names.is_empty() {
        return "the file defines nothing; anchor to the whole file".to_owned();
    }
    let meant = text::suggest(symbol, names.iter().copied()).or_else(|| {
        names.iter().copied().find(|name| text::suggest(symbol, name.rsplit('.').next()).is_some())
    });
    names.sort_by_key(|name| Some(*name) != meant);
    let n_more = names.len().saturating_sub(MAX_LISTED);
    let listed: Vec<String> =
        names.iter().take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
    let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
    format!("it defines {}{more}", listed.join(", "))
}
