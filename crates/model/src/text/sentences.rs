//! Splitting text into sentences and clauses.
//!
//! [`split`] with a predicate serves analysis of short texts such as rules; [`gap_after`]
//! finds the end of a sentence in prose, with its abbreviations and closing quotes.

use super::Span;

/// Splits `text` at each character for which `is_break` holds; the second argument of
/// `is_break` is the next character, a space at the end. Parts exclude the break itself.
pub fn split(text: &str, is_break: impl Fn(char, char) -> bool) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let after = |at: usize, c: char| &text[at + c.len_utf8()..];
        let next = |at, c| after(at, c).chars().next().unwrap_or(' ');
        let mut chars = text.char_indices();
        let Some((at, c)) = chars.find(|&(at, c)| is_break(c, next(at, c))) else {
            return rest.take();
        };
        rest = Some(after(at, c));
        Some(&text[..at])
    })
}

/// Returns whether `c`, followed by `next`, ends a sentence; a colon and a semicolon do.
pub fn ends_sentence(c: char, next: char) -> bool {
    matches!(c, '.' | '!' | '?' | ';' | ':') && next.is_whitespace()
}

/// Returns whether `c`, followed by `next`, is a dash between two clauses.
pub fn is_dash(c: char, next: char) -> bool {
    matches!(c, '—' | '–') || (c == '-' && next.is_whitespace())
}

/// Abbreviations whose full stop does not end a sentence.
const ABBREVIATIONS: [&str; 6] = ["e.g", "i.e", "cf", "vs", "resp", "approx"];

/// Returns the white space after the sentence that the full stop, question mark or exclamation
/// mark at `stop` ends, or `None` if the sentence continues. Only `within` is examined.
pub fn gap_after(text: &str, within: Span, stop: usize) -> Option<Span> {
    let after = &text[stop + 1..within.end];
    let rest = after.trim_start_matches(|c| "*_)]'\"”’".contains(c));
    let next_sentence = rest.trim_start();
    let is_abbreviation = || {
        let before = &text[within.start..stop];
        ABBREVIATIONS
            .iter()
            .any(|abbreviation| ends_with_word(before, abbreviation))
    };
    let ends_here = rest.is_empty()
        || (next_sentence.len() < rest.len()
            && !next_sentence.starts_with(char::is_lowercase)
            && !is_abbreviation());
    ends_here.then(|| Span::new(within.end - rest.len(), within.end - next_sentence.len()))
}

/// Returns the sentences of a paragraph in one line.
pub fn of(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let from = start;
        let within = Span::new(from, text.len());
        let mut is_in_code = false;
        let mut stops = rest.bytes().enumerate().filter(|(_, byte)| {
            is_in_code ^= *byte == b'`';
            !is_in_code && matches!(byte, b'.' | b'!' | b'?')
        });
        let gap = stops.find_map(|(at, _)| gap_after(text, within, from + at));
        let (end, next) = gap.map_or((text.len(), text.len()), |gap| (gap.start, gap.end));
        start = next;
        Some(&text[from..end])
    })
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.len().checked_sub(word.len()).is_some_and(|start| {
        text.get(start..)
            .is_some_and(|end| end.eq_ignore_ascii_case(word))
            && !text[..start].ends_with(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_finds_sentences_and_clauses() {
        let parts =
            |text, is_break: fn(char, char) -> bool| split(text, is_break).collect::<Vec<_>>();
        assert_eq!(
            parts("Use v1.2. Not v1: it fails.", ends_sentence),
            ["Use v1.2", " Not v1", " it fails", ""]
        );
        assert_eq!(
            parts("read-only - é — yes", is_dash),
            ["read-only ", " é ", " yes"]
        );
        assert_eq!(parts("", ends_sentence), [""]);
    }

    #[test]
    fn a_paragraph_has_sentences() {
        let of = |text| of(text).collect::<Vec<_>>();
        assert_eq!(
            of("Use `a. B`, e.g. C. Not v1.2!  Why? it works"),
            ["Use `a. B`, e.g. C.", "Not v1.2!", "Why? it works"]
        );
        assert_eq!(of("One"), ["One"]);
        assert_eq!(of(""), [""; 0]);
    }

    #[test]
    fn abbreviations_numbers_and_lower_case_words_do_not_end_a_sentence() {
        let gap = |text: &str| {
            let stop = text.find(['.', '!', '?']).expect("a stop");
            gap_after(text, Span::new(0, text.len()), stop).map(|gap| gap.slice(text).len())
        };
        assert_eq!(gap("Done.  Next"), Some(2));
        assert_eq!(gap("**Done.** Next"), Some(1));
        assert_eq!(gap("Done!"), Some(0));
        assert_eq!(gap("a v1.2 x"), None);
        assert_eq!(gap("x cf. Smith"), None);
        assert_eq!(gap("one. two"), None);
    }
}
