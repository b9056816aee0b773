//! Repositories elsewhere: what a reference names there, and single files of a commit without a
//! clone.
//!
//! A repository of this machine is read in place, with the same overrides as a project: a fetch would
//! start a process of git there that obeys its settings. From another machine, one commit is fetched
//! with its trees into a bare repository, then only the blobs that are asked for. A server that cannot
//! send parts sends the whole commit.

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use super::network::url_fault;
use super::network::{self, Limits};
use super::objects;
use super::process::{Failure, Git};
use super::records::{self, EntryKind, TreeEntry};

/// Limits of fetching a shared bank.
const LIMITS: Limits = Limits { time: Duration::from_secs(120), bytes: 256 * 1024 * 1024 };

/// Start of the URL of a folder of this machine.
pub const FILE_URL: &str = "file://";

/// Number of digits of an object id of a repository that uses SHA-256.
const SHA256_LEN: usize = 64;

/// A repository that is not the one of the project.
#[derive(Debug)]
pub struct Repository {
    /// Its folder on this machine, or the folder of the bare repository for its objects.
    folder: PathBuf,
    /// Its URL, if it is on another machine.
    remote: Option<String>,
}

impl Repository {
    /// Returns the repository with this URL. Objects of one of another machine are fetched into
    /// `folder`.
    pub fn open(url: &str, folder: &Path) -> Result<Self, String> {
        match url.strip_prefix(FILE_URL) {
            Some(path) => Self::here(Path::new(path)),
            None => Ok(Self { folder: folder.to_owned(), remote: Some(url.to_owned()) }),
        }
    }

    /// Returns the repository in a folder of this machine, bare or with a work tree.
    pub fn here(folder: &Path) -> Result<Self, String> {
        let repository = Self { folder: folder.to_owned(), remote: None };
        match folder.join(".git").exists() || repository.is_bare() {
            true => Ok(repository),
            false => Err(format!("`{}` is not the folder of a git repository", folder.display())),
        }
    }

    fn is_bare(&self) -> bool {
        self.folder.join("HEAD").is_file() && self.folder.join("objects").is_dir()
    }

