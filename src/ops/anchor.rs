//! `anchor`: finds the example of a memory and keeps it.

use anyhow::Result;
use serde::Serialize;

use crate::bank::MemoryFile;
use crate::error::UserError;
use crate::model::{Anchor, CodeLocation, Origin};
use crate::text;
use crate::tree::{git, walk};

use super::memories::{self, Memories};
use super::{Project, rounded};
use crate::engine::examples::{self, Options, Query, RankedSymbol, UnknownWord};
use crate::engine::track;

/// What to do about a memory's anchor.
#[derive(Debug, Clone)]
pub(crate) enum Choice {
    /// Keep the best candidate, if it is over the gate.
    Best,
    /// Keep the candidate of this rank, whatever its quality.
    Pick(usize),
    /// Keep this place, chosen by hand.
    To(CodeLocation),
    /// Only list so many candidates.
    List(usize),
    /// Take the anchor away.
    Clear,
}

/// How `anchor` works.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) choice: Choice,
    pub(crate) hints: Vec<String>,
    pub(crate) min_quality: f64,
    pub(crate) dry_run: bool,
}

/// How many candidates are shown where none was asked for.
const SHOWN: usize = 5;

/// What became of a memory's anchor.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) rule: String,
    pub(crate) hints: Vec<String>,
    pub(crate) min_quality: f64,
    /// The anchor that is kept, or would be in a dry run.
    pub(crate) anchor: Option<Kept>,
    pub(crate) previous: Option<Kept>,
    pub(crate) candidates: Vec<RankedSymbol>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unknown_words: Option<Vec<UnknownWord>>,
    /// Whether the lock file was changed.
    pub(crate) stored: bool,
    pub(crate) warnings: Vec<String>,
}

/// An anchor as reports show it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Kept {
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    pub(crate) quality: f64,
    #[serde(rename = "match")]
    pub(crate) match_score: f64,
    pub(crate) chosen: Origin,
}

impl Kept {
    pub(crate) fn of(anchor: &Anchor) -> Self {
        Self {
            file: anchor.file.clone(),
            symbol: anchor.symbol.clone(),
            quality: rounded(anchor.quality),
            match_score: rounded(anchor.match_score),
            chosen: anchor.origin,
        }
    }
}

/// Finds and keeps the anchor of a memory.
pub(crate) fn anchor(project: &Project, request: &Request) -> Result<Report> {
    let memories = Memories::load(project)?;
    let stored = memories.find(&request.id)?;
    let id = stored.memory.id.clone();
    let old = memories.anchors.get(&id);
    let question = question(stored, &request.hints);
    let mut report = Report {
        rule: question.rule.clone(),
        hints: question.hints.clone(),
        min_quality: request.min_quality,
        anchor: None,
        previous: old.map(Kept::of),
        candidates: Vec::new(),
        unknown_words: None,
        stored: false,
        warnings: memories.warnings.clone(),
        id: id.clone(),
    };
    let found = match &request.choice {
        Choice::Clear => None,
        Choice::To(place) => Some(by_hand(project, place)?),
        Choice::Best | Choice::Pick(_) | Choice::List(_) => {
            if let (Choice::Best, Some(old)) =
                (&request.choice, old.filter(|old| old.origin == Origin::Manual))
            {
                return Err(chosen_by_hand(&id, old).into());
            }
            let question = Query {
                languages: memories::languages(&stored.memory.scope).map_err(|why| {
                    UserError::usage(format!("`{id}` cannot be anchored: {why}"))
                        .hint("give it a scope like `project:<name>` in its frontmatter")
                })?,
                ..question
            };
            search(project, &question, request, &mut report)?
        }
    };
    report.anchor = found.as_ref().map(Kept::of);
    let changes = match request.choice {
        Choice::List(_) => false,
        Choice::Clear => old.is_some(),
        _ => found.is_some(),
    };
    if changes && !request.dry_run {
        let _guard = project.bank.lock_for_writing()?;
        // Another process may have written since the first reading.
        let mut anchors = project.bank.anchors()?;
        match found {
            Some(anchor) => anchors.insert(id, anchor),
            None => anchors.remove(&id),
        };
        report.stored = project.bank.write_anchors(&anchors)?;
    }
    Ok(report)
}

