//! The shared banks of a fleet: the rules of each pinned version, and the newest commit of each.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;

use super::record::{self, Record};
use super::sources::Source;
use crate::bank::memories;
use crate::bank::shared::config::{BankConfig, Revision};
use crate::bank::shared::lock::PinnedBank;
use crate::bank::shared::pack::{self, Pack};
use crate::model::Memory;
use crate::ops::banks;
use crate::tree::git::remote::{LIMITS, Mirror};

/// Start of the URL of a folder of this machine.
const FILE_URL: &str = "file://";

/// What is known of the banks that the records name.
pub(super) struct Banks {
    /// The memories of each hash, or why they are unknown.
    memories: BTreeMap<String, Result<Vec<Memory>, String>>,
    /// The newest commit of each URL and revision.
    newest: BTreeMap<(String, String), Result<String, String>>,
}

impl Banks {
    pub(super) fn read(
        records: &[Result<Record, String>],
        sources: &[Source],
        cache: &Path,
        empty: &Mirror,
    ) -> Self {
        let mut pins: BTreeMap<&str, (&PinnedBank, Option<String>)> = BTreeMap::new();
        let mut newest: BTreeMap<(String, String), &BankConfig> = BTreeMap::new();
        for (source, record) in sources.iter().zip(records) {
            let Ok(record) = record else { continue };
            for config in &record.banks {
                let url = url(config, source);
                if let Some(url) = &url {
                    newest.entry((url.clone(), config.revision().to_string())).or_insert(config);
                }
                let pin =
                    record.pins.iter().find(|pin| pin.is_of(config) && pin.name == config.name);
                if let Some(pin) = pin {
                    let known = pins.entry(&pin.sha256).or_insert((pin, None));
                    known.1 = known.1.take().or(url);
                }
            }
        }
        let memories = pins
            .into_par_iter()
            .map(|(sha256, (pin, url))| {
                (sha256.to_owned(), texts(pin, url.as_deref(), cache).map(rules))
            })
            .collect();
        let newest = newest
            .into_par_iter()
            .map(|((url, revision), config)| {
                let commit = newest_commit(&empty.with_url(&url), config);
                ((url, revision), commit)
            })
            .collect();
        Self { memories, newest }
    }

    /// Returns the memories of a pinned bank, or why they are unknown.
    pub(super) fn memories(&self, pin: &PinnedBank) -> Result<&[Memory], &str> {
        match self.memories.get(&pin.sha256) {
            Some(Ok(memories)) => Ok(memories),
            Some(Err(why)) => Err(why),
            None => Err("it was not read"),
        }
    }

    /// Returns the commit that the revision of a bank has now, or why it is unknown.
    pub(super) fn newest(&self, config: &BankConfig, source: &Source) -> Result<&str, &str> {
        let Some(url) = url(config, source) else {
            return Err("its folder may not be read here");
        };
        match self.newest.get(&(url, config.revision().to_string())) {
            Some(Ok(commit)) => Ok(commit),
            Some(Err(why)) => Err(why),
            None => Err("it was not read"),
        }
    }
}

/// Returns the URL of a bank, if it may be read: a folder is relative to a repository of this machine,
/// and only such a repository may name files of it.
fn url(config: &BankConfig, source: &Source) -> Option<String> {
    let folder = record::folder(source);
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
    let url = url.ok_or("its folder may not be read here")?;
    let temporary = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mirror = Mirror::open(temporary.path(), url, LIMITS)?;
    mirror.fetch_commit(&pin.commit)?;
    let pack = banks::texts_in(&mirror, &pin.folder, &pin.commit)?;
    if pack.sha256() != pin.sha256 {
        return Err("its texts do not have the hash in `banks.lock`".to_owned());
    }
    // The report is complete without the copy.
    let _ = pack.save(cache);
    Ok(pack)
}

fn rules(pack: Pack) -> Vec<Memory> {
    pack.files.iter().map(|(path, text)| memories::of_text(path, text)).collect()
}

fn newest_commit(mirror: &Mirror, config: &BankConfig) -> Result<String, String> {
    let name = match config.revision() {
        Revision::Commit(id) => return Ok(id.to_ascii_lowercase()),
        Revision::Default => "HEAD".to_owned(),
        Revision::Tag(name) => format!("refs/tags/{name}"),
        Revision::Branch(name) => format!("refs/heads/{name}"),
    };
    let found = mirror.references(&[&name])?;
    found
        .into_iter()
        .next()
        .map(|it| it.commit)
        .ok_or_else(|| format!("it has no {}", config.revision()))
}
