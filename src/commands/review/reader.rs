//! `cerberus memory review --with AGENT`: an agent reads the rules without an example, says what kind
//! they are and which words to expect in their code, and chooses among the candidates.
//!
//! Request and answer are JSON documents. The agent gets the texts of rules and excerpts of code, and
//! its answer is only data. What it decides is recorded before the next request, so that an interrupted
//! run loses nothing and the next run goes on.

use std::time::Instant;

use anyhow::Result;
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::agents::Agent;
use super::{N_CANDIDATES, ReviewArgs, is_reviewed};
use crate::commands::milliseconds;
use crate::config::Settings;
use crate::output::{NAME, OK, Printer, ProgressBar, WARN};
use cerberus_bank::MemoryFile;
use cerberus_bank::ops::answers::{self, Answers, Decided, Offered, Outcome};
use cerberus_bank::ops::memories::{self, Memories};
use cerberus_bank::ops::{Progress, Project, anchors};
use cerberus_bank::{shared, tokens};
use cerberus_engine::CodeBase;
use cerberus_engine::examples::{self, Options, Query};
use cerberus_engine::excerpt;
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::text::plural;
use cerberus_model::{AgentChoice, CodeLocation, RuleKind, SymbolKind};

/// Version of the form of requests and answers.
const VERSION: u32 = 1;

/// Number of rules in a request without code, and with the code of their candidates: about 2,500 and
/// 8,000 tokens.
const N_DESCRIBED: usize = 25;
const N_CHOSEN: usize = 8;

/// Number of lines of a candidate. The agent does not see the rest.
const N_LINES: usize = 25;

/// Tokens for a rule in both requests together. Twenty lines of code have about 200.
const TOKENS_PER_RULE: usize = 1000;

/// Number of characters that are shown of an answer that is not valid.
const N_SHOWN: usize = 200;

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
    totals: Totals,
    tokens: Tokens,
    elapsed_ms: f64,
    /// The first request, in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<Request>,
    warnings: Vec<String>,
}

/// Numbers of rules by outcome.
#[derive(Debug, Default, Serialize)]
struct Totals {
    anchored: usize,
    process: usize,
    none: usize,
    refused: usize,
    left: usize,
}

/// Estimated before, counted afterwards.
#[derive(Debug, Default, Serialize)]
struct Tokens {
    estimated: usize,
    sent: usize,
    received: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    version: u32,
    task: Task,
    instructions: &'static str,
    answer_schema: Value,
    rules: Vec<RuleItem>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum Task {
    Describe,
    Choose,
}

/// A rule that an agent reads.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RuleItem {
    id: String,
    rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<Vec<CandidateItem>>,
}

#[derive(Debug, Clone, Serialize)]
struct CandidateItem {
    example: String,
    kind: SymbolKind,
    lines: String,
    code: String,
}

/// A rule without an example that a person chose.
pub(crate) struct OpenRule {
    pub(crate) id: String,
    heading: Option<String>,
    query: Query,
    is_shared: bool,
}

impl OpenRule {
    /// Whether an agent still has to say what kind of rule it is and what to search for.
    fn is_described(&self) -> bool {
        self.query.kind.is_some() && !self.query.hints.is_empty()
    }

    fn item(&self) -> RuleItem {
        RuleItem {
            id: self.id.clone(),
            rule: self.query.rule.clone(),
            heading: self.heading.clone(),
            hints: self.query.hints.clone(),
            candidates: None,
        }
    }
}

/// Returns the rules that no person and no agent decided about, or the requested ones that no person
/// decided about, and warnings about the others.
pub(crate) fn open_rules(
    memories: &Memories,
    args: &ReviewArgs,
) -> Result<(Vec<OpenRule>, Vec<String>)> {
    let filter = args.filter();
    filter.check(memories.all.iter().map(|stored| &stored.memory))?;
    let is_open = |stored: &&MemoryFile| {
        let memory = &stored.memory;
        let is_own = !shared::is_shared(&stored.file);
        is_reviewed(stored, &filter, memories)
            && !memories.anchors.contains_key(&memory.id)
            && memory.kind != Some(RuleKind::Process)
            && !(is_own && memory.reviewed_by.is_some())
            && answers::check_undecided(memories, stored).is_ok()
            && memories::languages(&memory.scope).is_ok()
    };
    for id in &args.ids {
        memories.find(id)?;
    }
    let ids: Vec<String> = match args.ids.is_empty() {
        true => memories.all.iter().filter(is_open).map(|it| it.memory.id.clone()).collect(),
        false => args.ids.clone(),
    };
    Ok(named_rules(memories, &ids))
}

