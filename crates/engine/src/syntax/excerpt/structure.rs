//! The syntax that decides which lines of a definition may be shown alone: the kinds of its lines,
//! the definitions in it, and its statements.

use cerberus_model::Language;
use tree_sitter::{Node, Point, Tree};

use super::Lines;
use crate::syntax::language::{self, How, LanguageTables, NodeRole};
use crate::syntax::parse;

/// Maximum number of lines of a statement that is shown as a whole.
const STATEMENT_LINES: usize = 5;

/// Words of a comment at the head of a file that is a licence.
const LICENCE_WORDS: &[&str] = &["licence", "license", "copyright", "spdx-"];

/// The starts of comments where the language does not matter or is not known.
const COMMENT_STARTS: &[&str] = &["#", "//", "/*", "*", "--", "<!--", ";"];

/// The start of an attribute above a symbol.
const ATTRIBUTE_START: &str = "@";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Code,
    Comment,
    /// An import at the top level of the file.
    Import,
    /// The comment at the head of the file, if it is a licence.
    Licence,
}

/// The lines of a definition that has several.
#[derive(Debug, Clone, Copy)]
pub(super) struct Definition {
    /// Of its decorators, or of its name if it has none.
    pub(super) start: usize,
    pub(super) name: usize,
    /// The last line of the signature.
    pub(super) head_end: usize,
    pub(super) end: usize,
    /// Whether it contains members, as a class does.
    is_container: bool,
}

/// The syntax of a range of lines.
pub(super) struct Structure {
    /// By line of the file.
    pub(super) kinds: Vec<LineKind>,
    /// The definitions with several lines that start in the range, outer ones first.
    pub(super) definitions: Vec<Definition>,
    /// The definitions around the range, outer ones first.
    around: Vec<Definition>,
    tree: Option<Tree>,
}

impl Structure {
    pub(super) fn new(
        language: Option<Language>,
        text: &str,
        lines: &[&str],
        range: Lines,
    ) -> Self {
        let mut structure = Self {
            kinds: vec![LineKind::Code; lines.len()],
            definitions: Vec::new(),
            around: Vec::new(),
            tree: None,
        };
        let tables = language.and_then(language::tables);
        match tables.and_then(|tables| Some((tables, parse::tree(tables, text)?))) {
            Some((tables, tree)) => {
                structure.read(tables, &tree, lines, range);
                structure.tree = Some(tree);
            }
            None => structure.find_comments(lines),
        }
        structure.find_licence(lines);
        structure
    }

    /// Returns the definition that the range consists of, with its decorators, if its signature is inside.
    pub(super) fn whole(&self, range: Lines) -> Option<Definition> {
        let first = *self.definitions.first()?;
        // In broken code the parser may find the end of the signature below the range.
        (first.end >= range.1 && first.head_end <= range.1).then_some(first)
    }

    /// Returns the line of the name of the class around the range.
    pub(super) fn class_line(&self) -> Option<usize> {
        self.around
            .iter()
            .rev()
            .find(|definition| definition.is_container)
            .map(|definition| definition.name)
    }

    /// Returns the definitions that contain a line below their name, outer ones first.
    pub(super) fn containing(&self, line: usize) -> impl DoubleEndedIterator<Item = Definition> {
        self.definitions
            .iter()
            .copied()
            .filter(move |definition| definition.name < line && line <= definition.end)
    }

    /// Returns the lines of the statement that contains a line, or only the line if it is long.
    pub(super) fn statement(&self, line: usize, lines: &[&str]) -> Lines {
        let Some(tree) = &self.tree else {
            return (line, line);
        };
        let column = indentation(lines[line]).len();
        let (start, end) = (
            Point::new(line, column),
            Point::new(line, lines[line].len()),
        );
        let mut best = (line, line);
        let mut node = tree.root_node().descendant_for_point_range(start, end);
        while let Some(current) = node {
            let found = rows(current);
            if found.1 - found.0 >= STATEMENT_LINES || current.parent().is_none() {
                break;
            }
            best = (best.0.min(found.0), best.1.max(found.1));
            node = current.parent();
        }
        best
    }

