//! `cerberus hooks run … stop`: what an agent that says it has finished must still correct.

use super::{HookEvent, HookTool, after_edit, answer, payload, session};
use crate::commands::prelude::*;
use crate::config::GlobalArgs;
use cerberus_store::{self as store, Store, given_rules};

pub(super) fn run(tool: HookTool, global: &GlobalArgs, out: &mut Printer) -> Result<()> {
    let Some(event) = payload::read() else { return Ok(()) };
    // An agent that goes on because of a hook is not asked again, and a subagent did not make all changes.
    if event.is_repeated_stop || event.is_subagent {
        return Ok(());
    }
    let Some(session) = &event.session else { return Ok(()) };
    let Some(settings) = session::settings(Some(&event), global)? else { return Ok(()) };
    let project = &settings.project;
    let text = after_edit::open_errors(project)?;
    let millis = project.now.as_millisecond();
    let claim = |_: Option<String>| {
        Store::open(&project.store)?.transaction(|it| given_rules::claim_stop(it, session, millis))
    };
    match text.is_empty() || !store::with_repair(&project.store, claim)? {
        true => Ok(()),
        false => answer::print(tool, HookEvent::Stop, &text, out),
    }
}
