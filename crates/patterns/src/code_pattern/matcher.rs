//! Finds the nodes that a compiled pattern matches.

use std::iter::Peekable;
use std::{ptr, slice, vec};

use cerberus_engine::syntax::{language, parse};
use cerberus_model::{Language, Span};
use rustc_hash::FxHashMap;
use tree_sitter::{Node, Tree, TreeCursor};

use super::compile::{Compiled, Condition, Goal, Relation, Test, Variable};

/// Maximum depth at which two nodes are compared piece by piece; deeper code is compared as text.
const MAX_COMPARED_DEPTH: usize = 100;

/// Maximum number of steps of the search for the matches of a pattern in a file. A step compares two
/// nodes or a piece of text.
const MAX_STEPS: usize = 5_000_000;

/// Number of bytes that are compared in one step.
const BYTES_PER_STEP: usize = 32;

/// Number of bytes that a regex of one KiB reads in one step. A regex can take 10 ns for each byte and
/// KiB of its size.
const REGEX_BYTES_PER_STEP: usize = 32;

/// A parsed file, in which several patterns can be searched.
pub struct MatchedFile<'t> {
    text: &'t str,
    tree: Tree,
}

/// Code that a pattern matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    pub span: Span,
    /// The first and the last line, counted from 0.
    pub lines: (usize, usize),
}

impl<'t> MatchedFile<'t> {
    /// Parses a text. Returns `None` if that takes too much time or memory.
    pub fn parse(language: Language, text: &'t str) -> Option<Self> {
        Some(Self {
            text,
            tree: parse::tree(language::tables(language)?, text)?,
        })
    }

    /// Returns the matches in the order of the text, and whether the whole text was searched.
    pub(crate) fn matches(&self, compiled: &Compiled) -> (Vec<Match>, bool) {
        let root = self.tree.root_node();
        let mut search = Search {
            text: self.text,
            root,
            compiled,
            n_steps_left: MAX_STEPS,
            one: Vec::new(),
            many: Vec::new(),
            n_compared: 0,
            parents: FxHashMap::default(),
            known: FxHashMap::default(),
        };
        let mut found = Vec::new();
        each_node(root, &mut |node| {
            search.forget(Mark::default());
            let is_match = search.test(&compiled.rule, node) && search.meets_constraints();
            let is_complete = search.n_steps_left > 0;
            // Without steps, `not` is true for any code.
            if is_match && is_complete {
                found.push(Match {
                    span: Span::new(node.start_byte(), node.end_byte()),
                    lines: (node.start_position().row, node.end_position().row),
                });
            }
            is_complete
        });
        (found, search.n_steps_left > 0)
    }
}

