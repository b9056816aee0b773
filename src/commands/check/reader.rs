//! `cerberus check --with AGENT`: an agent reads the errors with the lines around them, and says which of
//! these lines are right although what they name is gone: a file of the reader, a proposal, an example.
//!
//! The agent gets parts of documents, and its answer is only data. An error that it does not mention stays.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use cerberus_bank::tokens;
use cerberus_engine::tree::git::past::CommitSummary;
use cerberus_markdown::structure;
use cerberus_model::Severity;
use cerberus_model::error::UserError;
use cerberus_model::text::plural;
use serde::Deserialize;
use serde_json::{Value, json};

use super::finding::NOTHING;
use super::{Finding, Report};
use crate::commands::agent::{Agent, Answer, Refused, Tokens};
use crate::commands::findings::Unchecked;
use crate::output::{Printer, ProgressBar};

/// Number of findings in a request of about 8,000 tokens.
const N_FINDINGS: usize = 25;

/// Number of lines before and after the one with an error, and of characters of a line. The agent does not
/// see the rest.
const N_BEFORE: usize = 10;
const N_AFTER: usize = 6;
const N_CHARS: usize = 300;

const INSTRUCTIONS: &str = include_str!("instructions.txt");

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

/// The errors about which an agent is asked, by their places among the findings, as it reads them.
type Items = BTreeMap<usize, Value>;

/// Asks an agent about the errors in documents. Those that it dismisses are none. Those that it did not
/// read are marked, and so is the check. Returns whether it read any, or there was none.
pub(super) fn dismiss(
    with: &str,
    root: &Path,
    report: &mut Report,
    out: &mut Printer,
) -> Result<bool> {
    let mut agent = Agent::new(with)?;
    let mut items = Items::new();
    for (id, finding) in report.findings.iter().enumerate() {
        let is_asked = finding.is_reported() && finding.written.is_some();
        if is_asked && let Some(text) = report.texts.get(&finding.file) {
            items.insert(id, item(id, finding, text));
        }
    }
    if items.is_empty() {
        return Ok(true);
    }
    let total = items.len();
    let mut unread = items.clone();
    let asked = agent.prepare(root).and_then(|place| {
        let n_tokens = estimated_tokens(&items, report);
        let by = agent.name();
        let n = plural(total, "finding");
        out.note(&[format!(
            "asking {by} about {n}, with the lines around: {n_tokens} tokens"
        )]);
        out.note(&Vec::from_iter(place));
        let bar = ProgressBar::new(out.terminal, "findings read");
        while let Some(batch) = next_batch(&items, report) {
            bar.step(total - items.len(), total);
            let mut judgements = Vec::new();
            let is_read = read(&agent, &batch, &mut unread, &mut judgements);
            for judgement in judgements {
                record(&agent, judgement, report);
            }
            is_read?;
            items.retain(|id, _| !batch.contains_key(id));
        }
        Ok(())
    });
    let reason = asked.err().map(|error| reason(&error));
    mark_unread(
        &agent,
        &unread,
        reason.as_deref().unwrap_or(REFUSED),
        report,
    );
    report.count();
    Ok(unread.len() < total)
}

/// Why an error is not read although its agent answered.
const REFUSED: &str = "its answer about them cannot be used";

fn estimated_tokens(items: &Items, report: &Report) -> usize {
    let mut items = items.clone();
    let mut n_tokens = 0;
    while let Some(batch) = next_batch(&items, report) {
        n_tokens += tokens::count(&request(&batch, &[]).to_string());
        items.retain(|id, _| !batch.contains_key(id));
    }
    n_tokens
}

/// Returns the next items: the warnings, of which more are dismissed, before the errors.
fn next_batch(items: &Items, report: &Report) -> Option<Items> {
    let mut ids: Vec<usize> = items.keys().copied().collect();
    ids.sort_by_key(|id| (report.findings[*id].severity == Severity::Error, *id));
    ids.truncate(N_FINDINGS);
    let mut batch = items.clone();
    batch.retain(|id, _| ids.contains(id));
    if batch.is_empty() { None } else { Some(batch) }
}

fn request(batch: &Items, refused: &[Refused]) -> Value {
    let findings: Vec<&Value> = batch.values().collect();
    let mut request = json!({ "instructions": INSTRUCTIONS, "findings": findings });
    if !refused.is_empty() {
        request["refused"] = json!(refused);
    }
    request
}

