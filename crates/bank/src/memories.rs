//! Memory files: listing, reading and writing.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use cerberus_model::file_stat::FileStat;
use cerberus_model::{MemoryId, UserError, refuse, shell_word};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;
use walkdir::{DirEntry, WalkDir};

pub use super::memory_file::{MAX_BYTES, check_size, size_warning, text_of};
use super::{View, memory_file};
use crate::lockfile::Anchors;
use crate::lookup::{find_named, find_whole};
use crate::{Bank, MemoryFile, files, supersession};

/// Size limit of all memories of a bank. Indexing them takes up to ten seconds and ten times as much
/// memory.
const MAX_BANK_BYTES: u64 = 32 * 1024 * 1024;

/// Number of memories above which they are read in parallel.
const MIN_PARALLEL: usize = 64;

/// All memories and anchors of a bank. Each file was read once.
#[derive(Debug, Default)]
pub struct Memories {
    /// Ordered by file, with unique ids.
    pub all: Vec<MemoryFile>,
    /// The positions of the memories in `all`.
    by_id: FxHashMap<String, usize>,
    /// Ignored files, whose id an earlier one has.
    pub(crate) duplicates: Vec<MemoryFile>,
    pub anchors: Anchors,
    /// Stat of the lock file before reading.
    pub(crate) lock_stat: Option<FileStat>,
    /// Whether files are ignored or reading one failed.
    pub is_partial: bool,
    /// Why files could not be read, also part of the warnings.
    pub unread: Vec<String>,
    pub warnings: Vec<String>,
}

/// The files of a bank.
struct Listed {
    /// Those of memories, sorted.
    files: Vec<String>,
    /// Why others are ignored.
    ignored: Vec<String>,
    /// Why others cannot be read.
    unread: Vec<String>,
}

impl Bank {
    /// Returns the sorted paths of the memory files, and warnings about skipped files.
    pub fn list(&self) -> Result<(Vec<String>, Vec<String>)> {
        let listed = self.listed()?;
        Ok((listed.files, [listed.ignored, listed.unread].concat()))
    }

    fn listed(&self) -> Result<Listed> {
        if !self.exists() {
            return Err(self.missing().into());
        }
        let mut found = Vec::new();
        let mut ignored = Vec::new();
        let mut unread = Vec::new();
        let walker = WalkDir::new(self.folder()).follow_links(false).into_iter();
        for entry in walker.filter_entry(|entry| !is_private(entry)) {
            match entry {
                Ok(entry) if entry.file_type().is_dir() => {
                    unread.extend(missing_rules(entry.path()));
                }
                Ok(entry) => match memory_file(self.folder(), &entry) {
                    Some(Ok(file)) => found.push(file),
                    Some(Err(warning)) => ignored.push(warning),
                    None => {}
                },
                Err(error) => unread.push(format!("failed to list the bank: {error}")),
            }
        }
        ignored.sort_unstable();
        unread.sort_unstable();
        Ok(Listed {
            files: self.view().visible(found),
            ignored,
            unread,
        })
    }

    /// Returns the stat of a file in a view, if it exists.
    pub(crate) fn stat_in(&self, view: &View, file: &str) -> Option<FileStat> {
        let metadata = view.path(self, file)?.symlink_metadata().ok()?;
        Some(FileStat::new(&metadata))
    }

    /// Returns the bytes of a memory file as readers see it, if it exists.
    pub fn bytes(&self, file: &str) -> Result<Option<Vec<u8>>> {
        match self.view().path(self, file) {
            Some(path) => files::read(&path, MAX_BYTES),
            None => Ok(None),
        }
    }

    /// Reads one memory.
    pub fn read(&self, file: &str) -> Result<MemoryFile> {
        self.read_in(&self.view(), file)
    }

