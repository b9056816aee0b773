//! The tables of the page: counts, changes, links, pins and warnings.

use maud::{Markup, html};

use super::elements::wide_table;
use super::entry::{location_change, sentence, state, with_code};
use super::{Page, counts, drawing, section, table};
use crate::commands::report::{Anchored, Entry, Report};
use crate::commands::stats::MemoryCounts;
use cerberus_bank::ops::links::Edge;
use cerberus_model::State;

pub(super) fn summary(report: &Report) -> Markup {
    let MemoryCounts { memories, by_type, by_scope, by_status, anchored, no_example } =
        &report.counts.of_memories;
    let n_anchorable =
        report.memories.iter().filter(|it| it.anchorable && !it.is_refused()).count();
    let n_default_pins = report.default_pins.len();
    let rules = report.counts.rules.by_state().map(|(state, n)| {
        html! { td { "rules" } th scope="row" { (state) } td.number { (n) } }
    });
    let numbers = [
        Some(("memories".to_owned(), memories.to_string())),
        Some(("anchored".to_owned(), format!("{anchored} of {n_anchorable}"))),
        (*no_example > 0).then(|| ("without an example".to_owned(), no_example.to_string())),
        Some(("decisions needed".to_owned(), report.counts.drifted.to_string())),
        Some((
            format!("links, {} broken", report.counts.broken_links),
            report.counts.links.to_string(),
        )),
        Some((
            format!("pins, {n_default_pins} built in"),
            (report.counts.pins + n_default_pins).to_string(),
        )),
    ];
    let by_state = report.counts.anchors_by_state.iter().map(|(state, n)| {
        html! {
            th scope="row" { (state.as_str()) }
            td.number { (n) }
            td { (legend(*state)) }
        }
    });
    let properties = [("type", by_type), ("scope", by_scope), ("status", by_status)];
    let properties =
        properties.into_iter().flat_map(|(name, counts)| counts.iter().map(move |it| (name, it)));
    let by_property = properties.map(|(property, (value, n))| {
        html! { td { (property) } th scope="row" { (value) } td.number { (n) } }
    });
    let by_property = by_property.chain(rules);
    let body = html! {
        (counts(numbers.into_iter().flatten()))
        @if !report.counts.anchors_by_state.is_empty() {
            (table("Anchors by state", &["State", "#Anchors", "Meaning"], by_state))
        }
        @if *memories > 0 {
            (table("Memories by type, scope and status", &["Property", "Value", "#Memories"], by_property))
        }
    };
    section("summary", "Summary", &body)
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
    let caption = ("changes-caption", "Examples that changed since they were recorded");
    let columns = ["Memory", "State", "Old → new", "Reason", "Resolve with"];
    let rows = changed_anchors(report).map(|(entry, anchor)| {
        html! {
            th scope="row" { (page.link(&entry.metadata.memory.id)) }
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
    });
    let body = html! {
        @if !has_changes && report.orphans.is_empty() { p { "All anchors are up to date." } }
        @if has_changes { (wide_table(caption, &columns, rows)) }
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
    };
    section("changes", "Changes", &body)
}

/// Returns the links as a table, and as a drawing if they are few.
pub(super) fn links(page: &Page<'_>) -> Markup {
    let report = page.report;
    let columns = ["Memory", "#Line", "Relation", "Target", "State", "Context"];
    let rows = report.links.iter().map(|edge| link(page, edge));
    let body = html! {
        @if report.links.is_empty() {
            p { "There are no links." }
        } @else {
            @match drawing::drawing(&report.links) {
                Some(drawing) => (drawing),
                None => p { "There are too many links for a drawing." },
            }
            @for cycle in &report.cycles { p { (with_code(&sentence(&cycle.warning()))) } }
            (wide_table(("links-caption", "Links from memories"), &columns, rows))
        }
    };
    section("links", "Links", &body)
}

fn link(page: &Page<'_>, edge: &Edge) -> Markup {
    let memory = edge.node.strip_prefix("memory:").filter(|id| page.element_id(id).is_some());
    let look = if edge.is_broken() { "bad" } else { "good" };
    html! {
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

pub(super) fn pins(report: &Report) -> Markup {
    let pins = report.pins.iter().map(|it| &it.pin);
    let pins = pins.map(|pin| (&pin.id[..], pin.priority.as_str(), &pin.content[..]));
    let built_in =
        report.default_pins.iter().map(|pin| (&pin.id[..], "safety, built in", &pin.content[..]));
    let mut rows = pins.chain(built_in).peekable();
    let is_empty = rows.peek().is_none();
    let rows = rows.map(|(id, priority, content)| {
        html! { th scope="row" { (id) } td { (priority) } td dir="auto" { (content) } }
    });
    let body = html! {
        @if is_empty { p { "There are no pins." } }
        @else { (table("Notes that are always injected", &["Pin", "Priority", "Text"], rows)) }
    };
    section("pins", "Pins", &body)
}

pub(super) fn warnings(report: &Report) -> Markup {
    let list = html! { ul { @for warning in &report.warnings { li { (with_code(warning)) } } } };
    html! { @if !report.warnings.is_empty() { (section("warnings", "Warnings", &list)) } }
}
