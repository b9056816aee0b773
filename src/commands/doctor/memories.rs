//! Checks of the bank's folder, the memories, their links and the pins.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{Doctor, Stage, listed, shown};
use crate::commands::show;
use crate::config::{Severity, failed_check};
use cerberus_bank::ops::{links, memories, pins};
use cerberus_bank::{MemoryFile, names};
use cerberus_markdown::{frontmatter, sections};
use cerberus_model::text::plural;
use cerberus_model::{MemoryStatus, MemoryType};

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
        bank.check_readable()?;
        if let Some(why) = bank.unwritable() {
            let message = format!("{why}; memories cannot be saved");
            self.error(message, format!("chmod -R u+w {folder}"));
        }
        let stale = bank.stale_temp_files();
        if !stale.is_empty() {
            let n = plural(stale.len(), "temporary file");
            let paths: Vec<String> = stale.iter().map(|file| format!("{folder}/{file}")).collect();
            let message = format!("{n} of an interrupted command: {}", listed(&paths));
            self.info(message, format!("find {folder} -name \".cerberus-tmp-*\" -delete"));
        }
        self.create_scratch();
        self.stage = Stage::Bank;
        Ok(())
    }

    /// Checks each memory and loads the readable ones.
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
        self.ids(&all, &folder);
        self.rules_without_example(&all);
        self.memories = Some(all);
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

    fn ids(&mut self, all: &[MemoryFile], folder: &str) {
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
        let mut files: BTreeMap<String, &str> = BTreeMap::new();
        for MemoryFile { file, .. } in all {
            if let Some(other) = files.insert(file.to_lowercase(), file) {
                let message = format!(
                    "`{other}` and `{file}` are the same file on case-insensitive file systems"
                );
                self.error(message, format!("rename one of them in `{folder}` with `git mv`"));
            }
        }
    }

    fn rules_without_example(&mut self, all: &[MemoryFile]) {
        // The check of the anchors reports an unreadable lock file.
        let Ok(anchors) = self.project.bank.anchors() else { return };
        for stored in all.iter().filter(|stored| stored.memory.example.is_some()) {
            let id = &stored.memory.id;
            if anchors.contains_key(id) {
                let message =
                    format!("`{id}` has `example: none` in its frontmatter but also has an anchor");
                self.error(message, show::remove_anchor_or_decision(stored));
            }
        }
        let is_without = |stored: &&MemoryFile| {
            let memory = &stored.memory;
            memory.memory_type == MemoryType::Rule
                && memory.status == MemoryStatus::Active
                && memories::languages(&memory.scope).is_ok()
                && !anchors.contains_key(&memory.id)
        };
        let without: Vec<String> =
            all.iter().filter(is_without).map(|stored| stored.memory.id.clone()).collect();
        if let Some(first) = without.first() {
            let n = plural(without.len(), "rule");
            let next = format!(
                "cerberus memory anchor {first} --candidates 5, or add --hint with a word of its code"
            );
            self.info(format!("{n} without an example: {}", listed(&without)), next);
        }
    }

    /// Checks the links between memories and to code.
    pub(super) fn links(&mut self) -> Result<()> {
        let Some(scratch) = self.scratch() else { return Ok(()) };
        let report = links::links(&scratch, true)?;
        self.checks.push(plural(report.total, "link"));
        if report.broken > 0 {
            let place = |it: &links::Edge| format!("{}:{} to {}", it.file, it.line, it.target);
            let places: Vec<String> = report.edges.iter().map(place).collect();
            let n = plural(report.broken, "broken link");
            let message = format!("{n}: {}", listed(&places));
            self.error(message, "cerberus memory links --broken");
        }
        for cycle in &report.cycles {
            self.error(cycle.warning(), "remove one of these links");
        }
        Ok(())
    }

    /// Checks the persistent pins.
    pub(super) fn pins(&mut self) -> Result<()> {
        let Some(scratch) = self.scratch() else { return Ok(()) };
        let path = shown(self.project, &scratch.bank.pin_file());
        let file = scratch.bank.pins()?;
        if let Some(fault) = file.fault {
            let next = format!("fix it, or restore it: git checkout -- {path}");
            self.error(format!("{fault}; its pins are not injected"), next);
            return Ok(());
        }
        let totals = pins::list(&scratch, &pins::Filter::default(), false, None)?.totals;
        self.checks.push(plural(totals.pins, "pin"));
        if totals.pins > totals.max_pins || totals.tokens > totals.max_tokens {
            let message = format!(
                "{} with {} exceed the limit of {} and {}",
                plural(totals.pins, "pin"),
                plural(totals.tokens, "token"),
                plural(totals.max_pins, "pin"),
                plural(totals.max_tokens, "token")
            );
            self.error(message, "find pins to remove: cerberus memory pin list");
        }
        Ok(())
    }
}
