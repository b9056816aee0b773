//! Checks of the files of the bank: memories, pins and the lock file.

use anyhow::Result;
use cerberus_bank::MemoryFile;
use cerberus_bank::memories::size_warning;
use cerberus_markdown::{Diagnostic, sections};
use cerberus_model::Severity;
use cerberus_model::text::plural;

use super::{Doctor, shown};
use crate::config::{Finding, failed_check};

impl Doctor<'_> {
    /// Checks the bank's folder.
    pub(super) fn bank(&mut self) -> Result<()> {
        if !self.config.memory_enabled {
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
                let message =
                    "there is no bank, so no rules are stored; `cerberus check` needs none";
                self.info(message, "cerberus memory init");
            }
            return Ok(());
        }
        self.has_bank = true;
        Ok(())
    }

    /// Checks the memories and the lock file.
    pub(super) fn memories(&mut self) -> Result<()> {
        let memories = match self.project.bank.read_all() {
            Ok(memories) => memories,
            Err(error) => {
                // The hint of the error repairs it.
                let severity = Severity::Error;
                self.config.findings.push(Finding {
                    severity,
                    ..failed_check("memories", &error)
                });
                return Ok(());
            }
        };
        self.checks.push(plural(memories.all.len(), "memory"));
        self.checks.push(plural(memories.anchors.len(), "anchor"));
        let folder = shown(self.project, self.project.bank.folder());
        let size = |stored: &MemoryFile| size_warning(&stored.file, stored.text.len());
        let sizes: Vec<String> = memories.all.iter().filter_map(size).collect();
        for warning in memories.warnings {
            let next = format!("correct it in `{folder}`");
            match sizes.contains(&warning) {
                true => self.info(warning, next),
                false => self.error(warning, next),
            }
        }
        for stored in &memories.all {
            let tags = sections::parse(&stored.text).diagnostics;
            if let Some(first) = tags.first() {
                let Diagnostic {
                    line,
                    column,
                    message,
                    ..
                } = first;
                let place = format!("{}:{}:{}", stored.file, line + 1, column + 1);
                let next = format!("cerberus memory sections {} --validate", stored.memory.id);
                self.error(format!("{place}: {message}"), next);
            }
        }
        Ok(())
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
}
