//! Rules that a tool enforces by a static configuration: "ruff `T201` enforces this", "CI runs
//! `make lint`".
//!
//! A configuration may take rules from elsewhere, such as a shared one. Then nothing is said about
//! rules that it does not name.

use std::collections::BTreeSet;

use cerberus_model::word_lists;
use serde_json::Value;

use super::words::has_word;

word_lists! { "words/rules.txt": ENFORCING GO_DEFAULTS }

/// What enforces rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    Ruff,
    Eslint,
    Golangci,
    Clippy,
    Checkstyle,
    PreCommit,
    /// The workflows of GitHub, which run commands.
    Ci,
}

/// The words by which a sentence names a tool.
const NAMES: [(&str, Tool); 9] = [
    ("ruff", Tool::Ruff),
    ("eslint", Tool::Eslint),
    ("golangci-lint", Tool::Golangci),
    ("golangci", Tool::Golangci),
    ("clippy", Tool::Clippy),
    ("checkstyle", Tool::Checkstyle),
    ("pre-commit", Tool::PreCommit),
    ("CI", Tool::Ci),
    ("GitHub Actions", Tool::Ci),
];

/// The rules that a configuration turns on and off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Rules {
    on: BTreeSet<(Tool, String)>,
    off: BTreeSet<(Tool, String)>,
    /// The tools for which it takes rules from elsewhere.
    pub(super) open: BTreeSet<Tool>,
}

/// Returns the tool that enforces `name`, a piece of code between two parts of its sentence.
pub(super) fn enforcing(before: &str, name: &str, after: &str) -> Option<Tool> {
    if !NAMES.iter().any(|(_, tool)| tool.has_form(name)) {
        return None;
    }
    let is_enforced = |text: &str| ENFORCING.entries().iter().any(|word| has_word(text, word));
    let lower = before.to_lowercase();
    let is_named = |(word, tool): &&(&str, Tool)| {
        tool.has_form(name) && (has_word(before, word) || has_word(&lower, word))
    };
    let (is_claimed, tool) = match NAMES.iter().find(is_named) {
        // "CI runs `make`", not "run `make`, as CI fails else".
        Some((word, Tool::Ci)) => (
            before.rsplit(word).next().is_some_and(is_enforced),
            Tool::Ci,
        ),
        Some((_, tool)) => (is_enforced(before) || is_enforced(after), *tool),
        None => {
            let is_after = ["in CI", "by CI"].iter().any(|it| has_word(after, it));
            (
                is_after && is_enforced(after) && Tool::Ci.has_form(name),
                Tool::Ci,
            )
        }
    };
    is_claimed.then_some(tool)
}

impl Tool {
    /// The name of the tool.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ruff => "ruff",
            Self::Eslint => "eslint",
            Self::Golangci => "golangci-lint",
            Self::Clippy => "clippy",
            Self::Checkstyle => "checkstyle",
            Self::PreCommit => "pre-commit",
            Self::Ci => "GitHub Actions",
        }
    }

    /// Returns whether a name has the form of a rule of the tool.
    fn has_form(self, name: &str) -> bool {
        let all = |test: fn(char) -> bool| name.chars().all(test);
        let lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let starts = |test: fn(&char) -> bool| name.chars().next().as_ref().is_some_and(test);
        match self {
            Self::Ruff => {
                let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
                (1..=4).contains(&letters.len())
                    && letters.len() < name.len()
                    && letters.chars().all(|c| c.is_ascii_uppercase())
            }
            Self::Eslint => {
                name.contains(['-', '/']) && name.chars().all(|c| lower(c) || "-/@".contains(c))
            }
            Self::PreCommit => name.contains('-') && name.chars().all(|c| lower(c) || c == '-'),
            Self::Golangci => name.len() > 3 && name.chars().all(lower) && name != "golangci",
            Self::Clippy => {
                let lint = name.strip_prefix("clippy::").unwrap_or(name);
                lint.contains('_') && lint.chars().all(|c| lower(c) || c == '_')
            }
            Self::Checkstyle => {
                starts(char::is_ascii_uppercase)
                    && all(|c| c.is_ascii_alphanumeric())
                    && name.chars().skip(1).any(|c| c.is_ascii_uppercase())
            }
            Self::Ci => name.contains(' '),
        }
    }
}

