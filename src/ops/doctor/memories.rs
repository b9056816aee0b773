//! The bank's folder and what the memories say of themselves.

use std::collections::BTreeMap;

use crate::bank::{MemoryFile, names};
use crate::markdown::{frontmatter, sections};
use crate::model::{MemoryStatus, MemoryType};

use super::super::{links, memories, pins};
use super::{Doctor, Severity, counted, failed, listed, shown};

impl Doctor<'_> {
    /// Looks at the bank's folder; returns whether there is anything to look at in it.
    pub(super) fn bank(&mut self) -> bool {
        self.looked_at.push("bank".to_owned());
        let bank = &self.project.bank;
        let folder = shown(self.project, bank.folder());
        if !bank.exists() {
            if bank.folder().symlink_metadata().is_ok() {
                let next = format!(
                    "move it away, then run `cerberus memory init`: mv {folder} {folder}.old"
                );
                self.wrong("bank", format!("`{folder}` is no folder"), next);
            } else {
                self.wrong("bank", "there is no bank", "cerberus memory init");
            }
            return false;
        }
        if let Err(error) = bank.check_readable() {
            self.failed("bank", &error);
            return false;
        }
        if let Some(why) = bank.unwritable() {
            self.wrong(
                "bank",
                format!("{why}; nothing can be remembered"),
                format!("chmod -R u+w {folder}"),
            );
        }
        let left = bank.stale_temp_files();
        if !left.is_empty() {
            let n = counted(left.len(), "temporary file", "temporary files");
            let paths: Vec<String> = left.iter().map(|file| format!("{folder}/{file}")).collect();
            let message = format!("a killed command left {n}: {}", listed(&paths));
            self.remark("bank", message, format!("find {folder} -name \".cerberus-*\" -delete"));
        }
        true
    }

    /// Looks at each memory by itself, and returns those that can be read.
    pub(super) fn memories(&mut self) -> Option<Vec<MemoryFile>> {
        let (files, odd) = match self.project.bank.list() {
            Ok(listed) => listed,
            Err(error) => {
                self.failed("memories", &error);
                return None;
            }
        };
        for warning in odd {
            self.wrong("memories", warning, "put the file itself there, under a plain name");
        }
        let folder = shown(self.project, self.project.bank.folder());
        let mut all = Vec::with_capacity(files.len());
        for file in files {
            if let Err(failure) = names::check_file(&file) {
                let next = format!("give it another name in `{folder}`");
                self.remark("memories", failure.message, next);
            }
            match self.project.bank.read(&file) {
                Ok(stored) => all.push(stored),
                Err(error) => {
                    let mut finding = failed("memories", &error);
                    if finding.severity == Severity::Wrong {
                        finding.next = format!("split it, or move it out of `{folder}`");
                    }
                    self.findings.push(finding);
                }
            }
        }
        self.looked_at.push(counted(all.len(), "memory", "memories"));
        for stored in &all {
            self.text(stored);
        }
        self.ids(&all);
        self.rules_without_example(&all);
        Some(all)
    }

    fn text(&mut self, stored: &MemoryFile) {
        let (id, text) = (&stored.memory.id, &stored.text);
        let path = shown(self.project, &self.project.bank.folder().join(&stored.file));
        let marked = |mark: &str| text.lines().position(|line| line.starts_with(mark));
        if let (Some(line), Some(_)) = (marked("<<<<<<< "), marked(">>>>>>> ")) {
            let message = format!("`{path}:{}` holds a merge conflict", line + 1);
            self.wrong("memories", message, format!("keep one side of it in `{path}`"));
            // What else is odd in it comes of that.
            return;
        }
        let front = frontmatter::parse(text).warnings;
        if let Some(first) = front.first() {
            let more = if front.len() > 1 {
                format!(" (and {} more)", front.len() - 1)
            } else {
                String::new()
            };
            let place = format!("{path}:{}:{}", first.line + 1, first.column + 1);
            let next =
                first.hint.clone().unwrap_or_else(|| "mend the line in an editor".to_owned());
            self.wrong("memories", format!("`{place}`: {}{more}", first.message), next);
        }
        for warning in
            stored.warnings.iter().filter(|it| !it.starts_with(&format!("{}:", stored.file)))
        {
            let next = if warning.contains("UTF-8") {
                "save it as UTF-8 in an editor".to_owned()
            } else {
                format!("split it: cerberus memory sections {id}")
            };
            self.remark("memories", warning.clone(), next);
        }
        let tags = sections::parse(text).diagnostics;
        if let Some(first) = tags.first() {
            let more = if tags.len() > 1 {
                format!(" (and {} more)", tags.len() - 1)
            } else {
                String::new()
            };
            let place = format!("{path}:{}:{}", first.line + 1, first.column + 1);
            let how = if first.code == "unclosed" { "--fix" } else { "--validate" };
            let next = format!("cerberus memory sections {id} {how}");
            self.wrong("memories", format!("`{place}`: {}{more}", first.message), next);
        }
        if let Err(why) = memories::languages(&stored.memory.scope)
            && why.contains("not indexed")
        {
            let next = format!("cerberus memory update {id} --scope project");
            self.remark("memories", format!("`{id}` can never have an example: {why}"), next);
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
                let (other_id, other_file) = (&other.memory.id, &other.file);
                let message = if other_id == id {
                    format!("`{other_file}` is ignored: `{file}` already has the id `{id}`")
                } else {
                    format!(
                        "the ids `{id}` of `{file}` and `{other_id}` of `{other_file}` differ in case alone"
                    )
                };
                let next = format!("give `{other_file}` an `id` of its own in its frontmatter");
                self.wrong("memories", message, next);
            }
        }
        let mut files: BTreeMap<String, &str> = BTreeMap::new();
        for stored in all {
            if let Some(other) = files.insert(stored.file.to_lowercase(), &stored.file) {
                let message = format!(
                    "`{other}` and `{}` are one file where case does not count",
                    stored.file
                );
                self.wrong(
                    "memories",
                    message,
                    format!(
                        "git mv one of them to another name below `{}`",
                        shown(self.project, self.project.bank.folder())
                    ),
                );
            }
        }
    }

    fn rules_without_example(&mut self, all: &[MemoryFile]) {
        // A lock that cannot be read is told of by its own check.
        let Ok(anchors) = self.project.bank.anchors() else { return };
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
            let has = counted(without.len(), "rule has no example", "rules have no example");
            let next = format!(
                "cerberus memory anchor {first} --candidates 5, or give --hint with a word of its code"
            );
            self.remark("memories", format!("{has}: {}", listed(&without)), next);
        }
    }

    /// Looks at where the links between memories and code lead.
    pub(super) fn links(&mut self) {
        self.with_store("links", |doctor, scratch| {
            let report = links::links(scratch, true)?;
            doctor.looked_at.push(counted(report.total, "link", "links"));
            if report.broken > 0 {
                let places: Vec<String> = report
                    .edges
                    .iter()
                    .map(|edge| format!("{}:{} to {}", edge.file, edge.line, edge.target))
                    .collect();
                let leads = counted(
                    report.broken,
                    "link does not lead where it says",
                    "links do not lead where they say",
                );
                let message = format!("{leads}: {}", listed(&places));
                doctor.wrong("links", message, "cerberus memory links --broken");
            }
            for cycle in &report.cycles {
                let next = "take one of these links out of the memories";
                doctor.wrong("links", cycle.warning(), next);
            }
            Ok(())
        });
    }

    /// Looks at the persistent pins.
    pub(super) fn pins(&mut self) {
        self.with_store("pins", |doctor, scratch| {
            let path = shown(doctor.project, &scratch.bank.pin_file());
            let file = scratch.bank.pins()?;
            if let Some(fault) = file.fault {
                let next = format!("mend it, or take it back: git checkout -- {path}");
                doctor.wrong("pins", format!("{fault}; no pin of it is given"), next);
                return Ok(());
            }
            let totals = pins::list(scratch, &pins::Filter::default(), false, None)?.totals;
            doctor.looked_at.push(counted(totals.pins, "pin", "pins"));
            if totals.pins > totals.max_pins || totals.tokens > totals.max_tokens {
                let message = format!(
                    "{} of {} tokens are over the limit of {} and {} tokens",
                    counted(totals.pins, "pin", "pins"),
                    totals.tokens,
                    counted(totals.max_pins, "pin", "pins"),
                    totals.max_tokens
                );
                doctor.wrong("pins", message, "see what can go: cerberus memory pin list");
            }
            Ok(())
        });
    }
}
