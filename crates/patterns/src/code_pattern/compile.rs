//! Compiles patterns for a language, and reports their faults.

use std::collections::BTreeMap;

use cerberus_engine::syntax::language::{self, LanguageTables};
use cerberus_engine::syntax::parse;
use cerberus_model::Language;
use regex::{Regex, RegexBuilder};
use tree_sitter::{Node, Tree};

use super::{CodePattern, Rule, StopBy};

/// Limits on the size of a rule, which may come from somebody else.
const MAX_RULES: usize = 200;
const MAX_DEPTH: usize = 12;
const MAX_TEXT_BYTES: usize = 2_000;
const REGEX_KIB: [usize; 5] = [16, 32, 64, 128, 256];

/// A rule that is compiled for a language.
pub(crate) struct Compiled {
    pub(super) rule: Test,
    pub(super) constraints: BTreeMap<String, Test>,
}

/// A compiled [`Rule`]: tests in the order in which ast-grep runs them.
pub(super) struct Test(pub(super) Vec<Condition>);

pub(super) enum Condition {
    Pattern(Goal),
    Kind(u16),
    Regex {
        regex: Regex,
        /// The size: a larger regex can take more time for each byte of a text.
        n_kib: usize,
    },
    Inside(Relation),
    Has(Relation),
    All(Vec<Test>),
    Any(Vec<Test>),
    Not(Test),
}

pub(super) struct Relation {
    pub(super) test: Test,
    pub(super) reaches_end: bool,
    pub(super) field: Option<u16>,
}

