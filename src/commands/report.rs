//! `cerberus memory report`.

use clap::Args;
use std::path::Path;
use std::path::PathBuf;

use anyhow::Result;

use crate::bank::PageFile;
use crate::config::Settings;
use crate::error::{ExitStatus, UserError};
use crate::ops::report::{self, Report};
use crate::output::{OK, Printer, ProgressBar, WARN, page};

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Write the page to this file, over an older page (`-` for standard output)
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

pub(crate) fn run(args: &ReportArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let to_stdout = args.html.as_deref() == Some(Path::new("-"));
    if args.html.is_none() && !out.json {
        return Err(UserError::usage("the report has to go somewhere")
            .hint("write the page with `cerberus memory report --html report.html`")
            .into());
    }
    if to_stdout && out.json {
        return Err(UserError::usage("--json and `--html -` both write to the standard output")
            .hint("name a file for the page")
            .into());
    }
    let file = args.html.as_deref().filter(|_| !to_stdout);
    // What cannot be written is told before the work is done.
    let file = file.map(|path| PageFile::at(path, &settings.project.bank)).transpose()?;
    let bar = ProgressBar::new(out.terminal, "following anchors");
    let (report, notes) = report::report(&settings.project, &|done, total| bar.step(done, total))?;
    drop(bar);
    out.warn(&report.warnings);
    out.warn(&notes);
    if to_stdout {
        out.raw(page::page(&report).as_bytes());
    }
    if let (Some(file), Some(path)) = (file, &args.html) {
        let html = page::page(&report);
        file.write(&html)?;
        if !out.json {
            written(&report, path, html.len(), out);
        }
    }
    if out.json {
        out.json(&report)?;
    }
    Ok(ExitStatus::Done)
}

fn written(report: &Report, path: &Path, n_bytes: usize, out: &mut Printer) {
    let counts = &report.counts;
    let memories = if counts.memories == 1 { "memory" } else { "memories" };
    out.line(&format!(
        "{} {} {memories} to {}, {} KB",
        out.paint(OK, "wrote"),
        counts.memories,
        out.safe(&path.display().to_string()),
        n_bytes.div_ceil(1024)
    ));
    if counts.drifted > 0 {
        let (examples, need) =
            if counts.drifted == 1 { ("example", "needs") } else { ("examples", "need") };
        let line = format!("{} {examples} {need} a decision", counts.drifted);
        out.line(&out.paint(WARN, &line));
    }
}
