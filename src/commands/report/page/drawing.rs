//! The links of memories as a drawing, with memories on the left and targets on the right.
//!
//! A memory that is also a target is drawn on both sides, so that all lines go from left to right.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

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

/// Returns the drawing, or `None` if there are too many labels.
pub(super) fn drawing(edges: &[Edge]) -> Option<Markup> {
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
    let source_labels: Vec<String> = sources.iter().map(|source| label(source)).collect();
    let target_label = |target: &&str| {
        let name = target.split_once(':').map_or(*target, |(_, name)| name);
        label(name) + if broken.contains(target) { " (broken)" } else { "" }
    };
    let target_labels: Vec<String> = targets.iter().map(target_label).collect();
    let width = |labels: &[String]| {
        let n_chars = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        n_chars * CHAR + MARGIN
    };
    let left = width(&source_labels);
    let right = left + GAP;
    let total_width = right + width(&target_labels);
    let n_rows = sources.len().max(targets.len());
    let height = ROW * n_rows + ROW;
    let y = |row: usize, n: usize| ROW + row * ROW + (n_rows - n) * ROW / 2;
    let path = |source: &str, target: &str| {
        let from = y(source_rows[source], sources.len());
        let to = y(target_rows[target], targets.len());
        let middle = (left + right) / 2;
        format!("M{left} {from}C{middle} {from} {middle} {to} {right} {to}")
    };
    Some(html! {
        section.wide tabindex="0" aria-label="Drawing of the links" {
            svg role="img" aria-label={
                "Drawing of " (lines.len()) " links from " (sources.len()) " memories to "
                (targets.len()) " targets; the table below lists them."
            } viewBox={ "0 0 " (total_width) " " (height) } width=(total_width) height=(height) {
                @for (source, target) in &lines {
                    path.edge.broken[broken.contains(target)] d=(path(source, target)) {}
                }
                @for (row, label) in source_labels.iter().enumerate() {
                    circle cx=(left) cy=(y(row, sources.len())) r="3" {}
                    text.from x=(left - MARGIN) y=(y(row, sources.len()) + 4) { (label) }
                }
                @for (row, label) in target_labels.iter().enumerate() {
                    circle cx=(right) cy=(y(row, targets.len())) r="3" {}
                    text.broken[broken.contains(targets[row])]
                        x=(right + MARGIN) y=(y(row, targets.len()) + 4) { (label) }
                }
            }
        }
    })
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
