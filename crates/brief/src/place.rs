//! The text of a memory, and the headings and paths without which it is unclear.

use cerberus_bank::MemoryFile;
use cerberus_markdown::sections::{self, Origin, Section};
use cerberus_model::{Memory, Span};

/// Returns the text of a memory after its place.
pub(crate) fn with_place(stored: &MemoryFile) -> String {
    let text = text(stored);
    match place(stored) {
        Some(place) => format!("{place}: {text}"),
        None => text,
    }
}

/// Returns the headings that a memory was imported from, without which "Keep the state here" is unclear, and
/// the paths that it applies to.
pub(crate) fn place(stored: &MemoryFile) -> Option<String> {
    let Memory { heading, paths, .. } = &stored.memory;
    let heading = heading.as_deref().unwrap_or_default();
    // "Do not edit: …" below the heading "Do not edit".
    let heading = without_repeated(heading.trim_end_matches(':'), &stored.memory.body);
    let globs: Vec<String> = paths.iter().map(|glob| format!("`{glob}`")).collect();
    let globs = globs.join(", ");
    match (heading.is_empty(), globs.is_empty()) {
        (true, true) => None,
        (true, false) => Some(format!("In {globs}")),
        (false, true) => Some(heading),
        (false, false) => Some(format!("In {globs} ({heading})")),
    }
}

/// Returns a path of headings without those that a text contains before its own words.
fn without_repeated(heading: &str, body: &str) -> String {
    let mut rest = body.trim_start();
    let mut kept = Vec::new();
    for title in heading.split(" › ") {
        let repeated = format!("{}: ", title.trim_end_matches([':', '.', ' ']));
        match rest.split_once(&repeated) {
            Some((before, after)) if before.is_empty() || before.ends_with(": ") => rest = after,
            _ => kept.push(title),
        }
    }
    kept.join(" › ")
}

/// Returns the text of a memory without section tags.
pub fn text(stored: &MemoryFile) -> String {
    let body = &stored.memory.body;
    if !body.contains("<!--") {
        return body.trim().to_owned();
    }
    let span = Span::new(stored.text.len() - body.len(), stored.text.len());
    let all = Section {
        id: String::new(),
        origin: Origin::Heading,
        outer: span,
        inner: span,
    };
    sections::content(&stored.text, &all, &sections::parse(&stored.text), false)
        .trim()
        .to_owned()
}
