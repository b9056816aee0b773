//! Links between memories and their targets, resolved against the current tree.
//!
//! An edge of the graph goes from a memory to another memory, or to a ghost: a node for any other
//! target, whether it exists in the tree or not.

mod resolve;

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_engine::track;
use cerberus_model::{EdgeType, LinkState};
use cerberus_store::links as table;
use serde::Serialize;

use self::resolve::Resolver;
use super::Project;
use crate::Workspace;
use crate::sync::SyncedStore;

/// Links of a bank.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Number of links, including those that are not in `edges`.
    pub total: usize,
    pub broken: usize,
    pub edges: Vec<Edge>,
    pub warnings: Vec<String>,
}

/// Link with its resolved target.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Edge {
    /// Id of the memory that contains the link.
    pub source: String,
    pub file: String,
    /// 1-based line in the file.
    pub line: usize,
    /// Node of the source memory.
    pub source_node: String,
    /// Target as written in the link.
    pub target: String,
    /// Node of the target: `memory:ID`, or `ghost:TARGET`.
    pub node: String,
    pub relation: EdgeType,
    pub(crate) label: Option<String>,
    /// Sentence around the link.
    pub context: String,
    pub state: LinkState,
    /// Current location of the target, if it is known.
    pub resolved_to: Option<String>,
    pub note: Option<String>,
}

impl Edge {
    /// Returns whether the target does not exist as written.
    pub fn is_broken(&self) -> bool {
        !matches!(self.state, LinkState::Live | LinkState::External)
    }
}

/// Returns the links of all memories, or only the broken ones.
pub fn links(project: &Workspace, only_broken: bool) -> Result<Report> {
    let synced = project.synced()?;
    let mut edges = edges(project, &synced)?;
    let total = edges.len();
    let broken = edges.iter().filter(|edge| edge.is_broken()).count();
    if only_broken {
        edges.retain(Edge::is_broken);
    }
    let mut warnings = synced.warnings.clone();
    warnings.extend(synced.supersession()?.warning);
    let broken_files = edges.iter().filter(|edge| edge.is_broken());
    let broken_files = broken_files.filter_map(|edge| Some(edge.target.split_once("::")?.0));
    warnings.extend(track::limit_warnings(
        &project.root,
        &broken_files.collect(),
    ));
    Ok(Report {
        total,
        broken,
        edges,
        warnings,
    })
}

/// Returns all links with their resolved targets, ordered by memory and position.
pub fn edges(project: &Project, synced: &SyncedStore) -> Result<Vec<Edge>> {
    let files: BTreeMap<String, String> = synced.ids()?.into_iter().collect();
    let mut resolver = Resolver::new(project, synced);
    let mut found = Vec::new();
    for link in table::all(synced.store.reader())? {
        let resolved = resolver.resolve(&link.target)?;
        let file = files.get(&link.memory).cloned().unwrap_or_default();
        found.push(Edge {
            file,
            source_node: format!("memory:{}", link.memory),
            source: link.memory,
            line: link.line + 1,
            target: link.target,
            node: resolved.node,
            relation: link.relation,
            label: link.label,
            context: link.context,
            state: resolved.state,
            resolved_to: resolved.location,
            note: resolved.note,
        });
    }
    Ok(found)
}
