//! Entry points of the fuzz targets for texts in markdown.
//!
//! Not part of releases. Each function checks properties that hold for any input, and panics if one is
//! violated. The unit tests run all seeds in `tests/fuzz/seeds`.

use cerberus_model::text::{self, Span};

use crate::edit::{self, EditMode};
use crate::frontmatter::{self, FieldValue};
use crate::secrets::{Secret, find_secret};
use crate::{html, links as links_of, rules as rules_of, sections as sections_of};

#[cfg(test)]
#[path = "seeds.rs"]
mod seeds;

#[path = "../elements.rs"]
mod elements;

/// Sections have valid spans; the inner span is in the outer one. Replacing a section is idempotent.
pub fn sections(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let sections = sections_of::parse(text);
    for section in &sections.list {
        assert!(
            is_in(section.outer, text) && is_in(section.inner, text),
            "{section:?}"
        );
        assert!(section.outer.start <= section.inner.start);
        assert!(section.inner.end <= section.outer.end);
        let raw = sections_of::content(text, section, &sections, true);
        assert!(section.inner.slice(text).contains(&raw), "{section:?}");
        sections_of::content(text, section, &sections, false);
    }
    for tag in &sections.tags {
        assert!(is_in(*tag, text), "{tag:?}");
    }
    // Each edit parses the text again, so only some sections are checked.
    for section in sections.list.iter().take(8) {
        for way in [EditMode::Append, EditMode::Replace] {
            let Ok((_, edited)) = edit::section(text, &section.id, "new text", way) else {
                continue;
            };
            let again = edit::section(&edited, &section.id, "new text", way);
            let again = again.map(|(_, text)| text);
            assert_eq!(again.as_ref(), Ok(&edited), "{} twice", section.id);
        }
    }
}

/// Links have valid spans, and targets round-trip.
pub fn links(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    for link in links_of::parse(text) {
        assert!(
            is_in(link.span, text) && is_in(link.name_span, text),
            "{link:?}"
        );
        assert_eq!(link.name_span.slice(text), link.target.name);
        assert!(!link.context.contains('\n'));
        let read = links_of::Target::parse(&link.target.to_string());
        assert_eq!(read.as_ref(), Some(&link.target));
    }
    links_of::parse_target(text);
}

/// Setting a key is idempotent and preserves the body.
pub fn frontmatter(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let parsed = frontmatter::parse(text);
    assert!(text.is_char_boundary(parsed.body_start));
    frontmatter::render(&parsed.frontmatter);
    let words = ["a".to_owned(), "b, c".to_owned(), "# d".to_owned()];
    for (key, value) in [
        ("status", FieldValue::Scalar("archived")),
        ("tags", FieldValue::List(&words)),
        ("source", FieldValue::Scalar("é: \"x\" #y")),
    ] {
        let Ok(edited) = frontmatter::set(text, key, value) else {
            continue;
        };
        assert_eq!(
            frontmatter::set(&edited, key, value).as_ref(),
            Ok(&edited),
            "{key} twice"
        );
        let below = text.get(parsed.body_start..).unwrap_or_default();
        assert!(edited.ends_with(below), "{key}: the body has changed");
    }
    for way in [EditMode::Append, EditMode::Replace] {
        let Ok(edited) = edit::body(text, "new text", way) else {
            continue;
        };
        assert_eq!(
            edit::body(&edited, "new text", way).as_ref(),
            Ok(&edited),
            "twice"
        );
    }
}

/// Extracted rules have valid positions.
pub fn rules(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let n_lines = text.split('\n').count();
    for found in rules_of::parse(text, "shop") {
        assert!(found.line < n_lines, "{found:?}");
        assert!(found.text.is_char_boundary(found.prefix_len), "{found:?}");
    }
}

/// The HTML of a memory contains allowed elements only and is well-formed.
pub fn page(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let href = |target: &links_of::Target| {
        (target.kind == links_of::Kind::Memory).then(|| "m-a".to_owned())
    };
    elements::check(&html::html(text, 4, &href));
}

/// A secret is found on its line independently of the other lines, in linear time.
pub fn secrets(bytes: &[u8]) {
    // Superlinear search would time out for this length. One input in eight is checked.
    const LONG: usize = 1 << 18;
    let text = &*text::decode(bytes).0;
    let found = find_secret(text);
    assert!(
        found.is_none_or(|secret| secret.line <= text.matches('\n').count()),
        "{found:?}"
    );
    let below = found.map(|secret| Secret {
        line: secret.line + 1,
        ..secret
    });
    assert_eq!(find_secret(&format!("\n{text}\n")), below);
    if text.len().is_multiple_of(8)
        && let Some(n_times) = LONG.checked_div(text.len())
    {
        find_secret(&text.repeat(n_times));
    }
}

fn is_in(span: Span, text: &str) -> bool {
    text.get(span.start..span.end).is_some()
}

#[test]
fn all_seeds_satisfy_the_properties() {
    seeds::run("sections", |bytes, _| sections(bytes));
    seeds::run("links", |bytes, _| links(bytes));
    seeds::run("frontmatter", |bytes, _| frontmatter(bytes));
    seeds::run("rules", |bytes, _| rules(bytes));
    seeds::run("page", |bytes, _| page(bytes));
    seeds::run("secrets", |bytes, _| secrets(bytes));
}
