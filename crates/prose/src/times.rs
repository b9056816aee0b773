//! Whether a document is about now: not a changelog, a plan, or a decision that is made.

use cerberus_model::WordList;
use jiff::civil::Date;

use crate::lists::{CURRENT, OTHER_TIMES, PAST_STARTS, PAST_TITLES, SETTLED};

/// Number of lines at the start of a document in which its status is looked for.
const MAX_LINES: usize = 40;

/// Ways to write a day of a year, in the format of `strptime`.
const DAYS: [&str; 5] = ["%Y %m %d", "%b %d %Y", "%d %b %Y", "%B %d %Y", "%d %B %Y"];

/// What a document says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It describes the project as it is.
    Current,
    /// It is decided, done or replaced.
    Settled,
}

/// Returns whether the path of a document says that it is about the past or the future: by a word, or
/// by the year with which a name starts.
pub fn is_of_other_time(path: &str) -> bool {
    path.to_ascii_lowercase().split('/').any(|part| {
        let mut words = part.split(['-', '_', '.', ' ']);
        let is_year = |word: &str| word.len() == 4 && word.bytes().all(|it| it.is_ascii_digit());
        words.clone().next().is_some_and(is_year)
            || words.any(|word| OTHER_TIMES.entries().iter().any(|it| word.starts_with(it)))
    })
}

/// Returns whether a folder is that of a day: `2024-01-31`.
pub fn is_day(folder: &str) -> bool {
    folder.len() == 10 && folder.matches('-').count() == 2 && has_day(folder)
}

/// Returns whether a folder of documents is that of a version: `1.20`, `v1.10.0`, `version-1.2`.
pub fn is_version(folder: &str) -> bool {
    let number = folder
        .trim_start_matches("version-")
        .trim_start_matches('v');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    number.contains('.') && number.split('.').all(is_number)
}

/// Returns the status that a document states: in its frontmatter, on a line `Status: accepted`, in a
/// row of a table, or below a heading.
pub fn status(text: &str) -> Option<Status> {
    let mut is_after_title = false;
    for line in text.lines().take(MAX_LINES) {
        let plain = line.replace(['*', '_', '|', '`'], " ").to_lowercase();
        let plain = plain.trim_matches(|c: char| c == '-' || c == '>' || c.is_whitespace());
        if plain.is_empty() {
            continue;
        }
        if is_after_title {
            return stated(plain);
        }
        let title = plain.trim_start_matches(['#', ' ']);
        if let Some(value) = title.strip_prefix("status") {
            let value = value.trim_start_matches([':', ' ']);
            match value.is_empty() {
                true => is_after_title = true,
                false => return stated(value),
            }
        }
    }
    None
}

fn stated(value: &str) -> Option<Status> {
    let starts = |list: &WordList| list.entries().iter().any(|it| value.starts_with(it));
    match value {
        _ if starts(&CURRENT) => Some(Status::Current),
        _ if starts(&SETTLED) => Some(Status::Settled),
        _ => None,
    }
}

/// Returns whether a heading is that of a version or a day in a changelog: `[1.2.0] - 2024-01-02`, not
/// a number of a section, as in `1.2 Setup`.
pub fn is_dated(title: &str) -> bool {
    let title = title.to_lowercase();
    let title = title.trim_start_matches(['[', ' ', '#']);
    let number = ["version ", "release ", "v"]
        .iter()
        .find_map(|it| title.strip_prefix(it))
        .unwrap_or(title);
    if title.starts_with("unreleased") {
        return true;
    }
    let is_part = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    let (number, rest) = number.split_at(number.find(|c| !is_part(c)).unwrap_or(number.len()));
    let n_parts = number.split(['.', '-']).filter(|it| !it.is_empty()).count();
    let is_day = n_parts == 3 && number.contains('-');
    let rest = rest.trim_start_matches([']', ' ']);
    number.starts_with(|c: char| c.is_ascii_digit())
        && n_parts >= 2
        && (is_day || !rest.starts_with(char::is_alphabetic))
}

