//! `cerberus hooks run … stop`: what an agent that says it has finished must still correct.

use super::payload::Event;
use super::{after_edit, session, write};
use crate::commands::prelude::*;
use crate::config::GlobalArgs;
use cerberus_store::{Connection, given_rules};

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
    let claim = |it: &Connection, millis| given_rules::claim_stop(it, session, millis);
    if text.is_empty() || !write(project, claim)? { none } else { Ok(text) }
}
