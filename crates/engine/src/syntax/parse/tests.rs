//! Symbols of each language, and parsing of hostile text.

use expect_test::{Expect, expect};

use super::*;

#[cfg(feature = "all-languages")]
mod features;

/// Lists each symbol with its kind, the first line of its span and its leading comments.
fn check(language: Language, text: &str, expected: Expect) {
    let parsed = ParsedFile::parse(language, text);
    let mut listing = String::new();
    for symbol in &parsed.symbols {
        let head = symbol
            .span
            .slice(text)
            .lines()
            .next()
            .unwrap_or_default()
            .trim();
        let comments = symbol
            .leading_comments
            .map(|span| format!(" ^{}", span.slice(text).trim_end().replace('\n', "; ")))
            .unwrap_or_default();
        listing += &format!("{} {}: {head}{comments}\n", symbol.kind, symbol.name);
    }
    expected.assert_eq(&listing);
}

#[test]
fn python_symbols() {
    check(
        Language::Python,
        r#""""Module words."""
import os

# The limit.
MAX_RETRIES = 3
names: list[str] = []

@decorated
class Outer(Base):
    """Words."""
    field = 1

    class Inner:
        def method(self):
            local = 2
            def nested(): pass
            return nested

    @property
    async def value(self): return (yield)

if os.name == "nt":
    def platform(): pass
"#,
        expect![[r#"
            constant MAX_RETRIES: MAX_RETRIES = 3 ^# The limit.
            variable names: names: list[str] = []
            class Outer: @decorated
            variable Outer.field: field = 1
            class Outer.Inner: class Inner:
            method Outer.Inner.method: def method(self):
            function Outer.Inner.method.nested: def nested(): pass
            method Outer.value: @property
            function platform: def platform(): pass
        "#]],
    );
}

#[test]
fn go_symbols() {
    check(
        Language::Go,
        r#"package p

const Timeout = 5

var (
	ErrGone = errors.New("gone")
	a, b    = 1, 2
)

// Server serves.
// It does.
type Server[T any] struct{ n int }

type Doer interface {
	Do() error
}

type Alias = Server

func (s *Server[T]) Serve(x int) error {
	y := 1
	return nil
}

func New() *Server { return nil }
"#,
        expect![[r#"
            constant Timeout: const Timeout = 5
            variable ErrGone: ErrGone = errors.New("gone")
            variable a: a, b    = 1, 2
            variable b: a, b    = 1, 2
            struct Server: type Server[T any] struct{ n int } ^// Server serves.; // It does.
            interface Doer: type Doer interface {
            method Doer.Do: Do() error
            type Alias: type Alias = Server
            method Server.Serve: func (s *Server[T]) Serve(x int) error {
            function New: func New() *Server { return nil }
        "#]],
    );
}

#[test]
fn typescript_symbols() {
    check(
        Language::TypeScript,
        r#"
/** Words. */
export abstract class Repo<T> extends Base {
  private static size = 3;
  load = async (id: string) => { const x = 1; return x; };
  abstract find(): void;
  constructor(a: number) { super(); }
  get value() { return 1; }
}
export interface Shape { area(): number; side: number }
export type Id = string | number;
enum Colour { Red }
export const LIMIT = 10, other = 2;
export const handler = (e) => e;
export default function main() {}
const api = { fetch() {}, send: () => 1 };
exports.legacy = function () {};
Old.prototype.run = function () {};
namespace Deep { export function inside() {} }
"#,
        expect![[r#"
            class Repo: export abstract class Repo<T> extends Base { ^/** Words. */
            variable Repo.size: private static size = 3
            method Repo.load: load = async (id: string) => { const x = 1; return x; }
            method Repo.find: abstract find(): void
            method Repo.constructor: constructor(a: number) { super(); }
            method Repo.value: get value() { return 1; }
            interface Shape: export interface Shape { area(): number; side: number }
            method Shape.area: area(): number
            type Id: export type Id = string | number;
            enum Colour: enum Colour { Red }
            constant LIMIT: LIMIT = 10
            variable other: other = 2
            function handler: export const handler = (e) => e;
            function main: export default function main() {}
            variable api: const api = { fetch() {}, send: () => 1 };
            method api.fetch: fetch() {}
            function api.send: send: () => 1
            function legacy: exports.legacy = function () {}
            function Old.run: Old.prototype.run = function () {}
            module Deep: namespace Deep { export function inside() {} }
            function Deep.inside: export function inside() {}
        "#]],
    );
}

#[test]
fn rust_symbols() {
    check(
        Language::Rust,
        r#"
/// A cache.
#[derive(Debug)]
pub struct Cache<T> { items: Vec<T> }

impl<T: Clone> Cache<T> {
    /// Puts.
    pub fn put(&mut self, item: T) { let x = 1; }
}

impl<T> fmt::Display for Cache<T> { fn fmt(&self) {} }

pub trait Store { fn open() -> Self; fn close(&self) {} }
const LIMIT: usize = 3; // trailing

static NAME: &str = "x";
enum State { On, Off }
type Id = u64;
macro_rules! shout { () => {} }
mod inner { impl super::Cache<u8> { fn deep() {} } fn free() {} }
"#,
        expect![[r#"
            struct Cache: #[derive(Debug)] ^/// A cache.
            method Cache.put: pub fn put(&mut self, item: T) { let x = 1; } ^/// Puts.
            method Cache.fmt: fn fmt(&self) {}
            trait Store: pub trait Store { fn open() -> Self; fn close(&self) {} }
            method Store.open: fn open() -> Self;
            method Store.close: fn close(&self) {}
            constant LIMIT: const LIMIT: usize = 3;
            constant NAME: static NAME: &str = "x";
            enum State: enum State { On, Off }
            type Id: type Id = u64;
            macro shout: macro_rules! shout { () => {} }
            module inner: mod inner { impl super::Cache<u8> { fn deep() {} } fn free() {} }
            method inner.Cache.deep: fn deep() {}
            function inner.free: fn free() {}
        "#]],
    );
}

#[test]
fn java_symbols() {
    check(
        Language::Java,
        r#"
/** Words. */
@Deprecated
public class Shop {
    static final int MAX = 3;
    private int n, m;
    Shop(int n) { int local = 1; }
    public void sell() {}
    enum Kind { A }
    interface Buyer { void buy(); }
    record Point(int x) {}
}
"#,
        expect![[r#"
            class Shop: @Deprecated ^/** Words. */
            constant Shop.MAX: static final int MAX = 3;
            variable Shop.n: n
            variable Shop.m: m
            method Shop.Shop: Shop(int n) { int local = 1; }
            method Shop.sell: public void sell() {}
            enum Shop.Kind: enum Kind { A }
            interface Shop.Buyer: interface Buyer { void buy(); }
            method Shop.Buyer.buy: void buy();
            class Shop.Point: record Point(int x) {}
        "#]],
    );
}

#[test]
fn code_with_errors_yields_the_symbols_that_parse() {
    check(
        Language::Python,
        "def good(): pass\n\ndef bad():\n  x = = 3 +\n\nclass Later:\n    def m(self): pass\n",
        expect![[r#"
            function good: def good(): pass
            function bad: def bad():
            class Later: class Later:
            method Later.m: def m(self): pass
        "#]],
    );
}

#[test]
fn calls_with_a_title_and_a_callback_are_symbols_and_what_they_contain_keeps_its_name() {
    let text = r#"
describe('Cart v1.5', () => {
  const helper = () => 1;
  // Slow.
  it.skipIf(isJSDOM)("isn't (yet) rendered: #2", async () => { const local = 2; }, 500);
  it.each([1])(`adds ${n}`, { retry: 1 }, function () {});
});
function suite() { let a = 1; test('inside', () => { run(a); }); }
it('todo');
fit('other', () => {});
item.it('member', () => {});
it(name, () => {});
it('!', () => {});
"#;
    let expected = || {
        expect![[r#"
            function Cart v1 5: describe('Cart v1.5', () => {
            function helper: const helper = () => 1;
            function isn't yet rendered 2: it.skipIf(isJSDOM)("isn't (yet) rendered: #2", async () => { const local = 2; }, 500)
            variable local: const local = 2;
            function adds ${n}: it.each([1])(`adds ${n}`, { retry: 1 }, function () {})
            function suite: function suite() { let a = 1; test('inside', () => { run(a); }); }
            function suite.inside: test('inside', () => { run(a); })
        "#]]
    };
    for language in [Language::JavaScript, Language::TypeScript, Language::Tsx] {
        check(language, text, expected());
    }
    check(
        Language::Go,
        r#"package shop

func TestSell(t *testing.T) {
	t.Run("an empty cart", func(t *testing.T) { t.Run("twice", func(t *testing.T) {}) })
	t.Run(tt.name, func(t *testing.T) {})
	t.Runner("a", func() {})
}

var _ = Describe("Cart", func() {
	It("is empty", func() { var a = 1 })
})
"#,
        expect![[r#"
            function TestSell: func TestSell(t *testing.T) {
            function TestSell.an empty cart: t.Run("an empty cart", func(t *testing.T) { t.Run("twice", func(t *testing.T) {}) })
            function TestSell.twice: t.Run("twice", func(t *testing.T) {})
            variable _: var _ = Describe("Cart", func() {
            function _.Cart: Describe("Cart", func() {
            function _.is empty: It("is empty", func() { var a = 1 })
        "#]],
    );
}

#[test]
fn the_scripts_of_a_component_have_symbols_at_their_lines() {
    let text = "<template>\n  <p @click=\"f('x')\">it's {{ a }}</p>\n</template>\n\n<script setup lang=\"ts\" generic=\"T extends A<B>\">\nconst close = (a: T): void => f(a)\n</script>\n<script>\nexport default { name: 'Cart', data() { return {} } }\n</script>\n<style>p { color: red }</style>\n";
    for language in [Language::Vue, Language::Svelte, Language::Astro] {
        check(
            language,
            text,
            expect![[r#"
                function close: const close = (a: T): void => f(a)
                method data: data() { return {} }
            "#]],
        );
        let parsed = ParsedFile::parse(language, text);
        let lines = cerberus_model::text::LineIndex::new(text);
        let rows: Vec<usize> = parsed
            .symbols
            .iter()
            .map(|it| lines.line(it.span.start))
            .collect();
        assert_eq!(rows, [5, 8]);
        let words: Vec<&str> = parsed.tokens.iter().map(|it| it.span.slice(text)).collect();
        assert!(
            !words.contains(&"template") && !words.contains(&"color"),
            "{words:?}"
        );
    }
}

#[test]
fn decorators_of_typescript_belong_to_their_member_without_its_span() {
    let text = "class A {\n  /** One. */\n  @Input({ alias: 'b' })\n  @Post()\n  save() {}\n\n  load() {}\n}\n";
    let parsed = ParsedFile::parse(Language::TypeScript, text);
    let shown: Vec<(&str, Option<&str>)> = parsed
        .symbols
        .iter()
        .map(|it| {
            (
                it.span.slice(text).lines().next().unwrap_or_default(),
                it.decorators,
            )
        })
        .map(|(head, decorators)| (head, decorators.map(|span| span.slice(text))))
        .collect();
    let decorators = Some("@Input({ alias: 'b' })\n  @Post()");
    assert_eq!(
        shown,
        [
            ("class A {", None),
            ("save() {}", decorators),
            ("load() {}", None)
        ]
    );
    assert!(parsed.symbols[1].leading_comments.is_some());
}

#[test]
fn code_nested_deeper_than_the_stack_is_parsed() {
    for language in Language::ALL {
        let text = format!("x = {}1{}", "(".repeat(50_000), ")".repeat(50_000));
        ParsedFile::parse(*language, &text);
    }
}

#[test]
fn deeply_nested_names_have_a_maximum_length() {
    for (language, open, close) in [
        (Language::Rust, "mod a{\n", "}"),
        (Language::Java, "class a{\n", "}"),
        (Language::JavaScript, "function a(){\n", "}"),
        (Language::TypeScript, "namespace a{\n", "}"),
    ] {
        let text = format!("{}{}", open.repeat(300), close.repeat(300));
        let parsed = ParsedFile::parse(language, &text);
        assert_eq!(
            parsed.symbols.len(),
            MAX_NAME_BYTES.div_ceil(2),
            "{language}"
        );
    }
    let long = format!(
        "mod {} {{\nfn inner() {{}}\n}}\n",
        "a".repeat(MAX_NAME_BYTES + 1)
    );
    let names: Vec<String> = ParsedFile::parse(Language::Rust, &long)
        .symbols
        .into_iter()
        .map(|it| it.name)
        .collect();
    assert_eq!(names, ["inner"]);
}

proptest::proptest! {
    #[test]
    fn any_text_parses_without_panic(text in "\\PC{0,200}", language_idx in 0..Language::ALL.len()) {
        let parsed = ParsedFile::parse(Language::ALL[language_idx], &text);
        for token in &parsed.tokens {
            proptest::prop_assert!(text.get(token.span.start..token.span.end).is_some());
        }
        for pair in parsed.tokens.windows(2) {
            proptest::prop_assert!(pair[0].span.end <= pair[1].span.start);
        }
    }
}

#[test]
fn the_tree_of_a_long_text_is_kept() {
    let tables = language::tables(Language::Python).expect("a grammar");
    let text = "def f(a):\n    return a\n".repeat(6_000);
    let id = |text: &str| tree(tables, text).expect("parsed").root_node().id();
    // Another test may parse a long text in between.
    assert!((0..100).any(|_| id(&text) == id(&text)));
}

#[test]
fn dense_repetition_is_not_parsed_and_tables_are() {
    let exceeds = |language, text: &str| ParsedFile::outline(language, text).exceeds_limits;
    let lines = |line: &str, n: usize| line.repeat(n);
    assert!(exceeds(
        Language::Python,
        &lines("y=1;y=1;y=1;y=1;\n", 30_000)
    ));
    assert!(exceeds(
        Language::TypeScript,
        &lines("\"a\"\"a\"\"a\"\"a\"\n", 3_000)
    ));
    assert!(!exceeds(Language::Python, &lines("value = 1\n", 10_000)));
    assert!(!exceeds(
        Language::Python,
        &format!("x = [\n{}]\n", lines("\"a\", 1,\n", 10_000))
    ));
    assert!(!exceeds(
        Language::Python,
        &format!("x = (\n{})\n", lines("\"a\"\n", 5_000))
    ));
}
