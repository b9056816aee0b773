//! Output file of a report. It replaces an older report, but no other file.

use std::path::{Path, PathBuf};

use anyhow::Result;
use cerberus_model::refuse;

use super::compared::{self, Change};
use super::external_file;
use crate::{Bank, files};

/// Size limit of an older report.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Path to which an HTML page can be written.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    /// The older report.
    old: Option<Vec<u8>>,
}

impl OutputFile {
    /// Checks that a report can be written to `path` without replacing a file that is not a page.
    pub fn open(path: &Path, bank: &Bank, root: &Path) -> Result<Self> {
        let shown = path.display();
        let refused = |why: &str, hint: String| refuse(format!("`{shown}` {why}"), hint);
        if path.file_name().is_none() || path.is_dir() {
            let page = path.join("report.html");
            return refused(
                "is a folder",
                format!("name a file, as in `{}`", page.display()),
            );
        }
        let real = external_file::check_folder(path, root)?;
        let bank = bank.folder().canonicalize();
        if bank.is_ok_and(|bank| real.starts_with(bank)) {
            return refused(
                "is in the bank",
                "name a file outside it, as in `report.html`".into(),
            );
        }
        if let Ok(metadata) = path.symlink_metadata() {
            if metadata.is_symlink() {
                return refused("is a symbolic link", "name the file itself".to_owned());
            }
            if !metadata.is_file() {
                let hint = "write to standard output with `-`".to_owned();
                return refused("is not a regular file", hint);
            }
        }
        let old = files::read(path, MAX_BYTES)?;
        if let Some(old) = &old
            && !is_page(old)
        {
            let hint = "name another file, or remove this one first".to_owned();
            return refused("exists and is not an HTML page", hint);
        }
        Ok(Self {
            path: path.to_owned(),
            old,
        })
    }

    /// Atomically writes the report.
    pub fn write(&self, text: &str) -> Result<()> {
        compared::replace_all(&[Change {
            path: &self.path,
            old: self.old.as_deref(),
            new: Some(text.as_bytes()),
        }])
    }
}

/// Returns whether a file is empty or starts like an HTML page.
fn is_page(head: &[u8]) -> bool {
    let unmarked = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let text = unmarked.trim_ascii_start();
    if text.is_empty() {
        return true;
    }
    for tag in ["<!doctype html", "<html"] {
        let start = text.get(..tag.len()).unwrap_or_default();
        if start.eq_ignore_ascii_case(tag.as_bytes()) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_pages_are_detected_by_their_start() {
        for page in [
            "",
            " \n",
            "<!DOCTYPE html><html>",
            "\u{FEFF}<!doctype HTML>",
            "<html lang=en>",
        ] {
            assert!(is_page(page.as_bytes()), "{page}");
        }
        for other in ["# Notes", "<svg>", "<!doctype xml>", "fn main() {}", "\0"] {
            assert!(!is_page(other.as_bytes()), "{other}");
        }
    }
}
