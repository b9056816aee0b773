//! What projects of Python define: scripts, environments of tox and of hatch, and requirements.

use super::{Facts, keys, string, strings, table, toml};
use crate::kinds::task::Runner;

/// Tables of `pyproject.toml` with names of scripts or tasks.
const PYTHON_TASKS: [&str; 7] = [
    "/project/scripts",
    "/project/gui-scripts",
    "/tool/poetry/scripts",
    "/tool/pdm/scripts",
    "/tool/poe/tasks",
    "/tool/taskipy/tasks",
    "/tool/hatch/scripts",
];

/// Lists of requirements, and tables of lists.
const REQUIREMENTS: [&str; 3] = [
    "/project/dependencies",
    "/tool/uv/dev-dependencies",
    "/build-system/requires",
];
const REQUIREMENT_GROUPS: [&str; 3] = [
    "/project/optional-dependencies",
    "/dependency-groups",
    "/tool/pdm/dev-dependencies",
];

pub(super) fn pyproject(_: &str, text: &str, facts: &mut Facts) {
    let toml = toml(text);
    facts.add_keys(&toml);
    let tasks = PYTHON_TASKS.iter().flat_map(|path| keys(&toml, path));
    facts.add_tasks(Runner::Python, tasks);
    for (environment, value) in table(&toml, "/tool/hatch/envs") {
        for script in keys(value, "/scripts") {
            facts.task(Runner::Python, script);
            facts.task(Runner::Python, format!("{environment}:{script}"));
        }
        let own = ["/dependencies", "/extra-dependencies"].map(|path| strings(value, path));
        own.into_iter()
            .flatten()
            .for_each(|requirement| facts.requirement(requirement));
    }
    let names = ["/project/name", "/tool/poetry/name"];
    names
        .iter()
        .filter_map(|path| string(&toml, path))
        .for_each(|name| facts.add_name(name));
    let groups = REQUIREMENT_GROUPS
        .iter()
        .flat_map(|path| table(&toml, path));
    let grouped = groups.flat_map(|(_, group)| strings(group, ""));
    let requirements = REQUIREMENTS
        .iter()
        .flat_map(|path| strings(&toml, path))
        .chain(grouped);
    requirements.for_each(|requirement| facts.requirement(requirement));
    facts.add_dependencies(&toml, "/tool/poetry/dependencies");
    facts.add_dependencies(&toml, "/tool/poetry/dev-dependencies");
    for (_, group) in table(&toml, "/tool/poetry/group") {
        facts.add_dependencies(group, "/dependencies");
    }
    if let Some(python) = string(&toml, "/project/requires-python") {
        facts.dependency("python", python);
    }
    facts.add_tasks(Runner::Tox, keys(&toml, "/tool/tox/env"));
    if let Some(ini) = string(&toml, "/tool/tox/legacy_tox_ini") {
        tox_ini("", ini, facts);
    }
}

pub(super) fn tox_ini(_: &str, text: &str, facts: &mut Facts) {
    let mut in_list = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(name) = trimmed
            .strip_prefix("[testenv:")
            .and_then(|it| it.strip_suffix(']'))
        {
            facts.task(Runner::Tox, name);
            // `py{310,311}-{a,b}` has several names.
            if name.contains('{') {
                facts.compute(Runner::Tox, name);
            }
        }
        let value = match trimmed.split_once('=') {
            Some((key, value)) => {
                in_list = matches!(key.trim(), "envlist" | "env_list");
                value
            }
            None => trimmed,
        };
        if in_list && !trimmed.starts_with('[') {
            if value.contains('{') {
                facts.compute(Runner::Tox, value);
            }
            for name in value.split([',', ' ']).filter(|name| !name.is_empty()) {
                facts.task(Runner::Tox, name);
            }
        } else {
            in_list = false;
        }
    }
}

pub(super) fn tox_toml(_: &str, text: &str, facts: &mut Facts) {
    let toml = toml(text);
    facts.add_tasks(Runner::Tox, keys(&toml, "/env"));
    facts.add_tasks(Runner::Tox, strings(&toml, "/env_list"));
}

pub(super) fn requirements(_: &str, text: &str, facts: &mut Facts) {
    for line in text.lines().filter(|line| !line.starts_with(['#', '-'])) {
        facts.requirement(line.split(" #").next().unwrap_or_default());
    }
}
