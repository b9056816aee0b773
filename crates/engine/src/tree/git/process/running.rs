//! A process of git that runs, and the thread that limits its time.

use std::io::{BufRead, BufReader, ErrorKind, Read, Take, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use super::{Failure, NO_ANSWER, Obstacle};
use crate::tree::git::messages;
use crate::tree::git::repository::Repository;

/// Time without any output after which a list of files is looked into.
const QUIET: Duration = Duration::from_millis(300);

/// Maximum time of a process, also if it prints all the time.
const MAX_TIME: Duration = Duration::from_secs(60);

/// Time without a question after which a conversation ends, as a multiple of the time for an answer.
const MAX_IDLE: u32 = 6;

/// Maximum number of bytes that are read from a command that answers once. A conversation limits
/// each answer.
const MAX_OUTPUT: u64 = 512 * 1024 * 1024;

/// What a process is started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// One answer, whose time and length are limited.
    Answer,
    /// A conversation, of which only the time for each answer is limited: the answers of git must not
    /// depend on how long the caller works on them.
    Conversation,
}

/// The limits of a process.
pub(super) struct Limits {
    pub(super) purpose: Purpose,
    /// Maximum time without any output.
    pub(super) max_silence: Duration,
    /// Returns why the command cannot go on, if it gives no output for [`QUIET`].
    pub(super) obstacle: Option<Obstacle>,
}

/// Nobody uses the process.
const READY: u8 = 0;

/// The caller works between two answers.
const BUSY: u8 = 1;

/// The caller waits for git.
const WAITING: u8 = 2;

/// The process was ended because nobody used it.
const CLOSED: u8 = 3;

/// A running process, as the thread sees it that limits its time.
pub(super) struct Watched {
    root: PathBuf,
    pub(super) child: Mutex<Child>,
    limits: Limits,
    phase: AtomicU8,
    n_read: AtomicU64,
    is_ended: AtomicBool,
    /// Whether it was killed because it exceeded a limit.
    is_killed: AtomicBool,
    /// The obstacle that it met.
    met: Mutex<Option<String>>,
}

impl Watched {
    /// Ends the process when it exceeds a limit, until `stopped` is closed.
    fn watch(&self, stopped: &Receiver<()>) {
        let start = Instant::now();
        if let Some(obstacle) = self.limits.obstacle
            && stopped.recv_timeout(QUIET) == Err(RecvTimeoutError::Timeout)
            && self.n_read.load(Ordering::Relaxed) == 0
            && let Some(why) = obstacle(&self.root, &self.is_ended)
        {
            *self.met.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
            return kill(&self.child);
        }
        let mut last = 0;
        let mut used = start;
        while stopped.recv_timeout(self.limits.max_silence) == Err(RecvTimeoutError::Timeout) {
            let now = self.n_read.load(Ordering::Relaxed);
            match self.phase.load(Ordering::Relaxed) {
                WAITING => {
                    let is_late =
                        self.limits.purpose == Purpose::Answer && start.elapsed() > MAX_TIME;
                    if now == last || is_late {
                        self.is_killed.store(true, Ordering::Relaxed);
                        return kill(&self.child);
                    }
                    last = now;
                }
                READY if now == last => {
                    let is_idle = used.elapsed() > self.limits.max_silence * MAX_IDLE;
                    if is_idle && self.change_phase(READY, CLOSED) {
                        return kill(&self.child);
                    }
                }
                phase => {
                    used = Instant::now();
                    last = if phase == READY { now } else { u64::MAX };
                }
            }
        }
    }

    /// Changes the phase from one to another. Returns whether it was the first one.
    fn change_phase(&self, from: u8, to: u8) -> bool {
        let changed = self
            .phase
            .compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed);
        changed.is_ok()
    }
}

/// A running git process. It ends when it is dropped.
pub(in crate::tree::git) struct Process {
    repository: Arc<Repository>,
    /// What it answers.
    fact: &'static str,
    pub(super) watched: Arc<Watched>,
    stdin: Option<ChildStdin>,
    pub(super) stdout: BufReader<Take<Counted>>,
    messages: Receiver<Vec<u8>>,
    _stop: Sender<()>,
}

impl Process {
    /// Limits the time of a process that was started.
    pub(super) fn new(
        mut child: Child,
        repository: Arc<Repository>,
        fact: &'static str,
        limits: Limits,
    ) -> Result<Self, Failure> {
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("it is a pipe");
        let stderr = child.stderr.take().expect("it is a pipe");
        let (first_phase, max_output) = match limits.purpose {
            Purpose::Answer => (WAITING, MAX_OUTPUT),
            Purpose::Conversation => (BUSY, u64::MAX),
        };
        let watched = Arc::new(Watched {
            root: repository.root.clone(),
            child: Mutex::new(child),
            limits,
            phase: AtomicU8::new(first_phase),
            n_read: AtomicU64::new(0),
            is_ended: AtomicBool::new(false),
            is_killed: AtomicBool::new(false),
            met: Mutex::new(None),
        });
        let (stop, stopped) = channel::<()>();
        let (send_message, messages) = channel::<Vec<u8>>();
        let counted = Counted {
            pipe: stdout,
            watched: Arc::clone(&watched),
        };
        let process = Self {
            repository,
            fact,
            watched: Arc::clone(&watched),
            stdin,
            stdout: BufReader::new(counted.take(max_output)),
            messages,
            _stop: stop,
        };
        process.spawn(move || watched.watch(&stopped))?;
        // Git waits while nobody reads its messages, also before the end of its output.
        process.spawn(move || drop(send_message.send(messages::read(stderr))))?;
        Ok(process)
    }

