//! Runs the agent of a user without a terminal: a request on its standard input, its answer from its
//! standard output.
//!
//! It runs in an empty folder, so that no instructions, settings or hooks of the project apply, and its
//! process group ends with its answer, with its time, and with cerberus.

use std::ffi::OsStr;
use std::io::{Read, Write};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use cerberus_model::error::UserError;

/// How long an agent may take for an answer.
const MAX_TIME: Duration = Duration::from_secs(600);

/// Maximum number of bytes of an answer.
const MAX_ANSWER: u64 = 4 * 1024 * 1024;

/// Maximum number of bytes of the messages that are read, of which the last ones are shown.
const MAX_MESSAGES: u64 = 1024 * 1024;

/// Number of the last lines of the messages of an agent that failed.
const N_MESSAGES: usize = 5;

/// How a client is started so that it answers once, with its tools switched off.
struct Client {
    /// Its name for `--with`, and its program.
    name: &'static str,
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
    /// The JSON pointer of the text in its output; `None` if the output is the text.
    answer: Option<&'static str>,
}

const CLIENTS: &[Client] = &[];

/// The agent that a user named.
pub(super) struct Agent {
    client: Option<&'static Client>,
    /// As the user typed it.
    pub(super) typed: String,
}

impl Agent {
    /// Returns the known client with this name, or else the agent that this shell command starts.
    pub(super) fn new(typed: &str) -> Self {
        let client = CLIENTS.iter().find(|client| client.name == typed);
        Self { client, typed: typed.to_owned() }
    }

    /// Returns the name under which a choice is recorded: the program, without its arguments, which may
    /// be secret.
    pub(super) fn name(&self) -> &str {
        let mut words = self.typed.split_whitespace().filter(|word| !word.contains('='));
        let program = words.next().unwrap_or_default();
        Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or(program)
    }

    /// Returns the answer to a request.
    pub(super) fn ask(&self, request: &str) -> Result<String> {
        let Some(client) = self.client else {
            let mut command = Command::new("sh");
            command.args(["-c", &self.typed]);
            return self.output(command, request, MAX_TIME);
        };
        let mut command = Command::new(client.name);
        command.args(client.arguments).envs(client.environment.iter().copied());
        let output = self.output(command, request, MAX_TIME)?;
        let Some(pointer) = client.answer else { return Ok(output) };
        let text = serde_json::from_str::<Value>(&output).ok();
        let text = text.as_ref().and_then(|output| output.pointer(pointer)?.as_str());
        Ok(text.unwrap_or(&output).to_owned())
    }

    /// Runs a command to its end and returns its output.
    fn output(&self, mut command: Command, input: &str, max_time: Duration) -> Result<String> {
        let folder = tempfile::tempdir().context("failed to create a temporary folder")?;
        let group = Group::start().context("failed to start `sh`")?;
        group.add(&mut command);
        command.current_dir(folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn().map_err(|error| {
            UserError::environment(format!("failed to start `{}`: {error}", self.typed)).hint(
                "install it, or pass a command that reads the request on its input: --with COMMAND",
            )
        })?;
        let (mut stdin, input) = (child.stdin.take(), input.to_owned());
        // An agent that ends early does not need the rest.
        thread::spawn(move || stdin.as_mut().map(|stdin| stdin.write_all(input.as_bytes())));
        let answer = read(child.stdout.take(), MAX_ANSWER);
        let messages = read(child.stderr.take(), MAX_MESSAGES);
        let left = || max_time.saturating_sub(started.elapsed());
        let late = |_| {
            let minutes = max_time.as_secs() / 60;
            UserError::environment(format!("`{}` did not answer in {minutes} minutes", self.typed))
        };
        let answer = answer.recv_timeout(left()).map_err(late)?;
        let status = if answer.len() as u64 > MAX_ANSWER {
            let limit = MAX_ANSWER / 1024 / 1024;
            let message = format!("the answer of `{}` has more than {limit} MB", self.typed);
            return Err(UserError::environment(message).into());
        } else {
            ended(child).recv_timeout(left()).map_err(late)??
        };
        drop(group);
        if status.success() {
            return Ok(String::from_utf8_lossy(&answer).into_owned());
        }
        // A process that left the group may have the other end.
        let messages = messages.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        let messages = if messages.is_empty() { answer } else { messages };
        let messages = String::from_utf8_lossy(&messages);
        let lines: Vec<&str> = messages.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(N_MESSAGES)..].join(" | ");
        Err(UserError::environment(format!("`{}` failed ({status}): {last}", self.typed)).into())
    }
}

/// Reads a pipe to its end or to one byte more than the limit.
fn read(pipe: Option<impl Read + Send + 'static>, limit: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is the output.
        let _ = pipe.map(|pipe| pipe.take(limit + 1).read_to_end(&mut bytes));
        sender.send(bytes)
    });
    receiver
}

/// Returns where the status of a process arrives.
fn ended(mut child: Child) -> Receiver<std::io::Result<std::process::ExitStatus>> {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(child.wait()));
    receiver
}

/// A process group, which ends when this is dropped or cerberus ends, however it does: a shell in the
/// group reads from a pipe that only cerberus has.
struct Group {
    shell: Child,
    pipe: Option<ChildStdin>,
}

impl Group {
    fn start() -> std::io::Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", "read -r _; kill -s KILL 0"]);
        #[cfg(unix)]
        command.process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut shell = command.spawn()?;
        Ok(Self { pipe: shell.stdin.take(), shell })
    }

    fn add(&self, command: &mut Command) {
        #[cfg(unix)]
        command.process_group(i32::try_from(self.shell.id()).unwrap_or_default());
        #[cfg(not(unix))]
        let _ = command;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // It ends with the group.
        let _ = self.shell.wait();
    }
}
