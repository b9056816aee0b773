//! `cerberus memory pattern`: the pattern of code that breaks a rule.

use std::path::PathBuf;

use anyhow::Result;
use cerberus_bank::memories::MAX_BYTES;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::patterns::{self as rule_patterns, PatternSummary, RulePattern};
use cerberus_bank::ops::{Project, anchors, document, memories};
use cerberus_bank::{MemoryFile, PROPOSED_BY, Workspace};
use cerberus_markdown::{EditError, frontmatter};
use cerberus_model::text::{plural, shell_word};
use cerberus_model::{Enforcement, UserError, refuse};
use cerberus_patterns::TestReport;
use clap::Args;
use serde::Serialize;

use super::{added_code, content};
use crate::config::Settings;
use crate::output::{CliResult, DIM, NAME, OK, Printer};

mod set;

use set::Evidence;

#[derive(Debug, Args)]
pub(crate) struct PatternArgs {
    /// Memory id or a unique prefix of it
    pub(crate) id: String,
    /// Store the pattern in this file (`-` for stdin), if it is right about the examples of its rule:
    /// an ast-grep rule, or the keys `pattern`, `command` and `instead` of the frontmatter
    #[arg(long, value_name = "FILE")]
    pub(crate) set: Option<PathBuf>,
    /// Show what --set would store, with its hits, and write nothing
    #[arg(long, requires = "set")]
    pub(crate) dry_run: bool,
    /// Remove the pattern
    #[arg(long, conflicts_with = "set")]
    pub(crate) remove: bool,
    /// Accept the pattern that an agent proposes
    #[arg(long, conflicts_with_all = ["set", "remove"])]
    pub(crate) accept: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) rule: String,
    #[serde(flatten)]
    pub(crate) summary: PatternSummary,
    /// The hits in the examples and the counter-examples of the rule.
    pub(crate) test: TestReport,
    /// Code that the text of the rule forbids, which is a hint in added lines while it has no pattern.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) stated: Vec<String>,
    /// Why that code is not a hint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) no_hint: Option<String>,
    /// What a new pattern hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evidence: Option<Evidence>,
    pub(crate) written: bool,
    pub(crate) warnings: Vec<String>,
}

/// Returns a new pattern of a memory with its test and its hits, after storing it if it is right about the
/// examples of the memory.
pub(crate) fn set(project: &Workspace, id: &str, text: &str, is_dry: bool) -> Result<Report> {
    let memories = project.memories()?;
    let stored = memories.find(id)?;
    if !is_dry {
        project
            .bank
            .check_pattern_is_free(&stored.memory.id, &stored.text)?;
    }
    let rule = set::proved(project, &memories, stored, text)?;
    let evidence = set::evidence(project, &memories, stored, &rule)?;
    if !is_dry {
        set::store(project, &stored.memory.id, &rule)?;
    }
    let rule = match project.bank.agent() {
        Some(agent) => rule.proposed(agent),
        None => rule,
    };
    let mut report = report(project, &memories, stored, &rule);
    if is_dry {
        report.summary.reason = "once it is stored, without --dry-run".to_owned();
    }
    // A type or a call may be parsed as something else in a pattern.
    if let Some(evidence) = &evidence
        && evidence.hits + evidence.added == 0
        && report.test.n_bad == 0
    {
        let why = "nothing shows that the pattern can hit: give the rule a counter-example (`cerberus memory anchor ID \
             --not FILE::SYMBOL`, or a code block after \"Bad:\" in its text), which a pattern must hit";
        report.warnings.push(why.to_owned());
    }
    Ok(Report {
        evidence,
        written: !is_dry,
        ..report
    })
}

