//! Rules that find the uses of a name in the code of a language.

use crate::model::Language;
use crate::syntax::pattern::{Rule, StopBy};

use super::wording::Usage;

/// Names that code of any project uses for something else.
const PLACEHOLDERS: &[&str] =
    &["foo", "bar", "baz", "x", "y", "obj", "value", "data", "result", "item", "name", "key", "id"];

const WEB: [Language; 3] = [Language::TypeScript, Language::Tsx, Language::JavaScript];

/// Returns a rule that matches the uses of a name as a person wrote it, if that is clear.
pub(super) fn of_name(name: &str, usage: Usage, language: Language) -> Option<Rule> {
    let name = name.trim().trim_end_matches([';', ',']);
    let is_unclear = name.contains('\n') || name.len() > 80 || PLACEHOLDERS.contains(&name);
    if name.is_empty() || is_unclear || is_file(name) {
        return None;
    }
    if let Some(rule) = directive(name, language) {
        return Some(rule);
    }
    if let Some(rule) = syntax(name, language) {
        return Some(rule);
    }
    if let Some(annotation) = name.strip_prefix('@').filter(|it| is_dotted(it)) {
        return annotation_rule(annotation, language);
    }
    match usage {
        Usage::Import => return import(name, language),
        Usage::Throw => {
            return raised(name.trim_end_matches("()").trim_start_matches("new "), language);
        }
        Usage::Catch => return caught(name, language),
        Usage::Any | Usage::Call => {}
    }
    if let Some((names, module)) = imported_names(name) {
        return import_of(names, module, language);
    }
    if let Some(module) = name.strip_prefix("import ") {
        return import(module.split_whitespace().last()?.trim_matches(['\'', '"']), language);
    }
    if name.starts_with('@') && name.contains('/') {
        return import(name, language);
    }
    if let Some(class) = name.strip_prefix("new ") {
        let class = class.trim_end_matches("(...)").trim_end_matches("()");
        return is_dotted(class).then(|| created(class, language)).flatten();
    }
    if let Some(macro_name) = name.trim_end_matches("()").strip_suffix('!') {
        let is_macro = language == Language::Rust && is_identifier(macro_name);
        return is_macro.then(|| node("macro_invocation", field("macro", &exact(macro_name))));
    }
    let (callee, is_call) = match name.split_once('(') {
        Some((callee, rest)) => {
            let is_simple = matches!(rest, ")" | "...)" | "…)");
            (is_simple.then_some(callee)?, true)
        }
        None => (name, usage == Usage::Call),
    };
    if let Some(method) = callee.strip_prefix('.') {
        return is_identifier(method).then(|| method_call(method, language)).flatten();
    }
    let wildcard = callee.strip_suffix(".*").filter(|it| is_dotted(it));
    if let Some(object) = wildcard {
        return member(&format!("^{}\\.\\w+$", regex::escape(object)), language);
    }
    if !is_dotted(callee) {
        return None;
    }
    let is_qualified = callee.contains('.') || callee.contains("::");
    match (is_call, is_qualified) {
        (true, _) => called(callee, language),
        (false, true) => member(&exact(callee), language),
        // A single word without parentheses is a name only if no prose has it.
        (false, false) => is_distinctive(callee).then(|| identifier(callee, language)),
    }
}

/// Returns whether a name is one word that is neither a call nor syntax of a language.
pub(super) fn is_plain_word(name: &str) -> bool {
    let is_known = |language: &Language| {
        syntax(name, *language).is_some() || directive(name, *language).is_some()
    };
    is_identifier(name) && !Language::ALL.iter().any(is_known)
}

/// Returns whether a name is a comment that switches a check off.
pub(super) fn is_directive(name: &str) -> bool {
    Language::ALL.iter().any(|language| directive(name, *language).is_some())
}

