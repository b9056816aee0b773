//! User banks, and the consent of the user to open one for a project.
//!
//! The name of a user bank comes from the remote or from the git folder. Both are files of the
//! repository, so a repository can name the bank of another project. A bank is therefore opened
//! only for a root folder that the user recorded with it in `trust.toml`. A bank named by the path
//! of the project also opens if the user's own configuration stores all banks in the data folder.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    GlobalArgs, StorageStrategy, config_home, data_home, locate_root, no_home_error, project_bank,
    read_config, read_toml, user_config,
};
use cerberus_bank as bank;
use cerberus_engine::tree::git;
use cerberus_model::error::UserError;

/// The file with the consents, in the configuration folder of the user.
const FILE: &str = "cerberus/trust.toml";

const HEADER: &str = "# The projects that may open a user bank. Written by `cerberus trust`.\n\n";

/// A root folder with the user bank that it may open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrustedProject {
    pub(crate) root: String,
    /// The name of the bank's folder.
    pub(crate) bank: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TrustFile {
    project: Vec<TrustedProject>,
}

/// The source of the name of a user bank.
#[derive(Debug, PartialEq, Eq)]
enum Source {
    /// The path of the project, or its own git folder.
    Path,
    Remote(String),
    /// A git folder outside the project, as for a worktree.
    GitFolder(String),
}

/// A user bank that a project asks for.
#[derive(Debug)]
pub(super) struct UserBank {
    /// The name of its folder.
    name: String,
    source: Source,
}

impl UserBank {
    /// Returns the bank that a project asks for. Worktrees share the bank of their repository, and
    /// projects with the same folder name do not.
    pub(super) fn of(root: &Path) -> Self {
        if let Some(url) = git::origin(root) {
            return Self { name: folder_name(&url), source: Source::Remote(url) };
        }
        let git_folder = git::common_folder(root);
        let identity = git_folder.unwrap_or_else(|| root.display().to_string());
        let own = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let is_own = [own.join(".git"), own].iter().any(|path| path == Path::new(&identity));
        let name = folder_name(&identity);
        Self { name, source: if is_own { Source::Path } else { Source::GitFolder(identity) } }
    }

    /// Returns the folder of the memories. Fails unless the user agreed that the project at `root`
    /// opens this bank; `is_user_default` states that the user stores all banks there.
    pub(super) fn open(&self, root: &Path, is_user_default: bool) -> Result<PathBuf> {
        let folder = data_home()?.join("cerberus").join(&self.name).join("memories");
        if is_user_default && self.source == Source::Path {
            return Ok(folder);
        }
        let root = canonical(root)?;
        let trusted = load()?.project.into_iter().find(|project| project.root == root);
        match trusted {
            Some(project) if project.bank == self.name => Ok(folder),
            trusted => Err(self.refusal(trusted.as_ref()).into()),
        }
    }

    fn refusal(&self, trusted: Option<&TrustedProject>) -> UserError {
        let Self { name, source } = self;
        let source = match source {
            Source::Path => "named by its path".to_owned(),
            Source::Remote(url) => format!("named by its remote `{url}`"),
            Source::GitFolder(folder) => format!("named by the git folder `{folder}`"),
        };
        let other = trusted.map_or_else(String::new, |trusted| {
            format!(", but you trusted it with the bank `{}`", trusted.bank)
        });
        UserError::usage(format!(
            "this project asks for the user bank `{name}`, {source}{other}; it could read, change and \
             publish the memories in it"
        ))
        .hint("if the project is yours, run `cerberus trust`")
        .hint("to store the bank in the project, set `storage_strategy = \"project\"` under `[memory]` in `cerberus.toml`")
    }
}

/// Returns the name of the folder of a bank: readable, and different for each identity.
fn folder_name(identity: &str) -> String {
    let trimmed = identity.trim_end_matches('/').trim_end_matches(".git").trim_end_matches('/');
    let name = trimmed.rsplit(['/', ':']).next().unwrap_or_default();
    let name: String =
        name.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect();
    format!("{name}-{:016x}", xxh3_64(identity.as_bytes()))
}

