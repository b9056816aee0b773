//! Whether a claim was true in the tree of an old commit.
//!
//! A claim that fails now can only have been true there because of a file that differs from now. So
//! an old tree is the list of these, and only their versions are read: once each, for all claims and
//! commits together.

use std::sync::Arc;

use cerberus_engine::syntax::language;
use cerberus_engine::tree::git::past::{Differences, TreeEntry};
use cerberus_engine::tree::git::{IgnoredPath, Objects};
use cerberus_model::text;
use rustc_hash::{FxHashMap, FxHashSet};

use super::manifests::{self, Facts, Manifests};
use super::meant::{is_certain, is_compound, is_in_sample, is_related};
use super::moved;
use super::now::Now;
use super::snapshot::{self, Found, Snapshot};
use super::versions::{Version, Versions};
use super::words::{self, Words};
use crate::parse::{Claim, Part, Place, Target};
use crate::{Document, folder_of, is_within};

mod reading;
mod tasks;

/// Maximum number of versions of files with a name that are searched for its definition.
const MAX_SEARCHED: usize = 200;

/// A name of more files and folders says little about what a document means.
const MAX_NAMESAKES: usize = 3;

/// Maximum number of definitions of a name that are followed.
pub(super) const MAX_DEFINITIONS: usize = 8;

/// What made a claim true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Truth {
    /// The paths that it named.
    Paths(Vec<String>),
    /// The part that it named, and the file.
    Part(String, Part),
    /// The files that define the name.
    Definitions(Vec<String>),
    /// Files of code with the word.
    Word(Vec<String>),
    /// Manifests.
    Manifests(Vec<String>),
}

impl Truth {
    /// Returns the first file, or the path.
    pub(super) fn file(&self) -> &str {
        match self {
            Self::Part(file, _) => file,
            Self::Paths(files)
            | Self::Definitions(files)
            | Self::Word(files)
            | Self::Manifests(files) => files.first().map_or("", String::as_str),
        }
    }
}

/// An old version of a file: its path and its object.
type FileVersion = (String, String);

/// Reads old trees.
pub(super) struct Past<'p, 'o> {
    pub(super) objects: &'p mut Objects<'o>,
    now: &'p Now,
    words: &'p Words,
    /// The words of each version of a file of code.
    found: FxHashMap<String, Vec<usize>>,
    facts: FxHashMap<FileVersion, Arc<Facts>>,
    versions: Versions,
    /// The objects that the clone lacks or git cannot read, of those that were looked for.
    missing: FxHashSet<String>,
}

/// A document with a claim, and its path in an old tree.
#[derive(Clone, Copy)]
pub(super) struct Writer<'d> {
    pub(super) document: &'d Document,
    pub(super) claim: &'d Claim,
    pub(super) old_path: &'d str,
    /// Whether that is another document, from which the text moved.
    pub(super) has_moved: bool,
}

impl Writer<'_> {
    fn folder(&self) -> &str {
        folder_of(self.old_path)
    }

    /// Returns whether the text moved from a folder that is neither around nor inside that of the document:
    /// what it said of its own folder was said of another part of the project.
    fn is_from_elsewhere(&self) -> bool {
        self.has_moved && !is_related(self.folder(), folder_of(&self.document.path))
    }

    /// Returns the folder that a command of the text is read in.
    fn reader_folder(&self) -> &str {
        if self.is_from_elsewhere() {
            folder_of(&self.document.path)
        } else {
            self.folder()
        }
    }
}

/// What is compared with an old tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Needs {
    pub(super) paths: bool,
    pub(super) code: bool,
    pub(super) manifests: bool,
}

