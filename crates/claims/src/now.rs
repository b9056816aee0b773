//! Whether a claim is true in the tree as it is.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cerberus_engine::tree::git::past;
use cerberus_engine::tree::git::past::TreeEntry;
use cerberus_engine::tree::read;
use rustc_hash::{FxHashMap, FxHashSet};

use super::manifests::Manifests;
use super::snapshot::{self, Snapshot};
use super::versions::Versions;
use super::words::{self, Asked, Occurrences, Words, module_name};
use crate::kinds::path::Part;
use crate::kinds::{Kind, Place};
use crate::parse::{Claim, Target};
use crate::paths::is_within;
use crate::report::Document;

/// Minimum number of entries of a tree that the project has.
const MIN_ENTRIES: usize = 4;

/// Whether a claim is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Yes,
    /// It is true as a reader may understand it, as for a path that is the end of another one.
    /// It fails only if what it meant when it was written is gone.
    Perhaps,
    No,
    /// Why it cannot be known.
    Unknown(&'static str),
}

impl From<bool> for Holds {
    fn from(is_true: bool) -> Self {
        if is_true { Self::Yes } else { Self::No }
    }
}

/// The project as it is.
pub(super) struct Now {
    pub(super) root: PathBuf,
    pub(super) tree: Snapshot,
    /// The files that the working tree lacks or has in another version than the index, sorted by path.
    pub(super) modified: Vec<TreeEntry>,
    /// The files that a sparse checkout omits.
    omitted: Vec<TreeEntry>,
    pub(super) manifests: Manifests,
    /// The tools of which the project has a file with settings.
    pub(super) tools: FxHashSet<String>,
    words: Words,
    occurrences: Occurrences,
    /// The folders that trees draw, by document and start.
    tree_bases: FxHashMap<(String, usize), String>,
    /// The versions of files whose parts are named.
    versions: Mutex<Versions>,
    /// The files that exist and could not be read, with the reasons.
    pub(super) unread: Vec<(String, String)>,
}

impl Now {
    /// Reads what the claims of `documents` are compared with. Returns `None` if git cannot list
    /// the files.
    pub(super) fn read(root: &Path, documents: &[Document]) -> Option<Self> {
        let past::Tracked {
            entries,
            mut modified,
            omitted,
        } = past::tracked(root)?;
        modified.sort_by(|a, b| a.path.cmp(&b.path));
        let tree = Snapshot::new(entries);
        let mut manifests = Manifests::default();
        let mut unread = Vec::new();
        let claims: Vec<&Claim> = documents
            .iter()
            .flat_map(|document| &document.claims.claims)
            .collect();
        if claims
            .iter()
            .any(|claim| claim.target.kind().needs().manifests)
        {
            manifests = Manifests::read(root, tree.entries(), &mut unread);
        }
        let mut wanted = Vec::new();
        for claim in &claims {
            wanted.extend(claim.target.kind().words());
            if let Target::Package(package) = &claim.target
                && manifests.making(package).is_empty()
            {
                wanted.push(module_name(&package.0));
            }
        }
        let words = Words::new(wanted);
        let mut asked = Asked::default();
        for claim in &claims {
            if let Target::Symbol(symbol) = &claim.target {
                asked.pairs.extend(pair(&words, &symbol.parts));
                let name = symbol.parts.last().filter(|_| symbol.is_call);
                asked.called.extend(name.and_then(|name| words.idx(name)));
            }
        }
        let code = words::code_for(tree.entries(), documents);
        let mut occurrences = Occurrences::read(root, &code, &words, &asked);
        unread.append(&mut occurrences.unread);
        unread.sort_unstable();
        unread.dedup();
        let mut tree_bases = FxHashMap::default();
        for document in documents {
            for drawn in &document.claims.trees {
                let paths = document.claims.paths_of(drawn);
                let paths = (drawn.root.as_deref(), paths.as_slice());
                let contains = |path: &str| tree.contains(path);
                let place = (document.folder(), document.text.as_str());
                if let Some(base) = snapshot::tree_base(place, paths, &[&tree], &contains) {
                    tree_bases.insert((document.path.clone(), drawn.span.start), base);
                }
            }
        }
        let root = root.to_owned();
        let versions = Mutex::default();
        let tools = tree.entries().iter().filter_map(|entry| tool(&entry.path));
        let tools = tools.map(str::to_owned).collect();
        Some(Self {
            root,
            tree,
            modified,
            omitted,
            manifests,
            tools,
            words,
            occurrences,
            tree_bases,
            versions,
            unread,
        })
    }

    /// Returns whether the working tree has a file with the content of an entry.
    pub(super) fn has_version(&self, entry: &TreeEntry) -> bool {
        self.tree
            .entry(&entry.path)
            .is_some_and(|it| it.object == entry.object)
            && self
                .modified
                .binary_search_by(|it| it.path.cmp(&entry.path))
                .is_err()
    }

