//! Errors in the command line, in the style of all other errors, with the command that was meant.

use std::ffi::OsString;

use cerberus_model::error::UserError;
use cerberus_model::text::word_list;
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Error};

use super::Cli;

/// Returns words for commands in other programs, with the command here and its effect.
fn other_names() -> impl Iterator<Item = (Vec<&'static str>, &'static str, &'static str)> {
    word_list::lines(include_str!("other_names.txt")).filter_map(|line| {
        let (command, rest) = line.split_once(": ")?;
        let (what, words) = rest.split_once(": ")?;
        Some((words.split(' ').collect(), command, what))
    })
}

/// Returns the error for a command line that clap refused.
pub(super) fn error(refused: &Error, args: &[OsString]) -> UserError {
    let text = refused.render().to_string();
    let mut message: Vec<&str> = Vec::new();
    let mut hints = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(tip) = line.strip_prefix("tip: ") {
            hints.push(with_backticks(tip));
        } else if !line.starts_with("Usage: ") && !line.starts_with("For more information") {
            message.push(line.strip_prefix("error: ").unwrap_or(line));
        }
    }
    if let Some(name) = unknown_command(refused) {
        let meant = meant(name);
        if !meant.is_empty() {
            hints = meant;
        }
    }
    let mut error = UserError::usage(with_backticks(&message.join(" ")));
    for hint in hints {
        error = error.hint(hint);
    }
    error.hint(format!("see {} --help", command_of(args)))
}

/// Returns the commands that a word may mean.
fn meant(name: &str) -> Vec<String> {
    let cli = Cli::command();
    for group in cli.get_subcommands() {
        if group.find_subcommand(name).is_some() {
            return vec![format!("use `cerberus {} {name}`", group.get_name())];
        }
    }
    if cli.find_subcommand(name).is_some() {
        return vec![format!("use `cerberus {name}`")];
    }
    let name = name.to_ascii_lowercase();
    let mut hints = Vec::new();
    for (words, command, what) in other_names() {
        if words.contains(&name.as_str()) {
            hints.push(format!("`{command}` {what}"));
        }
    }
    hints
}

/// Returns the word that is in the place of a command and is none.
pub(super) fn unknown_command(refused: &Error) -> Option<&str> {
    match refused.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) => Some(name),
        _ => None,
    }
}

/// Returns the command of a command line, without its arguments.
pub(super) fn command_of(args: &[OsString]) -> String {
    let mut command = Cli::command();
    let mut words = vec![command.get_name().to_owned()];
    for arg in args.iter().skip(1) {
        if let Some(arg) = arg.to_str()
            && let Some(found) = command.find_subcommand(arg)
        {
            words.push(found.get_name().to_owned());
            command = found.clone();
        }
    }
    words.join(" ")
}

/// Replaces the quotes around names and values by back-ticks.
fn with_backticks(text: &str) -> String {
    let mut parts = text.split('\'');
    let mut quoted = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_after_word = quoted.ends_with(|c: char| c.is_ascii_alphanumeric());
        let is_before_word = part.starts_with(|c: char| c.is_ascii_alphanumeric());
        // An apostrophe is inside a word.
        let is_apostrophe = is_after_word && is_before_word;
        quoted.push(if is_apostrophe { '\'' } else { '`' });
        quoted.push_str(part);
    }
    quoted
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[track_caller]
    fn check(line: &str, message: &str, hints: &[&str]) {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let error = error(&Cli::try_parse_from(&args).expect_err("refused"), &args);
        assert_eq!(
            (error.message.as_str(), &error.hints[..]),
            (message, &strings(hints)[..])
        );
    }

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn words_of_other_programs_find_the_command() {
        let see = "see cerberus memory --help";
        for (word, hint) in [
            ("list", "`cerberus memory show` lists the memories"),
            ("ls", "`cerberus memory show` lists the memories"),
            ("rm", "`cerberus memory delete` moves to the trash"),
            ("edit", "`cerberus memory update` replaces a text"),
            ("check", "use `cerberus check`"),
        ] {
            let message = format!("unrecognized subcommand `{word}`");
            check(&format!("cerberus memory {word}"), &message, &[hint, see]);
        }
        check(
            "cerberus list",
            "unrecognized subcommand `list`",
            &[
                "`cerberus memory show` lists the memories",
                "see cerberus --help",
            ],
        );
        check(
            "cerberus inject",
            "unrecognized subcommand `inject`",
            &["use `cerberus memory inject`", "see cerberus --help"],
        );
    }

    #[test]
    fn every_suggested_command_exists_and_no_word_is_a_command() {
        for (words, command, _) in other_names() {
            let mut found = Cli::command();
            for word in command.split(' ').skip(1) {
                found = found.find_subcommand(word).expect("a command").clone();
            }
            for word in &words {
                let cli = Cli::command();
                let is_command = cli.find_subcommand(word).is_some()
                    || cli
                        .get_subcommands()
                        .any(|group| group.find_subcommand(word).is_some());
                let n_entries = other_names()
                    .filter(|(words, _, _)| words.contains(word))
                    .count();
                assert!(n_entries == 1 && (!is_command || meant(word)[0].starts_with("use")));
            }
        }
    }

    #[test]
    fn the_message_is_one_line_in_the_style_of_other_errors() {
        check(
            "cerberus memory anchor x --min-quality 2",
            "invalid value `2` for `--min-quality <QUALITY>`: must be between 0 and 1",
            &["see cerberus memory anchor --help"],
        );
        check(
            "cerberus memory serch x",
            "unrecognized subcommand `serch`",
            &[
                "a similar subcommand exists: `search`",
                "see cerberus memory --help",
            ],
        );
        let args = ["cerberus", "setup", "it's"].map(OsString::from);
        let refused = Cli::try_parse_from(&args).expect_err("refused");
        assert!(
            error(&refused, &args)
                .message
                .starts_with("invalid value `it's` for")
        );
    }
}
