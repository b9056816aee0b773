//! Runs the agent of a user without a terminal: a request on its standard input, its answer from its
//! standard output.
//!
//! It runs in an empty folder, so that no instructions, settings or hooks of the project apply, and its
//! process group ends with its answer, with its time, and with cerberus. How a known client is started so
//! that it answers once, with its tools switched off and with the provider and the model of its user, is
//! data (`agents/NAME.toml`).

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use cerberus_bank::tokens;
use cerberus_model::error::UserError;
use serde::Serialize;
use serde_json::{Value, json};

use crate::agents::{self, Headless, Providers, UserServers};
use crate::commands::temporary::write;
use crate::config;

mod client;
mod destination;
mod process;
mod values;

use client::printable;
use destination::Place;
use process::{End, Limits};

/// How long an agent may take for an answer.
const MAX_TIME: Duration = Duration::from_secs(600);

/// How long a known client may show no progress. Those that can are started so that they print each part of
/// an answer, and the others each step: a request has items for less than a minute of text. A command of the
/// user may print nothing before its answer, so it has the whole time.
const MAX_SILENCE: Duration = Duration::from_secs(60);

/// Number of characters that are shown of an answer that is not valid.
const N_SHOWN: usize = 300;

/// A known agent that answers without a terminal.
#[derive(Clone, Copy)]
struct Client {
    name: &'static str,
    headless: &'static Headless,
}

/// The agent that a user named.
pub(super) struct Agent {
    client: Option<Client>,
    /// As the user typed it.
    typed: String,
    /// What the configuration of its user adds.
    added: Added,
}

/// What the configuration of a user adds to the command of a client.
#[derive(Default)]
struct Added {
    arguments: Vec<String>,
    environment: BTreeMap<String, String>,
}

/// What an agent answered.
pub(super) enum Answer {
    Items(Vec<Value>),
    /// It cannot be read, with the reason.
    Unreadable(String),
}

/// An item of an answer that cannot be used.
#[derive(Debug, Serialize)]
pub(super) struct Refused {
    /// The start of the item, or of the whole answer.
    pub(super) item: String,
    pub(super) reason: String,
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

impl Refused {
    pub(super) fn new(item: &Value, reason: impl Into<String>) -> Self {
        let text = item.to_string();
        Self {
            item: start(&text),
            reason: reason.into(),
        }
    }
}

impl Agent {
    /// Returns the known client with this name, or else the agent that this shell command starts.
    pub(super) fn new(typed: &str) -> Result<Self> {
        let mut client = None;
        if let Some(agent) = agents::Agent::named(typed)
            && let Some(headless) = &agent.headless
        {
            let name = agent.name;
            client = Some(Client { name, headless });
        }
        Ok(Self {
            client,
            typed: typed.to_owned(),
            added: Added::default(),
        })
    }

    /// Returns the name under which a choice is recorded: the program, without its arguments, which may
    /// be secret.
    pub(super) fn name(&self) -> &str {
        let mut words = self
            .typed
            .split_whitespace()
            .filter(|word| !word.contains('='));
        let program = words.next().unwrap_or_default();
        Path::new(program)
            .file_name()
            .and_then(OsStr::to_str)
            .unwrap_or(program)
    }

    /// Reads the configuration of a known client, and returns where it will send what it is asked. Fails if
    /// its provider cannot be used without the tools of its user, or is chosen by the project.
    pub(super) fn prepare(&mut self, root: &Path) -> Result<Option<String>> {
        let Some(client) = self.client else {
            return Ok(None);
        };
        let headless = client.headless;
        headless.destination.check_project(client.name, root)?;
        let mut added = Added::default();
        if let Some(servers) = &headless.servers {
            added.arguments = self.servers_off(client, servers)?;
        }
        let mut own = Value::Null;
        if let Some(settings) = &headless.providers {
            own = self.settings(client, settings, root)?;
            let set = headless.environment.get(&settings.variable);
            let mut run: Value = serde_json::from_str(set.map_or("{}", String::as_str))?;
            for key in &settings.keep {
                if !own[key].is_null() {
                    run[key] = own[key].clone();
                }
            }
            added
                .environment
                .insert(settings.variable.clone(), run.to_string());
        }
        let mut place: Place = headless.destination.place(client.name, &own);
        if let Some(settings) = &headless.providers
            && place.provider.is_none()
        {
            place.provider = self.listed_provider(client, settings, &added.environment)?;
        }
        let text = format!("{} sends it to {place}", client.name);
        self.added = added;
        Ok(Some(text))
    }

