//! `cerberus memory read`: prints a memory or some of its sections.

use anyhow::Result;
use cerberus_bank::MemoryFile;
use cerberus_bank::Workspace;
use cerberus_bank::ops::Project;
use cerberus_bank::ops::metadata::Metadata;
use cerberus_bank::ops::section_selection::{self, SectionPlace, TokenMetrics};
use cerberus_markdown::sections::{self, MissingSection};
use cerberus_model::error::ExitStatus;
use cerberus_model::text::LineIndex;
use clap::Args;
use serde::Serialize;

use crate::config::Settings;
use crate::output::{CliResult, Printer};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReadArgs {
    /// Memory id or a unique prefix of it
    pub(crate) id: String,
    /// Print only this section (repeatable, or separated by commas)
    #[arg(long = "section", value_name = "SECTION", value_delimiter = ',')]
    pub(crate) sections: Vec<String>,
    /// Keep the section tags; without --section, print the file byte for byte
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    #[serde(flatten)]
    pub(crate) metadata: Metadata,
    pub(crate) content: String,
    /// The requested sections, or all sections if none was requested.
    pub(crate) sections: Vec<SectionPlace>,
    pub(crate) missing: Vec<MissingSection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token_metrics: Option<TokenMetrics>,
    pub(crate) warnings: Vec<String>,
    /// Bytes of the file, for `--raw` without sections.
    #[serde(skip)]
    pub(crate) bytes: Option<Vec<u8>>,
}

/// Returns the content of a memory, or of the requested sections of it.
pub(crate) fn read(project: &Workspace, args: &ReadArgs) -> Result<Report> {
    let memories = project.memories()?;
    let stored = memories.find(&args.id)?;
    let mut report = Report {
        metadata: stored.into(),
        content: String::new(),
        sections: Vec::new(),
        missing: Vec::new(),
        token_metrics: None,
        warnings: Vec::new(),
        bytes: None,
    };
    let requested = requested_sections(args);
    if !requested.is_empty() {
        let selection = section_selection::select(&stored.text, &requested, args.raw);
        report
            .warnings
            .extend(selection.warnings(&stored.memory.id, &stored.file));
        report.content = selection.content;
        report.sections = selection.sections;
        report.missing = selection.missing;
        report.token_metrics = Some(selection.metrics);
        return Ok(report);
    }
    let lines = LineIndex::new(&stored.text);
    let parsed = sections::parse(&stored.text);
    report.sections = parsed
        .list
        .iter()
        .map(|section| SectionPlace::new(section, &lines))
        .collect();
    if args.raw {
        report.content = stored.text.clone();
        report.bytes = raw_bytes(project, stored)?;
    } else {
        report.content = stored.memory.body.trim().to_owned();
    }
    Ok(report)
}

fn raw_bytes(project: &Project, stored: &MemoryFile) -> Result<Option<Vec<u8>>> {
    match project.bank.utf8_text(stored) {
        Ok(text) => Ok(Some(text.into_bytes())),
        // Not valid UTF-8.
        Err(_) => project.bank.bytes(&stored.file),
    }
}

fn requested_sections(args: &ReadArgs) -> Vec<String> {
    let ids = args.sections.iter().map(|id| id.trim().to_owned());
    ids.filter(|id| !id.is_empty()).collect()
}

pub(crate) fn run(args: &ReadArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let report = read(&settings.project, args)?;
    let is_missing = !requested_sections(args).is_empty() && report.sections.is_empty();
    out.report(&report, |report, out| {
        out.warn(&report.warnings);
        match &report.bytes {
            Some(bytes) => out.raw(bytes),
            None => report
                .content
                .lines()
                .for_each(|line| out.line(&out.safe(line))),
        }
    })?;
    Ok(ExitStatus::of_check(!is_missing))
}
