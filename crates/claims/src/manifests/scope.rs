//! The manifests that a command reads, if it names its package or its folder.

use cerberus_markdown::links::normalize_path;

use super::{Facts, Manifests, package_name};
use crate::kinds::task::{Runner, Task, Within};
use crate::paths::{folder_of, is_within};
use crate::snapshot;

/// The manifests that a command reads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Scope<'m> {
    /// Those around the reader, whoever that is.
    Open,
    These(Vec<&'m str>),
    /// Those of a package or a folder that is not there.
    Missing,
}

/// How exactly a manifest is that of the package that a command names, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    Name,
    /// The name without its scope.
    Unscoped,
    /// The name of its folder.
    Folder,
}

impl Manifests {
    /// Returns the manifests that the command of a task reads, for a document in `folder`.
    pub(crate) fn scope(&self, task: &Task, folder: &str) -> Scope<'_> {
        let found = match &task.within {
            Within::Here | Within::Anywhere => return Scope::Open,
            Within::Folder(within) => self.in_folder(task.runner, within, folder),
            Within::Package(name) => self.of_package(task.runner, name),
        };
        if found.is_empty() {
            Scope::Missing
        } else {
            Scope::These(found)
        }
    }

    /// Returns the manifests of a runner in a folder that is named from another one, or from the root.
    fn in_folder(&self, runner: Runner, within: &str, folder: &str) -> Vec<&str> {
        let plain = |path: String| normalize_path(path.trim_start_matches('/'));
        // `/` is the root of the project. The reader is in a folder above the document, or in its own.
        let mut bases = Vec::new();
        if !within.starts_with('/') {
            let mut above = folder;
            while !above.is_empty() {
                bases.push(format!("{above}/{within}"));
                above = folder_of(above);
            }
        }
        bases.push(within.to_owned());
        for base in bases.into_iter().filter_map(plain) {
            let base = base.trim_end_matches('/');
            let is_own = |path: &str| match runner {
                Runner::CargoTarget | Runner::CargoFeature => is_within(path, base),
                _ => is_read_by(runner, path) && folder_of(path) == base,
            };
            let mut found: Vec<&str> = self.paths().filter(|path| is_own(path)).collect();
            if found.is_empty() {
                continue;
            }
            if runner == Runner::Make {
                // A makefile may include others.
                found.extend(self.paths().filter(|path| super::is_included(path)));
            }
            return found;
        }
        Vec::new()
    }

    /// Returns the manifests of a runner in the packages of a name.
    fn of_package(&self, runner: Runner, name: &str) -> Vec<&str> {
        let is_cargo = matches!(runner, Runner::CargoTarget | Runner::CargoFeature);
        let mut best: Option<Match> = None;
        let mut folders: Vec<&str> = Vec::new();
        for (path, facts) in &self.0 {
            let is_own = if is_cargo {
                snapshot::last(path) == "Cargo.toml"
            } else {
                is_read_by(runner, path)
            };
            let Some(found) = package_match(path, facts, name).filter(|_| is_own) else {
                continue;
            };
            if best.is_none_or(|best| found < best) {
                best = Some(found);
                folders.clear();
            }
            if best == Some(found) {
                folders.push(folder_of(path));
            }
        }
        let is_own = |path: &&str| match is_cargo {
            true => folders.iter().any(|folder| is_within(path, folder)),
            false => is_read_by(runner, path) && folders.contains(&folder_of(path)),
        };
        self.paths().filter(is_own).collect()
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns whether one of some manifests defines a task.
    pub(crate) fn is_defined_in(&self, task: &Task, paths: &[&str]) -> bool {
        paths
            .iter()
            .any(|path| self.0.get(*path).is_some_and(|facts| facts.defines(task)))
    }

    /// Returns why a task that was defined is not defined any more.
    pub(crate) fn missing(&self, task: &Task) -> String {
        let Task { name, .. } = task;
        match &task.within {
            _ if task.runner == Runner::Workspace => {
                format!("there is no package `{name}` any more")
            }
            Within::Package(package) if self.of_package(task.runner, package).is_empty() => {
                format!("there is no package `{package}` any more")
            }
            Within::Package(package) => {
                format!("the package `{package}` no longer defines `{name}`")
            }
            Within::Folder(folder) if !matches!(folder.as_str(), "/" | ".") => {
                format!("no manifest in `{folder}` defines `{name}` any more")
            }
            _ => "no manifest defines it any more".to_owned(),
        }
    }
}

