//! Checks of the configuration and the environment for `doctor`. Errors become findings, and
//! invalid files are ignored.

use std::path::{Path, PathBuf};

use anyhow::Result;
use cerberus_model::{ExitStatus, Severity, UserError, text};
use jiff::Timestamp;
use serde::Serialize;

use super::{
    ConfigFile, GlobalArgs, Settings, codex_home, config_home, locate_root, merge, read_config,
};

/// Environment variables of cerberus.
const VARIABLES: &[&str] = &[
    "CERBERUS_PROJECT",
    "CERBERUS_SESSION",
    "CERBERUS_NOW",
    super::COMPLETE,
];

/// A reported problem or remark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    /// The name of the check: `configuration`, `bank`, `memories` and so on.
    pub(crate) check: &'static str,
    pub(crate) message: String,
    /// How to fix it, preferably a command to type.
    pub(crate) next: String,
}

/// A setting with the file that sets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Setting {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) file: String,
}

/// The results of the checks of the configuration and the environment.
#[derive(Debug, Default)]
pub(crate) struct ConfigReport {
    /// How the root of the project was found.
    pub(crate) root_source: String,
    pub(crate) settings: Vec<Setting>,
    /// Problems of the configuration and the environment.
    pub(crate) findings: Vec<Finding>,
    /// The folders of `PATH`.
    pub(crate) program_folders: Vec<PathBuf>,
    /// The user's configuration of Codex.
    pub(crate) codex_config: Option<PathBuf>,
    pub(crate) memory_enabled: bool,
}

/// Returns the settings from the valid files, and the findings. Fails only if the project root
/// cannot be determined.
pub(crate) fn check(global: &GlobalArgs) -> Result<(Settings, ConfigReport)> {
    let (root, root_source) = locate_root(global)?;
    let mut report = ConfigReport {
        root_source: root_source.to_owned(),
        findings: environment(),
        program_folders: std::env::var_os("PATH")
            .map(|path| std::env::split_paths(&path).collect())
            .unwrap_or_default(),
        codex_config: codex_home().map(|home| home.join("config.toml")),
        ..ConfigReport::default()
    };
    let user = config_home().map(|home| home.join("cerberus/config.toml"));
    let user = user
        .map(|path| read(&path, &mut report))
        .unwrap_or_default();
    let own = read(&root.join("cerberus.toml"), &mut report);
    let now = super::now().unwrap_or_else(|error| {
        let mut finding = failed_check("environment", &error);
        finding.severity = Severity::Error;
        finding.next = "unset CERBERUS_NOW".to_owned();
        report.findings.push(finding);
        Timestamp::now()
    });
    let settings = merge(root, own, &user, now)?;
    report.memory_enabled = settings.memory_enabled;
    Ok((settings, report))
}

/// Reads a configuration file. An invalid one is a finding and counts as empty.
fn read(path: &Path, report: &mut ConfigReport) -> ConfigFile {
    let config = match read_config(path) {
        Ok(config) => config,
        Err(error) => {
            let mut finding = failed_check("configuration", &error);
            if finding.severity == Severity::Unchecked {
                finding.next = format!("chmod u+r {}", path.display());
            }
            report.findings.push(finding);
            return ConfigFile::default();
        }
    };
    for (section, values) in &config.table {
        for (name, value) in values.as_table().into_iter().flatten() {
            let key = format!("{section}.{name}");
            // The file of the project is read last and overrides the one of the user.
            report.settings.retain(|setting| setting.key != key);
            let value = value.to_string();
            let file = path.display().to_string();
            report.settings.push(Setting { key, value, file });
        }
    }
    config
}

/// Returns findings about environment variables.
fn environment() -> Vec<Finding> {
    let mut found = Vec::new();
    let mut names: Vec<String> = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .collect();
    names.sort_unstable();
    let remark = |message: String, next: String| Finding {
        severity: Severity::Info,
        check: "environment",
        message,
        next,
    };
    for name in names.iter().filter(|name| name.starts_with("CERBERUS_")) {
        if !VARIABLES.contains(&name.as_str()) {
            let next = match text::suggest(name, VARIABLES.iter().copied()) {
                Some(near) => format!("unset {name}, or did you mean {near}?"),
                None => format!("unset {name}"),
            };
            found.push(remark(format!("unknown variable `{name}`"), next));
        }
    }
    for name in [
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_CACHE_HOME",
        "XDG_STATE_HOME",
    ] {
        let is_relative =
            |value: std::ffi::OsString| !value.is_empty() && PathBuf::from(value).is_relative();
        if std::env::var_os(name).is_some_and(is_relative) {
            let message = format!("`{name}` is not an absolute path and is ignored");
            found.push(remark(
                message,
                format!("set {name} to an absolute path, or unset it"),
            ));
        }
    }
    found
}

/// Converts an error of a check to a finding: `unchecked` if the environment failed, otherwise
/// `error`.
pub(crate) fn failed_check(check: &'static str, error: &anyhow::Error) -> Finding {
    let failure = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<UserError>());
    let severity = match failure.map(|failure| failure.status) {
        Some(ExitStatus::Usage | ExitStatus::CheckFailed) => Severity::Error,
        _ => Severity::Unchecked,
    };
    let hint = failure.and_then(|failure| failure.hints.first().cloned());
    let next = hint.unwrap_or_else(|| "check that it exists and is readable".to_owned());
    Finding {
        severity,
        check,
        message: in_one_line(&format!("{error:#}")),
        next,
    }
}

pub(crate) fn in_one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_severity_of_a_failed_check_depends_on_the_cause() {
        let finding = failed_check("pins", &UserError::usage("odd").hint("fix it").into());
        assert_eq!(
            (finding.severity, finding.next.as_str()),
            (Severity::Error, "fix it")
        );
        let error =
            anyhow::Error::from(std::io::Error::other("disk")).context("failed to read `x`");
        let finding = failed_check("bank", &error);
        assert_eq!(finding.severity, Severity::Unchecked);
        assert_eq!(finding.message, "failed to read `x`: disk");
        assert!(!finding.next.is_empty());
    }
}
