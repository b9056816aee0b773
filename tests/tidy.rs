//! Checks of the source tree: layers, owners of external crates, shape of source files, wording,
//! generated completions and man pages, README and changelog.
//!
//! Each check returns its faults, one line each with the location and what to do.
//! `UPDATE=1 cargo test --locked --test tidy` rewrites the generated files.
#![expect(
    clippy::disallowed_methods,
    reason = "these checks read the source tree and rewrite generated files"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lexer::{Lexed, is_word};

#[path = "tidy/generated.rs"]
mod generated;
#[path = "tidy/lexer.rs"]
mod lexer;
#[path = "tidy/wording.rs"]
mod wording;

/// The layer of each top-level module, times ten: a module uses modules of a lower number only.
///
/// The number before the last digit is the layer of the code map in `src/lib.rs`. Layers 2 and 4
/// are ordered inside: `engine` uses `store` and `tree`; `commands` use `output`, which writes to
/// the streams that `config` describes.
const LAYERS: &[(&str, u32)] = &[
    ("error", 0),
    ("model", 0),
    ("file_stat", 0),
    ("regular_file", 0),
    ("text", 0),
    ("timings", 0),
    ("markdown", 10),
    ("syntax", 10),
    ("tokens", 10),
    ("bank", 20),
    ("store", 20),
    ("tree", 20),
    ("engine", 25),
    ("ops", 30),
    ("config", 40),
    ("output", 41),
    ("commands", 45),
    ("mcp", 50),
    ("cli", 60),
    ("lib", 70),
    ("main", 80),
];

/// Who may use an external crate.
enum Owner {
    Only(&'static [&'static str]),
    /// Modules of this layer and higher ones.
    AtLeast(u32),
    /// Words of every layer.
    All,
}
use Owner::{All, AtLeast, Only};

/// The owners of each package in `[dependencies]`.
const OWNERS: &[(&str, Owner)] = &[
    ("anstyle", Only(&["output"])),
    ("anyhow", AtLeast(20)),
    ("base64", Only(&["syntax"])),
    ("clap", Only(&["config", "ops", "commands", "mcp", "cli", "lib"])),
    ("clap_complete", Only(&["cli", "commands"])),
    ("comfy-table", Only(&["output"])),
    ("console", Only(&["output"])),
    ("fst", Only(&["tokens"])),
    ("globset", Only(&["text"])),
    ("hmac", Only(&["store"])),
    ("ignore", Only(&["tree"])),
    ("indicatif", Only(&["output"])),
    ("jiff", Only(&["model", "markdown", "ops", "config", "commands"])),
    ("jsonc-parser", Only(&["commands"])),
    ("maud", Only(&["commands"])),
    ("memchr", Only(&["text", "markdown", "syntax", "tree", "engine", "ops"])),
    ("mimalloc", Only(&["main"])),
    ("petgraph", Only(&["ops"])),
    ("postcard", Only(&["ops", "engine"])),
    ("pulldown-cmark", Only(&["markdown"])),
    ("rayon", Only(&["bank", "engine", "ops", "commands"])),
    ("regex", Only(&["tokens", "syntax", "engine"])),
    ("rmcp", Only(&["mcp"])),
    ("rusqlite", Only(&["store"])),
    ("rust-stemmers", Only(&["engine"])),
    ("rustc-hash", All),
    ("rustix", Only(&["bank"])),
    ("serde", All),
    ("serde-saphyr", Only(&["markdown", "engine"])),
    // `commands` reads the rules of `anchor-test --rules`.
    ("serde_json", Only(&["engine", "ops", "commands", "mcp", "output"])),
    ("sha2", Only(&["bank", "store"])),
    ("similar", Only(&["tree", "engine", "ops", "commands"])),
    ("strsim", Only(&["text", "engine"])),
    ("strum", Only(&["model"])),
    // `commands` creates the folder of the demo.
    ("tempfile", Only(&["bank", "store", "ops", "commands"])),
    ("terminal_size", Only(&["config"])),
    ("thread_local", Only(&["engine"])),
    ("tokio", Only(&["mcp"])),
    ("toml", Only(&["text", "bank", "engine", "config"])),
    ("toml_edit", Only(&["bank"])),
    ("tree-sitter", Only(&["syntax"])),
    ("tree-sitter-go", Only(&["syntax"])),
    ("tree-sitter-java", Only(&["syntax"])),
    ("tree-sitter-javascript", Only(&["syntax"])),
    ("tree-sitter-python", Only(&["syntax"])),
    ("tree-sitter-rust", Only(&["syntax"])),
    ("tree-sitter-typescript", Only(&["syntax"])),
    ("walkdir", Only(&["bank"])),
    ("xxhash-rust", Only(&["syntax", "engine", "ops", "config", "commands"])),
];

