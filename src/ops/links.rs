//! `links`: the edges of the graph, each with where its target is now.
//!
//! An edge leads from a memory to another one, or to the ghost of something else, which
//! is in the graph whether or not it is in the tree.

mod cycles;
mod resolve;
mod supersession;

use anyhow::Result;
use serde::Serialize;

use self::resolve::Resolver;
pub(crate) use self::supersession::{Cycle, supersession};
use super::sync::SyncedStore;
use super::{Project, sync};
use crate::markdown::links::{Kind, Target};
use crate::model::{EdgeType, LinkState};
use crate::store::{links as table, memories};

/// The edges.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// How many links there are, shown or not.
    pub(crate) total: usize,
    /// How many of them lead nowhere, or not where they say.
    pub(crate) broken: usize,
    pub(crate) edges: Vec<Edge>,
    pub(crate) cycles: Vec<Cycle>,
    pub(crate) warnings: Vec<String>,
}

/// One link.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Edge {
    /// The memory it stands in.
    pub(crate) source: String,
    pub(crate) file: String,
    pub(crate) line: usize,
    /// The memory's node in the graph.
    pub(crate) source_node: String,
    /// As it is written.
    pub(crate) target: String,
    /// `memory:id`, or `ghost:` and what else it is.
    pub(crate) node: String,
    pub(crate) edge_type: EdgeType,
    pub(crate) label: Option<String>,
    pub(crate) context: String,
    pub(crate) state: LinkState,
    /// Where the target is now, where it can be told.
    pub(crate) found: Option<String>,
    pub(crate) note: Option<String>,
}

impl Edge {
    /// Returns whether the link does not lead where it says.
    pub(crate) fn is_broken(&self) -> bool {
        !matches!(self.state, LinkState::Live | LinkState::External)
    }
}

/// Returns the links of all memories, or the broken ones alone.
pub(crate) fn links(project: &Project, only_broken: bool) -> Result<Report> {
    links_in(project, sync::open(project)?, only_broken)
}

/// Like [`links`], with a store that is already open.
pub(crate) fn links_in(
    project: &Project,
    mut synced: SyncedStore,
    only_broken: bool,
) -> Result<Report> {
    let mut edges = edges(project, &synced)?;
    let total = edges.len();
    let broken = edges.iter().filter(|edge| edge.is_broken()).count();
    if only_broken {
        edges.retain(Edge::is_broken);
    }
    let cycles = supersession::all_cycles(&synced)?;
    let mut warnings = std::mem::take(&mut synced.warnings);
    warnings.extend(cycles.iter().map(Cycle::warning));
    Ok(Report { total, broken, edges, cycles, warnings })
}

/// Returns the edge of every link, ordered by memory and position.
pub(super) fn edges(project: &Project, synced: &SyncedStore) -> Result<Vec<Edge>> {
    let files: std::collections::BTreeMap<String, String> = synced.ids()?.into_iter().collect();
    let mut resolver = Resolver::new(project, synced);
    let mut found = Vec::new();
    for link in table::all(synced.store.reader())? {
        let resolved = resolver.resolve(&link.target)?;
        found.push(Edge {
            file: files.get(&link.memory).cloned().unwrap_or_default(),
            source_node: format!("memory:{}", link.memory),
            source: link.memory,
            line: link.line + 1,
            target: link.target,
            node: resolved.node,
            edge_type: link.relation,
            label: link.label,
            context: link.context,
            state: resolved.state,
            found: resolved.found,
            note: resolved.note,
        });
    }
    Ok(found)
}

/// Returns the file of the memory of this id.
fn memory_file(synced: &SyncedStore, name: &str) -> Result<Option<String>> {
    memories::file_of(synced.store.reader(), name)
}

/// Returns the memory that a target means, if it means one.
fn memory_meant(synced: &SyncedStore, spelled: &str) -> Result<Option<String>> {
    let Some(target) = Target::parse(spelled).filter(|target| target.kind != Kind::Url) else {
        return Ok(None);
    };
    Ok(memory_file(synced, &target.name)?.map(|_| target.name))
}
