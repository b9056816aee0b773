//! Symbols and tokens of one file, from a single walk over its syntax tree.
//!
//! The result is flat, symbols in document order and the tokens of the whole file, so that
//! ranking and fingerprints do not need the tree. Fingerprints need every token
//! ([`ParsedFile::parse`]), ranking does not ([`ParsedFile::outline`]). The walk uses an
//! explicit stack, because hostile input can nest deeper than the thread's stack.

mod definitions;
mod keywords;
mod limits;
mod literals;
mod scripts;
mod trees;

use std::rc::Rc;

use cerberus_model::{Language, Span, SymbolKind};
pub(crate) use definitions::titled_call;
use keywords::Triggers;
use tree_sitter::{Node, TreeCursor};
pub use trees::tree;

use super::language::{self, How, LanguageTables, NodeRole};
use super::layout;

/// Maximum length of a qualified name. A definition with a longer name counts as code of the
/// enclosing symbol; otherwise the names of deeply nested code would need quadratic space.
const MAX_NAME_BYTES: usize = 400;

/// The first byte of a comment, in any language.
const COMMENT_STARTS: &[u8] = b"#/<";

/// The kind of a token for ranking and fingerprints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// An identifier or a number.
    Identifier,
    Keyword,
    /// An operator or a bracket.
    Punctuation,
    /// The text between the quotes of a string literal.
    StringContent,
    /// The opening quotes of a string literal with their prefix.
    Quote,
    Comment,
    Docstring,
    /// A token that a formatter may add or remove: semicolons, redundant parentheses.
    Layout,
}

/// A piece of the text that the tree does not divide further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub span: Span,
    pub kind: TokenKind,
}

/// A named definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The qualified name, such as `Outer.Inner.method`.
    pub name: String,
    pub kind: SymbolKind,
    /// Index of the innermost enclosing symbol in [`ParsedFile::symbols`].
    pub parent: Option<usize>,
    /// The definition with its decorators, attributes and `export`.
    pub span: Span,
    /// The unqualified name.
    pub name_span: Span,
    /// The end of the signature.
    pub(crate) body_start: usize,
    /// The comments directly above the definition.
    pub(crate) leading_comments: Option<Span>,
    /// The decorators above it that are not in `span`.
    pub(crate) decorators: Option<Span>,
}

/// Returns the last part of a qualified name.
pub fn last_name(qualified: &str) -> &str {
    qualified.rsplit('.').next().unwrap_or(qualified)
}

/// Returns the name that only one symbol of a file has: its qualified name, with its number among the
/// symbols of that name if there are several, as in `Mailer.send#2`. `names` are the qualified names
/// of all symbols in document order.
pub fn unique_name<'n>(names: impl Iterator<Item = &'n str> + Clone, symbol_idx: usize) -> String {
    let name = names.clone().nth(symbol_idx).unwrap_or_default();
    let same: Vec<usize> = names
        .enumerate()
        .filter(|(_, other)| *other == name)
        .map(|(idx, _)| idx)
        .collect();
    match same.iter().position(|idx| *idx == symbol_idx) {
        Some(position) if same.len() > 1 => format!("{name}#{}", position + 1),
        _ => name.to_owned(),
    }
}

/// Returns the warning about a file whose parsing takes too much time or memory.
pub(crate) fn limit_warning(path: &str) -> String {
    format!("`{path}` takes too much time or memory to parse, it is text without symbols")
}

/// The symbols and tokens of a file.
#[derive(Debug, Default)]
pub struct ParsedFile {
    pub symbols: Vec<Symbol>,
    pub tokens: Vec<Token>,
    /// Whether parsing takes too much time or memory. The file counts as text without symbols.
    pub exceeds_limits: bool,
}

impl ParsedFile {
    /// Returns the symbols and all tokens of `text`.
    pub fn parse(language: Language, text: &str) -> Self {
        let tables = language::tables(language);
        tables
            .map(|tables| Self::read(tables, text, None))
            .unwrap_or_default()
    }

    /// Returns the symbols and all tokens of a piece of a file.
    pub fn parse_piece(language: Language, piece: &str) -> Self {
        let prefix = language::tables(language).map_or("", |tables| tables.spec.prefix);
        if prefix.is_empty() || piece.starts_with(prefix.trim_end()) {
            return Self::parse(language, piece);
        }
        let mut parsed = Self::parse(language, &[prefix, piece].concat());
        parsed.symbols.clear();
        parsed
            .tokens
            .retain(|token| token.span.start >= prefix.len());
        for Token { span, .. } in &mut parsed.tokens {
            *span = Span::new(span.start - prefix.len(), span.end - prefix.len());
        }
        parsed
    }

