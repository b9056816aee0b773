//! Memories as files: reading them all, writing a new one.

use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;
use walkdir::{DirEntry, WalkDir};

use crate::error::UserError;
use crate::file_stat::FileStat;
use crate::markdown::frontmatter::{self, Frontmatter};
use crate::model::{Memory, MemoryStatus, MemoryType, Scope};
use crate::text;

use super::{Bank, files, names};

/// The largest memory: more is a document, not a memory.
pub(crate) const MAX_BYTES: u64 = 100 * 1024;

/// From here on a memory costs more to read than it is likely to be worth.
const WARN_BYTES: usize = 50 * 1024;

/// From how many memories on all threads read them.
const MANY: usize = 64;

/// A memory with its file.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) memory: Memory,
    /// The path below the bank, with `/`.
    pub(crate) file: String,
    /// Stat of the file before it was read.
    pub(crate) stat: Option<FileStat>,
    /// The whole text, frontmatter and all.
    pub(crate) text: String,
    encoding: Encoding,
    pub(crate) warnings: Vec<String>,
}

/// Encoding of a memory file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf8WithBom,
    /// UTF-16 or invalid UTF-8. Such a file cannot be edited.
    Other,
}

/// What a bank holds.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// Ordered by file, no id twice.
    pub(crate) memories: Vec<Stored>,
    /// Whether some file could not be read.
    pub(crate) is_partial: bool,
    pub(crate) warnings: Vec<String>,
}

impl Bank {
    /// Lists the files of memories, ordered by name, and what could not be listed.
    pub(crate) fn list(&self) -> Result<(Vec<String>, Vec<String>)> {
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
        found.sort_unstable();
        warnings.sort_unstable();
        Ok((found, warnings))
    }

    /// Returns the size and time of a file, if it is there.
    pub(crate) fn stat(&self, file: &str) -> Option<FileStat> {
        self.folder().join(file).symlink_metadata().ok().map(|metadata| FileStat::new(&metadata))
    }

    /// Reads one memory.
    pub(crate) fn read(&self, file: &str) -> Result<Stored> {
        let stat = self.stat(file);
        let bytes =
            files::read(&self.folder().join(file), MAX_BYTES)?.ok_or_else(|| vanished(file))?;
        let mut warnings = Vec::new();
        warnings.extend(size_warning(file, bytes.len()));
        let (text, is_exact) = text::decode(&bytes);
        if !is_exact {
            warnings.push(format!("`{file}` is no valid UTF-8; bad bytes are shown as U+FFFD"));
        }
        let encoding = match bytes[..] {
            [0xEF, 0xBB, 0xBF, ..] if is_exact => Encoding::Utf8WithBom,
            [0xFF | 0xFE, ..] => Encoding::Other,
            _ if is_exact => Encoding::Utf8,
            _ => Encoding::Other,
        };
        let text = text.into_owned();
        let parsed = frontmatter::parse(&text);
        for diagnostic in parsed.warnings {
            let (line, column) = (diagnostic.line + 1, diagnostic.column + 1);
            warnings.push(format!("{file}:{line}:{column}: {}", diagnostic.message));
        }
        let front = parsed.frontmatter;
        let stem = file.strip_suffix(".md").unwrap_or(file).to_owned();
        let memory = Memory {
            id: front.id.unwrap_or(stem),
            memory_type: front.memory_type.unwrap_or(MemoryType::Fact),
            category: front.category,
            scope: front.scope.unwrap_or(Scope::Project(None)),
            status: front.status.unwrap_or(MemoryStatus::Active),
            tags: front.tags,
            hints: front.hints,
            created_at: front.created_at,
            updated_at: front.updated_at,
            body: text.get(parsed.body_start..).unwrap_or_default().to_owned(),
        };
        Ok(Stored { memory, file: file.to_owned(), stat, text, encoding, warnings })
    }

    /// Reads all memories; one that cannot be read is a warning.
    pub(crate) fn read_all(&self) -> Result<Contents> {
        let (listed, warnings) = self.list()?;
        let mut contents = Contents {
            is_partial: !warnings.is_empty(),
            warnings,
            memories: Vec::with_capacity(listed.len()),
        };
        // To start threads costs more than they would save with fewer.
        let read = |file: &String| self.read(file);
        let all: Vec<Result<Stored>> = match listed.len() {
            ..MANY => listed.iter().map(read).collect(),
            _ => listed.par_iter().map(read).collect(),
        };
        for stored in all {
            match stored {
                Ok(stored) => {
                    contents.warnings.extend(stored.warnings.iter().cloned());
                    contents.memories.push(stored);
                }
                Err(error) => {
                    contents.is_partial = true;
                    contents.warnings.push(format!("{error:#}"));
                }
            }
        }
        drop_doubles(&mut contents.memories, &mut contents.warnings);
        Ok(contents)
    }

    /// Returns the size and time of the lock file, if there is one.
    pub(crate) fn lock_stat(&self) -> Option<FileStat> {
        self.lockfile().metadata().ok().map(|metadata| FileStat::new(&metadata))
    }

