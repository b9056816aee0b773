//! Code that the text of a rule forbids, as in "never use `print()`".
//!
//! The forbidden code is split into tokens by the parser of a language, and is found where the same tokens
//! follow each other, outside of comments and strings. It is a hint: nobody accepted it.

use std::sync::Arc;

use cerberus_engine::rank::path_class::PathClass;
use cerberus_engine::syntax::ParsedFile;
use cerberus_engine::syntax::language::tables;
use cerberus_engine::syntax::parse::TokenKind;
use cerberus_model::{Language, LineIndex, Span, word_lists};

use crate::code_pattern::Match;
use crate::named_languages;

word_lists! { "words/places.txt": EVERYWHERE SOURCES TESTS }

/// Ends of a call with any arguments.
const CALLS: [&str; 3] = ["()", "(...)", "(…)"];

/// Maximum length of forbidden code.
const MAX_BYTES: usize = 80;

/// What the rule of a ban says beside the forbidden code.
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
    /// Whether a call is forbidden only without arguments.
    is_bare: bool,
    context: Arc<RuleContext>,
    /// Empty for all languages.
    languages: Vec<Language>,
    /// Whether only code of tests is meant, or only other code.
    in_tests: Option<bool>,
}

/// A token as it is compared.
type Piece<'t> = (&'t str, TokenKind);

impl StatedBan {
    /// Returns the ban of a piece of code, with the words that restrict it (`place`). Returns `None` if it is not
    /// known where it holds or what is meant, or if the code is a path.
    pub fn new(code: &str, place: &str, context: &Arc<RuleContext>) -> Option<Self> {
        let call = CALLS.iter().find_map(|end| code.strip_suffix(end));
        let stem = call.unwrap_or(code);
        let is_path = code.contains('/') && !code.contains(|c: char| c.is_whitespace() || c == '<');
        // Two letters have several meanings: `as` of a type and of an import.
        let is_unclear = code.starts_with(':')
            || code.ends_with('=')
            || !code.contains(char::is_alphabetic)
            || code.len() < 3;
        // "`pub(crate)` over `pub`" does not forbid all that starts like this.
        let is_part = |other: &String| other != stem && words(other).any(|word| word == stem);
        let has_arguments = |other: &String| {
            let rest = other.split_once(stem).and_then(|(_, rest)| rest.strip_prefix('('));
            rest.is_some_and(|rest| !rest.starts_with([')', '.', '…']))
        };
        let is_bare = call.is_some() && context.others.iter().any(has_arguments);
        let is_doubtful = !is_bare && context.others.iter().any(is_part);
        if code.len() > MAX_BYTES || code.contains('\n') || is_path || is_unclear || is_doubtful {
            return None;
        }
        let mut ban = Self {
            code: stem.to_owned(),
            is_call: call.is_some(),
            is_bare,
            context: Arc::clone(context),
            languages: context.languages.clone(),
            in_tests: None,
        };
        let mut is_exception = false;
        for word in place.split_whitespace() {
            let mut rest = word.chars();
            let first = rest.next().into_iter().flat_map(char::to_uppercase);
            let named = named_languages(&first.chain(rest).collect::<String>());
            match () {
                () if matches!(word, "outside" | "except") => is_exception = true,
                () if EVERYWHERE.contains(word) => {}
                () if SOURCES.contains(word) => ban.in_tests = Some(false),
                () if TESTS.contains(word) => ban.in_tests = Some(true),
                () if !named.is_empty() => ban.languages = named,
                () if word == "`" && context.others.iter().any(|it| has_test_attribute(it)) => {
                    ban.in_tests = Some(true);
                }
                // "Python 3.9".
                () if word.starts_with(|c: char| c.is_ascii_digit()) => {}
                () => return None,
            }
        }
        if is_exception {
            // Other exceptions are not known.
            ban.in_tests = Some(!ban.in_tests.filter(|_| ban.languages == context.languages)?);
        }
        if !context.names_tests {
            // Tests do much that a text that does not name them forbids.
            ban.in_tests = ban.in_tests.or(Some(false));
        }
        Some(ban)
    }

