//! The links of memories as a drawing, with memories on the left and targets on the right.
//!
//! A memory that is also a target is drawn on both sides, so that all lines go from left to right.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use cerberus_bank::ops::links::Edge;
use cerberus_model::text;

/// Maximum number of labels. A larger drawing is not readable.
const MAX_LABELS: usize = 60;

/// Maximum number of characters of a label.
const MAX_CHARS: usize = 38;

/// Height of a row, and width of a character at the font size of the style sheet.
const ROW: usize = 26;
const CHAR: usize = 8;

/// Between labels and points, and between the points of both sides.
const MARGIN: usize = 8;
const GAP: usize = 168;

/// Places of the parts of a drawing.
#[derive(Serialize)]
pub(super) struct Drawing {
    width: usize,
    height: usize,
    /// The points of both sides.
    left: usize,
    right: usize,
    sources: Vec<Label>,
    targets: Vec<Label>,
    lines: Vec<Line>,
}

#[derive(Serialize)]
struct Label {
    text: String,
    y: usize,
    is_broken: bool,
}

/// A line from a source to a target, by their heights.
#[derive(Serialize)]
struct Line {
    from: usize,
    to: usize,
    is_broken: bool,
}

/// Returns the drawing, or `None` if there are too many labels.
pub(super) fn drawing(edges: &[Edge]) -> Option<Drawing> {
    let lines: BTreeSet<(&str, &str)> =
        edges.iter().map(|edge| (edge.source.as_str(), edge.node.as_str())).collect();
    let broken: BTreeSet<&str> =
        edges.iter().filter(|edge| edge.is_broken()).map(|edge| edge.node.as_str()).collect();
    let mut sources: Vec<&str> = lines.iter().map(|(source, _)| *source).collect();
    sources.dedup();
    let source_rows = rows(&sources);
    let targets = ordered_targets(&lines, &source_rows);
    let target_rows = rows(&targets);
    if sources.len() + targets.len() > MAX_LABELS {
        return None;
    }
    let n_rows = sources.len().max(targets.len());
    let y = |row: usize, n: usize| ROW + row * ROW + (n_rows - n) * ROW / 2;
    let source_label = |(row, source): (usize, &&str)| Label {
        text: label(source),
        y: y(row, sources.len()),
        is_broken: false,
    };
    let target_label = |(row, target): (usize, &&str)| {
        let name = target.split_once(':').map_or(*target, |(_, name)| name);
        let is_broken = broken.contains(target);
        let text = label(name) + if is_broken { " (broken)" } else { "" };
        Label { text, y: y(row, targets.len()), is_broken }
    };
    let line = |(source, target): &(&str, &str)| Line {
        from: y(source_rows[source], sources.len()),
        to: y(target_rows[target], targets.len()),
        is_broken: broken.contains(target),
    };
    let lines = lines.iter().map(line).collect();
    let sources: Vec<Label> = sources.iter().enumerate().map(source_label).collect();
    let targets: Vec<Label> = targets.iter().enumerate().map(target_label).collect();
    let width = |labels: &[Label]| {
        let n_chars = labels.iter().map(|label| label.text.chars().count()).max().unwrap_or(0);
        n_chars * CHAR + MARGIN
    };
    let left = width(&sources);
    let right = left + GAP;
    let (width, height) = (right + width(&targets), ROW * n_rows + ROW);
    Some(Drawing { width, height, left, right, sources, targets, lines })
}

fn rows<'a>(names: &[&'a str]) -> BTreeMap<&'a str, usize> {
    names.iter().enumerate().map(|(row, name)| (*name, row)).collect()
}

/// Returns the targets ordered by the mean row of their sources, so that lines are short.
fn ordered_targets<'a>(
    lines: &BTreeSet<(&str, &'a str)>,
    source_rows: &BTreeMap<&str, usize>,
) -> Vec<&'a str> {
    let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (source, target) in lines {
        rows.entry(target).or_default().push(source_rows[source]);
    }
    let mean = |rows: &[usize]| rows.iter().sum::<usize>() * 1000 / rows.len();
    let mut targets: Vec<(usize, &str)> =
        rows.into_iter().map(|(target, rows)| (mean(&rows), target)).collect();
    targets.sort_unstable();
    targets.into_iter().map(|(_, target)| target).collect()
}

/// Returns the end of a name, which identifies it better than the start.
fn label(name: &str) -> String {
    let name = text::escaped(name);
    let n_chars = name.chars().count();
    if n_chars <= MAX_CHARS {
        return name;
    }
    let end: String = name.chars().skip(n_chars - MAX_CHARS + 1).collect();
    format!("…{end}")
}
