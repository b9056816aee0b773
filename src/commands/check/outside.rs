//! Documents outside the repository, such as the memories of agents. Git does not know when they were written, so
//! their frontmatter or the time of the file says it. A frontmatter may also say how long its document holds.

use std::path::{Path, PathBuf};

use anyhow::Result;
use cerberus_claims::addresses::Addresses;
use cerberus_claims::parse;
use cerberus_claims::report::Document;
use cerberus_engine::tree::git::past;
use cerberus_markdown::frontmatter;
use cerberus_model::Severity;
use cerberus_model::error::UserError;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::finding::{Check, Finding};
use crate::config::{self, DatedFile};

/// The key with the day after which a document is not to be believed.
const STALE_AFTER: &str = "stale_after";

/// The keys of a frontmatter that may have the day of the last change, the most exact first.
const DAYS: [&str; 8] = [
    "updated",
    "updated_at",
    "last_updated",
    "modified",
    "timestamp",
    "date",
    "created",
    "created_at",
];

/// Returns the memories of agents about the project at `root`.
pub(super) fn memories(root: &Path) -> Vec<Document> {
    let mut documents = Vec::new();
    for file in config::agent_memories(root) {
        documents.push(document(root, file));
    }
    documents
}

/// Divides the files of a command line into those of the project at `root` and the documents outside.
pub(super) fn divide(root: &Path, files: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<Document>)> {
    let real_root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let mut inside = Vec::new();
    let mut outside = Vec::new();
    for path in files {
        let is_inside = |real: &PathBuf| real.starts_with(&real_root);
        // A path that is not in the project from the current folder may be one from its root.
        let from_root = root.join(path).canonicalize().ok();
        let is_from_root = from_root.as_ref().is_some_and(is_inside);
        let real = path.canonicalize().ok();
        let is_outside = real.is_some_and(|real| real.is_file() && !is_inside(&real));
        if is_from_root || !is_outside {
            inside.push(path.clone());
            continue;
        }
        let file = config::dated_file(path).map_err(|error| {
            let shown = path.display();
            UserError::usage(format!("failed to read `{shown}`: {error}"))
                .hint("name a document of text")
        })?;
        outside.push(document(root, file));
    }
    Ok((inside, outside))
}

fn document(root: &Path, file: DatedFile) -> Document {
    let written = day_in(&file.text)
        .or_else(|| Timestamp::try_from(file.modified).ok())
        .unwrap_or_default();
    let claims = parse::read(&file.text, &Addresses::new(root));
    // Without a commit of that time, no claim was true then.
    let commit = past::commit_before(root, written.as_second()).unwrap_or_default();
    Document {
        written_at: Some(commit),
        ..Document::new(file.path.display().to_string(), file.text, claims)
    }
}

/// Returns the end of the day that a frontmatter names.
fn day_in(text: &str) -> Option<Timestamp> {
    DAYS.iter().find_map(|key| day_of(text, key))
}

/// Returns the end of the day in a key of a frontmatter.
fn day_of(text: &str, key: &str) -> Option<Timestamp> {
    let frontmatter = &text[..frontmatter::body_start(text)];
    for line in frontmatter.lines() {
        let value = line.split_once(':').filter(|(name, _)| name.trim() == key);
        let Some((_, value)) = value else {
            continue;
        };
        let value = value.trim().trim_matches(['"', '\'']);
        let day = value.get(..10).unwrap_or(value);
        if let Ok(day) = day.parse::<Date>() {
            let end = day.at(23, 59, 59, 0).to_zoned(TimeZone::UTC).ok()?;
            return Some(end.timestamp());
        }
    }
    None
}

/// Returns a warning for each document whose `stale_after` has passed.
pub(super) fn expired(documents: &[Document], now: Timestamp) -> Vec<Finding> {
    let mut expired = Vec::new();
    for document in documents {
        let Some(day) = day_of(&document.text, STALE_AFTER).filter(|day| *day < now) else {
            continue;
        };
        let line = document
            .text
            .lines()
            .position(|line| line.starts_with(STALE_AFTER));
        let place = (document.path.clone(), line.unwrap_or_default() + 1);
        let day = day.strftime("%Y-%m-%d").to_string();
        let finding = Finding::new(Check::StaleAfter, place, &day);
        let message = "the document is not to be believed after this day";
        expired.push(Finding {
            severity: Severity::Warning,
            ..finding.with(message, "look whether it still holds, and set a new day")
        });
    }
    expired
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_of_a_frontmatter_is_read() {
        let day = |text: &str| day_in(text).map(|time| time.to_string());
        let expected = Some("2026-02-03T23:59:59Z".to_owned());
        assert_eq!(
            day("---\nname: a\nupdated: 2026-02-03\n---\nText\n"),
            expected
        );
        assert_eq!(
            day("---\ndate: 2025-01-01\nmodified: \"2026-02-03T10:00:00Z\"\n---\n"),
            expected
        );
        assert_eq!(day("---\nname: a\n---\nupdated: 2026-02-03\n"), None);
    }
}
