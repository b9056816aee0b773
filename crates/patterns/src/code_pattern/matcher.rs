//! Finds the nodes that a compiled pattern matches.

use std::iter::Peekable;
use std::slice;

use tree_sitter::{Node, Tree, TreeCursor};

use super::compile::{Compiled, Condition, Goal, Relation, Test, Variable};
use cerberus_engine::syntax::{language, parse};
use cerberus_model::Language;
use cerberus_model::text::Span;

/// Maximum depth at which two nodes are compared piece by piece; deeper code is compared as text.
const MAX_COMPARED_DEPTH: usize = 100;

/// Maximum number of nodes that the search for the matches of a pattern in a file tests.
const MAX_STEPS: usize = 5_000_000;

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
        Some(Self { text, tree: parse::tree(language::tables(language), text)? })
    }

    /// Returns the matches in the order of the text, and whether the whole text was searched.
    pub(crate) fn matches(&self, compiled: &Compiled) -> (Vec<Match>, bool) {
        let mut search = Search { text: self.text, compiled, n_steps_left: MAX_STEPS };
        let mut found = Vec::new();
        each_node(self.tree.root_node(), &mut |node| {
            let mut env = Env::default();
            if search.test(&compiled.rule, node, &mut env) && search.meets_constraints(&mut env) {
                found.push(Match {
                    span: Span::new(node.start_byte(), node.end_byte()),
                    lines: (node.start_position().row, node.end_position().row),
                });
            }
            search.n_steps_left > 0
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

/// The nodes that variables match.
#[derive(Clone, Default)]
struct Env<'n> {
    one: Vec<(String, Node<'n>)>,
    many: Vec<(String, Vec<Node<'n>>)>,
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
    compiled: &'s Compiled,
    n_steps_left: usize,
}

type Goals<'g> = Peekable<slice::Iter<'g, Goal>>;
type Nodes<'n> = Peekable<std::vec::IntoIter<Node<'n>>>;

impl Search<'_> {
    fn text_of(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Tests a node. Variables are only bound if all conditions hold.
    fn test<'n>(&mut self, test: &Test, node: Node<'n>, env: &mut Env<'n>) -> bool {
        let mut bound = env.clone();
        for condition in &test.0 {
            let Some(n_left) = self.n_steps_left.checked_sub(1) else { return false };
            self.n_steps_left = n_left;
            if !self.holds(condition, node, &mut bound) {
                return false;
            }
        }
        *env = bound;
        true
    }

    fn holds<'n>(&mut self, condition: &Condition, node: Node<'n>, env: &mut Env<'n>) -> bool {
        match condition {
            Condition::Kind(kind) => node.kind_id() == *kind,
            Condition::Regex(regex) => regex.is_match(self.text_of(node)),
            // A variable as the root of a pattern matches comments, too.
            Condition::Pattern(Goal::Variable(variable)) => {
                self.bind(variable, node, env).is_some()
            }
            Condition::Pattern(goal) => matches!(self.compare(goal, node, env), Compared::Same),
            Condition::Inside(relation) => self.is_inside(relation, node, env),
            Condition::Has(relation) => self.has(relation, node, env),
            Condition::All(tests) => tests.iter().all(|test| self.test(test, node, env)),
            Condition::Any(tests) => tests.iter().any(|test| self.test(test, node, env)),
            Condition::Not(test) => !self.test(test, node, &mut env.clone()),
        }
    }

    fn is_inside<'n>(&mut self, relation: &Relation, node: Node<'n>, env: &mut Env<'n>) -> bool {
        let (mut child, mut parent) = (node, node.parent());
        while let Some(outer) = parent {
            let is_in_field =
                relation.field.is_none_or(|field| outer.child_by_field_id(field) == Some(child));
            if is_in_field && self.test(&relation.test, outer, env) {
                return true;
            }
            if !relation.reaches_end || self.n_steps_left == 0 {
                return false;
            }
            (child, parent) = (outer, outer.parent());
        }
        false
    }

    fn has<'n>(&mut self, relation: &Relation, node: Node<'n>, env: &mut Env<'n>) -> bool {
        let inner = match relation.field {
            None => Some(node),
            Some(field) => node.child_by_field_id(field),
        };
        let Some(inner) = inner else { return false };
        if relation.reaches_end {
            let mut found = false;
            each_node(inner, &mut |candidate| {
                found = candidate != node && self.test(&relation.test, candidate, env);
                !found && self.n_steps_left > 0
            });
            return found;
        }
        if relation.field.is_some() {
            return self.test(&relation.test, inner, env);
        }
        let children: Vec<Node<'n>> = inner.children(&mut inner.walk()).collect();
        children.into_iter().any(|child| self.test(&relation.test, child, env))
    }

    fn meets_constraints<'n>(&mut self, env: &mut Env<'n>) -> bool {
        let Compiled { constraints, .. } = self.compiled;
        env.one.clone().into_iter().all(|(name, node)| {
            constraints.get(&name).is_none_or(|test| self.test(test, node, env))
        })
    }

    fn compare<'n>(&self, goal: &Goal, node: Node<'n>, env: &mut Env<'n>) -> Compared {
        let when = |holds: bool| if holds { Compared::Same } else { Compared::Different };
        match goal {
            Goal::Leaf { text, is_named, kind } => {
                let is_same = *kind == node.kind_id();
                if is_same && (!is_named || text == self.text_of(node)) {
                    Compared::Same
                } else if node.is_extra() || !node.is_named() {
                    Compared::SkipCode
                } else {
                    Compared::Different
                }
            }
            Goal::Variable(_) if node.is_extra() => Compared::SkipCode,
            Goal::Variable(variable) => when(self.bind(variable, node, env).is_some()),
            Goal::Inner { kind, .. } if *kind != node.kind_id() => Compared::Different,
            Goal::Inner { children, .. } => {
                when(self.compare_children(children, node, env).is_some())
            }
        }
    }

    fn compare_children<'n>(
        &self,
        goals: &[Goal],
        node: Node<'n>,
        env: &mut Env<'n>,
    ) -> Option<()> {
        let mut goals = goals.iter().peekable();
        let nodes: Vec<Node<'n>> = node.children(&mut node.walk()).collect();
        let mut nodes = nodes.into_iter().peekable();
        nodes.peek()?;
        loop {
            let Some(goal) = goals.peek() else { return Some(()) };
            if let Goal::Variable(Variable::Many(name)) = goal {
                let is_next_many = self.bind_many(name.as_deref(), &mut goals, &mut nodes, env)?;
                match is_next_many {
                    Next::End => return Some(()),
                    Next::Many => continue,
                    Next::One => {}
                }
            }
            loop {
                let Some(node) = nodes.peek() else {
                    // Only variables for any number of nodes may be left.
                    return goals.all(is_many).then_some(());
                };
                match self.compare(goals.peek()?, *node, env) {
                    Compared::Same => break,
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
    fn bind_many<'n>(
        &self,
        name: Option<&str>,
        goals: &mut Goals<'_>,
        nodes: &mut Nodes<'n>,
        env: &mut Env<'n>,
    ) -> Option<Next> {
        goals.next();
        let mut n_skipped = 0;
        while goals.peek().is_some_and(|goal| matches!(goal, Goal::Leaf { is_named: false, .. })) {
            goals.next();
            n_skipped += 1;
        }
        let Some(next) = goals.peek() else {
            let rest: Vec<Node<'n>> = nodes.collect();
            self.bind_list(name, &rest, n_skipped, env)?;
            return Some(Next::End);
        };
        if is_many(next) {
            let one: Vec<Node<'n>> = nodes.next().into_iter().collect();
            nodes.peek()?;
            self.bind_list(name, &one, n_skipped, env)?;
            return Some(Next::Many);
        }
        let mut matched = Vec::new();
        loop {
            let node = *nodes.peek()?;
            if matches!(self.compare(next, node, &mut env.clone()), Compared::Same) {
                self.bind_list(name, &matched, n_skipped, env)?;
                return Some(Next::One);
            }
            matched.extend(nodes.next());
        }
    }

    fn bind_list<'n>(
        &self,
        name: Option<&str>,
        nodes: &[Node<'n>],
        n_skipped: usize,
        env: &mut Env<'n>,
    ) -> Option<()> {
        let Some(name) = name else { return Some(()) };
        let nodes = &nodes[..nodes.len().saturating_sub(n_skipped)];
        if let Some((_, old)) = env.many.iter().find(|(known, _)| known == name) {
            let named = |nodes: &[Node<'n>]| -> Vec<Node<'n>> {
                nodes.iter().copied().filter(Node::is_named).collect()
            };
            let (old, new) = (named(old), named(nodes));
            let is_same = old.len() == new.len()
                && old.iter().zip(&new).all(|(a, b)| self.is_same_code(*a, *b, 0));
            return is_same.then_some(());
        }
        env.many.push((name.to_owned(), nodes.to_vec()));
        Some(())
    }

    fn bind<'n>(&self, variable: &Variable, node: Node<'n>, env: &mut Env<'n>) -> Option<()> {
        match variable {
            Variable::Dropped { is_named } => (!is_named || node.is_named()).then_some(()),
            Variable::One { is_named: true, .. } if !node.is_named() => None,
            Variable::One { name, .. } => {
                if let Some((_, old)) = env.one.iter().find(|(known, _)| known == name) {
                    return self.is_same_code(*old, node, 0).then_some(());
                }
                env.one.push((name.clone(), node));
                Some(())
            }
            Variable::Many(name) => self.bind_list(name.as_deref(), &[node], 0, env),
        }
    }

    fn is_same_code(&self, a: Node<'_>, b: Node<'_>, depth: usize) -> bool {
        let is_leaf = |node: Node<'_>| node.named_child_count() == 0;
        if a.id() == b.id() {
            return true;
        }
        if is_leaf(a) || is_leaf(b) || depth > MAX_COMPARED_DEPTH {
            return self.text_of(a) == self.text_of(b);
        }
        a.kind_id() == b.kind_id()
            && a.child_count() == b.child_count()
            && a.children(&mut a.walk())
                .zip(b.children(&mut b.walk()))
                .all(|(a, b)| self.is_same_code(a, b, depth + 1))
    }
}

/// What follows a variable for any number of nodes.
enum Next {
    End,
    Many,
    One,
}

fn is_many(goal: &Goal) -> bool {
    matches!(goal, Goal::Variable(Variable::Many(_)))
}