/// Packages that any unit test may use.
const FREE_IN_TESTS: &[&str] = &["sha2", "tempfile", "toml"];

/// How many packages `Cargo.toml` names. Raising one takes a sentence on what the new package replaces.
const N_DEPENDENCIES: usize = 49;
const N_DEV_DEPENDENCIES: usize = 3;

const MAX_LINES: usize = 600;

const WORKFLOWS: [&str; 2] = [".github/workflows/ci.yml", ".github/workflows/release.yml"];

/// The version that may be without a release in the changelog.
const FIRST_VERSION: &str = "0.1.0";

#[test]
fn sources_respect_layers_crate_owners_and_shape() {
    assert_none(sources().iter().flat_map(|(path, text)| faults(path, text)).collect());
}

#[test]
fn tables_match_the_source_tree() {
    let sources = sources();
    let modules: BTreeSet<&str> = sources.iter().map(|(path, _)| module(path)).collect();
    let mut wrong: Vec<String> = LAYERS
        .iter()
        .filter(|(name, _)| !modules.contains(name))
        .map(|(name, _)| format!("tests/tidy.rs: LAYERS has `{name}`, src/ has not"))
        .collect();
    wrong.extend(map_faults(&read("src/lib.rs")));

    let manifest: toml::Table = read("Cargo.toml").parse().expect("Cargo.toml is TOML");
    let (packages, dev_packages) =
        (packages(&manifest, "dependencies"), packages(&manifest, "dev-dependencies"));
    let owned: BTreeSet<&str> = OWNERS.iter().map(|(package, _)| *package).collect();
    for package in packages.symmetric_difference(&owned) {
        wrong.push(format!("`{package}` is only in one of Cargo.toml and OWNERS of tests/tidy.rs"));
    }
    let lexed: Vec<Lexed> = sources.iter().map(|(_, text)| Lexed::new(text)).collect();
    for package in &packages {
        if !lexed.iter().any(|source| source.names_crate(&crate_name(package))) {
            wrong.push(format!("Cargo.toml: nothing in src/ uses `{package}`"));
        }
    }
    assert_none(wrong);
    let counts = (packages.len(), dev_packages.len());
    assert_eq!(counts, (N_DEPENDENCIES, N_DEV_DEPENDENCIES), "packages that Cargo.toml names");
}

#[test]
fn readme_lists_each_dependency() {
    let manifest: toml::Table = read("Cargo.toml").parse().expect("Cargo.toml is TOML");
    let tables = ["dependencies", "dev-dependencies"];
    let wanted: BTreeSet<&str> =
        tables.iter().flat_map(|table| packages(&manifest, table)).collect();
    let readme = read("README.md");
    let (_, rest) = readme.split_once("\n## Dependencies\n").expect("a part of the README");
    let part = rest.split("\n## ").next().unwrap_or_default();
    // The first cell of a row may name several.
    let rows = part.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    let listed: BTreeSet<&str> =
        rows.flat_map(|cell| cell.split(", ")).map(|it| it.trim_matches('`')).collect();
    let differing = wanted.symmetric_difference(&listed);
    assert_none(
        differing
            .map(|it| {
                format!(
                    "README.md: `{it}` is not both in Cargo.toml and in the table of dependencies"
                )
            })
            .collect(),
    );
}

