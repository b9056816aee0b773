//! Prints the memories to review.

use super::{Candidate, Item, Report};
use crate::commands::format_location;
use crate::engine::rank::rule_words::RuleWords;
use crate::model::{Confidence, RuleKind};
use crate::output::{DIM, NAME, OK, Printer, WARN};

/// Width of the indentation of code.
const INDENT: &str = "      ";

/// Prints the list.
pub(super) fn report(report: &Report, out: &mut Printer) {
    for (idx, shown) in report.items.iter().enumerate() {
        item(shown, (idx + 1, report.items.len()), out);
        out.line("");
    }
    out.line(&totals(report));
}

/// Returns the numbers of the memories to review, and of those that are not listed.
pub(super) fn totals(report: &Report) -> String {
    let Report { total, skipped_process, .. } = report;
    let mut text = match total {
        0 => "nothing to review".to_owned(),
        1 => "1 memory to review".to_owned(),
        n => format!("{n} memories to review"),
    };
    if report.items.len() < *total {
        text.push_str(&format!(", {} of them listed", report.items.len()));
    }
    match skipped_process {
        0 => {}
        1 => text.push_str("; 1 rule about the work on the project is skipped (see --all)"),
        n => text.push_str(&format!(
            "; {n} rules about the work on the project are skipped (see --all)"
        )),
    }
    text
}

/// Prints a memory with its candidates.
pub(super) fn item(item: &Item, (number, total): (usize, usize), out: &mut Printer) {
    let state = match (item.confidence, item.kind) {
        _ if item.anchor.is_some() => "anchored".to_owned(),
        (_, RuleKind::Process) => item.kind.to_string(),
        (Confidence::None, _) => "no likely candidate".to_owned(),
        (confidence, _) => confidence.to_string(),
    };
    let position = out.paint(DIM, &format!("{number}/{total}"));
    let id = out.style(NAME, &item.id);
    out.line(&format!("{position} {id}  {}", out.paint(WARN, &state)));
    for line in item.rule.lines() {
        out.line(&format!("  {}", out.safe(line)));
    }
    if !item.hints.is_empty() {
        out.line(&format!("  {} {}", out.paint(DIM, "hints:"), out.safe(&item.hints.join(", "))));
    }
    if let Some(anchor) = &item.anchor {
        let location = out.safe(&format_location(&anchor.file, anchor.symbol.as_deref()));
        out.line(&format!("  {} {location}", out.paint(DIM, "anchor:")));
    }
    out.line(&format!("  {}", out.paint(DIM, &out.safe(&item.explanation))));
    if !item.unknown_hints.is_empty() {
        let unknown = out.safe(&item.unknown_hints.join(", "));
        out.line(&format!("  {} {unknown}", out.paint(WARN, "hints not found in the code:")));
    }
    let words = RuleWords::new(&item.rule, &item.hints);
    for shown in &item.candidates {
        candidate(shown, &words, out);
    }
}

fn candidate(candidate: &Candidate, words: &RuleWords, out: &mut Printer) {
    let location = format_location(&candidate.file, candidate.symbol.as_deref());
    let lines = format!(":{}-{}", candidate.start_line, candidate.end_line);
    let quality = candidate.quality.map(|quality| format!("{quality:.2}"));
    let mut details = quality.unwrap_or_else(|| "-".to_owned());
    if candidate.is_anchored {
        details.push_str(", the code of the anchor");
    }
    out.line(&format!(
        "  {} {}{}  {}",
        out.paint(OK, &format!("[{}]", candidate.rank)),
        out.safe(&location),
        out.paint(DIM, &lines),
        out.paint(DIM, &details)
    ));
    let code = &candidate.excerpt;
    let max_chars = out.terminal.width.saturating_sub(INDENT.len());
    let of = (candidate.language, candidate.kind);
    for line in out.code_lines(of, code, &words.spans(code), max_chars) {
        out.line(format!("{INDENT}{line}").trim_end());
    }
}
