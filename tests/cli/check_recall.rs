//! `check` finds what became false in every form in which documents name it.

use crate::sandbox::Sandbox;

/// Returns the claims that a change makes false: in `files` are the documents and the code, and
/// `change` is run in the repository between their commit and its own.
fn stale(files: &[(&str, &str)], change: &str) -> Vec<String> {
    let sandbox = Sandbox::empty();
    for (path, text) in files {
        sandbox.write(path, text);
    }
    sandbox.commit("start");
    assert!(
        sandbox.shell(change).status().expect("it runs").success(),
        "{change}"
    );
    sandbox.git("add -A");
    sandbox.commit("Change it");
    let report = sandbox.json_of(sandbox.run("check --json"));
    let findings = report["findings"].as_array().expect("a list").iter();
    let shown = |it: &serde_json::Value| {
        format!(
            "{} {}",
            it["line"],
            it["claim"].as_str().unwrap_or_default()
        )
    };
    findings.map(shown).collect()
}

#[test]
fn a_path_that_is_the_end_of_another_one_was_true_where_the_document_said() {
    let code = "def run():\n    return 1\n";
    // A link to a folder that moved, a path from the root, and the name of a file elsewhere.
    let files = [
        (
            "guide/README.md",
            "See [samples](samples), `tools/run.py` and `load_rows.py`.\n",
        ),
        ("guide/samples/a.py", code),
        ("tools/run.py", code),
        ("src/deep/load_rows.py", code),
        ("src/main.py", "# As load_rows.py does.\n"),
    ];
    let change = "mkdir old && mv guide/samples tools old && git rm -q src/deep/load_rows.py";
    assert_eq!(
        stale(&files, change),
        ["1 load_rows.py", "1 samples", "1 tools/run.py"]
    );
    // It moved together with the document.
    let files = [
        ("a/docs/README.md", "`samples/`\n"),
        ("a/samples/a.py", code),
        ("samples/b.py", code),
    ];
    assert!(stale(&files, "git mv a b").is_empty());
    // A command runs it where it was.
    let files = [
        ("README.md", "Run `./run.py`, not only `run.py`.\n"),
        ("run.py", code),
    ];
    assert_eq!(stale(&files, "mkdir lib && mv run.py lib"), ["1 ./run.py"]);
    // The folder is named too.
    let files = [
        ("README.md", "Copy `.env.example` in `web/app/`.\n"),
        (".env.example", "A=1\n"),
        ("web/app/.env.example", "B=2\n"),
        ("web/lib/.env.example", "C=3\n"),
    ];
    assert!(stale(&files, "rm .env.example").is_empty());
    let files = [
        ("README.md", "Copy `.env.example`.\n"),
        files[1],
        files[2],
        files[3],
    ];
    assert_eq!(stale(&files, "rm .env.example"), ["1 .env.example"]);
    // What was never where a reader goes to is not gone.
    let files = [
        ("guide/README.md", "`deep/a.py`\n"),
        ("src/deep/a.py", code),
    ];
    assert!(stale(&files, "mkdir lib && mv src/deep lib").is_empty());
}

#[test]
fn a_tree_draws_the_folder_that_has_most_of_its_paths() {
    let tree = "# Shop\n\n```\nweb/\n├── addons/\n│   └── a.ts\n├── core/\n└── main.ts\n```\n";
    let files = [
        ("README.md", tree),
        ("web/addons/a.ts", "a();\n"),
        ("web/core/b.ts", "b();\n"),
        ("web/main.ts", "c();\n"),
        ("lib/addons/x.ts", "d();\n"),
        ("addons/y.ts", "e();\n"),
    ];
    assert_eq!(
        stale(&files, "git mv web/addons web/plugins"),
        ["5 addons", "6 addons/a.ts"]
    );
    assert_eq!(
        stale(&files, "git mv web/main.ts web/start.ts"),
        ["8 main.ts"]
    );
    // The folder moved as a whole, and the tree is as it was.
    assert!(stale(&files, "mkdir apps && git mv web apps/").is_empty());
}