impl Needs {
    pub(super) fn of(target: &Target) -> Self {
        Self {
            paths: match target {
                Target::Path { .. } => true,
                // A module.
                Target::Symbol { parts, .. } => parts.len() > 1,
                _ => false,
            },
            code: matches!(target, Target::Symbol { .. } | Target::Variable(_)),
            manifests: !matches!(target, Target::Path { .. } | Target::Symbol { .. }),
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self {
            paths: self.paths || other.paths,
            code: self.code || other.code,
            manifests: self.manifests || other.manifests,
        }
    }
}

/// The files of an old commit that differ from now.
pub(super) struct OldTree {
    pub(super) needs: Needs,
    /// Sorted by path. Only manifests, if nothing else is needed.
    entries: Vec<Arc<TreeEntry>>,
    /// The documents among the files that differ.
    pub(super) documents: Vec<Arc<TreeEntry>>,
    /// The files that now has no longer.
    removed: Snapshot,
    /// The paths that now has and the commit lacked.
    added: FxHashSet<Arc<str>>,
    manifests: Option<Manifests>,
    /// With those that are as now.
    all_manifests: Option<Arc<Manifests>>,
    /// The entries with each word.
    entries_with: Option<FxHashMap<usize, Vec<usize>>>,
    /// The folders that trees of documents draw, by document and start.
    tree_bases: FxHashMap<(String, usize), Option<String>>,
}

impl OldTree {
    /// `unsaved` are the files of HEAD that the index or the working tree lacks or has in another
    /// version.
    pub(super) fn new(
        differences: &Differences,
        unsaved: &[Arc<TreeEntry>],
        now: &Now,
        needs: Needs,
    ) -> Self {
        let has_all = needs.paths || needs.code;
        let mut removed = Vec::new();
        let mut is_wanted = |entry: &&Arc<TreeEntry>| {
            if !has_all && !manifests::is_manifest(&entry.path) {
                return false;
            }
            if needs.paths && now.tree.entry(&entry.path).is_none() {
                removed.push(TreeEntry::clone(entry));
            }
            !now.has_version(entry)
        };
        let unsaved = unsaved
            .iter()
            .filter(|it| !differences.contains_key(it.path.as_str()));
        let own = differences.values().flatten().chain(unsaved);
        let is_document = |entry: &&Arc<TreeEntry>| moved::is_document(&entry.path);
        let documents = own.clone().filter(is_document).cloned().collect();
        let mut entries: Vec<Arc<TreeEntry>> = own.filter(&mut is_wanted).cloned().collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let is_needed = |path: &str| needs.paths || manifests::is_manifest(path);
        let added = differences
            .iter()
            .filter(|(path, it)| it.is_none() && is_needed(path));
        let added = added.map(|(path, _)| path.clone()).collect();
        let removed = Snapshot::new(removed);
        let (manifests, all_manifests, entries_with, tree_bases) = Default::default();
        Self {
            needs,
            entries,
            documents,
            removed,
            added,
            manifests,
            all_manifests,
            entries_with,
            tree_bases,
        }
    }

    fn contains(&self, now: &Snapshot, path: &str) -> bool {
        self.removed.contains(path) || (now.contains(path) && !self.added.contains(path))
    }

    /// Returns the folder that the tree around a claim drew.
    fn tree_base(&mut self, now: &Snapshot, writer: Writer<'_>) -> Option<String> {
        let claims = &writer.document.claims;
        let tree = claims.tree(writer.claim)?;
        let key = (writer.document.path.clone(), tree.span.start);
        if let Some(base) = self.tree_bases.get(&key) {
            return base.clone();
        }
        let paths = claims.paths_of(tree);
        let paths = (tree.root.as_deref(), paths.as_slice());
        let contains = |path: &str| self.contains(now, path);
        let place = (writer.folder(), writer.document.text.as_str());
        let base = snapshot::tree_base(place, paths, &[&self.removed, now], &contains);
        self.tree_bases.insert(key, base.clone());
        base
    }

    fn entry(&self, path: &str) -> Option<&TreeEntry> {
        let idx = self
            .entries
            .binary_search_by(|entry| entry.path.as_str().cmp(path))
            .ok()?;
        Some(&self.entries[idx])
    }
}

impl<'p, 'o> Past<'p, 'o> {
    pub(super) fn new(objects: &'p mut Objects<'o>, now: &'p Now, words: &'p Words) -> Self {
        let (found, facts, versions, missing) = Default::default();
        Self {
            objects,
            now,
            words,
            found,
            facts,
            versions,
            missing,
        }
    }

