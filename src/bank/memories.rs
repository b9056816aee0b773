//! Memory files: listing, reading and writing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use rayon::prelude::*;
use walkdir::{DirEntry, WalkDir};

use crate::error::UserError;
use crate::file_stat::FileStat;
use crate::markdown::frontmatter::{self, Frontmatter};
use crate::model::{Memory, MemoryStatus, MemoryType, Scope};
use crate::text;

use super::lockfile::Anchors;
use super::repeated::{self, Repeated};
use super::shared::{is_shared, pack};
use super::{Bank, View, WriteOp, files, names};

/// Size limit of a memory.
pub(crate) const MAX_BYTES: u64 = 100 * 1024;

/// Size limit of all memories of a bank. Indexing them takes up to ten seconds and ten times as much
/// memory.
const MAX_BANK_BYTES: u64 = 32 * 1024 * 1024;

/// Size above which a memory has a warning, because injecting it is expensive.
const WARN_BYTES: usize = 50 * 1024;

/// Number of memories above which they are read in parallel.
const MIN_PARALLEL: usize = 64;

/// Memory with its file.
#[derive(Debug, Clone)]
pub(crate) struct MemoryFile {
    pub(crate) memory: Memory,
    /// Path in the bank, with `/`; `bank://NAME/PATH` for a shared memory.
    pub(crate) file: String,
    /// Complete text, including the frontmatter.
    pub(crate) text: String,
    encoding: Encoding,
    /// Stat of the file before reading.
    pub(crate) stat: FileStat,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf8WithBom,
    /// UTF-16 or invalid UTF-8. Such a file cannot be edited.
    Other,
}

/// All memories and anchors of a bank. Each file was read once.
#[derive(Debug)]
pub(crate) struct BankFiles {
    /// Ordered by file, those of shared banks last, with unique ids.
    pub(crate) memories: Vec<MemoryFile>,
    /// Ignored files: those whose id an earlier one has, and shared ones whose text one has.
    pub(crate) duplicates: Vec<MemoryFile>,
    pub(crate) repeated: Vec<Repeated>,
    pub(crate) anchors: Anchors,
    /// Stat of the lock file before reading.
    pub(crate) lock_stat: Option<FileStat>,
    /// Whether reading a file failed.
    pub(crate) is_partial: bool,
    pub(crate) warnings: Vec<String>,
}

impl Bank {
    /// Returns the sorted paths of the memory files, those of shared banks last, and warnings about
    /// skipped files and shared banks.
    pub(crate) fn list(&self) -> Result<(Vec<String>, Vec<String>)> {
        let (mut found, mut warnings) = self.list_own()?;
        let shared = self.shared();
        found.extend(shared.files.keys().cloned());
        warnings.extend(shared.failures.iter().map(ToString::to_string));
        warnings.extend_from_slice(&shared.warnings);
        Ok((found, warnings))
    }

    /// Like [`Bank::list`], without shared banks.
    pub(crate) fn list_own(&self) -> Result<(Vec<String>, Vec<String>)> {
        if !self.exists() {
            return Err(self.missing().into());
        }
        let (mut found, mut warnings) = (Vec::new(), Vec::new());
        let walker = WalkDir::new(self.folder()).follow_links(false).into_iter();
        for entry in walker.filter_entry(|entry| !is_private(entry)) {
            match entry {
                Ok(entry) => match memory_file(self.folder(), &entry) {
                    Some(Ok(file)) => found.push(file),
                    Some(Err(warning)) => warnings.push(warning),
                    None => {}
                },
                Err(error) => warnings.push(format!("failed to list the bank: {error}")),
            }
        }
        self.view().apply_to_files(&mut found);
        found.sort_unstable();
        warnings.sort_unstable();
        Ok((found, warnings))
    }

    /// Returns the stat of a file, if it exists.
    pub(crate) fn stat(&self, file: &str) -> Option<FileStat> {
        self.stat_in(&self.view(), file)
    }