/// A node of a `pattern`.
pub(super) enum Goal {
    Variable(Variable),
    Leaf {
        text: String,
        is_named: bool,
        kind: u16,
    },
    Inner {
        kind: u16,
        children: Vec<Goal>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Variable {
    /// `$A`, or `$$A`, which also matches an anonymous node.
    One { name: String, is_named: bool },
    /// `$_` or `$$_`.
    Dropped { is_named: bool },
    /// `$$$` or `$$$A`.
    Many(Option<String>),
}

/// Compiles a pattern for one of its languages. The error names the fault and its place.
pub(crate) fn compile(pattern: &CodePattern, language: Language) -> Result<Compiled, String> {
    let tables = language::tables(language).ok_or_else(|| language::lack(language))?;
    let mut compiler = Compiler { tables, n_rules: 0 };
    let rule = compiler.test(&pattern.rule, "rule", 0)?;
    let mut conditions = rule.0.iter();
    if conditions.all(|condition| matches!(condition, Condition::Not(_))) {
        return Err("`rule` needs a `pattern`, a `kind` or another test besides `not`".to_owned());
    }
    let mut constraints = BTreeMap::new();
    for (name, rule) in &pattern.constraints {
        let place = format!("constraints.{name}");
        if name.is_empty() || !name.chars().all(is_variable_char) {
            return Err(format!(
                "`{place}`: a variable is in upper case, without `$`"
            ));
        }
        constraints.insert(name.clone(), compiler.test(rule, &place, 0)?);
    }
    Ok(Compiled { rule, constraints })
}

struct Compiler {
    tables: &'static LanguageTables,
    n_rules: usize,
}

impl Compiler {
    fn test(&mut self, rule: &Rule, place: &str, depth: usize) -> Result<Test, String> {
        self.n_rules += 1;
        if self.n_rules > MAX_RULES || depth > MAX_DEPTH {
            return Err(format!(
                "`{place}`: the rule is too large or too deeply nested"
            ));
        }
        let is_relation = place.ends_with("inside") || place.ends_with("has");
        if !is_relation && (rule.stop_by.is_some() || rule.field.is_some()) {
            return Err(format!(
                "`{place}`: `stopBy` and `field` belong in `inside` and `has`"
            ));
        }
        let mut conditions = Vec::new();
        if let Some(code) = &rule.pattern {
            let goal = self
                .goal(code)
                .map_err(|why| format!("`{place}.pattern`: {why}"))?;
            conditions.push(Condition::Pattern(goal));
        }
        if let Some(kind) = &rule.kind {
            let id = self.tables.grammar.id_for_node_kind(kind, true);
            if id == 0 {
                let language = self.tables.language;
                return Err(format!(
                    "`{place}.kind`: {language} has no node kind `{kind}`"
                ));
            }
            conditions.push(Condition::Kind(id));
        }
        if let Some(text) = &rule.regex {
            conditions.push(regex(text).map_err(|why| format!("`{place}.regex`: {why}"))?);
        }
        let inner = |name: &str| format!("{place}.{name}");
        if let Some(rule) = &rule.inside {
            conditions.push(Condition::Inside(self.relation(
                rule,
                &inner("inside"),
                depth,
            )?));
        }
        if let Some(rule) = &rule.has {
            conditions.push(Condition::Has(self.relation(rule, &inner("has"), depth)?));
        }
        if let Some(rules) = &rule.all {
            conditions.push(Condition::All(self.tests(rules, &inner("all"), depth)?));
        }
        if let Some(rules) = &rule.any {
            conditions.push(Condition::Any(self.tests(rules, &inner("any"), depth)?));
        }
        if let Some(rule) = &rule.not {
            conditions.push(Condition::Not(self.test(rule, &inner("not"), depth + 1)?));
        }
        if conditions.is_empty() {
            return Err(format!("`{place}` has no test, as `pattern: …`"));
        }
        Ok(Test(conditions))
    }

    fn tests(&mut self, rules: &[Rule], place: &str, depth: usize) -> Result<Vec<Test>, String> {
        let numbered = rules.iter().enumerate();
        numbered
            .map(|(idx, rule)| self.test(rule, &format!("{place}[{idx}]"), depth + 1))
            .collect()
    }

    fn relation(&mut self, rule: &Rule, place: &str, depth: usize) -> Result<Relation, String> {
        let field = match &rule.field {
            None => None,
            Some(name) => Some(self.tables.field_id(name).ok_or_else(|| {
                format!(
                    "`{place}.field`: {} has no field `{name}`",
                    self.tables.language
                )
            })?),
        };
        Ok(Relation {
            test: self.test(rule, place, depth + 1)?,
            reaches_end: rule.stop_by == Some(StopBy::End),
            field: field.map(std::num::NonZeroU16::get),
        })
    }

    /// Parses the code of a `pattern`.
    fn goal(&self, code: &str) -> Result<Goal, String> {
        if code.len() > MAX_TEXT_BYTES {
            return Err(format!("it is longer than {MAX_TEXT_BYTES} bytes"));
        }
        let sigil = self.tables.spec.sigil;
        let own = with_sigil(code, sigil);
        if let Some((text, tree)) = in_function(self.tables, own.trim()) {
            let start = text.find(own.trim()).unwrap_or_default();
            let range = start..start + own.trim().len();
            let node = tree
                .root_node()
                .named_descendant_for_byte_range(range.start, range.end);
            if let Some(node) = node
                && node.byte_range() == range
            {
                return goal_of(node, &text, sigil, 0).and_then(node_goal);
            }
        }
        let prefix = self.tables.spec.prefix;
        let text = [prefix, &own].concat();
        let tree = parse::tree(self.tables, &text).ok_or("it takes too long to parse")?;
        let mut root = tree.root_node();
        // The prefix is a node of its own.
        if !prefix.is_empty()
            && root.child_count() == 2
            && let Some(code) = root.child(1)
        {
            root = code;
        }
        if root.child_count() == 0 {
            return Err("it has no code".to_owned());
        }
        if !has_single_child(root) {
            return Err(format!("`{code}` is more than one piece of code"));
        }
        let mut node = root;
        while has_single_child(node)
            && let Some(child) = node.child(0)
        {
            node = child;
        }
        if node.has_error() {
            return Err(format!("`{code}` is not {} code", self.tables.language));
        }
        goal_of(node, &text, sigil, 0).and_then(node_goal)
    }
}

/// Returns code with a function around it, if that is needed to parse statements and the code can be in a
/// function.
pub(crate) fn in_function(tables: &LanguageTables, code: &str) -> Option<(String, Tree)> {
    let [before, after] = tables.spec.statement_context?;
    let text = format!("{before}\n{code}\n{after}");
    let tree = parse::tree(tables, &text)?;
    if tree.root_node().has_error() {
        return None;
    }
    Some((text, tree))
}

fn node_goal(goal: Goal) -> Result<Goal, String> {
    match goal {
        Goal::Variable(Variable::Many(_)) => Err("`$$$` alone is not a node".to_owned()),
        goal => Ok(goal),
    }
}

fn regex(text: &str) -> Result<Condition, String> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(format!("it is longer than {MAX_TEXT_BYTES} bytes"));
    }
    for n_kib in REGEX_KIB {
        match RegexBuilder::new(text).size_limit(n_kib * 1024).build() {
            Ok(regex) => return Ok(Condition::Regex { regex, n_kib }),
            Err(regex::Error::Syntax(message)) => {
                let why = message.lines().last().unwrap_or("it is not valid");
                return Err(why.trim_start_matches("error: ").to_owned());
            }
            Err(_) => {}
        }
    }
    Err("it is too large".to_owned())
}

