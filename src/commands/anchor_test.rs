//! `cerberus memory anchor-test`: ranks the candidates of a rule. Stores no anchor.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Result;
use cerberus_bank::ops::{anchors, memories};
use cerberus_engine::examples::{Options, Query, RankedSymbol, Ranking};
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::{RuleKind, Scope, format_location, refuse};
use clap::Args;
use serde::Deserialize;

use super::args::quality;
use super::{candidates, content};
use crate::config::Settings;
use crate::output::{CliResult, NAME, OK, Printer, WARN};

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("rule").required(true).args(["text", "rules"]))]
pub(crate) struct AnchorTestArgs {
    /// Text of the rule
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
    /// Keyword expected in the example (repeatable)
    #[arg(long = "hint", visible_alias = "keyword", value_name = "WORD")]
    pub(crate) hints: Vec<String>,
    /// Read rules from a file (`-` for standard input), one per line: text or a JSON object
    /// {"rule", "hints", "kind"}; with --json print one document per line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "hints"])]
    pub(crate) rules: Option<PathBuf>,
    /// Kind of the rule, if its wording misleads: code or process
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<RuleKind>,
    /// Search only code of this scope, for example language:go
    #[arg(long)]
    pub(crate) scope: Option<Scope>,
    /// Maximum number of candidates
    #[arg(long, value_name = "N", default_value = "5")]
    pub(crate) limit: NonZeroUsize,
    /// Minimum quality to count as a match (0 to 1)
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    pub(crate) min_quality: Option<f64>,
    /// Show the matched terms with their scores, and words that are not found in the code
    #[arg(long)]
    pub(crate) explain: bool,
}

/// Maximum size of a file of rules.
const MAX_RULES_BYTES: u64 = 64 * 1024 * 1024;

/// A rule in JSON.
#[derive(Deserialize)]
struct RuleLine {
    rule: String,
    #[serde(default)]
    hints: Vec<String>,
    kind: Option<RuleKind>,
}

pub(crate) fn run(args: &AnchorTestArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let options = Options {
        limit: args.limit.get(),
        distinct_files: false,
        min_quality: args.min_quality.unwrap_or(settings.project.min_quality),
        explain: args.explain,
    };
    let rankings = settings.project.rank(&queries(args)?, options)?;
    for ranking in &rankings {
        out.warn(&ranking.warnings);
        if out.json {
            out.json(ranking)?
        } else {
            print(ranking, args.explain, out)
        }
    }
    Ok(ExitStatus::Done)
}

fn queries(args: &AnchorTestArgs) -> Result<Vec<Query>> {
    let languages = match &args.scope {
        Some(scope) => memories::languages(scope).map_err(|reason| {
            UserError::usage(format!("cannot search the scope `{scope}`: {reason}"))
                .hint("omit `--scope`, or specify a language as in `--scope language:go`")
        })?,
        None => None,
    };
    if let Some(path) = &args.rules {
        let rules = read_rules(path)?.into_iter();
        return Ok(rules
            .map(|rule| {
                let kind = rule.kind.or(args.kind);
                Query {
                    rule: rule.rule,
                    hints: rule.hints,
                    languages,
                    kind,
                    ..Query::default()
                }
            })
            .collect());
    }
    let rule = args.text.join(" ");
    if rule.trim().is_empty() {
        return refuse(
            "the rule is empty",
            "pass a text, as in `cerberus memory anchor-test \"close the session\"`",
        );
    }
    Ok(vec![Query {
        rule,
        hints: super::hints(&args.hints),
        languages,
        kind: args.kind,
        ..Query::default()
    }])
}

fn read_rules(path: &Path) -> Result<Vec<RuleLine>> {
    let text = content::read_text(path, MAX_RULES_BYTES)?;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let rules = lines.map(|(line_idx, line)| {
        if !line.trim_start().starts_with('{') {
            return Ok(RuleLine {
                rule: line.trim().to_owned(),
                hints: Vec::new(),
                kind: None,
            });
        }
        serde_json::from_str(line).map_err(|error| {
            let (message, column) = super::json_error(&error);
            let place = format!("{}:{}:{column}", path.display(), line_idx + 1);
            UserError::usage(format!("failed to read `{place}`: {message}"))
                .hint("write one rule per line, or {\"rule\": \"…\", \"hints\": [\"…\"]}")
                .into()
        })
    });
    rules.collect()
}

fn print(ranking: &Ranking, explain: bool, out: &mut Printer) {
    out.line(&out.style(NAME, &ranking.rule));
    out.line(&match &ranking.anchor {
        Some(anchor) => format!(
            "{} {}:{} (quality {:.2})",
            out.paint(OK, "example"),
            out.safe(&format_location(&anchor.file, anchor.symbol.as_deref())),
            anchor.start_line,
            anchor.quality
        ),
        None => format!(
            "{}: {}",
            out.paint(WARN, "not anchored"),
            out.safe(&anchors::rejection(ranking))
        ),
    });
    print_candidates(&ranking.candidates, explain, out);
    candidates::print_unknown_words(ranking.unknown_words.as_deref().unwrap_or_default(), out);
}

/// Prints candidates, with their matched terms and scores if `explain`.
fn print_candidates(candidates: &[RankedSymbol], explain: bool, out: &mut Printer) {
    let row = |candidate: &RankedSymbol| {
        [
            candidate.rank.to_string(),
            format!("{:.2}", candidate.quality),
            format!(
                "{}:{}-{}",
                candidate.file, candidate.start_line, candidate.end_line
            ),
            candidate.symbol.clone().unwrap_or_default(),
            candidate.matched_terms.join(" "),
        ]
    };
    let heading = ["#", "quality", "location", "symbol", "matched terms"];
    out.rows(&heading, candidates.iter().map(row));
    for candidate in candidates.iter().filter(|_| explain) {
        let location = format_location(&candidate.file, candidate.symbol.as_deref());
        let rank = out.paint(NAME, &format!("#{}", candidate.rank));
        out.line(&format!("{rank} {}", out.safe(&location)));
        for reason in &candidate.reasons {
            let word = out.safe(&reason.word);
            let fields = reason.fields.join(", ");
            out.line(&format!("  +{:.3} {word} in {fields}", reason.gain));
        }
    }
}
