//! Files, folders and globs, with the part of the file that is named: links, imports, code, the lines of trees.

use crate::kinds::Kind;
use cerberus_engine::tree::git::past::TreeEntry;
use cerberus_engine::tree::{documents, read};
use cerberus_markdown::links::normalize_path;
use cerberus_model::text::Span;
use cerberus_model::text::conventions::{self, CONVENTIONS};

use super::{Code, Place, Read};
use crate::level::Evidence;
use crate::meant::{is_called_file, is_certain, is_in_sample};
use crate::now::{Holds, Now};
use crate::parse::classify;
use crate::report::Document;
use crate::snapshot::{self, Found};
use crate::then::{Needs, OldTree, Past, Truth, Writer};
use crate::paths::{folder_of, is_within};

/// Number of bytes before and after a claim in which the folder that it is about may be named.
const MAX_AROUND: usize = 600;

/// The files from which sites make the page of an address.
const PAGES: [&str; 5] = [".md", ".mdx", "/index.md", "/index.mdx", "/_index.md"];

/// The slug of the page of a repository, below the list of its files.
const README_SLUG: &str = "readme";

/// Starts of a line that puts another text in its place when a site is made, which may have the heading.
const INCLUDES: [&str; 6] = ["{{<", "{{%", "{% include", "--8<--", "```{include}", "<!--@include"];

/// A file, a folder or a glob.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath {
    pub(crate) path: String,
    pub(crate) part: Option<Part>,
    pub(crate) is_link: bool,
}

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Part {
    /// The last line, from 1.
    Line(u32),
    Symbol(String),
    /// The slug of a heading.
    Heading(String),
}

impl Read for FilePath {
    const IS_ONLY_READING: bool = true;

    fn in_code(code: &Code<'_>) -> Vec<(Span, Self)> {
        let text = code.text;
        if let Some(path) = classify::windows_path(text) {
            return vec![(Span::new(0, text.len()), classify::located(&path))];
        }
        if !code.is_plain() || classify::is_module(text) {
            return Vec::new();
        }
        let imported = text.strip_prefix('@').filter(|path| {
            classify::is_path(path) && path.contains('.') && !text.contains("::")
        });
        let (start, path) = match imported {
            Some(path) => (1, path),
            None if classify::is_path(text) => (0, text),
            None => return Vec::new(),
        };
        let located = classify::located(path);
        let len = located.path.len().min(path.len());
        vec![(Span::new(start, start + len), located)]
    }
}

