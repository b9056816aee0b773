//! A file of lines that is extended while a command runs, so that a killed command can resume.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};

use cerberus_model::error::UserError;
use cerberus_model::regular_file;

use super::files;

/// Size limit.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// A file of lines that one process at a time may open.
#[derive(Debug)]
pub(crate) struct AppendFile {
    path: PathBuf,
    file: Mutex<File>,
    /// Held while the file is open. It is another file, because the first one is replaced.
    _lock: File,
}

impl AppendFile {
    /// Opens the file, which is created if it is missing, and returns its complete lines.
    pub(crate) fn open(path: &Path) -> Result<(Self, Vec<String>)> {
        let context = || format!("failed to open `{}`", path.display());
        files::create_folder(files::folder_of(path))?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let lock = regular_file::open_with(&options, &path.with_extension("lock"))
            .with_context(context)?;
        if lock.try_lock().is_err() {
            let folder = files::folder_of(path).display();
            return Err(UserError::environment(format!("another command uses `{folder}`"))
                .hint("wait for it, or name another folder with `--state`")
                .into());
        }
        let mut file = regular_file::open_with(&options, path).with_context(context)?;
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(MAX_BYTES).read_to_end(&mut bytes).with_context(context)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        // The line that a killed command was writing.
        file.set_len(end as u64).with_context(context)?;
        drop(file);
        let file = regular_file::open_with(OpenOptions::new().append(true), path);
        let file = Mutex::new(file.with_context(context)?);
        let lines = String::from_utf8_lossy(&bytes[..end]).lines().map(str::to_owned).collect();
        Ok((Self { path: path.to_owned(), file, _lock: lock }, lines))
    }

    /// Adds a line, which must not contain a line break.
    pub(crate) fn append(&self, line: &str) -> Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(format!("{line}\n").as_bytes())
            .with_context(|| format!("failed to write `{}`", self.path.display()))
    }

    /// Replaces all lines in one step.
    pub(crate) fn replace(self, lines: &[String]) -> Result<()> {
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        files::replace(&self.path, text.as_bytes())
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests write the files that they test")]
mod tests {
    use super::*;

    #[test]
    fn complete_lines_survive_and_a_cut_line_is_dropped() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("state/fleet.jsonl");
        let (file, lines) = AppendFile::open(&path).expect("opened");
        assert!(lines.is_empty());
        file.append("one").expect("written");
        assert!(AppendFile::open(&path).is_err(), "one process at a time");
        drop(file);
        std::fs::write(&path, "one\ntwo\nthr").expect("written");
        let (file, lines) = AppendFile::open(&path).expect("opened");
        assert_eq!(lines, ["one", "two"]);
        file.append("three").expect("written");
        drop(file);
        let (file, lines) = AppendFile::open(&path).expect("opened");
        assert_eq!(lines, ["one", "two", "three"]);
        file.replace(&["four".to_owned()]).expect("written");
        assert_eq!(AppendFile::open(&path).expect("opened").1, ["four"]);
    }
}
