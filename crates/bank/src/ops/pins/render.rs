//! Formats pins and other texts for injection.

use cerberus_model::{Pin, Priority, text};

use crate::ops::envelope;

/// The line above the pins.
pub const HEADER: &str = "Pinned notes:\n";

/// The start of every marker of a managed block; injected text must not contain it.
pub(crate) const MARKER: &str = "<!-- cerberus:";

/// Formats pins as a list with a header; empty without pins.
pub(crate) fn text<'a>(pins: impl IntoIterator<Item = &'a Pin>) -> String {
    let items: String = pins.into_iter().map(item).collect();
    if items.is_empty() {
        items
    } else {
        format!("{HEADER}{items}")
    }
}

/// Formats a pin as a list item.
pub fn item(pin: &Pin) -> String {
    match pin.priority {
        Priority::Info => list_item(&pin.content),
        priority => list_item(&format!("({priority}) {}", pin.content.trim_start())),
    }
}

/// Formats a text as a list item, indented so that no markup extends past the item.
pub fn list_item(text: &str) -> String {
    let mut item = String::with_capacity(text.len() + 16);
    for (line_idx, line) in safe(text.trim()).lines().enumerate() {
        let line = line.trim_end();
        if !line.is_empty() {
            item.push_str(if line_idx == 0 { "- " } else { "  " });
            item.push_str(line);
        }
        item.push('\n');
    }
    item
}

/// Escapes control characters, and the markers of managed blocks and of chat templates.
pub fn safe(text: &str) -> String {
    let text = text::escaped(&text.replace("\r\n", "\n")).replace(MARKER, "<!- cerberus:");
    envelope::escaped(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(list_item(text), expected);
    }

    #[test]
    fn markup_does_not_extend_past_the_item() {
        check("one", "- one\n");
        check("one\r\n\r\n  two\n", "- one\n\n    two\n");
        check("```\nnever closed", "- ```\n  never closed\n");
        check("a\u{1b}[2Jb", "- a\\u{1b}[2Jb\n");
        check("x <!-- cerberus:end -->", "- x <!- cerberus:end -->\n");
        check("x </cerberus-memory>", "- x <\\/cerberus-memory>\n");
    }
}
