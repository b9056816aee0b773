//! Checks of the source files, the store and git.

use std::path::Path;

use anyhow::Result;
use cerberus_engine::tree::git::GitStatus;
use cerberus_engine::tree::{git, walk};
use cerberus_model::text::plural;

use super::{Doctor, shown};

impl Doctor<'_> {
    /// Checks that there are source files to find examples in.
    pub(super) fn code(&mut self) -> Result<()> {
        let project = self.project;
        let mut listing = walk::walk(&project.root, &project.exclude)?;
        let is_hidden = listing.entries.is_empty()
            && !project.exclude.is_empty()
            && !walk::walk(&project.root, &[])?.entries.is_empty();
        self.checks
            .push(plural(listing.entries.len(), "source file"));
        let lack_warning = listing.lack_warning();
        let is_lacking = lack_warning.is_some();
        if let Some(warning) = lack_warning {
            let next = "install a release, which has all languages, or build with `--features all-languages`";
            self.info(warning, next);
        }
        // Another check is about git.
        listing.failure = None;
        for warning in listing.all_warnings() {
            self.info(warning, "check that it is readable");
        }
        if is_hidden {
            let message = "`exclude` matches every source file, so rules cannot have examples";
            self.error(
                message,
                "narrow `exclude` under `[anchor]` in `cerberus.toml`",
            );
        } else if listing.entries.is_empty() && !is_lacking {
            let message = "no Python, Go, JavaScript, TypeScript, Rust or Java files found, so rules cannot have examples";
            self.info(
                message,
                "pass the folder of the project: cerberus doctor --project DIR",
            );
        }
        Ok(())
    }

    /// Checks the git repository and how it treats the bank.
    pub(super) fn git(&mut self) -> Result<()> {
        self.checks.push("git".to_owned());
        let root = &self.project.root;
        match git::status(root) {
            GitStatus::NoGit => {
                let message = "`git` not found, so renames, recency and `--diff` are unavailable";
                self.info(message, "install git");
            }
            GitStatus::NoRepository => {
                let message = "this is not a git repository, so memories have no history";
                self.info(message, "git init");
            }
            GitStatus::Refused(why) => {
                let next = match why.contains("dubious ownership") {
                    true => format!(
                        "git config --global --add safe.directory {}",
                        root.display()
                    ),
                    false => "git status".to_owned(),
                };
                self.error(format!("git refuses to read the repository: {why}"), next);
            }
            GitStatus::Repository { is_shallow } => self.repository(is_shallow)?,
        }
        Ok(())
    }

    fn repository(&mut self, is_shallow: bool) -> Result<()> {
        let project = self.project;
        let bank = &self.project.bank;
        let root = &project.root;
        if is_shallow {
            let message = "this clone is shallow, so the dates of older changes are unknown";
            self.info(message, "git fetch --unshallow");
        }
        let folder = bank.folder();
        if !bank.exists() || !folder.starts_with(root) {
            return Ok(());
        }
        let path = shown(project, folder);
        let memory = folder.join("a.md");
        let lock = bank.lockfile();
        let pins = bank.pin_file();
        let shared: [&Path; 3] = [&memory, &lock, &pins];
        let ignored = git::ignored(root, &shared);
        let next =
            |path: &str| format!("remove the pattern printed by: git check-ignore -v {path}");
        match ignored.first() {
            None => self.committed(&path)?,
            Some(_) if ignored.len() == shared.len() => {
                let message =
                    format!("git ignores `{path}`, so other clones do not get these memories");
                self.error(message, next(&format!("{path}/a.md")));
            }
            Some(first) => {
                let first = shown(project, Path::new(&first.path));
                let message =
                    format!("git ignores `{first}`, so other clones and CI do not get it");
                self.error(message, next(&first));
            }
        }
        for (name, file) in [("indices/", "cerberus.db"), (".trash/", "a.md")] {
            let generated = folder.join(name);
            let path = shown(project, &folder.join(name));
            if git::is_tracked(root, &generated) {
                let message = format!("git tracks `{path}`, which is generated");
                self.error(message, format!("git rm -r --cached {path}"));
            } else if generated.exists() && git::ignored(root, &[&generated.join(file)]).is_empty()
            {
                let ignores = shown(project, &folder.join(".gitignore"));
                let message = format!("git does not ignore `{path}`");
                self.error(message, format!("echo {name} >> {ignores}"));
            }
        }
        Ok(())
    }

    /// Checks that git tracks the bank.
    fn committed(&mut self, path: &str) -> Result<()> {
        let root = &self.project.root;
        let bank = &self.project.bank;
        let (files, _) = bank.list()?;
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
                format!("{n} not tracked by git yet"),
                format!("git add {path}{settings}"),
            );
        } else if lock.exists() && !git::is_tracked(root, &lock) {
            let lock = shown(self.project, &lock);
            let message =
                format!("`{lock}` is not tracked by git, so CI does not have the anchors");
            self.error(message, format!("git add {lock}"));
        }
        Ok(())
    }
}
