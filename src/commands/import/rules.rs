//! Imports the rules of documents that people write for people and agents.
//!
//! An item that was imported before is recognized (see [`super::sources`]) and not
//! imported again. An item whose words changed is reported with the memory of its earlier version,
//! and not written. The memories are written all together, or not at all.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::Serialize;

use super::sources::{self, Sources};
use super::{ImportArgs, globs, mentions};
use crate::bank::names;
use crate::engine::examples::{self, Options, Query};
use crate::error::UserError;
use crate::markdown::frontmatter::Frontmatter;
use crate::markdown::rules::{self, RuleItem};
use crate::markdown::secrets;
use crate::model::{Anchor, MemoryType, Origin, Scope};
use crate::ops::anchors::{self, AnchorSummary};
use crate::ops::memories::{self, Memories};
use crate::ops::similar::SimilarMemories;
use crate::ops::{Project, default_scope, document, seconds};
use crate::tree::{documents, read};

/// Maximum number of headings above a rule that become its tags.
const MAX_TAGS: usize = 3;

/// Replaces a text that may contain a secret.
const HIDDEN: &str = "(not shown)";

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) dry_run: bool,
    /// In the order of the documents.
    pub(crate) items: Vec<Item>,
    pub(crate) warnings: Vec<String>,
}

/// An item of a document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Item {
    pub(crate) file: String,
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) outcome: Outcome,
    /// The memory of the item, existing or new.
    pub(crate) id: Option<String>,
    pub(crate) text: String,
    pub(crate) category: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) scope: Option<String>,
    pub(crate) anchor: Option<AnchorSummary>,
    /// Why it was not imported.
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Outcome {
    /// In a dry run: would be added.
    Added,
    /// Imported before with other words.
    Changed,
    /// Imported before, or its text is already in the bank.
    Duplicate,
    /// Not a rule, or cannot be imported.
    Skipped,
}

impl Outcome {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Duplicate => "duplicate",
            Self::Skipped => "skipped",
        }
    }
}

impl Item {
    fn new(file: &str, found: &RuleItem) -> Self {
        let is_rule = found.skipped_because.is_none();
        let category = found.headings.last().cloned().or_else(|| {
            // The name of a file of rules is their topic, unlike that of AGENTS.md.
            let name = file.rsplit('/').next().unwrap_or(file);
            let stem =
                name.strip_suffix(".mdc").or_else(|| name.strip_suffix(".instructions.md"))?;
            Some(names::from_text(stem))
        });
        let n_above = found.headings.len().saturating_sub(1);
        Self {
            file: file.to_owned(),
            line: found.line + 1,
            outcome: if is_rule { Outcome::Added } else { Outcome::Skipped },
            id: None,
            text: found.text.clone(),
            category: category.filter(|_| is_rule),
            tags: found.headings[n_above.saturating_sub(MAX_TAGS)..n_above].to_vec(),
            scope: None,
            anchor: None,
            reason: found.skipped_because.map(str::to_owned),
        }
    }

    fn skip(&mut self, reason: String) {
        self.outcome = Outcome::Skipped;
        self.reason = Some(reason);
    }
}

/// A rule to import.
struct NewRule {
    item_idx: usize,
    /// Start of the item's own words in its text, after the heading that it is prefixed with.
    own_start: usize,
    scope: Scope,
    digest: String,
    anchor: Option<Anchor>,
}

