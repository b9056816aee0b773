//! `cerberus memory anchor-test`.

use super::args::quality;
use crate::model::{CodeLocation, Scope};
use clap::Args;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::Path;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::config::Settings;
use crate::engine::examples::{self, Options, Query, RankedSymbol, Ranking, UnknownWord};
use crate::error::{ExitStatus, UserError};
use crate::ops::memories;
use crate::output::{DIM, NAME, OK, Printer, WARN};

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("rule").required(true).args(["text", "rules"]))]
pub(crate) struct AnchorTestArgs {
    /// The rule, in words
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
    /// Give a word that the example should hold (may be repeated, or several in one)
    #[arg(long = "hint", value_name = "WORD")]
    pub(crate) hints: Vec<String>,
    /// Read many rules from a file (`-` for standard input), a rule or a JSON object
    /// {"rule", "hints"} a line; with --json print a document a line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "hints", "expect"])]
    pub(crate) rules: Option<PathBuf>,
    /// Fail unless FILE or FILE::SYMBOL is found
    #[arg(long, value_name = "PLACE")]
    pub(crate) expect: Option<CodeLocation>,
    /// Accept what is expected among the first N candidates
    #[arg(long, value_name = "N", default_value_t = 1, requires = "expect")]
    pub(crate) within: usize,
    /// Look only at code of a scope, as in language:go
    #[arg(long)]
    pub(crate) scope: Option<Scope>,
    /// Show so many candidates
    #[arg(long, value_name = "N", default_value = "5")]
    pub(crate) limit: NonZeroUsize,
    /// Call an example from this quality on an anchor
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    pub(crate) min_quality: Option<f64>,
    /// Show which words decided, and which the code does not know
    #[arg(long)]
    pub(crate) explain: bool,
}

/// The largest file of rules.
const MAX_RULES_BYTES: u64 = 64 * 1024 * 1024;

/// A rule as a JSON line gives it.
#[derive(Deserialize)]
struct Line {
    rule: String,
    #[serde(default)]
    hints: Vec<String>,
}

pub(crate) fn run(
    args: &AnchorTestArgs,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let languages = match &args.scope {
        Some(scope) => memories::languages(scope).map_err(|why| {
            UserError::usage(format!("nothing to look for in `{scope}`: {why}"))
                .hint("leave `--scope` out, or name a language as in `--scope language:go`")
        })?,
        None => None,
    };
    let mut questions = match &args.rules {
        Some(path) => read_rules(path)?,
        None => vec![Query {
            rule: args.text.join(" "),
            hints: super::hints(&args.hints),
            languages: None,
        }],
    };
    if args.rules.is_none() && questions.iter().all(|it| it.rule.trim().is_empty()) {
        return Err(UserError::usage("a rule without words has no example")
            .hint("say the rule, as in `cerberus memory anchor-test \"close the session\"`")
            .into());
    }
    for question in &mut questions {
        question.languages = languages;
    }
    let options = Options {
        limit: args.limit.get().max(args.within),
        min_quality: args.min_quality.unwrap_or(settings.project.min_quality),
        explain: args.explain,
    };
    let reports = examples::find(settings.project.code(), &questions, options)?;
    for report in &reports {
        out.warn(&report.warnings);
        if out.json { out.json(report)? } else { show(report, args.explain, out) }
    }
    let Some(expected) = &args.expect else {
        return Ok(ExitStatus::Done);
    };
    let is_met = reports.iter().all(|report| {
        let first = report.candidates.iter().take(args.within);
        first
            .into_iter()
            .any(|candidate| expected.matches(&candidate.file, candidate.symbol.as_deref()))
    });
    if is_met {
        return Ok(ExitStatus::Done);
    }
    let place = expected.to_string();
    out.flush()?;
    Err(UserError::check(format!("`{place}` is not among the first {} candidates", args.within))
        .hint("see what decided with `--explain`, or give the rule a `--hint` from its code")
        .into())
}