#[test]
fn actions_and_python_packages_are_pinned_by_hash() {
    let mut faults = Vec::new();
    let is_hash = |text: &str| text.len() == 40 && text.bytes().all(|it| it.is_ascii_hexdigit());
    for path in [&WORKFLOWS[..], &["action.yml", ".ci/run", "README.md"]].concat() {
        for (line, text) in read(path).lines().enumerate() {
            let action = text.trim_start().trim_start_matches("- ").strip_prefix("uses: ");
            let version = action.and_then(|it| it.split(['@', ' ']).nth(1));
            let is_pinned = version.is_none_or(is_hash)
                && (!text.contains("pip install ") && !text.contains("pip\" install ")
                    || text.contains(" --require-hashes "));
            if !is_pinned {
                faults.push(format!("{path}:{}: pin it by hash: {text}", line + 1));
            }
        }
    }
    assert_none(faults);
}

#[test]
fn workflows_are_yaml_with_least_permissions() {
    for path in WORKFLOWS {
        let workflow: serde_json::Value = serde_saphyr::from_str(&read(path))
            .unwrap_or_else(|error| panic!("`{path}` is not valid YAML: {error}"));
        let permissions = &workflow["permissions"];
        assert_eq!(*permissions, serde_json::json!({ "contents": "read" }), "{path}");
    }
}

#[test]
fn the_lock_file_of_the_fuzz_targets_has_the_dependencies_of_the_package() {
    let manifest: toml::Table = read("Cargo.toml").parse().expect("Cargo.toml is TOML");
    let lock: toml::Table = read("tests/fuzz/Cargo.lock").parse().expect("Cargo.lock is TOML");
    let locked = lock["package"].as_array().expect("a list").iter();
    let mut locked = locked.filter(|package| package["name"].as_str() == Some("cerberus-memory"));
    let package = locked.next().expect("the package itself");
    // `name version` names one of several locked versions of a package.
    let names = package["dependencies"].as_array().expect("a list").iter();
    let names: BTreeSet<&str> = names.filter_map(|name| name.as_str()?.split(' ').next()).collect();
    let differing = packages(&manifest, "dependencies");
    let differing = differing.symmetric_difference(&names);
    let advice = "run `cargo update -p cerberus-memory --manifest-path tests/fuzz/Cargo.toml`";
    assert_none(
        differing
            .map(|name| format!("tests/fuzz/Cargo.lock: `{name}` differs: {advice}"))
            .collect(),
    );
}

#[test]
fn changelog_has_an_entry_for_this_version() {
    assert_none(changelog_faults(&read("CHANGELOG.md"), env!("CARGO_PKG_VERSION")));
}

/// Returns the faults of a changelog. The newest release in it must be the version of
/// `Cargo.toml`, with a date; before the first release it may have `[Unreleased]` alone.
fn changelog_faults(changelog: &str, version: &str) -> Vec<String> {
    let headings: Vec<&str> =
        changelog.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let mut faults = Vec::new();
    let releases = match &headings[..] {
        ["[Unreleased]", releases @ ..] => releases,
        releases => releases,
    };
    for heading in releases {
        let is_dated = heading.split_once("] - ").is_some_and(|(name, date)| {
            let is_digit_or_dash = |c: char| c.is_ascii_digit() || c == '-';
            name.starts_with('[') && date.len() == 10 && date.chars().all(is_digit_or_dash)
        });
        if !is_dated {
            faults.push(format!("CHANGELOG.md: `## {heading}` is not `## [VERSION] - YYYY-MM-DD`"));
        }
    }
    let is_newest = match releases.first() {
        Some(newest) => newest.starts_with(&format!("[{version}]")),
        None => version == FIRST_VERSION && !headings.is_empty(),
    };
    if !is_newest {
        faults.push(format!(
            "CHANGELOG.md: the newest release is not the version of Cargo.toml, {version}"
        ));
    }
    faults
}

