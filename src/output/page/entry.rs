//! One memory on the page: its text, its example and what became of that.

use maud::{Markup, PreEscaped, html};

use crate::commands::reanchor::TrackedLocation as Place;
use crate::markdown::html as markdown;
use crate::markdown::links::{Kind, Target};
use crate::model::{MemoryStatus, MemoryType, State};
use crate::ops::report::{Anchored, Code, Entry};
use crate::syntax::highlight::{Class, highlight};
use crate::text::shell_word;

use super::Page;

/// What a memory without an anchor counts as.
pub(super) const NO_EXAMPLE: &str = "no-example";

/// A document with more lines is opened by its reader.
const MAX_OPEN_LINES: usize = 30;

/// The level of the headings in a memory's text: its own name is one above.
const TEXT_LEVEL: usize = 4;

/// Returns the class by which the style sheet knows how a memory stands.
pub(super) fn class(entry: &Entry) -> &'static str {
    entry.anchor.as_ref().map_or(NO_EXAMPLE, |anchor| anchor.finding.state.as_str())
}

/// Returns how an anchor stands, in words.
pub(super) fn state(anchor: &Anchored) -> Markup {
    let finding = &anchor.finding;
    let is_edited_too = finding.edited && finding.state != State::Edited;
    let look = match finding.state {
        _ if finding.drift => "bad",
        State::Fresh | State::Reformatted => "good",
        State::Gone | State::Ambiguous => "bad",
        _ => "odd",
    };
    html! {
        span.state.(look) {
            (finding.state.as_str())
            @if is_edited_too { ", edited" }
            @if finding.drift { ", to decide" }
        }
    }
}

/// Returns a memory.
pub(super) fn entry(page: &Page<'_>, entry: &Entry) -> Markup {
    let element = page.element(&entry.id).unwrap_or_default();
    let is_document =
        entry.memory_type != MemoryType::Rule && entry.text.lines().count() > MAX_OPEN_LINES;
    html! {
        article.(class(entry)) id=(element) aria-labelledby={ (element) "-title" } {
            h3 id={ (element) "-title" } { a href={ "#" (element) } { (entry.id) } }
            (facts(entry))
            @if is_document {
                details {
                    summary { "Text, " (entry.text.lines().count() + entry.left_out_lines) " lines" }
                    (text(page, entry))
                }
            } @else {
                (text(page, entry))
            }
            (sections(entry))
            @if let Some(anchor) = &entry.anchor {
                (example(anchor))
                (change(anchor))
            } @else if wants_example(entry) {
                p.change {
                    "No code shows it yet. Look for some with "
                    code { "cerberus memory anchor " (shell_word(&entry.id)) " --candidates 5" } "."
                }
            }
        }
    }
}

fn wants_example(entry: &Entry) -> bool {
    entry.memory_type == MemoryType::Rule && entry.anchorable
}

fn facts(entry: &Entry) -> Markup {
    html! {
        ul.facts {
            @match &entry.anchor {
                Some(anchor) => li { (state(anchor)) },
                None if wants_example(entry) => li { span.state.plain { "no example" } },
                None => {},
            }
            @if entry.status == MemoryStatus::Archived { li { span.state.plain { "archived" } } }
            li { (entry.memory_type.as_str()) }
            li { (entry.scope) }
            @if let Some(category) = &entry.category { li { "category " (category) } }
            @if !entry.tags.is_empty() { li { "tags " (entry.tags.join(", ")) } }
            @if !entry.hints.is_empty() { li { "hints " (entry.hints.join(", ")) } }
            @if let Some(time) = entry.updated_at.as_ref().or(entry.created_at.as_ref()) {
                li { time datetime=(time) { (time.get(..10).unwrap_or(time)) } }
            }
        }
    }
}

