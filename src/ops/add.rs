//! `add`: a new short memory, anchored at once.

use anyhow::Result;
use serde::Serialize;

use crate::bank::names;
use crate::error::UserError;
use crate::markdown::frontmatter::Frontmatter;
use crate::model::{Anchor, CodeLocation, MemoryType, Origin, Scope};

use super::anchor::{self, Kept};
use super::memories::{self, Memories};
use super::similar::SimilarMemories;
use super::{Project, document};
use crate::engine::examples::{self, Options, Query};

/// A memory to be.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) text: String,
    pub(crate) id: Option<String>,
    pub(crate) memory_type: MemoryType,
    pub(crate) category: Option<String>,
    pub(crate) scope: Option<Scope>,
    pub(crate) tags: Vec<String>,
    pub(crate) hints: Vec<String>,
    /// Where it is anchored by hand.
    pub(crate) anchor_to: Option<CodeLocation>,
    pub(crate) no_anchor: bool,
    pub(crate) min_quality: f64,
    pub(crate) allow_secret: bool,
}

/// The new memory.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) anchor: Option<Kept>,
    /// Why there is no anchor, where one was looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unanchored: Option<Unanchored>,
    pub(crate) warnings: Vec<String>,
}

/// Why a memory has no anchor, and what may be done about it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Unanchored {
    pub(crate) reason: String,
    /// Whether another hint or a person's choice could anchor it.
    pub(crate) can_be_anchored: bool,
}

impl Unanchored {
    fn for_now(reason: String) -> Self {
        Self { reason, can_be_anchored: true }
    }
}

/// Writes a new memory and anchors it.
pub(crate) fn add(project: &Project, request: &Request) -> Result<Report> {
    let text = request.text.trim();
    if text.is_empty() {
        return Err(UserError::usage("the memory has no text")
            .hint(
                "say it in a sentence: `cerberus memory add \"Close sessions in a finally block\"`",
            )
            .into());
    }
    if let Some(id) = &request.id {
        names::check(id)?;
    }
    if !request.allow_secret {
        document::refuse_secrets(&[
            ("the text", text),
            ("the category", request.category.as_deref().unwrap_or_default()),
            ("the tags", &request.tags.join(" ")),
            ("the hints", &request.hints.join(" ")),
        ])?;
    }
    let memories = Memories::load(project)?;
    let scope = request.scope.clone().unwrap_or_else(|| super::default_scope(project));
    let mut warnings = SimilarMemories::new(&memories).warnings(text, &scope);
    // All that can be refused is looked at before anything is written.
    let (anchor, unanchored) = find_anchor(project, request, text, &scope, &mut warnings)?;
    let front = Frontmatter {
        id: None,
        memory_type: Some(request.memory_type),
        category: request.category.clone(),
        scope: Some(scope),
        tags: request.tags.clone(),
        hints: request.hints.clone(),
        created_at: Some(super::seconds(project.now)),
        ..Frontmatter::default()
    };
    let _guard = project.bank.lock_for_writing()?;
    // Only now is it known what the others have taken.
    let id = free_id(request, text, &Memories::load(project)?)?;
    let mut anchors = project.bank.anchors()?;
    let file = project.bank.create_memory(&id, &front, text)?;
    let kept = anchor.as_ref().map(Kept::of);
    if let Some(anchor) = anchor {
        anchors.insert(id.clone(), anchor);
        if let Err(error) = project.bank.write_anchors(&anchors) {
            project.bank.discard(&file)?;
            return Err(error);
        }
    }
    Ok(Report { id, file, anchor: kept, unanchored, warnings })
}

fn find_anchor(
    project: &Project,
    request: &Request,
    text: &str,
    scope: &Scope,
    warnings: &mut Vec<String>,
) -> Result<(Option<Anchor>, Option<Unanchored>)> {
    if let Some(place) = &request.anchor_to {
        return Ok((Some(anchor::by_hand(project, place)?), None));
    }
    if request.no_anchor {
        return Ok((None, None));
    }
    let languages = match memories::languages(scope) {
        Ok(languages) => languages,
        Err(reason) => {
            return Ok((None, Some(Unanchored { reason, can_be_anchored: false })));
        }
    };
    let question = Query {
        rule: text.split("\n\n").next().unwrap_or(text).to_owned(),
        hints: request.hints.clone(),
        languages,
    };
    let options = Options { limit: 1, min_quality: request.min_quality, explain: false };
    let Some(mut found) = examples::find(project.code(), &[question], options)?.pop() else {
        return Ok((None, None));
    };
    warnings.append(&mut found.warnings);
    match (found.anchor, found.candidates.first()) {
        (Some(first), _) => Ok((Some(anchor::of_candidate(project, &first, Origin::Auto)?), None)),
        (None, Some(best)) => {
            let gate = request.min_quality;
            let why = format!(
                "the best example found has quality {:.2}, under the gate {gate}",
                best.quality
            );
            Ok((None, Some(Unanchored::for_now(why))))
        }
        (None, None) => {
            Ok((None, Some(Unanchored::for_now("no code has any of its words".to_owned()))))
        }
    }
}

fn free_id(request: &Request, text: &str, memories: &Memories) -> Result<String> {
    if let Some(id) = &request.id {
        memories.check_free(id)?;
        return Ok(id.clone());
    }
    let base = names::from_text(text);
    let mut id = base.clone();
    let mut n = 2;
    while memories.check_free(&id).is_err() {
        id = format!("{base}-{n}");
        n += 1;
    }
    Ok(id)
}
