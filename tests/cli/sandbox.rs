//! The test harness: a temporary folder per test with a home, a project and a clean environment,
//! and the outcome of a command as one text to compare.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, OnceLock};

use expect_test::Expect;
use serde_json::Value;
use tempfile::TempDir;

use crate::project;

const NOW: &str = "2026-01-02T03:04:05Z";

/// JSON keys of scores. They are masked so that tuning the ranker does not change snapshots.
const SCORES: &[&str] = &[
    "quality",
    "match",
    "score",
    "similarity",
    "size",
    "recency",
    "gain",
    "idf",
];

/// A temporary folder with a home and the project that commands run in.
pub(crate) struct Sandbox {
    temp: Arc<TempDir>,
    here: PathBuf,
    program: PathBuf,
    /// The user and group id that commands run with, if not those of the test.
    user: Option<u32>,
}

/// The id of the user `nobody`.
#[cfg(unix)]
const NOBODY: u32 = 65534;

impl Sandbox {
    /// A git repository without a commit.
    pub(crate) fn empty() -> Self {
        let sandbox = Self::without_git();
        sandbox.git("init -q");
        std::fs::create_dir(sandbox.path(".git/hooks")).expect("a new folder");
        sandbox
    }

    fn without_git() -> Self {
        let temp = tempfile::tempdir_in(temp_folder()).expect("a temp folder");
        let root = temp.path().canonicalize().expect("it is there");
        let program = PathBuf::from(env!("CARGO_BIN_EXE_cerberus"));
        let here = root.join("shop");
        let sandbox = Self {
            temp: Arc::new(temp),
            here,
            program,
            user: None,
        };
        std::fs::create_dir_all(&sandbox.here).expect("a new folder");
        std::fs::create_dir(root.join("home")).expect("a new folder");
        sandbox
    }

    /// The project of `project.rs`, committed, with a quality threshold that every example passes.
    pub(crate) fn shop() -> Self {
        let sandbox = Self::empty();
        for (path, text) in project::FILES {
            sandbox.write(path, text);
        }
        sandbox.write("cerberus.toml", "[anchor]\nmin_quality = 0.4\n");
        sandbox.commit("the shop");
        sandbox
    }

    /// The project with an empty bank.
    pub(crate) fn bank() -> Self {
        let sandbox = Self::shop();
        sandbox.ok("memory init");
        sandbox
    }

    /// The project with its rules, committed. Its store is empty.
    pub(crate) fn anchored() -> Self {
        static FILES: OnceLock<Vec<(PathBuf, Vec<u8>)>> = OnceLock::new();
        let files = FILES.get_or_init(|| {
            let sandbox = Self::bank();
            for (id, text, _) in project::RULES {
                sandbox.ok(&format!("memory add \"{text}\" --id {id}"));
            }
            sandbox.commit("rules");
            files_of(&sandbox.root())
        });
        let sandbox = Self::without_git();
        for (path, bytes) in files {
            sandbox.write(Path::new("..").join(path), bytes);
        }
        sandbox
    }

    /// The same sandbox with another folder beside the project as the current folder.
    pub(crate) fn beside(&self, folder: &str) -> Self {
        let (temp, program) = (Arc::clone(&self.temp), self.program.clone());
        Self {
            temp,
            here: self.root().join(folder),
            program,
            user: self.user,
        }
    }

