//! Runs the agent of a user without a terminal: a request on its standard input, its answer from its
//! standard output.
//!
//! It runs in an empty folder, so that no instructions, settings or hooks of the project apply, and its
//! process group ends with its answer, with its time, and with cerberus. How a known client is started so
//! that it answers once, with its tools switched off, is data (`agent/clients.json`).

use std::ffi::OsStr;
use std::io::{Read, Write};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::Deserializer;

use crate::commands::demo::write;
use crate::commands::prelude::*;
use cerberus_bank::tokens;

/// How long an agent may take for an answer.
const MAX_TIME: Duration = Duration::from_secs(600);

/// Maximum number of bytes of an answer.
const MAX_ANSWER: u64 = 4 * 1024 * 1024;

/// Number of characters that are shown of an answer that is not valid, and of the last messages of an agent
/// that failed.
const N_SHOWN: usize = 300;

/// How a client is started. `{folder}` in a value is its folder.
#[derive(Deserialize)]
struct Client {
    /// Its name for `--with`, and its program.
    name: String,
    arguments: Vec<String>,
    /// Variables to set, or to remove without a value.
    environment: BTreeMap<String, Option<String>>,
    /// Files to write in its folder, by their paths.
    files: BTreeMap<String, String>,
    /// Arguments that print its servers as JSON, and the option that switches one of them off.
    servers: Option<(Vec<String>, String)>,
    /// The JSON pointer of the text in the last document of the output in which a member has a value.
    answer: String,
    member: Option<(String, String)>,
}

/// The agent that a user named.
pub(super) struct Agent {
    client: Option<Client>,
    /// As the user typed it.
    typed: String,
}

/// Estimated before, counted afterwards.
#[derive(Debug, Default, Serialize)]
pub(super) struct Tokens {
    pub(super) estimated: usize,
    pub(super) sent: usize,
    pub(super) received: usize,
    /// No request is sent with which there are more.
    #[serde(skip)]
    pub(super) max: Option<usize>,
}

impl Agent {
    /// Returns the known client with this name, or else the agent that this shell command starts.
    pub(super) fn new(typed: &str) -> Result<Self> {
        let clients: Vec<Client> = serde_json::from_str(include_str!("agent/clients.json"))?;
        let client = clients.into_iter().find(|client| client.name == typed);
        Ok(Self { client, typed: typed.to_owned() })
    }

    /// Returns the name under which a choice is recorded: the program, without its arguments, which may
    /// be secret.
    pub(super) fn name(&self) -> &str {
        let mut words = self.typed.split_whitespace().filter(|word| !word.contains('='));
        let program = words.next().unwrap_or_default();
        Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or(program)
    }

    /// Returns the JSON object in the answer to a request, or `None` if it would exceed the number of tokens.
    /// An answer that cannot be read is asked for once more.
    pub(super) fn answer<T: DeserializeOwned>(
        &self,
        request: &str,
        tokens: &mut Tokens,
    ) -> Result<Option<T>> {
        let n_tokens = tokens::count(request);
        let mut is_repeated = false;
        loop {
            if tokens.max.is_some_and(|max| tokens.sent + tokens.received + n_tokens > max) {
                return Ok(None);
            }
            let answer = self.ask(request)?;
            tokens.sent += n_tokens;
            tokens.received += tokens::count(&answer);
            match parsed(&answer) {
                Ok(object) => return Ok(Some(object)),
                Err(_) if !is_repeated => is_repeated = true,
                Err(why) => {
                    let start: String = answer.trim().chars().take(N_SHOWN).collect();
                    let (typed, start) = (&self.typed, start.escape_debug());
                    return Err(UserError::environment(format!(
                        "failed to read the answer of `{typed}`: {why}; it starts with `{start}`"
                    ))
                    .into());
                }
            }
        }
    }

    /// Returns the text of the answer to a request.
    fn ask(&self, request: &str) -> Result<String> {
        let folder = tempfile::tempdir().context("failed to create a temporary folder")?;
        let folder = folder.path();
        let Some(client) = &self.client else {
            let arguments = ["-c".to_owned(), self.typed.clone()];
            return self.output(command("sh", &arguments, folder), request, MAX_TIME);
        };
        let placed = |text: &str| text.replace("{folder}", &folder.to_string_lossy());
        for (path, text) in &client.files {
            write(&folder.join(path), text)?;
        }
        let mut arguments: Vec<String> = client.arguments.iter().map(|it| placed(it)).collect();
        if let Some((list, option)) = &client.servers {
            let output = self.output(command(&client.name, list, folder), "", MAX_TIME)?;
            let listed: Value = serde_json::from_str(&output).unwrap_or_default();
            for name in listed["mcpServers"].as_object().into_iter().flat_map(|it| it.keys()) {
                arguments.extend([option.clone(), name.clone()]);
            }
        }
        let mut command = command(&client.name, &arguments, folder);
        for (name, value) in &client.environment {
            match value {
                Some(value) => command.env(name, placed(value)),
                None => command.env_remove(name),
            };
        }
        // Clients expand mentions of files and skills before their model reads the prompt.
        let request = request.replace('@', "\\u0040").replace('$', "\\u0024");
        let output = self.output(command, &request, MAX_TIME)?;
        client.text(&output).ok_or_else(|| self.failed(&output).into())
    }

