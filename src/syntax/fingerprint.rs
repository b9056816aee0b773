//! What tells a symbol's code again after it was moved, renamed or formatted.
//!
//! Taken from syntax tokens without comments, docstrings, white space, trailing
//! commas and what else a formatter may change; quotes count alike. Hashes are
//! xxh3 of the normalised tokens and part of the lock file's format: changing
//! the normalisation means a new lock version.

use std::borrow::Cow;

use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use crate::model::Fingerprint;
use crate::text::Span;

use super::sketch;
use super::source::{Role, Source, last_name};

/// Stands for the symbol's own name where the name is masked.
const OWN_NAME: u64 = 0x6f77_6e5f_6e61_6d65;

/// How many identifiers a fingerprint keeps, each as two bytes: a random sample
/// by hash, whose share in other code has a standard error of at most 0.11.
pub(crate) const MAX_NAMES: usize = 21;

/// How many words of comments a fingerprint keeps, likewise; they are fewer, and
/// help where there is little else.
pub(crate) const MAX_DOCS: usize = 12;

/// Shorter words of a comment are in every other one.
const MIN_DOC_BYTES: usize = 4;

/// Names that every method has and that therefore tell nothing.
const RECEIVERS: [&str; 4] = ["self", "cls", "this", "super"];

/// A normalised token.
#[derive(Debug, Clone, Copy)]
struct Token {
    hash: u64,
    start: usize,
    is_name: bool,
}

/// A word of a comment or a docstring.
#[derive(Debug, Clone, Copy)]
struct DocWord {
    hash: u16,
    /// Where the comment starts.
    start: usize,
    is_docstring: bool,
}

/// A symbol's code, or a file's: what is kept of it and what is compared with what
/// was kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct Print {
    pub(crate) kept: Fingerprint,
    /// All identifiers but its own name, hashed to 16 bits and ordered.
    pub(crate) names: Vec<u16>,
    /// All words of its comments, hashed and ordered.
    pub(crate) docs: Vec<u16>,
}

/// A file's tokens, from which the prints of its symbols are cut.
pub(crate) struct Code<'t> {
    text: &'t str,
    source: &'t Source,
    tokens: Vec<Token>,
    docs: Vec<DocWord>,
}

impl<'t> Code<'t> {
    pub(crate) fn new(text: &'t str, source: &'t Source) -> Self {
        Self { text, source, tokens: tokens(text, source), docs: docs(text, source) }
    }

    /// Returns the whole fingerprint of the symbol at `at` in [`Source::symbols`].
    #[cfg(test)]
    pub(crate) fn fingerprint(&self, at: usize) -> Fingerprint {
        let mut kept = self.symbol(at).kept;
        let names: Vec<&str> =
            self.source.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        (kept.between, kept.beside) = neighbours(&names, at);
        kept
    }

    /// Returns the print of the symbol at `at` without its neighbours, which cost a
    /// pass over the file's symbols.
    pub(crate) fn symbol(&self, at: usize) -> Print {
        let symbol = &self.source.symbols[at];
        let from = self.tokens.partition_point(|token| token.start < symbol.span.start);
        let to = self.tokens.partition_point(|token| token.start < symbol.span.end);
        let own = name_hash(last_name(&symbol.name));
        let tokens = self.tokens.get(from..to).unwrap_or_default();
        let above = symbol.above.map(|above| self.docs_in(above, true)).unwrap_or_default();
        let docs = ordered(above.into_iter().chain(self.docs_in(symbol.span, false)));
        of_tokens(self.text, symbol.span, tokens, own, symbol.body_start).documented(docs)
    }

    /// Returns the words of the docstrings in `span`, and of its comments if those
    /// document as well; comments inside a body come and go with the code.
    fn docs_in(&self, span: Span, with_comments: bool) -> Vec<u16> {
        let from = self.docs.partition_point(|word| word.start < span.start);
        let to = self.docs.partition_point(|word| word.start < span.end);
        let told = self.docs[from..to].iter().filter(|word| with_comments || word.is_docstring);
        ordered(told.map(|word| word.hash))
    }

