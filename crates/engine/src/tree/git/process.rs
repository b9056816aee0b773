//! Runs git with a time limit and bounded output. Only this module starts git.
//!
//! A repository may be untrusted. Settings with which it names programs are overridden, no command
//! compares files of the working tree, because git would run their filters, and git is not started
//! if it would open something else than a regular file, such as a named pipe, which blocks.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::{is_in_repository, messages};

mod opened_files;

use opened_files::irregular_file;

/// Maximum time without any output. The slowest query reads 5,000 commits in about 0.15 s.
const MAX_SILENCE: Duration = Duration::from_secs(5);

/// Maximum time without any output while git searches the history.
const MAX_HISTORY_SILENCE: Duration = Duration::from_secs(30);

/// Time without any output after which a list of files is looked into.
const QUIET: Duration = Duration::from_millis(300);

/// Maximum time of a process, also if it prints all the time.
const MAX_TIME: Duration = Duration::from_secs(60);

/// Time for which git is not started again in a folder after it exceeded a limit there: a command runs
/// git several times, and each of them would wait.
const PAUSE: Duration = Duration::from_secs(60);

/// Maximum number of bytes that are read from a command that answers once. A conversation limits
/// each answer.
const MAX_OUTPUT: u64 = 512 * 1024 * 1024;

/// Overrides of settings with which a repository can make git run programs or open any file.
pub(super) const OVERRIDES: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "diff.orderFile=/dev/null",
    "log.mailmap=false",
    "log.showSignature=false",
    // A folder of the project must not be used as a bare repository.
    "safe.bareRepository=explicit",
];

/// Why git gave no answer if it exceeded a limit.
const NO_ANSWER: &str = "git did not answer in time";

/// What commands of git answer.
const FACTS: &[(&str, &[&str])] = &[
    ("old versions of files", &["cat-file"]),
    (
        "the history of the project",
        &["blame", "diff-tree", "log", "rev-list"],
    ),
    (
        "the list of files",
        &["check-ignore", "diff-index", "ls-files", "ls-tree"],
    ),
];

/// Variables with which git would not look for the repository around the folder, or would read the
/// patterns of paths in another way.
const FOREIGN_VARIABLES: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
];

/// Time for which git is expected to answer in a folder after it answered a simple query there.
const MAX_AGE: Duration = Duration::from_secs(10);

/// When git last did something, by the folder in which it ran.
struct Times(Mutex<BTreeMap<PathBuf, Instant>>);

/// When git last answered a simple query.
static ANSWERED: Times = Times(Mutex::new(BTreeMap::new()));

/// When git last exceeded a limit.
static EXCEEDED: Times = Times(Mutex::new(BTreeMap::new()));

/// What git was asked for when it ended without an answer of its own.
static UNANSWERED: Mutex<BTreeMap<&str, String>> = Mutex::new(BTreeMap::new());

/// Returns a warning for each fact that a command may lack because git was not started, was killed or
/// did not answer in time. A refusal of git itself is an answer.
pub fn failures() -> Vec<String> {
    let failed = UNANSWERED.lock().unwrap_or_else(PoisonError::into_inner);
    failed
        .iter()
        .map(|(fact, why)| format!("{fact} may be incomplete: {why}"))
        .collect()
}

impl Times {
    fn is_within(&self, root: &Path, age: Duration) -> bool {
        let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.get(root).is_some_and(|at| at.elapsed() <= age)
    }

    fn record(&self, root: &Path) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.insert(root.to_owned(), Instant::now());
    }
}

/// Why git gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    NotInstalled,
    /// The reason, which may be git's own message.
    Refused(String),
}

/// Returns why a command that gives no output cannot go on, if so. The flag is set when the command ends.
pub(super) type Obstacle<'a> = &'a (dyn Fn(&AtomicBool) -> Option<String> + Sync);

/// A git command that was not started yet.
pub(super) struct Git<'a> {
    root: &'a Path,
    command: Command,
    input: Vec<u8>,
    max_silence: Duration,
    /// Returns why the command cannot go on, if it gives no output for [`QUIET`].
    obstacle: Option<Obstacle<'a>>,
}

