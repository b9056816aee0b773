//! What holds for any text.

use proptest::prelude::*;

use super::*;

/// The words that scripts know troubles by: one may be added, none goes.
const CODES: &[&str] =
    &["crossed", "duplicate", "malformed", "mixed-case", "self-nested", "stray-close", "unclosed"];

fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => proptest::sample::select(vec![
            "<!-- ANCHOR:a -->", "<!-- /ANCHOR:a -->", "<!-- ANCHOR:b -->", "<!-- /ANCHOR:B -->", "<!-- ANCHOR:c d -->",
            "\n", "\n", "\n\n", "\r\n", "```", "~~~", "`", "``", "    ", "\t", "  ", "> ", "- ", "1. ", "# A", "## b",
            "---\n", "===", "<!--", "-->", "text", "é", "\u{FEFF}", "\\", "<", "[a](b)", "ANCHOR:a", "*", "日本",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,5}",
        1 => any::<String>(),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn spans_cut_the_text_and_content_is_of_it(text in markdown()) {
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
            prop_assert!(ids.insert(lower(&section.id)), "{} twice", section.id);
            prop_assert!(last <= section.outer.start);
            last = section.outer.start;
            let raw = content(&text, section, &sections, true);
            prop_assert!(section.inner.of(&text).contains(&raw));
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
    fn a_fix_adds_tags_and_takes_nothing(text in markdown()) {
        super::fix::check_laws(&text, &super::super::fix::fix(&text));
    }

    #[test]
    fn sections_side_by_side_join_to_the_text(bodies in proptest::collection::vec("[a-z .,]{0,9}[a-z]", 1..6)) {
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
    fn sections_survive_whatever_is_beside_them(noise in markdown()) {
        // A tag line that follows a blank line is never code, unless a fence is open.
        let noise = noise.replace("```", "x").replace("~~~", "x");
        let text = format!("x\n{noise}\n\n<!-- ANCHOR:own -->\ntext\n<!-- /ANCHOR:own -->\n");
        let sections = parse(&text);
        let own = sections.list.iter().find(|section| section.id == "own");
        let own = own.map(|section| content(&text, section, &sections, false));
        prop_assert_eq!(own.as_deref(), Some("text"));
    }
}
