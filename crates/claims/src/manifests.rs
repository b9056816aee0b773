//! What the manifests of a project define: tasks, packages, dependencies and versions.

mod cargo;
mod go;
mod make;
mod python;
mod scope;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use cerberus_engine::rank::path_class::PathClass;
use cerberus_engine::tree::git::past::TreeEntry;
use cerberus_engine::tree::read as files;
use cerberus_model::text::conventions::CONVENTIONS;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
pub(crate) use scope::{Scope, may_be_of};
use serde_json::Value;

use super::rules::{self, Rules, Tool};
use super::snapshot;
use crate::kinds::task::{Runner, Task};
use crate::kinds::{self, Kind};
use crate::paths::{folder_of, is_within};

/// The kind of the keys of tables: features, extras, settings.
const KEY: &str = "key";

/// What a manifest defines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) tasks: BTreeSet<(Runner, String)>,
    /// The targets of Make with a `%`.
    patterns: make::Patterns,
    /// Dependencies with their versions; languages are dependencies with lower-case names.
    pub(super) dependencies: BTreeSet<(String, String)>,
    /// The names of its packages.
    pub(super) packages: BTreeSet<String>,
    /// The words of the names of its packages, in lower case.
    pub(super) names: BTreeSet<String>,
    pub(super) rules: Rules,
    /// Runners whose tasks are computed, or are defined in files that are not read, and the rules that do
    /// so.
    pub(super) dynamic: BTreeSet<(Runner, String)>,
    /// Other names, by the name of their kind: the keys of tables, and those that a kind of claim reads in files
    /// of its own.
    others: BTreeMap<&'static str, BTreeSet<String>>,
}

/// The facts of all manifests of a tree, by path.
#[derive(Debug, Default)]
pub(super) struct Manifests(pub(super) BTreeMap<String, Arc<Facts>>);

impl Manifests {
    /// Reads the manifests among the files of a tree, and adds those that cannot be read.
    pub(super) fn read(
        root: &Path,
        entries: &[TreeEntry],
        unread: &mut Vec<(String, String)>,
    ) -> Self {
        let own = entries.par_iter().filter(|entry| is_manifest(&entry.path));
        let read_one = |TreeEntry { path, .. }: &TreeEntry| {
            let (text, failed) = match files::text(root, path) {
                Ok(text) => (text, None),
                Err(error) => (String::new(), files::unread(root, path, &error)),
            };
            ((path.clone(), Arc::new(read(path, &text))), failed)
        };
        let (facts, failed): (Vec<_>, Vec<Option<_>>) = own.map(read_one).unzip();
        unread.extend(failed.into_iter().flatten());
        Self(facts.into_iter().collect())
    }

    /// Returns the manifests that make a claim true: which define a task, or have a dependency.
    pub(super) fn making(&self, kind: &dyn Kind) -> Vec<&str> {
        let mut making = Vec::new();
        for (path, facts) in &self.0 {
            if kind.is_made_by(path, facts) {
                making.push(path.as_str());
            }
        }
        making
    }

    /// Returns whether a manifest is one that a runner reads in `folder`: none of its name is nearer, or both
    /// are in a workspace of Cargo.
    pub(super) fn is_read_in(&self, path: &str, folder: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut near = snapshot::candidates(folder, name);
        near.retain(|near| self.0.contains_key(near));
        let is_workspace = |near: &String| {
            name == "Cargo.toml"
                && self.0[near].has(KEY, "members")
                && is_within(folder_of(path), folder_of(near))
        };
        let is_read = near
            .first()
            .is_none_or(|it| it == path || it == "Cargo.toml");
        is_for(path, folder) && (is_read || near.iter().any(is_workspace))
    }

    /// Returns whether a manifest computes tasks, or names files of tasks that are not read.
    pub(super) fn is_dynamic(&self, runner: Runner) -> bool {
        self.0
            .values()
            .any(|facts| facts.dynamic.iter().any(|(it, _)| *it == runner))
    }

    /// Returns whether a word is in the name of a dependency.
    pub(super) fn has_dependency_named(&self, word: &str) -> bool {
        let word = word.to_ascii_lowercase();
        let mut names = self.0.values().flat_map(|facts| &facts.dependencies);
        names.any(|(name, _)| {
            name.split(|c: char| !c.is_alphanumeric())
                .any(|it| it == word)
        })
    }

    /// Returns whether a configuration takes rules from elsewhere.
    pub(super) fn is_open(&self, tool: Tool) -> bool {
        self.0
            .values()
            .any(|facts| facts.rules.open.contains(&tool))
    }

    /// Returns whether a table of a manifest has a key: a feature, an extra, a setting.
    pub(super) fn has_key(&self, name: &str) -> bool {
        self.0.values().any(|facts| facts.has(KEY, name))
    }

