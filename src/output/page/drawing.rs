//! The links of memories as a drawing: on the left who speaks, on the right what of.
//!
//! A memory that does both stands on both sides, so that every line goes one way and
//! the names are read without turning the head. The table of links says all of it, and
//! more, in words.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use crate::ops::links::Edge;
use crate::text;

/// With more names than this a drawing shows that there are many, and nothing else.
const MAX_NAMES: usize = 60;

/// How many letters of a name there is room for.
const MAX_LETTERS: usize = 38;

const ROW: usize = 26;
/// A letter at the size that the style sheet gives it.
const LETTER: usize = 8;
/// Between the names and the points, and between the points of both sides.
const MARGIN: usize = 8;
const GAP: usize = 168;

/// Returns the drawing, unless there is too much to draw.
pub(super) fn drawing(edges: &[Edge]) -> Option<Markup> {
    let lines: BTreeSet<(&str, &str)> =
        edges.iter().map(|edge| (edge.source.as_str(), edge.node.as_str())).collect();
    let broken: BTreeSet<&str> =
        edges.iter().filter(|edge| edge.is_broken()).map(|edge| edge.node.as_str()).collect();
    let mut speakers: Vec<&str> = lines.iter().map(|(source, _)| *source).collect();
    speakers.dedup();
    let row: BTreeMap<&str, usize> =
        speakers.iter().enumerate().map(|(at, it)| (*it, at)).collect();
    let targets = in_order(&lines, &row);
    if speakers.len() + targets.len() > MAX_NAMES {
        return None;
    }
    let froms: Vec<String> = speakers.iter().map(|it| short(it)).collect();
    let tos: Vec<String> = targets
        .iter()
        .map(|it| short(name(it)) + if broken.contains(it) { " (broken)" } else { "" })
        .collect();
    let width = |names: &[String]| {
        let n_letters = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        n_letters * LETTER + MARGIN
    };
    let left = width(&froms);
    let right = left + GAP;
    let whole = right + width(&tos);
    let n_rows = speakers.len().max(targets.len());
    let height = ROW * n_rows + ROW;
    let y = |at: usize, n: usize| ROW + at * ROW + (n_rows - n) * ROW / 2;
    let target_row: BTreeMap<&str, usize> =
        targets.iter().enumerate().map(|(at, it)| (*it, at)).collect();
    let path = |source: &str, target: &str| {
        let (from, to) = (y(row[source], speakers.len()), y(target_row[target], targets.len()));
        let middle = (left + right) / 2;
        format!("M{left} {from}C{middle} {from} {middle} {to} {right} {to}")
    };
    Some(html! {
        section.wide tabindex="0" aria-label="Drawing of the links" {
            svg role="img" aria-label={
                "Drawing of " (lines.len()) " links from " (speakers.len()) " memories to "
                (targets.len()) " targets; the table below lists them."
            } viewBox={ "0 0 " (whole) " " (height) } width=(whole) height=(height) {
                @for (source, target) in &lines {
                    path.edge.broken[broken.contains(target)] d=(path(source, target)) {}
                }
                @for (at, from) in froms.iter().enumerate() {
                    circle cx=(left) cy=(y(at, froms.len())) r="3" {}
                    text.from x=(left - MARGIN) y=(y(at, froms.len()) + 4) { (from) }
                }
                @for (at, to) in tos.iter().enumerate() {
                    circle cx=(right) cy=(y(at, tos.len())) r="3" {}
                    text.broken[broken.contains(targets[at])]
                        x=(right + MARGIN) y=(y(at, tos.len()) + 4) { (to) }
                }
            }
        }
    })
}

/// Returns the targets, each as near as can be to those who speak of it.
fn in_order<'a>(lines: &BTreeSet<(&str, &'a str)>, row: &BTreeMap<&str, usize>) -> Vec<&'a str> {
    let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (source, target) in lines {
        rows.entry(target).or_default().push(row[source]);
    }
    let mut placed: Vec<(usize, &str)> = rows
        .into_iter()
        .map(|(target, rows)| (rows.iter().sum::<usize>() * 1000 / rows.len(), target))
        .collect();
    placed.sort_unstable();
    placed.into_iter().map(|(_, target)| target).collect()
}

fn name(node: &str) -> &str {
    node.split_once(':').map_or(node, |(_, name)| name)
}

/// Returns a name with its start left out where it has no room: its end tells more.
fn short(name: &str) -> String {
    let name = text::escaped(name);
    let n_letters = name.chars().count();
    if n_letters <= MAX_LETTERS {
        return name;
    }
    let end: String = name.chars().skip(n_letters - MAX_LETTERS + 1).collect();
    format!("…{end}")
}
