//! Resolution of link targets against the current tree.
//!
//! The tree is read on demand. A target that exists as written costs one read of its file. Only for
//! a missing target is the tree walked, searched for its symbol, and git queried for renames.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use cerberus_engine::syntax::parse::last_name;
use cerberus_engine::syntax::{ParsedFile, language};
use cerberus_engine::tree::{git, read, walk};
use cerberus_markdown::links::{Kind, Part, Target, normalize_path};
use cerberus_markdown::sections;
use cerberus_model::{LinkState, split_number, text};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;

use crate::ops::Project;
use crate::sync::SyncedStore;

/// Maximum number of locations that a note lists.
const MAX_LISTED: usize = 3;

const DIFFERS_IN_CASE: &str = "the name differs in case";

/// Resolved link target.
#[derive(Debug, Clone)]
pub(super) struct Resolved {
    /// Node in the graph: a memory, or a ghost.
    pub(super) node: String,
    pub(super) state: LinkState,
    /// Current location, in the syntax of a link target.
    pub(super) location: Option<String>,
    pub(super) note: Option<String>,
}

/// Resolves link targets and caches the results.
pub(super) struct Resolver<'a> {
    project: &'a Project,
    synced: &'a SyncedStore,
    paths: OnceCell<Vec<String>>,
    renames: OnceCell<BTreeMap<String, String>>,
    symbols: FxHashMap<String, Option<Vec<String>>>,
    cache: FxHashMap<String, Resolved>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(project: &'a Project, synced: &'a SyncedStore) -> Self {
        Self {
            project,
            synced,
            paths: OnceCell::new(),
            renames: OnceCell::new(),
            symbols: FxHashMap::default(),
            cache: FxHashMap::default(),
        }
    }

    /// Resolves a target as written in a link.
    pub(super) fn resolve(&mut self, text: &str) -> Result<Resolved> {
        if let Some(cached) = self.cache.get(text) {
            return Ok(cached.clone());
        }
        let resolved = match Target::parse(text) {
            Some(target) => self.resolve_target(&target)?,
            None => ghost(text, LinkState::Missing, None, None),
        };
        self.cache.insert(text.to_owned(), resolved.clone());
        Ok(resolved)
    }

    fn resolve_target(&mut self, target: &Target) -> Result<Resolved> {
        match target.kind {
            Kind::Url => Ok(ghost(&target.name, LinkState::External, None, None)),
            Kind::Memory => self.resolve_memory(target),
            Kind::Plain if self.synced.file_of(&target.name)?.is_some() => {
                self.resolve_memory(target)
            }
            Kind::Plain => self.resolve_name(target),
            Kind::Path => {
                let path = normalize_path(&target.name);
                let is_file = match &path {
                    Some(path) => self.exists(path),
                    None => false,
                };
                if !is_file && self.synced.file_of(&target.name)?.is_some() {
                    return self.resolve_memory(target);
                }
                self.resolve_path(target, path)
            }
        }
    }

    fn exists(&self, path: &str) -> bool {
        read::exists(&self.project.root, path)
    }

    fn resolve_memory(&self, target: &Target) -> Result<Resolved> {
        let Some(file) = self.synced.file_of(&target.name)? else {
            return self.missing_memory(&target.name);
        };
        let node = format!("memory:{}", target.name);
        let mut resolved = Resolved {
            location: Some(node.clone()),
            node,
            state: LinkState::Live,
            note: None,
        };
        let Some(Part::Section(section)) = &target.part else {
            return Ok(resolved);
        };
        let stored = self.synced.read(&file)?;
        let parsed = sections::parse(&stored.text);
        let selection = sections::select(&parsed, std::slice::from_ref(section));
        if let Some(missing) = selection.missing.first() {
            let hint = near_hint(missing.nearest.as_deref());
            resolved.state = LinkState::Missing;
            resolved.location = None;
            resolved.note = Some(format!("the memory has no section `{section}`{hint}"));
        }
        Ok(resolved)
    }

    fn missing_memory(&self, name: &str) -> Result<Resolved> {
        let mut resolved = Resolved {
            node: format!("memory:{name}"),
            state: LinkState::Missing,
            location: None,
            note: None,
        };
        let ids = self.synced.ids()?;
        let mut known = ids.iter().map(|(id, _)| id.as_str());
        if let Some(id) = known.find(|id| id.eq_ignore_ascii_case(name)) {
            resolved.state = LinkState::Moved;
            resolved.location = Some(format!("memory:{id}"));
            resolved.note = Some(DIFFERS_IN_CASE.to_owned());
            return Ok(resolved);
        }
        let near = text::suggest(name, ids.iter().map(|(id, _)| id.as_str()));
        resolved.note = near.map(|near| format!("did you mean `memory:{near}`?"));
        Ok(resolved)
    }

    /// Resolves a name without a path: a file at the root, then a symbol, then a file anywhere.
    fn resolve_name(&mut self, target: &Target) -> Result<Resolved> {
        if !self.exists(&target.name) {
            let definitions = self.definitions(&target.name)?;
            let name = target.to_string();
            match &definitions[..] {
                [] => {}
                [one] => return Ok(ghost(&name, LinkState::Live, Some(one.clone()), None)),
                several => {
                    let note = format!("defined in {}", listed(several));
                    return Ok(ghost(&name, LinkState::Live, None, Some(note)));
                }
            }
        }
        self.resolve_path(target, normalize_path(&target.name))
    }

    fn resolve_path(&mut self, target: &Target, path: Option<String>) -> Result<Resolved> {
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            let note = Some("the path is outside the project".to_owned());
            return Ok(ghost(&target.to_string(), LinkState::Outside, None, note));
        };
        let target = Target {
            kind: Kind::Path,
            name: path.clone(),
            part: target.part.clone(),
        };
        if self.exists(&path) {
            return self.resolve_part(&target);
        }
        let name = target.to_string();
        if let Some((new_path, note)) = self.moved(&path)? {
            let moved = Target {
                name: new_path,
                ..target
            };
            let location = self.resolve_part(&moved)?.location.or(Some(moved.name));
            return Ok(ghost(&name, LinkState::Moved, location, Some(note)));
        }
        let definitions = match &target.part {
            Some(Part::Symbol(symbol)) => self.definitions(symbol)?,
            _ => Vec::new(),
        };
        match moved_symbol(&name, &definitions) {
            Some(resolved) => Ok(resolved),
            None => Ok(ghost(
                &name,
                LinkState::Missing,
                None,
                self.similar_path(&path)?,
            )),
        }
    }

    /// Resolves the symbol or the lines of a target whose file exists.
    fn resolve_part(&mut self, target: &Target) -> Result<Resolved> {
        let name = target.to_string();
        let mut note = None;
        match &target.part {
            None | Some(Part::Section(_)) => {}
            Some(Part::Lines(_, last)) => {
                let text = read::text(&self.project.root, &target.name).unwrap_or_default();
                let n_lines = text.lines().count();
                if (*last as usize) >= n_lines {
                    let note = format!("the file has only {n_lines} lines");
                    return Ok(ghost(&name, LinkState::Missing, None, Some(note)));
                }
            }
            Some(Part::Symbol(symbol)) => match self.symbols_of(&target.name) {
                None => note = Some("symbols of this file type are not indexed".to_owned()),
                Some(known) if known.iter().any(|name| is_tail(name, symbol)) => {}
                Some(known) => {
                    let hint = near_hint(text::suggest(symbol, known.iter().map(String::as_str)));
                    if let Some(moved) = moved_symbol(&name, &self.definitions(symbol)?) {
                        return Ok(moved);
                    }
                    let note = format!("the file does not define `{symbol}`{hint}");
                    return Ok(ghost(&name, LinkState::Missing, None, Some(note)));
                }
            },
        }
        Ok(ghost(&name, LinkState::Live, Some(name.clone()), note))
    }

    fn paths(&self) -> Result<&[String]> {
        if let Some(paths) = self.paths.get() {
            return Ok(paths);
        }
        let found = walk::files(&self.project.root, &[])?;
        Ok(self.paths.get_or_init(|| found))
    }

    /// Returns the new path of a file that does not exist at `path`, and the reason for that guess.
    fn moved(&self, path: &str) -> Result<Option<(String, String)>> {
        let paths = self.paths()?;
        let in_other_case = paths
            .iter()
            .filter(|known| known.eq_ignore_ascii_case(path));
        if let Some(found) = only(in_other_case) {
            return Ok(Some((found.clone(), DIFFERS_IN_CASE.to_owned())));
        }
        let base = base_name(path);
        let namesakes = paths.iter().filter(|known| base_name(known) == base);
        if let Some(found) = only(namesakes) {
            let why = "the only file with that name".to_owned();
            return Ok(Some((found.clone(), why)));
        }
        let renames = self
            .renames
            .get_or_init(|| git::renames(&self.project.root));
        let mut current = path;
        // Renames can form a cycle, so their number limits the length of the chain.
        for _ in 0..renames.len() {
            let Some(next) = renames.get(current) else {
                break;
            };
            if self.exists(next) {
                return Ok(Some((next.clone(), "renamed in git".to_owned())));
            }
            current = next;
        }
        Ok(None)
    }

    fn similar_path(&self, path: &str) -> Result<Option<String>> {
        let near = text::suggest(path, self.paths()?.iter().map(String::as_str));
        Ok(near.map(|near| format!("did you mean `{near}`?")))
    }

    /// Returns the symbols of a file, or `None` if its language is not supported.
    fn symbols_of(&mut self, path: &str) -> Option<&[String]> {
        let root = &self.project.root;
        self.symbols
            .entry(path.to_owned())
            .or_insert_with(|| symbols(root, path, &|_| true))
            .as_deref()
    }

    /// Returns the definitions of a symbol in the tree, in the syntax of link targets.
    fn definitions(&self, symbol: &str) -> Result<Vec<String>> {
        let name = last_name(symbol);
        let mut chars = name.chars();
        if !chars.all(|c| c.is_alphanumeric() || c == '_' || c == '$') {
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
                for name in &mut names {
                    *name = format!("{path}::{name}");
                }
                names
            })
            .collect();
        Ok(found.concat())
    }
}