    /// Returns whether the project has a package, or a crate in it a feature, of a name: `lz4 = ["lz4_flex"]`
    /// has that of what `lz4_flex` replaced.
    pub(super) fn defines(&self, name: &str) -> bool {
        let task = (Runner::CargoFeature, name.to_owned());
        let package = package_name(name);
        // A document may leave out the scope: `agent` of `@shop/agent`.
        let scoped = format!("/{package}");
        let is_it = |it: &String| *it == package || it.ends_with(&scoped);
        self.0
            .values()
            .any(|it| it.packages.iter().any(is_it) || it.tasks.contains(&task))
    }

    /// Returns whether a word is in the name of a package of the project.
    pub(super) fn is_named(&self, word: &str) -> bool {
        let word = word.to_ascii_lowercase();
        self.0.values().any(|facts| facts.names.contains(&word))
    }

    /// Returns the manifests with a dependency, with its versions.
    pub(super) fn depending(&self, name: &str) -> Vec<(&str, &str)> {
        let name = package_name(name);
        let mut found = Vec::new();
        for (path, facts) in &self.0 {
            for version in facts.versions_of(&name) {
                found.push((path.as_str(), version));
            }
        }
        found
    }
}

/// Returns the common form of a package's name.
pub(super) fn package_name(name: &str) -> String {
    let lower = name.to_ascii_lowercase().replace('_', "-");
    match lower.as_str() {
        "node.js" | "nodejs" => "node".to_owned(),
        "jdk" => "java".to_owned(),
        _ => lower,
    }
}

/// Returns whether a version requirement has a version that starts with `claimed`.
pub(super) fn has_version(requirement: &str, claimed: &str) -> bool {
    let is_version = |c: char| c.is_ascii_digit() || c == '.';
    let wanted: Vec<&str> = claimed.split('.').collect();
    requirement.split(|c: char| !is_version(c)).any(|version| {
        let parts: Vec<&str> = version.split('.').collect();
        parts.len() >= wanted.len() && parts[..wanted.len()] == wanted
    })
}

/// Returns whether a manifest is for who reads a document in `folder`: it is in that folder or in one
/// around it, or others include it.
pub(super) fn is_for(path: &str, folder: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let is_own = matches!(
        name.as_str(),
        "package.json" | "deno.json" | "makefile" | "gnumakefile" | "justfile" | "taskfile.yml"
    );
    !is_own || is_within(folder, folder_of(path))
}

/// Returns whether makefiles include a file.
fn is_included(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    name.ends_with(".mk") || name.ends_with(".mak") || name.starts_with("makefile.")
}

/// Returns whether a manifest is of another project, or of one that tests use.
pub(super) fn is_foreign(path: &str) -> bool {
    folder_of(path)
        .split('/')
        .any(|it| CONVENTIONS.folders.foreign.contains(it))
}

/// Returns whether a file defines tasks or dependencies of the project.
pub(super) fn is_manifest(path: &str) -> bool {
    (reader(path).is_some() || rules::reader(path).is_some() || kinds::is_manifest(path))
        && PathClass::from_path(path) != PathClass::Vendored
}

type Reader = fn(&str, &str, &mut Facts);

fn reader(path: &str) -> Option<Reader> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    Some(match lower.as_str() {
        "package.json" => package_json,
        "deno.json" | "deno.jsonc" => deno_json,
        "project.json" => project_json,
        "nx.json" => nx_json,
        "makefile" | "gnumakefile" => make::read,
        "justfile" | ".justfile" => justfile,
        "pyproject.toml" => python::pyproject,
        "tox.ini" | "setup.cfg" => python::tox_ini,
        "tox.toml" => python::tox_toml,
        "cargo.toml" => cargo::manifest,
        "go.mod" => go::read,
        ".gitmodules" => submodules,
        ".nvmrc" | ".node-version" | ".python-version" => version_file,
        "rust-toolchain.toml" | "rust-toolchain" => cargo::toolchain,
        _ if path.ends_with(".cargo/config.toml") || path.ends_with(".cargo/config") => {
            cargo::config
        }
        _ if lower.starts_with("taskfile")
            && (lower.ends_with(".yml") || lower.ends_with(".yaml")) =>
        {
            taskfile
        }
        _ if lower.ends_with(".mk") || lower.starts_with("makefile.") => make::read,
        _ if lower.ends_with(".mak") => make::read,
        _ if lower.ends_with(".just") => justfile,
        _ if lower.ends_with("requirements.txt") => python::requirements,
        _ if lower.starts_with("requirements") && lower.ends_with(".txt") => python::requirements,
        _ if path.ends_with(".rs") && cargo::is_target(path) => cargo::target,
        _ => return None,
    })
}