    /// Writes all of the input.
    pub(super) fn with_input(mut self, input: Vec<u8>) -> Result<Self, Failure> {
        if let Some(mut stdin) = self.stdin.take() {
            // If git ends early, it does not need the rest.
            self.spawn(move || drop(stdin.write_all(&input)))?;
        }
        Ok(self)
    }

    /// Starts a thread.
    fn spawn(&self, work: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
        let started = Builder::new().spawn(work);
        started.map(drop).map_err(|error| {
            let why = format!("failed to start a thread: {error}");
            self.unanswered(&why)
        })
    }

    /// Begins a question of a conversation. Returns `false` if the process was ended meanwhile, because
    /// nobody used it.
    pub(in crate::tree::git) fn begin(&self) -> bool {
        self.watched.change_phase(READY, BUSY)
    }

    /// Ends a question of a conversation.
    pub(in crate::tree::git) fn end(&self) {
        self.watched.phase.store(READY, Ordering::Relaxed);
    }

    /// Sends a request, which a pipe can hold.
    pub(in crate::tree::git) fn send(&mut self, request: &[u8]) -> std::io::Result<()> {
        let Some(stdin) = &mut self.stdin else {
            return Err(ErrorKind::BrokenPipe.into());
        };
        self.watched.phase.store(WAITING, Ordering::Relaxed);
        let sent = stdin.write_all(request).and_then(|()| stdin.flush());
        self.watched.phase.store(BUSY, Ordering::Relaxed);
        sent
    }

    /// Passes the output to `read`, which returns after the answer.
    pub(in crate::tree::git) fn receive<R>(
        &mut self,
        read: impl FnOnce(&mut dyn BufRead) -> std::io::Result<R>,
    ) -> std::io::Result<R> {
        self.watched.phase.store(WAITING, Ordering::Relaxed);
        let answer = read(&mut self.stdout);
        self.watched.phase.store(BUSY, Ordering::Relaxed);
        answer
    }

    /// Ends a conversation in which git did not answer, and returns why.
    pub(in crate::tree::git) fn failure(mut self) -> Failure {
        self.stdin = None;
        self.watched.phase.store(WAITING, Ordering::Relaxed);
        match self.finish(false) {
            Err(failure) => failure,
            Ok(message) => Failure::Refused(message),
        }
    }

    /// Waits for the end of the command and returns its messages, or why it failed. `is_read` is whether
    /// its output could be read.
    pub(super) fn finish(mut self, is_read: bool) -> Result<String, Failure> {
        // The rest of the output is not needed. At the end git is about to exit with its status.
        let is_at_end = self.stdout.fill_buf().is_ok_and(<[u8]>::is_empty);
        let is_whole = is_at_end && self.stdout.get_ref().limit() > 0;
        if !is_whole {
            kill(&self.watched.child);
        }
        let message = self.messages.recv().unwrap_or_default();
        let message = String::from_utf8_lossy(&message).into_owned();
        let status = wait(&self.watched.child);
        self.watched.is_ended.store(true, Ordering::Relaxed);
        let met = &self.watched.met;
        if let Some(why) = met.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(Failure::Refused(why));
        }
        if self.watched.is_killed.load(Ordering::Relaxed) {
            self.repository.pause();
            return Err(self.unanswered(NO_ANSWER));
        }
        if is_read && (!is_at_end || status.is_some_and(|status| status.success())) {
            return Ok(message);
        }
        if status.is_none_or(|status| status.code().is_none()) {
            return Err(self.unanswered("git ended without an answer"));
        }
        Err(Failure::Refused(messages::reason(&message)))
    }

    fn unanswered(&self, why: &str) -> Failure {
        self.repository.unanswered(self.fact, why)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.watched.is_ended.store(true, Ordering::Relaxed);
        kill(&self.watched.child);
        wait(&self.watched.child);
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

/// Waits for the end of a process and returns how it ended. It closed its output or was killed, so it
/// ends soon; otherwise the time limit ends it.
pub(super) fn wait(child: &Mutex<Child>) -> Option<ExitStatus> {
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
pub(super) struct Counted {
    pipe: ChildStdout,
    watched: Arc<Watched>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n_bytes = self.pipe.read(buffer)?;
        self.watched
            .n_read
            .fetch_add(n_bytes as u64, Ordering::Relaxed);
        Ok(n_bytes)
    }
}