/// Returns whether a heading says that what is below it is about the past: `Completed`, `Before the migration`.
pub fn is_past(title: &str) -> bool {
    let title = title.to_lowercase();
    for word in title.split(|c: char| !c.is_alphanumeric()) {
        let is_start = PAST_STARTS.entries().iter().any(|it| word.starts_with(it));
        if is_start || PAST_TITLES.contains(word) {
            return true;
        }
    }
    false
}

/// Returns whether a text has a day of a year: `2024-01-31`, `Nov 2 2023`, `25 Nov 2022`.
pub fn has_day(text: &str) -> bool {
    let parts: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect();
    let is_year = |part: &&str| part.len() == 4 && part.starts_with("20");
    parts
        .windows(3)
        .filter(|parts| parts.iter().any(is_year))
        .any(|parts| {
            let day = parts.join(" ");
            DAYS.iter()
                .any(|format| Date::strptime(format, &day).is_ok())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_documents_say_their_time() {
        for (path, expected) in [
            ("CHANGELOG.md", true),
            ("docs/changelogs/8.25.md", true),
            ("docs/release-notes.md", true),
            ("docs/migration/v2.md", true),
            ("docs/2021-introspection.md", true),
            ("docs/exchange.md", false),
            ("docs/architecture.md", false),
        ] {
            assert_eq!(is_of_other_time(path), expected, "{path}");
        }
    }

    #[test]
    fn folders_of_versions_are_numbers() {
        for folder in ["v1.10.0", "1.20", "version-1.2"] {
            assert!(is_version(folder), "{folder}");
        }
        for folder in ["v2", "1.2_setup", "unreleased", "2.0-beta", "v1..2", "a1.2"] {
            assert!(!is_version(folder), "{folder}");
        }
    }

    #[test]
    fn the_status_of_a_document_is_read_where_it_is_written() {
        for (text, expected) in [
            ("# A\n\n**Status:** Accepted", Some(Status::Settled)),
            ("# A\n\n- Status: in progress", Some(Status::Current)),
            ("---\nstatus: active\n---\n", Some(Status::Current)),
            ("# A\n\n## Status\n\nSuperseded by 7", Some(Status::Settled)),
            ("| Status | Living |", Some(Status::Current)),
            ("# A\n\nStatus: draft", None),
            ("# A\n\nText.", None),
        ] {
            assert_eq!(status(text), expected, "{text}");
        }
    }

    #[test]
    fn days_are_found_in_a_text() {
        for text in [
            "`a`: `2023-08-14`",
            "Nov 2 2023 - 33.9%",
            "(25 November 2022)",
            "2023.01.30",
        ] {
            assert!(has_day(text), "{text}");
        }
        for text in [
            "in 2024, 12 files",
            "port 2024",
            "v1.2.3",
            "2024-13-01",
            "May 2024",
        ] {
            assert!(!has_day(text), "{text}");
        }
    }

    #[test]
    fn headings_say_that_they_are_about_the_past() {
        for title in [
            "Done",
            "Completed work",
            "Migration (history)",
            "The old layout",
            "Removed",
        ] {
            assert!(is_past(title), "{title}");
        }
        for title in [
            "Layout",
            "Household",
            "How it is done well, not quickly: rules",
        ] {
            assert_eq!(is_past(title), title.contains("done"), "{title}");
        }
    }

    #[test]
    fn headings_of_versions_and_days_are_dated() {
        for title in [
            "1.2.3",
            "[1.2.0] - 2024-01-02",
            "v2.0 (May 2023)",
            "2024-05-01 A",
            "Unreleased",
            "Version 1.4",
        ] {
            assert!(is_dated(title), "{title}");
        }
        for title in [
            "1.2 Setup",
            "1. Setup",
            "Versions",
            "2024",
            "v2 API",
            "3 ways",
        ] {
            assert!(!is_dated(title), "{title}");
        }
    }
}