impl Rules {
    /// Returns whether a configuration turns a rule on.
    pub(super) fn enforce(&self, tool: Tool, name: &str) -> bool {
        match tool {
            // The most specific selector decides.
            Tool::Ruff => {
                let longest = |rules: &BTreeSet<(Tool, String)>| {
                    let mut starts = (0..=name.len()).rev().filter_map(|end| name.get(..end));
                    starts.find(|start| rules.contains(&(tool, (*start).to_owned())))
                };
                longest(&self.on).map(str::len) > longest(&self.off).map(str::len)
            }
            Tool::Ci => self
                .on
                .iter()
                .any(|(it, run)| *it == tool && has_word(run, name)),
            _ => {
                let name = name.strip_prefix("clippy::").unwrap_or(name);
                let key = (tool, name.to_owned());
                self.on.contains(&key) && !self.off.contains(&key)
            }
        }
    }

    fn add<'n>(&mut self, tool: Tool, is_on: bool, names: impl IntoIterator<Item = &'n str>) {
        let rules = if is_on { &mut self.on } else { &mut self.off };
        rules.extend(names.into_iter().map(|name| (tool, name.to_owned())));
    }
}

/// Reads the rules of a configuration file.
pub(super) type Reader = fn(&str) -> Rules;

/// Returns the reader of a configuration file.
pub(super) fn reader(path: &str) -> Option<Reader> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_yaml = name.ends_with(".yml") || name.ends_with(".yaml");
    Some(match name {
        "pyproject.toml" | "ruff.toml" | ".ruff.toml" => ruff,
        "Cargo.toml" => clippy,
        ".pre-commit-config.yaml" => pre_commit,
        _ if name.starts_with(".eslintrc") || name.starts_with("eslint.config.") => eslint,
        _ if name.starts_with(".golangci.") => golangci,
        _ if name.contains("checkstyle") && name.ends_with(".xml") => checkstyle,
        _ if is_yaml && path.contains(".github/workflows/") => workflow,
        _ => return None,
    })
}

fn toml(text: &str) -> Value {
    toml::from_str(text).unwrap_or_default()
}

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap_or_default()
}

fn strings<'v>(value: &'v Value, path: &str) -> impl Iterator<Item = &'v str> {
    let list = value
        .pointer(path)
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    list.filter_map(Value::as_str)
}

fn ruff(text: &str) -> Rules {
    let toml = toml(text);
    let own = toml.pointer("/tool/ruff").unwrap_or(&toml);
    let mut rules = Rules::default();
    for lint in [Some(own), own.get("lint")].into_iter().flatten() {
        for (key, is_on) in [
            ("/select", true),
            ("/extend-select", true),
            ("/ignore", false),
            ("/extend-ignore", false),
        ] {
            // "ALL" is the start of every name.
            let selectors = strings(lint, key).map(|it| if it == "ALL" { "" } else { it });
            rules.add(Tool::Ruff, is_on, selectors);
        }
    }
    if own.get("extend").is_some() {
        rules.open.insert(Tool::Ruff);
    }
    rules
}

fn clippy(text: &str) -> Rules {
    let toml = toml(text);
    let mut rules = Rules::default();
    for path in ["/lints/clippy", "/workspace/lints/clippy"] {
        for (name, value) in toml
            .pointer(path)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let level = value.as_str().or_else(|| value.get("level")?.as_str());
            rules.add(Tool::Clippy, level != Some("allow"), [name.as_str()]);
            // A group of lints has one word.
            if !name.contains('_') && level != Some("allow") {
                rules.open.insert(Tool::Clippy);
            }
        }
    }
    rules
}

