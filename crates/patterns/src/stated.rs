//! Code that the text of a rule forbids, as in "never use `print()`".
//!
//! The forbidden code is split into tokens by the parser of a language, and is found where the same tokens
//! follow each other, outside of comments and strings. It is a hint: nobody accepted it.

use cerberus_engine::rank::path_class::PathClass;
use cerberus_engine::syntax::ParsedFile;
use cerberus_engine::syntax::parse::TokenKind;
use cerberus_model::{Language, LineIndex, Span, word_lists};

use crate::code_pattern::Match;
use crate::named_languages;

word_lists! { "words/places.txt": EVERYWHERE SOURCES TESTS }

/// Ends of a call with any arguments.
const CALLS: [&str; 3] = ["()", "(...)", "(…)"];

/// Maximum length of forbidden code.
const MAX_BYTES: usize = 80;

/// A piece of code that a text forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedBan {
    /// Without the `()` of a call.
    code: String,
    is_call: bool,
    /// Empty for all languages.
    languages: Vec<Language>,
    /// Whether only code of tests is meant, or only other code.
    in_tests: Option<bool>,
}

/// A token as it is compared.
type Piece<'t> = (&'t str, TokenKind);

impl StatedBan {
    /// Returns the ban of a piece of code, with the words that restrict it (`place`) and the languages of its
    /// rule (`given`). Returns `None` if it is not known where it holds, or if the code is a path.
    pub fn new(code: &str, place: &str, given: Vec<Language>) -> Option<Self> {
        let call = CALLS.iter().find_map(|end| code.strip_suffix(end));
        let is_path = code.contains('/') && !code.contains(|c: char| c.is_whitespace() || c == '<');
        let is_path = is_path || !code.contains(char::is_alphabetic);
        if code.len() > MAX_BYTES || code.contains('\n') || is_path {
            return None;
        }
        let mut ban = Self {
            code: call.unwrap_or(code).to_owned(),
            is_call: call.is_some(),
            languages: given.clone(),
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
                () => return None,
            }
        }
        if is_exception {
            // Other exceptions are not known.
            ban.in_tests = Some(!ban.in_tests.filter(|_| ban.languages == given)?);
        }
        Some(ban)
    }

    /// Returns the ban for code that is not that of tests, unless its place is tests.
    #[must_use]
    pub fn outside_tests(self) -> Self {
        Self { in_tests: self.in_tests.or(Some(false)), ..self }
    }

    /// Returns whether it holds in a file, as far as its path and a search for its words say.
    pub fn may_hit(&self, path: &str, language: Language, text: &str) -> bool {
        let is_test = PathClass::from_path(path) == PathClass::Test;
        let words = self.code.split(|c: char| !c.is_alphanumeric() && c != '_');
        (self.languages.is_empty() || self.languages.contains(&language))
            && !(is_test && self.in_tests == Some(false))
            && words.into_iter().all(|word| text.contains(word))
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
        let is_same = |(found, wanted): (&(Span, Piece<'_>), &Piece<'_>)| {
            let ((text, kind), (own, own_kind)) = (found.1, *wanted);
            text == own || (kind == TokenKind::Quote && own_kind == TokenKind::Quote)
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
        found
    }

    /// Returns whether a plain word at the end of tokens may be the forbidden one: a word of the language, or a
    /// call that is not one of another object. In some languages a text names a method without its object.
    fn is_plain_hit(&self, tokens: &[(Span, Piece<'_>)], language: Language) -> bool {
        let names_methods = matches!(language, Language::Rust | Language::Java);
        let [.., (_, (before, _)), (_, (_, kind))] = tokens else { return true };
        let is_member = matches!(*before, "." | "?." | "::" | "->");
        if self.is_call { names_methods || !is_member } else { *kind == TokenKind::Keyword }
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
    is_test_file: bool,
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

/// Returns whether the text above a name has an attribute of tests, as `#[cfg(test)]` or `#[tokio::test]`.
fn has_test_attribute(head: &str) -> bool {
    let attributes = head.lines().map(str::trim).filter(|line| line.starts_with("#["));
    attributes
        .filter(|it| !it.contains("not(test"))
        .any(|it| it.split(|c: char| !c.is_alphanumeric()).any(|word| word == "test"))
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
        let ban = StatedBan::new(code, "", Vec::new()).expect("a ban");
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
        let ban = |place: &str| StatedBan::new("print()", place, Vec::new());
        assert!(
            ban("in the wild").is_none() && StatedBan::new("src/a.py", "", Vec::new()).is_none()
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
}