    /// Returns the print of the whole file.
    pub(crate) fn file(&self) -> Print {
        let whole = Span::new(0, self.text.len());
        of_tokens(self.text, whole, &self.tokens, OWN_NAME, 0).documented(self.docs_in(whole, true))
    }
}

impl Print {
    fn documented(mut self, docs: Vec<u16>) -> Self {
        self.kept.docs = docs.iter().copied().take(MAX_DOCS).collect();
        self.docs = docs;
        self
    }
}

/// Returns what is defined right before and after the symbol at `at`, and the filter
/// of all names defined beside it: in the same container or, for what has none, at
/// the top of the file; the nearest first. `names` are the qualified names of all
/// symbols of the file in document order.
pub(crate) fn neighbours(names: &[&str], at: usize) -> ([u16; 2], Vec<u8>) {
    let (container, own) = split_name(names[at]);
    let mut beside: Vec<(usize, &str)> = Vec::new();
    let mut between = [NOTHING; 2];
    for (other, name) in names.iter().enumerate() {
        let (its_container, name) = split_name(name);
        if its_container != container || name == own {
            continue;
        }
        beside.push((other.abs_diff(at), name));
        if other < at {
            between[0] = short_hash(name_hash(name));
        } else if between[1] == NOTHING {
            between[1] = short_hash(name_hash(name));
        }
    }
    beside.sort_by_key(|(distance, _)| *distance);
    let mut nearest: Vec<&str> = Vec::new();
    for (_, name) in beside {
        if nearest.len() < sketch::MAX_IN_FILTER && !nearest.contains(&name) {
            nearest.push(name);
        }
    }
    (between, sketch::filter(nearest.into_iter().map(name_hash)))
}

/// Stands for the start or the end of a container.
pub(crate) const NOTHING: u16 = 0;

fn ordered(hashes: impl Iterator<Item = u16>) -> Vec<u16> {
    let mut hashes: Vec<u16> = hashes.collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn docs(text: &str, source: &Source) -> Vec<DocWord> {
    let mut found = Vec::new();
    for leaf in &source.leaves {
        if !matches!(leaf.role, Role::Comment | Role::Doc) {
            continue;
        }
        let words = leaf.span.slice(text).split(|c: char| !c.is_alphanumeric() && c != '_');
        for word in words.filter(|word| word.len() >= MIN_DOC_BYTES) {
            found.push(DocWord {
                hash: short_hash(xxh3_64(word.to_lowercase().as_bytes())),
                start: leaf.span.start,
                is_docstring: leaf.role == Role::Doc,
            });
        }
    }
    found
}

/// Returns the print of a file that no grammar reads: its lines without surrounding
/// white space are the tokens, its words the names.
pub(crate) fn of_plain_text(text: &str) -> Print {
    let mut tokens = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        tokens.push(Token { hash: xxh3_64(line.as_bytes()), start: 0, is_name: false });
    }
    let mut print = of_tokens(text, Span::new(0, text.len()), &tokens, OWN_NAME, 0);
    print.names = words(text);
    print.kept.n_tokens = u32::try_from(text.split_whitespace().count()).unwrap_or(u32::MAX);
    print.kept.names = print.names.iter().copied().take(MAX_NAMES).collect();
    print
}

/// Returns the container of a qualified name, empty for none, and its last part.
pub(crate) fn split_name(qualified: &str) -> (&str, &str) {
    qualified.rsplit_once('.').unwrap_or(("", qualified))
}

/// Returns what a name is in filters and samples.
pub(crate) fn name_hash(name: &str) -> u64 {
    xxh3_64(name.strip_prefix("r#").unwrap_or(name).as_bytes())
}

