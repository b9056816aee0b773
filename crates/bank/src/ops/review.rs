//! The rules whose example is not sure, with their candidates.

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_engine::examples::{Options, Query, RankedSymbol, Ranking};
use cerberus_engine::excerpt::LineRange;
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_engine::track::Degree;
use cerberus_engine::{excerpt, track};
use cerberus_model::text::shell_word;
use cerberus_model::{
    Anchor, CodeLocation, Confidence, Language, MemoryStatus, Origin, RuleKind, State, SymbolKind,
};
use serde::Serialize;

use super::reanchor::{self, Finding, TrackedLocation};
use crate::ops::anchors::AnchorSummary;
use crate::ops::memories::{Filter, Memories};
use crate::ops::rule_counts::{self, RuleCounts};
use crate::ops::{Progress, Project, anchors, memories};
use crate::{MemoryFile, Workspace};

/// Number of candidates to choose from, one key each.
pub(super) const N_CANDIDATES: usize = 5;

/// The memories to review.
#[derive(Debug, Default)]
pub struct Request {
    /// Only these memories, also if their example is sure: ids or unique prefixes.
    pub ids: Vec<String>,
    /// Maximum number of memories.
    pub limit: Option<usize>,
    /// Only memories of this scope.
    pub scope: Option<String>,
    /// Whether rules about the work on the project are reviewed, which no code shows.
    pub all: bool,
}

impl Request {
    pub(super) fn filter(&self) -> Filter {
        Filter {
            scope: self.scope.clone(),
            ..Filter::default()
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Changed examples first, then the rules with the best candidates.
    pub items: Vec<Item>,
    /// What an import found that is perhaps a rule; no agent gets it until somebody accepts it.
    pub proposals: Vec<Proposal>,
    /// Number of memories to review without the limit.
    pub total: usize,
    /// Number of rules about the work on the project, which are skipped without `--all`.
    pub skipped_process: usize,
    /// Their ids.
    #[serde(skip)]
    pub folded: Vec<String>,
    /// Whether the memories were named.
    #[serde(skip)]
    pub is_requested: bool,
    /// Of the whole bank.
    pub rules: RuleCounts,
    pub warnings: Vec<String>,
}

/// A memory with the status `proposed`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    pub id: String,
    /// Its first line.
    pub rule: String,
    /// The places in documents that it was imported from.
    pub source: Vec<String>,
}

/// A memory whose example a person has to choose.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    pub id: String,
    /// File of the memory, relative to the bank.
    pub file: String,
    pub rule: String,
    pub hints: Vec<String>,
    pub reason: Reason,
    /// The reason as a sentence.
    pub explanation: String,
    pub kind: RuleKind,
    pub kind_reasons: Vec<String>,
    pub confidence: Confidence,
    pub anchor: Option<AnchorSummary>,
    /// What the rule names and the project had: each as `cerberus check` says it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outdated: Vec<String>,
    /// Words of the hints that do not occur in the code.
    pub unknown_hints: Vec<String>,
    pub candidates: Vec<Candidate>,
}

/// Why a memory is reviewed, most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The code of the anchor changed.
    Edited,
    /// Several symbols may be the code of the anchor.
    Ambiguous,
    /// The code of the anchor was not found.
    Gone,
    /// An agent chose the anchor, and no person confirmed it.
    ChosenByAgent,
    /// No anchor, and no candidate is sure.
    Unanchored,
    /// Requested by id, and up to date.
    Anchored,
}

/// Code that may be the example.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    pub rank: usize,
    pub file: String,
    pub symbol: Option<String>,
    pub kind: SymbolKind,
    pub language: Option<Language>,
    pub start_line: u32,
    pub end_line: u32,
    /// `None` if it is not among the ranked candidates.
    pub quality: Option<f64>,
    /// Whether it is the code of the anchor, or may be.
    pub is_anchored: bool,
    pub matched_terms: Vec<String>,
    /// The signature and the lines that match.
    pub excerpt: String,
    /// The lines of the file in the excerpt.
    pub shown_lines: Vec<LineRange>,
}

impl From<RankedSymbol> for Candidate {
    fn from(ranked: RankedSymbol) -> Self {
        Self {
            rank: ranked.rank,
            file: ranked.file,
            symbol: ranked.symbol,
            kind: ranked.kind,
            language: Some(ranked.language),
            start_line: ranked.start_line,
            end_line: ranked.end_line,
            quality: Some(ranked.quality),
            is_anchored: false,
            matched_terms: ranked.matched_terms,
            excerpt: ranked.excerpt.unwrap_or_default(),
            shown_lines: ranked.shown_lines.unwrap_or_default(),
        }
    }
}

