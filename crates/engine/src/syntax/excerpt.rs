//! Shortens code to the lines that show a rule.
//!
//! An excerpt has the signature of the definition and the lines with the words and names of the
//! rule, each with its statement and the signatures around it, then the lines next to them, and a
//! comment in place of the others. Licences and imports at the head of a file are not shown. The
//! common indentation is removed.

mod structure;

use std::collections::BTreeMap;

use cerberus_model::Language;
use structure::{Definition, LineKind, Structure, indentation};

use super::language;

/// The first and last line of a range, both inclusive and 0-based.
type Lines = (usize, usize);

/// Number of lines up to which lines next to the evidence are added.
const CONTEXT_LINES: usize = 12;

/// Maximum number of lines of a nested signature.
const NESTED_HEAD_LINES: usize = 3;

/// A line is evidence if it has at least this part of the weight of the first one.
const MIN_GAIN: f64 = 0.4;

/// The words and names of a rule in a line: distinct numbers with their weights.
pub(crate) type Evidence = Vec<(usize, f64)>;

/// A file with code.
#[derive(Debug, Clone, Copy)]
pub struct Source<'t> {
    /// `None` if it is not known.
    pub language: Option<Language>,
    pub text: &'t str,
}

/// Shortened code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt {
    pub text: String,
    /// The lines of the file that the text has, in order.
    pub(crate) lines: Vec<Lines>,
}

impl Excerpt {
    /// Returns an excerpt of lines above those of another one, with both.
    pub(crate) fn followed_by(mut self, other: Self) -> Self {
        if !self.text.is_empty() && !other.text.is_empty() {
            self.text.push('\n');
        }
        self.text += &other.text;
        self.lines.extend(other.lines);
        self
    }
}

/// Returns the first lines with words of the comment and the attributes directly above a line.
pub(crate) fn comment_above(text: &str, line: usize, max_lines: usize) -> Excerpt {
    let lines: Vec<&str> = text.lines().take(line).collect();
    // The last line is directly above.
    let mut first = None;
    for (row, line) in lines.iter().enumerate().rev() {
        if !structure::describes(line) {
            break;
        }
        if line.contains(char::is_alphanumeric) {
            first = Some(row);
        }
    }
    let Some(first) = first else {
        return Excerpt::default();
    };
    let mut shown: Vec<String> = lines[first..]
        .iter()
        .take(max_lines)
        .map(|line| (*line).to_owned())
        .collect();
    dedent(&mut shown);
    let mut ranges = Vec::new();
    if !shown.is_empty() {
        ranges.push((first, first + shown.len() - 1));
    }
    Excerpt {
        text: shown.join("\n"),
        lines: ranges,
    }
}

/// Returns the lines `first..=last` of a file, shortened to `max_lines`.
pub(crate) fn excerpt(
    Source { language, text }: Source<'_>,
    (first, last): Lines,
    max_lines: usize,
    evidence: impl Fn(&str) -> Evidence,
) -> Excerpt {
    let lines: Vec<&str> = text.lines().collect();
    let last = last.min(lines.len().saturating_sub(1));
    if first > last || lines.is_empty() || max_lines == 0 {
        return Excerpt::default();
    }
    let page = Page {
        language,
        lines: &lines,
        max_lines,
    };
    let is_short = last - first < max_lines;
    // Only the head of a file has lines that a short excerpt omits.
    if is_short && first > 0 {
        return page.render((first, last), &vec![true; last + 1]);
    }
    let structure = Structure::new(language, text, &lines, (first, last));
    let class_line = structure.class_line().filter(|line| *line < first);
    let mut selection = Selection {
        lines: &lines,
        structure: &structure,
        first,
        last,
        max_lines,
        shown: vec![false; last + 1],
    };
    if is_short && selection.show_all_code() {
        return page.render((first, last), &selection.shown);
    }
    let weights = Weights::new(&selection, evidence, class_line);
    selection.show_head();
    selection.show_class(&weights, class_line);
    let centers = selection.show_evidence(&weights);
    selection.show_closing_bracket();
    if centers.is_empty() {
        selection.show_start();
    } else {
        selection.show_context(&centers);
    }
    selection.close();
    page.render((selection.first, last), &selection.shown)
}

/// The evidence of the lines of a definition.
struct Weights {
    /// By line.
    evidence: BTreeMap<usize, Evidence>,
}

