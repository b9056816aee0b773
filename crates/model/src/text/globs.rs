//! Globs of the files that a memory applies to, relative to the project's root.
//!
//! A glob without a `/` matches in every folder, one that starts with `/` from the root only. A
//! folder's path matches all its files, and a glob after `!` excludes. `*` matches within one part
//! of a path, `**` any number of parts.

use globset::{GlobBuilder, GlobMatcher};

/// Size limit of a glob: longer ones, from a file that somebody else wrote, match nothing.
const MAX_GLOB_BYTES: usize = 1000;

/// Compiled globs.
#[derive(Debug)]
pub struct Globs {
    included: Vec<(String, Vec<GlobMatcher>)>,
    excluded: Vec<GlobMatcher>,
}

impl Globs {
    /// Compiles globs. An invalid one matches nothing.
    pub fn new(globs: &[String]) -> Self {
        let mut compiled = Self {
            included: Vec::new(),
            excluded: Vec::new(),
        };
        for glob in globs {
            match glob.trim().strip_prefix('!') {
                Some(glob) => compiled.excluded.extend(matchers(glob)),
                None => compiled.included.push((glob.clone(), matchers(glob))),
            }
        }
        compiled
    }

    /// Returns the first glob that matches a path.
    pub fn find(&self, path: &str) -> Option<&str> {
        if any_matches(&self.excluded, path) {
            return None;
        }
        for (glob, matchers) in &self.included {
            if any_matches(matchers, path) {
                return Some(glob);
            }
        }
        None
    }
}

fn any_matches(matchers: &[GlobMatcher], path: &str) -> bool {
    matchers.iter().any(|matcher| matcher.is_match(path))
}

/// Compiled globs of whole paths.
pub type PathGlobs = Vec<GlobMatcher>;

/// Compiles globs of whole paths, in which `*` also matches `/`, as in ast-grep's rules. An invalid
/// one matches nothing.
pub fn path_globs(globs: &[String]) -> PathGlobs {
    compiled(globs, false)
}

fn compiled(globs: &[String], literal_separator: bool) -> Vec<GlobMatcher> {
    let mut matchers = Vec::new();
    for glob in globs {
        if glob.len() > MAX_GLOB_BYTES {
            continue;
        }
        let mut builder = GlobBuilder::new(glob);
        if let Ok(glob) = builder.literal_separator(literal_separator).build() {
            matchers.push(glob.compile_matcher());
        }
    }
    matchers
}

/// Returns why a glob can match no file of the project.
pub fn glob_fault(glob: &str) -> Option<String> {
    let path = glob.trim().trim_start_matches('!');
    if path.split('/').any(|part| part == "..") {
        return Some("it leaves the project with `..`".to_owned());
    }
    if path.len() > MAX_GLOB_BYTES {
        return Some(format!("it is longer than {MAX_GLOB_BYTES} bytes"));
    }
    GlobBuilder::new(path)
        .build()
        .err()
        .map(|error| error.kind().to_string())
}

/// Returns the matcher of a glob, and of the files in the folder that it may name.
fn matchers(glob: &str) -> Vec<GlobMatcher> {
    let glob = glob.trim().trim_start_matches("./");
    let path = glob.trim_matches('/');
    let any_folder = if path.contains('/') || path.len() < glob.len() {
        ""
    } else {
        "**/"
    };
    let path = format!("{any_folder}{path}");
    compiled(&[path.clone(), format!("{path}/**")], true)
}

/// Splits a list of globs at its commas, except those in braces.
pub fn split_globs(list: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let is_separator = |c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    list.split(is_separator)
        .map(str::trim)
        .filter(|glob| !glob.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_that_can_match_nothing_has_a_fault() {
        for (glob, fault) in [
            ("src/[", "unclosed character class; missing ']'"),
            ("../out/**", "it leaves the project with `..`"),
            ("!src/../../x", "it leaves the project with `..`"),
        ] {
            assert_eq!(glob_fault(glob).as_deref(), Some(fault), "{glob}");
        }
        for glob in ["src/**", "!docs/**", "*.{ts,tsx}", "/src/**", "a..b"] {
            assert_eq!(glob_fault(glob), None, "{glob}");
        }
    }

    #[track_caller]
    fn check(globs: &str, path: &str, expected: Option<&str>) {
        let globs: Vec<String> = split_globs(globs).into_iter().map(str::to_owned).collect();
        assert_eq!(Globs::new(&globs).find(path), expected, "{globs:?} {path}");
    }

    #[test]
    fn globs_match_from_the_root() {
        check("src/api/**", "src/api/a.rs", Some("src/api/**"));
        check("src/api/**", "src/apis/a.rs", None);
        check("src/*.rs", "src/api/a.rs", None);
        check("**/*.{ts,tsx}, lib/", "web/a.tsx", Some("**/*.{ts,tsx}"));
        check("/src", "src/api/a.rs", Some("/src"));
        check("./src/", "lib/src/a.rs", None);
    }

    #[test]
    fn a_glob_without_a_slash_matches_in_every_folder() {
        check("*.py", "a/b/c.py", Some("*.py"));
        check("tests", "a/tests/c.py", Some("tests"));
        check("/*.py", "c.py", Some("/*.py"));
        check("/*.py", "a/c.py", None);
    }

    #[test]
    fn excluded_and_invalid_globs_match_nothing() {
        check("src/**, !src/gen/**", "src/gen/a.rs", None);
        check("src/**, !src/gen/**", "src/a.rs", Some("src/**"));
        check("[", "[", None);
        check("", "a", None);
    }
}
