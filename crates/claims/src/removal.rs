//! What became of the target of a stale claim: the commit that removed it, and where it went.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use cerberus_engine::tree::git;
use cerberus_engine::tree::git::past::{Node, TreeEntry};
use cerberus_engine::tree::git::{Objects, past};
use cerberus_model::{Anchor, text};
use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::ends::{Ends, MainLine};
use super::now::Now;
use super::origin::{Moment, line_of};
use super::then::{MAX_DEFINITIONS, Truth};
use super::versions::Version;
use super::words;
use crate::former::Former;
use crate::kinds::path::{FilePath, Part};
use crate::kinds::variable::Variable;
use crate::parse::{Claim, Target};
use crate::project::Project;
use crate::report::{Document, Level, NewPlace, Stale};

mod companions;
mod moves;
mod new_name;
mod qualifiers;
mod stored;
mod succession;

use new_name::is_kept;
use stored::Stored;

/// Maximum number of renames of one path, or moves of one name, that are followed.
const MAX_RENAMES: usize = 12;

/// Maximum number of files of a commit that are searched for a name that it moved.
const MAX_CHANGED: usize = 400;

/// What `removal.toml` has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    similarity: f64,
    shared_lines: f64,
}

static LIMITS: LazyLock<Limits> =
    LazyLock::new(|| toml::from_str(include_str!("removal.toml")).expect("a test reads the file"));

/// Returns what became of the targets of claims that were true: `None` for a name that no commit and
/// no change of the working tree removed from its files, or that the removing commit wrote in new
/// words, as it was not there as the claim means it. Returns no list if git fails.
pub(super) fn explain(
    project: Project<'_>,
    objects: &mut Objects<'_>,
    former: &[Former],
    head: &str,
) -> Option<Vec<Option<Stale>>> {
    if former.is_empty() {
        return Some(Vec::new());
    }
    let root = project.root;
    let main = &MainLine::read(root, head);
    let claims: Vec<&Claim> = former.iter().map(|it| project.claim(it.at).1).collect();
    let mut fates: Vec<Option<Fate>> = vec![None; former.len()];
    let found = git::with_objects_each(root, by_file(former), |objects, idxs| {
        let mut search = Search::new(root, project.now, main, objects);
        let fate = |idx: usize| {
            Some((
                idx,
                search.fate(project.claim(former[idx].at), &former[idx])?,
            ))
        };
        idxs.into_iter().filter_map(fate).collect::<Vec<_>>()
    });
    for (idx, fate) in found?.into_iter().flatten() {
        fates[idx] = Some(fate);
    }
    let mut search = Search::new(root, project.now, main, objects);
    search.follow_symbols(&claims, &mut fates)?;
    search.follow_companions(project, former, &mut fates);
    let written = former.iter().map(|it| it.first.as_str());
    let removing = fates
        .iter()
        .flatten()
        .filter_map(|fate| fate.removed.as_deref());
    let summaries = past::summaries(root, &written.chain(removing).collect());
    let explain = |(it, fate): (&Former, Option<Fate>)| {
        let fate = fate?;
        let (_, claim) = project.claim(it.at);
        Some(Stale {
            level: Level::default(),
            doubt: None,
            reason: claim.target.kind().reason(project.now, &it.truth),
            written: summaries.get(&it.first).cloned(),
            removed: fate
                .removed
                .and_then(|commit| summaries.get(&commit).cloned()),
            was: fate.was.filter(|was| !claim.text.contains(was.as_str())),
            now: fate.now,
        })
    };
    Some(former.iter().zip(fates).map(explain).collect())
}

/// Divides claims among the processors, those that were true because of one file together: they ask
/// for the same versions of it.
fn by_file(former: &[Former]) -> Vec<Vec<usize>> {
    let mut of_file: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (idx, it) in former.iter().enumerate() {
        of_file.entry(it.truth.file()).or_default().push(idx);
    }
    let mut parts = vec![Vec::new(); git::n_parts().min(of_file.len())];
    for idxs in of_file.into_values() {
        if let Some(smallest) = parts.iter_mut().min_by_key(|part| part.len()) {
            smallest.extend(idxs);
        }
    }
    parts
}