/// Returns what a file defines. An invalid one defines nothing.
pub(super) fn read(path: &str, text: &str) -> Facts {
    let mut facts = Facts::default();
    if let Some(reader) = reader(path) {
        reader(path, text, &mut facts);
    }
    if let Some(reader) = rules::reader(path) {
        facts.rules = reader(text);
    }
    kinds::read_manifest(path, text, &mut facts);
    facts
}

impl Facts {
    /// Returns whether it defines a task.
    pub(super) fn defines(&self, task: &Task) -> bool {
        let has = |runner: Runner| self.tasks.contains(&(runner, task.name.clone()));
        match task.runner {
            // They run scripts, too.
            Runner::Deno | Runner::Nx => has(task.runner) || has(Runner::Script),
            Runner::Make => has(Runner::Make) || make::is_made(&task.name, &self.patterns),
            runner => has(runner),
        }
    }

    /// Returns the versions of a dependency, whose name is in the common form.
    pub(super) fn versions_of<'f>(&'f self, name: &str) -> impl Iterator<Item = &'f str> + use<'f> {
        let start = (name.to_owned(), String::new());
        let name = name.to_owned();
        let versions = self.dependencies.range(start..);
        versions
            .take_while(move |(dependency, _)| *dependency == name)
            .map(|(_, version)| version.as_str())
    }

    /// Adds a name of another kind.
    pub(super) fn define(&mut self, kind: &'static str, name: impl Into<String>) {
        self.others.entry(kind).or_default().insert(name.into());
    }

    /// Returns whether it has a name of another kind.
    pub(super) fn has(&self, kind: &'static str, name: &str) -> bool {
        self.others
            .get(kind)
            .is_some_and(|names| names.contains(name))
    }

    fn task(&mut self, runner: Runner, name: impl Into<String>) {
        self.tasks.insert((runner, name.into()));
    }

    fn add_tasks<'n>(&mut self, runner: Runner, names: impl IntoIterator<Item = &'n str>) {
        names.into_iter().for_each(|name| self.task(runner, name));
    }

    /// Adds a rule that defines tasks whose names are not known.
    fn compute(&mut self, runner: Runner, rule: &str) {
        self.dynamic.insert((runner, rule.to_owned()));
    }

    fn add_name(&mut self, name: &str) {
        self.packages.insert(package_name(name));
        let name = name.to_ascii_lowercase();
        let words = name
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        self.names.extend(words.map(str::to_owned));
    }

    /// Adds the keys of a table and of the tables in it.
    fn add_keys(&mut self, value: &Value) {
        match value {
            Value::Object(table) => table.iter().for_each(|(key, value)| {
                self.define(KEY, key.clone());
                self.add_keys(value);
            }),
            Value::Array(items) => items.iter().for_each(|item| self.add_keys(item)),
            _ => {}
        }
    }

    fn dependency(&mut self, name: &str, version: &str) {
        self.dependencies
            .insert((package_name(name), version.to_owned()));
    }

    /// Adds the dependencies of a table, whose values are versions or tables with one.
    fn add_dependencies(&mut self, value: &Value, path: &str) {
        for (name, value) in table(value, path) {
            let version = value.as_str().or_else(|| string(value, "/version"));
            self.dependency(name, version.unwrap_or_default());
        }
    }

    /// Adds a requirement of Python: `name[extra]>=1.2; marker`.
    fn requirement(&mut self, requirement: &str) {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let requirement = requirement.split(';').next().unwrap_or_default().trim();
        let end = requirement
            .find(|c: char| !is_name(c))
            .unwrap_or(requirement.len());
        let (name, version) = requirement.split_at(end);
        if name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            self.dependency(name, version);
        }
    }
}

fn toml(text: &str) -> Value {
    toml::from_str(text).unwrap_or_default()
}

/// Returns the entries of the table at a JSON pointer.
fn table<'v>(value: &'v Value, path: &str) -> impl Iterator<Item = (&'v str, &'v Value)> {
    let table = value
        .pointer(path)
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    table.map(|(key, value)| (key.as_str(), value))
}

fn keys<'v>(value: &'v Value, path: &str) -> impl Iterator<Item = &'v str> {
    table(value, path).map(|(key, _)| key)
}

fn string<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    value.pointer(path)?.as_str()
}

/// Returns the items of the list at a JSON pointer.
fn list<'v>(value: &'v Value, path: &str) -> impl Iterator<Item = &'v Value> {
    value
        .pointer(path)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn strings<'v>(value: &'v Value, path: &str) -> impl Iterator<Item = &'v str> {
    list(value, path).map(|item| item.as_str().unwrap_or_default())
}

