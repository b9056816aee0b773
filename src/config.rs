//! Configuration. Flags override `cerberus.toml`, which overrides the configuration of the user.
//!
//! Only this module reads the environment, the current folder and the clock.
#![expect(
    clippy::disallowed_methods,
    reason = "this module reads the environment for all others"
)]

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use cerberus_bank::Bank;
use cerberus_bank::ops::pins::PinLimits;
use cerberus_bank::ops::pins::builtin::{self, BuiltInPins};
use cerberus_bank::ops::{InjectOptions, Project};
use cerberus_engine::rank::calibrate::Weights;
use cerberus_engine::rank::fusion::Recency;
use cerberus_model::{LineIndex, UserError, regular_file, text};
use cerberus_store::StoreFile;
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

mod args;
mod check;
mod user_bank;

pub(crate) use args::{ColorChoice, GlobalArgs};
pub(crate) use check::{ConfigReport, Finding, Setting, check, failed_check, in_one_line};

/// Environment variable with which a shell requests completions.
pub(crate) const COMPLETE: &str = "CERBERUS_COMPLETE";

/// Default quality threshold.
const MIN_QUALITY: f64 = 0.8;

/// Default quality threshold of `import`: nobody sees each of its anchors.
const MIN_IMPORT_QUALITY: f64 = 0.9;

/// Size limit of a configuration file.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// Size limit of a file of settings of a client.
const MAX_CLIENT_SETTINGS: u64 = 1024 * 1024;

/// Width and height of output that is not printed to a terminal.
const DEFAULT_SIZE: (usize, usize) = (100, 24);

/// Sample configuration: every key with its default, commented out.
pub(crate) const SAMPLE: &str = include_str!("config/sample.toml");

/// Settings of a command.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) project: Project,
    pub(crate) memory_enabled: bool,
    /// What `check` skips, according to the project.
    pub(crate) check: CheckConfig,
    /// Session, from `CERBERUS_SESSION`.
    pub(crate) session: Option<String>,
}

/// Properties of the output streams.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    pub(crate) out_is_terminal: bool,
    pub(crate) err_is_terminal: bool,
    pub(crate) color: bool,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Terminal {
    /// Detects the properties. The flag overrides `NO_COLOR`, which overrides the terminal.
    pub(crate) fn detect(choice: ColorChoice) -> Self {
        let out_is_terminal = std::io::stdout().is_terminal();
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let is_disabled =
                    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
                out_is_terminal && !is_disabled && !is_dumb
            }
        };
        let (width, height) = terminal_size::terminal_size()
            .map_or(DEFAULT_SIZE, |(width, height)| {
                (width.0.into(), height.0.into())
            });
        Self {
            out_is_terminal,
            err_is_terminal: std::io::stderr().is_terminal(),
            color,
            width: width.max(40),
            height,
        }
    }
}

/// A configuration file.
#[derive(Debug, Clone, Default)]
struct ConfigFile {
    table: toml::Table,
    /// Its values, with the defaults of the others.
    config: Config,
}

