//! `cerberus memory anchor`: finds the example of a memory and stores the anchor to it.

use anyhow::{Context, Result};
use cerberus_bank::MemoryFile;
use cerberus_bank::Workspace;
use cerberus_bank::ops::anchors::AnchorSummary;
use cerberus_bank::ops::examples::{self as examples_beside, Change, OtherSummary};
use cerberus_bank::ops::{anchors, answers, document, memories};
use cerberus_engine::examples::{Options, Query, RankedSymbol, UnknownWord};
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_engine::{examples, excerpt};
use cerberus_markdown::frontmatter::FieldValue;
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::text::shell_word;
use cerberus_model::{
    AgentChoice, Anchor, CodeLocation, Confidence, ExampleChoice, ExampleRole, Origin, RuleKind,
    format_location,
};
use clap::Args;
use serde::Serialize;

use super::anchor_test::print_unknown_words;
use super::args::quality;
use super::review::print;
use crate::config::Settings;
use crate::output::{CliResult, NAME, OK, Printer, WARN};

/// Number of candidates to list if the user does not specify one.
const DEFAULT_CANDIDATES: usize = 5;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct AnchorArgs {
    /// Memory id or a unique prefix of it
    pub(crate) id: String,
    /// List N candidates with reasons, without storing an anchor
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "5", group = "choice")]
    pub(crate) candidates: Option<usize>,
    /// Store the candidate with this rank
    #[arg(long, value_name = "RANK", group = "choice")]
    pub(crate) pick: Option<usize>,
    /// Anchor the memory to this file or symbol
    #[arg(long, value_name = "FILE[::SYMBOL]", group = "choice")]
    pub(crate) to: Option<CodeLocation>,
    /// Add this file or symbol as a further example
    #[arg(long, value_name = "FILE[::SYMBOL]", group = "choice")]
    pub(crate) also: Option<CodeLocation>,
    /// Record this file or symbol as code that breaks the rule
    #[arg(long, value_name = "FILE[::SYMBOL]", group = "choice")]
    pub(crate) not: Option<CodeLocation>,
    /// Remove a further example or a counter-example
    #[arg(long, value_name = "FILE[::SYMBOL]", group = "choice")]
    pub(crate) drop: Option<CodeLocation>,
    /// Remove the anchor with all examples, and the record that there is no example
    #[arg(long, group = "choice")]
    pub(crate) clear: bool,
    /// Record that the code has no example, remove the anchor, and search no more
    #[arg(long, group = "choice")]
    pub(crate) none: bool,
    /// Kind of the rule, if its wording misleads: code or process. Recorded in its frontmatter
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<RuleKind>,
    /// Keyword expected in the example (repeatable)
    #[arg(
        long = "hint",
        visible_alias = "keyword",
        value_name = "WORD",
        conflicts_with_all = ["to", "clear", "none", "also", "not", "drop"]
    )]
    pub(crate) hints: Vec<String>,
    /// Minimum quality for an anchor (0 to 1)
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    pub(crate) min_quality: Option<f64>,
    /// Show the change without writing it
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The agent that chooses, which may not replace what a person decided
    #[arg(skip)]
    pub(crate) agent: Option<String>,
}

impl AnchorArgs {
    /// Returns whether the best candidate becomes the anchor if its quality is sufficient.
    fn is_automatic(&self) -> bool {
        let is_removal = self.clear || self.none;
        let is_choice = self.pick.is_some() || self.to.is_some() || self.change().is_some();
        self.candidates.is_none() && !is_choice && !is_removal
    }