    /// Returns the symbols of `text`, with code in functions as one token as far as it has no
    /// definitions, strings and comments. Walking every token would add a third to the time
    /// that parsing takes.
    pub fn outline(language: Language, text: &str) -> Self {
        let Some(tables) = language::tables(language) else {
            return Self::default();
        };
        Self::read(tables, text, Some(Triggers::find(tables, text)))
    }

    fn read(tables: &'static LanguageTables, text: &str, triggers: Option<Triggers>) -> Self {
        let Some(tree) = tree(tables, text) else {
            return Self {
                exceeds_limits: true,
                ..Self::default()
            };
        };
        let mut walker = TreeWalker {
            tables,
            text,
            symbols: Vec::new(),
            tokens: Vec::with_capacity(text.len() / 4),
            parents: Vec::new(),
            root_scope: Scope {
                owner: None,
                prefix: Rc::from(""),
                is_local: false,
            },
            child_cursor: tree.walk(),
            triggers,
        };
        walker.run(tree.walk());
        Self {
            symbols: walker.symbols,
            tokens: walker.tokens,
            exceeds_limits: false,
        }
    }
}

/// The comments and attributes directly above the next sibling.
#[derive(Debug, Default, Clone, Copy)]
struct LeadingTrivia {
    comments: Option<Span>,
    annotations_start: Option<usize>,
    decorators: Option<Span>,
    end_row: usize,
}

/// The extent of a definition, which starts at the outermost node that wraps it.
#[derive(Debug, Clone, Copy)]
struct Extent {
    span: Span,
    leading: Option<LeadingTrivia>,
}

/// The enclosing symbol of a node.
#[derive(Clone)]
struct Scope {
    /// Index of the innermost enclosing symbol.
    owner: Option<usize>,
    /// The prefix of qualified names, such as `Outer.`.
    prefix: Rc<str>,
    /// Whether a bound name is a local variable.
    is_local: bool,
}

/// A node on the path from the root to the current node.
struct ParentState<'n> {
    node: Node<'n>,
    role: NodeRole,
    scope: Scope,
    /// Set in a wrapper, for the definition inside it.
    wrapper: Option<Extent>,
    leading: Option<LeadingTrivia>,
    /// The previous child that is not a comment.
    previous: Option<Node<'n>>,
    n_statements: usize,
    /// Whether the node defines its name and body in children, which therefore must be walked.
    is_binding: bool,
    has_layout_brackets: bool,
    /// Whether children without a trigger become one token.
    merges_children: bool,
}

struct TreeWalker<'t, 'n> {
    tables: &'static LanguageTables,
    text: &'t str,
    symbols: Vec<Symbol>,
    tokens: Vec<Token>,
    parents: Vec<ParentState<'n>>,
    root_scope: Scope,
    /// For iterating over children; creating a cursor costs more than resetting one.
    child_cursor: TreeCursor<'n>,
    /// Set in an outline, which does not walk code without a trigger.
    triggers: Option<Triggers>,
}

