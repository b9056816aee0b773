//! `cerberus memory pattern`: the pattern of code that breaks a rule.

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::bank::shared;
use crate::config::Settings;
use crate::engine::patterns::{self, Enforcement, TestReport};
use crate::error::{ExitStatus, UserError};
use crate::markdown::frontmatter::{self, FieldValue};
use crate::ops::document::{self, Edit};
use crate::ops::memories::{self, Memories};
use crate::ops::patterns::{self as rule_patterns, PatternSummary};
use crate::ops::{Project, anchors};
use crate::output::{DIM, NAME, OK, Printer, WARN};
use crate::text::{plural, shell_word};

#[derive(Debug, Args)]
pub(crate) struct PatternArgs {
    /// Memory id or a unique prefix of it
    pub(crate) id: String,
    /// Store the derived pattern in the frontmatter of the memory, so that its hits are errors
    #[arg(long)]
    pub(crate) accept: bool,
    /// Remove the accepted pattern
    #[arg(long, conflicts_with = "accept")]
    pub(crate) remove: bool,
    /// Output format (--json is the same as json)
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["accept", "remove"])]
    pub(crate) format: Option<PatternFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PatternFormat {
    /// Text for people
    Text,
    /// A JSON document
    Json,
    /// A file of ast-grep's rules
    AstGrep,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) rule: String,
    /// The shared bank that the memory is from, where its pattern is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bank: Option<String>,
    #[serde(flatten)]
    pub(crate) summary: PatternSummary,
    /// The hits in the examples and the counter-examples of the rule.
    pub(crate) test: TestReport,
    /// The pattern as a file of ast-grep's rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ast_grep: Option<String>,
    pub(crate) written: bool,
    pub(crate) warnings: Vec<String>,
}

/// Returns the pattern of a memory, after accepting or removing it if the arguments say so.
pub(crate) fn pattern(project: &Project, args: &PatternArgs) -> Result<Report> {
    let mut memories = Memories::load(project)?;
    let (mut stored, mut written) = (memories.find(&args.id)?.clone(), false);
    let id = stored.memory.id.clone();
    let anchor = memories.anchors.get(&id).cloned();
    let mut rule = rule_patterns::of_memory(project, &stored, anchor.as_ref());
    if args.accept && rule.enforcement == Enforcement::Advisory {
        let message = format!("`{id}` has no pattern to accept: {}", rule.reason);
        return Err(UserError::check(message)
            .hint("write one in its frontmatter, as `pattern: |` and the lines of an ast-grep rule")
            .into());
    }
    let has_accepted = rule_patterns::accepted(&stored).is_some();
    if (args.accept && !has_accepted) || (args.remove && has_accepted) {
        let text = patterns::render(&rule.patterns);
        document::edit_memory(project, &id, |_, stored, old| {
            let edited = match args.accept {
                true => frontmatter::set(old, "pattern", FieldValue::Block(&text)),
                false => frontmatter::remove(old, "pattern"),
            };
            let text = edited.map_err(|error| document::edit_error(&stored.file, error))?;
            Ok(Edit { text, section: None, warnings: Vec::new() })
        })?;
        written = true;
        memories = Memories::load(project)?;
        stored = memories.find(&id)?.clone();
        rule = rule_patterns::of_memory(project, &stored, anchor.as_ref());
    }
    let title = memories::title(anchors::rule(&stored.memory.body)).to_owned();
    let severity = if rule.enforcement == Enforcement::Enforced { "error" } else { "hint" };
    let has_pattern = !rule.patterns.is_empty();
    let exported = rule_patterns::with_paths(&rule.patterns, &stored.memory.paths);
    let mut warnings = stored.warnings.clone();
    warnings.extend(
        rule_patterns::fault(project, &stored, anchor.as_ref()).map(|why| format!("`{id}`: {why}")),
    );
    Ok(Report {
        summary: PatternSummary::from(&rule),
        test: rule_patterns::test(project, &stored, anchor.as_ref(), &rule.patterns),
        ast_grep: has_pattern.then(|| patterns::ast_grep(&id, &title, severity, &exported)),
        rule: title,
        bank: shared::bank_of(&stored.file).map(str::to_owned),
        id,
        written,
        warnings,
    })
}

pub(crate) fn run(
    args: &PatternArgs,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let default = if out.json { PatternFormat::Json } else { PatternFormat::Text };
    let format = args.format.unwrap_or(default);
    if out.json && format != PatternFormat::Json {
        return Err(UserError::usage("--json and --format specify different formats")
            .hint("use only one of them")
            .into());
    }
    let report = pattern(&settings.project, args)?;
    out.warn(&report.warnings);
    match format {
        PatternFormat::Json => out.json(&report)?,
        PatternFormat::Text => print(&report, args, out),
        PatternFormat::AstGrep => match &report.ast_grep {
            Some(text) => out.raw(text.as_bytes()),
            None => {
                let message = format!("`{}` has no pattern: {}", report.id, report.summary.reason);
                return Err(UserError::check(message)
                    .hint("it is advisory: agents and people read it")
                    .into());
            }
        },
    }
    Ok(ExitStatus::Done)
}

fn print(report: &Report, args: &PatternArgs, out: &mut Printer) {
    let PatternSummary { enforcement, reason, pattern } = &report.summary;
    let style = match enforcement {
        Enforcement::Enforced => OK,
        Enforcement::Detected => WARN,
        Enforcement::Advisory => DIM,
    };
    let state = out.paint(style, enforcement.as_str());
    out.line(&format!("{} is {state}: {}", out.style(NAME, &report.id), out.safe(reason)));
    for line in pattern.iter().flat_map(|text| text.lines()) {
        out.line(&format!("  {}", out.safe(line)));
    }
    if pattern.is_none() {
        return;
    }
    let TestReport { n_good, n_bad, false_hits, misses } = &report.test;
    let (n_hit, n_found) = (false_hits.len(), n_bad - misses.len());
    out.line(&format!(
        "hits {n_hit} of {}, and {n_found} of {}",
        plural(*n_good, "example"),
        plural(*n_bad, "counter-example")
    ));
    let command = format!("cerberus memory pattern {}", out.safe(&shell_word(&report.id)));
    match enforcement {
        Enforcement::Detected => out.line(&match &report.bank {
            None => format!("make its hits errors: {command} --accept"),
            Some(bank) => {
                let bank = out.safe(bank);
                format!("make its hits errors, in the repository of the shared bank {bank}: {command} --accept")
            }
        }),
        Enforcement::Enforced if args.accept => {
            out.line("its hits are errors of `cerberus memory review-diff`");
        }
        _ => {}
    }
}
