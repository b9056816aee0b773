//! When claims were written: the commits in whose trees they may have been true.
//!
//! The versions of all documents are read once, and each claim is looked for in them: the oldest
//! version with its line, and the oldest one that names its target. That finds the commit that
//! `git blame` finds, in the time that it takes for one line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cerberus_engine::tree::git::past::{Renames, Version};
use cerberus_engine::tree::git::{Objects, past};
use cerberus_model::text;
use cerberus_model::text::Span;
use memchr::memmem;
use rustc_hash::FxHashMap;

use crate::moved;
use crate::project::{Position, Project};
use crate::report::Document;

/// Maximum number of renames of a document that are followed.
const MAX_RENAMES: usize = 3;

/// Maximum length of a line that is looked for in other documents.
const MAX_LINE: usize = 4096;

/// Number of versions of each document that are read first. Most lines are found in few.
const FIRST_VERSIONS: usize = 8;

/// A commit in whose tree a claim may have been true.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    pub(super) commit: String,
    /// The path of the document in it.
    pub(super) path: String,
}

/// A version of a document in which something appears that the version before it lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// `None` if it is not committed.
    pub(super) commit: Option<Written>,
    pub(super) path: String,
    /// The trimmed line that appears, or `None` for any line with the name of the claim.
    pub(super) line: Option<String>,
}

/// The version of a document that a commit wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) id: String,
    /// The first parent, unless the known history starts with the commit.
    pub(super) parent: Option<String>,
    pub(super) object: String,
}

impl Place {
    /// Returns the place of a line, unless it is too long.
    fn of_line(commit: Option<Written>, path: &str, line: &str) -> Option<Self> {
        let (path, is_short) = (path.to_owned(), line.len() <= MAX_LINE);
        is_short.then(|| Self {
            commit,
            path,
            line: Some(line.to_owned()),
        })
    }
}

impl From<&Version> for Written {
    fn from(version: &Version) -> Self {
        let (id, object) = (version.commit.clone(), version.object.clone());
        Self {
            id,
            parent: version.parents.first().cloned(),
            object,
        }
    }
}

/// When a claim was written.
#[derive(Debug, Default)]
pub(super) struct Origin {
    /// The moment of its line first.
    pub(super) moments: Vec<Moment>,
    /// Where its line appears, and where its name does if that is earlier.
    pub(super) places: Vec<Place>,
    /// Whether it is as old as the known history.
    pub(super) is_cut: bool,
    /// Whether the version before it cannot be read.
    pub(super) is_unread: bool,
}

/// The claims of a document, with the versions that contain them.
pub(super) struct Traced<'d> {
    pub(super) path: &'d str,
    pub(super) lines: Vec<&'d str>,
    pub(super) names: Vec<Name<'d>>,
    /// Newest first.
    pub(super) versions: Vec<Version>,
    /// What each version that was read has of each claim. `None` for a version that cannot be read.
    pub(super) found: Vec<Option<Vec<Occurrence>>>,
}

/// What a version of a document has of a claim, if all newer ones have it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Occurrence {
    has_line: bool,
    has_name: bool,
}

/// Returns when the claims of `failing`, which are grouped by document, were written, or `None` if
/// git cannot list the versions of the documents. `head` is the commit that is checked out.
pub(super) fn origins(
    Project {
        root,
        documents,
        now,
    }: Project<'_>,
    objects: &mut Objects<'_>,
    head: &str,
    failing: &[Position],
) -> Option<Vec<Origin>> {
    let mut traced: Vec<Traced<'_>> = Vec::new();
    for claims in failing.chunk_by(|a, b| a.0 == b.0) {
        let document = &documents[claims[0].0];
        let spans: Vec<Span> = claims
            .iter()
            .map(|(_, idx)| document.claims.claims[*idx].span)
            .collect();
        traced.push(Traced {
            path: &document.path,
            lines: spans.iter().map(|span| line_of(document, *span)).collect(),
            names: spans
                .iter()
                .map(|span| Name::new(span.slice(&document.text)))
                .collect(),
            versions: Vec::new(),
            found: Vec::new(),
        });
    }
    let paths: Vec<&str> = traced.iter().map(|it| it.path).collect();
    let all = past::versions(root, &[head], &paths)?;
    for it in &mut traced {
        let object = now
            .tree
            .entry(it.path)
            .map_or("", |entry| entry.object.as_str());
        let own = past::lineage(&all, it.path, object);
        it.versions = own.into_iter().cloned().collect();
    }
    read_versions(objects, &mut traced);
    for _ in 0..MAX_RENAMES {
        if !follow_renames(root, objects, &mut traced) {
            break;
        }
        read_versions(objects, &mut traced);
    }
    let of_document = |it: &Traced<'_>| -> Vec<Origin> {
        (0..it.lines.len())
            .map(|claim_idx| it.origin(claim_idx, head))
            .collect()
    };
    Some(traced.iter().flat_map(of_document).collect())
}

