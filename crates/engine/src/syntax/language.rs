//! The supported languages: the role of each node kind of their grammars.
//!
//! The differences between languages are data: a [`LanguageSpec`] each, in `language/*.toml`. A spec is
//! compiled on first use to [`LanguageTables`], which are indexed by node kind id. CONTRIBUTING.md has
//! the steps to add a language.

use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::sync::{LazyLock, OnceLock};

use memchr::memmem::Finder;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use tree_sitter::Node;

use cerberus_model::languages::{LANGUAGES, LanguageNames};
use cerberus_model::text::plural;
use cerberus_model::{Language, SymbolKind};

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

/// What a node defines, by the parts of the node: names of fields, or of kinds of children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Definition {
    #[serde(default)]
    pub(crate) how: How,
    #[serde(default = "Definition::default_kind")]
    pub(crate) kind: SymbolKind,
    /// Whether a child in `kinds` decides the kind.
    #[serde(default)]
    pub(crate) varies: bool,
    #[serde(default = "Definition::default_name")]
    pub(crate) name: &'static str,
    /// Where the signature ends.
    #[serde(default = "Definition::default_body")]
    pub(crate) body: &'static str,
    /// Whether a node without a body only mentions what it names.
    #[serde(default)]
    pub(crate) needs_body: bool,
    #[serde(default)]
    pub(crate) bound: Bound,
}

impl Definition {
    fn default_kind() -> SymbolKind {
        SymbolKind::Variable
    }

    fn default_name() -> &'static str {
        "name"
    }

    fn default_body() -> &'static str {
        "body"
    }
}

/// The role of a node kind in the walk over the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NodeRole {
    /// Only its children matter.
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
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguageSpec {
    /// The start of a comment that extends to the end of the line.
    line_comment: &'static str,
    /// Whether a semicolon at the end of a statement is optional.
    #[serde(default)]
    optional_semicolons: bool,
    /// Whether a name that is bound outside of a class is a local variable.
    #[serde(default)]
    members_only: bool,
    /// What separates the parts of a qualified name in one node.
    #[serde(default)]
    separator: Option<&'static str>,
    /// What code needs before it if it is a piece of a file.
    #[serde(default)]
    prefix: &'static str,
    /// The start of an expression in a string, in all but a few strings.
    #[serde(default = "LanguageSpec::default_interpolation")]
    interpolation: &'static str,
    /// Characters around a name that are not a part of it.
    #[serde(default = "LanguageSpec::default_quotes")]
    quotes: &'static str,
    /// The character that takes the place of `$` in a pattern, where that is not part of a name.
    #[serde(default = "LanguageSpec::default_sigil")]
    sigil: char,
    /// Trigger bytes and keywords: code in a function that contains none of them, and is in no
    /// holder, has no definitions, strings or comments, so that it need not be walked.
    trigger_bytes: String,
    #[serde(default)]
    trigger_words: Vec<&'static str>,
    /// Functions whose calls with a title and a callback are definitions: `it("closes", () => …)`.
    #[serde(default)]
    titled_calls: Vec<&'static str>,
    /// Kinds of symbols that parse only inside a class body.
    #[serde(default)]
    member_kinds: Vec<SymbolKind>,
    /// Node kinds whose children may be definitions without a trigger, or contain text that is
    /// not a token.
    #[serde(default)]
    holders: Vec<&'static str>,
    /// Node kinds that are functions if bound to a name.
    #[serde(default)]
    functions: Vec<&'static str>,
    /// Node kinds that are classes if bound to a name.
    #[serde(default)]
    classes: Vec<&'static str>,
    /// Node kinds that define constants, whatever their names.
    #[serde(default)]
    constants: Vec<&'static str>,
    /// Node kinds of names that a binding binds; any name without parts if there are none.
    #[serde(default)]
    bound_names: Vec<&'static str>,
    /// Node kinds inside which a bound name is a local variable.
    #[serde(default)]
    locals: Vec<&'static str>,
    /// Words that are never names.
    #[serde(default)]
    keywords: Vec<&'static str>,
    /// Tokens of a definition that only qualifies the names inside it (Swift's `extension`).
    #[serde(default)]
    qualifiers: Vec<&'static str>,
    /// Node kinds inside which parentheses around a child are redundant.
    #[serde(default)]
    paren_free: Vec<&'static str>,
    /// Node kinds that name other files or the package, at the top level of a file.
    #[serde(default)]
    headers: Vec<&'static str>,
    roles: BTreeMap<NodeRole, Vec<&'static str>>,
    definitions: BTreeMap<&'static str, Definition>,
    /// The kinds of symbols of definitions that vary, by the kind of a child.
    #[serde(default)]
    kinds: BTreeMap<&'static str, SymbolKind>,
    /// Node kinds around a name, with the field that has it, or an empty text for the first child.
    #[serde(default)]
    wrappers: BTreeMap<&'static str, &'static str>,
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

    /// Returns the spec of a language, which a test reads.
    fn read(language: Language) -> Self {
        toml::from_str(spec_text(language)).expect("a test reads the spec of each language")
    }
}

