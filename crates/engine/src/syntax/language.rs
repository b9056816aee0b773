//! The supported languages: the role of each node kind of their grammars.
//!
//! The differences between languages are data, one [`LanguageSpec`](specs::LanguageSpec) each. A spec is
//! compiled on first use to a [`LanguageTables`] indexed by node kind id, because comparing
//! kind names would cost more than walking the tree.
//!
//! # Adding a language
//!
//! For example, Ruby:
//!
//! 1. `Cargo.toml` of the root and of `crates/engine`: add the grammar, `tree-sitter-ruby`.
//! 2. `tests/tidy.rs`: add the crate to `OWNERS` with the owner `syntax`, and increase
//!    `N_DEPENDENCIES`.
//! 3. `crates/model/src/keywords.rs`: add the variant `Ruby = "ruby"` to the end of [`Language`].
//! 4. `language/specs.rs`: add the constant `RUBY` and return it from `spec`. The
//!    node kinds and fields are listed in the grammar's `src/node-types.json`.
//! 5. This file: add the file extensions to [`from_path`] and the names that the scope
//!    `language:ruby` may have to [`from_scope`].
//! 6. `parse/tests.rs`: add the test `ruby_symbols`. `fingerprint.rs`: add
//!    cases to `formatting_and_comments_do_not_change_the_hash`. Tests over [`Language::ALL`]
//!    include the new language: they check that the spec names only kinds and fields of the
//!    grammar.
//! 7. `README.md`: add the language to the list of supported languages, and the crate to the
//!    table of dependencies. `CHANGELOG.md`: add an entry.
//!
//! A definition whose name is not in a field of its node needs a variant of
//! [`DefinitionKind`], which `parse/definitions.rs` handles. A comment that starts
//! with a byte other than `#`, `/` and `<` needs that byte in `COMMENT_STARTS` of
//! `parse.rs`.

mod specs;

use std::num::NonZeroU16;
use std::sync::OnceLock;

use memchr::memmem::Finder;
use rustc_hash::FxHashMap;
use tree_sitter::Node;

use cerberus_model::{Language, SymbolKind};

use specs::spec;

/// How a node defines symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefinitionKind {
    /// The symbol's name is in the field `name`.
    Named(SymbolKind),
    /// A Go method: the receiver's type qualifies the name.
    Receiver,
    /// A Go type: the symbol kind depends on the node in the field `type`.
    TypeSpec,
    /// A block that defines no symbol but qualifies the names inside it (Rust's `impl`).
    Qualifier,
    /// One or more names bound at module or class level; the values are field names.
    Binding { name: &'static str, value: &'static str },
    /// JavaScript: a function assigned to a member, `exports.f = …`, `Type.prototype.f = …`.
    MemberAssignment,
    /// JavaScript: a key of an object literal whose value is a function.
    Property,
    /// JavaScript: a call with a title and a callback, as tests are.
    TitledCall,
}

/// The role of a node kind in the walk over the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeRole {
    /// Only its children matter.
    Other,
    Definition(DefinitionKind),
    /// Includes decorators or `export` in the single definition inside it.
    Wrapper,
    /// Belongs to the definition that follows it (a Rust attribute).
    Annotation,
    /// Describes the member that follows it, but is not a part of its code (TypeScript).
    Decorator,
    Comment,
    /// A string literal: one token unless it has interpolations.
    String,
    /// An expression inside a string literal.
    Interpolation,
    /// Text between JSX tags, whose white space is layout.
    MarkupText,
    /// An expression in JSX, which is layout if it is only a space (`{" "}`).
    MarkupExpression,
    /// Parentheses that a formatter may add or remove, depending on the parent.
    Parens,
    /// Parentheses that a formatter may remove around a single plain name (`(x) => x`).
    ParameterParens,
    /// Braces that a formatter may remove around a single expression (Rust: `=> { x }`).
    Block,
    /// A list whose commas are layout (Rust: match arms, bounds) or may be written as
    /// semicolons (TypeScript: members of a type).
    SeparatedList,
    /// A statement that is a docstring if it is only a string (Python).
    ExpressionStatement,
    /// Introduces names that are defined elsewhere.
    Import,
}

