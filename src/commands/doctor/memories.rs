//! Checks of the files of the bank: memories, pins and the lock file.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{Doctor, shown};
use crate::config::{Severity, failed_check};
use cerberus_bank::ops::memories;
use cerberus_bank::{MemoryFile, names};
use cerberus_markdown::{frontmatter, sections};
use cerberus_model::text::plural;

impl Doctor<'_> {
    /// Checks the bank's folder.
    pub(super) fn bank(&mut self) -> Result<()> {
        if !self.memory_enabled {
            self.check = "configuration";
            let next = "set `enabled = true` under `[memory]` in `cerberus.toml`";
            self.info("memory is disabled for this project", next);
            return Ok(());
        }
        self.checks.push("bank".to_owned());
        let bank = &self.project.bank;
        let folder = shown(self.project, bank.folder());
        if !bank.exists() {
            if bank.folder().symlink_metadata().is_ok() {
                let next = format!(
                    "move it away, then run `cerberus memory init`: mv {folder} {folder}.old"
                );
                self.error(format!("`{folder}` is not a folder"), next);
            } else {
                self.error("there is no bank", "cerberus memory init");
            }
            return Ok(());
        }
        if let Some(why) = bank.unwritable() {
            let message = format!("{why}; memories cannot be saved");
            self.error(message, format!("chmod -R u+w {folder}"));
        }
        self.has_bank = true;
        Ok(())
    }

    /// Checks each memory.
    pub(super) fn memories(&mut self) -> Result<()> {
        let (files, warnings) = self.project.bank.list()?;
        for warning in warnings {
            self.error(warning, "replace it by a regular file with a valid name");
        }
        let folder = shown(self.project, self.project.bank.folder());
        let mut all = Vec::with_capacity(files.len());
        for file in files {
            if let Err(failure) = names::check_file(&file) {
                self.info(failure.message, format!("rename it in `{folder}`"));
            }
            match self.project.bank.read(&file) {
                Ok(stored) => all.push(stored),
                Err(error) => {
                    let mut finding = failed_check("memories", &error);
                    if finding.severity == Severity::Error {
                        finding.next = format!("split it, or move it out of `{folder}`");
                    }
                    self.findings.push(finding);
                }
            }
        }
        self.checks.push(plural(all.len(), "memory"));
        for stored in &all {
            self.text(stored);
        }
        self.ids(&all);
        Ok(())
    }

    fn text(&mut self, stored: &MemoryFile) {
        let (id, text) = (&stored.memory.id, &stored.text);
        let path = shown(self.project, &self.project.bank.folder().join(&stored.file));
        let find = |marker: &str| text.lines().position(|line| line.starts_with(marker));
        if let (Some(line), Some(_)) = (find("<<<<<<< "), find(">>>>>>> ")) {
            let message = format!("`{path}:{}` has a merge conflict", line + 1);
            self.error(message, format!("resolve the conflict in `{path}`"));
            // Other problems of this file are consequences of the conflict.
            return;
        }
        let problem = |line: usize, column: usize, message: &str, n_problems: usize| {
            let more = match n_problems {
                1 => String::new(),
                n => format!(" (and {} more)", n - 1),
            };
            format!("`{path}:{}:{}`: {message}{more}", line + 1, column + 1)
        };
        let front = frontmatter::parse(text).warnings;
        if let Some(first) = front.first() {
            let message = problem(first.line, first.column, &first.message, front.len());
            let next = first.hint.clone().unwrap_or_else(|| "fix the line in an editor".to_owned());
            self.error(message, next);
        }
        for warning in
            stored.warnings.iter().filter(|it| !it.starts_with(&format!("{}:", stored.file)))
        {
            let next = match warning.contains("UTF-8") {
                true => "save it as UTF-8 in an editor".to_owned(),
                false => format!("split it: cerberus memory sections {id}"),
            };
            self.info(warning.clone(), next);
        }
        let tags = sections::parse(text).diagnostics;
        if let Some(first) = tags.first() {
            let message = problem(first.line, first.column, &first.message, tags.len());
            self.error(message, format!("cerberus memory sections {id} --validate"));
        }
        if let Err(why) = memories::languages(&stored.memory.scope)
            && why.contains("not indexed")
        {
            let next = format!("cerberus memory update {id} --scope project");
            self.info(format!("`{id}` cannot have an example: {why}"), next);
        }
    }

    fn ids(&mut self, all: &[MemoryFile]) {
        let mut by_id: BTreeMap<String, Vec<&MemoryFile>> = BTreeMap::new();
        for stored in all {
            by_id.entry(stored.memory.id.to_lowercase()).or_default().push(stored);
        }
        for same in by_id.values() {
            let (id, file) = (&same[0].memory.id, &same[0].file);
            for other in &same[1..] {
                let (other_id, other) = (&other.memory.id, &other.file);
                let message = match other_id == id {
                    true => format!("`{other}` is ignored: `{file}` already has the id `{id}`"),
                    false => format!(
                        "the ids `{id}` of `{file}` and `{other_id}` of `{other}` differ only in case"
                    ),
                };
                self.error(message, format!("set a unique `id` in the frontmatter of `{other}`"));
            }
        }
    }

    /// Checks that the persistent pins are readable.
    pub(super) fn pins(&mut self) -> Result<()> {
        let file = self.project.bank.pins()?;
        self.checks.push(plural(file.pins.len(), "pin"));
        if let Some(fault) = file.fault {
            let path = shown(self.project, &self.project.bank.pin_file());
            let next = format!("fix it, or restore it: git checkout -- {path}");
            self.error(format!("{fault}; its pins are not injected"), next);
        }
        Ok(())
    }

    /// Checks that the lock file is readable.
    pub(super) fn anchors(&mut self) -> Result<()> {
        match self.project.bank.anchors() {
            Ok(anchors) => self.checks.push(plural(anchors.len(), "anchor")),
            Err(error) => {
                let mut finding = failed_check("anchors", &error);
                // The check did run: the file is damaged, or of a newer cerberus.
                let is_damaged = error.is::<cerberus_model::error::UserError>();
                finding.severity = if is_damaged { Severity::Error } else { finding.severity };
                self.findings.push(finding);
            }
        }
        Ok(())
    }
}