impl Kind for FilePath {
    fn name(&self) -> &'static str {
        if self.is_link { "link" } else { "path" }
    }

    fn needs(&self) -> Needs {
        Needs::PATHS
    }

    fn is_read_in(&self, _entry: &TreeEntry) -> bool {
        self.part.is_some()
    }

    fn holds(&self, now: &Now, place: Place<'_>) -> Holds {
        let Place { document, claim } = place;
        let path = self.path.as_str();
        if path.is_empty() {
            return self.is_part_of(now, document).into();
        }
        if let Some(base) = now.tree_base(document, claim) {
            let path = snapshot::joined(base, path);
            return (now.tree.contains(&path) || read::exists(&now.root, &path)).into();
        }
        if self.is_route() && self.is_page_of_site(now, document) {
            return Holds::Yes;
        }
        let is_near = snapshot::is_near(path, self.is_link);
        let folder = document.folder();
        // A site serves `docs/a.md` as the folder `docs/a/`, from which its links to other pages start.
        let page = snapshot::without_ending(&document.path);
        let has_ending = snapshot::last(path.trim_end_matches('/')).contains('.');
        let is_page_link = self.is_link && !has_ending && now.is_exact(page, path, is_near);
        let folder = if is_page_link { page } else { folder };
        let readings = snapshot::readings(folder, path, is_near);
        let found = match now.tree.exact(&readings).filter(|_| is_page_link) {
            Some(found) => Found::One(found),
            None => now.tree.resolve(folder, path),
        };
        match found {
            Found::Elsewhere => return Holds::Unknown("it is in a submodule"),
            Found::No => return now.is_exact(folder, path, false).into(),
            Found::One(_) | Found::Several(_) => {}
        }
        if let Some(part) = &self.part
            && !now.has_part(found.paths(), part)
        {
            return Holds::No;
        }
        if path.contains(['*', '{']) || now.is_exact(folder, path, is_near) {
            return Holds::Yes;
        }
        if !is_near || path.starts_with("./") {
            return Holds::Perhaps;
        }
        // A sentence means the only file of a name below the document; a command does not find it.
        let is_in_sentence = document.text[..claim.span.start].ends_with('`');
        let is_only = is_in_sentence && now.n_below(folder, found.paths()) == 1;
        if is_only || place.names_folder(path, found.paths()) {
            Holds::Yes
        } else {
            Holds::Perhaps
        }
    }

    fn held(
        &self,
        past: &mut Past<'_, '_>,
        old: &mut OldTree,
        writer: Writer<'_>,
    ) -> Option<Truth> {
        if writer.is_doubtful {
            return self.held_exactly(past, old, writer);
        }
        let Writer {
            document, old_path, ..
        } = writer;
        let path = self.path.as_str();
        // A tree whose folder is not known is one of the reader's project.
        if document.claims.tree(writer.claim).is_some() {
            let base = old.tree_base(&past.now.tree, writer)?;
            let found = snapshot::joined(&base, path);
            let is_gone = old.removed.contains(&found) && !past.now.tree.contains(&found);
            return is_gone.then(|| Truth::Paths(vec![found]));
        }
        if let Some(part) = &self.part {
            let files = if path.is_empty() {
                // This document never had the part of the other one.
                if writer.has_moved {
                    return None;
                }
                vec![old_path.to_owned()]
            } else {
                let found = past.now.tree.resolve(document.folder(), path);
                found.paths().to_vec()
            };
            // The file exists, without the part.
            if !files.is_empty() {
                let file = files
                    .into_iter()
                    .find(|file| past.has_part(old, file, part))?;
                return Some(Truth::Part(file, part.clone()));
            }
        }
        let folder = writer.folder();
        match old.removed.resolve(folder, path) {
            Found::One(found) => {
                let is_certain =
                    is_certain(old_path, path, &found) || is_called_file(document, writer.claim);
                let is_meant = is_certain && self.is_meant(writer, &found);
                is_meant.then(|| Truth::Paths(vec![found]))
            }
            // A bare name of several files is not a certain one.
            Found::Several(mut paths) if path.trim_start_matches("./").contains(['/', '*']) => {
                paths.retain(|found| self.is_meant(writer, found));
                (!paths.is_empty()).then_some(Truth::Paths(paths))
            }
            // The document was moved, and its target was not.
            Found::No if folder != document.folder() && path.contains('/') => {
                let mut bases = snapshot::candidates(folder, path).into_iter();
                let now = &past.now.tree;
                let found = bases
                    .find(|base| now.contains(base) && !old.added.contains(base.as_str()))?;
                Some(Truth::Paths(vec![found]))
            }
            Found::Several(_) | Found::No | Found::Elsewhere => None,
        }
    }

    fn reason(&self, _now: &Now, truth: &Truth) -> String {
        if let (Truth::Part(..), Some(part)) = (truth, &self.part) {
            return match part {
                Part::Line(line) => format!("the file has fewer than {line} lines"),
                Part::Symbol(symbol) => format!("the file no longer has `{symbol}`"),
                Part::Heading(_) => "the document no longer has this heading".to_owned(),
            };
        }
        let reason = if self.path.contains(['*', '{']) {
            "no file matches it any more"
        } else if self.path.ends_with('/') {
            "the folder no longer exists"
        } else if !snapshot::last(&self.path).contains('.') {
            "the file or folder no longer exists"
        } else {
            "the file no longer exists"
        };
        reason.to_owned()
    }

    fn never_held(&self, now: &Now, place: Place<'_>, is_added: bool) -> Option<String> {
        let folder = place.document.folder();
        // What is above the root is of another repository, or an address of the site that hosts this one.
        let is_inside = normalize_path(&snapshot::joined(folder, &self.path)).is_some();
        let is_plain = !self.path.contains(['*', '{', '<', '$', '%']) && is_inside;
        if !is_plain && !self.path.is_empty() {
            return None;
        }
        if self.is_link {
            return self.broken_link(now, place);
        }
        if !documents::is_rule_file(&place.document.path) {
            return None;
        }
        let is_import = place.document.text[..place.claim.span.start].ends_with('@');
        if is_import && self.path.ends_with(".md") {
            return Some("nothing is imported: the file does not exist".to_owned());
        }
        if place.document.claims.tree(place.claim).is_some() {
            // A private file is nowhere but on the machine of its owner.
            let is_private = snapshot::last(&self.path).contains(".local");
            let is_real = !is_private && now.is_real_tree(place.document, place.claim);
            return is_real.then(|| "the project has the rest of the tree, and not this".to_owned());
        }
        let is_file = self.path.contains('/') && snapshot::last(&self.path).contains('.');
        (is_added && is_file).then(|| "there is no such file".to_owned())
    }

    fn is_sure(&self, evidence: &Evidence<'_>) -> bool {
        if self.is_route() {
            return self.was_as_written(evidence);
        }
        if self.is_link || evidence.is_in_tree() || evidence.has_new_place() {
            return true;
        }
        let is_file = snapshot::last(&self.path).contains('.') && !self.path.ends_with('/');
        let has_folder = self.path.trim_start_matches("./").contains('/');
        is_file && has_folder && !self.path.starts_with('/') || self.was_as_written(evidence)
    }

    fn is_sure_in_block(&self, evidence: &Evidence<'_>) -> bool {
        self.is_link || self.was_as_written(evidence)
    }
}