fn read_rules(path: &Path) -> Result<Vec<Query>> {
    let said = || format!("failed to read the rules `{}`", path.display());
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin()
            .lock()
            .take(MAX_RULES_BYTES)
            .read_to_string(&mut text)
            .with_context(said)?;
    } else {
        #[expect(
            clippy::disallowed_methods,
            reason = "a file that the user names, not the project's"
        )]
        let file = std::fs::File::open(path).map_err(|error| {
            UserError::usage(format!("{}: {error}", said())).hint("name a file with a rule a line")
        })?;
        file.take(MAX_RULES_BYTES).read_to_string(&mut text).with_context(said)?;
    }
    let mut questions = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let (rule, hints) = if line.trim_start().starts_with('{') {
            let parsed: Line = serde_json::from_str(line).map_err(|error| {
                let message = error.to_string();
                // The position within the line stands in the place before.
                let message = message.split(" at line ").next().unwrap_or_default();
                UserError::usage(format!("{}:{}:{}: {message}", said(), at + 1, error.column()))
                    .hint("write a rule a line, or {\"rule\": \"…\", \"hints\": [\"…\"]}")
            })?;
            (parsed.rule, parsed.hints)
        } else {
            (line.trim().to_owned(), Vec::new())
        };
        questions.push(Query { rule, hints, languages: None });
    }
    Ok(questions)
}

fn show(report: &Ranking, explain: bool, out: &mut Printer) {
    out.line(&out.style(NAME, &report.rule));
    match &report.anchor {
        Some(anchor) => {
            let place = super::place(&anchor.file, anchor.symbol.as_deref());
            let line = format!(
                "{} {}:{} (quality {:.2})",
                out.paint(OK, "example"),
                out.safe(&place),
                anchor.start_line,
                anchor.quality
            );
            out.line(&line);
        }
        None => {
            let line =
                format!("{} over the gate {}", out.paint(WARN, "no example"), report.min_quality);
            out.line(&line);
        }
    }
    candidates(&report.candidates, explain, out);
    if let Some(unknown) = &report.unknown_words {
        unknown_words(unknown, out);
    }
}

/// Prints candidates, with what decided where that is asked for.
pub(super) fn candidates(candidates: &[RankedSymbol], explain: bool, out: &mut Printer) {
    let rows: Vec<Vec<String>> = candidates
        .iter()
        .map(|it| {
            vec![
                it.rank.to_string(),
                format!("{:.2}", it.quality),
                format!("{}:{}-{}", it.file, it.start_line, it.end_line),
                it.symbol.clone().unwrap_or_default(),
                it.matched_terms.join(" "),
            ]
        })
        .collect();
    out.rows(&["#", "quality", "place", "symbol", "words"], &rows);
    for it in candidates.iter().filter(|it| explain || it.excerpt.is_some()) {
        out.line(&format!(
            "{} {}",
            out.paint(NAME, &format!("#{}", it.rank)),
            out.safe(&super::place(&it.file, it.symbol.as_deref()))
        ));
        for line in it.excerpt.iter().flat_map(|excerpt| excerpt.lines()) {
            out.line(format!("    {}", out.safe(line)).trim_end());
        }
        for reason in it.reasons.iter().filter(|_| explain) {
            let detail = format!(
                "  +{:.3} {} in {}",
                reason.gain,
                out.safe(&reason.word),
                reason.fields.join(", ")
            );
            out.line(&detail);
        }
    }
}

/// Prints the words of a rule that the code does not know.
pub(super) fn unknown_words(unknown: &[UnknownWord], out: &mut Printer) {
    for it in unknown {
        let near = if it.near.is_empty() {
            String::new()
        } else {
            format!("; near ones that it knows: {}", out.safe(&it.near.join(", ")))
        };
        let label = out.paint(DIM, "the code does not know");
        out.line(&format!("{label} `{}`{near}", out.safe(&it.word)));
    }
}
