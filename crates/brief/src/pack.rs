//! Selects the items that fit into a budget.
//!
//! Pins come first; the built-in ones get at most a fifth of the budget. Examples whose rule is in the document
//! already are next. Then texts are added in their order up to their share, then the code of those texts, then texts and
//! code that still fit. A text is whole or absent, and an item that does not fit is skipped.
//!
//! Costs are added up. That is exact for items that end with a newline and do not start with a
//! newline or `/`: no token of the vocabulary spans two such items.

use super::cost::Cost;

/// Built-in pins get at most this fraction of the budget: one of five.
pub(crate) const BUILTIN_SHARE: usize = 5;

/// After so many examples without room, the rest is not read: the next one hardly fits either.
const MAX_MISFITS: usize = 4;

/// The cost of a pin.
pub(crate) struct PinCost {
    pub(crate) cost: Cost,
    /// Whether it is general advice, which must not displace the user's own pins.
    pub(crate) is_builtin: bool,
}

/// The cost of a text.
pub(crate) struct TextCost {
    pub(crate) cost: Cost,
    pub(crate) group: Option<usize>,
    /// Whether it is only the line above an example, and never given without it.
    pub(crate) needs_example: bool,
}

/// The costs of the items to pack, the most important first. Texts of a group share a line, which is paid for once.
pub(crate) struct PackInput {
    pub(crate) pin_header: Cost,
    pub(crate) pins: Vec<PinCost>,
    pub(crate) text_header: Cost,
    pub(crate) texts: Vec<TextCost>,
    pub(crate) group_lines: Vec<Cost>,
    /// The share of the tokens for code if the texts need the rest.
    pub(crate) code_share: f64,
}

/// Whether a text is selected, and its code.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PackedText {
    pub(crate) is_given: bool,
    pub(crate) has_code: bool,
}

/// The selected items, and their total cost.
#[derive(Debug, Clone)]
pub(crate) struct Packed {
    pub(crate) pins: Vec<bool>,
    pub(crate) texts: Vec<PackedText>,
    /// The groups whose line is there.
    groups: Vec<bool>,
    pub(crate) used: Cost,
}

/// Selects the items that fit into `limit`. `code` returns the cost of a text's code; it is called lazily.
pub(crate) fn pack(
    input: &PackInput,
    code: &mut dyn FnMut(usize) -> Option<Cost>,
    limit: Cost,
) -> Packed {
    let mut packed = Packed {
        pins: Vec::new(),
        texts: vec![PackedText::default(); input.texts.len()],
        groups: vec![false; input.group_lines.len()],
        used: Cost::ZERO,
    };
    packed.add_pins(input, limit);
    packed.add_code(input, code, limit);
    let code_tokens = share(limit.tokens, input.code_share);
    let text_limit = Cost {
        tokens: limit.tokens.saturating_sub(code_tokens),
        ..limit
    };
    packed.add_texts(input, text_limit);
    packed.add_code(input, code, limit);
    // The rest goes to the first items that fit.
    packed.add_texts(input, limit);
    packed.add_code(input, code, limit);
    packed
}

/// Returns the tokens reserved for code.
pub(crate) fn share(tokens: usize, code_share: f64) -> usize {
    if tokens == usize::MAX {
        0
    } else {
        (tokens as f64 * code_share).round() as usize
    }
}

impl Packed {
    /// Removes the least important item; returns whether there was one.
    pub(crate) fn drop_last(&mut self, input: &PackInput) -> bool {
        if let Some(idx) = self.texts.iter().rposition(|text| text.has_code) {
            self.texts[idx].has_code = false;
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

    fn add_pins(&mut self, input: &PackInput, limit: Cost) {
        let mut builtin_budget = limit.tokens / BUILTIN_SHARE;
        for pin in &input.pins {
            let mut cost = pin.cost;
            if !self.pins.contains(&true) {
                cost = cost.plus(input.pin_header);
            }
            let has_room = !pin.is_builtin || builtin_budget >= cost.tokens;
            if pin.is_builtin && has_room {
                builtin_budget -= cost.tokens;
            }
            let is_packed = has_room && self.add(cost, limit);
            self.pins.push(is_packed);
        }
    }

    /// Returns the cost of the line above all texts, if no text is given so far.
    fn header_cost(&self, input: &PackInput) -> Cost {
        if self.texts.iter().any(|text| text.is_given) {
            Cost::ZERO
        } else {
            input.text_header
        }
    }

    fn add_texts(&mut self, input: &PackInput, limit: Cost) {
        for (idx, text) in input.texts.iter().enumerate() {
            if self.texts[idx].is_given || text.needs_example {
                continue;
            }
            let mut cost = text.cost.plus(self.header_cost(input));
            let new_group = text.group.filter(|group| !self.groups[*group]);
            if let Some(group) = new_group {
                cost = cost.plus(input.group_lines[group]);
            }
            if self.add(cost, limit) {
                self.texts[idx].is_given = true;
                if let Some(group) = new_group {
                    self.groups[group] = true;
                }
            }
        }
    }

    /// Adds the code of the given texts in their order, and the texts that are only given with their code.
    fn add_code(
        &mut self,
        input: &PackInput,
        code: &mut dyn FnMut(usize) -> Option<Cost>,
        limit: Cost,
    ) {
        let mut n_misfits = 0;
        for (idx, text) in input.texts.iter().enumerate() {
            let PackedText { is_given, has_code } = self.texts[idx];
            // `code` reads a file: do not call it with an exhausted budget.
            let has_room = self.used.tokens < limit.tokens && n_misfits < MAX_MISFITS;
            if has_code || !has_room || !(is_given || text.needs_example) {
                continue;
            }
            let Some(mut cost) = code(idx) else {
                continue;
            };
            if text.needs_example {
                cost = cost.plus(text.cost).plus(self.header_cost(input));
            }
            let fits = self.add(cost, limit);
            self.texts[idx].has_code = fits;
            self.texts[idx].is_given |= fits;
            n_misfits += usize::from(!fits);
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
        let text = |cost: Cost| TextCost {
            cost,
            group: None,
            // Those of three tokens.
            needs_example: cost.tokens == 3,
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
        let mut example = |idx: usize| examples.get(idx).copied().filter(|cost| cost.tokens > 0);
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
                .map(|it| flag(it.has_code))
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

    #[test]
    fn the_line_of_a_group_is_paid_for_once() {
        let check = |groups: [usize; 3], budget: usize, expected: &str| {
            let mut texts = Vec::new();
            for (cost, group) in costs(&[10, 10, 10]).into_iter().zip(groups) {
                texts.push(TextCost {
                    cost,
                    group: Some(group),
                    needs_example: false,
                });
            }
            let input = PackInput {
                pin_header: Cost::ZERO,
                pins: Vec::new(),
                text_header: Cost::ZERO,
                texts,
                group_lines: costs(&[3, 3, 3]),
                code_share: 0.0,
            };
            let packed = pack(&input, &mut |_| None, limit(budget));
            let flags = packed
                .texts
                .iter()
                .map(|text| if text.is_given { '#' } else { '.' });
            let found = format!("{} {}", flags.collect::<String>(), packed.used.tokens);
            assert_eq!(found, expected);
        };
        check([0, 0, 0], 33, "### 33");
        check([0, 1, 0], 35, "##. 26");
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
