//! The files of a command line that are outside the repository, and how long a document holds.

use std::path::{Path, PathBuf};

use anyhow::Result;
use cerberus_claims::report::Document;
use cerberus_model::Severity;
use cerberus_model::error::UserError;
use jiff::Timestamp;

use super::finding::{Check, Finding};
use crate::commands::outside_documents::{day_of, document};
use crate::config;

/// The key with the day after which a document is not to be believed.
const STALE_AFTER: &str = "stale_after";

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
