//! `cerberus memory init`: creates a bank and a sample configuration.

use std::path::Path;

use anyhow::Result;
use cerberus_bank as bank;
use cerberus_bank::ops::Project;
use cerberus_engine::tree::documents;
use cerberus_model::text::plural;
use clap::Args;
use serde::Serialize;

use crate::config::{SAMPLE, Settings};
use crate::output::{CliResult, NAME, OK, Printer};

#[derive(Debug, Args)]
pub(crate) struct InitArgs {}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) bank: String,
    /// Empty if everything existed.
    pub(crate) created: Vec<String>,
    /// Paths to commit to git.
    pub(crate) commit: Vec<String>,
    /// Documents whose rules can be imported.
    pub(crate) rule_files: Vec<String>,
}

/// Creates the missing files of the bank, and the sample configuration.
pub(crate) fn init(project: &Project) -> Result<Report> {
    let relative = |path: &Path| {
        path.strip_prefix(&project.root)
            .unwrap_or(path)
            .display()
            .to_string()
    };
    let sample = project.root.join("cerberus.toml");
    let is_new = bank::create_file(&sample, SAMPLE)?;
    let created = project.bank.create();
    if created.is_err() && is_new {
        bank::remove_file(&sample)?;
    }
    let mut created: Vec<String> = created?.iter().map(|path| relative(path)).collect();
    created.extend(is_new.then(|| relative(&sample)));
    let folder = project.bank.folder();
    let mut commit = vec!["cerberus.toml".to_owned()];
    if folder.starts_with(&project.root) {
        commit.insert(0, relative(folder));
    }
    // A project whose files cannot be listed can still have a bank.
    let rule_files = documents::find_rule_files(&project.root)
        .unwrap_or_default()
        .paths;
    Ok(Report {
        bank: relative(folder),
        created,
        commit,
        rule_files,
    })
}

pub(crate) fn run(_: &InitArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    out.report(&init(&settings.project)?, print)
}

fn print(report: &Report, out: &mut Printer) {
    if report.created.is_empty() {
        out.line(&format!(
            "unchanged: {} already exists",
            out.style(NAME, &report.bank)
        ));
    }
    for path in &report.created {
        out.line(&format!("{} {}", out.paint(OK, "created"), out.safe(path)));
    }
    out.line(&format!("commit them: git add {}", report.commit.join(" ")));
    if let Some(file) = report.rule_files.first() {
        let found = match report.rule_files.len() {
            1 => out.safe(file),
            n => format!("{} and {}", out.safe(file), plural(n - 1, "other file")),
        };
        out.line(&format!(
            "next: cerberus memory import, for the rules of {found}"
        ));
    } else {
        out.line("next: cerberus memory add \"…a rule of this project…\"");
    }
}
