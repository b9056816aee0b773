//! The files of a project, compared with those that git itself lists.
#![expect(clippy::disallowed_methods, reason = "the tests create repositories")]

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::excludes::Excludes;
use super::folder_walk::{self, WalkOptions};
use super::git::{self, GitFiles};
use super::{documents, walk};

mod answers;

/// A folder with a repository, or without one.
struct Folder {
    around: TempDir,
}

impl Folder {
    fn plain() -> Self {
        let around = tempfile::tempdir().expect("a temp folder");
        fs::create_dir(around.path().join("project")).expect("a folder");
        Self { around }
    }

    fn repository() -> Self {
        let folder = Self::plain();
        folder.git("init --quiet");
        folder
    }

    fn root(&self) -> PathBuf {
        self.around
            .path()
            .canonicalize()
            .expect("it exists")
            .join("project")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn git(&self, line: &str) -> String {
        self.git_with(line, "")
    }

    fn git_with(&self, line: &str, input: &str) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]);
        git.args([
            "-c",
            "core.excludesFile=/dev/null",
            "-c",
            "core.hooksPath=/dev/null",
        ]);
        git.args(line.split(' ')).current_dir(self.root());
        let mut child = git
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("git starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut stdin, input.as_bytes()).expect("it is read");
        drop(stdin);
        let output = child.wait_with_output().expect("git ends");
        assert!(
            output.status.success(),
            "{line}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn commit(&self) {
        self.git("add --all --force");
        self.git("commit --quiet -m x");
    }

    fn files(&self) -> Vec<String> {
        walk::files(&self.root(), &[]).expect("a listing")
    }

    fn code(&self, excludes: &[&str]) -> Vec<String> {
        let excludes: Vec<String> = excludes.iter().map(|glob| (*glob).to_owned()).collect();
        let listing = walk::walk(&self.root(), &excludes).expect("a listing");
        listing
            .entries
            .into_iter()
            .map(|entry| entry.path)
            .collect()
    }

    /// Returns the files that `git status` and the index have.
    fn files_of_git(&self) -> Vec<String> {
        let tracked = self.git("ls-files -z");
        let status = self.git("status --porcelain -z --untracked-files=all");
        let mut paths: BTreeSet<&str> = tracked.split_terminator('\0').collect();
        for record in status.split_terminator('\0') {
            paths.extend(record.strip_prefix("?? "));
        }
        let is_file = |path: &&str| self.root().join(path).is_file();
        paths
            .into_iter()
            .filter(is_file)
            .map(str::to_owned)
            .collect()
    }
}

/// The first one is around the project.
const FOLDERS: [&str; 7] = ["..", ".", "a", "a/b", "b", "b/a", ".h"];

const NAMES: [&str; 4] = ["x.py", "y.py", ".h.py", "a b.py"];

const PATTERNS: &str = "(!?/?(a|b|x\\.py|y\\.py|\\*|\\*\\*|\\*\\.py|\\.h|\\.\\*|\\[a-x\\]\\*|a b\\.py)(/|/\\*|/\\*\\*|/x\\.py)?\\r?\n){1,4}";

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

    #[test]
    fn the_files_are_those_of_git(
        rules in proptest::collection::vec((0..FOLDERS.len(), 0..4_usize, PATTERNS), 0..6),
        tracked in proptest::collection::vec((1..FOLDERS.len(), 0..NAMES.len()), 0..6),
        removed in proptest::collection::vec((1..FOLDERS.len(), 0..NAMES.len()), 0..3),
    ) {
        let folder = Folder::repository();
        for (place, name) in tracked {
            folder.write(&format!("{}/{}", FOLDERS[place], NAMES[name]), "tracked");
        }
        folder.git("add --all --force");
        for place in &FOLDERS[1..] {
            for name in NAMES {
                folder.write(&format!("{place}/{name}"), "");
            }
        }
        for (place, kind, text) in rules {
            let file = [".gitignore", ".ignore", ".rgignore", ".gitignore"][kind];
            folder.write(&format!("{}/{file}", FOLDERS[place]), &text);
        }
        for (place, name) in removed {
            let _ = fs::remove_file(folder.root().join(FOLDERS[place]).join(NAMES[name]));
        }
        proptest::prop_assert_eq!(folder.files(), folder.files_of_git());
    }

    #[test]
    fn a_walk_without_git_follows_the_rules_of_git(
        rules in proptest::collection::vec((1..FOLDERS.len(), PATTERNS), 0..6),
    ) {
        let folder = Folder::repository();
        for place in &FOLDERS[1..] {
            for name in NAMES {
                folder.write(&format!("{place}/{name}"), "");
            }
        }
        for (place, text) in rules {
            folder.write(&format!("{}/.gitignore", FOLDERS[place]), &text);
        }
        let options = WalkOptions {
            excludes: &Excludes::none(),
            includes_hidden: true,
            is_in_repository: true,
            report: &|| {},
        };
        let root = folder.root();
        let names = folder_walk::walk(&root, &root, &options).expect("a listing").names;
        let names = names.into_iter().map(|name| String::from_utf8(name).expect("ASCII"));
        proptest::prop_assert_eq!(names.collect::<Vec<_>>(), folder.files_of_git());
    }
}