/// Imports the rules of documents.
pub(super) fn import(project: &Project, args: &ImportArgs) -> Result<Report> {
    let mut files = Vec::new();
    for path in &args.files {
        for file in documents::find(&project.root, path)? {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    let memories = Memories::load(project)?;
    let sources = Sources::new(&memories);
    let mut report = Report { dry_run: args.dry_run, items: Vec::new(), warnings: Vec::new() };
    let mut new_rules = Vec::new();
    for file in &files {
        let text = read::text(&project.root, file)?;
        let scope = args.scope.clone().or_else(|| globs::scope(&text));
        let scope = scope.unwrap_or_else(|| default_scope(project));
        let first_idx = report.items.len();
        classify(file, &text, &scope, &sources, &mut report, &mut new_rules);
        if !args.secret.allow_secret {
            skip_secrets(&mut report, first_idx, &mut new_rules);
        }
    }
    assign_ids(&memories, &mut report, &new_rules)?;
    if !args.no_anchor && !new_rules.is_empty() {
        find_anchors(project, &mut report, &mut new_rules)?;
    }
    let mut similar = SimilarMemories::new(&memories);
    for rule in &new_rules {
        let item = &report.items[rule.item_idx];
        let warnings = similar.warnings(&item.text, &rule.scope).into_iter();
        let location = format!("{}:{}", item.file, item.line);
        report.warnings.extend(warnings.map(|warning| format!("{location}: {warning}")));
        similar.add(item.id.as_deref().unwrap_or_default(), &item.text, &rule.scope);
    }
    if !args.dry_run && !new_rules.is_empty() {
        write(project, &mut report, new_rules)?;
    }
    Ok(report)
}

/// Adds the items of one document to the report, and its new rules to `new_rules`.
fn classify(
    file: &str,
    text: &str,
    scope: &Scope,
    sources: &Sources,
    report: &mut Report,
    new_rules: &mut Vec<NewRule>,
) {
    let found = rules::parse(text);
    let digests: Vec<String> = found.iter().map(|found| sources::digest(&found.text)).collect();
    let mut removed = sources.removed(file, &digests);
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for (found, digest) in found.iter().zip(&digests) {
        let mut item = Item::new(file, found);
        if found.skipped_because.is_none() {
            item.scope = Some(scope.to_string());
            if let Err(error) = document::check_content(&found.text) {
                item.skip(format!("{error:#}"));
            } else if let Some(id) = sources.find(file, digest) {
                item.outcome = Outcome::Duplicate;
                item.id = Some(id.to_owned());
            } else if let Some(line) = lines.get(digest.as_str()) {
                item.skip(format!("a duplicate of line {line}"));
            } else if let Some(earlier) = sources::take_earlier(&mut removed, &found.text) {
                let id = earlier.memory.id.clone();
                item.reason = Some(format!(
                    "`{id}` was imported from an earlier version of this item; update it with `cerberus memory update {id} --content …`, or delete it and import again"
                ));
                item.outcome = Outcome::Changed;
                item.id = Some(id);
            } else {
                lines.insert(digest, item.line);
                new_rules.push(NewRule {
                    item_idx: report.items.len(),
                    own_start: found.prefix_len,
                    scope: scope.clone(),
                    digest: digest.clone(),
                    anchor: None,
                });
            }
        }
        report.items.push(item);
    }
    for removed in removed {
        let id = &removed.memory.id;
        let warning = format!("`{id}` came from `{file}`, which no longer contains it");
        report.warnings.push(warning);
    }
    if found.iter().all(|found| found.skipped_because.is_some()) {
        let warning = format!("`{file}` contains no rules: no list item gives an instruction");
        report.warnings.push(warning);
    }
}

/// Skips the rules that contain a secret, and hides the text of all items that do.
fn skip_secrets(report: &mut Report, first_idx: usize, new_rules: &mut Vec<NewRule>) {
    for item_idx in first_idx..report.items.len() {
        let item = &mut report.items[item_idx];
        let headings = item.tags.iter().chain(&item.category).map(String::as_str);
        let mut texts = std::iter::once(item.text.as_str()).chain(headings);
        let Some(secret) = texts.find_map(secrets::find_secret) else { continue };
        item.text = HIDDEN.to_owned();
        item.category = None;
        item.tags = Vec::new();
        if matches!(item.outcome, Outcome::Skipped | Outcome::Duplicate) {
            continue;
        }
        item.id = None;
        item.scope = None;
        item.skip(format!("contains {}", secret.kind));
        report.warnings.push(format!(
            "`{}:{}` contains {} and is skipped; describe where the secret is stored instead, or use `--allow-secret` if it is not a secret",
            item.file, item.line, secret.kind
        ));
        new_rules.retain(|rule| rule.item_idx != item_idx);
    }
}

/// Assigns an unused id to every rule.
fn assign_ids(memories: &Memories, report: &mut Report, new_rules: &[NewRule]) -> Result<()> {
    let mut used: BTreeSet<String> = BTreeSet::new();
    for stored in &memories.all {
        used.insert(stored.memory.id.to_lowercase());
        used.insert(stored.file.trim_end_matches(".md").to_lowercase());
    }
    for rule in new_rules {
        let item = &mut report.items[rule.item_idx];
        let base = names::from_text(&item.text[rule.own_start..]);
        let numbered = (2..).map(|n| format!("{base}-{n}"));
        let mut ids = std::iter::once(base.clone()).chain(numbered);
        let id = ids.find(|id| used.insert(id.clone()));
        item.id = Some(id.ok_or_else(|| UserError::usage("no unused id found"))?);
    }
    Ok(())
}

/// Finds the example of each rule: the code that it mentions, otherwise the best candidate.
fn find_anchors(project: &Project, report: &mut Report, new_rules: &mut [NewRule]) -> Result<()> {
    let mut index = examples::open_index(project.code())?;
    report.warnings.append(&mut index.warnings);
    let items = new_rules.iter().map(|rule| &report.items[rule.item_idx]);
    let texts: Vec<(&str, &str)> =
        items.map(|item| (item.file.as_str(), item.text.as_str())).collect();
    let mentioned = mentions::locations(&mut index, &texts)?;
    let (mut queries, mut query_rules) = (Vec::new(), Vec::new());
    for (rule, location) in new_rules.iter_mut().zip(mentioned) {
        let Ok(languages) = memories::languages(&rule.scope) else { continue };
        // A symbol that is not at the mentioned location is searched for like any other.
        rule.anchor = location.and_then(|location| anchors::at_location(project, &location).ok());
        let item = &mut report.items[rule.item_idx];
        item.anchor = rule.anchor.as_ref().map(AnchorSummary::from);
        if rule.anchor.is_none() {
            let text = anchors::rule(&item.text[rule.own_start..]).to_owned();
            queries.push(Query { rule: text, hints: Vec::new(), languages });
            query_rules.push(rule);
        }
    }
    let options = Options { limit: 1, min_quality: project.min_quality, explain: false };
    let rankings = examples::rank(project.code(), &mut index, &queries, options)?;
    for (rule, ranking) in query_rules.into_iter().zip(rankings) {
        if let Some(best) = &ranking.anchor {
            let anchor = anchors::from_candidate(project, best, Origin::Auto)?;
            report.items[rule.item_idx].anchor = Some(AnchorSummary::from(&anchor));
            rule.anchor = Some(anchor);
        }
    }
    Ok(())
}

/// Writes all memories with their anchors; if one fails, the written ones are removed.
fn write(project: &Project, report: &mut Report, mut new_rules: Vec<NewRule>) -> Result<()> {
    let _guard = project.bank.lock_for_writing()?;
    // Another process may have imported the same rules or used the same ids.
    let memories = Memories::load(project)?;
    let sources = Sources::new(&memories);
    new_rules.retain(|rule| {
        let item = &mut report.items[rule.item_idx];
        let existing = sources.find(&item.file, &rule.digest);
        if let Some(id) = existing {
            item.outcome = Outcome::Duplicate;
            item.id = Some(id.to_owned());
        }
        existing.is_none()
    });
    assign_ids(&memories, report, &new_rules)?;
    let old = project.bank.anchors()?;
    let mut anchors = old.clone();
    for rule in &mut new_rules {
        let id = report.items[rule.item_idx].id.clone().unwrap_or_default();
        anchors.extend(rule.anchor.take().map(|anchor| (id, anchor)));
    }
    let ids = new_rules.iter().filter_map(|rule| report.items[rule.item_idx].id.as_ref());
    let files: Vec<String> = ids.map(|id| format!("{id}.md")).collect();
    project.bank.begin_import(&files, &anchors)?;
    let mut written = Vec::new();
    let result = project.bank.write_anchors(&anchors);
    let result = result.and_then(|_| {
        new_rules.into_iter().try_for_each(|rule| {
            let item = &report.items[rule.item_idx];
            let frontmatter = Frontmatter {
                memory_type: Some(MemoryType::Rule),
                category: item.category.clone(),
                scope: Some(rule.scope),
                tags: item.tags.clone(),
                created_at: Some(seconds(project.now)),
                source: Some(sources::source(&item.file, item.line, &rule.digest)),
                ..Frontmatter::default()
            };
            let id = item.id.as_deref().unwrap_or_default();
            written.push(project.bank.create_memory_unsynced(id, &frontmatter, &item.text)?);
            Ok(())
        })
    });
    let result = result.and_then(|()| project.bank.sync(&written));
    if result.is_err() {
        project.bank.roll_back(written)?;
        project.bank.write_anchors(&old)?;
    }
    project.bank.finish_import()?;
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::managed_block;

    #[test]
    fn the_managed_block_contains_no_rules() {
        let text = managed_block::MARKDOWN
            .update(b"- Use tea\n", "- Use coffee\n")
            .expect("no markers yet");
        let text = String::from_utf8(text).expect("valid UTF-8");
        let found = rules::parse(&text);
        let rules: Vec<&str> = found
            .iter()
            .filter(|it| it.skipped_because.is_none())
            .map(|it| it.text.as_str())
            .collect();
        assert_eq!(rules, ["Use tea"]);
    }
}
