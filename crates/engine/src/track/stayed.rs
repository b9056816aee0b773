//! Decides between code that a commit left under the name of an anchor and other code that it added.
//!
//! Pure. If a function is rewritten beside a copy of its old code, it usually is the edited one. It is
//! not if it only calls the copy: then the code was renamed, and the old name forwards to it.

use rustc_hash::FxHashMap;

use crate::syntax::fingerprint::{name_hash, short_hash};
use crate::track::file_symbols::{FileSymbol, FileSymbols};
use crate::track::in_place::same_name;
use crate::track::line_diff::LineDiff;
use crate::track::search::{Candidates, Pair};
use crate::track::weights::WEIGHTS;
use crate::track::{MIN_TOKENS, in_place, search};

/// Returns whether the code of `old`, a symbol of an old version of a file, is under a new name in
/// `new`, whose symbol `own` has its name.
pub(super) fn is_taken_over(
    diff: &LineDiff,
    (old_file, old): (&FileSymbols, (u32, u32)),
    (new_file, own): (&FileSymbols, &FileSymbol),
) -> bool {
    if !diff.left(old, own.lines) {
        return false;
    }
    for symbol in &new_file.symbols {
        let is_apart = symbol.lines.1 < own.lines.0 || symbol.lines.0 > own.lines.1;
        if is_apart
            && search::is_same_family(own.kind, symbol.kind)
            && diff.went_to(old, symbol.lines, own.lines)
            && let Some(name) = &symbol.name
            && !old_file.defines(name)
        {
            return true;
        }
    }
    false
}

/// Returns the odds that each pair gains because its symbol has the name of the anchor, in
/// its file. `new_paths` are the paths of the files after the commit by those before it;
/// `is_taken_over` is whether the code of an anchor is under a new name in its file.
pub(super) fn odds(
    candidates: Candidates<'_>,
    pairs: &[Pair],
    new_paths: &FxHashMap<&str, &str>,
    is_taken_over: impl Fn(usize) -> bool,
) -> Vec<f64> {
    let mut elsewhere: FxHashMap<usize, Vec<&Pair>> = FxHashMap::default();
    for pair in pairs {
        if !is_in_place(candidates, pair, new_paths) {
            elsewhere.entry(pair.missing_idx).or_default().push(pair);
        }
    }
    let mut keeps_part: FxHashMap<usize, &Pair> = FxHashMap::default();
    for pair in pairs {
        let old = &candidates.old(pair).anchor.fingerprint;
        if is_in_place(candidates, pair, new_paths)
            && in_place::keeps_part(old, candidates.symbol(pair))
        {
            keeps_part.insert(pair.missing_idx, pair);
        }
    }
    let mut odds = Vec::with_capacity(pairs.len());
    for pair in pairs {
        if let Some(own) = keeps_part.get(&pair.missing_idx) {
            let is_own = own.symbol() == pair.symbol();
            odds.push(if is_own {
                WEIGHTS.added.stayed
            } else if !pair.evidence.is_same_code && calls(candidates, own, pair) {
                WEIGHTS.added.extracted
            } else {
                0.0
            });
            continue;
        }
        let likeness = pair.evidence.jaccard;
        let is_replaced = || {
            let mut others = elsewhere.get(&pair.missing_idx).into_iter().flatten();
            others.any(|other| is_replaced_by(candidates, pair, other))
        };
        let has_stayed = is_in_place(candidates, pair, new_paths)
            && !is_taken_over(pair.missing_idx)
            && (likeness >= WEIGHTS.forwarded || !is_replaced());
        odds.push(if has_stayed {
            WEIGHTS.added.stayed * (likeness / WEIGHTS.forwarded).min(1.0)
        } else {
            0.0
        });
    }
    odds
}

