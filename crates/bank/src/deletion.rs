//! Deletion of memories with their anchors, all or none.
//!
//! A deletion of more than one file is recorded in the trash before its first change. From then on
//! readers see all its memories as deleted. If the process is killed, the next writer completes
//! the deletion.
//!
//! The record of an import is the deletion that undoes it.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::lockfile;
use crate::lockfile::Anchors;
use crate::{Bank, files};

/// The deletion in progress.
const RECORD: &str = ".trash/.cerberus-deletion.toml";

/// Copies of files that an import changes, which are removed at its end.
pub(super) const TEMPORARY_COPIES: &str = ".trash/.cerberus-import";

/// Size limit of the record, enough for about 100,000 memories.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Deletion {
    /// Ids of the anchors that are removed.
    removed: Vec<String>,
    /// The anchors that a merge adds or changes, in the format of the lock file.
    added: String,
    #[serde(default)]
    pub(super) moves: Vec<Move>,
    /// Files that get the content of a copy back.
    #[serde(default)]
    pub(super) restored: Vec<Move>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Move {
    pub(super) file: String,
    pub(super) trashed: String,
}

impl Deletion {
    pub(super) fn new(moves: Vec<Move>, before: &Anchors, after: &Anchors) -> Self {
        let removed = before.keys().filter(|id| !after.contains_key(*id));
        let mut added = Anchors::new();
        for (id, anchor) in after {
            if before.get(id) != Some(anchor) {
                added.insert(id.clone(), anchor.clone());
            }
        }
        Self {
            removed: removed.cloned().collect(),
            added: lockfile::render(&added),
            moves,
            restored: Vec::new(),
        }
    }

    /// Applies the deletion to anchors that were read from the lock file.
    pub(super) fn apply(&self, anchors: &mut Anchors) {
        for id in &self.removed {
            anchors.remove(id);
        }
        anchors.extend(lockfile::parse(&self.added).unwrap_or_default());
    }
}

impl Bank {
    /// Moves memory files with their anchors to the trash, replaces the anchors by `after`, and
    /// returns the new paths. If a step fails, reverts the others.
    pub fn delete(&self, memories: &[(&str, Anchors)], after: &Anchors) -> Result<Vec<String>> {
        for (file, _) in memories {
            let stored = self.read(file)?;
            self.check_pattern_is_free(&stored.memory.id, &stored.text)?;
        }
        let before = self.anchors()?;
        let mut moves = Vec::new();
        for (file, anchors) in memories {
            match self.prepare_trash(file, anchors) {
                Ok(trashed) => moves.push(Move {
                    file: (*file).to_owned(),
                    trashed,
                }),
                Err(error) => {
                    let deletion = Deletion::new(moves, &before, after);
                    return self.revert(&deletion, &before).and(Err(error));
                }
            }
        }
        let deletion = Deletion::new(moves, &before, after);
        let recorded = self.record(&deletion, *after != before);
        if let Err(error) = recorded.and_then(|()| self.carry_out(&deletion, after)) {
            self.revert(&deletion, &before)?;
            return Err(error);
        }
        let moves = deletion.moves.into_iter();
        Ok(moves.map(|moved| moved.trashed).collect())
    }

    /// Records a deletion, unless it is a single move.
    pub(super) fn record(&self, deletion: &Deletion, changes_anchors: bool) -> Result<()> {
        if deletion.moves.len() > 1 || changes_anchors {
            let text = toml::to_string(deletion).context("failed to record the deletion")?;
            files::replace(&self.inside(RECORD)?, text.as_bytes())?;
        }
        Ok(())
    }

    /// Performs the remaining steps of a deletion and removes its record.
    fn carry_out(&self, deletion: &Deletion, after: &Anchors) -> Result<()> {
        self.write_anchors(after)?;
        let mut sources = Vec::new();
        let mut targets = Vec::new();
        for moved in &deletion.moves {
            let from = self.inside(&moved.file)?;
            let to = self.inside(&moved.trashed)?;
            if is_file(&from) && to.symlink_metadata().is_err() {
                files::rename_unsynced(&from, &to)?;
            }
            sources.push(from);
            targets.push(to);
        }
        for restored in &deletion.restored {
            let copy = self.inside(&restored.trashed)?;
            let file = self.inside(&restored.file)?;
            if is_file(&copy) {
                self.set_aside(&restored.file, &restored.trashed)?;
                files::rename_unsynced(&copy, &file)?;
            }
            sources.push(copy);
            targets.push(file);
        }
        // A file must be in its new folder before it disappears from its old one.
        // An import that created no file in a new folder leaves nothing to sync there.
        let moved = targets.iter().chain(&sources);
        sync_folders_of(moved.filter(|path| files::folder_of(path).is_dir()))?;
        self.remove_record()
    }

