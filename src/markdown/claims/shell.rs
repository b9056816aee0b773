//! What a command line runs: tasks of manifests, and paths among its arguments.

use super::classify::{self, FILE_ENDINGS};
use super::{Runner, Target, Task};
use crate::text::{Span, WordList};

/// Info strings of shell blocks.
static SHELLS: WordList = WordList::new(
    "sh bash shell zsh fish console shell-session terminal powershell ps1 bat cmd sh-session",
);

/// Programs that start a command line in inline code.
static PROGRAMS: WordList = WordList::new(
    "bash sh zsh bun bunx cargo cat cd chmod cp deno docker go hatch just make mise mv node nox npm npx \
     nx pdm pip pip3 pnpm pnpx poe poetry pytest python python3 rake rm ruby ruff source sudo task time tox \
     ts-node tsx turbo uv uvx vim yarn gmake",
);

/// Programs whose first argument is a program.
static PREFIXES: WordList = WordList::new("sudo time env command exec nice");

/// Subcommands of package managers that are not scripts.
static MANAGER_COMMANDS: WordList = WordList::new(
    "access add adduser approve-builds audit autoclean bin bugs build-info c cache cat-file catalog ci clean-install completion config constraints \
     create dedupe deploy deprecate diff dist-tag dlx docs doctor edit env exec explain explore find-dupes \
     fund generate-lock-entry generateLockEntry global hash help hook i import info init install install-ci-test \
     install-test it link list licenses licences ll login logout ls node npm org outdated owner pack patch \
     patch-commit patch-remove ping pkg plugin plug'n'play pm pnpm policies prefix profile prune publish query \
     rebuild rb recursive m multi remove repl repo restart rm root run run-script sbom search self-update server set setup shrinkwrap stage star \
     stars start stop store t tag team test token tst un uninstall unlink unplug unpublish unstar up update \
     upgrade upgrade-interactive version versions view whoami why workspace workspaces x bunx node-gyp",
);

/// Subcommands of cargo and of its usual extensions.
static CARGO_COMMANDS: WordList = WordList::new(
    "add audit b bench binstall bloat build c check clean clippy component config cov crev d deny dist doc expand \
     fetch fix flamegraph fmt fuzz generate generate-lockfile geiger hack help info init insta install \
     install-update llvm-cov locate-project login logout machete make metadata miri mutants new nextest ndk outdated owner \
     package pgo pkgid publish r readme read-manifest release remove report rm run rustc rustdoc sb search semver-checks shear sort sqlx \
     t tarpaulin test tree udeps uninstall update upgrade vendor verify-project vet version wasi watch workspaces yank zigbuild",
);

/// A word of a command line.
struct Word<'a> {
    text: &'a str,
    start: usize,
}

/// Returns whether the info string of a block is that of a shell.
pub(super) fn is_shell(info: &str) -> bool {
    SHELLS.contains(info)
}

/// Returns whether a text is a command line with arguments.
pub(super) fn is_command(text: &str) -> bool {
    let text = text.strip_prefix("$ ").unwrap_or(text);
    let mut words = text.split_whitespace();
    let (Some(first), Some(_)) = (words.next(), words.next()) else { return false };
    PROGRAMS.contains(first) || first.starts_with("./")
}

/// Returns what the commands of a line name, with the span of each name.
pub(super) fn claims(line: &str) -> Vec<(Span, String, Target)> {
    let mut found = Vec::new();
    let mut command: Vec<Word<'_>> = Vec::new();
    // A `cd` changes what the paths after it are relative to.
    let mut is_elsewhere = false;
    for word in words(line) {
        if matches!(word.text, "&&" | "||" | ";" | "|" | "&") {
            is_elsewhere |= read(&std::mem::take(&mut command), is_elsewhere, &mut found);
        } else if word.text.starts_with('#') {
            break;
        } else if !(command.is_empty() && matches!(word.text, "$" | "%" | ">")) {
            command.push(word);
        }
    }
    read(&command, is_elsewhere, &mut found);
    found
}

