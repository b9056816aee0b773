//! Creates and stores the anchors of memories, and describes them for reports.

use anyhow::Result;
use cerberus_engine::examples::{Query, RankedSymbol, Ranking, UnknownWord};
use cerberus_engine::rank::rule_kind;
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_engine::track;
use cerberus_engine::tree::{git, walk};
use cerberus_markdown::frontmatter;
use cerberus_markdown::frontmatter::FieldValue;
use cerberus_model::{
    AgentChoice, Anchor, CodeLocation, ExampleChoice, Origin, RuleKind, UserError, shell_word, text,
};
use serde::Serialize;

use super::memories::languages;
use super::{Project, document, rounded, seconds};
use crate::memories::check_size;
use crate::{ImportChanges, MemoryFile, Workspace};

/// Number of candidates below a rule that was just written.
pub const N_INLINE: usize = 3;

/// An anchor in reports.
#[derive(Debug, Clone, Serialize)]
pub struct AnchorSummary {
    pub file: String,
    pub symbol: Option<String>,
    pub quality: f64,
    #[serde(rename = "match")]
    pub(crate) match_score: f64,
    pub chosen: Origin,
    /// The agent that chose it, and when.
    #[serde(flatten)]
    pub agent: Option<AgentChoice>,
}

impl From<&Anchor> for AnchorSummary {
    fn from(anchor: &Anchor) -> Self {
        Self {
            file: anchor.file.clone(),
            symbol: anchor.symbol.clone(),
            quality: rounded(anchor.quality),
            match_score: rounded(anchor.match_score),
            chosen: anchor.origin,
            agent: anchor.chosen.clone(),
        }
    }
}

/// Returns an automatic anchor to a candidate, with the fingerprint of its current code.
pub fn from_candidate(project: &Project, candidate: &RankedSymbol) -> Result<Anchor> {
    with_look_alikes(project, of_candidate(project, candidate)?)
}

/// Like [`from_candidate`] for several automatic anchors; the files of the tree are read once.
pub fn from_candidates(project: &Project, candidates: &[RankedSymbol]) -> Result<Vec<Anchor>> {
    let mut anchors = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        anchors.push(of_candidate(project, candidate)?);
    }
    remember_look_alikes(project, &mut Vec::from_iter(&mut anchors))?;
    Ok(anchors)
}

/// Sets the look-alikes of anchors to those in the current tree.
pub fn remember_look_alikes(project: &Project, anchors: &mut [&mut Anchor]) -> Result<()> {
    track::remember_look_alikes(&project.root, &project.exclude, anchors)
}

/// Returns an anchor to a location chosen by a person, which has full quality.
pub fn at_location(project: &Project, location: &CodeLocation) -> Result<Anchor> {
    with_look_alikes(project, named(project, location)?)
}

/// Like [`at_location`], without the look-alikes.
pub(super) fn named(project: &Project, location: &CodeLocation) -> Result<Anchor> {
    check_file(project, &location.file)?;
    new_anchor(project, &location.file, location.symbol.as_deref())
}

fn with_look_alikes(project: &Project, mut anchor: Anchor) -> Result<Anchor> {
    remember_look_alikes(project, &mut [&mut anchor])?;
    Ok(anchor)
}

/// Returns an automatic anchor to a candidate, without the look-alikes.
pub(super) fn of_candidate(project: &Project, candidate: &RankedSymbol) -> Result<Anchor> {
    Ok(Anchor {
        origin: Origin::Auto,
        quality: candidate.quality,
        match_score: candidate.match_score,
        ..new_anchor(project, &candidate.file, candidate.symbol.as_deref())?
    })
}

fn new_anchor(project: &Project, file: &str, symbol: Option<&str>) -> Result<Anchor> {
    let located = track::locate(&project.root, file, symbol)?;
    Ok(Anchor {
        file: located.found.file,
        symbol: located.found.symbol,
        kind: located.found.kind,
        language: located.found.language,
        origin: Origin::Manual,
        quality: 1.0,
        match_score: 1.0,
        commit: git::head(&project.root).map(|head| head.abbreviated_id()),
        fingerprint: located.fingerprint,
        ..Anchor::default()
    })
}

/// Checks that a file exists; the error suggests a similar path.
fn check_file(project: &Project, file: &str) -> Result<()> {
    if project.root.join(file).exists() {
        return Ok(());
    }
    let listing = walk::walk(&project.root, &project.exclude)?;
    let paths = listing.entries.iter().map(|entry| entry.path.as_str());
    let failure = UserError::usage(format!("file `{file}` not found"));
    Err(match text::suggest(file, paths) {
        Some(similar) if file.starts_with(&format!("{similar}:")) => failure.hint(format!(
            "name a symbol instead of lines, as in `{similar}::SYMBOL`, or the whole file"
        )),
        Some(similar) => failure.hint(format!("did you mean `{similar}`?")),
        None => failure.hint("use a path relative to the project root: FILE or FILE::SYMBOL"),
    }
    .into())
}

