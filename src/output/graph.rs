//! The links of memories as text that draws a graph.
//!
//! Names come from people's files, so that each is quoted as its language wants it.

use std::collections::BTreeMap;

use crate::ops::links::Edge;

/// Returns the graph in Graphviz's language; ghosts are dashed, broken edges red.
pub(crate) fn dot(edges: &[Edge]) -> String {
    let quoted = |text: &str| {
        let plain: String = text.chars().filter(|c| !c.is_control()).collect();
        format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
    };
    let mut lines = vec!["digraph memories {".to_owned(), "  rankdir=LR;".to_owned()];
    for (node, label) in nodes(edges) {
        let style = if is_ghost(node) { ", style=dashed" } else { "" };
        lines.push(format!("  {} [label={}{style}];", quoted(node), quoted(label)));
    }
    for edge in edges {
        let color = if edge.is_broken() { ", color=red" } else { "" };
        lines.push(format!(
            "  {} -> {} [label={}{color}];",
            quoted(&edge.source_node),
            quoted(&edge.node),
            quoted(edge.edge_type.as_str())
        ));
    }
    lines.push("}".to_owned());
    lines.join("\n")
}

/// Returns the graph in Mermaid's language; ghosts are rounded, broken edges dotted.
pub(crate) fn mermaid(edges: &[Edge]) -> String {
    let quoted = |text: &str| {
        let mut safe = String::new();
        for c in text.chars().filter(|c| !c.is_control()) {
            match c {
                '"' | '#' | '<' | '>' | '&' | '`' => safe += &format!("#{};", u32::from(c)),
                _ => safe.push(c),
            }
        }
        format!("\"{safe}\"")
    };
    let nodes = nodes(edges);
    let names: BTreeMap<&str, String> =
        nodes.keys().enumerate().map(|(n, node)| (*node, format!("n{n}"))).collect();
    let mut lines = vec!["graph LR".to_owned()];
    for (node, label) in &nodes {
        let label = quoted(label);
        let name = &names[node];
        lines.push(match is_ghost(node) {
            true => format!("  {name}({label})"),
            false => format!("  {name}[{label}]"),
        });
    }
    for edge in edges {
        let arrow = if edge.is_broken() { "-.->" } else { "-->" };
        let (from, to) = (&names[edge.source_node.as_str()], &names[edge.node.as_str()]);
        lines.push(format!("  {from} {arrow}|{}| {to}", edge.edge_type));
    }
    lines.join("\n")
}

fn is_ghost(node: &str) -> bool {
    node.starts_with("ghost:")
}

/// Returns the nodes with what to call them.
fn nodes(edges: &[Edge]) -> BTreeMap<&str, &str> {
    let mut found = BTreeMap::new();
    for edge in edges {
        found.insert(edge.node.as_str(), edge.node.split_once(':').map_or("", |it| it.1));
    }
    for edge in edges {
        found.insert(edge.source_node.as_str(), edge.source.as_str());
    }
    found
}
