//! The cost of the commands, as a ratio to a well-known tool or to the minimum cost of the same
//! work (see [`baseline`]) in the same run.
//!
//! `benches/fetch_corpora.sh` fetches the corpora once. A part is skipped with a message if its
//! corpus or tool is missing. An argument selects the parts whose names contain it:
//! `cargo bench --bench speed -- golang`.
#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark starts processes and creates folders"
)]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod baseline;
mod generated_tree;
mod measure;

use std::path::Path;

use measure::{Bench, compare, figure, head, time, time_of, time_of_baseline};

const RULE: &str = "Close the database connection when the request has finished";
const ASK: &[&str] = &["memory", "anchor-test", RULE];

/// A group of measurements on the corpora in a folder.
type Part = fn(&Path);

const PARTS: &[(&str, Part)] = &[
    ("django", django),
    ("anchors", anchors),
    ("golang", go),
    ("growth", growth),
    ("bank", bank),
    ("check", check),
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --benches` only checks that this program starts.
    if args.iter().any(|arg| arg == "--test") {
        return;
    }
    if let [option, name, folder] = &args[..]
        && option == "--baseline"
    {
        let (n_files, n_bytes) = baseline::run(name, Path::new(folder));
        println!("{n_files} files, {n_bytes} bytes");
        return;
    }
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = manifest.join("target/bench-corpora");
    let script = manifest.join("benches/fetch_corpora.sh");
    let fetched = std::process::Command::new("bash")
        .arg(script)
        .arg(&folder)
        .status();
    if !fetched.is_ok_and(|status| status.success()) {
        println!("not all corpora could be fetched");
    }
    let is_asked = |name: &str| {
        let mut wanted = args.iter().filter(|arg| !arg.starts_with('-')).peekable();
        wanted.peek().is_none() || wanted.any(|arg| name.contains(arg.as_str()))
    };
    for (_, part) in PARTS.iter().filter(|(name, _)| is_asked(name)) {
        part(&folder);
    }
}

/// Returns the folder of a corpus if it was fetched.
fn corpus(folder: &Path, name: &str) -> Option<std::path::PathBuf> {
    let found = folder.join(name);
    if !found.exists() {
        println!("\n{name} was not fetched");
        return None;
    }
    Some(found)
}

/// The commands on about 2,800 Python files.
fn django(folder: &Path) {
    let Some(code) = corpus(folder, "django") else {
        return;
    };
    let (cold, warm) = (Bench::cold(&code), Bench::warm(&code));
    let ctags = || time_of("ctags", &["-R", "-f", "-"], &code);
    head("Django 5.1, whole processes, medians");
    let words = || time_of_baseline("words", &code);
    compare(
        "index, no store : walk, read, split",
        || cold.time(&["index"]),
        words,
        1.5,
    );
    let parse = || time_of_baseline("parse", &code);
    let full = || cold.time(&["index", "--full"]);
    compare(
        "index --full, no store : walk, read, parse",
        full,
        parse,
        1.25,
    );
    compare(
        "anchor-test, no store : ctags -R",
        || cold.time(ASK),
        ctags,
        1.0,
    );
    let files = || time_of("rg", &["--files"], &code);
    compare(
        "anchor-test, nothing changed : rg --files",
        || warm.time(ASK),
        files,
        1.5,
    );
    let rg = || time_of("rg", &["--version"], &code);
    compare(
        "--version : rg --version",
        || warm.time(&["--version"]),
        rg,
        2.0,
    );
    time("--version", || warm.time(&["--version"]), 5.0);

    let rules = tempfile::NamedTempFile::new().expect("a file");
    let sentences = generated_tree::rules(&code, 1000);
    std::fs::write(rules.path(), sentences.join("\n")).expect("a file");
    let path = rules.path().to_string_lossy().into_owned();
    let many = ["memory", "anchor-test", "--rules", &path, "--json"];
    let name = format!("{} rules : one rule, no store", sentences.len());
    compare(&name, || cold.time(&many), || Some(cold.time(ASK)), 5.0);
    let name = format!("{} rules : one rule, all parsed before", sentences.len());
    compare(&name, || warm.time(&many), || Some(warm.time(ASK)), 5.0);

    sizes(&code, 150.0);
}

/// The size of the store and the peak memory.
fn sizes(code: &Path, most: f64) {
    let warm = Bench::warm(code);
    warm.time(&["index"]);
    let source = baseline::run("nothing", code).1 as f64;
    let share = |bench: &Bench| Some(bench.store_bytes() as f64 / source);
    figure("store after index / source", share(&warm), "", 0.35);
    warm.time(&["index", "--full"]);
    figure("store after index --full / source", share(&warm), "", 0.35);
    let cold = Bench::cold(code);
    for args in [ASK, &["index", "--full"]] {
        let name = format!(
            "peak memory, {}, no store",
            args[..args.len().min(2)].join(" ")
        );
        figure(&name, cold.peak(args), "MB", most);
    }
}

/// A bank of 1,000 rules on a copy of Django, anchored as far as they find an example.
fn anchors(folder: &Path) {
    let Some(code) = corpus(folder, "django") else {
        return;
    };
    let project = generated_tree::copy(&code);
    let bench = Bench::warm(project.path());
    bench.time(&["memory", "init"]);
    bench.time(&["index", "--full"]);
    let before = bench.store_bytes() as f64;
    let document = generated_tree::rules(&code, 1000);
    let document: String = document.iter().map(|rule| format!("- {rule}.\n")).collect();
    std::fs::write(
        project.path().join("AGENTS.md"),
        format!("# Rules\n\n{document}"),
    )
    .expect("a document");
    bench.time(&["memory", "import", "AGENTS.md"]);
    let lock = project.path().join(".memories/anchors.lock");
    let lock = std::fs::read_to_string(lock).unwrap_or_default();
    let n_anchors = lock.matches("[[anchor]]").count();

    head(&format!("the same with a bank of {n_anchors} anchors"));
    let ask = || Some(bench.time(ASK));
    compare(
        "reanchor, nothing changed : anchor-test",
        || bench.time(&["memory", "reanchor"]),
        ask,
        2.0,
    );
    let check = || bench.time(&["memory", "reanchor", "--check"]);
    compare("reanchor --check : anchor-test", check, ask, 2.0);
    let some = ["memory", "show", "--json"];
    let shown = bench
        .command(&some)
        .output()
        .expect("our binary starts")
        .stdout;
    let shown = String::from_utf8_lossy(&shown).into_owned();
    let id = shown
        .split("\"id\":")
        .nth(1)
        .and_then(|rest| rest.split('"').nth(1))
        .unwrap_or("");
    time("show ID", || bench.time(&["memory", "show", id]), 10.0);
    time(
        "show --anchored",
        || bench.time(&["memory", "show", "--anchored"]),
        1000.0,
    );
    time("stats", || bench.time(&["memory", "stats"]), 1000.0);

    let rebuilt = || {
        std::fs::remove_dir_all(project.path().join(".memories/indices")).expect("a store");
        bench.time(&["index", "--full"]);
        bench.time(&["memory", "reanchor"]);
        bench.time(&["memory", "search", "frames"]);
        bench.store_bytes() as f64
    };
    let with_anchors = rebuilt();
    std::fs::remove_file(project.path().join(".memories/anchors.lock")).expect("a lock");
    let without = rebuilt();
    let share = |bytes: f64| Some(bytes / before);
    figure(
        "size of the anchors in the store",
        share(with_anchors - without),
        "",
        0.1,
    );
    figure(
        "size of the memory texts in the store",
        share(without - before),
        "",
        0.2,
    );
    twenty(&code);
}

/// A check of twenty anchors without a store, as in a fresh clone.
fn twenty(code: &Path) {
    let project = generated_tree::copy(code);
    let cold = Bench::cold(project.path());
    let warm = Bench::warm(project.path());
    warm.time(&["memory", "init"]);
    let mut n_anchors = 0;
    for rule in generated_tree::rules(code, 60) {
        warm.time(&["memory", "add", &rule]);
        let lock = std::fs::read_to_string(project.path().join(".memories/anchors.lock"));
        n_anchors = lock.unwrap_or_default().matches("[[anchor]]").count();
        if n_anchors == 20 {
            break;
        }
    }
    let name = format!("reanchor --check, {n_anchors} anchors, no store");
    time(
        &name,
        || cold.time(&["memory", "reanchor", "--check"]),
        20.0,
    );
}

/// The commands on about 10,000 Go files.
fn go(folder: &Path) {
    let Some(code) = corpus(folder, "go") else {
        return;
    };
    let cold = Bench::cold(&code);
    head("Go sources, whole processes, medians");
    let words = || time_of_baseline("words", &code);
    compare(
        "index, no store : walk, read, split",
        || cold.time(&["index"]),
        words,
        1.5,
    );
    let parse = || time_of_baseline("parse", &code);
    compare(
        "anchor-test, no store : walk, read, parse",
        || cold.time(ASK),
        parse,
        0.15,
    );
    let full = || cold.time(&["index", "--full"]);
    compare(
        "index --full, no store : walk, read, parse",
        full,
        parse,
        1.25,
    );

    let copy = generated_tree::copy(&code);
    let (one, other) = (Bench::warm(copy.path()), Bench::warm(&code));
    let changed = copy.path().join("changed_now.go");
    let mut n = 0;
    let change = || {
        n += 1;
        let text = format!("package main\n\nfunc changed{n}() int {{\n\treturn {n}\n}}\n");
        std::fs::write(&changed, text).expect("a file");
        one.time(ASK)
    };
    compare(
        "one file changed : nothing changed",
        change,
        || Some(other.time(ASK)),
        1.2,
    );
    sizes(&code, 600.0);
}

/// Time and memory per file, by the number of files.
fn growth(_: &Path) {
    println!(
        "\n{:54} {:>9} {:>9} {:>9} {:>9}",
        "generated trees, per file", "index", "ask cold", "ask warm", "memory"
    );
    for n_files in [1_000, 10_000, 100_000] {
        let tree = generated_tree::tree(n_files);
        let (cold, warm) = (Bench::cold(tree.path()), Bench::warm(tree.path()));
        let ask = &["memory", "anchor-test", "Batch the frames of a dock"][..];
        let least = |times: [f64; 3]| times.into_iter().fold(f64::INFINITY, f64::min);
        let index = least([0; 3].map(|_| cold.time(&["index"])));
        let first = least([0; 3].map(|_| cold.time(ask)));
        warm.time(ask);
        let again = least([0; 3].map(|_| warm.time(ask)));
        let peak = cold.peak(ask).unwrap_or(f64::NAN);
        let by_file = |milliseconds: f64| milliseconds * 1e3 / n_files as f64;
        println!(
            "{:54} {:6.1} µs {:6.1} µs {:6.1} µs {:6.1} KB   {peak:.0} MB total",
            format!("{n_files} files"),
            by_file(index),
            by_file(first),
            by_file(again),
            peak * 1024.0 / n_files as f64,
        );
        if n_files == 100_000 {
            let full = cold.peak(&["index", "--full"]);
            figure("peak memory, index --full", full, "MB", 600.0);
        }
    }
}

/// Large banks.
fn bank(_: &Path) {
    head("1,000 memories to choose from");
    let project = generated_tree::inject_project(1000);
    let bench = Bench::warm(project.path());
    time("inject", || bench.time(&["memory", "inject"]), 150.0);
    let args = ["memory", "inject", "--query", "close a session"];
    time("inject --query", || bench.time(&args), 150.0);

    head("a bank of 10,000 memories");
    let project = generated_tree::bank(10_000);
    let bench = Bench::warm(project.path());
    // The store trusts a modification time only once it is in the past.
    for _ in 0..2 {
        bench.time(&["memory", "search", "frames"]);
        std::thread::sleep(std::time::Duration::from_secs(2));
    }
    let args = ["memory", "search", "batch the frames of a dock"];
    time("search", || bench.time(&args), 100.0);
    time(
        "show ID",
        || bench.time(&["memory", "show", "note-777"]),
        20.0,
    );
    let changed = project.path().join(".memories/note-42.md");
    let mut n = 0;
    let search = || {
        n += 1;
        std::fs::write(&changed, format!("The frames of round {n} are here.\n")).expect("a file");
        bench.time(&["memory", "search", "frames"])
    };
    time("search, one file changed", search, 150.0);
}

/// The claims of documents in a repository, compared with the minimum for claims of which some fail:
/// listing the files twice, and the commits of the lines with these claims.
fn check(_: &Path) {
    let project = generated_tree::repository();
    let bench = Bench::cold(project.path());
    let output = bench
        .command(&["check"])
        .output()
        .expect("our binary starts")
        .stdout;
    let output = String::from_utf8_lossy(&output).into_owned();
    head(
        output
            .lines()
            .find(|line| line.contains("checked"))
            .unwrap_or_default(),
    );
    time(
        "check, 10,000 files, 102 commits",
        || bench.time(&["check"]),
        1000.0,
    );
    let minimum = || {
        let mut total = 2.0 * time_of("rg", &["--files"], project.path())?;
        for document in generated_tree::documents() {
            let args = ["blame", "-L3,4", "--porcelain", &document];
            total += time_of("git", &args, project.path())?;
        }
        Some(total)
    };
    compare(
        "check : rg --files twice, git blame",
        || bench.time(&["check"]),
        minimum,
        1.0,
    );
}
