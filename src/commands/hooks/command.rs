//! `cerberus hooks run … command`: what the rules say about a shell command that an agent is about to run.
//!
//! A command that hits the accepted `command` of a rule is denied, with the rule as the reason. A rule whose
//! text alone forbids the command comes once in a session, as a hint. What the reader of the shell does not
//! know passes. No code is indexed and nothing is ranked, because every command waits for this.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Result;
use cerberus_bank::MemoryFile;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::{Project, envelope, memories, patterns};
use cerberus_claims::parse;
use cerberus_engine::rank::rule_kind;
use cerberus_model::text::shell::{self, Commands};
use cerberus_model::{MemoryStatus, RuleKind, escaped};
use cerberus_patterns::command::CommandPattern;

use super::after_edit::record_broken;
use super::git_command::enter;
use super::payload::Event;
use super::{HookTool, answer, commit, in_session, session};
use crate::commands::inject;
use crate::config::GlobalArgs;
use crate::output::Printer;

pub(super) fn about(
    tool: HookTool,
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
        let memories = Memories::load(project)?;
        let runs = Runs::of(project, event, &line);
        if let Some((id, reason)) = denial(&memories, &runs, out) {
            record_broken(project, event.session.as_deref(), &[id])?;
            answer::deny(tool, &escaped(&envelope::escaped(&reason)), out)?;
            return Ok(text);
        }
        if adds_context(tool) {
            text = hints(project, &memories, event, &runs)?;
        }
    }
    if adds_context(tool) {
        text.push_str(&commit::about(event, &line, global)?);
    }
    Ok(text)
}

/// Whether an agent takes a context before it runs a command. Others get it with the result.
pub(super) fn adds_context(tool: HookTool) -> bool {
    matches!(tool, HookTool::Claude | HookTool::Codex)
}

/// The commands of a command line with the folders in which they run.
pub(super) struct Runs {
    /// The folder is relative to the project; it is absent outside of it.
    commands: Vec<(Option<Rc<Path>>, Vec<String>)>,
    unread: Vec<String>,
}

impl Runs {
    pub(super) fn of(project: &Project, event: &Event, line: &str) -> Self {
        let root = project
            .root
            .canonicalize()
            .unwrap_or_else(|_| project.root.clone());
        let folder = event
            .folder
            .as_deref()
            .map(Path::new)
            .and_then(|it| it.canonicalize().ok());
        let mut folder = folder.unwrap_or_else(|| root.clone());
        let Commands {
            commands, unread, ..
        } = shell::commands(line);
        let within = |folder: &Path| folder.strip_prefix(&root).ok().map(Rc::from);
        let mut here = within(&folder);
        let mut located = Vec::new();
        for words in commands {
            if let [cd, target, ..] = &words[..]
                && matches!(cd.as_str(), "cd" | "pushd")
                && enter(&mut folder, target)
            {
                here = within(&folder);
            }
            located.push((here.clone(), words));
        }
        Self {
            commands: located,
            unread,
        }
    }

    /// Returns the first command that a pattern of a memory matches in a folder of the memory.
    fn hit(&self, stored: &MemoryFile, patterns: &[CommandPattern]) -> Option<&[String]> {
        let is_active = stored.memory.status != MemoryStatus::Archived && stored.fault.is_none();
        let is_in = |(folder, _): &&(Option<Rc<Path>>, Vec<String>)| {
            folder
                .as_deref()
                .is_some_and(|folder| applies_in(&stored.memory.paths, folder))
        };
        let is_hit =
            |(_, words): &&(_, Vec<String>)| patterns.iter().any(|pattern| pattern.matches(words));
        let mut here = self.commands.iter().filter(is_in);
        here.find(is_hit)
            .filter(|_| is_active)
            .map(|(_, words)| &words[..])
    }
}

/// Returns whether globs are about files in a folder of the project.
fn applies_in(globs: &[String], folder: &Path) -> bool {
    let top = |glob: &String| {
        let glob = glob.trim_start_matches('/');
        let fixed = glob.split(['*', '?', '[', '{']).next().unwrap_or_default();
        PathBuf::from(fixed.rsplit_once('/').map_or("", |(folder, _)| folder))
    };
    let mut wanted = globs
        .iter()
        .filter(|glob| !glob.starts_with('!'))
        .peekable();
    wanted.peek().is_none() || wanted.any(|glob| folder.starts_with(top(glob)))
}

/// Returns the rule for which a command line is denied, and the reason.
fn denial(memories: &Memories, runs: &Runs, out: &Printer) -> Option<(String, String)> {
    let mut has_commands = false;
    for stored in &memories.all {
        let rule = patterns::of_memory(stored);
        has_commands |= !rule.commands.is_empty();
        if let Some(words) = runs.hit(stored, &rule.commands) {
            let shown = memories::title(&words.join(" "));
            let text = memories::title(&inject::text(stored));
            let instead = rule.instead.map(|it| format!(" Use this instead: {it}"));
            let instead = instead.unwrap_or_default();
            let id = stored.memory.id.clone();
            let reason =
                format!("A rule of this project forbids `{shown}`: {text} (`{id}`).{instead}");
            return Some((id, reason));
        }
    }
    if has_commands {
        let note = |program: &String| {
            format!("cerberus: `{program}` is not known before it runs, and was not checked")
        };
        out.note(&runs.unread.iter().map(note).collect::<Vec<_>>());
    }
    None
}

/// Returns the rules whose texts forbid a command, and that the session did not get for one before.
pub(super) fn hints(
    project: &Project,
    memories: &Memories,
    event: &Event,
    runs: &Runs,
) -> Result<String> {
    let Some(session) = &event.session else {
        return Ok(String::new());
    };
    let is_broken = |stored: &&MemoryFile| {
        let body = &stored.memory.body;
        let is_named =
            |(_, words): &(_, Vec<String>)| body.contains(shell::program_name(&words[0]));
        runs.commands.iter().any(is_named) && runs.hit(stored, &stated(stored)).is_some()
    };
    let broken: Vec<&MemoryFile> = memories.all.iter().filter(is_broken).collect();
    if broken.is_empty() {
        return Ok(String::new());
    }
    let ids: Vec<String> = broken
        .iter()
        .map(|stored| stored.memory.id.clone())
        .collect();
    record_broken(project, Some(session), &ids)?;
    let items = in_session(project, session, |it| {
        let mut items = Vec::new();
        for stored in &broken {
            let id = &stored.memory.id;
            if it.claim_findings(&format!("command {id}"))? {
                items.push(format!(
                    "{} (`{id}`)",
                    memories::title(&inject::text(stored))
                ));
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
    let is_process = stored
        .memory
        .kind
        .unwrap_or_else(|| rule_kind::classify(body).kind)
        == RuleKind::Process;
    let may_be_command = |code: &str| is_process || code.contains(' ');
    let stated = bans.iter().filter(|ban| !ban.place.contains("without"));
    stated
        .filter(|ban| may_be_command(&ban.code))
        .filter_map(|ban| CommandPattern::parse(&ban.code).ok())
        .collect()
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
