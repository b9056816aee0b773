//! Prints completions when a shell asks for them.
//!
//! Subcommands, flags and fixed values come from the definition of the command line, ids from the
//! project. Errors are ignored and yield no candidates.
//!
//! A shell may insert a candidate as it is, and run it. Ids and paths come from the repository, which nobody has
//! to trust, so a candidate that a shell could read as anything but a word is omitted.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use cerberus_bank::Bank;
use cerberus_engine::threads;
use cerberus_model::{ExitStatus, MemoryStatus, MemoryType, Priority, RuleKind, text};
use clap::{Command, CommandFactory};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::Shells;

use super::Cli;
use crate::config::{self, ColorChoice, CompletionRequest, GlobalArgs, Settings, Terminal};
use crate::output::Printer;

/// Returns the command line to complete: the words after `--`.
pub(super) fn words(args: &[OsString]) -> Option<Vec<OsString>> {
    let at = args.iter().position(|arg| arg == "--")?;
    (at == 1).then(|| args[at + 1..].to_vec())
}

/// Prints the candidates in the format of the shell.
pub(super) fn run(words: Vec<OsString>, request: &CompletionRequest) -> ExitStatus {
    let separator = if request.shell == "bash" {
        "\u{b}"
    } else {
        "\n"
    };
    let is_flag = words
        .last()
        .is_some_and(|word| word.as_encoded_bytes().starts_with(b"-"));
    let found = candidates(words, request).unwrap_or_default();
    let mut plain = Vec::new();
    for candidate in found.split(separator) {
        let value = value(candidate, &request.shell);
        // A file can have the name of a flag.
        let is_file = || {
            request
                .current_folder
                .as_ref()
                .is_some_and(|it| it.join(&value).exists())
        };
        let is_hidden_flag = !is_flag && value.starts_with('-') && is_file();
        // The help must not have control characters either.
        if is_plain(&value) && !is_hidden_flag && text::escaped(candidate) == candidate {
            plain.push(candidate);
        }
    }
    let mut out = Printer::new(Terminal::detect(ColorChoice::Never), false);
    if !plain.is_empty() {
        out.line(&plain.join(separator));
    }
    // The shell may have closed the pipe.
    let _ = out.flush();
    ExitStatus::Done
}

/// Returns the word that a candidate inserts. Its help follows after a tab, in zsh after a colon.
fn value(candidate: &str, shell: &str) -> String {
    if shell != "zsh" {
        return candidate.split('\t').next().unwrap_or_default().to_owned();
    }
    let mut value = String::new();
    let mut chars = candidate.chars();
    while let Some(c) = chars.next() {
        match c {
            ':' => break,
            '\\' => value.extend(chars.next()),
            c => value.push(c),
        }
    }
    value
}

/// Returns whether each shell reads a text as one word, without quotes.
fn is_plain(value: &str) -> bool {
    let is_inert = |c: char| c.is_alphanumeric() || "-_./:+@=".contains(c);
    // At the start, zsh reads `=` as a path of a command, and PowerShell `@` as a list of arguments.
    !value.is_empty() && !value.starts_with(['=', '@']) && value.chars().all(is_inert)
}

fn candidates(words: Vec<OsString>, request: &CompletionRequest) -> Option<String> {
    threads::start_pool(config::n_threads()).ok()?;
    let mut command = with_ids(Cli::command(), "", project(&words).as_ref());
    command.build();
    // Without a typed word, flags are offered only if there is nothing else.
    if words.last().is_some_and(|word| word.is_empty()) {
        command = without_flags(command);
    }
    let (shells, folder, mut text) = (
        Shells::builtins(),
        request.current_folder.as_deref(),
        Vec::new(),
    );
    let shell = shells.completer(&request.shell)?;
    shell
        .write_complete(&mut command, words, folder, &mut text)
        .ok()?;
    String::from_utf8(text).ok()
}

fn without_flags(command: Command) -> Command {
    command
        .mut_args(|arg| arg.hide(true))
        .mut_subcommands(without_flags)
}

/// Returns the folder that `--project` names.
fn project(words: &[OsString]) -> Option<PathBuf> {
    let after = words
        .windows(2)
        .find(|pair| pair[0] == "--project")
        .map(|pair| pair[1].as_os_str());
    let within = || {
        words
            .iter()
            .find_map(|word| word.to_str()?.strip_prefix("--project="))
    };
    after
        .or_else(|| within().map(OsStr::new))
        .map(PathBuf::from)
}