#[test]
fn commands_name_paths_whatever_their_program_is() {
    let files = [
        (
            "README.md",
            "Run `prettier --check web/a.ts` or `git add docs/b.txt`.\n\n```sh\ncd web\nnode tools/c.js\n```\n",
        ),
        ("web/a.ts", "a();\n"),
        ("docs/b.txt", "b\n"),
        ("web/tools/c.js", "c();\n"),
    ];
    let claims = stale(&files, "git rm -q web/a.ts docs/b.txt web/tools/c.js");
    assert_eq!(claims, ["1 docs/b.txt", "1 web/a.ts", "5 tools/c.js"]);
}

#[test]
fn code_blocks_name_symbols() {
    let files = [
        (
            "README.md",
            "```python\nfrom shop import open_session\nsession = open_session()  # local_name()\n```\n",
        ),
        ("src/shop.py", "def open_session():\n    return connect()\n"),
    ];
    let claims = stale(&files, "sed -i s/open_session/connect_session/ src/shop.py");
    assert_eq!(claims, ["3 open_session"]);
}

#[test]
fn variables_are_read_in_every_language() {
    for (file, code) in [
        ("a.go", "package a\n\nvar dir = os.Getenv(\"CACHE_DIR\")\n"),
        ("a.ts", "const dir = process.env.CACHE_DIR;\n"),
        ("a.py", "import os\n\ndir = os.environ[\"CACHE_DIR\"]\n"),
        (
            "b.py",
            "import os\n\ndir = os.getenv(\n    \"CACHE_DIR\"\n)\n",
        ),
        (
            "a.rs",
            "fn dir() -> String { std::env::var(\"CACHE_DIR\").unwrap() }\n",
        ),
        (
            "A.java",
            "class A { String dir = System.getenv(\"CACHE_DIR\"); }\n",
        ),
        (".env.example", "CACHE_DIR=/tmp\n"),
        (
            "docker-compose.yml",
            "services:\n  a:\n    environment:\n      - CACHE_DIR=/tmp\n",
        ),
    ] {
        let document = "Set `CACHE_DIR`.\n\n```sh\nCACHE_DIR=/tmp ./run\n```\n";
        let change = format!("sed -i s/CACHE_DIR/CACHE_FOLDER/ {file}");
        let claims = stale(&[("README.md", document), (file, code)], &change);
        assert_eq!(claims, ["1 CACHE_DIR", "4 CACHE_DIR"], "{file}");
    }
    // A variable of a library, which may still read it.
    let files = [
        ("README.md", "Set `ACME_KEY`.\n"),
        ("package.json", "{\"dependencies\": {\"acme\": \"1\"}}\n"),
        ("a.ts", "const client = new Acme(process.env.ACME_KEY);\n"),
    ];
    assert!(stale(&files, "echo 'const client = new Acme();' > a.ts").is_empty());
    // One that a build tool passes on.
    let files = [
        ("README.md", "Set `VITE_API_URL=https://example.org`.\n"),
        ("package.json", "{\"dependencies\": {\"vite\": \"1\"}}\n"),
        ("a.ts", "const url = import.meta.env.VITE_API_URL;\n"),
    ];
    assert_eq!(
        stale(&files, "echo 'a();' > a.ts"),
        ["1 VITE_API_URL=https://example.org"]
    );
    // One that a script gives a value.
    let files = [
        ("README.md", "Set `ACME_VERSION`.\n"),
        ("package.json", "{\"dependencies\": {\"acme\": \"1\"}}\n"),
        ("Dockerfile", "FROM a\nARG ACME_VERSION=1\n"),
    ];
    assert_eq!(
        stale(&files, "echo FROM a > Dockerfile"),
        ["1 ACME_VERSION"]
    );
    // Many packages have its first word in their names.
    let files = [
        ("README.md", "Set `TEST_SHOP_KEY`.\n"),
        ("Cargo.toml", "[dependencies]\ntest-log = \"1\"\n"),
        ("a.rs", "fn key() { std::env::var(\"TEST_SHOP_KEY\"); }\n"),
    ];
    assert_eq!(
        stale(&files, "echo 'fn key() {}' > a.rs"),
        ["1 TEST_SHOP_KEY"]
    );
}

