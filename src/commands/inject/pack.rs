//! Selects the items that fit into a budget.
//!
//! Pins come first; the built-in ones get at most a fifth of the budget. Examples whose rule is in the file
//! already are next. Then texts and examples are added, each up to its share, then any item that still fits. An item that does not fit is
//! skipped and the next one is tried. Texts of a group share a line above them, which is paid for
//! once. If not all texts fit, long ones are added in their short form, and completed while there is
//! room.
//!
//! Costs are added up. That is exact for items that end with a newline and do not start with a
//! newline or `/`: no token of the vocabulary spans two such items.

use cerberus_bank::tokens;

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
    pub(crate) const ZERO: Self = Self {
        tokens: 0,
        chars: 0,
        bytes: 0,
        lines: 0,
    };
    pub(crate) const UNLIMITED: Self = Self {
        tokens: usize::MAX,
        chars: usize::MAX,
        bytes: usize::MAX,
        lines: usize::MAX,
    };

    /// Returns the cost of a text.
    pub(crate) fn of(text: &str) -> Self {
        Self {
            tokens: tokens::count(text),
            chars: text.encode_utf16().count(),
            bytes: text.len(),
            lines: text.lines().count(),
        }
    }

    fn zip(self, other: Self, of: impl Fn(usize, usize) -> usize) -> Self {
        Self {
            tokens: of(self.tokens, other.tokens),
            chars: of(self.chars, other.chars),
            bytes: of(self.bytes, other.bytes),
            lines: of(self.lines, other.lines),
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        self.zip(other, usize::saturating_add)
    }

    pub(super) fn minus(self, other: Self) -> Self {
        self.zip(other, usize::saturating_sub)
    }

    pub(super) fn fits(self, limit: Self) -> bool {
        self.zip(limit, usize::min) == self
    }
}

/// The cost of a pin.
pub(super) struct PinCost {
    pub(super) cost: Cost,
    /// Whether it is general advice, which must not displace the user's own pins.
    pub(super) is_builtin: bool,
}

/// The cost of a text, and of its short form if it has one.
pub(super) struct TextCost {
    pub(super) whole: Cost,
    pub(super) short: Option<Cost>,
    pub(super) group: Option<usize>,
    /// Whether it is only the line above an example, and never given without it.
    pub(super) needs_example: bool,
}

/// The costs of the items to pack, the most important first.
pub(super) struct PackInput {
    pub(super) pin_header: Cost,
    pub(super) pins: Vec<PinCost>,
    pub(super) text_header: Cost,
    pub(super) texts: Vec<TextCost>,
    pub(super) group_lines: Vec<Cost>,
    /// The share of the tokens for examples if the texts need the rest.
    pub(super) code_share: f64,
}

impl PackInput {
    /// Returns the cost of all texts.
    fn all_texts(&self) -> Cost {
        let items = self
            .texts
            .iter()
            .map(|text| &text.whole)
            .chain(&self.group_lines);
        items.fold(self.text_header, |sum, cost| sum.plus(*cost))
    }
}

/// Whether a text is selected, and what of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PackedText {
    pub(super) is_given: bool,
    pub(super) is_short: bool,
    pub(super) has_example: bool,
}

/// The selected items, and their total cost.
#[derive(Debug, Clone)]
pub(super) struct Packed {
    pub(super) pins: Vec<bool>,
    pub(super) texts: Vec<PackedText>,
    /// The groups whose line is there.
    groups: Vec<bool>,
    pub(super) used: Cost,
}

