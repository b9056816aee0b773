//! Rules with what they demand and forbid.

use super::*;

/// A rule with what it demands and what it forbids.
type Case = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// Reads each rule and compares it with what is expected.
#[track_caller]
fn check(cases: &[Case]) {
    let mut wrong = String::new();
    for (rule, demanded, forbidden) in cases {
        let found = roles(rule);
        let of_role = |role: SpanRole| -> Vec<&str> {
            let spans = found.iter().filter(|span| span.role == role);
            spans.map(|span| &rule[span.range.clone()]).collect()
        };
        let found = (of_role(SpanRole::Demanded), of_role(SpanRole::Forbidden));
        if found != (demanded.to_vec(), forbidden.to_vec()) {
            wrong += &format!("{rule}\n    {found:?}\n");
        }
    }
    assert_eq!(wrong, "");
}

#[test]
fn of_two_compared_forms_the_second_is_forbidden() {
    check(&[
        (
            "`list.copy()` over `copy.deepcopy(list)`",
            &["list.copy()"],
            &["copy.deepcopy(list)"],
        ),
        ("Prefer `zip` over `enumerate`", &["zip"], &["enumerate"]),
        (
            "Prefer `X | None` to `Optional[X]`",
            &["X | None"],
            &["Optional[X]"],
        ),
        (
            "Use `Map<K, V>` instead of `any`.",
            &["Map<K, V>"],
            &["any"],
        ),
        ("Wrap errors with `%w` rather than `%v`", &["%w"], &["%v"]),
        (
            "Ids are made with `uuid7()`, not `uuid4()`",
            &["uuid7()"],
            &["uuid4()"],
        ),
        (
            "Use `BitSet` instead `HashSet<u32>`",
            &["BitSet"],
            &["HashSet<u32>"],
        ),
        ("Prefer `if let` to handle errors", &["if let"], &[]),
        ("Use `a_b` (not `c_d`) for keys", &["a_b"], &["c_d"]),
        (
            "Instead of `Thread.sleep`, use `await()`",
            &["await()"],
            &["Thread.sleep"],
        ),
        (
            "Instead of `new Clock()`, inject a `TimeSource`",
            &["TimeSource"],
            &["new Clock()"],
        ),
        (
            "`aiofiles` is preferred over `open()` in handlers",
            &["aiofiles"],
            &["open()"],
        ),
        (
            "Use `slog` in place of `log.Printf` or `fmt.Println`",
            &["slog"],
            &["log.Printf", "fmt.Println"],
        ),
        (
            "`Path.read_text` is better than `open().read()`",
            &["Path.read_text"],
            &["open().read()"],
        ),
        ("Do not use `b_c` instead of `d_e`", &["d_e"], &["b_c"]),
    ]);
}

#[test]
fn words_are_compared_too() {
    check(&[
        (
            "Prefer composition over inheritance",
            &["composition"],
            &["inheritance"],
        ),
        (
            "Composition over inheritance",
            &["Composition"],
            &["inheritance"],
        ),
        (
            "Use dataclasses instead of dictionaries for settings",
            &["dataclasses"],
            &["dictionaries"],
        ),
        ("Return errors, never panic", &["errors"], &["panic"]),
        (
            "Prefer composition to inheritance",
            &["composition"],
            &["inheritance"],
        ),
        (
            "Prefer early returns to keep functions flat",
            &["returns"],
            &[],
        ),
        ("Use a cursor over the rows", &["cursor", "rows"], &[]),
        ("Log in workers, avoid in handlers", &[], &[]),
        ("On a signal stop accepting connections", &[], &[]),
        ("Bump an epoch instead of closing sockets", &["epoch"], &[]),
        ("Sort the keys to avoid duplicates", &[], &[]),
        ("Show a page not found", &[], &[]),
        (
            "Use structured logging rather than `print()`",
            &["structured", "logging"],
            &["print()"],
        ),
    ]);
}

