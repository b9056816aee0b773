//! `export`: the bank as JSON Lines, to the byte.
//!
//! The first line says the format; each further one is a file: the memories in the
//! order of their names, then `anchors.lock` and `pins.toml` where they are. The same
//! bank is always exported as the same lines.

use std::path::Path;

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::bank::{self, LOCKFILE, PINS, names};
use crate::error::UserError;

use super::Project;

/// What the first line calls the format, and the version that is written.
pub(crate) const FORMAT: &str = "cerberus-export";
pub(crate) const VERSION: u32 = 1;

/// The first line of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Header {
    pub(crate) format: String,
    pub(crate) version: u32,
    /// How many lines follow.
    pub(crate) files: usize,
}

/// One file of the bank: its bytes as they are, or in base64 where they are no UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Line {
    pub(crate) file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) base64: Option<String>,
}

impl Line {
    /// Returns the line of a file.
    pub(crate) fn new(file: String, bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self { file, text: Some(text), base64: None },
            Err(error) => {
                let base64 = Some(STANDARD.encode(error.as_bytes()));
                Self { file, text: None, base64 }
            }
        }
    }

    /// Returns the bytes of the file, or what is wrong with the line.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, String> {
        match (&self.text, &self.base64) {
            (Some(text), None) => Ok(text.clone().into_bytes()),
            (None, Some(base64)) => STANDARD.decode(base64).map_err(|error| {
                format!("`base64` is damaged: {error}").trim_end_matches('.').to_owned()
            }),
            _ => Err("a line has either `text` or `base64`".to_owned()),
        }
    }
}

/// A whole bank.
#[derive(Debug)]
pub(crate) struct Export {
    pub(crate) header: Header,
    pub(crate) lines: Vec<Line>,
    pub(crate) warnings: Vec<String>,
}

/// What was exported to a file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) output: String,
    pub(crate) memories: usize,
    pub(crate) warnings: Vec<String>,
}

/// Reads the bank's files.
pub(crate) fn export(project: &Project) -> Result<Export> {
    let (mut files, mut warnings) = project.bank.list()?;
    let portable = files.iter().filter_map(|file| names::check_file(file).err());
    warnings.extend(portable.map(|failure| format!("{}; it cannot be imported", failure.message)));
    files.extend([LOCKFILE, PINS].map(str::to_owned));
    let mut lines = Vec::new();
    for file in files {
        if let Some(bytes) = project.bank.bytes(&file)? {
            lines.push(Line::new(file, bytes));
        }
    }
    let header = Header { format: FORMAT.to_owned(), version: VERSION, files: lines.len() };
    Ok(Export { header, lines, warnings })
}

/// Writes an export to a file, over what is there.
pub(crate) fn save(export: Export, path: &Path, text: &str) -> Result<Report> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let shown = folder.display();
        return Err(UserError::usage(format!("there is no folder `{shown}` to write to"))
            .hint(format!("make it with `mkdir -p {shown}`"))
            .into());
    }
    bank::replace_file(path, text)?;
    Ok(Report {
        output: path.display().to_string(),
        memories: export.lines.iter().filter(|line| line.file.ends_with(".md")).count(),
        warnings: export.warnings,
    })
}
