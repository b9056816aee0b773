//! Decides which symbol of a file has the name of an anchor.
//!
//! Pure. A file may define a name several times: overloads, accessors, methods of several traits.

use std::borrow::Cow;
use std::cmp::Ordering;

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
        if self.similarity >= 1.0 {
            return false;
        }
        for symbol in &file.symbols {
            let Some(name) = &symbol.name else { continue };
            let (_, last_name) = split_name(name);
            if !minhash::bloom_contains(&anchor.fingerprint.beside, name_hash(last_name))
                && search::is_same_family(anchor.kind, symbol.kind)
                && similarity(&anchor.fingerprint, &symbol.features.fingerprint) > self.similarity
            {
                return true;
            }
        }
        false
    }

    /// Returns whether an ambiguous match loses to a candidate: to the same code, or to similar code
    /// that the symbol in place calls, as a wrapper for callers of the old name does.
    pub(super) fn is_outranked_by(self, candidates: Candidates<'_>, pair: &Pair) -> bool {
        if pair.evidence.is_same_code {
            return true;
        }
        if pair.evidence.jaccard < WEIGHTS.forwarded {
            return false;
        }
        let files = candidates.files;
        let (old_path, _) = candidates.paths(pair);
        let Some(file_idx) = find_file(files, old_path) else {
            return false;
        };
        let in_place = &files[file_idx].symbols[self.symbol_idx];
        if keeps_part(&candidates.old(pair).anchor.fingerprint, in_place) {
            return false;
        }
        let (_, name) = split_name(candidates.symbol(pair).name.as_deref().unwrap_or_default());
        let called = &in_place.features.names;
        called.binary_search(&short_hash(name_hash(name))).is_ok()
    }
}

/// Returns the symbol of `file` that has the name of an anchor. Of several (overloads, accessors),
/// returns the one with its code. If there is none: without those that are known to be others, the one
/// with its number and signature if there are as many as before, and else the most similar one.
pub(super) fn in_place_match(anchor: &Anchor, file: &FileSymbols) -> Option<InPlaceMatch> {
    if !are_compatible(anchor.language, file.language) {
        return None;
    }
    let namesakes: Vec<(usize, &FileSymbol)> = file.named(anchor.symbol.as_deref()).collect();
    // A constant may become a function without moving.
    let is_any = !namesakes
        .iter()
        .any(|(_, symbol)| search::is_same_family(anchor.kind, symbol.kind));
    let old = &anchor.fingerprint;
    let number = match &anchor.symbol {
        Some(symbol) => split_number(symbol).1,
        None => None,
    };
    let is_complete = namesakes.len() == old.namesakes.len() + 1;
    let mut best: Option<Namesake> = None;
    for (position, (symbol_idx, symbol)) in namesakes.into_iter().enumerate() {
        let is_family = is_any || search::is_same_family(anchor.kind, symbol.kind);
        if !is_family || is_other(anchor, symbol) {
            continue;
        }
        let new = &symbol.features.fingerprint;
        let similarity = similarity(old, new);
        let is_numbered = number == Some(position + 1);
        let next = Namesake {
            is_same: [
                similarity >= 1.0,
                old.bytes == new.bytes,
                is_numbered && is_complete && old.signature == new.signature,
            ],
            found: InPlaceMatch {
                symbol_idx,
                similarity,
            },
            is_numbered,
        };
        match &best {
            Some(best) if next.order(best).is_le() => {}
            _ => best = Some(next),
        }
    }
    let found = best?.found;
    // Of another kind, only similar or short code: a constant with the name of a class may be an
    // alias that was left for callers of the old name.
    (!is_any || !found.is_ambiguous(anchor)).then_some(found)
}

/// A symbol with the name of an anchor, and how it compares with the others.
struct Namesake {
    /// Whether it has the code, the text, and the number and signature of the anchor.
    is_same: [bool; 3],
    found: InPlaceMatch,
    is_numbered: bool,
}

impl Namesake {
    fn order(&self, other: &Self) -> Ordering {
        self.is_same
            .cmp(&other.is_same)
            .then(self.found.similarity.total_cmp(&other.found.similarity))
            .then(self.is_numbered.cmp(&other.is_numbered))
    }
}

/// Returns whether a symbol is one of the other definitions of an anchor's name that were recorded: it
/// has the code of one, or its name and signature.
pub(super) fn is_other(anchor: &Anchor, symbol: &FileSymbol) -> bool {
    let old = &anchor.fingerprint;
    let new = &symbol.features.fingerprint;
    if old.name_independent_hash == new.name_independent_hash {
        return false;
    }
    let [code, signature] = namesake(new);
    if old.namesakes.iter().any(|known| known[0] == code) {
        return true;
    }
    old.signature != new.signature
        && old.namesakes.iter().any(|known| known[1] == signature)
        && last_name(anchor.symbol.as_deref()) == last_name(symbol.name.as_deref())
}

/// Returns the name of a symbol without its container and its number.
pub(super) fn last_name(symbol: Option<&str>) -> Option<&str> {
    symbol.map(|symbol| split_name(split_number(symbol).0).1)
}

/// Returns the only symbol of `file` that has the last name of an anchor and exactly its code.
pub(super) fn same_code_under_name(anchor: &Anchor, file: &FileSymbols) -> Option<usize> {
    let name = last_name(Some(anchor.symbol.as_deref()?));
    let mut found = None;
    for (symbol_idx, symbol) in file.symbols.iter().enumerate() {
        if last_name(symbol.name.as_deref()) != name
            || symbol.features.fingerprint.bytes != anchor.fingerprint.bytes
            || !search::is_same_family(anchor.kind, symbol.kind)
        {
            continue;
        }
        if found.is_some() {
            return None;
        }
        found = Some(symbol_idx);
    }
    found
}

/// Returns whether the qualified names of two symbols are equal.
pub(super) fn same_name(a: Option<&str>, b: Option<&str>) -> bool {
    plain_name(a) == plain_name(b)
}

/// Returns the qualified name by which a symbol is compared, or nothing for a whole file. Rust writes a
/// name as `r#gen` after it becomes a keyword.
pub(super) fn plain_name(symbol: Option<&str>) -> Cow<'_, str> {
    let (name, _) = split_number(symbol.unwrap_or_default());
    if !name.contains("r#") {
        return Cow::Borrowed(name);
    }
    let mut parts = Vec::new();
    for part in name.split('.') {
        parts.push(part.strip_prefix("r#").unwrap_or(part));
    }
    Cow::Owned(parts.join("."))
}

/// Returns the similarity of two pieces of code; 1 only if they are equal.
pub(super) fn similarity(old: &Fingerprint, new: &Fingerprint) -> f64 {
    if old.name_independent_hash == new.name_independent_hash {
        1.0
    } else {
        minhash::jaccard(&old.sketch, &new.sketch).min(0.99)
    }
}

/// Returns whether a symbol consists of a part of the old code, more than its header. If it calls the code that has the
/// rest, that was extracted from it.
pub(super) fn keeps_part(old: &Fingerprint, own: &FileSymbol) -> bool {
    let new = &own.features.fingerprint;
    let likeness = minhash::jaccard(&old.sketch, &new.sketch);
    let share = minhash::containment(likeness, old.n_tokens, new.n_tokens);
    share >= WEIGHTS.kept_share && share * f64::from(new.n_tokens) >= WEIGHTS.kept_tokens
}

#[cfg(test)]
mod tests;
