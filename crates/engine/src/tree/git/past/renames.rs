//! The files that commits renamed, as git pairs them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use super::conversation;
use crate::tree::documents;
use crate::tree::git::process::Git;
use crate::tree::git::records::{self, RawChange, Record};
use crate::tree::git::repository::{ALIKE, RENAMES, Talk};
use crate::tree::git::with_renames;

/// Minimum share of unchanged lines of a renamed file with another name, in percent: small files
/// share a licence or their first lines with many.
const MIN_RENAMED: u32 = 60;

/// The new paths of renamed files by their old paths.
pub type Renames = BTreeMap<String, String>;

/// Renames by the commits.
#[derive(Default)]
struct Found {
    of_commits: BTreeMap<String, Renames>,
    at: String,
}

impl Found {
    fn add(&mut self, record: Record) {
        match record {
            Record::Header(id) => id.trim().clone_into(&mut self.at),
            Record::Change(RawChange {
                path,
                new: Some(new),
                similarity,
                ..
            }) => {
                let name = path.rsplit('/').next();
                if similarity >= MIN_RENAMED || name == new.path.rsplit('/').next() {
                    let of_commit = self.of_commits.entry(self.at.clone()).or_default();
                    of_commit.insert(path, new.path);
                }
            }
            Record::Change(_) => {}
        }
    }
}

/// Returns the new paths of the files that each of `commits` renamed, compared with its first
/// parent, by their old paths. Only files that match one of `patterns` count.
pub fn renames_in(
    root: &Path,
    commits: &BTreeSet<&str>,
    patterns: &[String],
) -> BTreeMap<String, Renames> {
    let [_, limit] = ALIKE;
    let found = with_renames(ALIKE[0], |option| {
        let mut args = [RENAMES, &[option, limit, "--"]].concat();
        args.extend(patterns.iter().map(String::as_str));
        let lines = commits.iter().map(|id| format!("{id}\n"));
        let git = Git::for_history(root, &args)?;
        let mut found = Found::default();
        let git = git.with_input(lines.collect::<String>().into_bytes());
        let is_read = records::read(git, |record| {
            found.add(record);
            ControlFlow::Continue(())
        });
        is_read.is_ok().then_some(found.of_commits)
    });
    found.unwrap_or_default()
}

/// Returns the new paths of the files that a commit renamed by their old paths.
pub fn renames_of(root: &Path, commit: &str) -> Renames {
    // A partial clone lacks the objects that git compares.
    let found = answered(root, Talk::Renames, commit);
    found.unwrap_or_else(|| of_commit(root, commit, &[]))
}

/// Like [`renames_of`], only for documents.
pub fn document_renames_of(root: &Path, commit: &str) -> Renames {
    let found = answered(root, Talk::Documents, commit);
    found.unwrap_or_else(|| of_commit(root, commit, &documents::pathspecs()))
}

fn of_commit(root: &Path, commit: &str, patterns: &[String]) -> Renames {
    let mut found = renames_in(root, &BTreeSet::from([commit]), patterns);
    found.remove(commit).unwrap_or_default()
}

/// Like [`renames_of`], also to paths that other files had.
pub fn exchanges_of(root: &Path, commit: &str) -> Renames {
    answered(root, Talk::Exchanges, commit).unwrap_or_default()
}

/// Returns the renames of a commit, or `None` if git fails.
fn answered(root: &Path, talk: Talk, commit: &str) -> Option<Renames> {
    let mut found = Found::default();
    let line = std::iter::once(commit.to_owned());
    conversation(root, talk, line, |record| found.add(record))?;
    Some(found.of_commits.remove(commit).unwrap_or_default())
}
