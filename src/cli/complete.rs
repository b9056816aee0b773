//! Prints completions when a shell asks for them.
//!
//! Flags and fixed values come from the definition of the command line, other values from the
//! project. Errors are ignored and yield no candidates.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgMatches, Command, CommandFactory};
use clap_complete::CompletionCandidate;
use clap_complete::engine::{self, ArgValueCompleter};
use clap_complete::env::Shells;

use super::Cli;
use crate::config::{self, ColorChoice, CompletionRequest, GlobalArgs, Settings, Terminal};
use crate::output::Printer;
use cerberus_bank::ops::complete::{self, Request, ValueKind};
use cerberus_engine::threads;
use cerberus_model::error::ExitStatus;
use cerberus_model::text;
use cerberus_model::{MemoryStatus, MemoryType, PinScope, Priority};

/// Returns the command line to complete: the words after `--`.
pub(super) fn words(args: &[OsString]) -> Option<Vec<OsString>> {
    let at = args.iter().position(|arg| arg == "--")?;
    (at == 1).then(|| args[at + 1..].to_vec())
}

/// Prints the candidates in the format of the shell.
pub(super) fn run(words: Vec<OsString>, request: &CompletionRequest) -> ExitStatus {
    let mut out = Printer::new(Terminal::detect(ColorChoice::Never), false);
    for line in candidates(words, request).unwrap_or_default().lines() {
        // A file name may contain control characters; skip these.
        if text::escaped(line) == line {
            out.line(line);
        }
    }
    // The shell may have closed the pipe.
    let _ = out.flush();
    ExitStatus::Done
}

fn candidates(mut words: Vec<OsString>, request: &CompletionRequest) -> Option<String> {
    threads::start_pool(config::n_threads()).ok()?;
    let is_bash = request.shell == "bash";
    let word_idx = request.word_idx.unwrap_or_else(|| words.len().saturating_sub(1));
    // These shells pass the words as typed, including quotes.
    if ["bash", "zsh", "fish"].contains(&request.shell.as_str()) {
        words = words.iter().map(|word| unquoted(&word.to_string_lossy()).into()).collect();
    }
    if word_idx >= words.len() {
        words.resize(word_idx + 1, OsString::new());
    }
    let preceding = Arc::new(PrecedingArgs::parse(&words[..word_idx]));
    let mut command = Cli::command();
    command.build();
    let mut command = add_completers(command, "", &preceding);
    if words[word_idx].is_empty() {
        command = sort_flags_last(command);
    }
    let folder = request.current_folder.as_deref();
    if is_bash {
        let found = engine::complete(&mut command, words, word_idx, folder).ok()?;
        let values = found.iter().map(|it| quoted(&it.get_value().to_string_lossy()) + "\n");
        return Some(values.collect());
    }
    let mut text = Vec::new();
    let shells = Shells::builtins();
    shells
        .completer(&request.shell)?
        .write_complete(&mut command, words, folder, &mut text)
        .ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Arguments in the words before the one to complete.
#[derive(Debug, Default, PartialEq, Eq)]
struct PrecedingArgs {
    project: Option<PathBuf>,
    memory: Option<String>,
}

impl PrecedingArgs {
    fn parse(words: &[OsString]) -> Self {
        let command = Cli::command().ignore_errors(true);
        let mut preceding = Self::default();
        let Ok(matches) = command.try_get_matches_from(words) else { return preceding };
        let mut level: Option<&ArgMatches> = Some(&matches);
        while let Some(matches) = level {
            let project = matches.try_get_one::<PathBuf>("project").ok().flatten();
            preceding.project = project.cloned().or(preceding.project);
            let memory = matches.try_get_one::<String>("id").ok().flatten();
            preceding.memory = memory.cloned().or(preceding.memory);
            level = matches.subcommand().map(|(_, below)| below);
        }
        preceding
    }

    fn candidates(&self, kind: ValueKind, typed: &OsStr) -> Vec<CompletionCandidate> {
        let project = self.project.clone();
        let global = GlobalArgs { project, json: false, color: ColorChoice::Never };
        let (Some(typed), Ok(settings)) = (typed.to_str(), Settings::resolve(&global)) else {
            return Vec::new();
        };
        let request = Request {
            typed: typed.to_owned(),
            memory: self.memory.clone(),
            session: settings.session,
        };
        let found = complete::complete(&settings.project, kind, &request).into_iter();
        found
            .map(|it| CompletionCandidate::new(it.value).help(it.description.map(Into::into)))
            .collect()
    }
}

/// Adds completers for values that come from the project or from a fixed list.
fn add_completers(command: Command, path: &str, preceding: &Arc<PrecedingArgs>) -> Command {
    let command = command.mut_args(|arg| {
        if let Some(kind) = value_kind(path, arg.get_id().as_str()) {
            let preceding = Arc::clone(preceding);
            let completer = move |typed: &OsStr| preceding.candidates(kind, typed);
            return arg.add(ArgValueCompleter::new(completer));
        }
        match fixed_values(path, arg.get_id().as_str()) {
            Some(words) => arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
                let typed = typed.to_string_lossy();
                let matching = words.iter().filter(|word| word.starts_with(&*typed));
                matching.map(CompletionCandidate::new).collect::<Vec<_>>()
            })),
            None => arg,
        }
    });
    command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        add_completers(below, path.trim_start(), preceding)
    })
}

