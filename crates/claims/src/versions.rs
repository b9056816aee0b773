//! Versions of files, with what was found in them.
//!
//! Many claims ask about the same versions, so each of them is read and parsed once, and a question
//! about a name does not read its text again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use cerberus_engine::syntax::parse::{Symbol, last_name};
use cerberus_engine::syntax::{ParsedFile, language};
use cerberus_engine::track;
use cerberus_markdown::frontmatter;
use cerberus_model::{SymbolKind, text};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use rustc_hash::{FxHashMap, FxHashSet};

use super::manifests::{self, Manifests};
use super::words;
use crate::kinds::path::Part;

/// Maximum length of the name of an anchor in HTML.
const MAX_NAME: usize = 300;

/// Maximum number of bytes of the versions that are stored.
const MAX_STORED: usize = 64 * 1024 * 1024;

/// The versions that were read, by their paths and names. Those that cannot be read are known too.
#[derive(Default)]
pub(super) struct Versions {
    stored: FxHashMap<(String, String), Option<Arc<Version>>>,
    n_bytes: usize,
}

impl Versions {
    /// Returns the version of a file with a name: its object, or an empty name for the working tree.
    pub(super) fn get(
        &mut self,
        path: &str,
        name: &str,
        read: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Option<Arc<Version>> {
        let key = (path.to_owned(), name.to_owned());
        if let Some(known) = self.stored.get(&key) {
            return known.clone();
        }
        let version = read().map(|bytes| Arc::new(Version::new(path, &bytes)));
        self.n_bytes += version.as_ref().map_or(0, |it| it.text.len());
        if self.n_bytes > MAX_STORED {
            (self.stored, self.n_bytes) = Default::default();
        }
        self.stored.insert(key, version.clone());
        version
    }
}

/// A version of a file.
#[derive(Default)]
pub(super) struct Version {
    path: String,
    pub(super) text: String,
    n_lines: OnceLock<usize>,
    /// The last part of the package that it declares.
    package: OnceLock<Option<String>>,
    words: OnceLock<FxHashSet<String>>,
    /// The slugs of its headings, in lower case.
    slugs: OnceLock<FxHashSet<String>>,
    /// The words that it defines, as far as that is clear without a parse.
    defined: OnceLock<FxHashSet<String>>,
    /// The words outside comments.
    used: OnceLock<FxHashSet<String>>,
    /// `None` for a language that is not parsed.
    symbols: OnceLock<Option<Symbols>>,
    manifests: OnceLock<Manifests>,
    code: OnceLock<track::Version>,
}

impl Version {
    pub(super) fn new(path: &str, bytes: &[u8]) -> Self {
        let (path, text) = (path.to_owned(), text::decode(bytes).0.into_owned());
        Self {
            path,
            text,
            ..Self::default()
        }
    }

    fn words(&self) -> &FxHashSet<String> {
        self.words
            .get_or_init(|| words::all(&self.text).map(str::to_owned).collect())
    }

    /// Returns whether the version has a part.
    pub(super) fn has_part(&self, part: &Part) -> bool {
        match part {
            Part::Line(line) => {
                let n_lines = *self.n_lines.get_or_init(|| self.text.lines().count());
                n_lines >= usize::try_from(*line).unwrap_or(usize::MAX)
            }
            Part::Symbol(symbol) => {
                let name = symbol.rsplit('.').next().unwrap_or_default();
                if words::all(name).next() == Some(name) {
                    self.words().contains(name)
                } else {
                    words::has_word(&self.text, name)
                }
            }
            Part::Heading(slug) => {
                let slugs = || {
                    let mut slugs = FxHashSet::default();
                    for slug in heading_slugs(&self.text) {
                        slugs.insert(same_for_all_sites(&slug));
                    }
                    slugs
                };
                self.slugs
                    .get_or_init(slugs)
                    .contains(&same_for_all_sites(slug))
            }
        }
    }

    /// Returns whether the version defines a qualified name. A file that is clear without a parse is
    /// not parsed.
    pub(super) fn has(&self, parts: &[String]) -> bool {
        let Some((name, qualifiers)) = parts.split_last() else {
            return false;
        };
        let qualifier = qualifiers.last();
        if !self.words().contains(name) {
            return false;
        }
        let is_here = qualifier.is_none_or(|qualifier| self.is_within(qualifier));
        (is_here && self.defines(name))
            || self.symbol(parts).is_some()
            || qualifier.is_some_and(|class| self.has_member(class, name))
    }