fn spec_text(language: Language) -> &'static str {
    match language {
        Language::Python => include_str!("language/python.toml"),
        Language::Go => include_str!("language/go.toml"),
        Language::JavaScript => include_str!("language/javascript.toml"),
        // The scripts of a component may be TypeScript.
        Language::TypeScript
        | Language::Tsx
        | Language::Vue
        | Language::Svelte
        | Language::Astro => include_str!("language/typescript.toml"),
        Language::Rust => include_str!("language/rust.toml"),
        Language::Java => include_str!("language/java.toml"),
        Language::CSharp => include_str!("language/csharp.toml"),
        Language::C => include_str!("language/c.toml"),
        Language::Cpp => include_str!("language/cpp.toml"),
        Language::Php => include_str!("language/php.toml"),
        Language::Kotlin => include_str!("language/kotlin.toml"),
        Language::Ruby => include_str!("language/ruby.toml"),
        Language::Swift => include_str!("language/swift.toml"),
        Language::Scala => include_str!("language/scala.toml"),
        Language::Shell => include_str!("language/shell.toml"),
    }
}

/// Returns the grammar of a language, or `None` if this build lacks it.
fn grammar(language: Language) -> Option<tree_sitter::Language> {
    let grammar = match language {
        Language::Python => tree_sitter_python::LANGUAGE,
        Language::Go => tree_sitter_go::LANGUAGE,
        Language::JavaScript => tree_sitter_javascript::LANGUAGE,
        Language::TypeScript | Language::Vue | Language::Svelte | Language::Astro => {
            tree_sitter_typescript::LANGUAGE_TYPESCRIPT
        }
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
        Language::Rust => tree_sitter_rust::LANGUAGE,
        Language::Java => tree_sitter_java::LANGUAGE,
        #[cfg(feature = "lang-csharp")]
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE,
        #[cfg(feature = "lang-c")]
        Language::C => tree_sitter_c::LANGUAGE,
        #[cfg(feature = "lang-cpp")]
        Language::Cpp => tree_sitter_cpp::LANGUAGE,
        #[cfg(feature = "lang-php")]
        Language::Php => tree_sitter_php::LANGUAGE_PHP,
        #[cfg(feature = "lang-kotlin")]
        Language::Kotlin => tree_sitter_kotlin_ng::LANGUAGE,
        #[cfg(feature = "lang-ruby")]
        Language::Ruby => tree_sitter_ruby::LANGUAGE,
        #[cfg(feature = "lang-swift")]
        Language::Swift => tree_sitter_swift::LANGUAGE,
        #[cfg(feature = "lang-scala")]
        Language::Scala => tree_sitter_scala::LANGUAGE,
        #[cfg(feature = "lang-shell")]
        Language::Shell => tree_sitter_bash::LANGUAGE,
        #[cfg(not(feature = "all-languages"))]
        _ => return None,
    };
    Some(grammar.into())
}

/// Maximum number of trigger bytes of a language.
const MAX_TRIGGER_BYTES: usize = 6;

