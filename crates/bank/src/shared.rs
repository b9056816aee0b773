//! Shared banks: memories of other repositories, which the project pins and does not change.
//!
//! `cerberus.toml` names the banks ([`config`]), `banks.lock` pins each to a commit and to the hash of
//! its texts ([`lock`]), and the texts are in the cache of the user ([`pack`]). They are listed with
//! the files of the bank under `bank://NAME/`, which no file of the bank can have as its path, and
//! after them, so that a memory of the project replaces a shared one with the same id.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde::Serialize;

use cerberus_model::error::UserError;
use cerberus_model::file_stat::FileStat;
use cerberus_model::{ExampleChoice, Memory, Scope};

pub mod config;
pub mod edit;
pub mod lock;
pub mod pack;

use super::names::SCHEME;
use super::repeated::{TextHash, text_hash};
use super::{Bank, MemoryFile, memory_file};

pub use super::names::{bank_of, is_shared, order, shared_file};

use config::BankConfig;
use lock::PinnedBank;
use pack::Pack;

/// The shared banks of a project, read when they are needed.
#[derive(Debug, Default)]
pub(super) struct SharedBanks {
    configs: Vec<BankConfig>,
    cache: PathBuf,
    /// The files with the stat of the `banks.lock` that they were read by.
    loaded: Mutex<Option<(Option<FileStat>, Arc<SharedFiles>)>>,
}

/// The selected memories of the shared banks.
#[derive(Debug, Default)]
pub struct SharedFiles {
    pub(super) files: BTreeMap<String, MemoryFile>,
    files_by_text: BTreeMap<TextHash, Vec<String>>,
    /// Why banks could not be read.
    pub failures: Vec<Failure>,
    /// Names in the configuration that have no effect.
    pub warnings: Vec<String>,
    /// The readable banks, in the order of the configuration.
    pub(crate) banks: Vec<PinnedBank>,
    pub off: Vec<SwitchedOff>,
}

/// Why a shared bank could not be read, and the command that fixes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub message: String,
    pub command: String,
}

impl Failure {
    fn new(message: String, command: String) -> Self {
        Self { message, command }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: run `{}`", self.message, self.command)
    }
}

/// A shared memory that the project does not use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SwitchedOff {
    pub id: String,
    pub bank: String,
    pub reason: String,
}

impl Bank {
    /// Returns the bank with shared banks, whose texts are in the folder `cache`.
    pub fn with_shared(mut self, configs: Vec<BankConfig>, cache: PathBuf) -> Self {
        self.shared = Arc::new(SharedBanks { configs, cache, loaded: Mutex::default() });
        self
    }

    /// Returns the shared banks of the configuration.
    pub fn shared_configs(&self) -> &[BankConfig] {
        &self.shared.configs
    }

    /// Returns the folder with the texts of shared banks.
    pub fn shared_cache(&self) -> &std::path::Path {
        &self.shared.cache
    }

    /// Returns the shared memories.
    pub fn shared(&self) -> Arc<SharedFiles> {
        if self.shared.configs.is_empty() {
            return Arc::default();
        }
        let stat = self.banks_lock_stat();
        let mut loaded = self.shared.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        match &*loaded {
            Some((known, files)) if *known == stat => Arc::clone(files),
            _ => {
                let files = Arc::new(self.load_shared());
                *loaded = Some((stat, Arc::clone(&files)));
                files
            }
        }
    }

    fn load_shared(&self) -> SharedFiles {
        let mut shared = SharedFiles::default();
        let pinned = match self.pinned_banks() {
            Ok(pinned) => pinned,
            Err(error) => {
                let command = "cerberus memory bank update".to_owned();
                shared.failures.push(Failure::new(format!("{error:#}"), command));
                return shared;
            }
        };
        for config in &self.shared.configs {
            let pin = pinned.iter().find(|pin| pin.name == config.name);
            match self.load_bank(config, pin) {
                Ok((pin, pack)) => shared.add(config, pin, pack),
                Err(why) => shared.failures.push(why),
            }
        }
        shared
    }

