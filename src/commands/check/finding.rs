//! A finding of `check`: a claim of a document, or something in the bank, that is not true.

use std::collections::BTreeMap;

use cerberus_claims::parse::Claim;
use cerberus_claims::report::{Document, Level, Mistaken, NewPlace, Stale, Verdict};
use cerberus_engine::tree::git::past::CommitSummary;
use cerberus_model::{Severity, Span};
use serde::{Serialize, Serializer};

/// What was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Check {
    /// A claim, by the name of its kind.
    Claim(&'static str),
    #[default]
    Anchor,
    MemoryLink,
    Block,
    Import,
    /// The day after which a document is not to be believed.
    StaleAfter,
}

impl Check {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Claim(kind) => kind,
            Self::Anchor => "anchor",
            Self::MemoryLink => "memoryLink",
            Self::Block => "block",
            Self::Import => "import",
            Self::StaleAfter => "staleAfter",
        }
    }

    /// Returns whether one of two findings may be about a link, and the other one about its text.
    fn is_link_with(self, text: Self) -> bool {
        let (link, path) = (Self::Claim("link"), Self::Claim("path"));
        (self, text) == (link, path) || (self, text) == (path, link)
    }
}

impl Serialize for Check {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Why a finding is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Class {
    /// It was true.
    #[default]
    Stale,
    /// It was wrong from the first day, by a mistake of its writer.
    Mistaken,
    /// The document says that it does not exist.
    Fulfilled,
    /// It was never true here.
    NeverTrue,
    Unknown,
}

/// A claim, or something in the bank, that is not true.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    pub(crate) check: Check,
    pub(crate) class: Class,
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: usize,
    /// In characters, from 1.
    pub(crate) column: usize,
    pub(crate) claim: String,
    pub(crate) message: String,
    /// Why a warning is not an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) doubt: Option<&'static str>,
    /// The commit in which it was true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) written: Option<CommitSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) removed: Option<CommitSummary>,
    /// The file that had it, if only one did and the claim does not name its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) was: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) now: Option<String>,
    /// The text that `--fix` writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replacement: Option<String>,
    pub(crate) next: String,
    /// Why an agent dismissed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dismissed: Option<String>,
    /// The bytes that `--fix` replaces, and by what: several if a line names it several times.
    #[serde(skip)]
    pub(super) spans: Vec<(Span, Option<String>)>,
}

/// Makes one finding of a link and its text, of a name that a line repeats, and of a name that was true
/// in two ways, as that of a function and of a dependency.
pub(super) fn merged(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::new();
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for mut finding in findings {
        let name = finding.claim.rsplit('/').next().unwrap_or_default();
        let key = (
            finding.file.clone(),
            finding.line,
            finding.now.clone(),
            name.to_owned(),
        );
        let first = known.get(&key).map(|idx| &mut merged[*idx]);
        match first {
            Some(first) if first.is_same(&finding) => {
                if first.column != finding.column {
                    first.spans.append(&mut finding.spans);
                }
                // What one of them is sure of is certain.
                if finding.severity < first.severity {
                    first.severity = finding.severity;
                    first.doubt = finding.doubt;
                }
            }
            _ => {
                known.insert(key, merged.len());
                merged.push(finding);
            }
        }
    }
    merged
}

impl Finding {
    /// Returns an error in the first line of a file, without a message.
    pub(super) fn new(check: Check, (file, line): (String, usize), claim: &str) -> Self {
        Self {
            check,
            file,
            line,
            column: 1,
            claim: claim.to_owned(),
            ..Self::default()
        }
    }

