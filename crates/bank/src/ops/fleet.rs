//! A report of the rules of many repositories, read with git alone.
//!
//! Each repository is read at one commit: `cerberus.toml`, its bank, and the files of its anchors.
//! What is read is a [`Record`], which depends on that commit only and is stored, so that a
//! later run reads only repositories that changed. With the shared banks a record becomes a
//! [`Repository`] of the report. A part of a report has such repositories, and parts are joined without
//! reading anything.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use rayon::prelude::*;

use crate::append_file::AppendFile;

use super::Progress;

mod banks;
mod record;
mod report;
mod sources;

pub(crate) use record::Record;
pub use report::{
    BankUse, BankVersions, Counts, Fleet, PinState, PinnedCommit, Repository, RuleState, RuleUse,
    behind,
};
pub use sources::{Source, sources};

/// Name of the file of records.
const RECORDS: &str = "records.jsonl";

/// How a fleet is read.
#[derive(Debug)]
pub struct Options {
    /// Folder of the records of earlier runs.
    pub state: PathBuf,
    /// Folder of the texts of shared banks.
    pub cache: PathBuf,
    /// Number of repositories that are read at the same time.
    pub jobs: usize,
}

/// Reads the repositories. One that cannot be read has the error instead.
pub fn read(
    sources: &[Source],
    options: &Options,
    progress: Progress<'_>,
) -> Result<Vec<Repository>> {
    let (file, lines) = AppendFile::open(&options.state.join(RECORDS))?;
    // A line of another version is read again from its repository.
    let records = lines.iter().filter_map(|line| serde_json::from_str::<Record>(line).ok());
    let mut known: BTreeMap<Source, Record> =
        records.filter(Record::is_current).map(|it| (it.source.clone(), it)).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.jobs).build()?;
    let n_done = AtomicUsize::new(0);
    let read = |source: &Source| {
        let found = record::read(source, known.get(source));
        if let Ok((record, true)) = &found {
            file.append(&serde_json::to_string(record)?)?;
        }
        progress(n_done.fetch_add(1, Ordering::Relaxed) + 1, sources.len());
        Ok(found.map(|(record, _)| record))
    };
    let records: Vec<Result<Record, String>> =
        pool.install(|| sources.par_iter().map(read).collect::<Result<_>>())?;
    let banks = pool.install(|| banks::Banks::read(&records, sources, &options.cache));
    let repositories = sources.iter().zip(&records).map(|(source, record)| match record {
        Ok(record) => report::repository(source, record, &banks),
        Err(why) => Repository::failed(source, why),
    });
    let repositories = repositories.collect();
    // Records of repositories that are not listed now are used again when they are.
    known.extend(records.into_iter().flatten().map(|it| (it.source.clone(), it)));
    let lines: Result<Vec<String>, _> = known.values().map(serde_json::to_string).collect();
    file.replace(&lines?)?;
    Ok(repositories)
}
