//! The lock file, and whether the code still is what it says.

use crate::bank::MemoryFile;
use crate::commands::reanchor::{self, Finding, ReanchorArgs};
use crate::model::State;

use super::{Doctor, Severity, counted, failed, listed, shown};

impl Doctor<'_> {
    /// Looks at the lock file, and follows the anchors as `reanchor --check` does; returns
    /// whether they can be read.
    pub(super) fn anchors(&mut self, memories: Option<&Vec<MemoryFile>>) -> bool {
        let anchors = match self.project.bank.anchors() {
            Ok(anchors) => anchors,
            Err(error) => {
                let mut finding = failed("anchors", &error);
                // That was seen well enough: the file is damaged, or of a newer cerberus.
                let is_damaged = error.is::<crate::error::UserError>();
                finding.severity = if is_damaged { Severity::Wrong } else { finding.severity };
                self.findings.push(finding);
                return false;
            }
        };
        self.looked_at.push(counted(anchors.len(), "anchor", "anchors"));
        let Some(memories) = memories.filter(|_| !anchors.is_empty()) else { return true };
        let path = shown(self.project, &self.project.bank.lockfile());
        let has_memory = |id: &&String| memories.iter().any(|stored| stored.memory.id == **id);
        let orphans: Vec<String> = anchors.keys().filter(|id| !has_memory(id)).cloned().collect();
        if !orphans.is_empty() {
            let n = counted(orphans.len(), "id that is no memory", "ids that are no memories");
            let message = format!("`{path}` anchors {n}: {}", listed(&orphans));
            self.wrong("anchors", message, "cerberus memory reanchor");
        }
        self.with_store("anchors", |doctor, scratch| {
            let args = ReanchorArgs { check: true, ..ReanchorArgs::default() };
            let report = reanchor::reanchor(scratch, &args, &|_, _| ())?;
            let told = |it: &&Finding| format!("{} ({})", it.id, it.state);
            let (drifted, held): (Vec<&Finding>, Vec<&Finding>) =
                report.results.iter().partition(|finding| finding.drift);
            if !drifted.is_empty() {
                let lost = counted(
                    drifted.len(),
                    "anchor is lost or no longer shows its rule",
                    "anchors are lost or no longer show their rules",
                );
                let names: Vec<String> = drifted.iter().map(told).collect();
                doctor.wrong(
                    "anchors",
                    format!("{lost}: {}", listed(&names)),
                    "cerberus memory reanchor --check",
                );
            }
            let is_stale = |it: &&Finding| it.written && it.state != State::Reformatted;
            let stale: Vec<String> =
                held.iter().copied().filter(|it| is_stale(it)).map(|it| told(&it)).collect();
            if !stale.is_empty() {
                let n = counted(
                    stale.len(),
                    "anchor has changed and is not recorded",
                    "anchors have changed and are not recorded",
                );
                doctor.wrong(
                    "anchors",
                    format!("{n}: {}", listed(&stale)),
                    "cerberus memory reanchor",
                );
            } else if !report.ok && drifted.is_empty() && orphans.is_empty() {
                let message = format!("`{path}` is out of date");
                doctor.wrong("anchors", message, "cerberus memory reanchor");
            }
            Ok(())
        });
        true
    }
}