/// A memory with what following its anchor found.
struct Target<'a> {
    stored: &'a MemoryFile,
    reason: Reason,
    finding: Option<&'a Finding>,
    query: Query,
}

/// Returns the memories to review with their candidates. Writes nothing.
pub fn list(project: &Workspace, request: &Request, progress: Progress<'_>) -> Result<Report> {
    let memories = project.memories()?;
    let mut warnings = memories.warnings.clone();
    request
        .filter()
        .check(memories.all.iter().map(|stored| &stored.memory))?;
    let findings = findings(project, &memories, progress)?;
    let (targets, skipped) = targets(&memories, &findings, request)?;
    warnings.extend(skipped);

    let queries: Vec<Query> = targets.iter().map(|target| target.query.clone()).collect();
    // What `import` left is not sure here either.
    let options = Options::distinct(N_CANDIDATES, project.min_import_quality);
    let options = Options {
        explain: true,
        ..options
    };
    let rankings = if queries.is_empty() {
        Vec::new()
    } else {
        project.rank_with(&queries, options, progress)?
    };

    let mut items = Vec::new();
    let mut sure = Vec::new();
    let mut folded = Vec::new();
    for (target, mut ranking) in targets.iter().zip(rankings) {
        warnings.append(&mut ranking.warnings);
        let id = &target.stored.memory.id;
        if request.ids.is_empty() && target.reason == Reason::Unanchored {
            if ranking.kind == RuleKind::Process && !request.all {
                folded.push(id.clone());
                continue;
            }
            if ranking.confidence == Confidence::Sure {
                sure.push(id.as_str());
                continue;
            }
        }
        items.push((item(project, &memories, target, &ranking), target));
    }
    if !sure.is_empty() {
        warnings.push(format!(
            "the best candidate is sure, but not stored, for {}; store it with `cerberus memory anchor ID`",
            sure.join(", ")
        ));
    }
    items.sort_by(|(a, _), (b, _)| order(a, b));
    let total = items.len();
    items.truncate(request.limit.unwrap_or(usize::MAX));
    let items = items.into_iter().map(|(mut item, target)| {
        add_excerpts(project, &target.query, &mut item.candidates);
        item
    });
    Ok(Report {
        items: items.collect(),
        proposals: proposals(&memories, request),
        total,
        skipped_process: folded.len(),
        folded,
        is_requested: !request.ids.is_empty(),
        rules: RuleCounts::of(&memories),
        warnings,
    })
}

/// Returns the proposed memories that a request is about.
fn proposals(memories: &Memories, request: &Request) -> Vec<Proposal> {
    let filter = Filter {
        status: Some(MemoryStatus::Proposed),
        ..request.filter()
    };
    let mut proposals = Vec::new();
    for stored in &memories.all {
        let memory = &stored.memory;
        let is_named = request.ids.is_empty() || request.ids.contains(&memory.id);
        if is_named && filter.takes(stored, &memories.anchors) {
            proposals.push(Proposal {
                id: memory.id.clone(),
                rule: memories::title(&memory.body),
                source: memory.source.clone(),
            });
        }
    }
    proposals
}

impl Item {
    /// Returns the first candidate of a rule without an anchor, if it is likely.
    pub fn likely(&self) -> Option<&Candidate> {
        let is_likely = self.reason == Reason::Unanchored
            && self.kind == RuleKind::Code
            && self.confidence == Confidence::Likely;
        self.candidates.first().filter(|_| is_likely)
    }
}