    /// Makes commands run without the rights of root, which ignores file permissions. Returns none
    /// with a message if root cannot switch to another user.
    #[cfg(unix)]
    pub(crate) fn unprivileged(mut self) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        if std::fs::metadata(self.root()).expect("it exists").uid() != 0 {
            return Some(self);
        }
        // The user may not be able to enter the folder of the original.
        let program = self.root().join("cerberus");
        std::fs::copy(&self.program, &program).expect("a file can be copied");
        (self.program, self.user) = (program, Some(NOBODY));
        let is_switched = give_away(&self.root()).is_ok()
            && self
                .command("--version")
                .output()
                .is_ok_and(|output| output.status.success());
        if !is_switched {
            print_skipped("root cannot switch to an unprivileged user here");
        }
        is_switched.then_some(self)
    }

    fn root(&self) -> PathBuf {
        self.temp
            .path()
            .canonicalize()
            .expect("it lives as long as the sandbox")
    }

    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.here.join(path)
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        let folder = path.parent().expect("a file has a folder");
        std::fs::create_dir_all(folder).expect("a folder can be made");
        std::fs::write(&path, text).expect("a file can be written");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).expect("a text that was written")
    }

    pub(crate) fn edit(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "`{path}` has no `{old}`");
        self.write(path, text.replace(old, new));
    }

    pub(crate) fn remove(&self, path: &str) {
        let path = self.path(path);
        let done = if path.is_dir() {
            std::fs::remove_dir_all(&path)
        } else {
            std::fs::remove_file(&path)
        };
        done.expect("it was there");
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    pub(crate) fn lock(&self) -> String {
        self.read(".memories/anchors.lock")
    }

    /// Writes a memory file without cerberus, like a person with an editor.
    pub(crate) fn memory(&self, id: &str, text: impl AsRef<[u8]>) {
        self.write(format!(".memories/{id}.md"), text);
    }

    /// Runs git, which must succeed, and returns its stdout.
    /// Returns the files of the bank with their contents, without what can be built again.
    pub(crate) fn bank_files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = files_of(&self.path(".memories"));
        files.retain(|(path, _)| !path.starts_with("indices"));
        files.sort_unstable();
        files
    }

    pub(crate) fn git(&self, line: &str) -> String {
        let mut command = self.clean(Command::new("git"));
        let output = command.args(words(line)).output().expect("git runs");
        assert!(output.status.success(), "git {line}: {output:?}");
        String::from_utf8(output.stdout).expect("git prints text")
    }

    /// Runs git and returns its stdout, which is empty if git fails.
    pub(crate) fn git_or_empty(&self, line: &str) -> String {
        let mut command = self.clean(Command::new("git"));
        let output = command.args(words(line)).output().expect("git runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub(crate) fn commit(&self, message: &str) {
        self.git("add --all");
        self.git(&format!("commit -q --allow-empty -m \"{message}\""));
    }

    /// Returns a cerberus command in the environment of the sandbox.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = self.clean(Command::new(&self.program));
        command.args(words(line)).stdin(Stdio::null());
        command
    }

    /// Returns a shell command in the environment of the sandbox. The first argument is `$0`.
    #[cfg(unix)]
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut command = self.clean(Command::new("sh"));
        command.args(["-c", script]);
        command
    }

    /// Runs cerberus while another program appends a line to a file whenever git is started.
    pub(crate) fn run_while_edited(&self, line: &str, file: &str, added: &str) -> Outcome {
        let program = env!("CARGO_BIN_EXE_cerberus");
        let script = format!(
            "real=$(command -v git); mkdir ../bin; \
             printf '#!/bin/sh\\necho \"{added}\" >> \"%s/{file}\"\\nexec \"%s\" \"$@\"\\n' \"$PWD\" \"$real\" > ../bin/git; \
             chmod +x ../bin/git; PATH=$PWD/../bin:$PATH exec {program} {line}"
        );
        self.outcome(line, self.shell(&script).output().expect("a shell"))
    }

    fn clean(&self, mut command: Command) -> Command {
        let root = self.root();
        command
            .current_dir(&self.here)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", root.join("home"))
            .env("XDG_CONFIG_HOME", root.join("home/config"))
            .env("XDG_DATA_HOME", root.join("home/data"))
            .env("XDG_CACHE_HOME", root.join("home/cache"))
            .env("TMPDIR", &root)
            .env("CERBERUS_NOW", NOW)
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TEMPLATE_DIR", "")
            .env("GIT_TERMINAL_PROMPT", "0");
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "Ada")
                .env(format!("GIT_{who}_EMAIL"), "ada@example.com")
                .env(format!("GIT_{who}_DATE"), NOW);
        }
        #[cfg(unix)]
        if let Some(user) = self.user {
            std::os::unix::process::CommandExt::uid(&mut command, user);
            std::os::unix::process::CommandExt::gid(&mut command, user);
        }
        command
    }

    pub(crate) fn run(&self, line: &str) -> Outcome {
        self.outcome(line, self.command(line).output().expect("cerberus runs"))
    }

    /// Runs a command with `input` on stdin.
    pub(crate) fn piped(&self, line: &str, input: impl AsRef<[u8]>) -> Outcome {
        let mut command = self.command(line);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        // A command that fails early closes the pipe without reading it.
        let _ = std::io::Write::write_all(&mut pipe, input.as_ref());
        drop(pipe);
        self.outcome(line, child.wait_with_output().expect("it ends"))
    }

    pub(crate) fn outcome(&self, line: &str, output: Output) -> Outcome {
        Outcome {
            line: line.to_owned(),
            root: self.root(),
            output,
        }
    }

    /// Runs the lines of a transcript that start with `$ cerberus ` and compares stdout, stderr
    /// and exit status. A new transcript needs only these lines; `UPDATE_EXPECT=1` adds the rest.
    pub(crate) fn session(&self, expected: Expect) {
        let texts: Vec<String> = transcript(&expected)
            .iter()
            .map(|line| self.run(line).text())
            .collect();
        expected.assert_eq(&texts.join("\n"));
    }

    /// Runs a command that must succeed and returns its stdout.
    pub(crate) fn ok(&self, line: &str) -> String {
        let outcome = self.run(line);
        assert_eq!(outcome.status(), 0, "{}", outcome.text());
        outcome.stdout()
    }

    /// Runs a command with `--json` and returns the document, whatever the exit status.
    pub(crate) fn json(&self, line: &str) -> Value {
        self.json_of(self.run(&format!("{line} --json")))
    }

    /// Parses the JSON document that a command printed.
    pub(crate) fn json_of(&self, outcome: Outcome) -> Value {
        let document = serde_json::from_str(&outcome.stdout());
        document.unwrap_or_else(|error| panic!("{error}: {}", outcome.text()))
    }
}