    /// Runs a command to its end and returns its output.
    fn output(&self, mut command: Command, input: &str, max_time: Duration) -> Result<String> {
        let group = Group::start(&mut command).context("failed to start `sh`")?;
        let started = Instant::now();
        let mut child = command.spawn().map_err(|error| {
            UserError::environment(format!("failed to start `{}`: {error}", self.typed)).hint(
                "install it, or pass a command that reads the request on its input: --with COMMAND",
            )
        })?;
        let (mut stdin, input) = (child.stdin.take(), input.to_owned());
        // An agent that ends early does not need the rest.
        let write = move || stdin.as_mut().map(|stdin| stdin.write_all(input.as_bytes()));
        let _written = elsewhere(write)?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (output, messages) = (elsewhere(|| read(stdout))?, elsewhere(|| read(stderr))?);
        let left = || max_time.saturating_sub(started.elapsed());
        let late = |_| {
            let minutes = max_time.as_secs() / 60;
            UserError::environment(format!("`{}` gave no answer in {minutes} minutes", self.typed))
        };
        let output = output.recv_timeout(left()).map_err(late)?;
        if output.len() as u64 > MAX_ANSWER {
            let limit = MAX_ANSWER / 1024 / 1024;
            let message = format!("the output of `{}` has more than {limit} MB", self.typed);
            return Err(UserError::environment(message).into());
        }
        let status = elsewhere(move || child.wait())?.recv_timeout(left()).map_err(late)??;
        drop(group);
        let output = String::from_utf8_lossy(&output).into_owned();
        if status.success() {
            return Ok(output);
        }
        // A process that left the group may have the other end of the pipe.
        let messages = messages.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        let messages = String::from_utf8_lossy(&messages);
        let answered = self.client.as_ref().and_then(|client| client.text(&output));
        Err(self.failed(answered.as_deref().unwrap_or(&format!("{output}{messages}"))).into())
    }

    /// Returns the error of an agent whose last messages are these.
    fn failed(&self, messages: &str) -> UserError {
        let messages = messages.trim();
        let n_chars = messages.chars().count();
        let last: String = messages.chars().skip(n_chars.saturating_sub(N_SHOWN)).collect();
        UserError::environment(format!("`{}` failed: {}", self.typed, last.escape_debug()))
    }
}

impl Client {
    /// Returns the text of the answer in the output.
    fn text(&self, output: &str) -> Option<String> {
        let documents = Deserializer::from_str(output).into_iter::<Value>().map_while(Result::ok);
        let is_answer = |it: &Value| match &self.member {
            Some((pointer, value)) => it.pointer(pointer).is_some_and(|found| found == value),
            None => true,
        };
        let texts = documents.filter(is_answer);
        texts.filter_map(|it| Some(it.pointer(&self.answer)?.as_str()?.to_owned())).last()
    }
}

/// Returns the JSON object of an answer, around which there may be other text.
fn parsed<T: DeserializeOwned>(answer: &str) -> Result<T, String> {
    let object = answer.find('{').zip(answer.rfind('}'));
    let object = object.and_then(|(first, last)| answer.get(first..=last));
    let object = object.ok_or("it has no JSON object")?;
    serde_json::from_str(object).map_err(|error| error.to_string())
}

