//! Selects the items that fit into a budget.
//!
//! Pins come first; the built-in ones get at most a fifth of the budget. Then texts and examples
//! are added, each up to its share, then any item that still fits. An item that does not fit is
//! skipped and the next one is tried. Texts of a group share a line above them, which is paid for
//! once. If not all texts fit, long ones are added in their short form, and completed while there is
//! room.
//!
//! Costs are added up. That is exact for items that end with a newline and do not start with a
//! newline or `/`: no token of the vocabulary spans two such items.

use crate::tokens;

/// Built-in pins get at most this fraction of the budget: one of five.
pub(super) const BUILTIN_SHARE: usize = 5;

/// After so many examples without room, the rest is not read: the next one hardly fits either.
const MAX_MISFITS: usize = 4;

/// The size of a text in each unit in which clients limit it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) tokens: usize,
    /// UTF-16 units: the characters of clients written in JavaScript, and an upper bound for the
    /// characters of others.
    pub(crate) chars: usize,
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
}

impl Cost {
    pub(crate) const ZERO: Self = Self { tokens: 0, chars: 0, bytes: 0, lines: 0 };
    pub(crate) const UNLIMITED: Self =
        Self { tokens: usize::MAX, chars: usize::MAX, bytes: usize::MAX, lines: usize::MAX };

    /// Returns the cost of a text.
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
            tokens: self.tokens.saturating_add(other.tokens),
            chars: self.chars.saturating_add(other.chars),
            bytes: self.bytes.saturating_add(other.bytes),
            lines: self.lines.saturating_add(other.lines),
        }
    }

    pub(super) fn fits(self, limit: Self) -> bool {
        self.tokens <= limit.tokens
            && self.chars <= limit.chars
            && self.bytes <= limit.bytes
            && self.lines <= limit.lines
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            chars: self.chars.saturating_sub(other.chars),
            bytes: self.bytes.saturating_sub(other.bytes),
            lines: self.lines.saturating_sub(other.lines),
        }
    }
}

/// The costs of the items to pack, the most important first.
pub(super) struct PackInput<'a> {
    pub(super) pin_header: Cost,
    pub(super) pins: &'a [Cost],
    /// Which pins are built in: general advice, which must not displace the user's own pins.
    pub(super) is_builtin: &'a [bool],
    pub(super) text_header: Cost,
    pub(super) texts: &'a [Cost],
    /// The costs of the short forms of texts that have one.
    pub(super) shorts: &'a [Option<Cost>],
    /// The group of each text, if it has one.
    pub(super) groups: &'a [Option<usize>],
    pub(super) group_lines: &'a [Cost],
}

impl PackInput<'_> {
    /// Returns the cost of all texts.
    fn all_texts(&self) -> Cost {
        let items = self.texts.iter().chain(self.group_lines);
        items.fold(self.text_header, |sum, cost| sum.plus(*cost))
    }
}

/// The selected items, one flag for each item, and their total cost.
#[derive(Debug, Clone)]
pub(super) struct Packed {
    pub(super) pins: Vec<bool>,
    pub(super) texts: Vec<bool>,
    /// Which of the texts are in their short form.
    pub(super) short: Vec<bool>,
    /// The groups whose line is there.
    groups: Vec<bool>,
    pub(super) examples: Vec<bool>,
    pub(super) used: Cost,
}

/// Selects the items that fit into `limit`. Examples get the share `code_share` of the tokens if
/// the texts need the rest. `example` returns the cost of a text's example and is called lazily.
pub(super) fn pack(
    input: &PackInput<'_>,
    example: &mut dyn FnMut(usize) -> Option<Cost>,
    limit: Cost,
    code_share: f64,
) -> Packed {
    let n_texts = input.texts.len();
    let mut packed = Packed {
        pins: vec![false; input.pins.len()],
        texts: vec![false; n_texts],
        short: vec![false; n_texts],
        groups: vec![false; input.group_lines.len()],
        examples: vec![false; n_texts],
        used: Cost::ZERO,
    };
    let mut builtin_budget = limit.tokens / BUILTIN_SHARE;
    for (idx, pin) in input.pins.iter().enumerate() {
        let first = !packed.pins.contains(&true);
        let cost = if first { input.pin_header.plus(*pin) } else { *pin };
        if input.is_builtin[idx] {
            if builtin_budget < cost.tokens {
                continue;
            }
            builtin_budget -= cost.tokens;
        }
        packed.pins[idx] = packed.add(cost, limit);
    }
    let shortens = !packed.used.plus(input.all_texts()).fits(limit);
    let text_share = limit.tokens.saturating_sub(share(limit.tokens, code_share));
    packed.add_texts(input, Cost { tokens: text_share, ..limit }, shortens);
    packed.add_examples(example, limit);
    // The rest goes to the first items that fit.
    packed.add_texts(input, limit, shortens);
    packed.complete_texts(input, limit);
    packed.add_examples(example, limit);
    packed
}

/// Returns the tokens reserved for examples.
pub(super) fn share(tokens: usize, code_share: f64) -> usize {
    if tokens == usize::MAX { 0 } else { (tokens as f64 * code_share).round() as usize }
}

impl Packed {
    fn add(&mut self, cost: Cost, limit: Cost) -> bool {
        let fits = self.used.plus(cost).fits(limit);
        if fits {
            self.used = self.used.plus(cost);
        }
        fits
    }

