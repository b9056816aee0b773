//! `init`: makes a bank and says what to commit.

use anyhow::Result;
use serde::Serialize;

use crate::bank;

use super::Project;

/// The sample configuration: every key with its default, commented out.
pub(crate) const SAMPLE: &str = include_str!("sample.toml");

/// What `init` made.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) bank: String,
    /// What was made now; empty where all was there.
    pub(crate) created: Vec<String>,
    /// What belongs into git.
    pub(crate) commit: Vec<String>,
}

/// Makes what is missing of the bank and the sample configuration.
pub(crate) fn init(project: &Project) -> Result<Report> {
    let shown = |path: &std::path::Path| {
        let path = path.strip_prefix(&project.root).unwrap_or(path);
        path.display().to_string()
    };
    let sample = project.root.join("cerberus.toml");
    let is_new = bank::create_file(&sample, SAMPLE)?;
    let made = project.bank.create();
    if made.is_err() && is_new {
        bank::remove_file(&sample)?;
    }
    let mut created: Vec<String> = made?.iter().map(|path| shown(path)).collect();
    created.extend(is_new.then(|| shown(&sample)));
    let mut commit = vec!["cerberus.toml".to_owned()];
    if project.bank.folder().starts_with(&project.root) {
        commit.insert(0, shown(project.bank.folder()));
    }
    Ok(Report { bank: shown(project.bank.folder()), created, commit })
}
