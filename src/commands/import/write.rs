//! Writes what an import adds and changes.

use anyhow::Result;

use super::classify::Update;
use super::rules::{self, NewRule, Outcome, Plan, Report};
use super::sources::Sources;
use crate::bank::{ImportChanges, WriteOp};
use crate::markdown::edit::{self, EditMode};
use crate::markdown::frontmatter::{self, FieldValue, Frontmatter};
use crate::model::MemoryType;
use crate::ops::memories::Memories;
use crate::ops::{Project, document, seconds};

/// Writes all memories with their anchors; if one fails, the written ones are reverted.
pub(super) fn write(project: &Project, plan: &mut Plan) -> Result<()> {
    if plan.new_rules.is_empty() && plan.updates.is_empty() {
        return Ok(());
    }
    let _guard = project.bank.lock_for_writing()?;
    // Another process may have imported the same rules, used the same ids or edited a memory.
    let memories = Memories::load(project)?;
    let Plan { report, new_rules, updates, memories: planned, .. } = plan;
    updates.retain(|update| {
        let old = &planned.all[update.memory_idx];
        let current = memories.all.iter().find(|stored| stored.file == old.file);
        let is_same = current.is_some_and(|current| current.text == old.text);
        if !is_same {
            report.warnings.push(format!("`{}` changed during the import", old.memory.id));
        }
        is_same
    });
    let known = Sources::new(&memories);
    new_rules.retain(|rule| !is_known(&known, report, rule));
    rules::assign_ids(&memories, report, new_rules)?;
    let old = project.bank.anchors()?;
    let mut anchors = old.clone();
    for rule in &mut *new_rules {
        let id = report.items[rule.item_idx].id.clone().unwrap_or_default();
        anchors.extend(rule.anchor.take().map(|anchor| (id, anchor)));
    }
    // If the import is interrupted, readers see the bank before it and the next writer undoes it.
    let ids = new_rules.iter().filter_map(|rule| report.items[rule.item_idx].id.as_ref());
    let created = ids.map(|id| format!("{id}.md")).collect();
    let changed = updates.iter().map(|update| planned.all[update.memory_idx].file.clone());
    let changed: Vec<String> = changed.collect();
    let import = ImportChanges { created, replaced: Vec::new(), changed, after: &anchors };
    let import = project.bank.begin_import(&import)?;
    let mut written = Vec::new();
    let result = project.bank.write_anchors(&anchors);
    let result = result
        .and_then(|_| write_files(project, plan, &mut written))
        .and_then(|()| project.bank.sync(&written));
    if let Err(error) = result {
        project.bank.roll_back(written)?;
        project.bank.write_anchors(&old)?;
        project.bank.cancel_import(&import)?;
        return Err(error);
    }
    project.bank.finish_import()
}

/// Marks a rule as a duplicate if the bank contains it by now.
fn is_known(known: &Sources, report: &mut Report, rule: &NewRule) -> bool {
    let item = &mut report.items[rule.item_idx];
    let Some(memory_idx) = known.same_text(&super::sources::digest(&item.text)) else {
        return false;
    };
    item.outcome = Outcome::Duplicate;
    item.id = Some(known.id(memory_idx).to_owned());
    true
}

fn write_files(project: &Project, plan: &Plan, written: &mut Vec<WriteOp>) -> Result<()> {
    let new_memory = |rule: &NewRule| {
        let item = &plan.report.items[rule.item_idx];
        let frontmatter = Frontmatter {
            memory_type: Some(MemoryType::Rule),
            category: item.category.clone(),
            heading: item.heading.clone(),
            scope: Some(rule.scope.clone()),
            paths: item.paths.clone(),
            tags: item.tags.clone(),
            created_at: Some(seconds(project.now)),
            source: rule.sources.clone(),
            ..Frontmatter::default()
        };
        (item.id.as_deref().unwrap_or_default(), frontmatter, &item.text[..])
    };
    let new: Vec<_> = plan.new_rules.iter().map(new_memory).collect();
    project.bank.create_memories_unsynced(&new, written)?;
    for update in &plan.updates {
        let stored = &plan.memories.all[update.memory_idx];
        let old = project.bank.utf8_text(stored)?;
        let new = updated(project, plan, update, &old)?;
        if new != old {
            let op = project.bank.replace_file(&stored.file, new.as_bytes(), old.into_bytes())?;
            written.push(op);
        }
    }
    Ok(())
}

/// Returns the new text of a memory.
fn updated(project: &Project, plan: &Plan, update: &Update, old: &str) -> Result<String> {
    let stored = &plan.memories.all[update.memory_idx];
    let failed = |error| document::edit_error(&stored.file, error);
    let item = update.item_idx.map(|item_idx| &plan.report.items[item_idx]);
    let heading = item.and_then(|item| item.heading.as_deref());
    let is_new_heading = heading != stored.memory.heading.as_deref();
    let source = match &update.sources[..] {
        [one] => FieldValue::Scalar(one),
        several => FieldValue::List(several),
    };
    let is_new_path = update.paths != stored.memory.paths;
    let fields = [
        ("heading", heading.filter(|_| is_new_heading).map(FieldValue::Scalar)),
        ("paths", is_new_path.then_some(FieldValue::List(&update.paths))),
        ("source", Some(source)),
    ];
    let mut text = document::set_fields(old.to_owned(), fields).map_err(failed)?;
    if let Some(item) = item {
        text = edit::body(&text, &item.text, EditMode::Replace).map_err(failed)?;
    }
    Ok(frontmatter::set_updated_at(&text, &seconds(project.now).to_string()))
}