    pub(super) fn remove_record(&self) -> Result<()> {
        files::remove(&self.inside(RECORD)?)
    }

    /// Moves a memory that differs from the copy that replaces it to the trash: the user may have
    /// edited it since the import was killed.
    fn set_aside(&self, file: &str, copy: &str) -> Result<()> {
        let bytes = self.bytes_at(file)?;
        if bytes.is_some() && bytes != self.bytes_at(copy)? {
            self.trash(file, &Anchors::new())?;
        }
        Ok(())
    }

    fn revert(&self, deletion: &Deletion, before: &Anchors) -> Result<()> {
        self.move_back(&deletion.moves, before)
            .context("failed to roll back the changes")
    }

    fn move_back(&self, moves: &[Move], before: &Anchors) -> Result<()> {
        for moved in moves {
            let file = self.inside(&moved.file)?;
            let trashed = self.inside(&moved.trashed)?;
            if is_file(&trashed) && file.symlink_metadata().is_err() {
                files::rename(&trashed, &file)?;
            }
            files::remove(&self.trashed_anchor(&moved.trashed)?)?;
        }
        self.remove_record()?;
        if self.anchors()? != *before {
            self.write_anchors(before)?;
        }
        Ok(())
    }

    /// Returns the deletion that a killed process left, or that another process carries out now.
    pub(super) fn unfinished_deletion(&self) -> Option<Deletion> {
        self.folder().join(RECORD).symlink_metadata().ok()?;
        let bytes = files::read(&self.inside(RECORD).ok()?, MAX_BYTES).ok()??;
        let deletion: Deletion = toml::from_str(std::str::from_utf8(&bytes).ok()?).ok()?;
        for moved in deletion.moves.iter().chain(&deletion.restored) {
            let name = moved.trashed.strip_prefix(super::TRASH)?;
            if !is_plain(&moved.file) || !is_plain(name.trim_start_matches('/')) {
                return None;
            }
        }
        Some(deletion)
    }

    /// Completes the deletion or undoes the import of a killed process. The caller holds the write lock.
    pub(super) fn complete_deletion(&self) -> Result<()> {
        if let Some(deletion) = self.unfinished_deletion() {
            self.carry_out(&deletion, &self.anchors()?)
                .context("failed to complete a deletion")?;
        }
        files::remove_folder(&self.inside(TEMPORARY_COPIES)?)
    }
}

fn is_file(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|metadata| metadata.is_file())
}

