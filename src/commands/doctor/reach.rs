//! Which rules the agents of the project get without asking: by hooks, or by the documents that they load.

use clap::ValueEnum;

use crate::commands::prelude::*;
use cerberus_engine::tree::documents;
use cerberus_model::MemoryType;

use super::Doctor;
use super::hosts::read_external;
use crate::commands::setup::Agent;

/// How many bytes Codex loads: `project_doc_max_bytes`.
const CODEX_LIMIT: usize = 32 * 1024;

/// The settings of which Claude Code runs all hooks.
const CLAUDE_SETTINGS: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];

impl Doctor<'_> {
    /// Checks that each agent has the hooks, or documents that state all rules.
    pub(super) fn reach(&mut self) -> Result<()> {
        let root = &self.project.root;
        // Another check reports why they cannot be read.
        let Ok(memories) = Memories::load(self.project) else { return Ok(()) };
        let superseded = memories.superseded();
        let is_current = |id: &str| !superseded.contains_key(id);
        let rules = memories.all.iter().map(|it| &it.memory);
        let rules = rules.filter(|it| it.memory_type == MemoryType::Rule && is_current(&it.id));
        let rules: Vec<String> = rules.map(|it| one_line(&it.body)).collect();
        let files = documents::find_rule_files(root)?.into_iter();
        let documents: Vec<(String, String)> = files
            .filter_map(|file| documents::read(root, &file).ok().map(|text| (file, text)))
            .collect();
        for agent in Agent::value_variants().iter().filter(|agent| agent.is_in(root)) {
            if agent.hooks().is_some_and(|file| runs_hooks(&root.join(file))) {
                continue;
            }
            let text = one_line(&loaded(*agent, &documents));
            let n_stated = rules.iter().filter(|rule| text.contains(rule.as_str())).count();
            if n_stated < rules.len() {
                let (name, n_rules) = (agent.name(), rules.len());
                let message = format!(
                    "{name} gets {n_stated} of {n_rules} rules without asking: it has no hooks, and the \
                     documents that it loads do not state the others"
                );
                let next = match agent.hooks() {
                    Some(_) => format!("cerberus setup {name}"),
                    None => "cerberus memory inject --into AGENTS.md --for agents-md".to_owned(),
                };
                self.info(message, next);
            }
        }
        if CLAUDE_SETTINGS.iter().all(|file| runs_hooks(&self.project.root.join(file))) {
            let [shared, own] = CLAUDE_SETTINGS;
            let message = format!("`{shared}` and `{own}` both run the hooks of Claude Code");
            self.info(message, format!("remove them from `{own}`"));
        }
        Ok(())
    }
}

fn runs_hooks(settings: &Path) -> bool {
    // As a command of a shell, or started by the plugin of opencode.
    let runs = |text: String| {
        text.contains("cerberus hooks run") || text.contains("\"cerberus\", [\"hooks\", \"run\"")
    };
    read_external(settings).is_some_and(runs)
}

/// Returns the text of the documents that an agent loads, at the start of a session or in their folder.
fn loaded(agent: Agent, documents: &[(String, String)]) -> String {
    let read = |names: &[&str]| {
        let is_named =
            |file: &str| names.iter().any(|name| file.ends_with(name) || file.starts_with(name));
        let texts = documents.iter().filter(|(file, _)| is_named(file));
        texts.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
    };
    let text = read(&agent.files_of("loads"));
    match agent {
        Agent::Claude => {
            let own = read(&["CLAUDE.md", "CLAUDE.local.md"]);
            // It reads AGENTS.md where there is no document of its own, or one that imports it.
            let reads_agents = own.is_empty() || own.contains("@AGENTS.md");
            [text, if reads_agents { read(&["AGENTS.md"]) } else { String::new() }].join("\n")
        }
        Agent::Codex => {
            String::from_utf8_lossy(&text.as_bytes()[..text.len().min(CODEX_LIMIT)]).into()
        }
        _ => text,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
