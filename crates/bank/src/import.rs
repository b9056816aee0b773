//! Writing of many memories with their anchors, all or none.
//!
//! An import records the deletion of the files that it creates and the copies of those that it
//! changes, and removes the record at its end. Readers see nothing of the import until then. If the
//! process is killed before, the next writer completes the record, which moves the new files to the
//! trash and restores the copies.

use std::borrow::Cow;
use std::path::PathBuf;

use anyhow::{Context, Result};
use cerberus_model::{MemoryId, refuse};

use super::deletion::{Deletion, Move, TEMPORARY_COPIES, sync_folders_of};
use crate::lockfile::Anchors;
use crate::memories::check_size;
use crate::{Bank, files};

/// Size limit of a file of which a copy is made. A person may make a memory larger than it can be.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The files and anchors that an import writes.
#[derive(Debug, Clone, Default)]
pub struct ImportChanges {
    /// New memories with their texts.
    pub created: Vec<(MemoryId, String)>,
    /// Memory files with their new texts.
    pub changed: Vec<(String, String)>,
    /// Memory files to remove, such as the old file of a renamed memory.
    pub removed: Vec<String>,
    pub before: Anchors,
    pub after: Anchors,
}

impl ImportChanges {
    /// Fails if a text is larger than a memory may be.
    pub(crate) fn check_sizes(&self) -> Result<()> {
        for (_, text) in &self.created {
            check_size(text)?;
        }
        for (_, text) in &self.changed {
            check_size(text)?;
        }
        Ok(())
    }
}

impl Bank {
    /// Writes all memories and anchors; if a write fails, the others are reverted.
    pub fn import(&self, changes: &ImportChanges) -> Result<()> {
        let changes = &self.admitted_import(changes)?;
        let record = self.begin_import(changes)?;
        let mut n_created = 0;
        let written = self.write_import(changes, &mut n_created);
        if let Err(error) = written {
            self.revert_import(n_created, &record, &changes.before)
                .context("failed to roll back the changes")?;
            return Err(error);
        }
        self.finish_import()
    }

