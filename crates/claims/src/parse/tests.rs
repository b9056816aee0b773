//! Which claims a document has, with their spans and stances.

use super::*;
use crate::kinds::package::Package;
use crate::kinds::path::FilePath;
use crate::kinds::rule::EnforcedRule;
use crate::kinds::symbol::Symbol;
use crate::kinds::task::{Runner, Within};
use crate::kinds::variable::Variable;
use crate::kinds::version::RequiredVersion;

fn read(text: &str) -> Claims {
    super::read(text, &Addresses::default())
}

/// Compares the claims of a document with lines of `KIND TEXT STANCE`.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found: Vec<String> = read(text).claims.iter().map(shown).collect();
    assert_eq!(found, expected, "{text}");
}

fn shown(claim: &Claim) -> String {
    let target = match &claim.target {
        Target::Path(FilePath {
            path,
            part: None,
            is_link: false,
        }) => format!("path {path}"),
        Target::Path(FilePath {
            path,
            part: None,
            is_link: true,
        }) => format!("link {path}"),
        Target::Path(FilePath {
            path,
            part: Some(part),
            ..
        }) => format!("part {path} {part:?}"),
        Target::Symbol(Symbol { parts, .. }) => format!("symbol {}", parts.join(".")),
        Target::Task(task) => match &task.within {
            Within::Here => format!("task {:?} {}", task.runner, task.name),
            place => format!("task {:?} {} {place:?}", task.runner, task.name),
        },
        Target::Variable(Variable(name)) => format!("variable {name}"),
        Target::Package(Package(name)) => format!("package {name}"),
        Target::Rule(EnforcedRule { tool, name }) => format!("rule {} {name}", tool.name()),
        Target::Version(RequiredVersion { name, version }) => format!("version {name} {version}"),
        // Other kinds are shown as they are written.
        other => format!("{} {}", other.name(), claim.text),
    };
    match claim.stance {
        Stance::Plain => target,
        Stance::Unclear => format!("{target}, unclear"),
        Stance::Example => format!("{target}, example"),
        Stance::Forbidden => format!("{target}, forbidden"),
        Stance::Absent => format!("{target}, absent"),
    }
}

#[test]
fn inline_code_names_paths_symbols_and_variables() {
    check("`src/a.py`", &["path src/a.py"]);
    check("`src/a.py:12-40`", &["part src/a.py Line(40)"]);
    check("`src/a.py#L10-L12`", &["part src/a.py Line(12)"]);
    check(
        "`src/a.py::Session.close`",
        &["part src/a.py Symbol(\"Session.close\")"],
    );
    check("`src/**/*.ts`", &["path src/**/*.ts"]);
    check(
        "`Makefile` and `.env.example`",
        &["path Makefile", "path .env.example"],
    );
    check("`Session.close`", &["symbol Session.close"]);
    check("`session::close(&mut it)`", &["symbol session.close"]);
    check(
        "`größe_lesen` in `src/größe.py`",
        &["symbol größe_lesen", "path src/größe.py"],
    );
    check(
        "`useHook` or `load_rows()`",
        &["symbol useHook", "symbol load_rows"],
    );
    check(
        "`SHOP_TOKEN=1` and `process.env.SHOP_KEY`",
        &["variable SHOP_TOKEN", "variable SHOP_KEY"],
    );
    check(
        "`SHOP_URL=https://a.org` and `SHOP_ID=<id>`",
        &["variable SHOP_URL", "variable SHOP_ID"],
    );
    check(
        "`example.org/a/b/v2` and `Shop.Core/Till`",
        &["package example.org/a/b/v2", "path Shop.Core/Till"],
    );
    check(
        "`binding.gyp` and `/deploy:12`",
        &["path binding.gyp", "part /deploy Line(12)"],
    );
    check(
        "`react` 18.2 and `@a/b`",
        &["package react", "version react 18.2"],
    );
}

