//! The trash: deleted memories with their anchors, until the user empties it.

use std::path::PathBuf;

use anyhow::Result;
use cerberus_model::{refuse, sorted};

use super::deletion::sync_folders_of;
use super::{TRASH, lockfile};
use crate::lockfile::Anchors;
use crate::{Bank, files};

impl Bank {
    /// Moves the file of a memory and its anchor to the trash, and returns the new path. Does not
    /// sync the folders.
    pub(super) fn trash(&self, file: &str, anchors: &Anchors) -> Result<String> {
        let name = self.prepare_trash(file, anchors)?;
        files::rename_unsynced(&self.inside(file)?, &self.inside(&name)?)?;
        Ok(name)
    }

    /// Writes the anchor of a memory to the trash and returns the path for its file. Does not sync
    /// the folder.
    pub(super) fn prepare_trash(&self, file: &str, anchors: &Anchors) -> Result<String> {
        let stem = file.strip_suffix(".md").unwrap_or(file);
        let last = self.numbers(stem)?.pop().unwrap_or(0);
        let name = trashed_name(stem, last + 1);
        let anchor_file = self.trashed_anchor(&name)?;
        if anchors.is_empty() {
            // It may belong to an earlier memory that the user removed from the trash.
            files::remove_unsynced(&anchor_file)?;
        } else {
            files::replace_unsynced(&anchor_file, lockfile::render(anchors).as_bytes())?;
        }
        Ok(name)
    }

    /// Returns the id of the newest memory with this name in the trash.
    pub fn trashed_id(&self, name: &str) -> Result<String> {
        let file = self.newest_trashed(name)?;
        let stored = self.read(&file)?;
        let own = file.strip_suffix(".md").unwrap_or(&file);
        // Without an id in the frontmatter, the id is the original file name.
        Ok(if stored.memory.id == own {
            name.to_owned()
        } else {
            stored.memory.id
        })
    }

    /// Moves the newest file with this name back and returns its path. Calls `save` with the
    /// anchor first, so that an interrupted restore loses nothing.
    pub fn restore(&self, name: &str, save: impl FnOnce(Anchors) -> Result<()>) -> Result<String> {
        let file = format!("{name}.md");
        let name = self.newest_trashed(name)?;
        if self.folder().join(&file).exists() {
            return refuse(
                format!("memory file `{file}` already exists"),
                "rename that file first",
            );
        }
        let anchor_file = self.trashed_anchor(&name)?;
        let anchors = match files::read(&anchor_file, super::memories::MAX_BYTES)? {
            // An unreadable anchor is dropped; the memory can be anchored again.
            Some(bytes) => lockfile::parse(&String::from_utf8_lossy(&bytes)).unwrap_or_default(),
            None => Anchors::new(),
        };
        let from = self.inside(&name)?;
        let to = self.inside(&file)?;
        save(anchors)?;
        files::rename_unsynced(&from, &to)?;
        files::remove_unsynced(&anchor_file)?;
        sync_folders_of([&to, &from])?;
        Ok(file)
    }

    /// Returns the sorted names that can be restored.
    pub fn trashed(&self) -> Result<Vec<String>> {
        Ok(sorted(self.versions()?.into_iter().map(|(name, _)| name)))
    }

    /// Returns the name and number of each file in the trash.
    fn versions(&self) -> Result<Vec<(String, u32)>> {
        let trash = self.folder().join(TRASH);
        if !trash.is_dir() {
            return Ok(Vec::new());
        }
        let (listed, _) = Self::new(trash).list()?;
        Ok(listed
            .iter()
            .map(|file| numbered(file.strip_suffix(".md").unwrap_or(file)))
            .collect())
    }

    /// Returns the sorted numbers of the files with a name in the trash.
    fn numbers(&self, stem: &str) -> Result<Vec<u32>> {
        let mut versions = self.versions()?;
        versions.retain(|(name, _)| name == stem);
        Ok(sorted(versions.into_iter().map(|(_, n)| n)))
    }

    fn newest_trashed(&self, stem: &str) -> Result<String> {
        let Some(n) = self.numbers(stem)?.pop() else {
            let message = format!("memory `{stem}` not found in the trash");
            return refuse(message, "list the trash with `ls .memories/.trash`");
        };
        Ok(trashed_name(stem, n))
    }

    pub(super) fn trashed_anchor(&self, name: &str) -> Result<PathBuf> {
        self.inside(&format!("{name}.anchor"))
    }
}

/// Returns the path of the n-th file with a name in the trash. The first one has no number,
/// unless the name itself ends like a number.
fn trashed_name(stem: &str, n: u32) -> String {
    match n {
        1 if numbered(stem).0 == stem => format!("{TRASH}/{stem}.md"),
        _ => format!("{TRASH}/{stem}~{n}.md"),
    }
}

/// Splits a name in the trash into the original name and the number.
fn numbered(stem: &str) -> (String, u32) {
    if let Some((name, number)) = stem.rsplit_once('~')
        && let Ok(n) = number.parse()
    {
        return (name.to_owned(), n);
    }
    (stem.to_owned(), 1)
}
