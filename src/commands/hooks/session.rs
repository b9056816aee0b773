//! The start and the compaction of a session or a subagent: what an agent gets without a task.

use super::payload::Event;
use super::{HookTool, in_session};
use crate::commands::inject::{self, ClientProfile};
use crate::commands::prelude::*;
use cerberus_store::given_rules::Session;
use cerberus_store::{self as store, Store};

pub(super) fn start(
    tool: HookTool,
    event: Option<&Event>,
    global: &GlobalArgs,
    out: &mut Printer,
) -> Result<String> {
    let Some(settings) = settings(event, global)? else { return Ok(String::new()) };
    let project = &settings.project;
    let client = match tool {
        HookTool::Claude => Some(ClientProfile::ClaudeHook),
        HookTool::Codex => Some(ClientProfile::CodexHook),
        HookTool::Gemini | HookTool::Cursor => Some(ClientProfile::OtherHook),
        HookTool::Copilot => Some(ClientProfile::CopilotHook),
        HookTool::Opencode | HookTool::Git => None,
    };
    let mut request = inject::Request {
        client,
        budget: Some(project.inject.session_budget),
        without_builtin_pins: project.pins.builtin.is_none(),
        ..inject::Request::default()
    };
    let pins_session = settings.session.as_deref();
    let session = event.and_then(|event| event.session.as_deref());
    let source = event.and_then(|event| event.source.as_deref()).unwrap_or("startup");
    let report = store::with_repair(&project.store, |_| {
        let Some(session) = session else { return inject::inject(project, &request, pins_session) };
        let (id, millis) = (session, project.now.as_millisecond());
        let mut store = Store::open(&project.store)?;
        if !store.transaction(|connection| Session { connection, id, millis }.start(source))? {
            return Ok(inject::Report::default());
        }
        request.excluded = Session { connection: store.reader(), id, millis }.given()?;
        inject::inject_new(project, &mut request, pins_session, |keys| {
            store.transaction(|connection| Session { connection, id, millis }.claim_new(keys))
        })
    })?;
    out.warn(&report.warnings);
    Ok(report.text)
}

/// Forgets what a session was given, whose context the agent is about to shorten.
pub(super) fn forget(event: &Event, global: &GlobalArgs) -> Result<()> {
    let Some(settings) = settings(Some(event), global)? else { return Ok(()) };
    let Some(session) = &event.session else { return Ok(()) };
    in_session(&settings.project, session, |it| it.forget())
}

/// Returns the settings of the project in whose folder the agent works, if it has a bank.
pub(super) fn settings(event: Option<&Event>, global: &GlobalArgs) -> Result<Option<Settings>> {
    let folder = event.and_then(|event| event.folder.as_deref());
    let settings = match folder.map(Path::new).filter(|folder| folder.is_dir()) {
        Some(folder) => Settings::resolve_around(folder, global)?,
        None => Settings::resolve(global)?,
    };
    let has_bank = settings.memory_enabled && settings.project.bank.exists();
    Ok(has_bank.then_some(settings))
}
