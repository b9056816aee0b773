//! Which rules the agents of the project get without asking: by hooks, or by the documents that they load.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use cerberus_bank::ops::memories::Memories;
use cerberus_engine::tree::documents;
use cerberus_model::MemoryType;
use clap::ValueEnum;
use serde::Serialize;

use super::Doctor;
use super::hosts::read_external;
use crate::commands::setup::Agent;
use crate::config::in_one_line;

/// How many bytes Codex loads: `project_doc_max_bytes`.
const CODEX_LIMIT: usize = 32 * 1024;

/// The settings of which Claude Code runs all hooks.
const CLAUDE_SETTINGS: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];

/// How a rule reaches an agent without being asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Arrival {
    /// By the hooks, where it is relevant.
    Hooks,
    /// In a document that the agent loads.
    Document,
    /// More than once.
    Doubled,
    /// In an AGENTS.md that a CLAUDE.md hides.
    Hidden,
    /// Beyond the size that the agent loads.
    Cut,
    Missing,
}

/// How the current rules, by id, reach an agent of the project.
#[derive(Debug, Serialize)]
pub(crate) struct Reach {
    pub(crate) agent: Agent,
    pub(crate) rules: BTreeMap<String, Arrival>,
}

/// Returns how the rules reach the agents of the project.
pub(crate) fn reach(root: &Path, memories: &Memories) -> Result<Vec<Reach>> {
    let superseded = memories.superseded();
    let is_current = |id: &str| !superseded.contains_key(id);
    let rules = memories.all.iter().map(|it| &it.memory);
    let rules = rules.filter(|it| it.memory_type == MemoryType::Rule && is_current(&it.id));
    let rules: Vec<(&str, String)> = rules.map(|it| (&*it.id, in_one_line(&it.body))).collect();
    let files = documents::find_rule_files(root)?.paths.into_iter();
    let documents: Vec<(String, String)> = files
        .filter_map(|file| documents::read(root, &file).ok().map(|text| (file, text)))
        .collect();
    let of_agent = |agent: &Agent| {
        let has_hooks = agent
            .hooks()
            .is_some_and(|file| runs_hooks(&root.join(file)));
        let [loaded, cut, hidden] = loaded(*agent, &documents).map(|text| in_one_line(&text));
        let arrival = |(id, rule): &(&str, String)| {
            let arrival = match usize::from(has_hooks) + loaded.matches(rule).count() {
                1 if has_hooks => Arrival::Hooks,
                1 => Arrival::Document,
                2.. => Arrival::Doubled,
                0 if hidden.contains(rule) => Arrival::Hidden,
                0 if cut.contains(rule) => Arrival::Cut,
                0 => Arrival::Missing,
            };
            ((*id).to_owned(), arrival)
        };
        Reach {
            agent: *agent,
            rules: rules.iter().map(arrival).collect(),
        }
    };
    Ok(Agent::value_variants()
        .iter()
        .filter(|agent| agent.is_in(root))
        .map(of_agent)
        .collect())
}

impl Doctor<'_> {
    /// Checks that each agent has the hooks, or documents that state all rules.
    pub(super) fn reach(&mut self) -> Result<()> {
        let root = &self.project.root;
        // Another check reports why they cannot be read.
        let Ok(memories) = Memories::load(self.project) else {
            return Ok(());
        };
        for Reach { agent, rules } in reach(root, &memories)? {
            let n = |wanted: &[Arrival]| rules.values().filter(|it| wanted.contains(it)).count();
            let n_missing = n(&[Arrival::Hidden, Arrival::Cut, Arrival::Missing]);
            if n_missing > 0 {
                let (name, n_rules) = (agent.name(), rules.len());
                let n_stated = n_rules - n_missing;
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
        if CLAUDE_SETTINGS
            .iter()
            .all(|file| runs_hooks(&self.project.root.join(file)))
        {
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

/// Returns the text of the documents that an agent loads, at the start of a session or in their folder, that of those of
/// which it loads only a part, and that of those which others hide.
fn loaded(agent: Agent, documents: &[(String, String)]) -> [String; 3] {
    let read = |names: &[&str]| {
        let is_named = |file: &str| {
            names
                .iter()
                .any(|name| file.ends_with(name) || file.starts_with(name))
        };
        let texts = documents.iter().filter(|(file, _)| is_named(file));
        texts
            .map(|(_, text)| text.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    };
    let text = read(&agent.files_of("loads"));
    match agent {
        Agent::Claude => {
            let own = read(&["CLAUDE.md", "CLAUDE.local.md"]);
            // It reads AGENTS.md where there is no document of its own, or one that imports it.
            let reads_agents = own.is_empty() || own.contains("@AGENTS.md");
            let (agents, none) = (read(&["AGENTS.md"]), String::new());
            let (agents, hidden) = if reads_agents {
                (agents, none)
            } else {
                (none, agents)
            };
            [[text, agents].join("\n"), String::new(), hidden]
        }
        Agent::Codex => {
            let bytes = &text.as_bytes()[..text.len().min(CODEX_LIMIT)];
            [String::from_utf8_lossy(bytes).into(), text, String::new()]
        }
        _ => [text, String::new(), String::new()],
    }
}
