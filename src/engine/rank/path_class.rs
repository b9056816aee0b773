//! What a path says about the code in it.
//!
//! Tests repeat the words of the code they test, and vendored code is nobody's
//! example; both still count, since a rule may be shown there and nowhere else.

/// What kind of place a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathClass {
    Source,
    Test,
    Vendored,
}

/// Folders that hold tests, by the habits of the languages that are indexed.
const TEST_FOLDERS: &[&str] = &["test", "tests", "__tests__", "testing", "testdata", "spec", "e2e"];

/// Folders that hold other people's code.
const VENDOR_FOLDERS: &[&str] =
    &["vendor", "vendored", "_vendor", "third_party", "node_modules", "external"];

impl PathClass {
    /// Returns what kind of place `path` is.
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
            || [".test.", ".spec."].iter().any(|mark| file.contains(mark))
            || (file.ends_with("Test.java") || file.ends_with("Tests.java"));
        if is_test { Self::Test } else { Self::Source }
    }
}

/// Modules that hold tests inside the file they test, as is the habit in Rust.
const TEST_MODULES: &[&str] = &["test", "tests"];

/// Returns whether a qualified symbol is or lies in a module of tests.
pub(crate) fn is_test_module(symbol: &str) -> bool {
    symbol.split('.').next().is_some_and(|outer| TEST_MODULES.contains(&outer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_vendored_code_are_told_by_path() {
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
    fn modules_of_tests_are_told_by_name() {
        for (symbol, expected) in
            [("tests.pays", true), ("tests", true), ("Shop.tests", false), ("testing", false)]
        {
            assert_eq!(is_test_module(symbol), expected, "{symbol}");
        }
    }
}