/// Returns the trusted projects, ordered by root.
pub(crate) fn list() -> Result<Vec<TrustedProject>> {
    Ok(load()?.project)
}

/// Records that the project may open the user bank that it asks for. Returns the record and whether
/// it is new.
pub(crate) fn add(global: &GlobalArgs) -> Result<(TrustedProject, bool)> {
    let (root, _) = locate_root(global)?;
    let config = read_config(&root.join("cerberus.toml"))?.over(&user_config()?)?;
    if config.memory.storage_strategy != StorageStrategy::User {
        let folder = project_bank(&root)?;
        return Err(UserError::usage(format!(
            "this project asks for no user bank; its bank is `{}`",
            folder.display()
        ))
        .hint("to store its bank in your data folder, set `storage_strategy = \"user\"` under `[memory]` in `cerberus.toml`")
        .into());
    }
    let project = TrustedProject { root: canonical(&root)?, bank: UserBank::of(&root).name };
    let is_new = change(|projects| {
        let is_known = projects.contains(&project);
        projects.retain(|other| other.root != project.root);
        projects.push(project.clone());
        !is_known
    })?;
    Ok((project, is_new))
}

/// Removes the record of the project, and returns it. With `--project` the folder may be missing.
pub(crate) fn remove(global: &GlobalArgs) -> Result<TrustedProject> {
    let root = match &global.project {
        Some(folder) if !folder.exists() => folder.display().to_string(),
        _ => canonical(&locate_root(global)?.0)?,
    };
    let mut removed = None;
    change(|projects| {
        let at = projects.iter().position(|project| project.root == root);
        removed = at.map(|at| projects.remove(at));
        removed.is_some()
    })?;
    Ok(removed.ok_or_else(|| {
        UserError::check(format!("`{root}` is not trusted with a user bank"))
            .hint("list the trusted projects with `cerberus trust --list`")
    })?)
}

/// Returns the root as it is recorded: an inexact path could name two folders.
fn canonical(root: &Path) -> Result<String> {
    let real = root
        .canonicalize()
        .with_context(|| format!("failed to open the project `{}`", root.display()))?;
    Ok(real.into_os_string().into_string().map_err(|path| {
        UserError::usage(format!("the path `{}` is not UTF-8", path.display()))
            .hint("rename the folder, or store the bank in the project")
    })?)
}

fn path() -> Result<PathBuf> {
    let home = config_home().ok_or_else(|| no_home_error("XDG_CONFIG_HOME"))?;
    Ok(home.join(FILE))
}

fn load() -> Result<TrustFile> {
    read_toml(&path()?)
}

/// Applies a change that returns whether it changed anything, and writes the file if it did. The
/// lock prevents that two processes overwrite each other's records.
fn change(apply: impl FnOnce(&mut Vec<TrustedProject>) -> bool) -> Result<bool> {
    let path = path()?;
    let folder = path.parent().unwrap_or(&path);
    let failed = || format!("failed to write `{}`", path.display());
    std::fs::create_dir_all(folder).with_context(failed)?;
    let lock = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path.with_extension("lock"))
        .with_context(failed)?;
    lock.lock().with_context(failed)?;
    // The file itself, if this is a link to it. What an editor saves after this is compared with it.
    let path = path.canonicalize().unwrap_or(path);
    let old = std::fs::read(&path).ok();
    let mut file = load()?;
    let is_changed = apply(&mut file.project);
    if is_changed {
        file.project.sort_by(|a, b| a.root.cmp(&b.root));
        let text = toml::to_string(&file).context("failed to serialize the trusted projects")?;
        let folder = path.parent().unwrap_or(&path);
        bank::replace_file(&path, folder, old.as_deref(), &format!("{HEADER}{text}"))?;
    }
    Ok(is_changed)
}
