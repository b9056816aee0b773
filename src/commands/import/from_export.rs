//! Imports the files of an export into the bank.
//!
//! All lines are checked before the first write, and a failed write rolls back the earlier ones. A
//! killed import is undone by the next writer.
//! Identical files are unchanged. Files that differ are an error unless `--overwrite` is set, which
//! moves the old memories to the trash.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use super::ImportArgs;
use crate::bank::lockfile::{self, Anchors};
use crate::bank::memories::size_warning;
use crate::bank::shared::is_shared;
use crate::bank::{self, Bank, Import, ImportChanges, LOCKFILE, PINS, WriteOp, names};
use crate::error::UserError;
use crate::markdown::{frontmatter, secrets};
use crate::ops::Project;
use crate::ops::export::{FORMAT, Header, Line, VERSION};
use crate::ops::memories::Memories;
use crate::text;

/// Maximum number of files that an error lists.
const MAX_SHOWN: usize = 5;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) imported: Vec<String>,
    pub(crate) overwritten: Vec<String>,
    /// Number of identical files.
    pub(crate) unchanged: usize,
    pub(crate) warnings: Vec<String>,
}

/// A file to write.
struct Change {
    file: String,
    bytes: Vec<u8>,
    /// The existing content.
    old: Option<Vec<u8>>,
    /// Files of memories to move to the trash.
    replaced: Vec<String>,
}

/// Imports the files of an export into the bank.
pub(super) fn import(
    project: &Project,
    header: &Header,
    lines: &[Line],
    args: &ImportArgs,
) -> Result<Report> {
    check_header(header, lines.len())?;
    let files = check_lines(header.version, lines)?;
    let _guard = project.bank.lock_for_writing()?;
    let memories = Memories::load(project)?;
    let (mut imported, mut overwritten) = (Vec::new(), Vec::new());
    let (mut unchanged, mut warnings) = (0, Vec::new());
    let (mut changes, mut differing) = (Vec::new(), Vec::new());
    for (file, bytes) in files {
        warnings.extend(size_warning(&file, bytes.len()));
        let old = project.bank.bytes(&file)?;
        if old.as_ref() == Some(&bytes) {
            unchanged += 1;
            continue;
        }
        if !args.secret.allow_secret && file != LOCKFILE {
            check_secret(&file, &bytes)?;
        }
        let change = if file == LOCKFILE {
            merge_lock(&memories.anchors, old, bytes, args.overwrite, &mut differing)?
        } else {
            Some(change(&memories, file, bytes, old, &mut differing))
        };
        match change {
            Some(change) => changes.push(change),
            None => unchanged += 1,
        }
    }
    if !differing.is_empty() && !args.overwrite {
        let more = if differing.len() > MAX_SHOWN { ", …" } else { "" };
        differing.truncate(MAX_SHOWN);
        let shown = differing.join(", ");
        return Err(UserError::usage(format!("the bank differs from the export in {shown}{more}"))
            .hint("replace them with `--overwrite`, which moves the bank's memories to the trash")
            .into());
    }
    let mut done = Vec::new();
    let import = begin(&project.bank, &memories.anchors, &changes)?;
    let written = write_all(&project.bank, &changes, &mut done);
    if let Err(error) = written {
        project.bank.roll_back(done)?;
        project.bank.cancel_import(&import)?;
        return Err(error);
    }
    project.bank.finish_import()?;
    for change in changes {
        let is_new = change.old.is_none() && change.replaced.is_empty();
        if is_new { imported.push(change.file) } else { overwritten.push(change.file) }
    }
    Ok(Report { imported, overwritten, unchanged, warnings })
}

fn check_header(header: &Header, n_lines: usize) -> Result<()> {
    let Header { format, version, files, .. } = header;
    let failure = if format != FORMAT {
        UserError::usage(format!("the format is `{format}`, expected `{FORMAT}`"))
            .hint("create an export with `cerberus memory export`")
    } else if !(1..=VERSION).contains(version) {
        let why = format!("it has version {version}, but this cerberus supports {VERSION}");
        UserError::usage(format!("failed to read the export: {why}")).hint("upgrade cerberus")
    } else if *files != n_lines {
        UserError::usage(format!("the export is truncated: it has {n_lines} of {files} files"))
            .hint("copy it again, or create another with `cerberus memory export`")
    } else {
        return Ok(());
    };
    Err(failure.into())
}

fn invalid(message: String) -> UserError {
    UserError::usage(message).hint("create it again with `cerberus memory export`")
}

