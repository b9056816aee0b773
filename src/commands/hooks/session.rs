//! A session of an agent or a subagent: the rules at its start and for each prompt.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::ops::pins::{self, builtin};
use cerberus_brief::{Answer, Loaded, Occasion, Reader, Request};
use cerberus_store::given_rules::{Given, Has};

use super::in_session;
use super::payload::Event;
use crate::agents::Agent;
use crate::config::{GlobalArgs, Settings};
use crate::output::Printer;

/// How often the rules are selected again because another hook of the session gave some of them meanwhile.
const MAX_SELECTIONS: usize = 3;

pub(super) fn start(
    agent: &Agent,
    event: Option<&Event>,
    global: &GlobalArgs,
    out: &mut Printer,
) -> Result<String> {
    let Some(settings) = settings(event, global)? else {
        return Ok(String::new());
    };
    let project = &settings.project;
    let session = event.and_then(|event| event.session.as_deref());
    let source = event.and_then(|event| event.source.as_deref());
    if let Some(session) = session {
        let source = source.unwrap_or("startup");
        if !in_session(project, session, |rules| rules.start(source))? {
            return Ok(String::new());
        }
    }
    let given = project.with_repair(|_| {
        let loaded = pins::load(project, settings.session.as_deref())?;
        let mut pins = loaded.injected(project);
        let has_builtin = project.pins.builtin.is_some();
        pins.retain(|pin| has_builtin || !pin.id.starts_with(builtin::PREFIX));
        let mut request = Request::new(Occasion::Session, project.inject.session_budget);
        request.pins = pins;
        request.room.client = agent.hook_limit();
        let mut answer = give(project, agent.loads.as_ref(), session, request)?;
        answer.warnings.splice(0..0, loaded.warnings);
        Ok(answer)
    })?;
    out.warn(&given.warnings);
    Ok(given.text)
}

/// Returns the rules that concern what the user asks for.
pub(super) fn prompt(agent: &Agent, event: &Event, global: &GlobalArgs) -> Result<String> {
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
    let task = Occasion::Task {
        text: prompt.clone(),
        files: BTreeSet::new(),
        added: BTreeMap::new(),
    };
    let mut request = Request::new(task, project.inject.budget);
    request.room.client = agent.hook_limit();
    project.with_repair(|_| {
        let given = give(
            project,
            agent.loads.as_ref(),
            Some(session),
            request.clone(),
        )?;
        Ok(given.text)
    })
}

/// Answers a request with what is new to a session, and records it. Some agents run several hooks at once: what another one gave
/// meanwhile is not given again.
pub(crate) fn give(
    project: &Workspace,
    reader: Option<&Reader>,
    session: Option<&str>,
    mut request: Request,
) -> Result<Answer> {
    if let Some(reader) = reader {
        let mut files = BTreeSet::new();
        if let Occasion::Edit { added } = &request.occasion {
            files.extend(added.keys().cloned());
        }
        request.known.loaded = Loaded::of(reader, &project.root, &files);
    }
    let mut own = BTreeSet::new();
    let mut answer = Answer::default();
    for _ in 0..MAX_SELECTIONS {
        if let Some(session) = session {
            let Has { texts, code } = in_session(project, session, |rules| rules.has())?;
            request.known.texts = &texts - &own;
            request.known.whole = &code - &own;
        }
        answer = cerberus_brief::answer(project, &request)?;
        let Some(session) = session else {
            break;
        };
        let mut given = Vec::new();
        for memory in &answer.memories {
            given.push(Given {
                memory: &memory.id,
                with_code: memory.has_code(),
            });
        }
        let claimed = in_session(project, session, |rules| rules.claim(&given))?;
        for (memory, is_new) in given.iter().zip(&claimed) {
            if *is_new {
                own.insert(memory.memory.to_owned());
            }
        }
        if given.iter().all(|memory| own.contains(memory.memory)) {
            break;
        }
    }
    Ok(answer)
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