#[test]
fn tracked_files_are_listed_whatever_an_ignore_file_says() {
    let folder = Folder::repository();
    for path in ["out/a.py", ".github/b.py", ".c.py", "src/d.py"] {
        folder.write(path, "");
    }
    folder.write(".gitignore", "out/\n.*\n!.gitignore\n");
    folder.commit();
    folder.write("out/new.py", "");
    folder.write("src/new.py", "");
    folder.write("src/.ignore", "*\n");
    assert_eq!(
        folder.code(&[]),
        [
            ".c.py",
            ".github/b.py",
            "out/a.py",
            "src/d.py",
            "src/new.py"
        ]
    );
    assert_eq!(folder.code(&["out/**", "src"]), [".c.py", ".github/b.py"]);
}

#[test]
fn rules_of_the_user_and_of_folders_around_the_repository_have_no_effect() {
    let folder = Folder::repository();
    folder.write("../.gitignore", "*\n");
    folder.write("../.ignore", "*\n");
    folder.write("../of-user", "*\n");
    let rules = folder.root().join("../of-user");
    folder.git(&format!("config core.excludesFile {}", rules.display()));
    folder.write("a.py", "");
    folder.write("b.py", "");
    assert_eq!(folder.code(&[]), ["a.py", "b.py"]);
    // That file belongs to the clone, as untracked files do.
    folder.write(".git/info/exclude", "b.py\n");
    assert_eq!(folder.code(&[]), ["a.py"]);
    folder.git("add --force b.py");
    assert_eq!(folder.code(&[]), ["a.py", "b.py"]);
}

#[test]
fn other_repositories_in_the_project_are_not_its_code() {
    let folder = Folder::repository();
    folder.write("a.py", "");
    folder.commit();
    folder.git("worktree add --quiet linked -b other");
    folder.git("worktree add --quiet .hidden/linked -b third");
    folder.git("init --quiet nested");
    folder.write("nested/n.py", "");
    folder.git("clone --quiet . sub");
    folder.git("add sub");
    folder.write("sub/new.py", "");
    assert_eq!(folder.code(&[]), ["a.py"]);
    // Git itself does not take that for a repository.
    folder.write("plain/.git/x", "");
    folder.write("plain/p.py", "");
    assert_eq!(folder.code(&[]), ["a.py", "plain/p.py"]);
}

#[test]
fn only_regular_files_that_exist_are_listed_once() {
    let folder = Folder::repository();
    for path in [
        "a.py",
        "gone.py",
        "kept.py",
        "link.py",
        "moved/in.py",
        "real/in.py",
    ] {
        folder.write(path, "x");
    }
    folder.write("../outside/in.py", "secret");
    folder.commit();
    fs::remove_file(folder.root().join("gone.py")).expect("removed");
    folder.git("update-index --skip-worktree kept.py");
    fs::remove_file(folder.root().join("kept.py")).expect("removed");
    let object = folder.git("rev-parse HEAD:a.py");
    let object = object.trim();
    let mut stages = format!("0 {} 0\ta.py\n", "0".repeat(object.len()));
    for stage in 1..4 {
        stages += &format!("100644 {object} {stage}\ta.py\n");
    }
    folder.git_with("update-index --index-info", &stages);
    folder.write("intended.py", "");
    folder.git("add --intent-to-add intended.py");
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        fs::remove_file(folder.root().join("link.py")).expect("removed");
        symlink("../outside/in.py", folder.root().join("link.py")).expect("a link");
        symlink("../outside/in.py", folder.root().join("new_link.py")).expect("a link");
        fs::remove_dir_all(folder.root().join("moved")).expect("removed");
        symlink("../outside", folder.root().join("moved")).expect("a link");
        assert_eq!(folder.code(&[]), ["a.py", "intended.py", "real/in.py"]);
    }
}

