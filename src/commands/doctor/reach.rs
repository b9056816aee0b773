//! Which rules the agents of the project get without asking: by hooks, or by the documents that they load.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use cerberus_bank::MemoryFile;
use cerberus_bank::ops::memories::Memories;
use cerberus_engine::tree::documents;
use cerberus_model::MemoryType;
use cerberus_model::text::plural;
use serde::Serialize;

use super::Doctor;
use super::hosts::read_external;
use crate::agents::Agent;
use crate::commands::outside_documents::{MemoryCounts, memory_counts};
use crate::commands::setup;
use crate::config::in_one_line;

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
    pub(crate) agent: &'static Agent,
    pub(crate) rules: BTreeMap<String, Arrival>,
}

/// Returns how the rules reach the agents of the project.
pub(crate) fn reach(root: &Path, memories: &Memories) -> Result<Vec<Reach>> {
    let superseded = memories.superseded();
    let mut rules = Vec::new();
    for MemoryFile { memory, .. } in &memories.all {
        if memory.memory_type == MemoryType::Rule && !superseded.contains_key(&memory.id) {
            rules.push((&memory.id, in_one_line(&memory.body)));
        }
    }
    let mut documents = Vec::new();
    for file in documents::find_rule_files(root)?.paths {
        if let Ok(text) = documents::read(root, &file) {
            documents.push((file, text));
        }
    }
    let mut reach = Vec::new();
    for agent in Agent::all() {
        if !setup::is_used(agent, root) {
            continue;
        }
        let loaded = loaded(agent, &documents);
        let hidden = in_one_line(&loaded.hidden);
        let cut = in_one_line(&loaded.cut);
        let text = in_one_line(&loaded.text);
        let has_hooks = match agent.run_hooks() {
            Some(hooks) => runs_hooks(&root.join(&hooks.file)),
            None => false,
        };
        let mut arrivals = BTreeMap::new();
        for (id, rule) in &rules {
            let arrival = match usize::from(has_hooks) + text.matches(rule).count() {
                1 if has_hooks => Arrival::Hooks,
                1 => Arrival::Document,
                2.. => Arrival::Doubled,
                0 if hidden.contains(rule) => Arrival::Hidden,
                0 if cut.contains(rule) => Arrival::Cut,
                0 => Arrival::Missing,
            };
            arrivals.insert((*id).clone(), arrival);
        }
        reach.push(Reach {
            agent,
            rules: arrivals,
        });
    }
    Ok(reach)
}

/// Returns the command that gives an agent its rules.
pub(crate) fn next_for(agent: &Agent) -> String {
    match agent.run_hooks() {
        Some(_) => format!("cerberus setup {}", agent.name),
        None => "cerberus memory inject --into AGENTS.md --for agents-md".to_owned(),
    }
}

impl Doctor<'_> {
    /// Checks that each agent has the hooks, or documents that state all rules.
    pub(super) fn reach(&mut self) -> Result<()> {
        let root = &self.project.root;
        // Another check reports why they cannot be read.
        let Ok(memories) = self.project.memories() else {
            return Ok(());
        };
        for Reach { agent, rules } in reach(root, &memories)? {
            let mut n_stated = 0;
            for arrival in rules.values() {
                match arrival {
                    Arrival::Hooks | Arrival::Document | Arrival::Doubled => n_stated += 1,
                    Arrival::Hidden | Arrival::Cut | Arrival::Missing => {}
                }
            }
            let n_rules = rules.len();
            if n_stated < n_rules {
                let name = agent.name;
                let message = format!(
                    "{name} gets {n_stated} of {n_rules} rules without asking: it has no hooks, and the \
                     documents that it loads do not state the others"
                );
                self.info(message, next_for(agent));
            }
        }
        for agent in Agent::all() {
            let Some(hooks) = &agent.hooks else {
                continue;
            };
            if let Some(own) = &hooks.own_file
                && runs_hooks(&root.join(own))
                && runs_hooks(&root.join(&hooks.file))
            {
                let (shared, title) = (&hooks.file, &agent.title);
                let message = format!("`{shared}` and `{own}` both run the hooks of {title}");
                self.info(message, format!("remove them from `{own}`"));
            }
        }
        Ok(())
    }
}

impl Doctor<'_> {
    /// Checks what agents remember of the project outside of it.
    pub(super) fn agent_memories(&mut self) -> Result<()> {
        let MemoryCounts { n_all, n_stale } = memory_counts(&self.project.root);
        if n_stale > 0 {
            let memories = plural(n_all, "memory");
            let message = format!("out of date: {n_stale} of {memories} of agents");
            self.info(message, "cerberus check --memories");
        }
        Ok(())
    }
}

fn runs_hooks(settings: &Path) -> bool {
    let Some(text) = read_external(settings) else {
        return false;
    };
    // As a command of a shell, or started by the plugin of opencode.
    text.contains("cerberus hooks run") || text.contains("\"cerberus\", [\"hooks\", \"run\"")
}

/// The texts of the documents for an agent.
#[derive(Default)]
struct Loaded {
    /// Of those that it loads, at the start of a session or in their folder.
    text: String,
    /// Of those of which it loads only a part.
    cut: String,
    /// Of those that others hide.
    hidden: String,
}

fn loaded(agent: &Agent, documents: &[(String, String)]) -> Loaded {
    let mut loaded = Loaded::default();
    let Some(loads) = &agent.loads else {
        return loaded;
    };
    let own = joined(documents, &loads.documents);
    let rules = joined(documents, &loads.rules);
    let others = joined(documents, &loads.fallback);
    loaded.text = [own.as_str(), &rules].join("\n");
    let is_imported = |name: &String| loads.imports && own.contains(&format!("@{name}"));
    // It reads the others where there is no document of its own, or one that imports them.
    if own.is_empty() || loads.fallback.iter().any(is_imported) {
        loaded.text = [loaded.text.as_str(), &others].join("\n");
    } else {
        loaded.hidden = others;
    }
    if let Some(max_bytes) = loads.max_bytes
        && loaded.text.len() > max_bytes
    {
        let start = String::from_utf8_lossy(&loaded.text.as_bytes()[..max_bytes]).into_owned();
        loaded.cut = std::mem::replace(&mut loaded.text, start);
    }
    loaded
}

/// Returns the texts of the documents whose paths start or end with one of the names.
fn joined(documents: &[(String, String)], names: &[String]) -> String {
    let mut texts = Vec::new();
    for (file, text) in documents {
        let mut names = names.iter();
        if names.any(|name| file.ends_with(name.as_str()) || file.starts_with(name.as_str())) {
            texts.push(text.as_str());
        }
    }
    texts.join("\n")
}
