//! The symbols of a file, with the features that anchors are compared with.

use std::path::Path;
use std::sync::OnceLock;

use anyhow::Result;
use cerberus_model::{Anchor, Fingerprint, Language, LineIndex, Span, SymbolKind, sorted, text};
use rustc_hash::FxHashMap;

use super::in_place::plain_name;
use super::rare_features::{self, RareFeatures};
use crate::rank::similarity::Names;
use crate::syntax::fingerprint::{
    FileFeatures, MAX_NAMESAKES, NO_NEIGHBOUR, SymbolFeatures, name_hash, short_hash, split_name,
};
use crate::syntax::{ParsedFile, fingerprint, language};
use crate::track::FoundSymbol;
use crate::tree::read;

/// A symbol, or a whole file, that an anchor may be on.
#[derive(Debug)]
pub(super) struct FileSymbol {
    /// The qualified name, or `None` for the file itself.
    pub(super) name: Option<String>,
    /// The start of the last part of the name.
    last_start: usize,
    pub(super) kind: SymbolKind,
    /// The first and the last line.
    pub(super) lines: (u32, u32),
    /// From the end of the name to the body.
    pub(super) heading: Span,
    pub(super) features: SymbolFeatures,
    /// The index in [`FileSymbols::member_names`] of the class, module or file that contains it.
    pub(super) container_idx: usize,
    /// The hashes of the names of the definitions right before and after it in its container.
    pub(super) between: [u16; 2],
    /// The hashes of the lines of a function's body, in the files of a commit.
    pub(super) body: Vec<u64>,
    names: OnceLock<Names>,
}

impl FileSymbol {
    /// Returns a symbol without a name and features.
    fn new(kind: SymbolKind, span: Span, lines: &LineIndex) -> Self {
        let line = |offset| u32::try_from(lines.line(offset)).unwrap_or(u32::MAX);
        Self {
            name: None,
            last_start: 0,
            kind,
            lines: (line(span.start), line(span.end.saturating_sub(1))),
            heading: Span::new(0, 0),
            features: SymbolFeatures::default(),
            container_idx: 0,
            between: [NO_NEIGHBOUR; 2],
            body: Vec::new(),
            names: OnceLock::new(),
        }
    }
}

/// Returns the symbols of a text, and the features of the whole text.
fn parse_symbols(
    language: Language,
    text: &str,
    lines: &LineIndex,
    filter: Option<Filter<'_>>,
) -> (Vec<FileSymbol>, SymbolFeatures) {
    let source = match filter {
        Some(_) => ParsedFile::parse(language, text),
        None => ParsedFile::outline(language, text),
    };
    let selection = filter.map(|filter| (filter, FileFeatures::new(text, &source)));
    let mut symbols = Vec::with_capacity(source.symbols.len() + 1);
    for (symbol_idx, symbol) in source.symbols.iter().enumerate() {
        let mut new = FileSymbol::new(symbol.kind, symbol.span, lines);
        if let Some((is_selected, features)) = &selection
            && is_selected(Some(&symbol.name))
        {
            new.features = features.symbol(symbol_idx);
        }
        new.name = Some(symbol.name.clone());
        new.heading = Span::new(symbol.name_span.end, symbol.body_start);
        symbols.push(new);
    }
    let whole = match &selection {
        Some((is_selected, features)) if !language.is_component() && is_selected(None) => {
            features.file()
        }
        _ => SymbolFeatures::default(),
    };
    (symbols, whole)
}

/// Selects the symbols whose features are computed, by qualified name; `None` is the whole file.
/// Computing the features takes as long as parsing.
pub(super) type Filter<'a> = &'a dyn Fn(Option<&str>) -> bool;

/// Computes the features of all symbols.
pub(super) const ALL: Option<Filter<'static>> = Some(&|_| true);

/// The symbols of a file in document order, and the file itself last.
#[derive(Debug)]
pub(super) struct FileSymbols {
    pub(super) path: String,
    /// The hash of the bytes of the file.
    pub(super) hash: u32,
    pub(super) language: Option<Language>,
    pub(super) symbols: Vec<FileSymbol>,
    /// For each container, the sorted hashes of the distinct last names of the symbols directly
    /// inside it.
    pub(super) member_names: Vec<Vec<u64>>,
    /// The positions of the symbols directly inside each container.
    members: Vec<Vec<usize>>,
    /// The positions of the symbols of each name.
    idxs: FxHashMap<String, Vec<usize>>,
    rare_features: OnceLock<RareFeatures>,
}

