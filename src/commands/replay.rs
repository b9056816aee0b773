//! `cerberus memory replay`: compares the recorded changes of the anchors with how the history alone
//! follows them.
//!
//! The versions of `anchors.lock` in the history say where each example was before and after a
//! change. The walk through the commits between them knows only the first location, so its answer is
//! evidence for how far a project can rely on it. Writes nothing.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::reanchor::TrackedLocation;
use crate::bank::LOCKFILE;
use crate::bank::lockfile::{self, Anchors};
use crate::config::Settings;
use crate::engine::track::{self, PastPlace, Step};
use crate::error::{ExitStatus, UserError};
use crate::model::Anchor;
use crate::ops::{Progress, Project};
use crate::output::{DIM, NAME, Printer, ProgressBar};
use crate::text::plural;
use crate::tree::git;

/// Maximum number of versions of the lock file that are compared.
const MAX_VERSIONS: usize = 200;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReplayArgs {
    /// Only changes of the anchors after this revision
    #[arg(long, value_name = "REV")]
    pub(crate) since: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// Number of compared versions of the lock file.
    pub(crate) versions: usize,
    /// Number of changes with each verdict.
    pub(crate) summary: BTreeMap<Verdict, usize>,
    /// Oldest first, then by memory id.
    pub(crate) changes: Vec<RecordedChange>,
    pub(crate) warnings: Vec<String>,
}

/// A change of an anchor's location, and where the history finds the code.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecordedChange {
    pub(crate) id: String,
    /// The commit that changed the lock file, or HEAD for a change that is not recorded yet.
    pub(crate) commit: String,
    pub(crate) verdict: Verdict,
    pub(crate) old: TrackedLocation,
    /// The recorded location.
    pub(crate) new: Option<TrackedLocation>,
    /// The location at which the history finds the code.
    pub(crate) followed: Option<TrackedLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) steps: Vec<Step>,
}

/// The comparison of a recorded change with the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// The history finds the code at the recorded location.
    Followed,
    /// It finds no certain location.
    Lost,
    /// It finds another location, or one that was corrected afterwards.
    Wrong,
    /// The code did not move: somebody chose another example.
    Chosen,
    /// The history does not contain the commit of the anchor.
    Unknown,
    /// The history finds the code elsewhere, which is not recorded yet, or not at all.
    Open,
}

impl Verdict {
    fn as_str(self) -> &'static str {
        match self {
            Self::Followed => "followed",
            Self::Lost => "lost",
            Self::Wrong => "wrong",
            Self::Chosen => "chosen",
            Self::Unknown => "unknown",
            Self::Open => "open",
        }
    }
}

/// The anchors of a commit.
struct LockVersion {
    commit: String,
    anchors: Anchors,
}

/// Compares each recorded change of an anchor with the history.
pub(crate) fn replay(
    project: &Project,
    args: &ReplayArgs,
    progress: Progress<'_>,
) -> Result<Report> {
    let (versions, warnings) = versions(project, args)?;
    let mut changes: Vec<RecordedChange> = Vec::new();
    for (idx, pair) in versions.windows(2).enumerate() {
        progress(idx, versions.len());
        let [old, new] = pair else { continue };
        for mut change in compare(project, old, Some(new), &new.commit) {
            if change.verdict == Verdict::Chosen {
                correct(&mut changes, &mut change);
            }
            changes.push(change);
        }
    }
    if let (Some(last), Some(head)) = (versions.last(), git::head(&project.root)) {
        changes.extend(compare(project, last, None, &head.id));
    }
    let mut summary = BTreeMap::new();
    for change in &changes {
        *summary.entry(change.verdict).or_default() += 1;
    }
    Ok(Report { versions: versions.len(), summary, changes, warnings })
}

/// Marks an earlier change as wrong if code was followed to the place that a person left now.
fn correct(changes: &mut [RecordedChange], chosen: &mut RecordedChange) {
    let earlier = changes.iter_mut().rev().find(|it| it.id == chosen.id);
    if let Some(earlier) = earlier.filter(|it| it.verdict == Verdict::Followed) {
        earlier.verdict = Verdict::Wrong;
    }
}

/// Returns the versions of the lock file, oldest first: the last one before the limit, and those
/// after it.
fn versions(project: &Project, args: &ReplayArgs) -> Result<(Vec<LockVersion>, Vec<String>)> {
    let root = &project.root;
    let since = match &args.since {
        Some(revision) => Some(git::commit_id(root, revision).ok_or_else(|| {
            UserError::environment(format!("revision `{revision}` not found")).hint(
                "name a commit of this clone; a shallow clone may need `git fetch --unshallow`",
            )
        })?),
        None => None,
    };
    let Ok(bank) = project.bank.folder().strip_prefix(root) else {
        return Err(UserError::usage("the bank is outside the project and has no history").into());
    };
    let path = bank.join(LOCKFILE).display().to_string();
    let commits = git::commits_of_file(root, &path, since.as_deref(), MAX_VERSIONS)
        .ok_or_else(|| UserError::environment(format!("git knows no history of `{path}`")))?;
    let mut warnings = Vec::new();
    if commits.len() == MAX_VERSIONS {
        warnings.push(format!("only the last {MAX_VERSIONS} versions of `{path}` are compared"));
    }
    let mut versions = Vec::new();
    let mut n_unreadable = 0;
    git::with_objects(root, |objects| {
        for commit in since.into_iter().chain(commits) {
            let anchors = objects.read(&format!("{commit}:./{path}"));
            match anchors.map(|bytes| lockfile::decode(&bytes)) {
                Some(Ok(anchors)) => versions.push(LockVersion { commit, anchors }),
                Some(Err(_)) => n_unreadable += 1,
                None => {}
            }
        }
    });
    if n_unreadable > 0 {
        let n = plural(n_unreadable, "version");
        warnings.push(format!("{n} of `{path}` in the history cannot be read and are skipped"));
    }
    Ok((versions, warnings))
}

