//! Texts of other people's repositories, made safe for a terminal.

/// Returns `text` with control and bidirectional characters escaped; newlines and tabs stay.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if (c.is_control() && c != '\n' && c != '\t') || is_bidirectional(c) {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// The characters that reorder what is shown (Unicode Standard Annex 9, and CVE-2021-42574).
fn is_bidirectional(c: char) -> bool {
    matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown_instead() {
        assert_eq!(escaped("a\x1b[31mb\u{202E}c\r\n\tü"), "a\\u{1b}[31mb\\u{202e}c\\u{d}\n\tü");
    }
}
