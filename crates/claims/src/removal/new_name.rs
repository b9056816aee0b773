//! The text that replaces a name in a document.

use crate::prelude::*;
use cerberus_engine::rank::tokenize;

use super::Likeness;

/// Returns the new path as the document wrote the old one: relative to its folder, to a folder
/// around it, or as the end of the path.
pub(super) fn written_path(
    document: &Document,
    claim: &Claim,
    old: &str,
    new: &str,
) -> Option<String> {
    let written = claim.span.slice(&document.text);
    let Target::Path { path, is_link, .. } = &claim.target else { return None };
    let trimmed = written.trim_end_matches('/');
    let slash = &written[trimmed.len()..];
    let plain = trimmed.trim_start_matches("./");
    if written.contains(['*', '{']) || path.trim_end_matches('/') != trimmed || plain.is_empty() {
        return None;
    }
    let dot = &trimmed[..trimmed.len() - plain.len()];
    let folder = folder_of(&document.path);
    if let Some(absolute) = trimmed.strip_prefix('/') {
        return (absolute == old).then(|| format!("/{new}{slash}"));
    }
    if plain.starts_with("../") || *is_link {
        return Some(format!("{}{slash}", relative(folder, new)));
    }
    // The folder that the written path is relative to: it must be that of the new path too.
    let base = old.strip_suffix(plain)?;
    let rest = new.strip_prefix(base).or_else(|| dot.is_empty().then_some(new))?;
    if document.claims.tree(claim).is_some() && rest.contains('/') {
        return None;
    }
    Some(format!("{dot}{rest}{slash}"))
}

/// Returns whether a file that moved has its name or its folder still. Another one may be a part of it.
pub(super) fn is_kept(old: &str, new: &str) -> bool {
    old.rsplit('/').next() == new.rsplit('/').next() || folder_of(old) == folder_of(new)
}

/// Returns a path relative to a folder.
fn relative(folder: &str, path: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = path.split('/').collect();
    let n_common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let ups = std::iter::repeat_n("..", from.len() - n_common);
    ups.chain(to[n_common..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// Returns the new last part of a symbol's name: that of the same code, or of code with the same
/// signature and a word of the old name. Other code may do something else.
pub(super) fn replaced_name(claim: &Claim, symbol: &str, likeness: Likeness) -> Option<String> {
    let Target::Symbol { parts, .. } = &claim.target else { return None };
    let (old_name, old_qualifiers) = parts.split_last()?;
    let new: Vec<&str> = symbol.split('.').collect();
    let (new_name, new_qualifiers) = new.split_last()?;
    let words = |name: &str| {
        let mut found = BTreeSet::new();
        tokenize::parts(name, |word| _ = found.insert(word.to_owned()));
        found
    };
    let has_word = || !words(old_name).is_disjoint(&words(new_name));
    let is_clear = likeness.similarity >= 1.0 || (likeness.has_signature && has_word());
    // Only the last part is written anew: a new qualifier would need new prose.
    let is_same_place =
        old_qualifiers.last().zip(new_qualifiers.last()).is_none_or(|(old, new)| old == new);
    (is_clear && is_same_place && new_name != old_name).then(|| (*new_name).to_owned())
}
