//! Prints the reports of an import.

use cerberus_bank::ops::import::{Item, Outcome, Report};
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_model::text::plural;
use cerberus_model::{Origin, format_location};

use crate::commands::candidates;
use crate::output::{DIM, NAME, OK, Printer, WARN};

/// The outcome of a new memory that no agent gets until somebody confirms it.
const PROPOSED: &str = "proposed";

/// Prints the items; in a dry run also the skipped ones, but not those that the bank has as they are.
pub(super) fn rules(report: &Report, is_pruned: bool, out: &mut Printer) {
    if report.dry_run {
        planned(report, out);
        removals(report, is_pruned, out);
    } else {
        for item in of(report, Outcome::Added) {
            added(item, out);
        }
        for item in differing(report).filter(|item| item.outcome != Outcome::Added) {
            difference(item, is_pruned, out);
        }
    }
    summary(report, is_pruned, out);
}

/// Prints the number of items of each document, and the items about which somebody has to do something.
pub(super) fn imported(report: &Report, is_pruned: bool, out: &mut Printer) {
    documents(report, out);
    for item in differing(report) {
        if !matches!(item.outcome, Outcome::Added | Outcome::Changed) {
            difference(item, is_pruned, out);
        }
    }
    summary(report, is_pruned, out);
    if of(report, Outcome::Added).next().is_some() {
        out.line(
            "  show each rule with `cerberus memory show`, or with --verbose when it is imported",
        );
    }
}

/// Prints the items that a dry run found.
fn planned(report: &Report, out: &mut Printer) {
    let mut rows = Vec::new();
    for item in &report.items {
        let is_shown = match item.outcome {
            Outcome::Removed => false,
            // A copy within the documents has a reason.
            Outcome::Duplicate => item.reason.is_some(),
            _ => true,
        };
        if is_shown {
            let reason = item.reason.as_ref().or(item.doubt.as_ref());
            rows.push([
                source(item),
                outcome(item).to_owned(),
                reason.or(item.id.as_ref()).cloned().unwrap_or_default(),
                item.text.lines().next().unwrap_or_default().to_owned(),
                example(item).unwrap_or_default(),
            ]);
        }
    }
    let heading = ["source", "outcome", "id or reason", "text", "example"];
    out.rows(&heading, rows);
}

/// Prints the memories whose items were removed, which `--prune` moves to the trash.
pub(super) fn removals(report: &Report, is_pruned: bool, out: &mut Printer) {
    let removed: Vec<&Item> = of(report, Outcome::Removed).collect();
    if removed.is_empty() {
        return;
    }
    let what = if is_pruned {
        "would be moved to the trash"
    } else {
        "no longer in a document"
    };
    out.line(&format!("{what}:"));
    for item in removed {
        let id = out.style(NAME, item.id.as_deref().unwrap_or_default());
        out.line(&format!(
            "  {id} ({}): {}",
            out.safe(&source(item)),
            out.safe(&item.text)
        ));
    }
}

/// Prints what differs between the documents and the bank.
pub(super) fn differences(report: &Report, out: &mut Printer) {
    let mut n_differences = 0;
    for item in differing(report) {
        difference(item, false, out);
        n_differences += 1;
    }
    if n_differences == 0 {
        out.line("the documents and the bank agree");
        return;
    }
    let differences = plural(n_differences, "difference");
    out.line(&format!("{differences} between the documents and the bank"));
    if count(report, Outcome::Removed) > 0 {
        // It imports, too.
        out.line("next: cerberus memory import --prune, which moves the removed ones to the trash");
    } else if count(report, Outcome::Added) + count(report, Outcome::Changed) > 0 {
        out.line("next: cerberus memory import");
    }
}

/// Prints the number of items of each document.
pub(super) fn documents(report: &Report, out: &mut Printer) {
    let heading = [
        "document", "taken", PROPOSED, "changed", "removed", "known", "skipped", "anchored",
    ];
    // Before an import nothing is anchored.
    let n_columns = heading.len() - usize::from(report.rules.is_none());
    let mut rows = Vec::new();
    for document in &report.documents {
        let mut row = vec![document.file.clone()];
        let counts = [
            document.added - document.proposed,
            document.proposed,
            document.changed,
            document.removed,
            document.duplicates,
            document.skipped,
            document.anchored,
        ];
        row.extend(counts.map(|count| count.to_string()));
        row.truncate(n_columns);
        rows.push(row);
    }
    out.rows(&heading[..n_columns], rows);
}

fn differing(report: &Report) -> impl Iterator<Item = &Item> {
    let items = report.items.iter();
    items.filter(|item| item.outcome.is_difference())
}

fn of(report: &Report, outcome: Outcome) -> impl Iterator<Item = &Item> {
    let items = report.items.iter();
    items.filter(move |item| item.outcome == outcome)
}

fn count(report: &Report, outcome: Outcome) -> usize {
    of(report, outcome).count()
}

fn source(item: &Item) -> String {
    format!("{}:{}", item.file, item.line)
}

fn example(item: &Item) -> Option<String> {
    let anchor = item.anchor.as_ref()?;
    let place = format_location(&anchor.file, anchor.symbol.as_deref());
    if is_named(item) {
        return Some(format!("{place} (named by the document)"));
    }
    Some(place)
}

/// Returns whether the document of an item names its example.
fn is_named(item: &Item) -> bool {
    let anchor = item.anchor.as_ref();
    anchor.is_some_and(|anchor| anchor.chosen == Origin::Document)
}

