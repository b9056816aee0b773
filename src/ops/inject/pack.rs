//! What goes into a budget, and what stays out.
//!
//! Pins first, whatever they cost, but for the built-in ones, which get a fifth; then texts and examples, which share what the budget
//! has for each; then whatever still fits. What does not fit is skipped, not a stop.
//!
//! Sizes are added up, which is exact for pieces that end with a newline and begin with
//! none and with no `/`: no token of the vocabulary reaches from one into the other.

use crate::tokens;

/// What a text costs, in each of the ways that hosts count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) tokens: usize,
    /// UTF-16 units, which is what hosts written in JavaScript call characters, and never
    /// less than the others'.
    pub(crate) chars: usize,
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
}

impl Size {
    pub(crate) const ZERO: Self = Self { tokens: 0, chars: 0, bytes: 0, lines: 0 };
    pub(crate) const UNLIMITED: Self =
        Self { tokens: usize::MAX, chars: usize::MAX, bytes: usize::MAX, lines: usize::MAX };

    /// Returns the size of a text.
    pub(crate) fn of(text: &str) -> Self {
        Self {
            tokens: tokens::count(text),
            chars: text.encode_utf16().count(),
            bytes: text.len(),
            lines: text.lines().count(),
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens + other.tokens,
            chars: self.chars + other.chars,
            bytes: self.bytes + other.bytes,
            lines: self.lines + other.lines,
        }
    }

    pub(super) fn fits(self, limit: Self) -> bool {
        self.tokens <= limit.tokens
            && self.chars <= limit.chars
            && self.bytes <= limit.bytes
            && self.lines <= limit.lines
    }

    pub(super) fn less(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            chars: self.chars.saturating_sub(other.chars),
            bytes: self.bytes.saturating_sub(other.bytes),
            lines: self.lines.saturating_sub(other.lines),
        }
    }
}

/// What is to be packed: sizes, in the order of importance.
pub(super) struct Load<'a> {
    /// Above the first pin.
    pub(super) pin_header: Size,
    pub(super) pins: &'a [Size],
    /// Which of the pins are built in: general advice, which is not to crowd out what
    /// people wrote.
    pub(super) built_in: &'a [bool],
    /// Above the first text.
    pub(super) text_header: Size,
    pub(super) texts: &'a [Size],
}

/// What was packed, a flag for each piece, and how much there was left for it where it
/// was not.
#[derive(Debug, Clone)]
pub(super) struct Packed {
    pub(super) pins: Vec<bool>,
    pub(super) texts: Vec<bool>,
    pub(super) examples: Vec<bool>,
    pub(super) used: Size,
}

/// Packs what fits into `limit`, of which examples get `code_share` where texts want the
/// rest. `example` gives the size of a text's example; it is asked for no more than needed.
pub(super) fn pack(
    load: &Load<'_>,
    example: &mut dyn FnMut(usize) -> Option<Size>,
    limit: Size,
    code_share: f64,
) -> Packed {
    let n_texts = load.texts.len();
    let mut packed = Packed {
        pins: vec![false; load.pins.len()],
        texts: vec![false; n_texts],
        examples: vec![false; n_texts],
        used: Size::ZERO,
    };
    let mut for_built_in = limit.tokens / 5;
    for (at, pin) in load.pins.iter().enumerate() {
        let first = !packed.pins.contains(&true);
        let cost = if first { load.pin_header.plus(*pin) } else { *pin };
        if load.built_in[at] {
            if for_built_in < cost.tokens {
                continue;
            }
            for_built_in -= cost.tokens;
        }
        packed.pins[at] = packed.take(cost, limit);
    }
    let text_share = limit.tokens.saturating_sub(share(limit.tokens, code_share));
    packed.take_texts(load, Size { tokens: text_share, ..limit });
    packed.take_examples(example, limit);
    // What is left goes to whoever comes first.
    packed.take_texts(load, limit);
    packed.take_examples(example, limit);
    packed
}

