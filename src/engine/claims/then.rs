//! Whether a claim was true in the tree of an old commit.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::markdown::claims::{self, Part, Target};
use crate::text;
use crate::tree::git::Objects;
use crate::tree::git::past::TreeEntry;

use super::manifests::{self, Facts, Manifests};
use super::snapshot::{Found, Snapshot};
use super::words::{self, Definition, Words};
use super::{folder_of, is_version_claim_true};

/// Maximum number of bytes of old versions of code that are read.
const MAX_READ: usize = 512 * 1024 * 1024;

/// Maximum number of versions of files with a name that are searched for its definition.
const MAX_SEARCHED: usize = 200;

/// What made a claim true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Truth {
    /// The paths that it named.
    Paths(Vec<String>),
    /// The part that it named, and the file.
    Part(String, Part),
    Definitions(Vec<Definition>),
    /// Files of code with the word.
    Word(Vec<String>),
    /// Manifests.
    Manifests(Vec<String>),
}

/// Reads old trees.
pub(super) struct Past<'p, 'o> {
    pub(super) objects: &'p mut Objects<'o>,
    pub(super) now: &'p Snapshot,
    pub(super) words: &'p Words,
    /// The words of each version of a file of code.
    found: FxHashMap<String, Vec<usize>>,
    facts: FxHashMap<(String, String), Facts>,
    n_read: usize,
}

/// The tree of an old commit.
pub(super) struct OldTree {
    pub(super) tree: Snapshot,
    manifests: Option<Manifests>,
    /// The entries with each word, among those that the tree has now in another version or not at
    /// all: the others do not define what the tree does not have now.
    entries_with: Option<FxHashMap<usize, Vec<usize>>>,
}

impl OldTree {
    pub(super) fn new(entries: Vec<TreeEntry>) -> Self {
        Self { tree: Snapshot::new(entries), manifests: None, entries_with: None }
    }
}

impl<'p, 'o> Past<'p, 'o> {
    pub(super) fn new(objects: &'p mut Objects<'o>, now: &'p Snapshot, words: &'p Words) -> Self {
        let (found, facts) = (FxHashMap::default(), FxHashMap::default());
        Self { objects, now, words, found, facts, n_read: 0 }
    }

    /// Returns whether more is to be read than is reasonable.
    pub(super) fn is_exhausted(&self) -> bool {
        self.n_read > MAX_READ
    }

    /// Returns what made a claim of `document` true in an old tree, if it was.
    pub(super) fn truth(
        &mut self,
        old: &mut OldTree,
        document: &str,
        target: &Target,
    ) -> Option<Truth> {
        match target {
            Target::Path { path, part, .. } => self.path(old, document, path, part.as_ref()),
            Target::Symbol { parts, .. } => self.symbol(old, document, parts),
            Target::Task(task) => {
                let manifests = self.manifests(old);
                let defining = manifests.defining(task);
                let is_dynamic = |path: &&str| manifests.0[*path].dynamic.contains(&task.runner);
                let found: Vec<String> = defining
                    .into_iter()
                    .filter(|path| !is_dynamic(path))
                    .map(str::to_owned)
                    .collect();
                (!found.is_empty()).then_some(Truth::Manifests(found))
            }
            Target::Variable(name) => {
                let word = self.words.idx(name)?;
                let entries = self.entries_with(old, word);
                let is_own = self.manifests(old).is_named(name.split('_').next()?);
                let mut found = Vec::new();
                for idx in entries.into_iter().take(MAX_SEARCHED) {
                    let entry = old.tree.entries()[idx].clone();
                    let Some(bytes) = self.objects.read(&entry.object) else { continue };
                    let text = text::decode(&bytes).0;
                    let code = words::without_comments(&entry.path, &text);
                    let is_used = || self.words.in_text(&code).binary_search(&word).is_ok();
                    // A variable of another program, such as a token, may be in use elsewhere.
                    if (is_own && is_used()) || words::is_constant(&entry.path, &text, name) {
                        found.push(entry.path);
                    }
                }
                (!found.is_empty()).then_some(Truth::Word(found))
            }
            Target::Package(name) => {
                let manifests = self.manifests(old);
                let found: Vec<String> =
                    manifests.depending(name).iter().map(|(path, _)| (*path).to_owned()).collect();
                (!found.is_empty()).then_some(Truth::Manifests(found))
            }
            Target::Version { name, version } => {
                let manifests = self.manifests(old);
                let found: Vec<String> = manifests
                    .depending(name)
                    .iter()
                    .filter(|(_, requirement)| manifests::has_version(requirement, version))
                    .map(|(path, _)| (*path).to_owned())
                    .collect();
                is_version_claim_true(manifests, name, version).then_some(Truth::Manifests(found))
            }
        }
    }

