//! The files of the project at one moment, and the search for the path that a document names.

use std::collections::BTreeSet;
use std::ops::Range;

use cerberus_engine::tree::git::past::{EntryKind, TreeEntry};
use cerberus_markdown::links::normalize_path;
use cerberus_model::text::Globs;
use cerberus_model::text::conventions::CONVENTIONS;
use memchr::memmem::Finder;
use rustc_hash::{FxHashMap, FxHashSet};

use super::words;
use crate::paths::{folder_of, is_within};

/// Maximum number of paths that an ambiguous name is resolved to.
const MAX_FOUND: usize = 8;

/// Maximum number of files and folders of one name that are compared with a path in a tree.
const MAX_NAMESAKES: usize = 200;

pub(super) struct Snapshot {
    /// Sorted by path.
    entries: Vec<TreeEntry>,
    /// Sorted.
    folders: Vec<String>,
    /// The indices of entries, and after them of folders, by the last part of their paths, with
    /// and without its ending.
    by_name: FxHashMap<String, Vec<usize>>,
    submodules: Vec<String>,
}

/// What a path resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    No,
    /// The path of a file or a folder.
    One(String),
    /// Several paths end with a name, or match a glob.
    Several(Vec<String>),
    /// It is in another repository.
    Elsewhere,
}

impl Found {
    pub(super) fn paths(&self) -> &[String] {
        match self {
            Self::One(path) => std::slice::from_ref(path),
            Self::Several(paths) => paths,
            Self::No | Self::Elsewhere => &[],
        }
    }
}

impl Snapshot {
    pub(super) fn new(mut entries: Vec<TreeEntry>) -> Self {
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let mut folders: FxHashSet<&str> = FxHashSet::default();
        for entry in &entries {
            let mut folder = entry.path.as_str();
            while let Some((parent, _)) = folder.rsplit_once('/') {
                if !folders.insert(parent) {
                    break;
                }
                folder = parent;
            }
        }
        let mut folders: Vec<String> = folders.into_iter().map(str::to_owned).collect();
        folders.sort_unstable();
        let mut by_name: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        let paths = entries.iter().map(|entry| &entry.path).chain(&folders);
        for (idx, path) in paths.enumerate() {
            let name = last(path);
            by_name.entry(name.to_owned()).or_default().push(idx);
            // A script for Windows is another one: `gradlew.bat`.
            if let (Some((stem, ending)), true) = (name.split_once('.'), idx < entries.len())
                && !stem.is_empty()
                && !matches!(ending, "bat" | "cmd")
            {
                by_name.entry(stem.to_owned()).or_default().push(idx);
            }
        }
        let is_submodule = |entry: &&TreeEntry| entry.kind == EntryKind::Submodule;
        let submodules = entries
            .iter()
            .filter(is_submodule)
            .map(|it| it.path.clone())
            .collect();
        Self {
            entries,
            folders,
            by_name,
            submodules,
        }
    }

    pub(super) fn entries(&self) -> &[TreeEntry] {
        &self.entries
    }

    pub(super) fn entry(&self, path: &str) -> Option<&TreeEntry> {
        let idx = self
            .entries
            .binary_search_by(|entry| entry.path.as_str().cmp(path))
            .ok()?;
        Some(&self.entries[idx])
    }

    pub(super) fn is_folder(&self, path: &str) -> bool {
        path.is_empty()
            || self
                .folders
                .binary_search_by(|folder| folder.as_str().cmp(path))
                .is_ok()
    }

    pub(super) fn contains(&self, path: &str) -> bool {
        self.entry(path).is_some() || self.is_folder(path)
    }

    /// Returns the first of some paths that exists, or of which one with an ending does.
    pub(super) fn exact(&self, paths: &[String]) -> Option<String> {
        paths.iter().find_map(|path| {
            if self.contains(path) {
                return Some(path.clone());
            }
            self.with_any_ending(path)
        })
    }

    /// Returns files and folders whose path ends with another one.
    pub(super) fn ending_with<'s>(&'s self, end: &'s str) -> impl Iterator<Item = &'s str> {
        let idxs = self.by_name.get(last(end)).into_iter().flatten();
        let has_end = move |path: &&str| {
            path.strip_suffix(end)
                .is_some_and(|head| head.ends_with('/'))
        };
        idxs.take(MAX_NAMESAKES)
            .map(|idx| self.path(*idx))
            .filter(has_end)
    }

