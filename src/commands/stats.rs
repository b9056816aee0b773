//! `cerberus memory stats`.

use cerberus_bank::ops::stats::{self, MemoryCounts, Report, Request};
use cerberus_model::format_location;
use clap::Args;

use crate::config::Settings;
use crate::output::{CliResult, Printer};

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// List each anchor with its state
    #[arg(long)]
    show_anchors: bool,
    /// List how often hooks gave each rule and how often it was broken, with the commit that added it
    #[arg(long)]
    rules: bool,
}

pub(crate) fn run(args: &StatsArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let request = Request {
        anchors: args.show_anchors,
        rules: args.rules,
    };
    let report = stats::stats(&settings.project, &request)?;
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