    /// Reads the nodes that overlap the range, and the comments and imports before it.
    fn read(&mut self, tables: &LanguageTables, tree: &Tree, lines: &[&str], range: Lines) {
        let mut cursor = tree.walk();
        let mut depth = 0_usize;
        // The start of the decorators or of `export` around the next definition.
        let mut wrapper: Option<(usize, usize)> = None;
        loop {
            let node = cursor.node();
            let found = rows(node);
            let mut enters = found.0 <= range.1 && (found.1 >= range.0 || depth == 0);
            match tables.role(node) {
                NodeRole::Comment => self.mark(node, LineKind::Comment, lines),
                NodeRole::ExpressionStatement if is_docstring(tables, node) => {
                    self.mark(node, LineKind::Comment, lines);
                    enters = false;
                }
                _ if depth == 1 && tables.properties(node).is_header => {
                    self.mark(node, LineKind::Import, lines);
                    enters = false;
                }
                NodeRole::Wrapper => wrapper = Some((found.0, found.1)),
                _ if enters
                    && found.1 > found.0
                    && let Some(inner) = definition(tables, node, lines) =>
                {
                    let outer = wrapper.filter(|(start, end)| *start <= found.0 && found.1 <= *end);
                    let start = outer.unwrap_or(found).0;
                    let definition = Definition { start, ..inner };
                    if definition.start < range.0 && definition.end >= range.1 {
                        self.around.push(definition);
                    } else if definition.name >= range.0 {
                        self.definitions.push(definition);
                    }
                    wrapper = None;
                }
                _ => {}
            }
            if enters && cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                depth -= 1;
            }
        }
    }

    /// Sets the kind of the lines whose first character is in a node.
    fn mark(&mut self, node: Node<'_>, kind: LineKind, lines: &[&str]) {
        let (first, last) = rows(node);
        let rows = self
            .kinds
            .iter_mut()
            .zip(lines)
            .enumerate()
            .take(last + 1)
            .skip(first);
        for (row, (of_line, line)) in rows {
            if row > first || node.start_position().column == indentation(line).len() {
                *of_line = kind;
            }
        }
    }

    /// Marks the comments at the head of a file whose language is not known.
    fn find_comments(&mut self, lines: &[&str]) {
        for (kind, line) in self.kinds.iter_mut().zip(lines) {
            if starts_comment(line) {
                *kind = LineKind::Comment;
            } else if !line.trim_start().is_empty() {
                return;
            }
        }
    }

    /// Marks the comments at the head of the file if they are a licence.
    fn find_licence(&mut self, lines: &[&str]) {
        let is_head =
            |row: &usize| self.kinds[*row] == LineKind::Comment || lines[*row].trim().is_empty();
        let n_head = (0..lines.len()).take_while(is_head).count();
        let has_words = |line: &&str| {
            let line = line.to_lowercase();
            LICENCE_WORDS.iter().any(|word| line.contains(word))
        };
        if lines[..n_head].iter().any(has_words) {
            self.kinds[..n_head].fill(LineKind::Licence);
        }
    }
}

/// Whether a line starts with a comment or an attribute, in any language.
pub(super) fn describes(line: &str) -> bool {
    starts_comment(line) || line.trim_start().starts_with(ATTRIBUTE_START)
}

fn starts_comment(line: &str) -> bool {
    COMMENT_STARTS
        .iter()
        .any(|start| line.trim_start().starts_with(start))
}

pub(super) fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// Returns the first and last line of a node.
fn rows(node: Node<'_>) -> Lines {
    let (start, end) = (node.start_position(), node.end_position());
    // A node that ends with its newline ends on the line before.
    let last = if end.column == 0 && end.row > start.row {
        end.row - 1
    } else {
        end.row
    };
    (start.row, last)
}

/// Whether a statement consists of a string, as a docstring does.
fn is_docstring(tables: &LanguageTables, node: Node<'_>) -> bool {
    let only = node
        .named_child(0)
        .filter(|_| node.named_child_count() == 1);
    only.is_some_and(|only| tables.role(only) == NodeRole::String)
}

/// Returns the lines of a node if it is a definition.
fn definition(tables: &LanguageTables, node: Node<'_>, lines: &[&str]) -> Option<Definition> {
    let language::Definition {
        how,
        kind,
        varies,
        name,
        body,
        ..
    } = *tables.definition(tables.role(node))?;
    let holder = match how {
        How::Named if varies => None,
        How::Named | How::Receiver | How::Qualifier => Some(node),
        How::Binding | How::MemberAssignment | How::Property => tables.child(node, body),
        // Most calls define nothing.
        How::TitledCall => {
            let start = node.start_position();
            let text = lines
                .get(start.row)
                .and_then(|line| line.get(start.column..))?;
            parse::titled_call(tables, node, text)?;
            None
        }
    };
    let (first, end) = rows(node);
    let name = tables.child(node, name).map_or(first, |name| rows(name).0);
    let body = holder.and_then(|holder| tables.child(holder, "body"));
    let head_end = body.map_or(name, |body| {
        let row = body.start_position().row;
        let starts_with_brace = lines
            .get(row)
            .is_some_and(|line| line[body.start_position().column..].starts_with('{'));
        // Without a brace the body starts below the signature, and a comment may be between.
        if starts_with_brace {
            row
        } else {
            signature_end(tables, body).unwrap_or(row)
        }
    });
    let is_container = how == How::Qualifier || varies || kind.is_container();
    Some(Definition {
        start: first,
        name,
        head_end: head_end.clamp(name, end),
        end,
        is_container,
    })
}

/// Returns the last line of the tokens before a body.
fn signature_end(tables: &LanguageTables, body: Node<'_>) -> Option<usize> {
    let mut before = body.prev_sibling();
    while let Some(node) = before {
        if tables.role(node) != NodeRole::Comment {
            return Some(rows(node).1);
        }
        before = node.prev_sibling();
    }
    None
}