/// Returns the requested rules that no person decided about, and warnings about the others.
pub(crate) fn named_rules(memories: &Memories, ids: &[String]) -> (Vec<OpenRule>, Vec<String>) {
    let (mut open, mut warnings) = (Vec::new(), Vec::new());
    for id in ids {
        let rule = memories.find(id).and_then(|stored| {
            answers::check_undecided(memories, stored)?;
            let languages = memories::languages(&stored.memory.scope).map_err(UserError::usage)?;
            Ok(OpenRule {
                id: stored.memory.id.clone(),
                heading: stored.memory.heading.clone(),
                query: Query { languages, ..anchors::query(stored, &[]) },
                is_shared: shared::is_shared(&stored.file),
            })
        });
        match rule {
            Ok(rule) => open.push(rule),
            Err(error) => warnings.push(format!("`{id}` is skipped: {error}")),
        }
    }
    (open, warnings)
}

/// Returns rules with their ranked candidates, for an agent and for the check of its answer.
pub(crate) fn with_candidates(
    project: &Project,
    rules: &[&OpenRule],
    progress: Progress<'_>,
) -> Result<(Vec<RuleItem>, Offered)> {
    let code = |it: &&OpenRule| Query { kind: Some(RuleKind::Code), ..it.query.clone() };
    let queries: Vec<Query> = rules.iter().map(code).collect();
    let options = Options {
        limit: N_CANDIDATES,
        distinct_files: true,
        min_quality: project.min_quality,
        explain: false,
    };
    let base = CodeBase { progress, ..project.code() };
    let rankings =
        if queries.is_empty() { Vec::new() } else { examples::find(base, &queries, options)? };
    let (mut items, mut offered) = (Vec::new(), Offered::new());
    for (rule, ranking) in rules.iter().zip(rankings) {
        let words = RuleWords::new(&rule.query.rule, &rule.query.hints);
        let candidates = ranking.candidates.iter().map(|it| {
            let lines = (it.start_line, it.end_line);
            let place = (&*it.file, lines);
            let code = excerpt::of_candidate(&project.root, &words, place, N_LINES).text;
            let location = CodeLocation { file: it.file.clone(), symbol: it.symbol.clone() };
            let lines = format!("{}-{}", lines.0, lines.1);
            CandidateItem { example: location.to_string(), kind: it.kind, lines, code }
        });
        items.push(RuleItem { candidates: Some(candidates.collect()), ..rule.item() });
        offered.insert(rule.id.clone(), ranking.candidates);
    }
    Ok((items, offered))
}

/// Returns the items of an answer, around which there may be other text.
fn parsed(answer: &str) -> Result<Vec<Value>, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Document {
        rules: Vec<Value>,
    }
    let object = answer.find('{').zip(answer.rfind('}'));
    let object = object.and_then(|(first, last)| answer.get(first..=last));
    let object = object.ok_or("it has no JSON object")?;
    let document: Document = serde_json::from_str(object).map_err(|error| error.to_string())?;
    Ok(document.rules)
}

/// A run of an agent over the rules.
struct Session<'a> {
    project: &'a Project,
    agent: &'a Agent,
    choice: AgentChoice,
    max_tokens: usize,
    tokens: Tokens,
    bar: ProgressBar,
    total: usize,
    /// The rules that are decided or given up.
    decided: Vec<Decided>,
    /// Whether an answer was recorded in this run.
    has_recorded: bool,
    /// Whether the limit of tokens is reached.
    is_stopped: bool,
}

