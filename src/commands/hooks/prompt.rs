//! `cerberus hooks run … prompt`: the rules for what the user asks for.

use super::{HookEvent, HookTool, answer, payload, session};
use crate::commands::inject;
use crate::commands::prelude::*;
use crate::config::GlobalArgs;
use cerberus_store::{self as store, Store, given_rules};

pub(super) fn run(tool: HookTool, global: &GlobalArgs, out: &mut Printer) -> Result<()> {
    let Some(event) = payload::read() else { return Ok(()) };
    // Without a session the same rules would come with every prompt.
    let (Some(session), Some(prompt)) = (&event.session, &event.prompt) else { return Ok(()) };
    // It is a command of the agent, not a task.
    if prompt.trim_start().starts_with('/') {
        return Ok(());
    }
    let Some(settings) = session::settings(Some(&event), global)? else { return Ok(()) };
    let project = &settings.project;
    let text = store::with_repair(&project.store, |_| {
        let mut store = Store::open(&project.store)?;
        let given = given_rules::given(store.reader(), session)?;
        inject::rules_for_task(project, prompt, &given, |keys| {
            let millis = project.now.as_millisecond();
            store.transaction(|it| given_rules::claim_new(it, session, keys, millis))
        })
    })?;
    answer::print(tool, HookEvent::Prompt, &text, out)
}