impl<'a> Git<'a> {
    pub(super) fn new<S: AsRef<OsStr>>(root: &'a Path, args: impl IntoIterator<Item = S>) -> Self {
        Self::plain(root).overridden(args)
    }

    /// Like [`Git::new`], but with the settings of the repository, for queries of settings.
    pub(super) fn with_settings(root: &'a Path, args: &[&str]) -> Self {
        let mut git = Self::plain(root);
        git.command.args(args);
        git
    }

    /// Records that the command ended without an answer of git itself.
    fn unanswered(&self, why: &str) -> Failure {
        let is_arg = |command: &&str| self.command.get_args().any(|arg| arg == *command);
        let fact = FACTS
            .iter()
            .find(|(_, commands)| commands.iter().any(is_arg));
        let fact = fact.map_or("what git knows of the project", |(fact, _)| fact);
        let mut unanswered = UNANSWERED.lock().unwrap_or_else(PoisonError::into_inner);
        unanswered.insert(fact, why.to_owned());
        Failure::Refused(why.to_owned())
    }

    fn overridden<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command
            .args(OVERRIDES.iter().flat_map(|setting| ["-c", setting]))
            .args(args);
        self
    }

    fn plain(root: &'a Path) -> Self {
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(root)
            // Do not lock the index, which another git process may be using.
            .args(["--no-optional-locks", "--no-pager"])
            .env("GIT_ATTR_NOSYSTEM", "1")
            // Do not fetch missing objects in a partial clone.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            // Some messages are compared.
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if is_in_repository(root) {
            // A hook of git has the variables of the repository that called it. The index of a commit that
            // is being made stays, since it is the one to check.
            for name in FOREIGN_VARIABLES {
                command.env_remove(name);
            }
        }
        own_group(&mut command);
        Self {
            root,
            command,
            input: Vec::new(),
            max_silence: MAX_SILENCE,
            obstacle: None,
        }
    }

    /// Like [`Git::new`], for renames, blame and log, which take longer. Returns `None` if there is
    /// no commit, or if git does not answer a simple query in the usual time.
    pub(super) fn for_history(root: &'a Path, args: &[&str]) -> Option<Self> {
        if !ANSWERED.is_within(root, MAX_AGE) {
            Self::new(root, ["rev-parse", "--verify", "--quiet", "HEAD"]).bytes()?;
            ANSWERED.record(root);
        }
        let mut git = Self::new(root, args);
        git.max_silence = MAX_HISTORY_SILENCE;
        // Renames are found with attributes. They are read from the commit, not from files.
        git.command.env("GIT_ATTR_SOURCE", "HEAD");
        Some(git)
    }

    /// Sets the bytes of standard input, which is empty otherwise.
    pub(super) fn with_input(mut self, input: Vec<u8>) -> Self {
        self.input = input;
        self
    }

    /// Returns the output, or `None` if git fails.
    pub(super) fn bytes(self) -> Option<Vec<u8>> {
        self.output().ok()
    }

    /// Returns the output as text, or `None` if git fails.
    pub(super) fn text(self) -> Option<String> {
        self.bytes()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns the output, or why there is none.
    pub(super) fn output(self) -> Result<Vec<u8>, Failure> {
        let mut output = Vec::new();
        self.read(|stdout| stdout.read_to_end(&mut output).map(|_| ()))?;
        Ok(output)
    }

    /// Returns the output of a command that lists files, which may take longer, and its messages. It is
    /// ended if there is an obstacle.
    pub(super) fn listing(mut self, obstacle: Obstacle<'a>) -> Result<(Vec<u8>, String), Failure> {
        self.max_silence = MAX_HISTORY_SILENCE;
        self.obstacle = Some(obstacle);
        let mut output = Vec::new();
        let messages = self.supervise(Some(Vec::new()), |_, stdout, _| {
            stdout.read_to_end(&mut output).map(|_| ())
        })?;
        Ok((output, messages))
    }

    /// Returns why git does not answer a simple query in `root`, if so.
    pub(super) fn silence(root: &Path) -> Option<String> {
        match Git::new(root, ["rev-parse", "--git-dir"]).output() {
            Err(Failure::Refused(why)) if why == NO_ANSWER => Some(why),
            _ => None,
        }
    }

    /// Passes the output to `read`, which may stop before its end.
    pub(super) fn read(
        mut self,
        read: impl FnOnce(&mut dyn BufRead) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        let input = std::mem::take(&mut self.input);
        self.supervise(Some(input), |_, stdout, _| read(stdout))
            .map(|_| ())
    }

    /// Passes the input and the output to `talk`, for a command that answers each line, and a flag
    /// that `talk` sets while it waits for an answer. Only that time is limited: the answers of git
    /// must not depend on how long the caller works on them.
    pub(super) fn converse(
        self,
        talk: impl FnOnce(&mut dyn Write, &mut dyn BufRead, &AtomicBool) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        self.supervise(None, |stdin, stdout, is_waiting| {
            let mut stdin = stdin.expect("it is not used by an input");
            is_waiting.store(false, Ordering::Relaxed);
            let result = talk(&mut stdin, stdout, is_waiting);
            is_waiting.store(true, Ordering::Relaxed);
            result
        })
        .map(|_| ())
    }

    /// Runs the command with a time limit, and returns its messages. `talk` gets the output, and the input if
    /// there is none.
    fn supervise(
        mut self,
        input: Option<Vec<u8>>,
        talk: impl FnOnce(Option<ChildStdin>, &mut dyn BufRead, &AtomicBool) -> std::io::Result<()>,
    ) -> Result<String, Failure> {
        if EXCEEDED.is_within(self.root, PAUSE) {
            return Err(self.unanswered(NO_ANSWER));
        }
        if let Some(path) = irregular_file(self.root) {
            return Err(Failure::Refused(format!(
                "`{}` is not a regular file",
                path.display()
            )));
        }
        let mut child = self.command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => Failure::NotInstalled,
            _ => self.unanswered(&format!("failed to start git: {error}")),
        })?;
        let mut stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("it is a pipe");
        let stderr = child.stderr.take().expect("it is a pipe");
        let child = Mutex::new(child);
        let n_read = AtomicU64::new(0);
        let max_silence = self.max_silence;
        let is_killed = AtomicBool::new(false);
        let met = Mutex::new(None);
        let is_ended = AtomicBool::new(false);
        let obstacle = self.obstacle;
        let (stop, stopped) = channel::<()>();
        let (send_message, message) = channel::<Vec<u8>>();
        let has_input = input.is_some();
        let is_waiting = AtomicBool::new(true);
        std::thread::scope(|scope| {
            let write = input
                .zip(stdin.take_if(|_| has_input))
                .map(|(input, mut stdin)| {
                    // If git ends early, it does not need the rest.
                    Builder::new().spawn_scoped(scope, move || drop(stdin.write_all(&input)))
                });
            let (child, n_read, is_killed) = (&child, &n_read, &is_killed);
            let (met, is_ended) = (&met, &is_ended);
            let is_waiting = &is_waiting;
            let limit = Builder::new().spawn_scoped(scope, move || {
                let (start, mut last) = (Instant::now(), 0);
                if let Some(obstacle) = obstacle
                    && stopped.recv_timeout(QUIET) == Err(RecvTimeoutError::Timeout)
                    && n_read.load(Ordering::Relaxed) == 0
                    && let Some(why) = obstacle(is_ended)
                {
                    *met.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
                    return kill(child);
                }
                while stopped.recv_timeout(max_silence) == Err(RecvTimeoutError::Timeout) {
                    let now = n_read.load(Ordering::Relaxed);
                    if !is_waiting.load(Ordering::Relaxed) {
                        last = u64::MAX;
                        continue;
                    }
                    if now == last || (has_input && start.elapsed() > MAX_TIME) {
                        is_killed.store(true, Ordering::Relaxed);
                        return kill(child);
                    }
                    last = now;
                }
            });
            // Git waits while nobody reads its messages, also before the end of its output.
            let messages = Builder::new().spawn_scoped(scope, move || {
                send_message.send(messages::read(stderr)).is_ok()
            });
            if let Err(error) = limit
                .and(messages.map(drop))
                .and(write.transpose().map(drop))
            {
                kill(child);
                wait(child);
                return Err(self.unanswered(&format!("failed to start a thread: {error}")));
            }
            let max_output = if has_input { MAX_OUTPUT } else { u64::MAX };
            let mut stdout = BufReader::new(
                Counted {
                    pipe: stdout,
                    n_read,
                }
                .take(max_output),
            );
            let is_read = talk(stdin, &mut stdout, is_waiting).is_ok();
            // The rest of the output is not needed. At the end git is about to exit with its status.
            let is_at_end = stdout.fill_buf().is_ok_and(<[u8]>::is_empty);
            let is_whole = is_at_end && stdout.get_ref().limit() > 0;
            if !is_whole {
                kill(child);
            }
            let message = message.recv().unwrap_or_default();
            let message = String::from_utf8_lossy(&message).into_owned();
            let status = wait(child);
            is_ended.store(true, Ordering::Relaxed);
            drop(stop);
            if let Some(why) = met.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return Err(Failure::Refused(why));
            }
            if is_killed.load(Ordering::Relaxed) {
                EXCEEDED.record(self.root);
                return Err(self.unanswered(NO_ANSWER));
            }
            if is_read && (!is_at_end || status.is_some_and(|status| status.success())) {
                return Ok(message);
            }
            if status.is_none_or(|status| status.code().is_none()) {
                return Err(self.unanswered("git ended without an answer"));
            }
            Err(Failure::Refused(messages::reason(&message)))
        })
    }
}