/// Returns every word of a text as names are hashed, ordered: all names of
/// whatever is defined in it are among them.
pub(crate) fn words(text: &str) -> Vec<u16> {
    let mut seen = vec![0u64; 1024];
    for word in text.as_bytes().split(|&byte| !is_word_byte(byte)) {
        if word.first().is_some_and(|byte| !byte.is_ascii_digit()) {
            let short = short_hash(xxh3_64(word));
            seen[usize::from(short) / 64] |= 1 << (short % 64);
        }
    }
    let held = |n: &u16| seen[usize::from(*n) / 64] >> (n % 64) & 1 == 1;
    (0..=u16::MAX).filter(held).collect()
}

/// Returns whether a byte is part of a name in one of the languages.
pub(crate) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Returns what tells bytes from others.
pub(crate) fn bytes_hash(bytes: &[u8]) -> u32 {
    (xxh3_64(bytes) >> 32) as u32
}

pub(crate) fn short_hash(hash: u64) -> u16 {
    (hash >> 48) as u16
}

fn of_tokens(text: &str, span: Span, tokens: &[Token], own: u64, body_start: usize) -> Print {
    let mask = |token: &Token| {
        if token.hash == own { OWN_NAME } else { token.hash }
    };
    let masked: Vec<u64> = tokens.iter().map(mask).collect();
    let n_signature = tokens.partition_point(|token| token.start < body_start);
    let short =
        |token: &Token| (token.is_name && token.hash != own).then(|| short_hash(token.hash));
    let names = ordered(tokens.iter().filter_map(short));
    let kept = Fingerprint {
        n_tokens: u32::try_from(tokens.len()).unwrap_or(u32::MAX),
        masked: hash_all(masked.iter().copied()),
        bytes: bytes_hash(span.slice(text).as_bytes()),
        signature: (hash_all(masked.iter().take(n_signature).copied()) >> 32) as u32,
        sketch: sketch::sketch(grams(&masked)),
        names: names.iter().copied().take(MAX_NAMES).collect(),
        ..Fingerprint::default()
    };
    Print { kept, names, docs: Vec::new() }
}

/// Returns a hash of each three neighbouring tokens; a shorter text is one gram.
fn grams(tokens: &[u64]) -> impl Iterator<Item = u64> {
    let width = tokens.len().clamp(1, 3);
    tokens.windows(width).map(|gram| {
        let mixed = gram.iter().fold(0u64, |mixed, hash| {
            mixed.rotate_left(23).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ hash
        });
        // The finaliser of MurmurHash3: sketches need every bit well mixed.
        let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
        mixed ^ (mixed >> 33)
    })
}

fn hash_all(hashes: impl IntoIterator<Item = u64>) -> u64 {
    let mut hasher = Xxh3Default::new();
    for hash in hashes {
        hasher.update(&hash.to_le_bytes());
    }
    hasher.digest()
}

fn tokens(text: &str, source: &Source) -> Vec<Token> {
    let leaves = &source.leaves;
    let mut tokens: Vec<Token> = Vec::with_capacity(leaves.len());
    // A comma is held back until it is known that no bracket closes after it.
    let mut comma: Option<Token> = None;
    for leaf in leaves {
        let piece = leaf.span.slice(text);
        let normal: Cow<'_, str> = match leaf.role {
            Role::Layout if piece == ")" => {
                comma = None;
                continue;
            }
            Role::Comment | Role::Doc | Role::Layout => continue,
            Role::Word => word(piece),
            Role::Mark if is_short_fraction(piece) => Cow::Owned(format!("0{piece}")),
            Role::Keyword | Role::Mark => Cow::Borrowed(piece),
            Role::Quote => {
                let prefix = piece.trim_end_matches(|c: char| !c.is_alphabetic());
                let mut prefix: Vec<char> =
                    prefix.to_lowercase().replace('u', "").chars().collect();
                prefix.sort_unstable();
                Cow::Owned(format!("\"{}", String::from_iter(prefix)))
            }
            Role::Text if piece.contains('\\') => {
                Cow::Owned(piece.replace("\\'", "'").replace("\\\"", "\""))
            }
            Role::Text => Cow::Borrowed(piece),
        };
        let token = Token {
            hash: xxh3_64(normal.as_bytes()),
            start: leaf.span.start,
            is_name: leaf.role == Role::Word && is_name(&normal),
        };
        if piece == "," && leaf.role == Role::Mark {
            tokens.extend(comma.replace(token));
            continue;
        }
        let closes = leaf.role == Role::Mark && matches!(piece, ")" | "]" | "}" | ">");
        tokens.extend(comma.take().filter(|_| !closes));
        tokens.push(token);
    }
    tokens.extend(comma);
    tokens
}