impl FileSymbols {
    /// Reads and parses the file at `path` below `root`.
    pub(super) fn read(root: &Path, path: &str, filter: Option<Filter<'_>>) -> Result<Self> {
        Ok(Self::parse(path, &read::bytes(root, path)?, filter))
    }

    /// Parses the content of a file. Without a filter, no features are computed.
    pub(super) fn parse(path: &str, bytes: &[u8], filter: Option<Filter<'_>>) -> Self {
        let text: &str = &text::decode(bytes).0;
        let lines = LineIndex::new(text);
        let language = language::from_path(path);
        let mut whole = FileSymbol::new(SymbolKind::File, Span::new(0, text.len()), &lines);
        let mut symbols = Vec::new();
        if let Some(language) = language {
            (symbols, whole.features) = parse_symbols(language, text, &lines, filter);
        }
        if language.is_none_or(Language::is_component) {
            whole.features = fingerprint::plain_text(text);
        }
        symbols.push(whole);
        let (members, member_names) = set_containers(&mut symbols);
        let mut idxs: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (idx, symbol) in symbols.iter().enumerate() {
            let name = plain_name(symbol.name.as_deref()).into_owned();
            idxs.entry(name).or_default().push(idx);
        }
        Self {
            path: path.to_owned(),
            hash: fingerprint::bytes_hash(bytes),
            language,
            symbols,
            member_names,
            members,
            idxs,
            rare_features: OnceLock::new(),
        }
    }

    /// Returns the symbols with the same qualified name, in document order.
    pub(super) fn named(&self, name: Option<&str>) -> impl Iterator<Item = (usize, &FileSymbol)> {
        let idxs = self.idxs.get(&*plain_name(name)).into_iter().flatten();
        idxs.map(|idx| (*idx, &self.symbols[*idx]))
    }

    /// Returns whether the file defines a symbol of this qualified name.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.named(Some(name))
            .any(|(_, symbol)| symbol.name.as_deref() == Some(name))
    }

    /// Returns the name that only this symbol of the file has, or `None` for the file itself.
    pub(super) fn unique_name(&self, symbol_idx: usize) -> Option<String> {
        let name = self.symbols[symbol_idx].name.as_deref()?;
        let mut number = 0;
        let mut n_same = 0;
        for (idx, _) in self.same(symbol_idx) {
            n_same += 1;
            if idx == symbol_idx {
                number = n_same;
            } else if number > 0 {
                break;
            }
        }
        Some(if number == 1 && n_same == 1 {
            name.to_owned()
        } else {
            format!("{name}#{number}")
        })
    }

    /// Returns the symbols whose qualified name is spelled as that of a symbol.
    fn same(&self, symbol_idx: usize) -> impl Iterator<Item = (usize, &FileSymbol)> {
        let name = self.symbols[symbol_idx].name.as_deref();
        self.named(name)
            .filter(move |(_, symbol)| symbol.name.as_deref() == name)
    }

    /// Returns the container and the name of a symbol, or the folder and the name of the file.
    pub(super) fn split_name<'f>(&'f self, symbol: &'f FileSymbol) -> (&'f str, &'f str) {
        match &symbol.name {
            Some(name) => (
                &name[..symbol.last_start.saturating_sub(1)],
                &name[symbol.last_start..],
            ),
            None => split_path(&self.path),
        }
    }

    /// Returns the names by which a symbol is compared.
    pub(super) fn names<'f>(&'f self, symbol: &'f FileSymbol) -> &'f Names {
        symbol
            .names
            .get_or_init(|| names(self.split_name(symbol), &self.path))
    }

    /// Returns the symbols by the features that few of them have.
    pub(super) fn rare_features(&self) -> &RareFeatures {
        self.rare_features.get_or_init(|| {
            let symbols = self.symbols.iter();
            RareFeatures::new(symbols.map(|symbol| rare_features::of_symbol(self, symbol)))
        })
    }

    /// Returns the location of a symbol.
    pub(super) fn found(&self, symbol_idx: usize, similarity: f64) -> FoundSymbol {
        let symbol = &self.symbols[symbol_idx];
        FoundSymbol {
            file: self.path.clone(),
            symbol: self.unique_name(symbol_idx),
            kind: symbol.kind,
            language: self.language,
            lines: Some(symbol.lines),
            similarity,
        }
    }

    /// Returns an anchor to a symbol, as if it had been recorded here.
    pub(super) fn anchor(&self, symbol_idx: usize) -> Anchor {
        let symbol = &self.symbols[symbol_idx];
        Anchor {
            file: self.path.clone(),
            symbol: self.unique_name(symbol_idx),
            kind: symbol.kind,
            language: self.language,
            fingerprint: self.fingerprint(symbol_idx),
            ..Anchor::default()
        }
    }

    /// Returns the complete fingerprint of a symbol.
    pub(super) fn fingerprint(&self, symbol_idx: usize) -> Fingerprint {
        let symbol = &self.symbols[symbol_idx];
        let mut fingerprint = Fingerprint {
            file: self.hash,
            ..symbol.features.fingerprint.clone()
        };
        if symbol.name.is_some() {
            (fingerprint.between, fingerprint.beside) = fingerprint::neighbours(
                &self.members[symbol.container_idx],
                |idx| self.symbols[idx].name.as_deref().unwrap_or_default(),
                symbol_idx,
            );
            fingerprint.namesakes = self
                .same(symbol_idx)
                .filter(|(idx, _)| *idx != symbol_idx)
                .map(|(_, other)| fingerprint::namesake(&other.features.fingerprint))
                .take(MAX_NAMESAKES)
                .collect();
        }
        fingerprint
    }
}