    /// Returns whether a file of an old tree that a claim may be about cannot be read.
    pub(super) fn lacks(&self, old: &OldTree, target: &Target) -> bool {
        if self.missing.is_empty() {
            return false;
        }
        let needs = Needs::of(target);
        let has_part = matches!(target, Target::Path { part: Some(_), .. });
        let is_needed = |entry: &TreeEntry| {
            has_part
                || needs.code && words::is_code(entry)
                || needs.manifests && manifests::is_manifest(&entry.path)
        };
        old.entries
            .iter()
            .any(|entry| is_needed(entry) && self.missing.contains(&entry.object))
    }

    /// Returns whether the ignore file of a path had its pattern in a commit.
    pub(super) fn was_ignored(&mut self, ignored: &IgnoredPath, commit: &str) -> bool {
        let bytes = self.objects.read(&format!("{commit}:./{}", ignored.source));
        bytes.is_some_and(|bytes| {
            let text = text::decode(&bytes).0;
            text.lines().any(|line| line.trim_end() == ignored.pattern)
        })
    }

    /// Returns what made a claim true in an old tree, if it was. One that holds perhaps was true if
    /// it was so in a way that ended.
    pub(super) fn truth(
        &mut self,
        old: &mut OldTree,
        writer: Writer<'_>,
        is_doubtful: bool,
    ) -> Option<Truth> {
        let target = &writer.claim.target;
        match target {
            Target::Path { path, .. } if is_doubtful => self.exact(old, writer, path),
            Target::Path { path, part, .. } => self.path(old, writer, path, part.as_ref()),
            Target::Symbol { parts, .. } => self.symbol(old, writer, parts),
            Target::Variable(name) => self.variable(old, name),
            Target::Task(_) | Target::Package(_) | Target::Rule { .. } | Target::Version { .. } => {
                if let Target::Task(task) = target {
                    if self.has_new_rules(old, task) {
                        return None;
                    }
                    if matches!(task.place, Place::Folder(_) | Place::Package(_)) {
                        return self.named_task(old, writer, task);
                    }
                }
                let made_now = self.now.manifests.making(target);
                let folder = writer.reader_folder();
                let is_from_elsewhere = writer.is_from_elsewhere();
                // A sentence may link any project, and a name of one word may be any word: they are
                // dependencies where the document is about the package that has them.
                let before = writer.document.text[..writer.claim.span.start].trim_end_matches('`');
                let is_meant = |name: &str, package: &str| match before.ends_with('[') {
                    true if folder.is_empty() => package.is_empty(),
                    is_link => {
                        let is_any = is_compound(name) && !is_link && !is_from_elsewhere;
                        is_any || is_related(folder, package)
                    }
                };
                let is_certain = |path: &&str| match target {
                    // It makes it true still.
                    _ if made_now.contains(path) => false,
                    Target::Task(_) if is_from_elsewhere => manifests::is_for(path, folder),
                    Target::Task(_) => made_now.is_empty() || manifests::is_for(path, folder),
                    Target::Package(name) => {
                        // A submodule that went does not say that its project is not used.
                        !manifests::is_foreign(path)
                            && snapshot::last(path) != ".gitmodules"
                            && is_meant(name, folder_of(path))
                    }
                    Target::Version { .. } => is_related(folder, folder_of(path)),
                    _ => true,
                };
                let found = self
                    .manifests(old)
                    .making(target)
                    .into_iter()
                    .filter(is_certain);
                let found: Vec<String> = found.map(str::to_owned).collect();
                (!found.is_empty()).then_some(Truth::Manifests(found))
            }
        }
    }