/// Returns the packages of a table, those for some platforms among them.
fn packages<'a>(manifest: &'a toml::Table, table: &str) -> BTreeSet<&'a str> {
    let platforms = manifest.get("target").and_then(|it| it.as_table());
    let platforms = platforms.into_iter().flat_map(|it| it.values());
    let tables = platforms.filter_map(|it| it.get(table)).chain(manifest.get(table));
    tables.filter_map(|it| it.as_table()).flat_map(|it| it.keys().map(String::as_str)).collect()
}

fn assert_none(faults: Vec<String>) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path))
        .unwrap_or_else(|error| panic!("failed to read `{path}`: {error}"))
}

/// Returns the path, with `/`, and the text of each source file.
fn sources() -> Vec<(String, String)> {
    let mut folders = vec![root().join("src")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let inside = path.strip_prefix(root()).expect("below the root");
                let path = inside.to_string_lossy().replace('\\', "/");
                let text = read(&path);
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("`{}`: {error}", folder.display()));
    entries.map(|entry| entry.expect("a readable folder").path()).collect()
}

/// Returns the top-level module that `src/a.rs` or `src/a/b.rs` belongs to.
fn module(path: &str) -> &str {
    let inside = path.strip_prefix("src/").unwrap_or(path);
    inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs")
}

fn layer(module: &str) -> Option<u32> {
    LAYERS.iter().find(|(name, _)| *name == module).map(|(_, layer)| *layer)
}

fn crate_name(package: &str) -> String {
    package.replace('-', "_")
}

/// Returns what is wrong with one source file.
fn faults(path: &str, text: &str) -> Vec<String> {
    let mut found: Vec<(usize, String)> = Vec::new();
    if !text.starts_with("//!") {
        found.push((1, "a file opens with `//!`".to_owned()));
    }
    let n_lines = text.lines().count();
    if n_lines > MAX_LINES {
        found.push((n_lines, format!("more than {MAX_LINES} lines: look for the second idea")));
    }
    let lexed = Lexed::new(text);
    for comment in &lexed.comments {
        let mut words = comment.text.split(|c: char| !is_word(c));
        if let Some(word) =
            words.find(|word| ["todo", "fixme"].iter().any(|it| word.eq_ignore_ascii_case(it)))
        {
            found.push((comment.line, format!("`{word}`: do it, or write an issue")));
        }
    }
    let Some(own) = layer(module(path)) else {
        found.push((1, format!("module `{}` is not in LAYERS of tests/tidy.rs", module(path))));
        return located(path, found);
    };
    let is_test_file = path.ends_with("/tests.rs") || path.contains("/tests/");
    let blocks = lexed.blocks(is_test_file);
    for (at, block) in blocks.iter().enumerate() {
        let line = lexed.tokens[at].0;
        for used in lexed.modules_named(at, depth(path) + block.mods) {
            if used == module(path) {
                continue;
            }
            let fault = match layer(used) {
                None => {
                    format!("`{used}` is no top-level module: write `crate::` and one in LAYERS")
                }
                Some(other) if other >= own => {
                    format!("`{}` ({}) uses `{used}` ({})", module(path), shown(own), shown(other))
                }
                Some(_) => continue,
            };
            found.push((line, fault));
        }
        if lexed.is_crate_path(at)
            && let Some((package, owner)) =
                OWNERS.iter().find(|it| crate_name(it.0) == lexed.token(at))
            && !(block.is_test && FREE_IN_TESTS.contains(package))
        {
            let is_allowed = match owner {
                Only(modules) => modules.contains(&module(path)),
                AtLeast(least) => own >= *least,
                All => true,
            };
            if !is_allowed {
                found.push((line, format!("`{}` does not own `{package}`", module(path))));
            }
        }
        if !block.is_test && lexed.is(at, &["[", "allow", "("]) {
            found.push((
                line,
                "`allow` hides a lint for good: write `expect` with a reason".to_owned(),
            ));
        }
        if !block.is_test && lexed.is(at, &[".", "unwrap", "(", ")"]) {
            found.push((line, "`unwrap`: write `expect` with why it holds".to_owned()));
        }
    }
    located(path, found)
}