    /// Returns the change of the examples beside the main one.
    fn change(&self) -> Option<Change<'_>> {
        let also = self
            .also
            .as_ref()
            .map(|example| Change::Add(ExampleRole::Also, example));
        let not = self
            .not
            .as_ref()
            .map(|example| Change::Add(ExampleRole::Not, example));
        also.or(not).or(self.drop.as_ref().map(Change::Drop))
    }
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) rule: String,
    pub(crate) hints: Vec<String>,
    pub(crate) min_quality: f64,
    /// The new anchor; in a dry run the one that would be stored.
    pub(crate) anchor: Option<AnchorSummary>,
    pub(crate) previous: Option<AnchorSummary>,
    /// The examples beside the main one, and the counter-examples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) others: Vec<OtherSummary>,
    /// What is decided about the example; in a dry run what would be.
    pub(crate) example: Option<ExampleChoice>,
    /// Why no candidate became the anchor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// The kind of the rule and the confidence of the ranking, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<RuleKind>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) kind_reasons: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<Confidence>,
    pub(crate) candidates: Vec<RankedSymbol>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unknown_words: Option<Vec<UnknownWord>>,
    /// The kind that was recorded in the frontmatter of the memory, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recorded_kind: Option<RuleKind>,
    /// Whether the lock file or the memory was changed.
    pub(crate) written: bool,
    pub(crate) warnings: Vec<String>,
}

/// Finds, replaces, lists or removes the anchor of a memory, as the arguments request.
pub(crate) fn anchor(project: &Workspace, args: &AnchorArgs) -> Result<Report> {
    document::check_words("hint", args.hints.iter().map(String::as_str))?;
    let memories = project.memories()?;
    let stored = memories.find(&args.id)?;
    let id = &stored.memory.id;
    let previous = memories.anchors.get(id);
    let query = anchors::query(stored, &args.hints);
    let query = Query {
        kind: args.kind.or(query.kind),
        ..query
    };
    let mut report = Report {
        id: id.clone(),
        rule: query.rule.clone(),
        hints: query.hints.clone(),
        min_quality: args.min_quality.unwrap_or(project.min_quality),
        previous: previous.map(AnchorSummary::from),
        example: stored.memory.example,
        warnings: memories.warnings.clone(),
        ..Report::default()
    };
    if let Some(change) = args.change() {
        let others = examples_beside::change(project, stored, change, args.dry_run)?;
        report.anchor = report.previous.clone();
        report.others = others.iter().map(OtherSummary::from).collect();
        report.written = !args.dry_run;
        return Ok(report);
    }
    if args.agent.is_some() && (args.to.is_some() || args.none) {
        answers::check_undecided(&memories, stored)
            .with_context(|| format!("failed to anchor `{id}`"))?;
    }
    let mut new = if args.clear || args.none {
        None
    } else if let Some(location) = &args.to {
        let new = anchors::at_location(project, location)?;
        Some(match &args.agent {
            None => new,
            Some(agent) => Anchor {
                origin: Origin::Agent,
                chosen: Some(AgentChoice::new(agent, project.now)),
                ..new
            },
        })
    } else {
        if args.is_automatic()
            && let Some(chosen) = previous.filter(|anchor| anchor.origin != Origin::Auto)
        {
            return Err(has_chosen_anchor(id, chosen).into());
        }
        if args.is_automatic() && stored.memory.example.is_some() {
            return Err(has_no_example(stored).into());
        }
        let languages = memories::languages(&stored.memory.scope).map_err(|reason| {
            UserError::usage(format!("`{id}` cannot be anchored: {reason}"))
                .hint("set a scope like `project:<name>` in its frontmatter")
        })?;
        find(project, Query { languages, ..query }, args, &mut report)?
    };
    if let (Some(new), Some(previous)) = (&mut new, previous) {
        new.others.clone_from(&previous.others);
        new.others
            .retain(|other| (&other.anchor.file, &other.anchor.symbol) != (&new.file, &new.symbol));
        report.others = new.others.iter().map(OtherSummary::from).collect();
    }
    report.anchor = new.as_ref().map(AnchorSummary::from);
    // A list of candidates changes nothing.
    if args.candidates.is_none() && !args.dry_run {
        report.recorded_kind = args.kind.filter(|kind| stored.memory.kind != Some(*kind));
    }
    if let Some(kind) = report.recorded_kind {
        record_kind(project, id, kind)?;
        report.written = true;
    }
    if args.none || args.clear || new.is_some() {
        let decision = args.none.then_some(ExampleChoice::None);
        report.example = decision;
        if !args.dry_run {
            report.written |= anchors::store(project, stored, new, decision)?;
        }
    }
    Ok(report)
}

