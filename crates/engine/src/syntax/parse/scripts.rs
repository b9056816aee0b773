//! The scripts of a component: the parts of a Vue, Svelte or Astro file that are code.

use std::ops::Range;

use memchr::memmem;

const START: &str = "<script";
const END: &str = "</script";

/// The line before and after the code at the head of an Astro file.
const FENCE: &str = "---";

/// Returns a text in which everything but the scripts of a component is blank, so that offsets and lines stay. `None` for
/// a piece of a script, which is parsed as a whole.
///
/// A parser can be given the ranges instead, but it looks through all of them for each token.
pub(super) fn only_scripts(text: &str) -> Option<String> {
    let scripts = ranges(text);
    if scripts.is_empty() && !text.trim_start().starts_with('<') {
        return None;
    }
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for script in scripts {
        push_blank(&mut kept, &text[at..script.start]);
        kept.push_str(&text[script.clone()]);
        at = script.end;
    }
    push_blank(&mut kept, &text[at..]);
    Some(kept)
}

/// Appends as many bytes as a text has, and its line breaks.
fn push_blank(kept: &mut String, text: &str) {
    for byte in text.bytes() {
        kept.push(if byte == b'\n' { '\n' } else { ' ' });
    }
}

/// Returns the ranges of the scripts of a component.
fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut found = Vec::new();
    if let Some(head) = head(text) {
        at = head.end;
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
        let is_script = text[attributes..].starts_with(|c: char| c == '>' || c.is_whitespace());
        if is_script && start < at {
            found.push(start..at);
        }
    }
    found
}

/// Returns the range of the code at the head of an Astro file.
fn head(text: &str) -> Option<Range<usize>> {
    let code = text.trim_start().strip_prefix(FENCE)?;
    let start = text.len() - code.len();
    let end = code.find(&format!("\n{FENCE}"))?;
    Some(start..start + end + 1)
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
    fn check(text: &str, expected: Option<&str>) {
        let kept = only_scripts(text);
        assert_eq!(kept.as_deref(), expected, "{text}");
    }

    #[test]
    fn scripts_are_found_in_markup() {
        check(
            "<p/>\n<script setup>a\n</script>\n<script>é</script>",
            Some("    \n              a\n         \n        é         "),
        );
        check("<script a=\"A<B>\">a", Some("                 a"));
        check("<p>é</p>", Some("         "));
        check("<script src='a'></script>", Some(&" ".repeat(25)));
        check("<scripts>a</scripts>", Some(&" ".repeat(20)));
        check("const a = 1;", None);
        check("<script", Some("       "));
        check(
            "---\na('<script>')\n---\n<script>b</script>",
            Some("   \na('<script>')\n   \n        b         "),
        );
    }
}
