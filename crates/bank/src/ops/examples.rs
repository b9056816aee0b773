//! Further examples of memories, and counter-examples: code that breaks a rule.

use anyhow::Result;
use cerberus_engine::track;
use cerberus_engine::tree::{git, read};
use cerberus_model::{
    Anchor, CodeLocation, ExampleRole, LineIndex, OtherExample, UserError, format_location,
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
        let commit = self
            .commit
            .as_deref()
            .filter(|_| self.role == ExampleRole::Not);
        let commit = commit
            .map(|commit| format!(" at {commit}"))
            .unwrap_or_default();
        format_location(&self.file, self.symbol.as_deref()) + &commit
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
    let added = match change {
        Change::Add(role, location) => Some(example(project, role, location)?),
        Change::Drop(_) => None,
    };
    let _lock = if is_dry_run {
        None
    } else {
        Some(project.lock()?)
    };
    let mut anchors = project.bank.anchors()?;
    let anchor = anchors.get_mut(id).ok_or_else(|| {
        let command = format!("cerberus memory anchor {}", shell_word(id));
        UserError::usage(format!(
            "`{id}` has no anchor, so it has no further examples"
        ))
        .hint(format!("anchor it first: {command} --to FILE::SYMBOL"))
        .hint("or write code that breaks the rule in its text, in a code block below `Bad:`")
    })?;
    let others = &mut anchor.others;
    match (change, added) {
        (Change::Drop(location), _) => {
            let n_before = others.len();
            // It may be named by its parameters, and need not exist any more.
            let symbol = location.symbol.as_deref();
            let mut symbols = vec![location.symbol.clone()];
            if let Ok(located) = track::locate(&project.root, &location.file, symbol) {
                symbols.push(located.found.symbol.clone());
            }
            others.retain(|other| {
                let Anchor { file, symbol, .. } = &other.anchor;
                *file != location.file || !symbols.contains(symbol)
            });
            if others.len() == n_before {
                let what = format!("`{id}` has no further example at `{location}`");
                let hint = format!("list them with `cerberus memory show {}`", shell_word(id));
                return Err(UserError::usage(what).hint(hint).into());
            }
        }
        (_, Some(added)) => {
            let place = (&added.anchor.file, &added.anchor.symbol);
            if added.role == ExampleRole::Also && (&anchor.file, &anchor.symbol) == place {
                return Err(
                    UserError::usage("it is the main example of this memory already")
                        .hint("name other code, as in `--also FILE::SYMBOL`")
                        .into(),
                );
            }
            others.retain(|other| (&other.anchor.file, &other.anchor.symbol) != place);
            if others.len() >= MAX_EXAMPLES {
                let what = format!("`{id}` has {MAX_EXAMPLES} further examples, the maximum");
                let hint = format!(
                    "remove one: cerberus memory anchor {} --drop FILE::SYMBOL",
                    shell_word(id)
                );
                return Err(UserError::usage(what).hint(hint).into());
            }
            others.push(added);
        }
        (Change::Add(..), None) => {}
    }
    others.sort_by(|a, b| a.key().cmp(&b.key()));
    let others = others.clone();
    if !is_dry_run {
        project.bank.write_anchors(&anchors)?;
    }
    Ok(others)
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
        let found = track::verify_in_place(&project.root, file, &[&example.anchor])
            .pop()
            .flatten();
        let lines = found.map(|found| found.lines);
        let text = read::text(&project.root, file)?;
        example.code = lines
            .map(|lines| code_between(&text, lines))
            .filter(|code| code.len() <= MAX_CODE_BYTES);
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