    /// Returns whether a sparse checkout omits files that may make a claim true.
    pub(super) fn omits(&self, target: &Target) -> bool {
        let kind = target.kind();
        self.omitted.iter().any(|entry| kind.is_read_in(entry))
    }

    /// Returns whether a claim is true.
    pub(super) fn holds(&self, document: &Document, claim: &Claim) -> Holds {
        claim.target.kind().holds(self, Place { document, claim })
    }

    /// Returns whether a path exists where a reader of a document in `folder` goes to.
    pub(super) fn is_exact(&self, folder: &str, path: &str, is_near: bool) -> bool {
        let readings = snapshot::readings(folder, path, is_near);
        self.tree.exact(&readings).is_some()
            || readings
                .iter()
                .any(|path| !path.is_empty() && read::exists(&self.root, path))
    }

    /// Returns how many of some paths are files in a folder or below it.
    pub(super) fn n_below(&self, folder: &str, paths: &[String]) -> usize {
        let is_below = |path: &&String| is_within(path, folder) && self.tree.entry(path).is_some();
        paths.iter().filter(is_below).count()
    }

    /// Returns whether one of the files among some paths has a part, or is too large to read.
    pub(super) fn has_part(&self, paths: &[String], part: &Part) -> bool {
        let mut files = paths
            .iter()
            .filter(|path| self.tree.entry(path).is_some())
            .peekable();
        files.peek().is_none()
            || files.any(|file| {
                let version = self
                    .versions()
                    .get(file, "", || read::bytes(&self.root, file).ok());
                version.is_none_or(|version| version.has_part(part))
            })
    }

    pub(super) fn versions(&self) -> MutexGuard<'_, Versions> {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the project has most of the tree around a claim, of more than a few entries.
    pub(super) fn is_real_tree(&self, document: &Document, claim: &Claim) -> bool {
        let base = self.tree_base(document, claim);
        let (Some(base), Some(tree)) = (base, document.claims.tree(claim)) else {
            return false;
        };
        let paths = document.claims.paths_of(tree);
        let mut n_found = 0;
        for path in &paths {
            n_found += usize::from(self.tree.contains(&snapshot::joined(base, path)));
        }
        n_found >= MIN_ENTRIES && n_found * 5 >= paths.len() * 4
    }

    /// Returns the folder that the tree around a claim draws.
    pub(super) fn tree_base(&self, document: &Document, claim: &Claim) -> Option<&str> {
        let tree = document.claims.tree(claim)?;
        self.tree_bases
            .get(&(document.path.clone(), tree.span.start))
            .map(String::as_str)
    }

    /// Returns whether the qualifier and the name of a symbol are in one file. A name without one is.
    pub(super) fn are_together(&self, parts: &[String]) -> bool {
        pair(&self.words, parts).is_none_or(|(a, b)| self.occurrences.are_together(a, b))
    }

    pub(super) fn is_used(&self, word: &str) -> bool {
        self.words
            .idx(word)
            .is_some_and(|idx| self.occurrences.is_used(idx))
    }

    /// Returns whether code may call a word that a document calls.
    pub(super) fn is_callable(&self, word: &str) -> bool {
        let idx = self.words.idx(word);
        idx.is_some_and(|idx| self.occurrences.is_callable(idx))
    }

    /// Returns whether a manifest makes a claim true.
    pub(super) fn is_made(&self, kind: &dyn Kind) -> bool {
        !self.manifests.making(kind).is_empty()
    }
}

/// Returns the name of the tool whose settings a file has: `.pre-commit-config.yaml`, `ruff.toml`,
/// `.eslintrc.json`, `vite.config.ts`.
fn tool(path: &str) -> Option<&str> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let file = file.strip_prefix('.').unwrap_or(file);
    let marks = [".config.", "-config.", "rc."]
        .iter()
        .find_map(|mark| file.split_once(mark));
    let settings = ["toml", "yaml", "yml", "json", "jsonc", "ini", "cfg"];
    let plain = || {
        file.rsplit_once('.')
            .filter(|(_, ending)| settings.contains(ending))
    };
    marks
        .or_else(plain)
        .map(|(tool, _)| tool)
        .or_else(|| file.strip_suffix("rc"))
}

/// Returns the qualifier and the name of a symbol, if it has both.
fn pair(words: &Words, parts: &[String]) -> Option<(usize, usize)> {
    let [.., qualifier, name] = parts else {
        return None;
    };
    Some((words.idx(qualifier)?, words.idx(name)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_settings_name_their_tool() {
        for (path, expected) in [
            (".pre-commit-config.yaml", Some("pre-commit")),
            ("web/vite.config.ts", Some("vite")),
            (".eslintrc.json", Some("eslint")),
            (".npmrc", Some("npm")),
            ("ruff.toml", Some("ruff")),
            ("src/main.rs", None),
        ] {
            assert_eq!(tool(path), expected, "{path}");
        }
    }
}
