//! `append`: a text at the end of a memory, or of one section of it.

use anyhow::Result;

use crate::markdown::edit::{self, EditMode};
use crate::markdown::frontmatter;

use super::Project;
use super::document::{self, Edited};
use super::memories::Memories;

/// What to append where.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) content: String,
    pub(crate) section: Option<String>,
    pub(crate) allow_secret: bool,
}

/// Appends a text; one that is the end already is not appended again.
pub(crate) fn append(project: &Project, request: &Request) -> Result<Edited> {
    document::check_content(&request.content)?;
    if !request.allow_secret {
        document::refuse_secrets(&[("the content", &request.content)])?;
    }
    let _guard = project.bank.lock_for_writing()?;
    let memories = Memories::load(project)?;
    let stored = memories.find(&request.id)?;
    let file = stored.file.clone();
    let text = project.bank.read_utf8(&file)?;
    let (section, edited) = match &request.section {
        Some(wanted) => edit::section(&text, wanted, &request.content, EditMode::Append)
            .map(|(id, edited)| (Some(id), edited)),
        None => edit::body(&text, &request.content, EditMode::Append).map(|edited| (None, edited)),
    }
    .map_err(|refusal| document::refused(&file, refusal))?;
    let changed = edited != text;
    let edited = if changed {
        frontmatter::set_updated_at(&edited, &super::seconds(project.now).to_string())
    } else {
        edited
    };
    if changed {
        project.bank.rewrite(&file, &edited)?;
    }
    let warnings = document::remarks(&file, &edited);
    Ok(Edited { id: stored.memory.id.clone(), file, section, changed, warnings })
}
