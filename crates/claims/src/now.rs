//! Whether a claim is true in the tree as it is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cerberus_engine::tree::git::past;
use cerberus_engine::tree::git::past::TreeEntry;
use cerberus_engine::tree::read;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};

use super::manifests::{self, Manifests, Scope};
use super::snapshot::{self, Found, Snapshot};
use super::versions::Versions;
use super::words::{self, Occurrences, Words, module_name};
use super::words_of;
use crate::parse::{Claim, Part, Place, Target, Task};
use crate::{Document, folder_of, is_within};

/// Number of bytes before and after a claim in which the folder that it is about may be named.
const MAX_AROUND: usize = 600;

/// Whether a claim is true.
pub(super) enum Holds {
    Yes,
    /// It is true as a reader may understand it, as for a path that is the end of another one.
    /// It fails only if what it meant when it was written is gone.
    Perhaps,
    No,
    /// Why it cannot be known.
    Unknown(&'static str),
}

/// The project as it is.
pub(super) struct Now {
    root: PathBuf,
    pub(super) tree: Snapshot,
    /// The files that the working tree lacks or has in another version than the index, sorted by path.
    pub(super) modified: Vec<TreeEntry>,
    /// The files that a sparse checkout omits.
    omitted: Vec<TreeEntry>,
    pub(super) manifests: Manifests,
    /// The tools of which the project has a file with settings.
    tools: FxHashSet<String>,
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
        let claims = || {
            documents
                .iter()
                .flat_map(|document| &document.claims.claims)
        };
        let (mut manifests, mut unread) = (Manifests::default(), Vec::new());
        let needs_manifests =
            |claim: &Claim| !matches!(claim.target, Target::Path { .. } | Target::Symbol { .. });
        if claims().any(needs_manifests) {
            let own = tree
                .entries()
                .par_iter()
                .filter(|it| manifests::is_manifest(&it.path));
            let facts = own.map(|TreeEntry { path, .. }| {
                let text = read::text(root, path);
                let unread = text
                    .as_ref()
                    .err()
                    .and_then(|it| read::unread(root, path, it));
                let facts = Arc::new(manifests::read(path, &text.unwrap_or_default()));
                ((path.clone(), facts), unread)
            });
            let (facts, failed): (Vec<_>, Vec<Option<_>>) = facts.unzip();
            manifests.0 = facts.into_iter().collect();
            unread.extend(failed.into_iter().flatten());
        }
        let mut wanted = Vec::new();
        for claim in claims() {
            wanted.extend(words_of(&claim.target));
            if let Target::Package(name) = &claim.target
                && manifests.making(&claim.target).is_empty()
            {
                wanted.push(module_name(name));
            }
        }
        let words = Words::new(wanted);
        let pair = |claim: &Claim| match &claim.target {
            Target::Symbol { parts, .. } => Some(pair(&words, parts)?),
            _ => None,
        };
        let pairs: BTreeSet<(usize, usize)> = claims().filter_map(pair).collect();
        let mut occurrences = Occurrences::read(root, tree.entries(), &words, &pairs);
        unread.append(&mut occurrences.unread);
        unread.sort_unstable();
        unread.dedup();
        let mut tree_bases = FxHashMap::default();
        for document in documents {
            for drawn in &document.claims.trees {
                let paths = document.claims.paths_of(drawn);
                let paths = (drawn.root.as_deref(), paths.as_slice());
                let contains = |path: &str| tree.contains(path);
                let place = (folder_of(&document.path), document.text.as_str());
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
        self.omitted.iter().any(|entry| match target {
            Target::Path { part, .. } => part.is_some(),
            Target::Symbol { .. } | Target::Variable(_) => words::is_code(entry),
            Target::Package(_) => words::is_code(entry) || manifests::is_manifest(&entry.path),
            Target::Task(_) | Target::Rule { .. } | Target::Version { .. } => {
                manifests::is_manifest(&entry.path)
            }
        })
    }

    /// Returns whether a claim is true.
    pub(super) fn holds(&self, document: &Document, claim: &Claim) -> Holds {
        let is_true = match &claim.target {
            Target::Path { .. } => return self.path(document, claim),
            Target::Symbol { parts, .. } => self.has_symbol(document, parts),
            Target::Task(task) => return self.task(document, claim, task),
            Target::Variable(name) => self.is_used(name),
            Target::Package(name) => {
                let made = self.manifests.making(&claim.target);
                // A table of settings may keep the name of what was removed.
                let is_doubtful = !made.is_empty()
                    || self.is_used(&module_name(name))
                    || self.manifests.has_key(name);
                let is_true = made.iter().any(|path| !manifests::is_foreign(path))
                    || self.tools.contains(name)
                    || self.manifests.defines(name)
                    // A package of the project itself.
                    || self.tree.resolve("", name) != Found::No;
                if !is_true && is_doubtful {
                    return Holds::Perhaps;
                }
                is_true
            }
            Target::Rule { tool, .. } => {
                self.is_made(&claim.target) || self.manifests.is_open(*tool)
            }
            Target::Version { name, .. } => {
                self.manifests.depending(name).is_empty() || self.is_made(&claim.target)
            }
        };
        if is_true { Holds::Yes } else { Holds::No }
    }

    fn task(&self, document: &Document, claim: &Claim, task: &Task) -> Holds {
        match self.manifests.scope(task, folder_of(&document.path)) {
            Scope::Open => self.open_task(document, claim, task),
            // What was never there is not known here, and what was is gone.
            Scope::Missing => Holds::Perhaps,
            Scope::These(paths) => {
                let is_program =
                    task.may_be_program && !self.manifests.depending(&task.name).is_empty();
                match self.manifests.is_defined_in(task, &paths) || is_program {
                    true => Holds::Yes,
                    false if self.manifests.is_dynamic(task.runner) => Holds::Perhaps,
                    false => Holds::No,
                }
            }
        }
    }

    fn open_task(&self, document: &Document, claim: &Claim, task: &Task) -> Holds {
        let made = self.manifests.making(&Target::Task(task.clone()));
        // A program of a dependency has its name.
        let is_program = || task.may_be_program && !self.manifests.depending(&task.name).is_empty();
        if !made.is_empty() {
            let folder = folder_of(&document.path);
            let is_here = |path: &&str| self.manifests.is_read_in(path, folder);
            // A sentence before it says where: "from the `web/app` folder".
            let around = around(document, claim);
            let is_named = |path: &&str| {
                let folder = folder_of(path);
                !folder.is_empty() && words::has_word(around, folder)
            };
            let is_certain = task.place == Place::Anywhere
                || made.iter().any(|path| is_here(path) || is_named(path));
            return if is_certain {
                Holds::Yes
            } else {
                Holds::Perhaps
            };
        }
        match (is_program(), self.manifests.is_dynamic(task.runner)) {
            (true, _) => Holds::Yes,
            (false, true) => Holds::Perhaps,
            (false, false) => Holds::No,
        }
    }

    fn path(&self, document: &Document, claim: &Claim) -> Holds {
        let Target::Path {
            path,
            part,
            is_link,
        } = &claim.target
        else {
            return Holds::Yes;
        };
        let folder = folder_of(&document.path);
        if path.is_empty() {
            let text = || Some(document.text.clone().into_bytes());
            let own = self.versions().get(&document.path, "#", text);
            let is_true = part
                .as_ref()
                .is_none_or(|part| own.is_some_and(|it| it.has_part(part)));
            return if is_true { Holds::Yes } else { Holds::No };
        }
        if let Some(base) = self.tree_base(document, claim) {
            let path = snapshot::joined(base, path);
            let is_there = self.tree.contains(&path) || read::exists(&self.root, &path);
            return if is_there { Holds::Yes } else { Holds::No };
        }
        let is_near = snapshot::is_near(path, *is_link);
        // A site serves `docs/a.md` as the folder `docs/a/`, from which its links to other pages start.
        let page = snapshot::without_ending(&document.path);
        let has_ending = snapshot::last(path.trim_end_matches('/')).contains('.');
        let is_page_link = *is_link && !has_ending && self.is_exact(page, path, is_near);
        let folder = if is_page_link { page } else { folder };
        let readings = snapshot::readings(folder, path, is_near);
        let found = match self.tree.exact(&readings).filter(|_| is_page_link) {
            Some(found) => Found::One(found),
            None => self.tree.resolve(folder, path),
        };
        match (&found, part) {
            (Found::Elsewhere, _) => Holds::Unknown("it is in a submodule"),
            (Found::No, _) if self.is_exact(folder, path, false) => Holds::Yes,
            (Found::No, _) => Holds::No,
            (_, Some(part)) if !self.has_part(found.paths(), part) => Holds::No,
            _ if path.contains(['*', '{']) || self.is_exact(folder, path, is_near) => Holds::Yes,
            _ if !is_near || path.starts_with("./") => Holds::Perhaps,
            // A sentence means the only file of a name below the document; a command does not find it.
            _ if document.text[..claim.span.start].ends_with('`')
                && self.n_below(folder, found.paths()) == 1 =>
            {
                Holds::Yes
            }
            _ if names_folder(document, claim, path, found.paths()) => Holds::Yes,
            _ => Holds::Perhaps,
        }
    }

    /// Returns the paths that the path of a claim names, outside of a tree.
    pub(super) fn named_paths(&self, document: &Document, claim: &Claim) -> Vec<String> {
        let Target::Path { path, is_link, .. } = &claim.target else {
            return Vec::new();
        };
        let page = snapshot::without_ending(&document.path);
        let readings = snapshot::readings(page, path, snapshot::is_near(path, *is_link));
        let of_page = self.tree.exact(&readings).filter(|_| *is_link);
        let found = self.tree.resolve(folder_of(&document.path), path);
        of_page
            .into_iter()
            .chain(found.paths().iter().cloned())
            .collect()
    }

    /// Returns whether a path exists where a reader of a document in `folder` goes to.
    fn is_exact(&self, folder: &str, path: &str, is_near: bool) -> bool {
        let readings = snapshot::readings(folder, path, is_near);
        self.tree.exact(&readings).is_some()
            || readings
                .iter()
                .any(|path| !path.is_empty() && read::exists(&self.root, path))
    }

    /// Returns how many of some paths are files in a folder or below it.
    fn n_below(&self, folder: &str, paths: &[String]) -> usize {
        let is_below = |path: &&String| is_within(path, folder) && self.tree.entry(path).is_some();
        paths.iter().filter(is_below).count()
    }

    /// Returns whether one of the files among some paths has a part, or is too large to read.
    fn has_part(&self, paths: &[String], part: &Part) -> bool {
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

    fn versions(&self) -> MutexGuard<'_, Versions> {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the folder that the tree around a claim draws.
    pub(super) fn tree_base(&self, document: &Document, claim: &Claim) -> Option<&str> {
        let tree = document.claims.tree(claim)?;
        self.tree_bases
            .get(&(document.path.clone(), tree.span.start))
            .map(String::as_str)
    }

    fn has_symbol(&self, document: &Document, parts: &[String]) -> bool {
        let Some(name) = parts.last() else {
            return true;
        };
        if parts.len() > 1 {
            let path = parts.join("/");
            if self.tree.resolve(folder_of(&document.path), &path) != Found::No {
                return true;
            }
        }
        self.is_used(name)
            && pair(&self.words, parts).is_none_or(|(a, b)| self.occurrences.are_together(a, b))
    }

    fn is_used(&self, word: &str) -> bool {
        self.words
            .idx(word)
            .is_some_and(|idx| self.occurrences.is_used(idx))
    }

    fn is_made(&self, target: &Target) -> bool {
        !self.manifests.making(target).is_empty()
    }
}

/// Returns the text before a claim and the rest of its line, in which the folder may be named that it is
/// about.
fn around<'d>(document: &'d Document, claim: &Claim) -> &'d str {
    let (text, end) = (&document.text, claim.span.end);
    let from = claim.span.start.saturating_sub(MAX_AROUND);
    let from = (from..)
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or_default();
    let rest = text[end..]
        .char_indices()
        .take(MAX_AROUND)
        .take_while(|(_, c)| *c != '\n');
    &text[from..rest
        .last()
        .map_or(end, |(n_bytes, c)| end + n_bytes + c.len_utf8())]
}

/// Returns whether the text around a claim names as code the folder of one of the paths that end with
/// its own: "the `.env.example` in `web/app`".
fn names_folder(document: &Document, claim: &Claim, path: &str, found: &[String]) -> bool {
    let around = around(document, claim);
    let path = path.trim_end_matches('/');
    let mut folders = found
        .iter()
        .filter_map(|it| it.strip_suffix(path)?.strip_suffix('/'));
    folders.any(|it| around.contains(&format!("`{it}`")) || around.contains(&format!("`{it}/`")))
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
