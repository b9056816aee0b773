//! Repositories elsewhere: what a reference names there, and single files of a commit without a
//! clone.
//!
//! A [`Mirror`] is a bare repository in a folder of the cache. It fetches one commit with its trees,
//! then only the blobs that are asked for. A server that cannot send parts sends the whole commit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use super::network::{Limits, url_fault};
use super::process::{Failure, Git};
use super::records::{self, EntryKind, TreeEntry};
use super::{network, objects};

/// Limit of the files of a fetched shared bank and of a reported repository.
pub const LIMITS: Limits = Limits { time: Duration::from_secs(120), bytes: 256 * 1024 * 1024 };

/// A reference of a repository elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteReference {
    pub(crate) name: String,
    /// Full id of the commit.
    pub commit: String,
}

/// A bare repository for objects of a repository elsewhere.
#[derive(Debug)]
pub struct Mirror {
    folder: PathBuf,
    url: String,
    limits: Limits,
}

impl Mirror {
    /// Returns the repository in `folder`, which is created if it is missing or incomplete.
    pub fn open(folder: &Path, url: &str, limits: Limits) -> Result<Self, String> {
        let mirror = Self { folder: folder.to_owned(), url: url.to_owned(), limits };
        if !folder.join("HEAD").is_file() {
            let args = ["init", "--bare", "--quiet", "--template="];
            mirror.run(&args, &[])?;
        }
        Ok(mirror)
    }

    /// Returns the same repository for questions to another URL, without fetching.
    pub fn with_url(&self, url: &str) -> Self {
        Self { folder: self.folder.clone(), url: url.to_owned(), limits: self.limits }
    }

    /// Returns the address of the repository.
    pub fn url(&self) -> &str {
        &self.url
    }

    fn run(&self, args: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
        network::run(&self.folder, args, input, self.limits)
    }

    /// Returns the references with these names that the repository has. A tag has the commit that it
    /// names, not its own object.
    pub fn references(&self, names: &[&str]) -> Result<Vec<RemoteReference>, String> {
        let mut args = vec!["ls-remote", "--quiet", "--", self.url.as_str()];
        let peeled: Vec<String> = names.iter().map(|name| format!("{name}^{{}}")).collect();
        args.extend(names);
        args.extend(
            peeled.iter().map(String::as_str).filter(|name| name.starts_with("refs/tags/")),
        );
        let output = self.run(&args, &[])?;
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        for line in String::from_utf8_lossy(&output).lines() {
            let Some((commit, name)) = line.split_once('\t') else { continue };
            let wanted = name.strip_suffix("^{}").unwrap_or(name);
            if names.contains(&wanted) && (name != wanted || !found.contains_key(wanted)) {
                found.insert(wanted.to_owned(), commit.to_owned());
            }
        }
        let reference = |(name, commit)| RemoteReference { name, commit };
        Ok(found.into_iter().map(reference).collect())
    }

    /// Fetches a commit with its trees, without its history, and without blobs if the server can
    /// omit them.
    pub fn fetch_commit(&self, commit: &str) -> Result<(), String> {
        self.fetch(&["--depth=1", "--filter=blob:none"], &[commit])
    }

    /// Fetches the history of a commit, without trees if the server can omit them.
    pub fn fetch_history(&self, commit: &str) -> Result<(), String> {
        self.fetch(&["--unshallow", "--filter=tree:0"], &[commit])
    }

    /// Fetches a commit with its history, without trees if the server can omit them.
    pub fn fetch_commits(&self, commit: &str) -> Result<(), String> {
        self.fetch(&["--filter=tree:0"], &[commit])
    }