/// Returns the content of all files by name.
fn check_lines(version: u32, lines: &[Line]) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for (line_idx, line) in lines.iter().enumerate() {
        // The header is line 1.
        let failed =
            |reason: &str| invalid(format!("line {} of the export: {reason}", line_idx + 2));
        if ![LOCKFILE, PINS].contains(&line.file.as_str()) {
            names::check_file(&line.file).map_err(|failure| failed(&failure.message))?;
        }
        let bytes = line.bytes(version).map_err(|reason| failed(&reason))?;
        bank::check_content(&line.file, &bytes).map_err(|reason| failed(&reason))?;
        if files.insert(line.file.clone(), bytes).is_some() {
            return Err(failed(&format!("`{}` is defined twice", line.file)).into());
        }
    }
    for file in files.keys() {
        let mut folders = file.match_indices('/').map(|(slash, _)| &file[..slash]);
        if let Some(folder) = folders.find(|folder| files.contains_key(*folder)) {
            let message = format!("`{folder}` is both a file and a folder in the export");
            return Err(invalid(message).into());
        }
    }
    Ok(files)
}

fn check_secret(file: &str, bytes: &[u8]) -> Result<()> {
    let Some(secret) = secrets::find_secret(&text::decode(bytes).0) else { return Ok(()) };
    let line = secret.line + 1;
    Err(UserError::usage(format!("line {line} of `{file}` in the export contains {}", secret.kind))
        .hint("remove it and export again, or use `--allow-secret` if it is not a secret")
        .into())
}

/// Returns the change for a memory or the pins.
fn change(
    memories: &Memories,
    file: String,
    bytes: Vec<u8>,
    old: Option<Vec<u8>>,
    differing: &mut Vec<String>,
) -> Change {
    let mut replaced = Vec::new();
    if file != PINS {
        let (text, _) = text::decode(&bytes);
        let stem = file.strip_suffix(".md").unwrap_or(&file).to_owned();
        let id = frontmatter::parse(&text).frontmatter.id.unwrap_or(stem);
        let others = memories
            .all
            .iter()
            .filter(|it| it.memory.id == id && it.file != file && !is_shared(&it.file));
        replaced.extend(others.map(|it| it.file.clone()));
        replaced.extend(old.is_some().then(|| file.clone()));
    }
    if old.is_some() || !replaced.is_empty() {
        differing.push(file.clone());
    }
    Change { file, bytes, old, replaced }
}

/// Returns the change that adds the anchors of the export to the lock file, if any. Anchors that
/// are only in the bank stay.
fn merge_lock(
    current: &Anchors,
    old: Option<Vec<u8>>,
    mut bytes: Vec<u8>,
    overwrite: bool,
    differing: &mut Vec<String>,
) -> Result<Option<Change>> {
    if !current.is_empty() {
        let mut merged = current.clone();
        for (id, anchor) in lockfile::decode(&bytes)? {
            match merged.get(&id) {
                Some(existing) if *existing != anchor && !overwrite => {
                    differing.push(format!("the anchor of {id}"));
                }
                _ => {
                    merged.insert(id, anchor);
                }
            }
        }
        if merged == *current {
            return Ok(None);
        }
        bytes = lockfile::render(&merged).into_bytes();
        lockfile::decode(&bytes)?;
    }
    Ok(Some(Change { file: LOCKFILE.to_owned(), bytes, old, replaced: Vec::new() }))
}

/// Records the import, so that a killed one is undone as a whole.
fn begin(bank: &Bank, anchors: &Anchors, changes: &[Change]) -> Result<Import> {
    let (mut created, mut replaced, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    for change in changes.iter().filter(|change| change.file != LOCKFILE) {
        if change.old.is_none() {
            created.push(change.file.clone());
        } else if change.file == PINS {
            changed.push(change.file.clone());
        }
        for file in &change.replaced {
            let id = bank.read(file)?.memory.id;
            let anchor = anchors.get(&id).cloned();
            replaced.push((file.clone(), anchor.map(|anchor| (id, anchor)).into_iter().collect()));
        }
    }
    let lock = changes.iter().find(|change| change.file == LOCKFILE);
    let after = lock.map(|change| lockfile::decode(&change.bytes)).transpose()?;
    let after = after.as_ref().unwrap_or(anchors);
    bank.begin_import(&ImportChanges { created, replaced, changed, after })
}

/// Writes all files. Adds the writes to `done` for a rollback.
fn write_all(bank: &Bank, changes: &[Change], done: &mut Vec<WriteOp>) -> Result<()> {
    let new = changes.iter().filter(|change| change.old.is_none());
    let new: Vec<(&str, &[u8])> = new.map(|change| (&change.file[..], &change.bytes[..])).collect();
    bank.create_files(&new, done)?;
    for change in changes {
        if let Some(old) = &change.old {
            done.push(bank.replace_file(&change.file, &change.bytes, old.clone())?);
        }
        for other in change.replaced.iter().filter(|file| **file != change.file) {
            done.push(bank.remove_file(other)?);
        }
    }
    bank.sync(done)
}
