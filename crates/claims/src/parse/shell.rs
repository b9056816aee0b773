//! What a command line runs: tasks of manifests, and paths among its arguments.

use cerberus_model::text::conventions::CONVENTIONS;
use cerberus_model::text::{Span, conventions, shell};

use super::classify;
use super::word_lists::{
    CARGO_COMMANDS, CREATING, MANAGER_COMMANDS, SHELLS, TURBO_COMMANDS, WITH_VALUE,
};
use crate::kinds::task::{Runner, Task};
use crate::kinds::variable::Variable;
use crate::kinds::{self, Target};

mod place;

/// Maximum length of the folder in which a command runs.
const MAX_FOLDER: usize = 1024;

/// Maximum number of folders in folders to which commands change back.
const MAX_FOLDERS: usize = 64;

/// A word of a command line.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    start: usize,
}

/// Returns whether the info string of a block is that of a shell.
pub(super) fn is_shell(info: &str) -> bool {
    SHELLS.contains(info)
}

/// Returns whether a text may be a command line with arguments: it has several words, of which the
/// first one is not the start of a call or of a type.
pub(super) fn is_command(text: &str) -> bool {
    let text = text.strip_prefix("$ ").unwrap_or(text);
    // `(cd a && b)`
    let subshell = text
        .strip_prefix('(')
        .filter(|inner| inner.starts_with("cd "));
    let text = subshell.unwrap_or(text);
    let mut words = text.split_whitespace();
    let (Some(first), Some(_)) = (words.next(), words.next()) else {
        return false;
    };
    !first.contains(['(', '<', '[', '{', ','])
}

/// Where the commands of a block run.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The folder that `cd` changed to, relative to the first one.
    folder: Option<String>,
    /// The folders to which the end of a subshell, or `popd`, changes back.
    outer: Vec<Option<String>>,
    /// Whether a command copied the project, whose folder is then the one to change to.
    is_cloned: bool,
}

impl State {
    /// Changes to a folder.
    fn enter(&mut self, folder: &str) {
        let outer = self
            .folder
            .as_ref()
            .map_or(String::new(), |outer| format!("{outer}/"));
        let folder = outer + folder.trim_end_matches('/');
        // A system does not enter a longer one.
        if folder.len() <= MAX_FOLDER {
            self.folder = Some(folder);
        }
    }

    /// Starts a subshell, or `pushd`.
    fn save(&mut self) {
        if self.outer.len() < MAX_FOLDERS {
            self.outer.push(self.folder.clone());
        }
    }

    fn restore(&mut self) {
        if let Some(folder) = self.outer.pop() {
            self.folder = folder;
        }
    }
}

/// Returns what the commands of a line name, with the span of each name.
pub(super) fn claims(line: &str, state: &mut State) -> Vec<(Span, String, Target)> {
    let mut found = Vec::new();
    let mut command: Vec<Word<'_>> = Vec::new();
    let (mut n_open, mut n_closed) = (0_usize, 0_usize);
    for mut word in words(line) {
        // `sh -c "a && b"`
        if word.text.contains(' ') && command.last().is_some_and(|it| it.text == "-c") {
            let inner = claims(word.text, state).into_iter();
            found.extend(inner.map(|(span, shown, it)| (span.shifted(word.start), shown, it)));
        } else if matches!(word.text, "&&" | "||" | ";" | "|" | "&") {
            read(&std::mem::take(&mut command), state, &mut found);
            for _ in 0..std::mem::take(&mut n_closed) {
                state.restore();
            }
        } else if word.text.starts_with('#') {
            break;
        } else if !(command.is_empty() && matches!(word.text, "$" | "%" | ">")) {
            // `(cd a && b)`
            if command.is_empty()
                && let Some(text) = word.text.strip_prefix('(')
            {
                word = Word {
                    text,
                    start: word.start + 1,
                };
                state.save();
                n_open += 1;
            }
            if n_open > 0
                && !word.text.contains('(')
                && let Some(text) = word.text.strip_suffix(')')
            {
                word.text = text;
                n_open -= 1;
                n_closed += 1;
            }
            if !word.text.is_empty() {
                command.push(word);
            }
        }
    }
    read(&command, state, &mut found);
    for _ in 0..n_open + n_closed {
        state.restore();
    }
    found
}

