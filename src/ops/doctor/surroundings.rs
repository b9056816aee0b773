//! What is around the memories: the code, the store and git.

use std::collections::BTreeSet;

use anyhow::Result;

use crate::bank::LOCKFILE;
use crate::store::inspect::{self, Status};
use crate::tree::git::{self, GitStatus};
use crate::tree::walk;

use super::{Doctor, counted, listed, shown};

impl Doctor<'_> {
    /// Looks whether there is code to find examples in.
    pub(super) fn code(&mut self) {
        let project = self.project;
        let looked = walk::walk(&project.root, &project.exclude).and_then(|listing| {
            let is_hidden = listing.entries.is_empty()
                && !project.exclude.is_empty()
                && !walk::walk(&project.root, &[])?.entries.is_empty();
            Ok((listing, is_hidden))
        });
        let (listing, is_hidden) = match looked {
            Ok(looked) => looked,
            Err(error) => return self.failed("code", &error),
        };
        self.looked_at.push(counted(listing.entries.len(), "source file", "source files"));
        for warning in listing.warnings {
            self.remark("code", warning, "see that it may be read");
        }
        if is_hidden {
            let message = "`exclude` hides every source file, so no rule finds an example";
            self.wrong("code", message, "narrow `exclude` under `[anchor]` in `cerberus.toml`");
        } else if listing.entries.is_empty() {
            let message = "there is no file in Python, Go, JavaScript, TypeScript, Rust or Java, so no rule finds an example";
            self.remark(
                "code",
                message,
                "name the project's folder: cerberus doctor --project DIR",
            );
        }
    }

    /// Looks at the store, and leaves it as it is.
    pub(super) fn store(&mut self) {
        self.looked_at.push("store".to_owned());
        let path = shown(self.project, &self.project.store);
        let seen = match inspect::inspect(&self.project.store) {
            Ok(seen) => seen,
            Err(error) => return self.failed("store", &error),
        };
        match seen.status {
            Status::Missing | Status::Ok | Status::Older => {}
            Status::Newer(found, known) => {
                let message = format!(
                    "`{path}` was written by a newer cerberus (schema {found}, this one knows {known})"
                );
                self.wrong(
                    "store",
                    message,
                    format!("upgrade cerberus, or have it rebuilt: rm {path}"),
                );
            }
            Status::Corrupt(why) => {
                let message = format!("`{path}` is corrupt: {why}");
                self.wrong("store", message, "set it aside and rebuild it: cerberus index");
            }
        }
        if let Some(why) = seen.unwritable {
            let message =
                format!("`{path}` cannot be written, so every command indexes anew: {why}");
            self.wrong("store", message, format!("chmod u+w {path}"));
        }
        if !seen.backups.is_empty() {
            let paths: Vec<String> =
                seen.backups.iter().map(|path| shown(self.project, path)).collect();
            let n = counted(paths.len(), "corrupt store was", "corrupt stores were");
            let message = format!("{n} set aside: {}", listed(&paths));
            self.remark("store", message, format!("rm {}", paths.join(" ")));
        }
    }

    /// Looks at how git sees the bank.
    pub(super) fn git(&mut self) {
        self.looked_at.push("git".to_owned());
        let root = &self.project.root;
        match git::status(root) {
            GitStatus::NoGit => {
                let message = "there is no `git`, so renames, recency and `--diff` are unknown";
                self.remark("git", message, "install git");
            }
            GitStatus::NoRepository => {
                let message = "this is no git repository, so memories have no history";
                self.remark("git", message, "git init");
            }
            GitStatus::Refused(why) => {
                let next = format!("git config --global --add safe.directory {}", root.display());
                let next =
                    if why.contains("dubious ownership") { next } else { "git status".to_owned() };
                self.wrong("git", format!("git refuses to look: {why}"), next);
            }
            GitStatus::Repository { is_shallow } => {
                if let Err(error) = self.repository(is_shallow) {
                    self.failed("git", &error);
                }
            }
        }
    }

    fn repository(&mut self, is_shallow: bool) -> Result<()> {
        let (project, bank) = (self.project, &self.project.bank);
        let root = &project.root;
        let commits = bank.anchors().unwrap_or_default();
        let commits: BTreeSet<&str> =
            commits.values().filter_map(|anchor| anchor.commit.as_deref()).collect();
        let unknown = git::unknown_commits(root, &commits);
        if is_shallow {
            let message = "this clone is shallow, so what is older than it counts as of no date";
            self.remark("git", message, "git fetch --unshallow");
        } else if !unknown.is_empty() {
            let n = counted(unknown.len(), "commit", "commits");
            let message = format!(
                "`{LOCKFILE}` names {n} that this clone does not have: {}",
                listed(&unknown)
            );
            self.remark("git", message, "fetch what is missing: git fetch --all");
        }
        let folder = bank.folder();
        if !bank.exists() || !folder.starts_with(root) {
            return Ok(());
        }
        let path = shown(project, folder);
        let kept = [folder.join("a.md"), bank.lockfile(), bank.pin_file()];
        let kept: Vec<&std::path::Path> = kept.iter().map(std::path::PathBuf::as_path).collect();
        let ignored = git::ignored(root, &kept);
        if ignored.len() == kept.len() {
            let message = format!("git ignores `{path}`, so no other clone has these memories");
            self.wrong(
                "git",
                message,
                format!("take out the line that this names: git check-ignore -v {path}/a.md"),
            );
        } else if let Some(first) = ignored.first() {
            let first = shown(project, std::path::Path::new(first));
            let message = format!("git ignores `{first}`, so other clones and CI do not have it");
            self.wrong(
                "git",
                message,
                format!("take out the line that this names: git check-ignore -v {first}"),
            );
        } else {
            self.committed(&path)?;
        }
        let derived = [folder.join("indices/cerberus.db"), folder.join(".trash/a.md")];
        let derived: Vec<&std::path::Path> =
            derived.iter().map(std::path::PathBuf::as_path).collect();
        for (path, name) in derived.iter().zip(["indices/", ".trash/"]) {
            let is_there = path.parent().is_some_and(std::path::Path::exists);
            if git::is_tracked(root, &folder.join(name)) {
                let message = format!(
                    "git has `{}`, which can be made again",
                    shown(project, &folder.join(name))
                );
                let next = format!("git rm -r --cached {}", shown(project, &folder.join(name)));
                self.wrong("git", message, next);
            } else if is_there && git::ignored(root, &[*path]).is_empty() {
                let ignores = shown(project, &folder.join(".gitignore"));
                let message =
                    format!("git does not ignore `{}`", shown(project, &folder.join(name)));
                self.wrong("git", message, format!("echo {name} >> {ignores}"));
            }
        }
        Ok(())
    }

    /// Looks whether the bank is in git.
    fn committed(&mut self, path: &str) -> Result<()> {
        let (root, bank) = (&self.project.root, &self.project.bank);
        let (files, _) = bank.list()?;
        if files.is_empty() {
            return Ok(());
        }
        let lock = bank.lockfile();
        if !git::is_tracked(root, bank.folder()) {
            let n = counted(files.len(), "memory is", "memories are");
            let settings = root.join("cerberus.toml");
            let is_new = settings.exists() && !git::is_tracked(root, &settings);
            let settings = if is_new { " cerberus.toml" } else { "" };
            self.remark("git", format!("{n} not in git yet"), format!("git add {path}{settings}"));
        } else if lock.exists() && !git::is_tracked(root, &lock) {
            let lock = shown(self.project, &lock);
            let message =
                format!("`{lock}` is not in git, so CI does not know what was anchored where");
            self.wrong("git", message, format!("git add {lock}"));
        }
        Ok(())
    }
}