impl Session<'_> {
    /// Asks about all rules. What is not in `decided` afterwards is left.
    fn run(&mut self, rules: Vec<OpenRule>) -> Result<()> {
        let (mut open, unknown): (Vec<_>, Vec<_>) =
            rules.into_iter().partition(OpenRule::is_described);
        let mut unknown = unknown.into_iter().peekable();
        while unknown.peek().is_some() && !self.is_stopped {
            let batch: Vec<OpenRule> = unknown.by_ref().take(N_DESCRIBED).collect();
            let items = batch.iter().map(OpenRule::item).collect();
            let offered = batch.iter().map(|rule| (rule.id.clone(), Vec::new())).collect();
            open.extend(self.ask(Task::Describe, (items, offered), batch)?);
        }
        // The rules for which the agent gave other hints are asked about once more.
        let again = self.choose(open)?;
        let without = self.choose(again)?;
        if without.is_empty() {
            return Ok(());
        }
        let none = without.iter().map(|it| serde_json::json!({ "id": it.id, "none": true }));
        let offered = without.iter().map(|rule| (rule.id.clone(), Vec::new())).collect();
        let decided = self.record(&none.collect::<Vec<_>>(), &offered)?;
        self.decided.extend(decided);
        Ok(())
    }

    /// Asks for the examples of rules. Returns those with new hints.
    fn choose(&mut self, open: Vec<OpenRule>) -> Result<Vec<OpenRule>> {
        let (mut again, mut open) = (Vec::new(), open.into_iter().peekable());
        while open.peek().is_some() && !self.is_stopped {
            let batch: Vec<OpenRule> = open.by_ref().take(N_CHOSEN).collect();
            let rules: Vec<&OpenRule> = batch.iter().collect();
            let with_candidates = with_candidates(self.project, &rules, &|_, _| {})?;
            again.extend(self.ask(Task::Choose, with_candidates, batch)?);
        }
        Ok(again)
    }

    /// Asks about a batch and records the answer. Returns the rules that have new hints.
    fn ask(
        &mut self,
        task: Task,
        (items, offered): (Vec<RuleItem>, Offered),
        batch: Vec<OpenRule>,
    ) -> Result<Vec<OpenRule>> {
        let request = serde_json::to_string(&request(task, items)?)?;
        let Some(items) = self.answer(&request)? else { return Ok(Vec::new()) };
        let mut described = Vec::new();
        for decided in self.record(&items, &offered)? {
            match decided.outcome {
                Outcome::Described => described.push(decided),
                _ => self.decided.push(decided),
            }
        }
        self.bar.step(self.decided.len(), self.total);
        let mut rules = Vec::new();
        for mut rule in batch {
            if let Some(decided) = described.iter().find(|it| it.id == rule.id) {
                rule.query.hints.extend(decided.hints.iter().cloned());
                rules.push(rule);
            }
        }
        Ok(rules)
    }

    fn record(&mut self, items: &[Value], offered: &Offered) -> Result<Vec<Decided>> {
        let continues = std::mem::replace(&mut self.has_recorded, true);
        let answers = Answers { choice: &self.choice, items, offered, continues };
        answers::record(self.project, &answers)
    }

    /// Returns the items of the answer to a request, or `None` if it would exceed the limit.
    fn answer(&mut self, request: &str) -> Result<Option<Vec<Value>>> {
        let n_tokens = tokens::count(request);
        let mut failure = None;
        // An answer that cannot be read is asked for once more.
        for _ in 0..2 {
            if self.tokens.sent + self.tokens.received + n_tokens > self.max_tokens {
                self.is_stopped = true;
                return Ok(None);
            }
            let answer = self.agent.ask(request)?;
            self.tokens.sent += n_tokens;
            self.tokens.received += tokens::count(&answer);
            match parsed(&answer) {
                Ok(items) => return Ok(Some(items)),
                Err(why) => failure = Some((answer, why)),
            }
        }
        let (answer, why) = failure.unwrap_or_default();
        let start: String = answer.trim().chars().take(N_SHOWN).collect();
        let message = format!(
            "failed to read the answer of `{}`: {why}; it starts with `{}`",
            self.agent.typed,
            start.escape_debug()
        );
        Err(UserError::environment(message).into())
    }
}

fn request(task: Task, rules: Vec<RuleItem>) -> Result<Request> {
    Ok(Request {
        version: VERSION,
        task,
        instructions: INSTRUCTIONS,
        answer_schema: serde_json::from_str(ANSWER_SCHEMA)?,
        rules,
    })
}

fn first_request(project: &Project, rules: &[OpenRule]) -> Result<Request> {
    let unknown = rules.iter().filter(|rule| !rule.is_described());
    let items: Vec<RuleItem> = unknown.take(N_DESCRIBED).map(OpenRule::item).collect();
    if !items.is_empty() {
        return request(Task::Describe, items);
    }
    let batch: Vec<&OpenRule> = rules.iter().take(N_CHOSEN).collect();
    request(Task::Choose, with_candidates(project, &batch, &|_, _| {})?.0)
}

/// Returns the number of tokens of requests and answers for this number of rules.
pub(crate) fn estimated_tokens(n_rules: usize) -> usize {
    n_rules * TOKENS_PER_RULE
}

