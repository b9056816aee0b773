//! `cerberus memory review --with AGENT`: an agent reads the rules without an example, says what kind
//! they are and which words to expect in their code, and chooses among the candidates.
//!
//! Request and answer are JSON documents. The agent gets the texts of rules and excerpts of code, and
//! its answer is only data. What it decides is recorded before the next request, so that an interrupted
//! run loses nothing and the next run goes on.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::ops::answers::{self, Answers, Decided, Offered};
use cerberus_bank::ops::open_rules::{OpenRule, estimated_tokens, open_rules, with_candidates};
use cerberus_engine::examples::RankedSymbol;
use cerberus_model::error::UserError;
use cerberus_model::text::plural;
use cerberus_model::{AgentChoice, Outcome};
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::ReviewArgs;
use crate::commands::agent::{Agent, Answer, Refused, Tokens};
use crate::commands::milliseconds;
use crate::config::{Settings, in_one_line};
use crate::output::{CliResult, NAME, OK, Printer, ProgressBar, WARN};

/// Version of the form of requests and answers.
const VERSION: u32 = 1;

/// Number of rules in a request without code, and with the code of their candidates: about 2,500 and
/// 8,000 tokens.
const N_DESCRIBED: usize = 25;
const N_CHOSEN: usize = 8;

#[cfg(test)]
mod tests;

const INSTRUCTIONS: &str = include_str!("instructions.txt");

/// The JSON Schema of an answer.
pub(crate) const ANSWER_SCHEMA: &str = include_str!("answer.schema.json");

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReaderArgs {
    /// Let an agent decide: claude, codex, gemini, copilot, opencode, or a shell command that reads a
    /// request on its input and prints the answer
    #[arg(long, value_name = "AGENT", conflicts_with_all = ["list", "all"])]
    pub(crate) with: Option<String>,
    /// Show what would be asked, and ask nothing
    #[arg(long, requires = "with")]
    pub(crate) dry_run: bool,
    /// Stop before the request with which more than N tokens are sent and received
    #[arg(long, value_name = "N", requires = "with")]
    pub(crate) max_tokens: Option<usize>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    agent: String,
    dry_run: bool,
    rules: Vec<Decided>,
    /// Numbers of rules by outcome.
    totals: BTreeMap<&'static str, usize>,
    tokens: Tokens,
    elapsed_ms: f64,
    /// The first request, in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<Value>,
    warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Task {
    Describe,
    Choose,
}

/// A run of an agent over the rules.
struct Session<'a> {
    project: &'a Workspace,
    agent: &'a Agent,
    choice: AgentChoice,
    bar: ProgressBar,
    /// Number of rules.
    total: usize,
    /// The patterns of rules that were described before they were decided.
    proposed: BTreeMap<String, Decided>,
    /// Whether an answer was recorded in this run.
    has_recorded: bool,
    /// With the rules that are decided or given up, and in a dry run the first request.
    report: Report,
}

