//! Runs git with a time limit and bounded output. Only this module starts git.
//!
//! A repository may be untrusted. Settings with which it names programs are overridden, no command
//! compares files of the working tree, because git would run their filters, and git is not started
//! if it would open something else than a regular file, such as a named pipe, which blocks.

use std::ffi::OsStr;
use std::io::{BufRead, ErrorKind, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::repository::Repository;
use super::{is_in_repository, with_objects};

mod opened_files;
mod running;

use opened_files::irregular_file;
pub(super) use opened_files::{index_file, shared_file};
pub(super) use running::Process;
use running::{Limits, Purpose};

/// Maximum time without any output. The slowest query reads 5,000 commits in about 0.15 s.
const MAX_SILENCE: Duration = Duration::from_secs(5);

/// Maximum time without any output while git searches the history.
const MAX_HISTORY_SILENCE: Duration = Duration::from_secs(30);

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

/// Why git gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    NotInstalled,
    /// The reason, which may be git's own message.
    Refused(String),
}

/// Returns why a command that gives no output in a folder cannot go on, if so. The flag is set when the
/// command ends.
pub(super) type Obstacle = fn(&Path, &AtomicBool) -> Option<String>;

/// A git command that was not started yet.
pub(super) struct Git {
    repository: Arc<Repository>,
    command: Command,
    input: Vec<u8>,
    max_silence: Duration,
    /// Returns why the command cannot go on, if it gives no output for a while.
    obstacle: Option<Obstacle>,
}

impl Git {
    pub(super) fn new<S: AsRef<OsStr>>(root: &Path, args: impl IntoIterator<Item = S>) -> Self {
        let mut git = Self::plain(root);
        for setting in OVERRIDES {
            git.command.args(["-c", setting]);
        }
        git.command.args(args);
        git
    }

    /// Like [`Git::new`], but with the settings of the repository, for queries of settings.
    pub(super) fn with_settings(root: &Path, args: &[&str]) -> Self {
        let mut git = Self::plain(root);
        git.command.args(args);
        git
    }

    fn plain(root: &Path) -> Self {
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
            repository: Repository::at(root),
            command,
            input: Vec::new(),
            max_silence: MAX_SILENCE,
            obstacle: None,
        }
    }

    /// Like [`Git::new`], for renames and log, which take longer. Returns `None` if there is no commit,
    /// or if git does not answer a simple query in the usual time.
    pub(super) fn for_history(root: &Path, args: &[&str]) -> Option<Self> {
        with_objects(root, |objects| objects.find("HEAD"))??;
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
        let bytes = self.bytes()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns the output, or why there is none.
    pub(super) fn output(self) -> Result<Vec<u8>, Failure> {
        let mut output = Vec::new();
        self.read(|stdout| stdout.read_to_end(&mut output).map(|_| ()))?;
        Ok(output)
    }

    /// Returns the output of a command that lists files, which may take longer, and its messages. It is
    /// ended if there is an obstacle.
    pub(super) fn listing(mut self, obstacle: Obstacle) -> Result<(Vec<u8>, String), Failure> {
        self.max_silence = MAX_HISTORY_SILENCE;
        self.obstacle = Some(obstacle);
        let mut process = self.start(Purpose::Answer)?;
        let mut output = Vec::new();
        let is_read = process.stdout.read_to_end(&mut output).is_ok();
        let messages = process.finish(is_read)?;
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
        self,
        read: impl FnOnce(&mut dyn BufRead) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        let mut process = self.start(Purpose::Answer)?;
        let is_read = read(&mut process.stdout).is_ok();
        process.finish(is_read)?;
        Ok(())
    }

    /// Starts a process that answers one question after another.
    pub(super) fn converse(self) -> Result<Process, Failure> {
        self.start(Purpose::Conversation)
    }

    /// Starts the command with a time limit.
    fn start(mut self, purpose: Purpose) -> Result<Process, Failure> {
        let repository = self.repository;
        let fact = fact_of(&self.command);
        if repository.is_paused() {
            return Err(repository.unanswered(fact, NO_ANSWER));
        }
        if let Some(path) = irregular_file(&repository.root) {
            let why = format!("`{}` is not a regular file", path.display());
            return Err(Failure::Refused(why));
        }
        let child = self.command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => Failure::NotInstalled,
            _ => repository.unanswered(fact, &format!("failed to start git: {error}")),
        })?;
        let limits = Limits {
            purpose,
            max_silence: self.max_silence,
            obstacle: self.obstacle,
        };
        Process::new(child, repository, fact, limits).and_then(|process| match purpose {
            Purpose::Answer => process.with_input(self.input),
            Purpose::Conversation => Ok(process),
        })
    }
}

/// Starts a command in a group of its own.
fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Returns what a command answers.
fn fact_of(command: &Command) -> &'static str {
    for (fact, commands) in FACTS {
        let is_asked = |arg: &OsStr| commands.iter().any(|name| arg == *name);
        if command.get_args().any(is_asked) {
            return fact;
        }
    }
    "what git knows of the project"
}

#[cfg(test)]
mod tests {
    use super::super::failures;
    use super::running::wait;
    use super::*;

    #[test]
    fn a_folder_in_which_git_was_too_slow_does_not_affect_others() {
        let slow = Repository::at(Path::new("/nowhere/slow"));
        slow.pause();
        assert!(slow.is_paused());
        assert!(!Repository::at(Path::new("/nowhere/other")).is_paused());
        let answer = Git::new(Path::new("/nowhere/slow"), ["version"]).output();
        assert_eq!(answer, Err(Failure::Refused(NO_ANSWER.to_owned())));
    }

    #[cfg(unix)]
    fn script(folder: &Path, script: &str) -> Git {
        let mut git = Git::new(folder, ["version"]);
        git.command = Command::new("sh");
        git.command.args(["-c", script]).current_dir(folder);
        git.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        own_group(&mut git.command);
        git.max_silence = Duration::from_millis(50);
        git
    }

    #[cfg(unix)]
    #[test]
    fn the_helpers_of_git_are_ended_with_it() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let git = script(folder.path(), "(sleep 5; touch late) & wait");
        assert_eq!(git.output(), Err(Failure::Refused(NO_ANSWER.to_owned())));
        assert!(
            !folder.path().join("late").exists(),
            "the helper was waited for"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_conversation_ends_when_nobody_uses_it() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let mut process = script(folder.path(), "cat").converse().expect("it starts");
        process.send(b"a\n").expect("it reads");
        let answer = process.receive(|stdout| {
            let mut line = String::new();
            stdout.read_line(&mut line).map(|_| line)
        });
        assert_eq!(answer.expect("it answers"), "a\n");
        process.end();
        let status = wait(&process.watched.child);
        assert!(status.is_some_and(|status| !status.success()));
        assert!(!process.begin(), "the next question needs another process");
    }

    #[test]
    fn a_fact_that_git_did_not_give_is_named() {
        let root = Path::new("/nowhere/unanswered");
        Repository::at(root).pause();
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
