//! `check --fix --with AGENT`: an agent writes anew the lines of errors that have no certain new name.
//!
//! Its answer is only data. A line is shown only if `check` itself finds nothing wrong in it, all that was right in the old
//! line is still there, and it is the same sentence.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use cerberus_claims::addresses::Addresses;
use cerberus_claims::parse;
use cerberus_claims::report::{self as claims, Document};
use cerberus_engine::tree::git;
use cerberus_engine::tree::git::past;
use cerberus_model::Severity;
use cerberus_model::text::{Span, decode, plural};
use serde::Deserialize;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::{Finding, Report, reader};
use crate::commands::agent::{Agent, Answer, Refused, Tokens};
use crate::config::Settings;
use crate::output::Printer;

const INSTRUCTIONS: &str = include_str!("corrections.txt");

/// Number of lines in a request.
const N_LINES: usize = 20;

/// Number of changed files and of added lines that an item shows.
const N_SHOWN: usize = 30;

/// A line with errors.
struct Line<'r> {
    file: &'r str,
    text: &'r str,
    /// Without its end.
    span: Span,
    number: usize,
    findings: Vec<&'r Finding>,
}

/// A new text of a line.
pub(super) struct Proposal {
    pub(super) file: String,
    pub(super) span: Span,
    pub(super) text: String,
}

/// What an agent answers about a line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Correction {
    id: usize,
    line: String,
}

/// Asks an agent for new lines, and returns those that are proved.
pub(super) fn propose(
    with: &str,
    settings: &Settings,
    report: &Report,
    out: &mut Printer,
) -> Result<Vec<Proposal>> {
    let mut agent = Agent::new(with)?;
    let lines = lines(report);
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    let root = &settings.project.root;
    let place = agent.prepare(root)?;
    let n_lines = plural(lines.len(), "line");
    out.note(&[format!("asking {} to correct {n_lines}", agent.name())]);
    out.note(&Vec::from_iter(place));
    let mut items: BTreeMap<usize, Value> = BTreeMap::new();
    for (id, line) in lines.iter().enumerate() {
        items.insert(id, item(settings, id, line));
    }
    let mut proposals = Vec::new();
    let mut refused: BTreeMap<usize, String> = BTreeMap::new();
    // A refused line is asked for once more, with the reason.
    for _ in 0..2 {
        let answers = answers(&agent, &items, &refused)?;
        refused.clear();
        for (id, verdict) in proved(settings, &lines, answers) {
            match verdict {
                Ok(proposal) => {
                    items.remove(&id);
                    proposals.push(proposal);
                }
                Err(reason) => {
                    refused.insert(id, reason);
                }
            }
        }
        items.retain(|id, _| refused.contains_key(id));
        if items.is_empty() {
            break;
        }
    }
    let n_proved = proposals.len();
    out.note(&[format!(
        "{n_proved} of {n_lines} corrected, and checked; the others stay as they are"
    )]);
    Ok(proposals)
}

/// Returns the lines of the errors that have no certain new name.
fn lines(report: &Report) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for finding in &report.findings {
        let is_open = finding.severity == Severity::Error && finding.replacement.is_none();
        let Some(text) = report.texts.get(&finding.file).filter(|_| is_open) else {
            continue;
        };
        if let Some(last) = lines.last_mut()
            && last.file == finding.file
            && last.number == finding.line
        {
            last.findings.push(finding);
            continue;
        }
        if let Some(span) = line_span(text, finding.line) {
            lines.push(Line {
                file: &finding.file,
                text,
                span,
                number: finding.line,
                findings: vec![finding],
            });
        }
    }
    lines
}

/// Returns the bytes of a line, from 1, without its end.
fn line_span(text: &str, number: usize) -> Option<Span> {
    let line = text.lines().nth(number.checked_sub(1)?)?;
    let start = line.as_ptr().addr() - text.as_ptr().addr();
    Some(Span::new(start, start + line.len()))
}

/// Returns a line as an agent reads it.
fn item(settings: &Settings, id: usize, line: &Line<'_>) -> Value {
    let mut findings = Vec::new();
    for finding in &line.findings {
        let mut shown = reader::item(id, finding, line.text);
        for key in ["id", "document", "headings", "line", "text"] {
            shown.as_object_mut().map(|shown| shown.remove(key));
        }
        let evidence = evidence(settings, finding);
        shown["changed"] = json!(evidence.changed);
        shown["added"] = json!(evidence.added);
        findings.push(shown);
    }
    let mut item = reader::item(id, line.findings[0], line.text);
    for key in ["claim", "finding", "written", "removed", "was", "now"] {
        item.as_object_mut().map(|item| item.remove(key));
    }
    item["lineText"] = json!(line.span.slice(line.text));
    item["findings"] = json!(findings);
    item
}