impl Weights {
    /// A word on many lines of the definition weighs less on each of them.
    fn new(
        selection: &Selection<'_>,
        find: impl Fn(&str) -> Evidence,
        class_line: Option<usize>,
    ) -> Self {
        let mut evidence: BTreeMap<usize, Evidence> = BTreeMap::new();
        for row in (selection.first..=selection.last).chain(class_line) {
            if selection.structure.kinds[row] == LineKind::Licence {
                continue;
            }
            let found = find(selection.lines[row]);
            if !found.is_empty() {
                evidence.insert(row, found);
            }
        }
        let mut n_lines: BTreeMap<usize, usize> = BTreeMap::new();
        for (id, _) in evidence.values().flatten() {
            *n_lines.entry(*id).or_default() += 1;
        }
        for (id, weight) in evidence.values_mut().flatten() {
            *weight /= (n_lines[id] as f64).sqrt();
        }
        Self { evidence }
    }

    /// Returns the weight of a line without the words that are covered.
    fn gain(&self, row: usize, covered: &[usize]) -> f64 {
        let uncovered = self
            .found(row)
            .iter()
            .filter(|(id, _)| !covered.contains(id));
        uncovered.map(|(_, weight)| weight).sum()
    }

    fn ids(&self, row: usize) -> impl Iterator<Item = usize> {
        self.found(row).iter().map(|(id, _)| *id)
    }

    fn found(&self, row: usize) -> &[(usize, f64)] {
        self.evidence
            .get(&row)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }
}

/// The lines that are shown, while they are chosen.
pub(crate) struct Selection<'a> {
    lines: &'a [&'a str],
    structure: &'a Structure,
    /// The first line of the definition, or that of its class if it is shown.
    first: usize,
    last: usize,
    max_lines: usize,
    /// By line of the file.
    shown: Vec<bool>,
}

