//! The symbols that a node defines: their names, kinds and what qualifies them.

use std::rc::Rc;

use tree_sitter::Node;

use crate::model::{Language, SymbolKind};
use crate::syntax::language::Shape;
use crate::text::Span;

use super::names::{is_plain_name, type_name};
use super::{Lift, MAX_NAME_BYTES, Symbol, Walk, span};

impl Walk<'_, '_> {
    /// Notes the symbols that `node` defines and returns the owner and the prefix
    /// of what is inside it, if they change.
    pub(super) fn define(
        &mut self,
        node: Node<'_>,
        shape: Shape,
        owner: Option<usize>,
        prefix: &str,
        lift: Lift,
    ) -> Option<(Option<usize>, Rc<str>)> {
        let in_container = owner.is_none_or(|at| self.symbols[at].kind.is_container());
        let tables = self.tables;
        let named = |field: &str| tables.child(node, field);
        let body = || named("body");
        let (names, kind, body) = match shape {
            Shape::Qualifier => {
                let name = type_name(named("type")?, tables, self.text);
                let is_short = prefix.len() + name.len() < MAX_NAME_BYTES;
                return is_short.then(|| (owner, format!("{prefix}{name}.").into()));
            }
            Shape::Named(kind) => {
                let method = kind == SymbolKind::Function && self.is_method(owner, prefix);
                let kind = if method { SymbolKind::Method } else { kind };
                (vec![named("name")?], kind, body())
            }
            Shape::Receiver => {
                let receiver = type_name(named("receiver")?, tables, self.text);
                let name = named("name")?;
                let prefix = format!("{prefix}{receiver}.");
                let at = self.push(SymbolKind::Method, name, None, &prefix, lift, body())?;
                return Some((Some(at), self.prefix_of(at)));
            }
            Shape::TypeSpec => {
                let value = named("type")?;
                let kind = match value.kind() {
                    "struct_type" => SymbolKind::Struct,
                    "interface_type" => SymbolKind::Interface,
                    _ => SymbolKind::Type,
                };
                (vec![named("name")?], kind, Some(value))
            }
            Shape::Binding { name, value } => {
                let value = named(value);
                let kind = self.binding_kind(node, value, owner, in_container)?;
                let mut cursor = node.walk();
                let bound = node.children_by_field_id(tables.field(name)?, &mut cursor);
                let names = bound.filter(|it| it.is_named() && is_plain_name(*it)).collect();
                let body = value.map(|it| tables.child(it, "body").unwrap_or(it));
                (names, kind, body)
            }
            Shape::Member => {
                let value = named("right").filter(|it| tables.is_function(it.kind_id()))?;
                let target = named("left").filter(|it| it.kind() == "member_expression")?;
                let name = tables.child(target, "property")?;
                let object = span(tables.child(target, "object")?).slice(self.text);
                let holder = object.strip_suffix(".prototype").unwrap_or(object);
                let is_name = holder.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
                let prefix = match holder {
                    "exports" | "this" => prefix.to_owned(),
                    _ if is_name => format!("{prefix}{holder}."),
                    _ => prefix.to_owned(),
                };
                let body = tables.child(value, "body");
                let at = self.push(SymbolKind::Function, name, owner, &prefix, lift, body)?;
                return Some((Some(at), self.prefix_of(at)));
            }
            Shape::Pair => {
                let value = named("value").filter(|it| tables.is_function(it.kind_id()))?;
                let key = named("key").filter(|it| is_plain_name(*it))?;
                (vec![key], SymbolKind::Function, tables.child(value, "body"))
            }
        };
        let mut inside = None;
        for name in names {
            inside = self.push(kind, name, owner, prefix, lift, body).or(inside);
        }
        let at = inside?;
        Some((Some(at), self.prefix_of(at)))
    }

    /// Returns what qualifies the names defined in a symbol.
    fn prefix_of(&self, at: usize) -> Rc<str> {
        format!("{}.", self.symbols[at].name).into()
    }

    fn is_method(&self, owner: Option<usize>, prefix: &str) -> bool {
        match owner {
            Some(at) if self.symbols[at].kind == SymbolKind::Module => {
                prefix.len() > self.symbols[at].name.len() + 1
            }
            Some(at) => self.symbols[at].kind.is_container(),
            None => !prefix.is_empty(),
        }
    }

    fn binding_kind(
        &self,
        node: Node<'_>,
        value: Option<Node<'_>>,
        owner: Option<usize>,
        in_container: bool,
    ) -> Option<SymbolKind> {
        let value_kind = value.map(|it| it.kind_id());
        if value_kind.is_some_and(|kind| self.tables.is_function(kind)) {
            let in_class = owner.is_some_and(|at| self.symbols[at].kind.is_container());
            return Some(if in_class { SymbolKind::Method } else { SymbolKind::Function });
        }
        if value_kind.is_some_and(|kind| self.tables.is_class(kind)) {
            return Some(SymbolKind::Class);
        }
        // Inside a function a name bound to a value is a local variable.
        if !in_container || (self.tables.language == Language::Java && owner.is_none()) {
            return None;
        }
        let head = span(node).slice(self.text);
        let name: &str = head.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
        let is_upper =
            name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase);
        let is_constant = is_upper || node.kind() == "const_spec";
        Some(if is_constant { SymbolKind::Constant } else { SymbolKind::Variable })
    }

    /// Notes a symbol and returns its index; none where its name is none that a line can hold.
    fn push(
        &mut self,
        kind: SymbolKind,
        name: Node<'_>,
        parent: Option<usize>,
        prefix: &str,
        lift: Lift,
        body: Option<Node<'_>>,
    ) -> Option<usize> {
        let name_span = span(name);
        let own = name_span.slice(self.text).trim_matches(['"', '\'', '#']);
        // A string that names a method may go on on the next line.
        if prefix.len() + own.len() > MAX_NAME_BYTES || own.contains(['\n', '\r']) {
            return None;
        }
        let start = lift.above.and_then(|above| above.annotations_start);
        let whole = Span::new(start.unwrap_or(lift.span.start).min(lift.span.start), lift.span.end);
        self.symbols.push(Symbol {
            name: format!("{prefix}{own}"),
            kind,
            parent,
            span: whole,
            name_span,
            body_start: body.map_or(whole.end, |it| it.start_byte().max(name_span.end)),
            above: lift.above.and_then(|above| above.comments),
        });
        Some(self.symbols.len() - 1)
    }
}