/// Returns the trimmed line on which a span starts.
pub(super) fn line_of(document: &Document, span: Span) -> &str {
    let lines = &document.claims.lines;
    let line = lines.line(span.start);
    document.text[lines.start(line)..lines.start(line + 1)].trim()
}

/// Compares the versions that were not read yet with the claims, the newest first. What is older than a version
/// without the names of all claims is not read.
pub(super) fn read_versions(objects: &mut Objects<'_>, traced: &mut [Traced<'_>]) {
    let mut n_more = FIRST_VERSIONS;
    loop {
        let mut wanted: Vec<(usize, usize)> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        for (traced_idx, document) in traced.iter_mut().enumerate() {
            let n_read = document.found.len();
            if !document.is_open() {
                continue;
            }
            let end = document.versions.len().min(n_read + n_more);
            document.found.resize(end, None);
            for version_idx in n_read..end {
                wanted.push((traced_idx, version_idx));
                names.push(document.versions[version_idx].object.clone());
            }
        }
        if wanted.is_empty() {
            return;
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        objects.read_all(&names, |position, bytes| {
            let (traced_idx, version_idx) = wanted[position];
            let document = &mut traced[traced_idx];
            let found = document.claims_in(&text::decode(bytes).0, version_idx);
            document.found[version_idx] = Some(found);
        });
        n_more *= 2;
    }
}

/// Continues the versions of documents that were renamed. Returns whether there is any.
fn follow_renames(root: &Path, objects: &mut Objects<'_>, traced: &mut [Traced<'_>]) -> bool {
    let is_open = |it: &Traced<'_>| {
        let last = it.found.last().and_then(Option::as_ref);
        let has_claim = last.is_some_and(|found| found.iter().any(|claim| claim.has_name));
        it.versions
            .last()
            .filter(|last| has_claim && !last.parents.is_empty())
            .cloned()
    };
    let open: Vec<Option<Version>> = traced.iter().map(is_open).collect();
    let endings: BTreeSet<&str> = open
        .iter()
        .flatten()
        .map(|it| ending_of(&it.path))
        .collect();
    // Only a document becomes a document.
    let is_document = |path: &str| endings.iter().any(|ending| path.ends_with(ending));
    let mut pairs: BTreeMap<&str, &str> = BTreeMap::new();
    for last in open.iter().flatten() {
        if let Some(parent) = last.parents.first() {
            pairs.insert(&last.commit, parent);
        }
    }
    let changes = past::changes_in(root, &pairs, is_document);
    let removes = |commit: &&str| {
        let of_commit = changes.get(*commit).map_or(&[][..], Vec::as_slice);
        of_commit.iter().any(|change| change.new.is_none())
    };
    let commits: BTreeSet<&str> = pairs.into_keys().filter(removes).collect();
    if commits.is_empty() {
        return false;
    }
    let mut renames: BTreeMap<String, Renames> = BTreeMap::new();
    if open.iter().flatten().all(|it| moved::is_document(&it.path)) {
        for commit in commits {
            let of_commit = past::document_renames_of(root, commit);
            renames.insert(commit.to_owned(), of_commit);
        }
    } else {
        let patterns = endings.iter().map(|ending| format!(":(glob)**/*{ending}"));
        renames = past::renames_in(root, &commits, &patterns.collect::<Vec<_>>());
    }
    let mut old: BTreeMap<usize, (String, String)> = BTreeMap::new();
    for (idx, last) in open.iter().enumerate() {
        let Some(last) = last else { continue };
        let renamed = renames.get(&last.commit).into_iter().flatten();
        let source = renamed
            .filter(|(_, new)| **new == last.path)
            .map(|(old, _)| old)
            .next();
        if let (Some(source), Some(parent)) = (source, last.parents.first()) {
            old.insert(idx, (source.clone(), parent.clone()));
        }
    }
    if old.is_empty() {
        return false;
    }
    let from: BTreeSet<&str> = old.values().map(|(_, parent)| parent.as_str()).collect();
    let paths: BTreeSet<&str> = old.values().map(|(path, _)| path.as_str()).collect();
    let from: Vec<&str> = from.into_iter().collect();
    let all = past::versions(root, &from, &paths.into_iter().collect::<Vec<_>>());
    let all = all.unwrap_or_default();
    for (idx, (path, parent)) in &old {
        let found = objects.find(&format!("{parent}:./{path}"));
        let object = found.map(|found| found.id).unwrap_or_default();
        traced[*idx]
            .versions
            .extend(past::lineage(&all, path, &object).into_iter().cloned());
    }
    true
}

