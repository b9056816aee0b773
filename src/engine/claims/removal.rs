//! What became of the target of a stale claim: the commit that removed it, and where it went.

use std::collections::BTreeMap;
use std::path::Path;

use crate::engine::track;
use crate::markdown::claims::{Claim, Part, Target};
use crate::model::{Anchor, Origin, State};
use crate::tree::git::past::{self, CommitSummary};
use crate::tree::{git, read};

use super::now::Now;
use super::snapshot::Snapshot;
use super::then::Truth;
use super::words::Definition;
use super::{Document, NewPlace, Open, Stale, folder_of};

/// Maximum number of renames of one path that are followed.
const MAX_RENAMES: usize = 12;

/// Minimum similarity of the code of a renamed symbol.
const MIN_SIMILARITY: f64 = 0.6;

/// Returns what became of the targets of stale claims, or `None` for a name that no commit and no
/// change of the working tree removed from its files: then it was not there as the claim means it.
pub(super) fn explain(
    root: &Path,
    now: &Now,
    documents: &[Document],
    stale: &[(Open, String, Truth)],
) -> Vec<Option<Stale>> {
    let mut paths =
        Paths { root, tree: now.tree(), removals: BTreeMap::new(), renames: BTreeMap::new() };
    let symbols = follow_symbols(root, stale);
    let explain =
        |((open, commit, truth), symbol): (&(Open, String, Truth), Option<FollowedSymbol>)| {
            let document = &documents[open.document_idx];
            let claim = &document.claims.claims[open.claim_idx];
            let mut found =
                Stale { reason: reason(now, claim), written: None, removed: None, now: None };
            match truth {
                Truth::Paths(old) => {
                    let followed = paths.follow(commit, &old[0]);
                    found.removed = followed.removed;
                    found.now = followed.path.map(|path| {
                        let replacement = written_path(document, claim, &old[0], &path);
                        NewPlace { place: path, is_certain: followed.is_certain, replacement }
                    });
                }
                Truth::Part(file, part) => {
                    if let Part::Symbol(name) = part {
                        found.removed =
                            past::last_change_of_word(root, commit, last(name), &[file]);
                    }
                }
                Truth::Definitions(definitions) => {
                    let files = definitions.iter().map(|it| it.path.as_str());
                    found.removed = paths.last_change(commit, name_of(claim), files.clone());
                    found.now = symbol.map(|symbol| NewPlace {
                        place: format!("{}::{}", symbol.file, symbol.name),
                        is_certain: symbol.is_certain,
                        replacement: replaced_name(claim, &symbol.name),
                    });
                    if found.removed.is_none() && !is_uncommitted(root, name_of(claim), files) {
                        return None;
                    }
                }
                Truth::Word(files) | Truth::Manifests(files) => {
                    let files = files.iter().map(String::as_str);
                    found.removed = paths.last_change(commit, name_of(claim), files.clone());
                    if found.removed.is_none() && !is_uncommitted(root, name_of(claim), files) {
                        return None;
                    }
                }
            }
            Some(found)
        };
    stale.iter().zip(symbols).map(explain).collect()
}

/// Returns whether a change that is not committed removes a word from a file.
fn is_uncommitted<'f>(root: &Path, word: &str, mut files: impl Iterator<Item = &'f str>) -> bool {
    let is_removed = git::with_objects(root, |objects| {
        files.any(|file| {
            let old = objects.read(&format!("HEAD:./{file}")).unwrap_or_default();
            let new = read::text(root, file).unwrap_or_default();
            String::from_utf8_lossy(&old).contains(word) && !new.contains(word)
        })
    });
    is_removed.unwrap_or(false)
}

fn last(name: &str) -> &str {
    name.rsplit(['.', '/']).next().unwrap_or(name)
}

/// Returns the word that a claim's target is written with.
fn name_of(claim: &Claim) -> &str {
    match &claim.target {
        Target::Path { path, .. } => path,
        Target::Symbol { parts, .. } => parts.last().map_or("", String::as_str),
        Target::Task(task) => &task.name,
        Target::Variable(name) | Target::Package(name) => name,
        Target::Version { version, .. } => version,
    }
}

