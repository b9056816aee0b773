//! Replaces files of the project, unless one was edited since its content was read.
//!
//! An editor or an agent may save a file at any moment, for example while a question is open. The
//! content is compared before the write, and once more after the new and the old file have changed
//! places, which is one step: whatever was saved before that step is in the old file, which is put
//! back if it differs. Only a program that opened the old file before that step, and writes to it
//! after the folder is synced, is not noticed. A file system that cannot exchange two files has the
//! first comparison only.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{ErrorKind, Result as IoResult};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cerberus_model::{UserError, failed_to, regular_file};
use tempfile::NamedTempFile;

use crate::files;

/// A file with its content before and after a write, where `None` is a missing file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change<'a> {
    pub(super) path: &'a Path,
    pub(super) old: Option<&'a [u8]>,
    pub(super) new: Option<&'a [u8]>,
}

/// The change that was made to a file.
enum Done {
    Created,
    Exchanged(Old),
    /// The file system cannot exchange files.
    Overwritten,
    Removed(Old),
}

/// The file with the old content, which now has the name of a temporary file.
struct Old {
    temp: NamedTempFile,
    /// Another process removes temporary files that are not locked.
    _lock: Option<File>,
}

/// Number of files that are open at once. Each is open twice, and a system may allow 256.
const MAX_OPEN: usize = 100;

/// Replaces the content of files in this order. Fails without a change if one of them has neither
/// its old nor its new content. If one gets other content during the write, up to `MAX_OPEN` files
/// before it are as they were.
pub(super) fn replace_all(changes: &[Change]) -> Result<()> {
    let mut folders = BTreeSet::new();
    for change in changes {
        change.is_needed()?;
        folders.insert(files::folder_of(change.path));
    }
    for folder in folders {
        files::remove_stale_temp_files(folder, 1, files::MAX_EMPTY_AGE);
    }
    changes.chunks(MAX_OPEN).try_for_each(replace_together)
}

fn replace_together(changes: &[Change]) -> Result<()> {
    let mut writes = files::Writes::new(changes.len());
    let mut temps = Vec::with_capacity(changes.len());
    for change in changes {
        temps.push(writes.temp_file(change.path, change.new.unwrap_or_default())?);
    }
    writes.sync()?;
    let mut all_done = Vec::with_capacity(changes.len());
    let mut result = carry_out_all(changes, temps, &mut all_done);
    if result.is_ok() {
        result = writes.sync_names();
    }
    if result.is_ok() {
        result = find_late_edit(&all_done);
    }
    if result.is_err() {
        let mut reverted = Ok(());
        for (change, done) in all_done.into_iter().rev() {
            // A failure does not stop the others.
            reverted = reverted.and(change.revert(done));
        }
        reverted?;
    }
    result
}

fn carry_out_all<'a>(
    changes: &'a [Change],
    temps: Vec<NamedTempFile>,
    all_done: &mut Vec<(&'a Change<'a>, Done)>,
) -> Result<()> {
    for (change, temp) in changes.iter().zip(temps) {
        if let Some(done) = change.carry_out(temp)? {
            all_done.push((change, done));
        }
    }
    Ok(())
}

/// Fails if a program that had opened one of the files has written to it since.
fn find_late_edit(all_done: &[(&Change, Done)]) -> Result<()> {
    for (change, done) in all_done {
        if !change.found_old(done) {
            return Err(edited(change.path).into());
        }
    }
    Ok(())
}

