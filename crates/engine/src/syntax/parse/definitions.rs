//! The symbols that a node defines: their names, kinds and scopes.

use cerberus_model::{Span, SymbolKind};
use tree_sitter::Node;

use super::{Extent, MAX_NAME_BYTES, Scope, Symbol, TreeWalker, span};
use crate::syntax::language::{Bound, Definition, How, LanguageTables, NodeRole};

impl TreeWalker<'_, '_> {
    /// Records the symbols that `node` defines, and returns the scope of its children if it
    /// differs from `scope`.
    pub(super) fn define(
        &mut self,
        node: Node<'_>,
        definition: &Definition,
        scope: &Scope,
        extent: Extent,
    ) -> Option<Scope> {
        let tables = self.tables;
        let prefix = &*scope.prefix;
        let mut owner = scope.clone();
        let mut kind = definition.kind;
        let mut name = tables.child(node, definition.name);
        let mut body = tables.child(node, definition.body);
        let mut how = definition.how;
        if definition.varies {
            for child in node.children(&mut node.walk()) {
                kind = *tables.spec.kinds.get(child.kind()).unwrap_or(&kind);
                if tables.spec.qualifiers.contains(&child.kind()) {
                    how = How::Qualifier;
                }
            }
        }
        match how {
            How::Qualifier => {
                let name = type_name(name?, tables, self.text);
                let is_short = prefix.len() + name.len() < MAX_NAME_BYTES;
                let prefix = format!("{prefix}{name}.").into();
                return is_short.then(|| Scope {
                    prefix,
                    ..scope.clone()
                });
            }
            How::Binding => return self.define_bindings(node, definition, scope, extent),
            How::Named => {
                if definition.needs_body && (body.is_none() || self.is_named_outside(node)) {
                    return None;
                }
                let qualifiers = self.qualifiers(name?);
                let is_method = self.is_method(scope) || !qualifiers.is_empty();
                if kind == SymbolKind::Function && is_method {
                    kind = SymbolKind::Method;
                }
                owner.prefix = format!("{prefix}{qualifiers}").into();
                name = name.map(|it| tables.unwrapped(it));
            }
            How::Receiver => {
                let receiver = type_name(tables.child(node, "receiver")?, tables, self.text);
                owner.owner = None;
                owner.prefix = format!("{prefix}{receiver}.").into();
            }
            How::MemberAssignment => {
                let value = body.filter(|it| tables.properties(*it).is_function)?;
                let target = name.filter(|it| it.kind() == "member_expression")?;
                let object = span(tables.child(target, "object")?).slice(self.text);
                let object = object.strip_suffix(".prototype").unwrap_or(object);
                let is_name = object
                    .chars()
                    .all(|c| c.is_alphanumeric() || c == '_' || c == '$');
                if is_name && !matches!(object, "exports" | "this") {
                    owner.prefix = format!("{prefix}{object}.").into();
                }
                name = tables.child(target, "property");
                body = tables.child(value, "body");
            }
            How::TitledCall => {
                let (title, callback) = titled_call(tables, node, &self.text[node.start_byte()..])?;
                let name = title_name(span(title).slice(self.text))?;
                let symbol = (title, kind, tables.child(callback, "body"));
                let symbol_idx = self.push_symbol(scope, extent, symbol)?;
                self.symbols[symbol_idx].name = format!("{prefix}{name}");
                // What the callback defines is called as it would be outside of it.
                return None;
            }
            How::Property => {
                let value = body.filter(|it| tables.properties(*it).is_function)?;
                name = name.filter(|it| is_plain_name(*it));
                body = tables.child(value, "body");
            }
        }
        let name = name?;
        let symbol_idx = self.push_symbol(&owner, extent, (name, kind, body))?;
        Some(self.scope_of(symbol_idx))
    }

