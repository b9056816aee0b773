//! Finds the commit that a shell command makes.
//!
//! The command is not run, and its parts are not expanded: the answer is advice, and blocks nothing.

use std::path::{Component, Path, PathBuf};

use cerberus_model::text::shell;
use cerberus_patterns::shell::commands;

/// Maximum length of a path that a system opens. `cd` to a longer one fails.
const MAX_PATH: usize = 4096;

/// A `git commit` in a shell command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Commit {
    /// The folder in which it runs.
    pub(super) folder: PathBuf,
    /// Whether it may contain changes that are not staged yet.
    pub(super) has_unstaged: bool,
}

/// Returns the first commit of a shell command that runs in `folder`.
pub(super) fn commit(command: &str, folder: &Path) -> Option<Commit> {
    let mut folder = folder.to_owned();
    let mut has_unstaged = false;
    for words in commands(command).commands {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match &words[..] {
            ["cd", target, ..] => {
                enter(&mut folder, target);
            }
            [git, arguments @ ..] if shell::program_name(git) == "git" => {
                let (here, arguments) = global_options(&folder, arguments)?;
                match arguments {
                    ["add" | "stage", ..] => has_unstaged = true,
                    ["commit", arguments @ ..] => {
                        let makes_none = arguments
                            .iter()
                            .any(|argument| NO_COMMIT.contains(argument));
                        let before = std::iter::once(&"").chain(arguments);
                        has_unstaged |= before.zip(arguments).any(|(before, it)| adds(before, it));
                        return (!makes_none).then_some(Commit {
                            folder: here,
                            has_unstaged,
                        });
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    None
}

/// Options with which `git commit` makes no commit.
const NO_COMMIT: &[&str] = &["--dry-run", "--help", "-h"];

/// Returns whether with an argument of `git commit`, and the one before it, it contains changes that are not staged.
fn adds(before: &str, argument: &str) -> bool {
    // A value follows its option, a path does not.
    let is_path = !argument.starts_with('-') && !before.starts_with('-');
    // A message follows `m` in the same argument.
    let letters = argument
        .strip_prefix('-')
        .and_then(|letters| letters.split('m').next());
    let is_long = argument.starts_with("--");
    is_path
        || matches!(argument, "--" | "--all")
        || (!is_long && letters.is_some_and(|letters| letters.contains('a')))
}

/// Returns the folder in which git runs, and the words from its command. `None` if it uses another
/// repository.
fn global_options<'w>(folder: &Path, mut words: &'w [&'w str]) -> Option<(PathBuf, &'w [&'w str])> {
    let mut folder = folder.to_owned();
    while let [option, rest @ ..] = words
        && option.starts_with('-')
    {
        words = match (*option, rest) {
            ("-C", [target, rest @ ..]) => {
                enter(&mut folder, target);
                rest
            }
            ("-c", [_, rest @ ..]) => rest,
            _ if option.starts_with("--git-dir") || option.starts_with("--work-tree") => {
                return None;
            }
            _ => rest,
        };
    }
    Some((folder, words))
}

/// Changes a folder as `cd` does, and returns whether it is another one. The parts `.` and `..` are
/// resolved by their names only.
pub(super) fn enter(folder: &mut PathBuf, target: &str) -> bool {
    let before = folder.clone();
    for part in Path::new(target).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                folder.pop();
            }
            part => folder.push(part),
        }
    }
    let is_short = folder.as_os_str().len() <= MAX_PATH;
    if !is_short {
        *folder = before;
    }
    is_short
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the folder of the commit and whether it contains more than the staged changes.
    #[track_caller]
    fn check(command: &str, expected: &str) {
        let found = commit(command, Path::new("/p")).map(|commit| {
            let unstaged = if commit.has_unstaged {
                " and unstaged"
            } else {
                ""
            };
            format!("{}{unstaged}", commit.folder.display())
        });
        assert_eq!(found.as_deref().unwrap_or("none"), expected, "{command}");
    }

    #[test]
    fn commits_are_found_in_shell_commands() {
        check("git commit -m 'fix: a && git commit -a'", "/p");
        check("ls && git status", "none");
        check("git log --grep commit", "none");
        check("echo git commit", "none");
        check("git -c user.name=x -C sub commit -q", "/p/sub");
        check(
            "cd sub/../web && GIT_EDITOR=true /usr/bin/git commit --amend",
            "/p/web",
        );
        check("(cd sub; git commit)", "/p/sub");
        check("git --git-dir=/x/.git commit", "none");
        check("git commit --dry-run", "none");
        check("git stash; if true; then git commit; fi", "/p");
        check("# git commit\nls", "none");
    }

    #[test]
    fn unstaged_changes_are_in_it_if_the_command_adds_some() {
        check("git commit -am 'x'", "/p and unstaged");
        check("git commit -qa", "/p and unstaged");
        check("git commit -mall", "/p");
        check("git commit --amend", "/p");
        check("git commit --message a -- ./b.py", "/p and unstaged");
        check("git commit -m x b.py", "/p and unstaged");
        check("git commit b.py -m 'x y'", "/p and unstaged");
        check("git add -A && git commit -m x", "/p and unstaged");
        check(
            "git add \"my file\" \\\n  b && git commit",
            "/p and unstaged",
        );
        check(
            "git add a && git commit -F - <<'EOF'\ngit commit -a\nEOF",
            "/p and unstaged",
        );
    }

    #[test]
    fn the_folder_of_a_commit_is_limited() {
        let command = "cd a && ".repeat(25_000) + "git commit";
        let deep = commit(&command, Path::new("/p")).expect("a commit");
        assert!(deep.folder.as_os_str().len() <= MAX_PATH, "{deep:?}");
    }

    #[test]
    fn any_text_is_read() {
        for text in [
            "",
            "'",
            "\"$(",
            "git commit \\",
            "$(((",
            "git -C",
            "cd",
            "git commit -",
            "\"\\",
        ] {
            let _ = commit(text, Path::new("/p"));
        }
    }
}