    /// Returns whether a word follows one that introduces a definition, or is assigned at the start
    /// of a line.
    pub(super) fn defines(&self, name: &str) -> bool {
        let words = || {
            words::defined_in(&self.text)
                .into_iter()
                .map(str::to_owned)
                .collect()
        };
        self.defined.get_or_init(words).contains(name)
    }

    /// Returns whether the code contains a word outside its comments.
    pub(super) fn uses(&self, word: &str) -> bool {
        let words = || {
            let code = words::without_comments(&self.path, &self.text);
            words::all(&String::from_utf8_lossy(&code))
                .map(str::to_owned)
                .collect()
        };
        self.words().contains(word) && self.used.get_or_init(words).contains(word)
    }

    /// Returns whether the file declares a name: as a function, a type, a module or a constant, not
    /// only as a field, a key, a parameter or a local variable.
    pub(super) fn declares(&self, name: &str) -> bool {
        match self.symbols() {
            Some(symbols) => symbols
                .named(name, "")
                .any(|it| it.kind != SymbolKind::Variable || it.parent.is_none()),
            None => words::declares(&self.text, name),
        }
    }

    /// Returns whether the version, in a parsed language, defines a function or a type of this name.
    pub(super) fn has_function(&self, parts: &[String]) -> bool {
        let Some((name, symbols)) = parts.last().zip(self.symbols()) else {
            return false;
        };
        symbols
            .named(name, "")
            .any(|symbol| symbol.kind != SymbolKind::Variable)
    }

    /// Returns the qualified name under which the version, in a parsed language, defines a name.
    pub(super) fn symbol(&self, parts: &[String]) -> Option<&str> {
        let (name, qualifiers) = parts.split_last()?;
        let qualifier = qualifiers.last().filter(|it| !self.is_within(it));
        let mut named = self
            .symbols()?
            .named(name, qualifier.map_or("", String::as_str));
        named.next().map(|symbol| symbol.name.as_str())
    }

    /// Returns the code of a symbol with this qualified name.
    pub(super) fn locate(&self, symbol: &str) -> Option<track::Located> {
        let parse = || track::Version::parse(&self.path, self.text.as_bytes());
        self.code.get_or_init(parse).locate(symbol)
    }

    /// Returns whether a qualifier names the file, a folder around it, or the package that it declares.
    fn is_within(&self, qualifier: &str) -> bool {
        let mut modules = self.modules();
        modules.any(|part| is_module(part, qualifier)) || self.package() == Some(qualifier)
    }

    /// Returns the last part of the package that the file declares.
    pub(super) fn package(&self) -> Option<&str> {
        let package = |line: &str| {
            let name = line.strip_prefix("package ")?.split([';', ' ']).next()?;
            Some(last_name(name).to_owned())
        };
        self.package
            .get_or_init(|| self.text.lines().find_map(package))
            .as_deref()
    }

    /// Returns the folders around the file and its name without the ending.
    pub(super) fn modules(&self) -> impl Iterator<Item = &str> {
        let path = self
            .path
            .rsplit_once('.')
            .map_or(&*self.path, |(stem, _)| stem);
        path.split('/')
    }

    /// Returns whether the text contains a word.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.words().contains(word)
    }

    /// Returns what the version says as a manifest.
    pub(super) fn manifests(&self) -> &Manifests {
        let read = || manifests::read(&self.path, &self.text);
        self.manifests
            .get_or_init(|| Manifests(BTreeMap::from([(self.path.clone(), Arc::new(read()))])))
    }

    /// Returns whether a class has a field, a variant or an attribute, which is not a symbol.
    fn has_member(&self, class: &str, name: &str) -> bool {
        let mut classes = self
            .symbols()
            .into_iter()
            .flat_map(|symbols| symbols.named(class, ""));
        classes.any(|symbol| words::has_word(symbol.span.slice(&self.text), name))
    }

    fn symbols(&self) -> Option<&Symbols> {
        let parse = || {
            let language = language::from_path(&self.path)?;
            Some(Symbols::new(
                ParsedFile::outline(language, &self.text).symbols,
            ))
        };
        self.symbols.get_or_init(parse).as_ref()
    }
}

/// Returns whether a folder or a file has the name of a module, which may be written with `_` for `-`.
pub(super) fn is_module(part: &str, name: &str) -> bool {
    part == name || part.replace('-', "_") == name
}

struct Symbols {
    all: Vec<Symbol>,
    /// Their positions by the last part of the name, alone and with each of the other parts.
    idxs: FxHashMap<(String, String), Vec<usize>>,
}