    /// Records the names that `node` binds to a value, and returns the scope of the last one.
    fn define_bindings(
        &mut self,
        node: Node<'_>,
        definition: &Definition,
        scope: &Scope,
        extent: Extent,
    ) -> Option<Scope> {
        let value = self.tables.child(node, definition.body);
        let body = value.map(|it| self.tables.child(it, "body").unwrap_or(it));
        let mut last = None;
        for declarator in self.tables.children(node, definition.name) {
            let name = self.tables.unwrapped(declarator);
            let function = self.declared_function(declarator);
            let is_function = function.is_some();
            let is_bound = match definition.bound {
                Bound::All => true,
                Bound::Functions => is_function,
                Bound::Values => !is_function,
            };
            let is_named = name.is_named() && self.is_bound_name(name);
            if !is_bound || !is_named {
                continue;
            }
            let kind = self.binding_kind(node, function.or(value), scope)?;
            let prefix = format!("{}{}", scope.prefix, self.qualifiers(declarator)).into();
            let pushed = self.push_symbol(
                &Scope {
                    prefix,
                    ..scope.clone()
                },
                extent,
                (name, kind, body),
            );
            last = pushed.or(last);
        }
        last.map(|symbol_idx| self.scope_of(symbol_idx))
    }

    /// Returns the function that a declarator of C declares: `f(int)` and `*f(int)`, not `(*f)(int)`.
    fn declared_function<'n>(&self, declarator: Node<'n>) -> Option<Node<'n>> {
        let mut inside = std::iter::successors(Some(declarator), |it| self.tables.inner(*it));
        let function = inside.find(|it| self.tables.properties(*it).is_function)?;
        let name = self.tables.inner(function)?;
        (name.kind() != "parenthesized_declarator").then_some(function)
    }

    /// Returns the prefix for the scopes that qualify a name in the code: `Cart.` for `Cart<T>::sell`.
    fn qualifiers(&self, name: Node<'_>) -> String {
        let mut prefix = String::new();
        let inside = std::iter::successors(Some(name), |it| self.tables.inner(*it));
        for scope in inside.filter_map(|it| self.tables.child(it, "scope")) {
            let text = span(scope).slice(self.text);
            let name = text.split('<').next().unwrap_or_default().trim();
            prefix += &self
                .tables
                .spec
                .separator
                .map_or(name.into(), |it| name.replace(it, "."));
            prefix.push('.');
        }
        prefix
    }

    /// Returns whether a definition around a type names it: `typedef struct { … } node`.
    fn is_named_outside(&self, node: Node<'_>) -> bool {
        let outer = self.parents.last();
        outer.is_some_and(|outer| {
            let definition = self.tables.definition(outer.role);
            definition.is_some_and(|it| self.tables.child(outer.node, it.body) == Some(node))
        })
    }

    fn is_bound_name(&self, node: Node<'_>) -> bool {
        if !self.tables.spec.bound_names.is_empty() {
            return self.tables.properties(node).is_bound_name;
        }
        is_plain_name(node)
    }

    fn scope_of(&self, symbol_idx: usize) -> Scope {
        let prefix = format!("{}.", self.symbols[symbol_idx].name).into();
        Scope {
            owner: Some(symbol_idx),
            prefix,
            is_local: false,
        }
    }

    /// Returns whether a function in `scope` is a method: its name has a qualifier that is
    /// not a module.
    fn is_method(&self, scope: &Scope) -> bool {
        match scope.owner.map(|symbol_idx| &self.symbols[symbol_idx]) {
            Some(owner) if owner.kind == SymbolKind::Module => {
                scope.prefix.len() > owner.name.len() + 1
            }
            Some(owner) => owner.kind.is_container(),
            None => !scope.prefix.is_empty(),
        }
    }

    fn binding_kind(
        &self,
        node: Node<'_>,
        value: Option<Node<'_>>,
        &Scope {
            owner, is_local, ..
        }: &Scope,
    ) -> Option<SymbolKind> {
        if is_local {
            return None;
        }
        if value.is_some_and(|value| self.tables.properties(value).is_function) {
            let is_member = owner.is_some() && !self.is_in_function(owner);
            return Some(if is_member {
                SymbolKind::Method
            } else {
                SymbolKind::Function
            });
        }
        if value.is_some_and(|value| self.tables.properties(value).is_class) {
            return Some(SymbolKind::Class);
        }
        // Inside a function, a name bound to a value is a local variable.
        let is_local = self.is_in_function(owner);
        if is_local || (self.tables.spec.members_only && owner.is_none()) {
            return None;
        }
        let head = span(node).slice(self.text);
        let name = head
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .next()?;
        let is_upper =
            name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase);
        let is_constant = is_upper || self.tables.properties(node).is_constant;
        Some(if is_constant {
            SymbolKind::Constant
        } else {
            SymbolKind::Variable
        })
    }

    /// Records the symbol with a name, a kind and a body, and returns its index, or `None` if its
    /// name is too long or has a line break.
    fn push_symbol(
        &mut self,
        Scope { owner, prefix, .. }: &Scope,
        extent: Extent,
        (name, kind, body): (Node<'_>, SymbolKind, Option<Node<'_>>),
    ) -> Option<usize> {
        let name_span = span(name);
        let own = name_span.slice(self.text);
        let own = match self.tables.spec.separator {
            // The name of an operator may have parentheses.
            Some(separator) => {
                let own = own.replace(separator, ".");
                let own = own.split('(').next().unwrap_or_default().trim();
                let operator = own.strip_prefix("operator ").map(str::trim_start);
                let operator = operator.filter(|it| !it.starts_with(char::is_alphabetic));
                operator.map_or(own.to_owned(), |operator| format!("operator{operator}"))
            }
            // The name of a test may be any text.
            None if own.starts_with('`') => title_name(own)?,
            None => own
                .trim_matches(|c| self.tables.spec.quotes.contains(c))
                .to_owned(),
        };
        // After a macro that is not expanded, a keyword looks like a name.
        if self.tables.spec.keywords.contains(&own.as_str()) {
            return None;
        }
        // A string that is a method's name may continue on the next line.
        if prefix.len() + own.len() > MAX_NAME_BYTES || own.contains(['\n', '\r']) {
            return None;
        }
        let Span { start, end } = extent.span;
        let annotations_start = extent.leading.and_then(|leading| leading.annotations_start);
        let whole = Span::new(annotations_start.map_or(start, |it| it.min(start)), end);
        self.symbols.push(Symbol {
            name: format!("{prefix}{own}"),
            kind,
            parent: *owner,
            span: whole,
            name_span,
            body_start: body.map_or(whole.end, |it| it.start_byte().max(name_span.end)),
            leading_comments: extent.leading.and_then(|leading| leading.comments),
            decorators: extent.leading.and_then(|leading| leading.decorators),
        });
        Some(self.symbols.len() - 1)
    }
}

