//! Decides whether what documents say about their project is still true.
//!
//! Time decides: a claim that fails now is stale only if it was true in the tree of the commit that
//! wrote its line. Everything else that fails was never true here: an example, a placeholder, the
//! name of something in another project. So no list of exceptions is needed.
//!
//! 1. Each claim is compared with the tree as it is: one list of the tracked files, the manifests,
//!    and one pass over the code for all names together.
//! 2. For the claims that fail, the versions of their documents name the commits that wrote their
//!    lines ([`origin`]), and each claim is compared with the tree of its commit ([`then`]). If it
//!    fails there too, the line may have been rewritten meanwhile: the oldest version that names
//!    the target is compared as well. A line that was in another document before is as old as there
//!    ([`moved`]).
//! 3. For the claims that were true, the commit that removed their target ([`ends`]) and its new
//!    place are searched ([`removal`]).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cerberus_engine::tree::git;
use cerberus_engine::tree::git::past::CommitSummary;
use cerberus_engine::tree::git::{IgnoredPath, Objects, past};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::parse::{Claim, Claims, Stance, Target};

pub mod addresses;
mod corrected;
mod ends;
mod foreign;
mod former;
mod manifests;
mod meant;
mod moved;
mod now;
mod origin;
pub mod parse;
mod removal;
pub mod rules;
mod snapshot;
mod then;
pub mod times;
mod versions;
mod words;

use corrected::Renamed;
use former::{Former, History, Tried};
use now::{Holds, Now};
use then::Past;

/// What a sentence or its heading says about what does not exist.
const ABSENT: &str =
    "it does not exist; its sentence, or a title above it, is not about what exists now";
const FORBIDDEN: &str = "it no longer exists, and the sentence forbids it";
const UNCLEAR: &str = "what its sentence, or one above it, says of it is not known";
const EXAMPLE: &str = "it is an example of a pattern";
const DEFINED: &str = "an example in the document defines it";

/// Why a claim is not checked if git fails on the way.
const GIT_FAILED: &str = "git could not read the objects of the repository";

/// Why a claim is not compared with the files that a sparse checkout omits.
const SPARSE: &str =
    "a sparse checkout omits files that may have it: check all with `git sparse-checkout disable`";

/// Why a claim is not compared with a version of a file.
const LACKING: &str = "the repository lacks old versions of files: clone it without `--filter`, or check it with `git fsck`";

/// Why a claim is not checked if its line is older than the history of a shallow clone.
pub const SHALLOW: &str = "this clone is shallow, without the commits that wrote them: fetch the history with \
    `git fetch --unshallow`, or set `fetch-depth: 0` of actions/checkout";

/// A document with its claims.
#[derive(Debug)]
pub struct Document {
    /// Relative to the root.
    pub path: String,
    pub text: String,
    pub claims: Claims,
}

/// A claim that fails.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub document_idx: usize,
    pub claim_idx: usize,
    pub verdict: Verdict,
}