fn located(path: &str, mut found: Vec<(usize, String)>) -> Vec<String> {
    found.sort();
    found.into_iter().map(|(line, fault)| format!("{path}:{line}: {fault}")).collect()
}

/// Returns how many modules deep a file is: `src/a.rs` and `src/a/mod.rs` 1, `src/a/b.rs` 2.
fn depth(path: &str) -> usize {
    let is_root = path == "src/lib.rs" || path == "src/main.rs";
    path.matches('/').count() - usize::from(is_root || path.ends_with("/mod.rs"))
}

fn shown(layer: u32) -> String {
    format!("layer {}", f64::from(layer) / 10.0)
}

/// Returns the modules whose layer the code map of `src/lib.rs` does not tell as LAYERS does.
fn map_faults(lib: &str) -> Vec<String> {
    let is_mapped = |name: &str, layer: u32| {
        let start = format!("//! | {} | ", layer / 10);
        let name = format!("`{name}`");
        lib.lines().filter_map(|line| line.strip_prefix(&start)).any(|row| {
            let modules = row.split('|').next().unwrap_or_default();
            modules.split(", ").any(|it| it.trim() == name)
        })
    };
    let inside = LAYERS.iter().filter(|(_, layer)| *layer < 70);
    inside
        .filter(|(name, layer)| !is_mapped(name, *layer))
        .map(|(name, layer)| {
            format!("src/lib.rs: the code map has no `{name}` in layer {}", layer / 10)
        })
        .collect()
}

// The checks themselves, on texts that are wrong on purpose.

#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(faults(path, text), expected);
}

#[test]
fn a_use_of_a_higher_layer_is_reported() {
    check("src/markdown/a.rs", "//! A.\nuse crate::model::Id;\nuse crate::markdown::b;\n", &[]);
    check(
        "src/markdown/a.rs",
        "//! A.\nfn f() {\n    crate::store::open();\n}\n",
        &["src/markdown/a.rs:3: `markdown` (layer 1) uses `store` (layer 2)"],
    );
    check(
        "src/bank/mod.rs",
        "//! A.\n#[cfg(test)]\nmod tests {\n    use crate::{error::{UserError, b}, tree, output::X};\n}\n",
        &[
            "src/bank/mod.rs:4: `bank` (layer 2) uses `output` (layer 4.1)",
            "src/bank/mod.rs:4: `bank` (layer 2) uses `tree` (layer 2)",
        ],
    );
    check(
        "src/config.rs",
        "//! A.\nuse crate::output;\n",
        &["src/config.rs:2: `config` (layer 4) uses `output` (layer 4.1)"],
    );
    check(
        "src/new.rs",
        "//! A.\n",
        &["src/new.rs:1: module `new` is not in LAYERS of tests/tidy.rs"],
    );
}

#[test]
fn a_use_through_super_is_reported() {
    check(
        "src/ops/a/b.rs",
        "//! A.\nuse super::super::c;\nmod d {\n    use super::super::super::e;\n}\n",
        &[],
    );
    check(
        "src/text.rs",
        "//! A.\nuse super::ops::a;\n",
        &["src/text.rs:2: `text` (layer 0) uses `ops` (layer 3)"],
    );
    check(
        "src/markdown/a.rs",
        "//! A.\nmod tests {\n    use super::super::super::store;\n}\n",
        &["src/markdown/a.rs:3: `markdown` (layer 1) uses `store` (layer 2)"],
    );
    check(
        "src/markdown/a.rs",
        "//! A.\nuse crate::*;\n",
        &["src/markdown/a.rs:2: `*` is no top-level module: write `crate::` and one in LAYERS"],
    );
}

