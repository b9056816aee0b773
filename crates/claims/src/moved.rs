//! Text that moved to another document, and the time at which it was written first.
//!
//! A line that a commit adds to a document is older if a document that the same commit deleted or
//! shortened has it, or one that lost it in a later commit. Short lines are equal by accident, so that a block of
//! equal lines around it has to be evidence enough. The search continues from the other document.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cerberus_engine::tree::git::past::{EntryKind, TreeEntry};
use cerberus_engine::tree::git::{Objects, past};
use cerberus_engine::tree::{documents, read};
use cerberus_model::text;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::origin::{self, Moment, Name, Origin, Place, Traced};
use crate::project::{Position, Project};

mod evidence;

use evidence::{Common, Evidence, Lines};

/// Maximum number of moves that are followed.
const MAX_MOVES: usize = 5;

/// Maximum number of documents, and of their bytes, that are compared for one step of all claims.
const MAX_SOURCES: usize = 2_000;
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Where a claim was before its text moved.
#[derive(Debug, Default)]
pub(super) struct Moved {
    /// The oldest document first.
    pub(super) moments: Vec<Moment>,
    /// The documents with the line of the claim in them, the oldest last.
    pub(super) earlier: Vec<(String, String)>,
}

/// A claim, and where its text appears.
pub(super) struct Start {
    pub(super) at: Position,
    pub(super) places: Vec<Place>,
}

/// The documents that differ between old commits, or the working tree, and now.
pub(super) struct Differing<'t> {
    pub(super) head: &'t str,
    /// Those of HEAD that the index or the working tree lacks or has in another version.
    pub(super) unsaved: &'t [Arc<TreeEntry>],
    /// Those of old commits, by the commits.
    pub(super) documents: &'t FxHashMap<String, Vec<Arc<TreeEntry>>>,
}

/// A document that may have had a text before another one.
struct Source {
    path: String,
    object: String,
    /// The version after the commit, if it was committed with it.
    after: Option<String>,
    /// The commit in whose history it is.
    from: String,
    /// Whether the change that added the text to the other document also changed this one.
    is_at_once: bool,
}

/// A place of a claim with the document that had its text before.
struct Step {
    start_idx: usize,
    line: String,
    path: String,
    object: String,
    from: String,
}

/// Returns for each of `starts` where its text was before, if it was in another document.
pub(super) fn follow(
    project: Project<'_>,
    objects: &mut Objects<'_>,
    differing: &Differing<'_>,
    starts: Vec<Start>,
) -> Vec<Moved> {
    let mut moved: Vec<Moved> = starts.iter().map(|_| Moved::default()).collect();
    let names: Vec<String> = starts
        .iter()
        .map(|start| name_of(project, start.at))
        .collect();
    let mut open: Vec<Vec<Place>> = starts.into_iter().map(|start| start.places).collect();
    let common = Common::new(
        project
            .documents
            .iter()
            .map(|document| document.text.as_str()),
    );
    for _ in 0..MAX_MOVES {
        let steps = Search::new(project, differing, &common).steps(objects, &open, &names);
        if steps.is_empty() {
            break;
        }
        open.iter_mut().for_each(Vec::clear);
        for (step, origin) in traced(project, objects, &steps, &names) {
            let it = &mut moved[step.start_idx];
            it.earlier.push((step.path.clone(), step.line.clone()));
            let later = std::mem::replace(&mut it.moments, origin.moments);
            it.moments.extend(later);
            open[step.start_idx].extend(origin.places);
        }
    }
    moved
}

fn name_of(project: Project<'_>, at: Position) -> String {
    let (document, claim) = project.claim(at);
    claim.span.slice(&document.text).to_owned()
}

/// Returns steps with when the documents before them wrote the lines.
fn traced<'s>(
    project: Project<'_>,
    objects: &mut Objects<'_>,
    steps: &'s [Step],
    names: &[String],
) -> Vec<(&'s Step, Origin)> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Step>> = BTreeMap::new();
    for step in steps {
        groups
            .entry((&step.path, &step.object))
            .or_default()
            .push(step);
    }
    let from: BTreeSet<&str> = steps.iter().map(|step| step.from.as_str()).collect();
    let paths: BTreeSet<&str> = steps.iter().map(|step| step.path.as_str()).collect();
    let from: Vec<&str> = from.into_iter().collect();
    let paths: Vec<&str> = paths.into_iter().collect();
    let Some(all) = past::versions(project.root, &from, &paths) else {
        return Vec::new();
    };
    let mut documents: Vec<Traced<'_>> = Vec::new();
    for ((path, object), group) in &groups {
        documents.push(Traced {
            path,
            lines: group.iter().map(|step| step.line.as_str()).collect(),
            names: group
                .iter()
                .map(|step| Name::new(&names[step.start_idx]))
                .collect(),
            versions: past::lineage(&all, path, object)
                .into_iter()
                .cloned()
                .collect(),
            found: Vec::new(),
        });
    }
    origin::read_versions(objects, &mut documents);
    let mut found = Vec::new();
    for (document, group) in documents.iter().zip(groups.values()) {
        for (position, step) in group.iter().enumerate() {
            let origin = document.origin(position, "");
            // Git could not read the version that has the line.
            let is_read = origin.places.iter().all(|place| place.commit.is_some());
            if is_read {
                found.push((*step, origin));
            }
        }
    }
    found
}