    pub(super) fn with(self, message: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            next: next.into(),
            ..self
        }
    }

    fn note(self, class: Class, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            class,
            ..self.with(message, NOTHING)
        }
    }

    /// Returns whether it is an error or a warning.
    pub(crate) fn is_reported(&self) -> bool {
        matches!(self.severity, Severity::Error | Severity::Warning)
    }

    /// Returns whether another finding on the same line says the same.
    fn is_same(&self, other: &Self) -> bool {
        let id = |finding: &Self| finding.removed.as_ref().map(|commit| commit.id.clone());
        let is_same_fault = self.class == other.class && id(self) == id(other);
        if self.check.is_link_with(other.check) {
            let one = self.claim.trim_start_matches(['.', '/']);
            let two = other.claim.trim_start_matches(['.', '/']);
            return is_same_fault && (one.ends_with(two) || two.ends_with(one));
        }
        let is_repeated = self.check == other.check && is_same_fault;
        self.claim == other.claim
            && self.replacement == other.replacement
            && (is_repeated || self.column == other.column)
    }
}

/// Returns the finding about a claim.
pub(super) fn of_claim(document: &Document, claim: &Claim, verdict: &Verdict) -> Finding {
    let index = &document.claims.lines;
    let (line, column) = index.line_column(claim.span.start);
    let before = document
        .text
        .get(index.start(line)..index.start(line) + column);
    let check = Check::Claim(claim.target.name());
    let place = (document.path.clone(), line + 1);
    let finding = Finding {
        column: before.map_or(column, |before| before.chars().count()) + 1,
        spans: vec![(claim.span, None)],
        ..Finding::new(check, place, &claim.text)
    };
    match verdict {
        Verdict::NeverTrue if claim.target.is_package() => {
            let message = "not recognised: nothing here has this name";
            finding.note(Class::NeverTrue, message)
        }
        Verdict::NeverTrue => {
            finding.note(Class::NeverTrue, "it was never true in this repository")
        }
        Verdict::Fulfilled(why) => finding.note(Class::Fulfilled, *why),
        Verdict::Unknown(why) | Verdict::Unchecked(why) => {
            finding.note(Class::Unknown, format!("unknown: {why}"))
        }
        Verdict::Mistaken(mistaken) => of_mistaken(finding, mistaken),
        Verdict::Stale(stale) => of_stale(finding, document, claim, stale),
    }
}

fn severity(level: Level) -> Severity {
    match level {
        Level::Error => Severity::Error,
        Level::Warning => Severity::Warning,
    }
}

fn of_mistaken(finding: Finding, mistaken: &Mistaken) -> Finding {
    Finding {
        severity: severity(mistaken.level),
        class: Class::Mistaken,
        ..finding.with(&mistaken.reason, CORRECT)
    }
}

fn of_stale(finding: Finding, document: &Document, claim: &Claim, stale: &Stale) -> Finding {
    let now = stale.now.as_ref();
    let mut replacement = None;
    let mut spans = Vec::new();
    if let Some(now) = now.filter(|now| now.is_certain)
        && let Some(new_name) = &now.replacement
    {
        for span in document.claims.renamed(&document.text, claim) {
            spans.push((span, Some(new_name.clone())));
        }
        if !spans.is_empty() {
            replacement = Some(new_name.clone());
        }
    }
    Finding {
        severity: severity(stale.level),
        class: Class::Stale,
        message: stale.reason.clone(),
        doubt: stale.doubt,
        written: stale.written.clone(),
        removed: stale.removed.clone(),
        was: stale.was.clone(),
        now: now.map(|now| now.place.clone()),
        next: next_step(replacement.is_some(), now),
        spans,
        replacement,
        ..finding
    }
}

/// What a person does about a note.
pub(super) const NOTHING: &str = "none, unless it is a mistake";

/// What a person does about a stale claim whose new place is not certain.
pub(super) const CORRECT: &str =
    "correct or remove it, or put `<!-- cerberus: ignore -->` above it";

/// Returns what a person does about a stale claim.
fn next_step(is_fixable: bool, now: Option<&NewPlace>) -> String {
    match now {
        _ if is_fixable => "cerberus check --fix".to_owned(),
        Some(NewPlace {
            place,
            is_certain: true,
            unwritten,
            ..
        }) => match unwritten {
            Some(why) => format!("name `{place}` instead, or remove it; --fix leaves it: {why}"),
            None => format!("name `{place}` instead"),
        },
        _ => CORRECT.to_owned(),
    }
}