/// Maximum number of trigger bytes of a language.
const MAX_TRIGGER_BYTES: usize = 6;

/// The properties of one node kind.
#[derive(Clone, Copy)]
pub(crate) struct NodeProperties {
    role: NodeRole,
    /// Whether a name bound to the node is a function.
    pub(crate) is_function: bool,
    /// Whether a name bound to the node is a class.
    pub(crate) is_class: bool,
    /// Whether parentheses around a child of the node are redundant.
    pub(crate) allows_paren_removal: bool,
    /// Whether the node may contain a definition without a trigger.
    pub(crate) is_definition_holder: bool,
}

impl NodeProperties {
    const DEFAULT: Self = Self {
        role: NodeRole::Other,
        is_function: false,
        is_class: false,
        allows_paren_removal: false,
        is_definition_holder: false,
    };
}

/// A [`LanguageSpec`](specs::LanguageSpec) indexed by node kind id.
pub struct LanguageTables {
    pub language: Language,
    pub grammar: tree_sitter::Language,
    pub(crate) optional_semicolons: bool,
    pub(crate) line_comment: &'static str,
    pub(crate) member_kinds: &'static [SymbolKind],
    pub(crate) titled_calls: &'static [&'static str],
    pub(crate) is_component: bool,
    /// Repeats bytes if the language has fewer than the maximum.
    pub(crate) trigger_bytes: [u8; MAX_TRIGGER_BYTES],
    pub(crate) trigger_words: Vec<Finder<'static>>,
    nodes: Vec<NodeProperties>,
    /// Field ids by name: the grammar's own lookup compares all names in turn.
    fields: FxHashMap<String, NonZeroU16>,
}

impl LanguageTables {
    fn new(language: Language) -> Self {
        let spec = spec(language);
        let grammar = (spec.grammar)();
        let mut nodes = vec![NodeProperties::DEFAULT; grammar.node_kind_count()];
        let id = |name: &str| usize::from(grammar.id_for_node_kind(name, true));
        for (name, role) in spec.node_roles.iter().copied().flatten() {
            nodes[id(name)].role = *role;
        }
        spec.functions.iter().for_each(|name| nodes[id(name)].is_function = true);
        spec.classes.iter().for_each(|name| nodes[id(name)].is_class = true);
        spec.paren_free.iter().for_each(|name| nodes[id(name)].allows_paren_removal = true);
        spec.holders.iter().for_each(|name| nodes[id(name)].is_definition_holder = true);
        let n_fields = u16::try_from(grammar.field_count()).unwrap_or(u16::MAX);
        let field = |id| Some((grammar.field_name_for_id(id)?.to_owned(), NonZeroU16::new(id)?));
        let fields = (1..=n_fields).filter_map(field).collect();
        let bytes = spec.trigger_bytes.as_bytes();
        Self {
            language,
            optional_semicolons: spec.optional_semicolons,
            line_comment: spec.line_comment,
            member_kinds: spec.member_kinds,
            titled_calls: spec.titled_calls,
            is_component: spec.is_component,
            trigger_bytes: std::array::from_fn(|byte_idx| bytes[byte_idx % bytes.len()]),
            trigger_words: spec.trigger_words.iter().map(Finder::new).collect(),
            nodes,
            fields,
            grammar,
        }
    }

    /// Returns the properties of a node; the kind of syntax errors is not in the table.
    pub(crate) fn properties(&self, node: Node<'_>) -> &NodeProperties {
        self.nodes.get(usize::from(node.kind_id())).unwrap_or(&NodeProperties::DEFAULT)
    }

    pub(crate) fn role(&self, node: Node<'_>) -> NodeRole {
        self.properties(node).role
    }

    /// Returns the id of a field in the grammar.
    pub fn field_id(&self, name: &str) -> Option<NonZeroU16> {
        self.fields.get(name).copied()
    }