    /// Returns the texts that a bank is pinned to, or why they are missing.
    fn load_bank<'p>(
        &self,
        config: &BankConfig,
        pin: Option<&'p PinnedBank>,
    ) -> Result<(&'p PinnedBank, Pack), Failure> {
        let name = &config.name;
        let update = |why: &str| {
            let message = format!("the shared bank `{name}` {why}");
            Failure::new(message, format!("cerberus memory bank update {name}"))
        };
        let fetch =
            |message: String| Failure::new(message, "cerberus memory bank fetch".to_owned());
        let pin = pin.ok_or_else(|| update("is not pinned"))?;
        if !pin.is_of(config) {
            return Err(update(
                "has another source, revision or folder in `cerberus.toml` than in `banks.lock`",
            ));
        }
        match pack::load(&self.shared.cache, &pin.sha256) {
            Ok(Some(pack)) => Ok((pin, pack)),
            Ok(None) => Err(fetch(format!("the shared bank `{name}` is not in the cache"))),
            Err(why) => Err(fetch(format!("the cached shared bank `{name}` is not used: {why}"))),
        }
    }

    /// Fails if a shared bank cannot be read, for commands whose result would be wrong without it.
    pub fn check_shared(&self) -> Result<()> {
        match self.shared().failures.first() {
            None => Ok(()),
            Some(Failure { message, command }) => {
                Err(UserError::environment(message).hint(format!("run `{command}`")).into())
            }
        }
    }

    /// Whether it was decided in this project that no code shows a memory. A shared memory may also say
    /// so itself, for all projects; a project that anchors it decides otherwise.
    pub fn decides_no_example(&self, stored: &MemoryFile) -> bool {
        match bank_of(&stored.file) {
            None => stored.memory.example.is_some(),
            Some(bank) => {
                self.shared.configs.iter().any(|config| {
                    config.name == bank && config.no_example.contains(&stored.memory.id)
                })
            }
        }
    }

    /// Fails if a memory belongs to a shared bank, which the project does not change.
    pub fn check_own(&self, stored: &MemoryFile) -> Result<()> {
        match bank_of(&stored.file) {
            None => Ok(()),
            Some(bank) => Err(read_only(&stored.memory.id, bank).into()),
        }
    }
}

fn read_only(id: &str, bank: &str) -> UserError {
    UserError::usage(format!(
        "memory `{id}` is from the shared bank `{bank}` and cannot be changed in this project"
    ))
    .hint(format!(
        "replace it here: cerberus memory add \"…\" --id {id} --override-reason \"…\""
    ))
    .hint(format!(
        "switch it off here: add `{{ id = \"{id}\", reason = \"…\" }}` to `off` of `{bank}` under `[[banks]]` in `cerberus.toml`"
    ))
}

/// Returns the error for a path of a shared memory where a path in the bank is needed.
pub(super) fn outside(file: &str) -> UserError {
    let id = file.strip_suffix(".md").and_then(|file| file.strip_prefix(SCHEME));
    let (bank, id) = id.and_then(|id| id.split_once('/')).unwrap_or(("", file));
    read_only(id, bank)
}

impl SharedFiles {
    fn add(&mut self, config: &BankConfig, pin: &PinnedBank, pack: Pack) {
        let selection = config.selection();
        let mut off: BTreeMap<&str, &str> =
            config.off.iter().map(|off| (off.id.as_str(), off.reason.as_str())).collect();
        let mut no_example: BTreeSet<&str> = config.no_example.iter().map(String::as_str).collect();
        let mut known: BTreeSet<String> =
            self.files.values().map(|stored| stored.memory.id.clone()).collect();
        for (path, text) in pack.files {
            let file = shared_file(&config.name, &path);
            let mut stored = memory_file::of_shared(&file, &path, text);
            if !selection.takes(&stored.memory) {
                continue;
            }
            // The project of the bank is not this one.
            if let Scope::Project(_) = stored.memory.scope {
                stored.memory.scope = Scope::Project(None);
            }
            let id = &stored.memory.id;
            if no_example.remove(id.as_str()) {
                stored.memory.example = Some(ExampleChoice::None);
            }
            if let Some(reason) = off.remove(id.as_str()) {
                let (bank, reason) = (config.name.clone(), reason.to_owned());
                self.off.push(SwitchedOff { id: id.clone(), bank, reason });
            } else if known.insert(id.clone()) {
                if let Some(text) = text_hash(&stored.memory) {
                    self.files_by_text.entry(text).or_default().push(file.clone());
                }
                self.files.insert(file, stored);
            } else {
                self.warnings.push(format!(
                    "`{file}` is ignored: another shared memory has the id `{id}`; name one of them in `exclude`"
                ));
            }
        }
        let unknown = off.keys().map(|id| ("off", id));
        let unknown = unknown.chain(no_example.iter().map(|id| ("no_example", id)));
        self.warnings.extend(unknown.map(|(key, id)| {
            format!(
                "`{key}` of the shared bank `{}` names `{id}`, which it does not have",
                config.name
            )
        }));
        self.banks.push(pin.clone());
    }

    /// Returns the pin of a bank.
    pub fn pin(&self, bank: &str) -> Option<&PinnedBank> {
        self.banks.iter().find(|pin| pin.name == bank)
    }

    /// Returns the selected memories.
    pub fn memories(&self) -> impl Iterator<Item = &MemoryFile> {
        self.files.values()
    }

    /// Returns the selected memories with the text of a memory and another id.
    pub(crate) fn with_text_of(&self, memory: &Memory) -> impl Iterator<Item = &MemoryFile> {
        let files = text_hash(memory).and_then(|text| self.files_by_text.get(&text));
        let files = files.into_iter().flatten().filter_map(|file| self.files.get(file));
        files.filter(|stored| stored.memory.id != memory.id)
    }

    pub(super) fn get(&self, file: &str) -> Option<&MemoryFile> {
        self.files.get(file)
    }
}

#[cfg(test)]
mod tests;
