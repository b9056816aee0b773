//! One [`LanguageSpec`] for each language.

use cerberus_model::{Language, SymbolKind as K};

use super::DefinitionKind::{
    Binding, MemberAssignment, Named, Property, Qualifier, Receiver, TitledCall, TypeSpec,
};
use super::NodeRole::{
    self, Annotation, Block, Comment, Decorator, Definition, ExpressionStatement, Import,
    Interpolation, MarkupExpression, MarkupText, ParameterParens, Parens, SeparatedList, String,
    Wrapper,
};

/// The syntax of one language, by the names of its grammar.
pub(super) struct LanguageSpec {
    pub(super) grammar: fn() -> tree_sitter::Language,
    pub(super) node_roles: &'static [&'static [(&'static str, NodeRole)]],
    /// Node kinds that are functions if bound to a name.
    pub(super) functions: &'static [&'static str],
    /// Node kinds that are classes if bound to a name.
    pub(super) classes: &'static [&'static str],
    /// Node kinds inside which parentheses around a child are redundant.
    pub(super) paren_free: &'static [&'static str],
    /// Whether a semicolon at the end of a statement is optional.
    pub(super) optional_semicolons: bool,
    /// Trigger bytes and keywords: code in a function that contains none of them, and is in no
    /// holder, has no definitions, strings or comments, so that it need not be walked.
    pub(super) trigger_bytes: &'static str,
    pub(super) trigger_words: &'static [&'static str],
    /// Node kinds whose children may be definitions without a trigger, or contain text that is
    /// not a token.
    pub(super) holders: &'static [&'static str],
    /// The start of a comment that extends to the end of the line.
    pub(super) line_comment: &'static str,
    /// Kinds of symbols that parse only inside a class body.
    pub(super) member_kinds: &'static [K],
    /// Functions whose calls with a title and a callback are definitions: `it("closes", () => …)`.
    pub(super) titled_calls: &'static [&'static str],
    /// Whether a file is markup with code in its `<script>` elements.
    pub(super) is_component: bool,
}

/// Returns the spec of a language.
pub(super) fn spec(language: Language) -> &'static LanguageSpec {
    match language {
        Language::Python => &PYTHON,
        Language::Go => &GO,
        Language::JavaScript => &JAVASCRIPT,
        Language::TypeScript => &TYPESCRIPT,
        Language::Tsx => &TSX,
        Language::Rust => &RUST,
        Language::Java => &JAVA,
        Language::Vue | Language::Svelte => &COMPONENT,
    }
}

const PYTHON: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_python::LANGUAGE.into(),
    node_roles: &[&[
        ("class_definition", Definition(Named(K::Class))),
        ("function_definition", Definition(Named(K::Function))),
        ("assignment", Definition(Binding { name: "left", value: "right" })),
        ("type_alias_statement", Definition(Binding { name: "left", value: "right" })),
        ("decorated_definition", Wrapper),
        ("comment", Comment),
        ("string", String),
        ("interpolation", Interpolation),
        ("parenthesized_expression", Parens),
        ("tuple", Parens),
        ("tuple_pattern", Parens),
        ("argument_list", Parens),
        ("with_clause", Parens),
        ("expression_statement", ExpressionStatement),
        ("import_statement", Import),
        ("import_from_statement", Import),
        ("future_import_statement", Import),
    ]],
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
    trigger_bytes: "\"'#",
    trigger_words: &["def", "class", "lambda"],
    holders: &["interpolation", "format_specifier", "format_expression"],
    line_comment: "#",
    member_kinds: &[],
    titled_calls: &[],
    is_component: false,
};

const GO: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_go::LANGUAGE.into(),
    node_roles: &[&[
        ("function_declaration", Definition(Named(K::Function))),
        ("method_declaration", Definition(Receiver)),
        ("type_spec", Definition(TypeSpec)),
        ("type_alias", Definition(Named(K::Type))),
        ("method_elem", Definition(Named(K::Method))),
        ("const_spec", Definition(Binding { name: "name", value: "value" })),
        ("var_spec", Definition(Binding { name: "name", value: "value" })),
        ("type_declaration", Wrapper),
        ("const_declaration", Wrapper),
        ("var_declaration", Wrapper),
        ("comment", Comment),
        ("interpreted_string_literal", String),
        ("raw_string_literal", String),
        ("rune_literal", String),
    ]],
    functions: &["func_literal"],
    classes: &[],
    paren_free: &[],
    optional_semicolons: true,
    trigger_bytes: "\"'`/",
    trigger_words: &["type", "func", "interface"],
    holders: &["type_declaration", "interface_type"],
    line_comment: "//",
    member_kinds: &[],
    titled_calls: &[],
    is_component: false,
};

/// The roles that JavaScript and TypeScript share.
const WEB_ROLES: &[(&str, NodeRole)] = &[
    ("class_declaration", Definition(Named(K::Class))),
    ("function_declaration", Definition(Named(K::Function))),
    ("generator_function_declaration", Definition(Named(K::Function))),
    ("method_definition", Definition(Named(K::Method))),
    ("variable_declarator", Definition(Binding { name: "name", value: "value" })),
    ("assignment_expression", Definition(MemberAssignment)),
    ("pair", Definition(Property)),
    ("call_expression", Definition(TitledCall)),
    ("export_statement", Wrapper),
    ("lexical_declaration", Wrapper),
    ("variable_declaration", Wrapper),
    ("comment", Comment),
    ("string", String),
    ("template_string", String),
    ("template_substitution", Interpolation),
    ("regex", String),
    ("parenthesized_expression", Parens),
    ("formal_parameters", ParameterParens),
];

