//! Memories as resources `memory://ID`, and detection of changes to their files.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use rmcp::model::{ListResourcesResult, Resource, ResourceContents};

use crate::commands::read::{self, ReadArgs};
use cerberus_bank::Bank;
use cerberus_bank::ops::Project;
use cerberus_bank::ops::memories::Memories;
use cerberus_model::error::UserError;
use cerberus_model::file_stat::FileStat;
use cerberus_model::text::{percent_decoded, percent_encoded};

pub(super) const MARKDOWN: &str = "text/markdown";

const SCHEME: &str = "memory://";

/// The number of memories per page of the list.
const PER_PAGE: usize = 200;

/// Returns a page of the list of memories; the cursor is the index of the first one.
pub(super) fn page(project: &Project, cursor: Option<&str>) -> Result<ListResourcesResult> {
    let start = cursor.map_or(Ok(0), str::parse::<usize>).map_err(|_| {
        UserError::usage("the cursor is not valid").hint("list the first page without a cursor")
    })?;
    let memories = Memories::load(project)?;
    let resources = memories.all.iter().skip(start).take(PER_PAGE).map(|stored| {
        let memory = &stored.memory;
        let first = memory.body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        Resource::new(uri(&memory.id), memory.id.clone())
            .with_title(first.trim_start_matches('#').trim())
            .with_description(format!("{} ({})", memory.memory_type, memory.scope))
            .with_mime_type(MARKDOWN)
            .with_size(stored.text.len() as u64)
    });
    let mut page = ListResourcesResult::with_all_items(resources.collect());
    let end = start + page.resources.len();
    page.next_cursor = (end < memories.all.len()).then(|| end.to_string());
    Ok(page)
}

/// Returns the text of the memory of a URI.
pub(super) fn read(project: &Project, uri: &str) -> Result<ResourceContents> {
    let args = ReadArgs { id: id(uri)?, sections: Vec::new(), raw: true };
    let report = read::read(project, &args)?;
    Ok(ResourceContents::text(report.content, uri).with_mime_type(MARKDOWN))
}

/// Returns the URI of a memory.
fn uri(id: &str) -> String {
    format!("{SCHEME}{}", percent_encoded(id))
}

/// Returns the id in a URI.
fn id(uri: &str) -> Result<String> {
    let id = uri.strip_prefix(SCHEME).and_then(percent_decoded);
    Ok(id.ok_or_else(|| {
        UserError::usage(format!("`{uri}` is not a memory URI"))
            .hint("the format is `memory://ID`; resources/list returns all URIs")
    })?)
}

/// The resources that a client subscribed to, and their last known state.
#[derive(Default)]
pub(super) struct Subscriptions {
    memories: BTreeMap<String, WatchedFile>,
    list: Option<(Bank, BTreeSet<String>)>,
}

struct WatchedFile {
    bank: Bank,
    file: String,
    stat: Option<FileStat>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Whether memories were added or removed.
    pub(super) list: bool,
    /// The URIs of the changed memories.
    pub(super) updated: Vec<String>,
}

impl Subscriptions {
    /// Subscribes to changes of the list of memories.
    pub(super) fn subscribe_list(&mut self, project: &Project) {
        self.list = Some((project.bank.clone(), files(&project.bank)));
    }

    /// Subscribes to changes of a memory.
    pub(super) fn subscribe(&mut self, project: &Project, uri: &str) -> Result<()> {
        let wanted = id(uri)?;
        let memories = Memories::load(project)?;
        let file = memories.find(&wanted)?.file.clone();
        let (bank, stat) = (project.bank.clone(), project.bank.stat(&file));
        self.memories.insert(uri.to_owned(), WatchedFile { bank, file, stat });
        Ok(())
    }

    pub(super) fn unsubscribe(&mut self, uri: &str) {
        self.memories.remove(uri);
    }

    /// Returns the changes since the last call.
    pub(super) fn changes(&mut self) -> Changes {
        let mut changes = Changes::default();
        for (uri, watched) in &mut self.memories {
            let stat = watched.bank.stat(&watched.file);
            if stat != watched.stat {
                watched.stat = stat;
                changes.updated.push(uri.clone());
            }
        }
        if let Some((bank, known)) = &mut self.list {
            let found = files(bank);
            changes.list = found != *known;
            *known = found;
        }
        changes
    }
}

/// Returns the files of a bank; empty if the bank was removed.
fn files(bank: &Bank) -> BTreeSet<String> {
    bank.list().map(|(files, _)| files.into_iter().collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_a_round_trip_through_uris() {
        for name in ["close-sessions", "db/pool", "größe 100%", "a#b?c"] {
            assert_eq!(id(&uri(name)).expect("a memory URI"), name);
        }
        assert_eq!(uri("größe 1"), "memory://gr%C3%B6%C3%9Fe%201");
        for invalid in ["file:///etc/passwd", "memory://a%2", "memory://%zz", "memory://%FF"] {
            assert!(id(invalid).is_err(), "{invalid}");
        }
    }
}
