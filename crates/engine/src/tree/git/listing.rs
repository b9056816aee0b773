//! The index of the repository, and the files that HEAD has otherwise.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cerberus_model::file_stat::FileStat;
use rustc_hash::FxHashMap;
use sha1::{Digest, Sha1};
use sha2::Sha256;

use super::process::{Git, index_file};
use super::records::{EntryKind, TreeEntry};
use super::repository::{Repository, locked};
use super::with_objects;

/// Options of a list of the index with all that is known of its files.
pub(super) const ALL_FIELDS: [&str; 4] = ["-z", "-t", "--stage", "--debug"];

/// Mode of a folder in its parent.
const FOLDER: u32 = 0o40000;

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
    mode: u32,
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
    fn is_committed(&self) -> bool {
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

/// The id of a folder, as git computes it of its content.
fn folder_id(content: &[u8], n_bytes: usize) -> Vec<u8> {
    let header = format!("tree {}\0", content.len());
    if n_bytes == 20 {
        let hash = Sha1::new().chain_update(header).chain_update(content);
        return hash.finalize().to_vec();
    }
    let hash = Sha256::new().chain_update(header).chain_update(content);
    hash.finalize().to_vec()
}

/// The folders that a commit of the index would have, with their ids.
struct Folders<'i> {
    ids: FxHashMap<&'i str, Vec<u8>>,
    n_bytes: usize,
}

impl<'i> Folders<'i> {
    fn of(entries: &[&'i IndexEntry]) -> Self {
        let object = entries
            .first()
            .map_or("", |first| first.entry.object.as_str());
        let mut folders = Self {
            ids: FxHashMap::default(),
            n_bytes: object.len() / 2,
        };
        folders.add(entries, 0);
        folders
    }

    /// Adds the folder of `entries`, whose name has a length, with the folders in it. Returns its id.
    fn add(&mut self, entries: &[&'i IndexEntry], len: usize) -> Vec<u8> {
        let start = if len == 0 { 0 } else { len + 1 };
        let mut content = Vec::new();
        let mut rest = entries;
        while let Some(first) = rest.first() {
            let path = first.entry.path.as_str();
            let name = &path[start..];
            let (mode, name, id, n_within) = match name.find('/') {
                Some(end) => {
                    let folder = &path[..start + end + 1];
                    let n_within = rest.partition_point(|it| it.entry.path.starts_with(folder));
                    let id = self.add(&rest[..n_within], start + end);
                    (FOLDER, &name[..end], id, n_within)
                }
                None => (first.mode, name, bytes_of(&first.entry.object), 1),
            };
            content.extend(format!("{mode:o} {name}\0").into_bytes());
            content.extend(id);
            rest = &rest[n_within..];
        }
        let id = folder_id(&content, self.n_bytes);
        if let Some(first) = entries.first() {
            self.ids.insert(&first.entry.path[..len], id.clone());
        }
        id
    }
}

/// Returns the bytes of an id in hexadecimal.
fn bytes_of(id: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for idx in (0..id.len()).step_by(2) {
        let digits = id.get(idx..idx + 2).unwrap_or_default();
        bytes.push(u8::from_str_radix(digits, 16).unwrap_or_default());
    }
    bytes
}

fn hexadecimal(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An entry of a folder.
struct FolderEntry<'c> {
    mode: u32,
    name: &'c [u8],
    id: &'c [u8],
}

/// Returns the entries of a folder with ids of `n_bytes`, as git stores it.
fn entries_of(content: &[u8], n_bytes: usize) -> Vec<FolderEntry<'_>> {
    let mut found = Vec::new();
    let mut rest = content;
    // MODE NAME<zero>ID
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        let (header, after) = (&rest[..end], &rest[end + 1..]);
        let space = header.iter().position(|byte| *byte == b' ');
        let (Some(space), Some((id, next))) = (space, after.split_at_checked(n_bytes)) else {
            break;
        };
        let mode = std::str::from_utf8(&header[..space]).unwrap_or_default();
        found.push(FolderEntry {
            mode: u32::from_str_radix(mode, 8).unwrap_or(0),
            name: &header[space + 1..],
            id,
        });
        rest = next;
    }
    found
}

/// Returns the number of files in a folder of a commit, or 1 for a file.
pub fn n_files(root: &Path, commit: &str, folder: &str) -> usize {
    let count = with_objects(root, |objects| {
        let first = format!("{commit}:./{folder}");
        let Some(id) = objects.ids(&[&first]).remove(0) else {
            return 0;
        };
        let n_bytes = id.len() / 2;
        let mut n_files = 0;
        let mut open = vec![id];
        while !open.is_empty() {
            let names: Vec<&str> = open.iter().map(String::as_str).collect();
            let mut next = Vec::new();
            for content in objects.folders(&names) {
                let Some(content) = content else {
                    n_files += 1;
                    continue;
                };
                for entry in entries_of(&content, n_bytes) {
                    if entry.mode == FOLDER {
                        next.push(hexadecimal(entry.id));
                    } else {
                        n_files += 1;
                    }
                }
            }
            open = next;
        }
        n_files
    });
    count.unwrap_or(0)
}

/// Returns the files of HEAD that the index lacks or has in another version. Only folders with other
/// content are read.
pub fn staged_away(root: &Path) -> Vec<TreeEntry> {
    let Some(index) = Repository::at(root).index() else {
        return Vec::new();
    };
    let mut committed: Vec<&IndexEntry> = index.iter().filter(|it| it.is_committed()).collect();
    committed.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));
    let folders = Folders::of(&committed);
    let by_path: FxHashMap<&str, &IndexEntry> = committed
        .iter()
        .map(|it| (it.entry.path.as_str(), *it))
        .collect();
    let found = with_objects(root, |objects| {
        let Some(head) = objects.ids(&["HEAD:./"]).remove(0) else {
            return Vec::new();
        };
        let n_bytes = head.len() / 2;
        let mut found = Vec::new();
        let mut open: Vec<(String, Vec<u8>)> = vec![(String::new(), bytes_of(&head))];
        while !open.is_empty() {
            open.retain(|(folder, id)| folders.ids.get(folder.as_str()) != Some(id));
            let names: Vec<String> = open.iter().map(|(_, id)| hexadecimal(id)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let contents = objects.folders(&names);
            let mut next = Vec::new();
            for ((folder, _), content) in open.iter().zip(&contents) {
                for entry in entries_of(content.as_deref().unwrap_or_default(), n_bytes) {
                    let name = String::from_utf8_lossy(entry.name);
                    let path = match folder.as_str() {
                        "" => name.into_owned(),
                        folder => format!("{folder}/{name}"),
                    };
                    if entry.mode == FOLDER {
                        next.push((path, entry.id.to_vec()));
                        continue;
                    }
                    let object = hexadecimal(entry.id);
                    let known = by_path.get(path.as_str());
                    if known.is_none_or(|it| it.mode != entry.mode || it.entry.object != object) {
                        let kind = EntryKind::of_mode(entry.mode);
                        found.push(TreeEntry { path, kind, object });
                    }
                }
            }
            open = next;
        }
        found
    });
    found.unwrap_or_default()
}