/// A place, with the lines of it that may have been in another document.
struct Moving<'p> {
    start_idx: usize,
    place: &'p Place,
    lines: Vec<String>,
}

/// The search for the documents that had the text of places before.
struct Search<'s> {
    project: Project<'s>,
    differing: &'s Differing<'s>,
    common: &'s Common,
    /// The texts of versions of documents by their objects, and of documents of now by their paths.
    texts: FxHashMap<String, Lines>,
    /// The lines that are looked for.
    wanted: FxHashSet<String>,
    n_bytes: usize,
}

impl<'s> Search<'s> {
    fn new(project: Project<'s>, differing: &'s Differing<'s>, common: &'s Common) -> Self {
        Self {
            project,
            differing,
            common,
            texts: FxHashMap::default(),
            wanted: FxHashSet::default(),
            n_bytes: 0,
        }
    }

    /// Returns the best step of each place that has one.
    fn steps(
        &mut self,
        objects: &mut Objects<'_>,
        open: &[Vec<Place>],
        names: &[String],
    ) -> Vec<Step> {
        let written = || {
            open.iter()
                .flatten()
                .filter_map(|place| place.commit.as_ref())
        };
        let mut commits: BTreeMap<&str, &str> = BTreeMap::new();
        for written in written() {
            if let Some(parent) = &written.parent {
                commits.insert(&written.id, parent);
            }
        }
        let is_uncommitted = open.iter().flatten().any(|place| place.commit.is_none());
        if commits.is_empty() && !is_uncommitted {
            return Vec::new();
        }
        let changes = past::changes_in(self.project.root, &commits, is_document);
        let mut sources: FxHashMap<&str, Vec<Source>> = FxHashMap::default();
        for written in written() {
            if let Some(parent) = &written.parent
                && !sources.contains_key(written.id.as_str())
            {
                let changes = changes.get(&written.id).map_or(&[][..], Vec::as_slice);
                sources.insert(&written.id, self.sources_of(&written.id, parent, changes));
            }
        }
        let unsaved = self.unsaved();
        let own = self.own_texts(objects, open);
        let mut moving: Vec<Moving<'_>> = Vec::new();
        for (start_idx, places) in open.iter().enumerate() {
            for place in places {
                let text = own.get(&key_of(place)).map_or("", String::as_str);
                let name = &names[start_idx];
                let lines = match &place.line {
                    Some(line) => vec![line.clone()],
                    None => lines_with(&Name::new(name), text),
                };
                moving.push(Moving {
                    start_idx,
                    place,
                    lines,
                });
            }
        }
        for moving in &moving {
            self.wanted.extend(moving.lines.iter().cloned());
        }
        for (key, text) in own {
            self.texts.insert(key, Lines::new(&text, &self.wanted));
        }
        self.read(objects, sources.values().flatten().chain(&unsaved));
        let mut steps = Vec::new();
        for moving in &moving {
            let of_commit = match &moving.place.commit {
                Some(written) => sources
                    .get(written.id.as_str())
                    .map_or(&[][..], Vec::as_slice),
                None => &unsaved,
            };
            if let Some((source, line)) = self.best(moving, of_commit) {
                steps.push(Step {
                    start_idx: moving.start_idx,
                    line,
                    path: source.path.clone(),
                    object: source.object.clone(),
                    from: source.from.clone(),
                });
            }
        }
        steps
    }

    /// Returns the documents that a commit deleted or changed, and those that it did not change and
    /// that changed since.
    fn sources_of(&self, commit: &str, parent: &str, changes: &[past::Change]) -> Vec<Source> {
        let mut found = Vec::new();
        for change in changes {
            let Some(old) = change.old.as_ref().filter(|it| it.kind == EntryKind::File) else {
                continue;
            };
            let new = change.new.as_ref().filter(|it| it.kind == EntryKind::File);
            found.push(Source {
                path: change.path.clone(),
                object: old.object.clone(),
                // A document that is deleted, or is a link now, has no line.
                after: Some(new.map_or(String::new(), |new| new.object.clone())),
                from: parent.to_owned(),
                is_at_once: true,
            });
        }
        for entry in self.differing.documents.get(commit).into_iter().flatten() {
            let is_changed = changes.iter().any(|change| change.path == entry.path);
            if entry.kind == EntryKind::File && !is_changed {
                found.push(Source {
                    path: entry.path.clone(),
                    object: entry.object.clone(),
                    after: None,
                    from: parent.to_owned(),
                    is_at_once: false,
                });
            }
        }
        found
    }

