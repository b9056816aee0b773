//! What differs between languages, as data: which nodes define symbols, which
//! are text, which a formatter may add or drop.
//!
//! A language is one [`Grammar`]; adding one means a variant of
//! [`Language`], a table here and its file extensions. The tables are compiled
//! once to arrays over numeric node ids, since comparing names costs more than
//! the walk. A test holds every name here against its grammar.

use std::num::NonZeroU16;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use rustc_hash::FxHashMap;
use tree_sitter::Node;

use crate::model::{Language, SymbolKind};
use crate::text::scan_blocks;

/// How a node defines symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The symbol's name is in the field `name`.
    Named(SymbolKind),
    /// Go: the receiver's type qualifies the name.
    Receiver,
    /// Go: the kind depends on the node in the field `type`.
    TypeSpec,
    /// A class-like node that defines nothing but qualifies what is in it (`impl`).
    Qualifier,
    /// One or more names bound at module or class level; the field holds the name.
    Binding { name: &'static str, value: &'static str },
    /// JavaScript: `exports.f = …`, `Type.prototype.f = …`, where a function is assigned.
    Member,
    /// JavaScript: a key of an object literal whose value is a function.
    Pair,
}

/// What the walk does at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Nothing of its own.
    Descend,
    Define(Shape),
    /// Takes its single definition's place, so that decorators and `export` are part of it.
    Wrap,
    /// Annotates the definition that follows it (a Rust attribute).
    Annotate,
    Comment,
    /// A string literal, taken as one leaf unless expressions are embedded in it.
    Text,
    /// An expression embedded in a string literal.
    Embed,
    /// The text of an element in markup, whose white space is layout (JSX).
    Prose,
    /// An expression in markup, which is layout where it is only a space (`{" "}`).
    Filler,
    /// Parentheses that a formatter may add or drop, depending on what is around.
    Paren,
    /// Parentheses that a formatter may drop around a single plain name (`(x) => x`).
    LoneParen,
    /// Brackets or braces that a formatter may drop around a single expression, and
    /// commas after it, depending on what is around (Rust: `=> { x }`, `=> x,`).
    LoneBlock,
    /// What has commas that its layout decides (Rust: match arms, bounds), or that may
    /// be semicolons as well (TypeScript: members of a type).
    Arm,
    /// A statement that may hold just a string, which documents what it opens (Python).
    Statement,
    /// What takes names from elsewhere and defines none, wherever it stands.
    Import,
}

/// How many bytes are marks, at most.
const MAX_MARKS: usize = 6;

/// One language's tables, as written.
pub(crate) struct Grammar {
    function: fn() -> tree_sitter::Language,
    actions: &'static [(&'static str, Action)],
    /// Node kinds that hold a function when a name is bound to them.
    functions: &'static [&'static str],
    /// Node kinds that hold a class when a name is bound to them.
    classes: &'static [&'static str],
    /// Node kinds around which parentheses decide nothing.
    paren_free: &'static [&'static str],
    /// Whether a statement's end may be written or left out.
    optional_semicolons: bool,
    /// Bytes and whole words: code in a function that has none of them, and stands in no
    /// holder, defines nothing and has no text and no comment.
    marks: &'static str,
    mark_words: &'static [&'static str],
    /// Node kinds of which a child may define without a mark of its own, or have text that
    /// is no token.
    holders: &'static [&'static str],
}

use Action::{
    Annotate, Arm, Comment, Define, Embed, Filler, Import, LoneBlock, LoneParen, Paren, Prose,
    Statement, Text, Wrap,
};
use Shape::{Binding, Member, Named, Pair, Qualifier, Receiver, TypeSpec};
use SymbolKind as K;

