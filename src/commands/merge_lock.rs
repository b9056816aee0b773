//! `cerberus memory merge-lock`: merges two versions of `anchors.lock` memory by memory, as a merge
//! driver of git.
//!
//! Git merges lines: it reports a conflict if two branches anchor different rules next to each
//! other. The driver merges anchors, and marks only those that both sides changed differently. Git
//! runs it only if `--install` put it into the settings of the clone.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::reanchor::conflict;
use crate::config::Settings;
use crate::output::{OK, Printer};
use cerberus_bank::ops::Project;
use cerberus_bank::{self as bank, lockfile};
use cerberus_engine::tree::git;
use cerberus_model::error::{ExitStatus, UserError};

/// The name of the driver in the settings of git.
const DRIVER: &str = "cerberus-anchors";

/// Merges with cerberus if it is installed and can read the versions, otherwise as text.
const COMMAND: &str = "cerberus memory merge-lock %O %A %B; status=$?; test $status -le 1 && exit $status; \
                       git merge-file -L ours -L base -L theirs %A %O %B";

/// The line of the bank's `.gitattributes`.
const ATTRIBUTE: &str = "anchors.lock merge=cerberus-anchors";

#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct MergeLockArgs {
    /// The common ancestor (%O), our version (%A), which is replaced by the result, and theirs (%B)
    #[arg(num_args = 3, value_names = ["BASE", "OURS", "THEIRS"])]
    pub(crate) versions: Vec<PathBuf>,
    /// Make git use this command in this clone, and add its attribute to the bank
    #[arg(long)]
    pub(crate) install: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Number of anchors of the result.
    pub(crate) anchors: usize,
    /// Ids of anchors that both sides changed differently.
    pub(crate) undecided: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct InstallReport {
    /// The settings of this clone, with their values.
    pub(crate) settings: Vec<(String, String)>,
    /// The file with the attribute, which is to be committed.
    pub(crate) attributes: String,
    /// Whether the file was changed.
    pub(crate) written: bool,
}

/// Merges the version `theirs` into the file `ours`.
pub(crate) fn merge_lock(base: &Path, ours: &Path, theirs: &Path) -> Result<Report> {
    let [base, own, other] = [base, ours, theirs].map(lockfile::read_version);
    let (base, own, other) = (base?, own?, other?);
    // The files of the tree are not merged yet, so they decide nothing.
    let (merged, resolved) = conflict::merge(&base, &own, &other, |_| true);
    let text = lockfile::render_conflicts(&merged, &resolved.undecided, &own, &other);
    lockfile::write_version(ours, &text)?;
    Ok(Report { anchors: merged.len(), undecided: resolved.undecided })
}

/// Adds the driver to the settings of the clone, and its attribute to the bank.
pub(crate) fn install(project: &Project) -> Result<InstallReport> {
    if !project.bank.exists() {
        return Err(project.bank.missing().into());
    }
    let Ok(bank) = project.bank.folder().strip_prefix(&project.root) else {
        let message = "the bank is outside the project, so git does not merge it";
        return Err(UserError::usage(message).into());
    };
    let name = "anchors of cerberus, merged memory by memory".to_owned();
    // The driver first: git cannot merge with a driver that has only a name.
    let settings = vec![
        (format!("merge.{DRIVER}.driver"), COMMAND.to_owned()),
        (format!("merge.{DRIVER}.name"), name),
    ];
    let folder = git::common_folder(&project.root);
    for (key, value) in &settings {
        git::set_setting(&project.root, key, value)?;
    }
    // Git replaces the file of its settings and does not sync the folder.
    if let Some(folder) = folder {
        bank::sync_folders([Path::new(&folder)])?;
    }
    let attributes = bank.join(".gitattributes").display().to_string();
    let written = project.bank.add_attribute(ATTRIBUTE)?;
    Ok(InstallReport { settings, attributes, written })
}

pub(crate) fn run(
    args: &MergeLockArgs,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    if let [base, ours, theirs] = &args.versions[..] {
        let report = merge_lock(base, ours, theirs)?;
        let is_clean = report.undecided.is_empty();
        if out.json {
            out.json(&report)?;
        } else if !is_clean {
            let ids = report.undecided.join(", ");
            let why = format!("both sides changed the anchor of {ids}; decide with");
            out.warn(&[format!("{why} `cerberus memory reanchor`")]);
        }
        return Ok(if is_clean { ExitStatus::Done } else { ExitStatus::CheckFailed });
    }
    let report = install(&settings.project)?;
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    for (key, value) in &report.settings {
        out.line(&format!("{} {key} = {value}", out.paint(OK, "set")));
    }
    let verb = if report.written { "added" } else { "unchanged" };
    out.line(&format!("{} {}: {ATTRIBUTE}", out.paint(OK, verb), out.safe(&report.attributes)));
    out.line(&format!("commit it: git add {}", report.attributes));
    Ok(ExitStatus::Done)
}