    /// Like [`Bank::read`], in a view that was loaded before.
    pub(crate) fn read_in(&self, view: &View, file: &str) -> Result<MemoryFile> {
        match self.read_if_present(view, file)? {
            Some(stored) => Ok(stored),
            None => Err(not_found(file).into()),
        }
    }

    fn read_if_present(&self, view: &View, file: &str) -> Result<Option<MemoryFile>> {
        let Some(path) = view.path(self, file) else {
            return Ok(None);
        };
        let read = files::read_with_stat(&path, MAX_BYTES)?;
        Ok(read.map(|(bytes, stat)| memory_file::of_bytes(file, &bytes, stat)))
    }

    /// Reads all memories and anchors. A memory that cannot be read causes a warning.
    pub fn read_all(&self) -> Result<Memories> {
        self.read_listed(self.listed()?)
    }

    /// Reads the listed memories, without those that another process has deleted since.
    fn read_listed(&self, listed: Listed) -> Result<Memories> {
        let Listed {
            files,
            ignored,
            mut unread,
        } = listed;
        let mut warnings = [ignored, unread.clone()].concat();
        // For few files, starting threads takes longer than reading.
        let n_bytes = AtomicU64::new(0);
        let view = self.view();
        let read = |file: &String| {
            check_bank_size(n_bytes.load(Ordering::Relaxed))?;
            let found = self.read_if_present(&view, file)?;
            if let Some(found) = &found {
                n_bytes.fetch_add(found.stat.size, Ordering::Relaxed);
            }
            Ok(found)
        };
        let found: Vec<Result<Option<MemoryFile>>> = match files.len() {
            ..MIN_PARALLEL => files.iter().map(read).collect(),
            _ => files.par_iter().map(read).collect(),
        };
        check_bank_size(n_bytes.into_inner())?;
        let mut memories = Memories {
            is_partial: !warnings.is_empty(),
            lock_stat: self.lock_stat(),
            anchors: self.anchors()?,
            ..Memories::default()
        };
        for found in found {
            match found {
                Ok(None) => {}
                Ok(Some(found)) => {
                    warnings.extend_from_slice(&found.warnings);
                    memories.add(found);
                }
                Err(error) => {
                    memories.is_partial = true;
                    unread.push(format!("{error:#}"));
                    warnings.extend(unread.last().cloned());
                }
            }
        }
        for ignored in &memories.duplicates {
            let id = &ignored.memory.id;
            let first = &memories.all[memories.by_id[id]].file;
            warnings.push(duplicate_warning(&ignored.file, id, first));
        }
        Ok(Memories {
            unread,
            warnings,
            ..memories
        })
    }

    /// Returns the stat of the lock file, if it exists.
    pub(crate) fn lock_stat(&self) -> Option<FileStat> {
        let metadata = self.lockfile().metadata().ok()?;
        Some(FileStat::new(&metadata))
    }

    /// Removes a memory that was just created.
    pub fn discard(&self, file: &str) -> Result<()> {
        files::remove(&self.folder().join(file))
    }

    /// Creates a memory from its complete text and returns its file. Fails if the file exists.
    pub fn create_text(&self, id: &MemoryId, text: &str) -> Result<String> {
        let file = id.file();
        let text = &*self.admitted(&file, text)?;
        check_size(text)?;
        if files::create(&self.inside(&file)?, text.as_bytes())? {
            Ok(file)
        } else {
            refuse(
                format!("memory `{id}` already exists"),
                format!("choose another name, or show it with `cerberus memory show {id}`"),
            )
        }
    }

