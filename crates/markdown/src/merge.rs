//! Merging several memories into one text, each part preceded by a note of its origin.
//!
//! The note is a comment: markdown renderers hide it and later edits do not change it.

use cerberus_model::text::Span;

use super::{EditError, edit, frontmatter, structure};

const NOTE_START: &str = "<!-- merged from ";

/// Returns the note of a memory that was merged.
pub fn note(id: &str) -> String {
    // An id must not end the comment.
    format!("{NOTE_START}{} -->", id.replace('>', "&gt;"))
}

/// Returns the part of a merged memory that came from one of its sources.
pub fn part(id: &str, source: &str, newline: &str) -> String {
    let body = edit::normalize(&source[frontmatter::body_start(source)..], newline);
    let gap = if body.is_empty() {
        String::new()
    } else {
        newline.repeat(2)
    };
    format!("{}{gap}{body}", note(id))
}

/// Checks that no note is inside a code block or comment that an earlier part leaves open.
pub fn check_notes(text: &str) -> Result<(), EditError> {
    let found = structure::parse_body(text);
    let is_visible = |at: usize| {
        found
            .comments
            .iter()
            .any(|comment| comment.span.start == at)
    };
    let body = Span::new(frontmatter::body_start(text), text.len());
    let notes = body
        .slice(text)
        .match_indices(NOTE_START)
        .map(|(at, _)| body.start + at);
    let mut hidden = notes
        .filter(|&at| at == 0 || text[..at].ends_with('\n'))
        .filter(|&at| !is_visible(at));
    let Some(at) = hidden.next() else {
        return Ok(());
    };
    let previous = text[..at]
        .rfind(NOTE_START)
        .and_then(|start| text[start..at].lines().next());
    let id = previous.and_then(|note| note.strip_prefix(NOTE_START)?.strip_suffix(" -->"));
    let message = match id {
        Some(id) => format!("the text of `{id}` ends inside a code block or comment"),
        None => "the text of the target ends inside a code block or comment".to_owned(),
    };
    Err(EditError::new(
        message,
        "close it first, in an editor or with `cerberus memory update`",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_its_note_and_its_body() {
        assert_eq!(
            part("a", "---\nid: a\n---\n\n  code\n\nText.\n\n", "\n"),
            "<!-- merged from a -->\n\n  code\n\nText."
        );
        assert_eq!(part("x-->y", "\n", "\n"), "<!-- merged from x--&gt;y -->");
    }

    #[test]
    fn a_part_with_an_open_code_block_before_another_part_is_an_error() {
        let merged =
            |a: &str, b: &str| format!("{}\n\n{}\n", part("a", a, "\n"), part("b", b, "\n"));
        assert_eq!(check_notes(&merged("```\nx\n```", "y")), Ok(()));
        assert_eq!(
            check_notes(&merged("x", "```\ny")),
            Ok(()),
            "it is the last part"
        );
        let error = check_notes(&merged("```\nx", "y")).expect_err("an open fence");
        assert_eq!(
            error.message,
            "the text of `a` ends inside a code block or comment"
        );
    }
}
