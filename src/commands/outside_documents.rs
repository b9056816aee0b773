//! Documents outside the repository, such as the memories of agents. Git does not know when they were written, so
//! their frontmatter or the time of the file says it.

use std::collections::BTreeSet;
use std::path::Path;

use cerberus_claims::addresses::Addresses;
use cerberus_claims::parse;
use cerberus_claims::report::{Document, Verdict};
use cerberus_engine::tree::git::past;
use cerberus_markdown::frontmatter;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::config::{self, DatedFile};

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

/// The memories of agents about a project.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct MemoryCounts {
    pub(crate) n_all: usize,
    /// Those that say something that is no longer true.
    pub(crate) n_stale: usize,
}

/// Returns the memories of agents about the project at `root`.
pub(crate) fn memories(root: &Path) -> Vec<Document> {
    let mut documents = Vec::new();
    for file in config::agent_memories(root) {
        documents.push(document(root, file));
    }
    documents
}

/// Counts the memories of agents about the project at `root`.
pub(crate) fn memory_counts(root: &Path) -> MemoryCounts {
    let documents = memories(root);
    if documents.is_empty() {
        return MemoryCounts::default();
    }
    let report = cerberus_claims::check(root, &documents, None, &|_, _| {}).unwrap_or_default();
    let mut stale: BTreeSet<usize> = BTreeSet::new();
    for finding in &report.findings {
        if matches!(finding.verdict, Verdict::Stale(_)) {
            stale.insert(finding.document_idx);
        }
    }
    MemoryCounts {
        n_all: documents.len(),
        n_stale: stale.len(),
    }
}

/// Returns a document with the last commit before it was written.
pub(crate) fn document(root: &Path, file: DatedFile) -> Document {
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
pub(crate) fn day_of(text: &str, key: &str) -> Option<Timestamp> {
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
