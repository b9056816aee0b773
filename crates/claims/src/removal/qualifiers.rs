//! Whether the qualifiers of a name are those of its new place.
//!
//! `pkg.testing.Env` was true because `Env` is in a file below `pkg/testing`. If only the last part is
//! written anew, the others must name the new place as they named the old one. A module that exported
//! the old name must export the new one.

use std::sync::Arc;

use super::super::versions::{Version, is_module};
use super::Search;

/// Files that define which names of its files a folder has.
const MODULE_FILES: &[&str] = &[
    "__init__.py",
    "mod.rs",
    "lib.rs",
    "index.ts",
    "index.tsx",
    "index.js",
    "index.mjs",
];

/// A definition in a version of its file.
pub(super) struct Definition {
    /// The commit of the version, or `None` for the working tree.
    pub(super) commit: Option<String>,
    pub(super) version: Arc<Version>,
    /// The qualified name in the file.
    pub(super) symbol: String,
}

/// What a qualifier names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Qualifier {
    /// A class or a module in the file.
    Container,
    /// The package that the file declares.
    Package,
    /// A part of the path of the file.
    Module(usize),
}

impl Search<'_, '_> {
    /// Returns whether qualifiers name the new definition as they named the old one.
    pub(super) fn are_qualifiers_kept(
        &mut self,
        qualifiers: &[String],
        old: &Definition,
        new: &Definition,
    ) -> bool {
        if qualifiers.is_empty() {
            return true;
        }
        let (before, after) = (old.qualifiers(qualifiers), new.qualifiers(qualifiers));
        are_same(&before, &after) && self.is_exported(&before, &after, (old, new))
    }

    /// Returns whether the folder that the last qualifier names exports the new name, if it did
    /// the old one.
    fn is_exported(
        &mut self,
        before: &[Option<Qualifier>],
        after: &[Option<Qualifier>],
        (old, new): (&Definition, &Definition),
    ) -> bool {
        let last = before
            .last()
            .copied()
            .flatten()
            .zip(after.last().copied().flatten());
        let Some((Qualifier::Module(before), Qualifier::Module(after))) = last else {
            return true;
        };
        let (Some(old_folder), Some(new_folder)) = (old.folder(before), new.folder(after)) else {
            return true;
        };
        MODULE_FILES.iter().all(|file| {
            let old_file = format!("{old_folder}/{file}");
            let exporter = match &old.commit {
                Some(commit) => self.stored.version(commit, &old_file),
                None => self.stored.version_now(self.root, &old_file),
            };
            if !exporter.is_some_and(|it| it.has_word(old.last_name())) {
                return true;
            }
            let exporter = self
                .stored
                .version_now(self.root, &format!("{new_folder}/{file}"));
            exporter.is_some_and(|it| it.has_word(new.last_name()))
        })
    }
}

impl Definition {
    fn last_name(&self) -> &str {
        self.symbol.rsplit('.').next().unwrap_or(&self.symbol)
    }

    /// Returns the folder up to a part of the path, or `None` if that is the file.
    fn folder(&self, position: usize) -> Option<String> {
        let modules: Vec<&str> = self.version.modules().collect();
        (position + 1 < modules.len()).then(|| modules[..=position].join("/"))
    }

    /// Returns what each qualifier names, as far as that is known.
    fn qualifiers(&self, qualifiers: &[String]) -> Vec<Option<Qualifier>> {
        let modules: Vec<&str> = self.version.modules().collect();
        let containers = self
            .symbol
            .rsplit_once('.')
            .map_or("", |(containers, _)| containers);
        let kind = |qualifier: &String| {
            if containers.split('.').any(|it| it == qualifier) {
                return Some(Qualifier::Container);
            }
            if self.version.package() == Some(qualifier) {
                return Some(Qualifier::Package);
            }
            let position = modules
                .iter()
                .rposition(|part| is_module(part, qualifier))?;
            Some(Qualifier::Module(position))
        };
        qualifiers.iter().map(kind).collect()
    }
}

/// Returns whether each qualifier that is known before is of the same kind after, and folders that
/// followed each other do so still.
fn are_same(before: &[Option<Qualifier>], after: &[Option<Qualifier>]) -> bool {
    let mut last: Option<(usize, usize)> = None;
    for (before, after) in before.iter().zip(after) {
        let places = match (before, after) {
            (None, _) => None,
            (Some(Qualifier::Module(before)), Some(Qualifier::Module(after))) => {
                Some((*before, *after))
            }
            (Some(before), Some(after)) if before == after => None,
            // The package is in the folder of its name, in most languages.
            (Some(Qualifier::Module(_)), Some(Qualifier::Package)) => None,
            _ => return false,
        };
        if let (Some((last_before, last_after)), Some((before, after))) = (last, places)
            && last_before + 1 == before
            && last_after + 1 != after
        {
            return false;
        }
        last = places;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(path: &str, text: &str, symbol: &str) -> Definition {
        let version = Arc::new(Version::new(path, text.as_bytes()));
        Definition {
            commit: None,
            version,
            symbol: symbol.to_owned(),
        }
    }

    #[track_caller]
    fn check(qualifiers: &str, old: &Definition, new: &Definition, expected: bool) {
        let qualifiers: Vec<String> = qualifiers.split('.').map(str::to_owned).collect();
        let is_same = are_same(&old.qualifiers(&qualifiers), &new.qualifiers(&qualifiers));
        assert_eq!(is_same, expected, "{qualifiers:?}");
    }

    #[test]
    fn modules_are_kept_with_their_order() {
        let old = definition("kit/forms/_text.py", "", "Field");
        check(
            "kit.forms",
            &old,
            &definition("kit/forms/_line.py", "", "Line"),
            true,
        );
        check(
            "kit.forms",
            &old,
            &definition("lib/kit/forms/line.py", "", "Line"),
            true,
        );
        check(
            "kit.forms",
            &old,
            &definition("kit/inputs/_text.py", "", "Line"),
            false,
        );
        check(
            "kit.forms",
            &old,
            &definition("kit/ui/forms.py", "", "Line"),
            false,
        );
        check(
            "ui.forms",
            &old,
            &definition("kit/forms/_line.py", "", "Line"),
            true,
        );
    }

    #[test]
    fn classes_and_packages_are_kept() {
        let old = definition("src/Cart.java", "package shop;", "Cart.total");
        check(
            "Cart",
            &old,
            &definition("src/Cart.java", "package shop;", "Cart.sum"),
            true,
        );
        check(
            "Cart",
            &old,
            &definition("src/Cart.java", "package shop;", "Basket.sum"),
            false,
        );
        let old = definition("chain/run.go", "package chain\n", "RunAll");
        check(
            "chain",
            &old,
            &definition("chain/run.go", "package chain\n", "All"),
            true,
        );
        check(
            "chain",
            &old,
            &definition("chain/run.go", "package run\n", "All"),
            false,
        );
        check(
            "chain",
            &old,
            &definition("lib/all.go", "package chain\n", "All"),
            true,
        );
    }
}
