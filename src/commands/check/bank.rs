//! The checks of the bank: anchors, links of memories, managed blocks, imported rules.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::{Project, import, links, reanchor};
use cerberus_engine::tree::git;
use cerberus_engine::tree::git::past;
use cerberus_model::{Origin, State};

use super::finding::{Check, Finding};
use crate::commands::doctor::stale_blocks;
use crate::commands::findings::{self, Unchecked};

/// Adds the findings of the bank. With `since`, only those that the changes since then may have
/// caused: anchors on changed code, links whose target was there or whose memory changed, blocks and
/// imported rules whose document or memories changed. Returns what was not checked.
pub(super) fn check(
    project: &Workspace,
    since: Option<&str>,
    findings: &mut Vec<Finding>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Unchecked>> {
    let memories = project.memories()?;
    anchors((project, &memories), since, findings, warnings)?;
    let mut found = Vec::new();
    let broken = links::links(project, true)?;
    for edge in &broken.edges {
        let place = (
            project.bank.shown_path(&edge.file, &project.root),
            edge.line,
        );
        let finding = Finding::new(Check::MemoryLink, place, &edge.target);
        let message = "the target of this link does not exist";
        found.push(finding.with(message, "cerberus memory links --broken"));
    }
    for (path, next) in stale_blocks(project)? {
        let message = "the block of cerberus is out of date, or was written with other options";
        let finding = Finding::new(Check::Block, (path.to_owned(), 1), "cerberus:start");
        found.push(finding.with(message, next));
    }
    for item in import::differences(project)? {
        let id = item.id.as_deref().unwrap_or(&item.text);
        let message = format!("the bank differs from this rule: {}", item.outcome.as_str());
        let next = format!("cerberus memory import {}", item.file);
        let finding = Finding::new(Check::Import, (item.file.clone(), item.line), id);
        found.push(finding.with(message, next));
    }
    if let Some(since) = since {
        retain_new(project, since, &mut found)?;
    }
    findings.append(&mut found);
    Ok(findings::unread_memories(project, &memories))
}

/// Removes the findings that the changes since a commit cannot have caused.
fn retain_new(project: &Project, since: &str, findings: &mut Vec<Finding>) -> Result<()> {
    let root = &project.root;
    let files: BTreeSet<String> = findings
        .iter()
        .map(|finding| finding.file.clone())
        .collect();
    let bank = project.bank.folder().strip_prefix(root).ok();
    let changed = git::changed_since(root, since, &files, bank)?;
    let is_bank_changed =
        bank.is_some_and(|bank| changed.iter().any(|file| Path::new(file).starts_with(bank)));
    let targets: Vec<String> = findings
        .iter()
        .map(|finding| format!("{since}:./{}", finding.claim))
        .collect();
    let old = past::ids(
        root,
        &targets.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let mut old = old.into_iter();
    findings.retain(|finding| {
        let was_there = old.next().flatten().is_some();
        changed.contains(&finding.file)
            || match finding.check {
                Check::MemoryLink => was_there,
                _ => is_bank_changed,
            }
    });
    Ok(())
}

fn anchors(
    (project, memories): (&Workspace, &Memories),
    since: Option<&str>,
    findings: &mut Vec<Finding>,
    warnings: &mut Vec<String>,
) -> Result<()> {
    if memories.anchors.is_empty() {
        return Ok(());
    }
    let request = reanchor::Request {
        since: since.map(str::to_owned),
        ..reanchor::Request::check()
    };
    let report = reanchor::reanchor_in(project, memories, &request, &|_, _| ())?;
    warnings.extend(
        report
            .warnings
            .into_iter()
            .filter(|it| !memories.unread.contains(it)),
    );
    for anchor in &report.results {
        // The check of the document says that its path is wrong.
        let is_said = anchor.chosen == Origin::Document
            && matches!(anchor.state, State::Moved | State::Gone)
            && !project.root.join(&anchor.old.file).exists();
        if is_said {
            continue;
        }
        let is_outdated = anchor.written && anchor.state != State::Reformatted;
        if anchor.drift || is_outdated {
            let next = anchor
                .next
                .clone()
                .unwrap_or_else(|| "cerberus memory reanchor".to_owned());
            let message = format!("its example is {}: {}", anchor.state, anchor.reason);
            let finding = Finding::new(Check::Anchor, (anchor.memory.clone(), 1), &anchor.id);
            findings.push(finding.with(message, next));
        }
    }
    let file = project.bank.shown_path("anchors.lock", &project.root);
    for id in report.orphans.iter().chain(&report.undecided) {
        let message = "the lock file has an anchor that needs a decision";
        let finding = Finding::new(Check::Anchor, (file.clone(), 1), id);
        findings.push(finding.with(message, "cerberus memory reanchor"));
    }
    Ok(())
}
