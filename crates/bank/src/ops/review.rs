//! The rules whose example is not sure, with their candidates.

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_engine::examples::{Options, Query, RankedSymbol, Ranking};
use cerberus_engine::excerpt::LineRange;
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_engine::track::Degree;
use cerberus_engine::{excerpt, track};
use cerberus_model::{
    Anchor, CodeLocation, Confidence, Language, MemoryStatus, Origin, RuleKind, State, SymbolKind,
};
use serde::Serialize;

use super::reanchor::{self, Finding, TrackedLocation};
use crate::ops::anchors::AnchorSummary;
use crate::ops::memories::{self, Filter, Memories};
use crate::ops::rule_counts::{self, RuleCounts};
use crate::ops::{Progress, Project, anchors};
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
    /// Returns the rules in use of the requested scope.
    pub(super) fn active_rules<'m>(&self, memories: &'m Memories) -> Result<Vec<&'m MemoryFile>> {
        let filter = Filter {
            scope: self.scope.clone(),
            ..Filter::default()
        };
        let mut selected = memories.select(&filter)?;
        selected.retain(|stored| rule_counts::is_active_rule(stored));
        Ok(selected)
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
    let active = request.active_rules(&memories)?;
    let findings = findings(project, &memories, progress)?;
    let (targets, skipped) = if request.ids.is_empty() {
        (targets(&active, &findings), Vec::new())
    } else {
        requested(&memories, &findings, &request.ids)?
    };
    warnings.extend(skipped);

    let queries: Vec<Query> = targets.iter().map(|target| target.query.clone()).collect();
    // What `import` left is not sure here either.
    let options = Options {
        explain: true,
        ..Options::distinct(N_CANDIDATES, project.min_import_quality)
    };
    let rankings = match queries[..] {
        [] => Vec::new(),
        _ => project.rank_with(&queries, options, progress)?,
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
    for (item, target) in &mut items {
        add_excerpts(project, &target.query, &mut item.candidates);
    }
    Ok(Report {
        items: items.into_iter().map(|(item, _)| item).collect(),
        proposals: proposals(&memories, request)?,
        total,
        skipped_process: folded.len(),
        folded,
        is_requested: !request.ids.is_empty(),
        rules: RuleCounts::of(&memories),
        warnings,
    })
}

/// Returns the proposed memories that a request is about.
fn proposals(memories: &Memories, request: &Request) -> Result<Vec<Proposal>> {
    let filter = Filter {
        scope: request.scope.clone(),
        status: Some(MemoryStatus::Proposed),
        ..Filter::default()
    };
    let mut proposals = Vec::new();
    for stored in memories.select(&filter)? {
        let memory = &stored.memory;
        if request.ids.is_empty() || request.ids.contains(&memory.id) {
            proposals.push(Proposal {
                id: memory.id.clone(),
                rule: memories::title(&memory.body),
                source: memory.source.clone(),
            });
        }
    }
    Ok(proposals)
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
        match memories.get(&item.id) {
            Some(stored) if stored.memory.example.is_none() => {}
            _ => continue,
        }
        if memories.anchors.contains_key(&item.id) {
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
    let results = checked.results.into_iter();
    Ok(results
        .map(|finding| (finding.id.clone(), finding))
        .collect())
}

/// Returns the rules that may need a review.
fn targets<'a>(
    active: &[&'a MemoryFile],
    findings: &'a BTreeMap<String, Finding>,
) -> Vec<Target<'a>> {
    let mut targets = Vec::new();
    for stored in active {
        if let Ok(target) = target(stored, findings)
            && target.reason != Reason::Anchored
        {
            targets.push(target);
        }
    }
    targets
}

/// Returns the requested memories, and warnings about those that cannot have an example.
fn requested<'a>(
    memories: &'a Memories,
    findings: &'a BTreeMap<String, Finding>,
    ids: &[String],
) -> Result<(Vec<Target<'a>>, Vec<String>)> {
    let mut targets = Vec::new();
    let mut warnings = Vec::new();
    for id in ids {
        let stored = memories.find(id)?;
        match target(stored, findings) {
            Ok(target) => targets.push(target),
            Err(why) => warnings.push(format!("`{}` is skipped: {why}", stored.memory.id)),
        }
    }
    Ok((targets, warnings))
}

/// Returns a memory with what following its anchor found, or why it cannot have an example.
fn target<'a>(
    stored: &'a MemoryFile,
    findings: &'a BTreeMap<String, Finding>,
) -> Result<Target<'a>, String> {
    let query = anchors::scoped_query(stored)?;
    let finding = findings.get(&stored.memory.id);
    if finding.is_none() && stored.memory.example.is_some() {
        return Err(no_example(stored));
    }
    Ok(Target {
        stored,
        reason: match finding {
            Some(finding) => reason(finding),
            None => Reason::Unanchored,
        },
        finding,
        query,
    })
}

/// Returns why a memory without an example by decision is not reviewed, and how to change that.
fn no_example(stored: &MemoryFile) -> String {
    let command = anchors::command(&stored.memory.id, "--clear");
    format!("it has `example: none` in its frontmatter; remove that with `{command}`")
}

/// Returns why an anchor needs a review.
fn reason(finding: &Finding) -> Reason {
    match finding.state {
        State::Ambiguous => Reason::Ambiguous,
        State::Gone => Reason::Gone,
        // An automatic anchor to edited code that still matches is recorded by `reanchor`.
        _ if finding.edited && (finding.drift || finding.chosen.is_of_person()) => Reason::Edited,
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
    let anchor = memories.anchors.get(id);
    let choice = anchor.and_then(|anchor| anchor.chosen.as_ref());
    let explanation = match (reason, finding) {
        (Reason::ChosenByAgent, _) => choice.map(ToString::to_string).unwrap_or_default(),
        (Reason::Unanchored, _) => match ranking.anchor {
            Some(_) => "the best candidate is sure, but not stored".to_owned(),
            None => anchors::rejection(ranking),
        },
        (_, Some(finding)) => finding.reason.clone(),
        (_, None) => String::new(),
    };
    let unknown = anchors::unknown_hints(ranking);
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
        anchor: anchor.map(AnchorSummary::from),
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
    let mut all: Vec<Candidate> = Vec::new();
    for place in places {
        let mut symbols = ranked.iter();
        let found = match symbols.find(|symbol| is_at(symbol, &place.file, &place.symbol)) {
            Some(symbol) => Some(Candidate::from(symbol.clone())),
            None => tracked(project, place),
        };
        all.extend(found);
    }
    for candidate in &mut all {
        candidate.is_anchored = true;
    }
    let stub = match finding {
        Some(finding) if finding.degree == Some(Degree::Gutted) => finding.new.as_ref(),
        _ => None,
    };
    for symbol in ranked {
        let is_stub = stub.is_some_and(|stub| is_at(symbol, &stub.file, &stub.symbol));
        let mut others = all.iter();
        if !is_stub && !others.any(|other| is_at(symbol, &other.file, &other.symbol)) {
            all.push(Candidate::from(symbol.clone()));
        }
    }
    all.truncate(N_CANDIDATES);
    for (idx, candidate) in all.iter_mut().enumerate() {
        candidate.rank = idx + 1;
    }
    all
}

fn is_at(candidate: &RankedSymbol, file: &str, symbol: &Option<String>) -> bool {
    candidate.file == file && candidate.symbol == *symbol
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
