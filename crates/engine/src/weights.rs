//! Fitted and measured weights, which are data: `weights/NAME.toml` has those of one model.
//!
//! The module of the model has a struct with a field for each weight, which explains it, and a static
//! that is read at the first use. A loop over many files takes a reference before it starts.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Reads a file of weights. It must have each field of `T` and no others, which a test checks.
pub(crate) fn read<T: DeserializeOwned>(file: &'static str) -> T {
    toml::from_str(file).expect("a test reads each file of weights")
}

/// A linear model of named features.
#[derive(Debug, Deserialize)]
pub(crate) struct LinearModel {
    intercept: f64,
    #[serde(flatten)]
    weights: BTreeMap<String, f64>,
}

impl LinearModel {
    /// Returns the log odds for the features of the model, each with its name in the file.
    pub(crate) fn log_odds(&self, features: &[(&str, f64)]) -> f64 {
        debug_assert_eq!(
            features.len(),
            self.weights.len(),
            "the features of the model"
        );
        let weight = |name: &str| self.weights.get(name).copied().unwrap_or_default();
        features.iter().fold(self.intercept, |sum, (name, value)| {
            sum + weight(name) * value
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use crate::rank::{similarity, weights};

    #[test]
    fn each_file_is_read() {
        LazyLock::force(&weights::WEIGHTS);
        LazyLock::force(&weights::QUALITY);
        LazyLock::force(&similarity::WEIGHTS);
    }
}
