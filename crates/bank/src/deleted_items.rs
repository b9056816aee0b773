//! The list of imported items whose memories were deleted, so that an import does not add them
//! again, on no machine.

use anyhow::Result;
use cerberus_model::sorted;

use crate::{Bank, files};

/// The list, one item per line.
const FILE: &str = "deleted-rules.txt";

/// Size limit of the list, enough for about 100,000 items.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

impl Bank {
    /// Returns the names of the deleted items.
    pub fn deleted_items(&self) -> Result<Vec<String>> {
        let bytes = files::read(&self.inside(FILE)?, MAX_BYTES)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut items = Vec::new();
        for line in text.lines().map(str::trim) {
            if !line.is_empty() && !line.starts_with('#') {
                items.push(line.to_owned());
            }
        }
        Ok(items)
    }

    /// Adds items to the list and removes others.
    pub fn change_deleted_items(&self, added: &[String], removed: &[String]) -> Result<()> {
        let old = self.deleted_items()?;
        let mut items = [&*old, added].concat();
        items.retain(|item| !item.contains(['\n', '\r']) && !removed.contains(item));
        let items = sorted(items);
        if items == old {
            return Ok(());
        }
        let path = self.inside(FILE)?;
        if items.is_empty() {
            return files::remove(&path);
        }
        let header = "# Items of documents that `cerberus memory import` does not add again.";
        let text = format!("{header}\n{}\n", items.join("\n"));
        files::replace(&path, text.as_bytes())
    }
}