/// Records the kind of a rule in its frontmatter.
fn record_kind(project: &Workspace, id: &str, kind: RuleKind) -> Result<()> {
    let fields = [("kind", Some(FieldValue::Scalar(kind.as_str())))];
    document::edit_text(project, id, |text| {
        document::set_fields(text.to_owned(), fields)
    })
    .map(drop)
}

/// Ranks the candidates and returns the anchor to the selected one, if any.
fn find(
    project: &Workspace,
    query: Query,
    args: &AnchorArgs,
    report: &mut Report,
) -> Result<Option<Anchor>> {
    let limit = args
        .pick
        .map(|rank| rank.max(DEFAULT_CANDIDATES))
        .or(args.candidates);
    let options = Options::distinct(limit.unwrap_or(DEFAULT_CANDIDATES), report.min_quality);
    let options = Options {
        explain: true,
        ..options
    };
    let words = RuleWords::new(&query.rule, &query.hints);
    let Some(ranking) = project.rank(&[query], options)?.pop() else {
        return Ok(None);
    };
    let is_stored = args.pick.is_some() || (args.is_automatic() && ranking.anchor.is_some());
    if is_stored {
        report.warnings.extend(anchors::hint_warnings(&ranking));
    } else if args.is_automatic() {
        report.reason = Some(anchors::rejection(&ranking));
    }
    report.kind = Some(ranking.kind);
    report.kind_reasons = ranking.kind_reasons;
    report.confidence = Some(ranking.confidence);
    report.warnings.extend(ranking.warnings);
    report.candidates = ranking.candidates;
    report.unknown_words = ranking.unknown_words;
    if let Some(rank) = args.pick {
        let candidate = rank
            .checked_sub(1)
            .and_then(|idx| report.candidates.get(idx));
        let candidate = candidate
            .ok_or_else(|| candidate_not_found(&args.id, rank, report.candidates.len()))?;
        return anchors::from_candidate(project, candidate, Origin::Manual).map(Some);
    }
    let best = ranking.anchor.filter(|_| args.candidates.is_none());
    if best.is_none() {
        let is_list = args.candidates.is_some();
        let max_lines = if is_list {
            excerpt::CANDIDATE_LINES
        } else {
            print::INLINE_LINES
        };
        examples::add_excerpts(&project.root, &words, &mut report.candidates, max_lines);
    }
    best.map(|best| anchors::from_candidate(project, &best, Origin::Auto))
        .transpose()
}

fn candidate_not_found(id: &str, rank: usize, n_candidates: usize) -> UserError {
    if n_candidates == 0 {
        return UserError::usage(format!(
            "`{id}` has no candidates: no code contains its words"
        ))
        .hint(format!(
            "specify one with `cerberus memory anchor {id} --to FILE::SYMBOL`"
        ));
    }
    UserError::usage(format!(
        "candidate {rank} not found: `{id}` has {n_candidates}"
    ))
    .hint(format!(
        "list them with `cerberus memory anchor {id} --candidates {n_candidates}`"
    ))
}

fn has_chosen_anchor(id: &str, anchor: &Anchor) -> UserError {
    let location = format_location(&anchor.file, anchor.symbol.as_deref());
    let how = match &anchor.chosen {
        Some(AgentChoice { by, .. }) => format!("by {by}"),
        None => "manually".to_owned(),
    };
    UserError::usage(format!("`{id}` is anchored {how}, to `{location}`"))
        .hint(format!(
            "list other candidates with `cerberus memory anchor {id} --candidates 5`"
        ))
        .hint(format!(
            "remove it with `cerberus memory anchor {id} --clear`, then anchor again"
        ))
}

fn has_no_example(stored: &MemoryFile) -> UserError {
    let id = &stored.memory.id;
    let command = format!("cerberus memory anchor {}", shell_word(id));
    UserError::usage(format!(
        "`{id}` has `example: none` in its frontmatter: no example is searched for"
    ))
    .hint(format!(
        "specify its example with `{command} --to FILE::SYMBOL`"
    ))
    .hint(format!(
        "or list candidates with `{command} --candidates 5`, and store one with `--pick`"
    ))
}