    /// Returns the path that a document named exactly, if it is gone, and was not moved together with the
    /// document.
    fn exact(&self, old: &OldTree, writer: Writer<'_>, path: &str) -> Option<Truth> {
        let is_link = matches!(writer.claim.target, Target::Path { is_link: true, .. });
        let folder = folder_of(&writer.document.path);
        let moved = || {
            self.now
                .tree
                .exact(&snapshot::readings(folder, path, is_link))
        };
        if folder != writer.folder() && moved().is_some() {
            return None;
        }
        let readings = snapshot::readings(writer.folder(), path, is_link);
        let is_there = |path: &&String| old.contains(&self.now.tree, path);
        let found = match readings.iter().find(is_there) {
            Some(found) => found.clone(),
            None => old.removed.exact(&readings)?,
        };
        (!self.now.tree.contains(&found)).then(|| Truth::Paths(vec![found]))
    }

    fn variable(&mut self, old: &mut OldTree, name: &str) -> Option<Truth> {
        let word = self.words.idx(name)?;
        let entries = self.entries_with(old, word);
        let prefix = name.split('_').next()?;
        let is_own = self.now.manifests.is_named(prefix) || self.manifests(old).is_named(prefix);
        let is_of_program = words::is_of_program(name, prefix);
        let is_foreign = is_of_program
            || !words::UNSPECIFIC.entries().contains(&prefix)
                && self.now.manifests.has_dependency_named(prefix);
        let mut found = Vec::new();
        for idx in entries.into_iter().take(MAX_SEARCHED) {
            let path = &old.entries[idx].path;
            let Some(version) = self.version(&old.entries[idx]) else {
                continue;
            };
            let is_code = || language::from_path(path).is_some();
            // A variable of another program, such as a token, may be in use elsewhere.
            if (is_own && version.uses(name))
                || (!is_foreign && words::is_setting(path, &version.text, name))
                || (((!is_of_program && words::is_script(path)) || is_code())
                    && version.defines(name))
            {
                found.push(path.clone());
            }
        }
        (!found.is_empty()).then_some(Truth::Word(found))
    }

    fn path(
        &mut self,
        old: &mut OldTree,
        writer: Writer<'_>,
        path: &str,
        part: Option<&Part>,
    ) -> Option<Truth> {
        let Writer {
            document, old_path, ..
        } = writer;
        // A tree whose folder is not known is one of the reader's project.
        if document.claims.tree(writer.claim).is_some() {
            let found = snapshot::joined(&old.tree_base(&self.now.tree, writer)?, path);
            let is_gone = old.removed.contains(&found) && !self.now.tree.contains(&found);
            return is_gone.then(|| Truth::Paths(vec![found]));
        }
        if let Some(part) = part {
            let files = if path.is_empty() {
                // This document never had the part of the other one.
                if writer.has_moved {
                    return None;
                }
                vec![old_path.to_owned()]
            } else {
                self.now
                    .tree
                    .resolve(folder_of(&document.path), path)
                    .paths()
                    .to_vec()
            };
            // The file exists, without the part.
            if !files.is_empty() {
                let file = files
                    .into_iter()
                    .find(|file| self.has_part(old, file, part))?;
                return Some(Truth::Part(file, part.clone()));
            }
        }
        let folder = writer.folder();
        let is_meant = |found: &String| {
            // From the root, it is the same place for both. The end of a path is one of their own.
            let is_own = writer.is_from_elsewhere()
                && (is_within(found, folder)
                    || found != path.trim_start_matches("./").trim_end_matches('/'));
            !is_own && !is_in_sample(old_path, &document.text, path, found)
        };
        match old.removed.resolve(folder, path) {
            Found::One(found) if !is_certain(old_path, path, &found) => None,
            Found::One(found) => is_meant(&found).then(|| Truth::Paths(vec![found])),
            // A bare name of several files is not a certain one.
            Found::Several(mut paths) if path.trim_start_matches("./").contains(['/', '*']) => {
                paths.retain(is_meant);
                (!paths.is_empty()).then_some(Truth::Paths(paths))
            }
            // The document was moved, and its target was not.
            Found::No if folder != folder_of(&document.path) && path.contains('/') => {
                let mut bases = snapshot::candidates(folder, path).into_iter();
                let now = &self.now.tree;
                let found =
                    bases.find(|it| now.contains(it) && !old.added.contains(it.as_str()))?;
                Some(Truth::Paths(vec![found]))
            }
            Found::Several(_) | Found::No | Found::Elsewhere => None,
        }
    }