#[test]
fn a_task_of_another_folder_or_of_a_computed_rule_does_not_replace_one() {
    let files = [
        (
            "README.md",
            "Run `make lint`, `yarn build:all` or `FLAGS=\"-a -b\" make fast`.\n",
        ),
        ("Makefile", "include a.mk\nlint:\n\tx\nfast:\n\ty\n"),
        ("a.mk", "$(TOOLS):\n\tz\n"),
        ("docs/Makefile", "lint:\n\tx\n"),
        ("package.json", "{\"scripts\": {\"build:all\": \"x\"}}\n"),
        (
            "web/package.json",
            "{\"scripts\": {\"build:all\": \"x\"}}\n",
        ),
        ("vendor/tool/Makefile", "fast:\n\tx\n"),
    ];
    let change =
        "sed -i 's/lint/check/; s/fast/quick/' Makefile && sed -i s/build/make/ package.json";
    assert_eq!(
        stale(&files, change),
        ["1 make fast", "1 make lint", "1 yarn build:all"]
    );
    let manifest = "{\"scripts\": {\"start\": \"x\", \"test\": \"y\"}}\n";
    let files_of_npm = [
        (
            "README.md",
            "Run `pnpm start`, `npm test` or `./gradlew`.\n",
        ),
        ("package.json", manifest),
        ("gradlew", "x\n"),
        ("gradlew.bat", "x\n"),
    ];
    let change = "echo '{}' > package.json && git rm -q gradlew";
    assert_eq!(
        stale(&files_of_npm, change),
        ["1 ./gradlew", "1 npm test", "1 pnpm start"]
    );
    // Where it is made now is said elsewhere.
    let document = "From the `docs` folder:\n\n```sh\nmake lint\n```\n";
    let files_of_docs = [("README.md", document), files[1], files[3]];
    assert!(stale(&files_of_docs, "sed -i s/lint/check/ Makefile").is_empty());
    // The runner reads the manifest beside the document.
    let files_of_web = [
        ("web/README.md", "Run `npm run build:all`.\n"),
        files[4],
        files[5],
    ];
    let change = "echo '{}' > web/package.json";
    assert_eq!(stale(&files_of_web, change), ["1 npm run build:all"]);
    assert!(stale(&files_of_web, "sed -i s/x/y/ package.json web/package.json").is_empty());
    // A new rule of another makefile does not make it.
    let change = "sed -i s/lint/check/ Makefile && printf '%%:\\n\\tx\\n' > web/Makefile";
    assert_eq!(stale(&files, change), ["1 make lint"]);
    // A rule that is new may make it.
    let change = "printf '%%:\\n\\tx\\n' > Makefile && git rm -q docs/Makefile";
    assert_eq!(stale(&files[..4], change), [""; 0]);
}

