//! `stats`: how many memories there are, how well they are anchored, and which links hold.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use crate::model::{Anchor, Scope, State};

use super::feedback::{self, Approval};
use super::memories::Memories;
use super::{Project, links, show, sync};

/// The counts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) memories: usize,
    pub(crate) by_type: BTreeMap<String, usize>,
    pub(crate) by_scope: BTreeMap<String, usize>,
    pub(crate) by_status: BTreeMap<String, usize>,
    pub(crate) anchored: usize,
    /// Of the memories that can be anchored; none where there is no such memory.
    pub(crate) anchored_percent: Option<f64>,
    pub(crate) anchors_by_state: BTreeMap<State, usize>,
    /// What was said of memories that had an example then, and of those that had none.
    pub(crate) approval: Approval,
    /// Each anchor with its state, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) anchors: Option<Vec<AnchorState>>,
    pub(crate) links: usize,
    /// Links that do not lead where they say.
    pub(crate) broken_links: usize,
    pub(crate) warnings: Vec<String>,
}

/// One anchor and how it stands.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnchorState {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    pub(crate) quality: f64,
    pub(crate) state: State,
}

/// Counts the memories and looks at each anchor in its own file.
pub(crate) fn stats(project: &Project, show_anchors: bool) -> Result<Report> {
    let memories = Memories::load(project)?;
    let edges = links::edges(project, &sync::open_with(project, &memories)?)?;
    let count = |key: &dyn Fn(&crate::bank::MemoryFile) -> String| {
        let mut counts = BTreeMap::new();
        for stored in &memories.all {
            *counts.entry(key(stored)).or_insert(0) += 1;
        }
        counts
    };
    let anchored: Vec<(&str, &Anchor)> = memories
        .all
        .iter()
        .filter_map(|it| Some((it.memory.id.as_str(), memories.anchors.get(&it.memory.id)?)))
        .collect();
    let shown: Vec<&Anchor> = anchored.iter().map(|(_, anchor)| *anchor).collect();
    let shown = show::shown_anchors(project, &shown, false);
    let mut states = BTreeMap::new();
    let mut anchors = Vec::new();
    for ((id, _), shown) in anchored.into_iter().zip(shown) {
        *states.entry(shown.state).or_insert(0) += 1;
        anchors.push(AnchorState {
            id: id.to_owned(),
            file: shown.file,
            symbol: shown.symbol,
            quality: shown.quality,
            state: shown.state,
        });
    }
    let n_able =
        memories.all.iter().filter(|stored| stored.memory.scope != Scope::Universal).count();
    let percent = |part: usize, whole: usize| (part as f64 / whole as f64 * 1e3).round() / 10.0;
    Ok(Report {
        memories: memories.all.len(),
        by_type: count(&|stored| stored.memory.memory_type.to_string()),
        by_scope: count(&|stored| stored.memory.scope.to_string()),
        by_status: count(&|stored| stored.memory.status.to_string()),
        anchored: anchors.len(),
        anchored_percent: (n_able > 0).then(|| percent(anchors.len(), n_able)),
        anchors_by_state: states,
        approval: feedback::approval(project)?,
        anchors: show_anchors.then_some(anchors),
        links: edges.len(),
        broken_links: edges.iter().filter(|edge| edge.is_broken()).count(),
        warnings: memories.warnings.clone(),
    })
}
