//! `cerberus hooks run … command`: the rules about a shell command that an agent is about to run.
//!
//! A command that hits the accepted `command` of a rule is denied, with the rule as the reason. A rule whose
//! text alone forbids the command comes once in a session, as a hint. A command that the reader of the
//! shell does not know passes. No code is indexed and nothing is ranked, because every command waits for this.

use std::path::Path;
use std::rc::Rc;

use anyhow::Result;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::{Project, envelope, memories, patterns};
use cerberus_bank::{MemoryFile, Workspace};
use cerberus_claims::parse;
use cerberus_engine::rank::rule_kind;
use cerberus_model::text::shell;
use cerberus_model::{MemoryStatus, RuleKind, escaped};
use cerberus_patterns::command::CommandPattern;
use cerberus_patterns::shell::commands;

use super::after_edit::record_broken;
use super::git_command::enter;
use super::payload::Event;
use super::{answer, commit, in_session, session};
use crate::agents::Agent;
use crate::config::GlobalArgs;
use crate::output::Printer;

pub(super) fn about(
    agent: &Agent,
    event: &Event,
    global: &GlobalArgs,
    out: &mut Printer,
) -> Result<String> {
    let mut text = String::new();
    let Some(line) = event.command() else {
        return Ok(text);
    };
    if let Some(settings) = session::settings(Some(event), global)? {
        let project = &settings.project;
        let memories = project.memories()?;
        let runs = Runs::of(project, event, &line);
        if let Some((id, reason)) = denial(&memories, &runs, out) {
            record_broken(project, event.session.as_deref(), &[id])?;
            answer::deny(agent, &escaped(&envelope::escaped(&reason)), out)?;
            return Ok(text);
        }
        if agent.adds_context_before() {
            text = hints(project, &memories, event, &runs)?;
        }
    }
    if agent.adds_context_before() {
        text.push_str(&commit::about(event, &line, global)?);
    }
    Ok(text)
}

/// The commands of a command line with the folders in which they run.
pub(super) struct Runs {
    commands: Vec<Run>,
    unread: Vec<String>,
}

/// A command and the folder in which it runs.
struct Run {
    /// Relative to the project; absent outside of it.
    folder: Option<Rc<Path>>,
    words: Vec<String>,
}

impl Runs {
    pub(super) fn of(project: &Project, event: &Event, line: &str) -> Self {
        let root = project
            .root
            .canonicalize()
            .unwrap_or_else(|_| project.root.clone());
        let mut folder = root.clone();
        if let Some(of_event) = &event.folder
            && let Ok(of_event) = Path::new(of_event).canonicalize()
        {
            folder = of_event;
        }
        let line = commands(line);
        let mut here = within(&folder, &root);
        let mut runs = Vec::new();
        for words in line.commands {
            if let [cd, target, ..] = &words[..]
                && matches!(cd.as_str(), "cd" | "pushd")
                && enter(&mut folder, target)
            {
                here = within(&folder, &root);
            }
            let folder = here.clone();
            runs.push(Run { folder, words });
        }
        Self {
            commands: runs,
            unread: line.unread,
        }
    }

    /// Returns the first command that a pattern of a memory matches in a folder of the memory.
    fn hit(&self, stored: &MemoryFile, patterns: &[CommandPattern]) -> Option<&[String]> {
        if stored.memory.status != MemoryStatus::Active || stored.fault.is_some() {
            return None;
        }
        for Run { folder, words } in &self.commands {
            if let Some(folder) = folder
                && applies_in(&stored.memory.paths, folder)
                && patterns.iter().any(|pattern| pattern.matches(words))
            {
                return Some(words);
            }
        }
        None
    }
}

fn within(folder: &Path, root: &Path) -> Option<Rc<Path>> {
    folder.strip_prefix(root).ok().map(Rc::from)
}

