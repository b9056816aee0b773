//! `cerberus hooks run … prompt`: the rules for what the user asks for.

use super::payload::Event;
use super::session;
use crate::commands::inject;
use crate::commands::prelude::*;
use cerberus_store::given_rules::Session;
use cerberus_store::{self as store, Store};

pub(super) fn about(event: &Event, global: &GlobalArgs) -> Result<String> {
    let none = Ok(String::new());
    // Without a session the same rules would come with every prompt.
    let (Some(session), Some(prompt)) = (&event.session, &event.prompt) else { return none };
    // It is a command of the agent, not a task.
    if prompt.trim_start().starts_with('/') {
        return none;
    }
    let Some(settings) = session::settings(Some(event), global)? else { return none };
    let project = &settings.project;
    let (id, millis) = (session, project.now.as_millisecond());
    store::with_repair(&project.store, |_| {
        let mut store = Store::open(&project.store)?;
        let given = Session { connection: store.reader(), id, millis }.given()?;
        inject::rules_for_task(project, prompt, &given, |keys| {
            store.transaction(|connection| Session { connection, id, millis }.claim_new(keys))
        })
    })
}