/// Returns the title and the callback of a call that is a definition. `text` starts with the call.
pub(crate) fn titled_call<'n>(
    tables: &LanguageTables,
    call: Node<'n>,
    text: &str,
) -> Option<(Node<'n>, Node<'n>)> {
    let is_called = |name: &&&str| {
        let rest = text.strip_prefix(**name);
        rest.is_some_and(|rest| {
            !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$')
        })
    };
    tables.spec.titled_calls.iter().find(is_called)?;
    let is_title = |it: &Node<'n>| tables.role(*it) == NodeRole::String;
    let is_callback = |it: &Node<'n>| tables.properties(*it).is_function;
    let arguments = tables.child(call, "arguments")?;
    let argument = |idx| arguments.named_child(idx).map(|it| tables.unwrapped(it));
    if let Some(title) = argument(0).filter(is_title) {
        // Options may be before the callback, and a time limit after it.
        let callback = (1..3).filter_map(argument).find(is_callback);
        let callback = callback.or_else(|| tables.child(call, "block").filter(is_callback));
        return Some((title, callback?));
    }
    // Scala: the result of a call with the title is called with the callback.
    let titled = tables
        .child(call, "function")
        .filter(|it| it.kind() == call.kind())?;
    let title = tables
        .child(titled, "arguments")?
        .named_child(0)
        .filter(is_title)?;
    Some((title, Some(arguments).filter(is_callback)?))
}

/// Returns the name of a title: without the escapes of its quotes, and without the characters that
/// separate the parts of a location.
fn title_name(quoted: &str) -> Option<String> {
    let title = quoted.trim_matches(['"', '\'', '`']).replace('\\', "");
    let is_separator = |c: char| matches!(c, '.' | '#' | ':' | '(' | ')') || c.is_whitespace();
    let parts: Vec<&str> = title
        .split(is_separator)
        .filter(|it| !it.is_empty())
        .collect();
    let has_words = title.contains(char::is_alphanumeric);
    has_words.then(|| parts.join(" "))
}

/// Returns whether a node is a name and not a pattern.
fn is_plain_name(node: Node<'_>) -> bool {
    node.child_count() == 0 || node.kind() == "type" || node.kind() == "private_property_identifier"
}

/// Returns the name of a type: its first line, for types without a name such as tuples and slices.
fn type_name<'t>(node: Node<'_>, tables: &LanguageTables, text: &'t str) -> &'t str {
    let name = span(tables.unwrapped(node)).slice(text);
    name.lines().next().unwrap_or(name)
}