/// Returns the part of the budget that examples get.
fn share(tokens: usize, code_share: f64) -> usize {
    if tokens == usize::MAX { 0 } else { (tokens as f64 * code_share).round() as usize }
}

impl Packed {
    fn take(&mut self, cost: Size, limit: Size) -> bool {
        let fits = self.used.plus(cost).fits(limit);
        if fits {
            self.used = self.used.plus(cost);
        }
        fits
    }

    fn take_texts(&mut self, load: &Load<'_>, limit: Size) {
        for (at, text) in load.texts.iter().enumerate() {
            if !self.texts[at] {
                let first = !self.texts.contains(&true);
                let cost = if first { load.text_header.plus(*text) } else { *text };
                self.texts[at] = self.take(cost, limit);
            }
        }
    }

    fn take_examples(&mut self, example: &mut dyn FnMut(usize) -> Option<Size>, limit: Size) {
        for at in 0..self.texts.len() {
            // With the budget spent no file is worth opening.
            if self.texts[at]
                && !self.examples[at]
                && self.used.tokens < limit.tokens
                && let Some(cost) = example(at)
            {
                self.examples[at] = self.take(cost, limit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(tokens: &[usize]) -> Vec<Size> {
        tokens.iter().map(|&tokens| Size { tokens, ..Size::ZERO }).collect()
    }

    /// Packs pins, texts and examples of so many tokens, with headers of one token each.
    #[track_caller]
    fn check(pins: &[usize], texts: &[usize], examples: &[usize], budget: usize, expected: &str) {
        let one = Size { tokens: 1, ..Size::ZERO };
        let (pins, texts, examples) = (sizes(pins), sizes(texts), sizes(examples));
        // Here a pin of ten tokens is a built-in one.
        let built_in: Vec<bool> = pins.iter().map(|pin| pin.tokens == 10).collect();
        let load = Load {
            pin_header: one,
            pins: &pins,
            built_in: &built_in,
            text_header: one,
            texts: &texts,
        };
        let limit = Size { tokens: budget, ..Size::UNLIMITED };
        let mut example = |at: usize| examples.get(at).copied().filter(|it| it.tokens > 0);
        let packed = pack(&load, &mut example, limit, 0.6);
        let flags = |flags: &[bool]| -> String {
            flags.iter().map(|flag| if *flag { '#' } else { '.' }).collect()
        };
        let found = format!(
            "{} {} {} {}",
            flags(&packed.pins),
            flags(&packed.texts),
            flags(&packed.examples),
            packed.used.tokens
        );
        assert_eq!(found, expected);
    }

    #[test]
    fn texts_get_two_fifths_and_examples_three() {
        check(&[], &[19, 20, 20], &[30, 30, 30], 100, " ##. ##. 100");
        check(&[9], &[9, 20, 20], &[30, 30, 30], 100, "# ##. ##. 100");
    }

    #[test]
    fn either_takes_what_the_other_leaves() {
        check(&[], &[9], &[80], 100, " # # 90");
        check(&[], &[19, 20, 20, 20], &[], 100, " #### .... 80");
        check(&[], &[9, 20, 40], &[10, 10, 20], 100, " ### ##. 90");
    }

    #[test]
    fn what_does_not_fit_is_skipped() {
        check(&[200, 9], &[300, 9], &[0, 900], 100, ".# .# .. 20");
        check(&[1], &[1], &[1], 0, ". . . 0");
        check(&[], &[9, 9], &[200, 30], 100, " ## .# 49");
    }

    #[test]
    fn built_in_pins_get_a_fifth() {
        check(&[11, 10, 10], &[20], &[], 60, "##. # . 43");
        check(&[10], &[20], &[], 50, ". # . 21");
    }

    #[test]
    fn pins_come_first_whatever_they_cost() {
        check(&[80, 11], &[9, 9], &[1, 1], 100, "## .. .. 92");
        check(&[60], &[9, 9], &[10, 20], 100, "# ## #. 90");
    }
}
