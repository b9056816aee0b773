//! What `setup` changes in each file. Nothing is written before all files were read.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::agents::{Agent, Content};
use super::servers;
use crate::bank::ExternalFile;
use crate::commands::confirm;
use crate::commands::hooks;
use crate::commands::settings_file::Edited;
use crate::error::UserError;

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Action {
    Create,
    Update,
    Remove,
    Unchanged,
}

/// A file with its new content.
pub(super) struct Change {
    /// Relative to the root.
    pub(super) path: String,
    pub(super) agent: Agent,
    pub(super) action: Action,
    pub(super) file: ExternalFile,
    pub(super) edited: Vec<String>,
    new: Vec<u8>,
}

impl Change {
    /// Returns the unified diff, which is empty for an unchanged file.
    pub(super) fn diff(&self) -> String {
        confirm::diff(&self.path, &self.file.bytes, &self.new)
    }

    pub(super) fn write(&self, root: &Path) -> Result<()> {
        if self.action == Action::Remove {
            return self.file.remove_with_folders(root);
        }
        self.file.write(&self.new)?;
        if self.agent == Agent::Git {
            self.file.make_executable()?;
        }
        Ok(())
    }
}

/// Returns the changes for the agents, in their order. With `is_removal`, what was written for
/// them is removed.
pub(super) fn changes(agents: &[Agent], is_removal: bool, root: &Path) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for agent in agents {
        for (path, contents) in agent.files(root) {
            let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            let file = ExternalFile::open_with_folders(&path, root)?;
            let new = edited(&file.bytes, &contents, is_removal).map_err(|why| {
                UserError::usage(format!("failed to edit `{shown}`: {why}"))
                    .hint("fix the file, and run the command again; nothing was written")
            })?;
            let action = match (file.bytes == new.text, new.text.is_empty()) {
                (true, _) => Action::Unchanged,
                (_, true) => Action::Remove,
                _ if file.exists => Action::Update,
                _ => Action::Create,
            };
            let (path, edited, new) = (shown, new.edited, new.text);
            changes.push(Change { path, agent: *agent, action, file, edited, new });
        }
    }
    Ok(changes)
}

/// Returns a text after all contents were merged or removed.
fn edited(old: &[u8], contents: &[Content], is_removal: bool) -> Result<Edited, String> {
    let args = ["mcp".to_owned()];
    let mut all = Edited::new(old.to_vec());
    for content in contents {
        let text = &all.text;
        let edited = match (content, is_removal) {
            (Content::Server(client), false) => servers::merge(*client, text, &args)?,
            (Content::Server(client), true) => servers::remove(*client, text, &args)?,
            (Content::Hooks(tool), false) => hooks::merge(*tool, text)?,
            (Content::Hooks(tool), true) => hooks::remove(*tool, text)?,
        };
        all.text = edited.text;
        all.edited.extend(edited.edited);
    }
    Ok(all)
}
