//! What one repository has at a commit: its shared banks, its rules and the state of its anchors.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use serde::{Deserialize, Serialize};

use super::sources::Source;
use crate::lockfile::{self, Anchors};
use crate::memories;
use crate::ops::banks::Temporary;
use crate::ops::memories::languages;
use crate::repeated::{TextHash, text_hash};
use crate::shared::config::{self, BankConfig};
use crate::shared::lock::{self, PinnedBank};
use cerberus_engine::syntax::fingerprint::bytes_hash;
use cerberus_engine::track::{self, Degree};
use cerberus_engine::tree::git::past::TreeEntry;
use cerberus_engine::tree::git::remote::{FILE_URL, LIMITS, Repository};
use cerberus_model::{Anchor, ExampleChoice, Memory, MemoryStatus, MemoryType, State};

/// Version of the records; others are read again.
const VERSION: u32 = 2;

/// Folder of a bank in its repository.
const BANK: &str = ".memories/";

/// Maximum number of memories of a repository, and of files with anchors.
const MAX_FILES: usize = 20_000;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    version: u32,
    #[serde(flatten)]
    pub(super) source: Source,
    pub(super) commit: String,
    pub(super) has_bank: bool,
    pub(super) banks: Vec<BankConfig>,
    pub(super) pins: Vec<PinnedBank>,
    pub(super) memories: Vec<OwnMemory>,
    pub(super) anchors: BTreeMap<String, AnchorState>,
    pub(super) warnings: Vec<String>,
}

/// A memory of the repository itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OwnMemory {
    pub(super) id: String,
    pub(super) is_rule: bool,
    pub(super) can_have_example: bool,
    pub(super) is_without_example: bool,
    pub(super) override_reason: Option<String>,
    /// Hash by which it is compared with shared memories.
    pub(super) text: Option<TextHash>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnchorState {
    pub(super) file: String,
    pub(super) symbol: Option<String>,
    pub(super) state: State,
    /// Whether the code no longer is the recorded one.
    pub(super) drift: bool,
}

impl Record {
    pub(super) fn is_current(&self) -> bool {
        self.version == VERSION
    }

    /// Returns what a shared bank of the configuration is pinned to.
    pub(super) fn pin(&self, config: &BankConfig) -> Option<&PinnedBank> {
        self.pins.iter().find(|pin| pin.name == config.name && pin.is_of(config))
    }
}

/// Whether a memory is a rule that applies now.
pub(super) fn is_rule(memory: &Memory) -> bool {
    memory.memory_type == MemoryType::Rule && memory.status == MemoryStatus::Active
}

/// Returns the repository of a source, with a temporary folder if it is elsewhere.
fn open(source: &Source) -> Result<Temporary, String> {
    match source.folder() {
        Some(folder) => Temporary::open(&format!("{FILE_URL}{}", folder.display()), LIMITS),
        None => Temporary::open(&source.place, LIMITS),
    }
}

/// Returns the contents of files, by their path. A file that is too large is missing.
fn read_files<'e>(
    repository: &Repository,
    entries: &[&'e TreeEntry],
) -> Result<BTreeMap<&'e str, Vec<u8>>, String> {
    if entries.is_empty() {
        return Ok(BTreeMap::new());
    }
    let ids: BTreeSet<&String> = entries.iter().map(|entry| &entry.object).collect();
    let ids: Vec<String> = ids.into_iter().cloned().collect();
    repository.fetch_objects(&ids)?;
    let contents = repository.blobs(&ids).ok_or("git cannot read its files")?;
    let by_id: BTreeMap<&String, Vec<u8>> =
        ids.iter().zip(contents).filter_map(|(id, content)| Some((id, content?))).collect();
    let content =
        |entry: &&'e TreeEntry| Some((entry.path.as_str(), by_id.get(&entry.object)?.clone()));
    Ok(entries.iter().filter_map(content).collect())
}

