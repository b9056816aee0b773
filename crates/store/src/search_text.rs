//! Text as the full-text index gets it, and as it is searched for.
//!
//! The tokenizer of SQLite separates words at spaces. Chinese, Japanese and Korean text has words that
//! no space separates, so each of its characters becomes a word, and a word that is searched for
//! a phrase. Syllables of Korean are written as their letters, because both forms are the same text.

use std::borrow::Cow;

/// The syllables of Korean, and the first letter of each of their three parts.
const SYLLABLES: std::ops::RangeInclusive<char> = '\u{AC00}'..='\u{D7A3}';
const LEADING: u32 = 0x1100;
const VOWEL: u32 = 0x1161;
const TRAILING: u32 = 0x11A7;
const N_VOWELS: u32 = 21;
const N_TRAILING: u32 = 28;

/// Returns a text with spaces around each character of a script without spaces between words.
pub(crate) fn spaced(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unspaced) {
        return Cow::Borrowed(text);
    }
    let mut spaced = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        if SYLLABLES.contains(&c) {
            let syllable = u32::from(c) - u32::from(*SYLLABLES.start());
            push(&mut spaced, LEADING + syllable / (N_VOWELS * N_TRAILING));
            push(&mut spaced, VOWEL + syllable / N_TRAILING % N_VOWELS);
            if syllable % N_TRAILING > 0 {
                push(&mut spaced, TRAILING + syllable % N_TRAILING);
            }
        } else if is_unspaced(c) {
            push(&mut spaced, u32::from(c));
        } else {
            spaced.push(c);
        }
    }
    Cow::Owned(spaced)
}

/// Adds a character with a space on both sides.
fn push(spaced: &mut String, c: u32) {
    spaced.push(' ');
    spaced.extend(char::from_u32(c));
    spaced.push(' ');
}

/// Returns whether a character is of a script whose words no space separates, or of Korean.
fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        '\u{1100}'..='\u{11FF}'
            | '\u{3040}'..='\u{30FF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{AC00}'..='\u{D7A3}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{3FFFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let words: Vec<String> = spaced(text).split_whitespace().map(str::to_owned).collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn each_character_is_a_word() {
        check("Use größe", "Use größe");
        check("用UTC时间。", "用 UTC 时 间 。");
        check("設定は", "設 定 は");
    }

    #[test]
    fn both_forms_of_a_syllable_are_the_same() {
        check("한가", "\u{1112} \u{1161} \u{11AB} \u{1100} \u{1161}");
        assert_eq!(spaced("\u{1112}\u{1161}\u{11AB}"), spaced("한"));
    }
}
