//! Fetches shared banks with git, and pins them.
//!
//! Nothing is pinned before the texts of the new commit are complete, within the limits and in the
//! cache, so that each failure leaves the old pins as they were.

use std::path::Path;

use anyhow::Result;

use crate::ExternalFile;
use crate::shared::config::{BankConfig, DEFAULT_FOLDER, Revision};
use crate::shared::lock::PinnedBank;
use crate::shared::pack::{self, Pack};
use cerberus_engine::tree::git::past::TreeEntry;
use cerberus_engine::tree::git::remote::{self, FILE_URL, Repository};
use cerberus_model::error::UserError;

use super::Project;

/// A commit of a bank with its texts.
#[derive(Debug)]
pub struct Snapshot {
    pub pin: PinnedBank,
    pub pack: Pack,
    /// The texts that were pinned before, if they are known.
    pub before: Option<Pack>,
}

/// A repository elsewhere, with a temporary folder that git fetches into.
struct Temporary {
    repository: Repository,
    _folder: tempfile::TempDir,
}

impl Temporary {
    fn open(url: &str) -> Result<Self, String> {
        let folder =
            tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        Ok(Self { repository: Repository::open(url, folder.path())?, _folder: folder })
    }
}

/// Returns the URL of a bank: that of the configuration, or of the folder that it names.
fn url(config: &BankConfig, root: &Path) -> Result<String> {
    let url = match (&config.git, &config.path) {
        (Some(url), _) => url.clone(),
        (None, Some(path)) => {
            let folder = root.join(path);
            let Some(real) = folder.canonicalize().ok().filter(|real| real.is_dir()) else {
                return Err(UserError::usage(format!(
                    "the folder `{path}` of the shared bank `{}` not found",
                    config.name
                ))
                .hint("`path` is relative to the root of the project")
                .into());
            };
            format!("{FILE_URL}{}", real.display().to_string().replace('\\', "/"))
        }
        (None, None) => String::new(),
    };
    match remote::url_fault(&url) {
        None => Ok(url),
        Some(fault) => {
            let name = &config.name;
            Err(UserError::usage(format!("the shared bank `{name}` is not fetched: {fault}"))
                .hint("correct `git` under `[[banks]]` in `cerberus.toml`")
                .into())
        }
    }
}

/// Fetches the newest commit of a bank's revision. If it is pinned to the same revision, a branch
/// must still contain the pinned commit and a tag must still name it, unless `allow_rewritten`.
pub fn newest(
    project: &Project,
    config: &BankConfig,
    pinned: Option<&PinnedBank>,
    allow_rewritten: bool,
) -> Result<Snapshot> {
    let url = url(config, &project.root)?;
    let failed = |why: String| failure(config, &why);
    let Temporary { repository, _folder } = Temporary::open(&url).map_err(failed)?;
    let commit = newest_commit(&repository, config).map_err(failed)?;
    let cache = project.bank.shared_cache();
    let cached = pinned.and_then(|pin| pack::load(cache, &pin.sha256).ok().flatten());
    let same = pinned.filter(|pin| pin.is_of(config));
    if let (Some(pin), Some(pack)) = (same.filter(|pin| pin.commit == commit), &cached) {
        return Ok(Snapshot { pin: pin.clone(), pack: pack.clone(), before: cached });
    }
    repository.fetch_commit(&commit).map_err(failed)?;
    if let Some(pin) = same.filter(|pin| pin.commit != commit)
        && !allow_rewritten
    {
        check_history(&repository, config, pin, &commit)?;
    }
    let pack = texts(&repository, config, &commit)?;
    let before = match (cached, same) {
        (None, Some(pin)) => pinned_texts(&url, config, pin)?,
        (cached, _) => cached,
    };
    let pin = PinnedBank {
        name: config.name.clone(),
        source: config.source().to_owned(),
        revision: config.revision().to_string(),
        folder: config.folder.clone(),
        commit,
        sha256: pack.sha256(),
        files: pack.files.len(),
        bytes: pack.n_bytes(),
    };
    Ok(Snapshot { pin, pack, before })
}

