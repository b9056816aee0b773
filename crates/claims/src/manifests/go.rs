//! The modules of Go.

use super::{Facts, package_name};

/// Reads a `go.mod`.
pub(super) fn read(_: &str, text: &str, facts: &mut Facts) {
    for line in text.lines() {
        let mut words = line
            .trim()
            .trim_start_matches("require ")
            .split_whitespace();
        match (words.next(), words.next()) {
            (Some("module"), Some(module)) => {
                facts.packages.insert(package_name(module));
                names(module).take(2).for_each(|part| facts.add_name(part));
            }
            (Some("go"), Some(version)) => facts.dependency("go", version),
            (Some(name), Some(version)) if version.starts_with('v') => {
                facts.dependency(name, version);
                // A name of several words is known without its path.
                if let Some(last) = names(name).next().filter(|it| it.contains('-')) {
                    facts.dependency(last, version);
                }
            }
            _ => {}
        }
    }
}

/// Returns the parts of a module's path without its version, the last first:
/// `example.org/owner/name/v2`.
fn names(module: &str) -> impl Iterator<Item = &str> {
    let is_version = |part: &&str| {
        part.strip_prefix('v')
            .is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()))
    };
    module
        .split('/')
        .rev()
        .filter(move |part| !is_version(part))
}

#[cfg(test)]
mod tests {
    use crate::manifests::read;

    #[test]
    fn modules_of_go_are_named_with_and_without_their_paths() {
        let facts = read(
            "go.mod",
            "module github.com/Owner/shop/v2\ngo 1.24\nrequire (\n\texample.org/e2e-kit/v3 v3.1.0\n\tgopkg.in/yaml v1.0.0\n)\n",
        );
        assert_eq!(facts.names, ["owner", "shop"].map(str::to_owned).into());
        assert!(facts.packages.contains("github.com/owner/shop/v2"));
        let names: Vec<&str> = facts
            .dependencies
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(
            names,
            ["e2e-kit", "example.org/e2e-kit/v3", "go", "gopkg.in/yaml"]
        );
    }
}
