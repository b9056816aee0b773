//! The texts of a shared bank in one file of the user's cache, named by its hash.
//!
//! For each memory, in the order of the paths: the length of the path in bytes as 8 bytes, little
//! end first, the path, and the length of the text and the text likewise. The hash of a bank is the
//! SHA-256 of that, so that a file of the cache that was changed is recognized by its name.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use sha2::{Digest, Sha256};

use super::super::memory_file;
use super::super::{files, names};

/// Maximum number of memories of a shared bank.
pub(crate) const MAX_FILES: usize = 2_000;

/// Maximum number of bytes of all its texts.
pub const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Maximum size of a file in the cache: the texts and their paths.
const MAX_PACK_BYTES: u64 = MAX_BYTES + 1024 * 1024;

/// The texts of a bank by their path in its folder, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pack {
    pub files: Vec<(String, String)>,
}

impl Pack {
    /// Returns the texts with these paths, or why they cannot be a bank.
    pub fn new(mut files: Vec<(String, Vec<u8>)>) -> Result<Self, String> {
        if files.is_empty() {
            return Err("it contains no memory".to_owned());
        }
        if files.len() > MAX_FILES {
            return Err(format!("it has {} memories; the limit is {MAX_FILES}", files.len()));
        }
        let n_bytes: u64 = files.iter().map(|(_, text)| text.len() as u64).sum();
        if n_bytes > MAX_BYTES {
            let (size, limit) = (n_bytes / 1024, MAX_BYTES / 1024);
            return Err(format!("its memories have {size} KB together; the limit is {limit} KB"));
        }
        files.sort();
        let mut checked = Vec::with_capacity(files.len());
        for (path, text) in files {
            names::check_file(&path).map_err(|error| error.message)?;
            if text.len() as u64 > memory_file::MAX_BYTES {
                let limit = memory_file::MAX_BYTES / 1024;
                return Err(format!("`{path}` is larger than {limit} KB"));
            }
            let text =
                String::from_utf8(text).map_err(|_| format!("`{path}` is not valid UTF-8"))?;
            checked.push((path, text));
        }
        Ok(Self { files: checked })
    }

    pub(crate) fn n_bytes(&self) -> u64 {
        self.files.iter().map(|(_, text)| text.len() as u64).sum()
    }

    fn encoded(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for part in self.files.iter().flat_map(|(path, text)| [path, text]) {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        bytes
    }

    /// Returns the hash, in hexadecimal digits.
    pub(crate) fn sha256(&self) -> String {
        hex(&self.encoded())
    }

    /// Writes the texts to the cache and returns their hash.
    pub fn save(&self, cache: &Path) -> Result<String> {
        let bytes = self.encoded();
        let hash = hex(&bytes);
        files::replace(&path(cache, &hash), &bytes)?;
        Ok(hash)
    }
}

/// Reads the texts with this hash from the cache. Returns `None` if they are not there, and fails if
/// they do not have the hash.
pub fn load(cache: &Path, sha256: &str) -> Result<Option<Pack>, String> {
    let failed = |error: anyhow::Error| format!("{error:#}");
    let Some(bytes) = files::read(&path(cache, sha256), MAX_PACK_BYTES).map_err(failed)? else {
        return Ok(None);
    };
    if hex(&bytes) != sha256 {
        return Err("its texts do not have the hash in `banks.lock`".to_owned());
    }
    decoded(&bytes).map(Some)
}

fn decoded(bytes: &[u8]) -> Result<Pack, String> {
    let mut rest = bytes;
    let mut part = || -> Option<Vec<u8>> {
        let (length, after) = rest.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (part, after) = after.split_at_checked(length)?;
        rest = after;
        Some(part.to_vec())
    };
    let mut files = Vec::new();
    while let Some(path) = part() {
        let text = part().ok_or("a text is missing")?;
        let path = String::from_utf8(path).map_err(|_| "a path is not valid UTF-8")?;
        files.push((path, text));
    }
    if !rest.is_empty() {
        return Err("a text is cut off".to_owned());
    }
    Pack::new(files)
}

/// Returns the file in the cache; a hash is made of digits, so that it is a safe name.
fn path(cache: &Path, sha256: &str) -> PathBuf {
    cache.join(format!("{sha256}.bank"))
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