#[test]
fn text_that_names_nothing_is_no_claim() {
    for text in [
        "`a b`",
        "`true`x",
        "`https://a.org/b.md`",
        "`<name>/a.py`",
        "`src/.../a.py`",
        "`--flag`",
        "`/shop:deploy`",
        "``",
    ] {
        let found = read(text).claims;
        assert!(
            found
                .iter()
                .all(|it| matches!(it.target, Target::Package(_))),
            "{text}: {found:?}"
        );
    }
    check("[`Foo.bar`](https://a.org)", &[]);
    check("```py\nopen('src/a.py')\n```", &[]);
}

#[test]
fn links_imports_and_globs_of_the_frontmatter_are_claims() {
    check(
        "[a](docs/a%20b.md#top)",
        &["part docs/a b.md Heading(\"top\")"],
    );
    check(
        "[a](../x.md) [b](#here) [c](mailto:a@b.c)",
        &["link ../x.md", "part  Heading(\"here\")"],
    );
    check(
        "@docs/style.md, see src/a.py.",
        &["path docs/style.md", "path src/a.py"],
    );
    check(
        "**src/core/plan/**: and/or, core/plan/ of it.",
        &["path src/core/plan/"],
    );
    check(
        "---\nglobs: src/api/**, \"*.ts\"\n---\nx",
        &["path src/api/**"],
    );
    check("Needs Python 3.11+.", &["version Python 3.11"]);
}

#[test]
fn command_lines_name_tasks_and_paths() {
    check("`npm run build -- --watch`", &["task Script build"]);
    check(
        "`pnpm -F @a/web dev`",
        &[
            "task Workspace @a/web",
            "task Script dev Package(\"@a/web\")",
        ],
    );
    check("`yarn install`", &[]);
    check("`make -C docs html`", &["task Make html Folder(\"docs\")"]);
    check(
        "`cargo xtask gen` or `cargo test -p core --test cli`",
        &[
            "task CargoAlias xtask",
            "task CargoPackage core",
            "task CargoTarget cli Package(\"core\")",
        ],
    );
    check("`uv run scripts/gen.py`", &["path scripts/gen.py"]);
    check(
        "`tox -e lint && make docs`",
        &["task Tox lint", "task Make docs"],
    );
    check("`go test ./internal/db/...`", &["path ./internal/db"]);
    check(
        "```sh\n$ make test  # all\nFOO=1 just lint\ncd web && cat src/a.ts\n```",
        &["task Make test", "task Just lint", "path web/src/a.ts"],
    );
    check(
        "```\ngit clone https://a.org/b.git\ncd b\ncat src/a.ts\n```",
        &["path src/a.ts"],
    );
    check("`prettier --check src/a.ts`", &["path src/a.ts"]);
    check(
        "`SHOP_KEY=1 FLAGS=\"-a b\" make all`",
        &["variable SHOP_KEY", "task Make all"],
    );
    check("```\nmake all\nvalue = 3\n```", &["task Make all"]);
    check("```\nrun() (src/a.ts)\n```", &["path src/a.ts"]);
    let quoted = "`docker compose exec a sh -c \"make all && node src/a.js\"`";
    check(quoted, &["task Make all", "path src/a.js"]);
}

