//! What is made from the command line's definition: completions, man pages, the reference;
//! and the command lines that the README, the documentation and the help show.

use std::collections::BTreeMap;
use std::path::Path;

use clap::{Command, ValueEnum};

use super::{assert_none, entries, file_name, read, root};

/// Pages of the documentation that show command lines.
const DOCUMENTATION: &[&str] = &[
    "tutorial.md",
    "how-to/agents.md",
    "how-to/ci.md",
    "how-to/migrate.md",
    "how-to/monorepo.md",
    "how-to/rules.md",
    "how-to/several-repositories.md",
    "how-to/team.md",
    "reference/hooks.md",
];

#[test]
fn completions_are_up_to_date() {
    let mut files = BTreeMap::new();
    for shell in clap_complete::Shell::value_variants() {
        let printed = std::process::Command::new(env!("CARGO_BIN_EXE_cerberus"))
            .args(["completions", &shell.to_string()])
            .output()
            .expect("cerberus runs");
        let script = printed.stdout;
        files.insert(
            clap_complete::Generator::file_name(shell, "cerberus"),
            script,
        );
    }
    assert_none(compare(&root().join("completions"), &files, is_updating()));
}

#[test]
fn man_pages_are_up_to_date() {
    let mut command = cerberus_memory::command().disable_help_subcommand(true);
    command.build();
    let mut files = BTreeMap::new();
    add_man_pages(&command, &mut files);
    assert_none(compare(&root().join("man"), &files, is_updating()));
}

#[test]
fn the_reference_has_the_help_of_each_command() {
    let mut page = "# Commands\n\nThe help of each command, `cerberus COMMAND --help`. Every command also accepts the global\n\
                    options of `cerberus --help`.\n"
        .to_owned();
    let mut command = cerberus_memory::command()
        .disable_help_subcommand(true)
        .term_width(100);
    command.build();
    page.push('\n');
    page.push_str(&command_list(&command));
    add_help(&command, &mut page);
    let path = root().join("docs/reference/commands.md");
    if is_updating() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let is_equal = read("docs/reference/commands.md") == page;
    assert!(
        is_equal,
        "docs/reference/commands.md: `UPDATE=1` rewrites it"
    );
}

#[test]
fn the_configuration_page_has_the_sample() {
    const PAGE: &str = "docs/reference/configuration.md";
    const FENCE: &str = "```toml\n";
    let page = read(PAGE);
    let (before, rest) = page.split_once(FENCE).expect("a block");
    let (_, after) = rest.split_once("```\n").expect("it ends");
    let sample = read("src/config/sample.toml");
    let new = format!("{before}{FENCE}{sample}```\n{after}");
    if is_updating() {
        std::fs::write(root().join(PAGE), &new).expect("the page can be written");
    }
    assert!(
        page == new || is_updating(),
        "{PAGE}: `UPDATE=1` rewrites it"
    );
}

#[test]
fn pages_can_be_read_in_the_repository() {
    let mut faults = Vec::new();
    for folder in ["docs", "docs/explanation", "docs/how-to", "docs/reference"] {
        for path in entries(&root().join(folder)) {
            let is_page = path.extension().is_some_and(|extension| extension == "md");
            if is_page
                && std::fs::read_to_string(&path)
                    .expect("a text")
                    .contains("{{#include")
            {
                let name = path.display();
                faults.push(format!(
                    "{name}: it includes a file, which only mdBook shows"
                ));
            }
        }
    }
    let json = read("docs/reference/json.md");
    for path in entries(&root().join("docs/reference/schemas")) {
        let name = file_name(&path);
        if !json.contains(&format!("](schemas/{name})")) {
            faults.push(format!("docs/reference/json.md: it has no link to {name}"));
        }
    }
    assert_none(faults);
}

/// Adds the help of a command and of those below it, without the global options.
fn add_help(command: &Command, page: &mut String) {
    let is_root = !command.get_bin_name().unwrap_or_default().contains(' ');
    let name = command
        .get_bin_name()
        .unwrap_or(command.get_name())
        .to_owned();
    let help = command.clone().render_long_help().to_string();
    let mut lines: Vec<&str> = Vec::new();
    let mut is_global = false;
    for line in help.lines() {
        match line {
            "Global options:" => is_global = !is_root,
            // The text after the options is not indented.
            line if !line.is_empty() && !line.starts_with(' ') => is_global = false,
            _ => {}
        }
        if !is_global {
            lines.push(line.trim_end());
        }
    }
    let text = lines.join("\n");
    page.push_str(&format!(
        "\n## {name}\n\n```text\n{}\n```\n",
        text.trim_end()
    ));
    for below in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        add_help(below, page);
    }
}

#[test]
fn shown_command_lines_parse() {
    let readme = read("README.md");
    let mut shown: Vec<(String, String)> = readme_lines(&readme)
        .into_iter()
        .map(|(line, text)| (format!("README.md:{line}"), text.to_owned()))
        .collect();
    let in_readme = shown.len();
    for page in DOCUMENTATION {
        let path = format!("docs/{page}");
        let text = read(&path);
        let lines = readme_lines(&text).into_iter();
        shown.extend(lines.map(|(line, text)| (format!("{path}:{line}"), text.to_owned())));
    }
    add_help_lines(&cerberus_memory::command(), &mut shown);
    assert!(
        in_readme > 0 && shown.len() > in_readme,
        "both the README and the help show command lines"
    );
    assert_none(
        shown
            .iter()
            .filter_map(|(place, line)| Some(format!("{place}: {}", misuse(line)?)))
            .collect(),
    );
}

#[test]
fn every_command_shows_an_example() {
    let mut without = Vec::new();
    add_without_example(&cerberus_memory::command(), &mut without);
    assert_none(without);
}

