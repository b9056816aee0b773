//! Text of a document that says nothing to its reader: comments of HTML, struck-out text and check
//! boxes. It is replaced by characters of the same number of bytes, so that positions stay.

use cerberus_model::text::Span;

use super::{MANAGED_END, MANAGED_START};

const OPENING: &str = "<!--";
const CLOSING: &str = "-->";
const STRUCK: &str = "~~";
const RULER: &str = "---";

/// A text of which parts are blank.
#[derive(Debug)]
pub(super) struct Blanked {
    pub(super) text: String,
    /// The blank parts within lines, in order.
    pub(super) blanks: Vec<Span>,
}

/// Returns the text without comments and struck-out text, and each check box as `[x]`. Of a document
/// whose start is between two rulers (`is_ruled`), the second one would make a heading of it.
pub(super) fn blank(text: &str, is_ruled: bool) -> Blanked {
    let mut blanks = Vec::new();
    let mut n_rulers = if is_ruled { 2 } else { 0 };
    let mut bytes = text.as_bytes().to_vec();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    // Where the last comment ends, which may be on a later line.
    let mut comment_end = 0;
    let last_closing = text.rfind(CLOSING).unwrap_or_default();
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if start < comment_end {
            continue;
        }
        let bare = line.trim();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        if fence.is_some() || mark.is_some() {
            continue;
        }
        if n_rulers > 0 && bare == RULER {
            n_rulers -= 1;
            blanks.push(Span::new(start, start + line.trim_end().len()));
        }
        if let Some(position) = check_box(line) {
            bytes[start + position] = b'x';
        }
        comment_end = find_comments(text, Span::new(start, at), last_closing, &mut blanks);
        find_struck(line, start, &mut blanks);
    }
    for blank in &blanks {
        blank_bytes(&mut bytes[blank.start..blank.end]);
    }
    blanks.sort_by_key(|blank| blank.start);
    let text = String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned());
    Blanked { text, blanks }
}

/// Finds the comments that start in a line; returns the end of the last one.
fn find_comments(text: &str, line: Span, last_closing: usize, found: &mut Vec<Span>) -> usize {
    let mut from = line.start;
    let mut n_ticks = 0;
    while let Some(opening) = text[from..line.end].find(OPENING) {
        let start = from + opening;
        n_ticks += text[from..start].matches('`').count();
        let is_code = n_ticks % 2 == 1;
        let is_managed =
            text[start..].starts_with(MANAGED_START) || text[start..].starts_with(MANAGED_END);
        if is_code || is_managed {
            from = start + OPENING.len();
            continue;
        }
        // Without a closing one the rest of the text would be searched for each comment.
        if start > last_closing {
            break;
        }
        let Some(length) = text[start..].find(CLOSING) else {
            break;
        };
        let end = start + length + CLOSING.len();
        found.push(Span::new(start, end));
        if end >= line.end {
            return end;
        }
        from = end;
    }
    from
}

/// Finds the struck-out parts of a line.
fn find_struck(line: &str, line_start: usize, found: &mut Vec<Span>) {
    let mut from = 0;
    let mut n_ticks = 0;
    while let Some(start) = line[from..].find(STRUCK).map(|at| from + at) {
        let inner = start + STRUCK.len();
        let Some(length) = line[inner..].find(STRUCK) else {
            return;
        };
        let end = inner + length + STRUCK.len();
        n_ticks += line[from..start].matches('`').count();
        let is_code = n_ticks % 2 == 1;
        let struck = &line[inner..inner + length];
        n_ticks += struck.matches('`').count();
        if !is_code && !struck.is_empty() && struck.trim() == struck {
            found.push(Span::new(start, end).shifted(line_start));
        }
        from = end;
    }
}

fn blank_bytes(bytes: &mut [u8]) {
    for byte in bytes {
        if !matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

/// Returns the position of the character in the check box of an item that is neither open nor
/// done: `[/]`, `[>]`.
fn check_box(line: &str) -> Option<usize> {
    let item = line.trim_start_matches([' ', '\t', '>']);
    let rest = item.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.strip_prefix(['-', '*', '+', '.', ')'])?;
    let rest = rest.trim_start();
    let inner = rest.strip_prefix('[')?;
    let is_box =
        inner.starts_with(|c: char| c.is_ascii_punctuation()) && inner[1..].starts_with("] ");
    is_box.then(|| line.len() - inner.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let blanked = blank(text, false).text;
        assert_eq!(blanked.len(), text.len());
        let shown: Vec<&str> = blanked.split_whitespace().collect();
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn comments_and_struck_text_are_blank() {
        check("- Use tea <!-- or\nnot --> always\n", "- Use tea always");
        check(
            "- Use ~~tea~~ coffee, not `~~x~~`",
            "- Use coffee, not `~~x~~`",
        );
        check("Write `<!-- a -->` <!-- b", "Write `<!-- a -->` <!-- b");
        check("```\n<!-- a --> ~~b~~\n```", "``` <!-- a --> ~~b~~ ```");
        check("a ~~ b ~~ é ~~ü~~", "a ~~ b ~~ é");
        let managed = "<!-- cerberus:start -->\n<!-- cerberus:end -->";
        check(managed, "<!-- cerberus:start --> <!-- cerberus:end -->");
    }

    #[test]
    fn every_check_box_is_one() {
        check("- [/] a\n  2. [>] b", "- [x] a 2. [x] b");
        check("- [a] b\n- [/](c) d", "- [a] b - [/](c) d");
    }
}
