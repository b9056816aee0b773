//! Decides which symbol of a file has the name of an anchor.
//!
//! Pure. A file may define a name several times: overloads, accessors, methods of several traits.

use std::borrow::Cow;

use cerberus_model::{Anchor, Fingerprint, split_number};

use crate::syntax::fingerprint::{name_hash, namesake, short_hash, split_name};
use crate::syntax::minhash;
use crate::track::file_symbols::{FileSymbol, FileSymbols, find_file};
use crate::track::search::{Candidates, Pair};
use crate::track::weights::WEIGHTS;
use crate::track::{MIN_TOKENS, are_compatible, search};

/// The symbol in an anchor's file that has its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct InPlaceMatch {
    pub(super) symbol_idx: usize,
    pub(super) similarity: f64,
}

impl InPlaceMatch {
    /// Returns whether the symbol may be other code: another body, or a forwarder to the anchored
    /// code.
    pub(super) fn is_ambiguous(self, anchor: &Anchor) -> bool {
        self.similarity < WEIGHTS.replaced && anchor.fingerprint.n_tokens >= MIN_TOKENS
    }

    /// Returns whether the history of the symbol, one of `file`, may show that it is other code.
    pub(super) fn is_doubtful(self, anchor: &Anchor, file: &FileSymbols) -> bool {
        let is_rewritten =
            self.similarity < WEIGHTS.rewritten && anchor.fingerprint.n_tokens >= MIN_TOKENS;
        self.is_ambiguous(anchor)
            || (anchor.commit.is_some() && (is_rewritten || self.is_surpassed(anchor, file)))
    }

    /// Returns whether the code is more like a symbol that was not beside it when it was recorded.
    fn is_surpassed(self, anchor: &Anchor, file: &FileSymbols) -> bool {
        let is_better = |symbol: &FileSymbol| {
            let Some((_, name)) = symbol.name.as_deref().map(split_name) else {
                return false;
            };
            !minhash::bloom_contains(&anchor.fingerprint.beside, name_hash(name))
                && search::is_same_family(anchor.kind, symbol.kind)
                && similarity(&anchor.fingerprint, &symbol.features.fingerprint) > self.similarity
        };
        self.similarity < 1.0 && file.symbols.iter().any(is_better)
    }

    /// Returns whether an ambiguous match loses to a candidate: to the same code, or to similar code
    /// that the symbol in place calls, as a wrapper for callers of the old name does.
    pub(super) fn is_outranked_by(self, candidates: Candidates<'_>, pair: &Pair) -> bool {
        let (Candidates { files, .. }, old_file) = (candidates, candidates.paths(pair).0);
        let name = candidates
            .symbol(pair)
            .name
            .as_deref()
            .map_or("", |name| split_name(name).1);
        let is_forwarder = find_file(files, old_file).is_some_and(|file_idx| {
            let in_place = &files[file_idx].symbols[self.symbol_idx];
            in_place
                .features
                .names
                .binary_search(&short_hash(name_hash(name)))
                .is_ok()
        });
        pair.evidence.is_same_code || (is_forwarder && pair.evidence.jaccard >= WEIGHTS.forwarded)
    }
}

