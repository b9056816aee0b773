//! Generated input of the benchmarks: banks of many memories, trees of many files, and rules
//! taken from the docstrings of real code.

use std::fmt::Write as _;
use std::path::Path;

use crate::measure::Bench;

/// A deterministic random number generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % end
    }
}

/// Creates a bank. Every fifth memory is a document with sections, the others are a paragraph;
/// every third links to another memory.
pub(crate) fn bank(n_memories: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temp folder");
    let bank = folder.path().join(".memories");
    std::fs::create_dir(&bank).expect("a bank");
    let words = words();
    let mut numbers = Numbers(7);
    let mut sentence = |n_words: usize| {
        let picked: Vec<&str> = (0..n_words)
            .map(|_| words[numbers.below(words.len())].as_str())
            .collect();
        picked.join(" ") + ". "
    };
    for n in 0..n_memories {
        let mut text = "---\ntype: rule\ntags: [a, b]\ncreated_at: 2025-01-01\n---\n\n".to_owned();
        if n % 5 == 0 {
            for _ in 0..5 {
                text += &format!("## {}\n\n{}{}\n\n", sentence(3), sentence(24), sentence(24));
            }
        } else {
            text += &(sentence(12) + &sentence(16));
        }
        if n % 3 == 1 {
            text += &format!("See [[memory:note-{}]].", n / 2);
        }
        std::fs::write(bank.join(format!("note-{n}.md")), text).expect("a file");
    }
    folder
}

/// Creates a project of one file with a bank of rules, 20 of them anchored.
pub(crate) fn inject_project(n_memories: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temp folder");
    let project = folder.path();
    let code: String = (0..20)
        .map(|n| {
            format!("def step_{n}(session):\n    session.open({n})\n    session.close()\n\n\n")
        })
        .collect();
    std::fs::write(project.join("steps.py"), code).expect("a file");
    let bench = Bench::warm(project);
    bench.time(&["memory", "init"]);
    for n in 0..n_memories {
        let text = format!(
            "---\ntype: rule\nscope: project:steps\ncreated_at: 2026-01-{:02}T00:00:00Z\n---\n\
             Rule {n}: {}\n",
            1 + n % 28,
            [
                "open a session",
                "close it again",
                "in every step",
                "before the next"
            ][n % 4]
                .repeat(5)
        );
        std::fs::write(project.join(format!(".memories/rule-{n}.md")), text).expect("a file");
    }
    for n in 0..20 {
        let (id, place) = (
            format!("rule-{}", n * 28 + 27),
            format!("steps.py::step_{n}"),
        );
        bench.time(&["memory", "anchor", &id, "--to", &place]);
    }
    folder
}

/// Creates a tree of Python files of about 1.5 KB, a hundred per folder, with a word frequency
/// distribution similar to real code.
pub(crate) fn tree(n_files: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temp folder");
    let words = words();
    let mut numbers = Numbers(11);
    for n in 0..n_files {
        let folder = folder
            .path()
            .join(format!("part_{}/unit_{}", n / 10_000, n / 100 % 100));
        if n % 100 == 0 {
            std::fs::create_dir_all(&folder).expect("a folder");
        }
        let mut text = String::new();
        for _ in 0..6 {
            // The product of two random numbers favours the first words.
            let mut word = || {
                let at = numbers.below(words.len()) * numbers.below(words.len()) / words.len();
                words[at].as_str()
            };
            let (a, b, c, d) = (word(), word(), word(), word());
            let _ = write!(
                text,
                "def {a}_{b}_{n}({c}, {d}=None):\n    \"\"\"{} the {b} of a {c} {}.\"\"\"\n    \
                 for {b} in {c}.{d}():\n        if {b}.{} is not None:\n            \
                 {d} = {}({b}, {c})\n    return {d}\n\n\n",
                word(),
                word(),
                word(),
                word()
            );
        }
        std::fs::write(folder.join(format!("file_{n}.py")), text).expect("a file");
    }
    folder
}

/// Number of documents of [`repository`], and of the claims in each of them.
const N_DOCUMENTS: usize = 20;
const N_CLAIMS: usize = 50;

