//! Finds the commit that a shell command makes.
//!
//! The command is not run, and its parts are not expanded. What cannot be known, such as the value of
//! a variable, is taken to be as large as it may be: the answer is advice, and blocks nothing.

use std::path::{Component, Path, PathBuf};

use cerberus_model::text::shell;

/// Maximum length of a path that a system opens. `cd` to a longer one fails.
const MAX_PATH: usize = 4096;

/// Maximum number of paths that are stored of a commit. With more it may contain any file.
const MAX_PATHS: usize = 1000;

/// A `git commit` in a shell command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Commit {
    /// The folder in which it runs.
    pub(super) folder: PathBuf,
    /// Which changes it contains in addition to the staged ones.
    pub(super) unstaged: Unstaged,
}

/// Changes in the working tree that are not staged yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unstaged {
    All,
    /// Those of these files and folders.
    Paths(Vec<PathBuf>),
}

impl Unstaged {
    /// Whether a file, with an absolute path, is part of the commit.
    pub(super) fn contains(&self, file: &Path) -> bool {
        match self {
            Self::All => true,
            Self::Paths(paths) => paths.iter().any(|path| file.starts_with(path)),
        }
    }

    fn add(&mut self, folder: &Path, word: &str) {
        let is_known =
            !word.contains(['$', '`', '*', '?', '[', '{', '~']) && !word.starts_with(':');
        match self {
            Self::Paths(paths) if is_known && paths.len() < MAX_PATHS => {
                paths.push(within(folder, word));
            }
            _ => *self = Self::All,
        }
    }
}

