//! The supported languages: their grammars, and tables with the role of each node kind.
//!
//! The differences between languages are data: a [`LanguageSpec`] each, in `language/*.toml`. A spec is
//! compiled on first use to [`LanguageTables`], which are indexed by node kind id. CONTRIBUTING.md has
//! the steps to add a language.

use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::sync::{LazyLock, OnceLock};

use cerberus_model::languages::{LANGUAGES, LanguageNames};
use cerberus_model::{Language, plural};
use memchr::memmem::Finder;
use rustc_hash::FxHashMap;
use tree_sitter::Node;

mod spec;

pub use spec::LanguageSpec;
pub(crate) use spec::{Bound, Definition, How, NodeRole};

/// Maximum number of trigger bytes of a language.
const MAX_TRIGGER_BYTES: usize = 6;

/// The properties of one node kind.
#[derive(Clone, Copy, Default)]
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

/// A spec indexed by node kind id, because comparing kind names would cost more than walking the
/// tree.
pub struct LanguageTables {
    pub language: Language,
    pub grammar: tree_sitter::Language,
    pub spec: LanguageSpec,
    /// Repeats bytes if the language has fewer than the maximum.
    pub(crate) trigger_bytes: [u8; MAX_TRIGGER_BYTES],
    pub(crate) trigger_words: Vec<Finder<'static>>,
    nodes: Vec<NodeProperties>,
    definitions: Vec<Definition>,
    /// Parts of definitions that are kinds of nodes, with their ids.
    parts: FxHashMap<&'static str, u16>,
    /// Field ids by name: the grammar's own lookup compares all names in turn.
    fields: FxHashMap<String, NonZeroU16>,
}

impl LanguageTables {
    fn new(language: Language) -> Option<Self> {
        let (grammar, spec) = spec::built(language)?;
        let spec: LanguageSpec = toml::from_str(spec).expect("a test reads the spec of each");
        let mut nodes = vec![NodeProperties::default(); grammar.node_kind_count()];
        let mut set = |names: &[&str], set: &dyn Fn(&mut NodeProperties)| {
            // Languages that share a spec have different kinds; 0 is the end of the text.
            let ids = names
                .iter()
                .map(|name| grammar.id_for_node_kind(name, true));
            ids.filter(|id| *id > 0)
                .for_each(|id| set(&mut nodes[usize::from(id)]));
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
        let field = |id| {
            Some((
                grammar.field_name_for_id(id)?.to_owned(),
                NonZeroU16::new(id)?,
            ))
        };
        let fields = (1..=n_fields).filter_map(field).collect();
        let bytes = spec.trigger_bytes.as_bytes();
        let parts = spec
            .definitions
            .values()
            .flat_map(|definition| [definition.name, definition.body]);
        let parts = parts.map(|part| (part, grammar.id_for_node_kind(part, true)));
        Some(Self {
            language,
            trigger_bytes: std::array::from_fn(|byte_idx| bytes[byte_idx % bytes.len()]),
            trigger_words: spec
                .trigger_words
                .iter()
                .map(|call| Finder::new(*call))
                .collect(),
            nodes,
            parts: parts.filter(|(_, id)| *id > 0).collect(),
            definitions: spec.definitions.values().copied().collect(),
            fields,
            grammar,
            spec,
        })
    }

    /// Returns the properties of a node; the kind of syntax errors is not in the table.
    pub(crate) fn properties(&self, node: Node<'_>) -> NodeProperties {
        self.nodes
            .get(usize::from(node.kind_id()))
            .copied()
            .unwrap_or_default()
    }

    pub(crate) fn role(&self, node: Node<'_>) -> NodeRole {
        self.properties(node).role
    }

    /// Returns the definition that nodes of a role make.
    pub(crate) fn definition(&self, role: NodeRole) -> Option<&Definition> {
        let NodeRole::Definition(idx) = role else {
            return None;
        };
        self.definitions.get(usize::from(idx))
    }

    /// Returns the id of a field in the grammar.
    pub fn field_id(&self, name: &str) -> Option<NonZeroU16> {
        self.fields.get(name).copied()
    }

    /// Returns the child of `node` in a field, or the first one of a kind.
    pub(crate) fn child<'t>(&self, node: Node<'t>, part: &str) -> Option<Node<'t>> {
        let field = self
            .field_id(part)
            .and_then(|id| node.child_by_field_id(id.get()));
        field.or_else(|| self.of_kind(node, part).first().copied())
    }

    /// Returns the children of `node` in a field, or those of a kind.
    pub(crate) fn children<'t>(&self, node: Node<'t>, part: &str) -> Vec<Node<'t>> {
        let mut found = Vec::new();
        if let Some(id) = self.field_id(part) {
            found.extend(node.children_by_field_id(id, &mut node.walk()));
        }
        if found.is_empty() {
            self.of_kind(node, part)
        } else {
            found
        }
    }

    fn of_kind<'t>(&self, node: Node<'t>, kind: &str) -> Vec<Node<'t>> {
        let Some(id) = self.parts.get(kind) else {
            return Vec::new();
        };
        node.named_children(&mut node.walk())
            .filter(|child| child.kind_id() == *id)
            .collect()
    }

    /// Returns the child of a node around a name that has the name.
    pub(crate) fn inner<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let field = self.spec.wrappers.get(node.kind())?;
        self.child(node, field).or_else(|| node.named_child(0))
    }

    /// Returns the node inside pointers, references and parameters: `Server` in `*Server[T]` and
    /// `(s *Server)`, `Display` in `fmt::Display`.
    pub(crate) fn unwrapped<'t>(&self, node: Node<'t>) -> Node<'t> {
        std::iter::successors(Some(node), |node| self.inner(*node))
            .last()
            .unwrap_or(node)
    }
}