/// Splits a line at white space outside quotes, and at the operators between commands.
fn words(line: &str) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let (mut start, mut quote) = (None, None);
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => {
                quote = Some(c);
                start.get_or_insert(at);
            }
            (None, c) if c.is_whitespace() => {
                if let Some(start) = start.take() {
                    push_word(&mut found, line, start, at);
                }
            }
            _ => drop(start.get_or_insert(at)),
        }
    }
    if let Some(start) = start {
        push_word(&mut found, line, start, line.len());
    }
    found
}

fn push_word<'l>(found: &mut Vec<Word<'l>>, line: &'l str, start: usize, end: usize) {
    let raw = &line[start..end];
    let text = raw.trim_matches(['"', '\'']);
    let start = start + (text.as_ptr().addr() - raw.as_ptr().addr());
    match text.strip_suffix(';') {
        Some(text) if !text.is_empty() => {
            let end = start + text.len();
            found.push(Word { text, start });
            found.push(Word { text: &line[end..=end], start: end });
        }
        _ => found.push(Word { text: text.trim_end_matches(','), start }),
    }
}

/// Reads one command. Returns whether it changes the current folder.
fn read(words: &[Word<'_>], is_elsewhere: bool, found: &mut Vec<(Span, String, Target)>) -> bool {
    let is_assignment = |word: &Word<'_>| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        word.text.split_once('=').is_some_and(|(name, _)| name.chars().all(is_part))
    };
    let n_prefix =
        words.iter().take_while(|word| is_assignment(word) || PREFIXES.contains(word.text)).count();
    let words = &words[n_prefix..];
    let Some((program, arguments)) = words.split_first() else { return false };
    let line = shown(words);
    let mut put = |word: &Word<'_>, runner: Runner, may_be_program: bool| {
        let name = word.text;
        if is_name(name) {
            let task = Task { runner, name: name.to_owned(), may_be_program };
            found.push((span(word), line.clone(), Target::Task(task)));
        }
    };
    let first = plain(arguments, 0);
    match program.text {
        "npm" | "pnpm" | "yarn" | "bun" | "deno" => {
            for (idx, word) in arguments.iter().enumerate() {
                let is_workspace = matches!(word.text, "-F" | "--filter" | "-w" | "--workspace")
                    || (word.text == "workspace" && idx == 0);
                if let (true, Some(value)) = (is_workspace, arguments.get(idx + 1)) {
                    let is_package = value.text.starts_with('@') && value.text.contains('/');
                    if is_package && !value.text.contains(['.', '*', '^', '{']) {
                        put(value, Runner::Workspace, false);
                    }
                }
            }
            let skipped =
                usize::from(arguments.first().is_some_and(|it| it.text == "workspace")) * 2;
            if let Some(first) = plain(arguments, skipped) {
                let next = plain(arguments, first + 1);
                match arguments[first].text {
                    "run" | "run-script" | "task" => {
                        if let Some(next) = next {
                            put(
                                &arguments[next],
                                Runner::Script,
                                program.text == "bun" || program.text == "yarn",
                            );
                        }
                    }
                    name if matches!(program.text, "pnpm" | "yarn" | "bun")
                        && !MANAGER_COMMANDS.contains(name) =>
                    {
                        put(&arguments[first], Runner::Script, true);
                    }
                    _ => {}
                }
            }
        }
        "make" | "gmake" => {
            for idx in 0..arguments.len() {
                let is_value =
                    idx > 0 && matches!(arguments[idx - 1].text, "-C" | "-f" | "-j" | "-l" | "-o");
                let word = &arguments[idx];
                if !is_value && !word.text.starts_with('-') && !word.text.contains('=') {
                    put(word, Runner::Make, false);
                }
            }
        }
        "just" | "task" => {
            let runner = if program.text == "just" { Runner::Just } else { Runner::TaskFile };
            if let Some(first) = first {
                put(&arguments[first], runner, false);
            }
        }
        "cargo" => {
            let sub = arguments.iter().position(|it| !it.text.starts_with(['+', '-']));
            if let Some(sub) = sub.filter(|sub| !CARGO_COMMANDS.contains(arguments[*sub].text)) {
                put(&arguments[sub], Runner::CargoAlias, false);
            }
            let own = arguments.split(|word| word.text == "--").next().unwrap_or_default();
            for pair in own.windows(2) {
                match pair[0].text {
                    "-p" | "--package" => put(&pair[1], Runner::CargoPackage, false),
                    "--bin" | "--example" | "--test" | "--bench" => {
                        put(&pair[1], Runner::CargoTarget, false);
                    }
                    "--features" | "-F" if !pair[1].text.contains([',', '/']) => {
                        put(&pair[1], Runner::CargoFeature, false);
                    }
                    _ => {}
                }
            }
        }
        "uv" | "poetry" | "pdm" | "hatch" => {
            let next = first.filter(|first| arguments[*first].text == "run");
            if let Some(next) = next.and_then(|first| plain(arguments, first + 1)) {
                put(&arguments[next], Runner::Python, true);
                let rest = &arguments[next..];
                if matches!(rest[0].text, "poe" | "task") && rest.len() > 1 {
                    put(&rest[1], Runner::Python, false);
                }
            }
        }
        "poe" => {
            if let Some(first) = first {
                put(&arguments[first], Runner::Python, false);
            }
        }
        "tox" | "nox" => {
            let runner = if program.text == "tox" { Runner::Tox } else { Runner::Nox };
            for pair in arguments.windows(2) {
                if matches!(pair[0].text, "-e" | "-s" | "--session" | "--sessions") {
                    put(&pair[1], runner, false);
                }
            }
        }
        _ => {}
    }
    let changes_folder = matches!(program.text, "cd" | "pushd");
    let skips_paths = is_elsewhere
        || matches!(
            program.text,
            "git"
                | "docker"
                | "curl"
                | "wget"
                | "ssh"
                | "scp"
                | "rsync"
                | "echo"
                | "export"
                | "mkdir"
                | "touch"
                | "rm"
                | "sed"
                | "grep"
                | "awk"
                | "find"
        );
    for word in words.iter().filter(|_| !skips_paths) {
        if let Some((name, path)) = argument_path(word) {
            let target = classify::located(&path);
            found.push((name, path, target));
        }
    }
    changes_folder
}

