//! Decides whether what documents say about their project is still true.
//!
//! Time decides: a claim that fails now is stale only if it was true in the tree of the commit that
//! wrote its line. Everything else that fails was never true here: an example, a placeholder, the
//! name of something in another project. So no list of exceptions is needed.
//!
//! 1. Each claim is compared with the tree as it is: one list of the tracked files, the manifests,
//!    and one pass over the code for all names together.
//! 2. `git blame` names the commits of the lines whose claims fail, and each claim is compared with
//!    the tree of that commit ([`then`]). If it fails there too, the line may have been rewritten
//!    meanwhile: older versions of the document are compared, see [`MAX_REWRITES`].
//! 3. For the claims that were true, the commit that removed their target and its new place are
//!    searched ([`removal`]).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rustc_hash::FxHashSet;

use crate::markdown::claims::{Claim, Claims, Stance, Target};
use crate::text::LineIndex;
use crate::timings;
use crate::tree::git;
use crate::tree::git::past::{self, CommitSummary};
use crate::tree::read;

mod manifests;
mod now;
mod removal;
mod snapshot;
mod then;
mod words;

use manifests::Manifests;
use now::{Holds, Now};
use then::{OldTree, Past, Truth};
use words::Words;

/// How often the search for the commit that wrote a claim goes to an older version of its line.
const MAX_REWRITES: usize = 3;

/// Maximum number of old commits whose trees are read.
const MAX_TREES: usize = 400;

/// A document with its claims.
#[derive(Debug)]
pub(crate) struct Document {
    /// Relative to the root.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) claims: Claims,
}

/// A claim that fails.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub(crate) document_idx: usize,
    pub(crate) claim_idx: usize,
    pub(crate) verdict: Verdict,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    /// It was true when it was written.
    Stale(Box<Stale>),
    /// The sentence forbids its target or says that it is gone, and it is.
    Fulfilled,
    /// It was not true when it was written.
    NeverTrue,
    /// Why it cannot be known.
    Unknown(&'static str),
}

/// A claim that was true and is not.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stale {
    /// What is wrong, about the claim.
    pub(crate) reason: String,
    /// The commit that wrote the claim, or in whose tree it was true.
    pub(crate) written: Option<CommitSummary>,
    /// The commit that made it false. `None` if that is not committed, or not found.
    pub(crate) removed: Option<CommitSummary>,
    pub(crate) now: Option<NewPlace>,
}

/// Where the target of a claim went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewPlace {
    /// A path, or a symbol with its path.
    pub(crate) place: String,
    /// Whether git or the code proves it.
    pub(crate) is_certain: bool,
    /// The text that replaces the name in the document.
    pub(crate) replacement: Option<String>,
}

/// The result of a check.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The claims that fail, in document order.
    pub(crate) findings: Vec<Finding>,
    /// What could not be checked.
    pub(crate) warnings: Vec<String>,
}

/// Checks the claims of documents against the tree below `root`. With `since`, a revision, claims
/// are stale if they were true at its last common commit with HEAD. Returns `None` if git cannot
/// list the files.
pub(crate) fn check(root: &Path, documents: &[Document], since: Option<&str>) -> Option<Report> {
    let _step = timings::step("check claims");
    let now = {
        let _step = timings::step("read the tree");
        Now::read(root, documents)?
    };
    let mut report = Report::default();
    let mut failing: Vec<(usize, usize)> = Vec::new();
    for (document_idx, document) in documents.iter().enumerate() {
        for (claim_idx, claim) in document.claims.claims.iter().enumerate() {
            let verdict = match now.holds(document, claim) {
                Holds::Yes => continue,
                // A list of versions, of which one is that of now.
                Holds::No if is_listed(&now, document, claim) => continue,
                Holds::Unknown(why) => Verdict::Unknown(why),
                Holds::No if claim.stance == Stance::Absent => Verdict::Fulfilled,
                Holds::No if is_example(document, claim) => Verdict::NeverTrue,
                Holds::No => {
                    failing.push((document_idx, claim_idx));
                    continue;
                }
            };
            report.findings.push(Finding { document_idx, claim_idx, verdict });
        }
    }
    let ignored = ignored(root, documents, &failing);
    failing.retain(|&(document_idx, claim_idx)| {
        let is_ignored = ignored.contains(&(document_idx, claim_idx));
        if is_ignored {
            let verdict = Verdict::Unknown("git ignores it");
            report.findings.push(Finding { document_idx, claim_idx, verdict });
        }
        !is_ignored
    });
    let mut checker = Checker { root, documents, now: &now, report, n_trees: 0 };
    match git::head(root) {
        None if failing.is_empty() => {}
        None => {
            checker.report.warnings.push(
                "the repository has no commits, so no claim can be older than the tree".to_owned(),
            );
            checker.put_all(&failing, &Verdict::Unknown("there are no commits"));
        }
        Some(_) => checker.decide(&failing, since),
    }
    let mut report = checker.report;
    report.findings.sort_by_key(|finding| (finding.document_idx, finding.claim_idx));
    Some(report)
}