/// Comments that switch a check off. `bare` before the name means without the checks' names.
fn directive(name: &str, language: Language) -> Option<Rule> {
    let (name, is_bare) = match name.strip_prefix("bare ") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let bare = name.trim_start_matches(['/', '#', '@', ' ', '*']).trim_end_matches(" */");
    let (known, kinds): (&[&str], &[&str]) = match language {
        language if WEB.contains(&language) => (
            &[
                "ts-ignore",
                "ts-nocheck",
                "ts-expect-error",
                "eslint-disable",
                "eslint-disable-next-line",
                "eslint-disable-line",
                "biome-ignore",
            ],
            &["comment"],
        ),
        Language::Python => {
            (&["type: ignore", "noqa", "pylint: disable", "pragma: no cover"], &["comment"])
        }
        Language::Go => (&["nolint"], &["comment"]),
        Language::Rust => (&[], &[]),
        _ => (&[], &[]),
    };
    let known = known.iter().find(|it| **it == bare)?;
    let end = if is_bare { r"\s*((#|//|--).*|\*/)?$" } else { r"\b" };
    let pattern = format!(r"^(//|/\*|#)\s*@?{}{end}", regex::escape(known));
    Some(any(kinds.iter().map(|kind| kind_and_text(kind, &pattern)).collect()))
}

/// Keywords and operators, which have node kinds of their own.
fn syntax(name: &str, language: Language) -> Option<Rule> {
    let typed = matches!(language, Language::TypeScript | Language::Tsx);
    let rule = match (name, language) {
        ("any", _) if typed => kind_and_text("predefined_type", "^any$"),
        ("as any" | "as unknown as" | "as unknown", _) if typed => {
            let end = if name == "as any" { "any" } else { "unknown" };
            kind_and_text("as_expression", &format!(r"\bas\s+{end}$"))
        }
        ("enum", _) if typed => kind("enum_declaration"),
        ("const enum", _) if typed => kind_and_text("enum_declaration", r"^const\b"),
        ("namespace", _) if typed => kind("internal_module"),
        ("var", _) if WEB.contains(&language) => kind("variable_declaration"),
        ("export default" | "default export", _) if WEB.contains(&language) => {
            kind_and_text("export_statement", r"^export\s+default\b")
        }
        ("export *", _) if WEB.contains(&language) => {
            kind_and_text("export_statement", r"^export\s+\*\s*from\b")
        }
        ("==" | "!=", _) if WEB.contains(&language) => {
            node("binary_expression", field("operator", &exact(name)))
        }
        ("require" | "require()", _) if WEB.contains(&language) => called("require", language)?,
        ("eval" | "eval()", _) if WEB.contains(&language) || language == Language::Python => {
            called("eval", language)?
        }
        ("debugger", _) if WEB.contains(&language) => kind("debugger_statement"),
        ("except:" | "bare except" | "except", Language::Python) => {
            kind_and_text("except_clause", r"^except\s*:")
        }
        ("except Exception" | "except Exception:", Language::Python) => {
            kind_and_text("except_clause", r"^except\s+Exception\b")
        }
        (name, Language::Python) if name.starts_with("from .") => {
            let module = Rule { field: Some("module_name".to_owned()), ..kind("relative_import") };
            node("import_from_statement", module)
        }
        ("import *" | "from x import *", Language::Python) => kind("wildcard_import"),
        ("global", Language::Python) => kind("global_statement"),
        ("lambda", Language::Python) => kind("lambda"),
        ("assert", Language::Python) => kind("assert_statement"),
        ("print", Language::Python) => called("print", language)?,
        ("unsafe", Language::Rust) => kind("unsafe_block"),
        ("panic" | "panic()", Language::Go) => called("panic", language)?,
        ("interface{}", Language::Go) => kind_and_text("interface_type", r"^interface\s*\{\s*\}$"),
        ("any", Language::Go) => kind_and_text("type_identifier", "^any$"),
        _ => return None,
    };
    Some(rule)
}

pub(super) fn annotation_rule(name: &str, language: Language) -> Option<Rule> {
    let text = format!(r"^{}$", regex::escape(name));
    Some(match language {
        Language::Java => any(vec![
            node("marker_annotation", field("name", &text)),
            node("annotation", field("name", &text)),
        ]),
        Language::Python => {
            kind_and_text("decorator", &format!(r"^@\s*{}(\(|\s*$)", regex::escape(name)))
        }
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            kind_and_text("decorator", &format!(r"^@{}(\(|\s*$)", regex::escape(name)))
        }
        Language::Go | Language::Rust => return None,
    })
}