    /// Returns whether it holds in a file, as far as its path and a search for its words say.
    pub fn may_hit(&self, path: &str, language: Language, text: &str) -> bool {
        // Scripts, examples and settings do what tests do.
        let is_other = matches!(PathClass::from_path(path), PathClass::Test | PathClass::Tool)
            || path.contains(".config.");
        let within = &self.context.within;
        (self.languages.is_empty() || self.languages.contains(&language))
            // A file that the rule names as the alternative may contain the forbidden code: it wraps it.
            && !self.context.others.iter().any(|it| it.split(['"', '\'']).any(|it| is_of(path, it)))
            && (within.is_empty() || within.iter().any(|it| is_of(path, it)))
            && !(is_other && self.in_tests == Some(false))
            && words(&self.code).all(|word| text.contains(word))
    }

    /// Returns where a file has the code.
    pub fn hits(&self, file: &CodeTokens<'_>) -> Vec<Match> {
        let own = CodeTokens::new(file.language, &self.code);
        let mut wanted: Vec<Piece<'_>> = own.pieces.iter().map(|(_, piece)| *piece).collect();
        let is_comment = own.parsed.tokens.iter().any(|it| it.kind == TokenKind::Comment);
        if !wanted.iter().any(|(_, kind)| is_name(*kind)) || is_comment {
            return Vec::new();
        }
        // A plain word is code only in some places.
        let is_plain = wanted.iter().enumerate().all(|(idx, (text, kind))| match idx {
            0 => is_name(*kind) && text.chars().all(|c| c.is_ascii_lowercase()),
            _ => *text == ":",
        });
        if self.is_call {
            wanted.push(("(", TokenKind::Punctuation));
        }
        if self.is_bare {
            wanted.push((")", TokenKind::Punctuation));
        }
        let is_same = |(found, wanted): (&(Span, Piece<'_>), &Piece<'_>)| {
            let ((text, kind), (own, own_kind)) = (found.1, *wanted);
            let is_string = [kind, own_kind].map(|it| it == TokenKind::StringContent);
            (text == own && is_string[0] == is_string[1])
                || (kind == TokenKind::Quote && own_kind == TokenKind::Quote)
        };
        let symbols = &file.parsed.symbols;
        let is_defined = |at: Span| symbols.iter().any(|it| it.name_span.start == at.start);
        let mut found = Vec::new();
        for (at, window) in file.pieces.windows(wanted.len()).enumerate() {
            let (first, last) = (window[0].0, window[window.len() - 1].0);
            let is_hit = window.iter().zip(&wanted).all(is_same)
                && self.in_tests.is_none_or(|in_tests| in_tests == file.is_test(first))
                && (!is_plain || self.is_plain_hit(&file.pieces[..=at], file.language))
                && !is_defined(first);
            if is_hit {
                let lines = (file.index.line(first.start), file.index.line(last.start));
                found.push(Match { span: Span::new(first.start, last.end), lines });
            }
        }
        let is_keyword = is_plain && !self.is_call && !found.is_empty();
        if is_keyword && !self.may_be_of(file.language) { Vec::new() } else { found }
    }

    /// Returns whether no other language has more of the words of the text as keywords.
    fn may_be_of(&self, language: Language) -> bool {
        let n_keywords = |language: Language| {
            let tables = tables(language).filter(|it| it.is_keyword(&self.code))?;
            Some(self.context.others.iter().filter(|word| tables.is_keyword(word)).count())
        };
        !self.languages.is_empty()
            || n_keywords(language) == Language::ALL.iter().filter_map(|it| n_keywords(*it)).max()
    }

    /// Returns whether a plain word at the end of tokens may be the forbidden one: a word of the language, or a
    /// call that is not one of another object. In some languages a text names a method without its object.
    fn is_plain_hit(&self, tokens: &[(Span, Piece<'_>)], language: Language) -> bool {
        let names_methods = matches!(language, Language::Rust | Language::Java);
        let [.., (_, (before, _)), (_, (_, kind))] = tokens else { return true };
        let is_member = matches!(*before, "." | "?." | "::" | "->");
        // Not the attribute `#[expect()]`.
        if self.is_call {
            (names_methods || !is_member) && *before != "["
        } else {
            *kind == TokenKind::Keyword
        }
    }
}

/// The tokens of a file, in which several bans can be searched.
pub struct CodeTokens<'t> {
    language: Language,
    text: &'t str,
    parsed: ParsedFile,
    pieces: Vec<(Span, Piece<'t>)>,
    index: LineIndex,
    /// Whether the whole file is code of tests.
    pub is_test_file: bool,
}

impl<'t> CodeTokens<'t> {
    /// Returns the tokens of the text of a file.
    pub fn of_file(path: &str, language: Language, text: &'t str) -> Self {
        let is_test_file = PathClass::from_path(path) == PathClass::Test;
        Self { is_test_file, ..Self::new(language, text) }
    }

    /// Returns whether a place is in code of tests, which may be a module of its file.
    fn is_test(&self, at: Span) -> bool {
        let is_around = |span: Span| span.start <= at.start && at.end <= span.end;
        self.is_test_file
            || self.parsed.symbols.iter().any(|symbol| {
                let name = symbol.name.rsplit('.').next().unwrap_or_default();
                let head = Span::new(symbol.span.start, symbol.name_span.start).slice(self.text);
                is_around(symbol.span) && (TESTS.contains(name) || has_test_attribute(head))
            })
    }

    /// Returns the tokens of a text.
    pub fn new(language: Language, text: &'t str) -> Self {
        use TokenKind::{Comment, Docstring, Layout};
        let parsed = ParsedFile::parse(language, text);
        let code =
            parsed.tokens.iter().filter(|it| !matches!(it.kind, Comment | Docstring | Layout));
        let pieces = code.map(|it| (it.span, (it.span.slice(text), it.kind))).collect();
        let index = LineIndex::new(text);
        Self { language, text, parsed, pieces, index, is_test_file: false }
    }
}

/// Returns whether a file is the one that a text names, or in the folder, the package or the module that it
/// names. A part of a path such as `<name>` is any.
fn is_of(path: &str, named: &str) -> bool {
    let module = named.split_once(['.', ':']).filter(|_| named.ends_with(')'));
    let is_folder = named.contains('/') || module.is_some();
    let named = module.map_or(named, |(module, _)| module).split('/');
    let named: Vec<&str> = named.filter(|it| !matches!(*it, "" | "." | "@" | "~")).collect();
    let is_same = |(part, named): (&&str, &&str)| {
        part == named || part.split('.').next() == Some(named) || named.starts_with(['<', '{', '*'])
    };
    let parts: Vec<&str> = path.split('/').collect();
    let mut windows =
        parts.windows(named.len().max(1)).rev().take(if is_folder { parts.len() } else { 1 });
    !named.is_empty() && windows.any(|it| it.iter().zip(&named).all(is_same))
}

/// Returns whether a text of Rust declares a module for tests only: `#[cfg(test)] mod name;`.
pub fn declares_tests(text: &str, name: &str) -> bool {
    let at = text.find(&format!("mod {name};"));
    at.is_some_and(|at| text[..at].rsplit([';', '}']).next().is_some_and(has_test_attribute))
}

/// Returns whether the text above a name has an attribute of tests, as `#[cfg(test)]` or `#[tokio::test]`.
fn has_test_attribute(head: &str) -> bool {
    let attributes = head.lines().map(str::trim).filter(|line| line.starts_with("#["));
    attributes
        .filter(|it| !it.contains("not(test"))
        .any(|it| it.split(|c: char| !c.is_alphanumeric()).any(|word| word == "test"))
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
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
        let text = "let a = b.unwrap();\n// c.unwrap()\nlet d = \"e.unwrap()\";\nlet f: any;\nfn unwrap() {}\nunsafe { x }\n";
        check("unwrap()", Language::Rust, text, &[0]);
        check(".unwrap()", Language::Rust, text, &[0]);
        check("unsafe", Language::Rust, text, &[5]);
        check("any", Language::Rust, text, &[]);
        check("expect()", Language::Rust, "#[expect(dead_code)]\nfn f() { a.expect(b) }\n", &[1]);
        let text = "print(1)\nself.print(2)\nx = datetime.now()\nos.path.join(a)\ndef print(): pass\n# print()\n";
        check("print()", Language::Python, text, &[0]);
        check("datetime.now()", Language::Python, text, &[2]);
        check("os.path", Language::Python, text, &[3]);
        check("now()", Language::Python, text, &[]);
        let text = "const a: any = b as any;\nconsole.log(any);\nx.waitForLoadState('networkidle');\nimport { useEffect } from 'react';\n";
        check("any", Language::TypeScript, text, &[0, 0]);
        check("as any", Language::TypeScript, text, &[0]);
        check("console.log", Language::TypeScript, text, &[1]);
        check("waitForLoadState(\"networkidle\")", Language::TypeScript, text, &[2]);
        check("useEffect", Language::TypeScript, text, &[3]);
        let text = "class A {\n  @Autowired\n  B b = new Thread();\n  @DisplayName(\"x\")\n  void f() { e.printStackTrace(); }\n}\n";
        check("@Autowired", Language::Java, text, &[1]);
        check("@DisplayName", Language::Java, text, &[3]);
        check("new Thread()", Language::Java, text, &[2]);
        check("printStackTrace()", Language::Java, text, &[4]);
        check("interface{}", Language::Go, "var x interface{}\nfmt.Println(x)\n", &[0]);
        check("fmt.Println", Language::Go, "var x interface{}\nfmt.Println(x)\n", &[1]);
        check("println!", Language::Rust, "fn f() { println!(\"x\"); }\n", &[0]);
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
                && !ban.hits(&CodeTokens::of_file(path, language, text)).is_empty()
        };
        assert!(!hits(&in_tests, "src/a.py", Language::Python, "print(1)"));
        let not_in_tests = ban("outside tests").expect("a ban");
        assert!(hits(&not_in_tests, "src/a.rs", Language::Rust, "fn f() { print(1) }"));
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

    /// Compares the lines of code that a ban among other code hits, from 0.
    #[track_caller]
    fn check_among(code: &str, others: &[&str], language: Language, expected: (&str, &[usize])) {
        let ban = StatedBan::new(code, "", &among(others)).expect("a ban");
        let hits = ban.hits(&CodeTokens::new(language, expected.0));
        let lines: Vec<usize> = hits.iter().map(|hit| hit.lines.0).collect();
        assert_eq!(lines, expected.1, "{code}");
    }

    fn among(others: &[&str]) -> Arc<RuleContext> {
        let others = others.iter().map(|it| (*it).to_owned()).collect();
        Arc::new(RuleContext { others, names_tests: true, ..RuleContext::default() })
    }

    #[test]
    fn the_other_code_of_a_text_says_what_is_meant() {
        let text = "a = useStore();\nb = useStore(s => s.c);\n";
        check_among("useStore()", &["useStore(s => s.d)"], Language::TypeScript, (text, &[0]));
        check_among("useStore()", &[], Language::TypeScript, (text, &[0, 1]));
        check_among("var", &["const", "let"], Language::Go, ("var a int\n", &[]));
        check_among("var", &["const", "let"], Language::TypeScript, ("var a = 1;\n", &[0]));
        check_among("python3", &[], Language::Python, ("f(\"python3\")\n", &[]));
        let is_ban = |code, other: &str| StatedBan::new(code, "", &among(&[other])).is_some();
        assert!(!is_ban("pub", "pub(crate)") && is_ban("pub", "public"));
        assert!(!is_ban("pytest", "uv run pytest") && !is_ban(":type:", "a"));
        assert!(!is_ban("as", "b") && is_ban("any", "b") && !is_ban("code=", "b"));
        let ban = StatedBan::new("a()", "outside `", &among(&["#[cfg(test)]"])).expect("a ban");
        assert_eq!(ban.in_tests, Some(false));
    }

    #[test]
    fn what_wraps_forbidden_code_may_have_it() {
        let may_hit = |context: &Arc<RuleContext>, place: &str, path: &str| {
            let ban = StatedBan::new("a.b", place, context).expect("a ban");
            ban.may_hit(path, Language::Python, "a.b")
        };
        let among_one = |other: &str, path: &str| may_hit(&among(&[other]), "", path);
        assert!(among_one("x", "lib/x/y.py") && !among_one("x", "lib/x.py"));
        assert!(!among_one("@p/x", "lib/@p/x/y.py") && !among_one("./x.py", "lib/x.py"));
        assert!(!among_one("import { c } from '@/d/e'", "lib/d/e.py"));
        assert!(!among_one("x.y()", "lib/x/y.py") && among_one("x.y", "lib/x/y.py"));
        let library = |path: &str| may_hit(&among(&[]), "in library code", path);
        assert!(library("lib/x.py") && !library("examples/x.py") && !library("a.config.py"));
        let within = vec!["domains/<name>/domain/".to_owned()];
        let within = Arc::new(RuleContext { within, ..RuleContext::default() });
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
