//! The files in this folder: the syntax of each language by the names of its grammar.

use std::collections::BTreeMap;

use cerberus_model::{Language, SymbolKind};
use serde::Deserialize;

/// How a node defines symbols.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum How {
    #[default]
    Named,
    /// A Go method: the receiver's type qualifies the name.
    Receiver,
    /// A block that defines no symbol but qualifies the names inside it (Rust's `impl`).
    Qualifier,
    /// One or more names bound at module or class level to the value in `body`.
    Binding,
    /// JavaScript: a function assigned to a member, `exports.f = …`, `Type.prototype.f = …`.
    MemberAssignment,
    /// JavaScript: a key of an object literal whose value is a function.
    Property,
    /// A call with a title and a callback, as tests are.
    TitledCall,
}

/// Which names of a binding are symbols: a declarator of C binds a value or declares a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Bound {
    #[default]
    All,
    Functions,
    Values,
}

/// The definition of a node, by the parts of the node: names of fields, or of kinds of children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Definition {
    pub(crate) how: How,
    pub(crate) kind: SymbolKind,
    /// Whether a child in `kinds` decides the kind.
    pub(crate) varies: bool,
    pub(crate) name: &'static str,
    /// Where the signature ends.
    pub(crate) body: &'static str,
    /// Whether a node without a body only mentions what it names.
    pub(crate) needs_body: bool,
    pub(crate) bound: Bound,
}

impl Default for Definition {
    fn default() -> Self {
        let (kind, name, body) = (SymbolKind::Variable, "name", "body");
        let (how, bound) = Default::default();
        Self {
            how,
            kind,
            varies: false,
            name,
            body,
            needs_body: false,
            bound,
        }
    }
}

/// The role of a node kind in the walk over the tree.
#[derive(
    Debug,
    Default,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Deserialize
)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NodeRole {
    /// Only its children matter.
    #[default]
    Other,
    /// With the index of its [`Definition`].
    #[serde(skip)]
    Definition(u8),
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
    /// Code that the grammar does not divide into tokens: the text of a macro (C).
    Undivided,
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

/// The syntax of a language by the names of its grammar: a file in `language/`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LanguageSpec {
    /// The start of a comment that extends to the end of the line.
    pub(crate) line_comment: &'static str,
    /// Whether a semicolon at the end of a statement is optional.
    pub(crate) optional_semicolons: bool,
    /// Whether a name that is bound outside of a class is a local variable.
    pub(crate) members_only: bool,
    /// The separator of the parts of a qualified name in one node.
    pub(crate) separator: Option<&'static str>,
    /// The text that code needs before it if it is a piece of a file.
    pub prefix: &'static str,
    /// The text before and after a statement, if it is parsed as something else outside a function.
    pub statement_context: Option<[&'static str; 2]>,
    /// The start of an expression in a string, in all but a few strings.
    #[serde(default = "LanguageSpec::default_interpolation")]
    pub(crate) interpolation: &'static str,
    /// Characters around a name that are not a part of it.
    #[serde(default = "LanguageSpec::default_quotes")]
    pub(crate) quotes: &'static str,
    /// The character that takes the place of `$` in a pattern, where that is not part of a name.
    #[serde(default = "LanguageSpec::default_sigil")]
    pub sigil: char,
    /// Trigger bytes and keywords: code in a function that contains none of them, and is in no
    /// holder, has no definitions, strings or comments, so that it need not be walked.
    pub(super) trigger_bytes: String,
    pub(super) trigger_words: Vec<&'static str>,
    /// Functions whose calls with a title and a callback are definitions: `it("closes", () => …)`.
    pub(crate) titled_calls: Vec<&'static str>,
    /// Kinds of symbols that parse only inside a class body.
    pub(crate) member_kinds: Vec<SymbolKind>,
    /// Node kinds whose children may be definitions without a trigger, or contain text that is
    /// not a token.
    pub(super) holders: Vec<&'static str>,
    /// Node kinds that are functions if bound to a name.
    pub(super) functions: Vec<&'static str>,
    /// Node kinds that are classes if bound to a name.
    pub(super) classes: Vec<&'static str>,
    /// Node kinds that define constants, whatever their names.
    pub(super) constants: Vec<&'static str>,
    /// Node kinds of names that a binding binds; any name without parts if there are none.
    pub(crate) bound_names: Vec<&'static str>,
    /// Node kinds inside which a bound name is a local variable.
    pub(super) locals: Vec<&'static str>,
    /// Words that are never names.
    pub(crate) keywords: Vec<&'static str>,
    /// Tokens of a definition that only qualifies the names inside it (Swift's `extension`).
    pub(crate) qualifiers: Vec<&'static str>,
    /// Node kinds inside which parentheses around a child are redundant.
    pub(super) paren_free: Vec<&'static str>,
    /// Node kinds that name other files or the package, at the top level of a file.
    pub(super) headers: Vec<&'static str>,
    pub(super) roles: BTreeMap<NodeRole, Vec<&'static str>>,
    pub(super) definitions: BTreeMap<&'static str, Definition>,
    /// The kinds of symbols of definitions that vary, by the kind of a child.
    pub(crate) kinds: BTreeMap<&'static str, SymbolKind>,
    /// Node kinds around a name, with the field that has it, or an empty text for the first child.
    pub(crate) wrappers: BTreeMap<&'static str, &'static str>,
}

impl LanguageSpec {
    fn default_sigil() -> char {
        '$'
    }

    fn default_interpolation() -> &'static str {
        "{"
    }

    fn default_quotes() -> &'static str {
        "\"'#"
    }
}

