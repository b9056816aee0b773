//! Classifies paths as source, test, vendored code or tools of the project.
//!
//! Tests repeat the words of the code they test, a checker repeats the words of the rule that it
//! enforces, and vendored code is rarely a good example. All are ranked lower, but not excluded:
//! they may have the only example of a rule.

use cerberus_model::text::conventions::{self, CONVENTIONS};

/// The class of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathClass {
    Source,
    Test,
    Vendored,
    /// Scripts and checkers of the project.
    Tool,
}

/// Returns whether a part of a path is the name of scripts or of a checker.
fn is_tool(part: &str) -> bool {
    CONVENTIONS.folders.tools.contains(part)
        || part.contains("lint")
        || part.starts_with("check_")
        || part.ends_with("checks")
}

impl PathClass {
    /// Returns the class of a file path.
    pub fn from_path(path: &str) -> Self {
        if conventions::is_below(path, &CONVENTIONS.folders.vendored) {
            Self::Vendored
        } else if conventions::is_test(path) {
            Self::Test
        } else if path.split('/').any(is_tool) {
            Self::Tool
        } else {
            Self::Source
        }
    }
}

/// Returns whether a qualified symbol is a test module or is inside one.
pub(crate) fn is_test_module(symbol: &str) -> bool {
    symbol
        .split('.')
        .next()
        .is_some_and(|outer| CONVENTIONS.tests.modules.contains(outer))
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