/// Returns what is wrong with a claim.
fn reason(now: &Now, claim: &Claim) -> String {
    match &claim.target {
        Target::Path { path, part: Some(part), .. }
            if now.tree().contains(path) || path.is_empty() =>
        {
            match part {
                Part::Line(line) => format!("the file has fewer than {line} lines"),
                Part::Symbol(symbol) => format!("the file no longer has `{symbol}`"),
                Part::Heading(_) => "the document no longer has this heading".to_owned(),
            }
        }
        Target::Path { path, .. } if path.contains(['*', '{']) => {
            "no file matches it any more".to_owned()
        }
        Target::Path { path, .. } if path.ends_with('/') => {
            "the folder no longer exists".to_owned()
        }
        Target::Path { .. } => "the file no longer exists".to_owned(),
        Target::Symbol { .. } => "the code no longer defines or uses it".to_owned(),
        Target::Task(_) => "no manifest defines it any more".to_owned(),
        Target::Variable(_) => "the code no longer uses it".to_owned(),
        Target::Package(_) => "it is no longer a dependency".to_owned(),
        Target::Version { name, .. } => {
            let mut versions: Vec<&str> =
                now.manifests().depending(name).iter().map(|(_, version)| *version).collect();
            versions.sort_unstable();
            versions.dedup();
            versions.truncate(3);
            format!("the manifests now require {}", versions.join(", "))
        }
    }
}

/// A path that was followed.
#[derive(Debug, Clone, Default)]
struct FollowedPath {
    removed: Option<CommitSummary>,
    /// The path that it has now.
    path: Option<String>,
    is_certain: bool,
}

/// A commit, and the files that it deleted.
type Removal = (CommitSummary, Vec<String>);

struct Paths<'p> {
    root: &'p Path,
    tree: &'p Snapshot,
    /// The last deletions, by the old commit and the path.
    removals: BTreeMap<(String, String), Option<Removal>>,
    /// The renames of each commit.
    renames: BTreeMap<String, BTreeMap<String, String>>,
}

impl Paths<'_> {
    /// Follows a path from an old commit to now. The commit is the first that removed it.
    fn follow(&mut self, commit: &str, path: &str) -> FollowedPath {
        let mut followed = FollowedPath::default();
        let (mut since, mut at) = (commit.to_owned(), path.to_owned());
        for _ in 0..MAX_RENAMES {
            let Some((removal, files)) = self.removal(&since, &at) else { break };
            let new = self.renamed(&removal.id, &at, &files);
            since.clone_from(&removal.id);
            followed.removed.get_or_insert(removal);
            let Some(new) = new else { break };
            if self.tree.contains(&new) {
                followed.path = Some(new);
                followed.is_certain = true;
                return followed;
            }
            at = new;
        }
        followed.path = self.copy(commit, path);
        followed
    }

    /// Returns the last commit after `since` that deleted a path, with the files that it deleted
    /// of it.
    fn removal(&mut self, since: &str, path: &str) -> Option<Removal> {
        let key = (since.to_owned(), path.to_owned());
        if !self.removals.contains_key(&key) {
            let mut found = past::deletions(self.root, since, &[path]);
            let first = (!found.is_empty()).then(|| found.remove(0));
            self.removals.insert(key.clone(), first);
        }
        self.removals[&key].clone()
    }

    /// Returns where a commit moved a path, which may be the folder of `files`.
    fn renamed(&mut self, commit: &str, path: &str, files: &[String]) -> Option<String> {
        let renames = self
            .renames
            .entry(commit.to_owned())
            .or_insert_with(|| past::renames_in(self.root, commit));
        if let Some(new) = renames.get(path) {
            return Some(new.clone());
        }
        // A folder moved if most of its files moved to the same one.
        let prefix = format!("{path}/");
        let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
        for file in files {
            let new = renames.get(file).zip(file.strip_prefix(&prefix));
            let folder = new.and_then(|(new, rest)| new.strip_suffix(rest)?.strip_suffix('/'));
            if let Some(folder) = folder {
                *votes.entry(folder).or_default() += 1;
            }
        }
        let (folder, n_votes) = votes.into_iter().max_by_key(|(_, n_votes)| *n_votes)?;
        (n_votes * 2 > files.len()).then(|| folder.to_owned())
    }

    /// Returns the only file that has the name and, if the clone has it, the content of an old one.
    fn copy(&self, commit: &str, path: &str) -> Option<String> {
        let object = past::object_at(self.root, commit, path)?;
        let mut same = self.tree.entries().iter().filter(|entry| entry.object == object);
        let first = same.next()?;
        same.next().is_none().then(|| first.path.clone())
    }

    /// Returns the last commit that changed how often a word occurs in files, under all the names
    /// that they had.
    fn last_change<'f>(
        &mut self,
        commit: &str,
        word: &str,
        files: impl Iterator<Item = &'f str>,
    ) -> Option<CommitSummary> {
        let mut paths: Vec<String> = files.take(8).map(str::to_owned).collect();
        for idx in 0..paths.len() {
            let mut at = paths[idx].clone();
            for _ in 0..MAX_RENAMES {
                if self.tree.contains(&at) {
                    break;
                }
                let Some((removal, deleted)) = self.removal(commit, &at) else { break };
                let Some(new) = self.renamed(&removal.id, &at, &deleted) else { break };
                if paths.contains(&new) {
                    break;
                }
                paths.push(new.clone());
                at = new;
            }
        }
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        past::last_change_of_word(self.root, commit, word, &paths)
    }
}

