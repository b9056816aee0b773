//! The shared banks of a fleet: the rules of each pinned version, and the newest commit of each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use rayon::prelude::*;

use super::record::{self, Record};
use super::sources::Source;
use crate::memories;
use crate::ops::banks::{self, Temporary};
use crate::repeated::{TextHash, text_hash};
use crate::shared::config::BankConfig;
use crate::shared::lock::PinnedBank;
use crate::shared::pack::{self, Pack};
use cerberus_engine::tree::git::remote::{FILE_URL, LIMITS, Limits};
use cerberus_model::Memory;

/// Why a bank in a folder is unknown.
const NOT_HERE: &str = "its folder may not be read here";

/// Limits of the history of a bank, which only the number of commits behind needs.
const HISTORY_LIMITS: Limits = Limits { time: Duration::from_secs(30), bytes: 16 * 1024 * 1024 };

/// A rule of a shared bank.
#[derive(Debug)]
pub(super) struct SharedRule {
    pub(super) path: String,
    pub(super) memory: Memory,
    pub(super) text: Option<TextHash>,
}

/// The commit that the revision of a bank has now.
#[derive(Debug)]
pub(super) struct Newest {
    pub(super) commit: String,
    /// How many commits older pinned ones are behind, if the history is known. `None` for one that is
    /// not in the history of the newest commit.
    pub(super) behind: BTreeMap<String, Option<usize>>,
}

/// A bank by its URL and its revision.
pub(super) type Place = (String, String);

/// The texts and the commits of the banks that the records name.
pub(super) struct Banks {
    /// The rules of each hash, or why they are unknown.
    rules: BTreeMap<String, Result<Vec<SharedRule>, String>>,
    newest: BTreeMap<Place, Result<Newest, String>>,
}

impl Banks {
    pub(super) fn read(
        records: &[Result<Record, String>],
        sources: &[Source],
        cache: &Path,
    ) -> Self {
        let mut pins: BTreeMap<&str, (&PinnedBank, Option<String>)> = BTreeMap::new();
        let mut places: BTreeMap<Place, (&BankConfig, BTreeSet<&str>)> = BTreeMap::new();
        for (source, record) in sources.iter().zip(records) {
            let Ok(record) = record else { continue };
            for config in &record.banks {
                let url = url(config, source);
                let pin = record.pin(config);
                if let Some(url) = &url {
                    let place = (url.clone(), config.revision().to_string());
                    let (_, pinned) = places.entry(place).or_insert((config, BTreeSet::new()));
                    pinned.extend(pin.map(|pin| pin.commit.as_str()));
                }
                if let Some(pin) = pin {
                    let known = pins.entry(&pin.sha256).or_insert((pin, None));
                    known.1 = known.1.take().or(url);
                }
            }
        }
        let rules = pins.into_par_iter().map(|(sha256, (pin, url))| {
            (sha256.to_owned(), texts(pin, url.as_deref(), cache).map(rules))
        });
        let newest = places.into_par_iter().map(|(place, (config, pinned))| {
            let newest = newest(&place.0, config, &pinned);
            (place, newest)
        });
        // At once, so that a server that does not answer is waited for once.
        let (rules, newest) = rayon::join(|| rules.collect(), || newest.collect());
        Self { rules, newest }
    }

    /// Returns the rules of a pinned bank, or why they are unknown.
    pub(super) fn rules(&self, pin: &PinnedBank) -> Result<&Vec<SharedRule>, &str> {
        known(self.rules.get(&pin.sha256))
    }

    /// Returns the commit that the revision of a bank has now, or why it is unknown.
    pub(super) fn newest(&self, config: &BankConfig, source: &Source) -> Result<&Newest, &str> {
        let url = url(config, source).ok_or(NOT_HERE)?;
        known(self.newest.get(&(url, config.revision().to_string())))
    }
}

fn known<T>(found: Option<&Result<T, String>>) -> Result<&T, &str> {
    found.map_or(Err("it was not read"), |found| found.as_ref().map_err(String::as_str))
}

/// Returns the URL of a bank, if it may be read: a folder is relative to a repository of this machine,
/// and only such a repository may name files of it.
fn url(config: &BankConfig, source: &Source) -> Option<String> {
    let folder = source.folder();
    let url = banks::url(config, folder.unwrap_or(Path::new(""))).ok()?;
    let is_here = folder.is_some() || source.place.starts_with(FILE_URL);
    let is_allowed = match config.path {
        Some(_) => folder.is_some(),
        None => is_here || !url.starts_with(FILE_URL),
    };
    is_allowed.then_some(url)
}

fn texts(pin: &PinnedBank, url: Option<&str>, cache: &Path) -> Result<Pack, String> {
    if let Ok(Some(pack)) = pack::load(cache, &pin.sha256) {
        return Ok(pack);
    }
    let url = url.ok_or(NOT_HERE)?;
    let temporary = Temporary::open(url, LIMITS)?;
    temporary.repository.fetch_commit(&pin.commit)?;
    let pack = banks::texts_in(&temporary.repository, &pin.folder, &pin.commit)?;
    if pack.sha256() != pin.sha256 {
        return Err("its texts do not have the hash in `banks.lock`".to_owned());
    }
    // The report is complete without the copy.
    let _ = pack.save(cache);
    Ok(pack)
}

fn rules(pack: Pack) -> Vec<SharedRule> {
    let rules = pack.files.into_iter().filter_map(|(path, text)| {
        let memory = memories::of_text(&path, &text);
        let text = text_hash(&memory);
        record::is_rule(&memory).then_some(SharedRule { path, memory, text })
    });
    rules.collect()
}

/// Returns the newest commit of a bank, and how far older pinned commits are behind it.
fn newest(url: &str, config: &BankConfig, pinned: &BTreeSet<&str>) -> Result<Newest, String> {
    let commit = banks::newest_commit(&Temporary::open(url, LIMITS)?.repository, config)?;
    let older = pinned.iter().copied().filter(|pinned| *pinned != commit).collect();
    // The report is useful without the numbers.
    let behind = behind(url, &commit, older).unwrap_or_default();
    Ok(Newest { commit, behind })
}

/// Returns how far commits are behind the newest one, by its history without its trees.
fn behind(
    url: &str,
    newest: &str,
    older: Vec<&str>,
) -> Result<BTreeMap<String, Option<usize>>, String> {
    if older.is_empty() {
        return Ok(BTreeMap::new());
    }
    let temporary = Temporary::open(url, HISTORY_LIMITS)?;
    let history = &temporary.repository;
    history.fetch_commits(newest)?;
    let behind = older.into_iter().filter_map(|old| {
        let n_commits = match history.is_ancestor(old, newest) {
            true => Some(history.n_commits_between(old, newest)?),
            false => None,
        };
        Some((old.to_owned(), n_commits))
    });
    Ok(behind.collect())
}