/// Ends git with its helpers: `git` on the path may be a script that waits for it, and a process that holds
/// the pipes open would be waited for.
fn kill(child: &Mutex<Child>) {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    // The group of a finished process may be that of another one.
    if matches!(child.try_wait(), Ok(None)) {
        kill_group(&child);
        let _ = child.kill();
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn kill_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn kill_group(_: &Child) {}

/// Starts a command in a group of its own.
fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Waits for the end of a process and returns how it ended. It closed its output or was killed, so it
/// ends soon; otherwise the time limit ends it.
fn wait(child: &Mutex<Child>) -> Option<ExitStatus> {
    let mut pause = Duration::from_micros(50);
    loop {
        match child
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .try_wait()
        {
            Ok(Some(status)) => return Some(status),
            Ok(None) => {}
            Err(_) => return None,
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

/// Output of git that counts the bytes that were read.
struct Counted<'a, R> {
    pipe: R,
    n_read: &'a AtomicU64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n_bytes = self.pipe.read(buffer)?;
        self.n_read.fetch_add(n_bytes as u64, Ordering::Relaxed);
        Ok(n_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_which_git_was_too_slow_does_not_affect_others() {
        EXCEEDED.record(Path::new("/nowhere/slow"));
        assert!(EXCEEDED.is_within(Path::new("/nowhere/slow"), PAUSE));
        assert!(!EXCEEDED.is_within(Path::new("/nowhere/other"), PAUSE));
        let answer = Git::new(Path::new("/nowhere/slow"), ["version"]).output();
        assert_eq!(answer, Err(Failure::Refused(NO_ANSWER.to_owned())));
    }

    #[cfg(unix)]
    #[test]
    fn the_helpers_of_git_are_ended_with_it() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let mut command = Command::new("sh");
        command
            .args(["-c", "(sleep 5; touch late) & wait"])
            .current_dir(folder.path());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        own_group(&mut command);
        let max_silence = Duration::from_millis(50);
        let root = folder.path();
        let git = Git {
            root,
            command,
            input: Vec::new(),
            max_silence,
            obstacle: None,
        };
        assert_eq!(git.output(), Err(Failure::Refused(NO_ANSWER.to_owned())));
        assert!(
            !folder.path().join("late").exists(),
            "the helper was waited for"
        );
    }

    #[test]
    fn a_fact_that_git_did_not_give_is_named() {
        let root = Path::new("/nowhere/unanswered");
        EXCEEDED.record(root);
        let _ = Git::new(root, ["ls-files", "-z"]).output();
        let expected = "the list of files may be incomplete: git did not answer in time";
        assert!(
            failures().contains(&expected.to_owned()),
            "{:?}",
            failures()
        );
        // Git itself says that there is no repository.
        let folder = tempfile::tempdir().expect("a folder");
        let _ = Git::new(folder.path(), ["log"]).output();
        assert!(
            !failures().iter().any(|it| it.contains("history")),
            "{:?}",
            failures()
        );
    }
}