/// What became of a target.
#[derive(Debug, Clone, Default)]
struct Fate {
    /// The file that had it, if only one did.
    was: Option<String>,
    /// The commit that removed it.
    removed: Option<String>,
    now: Option<NewPlace>,
    /// The code that defined it before that commit.
    code: Option<Removed>,
}

/// Code that a commit removed.
#[derive(Debug, Clone)]
struct Removed {
    commit: Node,
    anchor: Anchor,
}

/// How code that was followed is like the code that was removed.
#[derive(Debug, Clone, Copy)]
struct Likeness {
    similarity: f64,
    has_signature: bool,
}

impl Default for Likeness {
    fn default() -> Self {
        Self {
            similarity: 1.0,
            has_signature: true,
        }
    }
}

/// A test of a version of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Test {
    Part(Part),
    Defines(Vec<String>),
    /// A definition other than a field.
    DefinesFunction(Vec<String>),
    /// Code that contains the word.
    Uses(String),
    /// A manifest that makes a claim about it true.
    Makes(Target),
}

struct Search<'s, 'o> {
    root: &'s Path,
    now: &'s Now,
    ends: Ends<'s>,
    stored: Stored<'s, 'o>,
    /// The renames of each commit.
    renames: BTreeMap<String, BTreeMap<String, String>>,
    /// The renames of each commit, with those to paths that other files had.
    exchanges: FxHashMap<String, Rc<BTreeMap<String, String>>>,
    /// Where commits moved paths, by both.
    moved: FxHashMap<(String, String), Option<String>>,
    /// The files that each commit added or changed.
    changed: FxHashMap<String, Rc<[TreeEntry]>>,
    /// Those that are code, at most [`MAX_CHANGED`].
    changed_code: FxHashMap<String, Rc<[TreeEntry]>>,
}

impl<'s, 'o> Search<'s, 'o> {
    fn new(root: &'s Path, now: &'s Now, main: &'s MainLine, objects: &'s mut Objects<'o>) -> Self {
        let ends = Ends::new(main);
        Self {
            root,
            now,
            ends,
            stored: Stored::new(objects),
            renames: BTreeMap::new(),
            exchanges: FxHashMap::default(),
            moved: FxHashMap::default(),
            changed: FxHashMap::default(),
            changed_code: FxHashMap::default(),
        }
    }

    fn fate(&mut self, claim: (&Document, &Claim), it: &Former) -> Option<Fate> {
        let fate = self.removal(claim, it)?;
        let is_by_writer = fate.removed.as_ref() == Some(&it.written.commit);
        (!is_by_writer || !self.is_written_anew(claim, &it.written)).then_some(fate)
    }