const PYTHON: Grammar = Grammar {
    function: || tree_sitter_python::LANGUAGE.into(),
    actions: &[
        ("class_definition", Define(Named(K::Class))),
        ("function_definition", Define(Named(K::Function))),
        ("assignment", Define(Binding { name: "left", value: "right" })),
        ("type_alias_statement", Define(Binding { name: "left", value: "right" })),
        ("decorated_definition", Wrap),
        ("comment", Comment),
        ("string", Text),
        ("interpolation", Embed),
        ("parenthesized_expression", Paren),
        ("tuple", Paren),
        ("tuple_pattern", Paren),
        ("argument_list", Paren),
        ("with_clause", Paren),
        ("expression_statement", Statement),
        ("import_statement", Import),
        ("import_from_statement", Import),
        ("future_import_statement", Import),
    ],
    functions: &["lambda"],
    classes: &[],
    paren_free: &[
        "return_statement",
        "assignment",
        "augmented_assignment",
        "expression_statement",
        "if_statement",
        "elif_clause",
        "while_statement",
        "for_statement",
        "assert_statement",
        "raise_statement",
        "with_item",
        "yield",
        "keyword_argument",
        "default_parameter",
        "parenthesized_expression",
        "for_in_clause",
        "pair",
        "argument_list",
        "list",
        "class_definition",
        "type",
        "except_clause",
        "as_pattern",
        "await",
        "delete_statement",
        "match_statement",
        "with_statement",
    ],
    optional_semicolons: true,
    marks: "\"'#",
    mark_words: &["def", "class", "lambda"],
    holders: &["interpolation", "format_specifier", "format_expression"],
};

const GO: Grammar = Grammar {
    function: || tree_sitter_go::LANGUAGE.into(),
    actions: &[
        ("function_declaration", Define(Named(K::Function))),
        ("method_declaration", Define(Receiver)),
        ("type_spec", Define(TypeSpec)),
        ("type_alias", Define(Named(K::Type))),
        ("method_elem", Define(Named(K::Method))),
        ("const_spec", Define(Binding { name: "name", value: "value" })),
        ("var_spec", Define(Binding { name: "name", value: "value" })),
        ("type_declaration", Wrap),
        ("const_declaration", Wrap),
        ("var_declaration", Wrap),
        ("comment", Comment),
        ("interpreted_string_literal", Text),
        ("raw_string_literal", Text),
        ("rune_literal", Text),
    ],
    functions: &["func_literal"],
    classes: &[],
    paren_free: &[],
    optional_semicolons: true,
    marks: "\"'`/",
    mark_words: &["type", "func", "interface"],
    holders: &["type_declaration", "interface_type"],
};

/// What JavaScript and TypeScript share.
const WEB_ACTIONS: &[(&str, Action)] = &[
    ("class_declaration", Define(Named(K::Class))),
    ("function_declaration", Define(Named(K::Function))),
    ("generator_function_declaration", Define(Named(K::Function))),
    ("method_definition", Define(Named(K::Method))),
    ("variable_declarator", Define(Binding { name: "name", value: "value" })),
    ("assignment_expression", Define(Member)),
    ("pair", Define(Pair)),
    ("export_statement", Wrap),
    ("lexical_declaration", Wrap),
    ("variable_declaration", Wrap),
    ("comment", Comment),
    ("string", Text),
    ("template_string", Text),
    ("template_substitution", Embed),
    ("regex", Text),
    ("parenthesized_expression", Paren),
    ("formal_parameters", LoneParen),
];

/// Elements in code, which TypeScript proper does not have.
const JSX_ACTIONS: &[(&str, Action)] = &[("jsx_text", Prose), ("jsx_expression", Filler)];

const WEB_FUNCTIONS: &[&str] = &["arrow_function", "function_expression", "generator_function"];

const WEB_PAREN_FREE: &[&str] = &[
    "return_statement",
    "variable_declarator",
    "expression_statement",
    "arguments",
    "arrow_function",
    "assignment_expression",
    "pair",
    "parenthesized_expression",
    "binary_expression",
    "ternary_expression",
];

/// `<` opens an element, or a type whose arguments may hold anything.
const WEB_MARKS: &str = "\"'`/{<";

