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

#[path = "tidy/commands.rs"]
mod commands;
#[path = "tidy/generated.rs"]
mod generated;
#[path = "tidy/lexer.rs"]
mod lexer;
#[path = "tidy/wording.rs"]
mod wording;

/// The layer of a module, inside its package: a module uses modules of a lower number only. The order of
/// packages is that of their manifests, which the compiler checks.
///
/// In the root package every module has a layer. In the others, a module that is not listed has
/// [`MIDDLE`] and may use its equals.
const LAYERS: &[(&str, u32)] = &[
    ("engine::syntax", 10),
    ("engine::threads", 15),
    ("engine::tree", 20),
    ("bank::lookup", 21),
    ("bank::sync", 26),
    ("bank::workspace", 27),
    ("bank::ops", 30),
    ("agents", 39),
    ("config", 40),
    ("output", 41),
    ("commands", 45),
    ("mcp", 50),
    ("cli", 60),
    ("lib", 70),
    ("main", 80),
];

const MIDDLE: u32 = 25;

/// Who may use an external crate: packages below `crates/`, and modules of the root package.
enum Owner {
    Only(&'static [&'static str]),
    /// All but these.
    Not(&'static [&'static str]),
    /// Words of every package.
    All,
}
use Owner::{All, Not, Only};

/// The owners of each external package in `[workspace.dependencies]` that is not for tests only.
const OWNERS: &[(&str, Owner)] = &[
    ("anstyle", Only(&["output"])),
    ("anyhow", Not(&["model", "markdown", "patterns"])),
    ("base64", Only(&["engine"])),
    (
        "clap",
        Only(&["agents", "config", "commands", "mcp", "cli", "lib"]),
    ),
    ("clap_complete", Only(&["cli", "commands"])),
    ("comfy-table", Only(&["output"])),
    ("console", Only(&["output"])),
    ("fst", Only(&["bank", "engine"])),
    ("globset", Only(&["model"])),
    ("ignore", Only(&["engine"])),
    ("indicatif", Only(&["output"])),
    (
        "jiff",
        Only(&[
            "model", "prose", "markdown", "bank", "claims", "config", "commands",
        ]),
    ),
    ("jsonc-parser", Only(&["commands"])),
    ("minijinja", Only(&["commands"])),
    (
        "memchr",
        Only(&["model", "prose", "markdown", "engine", "claims", "bank"]),
    ),
    ("mimalloc", Only(&["main"])),
    ("postcard", Only(&["bank", "engine", "store"])),
    ("percent-encoding", Only(&["claims", "commands"])),
    ("pulldown-cmark", Only(&["markdown", "claims"])),
    (
        "rayon",
        Only(&["bank", "brief", "engine", "claims", "commands"]),
    ),
    ("regex", Only(&["bank", "markdown", "patterns"])),
    ("rmcp", Only(&["mcp"])),
    ("rusqlite", Only(&["store"])),
    ("rust-stemmers", Only(&["engine"])),
    ("rustc-hash", All),
    ("rustix", Only(&["bank", "engine"])),
    ("serde", All),
    (
        "serde-saphyr",
        Only(&["markdown", "claims", "patterns", "mcp"]),
    ),
    // `commands` reads the rules of `anchor-test --rules`.
    (
        "serde_json",
        Only(&[
            "engine", "claims", "bank", "agents", "commands", "mcp", "output",
        ]),
    ),
    ("sha1", Only(&["engine"])),
    ("sha2", Only(&["engine", "store"])),
    ("similar", Only(&["engine", "bank", "commands"])),
    ("strsim", Only(&["model"])),
    ("strum", Only(&["model"])),
    // `commands` creates the folder of the demo.
    ("tempfile", Only(&["bank", "store", "engine", "commands"])),
    ("terminal_size", Only(&["config"])),
    ("textwrap", Only(&["output"])),
    ("thiserror", Only(&["model", "store", "output"])),
    ("thread_local", Only(&["engine"])),
    ("tokio", Only(&["mcp"])),
    (
        "toml",
        Only(&["model", "engine", "claims", "bank", "config", "agents"]),
    ),
    ("toml_edit", Only(&["bank"])),
    ("tree-sitter", Only(&["engine", "patterns"])),
    ("tree-sitter-bash", Only(&["engine"])),
    ("tree-sitter-c", Only(&["engine"])),
    ("tree-sitter-c-sharp", Only(&["engine"])),
    ("tree-sitter-cpp", Only(&["engine"])),
    ("tree-sitter-go", Only(&["engine"])),
    ("tree-sitter-java", Only(&["engine"])),
    ("tree-sitter-javascript", Only(&["engine"])),
    ("tree-sitter-kotlin-ng", Only(&["engine"])),
    ("tree-sitter-php", Only(&["engine"])),
    ("tree-sitter-python", Only(&["engine"])),
    ("tree-sitter-ruby", Only(&["engine"])),
    ("tree-sitter-rust", Only(&["engine"])),
    ("tree-sitter-scala", Only(&["engine"])),
    ("tree-sitter-swift", Only(&["engine"])),
    ("tree-sitter-typescript", Only(&["engine"])),
    ("walkdir", Only(&["bank"])),
    (
        "xxhash-rust",
        Only(&["engine", "claims", "bank", "config", "commands"]),
    ),
];