/// Selects the items that fit into `limit`. `example` returns the cost of a text's example that is verified
/// or, if not, of its candidates; it is called lazily.
pub(super) fn pack(
    input: &PackInput,
    example: &mut dyn FnMut(usize, bool) -> Option<Cost>,
    limit: Cost,
) -> Packed {
    let mut packed = Packed {
        pins: Vec::new(),
        texts: vec![PackedText::default(); input.texts.len()],
        groups: vec![false; input.group_lines.len()],
        used: Cost::ZERO,
    };
    let mut builtin_budget = limit.tokens / BUILTIN_SHARE;
    for pin in &input.pins {
        let is_first = !packed.pins.contains(&true);
        let cost = if is_first {
            input.pin_header.plus(pin.cost)
        } else {
            pin.cost
        };
        let has_room = !pin.is_builtin || builtin_budget >= cost.tokens;
        if pin.is_builtin && has_room {
            builtin_budget -= cost.tokens;
        }
        let is_packed = has_room && packed.add(cost, limit);
        packed.pins.push(is_packed);
    }
    let shortens = !packed.used.plus(input.all_texts()).fits(limit);
    let text_share = limit
        .tokens
        .saturating_sub(share(limit.tokens, input.code_share));
    packed.add_examples(input, &mut |idx| example(idx, true), limit);
    packed.add_texts(
        input,
        Cost {
            tokens: text_share,
            ..limit
        },
        shortens,
    );
    packed.add_examples(input, &mut |idx| example(idx, true), limit);
    // The rest goes to the first items that fit.
    packed.add_texts(input, limit, shortens);
    packed.complete_texts(input, limit);
    packed.add_examples(input, &mut |idx| example(idx, true), limit);
    packed.add_examples(input, &mut |idx| example(idx, false), limit);
    packed
}

/// Returns the tokens reserved for examples.
pub(super) fn share(tokens: usize, code_share: f64) -> usize {
    if tokens == usize::MAX {
        0
    } else {
        (tokens as f64 * code_share).round() as usize
    }
}

impl Packed {
    pub(super) fn is_empty(&self) -> bool {
        !self.pins.contains(&true) && !self.texts.iter().any(|text| text.is_given)
    }

    /// Removes the least important item; returns whether there was one.
    pub(super) fn drop_last(&mut self, input: &PackInput) -> bool {
        if let Some(idx) = self.texts.iter().rposition(|text| text.has_example) {
            self.texts[idx].has_example = false;
            self.texts[idx].is_given = !input.texts[idx].needs_example;
        } else if let Some(text) = self.texts.iter_mut().rfind(|text| text.is_given) {
            text.is_given = false;
        } else if let Some(pin) = self.pins.iter_mut().rfind(|is_packed| **is_packed) {
            *pin = false;
        } else {
            return false;
        }
        true
    }

    fn add(&mut self, cost: Cost, limit: Cost) -> bool {
        let fits = self.used.plus(cost).fits(limit);
        if fits {
            self.used = self.used.plus(cost);
        }
        fits
    }

    fn add_texts(&mut self, input: &PackInput, limit: Cost, shortens: bool) {
        let mut is_first = !self.texts.iter().any(|text| text.is_given);
        for (idx, text) in input.texts.iter().enumerate() {
            if self.texts[idx].is_given || text.needs_example {
                continue;
            }
            let short = text.short.filter(|_| shortens);
            let mut cost = short.unwrap_or(text.whole);
            if is_first {
                cost = cost.plus(input.text_header);
            }
            let new_group = text.group.filter(|group| !self.groups[*group]);
            if let Some(group) = new_group {
                cost = cost.plus(input.group_lines[group]);
            }
            if self.add(cost, limit) {
                is_first = false;
                self.texts[idx].is_given = true;
                self.texts[idx].is_short = short.is_some();
                new_group
                    .into_iter()
                    .for_each(|group| self.groups[group] = true);
            }
        }
    }

    /// Replaces short forms by the whole texts, the first ones first.
    fn complete_texts(&mut self, input: &PackInput, limit: Cost) {
        for (idx, text) in input.texts.iter().enumerate() {
            if let Some(short) = text.short.filter(|_| self.texts[idx].is_short) {
                self.texts[idx].is_short = !self.add(text.whole.minus(short), limit);
            }
        }
    }

