//! Links of memories as Graphviz and Mermaid graphs.
//!
//! Names come from files of the repository, so they are escaped for each format.

use std::collections::BTreeMap;

use cerberus_bank::ops::links::Edge;

/// Returns a Graphviz graph. Ghosts are dashed, broken links are red.
pub(crate) fn dot(edges: &[Edge]) -> String {
    let quote = |text: &str| {
        let printable: String = text.chars().filter(|c| !c.is_control()).collect();
        format!("\"{}\"", printable.replace('\\', "\\\\").replace('"', "\\\""))
    };
    let mut lines = vec!["digraph memories {".to_owned(), "  rankdir=LR;".to_owned()];
    for (node, label) in nodes(edges) {
        let style = if is_ghost(node) { ", style=dashed" } else { "" };
        lines.push(format!("  {} [label={}{style}];", quote(node), quote(label)));
    }
    for edge in edges {
        let color = if edge.is_broken() { ", color=red" } else { "" };
        lines.push(format!(
            "  {} -> {} [label={}{color}];",
            quote(&edge.source_node),
            quote(&edge.node),
            quote(edge.relation.as_str())
        ));
    }
    lines.push("}".to_owned());
    lines.join("\n")
}

/// Returns a Mermaid graph. Ghosts are rounded, broken links are dotted.
pub(crate) fn mermaid(edges: &[Edge]) -> String {
    let quote = |text: &str| {
        let mut escaped = String::new();
        for c in text.chars().filter(|c| !c.is_control()) {
            match c {
                '"' | '#' | '<' | '>' | '&' | '`' => escaped += &format!("#{};", u32::from(c)),
                _ => escaped.push(c),
            }
        }
        format!("\"{escaped}\"")
    };
    let nodes = nodes(edges);
    let names: BTreeMap<&str, String> =
        nodes.keys().enumerate().map(|(idx, node)| (*node, format!("n{idx}"))).collect();
    let mut lines = vec!["graph LR".to_owned()];
    for (node, label) in &nodes {
        let label = quote(label);
        let name = &names[node];
        lines.push(match is_ghost(node) {
            true => format!("  {name}({label})"),
            false => format!("  {name}[{label}]"),
        });
    }
    for edge in edges {
        let arrow = if edge.is_broken() { "-.->" } else { "-->" };
        let (from, to) = (&names[edge.source_node.as_str()], &names[edge.node.as_str()]);
        lines.push(format!("  {from} {arrow}|{}| {to}", edge.relation));
    }
    lines.join("\n")
}

fn is_ghost(node: &str) -> bool {
    node.starts_with("ghost:")
}

/// Returns the label of each node.
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