fn command(program: &str, arguments: &[String], folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("PWD", folder).env_remove("OLDPWD");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Reads a pipe to its end, or to one byte more than the limit.
fn read(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What was read before an error is the output.
    let _ = pipe.map(|pipe| pipe.take(MAX_ANSWER + 1).read_to_end(&mut bytes));
    bytes
}

/// Runs work that may take longer than it may be waited for.
fn elsewhere<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<Receiver<T>> {
    let (sender, receiver) = channel();
    let work = move || sender.send(work());
    thread::Builder::new().spawn(work).context("failed to start a thread")?;
    Ok(receiver)
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
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(unix)]
        command.process_group(0);
        let mut shell = command.spawn()?;
        #[cfg(unix)]
        member.process_group(i32::try_from(shell.id()).unwrap_or_default());
        Ok(Self { pipe: shell.stdin.take(), shell })
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
    use super::*;

    fn agent(typed: &str) -> Agent {
        Agent::new(typed).expect("valid clients")
    }

    fn output(script: &str, input: &str, max_time: Duration) -> Result<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let arguments = ["-c".to_owned(), script.to_owned()];
        agent(script).output(command("sh", &arguments, folder.path()), input, max_time)
    }

    #[test]
    fn a_choice_is_recorded_under_the_name_of_the_program() {
        for (typed, name) in [
            ("claude", "claude"),
            ("/opt/bin/read.sh --key x", "read.sh"),
            ("KEY=secret python3 reader.py", "python3"),
        ] {
            assert_eq!(agent(typed).name(), name);
        }
    }

    #[test]
    fn a_command_gets_the_input_in_an_empty_folder() {
        let long = "x".repeat(300_000);
        let ask = |script| output(script, &long, MAX_TIME);
        assert_eq!(ask("cat").expect("an answer"), long);
        assert_eq!(ask("ls -a | wc -l").expect("an answer").trim(), "2");
        assert_eq!(ask("exec <&-; echo early").expect("an answer"), "early\n");
        let failure = ask("echo one >&2; echo 'not logged in' >&2; exit 3").expect_err("failed");
        assert!(failure.to_string().ends_with("failed: one\\nnot logged in"), "{failure}");
        let large = output("yes", "", MAX_TIME).expect_err("too much").to_string();
        assert_eq!(large, "the output of `yes` has more than 4 MB");
    }

    #[cfg(unix)]
    #[test]
    fn the_processes_of_an_agent_end_with_its_time_and_its_answer() {
        let folder = tempfile::tempdir().expect("a folder");
        // The other end of the pipe closes when the last process of the agent ends.
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
        assert!(made.success());
        for (end, answers) in [("sleep 1000", false), ("echo done", true)] {
            let script = format!("exec 3>{}; sleep 1000 >&- 2>&- & {end}", pipe.display());
            let path = pipe.clone();
            let reader = Command::new("cat").arg(path).stdout(Stdio::null()).spawn();
            let result = output(&script, "", Duration::from_secs(if answers { 600 } else { 1 }));
            assert_eq!(result.is_ok(), answers, "{result:?}");
            assert!(reader.expect("it starts").wait().expect("it ends").success());
        }
    }

    #[test]
    fn the_object_of_an_answer_is_found_in_other_text() {
        #[derive(Debug, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Answer {
            rules: Vec<String>,
        }
        let answer = json!({ "rules": ["a"] });
        for text in [
            answer.to_string(),
            format!("Here it is:\n```json\n{answer:#}\n```\nDone."),
            format!("\u{feff}{answer}\n"),
        ] {
            assert_eq!(parsed(&text), Ok(Answer { rules: vec!["a".to_owned()] }), "{text}");
        }
        for (text, why) in [
            ("", "it has no JSON object"),
            ("} and {", "it has no JSON object"),
            ("{}", "missing field `rules`"),
            ("{\"rules\": [", "it has no JSON object"),
            ("{\"rules\": [}", "expected value"),
            ("{\"rules\": [], \"run\": \"ls\"}", "unknown field `run`"),
            ("{\"rules\": {}}", "invalid type: map"),
        ] {
            let error = parsed::<Answer>(text).expect_err(text);
            assert!(error.starts_with(why), "{text}: {error}");
        }
    }

    #[test]
    fn the_text_is_found_in_the_output_of_each_client() {
        for (name, output) in [
            ("claude", r#"{"type":"result","is_error":false,"result":"TEXT"}"#),
            (
                "codex",
                "{\"type\":\"thread.started\"}\n\
                 {\"type\":\"item.completed\",\"item\":{\"type\":\"reasoning\",\"text\":\"hm\"}}\n\
                 {\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"TEXT\"}}\n\
                 {\"type\":\"turn.completed\"}\n",
            ),
            (
                "copilot",
                "{\"type\":\"user.message\",\"data\":{\"content\":\"request\"}}\n\
                 {\"type\":\"assistant.message\",\"data\":{\"content\":\"TEXT\"}}\n\
                 {\"type\":\"result\"}\n",
            ),
            ("gemini", "{\n  \"session_id\": \"x\",\n  \"response\": \"TEXT\"\n}"),
            (
                "opencode",
                "{\"type\":\"step_start\"}\n{\"type\":\"text\",\"part\":{\"text\":\"TEXT\"}}\n{\"type\":\"step_finish\"}\n",
            ),
        ] {
            let client = agent(name).client.expect(name);
            assert_eq!(client.text(output).as_deref(), Some("TEXT"), "{name}");
            assert_eq!(client.text("Not logged in"), None, "{name}");
        }
    }
}
