//! Each case is a text and, as text, what comes of it.

mod code;
mod fix;
mod floods;
mod headings;
mod laws;
mod selection;
mod spoilt;
mod tags;

use expect_test::{Expect, expect};

use super::*;
use crate::text::LineIndex;

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
    for diagnostic in &sections.diagnostics {
        let (line, column) = (diagnostic.line + 1, diagnostic.column + 1);
        shown += &format!("! {line}:{column} {}: {}\n", diagnostic.code, diagnostic.message);
        if let Some(hint) = &diagnostic.hint {
            shown += &format!("    {hint}\n");
        }
    }
    expected.assert_eq(&shown);
}

/// The section `it` around `text`, with nothing wrong, whatever `text` is.
fn check_holds(text: &str) {
    let file = format!("<!-- ANCHOR:it -->\n{text}\n<!-- /ANCHOR:it -->\n");
    let sections = parse(&file);
    assert_eq!(sections.diagnostics, [], "{file}");
    let [section] = &sections.list[..] else {
        panic!("one section wanted in {file}, got {:?}", sections.list);
    };
    assert_eq!(content(&file, section, &sections, false), text);
}
