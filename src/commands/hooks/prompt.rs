//! `cerberus hooks run … prompt`: the rules for what the user asks for.

use super::payload::Event;
use super::session;
use crate::commands::inject;
use crate::commands::prelude::*;
use crate::config::GlobalArgs;
use cerberus_store::{self as store, Store, given_rules};

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
    store::with_repair(&project.store, |_| {
        let mut store = Store::open(&project.store)?;
        let given = given_rules::given(store.reader(), session)?;
        inject::rules_for_task(project, prompt, &given, |keys| {
            let millis = project.now.as_millisecond();
            store.transaction(|it| given_rules::claim_new(it, session, keys, millis))
        })
    })
}