#[test]
fn prohibitions_forbid_their_object_or_their_subject() {
    check(&[
        ("Never call `print()`", &[], &["print()"]),
        (
            "Never use `eval`; use `literal_eval`",
            &["literal_eval"],
            &["eval"],
        ),
        (
            "Don't use `moment`, use `date-fns` instead",
            &["date-fns"],
            &["moment"],
        ),
        (
            "Avoid `as any` in favor of `unknown`",
            &["unknown"],
            &["as any"],
        ),
        ("Be sure to avoid `eval`", &[], &["eval"]),
        ("Avoid using `var`", &[], &["var"]),
        ("No `console.log` in library code", &[], &["console.log"]),
        ("There must be no `TODO_X` markers", &[], &["TODO_X"]),
        ("`print()` must not be used", &[], &["print()"]),
        ("`Optional` should never be imported", &[], &["Optional"]),
        (
            "Calls to `time.sleep()` are not allowed",
            &[],
            &["time.sleep()"],
        ),
        (
            "`setUp` is deprecated, use `beforeEach`",
            &["beforeEach"],
            &["setUp"],
        ),
        (
            "`old_api` was replaced by `new_api`",
            &["new_api"],
            &["old_api"],
        ),
        ("Handlers must not import `sqlite3`", &[], &["sqlite3"]),
        ("Never let a view call `db.raw()`", &[], &["db.raw()"]),
        ("We no longer use `enzyme`", &[], &["enzyme"]),
        ("Do not use `res.json` in views", &[], &["res.json"]),
        ("Using `eval` is forbidden", &[], &["eval"]),
        ("Types must not be `any`", &[], &["any"]),
        ("Never use anything other than `a_b`", &["a_b"], &[]),
        (
            "Global variables are forbidden",
            &[],
            &["Global", "variables"],
        ),
        ("No wildcard imports", &[], &["wildcard", "imports"]),
        (
            "Avoid rerenders by using React.memo, useMemo",
            &["React.memo", "useMemo"],
            &["rerenders"],
        ),
        (
            "Bad: `foo_bar()`. Good: `bar_foo()`",
            &["bar_foo()"],
            &["foo_bar()"],
        ),
        (
            "❌ `foo_bar()` ✅ `bar_foo()`",
            &["bar_foo()"],
            &["foo_bar()"],
        ),
    ]);
}

#[test]
fn replacements_have_an_old_and_a_new_form() {
    check(&[
        (
            "Replace `assertEquals` with `assert_that`",
            &["assert_that"],
            &["assertEquals"],
        ),
        (
            "Migrate from `requests` to `httpx`",
            &["httpx"],
            &["requests"],
        ),
        (
            "`fetchAll` replaces `fetchEach`",
            &["fetchAll"],
            &["fetchEach"],
        ),
    ]);
}

#[test]
fn what_is_restricted_or_not_understood_is_neutral() {
    check(&[
        ("Never call `close()` twice", &[], &[]),
        ("Never call `open()` without `timeout`", &["timeout"], &[]),
        ("Do not use `unwrap()` unless it is a test", &[], &[]),
        ("Never forget to call `close()`", &["close()"], &[]),
        ("Don't modify `schema_version`", &[], &[]),
        ("Don't ignore `err`", &[], &[]),
        ("`Session` is not thread-safe", &[], &[]),
        ("There is no need to call `flush()`", &["flush()"], &[]),
        ("When you use `lock()`, release it", &[], &[]),
        ("Never return `None`", &[], &[]),
        (
            "Use `unwrap()` in tests only, never use `unwrap()` elsewhere",
            &[],
            &[],
        ),
        (
            "Use `raise E from err` so that the cause is not lost",
            &["raise E from err"],
            &[],
        ),
        ("Use not only `a_b` but also `c_d`", &["a_b"], &[]),
        ("Edit `src/a.py` with `npm run x`, not `vim`", &[], &["vim"]),
        ("", &[], &[]),
    ]);
}

