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
use cerberus_bank::ops::Project;
use cerberus_bank::{Bank, Workspace};
use cerberus_engine::rank::calibrate::Weights;
use cerberus_engine::rank::fusion::Recency;
use cerberus_model::{UserError, regular_file};
use cerberus_store::StoreFile;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

mod agent_memories;
mod args;
mod check;
mod file;
mod user_bank;

pub(crate) use agent_memories::{DatedFile, agent_memories, dated_file};
pub(crate) use args::{ColorChoice, GlobalArgs};
pub(crate) use check::{ConfigReport, Finding, Setting, check, failed_check, in_one_line};
pub(crate) use file::CheckConfig;
use file::{ConfigFile, StorageStrategy, WeightsChoice, read_config};

/// Environment variable with which a shell requests completions.
pub(crate) const COMPLETE: &str = "CERBERUS_COMPLETE";

/// Default quality threshold.
const MIN_QUALITY: f64 = 0.7;

/// Default quality threshold of `import`: nobody sees each of its anchors.
const MIN_IMPORT_QUALITY: f64 = 0.85;

/// Size limit of a file of settings of a client.
const MAX_CLIENT_SETTINGS: u64 = 1024 * 1024;

/// Width and height of output that is not printed to a terminal.
const DEFAULT_SIZE: (usize, usize) = (100, 24);

/// Sample configuration: every key with its default, commented out.
pub(crate) const SAMPLE: &str = include_str!("config/sample.toml");

/// Settings of a command.
pub(crate) struct Settings {
    pub(crate) project: Workspace,
    /// Whether the user named the project, with `--project`.
    pub(crate) is_project_named: bool,
    pub(crate) memory_enabled: bool,
    /// The documents and claims that `check` skips, according to the project.
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
        let (width, height) = match terminal_size::terminal_size() {
            Some((width, height)) => (width.0.into(), height.0.into()),
            None => DEFAULT_SIZE,
        };
        Self {
            out_is_terminal,
            err_is_terminal: std::io::stderr().is_terminal(),
            color,
            width: width.max(40),
            height,
        }
    }
}

impl Settings {
    /// Resolves the project and its configuration.
    pub(crate) fn resolve(global: &GlobalArgs) -> Result<Self> {
        let is_project_named = named_root(global)?.is_some();
        let (root, _) = locate_root(global)?;
        Ok(Self {
            is_project_named,
            ..Self::of_root(root)?
        })
    }

    /// Like [`Self::resolve`], but the project is the one around `folder` unless it is named.
    pub(crate) fn resolve_around(folder: &Path, global: &GlobalArgs) -> Result<Self> {
        let named = named_root(global)?;
        let (root, _) = named.unwrap_or_else(|| project_around(folder));
        Self::of_root(root)
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
    match config_home() {
        Some(home) => read_config(&home.join("cerberus/config.toml")),
        None => Ok(ConfigFile::default()),
    }
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
        is_project_named: false,
        project: Workspace::new(Project {
            bank,
            store: StoreFile {
                path: store,
                state: state.map(|folder| folder.join("cerberus")),
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
                .filter(|name| !name.trim().is_empty())
                .into(),
            root,
        }),
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
    if let Ok(wanted) = std::env::var("RAYON_NUM_THREADS")
        && let Ok(n) = wanted.parse()
        && n > 0
    {
        return n;
    }
    match std::thread::available_parallelism() {
        Ok(n) => n.into(),
        Err(_) => 1,
    }
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
    for (name, source) in [
        (".memories", "the nearest folder with a bank"),
        (".git", "the nearest folder with a git repository"),
    ] {
        for folder in here.ancestors() {
            if folder.join(name).exists() {
                return (folder.to_owned(), source);
            }
        }
    }
    let source = "the current folder, because no parent has a bank or a repository";
    (here.to_owned(), source)
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
    let typed = std::env::var("CERBERUS_AGENT_SILENCE");
    match typed.unwrap_or_default().parse() {
        Ok(millis) => Duration::from_millis(millis),
        Err(_) => default,
    }
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
    let Some(folder) = xdg(variable, default) else {
        return Err(UserError::environment("home folder not found")
            .hint(format!("set HOME or {variable}"))
            .into());
    };
    Ok(folder)
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
