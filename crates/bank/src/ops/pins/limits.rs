//! Eviction: which pins to remove when a new one exceeds the limits.

use anyhow::Result;
use cerberus_model::{Pin, Priority, UserError, refuse};

use super::{PinLimits, render};
use crate::tokens;

/// Returns the pins to evict for `new`: the oldest of priority info first, then the oldest of
/// priority safety, never a critical one.
pub(super) fn evict<'a>(
    pins: &[&'a Pin],
    new: &Pin,
    limits: &PinLimits,
) -> Result<Vec<&'a Pin>, UserError> {
    let (max_pins, max_tokens) = (limits.max_pins, limits.max_tokens);
    let n_tokens = tokens::count(&render::text([new]));
    if n_tokens > max_tokens {
        return refuse(
            format!("the pin has {n_tokens} tokens; the limit of all pins is {max_tokens}"),
            "shorten it, or add it as a memory: `cerberus memory add \"…\"`",
        );
    }
    let mut remaining: Vec<&Pin> = pins.to_vec();
    sort(&mut remaining);
    let mut evicted = Vec::new();
    let fits = |remaining: &[&Pin]| {
        let all = remaining.iter().copied().chain([new]);
        remaining.len() < max_pins && tokens::count(&render::text(all)) <= max_tokens
    };
    while !fits(&remaining) {
        let next = [Priority::Info, Priority::Safety]
            .iter()
            .find_map(|priority| remaining.iter().position(|pin| pin.priority == *priority));
        match next {
            Some(idx) => evicted.push(remaining.remove(idx)),
            None => {
                return refuse(
                    format!(
                        "the limit of {max_pins} pins and {max_tokens} tokens is used up by critical pins"
                    ),
                    "list them with `cerberus memory pin list`, and remove one with `cerberus memory pin remove`",
                );
            }
        }
    }
    Ok(evicted)
}

/// Sorts pins in the order in which they are injected and, within a priority, evicted.
pub(super) fn sort(pins: &mut [&Pin]) {
    pins.sort_by_key(|pin| (pin.priority, pin.created_at, pin.id.as_str()));
}

#[cfg(test)]
mod tests {
    use cerberus_model::PinScope;

    use super::*;

    /// Parses pins written as priority letter, day of creation and number of words.
    fn pins(text: &str) -> Vec<Pin> {
        let pins = text.split_whitespace().map(|word| {
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
        pins.collect()
    }

    #[track_caller]
    fn check(held: &str, new: &str, expected: &str) {
        let (held, new) = (pins(held), pins(new));
        let limits = PinLimits {
            max_pins: 3,
            max_tokens: 50,
            ..PinLimits::default()
        };
        let found = match evict(&held.iter().collect::<Vec<_>>(), &new[0], &limits) {
            Ok(evicted) => evicted
                .iter()
                .map(|pin| pin.id.as_str())
                .collect::<Vec<_>>()
                .join(" "),
            Err(error) => error.message,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn the_oldest_pin_of_the_lowest_priority_is_evicted_first() {
        check("i1 i2", "i3", "");
        check("i2 i1 s1", "i3", "i1");
        check("s2 s1 c1", "i3", "s1");
        check("i1 i2 s1", "c3", "i1");
        check("i1x2 i1x1 c1", "c3", "i1x1");
        check(
            "c1 c2 c3",
            "c4",
            "the limit of 3 pins and 50 tokens is used up by critical pins",
        );
    }

    #[test]
    fn the_token_limit_evicts_like_the_pin_limit() {
        check("i1x15 i2x15", "s3x15", "i1x15");
        check("i1x20 s2x20", "c3x40", "i1x20 s2x20");
        check(
            "i1",
            "c2x60",
            "the pin has 68 tokens; the limit of all pins is 50",
        );
        check(
            "c1x30 i2",
            "s3x30",
            "the limit of 3 pins and 50 tokens is used up by critical pins",
        );
    }
}