    /// Like [`Bank::stat`], in a view that was loaded before.
    pub(crate) fn stat_in(&self, view: &View, file: &str) -> Option<FileStat> {
        if let Some(shared) = view.shared(file) {
            return Some(shared.stat);
        }
        let metadata = view.path(self, file)?.symlink_metadata().ok()?;
        Some(FileStat::new(&metadata))
    }

    /// Reads one memory.
    pub(crate) fn read(&self, file: &str) -> Result<MemoryFile> {
        self.read_in(&self.view(), file)
    }

    /// Like [`Bank::read`], in a view that was loaded before.
    pub(crate) fn read_in(&self, view: &View, file: &str) -> Result<MemoryFile> {
        if let Some(shared) = view.shared(file) {
            return Ok(shared.clone());
        }
        let path = view.path(self, file).ok_or_else(|| not_found(file))?;
        let (bytes, stat) =
            files::read_with_stat(&path, MAX_BYTES)?.ok_or_else(|| not_found(file))?;
        let mut warnings = Vec::new();
        warnings.extend(size_warning(file, bytes.len()));
        let (text, is_exact) = text::decode(&bytes);
        if !is_exact {
            warnings
                .push(format!("`{file}` is not valid UTF-8; invalid bytes are shown as U+FFFD"));
        }
        let encoding = match bytes[..] {
            [0xFF | 0xFE, ..] => Encoding::Other,
            [0xEF, 0xBB, 0xBF, ..] if is_exact => Encoding::Utf8WithBom,
            _ if is_exact => Encoding::Utf8,
            _ => Encoding::Other,
        };
        let text = text.into_owned();
        let memory = parsed(file, file, &text, &mut warnings);
        Ok(MemoryFile { memory, file: file.to_owned(), text, encoding, stat, warnings })
    }

    /// Reads all memories and anchors. A memory that cannot be read causes a warning.
    pub(crate) fn read_all(&self) -> Result<BankFiles> {
        let (listed, mut warnings) = self.list()?;
        let mut is_partial = !warnings.is_empty();
        // For few files, starting threads takes longer than reading.
        let n_bytes = AtomicU64::new(0);
        let view = self.view();
        let read = |file: &String| {
            check_bank_size(n_bytes.load(Ordering::Relaxed))?;
            let found = self.read_in(&view, file)?;
            n_bytes.fetch_add(found.stat.size, Ordering::Relaxed);
            Ok(found)
        };
        let all: Vec<Result<MemoryFile>> = match listed.len() {
            ..MIN_PARALLEL => listed.iter().map(read).collect(),
            _ => listed.par_iter().map(read).collect(),
        };
        check_bank_size(n_bytes.into_inner())?;
        let mut memories = Vec::with_capacity(listed.len());
        for found in all {
            match found {
                Ok(found) => {
                    warnings.extend_from_slice(&found.warnings);
                    memories.push(found);
                }
                Err(error) => {
                    is_partial = true;
                    warnings.push(format!("{error:#}"));
                }
            }
        }
        let repeated = repeated::repeated(&memories);
        let (memories, duplicates) = split_duplicates(memories, &repeated, &mut warnings);
        let lock_stat = self.lock_stat();
        let anchors = self.anchors()?;
        Ok(BankFiles { memories, duplicates, repeated, anchors, lock_stat, is_partial, warnings })
    }

    /// Returns the stat of the lock file, if it exists.
    pub(crate) fn lock_stat(&self) -> Option<FileStat> {
        self.lockfile().metadata().ok().map(|metadata| FileStat::new(&metadata))
    }

    /// Removes a memory that was just created.
    pub(crate) fn discard(&self, file: &str) -> Result<()> {
        files::remove(&self.folder().join(file))
    }

    /// Creates a memory and returns its file. Fails if the file exists.
    pub(crate) fn create_memory(
        &self,
        id: &str,
        front: &Frontmatter,
        body: &str,
    ) -> Result<String> {
        self.create_text(id, &memory_text(front, body))
    }