/// Creates a git repository: a tree of 10,000 files, and documents in its first folders, each of which
/// names 25 of the files beside it and a function in each of these. The file on the third line of each
/// is renamed later, and the function on the fourth line. In 100 further commits a document changes.
pub(crate) fn repository() -> tempfile::TempDir {
    let folder = tree(10_000);
    let root = folder.path();
    git(root, &["init", "-q"]);
    let unit = |n: usize| root.join(unit(n));
    let read = |path: &Path| std::fs::read_to_string(path).expect("a file");
    let function = |path: &Path| {
        let text = read(path);
        let name = text
            .strip_prefix("def ")
            .and_then(|rest| rest.split('(').next());
        name.expect("a function").to_owned()
    };
    for n in 0..N_DOCUMENTS {
        let mut text = "# Guide\n\n".to_owned();
        for idx in 0..N_CLAIMS / 2 {
            let file = format!("file_{}.py", n * 100 + idx);
            let name = function(&unit(n).join(&file));
            let _ = writeln!(text, "- `{name}` is in `{file}`.");
        }
        std::fs::write(unit(n).join("AGENTS.md"), text).expect("a document");
    }
    commit(root);
    for n in 0..N_DOCUMENTS {
        let file = |idx: usize| unit(n).join(format!("file_{}.py", n * 100 + idx));
        std::fs::rename(file(0), unit(n).join("moved.py")).expect("a renamed file");
        let (changed, name) = (file(1), function(&file(1)));
        std::fs::write(&changed, read(&changed).replace(&name, "other_name")).expect("a file");
    }
    commit(root);
    for n in 0..100 {
        let document = unit(n % N_DOCUMENTS).join("AGENTS.md");
        std::fs::write(&document, read(&document) + "\nA sentence.\n").expect("a document");
        commit(root);
    }
    folder
}

fn unit(n: usize) -> String {
    format!("part_0/unit_{n}")
}

/// Returns the paths of the documents of [`repository`].
pub(crate) fn documents() -> Vec<String> {
    (0..N_DOCUMENTS)
        .map(|n| format!("{}/AGENTS.md", unit(n)))
        .collect()
}

fn commit(root: &Path) {
    git(root, &["add", "--all"]);
    let author = [
        "-c",
        "user.name=bench",
        "-c",
        "user.email=bench@example.com",
    ];
    git(
        root,
        &[&author[..], &["commit", "-q", "-m", "change"]].concat(),
    );
}

fn git(root: &Path, args: &[&str]) {
    let status = std::process::Command::new("git")
        .args(args)
        .current_dir(root)
        .status();
    assert!(status.is_ok_and(|status| status.success()), "git {args:?}");
}

/// Returns the distinct words of the notes in the search fixture.
fn words() -> Vec<String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/search/bank");
    let mut words: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(sources).expect("the fixture") {
        let text = std::fs::read_to_string(entry.expect("a file").path()).expect("a text");
        let plain = text
            .split_whitespace()
            .filter(|word| word.chars().all(char::is_alphabetic));
        words.extend(plain.map(str::to_owned));
    }
    words.sort_unstable();
    words.dedup();
    words
}

/// Returns up to `n_rules` first lines of docstrings, each a single sentence, from the Python
/// code below a folder.
pub(crate) fn rules(folder: &Path, n_rules: usize) -> Vec<String> {
    let mut rules: Vec<String> = Vec::new();
    let files = ignore::WalkBuilder::new(folder)
        .sort_by_file_path(Ord::cmp)
        .build()
        .flatten();
    for file in files.filter(|it| it.path().extension().is_some_and(|it| it == "py")) {
        let text = std::fs::read_to_string(file.path()).unwrap_or_default();
        let sentences = text.lines().map(str::trim).filter_map(|line| {
            let inside = line
                .strip_prefix("\"\"\"")?
                .trim_end_matches("\"\"\"")
                .trim();
            let sentence = inside.strip_suffix('.')?;
            let n_words = sentence.split_whitespace().count();
            ((5..20).contains(&n_words) && !sentence.contains(['`', '\\'])).then_some(sentence)
        });
        rules.extend(sentences.map(str::to_owned));
    }
    rules.sort_unstable();
    rules.dedup();
    // Spread evenly over all sentences.
    let step = (rules.len() / n_rules).max(1);
    rules.into_iter().step_by(step).take(n_rules).collect()
}

/// Copies a folder without the files that git ignores.
pub(crate) fn copy(from: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temp folder");
    for entry in ignore::WalkBuilder::new(from).build().flatten() {
        let Ok(relative) = entry.path().strip_prefix(from) else {
            continue;
        };
        let to = folder.path().join(relative);
        if entry.file_type().is_some_and(|it| it.is_dir()) {
            std::fs::create_dir_all(to).expect("a folder");
        } else if entry.file_type().is_some_and(|it| it.is_file()) {
            std::fs::copy(entry.path(), to).expect("a copy");
        }
    }
    folder
}