/// Returns the pattern of a memory, after removing it if the arguments say so.
pub(crate) fn pattern(project: &Workspace, args: &PatternArgs) -> Result<Report> {
    let mut memories = project.memories()?;
    let mut stored = memories.find(&args.id)?.clone();
    let mut written = false;
    let id = stored.memory.id.clone();
    let mut rule = rule_patterns::of_memory(&stored);
    let is_proposed = rule.proposal.is_some();
    if args.accept && !is_proposed {
        return refuse(
            format!("no agent proposes a pattern for `{id}`"),
            format!(
                "show its state: cerberus memory pattern {}",
                shell_word(&id)
            ),
        );
    }
    if args.accept
        && let Some(proposal) = &rule.proposal
        && let Some(fault) = &proposal.rule.fault
    {
        return Err(UserError::check(format!("not accepted: {fault}"))
            .hint(format!(
                "remove it: cerberus memory pattern {} --remove",
                shell_word(&id)
            ))
            .into());
    }
    let is_removed = args.remove && (is_proposed || rule.enforcement == Enforcement::Enforced);
    if is_removed || args.accept {
        document::edit_text(project, &id, |text| {
            if args.accept {
                frontmatter::remove(text, PROPOSED_BY)
            } else {
                without(text)
            }
        })?;
        written = true;
        memories = project.memories()?;
        stored = memories.find(&id)?.clone();
        rule = rule_patterns::of_memory(&stored);
    }
    let mut report = report(project, &memories, &stored, &rule);
    let fault = rule_patterns::fault(project, &stored, memories.anchors.get(&id));
    report
        .warnings
        .extend(fault.map(|why| format!("`{id}`: {why}")));
    Ok(Report { written, ..report })
}

/// Returns the text of a memory without its pattern.
fn without(text: &str) -> Result<String, EditError> {
    let keys = ["pattern", "command", "instead", PROPOSED_BY];
    keys.iter()
        .try_fold(text.to_owned(), |text, key| frontmatter::remove(&text, key))
}

fn report(
    project: &Project,
    memories: &Memories,
    stored: &MemoryFile,
    rule: &RulePattern,
) -> Report {
    let id = stored.memory.id.clone();
    let title = memories::title(anchors::rule(&stored.memory.body));
    let patterns = match &rule.proposal {
        Some(proposal) => &proposal.rule.patterns,
        None => &rule.patterns,
    };
    let (stated, no_hint) = added_code::stated_code(project, memories, stored);
    Report {
        summary: PatternSummary::from(rule),
        test: rule_patterns::test(project, stored, memories.anchors.get(&id), patterns),
        rule: title,
        id,
        stated,
        no_hint,
        evidence: None,
        written: false,
        warnings: stored.warnings.clone(),
    }
}

pub(crate) fn run(args: &PatternArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let report = match &args.set {
        Some(path) => {
            let text = content::read_text(path, MAX_BYTES)?;
            set(&settings.project, &args.id, &text, args.dry_run)?
        }
        None => pattern(&settings.project, args)?,
    };
    out.warn(&report.warnings);
    out.report(&report, print)
}

fn print(report: &Report, out: &mut Printer) {
    let PatternSummary {
        enforcement,
        reason,
        pattern,
        commands,
        instead,
        ..
    } = &report.summary;
    let style = if *enforcement == Enforcement::Enforced {
        OK
    } else {
        DIM
    };
    let state = out.paint(style, enforcement.as_str());
    out.line(&format!(
        "{} is {state}: {}",
        out.style(NAME, &report.id),
        out.safe(reason)
    ));
    for line in pattern.iter().flat_map(|text| text.lines()) {
        out.line(&format!("  {}", out.safe(line)));
    }
    let hint = match &report.no_hint {
        None => "a hint in added lines".to_owned(),
        Some(why) => format!("no hint in added lines: {why}; a pattern enforces it"),
    };
    for code in &report.stated {
        out.line(&format!("  its text forbids `{}`, {hint}", out.safe(code)));
    }
    let commands = commands.iter().map(|line| ("command", line));
    for (key, line) in commands.chain(instead.iter().map(|line| ("instead", line))) {
        out.line(&format!("  {key}: {}", out.safe(line)));
    }
    if let Some(Evidence {
        hits,
        first,
        commits,
        added,
        removed,
    }) = &report.evidence
    {
        out.line(&format!(
            "hits {} of the project now",
            plural(*hits, "place")
        ));
        for hit in first {
            out.line(&format!("  {}", out.safe(hit)));
        }
        let (commits, added) = (plural(*commits, "commit"), plural(*added, "line"));
        out.line(&format!(
            "hits {added} that the last {commits} added; {removed} of them are gone"
        ));
    }
    if pattern.is_none() {
        return;
    }
    let TestReport {
        n_good,
        n_bad,
        false_hits,
        misses,
    } = &report.test;
    let (n_hit, n_found) = (false_hits.len(), n_bad - misses.len());
    out.line(&format!(
        "hits {n_hit} of {}, and {n_found} of {}",
        plural(*n_good, "example"),
        plural(*n_bad, "counter-example")
    ));
}
