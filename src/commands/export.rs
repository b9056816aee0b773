//! `cerberus memory export`: writes the bank as JSON Lines.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::bank::{self, LOCKFILE, PINS, names};
use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::Project;
use crate::ops::export::{FORMAT, Header, Line, VERSION};
use crate::output::{OK, Printer};

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Report of an export to a file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) output: String,
    pub(crate) memories: usize,
    pub(crate) warnings: Vec<String>,
}

/// Exported bank as JSON Lines.
#[derive(Debug)]
pub(crate) struct Export {
    pub(crate) text: String,
    pub(crate) n_memories: usize,
    pub(crate) warnings: Vec<String>,
}

/// Reads the files of the bank.
pub(crate) fn export(project: &Project) -> Result<Export> {
    let (mut files, mut warnings) = project.bank.list_own()?;
    let invalid = files.iter().filter_map(|file| names::check_file(file).err());
    warnings.extend(invalid.map(|error| format!("{}; it cannot be imported", error.message)));
    files.extend([LOCKFILE, PINS].map(str::to_owned));
    let view = project.bank.view();
    let mut lines = Vec::new();
    for file in files {
        if let Some(bytes) = project.bank.bytes_in(&view, &file)? {
            if let Err(why) = bank::check_content(&file, &bytes) {
                warnings.push(format!("{why}; it cannot be imported"));
            }
            lines.push(Line::new(file, bytes));
        }
    }
    let header = Header { format: FORMAT.to_owned(), version: VERSION, files: lines.len() };
    let mut text = serde_json::to_string(&header)? + "\n";
    for line in &lines {
        text += &serde_json::to_string(line)?;
        text.push('\n');
    }
    let n_memories = lines.iter().filter(|line| line.file.ends_with(".md")).count();
    Ok(Export { text, n_memories, warnings })
}

/// Writes an export to a file, replacing an existing file.
fn save(export: Export, path: &Path, root: &Path) -> Result<Report> {
    bank::replace_file(path, root, &export.text)?;
    Ok(Report {
        output: path.display().to_string(),
        memories: export.n_memories,
        warnings: export.warnings,
    })
}

pub(crate) fn run(args: &ExportArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let export = export(&settings.project)?;
    let Some(path) = &args.output else {
        out.warn(&export.warnings);
        out.raw(export.text.as_bytes());
        return Ok(ExitStatus::Done);
    };
    let report = save(export, path, &settings.project.root)?;
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    let memories = if report.memories == 1 { "memory" } else { "memories" };
    out.line(&format!(
        "{} {} {memories} to {}",
        out.paint(OK, "exported"),
        report.memories,
        out.safe(&report.output)
    ));
    Ok(ExitStatus::Done)
}
