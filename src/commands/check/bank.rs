//! The checks of the bank: anchors, links of memories, managed blocks, imported rules.

use super::Finding;
use crate::commands::doctor::stale_blocks;
use crate::commands::import;
use crate::commands::prelude::*;
use crate::commands::reanchor::{self, ReanchorArgs};
use cerberus_bank::ops::links;
use cerberus_engine::tree::git::past;

/// Adds the findings of the bank. With `since`, only those that the changes since then may have
/// caused: anchors on changed code, links whose target was there or whose memory changed, blocks and
/// imported rules whose document or memories changed.
pub(super) fn check(
    project: &Project,
    since: Option<&str>,
    findings: &mut Vec<Finding>,
    warnings: &mut Vec<String>,
) -> Result<()> {
    anchors(project, since, findings, warnings)?;
    let mut found = Vec::new();
    let broken = links::links(project, true)?;
    for edge in &broken.edges {
        let file = project.bank.shown_path(&edge.file, &project.root);
        found.push(Finding {
            line: edge.line,
            message: "the target of this link does not exist".to_owned(),
            next: "cerberus memory links --broken".to_owned(),
            ..Finding::new("memoryLink", file, &edge.target)
        });
    }
    for (path, next) in stale_blocks(project)? {
        let message =
            "the block of cerberus is out of date, or was written with other options".to_owned();
        found.push(Finding {
            message,
            next,
            ..Finding::new("block", path.to_owned(), "cerberus:start")
        });
    }
    for item in import::differences(project)? {
        let id = item.id.as_deref().unwrap_or(&item.text);
        found.push(Finding {
            line: item.line,
            message: format!("the bank differs from this rule: {}", item.outcome.as_str()),
            next: format!("cerberus memory import {}", item.file),
            ..Finding::new("import", item.file.clone(), id)
        });
    }
    if let Some(since) = since {
        retain_new(project, since, &mut found)?;
    }
    findings.append(&mut found);
    Ok(())
}

/// Removes the findings that the changes since a commit cannot have caused.
fn retain_new(project: &Project, since: &str, findings: &mut Vec<Finding>) -> Result<()> {
    let root = &project.root;
    let files: BTreeSet<String> = findings.iter().map(|finding| finding.file.clone()).collect();
    let bank = project.bank.folder().strip_prefix(root).ok();
    let changed = git::changed_since(root, since, &files, bank)?;
    let is_bank_changed =
        bank.is_some_and(|bank| changed.iter().any(|file| Path::new(file).starts_with(bank)));
    let targets: Vec<String> =
        findings.iter().map(|finding| format!("{since}:./{}", finding.claim)).collect();
    let old = past::ids(root, &targets.iter().map(String::as_str).collect::<Vec<_>>());
    let mut old = old.into_iter();
    findings.retain(|finding| {
        let was_there = old.next().flatten().is_some();
        changed.contains(&finding.file)
            || match finding.check {
                "memoryLink" => was_there,
                _ => is_bank_changed,
            }
    });
    Ok(())
}

fn anchors(
    project: &Project,
    since: Option<&str>,
    findings: &mut Vec<Finding>,
    warnings: &mut Vec<String>,
) -> Result<()> {
    if project.bank.anchors()?.is_empty() {
        return Ok(());
    }
    let since = since.map(str::to_owned);
    let args = ReanchorArgs { check: true, since, ..ReanchorArgs::default() };
    let report = reanchor::reanchor(project, &args, &|_, _| ())?;
    warnings.extend(report.warnings);
    for anchor in &report.results {
        let is_outdated = anchor.written && anchor.state != State::Reformatted;
        if anchor.drift || is_outdated {
            let next = anchor.next.clone().unwrap_or_else(|| "cerberus memory reanchor".to_owned());
            let message = format!("its example is {}: {}", anchor.state, anchor.reason);
            let finding = Finding::new("anchor", anchor.memory.clone(), &anchor.id);
            findings.push(Finding { message, next, ..finding });
        }
    }
    for id in report.orphans.iter().chain(&report.undecided) {
        let message = "the lock file has an anchor that needs a decision".to_owned();
        let file = project.bank.shown_path("anchors.lock", &project.root);
        let next = "cerberus memory reanchor".to_owned();
        findings.push(Finding { message, next, ..Finding::new("anchor", file, id) });
    }
    Ok(())
}
