//! What the user has settled: flags over `cerberus.toml` over the user's own file.
//!
//! The only reader of the environment, the current folder and the clock.
#![expect(clippy::disallowed_methods, reason = "this module reads the environment for all others")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::bank::Bank;
use crate::engine::rank::calibrate::Weights;
use crate::engine::rank::fusion::Recency;
use crate::error::Failure;
use crate::ops::pins::{self, builtin};
use crate::ops::{Project, inject};
use crate::text::{self, LineIndex};

mod args;
mod examine;

pub(crate) use args::{ColorChoice, GlobalArgs};

pub(crate) use examine::examine;

/// The variable by which a shell asks for completions.
pub(crate) const COMPLETE: &str = "CERBERUS_COMPLETE";

/// The gate, unless the user says otherwise.
const MIN_QUALITY: f64 = 0.7;

/// No configuration that a person wrote is larger.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// The width of output that goes to no terminal.
const USUAL_WIDTH: usize = 100;

/// Sample configuration: every key with its default, commented out.
pub(crate) const SAMPLE: &str = include_str!("config/sample.toml");

/// All that is settled before a command runs.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) project: Project,
    pub(crate) memory_enabled: bool,
    /// The session that runs this, by `CERBERUS_SESSION`.
    pub(crate) session: Option<String>,
}

/// What is known of where output goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    pub(crate) out_is_terminal: bool,
    pub(crate) err_is_terminal: bool,
    pub(crate) color: bool,
    pub(crate) width: usize,
}