/// Returns the outcome of an item; an added one that somebody has to confirm is proposed.
fn outcome(item: &Item) -> &'static str {
    match item.outcome {
        Outcome::Added if item.doubt.is_some() => PROPOSED,
        outcome => outcome.as_str(),
    }
}

fn added(item: &Item, out: &mut Printer) {
    let id = out.style(NAME, item.id.as_deref().unwrap_or_default());
    let source = out.paint(DIM, &format!("({})", out.safe(&source(item))));
    match &item.doubt {
        Some(doubt) => out.line(&format!(
            "{} {id} {source}: {}",
            out.paint(WARN, PROPOSED),
            out.safe(doubt)
        )),
        None => out.line(&format!("{} {id} {source}", out.paint(OK, "added"))),
    }
    if let Some(example) = example(item) {
        out.line(&format!("  example {}", out.style(NAME, &example)));
    }
    let words = RuleWords::new(&item.text, &[]);
    candidates::print(item.candidates.iter(), &words, out);
}

fn difference(item: &Item, is_pruned: bool, out: &mut Printer) {
    let id = out.style(NAME, item.id.as_deref().unwrap_or_default());
    let source = out.safe(&source(item));
    let reason = out.safe(item.reason.as_deref().unwrap_or_default());
    if item.outcome == Outcome::Unreadable {
        // The reason names the file.
        out.line(&format!("{}: {reason}", out.paint(WARN, "unreadable")));
        return;
    }
    let (style, outcome) = match item.outcome {
        Outcome::Changed => (OK, "changed"),
        Outcome::Removed if is_pruned => (OK, "moved to the trash"),
        outcome => (WARN, outcome.as_str()),
    };
    let reason = if reason.is_empty() {
        reason
    } else {
        format!(": {reason}")
    };
    out.line(&format!(
        "{} {id} ({source}){reason}",
        out.paint(style, outcome)
    ));
}

fn summary(report: &Report, is_pruned: bool, out: &mut Printer) {
    let mut n_new = 0;
    let mut n_proposed = 0;
    for item in of(report, Outcome::Added) {
        match item.doubt {
            None => n_new += 1,
            Some(_) => n_proposed += 1,
        }
    }
    let n_named = report.items.iter().filter(|item| is_named(item)).count();
    let n_changed = count(report, Outcome::Changed);
    let n_removed = count(report, Outcome::Removed);
    let n_conflicts = count(report, Outcome::Conflict);
    let n_skipped = count(report, Outcome::Skipped);
    let added = if report.dry_run {
        "would be added"
    } else {
        "added"
    };
    let mut counts = vec![
        format!("{} {added}", plural(n_new, "rule")),
        format!("{n_changed} changed"),
    ];
    if n_proposed > 0 {
        counts.push(format!("{n_proposed} {PROPOSED}"));
    }
    if n_removed > 0 {
        counts.push(format!("{n_removed} removed"));
    }
    if n_conflicts > 0 {
        counts.push(format!("{n_conflicts} in conflict"));
    }
    if n_named > 0 {
        counts.push(format!(
            "{n_named} with the example that the document names"
        ));
    }
    counts.push(plural(count(report, Outcome::Duplicate), "duplicate"));
    counts.push(format!("{n_skipped} skipped"));
    out.line(&counts.join(", "));
    if !report.dry_run && n_skipped > 0 {
        out.line("  show the skipped items and the reasons with --dry-run");
    }
    if !report.dry_run && n_proposed > 0 {
        out.line(
            "  no agent gets the proposed ones: see them with `cerberus memory review --list`,",
        );
        out.line("  and use one with `cerberus memory update ID --status active`");
    }
    if n_removed > 0 && !is_pruned {
        out.line("  move the removed ones to the trash with --prune");
    }
    let Some(rules) = &report.rules else { return };
    out.line(&rules.to_string());
    if rules.waiting > 0 {
        out.line("  choose the examples of the waiting ones with `cerberus memory review`");
    }
}

#[cfg(test)]
mod tests {
    use cerberus_bank::ops::import::DocumentSummary;
    use cerberus_bank::ops::rule_counts::RuleCounts;

    use super::*;
    use crate::config::Terminal;

    #[test]
    fn a_terminal_gets_a_line_for_each_document() {
        let item = |line| Item {
            file: "AGENTS.md".to_owned(),
            line,
            id: Some(format!("rule-{line}")),
            outcome: Outcome::Added,
            ..Item::default()
        };
        let report = Report {
            documents: vec![DocumentSummary {
                file: "AGENTS.md".to_owned(),
                added: 2,
                proposed: 1,
                skipped: 3,
                anchored: 1,
                ..DocumentSummary::default()
            }],
            items: vec![item(1), item(2)],
            rules: Some(RuleCounts::default()),
            ..Report::default()
        };
        let terminal = Terminal {
            out_is_terminal: true,
            err_is_terminal: false,
            color: false,
            width: 100,
            height: 24,
        };
        let mut out = Printer::new(terminal, false);
        imported(&report, false, &mut out);
        let shown = out.take();
        let lines: Vec<Vec<&str>> = shown
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        let heading = [
            "document", "taken", "proposed", "changed", "removed", "known", "skipped", "anchored",
        ];
        assert_eq!(lines[0], heading);
        assert_eq!(lines[1], ["AGENTS.md", "1", "1", "0", "0", "0", "3", "1"]);
        assert!(!shown.contains("rule-1"), "{shown}");
    }
}