/// Hides the flags, so that they are offered only without other candidates.
fn sort_flags_last(command: Command) -> Command {
    command.mut_args(|arg| arg.hide(true)).mut_subcommands(sort_flags_last)
}

/// Returns the kind of an argument's values if they come from the project.
fn value_kind(command: &str, arg: &str) -> Option<ValueKind> {
    let command = command.strip_prefix("memory ")?;
    Some(match (command, arg) {
        ("pin remove", "ids") => ValueKind::Pin,
        ("pin add" | "pin list" | "pin clear", "tags") => ValueKind::PinTag,
        ("anchor" | "append" | "feedback" | "read" | "sections" | "update", "id")
        | ("show" | "delete", "ids")
        | ("merge", "sources" | "into") => ValueKind::Memory,
        ("reanchor", "accept" | "explain") => ValueKind::Anchored,
        ("restore", "id") => ValueKind::Trashed,
        ("add" | "create" | "update" | "import" | "anchor-test", "scope") => ValueKind::Scope,
        ("show" | "search" | "reanchor", "scope") => ValueKind::ScopeFilter,
        ("add" | "create" | "update" | "show" | "search", "tags") => ValueKind::Tag,
        ("add" | "create" | "update" | "show" | "search", "category") => ValueKind::Category,
        ("append" | "update", "section") | ("read" | "search", "sections") => ValueKind::Section,
        ("add" | "anchor", "to") | ("anchor-test", "expect") => ValueKind::Location,
        ("linked", "target") => ValueKind::Target,
        ("show" | "search", "file") | ("inject", "files") => ValueKind::File,
        _ => return None,
    })
}

/// Returns the values of an argument with a fixed list that is not a clap `ValueEnum`.
fn fixed_values(command: &str, arg: &str) -> Option<Vec<&'static str>> {
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

/// Removes the quoting of a word; a quote may be unclosed.
fn unquoted(word: &str) -> String {
    let mut value = String::new();
    let mut quote = None;
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            (None | Some('"'), '\\') => value.extend(chars.next()),
            _ => value.push(c),
        }
    }
    value
}

/// Quotes a value for bash.
fn quoted(value: &str) -> String {
    let mut word = String::new();
    for (idx, c) in value.char_indices() {
        let is_plain = c.is_alphanumeric() || "-_./:=@%+,^".contains(c) || (c == '#' && idx > 0);
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

    fn preceding(line: &str) -> PrecedingArgs {
        let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
        PrecedingArgs::parse(&words)
    }

    #[test]
    fn preceding_arguments_are_read_from_incomplete_command_lines() {
        let memory = |line: &str| preceding(line).memory;
        assert_eq!(memory("cerberus memory read plan --section").as_deref(), Some("plan"));
        assert_eq!(memory("cerberus memory read plan --section a,b").as_deref(), Some("plan"));
        assert_eq!(memory("cerberus memory update --nonsense plan --tag").as_deref(), None);
        assert_eq!(memory("cerberus memory search x --anchors"), None);
        assert_eq!(memory("cerberus"), None);
        let project = |line: &str| preceding(line).project;
        assert_eq!(project("cerberus --project a memory show"), Some("a".into()));
        assert_eq!(project("cerberus memory show --project=b"), Some("b".into()));
        assert_eq!(project("cerberus memory show --project"), None);
    }

    #[test]
    fn every_completed_argument_exists() {
        fn count(command: &Command, path: &str) -> usize {
            let ids = command.get_arguments().map(|arg| arg.get_id().as_str());
            let direct = ids.filter(|arg| value_kind(path, arg).is_some()).count();
            let below = command
                .get_subcommands()
                .map(|below| count(below, format!("{path} {}", below.get_name()).trim_start()));
            direct + below.sum::<usize>()
        }
        assert_eq!(count(&Cli::command(), ""), 46);
    }

    #[test]
    fn bash_words_are_unquoted_and_quoted() {
        for (word, value) in
            [("a\\ b", "a b"), ("\"a b", "a b"), ("'a\\'b", "a\\b"), ("\"a\\\"b\"c", "a\"bc")]
        {
            assert_eq!(unquoted(word), value);
        }
        assert_eq!(quoted("src/a b.py::C.d"), "src/a\\ b.py::C.d");
        assert_eq!(unquoted(&quoted("$(x) 'y' #z")), "$(x) 'y' #z");
    }
}
