//! Runs a program to its end, to the end of its time, or until it shows no progress any more.
//!
//! Its process group ends with it, and with cerberus. What a process that it left behind still prints is
//! not waited for.

use std::collections::HashSet;
use std::io::{Read, Write};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Maximum number of bytes of an output.
pub(super) const MAX_OUTPUT: usize = 4 * 1024 * 1024;

/// Number of bytes that are stored of the messages on stderr: the last ones have the cause of a failure.
const N_MESSAGES: usize = 64 * 1024;

/// How long the rest of an output is waited for after the end of a program. All that it wrote is in the
/// pipe already; only a process that left its group can hold the pipe open longer.
const MAX_REST: Duration = Duration::from_secs(1);

/// How long a program may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) total: Duration,
    /// Without progress.
    pub(super) silence: Duration,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Exited(ExitStatus),
    /// It took longer than the total.
    Late,
    /// It showed no progress.
    Silent,
    /// It printed more than the maximum.
    Long,
}

/// What a program printed, and how it ended.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) output: String,
    pub(super) messages: String,
    pub(super) end: End,
}

/// What happens while a program runs.
enum Event {
    Output(Vec<u8>),
    Message(Vec<u8>),
    /// A pipe is at its end.
    Closed,
    Exited(std::io::Result<ExitStatus>),
}

/// Runs a command with an input.
pub(super) fn run(command: &mut Command, input: &str, limits: Limits) -> Result<Outcome> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let group = Group::start(command).context("failed to start `sh`")?;
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take();
    let input = input.to_owned();
    elsewhere(move || {
        // A program that ends early does not need the rest.
        let _written = stdin
            .as_mut()
            .map(|stdin| stdin.write_all(input.as_bytes()));
    })?;
    let (sender, events) = channel();
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    forward(stdout, Event::Output, sender.clone())?;
    forward(stderr, Event::Message, sender.clone())?;
    elsewhere(move || {
        let _sent = sender.send(Event::Exited(child.wait()));
    })?;
    let mut streams = Streams::default();
    let end = streams.until_end(&events, limits)?;
    // It kills all that is left.
    drop(group);
    streams.read_rest(&events);
    Ok(Outcome {
        output: String::from_utf8_lossy(&streams.output).into_owned(),
        messages: String::from_utf8_lossy(&streams.messages).into_owned(),
        end,
    })
}

/// What was printed so far.
#[derive(Default)]
struct Streams {
    output: Vec<u8>,
    messages: Vec<u8>,
    n_closed: usize,
    progress: Progress,
}

impl Streams {
    /// Reads events until a program ended or has to end.
    fn until_end(&mut self, events: &Receiver<Event>, limits: Limits) -> Result<End> {
        let started = Instant::now();
        let mut last_progress = started;
        loop {
            let now = Instant::now();
            let left = limits.total.saturating_sub(now - started);
            let quiet = limits.silence.saturating_sub(now - last_progress);
            if left.is_zero() {
                return Ok(End::Late);
            }
            if quiet.is_zero() {
                return Ok(End::Silent);
            }
            let event = match events.recv_timeout(left.min(quiet)) {
                Ok(Event::Exited(status)) => return Ok(End::Exited(status?)),
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => continue,
            };
            if self.add(event) {
                last_progress = Instant::now();
            }
            if self.output.len() > MAX_OUTPUT {
                return Ok(End::Long);
            }
        }
    }

    /// Reads what is still in the pipes.
    fn read_rest(&mut self, events: &Receiver<Event>) {
        let end = Instant::now() + MAX_REST;
        while self.n_closed < 2 && self.output.len() <= MAX_OUTPUT {
            let left = end.saturating_duration_since(Instant::now());
            match events.recv_timeout(left) {
                Ok(event) => self.add(event),
                Err(_) => return,
            };
        }
    }

    /// Stores what was printed. Returns whether it is progress.
    fn add(&mut self, event: Event) -> bool {
        match event {
            Event::Output(bytes) => {
                self.output.extend_from_slice(&bytes);
                self.progress.is_new(&bytes)
            }
            Event::Message(bytes) => {
                self.messages.extend_from_slice(&bytes);
                let n_more = self.messages.len().saturating_sub(N_MESSAGES);
                self.messages.drain(..n_more);
                self.progress.is_new(&bytes)
            }
            Event::Closed => {
                self.n_closed += 1;
                false
            }
            Event::Exited(_) => false,
        }
    }
}

/// The lines that were printed, without their digits: a line that comes again, perhaps with another time or
/// number of attempts, is not progress.
#[derive(Default)]
struct Progress {
    seen: HashSet<Vec<u8>>,
}

impl Progress {
    fn is_new(&mut self, bytes: &[u8]) -> bool {
        let mut is_new = false;
        for line in bytes.split(|byte| *byte == b'\n') {
            let line: Vec<u8> = line
                .iter()
                .copied()
                .filter(|byte| !byte.is_ascii_digit())
                .collect();
            if !line.trim_ascii().is_empty() && self.seen.insert(line) {
                is_new = true;
            }
        }
        is_new
    }
}

/// Sends what is read from a pipe, and its end.
fn forward(
    pipe: Option<impl Read + Send + 'static>,
    event: fn(Vec<u8>) -> Event,
    sender: Sender<Event>,
) -> Result<()> {
    elsewhere(move || {
        let mut bytes = vec![0; 64 * 1024];
        if let Some(mut pipe) = pipe {
            // What was read before an error is the output.
            while let Ok(n_bytes @ 1..) = pipe.read(&mut bytes) {
                if sender.send(event(bytes[..n_bytes].to_vec())).is_err() {
                    return;
                }
            }
        }
        let _sent = sender.send(Event::Closed);
    })
}

/// Runs work that may take longer than it may be waited for.
fn elsewhere(work: impl FnOnce() + Send + 'static) -> Result<()> {
    thread::Builder::new()
        .spawn(work)
        .context("failed to start a thread")?;
    Ok(())
}

/// A process group, which ends when this is dropped or cerberus ends, however it does: a shell in the
/// group reads from a pipe that only cerberus has.
struct Group {
    shell: Child,
    pipe: Option<ChildStdin>,
}

impl Group {
    /// Starts a group for a command that is not started yet.
    fn start(member: &mut Command) -> std::io::Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", "read -r _; kill -s KILL 0"]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        #[cfg(unix)]
        command.process_group(0);
        let mut shell = command.spawn()?;
        #[cfg(unix)]
        member.process_group(i32::try_from(shell.id()).unwrap_or_default());
        Ok(Self {
            pipe: shell.stdin.take(),
            shell,
        })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // It ends with the group.
        let _ = self.shell.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::Progress;

    #[test]
    fn a_line_that_differs_only_in_its_digits_is_not_progress() {
        let mut progress = Progress::default();
        for (bytes, is_new) in [
            ("12:00 attempt 1\n", true),
            ("12:01 attempt 2\n12:02 attempt 3\n", false),
            ("\n \n7\n", false),
            ("12:03 attempt 4\nconnected\n", true),
            ("connected\n", false),
            ("\u{fffd}", true),
        ] {
            assert_eq!(progress.is_new(bytes.as_bytes()), is_new, "{bytes:?}");
        }
    }
}
