//! Words of a rule that stand side by side in code.
//!
//! Two words that are neighbours in the rule ("constant-time comparison", the hint
//! `generate_password_hash`) say more when they are neighbours in the code too.

/// How many words apart neighbours may be: next to each other, or with one word
/// between, as in `hash_of_password`. Wider windows find nothing more (measured).
const WINDOW: usize = 2;

/// Returns, for every pair of slots, whether both stand side by side, in either order,
/// in code given as the slot of each of its words, which most words have not.
pub(crate) fn neighbours(
    words: impl Iterator<Item = Option<usize>>,
    pairs: &[(usize, usize)],
) -> Vec<bool> {
    let mut found = vec![false; pairs.len()];
    let mut recent = [None; WINDOW];
    for (at, here) in words.enumerate() {
        if let Some(here) = here {
            for other in recent.into_iter().flatten() {
                let pair = (here.min(other), here.max(other));
                if let Some(at) = pairs.iter().position(|known| *known == pair) {
                    found[at] = true;
                }
            }
        }
        recent[at % WINDOW] = here;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_stand_side_by_side() {
        let rule = ["hash", "password", "salt"];
        let check = |text: &str, expected: [bool; 2]| {
            let slot = |word: &str| rule.iter().position(|known| *known == word);
            let found = neighbours(text.split_whitespace().map(slot), &[(0, 1), (1, 2)]);
            assert_eq!(found, expected, "{text}");
        };
        check("generate password hash", [true, false]);
        check("password salt hash", [true, true]);
        check("hash of the old password", [false, false]);
        check("hash of password", [true, false]);
        check("", [false, false]);
    }
}