/// Returns the grammar and the spec of a language, or `None` if this build lacks it.
pub(super) fn built(language: Language) -> Option<(tree_sitter::Language, &'static str)> {
    // The scripts of a component may be TypeScript.
    const TYPESCRIPT: &str = include_str!("typescript.toml");
    let (grammar, spec) = match language {
        Language::Python => (tree_sitter_python::LANGUAGE, include_str!("python.toml")),
        Language::Go => (tree_sitter_go::LANGUAGE, include_str!("go.toml")),
        Language::JavaScript => (
            tree_sitter_javascript::LANGUAGE,
            include_str!("javascript.toml"),
        ),
        Language::TypeScript | Language::Vue | Language::Svelte | Language::Astro => {
            (tree_sitter_typescript::LANGUAGE_TYPESCRIPT, TYPESCRIPT)
        }
        Language::Tsx => (tree_sitter_typescript::LANGUAGE_TSX, TYPESCRIPT),
        Language::Rust => (tree_sitter_rust::LANGUAGE, include_str!("rust.toml")),
        Language::Java => (tree_sitter_java::LANGUAGE, include_str!("java.toml")),
        #[cfg(feature = "lang-csharp")]
        Language::CSharp => (tree_sitter_c_sharp::LANGUAGE, include_str!("csharp.toml")),
        #[cfg(feature = "lang-c")]
        Language::C => (tree_sitter_c::LANGUAGE, include_str!("c.toml")),
        #[cfg(feature = "lang-cpp")]
        Language::Cpp => (tree_sitter_cpp::LANGUAGE, include_str!("cpp.toml")),
        #[cfg(feature = "lang-php")]
        Language::Php => (tree_sitter_php::LANGUAGE_PHP, include_str!("php.toml")),
        #[cfg(feature = "lang-kotlin")]
        Language::Kotlin => (tree_sitter_kotlin_ng::LANGUAGE, include_str!("kotlin.toml")),
        #[cfg(feature = "lang-ruby")]
        Language::Ruby => (tree_sitter_ruby::LANGUAGE, include_str!("ruby.toml")),
        #[cfg(feature = "lang-swift")]
        Language::Swift => (tree_sitter_swift::LANGUAGE, include_str!("swift.toml")),
        #[cfg(feature = "lang-scala")]
        Language::Scala => (tree_sitter_scala::LANGUAGE, include_str!("scala.toml")),
        #[cfg(feature = "lang-shell")]
        Language::Shell => (tree_sitter_bash::LANGUAGE, include_str!("shell.toml")),
        #[cfg(not(feature = "all-languages"))]
        _ => return None,
    };
    Some((grammar.into(), spec))
}
