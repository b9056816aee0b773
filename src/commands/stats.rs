//! `cerberus memory stats`: counts of memories, anchors and links.

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_bank::MemoryFile;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::rule_counts::RuleCounts;
use cerberus_bank::ops::{Project, links, sync};
use cerberus_engine::tree::git::past::{self, Addition};
use cerberus_model::{MemoryType, Scope, State, format_location};
use cerberus_store::ledger::{self, RuleCount};
use cerberus_store::{self as store, Store};
use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use super::show;
use crate::commands::feedback::{self, Approval};
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
    /// Feedback on injected memories, with and without an example.
    pub(crate) approval: Approval,
    /// State of each anchor, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) anchors: Option<Vec<AnchorState>>,
    /// What hooks counted for each rule, if requested.
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

/// What hooks counted for a rule: sessions that got it, that broke it, and that broke it after they got it.
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

/// Returns what hooks counted for each rule, the most given first.
fn ledger(project: &Project, memories: &Memories) -> Result<Vec<LedgerRow>> {
    let counts = store::with_repair(&project.store, |_| {
        ledger::counts(Store::open(&project.store)?.reader())
    })?;
    let mut counts: BTreeMap<String, RuleCount> = counts
        .into_iter()
        .map(|it| (it.memory.clone(), it))
        .collect();
    let shown = |stored: &MemoryFile| project.bank.shown_path(&stored.file, &project.root);
    let mut additions = past::additions(&project.root, ".memories");
    let rules = memories
        .all
        .iter()
        .filter(|it| it.memory.memory_type == MemoryType::Rule);
    let row = |stored: &MemoryFile| {
        let id = stored.memory.id.clone();
        let count = counts.remove(&id);
        let number = |part: fn(&RuleCount) -> usize| count.as_ref().map_or(0, part);
        let last = count
            .as_ref()
            .and_then(|it| Timestamp::from_millisecond(it.millis).ok());
        LedgerRow {
            given: number(|it| it.given),
            broken: number(|it| it.broken),
            broken_after_given: number(|it| it.broken_after_given),
            last: last.map(|it| it.strftime("%Y-%m-%d").to_string()),
            added: additions.remove(&shown(stored)),
            id,
        }
    };
    let mut rows: Vec<LedgerRow> = rules.map(row).collect();
    rows.sort_by(|a, b| (b.given, b.broken, &a.id).cmp(&(a.given, a.broken, &b.id)));
    Ok(rows)
}

/// Counts the memories and links, and checks each anchor against its file.
pub(crate) fn stats(project: &Project, args: &StatsArgs) -> Result<Report> {
    let memories = Memories::load(project)?;
    let edges = links::edges(project, &sync::open_with(project, &memories)?)?;
    let is_anchored = |stored: &MemoryFile| memories.anchors.contains_key(&stored.memory.id);
    let counts = MemoryCounts::of(memories.all.iter().map(|it| (it, is_anchored(it))));
    let anchored: Vec<show::Anchored<'_>> = memories
        .all
        .iter()
        .filter_map(|it| Some((it, memories.anchors.get(&it.memory.id)?)))
        .collect();
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
    let anchorable = memories
        .all
        .iter()
        .filter(|it| it.memory.scope != Scope::Universal);
    let n_anchorable = anchorable
        .filter(|it| it.memory.example.is_none() || is_anchored(it))
        .count();
    let percent = |part: usize, whole: usize| (part as f64 / whole as f64 * 1e3).round() / 10.0;
    Ok(Report {
        counts,
        rules: RuleCounts::of(&memories),
        anchored_percent: (n_anchorable > 0).then(|| percent(anchors.len(), n_anchorable)),
        anchors_by_state,
        approval: feedback::approval(project)?,
        anchors: args.show_anchors.then_some(anchors),
        ledger: args.rules.then(|| ledger(project, &memories)).transpose()?,
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
    let row = |name: &str, value: &str, count: String| [name.to_owned(), value.to_owned(), count];
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
        rows.extend(
            counts
                .iter()
                .map(|(value, n)| row(name, value, n.to_string())),
        );
    }
    let percent = report
        .anchored_percent
        .map(|percent| format!(" ({percent:.1} %)"))
        .unwrap_or_default();
    rows.push(row("anchored", "", format!("{anchored}{percent}")));
    if *no_example > 0 {
        rows.push(row("no example", "", no_example.to_string()));
    }
    rows.push(row("rules", "", report.rules.total.to_string()));
    rows.extend(
        report
            .rules
            .by_state()
            .map(|(state, n)| row("rules", state, n.to_string())),
    );
    for (state, n) in &report.anchors_by_state {
        rows.push(row("anchor", state.as_str(), n.to_string()));
    }
    if report.links > 0 {
        rows.push(row("links", "", report.links.to_string()));
        rows.push(row("links", "broken", report.broken_links.to_string()));
    }
    let approval = &report.approval;
    for (value, verdicts) in [
        ("with example", &approval.with_example),
        ("without example", &approval.without_example),
    ] {
        if let Some(percent) = verdicts.percent {
            let n = verdicts.good + verdicts.bad;
            let share = format!("{} of {n} ({percent:.1} %)", verdicts.good);
            rows.push(row("approval", value, share));
        }
    }
    out.rows(&["name", "value", "count"], &rows);
    if let Some(anchors) = &report.anchors {
        out.line("");
        let rows = anchors.iter().map(|it| {
            let location = format_location(&it.file, it.symbol.as_deref());
            [
                it.id.clone(),
                it.state.to_string(),
                format!("{:.2}", it.quality),
                location,
            ]
        });
        out.rows(&["id", "state", "quality", "example"], rows);
    }
    if let Some(ledger) = &report.ledger {
        out.line("");
        let rows = ledger.iter().map(|it| {
            let added = it.added.as_ref();
            let added = added.map(|it| format!("{} {} {}", it.commit, it.date, it.author));
            let numbers = [it.given, it.broken, it.broken_after_given].map(|n| n.to_string());
            let [given, broken, after] = numbers;
            let last = it.last.clone().unwrap_or_else(|| "never".to_owned());
            [
                it.id.clone(),
                given,
                broken,
                after,
                last,
                added.unwrap_or_default(),
            ]
        });
        out.rows(
            &["rule", "given", "broken", "after given", "last", "added"],
            rows,
        );
    }
}
