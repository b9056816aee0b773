//! Symbols of the languages that are features.

use super::*;
use crate::syntax::fingerprint::FileFeatures;

#[test]
fn csharp_symbols() {
    check(
        Language::CSharp,
        r#"using System;
namespace Shop.Core;
/// <summary>Words.</summary>
[Serializable]
public abstract class Cart<T> : Base, ICart where T : class
{
    private const int Max = 3;
    private readonly int _n, _m = 2;
    public event EventHandler Changed;
    public string Name { get; set; } = "x";
    public int this[int i] => i;
    public Cart(int n) : base(n) { var local = 1; }
    ~Cart() {}
    public static Cart<T> operator +(Cart<T> a, Cart<T> b) => a;
    public async Task<int> SellAsync(string a, params int[] b) { int Inner() => 2; return $"a {b} c" + @"x" + """raw"""; }
    void IShop.Close() {}
    enum Kind { A, B }
    delegate void Handler(int a);
}
public record Point(int X, int Y);
public record struct P2(int X);
struct S { }
interface ICart { void Buy(); }
#if X
class D {}
#endif
"#,
        expect![[r#"
            class Cart: [Serializable] ^/// <summary>Words.</summary>
            variable Cart.Max: private const int Max = 3;
            variable Cart._n: _n
            variable Cart._m: _m = 2
            variable Cart.Changed: public event EventHandler Changed;
            variable Cart.Name: public string Name { get; set; } = "x";
            method Cart.Cart: public Cart(int n) : base(n) { var local = 1; }
            method Cart.SellAsync: public async Task<int> SellAsync(string a, params int[] b) { int Inner() => 2; return $"a {b} c" + @"x" + """raw"""; }
            function Cart.SellAsync.Inner: int Inner() => 2;
            method Cart.Close: void IShop.Close() {}
            enum Cart.Kind: enum Kind { A, B }
            type Cart.Handler: delegate void Handler(int a);
            class Point: public record Point(int X, int Y);
            class P2: public record struct P2(int X);
            struct S: struct S { }
            interface ICart: interface ICart { void Buy(); }
            method ICart.Buy: void Buy();
            class D: class D {}
        "#]],
    );
}

#[test]
fn cpp_symbols() {
    check(
        Language::Cpp,
        r#"#ifndef A_H
#define A_H
#include <x>
#define MAX(a, b) ((a) > (b))
#define LIMIT 3
using namespace std;
typedef struct node { int a; } node_t;
typedef unsigned int uint;
typedef int (*cb)(int);
struct fwd;
static const int kMax = 3, other[2];
extern int shared;
int proto(int a);
static char *copy(const char *s) { return 0; }
enum color { RED };
union u { int a; };
namespace a::b { namespace {
// Doc.
template <typename T> class Cart : public Base<T> {
 public:
  explicit Cart(int n) : n_(n) {}
  ~Cart();
  virtual int sell(int) const = 0;
  Cart& operator=(const Cart&) = default;
  operator bool() const { return true; }
  static constexpr int Max = 3;
  int n_;
  enum class Kind { A };
  friend void f();
};
template <class T> int Cart<T>::sell(int a) const { auto l = [](int x) { return x; }; return R"(a)" + 'c'; }
using Id = int;
template <typename T> concept C = true;
int& get() { return x; }
}}
extern "C" { void capi(void); }
int b::Cart::z = 3;
TEST_CASE("x", "[y]") { int a; }
TEST(Suite, Name) { int a; }
#endif
"#,
        expect![[r#"
            macro MAX: #define MAX(a, b) ((a) > (b))
            macro LIMIT: #define LIMIT 3
            struct node_t: typedef struct node { int a; } node_t;
            type uint: typedef unsigned int uint;
            type cb: typedef int (*cb)(int);
            variable kMax: static const int kMax = 3, other[2];
            variable other: static const int kMax = 3, other[2];
            variable shared: extern int shared;
            function proto: int proto(int a);
            function copy: static char *copy(const char *s) { return 0; }
            enum color: enum color { RED }
            struct u: union u { int a; }
            module a.b: namespace a::b { namespace {
            class a.b.Cart: template <typename T> class Cart : public Base<T> { ^// Doc.
            method a.b.Cart.Cart: explicit Cart(int n) : n_(n) {}
            method a.b.Cart.~Cart: ~Cart();
            method a.b.Cart.sell: virtual int sell(int) const = 0;
            method a.b.Cart.operator=: Cart& operator=(const Cart&) = default;
            method a.b.Cart.operator bool: operator bool() const { return true; }
            enum a.b.Cart.Kind: enum class Kind { A }
            method a.b.Cart.sell: template <class T> int Cart<T>::sell(int a) const { auto l = [](int x) { return x; }; return R"(a)" + 'c'; }
            type a.b.Id: using Id = int;
            type a.b.C: template <typename T> concept C = true;
            function a.b.get: int& get() { return x; }
            function capi: void capi(void);
            variable b.Cart.z: int b::Cart::z = 3;
            function TEST: TEST(Suite, Name) { int a; }
        "#]],
    );
}

#[test]
fn php_symbols() {
    check(
        Language::Php,
        r#"<?php
namespace App\Models;
use Foo\Bar;
const LIMIT = 3;
define('X', 1);
/** Doc. */
#[Attr]
abstract class Cart extends Base implements I
{
    use Sells;
    public const MAX = 3;
    private int $n = 1, $m;
    public function __construct(private readonly string $name) {}
    public static function sell(int $a): ?string { $l = 'x'; return "a {$b} $c"; }
    abstract protected function buy();
}
interface I { public function a(); }
trait Sells { }
enum Kind: string { case A = 'a'; const Z = 1; public function f() {} }
function helper() { return fn($x) => $x; }
$config = [1];
$f = function () {};
it('does things', function () { expect(1); });
test('x', fn () => 1);
"#,
        expect![[r#"
            constant LIMIT: const LIMIT = 3;
            class Cart: #[Attr] ^/** Doc. */
            constant Cart.MAX: public const MAX = 3;
            variable Cart.n: $n = 1
            variable Cart.m: $m
            method Cart.__construct: public function __construct(private readonly string $name) {}
            method Cart.sell: public static function sell(int $a): ?string { $l = 'x'; return "a {$b} $c"; }
            method Cart.buy: abstract protected function buy();
            interface I: interface I { public function a(); }
            method I.a: public function a();
            trait Sells: trait Sells { }
            enum Kind: enum Kind: string { case A = 'a'; const Z = 1; public function f() {} }
            constant Kind.Z: const Z = 1;
            method Kind.f: public function f() {}
            function helper: function helper() { return fn($x) => $x; }
            function does things: it('does things', function () { expect(1); })
            function x: test('x', fn () => 1)
        "#]],
    );
}

#[test]
fn kotlin_symbols() {
    check(
        Language::Kotlin,
        r#"package a.b
import x.y
/** Doc. */
@Anno
class Cart<T>(val n: Int, private var m: String = "x") : Base(n), I {
    val total: Int get() = n
    var other = 2
    companion object { const val MAX = 3
      fun make() = 1 }
    constructor(a: Int) : this(a, "")
    init { println("a $n ${m}") }
    override suspend fun sell(a: Int): String { val l = { x: Int -> x }; return """raw""" }
    inner class In
    enum class Kind { A, B }
}
interface I { fun a() }
object Single { fun b() {} }
data class P(val x: Int)
sealed interface S
fun String.ext(a: Int) = 1
fun <T> List<T>.gen(): T = first()
const val LIMIT = 3
val top by lazy { 1 }
typealias Id = Int
annotation class An
class T1 : FunSpec({ test("x") { 1 } })
fun `name with spaces`() {}
"#,
        expect![[r#"
            class Cart: @Anno ^/** Doc. */
            variable Cart.total: val total: Int get() = n
            variable Cart.other: var other = 2
            variable Cart.MAX: const val MAX = 3
            method Cart.make: fun make() = 1
            method Cart.sell: override suspend fun sell(a: Int): String { val l = { x: Int -> x }; return """raw""" }
            class Cart.In: inner class In
            class Cart.Kind: enum class Kind { A, B }
            interface I: interface I { fun a() }
            method I.a: fun a()
            class Single: object Single { fun b() {} }
            method Single.b: fun b() {}
            class P: data class P(val x: Int)
            interface S: sealed interface S
            function ext: fun String.ext(a: Int) = 1
            function gen: fun <T> List<T>.gen(): T = first()
            variable LIMIT: const val LIMIT = 3
            variable top: val top by lazy { 1 }
            type Id: typealias Id = Int
            class An: annotation class An
            class T1: class T1 : FunSpec({ test("x") { 1 } })
            function name with spaces: fun `name with spaces`() {}
        "#]],
    );
}

#[test]
fn ruby_symbols() {
    check(
        Language::Ruby,
        r#"require "x"
# Doc.
module Shop
  class Cart < Base
    MAX = 3
    attr_accessor :name
    private def initialize(n); @n = n; end
    def self.sell(a, b = 1) = 2
    def name=(x); end
    def ==(o); end
    class << self
      def inner; end
    end
    scope :x, -> { 1 }
    define_method(:y) { 1 }
  end
  class A::B; end
end
RSpec.describe Cart do
  it "does x" do
    a = "b #{c}"
  end
  test "y" do
  end
end
x = 1
foo = lambda { |x| x }
"#,
        expect![[r#"
            module Shop: module Shop ^# Doc.
            class Shop.Cart: class Cart < Base
            constant Shop.Cart.MAX: MAX = 3
            method Shop.Cart.initialize: def initialize(n); @n = n; end
            method Shop.Cart.sell: def self.sell(a, b = 1) = 2
            method Shop.Cart.name=: def name=(x); end
            method Shop.Cart.==: def ==(o); end
            method Shop.Cart.inner: def inner; end
            class Shop.A.B: class A::B; end
            function does x: it "does x" do
            function y: test "y" do
        "#]],
    );
}

#[test]
fn swift_symbols() {
    check(
        Language::Swift,
        r#"import Foundation
/// Doc.
@MainActor
public final class Cart<T>: Base, I {
    static let max = 3
    private(set) var n: Int = 1, m = 2
    var total: Int { n }
    init(n: Int) { self.n = n }
    deinit {}
    subscript(i: Int) -> Int { i }
    func sell(a: Int, _ b: String) async throws -> String { let l = { (x: Int) in x }; return "a \(n) b" }
    enum Kind: String { case a, b }
    static func == (a: Cart, b: Cart) -> Bool { true }
}
struct S { }
protocol I { func a(); var b: Int { get } }
extension Cart where T: I { func ext() {} }
enum E { case x }
actor A {}
typealias Id = Int
func top() {}
let limit = 3
infix operator +++
@Test("does x") func doesX() {}
#if DEBUG
func dbg() {}
#endif
"#,
        expect![[r#"
            class Cart: @MainActor ^/// Doc.
            variable Cart.max: static let max = 3
            variable Cart.n: private(set) var n: Int = 1, m = 2
            variable Cart.m: private(set) var n: Int = 1, m = 2
            variable Cart.total: var total: Int { n }
            method Cart.init: init(n: Int) { self.n = n }
            method Cart.sell: func sell(a: Int, _ b: String) async throws -> String { let l = { (x: Int) in x }; return "a \(n) b" }
            enum Cart.Kind: enum Kind: String { case a, b }
            method Cart.==: static func == (a: Cart, b: Cart) -> Bool { true }
            struct S: struct S { }
            interface I: protocol I { func a(); var b: Int { get } }
            method I.a: func a()
            variable I.b: var b: Int { get }
            method Cart.ext: func ext() {}
            enum E: enum E { case x }
            class A: actor A {}
            type Id: typealias Id = Int
            function top: func top() {}
            variable limit: let limit = 3
            function doesX: @Test("does x") func doesX() {}
            function dbg: func dbg() {}
        "#]],
    );
}

#[test]
fn scala_symbols() {
    check(
        Language::Scala,
        r#"package a.b
import x.y.{Z, *}
/** Doc. */
@anno
final case class Cart[T](n: Int, m: String = "x") extends Base(n) with I {
  val total: Int = n
  var other = 2
  lazy val z = 1
  def sell(a: Int)(using b: Int): String = { val l = (x: Int) => x; s"a $n ${m}" }
  def abs: Int
  type Id = Int
  object In { def b() = 1 }
}
trait I { def a: Int }
object Cart { val Max = 3 }
enum Kind { case A, B }
enum K2:
  case A
given ord: Ordering[Int] = ???
extension (s: String) def ext = 1
def top = 1
val (p, q) = (1, 2)
class Tst extends FunSuite { test("x y") { 1 } 
  "a b" should "c" in { 1 } }
package object po { }
"#,
        expect![[r#"
            class Cart: @anno ^/** Doc. */
            variable Cart.total: val total: Int = n
            variable Cart.other: var other = 2
            variable Cart.z: lazy val z = 1
            method Cart.sell: def sell(a: Int)(using b: Int): String = { val l = (x: Int) => x; s"a $n ${m}" }
            method Cart.abs: def abs: Int
            type Cart.Id: type Id = Int
            class Cart.In: object In { def b() = 1 }
            method Cart.In.b: def b() = 1
            trait I: trait I { def a: Int }
            method I.a: def a: Int
            class Cart: object Cart { val Max = 3 }
            variable Cart.Max: val Max = 3
            enum Kind: enum Kind { case A, B }
            enum K2: enum K2:
            variable ord: given ord: Ordering[Int] = ???
            function ext: def ext = 1
            function top: def top = 1
            class Tst: class Tst extends FunSuite { test("x y") { 1 }
            function Tst.x y: test("x y") { 1 }
            module po: package object po { }
        "#]],
    );
}

#[test]
fn shell_symbols() {
    check(
        Language::Shell,
        r#"#!/bin/bash
# Doc.
do_it() {
  local a="$1 x"
  echo "a $(cmd) ${b}"
}
function other { declare -r X=1; cat <<EOF
a $b
EOF
}
readonly MAX=3
NAME="x"
export P=1
if true; then f() { :; }; fi
@test "does x" { run y; }
"#,
        expect![[r#"
            function do_it: do_it() { ^#!/bin/bash; # Doc.
            function other: function other { declare -r X=1; cat <<EOF
            constant MAX: MAX=3
            constant NAME: NAME="x"
            constant P: P=1
            function f: f() { :; }
        "#]],
    );
}

#[test]
fn only_headers_of_c_have_declarations_of_functions() {
    let text = "static int parse(int a);\nqueue *head(void);\nMACRO struct queue *tail(void);\nstruct queue;\nint size = 3;\nstruct node { int a; };\nint parse(int a) { int b = 1; return b; }\n";
    check(
        Language::C,
        text,
        expect![[r#"
        variable size: int size = 3;
        struct node: struct node { int a; }
        function parse: int parse(int a) { int b = 1; return b; }
    "#]],
    );
    check(
        Language::Cpp,
        text,
        expect![[r#"
            function parse: static int parse(int a);
            function head: queue *head(void);
            function tail: MACRO struct queue *tail(void);
            variable size: int size = 3;
            struct node: struct node { int a; }
            function parse: int parse(int a) { int b = 1; return b; }
        "#]],
    );
}

#[test]
fn a_formatter_does_not_change_the_fingerprint() {
    use Language::{C, CSharp, Cpp, Kotlin, Php, Ruby, Scala, Shell, Swift};
    for (language, a, b) in [
        (
            CSharp,
            "class A { int F(int a){return g(a, \"x\");} }",
            "class A\n{\n    // Why.\n    int F(int a)\n    {\n        return g(\n            a,\n            \"x\");\n    }\n}\n",
        ),
        (
            C,
            "#define F(a,b) ((a)+ \\\n  (b))\n",
            "#  define F(a, b) \\\n    ((a) + (b))\n",
        ),
        (
            Cpp,
            "int F(int a){return g(a);}",
            "int F(int a)\n{\n    return g(\n        a);\n}\n",
        ),
        (
            Php,
            "<?php function f($a){return new B;}",
            "<?php\n\nfunction f($a)\n{\n    return new B();\n}\n",
        ),
        (
            Kotlin,
            "fun f(a: Int): Int { g(); return h(a) }",
            "fun f(\n    a: Int,\n): Int {\n    g()\n    return h(a)\n}\n",
        ),
        (
            Ruby,
            "def f(a); g(a, 'x', %w[ b c ]); end",
            "def f(a)\n  g(a, \"x\", %w[b c])\nend\n",
        ),
        (
            Swift,
            "func f(a: Int) -> Int { g(); return h(a) }",
            "func f(a: Int) -> Int {\n    g()\n    return h(\n        a\n    )\n}\n",
        ),
        (
            Scala,
            "def f(a: Int) = { g(a); h }",
            "def f(a: Int) = {\n  g(a)\n  h\n}\n",
        ),
        (
            Shell,
            "f(){ if a; then b \"$c\"; fi; }",
            "f() {\n  if a; then\n    b \"$c\"\n  fi\n}\n",
        ),
    ] {
        let hash = |text: &str| {
            let parsed = ParsedFile::parse(language, text);
            let symbol_idx = parsed.symbols.len() - 1;
            FileFeatures::new(text, &parsed)
                .symbol(symbol_idx)
                .fingerprint
                .name_independent_hash
        };
        assert_eq!(hash(a), hash(b), "{language}: {a}");
    }
}