/// Returns the commit of a source.
fn commit(source: &Source, repository: &Repository) -> Result<String, String> {
    let branch = source.branch.as_deref();
    let name = branch.map_or_else(|| "HEAD".to_owned(), |name| format!("refs/heads/{name}"));
    repository.commit(&name)?.ok_or_else(|| match branch {
        Some(name) => format!("it has no branch `{name}`"),
        None => "it has no commit".to_owned(),
    })
}

/// Reads a repository, unless it is at the commit of `known`. Returns also whether it was read.
pub(super) fn read(source: &Source, known: Option<&Record>) -> Result<(Record, bool), String> {
    let temporary = open(source)?;
    let repository = &temporary.repository;
    let commit = commit(source, repository)?;
    if let Some(known) = known.filter(|known| known.commit == commit) {
        return Ok((known.clone(), false));
    }
    repository.fetch_commit(&commit)?;
    let entries = repository.entries(&commit, "")?;
    let is_read = |entry: &&TreeEntry| match entry.path.strip_prefix(BANK) {
        Some(file) => {
            let is_private =
                file.starts_with("indices/") || file.split('/').any(|part| part.starts_with('.'));
            [lock::FILE, crate::LOCKFILE].contains(&file) || (file.ends_with(".md") && !is_private)
        }
        None => entry.path == "cerberus.toml",
    };
    let wanted: Vec<&TreeEntry> = entries.iter().filter(is_read).collect();
    if wanted.len() > MAX_FILES {
        return Err(format!("its bank has {} files; the limit is {MAX_FILES}", wanted.len()));
    }
    let contents = read_files(repository, &wanted)?;
    let mut record = Record {
        version: VERSION,
        source: source.clone(),
        commit,
        has_bank: entries.iter().any(|entry| entry.path.starts_with(BANK)),
        ..Record::default()
    };
    let missing = wanted.iter().filter(|entry| !contents.contains_key(entry.path.as_str()));
    record.warnings.extend(missing.map(|entry| format!("`{}` is too large", entry.path)));
    let anchors = record.add(&contents);
    let anchored: BTreeSet<&str> = anchors.values().map(|anchor| anchor.file.as_str()).collect();
    let code = entries.iter().filter(|entry| anchored.contains(entry.path.as_str()));
    let code: Vec<&TreeEntry> = code.take(MAX_FILES).collect();
    record.anchors = states(&anchors, &read_files(repository, &code)?);
    Ok((record, true))
}

impl Record {
    /// Adds the configuration, the pins and the memories, and returns the anchors.
    fn add(&mut self, contents: &BTreeMap<&str, Vec<u8>>) -> Anchors {
        let banks = contents.get("cerberus.toml").map(|bytes| {
            config::parse(&String::from_utf8_lossy(bytes))
                .map_err(|why| format!("`cerberus.toml`: {why}"))
        });
        self.banks = self.valid(banks);
        let bytes = |file: &str| contents.get(format!("{BANK}{file}").as_str());
        self.pins = self.valid(bytes(lock::FILE).map(|bytes| lock::decode(bytes)));
        let mut ids = BTreeSet::new();
        for (path, bytes) in contents {
            let file = path.strip_prefix(BANK).filter(|file| file.ends_with(".md"));
            let Some(file) = file.filter(|_| bytes.len() as u64 <= memories::MAX_BYTES) else {
                continue;
            };
            let memory = memories::of_text(file, &cerberus_model::text::decode(bytes).0);
            if ids.insert(memory.id.clone()) {
                self.memories.push(OwnMemory {
                    is_rule: is_rule(&memory),
                    can_have_example: languages(&memory.scope).is_ok(),
                    is_without_example: memory.example == Some(ExampleChoice::None),
                    text: text_hash(&memory),
                    override_reason: memory.override_reason,
                    id: memory.id,
                });
            }
        }
        self.valid(bytes(crate::LOCKFILE).map(|bytes| lockfile::decode(bytes)))
    }

    /// Returns what was decoded. Nothing, with a warning, if it is invalid.
    fn valid<T: Default, E: Display>(&mut self, decoded: Option<Result<T, E>>) -> T {
        match decoded {
            Some(Ok(decoded)) => return decoded,
            Some(Err(error)) => self.warnings.push(format!("{error:#}")),
            None => {}
        }
        T::default()
    }
}

