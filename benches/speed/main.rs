//! What the commands cost, each as a ratio to a tool that people know, in one run.
//!
//! Whole processes are timed in turn (ours, theirs, ours, …) and the median of the
//! ratios is printed, so that a machine that slows down slows both. The code measured
//! on is fetched once by `benches/fetch_corpora.sh`. A tool that is not installed is
//! said to be missing, not guessed.
#![expect(clippy::disallowed_methods, reason = "a benchmark starts processes and makes folders")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod baseline;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// How often each pair is timed.
const ROUNDS: usize = 7;

const RULE: &str = "Close the database connection when the request has finished";

fn main() {
    // `cargo test --benches` only wants to know that this starts.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--baseline") {
        let (n_files, n_bytes) = baseline::run(&args[at + 1], Path::new(&args[at + 2]));
        println!("{n_files} files, {n_bytes} bytes");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench-corpora");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/fetch_corpora.sh");
    let fetched = Command::new("bash").arg(script).arg(&folder).status();
    if !fetched.is_ok_and(|status| status.success()) {
        println!("the corpora could not be fetched; nothing is measured");
        return;
    }
    let django = folder.join("django");
    let cold = Bench::new(&django, true);
    let warm = Bench::new(&django, false);
    let ctags = tool("ctags", &["-R", "-f", "-"], &django);
    let files = tool("rg", &["--files"], &django);

    println!(
        "{:44} {:>9} {:>9} {:>7} {:>7}",
        "Django 5.1, whole processes, medians", "ours ms", "their ms", "ratio", "limit"
    );
    compare(
        "anchor-test, no store : ctags -R",
        &cold,
        &["memory", "anchor-test", RULE],
        &ctags,
        3.0,
    );
    compare(
        "anchor-test, nothing changed : rg --files",
        &warm,
        &["memory", "anchor-test", RULE],
        &files,
        4.0,
    );
    compare("index, no store : ctags -R", &cold, &["index"], &ctags, 3.0);
    compare("index --full, no store : ctags -R", &cold, &["index", "--full"], &ctags, 8.0);
    compare(
        "--version : rg --version",
        &warm,
        &["--version"],
        &tool("rg", &["--version"], &django),
        4.0,
    );
    given();
    peak("anchor-test, no store", &cold, &["memory", "anchor-test", RULE], 300);
    peak("index --full, no store", &cold, &["index", "--full"], 300);

    let bank = folder_of_memories(N_MEMORIES);
    let memories = Bench::new(bank.path(), false);
    println!("{:44} {:>9} {:>25}", "a bank of 10,000 memories, medians", "ours ms", "limit ms");
    time("search", &memories, &["memory", "search", "batch the frames of a dock"], 100.0);
    time("show ID", &memories, &["memory", "show", "note-777"], 20.0);
    let changed = bank.path().join(".memories/note-42.md");
    time_after(
        "search, one file changed",
        &memories,
        &["memory", "search", "frames"],
        150.0,
        |n| {
            std::fs::write(&changed, format!("The frames of round {n} are here.\n"))
                .expect("a file");
        },
    );
}

/// How many memories the bank has that is timed.
const N_MEMORIES: usize = 10_000;

/// Makes a project with a bank: four of five memories are a paragraph, each fifth is a
/// document with sections, and each third links to another one.
fn folder_of_memories(n_memories: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temp folder");
    let bank = folder.path().join(".memories");
    std::fs::create_dir(&bank).expect("a bank");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/search/bank");
    let mut words: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(sources).expect("the fixture") {
        let text = std::fs::read_to_string(entry.expect("a file").path()).expect("a text");
        let plain = text.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic));
        words.extend(plain.map(str::to_owned));
    }
    words.sort_unstable();
    words.dedup();
    let mut seed = 7_u64;
    let mut sentence = |n_words: usize| {
        let picked: Vec<&str> = (0..n_words)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                words[(seed >> 33) as usize % words.len()].as_str()
            })
            .collect();
        picked.join(" ") + ". "
    };
    for n in 0..n_memories {
        let mut text = "---\ntype: rule\ntags: [a, b]\ncreated_at: 2025-01-01\n---\n\n".to_owned();
        if n % 5 == 0 {
            for _ in 0..5 {
                text += &format!("## {}\n\n{}{}\n\n", sentence(3), sentence(24), sentence(24));
            }
        } else {
            text += &(sentence(12) + &sentence(16));
        }
        if n % 3 == 1 {
            text += &format!("See [[memory:note-{}]].", n / 2);
        }
        std::fs::write(bank.join(format!("note-{n}.md")), text).expect("a file");
    }
    folder
}

fn time(name: &str, ours: &Bench, args: &[&str], limit: f64) {
    time_after(name, ours, args, limit, |_| ());
}

/// Times a command, each time after a preparation that is not timed.
fn time_after(name: &str, ours: &Bench, args: &[&str], limit: f64, prepare: impl Fn(usize)) {
    // A file that was written just now is read again until its time is past.
    for _ in 0..2 {
        milliseconds(ours.command(&[], args));
        std::thread::sleep(std::time::Duration::from_secs(2));
    }
    let times = (0..ROUNDS).filter_map(|round| {
        prepare(round);
        milliseconds(ours.command(&[], args))
    });
    let median = median(times.collect());
    println!("{name:44} {median:9.1} {limit:25.1}");
}