#[test]
fn a_dependency_ends_although_its_name_is_still_a_word_of_code() {
    let files = [
        (
            "README.md",
            "Tests use [syrupy](https://example.org/syrupy) and `respx`.\n",
        ),
        ("requirements.txt", "syrupy\nrespx\n"),
        ("e2e/test_data/requirements.txt", "syrupy\n"),
        ("a.py", "import respx\n"),
        ("b.py", "# Once we used it.\nsyrupy = None\n"),
    ];
    assert_eq!(stale(&files, "echo > requirements.txt"), ["1 syrupy"]);
    assert!(stale(&files, "git mv requirements.txt dev-requirements.txt").is_empty());
    let change = "git rm -q requirements.txt && printf '[submodule]\\n\\turl = git@a.org:b/syrupy.git\\n' > .gitmodules";
    assert!(stale(&files, change).is_empty());
    // A name of one word, and a link, are of the package of the document.
    let files = [
        (
            "docs/README.md",
            "The level is `debug`, as in [pretty-log](https://example.org).\n",
        ),
        (
            "CLAUDE.md",
            "We use `debug`, as [pretty-log](https://example.org) does.\n",
        ),
        (
            "web/README.md",
            "We use `debug` and [pretty-log](https://example.org).\n",
        ),
        (
            "web/app/package.json",
            "{\"dependencies\": {\"debug\": \"1\", \"pretty-log\": \"1\"}}\n",
        ),
    ];
    let change = "echo '{}' > web/app/package.json";
    assert_eq!(
        stale(&files, change),
        ["1 debug", "1 debug", "1 pretty-log"]
    );
    // The project of a submodule that went.
    let modules =
        "[submodule \"kit\"]\n\tpath = kit\n\turl = https://example.org/b/pretty-log.git\n";
    let files = [
        ("README.md", "We use [pretty-log](https://example.org).\n"),
        (".gitmodules", modules),
    ];
    assert!(stale(&files, "git rm -q .gitmodules").is_empty());
    // A module of Go.
    let files = [
        ("README.md", "We use `example.org/shop/errors`.\n"),
        (
            "go.mod",
            "module example.org/a/b\n\nrequire example.org/shop/errors v1.2.0\n",
        ),
        ("a.go", "package a\n\nimport \"errors\"\n"),
    ];
    assert_eq!(
        stale(&files, "sed -i /require/d go.mod"),
        ["1 example.org/shop/errors"]
    );
    // Its settings stay.
    let manifest = "[project]\ndependencies = [\"ruff\"]\n[tool.ruff]\nline-length = 90\n";
    let files = [
        ("README.md", "We lint with `ruff`.\n"),
        ("pyproject.toml", manifest),
    ];
    let change = "sed -i 's/\"ruff\"//' pyproject.toml";
    assert_eq!(stale(&files, change), ["1 ruff"]);
    assert!(stale(&files, &format!("{change} && echo > ruff.toml")).is_empty());
    // A feature of that name has another dependency now.
    let manifest =
        "[package]\nname = \"a\"\n[dependencies]\nlz4 = { version = \"1\", optional = true }\n";
    let files = [
        ("README.md", "It compresses with `lz4`.\n"),
        ("Cargo.toml", manifest),
    ];
    let change = "sed -i 's/^lz4 =/lz4_flex =/' Cargo.toml";
    assert_eq!(stale(&files, change), ["1 lz4"]);
    let change = format!("{change} && printf '[features]\\nlz4 = [\"lz4_flex\"]\\n' >> Cargo.toml");
    assert!(stale(&files, &change).is_empty());
    // A name that was one of a dependency and of a function is one error.
    let files = [
        ("README.md", "It uses `load_rows`.\n"),
        ("requirements.txt", "load_rows\n"),
        ("a.py", "def load_rows():\n    return 1\n"),
    ];
    assert_eq!(
        stale(&files, "git rm -q a.py requirements.txt"),
        ["1 load_rows"]
    );
}

#[test]
fn the_name_of_a_file_is_not_one_of_a_longer_name_in_code() {
    let files = [
        (
            "README.md",
            "Add it to `build.gradle`, not to `package.json`.\n",
        ),
        ("build.gradle", "plugins {}\n"),
        ("package.json", "{}\n"),
        (
            "src/a.py",
            "# see build.gradle\nFILES = [\"build.gradle.kts\", \"package.json\"]\n",
        ),
    ];
    let change = "git rm -q build.gradle package.json";
    assert_eq!(stale(&files, change), ["1 build.gradle"]);
    // The document of a folder means the file beside it, although a program reads it.
    let files = [
        ("docs/README.md", "Pages are listed in `site.yml`.\n"),
        ("docs/site.yml", "a: 1\n"),
        ("src/a.py", "FILES = [\"site.yml\"]\n"),
    ];
    assert_eq!(stale(&files, "git rm -q docs/site.yml"), ["1 site.yml"]);
    // A name of several files is that of a kind of file.
    let files = [files[0], files[1], ("web/site.yml", "a: 2\n"), files[2]];
    assert!(stale(&files, "git rm -q docs/site.yml").is_empty());
}

#[test]
fn a_method_is_that_of_its_class() {
    let files = [
        ("AGENTS.md", "Call `Accounts.register` once.\n"),
        (
            "app/accounts.py",
            "class Accounts:\n    def register(self, name):\n        return name\n",
        ),
        // The other class is named in a comment only.
        (
            "app/sessions.py",
            "# As Accounts does.\nclass Sessions:\n    def register(self, name):\n        return 1\n",
        ),
    ];
    assert_eq!(
        stale(&files, "git rm -q app/accounts.py"),
        ["1 Accounts.register"]
    );
}