/// The properties of one node kind.
#[derive(Clone, Copy)]
pub(crate) struct NodeProperties {
    role: NodeRole,
    pub(crate) is_function: bool,
    pub(crate) is_class: bool,
    pub(crate) is_constant: bool,
    pub(crate) is_bound_name: bool,
    /// Whether a name that is bound in the node is a local variable.
    pub(crate) is_local: bool,
    pub(crate) allows_paren_removal: bool,
    /// Whether the node may contain a definition without a trigger.
    pub(crate) is_definition_holder: bool,
    pub(crate) is_header: bool,
}

impl NodeProperties {
    const DEFAULT: Self = Self {
        role: NodeRole::Other,
        is_function: false,
        is_class: false,
        is_constant: false,
        is_bound_name: false,
        is_local: false,
        allows_paren_removal: false,
        is_definition_holder: false,
        is_header: false,
    };
}

/// A spec indexed by node kind id, because comparing kind names would cost more than walking the
/// tree.
pub struct LanguageTables {
    pub language: Language,
    pub grammar: tree_sitter::Language,
    pub sigil: char,
    pub prefix: &'static str,
    pub(crate) separator: Option<&'static str>,
    pub(crate) interpolation: &'static str,
    pub(crate) quotes: &'static str,
    pub(crate) has_bound_names: bool,
    pub(crate) qualifiers: Vec<&'static str>,
    pub(crate) keywords: Vec<&'static str>,
    pub(crate) optional_semicolons: bool,
    pub(crate) members_only: bool,
    pub(crate) line_comment: &'static str,
    pub(crate) member_kinds: Vec<SymbolKind>,
    pub(crate) titled_calls: Vec<&'static str>,
    /// Repeats bytes if the language has fewer than the maximum.
    pub(crate) trigger_bytes: [u8; MAX_TRIGGER_BYTES],
    pub(crate) trigger_words: Vec<Finder<'static>>,
    pub(crate) kinds: BTreeMap<&'static str, SymbolKind>,
    wrappers: BTreeMap<&'static str, &'static str>,
    nodes: Vec<NodeProperties>,
    definitions: Vec<Definition>,
    /// Parts of definitions that are kinds of nodes, with their ids.
    parts: FxHashMap<&'static str, u16>,
    /// Field ids by name: the grammar's own lookup compares all names in turn.
    fields: FxHashMap<String, NonZeroU16>,
}

impl LanguageTables {
    fn new(language: Language) -> Option<Self> {
        let grammar = grammar(language)?;
        let spec = LanguageSpec::read(language);
        let mut nodes = vec![NodeProperties::DEFAULT; grammar.node_kind_count()];
        let mut set = |names: &[&str], set: &dyn Fn(&mut NodeProperties)| {
            // Languages that share a spec have different kinds; 0 is the end of the text.
            let ids = names.iter().map(|name| grammar.id_for_node_kind(name, true));
            ids.filter(|id| *id > 0).for_each(|id| set(&mut nodes[usize::from(id)]));
        };
        for (role, names) in &spec.roles {
            set(names, &|node| node.role = *role);
        }
        for (idx, name) in (0..).zip(spec.definitions.keys()) {
            set(&[name], &|node| node.role = NodeRole::Definition(idx));
        }
        set(&spec.functions, &|node| node.is_function = true);
        set(&spec.classes, &|node| node.is_class = true);
        set(&spec.constants, &|node| node.is_constant = true);
        set(&spec.bound_names, &|node| node.is_bound_name = true);
        set(&spec.locals, &|node| node.is_local = true);
        set(&spec.paren_free, &|node| node.allows_paren_removal = true);
        set(&spec.holders, &|node| node.is_definition_holder = true);
        set(&spec.headers, &|node| node.is_header = true);
        let n_fields = u16::try_from(grammar.field_count()).unwrap_or(u16::MAX);
        let field = |id| Some((grammar.field_name_for_id(id)?.to_owned(), NonZeroU16::new(id)?));
        let fields = (1..=n_fields).filter_map(field).collect();
        let bytes = spec.trigger_bytes.as_bytes();
        let parts = spec.definitions.values().flat_map(|it| [it.name, it.body]);
        let parts = parts.map(|part| (part, grammar.id_for_node_kind(part, true)));
        Some(Self {
            language,
            sigil: spec.sigil,
            prefix: spec.prefix,
            separator: spec.separator,
            interpolation: spec.interpolation,
            quotes: spec.quotes,
            has_bound_names: !spec.bound_names.is_empty(),
            qualifiers: spec.qualifiers,
            keywords: spec.keywords,
            optional_semicolons: spec.optional_semicolons,
            members_only: spec.members_only,
            line_comment: spec.line_comment,
            member_kinds: spec.member_kinds,
            titled_calls: spec.titled_calls,
            trigger_bytes: std::array::from_fn(|byte_idx| bytes[byte_idx % bytes.len()]),
            trigger_words: spec.trigger_words.into_iter().map(Finder::new).collect(),
            kinds: spec.kinds,
            wrappers: spec.wrappers,
            nodes,
            parts: parts.filter(|(_, id)| *id > 0).collect(),
            definitions: spec.definitions.into_values().collect(),
            fields,
            grammar,
        })
    }

