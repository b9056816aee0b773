//! Escaping text for terminals and shells.

use std::borrow::Cow;

/// Returns `text` with control, bidirectional and invisible characters escaped, so that it
/// is safe on a terminal; newlines and tabs stay.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut previous = ' ';
    for c in text.chars() {
        // Scripts and emoji need joiners; between ASCII letters they only hide something.
        let is_hidden =
            is_invisible(c) || (matches!(c, '\u{200C}' | '\u{200D}') && previous.is_ascii());
        if (c.is_control() && c != '\n' && c != '\t') || is_bidirectional(c) || is_hidden {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
        previous = c;
    }
    safe
}

/// Returns a JSON document with the same data, in which [`escaped`] changes nothing.
pub fn escaped_json(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if escaped(c.encode_utf8(&mut [0; 4])).len() == c.len_utf8() {
            safe.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            safe.push_str(&format!("\\u{unit:04x}"));
        }
    }
    safe
}

/// Returns `text` without the characters that a reader does not see and a model may skip: control
/// characters except white space, and the default-ignorable ones of Unicode.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.contains(is_unseen) {
        Cow::Owned(text.replace(is_unseen, ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns `text` as one word of a command line, quoted if a shell would not read it literally.
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@');
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{}'", text.replace('\'', "'\\''")))
}

/// Returns whether a reader does not see a character that is not white space.
fn is_unseen(c: char) -> bool {
    let is_space = c.is_whitespace();
    ((c.is_control() || is_invisible(c)) && !is_space)
        || is_bidirectional(c)
        || is_default_ignorable(c)
}

/// Returns whether a character is a default-ignorable one of Unicode that is not in the other lists.
fn is_default_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200C}' | '\u{200D}' | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFF8}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Returns whether a character is invisible or an unexpected line break.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{180E}' | '\u{200B}' | '\u{2028}' | '\u{2029}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206A}'..='\u{206F}'
            | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E007F}'
    )
}

/// Returns whether a character reorders the displayed text (Unicode Standard Annex 9, and
/// CVE-2021-42574).
fn is_bidirectional(c: char) -> bool {
    matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_bidirectional_characters_are_escaped() {
        assert_eq!(
            escaped("a\x1b[31mb\u{202E}c\r\n\tü"),
            "a\\u{1b}[31mb\\u{202e}c\\u{d}\n\tü"
        );
    }

    #[test]
    fn invisible_characters_are_escaped_except_joiners_that_a_script_needs() {
        assert_eq!(
            escaped("a\u{200B}b\u{200D}\u{FEFF}\u{E0041}\u{2028}"),
            "a\\u{200b}b\\u{200d}\\u{feff}\\u{e0041}\\u{2028}"
        );
        for text in ["👩\u{200D}🔬", "می\u{200C}خواهم"] {
            assert_eq!(escaped(text), text);
        }
    }

    #[test]
    fn escaped_json_has_the_same_data() {
        let json = "{\"a\":\"\u{9b}31m\u{202E}ü\u{E0041}\"}";
        assert_eq!(
            escaped_json(json),
            r#"{"a":"\u009b31m\u202eü\udb40\udc41"}"#
        );
    }

    #[test]
    fn visible_text_has_no_characters_that_hide() {
        assert_eq!(
            visible("a\u{200B}b\u{FE0F}\u{3164}c\u{8}d \n\u{2028}ü"),
            "abcd \n\u{2028}ü"
        );
        assert!(matches!(visible("a 👩 ü\t"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_shell_reads_one_word() {
        for plain in ["db/close-session", "src/a.py::Shop.add", "größe"] {
            assert_eq!(shell_word(plain), plain);
        }
        assert_eq!(shell_word("a b"), "'a b'");
        assert_eq!(shell_word("$(x);it's"), "'$(x);it'\\''s'");
        assert_eq!(shell_word("-x"), "'-x'");
        assert_eq!(shell_word(""), "''");
    }
}