    /// Returns the number of files and folders with a name, with or without an ending.
    pub(super) fn n_named(&self, name: &str) -> usize {
        self.by_name.get(name).map_or(0, Vec::len)
    }

    fn path(&self, idx: usize) -> &str {
        self.entries.get(idx).map_or_else(
            || self.folders[idx - self.entries.len()].as_str(),
            |entry| entry.path.as_str(),
        )
    }

    /// Resolves a path that a document in `folder` names: relative to that folder, to the folders
    /// around it, to the root, or as the end of a path.
    pub(super) fn resolve(&self, folder: &str, path: &str) -> Found {
        let plain = path.trim_matches('/');
        let bases = candidates(folder, path);
        for candidate in &bases {
            if self.contains(candidate) {
                return Found::One(candidate.clone());
            }
            // A link to a folder may be another repository's as well.
            if self
                .submodules
                .iter()
                .any(|module| is_within(candidate, module))
            {
                return Found::Elsewhere;
            }
        }
        if plain.contains(['*', '{']) {
            return self.matching(&bases);
        }
        let relative = plain.trim_start_matches("./");
        if let Some(found) = bases.iter().find_map(|base| self.with_any_ending(base)) {
            return Found::One(found);
        }
        if relative.starts_with("../") || relative.is_empty() {
            return Found::No;
        }
        let is_module = !last(relative).contains('.') && relative.contains('/');
        let ends = |idx: &&usize| {
            let path = self.path(**idx);
            let path = if is_module {
                without_ending(path)
            } else {
                path
            };
            path.strip_suffix(relative)
                .is_some_and(|head| head.ends_with('/'))
        };
        let idxs = self.by_name.get(last(relative)).into_iter().flatten();
        let mut found: Vec<String> = idxs
            .filter(ends)
            .map(|idx| self.path(*idx).to_owned())
            .take(MAX_FOUND)
            .collect();
        match found.len() {
            0 => Found::No,
            1 => Found::One(found.remove(0)),
            _ => Found::Several(found),
        }
    }

    /// Resolves `src/util` to `src/util.ts`.
    fn with_any_ending(&self, path: &str) -> Option<String> {
        let name = last(path);
        if name.contains('.') || name.is_empty() {
            return None;
        }
        let idxs = self.by_name.get(name)?;
        let found = idxs
            .iter()
            .map(|idx| self.path(*idx))
            .find(|found| without_ending(found) == path);
        found.map(str::to_owned)
    }

    /// Returns the files that one of some globs matches.
    fn matching(&self, globs: &[String]) -> Found {
        let mut near: BTreeSet<usize> = BTreeSet::new();
        for glob in globs {
            near.extend(self.near(glob));
        }
        if near.is_empty() {
            return Found::No;
        }
        let globs: Vec<String> = globs
            .iter()
            .flat_map(|glob| [glob.clone(), format!("**/{glob}")])
            .collect();
        let globs = Globs::new(&globs);
        let mut found = Vec::new();
        for idx in near {
            let path = &self.entries[idx].path;
            if globs.find(path).is_some() {
                found.push(path.clone());
            }
            if found.len() == MAX_FOUND {
                break;
            }
        }
        if found.is_empty() {
            Found::No
        } else {
            Found::Several(found)
        }
    }

    /// Returns the positions of the files that a glob may match: those with its rarest name in their paths, so that
    /// many globs do not each go through all files.
    fn near(&self, glob: &str) -> Vec<usize> {
        let mut rarest: Option<&[usize]> = None;
        for name in names_in(glob) {
            let named = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
            if rarest.is_none_or(|rarest| named.len() < rarest.len()) {
                rarest = Some(named);
            }
        }
        let mut found = Vec::new();
        match rarest {
            Some(named) => {
                for &idx in named {
                    match idx.checked_sub(self.entries.len()) {
                        Some(folder_idx) => found.extend(self.below(&self.folders[folder_idx])),
                        None => found.push(idx),
                    }
                }
            }
            None => found.extend(0..self.entries.len()),
        }
        // Most paths lack the words of the glob, which is faster to see.
        let finder = Finder::new(literal_part(glob));
        found.retain(|&idx| finder.find(self.entries[idx].path.as_bytes()).is_some());
        found
    }

