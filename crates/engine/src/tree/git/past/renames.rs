//! The files that commits renamed, as git pairs them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::tree::git::process::Git;
use crate::tree::git::with_renames;

/// Minimum share of unchanged lines of a renamed file with another name, in percent: small files
/// share a licence or their first lines with many.
const MIN_RENAMED: u32 = 60;

/// Maximum number of added times deleted files, as a square, that are compared to find renames.
const RENAME_LIMIT: &str = "-l1000";

/// Returns the new paths of the files that each of `commits` renamed, compared with its first
/// parent, by their old paths. Only files that match one of `patterns` count, unless there is none.
pub fn renames_in(
    root: &Path,
    commits: &BTreeSet<&str>,
    patterns: &[String],
) -> BTreeMap<String, BTreeMap<String, String>> {
    with_renames("-M40%", |renames| {
        renames_with(root, commits, patterns, &[renames])
    })
    .unwrap_or_default()
}

/// Returns the new paths of the files that a commit renamed, as [`renames_in`], also of those whose old
/// path got another file: `a` and `b` became `b` and `c`.
pub fn exchanges_in(root: &Path, commit: &str) -> BTreeMap<String, String> {
    let found = with_renames("-M40%", |renames| {
        renames_with(root, &BTreeSet::from([commit]), &[], &[renames, "-B"])
    });
    found.unwrap_or_default().remove(commit).unwrap_or_default()
}

fn renames_with(
    root: &Path,
    commits: &BTreeSet<&str>,
    patterns: &[String],
    renames: &[&str],
) -> Option<BTreeMap<String, BTreeMap<String, String>>> {
    let mut args = vec!["diff-tree", "--stdin", "-r", "-m", "--first-parent", "-z"];
    args.extend([
        "--name-status",
        "--diff-filter=R",
        "--relative",
        "--ignore-submodules=all",
    ]);
    args.extend(renames);
    args.extend([RENAME_LIMIT, "--"]);
    args.extend(patterns.iter().map(String::as_str));
    let input: String = commits.iter().map(|id| format!("{id}\n")).collect();
    let output = Git::for_history(root, &args)?
        .with_input(input.into_bytes())
        .text()?;
    let mut found: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut at = None;
    let mut fields = output.split('\0');
    while let Some(field) = fields.next() {
        if !field.starts_with('R') {
            at = Some(field.trim().to_owned());
        } else if let (Some(old), Some(new), Some(at)) = (fields.next(), fields.next(), &at) {
            let score: u32 = field[1..].parse().unwrap_or(0);
            if score >= MIN_RENAMED || old.rsplit('/').next() == new.rsplit('/').next() {
                let of_commit = found.entry(at.clone()).or_default();
                of_commit.insert(old.to_owned(), new.to_owned());
            }
        }
    }
    Some(found)
}