/// Returns whether a document has a line that includes another text.
fn includes_others(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        INCLUDES.iter().any(|start| line.starts_with(start))
    })
}

/// Returns whether a name ends like that of a file, as `config.toml`, not like `Config.load`.
fn has_document_ending(name: &str) -> bool {
    CONVENTIONS
        .endings
        .documents
        .contains(conventions::ending(name))
}

impl FilePath {
    /// Returns the path of a file or a folder, without a part of it.
    pub(crate) fn new(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            part: None,
            is_link: false,
        }
    }

    /// Returns whether it is a link from the root, without an ending: an address of a site, or a folder.
    fn is_route(&self) -> bool {
        let is_page = !snapshot::last(self.path.trim_end_matches('/')).contains('.');
        self.is_link && self.path.starts_with('/') && is_page
    }

    /// Returns whether what is gone was where the path says, with its folder: from the root, or from the folder of
    /// the document.
    fn was_as_written(&self, evidence: &Evidence<'_>) -> bool {
        let Truth::Paths(found) = evidence.truth else {
            return false;
        };
        let path = self.path.trim_start_matches("./").trim_matches('/');
        let has_folder = path.contains('/') || self.path.starts_with("./");
        let is_file = snapshot::last(path).contains('.');
        // Other documents name folders that a reader makes.
        if !is_file && !self.is_link && !documents::is_guide(&evidence.place.document.path) {
            return false;
        }
        // The start of a pattern.
        let start = path.split(['*', '{']).next().unwrap_or(path);
        let folder = evidence.place.document.folder();
        let is_there = |found: &String| {
            let mut starts = [start.to_owned(), snapshot::joined(folder, start)].into_iter();
            starts.any(|from| *found == from || start != path && found.starts_with(&from))
        };
        has_folder && found.iter().all(is_there)
    }

    /// Returns whether a folder above a document has the page that a site serves at this address.
    fn is_page_of_site(&self, now: &Now, document: &Document) -> bool {
        let name = self.path.trim_matches('/');
        let mut folder = document.folder();
        while !folder.is_empty() {
            for ending in PAGES {
                if now.tree.contains(&format!("{folder}/{name}{ending}")) {
                    return true;
                }
            }
            folder = folder_of(folder);
        }
        false
    }

    /// Returns whether a document has the part that it names in itself.
    fn is_part_of(&self, now: &Now, document: &Document) -> bool {
        let Some(part) = &self.part else {
            return true;
        };
        let text = || Some(document.text.clone().into_bytes());
        let own = now.versions().get(&document.path, "#", text);
        own.is_some_and(|version| version.has_part(part))
    }

    /// Returns why a link is unresolved. What a site makes of a link without an ending, or from its root, is not
    /// known.
    fn broken_link(&self, now: &Now, place: Place<'_>) -> Option<String> {
        let path = self.path.trim_start_matches("./");
        let folder = place.document.folder();
        let target = if path.is_empty() {
            place.document.path.clone()
        } else {
            normalize_path(&snapshot::joined(folder, path))?
        };
        if let Some(Part::Heading(heading)) = &self.part
            && (path.is_empty() || now.tree.entry(&target).is_some())
        {
            let has_name = !heading.trim_matches('#').is_empty() && heading != README_SLUG;
            let is_text =
                has_name && target.ends_with(".md") && !heading.contains([':', '=', '/', '.']);
            let is_elsewhere = path.is_empty() && includes_others(&place.document.text);
            let is_mistake = is_text && !is_elsewhere;
            return is_mistake.then(|| format!("`{target}` has no heading `#{heading}`"));
        }
        // A site serves `docs/a.md` as the folder `docs/a/`.
        let page = snapshot::without_ending(&place.document.path);
        let of_page = normalize_path(&snapshot::joined(page, path));
        if of_page.is_some_and(|path| now.tree.contains(&path)) {
            return None;
        }
        // The page of a site whose address is the name of a file: `root.tsx` of `root.tsx.md`.
        let mut pages = PAGES.iter().map(|ending| format!("{target}{ending}"));
        if pages.any(|page| now.tree.contains(&page)) {
            return None;
        }
        let name = snapshot::last(path);
        // A label of MyST or Sphinx, as in `[the provider](pulumi.Provider)`.
        let is_label = !path.contains('/') && !has_document_ending(name);
        let is_page = name.ends_with(".html") || !name.contains('.') || is_label;
        if path.starts_with('/') || is_page || now.tree.contains(&target) {
            return None;
        }
        Some(format!("the link is unresolved: there is no `{target}`"))
    }

    /// Returns the paths that it names in a document of now, outside of a tree.
    pub(crate) fn named(&self, now: &Now, document: &Document) -> Vec<String> {
        let page = snapshot::without_ending(&document.path);
        let is_near = snapshot::is_near(&self.path, self.is_link);
        let readings = snapshot::readings(page, &self.path, is_near);
        let mut found = Vec::new();
        if self.is_link {
            found.extend(now.tree.exact(&readings));
        }
        let resolved = now.tree.resolve(document.folder(), &self.path);
        found.extend_from_slice(resolved.paths());
        found
    }

    /// Returns the paths from the root that it names with a folder, or in a tree of the project.
    pub(crate) fn exact_places(&self, now: &Now, place: Place<'_>) -> Vec<String> {
        let Place { document, claim } = place;
        let path = self.path.trim_end_matches('/');
        if self.part.is_some() || path.contains(['*', '{', '<', '$', '%']) {
            return Vec::new();
        }
        if document.claims.tree(claim).is_some() {
            let base = now.tree_base(document, claim);
            return base
                .map(|base| snapshot::joined(base, path))
                .into_iter()
                .collect();
        }
        if !path.trim_start_matches("./").contains('/') {
            return Vec::new();
        }
        snapshot::readings(document.folder(), path, self.is_link)
    }

    /// Returns whether a document meant a file that was there.
    fn is_meant(&self, writer: Writer<'_>, found: &str) -> bool {
        // From the root, it is the same place for both. The end of a path is one of their own.
        let plain = self.path.trim_start_matches("./").trim_end_matches('/');
        let is_of_own_folder = is_within(found, writer.folder()) || found != plain;
        if writer.is_from_elsewhere() && is_of_own_folder {
            return false;
        }
        let text = &writer.document.text;
        !is_in_sample(writer.old_path, text, &self.path, found)
    }

    /// Returns the path that a document named exactly, if it is gone, and was not moved together with the
    /// document.
    fn held_exactly(
        &self,
        past: &Past<'_, '_>,
        old: &OldTree,
        writer: Writer<'_>,
    ) -> Option<Truth> {
        let now = &past.now.tree;
        let folder = writer.document.folder();
        if folder != writer.folder() {
            let readings = snapshot::readings(folder, &self.path, self.is_link);
            if now.exact(&readings).is_some() {
                return None;
            }
        }
        let readings = snapshot::readings(writer.folder(), &self.path, self.is_link);
        let found = match readings.iter().find(|path| old.contains(now, path)) {
            Some(found) => found.clone(),
            None => old.removed.exact(&readings)?,
        };
        (!now.contains(&found)).then(|| Truth::Paths(vec![found]))
    }
}

impl<'d> Place<'d> {
    /// Returns the text before a claim and the rest of its line, in which the folder may be named that it is
    /// about.
    pub(super) fn around(&self) -> &'d str {
        let text = self.document.text.as_str();
        let end = self.claim.span.end;
        let from = self.claim.span.start.saturating_sub(MAX_AROUND);
        let from = (from..).find(|at| text.is_char_boundary(*at));
        let from = from.unwrap_or_default();
        let mut to = end;
        for (n_bytes, c) in text[end..].char_indices().take(MAX_AROUND) {
            if c == '\n' {
                break;
            }
            to = end + n_bytes + c.len_utf8();
        }
        &text[from..to]
    }

    /// Returns whether the text around a claim names as code the folder of one of the paths that end with
    /// its own: "the `.env.example` in `web/app`".
    fn names_folder(&self, path: &str, found: &[String]) -> bool {
        let around = self.around();
        let path = path.trim_end_matches('/');
        let mut heads = found.iter().filter_map(|found| found.strip_suffix(path));
        heads.any(|head| {
            let Some(folder) = head.strip_suffix('/') else {
                return false;
            };
            around.contains(&format!("`{folder}`")) || around.contains(&format!("`{folder}/`"))
        })
    }
}
