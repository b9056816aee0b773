//! A session of an agent or a subagent: the rules at its start and for each prompt.

use std::path::Path;

use anyhow::Result;

use super::payload::Event;
use super::{HookTool, in_session};
use crate::commands::inject::{self, ClientProfile};
use crate::config::{GlobalArgs, Settings};
use crate::output::Printer;

pub(super) fn start(
    tool: HookTool,
    event: Option<&Event>,
    global: &GlobalArgs,
    out: &mut Printer,
) -> Result<String> {
    let Some(settings) = settings(event, global)? else {
        return Ok(String::new());
    };
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
    let source = event
        .and_then(|event| event.source.as_deref())
        .unwrap_or("startup");
    if let Some(session) = session {
        let given = in_session(project, session, |rules| {
            if !rules.start(source)? {
                return Ok(None);
            }
            Ok(Some(rules.given()?))
        })?;
        let Some(given) = given else {
            return Ok(String::new());
        };
        request.excluded = given;
    }
    let report = project.with_repair(|_| {
        inject::inject_new(project, &mut request, pins_session, |given| match session {
            Some(session) => in_session(project, session, |rules| rules.claim_new(given)),
            None => Ok(vec![true; given.len()]),
        })
    })?;
    out.warn(&report.warnings);
    Ok(report.text)
}

/// Returns the rules for the task that the user names.
pub(super) fn prompt(event: &Event, global: &GlobalArgs) -> Result<String> {
    let none = Ok(String::new());
    // Without a session the same rules would come with every prompt.
    let (Some(session), Some(prompt)) = (&event.session, &event.prompt) else {
        return none;
    };
    // It is a command of the agent, not a task.
    if prompt.trim_start().starts_with('/') {
        return none;
    }
    let Some(settings) = settings(Some(event), global)? else {
        return none;
    };
    let project = &settings.project;
    let given = in_session(project, session, |rules| rules.given())?;
    project.with_repair(|_| {
        inject::rules_for_task(project, prompt, &given, |given| {
            in_session(project, session, |rules| rules.claim_new(given))
        })
    })
}

/// Forgets the rules that a session was given, as the agent is about to shorten its context.
pub(super) fn forget(event: &Event, global: &GlobalArgs) -> Result<()> {
    let Some(settings) = settings(Some(event), global)? else {
        return Ok(());
    };
    let Some(session) = &event.session else {
        return Ok(());
    };
    in_session(&settings.project, session, |rules| rules.forget())
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
