//! The rules of ignore files, in the order in which the `ignore` crate applies them.

use std::iter::successors;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::prelude::*;

use super::walk::{IGNORE_FILES, exclude_file};

/// The rules of the ignore files of a folder, and those of the folders around it.
pub(super) struct Rules {
    /// By precedence: `.ignore`, `.gitignore` and the exclude file of a repository.
    own: [Gitignore; 3],
    outer: Option<Arc<Self>>,
}

impl Rules {
    /// Returns the rules of the folders around one.
    pub(super) fn around(folder: &Path) -> Option<Arc<Self>> {
        let outer = folder.parent()?;
        Self::of(outer, Self::around(outer))
    }

    /// Adds the rules of a folder to those of the folders around it. A pattern that is not valid has no
    /// effect.
    pub(super) fn of(folder: &Path, outer: Option<Arc<Self>>) -> Option<Arc<Self>> {
        let [git, plain] = IGNORE_FILES.map(|name| Some(folder.join(name)));
        let own = [plain, git, exclude_file(folder).ok().flatten()].map(|file| {
            let mut builder = GitignoreBuilder::new(folder);
            let _ = file.map(|file| builder.add(file));
            builder.build().unwrap_or_else(|_| Gitignore::empty())
        });
        if own.iter().all(Gitignore::is_empty) {
            return outer;
        }
        Some(Arc::new(Self { own, outer }))
    }

    /// Returns whether a path is ignored, if a rule says so.
    pub(super) fn ignore(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let around = successors(Some(self), |it| it.outer.as_deref());
        let of_kind = |kind: usize| {
            let matches = around.clone().map(move |it| it.own[kind].matched(path, is_folder));
            matches.filter(|it| !it.is_none())
        };
        (0..3).flat_map(of_kind).next().map(|it| it.is_ignore())
    }
}