pub(crate) fn run(args: &AnchorArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let args = &AnchorArgs {
        hints: super::hints(&args.hints),
        ..args.clone()
    };
    let report = anchor(&settings.project, args)?;
    out.warn(&report.warnings);
    out.report(&report, |report, out| print_report(report, args, out))?;
    Ok(ExitStatus::of_check(
        report.anchor.is_some() || !args.is_automatic(),
    ))
}

fn print_report(report: &Report, args: &AnchorArgs, out: &mut Printer) {
    let id = out.style(NAME, &report.id);
    if let Some(kind) = report.recorded_kind {
        out.line(&format!("recorded that {id} is of the kind {kind}"));
    }
    if let Some(change) = args.change() {
        let verb = match (change, args.dry_run) {
            (Change::Add(..), false) => "added",
            (Change::Add(..), true) => "would add",
            (Change::Drop(_), false) => "removed",
            (Change::Drop(_), true) => "would remove",
        };
        let (what, location) = match change {
            Change::Add(ExampleRole::Not, location) => ("a counter-example of", location),
            Change::Add(_, location) | Change::Drop(location) => ("an example of", location),
        };
        let location = out.safe(&location.to_string());
        return out.line(&format!("{} {what} {id}: {location}", out.paint(OK, verb)));
    }
    let is_list = args.candidates.is_some();
    if let Some(anchor) = &report.anchor {
        let verb = out.paint(
            OK,
            if args.dry_run {
                "would anchor"
            } else {
                "anchored"
            },
        );
        let location = out.safe(&format_location(&anchor.file, anchor.symbol.as_deref()));
        let quality = anchor.quality;
        let chosen = anchor.chosen;
        return out.line(&format!(
            "{verb} {id} to {location} (quality {quality:.2}, {chosen})"
        ));
    }
    if args.none {
        let verb = if args.dry_run {
            "would record"
        } else {
            "recorded"
        };
        let verb = out.paint(OK, verb);
        let search = "no command searches for one";
        return out.line(&format!("{verb} that {id} has no example: {search}"));
    }
    if args.clear {
        return out.line(&match (&report.previous, args.dry_run) {
            (None, false) if report.written => {
                format!("{id} may have an example again: find it with `cerberus memory anchor`")
            }
            (None, _) => format!("{id} has no anchor"),
            (Some(_), true) => format!("would remove the anchor of {id}"),
            (Some(_), false) => format!("removed the anchor of {id}"),
        });
    }
    if is_list {
        out.line(&format!("{id}: {}", out.safe(&report.rule)));
    } else {
        let reason = out.safe(report.reason.as_deref().unwrap_or_default());
        out.line(&format!(
            "{id} is {}: {reason}",
            out.paint(WARN, "not anchored")
        ));
    }
    let command = format!("cerberus memory anchor {}", out.safe(&report.id));
    if !is_list && args.kind == Some(RuleKind::Process) {
        // The user said that no code shows the rule.
        return out.line(&format!("if it is about code: {command} --kind code"));
    }
    let words = RuleWords::new(&report.rule, &report.hints);
    let n_shown = if is_list {
        report.candidates.len()
    } else {
        print::N_INLINE
    };
    print::candidates(report.candidates.iter().take(n_shown), &words, out);
    if is_list || report.kind != Some(RuleKind::Process) {
        print_unknown_words(report.unknown_words.as_deref().unwrap_or_default(), out);
    }
    if !report.candidates.is_empty() {
        // Ranks refer to the list for these hints.
        let hints = args
            .hints
            .iter()
            .map(|hint| format!(" --hint {}", shell_word(hint)));
        let hints = out.safe(&hints.collect::<String>());
        out.line(&format!("store one with: {command}{hints} --pick 1"));
        out.line(&format!(
            "or search with a keyword from the code: {command} --hint WORD"
        ));
    }
}
