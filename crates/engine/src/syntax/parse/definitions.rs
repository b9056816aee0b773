//! The symbols that a node defines: their names, kinds and scopes.

use cerberus_model::SymbolKind;
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
                name = name.map(|name| tables.unwrapped(name));
            }
            How::Receiver => {
                let receiver = type_name(tables.child(node, "receiver")?, tables, self.text);
                owner.owner = None;
                owner.prefix = format!("{prefix}{receiver}.").into();
            }
            How::MemberAssignment => {
                let value = body.filter(|value| tables.properties(*value).is_function)?;
                let target = name.filter(|target| target.kind() == "member_expression")?;
                let written = span(tables.child(target, "object")?).slice(self.text);
                let object = written.strip_suffix(".prototype").unwrap_or(written);
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
                // The names inside the callback do not contain the title.
                return None;
            }
            How::Property => {
                let value = body.filter(|value| tables.properties(*value).is_function)?;
                name = name.filter(|name| is_plain_name(*name));
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
        let body = value.map(|value| self.tables.child(value, "body").unwrap_or(value));
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
            let qualified = Scope {
                prefix: format!("{}{}", scope.prefix, self.qualifiers(declarator)).into(),
                ..scope.clone()
            };
            let pushed = self.push_symbol(&qualified, extent, (name, kind, body));
            last = pushed.or(last);
        }
        last.map(|symbol_idx| self.scope_of(symbol_idx))
    }

    /// Returns the function that a declarator of C declares: `f(int)` and `*f(int)`, not `(*f)(int)`.
    fn declared_function<'n>(&self, declarator: Node<'n>) -> Option<Node<'n>> {
        let mut function = declarator;
        while !self.tables.properties(function).is_function {
            function = self.tables.inner(function)?;
        }
        let name = self.tables.inner(function)?;
        (name.kind() != "parenthesized_declarator").then_some(function)
    }

    /// Returns the prefix for the scopes that qualify a name in the code: `Cart.` for `Cart<T>::sell`.
    fn qualifiers(&self, name: Node<'_>) -> String {
        let mut prefix = String::new();
        let mut part = Some(name);
        while let Some(node) = part {
            if let Some(scope) = self.tables.child(node, "scope") {
                let text = span(scope).slice(self.text);
                let name = text.split('<').next().unwrap_or_default().trim();
                match self.tables.spec.separator {
                    Some(separator) => prefix += &name.replace(separator, "."),
                    None => prefix += name,
                }
                prefix.push('.');
            }
            part = self.tables.inner(node);
        }
        prefix
    }

    /// Returns whether a definition around a type names it: `typedef struct { … } node`.
    fn is_named_outside(&self, node: Node<'_>) -> bool {
        let Some(outer) = self.parents.last() else {
            return false;
        };
        let Some(definition) = self.tables.definition(outer.role) else {
            return false;
        };
        self.tables.child(outer.node, definition.body) == Some(node)
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
        let is_in_function = self.is_in_function(owner);
        if let Some(value) = value {
            let properties = self.tables.properties(value);
            if properties.is_function {
                let is_member = owner.is_some() && !is_in_function;
                return Some(if is_member {
                    SymbolKind::Method
                } else {
                    SymbolKind::Function
                });
            }
            if properties.is_class {
                return Some(SymbolKind::Class);
            }
        }
        // Inside a function, a name bound to a value is a local variable.
        if is_in_function || (self.tables.spec.members_only && owner.is_none()) {
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
        let own = self.own_name(name_span.slice(self.text))?;
        // After a macro that is not expanded, a keyword looks like a name.
        if self.tables.spec.keywords.contains(&own.as_str()) {
            return None;
        }
        // A string that is a method's name may continue on the next line.
        if prefix.len() + own.len() > MAX_NAME_BYTES || own.contains(['\n', '\r']) {
            return None;
        }
        let mut whole = extent.span;
        if let Some(leading) = extent.leading
            && let Some(annotations_start) = leading.annotations_start
        {
            whole.start = annotations_start.min(whole.start);
        }
        let body_start = match body {
            Some(body) => body.start_byte().max(name_span.end),
            None => whole.end,
        };
        self.symbols.push(Symbol {
            name: format!("{prefix}{own}"),
            kind,
            parent: *owner,
            span: whole,
            name_span,
            body_start,
            leading_comments: extent.leading.and_then(|leading| leading.comments),
            decorators: extent.leading.and_then(|leading| leading.decorators),
        });
        Some(self.symbols.len() - 1)
    }

    /// Returns the name of a symbol from its text in the code.
    fn own_name(&self, written: &str) -> Option<String> {
        let spec = &self.tables.spec;
        let Some(separator) = spec.separator else {
            // The name of a test may be any text.
            if written.starts_with('`') {
                return title_name(written);
            }
            return Some(written.trim_matches(|c| spec.quotes.contains(c)).to_owned());
        };
        // The name of an operator may have parentheses.
        let qualified = written.replace(separator, ".");
        let name = qualified.split('(').next().unwrap_or_default().trim();
        if let Some(rest) = name.strip_prefix("operator ")
            && !rest.trim_start().starts_with(char::is_alphabetic)
        {
            return Some(format!("operator{}", rest.trim_start()));
        }
        Some(name.to_owned())
    }
}

/// Returns the title and the callback of a call that is a definition. `text` starts with the call.
pub(crate) fn titled_call<'n>(
    tables: &LanguageTables,
    call: Node<'n>,
    text: &str,
) -> Option<(Node<'n>, Node<'n>)> {
    let is_titled = tables.spec.titled_calls.iter().any(|name| {
        let Some(rest) = text.strip_prefix(name) else {
            return false;
        };
        !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$')
    });
    if !is_titled {
        return None;
    }
    let is_function = |node: &Node<'n>| tables.properties(*node).is_function;
    let arguments = tables.child(call, "arguments")?;
    if let Some(first) = arguments.named_child(0)
        && let title = tables.unwrapped(first)
        && tables.role(title) == NodeRole::String
    {
        // Options may be before the callback, and a time limit after it.
        for idx in 1..3 {
            if let Some(argument) = arguments.named_child(idx)
                && let callback = tables.unwrapped(argument)
                && is_function(&callback)
            {
                return Some((title, callback));
            }
        }
        let block = tables.child(call, "block").filter(is_function)?;
        return Some((title, block));
    }
    // Scala: the result of a call with the title is called with the callback.
    let titled = tables.child(call, "function")?;
    if titled.kind() != call.kind() || !is_function(&arguments) {
        return None;
    }
    let title = tables.child(titled, "arguments")?.named_child(0)?;
    (tables.role(title) == NodeRole::String).then_some((title, arguments))
}

/// Returns the name of a title: without the escapes of its quotes, and without the characters that
/// separate the parts of a location.
fn title_name(quoted: &str) -> Option<String> {
    let title = quoted.trim_matches(['"', '\'', '`']).replace('\\', "");
    if !title.contains(char::is_alphanumeric) {
        return None;
    }
    let parts: Vec<&str> = title
        .split(|c: char| matches!(c, '.' | '#' | ':' | '(' | ')') || c.is_whitespace())
        .filter(|part| !part.is_empty())
        .collect();
    Some(parts.join(" "))
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
