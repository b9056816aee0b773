//! Hints about new functions that the project nearly has already.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::{Finding, allowed};
use crate::commands::findings::Severity;
use cerberus_engine::tree::git::AddedLines;
use cerberus_engine::tree::read;
use cerberus_patterns::existing::{self, ExistingFunction};

/// The id of the finding, which a comment can allow.
pub(crate) const ID: &str = "exists-already";

/// Returns the hints about the new functions of changed files, and the number of those that a
/// comment allows. `paths` lists the files of the project.
pub(super) fn find(
    root: &Path,
    changes: &[AddedLines],
    paths: impl FnOnce() -> Result<Vec<String>>,
) -> Result<(Vec<Finding>, usize)> {
    // Generated code repeats itself.
    let is_written = |text: &str| read::skip_reason(text.as_bytes()).is_none();
    let changes: Vec<&AddedLines> = changes.iter().filter(|it| is_written(&it.text)).collect();
    let changed: Vec<(&str, &str)> =
        changes.iter().map(|change| (change.path.as_str(), change.text.as_str())).collect();
    let lines: BTreeMap<&str, Vec<&str>> =
        changed.iter().map(|(path, text)| (*path, text.lines().collect())).collect();
    let is_new = |idx: usize, (first, last): (u32, u32)| {
        let AddedLines { path, is_added, .. } = changes[idx];
        let n_lines = (last as usize + 1).saturating_sub(first as usize);
        let lines = lines.get(path.as_str()).into_iter().flatten().zip(is_added);
        let lines = lines.skip(first as usize).take(n_lines);
        // Some lines of a new function equal old ones, above all closing brackets.
        let has_words = |line: &str| line.contains(char::is_alphanumeric);
        let lines = lines.filter(|(line, _)| has_words(line)).map(|(_, is_added)| *is_added);
        let (n_new, n_all) = (lines.clone().filter(|it| *it).count(), lines.count());
        is_added.get(first as usize) == Some(&true) && n_new * 10 >= n_all * 9
    };
    let read = |path: &str| read::listed_text(root, path).ok().filter(|text| is_written(text));
    let mut n_allowed = 0;
    let mut findings = Vec::new();
    for ExistingFunction { new, existing, similarity } in
        existing::find(&changed, is_new, paths, read)?
    {
        let Some(lines) = lines.get(new.file.as_str()) else { continue };
        let first = new.lines.0 as usize;
        if allowed::is_allowed(lines, first, ID) {
            n_allowed += 1;
            continue;
        }
        let (name, line) = (&new.name, existing.lines.0 + 1);
        let existing = format!("{}::{}", existing.file, existing.name);
        let percent = (similarity * 100.0).floor();
        findings.push(Finding {
            severity: Severity::Hint,
            id: ID.to_owned(),
            line: first + 1,
            end_line: new.lines.1 as usize + 1,
            column: 1,
            code: lines.get(first).unwrap_or(&"").trim().to_owned(),
            message: format!(
                "`{name}` nearly exists already: line {line} of {existing} ({percent} % of the code is equal)"
            ),
            example: Some(existing),
            allow: allowed::comment(&new.file, ID),
            file: new.file,
        });
    }
    Ok((findings, n_allowed))
}