/// Returns whether globs are about files in a folder of the project.
fn applies_in(globs: &[String], folder: &Path) -> bool {
    let mut is_limited = false;
    for glob in globs {
        if glob.starts_with('!') {
            continue;
        }
        is_limited = true;
        let glob = glob.trim_start_matches('/');
        let fixed = glob.split(['*', '?', '[', '{']).next().unwrap_or_default();
        let (top, _) = fixed.rsplit_once('/').unwrap_or_default();
        if folder.starts_with(top) {
            return true;
        }
    }
    !is_limited
}

/// Returns the rule for which a command line is denied, and the reason.
fn denial(memories: &Memories, runs: &Runs, out: &Printer) -> Option<(String, String)> {
    let mut has_commands = false;
    for stored in &memories.all {
        let rule = patterns::of_memory(stored);
        has_commands |= !rule.commands.is_empty();
        if let Some(words) = runs.hit(stored, &rule.commands) {
            let shown = memories::title(&words.join(" "));
            let text = memories::title(&cerberus_brief::text(stored));
            let instead = match rule.instead {
                Some(instead) => format!(" Use this instead: {instead}"),
                None => String::new(),
            };
            let id = stored.memory.id.clone();
            let reason =
                format!("A rule of this project forbids `{shown}`: {text} (`{id}`).{instead}");
            return Some((id, reason));
        }
    }
    if has_commands {
        let mut notes = Vec::new();
        for program in &runs.unread {
            notes.push(format!(
                "cerberus: `{program}` is not known before it runs, and was not checked"
            ));
        }
        out.note(&notes);
    }
    None
}

/// Returns the rules whose texts forbid a command, and that the session did not get for one before.
pub(super) fn hints(
    project: &Workspace,
    memories: &Memories,
    event: &Event,
    runs: &Runs,
) -> Result<String> {
    let Some(session) = &event.session else {
        return Ok(String::new());
    };
    let mut broken = Vec::new();
    for stored in &memories.all {
        let body = &stored.memory.body;
        let mut programs = runs
            .commands
            .iter()
            .map(|run| shell::program_name(&run.words[0]));
        if programs.any(|program| body.contains(program))
            && runs.hit(stored, &stated(stored)).is_some()
        {
            broken.push(stored);
        }
    }
    if broken.is_empty() {
        return Ok(String::new());
    }
    let ids: Vec<String> = broken
        .iter()
        .map(|stored| stored.memory.id.clone())
        .collect();
    record_broken(project, Some(session), &ids)?;
    let items = in_session(project, session, |rules| {
        let mut items = Vec::new();
        for stored in &broken {
            let id = &stored.memory.id;
            if rules.claim_findings(&format!("command {id}"))? {
                let title = memories::title(&cerberus_brief::text(stored));
                items.push(format!("{title} (`{id}`)"));
            }
        }
        Ok(items)
    })?;
    Ok(answer::about(
        "Rules of this project about this command:",
        &items,
    ))
}

/// Returns the commands that the text of a rule forbids.
fn stated(stored: &MemoryFile) -> Vec<CommandPattern> {
    let body = &stored.memory.body;
    let (bans, _) = parse::bans(body);
    if bans.is_empty() {
        return Vec::new();
    }
    // A single word may be the name of something in the code.
    let kind = stored.memory.kind;
    let is_process = kind.unwrap_or_else(|| rule_kind::classify(body).kind) == RuleKind::Process;
    let mut stated = Vec::new();
    for ban in bans {
        let may_be_command = is_process || ban.code.contains(' ');
        if may_be_command
            && !ban.place.contains("without")
            && let Ok(pattern) = CommandPattern::parse(&ban.code)
        {
            stated.push(pattern);
        }
    }
    stated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_holds_in_the_folders_of_its_paths() {
        let applies = |globs: &[&str], folder: &str| {
            let globs: Vec<String> = globs.iter().map(|it| (*it).to_owned()).collect();
            applies_in(&globs, Path::new(folder))
        };
        assert!(applies(&[], "") && applies(&["*.py"], "a") && applies(&["!b/"], "a"));
        assert!(applies(&["a/b/"], "a/b/c") && applies(&["/a/**/*.py"], "a"));
        assert!(!applies(&["a/"], "") && !applies(&["a/"], "ab") && !applies(&["a/b/*"], "a"));
    }
}