    fn has_part(&mut self, old: &OldTree, file: &str, part: &Part) -> bool {
        let version = old.entry(file).and_then(|entry| self.version(entry));
        version.is_some_and(|version| version.has_part(part))
    }

    fn version(&mut self, entry: &TreeEntry) -> Option<Arc<Version>> {
        let (objects, missing) = (&mut *self.objects, &mut self.missing);
        self.versions.get(&entry.path, &entry.object, || {
            let found = objects.find(&entry.object);
            if found.is_none() {
                missing.insert(entry.object.clone());
            }
            found?.bytes
        })
    }

    fn symbol(&mut self, old: &mut OldTree, writer: Writer<'_>, parts: &[String]) -> Option<Truth> {
        if parts.len() > 1 {
            let found = old.removed.resolve(writer.folder(), &parts.join("/"));
            if let Found::One(path) = found {
                return Some(Truth::Paths(vec![path]));
            }
        }
        let mut entries = self.entries_with(old, self.words.idx(parts.last()?)?);
        if let [.., qualifier, _] = parts {
            // Only a file with both words, or in a folder of that name, can define it.
            let word = self.words.idx(qualifier);
            let with_word: FxHashSet<usize> = word
                .map(|word| self.entries_with(old, word))
                .into_iter()
                .flatten()
                .collect();
            let is_in = |idx: usize| old.entries[idx].path.replace('-', "_").contains(qualifier);
            entries.retain(|&idx| with_word.contains(&idx) || is_in(idx));
        }
        let mut found = Vec::new();
        let mut is_declared = parts.len() > 1;
        for &idx in entries.iter().take(MAX_SEARCHED) {
            let entry = &old.entries[idx];
            if let Some(version) = self.version(entry).filter(|version| version.has(parts)) {
                found.push(entry.path.clone());
                is_declared = is_declared || version.declares(&parts[0]);
            }
            if found.len() == MAX_DEFINITIONS {
                break;
            }
        }
        // Anybody may have a field or a variable of that name.
        let mut files = entries.iter().map(|&idx| old.entries[idx].path.as_str());
        let is_meant = is_declared || files.any(|file| self.is_about(writer, file));
        (is_meant && !found.is_empty()).then_some(Truth::Definitions(found))
    }

    /// Returns whether a document is about a file: it is in a folder around it, it names the file or the
    /// last folders of its path, or both are in folders with a name that few have.
    fn is_about(&self, writer: Writer<'_>, file: &str) -> bool {
        let is_rare = |name: &str| self.now.tree.n_named(name) <= MAX_NAMESAKES;
        let (folder, document) = (writer.folder(), writer.document);
        if !folder.is_empty() && is_within(file, folder) {
            return true;
        }
        let name = file.rsplit('/').next().unwrap_or(file);
        let stem = name.split('.').next().unwrap_or(name);
        // A name of one word may be any word of the text.
        let is_named = |word: &str| words::has_word(&document.text, word);
        if is_rare(stem) && is_named(if is_compound(stem) { stem } else { name }) {
            return true;
        }
        let outer = folder_of(folder_of(folder_of(file)));
        let end = folder_of(file)[outer.len()..].trim_start_matches('/');
        if end.contains('/') && document.text.contains(end) {
            return true;
        }
        let mut shared = folder_of(file)
            .split('/')
            .filter(|part| folder.split('/').any(|it| it == *part));
        shared.any(is_rare)
    }

    /// Returns the entries with a word.
    fn entries_with(&mut self, old: &mut OldTree, word: usize) -> Vec<usize> {
        let entries_with = old.entries_with.get_or_insert_with(|| {
            let mut entries_with: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
            for (idx, entry) in old.entries.iter().enumerate() {
                for word in self.found.get(&entry.object).into_iter().flatten() {
                    // A file that is not code may have the content of one that is.
                    if words::is_code(entry) {
                        entries_with.entry(*word).or_default().push(idx);
                    }
                }
            }
            entries_with
        });
        entries_with.get(&word).cloned().unwrap_or_default()
    }
}