/// The streams and the exit status of a command.
pub(crate) struct Outcome {
    line: String,
    root: PathBuf,
    pub(crate) output: Output,
}

impl Outcome {
    pub(crate) fn status(&self) -> i32 {
        self.output.status.code().expect("it was not killed")
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8(self.output.stdout.clone()).expect("a text")
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8(self.output.stderr.clone()).expect("a text")
    }

    /// Returns the command line, both streams and the status. Values that vary by run are masked.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("$ cerberus {}\n{}", self.line, self.masked(&self.stdout()));
        if !self.output.stderr.is_empty() {
            text += &format!("--- stderr\n{}", self.masked(&self.stderr()));
        }
        text + &format!("[exit {}]\n", self.status())
    }

    fn masked(&self, text: &str) -> String {
        let text = text.replace(&self.root.display().to_string(), "$ROOT");
        let mut masked = String::new();
        for line in text.lines() {
            if line.starts_with(['{', '[']) {
                masked += &pretty(line);
            } else {
                masked += &mask_line(line);
                masked.push('\n');
            }
        }
        masked
    }
}

fn mask_line(line: &str) -> String {
    let cells: Vec<String> = line.split('\t').map(mask_words).collect();
    cells.join("\t")
}

fn mask_words(cell: &str) -> String {
    let is_score = |word: &str| {
        let (whole, digits) = word.split_once('.').unwrap_or_default();
        whole.len() == 1 && digits.len() >= 2 && word.parse::<f64>().is_ok()
    };
    let words: Vec<&str> = cell.split(' ').collect();
    let masked = words.iter().enumerate().map(|(at, word)| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let next = words.get(at + 1).copied().unwrap_or_default();
        if is_score(bare) {
            word.replace(bare, "Q")
        } else if bare.len() == 40 && bare.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            word.replace(bare, "<commit>")
        } else if let Some((source, commit)) = bare.split_once('@').filter(|(_, it)| it.len() == 12)
            && commit.bytes().all(|byte| byte.is_ascii_hexdigit())
        {
            word.replace(bare, &format!("{source}@<commit>"))
        } else if next == "ms" && bare.parse::<f64>().is_ok() {
            word.replace(bare, "N")
        } else {
            (*word).to_owned()
        }
    });
    masked.collect::<Vec<_>>().join(" ")
}

