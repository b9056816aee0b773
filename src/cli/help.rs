//! The parts of help besides the arguments: the notes and examples of each command, and the groups of
//! `cerberus memory --help`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::{Command, CommandFactory};

use super::Cli;

/// The text below the arguments of each command: a line `== COMMAND`, then its text. `-h` shows the examples at
/// its end only.
const TEXTS: &str = include_str!("help.txt");

/// The groups of the commands under `cerberus memory`, each with its first command.
const GROUPS: &[(&str, &str)] = &[
    ("init", "Daily"),
    ("review", "Review"),
    ("create", "Documents and pins"),
];

/// Returns the definition of the command line with its help.
pub(crate) fn command() -> Command {
    with_texts(Cli::command(), "cerberus", &texts()).mut_subcommand("memory", with_groups)
}

fn texts() -> BTreeMap<&'static str, &'static str> {
    let mut texts = BTreeMap::new();
    for section in TEXTS.trim_start_matches("== ").split("\n== ") {
        if let Some((path, text)) = section.split_once('\n') {
            texts.insert(path, text.trim_end());
        }
    }
    texts
}

fn with_texts(command: Command, path: &str, texts: &BTreeMap<&str, &'static str>) -> Command {
    let command = if let Some(text) = texts.get(path) {
        with_text(command, text)
    } else {
        command
    };
    command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        with_texts(below, &path, texts)
    })
}

fn with_text(command: Command, text: &str) -> Command {
    let examples_start = text.rfind("\nExample").map_or(0, |at| at + 1);
    let examples = joined(&text[examples_start..]);
    command.after_help(examples).after_long_help(joined(text))
}

/// Returns a text with each paragraph in one line, which clap wraps. Lines that start with a space, of tables and
/// examples, remain.
fn joined(text: &str) -> String {
    let mut joined = String::new();
    let mut is_after_prose = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ');
        let is_same = is_after_prose && is_prose;
        joined.push_str(if is_same { " " } else { "\n" });
        joined.push_str(line);
        is_after_prose = is_prose;
    }
    joined.trim_start_matches('\n').to_owned()
}

/// Lists the commands in groups. clap has one list of commands only, without headings.
fn with_groups(command: Command) -> Command {
    let styles = command.get_styles();
    let header = styles.get_header();
    let literal = styles.get_literal();
    let width = command
        .get_subcommands()
        .map(|below| below.get_name().len())
        .max()
        .unwrap_or_default();
    let mut list = String::new();
    for below in command.get_subcommands() {
        if let Some((_, group)) = GROUPS.iter().find(|(first, _)| *first == below.get_name()) {
            let _ = write!(list, "\n{header}{group}:{header:#}\n");
        }
        let name = below.get_name();
        let about = below.get_about().cloned().unwrap_or_default();
        let _ = writeln!(list, "  {literal}{name:width$}{literal:#}  {about}");
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{list}\n\
         {header}Global options:{header:#}\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The list fits a narrow terminal.
    const MAX_WIDTH: usize = 60;

    /// The short help fits a terminal of 80 columns.
    const MAX_HEIGHT: usize = 48;

    /// Checks the short help of a command and of those below it.
    fn check_height(command: &mut Command) {
        let help = command.clone().term_width(80).render_help().to_string();
        let name = command.get_name();
        assert!(help.lines().count() <= MAX_HEIGHT, "{name}:\n{help}");
        for below in command.get_subcommands_mut() {
            check_height(below);
        }
    }

    #[test]
    fn the_short_help_fits_a_screen() {
        let mut command = super::command();
        command.build();
        check_height(&mut command);
    }

    #[test]
    fn each_memory_command_is_in_one_group() {
        let cli = Cli::command();
        let memory = cli.find_subcommand("memory").expect("a command");
        let names: Vec<&str> = memory.get_subcommands().map(Command::get_name).collect();
        let starts: Vec<usize> = GROUPS
            .iter()
            .map(|(first, _)| {
                names
                    .iter()
                    .position(|name| name == first)
                    .expect("a command")
            })
            .collect();
        assert!(starts[0] == 0 && starts.is_sorted(), "{starts:?}");
        let help = super::command()
            .find_subcommand_mut("memory")
            .expect("it")
            .render_help();
        let help = help.to_string();
        let (list, _) = help.split_once("Global options:").expect("the options");
        for name in names {
            let entry = |line: &&str| line.split(' ').nth(2) == Some(name);
            assert_eq!(list.lines().filter(entry).count(), 1, "{name}: {list}");
        }
        for line in list.lines() {
            assert!(line.len() <= MAX_WIDTH, "{line}");
        }
    }

    #[test]
    fn paragraphs_are_joined_and_tables_remain() {
        let text = "One\ntwo.\n\nThree:\n  a  b\n  c  d\nFour\nfive";
        assert_eq!(
            joined(text),
            "One two.\n\nThree:\n  a  b\n  c  d\nFour five"
        );
    }

    #[test]
    fn each_text_is_of_a_command() {
        for path in texts().keys() {
            let mut found = Cli::command();
            assert_eq!(path.split(' ').next(), Some("cerberus"));
            for name in path.split(' ').skip(1) {
                found = found.find_subcommand(name).expect(path).clone();
            }
        }
    }
}
