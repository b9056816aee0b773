//! One file's code as symbols and leaves, from one walk over its syntax tree.
//!
//! The tree lives only inside [`Source::read`]; what is kept is flat: symbols in
//! document order and the leaves between them, so that ranking and fingerprints need no
//! tree. Fingerprints need each token ([`Source::parse`]), ranking does not
//! ([`Source::outline`]). The walk keeps its own stack, since nesting in hostile input is
//! deeper than a thread's. Never fails: code that does not parse is skipped, what is
//! around it still counts.

mod define;
mod marks;
mod names;

use std::cell::RefCell;
use std::rc::Rc;

use tree_sitter::{Node, Parser, TreeCursor};

use crate::model::{Language, SymbolKind};
use crate::text::Span;

use super::language::{self, Action, Compiled, Shape};
use super::layout;
use marks::Marks;

/// The longest qualified name. What is named longer counts as code of what it stands in:
/// code nested thousands deep would otherwise take space with the square of its depth.
const MAX_NAME_BYTES: usize = 400;

/// What a leaf is to ranking and fingerprints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// An identifier, a number.
    Word,
    Keyword,
    /// An operator or a bracket.
    Mark,
    /// The inside of a string literal.
    Text,
    /// The quotes of a string literal with their prefix.
    Quote,
    Comment,
    /// A docstring.
    Doc,
    /// What a formatter may add or drop: semicolons, needless parentheses.
    Layout,
}

/// A piece of source that the tree does not divide further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leaf {
    pub(crate) span: Span,
    pub(crate) role: Role,
}

/// A named definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Symbol {
    /// The qualified name, as in `Outer.Inner.method`.
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    /// The innermost symbol around it, as an index into [`Source::symbols`].
    pub(crate) parent: Option<usize>,
    /// The definition with its decorators, attributes and `export`.
    pub(crate) span: Span,
    /// The name alone.
    pub(crate) name_span: Span,
    /// Where the signature ends and the body starts.
    pub(crate) body_start: usize,
    /// The comments right above the definition, where there are any.
    pub(crate) above: Option<Span>,
}

/// What a comment may begin with in any language.
const COMMENT_STARTS: &[u8] = b"#/<";

thread_local! {
    /// A parser keeps its memory from one file to the next.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Returns the last part of a qualified name.
pub(crate) fn last_name(qualified: &str) -> &str {
    qualified.rsplit('.').next().unwrap_or(qualified)
}

/// A parsed file.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) leaves: Vec<Leaf>,
}

impl Source {
    /// Returns the symbols and leaves of `text`.
    pub(crate) fn parse(language: Language, text: &str) -> Self {
        Self::read(language::compiled(language), text, None)
    }

    /// Returns the symbols of `text` and its leaves, of which code in a function is one as
    /// far as nothing is defined in it and it holds no text and no comment. To walk over
    /// each token costs a third of what parsing does.
    pub(crate) fn outline(language: Language, text: &str) -> Self {
        let tables = language::compiled(language);
        Self::read(tables, text, Some(Marks::new(tables.marks(text))))
    }

    fn read(tables: &'static Compiled, text: &str, marks: Option<Marks>) -> Self {
        let tree = PARSER.with_borrow_mut(|parser| {
            parser.set_language(&tables.grammar).ok()?;
            parser.parse(text, None)
        });
        let Some(tree) = tree else {
            return Self { symbols: Vec::new(), leaves: Vec::new() };
        };
        let mut walk = Walk {
            tables,
            text,
            symbols: Vec::new(),
            leaves: Vec::with_capacity(text.len() / 4),
            frames: Vec::new(),
            root_prefix: Rc::from(""),
            children: tree.walk(),
            marks,
        };
        walk.run(tree.walk());
        let Walk { symbols, leaves, .. } = walk;
        Self { symbols, leaves }
    }
}

/// Comments and attributes that stand right above what comes next.
#[derive(Debug, Clone, Copy)]
struct Above {
    comments: Option<Span>,
    annotations_start: Option<usize>,
    end_row: usize,
}

/// What a definition takes over from the node that wraps it.
#[derive(Debug, Clone, Copy)]
struct Lift {
    span: Span,
    above: Option<Above>,
}