impl Selection<'_> {
    /// Shows all lines except those at the head of the file; returns whether there are any.
    fn show_all_code(&mut self) -> bool {
        let mut has_code = false;
        for row in self.first..=self.last {
            self.shown[row] = !self.is_file_head(row);
            has_code |= self.shown[row] && !self.is_blank(row);
        }
        has_code && self.n_rendered(&self.shown) <= self.max_lines
    }

    /// Shows the signature, or the first line if the definition has none.
    fn show_head(&mut self) {
        self.shown.fill(false);
        let budget = (self.max_lines / 3).max(1);
        let Some(head) = self.structure.whole((self.first, self.last)) else {
            let is_file = self.first == 0 && self.last + 1 == self.lines.len();
            let first = (self.first..=self.last).find(|row| !self.is_blank(*row));
            if let Some(first) = first.filter(|_| !is_file) {
                self.shown[first] = true;
            }
            return;
        };
        let end = head.head_end;
        for start in [self.first, head.name] {
            if end - start < budget && !(start..end).any(|row| self.is_file_head(row)) {
                self.shown[start..=end].fill(true);
                return;
            }
        }
        self.shown[head.name] = true;
        self.try_show(&[(end, end)], self.max_lines);
    }

    /// Shows the line of the class if only it has words of the rule.
    fn show_class(&mut self, weights: &Weights, class_line: Option<usize>) {
        let Some(row) = class_line else { return };
        let inside: Vec<usize> = (self.first..=self.last)
            .flat_map(|inside| weights.ids(inside))
            .collect();
        if weights.gain(row, &inside) > 0.0 {
            let before = self.first;
            self.first = row;
            if !self.try_show(&[(row, row)], self.max_lines) {
                self.first = before;
            }
        }
    }

    /// Shows the lines with the most words of the rule; returns them, the best first.
    fn show_evidence(&mut self, weights: &Weights) -> Vec<usize> {
        for kind in [LineKind::Code, LineKind::Import, LineKind::Comment] {
            let rows = (self.first..=self.last).filter(|row| self.structure.kinds[*row] == kind);
            let mut rest: Vec<usize> = rows
                .filter(|row| !self.shown[*row] && weights.gain(*row, &[]) > 0.0)
                .collect();
            let mut covered = Vec::new();
            let mut found = Vec::new();
            let mut least = 0.0;
            while let Some((idx, gain)) = best(&rest, |row| weights.gain(row, &covered)) {
                if gain <= least {
                    break;
                }
                if found.is_empty() {
                    least = gain * MIN_GAIN;
                }
                let row = rest.remove(idx);
                if self.shown[row] || self.show_statement(row) {
                    covered.extend(weights.ids(row));
                    found.push(row);
                }
            }
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Shows a line with its statement and the code around it, as far as there is room.
    fn show_statement(&mut self, row: usize) -> bool {
        let (start, end) = self.structure.statement(row, self.lines);
        let start = start.max(self.first);
        let mut nearest = (row, row);
        let mut whole = Vec::new();
        for definition in self.structure.containing(start) {
            let Definition { name, head_end, .. } = definition;
            nearest = (name, head_end.min(name + NESTED_HEAD_LINES - 1));
            whole.push(nearest);
        }
        if let Some(block_start) = self.block_start(start) {
            whole.push((block_start, block_start));
        }
        whole.push((start, end.min(self.last)));
        self.try_show(&whole, self.max_lines)
            || self.try_show(&[nearest, (row, row)], self.max_lines)
    }

    /// Returns the line that opens the block around a line: the last one before it with less
    /// indentation.
    fn block_start(&self, row: usize) -> Option<usize> {
        let depth = indentation(self.lines[row]).len();
        let mut above = (self.first..row).rev();
        above.find(|row| self.is_code(*row) && indentation(self.lines[*row]).len() < depth)
    }

    /// Shows the last line if it only closes the definition.
    fn show_closing_bracket(&mut self) {
        let Some(head) = self.structure.whole((self.first, self.last)) else {
            return;
        };
        let last = self.lines[self.last];
        let depth = indentation(self.lines[head.name]).len();
        if !last.contains(char::is_alphanumeric) && indentation(last).len() == depth {
            self.try_show(&[(self.last, self.last)], self.max_lines);
        }
    }

    /// Shows the first lines of code below the signature, for code without evidence.
    fn show_start(&mut self) {
        let limit = self.max_lines.min(CONTEXT_LINES);
        let start = if let Some(head) = self.structure.whole((self.first, self.last)) {
            head.head_end
        } else if let Some(definition) = self.structure.definitions.first() {
            definition.name
        } else {
            let mut rows = self.first..=self.last;
            rows.find(|row| self.is_code(*row)).unwrap_or(self.first)
        };
        for row in start..=self.last {
            let is_shown = self.is_blank(row) || self.is_code(row);
            if is_shown && !self.show_whole(row, limit) {
                break;
            }
        }
        if self.shown.contains(&true) {
            return;
        }
        let rows = self.first..=self.last;
        // A statement without room is cut.
        if let Some(row) = rows.clone().find(|row| self.is_code(*row)) {
            self.shown[row] = true;
            return;
        }
        let kinds = &self.structure.kinds;
        let imports = rows.filter(|row| kinds[*row] == LineKind::Import);
        for row in imports.take(limit - 1) {
            self.shown[row] = true;
        }
    }

    /// Shows lines next to the evidence, in the same definition.
    fn show_context(&mut self, centers: &[usize]) {
        let limit = self.max_lines.min(CONTEXT_LINES);
        let mut ranges: Vec<(usize, Lines)> = Vec::new();
        for &center in centers {
            let range = match self.structure.containing(center).next_back() {
                Some(inner) => (inner.start.max(self.first), inner.end.min(self.last)),
                None => (self.first, self.last),
            };
            ranges.push((center, range));
        }
        for distance in 1..=limit {
            for &(center, (start, end)) in &ranges {
                let rows = [center.checked_add(distance), center.checked_sub(distance)];
                for row in rows.into_iter().flatten() {
                    if (start..=end).contains(&row) && !self.is_file_head(row) {
                        self.show_whole(row, limit);
                    }
                }
            }
        }
    }

    /// Shows a line with its statement or comment if the excerpt then has at most `limit` lines.
    fn show_whole(&mut self, row: usize, limit: usize) -> bool {
        let (start, end) = if self.is_comment(row) {
            self.comment(row)
        } else {
            self.structure.statement(row, self.lines)
        };
        self.try_show(&[(start.max(self.first), end)], limit)
    }

    /// Returns the lines of the comment around a line of it.
    fn comment(&self, row: usize) -> Lines {
        let mut start = row;
        while start > self.first && self.is_comment(start - 1) {
            start -= 1;
        }
        let mut end = row;
        while end < self.last && self.is_comment(end + 1) {
            end += 1;
        }
        (start, end)
    }

    /// Shows single lines in place of a comment about them, and omits blank lines beside a comment.
    fn close(&mut self) {
        // A line in place of its comment does not change the number of lines.
        if self.n_rendered(&self.shown) <= self.max_lines {
            for row in self.first..=self.last {
                let follows = row == self.first || self.shown[row - 1];
                let precedes = row == self.last || self.shown[row + 1];
                if follows && precedes && !self.is_file_head(row) {
                    self.shown[row] = true;
                }
            }
        }
        let rows = self.first..=self.last;
        for row in rows.clone().chain(rows.rev()) {
            let is_beside_omitted = (row > self.first && !self.shown[row - 1])
                || (row < self.last && !self.shown[row + 1]);
            if self.is_blank(row) && is_beside_omitted {
                self.shown[row] = false;
            }
        }
    }

    /// Shows lines in addition if the excerpt then has at most `limit` lines.
    fn try_show(&mut self, ranges: &[Lines], limit: usize) -> bool {
        let mut shown = self.shown.clone();
        for &(start, end) in ranges {
            shown[start..=end.min(self.last)].fill(true);
        }
        let fits = self.n_rendered(&shown) <= limit;
        if fits {
            self.shown = shown;
        }
        fits
    }

    /// Returns the number of lines of an excerpt, with the comments in place of omitted ones.
    fn n_rendered(&self, shown: &[bool]) -> usize {
        let mut n_rendered = 0;
        for row in self.first..=self.last {
            let starts_gap = row == self.first || shown[row - 1];
            if shown[row] || starts_gap {
                n_rendered += 1;
            }
        }
        n_rendered
    }

    fn is_blank(&self, row: usize) -> bool {
        self.lines[row].trim().is_empty()
    }

    fn is_comment(&self, row: usize) -> bool {
        self.structure.kinds[row] == LineKind::Comment
    }

    fn is_code(&self, row: usize) -> bool {
        self.structure.kinds[row] == LineKind::Code && !self.is_blank(row)
    }

    /// Whether a line is a licence or an import.
    fn is_file_head(&self, row: usize) -> bool {
        matches!(
            self.structure.kinds[row],
            LineKind::Licence | LineKind::Import
        )
    }
}

/// Returns the index of the first row of the highest weight, and the weight.
fn best(rows: &[usize], weight: impl Fn(usize) -> f64) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    for (idx, row) in rows.iter().enumerate() {
        let weight = weight(*row);
        if best.is_none_or(|(_, highest)| weight.total_cmp(&highest).is_gt()) {
            best = Some((idx, weight));
        }
    }
    best
}