/// Anchors the rules of items to their first candidates where these are likely, in one change that
/// `reanchor --undo` reverts. Returns the ids. A rule that was decided about since is skipped.
pub fn accept_likely(project: &Workspace, items: &[Item]) -> Result<Vec<String>> {
    let lock = project.lock()?;
    let memories = lock.memories()?;
    let mut new = Vec::new();
    for item in items {
        let Some(candidate) = item.likely() else {
            continue;
        };
        let is_open = |stored: &MemoryFile| {
            stored.memory.example.is_none() && !memories.anchors.contains_key(&item.id)
        };
        let stored = memories.find_whole(&item.id);
        if !stored.is_ok_and(is_open) {
            continue;
        }
        let location = CodeLocation {
            file: candidate.file.clone(),
            symbol: candidate.symbol.clone(),
        };
        let quality = candidate.quality.unwrap_or_default();
        let anchor = Anchor {
            origin: Origin::Auto,
            quality,
            match_score: quality,
            ..anchors::named(project, &location)?
        };
        new.push((item.id.clone(), anchor));
    }
    let mut found: Vec<&mut Anchor> = new.iter_mut().map(|(_, anchor)| anchor).collect();
    anchors::remember_look_alikes(project, &mut found)?;
    let ids = new.iter().map(|(id, _)| id.clone()).collect();
    let mut anchors = memories.anchors.clone();
    anchors.extend(new);
    project.bank.write_anchors_undoably(&anchors, false)?;
    Ok(ids)
}

fn order(a: &Item, b: &Item) -> std::cmp::Ordering {
    let best = |item: &Item| {
        item.candidates
            .iter()
            .filter_map(|candidate| candidate.quality)
            .fold(0.0, f64::max)
    };
    let key = |item: &Item| (item.reason, item.kind == RuleKind::Process, item.confidence);
    key(a)
        .cmp(&key(b))
        .then(best(b).total_cmp(&best(a)))
        .then_with(|| a.id.cmp(&b.id))
}

/// Follows the anchors without writing. Returns the findings by id.
fn findings(
    project: &Workspace,
    memories: &Memories,
    progress: Progress<'_>,
) -> Result<BTreeMap<String, Finding>> {
    if memories.anchors.is_empty() {
        return Ok(BTreeMap::new());
    }
    let check = reanchor::Request::check();
    let checked = reanchor::reanchor_in(project, memories, &check, progress)?;
    Ok(checked
        .results
        .into_iter()
        .map(|finding| (finding.id.clone(), finding))
        .collect())
}

/// Returns the memories that may need a review, in the order of the bank or of the requested ids, and
/// warnings about requested ones that cannot have an example.
fn targets<'a>(
    memories: &'a Memories,
    findings: &'a BTreeMap<String, Finding>,
    request: &Request,
) -> Result<(Vec<Target<'a>>, Vec<String>)> {
    let filter = request.filter();
    let requested: Vec<&MemoryFile> = request
        .ids
        .iter()
        .map(|id| memories.find(id))
        .collect::<Result<_>>()?;
    let all = memories
        .all
        .iter()
        .filter(|stored| is_reviewed(stored, &filter, memories));
    let stored: Vec<&MemoryFile> = if request.ids.is_empty() {
        all.collect()
    } else {
        requested
    };
    let mut targets = Vec::new();
    let mut warnings = Vec::new();
    for stored in stored {
        let id = &stored.memory.id;
        let finding = findings.get(id);
        let reason = finding.map_or(Reason::Unanchored, reason);
        let languages = memories::languages(&stored.memory.scope);
        let obstacle = match (&languages, stored.memory.example) {
            (Err(reason), _) => Some(reason.clone()),
            (_, Some(_)) if finding.is_none() => Some(no_example(stored)),
            _ => None,
        };
        match (obstacle, languages) {
            (Some(obstacle), _) if !request.ids.is_empty() => {
                warnings.push(format!("`{id}` is skipped: {obstacle}"));
            }
            (None, Ok(languages)) if !request.ids.is_empty() || reason != Reason::Anchored => {
                let query = Query {
                    languages,
                    ..anchors::query(stored, &[])
                };
                targets.push(Target {
                    stored,
                    reason,
                    finding,
                    query,
                });
            }
            _ => {}
        }
    }
    Ok((targets, warnings))
}

/// Returns whether a memory is a rule in use that the filter selects.
pub(super) fn is_reviewed(stored: &MemoryFile, filter: &Filter, memories: &Memories) -> bool {
    rule_counts::is_active_rule(stored) && filter.takes(stored, &memories.anchors)
}

/// Returns why a memory without an example by decision is not reviewed, and how to change that.
fn no_example(stored: &MemoryFile) -> String {
    let command = format!("cerberus memory anchor {}", shell_word(&stored.memory.id));
    format!("it has `example: none` in its frontmatter; remove that with `{command} --clear`")
}

/// Returns why an anchor needs a review.
fn reason(finding: &Finding) -> Reason {
    match finding.state {
        State::Ambiguous => Reason::Ambiguous,
        State::Gone => Reason::Gone,
        // An automatic anchor to edited code that still matches is recorded by `reanchor`.
        _ if finding.edited && (finding.drift || finding.chosen == Origin::Manual) => {
            Reason::Edited
        }
        _ if finding.chosen == Origin::Agent => Reason::ChosenByAgent,
        _ => Reason::Anchored,
    }
}

