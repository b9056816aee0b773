//! The code of an example as it was recorded, and as it is now.

use anyhow::Result;
use cerberus_engine::track;
use cerberus_engine::tree::{git, read};
use cerberus_model::{Anchor, State, text};

use super::examples::code_between;
use super::reanchor::{Finding, TrackedLocation};
use crate::Workspace;

/// Two versions of the code of an example.
#[derive(Debug, Default)]
pub struct Versions {
    /// The commit with the recorded code: the one that was checked out then, or `HEAD`.
    pub commit: Option<String>,
    /// The code in this commit. `None` if git lacks it.
    pub then: Option<String>,
    /// The code in the working tree. `None` if it was not found.
    pub now: Option<String>,
}

/// Returns the code of an anchor as it was recorded, and where it was found.
pub fn versions(project: &Workspace, finding: &Finding) -> Result<Versions> {
    let memories = project.memories()?;
    let Some(anchor) = memories.anchors.get(&finding.id) else {
        return Ok(Versions::default());
    };
    let mut versions = Versions::default();
    if let Some(place) = &finding.new {
        versions.now = code_now(project, anchor, place);
    }
    // Code that was not committed when it was recorded is in a later commit.
    for commit in anchor.commit.as_deref().into_iter().chain(["HEAD"]) {
        if versions.then.is_none() {
            versions.then = code_then(project, anchor, commit);
            versions.commit = Some(commit.to_owned());
        }
    }
    Ok(versions)
}

/// Returns the code of an anchor in a commit, if it is there as it was recorded.
fn code_then(project: &Workspace, anchor: &Anchor, commit: &str) -> Option<String> {
    let name = format!("{commit}:./{}", anchor.file);
    let bytes = git::with_objects(&project.root, |objects| objects.read(&name))??;
    let found = track::verify_content(&anchor.file, &bytes, &[anchor]).pop()??;
    let is_recorded = matches!(found.state, State::Fresh | State::Reformatted);
    is_recorded.then(|| code_between(&text::decode(&bytes).0, found.lines))
}

fn code_now(project: &Workspace, anchor: &Anchor, place: &TrackedLocation) -> Option<String> {
    let bytes = read::bytes(&project.root, &place.file).ok()?;
    match (place.start_line, place.end_line) {
        (Some(first), Some(last)) => {
            Some(code_between(&text::decode(&bytes).0, (first - 1, last - 1)))
        }
        _ => {
            let found = track::verify_content(&place.file, &bytes, &[anchor]).pop()??;
            Some(code_between(&text::decode(&bytes).0, found.lines))
        }
    }
}
