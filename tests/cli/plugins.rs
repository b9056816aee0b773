//! The plugins of agents: what they contain is what the commands print.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::sandbox::Sandbox;

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

fn read(file: &str) -> String {
    std::fs::read_to_string(path(file)).unwrap_or_else(|error| panic!("`{file}`: {error}"))
}

fn json(file: &str) -> Value {
    serde_json::from_str(&read(file)).unwrap_or_else(|error| panic!("`{file}`: {error}"))
}

/// Fails if a file has another text. `UPDATE=1` writes it.
#[track_caller]
fn check(file: &str, expected: &str) {
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path(file), expected).expect("written");
    }
    assert_eq!(
        read(file),
        expected,
        "`{file}`: run this test with UPDATE=1"
    );
}

#[test]
fn hooks_and_servers_are_those_of_the_commands() {
    let sandbox = Sandbox::empty();
    for agent in ["claude", "codex", "gemini"] {
        let hooks = sandbox.ok(&format!("hooks print {agent}"));
        check(&format!("plugins/{agent}/hooks/hooks.json"), &hooks);
    }
    let hooks = sandbox.ok("hooks print copilot");
    check(
        "plugins/agent-plugins/com.github.copilot/hooks/hooks.json",
        &hooks,
    );
    sandbox.ok("setup claude gemini --yes");
    let server = sandbox.read(".mcp.json");
    check("plugins/claude/.mcp.json", &server);
    check("plugins/codex/.mcp.json", &server);
    let gemini: Value = serde_json::from_str(&sandbox.read(".gemini/settings.json")).expect("JSON");
    assert_eq!(
        json("plugins/gemini/gemini-extension.json")["mcpServers"],
        gemini["mcpServers"]
    );
}

#[test]
fn manifests_say_the_same_and_name_files_that_exist() {
    let manifest = json("plugins/agent-plugins/plugin.json");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    for (file, n_shared) in [
        ("plugins/claude/.claude-plugin/plugin.json", 6),
        ("plugins/codex/.codex-plugin/plugin.json", 6),
        ("plugins/gemini/gemini-extension.json", 3),
    ] {
        let older = json(file);
        let manifest = manifest.as_object().expect("an object");
        let shared: Vec<_> = manifest
            .iter()
            .filter(|(key, _)| older.get(key).is_some())
            .collect();
        assert_eq!(shared.len(), n_shared, "{file}");
        for (key, value) in shared {
            assert_eq!(older[key], *value, "`{key}` of `{file}`");
        }
    }
    let codex = json("plugins/codex/.codex-plugin/plugin.json");
    for key in ["skills", "mcpServers", "hooks"] {
        let named = codex[key].as_str().expect("a path");
        assert!(path("plugins/codex").join(named).exists(), "{named}");
    }
    let claude = json(".claude-plugin/marketplace.json");
    let codex = json(".agents/plugins/marketplace.json");
    for source in [
        &claude["plugins"][0]["source"],
        &codex["plugins"][0]["source"]["path"],
    ] {
        assert!(path(source.as_str().expect("a path")).is_dir(), "{source}");
    }
}

#[test]
fn the_skill_is_one_text_with_a_name_and_a_description() {
    let skill = read("plugins/agent-plugins/skills/cerberus/SKILL.md");
    for agent in ["claude", "codex", "gemini"] {
        check(&format!("plugins/{agent}/skills/cerberus/SKILL.md"), &skill);
    }
    let (frontmatter, body) = skill
        .strip_prefix("---\n")
        .and_then(|text| text.split_once("\n---\n"))
        .expect("two parts");
    let fields: Vec<&str> = frontmatter.lines().collect();
    assert_eq!(fields[0], "name: cerberus");
    let description = fields[1]
        .strip_prefix("description: ")
        .expect("a description");
    // The limit of the format, https://agentskills.io/specification.
    assert!(description.len() <= 1024 && fields.len() == 2);
    assert!(body.lines().count() < 500);
}

#[test]
fn the_links_of_the_documentation_install_the_server() {
    use base64::Engine;
    let page = read("docs/how-to/agents.md");
    let link = |start: &str| {
        page.lines()
            .find_map(|line| line.strip_prefix(start))
            .expect("a link")
    };
    let config = link("cursor://anysphere.cursor-deeplink/mcp/install?name=cerberus&config=");
    let config = base64::engine::general_purpose::STANDARD
        .decode(config)
        .expect("base64");
    let config: Value = serde_json::from_slice(&config).expect("JSON");
    let server = json("plugins/gemini/gemini-extension.json")["mcpServers"]["cerberus"].clone();
    assert_eq!(config, server);
    let config = link("vscode:mcp/install?")
        .replace("%22", "\"")
        .replace("%2C", ",");
    let config = [
        ("%7B", "{"),
        ("%7D", "}"),
        ("%5B", "["),
        ("%5D", "]"),
        ("%3A", ":"),
    ]
    .iter()
    .fold(config, |text, (from, to)| text.replace(from, to));
    let config: Value = serde_json::from_str(&config).expect("JSON");
    assert_eq!(config["command"], server["command"]);
    assert_eq!(config["args"], server["args"]);
}

#[test]
fn commands_and_tools_that_the_skill_names_exist() {
    let sandbox = Sandbox::empty();
    let skill = read("plugins/agent-plugins/skills/cerberus/SKILL.md");
    let quoted: Vec<&str> = skill.split('`').skip(1).step_by(2).collect();
    let commands: Vec<&str> = quoted
        .iter()
        .filter_map(|text| text.strip_prefix("cerberus "))
        .collect();
    assert!(commands.len() > 6, "{commands:?}");
    for command in commands {
        let words = command
            .split(' ')
            .take_while(|word| !word.starts_with(['-', '"']));
        let words: Vec<&str> = words.filter(|word| *word != "PATH").collect();
        sandbox.ok(&format!("{} --help", words.join(" ")));
    }
    let tools = read("tests/cli/mcp.rs");
    for tool in quoted.iter().filter(|text| text.contains('_')) {
        assert!(
            tools.contains(&format!("\"{tool}\"")),
            "`{tool}` is not a tool"
        );
    }
}
