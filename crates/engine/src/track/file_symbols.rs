//! The symbols of a file, with the features that anchors are compared with.

use std::path::Path;

use anyhow::Result;
use cerberus_model::{Anchor, Fingerprint, Language, LineIndex, Span, SymbolKind, sorted, text};
use rustc_hash::FxHashMap;

use super::in_place::plain_name;
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
        let line = |offset| u32::try_from(lines.line(offset)).unwrap_or(u32::MAX);
        let language = language::from_path(path);
        let new = |name, kind, span: Span, features| FileSymbol {
            name,
            last_start: 0,
            kind,
            lines: (line(span.start), line(span.end.saturating_sub(1))),
            heading: Span::new(0, 0),
            features,
            container_idx: 0,
            between: [NO_NEIGHBOUR; 2],
            body: Vec::new(),
        };
        let mut symbols = Vec::new();
        let whole =
            match language {
                None => fingerprint::plain_text(text),
                Some(language) => {
                    let source = match filter {
                        Some(_) => ParsedFile::parse(language, text),
                        None => ParsedFile::outline(language, text),
                    };
                    let code = filter.map(|_| FileFeatures::new(text, &source));
                    let features =
                        |name: Option<&str>, of: &dyn Fn(&FileFeatures<'_>) -> SymbolFeatures| {
                            let is_selected = filter.is_some_and(|filter| filter(name));
                            code.as_ref()
                                .filter(|_| is_selected)
                                .map(of)
                                .unwrap_or_default()
                        };
                    symbols.extend(source.symbols.iter().enumerate().map(
                        |(symbol_idx, symbol)| {
                            let features =
                                features(Some(&symbol.name), &|code| code.symbol(symbol_idx));
                            FileSymbol {
                                heading: Span::new(symbol.name_span.end, symbol.body_start),
                                ..new(
                                    Some(symbol.name.clone()),
                                    symbol.kind,
                                    symbol.span,
                                    features,
                                )
                            }
                        },
                    ));
                    if language.is_component() {
                        fingerprint::plain_text(text)
                    } else {
                        features(None, &|code| code.file())
                    }
                }
            };
        symbols.push(new(None, SymbolKind::File, Span::new(0, text.len()), whole));
        let (members, member_names) = set_containers(&mut symbols);
        let (path, hash) = (path.to_owned(), fingerprint::bytes_hash(bytes));
        let mut idxs: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (idx, symbol) in symbols.iter().enumerate() {
            idxs.entry(plain_name(symbol.name.as_deref()).into_owned())
                .or_default()
                .push(idx);
        }
        Self {
            path,
            hash,
            language,
            symbols,
            member_names,
            members,
            idxs,
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

    /// Returns what only this symbol of the file is called, or `None` for the file itself.
    pub(super) fn unique_name(&self, symbol_idx: usize) -> Option<String> {
        let name = self.symbols[symbol_idx].name.as_deref()?;
        let mut same = self.same(symbol_idx).map(|(idx, _)| idx);
        let number = same
            .position(|idx| idx == symbol_idx)
            .map_or(0, |position| position + 1);
        let is_only = number == 1 && same.next().is_none();
        Some(if is_only {
            name.to_owned()
        } else {
            format!("{name}#{number}")
        })
    }

    /// Returns the symbols whose qualified name is spelled as that of a symbol.
    fn same(&self, symbol_idx: usize) -> impl Iterator<Item = (usize, &FileSymbol)> {
        let name = self.symbols[symbol_idx].name.as_deref();
        self.named(name)
            .filter(move |(_, it)| it.name.as_deref() == name)
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
            let name = |idx: usize| self.symbols[idx].name.as_deref().unwrap_or_default();
            (fingerprint.between, fingerprint.beside) =
                fingerprint::neighbours(&self.members[symbol.container_idx], name, symbol_idx);
            let others = self.same(symbol_idx).filter(|(idx, _)| *idx != symbol_idx);
            let others = others.map(|(_, it)| fingerprint::namesake(&it.features.fingerprint));
            fingerprint.namesakes = others.take(MAX_NAMESAKES).collect();
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
    let sorted_names = |members: Vec<(usize, u64)>| {
        let others = other_neighbours(&members);
        for (&(symbol_idx, _), between) in members.iter().zip(others) {
            symbols[symbol_idx].between = between;
        }
        let (members, names): (Vec<usize>, Vec<u64>) = members.into_iter().unzip();
        (members, sorted(names))
    };
    containers.into_iter().map(sorted_names).collect()
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
