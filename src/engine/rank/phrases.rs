//! Words of a rule that stand side by side in code.
//!
//! Two words that are adjacent_pairs in the rule ("constant-time comparison", the hint
//! `generate_password_hash`) say more when they are adjacent_pairs in the code too.

/// How many words apart adjacent_pairs may be: next to each other, or with one word
/// between, as in `hash_of_password`. Wider windows find nothing more (measured).
const WINDOW: usize = 2;

/// Returns, for every pair of slots, whether both stand side by side, in either order,
/// in code given as the slots of its words, with how many words each comes after; most
/// words have no slot and are left out.
pub(crate) fn adjacent_pairs(
    words: impl Iterator<Item = (usize, usize)>,
    pairs: &[(usize, usize)],
) -> Vec<bool> {
    let mut found = vec![false; pairs.len()];
    let mut recent = [None; WINDOW];
    for (at, here) in words {
        for (other_at, other) in recent.into_iter().flatten() {
            let pair = (here.min(other), here.max(other));
            if at - other_at <= WINDOW
                && let Some(at) = pairs.iter().position(|known| *known == pair)
            {
                found[at] = true;
            }
        }
        recent.rotate_right(1);
        recent[0] = Some((at, here));
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
            let words = text.split_whitespace().enumerate();
            let slots = words
                .filter_map(|(at, word)| Some((at, rule.iter().position(|known| *known == word)?)));
            let found = adjacent_pairs(slots, &[(0, 1), (1, 2)]);
            assert_eq!(found, expected, "{text}");
        };
        check("generate password hash", [true, false]);
        check("password salt hash", [true, true]);
        check("hash of the old password", [false, false]);
        check("hash of password", [true, false]);
        check("", [false, false]);
    }
}