    /// Fetches those of these objects that are missing.
    pub fn fetch_objects(&self, ids: &[String]) -> Result<(), String> {
        let sizes = self.sizes(ids).ok_or("the cache cannot be read")?;
        let missing = ids.iter().zip(sizes).filter(|(_, size)| size.is_none());
        let missing: Vec<&str> = missing.map(|(id, _)| id.as_str()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        self.fetch(&["--filter=blob:none"], &missing)
    }

    fn fetch(&self, options: &[&str], wanted: &[&str]) -> Result<(), String> {
        // The remote has a name, so that git knows it as the origin of missing objects.
        let url = format!("remote.origin.url={}", self.url);
        let mut args = vec!["-c", &url, "-c", "remote.origin.promisor=true"];
        args.extend(["-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags"]);
        args.extend(["--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"]);
        args.extend(options);
        args.extend(["--stdin", "origin"]);
        let input = wanted.join("\n") + "\n";
        self.run(&args, input.as_bytes()).map(drop)
    }

    /// Whether a commit is another one or an ancestor of it, among the fetched commits.
    pub fn is_ancestor(&self, old: &str, new: &str) -> bool {
        self.git(["merge-base", "--is-ancestor", old, new]).bytes().is_some()
    }

    /// Returns the number of fetched commits that are in the history of `new` and not of `old`.
    pub fn n_commits_between(&self, old: &str, new: &str) -> Option<usize> {
        self.git(["rev-list", "--count", &format!("{old}..{new}")]).text()?.trim().parse().ok()
    }

    /// Returns the files of a commit below a folder (empty: all).
    pub fn entries(&self, commit: &str, folder: &str) -> Result<Vec<TreeEntry>, String> {
        entries(self.git(list_args(commit, folder)))
    }

    /// Returns the size of each object that the cache has.
    pub fn sizes(&self, ids: &[String]) -> Option<Vec<Option<u64>>> {
        let git = self.git(["cat-file", "--batch-check=%(objectsize)"]);
        let lines = objects::describe(git, ids.iter().map(String::as_str))?;
        (lines.len() == ids.len()).then(|| lines.iter().map(|line| line.parse().ok()).collect())
    }

    /// Returns the contents of blobs.
    pub fn blobs(&self, ids: &[String]) -> Option<Vec<Option<Vec<u8>>>> {
        blobs(self.git(["cat-file", "--batch"]), ids)
    }

    fn git<'a, S: AsRef<std::ffi::OsStr>>(&'a self, args: impl IntoIterator<Item = S>) -> Git<'a> {
        Git::in_repository(&self.folder, args)
    }
}

/// A repository of this machine that is read in place: its folder, or the folder of its bare
/// repository.
#[derive(Debug)]
pub struct LocalRepository<'a> {
    folder: &'a Path,
    is_bare: bool,
}

impl<'a> LocalRepository<'a> {
    /// Returns the repository in a folder, bare or with a work tree.
    pub fn new(folder: &'a Path) -> Self {
        let is_bare = folder.join("HEAD").is_file() && folder.join("objects").is_dir();
        Self { folder, is_bare }
    }

    fn git<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Git<'a> {
        match self.is_bare {
            true => Git::in_repository(self.folder, args),
            false => Git::new(self.folder, args),
        }
    }

    /// Returns the full id of the commit that a revision names, if there is one.
    pub fn commit(&self, revision: &str) -> Result<Option<String>, String> {
        let name = format!("{revision}^{{commit}}");
        let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &name];
        match self.git(args).output() {
            Ok(output) => Ok(Some(String::from_utf8_lossy(&output).trim().to_owned())),
            // With `--quiet`, git has no message for a missing revision.
            Err(Failure::Refused(why)) if why.is_empty() => Ok(None),
            Err(failure) => Err(failure.message()),
        }
    }

    /// Returns the files of a commit.
    pub fn entries(&self, commit: &str) -> Result<Vec<TreeEntry>, String> {
        entries(self.git(list_args(commit, "")))
    }

    /// Returns the contents of blobs.
    pub fn blobs(&self, ids: &[String]) -> Option<Vec<Option<Vec<u8>>>> {
        blobs(self.git(["cat-file", "--batch"]), ids)
    }
}

fn list_args(commit: &str, folder: &str) -> Vec<String> {
    let args = ["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit];
    let mut args: Vec<String> = args.map(str::to_owned).to_vec();
    if !folder.is_empty() {
        args.push("--".to_owned());
        args.push(folder.to_owned());
    }
    args
}

fn entries(git: Git<'_>) -> Result<Vec<TreeEntry>, String> {
    let entries = records::tree(git).map_err(Failure::message)?;
    let entries = entries.into_iter().map(|(_, entry)| entry);
    Ok(entries.filter(|entry| entry.kind == EntryKind::File).collect())
}

fn blobs(git: Git<'_>, ids: &[String]) -> Option<Vec<Option<Vec<u8>>>> {
    objects::converse(git, |objects| ids.iter().map(|id| objects.read(id)).collect())
}
