//! Code that the text of a rule forbids, as in "never use `print()`".
//!
//! The forbidden code is split into tokens by the parser of a language, and is found where the same tokens
//! follow each other, outside of comments and strings. It is a hint: nobody accepted it.

use std::sync::Arc;

use cerberus_engine::rank::path_class::PathClass;
use cerberus_engine::syntax::ParsedFile;
use cerberus_engine::syntax::parse::TokenKind;
use cerberus_model::text::conventions::{self, CONVENTIONS};
use cerberus_model::{Language, LineIndex, Span, word_lists};

use crate::code_pattern::Match;
use crate::named_languages;

word_lists! { "words/places.txt": EVERYWHERE SOURCES TESTS }

/// Ends of a call with any arguments.
const CALLS: [&str; 3] = ["()", "(...)", "(…)"];

/// Words before the name of a module.
const IMPORTS: [&str; 4] = ["from", "import", "require", "use"];

/// Maximum length of forbidden code.
const MAX_BYTES: usize = 80;

/// The rest of the rule of a ban, beside the forbidden code.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RuleContext {
    /// The languages of the rule; empty for all.
    pub languages: Vec<Language>,
    /// The other code that its text names.
    pub others: Vec<String>,
    /// The folders to whose files it applies; empty for all.
    pub within: Vec<String>,
    /// Whether it may be about tests, scripts and examples.
    pub names_tests: bool,
}

/// A piece of code that a text forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedBan {
    /// Without the `()` of a call.
    code: String,
    is_call: bool,
    context: Arc<RuleContext>,
    /// Empty for all languages.
    languages: Vec<Language>,
    /// Whether only code of tests is meant, or only other code.
    in_tests: Option<bool>,
}

/// A token of code.
#[derive(Clone, Copy)]
struct Piece<'t> {
    span: Span,
    text: &'t str,
    kind: TokenKind,
}

impl StatedBan {
    /// Returns the ban of a piece of code, with the words that restrict it (`place`). Returns `None` if it is not
    /// known where it holds or what is meant, or if the code is a path.
    pub fn new(code: &str, place: &str, context: &Arc<RuleContext>) -> Option<Self> {
        let call = CALLS.iter().find_map(|end| code.strip_suffix(end));
        if code.len() > MAX_BYTES || code.contains('\n') || is_path(code) || is_unclear(code) {
            return None;
        }
        let mut ban = Self {
            code: call.unwrap_or(code).to_owned(),
            is_call: call.is_some(),
            context: Arc::clone(context),
            languages: context.languages.clone(),
            in_tests: None,
        };
        let mut is_exception = false;
        for word in place.split_whitespace() {
            // "Python 3.9".
            let is_version = word.starts_with(|c: char| c.is_ascii_digit());
            if matches!(word, "outside" | "except") {
                is_exception = true;
            } else if SOURCES.contains(word) {
                ban.in_tests = Some(false);
            } else if TESTS.contains(word) || context.is_test_attribute(word) {
                ban.in_tests = Some(true);
            } else if !EVERYWHERE.contains(word) && !is_version {
                let languages = named_languages(&capitalized(word));
                if languages.is_empty() {
                    return None;
                }
                ban.languages = languages;
            }
        }
        if is_exception {
            // Other exceptions are not known.
            if ban.languages != context.languages {
                return None;
            }
            ban.in_tests = Some(!ban.in_tests?);
        }
        if !context.names_tests && ban.in_tests.is_none() {
            // Tests do much that a text that does not name them forbids.
            ban.in_tests = Some(false);
        }
        Some(ban)
    }

    /// Returns whether it holds in a file, as far as its path and a search for its words say.
    pub fn may_hit(&self, path: &str, language: Language, text: &str) -> bool {
        if !self.languages.is_empty() && !self.languages.contains(&language) {
            return false;
        }
        let within = &self.context.within;
        if !within.is_empty() && !within.iter().any(|folder| is_in(path, folder)) {
            return false;
        }
        if self.in_tests == Some(false) && is_like_tests(path) {
            return false;
        }
        words(&self.code).all(|word| text.contains(word))
    }

