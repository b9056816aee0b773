//! `cerberus memory stats`: counts of memories, anchors and links.

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_bank::MemoryFile;
use cerberus_bank::Workspace;
use cerberus_bank::ops::links;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::rule_counts::RuleCounts;
use cerberus_engine::tree::git::past::{self, Addition};
use cerberus_model::{MemoryType, Scope, State, format_location};
use cerberus_store::ledger::{self, RuleCount};
use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use super::show;
use crate::config::Settings;
use crate::output::{CliResult, Printer};

#[derive(Debug, Default, Args)]
pub(crate) struct StatsArgs {
    /// List each anchor with its state
    #[arg(long)]
    pub(crate) show_anchors: bool,
    /// List how often hooks gave each rule and how often it was broken, with the commit that added it
    #[arg(long)]
    pub(crate) rules: bool,
}

/// Counts of a bank.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    #[serde(flatten)]
    pub(crate) counts: MemoryCounts,
    pub(crate) rules: RuleCounts,
    /// Share of the memories that can have an anchor. `None` if no memory can.
    pub(crate) anchored_percent: Option<f64>,
    pub(crate) anchors_by_state: BTreeMap<State, usize>,
    /// State of each anchor, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) anchors: Option<Vec<AnchorState>>,
    /// Counts of the hooks for each rule, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ledger: Option<Vec<LedgerRow>>,
    pub(crate) links: usize,
    pub(crate) broken_links: usize,
    pub(crate) warnings: Vec<String>,
}

/// Counts of memories by their metadata.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryCounts {
    pub(crate) memories: usize,
    pub(crate) by_type: BTreeMap<String, usize>,
    pub(crate) by_scope: BTreeMap<String, usize>,
    pub(crate) by_status: BTreeMap<String, usize>,
    pub(crate) anchored: usize,
    /// Number of memories with `example: none`.
    pub(crate) no_example: usize,
}

impl MemoryCounts {
    /// Counts memories, each with whether it has an anchor.
    pub(crate) fn of<'a>(memories: impl Iterator<Item = (&'a MemoryFile, bool)>) -> Self {
        let mut counts = Self::default();
        for (MemoryFile { memory, .. }, is_anchored) in memories {
            counts.memories += 1;
            *counts
                .by_type
                .entry(memory.memory_type.to_string())
                .or_default() += 1;
            *counts.by_scope.entry(memory.scope.to_string()).or_default() += 1;
            *counts
                .by_status
                .entry(memory.status.to_string())
                .or_default() += 1;
            counts.anchored += usize::from(is_anchored);
            counts.no_example += usize::from(memory.example.is_some() && !is_anchored);
        }
        counts
    }
}

/// State of the anchor of one memory.
#[derive(Debug, Serialize)]
pub(crate) struct AnchorState {
    /// Id of the memory.
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) symbol: Option<String>,
    pub(crate) quality: f64,
    pub(crate) state: State,
}

/// Counts of the hooks for a rule: sessions that got it, that broke it, and that broke it after they got it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LedgerRow {
    pub(crate) id: String,
    pub(crate) given: usize,
    pub(crate) broken: usize,
    pub(crate) broken_after_given: usize,
    /// The day on which it last came up.
    pub(crate) last: Option<String>,
    /// The commit that added the rule.
    pub(crate) added: Option<Addition>,
}

/// Returns the counts of the hooks for each rule, the most given first.
fn ledger(project: &Workspace, memories: &Memories) -> Result<Vec<LedgerRow>> {
    let counts = project.with_repair(|_| ledger::counts(project.store()?.reader()))?;
    let mut counts: BTreeMap<String, RuleCount> = counts
        .into_iter()
        .map(|count| (count.memory.clone(), count))
        .collect();
    let mut additions = past::additions(&project.root, ".memories");
    let mut rows = Vec::new();
    for stored in &memories.all {
        if stored.memory.memory_type != MemoryType::Rule {
            continue;
        }
        let path = project.bank.shown_path(&stored.file, &project.root);
        let mut row = LedgerRow {
            id: stored.memory.id.clone(),
            given: 0,
            broken: 0,
            broken_after_given: 0,
            last: None,
            added: additions.remove(&path),
        };
        if let Some(count) = counts.remove(&row.id) {
            row.given = count.given;
            row.broken = count.broken;
            row.broken_after_given = count.broken_after_given;
            let last = Timestamp::from_millisecond(count.millis).ok();
            row.last = last.map(|time| time.strftime("%Y-%m-%d").to_string());
        }
        rows.push(row);
    }
    rows.sort_by(|a, b| (b.given, b.broken, &a.id).cmp(&(a.given, a.broken, &b.id)));
    Ok(rows)
}

