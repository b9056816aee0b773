//! Positions in text and conversions that lose nothing.
//!
//! Inside the crate a position is a byte offset and a line counts from 0; the
//! printed form (lines from 1) is made in `output` alone. Reads no file.

use std::borrow::Cow;

/// A half-open range of bytes in a text.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end, "a span never ends before it starts");
        Self { start, end }
    }

    /// Returns the text the span covers, or nothing where it does not fit `text`.
    pub(crate) fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// The byte offset at which each line of a text starts.
#[derive(Debug, Clone)]
pub(crate) struct LineIndex {
    starts: Vec<usize>,
    n_bytes: usize,
}

impl LineIndex {
    pub(crate) fn new(text: &str) -> Self {
        let after_newlines = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Self { starts: std::iter::once(0).chain(after_newlines).collect(), n_bytes: text.len() }
    }

    /// Returns how many lines there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns where a 0-based line starts; one that is not there starts at the end.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.n_bytes)
    }

    /// Returns the 0-based line that holds the byte at `offset`.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    /// Returns the 0-based line that holds the byte at `offset`, and its column in bytes.
    pub(crate) fn line_column(&self, offset: usize) -> (usize, usize) {
        let line = self.line(offset);
        (line, offset - self.starts[line])
    }
}

/// How many bytes are looked at together; a bit for each fills one number.
pub(crate) const BLOCK: usize = u64::BITS as usize;

/// Calls `each` with where every block of a text starts and with which of its bytes are such
/// as `is` says, the first as the lowest bit; a zero byte is not. Without a branch for each
/// byte, since where they are cannot be foretold.
#[inline]
pub(crate) fn for_each_block(
    bytes: &[u8],
    is: impl Fn(u8) -> bool,
    mut each: impl FnMut(usize, u64),
) {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    for (n, block) in blocks.iter().chain(std::iter::once(&last)).enumerate() {
        let mut found = [0; BLOCK];
        for (found, byte) in found.iter_mut().zip(block) {
            *found = u8::from(is(*byte));
        }
        let mut mask = 0;
        for (at, eight) in found.as_chunks::<8>().0.iter().enumerate() {
            // The product's highest byte has the eight lowest bits side by side.
            let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            mask |= bits << (8 * at);
        }
        each(n * BLOCK, mask);
    }
}

/// Returns `bytes` as text: a byte-order mark is dropped, UTF-16 with a mark is
/// decoded, and bytes that are no UTF-8 become U+FFFD. The flag says whether
/// the result stands for the bytes exactly.
pub(crate) fn decode(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => decode_utf8(rest),
        [0xFF, 0xFE, rest @ ..] => decode_utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => decode_utf16(rest, u16::from_be_bytes),
        _ => decode_utf8(bytes),
    }
}

fn decode_utf8(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), true),
        Err(_) => (String::from_utf8_lossy(bytes), false),
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> (Cow<'_, str>, bool) {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|&pair| unit(pair)).collect();
    let exact = odd.is_empty() && String::from_utf16(&units).is_ok();
    (Cow::Owned(String::from_utf16_lossy(&units)), exact)
}

/// Returns the candidate of which `word` is a slip of the pen: one letter wrong, missing,
/// doubled or swapped in four. Nearer than [`nearest`], which guesses at names.
pub(crate) fn misspelt<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let most = word.chars().count() / 4;
    let distance = |candidate: &&str| strsim::osa_distance(word, candidate);
    let near = candidates.into_iter().filter(|it| (1..=most).contains(&distance(it)));
    near.min_by_key(|it| (distance(it), *it))
}

/// Returns the candidate most like `name`, if any is near enough to be what was meant.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // Jaro-Winkler favours a shared start, which is how ids are remembered; 0.75
    // admits a transposition or two in a short word and refuses unrelated ones.
    const LEAST_LIKENESS: f64 = 0.75;
    let wanted = name.to_lowercase();
    let n_chars = wanted.chars().count();
    if n_chars == 0 {
        return None;
    }
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        let candidate_lower = candidate.to_lowercase();
        // A start may have been typed instead of the whole.
        let start: String = candidate_lower.chars().take(n_chars).collect();
        let whole = strsim::jaro_winkler(&wanted, &candidate_lower);
        let likeness = whole.max(strsim::jaro_winkler(&wanted, &start));
        if likeness >= LEAST_LIKENESS && best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Returns `text` with control, bidirectional and invisible characters escaped, so that it
/// is safe on a terminal; newlines and tabs stay.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut last = ' ';
    for c in text.chars() {
        // Joiners belong to scripts and emoji; between ASCII letters they only hide.
        let is_hidden =
            is_invisible(c) || (matches!(c, '\u{200C}' | '\u{200D}') && last.is_ascii());
        if (c.is_control() && c != '\n' && c != '\t') || is_bidirectional(c) || is_hidden {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
        last = c;
    }
    safe
}

/// Returns `text` as one word of a command line: as it is, or quoted where a shell would
/// read it as more or other than a name.
pub(crate) fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@');
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{}'", text.replace('\'', "'\\''")))
}

/// Characters that show nothing, or break a line where nobody looks for it.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{180E}' | '\u{200B}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}'
            | '\u{206A}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}'
    )
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

    #[test]
    fn what_nobody_sees_is_shown_and_what_a_script_needs_stays() {
        assert_eq!(
            escaped("a\u{200B}b\u{200D}\u{FEFF}\u{E0041}\u{2028}"),
            "a\\u{200b}b\\u{200d}\\u{feff}\\u{e0041}\\u{2028}"
        );
        for text in ["👩\u{200D}🔬", "می\u{200C}خواهم"] {
            assert_eq!(escaped(text), text);
        }
    }

    #[test]
    fn lines_count_from_zero_and_end_with_their_newline() {
        let lines = LineIndex::new("a\nbc\n");
        assert_eq!([0, 1, 2, 4, 5].map(|at| lines.line(at)), [0, 0, 1, 1, 2]);
    }

    #[test]
    fn marks_are_dropped_and_bad_bytes_are_told() {
        assert_eq!(decode(b"\xEF\xBB\xBFhi"), ("hi".into(), true));
        assert_eq!(decode(b"\xFF\xFEh\0i\0"), ("hi".into(), true));
        assert_eq!(decode(b"\xFE\xFF\0h\0i"), ("hi".into(), true));
        assert_eq!(decode(b"h\xFFi"), ("h\u{FFFD}i".into(), false));
    }

    #[test]
    fn nearest_forgives_a_slip_and_refuses_a_stranger() {
        let ids = ["close-sessions", "hash-passwords"];
        assert_eq!(nearest("close-sesions", ids), Some("close-sessions"));
        assert_eq!(nearest("HASH-password", ids), Some("hash-passwords"));
        assert_eq!(nearest("clsoe", ids), Some("close-sessions"));
        assert_eq!(nearest("qqq", ids), None);
    }

    #[test]
    fn only_a_slip_is_misspelt() {
        let words = ["release", "close", "tags", "seven"];
        assert_eq!(misspelt("relaese", words), Some("release"));
        assert_eq!(misspelt("closed", words), Some("close"));
        assert_eq!(misspelt("release", ["release"]), None, "it is right");
        assert_eq!(misspelt("and", words), None);
        assert_eq!(misspelt("never", words), None);
    }
}