/// The lines from which an excerpt is rendered.
struct Page<'a> {
    language: Option<Language>,
    lines: &'a [&'a str],
    max_lines: usize,
}

impl Page<'_> {
    /// Returns the shown lines without their common indentation, and comments in place of the others.
    fn render(&self, (first, last): Lines, shown: &[bool]) -> Excerpt {
        let Self {
            language,
            lines,
            max_lines,
        } = *self;
        let n_shown = (first..=last).filter(|row| shown[*row]).count();
        let mut n_comments = max_lines.saturating_sub(n_shown);
        let mut text = Vec::new();
        let mut ranges = Vec::new();
        let mut row = first;
        while row <= last {
            let is_shown = shown[row];
            let mut end = row;
            while end < last && shown[end + 1] == is_shown {
                end += 1;
            }
            let part = &lines[row..=end];
            if is_shown {
                text.extend(part.iter().map(|line| (*line).to_owned()));
                ranges.push((row, end));
            } else if n_comments > 0 && part.iter().any(|line| !line.trim().is_empty()) {
                text.push(omission(language, part));
                n_comments -= 1;
            }
            row = end + 1;
        }
        dedent(&mut text);
        Excerpt {
            text: text.join("\n"),
            lines: ranges,
        }
    }
}

/// Removes the common indentation, which costs LLM tokens without being information.
fn dedent(lines: &mut [String]) {
    let filled = || lines.iter().filter(|line| !line.trim().is_empty());
    let indentations = filled().map(|line| indentation(line));
    let Some(least) = indentations.min_by_key(|indentation| indentation.len()) else {
        return;
    };
    if filled().all(|line| line.starts_with(least)) {
        let common = least.to_owned();
        for line in lines {
            *line = line.strip_prefix(&common).unwrap_or_default().to_owned();
        }
    }
}

/// Returns the comment that replaces omitted lines.
fn omission(language: Option<Language>, lines: &[&str]) -> String {
    let line = lines
        .iter()
        .find(|line| !line.trim().is_empty())
        .copied()
        .unwrap_or_default();
    let indentation = indentation(line);
    let comment = match language.and_then(language::tables) {
        Some(tables) => format!("{} ", tables.spec.line_comment),
        None => String::new(),
    };
    let plural = if lines.len() == 1 { "" } else { "s" };
    format!("{indentation}{comment}… {} line{plural}", lines.len())
}

#[cfg(test)]
mod tests;