/// Reads all forms of ESLint's configuration as text: a name before its level.
fn eslint(text: &str) -> Rules {
    let mut rules = Rules::default();
    let is_in_name = |c: char| c.is_ascii_alphanumeric() || "-/@_".contains(c);
    let between = |c: char| c.is_whitespace() || "[\"'-".contains(c);
    for (at, _) in text.match_indices(':') {
        let name = text[..at].trim_end_matches(['"', '\'', ' ']);
        let start = name.rfind(|c| !is_in_name(c)).map_or(0, |at| at + 1);
        let value = text[at + 1..].trim_start_matches(between);
        let is_on = ["error", "warn", "1", "2"]
            .iter()
            .any(|level| value.starts_with(level));
        if name.is_char_boundary(start)
            && (is_on || value.starts_with("off") || value.starts_with('0'))
        {
            rules.add(Tool::Eslint, is_on, [&name[start..]]);
        }
    }
    // Presets, plug-ins and imported configurations.
    if ["extends", "...", "recommended"]
        .iter()
        .any(|it| text.contains(it))
    {
        rules.open.insert(Tool::Eslint);
    }
    rules
}

fn golangci(text: &str) -> Rules {
    let config = match yaml(text) {
        Value::Object(found) => Value::Object(found),
        _ => toml(text),
    };
    let mut rules = Rules::default();
    for path in ["/linters/enable", "/formatters/enable"] {
        rules.add(Tool::Golangci, true, strings(&config, path));
    }
    rules.add(Tool::Golangci, false, strings(&config, "/linters/disable"));
    let is_set = |path: &str| config.pointer(path).and_then(Value::as_bool) == Some(true);
    let default = config.pointer("/linters/default").and_then(Value::as_str);
    if is_set("/linters/enable-all") || matches!(default, Some("all" | "fast")) {
        rules.open.insert(Tool::Golangci);
    } else if !is_set("/linters/disable-all") && default != Some("none") {
        rules.add(Tool::Golangci, true, GO_DEFAULTS.entries().iter().copied());
    }
    rules
}

fn checkstyle(text: &str) -> Rules {
    let mut rules = Rules::default();
    let modules = text
        .split("<module")
        .skip(1)
        .filter_map(|it| it.split("name=\"").nth(1)?.split('"').next());
    rules.add(Tool::Checkstyle, true, modules);
    rules
}

