//! Further examples of memories, and counter-examples: code that breaks a rule.

use anyhow::Result;
use cerberus_engine::track;
use cerberus_engine::tree::{git, read};
use cerberus_model::{
    Anchor, CodeLocation, ExampleRole, LineIndex, OtherExample, UserError, format_location, refuse,
    shell_word, text,
};
use serde::Serialize;

use super::{Project, anchors};
use crate::{MemoryFile, Workspace};

/// Size limit of the code of a counter-example that is recorded. Longer code is read from its commit.
const MAX_CODE_BYTES: usize = 2_000;

/// Maximum number of examples beside the main one.
const MAX_EXAMPLES: usize = 20;

/// A further example, or a counter-example, in reports.
#[derive(Debug, Clone, Serialize)]
pub struct OtherSummary {
    pub role: ExampleRole,
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    pub(crate) commit: Option<String>,
}

impl From<&OtherExample> for OtherSummary {
    fn from(example: &OtherExample) -> Self {
        Self {
            role: example.role,
            file: example.anchor.file.clone(),
            symbol: example.anchor.symbol.clone(),
            commit: example.anchor.commit.clone(),
        }
    }
}

impl OtherSummary {
    /// Returns `file::symbol`, for a counter-example with its commit.
    pub fn location(&self) -> String {
        let location = format_location(&self.file, self.symbol.as_deref());
        match &self.commit {
            Some(commit) if self.role == ExampleRole::Not => format!("{location} at {commit}"),
            _ => location,
        }
    }
}

/// A change of the examples of a memory.
#[derive(Debug, Clone, Copy)]
pub enum Change<'a> {
    Add(ExampleRole, &'a CodeLocation),
    Drop(&'a CodeLocation),
}

/// Changes the examples of a memory beside its main one, and returns them. A dry run writes nothing.
pub fn change(
    project: &Workspace,
    stored: &MemoryFile,
    change: Change<'_>,
    is_dry_run: bool,
) -> Result<Vec<OtherExample>> {
    let id = &stored.memory.id;
    let mut added = None;
    if let Change::Add(role, location) = change {
        added = Some(example(project, role, location)?);
    }
    let mut _lock = None;
    if !is_dry_run {
        _lock = Some(project.lock()?);
    }
    let mut anchors = project.bank.anchors()?;
    let Some(anchor) = anchors.get_mut(id) else {
        let command = anchors::command(id, "--to FILE::SYMBOL");
        return Err(UserError::usage(format!(
            "`{id}` has no anchor, so it has no further examples"
        ))
        .hint(format!("anchor it first: {command}"))
        .hint("or write code that breaks the rule in its text, in a code block below `Bad:`")
        .into());
    };
    if let Change::Drop(location) = change {
        drop_example(project, id, anchor, location)?;
    }
    if let Some(added) = added {
        add_example(id, anchor, added)?;
    }
    anchor.others.sort_by(|a, b| a.key().cmp(&b.key()));
    let others = anchor.others.clone();
    if !is_dry_run {
        project.bank.write_anchors(&anchors)?;
    }
    Ok(others)
}
/// Removes the example at a location, which may be named by its parameters, and need not exist any more.
fn drop_example(
    project: &Project,
    id: &str,
    anchor: &mut Anchor,
    location: &CodeLocation,
) -> Result<()> {
    let mut symbols = vec![location.symbol.clone()];
    let located = track::locate(&project.root, &location.file, location.symbol.as_deref());
    if let Ok(located) = located {
        symbols.push(located.found.symbol);
    }
    let n_before = anchor.others.len();
    anchor.others.retain(|other| {
        let (file, symbol) = other.place();
        *file != location.file || !symbols.contains(symbol)
    });
    if anchor.others.len() == n_before {
        return refuse(
            format!("`{id}` has no further example at `{location}`"),
            format!("list them with `cerberus memory show {}`", shell_word(id)),
        );
    }
    Ok(())
}

/// Adds an example in place of the one at its location.
fn add_example(id: &str, anchor: &mut Anchor, added: OtherExample) -> Result<()> {
    if added.role == ExampleRole::Also && added.place() == (&anchor.file, &anchor.symbol) {
        return refuse(
            "it is the main example of this memory already",
            "name other code, as in `--also FILE::SYMBOL`",
        );
    }
    anchor.others.retain(|other| other.place() != added.place());
    if anchor.others.len() >= MAX_EXAMPLES {
        let command = anchors::command(id, "--drop FILE::SYMBOL");
        return refuse(
            format!("`{id}` has {MAX_EXAMPLES} further examples, the maximum"),
            format!("remove one: {command}"),
        );
    }
    anchor.others.push(added);
    Ok(())
}

/// Returns the example at a location, with the fingerprint of its code.
fn example(project: &Project, role: ExampleRole, location: &CodeLocation) -> Result<OtherExample> {
    let anchor = anchors::named(project, location)?;
    let mut example = OtherExample {
        role,
        anchor,
        code: None,
    };
    if role == ExampleRole::Not {
        let file = &example.anchor.file;
        let text = read::text(&project.root, file)?;
        let found = track::verify_in_place(&project.root, file, &[&example.anchor]).pop();
        if let Some(found) = found.flatten() {
            let code = code_between(&text, found.lines);
            example.code = Some(code).filter(|code| code.len() <= MAX_CODE_BYTES);
        }
    }
    Ok(example)
}

/// Returns the code of an example: that of a live one from its file, that of a counter-example as
/// it was recorded, or as it was at its commit.
pub(crate) fn code(project: &Project, example: &OtherExample) -> Option<String> {
    if let Some(code) = &example.code {
        return Some(code.clone());
    }
    let anchor = &example.anchor;
    let bytes = match (example.role, &anchor.commit) {
        (ExampleRole::Not, Some(commit)) => {
            let name = format!("{commit}:./{}", anchor.file);
            git::with_objects(&project.root, |objects| objects.read(&name))??
        }
        _ => read::bytes(&project.root, &anchor.file).ok()?,
    };
    let found = track::verify_content(&anchor.file, &bytes, &[anchor]).pop()??;
    Some(code_between(&text::decode(&bytes).0, found.lines))
}

/// Returns the code between two lines, both counted from 0.
pub(crate) fn code_between(text: &str, (first, last): (u32, u32)) -> String {
    let index = LineIndex::new(text);
    let (start, end) = (index.start(first as usize), index.start(last as usize + 1));
    text.get(start..end)
        .unwrap_or_default()
        .trim_end()
        .to_owned()
}
