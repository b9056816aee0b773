//! The trash: what `delete` took, with its anchor, until a person empties it.

use std::path::PathBuf;

use anyhow::Result;

use crate::error::Failure;

use super::lockfile::{self, Anchors};
use super::{Bank, TRASH, files};

impl Bank {
    /// Moves a memory's file to the trash, its anchor beside it, and returns where it is.
    pub(crate) fn trash(&self, file: &str, anchors: &Anchors) -> Result<String> {
        let stem = file.strip_suffix(".md").unwrap_or(file);
        let mut name = format!("{TRASH}/{stem}.md");
        let mut n = 2;
        while self.folder().join(&name).exists() {
            name = format!("{TRASH}/{stem}~{n}.md");
            n += 1;
        }
        if !anchors.is_empty() {
            files::replace(&self.anchor_beside(&name), &lockfile::render(anchors))?;
        }
        files::rename(&self.inside(file)?, &self.inside(&name)?)?;
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

    /// Moves the newest trashed file of this name back and returns its path and anchor.
    pub(crate) fn restore(&self, name: &str) -> Result<(String, Anchors)> {
        let file = format!("{name}.md");
        let name = self.newest_trashed(name)?;
        if self.folder().join(&file).exists() {
            return Err(Failure::usage(format!("there is a memory file `{file}` already")).into());
        }
        let beside = self.anchor_beside(&name);
        let anchors = match files::read(&beside, super::memories::MAX_BYTES)? {
            // An anchor that cannot be read any more can be found anew.
            Some(bytes) => lockfile::parse(&String::from_utf8_lossy(&bytes)).unwrap_or_default(),
            None => Anchors::new(),
        };
        files::rename(&self.inside(&name)?, &self.inside(&file)?)?;
        files::remove(&beside)?;
        Ok((file, anchors))
    }

    /// Returns the names that can be restored, in order.
    pub(crate) fn trashed(&self) -> Result<Vec<String>> {
        let trash = self.folder().join(TRASH);
        let mut names = Vec::new();
        if trash.is_dir() {
            let (listed, _) = Self::new(trash).list()?;
            for file in listed {
                let stem = file.strip_suffix(".md").unwrap_or(&file);
                let name = match stem.rsplit_once('~') {
                    Some((name, n)) if n.parse::<u32>().is_ok() => name,
                    _ => stem,
                };
                names.push(name.to_owned());
            }
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn newest_trashed(&self, stem: &str) -> Result<String> {
        let first = format!("{TRASH}/{stem}.md");
        let mut newest = self.folder().join(&first).exists().then_some(first);
        for n in 2.. {
            let name = format!("{TRASH}/{stem}~{n}.md");
            if !self.folder().join(&name).exists() {
                break;
            }
            newest = Some(name);
        }
        newest.ok_or_else(|| {
            Failure::usage(format!("there is no memory `{stem}` in the trash")).into()
        })
    }

    fn anchor_beside(&self, name: &str) -> PathBuf {
        self.folder().join(format!("{name}.anchor"))
    }
}