/// Returns the only item, or `None` if there are several or none.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    if items.next().is_some() {
        return None;
    }
    Some(first)
}

/// Returns the end of a note about a missing name, with a similar one.
fn near_hint(near: Option<&str>) -> String {
    match near {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    }
}

fn ghost(
    target: &str,
    state: LinkState,
    location: Option<String>,
    note: Option<String>,
) -> Resolved {
    Resolved {
        node: format!("ghost:{target}"),
        state,
        location,
        note,
    }
}

/// Resolves a symbol that its file does not define by its definitions elsewhere, if there are any.
fn moved_symbol(target: &str, definitions: &[String]) -> Option<Resolved> {
    match definitions {
        [] => None,
        [one] => {
            let note = Some("the symbol is defined there".to_owned());
            Some(ghost(target, LinkState::Moved, Some(one.clone()), note))
        }
        several => {
            let note = format!("the symbol is defined in {}", listed(several));
            Some(ghost(target, LinkState::Missing, None, Some(note)))
        }
    }
}

/// Returns the symbols of a file, if its language is supported and `is_wanted` accepts its text.
fn symbols(root: &Path, path: &str, is_wanted: &dyn Fn(&str) -> bool) -> Option<Vec<String>> {
    let language = language::from_path(path)?;
    let text = read::text(root, path).ok()?;
    if !is_wanted(&text) {
        return None;
    }
    let outline = ParsedFile::outline(language, &text);
    let symbols = outline.symbols.into_iter();
    Some(symbols.map(|symbol| symbol.name).collect())
}

/// Returns whether `symbol` is the qualified `name` or its last parts.
fn is_tail(name: &str, symbol: &str) -> bool {
    match name.strip_suffix(split_number(symbol).0) {
        Some(head) => head.is_empty() || head.ends_with('.'),
        None => false,
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn listed(locations: &[String]) -> String {
    let first = locations.iter().take(MAX_LISTED);
    let quoted: Vec<String> = first.map(|location| format!("`{location}`")).collect();
    let listed = quoted.join(", ");
    match locations.len().saturating_sub(MAX_LISTED) {
        0 => listed,
        n_more => format!("{listed} and {n_more} more"),
    }
}
