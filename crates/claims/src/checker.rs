//! The check: each claim is compared with now, and those that fail with the time when they were written.

use std::path::Path;

use cerberus_engine::Progress;
use cerberus_engine::tree::git::{self, Objects, past};
use rustc_hash::FxHashSet;

use crate::corrected::{self, Renamed};
use crate::former::{self, Former, History};
use crate::kinds::Place;
use crate::kinds::symbol::Symbol;
use crate::level::Evidence;
use crate::mistakes::{self, Never};
use crate::now::{Holds, Now};
use crate::parse::{Claim, Stance, Target};
use crate::project::{Position, Project};
use crate::report::{Document, Finding, GIT_FAILED, Report, Stale, Verdict};
use crate::then::Past;
use crate::{foreign, removal, words};

/// What a sentence or its heading says about what does not exist.
const ABSENT: &str =
    "it does not exist; its sentence, or a title above it, is not about what exists now";
const FORBIDDEN: &str = "it no longer exists, and the sentence forbids it";
const EXAMPLE: &str = "it is an example of a pattern";
const DEFINED: &str = "an example in the document defines it";

/// Why a claim is not compared with the files that a sparse checkout omits.
const SPARSE: &str =
    "a sparse checkout omits files that may have it: check all with `git sparse-checkout disable`";

/// Checks the claims of documents against the tree below `root`. With `since`, a revision, claims
/// are stale if they were true at its last common commit with HEAD. Returns `None` if git cannot
/// list the files. `progress` gets how many of the claims that fail are decided.
pub fn check(
    root: &Path,
    documents: &[Document],
    since: Option<&str>,
    progress: Progress<'_>,
) -> Option<Report> {
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
        added: FxHashSet::default(),
        never_doubtful: Vec::new(),
        progress,
    };
    let mut failing: Vec<Position> = Vec::new();
    for document_idx in 0..documents.len() {
        checker.compare(document_idx, &mut failing);
    }
    if !failing.is_empty() {
        checker.decide(&failing, since);
    }
    let mut report = checker.report;
    let never = Never {
        added: &checker.added,
        is_of_change: since.is_some(),
        doubtful: &checker.never_doubtful,
    };
    mistakes::find(project, &never, &mut report.findings);
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
    let Target::Symbol(Symbol { parts, .. }) = &claim.target else {
        return false;
    };
    let defined = defined.get_or_insert_with(|| {
        let mut names = FxHashSet::default();
        for example in &document.claims.examples {
            names.extend(words::defined_in(example.slice(&document.text)));
        }
        names
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
        && link.target.is_link()
        && now.holds(document, link) == Holds::Yes
}

pub(crate) struct Checker<'c> {
    pub(crate) project: Project<'c>,
    pub(crate) report: Report,
    /// The claims that hold perhaps.
    pub(crate) doubtful: FxHashSet<Position>,
    /// The claims on lines that the change that is checked adds.
    pub(crate) added: FxHashSet<Position>,
    /// The claims that hold perhaps, and did not hold otherwise before.
    never_doubtful: Vec<Position>,
    pub(crate) progress: Progress<'c>,
}

impl<'c> Checker<'c> {
    /// Compares the claims of a document with now, and adds those that fail.
    fn compare(&mut self, document_idx: usize, failing: &mut Vec<Position>) {
        let Project { documents, now, .. } = self.project;
        let document: &'c Document = &documents[document_idx];
        // The names that the examples of the document define.
        let mut defined: Option<FxHashSet<&str>> = None;
        for (claim_idx, claim) in document.claims.claims.iter().enumerate() {
            let at = (document_idx, claim_idx);
            let holds = now.holds(document, claim);
            match holds {
                Holds::Yes => continue,
                Holds::Unknown(why) => {
                    self.put(at, Verdict::Unknown(why));
                    continue;
                }
                Holds::Perhaps | Holds::No => {}
            }
            if is_text_of_link(now, document, claim_idx) {
                continue;
            }
            if holds == Holds::Perhaps {
                if !matches!(claim.stance, Stance::Absent | Stance::Example) {
                    self.doubtful.insert(at);
                    failing.push(at);
                }
            } else if claim.stance == Stance::Absent {
                self.put(at, Verdict::Fulfilled(ABSENT));
            } else if claim.stance == Stance::Example {
                self.put(at, Verdict::Fulfilled(EXAMPLE));
            } else if is_example(document, claim, &mut defined) {
                self.put(at, Verdict::Fulfilled(DEFINED));
            } else if now.omits(&claim.target) {
                self.put(at, Verdict::Unchecked(SPARSE));
            } else {
                failing.push(at);
            }
        }
    }