    /// Creates memories, each with its id, frontmatter and body. Adds those that were written to
    /// `done`, also if another fails. [`Bank::sync`] has to sync the folder.
    pub(crate) fn create_memories_unsynced(
        &self,
        memories: &[(&str, Frontmatter, &str)],
        done: &mut Vec<WriteOp>,
    ) -> Result<()> {
        let mut files = Vec::with_capacity(memories.len());
        for (id, front, body) in memories {
            names::check(id)?;
            let text = memory_text(front, body);
            check_size(&text)?;
            files.push((format!("{id}.md"), text));
        }
        let files: Vec<(&str, &str)> =
            files.iter().map(|(file, text)| (&file[..], &text[..])).collect();
        self.create_files(&files, done)
    }

    /// Creates a memory from its complete text and returns its file. Fails if the file exists.
    pub(crate) fn create_text(&self, name: &str, text: &str) -> Result<String> {
        names::check(name)?;
        check_size(text)?;
        let file = format!("{name}.md");
        if files::create(&self.inside(&file)?, text.as_bytes())? {
            Ok(file)
        } else {
            Err(UserError::usage(format!("memory `{name}` already exists"))
                .hint(format!("choose another name, or show it with `cerberus memory show {name}`"))
                .into())
        }
    }

    /// Returns the complete text of a memory for editing, including a byte-order mark. Fails if it
    /// is not valid UTF-8.
    pub(crate) fn utf8_text(&self, stored: &MemoryFile) -> Result<String> {
        match stored.encoding {
            Encoding::Utf8 => return Ok(stored.text.clone()),
            Encoding::Utf8WithBom => return Ok(format!("\u{FEFF}{}", stored.text)),
            // The error contains the offset of the first invalid byte.
            Encoding::Other => {}
        }
        let file = &stored.file;
        let bytes =
            files::read(&self.folder().join(file), MAX_BYTES)?.ok_or_else(|| not_found(file))?;
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
    pub(crate) fn rewrite(&self, file: &str, text: &str) -> Result<()> {
        check_size(text)?;
        files::replace(&self.inside(file)?, text.as_bytes())
    }
}

/// Returns the memory in a text. Without an `id` in the frontmatter it has that of its `path` in its
/// bank.
fn parsed(file: &str, path: &str, text: &str, warnings: &mut Vec<String>) -> Memory {
    let parsed = frontmatter::parse(text);
    for diagnostic in parsed.warnings {
        let (line, column) = (diagnostic.line + 1, diagnostic.column + 1);
        warnings.push(format!("{file}:{line}:{column}: {}", diagnostic.message));
    }
    let front = parsed.frontmatter;
    let stem = path.strip_suffix(".md").unwrap_or(path).to_owned();
    Memory {
        id: front.id.unwrap_or(stem),
        memory_type: front.memory_type.unwrap_or(MemoryType::Fact),
        kind: front.kind,
        category: front.category,
        heading: front.heading,
        paths: front.paths,
        scope: front.scope.unwrap_or(Scope::Project(None)),
        status: front.status.unwrap_or(MemoryStatus::Active),
        tags: front.tags,
        hints: front.hints,
        example: front.example,
        example_elsewhere: front.example_elsewhere,
        override_reason: front.override_reason,
        source: front.source,
        links: front.links,
        created_at: front.created_at,
        updated_at: front.updated_at,
        body: text.get(parsed.body_start..).unwrap_or_default().to_owned(),
    }
}

/// Returns the memory in the text of a file that is not in this bank.
pub(crate) fn of_text(path: &str, text: &str) -> Memory {
    parsed(path, path, text, &mut Vec::new())
}

/// Returns a memory of a shared bank, whose path in it is `path`.
pub(super) fn of_shared(file: &str, path: &str, text: String) -> MemoryFile {
    let mut warnings = Vec::new();
    let memory = parsed(file, path, &text, &mut warnings);
    let stat = FileStat { size: text.len() as u64, mtime: pack::time_of(&text) };
    let encoding =
        if text.starts_with('\u{FEFF}') { Encoding::Utf8WithBom } else { Encoding::Utf8 };
    let text = text.strip_prefix('\u{FEFF}').map_or_else(|| text.clone(), str::to_owned);
    MemoryFile { memory, file: file.to_owned(), text, encoding, stat, warnings }
}

/// Refuses a bank that is too large to index.
pub(crate) fn check_bank_size(n_bytes: u64) -> Result<(), UserError> {
    if n_bytes <= MAX_BANK_BYTES {
        return Ok(());
    }
    Err(UserError::environment("the memories have more than 32 MB together")
        .hint("move the files that are not rules out of the bank: find .memories -size +90k"))
}

fn memory_text(front: &Frontmatter, body: &str) -> String {
    format!("{}{}\n", frontmatter::render(front), body.trim_end())
}

fn not_found(file: &str) -> UserError {
    UserError::usage(format!("memory file `{file}` not found"))
        .hint("list the memories with `cerberus memory show`")
}

fn check_size(text: &str) -> Result<()> {
    if text.len() as u64 <= MAX_BYTES {
        return Ok(());
    }
    Err(UserError::usage(format!(
        "the memory has {} KB, more than the limit of 100 KB",
        text.len().div_ceil(1024)
    ))
    .hint("split it")
    .into())
}

/// Returns a warning for a large memory.
pub(crate) fn size_warning(file: &str, n_bytes: usize) -> Option<String> {
    let size = n_bytes / 1024;
    (n_bytes > WARN_BYTES).then(|| format!("`{file}` has {size} KB; the limit is 100 KB"))
}

/// Splits off the memories whose id an earlier one has, and the repeated ones.
fn split_duplicates(
    all: Vec<MemoryFile>,
    repeated: &[Repeated],
    warnings: &mut Vec<String>,
) -> (Vec<MemoryFile>, Vec<MemoryFile>) {
    let repeated: BTreeSet<&str> = repeated.iter().map(|it| it.file.as_str()).collect();
    let mut file_by_id = BTreeMap::new();
    all.into_iter().partition(|MemoryFile { memory, file, .. }| {
        let first: &String = file_by_id.entry(memory.id.clone()).or_insert_with(|| file.clone());
        // A memory of the project replaces a shared one.
        if first != file && (!is_shared(file) || is_shared(first)) {
            warnings
                .push(format!("`{file}` is ignored: `{first}` already has the id `{}`", memory.id));
        }
        first == file && !repeated.contains(file.as_str())
    })
}

fn is_private(entry: &DirEntry) -> bool {
    let name = entry.path().as_os_str().as_encoded_bytes();
    let name = name.rsplit(|byte| std::path::is_separator(char::from(*byte))).next();
    let name = name.unwrap_or_default();
    let is_store = entry.depth() == 1 && name == super::INDICES.as_bytes();
    entry.depth() > 0 && (name.starts_with(b".") || is_store)
}

/// Returns the path of a memory in the bank, or a warning if the file is ignored.
fn memory_file(folder: &Path, entry: &DirEntry) -> Option<Result<String, String>> {
    let path = entry.path().as_os_str();
    if !path.as_encoded_bytes().ends_with(b".md") || entry.file_type().is_dir() {
        return None;
    }
    let relative = || entry.path().strip_prefix(folder).unwrap_or(entry.path()).display();
    if !entry.file_type().is_file() {
        return Some(Err(format!("`{}` is ignored: it is not a regular file", relative())));
    }
    // Removing the prefix is faster than comparing path components.
    let file =
        path.to_str().zip(folder.to_str()).and_then(|(path, folder)| path.strip_prefix(folder));
    let Some(file) = file.map(|file| file.trim_start_matches(std::path::is_separator)) else {
        let name = relative();
        return Some(Err(format!("`{name}` is ignored: its name is not valid UTF-8")));
    };
    if file.contains(char::is_control) {
        // The name is the id of the memory, which is part of the output.
        let name = file.escape_debug();
        return Some(Err(format!("`{name}` is ignored: its name contains control characters")));
    }
    Some(Ok(file.replace(std::path::MAIN_SEPARATOR, "/")))
}