/// External packages that only tests use.
const FOR_TESTS: &[&str] = &["clap_mangen", "expect-test", "proptest"];

/// Packages that any unit test may use.
const FREE_IN_TESTS: &[&str] = &["sha2", "tempfile", "toml"];

/// How many external packages `Cargo.toml` names. Raising it takes a sentence on what the new package replaces.
const N_DEPENDENCIES: usize = 63;

const MAX_LINES: usize = 600;

const WORKFLOWS: [&str; 2] = [".github/workflows/ci.yml", ".github/workflows/release.yml"];

/// The version that may be without a release in the changelog.
const FIRST_VERSION: &str = "0.1.0";

#[test]
fn sources_respect_layers_crate_owners_and_shape() {
    assert_none(
        sources()
            .iter()
            .flat_map(|(path, text)| faults(path, text))
            .collect(),
    );
}

#[test]
fn no_command_uses_another() {
    assert_none(commands::faults(&sources()));
}

#[test]
fn tables_match_the_source_tree() {
    let sources = sources();
    let modules: BTreeSet<String> = sources.iter().map(|(path, _)| module(path)).collect();
    let mut wrong: Vec<String> = LAYERS
        .iter()
        .filter(|(name, _)| !modules.contains(*name))
        .map(|(name, _)| format!("tests/tidy.rs: LAYERS has `{name}`, the sources have not"))
        .collect();
    wrong.extend(map_faults(&read("src/lib.rs")));

    let packages = external_packages();
    let owned: BTreeSet<&str> = OWNERS.iter().map(|(package, _)| *package).collect();
    let known: BTreeSet<&str> = owned.iter().chain(FOR_TESTS).copied().collect();
    let listed: BTreeSet<&str> = packages.iter().map(String::as_str).collect();
    for package in listed.symmetric_difference(&known) {
        wrong.push(format!(
            "`{package}` is only in one of Cargo.toml and OWNERS of tests/tidy.rs"
        ));
    }
    assert_none(wrong);
    assert_eq!(
        packages.len(),
        N_DEPENDENCIES,
        "external packages that Cargo.toml names"
    );
}

#[test]
fn each_package_uses_what_its_manifest_names() {
    let sources = sources();
    let mut wrong = Vec::new();
    for folder in package_folders() {
        let manifest = manifest(&folder);
        let inside = format!("{folder}src/");
        let lexed: Vec<Lexed> = sources
            .iter()
            .filter(|(path, _)| path.starts_with(&inside))
            .map(|(_, text)| Lexed::new(text))
            .collect();
        for package in dependencies(&manifest, "dependencies") {
            if !lexed
                .iter()
                .any(|source| source.names_crate(&crate_name(&package)))
            {
                wrong.push(format!(
                    "{folder}Cargo.toml: nothing in {inside} uses `{package}`"
                ));
            }
        }
    }
    assert_none(wrong);
}