    /// Returns the complete text of a memory for editing, including a byte-order mark. Fails if it
    /// is not valid UTF-8.
    pub fn utf8_text(&self, stored: &MemoryFile) -> Result<String> {
        if let Some(prefix) = stored.prefix {
            return Ok(format!("{prefix}{}", stored.text));
        }
        // The error contains the offset of the first invalid byte.
        let file = &stored.file;
        let bytes = self.bytes(file)?.ok_or_else(|| not_found(file))?;
        String::from_utf8(bytes).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            UserError::usage(format!(
                "`{file}` is not valid UTF-8 at byte {offset}; editing it would lose data"
            ))
            .hint("save it as UTF-8 in an editor first")
            .into()
        })
    }

    /// Replaces the text of a memory.
    pub fn rewrite(&self, file: &str, text: &str) -> Result<()> {
        let text = &*self.admitted(file, text)?;
        check_size(text)?;
        files::replace(&self.inside(file)?, text.as_bytes())
    }
}

impl Memories {
    /// Reads the bank, with warnings about anchors without a memory.
    pub(crate) fn load(bank: &Bank) -> Result<Self> {
        let mut memories = bank.read_all()?;
        let mut orphans = Vec::from_iter(memories.anchors.keys());
        orphans.retain(|id| memories.get(id).is_none());
        let orphans: Vec<String> = orphans.into_iter().map(|id| orphan_warning(id)).collect();
        memories.warnings.extend(orphans);
        Ok(memories)
    }

    /// Adds the memory of the next file, unless an earlier one has its id.
    fn add(&mut self, stored: MemoryFile) {
        let id = &stored.memory.id;
        if self.by_id.contains_key(id) {
            self.duplicates.push(stored);
            return;
        }
        self.by_id.insert(id.clone(), self.all.len());
        self.all.push(stored);
    }

    /// Returns the memory with this id.
    pub fn get(&self, id: &str) -> Option<&MemoryFile> {
        Some(&self.all[*self.by_id.get(id)?])
    }

    /// Returns the memory in a file.
    pub fn at(&self, file: &str) -> Option<&MemoryFile> {
        in_file(&self.all, file)
    }

    /// Returns the id of each superseded memory, with the id of one that supersedes it.
    pub fn superseded(&self) -> BTreeMap<String, String> {
        supersession::superseded(&self.all)
    }

    /// Checks that no memory has this id or the file that belongs to it.
    pub fn check_free(&self, id: &str) -> Result<()> {
        let holder = self.get(id).or_else(|| self.at(&format!("{id}.md")));
        let Some(MemoryFile { file, .. }) = holder else {
            return Ok(());
        };
        refuse(
            format!("memory `{id}` already exists in `{file}`"),
            format!("choose another id, or show it with `cerberus memory show {id}`"),
        )
    }

    /// Returns the memory whose id is `typed` or has it as a unique prefix.
    pub fn find(&self, typed: &str) -> Result<&MemoryFile> {
        Ok(&self.all[find_named("memory", typed, &self.ids())?])
    }

    /// Returns the memory whose id is `typed`, to remove it.
    pub fn find_whole(&self, typed: &str) -> Result<&MemoryFile> {
        Ok(&self.all[find_whole("memory", typed, &self.ids())?])
    }

    fn ids(&self) -> Vec<&str> {
        let all = self.all.iter();
        all.map(|stored| stored.memory.id.as_str()).collect()
    }
}

/// Returns the warning about an anchor without a memory.
pub(crate) fn orphan_warning(id: &str) -> String {
    format!(
        "memory `{id}` in `anchors.lock` not found; `cerberus memory reanchor` removes its anchor"
    )
}

/// Refuses a bank that is too large to index.
pub(crate) fn check_bank_size(n_bytes: u64) -> Result<(), UserError> {
    if n_bytes <= MAX_BANK_BYTES {
        return Ok(());
    }
    Err(
        UserError::environment("the memories have more than 32 MB together")
            .hint("move the files that are not rules out of the bank: find .memories -size +90k"),
    )
}

fn not_found(file: &str) -> UserError {
    UserError::usage(format!("memory file `{file}` not found"))
        .hint("list the memories with `cerberus memory show`")
}

/// Returns the warning about a memory whose id an earlier one has.
pub(crate) fn duplicate_warning(file: &str, id: &str, first: &str) -> String {
    format!("`{file}` is ignored: `{first}` already has the id `{id}`")
}

