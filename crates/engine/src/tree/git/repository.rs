//! The repository around a folder, with the git processes that answer one question after another.
//!
//! Each kind of question has one process, which is started with the first question and answers those of
//! all callers in turn. It ends with the program, or when nobody used it for some seconds.

use std::collections::BTreeMap;
use std::io::{BufRead, Error, ErrorKind, Read, Result};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::listing::Listing;
use super::process::{Failure, Git, Process};
use crate::tree::documents;

/// Time for which git is not started again in a folder after it exceeded a limit there: a command runs
/// git several times, and each of them would wait.
const PAUSE: Duration = Duration::from_secs(60);

/// Maximum number of bytes that are sent to git before its answers are read. A pipe holds them twice, so
/// that neither side waits for the other one.
pub(super) const MAX_REQUEST: usize = 2048;

/// A line that is not the id of an object: `diff-tree` repeats it, and sends all that it has. No answer
/// starts with it.
pub(super) const MARK: &[u8] = b"=\n";

/// A kind of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Talk {
    /// The objects with some names.
    Objects,
    /// The differences between commits. A line is a commit and the one with which it is compared.
    Changes,
    /// The files that commits renamed.
    Renames,
    /// The files that commits renamed, also to paths that other files had.
    Exchanges,
    /// The documents that commits renamed.
    Documents,
}

/// Options of the comparison of a commit with its first parent.
pub(super) const RENAMES: &[&str] = &[
    "diff-tree",
    "--stdin",
    "-r",
    "-m",
    "--first-parent",
    "--raw",
    "-z",
    "--no-abbrev",
    "--diff-filter=R",
    "--relative",
    "--ignore-submodules=all",
];

/// Minimum similarity of renamed files, and the maximum number of added times deleted files, as a square,
/// that are compared.
pub(super) const ALIKE: [&str; 2] = ["-M40%", "-l1000"];

impl Talk {
    const COUNT: usize = 5;

    fn start(self, root: &Path) -> std::result::Result<Process, Failure> {
        let history = |args: &[&str]| {
            let unknown = || Failure::Refused("there is no commit".to_owned());
            Git::for_history(root, args).ok_or_else(unknown)
        };
        let git = match self {
            Self::Objects => Git::new(root, ["cat-file", "--batch"]),
            Self::Changes => {
                let mut args = vec![
                    "diff-tree",
                    "--stdin",
                    "--always",
                    "-r",
                    "-m",
                    "--raw",
                    "-z",
                ];
                args.extend(["--no-renames", "--no-abbrev", "--relative"]);
                args.extend(["--ignore-submodules=dirty", "--format=%x01%H %ct %cs %s"]);
                history(&args)?
            }
            Self::Renames => history(&[RENAMES, &ALIKE].concat())?,
            Self::Exchanges => history(&[RENAMES, &ALIKE, &["-B"]].concat())?,
            Self::Documents => {
                let patterns = documents::pathspecs();
                let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
                history(&[RENAMES, &ALIKE, &["--"], &patterns].concat())?
            }
        };
        git.converse()
    }

    /// Asks whether git answers at all: it may not use the repository.
    fn greet(self, process: &mut Process) -> Result<()> {
        let greeting = match self {
            // The name of no object.
            Self::Objects => b"\n".as_slice(),
            Self::Changes | Self::Renames | Self::Exchanges | Self::Documents => MARK,
        };
        process.send(greeting)?;
        process.receive(|stdout| {
            let mut line = Vec::new();
            stdout.take(1024).read_until(b'\n', &mut line)?;
            if line.is_empty() {
                return Err(Error::from(ErrorKind::UnexpectedEof));
            }
            Ok(())
        })
    }
}

/// A repository, as the folder of a project knows it.
#[derive(Default)]
pub(super) struct Repository {
    pub(super) root: PathBuf,
    /// The running processes, by the kinds of questions.
    conversations: [Mutex<Option<Process>>; Talk::COUNT],
    /// When git last exceeded a limit.
    exceeded: Mutex<Option<Instant>>,
    /// Why git gave no answer of its own, by the facts that it was asked for.
    unanswered: Mutex<BTreeMap<&'static str, String>>,
    /// The last list of the index.
    pub(super) listing: Mutex<Option<Listing>>,
}

/// The repositories in which git was started.
static OPENED: Mutex<BTreeMap<PathBuf, Arc<Repository>>> = Mutex::new(BTreeMap::new());

/// Returns a warning for each fact that a command may lack because git was not started, was killed or
/// did not answer in time. A refusal of git itself is an answer.
pub fn failures() -> Vec<String> {
    let mut reasons: BTreeMap<&str, String> = BTreeMap::new();
    for repository in locked(&OPENED).values() {
        reasons.extend(locked(&repository.unanswered).clone());
    }
    let mut warnings = Vec::new();
    for (fact, why) in reasons {
        warnings.push(format!("{fact} may be incomplete: {why}"));
    }
    warnings
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Repository {
    /// Returns the repository around a folder.
    pub(super) fn at(root: &Path) -> Arc<Self> {
        let mut opened = locked(&OPENED);
        if let Some(known) = opened.get(root) {
            return Arc::clone(known);
        }
        let repository = Arc::new(Self {
            root: root.to_owned(),
            ..Self::default()
        });
        opened.insert(root.to_owned(), Arc::clone(&repository));
        repository
    }

    /// Passes the process for a kind of questions to `question`, which must not ask others of this kind.
    /// Returns `None` if git does not answer.
    pub(super) fn ask<R>(
        &self,
        talk: Talk,
        question: impl FnOnce(&mut Process) -> Result<R>,
    ) -> Option<R> {
        let mut slot = locked(&self.conversations[talk as usize]);
        let known = slot.take().filter(Process::begin);
        let mut process = match known {
            Some(process) => process,
            None => {
                let mut process = talk.start(&self.root).ok()?;
                if talk.greet(&mut process).is_err() {
                    process.failure();
                    return None;
                }
                process
            }
        };
        match question(&mut process) {
            Ok(answer) => {
                process.end();
                *slot = Some(process);
                Some(answer)
            }
            Err(_) => {
                process.failure();
                None
            }
        }
    }

    /// Returns whether git exceeded a limit a short time ago.
    pub(super) fn is_paused(&self) -> bool {
        locked(&self.exceeded).is_some_and(|at| at.elapsed() <= PAUSE)
    }

    /// Records that git exceeded a limit.
    pub(super) fn pause(&self) {
        *locked(&self.exceeded) = Some(Instant::now());
    }

    /// Records that a command ended without an answer of git itself.
    pub(super) fn unanswered(&self, fact: &'static str, why: &str) -> Failure {
        locked(&self.unanswered).insert(fact, why.to_owned());
        Failure::Refused(why.to_owned())
    }
}