    /// Returns the arguments that switch off the servers of the user.
    fn servers_off(&self, client: Client, servers: &UserServers) -> Result<Vec<String>> {
        let folder = client_folder(client)?;
        let mut command = command(client.name, &servers.list, folder.path());
        let output = self.output(&mut command, "")?;
        let unlisted = || {
            UserError::environment(format!(
                "`{}` did not list its servers, so they cannot be switched off: `{}`",
                client.name,
                printable(&start(&output))
            ))
            .hint("run it yourself: --with COMMAND, where COMMAND reads the request on its input")
        };
        let mut arguments = Vec::new();
        for name in servers.names(&output).ok_or_else(unlisted)? {
            let is_plain = |letter: char| letter.is_alphanumeric() || "-_".contains(letter);
            if servers.off.iter().any(|part| part.contains("{name}."))
                && !name.chars().all(is_plain)
            {
                let message = format!(
                    "the server `{}` of {} cannot be switched off by its name",
                    printable(&name),
                    client.name
                );
                let hint = "rename it with letters, digits, `-` and `_` only";
                return Err(UserError::environment(message).hint(hint).into());
            }
            arguments.extend(servers.off.iter().map(|part| part.replace("{name}", &name)));
        }
        Ok(arguments)
    }

    /// Returns the provider and the model of the user: those of the project, if they are on this machine.
    fn settings(&self, client: Client, settings: &Providers, root: &Path) -> Result<Value> {
        let mut files = BTreeMap::new();
        for file in &settings.project {
            if let Some(text) = config::small_file(&root.join(file)) {
                files.insert(file.as_str(), text);
            }
        }
        let own = self.kept_settings(client, settings, &BTreeMap::new())?;
        if !files.is_empty() {
            let all = self.kept_settings(client, settings, &files)?;
            if all != own {
                return settings.of_project(&all).ok_or_else(|| {
                    let name = files.keys().next_back().copied().unwrap_or_default();
                    let message = format!(
                        "`{name}` of this project chooses a provider or a model of {}, and a project \
                         may choose one on this machine only",
                        client.name
                    );
                    let variable = settings.paths.first().map(String::as_str).unwrap_or_default();
                    let hint = format!("if you trust it: {variable}={name} cerberus …");
                    UserError::environment(message).hint(hint).into()
                });
            }
        }
        Ok(settings.chosen(own))
    }

    /// Returns the provider of all models that a client lists, or `None` if it lists several. Fails if there is
    /// none.
    fn listed_provider(
        &self,
        client: Client,
        settings: &Providers,
        environment: &BTreeMap<String, String>,
    ) -> Result<Option<String>> {
        let folder = client_folder(client)?;
        let mut command = command(client.name, &settings.models, folder.path());
        command.envs(&settings.environment).envs(environment);
        let output = self.output(&mut command, "")?;
        let mut providers = BTreeSet::new();
        for line in output.lines() {
            if let Some((provider, _)) = line.trim().split_once('/') {
                providers.insert(provider.to_owned());
            }
        }
        if providers.is_empty() {
            let (name, unchosen) = (&client.name, &settings.unchosen);
            let message = format!(
                "{name} is configured with no provider and no model, and would send code to \
                 `{unchosen}`, which nobody chose"
            );
            return Err(UserError::environment(message)
                .hint(settings.choose.clone())
                .into());
        }
        Ok(if providers.len() == 1 {
            providers.pop_first()
        } else {
            None
        })
    }

    /// Returns the settings that a client prints with these files in its folder, without those that start
    /// programs.
    fn kept_settings(
        &self,
        client: Client,
        settings: &Providers,
        files: &BTreeMap<&str, String>,
    ) -> Result<Value> {
        let folder = client_folder(client)?;
        for (path, text) in files {
            write(&folder.path().join(path), text)?;
        }
        let mut command = command(client.name, &settings.list, folder.path());
        command.envs(&settings.environment);
        for name in &settings.paths {
            if let Some(path) = config::absolute_path(name) {
                command.env(name, path);
            }
        }
        let output = self.output(&mut command, "")?;
        let all = values::values(&output).pop().unwrap_or_default();
        if !all.is_object() {
            return Err(self
                .failed(&output, "", "it did not print its settings")
                .into());
        }
        let mut kept = json!({});
        for key in &settings.keep {
            if !all[key].is_null() {
                kept[key] = all[key].clone();
            }
        }
        Ok(kept)
    }

    /// Returns the items of the list `key` in the answer to a request, or `None` if the request would exceed
    /// the number of tokens.
    pub(super) fn answer(
        &self,
        request: &Value,
        key: &str,
        tokens: &mut Tokens,
    ) -> Result<Option<Answer>> {
        let request = request.to_string();
        let n_tokens = tokens::count(&request);
        if tokens
            .max
            .is_some_and(|max| tokens.sent + tokens.received + n_tokens > max)
        {
            return Ok(None);
        }
        let answer = self.ask(&request)?;
        tokens.sent += n_tokens;
        tokens.received += tokens::count(&answer);
        Ok(Some(match values::items(&answer, key) {
            Some(items) => Answer::Items(items),
            None => Answer::Unreadable(start(&answer)),
        }))
    }

