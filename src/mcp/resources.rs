//! Memories as resources: `memory://ID`, and noticing when their files change.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use rmcp::model::{ListResourcesResult, Resource, ResourceContents};

use crate::bank::Bank;
use crate::commands::read::{self, ReadArgs};
use crate::error::UserError;
use crate::file_stat::FileStat;
use crate::ops::Project;
use crate::ops::memories::Memories;

pub(super) const MARKDOWN: &str = "text/markdown";

const SCHEME: &str = "memory://";

/// How many memories are on a page of the list.
const PER_PAGE: usize = 200;

/// Returns a page of the list of memories; the cursor is where it begins.
pub(super) fn page(project: &Project, cursor: Option<&str>) -> Result<ListResourcesResult> {
    let start = cursor.map_or(Ok(0), str::parse::<usize>).map_err(|_| {
        UserError::usage("the cursor is none of this server's").hint("list without a cursor first")
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

/// Returns the file of the memory that a URI names.
pub(super) fn read(project: &Project, uri: &str) -> Result<ResourceContents> {
    let args = ReadArgs { id: id(uri)?, sections: Vec::new(), raw: true };
    let report = read::read(project, &args)?;
    Ok(ResourceContents::text(report.content, uri).with_mime_type(MARKDOWN))
}

/// Returns the URI of a memory.
fn uri(id: &str) -> String {
    let mut uri = SCHEME.to_owned();
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// Returns the id that a URI names.
fn id(uri: &str) -> Result<String> {
    let wrong = || {
        UserError::usage(format!("`{uri}` names no memory"))
            .hint("a memory is `memory://ID`; resources/list has them all")
    };
    let mut rest = uri.strip_prefix(SCHEME).ok_or_else(wrong)?.bytes();
    let mut bytes = Vec::new();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let pair = [rest.next().ok_or_else(wrong)?, rest.next().ok_or_else(wrong)?];
                let pair = str::from_utf8(&pair).map_err(|_| wrong())?;
                u8::from_str_radix(pair, 16).map_err(|_| wrong())?
            }
            plain => plain,
        });
    }
    Ok(String::from_utf8(bytes).map_err(|_| wrong())?)
}

/// What a client wants to hear of, and how it was when it last heard.
#[derive(Default)]
pub(super) struct Watch {
    memories: BTreeMap<String, Watched>,
    list: Option<(Bank, BTreeSet<String>)>,
}

struct Watched {
    bank: Bank,
    file: String,
    stamp: Option<FileStat>,
}

/// What changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Whether files came or went.
    pub(super) list: bool,
    /// The URIs of the memories whose files changed.
    pub(super) updated: Vec<String>,
}

impl Watch {
    /// Watches which memories there are.
    pub(super) fn list(&mut self, project: &Project) {
        self.list = Some((project.bank.clone(), files(&project.bank)));
    }

    /// Watches the memory that a URI names.
    pub(super) fn subscribe(&mut self, project: &Project, uri: &str) -> Result<()> {
        let wanted = id(uri)?;
        let memories = Memories::load(project)?;
        let file = memories.find(&wanted)?.file.clone();
        let (bank, stamp) = (project.bank.clone(), project.bank.stat(&file));
        self.memories.insert(uri.to_owned(), Watched { bank, file, stamp });
        Ok(())
    }

    pub(super) fn unsubscribe(&mut self, uri: &str) {
        self.memories.remove(uri);
    }

    /// Returns what changed since it was asked last.
    pub(super) fn changes(&mut self) -> Changes {
        let mut changes = Changes::default();
        for (uri, watched) in &mut self.memories {
            let stamp = watched.bank.stat(&watched.file);
            if stamp != watched.stamp {
                watched.stamp = stamp;
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

/// Returns the files of a bank; none of one that is gone.
fn files(bank: &Bank) -> BTreeSet<String> {
    bank.list().map(|(files, _)| files.into_iter().collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_comes_back_from_its_uri() {
        for name in ["close-sessions", "db/pool", "größe 100%", "a#b?c"] {
            assert_eq!(id(&uri(name)).expect("it is one"), name);
        }
        assert_eq!(uri("größe 1"), "memory://gr%C3%B6%C3%9Fe%201");
        for wrong in ["file:///etc/passwd", "memory://a%2", "memory://%zz", "memory://%FF"] {
            assert!(id(wrong).is_err(), "{wrong}");
        }
    }
}
