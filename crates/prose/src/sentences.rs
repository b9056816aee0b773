//! The ends of sentences in prose, with its abbreviations and closing quotes.

use cerberus_model::Span;

/// Abbreviations whose full stop does not end a sentence.
const ABBREVIATIONS: [&str; 6] = ["e.g", "i.e", "cf", "vs", "resp", "approx"];

/// Returns the white space after the sentence that the full stop, question mark or exclamation
/// mark at `stop` ends, or `None` if the sentence continues. Only `within` is examined.
pub fn gap_after(text: &str, within: Span, stop: usize) -> Option<Span> {
    let after = &text[stop + 1..within.end];
    let rest = after.trim_start_matches(|c| "*_)]'\"”’".contains(c));
    let next_sentence = rest.trim_start();
    let gap = Span::new(within.end - rest.len(), within.end - next_sentence.len());
    if rest.is_empty() {
        return Some(gap);
    }
    if gap.is_empty() || next_sentence.starts_with(char::is_lowercase) {
        return None;
    }
    let before = &text[within.start..stop];
    for abbreviation in ABBREVIATIONS {
        if ends_with_word(before, abbreviation) {
            return None;
        }
    }
    Some(gap)
}

/// Returns the sentences of a paragraph in one line.
pub fn of(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start == text.len() {
            return None;
        }
        let rest = Span::new(start, text.len());
        start = text.len();
        let mut is_in_code = false;
        for (at, byte) in rest.slice(text).bytes().enumerate() {
            match byte {
                b'`' => is_in_code = !is_in_code,
                b'.' | b'!' | b'?' if !is_in_code => {
                    if let Some(gap) = gap_after(text, rest, rest.start + at) {
                        start = gap.end;
                        return Some(&text[rest.start..gap.start]);
                    }
                }
                _ => {}
            }
        }
        Some(rest.slice(text))
    })
}

fn ends_with_word(text: &str, word: &str) -> bool {
    let start = text.len().saturating_sub(word.len());
    let Some((before, end)) = text.split_at_checked(start) else {
        return false;
    };
    end.eq_ignore_ascii_case(word) && !before.ends_with(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

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
