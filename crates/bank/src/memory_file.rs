//! A memory with its file: parsing, limits, and the text of a new one.

use anyhow::Result;
use cerberus_markdown::frontmatter;
use cerberus_markdown::frontmatter::Frontmatter;
use cerberus_model::file_stat::FileStat;
use cerberus_model::{Memory, MemoryStatus, MemoryType, Scope, refuse, text};

/// Size limit of a memory.
pub const MAX_BYTES: u64 = 100 * 1024;

/// Size above which a memory has a warning, because injecting it is expensive.
const WARN_BYTES: usize = 50 * 1024;

/// Memory with its file.
#[derive(Debug, Clone)]
pub struct MemoryFile {
    pub memory: Memory,
    /// Path in the bank, with `/`.
    pub file: String,
    /// Complete text, including the frontmatter.
    pub text: String,
    /// The start of the file, before the text: at most a byte-order mark. `None` if the file is in
    /// UTF-16 or invalid UTF-8; such a file cannot be edited.
    pub(super) prefix: Option<&'static str>,
    /// Stat of the file before reading.
    pub(crate) stat: FileStat,
    pub warnings: Vec<String>,
    /// Why it is not injected: its text is not what its author meant.
    pub fault: Option<&'static str>,
}

/// Returns the memory in the bytes of a file.
pub(super) fn of_bytes(file: &str, bytes: &[u8], stat: FileStat) -> MemoryFile {
    let mut warnings: Vec<String> = size_warning(file, bytes.len()).into_iter().collect();
    let (text, is_exact) = text::decode(bytes);
    if !is_exact {
        warnings.push(format!(
            "`{file}` is not valid UTF-8; invalid bytes are shown as U+FFFD"
        ));
    }
    let prefix = match *bytes {
        [0xEF, 0xBB, 0xBF, ..] if is_exact => Some("\u{FEFF}"),
        [0xFF | 0xFE, ..] => None,
        _ => is_exact.then_some(""),
    };
    let text = text.into_owned();
    let (memory, fault) = parsed(file, &text, &mut warnings);
    MemoryFile {
        memory,
        file: file.to_owned(),
        text,
        prefix,
        stat,
        warnings,
        fault,
    }
}

/// Returns the memory in a text and its fault. Without an `id` in the frontmatter it has that of its
/// path.
fn parsed(file: &str, text: &str, warnings: &mut Vec<String>) -> (Memory, Option<&'static str>) {
    let parsed = frontmatter::parse(text);
    let is_binary = text.contains('\0');
    if is_binary {
        warnings.push(format!("`{file}` is not text"));
    }
    let invalid = parsed.unreadable().map(|_| "its frontmatter is not valid");
    let fault = if is_binary {
        Some("it is not text")
    } else {
        invalid
    };
    for fault in &parsed.warnings {
        warnings.push(fault.in_file(file));
    }
    let front = parsed.frontmatter;
    let stem = file.strip_suffix(".md").unwrap_or(file).to_owned();
    let memory = Memory {
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
        reviewed_by: front.reviewed_by,
        source: front.source,
        links: front.links,
        created_at: front.created_at,
        updated_at: front.updated_at,
        body: text.get(parsed.body_start..).unwrap_or_default().to_owned(),
    };
    (memory, fault)
}

/// Returns the complete text of a new memory.
pub fn text_of(front: &Frontmatter, body: &str) -> String {
    format!("{}{}\n", frontmatter::render(front), body.trim_end())
}

/// Fails if the text is too large for a memory.
pub fn check_size(text: &str) -> Result<()> {
    if text.len() as u64 <= MAX_BYTES {
        return Ok(());
    }
    refuse(
        format!(
            "the memory has {} KB, more than the limit of 100 KB",
            text.len().div_ceil(1024)
        ),
        "split it",
    )
}

/// Returns a warning for a large memory.
pub fn size_warning(file: &str, n_bytes: usize) -> Option<String> {
    let size = n_bytes / 1024;
    (n_bytes > WARN_BYTES).then(|| format!("`{file}` has {size} KB; the limit is 100 KB"))
}
