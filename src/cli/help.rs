//! What help shows besides the arguments: the notes and examples of each command, and the groups of
//! `cerberus memory --help`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::{Command, CommandFactory};

use super::Cli;

/// The text below the arguments of each command: a line `== COMMAND`, then its text.
const TEXTS: &str = include_str!("help.txt");

/// The groups of the commands under `cerberus memory`.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Daily",
        &[
            "init", "add", "anchor", "show", "search", "linked", "reanchor", "import", "delete",
            "restore",
        ],
    ),
    ("Review", &["review", "review-diff", "pattern", "stats", "report"]),
    ("Documents", &["create", "append", "read", "update", "merge", "sections", "links"]),
    ("Pins", &["pin", "inject"]),
    ("Sharing", &["bank", "export"]),
    ("Plumbing", &["anchor-test", "feedback", "replay", "merge-lock"]),
];

/// Returns the definition of the command line with its help.
pub(super) fn command() -> Command {
    with_texts(Cli::command(), "cerberus", &texts()).mut_subcommand("memory", with_groups)
}

fn texts() -> BTreeMap<&'static str, &'static str> {
    let texts = TEXTS.trim_start_matches("== ").split("\n== ");
    texts.filter_map(|it| it.split_once('\n')).map(|(path, it)| (path, it.trim_end())).collect()
}

fn with_texts(command: Command, path: &str, texts: &BTreeMap<&str, &'static str>) -> Command {
    let command = match texts.get(path) {
        Some(text) => command.after_help(*text),
        None => command,
    };
    command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        with_texts(below, &path, texts)
    })
}

/// Lists the commands in groups. clap has one list of commands only, without headings.
fn with_groups(command: Command) -> Command {
    let styles = command.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let entry = |name: &str| {
        let found = command.find_subcommand(name)?;
        let names = [found.get_name()].into_iter().chain(found.get_visible_aliases());
        Some((names.collect::<Vec<_>>().join(", "), found.get_about()?.to_string()))
    };
    let groups = GROUPS.iter().map(|(group, names)| {
        (group, names.iter().filter_map(|name| entry(name)).collect::<Vec<_>>())
    });
    let groups: Vec<_> = groups.collect();
    let names = groups.iter().flat_map(|(_, entries)| entries.iter().map(|(names, _)| names.len()));
    let width = names.max().unwrap_or_default();
    let mut list = String::new();
    for (group, entries) in groups {
        let _ = write!(list, "\n{header}{group}:{header:#}\n");
        for (names, about) in entries {
            let _ = writeln!(list, "  {literal}{names:width$}{literal:#}  {about}");
        }
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

    #[test]
    fn each_memory_command_is_in_one_group_in_this_order() {
        let cli = Cli::command();
        let memory = cli.find_subcommand("memory").expect("a command");
        let commands: Vec<&str> = memory.get_subcommands().map(Command::get_name).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        assert_eq!(commands, grouped);
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