#[test]
fn the_manifests_of_a_workspace_are_read_anywhere() {
    let files = [
        (
            "samples/a/README.md",
            "Run `cargo run --features isolation`.\n",
        ),
        ("Cargo.toml", "[workspace]\nmembers = [\"*/app\"]\n"),
        (
            "core/app/Cargo.toml",
            "[package]\nname = \"app\"\n[features]\nisolation = []\n",
        ),
    ];
    assert!(stale(&files, "git mv core crates").is_empty());
    let change = "git mv core crates && sed -i /isolation/d crates/app/Cargo.toml";
    assert_eq!(stale(&files, change), ["1 cargo run --features isolation"]);
    // Its root may be a folder, and the document in another member.
    let files = [
        ("rust/gateway/README.md", "Run `cargo run --bin mock`.\n"),
        ("rust/gateway/Cargo.toml", "[package]\nname = \"gateway\"\n"),
        ("rust/Cargo.toml", "[workspace]\nmembers = [\"*\"]\n"),
        ("rust/core/mock/Cargo.toml", "[package]\nname = \"mock\"\n"),
    ];
    assert!(stale(&files, "git mv rust/core rust/tests").is_empty());
    assert_eq!(
        stale(&files, "git rm -q rust/core/mock/Cargo.toml"),
        ["1 cargo run --bin mock"]
    );
}

#[test]
fn a_file_that_git_ignores_since_then_may_be_generated_where_it_was() {
    let files = [
        (
            "docs/README.md",
            "Validate `api-merged.yaml` in the editor.\n",
        ),
        ("openapi/api-merged.yaml", "a: 1\n"),
        ("openapi/models.json", "{}\n"),
    ];
    let change = "git rm -q openapi/api-merged.yaml";
    assert_eq!(stale(&files, change), ["1 api-merged.yaml"]);
    let change = format!("{change} && echo '/*.yaml' > openapi/.gitignore");
    assert!(stale(&files, &change).is_empty());
}

#[test]
fn a_dependency_of_one_platform_is_one() {
    let manifest =
        "[package]\nname = \"shop\"\n\n[target.'cfg(unix)'.dependencies]\nskim = \"1\"\n";
    let files = [
        ("AGENTS.md", "The picker uses `skim`.\n"),
        ("Cargo.toml", manifest),
        (
            "src/main.rs",
            "// Keys are read by us, as from skim.\nuse crate::skim::Keys;\n",
        ),
    ];
    assert_eq!(stale(&files, "sed -i s/skim/other/ Cargo.toml"), ["1 skim"]);
}

#[test]
fn code_of_which_most_names_never_existed_shows_an_idea() {
    let code =
        "is_merged = check_merge()\nshow_message(is_merged)\nrun_later(make_command(is_merged))\n";
    let document = |more: &str| format!("# A\n\n```python\n{code}{more}```\n");
    let tools = "def run_later(it):\n    return it\n";
    let change = "sed -i s/run_later/start/ tools.py";
    let idea = document("");
    assert!(stale(&[("AGENTS.md", &idea), ("tools.py", tools)], change).is_empty());
    let use_of_it = document("load_rows(1)\nload_all(2)\nload_page(3)\n");
    let more =
        "def load_rows(it):\n    pass\ndef load_all(it):\n    pass\ndef load_page(it):\n    pass\n";
    let files = [
        ("AGENTS.md", &*use_of_it),
        ("tools.py", tools),
        ("more.py", more),
    ];
    assert_eq!(stale(&files, change), ["6 run_later"]);
}

#[test]
fn a_tracked_document_is_read_though_an_ignore_file_names_it() {
    let files = [
        ("tool/README.md", "Call `load_rows()`.\n"),
        ("a.py", "def load_rows():\n    pass\n"),
    ];
    let change = "echo tool > .gitignore && sed -i s/load_rows/load_all/ a.py";
    assert_eq!(stale(&files, change), ["1 load_rows()"]);
}

#[test]
fn a_tracked_file_is_gone_though_an_ignore_file_names_it_and_a_generated_one_is_not() {
    let document = "See `dist/a.js`, the folders `dist/` and `/dist`, and `web/data/b.json`.\n";
    let files = [
        ("README.md", document),
        (".gitignore", "dist/\ndata/\n"),
        ("dist/a.js", "a();\n"),
        ("web/data/b.json", "{}\n"),
    ];
    let sandbox = Sandbox::empty();
    for (path, text) in files {
        sandbox.write(path, text);
    }
    sandbox.git("add -A --force");
    sandbox.git("commit -q -m start");
    sandbox.git("rm -q web/data/b.json");
    sandbox.commit("Remove the data");
    let check = |expected: &[&str]| {
        let report = sandbox.json_of(sandbox.run("check --json"));
        let findings = report["findings"].as_array().expect("a list").iter();
        let claims: Vec<&str> = findings.filter_map(|it| it["claim"].as_str()).collect();
        assert_eq!(claims, expected);
    };
    check(&["web/data/b.json"]);
    // A folder that is generated since.
    sandbox.write(".gitignore", "data/\n/dist/\n");
    sandbox.git("rm -q -r --cached dist");
    sandbox.remove("dist/a.js");
    sandbox.commit("Generate it");
    check(&["web/data/b.json"]);
}

