//! The file of a page that a person asked for: written over an older page, never over
//! anything else.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::error::UserError;

use super::{Bank, files};

/// How much of a file tells whether it is a page.
const HEAD_BYTES: u64 = 1024;

/// Where a page is to be written.
#[derive(Debug)]
pub(crate) struct PageFile {
    path: PathBuf,
}

impl PageFile {
    /// Checks that a page can be written to `path` and nothing else is lost by it.
    pub(crate) fn at(path: &Path, bank: &Bank) -> Result<Self> {
        let shown = path.display();
        let refused = |why: &str, hint: String| {
            Err(UserError::usage(format!("`{shown}` {why}")).hint(hint).into())
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        if path.file_name().is_none() || path.is_dir() {
            return refused("is a folder", format!("name a file, as in `{}`", page_in(path)));
        }
        if !folder.is_dir() {
            let folder = folder.display();
            return Err(UserError::usage(format!("there is no folder `{folder}` to write to"))
                .hint(format!("make it with `mkdir -p {folder}`"))
                .into());
        }
        let real = folder.canonicalize()?;
        if bank.folder().canonicalize().is_ok_and(|bank| real.starts_with(bank)) {
            return refused("is in the bank", "name a file outside it, as in `report.html`".into());
        }
        if let Ok(metadata) = path.symlink_metadata() {
            if metadata.is_symlink() {
                return refused("is a link", "name the file itself".to_owned());
            }
            if !metadata.is_file() {
                let hint = "write to the standard output with `-`".to_owned();
                return refused("is not a regular file", hint);
            }
            if !is_page(&files::head(path, HEAD_BYTES)?) {
                let hint = "name another file, or remove this one first".to_owned();
                return refused("is there and is no HTML page", hint);
            }
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Writes the page in one step.
    pub(crate) fn write(&self, html: &str) -> Result<()> {
        files::replace(&self.path, html.as_bytes())
    }
}

fn page_in(folder: &Path) -> String {
    folder.join("report.html").display().to_string()
}

/// Returns whether a file begins as a page does, or is empty.
fn is_page(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let begins = |mark: &str| {
        head.get(..mark.len()).is_some_and(|it| it.eq_ignore_ascii_case(mark.as_bytes()))
    };
    head.is_empty() || begins("<!doctype html") || begins("<html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_known_by_its_beginning() {
        for page in
            ["", " \n", "<!DOCTYPE html><html>", "\u{FEFF}<!doctype HTML>", "<html lang=en>"]
        {
            assert!(is_page(page.as_bytes()), "{page}");
        }
        for other in ["# Notes", "<svg>", "<!doctype xml>", "fn main() {}", "\0"] {
            assert!(!is_page(other.as_bytes()), "{other}");
        }
    }
}
