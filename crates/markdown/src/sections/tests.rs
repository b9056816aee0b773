//! Each case is a text and its sections, printed.

mod code;
mod headings;
mod invalid_tags;
mod large_inputs;
mod properties;
mod selection;
mod tags;

use cerberus_model::text::LineIndex;
use expect_test::{Expect, expect};

use super::*;
use crate::test_support::print_diagnostics;

/// Prints each section with its lines and content, then the diagnostics.
fn check(text: &str, expected: Expect) {
    let sections = parse(text);
    let lines = LineIndex::new(text);
    let mut shown = String::new();
    for section in &sections.list {
        let first = lines.line(section.outer.start) + 1;
        let last = lines.line(section.outer.end.saturating_sub(1)) + 1;
        let mark = match section.origin {
            Origin::Tag => "",
            Origin::Heading => "# ",
        };
        let content = content(text, section, &sections, false);
        shown += &format!("{mark}{} {first}-{last} {content:?}\n", section.id);
    }
    shown += &print_diagnostics(&sections.diagnostics);
    expected.assert_eq(shown.trim_end_matches('\n'));
}

/// Checks that `text` is the content of the only section, without diagnostics, when tags enclose it.
fn check_content(text: &str) {
    let file = format!("<!-- ANCHOR:it -->\n{text}\n<!-- /ANCHOR:it -->\n");
    let sections = parse(&file);
    assert_eq!(sections.diagnostics, [], "{file}");
    let [section] = &sections.list[..] else {
        panic!("expected one section in {file}, got {:?}", sections.list);
    };
    assert_eq!(content(&file, section, &sections, false), text);
}
