//! Brings the store's copy of the memories up to date with the files.
//!
//! Files are the truth; a row is written again when its file's text or its anchor is
//! another, and goes when the file does.

use anyhow::Result;
use xxhash_rust::xxh3::xxh3_128;

use crate::bank::Stored;
use crate::markdown::sections;
use crate::model::Anchor;
use crate::store::Store;
use crate::store::memories::{self as table, Row};

use super::memories::Memories;

/// Makes the store's memories those of the bank.
pub(super) fn memories(store: &mut Store, memories: &Memories) -> Result<()> {
    let mut known = table::hashes(store.reader())?;
    let mut changed = Vec::new();
    for stored in &memories.all {
        let anchor = memories.anchors.get(&stored.memory.id);
        let hash = hash(stored, anchor);
        if known.remove(&stored.memory.id) != Some(hash) {
            changed.push((stored, anchor, hash));
        }
    }
    if changed.is_empty() && known.is_empty() {
        return Ok(());
    }
    let mut gone: Vec<String> = known.into_keys().collect();
    gone.sort_unstable();
    store.transaction(|connection| {
        for id in &gone {
            table::remove(connection, id)?;
        }
        for (stored, anchor, hash) in changed {
            let row = row(stored, anchor, hash);
            let texts = searchable(stored);
            table::put(connection, &row, &texts)?;
        }
        Ok(())
    })
}

fn hash(stored: &Stored, anchor: Option<&Anchor>) -> [u8; 16] {
    let mut bytes = stored.text.clone().into_bytes();
    bytes.extend(stored.file.bytes());
    if let Some(anchor) = anchor {
        bytes.extend(anchor.file.bytes());
        bytes.extend(anchor.symbol.iter().flat_map(|symbol| symbol.bytes()));
        bytes.extend(anchor.quality.to_le_bytes());
    }
    xxh3_128(&bytes).to_le_bytes()
}

fn row(stored: &Stored, anchor: Option<&Anchor>, hash: [u8; 16]) -> Row {
    let memory = &stored.memory;
    let metadata = anchor.map(|anchor| {
        format!(
            "{{\"kind\":\"{}\",\"matchScore\":{},\"chosen\":\"{}\"}}",
            anchor.kind, anchor.match_score, anchor.chosen
        )
    });
    Row {
        id: memory.id.clone(),
        file: stored.file.clone(),
        hash,
        memory_type: memory.memory_type.to_string(),
        category: memory.category.clone(),
        scope: memory.scope.to_string(),
        status: memory.status.to_string(),
        tags: memory.tags.join(","),
        content: memory.body.clone(),
        created_at: memory.created_at.map(|time| time.to_string()),
        updated_at: memory.updated_at.map(|time| time.to_string()),
        anchor_file: anchor.map(|anchor| anchor.file.clone()),
        anchor_symbol: anchor.and_then(|anchor| anchor.symbol.clone()),
        anchor_score: anchor.map(|anchor| anchor.quality),
        anchor_metadata: metadata,
    }
}

/// Returns what search looks through: the whole body under no section, then each section.
fn searchable(stored: &Stored) -> Vec<(String, String, String)> {
    let memory = &stored.memory;
    let heading = format!("{} {}", memory.id.replace(['-', '/', '.'], " "), memory.tags.join(" "));
    let mut texts = vec![(String::new(), heading, memory.body.clone())];
    let parsed = sections::parse(&stored.text);
    for section in &parsed.list {
        let body = sections::content(&stored.text, section, &parsed, false);
        texts.push((section.id.clone(), section.id.replace(['-', '/', '.'], " "), body));
    }
    texts
}