/// Returns whether an example in the document itself defines the name of a claim.
fn is_example(document: &Document, claim: &Claim) -> bool {
    let Target::Symbol { parts, .. } = &claim.target else { return false };
    let code = document.claims.examples.iter().map(|span| span.slice(&document.text));
    parts.last().is_some_and(|name| code.into_iter().any(|code| words::defines(code, name)))
}

/// Returns whether a document states the version of now beside the version of a claim.
fn is_listed(now: &Now, document: &Document, claim: &Claim) -> bool {
    let Target::Version { name, .. } = &claim.target else { return false };
    document.claims.claims.iter().any(|other| {
        matches!(&other.target, Target::Version { name: other, .. } if other == name)
            && matches!(now.holds(document, other), Holds::Yes)
    })
}

/// Returns the folder of a path, which is empty for the root.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns whether a manifest has a version of a dependency.
fn is_version_claim_true(manifests: &Manifests, name: &str, version: &str) -> bool {
    let requirements = manifests.depending(name);
    requirements.iter().any(|(_, requirement)| manifests::has_version(requirement, version))
}

/// Returns the claims whose path git ignores.
fn ignored(
    root: &Path,
    documents: &[Document],
    failing: &[(usize, usize)],
) -> FxHashSet<(usize, usize)> {
    let mut asked: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    for &(document_idx, claim_idx) in failing {
        let document = &documents[document_idx];
        if let Target::Path { path, .. } = &document.claims.claims[claim_idx].target
            && !path.contains(['*', '{'])
        {
            let is_absolute = path.starts_with('/');
            let plain = path.trim_start_matches('/');
            for candidate in snapshot::candidates(folder_of(&document.path), plain, is_absolute) {
                if !candidate.is_empty() {
                    asked.entry(candidate).or_default().push((document_idx, claim_idx));
                }
            }
        }
    }
    if asked.is_empty() {
        return FxHashSet::default();
    }
    let paths: Vec<&Path> = asked.keys().map(Path::new).collect();
    let found = git::ignored(root, &paths);
    found.iter().filter_map(|path| asked.get(path)).flatten().copied().collect()
}

/// A claim on its way through the versions of its document.
#[derive(Debug, Clone)]
struct Open {
    document_idx: usize,
    claim_idx: usize,
    /// The path of the document in the commit.
    path: String,
    /// The commit before, and the document's path in it.
    previous: Option<(String, String)>,
}

struct Checker<'c> {
    root: &'c Path,
    documents: &'c [Document],
    now: &'c Now,
    report: Report,
    n_trees: usize,
}