/// Imports of a module, or of a name of it.
pub(super) fn import(module: &str, language: Language) -> Option<Rule> {
    if !is_module(module) {
        return None;
    }
    let escaped = regex::escape(module);
    Some(match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            let source = format!(r#"['"]{escaped}(/.*)?['"]"#);
            let arguments = format!(r"^\(\s*{source}\s*\)$");
            any(vec![
                node("import_statement", field("source", &format!("^{source}$"))),
                Rule {
                    kind: Some("call_expression".to_owned()),
                    all: Some(vec![
                        has_field("function", "^require$"),
                        has_field("arguments", &arguments),
                    ]),
                    ..Rule::default()
                },
            ])
        }
        Language::Python => any(vec![
            kind_and_text("import_statement", &format!(r"^import\s+(.*,\s*)?{escaped}(\.|\s|,|$)")),
            node("import_from_statement", field("module_name", &format!(r"^{escaped}(\..*)?$"))),
        ]),
        Language::Go => node("import_spec", field("path", &format!(r#"^"{escaped}"$"#))),
        Language::Java => kind_and_text("import_declaration", &format!(r"\b{escaped}(\.|;|\s*;)")),
        Language::Rust => kind_and_text("use_declaration", &format!(r"\buse\s+(::)?{escaped}\b")),
    })
}

/// Returns the names and the module of `import { a } from "m"` and `from m import a`.
fn imported_names(code: &str) -> Option<(&str, &str)> {
    if let Some(rest) = code.strip_prefix("import ") {
        let (names, module) = rest.split_once(" from ")?;
        return Some((
            names.trim_matches(['{', '}', ' ']),
            module.trim_matches(['\'', '"', ' ', ';']),
        ));
    }
    let (module, names) = code.strip_prefix("from ")?.split_once(" import ")?;
    Some((names.trim(), module.trim()))
}

/// Imports of one name of a module.
fn import_of(name: &str, module: &str, language: Language) -> Option<Rule> {
    if !is_identifier(name) || !is_module(module) {
        return None;
    }
    let (name, module) = (regex::escape(name), regex::escape(module));
    match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript => Some(kind_and_text(
            "import_statement",
            &format!(r#"^import\s[^'"]*\b{name}\b[^'"]*\bfrom\s*['"]{module}['"]"#),
        )),
        Language::Python => Some(kind_and_text(
            "import_from_statement",
            &format!(r"^from\s+{module}\s+import\s[\s\S]*\b{name}\b"),
        )),
        Language::Go | Language::Rust | Language::Java => None,
    }
}

/// Calls of a function with this name, as it is written.
pub(super) fn called(callee: &str, language: Language) -> Option<Rule> {
    if PLACEHOLDERS.contains(&callee) {
        return None;
    }
    let text = exact(callee);
    Some(match language {
        Language::Python => node("call", field("function", &text)),
        Language::Java => match callee.rsplit_once('.') {
            Some((object, method)) => Rule {
                kind: Some("method_invocation".to_owned()),
                all: Some(vec![
                    has_field("object", &exact(object)),
                    has_field("name", &exact(method)),
                ]),
                ..Rule::default()
            },
            None => node("method_invocation", field("name", &text)),
        },
        Language::Rust if !callee.contains("::") && !callee.contains('.') => any(vec![
            node(
                "call_expression",
                field("function", &format!(r"^(\w+::)*{}$", regex::escape(callee))),
            ),
            method_call(callee, language)?,
        ]),
        _ => node("call_expression", field("function", &text)),
    })
}

/// Calls of a method on any object.
pub(super) fn method_call(method: &str, language: Language) -> Option<Rule> {
    let of = |call: &str, callee: &str, name: &str| {
        node(
            call,
            Rule {
                field: Some("function".to_owned()),
                kind: Some(callee.to_owned()),
                has: Some(Box::new(field(name, &exact(method)))),
                ..Rule::default()
            },
        )
    };
    Some(match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            of("call_expression", "member_expression", "property")
        }
        Language::Python => of("call", "attribute", "attribute"),
        Language::Go => of("call_expression", "selector_expression", "field"),
        Language::Rust => of("call_expression", "field_expression", "field"),
        Language::Java => Rule {
            kind: Some("method_invocation".to_owned()),
            all: Some(vec![has_field("object", "."), has_field("name", &exact(method))]),
            ..Rule::default()
        },
    })
}