    /// Returns the changes with the texts that the writer may store.
    fn admitted_import<'c>(&self, changes: &'c ImportChanges) -> Result<Cow<'c, ImportChanges>> {
        if self.agent().is_none() {
            return Ok(Cow::Borrowed(changes));
        }
        let mut changes = changes.clone();
        for (id, text) in &mut changes.created {
            *text = self.admitted(&id.file(), text)?.into_owned();
        }
        for (file, text) in &mut changes.changed {
            *text = self.admitted(file, text)?.into_owned();
        }
        Ok(Cow::Owned(changes))
    }

    /// Records an import and makes the copies with which it can be undone.
    fn begin_import(&self, changes: &ImportChanges) -> Result<Deletion> {
        let mut moves = Vec::new();
        for (id, _) in &changes.created {
            let file = id.file();
            let trashed = self.prepare_trash(&file, &Anchors::new())?;
            moves.push(Move { file, trashed });
        }
        let mut record = Deletion::new(moves, &changes.after, &changes.before);
        let changed = changes.changed.iter().map(|(file, _)| file);
        for file in changed.chain(&changes.removed) {
            record.restored.push(Move {
                file: file.clone(),
                trashed: format!("{TEMPORARY_COPIES}/{file}"),
            });
        }
        self.record(&record, true)?;
        if let Err(error) = self.copy_restored(&record) {
            self.finish_import()?;
            return Err(error);
        }
        Ok(record)
    }

    fn copy_restored(&self, record: &Deletion) -> Result<()> {
        let mut copies = Vec::new();
        for Move { file, trashed } in &record.restored {
            let copy = self.inside(trashed)?;
            files::replace_unsynced(&copy, &self.bytes_at(file)?.unwrap_or_default())?;
            copies.push(copy);
        }
        sync_folders_of(&copies)
    }

    /// Writes all files. Counts those that it created, also if another fails.
    fn write_import(&self, changes: &ImportChanges, n_created: &mut usize) -> Result<()> {
        self.write_anchors(&changes.after)?;
        let mut writes = files::Writes::new(changes.created.len());
        let mut paths: Vec<PathBuf> = Vec::new();
        for (id, text) in &changes.created {
            let file = id.file();
            let path = self.regular(&file)?;
            if !writes.create(&path, text.as_bytes())? {
                return refuse(
                    format!("file `{file}` already exists"),
                    "rename that file first",
                );
            }
            *n_created += 1;
            paths.push(path);
        }
        writes.sync()?;
        for (file, text) in &changes.changed {
            let path = self.regular(file)?;
            files::replace_unsynced(&path, text.as_bytes())?;
            paths.push(path);
        }
        for file in &changes.removed {
            let path = self.regular(file)?;
            files::remove_unsynced(&path)?;
            paths.push(path);
        }
        // The writes survive a power failure only after that.
        sync_folders_of(&paths)
    }

    /// Reverts a recorded import that created this number of files.
    fn revert_import(&self, n_created: usize, record: &Deletion, before: &Anchors) -> Result<()> {
        for Move { file, trashed } in &record.restored {
            let old = self.bytes_at(trashed)?.unwrap_or_default();
            if self.bytes_at(file)?.as_ref() != Some(&old) {
                files::replace(&self.regular(file)?, &old)?;
            }
        }
        for created in &record.moves[..n_created] {
            files::remove(&self.regular(&created.file)?)?;
        }
        self.write_anchors(before)?;
        self.finish_import()
    }

    /// Removes the record, so that readers see the files, and then the copies.
    fn finish_import(&self) -> Result<()> {
        self.remove_record()?;
        files::remove_folder(&self.inside(TEMPORARY_COPIES)?)
    }

    /// Returns the bytes of a file on disk, if it exists.
    pub(super) fn bytes_at(&self, file: &str) -> Result<Option<Vec<u8>>> {
        files::read(&self.regular(file)?, MAX_BYTES)
    }

    /// Returns the path of a file in the bank. Fails for a symbolic link or a folder.
    fn regular(&self, file: &str) -> Result<PathBuf> {
        let path = self.inside(file)?;
        if path.is_symlink() || path.is_dir() {
            return refuse(
                format!("`{file}` in the bank is a symbolic link or a folder"),
                "move it away: memories have to be regular files",
            );
        }
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::super::deletion::tests::bank;
    use super::*;

    fn texts(files: &[&str]) -> Vec<(String, String)> {
        let files = files.iter();
        files
            .map(|file| ((*file).to_owned(), "imported".to_owned()))
            .collect()
    }

    fn new(ids: &[&str]) -> Vec<(MemoryId, String)> {
        let ids = ids.iter().map(|id| id.parse().expect("a valid id"));
        ids.map(|id| (id, "imported".to_owned())).collect()
    }

    #[test]
    fn an_import_that_was_killed_at_any_step_is_not_seen_and_is_undone() {
        for n_steps in 0..6 {
            let (_folder, bank, before) = bank();
            let files = ["a.md", "c.md", "deep/b.md", "deep/new.md", "new.md"];
            let state = || {
                let texts = files.map(|file| bank.bytes(file).expect("readable"));
                let stats =
                    files.map(|file| bank.stat_in(&bank.view(), file).map(|stat| stat.size));
                let listed = bank.list().expect("readable").0;
                (listed, texts, stats, bank.anchors().expect("readable"))
            };
            let old = state();
            let mut after = before.clone();
            after.insert("new".to_owned(), before["a"].clone());
            after.insert("c".to_owned(), before["a"].clone());
            let created = new(&["deep/new", "new"]);
            let changed = texts(&["a.md"]);
            let changes = ImportChanges {
                created,
                changed,
                removed: vec!["deep/b.md".to_owned()],
                before,
                after,
            };
            bank.begin_import(&changes).expect("recorded");
            let write = |file: &str| files::replace(&bank.folder().join(file), b"imported");
            let steps: [&dyn Fn() -> Result<()>; 5] = [
                &|| bank.write_anchors(&changes.after).map(drop),
                &|| write("deep/new.md"),
                &|| write("a.md"),
                &|| files::remove(&bank.folder().join("deep/b.md")),
                &|| write("new.md"),
            ];
            for step in &steps[..n_steps] {
                step().expect("written");
            }
            assert_eq!(state(), old, "{n_steps} steps");
            drop(bank.lock_for_writing().expect("free"));
            assert_eq!(state(), old, "{n_steps} steps, undone");
            assert!(bank.unfinished_deletion().is_none());
            assert!(!bank.folder().join(TEMPORARY_COPIES).exists());
        }
    }

    #[test]
    fn an_edit_after_a_killed_import_is_kept_in_the_trash() {
        let (_folder, bank, before) = bank();
        let changed = texts(&["a.md", "c.md"]);
        let after = before.clone();
        let changes = ImportChanges {
            changed,
            before,
            after,
            ..ImportChanges::default()
        };
        bank.begin_import(&changes).expect("recorded");
        for file in ["a.md", "c.md"] {
            files::replace(&bank.folder().join(file), b"edited").expect("written");
        }
        drop(bank.lock_for_writing().expect("free"));
        let text = |file: &str| bank.bytes(file).expect("readable");
        for (file, expected) in [
            ("a.md", "a.md"),
            ("c.md", "c.md"),
            (".trash/a.md", "edited"),
            (".trash/c.md", "edited"),
        ] {
            assert_eq!(text(file).as_deref(), Some(expected.as_bytes()), "{file}");
        }
    }

    #[test]
    fn a_finished_import_is_seen() {
        let (_folder, bank, before) = bank();
        let (created, changed) = (new(&["new"]), texts(&["a.md", "c.md"]));
        let after = before.clone();
        bank.import(&ImportChanges {
            created,
            changed,
            removed: vec!["deep/b.md".to_owned()],
            before,
            after,
        })
        .expect("imported");
        drop(bank.lock_for_writing().expect("free"));
        assert_eq!(bank.list().expect("readable").0, ["a.md", "c.md", "new.md"]);
        for file in ["a.md", "c.md", "new.md"] {
            assert_eq!(
                bank.bytes(file).expect("readable").as_deref(),
                Some(&b"imported"[..])
            );
        }
        assert_eq!(bank.trashed().expect("readable"), [""; 0]);
    }

    /// Checks that an import of new files and of `a.md` fails and changes nothing.
    #[track_caller]
    fn check_failure(created: &[&str]) {
        let (_folder, bank, before) = bank();
        files::create(&bank.folder().join("70.md"), b"old").expect("written");
        let old = bank.list().expect("readable").0;
        let mut after = before.clone();
        after.remove("a");
        let (created, changed) = (new(created), texts(&["a.md"]));
        let changes = ImportChanges {
            created,
            changed,
            before,
            after,
            ..ImportChanges::default()
        };
        let error = bank.import(&changes).expect_err("70.md exists");
        assert!(
            error.to_string().contains("`70.md` already exists"),
            "{error:#}"
        );
        assert_eq!(bank.list().expect("readable").0, old);
        assert_eq!(
            bank.bytes("70.md").expect("readable").as_deref(),
            Some(&b"old"[..])
        );
        assert_eq!(
            bank.bytes("a.md").expect("readable").as_deref(),
            Some(&b"a.md"[..])
        );
        assert_eq!(bank.anchors().expect("readable"), changes.before);
        assert_eq!(bank.trashed().expect("readable"), [""; 0]);
        assert!(bank.unfinished_deletion().is_none());
    }

    #[test]
    fn a_failed_import_changes_nothing() {
        check_failure(&["new", "deep/new", "70", "last"]);
        // So many that they are synced together, where the system can do that.
        let names: Vec<String> = (0..100).map(|idx| idx.to_string()).collect();
        check_failure(&names.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
