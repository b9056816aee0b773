//! What a definition is called by, as its grammar writes it.

use tree_sitter::Node;

use crate::syntax::language::Compiled;

use super::span;

/// Returns whether a node is a name and no pattern.
pub(super) fn is_plain_name(node: Node<'_>) -> bool {
    node.child_count() == 0 || node.kind() == "type" || node.kind() == "private_property_identifier"
}

/// Returns the name of the type in `node` without pointers, references and parameters:
/// `*Server[T]` and `(s *Server)` are `Server`, `fmt::Display` is `Display`.
pub(super) fn type_name<'t>(node: Node<'_>, tables: &Compiled, text: &'t str) -> &'t str {
    let mut found = node;
    loop {
        let next = match found.kind() {
            "parameter_list" => found.named_child(0),
            "parameter_declaration" | "pointer_type" | "generic_type" | "reference_type" => {
                tables.child(found, "type").or_else(|| found.named_child(0))
            }
            "scoped_type_identifier" | "qualified_type" => tables.child(found, "name"),
            "parenthesized_type" => found.named_child(0),
            _ => None,
        };
        match next {
            Some(next) => found = next,
            None => break,
        }
    }
    let name = span(found).slice(text);
    // Tuples, slices and the like have no name of their own: their text stands for them.
    name.lines().next().unwrap_or(name)
}
