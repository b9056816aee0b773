//! Room for a new pin: which others go, or why there is none.

use crate::error::UserError;
use crate::model::{Pin, Priority};
use crate::tokens;

use super::{Settings, render};

/// Returns which of `pins` go to make room for `new`: the oldest info first, then the
/// oldest safety; a critical one never goes.
pub(super) fn evicted<'a>(
    pins: &[&'a Pin],
    new: &Pin,
    limits: &Settings,
) -> Result<Vec<&'a Pin>, UserError> {
    let (max_pins, max_tokens) = (limits.max_pins, limits.max_tokens);
    let alone = tokens::count(&render::text([new]));
    if alone > max_tokens {
        return Err(UserError::usage(format!(
            "the pin has {alone} tokens, more than the {max_tokens} of all pins together"
        ))
        .hint("shorten it, or keep it as a memory: `cerberus memory add \"…\"`"));
    }
    let mut kept: Vec<&Pin> = pins.to_vec();
    kept.sort_by(|a, b| order(a).cmp(&order(b)));
    let mut gone = Vec::new();
    let fits = |kept: &[&Pin]| {
        let all = kept.iter().copied().chain([new]);
        kept.len() < max_pins && tokens::count(&render::text(all)) <= max_tokens
    };
    while !fits(&kept) {
        let next = [Priority::Info, Priority::Safety]
            .iter()
            .find_map(|priority| kept.iter().position(|pin| pin.priority == *priority));
        match next {
            Some(at) => gone.push(kept.remove(at)),
            None => {
                return Err(UserError::usage(format!(
                    "there is no room: only critical pins are left of {max_pins} pins and {max_tokens} tokens"
                ))
                .hint("see them with `cerberus memory pin list`, and remove one with `cerberus memory pin remove`"));
            }
        }
    }
    Ok(gone)
}

/// The order in which pins are given and, within a priority, in which they go.
pub(super) fn order(pin: &Pin) -> (Priority, jiff::Timestamp, &str) {
    (pin.priority, pin.created_at, &pin.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PinScope;

    /// Pins written as priority letter, day of creation and number of words.
    fn pins(text: &str) -> Vec<Pin> {
        let made = text.split_whitespace().map(|word| {
            let (priority, rest) = word.split_at(1);
            let (day, n_words) = rest.split_once('x').unwrap_or((rest, "1"));
            Pin {
                id: word.to_owned(),
                content: "word ".repeat(n_words.parse().expect("a number")),
                priority: match priority {
                    "c" => Priority::Critical,
                    "s" => Priority::Safety,
                    _ => Priority::Info,
                },
                scope: PinScope::Session,
                created_at: format!("2026-01-0{day}T00:00:00Z").parse().expect("a time"),
                expires_at: None,
                tags: Vec::new(),
                metadata: std::collections::BTreeMap::new(),
                project: None,
            }
        });
        made.collect()
    }

    #[track_caller]
    fn check(held: &str, new: &str, expected: &str) {
        let (held, new) = (pins(held), pins(new));
        let limits = Settings { max_pins: 3, max_tokens: 50, off: Vec::new() };
        let found = match evicted(&held.iter().collect::<Vec<_>>(), &new[0], &limits) {
            Ok(gone) => gone.iter().map(|pin| pin.id.as_str()).collect::<Vec<_>>().join(" "),
            Err(failure) => failure.message,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn the_oldest_of_the_least_goes_first() {
        check("i1 i2", "i3", "");
        check("i2 i1 s1", "i3", "i1");
        check("s2 s1 c1", "i3", "s1");
        check("i1 i2 s1", "c3", "i1");
        check("i1x2 i1x1 c1", "c3", "i1x1");
        check(
            "c1 c2 c3",
            "c4",
            "there is no room: only critical pins are left of 3 pins and 50 tokens",
        );
    }

    #[test]
    fn tokens_count_as_pins_do() {
        check("i1x15 i2x15", "s3x15", "i1x15");
        check("i1x20 s2x20", "c3x40", "i1x20 s2x20");
        check("i1", "c2x60", "the pin has 68 tokens, more than the 50 of all pins together");
        check(
            "c1x30 i2",
            "s3x30",
            "there is no room: only critical pins are left of 3 pins and 50 tokens",
        );
    }
}