/// The roles of JSX, which plain TypeScript does not have.
const JSX_ROLES: &[(&str, NodeRole)] =
    &[("jsx_text", MarkupText), ("jsx_expression", MarkupExpression)];

const JAVASCRIPT: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    node_roles: &[
        &[("field_definition", Definition(Binding { name: "property", value: "value" }))],
        WEB_ROLES,
        JSX_ROLES,
    ],
    functions: &["arrow_function", "function_expression", "generator_function"],
    classes: &["class"],
    paren_free: &[
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
    ],
    optional_semicolons: true,
    // `<` starts an element, or type arguments that may contain anything.
    trigger_bytes: "\"'`/{<",
    trigger_words: &["=>"],
    holders: &[],
    line_comment: "//",
    member_kinds: &[K::Method],
    titled_calls: &["bench", "describe", "it", "test"],
    is_component: false,
};

const TYPESCRIPT_ROLES: &[(&str, NodeRole)] = &[
    ("public_field_definition", Definition(Binding { name: "name", value: "value" })),
    ("abstract_class_declaration", Definition(Named(K::Class))),
    ("interface_declaration", Definition(Named(K::Interface))),
    ("type_alias_declaration", Definition(Named(K::Type))),
    ("enum_declaration", Definition(Named(K::Enum))),
    ("internal_module", Definition(Named(K::Module))),
    ("module", Definition(Named(K::Module))),
    ("function_signature", Definition(Named(K::Function))),
    ("method_signature", Definition(Named(K::Method))),
    ("abstract_method_signature", Definition(Named(K::Method))),
    ("ambient_declaration", Wrapper),
    ("decorator", Decorator),
    ("object_type", SeparatedList),
    ("interface_body", SeparatedList),
];

const TYPESCRIPT: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    node_roles: &[TYPESCRIPT_ROLES, WEB_ROLES],
    trigger_words: &["=>", "type", "function"],
    holders: &["object_type"],
    ..JAVASCRIPT
};

const TSX: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    node_roles: &[TYPESCRIPT_ROLES, WEB_ROLES, JSX_ROLES],
    ..TYPESCRIPT
};

/// Vue and Svelte, whose scripts may be TypeScript.
const COMPONENT: LanguageSpec = LanguageSpec { is_component: true, ..TYPESCRIPT };

const RUST: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    node_roles: &[&[
        ("function_item", Definition(Named(K::Function))),
        ("function_signature_item", Definition(Named(K::Function))),
        ("struct_item", Definition(Named(K::Struct))),
        ("union_item", Definition(Named(K::Struct))),
        ("enum_item", Definition(Named(K::Enum))),
        ("trait_item", Definition(Named(K::Trait))),
        ("impl_item", Definition(Qualifier)),
        ("mod_item", Definition(Named(K::Module))),
        ("type_item", Definition(Named(K::Type))),
        ("const_item", Definition(Named(K::Constant))),
        ("static_item", Definition(Named(K::Constant))),
        ("macro_definition", Definition(Named(K::Macro))),
        ("attribute_item", Annotation),
        ("block", Block),
        ("match_arm", SeparatedList),
        ("where_clause", SeparatedList),
        ("line_comment", Comment),
        ("block_comment", Comment),
        ("string_literal", String),
        ("raw_string_literal", String),
        ("char_literal", String),
        ("use_declaration", Import),
    ]],
    functions: &["closure_expression"],
    classes: &[],
    paren_free: &["match_arm", "closure_expression"],
    optional_semicolons: false,
    trigger_bytes: "\"'/{#",
    trigger_words: &["const", "fn", "macro_rules", "mod", "static", "struct", "type"],
    holders: &[],
    line_comment: "//",
    member_kinds: &[],
    titled_calls: &[],
    is_component: false,
};

const JAVA: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_java::LANGUAGE.into(),
    node_roles: &[&[
        ("class_declaration", Definition(Named(K::Class))),
        ("record_declaration", Definition(Named(K::Class))),
        ("interface_declaration", Definition(Named(K::Interface))),
        ("annotation_type_declaration", Definition(Named(K::Interface))),
        ("enum_declaration", Definition(Named(K::Enum))),
        ("method_declaration", Definition(Named(K::Method))),
        ("constructor_declaration", Definition(Named(K::Method))),
        ("compact_constructor_declaration", Definition(Named(K::Method))),
        ("variable_declarator", Definition(Binding { name: "name", value: "value" })),
        ("field_declaration", Wrapper),
        ("constant_declaration", Wrapper),
        ("line_comment", Comment),
        ("block_comment", Comment),
        ("string_literal", String),
        ("character_literal", String),
        ("import_declaration", Import),
    ]],
    functions: &["lambda_expression"],
    classes: &[],
    paren_free: &[],
    optional_semicolons: false,
    trigger_bytes: "\"'/{",
    trigger_words: &["->"],
    holders: &["class_body"],
    line_comment: "//",
    member_kinds: &[K::Method, K::Constant, K::Variable],
    titled_calls: &[],
    is_component: false,
};