    /// Returns the child of `node` in a field.
    pub(crate) fn child<'t>(&self, node: Node<'t>, field: &str) -> Option<Node<'t>> {
        node.child_by_field_id(self.field_id(field)?.get())
    }
}

/// Returns the tables of a language, compiled on first use.
pub fn tables(language: Language) -> &'static LanguageTables {
    static TABLES: [OnceLock<LanguageTables>; Language::ALL.len()] =
        [const { OnceLock::new() }; Language::ALL.len()];
    TABLES[language as usize].get_or_init(|| LanguageTables::new(language))
}

/// The extensions of all languages.
pub(crate) const EXTENSIONS: &[&str] = &[
    "py", "go", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "rs", "java", "vue", "svelte",
];

/// Returns the language of a file from the extension of its name.
pub fn from_path(path: &str) -> Option<Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.')?;
    if stem.is_empty() {
        return None;
    }
    Some(match extension {
        "py" => Language::Python,
        "go" => Language::Go,
        "js" | "mjs" | "cjs" | "jsx" => Language::JavaScript,
        "ts" | "mts" | "cts" => Language::TypeScript,
        "tsx" => Language::Tsx,
        "rs" => Language::Rust,
        "java" => Language::Java,
        "vue" => Language::Vue,
        "svelte" => Language::Svelte,
        _ => return None,
    })
}

/// Returns the languages of a scope's name, if it is known; `typescript` includes TSX and components.
pub fn from_scope(name: &str) -> Option<&'static [Language]> {
    Some(match name {
        "python" | "py" => &[Language::Python],
        "go" | "golang" => &[Language::Go],
        "javascript" | "js" | "jsx" => &[Language::JavaScript],
        "typescript" | "ts" | "tsx" => {
            &[Language::TypeScript, Language::Tsx, Language::Vue, Language::Svelte]
        }
        "vue" => &[Language::Vue],
        "svelte" => &[Language::Svelte],
        "rust" | "rs" => &[Language::Rust],
        "java" => &[Language::Java],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::DefinitionKind::{
        Binding, MemberAssignment, Named, Property, Qualifier, Receiver, TitledCall, TypeSpec,
    };
    use super::NodeRole::Definition;
    use super::specs::LanguageSpec;
    use super::*;

    #[test]
    fn specs_name_only_kinds_and_fields_of_their_grammar() {
        for &language in Language::ALL {
            let LanguageSpec { functions, classes, paren_free, holders, .. } = spec(language);
            let grammar = (spec(language).grammar)();
            let roles = || spec(language).node_roles.iter().copied().flatten();
            let sets = [*functions, *classes, *paren_free, *holders].concat();
            let n_triggers = spec(language).trigger_bytes.len();
            assert!((1..=MAX_TRIGGER_BYTES).contains(&n_triggers), "{language}");
            for name in roles().map(|(name, _)| name).chain(&sets) {
                assert_ne!(grammar.id_for_node_kind(name, true), 0, "{language}: {name}");
            }
            for (_, role) in roles() {
                let fields: &[&str] = match role {
                    Definition(Named(_) | Receiver) => &["name"],
                    Definition(Binding { name, value }) => &[name, value],
                    Definition(Qualifier | TypeSpec) => &["type"],
                    Definition(MemberAssignment) => &["left", "right"],
                    Definition(Property) => &["key", "value"],
                    Definition(TitledCall) => &["arguments"],
                    _ => &[],
                };
                for field in fields {
                    assert!(grammar.field_id_for_name(field).is_some(), "{language}: {field}");
                }
            }
        }
    }

    #[test]
    fn the_extension_selects_the_language() {
        assert_eq!(from_path("a/b.py"), Some(Language::Python));
        assert_eq!(from_path("a.d.ts"), Some(Language::TypeScript));
        assert_eq!(from_path(".py"), None);
        assert_eq!(from_path("Makefile"), None);
    }
}