fn text(page: &Page<'_>, entry: &Entry) -> Markup {
    let href = |target: &Target| match target.kind {
        Kind::Memory | Kind::Plain => page.element(&target.name).map(str::to_owned),
        Kind::Path | Kind::Url => None,
    };
    html! {
        div.text dir="auto" { (PreEscaped(markdown::html(&entry.text, TEXT_LEVEL, &href))) }
        @if entry.left_out_lines > 0 {
            p.rest { "The last " (entry.left_out_lines) " lines are in " code { (entry.file) } "." }
        }
    }
}

fn sections(entry: &Entry) -> Markup {
    html! {
        @if !entry.sections.is_empty() {
            details {
                summary { "Sections, " (entry.sections.len()) }
                table {
                    caption { "Sections of " (entry.id) }
                    thead {
                        tr {
                            th scope="col" { "Section" }
                            th scope="col" { "Lines" }
                            th.number scope="col" { "Tokens" }
                        }
                    }
                    tbody {
                        @for section in &entry.sections {
                            tr {
                                th scope="row" { code { (section.id) } }
                                td { (section.start_line) "–" (section.end_line) }
                                td.number { (section.tokens) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn example(anchor: &Anchored) -> Markup {
    html! {
        @if let (Some(code), Some(place)) = (&anchor.code, &anchor.finding.new) {
            figure {
                figcaption {
                    (self::place(place))
                    " lines " (code.start_line) "–" (code.end_line)
                    ", quality " (format!("{:.2}", anchor.quality))
                    ", chosen " (match anchor.finding.chosen.as_str() {
                        "auto" => "by cerberus",
                        _ => "by hand",
                    })
                }
                pre tabindex="0" { code { (coloured(anchor, code)) } }
            }
        }
    }
}

fn coloured(anchor: &Anchored, code: &Code) -> Markup {
    html! {
        @for (class, text) in highlight(anchor.language, anchor.kind, &code.text) {
            @match class {
                None => (text),
                Some(Class::Comment) => span.c { (text) },
                Some(Class::Text) => span.s { (text) },
                Some(Class::Keyword) => span.k { (text) },
                Some(Class::Number) => span.n { (text) },
                Some(Class::Name) => span.d { (text) },
            }
        }
    }
}

/// Returns what became of an anchor that is not as it was.
fn change(anchor: &Anchored) -> Markup {
    let finding = &anchor.finding;
    html! {
        @if finding.state != State::Fresh {
            div.change {
                @if finding.new.as_ref().is_none_or(|new| is_elsewhere(anchor, new)) {
                    p { (way(anchor)) }
                }
                p { (told(&sentence(&finding.reason))) }
                @if let Some(command) = &anchor.command {
                    p { "Settle it with " code { (command) } "." }
                }
            }
        }
    }
}

/// Returns where an anchor was and where it is.
pub(super) fn way(anchor: &Anchored) -> Markup {
    let finding = &anchor.finding;
    html! {
        (place(&finding.old))
        @match &finding.new {
            Some(new) if is_elsewhere(anchor, new) => { " → " (place(new)) },
            Some(_) => {},
            None => {
                @if finding.candidates.is_empty() { " → nowhere" } @else { " → perhaps " }
                @for (at, candidate) in finding.candidates.iter().enumerate() {
                    @if at > 0 { " or " }
                    (place(candidate))
                }
            }
        }
    }
}

fn is_elsewhere(anchor: &Anchored, new: &Place) -> bool {
    let old = &anchor.finding.old;
    (&new.file, &new.symbol) != (&old.file, &old.symbol)
}

pub(super) fn place(place: &Place) -> Markup {
    html! {
        code.place {
            (place.file)
            @if let Some(symbol) = &place.symbol { "::" (symbol) }
        }
    }
}

/// Returns a message with what is between back-ticks in it as code.
pub(super) fn told(message: &str) -> Markup {
    let parts: Vec<&str> = message.split('`').collect();
    html! {
        @if parts.len().is_multiple_of(2) {
            (message)
        } @else {
            @for (at, part) in parts.iter().enumerate() {
                @if at.is_multiple_of(2) { (part) } @else { code { (part) } }
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
