//! Writing of many memories with their anchors, all or none.
//!
//! An import records the deletion of the files that it creates and the copies of those that it
//! changes, and removes the record at its end. Readers see nothing of the import until then. If the
//! process is killed before, the next writer completes the record, which moves the new files to the
//! trash and restores the copies.

use std::borrow::Cow;
use std::path::PathBuf;

use anyhow::{Context, Result};
use cerberus_model::UserError;

use super::deletion::{Deletion, Move, TEMPORARY_COPIES, sync_folders_of};
use crate::lockfile::Anchors;
use crate::{Bank, files};

/// Size limit of a file of which a copy is made. A person may make a memory larger than it can be.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The files and anchors that an import writes.
#[derive(Debug, Clone)]
pub struct ImportChanges {
    /// New memory files with their texts.
    pub created: Vec<(String, String)>,
    /// Memory files with their new texts.
    pub changed: Vec<(String, String)>,
    pub before: Anchors,
    pub after: Anchors,
}

impl Bank {
    /// Writes all memories and anchors; if a write fails, the others are reverted.
    pub fn import(&self, changes: &ImportChanges) -> Result<()> {
        let changes = &self.admitted_import(changes)?;
        let record = self.begin_import(changes)?;
        let mut n_created = 0;
        let written = self.write_import(changes, &mut n_created);
        if let Err(error) = written {
            let created = changes.created[..n_created].iter().map(|(file, _)| file);
            self.revert_import(created, &record, &changes.before)
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
        for (file, text) in changes.created.iter_mut().chain(&mut changes.changed) {
            let admitted = self.admitted(file, text)?.into_owned();
            *text = admitted;
        }
        Ok(Cow::Owned(changes))
    }

    /// Records an import and makes the copies with which it can be undone.
    fn begin_import(&self, changes: &ImportChanges) -> Result<Deletion> {
        let mut moves = Vec::new();
        for (file, _) in &changes.created {
            let trashed = self.prepare_trash(file, &Anchors::new())?;
            moves.push(Move {
                file: file.clone(),
                trashed,
            });
        }
        let mut record = Deletion::new(moves, &changes.after, &changes.before);
        let copy = |file: &String| format!("{TEMPORARY_COPIES}/{file}");
        let copies = changes.changed.iter().map(|(file, _)| file);
        record.restored = copies
            .map(|it| Move {
                file: it.clone(),
                trashed: copy(it),
            })
            .collect();
        self.record(&record, true)?;
        if let Err(error) = self.copy_restored(&record) {
            self.finish_import()?;
            return Err(error);
        }
        Ok(record)
    }

    fn copy_restored(&self, record: &Deletion) -> Result<()> {
        let mut copies = Vec::new();
        for it in &record.restored {
            let copy = self.inside(&it.trashed)?;
            files::replace_unsynced(&copy, &self.bytes_at(&it.file)?.unwrap_or_default())?;
            copies.push(copy);
        }
        sync_folders_of(&copies)
    }

    /// Writes all files. Counts those that it created, also if another fails.
    fn write_import(&self, changes: &ImportChanges, n_created: &mut usize) -> Result<()> {
        self.write_anchors(&changes.after)?;
        let mut writes = files::Writes::new(changes.created.len());
        for (file, text) in &changes.created {
            if !writes.create(&self.regular(file)?, text.as_bytes())? {
                return Err(UserError::usage(format!("file `{file}` already exists"))
                    .hint("rename that file first")
                    .into());
            }
            *n_created += 1;
        }
        writes.sync()?;
        for (file, text) in &changes.changed {
            files::replace_unsynced(&self.regular(file)?, text.as_bytes())?;
        }
        // The writes survive a power failure only after that.
        let all = changes.created.iter().chain(&changes.changed);
        let paths: Vec<PathBuf> = all.map(|(file, _)| self.folder().join(file)).collect();
        sync_folders_of(&paths)
    }

    fn revert_import<'a>(
        &self,
        created: impl Iterator<Item = &'a String>,
        record: &Deletion,
        before: &Anchors,
    ) -> Result<()> {
        for it in &record.restored {
            let old = self.bytes_at(&it.trashed)?.unwrap_or_default();
            if self.bytes_at(&it.file)?.as_ref() != Some(&old) {
                files::replace(&self.regular(&it.file)?, &old)?;
            }
        }
        for file in created {
            files::remove(&self.regular(file)?)?;
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
            return Err(UserError::usage(format!(
                "`{file}` in the bank is a symbolic link or a folder"
            ))
            .hint("move it away: memories have to be regular files")
            .into());
        }
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::super::deletion::tests::bank;
    use super::*;

    fn texts(files: &[&str]) -> Vec<(String, String)> {
        files
            .iter()
            .map(|file| ((*file).to_owned(), "imported".to_owned()))
            .collect()
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
            let created = texts(&["deep/new.md", "new.md"]);
            let changed = texts(&["a.md", "deep/b.md"]);
            let changes = ImportChanges {
                created,
                changed,
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
        let (created, after) = (Vec::new(), before.clone());
        let changes = ImportChanges {
            created,
            changed,
            before,
            after,
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
        let (created, changed) = (texts(&["new.md"]), texts(&["a.md", "c.md"]));
        let after = before.clone();
        bank.import(&ImportChanges {
            created,
            changed,
            before,
            after,
        })
        .expect("imported");
        drop(bank.lock_for_writing().expect("free"));
        assert!(
            bank.list()
                .expect("readable")
                .0
                .contains(&"new.md".to_owned())
        );
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
        let (created, changed) = (texts(created), texts(&["a.md"]));
        let changes = ImportChanges {
            created,
            changed,
            before,
            after,
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
        check_failure(&["new.md", "deep/new.md", "70.md", "last.md"]);
        // So many that they are synced together, where the system can do that.
        let names: Vec<String> = (0..100).map(|idx| format!("{idx}.md")).collect();
        check_failure(&names.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
