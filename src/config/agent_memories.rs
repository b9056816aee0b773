//! The memories that agents store for a project, most of them outside of its repository.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cerberus_model::regular_file;
use cerberus_model::text::decode;

use super::{codex_home, xdg};

/// Maximum number of folders in folders of memories.
const MAX_DEPTH: usize = 3;

/// Maximum number of files of a folder of memories.
const MAX_FILES: usize = 1000;

/// Maximum size of a memory.
const MAX_BYTES: u64 = 1024 * 1024;

/// A document with the time of its last change.
#[derive(Debug)]
pub(crate) struct DatedFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) modified: SystemTime,
}

/// Returns the memories of agents about the project at `root`: of Claude Code and its agents, and those of Codex
/// that name the project.
pub(crate) fn agent_memories(root: &Path) -> Vec<DatedFile> {
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let shown = real.display().to_string();
    let slug: String = shown
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let mut found = Vec::new();
    if let Some(claude) = xdg("CLAUDE_CONFIG_DIR", ".claude") {
        add(
            &claude.join("projects").join(slug).join("memory"),
            0,
            &mut found,
        );
    }
    for folder in [".claude/agent-memory", ".claude/agent-memory-local"] {
        add(&real.join(folder), 0, &mut found);
    }
    let mut of_codex = Vec::new();
    if let Some(codex) = codex_home() {
        add(&codex.join("memories"), 0, &mut of_codex);
    }
    of_codex.retain(|file| file.text.contains(&shown));
    found.append(&mut of_codex);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Returns a file with the time of its last change.
pub(crate) fn dated_file(path: &Path) -> std::io::Result<DatedFile> {
    use std::io::Read;
    let file = regular_file::open(path)?;
    let modified = file.metadata()?.modified()?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(DatedFile {
        path: path.to_owned(),
        text: decode(&bytes).0.into_owned(),
        modified,
    })
}

/// Adds the markdown files of a folder. Links are not followed.
fn add(folder: &Path, depth: usize, found: &mut Vec<DatedFile>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() && depth < MAX_DEPTH {
            add(&path, depth + 1, found);
        } else if kind.is_file()
            && path.extension().is_some_and(|ending| ending == "md")
            && found.len() < MAX_FILES
        {
            found.extend(dated_file(&path));
        }
    }
}