    /// Returns the positions of the files in a folder.
    fn below(&self, folder: &str) -> Range<usize> {
        let start = format!("{folder}/");
        let first = self
            .entries
            .partition_point(|entry| entry.path.as_str() < start.as_str());
        let n_files = self.entries[first..].partition_point(|entry| entry.path.starts_with(&start));
        first..first + n_files
    }
}

/// Returns the paths, relative to the root, that a path in a document may name, nearest first.
pub(super) fn candidates(folder: &str, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut base = if path.starts_with('/') { "" } else { folder };
    let path = path.trim_start_matches('/');
    loop {
        let joined = if base.is_empty() {
            path.to_owned()
        } else {
            format!("{base}/{path}")
        };
        if let Some(candidate) = normalize_path(&joined)
            && !found.contains(&candidate)
        {
            found.push(candidate);
        }
        if base.is_empty() {
            return found;
        }
        base = folder_of(base);
    }
}

/// Returns whether a reader looks for a path beside the document first: a link, or a bare name.
pub(super) fn is_near(path: &str, is_link: bool) -> bool {
    is_link
        || !path
            .trim_start_matches("./")
            .trim_end_matches('/')
            .contains('/')
}

/// Returns the paths of [`candidates`] that a reader goes to: the one beside the document alone, if it
/// `is_near`.
pub(super) fn readings(folder: &str, path: &str, is_near: bool) -> Vec<String> {
    let mut found = candidates(folder, path);
    if is_near {
        found.truncate(1);
    }
    found
}

/// Returns the folder that a tree of `paths` in a document draws: the one that has most of them, of
/// those around the document, those in them with the name at the root of the tree, and those in
/// which one of the paths is, unless these are samples whose name the text lacks. `None` if it has
/// less than half of them, and than three.
pub(super) fn tree_base(
    (folder, text): (&str, &str),
    (root, paths): (Option<&str>, &[&str]),
    snapshots: &[&Snapshot],
    contains: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let around = candidates(folder, "x").into_iter();
    let mut bases: Vec<String> = around.map(|path| folder_of(&path).to_owned()).collect();
    if let Some(root) = root {
        bases.extend(candidates(folder, root));
    }
    for path in paths.iter().take(MAX_FOUND) {
        let ends = snapshots
            .iter()
            .flat_map(|it| it.ending_with(path).take(MAX_FOUND / 2));
        let heads = ends.map(|end| &end[..end.len() - path.len() - 1]);
        let is_meant = |head: &&str| {
            !head
                .split('/')
                .any(|part| CONVENTIONS.folders.samples.contains(part))
                || is_within(folder, head)
                || words::has_word(text, last(head))
        };
        bases.extend(heads.filter(is_meant).map(str::to_owned));
    }
    let mut best: Option<(usize, String)> = None;
    let mut seen = FxHashSet::default();
    for base in bases {
        if !seen.insert(base.clone()) {
            continue;
        }
        let n_found = paths
            .iter()
            .filter(|path| contains(&joined(&base, path)))
            .count();
        if best.as_ref().is_none_or(|(n_best, _)| n_found > *n_best) {
            best = Some((n_found, base));
        }
    }
    best.filter(|(n_found, _)| *n_found >= 3 || n_found * 2 >= paths.len().max(1))
        .map(|(_, base)| base)
}