#[test]
fn a_project_below_the_top_of_its_repository_has_the_files_below_it() {
    let folder = Folder::repository();
    for path in ["packages/a/x.py", "packages/a/out/y.py", "packages/b/z.py"] {
        folder.write(path, "");
    }
    folder.write(".gitignore", "out/\n");
    let root = folder.root().join("packages/a");
    let code = |root: &Path| {
        let listing = walk::walk(root, &[]).expect("a listing");
        listing
            .entries
            .into_iter()
            .map(|entry| entry.path)
            .collect::<Vec<_>>()
    };
    assert_eq!(code(&root), ["x.py"]);
    // A folder that the repository ignores is a project of its own.
    assert_eq!(code(&root.join("out")), ["y.py"]);
}

#[test]
fn without_git_the_ignore_files_below_the_root_apply() {
    let folder = Folder::plain();
    for path in ["a.py", "b.py", "c.py", ".hidden.py", "in/a.py", "in/d.py"] {
        folder.write(path, "");
    }
    folder.write("../.gitignore", "a.py\n");
    folder.write(".gitignore", "b.py\n");
    folder.write(".ignore", "c.py\n");
    folder.write("in/.gitignore", "/a.py\n");
    assert_eq!(folder.code(&[]), ["a.py", "in/d.py"]);
}

#[test]
fn code_with_a_name_that_no_path_can_have_is_named() {
    let folder = Folder::repository();
    folder.write("two\nlines.py", "");
    folder.write("two\nlines.txt", "");
    folder.write("back\\slash.py", "");
    let listing = walk::walk(&folder.root(), &[]).expect("a listing");
    assert_eq!(listing.entries.len(), 0);
    assert_eq!(
        listing.all_warnings(),
        [
            "skipped `back\\slash.py`: its name has a backslash",
            "skipped `two\u{FFFD}lines.py`: its name has a line break"
        ]
    );
}

#[test]
fn folders_of_tools_have_no_examples() {
    let folder = Folder::repository();
    folder.write(".github/tracked.py", "");
    folder.write("lib/.hidden/deep/tracked.py", "");
    folder.write("bin/activate.py", "");
    folder.git("add --all");
    let untracked = [
        ".github/.cache/a.py",
        ".github/new.py",
        ".new.py",
        ".tool/a/b.py",
        "env/lib/c.py",
        "env/pyvenv.cfg",
        "lib/.hidden/new.py",
        "lib/.state/d.py",
        "pyvenv.cfg",
    ];
    for path in untracked {
        folder.write(path, "");
    }
    let examples = [
        ".github/new.py",
        ".github/tracked.py",
        ".new.py",
        "bin/activate.py",
        "lib/.hidden/deep/tracked.py",
        "lib/.hidden/new.py",
    ];
    assert_eq!(folder.code(&[]), examples);
    let files = folder.files();
    assert!(
        untracked
            .iter()
            .all(|path| files.contains(&(*path).to_owned()))
    );
    let listing = walk::written_code(&folder.root(), &[]).expect("a listing");
    assert_eq!(listing.entries.len(), examples.len() + 4);
    // Before the first commit too, what is in the index is tracked.
    folder.git("add --force .tool");
    assert!(folder.code(&[]).contains(&".tool/a/b.py".to_owned()));
}