/// Returns the new path as the document wrote the old one: relative to its folder, to a folder
/// around it, or as the end of the path.
fn written_path(document: &Document, claim: &Claim, old: &str, new: &str) -> Option<String> {
    let written = claim.span.slice(&document.text);
    let Target::Path { path, is_link, .. } = &claim.target else { return None };
    let trimmed = written.trim_end_matches('/');
    let slash = &written[trimmed.len()..];
    let plain = trimmed.trim_start_matches("./");
    if written.contains(['*', '{']) || path.trim_end_matches('/') != trimmed || plain.is_empty() {
        return None;
    }
    let dot = &trimmed[..trimmed.len() - plain.len()];
    let folder = folder_of(&document.path);
    if let Some(absolute) = trimmed.strip_prefix('/') {
        return (absolute == old).then(|| format!("/{new}{slash}"));
    }
    if plain.starts_with("../") || *is_link {
        return Some(format!("{}{slash}", relative(folder, new)));
    }
    // The folder that the written path is relative to: it must be that of the new path too.
    let base = old.strip_suffix(plain)?;
    let rest = new.strip_prefix(base).or_else(|| dot.is_empty().then_some(new))?;
    Some(format!("{dot}{rest}{slash}"))
}

/// Returns a path relative to a folder.
fn relative(folder: &str, path: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = path.split('/').collect();
    let n_common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let ups = std::iter::repeat_n("..", from.len() - n_common);
    ups.chain(to[n_common..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// Returns the new last part of a symbol's name.
fn replaced_name(claim: &Claim, symbol: &str) -> Option<String> {
    let Target::Symbol { parts, .. } = &claim.target else { return None };
    let (old_name, old_qualifiers) = parts.split_last()?;
    let new: Vec<&str> = symbol.split('.').collect();
    let (new_name, new_qualifiers) = new.split_last()?;
    // Only the last part is written anew: a new qualifier would need new prose.
    let is_same_place =
        old_qualifiers.last().zip(new_qualifiers.last()).is_none_or(|(old, new)| old == new);
    (is_same_place && new_name != old_name).then(|| (*new_name).to_owned())
}

/// A symbol that was followed.
struct FollowedSymbol {
    file: String,
    name: String,
    is_certain: bool,
}

/// Follows the symbols whose definitions are gone, each from its first definition.
fn follow_symbols(root: &Path, stale: &[(Open, String, Truth)]) -> Vec<Option<FollowedSymbol>> {
    let mut anchors: Vec<Anchor> = Vec::new();
    let mut anchor_idxs: Vec<Option<usize>> = vec![None; stale.len()];
    git::with_objects(root, |objects| {
        for (idx, (_, commit, truth)) in stale.iter().enumerate() {
            let Truth::Definitions(definitions) = truth else { continue };
            let first = definitions.iter().find_map(|it| Some((it, it.symbol.as_ref()?)));
            let Some((Definition { path, object, .. }, symbol)) = first else { continue };
            let located =
                objects.read(object).and_then(|bytes| track::locate_in(path, &bytes, symbol));
            if let Some(located) = located {
                anchor_idxs[idx] = Some(anchors.len());
                anchors.push(Anchor {
                    file: path.clone(),
                    symbol: Some(symbol.clone()),
                    kind: located.found.kind,
                    language: located.found.language,
                    origin: Origin::Auto,
                    quality: 1.0,
                    match_score: 1.0,
                    commit: Some(commit.clone()),
                    fingerprint: located.fingerprint,
                    look_alikes: None,
                });
            }
        }
    });
    let outcomes = track::follow(root, &[], &anchors, &|_, _| {}).unwrap_or_default();
    let followed = |anchor_idx: Option<usize>| {
        let outcome = outcomes.get(anchor_idx?)?;
        let new = outcome.new.as_ref()?;
        let is_found = matches!(outcome.state, State::Moved | State::Renamed);
        let name = new.symbol.clone()?;
        let is_certain = outcome.similarity >= MIN_SIMILARITY;
        is_found.then(|| FollowedSymbol { file: new.file.clone(), name, is_certain })
    };
    anchor_idxs.into_iter().map(followed).collect()
}
