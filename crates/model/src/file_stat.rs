//! Size and modification time of a file, to detect changes without reading it.

use std::fs::Metadata;
use std::time::UNIX_EPOCH;

/// Size and modification time of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    pub size: u64,
    /// Nanoseconds since the Unix epoch.
    pub mtime: i64,
}

impl FileStat {
    /// Returns the size and the modification time in the metadata of a file.
    pub fn new(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since_epoch = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let nanoseconds = since_epoch.unwrap_or_default().as_nanos();
        Self {
            size: metadata.len(),
            mtime: i64::try_from(nanoseconds).unwrap_or(i64::MAX),
        }
    }
}