/// How many memories the bank has that `inject` chooses from.
const N_GIVEN: usize = 1000;

/// Times `inject` on a bank of its own, the store warm.
fn given() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let project = folder.path();
    let code: String = (0..20)
        .map(|n| {
            format!("def step_{n}(session):\n    session.open({n})\n    session.close()\n\n\n")
        })
        .collect();
    std::fs::write(project.join("steps.py"), code).expect("a file");
    let bench = Bench::new(project, false);
    milliseconds(bench.command(&[], &["memory", "init"]));
    for n in 0..N_GIVEN {
        let text = format!(
            "---\ntype: rule\nscope: project:steps\ncreated_at: 2026-01-{:02}T00:00:00Z\n---\n\
             Rule {n}: {}\n",
            1 + n % 28,
            ["open a session", "close it again", "in every step", "before the next"][n % 4]
                .repeat(5)
        );
        std::fs::write(project.join(format!(".memories/rule-{n}.md")), text).expect("a file");
    }
    for n in 0..20 {
        let (id, place) = (format!("rule-{}", n * 28 + 27), format!("steps.py::step_{n}"));
        milliseconds(bench.command(&[], &["memory", "anchor", &id, "--to", &place]));
    }
    for args in [&["memory", "inject"][..], &["memory", "inject", "--query", "close a session"]] {
        milliseconds(bench.command(&[], args));
        let times = (0..ROUNDS).filter_map(|_| milliseconds(bench.command(&[], args)));
        let name = format!("{}, {N_GIVEN} memories", args[1..].join(" "));
        println!("{name:44} {:9.1} {:>9} {:>7} {:7.1}", median(times.collect()), "", "", 150.0);
    }
}

/// Our binary on one project, with a cache folder of its own.
struct Bench {
    project: PathBuf,
    cache: tempfile::TempDir,
    is_cold: bool,
}

impl Bench {
    fn new(project: &Path, is_cold: bool) -> Self {
        Self {
            project: project.to_owned(),
            cache: tempfile::tempdir().expect("a temp folder"),
            is_cold,
        }
    }

    fn command(&self, wrapper: &[&str], args: &[&str]) -> Command {
        if self.is_cold {
            let store = self.cache.path().join("cerberus");
            if store.exists() {
                std::fs::remove_dir_all(store).expect("the cache can be emptied");
            }
        }
        let ours = env!("CARGO_BIN_EXE_cerberus");
        let mut command = match wrapper.split_first() {
            Some((program, rest)) => {
                let mut command = Command::new(program);
                command.args(rest).arg(ours);
                command
            }
            None => Command::new(ours),
        };
        command
            .args(args)
            .current_dir(&self.project)
            .env("CERBERUS_PROJECT", &self.project)
            .env("XDG_CACHE_HOME", self.cache.path());
        command
    }
}

/// A tool to compare with, if it is there.
struct Tool {
    program: String,
    args: Vec<String>,
    folder: PathBuf,
}

fn tool(program: &str, args: &[&str], folder: &Path) -> Tool {
    Tool {
        program: program.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        folder: folder.to_owned(),
    }
}

impl Tool {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(&self.folder);
        command
    }
}

fn milliseconds(mut command: Command) -> Option<f64> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    command.status().ok()?;
    Some(started.elapsed().as_secs_f64() * 1e3)
}

fn compare(name: &str, ours: &Bench, args: &[&str], theirs: &Tool, limit: f64) {
    // Once each for the page cache, and for the store of a warm bench.
    milliseconds(ours.command(&[], args));
    if milliseconds(theirs.command()).is_none() {
        println!("{name:44} `{}` is not installed", theirs.program);
        return;
    }
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for _ in 0..ROUNDS {
        if let (Some(a), Some(b)) =
            (milliseconds(ours.command(&[], args)), milliseconds(theirs.command()))
        {
            pairs.push((a, b));
        }
    }
    let ratio = median(pairs.iter().map(|(a, b)| a / b).collect());
    let (a, b) = (
        median(pairs.iter().map(|it| it.0).collect()),
        median(pairs.iter().map(|it| it.1).collect()),
    );
    println!("{name:44} {a:9.1} {b:9.1} {ratio:7.2} {limit:7.1}");
}

fn peak(name: &str, ours: &Bench, args: &[&str], limit: u32) {
    let mut command = ours.command(&["/usr/bin/time", "-f", "%M"], args);
    let name = format!("peak memory, {name}");
    match command.stdin(Stdio::null()).output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            let kilobytes: f64 =
                text.lines().last().and_then(|line| line.trim().parse().ok()).unwrap_or(f64::NAN);
            println!("{name:44} {:6.0} MB {:>26} MB", kilobytes / 1024.0, limit);
        }
        Err(_) => println!("{name:44} `time` is not installed"),
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}
