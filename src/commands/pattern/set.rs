//! `cerberus memory pattern --set`: a new pattern is proved before it is stored.
//!
//! It is refused if it hits an example of its rule or misses a counter-example. What it hits now and hit in
//! the last commits is the evidence by which a person decides to keep it.

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::patterns::{self, RulePattern};
use cerberus_bank::ops::{Project, document};
use cerberus_bank::{MemoryFile, Workspace};
use cerberus_engine::tree::git;
use cerberus_markdown::frontmatter;
use cerberus_markdown::frontmatter::FieldValue;
use cerberus_model::error::UserError;
use cerberus_patterns as code_patterns;
use serde::Serialize;

use crate::commands::added_code::{self, Finding};

/// Number of commits that are searched.
const N_COMMITS: usize = 500;

/// Maximum number of hits that are listed.
const MAX_LISTED: usize = 5;

/// What the patterns of code hit.
#[derive(Debug, Serialize)]
pub(crate) struct Evidence {
    /// Number of hits in the files of the project, and the first of them.
    pub(crate) hits: usize,
    pub(crate) first: Vec<String>,
    /// Number of commits, and of their added lines that it hits.
    pub(crate) commits: usize,
    pub(crate) added: usize,
    /// Number of those lines that are gone.
    pub(crate) removed: usize,
}

/// Returns the pattern in a text if it is valid and right about the examples of its rule.
pub(super) fn proved(
    project: &Project,
    memories: &Memories,
    stored: &MemoryFile,
    text: &str,
) -> Result<RulePattern> {
    let anchor = memories.anchors.get(&stored.memory.id);
    patterns::proved(project, stored, anchor, text).map_err(|why| {
        UserError::check(format!("not stored: {why}"))
            .hint("correct it, or the examples of the rule: `cerberus memory anchor --help`")
            .into()
    })
}

/// Returns what the patterns of a rule hit now, and would have said about the last commits.
pub(super) fn evidence(
    project: &Project,
    memories: &Memories,
    stored: &MemoryFile,
    rule: &RulePattern,
) -> Result<Option<Evidence>> {
    if rule.patterns.is_empty() {
        return Ok(None);
    }
    let find = added_code::finder(stored, memories, rule.patterns.clone());
    let files = git::all_lines(&project.root, &added_code::code_files(project)?).files;
    let now: Vec<Finding> = files.iter().flat_map(&find).collect();
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    now.iter()
        .for_each(|hit| *left.entry(&hit.code).or_default() += 1);
    let (mut added, mut removed) = (0, 0);
    let commits = git::added_by_commits(&project.root, N_COMMITS, added_code::is_code, |change| {
        for hit in find(change) {
            added += 1;
            // The newest lines come first, and are those that are still there.
            match left.get_mut(hit.code.as_str()) {
                Some(n_left) if *n_left > 0 => *n_left -= 1,
                _ => removed += 1,
            }
        }
    });
    let first = now.iter().take(MAX_LISTED);
    let first = first
        .map(|hit| format!("{}:{}: {}", hit.file, hit.line, hit.code))
        .collect();
    Ok(Some(Evidence {
        hits: now.len(),
        first,
        commits,
        added,
        removed,
    }))
}

/// Writes a pattern to the frontmatter of its rule, in the place of the old one.
pub(super) fn store(project: &Workspace, id: &str, rule: &RulePattern) -> Result<()> {
    let pattern = (!rule.patterns.is_empty()).then(|| code_patterns::render(&rule.patterns));
    document::edit_text(project, id, |old| {
        let mut text = super::without(old)?;
        if let Some(pattern) = &pattern {
            text = frontmatter::set(&text, "pattern", FieldValue::Block(pattern))?;
        }
        if !rule.command_lines.is_empty() {
            text = frontmatter::set(&text, "command", FieldValue::List(&rule.command_lines))?;
        }
        if let Some(instead) = &rule.instead {
            text = frontmatter::set(&text, "instead", FieldValue::Scalar(instead))?;
        }
        Ok(text)
    })
    .map(drop)
}