impl Session<'_> {
    /// Asks about all rules. What is not in `decided` afterwards is left.
    fn run(&mut self, rules: Vec<OpenRule<'_>>) -> Result<()> {
        let (mut open, unknown) = rules
            .into_iter()
            .partition::<Vec<_>, _>(OpenRule::is_described);
        open.extend(self.ask(Task::Describe, unknown, false)?);
        // The rules for which the agent gave other hints are asked about once more.
        let again = self.ask(Task::Choose, open, false)?;
        self.ask(Task::Choose, again, true).map(drop)
    }

    /// Asks about rules in batches, and records each answer before the next request. Returns the rules that
    /// have new hints, or none if it is the last time.
    fn ask<'r>(
        &mut self,
        task: Task,
        rules: Vec<OpenRule<'r>>,
        is_last: bool,
    ) -> Result<Vec<OpenRule<'r>>> {
        let n_rules = if task == Task::Describe {
            N_DESCRIBED
        } else {
            N_CHOSEN
        };
        let mut hints = BTreeMap::new();
        for batch in rules.chunks(n_rules) {
            let Some(found) = self.ask_batch(task, batch, is_last)? else {
                break;
            };
            hints.extend(found);
            self.bar.step(self.report.rules.len(), self.total);
        }
        let described = rules.into_iter().filter_map(|mut rule| {
            let (hints, refused) = hints.remove(rule.id())?;
            match task {
                Task::Describe => rule.add_hints(hints),
                Task::Choose => rule.search_again(hints, refused),
            }
            Some(rule)
        });
        Ok(described.collect())
    }

    /// Asks about a batch, and once more about the rules without a valid answer if an item was refused.
    /// Returns the new hints, or `None` if nothing more may be asked.
    fn ask_batch(
        &mut self,
        task: Task,
        batch: &[OpenRule<'_>],
        is_last: bool,
    ) -> Result<Option<Hints>> {
        let (mut left, mut offered) = asked(self.project, task, batch)?;
        let mut hints = Hints::new();
        let mut refused: Vec<Refused> = Vec::new();
        for is_final in [false, true] {
            let Some(answer) = self.answer(&request(task, &left, &refused)?)? else {
                return Ok(None);
            };
            // The files may have changed while the agent read.
            self.project.forget();
            refused.clear();
            let mut items = match answer {
                Answer::Items(items) => items,
                Answer::Unreadable(start) if is_final => {
                    return Err(self.agent.unreadable("rules", &start).into());
                }
                Answer::Unreadable(item) => {
                    let reason = "it has no JSON object with a list `rules`".to_owned();
                    refused.push(Refused { item, reason });
                    continue;
                }
            };
            if is_last {
                items.iter_mut().for_each(decide);
            }
            let mut still_refused = Vec::new();
            for decided in self.record(&items, &offered)? {
                if decided.outcome == Outcome::Refused {
                    let reason = decided.reason.clone().unwrap_or_default();
                    refused.push(Refused {
                        item: decided.id.clone(),
                        reason,
                    });
                    still_refused.push(decided);
                    continue;
                }
                left.retain(|rule| rule["id"] != *decided.id);
                let seen = offered.remove(&decided.id).unwrap_or_default();
                if decided.outcome == Outcome::Described {
                    self.proposed.insert(decided.id.clone(), decided.clone());
                    hints.insert(decided.id, (decided.hints, seen));
                } else {
                    self.report.rules.push(decided);
                }
            }
            if is_final || refused.is_empty() || left.is_empty() {
                self.report.rules.extend(still_refused);
                break;
            }
        }
        Ok(Some(hints))
    }

    /// Records the items of an answer.
    fn record(&mut self, items: &[Value], offered: &Offered) -> Result<Vec<Decided>> {
        let continues = std::mem::replace(&mut self.has_recorded, true);
        let choice = &self.choice;
        answers::record(
            self.project,
            &Answers {
                choice,
                items,
                offered,
                continues,
            },
        )
    }

    /// Returns the answer to a request, or `None` if it would exceed the limit or in a dry run.
    fn answer(&mut self, request: &Value) -> Result<Option<Answer>> {
        let report = &mut self.report;
        if report.dry_run {
            report.request.get_or_insert_with(|| request.clone());
            return Ok(None);
        }
        self.agent.answer(request, "rules", &mut report.tokens)
    }
}

/// The new hints of rules by their ids, with the candidates that the agent saw and did not choose.
type Hints = BTreeMap<String, (Vec<String>, Vec<RankedSymbol>)>;

/// Makes an item without an example the decision that there is none.
fn decide(item: &mut Value) {
    if let Some(fields) = item.as_object_mut()
        && matches!(fields.get("example"), None | Some(Value::Null))
    {
        fields.insert("none".to_owned(), Value::Bool(true));
    }
}

