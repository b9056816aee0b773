//! Whether a claim that is wrong is certainly about the project as it is.
//!
//! Time says that a claim was true and is not. A reader may still find its line right: it shows the reader's
//! project, a sample, or the past. Kind, place and document separate most of these lines from the others.

use crate::kinds::Place;
use crate::now::Now;
use crate::parse::Stance;
use crate::paths::{folder_of, is_within};
use crate::report::{Level, Stale};
use crate::then::Truth;

/// Why a claim that was true is only likely to be out of date.
const UNCLEAR: &str = "what its sentence, or one above it, says of it is not known";
const IN_CODE: &str = "it is in a block of code";
const IN_PAST: &str = "a heading above it is about the past";
const IN_PROMPT: &str = "a skill or a prompt may mean the files of another project, or of its task";
const UNSPECIFIC: &str = "its name alone does not say that it is meant here";

/// A claim that was true, with its place and the commit that made it false.
pub(crate) struct Evidence<'e> {
    pub(crate) now: &'e Now,
    pub(crate) place: Place<'e>,
    pub(crate) truth: &'e Truth,
    pub(crate) stale: &'e Stale,
}

impl Evidence<'_> {
    /// Returns the level of the finding, and why it is not an error.
    pub(crate) fn level(&self) -> (Level, Option<&'static str>) {
        let target = &self.place.claim.target;
        let is_link = target.is_link();
        let doubt = if self.place.claim.stance == Stance::Unclear {
            Some(UNCLEAR)
        } else if is_prompt(&self.place.document.path) && !is_link {
            Some(IN_PROMPT)
        } else if self.place.document.claims.is_below_past(self.place.claim) {
            Some(IN_PAST)
        } else if self.place.document.claims.is_in_block(self.place.claim)
            && !target.kind().is_sure_in_block(self)
        {
            Some(IN_CODE)
        } else if target.kind().is_sure(self) {
            None
        } else {
            Some(UNSPECIFIC)
        };
        match doubt {
            Some(_) => (Level::Warning, doubt),
            None => (Level::Error, None),
        }
    }

    pub(crate) fn is_in_tree(&self) -> bool {
        self.place.document.claims.tree(self.place.claim).is_some()
    }

    pub(crate) fn has_new_place(&self) -> bool {
        self.stale.now.is_some()
    }

    /// Returns whether the target has another name at its new place.
    pub(crate) fn is_renamed(&self) -> bool {
        let name = self.place.claim.span.slice(&self.place.document.text);
        let new_name = |place: &str| {
            let symbol = place.rsplit("::").next().unwrap_or(place);
            symbol.rsplit('.').next().unwrap_or(symbol).to_owned()
        };
        let now = self.stale.now.as_ref();
        now.is_some_and(|now| new_name(&now.place) != name)
    }

    /// Returns whether the only file that had the target was in the folder of the document.
    pub(crate) fn was_beside(&self) -> bool {
        let folder = folder_of(&self.place.document.path);
        let was = self.stale.was.as_deref();
        was.is_some_and(|was| !folder.is_empty() && is_within(was, folder))
    }
}

/// Folders of prompts in the folder of an agent, as in `.claude/commands`.
const PROMPT_FOLDERS: [&str; 4] = ["agents", "chatmodes", "commands", "prompts"];

/// Returns whether a document is part of a skill of an agent, or a prompt of one of its roles or commands.
fn is_prompt(path: &str) -> bool {
    if path.ends_with("SKILL.md") || path.split('/').any(|part| part == "skills") {
        return true;
    }
    let mut parts = path.split('/');
    parts.any(|part| part.starts_with('.')) && parts.any(|part| PROMPT_FOLDERS.contains(&part))
}
