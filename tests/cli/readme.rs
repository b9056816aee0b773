//! Runs the shell commands of the README and of the pages of the documentation.
//!
//! The blocks of a `## ` section run in order in one project, those of the tutorial in one for the page. Where a page
//! shows the output of a command, it must match, except for qualities, token counts, commits and days: the pages were
//! recorded in copies of Flask and axum, and the projects here contain only the files that they mention.

use std::path::Path;

use crate::sandbox::Sandbox;

/// A command line of a page.
struct Step<'a> {
    heading: &'a str,
    line: usize,
    command: &'a str,
    /// The output, if the page shows it.
    expected: Option<String>,
}

/// A page whose sections go on in one project.
const TUTORIAL: &str = "docs/tutorial.md";

/// The pages whose commands are run. `docs/how-to/ci.md` has no commands to type.
const PAGES: &[&str] = &[
    "README.md",
    TUTORIAL,
    "docs/how-to/agents.md",
    "docs/how-to/migrate.md",
    "docs/how-to/monorepo.md",
    "docs/how-to/rules.md",
    "docs/how-to/several-repositories.md",
    "docs/reference/hooks.md",
];

/// The files of the projects, by the heading of a section. Other sections run in the shop.
const PROJECTS: &[(&str, &[(&str, &str)])] = &[
    (
        "Tutorial: the first rule in five minutes",
        &[("notes.md", "# Notes\n")],
    ),
    (
        "Write a rule, and follow its example",
        &[("src/flask/app.py", APP), ("src/flask/config.py", CONFIG)],
    ),
    ("Give the rules to your agent", ROUTER),
    ("Bring the rules that you have", ROUTER),
    ("AGENTS.md, CLAUDE.md, CONTRIBUTING.md", ROUTER),
    (
        "Use it in a monorepo",
        &[("services/billing/charge.go", "package billing\n")],
    ),
    (
        "Serena",
        &[(
            ".serena/memories/architecture.md",
            "# Layers\n\nThe shop has two.\n",
        )],
    ),
    (
        "basic-memory",
        &[("notes/session.md", "# Session\n\nIt is closed.\n")],
    ),
];

/// Commands that are not run, with the reason.
const NOT_RUN: &[(&str, &str)] = &[
    ("cargo install --locked", "installs the program"),
    (
        "cargo run --locked -- memory anchor-test",
        "builds the program; `the_readme_rule_finds_its_example_in_this_repository` runs the rest",
    ),
    (
        "cerberus memory review --with claude",
        "needs an agent; `review_with` has its tests",
    ),
    (
        "cerberus memory reanchor --undo",
        "undoes the command before, which is not run",
    ),
    ("cerberus setup  ", "asks; the README has it with `--yes`"),
    (
        "cerberus setup claude cursor",
        "asks; the README has it with `--yes`",
    ),
    (
        "cerberus setup --check",
        "compares what the command before wrote, which is not run",
    ),
    (
        "cerberus setup --remove",
        "undoes what the command before wrote, which is not run",
    ),
];

/// Commands that fail with status 1, each at its first occurrence in a page.
const FAILING: &[(&str, &str)] = &[
    ("README.md", "cerberus memory reanchor --check"),
    (TUTORIAL, "cerberus check"),
    (TUTORIAL, "cerberus memory reanchor --check"),
];

