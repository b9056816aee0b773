//! What `setup` changes in each file. Nothing is written before all files were read.

use std::path::{Path, PathBuf};

use anyhow::Result;
use cerberus_bank::ExternalFile;
use cerberus_engine::tree::git;
use cerberus_model::error::UserError;
use serde::Serialize;

use crate::agents::Agent;
use crate::commands::confirm;
use crate::commands::settings_file::{Content, Edited, Layout};

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
#[derive(Serialize)]
pub(super) struct Change {
    /// Relative to the root.
    #[serde(rename = "file")]
    pub(super) path: String,
    pub(super) agent: &'static Agent,
    pub(super) action: Action,
    /// The unified diff, which is empty for an unchanged file.
    pub(super) diff: String,
    /// Entries of cerberus that a person edited, which stay as they are.
    pub(super) edited: Vec<String>,
    #[serde(skip)]
    pub(super) file: ExternalFile,
    /// The folder that the file is in with all that `setup` may create and remove.
    #[serde(skip)]
    pub(super) within: PathBuf,
    #[serde(skip)]
    new: Vec<u8>,
}

impl Change {
    /// Returns the new content, unless the file is to be removed.
    pub(super) fn content(&self) -> Option<&[u8]> {
        (self.action != Action::Remove).then_some(&*self.new)
    }
}

/// Returns the changes for the agents, in their order. With `is_removal`, what was written for
/// them is removed.
pub(super) fn changes(
    agents: &[&'static Agent],
    is_removal: bool,
    root: &Path,
) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for agent in agents {
        for Target {
            path,
            within,
            contents,
        } in targets(agent, root)
        {
            let Some(within) = within else {
                if is_removal {
                    continue;
                }
                return Err(outside(&path));
            };
            let shown = path
                .strip_prefix(root)
                .unwrap_or(&path)
                .display()
                .to_string();
            let file = ExternalFile::open_with_folders(&path, &within)?;
            let new =
                new_content(&file.bytes, file.exists, &contents, is_removal).map_err(|why| {
                    UserError::usage(format!("failed to edit `{shown}`: {why}"))
                        .hint("fix the file, and run the command again; nothing was written")
                })?;
            let action = match (file.bytes == new.text, new.text.is_empty()) {
                (true, _) => Action::Unchanged,
                (_, true) => Action::Remove,
                _ if file.exists => Action::Update,
                _ => Action::Create,
            };
            let diff = confirm::diff(&shown, &file.bytes, &new.text);
            let path = shown;
            let edited = new.edited;
            let new = new.text;
            changes.push(Change {
                path,
                agent,
                action,
                diff,
                edited,
                file,
                within,
                new,
            });
        }
    }
    Ok(changes)
}

/// A file to write, with what belongs in it.
struct Target {
    path: PathBuf,
    /// The folder of which it may be, unless it is in no such folder.
    within: Option<PathBuf>,
    contents: Vec<Content<'static>>,
}

/// Returns the error of a hook of git that no clone has for itself.
fn outside(path: &Path) -> anyhow::Error {
    let shown = path.display();
    UserError::usage(format!(
        "`{shown}` is outside the project, because `core.hooksPath` of git names its folder"
    ))
    .hint(format!(
        "add the lines of `cerberus hooks print git` to `{shown}` yourself"
    ))
    .into()
}

/// Returns the folder of a git hook that `setup` may change: the project, or the repository of a linked worktree.
fn folder_of_hook(path: &Path, root: &Path) -> Option<PathBuf> {
    let existing = path.ancestors().skip(1).find(|folder| folder.exists())?;
    let real = existing.canonicalize().ok()?;
    let mut folders = std::iter::once(root.to_owned()).chain(git::shared_folder(root));
    folders.find(|folder| {
        let folder = folder.canonicalize();
        folder.is_ok_and(|folder| real.starts_with(folder))
    })
}

