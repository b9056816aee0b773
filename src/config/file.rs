//! A configuration file: its keys, and how it is read.
#![expect(
    clippy::disallowed_methods,
    reason = "this module reads the configuration files"
)]

use std::path::Path;

use anyhow::{Context, Result};
use cerberus_bank::ops::InjectOptions;
use cerberus_bank::ops::pins::PinLimits;
use cerberus_bank::ops::pins::builtin::{self, BuiltInPins};
use cerberus_model::{LineIndex, UserError, refuse, text};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Size limit of a configuration file.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// A configuration file.
#[derive(Debug, Clone, Default)]
pub(super) struct ConfigFile {
    pub(super) table: toml::Table,
    /// Its values, with the defaults of the others.
    pub(super) config: Config,
}

impl ConfigFile {
    /// Returns the values of this file, then those of `user`, then the defaults.
    pub(super) fn over(&self, user: &Self) -> Result<Config> {
        let mut all = user.table.clone();
        for (section, values) in &self.table {
            if let Some(toml::Value::Table(of_user)) = all.get_mut(section)
                && let toml::Value::Table(values) = values
            {
                of_user.extend(values.clone());
            } else {
                all.insert(section.clone(), values.clone());
            }
        }
        all.try_into()
            .context("the configuration of the project does not fit to that of the user")
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Config {
    pub(super) project: ProjectConfig,
    pub(super) memory: MemoryConfig,
    pub(super) anchor: AnchorConfig,
    pub(super) pins: PinLimits,
    pub(super) inject: InjectOptions,
    pub(super) check: CheckConfig,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ProjectConfig {
    pub(super) name: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MemoryConfig {
    pub(super) enabled: Option<bool>,
    pub(super) storage_strategy: StorageStrategy,
    pub(super) recency_boost_days: Option<f64>,
    pub(super) recency_boost_factor: Option<f64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct AnchorConfig {
    pub(super) min_quality: Option<f64>,
    pub(super) weights: WeightsChoice,
    pub(super) exclude: Vec<String>,
}

/// The documents and claims that `cerberus check` skips.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CheckConfig {
    /// Globs of documents.
    pub(crate) exclude: Vec<String>,
    /// Claims, as they are written in a document; `*` matches any text.
    pub(crate) ignore: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StorageStrategy {
    #[default]
    Project,
    User,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WeightsChoice {
    #[default]
    Calibrated,
    Legacy,
}

/// Reads a TOML file; a missing one has the default value.
fn read_toml<T: DeserializeOwned + Default>(path: &Path) -> Result<T> {
    let shown = path.display();
    let context = || format!("failed to read `{shown}`");
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(T::default()),
        Err(error) => return Err(error).with_context(context),
    };
    if !metadata.is_file() || metadata.len() > MAX_CONFIG_BYTES {
        let why = "it is not a regular file of at most 1 MB";
        return refuse(
            format!("{}: {why}", context()),
            format!("check it with `ls -l {shown}`"),
        );
    }
    let bytes = std::fs::read(path).with_context(context)?;
    let text = text::decode(&bytes).0.into_owned();
    Ok(toml::from_str(&text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let (line, column) = LineIndex::new(&text).line_column(offset);
        let message = error.message().to_owned();
        let error = UserError::usage(format!(
            "failed to read `{shown}:{}:{}`: {message}",
            line + 1,
            column + 1
        ));
        match nearest_key(&message) {
            Some(key) => error.hint(format!("did you mean `{key}`?")),
            None => error.hint("fix this line, or comment it out with `#`"),
        }
    })?)
}

pub(super) fn read_config(path: &Path) -> Result<ConfigFile> {
    let shown = path.display();
    let config: Config = read_toml(path)?;
    let memory = &config.memory;
    for (key, value, range) in [
        ("min_quality", config.anchor.min_quality, 0.0..=1.0),
        (
            "recency_boost_days",
            memory.recency_boost_days,
            0.0..=f64::MAX,
        ),
        // Recency raises the score of new memories and never lowers that of old ones.
        (
            "recency_boost_factor",
            memory.recency_boost_factor,
            1.0..=f64::MAX,
        ),
        ("code_share", Some(config.inject.code_share), 0.0..=1.0),
    ] {
        let Some(value) = value.filter(|value| !range.contains(value)) else {
            continue;
        };
        let error = UserError::usage(format!("failed to read `{shown}`: {key} is {value}"));
        let (min, max) = range.into_inner();
        return Err(match max {
            f64::MAX => error.hint(format!("it must be at least {min}")),
            _ => error.hint(format!("it must be between {min} and {max}")),
        }
        .into());
    }
    if let Some(BuiltInPins::Some(named)) = &config.pins.builtin
        && let Some(name) = named
            .keys()
            .find(|name| !builtin::names().any(|known| known == *name))
    {
        let known: Vec<&str> = builtin::names().collect();
        let error = UserError::usage(format!(
            "failed to read `{shown}`: unknown built-in pin `{name}`"
        ));
        return Err(match text::suggest(name, known.iter().copied()) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(format!("use one of: {}", known.join(", "))),
        }
        .into());
    }
    Ok(ConfigFile {
        table: read_toml(path)?,
        config,
    })
}

/// Returns the known key that is most similar to the unknown one in an error message.
fn nearest_key(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = quoted.next().filter(|_| message.contains("unknown"))?;
    text::suggest(unknown, quoted).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SAMPLE;

    fn check_error(text: &str, expected: &str) {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("cerberus.toml");
        std::fs::write(&path, text).expect("a file");
        let error = read_config(&path).expect_err("invalid");
        let error = error.downcast_ref::<UserError>().expect("a user error");
        let shown = format!("{} {}", error.message, error.hints.join(" "));
        assert!(shown.contains(expected), "{shown}");
    }

    #[test]
    fn errors_have_a_position_and_a_hint() {
        check_error("[anchor]\nmin_qualty = 0.5\n", "cerberus.toml:2:1");
        check_error(
            "[anchor]\nmin_qualty = 0.5\n",
            "did you mean `min_quality`?",
        );
        check_error("[ancor]\n", "did you mean `anchor`?");
        check_error("[anchor]\nmin_quality = 7\n", "between 0 and 1");
        check_error("[anchor\n", "cerberus.toml:1");
        check_error("[memory]\nrecency_boost_days = -1\n", "at least 0");
        check_error(
            "[memory]\nrecency_boost_days = nan\n",
            "recency_boost_days is NaN",
        );
        check_error("[memory]\nrecency_boost_factor = 0.5\n", "at least 1");
        check_error(
            "[pins]\nbuiltin = { secret = false }\n",
            "did you mean `secrets`?",
        );
        check_error("[pins]\nbuiltin = 3\n", "expected true, false, or names");
    }

    #[test]
    fn the_sample_is_a_valid_configuration() {
        let shown: String = SAMPLE
            .lines()
            .map(|line| {
                line.strip_prefix("# ")
                    .filter(|rest| rest.contains(" = ") || rest.starts_with("[["))
                    .unwrap_or(line)
            })
            .flat_map(|line| [line, "\n"])
            .collect();
        toml::from_str::<Config>(&shown).expect("valid with all keys");
    }
}