fn package_json(_: &str, text: &str, facts: &mut Facts) {
    let json: Value = serde_json::from_str(text).unwrap_or_default();
    facts.add_keys(&json);
    facts.add_tasks(Runner::Script, keys(&json, "/scripts"));
    if let Some(name) = string(&json, "/name") {
        facts.add_name(name);
        facts.task(Runner::Workspace, name);
    }
    for kind in [
        "/dependencies",
        "/devDependencies",
        "/peerDependencies",
        "/optionalDependencies",
    ] {
        facts.add_dependencies(&json, kind);
    }
    facts.add_dependencies(&json, "/catalog");
    if let Some(node) = string(&json, "/engines/node") {
        facts.dependency("node", node);
    }
}

fn deno_json(_: &str, text: &str, facts: &mut Facts) {
    // Comments are allowed, and a name in one does no harm.
    let json: Value = serde_json::from_str(text).unwrap_or_default();
    facts.add_tasks(Runner::Deno, keys(&json, "/tasks"));
    if json.is_null() {
        facts.compute(Runner::Deno, "");
    }
}

/// The targets of a project of nx.
fn project_json(_: &str, text: &str, facts: &mut Facts) {
    let json: Value = serde_json::from_str(text).unwrap_or_default();
    facts.add_tasks(Runner::Nx, keys(&json, "/targets"));
    if let Some(name) = string(&json, "/name") {
        facts.packages.insert(package_name(name));
    }
}

/// The plugins of nx define targets by the files of a project.
fn nx_json(_: &str, text: &str, facts: &mut Facts) {
    let json: Value = serde_json::from_str(text).unwrap_or_default();
    for plugin in list(&json, "/plugins") {
        facts.compute(Runner::Nx, &plugin.to_string());
    }
}

fn justfile(_: &str, text: &str, facts: &mut Facts) {
    for line in text.lines() {
        if line.starts_with([' ', '\t', '#', '[']) {
            continue;
        }
        if let Some(alias) = line.strip_prefix("alias ") {
            facts.task(
                Runner::Just,
                alias.split(":=").next().unwrap_or_default().trim(),
            );
        } else if let Some(module) = line.strip_prefix("mod ") {
            facts.task(
                Runner::Just,
                module
                    .trim_start_matches("? ")
                    .split([' ', '\''])
                    .next()
                    .unwrap_or_default(),
            );
        } else if let Some((head, rest)) = line.split_once(':')
            && !rest.starts_with('=')
        {
            let name = head.trim_start_matches('@').split_whitespace().next();
            facts.task(Runner::Just, name.unwrap_or_default());
        }
    }
}

fn taskfile(_: &str, text: &str, facts: &mut Facts) {
    let yaml: Value = serde_saphyr::from_str(text).unwrap_or_default();
    // The tasks of an included file have its name as a prefix.
    if yaml.get("includes").is_some_and(Value::is_object) || yaml.is_null() {
        facts.compute(Runner::TaskFile, &yaml["includes"].to_string());
    }
    for (name, task) in table(&yaml, "/tasks") {
        facts.task(Runner::TaskFile, name);
        facts.add_tasks(Runner::TaskFile, strings(task, "/aliases"));
        if name.contains('*') {
            facts.compute(Runner::TaskFile, name);
        }
    }
}

/// A submodule is a dependency with the name of its repository.
fn submodules(_: &str, text: &str, facts: &mut Facts) {
    for (key, url) in text.lines().filter_map(|line| line.split_once('=')) {
        let url = url.trim().trim_end_matches('/').trim_end_matches(".git");
        let name = url.rsplit(['/', ':']).next();
        if let (true, Some(name)) = (key.trim() == "url", name) {
            facts.dependency(name, "");
        }
    }
}

fn version_file(path: &str, text: &str, facts: &mut Facts) {
    let name = if path.ends_with(".python-version") {
        "python"
    } else {
        "node"
    };
    facts.dependency(name, text.lines().next().unwrap_or_default().trim());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_extras_and_settings_are_keys() {
        for (path, text, key) in [
            (
                "Cargo.toml",
                "[features]\ntransport-io = []\n",
                "transport-io",
            ),
            (
                "pyproject.toml",
                "[project.optional-dependencies]\nfast-io = []\n",
                "fast-io",
            ),
            ("package.json", "{\"lint-staged\": {}}", "lint-staged"),
        ] {
            assert!(read(path, text).has(KEY, key), "{path}");
        }
    }

    #[test]
    fn environments_of_hatch_have_dependencies() {
        let toml = "[tool.hatch.envs.docs]\nextra-dependencies = [\"reno>=4\"]\n";
        let found = read("pyproject.toml", toml).dependencies;
        assert!(
            found.contains(&("reno".to_owned(), ">=4".to_owned())),
            "{found:?}"
        );
    }
}