#[test]
fn a_command_names_the_place_of_its_task() {
    let check = |text: &str, expected: &[&str]| {
        let claims = read(text).claims.into_iter();
        let place = |claim: Claim| match claim.target {
            Target::Task(task) if task.runner != Runner::Workspace => {
                Some(format!("{} {:?}", task.name, task.within))
            }
            _ => None,
        };
        assert_eq!(
            claims.filter_map(place).collect::<Vec<_>>(),
            expected,
            "{text}"
        );
    };
    for (command, expected) in [
        (
            "pnpm --filter=@till/web run build",
            "build Package(\"@till/web\")",
        ),
        ("npm run build --workspace web", "build Package(\"web\")"),
        ("npm run build -w apps/web", "build Folder(\"apps/web\")"),
        ("yarn workspace web build", "build Package(\"web\")"),
        ("yarn --cwd apps/web build", "build Folder(\"apps/web\")"),
        ("bun run --filter web build", "build Package(\"web\")"),
        (
            "deno task --cwd apps/web build",
            "build Folder(\"apps/web\")",
        ),
        ("lerna run build --scope web", "build Package(\"web\")"),
        (
            "turbo run build --filter ./apps/web",
            "build Folder(\"./apps/web\")",
        ),
        ("turbo build --filter=web", "build Package(\"web\")"),
        (
            "pnpm exec turbo run build --filter=web...",
            "build Anywhere",
        ),
        ("npx nx run web:build", "build Package(\"web\")"),
        ("nx build web", "build Package(\"web\")"),
        (
            "make --directory=apps/web build",
            "build Folder(\"apps/web\")",
        ),
        ("cd apps/web && pnpm build", "build Folder(\"apps/web\")"),
        ("(cd apps/web && pnpm build)", "build Folder(\"apps/web\")"),
        ("cd apps && pnpm -C web build", "build Folder(\"apps/web\")"),
        ("cd \"$APP\" && pnpm build", "build Anywhere"),
        ("pnpm -w build", "build Folder(\"/\")"),
        ("pnpm -r build", "build Anywhere"),
        ("pnpm --filter 'apps/*' build", "build Anywhere"),
        ("pnpm --filter web --filter till build", "build Anywhere"),
        ("npm run build -- --filter web", "build Here"),
        (
            "cargo run --manifest-path apps/web/Cargo.toml --bin build",
            "build Folder(\"apps/web/\")",
        ),
    ] {
        check(&format!("`{command}`"), &[expected]);
    }
    let block = "```sh\n(cd apps/web && npm ci)\nnpm run a\npushd apps\nnpm run b\npopd\nnpm run c\ncd till\nnpm run d\n```";
    check(
        block,
        &[
            "a Here",
            "b Folder(\"apps\")",
            "c Here",
            "d Folder(\"till\")",
        ],
    );
    for command in [
        "turbo prune web",
        "nx run-many -t build",
        "npx other run web:build",
        "(run it here)",
    ] {
        check(&format!("`{command}`"), &[]);
    }
}

#[test]
fn trees_are_read_without_their_root() {
    let tree = "```\nshop/\n├── src/\n│   ├── a.py   # main\n│   └── db/\n│       └── s.py\n└── README.md\n```";
    check(
        tree,
        &[
            "path src",
            "path src/a.py",
            "path src/db",
            "path src/db/s.py",
            "path README.md",
        ],
    );
    assert_eq!(read(tree).trees[0].root.as_deref(), Some("shop"));
    check(
        "```\nsrc/\n  db/\n    s.py   # sessions\n  a.py\n```",
        &[
            "path src",
            "path src/db",
            "path src/db/s.py",
            "path src/a.py",
        ],
    );
    // Settings and commands are no tree.
    check(
        "```\na/b.py\nc/d.py 1\nmake e\n```",
        &["path a/b.py", "path c/d.py", "task Make e"],
    );
}

#[test]
fn code_names_what_it_calls_and_settings_what_they_set() {
    check(
        "```python\nfrom shop import open_session, close\nwith open_session(max_size=3) as s:\n    s.doWork()  # not_this()\n```",
        &["symbol open_session", "symbol doWork"],
    );
    check(
        "```ts\n// src/app/main.ts\nconst dir = process.env.CACHE_DIR;\nnew SessionStore(\"call_me()\");\n```",
        &["path src/app/main.ts", "symbol SessionStore"],
    );
    check(
        "```py\nrun_all = make_runner()\nclass MyRunner: ...\nrun_all(MyRunner())\n```",
        &["symbol make_runner"],
    );
    check("```rust\nfn open_session() {}\n```", &[]);
    check(
        "```yaml\nenvironment:\n  - CACHE_DIR=/tmp\n  LOG_LEVEL: debug\n```",
        &["variable CACHE_DIR", "variable LOG_LEVEL"],
    );
}

