//! `import --from-export`: a bank that was exported, put into this one.
//!
//! Every line is checked before the first file is written, and what was written is
//! taken back if a later file fails. What is there already is left alone; what differs
//! is only written over when that was asked for, and then the old memory goes to the
//! trash. Rules out of documents are in [`rules`].

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use crate::bank::lockfile::{self, Anchors};
use crate::bank::{Bank, LOCKFILE, PINS, WriteOp, memories, names};
use crate::error::UserError;
use crate::markdown::{frontmatter, secrets};
use crate::text;

use super::Project;
use super::export::{FORMAT, Header, Line, VERSION};
use super::memories::Memories;

mod mentions;
pub(crate) mod rules;

/// What became of an export's files.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) imported: Vec<String>,
    /// Those of which the bank had others.
    pub(crate) overwritten: Vec<String>,
    /// Those that the bank has already, to the byte.
    pub(crate) unchanged: usize,
    pub(crate) warnings: Vec<String>,
}

/// What is to be written.
struct Change {
    file: String,
    bytes: Vec<u8>,
    /// The file's own bytes, where it is there.
    old: Option<Vec<u8>>,
    /// Files of memories that have to go to the trash first.
    in_the_way: Vec<String>,
}

/// Puts the files of an export into the bank.
pub(crate) fn from_export(
    project: &Project,
    header: &Header,
    lines: &[Line],
    overwrite: bool,
    allow_secret: bool,
) -> Result<Report> {
    check_header(header, lines.len())?;
    let files = checked(lines)?;
    let _guard = project.bank.lock_for_writing()?;
    let bank = Memories::load(project)?;
    let mut report = Report {
        imported: Vec::new(),
        overwritten: Vec::new(),
        unchanged: 0,
        warnings: Vec::new(),
    };
    let (mut changes, mut differing) = (Vec::new(), Vec::new());
    for (file, bytes) in files {
        report.warnings.extend(memories::size_warning(&file, bytes.len()));
        let old = project.bank.bytes(&file)?;
        if old.as_ref() == Some(&bytes) {
            report.unchanged += 1;
            continue;
        }
        if !allow_secret && file != LOCKFILE {
            check_secret(&file, &bytes)?;
        }
        let change = match file.as_str() {
            LOCKFILE => merged_lock(&bank.anchors, old, &bytes, overwrite, &mut differing)?,
            _ => change(&bank, file, bytes, old, &mut differing),
        };
        match change {
            Some(change) => changes.push(change),
            None => report.unchanged += 1,
        }
    }
    if !differing.is_empty() && !overwrite {
        let shown = shown(&differing);
        return Err(UserError::usage(format!("the bank differs from the export in {shown}"))
            .hint(
                "write over them with `--overwrite`; the bank's own memories then go to the trash",
            )
            .into());
    }
    let mut done = Vec::new();
    for change in changes {
        let is_new = change.old.is_none() && change.in_the_way.is_empty();
        let file = change.file.clone();
        if let Err(error) = put(&project.bank, &bank.anchors, change, &mut done) {
            project.bank.roll_back(done)?;
            return Err(error);
        }
        if is_new { report.imported.push(file) } else { report.overwritten.push(file) }
    }
    Ok(report)
}

fn check_header(header: &Header, n_lines: usize) -> Result<()> {
    if header.format != FORMAT {
        return Err(UserError::usage(format!(
            "the first line says `{}`, not `{FORMAT}`",
            header.format
        ))
        .hint("make an export with `cerberus memory export`")
        .into());
    }
    if header.version != VERSION {
        let version = header.version;
        return Err(UserError::usage(format!(
            "the export has version {version}, this cerberus knows {VERSION}"
        ))
        .hint("upgrade cerberus")
        .into());
    }
    if header.files != n_lines {
        let files = header.files;
        return Err(UserError::usage(format!(
            "the export was cut: {n_lines} of its {files} files are there"
        ))
        .hint("copy it again, or make another with `cerberus memory export`")
        .into());
    }
    Ok(())
}

/// What to do about an export that is not in order.
const AGAIN: &str = "make it again with `cerberus memory export`";