    /// Returns the documents of HEAD that are changed without a commit.
    fn unsaved(&self) -> Vec<Source> {
        let entries = self.differing.unsaved.iter();
        let own = entries.filter(|it| it.kind == EntryKind::File && is_document(&it.path));
        let source = |entry: &Arc<TreeEntry>| Source {
            path: entry.path.clone(),
            object: entry.object.clone(),
            after: None,
            from: self.differing.head.to_owned(),
            is_at_once: true,
        };
        own.map(source).collect()
    }

    /// Returns the texts of the documents that places are in.
    fn own_texts(
        &mut self,
        objects: &mut Objects<'_>,
        open: &[Vec<Place>],
    ) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut wanted: BTreeSet<&str> = BTreeSet::new();
        for place in open.iter().flatten() {
            match &place.commit {
                Some(written) => _ = wanted.insert(&written.object),
                None if found.contains_key(&key_of(place)) => {}
                None => {
                    let mut documents = self.project.documents.iter();
                    let document = documents.find(|document| document.path == place.path);
                    let text = document.map(|document| document.text.clone());
                    found.insert(key_of(place), text.unwrap_or_default());
                }
            }
        }
        let wanted: Vec<&str> = wanted.into_iter().collect();
        objects.read_all(&wanted, |idx, bytes| {
            self.n_bytes += bytes.len();
            if self.n_bytes <= MAX_BYTES {
                found.insert(wanted[idx].to_owned(), text::decode(bytes).0.into_owned());
            }
        });
        found
    }

    /// Reads the documents of sources, before and after the commits that may have moved text.
    fn read<'r>(&mut self, objects: &mut Objects<'_>, sources: impl Iterator<Item = &'r Source>) {
        let mut wanted: BTreeSet<&str> = BTreeSet::new();
        for source in sources.take(MAX_SOURCES) {
            wanted.insert(&source.object);
            match &source.after {
                Some(after) => _ = wanted.insert(after),
                None => self.read_now(&source.path),
            }
        }
        wanted.retain(|object| !object.is_empty() && !self.texts.contains_key(*object));
        let wanted: Vec<&str> = wanted.into_iter().collect();
        objects.read_all(&wanted, |idx, bytes| {
            self.n_bytes += bytes.len();
            if self.n_bytes <= MAX_BYTES {
                let lines = Lines::new(&text::decode(bytes).0, &self.wanted);
                self.texts.insert(wanted[idx].to_owned(), lines);
            }
        });
        self.texts.entry(String::new()).or_default();
    }

    /// Reads a document of the working tree. One that is gone, or is a link now, has no line.
    fn read_now(&mut self, path: &str) {
        let key = key_of_now(path);
        if !self.texts.contains_key(&key) {
            let root = self.project.root;
            let file = root.join(path).symlink_metadata();
            let is_file = file.is_ok_and(|file| file.is_file());
            let text = if is_file {
                read::text(root, path).unwrap_or_default()
            } else {
                String::new()
            };
            self.texts.insert(key, Lines::new(&text, &self.wanted));
        }
    }

    /// Returns the document that had the text of a place before, with its line.
    fn best<'c>(
        &self,
        Moving { place, lines, .. }: &Moving<'_>,
        sources: &'c [Source],
    ) -> Option<(&'c Source, String)> {
        let own = self.texts.get(&key_of(place))?;
        let mut best: Option<(Evidence, &Source, String)> = None;
        for source in sources.iter().filter(|source| source.path != place.path) {
            let Some(old) = self.texts.get(&source.object) else {
                continue;
            };
            let after = match &source.after {
                Some(after) => self.texts.get(after),
                None => self.texts.get(&key_of_now(&source.path)),
            };
            for line in lines.iter().filter(|line| old.has(line)) {
                let Some(evidence) = own.shared_with(old, line, self.common) else {
                    continue;
                };
                let is_lost = after.is_some_and(|after| !after.has(line));
                let is_better = best.as_ref().is_none_or(|(known, ..)| evidence > *known);
                if is_lost && is_better && evidence.is_enough(source.is_at_once) {
                    best = Some((evidence, source, line.clone()));
                }
            }
        }
        best.map(|(_, source, line)| (source, line))
    }
}

/// Returns the lines of a text that have a name.
fn lines_with(name: &Name<'_>, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if name.is_in(text) {
        let lines = evidence::lines_of(text).filter(|line| name.is_in(line));
        found.extend(lines.map(str::to_owned));
    }
    found
}

/// Returns the key of the document that a place is in.
fn key_of(place: &Place) -> String {
    match &place.commit {
        Some(written) => written.object.clone(),
        None => key_of_now(&place.path),
    }
}

/// Returns the key of a document of the working tree among objects, which have no slash.
fn key_of_now(path: &str) -> String {
    format!("/{path}")
}

/// Returns whether a path is that of a document, from which text may move to another one.
pub(super) fn is_document(path: &str) -> bool {
    // Most paths are of code, and the globs of rule files are slower than the endings.
    let name = path.rsplit('/').next().unwrap_or(path);
    documents::is_document(path) || (name.starts_with('.') && documents::is_rule_file(path))
}