/// Adds the ids of the project to the arguments that name memories.
fn with_ids(command: Command, path: &str, project: Option<&PathBuf>) -> Command {
    let command = command.mut_args(|arg| {
        if let Some(ids) = ids(path, arg.get_id().as_str()) {
            let project = project.cloned();
            return arg.add(ArgValueCandidates::new(move || {
                of_project(ids, project.clone())
            }));
        }
        match words_of(arg.get_id().as_str()) {
            Some(words) => arg.add(ArgValueCandidates::new(move || {
                words.iter().map(CompletionCandidate::new).collect()
            })),
            None => arg,
        }
    });
    command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        with_ids(below, path.trim_start(), project)
    })
}

/// Returns the words that an argument takes, if they are fixed and clap does not know them.
fn words_of(arg: &str) -> Option<Vec<&'static str>> {
    fn spelled<T: Copy>(
        all: &[T],
        spelling: impl Fn(T) -> &'static str,
    ) -> Option<Vec<&'static str>> {
        Some(all.iter().copied().map(spelling).collect())
    }
    match arg {
        "memory_type" => spelled(MemoryType::ALL, MemoryType::as_str),
        "kind" => spelled(RuleKind::ALL, RuleKind::as_str),
        "status" => spelled(MemoryStatus::ALL, MemoryStatus::as_str),
        "priority" => spelled(Priority::ALL, Priority::as_str),
        _ => None,
    }
}

/// Returns the function that lists the values of an argument.
fn ids(command: &str, arg: &str) -> Option<fn(&Bank) -> Vec<String>> {
    Some(match (command.strip_prefix("memory ")?, arg) {
        ("reanchor", "accept" | "explain") => {
            |bank| bank.anchors().unwrap_or_default().into_keys().collect()
        }
        ("restore", "id") => |bank| bank.trashed().unwrap_or_default(),
        ("anchor" | "append" | "pattern" | "read" | "rename" | "sections" | "update", "id")
        | ("show" | "delete" | "review", "ids")
        | ("merge", "sources" | "into") => |bank| {
            let memories = bank.read_all().unwrap_or_default();
            memories
                .all
                .into_iter()
                .map(|stored| stored.memory.id)
                .collect()
        },
        _ => return None,
    })
}

fn of_project(ids: fn(&Bank) -> Vec<String>, project: Option<PathBuf>) -> Vec<CompletionCandidate> {
    let global = GlobalArgs {
        project,
        json: false,
        color: ColorChoice::Never,
    };
    let settings = Settings::resolve(&global).ok();
    let found = settings
        .map(|settings| ids(&settings.project.bank))
        .unwrap_or_default();
    // An id of a file such as `--into.md` would be a flag.
    let ids = found.into_iter().filter(|id| !id.starts_with('-'));
    ids.map(CompletionCandidate::new).collect()
}

#[cfg(test)]
mod tests {
    use super::{is_plain, value};

    #[test]
    fn only_words_that_no_shell_expands_are_plain() {
        for text in [
            "np",
            "docs/a_b-c.md",
            "v1.2+3",
            "a:b",
            "--into",
            "--into=a@b",
            "übung",
        ] {
            assert!(is_plain(text), "{text}");
        }
        for text in [
            "",
            "a b",
            "a$(b)",
            "a`b`",
            "$a",
            "a;b",
            "a&b",
            "a|b",
            "a>b",
            "a<b",
            "*",
            "a?",
            "[a]",
            "~a",
            "a{b,c}",
            "a#b",
            "a!b",
            "'a",
            "\"a",
            "a\\b",
            "=a",
            "@a",
            "a(b)",
            "a\nb",
            "a%b%",
            "a^b",
            "“a”",
            "a\u{a0}b",
            "a\u{202e}b",
        ] {
            assert!(!is_plain(text), "{text}");
        }
    }

    #[test]
    fn the_value_of_a_candidate_is_found_in_each_format() {
        for (shell, candidate, expected) in [
            ("bash", "a:b", "a:b"),
            ("zsh", "a\\:b:help", "a:b"),
            ("zsh", "a$(b\\\\):help", "a$(b\\)"),
            ("fish", "a\thelp $(x)", "a"),
            ("powershell", "a\thelp", "a"),
        ] {
            assert_eq!(value(candidate, shell), expected, "{shell} {candidate}");
        }
    }
}
