//! The export format: JSON Lines that hold the files of a bank byte for byte.
//!
//! The first line is a [`Header`], each other line a [`Line`]: the memories sorted by name, then
//! `anchors.lock` and `pins.toml` if they exist. Exporting an unchanged bank again produces the
//! same lines.

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// Value of `format` in the header.
pub(crate) const FORMAT: &str = "cerberus-export";
/// Format version that is written.
pub(crate) const VERSION: u32 = 1;

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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) base64: Option<String>,
}

impl Line {
    pub(crate) fn new(file: String, bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self { file, text: Some(text), base64: None },
            Err(error) => {
                let base64 = Some(STANDARD.encode(error.as_bytes()));
                Self { file, text: None, base64 }
            }
        }
    }

    /// Returns the bytes of the file, or an error message.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, String> {
        match (&self.text, &self.base64) {
            (Some(text), None) => Ok(text.clone().into_bytes()),
            (None, Some(base64)) => STANDARD.decode(base64).map_err(|error| {
                format!("`base64` is not valid: {error}").trim_end_matches('.').to_owned()
            }),
            _ => Err("a line must have either `text` or `base64`".to_owned()),
        }
    }
}
