//! `cerberus hooks run … session-start`: what an agent gets at the start of a session.

use std::path::Path;

use anyhow::Result;

use super::{HookTool, payload};
use crate::commands::inject::{self, ClientProfile};
use crate::config::{GlobalArgs, Settings};
use crate::output::Printer;
use cerberus_store::{self as store, Store, given_rules};

pub(super) fn run(tool: HookTool, global: &GlobalArgs, out: &mut Printer) -> Result<()> {
    let event = payload::read(tool);
    let folder = event.as_ref().and_then(|event| event.folder.as_deref());
    let settings = match folder.map(Path::new).filter(|folder| folder.is_dir()) {
        Some(folder) => Settings::resolve_around(folder, global)?,
        None => Settings::resolve(global)?,
    };
    let project = &settings.project;
    if !settings.memory_enabled || !project.bank.exists() {
        return Ok(());
    }
    let client = match tool {
        HookTool::Claude => Some(ClientProfile::ClaudeHook),
        HookTool::Codex => Some(ClientProfile::CodexHook),
        HookTool::Gemini => Some(ClientProfile::GeminiHook),
        HookTool::Cursor => Some(ClientProfile::CursorHook),
        HookTool::Copilot => Some(ClientProfile::CopilotHook),
        HookTool::Opencode | HookTool::Git => None,
    };
    let request = inject::Request { client, ..inject::Request::default() };
    let session = settings.session.as_deref();
    let report = store::with_repair(&project.store, |_| {
        // The context of a resumed session still contains the rules that were given.
        let is_resumed = |it: &payload::Event| it.source.as_deref() == Some("resume");
        if let Some(event) = event.as_ref().filter(|event| !is_resumed(event))
            && let Some(session) = &event.session
        {
            Store::open(&project.store)?
                .transaction(|store| given_rules::forget(store, session))?;
        }
        inject::inject(project, &request, session)
    })?;
    out.warn(&report.warnings);
    inject::print_text(&report, client, out)
}