/// Looks for the example and returns the anchor to keep.
fn search(
    project: &Project,
    question: &Query,
    request: &Request,
    report: &mut Report,
) -> Result<Option<Anchor>> {
    let (limit, pick) = match request.choice {
        Choice::Pick(rank) => (rank.max(SHOWN), Some(rank)),
        Choice::List(limit) => (limit, None),
        _ => (SHOWN, None),
    };
    let options = Options { limit, min_quality: request.min_quality, explain: true };
    let mut ranked = examples::find(project.code(), std::slice::from_ref(question), options)?;
    let Some(found) = ranked.pop() else {
        return Ok(None);
    };
    report.warnings.extend(found.warnings);
    report.candidates = found.candidates;
    if pick.is_none() && (found.anchor.is_none() || matches!(request.choice, Choice::List(_))) {
        examples::add_excerpts(&project.root, &mut report.candidates);
    }
    report.unknown_words = found.unknown_words;
    let (candidate, chosen) = match pick {
        Some(rank) => {
            let candidate = rank.checked_sub(1).and_then(|at| report.candidates.get(at));
            let Some(candidate) = candidate else {
                return Err(no_such_rank(&request.id, rank, report.candidates.len()).into());
            };
            (candidate, Origin::Manual)
        }
        None if matches!(request.choice, Choice::List(_)) => return Ok(None),
        None => match &found.anchor {
            Some(first) => (first, Origin::Auto),
            None => return Ok(None),
        },
    };
    of_candidate(project, candidate, chosen).map(Some)
}

fn no_such_rank(id: &str, rank: usize, n_candidates: usize) -> UserError {
    if n_candidates == 0 {
        return UserError::usage(format!("`{id}` has no candidates: no code has its words"))
            .hint(format!("name a place with `cerberus memory anchor {id} --to FILE::SYMBOL`"));
    }
    UserError::usage(format!("there is no candidate {rank}: `{id}` has {n_candidates}"))
        .hint(format!("see them with `cerberus memory anchor {id} --candidates {n_candidates}`"))
}

/// Returns the anchor for a candidate, with the fingerprint of its code as it is now.
pub(super) fn of_candidate(
    project: &Project,
    candidate: &RankedSymbol,
    chosen: Origin,
) -> Result<Anchor> {
    let symbol = candidate.symbol.as_deref();
    let scores = (candidate.quality, candidate.match_score);
    at_place(project, &candidate.file, symbol, chosen, scores)
}

/// Returns the anchor for a place that a person named; what a person chose is right.
pub(super) fn by_hand(project: &Project, place: &CodeLocation) -> Result<Anchor> {
    check_file(project, &place.file)?;
    at_place(project, &place.file, place.symbol.as_deref(), Origin::Manual, (1.0, 1.0))
}

fn at_place(
    project: &Project,
    file: &str,
    symbol: Option<&str>,
    origin: Origin,
    (quality, match_score): (f64, f64),
) -> Result<Anchor> {
    let located = track::locate(&project.root, file, symbol)?;
    Ok(Anchor {
        file: located.found.file,
        symbol: located.found.symbol,
        kind: located.found.kind,
        language: located.found.language,
        origin,
        quality,
        match_score,
        commit: git::head(&project.root).map(|head| head.abbreviated_id()),
        fingerprint: located.fingerprint,
    })
}

/// Checks that there is something at a path, and names the nearest file if there is not.
fn check_file(project: &Project, file: &str) -> Result<()> {
    if project.root.join(file).exists() {
        return Ok(());
    }
    let listing = walk::walk(&project.root, &project.exclude)?;
    let paths = listing.entries.iter().map(|entry| entry.path.as_str());
    let failure = UserError::usage(format!("there is no file `{file}`"));
    Err(match text::suggest(file, paths) {
        Some(near) if file.starts_with(&format!("{near}:")) => failure.hint(format!(
            "name a symbol instead of lines, as in `{near}::SYMBOL`, or the whole file"
        )),
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("name it by its path from the project's root: FILE or FILE::SYMBOL"),
    }
    .into())
}

/// Returns what a memory asks of the code.
pub(super) fn question(stored: &MemoryFile, more_hints: &[String]) -> Query {
    let mut hints = stored.memory.hints.clone();
    for hint in more_hints {
        if !hints.contains(hint) {
            hints.push(hint.clone());
        }
    }
    // A long memory says its rule first; what follows explains.
    let body = stored.memory.body.trim();
    let rule = body.split("\n\n").next().unwrap_or(body).trim();
    Query { rule: rule.to_owned(), hints, languages: None }
}

fn chosen_by_hand(id: &str, old: &Anchor) -> UserError {
    let place = match &old.symbol {
        Some(symbol) => format!("{}::{symbol}", old.file),
        None => old.file.clone(),
    };
    UserError::usage(format!("`{id}` is anchored by hand, to `{place}`"))
        .hint(format!("see what else there is with `cerberus memory anchor {id} --candidates 5`"))
        .hint(format!("take it away with `cerberus memory anchor {id} --clear`, then anchor again"))
}
