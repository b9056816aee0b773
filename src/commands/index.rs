//! `cerberus index`: updates the code index and prints its statistics.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::ops::Progress;
use cerberus_engine::examples;
use cerberus_model::text::plural;
use cerberus_store::code;
use clap::Args;
use serde::Serialize;

use crate::config::Settings;
use crate::output::{CliResult, Printer, ProgressBar};

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// Parse all files, not only those that a rule needs
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) root: String,
    pub(crate) store: String,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    /// Number of files by language.
    pub(crate) languages: BTreeMap<String, usize>,
    /// Number of files by language, of the languages that this build lacks.
    pub(crate) lacking: BTreeMap<String, usize>,
    /// Number of files whose symbols are stored.
    pub(crate) parsed: u64,
    pub(crate) changed: usize,
    pub(crate) removed: usize,
    pub(crate) elapsed_ms: f64,
    pub(crate) warnings: Vec<String>,
}

fn index(project: &Workspace, args: &IndexArgs, progress: Progress<'_>) -> Result<Report> {
    let started = Instant::now();
    let mut index = examples::open_index(project.code(&project.store()?))?;
    if args.full {
        index.store().check()?;
        index.parse_all(progress)?;
    }
    let mut languages = BTreeMap::new();
    for file in &index.files {
        *languages.entry(file.language.to_string()).or_insert(0) += 1;
    }
    Ok(Report {
        root: project.root.display().to_string(),
        store: project.store.path.display().to_string(),
        files: index.files.len(),
        bytes: index.files.iter().map(|file| file.size).sum(),
        languages,
        lacking: index
            .lacking
            .iter()
            .map(|(language, n)| (language.to_string(), *n))
            .collect(),
        parsed: code::n_parsed_contents(index.store().reader())?,
        changed: index.n_changed,
        removed: index.n_removed,
        elapsed_ms: super::milliseconds(started),
        warnings: std::mem::take(&mut index.warnings),
    })
}

pub(crate) fn run(args: &IndexArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let bar = ProgressBar::new(out.terminal, "parsing");
    let report = index(&settings.project, args, &|done, total| {
        bar.step(done, total)
    })?;
    drop(bar);
    out.warn(&report.warnings);
    out.report(&report, print)
}

fn print(report: &Report, out: &mut Printer) {
    let languages = report
        .languages
        .iter()
        .map(|(name, n)| [name.clone(), n.to_string()]);
    let total = ["total".to_owned(), report.files.to_string()];
    out.rows(&["language", "files"], languages.chain([total]));
    out.line(&format!(
        "{:.1} MB of source, {} files updated, {} removed, {} parsed, {:.0} ms",
        report.bytes as f64 / 1e6,
        report.changed,
        report.removed,
        report.parsed,
        report.elapsed_ms
    ));
    for (language, n_files) in &report.lacking {
        let files = plural(*n_files, "file");
        out.line(&format!(
            "not in this build: {files} in {language} (feature `lang-{language}`)"
        ));
    }
    out.line(&format!("store: {}", out.safe(&report.store)));
}
