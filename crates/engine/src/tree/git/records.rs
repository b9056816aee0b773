//! The records in which git lists files and changes.

use std::io::{BufRead, Error, ErrorKind, Read};
use std::ops::ControlFlow;
use std::time::Duration;

use super::process::{Failure, Git};
use crate::tree::read::MAX_BYTES;

/// What a path of a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Link,
    Submodule,
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

/// What the index has of a file of the working tree: the size and the time of its last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) n_bytes: u64,
    pub(super) time: Duration,
    /// Whether a sparse checkout omits the file.
    pub(super) is_omitted: bool,
}

impl Seen {
    /// The flag of an entry that a sparse checkout omits.
    const SKIP_WORKTREE: u32 = 1 << 30;

    /// Reads the lines that `ls-files --debug` prints below an entry. Their format may change, so
    /// they need not be there.
    fn parse(lines: &str) -> Option<Self> {
        let value = |key: &str| {
            lines
                .split(['\n', '\t'])
                .find_map(|it| it.trim().strip_prefix(key))
        };
        let (seconds, nanos) = value("mtime: ")?.split_once(':')?;
        let flags = u32::from_str_radix(value("flags: ")?, 16).ok()?;
        Some(Self {
            n_bytes: value("size: ")?.parse().ok()?,
            time: Duration::new(seconds.parse().ok()?, nanos.parse().ok()?),
            is_omitted: flags & Self::SKIP_WORKTREE != 0,
        })
    }
}

/// Returns the entries that `ls-files --stage --debug -z` lists, or `None` if one has no object: git reads
/// the missing end of an index as zeros.
pub(super) fn index(listed: &[u8]) -> Option<Vec<(TreeEntry, Option<Seen>)>> {
    let mut fields = listed.split(|byte| *byte == 0);
    let mut header = fields.next().unwrap_or_default();
    let mut found = Vec::new();
    for field in fields {
        // The lines of an entry, and the start of the next one.
        let end = field
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |newline| newline + 1);
        let (lines, next) = field.split_at(end);
        // MODE OBJECT STAGE<tab>NAME
        let seen = || Seen::parse(&String::from_utf8_lossy(lines));
        if object_is_zero(header) {
            return None;
        }
        found.extend(entry(header, 1).map(|entry| (entry, seen())));
        header = next;
    }
    Some(found)
}

/// Returns whether the second field of a record is the id of no object.
fn object_is_zero(record: &[u8]) -> bool {
    let object = record.split(|byte| *byte == b' ').nth(1);
    object.is_some_and(|object| !object.is_empty() && object.iter().all(|byte| *byte == b'0'))
}

/// Returns the sides of a raw record, `:OLD_MODE NEW_MODE OLD_OBJECT NEW_OBJECT STATUS`, about a path,
/// or about the old and the new path of a renamed file.
fn sides(record: &str, path: &str, new_path: Option<&str>) -> Option<Sides> {
    let fields: Vec<&str> = record.strip_prefix(':')?.split(' ').collect();
    let [old_mode, new_mode, old, new, _] = fields[..] else {
        return None;
    };
    let new_path = new_path.unwrap_or(path);
    Some([
        TreeEntry::new(path, old_mode, old),
        TreeEntry::new(new_path, new_mode, new),
    ])
}

/// A record of a command with `--raw -z`.
pub(super) enum Record {
    /// What precedes the changes of a commit.
    Header(String),
    /// A change, with the path before it.
    Change(String, Sides),
}

/// Passes the records of a command with `--raw -z` to `each`, which may end the command.
pub(super) fn read(
    git: Git<'_>,
    mut each: impl FnMut(Record) -> ControlFlow<()>,
) -> Result<(), Failure> {
    git.read(|stdout| {
        while let Some(field) = next_field(stdout)? {
            let field = field.trim_start_matches('\n');
            let record = if field.starts_with(':') {
                let missing = || Error::new(ErrorKind::InvalidData, "a path is missing");
                let path = next_field(stdout)?.ok_or_else(missing)?;
                let is_rename = field
                    .rsplit(' ')
                    .next()
                    .is_some_and(|it| it.starts_with('R'));
                let new_path = if is_rename { next_field(stdout)? } else { None };
                let Some(sides) = sides(field, &path, new_path.as_deref()) else {
                    continue;
                };
                Record::Change(path, sides)
            } else {
                Record::Header(field.to_owned())
            };
            if each(record).is_break() {
                break;
            }
        }
        Ok(())
    })
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

/// Returns the entries that `ls-tree -r -z` lists, with their names.
pub(super) fn tree(git: Git<'_>) -> Result<Vec<(Vec<u8>, TreeEntry)>, Failure> {
    let mut found = Vec::new();
    git.read(|stdout| {
        for record in stdout.split(0) {
            let record = record?;
            // MODE TYPE OBJECT<tab>NAME
            let name = record
                .splitn(2, |byte| *byte == b'\t')
                .nth(1)
                .map(<[u8]>::to_vec);
            found.extend(name.zip(entry(&record, 2)));
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns the changes that a command lists with `--raw -z`, with their paths.
pub(super) fn changes(git: Git<'_>) -> Option<Vec<(String, Sides)>> {
    let mut found = Vec::new();
    let is_read = read(git, |record| {
        if let Record::Change(path, sides) = record {
            found.push((path, sides));
        }
        ControlFlow::Continue(())
    });
    is_read.is_ok().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_the_index_are_read_with_what_git_saw_of_their_files() {
        let object = "35049cbcb13c204648d1f7897162492f05123199";
        let stat = |flags: &str| {
            format!(
                "  ctime: 1:2\n  mtime: 3:4\n  dev: 5\tino: 6\n  uid: 0\tgid: 0\n  size: 41\tflags: {flags}\n"
            )
        };
        let listed = format!(
            "100644 {object} 0\ta b\0{}100755 {object} 0\tc\0{}120000 {object} 0\td\0",
            stat("0"),
            stat("40000000")
        );
        let seen = |is_omitted| Seen {
            n_bytes: 41,
            time: Duration::new(3, 4),
            is_omitted,
        };
        let found: Vec<(String, Option<Seen>)> = index(listed.as_bytes())
            .expect("each has an object")
            .into_iter()
            .map(|(entry, seen)| (entry.path, seen))
            .collect();
        let expected = [
            ("a b", Some(seen(false))),
            ("c", Some(seen(true))),
            ("d", None),
        ];
        assert_eq!(found, expected.map(|(path, seen)| (path.to_owned(), seen)));
        assert_eq!(index(b"").map(|found| found.len()), Some(0));
        let zero = format!("100644 {} 0\tx\0{}", "0".repeat(40), stat("0"));
        assert_eq!(index(zero.as_bytes()), None);
    }
}
