//! The export format: JSON Lines that hold the files of a bank byte for byte.
//!
//! The first line is a [`Header`], each other line a [`Line`]: the memories sorted by name, then
//! `anchors.lock` and `pins.toml` if they exist. Exporting an unchanged bank again produces the
//! same lines.

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

/// Value of `format` in the header.
pub(crate) const FORMAT: &str = "cerberus-export";
/// Format version that is written.
///
/// Version 2 added `hash`; exports of version 1 are still read.
pub(crate) const VERSION: u32 = 2;

/// First line of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Header {
    pub(crate) format: String,
    pub(crate) version: u32,
    /// Number of lines after the header.
    pub(crate) files: usize,
}

/// One file of the bank, as text or, if it is not valid UTF-8, as base64.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Line {
    pub(crate) file: String,
    /// xxh3-128 of the name, a zero byte and the content, as hexadecimal number. Detects an
    /// accidental change; whoever changes an export on purpose can compute it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) base64: Option<String>,
}

impl Line {
    pub(crate) fn new(file: String, bytes: Vec<u8>) -> Self {
        let hash = Some(hash(&file, &bytes));
        match String::from_utf8(bytes) {
            Ok(text) => Self { file, hash, text: Some(text), base64: None },
            Err(error) => {
                let base64 = Some(STANDARD.encode(error.as_bytes()));
                Self { file, hash, text: None, base64 }
            }
        }
    }

    /// Returns the bytes of the file in an export of a version, or an error message.
    pub(crate) fn bytes(&self, version: u32) -> Result<Vec<u8>, String> {
        let bytes = match (&self.text, &self.base64) {
            (Some(text), None) => text.clone().into_bytes(),
            (None, Some(base64)) => STANDARD.decode(base64).map_err(|error| {
                format!("`base64` is not valid: {error}").trim_end_matches('.').to_owned()
            })?,
            _ => return Err("a line must have either `text` or `base64`".to_owned()),
        };
        match &self.hash {
            None if version > 1 => Err("a line must have a `hash`".to_owned()),
            Some(stored) if *stored != hash(&self.file, &bytes) => {
                Err(format!("`{}` was altered after the export", self.file.escape_debug()))
            }
            _ => Ok(bytes),
        }
    }
}

fn hash(file: &str, bytes: &[u8]) -> String {
    let mut hasher = Xxh3::new();
    hasher.update(file.as_bytes());
    hasher.update(&[0]);
    hasher.update(bytes);
    format!("{:032x}", hasher.digest128())
}
