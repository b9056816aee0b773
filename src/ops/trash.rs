//! `delete` and `restore`: a memory goes to the trash with its anchor, and comes back with it.

use anyhow::Result;
use serde::Serialize;

use crate::bank::MemoryFile;
use crate::bank::lockfile::Anchors;
use crate::error::UserError;
use crate::text;

use super::Project;
use super::memories::Memories;

/// What was moved.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) moved: Vec<Moved>,
    pub(crate) warnings: Vec<String>,
}

/// A memory that was moved.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Moved {
    pub(crate) id: String,
    /// The name by which `restore` knows it.
    pub(crate) name: String,
    /// Where the file is now, below the bank.
    pub(crate) file: String,
    /// Whether its anchor went along.
    pub(crate) anchored: bool,
}

/// Moves memories to the trash; all of them are found before the first is moved.
pub(crate) fn delete(project: &Project, ids: &[String]) -> Result<Report> {
    let _guard = project.bank.lock_for_writing()?;
    let memories = Memories::load(project)?;
    let mut wanted: Vec<&MemoryFile> = Vec::new();
    for typed in ids {
        let stored = memories.find(typed)?;
        if !wanted.iter().any(|it| it.memory.id == stored.memory.id) {
            wanted.push(stored);
        }
    }
    let mut anchors = memories.anchors.clone();
    let moved = put_all(project, &mut anchors, &wanted)?;
    Ok(Report { moved, warnings: memories.warnings.clone() })
}

/// Moves memories to the trash, each with its anchor; all of them, or none.
pub(super) fn put_all(
    project: &Project,
    anchors: &mut Anchors,
    memories: &[&MemoryFile],
) -> Result<Vec<Moved>> {
    let (mut moved, mut done) = (Vec::new(), Vec::new());
    let mut put = |stored: &MemoryFile| -> Result<()> {
        let (id, file) = (&stored.memory.id, &stored.file);
        let own: Anchors = anchors.remove_entry(id).into_iter().collect();
        let (trashed, put) = project.bank.move_to_trash(file, &own)?;
        done.push(put);
        moved.push(Moved {
            id: id.clone(),
            name: file.strip_suffix(".md").unwrap_or(file).to_owned(),
            file: trashed,
            anchored: !own.is_empty(),
        });
        Ok(())
    };
    let all = memories.iter().try_for_each(|stored| put(stored));
    if let Err(error) = all.and_then(|()| project.bank.write_anchors(anchors).map(drop)) {
        project.bank.roll_back(done)?;
        return Err(error);
    }
    Ok(moved)
}

/// Moves a memory back from the trash.
pub(crate) fn restore(project: &Project, id: &str) -> Result<Report> {
    let _guard = project.bank.lock_for_writing()?;
    let known = project.bank.trashed()?;
    if !known.iter().any(|name| name == id) {
        let failure = UserError::usage(format!("there is no memory `{id}` in the trash"));
        let failure = match text::suggest(id, known.iter().map(String::as_str)) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None if known.is_empty() => failure.hint("the trash is empty"),
            None => failure.hint(format!("there are: {}", known.join(", "))),
        };
        return Err(failure.into());
    }
    let memories = Memories::load(project)?;
    let name = id.to_owned();
    let id = project.bank.trashed_id(&name)?;
    memories.check_free(&id)?;
    let mut anchored = false;
    let restored = project.bank.restore(&name, |own| {
        anchored = !own.is_empty();
        let mut anchors = memories.anchors.clone();
        anchors.extend(own);
        project.bank.write_anchors(&anchors).map(drop)
    });
    if restored.is_err() {
        project.bank.write_anchors(&memories.anchors)?;
    }
    let file = restored?;
    Ok(Report { moved: vec![Moved { id, name, file, anchored }], warnings: memories.warnings })
}