#[test]
fn a_truncated_index_lists_nothing() {
    let folder = Folder::repository();
    for path in ["a.py", "b.py", "c.py"] {
        folder.write(path, "x");
    }
    folder.commit();
    let path = folder.root().join(".git/index");
    let index = fs::read(&path).expect("an index");
    fs::write(&path, &index[..150]).expect("written");
    let failed = matches!(
        git::files(&folder.root(), Path::new("")),
        GitFiles::Failed(_)
    );
    assert!(failed, "git lists no file for the zeros");
    let listing = walk::walk(&folder.root(), &[]).expect("a listing");
    assert_eq!(
        listing.failure.as_deref(),
        Some("git did not list the files: the index is damaged")
    );
}

#[test]
fn a_repository_may_ignore_all_of_its_files() {
    let folder = Folder::repository();
    folder.write(".gitignore", "*\n");
    folder.write("a.py", "");
    let found = git::files(&folder.root(), Path::new(""));
    assert!(matches!(found, GitFiles::Listed { names, .. } if names.is_empty()));
}

#[cfg(unix)]
#[test]
fn an_ignore_file_that_is_no_file_hides_nothing() {
    for is_repository in [true, false] {
        let folder = if is_repository {
            Folder::repository()
        } else {
            Folder::plain()
        };
        folder.write("pipe/a.py", "");
        folder.write("folder/a.py", "");
        folder.write("large/a.py", "");
        folder.write("folder/.gitignore/x", "");
        folder.write("large/.gitignore", &"# a comment\n".repeat(100_000));
        assert_eq!(folder.code(&[]), ["folder/a.py", "large/a.py", "pipe/a.py"]);
        let made = Command::new("mkfifo")
            .arg(folder.root().join("pipe/.gitignore"))
            .status();
        assert!(made.expect("mkfifo runs").success());
        let listing = walk::walk(&folder.root(), &[]).expect("a listing");
        assert_eq!(listing.entries.len(), 3);
        let warnings = listing.all_warnings().join("\n");
        assert!(
            warnings.contains("pipe/.gitignore` is not a regular file"),
            "{warnings}"
        );
    }
}

#[test]
fn many_large_ignore_files_are_refused_without_git() {
    let folder = Folder::plain();
    let root = folder.root();
    for (name, size) in [("a", 600_000), ("b", 400_000), ("c", 100_000)] {
        folder.write(&format!("{name}/x.md"), "x");
        assert!(walk::files(&root, &[]).is_ok(), "before {name}");
        assert!(documents::find(&root, &root).is_ok(), "before {name}");
        // A comment compiles to nothing.
        folder.write(
            &format!("{name}/.gitignore"),
            &format!("#{}", "x".repeat(size)),
        );
    }
    let expected = "the ignore files of the project have more than 1 MB together";
    let errors = [
        walk::walk(&root, &[]).expect_err("too large"),
        walk::walk_plain(&root, &[]).expect_err("too large"),
        documents::find(&root, &root).expect_err("too large"),
    ];
    for error in errors {
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_cancelled_caller_stops_the_walk() {
    for folder in [Folder::plain(), Folder::repository()] {
        for name in ["a", "b", "c"] {
            folder.write(&format!("{name}/x.py"), "");
        }
        let report = || resume_unwind(Box::new("cancelled"));
        let walk = || walk::walk_with(&folder.root(), &[], &report);
        let payload = catch_unwind(AssertUnwindSafe(walk)).expect_err("it continues");
        assert_eq!(payload.downcast_ref(), Some(&"cancelled"));
    }
}

#[test]
fn the_documents_of_a_folder_that_a_person_names_are_found() {
    let folder = Folder::repository();
    folder.write(".gitignore", "out/\n");
    folder.write("docs/a.md", "x");
    folder.write("out/b.md", "x");
    folder.git("init --quiet nested");
    folder.write("nested/c.md", "x");
    folder.git("clone --quiet . sub");
    folder.write("sub/d.md", "x");
    let root = folder.root();
    for (name, expected) in [
        ("docs", "docs/a.md"),
        ("out", "out/b.md"),
        ("nested", "nested/c.md"),
        ("sub", "sub/d.md"),
    ] {
        let found = documents::find(&root, &root.join(name)).expect("a document");
        assert_eq!(found, [expected]);
    }
    assert_eq!(
        documents::find(&root, &root).expect("documents"),
        ["docs/a.md"]
    );
}