const JAVASCRIPT: Grammar = Grammar {
    function: || tree_sitter_javascript::LANGUAGE.into(),
    actions: &[("field_definition", Define(Binding { name: "property", value: "value" }))],
    functions: WEB_FUNCTIONS,
    classes: &["class"],
    paren_free: WEB_PAREN_FREE,
    optional_semicolons: true,
    marks: WEB_MARKS,
    mark_words: &["=>"],
    holders: &[],
};

const TYPESCRIPT_ACTIONS: &[(&str, Action)] = &[
    ("public_field_definition", Define(Binding { name: "name", value: "value" })),
    ("abstract_class_declaration", Define(Named(K::Class))),
    ("interface_declaration", Define(Named(K::Interface))),
    ("type_alias_declaration", Define(Named(K::Type))),
    ("enum_declaration", Define(Named(K::Enum))),
    ("internal_module", Define(Named(K::Module))),
    ("module", Define(Named(K::Module))),
    ("function_signature", Define(Named(K::Function))),
    ("method_signature", Define(Named(K::Method))),
    ("abstract_method_signature", Define(Named(K::Method))),
    ("ambient_declaration", Wrap),
    ("object_type", Arm),
    ("interface_body", Arm),
];

const TYPESCRIPT: Grammar = Grammar {
    function: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    actions: TYPESCRIPT_ACTIONS,
    functions: WEB_FUNCTIONS,
    classes: &["class"],
    paren_free: WEB_PAREN_FREE,
    optional_semicolons: true,
    marks: WEB_MARKS,
    mark_words: &["=>", "type", "function"],
    holders: &["object_type"],
};

const TSX: Grammar = Grammar {
    function: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    actions: TYPESCRIPT_ACTIONS,
    functions: WEB_FUNCTIONS,
    classes: &["class"],
    paren_free: WEB_PAREN_FREE,
    optional_semicolons: true,
    marks: WEB_MARKS,
    mark_words: &["=>", "type", "function"],
    holders: &["object_type"],
};

const RUST: Grammar = Grammar {
    function: || tree_sitter_rust::LANGUAGE.into(),
    actions: &[
        ("function_item", Define(Named(K::Function))),
        ("function_signature_item", Define(Named(K::Function))),
        ("struct_item", Define(Named(K::Struct))),
        ("union_item", Define(Named(K::Struct))),
        ("enum_item", Define(Named(K::Enum))),
        ("trait_item", Define(Named(K::Trait))),
        ("impl_item", Define(Qualifier)),
        ("mod_item", Define(Named(K::Module))),
        ("type_item", Define(Named(K::Type))),
        ("const_item", Define(Named(K::Constant))),
        ("static_item", Define(Named(K::Constant))),
        ("macro_definition", Define(Named(K::Macro))),
        ("attribute_item", Annotate),
        ("block", LoneBlock),
        ("match_arm", Arm),
        ("where_clause", Arm),
        ("line_comment", Comment),
        ("block_comment", Comment),
        ("string_literal", Text),
        ("raw_string_literal", Text),
        ("char_literal", Text),
        ("use_declaration", Import),
    ],
    functions: &["closure_expression"],
    classes: &[],
    paren_free: &["match_arm", "closure_expression"],
    optional_semicolons: false,
    marks: "\"'/{#",
    mark_words: &["const", "fn", "macro_rules", "mod", "static", "struct", "type"],
    holders: &[],
};

const JAVA: Grammar = Grammar {
    function: || tree_sitter_java::LANGUAGE.into(),
    actions: &[
        ("class_declaration", Define(Named(K::Class))),
        ("record_declaration", Define(Named(K::Class))),
        ("interface_declaration", Define(Named(K::Interface))),
        ("annotation_type_declaration", Define(Named(K::Interface))),
        ("enum_declaration", Define(Named(K::Enum))),
        ("method_declaration", Define(Named(K::Method))),
        ("constructor_declaration", Define(Named(K::Method))),
        ("compact_constructor_declaration", Define(Named(K::Method))),
        ("variable_declarator", Define(Binding { name: "name", value: "value" })),
        ("field_declaration", Wrap),
        ("constant_declaration", Wrap),
        ("line_comment", Comment),
        ("block_comment", Comment),
        ("string_literal", Text),
        ("character_literal", Text),
        ("import_declaration", Import),
    ],
    functions: &["lambda_expression"],
    classes: &[],
    paren_free: &[],
    optional_semicolons: false,
    marks: "\"'/{",
    mark_words: &["->"],
    holders: &["class_body"],
};

