//! The tables of the page: counts, changes, links, pins and warnings.

use maud::{Markup, html};

use super::entry::{location_change, sentence, state, with_code};
use super::{Page, drawing, table_head};
use crate::commands::report::{Anchored, Entry, Report};
use crate::model::State;
use crate::ops::links::Edge;

pub(super) fn summary(report: &Report) -> Markup {
    let counts = &report.counts;
    let n_anchorable =
        report.memories.iter().filter(|it| it.anchorable && !it.is_refused()).count();
    html! {
        section id="summary" aria-labelledby="summary-title" {
            h2 id="summary-title" { "Summary" }
            dl.counts {
                div { dt { "memories" } dd { (counts.memories) } }
                div { dt { "anchored" } dd { (counts.anchored) " of " (n_anchorable) } }
                @if counts.no_example > 0 { div { dt { "without an example" } dd { (counts.no_example) } } }
                div { dt { "decisions needed" } dd { (counts.drifted) } }
                div { dt { "links, " (counts.broken_links) " broken" } dd { (counts.links) } }
                div {
                    dt { "pins, " (report.default_pins.len()) " built in" }
                    dd { (counts.pins + report.default_pins.len()) }
                }
            }
            @if !counts.anchors_by_state.is_empty() {
                table {
                    caption { "Anchors by state" }
                    (table_head(&["State", "Anchors", "Meaning"], Some(1)))
                    tbody {
                        @for (state, n) in &counts.anchors_by_state {
                            tr {
                                th scope="row" { (state.as_str()) }
                                td.number { (n) }
                                td { (legend(*state)) }
                            }
                        }
                    }
                }
            }
            @if counts.memories > 0 {
                table {
                    caption { "Memories by type, scope and status" }
                    (table_head(&["Property", "Value", "Memories"], Some(2)))
                    tbody {
                        @for (property, counts) in [
                            ("type", &counts.by_type),
                            ("scope", &counts.by_scope),
                            ("status", &counts.by_status),
                        ] {
                            @for (value, n) in counts {
                                tr {
                                    td { (property) }
                                    th scope="row" { (value) }
                                    td.number { (n) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn legend(state: State) -> &'static str {
    match state {
        State::Fresh => "The code is unchanged.",
        State::Reformatted => "Only the layout or the comments of the code changed.",
        State::Edited => "The code changed in place.",
        State::Moved => "The code is at another location.",
        State::Renamed => "The code has another name.",
        State::Ambiguous => "Several symbols match equally well.",
        State::Gone => "The code was not found.",
    }
}

/// Returns the changed anchors, those that need a decision first.
pub(super) fn changed_anchors(report: &Report) -> impl Iterator<Item = (&Entry, &Anchored)> {
    let changed = |drift: bool| {
        report.memories.iter().filter_map(move |entry| {
            let anchor = entry.anchor.as_ref()?;
            let is_changed = anchor.finding.state != State::Fresh;
            (is_changed && anchor.finding.drift == drift).then_some((entry, anchor))
        })
    };
    changed(true).chain(changed(false))
}

pub(super) fn changes(page: &Page<'_>) -> Markup {
    let report = page.report;
    let has_changes = changed_anchors(report).next().is_some();
    html! {
        section id="changes" aria-labelledby="changes-title" {
            h2 id="changes-title" { "Changes" }
            @if !has_changes && report.orphans.is_empty() {
                p { "All anchors are up to date." }
            }
            @if has_changes {
                section.wide tabindex="0" aria-labelledby="changes-caption" {
                    table {
                        caption id="changes-caption" { "Examples that changed since they were recorded" }
                        (table_head(&["Memory", "State", "Old → new", "Reason", "Resolve with"], None))
                        tbody {
                            @for (entry, anchor) in changed_anchors(report) {
                                tr {
                                    th scope="row" { (page.link(&entry.metadata.id)) }
                                    td { (state(anchor)) }
                                    td { (location_change(anchor)) }
                                    td { (with_code(&sentence(&anchor.finding.reason))) }
                                    td {
                                        @match &anchor.command {
                                            Some(command) => code { (command) },
                                            None => "no action needed",
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if !report.orphans.is_empty() {
                p {
                    "Anchors without a memory, which "
                    code { "cerberus memory reanchor" } " removes: "
                    @for (orphan_idx, id) in report.orphans.iter().enumerate() {
                        @if orphan_idx > 0 { ", " }
                        code { (id) }
                    }
                    "."
                }
            }
        }
    }
}

/// Returns the links as a table, and as a drawing if they are few.
pub(super) fn links(page: &Page<'_>) -> Markup {
    let report = page.report;
    let columns = ["Memory", "Line", "Relation", "Target", "State", "Context"];
    html! {
        section id="links" aria-labelledby="links-title" {
            h2 id="links-title" { "Links" }
            @if report.links.is_empty() {
                p { "There are no links." }
            } @else {
                @match drawing::drawing(&report.links) {
                    Some(drawing) => (drawing),
                    None => p { "There are too many links for a drawing." },
                }
                @for cycle in &report.cycles { p { (with_code(&sentence(&cycle.warning()))) } }
                section.wide tabindex="0" aria-labelledby="links-caption" {
                    table {
                        caption id="links-caption" { "Links from memories" }
                        (table_head(&columns, Some(1)))
                        tbody { @for edge in &report.links { (link(page, edge)) } }
                    }
                }
            }
        }
    }
}

fn link(page: &Page<'_>, edge: &Edge) -> Markup {
    let memory = edge.node.strip_prefix("memory:").filter(|id| page.element_id(id).is_some());
    let look = if edge.is_broken() { "bad" } else { "good" };
    html! {
        tr {
            th scope="row" { (page.link(&edge.source)) }
            td.number { (edge.line) }
            td { (edge.relation.as_str().replace('_', " ")) }
            td {
                @match memory {
                    Some(id) => (page.link(id)),
                    None => code { (edge.target) },
                }
            }
            td {
                span.state.(look) { (edge.state.as_str()) }
                @if let Some(note) = &edge.note { " " (with_code(note)) }
                @if let (Some(found), true) = (&edge.resolved_to, edge.is_broken()) {
                    " " code { (found) }
                }
            }
            td dir="auto" { (edge.context) }
        }
    }
}

pub(super) fn pins(report: &Report) -> Markup {
    let pins = report.pins.iter().map(|pin| (&pin.id, pin.priority.as_str(), &pin.content));
    html! {
        section id="pins" aria-labelledby="pins-title" {
            h2 id="pins-title" { "Pins" }
            @if report.pins.is_empty() && report.default_pins.is_empty() {
                p { "There are no pins." }
            } @else {
                table {
                    caption { "Notes that are always injected" }
                    (table_head(&["Pin", "Priority", "Text"], None))
                    tbody {
                        @for (id, priority, content) in pins {
                            tr {
                                th scope="row" { (id) }
                                td { (priority) }
                                td dir="auto" { (content) }
                            }
                        }
                        @for pin in &report.default_pins {
                            tr {
                                th scope="row" { (pin.id) }
                                td { "safety, built in" }
                                td { (pin.content) }
                            }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn warnings(report: &Report) -> Markup {
    html! {
        @if !report.warnings.is_empty() {
            section id="warnings" aria-labelledby="warnings-title" {
                h2 id="warnings-title" { "Warnings" }
                ul { @for warning in &report.warnings { li { (with_code(warning)) } } }
            }
        }
    }
}