/// Fetches the texts that a bank is pinned to, to compare new ones with them. Returns `None` if its
/// repository lacks them, and fails if they do not have the pinned hash.
fn pinned_texts(url: &str, config: &BankConfig, pin: &PinnedBank) -> Result<Option<Pack>> {
    // In a repository with the history of the newest commit, git would not fetch the files of another.
    let Temporary { repository, _folder } =
        Temporary::open(url).map_err(|why| failure(config, &why))?;
    let fetched = repository.fetch_commit(&pin.commit);
    let Ok(pack) = fetched.and_then(|()| texts_in(&repository, &pin.folder, &pin.commit)) else {
        return Ok(None);
    };
    match pack.sha256() == pin.sha256 {
        true => Ok(Some(pack)),
        false => Err(tampered(config, pin).into()),
    }
}

/// Fetches the pinned commit of a bank into the cache.
pub fn pinned(project: &Project, config: &BankConfig, pin: &PinnedBank) -> Result<()> {
    let url = url(config, &project.root)?;
    let Temporary { repository, _folder } =
        Temporary::open(&url).map_err(|why| failure(config, &why))?;
    if let Err(why) = repository.fetch_commit(&pin.commit) {
        let name = &config.name;
        let commit = short(&pin.commit);
        return Err(UserError::environment(format!(
            "failed to fetch the pinned commit {commit} of the shared bank `{name}`: {why}"
        ))
        .hint("if its history was rewritten, review the new one: cerberus memory bank update --allow-rewritten")
        .hint(format!("check the access with: git ls-remote {}", config.shown_source()))
        .into());
    }
    let pack = texts(&repository, config, &pin.commit)?;
    if pack.sha256() != pin.sha256 {
        return Err(tampered(config, pin).into());
    }
    pack.save(project.bank.shared_cache()).map(drop)
}

fn tampered(config: &BankConfig, pin: &PinnedBank) -> UserError {
    UserError::check(format!(
        "the texts of the shared bank `{}` at commit {} do not have the hash in `banks.lock`",
        config.name,
        short(&pin.commit)
    ))
    .hint("compare `sha256` with its last version: git log -p .memories/banks.lock")
    .hint(format!(
        "to pin it again after a review: cerberus memory bank remove {0}, then add it",
        config.name
    ))
}

/// Returns the first digits of a commit id.
pub fn short(commit: &str) -> &str {
    commit.get(..cerberus_engine::tree::git::ABBREVIATED_LEN).unwrap_or(commit)
}

fn failure(config: &BankConfig, why: &str) -> UserError {
    let (name, source) = (&config.name, config.shown_source());
    UserError::environment(format!("failed to fetch the shared bank `{name}`: {why}"))
        .hint(format!("check the access with: git ls-remote {source}"))
}

/// Returns the commit that the revision of a bank names now.
fn newest_commit(repository: &Repository, config: &BankConfig) -> Result<String, String> {
    let reference = match config.revision() {
        Revision::Commit(id) => return Ok(id.to_ascii_lowercase()),
        Revision::Default => "HEAD".to_owned(),
        Revision::Tag(name) => format!("refs/tags/{name}"),
        Revision::Branch(name) => format!("refs/heads/{name}"),
    };
    let found = repository.commit(&reference)?;
    found.ok_or_else(|| format!("it has no {}", config.revision()))
}

