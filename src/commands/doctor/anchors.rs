//! Checks of the lock file and the anchors in it.

use anyhow::Result;

use super::{Doctor, Stage, listed, shown};
use crate::commands::reanchor::{self, Finding, ReanchorArgs};
use crate::config::{Severity, failed_check};
use cerberus_model::State;
use cerberus_model::text::plural;

impl Doctor<'_> {
    /// Checks the lock file, and the anchors as `reanchor --check` does.
    pub(super) fn anchors(&mut self) -> Result<()> {
        let anchors = match self.project.bank.anchors() {
            Ok(anchors) => anchors,
            Err(error) => {
                let mut finding = failed_check("anchors", &error);
                // The check did run: the file is damaged, or of a newer cerberus.
                let is_damaged = error.is::<cerberus_model::error::UserError>();
                finding.severity = if is_damaged { Severity::Error } else { finding.severity };
                self.findings.push(finding);
                return Ok(());
            }
        };
        self.stage = Stage::Anchors;
        self.checks.push(plural(anchors.len(), "anchor"));
        let Some(memories) = self.memories.as_ref().filter(|_| !anchors.is_empty()) else {
            return Ok(());
        };
        let path = shown(self.project, &self.project.bank.lockfile());
        let has_memory = |id: &&String| memories.iter().any(|stored| stored.memory.id == **id);
        let orphans: Vec<String> = anchors.keys().filter(|id| !has_memory(id)).cloned().collect();
        if !orphans.is_empty() {
            let n = plural(orphans.len(), "anchor");
            let message = format!("`{path}` has {n} without a memory: {}", listed(&orphans));
            self.error(message, "cerberus memory reanchor");
        }
        let Some(scratch) = self.scratch() else { return Ok(()) };
        let args = ReanchorArgs { check: true, ..ReanchorArgs::default() };
        let report = reanchor::reanchor(&scratch, &args, &|_, _| ())?;
        let labels = |findings: &[&Finding]| -> Vec<String> {
            findings.iter().map(|it| format!("{} ({})", it.id, it.state)).collect()
        };
        let (drifted, held): (Vec<&Finding>, Vec<&Finding>) =
            report.results.iter().partition(|finding| finding.drift);
        let is_stale = |it: &&Finding| it.written && it.state != State::Reformatted;
        let stale: Vec<&Finding> = held.into_iter().filter(is_stale).collect();
        if !drifted.is_empty() {
            let (n, names) = (plural(drifted.len(), "anchor"), listed(&labels(&drifted)));
            let message = format!("{n} drifted (lost, or no longer matching the rule): {names}");
            self.error(message, "cerberus memory reanchor --check");
        }
        if !stale.is_empty() {
            let (n, names) = (plural(stale.len(), "anchor"), listed(&labels(&stale)));
            let message = format!("{n} changed and not recorded: {names}");
            self.error(message, "cerberus memory reanchor");
        } else if !report.ok && drifted.is_empty() && orphans.is_empty() {
            self.error(format!("`{path}` is out of date"), "cerberus memory reanchor");
        }
        Ok(())
    }
}
