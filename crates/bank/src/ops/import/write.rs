//! Writes what an import adds and changes.

use anyhow::Result;
use cerberus_markdown::edit::{self, EditMode};
use cerberus_markdown::frontmatter;
use cerberus_markdown::frontmatter::{FieldValue, Frontmatter};
use cerberus_model::{Anchor, MemoryId, MemoryStatus, MemoryType, Origin};

use super::classify::Update;
use super::sources::{self, Sources};
use super::{Item, NewRule, Outcome, Plan, Report};
use crate::ops::anchors::AnchorSummary;
use crate::ops::{Project, document, seconds};
use crate::{ImportChanges, MemoryFile, Workspace, memories};

/// Writes all memories with their anchors; if one fails, the written ones are reverted.
pub(super) fn write(project: &Workspace, plan: &mut Plan) -> Result<()> {
    if plan.new_rules.is_empty() && plan.updates.is_empty() {
        return Ok(());
    }
    let lock = project.lock()?;
    // Another process may have imported the same rules, used the same ids or edited a memory.
    let memories = lock.memories()?;
    let Plan {
        report,
        new_rules,
        updates,
        memories: planned,
        ..
    } = plan;
    updates.retain(|memory_idx, _| {
        let old = &planned.all[*memory_idx];
        if let Some(current) = memories.at(&old.file)
            && current.text == old.text
        {
            return true;
        }
        let warning = format!("`{}` changed during the import", old.memory.id);
        report.warnings.push(warning);
        false
    });
    let known = Sources::new(&memories);
    new_rules.retain(|rule| !is_known(&known, report, rule));
    super::assign_ids(&memories, report, new_rules);
    let before = memories.anchors.clone();
    let mut after = before.clone();
    for rule in &mut *new_rules {
        let id = report.items[rule.item_idx].id.clone().unwrap_or_default();
        after.extend(rule.anchor.take().map(|anchor| (id, anchor)));
    }
    let mut created = Vec::new();
    for rule in &*new_rules {
        created.push(new_memory(project, &report.items[rule.item_idx], rule)?);
    }
    let mut changed = Vec::new();
    for (memory_idx, update) in &*updates {
        let stored = &planned.all[*memory_idx];
        let id = &stored.memory.id;
        if let Some(item_idx) = update.item_idx {
            let anchor = follow_document(before.get(id), update);
            report.items[item_idx].anchor = anchor.as_ref().map(AnchorSummary::from);
            match anchor {
                Some(anchor) => after.insert(id.clone(), anchor),
                None => after.remove(id),
            };
        }
        let old = project.bank.utf8_text(stored)?;
        let item = update.item_idx.map(|item_idx| &report.items[item_idx]);
        let new = updated(project, item, (stored, &old), update)?;
        if new != old {
            changed.push((stored.file.clone(), new));
        }
    }
    project.bank.import(&ImportChanges {
        created,
        changed,
        before,
        after,
        ..ImportChanges::default()
    })
}

/// Returns the anchor of a memory whose item changed. One that nobody chose, or that the document named before, gives
/// way to the code that it names now.
fn follow_document(old: Option<&Anchor>, update: &Update) -> Option<Anchor> {
    let Some(old) = old else {
        return update.sample.clone();
    };
    let is_named = old.origin == Origin::Document;
    let is_dropped = is_named || update.drops_example && sources::is_chosen_by_itself(old);
    let is_replaceable = is_named || sources::is_chosen_by_itself(old);
    match &update.sample {
        Some(sample) if is_replaceable => Some(sample.clone()),
        _ if is_dropped => None,
        _ => Some(old.clone()),
    }
}

/// Marks a rule as a duplicate if the bank contains it by now.
fn is_known(known: &Sources, report: &mut Report, rule: &NewRule) -> bool {
    let item = &mut report.items[rule.item_idx];
    let Some(memory_idx) = known.same_text(&sources::digest(&item.text)) else {
        return false;
    };
    item.outcome = Outcome::Duplicate;
    item.id = Some(known.id(memory_idx).to_owned());
    true
}

/// Returns the id and the text of a new memory.
fn new_memory(project: &Project, item: &Item, rule: &NewRule) -> Result<(MemoryId, String)> {
    let frontmatter = Frontmatter {
        memory_type: Some(MemoryType::Rule),
        status: item.doubt.is_some().then_some(MemoryStatus::Proposed),
        category: item.category.clone(),
        heading: item.heading.clone(),
        scope: Some(rule.scope.clone()),
        paths: item.paths.clone(),
        tags: item.tags.clone(),
        created_at: Some(seconds(project.now)),
        source: rule.sources.clone(),
        ..Frontmatter::default()
    };
    let id = item.id.as_deref().unwrap_or_default().parse()?;
    let text = memories::text_of(&frontmatter, &item.text);
    memories::check_size(&text)?;
    Ok((id, text))
}

/// Returns the new text of a memory.
fn updated(
    project: &Project,
    item: Option<&Item>,
    (stored, old): (&MemoryFile, &str),
    update: &Update,
) -> Result<String> {
    let failed = |error| document::edit_error(&stored.file, error);
    let heading = item.and_then(|item| item.heading.as_deref());
    let is_new_heading = heading != stored.memory.heading.as_deref();
    let source = match &update.sources[..] {
        [one] => FieldValue::Scalar(one),
        several => FieldValue::List(several),
    };
    let is_new_path = update.paths != stored.memory.paths;
    let fields = [
        (
            "heading",
            heading.filter(|_| is_new_heading).map(FieldValue::Scalar),
        ),
        (
            "paths",
            is_new_path.then_some(FieldValue::List(&update.paths)),
        ),
        ("source", Some(source)),
    ];
    let mut text = document::set_fields(old.to_owned(), fields).map_err(failed)?;
    if let Some(item) = item {
        text = edit::body(&text, &item.text, EditMode::Replace).map_err(failed)?;
    }
    Ok(frontmatter::set_updated_at(
        &text,
        &seconds(project.now).to_string(),
    ))
}
