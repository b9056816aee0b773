//! Answers a shell that asks how a command line may go on.
//!
//! Flags and fixed values come from the command line's definition, the rest from the
//! project as it is. Says nothing where it does not know, whatever went wrong.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgMatches, Command, CommandFactory};
use clap_complete::CompletionCandidate;
use clap_complete::engine::{self, ArgValueCompleter};
use clap_complete::env::Shells;

use super::Cli;
use crate::config::{ColorChoice, CompletionRequest, GlobalArgs, Settings, Terminal};
use crate::error::ExitStatus;
use crate::model::{MemoryStatus, MemoryType, PinScope, Priority};
use crate::ops::complete::{self, Request, Wanted};
use crate::output::Printer;
use crate::text;

/// Returns the words of the command line that a shell asks about: those after `--`.
pub(super) fn words(args: &[OsString]) -> Option<Vec<OsString>> {
    let at = args.iter().position(|arg| arg == "--")?;
    (at == 1).then(|| args[at + 1..].to_vec())
}

/// Prints how the words may go on, as the asking shell wants it.
pub(super) fn run(words: Vec<OsString>, asking: &CompletionRequest) -> ExitStatus {
    let mut out = Printer::new(Terminal::detect(ColorChoice::Never), false);
    for line in answer(words, asking).unwrap_or_default().lines() {
        // Names of files are other people's; what a terminal would obey is not offered.
        if text::escaped(line) == line {
            out.line(line);
        }
    }
    // A shell that does not listen any more misses nothing.
    let _ = out.flush();
    ExitStatus::Done
}

fn answer(mut words: Vec<OsString>, asking: &CompletionRequest) -> Option<String> {
    let is_bash = asking.shell == "bash";
    let at = asking.word_idx.unwrap_or_else(|| words.len().saturating_sub(1));
    // These hand words over as they were typed, quotes and all.
    if ["bash", "zsh", "fish"].contains(&asking.shell.as_str()) {
        words = words.iter().map(|word| unquoted(&word.to_string_lossy()).into()).collect();
    }
    if at >= words.len() {
        words.resize(at + 1, OsString::new());
    }
    let earlier = Arc::new(Earlier::read(&words[..at]));
    let mut command = Cli::command();
    command.build();
    let mut command = live(command, "", &earlier);
    if words[at].is_empty() {
        command = flags_last(command);
    }
    let here = asking.current_folder.as_deref();
    if is_bash {
        let found = engine::complete(&mut command, words, at, here).ok()?;
        let values = found.iter().map(|it| quoted(&it.get_value().to_string_lossy()) + "\n");
        return Some(values.collect());
    }
    let mut text = Vec::new();
    let shells = Shells::builtins();
    shells.completer(&asking.shell)?.write_complete(&mut command, words, here, &mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// What the words before the one that is being typed say.
#[derive(Debug, Default, PartialEq, Eq)]
struct Earlier {
    project: Option<PathBuf>,
    memory: Option<String>,
}

impl Earlier {
    fn read(words: &[OsString]) -> Self {
        let command = Cli::command().ignore_errors(true);
        let mut earlier = Self::default();
        let Ok(matches) = command.try_get_matches_from(words) else { return earlier };
        let mut level: Option<&ArgMatches> = Some(&matches);
        while let Some(matches) = level {
            let project = matches.try_get_one::<PathBuf>("project").ok().flatten();
            earlier.project = project.cloned().or(earlier.project);
            let memory = matches.try_get_one::<String>("id").ok().flatten();
            earlier.memory = memory.cloned().or(earlier.memory);
            level = matches.subcommand().map(|(_, below)| below);
        }
        earlier
    }

    fn candidates(&self, wanted: Wanted, typed: &OsStr) -> Vec<CompletionCandidate> {
        let project = self.project.clone();
        let global = GlobalArgs { project, json: false, color: ColorChoice::Never, timings: false };
        let (Some(typed), Ok(settings)) = (typed.to_str(), Settings::resolve(&global)) else {
            return Vec::new();
        };
        let request = Request {
            typed: typed.to_owned(),
            memory: self.memory.clone(),
            session: settings.session,
        };
        let found = complete::complete(&settings.project, wanted, &request).into_iter();
        found.map(|it| CompletionCandidate::new(it.value).help(it.about.map(Into::into))).collect()
    }
}

/// Returns the command with all values completed that only the project knows.
fn live(command: Command, path: &str, earlier: &Arc<Earlier>) -> Command {
    let command = command.mut_args(|arg| {
        if let Some(wanted) = wanted(path, arg.get_id().as_str()) {
            let earlier = Arc::clone(earlier);
            let completer = move |typed: &OsStr| earlier.candidates(wanted, typed);
            return arg.add(ArgValueCompleter::new(completer));
        }
        match fixed(path, arg.get_id().as_str()) {
            Some(words) => arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
                let typed = typed.to_string_lossy();
                let fitting = words.iter().filter(|word| word.starts_with(&*typed));
                fitting.map(CompletionCandidate::new).collect::<Vec<_>>()
            })),
            None => arg,
        }
    });
    let names: Vec<String> =
        command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        command.mut_subcommand(&name, |below| live(below, path.trim_start(), earlier))
    })
}