    /// Returns the full id of the commit that a reference names, if there is one.
    pub fn commit(&self, reference: &str) -> Result<Option<String>, String> {
        let Some(url) = &self.remote else {
            let name = format!("{reference}^{{commit}}");
            let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &name];
            return match self.git(args).output() {
                Ok(output) => Ok(Some(String::from_utf8_lossy(&output).trim().to_owned())),
                // With `--quiet`, git has no message for a missing revision.
                Err(Failure::Refused(why)) if why.is_empty() => Ok(None),
                Err(failure) => Err(failure.message()),
            };
        };
        // A tag has its own object.
        let peeled = format!("{reference}^{{}}");
        let args = ["ls-remote", "--quiet", "--", url, reference, &peeled];
        let output = network::run(&self.folder, &args, "", LIMITS)?;
        let output = String::from_utf8_lossy(&output);
        let find = |wanted: &str| {
            let mut found = output.lines().filter_map(|line| line.split_once('\t'));
            found.find(|(_, name)| *name == wanted).map(|(commit, _)| commit.to_owned())
        };
        Ok(find(&peeled).or_else(|| find(reference)))
    }

    /// Fetches a commit with its trees, without its history, and without blobs if the server can
    /// omit them.
    pub fn fetch_commit(&self, commit: &str) -> Result<(), String> {
        if self.remote.is_none() && self.commit(commit)?.is_none() {
            return Err(format!("it has no commit {commit}"));
        }
        self.fetch(&["--depth=1", "--filter=blob:none"], commit)
    }

    /// Fetches the history of a commit, without trees if the server can omit them.
    pub fn fetch_history(&self, commit: &str) -> Result<(), String> {
        self.fetch(&["--unshallow", "--filter=tree:0"], commit)
    }

    /// Fetches those of these objects that are missing.
    pub fn fetch_objects(&self, ids: &[String]) -> Result<(), String> {
        let sizes = self.sizes(ids).ok_or("the cache cannot be read")?;
        let missing = ids.iter().zip(sizes).filter(|(_, size)| size.is_none());
        let missing: Vec<&str> = missing.map(|(id, _)| id.as_str()).collect();
        match missing[..] {
            [] => Ok(()),
            _ => self.fetch(&["--filter=blob:none"], &missing.join("\n")),
        }
    }

    /// Fetches objects, whose ids are lines. A repository of this machine has them.
    fn fetch(&self, options: &[&str], wanted: &str) -> Result<(), String> {
        let Some(url) = &self.remote else { return Ok(()) };
        if !self.folder.join("HEAD").is_file() {
            let mut args = vec!["init", "--bare", "--quiet", "--template="];
            let is_sha256 = wanted.lines().next().is_some_and(|id| id.len() == SHA256_LEN);
            args.extend(is_sha256.then_some("--object-format=sha256"));
            network::run(&self.folder, &args, "", LIMITS)?;
        }
        // The remote has a name, so that git knows it as the origin of missing objects.
        let url = format!("remote.origin.url={url}");
        let mut args = vec!["-c", &url, "-c", "remote.origin.promisor=true"];
        args.extend(["-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags"]);
        args.extend(["--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"]);
        args.extend(options);
        args.extend(["--stdin", "origin"]);
        network::run(&self.folder, &args, &format!("{wanted}\n"), LIMITS).map(drop)
    }

    /// Whether a commit is another one or an ancestor of it, among the commits that are here.
    pub fn is_ancestor(&self, old: &str, new: &str) -> bool {
        self.git(["merge-base", "--is-ancestor", old, new]).bytes().is_some()
    }

    /// Returns the files of a commit below a folder (empty: all).
    pub fn entries(&self, commit: &str, folder: &str) -> Result<Vec<TreeEntry>, String> {
        let args = ["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit];
        let below = (!folder.is_empty()).then_some(["--", folder]).into_iter().flatten();
        let entries = records::tree(self.git(args.into_iter().chain(below)));
        let entries = entries.map_err(Failure::message)?.into_iter().map(|(_, entry)| entry);
        Ok(entries.filter(|entry| entry.kind == EntryKind::File).collect())
    }

    /// Returns the size of each object that is here.
    pub fn sizes(&self, ids: &[String]) -> Option<Vec<Option<u64>>> {
        let git = self.git(["cat-file", "--batch-check=%(objectsize)"]);
        let lines = objects::describe(git, ids.iter().map(String::as_str))?;
        (lines.len() == ids.len()).then(|| lines.iter().map(|line| line.parse().ok()).collect())
    }

    /// Returns the contents of blobs.
    pub fn blobs(&self, ids: &[String]) -> Option<Vec<Option<Vec<u8>>>> {
        let git = self.git(["cat-file", "--batch"]);
        objects::converse(git, |objects| ids.iter().map(|id| objects.read(id)).collect())
    }

    fn git<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Git<'_> {
        match self.remote.is_some() || self.is_bare() {
            true => Git::in_repository(&self.folder, args),
            false => Git::new(&self.folder, args),
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests write files")]
mod tests {
    use super::*;

    #[test]
    fn repositories_with_both_hashes_are_read_in_place_and_fetched() {
        for (format, len) in [("sha1", 40), ("sha256", SHA256_LEN)] {
            let temp = tempfile::tempdir().expect("a temp folder");
            let there = temp.path().join("there");
            let here = temp.path().join("here");
            let git = |args: &[&str]| {
                let mut git = std::process::Command::new("git");
                git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
                let done = git.current_dir(&temp).output();
                assert!(done.is_ok_and(|it| it.status.success()), "{args:?}");
            };
            git(&["init", "--quiet", "--object-format", format, "there"]);
            git(&["-C", "there", "commit", "--quiet", "--allow-empty", "-m", "first"]);
            git(&["-C", "there", "tag", "-a", "v1", "-m", "one"]);
            std::fs::write(there.join("a.md"), "text").expect("a file");
            git(&["-C", "there", "add", "a.md"]);
            git(&["-C", "there", "commit", "--quiet", "-m", "second"]);
            let url = format!("{FILE_URL}{}", there.display());
            let remote = Some(url.clone());
            std::fs::create_dir(&here).expect("a folder");
            let fetched = Repository { folder: here, remote };
            let in_place = Repository::open(&url, Path::new("")).expect("it is here");
            for repository in [&in_place, &fetched] {
                let commit = |name| repository.commit(name).expect("an answer");
                let (head, tag) = (commit("HEAD").expect("a commit"), commit("refs/tags/v1"));
                assert_eq!((head.len(), commit("refs/heads/none")), (len, None));
                repository.fetch_commit(&head).expect("it has it");
                let entries = repository.entries(&head, "").expect("a tree");
                let ids: Vec<String> = entries.iter().map(|it| it.object.clone()).collect();
                repository.fetch_objects(&ids).expect("it has them");
                assert_eq!(repository.blobs(&ids), Some(vec![Some(b"text".to_vec())]));
                repository.fetch_history(&head).expect("it has it");
                assert!(repository.is_ancestor(&tag.expect("a commit"), &head));
            }
        }
    }
}