/// A node whose children are being walked.
struct Frame<'n> {
    node: Node<'n>,
    action: Action,
    owner: Option<usize>,
    /// What qualifies the names defined in it.
    prefix: Rc<str>,
    lift: Option<Lift>,
    above: Option<Above>,
    /// The last child that was no comment.
    last: Option<Node<'n>>,
    n_statements: usize,
    /// Whether it binds a name to a value, so that where the name is, or where the body
    /// starts, is to be found in a child.
    binds: bool,
    /// Whether its brackets are layout.
    drops_brackets: bool,
    /// Whether children without a mark need not be told apart.
    skips: bool,
}

struct Walk<'t, 'n> {
    tables: &'static Compiled,
    text: &'t str,
    symbols: Vec<Symbol>,
    leaves: Vec<Leaf>,
    frames: Vec<Frame<'n>>,
    /// What qualifies names that nothing is around: nothing.
    root_prefix: Rc<str>,
    /// For looking at a node's children; a cursor costs more to make than to set.
    children: TreeCursor<'n>,
    /// Set where code between them is not walked.
    marks: Option<Marks>,
}

impl<'t, 'n> Walk<'t, 'n> {
    fn run(&mut self, mut cursor: TreeCursor<'n>) {
        loop {
            let node = cursor.node();
            if self.enter(node) {
                if self.goto_child(&mut cursor) {
                    continue;
                }
                self.frames.pop();
            }
            let mut end = node.end_byte();
            while self.pass_rest(end) || !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                end = self.frames.pop().map_or(end, |frame| frame.node.end_byte());
            }
        }
    }

    /// Notes what follows `end` in the node around it, if it need not be walked, and returns
    /// whether that is so.
    fn pass_rest(&mut self, end: usize) -> bool {
        let Some(frame) = self.frames.last() else {
            return false;
        };
        let rest = Span::new(end, frame.node.end_byte());
        let passes = rest.start >= rest.end
            || (frame.skips && self.marks.as_mut().is_some_and(|marks| !marks.any_in(rest)));
        if passes {
            self.leaf_span(rest, Role::Word);
        }
        passes
    }

    /// Goes to the first child that has to be looked at, if there is any.
    fn goto_child(&mut self, cursor: &mut TreeCursor<'n>) -> bool {
        if let (Some(marks), Some(frame)) = (&mut self.marks, self.frames.last_mut())
            && frame.skips
            && let Some(mark) = marks.first_in(span(frame.node))
            // What stands before a comment decides what it belongs to.
            && !COMMENT_STARTS.contains(&self.text.as_bytes()[mark])
            && let Some(n_before) = cursor.goto_first_child_for_byte(mark)
        {
            if n_before > 0 {
                // No string after these is a docstring.
                frame.n_statements += 1;
                let before = Span::new(frame.node.start_byte(), cursor.node().start_byte());
                self.leaf_span(before, Role::Word);
            }
            return true;
        }
        cursor.goto_first_child()
    }

    /// Takes note of a node and returns whether its children are to be walked,
    /// in which case a frame for them has been pushed.
    fn enter(&mut self, node: Node<'n>) -> bool {
        let action = self.tables.action(node.kind_id());
        if self.is_docstring(node, action) {
            self.leaf(node, Role::Doc);
            self.close_sibling(node);
            return false;
        }
        match action {
            Action::Comment => {
                self.leaf(node, Role::Comment);
                self.note_above(node, true);
                return false;
            }
            Action::Prose => {
                self.prose(node);
                self.close_sibling(node);
                return false;
            }
            Action::Filler if layout::is_space(span(node).slice(self.text)) => {
                self.close_sibling(node);
                return false;
            }
            Action::Text if self.is_bare_key(node) => {
                let whole = span(node);
                self.leaf_span(Span::new(whole.start + 1, whole.end - 1), Role::Word);
                self.close_sibling(node);
                return false;
            }
            Action::Text if !self.has_embedded(node) => {
                self.string(node);
                self.close_sibling(node);
                return false;
            }
            _ => {}
        }
        let inside_string = self.frames.last().is_some_and(|frame| frame.action == Action::Text);
        if !inside_string && self.is_plain(node, action) {
            self.leaf(node, Role::Word);
            self.close_sibling(node);
            return false;
        }
        if node.child_count() == 0 || (inside_string && action != Action::Embed) {
            self.token(node, inside_string);
            self.close_sibling(node);
            return false;
        }
        let drops_brackets = self.marks.is_none()
            && self
                .frames
                .last()
                .is_some_and(|outer| layout::drops_brackets(node, action, outer.node, self.tables));
        let n_symbols = self.symbols.len();
        let (owner, prefix, lift) = if action == Action::Annotate {
            self.note_above(node, false);
            (self.frames.last().and_then(|frame| frame.owner), self.root_prefix.clone(), None)
        } else {
            let above = self.take_above(node);
            self.close_sibling(node);
            self.open(node, action, above)
        };
        let defines = self.symbols.len() > n_symbols;
        let binds = defines
            && matches!(
                action,
                Action::Define(Shape::Binding { .. } | Shape::Member | Shape::Pair)
            );
        let skips = !defines && self.skips(node, action, owner);
        self.frames.push(Frame {
            node,
            action,
            owner,
            prefix,
            lift,
            above: None,
            last: None,
            n_statements: 0,
            binds,
            drops_brackets,
            skips,
        });
        true
    }

    /// Returns what the children of `node` belong to, having noted the symbols it defines.
    fn open(
        &mut self,
        node: Node<'n>,
        action: Action,
        above: Option<Above>,
    ) -> (Option<usize>, Rc<str>, Option<Lift>) {
        let (owner, prefix, lift) = match self.frames.last() {
            Some(frame) => (frame.owner, frame.prefix.clone(), frame.lift),
            None => (None, self.root_prefix.clone(), None),
        };
        match action {
            Action::Wrap | Action::Statement if self.n_definitions(node) == 1 => {
                let lift = lift.unwrap_or(Lift { span: span(node), above });
                (owner, prefix, Some(lift))
            }
            Action::Define(shape) => {
                let lift = lift.unwrap_or(Lift { span: span(node), above });
                let found = self.define(node, shape, owner, &prefix, lift);
                let (owner, prefix) = found.unwrap_or((owner, prefix));
                (owner, prefix, None)
            }
            _ => (owner, prefix, None),
        }
    }

    fn is_docstring(&mut self, node: Node<'_>, action: Action) -> bool {
        if action != Action::Statement {
            // Anything else that is named ends the place for a docstring.
            if node.is_named()
                && action != Action::Comment
                && let Some(frame) = self.frames.last_mut()
            {
                frame.n_statements += 1;
            }
            return false;
        }
        let Some(frame) = self.frames.last_mut() else {
            return false;
        };
        frame.n_statements += 1;
        frame.n_statements == 1
            && node.child_count() == 1
            && node
                .child(0)
                .is_some_and(|child| self.tables.action(child.kind_id()) == Action::Text)
    }

    /// Notes a comment or an attribute, for the definition that may follow it.
    fn note_above(&mut self, node: Node<'_>, is_comment: bool) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let start_row = node.start_position().row;
        let end = node.end_position();
        // A line comment may take its newline along.
        let end_row = if end.column == 0 && end.row > start_row { end.row - 1 } else { end.row };
        let trails_code = frame.last.is_some_and(|last| last.end_position().row == start_row);
        let run = frame.above.filter(|above| above.end_row + 1 >= start_row);
        if trails_code && is_comment {
            frame.above = None;
            return;
        }
        let mut above = run.unwrap_or(Above { comments: None, annotations_start: None, end_row });
        above.end_row = end_row;
        if is_comment {
            let from = above.comments.map_or(node.start_byte(), |span| span.start);
            above.comments = Some(Span::new(from, node.end_byte()));
        } else {
            above.annotations_start.get_or_insert(node.start_byte());
        }
        frame.above = Some(above);
    }

    /// Takes the comments and attributes that stand right above `node`.
    fn take_above(&mut self, node: Node<'_>) -> Option<Above> {
        let frame = self.frames.last_mut()?;
        let above = frame.above.take()?;
        (above.end_row + 1 >= node.start_position().row).then_some(above)
    }

    fn close_sibling(&mut self, node: Node<'n>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.last = Some(node);
            frame.above = None;
        }
    }

    fn leaf(&mut self, node: Node<'_>, role: Role) {
        self.leaf_span(span(node), role);
    }

    fn leaf_span(&mut self, span: Span, role: Role) {
        if span.start < span.end {
            self.leaves.push(Leaf { span, role });
        }
    }

    fn token(&mut self, node: Node<'_>, inside_string: bool) {
        let span = span(node);
        if self.marks.is_some() && !inside_string {
            self.leaf_span(span, Role::Word);
            return;
        }
        let text = span.slice(self.text);
        let frame = self.frames.last();
        let is_bracket = matches!(text, "(" | ")" | "{" | "}");
        let is_layout = frame.is_some_and(|frame| {
            (is_bracket && frame.drops_brackets) || (text == "," && frame.action == Action::Arm)
        });
        let role = if inside_string {
            let is_quote = matches!(node.kind(), "string_start" | "string_end");
            if node.is_named() && !is_quote { Role::Text } else { Role::Quote }
        } else if node.is_extra()
            || is_layout
            || text.trim().is_empty()
            || frame.is_some_and(|frame| layout::leads_alternatives(node, text, frame.node))
            || (text == ";" && (self.tables.optional_semicolons || layout::ends_jump(node)))
        {
            Role::Layout
        } else if text.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            if node.is_named() { Role::Word } else { Role::Keyword }
        } else {
            Role::Mark
        };
        self.leaf_span(span, role);
    }

    /// Returns whether `node` is code that defines nothing, whose tokens need not be told
    /// apart.
    fn is_plain(&mut self, node: Node<'_>, action: Action) -> bool {
        let (Some(marks), Some(frame)) = (&mut self.marks, self.frames.last()) else {
            return false;
        };
        if marks.any_in(span(node)) {
            return false;
        }
        let defines_nothing = action == Action::Import
            || (self.in_function(frame.owner)
                && !frame.binds
                && !self.tables.holds_definitions(frame.node.kind_id()));
        frame.skips || (defines_nothing && !node.has_error())
    }

    /// Returns whether the children of `node` need not be told apart as far as they have no
    /// mark.
    fn skips(&self, node: Node<'_>, action: Action, owner: Option<usize>) -> bool {
        let is_value = self.frames.last().is_some_and(|frame| frame.binds);
        self.marks.is_some()
            && self.in_function(owner)
            && !matches!(action, Action::Wrap | Action::Annotate | Action::Text)
            && !is_value
            && !self.tables.holds_definitions(node.kind_id())
            && !node.has_error()
    }

    fn in_function(&self, owner: Option<usize>) -> bool {
        owner.is_some_and(|at| !self.symbols[at].kind.is_container())
    }

    fn has_embedded(&mut self, node: Node<'n>) -> bool {
        let tables = self.tables;
        // In every language what is embedded stands in braces.
        span(node).slice(self.text).contains('{')
            && node
                .children(&mut self.children)
                .any(|child| tables.action(child.kind_id()) == Action::Embed)
    }

    fn n_definitions(&mut self, node: Node<'n>) -> usize {
        let tables = self.tables;
        let is_definition =
            |it: &Node<'_>| matches!(tables.action(it.kind_id()), Action::Define(_) | Action::Wrap);
        if node.child_count() == 1 {
            return usize::from(node.child(0).is_some_and(|it| is_definition(&it)));
        }
        node.children(&mut self.children).filter(is_definition).count()
    }

    /// Returns whether `node` is an object's key whose quotes a formatter may drop.
    fn is_bare_key(&self, node: Node<'_>) -> bool {
        let is_key = self.frames.last().is_some_and(|frame| {
            frame.action == Action::Define(Shape::Pair)
                && frame.node.start_byte() == node.start_byte()
        });
        let quoted = span(node).slice(self.text);
        let key = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
        is_key
            && key.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$'))
            && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))
    }

    /// Notes each word of the text of an element.
    fn prose(&mut self, node: Node<'_>) {
        let whole = span(node);
        let text = whole.slice(self.text);
        for word in text.split_whitespace() {
            let start = whole.start + (word.as_ptr() as usize - text.as_ptr() as usize);
            self.leaf_span(Span::new(start, start + word.len()), Role::Text);
        }
    }

    /// Notes a string literal as its opening quotes with their prefix and its inside.
    fn string(&mut self, node: Node<'_>) {
        let whole = span(node);
        let text = whole.slice(self.text);
        let prefix = text.find(['"', '\'', '`', '/']).unwrap_or(0);
        let rest = text.get(prefix..).unwrap_or_default();
        let quote = rest.get(..3).filter(|it| matches!(*it, "\"\"\"" | "'''")).map_or(1, str::len);
        // A raw string, a regex with flags and a string that never ends close otherwise.
        let closes =
            rest.get(..quote).is_some_and(|mark| rest.len() >= 2 * quote && rest.ends_with(mark));
        if !closes {
            self.leaf_span(whole, Role::Text);
            return;
        }
        let open = whole.start + prefix + quote;
        self.leaf_span(Span::new(whole.start, open), Role::Quote);
        self.leaf_span(Span::new(open, whole.end - quote), Role::Text);
    }
}

fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

#[cfg(test)]
mod tests;
