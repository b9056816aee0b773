//! Finds the lines of a file that stayed when a commit changed it.
//!
//! Pure. Two versions of one file are aligned as `git diff` aligns them. This distinguishes a function
//! that was renamed in place from a new one that got its old name, however similar both are.

use similar::{Algorithm, DiffOp};

/// Fewer letters and digits may stay in a file by chance.
pub(super) const MIN_LETTERS: u32 = 20;

/// The first and the last of some lines.
type Lines = (u32, u32);

/// The lines that two versions of a file have in common.
#[derive(Debug)]
pub(super) struct LineDiff {
    /// For each old line, the new one that it became.
    new_lines: Vec<Option<u32>>,
    /// For each line, the number of its letters and digits: a brace shows nothing.
    old_weights: Vec<u32>,
    new_weights: Vec<u32>,
}

impl LineDiff {
    /// Compares two versions line by line, without indentation.
    pub(super) fn new(old: &[u8], new: &[u8]) -> Self {
        let old_text = trimmed_lines(old);
        let new_text = trimmed_lines(new);
        let mut new_lines = vec![None; old_text.len()];
        for op in similar::capture_diff_slices(Algorithm::Myers, &old_text, &new_text) {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = op
            {
                for idx in 0..len {
                    new_lines[old_index + idx] = u32::try_from(new_index + idx).ok();
                }
            }
        }
        Self {
            new_lines,
            old_weights: old_text.into_iter().map(weight).collect(),
            new_weights: new_text.into_iter().map(weight).collect(),
        }
    }

    /// Returns the share of the text of both pieces of code that is the same lines.
    pub(super) fn shared(&self, old: Lines, new: Lines) -> f64 {
        let all = sum(&self.old_weights, old).max(sum(&self.new_weights, new));
        f64::from(self.weight_in(old, |line| is_in(line, new))) / f64::from(all.max(1))
    }

    /// Returns whether enough of old code to be recognized is outside a symbol now.
    pub(super) fn left(&self, old: Lines, own: Lines) -> bool {
        self.weight_in(old, |line| !is_in(line, own)) >= MIN_LETTERS
    }

    /// Returns whether old code is in one symbol now and not in another one: a third of its text, and
    /// four times as much as there.
    pub(super) fn went_to(&self, old: Lines, new: Lines, other: Lines) -> bool {
        let found = self.weight_in(old, |line| is_in(line, new));
        found >= MIN_LETTERS
            && 3 * found >= sum(&self.old_weights, old)
            && found >= 4 * self.weight_in(old, |line| is_in(line, other))
    }

    fn weight_in(&self, (first, last): Lines, is_counted: impl Fn(u32) -> bool) -> u32 {
        let all = self.new_lines.iter().zip(&self.old_weights);
        let mut sum = 0;
        for (new_line, weight) in all.take(last as usize + 1).skip(first as usize) {
            if let Some(new_line) = *new_line
                && is_counted(new_line)
            {
                sum += weight;
            }
        }
        sum
    }
}

fn is_in(line: u32, (first, last): Lines) -> bool {
    (first..=last).contains(&line)
}

fn sum(weights: &[u32], (first, last): Lines) -> u32 {
    weights
        .iter()
        .take(last as usize + 1)
        .skip(first as usize)
        .sum()
}

/// Returns the lines of a text without indentation.
pub(super) fn trimmed_lines(text: &[u8]) -> Vec<&[u8]> {
    text.split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .collect()
}

/// Returns the number of letters and digits of a line.
pub(super) fn weight(line: &[u8]) -> u32 {
    let n_letters = line
        .iter()
        .filter(|byte| byte.is_ascii_alphanumeric() || **byte >= 0x80);
    u32::try_from(n_letters.count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "def total(orders):\n    found = sum(orders)\n    return round(found)\n";

    #[test]
    fn code_that_stayed_under_another_name_is_shared() {
        let new = format!(
            "def total():\n    pass\n\n{}",
            OLD.replace("total", "plain_total")
        );
        let diff = LineDiff::new(OLD.as_bytes(), new.as_bytes());
        assert!(diff.shared((0, 2), (3, 5)) > 0.6);
        assert_eq!(diff.shared((0, 2), (0, 1)), 0.0);
        assert!(diff.went_to((0, 2), (3, 5), (0, 1)));
        assert!(!diff.went_to((0, 2), (0, 1), (3, 5)));
    }

    #[test]
    fn indentation_and_braces_do_not_count() {
        let new = OLD.replace("    ", "\t\t").replace("def total", "def sum");
        let diff = LineDiff::new(OLD.as_bytes(), new.as_bytes());
        assert!(diff.shared((1, 2), (1, 2)) >= 1.0);
        let diff = LineDiff::new(b"{\na();\n}\n", b"{\nb();\n}\n");
        assert_eq!(diff.shared((0, 2), (0, 2)), 0.0);
    }

    #[test]
    fn other_code_shares_no_line() {
        let diff = LineDiff::new(OLD.as_bytes(), b"x = 1\n");
        assert_eq!(diff.shared((0, 2), (0, 0)), 0.0);
        assert!(!diff.went_to((0, 2), (0, 0), (1, 1)));
    }
}
