//! The addresses of a project's files on the site that hosts it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cerberus_engine::tree::{git, read};

/// The manifests at the root that may name the repository.
const MANIFESTS: [&str; 4] = ["Cargo.toml", "go.mod", "package.json", "pyproject.toml"];

/// What is in the line of a manifest that names the repository, in lower case.
const KEYS: [&str; 5] = ["homepage", "module ", "repository", "source", "url"];

/// The branches whose files are those of now.
const BRANCHES: [&str; 5] = ["HEAD", "develop", "main", "master", "trunk"];

/// The folders in an address after which the branch and the path come.
const VIEWS: [&str; 4] = ["/-/blob/", "/-/tree/", "/blob/", "/tree/"];

/// The addresses of a project's files.
#[derive(Debug, Default)]
pub struct Addresses {
    root: PathBuf,
    /// The remote, and the lines of manifests that may name it, in lower case.
    names: OnceLock<Vec<String>>,
}

impl Addresses {
    /// Returns those of the project at `root`.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            names: OnceLock::new(),
        }
    }

    /// Returns the path, from the root, with what follows it, in the address of a file or a folder of the project:
    /// `/src/a.rs#L3` in `https://github.com/owner/name/blob/main/src/a.rs#L3`.
    pub(crate) fn path_in<'a>(&self, address: &'a str) -> Option<&'a str> {
        let rest = address.strip_prefix("https://")?;
        let (repository, file) = VIEWS.iter().find_map(|view| rest.split_once(view))?;
        let branch = BRANCHES
            .iter()
            .find(|branch| file.starts_with(&format!("{branch}/")))?;
        let (_, name) = repository.split_once('/')?;
        self.is_own(&name.to_lowercase())
            .then(|| &file[branch.len()..])
    }

    /// Returns whether a repository, as `owner/name` in lower case, is that of the project.
    pub(crate) fn is_own(&self, repository: &str) -> bool {
        let names = self.names.get_or_init(|| read_names(&self.root));
        let is_named = |name: &String| {
            let mut found = name.match_indices(repository);
            found.any(|(at, _)| is_repository(&name[..at], &name[at + repository.len()..]))
        };
        names.iter().any(is_named)
    }
}

/// Returns whether what is between two parts of a line is the name of a repository: after a host, as in
/// `git@github.com:owner/name.git`, or the short form of `package.json`. A path, as in `"source": "src/index.ts"`,
/// is none.
fn is_repository(before: &str, after: &str) -> bool {
    let is_in_name = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let host = before
        .strip_suffix(['/', ':'])
        .and_then(|it| it.rsplit(|c| !is_in_name(c)).next());
    let has_host = host
        .and_then(|it| it.split_once('.'))
        .is_some_and(|(name, end)| !name.is_empty() && end.ends_with(char::is_alphabetic));
    let is_short = || before.replace(' ', "").ends_with("\"repository\":\"");
    let after = after.strip_prefix(".git").unwrap_or(after);
    (has_host || is_short()) && !after.starts_with(is_in_name)
}

/// Returns the remote, and the lines of manifests that may name the repository, in lower case.
fn read_names(root: &Path) -> Vec<String> {
    // The paths of addresses are from the root of the repository.
    if !root.join(".git").exists() {
        return Vec::new();
    }
    let mut names: Vec<String> = git::origin(root)
        .map(|remote| remote.to_lowercase())
        .into_iter()
        .collect();
    for text in MANIFESTS
        .iter()
        .filter_map(|file| read::text(root, file).ok())
    {
        let lines = text.lines().map(str::to_lowercase);
        names.extend(lines.filter(|line| KEYS.iter().any(|key| line.contains(key))));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_the_project_has_a_path() {
        let addresses = Addresses::default();
        let names = [
            "git@github.com:shop/till.git",
            "\"repository\": \"shop/stock\",",
        ];
        addresses
            .names
            .set(names.map(str::to_owned).to_vec())
            .expect("no names");
        for (address, expected) in [
            (
                "https://github.com/shop/till/blob/main/src/a.rs#L3",
                Some("/src/a.rs#L3"),
            ),
            (
                "https://github.com/Shop/Till/tree/master/docs",
                Some("/docs"),
            ),
            (
                "https://gitlab.com/shop/stock/-/blob/HEAD/a.md",
                Some("/a.md"),
            ),
            ("https://github.com/shop/till/blob/v1.2/src/a.rs", None),
            ("https://github.com/shop/tills/blob/main/src/a.rs", None),
            ("https://github.com/shop/til/blob/main/src/a.rs", None),
            ("https://github.com/shop/till/issues/3", None),
            ("https://github.com/blob/main/src/a.rs", None),
        ] {
            assert_eq!(addresses.path_in(address), expected, "{address}");
        }
    }

    #[test]
    fn a_path_in_a_manifest_is_no_repository() {
        let check = |line: &str, name: &str, expected| {
            let addresses = Addresses::default();
            addresses
                .names
                .set(vec![line.to_owned()])
                .expect("no names");
            assert_eq!(addresses.is_own(name), expected, "{line}");
        };
        check("\"source\": \"src/index.ts\",", "src/index.ts", false);
        check("source = [\"./src/till\"]", "src/till", false);
        check(
            "\"repository\": {\"url\": \"x\", \"directory\": \"web/till\"}",
            "web/till",
            false,
        );
        check(
            "\"url\": \"git+https://github.com/shop/till.git\"",
            "shop/till",
            true,
        );
        check("module github.com/shop/till/v2", "shop/till", true);
        check("git@git.example.org:shop/till", "shop/till", true);
        check("https://github.com/shop/till-web", "shop/till", false);
    }
}