/// Returns the files of all lines, by name; every line must be in order.
fn checked(lines: &[Line]) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        // The header is the first line.
        let said = |why: &str| {
            UserError::usage(format!("line {} of the export: {why}", at + 2)).hint(AGAIN)
        };
        if ![LOCKFILE, PINS].contains(&line.file.as_str()) {
            names::check_file(&line.file).map_err(|failure| said(&failure.message))?;
        }
        let bytes = line.bytes().map_err(|why| said(&why))?;
        if line.file == LOCKFILE {
            lockfile::parse(&String::from_utf8_lossy(&bytes))
                .map_err(|why| said(&format!("{why:#}")))?;
        }
        if files.insert(line.file.clone(), bytes).is_some() {
            return Err(said(&format!("`{}` stands twice", line.file)).into());
        }
    }
    for file in files.keys() {
        let folders = file.match_indices('/').map(|(at, _)| &file[..at]);
        if let Some(folder) = folders.into_iter().find(|folder| files.contains_key(*folder)) {
            return Err(UserError::usage(format!(
                "`{folder}` is a file and a folder in the export"
            ))
            .hint(AGAIN)
            .into());
        }
    }
    Ok(files)
}

/// Checks that a file which is not in the bank yet holds no secret.
fn check_secret(file: &str, bytes: &[u8]) -> Result<()> {
    let Some(secret) = secrets::find_secret(&text::decode(bytes).0) else { return Ok(()) };
    let line = secret.line + 1;
    Err(UserError::usage(format!("line {line} of `{file}` in the export holds {}", secret.kind))
        .hint("take it out and export again; what is no secret is imported with `--allow-secret`")
        .into())
}

fn change(
    bank: &Memories,
    file: String,
    bytes: Vec<u8>,
    old: Option<Vec<u8>>,
    differing: &mut Vec<String>,
) -> Option<Change> {
    let mut in_the_way = Vec::new();
    if file != PINS {
        let (decoded, _) = text::decode(&bytes);
        let stem = file.strip_suffix(".md").unwrap_or(&file).to_owned();
        let id = frontmatter::parse(&decoded).frontmatter.id.unwrap_or(stem);
        let others = bank.all.iter().filter(|it| it.memory.id == id && it.file != file);
        in_the_way.extend(others.map(|it| it.file.clone()));
        in_the_way.extend(old.is_some().then(|| file.clone()));
    }
    if old.is_some() || !in_the_way.is_empty() {
        differing.push(file.clone());
    }
    Some(Change { file, bytes, old, in_the_way })
}

/// Returns the lock file with the export's anchors in it; those that others have stay.
fn merged_lock(
    own: &Anchors,
    old: Option<Vec<u8>>,
    bytes: &[u8],
    overwrite: bool,
    differing: &mut Vec<String>,
) -> Result<Option<Change>> {
    let change = |bytes: Vec<u8>, old| {
        Some(Change { file: LOCKFILE.to_owned(), bytes, old, in_the_way: Vec::new() })
    };
    if own.is_empty() {
        return Ok(change(bytes.to_vec(), old));
    }
    let mut anchors = own.clone();
    for (id, anchor) in lockfile::parse(&String::from_utf8_lossy(bytes))? {
        match anchors.get(&id) {
            Some(known) if *known == anchor => {}
            Some(_) if !overwrite => differing.push(format!("the anchor of {id}")),
            _ => {
                anchors.insert(id, anchor);
            }
        }
    }
    Ok(if anchors == *own { None } else { change(lockfile::render(&anchors).into_bytes(), old) })
}

/// Writes one file; what was done is noted, so that it can be taken back.
fn put(bank: &Bank, anchors: &Anchors, change: Change, done: &mut Vec<WriteOp>) -> Result<()> {
    let own = |file: &str| -> Result<Anchors> {
        let id = bank.read(file)?.memory.id;
        let own = anchors.get_key_value(&id).map(|(id, it)| (id.clone(), it.clone()));
        Ok(own.into_iter().collect())
    };
    let (same, others): (Vec<_>, Vec<_>) =
        change.in_the_way.iter().partition(|file| **file == change.file);
    for file in same {
        done.push(bank.back_up(file, &own(file)?)?);
    }
    // The new memory is there before an old one goes: killed in between, none is missing.
    done.push(match change.old {
        Some(old) => bank.replace_file(&change.file, &change.bytes, old)?,
        None => bank.create_file(&change.file, &change.bytes)?,
    });
    for other in others {
        done.push(bank.move_to_trash(other, &own(other)?)?.1);
    }
    Ok(())
}

fn shown(names: &[String]) -> String {
    const MAX_SHOWN: usize = 5;
    let first: Vec<&str> = names.iter().take(MAX_SHOWN).map(String::as_str).collect();
    let more = if names.len() > MAX_SHOWN { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}