impl Change<'_> {
    /// Returns whether the file has its old content, or false if it has the new one already, which
    /// another process may have written. Fails if it has other content.
    fn is_needed(&self) -> Result<bool, UserError> {
        if has_content(self.path, self.new) {
            return Ok(false);
        }
        if has_content(self.path, self.old) {
            return Ok(true);
        }
        Err(edited(self.path))
    }

    /// Writes the file, if that is needed. Fails without a change if it was edited.
    fn carry_out(&self, temp: NamedTempFile) -> Result<Option<Done>> {
        if !self.is_needed()? {
            return Ok(None);
        }
        let Some(done) = self.write(temp)? else {
            return Ok(None);
        };
        if self.found_old(&done) {
            return Ok(Some(done));
        }
        self.revert(done)?;
        Err(edited(self.path).into())
    }

    fn write(&self, temp: NamedTempFile) -> Result<Option<Done>> {
        let path = self.path;
        let _lock = lock(path);
        let exchanged = match (self.old, self.new) {
            (Some(_), Some(_)) => exchange(temp.path(), path),
            (Some(_), None) => {
                files::rename_unsynced(path, temp.path())?;
                return Ok(Some(Done::Removed(Old { temp, _lock })));
            }
            (None, _) => {
                if files::persist_new(temp, path)? {
                    return Ok(Some(Done::Created));
                }
                self.is_needed()?;
                return Ok(None);
            }
        };
        match exchanged {
            Ok(()) => Ok(Some(Done::Exchanged(Old { temp, _lock }))),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(edited(path).into()),
            Err(_) => {
                temp.persist(path)
                    .map_err(|error| error.error)
                    .with_context(failed_to("write", path))?;
                Ok(Some(Done::Overwritten))
            }
        }
    }

    /// Whether the file had the old content until the write, or the new one.
    fn found_old(&self, done: &Done) -> bool {
        match done {
            Done::Created | Done::Overwritten => true,
            Done::Exchanged(Old { temp, .. }) | Done::Removed(Old { temp, .. }) => {
                has_content(temp.path(), self.old) || has_content(temp.path(), self.new)
            }
        }
    }

    /// Puts the content before the write back.
    fn revert(&self, done: Done) -> Result<()> {
        match done {
            Done::Exchanged(Old { temp, .. }) => {
                let is_back = exchange(temp.path(), self.path).is_ok();
                if is_back && has_content(temp.path(), self.new) {
                    Ok(())
                } else {
                    Err(keep(temp, self.path))
                }
            }
            Done::Removed(Old { temp, .. }) => match temp.persist_noclobber(self.path) {
                Ok(_) => Ok(()),
                Err(error) => Err(keep(error.file, self.path)),
            },
            // It was edited since then, and has both.
            Done::Created | Done::Overwritten if !has_content(self.path, self.new) => Ok(()),
            Done::Created => files::remove(self.path),
            Done::Overwritten => files::replace(self.path, self.old.unwrap_or_default()),
        }
    }
}

/// Returns the error for a file that another program changed.
pub fn edited(path: &Path) -> UserError {
    let shown = path.display();
    UserError::environment(format!(
        "`{shown}` was edited meanwhile, and was not overwritten"
    ))
    .hint("run the command again")
}

/// Whether a file has this content, where `None` is a missing file.
fn has_content(path: &Path, expected: Option<&[u8]>) -> bool {
    match expected {
        None => path.symlink_metadata().is_err(),
        Some(expected) => files::head(path, expected.len() as u64 + 1).as_deref() == Some(expected),
    }
}

/// Preserves a version of a file that was edited twice in the moment of the write: neither version has
/// all edits.
fn keep(mut temp: NamedTempFile, path: &Path) -> anyhow::Error {
    let shown = path.display();
    let mut n = 1;
    let kept = loop {
        let name = PathBuf::from(format!("{shown}.edited-{n}"));
        let error = match temp.persist_noclobber(&name) {
            Ok(_) => break name,
            Err(error) => error,
        };
        if error.error.kind() != ErrorKind::AlreadyExists {
            // Only the name of the temporary file is left.
            break error.file.keep().map_or(name, |(_, path)| path);
        }
        temp = error.file;
        n += 1;
    };
    let kept = kept.display();
    UserError::environment(format!(
        "`{shown}` was edited meanwhile; `{kept}` is its other version"
    ))
    .hint(format!("diff {shown} {kept}"))
    .into()
}