    fn add_texts(&mut self, input: &PackInput<'_>, limit: Cost, shortens: bool) {
        for (idx, text) in input.texts.iter().enumerate() {
            if self.texts[idx] {
                continue;
            }
            let short = input.shorts[idx].filter(|_| shortens);
            let mut cost = short.unwrap_or(*text);
            if !self.texts.contains(&true) {
                cost = cost.plus(input.text_header);
            }
            let new_group = input.groups[idx].filter(|group| !self.groups[*group]);
            if let Some(group) = new_group {
                cost = cost.plus(input.group_lines[group]);
            }
            if self.add(cost, limit) {
                self.texts[idx] = true;
                self.short[idx] = short.is_some();
                new_group.into_iter().for_each(|group| self.groups[group] = true);
            }
        }
    }

    /// Replaces short forms by the whole texts, the first ones first.
    fn complete_texts(&mut self, input: &PackInput<'_>, limit: Cost) {
        for (idx, text) in input.texts.iter().enumerate() {
            if self.short[idx]
                && let Some(short) = input.shorts[idx]
            {
                self.short[idx] = !self.add(text.minus(short), limit);
            }
        }
    }

    fn add_examples(&mut self, example: &mut dyn FnMut(usize) -> Option<Cost>, limit: Cost) {
        let mut n_misfits = 0;
        for idx in 0..self.texts.len() {
            // `example` reads a file: do not call it with an exhausted budget.
            if self.texts[idx]
                && !self.examples[idx]
                && self.used.tokens < limit.tokens
                && n_misfits < MAX_MISFITS
                && let Some(cost) = example(idx)
            {
                self.examples[idx] = self.add(cost, limit);
                n_misfits += usize::from(!self.examples[idx]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(tokens: &[usize]) -> Vec<Cost> {
        tokens.iter().map(|&tokens| Cost { tokens, ..Cost::ZERO }).collect()
    }

    /// Packs items with these token counts, with headers of one token each.
    #[track_caller]
    fn check(pins: &[usize], texts: &[usize], examples: &[usize], budget: usize, expected: &str) {
        let one = Cost { tokens: 1, ..Cost::ZERO };
        let (pins, texts, examples) = (costs(pins), costs(texts), costs(examples));
        // Pins of ten tokens are built in.
        let is_builtin: Vec<bool> = pins.iter().map(|pin| pin.tokens == 10).collect();
        let input = PackInput {
            pin_header: one,
            pins: &pins,
            is_builtin: &is_builtin,
            text_header: one,
            texts: &texts,
            shorts: &vec![None; texts.len()],
            groups: &vec![None; texts.len()],
            group_lines: &[],
        };
        let limit = Cost { tokens: budget, ..Cost::UNLIMITED };
        let mut example = |idx: usize| examples.get(idx).copied().filter(|it| it.tokens > 0);
        let packed = pack(&input, &mut example, limit, 0.6);
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
    fn unused_budget_goes_to_the_other_kind() {
        check(&[], &[9], &[80], 100, " # # 90");
        check(&[], &[19, 20, 20, 20], &[], 100, " #### .... 80");
        check(&[], &[9, 20, 40], &[10, 10, 20], 100, " ### ##. 90");
    }

    #[test]
    fn items_that_do_not_fit_are_skipped() {
        check(&[200, 9], &[300, 9], &[0, 900], 100, ".# .# .. 20");
        check(&[1], &[1], &[1], 0, ". . . 0");
        check(&[], &[9, 9], &[200, 30], 100, " ## .# 49");
    }

    /// Packs texts with these token counts, those of their short forms (0 for none) and their groups, whose lines
    /// have three tokens.
    #[track_caller]
    fn check_texts(
        texts: &[usize],
        shorts: &[usize],
        groups: &[usize],
        budget: usize,
        expected: &str,
    ) {
        let shorts = costs(shorts).into_iter().map(|it| Some(it).filter(|it| it.tokens > 0));
        let input = PackInput {
            pin_header: Cost::ZERO,
            pins: &[],
            is_builtin: &[],
            text_header: Cost::ZERO,
            texts: &costs(texts),
            shorts: &shorts.collect::<Vec<_>>(),
            groups: &groups.iter().map(|group| Some(*group)).collect::<Vec<_>>(),
            group_lines: &costs(&[3, 3, 3]),
        };
        let limit = Cost { tokens: budget, ..Cost::UNLIMITED };
        let packed = pack(&input, &mut |_| None, limit, 0.0);
        let flags = packed.texts.iter().zip(&packed.short).map(|flags| match flags {
            (true, true) => 's',
            (true, false) => '#',
            (false, _) => '.',
        });
        let found = format!("{} {}", flags.collect::<String>(), packed.used.tokens);
        assert_eq!(found, expected);
    }

    #[test]
    fn the_line_of_a_group_is_paid_for_once() {
        check_texts(&[10, 10, 10], &[0, 0, 0], &[0, 0, 0], 33, "### 33");
        check_texts(&[10, 10, 10], &[0, 0, 0], &[0, 1, 0], 35, "##. 26");
    }

    #[test]
    fn long_texts_are_shortened_only_if_not_all_fit() {
        check_texts(&[50, 50], &[10, 10], &[0, 0], 109, "## 103");
        check_texts(&[50, 50], &[10, 10], &[0, 0], 80, "#s 63");
        check_texts(&[50, 50, 50], &[10, 10, 10], &[0, 0, 0], 40, "sss 33");
        check_texts(&[50, 50, 9], &[10, 0, 0], &[0, 0, 0], 62, "#.# 62");
    }

    #[test]
    fn is_builtin_pins_get_a_fifth() {
        check(&[11, 10, 10], &[20], &[], 60, "##. # . 43");
        check(&[10], &[20], &[], 50, ". # . 21");
    }

    #[test]
    fn pins_come_before_texts_and_examples() {
        check(&[80, 11], &[9, 9], &[1, 1], 100, "## .. .. 92");
        check(&[60], &[9, 9], &[10, 20], 100, "# ## #. 90");
    }
}