/// Returns the symbol of `file` that has the name of an anchor. Of several (overloads, accessors),
/// returns the one with its code. If there is none: without those that are known to be others, the one
/// with its number and signature if there are as many as before, and else the most similar one.
pub(super) fn in_place_match(anchor: &Anchor, file: &FileSymbols) -> Option<InPlaceMatch> {
    if !are_compatible(anchor.language, file.language) {
        return None;
    }
    let namesakes = || file.named(anchor.symbol.as_deref()).enumerate();
    let is_family = |symbol: &FileSymbol| search::is_same_family(anchor.kind, symbol.kind);
    // A constant may become a function without moving.
    let is_any = !namesakes().any(|(_, (_, symbol))| is_family(symbol));
    let old = &anchor.fingerprint;
    let number = anchor
        .symbol
        .as_deref()
        .and_then(|symbol| split_number(symbol).1);
    let is_complete = namesakes().count() == old.namesakes.len() + 1;
    let matches = namesakes()
        .filter(|(_, (_, symbol))| (is_any || is_family(symbol)) && !is_other(anchor, symbol))
        .map(|(position, (symbol_idx, symbol))| {
            let new = &symbol.features.fingerprint;
            let similarity = similarity(old, new);
            let is_numbered = number == Some(position + 1);
            let is_same = [
                similarity >= 1.0,
                old.bytes == new.bytes,
                is_numbered && is_complete && old.signature == new.signature,
            ];
            (
                is_same,
                InPlaceMatch {
                    symbol_idx,
                    similarity,
                },
                is_numbered,
            )
        });
    let best = matches.reduce(|best, next| {
        let order = next
            .0
            .cmp(&best.0)
            .then(next.1.similarity.total_cmp(&best.1.similarity));
        if order.then(next.2.cmp(&best.2)).is_gt() {
            next
        } else {
            best
        }
    });
    // Of another kind, only similar or short code: a constant with the name of a class may be an
    // alias that was left for callers of the old name.
    best.map(|(_, found, _)| found)
        .filter(|found| !is_any || !found.is_ambiguous(anchor))
}

/// Returns whether a symbol is one of the other definitions of an anchor's name that were recorded: it
/// has the code of one, or its name and signature.
pub(super) fn is_other(anchor: &Anchor, symbol: &FileSymbol) -> bool {
    let (old, new) = (&anchor.fingerprint, &symbol.features.fingerprint);
    let [code, signature] = namesake(new);
    let is_named = || last_name(anchor.symbol.as_deref()) == last_name(symbol.name.as_deref());
    old.name_independent_hash != new.name_independent_hash
        && old.namesakes.iter().any(|known| {
            known[0] == code
                || (known[1] == signature && old.signature != new.signature && is_named())
        })
}

/// Returns the name of a symbol without its container and its number.
pub(super) fn last_name(symbol: Option<&str>) -> Option<&str> {
    symbol.map(|symbol| split_name(split_number(symbol).0).1)
}

/// Returns the only symbol of `file` that has the last name of an anchor and exactly its code.
pub(super) fn same_code_under_name(anchor: &Anchor, file: &FileSymbols) -> Option<usize> {
    let name = last_name(Some(anchor.symbol.as_deref()?));
    let is_same = |symbol: &FileSymbol| {
        last_name(symbol.name.as_deref()) == name
            && symbol.features.fingerprint.bytes == anchor.fingerprint.bytes
            && search::is_same_family(anchor.kind, symbol.kind)
    };
    let mut found = file
        .symbols
        .iter()
        .enumerate()
        .filter(|(_, symbol)| is_same(symbol));
    let (symbol_idx, _) = found.next()?;
    found.next().is_none().then_some(symbol_idx)
}

/// Returns whether the qualified names of two symbols are equal.
pub(super) fn same_name(a: Option<&str>, b: Option<&str>) -> bool {
    plain_name(a) == plain_name(b)
}

/// Returns the qualified name by which a symbol is compared, or nothing for a whole file. Rust writes a
/// name as `r#gen` after it becomes a keyword.
pub(super) fn plain_name(symbol: Option<&str>) -> Cow<'_, str> {
    let name = symbol.map_or("", |symbol| split_number(symbol).0);
    if !name.contains("r#") {
        return Cow::Borrowed(name);
    }
    let parts = name
        .split('.')
        .map(|part| part.strip_prefix("r#").unwrap_or(part));
    Cow::Owned(parts.collect::<Vec<_>>().join("."))
}

/// Returns the similarity of two pieces of code; 1 only if they are equal.
pub(super) fn similarity(old: &Fingerprint, new: &Fingerprint) -> f64 {
    if old.name_independent_hash == new.name_independent_hash {
        1.0
    } else {
        minhash::jaccard(&old.sketch, &new.sketch).min(0.99)
    }
}

#[cfg(test)]
mod tests;