/// Whether the path is one of a memory file and has no special components.
fn is_plain(file: &str) -> bool {
    let mut parts = Path::new(file).components();
    file.ends_with(".md") && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Syncs the folder of each file once.
pub(super) fn sync_folders_of<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
    files::sync_folders(paths.into_iter().map(|path| files::folder_of(path)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn bank() -> (tempfile::TempDir, Bank, Anchors) {
        let folder = tempfile::tempdir().expect("a temp folder");
        let bank = Bank::new(folder.path().join("bank"));
        bank.create().expect("created");
        for file in ["a.md", "deep/b.md", "c.md"] {
            files::create(&bank.folder().join(file), file.as_bytes()).expect("written");
        }
        let lock = include_str!("../../../tests/fuzz/seeds/lock/two");
        let mut two = lockfile::parse(lock).expect("valid").into_values();
        let anchors = Anchors::from(["a", "c"].map(|id| (id.to_owned(), two.next().expect("two"))));
        bank.write_anchors(&anchors).expect("written");
        (folder, bank, anchors)
    }

    fn deletion(before: &Anchors, after: &Anchors) -> Deletion {
        let moves = ["a.md", "deep/b.md"].map(|file| Move {
            file: file.to_owned(),
            trashed: format!(".trash/{file}"),
        });
        Deletion::new(moves.into(), before, after)
    }

    #[test]
    fn a_deletion_that_was_killed_at_any_step_is_seen_and_completed_as_a_whole() {
        for n_steps in 0..5 {
            let (_folder, bank, before) = bank();
            let mut after = before.clone();
            after.remove("a");
            let deletion = deletion(&before, &after);
            let move_one = |it: &Move| {
                let path = |file: &str| bank.folder().join(file);
                files::rename(&path(&it.file), &path(&it.trashed)).expect("moved");
            };
            if n_steps > 0 {
                bank.record(&deletion, true).expect("written");
            }
            if n_steps > 1 {
                bank.write_anchors(&after).expect("written");
            }
            for it in deletion
                .moves
                .iter()
                .take(usize::saturating_sub(n_steps, 2))
            {
                move_one(it);
            }
            let state = || {
                (
                    bank.list().expect("readable").0,
                    bank.anchors().expect("readable"),
                )
            };
            let all = ["a.md", "c.md", "deep/b.md"].map(str::to_owned).to_vec();
            let expected = match n_steps {
                0 => (all, before),
                _ => (vec!["c.md".to_owned()], after),
            };
            assert_eq!(state(), expected, "{n_steps} steps");
            drop(bank.lock_for_writing().expect("free"));
            assert_eq!(state(), expected, "{n_steps} steps, completed");
            assert!(bank.unfinished_deletion().is_none());
            let trashed = bank.trashed().expect("readable");
            assert_eq!(
                trashed.len(),
                if n_steps == 0 { 0 } else { 2 },
                "{n_steps} steps"
            );
        }
    }

    #[test]
    fn completing_a_deletion_keeps_a_file_that_was_created_since() {
        let (_folder, bank, before) = bank();
        let deletion = deletion(&before, &before);
        bank.record(&deletion, true).expect("written");
        files::rename(
            &bank.folder().join("a.md"),
            &bank.folder().join(".trash/a.md"),
        )
        .expect("moved");
        files::create(&bank.folder().join("a.md"), b"new").expect("written");
        assert_eq!(bank.list().expect("readable").0, ["a.md", "c.md"]);
        drop(bank.lock_for_writing().expect("free"));
        assert_eq!(
            bank.bytes("a.md").expect("readable").as_deref(),
            Some(&b"new"[..])
        );
        assert_eq!(
            bank.bytes(".trash/a.md").expect("readable").as_deref(),
            Some(&b"a.md"[..])
        );
    }

    #[test]
    fn a_record_with_paths_outside_the_bank_is_ignored() {
        let (folder, bank, before) = bank();
        files::create(&folder.path().join("x.md"), b"mine").expect("written");
        for (file, trashed) in [
            ("../x.md", ".trash/x.md"),
            ("a.md", "../a.md"),
            ("a.md", ".trash/../../a.md"),
            ("a.md", "a2.md"),
            ("anchors.lock", ".trash/a.md"),
        ] {
            let moves = vec![Move {
                file: file.to_owned(),
                trashed: trashed.to_owned(),
            }];
            let deletion = Deletion::new(moves, &before, &before);
            bank.record(&deletion, true).expect("written");
            drop(bank.lock_for_writing().expect("free"));
            assert_eq!(
                bank.list().expect("readable").0,
                ["a.md", "c.md", "deep/b.md"]
            );
            assert!(folder.path().join("x.md").exists() && bank.lockfile().exists());
        }
    }

    #[test]
    fn a_failed_deletion_changes_nothing() {
        let (_folder, bank, before) = bank();
        let memories = [("a.md", before.clone()), ("deep/gone/b.md", Anchors::new())];
        // The trash cannot hold `deep/gone/b.md`, because `deep/gone` is a file there.
        files::create(&bank.folder().join(".trash/deep/gone"), b"").expect("written");
        files::create(&bank.folder().join("deep/gone/b.md"), b"b").expect("written");
        assert!(bank.delete(&memories, &Anchors::new()).is_err());
        assert_eq!(bank.anchors().expect("readable"), before);
        assert_eq!(bank.list().expect("readable").0.len(), 4);
        assert_eq!(bank.trashed().expect("readable"), [""; 0]);
        assert!(bank.unfinished_deletion().is_none());
    }
}