fn created(class: &str, language: Language) -> Option<Rule> {
    match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            Some(node("new_expression", field("constructor", &exact(class))))
        }
        Language::Java => Some(node(
            "object_creation_expression",
            field("type", &format!(r"^{}(<.*>)?$", regex::escape(class))),
        )),
        _ => called(class, language),
    }
}

/// Throws or raises an error of this class.
fn raised(class: &str, language: Language) -> Option<Rule> {
    if !is_dotted(class) {
        return None;
    }
    let escaped = regex::escape(class);
    match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Java => {
            Some(kind_and_text("throw_statement", &format!(r"^throw\s+(new\s+)?{escaped}\s*\(")))
        }
        Language::Python => {
            Some(kind_and_text("raise_statement", &format!(r"^raise\s+{escaped}\b(\(|\s|$)")))
        }
        Language::Go | Language::Rust => None,
    }
}

fn caught(class: &str, language: Language) -> Option<Rule> {
    let class = class.trim_start_matches("except ").trim_end_matches(':');
    if !is_dotted(class) {
        return None;
    }
    let escaped = regex::escape(class);
    match language {
        Language::Python => {
            Some(kind_and_text("except_clause", &format!(r"^except\s+\(?(.*,\s*)?{escaped}\b")))
        }
        Language::Java => Some(kind_and_text("catch_type", &format!(r"(^|\W){escaped}$"))),
        _ => None,
    }
}

/// Uses of a qualified name; `text` matches the name.
pub(super) fn member(text: &str, language: Language) -> Option<Rule> {
    let kinds: &[&str] = match language {
        Language::TypeScript | Language::Tsx => &["member_expression", "nested_type_identifier"],
        Language::JavaScript => &["member_expression"],
        Language::Python => &["attribute"],
        Language::Go => &["selector_expression", "qualified_type"],
        Language::Rust => &["scoped_identifier", "scoped_type_identifier"],
        Language::Java => &["field_access", "scoped_identifier", "scoped_type_identifier"],
    };
    let mut rules: Vec<Rule> = kinds.iter().map(|kind| kind_and_text(kind, text)).collect();
    if language == Language::Java {
        // A called method is not a field.
        let name = text.trim_start_matches('^').trim_end_matches('$').replace("\\.", ".");
        rules.extend(called(&name, language).filter(|_| is_dotted(&name)));
    }
    Some(any(rules))
}

/// Uses of a distinctive name, also as a method. A name that does not look like a type or a constant is only
/// matched where it is called, imported or the object of a member, because variables have such names.
fn identifier(name: &str, language: Language) -> Rule {
    let text = exact(name);
    let mut rules: Vec<Rule> = if name.trim_start_matches('_').starts_with(char::is_uppercase) {
        let kinds: &[&str] = match language {
            Language::JavaScript | Language::Python => &["identifier"],
            _ => &["identifier", "type_identifier"],
        };
        kinds.iter().map(|kind| kind_and_text(kind, &text)).collect()
    } else {
        let (member, object) = match language {
            Language::TypeScript | Language::Tsx | Language::JavaScript => {
                ("member_expression", "object")
            }
            Language::Python => ("attribute", "object"),
            Language::Go => ("selector_expression", "operand"),
            Language::Rust => ("scoped_identifier", "path"),
            Language::Java => ("field_access", "object"),
        };
        let mut rules: Vec<Rule> = called(name, language).into_iter().collect();
        rules.push(node(member, field(object, &text)));
        rules.extend(imported(&text, language));
        rules
    };
    rules.extend(method_call(name, language));
    any(rules)
}

/// Imports of a name from any module.
fn imported(text: &str, language: Language) -> Option<Rule> {
    match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            Some(node("import_specifier", field("name", text)))
        }
        Language::Python => {
            let import = Rule { stop_by: Some(StopBy::End), ..kind("import_from_statement") };
            Some(Rule { inside: Some(Box::new(import)), ..kind_and_text("dotted_name", text) })
        }
        Language::Go | Language::Rust | Language::Java => None,
    }
}