impl Checker<'_> {
    fn put(&mut self, document_idx: usize, claim_idx: usize, verdict: Verdict) {
        self.report.findings.push(Finding { document_idx, claim_idx, verdict });
    }

    fn put_all(&mut self, claims: &[(usize, usize)], verdict: &Verdict) {
        for &(document_idx, claim_idx) in claims {
            self.put(document_idx, claim_idx, verdict.clone());
        }
    }

    fn claim(&self, document_idx: usize, claim_idx: usize) -> &Claim {
        &self.documents[document_idx].claims.claims[claim_idx]
    }

    /// Decides the claims that fail now.
    fn decide(&mut self, failing: &[(usize, usize)], since: Option<&str>) {
        let _step = timings::step("compare with old trees");
        let words = self.wanted_words(failing);
        let decided = git::with_objects(self.root, |objects| {
            let mut past = Past::new(objects, self.now.tree(), &words);
            let mut open = match since {
                Some(commit) => self.all_at(failing, commit),
                None => {
                    let _step = timings::step("blame");
                    self.origins(failing, &mut past)
                }
            };
            let mut stale: Vec<(Open, String, Truth)> = Vec::new();
            for round in 0..=MAX_REWRITES {
                let mut failed = Vec::new();
                for (commit, claims) in std::mem::take(&mut open) {
                    self.decide_at(&commit, claims, &mut past, &mut stale, &mut failed);
                }
                if since.is_none() && round < MAX_REWRITES {
                    open = self.older(&mut failed, round, &mut past);
                }
                for claim in failed {
                    self.put(claim.document_idx, claim.claim_idx, Verdict::NeverTrue);
                }
            }
            if past.is_exhausted() {
                self.report.warnings.push("too much code changed since some lines were written: names in them were not compared with their commits".to_owned());
            }
            stale
        });
        match decided {
            Some(stale) => self.explain(stale),
            None => {
                self.report
                    .warnings
                    .push("git could not read the objects of the repository".to_owned());
                self.put_all(failing, &Verdict::Unknown("git failed"));
            }
        }
    }

    /// Returns the names that are looked for in old code.
    fn wanted_words(&self, failing: &[(usize, usize)]) -> Words {
        let mut words = Vec::new();
        for &(document_idx, claim_idx) in failing {
            match &self.claim(document_idx, claim_idx).target {
                Target::Symbol { parts, .. } => words.extend(parts.iter().rev().take(2).cloned()),
                Target::Variable(name) => words.push(name.clone()),
                _ => {}
            }
        }
        Words::new(words)
    }

    fn all_at(&self, failing: &[(usize, usize)], commit: &str) -> BTreeMap<String, Vec<Open>> {
        let open = failing.iter().map(|&(document_idx, claim_idx)| Open {
            document_idx,
            claim_idx,
            path: self.documents[document_idx].path.clone(),
            previous: None,
        });
        BTreeMap::from([(commit.to_owned(), open.collect())])
    }

    /// Returns the claims by the commits that wrote their lines.
    fn origins(
        &mut self,
        failing: &[(usize, usize)],
        past: &mut Past<'_, '_>,
    ) -> BTreeMap<String, Vec<Open>> {
        let mut found: BTreeMap<String, Vec<Open>> = BTreeMap::new();
        let mut is_cut = false;
        for claims in failing.chunk_by(|a, b| a.0 == b.0) {
            let document_idx = claims[0].0;
            let document = &self.documents[document_idx];
            let index = LineIndex::new(&document.text);
            let head = past.objects.read(&format!("HEAD:./{}", document.path));
            // The lines of an uncommitted document were written now.
            let lines =
                past::unchanged_lines(&head.clone().unwrap_or_default(), document.text.as_bytes());
            let at_head = |claim_idx: usize| {
                let line = index.line(document.claims.claims[claim_idx].span.start);
                head.as_ref().and_then(|_| lines.get(line).copied().flatten())
            };
            let wanted: BTreeSet<u32> =
                claims.iter().filter_map(|(_, claim_idx)| at_head(*claim_idx)).collect();
            let origins = if wanted.is_empty() {
                BTreeMap::new()
            } else {
                past::blame(self.root, "HEAD", &document.path, &wanted)
            };
            for &(_, claim_idx) in claims {
                let line = at_head(claim_idx);
                let origin = line.and_then(|line| origins.get(&line));
                let mut open =
                    Open { document_idx, claim_idx, path: document.path.clone(), previous: None };
                let commit = match (origin, line) {
                    (Some(origin), _) => {
                        is_cut |= origin.is_boundary;
                        open.path.clone_from(&origin.path);
                        open.previous.clone_from(&origin.previous);
                        origin.commit.clone()
                    }
                    (None, None) => {
                        // The line may be a changed one of HEAD.
                        let version = ("HEAD".to_owned(), document.path.clone());
                        open.previous = head.as_ref().map(|_| version);
                        "HEAD".to_owned()
                    }
                    (None, Some(_)) => {
                        self.report.findings.push(Finding {
                            document_idx,
                            claim_idx,
                            verdict: Verdict::Unknown("git could not name the commit of its line"),
                        });
                        continue;
                    }
                };
                found.entry(commit).or_default().push(open);
            }
        }
        let is_shallow =
            matches!(git::status(self.root), git::GitStatus::Repository { is_shallow: true });
        if is_cut && is_shallow {
            self.report.warnings.push("this clone is shallow: what was written before its first commit is not checked; fetch the history with `git fetch --unshallow`".to_owned());
        }
        found
    }

    /// Decides claims whose lines one commit wrote.
    fn decide_at(
        &mut self,
        commit: &str,
        claims: Vec<Open>,
        past: &mut Past<'_, '_>,
        stale: &mut Vec<(Open, String, Truth)>,
        failed: &mut Vec<Open>,
    ) {
        self.n_trees += 1;
        let is_limited = self.n_trees > MAX_TREES || past.is_exhausted();
        let entries = if is_limited { None } else { past::files_at(self.root, commit) };
        let Some(entries) = entries else {
            for open in claims {
                let verdict = Verdict::Unknown("its commit cannot be read");
                self.put(open.document_idx, open.claim_idx, verdict);
            }
            return;
        };
        let mut old = OldTree::new(entries);
        for open in claims {
            let target = &self.claim(open.document_idx, open.claim_idx).target;
            match past.truth(&mut old, &open.path, target) {
                Some(truth) => stale.push((open, commit.to_owned(), truth)),
                None => failed.push(open),
            }
        }
    }

    /// Returns the claims that an older version of their document has too, by its commit. First that
    /// is the commit before the one that wrote the line, which may have rewritten the line and
    /// removed the target at once, then the one that wrote the older line.
    fn older(
        &self,
        failed: &mut Vec<Open>,
        round: usize,
        past: &mut Past<'_, '_>,
    ) -> BTreeMap<String, Vec<Open>> {
        let mut versions: BTreeMap<(String, String), Vec<Open>> = BTreeMap::new();
        let mut rest = Vec::new();
        for open in std::mem::take(failed) {
            match &open.previous {
                Some(version) => versions.entry(version.clone()).or_default().push(open),
                None => rest.push(open),
            }
        }
        let mut found: BTreeMap<String, Vec<Open>> = BTreeMap::new();
        for ((commit, path), claims) in versions {
            let bytes = past.objects.read(&format!("{commit}:./{path}")).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            let index = LineIndex::new(&text);
            let mut lines = Vec::new();
            for open in claims {
                let document = &self.documents[open.document_idx];
                let span = self.claim(open.document_idx, open.claim_idx).span;
                let written = span.slice(&document.text);
                match text.find(written).filter(|_| !written.is_empty()) {
                    Some(at) => {
                        lines.push((u32::try_from(index.line(at)).unwrap_or(u32::MAX), open))
                    }
                    None => rest.push(open),
                }
            }
            if round.is_multiple_of(2) {
                let claims = lines.into_iter().map(|(_, open)| Open { path: path.clone(), ..open });
                found.entry(commit).or_default().extend(claims);
                continue;
            }
            let wanted: BTreeSet<u32> = lines.iter().map(|(line, _)| *line).collect();
            let origins = past::blame(self.root, &commit, &path, &wanted);
            for (line, open) in lines {
                match origins.get(&line) {
                    Some(origin) => {
                        let (path, previous) = (origin.path.clone(), origin.previous.clone());
                        let open = Open { path, previous, ..open };
                        found.entry(origin.commit.clone()).or_default().push(open);
                    }
                    None => rest.push(open),
                }
            }
        }
        *failed = rest;
        found
    }

    /// Omits the bare names of files that code contains as text: such a claim is about what a
    /// program reads or writes, as `package.json` is.
    fn without_known_names(
        &mut self,
        stale: Vec<(Open, String, Truth)>,
    ) -> Vec<(Open, String, Truth)> {
        let name = |open: &Open| bare_name(self.claim(open.document_idx, open.claim_idx));
        let names: BTreeSet<&str> = stale.iter().filter_map(|(open, ..)| name(open)).collect();
        let known = words::mentioned(self.root, self.now.tree().entries(), &names);
        let (known, stale): (Vec<_>, Vec<_>) = stale
            .into_iter()
            .partition(|(open, ..)| name(open).is_some_and(|name| known.contains(name)));
        for (open, ..) in known {
            self.put(open.document_idx, open.claim_idx, Verdict::NeverTrue);
        }
        stale
    }

    /// Finds what became of the targets of stale claims.
    fn explain(&mut self, stale: Vec<(Open, String, Truth)>) {
        let _step = timings::step("search the removing commits");
        let stale = self.without_known_names(stale);
        let explained = removal::explain(self.root, self.now, self.documents, &stale);
        let mut written: BTreeMap<&str, Option<CommitSummary>> = BTreeMap::new();
        for ((open, commit, _), explained) in stale.iter().zip(explained) {
            let claim = self.claim(open.document_idx, open.claim_idx);
            let verdict = match explained {
                None => Verdict::NeverTrue,
                // What a rule forbids and nobody can do any more.
                Some(explained)
                    if claim.stance == Stance::Forbidden
                        && !is_elsewhere(explained.now.as_ref()) =>
                {
                    Verdict::Fulfilled
                }
                Some(explained) => {
                    let summary =
                        written.entry(commit).or_insert_with(|| past::summary(self.root, commit));
                    Verdict::Stale(Box::new(Stale { written: summary.clone(), ..explained }))
                }
            };
            self.report.findings.push(Finding {
                document_idx: open.document_idx,
                claim_idx: open.claim_idx,
                verdict,
            });
        }
    }
}

/// Returns the bare name of a file that a claim names: `config.json`.
fn bare_name(claim: &Claim) -> Option<&str> {
    match &claim.target {
        Target::Path { path, .. } if !path.contains(['/', '*', '{']) && !path.is_empty() => {
            Some(path)
        }
        _ => None,
    }
}

/// Returns whether the target of a claim is certainly at another place.
fn is_elsewhere(now: Option<&NewPlace>) -> bool {
    now.is_some_and(|now| now.is_certain)
}

/// Returns whether a path exists in the working tree, tracked or not.
fn is_on_disk(root: &Path, folder: &str, path: &str) -> bool {
    let is_absolute = path.starts_with('/');
    let candidates = snapshot::candidates(folder, path.trim_start_matches('/'), is_absolute);
    candidates.iter().any(|candidate| !candidate.is_empty() && read::exists(root, candidate))
}