/// Returns rules as an agent reads them for a task, and what it may choose.
fn asked(project: &Workspace, task: Task, rules: &[OpenRule<'_>]) -> Result<(Vec<Value>, Offered)> {
    if task == Task::Choose {
        return with_candidates(project, rules);
    }
    let mut items = Vec::new();
    let mut offered = Offered::new();
    for rule in rules {
        items.push(rule.item());
        offered.insert(rule.id().to_owned(), Vec::new());
    }
    Ok((items, offered))
}

fn request(task: Task, rules: &[Value], refused: &[Refused]) -> Result<Value> {
    let schema: Value = serde_json::from_str(ANSWER_SCHEMA)?;
    let mut request = json!({
        "version": VERSION,
        "task": task,
        "instructions": INSTRUCTIONS,
        "answerSchema": schema,
        "rules": rules,
    });
    if !refused.is_empty() {
        request["refused"] = json!(refused);
    }
    Ok(request)
}

pub(super) fn run(
    with: &str,
    args: &ReviewArgs,
    settings: &Settings,
    out: &mut Printer,
) -> CliResult {
    let started = Instant::now();
    let (project, mut agent) = (&settings.project, Agent::new(with)?);
    let memories = project.memories()?;
    let (mut rules, mut warnings) = open_rules(&memories, &args.request())?;
    rules.truncate(args.limit.unwrap_or(usize::MAX));
    warnings.extend(memories.warnings.iter().cloned());
    out.warn(&warnings);
    let (total, dry_run) = (rules.len(), args.reader.dry_run);
    let choice = AgentChoice::new(agent.name(), project.now);
    let place = if dry_run || total == 0 {
        None
    } else {
        agent.prepare(&project.root)?
    };
    let report = Report {
        agent: choice.by.clone(),
        dry_run,
        rules: Vec::new(),
        totals: BTreeMap::new(),
        tokens: Tokens {
            estimated: estimated_tokens(total),
            max: args.reader.max_tokens,
            ..Tokens::default()
        },
        elapsed_ms: 0.0,
        request: None,
        warnings,
    };
    let mut session = Session {
        project,
        agent: &agent,
        choice,
        bar: ProgressBar::new(out.terminal, "rules decided"),
        total,
        proposed: BTreeMap::new(),
        has_recorded: false,
        report,
    };
    let verb = if dry_run { "would ask" } else { "asking" };
    let (by, n, about) = (
        &session.choice.by,
        plural(total, "rule"),
        session.report.tokens.estimated,
    );
    if total > 0 {
        out.note(&[format!(
            "{verb} {by} about {n}, with their texts and excerpts of five candidates each: about {about} tokens"
        )]);
    }
    out.note(&Vec::from_iter(place));
    let ids: Vec<String> = rules.iter().map(|rule| rule.id().to_owned()).collect();
    let asked = session.run(rules);
    let Session {
        mut report,
        mut proposed,
        bar,
        ..
    } = session;
    let decided = &mut report.rules;
    drop(bar);
    for id in ids {
        if decided.iter().all(|decided| decided.id != id) {
            decided.push(Decided::new(&id, Outcome::Left));
        }
    }
    for outcome in Outcome::ALL {
        report.totals.insert(outcome.as_str(), 0);
    }
    for decided in decided {
        if decided.pattern.is_none()
            && decided.reason.is_none()
            && let Some(described) = proposed.remove(&decided.id)
        {
            decided.pattern = described.pattern;
            decided.reason = described.reason;
        }
        *report.totals.entry(decided.outcome.as_str()).or_default() += 1;
    }
    report.elapsed_ms = milliseconds(started);
    let status = out.report(&report, print)?;
    out.flush()?;
    asked.map_err(|error| match error.downcast::<UserError>() {
        Ok(failure) => failure.hint("run it again to go on").into(),
        Err(error) => error,
    })?;
    Ok(status)
}

fn print(report: &Report, out: &mut Printer) {
    let mut has_pattern = false;
    for Decided {
        id,
        outcome,
        example,
        pattern,
        reason,
        ..
    } in &report.rules
    {
        // Their number says enough about those that were not asked about.
        if *outcome == Outcome::Left && reason.is_none() && pattern.is_none() {
            continue;
        }
        has_pattern |= pattern.is_some();
        let style = if reason.is_none() { OK } else { WARN };
        let to = example.as_ref().map(|example| format!(" {example}"));
        // Both may have line breaks that the agent wrote, after which a workflow would read a command.
        let id = in_one_line(id);
        let why = reason
            .as_ref()
            .map(|reason| format!(": {}", in_one_line(reason)));
        let rest = out.safe(&(to.unwrap_or_default() + &why.unwrap_or_default()));
        let outcome = out.paint(style, outcome.as_str());
        out.line(&format!("{outcome} {}{rest}", out.style(NAME, &id)));
        for line in pattern.iter().flat_map(|text| text.lines()) {
            out.line(&format!("  {}", out.safe(line)));
        }
    }
    let totals = report.totals.iter().filter(|(_, n)| **n > 0);
    let totals: Vec<String> = totals
        .map(|(outcome, n)| format!("{n} {outcome}"))
        .collect();
    out.line(&if totals.is_empty() {
        "nothing to decide".to_owned()
    } else {
        totals.join(", ")
    });
    if report.dry_run {
        return out.line("nothing was asked; print the first request with --json");
    }
    let (Tokens { sent, received, .. }, seconds) = (&report.tokens, report.elapsed_ms / 1e3);
    out.line(&format!(
        "{sent} tokens sent, {received} received, {seconds:.0} s"
    ));
    if has_pattern {
        out.line("next: cerberus memory pattern ID --set FILE, for each pattern that you accept");
    }
    if report.totals[Outcome::Anchored.as_str()] > 0 {
        out.line("next: cerberus memory review, which lists what the agent chose");
        out.line("undo: cerberus memory reanchor --undo");
    }
}