/// Returns the variables that a block with settings gives a value: `NAME=value`, `- NAME: value`.
pub(super) fn settings(block: &str) -> Vec<(Span, Target)> {
    let setting = |line: &str| {
        let rest = line.trim_start().trim_start_matches("- ");
        let rest = ["export ", "ENV "]
            .iter()
            .find_map(|it| rest.strip_prefix(it))
            .unwrap_or(rest);
        let rest = rest.trim_start_matches(['"', '\'', '#', ' ']);
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        let (name, after) = rest.split_at(end);
        let is_set = after
            .trim_start_matches(['"', '\'', ' '])
            .starts_with(['=', ':']);
        let start = rest.as_ptr().addr() - block.as_ptr().addr();
        (is_set && classify::is_variable_name(name)).then(|| {
            (
                Span::new(start, start + end),
                Target::Variable(Variable(name.to_owned())),
            )
        })
    };
    block.lines().filter_map(setting).collect()
}

/// Splits a line at white space outside quotes, and at the operators between commands.
fn words(line: &str) -> Vec<Word<'_>> {
    let mut tokens = shell::tokens(line);
    tokens.retain(|token| token.text != "\n");
    let mut found = Vec::new();
    // Documents write `a|b` for a choice, so that an operator needs spaces.
    for chunk in tokens.chunk_by(|a, b| a.span.end == b.span.start) {
        let ([first, ..], [.., last]) = (chunk, chunk) else {
            continue;
        };
        let Span { start, .. } = first.span;
        let raw = &line[start..last.span.end];
        // The words of a substitution are those of a command, too.
        let is_space: fn(char) -> bool = if raw.contains("$(") {
            char::is_whitespace
        } else {
            |_| false
        };
        let mut quote = None;
        let pieces = raw.split(|c: char| match quote {
            Some(open) => {
                quote = quote.filter(|_| open != c);
                false
            }
            None => {
                quote = matches!(c, '"' | '\'').then_some(c);
                is_space(c)
            }
        });
        let pieces = pieces.filter(|piece| !piece.is_empty());
        pieces.for_each(|piece| push_word(&mut found, line, piece));
    }
    found
}

/// Adds a word of a line without its quotes, and the `;` after it.
fn push_word<'l>(found: &mut Vec<Word<'l>>, line: &'l str, raw: &'l str) {
    let text = raw.trim_matches(['"', '\'']);
    let start = text.as_ptr().addr() - line.as_ptr().addr();
    match text.strip_suffix(';') {
        Some(text) if !text.is_empty() => {
            let end = start + text.len();
            found.push(Word { text, start });
            found.push(Word {
                text: &line[end..=end],
                start: end,
            });
        }
        _ => found.push(Word {
            text: text.trim_end_matches(','),
            start,
        }),
    }
}

/// Reads one command.
fn read(words: &[Word<'_>], state: &mut State, found: &mut Vec<(Span, String, Target)>) {
    found.extend(words.iter().filter_map(assigned));
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    let words = &words[shell::n_before_program(&texts)..];
    let Some((program, arguments)) = words.split_first() else {
        return;
    };
    let line = shown(words);
    for (word, runner, may_be_program) in tasks(program.text, arguments) {
        if is_name(word.text) {
            let name = word.text.to_owned();
            let within = place::of(runner, words, state.folder.as_deref());
            let task = Task {
                runner,
                name,
                may_be_program,
                within,
            };
            found.push((span(&word), line.clone(), Target::Task(task)));
        }
    }
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    for (position, target) in kinds::in_command(&texts) {
        found.push((span(&words[position]), line.clone(), target));
    }
    if !CREATING.entries().contains(&program.text) {
        for (name, path) in words.iter().filter_map(argument_path) {
            let in_folder = state
                .folder
                .as_ref()
                .map(|folder| format!("{folder}/{path}"));
            let target = classify::located(in_folder.as_deref().unwrap_or(&path)).into();
            found.push((name, path, target));
        }
    }
    let argument = arguments.first().map_or("", |word| word.text);
    match program.text {
        "git" if argument == "clone" => state.is_cloned = true,
        "cd" | "pushd" if state.is_cloned => {
            state.is_cloned = false;
            state.folder = argument
                .split_once('/')
                .map(|(_, within)| within.to_owned());
        }
        "cd" => state.enter(argument),
        "pushd" => {
            state.save();
            state.enter(argument);
        }
        "popd" => state.restore(),
        _ => {}
    }
}

/// Returns the variable that a word gives a value.
fn assigned(word: &Word<'_>) -> Option<(Span, String, Target)> {
    let (name, _) = word.text.split_once('=')?;
    classify::is_variable_name(name).then(|| {
        let span = Span::new(word.start, word.start + name.len());
        (
            span,
            name.to_owned(),
            Target::Variable(Variable(name.to_owned())),
        )
    })
}

/// A word that names a task, with its runner, and whether the name may also be a program.
type Named<'l> = (Word<'l>, Runner, bool);