/// Returns whether a manifest may be one that a command reads, as far as the manifest alone says.
pub(crate) fn may_be_of(path: &str, facts: &Facts, task: &Task) -> bool {
    match &task.within {
        // The files of the targets of a package do not have its name.
        Within::Package(name)
            if !matches!(task.runner, Runner::CargoTarget | Runner::CargoFeature) =>
        {
            package_match(path, facts, name).is_some()
        }
        _ => true,
    }
}

fn package_match(path: &str, facts: &Facts, name: &str) -> Option<Match> {
    let name = package_name(name);
    let unscoped = format!("/{name}");
    let folder = folder_of(path);
    match () {
        () if facts.packages.contains(&name) => Some(Match::Name),
        () if facts.packages.iter().any(|it| it.ends_with(&unscoped)) => Some(Match::Unscoped),
        () if package_name(snapshot::last(folder)) == name => Some(Match::Folder),
        () => None,
    }
}

/// Returns whether a runner reads manifests of a path's name.
fn is_read_by(runner: Runner, path: &str) -> bool {
    let name = snapshot::last(path).to_ascii_lowercase();
    match runner {
        Runner::Script => name == "package.json",
        Runner::Deno => matches!(name.as_str(), "package.json" | "deno.json" | "deno.jsonc"),
        Runner::Nx => matches!(name.as_str(), "package.json" | "project.json"),
        Runner::Make => matches!(name.as_str(), "makefile" | "gnumakefile"),
        Runner::Just => matches!(name.as_str(), "justfile" | ".justfile"),
        Runner::TaskFile => name.starts_with("taskfile"),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn manifests(files: &[(&str, &str)]) -> Manifests {
        let read = |(path, text): &(&str, &str)| {
            ((*path).to_owned(), Arc::new(super::super::read(path, text)))
        };
        Manifests(files.iter().map(read).collect())
    }

    #[test]
    fn a_command_reads_the_manifest_of_its_package_or_its_folder() {
        let known = manifests(&[
            ("package.json", "{\"name\": \"shop\"}"),
            ("apps/web/package.json", "{\"name\": \"@shop/web\"}"),
            ("samples/web/package.json", "{\"name\": \"sample\"}"),
            ("apps/till/package.json", "{\"name\": \"till-app\"}"),
            ("apps/till/Makefile", "all:\n"),
            ("rules.mk", "lint:\n"),
        ]);
        let check = |runner: Runner, within: Within, folder: &str, expected: &[&str]| {
            let (name, may_be_program) = ("test".to_owned(), false);
            let task = Task {
                runner,
                name,
                may_be_program,
                within,
            };
            let expected = match expected {
                [] => Scope::Missing,
                _ => Scope::These(expected.to_vec()),
            };
            assert_eq!(known.scope(&task, folder), expected, "{task:?} {folder}");
        };
        let package = |name: &str| Within::Package(name.to_owned());
        let folder = |name: &str| Within::Folder(name.to_owned());
        check(
            Runner::Script,
            package("@shop/web"),
            "",
            &["apps/web/package.json"],
        );
        check(
            Runner::Script,
            package("web"),
            "",
            &["apps/web/package.json"],
        );
        check(
            Runner::Script,
            package("till"),
            "",
            &["apps/till/package.json"],
        );
        check(Runner::Script, package("other"), "", &[]);
        check(
            Runner::Script,
            folder("apps/web/"),
            "docs",
            &["apps/web/package.json"],
        );
        check(
            Runner::Script,
            folder("../web"),
            "apps/till",
            &["apps/web/package.json"],
        );
        check(
            Runner::Script,
            folder("../.."),
            "apps/till",
            &["package.json"],
        );
        check(Runner::Script, folder("/"), "apps/till", &["package.json"]);
        check(Runner::Script, folder("lib"), "", &[]);
        check(
            Runner::Make,
            folder("apps/till"),
            "",
            &["apps/till/Makefile", "rules.mk"],
        );
        check(Runner::Make, folder("apps/web"), "", &[]);
    }
}
