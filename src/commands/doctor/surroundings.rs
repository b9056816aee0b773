//! Checks of the source files, the store and git.

use std::collections::BTreeSet;

use anyhow::Result;

use crate::bank::LOCKFILE;
use crate::store::inspect::{self, Status};
use crate::text::plural;
use crate::tree::git::{self, GitStatus};
use crate::tree::walk;

use super::{Doctor, listed, shown};

impl Doctor<'_> {
    /// Checks that there are source files to find examples in.
    pub(super) fn code(&mut self) {
        let project = self.project;
        let walked = walk::walk(&project.root, &project.exclude).and_then(|listing| {
            let is_hidden = listing.entries.is_empty()
                && !project.exclude.is_empty()
                && !walk::walk(&project.root, &[])?.entries.is_empty();
            Ok((listing, is_hidden))
        });
        let (listing, is_hidden) = match walked {
            Ok(walked) => walked,
            Err(error) => return self.failed("code", &error),
        };
        self.checks.push(plural(listing.entries.len(), "source file"));
        for warning in listing.warnings {
            self.info("code", warning, "check that it is readable");
        }
        if is_hidden {
            let message = "`exclude` matches every source file, so rules cannot have examples";
            self.error("code", message, "narrow `exclude` under `[anchor]` in `cerberus.toml`");
        } else if listing.entries.is_empty() {
            let message = "no Python, Go, JavaScript, TypeScript, Rust or Java files found, so rules cannot have examples";
            self.info(
                "code",
                message,
                "pass the folder of the project: cerberus doctor --project DIR",
            );
        }
    }

    /// Checks the store without changing it.
    pub(super) fn store(&mut self) {
        self.checks.push("store".to_owned());
        let path = shown(self.project, &self.project.store.path);
        let inspected = match inspect::inspect(&self.project.store) {
            Ok(inspected) => inspected,
            Err(error) => return self.failed("store", &error),
        };
        match inspected.status {
            Status::Missing | Status::Ok | Status::Older => {}
            Status::Newer(found, known) => {
                let message = format!(
                    "`{path}` was written by a newer cerberus (schema {found}, supported: {known})"
                );
                self.error(
                    "store",
                    message,
                    format!("upgrade cerberus, or delete it to rebuild it: rm {path}"),
                );
            }
            Status::Foreign => {
                let message = format!(
                    "`{path}` was not made by this user for this folder; the next command saves \
                     it as `{path}.foreign` and rebuilds it"
                );
                self.info("store", message, "cerberus index");
            }
            Status::Corrupt(why) => {
                let message = format!("`{path}` is corrupt: {why}");
                self.error(
                    "store",
                    message,
                    "rebuild it; the corrupt file is kept: cerberus index --full",
                );
            }
        }
        if let Some(why) = inspected.unwritable {
            let message =
                format!("`{path}` is not writable, so every command indexes the code again: {why}");
            self.error("store", message, format!("chmod u+w {path}"));
        }
        if !inspected.backups.is_empty() {
            let paths: Vec<String> =
                inspected.backups.iter().map(|path| shown(self.project, path)).collect();
            let n = plural(paths.len(), "backup");
            let message = format!("{n} of replaced stores: {}", listed(&paths));
            self.info("store", message, format!("rm {}", paths.join(" ")));
        }
    }

    /// Checks the git repository and how it treats the bank.
    pub(super) fn git(&mut self) {
        self.checks.push("git".to_owned());
        let root = &self.project.root;
        match git::status(root) {
            GitStatus::NoGit => {
                let message = "`git` not found, so renames, recency and `--diff` are unavailable";
                self.info("git", message, "install git");
            }
            GitStatus::NoRepository => {
                let message = "this is not a git repository, so memories have no history";
                self.info("git", message, "git init");
            }
            GitStatus::Refused(why) => {
                let next = format!("git config --global --add safe.directory {}", root.display());
                let next =
                    if why.contains("dubious ownership") { next } else { "git status".to_owned() };
                self.error("git", format!("git refuses to read the repository: {why}"), next);
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
            let message = "this clone is shallow, so the dates of older changes are unknown";
            self.info("git", message, "git fetch --unshallow");
        } else if !unknown.is_empty() {
            let n = plural(unknown.len(), "commit");
            let message =
                format!("`{LOCKFILE}` refers to {n} missing in this clone: {}", listed(&unknown));
            self.info("git", message, "fetch the missing commits: git fetch --all");
        }
        let folder = bank.folder();
        if !bank.exists() || !folder.starts_with(root) {
            return Ok(());
        }
        let path = shown(project, folder);
        let shared = [folder.join("a.md"), bank.lockfile(), bank.pin_file()];
        let shared: Vec<&std::path::Path> =
            shared.iter().map(std::path::PathBuf::as_path).collect();
        let ignored = git::ignored(root, &shared);
        if ignored.len() == shared.len() {
            let message =
                format!("git ignores `{path}`, so other clones do not get these memories");
            self.error(
                "git",
                message,
                format!("remove the pattern printed by: git check-ignore -v {path}/a.md"),
            );
        } else if let Some(first) = ignored.first() {
            let first = shown(project, std::path::Path::new(first));
            let message = format!("git ignores `{first}`, so other clones and CI do not get it");
            self.error(
                "git",
                message,
                format!("remove the pattern printed by: git check-ignore -v {first}"),
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
                    "git tracks `{}`, which is generated",
                    shown(project, &folder.join(name))
                );
                let next = format!("git rm -r --cached {}", shown(project, &folder.join(name)));
                self.error("git", message, next);
            } else if is_there && git::ignored(root, &[*path]).is_empty() {
                let ignores = shown(project, &folder.join(".gitignore"));
                let message =
                    format!("git does not ignore `{}`", shown(project, &folder.join(name)));
                self.error("git", message, format!("echo {name} >> {ignores}"));
            }
        }
        Ok(())
    }

    /// Checks that git tracks the bank.
    fn committed(&mut self, path: &str) -> Result<()> {
        let (root, bank) = (&self.project.root, &self.project.bank);
        let (files, _) = bank.list_own()?;
        if files.is_empty() {
            return Ok(());
        }
        let lock = bank.lockfile();
        if !git::is_tracked(root, bank.folder()) {
            let n = plural(files.len(), "memory");
            let settings = root.join("cerberus.toml");
            let is_new = settings.exists() && !git::is_tracked(root, &settings);
            let settings = if is_new { " cerberus.toml" } else { "" };
            self.info(
                "git",
                format!("{n} not tracked by git yet"),
                format!("git add {path}{settings}"),
            );
        } else if lock.exists() && !git::is_tracked(root, &lock) {
            let lock = shown(self.project, &lock);
            let message =
                format!("`{lock}` is not tracked by git, so CI does not have the anchors");
            self.error("git", message, format!("git add {lock}"));
        }
        Ok(())
    }
}