#[test]
fn shown_commands_run_and_print_what_the_pages_show() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages: Vec<(&str, String)> = PAGES
        .iter()
        .map(|path| {
            (
                *path,
                std::fs::read_to_string(here.join(path)).expect("the page"),
            )
        })
        .collect();
    let steps: Vec<(&str, Step)> = pages
        .iter()
        .flat_map(|(path, text)| steps(text).into_iter().map(move |step| (*path, step)))
        .collect();
    let is_listed = |step: &Step| {
        NOT_RUN
            .iter()
            .any(|(start, _)| step.command.starts_with(start))
    };
    for (start, _) in NOT_RUN {
        let is_used = steps
            .iter()
            .any(|(_, step)| step.command.starts_with(start));
        assert!(is_used, "NOT_RUN lists `{start}`, which no page has");
    }
    for (heading, _) in PROJECTS {
        let is_used = steps.iter().any(|(_, step)| step.heading == *heading);
        assert!(
            is_used,
            "PROJECTS lists `{heading}`, which has no commands in a page"
        );
    }
    let mut failing = FAILING.to_vec();
    let mut faults = Vec::new();
    let is_same_project = |(a, x): &(&str, Step), (b, y): &(&str, Step)| {
        a == b && (x.heading == y.heading || *a == TUTORIAL)
    };
    for section in steps.chunk_by(is_same_project) {
        let mut folder = ".";
        let sandbox = project(section[0].1.heading);
        // A section that does not create the bank needs one that exists.
        let creates_bank = |step: &Step| {
            step.command.starts_with("cerberus memory init")
                || step.command.starts_with("cerberus demo")
        };
        if !section.iter().any(|(_, step)| creates_bank(step)) {
            sandbox.ok("memory init");
        }
        for (page, step) in section.iter().filter(|(_, step)| !is_listed(step)) {
            if let Some(entered) = step.command.strip_prefix("cd ") {
                folder = entered;
                continue;
            }
            let at = failing
                .iter()
                .position(|listed| *listed == (*page, step.command));
            let expected_status = i32::from(at.map(|at| failing.remove(at)).is_some());
            let (status, output) = run(&sandbox, &format!("cd {folder}\n{}", step.command));
            let differs = |expected: &String| masked(expected) != masked(&output);
            if status != expected_status || step.expected.as_ref().is_some_and(differs) {
                let Step {
                    line,
                    command,
                    expected,
                    ..
                } = step;
                let expected = expected.as_deref().unwrap_or_default();
                faults.push(format!(
                    "{page}:{line}: {command}\nshown, status {expected_status}:\n{expected}\
                     printed, status {status}:\n{output}"
                ));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(
        failing.is_empty(),
        "FAILING lists {failing:?}, which no page has"
    );
    let n_cerberus = steps
        .iter()
        .filter(|(_, step)| step.command.starts_with("cerberus "))
        .count();
    assert!(
        n_cerberus >= 40,
        "only {n_cerberus} commands of cerberus were found"
    );
}

/// Returns the command lines in `sh` and `console` blocks.
fn steps(page: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step> = Vec::new();
    let (mut heading, mut fence) = ("", None);
    let mut open_ticks = 0;
    for (line_idx, text) in page.lines().enumerate() {
        let language = text.trim_start_matches('`');
        let n_ticks = text.len() - language.len();
        // A fence in the output of a command is shorter than the one around it.
        if n_ticks >= 3 && (fence.is_none() || n_ticks == open_ticks) {
            fence = fence.is_none().then_some(language);
            open_ticks = n_ticks;
            continue;
        }
        let (command, expected) = match fence {
            Some("sh") => (Some(text), None),
            Some("console") => (text.strip_prefix("$ "), Some(String::new())),
            Some(_) => continue,
            None => {
                if text.starts_with('#') {
                    heading = text.trim_start_matches('#').trim();
                }
                continue;
            }
        };
        if let Some(command) = command {
            steps.push(Step {
                heading,
                line: line_idx + 1,
                command,
                expected,
            });
        } else if let Some(expected) = steps.last_mut().and_then(|step| step.expected.as_mut()) {
            *expected += text;
            expected.push('\n');
        }
    }
    steps
}

fn project(heading: &str) -> Sandbox {
    let Some((_, files)) = PROJECTS.iter().find(|(title, _)| *title == heading) else {
        return Sandbox::anchored();
    };
    let sandbox = Sandbox::empty();
    for (path, text) in *files {
        sandbox.write(path, text);
    }
    sandbox.commit("The code");
    sandbox
}

/// Runs a command line in a shell and returns its status and both streams.
fn run(sandbox: &Sandbox, command: &str) -> (i32, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_cerberus"));
    let folder = program.parent().expect("a file has a folder").display();
    let path = format!("{folder}:{}", std::env::var("PATH").expect("it is set"));
    let mut shell = sandbox.shell(&format!("exec 2>&1\n{command}"));
    let output = shell.env("PATH", path).output().expect("sh runs");
    let text = String::from_utf8(output.stdout).expect("a text");
    (output.status.code().expect("it was not killed"), text)
}

/// Returns an output without qualities, token counts, commits, days and trailing white space.
fn masked(output: &str) -> String {
    let mask_line = |line: &str| {
        // The commit and the day of a finding.
        if line.trim_start().starts_with("since ")
            && let Some((_, subject)) = line.split_once(": ")
        {
            return format!("since: {subject}");
        }
        let words: Vec<&str> = line.split(' ').collect();
        let masked = words.iter().enumerate().map(|(idx, word)| {
            let number = word.trim_matches(|c: char| !c.is_ascii_digit());
            let is_quality = idx > 0 && words[idx - 1].ends_with("quality");
            let is_tokens = words
                .get(idx + 1)
                .is_some_and(|next| next.starts_with("tokens"));
            match !number.is_empty() && (is_quality || is_tokens) {
                true => word.replace(number, "N"),
                false => (*word).to_owned(),
            }
        });
        masked.collect::<Vec<_>>().join(" ").trim_end().to_owned()
    };
    output.lines().map(mask_line).collect::<Vec<_>>().join("\n")
}

#[test]
fn commands_and_outputs_are_read_from_fenced_blocks() {
    let page = "# A\n```console\n$ a b\nout\n\nmore\n$ c\n```\n$ no\n## B c\n```yaml\nd\n```\n\
                ```sh\ne\n```\n";
    let steps = steps(page);
    let read: Vec<_> = steps
        .iter()
        .map(|step| {
            (
                step.heading,
                step.line,
                step.command,
                step.expected.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        read,
        [
            ("A", 3, "a b", Some("out\n\nmore\n")),
            ("A", 7, "c", Some("")),
            ("B c", 15, "e", None)
        ]
    );
    assert_eq!(
        masked("x (quality 0.71, auto)\n(12 tokens) 0.7\t\n"),
        "x (quality N, auto)\n(N tokens) 0.7"
    );
}

const CONFIG: &str = r#""""The configuration of an application."""

import json
import os


class Config(dict):
    """A dictionary with the values of the configuration."""

    def from_prefixed_env(self, prefix="FLASK", *, loads=json.loads):
        """Load any environment variables that start with a prefix into the configuration.

        The prefix is dropped from the name of each variable.
        """
        prefix = f"{prefix}_"
        for name in sorted(os.environ):
            if name.startswith(prefix):
                self[name.removeprefix(prefix)] = loads(os.environ[name])
        return True

    def get_namespace(self, namespace):
        """Return the values whose names start with a namespace."""
        return {key: value for key, value in self.items() if key.startswith(namespace)}
"#;

const APP: &str = r#""""The application."""


class Flask:
    """The central object of an application."""

    def __init__(self, import_name):
        self.import_name = import_name
        self.blueprints = {}

    def register_blueprint(self, blueprint, **options):
        """Register a blueprint on the application."""
        if blueprint.name in self.blueprints:
            raise ValueError(f"The name {blueprint.name!r} is already registered")
        self.blueprints[blueprint.name] = blueprint

    def run(self, host="127.0.0.1", port=5000):
        """Run the development server."""
        serve(host, port, self)
"#;

const ROUTER: &[(&str, &str)] = &[
    ("AGENTS.md", AGENTS),
    ("src/routing/path_router.rs", PATH_ROUTER),
];

const AGENTS: &str = "# For agents

- `src/routing/` - the router
- Reject a route path that does not start with a slash, as `validate_path` does.
- `path_for_nested_route` joins the paths of nested routes; never join them by hand.
- Run `cargo test --all-features` before a commit.
";

const PATH_ROUTER: &str = r#"//! The routes of a router by their paths.

pub(crate) struct PathRouter<S> {
    routes: Vec<(String, S)>,
}

impl<S> PathRouter<S> {
    pub(crate) fn route(&mut self, path: &str, endpoint: S) -> Result<(), &'static str> {
        fn validate_path(path: &str) -> Result<(), &'static str> {
            if path.is_empty() {
                return Err("Paths must start with a `/`. Use \"/\" for root routes");
            } else if !path.starts_with('/') {
                return Err("Paths must start with a `/`");
            }
            Ok(())
        }

        validate_path(path)?;
        self.routes.push((path.to_owned(), endpoint));
        Ok(())
    }
}

pub(crate) fn path_for_nested_route(prefix: &str, path: &str) -> String {
    if prefix.ends_with('/') {
        format!("{prefix}{}", path.trim_start_matches('/'))
    } else if path == "/" {
        prefix.to_owned()
    } else {
        format!("{prefix}{path}")
    }
}
"#;
