//! `cerberus memory anchor-test`.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::cli::AnchorTestArgs;
use crate::config::Settings;
use crate::error::{ExitStatus, UserError};
use crate::ops::anchor_test::{self, Candidate, Options, Question, Report, UnknownWord};
use crate::ops::memories;
use crate::output::{FAINT, GOOD, NAME, ODD, Printer};

/// The largest file of rules.
const MAX_RULES_BYTES: u64 = 64 * 1024 * 1024;

/// A rule as a JSON line gives it.
#[derive(Deserialize)]
struct Line {
    rule: String,
    #[serde(default)]
    hints: Vec<String>,
}

pub(super) fn run(
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
        None => vec![Question {
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
    let reports = anchor_test::anchor_test(&settings.project, &questions, options)?;
    for report in &reports {
        out.warn(&report.warnings);
        if out.json { out.document(report)? } else { show(report, args.explain, out) }
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

fn read_rules(path: &Path) -> Result<Vec<Question>> {
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
        questions.push(Question { rule, hints, languages: None });
    }
    Ok(questions)
}

fn show(report: &Report, explain: bool, out: &mut Printer) {
    out.line(&out.styled(NAME, &report.rule));
    match &report.anchor {
        Some(anchor) => {
            let place = super::place(&anchor.file, anchor.symbol.as_deref());
            let line = format!(
                "{} {}:{} (quality {:.2})",
                out.painted(GOOD, "example"),
                out.safe(&place),
                anchor.start_line,
                anchor.quality
            );
            out.line(&line);
        }
        None => {
            let line =
                format!("{} over the gate {}", out.painted(ODD, "no example"), report.min_quality);
            out.line(&line);
        }
    }
    candidates(&report.candidates, explain, out);
    if let Some(unknown) = &report.unknown_words {
        unknown_words(unknown, out);
    }
}

/// Prints candidates, with what decided where that is asked for.
pub(super) fn candidates(candidates: &[Candidate], explain: bool, out: &mut Printer) {
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
            out.painted(NAME, &format!("#{}", it.rank)),
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
        let label = out.painted(FAINT, "the code does not know");
        out.line(&format!("{label} `{}`{near}", out.safe(&it.word)));
    }
}
