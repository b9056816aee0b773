//! The trash: what `delete` took, with its anchor, until a person empties it.

use std::path::PathBuf;

use anyhow::Result;

use crate::error::UserError;

use super::lockfile::{self, Anchors};
use super::{Bank, TRASH, files};

impl Bank {
    /// Keeps a copy of a memory's file in the trash, its anchor beside it, and returns where
    /// it is.
    pub(crate) fn copy_to_trash(&self, file: &str, anchors: &Anchors) -> Result<String> {
        let bytes = self.bytes(file)?.unwrap_or_default();
        let name = self.place_in_trash(file, anchors)?;
        files::replace(&self.inside(&name)?, &bytes)?;
        Ok(name)
    }

    /// Moves a memory's file to the trash, its anchor beside it, and returns where it is.
    pub(crate) fn trash(&self, file: &str, anchors: &Anchors) -> Result<String> {
        let name = self.place_in_trash(file, anchors)?;
        files::rename(&self.inside(file)?, &self.inside(&name)?)?;
        Ok(name)
    }

    /// Puts an anchor where the trash is to have its memory, and returns that place.
    fn place_in_trash(&self, file: &str, anchors: &Anchors) -> Result<String> {
        let stem = file.strip_suffix(".md").unwrap_or(file);
        let n = self.numbers(stem)?.last().map_or(1, |n| n + 1);
        let name = trashed_name(stem, n);
        let beside = self.anchor_beside(&name)?;
        if anchors.is_empty() {
            // One of an earlier memory that was emptied from the trash is not its own.
            files::remove(&beside)?;
        } else {
            files::replace(&beside, lockfile::render(anchors).as_bytes())?;
        }
        Ok(name)
    }

    /// Returns the id of the newest trashed memory of this name.
    pub(crate) fn trashed_id(&self, name: &str) -> Result<String> {
        let file = self.newest_trashed(name)?;
        let stored = self.read(&file)?;
        let own = file.strip_suffix(".md").unwrap_or(&file);
        // Without an id in its frontmatter a memory is called as its file was.
        Ok(if stored.memory.id == own { name.to_owned() } else { stored.memory.id })
    }

    /// Moves the newest trashed file of this name back and returns its path. `keep` is given
    /// its anchor before, so that one which is killed in between has lost nothing.
    pub(crate) fn restore(
        &self,
        name: &str,
        keep: impl FnOnce(Anchors) -> Result<()>,
    ) -> Result<String> {
        let file = format!("{name}.md");
        let name = self.newest_trashed(name)?;
        if self.folder().join(&file).exists() {
            return Err(UserError::usage(format!("there is a memory file `{file}` already"))
                .hint("give that file another name first")
                .into());
        }
        let beside = self.anchor_beside(&name)?;
        let anchors = match files::read(&beside, super::memories::MAX_BYTES)? {
            // An anchor that cannot be read any more can be found anew.
            Some(bytes) => lockfile::parse(&String::from_utf8_lossy(&bytes)).unwrap_or_default(),
            None => Anchors::new(),
        };
        let (from, to) = (self.inside(&name)?, self.inside(&file)?);
        keep(anchors)?;
        files::rename(&from, &to)?;
        files::remove(&beside)?;
        Ok(file)
    }

    /// Returns the names that can be restored, in order.
    pub(crate) fn trashed(&self) -> Result<Vec<String>> {
        let mut names: Vec<String> = self.versions()?.into_iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// Returns the name and number of each file in the trash.
    fn versions(&self) -> Result<Vec<(String, u32)>> {
        let trash = self.folder().join(TRASH);
        if !trash.is_dir() {
            return Ok(Vec::new());
        }
        let (listed, _) = Self::new(trash).list()?;
        Ok(listed.iter().map(|file| numbered(file.strip_suffix(".md").unwrap_or(file))).collect())
    }

    /// Returns the numbers of the trashed files of a name, in order.
    fn numbers(&self, stem: &str) -> Result<Vec<u32>> {
        let versions = self.versions()?.into_iter().filter(|(name, _)| name == stem);
        let mut numbers: Vec<u32> = versions.map(|(_, n)| n).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn newest_trashed(&self, stem: &str) -> Result<String> {
        let newest = self.numbers(stem)?.pop().map(|n| trashed_name(stem, n));
        newest.ok_or_else(|| {
            UserError::usage(format!("memory `{stem}` not found in the trash"))
                .hint("see what is there with `ls .memories/.trash`")
                .into()
        })
    }

    pub(super) fn anchor_beside(&self, name: &str) -> Result<PathBuf> {
        self.inside(&format!("{name}.anchor"))
    }
}

/// Returns where the n-th trashed file of a name lies; a name that ends as if it were
/// numbered is always numbered.
fn trashed_name(stem: &str, n: u32) -> String {
    match n {
        1 if numbered(stem).0 == stem => format!("{TRASH}/{stem}.md"),
        _ => format!("{TRASH}/{stem}~{n}.md"),
    }
}

/// Splits the number off a name in the trash; the first of a name has none.
fn numbered(stem: &str) -> (String, u32) {
    match stem.rsplit_once('~') {
        Some((name, n)) => match n.parse() {
            Ok(n) => (name.to_owned(), n),
            Err(_) => (stem.to_owned(), 1),
        },
        None => (stem.to_owned(), 1),
    }
}