/// Sets the container of each symbol, and the nearest definitions with another name before and after
/// it in its container: overloads and accessors of one name have the same neighbours. Returns the
/// members of each container, and the hashes of their names.
fn set_containers(symbols: &mut [FileSymbol]) -> (Vec<Vec<usize>>, Vec<Vec<u64>>) {
    let mut container_idxs: FxHashMap<String, usize> = FxHashMap::default();
    let mut containers: Vec<Vec<(usize, u64)>> = Vec::new();
    for (symbol_idx, symbol) in symbols.iter_mut().enumerate() {
        let qualified = symbol.name.as_deref().unwrap_or_default();
        let (container, name) = split_name(qualified);
        symbol.last_start = qualified.len() - name.len();
        let next_idx = containers.len();
        let container_idx = *container_idxs
            .entry(container.to_owned())
            .or_insert(next_idx);
        if container_idx == next_idx {
            containers.push(Vec::new());
        }
        if symbol.name.is_some() {
            containers[container_idx].push((symbol_idx, name_hash(name)));
        }
        symbol.container_idx = container_idx;
    }
    let mut members = Vec::new();
    let mut member_names = Vec::new();
    for container in containers {
        let others = other_neighbours(&container);
        for (&(symbol_idx, _), between) in container.iter().zip(others) {
            symbols[symbol_idx].between = between;
        }
        let (idxs, names): (Vec<usize>, Vec<u64>) = container.into_iter().unzip();
        members.push(idxs);
        member_names.push(sorted(names));
    }
    (members, member_names)
}

/// Returns the nearest other names before and after each member.
fn other_neighbours(members: &[(usize, u64)]) -> Vec<[u16; 2]> {
    let names: Vec<u16> = members.iter().map(|member| short_hash(member.1)).collect();
    let mut others = vec![[NO_NEIGHBOUR; 2]; names.len()];
    // A file may define one name many thousand times, so each looks at its neighbour only.
    for idx in 1..names.len() {
        let before = names[idx - 1];
        others[idx][0] = if before == names[idx] {
            others[idx - 1][0]
        } else {
            before
        };
    }
    for idx in (1..names.len()).rev() {
        let after = names[idx];
        others[idx - 1][1] = if after == names[idx - 1] {
            others[idx][1]
        } else {
            after
        };
    }
    others
}

/// Returns the file at `path`, if it is in `files`, which are sorted by path.
pub(super) fn find_file(files: &[FileSymbols], path: &str) -> Option<usize> {
    files
        .binary_search_by(|file| file.path.as_str().cmp(path))
        .ok()
}

/// Returns the name of code, the last one of its container, and that of its module.
pub(super) fn names((container, name): (&str, &str), path: &str) -> Names {
    Names::new([name, split_name(container).1, module_name(path)])
}

/// Returns the last folder and the stem of the file, which name a module.
fn module_name(path: &str) -> &str {
    let start = path
        .rmatch_indices('/')
        .nth(1)
        .map_or(0, |(slash, _)| slash + 1);
    let name = &path[start..];
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Returns the folder and the file name.
pub(super) fn split_path(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_neighbours_are_the_nearest_with_another_name() {
        let members: Vec<(usize, u64)> = [1, 1, 2, 2, 2, 3, 1]
            .into_iter()
            .map(|name: u64| (0, name << 48))
            .collect();
        let found = other_neighbours(&members);
        assert_eq!(
            found,
            [[0, 2], [0, 2], [1, 3], [1, 3], [1, 3], [2, 1], [3, 0]]
        );
        assert_eq!(other_neighbours(&[]).len(), 0);
    }
}
