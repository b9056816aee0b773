//! The symbols of a file, with the features that anchors are compared with.

use std::path::Path;

use anyhow::Result;

use crate::model::{Fingerprint, Language, SymbolKind};
use crate::syntax::fingerprint::{self, Code, NOTHING, Print, name_hash, short_hash, split_name};
use crate::syntax::{Source, language};
use crate::text::{self, LineIndex};
use crate::tree::read;

use super::FoundSymbol;

/// A symbol, or a whole file, that an anchor may be on.
#[derive(Debug)]
pub(super) struct FileSymbol {
    /// The qualified name, or `None` for the file itself.
    pub(super) name: Option<String>,
    pub(super) kind: SymbolKind,
    /// The first and the last line.
    pub(super) lines: (u32, u32),
    pub(super) print: Print,
    /// The index of its container in [`FileSymbols::containers`].
    pub(super) container_idx: usize,
    /// The hashes of the names of the definitions right before and after it in its container.
    pub(super) between: [u16; 2],
}

/// A class, module or file with the symbols directly inside it.
#[derive(Debug)]
pub(super) struct Container {
    name: String,
    /// The hashes of the distinct last names of its symbols, sorted.
    pub(super) member_names: Vec<u64>,
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
    pub(super) containers: Vec<Container>,
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
        let language = language::of_path(path);
        let mut this = Self {
            path: path.to_owned(),
            hash: fingerprint::bytes_hash(bytes),
            language,
            symbols: Vec::new(),
            containers: Vec::new(),
        };
        let whole = match language {
            None => fingerprint::of_plain_text(text),
            Some(language) => {
                let source = match filter {
                    Some(_) => Source::parse(language, text),
                    None => Source::outline(language, text),
                };
                let code = filter.map(|_| Code::new(text, &source));
                let print = |name: Option<&str>, of: &dyn Fn(&Code<'_>) -> Print| {
                    let is_selected = filter.is_some_and(|filter| filter(name));
                    code.as_ref().filter(|_| is_selected).map(of).unwrap_or_default()
                };
                for (symbol_idx, symbol) in source.symbols.iter().enumerate() {
                    let container_idx = this.add_to_container(&symbol.name);
                    this.symbols.push(FileSymbol {
                        name: Some(symbol.name.clone()),
                        kind: symbol.kind,
                        lines: (line(symbol.span.start), line(symbol.span.end.saturating_sub(1))),
                        print: print(Some(&symbol.name), &|code| code.symbol(symbol_idx)),
                        container_idx,
                        between: [NOTHING; 2],
                    });
                }
                print(None, &|code| code.file())
            }
        };
        let container_idx = this.add_to_container("");
        this.symbols.push(FileSymbol {
            name: None,
            kind: SymbolKind::File,
            lines: (0, line(text.len().saturating_sub(1))),
            print: whole,
            container_idx,
            between: [NOTHING; 2],
        });
        this.set_between();
        for container in &mut this.containers {
            container.member_names.sort_unstable();
            container.member_names.dedup();
        }
        this
    }

    /// Sets for each symbol the nearest definitions with another name before and after it in its
    /// container. Overloads and accessors of one name have the same neighbours.
    fn set_between(&mut self) {
        let mut members: Vec<Vec<(usize, u16)>> = vec![Vec::new(); self.containers.len()];
        for (symbol_idx, symbol) in self.symbols.iter().enumerate() {
            if let Some(name) = &symbol.name {
                let hash = short_hash(name_hash(split_name(name).1));
                members[symbol.container_idx].push((symbol_idx, hash));
            }
        }
        for members in members {
            for (member_idx, &(symbol_idx, own)) in members.iter().enumerate() {
                let has_other_name = |member: &&(usize, u16)| member.1 != own;
                let before = members[..member_idx].iter().rev().find(has_other_name);
                let after = members[member_idx..].iter().find(has_other_name);
                self.symbols[symbol_idx].between =
                    [before, after].map(|member| member.map_or(NOTHING, |member| member.1));
            }
        }
    }

    /// Adds a name to its container and returns the index of the container.
    fn add_to_container(&mut self, qualified: &str) -> usize {
        let (container, name) = split_name(qualified);
        let found = self.containers.iter().rposition(|it| it.name == container);
        let idx = found.unwrap_or_else(|| {
            self.containers
                .push(Container { name: container.to_owned(), member_names: Vec::new() });
            self.containers.len() - 1
        });
        if !name.is_empty() {
            self.containers[idx].member_names.push(name_hash(name));
        }
        idx
    }

    /// Returns whether the file defines a symbol of this qualified name.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.symbols.iter().any(|symbol| symbol.name.as_deref() == Some(name))
    }

    /// Returns the container and the name of a symbol, or the folder and the name of the file.
    pub(super) fn split_name<'f>(&'f self, symbol: &'f FileSymbol) -> (&'f str, &'f str) {
        match &symbol.name {
            Some(name) => split_name(name),
            None => split_path(&self.path),
        }
    }

    /// Returns the location of a symbol.
    pub(super) fn found(&self, symbol_idx: usize, similarity: f64) -> FoundSymbol {
        let symbol = &self.symbols[symbol_idx];
        FoundSymbol {
            file: self.path.clone(),
            symbol: symbol.name.clone(),
            kind: symbol.kind,
            language: self.language,
            lines: Some(symbol.lines),
            similarity,
        }
    }

    /// Returns the complete fingerprint of a symbol.
    pub(super) fn fingerprint(&self, symbol_idx: usize) -> Fingerprint {
        let symbol = &self.symbols[symbol_idx];
        let mut fingerprint = Fingerprint { file: self.hash, ..symbol.print.kept.clone() };
        if symbol.name.is_some() {
            let names: Vec<&str> =
                self.symbols.iter().filter_map(|symbol| symbol.name.as_deref()).collect();
            (fingerprint.between, fingerprint.beside) = fingerprint::neighbours(&names, symbol_idx);
        }
        fingerprint
    }
}

/// Returns the file at `path`, if it is in `files`, which are sorted by path.
pub(super) fn find_file(files: &[FileSymbols], path: &str) -> Option<usize> {
    files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()
}

/// Returns the folder and the file name.
pub(super) fn split_path(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}