    /// Returns the error about an answer that cannot be read.
    pub(super) fn unreadable(&self, key: &str, start: &str) -> UserError {
        let start = printable(start);
        UserError::environment(format!(
            "failed to read the answer of `{}`: it has no JSON object with a list `{key}`; it starts with `{start}`",
            self.typed
        ))
    }

    /// Returns the text of the answer to a request.
    fn ask(&self, request: &str) -> Result<String> {
        let Some(client) = self.client else {
            let folder = tempfile::tempdir().context("failed to create a temporary folder")?;
            let arguments = ["-c".to_owned(), self.typed.clone()];
            return self.output(&mut command("sh", &arguments, folder.path()), request);
        };
        let folder = client_folder(client)?;
        let placed = |text: &str| text.replace("{folder}", &folder.path().to_string_lossy());
        let mut arguments = self.added.arguments.clone();
        // The last argument may be the prompt.
        let own: Vec<String> = client
            .headless
            .arguments
            .iter()
            .map(|argument| placed(argument))
            .collect();
        let n_first = own.len() - usize::from(own.last().is_some_and(|last| last == "-"));
        arguments.splice(0..0, own[..n_first].iter().cloned());
        arguments.extend_from_slice(&own[n_first..]);
        let mut command = command(client.name, &arguments, folder.path());
        for (name, value) in &client.headless.environment {
            command.env(name, placed(value));
        }
        for name in &client.headless.unset {
            command.env_remove(name);
        }
        command.envs(&self.added.environment);
        // Clients expand mentions of files and skills before their model reads the prompt.
        let request = request.replace('@', "\\u0040").replace('$', "\\u0024");
        let output = self.output(&mut command, &request)?;
        let text = client.headless.text(&output);
        text.ok_or_else(|| self.failed(&output, "", "it printed no answer").into())
    }

    /// Runs a command to its end and returns its output.
    fn output(&self, command: &mut Command, input: &str) -> Result<String> {
        let silence = if self.client.is_some() {
            MAX_SILENCE
        } else {
            MAX_TIME
        };
        let silence = config::agent_silence(silence);
        let limits = Limits {
            total: MAX_TIME,
            silence,
        };
        self.output_within(command, input, limits)
    }

    fn output_within(&self, command: &mut Command, input: &str, limits: Limits) -> Result<String> {
        let outcome = process::run(command, input, limits).map_err(|error| {
            UserError::environment(format!("failed to start `{}`: {error:#}", self.typed)).hint(
                "install it, or pass a command that reads the request on its input: --with COMMAND",
            )
        })?;
        let (output, messages) = (&outcome.output, &outcome.messages);
        let (total, silence) = (seconds(limits.total), seconds(limits.silence));
        match outcome.end {
            End::Exited(status) if status.success() && output.len() <= process::MAX_OUTPUT => {
                Ok(outcome.output)
            }
            End::Long | End::Exited(_) if output.len() > process::MAX_OUTPUT => {
                let limit = process::MAX_OUTPUT / 1024 / 1024;
                let message = format!("the output of `{}` has more than {limit} MB", self.typed);
                Err(UserError::environment(message).into())
            }
            End::Exited(status) => {
                let nothing = format!("it printed nothing, {status}");
                Err(self.failed(output, messages, &nothing).into())
            }
            End::Silent => Err(self
                .late(output, messages, &format!("no progress for {silence}"))
                .into()),
            End::Late | End::Long => Err(self
                .late(output, messages, &format!("no answer in {total}"))
                .into()),
        }
    }

    fn headless(&self) -> Option<&'static Headless> {
        self.client.map(|client| client.headless)
    }

    /// Returns the error of an agent that failed, with the cause that it printed or else this one.
    fn failed(&self, output: &str, messages: &str, otherwise: &str) -> UserError {
        let cause = client::cause(self.headless(), output, messages);
        let cause = if cause.is_empty() {
            otherwise.to_owned()
        } else {
            cause
        };
        UserError::environment(format!("`{}` failed: {cause}", self.typed))
    }

    /// Returns the error of an agent that was ended.
    fn late(&self, output: &str, messages: &str, reason: &str) -> UserError {
        let cause = client::cause(self.headless(), output, messages);
        let last = if cause.is_empty() {
            cause
        } else {
            format!("; it printed: {cause}")
        };
        UserError::environment(format!(
            "`{}` showed {reason} and was ended{last}",
            self.typed
        ))
    }
}

/// Returns the start of a text that cannot be used.
fn start(text: &str) -> String {
    text.trim().chars().take(N_SHOWN).collect()
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

/// Returns a new folder with the files of a client.
fn client_folder(client: Client) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir().context("failed to create a temporary folder")?;
    for (path, text) in &client.headless.files {
        write(&folder.path().join(path), text)?;
    }
    Ok(folder)
}

fn command(program: &str, arguments: &[String], folder: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .env("PWD", folder)
        .env_remove("OLDPWD");
    command
}

#[cfg(test)]
mod tests;