impl ConfigFile {
    /// Returns the values of this file, then those of `user`, then the defaults.
    fn over(&self, user: &Self) -> Result<Config> {
        let mut all = user.table.clone();
        for (section, values) in &self.table {
            match (
                all.get_mut(section).and_then(toml::Value::as_table_mut),
                values.as_table(),
            ) {
                (Some(of_user), Some(values)) => of_user.extend(values.clone()),
                _ => drop(all.insert(section.clone(), values.clone())),
            }
        }
        all.try_into()
            .context("the configuration of the project does not fit to that of the user")
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    project: ProjectConfig,
    memory: MemoryConfig,
    anchor: AnchorConfig,
    pins: PinLimits,
    inject: InjectOptions,
    check: CheckConfig,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ProjectConfig {
    name: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct MemoryConfig {
    enabled: Option<bool>,
    storage_strategy: StorageStrategy,
    recency_boost_days: Option<f64>,
    recency_boost_factor: Option<f64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AnchorConfig {
    min_quality: Option<f64>,
    weights: WeightsChoice,
    exclude: Vec<String>,
}

/// What `cerberus check` skips.
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
enum StorageStrategy {
    #[default]
    Project,
    User,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WeightsChoice {
    #[default]
    Calibrated,
    Legacy,
}

impl Settings {
    /// Resolves the project and its configuration.
    pub(crate) fn resolve(global: &GlobalArgs) -> Result<Self> {
        let (root, _) = locate_root(global)?;
        Self::of_root(root)
    }

    /// Like [`Self::resolve`], but the project is the one around `folder` unless it is named.
    pub(crate) fn resolve_around(folder: &Path, global: &GlobalArgs) -> Result<Self> {
        Self::of_root(
            named_root(global)?
                .unwrap_or_else(|| project_around(folder))
                .0,
        )
    }

    /// Refuses a command that needs memories if the configuration switches them off.
    pub(crate) fn check_enabled(&self) -> Result<(), UserError> {
        if self.memory_enabled {
            return Ok(());
        }
        Err(UserError::usage("memory is disabled for this project")
            .hint("set `enabled = true` under `[memory]` in `cerberus.toml`"))
    }

    fn of_root(root: PathBuf) -> Result<Self> {
        let user = user_config()?;
        let own = read_config(&root.join("cerberus.toml"))?;
        merge(root, own, &user, now()?)
    }
}

/// Returns the project root and how it was found.
fn locate_root(global: &GlobalArgs) -> Result<(PathBuf, &'static str)> {
    if let Some(named) = named_root(global)? {
        return Ok(named);
    }
    let here = std::env::current_dir().context("failed to find the current folder")?;
    Ok(project_around(&here))
}

/// Returns the project root that the command line or the environment names.
fn named_root(global: &GlobalArgs) -> Result<Option<(PathBuf, &'static str)>> {
    if let Some(folder) = &global.project {
        return Ok(Some((
            existing_folder(folder, "--project")?,
            "named by --project",
        )));
    }
    let Some(folder) = env_path("CERBERUS_PROJECT") else {
        return Ok(None);
    };
    Ok(Some((
        existing_folder(&folder, "CERBERUS_PROJECT")?,
        "named by CERBERUS_PROJECT",
    )))
}

/// Returns the configuration of the user.
fn user_config() -> Result<ConfigFile> {
    let file = config_home().map(|home| home.join("cerberus/config.toml"));
    Ok(file
        .map(|path| read_config(&path))
        .transpose()?
        .unwrap_or_default())
}

/// Merges the configuration files; values of the project override values of the user.
fn merge(root: PathBuf, own: ConfigFile, user: &ConfigFile, now: Timestamp) -> Result<Settings> {
    let config = own.over(user)?;
    let is_user_bank = config.memory.storage_strategy == StorageStrategy::User;
    let folder = if is_user_bank {
        user_bank::folder(&root)?
    } else {
        project_bank(&root)?
    };
    let bank = Bank::new(folder);
    let store = if bank.exists() && !is_user_bank {
        bank.folder().join("indices/cerberus.db")
    } else {
        home("XDG_CACHE_HOME", ".cache")?
            .join("cerberus")
            .join(tree_key(&root))
            .join("cerberus.db")
    };
    let recency = Recency::default();
    let state = xdg("XDG_STATE_HOME", ".local/state");
    Ok(Settings {
        project: Project {
            bank,
            store: StoreFile {
                path: store,
                state: state.map(|it| it.join("cerberus")),
            },
            exclude: config.anchor.exclude,
            min_quality: config.anchor.min_quality.unwrap_or(MIN_QUALITY),
            min_import_quality: config.anchor.min_quality.unwrap_or(MIN_IMPORT_QUALITY),
            weights: match config.anchor.weights {
                WeightsChoice::Calibrated => Weights::default(),
                WeightsChoice::Legacy => Weights::legacy(),
            },
            recency: Recency {
                days: config.memory.recency_boost_days.unwrap_or(recency.days),
                factor: config.memory.recency_boost_factor.unwrap_or(recency.factor),
            },
            pins: config.pins,
            inject: config.inject,
            now,
            // A name of the user would be that of every project.
            name: own
                .config
                .project
                .name
                .filter(|name| !name.trim().is_empty()),
            root,
        },
        session: std::env::var("CERBERUS_SESSION")
            .ok()
            .filter(|name| !name.is_empty()),
        check: own.config.check,
        memory_enabled: config.memory.enabled.unwrap_or(true),
    })
}

/// Completion request of a shell.
#[derive(Debug)]
pub(crate) struct CompletionRequest {
    pub(crate) shell: String,
    pub(crate) current_folder: Option<PathBuf>,
}

/// Returns the completion request, if a shell runs the command for completions.
pub(crate) fn completion_request() -> Option<CompletionRequest> {
    let shell = std::env::var(COMPLETE)
        .ok()
        .filter(|shell| !shell.is_empty())?;
    Some(CompletionRequest {
        shell,
        current_folder: std::env::current_dir().ok(),
    })
}

/// Returns the number of threads for parallel work: that of the variable of rayon, or one for each
/// processor.
pub(crate) fn n_threads() -> usize {
    let n_wanted = std::env::var("RAYON_NUM_THREADS")
        .ok()
        .and_then(|n| n.parse().ok());
    let n_processors = || std::thread::available_parallelism().map_or(1, usize::from);
    n_wanted.filter(|n| *n > 0).unwrap_or_else(n_processors)
}

/// Returns the current time. `CERBERUS_NOW` overrides it for tests.
pub(crate) fn now() -> Result<Timestamp> {
    match std::env::var("CERBERUS_NOW") {
        Ok(text) => text
            .parse()
            .with_context(|| format!("CERBERUS_NOW is not a valid time: `{text}`")),
        Err(_) => Ok(Timestamp::now()),
    }
}

fn existing_folder(folder: &Path, named_by: &str) -> Result<PathBuf> {
    let hint = format!("name an existing folder with `{named_by}`");
    let shown = folder.display();
    let fault = match folder.canonicalize() {
        Ok(found) if found.is_dir() => return Ok(found),
        Ok(_) => format!("`{shown}` is not a folder"),
        Err(error) => format!("failed to open the project `{shown}`: {error}"),
    };
    Err(UserError::usage(fault).hint(hint).into())
}

/// Returns the project root for a folder and how it was found: the nearest folder with a bank,
/// else the nearest one with a repository, else the folder itself.
fn project_around(here: &Path) -> (PathBuf, &'static str) {
    let nearest = |name: &str| here.ancestors().find(|folder| folder.join(name).exists());
    let (root, source) = match (nearest(".memories"), nearest(".git")) {
        (Some(folder), _) => (folder, "the nearest folder with a bank"),
        (None, Some(folder)) => (folder, "the nearest folder with a git repository"),
        (None, None) => (
            here,
            "the current folder, because no parent has a bank or a repository",
        ),
    };
    (root.to_owned(), source)
}

/// Returns the folder of the bank of a project. Fails if it is outside the project.
fn project_bank(root: &Path) -> Result<PathBuf> {
    let folder = root.join(".memories");
    // A repository may contain a symbolic link. A missing folder has no real path.
    let real = folder.canonicalize().ok().filter(|_| folder.is_symlink());
    if real.is_some_and(|real| !real.starts_with(root.canonicalize().unwrap_or_default())) {
        return Err(UserError::usage(format!("`{}` is outside the project", folder.display()))
            .hint("to store the bank in your home directory, set `storage_strategy = \"user\"` under `[memory]` in `cerberus.toml`")
            .into());
    }
    Ok(folder)
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
        return Err(UserError::usage(format!("{}: {why}", context()))
            .hint(format!("check it with `ls -l {shown}`"))
            .into());
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

fn read_config(path: &Path) -> Result<ConfigFile> {
    let shown = path.display();
    let config: Config = read_toml(path)?;
    let check_range = |key: &str, value: Option<f64>, min: f64, max: f64| match value {
        Some(value) if !(min..=max).contains(&value) => {
            let error = UserError::usage(format!("failed to read `{shown}`: {key} is {value}"));
            Err(match max {
                f64::MAX => error.hint(format!("it must be at least {min}")),
                _ => error.hint(format!("it must be between {min} and {max}")),
            })
        }
        _ => Ok(()),
    };
    check_range("min_quality", config.anchor.min_quality, 0.0, 1.0)?;
    check_range(
        "recency_boost_days",
        config.memory.recency_boost_days,
        0.0,
        f64::MAX,
    )?;
    // Recency raises the score of new memories and never lowers that of old ones.
    check_range(
        "recency_boost_factor",
        config.memory.recency_boost_factor,
        1.0,
        f64::MAX,
    )?;
    check_range("code_share", Some(config.inject.code_share), 0.0, 1.0)?;
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

fn env_path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// Returns a variable of the environment that is valid text.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Returns the path in a variable, from the current folder.
pub(crate) fn absolute_path(name: &str) -> Option<PathBuf> {
    let path = env_path(name)?;
    std::path::absolute(path).ok()
}

/// Returns a folder of a client of the user.
pub(crate) fn user_folder(variable: &str, default: &str) -> Option<PathBuf> {
    xdg(variable, default)
}

/// Returns the text of a file of settings of a client, if it is one.
pub(crate) fn small_file(path: &Path) -> Option<String> {
    let file = regular_file::open(path).ok()?;
    let mut text = String::new();
    file.take(MAX_CLIENT_SETTINGS)
        .read_to_string(&mut text)
        .ok()?;
    Some(text)
}

/// Returns a TOML document as JSON, or nothing if it is not valid.
pub(crate) fn toml_value<T: DeserializeOwned + Default>(text: &str) -> T {
    toml::from_str(text).unwrap_or_default()
}

/// Returns how long the agent of `--with` may print nothing. `CERBERUS_AGENT_SILENCE` overrides it for tests,
/// in milliseconds.
pub(crate) fn agent_silence(default: Duration) -> Duration {
    let typed = std::env::var("CERBERUS_AGENT_SILENCE")
        .ok()
        .and_then(|text| text.parse().ok());
    typed.map_or(default, Duration::from_millis)
}

/// Returns a folder of the user: the variable if it is an absolute path, else the default in the home folder.
fn xdg(name: &str, default: &str) -> Option<PathBuf> {
    let named = env_path(name).filter(|path| path.is_absolute());
    named.or_else(|| std::env::home_dir().map(|home| home.join(default)))
}

fn config_home() -> Option<PathBuf> {
    xdg("XDG_CONFIG_HOME", ".config")
}

/// Returns the folder of the user's settings of Codex.
fn codex_home() -> Option<PathBuf> {
    xdg("CODEX_HOME", ".codex")
}

/// Returns a folder of the user that must be known.
fn home(variable: &str, default: &str) -> Result<PathBuf> {
    let hint = || format!("set HOME or {variable}");
    let error = || {
        UserError::environment("home folder not found")
            .hint(hint())
            .into()
    };
    xdg(variable, default).ok_or_else(error)
}

/// Returns the key of the store of a working tree. Worktrees of a repository have separate stores.
fn tree_key(root: &Path) -> String {
    let name = root
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    format!(
        "{name}-{:016x}",
        xxh3_64(root.as_os_str().as_encoded_bytes())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

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