/// Calls `visit` with a node and its descendants, until it returns false.
fn each_node<'n>(root: Node<'n>, visit: &mut dyn FnMut(Node<'n>) -> bool) {
    let mut cursor: TreeCursor<'n> = root.walk();
    loop {
        if !visit(cursor.node()) {
            return;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The result of comparing a node of a pattern with one of the code.
enum Compared {
    Same,
    /// The code is trivial, so the next node may match.
    SkipCode,
    Different,
}

struct Search<'s> {
    text: &'s str,
    root: Node<'s>,
    compiled: &'s Compiled,
    n_steps_left: usize,
    /// The nodes that variables match, in the order in which they were bound.
    one: Vec<(&'s str, Node<'s>)>,
    many: Vec<(&'s str, Vec<Node<'s>>)>,
    /// Number of times that a variable was bound or compared.
    n_compared: usize,
    /// The parent of each node, by its id, from the first use.
    parents: FxHashMap<usize, Node<'s>>,
    /// The results of tests of ancestors, by the test and the id of the node.
    known: FxHashMap<(*const Test, usize), bool>,
}

/// The number of bound variables at some time.
#[derive(Clone, Copy, Default)]
struct Mark {
    n_one: usize,
    n_many: usize,
}

type Goals<'s> = Peekable<slice::Iter<'s, Goal>>;
type Nodes<'s> = Peekable<vec::IntoIter<Node<'s>>>;

impl<'s> Search<'s> {
    fn text_of(&self, node: Node<'_>) -> &'s str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Counts steps. Returns whether any are left.
    fn spend(&mut self, n_steps: usize) -> bool {
        self.n_steps_left = self.n_steps_left.saturating_sub(n_steps);
        self.n_steps_left > 0
    }

    fn mark(&self) -> Mark {
        Mark {
            n_one: self.one.len(),
            n_many: self.many.len(),
        }
    }

    /// Removes the variables that were bound since.
    fn forget(&mut self, since: Mark) {
        self.one.truncate(since.n_one);
        self.many.truncate(since.n_many);
    }

    /// Tests a node. Variables are only bound if all conditions hold.
    fn test(&mut self, test: &'s Test, node: Node<'s>) -> bool {
        let mark = self.mark();
        let holds = test
            .0
            .iter()
            .all(|condition| self.spend(1) && self.holds(condition, node));
        if !holds {
            self.forget(mark);
        }
        holds
    }

    fn holds(&mut self, condition: &'s Condition, node: Node<'s>) -> bool {
        match condition {
            Condition::Kind(kind) => node.kind_id() == *kind,
            Condition::Regex { regex, n_kib } => {
                let text = self.text_of(node);
                self.spend(text.len() * n_kib / REGEX_BYTES_PER_STEP) && regex.is_match(text)
            }
            // A variable as the root of a pattern matches comments, too.
            Condition::Pattern(Goal::Variable(variable)) => self.bind(variable, node).is_some(),
            Condition::Pattern(goal) => matches!(self.compare(goal, node), Compared::Same),
            Condition::Inside(relation) => self.is_inside(relation, node),
            Condition::Has(relation) => self.has(relation, node),
            Condition::All(tests) => tests.iter().all(|test| self.test(test, node)),
            Condition::Any(tests) => tests.iter().any(|test| self.test(test, node)),
            Condition::Not(test) => {
                let mark = self.mark();
                let holds = self.test(test, node);
                self.forget(mark);
                !holds
            }
        }
    }

    fn is_inside(&mut self, relation: &'s Relation, node: Node<'s>) -> bool {
        let mut child = node;
        while let Some(outer) = self.parent(child) {
            let is_in_field = relation.field.is_none_or(|field| {
                let found = outer.child_by_field_id(field);
                found.is_some_and(|found| self.spend(n_children(outer)) && found == child)
            });
            if is_in_field && self.test_ancestor(&relation.test, outer) {
                return true;
            }
            if !relation.reaches_end || !self.spend(1) {
                return false;
            }
            child = outer;
        }
        false
    }

    fn parent(&mut self, node: Node<'s>) -> Option<Node<'s>> {
        // The method of the library searches from the root of the tree.
        if self.parents.is_empty() {
            let mut cursor = self.root.walk();
            let mut open = vec![self.root];
            while let Some(outer) = open.pop() {
                for child in outer.children(&mut cursor) {
                    self.parents.insert(child.id(), outer);
                    open.push(child);
                }
            }
        }
        self.parents.get(&node.id()).copied()
    }

    /// Like [`Self::test`]. Many nodes have the same ancestors, so a result that depends on no variable
    /// is remembered.
    fn test_ancestor(&mut self, test: &'s Test, node: Node<'s>) -> bool {
        let key = (ptr::from_ref(test), node.id());
        if let Some(holds) = self.known.get(&key) {
            return *holds;
        }
        let n_compared = self.n_compared;
        let holds = self.test(test, node);
        if self.n_compared == n_compared {
            self.known.insert(key, holds);
        }
        holds
    }

    fn has(&mut self, relation: &'s Relation, node: Node<'s>) -> bool {
        let inner = match relation.field {
            None => Some(node),
            Some(field) => node
                .child_by_field_id(field)
                .filter(|_| self.spend(n_children(node))),
        };
        let Some(inner) = inner else { return false };
        if relation.reaches_end {
            let mut found = false;
            each_node(inner, &mut |candidate| {
                found = candidate != node && self.test(&relation.test, candidate);
                !found && self.n_steps_left > 0
            });
            return found;
        }
        if relation.field.is_some() {
            return self.test(&relation.test, inner);
        }
        inner
            .children(&mut inner.walk())
            .any(|child| self.test(&relation.test, child))
    }

    fn meets_constraints(&mut self) -> bool {
        let Compiled { constraints, .. } = self.compiled;
        (0..self.one.len()).all(|idx| {
            let (name, node) = self.one[idx];
            constraints
                .get(name)
                .is_none_or(|test| self.test(test, node))
        })
    }

    fn compare(&mut self, goal: &'s Goal, node: Node<'s>) -> Compared {
        let is_same = match goal {
            Goal::Leaf {
                text,
                is_named,
                kind,
            } => {
                let is_same = *kind == node.kind_id();
                let is_same = is_same && (!is_named || self.is_same_text(text, self.text_of(node)));
                if !is_same && (node.is_extra() || !node.is_named()) {
                    return Compared::SkipCode;
                }
                is_same
            }
            Goal::Variable(_) if node.is_extra() => return Compared::SkipCode,
            Goal::Variable(variable) => self.bind(variable, node).is_some(),
            Goal::Inner { kind, children } => {
                *kind == node.kind_id() && self.compare_children(children, node).is_some()
            }
        };
        if is_same {
            Compared::Same
        } else {
            Compared::Different
        }
    }

    fn compare_children(&mut self, goals: &'s [Goal], node: Node<'s>) -> Option<()> {
        if !self.spend(1 + goals.len() + n_children(node)) {
            return None;
        }
        let mut goals = goals.iter().peekable();
        let nodes: Vec<Node<'s>> = node.children(&mut node.walk()).collect();
        let mut nodes = nodes.into_iter().peekable();
        nodes.peek()?;
        loop {
            let Some(goal) = goals.peek() else {
                return Some(());
            };
            let mut is_same = false;
            if let Goal::Variable(Variable::Many(name)) = goal {
                match self.bind_many(name.as_deref(), &mut goals, &mut nodes)? {
                    Next::End => return Some(()),
                    Next::Many => continue,
                    Next::One => {}
                    Next::Same => is_same = true,
                }
            }
            while !is_same {
                let Some(node) = nodes.peek() else {
                    // Only variables for any number of nodes may be left.
                    return goals.all(is_many).then_some(());
                };
                match self.compare(goals.peek()?, *node) {
                    Compared::Same => is_same = true,
                    Compared::SkipCode => drop(nodes.next()),
                    Compared::Different => return None,
                }
            }
            goals.next();
            nodes.next();
            if goals.peek().is_none() {
                return Some(());
            }
            nodes.peek()?;
        }
    }

    /// Binds `$$$` to the nodes before the one that matches the next part of the pattern.
    fn bind_many(
        &mut self,
        name: Option<&'s str>,
        goals: &mut Goals<'s>,
        nodes: &mut Nodes<'s>,
    ) -> Option<Next> {
        goals.next();
        let mut n_skipped = 0;
        while let Some(Goal::Leaf {
            is_named: false, ..
        }) = goals.peek()
        {
            goals.next();
            n_skipped += 1;
        }
        let Some(next) = goals.peek() else {
            let rest: Vec<Node<'s>> = nodes.collect();
            self.bind_list(name, &rest, n_skipped)?;
            return Some(Next::End);
        };
        if is_many(next) {
            let one: Vec<Node<'s>> = nodes.next().into_iter().collect();
            nodes.peek()?;
            self.bind_list(name, &one, n_skipped)?;
            return Some(Next::Many);
        }
        let mut matched = Vec::new();
        loop {
            let node = *nodes.peek()?;
            let mark = self.mark();
            if matches!(self.compare(next, node), Compared::Same) {
                let mut bound = self.many[mark.n_many..].iter();
                // If the node binds the variable, too, it is compared again with this value.
                let is_repeated = name.is_some_and(|name| bound.any(|(known, _)| *known == name));
                if is_repeated {
                    self.forget(mark);
                }
                self.bind_list(name, &matched, n_skipped)?;
                if is_repeated {
                    return Some(Next::One);
                }
                return Some(Next::Same);
            }
            self.forget(mark);
            matched.extend(nodes.next());
        }
    }

    fn bind_list(
        &mut self,
        name: Option<&'s str>,
        nodes: &[Node<'s>],
        n_skipped: usize,
    ) -> Option<()> {
        let Some(name) = name else { return Some(()) };
        self.n_compared += 1;
        let nodes = &nodes[..nodes.len().saturating_sub(n_skipped)];
        let Some((_, old)) = self.many.iter().find(|(known, _)| *known == name) else {
            self.many.push((name, nodes.to_vec()));
            return Some(());
        };
        let old = named(old);
        let new = named(nodes);
        if !self.spend(old.len() + new.len()) || old.len() != new.len() {
            return None;
        }
        for (a, b) in old.into_iter().zip(new) {
            if !self.is_same_code(a, b, 0) {
                return None;
            }
        }
        Some(())
    }

    fn bind(&mut self, variable: &'s Variable, node: Node<'s>) -> Option<()> {
        match variable {
            Variable::Dropped { is_named } => (!is_named || node.is_named()).then_some(()),
            Variable::One { is_named: true, .. } if !node.is_named() => None,
            Variable::One { name, .. } => {
                self.n_compared += 1;
                self.spend(self.one.len());
                if let Some((_, old)) = self.one.iter().find(|(known, _)| known == name) {
                    return self.is_same_code(*old, node, 0).then_some(());
                }
                self.one.push((name, node));
                Some(())
            }
            Variable::Many(name) => self.bind_list(name.as_deref(), &[node], 0),
        }
    }

    fn is_same_code(&mut self, a: Node<'_>, b: Node<'_>, depth: usize) -> bool {
        if a.id() == b.id() {
            return true;
        }
        let is_leaf = a.named_child_count() == 0 || b.named_child_count() == 0;
        if is_leaf || depth > MAX_COMPARED_DEPTH {
            return self.is_same_text(self.text_of(a), self.text_of(b));
        }
        self.spend(n_children(a))
            && a.kind_id() == b.kind_id()
            && a.child_count() == b.child_count()
            && a.children(&mut a.walk())
                .zip(b.children(&mut b.walk()))
                .all(|(a, b)| self.is_same_code(a, b, depth + 1))
    }

    fn is_same_text(&mut self, a: &str, b: &str) -> bool {
        a.len() == b.len() && self.spend(a.len() / BYTES_PER_STEP) && a == b
    }
}

/// The part of a pattern after a variable for any number of nodes.
enum Next {
    End,
    Many,
    /// A node that is to be compared.
    One,
    /// A node that matches.
    Same,
}

fn named<'t>(nodes: &[Node<'t>]) -> Vec<Node<'t>> {
    nodes.iter().copied().filter(Node::is_named).collect()
}

fn n_children(node: Node<'_>) -> usize {
    usize::try_from(node.child_count()).unwrap_or(usize::MAX)
}

fn is_many(goal: &Goal) -> bool {
    matches!(goal, Goal::Variable(Variable::Many(_)))
}
