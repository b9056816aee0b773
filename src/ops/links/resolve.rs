//! Where the targets of links are now.
//!
//! Looks at the tree when it is asked, never before: a target that is where it was said
//! to be costs a look at its own file; only for one that is not is the tree walked, are
//! files searched for its symbol, and is git asked for renames.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::memory_file;
use crate::markdown::links::{Kind, Part, Target, normalize_path};
use crate::markdown::sections;
use crate::model::LinkState;
use crate::ops::Project;
use crate::ops::sync::SyncedStore;
use crate::syntax::parse::last_name;
use crate::syntax::{ParsedFile, language};
use crate::text;
use crate::tree::{git, read, walk};

/// How many places a note names.
const MAX_TOLD: usize = 3;

/// What a target came to.
#[derive(Debug, Clone)]
pub(super) struct Resolved {
    /// The node in the graph: a memory, or the ghost of something else.
    pub(super) node: String,
    pub(super) state: LinkState,
    /// Where it is now, as a target; none where it is nowhere.
    pub(super) found: Option<String>,
    pub(super) note: Option<String>,
}

/// Finds targets, and remembers what it had to look up.
pub(super) struct Resolver<'a> {
    project: &'a Project,
    synced: &'a SyncedStore<'a>,
    paths: OnceCell<Vec<String>>,
    renames: OnceCell<BTreeMap<String, String>>,
    symbols: FxHashMap<String, Option<Vec<String>>>,
    done: FxHashMap<String, Resolved>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(project: &'a Project, synced: &'a SyncedStore<'a>) -> Self {
        Self {
            project,
            synced,
            paths: OnceCell::new(),
            renames: OnceCell::new(),
            symbols: FxHashMap::default(),
            done: FxHashMap::default(),
        }
    }

    pub(super) fn resolve(&mut self, spelled: &str) -> Result<Resolved> {
        if let Some(known) = self.done.get(spelled) {
            return Ok(known.clone());
        }
        let resolved = match Target::parse(spelled) {
            Some(target) => self.target(&target)?,
            None => ghost(spelled.to_owned(), LinkState::Missing, None, None),
        };
        self.done.insert(spelled.to_owned(), resolved.clone());
        Ok(resolved)
    }

    fn target(&mut self, target: &Target) -> Result<Resolved> {
        match target.kind {
            Kind::Url => Ok(ghost(target.name.clone(), LinkState::External, None, None)),
            Kind::Memory => self.memory(target),
            Kind::Plain if memory_file(self.synced, &target.name)?.is_some() => self.memory(target),
            Kind::Plain => self.plain(target),
            Kind::Path => {
                let path = normalize_path(&target.name);
                let is_file = path.as_ref().is_some_and(|path| self.is_there(path));
                if !is_file && memory_file(self.synced, &target.name)?.is_some() {
                    return self.memory(target);
                }
                self.path(target, path)
            }
        }
    }

    fn is_there(&self, path: &str) -> bool {
        read::exists(&self.project.root, path)
    }

    fn memory(&self, target: &Target) -> Result<Resolved> {
        let node = format!("memory:{}", target.name);
        let of = |state, found, note| Ok(Resolved { node: node.clone(), state, found, note });
        let Some(file) = memory_file(self.synced, &target.name)? else {
            let ids = self.synced.ids()?;
            let ids = || ids.iter().map(|(id, _)| id.as_str());
            let other_case = ids().find(|id| id.eq_ignore_ascii_case(&target.name));
            if let Some(id) = other_case {
                let note = Some("the case of its letters is another".to_owned());
                return of(LinkState::Moved, Some(format!("memory:{id}")), note);
            }
            let near = text::suggest(&target.name, ids());
            let note = near.map(|near| format!("did you mean `memory:{near}`?"));
            return of(LinkState::Missing, None, note);
        };
        let Some(Part::Section(section)) = &target.part else {
            return of(LinkState::Live, Some(node.clone()), None);
        };
        let stored = self.synced.read(&file)?;
        let parsed = sections::parse(&stored.text);
        let selection = sections::select(&parsed, std::slice::from_ref(section));
        match selection.missing.first() {
            None => of(LinkState::Live, Some(node.clone()), None),
            Some(missing) => {
                let near = missing.suggestion.as_ref();
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                let note = format!("the memory has no section `{section}`{near}");
                of(LinkState::Missing, None, Some(note))
            }
        }
    }

    /// A name alone is a file's at the root, else one in the tree, else a symbol's.
    fn plain(&mut self, target: &Target) -> Result<Resolved> {
        if self.is_there(&target.name) {
            return self.path(target, normalize_path(&target.name));
        }
        let places = self.places_of(&target.name)?;
        if let Some(first) = places.first() {
            let note = (places.len() > 1).then(|| format!("defined in {}", told(&places)));
            let found = (places.len() == 1).then(|| first.clone());
            return Ok(ghost(target.to_string(), LinkState::Live, found, note));
        }
        self.path(target, normalize_path(&target.name))
    }

    fn path(&mut self, target: &Target, path: Option<String>) -> Result<Resolved> {
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            let note = Some("it leads out of the project".to_owned());
            return Ok(ghost(target.to_string(), LinkState::Outside, None, note));
        };
        let normal = Target { kind: Kind::Path, name: path.clone(), part: target.part.clone() };
        let node = normal.to_string();
        if self.is_there(&path) {
            return self.part(&normal);
        }
        if let Some((now, note)) = self.moved(&path)? {
            let moved = Target { name: now, ..normal };
            let inside = self.part(&moved)?;
            let found = inside.found.or_else(|| Some(moved.name.clone()));
            return Ok(ghost(node, LinkState::Moved, found, Some(note)));
        }
        let places = match &target.part {
            Some(Part::Symbol(symbol)) => self.places_of(symbol)?,
            _ => Vec::new(),
        };
        Ok(match places.as_slice() {
            [] => ghost(node, LinkState::Missing, None, self.near(&path)?),
            [one] => ghost(
                node,
                LinkState::Moved,
                Some(one.clone()),
                Some("its symbol is there now".to_owned()),
            ),
            several => {
                let note = format!("its symbol is defined in {}", told(several));
                ghost(node, LinkState::Missing, None, Some(note))
            }
        })
    }

    /// Looks for the part of a file that is there.
    fn part(&mut self, target: &Target) -> Result<Resolved> {
        let node = target.to_string();
        let live = |note| Ok(ghost(node.clone(), LinkState::Live, Some(node.clone()), note));
        match &target.part {
            None | Some(Part::Section(_)) => live(None),
            Some(Part::Lines(_, last)) => {
                let n_lines = read::text(&self.project.root, &target.name)
                    .map_or(0, |text| text.lines().count());
                if (*last as usize) < n_lines {
                    return live(None);
                }
                let note = format!("the file has only {n_lines} lines");
                Ok(ghost(node.clone(), LinkState::Missing, None, Some(note)))
            }
            Some(Part::Symbol(symbol)) => {
                let Some(known) = self.symbols_of(&target.name) else {
                    return live(Some("symbols of such files are not known".to_owned()));
                };
                if known.iter().any(|name| is_tail(name, symbol)) {
                    return live(None);
                }
                let near = text::suggest(symbol, known.iter().map(String::as_str))
                    .map(|near| format!("; did you mean `{near}`?"))
                    .unwrap_or_default();
                let places = self.places_of(symbol)?;
                Ok(match places.as_slice() {
                    [one] => {
                        let note = "its symbol is there now".to_owned();
                        ghost(node.clone(), LinkState::Moved, Some(one.clone()), Some(note))
                    }
                    [] => {
                        let note = format!("the file defines no `{symbol}`{near}");
                        ghost(node.clone(), LinkState::Missing, None, Some(note))
                    }
                    several => {
                        let note = format!("its symbol is defined in {}", told(several));
                        ghost(node.clone(), LinkState::Missing, None, Some(note))
                    }
                })
            }
        }
    }

    fn paths(&self) -> Result<&[String]> {
        if let Some(paths) = self.paths.get() {
            return Ok(paths);
        }
        let found = walk::all_paths(&self.project.root)?;
        Ok(self.paths.get_or_init(|| found))
    }

    /// Returns where a file that is not at `path` is now, and why that is thought so.
    fn moved(&self, path: &str) -> Result<Option<(String, String)>> {
        let paths = self.paths()?;
        let only = |is_it: &dyn Fn(&str) -> bool| {
            let mut found = paths.iter().filter(|path| is_it(path));
            found.next().filter(|_| found.next().is_none()).cloned()
        };
        if let Some(now) = only(&|it| it.eq_ignore_ascii_case(path)) {
            return Ok(Some((now, "the case of its letters is another".to_owned())));
        }
        let base = base_name(path);
        if let Some(now) = only(&|it| base_name(it) == base) {
            return Ok(Some((now, "the only file of that name".to_owned())));
        }
        let renames = self.renames.get_or_init(|| git::renames(&self.project.root));
        let mut at = path;
        // A chain of renames is no longer than there are renames.
        for _ in 0..renames.len() {
            let Some(next) = renames.get(at) else { break };
            if self.is_there(next) {
                return Ok(Some((next.clone(), "git says that it was renamed".to_owned())));
            }
            at = next;
        }
        Ok(None)
    }

    fn near(&self, path: &str) -> Result<Option<String>> {
        let near = text::suggest(path, self.paths()?.iter().map(String::as_str));
        Ok(near.map(|near| format!("did you mean `{near}`?")))
    }

    /// Returns the symbols of a file, or nothing where none can be known.
    fn symbols_of(&mut self, path: &str) -> Option<&[String]> {
        let root = &self.project.root;
        self.symbols
            .entry(path.to_owned())
            .or_insert_with(|| symbols(root, path, &|_| true))
            .as_deref()
    }

    /// Returns each place of the tree that defines a symbol, as a target.
    fn places_of(&self, symbol: &str) -> Result<Vec<String>> {
        let name = last_name(symbol);
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        if !is_name {
            return Ok(Vec::new());
        }
        let finder = memchr::memmem::Finder::new(name);
        let root = &self.project.root;
        let found: Vec<Vec<String>> = self
            .paths()?
            .par_iter()
            .map(|path| {
                let known = symbols(root, path, &|text| finder.find(text.as_bytes()).is_some());
                let mut names = known.unwrap_or_default();
                names.retain(|name| is_tail(name, symbol));
                names.dedup();
                names.into_iter().map(|name| format!("{path}::{name}")).collect()
            })
            .collect();
        Ok(found.concat())
    }
}

fn ghost(node: String, state: LinkState, found: Option<String>, note: Option<String>) -> Resolved {
    Resolved { node: format!("ghost:{node}"), state, found, note }
}

/// Returns the symbols of a file, if it is code of a known language whose text is wanted.
fn symbols(root: &Path, path: &str, is_wanted: &dyn Fn(&str) -> bool) -> Option<Vec<String>> {
    let language = language::from_path(path)?;
    let text = read::text(root, path).ok().filter(|text| is_wanted(text))?;
    let source = ParsedFile::outline(language, &text);
    Some(source.symbols.into_iter().map(|symbol| symbol.name).collect())
}

/// Returns whether `symbol` means the qualified `name`: it is the name, or its tail at a dot.
pub(super) fn is_tail(name: &str, symbol: &str) -> bool {
    name.strip_suffix(symbol).is_some_and(|head| head.is_empty() || head.ends_with('.'))
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn told(places: &[String]) -> String {
    let named: Vec<String> =
        places.iter().take(MAX_TOLD).map(|place| format!("`{place}`")).collect();
    match places.len().saturating_sub(MAX_TOLD) {
        0 => named.join(", "),
        more => format!("{} and {more} more places", named.join(", ")),
    }
}