    /// Returns the properties of a node; the kind of syntax errors is not in the table.
    pub(crate) fn properties(&self, node: Node<'_>) -> &NodeProperties {
        self.nodes.get(usize::from(node.kind_id())).unwrap_or(&NodeProperties::DEFAULT)
    }

    pub(crate) fn role(&self, node: Node<'_>) -> NodeRole {
        self.properties(node).role
    }

    /// Returns what nodes of a role define.
    pub(crate) fn definition(&self, role: NodeRole) -> Option<&Definition> {
        let NodeRole::Definition(idx) = role else { return None };
        self.definitions.get(usize::from(idx))
    }

    /// Returns the id of a field in the grammar.
    pub fn field_id(&self, name: &str) -> Option<NonZeroU16> {
        self.fields.get(name).copied()
    }

    /// Returns the child of `node` in a field, or the first one of a kind.
    pub(crate) fn child<'t>(&self, node: Node<'t>, part: &str) -> Option<Node<'t>> {
        let field = self.field_id(part).and_then(|id| node.child_by_field_id(id.get()));
        field.or_else(|| self.of_kind(node, part).first().copied())
    }

    /// Returns the children of `node` in a field, or those of a kind.
    pub(crate) fn children<'t>(&self, node: Node<'t>, part: &str) -> Vec<Node<'t>> {
        let mut found = Vec::new();
        if let Some(id) = self.field_id(part) {
            found.extend(node.children_by_field_id(id, &mut node.walk()));
        }
        if found.is_empty() { self.of_kind(node, part) } else { found }
    }

    fn of_kind<'t>(&self, node: Node<'t>, kind: &str) -> Vec<Node<'t>> {
        let Some(id) = self.parts.get(kind) else { return Vec::new() };
        node.named_children(&mut node.walk()).filter(|it| it.kind_id() == *id).collect()
    }

    /// Returns the child of a node around a name that has the name.
    pub(crate) fn inner<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let field = self.wrappers.get(node.kind())?;
        self.child(node, field).or_else(|| node.named_child(0))
    }

    /// Returns the node inside pointers, references and parameters: `Server` in `*Server[T]` and
    /// `(s *Server)`, `Display` in `fmt::Display`.
    pub(crate) fn unwrapped<'t>(&self, node: Node<'t>) -> Node<'t> {
        std::iter::successors(Some(node), |node| self.inner(*node)).last().unwrap_or(node)
    }
}

/// Returns the tables of a language, compiled on first use, or `None` if this build lacks it.
pub fn tables(language: Language) -> Option<&'static LanguageTables> {
    static TABLES: [OnceLock<Option<LanguageTables>>; Language::ALL.len()] =
        [const { OnceLock::new() }; Language::ALL.len()];
    TABLES[language as usize].get_or_init(|| LanguageTables::new(language)).as_ref()
}

/// Languages by one kind of their names.
type ByName<T> = FxHashMap<&'static str, T>;

