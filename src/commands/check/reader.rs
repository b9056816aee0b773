//! `cerberus check --with AGENT`: an agent reads the errors with the lines around them, and says which of
//! these lines are right although what they name is gone: a file of the reader, a proposal, an example.
//!
//! The agent gets parts of documents, and its answer is only data. An error that it does not mention stays.

use super::{Finding, NOTHING, Report};
use crate::commands::agent::{Agent, Tokens};
use crate::commands::prelude::*;
use cerberus_bank::tokens;
use cerberus_engine::tree::git::past::CommitSummary;
use cerberus_markdown::structure;

/// Number of errors in a request of about 8,000 tokens.
const N_ERRORS: usize = 25;

/// Number of lines before and after the one with an error, and of characters of a line. The agent does not
/// see the rest.
const N_BEFORE: usize = 10;
const N_AFTER: usize = 6;
const N_CHARS: usize = 300;

const INSTRUCTIONS: &str = include_str!("instructions.txt");

/// An answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    findings: Vec<Judgement>,
}

/// What an agent says about an error.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Judgement {
    /// Its place among the findings.
    id: usize,
    #[serde(rename = "outOfDate")]
    is_out_of_date: bool,
    #[serde(default)]
    reason: String,
}

/// Asks an agent about the errors in documents. Those that it dismisses are none.
pub(super) fn dismiss(with: &str, report: &mut Report, out: &mut Printer) -> Result<()> {
    let agent = Agent::new(with)?;
    let findings = report.findings.iter().enumerate();
    let asked = findings.filter(|(_, it)| it.severity == Severity::Error && it.written.is_some());
    let items = asked.filter_map(|(id, it)| Some(item(id, it, report.texts.get(&it.file)?)));
    let items: Vec<Value> = items.collect();
    let request = |items| json!({ "instructions": INSTRUCTIONS, "findings": items }).to_string();
    let batches: Vec<(&[Value], String)> =
        items.chunks(N_ERRORS).map(|batch| (batch, request(batch))).collect();
    if !items.is_empty() {
        let n_tokens: usize = batches.iter().map(|(_, request)| tokens::count(request)).sum();
        let (by, n) = (agent.name(), plural(items.len(), "error"));
        out.note(&[format!("asking {by} about {n}, with the lines around: {n_tokens} tokens")]);
    }
    let bar = ProgressBar::new(out.terminal, "errors read");
    for (n, (batch, request)) in batches.iter().enumerate() {
        bar.step(n * N_ERRORS, items.len());
        let answer = agent.answer::<Answer>(request, &mut Tokens::default())?;
        for judgement in answer.into_iter().flat_map(|answer| answer.findings) {
            let is_asked = batch.iter().any(|item| item["id"] == judgement.id);
            if !is_asked || judgement.is_out_of_date {
                continue;
            }
            let finding = &mut report.findings[judgement.id];
            if finding.dismissed.is_none() {
                finding.severity = Severity::Note;
                finding.next = NOTHING.to_owned();
                finding.message += &format!("; dismissed by {}", agent.name());
                if !judgement.reason.is_empty() {
                    finding.message += &format!(": {}", judgement.reason);
                }
                finding.dismissed = Some(judgement.reason);
            }
        }
    }
    report.count();
    Ok(())
}

/// Returns an error as an agent reads it.
fn item(id: usize, finding: &Finding, text: &str) -> Value {
    let start = text.split_inclusive('\n').take(finding.line - 1).map(str::len).sum();
    let mut headings: Vec<(usize, String)> = Vec::new();
    let before = structure::parse_body(text).headings.into_iter();
    for heading in before.take_while(|heading| heading.start < start) {
        headings.retain(|(level, _)| *level < heading.level);
        headings.push((heading.level, heading.title));
    }
    let headings: Vec<String> = headings.into_iter().map(|(_, title)| title).collect();
    let first = finding.line.saturating_sub(N_BEFORE + 1);
    let lines = text.lines().enumerate().skip(first).take(finding.line - first + N_AFTER);
    let lines = lines.map(|(n, line)| {
        // Of a long line, the part with the name.
        let is_its = n + 1 == finding.line;
        let from = if is_its { finding.column.saturating_sub(N_CHARS / 2) } else { 0 };
        format!("{}: {}", n + 1, line.chars().skip(from).take(N_CHARS).collect::<String>())
    });
    let commit = |it: &CommitSummary| format!("{} {}", it.date, it.subject);
    json!({
        "id": id,
        "document": finding.file,
        "headings": headings,
        "line": finding.line,
        "text": lines.collect::<Vec<_>>(),
        "claim": finding.claim,
        "finding": finding.message,
        "written": finding.written.as_ref().map(commit),
        "removed": finding.removed.as_ref().map(commit),
        "was": finding.was,
        "now": finding.now,
    })
}