#[test]
fn contributing_lists_each_dependency() {
    let wanted = external_packages();
    let page = read("CONTRIBUTING.md");
    let (_, rest) = page
        .split_once("\n## Dependencies\n")
        .expect("a part of CONTRIBUTING.md");
    let part = rest.split("\n## ").next().unwrap_or_default();
    // The first cell of a row may name several.
    let rows = part
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    let listed: BTreeSet<String> = rows
        .flat_map(|cell| cell.split(", "))
        .map(|it| it.trim_matches('`').to_owned())
        .collect();
    let differing = wanted.symmetric_difference(&listed);
    assert_none(
        differing
            .map(|it| {
                format!(
                    "CONTRIBUTING.md: `{it}` is not both in Cargo.toml and in the table of dependencies"
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
            let action = text
                .trim_start()
                .trim_start_matches("- ")
                .strip_prefix("uses: ");
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
        assert_eq!(
            *permissions,
            serde_json::json!({ "contents": "read" }),
            "{path}"
        );
    }
}

#[test]
fn the_lock_file_of_the_fuzz_targets_has_the_dependencies_of_the_packages() {
    let lock: toml::Table = read("tests/fuzz/Cargo.lock")
        .parse()
        .expect("Cargo.lock is TOML");
    let mut faults = Vec::new();
    for folder in package_folders() {
        let manifest = manifest(&folder);
        let name = manifest["package"]["name"].as_str().expect("a name");
        let locked = lock["package"].as_array().expect("a list").iter();
        let mut locked = locked.filter(|package| package["name"].as_str() == Some(name));
        let package = locked.next().expect("the package itself");
        // `name version` names one of several locked versions of a package.
        let names = package["dependencies"].as_array().expect("a list").iter();
        let names: BTreeSet<String> = names
            .filter_map(|name| Some(name.as_str()?.split(' ').next()?.to_owned()))
            .collect();
        let dependencies = dependencies(&manifest, "dependencies").into_iter();
        let dependencies: BTreeSet<String> = dependencies
            .map(|it| match it.strip_prefix("cerberus-") {
                Some(package) => format!("cerberus-memory-{package}"),
                None => it,
            })
            .collect();
        let advice = "run `cargo update --workspace --manifest-path tests/fuzz/Cargo.toml`";
        faults.extend(
            dependencies
                .symmetric_difference(&names)
                .map(|it| format!("tests/fuzz/Cargo.lock: `{it}` of `{name}` differs: {advice}")),
        );
    }
    assert_none(faults);
}

#[test]
fn changelog_has_an_entry_for_this_version() {
    assert_none(changelog_faults(
        &read("CHANGELOG.md"),
        env!("CARGO_PKG_VERSION"),
    ));
}

/// Returns the faults of a changelog. The newest release in it must be the version of
/// `Cargo.toml`, with a date; before the first release it may have `[Unreleased]` alone.
fn changelog_faults(changelog: &str, version: &str) -> Vec<String> {
    let headings: Vec<&str> = changelog
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .collect();
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
            faults.push(format!(
                "CHANGELOG.md: `## {heading}` is not `## [VERSION] - YYYY-MM-DD`"
            ));
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

/// Returns the dependencies in a table, those for some platforms among them.
fn dependencies(manifest: &toml::Table, table: &str) -> BTreeSet<String> {
    let platforms = manifest.get("target").and_then(|it| it.as_table());
    let platforms = platforms.into_iter().flat_map(|it| it.values());
    let tables = platforms
        .filter_map(|it| it.get(table))
        .chain(manifest.get(table));
    tables
        .filter_map(|it| it.as_table())
        .flat_map(|it| it.keys().cloned())
        .collect()
}

/// Returns the packages of other projects that the workspace names.
fn external_packages() -> BTreeSet<String> {
    let manifest = manifest("");
    let workspace = manifest["workspace"].as_table().expect("a table");
    let mut found = dependencies(workspace, "dependencies");
    found.retain(|name| !name.starts_with("cerberus-"));
    found
}

/// Returns the manifest in a folder.
fn manifest(folder: &str) -> toml::Table {
    read(&format!("{folder}Cargo.toml"))
        .parse()
        .expect("Cargo.toml is TOML")
}

/// Returns the folders of the packages, with a `/` at the end: the root, which is empty, and those below `crates/`.
fn package_folders() -> Vec<String> {
    let crates = entries(&root().join("crates")).into_iter();
    let mut folders: Vec<String> = crates
        .map(|path| format!("crates/{}/", file_name(&path)))
        .collect();
    folders.push(String::new());
    folders.sort();
    folders
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
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
    let mut folders: Vec<PathBuf> = package_folders()
        .iter()
        .map(|folder| root().join(folder).join("src"))
        .collect();
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
    entries
        .map(|entry| entry.expect("a readable folder").path())
        .collect()
}

/// Returns the top-level module that a file belongs to: `a` of `src/a/b.rs`, `engine::a` of
/// `crates/engine/src/a/b.rs`.
fn module(path: &str) -> String {
    let (package, inside) = parts(path);
    let name = inside
        .split('/')
        .next()
        .unwrap_or(inside)
        .trim_end_matches(".rs");
    package.map_or_else(|| name.to_owned(), |package| format!("{package}::{name}"))
}

/// Returns the package below `crates/` that a file belongs to, and its path in `src/`.
fn parts(path: &str) -> (Option<&str>, &str) {
    match path
        .strip_prefix("crates/")
        .and_then(|rest| rest.split_once("/src/"))
    {
        Some((package, inside)) => (Some(package), inside),
        None => (None, path.strip_prefix("src/").unwrap_or(path)),
    }
}

fn layer(module: &str) -> Option<u32> {
    let listed = LAYERS
        .iter()
        .find(|(name, _)| *name == module)
        .map(|(_, layer)| *layer);
    listed.or(module.contains("::").then_some(MIDDLE))
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
        found.push((
            n_lines,
            format!("more than {MAX_LINES} lines: look for the second idea"),
        ));
    }
    let lexed = Lexed::new(text);
    for comment in &lexed.comments {
        let mut words = comment.text.split(|c: char| !is_word(c));
        if let Some(word) = words.find(|word| {
            ["todo", "fixme"]
                .iter()
                .any(|it| word.eq_ignore_ascii_case(it))
        }) {
            found.push((comment.line, format!("`{word}`: do it, or write an issue")));
        }
    }
    let own_module = module(path);
    let Some(own) = layer(&own_module) else {
        found.push((
            1,
            format!("module `{own_module}` is not in LAYERS of tests/tidy.rs"),
        ));
        return located(path, found);
    };
    let package = parts(path).0;
    let is_test_file = path.ends_with("/tests.rs")
        || path.ends_with("/test_support.rs")
        || path.contains("/tests/");
    let blocks = lexed.blocks(is_test_file);
    for (at, block) in blocks.iter().enumerate() {
        let line = lexed.tokens[at].0;
        for name in lexed.modules_named(at, depth(path) + block.mods) {
            let used = package.map_or_else(|| name.to_owned(), |it| format!("{it}::{name}"));
            if used == own_module {
                continue;
            }
            let fault = match layer(&used) {
                None => {
                    format!("`{used}` is no top-level module: write `crate::` and one in LAYERS")
                }
                Some(MIDDLE) if own == MIDDLE => continue,
                Some(other) if other >= own => {
                    format!(
                        "`{own_module}` ({}) uses `{used}` ({})",
                        shown(own),
                        shown(other)
                    )
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
            let room = parts(path).0.unwrap_or(&own_module);
            let is_allowed = match owner {
                Only(rooms) => rooms.contains(&room),
                Not(rooms) => !rooms.contains(&room),
                All => true,
            };
            if !is_allowed {
                found.push((line, format!("`{room}` does not own `{package}`")));
            }
        }
        if !block.is_test && lexed.is(at + 1, &["::", "*", ";"]) && !is_type(lexed.token(at)) {
            found.push((line, "a glob import: name what is used".to_owned()));
        }
        if !block.is_test && lexed.is(at, &["[", "allow", "("]) {
            found.push((
                line,
                "`allow` hides a lint for good: write `expect` with a reason".to_owned(),
            ));
        }
        if !block.is_test && lexed.is(at, &[".", "unwrap", "(", ")"]) {
            found.push((
                line,
                "`unwrap`: write `expect` with why it holds".to_owned(),
            ));
        }
    }
    located(path, found)
}

/// Returns whether a name is written as that of a type, of which a glob imports the variants.
fn is_type(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

fn located(path: &str, mut found: Vec<(usize, String)>) -> Vec<String> {
    found.sort();
    found
        .into_iter()
        .map(|(line, fault)| format!("{path}:{line}: {fault}"))
        .collect()
}

/// Returns how many modules deep a file is: `src/a.rs` and `src/a/mod.rs` 1, `src/a/b.rs` 2.
fn depth(path: &str) -> usize {
    let (_, inside) = parts(path);
    let is_root = inside == "lib.rs" || inside == "main.rs";
    1 + inside.matches('/').count() - usize::from(is_root || inside.ends_with("/mod.rs"))
}

fn shown(layer: u32) -> String {
    format!("layer {}", f64::from(layer) / 10.0)
}

/// Returns the packages, and the modules of the root package, that the code map of `src/lib.rs` lacks.
fn map_faults(lib: &str) -> Vec<String> {
    let packages = package_folders().into_iter().filter_map(|folder| {
        Some(
            folder
                .strip_prefix("crates/")?
                .trim_end_matches('/')
                .to_owned(),
        )
    });
    let modules = LAYERS
        .iter()
        .filter(|(name, layer)| *layer < 70 && !name.contains("::"));
    let names = packages.chain(modules.map(|(name, _)| (*name).to_owned()));
    names
        .filter(|name| {
            !lib.lines()
                .any(|line| line.starts_with(&format!("//! | `{name}` | ")))
        })
        .map(|name| format!("src/lib.rs: the code map has no row for `{name}`"))
        .collect()
}

// The checks themselves, on texts that are wrong on purpose.

#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(faults(path, text), expected);
}

#[test]
fn a_use_of_a_higher_layer_is_reported() {
    check(
        "src/mcp/a.rs",
        "//! A.\nuse crate::output::Printer;\nuse crate::mcp::b;\n",
        &[],
    );
    check(
        "src/output/a.rs",
        "//! A.\nfn f() {\n    crate::commands::show();\n}\n",
        &["src/output/a.rs:3: `output` (layer 4.1) uses `commands` (layer 4.5)"],
    );
    check(
        "src/output/mod.rs",
        "//! A.\n#[cfg(test)]\nmod tests {\n    use crate::{config::{Settings, b}, mcp, cli::X};\n}\n",
        &[
            "src/output/mod.rs:4: `output` (layer 4.1) uses `cli` (layer 6)",
            "src/output/mod.rs:4: `output` (layer 4.1) uses `mcp` (layer 5)",
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
fn modules_of_a_library_may_use_their_equals_only() {
    check(
        "crates/engine/src/track/a.rs",
        "//! A.\nuse crate::rank::b;\n",
        &[],
    );
    check(
        "crates/engine/src/lib.rs",
        "//! A.\nuse crate::tree::b;\n",
        &[],
    );
    check(
        "crates/engine/src/syntax/a.rs",
        "//! A.\nuse crate::rank::b;\n",
        &[
            "crates/engine/src/syntax/a.rs:2: `engine::syntax` (layer 1) uses `engine::rank` (layer 2.5)",
        ],
    );
    check(
        "crates/bank/src/files.rs",
        "//! A.\nuse crate::ops::b;\n",
        &["crates/bank/src/files.rs:2: `bank::files` (layer 2.5) uses `bank::ops` (layer 3)"],
    );
}

#[test]
fn a_use_through_super_is_reported() {
    check(
        "src/commands/a/b.rs",
        "//! A.\nuse super::super::c;\nmod d {\n    use super::super::super::e;\n}\n",
        &[],
    );
    check(
        "src/output.rs",
        "//! A.\nuse super::mcp::a;\n",
        &["src/output.rs:2: `output` (layer 4.1) uses `mcp` (layer 5)"],
    );
    check(
        "crates/engine/src/syntax/a.rs",
        "//! A.\nmod tests {\n    use super::super::super::tree;\n}\n",
        &[
            "crates/engine/src/syntax/a.rs:3: `engine::syntax` (layer 1) uses `engine::tree` (layer 2)",
        ],
    );
    check(
        "src/output/a.rs",
        "//! A.\nuse crate::*;\n",
        &[
            "src/output/a.rs:2: `*` is no top-level module: write `crate::` and one in LAYERS",
            "src/output/a.rs:2: a glob import: name what is used",
        ],
    );
}

#[test]
fn a_use_of_a_foreign_crate_is_reported() {
    check(
        "crates/store/src/a.rs",
        "//! A.\nuse rusqlite::{Row, params};\n",
        &[],
    );
    check(
        "src/commands/a.rs",
        "//! A.\nuse super::ignore::x;\nfn f() { a.ignore::<u8>(); }\n",
        &[],
    );
    check(
        "crates/bank/src/ops/a.rs",
        "//! A.\nuse rusqlite as sql;\n",
        &["crates/bank/src/ops/a.rs:2: `bank` does not own `rusqlite`"],
    );
    check(
        "crates/markdown/src/a.rs",
        "//! A.\nfn f() -> ::anyhow::Result<()> {\n    tree_sitter_go::LANGUAGE\n}\n",
        &[
            "crates/markdown/src/a.rs:2: `markdown` does not own `anyhow`",
            "crates/markdown/src/a.rs:3: `markdown` does not own `tree-sitter-go`",
        ],
    );
    check(
        "crates/claims/src/a.rs",
        "//! A.\nuse tempfile::tempdir;\n#[cfg(test)]\nmod tests {\n    use tempfile::tempdir;\n}\n",
        &["crates/claims/src/a.rs:2: `claims` does not own `tempfile`"],
    );
}

#[test]
fn shape_faults_are_reported() {
    let text = format!(
        "use std::fmt::*;\n// TO{}: more\n#[allow(unused)]\nfn f() {{ g().unwrap(); }}\n",
        "DO"
    );
    check(
        "src/output.rs",
        &text,
        &[
            "src/output.rs:1: a file opens with `//!`",
            "src/output.rs:1: a glob import: name what is used",
            "src/output.rs:2: `TODO`: do it, or write an issue",
            "src/output.rs:3: `allow` hides a lint for good: write `expect` with a reason",
            "src/output.rs:4: `unwrap`: write `expect` with why it holds",
        ],
    );
    let long = format!("//! A.\n{}", "\n".repeat(MAX_LINES));
    check(
        "src/output.rs",
        &long,
        &["src/output.rs:601: more than 600 lines: look for the second idea"],
    );
    check(
        "src/output/tests.rs",
        "//! A.\nuse super::*;\nuse Shape::*;\nfn f() { g().unwrap(); }\n",
        &[],
    );
}

#[test]
fn a_module_missing_from_the_code_map_is_reported() {
    let lib = read("src/lib.rs");
    let without = lib.replace("//! | `store` |", "//! | `shop` |");
    assert_eq!(map_faults(&without).len(), map_faults(&lib).len() + 1);
}

#[test]
fn changelog_faults_are_reported() {
    let n_faults = |changelog: &str, version: &str| changelog_faults(changelog, version).len();
    assert_eq!(n_faults("## [Unreleased]\n", "0.1.0"), 0);
    assert_eq!(
        n_faults("## [Unreleased]\n\n## [0.1.0] - 2026-01-02\n", "0.1.0"),
        0
    );
    assert_eq!(
        n_faults(
            "## [0.2.0] - 2026-01-03\n## [0.1.0] - 2026-01-02\n",
            "0.2.0"
        ),
        0
    );
    assert_eq!(n_faults("", "0.1.0"), 1, "no heading at all");
    assert_eq!(
        n_faults("## [Unreleased]\n", "0.2.0"),
        1,
        "a new version without an entry"
    );
    assert_eq!(
        n_faults("## [Unreleased]\n## [0.1.0] - 2026-01-02\n", "0.2.0"),
        1
    );
    assert_eq!(
        n_faults("## [0.1.0]\n", "0.1.0"),
        1,
        "a release without a date"
    );
    assert_eq!(
        n_faults("## [0.1.0] - 2026-01-02\n## [Unreleased]\n", "0.1.0"),
        1
    );
}
