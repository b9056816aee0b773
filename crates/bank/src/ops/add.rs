//! Stores a short memory and anchors it to its best example.

use std::slice;

use anyhow::Result;
use cerberus_engine::examples::{Options, Query, RankedSymbol};
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_engine::{examples, excerpt};
use cerberus_markdown::frontmatter::Frontmatter;
use cerberus_model::{Anchor, CodeLocation, Confidence, MemoryId, MemoryType, RuleKind, refuse};
use serde::Serialize;

use super::fields::Fields;
use crate::memories::text_of;
use crate::ops::anchors::AnchorSummary;
use crate::ops::memories::Memories;
use crate::ops::{anchors, document, memories, similar};
use crate::{Workspace, names};

/// A memory to add.
#[derive(Debug, Default)]
pub struct Request {
    pub text: String,
    /// The id, unless it is derived from the text.
    pub id: Option<String>,
    pub example: Example,
    pub allow_secrets: bool,
    pub fields: Fields,
}

/// The example of a new memory.
#[derive(Debug)]
pub enum Example {
    /// The best candidate, if its quality is sufficient.
    Search {
        min_quality: Option<f64>,
    },
    At(CodeLocation),
    None,
}

impl Default for Example {
    fn default() -> Self {
        Self::Search { min_quality: None }
    }
}

#[derive(Debug, Serialize)]
pub struct Report {
    pub id: MemoryId,
    pub file: String,
    pub anchor: Option<AnchorSummary>,
    /// Why the search for an example found no anchor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unanchored: Option<Unanchored>,
    pub warnings: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Unanchored {
    pub reason: String,
    /// Whether other hints or a manual choice could anchor the memory.
    pub can_be_anchored: bool,
    /// The kind of the rule and the confidence of the ranking, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<RuleKind>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kind_reasons: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// The candidates that are likely, with a few lines of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<RankedSymbol>,
}

/// Creates a memory and, unless disabled, anchors it.
pub fn add(project: &Workspace, request: &Request) -> Result<Report> {
    let text = request.text.trim();
    if text.is_empty() {
        return refuse(
            "the text of the memory is empty",
            "pass a text, as in `cerberus memory add \"Close sessions in a finally block\"`",
        );
    }
    let requested = match &request.id {
        Some(id) => Some(id.parse::<MemoryId>()?),
        None => None,
    };
    document::check_content(text)?;
    let fields = &request.fields;
    fields.check(("the text", text), request.allow_secrets)?;
    let memories = project.memories()?;
    let mut warnings = similar::warnings(&memories, text);
    let frontmatter = fields.frontmatter(project, MemoryType::Rule);
    // Every check that can fail comes before the first write.
    let found = find_anchor(project, request, &frontmatter)?;
    warnings.extend(found.warnings);
    let lock = project.lock()?;
    // Under the lock, because another process may have used the id since.
    let memories = lock.memories()?;
    let id = free_id(requested, text, &memories)?;
    let mut anchors = memories.anchors.clone();
    let file = project
        .bank
        .create_text(&id, &text_of(&frontmatter, text))?;
    let summary = found.anchor.as_ref().map(AnchorSummary::from);
    if let Some(anchor) = found.anchor {
        anchors.insert(id.to_string(), anchor);
        if let Err(error) = project.bank.write_anchors(&anchors) {
            project.bank.discard(&file)?;
            return Err(error);
        }
    }
    Ok(Report {
        id,
        file,
        anchor: summary,
        unanchored: found.unanchored,
        warnings,
    })
}

/// The example of a new memory, or why a search found none.
#[derive(Default)]
struct Found {
    anchor: Option<Anchor>,
    unanchored: Option<Unanchored>,
    warnings: Vec<String>,
}

/// Returns the requested example of a memory with this frontmatter.
fn find_anchor(project: &Workspace, request: &Request, front: &Frontmatter) -> Result<Found> {
    let mut found = Found::default();
    let min_quality = match &request.example {
        Example::Search { min_quality } => min_quality.unwrap_or(project.min_quality),
        Example::At(location) => {
            found.anchor = Some(anchors::at_location(project, location)?);
            return Ok(found);
        }
        Example::None => return Ok(found),
    };
    let mut query = Query {
        rule: anchors::rule(&request.text).to_owned(),
        hints: front.hints.clone(),
        kind: front.kind,
        ..Query::default()
    };
    if let Some(scope) = &front.scope {
        match memories::languages(scope) {
            Ok(languages) => query.languages = languages,
            Err(reason) => {
                found.unanchored = Some(Unanchored {
                    reason,
                    ..Unanchored::default()
                });
                return Ok(found);
            }
        }
    }
    search(project, &query, min_quality)
}

fn search(project: &Workspace, query: &Query, min_quality: f64) -> Result<Found> {
    let mut found = Found::default();
    let options = Options {
        explain: true,
        ..Options::distinct(anchors::N_INLINE, min_quality)
    };
    let Some(mut ranking) = project.rank(slice::from_ref(query), options)?.pop() else {
        return Ok(found);
    };
    found.warnings = anchors::hint_warnings(&ranking);
    found.warnings.append(&mut ranking.warnings);
    if let Some(best) = &ranking.anchor {
        found.anchor = Some(anchors::from_candidate(project, best)?);
        return Ok(found);
    }
    let mut unanchored = Unanchored {
        reason: anchors::rejection(&ranking),
        can_be_anchored: true,
        kind: Some(ranking.kind),
        kind_reasons: ranking.kind_reasons,
        confidence: Some(ranking.confidence),
        candidates: Vec::new(),
    };
    if ranking.kind == RuleKind::Code {
        let words = RuleWords::new(&query.rule, &query.hints);
        let mut likely = ranking.candidates;
        likely.retain(RankedSymbol::is_likely);
        let max_lines = excerpt::CANDIDATE_LINES;
        examples::add_excerpts(&project.root, &words, &mut likely, max_lines);
        for candidate in &mut likely {
            candidate.reasons.clear();
        }
        unanchored.candidates = likely;
    }
    found.unanchored = Some(unanchored);
    Ok(found)
}

/// Returns the requested id if it is unused, otherwise an unused one derived from the text.
fn free_id(requested: Option<MemoryId>, text: &str, memories: &Memories) -> Result<MemoryId> {
    if let Some(id) = requested {
        memories.check_free(&id)?;
        return Ok(id);
    }
    let base = names::from_text(text);
    let mut n = 1;
    while memories.check_free(&base.numbered(n)).is_err() {
        n += 1;
    }
    Ok(base.numbered(n))
}