/// Follows the anchors whose location differs in the next version to its commit. Without a next
/// version, follows all, and returns those that are elsewhere or lost.
fn compare(
    project: &Project,
    old: &LockVersion,
    new: Option<&LockVersion>,
    commit: &str,
) -> Vec<RecordedChange> {
    let recorded = |id: &String| new.and_then(|new| new.anchors.get(id));
    let is_asked = |(id, anchor): &(&String, &Anchor)| match new {
        Some(_) => recorded(id).is_some_and(|next| location(next) != location(anchor)),
        None => true,
    };
    let asked: Vec<(&String, &Anchor)> = old.anchors.iter().filter(is_asked).collect();
    if asked.is_empty() {
        return Vec::new();
    }
    let anchors: Vec<&Anchor> = asked.iter().map(|(_, anchor)| *anchor).collect();
    let places = track::places_at(&project.root, commit, &anchors);
    let change = |((id, anchor), place): ((&String, &Anchor), PastPlace)| {
        let (old, new) = (location(anchor), recorded(id).map(location));
        let (followed, steps) = match &place {
            PastPlace::At(file, symbol, steps) => {
                let symbol = symbol.clone();
                let place =
                    TrackedLocation { file: file.clone(), symbol, ..TrackedLocation::default() };
                (Some(place), steps.clone())
            }
            PastPlace::Lost(steps) => (None, steps.clone()),
            PastPlace::Unknown => (None, Vec::new()),
        };
        let verdict = match (&place, &new) {
            (PastPlace::Unknown, _) => Verdict::Unknown,
            (PastPlace::Lost(_), Some(_)) => Verdict::Lost,
            (_, Some(_)) if followed == new => Verdict::Followed,
            (_, Some(_)) if followed.as_ref() == Some(&old) => Verdict::Chosen,
            (_, Some(_)) => Verdict::Wrong,
            (_, None) => Verdict::Open,
        };
        let commit = commit.chars().take(git::ABBREVIATED_LEN).collect();
        RecordedChange { id: id.clone(), commit, verdict, old, new, followed, steps }
    };
    let changes = asked.into_iter().zip(places).map(change);
    let is_change = |it: &RecordedChange| match it.verdict {
        Verdict::Open => it.followed.as_ref() != Some(&it.old),
        Verdict::Unknown => new.is_some(),
        _ => true,
    };
    changes.filter(is_change).collect()
}

fn location(anchor: &Anchor) -> TrackedLocation {
    TrackedLocation::from(anchor)
}

pub(crate) fn run(args: &ReplayArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    if !settings.project.bank.exists() {
        return Err(settings.project.bank.missing().into());
    }
    let bar = ProgressBar::new(out.terminal, "replaying the history");
    let report = replay(&settings.project, args, &|done, total| bar.step(done, total))?;
    drop(bar);
    out.warn(&report.warnings);
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    if report.changes.is_empty() {
        let n = plural(report.versions, "version");
        out.line(&format!("no anchor changed its location in {n} of anchors.lock"));
        return Ok(ExitStatus::Done);
    }
    let rows: Vec<Vec<String>> = report
        .summary
        .iter()
        .map(|(verdict, n)| vec![verdict.as_str().to_owned(), n.to_string()])
        .collect();
    out.rows(&["verdict", "changes"], &rows);
    let ids: BTreeSet<&String> = report.changes.iter().map(|it| &it.id).collect();
    for id in ids {
        out.line(&out.style(NAME, id));
        for change in report.changes.iter().filter(|it| it.id == *id) {
            print_change(change, out);
        }
    }
    Ok(ExitStatus::Done)
}

fn print_change(change: &RecordedChange, out: &mut Printer) {
    let shown = |place: &Option<TrackedLocation>| {
        place.as_ref().map_or("no certain place".to_owned(), |place| out.safe(&place.to_string()))
    };
    let (verdict, commit) = (change.verdict.as_str(), out.paint(DIM, &change.commit));
    let mut line = format!("  {verdict} {commit} {}", out.safe(&change.old.to_string()));
    if change.new.is_some() {
        line += &format!(" to {}", shown(&change.new));
    }
    if change.verdict == Verdict::Open
        || (change.followed != change.new && change.verdict != Verdict::Unknown)
    {
        line += &format!("; the history finds {}", shown(&change.followed));
    }
    out.line(&line);
}
