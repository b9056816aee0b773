//! One memory on the page: its text, its example and the change of its anchor.

use maud::{Markup, PreEscaped, html};

use super::{Page, table};
use crate::commands::reanchor::TrackedLocation;
use crate::commands::report::{Anchored, Code, Entry};
use cerberus_bank::ops::banks::short;
use cerberus_bank::ops::metadata::Override;
use cerberus_engine::syntax::highlight::{HighlightClass, highlight};
use cerberus_markdown::html as markdown;
use cerberus_markdown::links::{Kind, Target};
use cerberus_model::text::shell_word;
use cerberus_model::{ExampleRole, MemoryStatus, MemoryType, State};

/// Class of a memory without an anchor.
pub(super) const NOT_ANCHORED: &str = "not-anchored";

/// A document with more lines is collapsed.
const MAX_OPEN_LINES: usize = 30;

/// Level of the headings in a memory's text, one below that of its id.
const TEXT_LEVEL: usize = 4;

/// Returns the class of a memory by the state of its anchor.
pub(super) fn class(entry: &Entry) -> &'static str {
    entry.anchor.as_ref().map_or(NOT_ANCHORED, |anchor| anchor.finding.state.as_str())
}

/// Returns the label of an anchor's state.
pub(super) fn state(anchor: &Anchored) -> Markup {
    let finding = &anchor.finding;
    let is_also_edited = finding.edited && finding.state != State::Edited;
    let look = match finding.state {
        _ if finding.drift => "bad",
        State::Fresh | State::Reformatted => "good",
        State::Gone | State::Ambiguous => "bad",
        _ => "odd",
    };
    html! {
        span.state.(look) {
            (finding.state.as_str())
            @if is_also_edited { ", edited" }
            @if finding.drift { ", needs a decision" }
        }
    }
}

pub(super) fn entry(page: &Page<'_>, entry: &Entry) -> Markup {
    let id = &entry.metadata.memory.id;
    let element_id = page.element_id(id).unwrap_or_default();
    let n_lines = entry.text.lines().count();
    let is_rule = entry.metadata.memory.memory_type == MemoryType::Rule;
    let is_collapsed = !is_rule && n_lines > MAX_OPEN_LINES;
    html! {
        article.(class(entry)) id=(element_id) aria-labelledby={ (element_id) "-title" } {
            h3 id={ (element_id) "-title" } { a href={ "#" (element_id) } { (id) } }
            (facts(entry))
            @if is_collapsed {
                details {
                    summary { "Text, " (n_lines + entry.skipped_lines) " lines" }
                    (text(page, entry))
                }
            } @else {
                (text(page, entry))
            }
            (sections(entry))
            @if let Some(anchor) = &entry.anchor {
                (example(anchor))
                (change(anchor))
            } @else if needs_anchor(entry) {
                p.change {
                    "Not anchored. List candidates with "
                    code { "cerberus memory anchor " (shell_word(id)) " --candidates 5" } "."
                }
            }
            @let elsewhere = &entry.metadata.memory.example_elsewhere;
            @if let (None, Some(elsewhere)) = (&entry.anchor, elsewhere) {
                p.change { "An example in another repository: " code { (elsewhere) } "." }
            }
        }
    }
}

fn needs_anchor(entry: &Entry) -> bool {
    entry.metadata.memory.memory_type == MemoryType::Rule && entry.anchorable && !entry.is_refused()
}

fn facts(entry: &Entry) -> Markup {
    let (metadata, memory) = (&entry.metadata, &entry.metadata.memory);
    html! {
        ul.facts {
            @match &entry.anchor {
                Some(anchor) => li { (state(anchor)) },
                None if entry.is_refused() => li { span.state.plain { "no example" } },
                None if needs_anchor(entry) => li { span.state.plain { "not anchored" } },
                None => {},
            }
            @if let Some(pattern) = entry.pattern.as_ref().filter(|it| it.pattern.is_some()) {
                li { (pattern.enforcement.as_str()) }
            }
            @if memory.status == MemoryStatus::Archived { li { span.state.plain { "archived" } } }
            li { (memory.memory_type.as_str()) }
            li { (memory.scope) }
            @if let Some(bank) = &metadata.bank {
                li { "shared bank " (bank.name) " at " code { (short(&bank.commit)) } }
            }
            @if let Some(Override { bank, reason }) = &metadata.overrides {
                li {
                    "replaces that of the shared bank " (bank) ": "
                    (reason.as_deref().unwrap_or("no reason given"))
                }
            }
            @if let Some(category) = &memory.category { li { "category " (category) } }
            @if !memory.tags.is_empty() { li { "tags " (memory.tags.join(", ")) } }
            @if !memory.hints.is_empty() { li { "hints " (memory.hints.join(", ")) } }
            @if let Some(time) = memory.updated_at.or(memory.created_at) {
                @let time = time.to_string();
                li { time datetime=(time) { (time.get(..10).unwrap_or(&time)) } }
            }
        }
    }
}

