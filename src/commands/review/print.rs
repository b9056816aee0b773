//! Prints the memories to review.

use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_model::text::plural;
use cerberus_model::{Confidence, RuleKind, format_location};

use super::{Item, Report};
use crate::commands::candidates;
use crate::output::{DIM, NAME, Printer, WARN};

/// Rows of a rule that are shown on any terminal.
const MIN_RULE_ROWS: usize = 3;

/// Prints the list.
pub(super) fn report(report: &Report, out: &mut Printer) {
    for (idx, shown) in report.items.iter().enumerate() {
        item(shown, (idx + 1, report.items.len()), usize::MAX, out);
        out.line("");
    }
    proposals(report, out);
    out.line(&totals(report));
    out.line(&report.rules.to_string());
    if report.items.iter().any(|item| !item.candidates.is_empty()) {
        let command = "cerberus memory anchor ID --to FILE::SYMBOL";
        out.line(&format!(
            "next: cerberus memory review on a terminal, or {command}"
        ));
    }
}

/// Prints what an import found that is perhaps a rule, with the commands that decide about it.
pub(super) fn proposals(report: &Report, out: &mut Printer) {
    if report.proposals.is_empty() {
        return;
    }
    let n = plural(report.proposals.len(), "proposed rule");
    out.line(&format!("{n}, which no agent gets:"));
    for proposal in &report.proposals {
        let id = out.style(NAME, &proposal.id);
        out.line(&format!("  {id}  {}", out.safe(&proposal.rule)));
    }
    out.line("  accept one with `cerberus memory update ID --status active`, or delete it with `cerberus memory delete ID`");
    out.line("");
}

/// Prints the first candidates of the rules where they are likely, best first, one a line.
pub(super) fn likely(items: &[Item], out: &mut Printer) {
    for item in items {
        let Some(candidate) = item.likely() else {
            continue;
        };
        let id = out.style(NAME, &item.id);
        out.line(&format!("{id}  {}", out.safe(&item.rule)));
        out.line(&candidates::heading(candidate, out));
    }
}

/// Returns the numbers of the memories to review, and of those that are not listed.
pub(super) fn totals(report: &Report) -> String {
    let Report {
        total,
        skipped_process,
        ..
    } = report;
    let mut text = match total {
        0 => "nothing to review".to_owned(),
        n => format!("{} to review", plural(*n, "memory")),
    };
    if report.items.len() < *total {
        text.push_str(&format!(", {} of them listed", report.items.len()));
    }
    if *skipped_process > 0 {
        let n = plural(*skipped_process, "process rule");
        text += &format!("; {n} skipped (see --all)");
    }
    text
}

/// Prints a memory with its candidates on at most `max_rows` rows of the terminal: first with less
/// code, then also with a shorter rule.
pub(super) fn item(item: &Item, place: (usize, usize), max_rows: usize, out: &mut Printer) {
    let (number, total) = place;
    let state = match (item.confidence, item.kind) {
        _ if item.anchor.is_some() => "anchored".to_owned(),
        (_, RuleKind::Process) => item.kind.to_string(),
        (Confidence::None, _) => "unknown".to_owned(),
        (confidence, _) => confidence.to_string(),
    };
    let position = out.paint(DIM, &format!("{number}/{total}"));
    let id = out.style(NAME, &item.id);
    let title = format!("{position} {id}  {}", out.paint(WARN, &state));
    let mut details = Vec::new();
    if !item.hints.is_empty() {
        let hints = out.safe(&item.hints.join(", "));
        details.push(format!("{} {hints}", out.paint(DIM, "hints:")));
    }
    if let Some(anchor) = &item.anchor {
        let location = out.safe(&format_location(&anchor.file, anchor.symbol.as_deref()));
        details.push(format!("{} {location}", out.paint(DIM, "anchor:")));
    }
    details.push(out.paint(DIM, &out.safe(&item.explanation)));
    if !item.unknown_hints.is_empty() {
        let unknown = out.safe(&item.unknown_hints.join(", "));
        let label = out.paint(WARN, "hints not found in the code:");
        details.push(format!("{label} {unknown}"));
    }
    let details: Vec<String> = details.iter().map(|line| format!("  {line}")).collect();
    let headings: Vec<String> = item
        .candidates
        .iter()
        .map(|candidate| candidates::heading(candidate, out))
        .collect();

    let mut n_fixed = out.n_rows(&title);
    for line in details.iter().chain(&headings) {
        n_fixed += out.n_rows(line);
    }
    let n_left = max_rows.saturating_sub(n_fixed);
    let rule = rule(&item.rule, n_left.max(MIN_RULE_ROWS), out);
    let n_rule: usize = rule.iter().map(|line| out.n_rows(line)).sum();
    let mut n_left = n_left.saturating_sub(n_rule);
    for line in [title].iter().chain(&rule).chain(&details) {
        out.line(line);
    }
    let words = RuleWords::new(&item.rule, &item.hints);
    for (idx, (candidate, heading)) in item.candidates.iter().zip(&headings).enumerate() {
        out.line(heading);
        let share = n_left.div_ceil(headings.len() - idx);
        let mut code = candidates::code(candidate, &words, out);
        code.truncate(share);
        for line in &code {
            out.line(line);
        }
        n_left -= code.len();
    }
}

/// Returns the lines of a rule on at most `max_rows` rows.
fn rule(rule: &str, max_rows: usize, out: &Printer) -> Vec<String> {
    let mut lines = Vec::new();
    let mut n_left = max_rows;
    for line in rule.lines() {
        if n_left == 0 {
            if let Some(last) = lines.last_mut() {
                String::push_str(last, " …");
            }
            break;
        }
        let line = format!("  {}", out.safe(line));
        let max_chars = n_left.saturating_mul(out.terminal.width);
        if line.chars().count() > max_chars {
            let start: String = line.chars().take(max_chars.saturating_sub(1)).collect();
            lines.push(format!("{start}…"));
            break;
        }
        n_left -= out.n_rows(&line).min(n_left);
        lines.push(line);
    }
    lines
}