    /// Returns where a file has the code.
    pub fn hits(&self, file: &CodeTokens<'_>) -> Vec<Match> {
        let own = CodeTokens::new(file.language, &self.code);
        let mut wanted = own.pieces;
        let Some(name) = wanted.iter().rev().find(|piece| is_name(piece.kind)) else {
            return Vec::new();
        };
        // A file that defines the name wraps or implements what is forbidden.
        if own
            .parsed
            .tokens
            .iter()
            .any(|token| token.kind == TokenKind::Comment)
            || file.defines(name.text)
        {
            return Vec::new();
        }
        let is_plain = is_plain_word(&wanted);
        if self.is_call {
            wanted.push(Piece {
                span: Span::new(self.code.len(), self.code.len() + 1),
                text: "(",
                kind: TokenKind::Punctuation,
            });
        }
        let mut found = Vec::new();
        for (idx, first) in file.pieces.iter().enumerate() {
            let before = &file.pieces[..=idx];
            let is_same = starts_with(&file.pieces[idx..], &wanted)
                && (!is_plain || self.is_plain_hit(before, file.language));
            if !is_same && !self.is_import(before) {
                continue;
            }
            let last = if is_same {
                &file.pieces[idx + wanted.len() - 1]
            } else {
                first
            };
            if self.in_tests.is_none() || self.in_tests == Some(file.is_test(first.span)) {
                let first_line = file.index.line(first.span.start);
                let last_line = file.index.line(last.span.start);
                found.push(Match {
                    span: Span::new(first.span.start, last.span.end),
                    lines: (first_line, last_line),
                });
            }
        }
        found
    }

    /// Returns whether the last of some tokens is the forbidden module, or one inside of it, in an import.
    fn is_import(&self, tokens: &[Piece<'_>]) -> bool {
        let [before @ .., last] = tokens else {
            return false;
        };
        let Some(rest) = last.text.strip_prefix(self.code.as_str()) else {
            return false;
        };
        if self.is_call || !(rest.is_empty() || rest.starts_with('/')) {
            return false;
        }
        for piece in before.iter().rev() {
            // `require("a")`, and in Go `import ("a" "b/c")`.
            let is_inner = last.kind == TokenKind::StringContent
                && (piece.text == "("
                    || matches!(piece.kind, TokenKind::Quote | TokenKind::StringContent));
            if !is_inner {
                return IMPORTS.contains(&piece.text);
            }
        }
        false
    }

    /// Returns whether a plain word at the end of tokens may be the forbidden one: a word of the language, or a
    /// call that is not one of another object. In some languages a text names a method without its object.
    fn is_plain_hit(&self, tokens: &[Piece<'_>], language: Language) -> bool {
        let [.., before, last] = tokens else {
            return true;
        };
        if !self.is_call {
            return last.kind == TokenKind::Keyword;
        }
        match before.text {
            // Not the attribute `#[expect()]`.
            "[" => false,
            "." | "?." | "::" | "->" => matches!(language, Language::Rust | Language::Java),
            _ => true,
        }
    }
}

impl RuleContext {
    /// Returns whether a word is a mark for other code that has an attribute of tests.
    fn is_test_attribute(&self, word: &str) -> bool {
        word == "`" && self.others.iter().any(|code| has_test_attribute(code))
    }
}

/// Returns whether code is a path, which the module `@a/b` is not.
fn is_path(code: &str) -> bool {
    code.contains('/') && !code.contains(|c: char| c.is_whitespace() || "<@".contains(c))
}

/// Returns whether code has several meanings, as the two letters of `as`, of a type and of an import.
fn is_unclear(code: &str) -> bool {
    code.starts_with(':')
        || code.ends_with('=')
        || !code.contains(char::is_alphabetic)
        || code.len() < 3
}

fn capitalized(word: &str) -> String {
    let mut rest = word.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest).collect()
}

/// Returns whether a file is a script, an example or settings, which do what tests do:
/// `integration-tests/a.ts`, `a.config.ts`, `build.rs`.
fn is_like_tests(path: &str) -> bool {
    let parts = path.replace(['-', '_'], "/");
    let class = PathClass::from_path(&parts);
    let name = path.rsplit('/').next().unwrap_or_default();
    matches!(class, PathClass::Test | PathClass::Tool)
        || conventions::is_below(path, &CONVENTIONS.folders.samples)
        || path.contains(".config.")
        || name.starts_with("build.")
}

/// Returns whether tokens are a plain word, which is code only in some places.
fn is_plain_word(pieces: &[Piece<'_>]) -> bool {
    let Some((first, rest)) = pieces.split_first() else {
        return true;
    };
    is_name(first.kind)
        && first.text.chars().all(|c| c.is_ascii_lowercase())
        && rest.iter().all(|piece| piece.text == ":")
}

fn starts_with(pieces: &[Piece<'_>], wanted: &[Piece<'_>]) -> bool {
    if pieces.len() < wanted.len() {
        return false;
    }
    for (found, wanted) in pieces.iter().zip(wanted) {
        let are_quotes = found.kind == TokenKind::Quote && wanted.kind == TokenKind::Quote;
        let is_string = found.kind == TokenKind::StringContent;
        let is_same =
            found.text == wanted.text && is_string == (wanted.kind == TokenKind::StringContent);
        if !is_same && !are_quotes {
            return false;
        }
    }
    true
}

/// The tokens of a file, in which several bans can be searched.
pub struct CodeTokens<'t> {
    language: Language,
    parsed: ParsedFile,
    pieces: Vec<Piece<'t>>,
    /// The outermost code of tests, in order.
    tests: Vec<Span>,
    index: LineIndex,
    /// Whether the whole file is code of tests.
    pub is_test_file: bool,
}

impl<'t> CodeTokens<'t> {
    /// Returns the tokens of the text of a file.
    pub fn of_file(path: &str, language: Language, text: &'t str) -> Self {
        let is_test_file = PathClass::from_path(path) == PathClass::Test;
        Self {
            is_test_file,
            ..Self::new(language, text)
        }
    }