    fn path(
        &mut self,
        old: &OldTree,
        document: &str,
        path: &str,
        part: Option<&Part>,
    ) -> Option<Truth> {
        if path.is_empty() {
            let file = document.to_owned();
            return self
                .has_part(old, &file, part?)
                .then(|| Truth::Part(file, part.cloned().expect("it is there")));
        }
        let paths = match old.tree.resolve(folder_of(document), path) {
            Found::One(found) if !is_certain(document, path, &found) => return None,
            Found::One(path) => vec![path],
            // A bare name of several files is not a certain one.
            Found::Several(paths) if path.contains(['/', '*']) => paths,
            Found::Several(_) | Found::No | Found::Elsewhere => return None,
        };
        let is_there_now = paths.iter().any(|path| self.now.contains(path));
        match part {
            Some(part) if is_there_now => {
                let file = paths.into_iter().find(|path| self.now.contains(path))?;
                self.has_part(old, &file, part).then(|| Truth::Part(file, part.clone()))
            }
            _ => Some(Truth::Paths(paths)),
        }
    }

    fn has_part(&mut self, old: &OldTree, file: &str, part: &Part) -> bool {
        let Some(entry) = old.tree.entry(file) else { return false };
        let Some(bytes) = self.objects.read(&entry.object) else { return false };
        has_part(&text::decode(&bytes).0, part)
    }

    fn symbol(&mut self, old: &mut OldTree, document: &str, parts: &[String]) -> Option<Truth> {
        if parts.len() > 1 {
            let found = old.tree.resolve(folder_of(document), &parts.join("/"));
            if let Found::One(path) = found {
                return Some(Truth::Paths(vec![path]));
            }
        }
        let mut entries = self.entries_with(old, self.words.idx(parts.last()?)?);
        if let [.., qualifier, _] = parts {
            // Only a file with both words, or in a folder of that name, can define it.
            let word = self.words.idx(qualifier);
            let with_word: FxHashSet<usize> =
                word.map(|word| self.entries_with(old, word)).into_iter().flatten().collect();
            let is_in =
                |idx: usize| old.tree.entries()[idx].path.replace('-', "_").contains(qualifier);
            entries.retain(|&idx| with_word.contains(&idx) || is_in(idx));
        }
        let mut found = Vec::new();
        for idx in entries.into_iter().take(MAX_SEARCHED) {
            let entry = old.tree.entries()[idx].clone();
            let bytes = self.objects.read(&entry.object);
            found.extend(bytes.and_then(|bytes| words::definition(&entry, &bytes, parts)));
        }
        (!found.is_empty()).then_some(Truth::Definitions(found))
    }

    /// Returns the entries with a word.
    fn entries_with(&mut self, old: &mut OldTree, word: usize) -> Vec<usize> {
        if old.entries_with.is_none() {
            let mut entries_with: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
            for (idx, entry) in old.tree.entries().iter().enumerate() {
                let is_same =
                    self.now.entry(&entry.path).is_some_and(|now| now.object == entry.object);
                if is_same || !words::is_code(entry) || self.is_exhausted() {
                    continue;
                }
                if !self.found.contains_key(&entry.object) {
                    let bytes = self.objects.read(&entry.object).unwrap_or_default();
                    self.n_read += bytes.len();
                    self.found.insert(entry.object.clone(), self.words.in_text(&bytes));
                }
                for word in &self.found[&entry.object] {
                    entries_with.entry(*word).or_default().push(idx);
                }
            }
            old.entries_with = Some(entries_with);
        }
        old.entries_with.as_ref().and_then(|map| map.get(&word)).cloned().unwrap_or_default()
    }

    /// Reads the manifests of an old tree.
    fn manifests<'t>(&mut self, old: &'t mut OldTree) -> &'t Manifests {
        if old.manifests.is_none() {
            let mut manifests = Manifests::default();
            let entries = old.tree.entries().iter().filter(|it| manifests::is_manifest(&it.path));
            for entry in entries {
                let key = (entry.path.clone(), entry.object.clone());
                if !self.facts.contains_key(&key) {
                    let bytes = self.objects.read(&entry.object).unwrap_or_default();
                    let facts = manifests::read(&entry.path, &text::decode(&bytes).0);
                    self.facts.insert(key.clone(), facts);
                }
                manifests.0.insert(entry.path.clone(), self.facts[&key].clone());
            }
            old.manifests = Some(manifests);
        }
        old.manifests.as_ref().expect("it was set")
    }
}

/// Returns whether a document means a file that its claim was resolved to. A bare name, such as
/// `config.json`, means a file in the document's folder or near it, not any file of that name.
fn is_certain(document: &str, path: &str, found: &str) -> bool {
    let folder = folder_of(document);
    let is_bare = !path.trim_end_matches('/').contains('/');
    let is_near = found == path.trim_end_matches('/')
        || folder.starts_with(folder_of(found))
        || (!folder.is_empty() && found.starts_with(&format!("{folder}/")));
    !is_bare || is_near
}

/// Returns whether a file has a part.
pub(super) fn has_part(text: &str, part: &Part) -> bool {
    match part {
        Part::Line(line) => text.lines().count() >= usize::try_from(*line).unwrap_or(usize::MAX),
        Part::Symbol(symbol) => {
            symbol.rsplit('.').next().is_some_and(|name| words::has_word(text, name))
        }
        Part::Heading(slug) => {
            let slug = slug.to_lowercase();
            let slugs: FxHashSet<String> = claims::heading_slugs(text).into_iter().collect();
            slugs.contains(&slug) || slugs.iter().any(|it| it.eq_ignore_ascii_case(&slug))
        }
    }
}