fn item(project: &Project, memories: &Memories, target: &Target<'_>, ranking: &Ranking) -> Item {
    let Target {
        stored,
        reason,
        finding,
        query,
    } = target;
    let id = &stored.memory.id;
    let choice = memories
        .anchors
        .get(id)
        .and_then(|anchor| anchor.chosen.as_ref());
    let explanation = match (reason, finding) {
        (Reason::ChosenByAgent, _) => choice.map(ToString::to_string).unwrap_or_default(),
        (Reason::Unanchored, _) => match ranking.anchor {
            Some(_) => "the best candidate is sure, but not stored".to_owned(),
            None => anchors::rejection(ranking),
        },
        (_, Some(finding)) => finding.reason.clone(),
        (_, None) => String::new(),
    };
    let unknown = ranking
        .unknown_words
        .iter()
        .flatten()
        .filter(|word| word.is_hint);
    Item {
        id: id.clone(),
        file: stored.file.clone(),
        rule: query.rule.clone(),
        hints: query.hints.clone(),
        reason: *reason,
        explanation,
        kind: ranking.kind,
        kind_reasons: ranking.kind_reasons.clone(),
        confidence: ranking.confidence,
        anchor: memories.anchors.get(id).map(AnchorSummary::from),
        outdated: Vec::new(),
        unknown_hints: unknown.map(|word| word.word.clone()).collect(),
        candidates: candidates(project, *finding, &ranking.candidates),
    }
}

/// Returns the places where the code of the anchor is or may be, then the ranked candidates.
fn candidates(
    project: &Project,
    finding: Option<&Finding>,
    ranked: &[RankedSymbol],
) -> Vec<Candidate> {
    let places = finding.into_iter().flat_map(|finding| match finding.state {
        State::Ambiguous => &finding.candidates[..],
        // A stub shows nothing.
        _ if finding.degree == Some(Degree::Gutted) => &[],
        _ => finding.new.as_slice(),
    });
    let stub = finding
        .filter(|finding| finding.degree == Some(Degree::Gutted))
        .and_then(|finding| finding.new.as_ref());
    let mut all: Vec<Candidate> = Vec::new();
    for place in places {
        let ranked = ranked
            .iter()
            .find(|symbol| symbol.file == place.file && symbol.symbol == place.symbol);
        let found = ranked.cloned().map(Candidate::from);
        all.extend(found.or_else(|| tracked(project, place)));
    }
    all.iter_mut()
        .for_each(|candidate| candidate.is_anchored = true);
    for ranked in ranked {
        let is_stub =
            stub.is_some_and(|stub| stub.file == ranked.file && stub.symbol == ranked.symbol);
        if !is_stub
            && !all
                .iter()
                .any(|other| other.file == ranked.file && other.symbol == ranked.symbol)
        {
            all.push(Candidate::from(ranked.clone()));
        }
    }
    all.truncate(N_CANDIDATES);
    for (idx, candidate) in all.iter_mut().enumerate() {
        candidate.rank = idx + 1;
    }
    all
}

/// Returns tracked code that is not among the ranked candidates.
fn tracked(project: &Project, place: &TrackedLocation) -> Option<Candidate> {
    // An old record without a number is on the first definition of its name.
    let all = track::locate_all(&project.root, &place.file, place.symbol.as_deref()).ok()?;
    let found = all.into_iter().next()?.found;
    let (first, last) = found.lines?;
    Some(Candidate {
        file: found.file,
        symbol: found.symbol,
        kind: found.kind,
        language: found.language,
        start_line: first + 1,
        end_line: last + 1,
        is_anchored: true,
        ..Candidate::default()
    })
}

fn add_excerpts(project: &Project, query: &Query, candidates: &mut [Candidate]) {
    let words = RuleWords::new(&query.rule, &query.hints);
    for candidate in candidates {
        let place = (&*candidate.file, (candidate.start_line, candidate.end_line));
        let max_lines = excerpt::CANDIDATE_LINES;
        let excerpt = excerpt::of_candidate(&project.root, &words, place, max_lines);
        candidate.shown_lines = excerpt::shown_lines(&excerpt);
        candidate.excerpt = excerpt.text;
    }
}