/// Asks about a batch, and once more about the errors without a valid answer if an item was refused. Removes
/// what was read from `unread`. The judgements before an error count.
fn read(
    agent: &Agent,
    batch: &Items,
    unread: &mut Items,
    judgements: &mut Vec<Judgement>,
) -> Result<()> {
    let mut left = batch.clone();
    let mut refused = Vec::new();
    for is_last in [false, true] {
        let answer = agent.answer(
            &request(&left, &refused),
            "findings",
            &mut Tokens::default(),
        )?;
        refused.clear();
        match answer {
            None => {}
            Some(Answer::Items(items)) => {
                let contradicted = contradicted(&items);
                for item in items {
                    match judgement(&item, &contradicted, &mut left) {
                        Ok(judgement) => {
                            unread.remove(&judgement.id);
                            judgements.push(judgement);
                        }
                        Err(reason) => refused.push(Refused::new(&item, reason)),
                    }
                }
            }
            Some(Answer::Unreadable(start)) if is_last => {
                return Err(agent.unreadable("findings", &start).into());
            }
            Some(Answer::Unreadable(item)) => {
                let reason = "it has no JSON object with a list `findings`".to_owned();
                refused.push(Refused { item, reason });
            }
        }
        if refused.is_empty() || left.is_empty() {
            // An error that it does not mention stays.
            unread.retain(|id, _| !left.contains_key(id));
            break;
        }
    }
    Ok(())
}

/// Returns the errors about which an answer says both.
fn contradicted(items: &[Value]) -> BTreeSet<usize> {
    let mut said: BTreeMap<usize, bool> = BTreeMap::new();
    let mut contradicted = BTreeSet::new();
    for item in items {
        let Ok(judgement) = Judgement::deserialize(item) else {
            continue;
        };
        let first = *said.entry(judgement.id).or_insert(judgement.is_out_of_date);
        if first != judgement.is_out_of_date {
            contradicted.insert(judgement.id);
        }
    }
    contradicted
}

/// Returns the judgement in an item, and removes its error from those that are asked about.
fn judgement(
    item: &Value,
    contradicted: &BTreeSet<usize>,
    left: &mut Items,
) -> Result<Judgement, String> {
    if !item.is_object() {
        return Err("it is not an object".to_owned());
    }
    let judgement = Judgement::deserialize(item).map_err(|error| error.to_string())?;
    if contradicted.contains(&judgement.id) {
        return Err(format!(
            "another item says the opposite about {}",
            judgement.id
        ));
    }
    match left.remove(&judgement.id) {
        Some(_) => Ok(judgement),
        None => Err(format!(
            "{} is not the id of a finding without an answer",
            judgement.id
        )),
    }
}

fn record(agent: &Agent, judgement: Judgement, report: &mut Report) {
    let finding = &mut report.findings[judgement.id];
    if judgement.is_out_of_date {
        // It read the lines around, which the level is not decided by.
        finding.severity = Severity::Error;
        finding.doubt = None;
        return;
    }
    finding.severity = Severity::Note;
    finding.next = NOTHING.to_owned();
    finding.message += &format!("; dismissed by {}", agent.name());
    // On one line: a line of its own could be a command for a runner of CI.
    let words: Vec<&str> = judgement.reason.split_whitespace().collect();
    let reason = words.join(" ");
    if !reason.is_empty() {
        finding.message += &format!(": {reason}");
    }
    finding.dismissed = Some(reason);
}

/// Marks the errors that an agent did not read, and their documents as not checked.
fn mark_unread(agent: &Agent, unread: &Items, reason: &str, report: &mut Report) {
    let mut n_errors: BTreeMap<String, usize> = BTreeMap::new();
    for id in unread.keys() {
        let finding = &mut report.findings[*id];
        finding.message += &format!("; not read by {}", agent.name());
        *n_errors.entry(finding.file.clone()).or_default() += 1;
    }
    for (file, n) in n_errors {
        let reason = format!(
            "{} not read by {}: {reason}",
            plural(n, "finding"),
            agent.name()
        );
        report.unchecked.push(Unchecked { file, reason });
    }
}

/// Returns an error with its hints.
fn reason(error: &anyhow::Error) -> String {
    let mut reason = format!("{error:#}");
    for hint in error
        .downcast_ref::<UserError>()
        .map_or(&[][..], |error| &error.hints)
    {
        reason += &format!("; {hint}");
    }
    reason
}

/// Returns an error as an agent reads it.
pub(super) fn item(id: usize, finding: &Finding, text: &str) -> Value {
    let start = text
        .split_inclusive('\n')
        .take(finding.line - 1)
        .map(str::len)
        .sum();
    let mut headings: Vec<(usize, String)> = Vec::new();
    let before = structure::parse_body(text).headings.into_iter();
    for heading in before.take_while(|heading| heading.start < start) {
        headings.retain(|(level, _)| *level < heading.level);
        headings.push((heading.level, heading.title));
    }
    let headings: Vec<String> = headings.into_iter().map(|(_, title)| title).collect();
    let first = finding.line.saturating_sub(N_BEFORE + 1);
    let lines = text
        .lines()
        .enumerate()
        .skip(first)
        .take(finding.line - first + N_AFTER);
    let lines = lines.map(|(n, line)| {
        // Of a long line, the part with the name.
        let is_its = n + 1 == finding.line;
        let from = if is_its {
            finding.column.saturating_sub(N_CHARS / 2)
        } else {
            0
        };
        format!(
            "{}: {}",
            n + 1,
            line.chars().skip(from).take(N_CHARS).collect::<String>()
        )
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