#[test]
#[cfg(unix)]
fn a_path_beyond_a_symbolic_link_does_not_hide_what_is_ignored() {
    let files = [
        ("README.md", "See `real/out/` and `link/out/`.\n"),
        ("real/out/a.js", "a();\n"),
        ("real/b.js", "b();\n"),
    ];
    let change = "ln -s real link && git rm -q -r real/out && echo out/ > .gitignore";
    assert!(stale(&files, change).is_empty());
}

#[test]
fn a_string_with_the_old_path_does_not_hide_a_moved_file() {
    let files = [
        (
            "README.md",
            "The models are in `src/models.py`, the settings in `conf/local.toml`.\n",
        ),
        (
            "src/models.py",
            "class Order:\n    def total(self):\n        return sum(self.rows)\n",
        ),
        ("conf/local.toml", "a = 1\n"),
        (
            "lib/build.py",
            "PATHS = [\"src/models.py\", \"conf/local.toml\"]\n",
        ),
    ];
    // A file that a program reads may be the reader's.
    let change = "git mv src/models.py src/orders.py && git rm -q conf/local.toml";
    assert_eq!(stale(&files, change), ["1 src/models.py"]);
}

#[test]
fn a_link_between_pages_of_a_site_is_one_between_their_files() {
    let files = [
        ("README.md", "[First](docs/guide/first.md)\n"),
        (
            "docs/guide/first.md",
            "See [the second](../second/) and [this](../second/#more).\n",
        ),
        ("docs/guide/second.md", "# Second\n\n## More\n"),
        ("docs/second/index.md", "# Another\n"),
    ];
    assert!(stale(&files, "git rm -rq docs/second").is_empty());
}

#[test]
fn modules_windows_paths_declarations_and_bare_names_are_claims() {
    let files = [
        (
            "AGENTS.md",
            "Start with `python -m shop.till`, which is `shop.stock:count`.\n\nSee `docs\\guide.md`, `class DayBook` and the workflow `ship.yml`.\n",
        ),
        ("shop/till.py", "x = 1\n"),
        ("shop/stock.py", "def count():\n    return 1\n"),
        ("shop/book.ts", "export class DayBook { a() {} }\n"),
        ("docs/guide.md", "# Guide\n"),
        ("ci/deep/ship.yml", "on: push\n"),
    ];
    let change = "git rm -rq shop docs ci && echo 1 > keep.txt";
    assert_eq!(
        stale(&files, change),
        [
            "1 python -m shop.till",
            "1 shop.stock:count",
            "3 class DayBook",
            "3 docs\\guide.md",
            "3 ship.yml",
        ]
    );
}

#[test]
fn each_root_of_a_block_of_trees_is_a_folder() {
    let tree = "```\nweb/\n└── page.ts\nserver/\n├── main.py\n└── rows.py\n```\n";
    let files = [
        ("AGENTS.md", tree),
        ("web/page.ts", "export {}\n"),
        ("server/main.py", "x = 1\n"),
        ("server/rows.py", "x = 1\n"),
    ];
    assert_eq!(
        stale(&files, "git rm -q server/rows.py"),
        ["6 server/rows.py"]
    );
}

#[test]
fn code_beside_a_document_counts_as_use_in_any_folder() {
    let files = [
        ("external/kit/README.md", "Set `KIT_BACKEND`.\n"),
        (
            "external/kit/run.py",
            "import os\nB = os.environ['KIT_BACKEND']\n",
        ),
        ("run.py", "import os\nB = os.environ['KIT_BACKEND']\n"),
    ];
    let sandbox = Sandbox::empty();
    for (path, text) in files {
        sandbox.write(path, text);
    }
    sandbox.commit("start");
    sandbox.write("run.py", "pass\n");
    sandbox.commit("Change it");
    let report = sandbox.json_of(sandbox.run("check external/kit/README.md --json"));
    assert_eq!(report["findings"], serde_json::json!([]));
}