/// Returns the states of anchors by the content of their files. A file with the recorded hash is
/// not parsed.
fn states(anchors: &Anchors, code: &BTreeMap<&str, Vec<u8>>) -> BTreeMap<String, AnchorState> {
    let mut by_file: BTreeMap<&str, Vec<(&String, &Anchor)>> = BTreeMap::new();
    for (id, anchor) in anchors {
        by_file.entry(&anchor.file).or_default().push((id, anchor));
    }
    let mut states = BTreeMap::new();
    for (file, anchored) in by_file {
        let content = code.get(file);
        let hash = content.map(|bytes| bytes_hash(bytes));
        let (changed, same): (Vec<_>, Vec<_>) =
            anchored.into_iter().partition(|it| Some(it.1.fingerprint.file) != hash);
        let found = match content {
            Some(bytes) if !changed.is_empty() => {
                let anchors: Vec<&Anchor> = changed.iter().map(|it| it.1).collect();
                track::verify_content(file, bytes, &anchors)
            }
            _ => vec![None; changed.len()],
        };
        let changed = changed.into_iter().zip(found).map(|(anchor, found)| match found {
            None => (anchor, State::Gone, true),
            Some(found) if found.is_ambiguous => (anchor, State::Ambiguous, true),
            Some(found) => {
                let is_touched = matches!(found.degree, None | Some(Degree::Touched));
                (anchor, found.state, found.state == State::Edited && !is_touched)
            }
        });
        let all = same.into_iter().map(|anchor| (anchor, State::Fresh, false)).chain(changed);
        states.extend(all.map(|((id, anchor), state, drift)| {
            let (file, symbol) = (anchor.file.clone(), anchor.symbol.clone());
            (id.clone(), AnchorState { file, symbol, state, drift })
        }));
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;
    use cerberus_model::Origin;

    const CODE: &str = "def close(session):\n    try:\n        session.commit()\n    finally:\n        session.close()\n\n\ndef total(lines):\n    return sum(line.price * line.quantity for line in lines)\n";

    fn anchor(symbol: &str) -> Anchor {
        let located = track::locate_in("db.py", CODE.as_bytes(), symbol).expect("it is there");
        Anchor {
            file: located.found.file,
            symbol: located.found.symbol,
            kind: located.found.kind,
            language: located.found.language,
            origin: Origin::Auto,
            quality: 1.0,
            match_score: 1.0,
            commit: None,
            fingerprint: located.fingerprint,
            look_alikes: None,
            others: Vec::new(),
            chosen: None,
        }
    }

    fn check(code: Option<&str>, expected: [(State, bool); 2]) {
        let anchors: Anchors =
            ["close", "total"].map(|name| (name.to_owned(), anchor(name))).into_iter().collect();
        let code = code.map(|code| ("db.py", code.as_bytes().to_vec())).into_iter().collect();
        let found = states(&anchors, &code);
        let found: Vec<(State, bool)> = found.values().map(|it| (it.state, it.drift)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn anchors_are_compared_with_the_content_of_their_files() {
        let fresh = (State::Fresh, false);
        check(Some(CODE), [fresh, fresh]);
        check(Some(&format!("# a comment\n{CODE}")), [fresh, fresh]);
        let layout = CODE.replace("session.commit()", "session.commit( )");
        check(Some(&layout), [(State::Reformatted, false), fresh]);
        let gone = (State::Gone, true);
        check(None, [gone, gone]);
        check(Some(&CODE.replace("def total", "def amount")), [fresh, gone]);
        let other = "def close(session):\n    pass\n\n\n".to_owned()
            + &CODE[CODE.find("def total").expect("there")..];
        let anchors = [("close".to_owned(), anchor("close"))].into_iter().collect();
        let code = [("db.py", other.into_bytes())].into_iter().collect();
        assert!(states(&anchors, &code)["close"].drift, "other code with the same name");
    }
}
