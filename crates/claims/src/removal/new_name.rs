//! The text that replaces a name in a document.

use std::collections::BTreeSet;

use cerberus_engine::rank::tokenize;
use cerberus_engine::track;

use super::super::versions::Version;
use super::{Likeness, Search};
use crate::kinds::path::{FilePath, Part};
use crate::kinds::symbol::Symbol;
use crate::parse::{Claim, Target};
use crate::paths::folder_of;
use crate::report::{Document, NewPlace};

/// Why `--fix` leaves the name of a folder.
const FOLDER: &str =
    "many projects have a folder of this name, and the sentence may mean any of them";

/// Why `--fix` leaves a path with a name.
const CODE: &str = "the code of the name is not the same there";

/// Why `--fix` leaves a path with a line.
const LINE: &str = "the lines up to the named one are not the same there";

impl Search<'_, '_> {
    /// Returns the new place of a path that was at `old` in a commit, with the text that names it.
    pub(super) fn moved_path(
        &mut self,
        (document, claim): (&Document, &Claim),
        (commit, old): (&str, &str),
        place: String,
    ) -> NewPlace {
        let mut replacement = written_path(document, claim, old, &place);
        let mut unwritten = None;
        if replacement.is_some() {
            if is_one_segment(claim.span.slice(&document.text)) && self.now.tree.is_folder(&place) {
                unwritten = Some(FOLDER);
            } else if let Target::Path(FilePath {
                part: Some(part), ..
            }) = &claim.target
            {
                unwritten = self.lost_part((commit, old), &place, part);
            }
        }
        replacement.take_if(|_| unwritten.is_some());
        NewPlace {
            place,
            is_certain: true,
            replacement,
            unwritten,
            is_reused: false,
        }
    }

    /// Returns why a part of a file in a commit is not that of another file now.
    fn lost_part(&mut self, old: (&str, &str), new: &str, part: &Part) -> Option<&'static str> {
        match part {
            Part::Line(line) => (!self.has_same_lines(old, new, *line)).then_some(LINE),
            Part::Symbol(symbol) => self.has_other_code(old, new, symbol).then_some(CODE),
            Part::Heading(_) => None,
        }
    }

    /// Returns whether a name that a file in a commit defined is not that of the same code in another file now.
    fn has_other_code(&mut self, (commit, old): (&str, &str), new: &str, symbol: &str) -> bool {
        let parts: Vec<String> = symbol.split('.').map(str::to_owned).collect();
        let code = |version: &Version| {
            let symbol = version.symbol(&parts)?;
            Some(version.locate(symbol)?.fingerprint)
        };
        let before = self.stored.version(commit, old);
        let Some(before) = before.and_then(|version| code(&version)) else {
            return false;
        };
        let after = self.stored.version_now(self.root, new);
        let after = after.and_then(|version| code(&version));
        after.is_none_or(|after| !track::is_same_lineage(&before, &after))
    }

    /// Returns whether the first lines of a file in a commit are those of another file now.
    fn has_same_lines(&mut self, (commit, old): (&str, &str), new: &str, n_lines: u32) -> bool {
        let n_lines = usize::try_from(n_lines).unwrap_or(usize::MAX);
        let (Some(before), Some(after)) = (
            self.stored.version(commit, old),
            self.stored.version_now(self.root, new),
        ) else {
            return false;
        };
        let before: Vec<&str> = before.text.lines().take(n_lines).collect();
        let after: Vec<&str> = after.text.lines().take(n_lines).collect();
        before.len() == n_lines && before == after
    }
}

/// Returns whether a path has one name: `src/`, `./docs`, `../tests`.
fn is_one_segment(written: &str) -> bool {
    let is_name = |part: &&str| !matches!(*part, "" | "." | "..");
    written.split('/').filter(is_name).count() == 1
}

/// Returns the new path as the document wrote the old one: relative to its folder, to a folder
/// around it, or as the end of the path.
fn written_path(document: &Document, claim: &Claim, old: &str, new: &str) -> Option<String> {
    let written = claim.span.slice(&document.text);
    let Target::Path(FilePath { path, is_link, .. }) = &claim.target else {
        return None;
    };
    let trimmed = written.trim_end_matches('/');
    let slash = &written[trimmed.len()..];
    let plain = trimmed.trim_start_matches("./");
    if written.contains(['*', '{']) || path.trim_end_matches('/') != trimmed || plain.is_empty() {
        return None;
    }
    let dot = &trimmed[..trimmed.len() - plain.len()];
    let folder = document.folder();
    if let Some(absolute) = trimmed.strip_prefix('/') {
        return (absolute == old).then(|| format!("/{new}{slash}"));
    }
    if plain.starts_with("../") || *is_link {
        return Some(format!("{}{slash}", relative(folder, new)));
    }
    // The folder that the written path is relative to: it must be that of the new path too.
    let base = old.strip_suffix(plain)?;
    let rest = new
        .strip_prefix(base)
        .or_else(|| dot.is_empty().then_some(new))?;
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
    ups.chain(to[n_common..].iter().copied())
        .collect::<Vec<_>>()
        .join("/")
}

/// Returns the new last part of a symbol's name: that of the same code, or of code with the same
/// signature and a word of the old name. Other code may do something else.
pub(super) fn replaced_name(claim: &Claim, symbol: &str, likeness: Likeness) -> Option<String> {
    let Target::Symbol(Symbol { parts, .. }) = &claim.target else {
        return None;
    };
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
    let is_same_place = old_qualifiers
        .last()
        .zip(new_qualifiers.last())
        .is_none_or(|(old, new)| old == new);
    (is_clear && is_same_place && new_name != old_name).then(|| (*new_name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_and_slashes_are_no_segments() {
        for written in ["src/", "./docs", "../tests/", "/lib"] {
            assert!(is_one_segment(written), "{written}");
        }
        for written in ["src/db/", "./docs/a", "../tests/unit", "**/"] {
            assert_eq!(is_one_segment(written), written == "**/", "{written}");
        }
    }
}