pub(super) fn run(
    with: &str,
    args: &ReviewArgs,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let started = Instant::now();
    let (project, agent) = (&settings.project, Agent::new(with));
    let memories = Memories::load(project)?;
    let (mut rules, mut warnings) = open_rules(&memories, args)?;
    rules.truncate(args.limit.unwrap_or(usize::MAX));
    warnings.extend(memories.warnings.iter().cloned());
    let n_shared = rules.iter().filter(|rule| rule.is_shared).count();
    if n_shared > 0 {
        let n = plural(n_shared, "rule");
        warnings.push(format!("{n} of shared banks: only examples are stored, no kind or hints"));
    }
    out.warn(&warnings);
    let choice = AgentChoice::new(agent.name(), project.now);
    let tokens = Tokens { estimated: estimated_tokens(rules.len()), ..Tokens::default() };
    let ids: Vec<String> = rules.iter().map(|rule| rule.id.clone()).collect();
    if !ids.is_empty() {
        let (n, about) = (plural(ids.len(), "rule"), tokens.estimated);
        let (verb, by) = (if args.reader.dry_run { "would ask" } else { "asking" }, &choice.by);
        out.note(&[format!(
            "{verb} {by} about {n}, with their texts and excerpts of five candidates each: about {about} tokens"
        )]);
    }
    let mut session = Session {
        project,
        agent: &agent,
        choice,
        max_tokens: args.reader.max_tokens.unwrap_or(usize::MAX),
        tokens,
        bar: ProgressBar::new(out.terminal, "rules decided"),
        total: ids.len(),
        decided: Vec::new(),
        has_recorded: false,
        is_stopped: false,
    };
    let mut first = None;
    let asked = if args.reader.dry_run {
        first = Some(first_request(project, &rules)?);
        Ok(())
    } else {
        session.run(rules)
    };
    let Session { decided, tokens, choice, bar, .. } = session;
    drop(bar);
    let report = Report {
        agent: choice.by,
        dry_run: args.reader.dry_run,
        totals: Totals::default(),
        rules: in_order(decided, &ids),
        tokens,
        elapsed_ms: milliseconds(started),
        request: first,
        warnings,
    };
    let report = Report { totals: totals(&report.rules), ..report };
    out.report(&report, print)?;
    asked.map_err(|error| {
        let failure = error.downcast::<UserError>();
        failure.map_or_else(|error| error, |it| it.hint("run it again to go on").into())
    })?;
    Ok(ExitStatus::Done)
}

/// Returns what was recorded about each rule, in the order of the rules; the last of several outcomes.
fn in_order(decided: Vec<Decided>, ids: &[String]) -> Vec<Decided> {
    let outcome = |id: &String| decided.iter().rfind(|it| it.id == *id).cloned();
    let rules = ids.iter().map(|id| outcome(id).unwrap_or(Decided::new(id, Outcome::Left)));
    // An answer may have other ids.
    let others = decided.iter().filter(|it| !ids.contains(&it.id)).cloned();
    rules.chain(others).collect()
}

fn totals(rules: &[Decided]) -> Totals {
    let n = |outcome| rules.iter().filter(|it| it.outcome == outcome).count();
    Totals {
        anchored: n(Outcome::Anchored),
        process: n(Outcome::Process),
        none: n(Outcome::None),
        refused: n(Outcome::Refused),
        left: n(Outcome::Left) + n(Outcome::Described),
    }
}

fn print(report: &Report, out: &mut Printer) {
    if report.rules.is_empty() {
        return out.line("no rule to decide: each has an example, or was decided");
    }
    if report.dry_run {
        report.rules.iter().for_each(|it| out.line(&out.style(NAME, &it.id)));
        return out.line("nothing was asked; print the first request with --json");
    }
    for Decided { id, outcome, example, reason, .. } in &report.rules {
        let (style, verb) = match outcome {
            Outcome::Anchored => (OK, "anchored"),
            Outcome::Process => (OK, "about the work"),
            Outcome::None => (WARN, "no example"),
            Outcome::Described | Outcome::Left => (WARN, "left"),
            Outcome::Refused => (WARN, "refused"),
        };
        let to = example.as_ref().map(|example| format!(" to {example}"));
        let why = reason.as_ref().map(|reason| format!(": {reason}"));
        let rest = out.safe(&(to.unwrap_or_default() + &why.unwrap_or_default()));
        out.line(&format!("{} {}{rest}", out.paint(style, verb), out.style(NAME, id)));
    }
    let Totals { anchored, process, none, refused, left } = report.totals;
    out.line(&format!(
        "{anchored} anchored, {process} about the work on the project, {none} without an example, {refused} refused, {left} left"
    ));
    let Tokens { sent, received, .. } = report.tokens;
    let seconds = report.elapsed_ms / 1e3;
    out.line(&format!("{sent} tokens sent, {received} received, {seconds:.0} s"));
    if anchored > 0 {
        out.line("next: cerberus memory review, which lists what the agent chose");
        out.line("undo: cerberus memory reanchor --undo");
    }
}