/// Returns a rule for the same code outside the test modules of Rust, which are in the files that they test.
pub(super) fn outside_tests(rule: Rule, language: Language) -> Rule {
    if language != Language::Rust || rule.not.is_some() {
        return rule;
    }
    let test = kind_and_text("attribute_item", r"\btest\b");
    let has_test = Rule { stop_by: Some(StopBy::End), ..test };
    let places = [
        node("mod_item", field("name", "(^|_)tests?(_|$)")),
        node("mod_item", has_test),
        node("function_item", field("name", "^test_")),
    ];
    let outer = |place| Rule {
        inside: Some(Box::new(Rule { stop_by: Some(StopBy::End), ..place })),
        ..Rule::default()
    };
    let inside = any(places.into_iter().map(outer).collect());
    Rule { not: Some(Box::new(inside)), ..rule }
}

pub(super) fn kind(kind: &str) -> Rule {
    Rule { kind: Some(kind.to_owned()), ..Rule::default() }
}

pub(super) fn kind_and_text(kind: &str, text: &str) -> Rule {
    Rule { kind: Some(kind.to_owned()), regex: Some(text.to_owned()), ..Rule::default() }
}

/// Returns the rule for a node of a kind that has a child in a field.
pub(super) fn node(kind: &str, has: Rule) -> Rule {
    Rule { kind: Some(kind.to_owned()), has: Some(Box::new(has)), ..Rule::default() }
}

pub(super) fn field(name: &str, text: &str) -> Rule {
    Rule { field: Some(name.to_owned()), regex: Some(text.to_owned()), ..Rule::default() }
}

fn has_field(name: &str, text: &str) -> Rule {
    Rule { has: Some(Box::new(field(name, text))), ..Rule::default() }
}

/// Returns the calls without an argument of this name.
pub(super) fn without_argument(call: &str, argument: &str, language: Language) -> Option<Rule> {
    let call = call.trim_end_matches("()");
    let argument = argument.trim_end_matches('=');
    if !is_dotted(call) || !is_identifier(argument) {
        return None;
    }
    let (kind, name) = match language {
        Language::Python => ("keyword_argument", "name"),
        Language::TypeScript | Language::Tsx | Language::JavaScript => ("pair", "key"),
        _ => return None,
    };
    let has = Rule { stop_by: Some(StopBy::End), ..node(kind, field(name, &exact(argument))) };
    let lacks = Rule { has: Some(Box::new(has)), ..Rule::default() };
    Some(Rule { not: Some(Box::new(lacks)), ..called(call, language)? })
}

pub(super) fn any(mut rules: Vec<Rule>) -> Rule {
    match rules.len() {
        1 => rules.remove(0),
        _ => Rule { any: Some(rules), ..Rule::default() },
    }
}

fn exact(text: &str) -> String {
    format!("^{}$", regex::escape(text))
}

/// Returns whether a name is that of a function that prints.
pub(super) fn prints(name: &str) -> bool {
    let bare = name.trim_end_matches("()").trim_end_matches('!');
    ["console.", "fmt.Print", "System.out", "System.err"].iter().any(|it| bare.starts_with(it))
        || matches!(
            bare,
            "console" | "print" | "println" | "eprint" | "eprintln" | "pprint" | "dbg"
        )
}

/// Returns whether a name is that of a file, not of code.
pub(super) fn is_file(name: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "css", "go", "html", "ini", "java", "js", "json", "jsx", "lock", "md", "mdc", "mjs", "py",
        "rs", "sh", "sql", "toml", "ts", "tsx", "txt", "xml", "yaml", "yml",
    ];
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ENDINGS.contains(&ending) || name.starts_with("./") || name.starts_with('/')
}

fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
        && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

/// Returns whether a text is identifiers joined by `.` or `::`.
pub(super) fn is_dotted(text: &str) -> bool {
    text.split("::").flat_map(|part| part.split('.')).all(is_identifier)
}

fn is_module(text: &str) -> bool {
    let is_allowed = |c: char| c.is_alphanumeric() || "_-./@:".contains(c);
    text.len() >= 2
        && text.chars().all(is_allowed)
        && text.chars().any(char::is_alphabetic)
        && !text.ends_with('/')
}

/// Returns whether a word is a name that prose and other projects hardly have.
pub(super) fn is_distinctive(word: &str) -> bool {
    let inner_capital =
        word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let has_underscore = word.trim_matches('_').contains('_');
    word.len() >= 5 && (inner_capital || has_underscore)
}