/// Returns the first commit of a shell command that runs in `folder`.
pub(super) fn commit(command: &str, folder: &Path) -> Option<Commit> {
    let mut folder = folder.to_owned();
    let mut unstaged = Unstaged::Paths(Vec::new());
    for words in shell::commands(command).commands {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match &words[..] {
            ["cd", target, ..] => {
                enter(&mut folder, target);
            }
            [git, arguments @ ..] if shell::program_name(git) == "git" => {
                let (here, arguments) = global_options(&folder, arguments)?;
                match arguments {
                    ["add" | "stage", arguments @ ..] => add(&mut unstaged, &here, arguments),
                    ["commit", arguments @ ..] => {
                        return commit_scope(&mut unstaged, &here, arguments)
                            .then_some(Commit { folder: here, unstaged });
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    None
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

/// Adds the files of `git add`.
fn add(unstaged: &mut Unstaged, folder: &Path, arguments: &[&str]) {
    const NONE: &[&str] = &["-n", "--dry-run", "-N", "--intent-to-add"];
    if arguments.iter().any(|argument| NONE.contains(argument)) {
        return;
    }
    let is_option = |argument: &str| argument.starts_with('-');
    let paths: Vec<&&str> = arguments.iter().filter(|argument| !is_option(argument)).collect();
    if paths.is_empty() {
        *unstaged = Unstaged::All;
    }
    paths.into_iter().for_each(|path| unstaged.add(folder, path));
}

/// Adds the files of `git commit` that are not staged. Returns whether it makes a commit.
fn commit_scope(unstaged: &mut Unstaged, folder: &Path, arguments: &[&str]) -> bool {
    const WITH_VALUE: &[&str] = &[
        "--author",
        "--cleanup",
        "--date",
        "--file",
        "--fixup",
        "--message",
        "--reedit-message",
        "--reuse-message",
        "--squash",
        "--template",
        "--trailer",
    ];
    let mut arguments = arguments.iter().copied();
    while let Some(argument) = arguments.next() {
        match argument {
            "--dry-run" | "--help" | "-h" => return false,
            "--all" => *unstaged = Unstaged::All,
            "--" => arguments.by_ref().for_each(|path| unstaged.add(folder, path)),
            _ if WITH_VALUE.contains(&argument) => {
                arguments.next();
            }
            _ if argument.starts_with("--") => {}
            _ if argument.len() > 1 && argument.starts_with('-') => {
                // Options of one letter, the last of which may have a value, as in `-am TEXT`.
                let letters = argument[1..].chars();
                let (mut has_all, mut value) = (false, None);
                for (at, letter) in letters.enumerate() {
                    has_all |= letter == 'a';
                    if "mFCct".contains(letter) {
                        value = Some(at + 2 == argument.len());
                        break;
                    }
                    // These take a value in the same word only.
                    if "Su".contains(letter) {
                        break;
                    }
                }
                if has_all {
                    *unstaged = Unstaged::All;
                }
                if value == Some(true) {
                    arguments.next();
                }
            }
            path => unstaged.add(folder, path),
        }
    }
    true
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

/// Returns a path in a folder, without `.` and `..`.
fn within(folder: &Path, target: &str) -> PathBuf {
    let mut path = folder.to_owned();
    enter(&mut path, target);
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the folder of the commit and what it contains beside the staged changes.
    #[track_caller]
    fn check(command: &str, expected: &str) {
        let found = commit(command, Path::new("/p")).map(|commit| {
            let unstaged = match commit.unstaged {
                Unstaged::All => "all".to_owned(),
                Unstaged::Paths(paths) => {
                    let paths: Vec<String> =
                        paths.iter().map(|path| path.display().to_string()).collect();
                    paths.join(" ")
                }
            };
            format!("{}: {unstaged}", commit.folder.display())
        });
        assert_eq!(found.as_deref().unwrap_or("none"), expected, "{command}");
    }

    #[test]
    fn commits_are_found_in_shell_commands() {
        check("git commit -m 'fix: a && git commit -a'", "/p: ");
        check("ls && git status", "none");
        check("git log --grep commit", "none");
        check("echo git commit", "none");
        check("git -c user.name=x -C sub commit -q", "/p/sub: ");
        check("cd sub/../web && GIT_EDITOR=true /usr/bin/git commit --amend", "/p/web: ");
        check("(cd sub; git commit)", "/p/sub: ");
        check("git --git-dir=/x/.git commit", "none");
        check("git commit --dry-run", "none");
        check("git stash; if true; then git commit; fi", "/p: ");
        check("# git commit\nls", "none");
    }

    #[test]
    fn unstaged_changes_are_those_that_the_command_adds() {
        check("git commit -am 'x'", "/p: all");
        check("git commit -qa", "/p: all");
        check("git commit -m a b.py", "/p: /p/b.py");
        check("git commit -ma b.py", "/p: /p/b.py");
        check("git commit --message a -- ./b.py", "/p: /p/b.py");
        check("git add -A && git commit -m x", "/p: all");
        check("git add . && git commit -m x", "/p: /p");
        check("git add src/a.py web && git commit -m x", "/p: /p/src/a.py /p/web");
        check("git add \"my file\" \\\n  b && git commit", "/p: /p/my file /p/b");
        check("git add *.py && git commit", "/p: all");
        check("git add $FILES && git commit", "/p: all");
        check("git add -n . && git commit", "/p: ");
        check(
            "git add a.py && git commit -m \"$(cat <<'EOF'\nIt's (a) fix\n\ngit add b.py\nEOF\n)\" && git push",
            "/p: /p/a.py",
        );
        check("git add a && git commit -F - <<'EOF'\ngit commit -a\nEOF", "/p: /p/a");
    }

    #[test]
    fn the_folder_and_the_paths_of_a_commit_are_limited() {
        let found = |text: String| commit(&text, Path::new("/p")).expect("a commit");
        let deep = found("cd a && ".repeat(25_000) + "git commit");
        assert!(deep.folder.as_os_str().len() <= MAX_PATH, "{deep:?}");
        let many = found("git add ".to_owned() + &"b ".repeat(MAX_PATHS + 1) + "&& git commit");
        assert_eq!(many.unstaged, Unstaged::All);
    }

    #[test]
    fn any_text_is_read() {
        for text in
            ["", "'", "\"$(", "git commit \\", "$(((", "git -C", "cd", "git commit -", "\"\\"]
        {
            let _ = commit(text, Path::new("/p"));
        }
    }
}
