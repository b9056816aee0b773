//! `cerberus hooks run … stop`: what an agent that says it has finished must still correct.

use super::payload::Event;
use super::{after_edit, in_session, session};
use crate::commands::prelude::*;

pub(super) fn errors(event: &Event, global: &GlobalArgs) -> Result<String> {
    let none = Ok(String::new());
    // An agent that goes on because of a hook is not asked again, and a subagent did not make all changes.
    if event.is_repeated_stop || event.is_subagent {
        return none;
    }
    let Some(session) = &event.session else { return none };
    let Some(settings) = session::settings(Some(event), global)? else { return none };
    let project = &settings.project;
    let text = after_edit::open_errors(project)?;
    let is_new = !text.is_empty() && in_session(project, session, |it| it.claim_stop())?;
    if is_new { Ok(text) } else { none }
}