fn text(page: &Page<'_>, entry: &Entry) -> Markup {
    let href = |target: &Target| match target.kind {
        Kind::Memory | Kind::Plain => page.element_id(&target.name).map(str::to_owned),
        Kind::Path | Kind::Url => None,
    };
    html! {
        div.text dir="auto" { (PreEscaped(markdown::html(&entry.text, TEXT_LEVEL, &href))) }
        @if entry.skipped_lines > 0 {
            p.rest {
                "The last " (entry.skipped_lines) " lines are in " code { (entry.metadata.file) } "."
            }
        }
    }
}

fn sections(entry: &Entry) -> Markup {
    let caption = format!("Sections of {}", entry.metadata.memory.id);
    let rows = entry.sections.iter().map(|section| {
        html! {
            th scope="row" { code { (section.id) } }
            td { (section.start_line) "–" (section.end_line) }
            td.number { (section.tokens) }
        }
    });
    html! {
        @if !entry.sections.is_empty() {
            details {
                summary { "Sections, " (entry.sections.len()) }
                (table(&caption, &["Section", "Lines", "#Tokens"], rows))
            }
        }
    }
}

fn example(anchor: &Anchored) -> Markup {
    html! {
        @if let (Some(code), Some(new)) = (&anchor.code, &anchor.finding.new) {
            figure {
                figcaption {
                    (location(new))
                    " lines " (code.start_line) "–" (code.end_line)
                    ", quality " (format!("{:.2}", anchor.quality))
                    ", chosen " (match anchor.finding.chosen.as_str() {
                        "auto" => "automatically",
                        "agent" => "by an agent",
                        _ => "manually",
                    })
                }
                pre tabindex="0" { code { (highlighted(anchor, code)) } }
            }
        }
        @for other in &anchor.others {
            p.rest {
                @match other.role {
                    ExampleRole::Also => "Another example: ",
                    ExampleRole::Not => "Breaks the rule: ",
                }
                code.place { (other.location()) }
            }
        }
    }
}

fn highlighted(anchor: &Anchored, code: &Code) -> Markup {
    html! {
        @for (class, text) in highlight(anchor.language, anchor.kind, &code.text) {
            @match class {
                None => (text),
                Some(HighlightClass::Comment) => span.c { (text) },
                Some(HighlightClass::String) => span.s { (text) },
                Some(HighlightClass::Keyword) => span.k { (text) },
                Some(HighlightClass::Number) => span.n { (text) },
                Some(HighlightClass::Name) => span.d { (text) },
            }
        }
    }
}

/// Returns the change of an anchor with the command that resolves it.
fn change(anchor: &Anchored) -> Markup {
    let finding = &anchor.finding;
    html! {
        @if finding.state != State::Fresh {
            div.change {
                @if finding.new.as_ref().is_none_or(|new| is_moved(anchor, new)) {
                    p { (location_change(anchor)) }
                }
                p { (with_code(&sentence(&finding.reason))) }
                @if let Some(command) = &anchor.command {
                    p { "Resolve it with " code { (command) } "." }
                }
            }
        }
    }
}

/// Returns the old and the new location of an anchor.
pub(super) fn location_change(anchor: &Anchored) -> Markup {
    let finding = &anchor.finding;
    html! {
        (location(&finding.old))
        @match &finding.new {
            Some(new) if is_moved(anchor, new) => { " → " (location(new)) },
            Some(_) => {},
            None => {
                @if finding.candidates.is_empty() { " → not found" } @else { " → possibly " }
                @for (candidate_idx, candidate) in finding.candidates.iter().enumerate() {
                    @if candidate_idx > 0 { " or " }
                    (location(candidate))
                }
            }
        }
    }
}

fn is_moved(anchor: &Anchored, new: &TrackedLocation) -> bool {
    let old = &anchor.finding.old;
    !new.is_place_of(old)
}

fn location(location: &TrackedLocation) -> Markup {
    html! { code.place { (location) } }
}

/// Returns a message with its back-ticked parts as code.
pub(super) fn with_code(message: &str) -> Markup {
    let parts: Vec<&str> = message.split('`').collect();
    html! {
        @if parts.len().is_multiple_of(2) {
            (message)
        } @else {
            @for (part_idx, part) in parts.iter().enumerate() {
                @if part_idx.is_multiple_of(2) { (part) } @else { code { (part) } }
            }
        }
    }
}

/// Returns a reason as a sentence.
pub(super) fn sentence(reason: &str) -> String {
    let mut chars = reason.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}
