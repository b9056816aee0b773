//! The bank's files as bytes: what `export` takes out of it and `import` puts in.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::error::UserError;

use super::lockfile::Anchors;
use super::{Bank, files};

/// Where the pins stand.
pub(crate) const PINS: &str = "pins.toml";

/// No file of a bank that a person keeps is larger.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// What was done to one file, to be taken back if a later one fails.
#[derive(Debug)]
pub(crate) enum Put {
    Made(String),
    Replaced { file: String, old: Vec<u8> },
    Trashed { file: String, name: String },
    Copied(String),
}

impl Bank {
    /// Returns the bytes of a file of the bank, if it is there.
    pub(crate) fn bytes(&self, file: &str) -> Result<Option<Vec<u8>>> {
        files::read(&self.own(file)?, MAX_BYTES)
    }

    /// Writes a file that is not there.
    pub(crate) fn put_new(&self, file: &str, bytes: &[u8]) -> Result<Put> {
        if files::create(&self.own(file)?, bytes)? {
            return Ok(Put::Made(file.to_owned()));
        }
        Err(UserError::usage(format!("there is a file `{file}` already"))
            .hint("keep it, or write over it with `--overwrite`")
            .into())
    }

    /// Writes a file over what is there.
    pub(crate) fn put_over(&self, file: &str, bytes: &[u8], old: Vec<u8>) -> Result<Put> {
        files::replace(&self.own(file)?, bytes)?;
        Ok(Put::Replaced { file: file.to_owned(), old })
    }

    /// Keeps a copy of a memory that is to be written over in the trash.
    pub(crate) fn put_aside(&self, file: &str, anchors: &Anchors) -> Result<Put> {
        self.copy_to_trash(file, anchors).map(Put::Copied)
    }

    /// Moves a memory to the trash and returns where it is now.
    pub(crate) fn put_away(&self, file: &str, anchors: &Anchors) -> Result<(String, Put)> {
        let name = self.trash(file, anchors)?;
        Ok((name.clone(), Put::Trashed { file: file.to_owned(), name }))
    }

    /// Takes back what was put, the last first.
    pub(crate) fn take_back(&self, puts: Vec<Put>) -> Result<()> {
        for put in puts.into_iter().rev() {
            match put {
                Put::Made(file) => files::remove(&self.own(&file)?),
                Put::Copied(name) => files::remove(&self.folder().join(&name))
                    .and_then(|()| files::remove(&self.anchor_beside(&name)?)),
                Put::Replaced { file, old } => files::replace(&self.own(&file)?, &old),
                Put::Trashed { file, name } => {
                    files::rename(&self.folder().join(&name), &self.own(&file)?)
                        .and_then(|()| files::remove(&self.anchor_beside(&name)?))
                }
            }
            .context("failed to take back what was written")?;
        }
        Ok(())
    }

    /// Returns the path of a file of the bank itself, which is no link.
    fn own(&self, file: &str) -> Result<PathBuf> {
        let path = self.inside(file)?;
        if path.is_symlink() || path.is_dir() {
            return Err(UserError::usage(format!("`{file}` is a link or a folder in the bank"))
                .hint("move it away: memories are files of the bank itself")
                .into());
        }
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_taken_back() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let bank = Bank::new(folder.path().join("bank"));
        bank.create().expect("made");
        for (file, text) in [("old.md", "old"), ("kept.md", "kept")] {
            bank.put_new(file, text.as_bytes()).expect("put");
        }
        let puts = vec![
            bank.put_new("deep/new.md", b"new").expect("put"),
            bank.put_over("kept.md", b"other", b"kept".to_vec()).expect("put"),
            bank.put_aside("kept.md", &Anchors::new()).expect("put"),
            bank.put_away("old.md", &Anchors::new()).expect("put").1,
            bank.put_new("old.md", b"other").expect("put"),
        ];
        assert!(bank.put_new("old.md", b"x").is_err(), "what is there is not written over");
        bank.take_back(puts).expect("taken back");
        let text = |file: &str| bank.bytes(file).expect("readable");
        assert_eq!(text("old.md").as_deref(), Some(&b"old"[..]));
        assert_eq!(text("kept.md").as_deref(), Some(&b"kept"[..]));
        assert_eq!(text("deep/new.md"), None);
        assert_eq!(bank.trashed().expect("readable"), Vec::<String>::new());
    }
}