/// Returns the files of an agent. None outside a repository for git.
fn targets(agent: &'static Agent, root: &Path) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for settings in &agent.settings {
        let mut path = root.join(&settings.file);
        if let Some(other) = &settings.instead
            && root.join(other).exists()
        {
            path = root.join(other);
        }
        let contents = vec![Content::of(&settings.write)];
        targets.push(Target {
            path,
            within: Some(root.to_owned()),
            contents,
        });
    }
    let Some(hooks) = &agent.hooks else {
        return targets;
    };
    let content = Content::of_hooks(agent, hooks);
    let mut path = root.join(&hooks.file);
    let mut within = Some(root.to_owned());
    if hooks.is_git_hook {
        let Some(hook) = git::hook(root, &hooks.file) else {
            return targets;
        };
        within = folder_of_hook(&hook, root);
        path = hook;
    }
    match targets.iter_mut().find(|target| target.path == path) {
        Some(target) => target.contents.push(content),
        None => targets.push(Target {
            path,
            within,
            contents: vec![content],
        }),
    }
    targets
}

/// Returns the content of a file after all contents were merged or removed.
fn new_content(
    old: &[u8],
    exists: bool,
    contents: &[Content<'_>],
    is_removal: bool,
) -> Result<Edited, String> {
    const BOM: &[u8] = b"\xEF\xBB\xBF";
    // Parsers of JSON and TOML differ in whether they accept it.
    let (bom, text) = match old.strip_prefix(BOM) {
        Some(text) => (BOM, text),
        None => (&b""[..], old),
    };
    if text.is_empty() && exists && !is_removal {
        return Err("it is empty, and would be removed by `setup --remove`".to_owned());
    }
    let mut new = edited(text, contents, is_removal)?;
    new.text.splice(..0, bom.iter().copied());
    Ok(new)
}

/// Returns a text after all contents were merged or removed. What cannot be removed to the byte is
/// refused.
fn edited(old: &[u8], contents: &[Content<'_>], is_removal: bool) -> Result<Edited, String> {
    if is_removal {
        return removed(old, contents);
    }
    let merged = merged(old, contents, Layout::Like)?;
    if merged.text == old {
        return Ok(merged);
    }
    let restored = removed(old, contents)?.text;
    let text = layouts(old, contents).into_iter().find(|new| {
        removed(new, contents).is_ok_and(|edited| edited.text == restored)
            && self::merged(new, contents, Layout::Like).is_ok_and(|edited| edited.text == *new)
    });
    let text = text.ok_or("`setup --remove` could not restore its layout")?;
    Ok(Edited { text, ..merged })
}

/// Returns `old` after a merge, in the possible layouts.
fn layouts(old: &[u8], contents: &[Content<'_>]) -> Vec<Vec<u8>> {
    let text = old.trim_ascii();
    let is_one_line = text.starts_with(b"{") && !text.contains(&b'\n') && text != b"{}";
    let layouts = if is_one_line {
        [Layout::Compact, Layout::Like]
    } else {
        [Layout::Like, Layout::Compact]
    };
    let mut texts = Vec::new();
    for layout in layouts {
        if let Ok(edited) = merged(old, contents, layout) {
            texts.push(edited.text);
        }
    }
    texts
}

fn merged(old: &[u8], contents: &[Content<'_>], layout: Layout) -> Result<Edited, String> {
    let mut all = Edited::new(old.to_vec());
    for content in contents {
        let merged = content.merge(&all.text, layout)?;
        all.text = merged.text;
        all.edited.extend(merged.edited);
    }
    Ok(all)
}

/// Returns the text from which merging gives `old`, as far as that can be known. A file may have had
/// an empty object of servers before.
fn removed(old: &[u8], contents: &[Content<'_>]) -> Result<Edited, String> {
    let gives_old = |new: &Edited| layouts(&new.text, contents).iter().any(|text| text == old);
    let new = without(old, contents, false)?;
    if new.text != old && !gives_old(&new) {
        let kept = without(old, contents, true)?;
        if gives_old(&kept) {
            return Ok(kept);
        }
    }
    Ok(new)
}

fn without(old: &[u8], contents: &[Content<'_>], is_object_kept: bool) -> Result<Edited, String> {
    let mut all = Edited::new(old.to_vec());
    for content in contents.iter().rev() {
        let removed = content.remove(&all.text, is_object_kept)?;
        all.text = removed.text;
        all.edited.extend(removed.edited);
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
