//! Adjacent words of a rule that are also adjacent in code.
//!
//! Two words that are adjacent in the rule ("constant-time comparison", the hint
//! `generate_password_hash`) are stronger evidence if they are adjacent in the code too.

/// Maximum distance of adjacent words: next to each other, or with one word between them, as in
/// `hash_of_password`. Wider windows find no further examples (measured).
const WINDOW: usize = 2;

/// Returns, for each of `pairs`, whether its two terms are adjacent in the code, in either order.
///
/// `words` are the code's words that are terms of the rule, as (word position, term index).
/// Pairs are ascending term indices.
pub(crate) fn adjacent_pairs(
    words: impl Iterator<Item = (usize, usize)>,
    pairs: &[(usize, usize)],
) -> Vec<bool> {
    let mut found = vec![false; pairs.len()];
    let mut recent = [None; WINDOW];
    for (position, term) in words {
        for (other_position, other) in recent.into_iter().flatten() {
            let pair = (term.min(other), term.max(other));
            if position - other_position <= WINDOW
                && let Some(pair_idx) = pairs.iter().position(|known| *known == pair)
            {
                found[pair_idx] = true;
            }
        }
        recent = [Some((position, term)), recent[0]];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_words_are_found_in_either_order() {
        let rule = ["hash", "password", "salt"];
        let check = |text: &str, expected: [bool; 2]| {
            let words = text.split_whitespace().enumerate();
            let terms = words.filter_map(|(position, word)| {
                Some((position, rule.iter().position(|known| *known == word)?))
            });
            assert_eq!(adjacent_pairs(terms, &[(0, 1), (1, 2)]), expected, "{text}");
        };
        check("generate password hash", [true, false]);
        check("password salt hash", [true, true]);
        check("hash of the old password", [false, false]);
        check("hash of password", [true, false]);
        check("", [false, false]);
    }
}
