//! A report as one HTML page that loads nothing and runs nothing.
//!
//! All that the repository says is escaped by the template, or by [`markdown::html`];
//! what control and bidirectional characters are left are shown as what they are. The
//! policy in its head lets the page use the one style sheet below, known by its hash,
//! and nothing else.
//!
//! [`markdown::html`]: crate::markdown::html

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::model::{MemoryType, State};
use crate::ops::report::{Commit, Entry, Report};
use crate::text;

mod drawing;
mod entry;
mod tables;

const STYLE: &str = include_str!("page/style.css");

/// The hash of [`STYLE`], which a test holds against it.
const STYLE_HASH: &str = "sha256-ZAECkiZ+VrtL6/Gno65d2c3lz2x5YLtVrRjx5gtaUVU=";

/// Returns the page.
pub(crate) fn page(report: &Report) -> String {
    let page = Page::new(report);
    let title = format!("Memory of {}", report.project);
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
                header {
                    h1 { (title) }
                    (state_of_things(report))
                }
                nav aria-label="Contents" { (contents(&page)) }
                main id="main" tabindex="-1" {
                    (tables::glance(report))
                    (tables::work(&page))
                    (rules(&page))
                    (others(&page))
                    (tables::links(&page))
                    (tables::pins(report))
                    (tables::warnings(report))
                }
                footer {
                    p { "Written by cerberus " (env!("CARGO_PKG_VERSION")) ", without a script and without loading anything." }
                }
            }
        }
    };
    text::escaped(&markup.into_string()) + "\n"
}

/// A report with what its parts say of each other.
struct Page<'a> {
    report: &'a Report,
    rules: Vec<&'a Entry>,
    others: Vec<&'a Entry>,
    /// The element of each memory by the memory's id.
    elements: BTreeMap<&'a str, String>,
}

impl<'a> Page<'a> {
    fn new(report: &'a Report) -> Self {
        let is_rule = |entry: &&Entry| entry.memory_type == MemoryType::Rule;
        let (rules, others) = report.memories.iter().partition(is_rule);
        let elements = report.memories.iter().enumerate();
        let elements = elements.map(|(at, entry)| (entry.id.as_str(), element(at, &entry.id)));
        Self { report, rules, others, elements: elements.collect() }
    }

    /// Returns the element of the memory of this id.
    fn element(&self, id: &str) -> Option<&str> {
        self.elements.get(id).map(String::as_str)
    }

    /// Returns the name of a memory as a link to it.
    fn reference(&self, id: &str) -> Markup {
        html! {
            @match self.element(id) {
                Some(element) => a href={ "#" (element) } { (id) },
                None => (id),
            }
        }
    }
}

/// Returns the name of a memory's element: its id, where that is sure to be one.
fn element(at: usize, id: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if id.chars().all(is_plain) { format!("m-{id}") } else { format!("n-{at}") }
}

fn state_of_things(report: &Report) -> Markup {
    let counts = &report.counts;
    let changed = counts.anchored - counts.anchors_by_state.get(&State::Fresh).unwrap_or(&0);
    let examples = |n: usize| match n {
        1 => "1 example".to_owned(),
        n => format!("{n} examples"),
    };
    let verdict = match (counts.drifted, changed) {
        (0, 0) if counts.anchored == 0 => "No memory has an example yet.".to_owned(),
        (0, 0) => "Every example is where it was, unchanged.".to_owned(),
        (0, n) => format!("{} changed, none needs a decision.", examples(n)),
        (1, _) => "1 example needs a decision.".to_owned(),
        (n, _) => format!("{} need a decision.", examples(n)),
    };
    html! {
        p.verdict { (verdict) }
        p.commit { (commit(report.commit.as_ref())) }
    }
}

fn commit(commit: Option<&Commit>) -> Markup {
    let Some(commit) = commit else {
        return html! { "As the files are; git knows no commit." };
    };
    let day = commit.committed_at.get(..10).unwrap_or(&commit.committed_at);
    html! {
        "At commit " code { (commit.id.get(..12).unwrap_or(&commit.id)) }
        " of " time datetime=(commit.committed_at) { (day) }
        @match commit.changed_files.as_slice() {
            [] => ".",
            [file] => { ", with a change in " code { (file) } "." },
            files => { ", with changes in " (files.len()) " of the files shown." },
        }
    }
}

fn contents(page: &Page<'_>) -> Markup {
    let report = page.report;
    let n_work = tables::work_rows(report).count();
    let parts = [
        ("glance", "At a glance", None),
        ("work", "What changed", Some(n_work)),
        ("rules", "Rules", Some(page.rules.len())),
        ("others", "Other memories", Some(page.others.len())),
        ("links", "Links", Some(report.links.len())),
        ("pins", "Pins", Some(report.pins.len() + report.default_pins.len())),
    ];
    html! {
        ul {
            @for (element, name, n) in parts {
                li {
                    a href={ "#" (element) } { (name) }
                    @if let Some(n) = n { " " span.tally { (n) } }
                }
            }
            @if !report.warnings.is_empty() {
                li { a href="#warnings" { "Warnings" } " " span.tally { (report.warnings.len()) } }
            }
        }
    }
}

fn rules(page: &Page<'_>) -> Markup {
    html! {
        section id="rules" aria-labelledby="rules-title" {
            h2 id="rules-title" { "Rules" }
            @if page.rules.is_empty() {
                p { "There are no rules. Add one with " code { "cerberus memory add \"…\"" } "." }
            } @else {
                (filters(&page.rules))
                @for rule in &page.rules { (entry::entry(page, rule)) }
            }
        }
    }
}

/// Returns the choice of what is shown, which the style sheet alone obeys.
fn filters(rules: &[&Entry]) -> Markup {
    let n = |name: &str| rules.iter().filter(|rule| entry::class(rule) == name).count();
    let names = State::ALL.iter().map(|state| state.as_str()).chain([entry::NO_EXAMPLE]);
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
    html! {
        section id="others" aria-labelledby="others-title" {
            h2 id="others-title" { "Other memories" }
            @if page.others.is_empty() {
                p { "There are no decisions, plans or notes." }
            }
            @for memory_type in MemoryType::ALL {
                @for other in page.others.iter().filter(|it| it.memory_type == *memory_type) {
                    (entry::entry(page, other))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