#[test]
fn emphasis_and_marks_do_not_hide_a_cue() {
    check(&[
        ("**Never** use `a_b`", &[], &["a_b"]),
        ("**NEVER** `a_b`", &[], &["a_b"]),
        ("*Prefer* `a_b` **over** `c_d`", &["a_b"], &["c_d"]),
        ("**Don't:** `a_b` **Do:** `c_d`", &["c_d"], &["a_b"]),
        ("Yes: `a_b` No: `c_d`", &["a_b"], &["c_d"]),
        ("🚫 `a_b` in handlers", &[], &["a_b"]),
        ("✔️ `a_b` ✖️ `c_d`", &["a_b"], &["c_d"]),
        ("❌ Call `a_b()`\n✅ Call `c_d()`", &["c_d()"], &["a_b()"]),
        ("❌ Use `a_b` instead of `c_d`", &["c_d"], &["a_b"]),
        ("❌ Never call `a_b`. Call `c_d`", &["c_d"], &["a_b"]),
    ]);
}

#[test]
fn a_ban_is_found_in_its_usual_constructions() {
    check(&[
        ("Instead of `a_b` use `c_d`", &["c_d"], &["a_b"]),
        ("In lieu of mocks use `c_d`", &["c_d"], &["mocks"]),
        ("Drop `a_b` in favor of `c_d`", &["c_d"], &["a_b"]),
        (
            "`a_b` is being phased out in favour of `c_d`",
            &["c_d"],
            &["a_b"],
        ),
        ("It is forbidden to call `a_b`", &[], &["a_b"]),
        ("You are not allowed to use `a_b`", &[], &["a_b"]),
        ("Nobody may use `a_b`", &[], &["a_b"]),
        ("None of the views may call `a_b`", &[], &["a_b"]),
        ("We do not allow `a_b` here", &[], &["a_b"]),
        ("Avoid usage of `a_b`", &[], &["a_b"]),
        ("Avoid any calls to `a_b`", &[], &["a_b"]),
        ("Replace all uses of `a_b` by `c_d`", &["c_d"], &["a_b"]),
        ("Calling `a_b` is a bug", &[], &["a_b"]),
        ("Views can't use `a_b` any more", &[], &["a_b"]),
        ("Do not catch `a_b`", &[], &["a_b"]),
    ]);
}

#[test]
fn a_ban_that_is_turned_around_forbids_nothing() {
    check(&[
        ("It is not forbidden to use `a_b`", &["a_b"], &[]),
        ("Never replace `a_b` with `c_d`", &["a_b"], &["c_d"]),
        ("A missing `a_b()` is a bug", &[], &[]),
        ("Not calling `a_b()` is forbidden", &[], &[]),
        ("Nothing beats `a_b`", &[], &[]),
        ("Use nothing but `a_b`", &[], &[]),
        ("Do not allow `a_b` to be empty", &[], &[]),
        ("Don't hesitate to use `a_b`", &["a_b"], &[]),
    ]);
}

#[test]
fn other_languages_are_read_by_their_words() {
    check(&[
        ("Verwende `a_b` statt `c_d`", &["a_b"], &["c_d"]),
        ("Benutze niemals `a_b`", &[], &["a_b"]),
        ("Utilisez `a_b` au lieu de `c_d`", &["a_b"], &["c_d"]),
        ("N'utilisez jamais `a_b`", &[], &["a_b"]),
        ("Nunca uses `a_b`, usa `c_d`", &["c_d"], &["a_b"]),
        ("Не используйте `a_b`", &[], &["a_b"]),
        ("不要使用 `a_b`。使用 `c_d`", &["c_d"], &["a_b"]),
        ("使用`a_b`而不是`c_d`", &["a_b"], &["c_d"]),
    ]);
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn roles_are_parts_of_any_text(
            words in proptest::collection::vec("(never|no|use|`a b`|over|to|not|be|instead|of|,|\\.|é|❌|\n- |is|`|\\(|without|[a-z]{1,4})", 0..12)
        ) {
            let text = words.join(" ");
            for span in roles(&text) {
                prop_assert!(text.get(span.range.clone()).is_some());
            }
        }
    }
}
