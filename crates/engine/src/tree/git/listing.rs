//! The list of the files of a project, and the entries of the index in it.

use std::sync::Arc;
use std::time::Duration;

use cerberus_model::file_stat::FileStat;

use super::process::{Git, index_file};
use super::records::TreeEntry;
use super::repository::{Repository, locked};

/// Options of a list of the index with all that is known of its files.
pub(super) const ALL_FIELDS: [&str; 4] = ["-z", "-t", "--stage", "--debug"];

/// The size of the file and the time of its last change, as git saw them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) n_bytes: u64,
    pub(super) time: Duration,
    flags: u32,
}

impl Seen {
    /// The flag of an entry that a sparse checkout omits.
    const SKIP_WORKTREE: u32 = 1 << 30;

    /// The flag of a file that will be added later.
    const INTENT_TO_ADD: u32 = 1 << 29;

    /// Reads the lines that `ls-files --debug` prints below an entry. Their format may change, so
    /// they need not be there.
    fn parse(lines: &[u8]) -> Option<Self> {
        let lines = String::from_utf8_lossy(lines);
        let value = |key: &str| {
            let mut fields = lines.split(['\n', '\t']);
            fields.find_map(|field| field.trim().strip_prefix(key))
        };
        let (seconds, nanos) = value("mtime: ")?.split_once(':')?;
        Some(Self {
            n_bytes: value("size: ")?.parse().ok()?,
            time: Duration::new(seconds.parse().ok()?, nanos.parse().ok()?),
            flags: u32::from_str_radix(value("flags: ")?, 16).ok()?,
        })
    }
}

/// An entry of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IndexEntry {
    pub(super) entry: TreeEntry,
    pub(super) mode: u32,
    /// Whether it is one of the versions of a file whose merge has a conflict.
    is_unmerged: bool,
    pub(super) seen: Option<Seen>,
}

impl IndexEntry {
    /// Returns whether a sparse checkout omits the file.
    pub(super) fn is_omitted(&self) -> bool {
        self.has_flag(Seen::SKIP_WORKTREE)
    }

    fn has_flag(&self, flag: u32) -> bool {
        self.seen.is_some_and(|seen| seen.flags & flag != 0)
    }

    /// Returns whether a commit would have the entry.
    pub(super) fn is_committed(&self) -> bool {
        !self.is_unmerged && !self.has_flag(Seen::INTENT_TO_ADD)
    }
}

/// A record of `ls-files -z -t`.
pub(super) struct ListedRecord<'o> {
    /// The letter of its kind.
    pub(super) kind: u8,
    /// The mode, the object and the stage of a tracked file, with `--stage`.
    stage: &'o [u8],
    pub(super) name: &'o [u8],
    /// The lines about it, with `--debug`.
    lines: &'o [u8],
}

/// Returns the records of `ls-files -z -t`, with or without the other options of [`ALL_FIELDS`].
pub(super) fn records(output: &[u8], has_all: bool) -> Vec<ListedRecord<'_>> {
    let mut found: Vec<ListedRecord<'_>> = Vec::new();
    for field in output.split(|byte| *byte == 0) {
        let (lines, record) = field.split_at(if has_all { len_of_lines(field) } else { 0 });
        if let Some(last) = found.last_mut() {
            last.lines = lines;
        }
        let Some((kind, rest)) = record.split_at_checked(2) else {
            continue;
        };
        let is_tracked = kind != b"? ";
        let tab = rest.iter().position(|byte| *byte == b'\t');
        let (stage, name) = match tab {
            Some(tab) if has_all && is_tracked => (&rest[..tab], &rest[tab + 1..]),
            _ => (&rest[..0], rest),
        };
        found.push(ListedRecord {
            kind: kind[0],
            stage,
            name,
            lines: &[],
        });
    }
    found
}