    /// Takes back a memory that was written a moment ago.
    pub(crate) fn discard(&self, file: &str) -> Result<()> {
        files::remove(&self.folder().join(file))
    }

    /// Writes a new memory and returns its file; one of that name must not exist.
    pub(crate) fn create_memory(
        &self,
        id: &str,
        front: &Frontmatter,
        body: &str,
    ) -> Result<String> {
        let text = format!("{}{}\n", frontmatter::render(front), body.trim_end());
        self.create_text(id, &text)
    }

    /// Writes a new memory, frontmatter and all, and returns its file; one of that name
    /// must not exist.
    pub(crate) fn create_text(&self, name: &str, text: &str) -> Result<String> {
        names::check(name)?;
        check_size(text)?;
        let file = format!("{name}.md");
        if files::create(&self.inside(&file)?, text.as_bytes())? {
            Ok(file)
        } else {
            Err(UserError::usage(format!("there is a memory `{name}` already"))
                .hint(format!("choose another name, or see it with `cerberus memory show {name}`"))
                .into())
        }
    }

    /// Returns the complete text of a memory for editing, including a byte-order mark. Fails if it
    /// is not valid UTF-8.
    pub(crate) fn exact_text(&self, stored: &Stored) -> Result<String> {
        match stored.encoding {
            Encoding::Utf8 => return Ok(stored.text.clone()),
            Encoding::Utf8WithBom => return Ok(format!("\u{FEFF}{}", stored.text)),
            Encoding::Other => {}
        }
        let file = &stored.file;
        let bytes =
            files::read(&self.folder().join(file), MAX_BYTES)?.ok_or_else(|| vanished(file))?;
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            UserError::usage(format!("`{file}` is no valid UTF-8 from byte {at} on, and editing it would lose what it holds"))
                .hint("save it as UTF-8 in an editor first")
                .into()
        })
    }

    /// Writes the edited text of a memory over the old one.
    pub(crate) fn rewrite(&self, file: &str, text: &str) -> Result<()> {
        check_size(text)?;
        files::replace(&self.inside(file)?, text.as_bytes())
    }
}

fn vanished(file: &str) -> UserError {
    UserError::usage(format!("there is no memory file `{file}`"))
        .hint("list the memories with `cerberus memory show`")
}

fn check_size(text: &str) -> Result<()> {
    if text.len() as u64 <= MAX_BYTES {
        return Ok(());
    }
    Err(UserError::usage(format!(
        "the memory has {} KB, more than 100 KB",
        text.len().div_ceil(1024)
    ))
    .hint("split it; what is long is read by nobody")
    .into())
}

/// Returns a warning for a memory that is large.
pub(crate) fn size_warning(file: &str, n_bytes: usize) -> Option<String> {
    let size = n_bytes / 1024;
    (n_bytes > WARN_BYTES).then(|| format!("`{file}` has {size} KB; over 100 KB it is refused"))
}

/// Keeps the first of several memories with one id.
fn drop_doubles(all: &mut Vec<Stored>, warnings: &mut Vec<String>) {
    let mut first: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
    all.retain(|stored| match first.get(&stored.memory.id) {
        Some(file) => {
            let (id, other) = (&stored.memory.id, &stored.file);
            warnings.push(format!("`{other}` has the id `{id}` of `{file}` and is left out"));
            false
        }
        None => {
            first.insert(stored.memory.id.clone(), stored.file.clone());
            true
        }
    });
}

fn is_private(entry: &DirEntry) -> bool {
    let name = entry.path().as_os_str().as_encoded_bytes();
    let name = name.rsplit(|byte| std::path::is_separator(char::from(*byte))).next();
    let name = name.unwrap_or_default();
    let is_store = entry.depth() == 1 && name == super::INDICES.as_bytes();
    entry.depth() > 0 && (name.starts_with(b".") || is_store)
}

/// Returns the path of a memory below the bank, or why it does not count.
fn memory_file(folder: &Path, entry: &DirEntry) -> Option<Result<String, String>> {
    let path = entry.path().as_os_str();
    if !path.as_encoded_bytes().ends_with(b".md") || entry.file_type().is_dir() {
        return None;
    }
    let relative = || entry.path().strip_prefix(folder).unwrap_or(entry.path()).display();
    if !entry.file_type().is_file() {
        return Some(Err(format!("`{}` is a link or a device and is left out", relative())));
    }
    // Cutting is faster than asking for the parts of each path.
    let file =
        path.to_str().zip(folder.to_str()).and_then(|(path, folder)| path.strip_prefix(folder));
    let Some(file) = file.map(|file| file.trim_start_matches(std::path::is_separator)) else {
        let name = relative();
        return Some(Err(format!("the name of `{name}` is no valid UTF-8; it is left out")));
    };
    if file.contains(char::is_control) {
        // It would be the memory's id, and part of every line that is printed of it.
        let name = file.escape_debug();
        return Some(Err(format!("the name of `{name}` has control characters; it is left out")));
    }
    Some(Ok(file.replace(std::path::MAIN_SEPARATOR, "/")))
}