/// Returns the memory in a file, from memories that are sorted by file.
pub(crate) fn in_file<'m>(memories: &'m [MemoryFile], file: &str) -> Option<&'m MemoryFile> {
    let at = memories.binary_search_by(|stored| (*stored.file).cmp(file));
    Some(&memories[at.ok()?])
}

fn is_private(entry: &DirEntry) -> bool {
    let path = entry.path().as_os_str().as_encoded_bytes();
    let mut parts = path.rsplit(|byte| std::path::is_separator(char::from(*byte)));
    let name = parts.next().unwrap_or_default();
    let is_store = entry.depth() == 1 && name == super::INDICES.as_bytes();
    entry.depth() > 0 && (name.starts_with(b".") || is_store)
}

/// Returns a warning about a folder of the bank that is a submodule without its files, as in a clone.
fn missing_rules(folder: &Path) -> Option<String> {
    let mut entries = WalkDir::new(folder).min_depth(1).into_iter();
    if entries.next().is_some() {
        return None;
    }
    for root in folder.ancestors().skip(1) {
        if let Some(path) = submodule(root, folder) {
            return Some(format!(
                "`{path}` is not checked out: git submodule update --init {}",
                shell_word(&path)
            ));
        }
    }
    None
}

/// Returns the path of a folder below `root`, if `.gitmodules` of `root` lists it.
fn submodule(root: &Path, folder: &Path) -> Option<String> {
    let relative = folder.strip_prefix(root).ok()?.to_str()?;
    let path = relative.replace(std::path::MAIN_SEPARATOR, "/");
    let listed = files::read(&root.join(".gitmodules"), MAX_BYTES).ok()??;
    for line in String::from_utf8_lossy(&listed).lines() {
        if line.trim().strip_prefix("path = ") == Some(&path) {
            return Some(path);
        }
    }
    None
}

/// Returns the warning about an ignored file.
fn ignored_warning(folder: &Path, entry: &DirEntry, why: &str) -> String {
    let path = entry.path();
    let shown = path.strip_prefix(folder).unwrap_or(path).display();
    format!("`{shown}` is ignored: {why}")
}

/// Returns the path of a memory in the bank, or a warning if the file is ignored.
fn memory_file(folder: &Path, entry: &DirEntry) -> Option<Result<String, String>> {
    let path = entry.path().as_os_str();
    if !path.as_encoded_bytes().ends_with(b".md") {
        return None;
    }
    if !entry.file_type().is_file() {
        return Some(Err(ignored_warning(
            folder,
            entry,
            "it is not a regular file",
        )));
    }
    // Removing the prefix is faster than comparing path components.
    let file = match (path.to_str(), folder.to_str()) {
        (Some(path), Some(folder)) => path.strip_prefix(folder),
        _ => None,
    };
    let Some(file) = file else {
        return Some(Err(ignored_warning(
            folder,
            entry,
            "its name is not valid UTF-8",
        )));
    };
    let file = file.trim_start_matches(std::path::is_separator);
    if file.contains(char::is_control) {
        // The name is the id of the memory, which is part of the output.
        let name = file.escape_debug();
        return Some(Err(format!(
            "`{name}` is ignored: its name contains control characters"
        )));
    }
    Some(Ok(file.replace(std::path::MAIN_SEPARATOR, "/")))
}

#[cfg(test)]
mod tests {
    use crate::deletion::tests::bank;

    #[test]
    fn a_memory_that_is_deleted_while_all_are_read_is_not_a_failure() {
        let (_folder, bank, _) = bank();
        let listed = bank.listed().expect("readable");
        bank.discard("c.md").expect("removed");
        let read = bank.read_listed(listed).expect("read");
        assert_eq!((read.all.len(), &*read.unread), (2, [].as_slice()));
        assert!(!read.is_partial, "{:?}", read.warnings);
    }
}
