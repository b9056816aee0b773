//! The tables of the page: counts, what changed, links, pins.

use maud::{Markup, html};

use crate::model::State;
use crate::ops::links::Edge;
use crate::ops::report::{Anchored, Entry, Report};

use super::{Page, drawing, entry};

/// Returns the counts.
pub(super) fn glance(report: &Report) -> Markup {
    let counts = &report.counts;
    let anchorable = report.memories.iter().filter(|entry| entry.anchorable).count();
    html! {
        section id="glance" aria-labelledby="glance-title" {
            h2 id="glance-title" { "At a glance" }
            dl.counts {
                div { dt { "memories" } dd { (counts.memories) } }
                div { dt { "with an example" } dd { (counts.anchored) " of " (anchorable) } }
                div { dt { "to decide" } dd { (counts.drifted) } }
                div { dt { "links, " (counts.broken_links) " broken" } dd { (counts.links) } }
                div { dt { "pins" } dd { (counts.pins) } }
            }
            @if !counts.anchors_by_state.is_empty() {
                table {
                    caption { "Anchors by state" }
                    thead {
                        tr {
                            th scope="col" { "State" }
                            th.number scope="col" { "Anchors" }
                            th scope="col" { "What it means" }
                        }
                    }
                    tbody {
                        @for (state, n) in &counts.anchors_by_state {
                            tr {
                                th scope="row" { (state.as_str()) }
                                td.number { (n) }
                                td { (meaning(*state)) }
                            }
                        }
                    }
                }
            }
            @if counts.memories > 0 {
                table {
                    caption { "Memories by type, scope and status" }
                    thead {
                        tr {
                            th scope="col" { "What" }
                            th scope="col" { "Which" }
                            th.number scope="col" { "Memories" }
                        }
                    }
                    tbody {
                        @for (what, counts) in [
                            ("type", &counts.by_type),
                            ("scope", &counts.by_scope),
                            ("status", &counts.by_status),
                        ] {
                            @for (name, n) in counts {
                                tr { td { (what) } th scope="row" { (name) } td.number { (n) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn meaning(state: State) -> &'static str {
    match state {
        State::Fresh => "The code is where it was, unchanged.",
        State::Reformatted => "Only the layout or the comments of the code changed.",
        State::Edited => "The code changed where it is.",
        State::Moved => "The code is somewhere else now.",
        State::Renamed => "The code has another name now.",
        State::Ambiguous => "Several pieces of code are equally like it.",
        State::Gone => "The code is nowhere to be found.",
    }
}

/// Returns the anchors that are not as they were, those to be decided on first.
pub(super) fn work_rows(report: &Report) -> impl Iterator<Item = (&Entry, &Anchored)> {
    let changed = |drift: bool| {
        let anchored = report.memories.iter();
        anchored.filter_map(move |entry| {
            let anchor = entry.anchor.as_ref()?;
            let is_changed = anchor.finding.state != State::Fresh;
            (is_changed && anchor.finding.drift == drift).then_some((entry, anchor))
        })
    };
    changed(true).chain(changed(false))
}

/// Returns what changed, and what is to be done about it.
pub(super) fn work(page: &Page<'_>) -> Markup {
    let report = page.report;
    let is_empty = work_rows(report).next().is_none();
    html! {
        section id="work" aria-labelledby="work-title" {
            h2 id="work-title" { "What changed" }
            @if is_empty && report.orphans.is_empty() {
                p { "Nothing: every example is where it was, unchanged." }
            }
            @if !is_empty {
                section.wide tabindex="0" aria-labelledby="work-caption" {
                    table {
                        caption id="work-caption" { "Examples that are not as they were recorded" }
                        thead {
                            tr {
                                th scope="col" { "Memory" }
                                th scope="col" { "State" }
                                th scope="col" { "Was → is" }
                                th scope="col" { "Why" }
                                th scope="col" { "Settle it with" }
                            }
                        }
                        tbody {
                            @for (memory, anchor) in work_rows(report) {
                                tr {
                                    th scope="row" { (page.reference(&memory.id)) }
                                    td { (entry::state(anchor)) }
                                    td { (entry::way(anchor)) }
                                    td { (entry::told(&entry::sentence(&anchor.finding.reason))) }
                                    td {
                                        @match &anchor.command {
                                            Some(command) => code { (command) },
                                            None => "nothing to do",
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
                    "Anchors of memories that are no more, which "
                    code { "cerberus memory reanchor" } " drops: "
                    @for (at, id) in report.orphans.iter().enumerate() {
                        @if at > 0 { ", " }
                        code { (id) }
                    }
                    "."
                }
            }
        }
    }
}

/// Returns the links, drawn where they are few, and as a table.
pub(super) fn links(page: &Page<'_>) -> Markup {
    let report = page.report;
    html! {
        section id="links" aria-labelledby="links-title" {
            h2 id="links-title" { "Links" }
            @if report.links.is_empty() {
                p { "No memory links to anything." }
            } @else {
                @match drawing::drawing(&report.links) {
                    Some(drawing) => (drawing),
                    None => p { "They are too many to draw." },
                }
                @for cycle in &report.cycles { p { (entry::told(&entry::sentence(&cycle.warning()))) } }
                section.wide tabindex="0" aria-labelledby="links-caption" {
                    table {
                        caption id="links-caption" { "Links from memories" }
                        thead {
                            tr {
                                th scope="col" { "Memory" }
                                th.number scope="col" { "Line" }
                                th scope="col" { "Relation" }
                                th scope="col" { "Target" }
                                th scope="col" { "State" }
                                th scope="col" { "Said there" }
                            }
                        }
                        tbody { @for edge in &report.links { (link(page, edge)) } }
                    }
                }
            }
        }
    }
}

fn link(page: &Page<'_>, edge: &Edge) -> Markup {
    let memory = edge.node.strip_prefix("memory:").filter(|id| page.element(id).is_some());
    let look = if edge.is_broken() { "bad" } else { "good" };
    html! {
        tr {
            th scope="row" { (page.reference(&edge.source)) }
            td.number { (edge.line) }
            td { (edge.relation.as_str().replace('_', " ")) }
            td {
                @match memory {
                    Some(id) => (page.reference(id)),
                    None => code { (edge.target) },
                }
            }
            td {
                span.state.(look) { (edge.state.as_str()) }
                @if let Some(note) = &edge.note { " " (entry::told(note)) }
                @if let (Some(found), true) = (&edge.resolved_to, edge.is_broken()) {
                    " " code { (found) }
                }
            }
            td dir="auto" { (edge.context) }
        }
    }
}

/// Returns the notes that are given every time.
pub(super) fn pins(report: &Report) -> Markup {
    html! {
        section id="pins" aria-labelledby="pins-title" {
            h2 id="pins-title" { "Pins" }
            @if report.pins.is_empty() && report.default_pins.is_empty() {
                p { "There are no pins." }
            } @else {
                table {
                    caption { "Notes that are given every time" }
                    thead {
                        tr {
                            th scope="col" { "Pin" }
                            th scope="col" { "Priority" }
                            th scope="col" { "Text" }
                        }
                    }
                    tbody {
                        @for pin in &report.pins {
                            tr {
                                th scope="row" { (pin.id) }
                                td { (pin.priority.as_str()) }
                                td dir="auto" { (pin.content) }
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

/// Returns what is wrong with the bank.
pub(super) fn warnings(report: &Report) -> Markup {
    html! {
        @if !report.warnings.is_empty() {
            section id="warnings" aria-labelledby="warnings-title" {
                h2 id="warnings-title" { "Warnings" }
                ul { @for warning in &report.warnings { li { (entry::told(warning)) } } }
            }
        }
    }
}
