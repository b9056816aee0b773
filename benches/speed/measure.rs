//! Whole processes and what they cost.
//!
//! Two processes are timed in turn (ours, theirs, ours, …) and the median of the ratios
//! counts, so that a machine that slows down slows both.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How many rounds a figure is the median of: the clock of a shared machine swings, so that
/// what is short is measured more often, for so long.
const LEAST_ROUNDS: usize = 15;
const MOST_ROUNDS: usize = 31;
const LONG_ENOUGH: Duration = Duration::from_secs(5);

/// Our binary on one project, with a cache folder of its own.
pub(crate) struct Bench {
    pub(crate) project: PathBuf,
    cache: tempfile::TempDir,
    is_cold: bool,
}

impl Bench {
    /// With a store that is kept from one call to the next.
    pub(crate) fn warm(project: &Path) -> Self {
        Self::new(project, false)
    }

    /// With no store at the start of each call.
    pub(crate) fn cold(project: &Path) -> Self {
        Self::new(project, true)
    }

    fn new(project: &Path, is_cold: bool) -> Self {
        let cache = tempfile::tempdir().expect("a temp folder");
        Self { project: project.to_owned(), cache, is_cold }
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        if self.is_cold {
            for store in [self.cache.path().join("cerberus"), self.indices()] {
                if store.exists() {
                    std::fs::remove_dir_all(store).expect("the store can be removed");
                }
            }
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_cerberus"));
        command.args(args).current_dir(&self.project);
        command.env("CERBERUS_PROJECT", &self.project).env("XDG_CACHE_HOME", self.cache.path());
        command
    }

    /// Returns the time that a command takes, in milliseconds.
    pub(crate) fn time(&self, args: &[&str]) -> f64 {
        milliseconds(self.command(args)).expect("our binary starts")
    }

    /// Returns how large the store is.
    pub(crate) fn store_bytes(&self) -> u64 {
        [self.cache.path().to_owned(), self.indices()].iter().map(|folder| bytes_in(folder)).sum()
    }

    /// Returns the most memory that a command has held, in megabytes, if `time` is there.
    pub(crate) fn peak(&self, args: &[&str]) -> Option<f64> {
        let ours = self.command(args);
        let mut command = Command::new("/usr/bin/time");
        command.args(["-f", "%M"]).arg(ours.get_program()).args(ours.get_args());
        command.current_dir(&self.project).envs(ours.get_envs().filter_map(|(k, v)| Some((k, v?))));
        let output = command.stdin(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stderr);
        let kilobytes: f64 = text.lines().last()?.trim().parse().ok()?;
        Some(kilobytes / 1024.0)
    }

    fn indices(&self) -> PathBuf {
        self.project.join(".memories/indices")
    }
}

fn bytes_in(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_in(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    bytes.sum()
}

/// Returns the time that another program takes in a folder, if it can be started.
pub(crate) fn time_of(program: &str, args: &[&str], folder: &Path) -> Option<f64> {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder);
    milliseconds(command)
}

/// Returns the time that a baseline of this benchmark takes.
pub(crate) fn time_of_baseline(name: &str, folder: &Path) -> Option<f64> {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--baseline", name]).arg(folder);
    milliseconds(command)
}

fn milliseconds(mut command: Command) -> Option<f64> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    command.status().ok()?;
    Some(started.elapsed().as_secs_f64() * 1e3)
}

/// Counts rounds until they are enough.
fn rounds() -> impl Iterator<Item = usize> {
    let started = Instant::now();
    (0..MOST_ROUNDS).take_while(move |n| *n < LEAST_ROUNDS || started.elapsed() < LONG_ENOUGH)
}

/// Prints the head of a table of ratios.
pub(crate) fn head(what: &str) {
    println!("\n{what:54} {:>9} {:>9} {:>7} {:>7}", "ours ms", "their ms", "ratio", "limit");
}

/// Times two things in turn and prints the ratio beside its limit.
pub(crate) fn compare(
    name: &str,
    mut ours: impl FnMut() -> f64,
    mut theirs: impl FnMut() -> Option<f64>,
    limit: f64,
) {
    // Once each for the page cache, and for a store that is to be warm.
    ours();
    if theirs().is_none() {
        println!("{name:54} the other program is not installed");
        return;
    }
    let rounds = rounds().filter_map(|_| Some((ours(), theirs()?)));
    let pairs: Vec<(f64, f64)> = rounds.collect();
    let ratio = median(pairs.iter().map(|(a, b)| a / b).collect());
    let ours = median(pairs.iter().map(|it| it.0).collect());
    let theirs = median(pairs.iter().map(|it| it.1).collect());
    println!("{name:54} {ours:9.1} {theirs:9.1} {ratio:7.2} {limit:7.2}");
}

/// Times one thing and prints it beside its limit.
pub(crate) fn time(name: &str, mut ours: impl FnMut() -> f64, limit: f64) {
    ours();
    let median = median(rounds().map(|_| ours()).collect());
    println!("{name:54} {median:9.1} {:>17} {limit:7.1} ms", "");
}

/// Prints a figure beside its limit.
pub(crate) fn figure(name: &str, figure: Option<f64>, unit: &str, limit: f64) {
    match figure {
        Some(figure) => println!("{name:54} {:>19} {figure:7.2} {limit:7.2} {unit}", ""),
        None => println!("{name:54} cannot be measured here"),
    }
}

pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}