/// A language's tables over numeric node ids.
pub(crate) struct Compiled {
    pub(crate) language: Language,
    pub(crate) grammar: tree_sitter::Language,
    pub(crate) actions: Vec<Action>,
    functions: Vec<bool>,
    classes: Vec<bool>,
    paren_free: Vec<bool>,
    pub(crate) optional_semicolons: bool,
    /// Some stand twice where a language has fewer.
    marks: [u8; MAX_MARKS],
    mark_words: Vec<Finder<'static>>,
    holders: Vec<bool>,
    /// The fields of nodes, which a grammar looks up by comparing all of their names.
    fields: FxHashMap<String, NonZeroU16>,
}

impl Compiled {
    pub(crate) fn is_function(&self, kind: u16) -> bool {
        self.functions.get(usize::from(kind)).copied().unwrap_or(false)
    }

    pub(crate) fn is_class(&self, kind: u16) -> bool {
        self.classes.get(usize::from(kind)).copied().unwrap_or(false)
    }

    pub(crate) fn is_paren_free(&self, kind: u16) -> bool {
        self.paren_free.get(usize::from(kind)).copied().unwrap_or(false)
    }

    pub(crate) fn field(&self, name: &str) -> Option<NonZeroU16> {
        self.fields.get(name).copied()
    }

    /// Returns the child of `node` in a field.
    pub(crate) fn child<'t>(&self, node: Node<'t>, field: &str) -> Option<Node<'t>> {
        node.child_by_field_id(self.field(field)?.get())
    }

    pub(crate) fn holds_definitions(&self, kind: u16) -> bool {
        self.holders.get(usize::from(kind)).copied().unwrap_or(false)
    }

    pub(crate) fn action(&self, kind: u16) -> Action {
        self.actions.get(usize::from(kind)).copied().unwrap_or(Action::Descend)
    }

    /// Returns where the marks of a text are, ascending.
    pub(crate) fn marks(&self, text: &str) -> Vec<usize> {
        let bytes = text.as_bytes();
        let mut found = Vec::with_capacity(bytes.len() / 16);
        let is_mark = |byte| self.marks.iter().fold(false, |is, mark| is | (byte == *mark));
        scan_blocks(bytes, is_mark, |start, mut met| {
            while met != 0 {
                found.push(start + met.trailing_zeros() as usize);
                met &= met - 1;
            }
        });
        let is_letter = |at: usize| {
            bytes
                .get(at)
                .is_some_and(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | 0x80..))
        };
        for word in &self.mark_words {
            let n_bytes = word.needle().len();
            let is_name = word.needle()[0].is_ascii_alphabetic();
            // A part of a longer word is no mark.
            found.extend(word.find_iter(bytes).filter(|&at| {
                !is_name || !(is_letter(at.wrapping_sub(1)) || is_letter(at + n_bytes))
            }));
        }
        if !self.mark_words.is_empty() {
            found.sort();
        }
        found
    }
}

/// Returns the tables of a language, compiled at first use.
pub(crate) fn compiled(language: Language) -> &'static Compiled {
    static ALL: [LazyLock<Compiled>; 7] = [
        LazyLock::new(|| compile(Language::Python)),
        LazyLock::new(|| compile(Language::Go)),
        LazyLock::new(|| compile(Language::JavaScript)),
        LazyLock::new(|| compile(Language::TypeScript)),
        LazyLock::new(|| compile(Language::Tsx)),
        LazyLock::new(|| compile(Language::Rust)),
        LazyLock::new(|| compile(Language::Java)),
    ];
    &ALL[language as usize]
}

type Actions = &'static [(&'static str, Action)];

