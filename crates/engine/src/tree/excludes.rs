//! The globs of `[anchor] exclude`.

use std::path::Path;

use anyhow::Result;
use cerberus_model::UserError;
use ignore::overrides::{Override, OverrideBuilder};
use rustc_hash::FxHashMap;

/// Globs of the files and folders that are not code of the project.
pub(super) struct Excludes {
    overrides: Override,
}

impl Excludes {
    pub(super) fn none() -> Self {
        Self {
            overrides: Override::empty(),
        }
    }

    /// Compiles globs of paths in `root`.
    pub(super) fn new(root: &Path, globs: &[String]) -> Result<Self> {
        let mut overrides = OverrideBuilder::new(root);
        for glob in globs {
            overrides.add(&format!("!{glob}")).map_err(|error| {
                UserError::usage(format!("invalid exclude glob `{glob}`: {error}"))
                    .hint("fix `exclude` under `[anchor]` in `cerberus.toml`")
            })?;
        }
        let overrides = overrides.build().map_err(|error| {
            UserError::usage(format!("failed to compile the exclude globs: {error}"))
                .hint("use fewer or simpler globs in `exclude` under `[anchor]` in `cerberus.toml`")
        })?;
        Ok(Self { overrides })
    }

    /// Returns whether a glob matches a path, of which no folder is excluded.
    pub(super) fn matches(&self, path: &Path, is_folder: bool) -> bool {
        self.overrides.matched(path, is_folder).is_ignore()
    }

    /// Removes the excluded ones of `names`, which are sorted and relative to `root`.
    pub(super) fn retain(&self, root: &Path, names: &mut Vec<Vec<u8>>) {
        if self.overrides.is_empty() {
            return;
        }
        let mut is_excluded: FxHashMap<Vec<u8>, bool> = FxHashMap::default();
        names.retain(|name| {
            for (end, byte) in name.iter().enumerate() {
                if *byte != b'/' {
                    continue;
                }
                let folder = &name[..end];
                let is_known = is_excluded.get(folder).copied();
                let matches = || self.matches(&super::listed::path(root, folder), true);
                let is_folder_excluded = is_known.unwrap_or_else(matches);
                if is_known.is_none() {
                    is_excluded.insert(folder.to_vec(), is_folder_excluded);
                }
                if is_folder_excluded {
                    return false;
                }
            }
            !self.matches(&super::listed::path(root, name), false)
        });
    }
}