impl<'t, 'n> TreeWalker<'t, 'n> {
    fn run(&mut self, mut cursor: TreeCursor<'n>) {
        loop {
            let node = cursor.node();
            if self.visit(node) {
                if self.goto_child(&mut cursor) {
                    continue;
                }
                self.parents.pop();
            }
            let mut end = node.end_byte();
            while self.skip_rest(end) || !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                end = self
                    .parents
                    .pop()
                    .map_or(end, |parent| parent.node.end_byte());
            }
        }
    }

    /// Skips the rest of the parent after `end` if it has no trigger, recording it as one
    /// token; returns whether it did.
    fn skip_rest(&mut self, end: usize) -> bool {
        let Some(parent) = self.parents.last() else {
            return false;
        };
        let rest = Span::new(end, parent.node.end_byte());
        let is_skipped = rest.start >= rest.end
            || (parent.merges_children
                && self
                    .triggers
                    .as_mut()
                    .is_some_and(|triggers| !triggers.any_in(rest)));
        if is_skipped {
            self.push_token(rest, TokenKind::Identifier);
        }
        is_skipped
    }

    /// Moves to the first child that must be visited, if any.
    fn goto_child(&mut self, cursor: &mut TreeCursor<'n>) -> bool {
        if let (Some(triggers), Some(parent)) = (&mut self.triggers, self.parents.last_mut())
            && parent.merges_children
            && let Some(trigger) = triggers.first_in(span(parent.node))
            // The sibling before a comment decides which definition the comment belongs to.
            && !COMMENT_STARTS.contains(&self.text.as_bytes()[trigger])
            && let Some(n_skipped) = cursor.goto_first_child_for_byte(trigger)
        {
            if n_skipped > 0 {
                // A string after the skipped children is not a docstring.
                parent.n_statements += 1;
                let skipped = Span::new(parent.node.start_byte(), cursor.node().start_byte());
                self.push_token(skipped, TokenKind::Identifier);
            }
            return true;
        }
        cursor.goto_first_child()
    }

    /// Records the tokens of a node, or adds it to `parents` and returns true if its children
    /// must be visited.
    fn visit(&mut self, node: Node<'n>) -> bool {
        let role = self.tables.role(node);
        let whole = span(node);
        let inside_string = self
            .parents
            .last()
            .is_some_and(|parent| parent.role == NodeRole::String);
        if self.is_docstring(node, role) {
            self.push_token(whole, TokenKind::Docstring);
        } else {
            match role {
                NodeRole::Comment => {
                    self.push_token(whole, TokenKind::Comment);
                    self.record_leading(node, true);
                    return false;
                }
                NodeRole::MarkupText => self.push_words(whole),
                NodeRole::Undivided if self.triggers.is_none() => self.push_pieces(whole),
                NodeRole::MarkupExpression if layout::is_space(whole.slice(self.text)) => {}
                NodeRole::String if self.is_unquotable_key(node) => {
                    let inner = Span::new(whole.start + 1, whole.end - 1);
                    self.push_token(inner, TokenKind::Identifier);
                }
                NodeRole::String if !self.has_interpolations(node) => self.push_string(whole),
                _ if !inside_string && self.is_mergeable(node, role) => {
                    self.push_token(whole, TokenKind::Identifier);
                }
                _ if node.child_count() == 0
                    || (inside_string && role != NodeRole::Interpolation) =>
                {
                    let kind = self.token_kind(node, inside_string);
                    self.push_token(whole, kind);
                }
                _ => {
                    self.enter(node, role);
                    return true;
                }
            }
        }
        self.end_sibling(node);
        false
    }

    /// Records the symbols that `node` defines and adds it to `parents`.
    fn enter(&mut self, node: Node<'n>, role: NodeRole) {
        let outer = self.parents.last();
        let has_layout_brackets = self.triggers.is_none()
            && outer.is_some_and(|outer| {
                layout::brackets_are_layout(node, role, outer.node, self.tables)
            });
        let is_value = outer.is_some_and(|outer| outer.is_binding);
        let (mut scope, outer_wrapper) = match outer {
            Some(outer) => (outer.scope.clone(), outer.wrapper),
            None => (self.root_scope.clone(), None),
        };
        scope.is_local |= self.tables.properties(node).is_local;
        let n_symbols = self.symbols.len();
        let definition = self.tables.definition(role);
        let mut wrapper = None;
        if role == NodeRole::Annotation {
            self.record_leading(node, false);
            scope.prefix = self.root_scope.prefix.clone();
        } else if role == NodeRole::Decorator {
            self.record_leading(node, false);
        } else {
            let leading = self.take_leading(node);
            self.end_sibling(node);
            let extent = outer_wrapper.unwrap_or(Extent {
                span: span(node),
                leading,
            });
            match role {
                NodeRole::Wrapper | NodeRole::ExpressionStatement
                    if self.n_definitions(node) == 1 =>
                {
                    wrapper = Some(extent);
                }
                _ => {
                    if let Some(definition) = definition {
                        scope = self
                            .define(node, definition, &scope, extent)
                            .unwrap_or(scope);
                    }
                }
            }
        }
        let is_definition = self.symbols.len() > n_symbols;
        let is_binding = is_definition
            && definition.is_some_and(|it| {
                matches!(it.how, How::Binding | How::MemberAssignment | How::Property)
            });
        let merges_children = self.triggers.is_some()
            && !is_definition
            && self.is_in_function(scope.owner)
            && !matches!(
                role,
                NodeRole::Wrapper | NodeRole::Annotation | NodeRole::String
            )
            && !is_value
            && !self.tables.properties(node).is_definition_holder
            && !node.has_error();
        self.parents.push(ParentState {
            node,
            role,
            scope,
            wrapper,
            leading: None,
            previous: None,
            n_statements: 0,
            is_binding,
            has_layout_brackets,
            merges_children,
        });
    }

    /// Counts the statements of the parent, and returns whether `node` is the first one and
    /// only a string.
    fn is_docstring(&mut self, node: Node<'_>, role: NodeRole) -> bool {
        let is_statement = role == NodeRole::ExpressionStatement;
        let Some(parent) = self.parents.last_mut() else {
            return false;
        };
        if is_statement || (node.is_named() && role != NodeRole::Comment) {
            parent.n_statements += 1;
        }
        is_statement
            && parent.n_statements == 1
            && node.child_count() == 1
            && node
                .child(0)
                .is_some_and(|child| self.tables.role(child) == NodeRole::String)
    }

    /// Records a comment or an attribute for the definition that may follow it.
    fn record_leading(&mut self, node: Node<'_>, is_comment: bool) {
        let Some(parent) = self.parents.last_mut() else {
            return;
        };
        let start_row = node.start_position().row;
        let end = node.end_position();
        // A line comment may include its newline.
        let end_row = if end.column == 0 && end.row > start_row {
            end.row - 1
        } else {
            end.row
        };
        let trails_code = parent
            .previous
            .is_some_and(|previous| previous.end_position().row == start_row);
        if trails_code && is_comment {
            parent.leading = None;
            return;
        }
        let adjacent = parent
            .leading
            .filter(|leading| leading.end_row + 1 >= start_row);
        let mut leading = adjacent.unwrap_or(LeadingTrivia {
            end_row,
            ..LeadingTrivia::default()
        });
        leading.end_row = end_row;
        if is_comment {
            leading.comments = Some(extended(leading.comments, node));
        } else if self.tables.role(node) == NodeRole::Decorator {
            leading.decorators = Some(extended(leading.decorators, node));
        } else {
            leading.annotations_start.get_or_insert(node.start_byte());
        }
        parent.leading = Some(leading);
    }

    /// Takes the comments and attributes directly above `node`.
    fn take_leading(&mut self, node: Node<'_>) -> Option<LeadingTrivia> {
        let leading = self.parents.last_mut()?.leading.take()?;
        (leading.end_row + 1 >= node.start_position().row).then_some(leading)
    }

    fn end_sibling(&mut self, node: Node<'n>) {
        if let Some(parent) = self.parents.last_mut() {
            parent.previous = Some(node);
            parent.leading = None;
        }
    }

    fn push_token(&mut self, span: Span, kind: TokenKind) {
        if span.start < span.end {
            self.tokens.push(Token { span, kind });
        }
    }

    /// Returns the kind of the token that a node without children is. An outline
    /// distinguishes only the parts of strings.
    fn token_kind(&self, node: Node<'_>, inside_string: bool) -> TokenKind {
        let parent = self.parents.last();
        if inside_string {
            let is_quote = matches!(node.kind(), "string_start" | "string_end");
            let is_content = node.is_named() && !is_quote;
            return if is_content {
                TokenKind::StringContent
            } else {
                TokenKind::Quote
            };
        }
        if self.triggers.is_some() {
            return TokenKind::Identifier;
        }
        let text = span(node).slice(self.text);
        let is_bracket = matches!(text, "(" | ")" | "{" | "}");
        let is_layout = node.is_extra()
            || text.trim().is_empty()
            || (text == ";"
                && (self.tables.spec.optional_semicolons || layout::is_semicolon_after_jump(node)))
            || parent.is_some_and(|parent| {
                (is_bracket && parent.has_layout_brackets)
                    || (text == "," && parent.role == NodeRole::SeparatedList)
                    || layout::is_leading_separator(node, text, parent.node)
            });
        if is_layout {
            TokenKind::Layout
        } else if !text.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            TokenKind::Punctuation
        } else if node.is_named() {
            TokenKind::Identifier
        } else {
            TokenKind::Keyword
        }
    }

    /// Returns whether `node` contains no definitions, strings and comments, so that an
    /// outline may have it as one token.
    fn is_mergeable(&mut self, node: Node<'_>, role: NodeRole) -> bool {
        let (Some(triggers), Some(parent)) = (&mut self.triggers, self.parents.last()) else {
            return false;
        };
        if triggers.any_in(span(node)) {
            return false;
        }
        let defines_nothing = role == NodeRole::Import
            || (self.is_in_function(parent.scope.owner)
                && !parent.is_binding
                && !parent.node.is_error()
                && !self.tables.properties(parent.node).is_definition_holder);
        parent.merges_children || (defines_nothing && !node.has_error())
    }

    fn is_in_function(&self, owner: Option<usize>) -> bool {
        owner.is_some_and(|symbol_idx| !self.symbols[symbol_idx].kind.is_container())
    }

    fn has_interpolations(&mut self, node: Node<'n>) -> bool {
        let tables = self.tables;
        span(node)
            .slice(self.text)
            .contains(tables.spec.interpolation)
            && node
                .children(&mut self.child_cursor)
                .any(|child| tables.role(child) == NodeRole::Interpolation)
    }

    fn n_definitions(&mut self, node: Node<'n>) -> usize {
        let tables = self.tables;
        let is_definition = |node: Node<'_>| {
            matches!(
                tables.role(node),
                NodeRole::Definition(_) | NodeRole::Wrapper
            )
        };
        if node.child_count() == 1 {
            return usize::from(node.child(0).is_some_and(is_definition));
        }
        node.children(&mut self.child_cursor)
            .filter(|child| is_definition(*child))
            .count()
    }
}

/// Returns the span from the start of a known one, if any, to the end of `node`.
fn extended(known: Option<Span>, node: Node<'_>) -> Span {
    match known {
        Some(known) => Span::new(known.start, node.end_byte()),
        None => span(node),
    }
}

fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

#[cfg(test)]
mod tests;