impl Terminal {
    /// Looks at the streams: a flag decides before `NO_COLOR`, and that before the terminal.
    pub(crate) fn detect(choice: ColorChoice) -> Self {
        let out_is_terminal = std::io::stdout().is_terminal();
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let is_refused =
                    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
                out_is_terminal && !is_refused && !is_dumb
            }
        };
        let width =
            terminal_size::terminal_size().map_or(USUAL_WIDTH, |(width, _)| usize::from(width.0));
        Self {
            out_is_terminal,
            err_is_terminal: std::io::stderr().is_terminal(),
            color,
            width: width.max(40),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ConfigFile {
    memory: MemoryConfig,
    anchor: AnchorConfig,
    pins: PinsConfig,
    inject: InjectConfig,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct MemoryConfig {
    enabled: Option<bool>,
    storage_strategy: Option<StorageStrategy>,
    recency_boost_days: Option<f64>,
    recency_boost_factor: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AnchorConfig {
    min_quality: Option<f64>,
    weights: Option<WeightsChoice>,
    exclude: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PinsConfig {
    max_pins: Option<usize>,
    max_tokens: Option<usize>,
    defaults: Option<BuiltInPins>,
}

impl PinsConfig {
    /// Returns these settings over the ones below them.
    fn over(self, below: Self) -> pins::Settings {
        let usual = pins::Settings::default();
        let defaults = self.defaults.or(below.defaults);
        pins::Settings {
            max_pins: self.max_pins.or(below.max_pins).unwrap_or(usual.max_pins),
            max_tokens: self.max_tokens.or(below.max_tokens).unwrap_or(usual.max_tokens),
            off: defaults.map(|defaults| defaults.off()).unwrap_or_default(),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct InjectConfig {
    budget: Option<usize>,
    code_share: Option<f64>,
    max_lines: Option<NonZeroUsize>,
}

impl InjectConfig {
    /// Returns these settings over the ones below them.
    fn over(self, below: Self) -> inject::Settings {
        let usual = inject::Settings::default();
        let max_lines = self.max_lines.or(below.max_lines).map(NonZeroUsize::get);
        inject::Settings {
            budget: self.budget.or(below.budget).unwrap_or(usual.budget),
            code_share: self.code_share.or(below.code_share).unwrap_or(usual.code_share),
            max_lines: max_lines.unwrap_or(usual.max_lines),
        }
    }
}

/// The built-in pins: all of them on or off, or some by their names.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "expected true, false, or names as in `{ git = false }`")]
enum BuiltInPins {
    All(bool),
    Some(BTreeMap<String, bool>),
}

impl BuiltInPins {
    /// Returns the names of those that are off.
    fn off(&self) -> Vec<String> {
        let is_off = |name: &&str| match self {
            Self::All(on) => !on,
            Self::Some(named) => named.get(*name) == Some(&false),
        };
        builtin::names().filter(is_off).map(str::to_owned).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StorageStrategy {
    Project,
    User,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WeightsChoice {
    Calibrated,
    Seed,
}

impl Settings {
    /// Resolves the project and its configuration.
    pub(crate) fn resolve(global: &GlobalArgs) -> Result<Self> {
        let (root, _) = located(global)?;
        let user_file = config_home().map(|home| home.join("cerberus/config.toml"));
        let user = user_file.map(|path| read_config(&path)).transpose()?.unwrap_or_default();
        let own = read_config(&root.join("cerberus.toml"))?;
        settle(root, own, user, now()?)
    }
}

/// Returns the project's root, and why it is that.
fn located(global: &GlobalArgs) -> Result<(PathBuf, &'static str)> {
    if let Some(folder) = &global.project {
        return Ok((existing_folder(folder, "--project")?, "named by --project"));
    }
    if let Some(folder) = env_path("CERBERUS_PROJECT") {
        return Ok((existing_folder(&folder, "CERBERUS_PROJECT")?, "named by CERBERUS_PROJECT"));
    }
    let here = std::env::current_dir().context("failed to find the current folder")?;
    Ok(project_around(&here))
}

/// Lays the project's settings over the user's.
fn settle(root: PathBuf, own: ConfigFile, user: ConfigFile, now: Timestamp) -> Result<Settings> {
    let strategy = own.memory.storage_strategy.or(user.memory.storage_strategy);
    let folder = match strategy.unwrap_or(StorageStrategy::Project) {
        StorageStrategy::Project => own_bank(&root)?,
        StorageStrategy::User => {
            data_home()?.join("cerberus").join(user_key(&root)).join("memories")
        }
    };
    let bank = Bank::new(folder);
    let store = if bank.exists() && strategy != Some(StorageStrategy::User) {
        bank.folder().join("indices/cerberus.db")
    } else {
        cache_home()?.join("cerberus").join(tree_key(&root)).join("cerberus.db")
    };
    let weights = own.anchor.weights.or(user.anchor.weights);
    Ok(Settings {
        project: Project {
            bank,
            store,
            exclude: own.anchor.exclude.or(user.anchor.exclude).unwrap_or_default(),
            min_quality: own.anchor.min_quality.or(user.anchor.min_quality).unwrap_or(MIN_QUALITY),
            weights: match weights.unwrap_or(WeightsChoice::Calibrated) {
                WeightsChoice::Calibrated => Weights::default(),
                WeightsChoice::Seed => Weights::seed(),
            },
            recency: recency(&own.memory, &user.memory),
            pins: own.pins.over(user.pins),
            inject: own.inject.over(user.inject),
            now,
            root,
        },
        session: std::env::var("CERBERUS_SESSION").ok().filter(|name| !name.is_empty()),
        memory_enabled: own.memory.enabled.or(user.memory.enabled).unwrap_or(true),
    })
}

fn recency(own: &MemoryConfig, user: &MemoryConfig) -> Recency {
    let usual = Recency::default();
    Recency {
        days: own.recency_boost_days.or(user.recency_boost_days).unwrap_or(usual.days),
        factor: own.recency_boost_factor.or(user.recency_boost_factor).unwrap_or(usual.factor),
    }
}

/// What a shell says of itself when it asks for completions.
#[derive(Debug)]
pub(crate) struct Asking {
    pub(crate) shell: String,
    /// Which of the words is being typed, where it is not the last.
    pub(crate) at: Option<usize>,
    pub(crate) here: Option<PathBuf>,
}

/// Returns the shell that asks for completions, if one does.
pub(crate) fn asking() -> Option<Asking> {
    let shell = std::env::var(COMPLETE).ok().filter(|shell| !shell.is_empty())?;
    let at = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|at| at.parse().ok());
    Some(Asking { shell, at, here: std::env::current_dir().ok() })
}

/// The time; `CERBERUS_NOW` fixes it, so that tests can compare output.
pub(crate) fn now() -> Result<Timestamp> {
    match std::env::var("CERBERUS_NOW") {
        Ok(text) => text
            .parse()
            .with_context(|| format!("failed to read the time `{text}` in CERBERUS_NOW")),
        Err(_) => Ok(Timestamp::now()),
    }
}

fn existing_folder(folder: &Path, named_by: &str) -> Result<PathBuf> {
    let hint = format!("name an existing folder with `{named_by}`");
    match folder.canonicalize() {
        Ok(found) if found.is_dir() => Ok(found),
        Ok(_) => {
            let failure = Failure::usage(format!("`{}` is not a folder", folder.display()));
            Err(failure.hint(hint).into())
        }
        Err(error) => {
            let shown = folder.display();
            Err(Failure::usage(format!("failed to open the project `{shown}`: {error}"))
                .hint(hint)
                .into())
        }
    }
}

/// Returns the nearest folder with a bank, else the nearest with a repository, else `here`;
/// and which of them it is.
fn project_around(here: &Path) -> (PathBuf, &'static str) {
    let nearest = |name: &str| here.ancestors().find(|folder| folder.join(name).exists());
    let (root, why) = match (nearest(".memories"), nearest(".git")) {
        (Some(folder), _) => (folder, "the nearest folder with a bank"),
        (None, Some(folder)) => (folder, "the nearest folder with a git repository"),
        (None, None) => (here, "the current folder, with no bank or repository around it"),
    };
    (root.to_owned(), why)
}

/// Returns the bank of a project, which is inside of it.
fn own_bank(root: &Path) -> Result<PathBuf> {
    let folder = root.join(".memories");
    // A repository may bring a link along; what is not there leads nowhere.
    let real = folder.canonicalize().ok().filter(|_| folder.is_symlink());
    if real.is_some_and(|real| !real.starts_with(root.canonicalize().unwrap_or_default())) {
        return Err(Failure::usage(format!("`{}` leads out of the project", folder.display()))
            .hint("for a bank elsewhere set `storage_strategy = \"user\"` under `[memory]` in `cerberus.toml`")
            .into());
    }
    Ok(folder)
}

fn read_config(path: &Path) -> Result<ConfigFile> {
    let shown = path.display();
    let said = || format!("failed to read `{shown}`");
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(ConfigFile::default());
        }
        Err(error) => return Err(error).with_context(said),
    };
    if !metadata.is_file() || metadata.len() > MAX_CONFIG_BYTES {
        let why = "it is not a regular file of at most 1 MB";
        return Err(Failure::usage(format!("{}: {why}", said()))
            .hint(format!("look at it with `ls -l {shown}`"))
            .into());
    }
    let bytes = std::fs::read(path).with_context(said)?;
    let text = text::decode(&bytes).0.into_owned();
    let config: ConfigFile = toml::from_str(&text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = LineIndex::new(&text).line(at);
        let column = at - text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let message = error.message().to_owned();
        let failure = Failure::usage(format!(
            "failed to read `{shown}:{}:{}`: {message}",
            line + 1,
            column + 1
        ));
        match nearest_key(&message) {
            Some(key) => failure.hint(format!("did you mean `{key}`?")),
            None => failure.hint("mend that line, or take it out with a `#`"),
        }
    })?;
    if let Some(quality) =
        config.anchor.min_quality.filter(|quality| !(0.0..=1.0).contains(quality))
    {
        return Err(Failure::usage(format!("failed to read `{shown}`: min_quality is {quality}"))
            .hint("a quality lies between 0 and 1")
            .into());
    }
    let at_least = |key: &str, value: Option<f64>, least: f64| match value {
        Some(value) if !(least..=f64::MAX).contains(&value) => {
            Err(Failure::usage(format!("failed to read `{shown}`: {key} is {value}"))
                .hint(format!("it is a number from {least} on")))
        }
        _ => Ok(()),
    };
    at_least("recency_boost_days", config.memory.recency_boost_days, 0.0)?;
    // What is new is lifted, and what is old never lowered.
    at_least("recency_boost_factor", config.memory.recency_boost_factor, 1.0)?;
    if let Some(share) = config.inject.code_share.filter(|share| !(0.0..=1.0).contains(share)) {
        return Err(Failure::usage(format!("failed to read `{shown}`: code_share is {share}"))
            .hint("a share lies between 0 and 1")
            .into());
    }
    if let Some(BuiltInPins::Some(named)) = &config.pins.defaults
        && let Some(name) = named.keys().find(|name| !builtin::names().any(|it| it == *name))
    {
        let known: Vec<&str> = builtin::names().collect();
        let failure =
            Failure::usage(format!("failed to read `{shown}`: no built-in pin is called `{name}`"));
        return Err(match text::nearest(name, known.iter().copied()) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure.hint(format!("there are: {}", known.join(", "))),
        }
        .into());
    }
    Ok(config)
}

/// Returns the known key nearest to the unknown one that a message names first.
fn nearest_key(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = quoted.next().filter(|_| message.contains("unknown"))?;
    text::nearest(unknown, quoted).map(str::to_owned)
}

fn env_path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(|value: OsString| PathBuf::from(value))
}

/// Returns an XDG folder: the variable where it is absolute, else the default below the home folder.
fn xdg(name: &str, default: &str) -> Option<PathBuf> {
    let named = env_path(name).filter(|path| path.is_absolute());
    named.or_else(|| std::env::home_dir().map(|home| home.join(default)))
}

fn config_home() -> Option<PathBuf> {
    xdg("XDG_CONFIG_HOME", ".config")
}

fn data_home() -> Result<PathBuf> {
    xdg("XDG_DATA_HOME", ".local/share").ok_or_else(|| homeless("XDG_DATA_HOME").into())
}

fn cache_home() -> Result<PathBuf> {
    xdg("XDG_CACHE_HOME", ".cache").ok_or_else(|| homeless("XDG_CACHE_HOME").into())
}

fn homeless(variable: &str) -> Failure {
    Failure::environment("there is no home folder to keep data in")
        .hint(format!("set HOME or {variable}"))
}

/// Names the store of one working tree; two worktrees of a repository have their own.
fn tree_key(root: &Path) -> String {
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    format!("{name}-{:016x}", xxh3_64(root.as_os_str().as_encoded_bytes()))
}

/// Names a project in the user's data folder: by its remote, else by its git folder, so
/// that worktrees share a bank and two projects of one name do not.
fn user_key(root: &Path) -> String {
    let git = |args: &[&str]| -> Option<String> {
        let output = Command::new("git").arg("-C").arg(root).args(args).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    let identity = git(&["config", "--get", "remote.origin.url"])
        .or_else(|| git(&["rev-parse", "--path-format=absolute", "--git-common-dir"]))
        .unwrap_or_else(|| root.display().to_string());
    let trimmed = identity.trim_end_matches('/').trim_end_matches(".git").trim_end_matches('/');
    let name = trimmed.rsplit(['/', ':']).next().unwrap_or_default();
    let name: String =
        name.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect();
    format!("{name}-{:016x}", xxh3_64(identity.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(text: &str, expected: &str) {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("cerberus.toml");
        std::fs::write(&path, text).expect("a file");
        let error = read_config(&path).expect_err("wrong");
        let failure = error.downcast_ref::<Failure>().expect("a failure");
        let shown = format!("{} {}", failure.message, failure.hints.join(" "));
        assert!(shown.contains(expected), "{shown}");
    }

    #[test]
    fn a_wrong_file_is_told_with_place_and_next_step() {
        fails("[anchor]\nmin_qualty = 0.5\n", "cerberus.toml:2:1");
        fails("[anchor]\nmin_qualty = 0.5\n", "did you mean `min_quality`?");
        fails("[ancor]\n", "did you mean `anchor`?");
        fails("[anchor]\nmin_quality = 7\n", "between 0 and 1");
        fails("[anchor\n", "cerberus.toml:1");
        fails("[memory]\nrecency_boost_days = -1\n", "a number from 0 on");
        fails("[memory]\nrecency_boost_days = nan\n", "recency_boost_days is NaN");
        fails("[memory]\nrecency_boost_factor = 0.5\n", "a number from 1 on");
        fails("[pins]\ndefaults = { secret = false }\n", "did you mean `secrets`?");
        fails("[pins]\ndefaults = 3\n", "expected true, false, or names");
    }

    #[test]
    fn the_sample_is_a_valid_configuration() {
        let shown: String = SAMPLE
            .lines()
            .map(|line| line.strip_prefix("# ").filter(|rest| rest.contains(" = ")).unwrap_or(line))
            .flat_map(|line| [line, "\n"])
            .collect();
        toml::from_str::<ConfigFile>(&shown).expect("valid with every key set");
    }
}