/// Returns a path in a folder, which is empty for the root.
pub(super) fn joined(folder: &str, path: &str) -> String {
    if folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

/// Returns the names of files and folders that are in all paths that a glob matches.
fn names_in(glob: &str) -> impl Iterator<Item = &str> {
    let end = glob.find(['{', '[', '\\']);
    let end = end.map_or(glob.len(), |end| glob[..end].rfind('/').unwrap_or(0));
    let names = glob[..end].split('/');
    names.filter(|name| !name.is_empty() && !name.contains(['*', '?']))
}

/// Returns the longest part of a glob that is in all paths that it matches.
fn literal_part(glob: &str) -> &str {
    let before_choices = glob.split(['{', '[', '\\']).next().unwrap_or(glob);
    let parts = before_choices
        .split(['*', '?'])
        .map(|part| part.trim_matches('/'));
    parts.max_by_key(|part| part.len()).unwrap_or_default()
}

pub(super) fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the path without everything after the first dot of its last part.
pub(super) fn without_ending(path: &str) -> &str {
    let start = path.len() - last(path).len();
    match path[start..].find('.') {
        Some(dot) if dot > 0 => &path[..start + dot],
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(paths: &[&str]) -> Snapshot {
        let entry = |path: &&str| {
            let (path, kind) = match path.strip_suffix('@') {
                Some(path) => (path, EntryKind::Submodule),
                None => (*path, EntryKind::File),
            };
            TreeEntry {
                path: path.to_owned(),
                kind,
                object: String::new(),
            }
        };
        Snapshot::new(paths.iter().map(entry).collect())
    }

    #[track_caller]
    fn check(folder: &str, path: &str, expected: &[&str]) {
        let tree = snapshot(&[
            "README.md",
            "src/db/session.py",
            "src/web/session.py",
            "src/web/app.py",
            "docs/a.md",
            "vendor/lib@",
        ]);
        assert_eq!(
            tree.resolve(folder, path).paths(),
            expected,
            "{folder} {path}"
        );
    }

    #[test]
    fn paths_are_found_near_the_document_and_by_their_end() {
        check("docs", "a.md", &["docs/a.md"]);
        check("docs", "../README.md", &["README.md"]);
        check("docs", "README.md", &["README.md"]);
        check("", "db/session.py", &["src/db/session.py"]);
        check(
            "",
            "session.py",
            &["src/db/session.py", "src/web/session.py"],
        );
        check("", "src/web/", &["src/web"]);
        check("", "src/web/app", &["src/web/app.py"]);
        check("", "b/session.py", &[]);
        check("", "/docs/a.md", &["docs/a.md"]);
        check(
            "",
            "src/*/session.py",
            &["src/db/session.py", "src/web/session.py"],
        );
        check("", "src/none/**", &[]);
        // A name in it may be that of a folder, of a file, or of both, or a choice.
        let web = ["src/web/app.py", "src/web/session.py"];
        check("", "s*/web", &web);
        check("docs", "web/*.py", &web);
        check("", "**/app.py", &["src/web/app.py"]);
        check("", "src/{web,none}/*.py", &web);
        check("", "src/web*/{app,none}.py", &["src/web/app.py"]);
        check("", "{docs,none}/a.md", &["docs/a.md"]);
        check("", "*/a.*", &["docs/a.md"]);
        check("", "none/*/a.md", &[]);
        check("", "../../a.md", &[]);
    }

    #[test]
    fn a_tree_draws_samples_only_if_they_are_named() {
        let tree = snapshot(&["examples/shop/till/pay.py", "examples/shop/stock/count.py"]);
        let paths = ["till", "till/pay.py", "stock", "stock/count.py"];
        for (folder, text, expected) in [
            ("", "Lay it out so; see `examples/`.", None),
            ("", "The shop has these parts.", Some("examples/shop")),
            ("examples/shop/docs", "", Some("examples/shop")),
        ] {
            let contains = |path: &str| tree.contains(path);
            let base = tree_base((folder, text), (None, &paths), &[&tree], &contains);
            assert_eq!(base.as_deref(), expected, "{folder} {text}");
        }
    }

    #[test]
    fn the_literal_part_of_a_glob_is_in_all_its_matches() {
        for (glob, expected) in [
            ("src/*/main.rs", "main.rs"),
            ("**/foo", "foo"),
            ("packages/*/src/**", "packages"),
            ("src/{a,b}/long-name.ts", "src"),
            ("*", ""),
        ] {
            assert_eq!(literal_part(glob), expected, "{glob}");
        }
    }

    #[test]
    fn paths_in_a_submodule_are_elsewhere() {
        let tree = snapshot(&["a.md", "vendor/lib@"]);
        assert_eq!(tree.resolve("", "vendor/lib/src/x.c"), Found::Elsewhere);
        assert_eq!(
            tree.resolve("", "vendor/lib"),
            Found::One("vendor/lib".to_owned())
        );
    }
}
