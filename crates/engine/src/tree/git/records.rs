//! The records in which git lists files and changes.

use std::io::{BufRead, Error, ErrorKind, Read};
use std::ops::ControlFlow;

use super::process::{Failure, Git};
use super::repository::MARK;
use crate::tree::read::MAX_BYTES;

/// What a path of a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Link,
    Submodule,
}

impl EntryKind {
    pub(super) fn of_mode(mode: u32) -> Self {
        match mode {
            0o160000 => Self::Submodule,
            0o120000 => Self::Link,
            _ => Self::File,
        }
    }
}

/// A path of a tree. Paths are relative to the project root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    pub path: String,
    pub kind: EntryKind,
    pub object: String,
}

impl TreeEntry {
    /// Returns `None` for the mode or the object of a file that a side of a change lacks.
    pub(super) fn new(path: &str, mode: &str, object: &str) -> Option<Self> {
        let is_zero = |field: &str| field.bytes().all(|byte| byte == b'0');
        let kind = EntryKind::of_mode(u32::from_str_radix(mode, 8).unwrap_or(0));
        (!is_zero(mode) && !is_zero(object)).then(|| Self {
            path: path.to_owned(),
            kind,
            object: object.to_owned(),
        })
    }
}

/// Reads a raw record, `:OLD_MODE NEW_MODE OLD_OBJECT NEW_OBJECT STATUS`, about a path, or about the old
/// and the new path of a renamed file.
fn change(record: &str, path: String, new_path: Option<&str>) -> Option<RawChange> {
    let fields: Vec<&str> = record.strip_prefix(':')?.split(' ').collect();
    let [old_mode, new_mode, old, new, status] = fields[..] else {
        return None;
    };
    Some(RawChange {
        old: TreeEntry::new(&path, old_mode, old),
        new: TreeEntry::new(new_path.unwrap_or(&path), new_mode, new),
        similarity: status.get(1..).unwrap_or_default().parse().unwrap_or(0),
        path,
    })
}

/// A record of a command with `--raw -z`.
pub(super) enum Record {
    /// The text that precedes the changes of a commit.
    Header(String),
    Change(RawChange),
}

/// A change of a path.
pub(super) struct RawChange {
    /// The path before it.
    pub(super) path: String,
    pub(super) old: Option<TreeEntry>,
    pub(super) new: Option<TreeEntry>,
    /// The share of unchanged lines of a renamed file, in percent.
    pub(super) similarity: u32,
}

impl RawChange {
    /// Returns whether only a submodule changed, which is another project.
    pub(super) fn is_of_submodule(&self) -> bool {
        let mut sides = self.old.iter().chain(&self.new);
        sides.all(|side| side.kind == EntryKind::Submodule)
    }
}

/// Passes the records of a command with `--raw -z` to `each`, which may end the command.
pub(super) fn read(
    git: Git,
    mut each: impl FnMut(Record) -> ControlFlow<()>,
) -> Result<(), Failure> {
    git.read(|stdout| {
        while let Some(record) = next(stdout)? {
            if each(record).is_break() {
                break;
            }
        }
        Ok(())
    })
}

/// Passes the records of an answer with `--raw -z` to `each`: those before [`MARK`].
pub(super) fn read_answer(
    stdout: &mut dyn BufRead,
    mut each: impl FnMut(Record),
) -> std::io::Result<()> {
    while stdout.fill_buf()?.first() != MARK.first() {
        let Some(record) = next(stdout)? else {
            return Err(ErrorKind::UnexpectedEof.into());
        };
        each(record);
    }
    stdout
        .take(MARK.len() as u64)
        .read_exact(&mut [0; MARK.len()])
}

/// Returns the next record.
fn next(stdout: &mut dyn BufRead) -> std::io::Result<Option<Record>> {
    while let Some(field) = next_field(stdout)? {
        let field = field.trim_start_matches('\n');
        if !field.starts_with(':') {
            return Ok(Some(Record::Header(field.to_owned())));
        }
        let missing = || Error::new(ErrorKind::InvalidData, "a path is missing");
        let path = next_field(stdout)?.ok_or_else(missing)?;
        let status = field.rsplit(' ').next().unwrap_or_default();
        let new_path = if status.starts_with('R') {
            next_field(stdout)?
        } else {
            None
        };
        if let Some(change) = change(field, path, new_path.as_deref()) {
            return Ok(Some(Record::Change(change)));
        }
    }
    Ok(None)
}

/// Returns the text up to the next zero byte.
fn next_field(stdout: &mut dyn BufRead) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let n_bytes = stdout.take(MAX_BYTES).read_until(0, &mut bytes)?;
    if bytes.last() == Some(&0) {
        bytes.pop();
    }
    Ok((n_bytes > 0).then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the changes that a command lists with `--raw -z`.
pub(super) fn changes(git: Git) -> Option<Vec<RawChange>> {
    let mut found = Vec::new();
    let is_read = read(git, |record| {
        if let Record::Change(change) = record {
            found.push(change);
        }
        ControlFlow::Continue(())
    });
    is_read.is_ok().then_some(found)
}