/// Returns whether the symbol of a pair has the name of the anchor, in its file.
fn is_in_place(candidates: Candidates<'_>, pair: &Pair, new_paths: &FxHashMap<&str, &str>) -> bool {
    let (old_path, path) = candidates.paths(pair);
    let name = candidates.old(pair).anchor.symbol.as_deref();
    new_paths.get(old_path) == Some(&path)
        && same_name(name, candidates.symbol(pair).name.as_deref())
}

/// Returns whether the code of an anchor is in `other`, and not where its name stayed.
fn is_replaced_by(candidates: Candidates<'_>, pair: &Pair, other: &Pair) -> bool {
    // Short code is the same by chance.
    let is_long = candidates.old(pair).anchor.fingerprint.n_tokens >= MIN_TOKENS;
    if other.evidence.is_same_code && is_long {
        return true;
    }
    if other.evidence.jaccard < WEIGHTS.forwarded {
        return false;
    }
    calls(candidates, pair, other)
}

/// Returns whether the symbol of a pair has the name of the symbol of `other`.
fn calls(candidates: Candidates<'_>, pair: &Pair, other: &Pair) -> bool {
    let (_, name) = candidates.new_name(other);
    let called = &candidates.symbol(pair).features.names;
    called.binary_search(&short_hash(name_hash(name))).is_ok()
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::super::file_symbols::ALL;
    use super::super::search::MissingAnchor;
    use super::*;

    const TOTAL: &str = "(orders, rate):
    found = sum(order.price for order in orders)
    return round(found * rate, 2)
";

    fn check(new: &str, expected: f64) {
        check_edit(&format!("def total{TOTAL}"), new, expected);
    }

    /// Checks the odds that are added to those of `total` after its file was replaced.
    fn check_edit(old: &str, new: &str, expected: f64) {
        let old = FileSymbols::parse("shop.py", old.as_bytes(), ALL);
        let anchor = old.anchor(0);
        let missing = [MissingAnchor::new(&anchor)];
        let files = [FileSymbols::parse("shop.py", new.as_bytes(), ALL)];
        let claimed = FxHashSet::default();
        let candidates = Candidates {
            missing: &missing,
            files: &files,
            claimed: &claimed,
        };
        let pairs = search::pairs(candidates);
        let paths = FxHashMap::from_iter([("shop.py", "shop.py")]);
        let added = odds(candidates, &pairs, &paths, |_| false);
        let is_total =
            |pair: &Pair| files[0].symbols[pair.symbol_idx].name.as_deref() == Some("total");
        let total = pairs
            .iter()
            .position(is_total)
            .expect("a pair with the name");
        assert!((added[total] - expected).abs() < 1e-9, "{new}{added:?}");
    }

    #[test]
    fn code_that_was_edited_beside_a_copy_stays() {
        let edited = TOTAL.replace("    return", "    found -= discount(orders)\n    return");
        check(
            &format!("def total{edited}\n\ndef plain_total{TOTAL}"),
            WEIGHTS.added.stayed,
        );
    }

    #[test]
    fn a_forwarder_with_the_old_name_is_not_the_code() {
        let forwarder = "def total(orders, rate):\n    return price_of(orders, rate)\n";
        check(&format!("{forwarder}\n\ndef price_of{TOTAL}"), 0.0);
    }

    #[test]
    fn code_that_calls_what_was_extracted_from_it_stays() {
        let sum = "    found = 0\n    for order in orders:\n        price = order.price * order.count\n        if order.is_gift:\n            price = price - gift_discount(order, price)\n        found += price\n        seen.add(order.customer.name)\n        log.debug(order.code, price)\n";
        let rest = "    receipt = Receipt(found, rate, clock.now())\n    ledger.append(receipt, currency)\n    mailer.send(receipt.render(rate), owner.address)\n    return receipt.signed(keys.current())\n";
        let old = format!("def total(orders, rate):\n{sum}{rest}");
        let new = format!(
            "def total(orders, rate):\n    found = summed(orders)\n{rest}\n\ndef summed(orders):\n{sum}    return found\n"
        );
        check_edit(&old, &new, WEIGHTS.added.stayed);
    }
}
