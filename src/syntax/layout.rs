//! What in a syntax tree is layout: brackets, bars and semicolons that a formatter adds
//! and drops.
//!
//! Learnt from what black, gofmt, prettier and rustfmt do to code written in other
//! styles. Asks a node's parent of the walk, never of the tree, which finds it from the
//! root each time.

use tree_sitter::Node;

use super::language::{Action, Compiled};

/// Returns whether the brackets of `node`, which stands in `outer`, are layout.
pub(super) fn drops_brackets(
    node: Node<'_>,
    action: Action,
    outer: Node<'_>,
    tables: &Compiled,
) -> bool {
    holds_markup(node, action)
        || (tables.is_paren_free(outer.kind_id()) && is_dropped(node, action, outer, tables))
}

/// Returns whether `node` is the bar before the first of several alternatives.
pub(super) fn leads_alternatives(node: Node<'_>, text: &str, outer: Node<'_>) -> bool {
    matches!(text, "|" | "&")
        && node.start_byte() == outer.start_byte()
        && matches!(outer.kind(), "union_type" | "intersection_type" | "or_pattern")
}

/// Returns whether `node` is the semicolon after Rust's `return`, `break` or
/// `continue`, which rustfmt adds.
pub(super) fn ends_jump(node: Node<'_>) -> bool {
    let jump = node.prev_sibling().map(|it| it.kind());
    matches!(jump, Some("return_expression" | "break_expression" | "continue_expression"))
}

/// Returns whether an expression in markup is only a space.
pub(super) fn is_space(text: &str) -> bool {
    text.trim_matches(['{', '}', '\'', '"', ' ']).is_empty()
}

/// Returns whether a formatter may drop the brackets of `node` where it stands.
fn is_dropped(node: Node<'_>, action: Action, outer: Node<'_>, tables: &Compiled) -> bool {
    let only = || node.named_child(0).filter(|_| node.named_child_count() == 1);
    match action {
        // A tuple is one without brackets where a statement takes a list; a tuple of
        // one is what its comma makes it.
        Action::Paren if node.kind().starts_with("tuple") => {
            let takes_list = |kind: &str| {
                kind.ends_with("_statement")
                    || kind.ends_with("assignment")
                    || matches!(kind, "for_in_clause" | "yield")
            };
            // `(x)` where a name is bound is `x`; `(x,)` has one child more.
            node.child_count() == 3 || (node.named_child_count() > 1 && takes_list(outer.kind()))
        }
        Action::Paren if node.kind() == "argument_list" => node.named_child_count() == 0,
        Action::Paren => only().is_none_or(|it| !binds(node, it, outer)),
        // A parameter with a type or a default keeps its parentheses.
        Action::LoneParen => only().is_some_and(|it| {
            let is_bare = it.child_count() == 0
                || (it.child_count() == 1 && it.kind() == "required_parameter");
            is_bare && outer.kind() == "arrow_function"
        }),
        Action::LoneBlock => only().is_some_and(|it| {
            (!it.kind().ends_with("_statement") || it.child_count() == 1)
                && !it.kind().ends_with("_item")
                && !it.kind().ends_with("_declaration")
                && tables.action(it.kind_id()) != Action::Comment
        }),
        _ => false,
    }
}

/// Returns whether the parentheses `node` around `inner` decide what an operand of `outer` is.
fn binds(node: Node<'_>, inner: Node<'_>, outer: Node<'_>) -> bool {
    let is_first = node.start_byte() == outer.start_byte();
    match (inner.kind(), outer.kind()) {
        ("binary_expression", "binary_expression") => match (rank(inner), rank(outer)) {
            (Some(inner), Some(outer)) => inner < outer || (inner == outer && !is_first),
            _ => true,
        },
        ("ternary_expression", "ternary_expression") => is_first,
        ("binary_expression", "ternary_expression") => false,
        (_, "binary_expression" | "ternary_expression") => {
            inner.child_count() > 0
                && !matches!(inner.kind(), "call_expression" | "member_expression")
        }
        _ => false,
    }
}

/// Returns how tightly a binary operator of JavaScript binds. Not of those that must
/// not be mixed with others (`??`) or that bind to the right (`**`).
fn rank(node: Node<'_>) -> Option<u8> {
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

/// Returns whether `node` is parentheses that only set an element of markup off.
fn holds_markup(node: Node<'_>, action: Action) -> bool {
    action == Action::Paren
        && node.named_child_count() == 1
        && node.named_child(0).is_some_and(|it| it.kind().starts_with("jsx_"))
}