/// What the commit put in place that removed a target.
#[derive(Default)]
struct Evidence {
    changed: Vec<String>,
    added: Vec<String>,
}

fn evidence(settings: &Settings, finding: &Finding) -> Evidence {
    let root = &settings.project.root;
    let mut evidence = Evidence::default();
    let Some(removed) = &finding.removed else {
        return evidence;
    };
    for entry in past::changed_in(root, &removed.id) {
        evidence.changed.push(entry.path);
    }
    // Those with a word of the claim first.
    let is_near = |path: &String| {
        let mut words = finding.claim.split(|c: char| !c.is_alphanumeric());
        words.any(|word| word.len() > 2 && path.contains(word))
    };
    evidence.changed.sort_by_key(|path| !is_near(path));
    evidence.changed.truncate(N_SHOWN);
    if let Some(was) = &finding.was {
        evidence.added = added_lines(settings, &removed.id, was);
    }
    evidence
}

/// Returns lines that a commit added to a file.
fn added_lines(settings: &Settings, commit: &str, file: &str) -> Vec<String> {
    let read = git::with_objects(&settings.project.root, |objects| {
        let mut read = |name: String| {
            let bytes = objects.read(&name).unwrap_or_default();
            decode(&bytes).0.into_owned()
        };
        let before = read(format!("{commit}^:./{file}"));
        let after = read(format!("{commit}:./{file}"));
        (before, after)
    });
    let (before, after) = read.unwrap_or_default();
    let diff = TextDiff::from_lines(&before, &after);
    let mut added = Vec::new();
    for change in diff.iter_all_changes() {
        if change.tag() == ChangeTag::Insert && !change.value().trim().is_empty() {
            added.push(change.value().trim_end().to_owned());
        }
        if added.len() == N_SHOWN {
            break;
        }
    }
    added
}

/// Returns the answers about items.
fn answers(
    agent: &Agent,
    items: &BTreeMap<usize, Value>,
    refused: &BTreeMap<usize, String>,
) -> Result<BTreeMap<usize, String>> {
    let mut found = BTreeMap::new();
    let all: Vec<&Value> = items.values().collect();
    for batch in all.chunks(N_LINES) {
        let mut request = json!({ "instructions": INSTRUCTIONS, "items": batch });
        if !refused.is_empty() {
            let mut reasons = Vec::new();
            for (id, reason) in refused {
                reasons.push(Refused::new(&json!({ "id": id }), reason.as_str()));
            }
            request["refused"] = json!(reasons);
        }
        let answer = agent.answer(&request, "corrections", &mut Tokens::default())?;
        let answered = match answer {
            Some(Answer::Items(answered)) => answered,
            Some(Answer::Unreadable(start)) => {
                return Err(agent.unreadable("corrections", &start).into());
            }
            None => Vec::new(),
        };
        for item in answered {
            if let Ok(Correction { id, line }) = Correction::deserialize(&item)
                && items.contains_key(&id)
            {
                found.insert(id, line);
            }
        }
    }
    Ok(found)
}

