//! Classifies paths as source, test, vendored code or tools of the project.
//!
//! Tests repeat the words of the code they test, a checker repeats the words of the rule that it
//! enforces, and vendored code is rarely a good example. All are ranked lower, but not excluded:
//! they may have the only example of a rule.

/// The class of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathClass {
    Source,
    Test,
    Vendored,
    /// Scripts and checkers of the project.
    Tool,
}

/// Conventional names of test folders in the indexed languages.
const TEST_FOLDERS: &[&str] = &["test", "tests", "__tests__", "testing", "testdata", "spec", "e2e"];

/// Conventional names of folders with third-party code.
const VENDOR_FOLDERS: &[&str] =
    &["vendor", "vendored", "_vendor", "third_party", "node_modules", "external"];

/// Conventional names of folders with scripts and checkers.
const TOOL_FOLDERS: &[&str] = &[
    "scripts",
    "script",
    "tools",
    "_tools",
    "lint",
    "linters",
    "eslint",
    "codemod",
    "codemods",
    "ci",
    ".github",
    "hack",
    "xtask",
    "buildSrc",
    "benches",
    "benchmarks",
    "bench",
    "examples",
    "example",
];

/// Returns whether a part of a path is the name of scripts or of a checker.
fn is_tool(part: &str) -> bool {
    TOOL_FOLDERS.contains(&part)
        || part.contains("lint")
        || part.starts_with("check_")
        || part.ends_with("checks")
}

impl PathClass {
    /// Returns the class of a file path.
    pub(crate) fn from_path(path: &str) -> Self {
        let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
        let has_folder = |names: &[&str]| folders.split('/').any(|folder| names.contains(&folder));
        if has_folder(VENDOR_FOLDERS) {
            return Self::Vendored;
        }
        let stem = file.split('.').next().unwrap_or(file);
        let is_test = has_folder(TEST_FOLDERS)
            || stem.starts_with("test_")
            || stem.ends_with("_test")
            || ["test", "tests", "conftest"].contains(&stem)
            || [".test.", ".spec."].iter().any(|infix| file.contains(infix))
            || (file.ends_with("Test.java") || file.ends_with("Tests.java"));
        if is_test {
            Self::Test
        } else if path.split('/').any(is_tool) {
            Self::Tool
        } else {
            Self::Source
        }
    }
}

/// Names of test modules inside a source file, a convention of Rust.
const TEST_MODULES: &[&str] = &["test", "tests"];

/// Returns whether a qualified symbol is a test module or is inside one.
pub(crate) fn is_test_module(symbol: &str) -> bool {
    symbol.split('.').next().is_some_and(|outer| TEST_MODULES.contains(&outer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_classified() {
        let check =
            |path: &str, expected| assert_eq!(PathClass::from_path(path), expected, "{path}");
        check("src/pay.py", PathClass::Source);
        check("src/latest/contest.py", PathClass::Source);
        check("tests/unit/pay.py", PathClass::Test);
        check("pkg/pay_test.go", PathClass::Test);
        check("web/pay.test.tsx", PathClass::Test);
        check("src/test/java/PayTest.java", PathClass::Test);
        check("vendor/example.com/tests/a.go", PathClass::Vendored);
    }

    #[test]
    fn test_modules_are_recognized_by_name() {
        assert!(["tests.pays", "tests"].into_iter().all(is_test_module));
        assert!(!["Shop.tests", "testing"].into_iter().any(is_test_module));
    }
}