/// Returns a language's own table and the actions that it shares with others.
fn tables(language: Language) -> (&'static Grammar, &'static [Actions]) {
    match language {
        Language::Python => (&PYTHON, &[]),
        Language::Go => (&GO, &[]),
        Language::JavaScript => (&JAVASCRIPT, &[WEB_ACTIONS, JSX_ACTIONS]),
        Language::TypeScript => (&TYPESCRIPT, &[WEB_ACTIONS]),
        Language::Tsx => (&TSX, &[WEB_ACTIONS, JSX_ACTIONS]),
        Language::Rust => (&RUST, &[]),
        Language::Java => (&JAVA, &[]),
    }
}

fn compile(language: Language) -> Compiled {
    let (table, shared) = tables(language);
    let grammar = (table.function)();
    let n_kinds = grammar.node_kind_count();
    let set = |names: &[&str]| {
        let mut set = vec![false; n_kinds];
        for name in names {
            set[usize::from(grammar.id_for_node_kind(name, true))] = true;
        }
        set
    };
    let mut actions = vec![Action::Descend; n_kinds];
    for (name, action) in table.actions.iter().chain(shared.iter().copied().flatten()) {
        actions[usize::from(grammar.id_for_node_kind(name, true))] = *action;
    }
    let n_fields = u16::try_from(grammar.field_count()).unwrap_or(u16::MAX);
    let fields = (1..=n_fields)
        .filter_map(|id| Some((grammar.field_name_for_id(id)?.to_owned(), NonZeroU16::new(id)?)));
    let fields = fields.collect();
    Compiled {
        language,
        actions,
        functions: set(table.functions),
        classes: set(table.classes),
        paren_free: set(table.paren_free),
        optional_semicolons: table.optional_semicolons,
        marks: std::array::from_fn(|at| table.marks.as_bytes()[at % table.marks.len()]),
        mark_words: table.mark_words.iter().map(Finder::new).collect(),
        holders: set(table.holders),
        fields,
        grammar,
    }
}

/// Returns the language of a file by the ending of its name.
pub(crate) fn of_path(path: &str) -> Option<Language> {
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
        _ => return None,
    })
}

/// Returns the languages a scope's name stands for (`typescript` takes in TSX), if it is known.
pub(crate) fn of_scope(name: &str) -> Option<&'static [Language]> {
    Some(match name {
        "python" | "py" => &[Language::Python],
        "go" | "golang" => &[Language::Go],
        "javascript" | "js" | "jsx" => &[Language::JavaScript],
        "typescript" | "ts" | "tsx" => &[Language::TypeScript, Language::Tsx],
        "rust" | "rs" => &[Language::Rust],
        "java" => &[Language::Java],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_kind_and_field_is_in_its_grammar() {
        for &language in Language::ALL {
            let (table, shared) = tables(language);
            let grammar = (table.function)();
            let kinds =
                table.actions.iter().chain(shared.iter().copied().flatten()).map(|(name, _)| name);
            let sets = [table.functions, table.classes, table.paren_free, table.holders].concat();
            assert!((1..=MAX_MARKS).contains(&table.marks.len()), "{language}");
            for name in kinds.chain(&sets) {
                assert_ne!(grammar.id_for_node_kind(name, true), 0, "{language}: {name}");
            }
            for (_, action) in table.actions.iter().chain(shared.iter().copied().flatten()) {
                let fields: &[&str] = match action {
                    Define(Named(_) | Receiver) => &["name"],
                    Define(Binding { name, value }) => &[name, value],
                    Define(Qualifier | TypeSpec) => &["type"],
                    Define(Member) => &["left", "right"],
                    Define(Pair) => &["key", "value"],
                    _ => &[],
                };
                for field in fields {
                    assert!(grammar.field_id_for_name(field).is_some(), "{language}: {field}");
                }
            }
        }
    }

    #[test]
    fn paths_tell_their_language() {
        assert_eq!(of_path("a/b.py"), Some(Language::Python));
        assert_eq!(of_path("a.d.ts"), Some(Language::TypeScript));
        assert_eq!(of_path(".py"), None);
        assert_eq!(of_path("Makefile"), None);
    }
}
