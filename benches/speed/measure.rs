//! Timing of whole processes.
//!
//! Two processes run alternately (ours, theirs, ours, …) and the median of the ratios is the
//! result, so that a slow phase of the machine affects both.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

// A short command runs up to `MAX_ROUNDS` times within `MAX_DURATION`, because timings on a
// shared machine vary; a long command runs `MIN_ROUNDS` times.
const MIN_ROUNDS: usize = 15;
const MAX_ROUNDS: usize = 31;
const MAX_DURATION: Duration = Duration::from_secs(5);

/// The binary on one project, with a separate cache folder.
pub(crate) struct Bench {
    pub(crate) project: PathBuf,
    cache: tempfile::TempDir,
    is_cold: bool,
}

impl Bench {
    /// The store persists between commands.
    pub(crate) fn warm(project: &Path) -> Self {
        Self::new(project, false)
    }

    /// The store is deleted before each command.
    pub(crate) fn cold(project: &Path) -> Self {
        Self::new(project, true)
    }

    fn new(project: &Path, is_cold: bool) -> Self {
        let cache = tempfile::tempdir().expect("a temp folder");
        Self {
            project: project.to_owned(),
            cache,
            is_cold,
        }
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
        command
            .env("CERBERUS_PROJECT", &self.project)
            .env("XDG_CACHE_HOME", self.cache.path());
        command
    }

    /// Returns the duration of a command in milliseconds.
    pub(crate) fn time(&self, args: &[&str]) -> f64 {
        let (status, duration) = timed(self.command(args)).expect("the binary starts");
        // A usage error would look like a very fast command. Status 1 is a failed check.
        assert!(matches!(status.code(), Some(0 | 1)), "{args:?}: {status}");
        duration
    }

    /// Returns the size of the store.
    pub(crate) fn store_bytes(&self) -> u64 {
        [self.cache.path().to_owned(), self.indices()]
            .iter()
            .map(|folder| bytes_in(folder))
            .sum()
    }

    /// Returns the peak memory of a command in megabytes if GNU `time` is installed.
    pub(crate) fn peak(&self, args: &[&str]) -> Option<f64> {
        let ours = self.command(args);
        let mut command = Command::new("/usr/bin/time");
        command
            .args(["-f", "%M"])
            .arg(ours.get_program())
            .args(ours.get_args());
        command
            .current_dir(&self.project)
            .envs(ours.get_envs().filter_map(|(k, v)| Some((k, v?))));
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

/// Returns the duration of another program in a folder if it can be started.
pub(crate) fn time_of(program: &str, args: &[&str], folder: &Path) -> Option<f64> {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder);
    Some(timed(command)?.1)
}

/// Returns the duration of a baseline.
pub(crate) fn time_of_baseline(name: &str, folder: &Path) -> Option<f64> {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--baseline", name]).arg(folder);
    Some(timed(command)?.1)
}

/// Runs a command and returns its status and its duration in milliseconds.
fn timed(mut command: Command) -> Option<(ExitStatus, f64)> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let started = Instant::now();
    let status = command.status().ok()?;
    Some((status, started.elapsed().as_secs_f64() * 1e3))
}

/// Counts rounds until there are enough of them.
fn rounds() -> impl Iterator<Item = usize> {
    let started = Instant::now();
    (0..MAX_ROUNDS).take_while(move |n| *n < MIN_ROUNDS || started.elapsed() < MAX_DURATION)
}

/// Prints the header of a table of ratios.
pub(crate) fn head(title: &str) {
    println!(
        "\n{title:54} {:>9} {:>9} {:>7} {:>7}",
        "ours ms", "their ms", "ratio", "limit"
    );
}

/// Times two commands alternately and prints the ratio beside its limit.
pub(crate) fn compare(
    name: &str,
    mut ours: impl FnMut() -> f64,
    mut theirs: impl FnMut() -> Option<f64>,
    limit: f64,
) {
    // The first run of each fills the page cache and the store.
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

/// Times a command and prints the median beside its limit.
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