/// Counts the memories and links, and checks each anchor against its file.
pub(crate) fn stats(project: &Workspace, args: &StatsArgs) -> Result<Report> {
    let memories = project.memories()?;
    let edges = links::edges(project, &project.synced()?)?;
    let mut anchored: Vec<show::Anchored<'_>> = Vec::new();
    let mut all = Vec::new();
    let mut n_anchorable = 0;
    for stored in &memories.all {
        let memory = &stored.memory;
        let anchor = memories.anchors.get(&memory.id);
        all.push((stored, anchor.is_some()));
        if let Some(anchor) = anchor {
            anchored.push((stored, anchor));
        }
        let can_have_anchor = memory.example.is_none() || anchor.is_some();
        if memory.scope != Scope::Universal && can_have_anchor {
            n_anchorable += 1;
        }
    }
    let reports = show::anchor_reports(project, &anchored, None);
    let mut anchors_by_state = BTreeMap::new();
    let mut anchors = Vec::new();
    for ((stored, _), anchor) in anchored.into_iter().zip(reports) {
        *anchors_by_state.entry(anchor.state).or_insert(0) += 1;
        anchors.push(AnchorState {
            id: stored.memory.id.clone(),
            file: anchor.file,
            symbol: anchor.symbol,
            quality: anchor.quality,
            state: anchor.state,
        });
    }
    let share = anchors.len() as f64 / n_anchorable as f64;
    let ledger = if args.rules {
        Some(ledger(project, &memories)?)
    } else {
        None
    };
    Ok(Report {
        counts: MemoryCounts::of(all.into_iter()),
        rules: RuleCounts::of(&memories),
        anchored_percent: (n_anchorable > 0).then_some((share * 1e3).round() / 10.0),
        anchors_by_state,
        anchors: args.show_anchors.then_some(anchors),
        ledger,
        links: edges.len(),
        broken_links: edges.iter().filter(|edge| edge.is_broken()).count(),
        warnings: memories.warnings.clone(),
    })
}

pub(crate) fn run(args: &StatsArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let report = stats(&settings.project, args)?;
    out.warn(&report.warnings);
    out.report(&report, print)
}

fn print(report: &Report, out: &mut Printer) {
    let MemoryCounts {
        memories,
        by_type,
        by_scope,
        by_status,
        anchored,
        no_example,
    } = &report.counts;
    let mut rows = vec![row("memories", "", memories.to_string())];
    for (name, counts) in [
        ("type", by_type),
        ("scope", by_scope),
        ("status", by_status),
    ] {
        for (value, n) in counts {
            rows.push(row(name, value, n.to_string()));
        }
    }
    let percent = match report.anchored_percent {
        Some(percent) => format!(" ({percent:.1} %)"),
        None => String::new(),
    };
    rows.push(row("anchored", "", format!("{anchored}{percent}")));
    if *no_example > 0 {
        rows.push(row("no example", "", no_example.to_string()));
    }
    rows.push(row("rules", "", report.rules.total.to_string()));
    for (state, n) in report.rules.by_state() {
        rows.push(row("rules", state, n.to_string()));
    }
    for (state, n) in &report.anchors_by_state {
        rows.push(row("anchor", state.as_str(), n.to_string()));
    }
    if report.links > 0 {
        rows.push(row("links", "", report.links.to_string()));
        rows.push(row("links", "broken", report.broken_links.to_string()));
    }
    out.rows(&["name", "value", "count"], &rows);
    if let Some(anchors) = &report.anchors {
        out.line("");
        let rows = anchors.iter().map(|anchor| {
            [
                anchor.id.clone(),
                anchor.state.to_string(),
                format!("{:.2}", anchor.quality),
                format_location(&anchor.file, anchor.symbol.as_deref()),
            ]
        });
        out.rows(&["id", "state", "quality", "example"], rows);
    }
    if let Some(ledger) = &report.ledger {
        out.line("");
        let rows = ledger.iter().map(|rule| {
            let added = match &rule.added {
                Some(added) => format!("{} {} {}", added.commit, added.date, added.author),
                None => String::new(),
            };
            [
                rule.id.clone(),
                rule.given.to_string(),
                rule.broken.to_string(),
                rule.broken_after_given.to_string(),
                rule.last.clone().unwrap_or_else(|| "never".to_owned()),
                added,
            ]
        });
        out.rows(
            &["rule", "given", "broken", "after given", "last", "added"],
            rows,
        );
    }
}

fn row(name: &str, value: &str, count: String) -> [String; 3] {
    [name.to_owned(), value.to_owned(), count]
}