/// Returns the index of the first argument from `from` that is neither an option nor its value.
fn plain(arguments: &[Word<'_>], from: usize) -> Option<usize> {
    const WITH_VALUE: &[&str] = &[
        "-F",
        "--filter",
        "-w",
        "--workspace",
        "-C",
        "--cwd",
        "--dir",
        "--prefix",
        "--group",
        "--extra",
        "--with",
        "--python",
        "-p",
        "--package",
        "--project",
        "--directory",
        "--only-group",
        "-f",
        "-d",
        "-t",
        "--justfile",
        "--taskfile",
        "--env-file",
        "--env",
        "-e",
    ];
    let mut idx = from;
    while let Some(word) = arguments.get(idx) {
        if WITH_VALUE.contains(&word.text) {
            idx += 2;
        } else if word.text.starts_with('-') {
            idx += 1;
        } else {
            return Some(idx);
        }
    }
    None
}

/// Returns whether a word may be the name of a task.
fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_-:./@".contains(c);
    name.chars().all(is_part)
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '@')
        && !name.contains("...")
        && !FILE_ENDINGS.entries().iter().any(|ending| name.ends_with(&format!(".{ending}")))
}

/// Returns the path in an argument, also after `--option=`.
fn argument_path(word: &Word<'_>) -> Option<(Span, String)> {
    let (skipped, text) = match word.text.split_once('=') {
        Some((option, value)) if option.starts_with('-') => (option.len() + 1, value),
        Some(_) => return None,
        None => (0, word.text),
    };
    if text.starts_with(['-', '@', '+']) {
        return None;
    }
    // A pattern of Go packages names the folder.
    let path =
        text.strip_suffix("/...").unwrap_or(text).trim_end_matches(['.', ',', ')', ';', '\\']);
    if !classify::is_path(path) || path.starts_with('/') {
        return None;
    }
    let start = word.start + skipped;
    Some((Span::new(start, start + path.len()), path.to_owned()))
}

fn span(word: &Word<'_>) -> Span {
    Span::new(word.start, word.start + word.text.len())
}

fn shown(words: &[Word<'_>]) -> String {
    let mut shown = String::new();
    for word in words.iter().take_while(|word| word.text != "\\") {
        shown.push_str(if shown.is_empty() { "" } else { " " });
        shown.push_str(word.text);
        if shown.len() > 80 {
            shown.push_str(" …");
            break;
        }
    }
    shown
}