    pub(crate) fn put(&mut self, at: Position, verdict: Verdict) {
        // What holds perhaps is a finding only if it ended, or never held as it is written.
        let is_stale = matches!(verdict, Verdict::Stale(_));
        if !is_stale && self.doubtful.contains(&at) {
            if verdict == Verdict::NeverTrue {
                self.never_doubtful.push(at);
            }
            return;
        }
        let (document_idx, claim_idx) = at;
        self.report.findings.push(Finding {
            document_idx,
            claim_idx,
            verdict,
        });
    }

    pub(crate) fn put_all<'a>(
        &mut self,
        claims: impl IntoIterator<Item = &'a Position>,
        verdict: &Verdict,
    ) {
        for at in claims {
            self.put(*at, verdict.clone());
        }
    }

    /// Decides the claims that fail now.
    fn decide(&mut self, failing: &[Position], since: Option<&str>) {
        let n_findings = self.report.findings.len();
        let Project {
            root,
            documents,
            now,
        } = self.project;
        let is_decided = git::with_objects(root, |objects| {
            let Some(head) = objects.find("HEAD^{commit}") else {
                return false;
            };
            if now.tree.entries().is_empty() {
                let why = "git lists no files; restore the index with `git reset`";
                self.put_all(failing, &Verdict::Unchecked(why));
                return true;
            }
            let (dated, failing): (Vec<Position>, Vec<Position>) = failing
                .iter()
                .copied()
                .partition(|at| documents[at.0].written_at.is_some());
            let (mut open, later) = match since {
                Some(commit) => self.all_at(objects, &failing, commit),
                None => (Vec::new(), failing),
            };
            open.extend(self.all_written(&dated));
            if since.is_some() {
                self.added.extend(&later);
            }
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

    pub(crate) fn warn(&mut self, warning: &str) {
        self.report.warnings.push(warning.to_owned());
    }

    /// Finds what became of the targets of claims that were true.
    fn explain(&mut self, objects: &mut Objects<'_>, former: Vec<Former>, head: &str) {
        let (former, perhaps_moved) = self.without_known_names(former);
        let (foreign, former) = foreign::split(self.project, &self.report.findings, former);
        self.put_all(foreign.iter().map(|it| &it.at), &Verdict::NeverTrue);
        let Some(mut explained) = removal::explain(self.project, objects, &former, head) else {
            let claims = former.iter().map(|claim| &claim.at);
            return self.put_all(claims, &Verdict::Unchecked(GIT_FAILED));
        };
        let mut renamed = Vec::new();
        for (claim, explained) in former.iter().zip(&mut explained) {
            let new = explained.as_mut().and_then(|stale| stale.now.as_mut());
            if let Some(new) = new.filter(|new| new.is_certain && new.replacement.is_some()) {
                renamed.push(Renamed { at: claim.at, new });
            }
        }
        corrected::verify(self.project, renamed);
        for (claim, explained) in former.iter().zip(explained) {
            let verdict = match explained {
                Some(stale) => self.verdict(claim, stale, perhaps_moved.contains(&claim.at)),
                None => Verdict::NeverTrue,
            };
            self.put(claim.at, verdict);
        }
    }

    /// Returns the verdict about a claim that was true. One that `must_have_moved` is about a name that a program
    /// knows, and is out of date only if the file is at another place.
    fn verdict(&self, former: &Former, mut stale: Stale, must_have_moved: bool) -> Verdict {
        let (document, claim) = self.project.claim(former.at);
        let is_certain = stale.now.as_ref().is_some_and(|now| now.is_certain);
        if must_have_moved && !is_certain {
            return Verdict::NeverTrue;
        }
        // What a rule forbids and nobody can do any more.
        if claim.stance == Stance::Forbidden && !is_certain {
            return Verdict::Fulfilled(FORBIDDEN);
        }
        let evidence = Evidence {
            now: self.project.now,
            place: Place { document, claim },
            truth: &former.truth,
            stale: &stale,
        };
        (stale.level, stale.doubt) = evidence.level();
        Verdict::Stale(Box::new(stale))
    }
}