fn pretty(line: &str) -> String {
    let mut document: Value = serde_json::from_str(line).expect("a document a line");
    mask_scores(&mut document);
    serde_json::to_string_pretty(&document).expect("it was read") + "\n"
}

fn mask_scores(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("elapsedMs");
            for (key, value) in map {
                if value.is_number() && SCORES.contains(&key.as_str()) {
                    *value = Value::from("Q");
                } else {
                    mask_scores(value);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(mask_scores),
        Value::String(text) => *text = mask_line(text),
        _ => {}
    }
}

/// Returns the folder for temporary folders. Every command syncs what it writes, so that tests on
/// a disk mostly wait for it; one in memory is used unless `TMPDIR` is set.
fn temp_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let is_usable = std::env::var_os("TMPDIR").is_none() && runs_programs(memory) == Some(true);
        if is_usable {
            memory.to_owned()
        } else {
            std::env::temp_dir()
        }
    })
}

/// Returns whether a folder has enough space and programs in it can be started.
#[cfg(unix)]
fn runs_programs(folder: &Path) -> Option<bool> {
    use std::os::unix::fs::PermissionsExt;
    let temp = tempfile::tempdir_in(folder).ok()?;
    let program = temp.path().join("program");
    let script = "#!/bin/sh\ntest \"$(df -Pm . | awk 'END { print $4 }')\" -ge 1000\n";
    std::fs::write(&program, script).ok()?;
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o700)).ok()?;
    Some(
        Command::new(&program)
            .current_dir(&temp)
            .status()
            .ok()?
            .success(),
    )
}

#[cfg(not(unix))]
fn runs_programs(_: &Path) -> Option<bool> {
    None
}

/// Returns the files of a folder with their relative paths and contents, without stores, which are
/// bound to their folder.
fn files_of(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if !is_store(&path) {
                let bytes = std::fs::read(&path).expect("a file");
                files.push((
                    path.strip_prefix(root).expect("it is inside").to_owned(),
                    bytes,
                ));
            }
        }
    }
    files
}

/// Whether a file is the database of a store or belongs to it.
pub(crate) fn is_store(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("cerberus.db"))
}

/// Gives a folder and everything in it to the unprivileged user.
#[cfg(unix)]
fn give_away(folder: &Path) -> std::io::Result<()> {
    std::os::unix::fs::lchown(folder, Some(NOBODY), Some(NOBODY))?;
    if folder.symlink_metadata()?.is_dir() {
        for entry in std::fs::read_dir(folder)? {
            give_away(&entry?.path())?;
        }
    }
    Ok(())
}

/// Prints why a test is skipped. `eprintln!` would be captured by the test runner.
pub(crate) fn print_skipped(reason: &str) {
    use std::io::Write;
    let name = std::thread::current().name().unwrap_or("a test").to_owned();
    let _ = writeln!(std::io::stderr(), "{name} is SKIPPED: {reason}");
}

/// Returns the command lines of a transcript, which must have some.
pub(crate) fn transcript(expected: &Expect) -> Vec<String> {
    let lines = expected.data().lines();
    let lines = lines.filter_map(|line| line.trim_start().strip_prefix("$ cerberus "));
    let lines: Vec<String> = lines.map(str::to_owned).collect();
    assert!(!lines.is_empty(), "a transcript without a command line");
    lines
}

/// Splits a command line at whitespace outside double quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('"').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}
