//! The scripts of a component: the parts of a Vue, Svelte or Astro file that are code.

use cerberus_model::LineIndex;
use memchr::memmem;
use tree_sitter::{Point, Range};

const START: &str = "<script";
const END: &str = "</script";

/// The line before and after the code at the head of an Astro file.
const FENCE: &str = "---";

/// Returns the ranges of the scripts of a file, for a parser. None for a piece of a script, which is
/// parsed as a whole.
pub(super) fn ranges(text: &str) -> Vec<Range> {
    let mut at = 0;
    let mut found: Vec<(usize, usize)> = Vec::new();
    if let Some(head) = head(text) {
        at = head.1;
        found.push(head);
    }
    while let Some(start) = memmem::find(&text.as_bytes()[at..], START.as_bytes()) {
        let attributes = at + start + START.len();
        let Some(start) = content_start(text, attributes) else {
            break;
        };
        at = match memmem::find(&text.as_bytes()[start..], END.as_bytes()) {
            Some(len) => start + len,
            None => text.len(),
        };
        if text[attributes..].starts_with(|c: char| c == '>' || c.is_whitespace()) {
            found.push((start, at));
        }
    }
    found.retain(|(start, end)| start < end);
    if found.is_empty() && text.trim_start().starts_with('<') {
        // A component without code. No range at all would be the whole text.
        found.push((text.len(), text.len()));
    }
    let lines = LineIndex::new(text);
    let mut ranges = Vec::new();
    for (start_byte, end_byte) in found {
        ranges.push(Range {
            start_byte,
            end_byte,
            start_point: point(&lines, start_byte),
            end_point: point(&lines, end_byte),
        });
    }
    ranges
}

fn point(lines: &LineIndex, offset: usize) -> Point {
    let (line, column) = lines.line_column(offset);
    Point::new(line, column)
}

/// Returns the range of the code at the head of an Astro file.
fn head(text: &str) -> Option<(usize, usize)> {
    let code = text.trim_start().strip_prefix(FENCE)?;
    let start = text.len() - code.len();
    let end = code.find(&format!("\n{FENCE}"))?;
    Some((start, start + end + 1))
}

/// Returns the end of a tag whose attributes start at `from`.
fn content_start(text: &str, from: usize) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match (byte, quote) {
            (b'>', None) => return Some(at + 1),
            (b'"' | b'\'', None) => quote = Some(byte),
            (_, Some(open)) if byte == open => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = ranges(text)
            .iter()
            .map(|range| &text[range.start_byte..range.end_byte])
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn scripts_are_found_in_markup() {
        check(
            "<template/>\n<script setup lang=\"ts\">a\n</script>\n<script>b</script>",
            &["a\n", "b"],
        );
        check("<script generic=\"T extends A<B>\">a", &["a"]);
        check("<template>x</template>", &[""]);
        check("<script src='a.js'></script>", &[""]);
        check("<scripts>a</scripts>", &[""]);
        check("const a = 1;", &[]);
        check("<script", &[""]);
        check(
            "---\nconst a = '<script>';\n---\n<p/><script>b</script>",
            &["\nconst a = '<script>';\n", "b"],
        );
    }
}
