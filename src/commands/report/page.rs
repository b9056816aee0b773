//! A report as one HTML page without scripts or external resources.
//!
//! The template and [`markdown::html`] escape all text from the repository. The remaining control
//! and bidirectional characters are shown as escape sequences. The content security policy allows
//! only the style sheet below, by its hash.
//!
//! [`markdown::html`]: cerberus_markdown::html

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Commit, Entry, Report};
use cerberus_model::text::{self, plural};
use cerberus_model::{MemoryType, State};

mod drawing;
mod elements;
mod entry;
mod tables;

use elements::{contents, counts, section, table};

const STYLE: &str = include_str!("page/style.css");

/// Hash of [`STYLE`]; a test compares it with the style sheet.
const STYLE_HASH: &str = "sha256-PG4b/w3upRajizOMFC10bIbxlIniOWqee8oyolR1lBc=";

/// Returns the page as HTML.
pub(super) fn page(report: &Report) -> String {
    let page = Page::new(report);
    let title = format!("Memory of {}", report.project);
    let body = html! {
        header {
            h1 { (title) }
            (status(report))
        }
        (page_contents(&page))
        main id="main" tabindex="-1" {
            (tables::summary(report))
            (tables::changes(&page))
            (rules(&page))
            (others(&page))
            (tables::links(&page))
            (tables::pins(report))
            (tables::warnings(report))
        }
    };
    document(&title, &body)
}

/// Returns a page with this title and body.
fn document(title: &str, body: &Markup) -> String {
    let policy = format!(
        "default-src 'none'; style-src '{STYLE_HASH}'; base-uri 'none'; form-action 'none'"
    );
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                (body)
                footer {
                    p { "Written by cerberus " (env!("CARGO_PKG_VERSION")) ", without scripts or external resources." }
                }
            }
        }
    };
    text::escaped(&markup.into_string()) + "\n"
}

/// A report with the HTML ids of its memories, for links between the sections.
struct Page<'a> {
    report: &'a Report,
    rules: Vec<&'a Entry>,
    others: Vec<&'a Entry>,
    /// HTML ids by memory id.
    element_ids: BTreeMap<&'a str, String>,
}

impl<'a> Page<'a> {
    fn new(report: &'a Report) -> Self {
        let is_rule = |entry: &&Entry| entry.metadata.memory.memory_type == MemoryType::Rule;
        let (rules, others) = report.memories.iter().partition(is_rule);
        let ids = report.memories.iter().map(|entry| entry.metadata.memory.id.as_str()).enumerate();
        let element_ids = ids.map(|(entry_idx, id)| (id, element_id(entry_idx, id))).collect();
        Self { report, rules, others, element_ids }
    }

    fn element_id(&self, id: &str) -> Option<&str> {
        self.element_ids.get(id).map(String::as_str)
    }

    /// Returns a link to a memory.
    fn link(&self, id: &str) -> Markup {
        html! {
            @match self.element_id(id) {
                Some(element_id) => a href={ "#" (element_id) } { (id) },
                None => (id),
            }
        }
    }
}

/// Returns the HTML id of a memory: its own id if that contains only safe characters.
fn element_id(entry_idx: usize, id: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if id.chars().all(is_plain) { format!("m-{id}") } else { format!("n-{entry_idx}") }
}

fn status(report: &Report) -> Markup {
    let counts = &report.counts;
    let anchored = counts.of_memories.anchored;
    let changed = anchored - counts.anchors_by_state.get(&State::Fresh).unwrap_or(&0);
    let verdict = match (counts.drifted, changed) {
        (0, 0) if anchored == 0 => "No memory is anchored yet.".to_owned(),
        (0, 0) => "All anchors are up to date.".to_owned(),
        (0, n) => format!("{} changed, without a decision to make.", plural(n, "example")),
        (1, _) => "1 example needs a decision.".to_owned(),
        (n, _) => format!("{} need a decision.", plural(n, "example")),
    };
    html! {
        p.verdict { (verdict) }
        p.commit { (commit(report.commit.as_ref())) }
    }
}

fn commit(commit: Option<&Commit>) -> Markup {
    let Some(commit) = commit else {
        return html! { "No git commit found." };
    };
    let day = commit.committed_at.get(..10).unwrap_or(&commit.committed_at);
    html! {
        "At commit " code { (commit.id.get(..12).unwrap_or(&commit.id)) }
        " of " time datetime=(commit.committed_at) { (day) }
        @match commit.changed_files.as_slice() {
            [] => ".",
            [file] => { ", with changes in " code { (file) } "." },
            files => { ", with changes in " (files.len()) " of the files shown." },
        }
    }
}

fn page_contents(page: &Page<'_>) -> Markup {
    let report = page.report;
    let n_pins = report.pins.len() + report.default_pins.len();
    let mut sections = vec![
        ("summary", "Summary", None),
        ("changes", "Changes", Some(tables::changed_anchors(report).count())),
        ("rules", "Rules", Some(page.rules.len())),
        ("others", "Other memories", Some(page.others.len())),
        ("links", "Links", Some(report.links.len())),
        ("pins", "Pins", Some(n_pins)),
    ];
    if !report.warnings.is_empty() {
        sections.push(("warnings", "Warnings", Some(report.warnings.len())));
    }
    contents(&sections)
}

fn rules(page: &Page<'_>) -> Markup {
    let body = html! {
        @if page.rules.is_empty() {
            p { "There are no rules. Add one with " code { "cerberus memory add \"…\"" } "." }
        } @else {
            (filters(&page.rules))
            @for rule in &page.rules { (entry::entry(page, rule)) }
        }
        @if !page.report.off.is_empty() {
            h3 { "Switched off" }
            ul {
                @for off in &page.report.off {
                    li { code { (off.id) } " of the shared bank " (off.bank) ": " (off.reason) }
                }
            }
        }
        @if !page.report.repeated.is_empty() {
            h3 { "Repeated" }
            ul { @for repeated in &page.report.repeated { li { (repeated) } } }
        }
    };
    section("rules", "Rules", &body)
}

/// Returns the filters of the rules by state, which work through the style sheet.
fn filters(rules: &[&Entry]) -> Markup {
    let n = |name: &str| rules.iter().filter(|rule| entry::class(rule) == name).count();
    let names = State::ALL.iter().map(|state| state.as_str()).chain([entry::NOT_ANCHORED]);
    let choices: Vec<(&str, usize)> =
        names.map(|name| (name, n(name))).filter(|(_, n)| *n > 0).collect();
    html! {
        @if choices.len() > 1 {
            fieldset.filters {
                legend { "Show" }
                span.choice {
                    input type="radio" name="show" id="show-all" checked;
                    label for="show-all" { "all " span.tally { (rules.len()) } }
                }
                @for (name, n) in choices {
                    span.choice {
                        input type="radio" name="show" id={ "show-" (name) };
                        label for={ "show-" (name) } {
                            (name.replace('-', " ")) " " span.tally { (n) }
                        }
                    }
                }
            }
        }
    }
}

fn others(page: &Page<'_>) -> Markup {
    let body = html! {
        @if page.others.is_empty() { p { "There are no decisions, plans or notes." } }
        @for memory_type in MemoryType::ALL {
            @for other in page.others.iter().filter(|it| it.metadata.memory.memory_type == *memory_type) {
                (entry::entry(page, other))
            }
        }
    };
    section("others", "Other memories", &body)
}

#[cfg(test)]
mod tests;
