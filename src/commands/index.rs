//! `cerberus index`.

use anyhow::Result;
use clap::Args;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::index;
use crate::output::{Printer, ProgressBar};

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// Parse every file, not only those that a rule needs
    #[arg(long)]
    pub(crate) full: bool,
}

pub(crate) fn run(args: &IndexArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let bar = ProgressBar::new(out.terminal, "parsing");
    let report = index::index(&settings.project, args.full, &|done, total| bar.step(done, total))?;
    drop(bar);
    out.warn(&report.warnings);
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    let languages = report.languages.iter();
    let mut rows: Vec<Vec<String>> =
        languages.map(|(name, n)| vec![name.clone(), n.to_string()]).collect();
    rows.push(vec!["all".to_owned(), report.files.to_string()]);
    out.rows(&["language", "files"], &rows);
    out.line(&format!(
        "{:.1} MB of source, {} files read now, {} removed, {} parsed, {:.0} ms",
        report.bytes as f64 / 1e6,
        report.changed,
        report.removed,
        report.parsed,
        report.elapsed_ms
    ));
    out.line(&format!("store: {}", out.safe(&report.store)));
    Ok(ExitStatus::Done)
}