#[test]
fn a_use_of_a_foreign_crate_is_reported() {
    check("src/store/a.rs", "//! A.\nuse rusqlite::{Row, params};\n", &[]);
    check("src/ops/a.rs", "//! A.\nuse super::ignore::x;\nfn f() { a.ignore::<u8>(); }\n", &[]);
    check(
        "src/ops/a.rs",
        "//! A.\nuse rusqlite as sql;\n",
        &["src/ops/a.rs:2: `ops` does not own `rusqlite`"],
    );
    check(
        "src/markdown/a.rs",
        "//! A.\nfn f() -> ::anyhow::Result<()> {\n    tree_sitter_go::LANGUAGE\n}\n",
        &[
            "src/markdown/a.rs:2: `markdown` does not own `anyhow`",
            "src/markdown/a.rs:3: `markdown` does not own `tree-sitter-go`",
        ],
    );
    check(
        "src/tree/a.rs",
        "//! A.\nuse tempfile::tempdir;\n#[cfg(test)]\nmod tests {\n    use tempfile::tempdir;\n}\n",
        &["src/tree/a.rs:2: `tree` does not own `tempfile`"],
    );
}

#[test]
fn shape_faults_are_reported() {
    let text = format!(
        "use std::fmt;\n// TO{}: more\n#[allow(unused)]\nfn f() {{ g().unwrap(); }}\n",
        "DO"
    );
    check(
        "src/text.rs",
        &text,
        &[
            "src/text.rs:1: a file opens with `//!`",
            "src/text.rs:2: `TODO`: do it, or write an issue",
            "src/text.rs:3: `allow` hides a lint for good: write `expect` with a reason",
            "src/text.rs:4: `unwrap`: write `expect` with why it holds",
        ],
    );
    let long = format!("//! A.\n{}", "\n".repeat(MAX_LINES));
    check(
        "src/text.rs",
        &long,
        &["src/text.rs:601: more than 600 lines: look for the second idea"],
    );
    check("src/text/tests.rs", "//! A.\nfn f() { g().unwrap(); }\n", &[]);
}

#[test]
fn a_module_missing_from_the_code_map_is_reported() {
    let lib = read("src/lib.rs");
    assert_eq!(
        map_faults(&lib.replace("//! | 2 | `store` |", "//! | 3 | `store` |")).len(),
        map_faults(&lib).len() + 1
    );
}

#[test]
fn changelog_faults_are_reported() {
    let n_faults = |changelog: &str, version: &str| changelog_faults(changelog, version).len();
    assert_eq!(n_faults("## [Unreleased]\n", "0.1.0"), 0);
    assert_eq!(n_faults("## [Unreleased]\n\n## [0.1.0] - 2026-01-02\n", "0.1.0"), 0);
    assert_eq!(n_faults("## [0.2.0] - 2026-01-03\n## [0.1.0] - 2026-01-02\n", "0.2.0"), 0);
    assert_eq!(n_faults("", "0.1.0"), 1, "no heading at all");
    assert_eq!(n_faults("## [Unreleased]\n", "0.2.0"), 1, "a new version without an entry");
    assert_eq!(n_faults("## [Unreleased]\n## [0.1.0] - 2026-01-02\n", "0.2.0"), 1);
    assert_eq!(n_faults("## [0.1.0]\n", "0.1.0"), 1, "a release without a date");
    assert_eq!(n_faults("## [0.1.0] - 2026-01-02\n## [Unreleased]\n", "0.1.0"), 1);
}
