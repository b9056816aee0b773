//! What projects of Cargo define: packages, targets, features, aliases and the version of Rust.

use super::{Facts, keys, list, string, table, toml};
use crate::kinds::task::Runner;

pub(super) fn manifest(path: &str, text: &str, facts: &mut Facts) {
    let toml = toml(text);
    facts.add_keys(&toml);
    let folder = path.rsplit('/').nth(1).unwrap_or_default();
    if let Some(name) = string(&toml, "/package/name") {
        facts.add_name(name);
        facts.task(Runner::CargoPackage, name);
        facts.task(Runner::CargoTarget, name);
        // A package can be named by its folder in prose, but cargo accepts only its name.
        if name.replace('-', "_") == folder.replace('-', "_") {
            facts.task(Runner::CargoPackage, folder);
        }
    }
    for kind in ["/bin", "/example", "/test", "/bench"] {
        let names = list(&toml, kind).map(|target| string(target, "/name").unwrap_or_default());
        facts.add_tasks(Runner::CargoTarget, names);
    }
    facts.add_tasks(Runner::CargoFeature, keys(&toml, "/features"));
    let targets = table(&toml, "/target").map(|(_, tables)| tables);
    for tables in [Some(&toml), toml.get("workspace")]
        .into_iter()
        .flatten()
        .chain(targets)
    {
        for kind in ["/dependencies", "/dev-dependencies", "/build-dependencies"] {
            facts.add_dependencies(tables, kind);
            // An optional dependency is a feature.
            facts.add_tasks(Runner::CargoFeature, keys(tables, kind));
        }
        if let Some(rust) = string(tables, "/package/rust-version") {
            facts.dependency("rust", rust);
        }
    }
}

pub(super) fn config(_: &str, text: &str, facts: &mut Facts) {
    facts.add_tasks(Runner::CargoAlias, keys(&toml(text), "/alias"));
}

/// Returns whether cargo finds a target in a file by its place.
pub(super) fn is_target(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (Some(name), Some(folder)) = (parts.next(), parts.next()) else {
        return false;
    };
    let in_main = name == "main.rs"
        && parts
            .next()
            .is_some_and(|it| matches!(it, "bin" | "examples" | "tests" | "benches"));
    matches!(folder, "bin" | "examples" | "tests" | "benches") || in_main
}

pub(super) fn target(path: &str, _: &str, facts: &mut Facts) {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default().trim_end_matches(".rs");
    let name = if name == "main" {
        parts.next().unwrap_or_default()
    } else {
        name
    };
    facts.task(Runner::CargoTarget, name);
}

pub(super) fn toolchain(_: &str, text: &str, facts: &mut Facts) {
    let toml = toml(text);
    let channel = string(&toml, "/toolchain/channel");
    facts.dependency("rust", channel.unwrap_or_else(|| text.trim()));
}