impl Symbols {
    fn new(all: Vec<Symbol>) -> Self {
        let mut idxs: FxHashMap<(String, String), Vec<usize>> = FxHashMap::default();
        for (idx, Symbol { name, .. }) in all.iter().enumerate() {
            let outer: BTreeSet<&str> = name.split('.').rev().skip(1).chain([""]).collect();
            for outer in outer {
                let key = (last_name(name).to_owned(), outer.to_owned());
                idxs.entry(key).or_default().push(idx);
            }
        }
        Self { all, idxs }
    }

    /// Returns the symbols with a name in a class or module, or anywhere if that is empty.
    fn named(&self, name: &str, within: &str) -> impl Iterator<Item = &Symbol> {
        let idxs = self.idxs.get(&(name.to_owned(), within.to_owned()));
        idxs.into_iter().flatten().map(|idx| &self.all[*idx])
    }
}

/// Returns a slug without the differences between sites: some drop the marks at its start.
fn same_for_all_sites(slug: &str) -> String {
    slug.to_lowercase().trim_matches('-').to_owned()
}

/// Returns the slugs of the headings of a document, and of the anchors in its HTML.
pub(crate) fn heading_slugs(text: &str) -> Vec<String> {
    let mut slugs = cerberus_markdown::sections::Slugs::default();
    let mut found = Vec::new();
    // The title of the heading that is open, in a quote or a list, too.
    let mut title: Option<String> = None;
    let body = &text[frontmatter::body_start(text)..];
    for event in Parser::new_ext(body, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => title = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let title = title.take().unwrap_or_default();
                found.extend(slugs.slug(&title));
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some(title) = &mut title {
                    title.push_str(&part);
                }
            }
            Event::SoftBreak => {
                if let Some(title) = &mut title {
                    title.push(' ');
                }
            }
            _ => {}
        }
    }
    for marker in ["id=\"", "name=\"", "{#"] {
        for (at, _) in text.match_indices(marker) {
            let name = text[at + marker.len()..].chars().take(MAX_NAME);
            found.push(name.take_while(|c| !matches!(c, '"' | '}')).collect());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_once() {
        let (mut versions, mut n_reads) = (Versions::default(), 0);
        for name in ["load", "Rows.load", "Other.load", "a.load", "save", "note"] {
            let version = versions.get("a.py", "1", || {
                n_reads += 1;
                Some(
                    b"class Rows:\n    key = 1\n    def load(self):\n        pass # note\n"
                        .to_vec(),
                )
            });
            let parts: Vec<String> = name.split('.').map(str::to_owned).collect();
            let has = ["load", "Rows.load", "a.load"].contains(&name);
            assert_eq!(
                version.is_some_and(|version| version.has(&parts)),
                has,
                "{name}"
            );
        }
        assert_eq!(n_reads, 1);
        assert!(versions.get("a.py", "2", || None).is_none());
        assert!(versions.get("a.py", "2", || Some(Vec::new())).is_none());
    }

    #[test]
    fn a_name_in_a_comment_or_a_member_of_a_class_is_known() {
        let version = Version::new("a.py", b"class Rows:\n    key = 1\n# note\n");
        let has = |parts: [&str; 2]| version.has(&parts.map(str::to_owned));
        assert!(has(["Rows", "key"]) && !has(["Other", "key"]) && !has(["Rows", "note"]));
        assert!(version.uses("key") && !version.uses("note") && !version.uses("other"));
        assert!(version.declares("Rows") && !version.declares("note"));
    }

    #[test]
    fn a_qualifier_is_the_name_of_a_package() {
        let parts = ["site".to_owned(), "Serve".to_owned()];
        for (package, expected) in [("site", true), ("a.b.site;", true), ("main", false)] {
            let text = format!("// A.\npackage {package}\n\nfunc Serve() {{}}\n");
            let version = Version::new("serve.go", text.as_bytes());
            assert_eq!(version.has(&parts), expected, "{package}");
            assert_eq!(version.symbol(&parts).is_some(), expected, "{package}");
        }
    }

    #[test]
    fn lines_names_and_headings_are_parts() {
        let version = Version::new("a.md", b"# A b\n\nx.get_y c-d\n");
        let symbol = |name: &str| Part::Symbol(name.to_owned());
        let heading = |slug: &str| Part::Heading(slug.to_owned());
        let parts = [
            (Part::Line(3), true),
            (Part::Line(4), false),
            (symbol("x.get_y"), true),
            (symbol("get"), false),
            (symbol("c-d"), true),
            (symbol("d-c"), false),
            (heading("a-b"), true),
            (heading("A-b"), true),
            (heading("b"), false),
        ];
        for (part, expected) in parts {
            assert_eq!(version.has_part(&part), expected, "{part:?}");
        }
    }
}
