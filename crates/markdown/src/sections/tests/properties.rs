//! Properties of any text.

use proptest::prelude::*;

use super::*;
use crate::test_support::any_markdown;

/// The codes that scripts rely on: add to them, do not remove any.
const CODES: &[&str] = &[
    "crossed",
    "duplicate",
    "malformed",
    "mixed-case",
    "self-nested",
    "stray-close",
    "unclosed",
];

proptest! {
    #[test]
    fn spans_are_valid_and_content_is_part_of_the_text(text in any_markdown()) {
        let sections = parse(&text);
        prop_assert_eq!(&parse(&text), &sections);
        let mut ids = FxHashSet::default();
        let mut last = 0;
        for section in &sections.list {
            for span in [section.outer, section.inner] {
                prop_assert!(text.get(span.start..span.end).is_some());
            }
            prop_assert!(section.outer.start <= section.inner.start);
            prop_assert!(section.inner.end <= section.outer.end);
            prop_assert!(ids.insert(section.id.to_lowercase()), "{} twice", section.id);
            prop_assert!(last <= section.outer.start);
            last = section.outer.start;
            let raw = content(&text, section, &sections, true);
            prop_assert!(section.inner.slice(&text).contains(&raw));
            let stripped = content(&text, section, &sections, false);
            prop_assert!(stripped.len() <= raw.len());
        }
        let n_lines = text.split('\n').count();
        for diagnostic in &sections.diagnostics {
            prop_assert!(diagnostic.line < n_lines);
            prop_assert!(CODES.contains(&diagnostic.code), "{}", diagnostic.code);
            prop_assert!(diagnostic.hint.as_ref().is_some_and(|hint| !hint.is_empty()));
        }
    }

    #[test]
    fn adjacent_sections_join_to_the_text(bodies in proptest::collection::vec("[a-z .,]{0,9}[a-z]", 1..6)) {
        let text: String = bodies
            .iter()
            .enumerate()
            .map(|(n, body)| format!("<!-- ANCHOR:s{n} -->{body}<!-- /ANCHOR:s{n} -->\n"))
            .collect();
        let sections = parse(&text);
        let requested: Vec<String> = (0..bodies.len()).map(|n| format!("s{n}")).collect();
        let selection = select(&sections, &requested);
        let contents: Vec<String> = selection
            .found
            .iter()
            .map(|section| content(&text, section, &sections, false))
            .collect();
        let bodies: Vec<&str> = bodies.iter().map(|body| body.trim()).collect();
        prop_assert_eq!(contents.join(SEPARATOR), bodies.join(SEPARATOR));
    }

    #[test]
    fn any_text_around_a_section_does_not_affect_it(noise in any_markdown()) {
        // After a blank line, a tag line is code only in an open fence.
        let noise = noise.replace("```", "x").replace("~~~", "x");
        let text = format!("x\n{noise}\n\n<!-- ANCHOR:own -->\ntext\n<!-- /ANCHOR:own -->\n");
        let sections = parse(&text);
        let own = sections.list.iter().find(|section| section.id == "own");
        let own = own.map(|section| content(&text, section, &sections, false));
        prop_assert_eq!(own.as_deref(), Some("text"));
    }
}