/// The result of the check of a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It was true when it was written.
    Stale(Box<Stale>),
    /// It was true when it was written, and why it is only likely that it is a claim about now.
    Likely(Box<Stale>, &'static str),
    /// It does not exist, and why its sentence does not say that it does.
    Fulfilled(&'static str),
    /// It was not true when it was written.
    NeverTrue,
    /// Why it cannot be known.
    Unknown(&'static str),
    /// Why it was not checked.
    Unchecked(&'static str),
}

/// A claim that was true and is not.
#[derive(Debug, Clone, PartialEq)]
pub struct Stale {
    /// What is wrong, about the claim.
    pub reason: String,
    /// The commit that wrote the claim, or in whose tree it was true.
    pub written: Option<CommitSummary>,
    /// The commit that made it false. `None` if that is not committed, or not found.
    pub removed: Option<CommitSummary>,
    /// The file that had it, if only one did and the claim does not name its path.
    pub was: Option<String>,
    pub now: Option<NewPlace>,
}

/// Where the target of a claim went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPlace {
    /// A path, or a symbol with its path.
    pub place: String,
    /// Whether git or the code proves it.
    pub is_certain: bool,
    /// The text that replaces the name in the document, if the claim holds with it.
    pub replacement: Option<String>,
    /// Why a new name is not written.
    pub unwritten: Option<&'static str>,
    /// Whether the new name had other code when the old one was removed.
    pub(crate) is_reused: bool,
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct Report {
    /// The claims that fail, in document order.
    pub findings: Vec<Finding>,
    /// The files that exist and could not be read, with the reasons, by path.
    pub unread: Vec<(String, String)>,
    pub warnings: Vec<String>,
}

/// Checks the claims of documents against the tree below `root`. With `since`, a revision, claims
/// are stale if they were true at its last common commit with HEAD. Returns `None` if git cannot
/// list the files.
pub fn check(root: &Path, documents: &[Document], since: Option<&str>) -> Option<Report> {
    let now = Now::read(root, documents)?;
    let project = Project {
        root,
        documents,
        now: &now,
    };
    let report = Report {
        unread: now.unread.clone(),
        ..Report::default()
    };
    let mut checker = Checker {
        project,
        report,
        doubtful: FxHashSet::default(),
    };
    let mut failing: Vec<Position> = Vec::new();
    for (document_idx, document) in documents.iter().enumerate() {
        // The names that the examples of the document define.
        let mut defined: Option<FxHashSet<&str>> = None;
        for (claim_idx, claim) in document.claims.claims.iter().enumerate() {
            let at = (document_idx, claim_idx);
            match now.holds(document, claim) {
                Holds::Yes => {}
                Holds::No | Holds::Perhaps if is_text_of_link(&now, document, claim_idx) => {}
                Holds::Unknown(why) => checker.put(at, Verdict::Unknown(why)),
                Holds::Perhaps if matches!(claim.stance, Stance::Absent | Stance::Example) => {}
                Holds::Perhaps => {
                    checker.doubtful.insert(at);
                    failing.push(at);
                }
                Holds::No if claim.stance == Stance::Absent => {
                    checker.put(at, Verdict::Fulfilled(ABSENT));
                }
                Holds::No if claim.stance == Stance::Example => {
                    checker.put(at, Verdict::Fulfilled(EXAMPLE));
                }
                Holds::No if is_example(document, claim, &mut defined) => {
                    checker.put(at, Verdict::Fulfilled(DEFINED));
                }
                Holds::No if now.omits(&claim.target) => {
                    checker.put(at, Verdict::Unchecked(SPARSE));
                }
                Holds::No => failing.push(at),
            }
        }
    }
    if !failing.is_empty() {
        checker.decide(&failing, since);
    }
    let mut report = checker.report;
    report
        .findings
        .sort_by_key(|finding| (finding.document_idx, finding.claim_idx));
    Some(report)
}

/// Returns whether an example in the document itself defines the name of a claim. `defined` are the
/// names that the examples define, once they are known.
fn is_example<'d>(
    document: &'d Document,
    claim: &Claim,
    defined: &mut Option<FxHashSet<&'d str>>,
) -> bool {
    let Target::Symbol { parts, .. } = &claim.target else {
        return false;
    };
    let defined = defined.get_or_insert_with(|| {
        let code = document
            .claims
            .examples
            .iter()
            .map(|span| span.slice(&document.text));
        code.flat_map(words::defined_in).collect()
    });
    parts
        .last()
        .is_some_and(|name| defined.contains(name.as_str()))
}

/// Returns whether a claim is the text of a link whose destination exists.
fn is_text_of_link(now: &Now, document: &Document, claim_idx: usize) -> bool {
    let [claim, link, ..] = &document.claims.claims[claim_idx..] else {
        return false;
    };
    let between = document.text.get(claim.span.end..link.span.start);
    matches!(between, Some("`](" | "]("))
        && matches!(link.target, Target::Path { is_link: true, .. })
        && matches!(now.holds(document, link), Holds::Yes)
}

/// Returns the folder of a path, which is empty for the root.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns whether a path is a folder, or is in it.
fn is_within(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The positions of a document, and of a claim in it.
type Position = (usize, usize);

/// The documents, and the project with which their claims are compared.
#[derive(Clone, Copy)]
struct Project<'p> {
    root: &'p Path,
    documents: &'p [Document],
    now: &'p Now,
}

impl<'p> Project<'p> {
    fn claim(self, (document_idx, claim_idx): Position) -> (&'p Document, &'p Claim) {
        let document = &self.documents[document_idx];
        (document, &document.claims.claims[claim_idx])
    }

    /// Returns the claims whose path git ignores, with the pattern: one that the document may name, or that it
    /// named.
    fn ignored(self, tried: &[(Position, Tried)]) -> FxHashMap<Position, IgnoredPath> {
        let mut asked: BTreeMap<String, Vec<Position>> = BTreeMap::new();
        for (at, former) in tried {
            let (document, claim) = self.claim(*at);
            let Target::Path { path, .. } = &claim.target else {
                continue;
            };
            if !path.contains(['*', '{']) {
                let is_folder = !snapshot::last(path.trim_end_matches('/')).contains('.');
                let named = former.iter().map(|former| former.truth.file().to_owned());
                let paths = snapshot::candidates(folder_of(&document.path), path).into_iter();
                for path in paths.chain(named).filter(|path| !path.is_empty()) {
                    // A pattern that ends with a slash is for folders. Git sees whether what exists is one.
                    if is_folder && self.root.join(&path).symlink_metadata().is_err() {
                        asked.entry(format!("{path}/")).or_default().push(*at);
                    }
                    asked.entry(path).or_default().push(*at);
                }
            }
        }
        if asked.is_empty() {
            return FxHashMap::default();
        }
        let is_untracked = |path: &&str| !self.now.tree.contains(path.trim_end_matches('/'));
        let paths = asked.keys().map(String::as_str).filter(is_untracked);
        let paths: Vec<&str> = paths.collect();
        let mut found = FxHashMap::default();
        for ignored in git::ignored_by_tree(self.root, &paths) {
            for at in asked.remove(&ignored.path).unwrap_or_default() {
                found.insert(at, ignored.clone());
            }
        }
        found
    }
}

struct Checker<'c> {
    project: Project<'c>,
    report: Report,
    /// The claims that hold perhaps.
    doubtful: FxHashSet<Position>,
}

impl Checker<'_> {
    fn put(&mut self, (document_idx, claim_idx): Position, verdict: Verdict) {
        // What holds perhaps is a finding only if it ended.
        let is_stale = matches!(verdict, Verdict::Stale(_) | Verdict::Likely(..));
        if !is_stale && self.doubtful.contains(&(document_idx, claim_idx)) {
            return;
        }
        self.report.findings.push(Finding {
            document_idx,
            claim_idx,
            verdict,
        });
    }

    fn put_all<'a>(&mut self, claims: impl IntoIterator<Item = &'a Position>, verdict: &Verdict) {
        claims
            .into_iter()
            .for_each(|at| self.put(*at, verdict.clone()));
    }

    /// Decides the claims that fail now.
    fn decide(&mut self, failing: &[Position], since: Option<&str>) {
        let n_findings = self.report.findings.len();
        let Project { root, now, .. } = self.project;
        let is_decided = git::with_objects(root, |objects| {
            let Some(head) = objects.find("HEAD^{commit}") else {
                return false;
            };
            if now.tree.entries().is_empty() {
                let why = "git lists no files; restore the index with `git reset`";
                self.put_all(failing, &Verdict::Unchecked(why));
                return true;
            }
            let (mut open, later) = match since {
                Some(commit) => self.all_at(objects, failing, commit),
                None => (Vec::new(), failing.to_vec()),
            };
            open.extend(self.origins(objects, &later, &head.id));
            let staged = past::staged_away(root);
            let words = self.wanted_words(&open);
            let mut history = History::new(&head.id, since, former::unsaved(now, staged));
            history.trees = self.old_trees(&open, &head.id, &history.unsaved);
            let former = self.former(open, history, &mut Past::new(objects, now, &words));
            self.explain(objects, former, &head.id);
            true
        });
        let verdict = match is_decided {
            Some(true) => return,
            Some(false) => {
                self.warn("the repository has no commits, so no claim can be older than the tree");
                Verdict::Unknown("there are no commits")
            }
            None => Verdict::Unchecked(GIT_FAILED),
        };
        self.report.findings.truncate(n_findings);
        self.put_all(failing, &verdict);
    }

    fn warn(&mut self, warning: &str) {
        self.report.warnings.push(warning.to_owned());
    }

    /// Omits the files that code contains as a string: such a claim is about what a program reads or writes, as
    /// `package.json` is. Omits the packages that code imports. Returns the others, and among them those whose
    /// whole path is such a string, which is out of date as well if the file was moved.
    fn without_known_names(&mut self, former: Vec<Former>) -> (Vec<Former>, FxHashSet<Position>) {
        let Project { root, now, .. } = self.project;
        let package = |it: &Former| match &self.project.claim(it.at).1.target {
            // Not a module of Go, whose last part other modules have too.
            Target::Package(name) if name.split('/').count() < 3 => Some(words::module_name(name)),
            _ => None,
        };
        let packages: BTreeSet<String> = former.iter().filter_map(package).collect();
        let imported = words::imported(root, now.tree.entries(), &packages);
        let name = |it: &Former| {
            let (document, claim) = self.project.claim(it.at);
            looked_for(claim).filter(|name| {
                // The document of a folder means the file that was beside it.
                let was_beside = |path: &str| {
                    let folder = folder_of(path);
                    !folder.is_empty() && it.truth.file() == snapshot::joined(folder, name)
                };
                // A name that other files of the project have is that of a kind of file.
                let is_own = |path| was_beside(path) && now.tree.n_named(name) == 0;
                !is_own(&document.path)
                    && !is_own(&it.written.path)
                    && document.claims.tree(claim).is_none()
            })
        };
        let names: BTreeSet<&str> = former.iter().filter_map(name).collect();
        let known = words::mentioned(root, now.tree.entries(), &names);
        let is_whole_path = |it: &Former| {
            name(it).is_some_and(|name| name.contains('/') && name == it.truth.file())
        };
        let is_known = |it: &Former| {
            name(it).is_some_and(|name| known.contains(name))
                || package(it).is_some_and(|name| imported.contains(&name))
        };
        let (known, mut former): (Vec<_>, Vec<_>) = former.into_iter().partition(is_known);
        let (perhaps, known): (Vec<_>, Vec<_>) = known.into_iter().partition(is_whole_path);
        self.put_all(known.iter().map(|it| &it.at), &Verdict::NeverTrue);
        let perhaps_moved = perhaps.iter().map(|it| it.at).collect();
        former.extend(perhaps);
        (former, perhaps_moved)
    }

    /// Finds what became of the targets of claims that were true.
    fn explain(&mut self, objects: &mut Objects<'_>, former: Vec<Former>, head: &str) {
        let (former, perhaps_moved) = self.without_known_names(former);
        let (foreign, former) = foreign::split(self.project, &self.report.findings, former);
        self.put_all(foreign.iter().map(|it| &it.at), &Verdict::NeverTrue);
        let Some(mut explained) = removal::explain(self.project, objects, &former, head) else {
            let claims = former.iter().map(|it| &it.at);
            return self.put_all(claims, &Verdict::Unchecked(GIT_FAILED));
        };
        let mut renamed = Vec::new();
        for (it, explained) in former.iter().zip(&mut explained) {
            let new = explained.as_mut().and_then(|stale| stale.now.as_mut());
            if let Some(new) = new.filter(|new| new.is_certain && new.replacement.is_some()) {
                renamed.push(Renamed { at: it.at, new });
            }
        }
        corrected::verify(self.project, renamed);
        for (it, explained) in former.iter().zip(explained) {
            let stance = self.project.claim(it.at).1.stance;
            let is_forbidden = stance == Stance::Forbidden;
            let is_certain = |stale: &Stale| stale.now.as_ref().is_some_and(|now| now.is_certain);
            let verdict = match explained {
                None => Verdict::NeverTrue,
                Some(stale) if perhaps_moved.contains(&it.at) && !is_certain(&stale) => {
                    Verdict::NeverTrue
                }
                // What a rule forbids and nobody can do any more.
                Some(stale) if is_forbidden && !is_certain(&stale) => Verdict::Fulfilled(FORBIDDEN),
                Some(stale) if stance == Stance::Unclear => {
                    Verdict::Likely(Box::new(stale), UNCLEAR)
                }
                Some(stale) => Verdict::Stale(Box::new(stale)),
            };
            self.put(it.at, verdict);
        }
    }
}

/// Returns the file that a program may look for, as it would name it: `config.json`, `data/seed.json`, or
/// its last part if it has no ending and is in the folder of a tool, as in `.tool/hooks/start`.
fn looked_for(claim: &Claim) -> Option<&str> {
    let Target::Path {
        path,
        is_link: false,
        ..
    } = &claim.target
    else {
        return None;
    };
    if path.contains(['*', '{']) || path.is_empty() || path.ends_with('/') {
        return None;
    }
    let path = path.trim_start_matches("./");
    match path.rsplit_once('/') {
        Some((folder, name)) if folder.starts_with('.') && !name.contains('.') => {
            (!folder.starts_with("..")).then_some(name)
        }
        _ => Some(path),
    }
}

/// Returns the words of code with which a target is compared.
fn words_of(target: &Target) -> Vec<String> {
    match target {
        Target::Symbol { parts, .. } => parts.iter().rev().take(2).cloned().collect(),
        Target::Variable(name) => vec![name.clone()],
        _ => Vec::new(),
    }
}
