//! The hooks of an agent: how they are written, what they send and what they read.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;
use toml::Value as Form;

use super::{Agent, Header, TextName};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hooks {
    pub(crate) file: String,
    /// The file in which a user may have hooks of their own.
    pub(crate) own_file: Option<String>,
    /// Whether `file` is the name of a hook of git, which belongs to a clone and not to the project.
    #[serde(default)]
    pub(crate) is_git_hook: bool,
    #[serde(default)]
    pub(crate) is_executable: bool,
    /// Why a session starts, if its event does not say it: at `resume` it gets the text of the start once.
    pub(crate) usual_source: Option<String>,
    /// Whether the agent takes a context before it runs a tool.
    #[serde(default)]
    pub(crate) adds_context_before: bool,
    pub(crate) write: WriteHooks,
    #[serde(default)]
    answers: Answers,
    #[serde(default)]
    payload: Payload,
}

/// What is written to the file of the hooks.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum WriteHooks {
    /// Entries of JSON settings.
    Json(Box<Entries>),
    /// The whole file.
    Whole(TextName),
    /// Lines of a shell script.
    Script(TextName),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entries {
    /// The key of the object with the lists of the events.
    pub(crate) parent: String,
    /// A hook, with `{command}` and `{tools}`.
    pub(crate) form: Form,
    /// A hook of an event without tools, if it has another form.
    pub(crate) form_without_tools: Option<Form>,
    pub(crate) header: Option<Header>,
    pub(crate) events: Vec<Event>,
}

/// A moment at which the agent runs a hook.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Event {
    /// Its name in the settings.
    pub(crate) event: String,
    /// Its name in an answer, if that is another one.
    in_answer: Option<String>,
    /// The tools whose use it is about.
    pub(crate) tools: Option<String>,
    /// The moment that `hooks run` gets.
    pub(crate) moment: String,
}

/// What a hook prints, with `{text}` and the name `{event}`. Without a form it prints plain text.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answers {
    /// A text for the model.
    context: Option<Form>,
    /// The reason to go on instead of stopping.
    stop: Option<Form>,
    /// The reason for which a shell command is denied.
    deny: Option<Form>,
}

/// The names of the fields in an event. A name that starts with `/` is a JSON pointer.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Payload {
    pub(crate) session: Vec<String>,
    /// The id of a subagent.
    pub(crate) agent: Vec<String>,
    /// The folder in which the agent works, or a list of folders.
    pub(crate) folder: Vec<String>,
    /// Why a session starts.
    pub(crate) source: Vec<String>,
    pub(crate) prompt: Vec<String>,
    /// Whether the agent goes on because a hook asked it to.
    pub(crate) is_repeated_stop: Vec<String>,
    /// The arguments of a tool. The next ones are in them.
    pub(crate) arguments: Vec<String>,
    pub(crate) command: Vec<String>,
    pub(crate) path: Vec<String>,
    pub(crate) text: Vec<String>,
    pub(crate) old_text: Vec<String>,
    /// Several edits of a file.
    pub(crate) several: Vec<String>,
    pub(crate) patch: Vec<String>,
    /// The output of a tool, in the event.
    pub(crate) output: Vec<String>,
}

/// The names of all agents: some run the hooks of another one with events of their own.
pub(crate) static PAYLOAD: LazyLock<Payload> = LazyLock::new(|| {
    let mut all = Payload::default();
    for agent in Agent::all() {
        if let Some(hooks) = &agent.hooks {
            all.add(&hooks.payload);
        }
    }
    all
});

impl Payload {
    fn add(&mut self, more: &Self) {
        for (all, names) in [
            (&mut self.session, &more.session),
            (&mut self.agent, &more.agent),
            (&mut self.folder, &more.folder),
            (&mut self.source, &more.source),
            (&mut self.prompt, &more.prompt),
            (&mut self.is_repeated_stop, &more.is_repeated_stop),
            (&mut self.arguments, &more.arguments),
            (&mut self.command, &more.command),
            (&mut self.path, &more.path),
            (&mut self.text, &more.text),
            (&mut self.old_text, &more.old_text),
            (&mut self.several, &more.several),
            (&mut self.patch, &more.patch),
            (&mut self.output, &more.output),
        ] {
            for name in names {
                if !all.contains(name) {
                    all.push(name.clone());
                }
            }
        }
    }
}

impl Hooks {
    /// Returns the JSON of a text for the model, or nothing if the agent reads plain text.
    pub(crate) fn context(&self, moment: &str, text: &str) -> Option<String> {
        let form = self.answers.context.as_ref()?;
        Some(self.answer(form, moment, text))
    }

    /// Returns the JSON of the reason to go on instead of stopping.
    pub(crate) fn stop(&self, reason: &str) -> Option<String> {
        let form = self.answers.stop.as_ref()?;
        Some(self.answer(form, "stop", reason))
    }

    /// Returns the JSON of the reason for which a shell command is denied.
    pub(crate) fn deny(&self, reason: &str) -> Option<String> {
        let form = self.answers.deny.as_ref()?;
        Some(self.answer(form, "command", reason))
    }

    fn answer(&self, form: &Form, moment: &str, text: &str) -> String {
        let placeholders = [
            Placeholder {
                name: "{event}",
                text: self.event_in_answer(moment),
            },
            Placeholder {
                name: "{text}",
                text: Some(text),
            },
        ];
        filled(form, &placeholders)
    }

    /// Returns the name of a moment in an answer.
    fn event_in_answer(&self, moment: &str) -> Option<&str> {
        let WriteHooks::Json(entries) = &self.write else {
            return None;
        };
        let mut events = entries.events.iter();
        let event = events.find(|event| event.moment == moment)?;
        Some(event.in_answer.as_ref().unwrap_or(&event.event))
    }
}

/// A name in braces, which is the whole of a string of a form, and its text.
pub(crate) struct Placeholder<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: Option<&'a str>,
}

/// Returns the JSON of a form with its placeholders replaced. A property whose placeholder has no text is omitted.
pub(crate) fn filled(form: &Form, placeholders: &[Placeholder<'_>]) -> String {
    let filled = filled_value(form, placeholders);
    serde_json::to_string(&filled).unwrap_or_default()
}

fn filled_value(form: &Form, placeholders: &[Placeholder<'_>]) -> Option<Form> {
    match form {
        Form::String(text) => match placeholders.iter().find(|known| known.name == text) {
            Some(known) => Some(Form::String(known.text?.to_owned())),
            None => Some(form.clone()),
        },
        Form::Array(items) => {
            let mut filled = Vec::new();
            for item in items {
                filled.extend(filled_value(item, placeholders));
            }
            Some(Form::Array(filled))
        }
        Form::Table(table) => {
            let mut filled = toml::Table::new();
            for (key, value) in table {
                if let Some(value) = filled_value(value, placeholders) {
                    filled.insert(key.clone(), value);
                }
            }
            Some(Form::Table(filled))
        }
        _ => Some(form.clone()),
    }
}

/// Returns the value of the first of several fields.
pub(crate) fn field<'v>(value: &'v Value, names: &[String]) -> Option<&'v Value> {
    for name in names {
        let found = if name.starts_with('/') {
            value.pointer(name)
        } else {
            value.get(name)
        };
        if found.is_some() {
            return found;
        }
    }
    None
}
