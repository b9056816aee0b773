//! The code of an example as it was recorded, and as it is now.

use anyhow::Result;
use cerberus_engine::track;
use cerberus_engine::tree::{git, read};
use cerberus_model::{Anchor, text};

use super::examples::code_between;
use super::reanchor::{Finding, TrackedLocation};
use crate::Workspace;

/// Two versions of the code of an example.
#[derive(Debug, Default)]
pub struct Versions {
    /// The commit that the anchor was recorded at.
    pub commit: Option<String>,
    /// The code in this commit. `None` if git lacks it.
    pub then: Option<String>,
    /// The code in the working tree. `None` if it was not found.
    pub now: Option<String>,
}

/// Returns the code of an anchor in the commit that it was recorded at, and where it was found.
pub fn versions(project: &Workspace, finding: &Finding) -> Result<Versions> {
    let memories = project.memories()?;
    let Some(anchor) = memories.anchors.get(&finding.id) else {
        return Ok(Versions::default());
    };
    Ok(Versions {
        commit: anchor.commit.clone(),
        then: code_then(project, anchor),
        now: finding
            .new
            .as_ref()
            .and_then(|place| code_now(project, anchor, place)),
    })
}

fn code_then(project: &Workspace, anchor: &Anchor) -> Option<String> {
    let name = format!("{}:./{}", anchor.commit.as_ref()?, anchor.file);
    let bytes = git::with_objects(&project.root, |objects| objects.read(&name))??;
    code_in_place(anchor, &bytes)
}

fn code_now(project: &Workspace, anchor: &Anchor, place: &TrackedLocation) -> Option<String> {
    let bytes = read::bytes(&project.root, &place.file).ok()?;
    match (place.start_line, place.end_line) {
        (Some(first), Some(last)) => {
            Some(code_between(&text::decode(&bytes).0, (first - 1, last - 1)))
        }
        _ => code_in_place(anchor, &bytes),
    }
}

/// Returns the code of an anchor in a version of its file.
fn code_in_place(anchor: &Anchor, bytes: &[u8]) -> Option<String> {
    let found = track::verify_content(&anchor.file, bytes, &[anchor]).pop()??;
    Some(code_between(&text::decode(bytes).0, found.lines))
}
