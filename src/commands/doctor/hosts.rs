//! Checks of the integrations: documents that agents read, and client settings that start cerberus.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use cerberus_bank::ops::{Project, managed_block};
use cerberus_bank::{Workspace, external_file};
use cerberus_model::text::plural;

use super::Doctor;
use crate::agents::{Agent, Limit};
use crate::commands::inject;

/// A document that people may tell agents to read.
const FOR_PEOPLE: &str = "CONTRIBUTING.md";

impl Doctor<'_> {
    /// Checks that Claude Code reads AGENTS.md, which it does only where no CLAUDE.md is.
    pub(super) fn instructions(&mut self) -> Result<()> {
        let root = &self.project.root;
        let agents = root.join("AGENTS.md");
        let Ok(real) = agents.canonicalize() else {
            return Ok(());
        };
        let own = ["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"].map(|name| root.join(name));
        let above = root
            .ancestors()
            .skip(1)
            .map(|folder| folder.join("CLAUDE.md"));
        let hides = |path: &PathBuf| {
            let is_same = path.canonicalize().is_ok_and(|found| found == real);
            !is_same && read_external(path).is_some_and(|text| !text.contains("@AGENTS.md"))
        };
        if let Some(path) = own.into_iter().chain(above).find(hides) {
            let file = super::shown(self.project, &path);
            self.info(
                format!("Claude Code does not read `AGENTS.md`, because there is `{file}`"),
                format!("if it should, add the line `@AGENTS.md` to `{file}`"),
            );
        }
        Ok(())
    }

    /// Checks that the user allowed Codex to run the hooks of the project. Otherwise it skips them without a message.
    ///
    /// Its configuration then has a table `hooks.state."PATH:EVENT:GROUP:HANDLER"` for each hook.
    pub(super) fn codex_trust(&mut self) -> Result<()> {
        const HOOKS: &str = ".codex/hooks.json";
        let hooks = self.project.root.join(HOOKS);
        let config = self
            .config
            .codex_config
            .as_deref()
            .filter(|_| starts_cerberus(&hooks));
        let Some(config) = config.and_then(read_external) else {
            return Ok(());
        };
        let hooks = hooks.canonicalize().unwrap_or(hooks);
        if !config.contains(&format!("{}:", hooks.display())) {
            self.info(
                format!("Codex skips the hooks of `{HOOKS}`, because you did not allow them"),
                "start `codex` in this project and allow them with `/hooks`",
            );
        }
        Ok(())
    }

    /// Checks that the hooks and settings that start cerberus can find it.
    pub(super) fn hooks(&mut self) -> Result<()> {
        let root = &self.project.root;
        let hook = cerberus_engine::tree::git::hook(root, "pre-commit");
        let settings = Agent::all()
            .flat_map(Agent::settings_files)
            .map(|path| root.join(path))
            .chain(hook);
        let files: BTreeSet<PathBuf> = settings.filter(|path| starts_cerberus(path)).collect();
        let Some(first) = files.first() else {
            return Ok(());
        };
        self.checks
            .push(plural(files.len(), "client configuration"));
        if !self
            .config
            .program_folders
            .iter()
            .any(|folder| folder.join("cerberus").is_file())
        {
            let file = super::shown(self.project, first);
            let message = format!("`{file}` starts `cerberus`, which is not on PATH");
            self.error(message, "install cerberus in a folder of PATH");
        }
        Ok(())
    }
}

/// Returns the documents whose managed block is out of date, each with the command that updates it.
pub(crate) fn stale_blocks(project: &Workspace) -> Result<Vec<(&'static str, String)>> {
    let flag = if project.has_user_bank() {
        " --include-user-bank"
    } else {
        ""
    };
    let mut stale = Vec::new();
    for path in documents() {
        if !has_block(project, path) {
            continue;
        }
        // The block does not record its limit.
        let limit = Limit::all().find(|limit| limit.document.as_deref() == Some(path));
        let is_stale = |limit| inject::is_block_stale(project, limit, &project.root.join(path));
        if is_stale(None)? && is_stale(limit)? {
            stale.push((path, format!("cerberus memory inject --into {path}{flag}")));
        }
    }
    Ok(stale)
}

/// Returns the documents that agents read.
fn documents() -> BTreeSet<&'static str> {
    let mut documents = BTreeSet::from([FOR_PEOPLE]);
    for agent in Agent::all() {
        if let Some(loads) = &agent.loads {
            let names = loads.documents.iter().chain(&loads.fallback);
            documents.extend(names.map(String::as_str));
        }
    }
    documents
}

fn has_block(project: &Project, path: &str) -> bool {
    let text = read_external(&project.root.join(path)).unwrap_or_default();
    let without_block = managed_block::MARKDOWN.without_block(text.as_bytes());
    without_block.map_or(true, |rest| rest.len() < text.len())
}

/// Returns the text of a file that cerberus does not own, if it is readable.
pub(super) fn read_external(path: &Path) -> Option<String> {
    if !path.is_file() {
        return None;
    }
    let bytes = external_file::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn starts_cerberus(path: &Path) -> bool {
    read_external(path).is_some_and(|text| text.contains("cerberus"))
}