/// Returns the tables of a language, compiled on first use, or `None` if this build lacks it.
pub fn tables(language: Language) -> Option<&'static LanguageTables> {
    static TABLES: [OnceLock<Option<LanguageTables>>; Language::ALL.len()] =
        [const { OnceLock::new() }; Language::ALL.len()];
    TABLES[language as usize]
        .get_or_init(|| LanguageTables::new(language))
        .as_ref()
}

/// Languages by one kind of their names.
type ByName<T> = FxHashMap<&'static str, T>;

/// Returns the languages of this build, or those that it lacks, by a kind of their names.
fn names(
    is_built: bool,
    of: impl Fn(&'static LanguageNames) -> &'static Vec<String>,
) -> impl Iterator<Item = (&'static str, Language)> {
    let languages = LANGUAGES
        .iter()
        .filter(move |(it, _)| self::is_built(**it) == is_built);
    languages.flat_map(move |(language, names)| {
        of(names).iter().map(move |name| (name.as_str(), *language))
    })
}

static BY_EXTENSION: LazyLock<ByName<Language>> =
    LazyLock::new(|| names(true, |spec| &spec.extensions).collect());

static LACKING: LazyLock<ByName<Language>> =
    LazyLock::new(|| names(false, |spec| &spec.extensions).collect());

static BY_SCOPE: LazyLock<ByName<Vec<Language>>> = LazyLock::new(|| {
    let mut found = ByName::<Vec<Language>>::default();
    let names = names(true, |spec| &spec.scopes);
    names.for_each(|(name, language)| found.entry(name).or_default().push(language));
    found
});

/// Returns the extensions of all languages.
pub(crate) fn extensions() -> Vec<&'static str> {
    names(true, |spec| &spec.extensions)
        .map(|(extension, _)| extension)
        .collect()
}

/// Returns the language of a file from the extension of its name.
pub fn from_path(path: &str) -> Option<Language> {
    BY_EXTENSION.get(extension(path)?).copied()
}

/// Returns the language of a file that this build lacks.
pub fn lacking(path: &str) -> Option<Language> {
    let extension = extension(path)?;
    LACKING
        .get(extension)
        .filter(|_| !BY_EXTENSION.contains_key(extension))
        .copied()
}

/// Returns whether this build has a language.
pub fn is_built(language: Language) -> bool {
    spec::built(language).is_some()
}

/// Returns a message about things in languages that this build lacks, by their number.
pub fn lacks(noun: &str, by_language: &BTreeMap<Language, usize>) -> String {
    let languages: Vec<&str> = by_language
        .keys()
        .map(|language| language.as_str())
        .collect();
    format!(
        "{} in {} cannot be read: this build lacks the features `lang-{}`",
        plural(by_language.values().sum(), noun),
        languages.join(", "),
        languages.join("`, `lang-")
    )
}

/// Returns a message about a language that this build lacks.
pub fn lack(language: Language) -> String {
    format!("this build has no {language}: its feature is `lang-{language}`")
}

fn extension(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.')
        .filter(|(stem, _)| !stem.is_empty())
        .map(|(_, extension)| extension)
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
            let Some((_, text)) = spec::built(language) else {
                continue;
            };
            let spec: LanguageSpec = toml::from_str(text).expect("a spec");
            // Languages may share a spec.
            let shared: Vec<_> = Language::ALL
                .iter()
                .filter_map(|it| spec::built(*it))
                .filter(|(_, other)| *other == text)
                .map(|(grammar, _)| grammar)
                .collect();
            let has_kind = |name: &str, is_named| {
                shared
                    .iter()
                    .any(|it| it.id_for_node_kind(name, is_named) != 0)
            };
            let has_field =
                |name: &str| shared.iter().any(|it| it.field_id_for_name(name).is_some());
            let LanguageSpec {
                functions,
                classes,
                constants,
                paren_free,
                ..
            } = &spec;
            let LanguageSpec {
                holders,
                headers,
                locals,
                bound_names,
                ..
            } = &spec;
            let sets = [
                functions, classes, constants, paren_free, holders, headers, locals,
            ];
            let names = sets
                .into_iter()
                .chain([bound_names])
                .chain(spec.roles.values())
                .flatten();
            for name in names
                .chain(spec.definitions.keys())
                .chain(spec.wrappers.keys())
            {
                assert!(has_kind(name, true), "{language}: {name}");
            }
            for name in spec.kinds.keys() {
                assert!(
                    has_kind(name, true) || has_kind(name, false),
                    "{language}: {name}"
                );
            }
            for part in spec
                .definitions
                .values()
                .flat_map(|definition| [definition.name, definition.body])
            {
                assert!(
                    has_field(part) || has_kind(part, true),
                    "{language}: {part}"
                );
            }
            for field in spec.wrappers.values().filter(|it| !it.is_empty()) {
                assert!(
                    has_field(field) || has_kind(field, true),
                    "{language}: {field}"
                );
            }
            for name in &spec.qualifiers {
                assert!(has_kind(name, false), "{language}: {name}");
            }
            assert!(
                (1..=MAX_TRIGGER_BYTES).contains(&spec.trigger_bytes.len()),
                "{language}"
            );
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