/// Options of cargo whose value is a name.
const CARGO_OPTIONS: &[(&[&str], Runner)] = &[
    (&["-p", "--package"], Runner::CargoPackage),
    (
        &["--bin", "--example", "--test", "--bench"],
        Runner::CargoTarget,
    ),
    (&["--features", "-F"], Runner::CargoFeature),
];

/// Returns the words among the arguments of a program that name a task.
fn tasks<'l>(program: &str, arguments: &[Word<'l>]) -> Vec<Named<'l>> {
    let first = |runner: Runner| {
        let first = plain(arguments, 0).map(|first| (arguments[first], runner, false));
        first.into_iter().collect()
    };
    match program {
        "npm" | "pnpm" | "yarn" | "bun" | "deno" => manager_tasks(program, arguments),
        "npx" | "bunx" => inner_tasks(arguments),
        "turbo" | "lerna" | "nx" => monorepo_tasks(program, arguments),
        "uv" | "poetry" | "pdm" | "hatch" => python_tasks(arguments),
        "make" | "gmake" => make_targets(arguments),
        "cargo" => cargo_names(arguments),
        "just" => first(Runner::Just),
        "task" => first(Runner::TaskFile),
        "poe" => first(Runner::Python),
        "tox" => after_options(arguments, &[(&["-e"], Runner::Tox)]),
        _ => Vec::new(),
    }
}

/// Returns the values of options.
fn after_options<'l>(arguments: &[Word<'l>], options: &[(&[&str], Runner)]) -> Vec<Named<'l>> {
    let mut found = Vec::new();
    for pair in arguments.windows(2) {
        let option = options
            .iter()
            .find(|(names, _)| names.contains(&pair[0].text));
        found.extend(option.map(|(_, runner)| (pair[1], *runner, false)));
    }
    found
}

fn manager_tasks<'l>(program: &str, arguments: &[Word<'l>]) -> Vec<Named<'l>> {
    let mut found = Vec::new();
    let is_workspace = arguments.first().is_some_and(|it| it.text == "workspace");
    found.extend(scoped(place::package(program, arguments)));
    let from = match arguments {
        [first, ..] if first.text == "workspace" => 2,
        [first, second, ..] if first.text == "workspaces" && second.text == "foreach" => 2,
        [first, ..] if first.text == "workspaces" => 1,
        _ => 0,
    };
    // `pnpm -w NAME` runs it in the root: the option has no value.
    let root = arguments
        .iter()
        .position(|it| it.text == "-w")
        .filter(|_| program == "pnpm");
    let first = plain(arguments, root.map_or(from, |root| root + 1));
    let Some(first) = first else { return found };
    let runner = if program == "deno" {
        Runner::Deno
    } else {
        Runner::Script
    };
    match arguments[first].text {
        "run" | "run-script" | "task" => {
            let may_be_program = matches!(program, "bun" | "yarn");
            let next = plain(arguments, first + 1);
            found.extend(next.map(|next| (arguments[next], runner, may_be_program)));
        }
        // They run the script of the name.
        "start" | "stop" | "restart" | "test" if !matches!(program, "bun" | "deno") => {
            found.push((arguments[first], runner, false));
        }
        "exec" | "dlx" | "x" | "turbo" | "lerna" | "nx" if program != "deno" && !is_workspace => {
            let first = first + usize::from(!is_monorepo_tool(arguments[first].text));
            found.extend(inner_tasks(&arguments[first..]));
        }
        name if matches!(program, "pnpm" | "yarn" | "bun") && !MANAGER_COMMANDS.contains(name) => {
            found.push((arguments[first], runner, true));
        }
        _ => {}
    }
    found
}

fn is_monorepo_tool(program: &str) -> bool {
    matches!(program, "turbo" | "lerna" | "nx")
}

/// Returns a word that is the name of a package with its scope.
fn scoped<'l>(package: Option<Word<'l>>) -> Option<Named<'l>> {
    let is_scoped = |word: &Word<'_>| word.text.starts_with('@') && word.text.contains('/');
    package
        .filter(is_scoped)
        .map(|word| (word, Runner::Workspace, false))
}

/// Returns the tasks of the tool that another program starts: `npx nx build web`.
fn inner_tasks<'l>(arguments: &[Word<'l>]) -> Vec<Named<'l>> {
    match plain(arguments, 0).map(|first| arguments[first..].split_at(1)) {
        Some(([program], rest)) if is_monorepo_tool(program.text) => {
            monorepo_tasks(program.text, rest)
        }
        _ => Vec::new(),
    }
}