/// Returns the length of the lines about an entry, which are indented.
fn len_of_lines(field: &[u8]) -> usize {
    let mut len = 0;
    while field[len..].starts_with(b"  ") {
        match field[len..].iter().position(|byte| *byte == b'\n') {
            Some(end) => len += end + 1,
            None => break,
        }
    }
    len
}

/// Returns the entries of the index among records, or `None` if one has no object: git reads the missing
/// end of an index as zeros.
pub(super) fn entries(records: &[ListedRecord<'_>]) -> Option<Vec<IndexEntry>> {
    let mut found = Vec::new();
    for record in records {
        let fields = String::from_utf8_lossy(record.stage);
        let mut fields = fields.split(' ');
        let (Some(mode), Some(object), Some(stage)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let name = String::from_utf8_lossy(record.name);
        let entry = TreeEntry::new(&name, mode, object)?;
        found.push(IndexEntry {
            entry,
            mode: u32::from_str_radix(mode, 8).unwrap_or(0),
            is_unmerged: stage != "0",
            seen: Seen::parse(record.lines),
        });
    }
    Some(found)
}

/// The entries of the index, as long as its file does not change.
pub(super) struct Listing {
    file: FileStat,
    entries: Arc<Vec<IndexEntry>>,
}

impl Repository {
    /// Returns the size and the time of the file of the index.
    pub(super) fn index_stat(&self) -> Option<FileStat> {
        let file = index_file(&self.root)?.symlink_metadata().ok()?;
        Some(FileStat::new(&file))
    }

    /// Stores the entries of the index, which were read after its file had this size and time.
    pub(super) fn store_index(
        &self,
        file: Option<FileStat>,
        entries: Vec<IndexEntry>,
    ) -> Arc<Vec<IndexEntry>> {
        let entries = Arc::new(entries);
        let listing = file.map(|file| Listing {
            file,
            entries: Arc::clone(&entries),
        });
        *locked(&self.listing) = listing;
        entries
    }

    /// Returns the entries of the index, or `None` outside a repository.
    pub(super) fn index(&self) -> Option<Arc<Vec<IndexEntry>>> {
        let file = self.index_stat();
        if let Some(known) = locked(&self.listing).as_ref()
            && Some(known.file) == file
        {
            return Some(Arc::clone(&known.entries));
        }
        let args = ["ls-files"].into_iter().chain(ALL_FIELDS);
        let listed = Git::new(&self.root, args).bytes()?;
        let entries = entries(&records(&listed, true))?;
        Some(self.store_index(file, entries))
    }
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
            "? new\nline\0H 100644 {object} 0\ta b\0{}S 100755 {object} 0\tc\nd\0{}M 120000 {object} 2\te\0",
            stat("0"),
            stat("40000000")
        );
        let records = records(listed.as_bytes(), true);
        let names: Vec<&[u8]> = records.iter().map(|record| record.name).collect();
        assert_eq!(names, [b"new\nline".as_slice(), b"a b", b"c\nd", b"e"]);
        let entries = entries(&records).expect("each has an object");
        let found: Vec<_> = entries
            .iter()
            .map(|known| (known.entry.path.as_str(), known.mode, known.is_committed()))
            .collect();
        let expected = [
            ("a b", 0o100_644, true),
            ("c\nd", 0o100_755, true),
            ("e", 0o120_000, false),
        ];
        assert_eq!(found, expected);
        let seen = entries[0].seen.expect("it has a file");
        assert_eq!((seen.n_bytes, seen.time), (41, Duration::new(3, 4)));
        assert!(!entries[0].is_omitted() && entries[1].is_omitted());
        assert_eq!(entries[2].seen, None);
    }

    #[test]
    fn an_entry_without_an_object_is_damage() {
        let zero = format!("H 100644 {} 0\tx\0", "0".repeat(40));
        assert_eq!(entries(&records(zero.as_bytes(), true)), None);
        assert_eq!(entries(&records(b"", true)), Some(Vec::new()));
    }
}