/// Returns the query for the example of a memory, with additional hints.
pub fn query(stored: &MemoryFile, more_hints: &[String]) -> Query {
    let mut hints = stored.memory.hints.clone();
    for hint in more_hints {
        if !hints.contains(hint) {
            hints.push(hint.clone());
        }
    }
    Query {
        rule: rule(&stored.memory.body).to_owned(),
        hints,
        paths: stored.memory.paths.clone(),
        languages: None,
        kind: stored.memory.kind,
    }
}

/// Returns the query for the example of a memory in the languages of its scope, or why it can have none.
pub fn scoped_query(stored: &MemoryFile) -> Result<Query, String> {
    Ok(Query {
        languages: languages(&stored.memory.scope)?,
        ..query(stored, &[])
    })
}

/// Returns the command that changes the example of a memory.
pub fn command(id: &str, options: &str) -> String {
    format!("cerberus memory anchor {} {options}", shell_word(id))
}

/// Returns the kind of a rule, as a person or an agent set it or by its wording.
pub fn kind(stored: &MemoryFile) -> RuleKind {
    match stored.memory.kind {
        Some(kind) => kind,
        None => rule_kind::classify(rule(&stored.memory.body)).kind,
    }
}

/// Returns the words of a memory's rule, which its example is shown for.
pub fn rule_words(stored: &MemoryFile) -> RuleWords {
    RuleWords::new(rule(&stored.memory.body), &stored.memory.hints)
}

/// Returns the first paragraph of a memory: a longer text starts with its rule and then explains it.
pub fn rule(text: &str) -> &str {
    let text = text.trim();
    text.split("\n\n").next().unwrap_or(text).trim()
}

/// Returns why no candidate became the anchor.
pub fn rejection(ranking: &Ranking) -> String {
    if ranking.kind == RuleKind::Process {
        let cues = &ranking.kind_reasons;
        if cues.is_empty() {
            return "the rule has `kind: process`, so that no code is searched for".to_owned();
        }
        return format!(
            "the rule is about the work on the project (`{}`), which no code shows; override with `--kind code`",
            cues.join("`, `")
        );
    }
    let Some(best) = ranking.candidates.first() else {
        return "no code contains any of its words".to_owned();
    };
    format!(
        "the best candidate has a quality of {:.2}, and an anchor needs {:.2}",
        best.quality, ranking.min_quality
    )
}

/// Returns the hints that do not occur in the code.
pub fn unknown_hints(ranking: &Ranking) -> impl Iterator<Item = &UnknownWord> {
    let unknown = ranking.unknown_words.iter().flatten();
    unknown.filter(|word| word.is_hint)
}

/// Returns warnings about hints that do not occur in the code.
pub fn hint_warnings(ranking: &Ranking) -> Vec<String> {
    let mut warnings = Vec::new();
    for unknown in unknown_hints(ranking) {
        let near = match &unknown.near[..] {
            [] => String::new(),
            near => format!("; similar words in the code: {}", near.join(", ")),
        };
        warnings.push(format!(
            "the hint `{}` is not found in the code{near}",
            unknown.word
        ));
    }
    warnings
}

/// Stores the anchor of a memory, or removes it, and what a person decided about its example.
/// Returns whether anything was written.
///
/// The decision is in the frontmatter of the memory, which is rewritten only if it changes. The next
/// writer reverts an interrupted change.
pub fn store(
    project: &Workspace,
    stored: &MemoryFile,
    anchor: Option<Anchor>,
    example: Option<ExampleChoice>,
) -> Result<bool> {
    let bank = &project.bank;
    let _lock = project.lock()?;
    // Another process may have written since the memory was read.
    let stored = bank.read(&stored.file)?;
    let before = bank.anchors()?;
    let mut after = before.clone();
    // The anchor changes what an agent found before.
    let was_reviewed = stored.memory.reviewed_by.is_some();
    match anchor {
        Some(anchor) => after.insert(stored.memory.id.clone(), anchor),
        None => after.remove(&stored.memory.id),
    };
    if stored.memory.example.is_some() == example.is_some() && !was_reviewed {
        return bank.write_anchors(&after);
    }
    let text = bank.utf8_text(&stored)?;
    let edited = match example {
        Some(choice) => frontmatter::set(&text, "example", FieldValue::Scalar(choice.as_str())),
        None => frontmatter::remove(&text, "example"),
    };
    let edited = edited.and_then(|text| frontmatter::remove(&text, "reviewed_by"));
    let edited = edited.map_err(|error| document::edit_error(&stored.file, error))?;
    let text = frontmatter::set_updated_at(&edited, &seconds(project.now).to_string());
    check_size(&text)?;
    bank.import(&ImportChanges {
        changed: vec![(stored.file, text)],
        before,
        after,
        ..ImportChanges::default()
    })?;
    Ok(true)
}