/// Returns the languages of this build, or those that it lacks, by a kind of their names.
fn names(
    is_built: bool,
    of: impl Fn(&'static LanguageNames) -> &'static Vec<String>,
) -> impl Iterator<Item = (&'static str, Language)> {
    let languages = LANGUAGES.iter().filter(move |(it, _)| self::is_built(**it) == is_built);
    languages.flat_map(move |(language, names)| {
        of(names).iter().map(move |name| (name.as_str(), *language))
    })
}

static BY_EXTENSION: LazyLock<ByName<Language>> =
    LazyLock::new(|| names(true, |it| &it.extensions).collect());

static LACKING: LazyLock<ByName<Language>> =
    LazyLock::new(|| names(false, |it| &it.extensions).collect());

static BY_SCOPE: LazyLock<ByName<Vec<Language>>> = LazyLock::new(|| {
    let mut found = ByName::<Vec<Language>>::default();
    let names = names(true, |it| &it.scopes);
    names.for_each(|(name, language)| found.entry(name).or_default().push(language));
    found
});

/// Returns the extensions of all languages.
pub(crate) fn extensions() -> Vec<&'static str> {
    names(true, |it| &it.extensions).map(|(extension, _)| extension).collect()
}

/// Returns the language of a file from the extension of its name.
pub fn from_path(path: &str) -> Option<Language> {
    BY_EXTENSION.get(extension(path)?).copied()
}

/// Returns the language of a file that this build lacks.
pub fn lacking(path: &str) -> Option<Language> {
    let extension = extension(path)?;
    LACKING.get(extension).filter(|_| !BY_EXTENSION.contains_key(extension)).copied()
}

/// Returns whether this build has a language.
pub fn is_built(language: Language) -> bool {
    grammar(language).is_some()
}

/// Returns what to say about things in languages that this build lacks, by their number.
pub fn lacks(noun: &str, by_language: &BTreeMap<Language, usize>) -> String {
    let languages: Vec<&str> = by_language.keys().map(|it| it.as_str()).collect();
    format!(
        "{} in {} cannot be read: this build lacks the features `lang-{}`",
        plural(by_language.values().sum(), noun),
        languages.join(", "),
        languages.join("`, `lang-")
    )
}

/// Returns what to say about a language that this build lacks.
pub fn lack(language: Language) -> String {
    format!("this build has no {language}: its feature is `lang-{language}`")
}

fn extension(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension)
}

/// Returns the languages of a scope's name, if it is known; `typescript` includes TSX and components.
pub fn from_scope(name: &str) -> Option<&'static [Language]> {
    BY_SCOPE.get(name).map(Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_name_only_kinds_and_fields_of_their_grammar() {
        for &language in Language::ALL {
            let spec = LanguageSpec::read(language);
            if grammar(language).is_none() {
                continue;
            }
            // Languages may share a spec.
            let shared: Vec<_> = Language::ALL
                .iter()
                .filter(|it| spec_text(**it) == spec_text(language))
                .filter_map(|it| grammar(*it))
                .collect();
            let has_kind = |name: &str, is_named| {
                shared.iter().any(|it| it.id_for_node_kind(name, is_named) != 0)
            };
            let has_field =
                |name: &str| shared.iter().any(|it| it.field_id_for_name(name).is_some());
            let LanguageSpec { functions, classes, constants, paren_free, .. } = &spec;
            let LanguageSpec { holders, headers, locals, bound_names, .. } = &spec;
            let sets = [functions, classes, constants, paren_free, holders, headers, locals];
            let names = sets.into_iter().chain([bound_names]).chain(spec.roles.values()).flatten();
            for name in names.chain(spec.definitions.keys()).chain(spec.wrappers.keys()) {
                assert!(has_kind(name, true), "{language}: {name}");
            }
            for name in spec.kinds.keys() {
                assert!(has_kind(name, true) || has_kind(name, false), "{language}: {name}");
            }
            for part in spec.definitions.values().flat_map(|it| [it.name, it.body]) {
                assert!(has_field(part) || has_kind(part, true), "{language}: {part}");
            }
            for field in spec.wrappers.values().filter(|it| !it.is_empty()) {
                assert!(has_field(field) || has_kind(field, true), "{language}: {field}");
            }
            for name in &spec.qualifiers {
                assert!(has_kind(name, false), "{language}: {name}");
            }
            assert!((1..=MAX_TRIGGER_BYTES).contains(&spec.trigger_bytes.len()), "{language}");
            assert!(spec.definitions.len() < usize::from(u8::MAX), "{language}");
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
