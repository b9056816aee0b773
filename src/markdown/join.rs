//! Joining several memories into one text, each part with a note of where it came from.
//!
//! The note is a comment, which no reader of markdown shows and no later edit hides.

use super::structure::structure;
use super::{Refusal, edit, frontmatter};
use crate::text::Span;

/// Returns the note of a memory that was merged.
pub(crate) fn note(id: &str) -> String {
    // Nothing in an id may end the comment.
    format!("<!-- merged from {} -->", id.replace('>', "&gt;"))
}

/// Returns the part of a merged memory that came from one of its sources.
pub(crate) fn part(id: &str, source: &str, newline: &str) -> String {
    let body = &source[frontmatter::body_start(source)..];
    let body = edit::fitted(body, newline);
    let gap = if body.is_empty() { String::new() } else { newline.repeat(2) };
    format!("{}{gap}{body}", note(id))
}

/// Checks that each note is seen: a part that opens a code block or a comment and does
/// not close it would take those below it in.
pub(crate) fn check_notes(text: &str) -> Result<(), Refusal> {
    let within = Span::new(frontmatter::body_start(text), text.len());
    let found = structure(text, within);
    let is_note = |span: Span| span.of(text).starts_with("<!-- merged from ");
    let seen: Vec<usize> = found
        .comments
        .iter()
        .map(|it| it.span)
        .filter(|it| is_note(*it))
        .map(|it| it.start)
        .collect();
    let written =
        within.of(text).match_indices("<!-- merged from ").map(|(at, _)| within.start + at);
    let begins_line = |at: &usize| *at == 0 || text[..*at].ends_with('\n');
    match written.filter(begins_line).find(|at| !seen.contains(at)) {
        None => Ok(()),
        Some(at) => {
            let before = text[..at].rfind("<!-- merged from ").map_or("", |from| &text[from..at]);
            let before = before.lines().next().unwrap_or_default();
            let message = match before.trim_start_matches("<!-- merged from ").strip_suffix(" -->")
            {
                Some(id) => format!("what comes from `{id}` ends inside a code block or comment"),
                None => "the text of the target ends inside a code block or comment".to_owned(),
            };
            Err(Refusal::new(
                message,
                "close it first, in an editor or with `cerberus memory update`",
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_keeps_its_text_and_says_where_it_is_from() {
        assert_eq!(
            part("a", "---\nid: a\n---\n\n  code\n\nText.\n\n", "\n"),
            "<!-- merged from a -->\n\n  code\n\nText."
        );
        assert_eq!(part("x-->y", "\n", "\n"), "<!-- merged from x--&gt;y -->");
    }

    #[test]
    fn a_part_that_would_take_in_the_next_is_found() {
        let joined =
            |a: &str, b: &str| format!("{}\n\n{}\n", part("a", a, "\n"), part("b", b, "\n"));
        assert_eq!(check_notes(&joined("```\nx\n```", "y")), Ok(()));
        assert_eq!(check_notes(&joined("x", "```\ny")), Ok(()), "nothing is below it");
        let refusal = check_notes(&joined("```\nx", "y")).expect_err("an open fence");
        assert_eq!(refusal.message, "what comes from `a` ends inside a code block or comment");
    }
}