    fn removal(&mut self, (document, claim): (&Document, &Claim), it: &Former) -> Option<Fate> {
        let commit = &it.commit;
        let (files, test) = match (&it.truth, &claim.target) {
            (Truth::Paths(old), _) => {
                let (removed, place) = self.follow_path(commit, &old[0]);
                let now = place.map(|(path, is_certain)| {
                    let mut now = self.moved_path((document, claim), (commit, &old[0]), path);
                    now.replacement.take_if(|_| !is_kept(&old[0], &now.place));
                    NewPlace { is_certain, ..now }
                });
                let is_link = matches!(claim.target, Target::Path(FilePath { is_link: true, .. }));
                let was = old.first().filter(|_| old.len() == 1 && !is_link).cloned();
                return Some(Fate {
                    was,
                    removed: removed.map(|node| node.id),
                    now,
                    code: None,
                });
            }
            (Truth::Part(file, part), _) => {
                let removed = self.end(
                    commit,
                    std::slice::from_ref(file),
                    &Test::Part(part.clone()),
                );
                return Some(Fate {
                    removed: removed.map(|node| node.id),
                    ..Fate::default()
                });
            }
            (Truth::Manifests(files), target) => (files, Test::Makes(target.clone())),
            (Truth::Definitions(files), Target::Symbol(symbol)) => {
                let parts = symbol.parts.clone();
                if symbol.is_only_field(self.now) {
                    (files, Test::DefinesFunction(parts))
                } else {
                    (files, Test::Defines(parts))
                }
            }
            (Truth::Word(files), Target::Variable(Variable(name))) => {
                (files, Test::Uses(name.clone()))
            }
            (Truth::Definitions(_) | Truth::Word(_), _) => return None,
        };
        let truth_files = files;
        let (removed, files) = match &test {
            Test::Makes(_) => (self.end(commit, files, &test), files.clone()),
            _ => self.follow_word(commit, files.clone(), &test),
        };
        let was = files.first().filter(|_| files.len() == 1).cloned();
        let Some(node) = removed else {
            let is_uncommitted = self.is_uncommitted(&files, &test);
            return is_uncommitted.then(|| Fate {
                was,
                ..Fate::default()
            });
        };
        let code = match &test {
            Test::Defines(parts) | Test::DefinesFunction(parts) => {
                let written = truth_files
                    .first()
                    .map(|file| (commit.as_str(), file.as_str()));
                self.code_of_claim(written, (&node, &files), parts)
            }
            _ => None,
        };
        Some(Fate {
            was,
            removed: Some(node.id),
            now: None,
            code,
        })
    }

    /// Returns whether the commit that removed a target wrote the words around its name: the author
    /// knew that it is gone, and means something else.
    fn is_written_anew(
        &mut self,
        (document, claim): (&Document, &Claim),
        Moment { commit, path }: &Moment,
    ) -> bool {
        let line = line_of(document, claim.span);
        let name = claim.span.slice(&document.text);
        let mut read = |name: String| {
            self.stored
                .objects
                .read(&name)
                .map(|bytes| text::decode(&bytes).0.into_owned())
        };
        let (Some(old), Some(new)) = (
            read(format!("{commit}^:./{path}")),
            read(format!("{commit}:./{path}")),
        ) else {
            return false;
        };
        // A line that is not committed is compared with HEAD, which did not write it.
        new.lines().any(|it| it.trim() == line) && !has_words_of(&old, line, name)
    }

    /// Returns the commit after `since` after which no file of `files` passes a test.
    fn end(&mut self, since: &str, files: &[String], test: &Test) -> Option<Node> {
        let Self { ends, stored, .. } = self;
        let files = &files[..files.len().min(MAX_DEFINITIONS)];
        ends.find(since, &mut |commit| {
            files.iter().any(|file| {
                let version = stored.version(commit, file);
                version.is_some_and(|version| test.passes(&version))
            })
        })
    }

    /// Returns the files that a commit added or changed.
    fn changed_in(&mut self, commit: &str) -> Rc<[TreeEntry]> {
        let changed = self.changed.entry(commit.to_owned());
        changed
            .or_insert_with(|| past::changed_in(self.root, commit).into())
            .clone()
    }

    /// Follows a word from its files to the files to which commits moved it. Returns the commit that
    /// removed it from the last ones, and these.
    fn follow_word(
        &mut self,
        since: &str,
        mut files: Vec<String>,
        test: &Test,
    ) -> (Option<Node>, Vec<String>) {
        let mut since = since.to_owned();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        loop {
            let Some(node) = self.end(&since, &files, test) else {
                return (None, files);
            };
            if !seen.insert(node.id.clone()) || seen.len() > MAX_RENAMES {
                return (Some(node), files);
            }
            let moved = self.passing_after(&node.id, test);
            if moved.is_empty() {
                return (Some(node), files);
            }
            since.clone_from(&node.id);
            files = moved;
        }
    }