/// Returns a word as formatters agree on it: numbers in lower case, raw identifiers bare.
fn word(piece: &str) -> Cow<'_, str> {
    if piece.starts_with(|c: char| c.is_ascii_digit())
        && piece.contains(|c: char| c.is_ascii_uppercase())
    {
        return Cow::Owned(piece.to_ascii_lowercase());
    }
    Cow::Borrowed(piece.strip_prefix("r#").unwrap_or(piece))
}

/// Returns whether a number has no digit before its point, which prettier adds.
fn is_short_fraction(piece: &str) -> bool {
    piece.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn is_name(word: &str) -> bool {
    word.bytes().all(is_word_byte)
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && !RECEIVERS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Language;

    fn print(language: Language, text: &str, name: &str) -> Fingerprint {
        let source = Source::parse(language, text);
        let at = source.symbols.iter().position(|symbol| symbol.name == name);
        Code::new(text, &source).fingerprint(at.expect("the symbol is there"))
    }

    fn same_body(language: Language, a: &str, b: &str) {
        assert_eq!(print(language, a, "f").masked, print(language, b, "f").masked, "{a}\n{b}");
    }

    #[test]
    fn layout_comments_and_quotes_are_no_change() {
        use Language::{Go, JavaScript, Python, Rust, TypeScript};
        for (language, a, b) in [
            (
                Python,
                "def f(a,b): return g(a, 'x')\n",
                "def f(a, b):\n    # why\n    return g(\n        a,\n        \"x\",\n    )\n",
            ),
            (
                Python,
                "def f():\n    \"\"\"Old words.\"\"\"\n    return 1\n",
                "def f():\n    '''New.'''\n    return (1)\n",
            ),
            (
                Python,
                "def f():\n    return a + \\\n        b\n",
                "def f():\n    return (\n        a\n        + b\n    )\n",
            ),
            (Python, "def f(): return 0XFF, u'a'\n", "def f():\n\n    return 0xff, \"a\"\n"),
            (Python, "def f(): return br'a'\n", "def f(): return Rb\"a\"\n"),
            (Python, "def f(): return f'{a!r} b'\n", "def f():\n    return f\"{a!r} b\"\n"),
            (
                Python,
                "def f():\n  for (a, b) in c: return a, b\n",
                "def f():\n  for a, b in c:\n    return (\n      a,\n      b,\n    )\n",
            ),
            (Python, "def f():\n    class A(): pass\n", "def f():\n    class A:\n        pass\n"),
            (
                TypeScript,
                "function f() { return 'it\\'s' }",
                "function f() {\n  return \"it's\";\n}",
            ),
            (JavaScript, "const f = x => g(x)", "const f = (x) => g(x);\n"),
            (TypeScript, "const f = x => (g(x))", "const f = (x) => g(x);\n"),
            (
                Go,
                "package p\nfunc f() { g(1, 2) }",
                "package p\n\nfunc f() {\n\tg(\n\t\t1, // one\n\t\t2,\n\t)\n}",
            ),
            (
                Rust,
                "fn f() { match a { B => { 1 } C => { d(); 2 }, _ => return } }",
                "fn f() {\n    match a {\n        B => 1,\n        C => {\n            d();\n            2\n        }\n        _ => return,\n    }\n}",
            ),
            (
                Rust,
                "fn f() { if a { return } g(|x| { h(x) }) }",
                "fn f() {\n    if a {\n        return;\n    }\n    g(|x| h(x))\n}",
            ),
        ] {
            same_body(language, a, b);
        }
    }

    #[test]
    fn a_change_is_a_change() {
        let python = |text| print(Language::Python, text, "f").masked;
        assert_ne!(python("def f(): return 1"), python("def f(): return 2"));
        assert_ne!(python("def f(): return g('')"), python("def f(): return g()"));
        assert_ne!(python("def f(): return (a + b) * c"), python("def f(): return a + b * c"));
        assert_ne!(python("def f(): return b'x'"), python("def f(): return 'x'"));
        assert_ne!(python("def f(): return g((a, b))"), python("def f(): return g(a, b)"));
        assert_ne!(python("def f(): return (a,)"), python("def f(): return a"));
        assert_ne!(python("def f(): return A"), python("def f(): return a"));
        let web =
            |text: &str| print(Language::Tsx, &format!("function f() {{ {text} }}"), "f").masked;
        for (a, b) in [
            ("return (a + b) * c", "return a + b * c"),
            ("return a - (b - c)", "return a - b - c"),
            ("return a && (b || c)", "return a && b || c"),
            ("return (a ? b : c) ? d : e", "return a ? b : c ? d : e"),
            ("return (a ?? b) || c", "return a ?? b || c"),
            ("return -(a ** b)", "return -a ** b"),
            ("return (await a).b", "return await a.b"),
            ("return (() => a)()", "return () => a()"),
            ("let a: { b: 1 } | c", "let a: { b: 1 } & c"),
            ("return { 'a-b': 1 }", "return { 'a': 1 }"),
            ("return <p>a</p>", "return <p>b</p>"),
            ("return <p>{a} b</p>", "return <p>{a}{b}</p>"),
        ] {
            assert_ne!(web(a), web(b), "{a}\n{b}");
        }
        let rust = |text| print(Language::Rust, text, "f").masked;
        assert_ne!(rust("fn f() { a(); }"), rust("fn f() { a() }"));
        assert_ne!(rust("fn f() { (a + b) * c }"), rust("fn f() { a + b * c }"));
    }

    #[test]
    fn a_rename_keeps_the_masked_hash() {
        let old = print(Language::Python, "def walk(n):\n    return walk(n - 1)\n", "walk");
        let new = print(Language::Python, "def stroll(n):\n    return stroll(n - 1)\n", "stroll");
        assert_eq!(old.masked, new.masked);
        assert_eq!(old.signature, new.signature);
    }

    #[test]
    fn neighbours_are_those_of_the_same_container() {
        let text = "class A:\n    def a(self): pass\n    def b(self): pass\ndef c(): pass\n";
        let held = |name, other| {
            sketch::holds(&print(Language::Python, text, name).beside, name_hash(other))
        };
        assert!(held("A.a", "b") && !held("A.a", "a") && !held("A.a", "c"));
        assert!(held("A", "c") && !held("c", "a"));
    }

    proptest::proptest! {
        #[test]
        fn the_names_of_a_symbol_are_words_of_its_file(name in "[a-z_]{1,8}", other in "[a-zé$_][a-z0-9_]{0,8}") {
            let text = format!("function {name}() {{ return {other}(1.5, '{name}') }}");
            let source = Source::parse(Language::JavaScript, &text);
            let all = words(&text);
            for at in 0..source.symbols.len() {
                for short in Code::new(&text, &source).symbol(at).names {
                    proptest::prop_assert!(all.binary_search(&short).is_ok(), "{text}");
                }
            }
        }
    }
}