    fn defines(&self, name: &str) -> bool {
        let mut symbols = self.parsed.symbols.iter();
        symbols.any(|symbol| symbol.name.rsplit('.').next() == Some(name))
    }

    /// Returns whether a place is in code of tests, which may be a module of its file.
    fn is_test(&self, at: Span) -> bool {
        let n_before = self.tests.partition_point(|span| span.start <= at.start);
        match self.tests[..n_before].last() {
            Some(last) if at.end <= last.end => true,
            _ => self.is_test_file,
        }
    }

    /// Returns the tokens of a text.
    pub fn new(language: Language, text: &'t str) -> Self {
        use TokenKind::{Comment, Docstring, Layout};
        let parsed = ParsedFile::parse(language, text);
        let mut pieces = Vec::new();
        for token in &parsed.tokens {
            if !matches!(token.kind, Comment | Docstring | Layout) {
                pieces.push(Piece {
                    span: token.span,
                    text: token.span.slice(text),
                    kind: token.kind,
                });
            }
        }
        let mut tests: Vec<Span> = Vec::new();
        for symbol in &parsed.symbols {
            if let Some(outer) = tests.last()
                && symbol.span.start < outer.end
            {
                continue;
            }
            let name = symbol.name.rsplit('.').next().unwrap_or_default();
            let head = Span::new(symbol.span.start, symbol.name_span.start).slice(text);
            if TESTS.contains(name) || has_test_attribute(head) {
                tests.push(symbol.span);
            }
        }
        let index = LineIndex::new(text);
        Self {
            language,
            parsed,
            pieces,
            tests,
            index,
            is_test_file: false,
        }
    }
}

/// Returns whether a file is in a folder that a text names. A part such as `<name>` is any.
fn is_in(path: &str, folder: &str) -> bool {
    let mut named: Vec<&str> = folder.split('/').collect();
    named.retain(|part| !matches!(*part, "" | "." | "@" | "~"));
    if named.is_empty() {
        return false;
    }
    let parts: Vec<&str> = path.split('/').collect();
    parts.windows(named.len()).any(|window| {
        let mut pairs = window.iter().zip(&named);
        pairs.all(|(part, named)| part == named || named.starts_with(['<', '{', '*']))
    })
}

/// Returns whether a text of Rust declares a module for tests only: `#[cfg(test)] mod name;`.
pub fn declares_tests(text: &str, name: &str) -> bool {
    let Some((before, _)) = text.split_once(&format!("mod {name};")) else {
        return false;
    };
    let head = before.rsplit([';', '}']).next().unwrap_or_default();
    has_test_attribute(head)
}

/// Returns whether the text above a name has an attribute of tests, as `#[cfg(test)]` or `#[tokio::test]`.
fn has_test_attribute(head: &str) -> bool {
    for line in head.lines() {
        let line = line.trim();
        if !line.starts_with("#[") || line.contains("not(test") {
            continue;
        }
        if line
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == "test")
        {
            return true;
        }
    }
    false
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

fn is_name(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Identifier | TokenKind::Keyword)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the lines of code that a ban hits, from 0.
    #[track_caller]
    fn check(code: &str, language: Language, text: &str, expected: &[usize]) {
        let ban = StatedBan::new(code, "", &among(&[])).expect("a ban");
        let hits = ban.hits(&CodeTokens::new(language, text));
        let lines: Vec<usize> = hits.iter().map(|hit| hit.lines.0).collect();
        assert_eq!(lines, expected, "{code}");
    }

