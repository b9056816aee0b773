//! `banks.lock`: the commit and the hash that each shared bank is pinned to.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use cerberus_model::error::UserError;
use cerberus_model::file_stat::FileStat;
use cerberus_model::text::LineIndex;

use super::super::{Bank, files};
use super::config::BankConfig;

/// The file with the pins of the shared banks.
pub const FILE: &str = "banks.lock";

const VERSION: u32 = 1;

const MAX_BYTES: u64 = 256 * 1024;

const HEADER: &str = "# The pinned shared banks. Written by `cerberus memory bank`; commit it, so that everybody and\n\
                      # CI use the same texts.\n";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LockFile {
    version: u32,
    #[serde(default, rename = "bank")]
    banks: Vec<PinnedBank>,
}

/// A shared bank and what it is pinned to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedBank {
    pub name: String,
    /// The URL or the folder, as the configuration names it.
    pub source: String,
    /// The revision, as in `branch main`.
    pub revision: String,
    pub(crate) folder: String,
    /// Full id.
    pub commit: String,
    /// Hash of the paths and the texts, in hexadecimal digits.
    pub sha256: String,
    pub files: usize,
    pub bytes: u64,
}

impl PinnedBank {
    /// Whether the configuration still names what was pinned.
    pub fn is_of(&self, config: &BankConfig) -> bool {
        self.source == config.source()
            && self.revision == config.revision().to_string()
            && self.folder == config.folder
    }

    fn fault(&self) -> Option<String> {
        let is_hex = |text: &str| text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
        if self.sha256.len() != 64 || !is_hex(&self.sha256) {
            return Some(format!("`sha256` of `{}` is not a hash", self.name.escape_debug()));
        }
        if !matches!(self.commit.len(), 40 | 64) || !is_hex(&self.commit) {
            return Some(format!("`commit` of `{}` is not a full id", self.name.escape_debug()));
        }
        None
    }
}

impl Bank {
    pub(super) fn banks_lock_stat(&self) -> Option<FileStat> {
        self.folder().join(FILE).metadata().ok().map(|metadata| FileStat::new(&metadata))
    }

    /// Reads the pinned banks. A missing file has none.
    pub fn pinned_banks(&self) -> Result<Vec<PinnedBank>> {
        let bytes = files::read(&self.folder().join(FILE), MAX_BYTES)?.unwrap_or_default();
        decode(&bytes)
    }

    /// Writes the pinned banks if the file differs, sorted by name, and returns whether it did.
    pub fn write_pinned_banks(&self, banks: &[PinnedBank]) -> Result<bool> {
        let mut banks = banks.to_vec();
        banks.sort_by(|a, b| a.name.cmp(&b.name));
        let path = self.inside(FILE)?;
        let old = files::read(&path, MAX_BYTES)?;
        if banks.is_empty() {
            if old.is_some() {
                files::remove(&path)?;
            }
            return Ok(old.is_some());
        }
        let body = toml::to_string(&LockFile { version: VERSION, banks })?;
        let text = format!("{HEADER}{body}");
        if old.as_deref() == Some(text.as_bytes()) {
            return Ok(false);
        }
        files::replace(&path, text.as_bytes())?;
        Ok(true)
    }
}

/// Reads the bytes of a `banks.lock`.
pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<PinnedBank>> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let text = String::from_utf8_lossy(bytes);
    let file: LockFile = toml::from_str(&text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        damaged(LineIndex::new(&text).line(at) + 1, error.message())
    })?;
    if file.version != VERSION {
        let version = file.version;
        return Err(damaged(1, &format!("version {version} is newer than this cerberus")).into());
    }
    match file.banks.iter().find_map(PinnedBank::fault) {
        Some(fault) => Err(damaged(1, &fault).into()),
        None => Ok(file.banks),
    }
}

fn damaged(line: impl std::fmt::Display, why: &str) -> UserError {
    UserError::environment(format!("failed to read `{FILE}:{line}`: {why}"))
        .hint(format!("restore it with `git checkout .memories/{FILE}`, or write it again with `cerberus memory bank update`"))
}