    /// Returns the files of code that a commit changed and that pass a test after it.
    fn passing_after(&mut self, commit: &str, test: &Test) -> Vec<String> {
        let changed = self.changed_in(commit);
        let is_code = |entry: &&TreeEntry| words::is_code(entry);
        let code = || {
            changed
                .iter()
                .filter(is_code)
                .take(MAX_CHANGED)
                .cloned()
                .collect()
        };
        let code = self
            .changed_code
            .entry(commit.to_owned())
            .or_insert_with(code)
            .clone();
        let mut found = Vec::new();
        for entry in code.iter() {
            let version = self.stored.version_of(entry);
            if version.is_some_and(|version| test.passes(&version)) {
                found.push(entry.path.clone());
            }
        }
        found
    }

    /// Returns whether a change that is not committed makes files fail a test.
    fn is_uncommitted(&mut self, files: &[String], test: &Test) -> bool {
        files.iter().any(|file| {
            let passes = |it: Option<Arc<Version>>| it.is_some_and(|it| test.passes(&it));
            passes(self.stored.version("HEAD", file))
                && !passes(self.stored.version_now(self.root, file))
        })
    }

    /// Returns the first definition of a name that a commit removed from files, as an anchor in its
    /// first parent.
    fn removed_code(&mut self, node: &Node, files: &[String], parts: &[String]) -> Option<Removed> {
        let parent = node.parents.first()?;
        files.iter().find_map(|file| {
            let old = self.stored.version(parent, file)?;
            let symbol = old.symbol(parts)?.to_owned();
            let located = old.locate(&symbol)?;
            let anchor = Anchor {
                file: file.clone(),
                symbol: Some(symbol),
                kind: located.found.kind,
                language: located.found.language,
                quality: 1.0,
                match_score: 1.0,
                commit: Some(node.id.clone()),
                fingerprint: located.fingerprint,
                ..Anchor::default()
            };
            Some(Removed {
                commit: node.clone(),
                anchor,
            })
        })
    }
}

impl Test {
    /// Returns whether a version of a file passes the test.
    fn passes(&self, version: &Version) -> bool {
        match self {
            Self::Part(part) => version.has_part(part),
            Self::Defines(parts) => version.has(parts),
            Self::DefinesFunction(parts) => version.has(parts) && version.has_function(parts),
            Self::Uses(name) => version.uses(name),
            Self::Makes(target) => !version.manifests().making(target.kind()).is_empty(),
        }
    }
}

/// Returns whether a text has a name within the words of a line: all that are not code are on the
/// line of the name or next to it.
fn has_words_of(text: &str, line: &str, name: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let prose: Vec<&str> = text.split('`').step_by(2).collect();
        let prose = prose.join(" ").to_lowercase();
        let words = prose
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let wanted = words(line);
    let lines: Vec<&str> = text.lines().collect();
    let named = (0..lines.len()).filter(|&idx| lines[idx].contains(name));
    let mut around =
        named.map(|idx| words(&lines[idx.saturating_sub(1)..lines.len().min(idx + 2)].join("\n")));
    around.any(|around| wanted.is_subset(&around))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_limits_is_valid() {
        assert!(LIMITS.similarity < 1.0 && LIMITS.shared_lines < 1.0);
    }

    #[test]
    fn a_line_with_other_names_has_the_words_of_the_old_one() {
        let check = |old: &str, line: &str, expected| {
            assert_eq!(has_words_of(old, line, "load_rows"), expected, "{line}");
        };
        check(
            "Use `a` and `load_rows` once.",
            "Use `b` and `load_rows` once.",
            true,
        );
        check(
            "Rows are read\nby `load_rows` once.",
            "Rows are read by `load_rows` once.",
            true,
        );
        check("- `load_rows`", "* `load_rows`", true);
        check(
            "Call `load_rows`, which we chose.",
            "Call `load_rows`, the old choice.",
            false,
        );
        check("Call it first.", "Call `load_rows` first", false);
    }
}