    #[test]
    fn the_same_tokens_are_hits() {
        let text = "let a = b.unwrap();\n// c.unwrap()\nlet d = \"e.unwrap()\";\nlet f: any;\nunsafe { x }\n";
        check("unwrap()", Language::Rust, text, &[0]);
        check(".unwrap()", Language::Rust, text, &[0]);
        check(
            "unwrap()",
            Language::Rust,
            "fn unwrap() { a.unwrap() }\n",
            &[],
        );
        check("unsafe", Language::Rust, text, &[4]);
        check("any", Language::Rust, text, &[]);
        check(
            "expect()",
            Language::Rust,
            "#[expect(dead_code)]\nfn f() { a.expect(b) }\n",
            &[1],
        );
        let text = "print(1)\nself.print(2)\nx = datetime.now()\nos.path.join(a)\n# print()\n";
        check("print()", Language::Python, text, &[0]);
        check("datetime.now()", Language::Python, text, &[2]);
        check("os.path", Language::Python, text, &[3]);
        check("now()", Language::Python, text, &[]);
        let text = "const a: any = b as any;\nconsole.log(any);\nx.waitForLoadState('networkidle');\nimport { useEffect } from 'react';\n";
        check("any", Language::TypeScript, text, &[0, 0]);
        check("as any", Language::TypeScript, text, &[0]);
        check("console.log", Language::TypeScript, text, &[1]);
        check(
            "waitForLoadState(\"networkidle\")",
            Language::TypeScript,
            text,
            &[2],
        );
        check("useEffect", Language::TypeScript, text, &[3]);
        let text = "class A {\n  @Autowired\n  B b = new Thread();\n  @DisplayName(\"x\")\n  void f() { e.printStackTrace(); }\n}\n";
        check("@Autowired", Language::Java, text, &[1]);
        check("@DisplayName", Language::Java, text, &[3]);
        check("new Thread()", Language::Java, text, &[2]);
        check("printStackTrace()", Language::Java, text, &[4]);
        check(
            "interface{}",
            Language::Go,
            "var x interface{}\nfmt.Println(x)\n",
            &[0],
        );
        check(
            "fmt.Println",
            Language::Go,
            "var x interface{}\nfmt.Println(x)\n",
            &[1],
        );
        check(
            "println!",
            Language::Rust,
            "fn f() { println!(\"x\"); }\n",
            &[0],
        );
    }

    #[test]
    fn an_import_of_a_module_is_a_hit() {
        let text = "import a from 'axios';\nconst b = require('axios/lib');\nimport 'axios-mock';\nArray.from(axios);\n";
        check("axios", Language::TypeScript, text, &[0, 1]);
        let text = "import { a } from '@b/c';\nimport d from '@b/cd';\n";
        check("@b/c", Language::TypeScript, text, &[0]);
        check(
            "requests",
            Language::Python,
            "import requests\nrequests.get()\n",
            &[0],
        );
        check(
            "errors",
            Language::Go,
            "import (\n\t\"fmt\"\n\t\"errors\"\n)\n",
            &[2],
        );
    }

