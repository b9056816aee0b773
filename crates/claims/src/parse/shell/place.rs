//! Where a command says that its task is: in a folder, in a package, or here.

use cerberus_model::WordList;

use super::super::word_lists::{FOLDER_OPTIONS, PACKAGE_OPTIONS, RECURSIVE_OPTIONS};
use super::{Word, is_monorepo_tool, plain};
use crate::kinds::task::{Runner, Within};

/// Returns where a task of a command is. `folder` is the one that `cd` changed to.
pub(super) fn of(runner: Runner, words: &[Word<'_>], folder: Option<&str>) -> Within {
    let Some((program, arguments)) = words.split_first() else {
        return Within::Here;
    };
    let own = before_separator(arguments);
    match runner {
        // Their names are those of the whole project.
        Runner::Workspace
        | Runner::CargoAlias
        | Runner::CargoPackage
        | Runner::Python
        | Runner::Tox => {
            let has_folder = !values(&FOLDER_OPTIONS, program.text, own).is_empty();
            if has_folder || folder.is_some() {
                Within::Anywhere
            } else {
                Within::Here
            }
        }
        _ => {
            let named = of_program(program.text, own, folder);
            named.unwrap_or_else(|| folder.map_or(Within::Here, folder_place))
        }
    }
}

/// Returns the word that names the package of a command, if one does exactly.
pub(super) fn package<'l>(program: &str, arguments: &[Word<'l>]) -> Option<Word<'l>> {
    match named_packages(program, before_separator(arguments))[..] {
        [package] if is_exact(package.text) => Some(package),
        _ => None,
    }
}

/// Returns the arguments that are not for the script.
fn before_separator<'w, 'l>(arguments: &'w [Word<'l>]) -> &'w [Word<'l>] {
    arguments
        .split(|word| word.text == "--")
        .next()
        .unwrap_or_default()
}

/// Returns the place that the arguments of a program name.
fn of_program(program: &str, arguments: &[Word<'_>], folder: Option<&str>) -> Option<Within> {
    if let Some((tool, rest)) = inner_tool(program, arguments) {
        return of_program(tool, rest, folder);
    }
    let is_all = |word: &Word<'_>| options(&RECURSIVE_OPTIONS, program).any(|it| it == word.text);
    let is_workspaces = arguments.first().is_some_and(|it| it.text == "workspaces");
    if arguments.iter().any(is_all) || is_workspaces {
        return Some(Within::Anywhere);
    }
    match named_packages(program, arguments)[..] {
        [] => {}
        [package] => return Some(package_place(package.text, folder)),
        _ => return Some(Within::Anywhere),
    }
    let is_root = |word: &Word<'_>| matches!(word.text, "-w" | "--workspace-root");
    if program == "pnpm" && arguments.iter().any(is_root) {
        return Some(Within::Folder("/".to_owned()));
    }
    if let Some(within) = values(&FOLDER_OPTIONS, program, arguments).first() {
        let within = within
            .text
            .strip_suffix("Cargo.toml")
            .unwrap_or(within.text);
        return Some(folder_place(&joined(folder, within)));
    }
    is_monorepo_tool(program).then_some(Within::Anywhere)
}

/// Returns the tool that a package manager starts, with its arguments: `pnpm exec turbo run NAME`.
fn inner_tool<'w, 'l>(
    program: &str,
    arguments: &'w [Word<'l>],
) -> Option<(&'l str, &'w [Word<'l>])> {
    if !matches!(program, "npm" | "pnpm" | "yarn" | "bun" | "npx" | "bunx") {
        return None;
    }
    let mut first = plain(arguments, 0)?;
    if matches!(arguments[first].text, "exec" | "dlx" | "x") {
        first = plain(arguments, first + 1)?;
    }
    let tool = arguments[first].text;
    is_monorepo_tool(tool).then(|| (tool, &arguments[first + 1..]))
}

/// Returns the words that name packages.
fn named_packages<'l>(program: &str, arguments: &[Word<'l>]) -> Vec<Word<'l>> {
    let mut found = values(&PACKAGE_OPTIONS, program, arguments);
    match (program, arguments) {
        ("yarn", [first, package, ..]) if first.text == "workspace" => found.push(*package),
        ("nx", _) => found.extend(nx_target(arguments).map(|(project, _)| project)),
        _ => {}
    }
    found
}

/// Returns the project and the target of `nx run PROJECT:TARGET` and `nx TARGET PROJECT`.
pub(super) fn nx_target<'l>(arguments: &[Word<'l>]) -> Option<(Word<'l>, Word<'l>)> {
    let first = plain(arguments, 0)?;
    let next = *arguments.get(plain(arguments, first + 1)?)?;
    let target = arguments[first];
    if target.text != "run" {
        // Other commands have other words after them.
        let is_name = !matches!(
            target.text,
            "add"
                | "affected"
                | "g"
                | "generate"
                | "migrate"
                | "run-many"
                | "show"
                | "list"
                | "graph"
        );
        return is_name.then_some((next, target));
    }
    let (project, rest) = next.text.split_once(':')?;
    let name = rest.split(':').next().unwrap_or(rest);
    let start = next.start + project.len() + 1;
    Some((
        Word {
            text: project,
            start: next.start,
        },
        Word { text: name, start },
    ))
}

/// Returns the options of a program in a list whose entries start with the program.
fn options(list: &'static WordList, program: &str) -> impl Iterator<Item = &'static str> {
    let own = list.entries().iter().map(|entry| entry.split(' '));
    let mut own = own.filter_map(move |mut entry| (entry.next()? == program).then_some(entry));
    own.next().into_iter().flatten()
}

/// Returns the values of the options in a list, as in `--option value` and `--option=value`.
fn values<'l>(list: &'static WordList, program: &str, arguments: &[Word<'l>]) -> Vec<Word<'l>> {
    let names: Vec<&str> = options(list, program).collect();
    let mut found = Vec::new();
    for (idx, word) in arguments.iter().enumerate() {
        if names.contains(&word.text) {
            found.extend(arguments.get(idx + 1).copied());
        } else if let Some((option, value)) = word.text.split_once('=')
            && names.contains(&option)
        {
            let text = value.trim_matches(['"', '\'']);
            let start = word.start + (text.as_ptr().addr() - word.text.as_ptr().addr());
            found.push(Word { text, start });
        }
    }
    found
}

/// Returns whether a text names one package or folder, not those that a pattern or a variable means.
fn is_exact(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(['*', '?', '{', '[', '^', '!', '$', '<', '~', '(', '%', '\\'])
        && !text.contains("...")
}

fn folder_place(folder: &str) -> Within {
    let is_inside = is_exact(folder) && !folder.starts_with('/') && folder != "-";
    if is_inside {
        Within::Folder(folder.to_owned())
    } else {
        Within::Anywhere
    }
}

/// Returns the place of the value of an option that names a package, or its folder.
fn package_place(name: &str, folder: Option<&str>) -> Within {
    let is_path = name.starts_with('.') || (name.contains('/') && !name.starts_with('@'));
    match is_path {
        _ if !is_exact(name) => Within::Anywhere,
        true => folder_place(&joined(folder, name)),
        false => Within::Package(name.to_owned()),
    }
}

fn joined(folder: Option<&str>, within: &str) -> String {
    match folder {
        Some(folder) if !within.starts_with('/') => format!("{folder}/{within}"),
        _ => within.to_owned(),
    }
}