fn has_single_child(node: Node<'_>) -> bool {
    match node.child_count() {
        1 => true,
        // Some grammars add an empty node to the end of a line.
        2 => node
            .child(1)
            .is_some_and(|last| last.is_missing() || last.kind().is_empty()),
        _ => false,
    }
}

fn goal_of(node: Node<'_>, text: &str, sigil: char, depth: usize) -> Result<Goal, String> {
    if depth > MAX_DEPTH * 8 {
        return Err("it is too deeply nested".to_owned());
    }
    let own = text.get(node.byte_range()).unwrap_or_default();
    if let Some(variable) = variable(own, sigil) {
        return Ok(Goal::Variable(variable));
    }
    if node.child_count() == 0 {
        return Ok(Goal::Leaf {
            text: own.to_owned(),
            is_named: node.is_named(),
            kind: node.kind_id(),
        });
    }
    let children = node
        .children(&mut node.walk())
        .filter(|child| !child.is_missing())
        .map(|child| goal_of(child, text, sigil, depth + 1))
        .collect::<Result<_, _>>()?;
    Ok(Goal::Inner {
        kind: node.kind_id(),
        children,
    })
}

/// Replaces the `$` of variables.
fn with_sigil(code: &str, sigil: char) -> String {
    let mut text = String::with_capacity(code.len());
    let mut n_dollars = 0;
    for c in code.chars().map(Some).chain([None]) {
        if c == Some('$') {
            n_dollars += 1;
            continue;
        }
        let is_variable = n_dollars == 3 || c.is_some_and(|c| matches!(c, 'A'..='Z' | '_'));
        text.extend(std::iter::repeat_n(
            if is_variable { sigil } else { '$' },
            n_dollars,
        ));
        n_dollars = 0;
        text.extend(c);
    }
    text
}

fn is_variable_char(c: char) -> bool {
    matches!(c, 'A'..='Z' | '_' | '0'..='9')
}

/// Returns the variable with this text.
fn variable(text: &str, sigil: char) -> Option<Variable> {
    let n_sigils = text.chars().take_while(|&c| c == sigil).count();
    let name = text.trim_start_matches(sigil);
    if !name.chars().all(is_variable_char) {
        return None;
    }
    let is_name = name.starts_with(|c: char| matches!(c, 'A'..='Z' | '_'));
    match n_sigils {
        3 if name.is_empty() || name.starts_with('_') => Some(Variable::Many(None)),
        3 => Some(Variable::Many(Some(name.to_owned()))),
        1 | 2 if is_name && name.starts_with('_') => Some(Variable::Dropped {
            is_named: n_sigils == 1,
        }),
        1 | 2 if is_name => Some(Variable::One {
            name: name.to_owned(),
            is_named: n_sigils == 1,
        }),
        _ => None,
    }
}