fn pre_commit(text: &str) -> Rules {
    let config = yaml(text);
    let list = |value: &Value, key: &str| {
        value
            .get(key)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let mut rules = Rules::default();
    for hook in list(&config, "repos")
        .iter()
        .flat_map(|repo| list(repo, "hooks"))
    {
        rules.add(
            Tool::PreCommit,
            true,
            hook.get("id").and_then(Value::as_str),
        );
    }
    rules
}

fn workflow(text: &str) -> Rules {
    let config = yaml(text);
    let mut rules = Rules::default();
    let jobs = config
        .get("jobs")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    for (_, job) in jobs {
        let steps = job
            .get("steps")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let runs: Vec<&str> = steps.filter_map(|step| step.get("run")?.as_str()).collect();
        // Each name is looked for in one text.
        rules.add(Tool::Ci, true, [&*runs.join("\n")]);
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, tool: Tool, on: &[&str], off: &[&str]) {
        let rules = reader(path).expect("a configuration")(text);
        for (names, expected) in [(on, true), (off, false)] {
            for name in names {
                assert_eq!(rules.enforce(tool, name), expected, "{path}: {name}");
            }
        }
    }

    #[test]
    fn configurations_turn_rules_on_and_off() {
        let ruff = "[tool.ruff.lint]\nselect = [\"E\", \"T20\"]\nignore = [\"E501\"]\n";
        check(
            "pyproject.toml",
            ruff,
            Tool::Ruff,
            &["T201", "E401"],
            &["E501", "S101"],
        );
        check(
            "ruff.toml",
            "lint.select = [\"ALL\"]",
            Tool::Ruff,
            &["S101"],
            &[],
        );
        let lints =
            "[workspace.lints.clippy]\nunwrap_used = \"deny\"\ntodo_x = { level = \"allow\" }\n";
        check(
            "Cargo.toml",
            lints,
            Tool::Clippy,
            &["clippy::unwrap_used"],
            &["todo_x"],
        );
        let flat = "export default [{ rules: { 'no-console': ['error', {}], \"a/b\": \"off\" } }]";
        check(
            "eslint.config.js",
            flat,
            Tool::Eslint,
            &["no-console"],
            &["a/b", "no-var"],
        );
        check(
            ".eslintrc.yml",
            "rules:\n  no-console:\n    - error\n",
            Tool::Eslint,
            &["no-console"],
            &[],
        );
        let go = "linters:\n  disable-all: true\n  enable:\n    - gocyclo\n";
        check(
            ".golangci.yml",
            go,
            Tool::Golangci,
            &["gocyclo"],
            &["errcheck"],
        );
        check(
            ".golangci.yml",
            "linters:\n  enable: [gocyclo]\n",
            Tool::Golangci,
            &["errcheck"],
            &[],
        );
        let xml = "<module name=\"Checker\"><module name=\"AvoidStarImport\"/></module>";
        check(
            "config/checkstyle.xml",
            xml,
            Tool::Checkstyle,
            &["AvoidStarImport"],
            &["NeedBraces"],
        );
        let hooks = "repos:\n  - repo: x\n    hooks:\n      - id: check-yaml\n";
        check(
            ".pre-commit-config.yaml",
            hooks,
            Tool::PreCommit,
            &["check-yaml"],
            &["check-json"],
        );
        let jobs =
            "jobs:\n  lint:\n    steps:\n      - run: |\n          make lint\n      - run: x\n";
        check(
            ".github/workflows/ci.yml",
            jobs,
            Tool::Ci,
            &["make lint"],
            &["make test", "lint x"],
        );
    }

    #[test]
    fn a_configuration_that_takes_rules_from_elsewhere_is_open() {
        let open =
            |path: &str, text: &str| !reader(path).expect("a configuration")(text).open.is_empty();
        assert!(open(".eslintrc.json", "{\"extends\": \"x\"}"));
        assert!(open("ruff.toml", "extend = \"../ruff.toml\""));
        assert!(open("Cargo.toml", "[lints.clippy]\npedantic = \"warn\"\n"));
        assert!(!open("ruff.toml", "lint.select = [\"E\"]"));
    }

    #[test]
    fn a_sentence_that_names_a_tool_says_what_it_enforces() {
        for (before, name, after, expected) in [
            ("ruff ", "T201", " enforces this", Some(Tool::Ruff)),
            (
                "No prints (enforced by ruff ",
                "T201",
                ")",
                Some(Tool::Ruff),
            ),
            (
                "ESLint? With eslint ",
                "no-console",
                " is an error",
                Some(Tool::Eslint),
            ),
            ("CI runs ", "make lint", "", Some(Tool::Ci)),
            ("", "make lint", " runs in CI", Some(Tool::Ci)),
            ("Run ", "make lint", " before a commit", None),
            ("ruff reads ", "pyproject.toml", "", None),
            ("Silence ruff with ", "T201", "", None),
        ] {
            assert_eq!(
                enforcing(before, name, after),
                expected,
                "{before}{name}{after}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn any_configuration_is_read(text in "(rules|:|'|\"|\\[|error|\n|<module|name=|\\PC){0,40}") {
            for path in ["eslint.config.js", "ruff.toml", "checkstyle.xml", ".golangci.yml", ".github/workflows/a.yml"] {
                reader(path).expect("a configuration")(&text);
            }
        }
    }
}
