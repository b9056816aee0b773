//! Checks of the lock file and the anchors in it.

use crate::commands::reanchor::{self, Finding, ReanchorArgs};
use crate::model::State;
use crate::text::plural;

use crate::config::{Severity, failed_check};

use super::{Doctor, Stage, listed, shown};

impl Doctor<'_> {
    /// Checks the lock file, and the anchors as `reanchor --check` does.
    pub(super) fn anchors(&mut self) {
        let anchors = match self.project.bank.anchors() {
            Ok(anchors) => anchors,
            Err(error) => {
                let mut finding = failed_check("anchors", &error);
                // The check did run: the file is damaged, or of a newer cerberus.
                let is_damaged = error.is::<crate::error::UserError>();
                finding.severity = if is_damaged { Severity::Error } else { finding.severity };
                self.findings.push(finding);
                return;
            }
        };
        self.stage = Stage::Anchors;
        self.checks.push(plural(anchors.len(), "anchor"));
        let Some(memories) = self.memories.as_ref().filter(|_| !anchors.is_empty()) else { return };
        let path = shown(self.project, &self.project.bank.lockfile());
        let has_memory = |id: &&String| memories.iter().any(|stored| stored.memory.id == **id);
        let orphans: Vec<String> = anchors.keys().filter(|id| !has_memory(id)).cloned().collect();
        if !orphans.is_empty() {
            let n = plural(orphans.len(), "anchor");
            let message = format!("`{path}` has {n} without a memory: {}", listed(&orphans));
            self.error("anchors", message, "cerberus memory reanchor");
        }
        self.with_store("anchors", |doctor, scratch| {
            let args = ReanchorArgs { check: true, ..ReanchorArgs::default() };
            let report = reanchor::reanchor(scratch, &args, &|_, _| ())?;
            let label = |it: &&Finding| format!("{} ({})", it.id, it.state);
            let (drifted, held): (Vec<&Finding>, Vec<&Finding>) =
                report.results.iter().partition(|finding| finding.drift);
            if !drifted.is_empty() {
                let n = plural(drifted.len(), "anchor");
                let names: Vec<String> = drifted.iter().map(label).collect();
                doctor.error(
                    "anchors",
                    format!(
                        "{n} drifted (lost, or no longer matching the rule): {}",
                        listed(&names)
                    ),
                    "cerberus memory reanchor --check",
                );
            }
            let is_stale = |it: &&Finding| it.written && it.state != State::Reformatted;
            let stale: Vec<String> =
                held.iter().copied().filter(|it| is_stale(it)).map(|it| label(&it)).collect();
            if !stale.is_empty() {
                let n = plural(stale.len(), "anchor");
                doctor.error(
                    "anchors",
                    format!("{n} changed and not recorded: {}", listed(&stale)),
                    "cerberus memory reanchor",
                );
            } else if !report.ok && drifted.is_empty() && orphans.is_empty() {
                let message = format!("`{path}` is out of date");
                doctor.error("anchors", message, "cerberus memory reanchor");
            }
            Ok(())
        });
    }
}
