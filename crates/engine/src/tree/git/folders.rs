//! The folders of commits, as git stores them, and that of the index.

use std::collections::BTreeMap;
use std::path::Path;

use rustc_hash::FxHashMap;
use sha1::{Digest, Sha1};
use sha2::Sha256;

use super::listing::IndexEntry;
use super::objects::Objects;
use super::records::{EntryKind, TreeEntry};
use super::repository::Repository;
use super::with_objects;

/// Mode of a folder in its parent.
const FOLDER: u32 = 0o40000;

/// Number of bytes of an id of SHA-1. The others are of SHA-256.
const SHA1_BYTES: usize = 20;

/// A file or a folder in a commit.
struct FolderEntry<'c> {
    /// With `/` between its parts.
    path: Vec<u8>,
    mode: u32,
    id: &'c [u8],
}

impl FolderEntry<'_> {
    fn entry(&self) -> TreeEntry {
        TreeEntry {
            path: String::from_utf8_lossy(&self.path).into_owned(),
            kind: EntryKind::of_mode(self.mode),
            object: hexadecimal(self.id),
        }
    }
}

/// Passes the files in a folder to `each`. `first` is the name of the folder. Only those of the inner folders
/// are read for which `enters` is true. Returns `None` if the clone lacks the folder, or if it is a file.
fn walk(
    objects: &mut Objects<'_>,
    first: &str,
    enters: impl Fn(&FolderEntry<'_>) -> bool,
    mut each: impl FnMut(&FolderEntry<'_>),
) -> Option<()> {
    let id = objects.ids(&[first]).remove(0)?;
    let n_bytes = id.len() / 2;
    let mut ids = vec![id];
    let mut folders: Vec<Vec<u8>> = vec![Vec::new()];
    while !ids.is_empty() {
        let names: Vec<&str> = ids.iter().map(String::as_str).collect();
        let contents = objects.folders(&names);
        let mut next_ids = Vec::new();
        let mut next_folders = Vec::new();
        for (folder, content) in folders.iter().zip(&contents) {
            for entry in entries_of(folder, content.as_ref()?, n_bytes) {
                if entry.mode != FOLDER {
                    each(&entry);
                } else if enters(&entry) {
                    next_ids.push(hexadecimal(entry.id));
                    next_folders.push(entry.path);
                }
            }
        }
        ids = next_ids;
        folders = next_folders;
    }
    Some(())
}

/// Returns the entries of a folder, whose ids have `n_bytes`.
fn entries_of<'c>(folder: &[u8], content: &'c [u8], n_bytes: usize) -> Vec<FolderEntry<'c>> {
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
        let mut path = folder.to_vec();
        if !folder.is_empty() {
            path.push(b'/');
        }
        path.extend(&header[space + 1..]);
        found.push(FolderEntry {
            path,
            mode: u32::from_str_radix(mode, 8).unwrap_or(0),
            id,
        });
        rest = next;
    }
    found
}

/// Returns the files of a commit in the folder of the project, by their names.
pub(super) fn files_of(root: &Path, commit: &str) -> Option<BTreeMap<Vec<u8>, TreeEntry>> {
    with_objects(root, |objects| {
        let mut found = BTreeMap::new();
        let name = format!("{commit}:./");
        if objects.find(&name).is_none() {
            // The commit lacks the folder of the project.
            return Some(found);
        }
        walk(
            objects,
            &name,
            |_| true,
            |file| {
                found.insert(file.path.clone(), file.entry());
            },
        )?;
        Some(found)
    })?
}

/// Returns the number of files in a folder of a commit, or 1 for a file.
pub fn n_files(root: &Path, commit: &str, folder: &str) -> usize {
    let count = with_objects(root, |objects| {
        let name = format!("{commit}:./{folder}");
        let mut n_files = 0;
        if walk(objects, &name, |_| true, |_| n_files += 1).is_none() {
            n_files = usize::from(objects.find(&name).is_some());
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
    let mut committed: Vec<&IndexEntry> = Vec::new();
    let mut by_path: FxHashMap<&[u8], &IndexEntry> = FxHashMap::default();
    for known in index.iter().filter(|known| known.is_committed()) {
        committed.push(known);
        by_path.insert(known.entry.path.as_bytes(), known);
    }
    committed.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));
    let staged = StagedFolders::of(&committed);
    let mut found = Vec::new();
    with_objects(root, |objects| {
        let is_other = |folder: &FolderEntry<'_>| staged.id(&folder.path) != Some(folder.id);
        let head = objects.ids(&["HEAD:./"]).remove(0)?;
        if staged.id(b"").map(hexadecimal) == Some(head) {
            return Some(());
        }
        walk(objects, "HEAD:./", is_other, |file| {
            let entry = file.entry();
            let known = by_path.get(entry.path.as_bytes());
            let is_same =
                |known: &&IndexEntry| known.mode == file.mode && known.entry.object == entry.object;
            if !known.is_some_and(is_same) {
                found.push(entry);
            }
        })
    });
    found
}

/// The ids of the folders that a commit of the index would have.
struct StagedFolders<'i> {
    ids: FxHashMap<&'i [u8], Vec<u8>>,
    n_bytes: usize,
}

impl<'i> StagedFolders<'i> {
    /// Computes the ids for entries that are sorted by their paths.
    fn of(entries: &[&'i IndexEntry]) -> Self {
        let object = entries.first().map_or("", |first| &first.entry.object);
        let mut folders = Self {
            ids: FxHashMap::default(),
            n_bytes: object.len() / 2,
        };
        folders.add(entries, 0);
        folders
    }

    fn id(&self, folder: &[u8]) -> Option<&[u8]> {
        self.ids.get(folder).map(Vec::as_slice)
    }

    /// Adds the folder of `entries`, whose path has a length, with the folders in it. Returns its id.
    fn add(&mut self, entries: &[&'i IndexEntry], len: usize) -> Vec<u8> {
        let start = if len == 0 { 0 } else { len + 1 };
        let mut content = Vec::new();
        let mut rest = entries;
        while let Some(first) = rest.first() {
            let path = first.entry.path.as_str();
            let name = &path[start..];
            let n_within;
            match name.find('/') {
                Some(end) => {
                    let folder = &path[..=start + end];
                    n_within = rest.partition_point(|it| it.entry.path.starts_with(folder));
                    let id = self.add(&rest[..n_within], start + end);
                    content.extend(format!("{FOLDER:o} {}\0", &name[..end]).into_bytes());
                    content.extend(id);
                }
                None => {
                    n_within = 1;
                    content.extend(format!("{:o} {name}\0", first.mode).into_bytes());
                    content.extend(bytes_of(&first.entry.object));
                }
            }
            rest = &rest[n_within..];
        }
        let id = folder_id(&content, self.n_bytes);
        if let Some(first) = entries.first() {
            self.ids
                .insert(&first.entry.path.as_bytes()[..len], id.clone());
        }
        id
    }
}

/// Returns the id of a folder, as git computes it of its content.
fn folder_id(content: &[u8], n_bytes: usize) -> Vec<u8> {
    let header = format!("tree {}\0", content.len());
    if n_bytes == SHA1_BYTES {
        let hash = Sha1::new().chain_update(header).chain_update(content);
        return hash.finalize().to_vec();
    }
    let hash = Sha256::new().chain_update(header).chain_update(content);
    hash.finalize().to_vec()
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
    let mut text = String::new();
    for byte in id {
        text += &format!("{byte:02x}");
    }
    text
}
