//! Prints candidates for the example of a rule.

use cerberus_bank::ops::review::Candidate;
use cerberus_engine::examples::{RankedSymbol, UnknownWord};
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_model::{Origin, format_location};

use crate::output::{DIM, OK, Printer};

/// Indentation of code.
const INDENT: &str = "      ";

/// Prints the candidates of a rule, with the lines of each that hold its words.
pub(super) fn print<'a>(
    ranked: impl Iterator<Item = &'a RankedSymbol>,
    words: &RuleWords,
    out: &mut Printer,
) {
    for ranked in ranked {
        let candidate = Candidate::from(ranked.clone());
        out.line(&heading(&candidate, out));
        for line in code(&candidate, words, out) {
            out.code(&line);
        }
        for reason in &ranked.reasons {
            let word = out.safe(&reason.word);
            let fields = reason.fields.join(", ");
            out.line(&format!("{INDENT}+{:.3} {word} in {fields}", reason.gain));
        }
    }
}

/// Returns the line above the code of a candidate.
pub(super) fn heading(candidate: &Candidate, out: &Printer) -> String {
    let location = format_location(&candidate.file, candidate.symbol.as_deref());
    let lines = format!(":{}-{}", candidate.start_line, candidate.end_line);
    let mut details = match candidate.quality {
        Some(quality) => format!("{quality:.2}"),
        None => "-".to_owned(),
    };
    if candidate.is_anchored {
        details.push_str(", the code of the anchor");
    }
    let rank = out.paint(OK, &format!("[{}]", candidate.rank));
    let location = out.safe(&location);
    let lines = out.paint(DIM, &lines);
    let details = out.paint(DIM, &details);
    format!("  {rank} {location}{lines}  {details}")
}

/// Returns how an example was chosen. A person who chose it is surer than any quality.
pub(super) fn origin(chosen: Origin, quality: f64) -> String {
    match chosen {
        Origin::Manual => "chosen by hand".to_owned(),
        Origin::Document => "named by its document".to_owned(),
        Origin::Agent => format!("quality {quality:.2}, chosen by an agent"),
        Origin::Auto => format!("quality {quality:.2}"),
    }
}

/// Returns the lines of the code of a candidate, as they are printed.
pub(super) fn code(candidate: &Candidate, words: &RuleWords, out: &Printer) -> Vec<String> {
    let code = &candidate.excerpt;
    let max_chars = out.terminal.width.saturating_sub(INDENT.len());
    let of = (candidate.language, candidate.kind);
    let mut lines = Vec::new();
    for line in out.code_lines(of, code, &words.spans(code), max_chars) {
        lines.push(format!("{INDENT}{line}").trim_end().to_owned());
    }
    lines
}

/// Prints the words of a rule that are not found in the code, with similar words.
pub(super) fn print_unknown_words(unknown: &[UnknownWord], out: &mut Printer) {
    for word in unknown {
        let similar = if word.near.is_empty() {
            String::new()
        } else {
            format!(
                "; similar words in the code: {}",
                out.safe(&word.near.join(", "))
            )
        };
        let label = out.paint(DIM, "not found in the code:");
        out.line(&format!("{label} `{}`{similar}", out.safe(&word.word)));
    }
}
