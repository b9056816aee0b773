//! The records in which git lists files and changes.

use super::process::Git;

/// What a path of a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Link,
    Submodule,
}

/// A path of a tree. Paths are relative to the project root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    pub(crate) path: String,
    pub(crate) kind: EntryKind,
    pub(crate) object: String,
}

impl TreeEntry {
    /// Returns `None` for the mode or the object of a file that a side of a change lacks.
    fn new(path: &str, mode: &str, object: &str) -> Option<Self> {
        let is_zero = |field: &str| field.bytes().all(|byte| byte == b'0');
        let kind = match mode {
            "160000" => EntryKind::Submodule,
            "120000" => EntryKind::Link,
            _ => EntryKind::File,
        };
        (!is_zero(mode) && !is_zero(object)).then(|| Self {
            path: path.to_owned(),
            kind,
            object: object.to_owned(),
        })
    }
}

/// The entries before and after a change.
pub(super) type Sides = [Option<TreeEntry>; 2];

/// Returns the entry of a record: fields, of which `object_idx` is the object, a tab and the path.
pub(super) fn entry(record: &[u8], object_idx: usize) -> Option<TreeEntry> {
    let record = String::from_utf8_lossy(record);
    let (fields, path) = record.split_once('\t')?;
    let mut fields = fields.split(' ');
    let mode = fields.next()?;
    TreeEntry::new(path, mode, fields.nth(object_idx - 1)?)
}

/// Returns the sides of a raw record, `:OLD_MODE NEW_MODE OLD_OBJECT NEW_OBJECT STATUS`, about a path,
/// or about the old and the new path of a renamed file.
pub(super) fn sides(record: &str, path: &str, new_path: Option<&str>) -> Option<Sides> {
    let fields: Vec<&str> = record.strip_prefix(':')?.split(' ').collect();
    let [old_mode, new_mode, old, new, _] = fields[..] else { return None };
    let new_path = new_path.unwrap_or(path);
    Some([TreeEntry::new(path, old_mode, old), TreeEntry::new(new_path, new_mode, new)])
}

/// Returns the changes that a command lists with `--raw -z --no-renames`, with their paths.
pub(super) fn changes(git: Git<'_>) -> Option<Vec<(String, Sides)>> {
    let output = git.text()?;
    let mut fields = output.split('\0');
    let mut found = Vec::new();
    while let (Some(record), Some(path)) = (fields.next(), fields.next()) {
        found.extend(sides(record, path, None).map(|sides| (path.to_owned(), sides)));
    }
    Some(found)
}