/// Returns the command with its flags offered only where nothing else is.
fn flags_last(command: Command) -> Command {
    let command = command.mut_args(|arg| arg.hide(true));
    let names: Vec<String> =
        command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, flags_last))
}

/// Returns what an argument of a command stands for, where the project knows it.
fn wanted(command: &str, arg: &str) -> Option<Wanted> {
    let command = command.strip_prefix("memory ")?;
    Some(match (command, arg) {
        ("pin remove", "ids") => Wanted::Pin,
        ("pin add" | "pin list" | "pin clear", "tags") => Wanted::PinTag,
        ("anchor" | "append" | "feedback" | "read" | "sections" | "update", "id")
        | ("show" | "delete", "ids")
        | ("merge", "sources" | "into") => Wanted::Memory,
        ("reanchor", "accept" | "explain") => Wanted::Anchored,
        ("restore", "id") => Wanted::Trashed,
        ("add" | "create" | "update" | "import" | "anchor-test", "scope") => Wanted::Scope,
        ("show" | "search" | "reanchor", "scope") => Wanted::ScopeFilter,
        ("add" | "create" | "update" | "show" | "search", "tags") => Wanted::Tag,
        ("add" | "create" | "update" | "show" | "search", "category") => Wanted::Category,
        ("append" | "update", "section") | ("read" | "search", "sections") => Wanted::Section,
        ("add" | "anchor", "to") | ("anchor-test", "expect") => Wanted::Place,
        ("linked", "target") => Wanted::Target,
        ("show" | "search", "file") | ("inject", "files") => Wanted::File,
        _ => return None,
    })
}

/// Returns the words that an argument takes, where it is no list of the definition.
fn fixed(command: &str, arg: &str) -> Option<Vec<&'static str>> {
    Some(match (command.strip_prefix("memory ")?, arg) {
        (_, "memory_type") => MemoryType::ALL.iter().map(|it| it.as_str()).collect(),
        (_, "status") => MemoryStatus::ALL.iter().map(|it| it.as_str()).collect(),
        (_, "priority") => Priority::ALL.iter().map(|it| it.as_str()).collect(),
        ("pin add" | "pin list" | "pin clear", "scope") => {
            PinScope::ALL.iter().map(|it| it.as_str()).collect()
        }
        _ => return None,
    })
}

/// Returns what a word of a shell means; it may end within quotes.
fn unquoted(word: &str) -> String {
    let mut meant = String::new();
    let mut quote = None;
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            (None | Some('"'), '\\') => meant.extend(chars.next()),
            _ => meant.push(c),
        }
    }
    meant
}

/// Returns a word that bash reads as `value`.
fn quoted(value: &str) -> String {
    let mut word = String::new();
    for (at, c) in value.char_indices() {
        let is_plain = c.is_alphanumeric() || "-_./:=@%+,^".contains(c) || (c == '#' && at > 0);
        if !is_plain {
            word.push('\\');
        }
        word.push(c);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn earlier(line: &str) -> Earlier {
        let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
        Earlier::read(&words)
    }

    #[test]
    fn what_stands_before_is_read_however_unfinished_it_is() {
        let memory = |line: &str| earlier(line).memory;
        assert_eq!(memory("cerberus memory read plan --section").as_deref(), Some("plan"));
        assert_eq!(memory("cerberus memory read plan --section a,b").as_deref(), Some("plan"));
        assert_eq!(memory("cerberus memory update --nonsense plan --tag").as_deref(), None);
        assert_eq!(memory("cerberus memory search x --anchors"), None);
        assert_eq!(memory("cerberus"), None);
        let project = |line: &str| earlier(line).project;
        assert_eq!(project("cerberus --project a memory show"), Some("a".into()));
        assert_eq!(project("cerberus memory show --project=b"), Some("b".into()));
        assert_eq!(project("cerberus memory show --project"), None);
    }

    #[test]
    fn every_argument_that_is_completed_exists() {
        fn count(command: &Command, path: &str) -> usize {
            let ids = command.get_arguments().map(|arg| arg.get_id().as_str());
            let own = ids.filter(|arg| wanted(path, arg).is_some()).count();
            let below = command
                .get_subcommands()
                .map(|below| count(below, format!("{path} {}", below.get_name()).trim_start()));
            own + below.sum::<usize>()
        }
        assert_eq!(count(&Cli::command(), ""), 46);
    }

    #[test]
    fn words_of_bash_are_read_and_written() {
        for (word, meant) in
            [("a\\ b", "a b"), ("\"a b", "a b"), ("'a\\'b", "a\\b"), ("\"a\\\"b\"c", "a\"bc")]
        {
            assert_eq!(unquoted(word), meant);
        }
        assert_eq!(quoted("src/a b.py::C.d"), "src/a\\ b.py::C.d");
        assert_eq!(unquoted(&quoted("$(x) 'y' #z")), "$(x) 'y' #z");
    }
}