fn is_updating() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value == "1")
}

/// Compares a folder with the files that are generated for it; in an update writes those that differ.
fn compare(folder: &Path, files: &BTreeMap<String, Vec<u8>>, is_update: bool) -> Vec<String> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut wrong = Vec::new();
    for (file, wanted) in files {
        let path = folder.join(file);
        if std::fs::read(&path).is_ok_and(|found| found == *wanted) {
            continue;
        }
        if is_update {
            std::fs::write(&path, wanted)
                .unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
        } else {
            wrong.push(format!(
                "{name}/{file} is out of date: run `UPDATE=1 cargo test --locked --test tidy`"
            ));
        }
    }
    for path in entries(folder) {
        let file = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if !files.contains_key(&file) {
            wrong.push(format!("{name}/{file} is not generated: remove it"));
        }
    }
    wrong
}

/// Adds a page for a built command and for each one below it.
fn add_man_pages(command: &Command, files: &mut BTreeMap<String, Vec<u8>>) {
    let man = clap_mangen::Man::new(command.clone());
    let mut page = Vec::new();
    man.render(&mut page).expect("memory can be written to");
    files.insert(man.get_filename(), page);
    for below in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        add_man_pages(below, files);
    }
}

/// Returns the table of all commands.
fn command_list(command: &Command) -> String {
    let mut list = "| command | what it does |\n|---|---|\n".to_owned();
    add_commands(command, "", &mut list);
    list
}

fn add_commands(command: &Command, above: &str, list: &mut String) {
    let name = format!("{above}{}", command.get_name());
    if !command.has_subcommands() {
        let about = command
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        list.push_str(&format!("| `{name}` | {about} |\n"));
    }
    for below in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        add_commands(below, &format!("{name} "), list);
    }
}

/// Returns the command lines in the fenced blocks of a page, with their 1-based lines: all of
/// a `sh` block, and those after `$ ` of a `console` block.
fn readme_lines(page: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let mut fence = None;
    for (at, line) in page.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            fence = if fence.is_some() {
                None
            } else {
                Some(language)
            };
            continue;
        }
        let command = match fence {
            Some("sh") => Some(line),
            Some("console") => line.strip_prefix("$ "),
            _ => None,
        };
        lines.extend(command.filter(|it| is_ours(it)).map(|it| (at + 1, it)));
    }
    lines
}

fn is_ours(line: &str) -> bool {
    line.starts_with("cerberus ") || line.starts_with("cargo run ")
}

/// Adds the examples that end the help of a command and of those below it.
fn add_help_lines(command: &Command, lines: &mut Vec<(String, String)>) {
    let help = command
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let examples = help
        .lines()
        .map(|line| line.trim_start_matches("Example:").trim())
        .filter(|it| is_ours(it));
    lines.extend(examples.map(|it| (format!("help of `{}`", command.get_name()), it.to_owned())));
    for below in command.get_subcommands() {
        add_help_lines(below, lines);
    }
}

/// Adds the commands, at the ends of the tree, whose help shows no command line.
fn add_without_example(command: &Command, without: &mut Vec<String>) {
    let mut shown = Vec::new();
    add_help_lines(command, &mut shown);
    if shown.is_empty() && !command.has_subcommands() {
        without.push(format!(
            "the help of `{}` shows no example",
            command.get_name()
        ));
    }
    for below in command.get_subcommands() {
        add_without_example(below, without);
    }
}

/// Returns why a command line would be refused; one with `…` in it stands for many and is let through.
fn misuse(line: &str) -> Option<String> {
    if line.contains('…') {
        return None;
    }
    let words = shell_words(line);
    let args = match words.strip_prefix(&["cargo", "run", "--locked", "--"].map(str::to_owned)) {
        Some(args) => args,
        None if words[0] == "cerberus" => &words[1..],
        None => return Some(format!("`{line}` is not `cargo run --locked -- …`")),
    };
    let args = std::iter::once("cerberus").chain(args.iter().map(String::as_str));
    let error = cerberus_memory::command()
        .try_get_matches_from(args)
        .err()?;
    error.use_stderr().then(|| format!("`{line}`: {error}"))
}

/// Returns the words of a shell's command line up to a pipe, a redirection or another command.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '|' | '>' | '<' | '&' | ';' | '#') => break,
            (None, ' ') => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[test]
fn stray_and_stale_files_are_reported() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let files = BTreeMap::from([("a".to_owned(), b"new".to_vec())]);
    std::fs::write(folder.path().join("a"), "old").expect("a file");
    assert_eq!(compare(folder.path(), &files, false).len(), 1);
    assert_eq!(compare(folder.path(), &files, true), [""; 0]);
    assert_eq!(compare(folder.path(), &files, false), [""; 0]);
    std::fs::write(folder.path().join("b"), "stray").expect("a file");
    assert_eq!(compare(folder.path(), &files, true).len(), 1);
}

#[test]
fn an_invalid_command_line_is_reported() {
    let page = "```console\n$ cerberus memory int\ncerberus memory\n```\n```sh\ncerberus demo\n```\ncerberus x\n";
    assert_eq!(
        readme_lines(page),
        [(2, "cerberus memory int"), (6, "cerberus demo")]
    );
    assert!(misuse("cerberus memory int").is_some_and(|it| it.contains("init")));
    assert!(misuse("cargo run -- demo").is_some());
    assert_eq!(misuse("cerberus memory show --help"), None);
    assert_eq!(
        misuse("cargo run --locked -- memory search \"a | b\" --json | head"),
        None
    );
    assert_eq!(shell_words("a 'b c' \"\" d>e"), ["a", "b c", "", "d"]);
}