/// Fails if the history of a bank was rewritten since it was pinned.
fn check_history(
    repository: &Repository,
    config: &BankConfig,
    pin: &PinnedBank,
    commit: &str,
) -> Result<(), UserError> {
    let (name, old) = (&config.name, short(&pin.commit));
    let rewritten = |what: String| {
        UserError::check(format!("the shared bank `{name}` was rewritten: {what}"))
            .hint("ask its owners; to accept it after a review of the difference, add `--allow-rewritten`")
    };
    match config.revision() {
        // Another id in the configuration is a choice.
        Revision::Commit(_) => Ok(()),
        Revision::Tag(tag) => {
            let new = short(commit);
            Err(rewritten(format!("the tag `{tag}` was at {old} and is now at {new}")))
        }
        Revision::Branch(_) | Revision::Default => {
            repository.fetch_history(commit).map_err(|why| {
                failure(config, &format!("its history cannot be compared: {why}"))
                    .hint("to skip the comparison, add `--allow-rewritten`")
            })?;
            if repository.is_ancestor(&pin.commit, commit) {
                return Ok(());
            }
            let revision = config.revision();
            Err(rewritten(format!("its {revision} no longer contains the pinned commit {old}")))
        }
    }
}

/// Returns the texts of a bank at a fetched commit.
fn texts(repository: &Repository, config: &BankConfig, commit: &str) -> Result<Pack, UserError> {
    texts_in(repository, &config.folder, commit).map_err(|why| {
        let name = &config.name;
        let error = UserError::check(format!("the shared bank `{name}` is not used: {why}"));
        match config.folder.as_str() {
            DEFAULT_FOLDER => error.hint("name the folder of its memories with `folder`"),
            _ => error.hint("a bank is a folder of markdown files; name it with `folder`"),
        }
    })
}

/// Returns the texts in a folder (`.`: the root) of a fetched commit.
fn texts_in(repository: &Repository, folder: &str, commit: &str) -> Result<Pack, String> {
    let below = if folder == "." { "" } else { folder };
    let entries = repository.entries(commit, below)?;
    let prefix = if below.is_empty() { String::new() } else { format!("{below}/") };
    let memories: Vec<(&str, &TreeEntry)> = entries
        .iter()
        .filter_map(|entry| Some((entry.path.strip_prefix(&prefix)?, entry)))
        .filter(|(path, _)| is_memory(path))
        .collect();
    if memories.is_empty() {
        return Err(format!("its folder `{folder}` contains no memory"));
    }
    if memories.len() > pack::MAX_FILES {
        let (n, limit) = (memories.len(), pack::MAX_FILES);
        return Err(format!("it has {n} memories; the limit is {limit}"));
    }
    let ids: Vec<String> = memories.iter().map(|(_, entry)| entry.object.clone()).collect();
    repository.fetch_objects(&ids)?;
    let sizes = repository.sizes(&ids).unwrap_or_default();
    let n_bytes: u64 = sizes.iter().flatten().sum();
    if n_bytes > pack::MAX_BYTES {
        let (size, limit) = (n_bytes / 1024, pack::MAX_BYTES / 1024);
        return Err(format!("its memories have {size} KB together; the limit is {limit} KB"));
    }
    let contents = repository.blobs(&ids).ok_or("git cannot read the fetched texts")?;
    let files = memories.iter().zip(contents).map(|((path, _), text)| {
        let text = text.ok_or_else(|| format!("`{path}` cannot be read"))?;
        Ok(((*path).to_owned(), text))
    });
    Pack::new(files.collect::<Result<_, String>>()?)
}

/// Whether a path in the folder of a bank is that of a memory.
fn is_memory(path: &str) -> bool {
    let is_hidden = path.split('/').any(|part| part.starts_with('.'));
    path.ends_with(".md") && !is_hidden && !path.starts_with("indices/")
}

/// Returns the configuration of the project and its text after an edit of `[[banks]]`.
pub fn edited_config(
    project: &Project,
    edit: impl FnOnce(&str) -> Result<String, String>,
) -> Result<(ExternalFile, String)> {
    let file = ExternalFile::open(&project.root.join("cerberus.toml"), &project.root)?;
    let text = std::str::from_utf8(&file.bytes).map_err(|_| "it is not valid UTF-8".to_owned());
    let edited = text.and_then(edit).map_err(|why| {
        let why = why.lines().next().unwrap_or_default();
        UserError::usage(format!("failed to edit `cerberus.toml`: {why}"))
            .hint("correct the file in an editor")
    })?;
    Ok((file, edited))
}
