//! The weights and thresholds of following, which `weights/following.toml` has.

use std::sync::LazyLock;

use serde::Deserialize;

/// Odds are natural logarithms. Similarities and shares are from 0 to 1.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Weights {
    /// Below this similarity, a symbol with the name of an anchor may be another symbol.
    pub(super) replaced: f64,
    /// Below this similarity, other code that the same commit added may be the edited code.
    pub(super) rewritten: f64,
    /// Minimum similarity of the code that a forwarder with the old name calls.
    pub(super) forwarded: f64,
    /// Minimum odds of a found symbol.
    pub(super) least_odds: f64,
    /// Minimum lead of the best symbol over the next.
    pub(super) least_lead: f64,
    /// Minimum odds of code that is listed as similar.
    pub(super) listed_odds: f64,
    /// Minimum odds of code that another anchor got as well.
    pub(super) merged: f64,
    /// Added to the odds of code with less of the old code than `unlike`, unless its name is at least
    /// as similar as `similar_name`.
    pub(super) unlike_odds: f64,
    pub(super) unlike: f64,
    pub(super) similar_name: f64,
    /// Minimum share of a symbol, and number of its tokens, that are a part of the old code.
    pub(super) kept_share: f64,
    pub(super) kept_tokens: f64,
    /// Below this similarity to its old code, a symbol may have got other code.
    pub(super) taken_over: f64,
    /// Minimum similarity of a copy with the same name.
    pub(super) copied: f64,
    /// Minimum share of the neighbours that moved along, for the class of a method to count as renamed
    /// and not the method as moved.
    pub(super) renamed_container: f64,
    /// Minimum similarity of the statements of a caller before and after, without the name.
    pub(super) same_statement: f64,
    /// Minimum share of the callers that use another name for code with this name to be compared.
    pub(super) compared: f64,
    pub(super) added: Added,
    pub(super) degree: DegreeLimits,
}

/// Summands of the odds of code.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Added {
    /// In a file that git reports as renamed from that of the anchor.
    pub(super) file_renamed: f64,
    /// In the place to which most of its neighbours moved.
    pub(super) together: f64,
    /// Whose name changed by the same words as that of another anchor.
    pub(super) correlated: f64,
    /// Under the same name in the same file: a copy beside edited code is more frequent than a new
    /// symbol with the name of a renamed one. Less if less than half of it stayed.
    pub(super) stayed: f64,
    /// A helper that got a part of the code.
    pub(super) extracted: f64,
    /// In proportion to the lines that stayed where they were.
    pub(super) same_lines: f64,
    /// A method that moved between a class and its base.
    pub(super) inherited: f64,
    /// Code that all callers call instead.
    pub(super) called: f64,
    /// Code that alone got the identifiers, or the lines, that the anchor alone lost.
    pub(super) got: f64,
    pub(super) got_lines: f64,
    /// Code whose name replaces that of the anchor everywhere.
    pub(super) renamed_together: f64,
}

/// The limits between the degrees of an edit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DegreeLimits {
    /// Minimum similarity of touched code.
    pub(super) touched: f64,
    /// Minimum share of the recorded identifiers that touched code still contains.
    pub(super) kept_identifiers: f64,
    /// Minimum share of the tokens that touched code still has.
    pub(super) kept_tokens: f64,
    /// Below this similarity or this share of the tokens, code is gutted.
    pub(super) gutted: f64,
}

pub(super) static WEIGHTS: LazyLock<Weights> =
    LazyLock::new(|| crate::weights::read(include_str!("../weights/following.toml")));

impl Weights {
    /// Returns the minimum odds of a symbol that may be a rival.
    pub(super) fn rival_odds(&self) -> f64 {
        self.least_odds - self.least_lead
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_valid_and_its_limits_are_in_order() {
        let Weights {
            least_odds,
            listed_odds,
            degree,
            ..
        } = &*WEIGHTS;
        assert!(*listed_odds < WEIGHTS.rival_odds() && WEIGHTS.rival_odds() <= *least_odds);
        assert!(degree.gutted < degree.touched && degree.touched <= degree.kept_tokens);
    }
}