    #[test]
    fn a_ban_has_a_place_or_none() {
        let ban = |place: &str| StatedBan::new("print()", place, &among(&[]));
        assert!(
            ban("in the wild").is_none() && StatedBan::new("src/a.py", "", &among(&[])).is_none()
        );
        let in_tests = ban("in unit tests").expect("a ban");
        assert!(in_tests.may_hit("tests/test_a.py", Language::Python, "print(1)"));
        let hits = |ban: &StatedBan, path: &str, language, text: &str| {
            ban.may_hit(path, language, text)
                && !ban
                    .hits(&CodeTokens::of_file(path, language, text))
                    .is_empty()
        };
        assert!(!hits(&in_tests, "src/a.py", Language::Python, "print(1)"));
        let not_in_tests = ban("outside tests").expect("a ban");
        assert!(hits(
            &not_in_tests,
            "src/a.rs",
            Language::Rust,
            "fn f() { print(1) }"
        ));
        let module = "mod tests { fn f() { print(1) } }";
        assert!(!hits(&not_in_tests, "src/a.rs", Language::Rust, module));
        assert!(hits(&in_tests, "src/a.rs", Language::Rust, module));
        let module = "#[cfg(test)]\nmod pay_checks { fn f() { print(1) } }";
        assert!(!hits(&not_in_tests, "src/a.rs", Language::Rust, module));
        let module = "#[cfg(not(test))]\nmod pay { fn f() { print(1) } }";
        assert!(hits(&not_in_tests, "src/a.rs", Language::Rust, module));
        let python = ban("in python code").expect("a ban");
        assert!(python.may_hit("a.py", Language::Python, "print(1)"));
        assert!(!python.may_hit("a.rs", Language::Rust, "print(1)"));
    }

    fn among(others: &[&str]) -> Arc<RuleContext> {
        let others = others.iter().map(|it| (*it).to_owned()).collect();
        Arc::new(RuleContext {
            others,
            names_tests: true,
            ..RuleContext::default()
        })
    }

    #[test]
    fn unclear_code_is_no_ban() {
        check("var", Language::TypeScript, "var a = 1;\n", &[0]);
        check("python3", Language::Python, "f(\"python3\")\n", &[]);
        let is_ban = |code| StatedBan::new(code, "", &among(&[])).is_some();
        assert!(!is_ban(":type:") && !is_ban("as") && is_ban("any") && !is_ban("code="));
        let ban = StatedBan::new("a()", "outside `", &among(&["#[cfg(test)]"])).expect("a ban");
        assert_eq!(ban.in_tests, Some(false));
    }

    #[test]
    fn a_ban_holds_in_some_files() {
        let may_hit = |context: &Arc<RuleContext>, place: &str, path: &str| {
            let ban = StatedBan::new("a.b", place, context).expect("a ban");
            ban.may_hit(path, Language::Python, "a.b")
        };
        let library = |path: &str| may_hit(&among(&[]), "in library code", path);
        assert!(library("lib/x.py") && !library("examples/x.py") && !library("a.config.py"));
        assert!(!library("integration-tests/x.py") && !library("a/build.py"));
        let within = vec!["domains/<name>/domain/".to_owned()];
        let within = Arc::new(RuleContext {
            within,
            ..RuleContext::default()
        });
        assert!(may_hit(&within, "", "src/domains/a/domain/c.py"));
        assert!(!may_hit(&within, "", "src/domains/a/b.py"));
    }

    #[test]
    fn a_parent_declares_a_module_for_tests() {
        let text = "mod a;\n#[cfg(test)]\nmod b;\n#[cfg(not(test))]\nmod c;\n";
        let declared = ["a", "b", "c", "d"].map(|name| declares_tests(text, name));
        assert_eq!(declared, [false, true, false, false]);
        let mut file = CodeTokens::new(Language::Rust, "fn f() { a.b() }\n");
        let ban = StatedBan::new(".b()", "outside tests", &among(&[])).expect("a ban");
        assert_eq!(ban.hits(&file).len(), 1);
        file.is_test_file = true;
        assert!(ban.hits(&file).is_empty());
    }
}
