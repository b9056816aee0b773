//! The relative paths in a rule, which mean nothing outside the folder of its document.

use cerberus_model::Span;
use pulldown_cmark::{Event, Options, Parser, Tag};

/// Returns a rule in which the paths of its inline code and its links are replaced. `resolve`
/// returns the new path, or `None` for one that stays.
pub fn replace_paths(rule: &str, resolve: impl Fn(&str) -> Option<String>) -> String {
    let mut replaced: Vec<(Span, String)> = Vec::new();
    for (event, range) in Parser::new_ext(rule, Options::empty()).into_offset_iter() {
        let written = match &event {
            Event::Code(code) => code,
            Event::Start(Tag::Link { dest_url, .. }) => dest_url,
            _ => continue,
        };
        let end = written.find([':', '#', ' ']).unwrap_or(written.len());
        let path = &written[..end];
        // The destination of a link follows its text, which may be the same path.
        let start = rule[range.clone()].rfind(&**written);
        if let (Some(start), Some(new), false) = (start, resolve(path), path.is_empty()) {
            let start = range.start + start;
            replaced.push((Span::new(start, start + path.len()), new));
        }
    }
    // Code in the text of a link comes before the link's destination.
    replaced.sort_by_key(|(span, _)| span.start);
    let (mut text, mut at) = (String::with_capacity(rule.len()), 0);
    for (span, new) in replaced
        .into_iter()
        .filter(|(span, _)| !span.slice(rule).is_empty())
    {
        if span.start >= at {
            text.push_str(&rule[at..span.start]);
            text.push_str(&new);
            at = span.end;
        }
    }
    text + &rule[at..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn whole(rule: &str) -> String {
        replace_paths(rule, |path| {
            path.ends_with(".rs").then(|| format!("web/{path}"))
        })
    }

    #[test]
    fn paths_in_code_and_links_are_replaced() {
        for (rule, expected) in [
            (
                "See `src/a.rs:12`, not src/a.rs",
                "See `web/src/a.rs:12`, not src/a.rs",
            ),
            ("`a.rs::Shop` and `b`", "`web/a.rs::Shop` and `b`"),
            (
                "See [`a.rs`](a.rs#l1 \"t\").",
                "See [`web/a.rs`](web/a.rs#l1 \"t\").",
            ),
            ("See [a.rs](x) and ``", "See [a.rs](x) and ``"),
        ] {
            assert_eq!(whole(rule), expected);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_kept(rule in "(`|\\[|\\]\\(|\\)|a\\.rs|:| |\n|\\PC){0,40}") {
            prop_assert_eq!(replace_paths(&rule, |_| None), rule.clone());
            prop_assert!(whole(&rule).len() >= rule.len());
        }
    }
}