/// Returns the ending of a path's last part with its dot, or the last part if there is none.
fn ending_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rfind('.').map_or(name, |dot| &name[dot..])
}

/// The name of a claim, which is looked for in many texts.
pub(super) struct Name<'n> {
    text: &'n str,
    finder: memmem::Finder<'n>,
}

impl<'n> Name<'n> {
    pub(super) fn new(text: &'n str) -> Self {
        let finder = memmem::Finder::new(text);
        Self { text, finder }
    }

    /// Returns whether a text has the name, not only as a part of another one or of an address.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        for at in self.finder.find_iter(text.as_bytes()) {
            let (before, after) = (&text[..at], &text[at + self.text.len()..]);
            let before = before.strip_suffix('/').unwrap_or(before);
            let is_part_after = self.text.ends_with(is_word) && after.starts_with(is_word);
            if !before.ends_with(is_word) && !is_part_after {
                return true;
            }
        }
        false
    }
}

impl Traced<'_> {
    /// Returns whether all versions that were read have the name of a claim.
    fn is_open(&self) -> bool {
        match self.found.last() {
            Some(Some(found)) => found.iter().any(|claim| claim.has_name),
            Some(None) => false,
            None => true,
        }
    }

    /// Returns what a version has of each claim. A name that the version after it lacks is not looked for.
    fn claims_in(&self, text: &str, version_idx: usize) -> Vec<Occurrence> {
        let newer = match version_idx.checked_sub(1) {
            Some(newer_idx) => self.found[newer_idx].as_deref().unwrap_or_default(),
            None => &[],
        };
        let is_newest = version_idx == 0;
        let mut has_line: FxHashMap<&str, bool> = FxHashMap::default();
        for (position, line) in self.lines.iter().enumerate() {
            if is_newest || newer.get(position).is_some_and(|claim| claim.has_line) {
                has_line.insert(line, false);
            }
        }
        for line in text.lines() {
            if let Some(is_found) = has_line.get_mut(line.trim()) {
                *is_found = true;
            }
        }
        let mut has_name: FxHashMap<&str, bool> = FxHashMap::default();
        let mut found = Vec::with_capacity(self.lines.len());
        for (position, line) in self.lines.iter().enumerate() {
            let mut claim = Occurrence::default();
            if is_newest || newer.get(position).is_some_and(|claim| claim.has_name) {
                claim.has_line = has_line.get(line).is_some_and(|is_found| *is_found);
                let name = &self.names[position];
                let is_in = || name.is_in(text);
                claim.has_name = claim.has_line || *has_name.entry(name.text).or_insert_with(is_in);
            }
            found.push(claim);
        }
        found
    }

    /// Returns when a claim was written.
    pub(super) fn origin(&self, position: usize, head: &str) -> Origin {
        let (mut n_with_line, mut n_with_name) = (0, 0);
        for found in self.found.iter().map_while(Option::as_ref) {
            let claim = found[position];
            if !claim.has_name {
                break;
            }
            n_with_name += 1;
            n_with_line += usize::from(claim.has_line);
        }
        let at = |commit: &str, path: &str| Moment {
            commit: commit.to_owned(),
            path: path.to_owned(),
        };
        let (mut moments, mut places) = (Vec::new(), Vec::new());
        let mut is_cut = false;
        let line = self.lines[position];
        match n_with_line.checked_sub(1).map(|last| &self.versions[last]) {
            // The line is not committed.
            None => {
                moments.push(at(head, self.path));
                places.extend(Place::of_line(None, self.path, line));
            }
            Some(written) => {
                places.extend(Place::of_line(Some(written.into()), &written.path, line));
                is_cut = written.parents.is_empty();
                moments.push(at(&written.commit, &written.path));
                // A merge has the line from its branch, or from both.
                moments.extend(
                    written
                        .parents
                        .get(1)
                        .map(|branch| at(branch, &written.path)),
                );
                // The commit may have rewritten the line and removed the target at once.
                if n_with_name > n_with_line {
                    let parent = written.parents.first();
                    let path = &self.versions[n_with_line].path;
                    moments.extend(parent.map(|parent| at(parent, path)));
                }
            }
        }
        if n_with_name > n_with_line {
            let first = &self.versions[n_with_name - 1];
            is_cut |= first.parents.is_empty();
            moments.push(at(&first.commit, &first.path));
            let path = first.path.clone();
            places.push(Place {
                commit: Some(first.into()),
                path,
                line: None,
            });
        }
        let is_unread = self.found.get(n_with_name).is_some_and(Option::is_none);
        Origin {
            moments,
            places,
            is_cut,
            is_unread,
        }
    }
}