/// Proves new lines: the documents are checked with all of them at once. Returns the proposals, and the reasons against
/// the other lines.
fn proved(
    settings: &Settings,
    lines: &[Line<'_>],
    answers: BTreeMap<usize, String>,
) -> Vec<(usize, Result<Proposal, String>)> {
    let mut verdicts = Vec::new();
    let mut candidates: BTreeMap<usize, String> = BTreeMap::new();
    for (id, new_line) in answers {
        match form_refusal(lines[id].span.slice(lines[id].text), &new_line) {
            Some(reason) => verdicts.push((id, Err(reason.to_owned()))),
            None => _ = candidates.insert(id, new_line),
        }
    }
    let root = &settings.project.root;
    let addresses = Addresses::new(root);
    let files: BTreeSet<&str> = candidates.keys().map(|id| lines[*id].file).collect();
    let mut old_documents = Vec::new();
    let mut new_documents = Vec::new();
    for file in files {
        let mut of_file: Vec<(&Line<'_>, &str)> = Vec::new();
        for (id, new_line) in &candidates {
            if lines[*id].file == file {
                of_file.push((&lines[*id], new_line));
            }
        }
        let text = of_file[0].0.text;
        old_documents.push(document(file, text.to_owned(), &addresses));
        new_documents.push(document(file, with_lines(text, &of_file), &addresses));
    }
    let old = claims_of_lines(settings, &old_documents);
    let new = claims_of_lines(settings, &new_documents);
    for (id, new_line) in candidates {
        let line = &lines[id];
        let key = (line.file.to_owned(), line.number);
        let empty = LineClaims::default();
        let before = old.get(&key).unwrap_or(&empty);
        let after = new.get(&key).unwrap_or(&empty);
        let verdict = match content_refusal(before, after) {
            Some(reason) => Err(reason),
            None => Ok(Proposal {
                file: line.file.to_owned(),
                span: line.span,
                text: new_line,
            }),
        };
        verdicts.push((id, verdict));
    }
    verdicts
}

fn document(path: &str, text: String, addresses: &Addresses) -> Document {
    let claims = parse::read(&text, addresses);
    Document::new(path.to_owned(), text, claims)
}

/// Returns a document with new lines.
fn with_lines(text: &str, lines: &[(&Line<'_>, &str)]) -> String {
    let mut corrected = String::with_capacity(text.len());
    let mut at = 0;
    for (line, new_line) in lines {
        corrected.push_str(&text[at..line.span.start]);
        corrected.push_str(new_line);
        at = line.span.end;
    }
    corrected.push_str(&text[at..]);
    corrected
}

/// The claims of a line.
#[derive(Default)]
struct LineClaims {
    right: BTreeSet<String>,
    wrong: BTreeSet<String>,
}

/// Returns the claims of each line of documents, by file and number.
fn claims_of_lines(
    settings: &Settings,
    documents: &[Document],
) -> BTreeMap<(String, usize), LineClaims> {
    let root = &settings.project.root;
    let report = cerberus_claims::check(root, documents, None, &|_, _| {}).unwrap_or_default();
    let wrong: BTreeSet<(usize, usize)> = report
        .findings
        .iter()
        .map(|finding: &claims::Finding| (finding.document_idx, finding.claim_idx))
        .collect();
    let mut lines: BTreeMap<(String, usize), LineClaims> = BTreeMap::new();
    for (document_idx, document) in documents.iter().enumerate() {
        for (claim_idx, claim) in document.claims.claims.iter().enumerate() {
            let (line, _) = document.claims.lines.line_column(claim.span.start);
            let of_line = lines.entry((document.path.clone(), line + 1)).or_default();
            // A word in the font of code may be anything.
            if wrong.contains(&(document_idx, claim_idx)) && !claim.target.is_package() {
                of_line.wrong.insert(claim.text.clone());
            } else {
                of_line.right.insert(claim.text.clone());
            }
        }
    }
    lines
}

/// Returns why a text cannot be a new form of a line.
fn form_refusal(old: &str, new: &str) -> Option<&'static str> {
    if new.contains(['\n', '\r']) {
        return Some("it has several lines");
    }
    if new == old {
        return Some("it is the old line");
    }
    let start = &old[..old.len() - old.trim_start_matches(is_mark).len()];
    if !new.starts_with(start) {
        return Some("the start of the line differs");
    }
    let kept = words(new);
    let words = words(old);
    let n_kept = words.intersection(&kept).count();
    (n_kept * 2 < words.len()).then_some("more than half of the words of the sentence are gone")
}

/// Returns whether a character may be a part of the mark of an item, a heading, a quote or a row.
fn is_mark(c: char) -> bool {
    c.is_whitespace() || "-*+>#|".contains(c)
}

/// Returns the words of a line that are not code.
fn words(line: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for prose in line.split('`').step_by(2) {
        for word in prose.split(|c: char| !c.is_alphanumeric()) {
            if !word.is_empty() {
                words.insert(word.to_lowercase());
            }
        }
    }
    words
}

/// Returns why the claims of a new line are not proved.
fn content_refusal(before: &LineClaims, after: &LineClaims) -> Option<String> {
    if let Some(claim) = after.wrong.iter().next() {
        return Some(format!("`{claim}` is not there"));
    }
    let lost = before
        .right
        .iter()
        .find(|claim| !after.right.contains(*claim))?;
    // The right half of a name that is wrong as a whole.
    let is_part = before
        .wrong
        .iter()
        .any(|wrong| wrong.contains(lost.as_str()));
    (!is_part).then(|| format!("`{lost}` was right, and is gone"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_line_is_the_same_sentence() {
        let old = "- Run `make lint` before each commit.";
        for (new, expected) in [
            ("- Run `make check` before each commit.", true),
            ("- Before each commit, run it.", true),
            ("* Run `make check` before each commit.", false),
            ("- Run\n- `make check` before each commit.", false),
            ("- Removed.", false),
            ("- Run `make lint` before each commit.", false),
        ] {
            assert_eq!(form_refusal(old, new).is_none(), expected, "{new}");
        }
    }
}