#[test]
fn the_words_that_govern_a_claim_decide_its_stance() {
    check(
        "Use `a/b.py`. Never edit `a/c.py`.",
        &["path a/b.py", "path a/c.py"],
    );
    check("Never use `a/c.py`.", &["path a/c.py, forbidden"]);
    check(
        "- Old: `a/b.py` was removed\n- Use `a/c.py`",
        &["path a/b.py, absent", "path a/c.py"],
    );
    check("There is no retry in [a](a/b.py)", &["link a/b.py"]);
    check(
        "Call `new_one` instead of `old_one`",
        &[
            "symbol new_one",
            "package new_one",
            "symbol old_one, absent",
            "package old_one, absent",
        ],
    );
    check(
        "Do not create files like `src/a.py`",
        &["path src/a.py, absent"],
    );
    check(
        "- `pkg/a.go`: `Nov 2 2023` - 33.9%",
        &["path pkg/a.go, absent"],
    );
    check("Since 2023-11-02 `pkg/a.go` is used", &["path pkg/a.go"]);
    check(
        "**Since 2023-11-02** `pkg/a.go` is used",
        &["path pkg/a.go"],
    );
    check("Uses `protobuf` for this", &["package protobuf"]);
    check("Uses `protobuf` encoding", &[]);
    check(
        "Run `shop/cart:v2` and `src/a.py:12`",
        &["part src/a.py Line(12)"],
    );
    check(
        "See `app/models:User` and `app/Dockerfile:build`",
        &["path app/models", "path app/Dockerfile"],
    );
    check(
        "A pattern such as `src/**/*.js` matches",
        &["path src/**/*.js, example"],
    );
    check("Tests are `src/**/*.js`", &["path src/**/*.js"]);
    check(
        "# `zod-parser`\n\nUses `zod-parser`",
        &["package zod-parser"],
    );
    check("A package (e.g., `zod-parser`) or `zod`", &["package zod"]);
}

#[test]
fn headings_columns_and_the_words_before_a_list_present_what_follows() {
    check(
        "## Removed\n\n`a/b.py`\n\n### In 2.0\n\n`a/c.py`\n\n## Now\n\n`a/d.py`",
        &["path a/b.py, absent", "path a/c.py, absent", "path a/d.py"],
    );
    check(
        "Never use these:\n\n- `a/b.py`\n- `a/c.py`\n\n`a/d.py`",
        &[
            "path a/b.py, forbidden",
            "path a/c.py, forbidden",
            "path a/d.py",
        ],
    );
    check(
        "| Old | New |\n|---|---|\n| `a/b.py` | `a/c.py` |",
        &["path a/b.py, absent", "path a/c.py"],
    );
    check(
        "```sh\n# Never run this\nmake a\n\nmake b\n```",
        &["task Make a, forbidden", "task Make b"],
    );
}

#[test]
fn what_a_tool_enforces_is_a_rule() {
    check("ruff `T201` enforces this", &["rule ruff T201"]);
    check(
        "CI runs `make lint`",
        &["rule GitHub Actions make lint", "task Make lint"],
    );
    check("Silence it with `# noqa: T201` of ruff", &[]);
}

#[test]
fn a_document_with_headings_of_versions_is_history() {
    assert!(read("# A\n\n## 1.2.0\n\n## 1.1.0 (2024)\n\n## 1.0.0\n").is_history);
    assert!(!read("# A\n\n## 1.1 Setup\n\n## 1.2 Use\n\n## 1.3 Test\n").is_history);
    assert!(!read("# A\n\n## 1.0.0\n\n## Setup\n").is_history);
    let below = "# A\n\n## Use\n\n## Changes\n\n### 1.2.0\n\n### 1.1.0\n\n### 1.0.0\n";
    assert!(!read(below).is_history);
}

#[test]
fn comments_exclude_claims() {
    check(
        "<!-- cerberus: ignore -->\n- `a/b.py`\n- `a/c.py`\n\n`a/d.py`",
        &["path a/c.py", "path a/d.py"],
    );
    check(
        "`a/b.py` <!-- cerberus: ignore -->\n\n`a/d.py`",
        &["path a/d.py"],
    );
    check("`a/b.py`\n\n<!-- cerberus: ignore-file -->\n", &[]);
    assert_eq!(
        read("`a/b.py`\n\n<!-- cerberus: ignore-file -->\n").n_ignored,
        1
    );
}

