//! Comments that allow code which breaks a rule: `cerberus: allow ID REASON`.

const MARK: &str = "cerberus: allow ";

/// Returns whether a comment on a 0-based line, or on the line above it, allows the rule. It needs a
/// reason.
pub(super) fn is_allowed(lines: &[&str], line: usize, id: &str) -> bool {
    let above = line.checked_sub(1);
    [Some(line), above].into_iter().flatten().any(|line| {
        let text = lines.get(line).and_then(|text| text.split_once(MARK));
        text.is_some_and(|(_, rest)| {
            let (allowed, reason) = rest.trim_start().split_once(' ').unwrap_or_default();
            let reason = reason.trim().trim_end_matches(['*', '/', '}', '-', '>', ' ']);
            allowed == id && !reason.is_empty()
        })
    })
}

/// Returns the comment that allows a rule in a file.
pub(super) fn comment(path: &str, id: &str) -> String {
    let start = if path.ends_with(".py") { "#" } else { "//" };
    format!("{start} {MARK}{id} REASON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_with_a_reason_allows_its_rule() {
        let check = |text: &str, line: usize, expected: bool| {
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(is_allowed(&lines, line, "no-print"), expected, "{text}");
        };
        check("# cerberus: allow no-print the output\nprint()", 1, true);
        check("print()  # cerberus: allow no-print the output", 0, true);
        check("{/* cerberus: allow no-print the output */}\nf()", 1, true);
        check("# cerberus: allow no-print\nprint()", 1, false);
        check("/* cerberus: allow no-print */\nprint()", 1, false);
        check("# cerberus: allow no-print-2 the output\nprint()", 1, false);
        check("# cerberus: allow no-print the output\n\nprint()", 2, false);
        assert_eq!(comment("a.py", "x"), "# cerberus: allow x REASON");
    }
}
