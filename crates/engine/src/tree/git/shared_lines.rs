//! The lines that two versions of a text share. The number of steps is limited, never the time, so that the answer is
//! the same on every machine.

use rustc_hash::FxHashMap;
use similar::{Algorithm, DiffOp};

/// Maximum number of lines of both texts that are compared exactly: the number of steps grows with its square.
const MAX_EXACT: usize = 8_000;

/// Maximum number of times that a text is divided at lines that are unique in both.
const MAX_DIVISIONS: usize = 8;

/// Maximum number of old lines in which a new line without unique neighbours is looked for.
const WINDOW: usize = 1_000;

/// Equal lines in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) old: usize,
    pub(super) new: usize,
    pub(super) len: usize,
}

/// Two texts whose lines are compared, with the position of their first lines.
#[derive(Clone, Copy)]
struct Pair<'t> {
    old: &'t [&'t [u8]],
    new: &'t [&'t [u8]],
    old_start: usize,
    new_start: usize,
}

/// Returns the lines that two texts share, in order.
pub(super) fn shared(old: &[&[u8]], new: &[&[u8]]) -> Vec<Run> {
    let mut runs = Vec::new();
    let pair = Pair {
        old,
        new,
        old_start: 0,
        new_start: 0,
    };
    pair.compare(MAX_DIVISIONS, &mut runs);
    runs
}

impl<'t> Pair<'t> {
    /// Returns the lines of some positions.
    fn part(&self, old: (usize, usize), new: (usize, usize)) -> Self {
        Self {
            old: &self.old[old.0..old.1],
            new: &self.new[new.0..new.1],
            old_start: self.old_start + old.0,
            new_start: self.new_start + new.0,
        }
    }

    fn add(&self, old: usize, new: usize, len: usize, runs: &mut Vec<Run>) {
        if len > 0 {
            runs.push(Run {
                old: self.old_start + old,
                new: self.new_start + new,
                len,
            });
        }
    }

    fn compare(&self, n_divisions: usize, runs: &mut Vec<Run>) {
        let n_lines = self.old.len().min(self.new.len());
        let is_same = |idx: &usize| self.old[*idx] == self.new[*idx];
        let n_first = (0..n_lines).take_while(is_same).count();
        let (old_end, new_end) = (self.old.len(), self.new.len());
        let is_same_end = |n: &usize| self.old[old_end - n] == self.new[new_end - n];
        let n_last = (1..=n_lines - n_first).take_while(is_same_end).count();
        self.add(0, 0, n_first, runs);
        let middle = self.part((n_first, old_end - n_last), (n_first, new_end - n_last));
        if middle.old.len() + middle.new.len() <= MAX_EXACT {
            middle.exactly(runs);
        } else {
            middle.divide(n_divisions, runs);
        }
        self.add(old_end - n_last, new_end - n_last, n_last, runs);
    }

    /// Adds the longest common lines.
    fn exactly(&self, runs: &mut Vec<Run>) {
        for op in similar::capture_diff_slices(Algorithm::Myers, self.old, self.new) {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = op
            {
                self.add(old_index, new_index, len, runs);
            }
        }
    }

    /// Compares the lines between those that are unique in both texts.
    fn divide(&self, n_divisions: usize, runs: &mut Vec<Run>) {
        let anchors = self.anchors();
        if anchors.is_empty() || n_divisions == 0 {
            return self.in_order(runs);
        }
        let (mut old, mut new) = (0, 0);
        for anchor in anchors {
            let between = self.part((old, anchor.old), (new, anchor.new));
            between.compare(n_divisions - 1, runs);
            self.add(anchor.old, anchor.new, 1, runs);
            (old, new) = (anchor.old + 1, anchor.new + 1);
        }
        let rest = self.part((old, self.old.len()), (new, self.new.len()));
        rest.compare(n_divisions - 1, runs);
    }

    /// Returns the longest sequence of lines that are unique in both texts and in the same order.
    fn anchors(&self) -> Vec<Run> {
        let old_unique = unique(self.old);
        let new_unique = unique(self.new);
        let mut candidates: Vec<Run> = Vec::new();
        for (new, line) in self.new.iter().enumerate() {
            if new_unique.get(line) == Some(&Some(new))
                && let Some(Some(old)) = old_unique.get(line)
            {
                candidates.push(Run {
                    old: *old,
                    new,
                    len: 1,
                });
            }
        }
        // The candidate at the end of the best sequence of each length, and the one before each candidate.
        let mut ends: Vec<usize> = Vec::new();
        let mut before: Vec<Option<usize>> = Vec::new();
        for (idx, candidate) in candidates.iter().enumerate() {
            let n_before = ends.partition_point(|end| candidates[*end].old < candidate.old);
            before.push(n_before.checked_sub(1).map(|last| ends[last]));
            ends.truncate(ends.len().max(n_before));
            if n_before == ends.len() {
                ends.push(idx);
            } else {
                ends[n_before] = idx;
            }
        }
        let mut anchors = Vec::new();
        let mut next = ends.last().copied();
        while let Some(idx) = next {
            anchors.push(candidates[idx]);
            next = before[idx];
        }
        anchors.reverse();
        anchors
    }

    /// Adds lines in the order in which they are found, which may be fewer than there are.
    fn in_order(&self, runs: &mut Vec<Run>) {
        let mut from = 0;
        for (new, line) in self.new.iter().enumerate() {
            let to = self.old.len().min(from + WINDOW);
            let found = self.old[from..to].iter().position(|old| old == line);
            if let Some(n_skipped) = found {
                self.add(from + n_skipped, new, 1, runs);
                from += n_skipped + 1;
            }
        }
    }
}

/// Returns the position of each line, or none if it occurs more than once.
fn unique<'t>(lines: &[&'t [u8]]) -> FxHashMap<&'t [u8], Option<usize>> {
    let mut positions = FxHashMap::default();
    for (idx, line) in lines.iter().enumerate() {
        let known = positions.entry(*line).or_insert(Some(idx));
        if *known != Some(idx) {
            *known = None;
        }
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_between_unique_ones_is_found_in_texts_of_any_length() {
        let text = |seed: usize| {
            let mut lines = Vec::new();
            for idx in 0..12_000 {
                lines.push(format!("x{}", (idx * seed) % 40));
            }
            lines.extend(["unique a", "print()", "unique b"].map(str::to_owned));
            for idx in 0..12_000 {
                lines.push(format!("x{}", (idx * (seed + 2)) % 40));
            }
            lines
        };
        let (old, new) = (text(7), text(11));
        let old: Vec<&[u8]> = old.iter().map(String::as_bytes).collect();
        let new: Vec<&[u8]> = new.iter().map(String::as_bytes).collect();
        let runs = shared(&old, &new);
        assert!(
            runs.iter()
                .any(|run| run.new <= 12_001 && run.new + run.len > 12_001)
        );
        for run in &runs {
            assert_eq!(old[run.old..][..run.len], new[run.new..][..run.len]);
        }
        let is_in_order = |pair: &[Run]| {
            pair[0].old + pair[0].len <= pair[1].old && pair[0].new + pair[0].len <= pair[1].new
        };
        assert!(runs.windows(2).all(is_in_order));
    }
}