/// Locks the file that is about to get the name of a temporary file.
fn lock(path: &Path) -> Option<File> {
    let file = regular_file::open(path).ok()?;
    // Without locks, such files are not removed either.
    let _ = file.try_lock();
    Some(file)
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(a: &Path, b: &Path) -> IoResult<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_a: &Path, _b: &Path) -> IoResult<()> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests write the files that they test"
)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder").flatten();
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    }

    fn replace(path: &Path, old: Option<&[u8]>, new: Option<&[u8]>) -> Result<()> {
        replace_all(&[Change { path, old, new }])
    }

    /// Writes without the first comparison, as if the edit came right after it.
    fn write_late(change: Change) -> bool {
        let temp = files::temp_file(change.path, change.new.unwrap_or_default()).expect("written");
        let done = change.write(temp).expect("written").expect("needed");
        let found_old = change.found_old(&done);
        change.revert(done).expect("reverted");
        found_old
    }

    #[test]
    fn an_edited_file_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("AGENTS.md");
        let read = || std::fs::read_to_string(&path).expect("readable");
        replace(&path, None, Some(b"one")).expect("created");
        replace(&path, None, Some(b"one")).expect("another process did the same");
        assert!(replace(&path, None, Some(b"two")).is_err(), "it exists");
        replace(&path, Some(b"one"), Some(b"two")).expect("unchanged since");
        for old in [&b"one"[..], b"tw", b"two!"] {
            assert!(replace(&path, Some(old), Some(b"three")).is_err());
            assert!(replace(&path, Some(old), None).is_err());
        }
        for new in [Some(&b"three"[..]), None] {
            assert!(!write_late(Change {
                path: &path,
                old: Some(b"one"),
                new
            }));
            assert_eq!((&*read(), names(folder.path()).len()), ("two", 1));
        }
        replace(&path, Some(b"two"), None).expect("removed");
        assert!(
            replace(&path, Some(b"two"), Some(b"three")).is_err(),
            "it was removed"
        );
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn a_write_removes_what_a_killed_one_left_in_its_folder() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let left = folder.path().join(".cerberus-tmp-0123456789abcdef");
        std::fs::write(&left, "half").expect("written");
        replace(&folder.path().join("report.html"), None, Some(b"page")).expect("written");
        assert_eq!(names(folder.path()), ["report.html"]);
    }

    #[test]
    fn all_files_are_written_or_none() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let [a, b, c] = ["a", "b", "c"].map(|name| folder.path().join(name));
        replace(&a, None, Some(b"one")).expect("created");
        replace(&b, None, Some(b"one")).expect("created");
        let old = Some(&b"one"[..]);
        let changes = [
            Change {
                path: &a,
                old,
                new: Some(b"two"),
            },
            Change {
                path: &b,
                old,
                new: None,
            },
            Change {
                path: &c,
                old: None,
                new: Some(b"two"),
            },
            // The third one creates it after it was compared.
            Change {
                path: &c,
                old: None,
                new: Some(b"three"),
            },
        ];
        assert!(replace_all(&changes).is_err());
        let mut left = names(folder.path());
        left.sort();
        assert_eq!(left, ["a", "b"]);
        assert_eq!(std::fs::read(&a).expect("readable"), b"one");
        replace_all(&changes[..3]).expect("unchanged");
        assert!(!b.exists() && c.exists());
    }

    #[test]
    fn the_other_version_of_a_file_that_was_edited_twice_is_kept() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("AGENTS.md");
        let error = keep(files::temp_file(&path, b"edited").expect("written"), &path);
        assert!(
            error.to_string().contains("AGENTS.md.edited-1"),
            "{error:?}"
        );
        assert_eq!(names(folder.path()), ["AGENTS.md.edited-1"]);
    }
}
