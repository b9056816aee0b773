//! Decides which tokens are layout: brackets and separators that a formatter adds or removes.
//!
//! The rules follow black, gofmt, prettier and rustfmt. The caller passes the parent of a node,
//! because tree-sitter would search for it from the root.

use tree_sitter::Node;

use super::language::{LanguageTables, NodeRole};

/// Returns whether the brackets of `node`, whose parent is `outer`, are layout.
pub(super) fn brackets_are_layout(
    node: Node<'_>,
    role: NodeRole,
    outer: Node<'_>,
    tables: &LanguageTables,
) -> bool {
    wraps_markup(node, role)
        || (tables.properties(outer).allows_paren_removal
            && is_redundant(node, role, outer, tables))
}

/// Returns whether `node` is the separator before the first of several alternatives.
pub(super) fn is_leading_separator(node: Node<'_>, text: &str, outer: Node<'_>) -> bool {
    matches!(text, "|" | "&")
        && node.start_byte() == outer.start_byte()
        && matches!(
            outer.kind(),
            "union_type" | "intersection_type" | "or_pattern"
        )
}

/// Returns whether `node` is the semicolon after Rust's `return`, `break` or `continue`, which
/// rustfmt adds.
pub(super) fn is_semicolon_after_jump(node: Node<'_>) -> bool {
    let jump = node.prev_sibling().map(|sibling| sibling.kind());
    matches!(
        jump,
        Some("return_expression" | "break_expression" | "continue_expression")
    )
}

/// Returns whether the text of an expression in markup is only a space.
pub(super) fn is_space(text: &str) -> bool {
    text.trim_matches(['{', '}', '\'', '"', ' ']).is_empty()
}

/// Returns whether a formatter may remove the brackets of `node` inside `outer`.
fn is_redundant(node: Node<'_>, role: NodeRole, outer: Node<'_>, tables: &LanguageTables) -> bool {
    match role {
        // In a statement that accepts a list, a tuple needs no brackets.
        NodeRole::Parens if node.kind().starts_with("tuple") => {
            let statement = outer.kind();
            let accepts_list = statement.ends_with("_statement")
                || statement.ends_with("assignment")
                || matches!(statement, "for_in_clause" | "yield");
            // The pattern `(x)` is `x`, but `(x,)`, with one more child, is a tuple.
            node.child_count() == 3 || (node.named_child_count() > 1 && accepts_list)
        }
        NodeRole::Parens if matches!(node.kind(), "argument_list" | "arguments") => {
            node.named_child_count() == 0
        }
        NodeRole::Parens => match only_child(node) {
            Some(only) => !changes_grouping(node, only, outer),
            None => true,
        },
        // A parameter with a type or a default value needs its parentheses.
        NodeRole::ParameterParens => {
            let Some(only) = only_child(node) else {
                return false;
            };
            let is_bare = only.child_count() == 0
                || (only.child_count() == 1 && only.kind() == "required_parameter");
            is_bare && outer.kind() == "arrow_function"
        }
        NodeRole::Block => {
            let Some(only) = only_child(node) else {
                return false;
            };
            let kind = only.kind();
            (!kind.ends_with("_statement") || only.child_count() == 1)
                && !kind.ends_with("_item")
                && !kind.ends_with("_declaration")
                && tables.role(only) != NodeRole::Comment
        }
        _ => false,
    }
}

/// Returns the named child of a node that has one.
fn only_child(node: Node<'_>) -> Option<Node<'_>> {
    if node.named_child_count() != 1 {
        return None;
    }
    node.named_child(0)
}

/// Returns whether removing the parentheses `node` around `inner` changes the operands of `outer`.
fn changes_grouping(node: Node<'_>, inner: Node<'_>, outer: Node<'_>) -> bool {
    let is_first = node.start_byte() == outer.start_byte();
    match (inner.kind(), outer.kind()) {
        ("binary_expression", "binary_expression") => {
            match (precedence(inner), precedence(outer)) {
                (Some(inner), Some(outer)) => inner < outer || (inner == outer && !is_first),
                _ => true,
            }
        }
        ("ternary_expression", "ternary_expression") => is_first,
        ("binary_expression", "ternary_expression") => false,
        (_, "binary_expression" | "ternary_expression") => {
            inner.child_count() > 0
                && !matches!(inner.kind(), "call_expression" | "member_expression")
        }
        _ => false,
    }
}

/// Returns the precedence of a binary operator of JavaScript, except for those that cannot be
/// mixed with others (`??`) or are right-associative (`**`).
fn precedence(node: Node<'_>) -> Option<u8> {
    Some(match node.child_by_field_name("operator")?.kind() {
        "||" => 0,
        "&&" => 1,
        "|" => 2,
        "^" => 3,
        "&" => 4,
        "==" | "!=" | "===" | "!==" => 5,
        "<" | "<=" | ">" | ">=" | "in" | "instanceof" => 6,
        "<<" | ">>" | ">>>" => 7,
        "+" | "-" => 8,
        "*" | "/" | "%" => 9,
        _ => return None,
    })
}

/// Returns whether `node` is parentheses around a JSX element.
fn wraps_markup(node: Node<'_>, role: NodeRole) -> bool {
    if role != NodeRole::Parens {
        return false;
    }
    match only_child(node) {
        Some(only) => only.kind().starts_with("jsx_"),
        None => false,
    }
}
