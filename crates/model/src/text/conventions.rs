//! Conventions of projects: names of folders and files by which tests, third-party code and documents
//! are distinguished from the rest. The names are in `conventions.toml`.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use serde::Deserialize;

/// A set of names.
type Names = FxHashSet<String>;

/// The conventions, read at the first use.
pub static CONVENTIONS: LazyLock<Conventions> = LazyLock::new(|| {
    toml::from_str(include_str!("conventions.toml")).expect("a test parses the conventions")
});

/// The names of `conventions.toml`, where each is explained.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conventions {
    pub folders: Folders,
    pub bundles: Bundles,
    pub tests: Tests,
    pub endings: Endings,
}

/// Names of folders.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Folders {
    pub tests: Names,
    pub vendored: Names,
    pub tools: Names,
    pub samples: Names,
    pub foreign: Names,
    pub repeating: Names,
}

/// Names of files that bundlers write.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundles {
    prefixes: Vec<String>,
    endings: Vec<String>,
}

/// Names of tests.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tests {
    pub file_stems: Names,
    pub modules: Names,
}

/// Endings of file names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endings {
    pub documents: Names,
    pub rules: Names,
    pub not_code: Names,
}

/// Returns whether a file is a bundle of JavaScript by its name.
pub fn is_bundle(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Bundles { prefixes, endings } = &CONVENTIONS.bundles;
    // A hash distinguishes `chunk-VXZ4K2QD.js` from a module that a person named.
    let is_hash = |rest: &str| {
        rest.strip_suffix(".js").is_some_and(|hash| {
            hash.len() >= 6
                && hash.bytes().all(|it| it.is_ascii_alphanumeric())
                && hash.bytes().any(|it| it.is_ascii_digit() || it.is_ascii_uppercase())
        })
    };
    endings.iter().any(|ending| name.ends_with(ending))
        || prefixes.iter().any(|prefix| name.strip_prefix(prefix.as_str()).is_some_and(is_hash))
}

/// Returns whether any folder above a file has one of `names`.
pub fn is_below(path: &str, names: &Names) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').any(|folder| names.contains(folder))
}

/// Returns whether a path is that of a test: by its folders, or by the name of the file.
pub fn is_test(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().unwrap_or(file);
    is_below(path, &CONVENTIONS.folders.tests)
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || CONVENTIONS.tests.file_stems.contains(stem)
        || [".test.", ".spec."].iter().any(|infix| file.contains(infix))
        || (file.ends_with("Test.java") || file.ends_with("Tests.java"))
}

/// Returns the ending of a file name, or an empty text.
pub fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conventions_are_read() {
        assert!(CONVENTIONS.folders.vendored.contains("node_modules"));
        assert!(is_test("src/tests/a.rs") && is_test("a_test.go") && !is_test("src/contest.py"));
        assert_eq!(ending("a/b.tar.gz"), "gz");
        assert!(is_bundle("dist/chunk-VXZ4K2QD.js") && is_bundle("a/b.min.js"));
        assert!(!is_bundle("src/chunk-reader.js") && !is_bundle("src/chunk-size.ts"));
    }
}