#[test]
fn spans_are_the_names_in_the_text() {
    let text = "See `src/a.py:12` and [x](./docs/b.md#c), `Session.close()`.";
    let found: Vec<&str> = read(text)
        .claims
        .iter()
        .map(|it| it.span.slice(text))
        .collect();
    assert_eq!(found, ["src/a.py", "./docs/b.md", "close"]);
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in "(`|\\[|\\]\\(|\\)|<!-- cerberus: ignore -->|a/b\\.py|make x|├── |\\{#|: |\n|\\PC){0,60}") {
        for claim in read(&text).claims {
            proptest::prop_assert!(text.get(claim.span.start..claim.span.end).is_some());
        }
        crate::versions::heading_slugs(&text);
    }
}

#[test]
fn html_names_its_links_and_images() {
    check(
        "<a href=\"docs/a.md\"><img src=\"./logo.svg\" width=\"9\"></a>\n\nSee <a href=\"https://a.org\">x</a>.\n",
        &["link docs/a.md", "link ./logo.svg"],
    );
}

#[test]
fn a_path_of_prose_may_name_a_line() {
    check("Source: src/a.ts:110", &["part src/a.ts Line(110)"]);
    check("See https://a.org/b.md and a:b/c.md", &[]);
}

#[test]
fn a_comment_of_an_example_presents_the_lines_below_it() {
    let code = "// Bad: it waits\n#[test]\nload_rows(1);\n\nload_page(2);\n// Good\nload_all(3);\n";
    check(
        &format!("```rust\n{code}```\n"),
        &[
            "symbol load_rows, forbidden",
            "symbol load_page",
            "symbol load_all",
        ],
    );
    check(
        "```ts\n// ❌ wrong - it waits\nloadRows(1);\n```\n",
        &["symbol loadRows, forbidden"],
    );
}

#[test]
fn the_label_of_an_example_presents_it() {
    check(
        "**Before (contexts):**\n\n```ts\nloadRows(1);\n```\n\n**After:**\n\n```ts\nloadAll(1);\n```\n",
        &["symbol loadRows, absent", "symbol loadAll"],
    );
}

#[test]
fn commands_after_a_clone_run_in_its_folder() {
    check(
        "```sh\ngit clone x/shop\ncd shop/tools\n./run.sh\n```\n",
        &["path x/shop", "path shop/tools", "path tools/./run.sh"],
    );
}

#[test]
fn code_in_a_link_to_another_project_may_be_a_package() {
    check(
        "- [**`minimist`**](https://a.org) - for arguments",
        &["package minimist"],
    );
}

#[test]
fn the_folder_of_commands_has_a_limited_length() {
    let text = format!("```sh\n{}```\n", "cd a\n./x.sh\n".repeat(1_000));
    let paths = read(&text).claims.into_iter().map(|it| match it.target {
        Target::Path(FilePath { path, .. }) => path.len(),
        _ => 0,
    });
    // Without a limit the paths of n lines have n * n characters.
    assert!(
        paths
            .max()
            .is_some_and(|longest| (1_000..1_100).contains(&longest))
    );
}

#[test]
fn the_titles_of_a_wide_table_are_not_read() {
    let claim = |title: &str| {
        let table = format!("| {title} | Old |\n|---|---|\n| 1 | `a/b.py` |\n");
        shown(&read(&table).claims[0])
    };
    assert_eq!(claim("Number"), "path a/b.py, absent");
    assert_eq!(claim(&"word ".repeat(1_000)), "path a/b.py");
}

#[test]
fn claims_are_limited_wherever_they_are() {
    let n = MAX_CLAIMS + 2;
    let texts = [
        "- `src/a.py`\n".repeat(n),
        "@src/a.py\n".repeat(n),
        format!("```sh\n{}```\n", "make a\n".repeat(n)),
        format!("```\n.\n{}```\n", "├── a.py\n".repeat(n)),
    ];
    for text in texts {
        let found = read(&text);
        assert_eq!(
            (found.claims.len(), found.is_cut),
            (MAX_CLAIMS, true),
            "{}",
            &text[..30]
        );
    }
    assert!(!read(&"- `src/a.py`\n".repeat(MAX_CLAIMS)).is_cut);
}
