//! Pins as the text that is given to a reader.

use crate::model::{Pin, Priority};
use crate::text;

/// What stands above the pins.
pub(crate) const HEADER: &str = "Pinned notes:\n";

/// What every mark of a maintained block starts with; no text that is given may hold one.
pub(crate) const MARK: &str = "<!-- cerberus:";

/// Returns the text of some pins, nothing where there are none.
pub(crate) fn text<'a>(pins: impl IntoIterator<Item = &'a Pin>) -> String {
    let items: String = pins.into_iter().map(item).collect();
    if items.is_empty() { items } else { format!("{HEADER}{items}") }
}

/// Returns one pin as an item of a list.
pub(crate) fn item(pin: &Pin) -> String {
    match pin.priority {
        Priority::Info => list_item(&pin.content),
        priority => list_item(&format!("({priority}) {}", pin.content.trim_start())),
    }
}

/// Returns a text as an item of a list: whatever it holds ends with the item.
pub(crate) fn list_item(text: &str) -> String {
    let mut item = String::with_capacity(text.len() + 16);
    for (at, line) in safe(text.trim()).lines().enumerate() {
        let line = line.trim_end();
        if !line.is_empty() {
            item.push_str(if at == 0 { "- " } else { "  " });
            item.push_str(line);
        }
        item.push('\n');
    }
    item
}

/// Returns a text that commands no terminal and looks like none of our marks.
pub(crate) fn safe(text: &str) -> String {
    text::escaped(&text.replace("\r\n", "\n")).replace(MARK, "<!- cerberus:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(list_item(text), expected);
    }

    #[test]
    fn a_text_stays_inside_its_item() {
        check("one", "- one\n");
        check("one\r\n\r\n  two\n", "- one\n\n    two\n");
        check("```\nnever closed", "- ```\n  never closed\n");
        check("a\u{1b}[2Jb", "- a\\u{1b}[2Jb\n");
        check("x <!-- cerberus:end -->", "- x <!- cerberus:end -->\n");
    }
}