    fn add_examples(
        &mut self,
        input: &PackInput,
        example: &mut dyn FnMut(usize) -> Option<Cost>,
        limit: Cost,
    ) {
        let mut n_misfits = 0;
        for (idx, text) in input.texts.iter().enumerate() {
            // `example` reads a file: do not call it with an exhausted budget.
            if (self.texts[idx].is_given || text.needs_example)
                && !self.texts[idx].has_example
                && self.used.tokens < limit.tokens
                && n_misfits < MAX_MISFITS
                && let Some(mut cost) = example(idx)
            {
                if text.needs_example {
                    let is_first = !self.texts.iter().any(|text| text.is_given);
                    cost = cost.plus(text.whole).plus(if is_first {
                        input.text_header
                    } else {
                        Cost::ZERO
                    });
                }
                let fits = self.add(cost, limit);
                self.texts[idx].has_example = fits;
                self.texts[idx].is_given |= fits;
                n_misfits += usize::from(!fits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(tokens: &[usize]) -> Vec<Cost> {
        tokens
            .iter()
            .map(|&tokens| Cost {
                tokens,
                ..Cost::ZERO
            })
            .collect()
    }

    fn limit(tokens: usize) -> Cost {
        Cost {
            tokens,
            ..Cost::UNLIMITED
        }
    }

    /// Packs items with these token counts, with headers of one token each.
    #[track_caller]
    fn check(pins: &[usize], texts: &[usize], examples: &[usize], budget: usize, expected: &str) {
        let one = Cost {
            tokens: 1,
            ..Cost::ZERO
        };
        // Pins of ten tokens are built in.
        let pin = |cost: Cost| PinCost {
            cost,
            is_builtin: cost.tokens == 10,
        };
        let text = |whole: Cost| TextCost {
            whole,
            short: None,
            group: None,
            // Those of three tokens.
            needs_example: whole.tokens == 3,
        };
        let input = PackInput {
            pin_header: one,
            pins: costs(pins).into_iter().map(pin).collect(),
            text_header: one,
            texts: costs(texts).into_iter().map(text).collect(),
            group_lines: Vec::new(),
            code_share: 0.6,
        };
        let examples = costs(examples);
        let mut example = |idx: usize, is_verified: bool| {
            examples
                .get(idx)
                .copied()
                .filter(|it| it.tokens > 0 && is_verified)
        };
        let packed = pack(&input, &mut example, limit(budget));
        let flag = |flag: bool| if flag { '#' } else { '.' };
        let found = format!(
            "{} {} {} {}",
            packed.pins.iter().map(|it| flag(*it)).collect::<String>(),
            packed
                .texts
                .iter()
                .map(|it| flag(it.is_given))
                .collect::<String>(),
            packed
                .texts
                .iter()
                .map(|it| flag(it.has_example))
                .collect::<String>(),
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
        let shorts = costs(shorts)
            .into_iter()
            .map(|it| Some(it).filter(|it| it.tokens > 0));
        let texts = costs(texts).into_iter().zip(shorts).zip(groups);
        let text = |((whole, short), group): ((Cost, _), &usize)| TextCost {
            whole,
            short,
            group: Some(*group),
            needs_example: false,
        };
        let input = PackInput {
            pin_header: Cost::ZERO,
            pins: Vec::new(),
            text_header: Cost::ZERO,
            texts: texts.map(text).collect(),
            group_lines: costs(&[3, 3, 3]),
            code_share: 0.0,
        };
        let packed = pack(&input, &mut |_, _| None, limit(budget));
        let flags = packed
            .texts
            .iter()
            .map(|text| match (text.is_given, text.is_short) {
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
    fn a_text_that_needs_its_example_comes_first_and_never_alone() {
        check(&[], &[9, 3, 3], &[30, 10, 60], 60, " ##. ##. 53");
        check(&[], &[3, 9], &[0, 10], 60, " .# .# 20");
    }

    #[test]
    fn pins_come_before_texts_and_examples() {
        check(&[80, 11], &[9, 9], &[1, 1], 100, "## .. .. 92");
        check(&[60], &[9, 9], &[10, 20], 100, "# ## #. 90");
    }
}