/// Returns the tasks that a tool runs in packages: `turbo run NAME`, `lerna run NAME`, `nx run PACKAGE:NAME`,
/// `nx NAME PACKAGE`.
fn monorepo_tasks<'l>(program: &str, arguments: &[Word<'l>]) -> Vec<Named<'l>> {
    let mut found: Vec<Named<'l>> = Vec::new();
    found.extend(scoped(place::package(program, arguments)));
    let Some(first) = plain(arguments, 0) else {
        return found;
    };
    let next = plain(arguments, first + 1).map(|next| arguments[next]);
    match (program, arguments[first].text, next) {
        ("turbo" | "lerna", "run", Some(next)) => found.push((next, Runner::Script, false)),
        // `turbo NAME --filter PACKAGE`
        ("turbo", name, _)
            if !TURBO_COMMANDS.contains(name) && place::package(program, arguments).is_some() =>
        {
            found.push((arguments[first], Runner::Script, false));
        }
        ("nx", ..) => {
            let target = place::nx_target(arguments);
            found.extend(target.map(|(_, target)| (target, Runner::Nx, false)));
        }
        _ => {}
    }
    found
}

fn python_tasks<'l>(arguments: &[Word<'l>]) -> Vec<Named<'l>> {
    let run = plain(arguments, 0).filter(|first| arguments[*first].text == "run");
    let Some(next) = run.and_then(|run| plain(arguments, run + 1)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if !arguments[next].text.starts_with("python") {
        found.push((arguments[next], Runner::Python, true));
    }
    if matches!(arguments[next].text, "poe" | "task") {
        found.extend(
            arguments
                .get(next + 1)
                .map(|task| (*task, Runner::Python, false)),
        );
    }
    found
}

fn make_targets<'l>(arguments: &[Word<'l>]) -> Vec<Named<'l>> {
    let is_value =
        |idx: usize| idx > 0 && matches!(arguments[idx - 1].text, "-C" | "-f" | "-j" | "-l" | "-o");
    let targets = arguments.iter().enumerate().filter(|(idx, word)| {
        !is_value(*idx) && !word.text.starts_with('-') && !word.text.contains('=')
    });
    targets
        .map(|(_, word)| (*word, Runner::Make, false))
        .collect()
}

fn cargo_names<'l>(arguments: &[Word<'l>]) -> Vec<Named<'l>> {
    let sub = arguments.iter().find(|it| !it.text.starts_with(['+', '-']));
    let alias = sub.filter(|sub| !CARGO_COMMANDS.contains(sub.text));
    let own = arguments
        .split(|word| word.text == "--")
        .next()
        .unwrap_or_default();
    let mut named = after_options(own, CARGO_OPTIONS);
    // A list of features, or one of another package.
    named.retain(|(word, runner, _)| {
        *runner != Runner::CargoFeature || !word.text.contains([',', '/'])
    });
    alias
        .map(|sub| (*sub, Runner::CargoAlias, false))
        .into_iter()
        .chain(named)
        .collect()
}

/// Returns the index of the first argument from `from` that is neither an option nor its value.
fn plain(arguments: &[Word<'_>], from: usize) -> Option<usize> {
    let mut idx = from;
    while let Some(word) = arguments.get(idx) {
        if WITH_VALUE.entries().contains(&word.text) {
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
        && !CONVENTIONS
            .endings
            .documents
            .contains(conventions::ending(name))
}

/// Returns the path in an argument, also after `--option=`.
fn argument_path(word: &Word<'_>) -> Option<(Span, String)> {
    let (skipped, text) = match word.text.split_once('=') {
        Some((option, value)) if option.starts_with('-') => (option.len() + 1, value),
        Some(_) => return None,
        None => (0, word.text),
    };
    let (skipped, text) = text
        .strip_prefix('(')
        .map_or((skipped, text), |it| (skipped + 1, it));
    if text.starts_with(['-', '@', '+']) {
        return None;
    }
    // A pattern of Go packages names the folder.
    let path = text
        .strip_suffix("/...")
        .unwrap_or(text)
        .trim_end_matches(['.', ',', ')', ';', ':', '\\']);
    let start = word.start + skipped;
    let span = Span::new(start, start + path.len());
    if let Some(path) = classify::windows_path(path) {
        return Some((span, path));
    }
    if !classify::is_path(path) || path.starts_with('/') {
        return None;
    }
    Some((span, path.to_owned()))
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
