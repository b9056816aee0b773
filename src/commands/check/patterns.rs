//! The claims that the configuration excludes.

/// Texts of claims in which `*` matches any text.
pub(super) struct Patterns(Vec<Vec<String>>);

impl Patterns {
    pub(super) fn new(patterns: &[String]) -> Self {
        let parts = |pattern: &String| pattern.split('*').map(str::to_owned).collect();
        Self(patterns.iter().map(parts).collect())
    }

    pub(super) fn matches(&self, claim: &str) -> bool {
        self.0.iter().any(|parts| is_match(parts, claim))
    }
}

/// Returns whether a text consists of the parts with any text between them.
fn is_match(parts: &[String], text: &str) -> bool {
    let [first, middle @ .., last] = parts else {
        return parts.first().is_some_and(|part| part == text);
    };
    let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
    for part in middle {
        let Some(at) = rest.find(part.as_str()) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_text() {
        let check = |pattern: &str, claim, expected| {
            assert_eq!(Patterns::new(&[pattern.to_owned()]).matches(claim), expected, "{pattern}");
        };
        check("src/a.py", "src/a.py", true);
        check("src/a.py", "src/a.pyc", false);
        check("src/*", "src/a/b.py", true);
        check("*.py", "src/a.py", true);
        check("a*b*c", "aXbYc", true);
        check("a*b*c", "acb", false);
        check("ab*ba", "aba", false);
    }
}
