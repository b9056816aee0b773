//! Checks of the integrations: documents that agents read, and client settings that start cerberus.

use std::path::{Path, PathBuf};

use anyhow::Result;

use cerberus_bank::external_file;
use cerberus_model::text::plural;

use super::Doctor;
use crate::commands::inject::{self, ClientProfile};
use cerberus_bank::ops::{Project, managed_block};

/// The documents that agents read, with the client profile that a block in them may use.
const DOCUMENTS: &[(&str, Option<ClientProfile>)] = &[
    ("AGENTS.md", Some(ClientProfile::AgentsMd)),
    ("CLAUDE.md", None),
    ("GEMINI.md", None),
    ("CONTRIBUTING.md", None),
    (".cursor/rules/cerberus.mdc", Some(ClientProfile::Cursor)),
    (".github/copilot-instructions.md", Some(ClientProfile::Copilot)),
];

/// The settings of clients that may start cerberus, with the name of the client for `setup`.
const SETTINGS: &[(&str, &str)] = &[
    (".claude/settings.json", "claude"),
    (".claude/settings.local.json", "claude"),
    (".codex/hooks.json", "codex"),
    (".cursor/hooks.json", "cursor"),
    (".gemini/settings.json", "gemini"),
    (".github/hooks/cerberus.json", "copilot"),
    (".opencode/plugins/cerberus.js", "opencode"),
    (".mcp.json", "claude"),
    (".codex/config.toml", "codex"),
    (".cursor/mcp.json", "cursor"),
    (".github/mcp.json", "copilot"),
    (".vscode/mcp.json", "vscode"),
    ("opencode.json", "opencode"),
];

impl Doctor<'_> {
    /// Checks that Claude Code reads AGENTS.md, which it does only where no CLAUDE.md is.
    pub(super) fn instructions(&mut self) -> Result<()> {
        let root = &self.project.root;
        let agents = root.join("AGENTS.md");
        let Ok(real) = agents.canonicalize() else { return Ok(()) };
        let own = ["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"].map(|name| root.join(name));
        let above = root.ancestors().skip(1).map(|folder| folder.join("CLAUDE.md"));
        let hides = |path: &PathBuf| {
            let is_same = path.canonicalize().is_ok_and(|it| it == real);
            !is_same && read_external(path).is_some_and(|text| !text.contains("@AGENTS.md"))
        };
        if let Some(path) = own.into_iter().chain(above).find(hides) {
            let file = super::shown(self.project, &path);
            self.info(
                format!("Claude Code does not read `AGENTS.md`, because there is `{file}`"),
                format!("if it should, add the line `@AGENTS.md` to `{file}`"),
            );
        }
        Ok(())
    }

    /// Checks that the user allowed Codex to run the hooks of the project. Otherwise it skips them without a message.
    ///
    /// Its configuration then has a table `hooks.state."PATH:EVENT:GROUP:HANDLER"` for each hook.
    pub(super) fn codex_trust(&mut self) -> Result<()> {
        const HOOKS: &str = ".codex/hooks.json";
        let hooks = self.project.root.join(HOOKS);
        let starts_cerberus = read_external(&hooks).is_some_and(|it| !programs(&it).is_empty());
        let config = self.codex_config.as_deref().filter(|_| starts_cerberus);
        let Some(config) = config.and_then(read_external) else { return Ok(()) };
        let hooks = hooks.canonicalize().unwrap_or(hooks);
        if !config.contains(&format!("{}:", hooks.display())) {
            self.info(
                format!("Codex skips the hooks of `{HOOKS}`, because you did not allow them"),
                "start `codex` in this project and allow them with `/hooks`",
            );
        }
        Ok(())
    }

    /// Checks that the hooks and settings that start cerberus can find it.
    pub(super) fn hooks(&mut self) -> Result<()> {
        let root = &self.project.root;
        let mut n_files = 0;
        let settings = SETTINGS.iter().map(|(path, client)| (root.join(path), *client));
        let hook = cerberus_engine::tree::git::hook(root, "pre-commit").map(|path| (path, "git"));
        for (path, client) in settings.chain(hook).collect::<Vec<_>>() {
            let Some(text) = read_external(&path) else { continue };
            let programs = programs(&text);
            n_files += usize::from(!programs.is_empty());
            let file = super::shown(self.project, &path);
            for program in programs {
                let is_path = program.contains('/');
                let is_found = match is_path {
                    true => root.join(&program).is_file(),
                    false => self.program_folders.iter().any(|it| it.join(&program).is_file()),
                };
                if is_found {
                    continue;
                }
                let (why, next) = match is_path {
                    true => (
                        "which does not exist",
                        format!("fix the path; compare it with: cerberus setup {client} --check"),
                    ),
                    false => {
                        ("which is not on PATH", "install cerberus in a folder of PATH".to_owned())
                    }
                };
                self.error(format!("`{file}` starts `{program}`, {why}"), next);
            }
        }
        if n_files > 0 {
            self.checks.push(plural(n_files, "client configuration"));
        }
        Ok(())
    }
}

/// Returns the documents whose managed block is out of date, each with the command that updates it.
pub(crate) fn stale_blocks(project: &Project) -> Result<Vec<(&'static str, String)>> {
    let flag = if project.has_user_bank() { " --include-user-bank" } else { "" };
    let mut stale = Vec::new();
    for (path, client) in DOCUMENTS.iter().filter(|(path, _)| has_block(project, path)) {
        // The block does not record its client profile. Nothing is written, so it may be compared with a
        // user bank.
        let is_stale = |client| {
            let request =
                inject::Request { client, include_user_bank: true, ..inject::Request::default() };
            inject::is_block_stale(project, &request, &project.root.join(path))
        };
        if is_stale(None)? && is_stale(*client)? {
            stale.push((*path, format!("cerberus memory inject --into {path}{flag}")));
        }
    }
    Ok(stale)
}

fn has_block(project: &Project, path: &str) -> bool {
    let text = read_external(&project.root.join(path)).unwrap_or_default();
    let without_block = managed_block::MARKDOWN.without_block(text.as_bytes());
    without_block.map_or(true, |it| it.len() < text.len())
}

/// Returns the text of a file that cerberus does not own, if it is readable.
fn read_external(path: &Path) -> Option<String> {
    if !path.is_file() {
        return None;
    }
    let bytes = external_file::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the paths of `cerberus` that a script or settings run, without duplicates.
fn programs(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, name) in text.match_indices("cerberus") {
        let after = &text[at + name.len()..];
        let starts =
            [" memory ", " hooks run ", " mcp", "\""].iter().any(|next| after.starts_with(next));
        let start = text[..at].rfind(|c: char| c.is_whitespace() || "\"'`(;&|=".contains(c));
        let start = start.map_or(0, |start| start + 1);
        let program = &text[start..at + name.len()];
        let is_program = program == name || program.ends_with("/cerberus");
        // The name of a server in settings is not a program.
        let is_key = after.starts_with('"') && after[1..].trim_start().starts_with(':');
        let is_named = after.starts_with('"') && !is_command(&text[..start]);
        if starts && is_program && !is_key && !is_named && !found.iter().any(|it| it == program) {
            found.push(program.to_owned());
        }
    }
    found
}

/// Whether `before` ends with the key `command`, so that its value follows, or with a call that
/// starts a program.
fn is_command(before: &str) -> bool {
    let before = before.trim_end_matches('"').trim_end().trim_end_matches('[').trim_end();
    let key = before.trim_end_matches([':', '=', '(']).trim_end().trim_end_matches('"');
    key.ends_with("command") || key.ends_with("spawn")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(programs(text), expected);
    }

    #[test]
    fn programs_are_found_in_settings_and_scripts() {
        check(r#"{"command": "cerberus memory inject --for claude-hook"}"#, &["cerberus"]);
        check(
            r#"{"command": "/opt/x/cerberus memory linked --diff || true"}"#,
            &["/opt/x/cerberus"],
        );
        check(
            r#"{"mcpServers": {"cerberus": {"command": "/a/cerberus", "args": ["mcp"]}}}"#,
            &["/a/cerberus"],
        );
        check(r#"{"command": ["cerberus", "mcp"]}"#, &["cerberus"]);
        check("[mcp_servers.cerberus]\ncommand = \"cerberus\"\n", &["cerberus"]);
        check(
            "if command -v cerberus >/dev/null; then\n    cerberus memory linked --diff\nfi\n",
            &["cerberus"],
        );
        check(
            r#"{"bash": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run copilot edit"}"#,
            &["cerberus"],
        );
        check(r#"spawn("cerberus", ["hooks", "run", "opencode", "edit"])"#, &["cerberus"]);
        check(r#"{"name": "cerberus", "command": "other"}"#, &[]);
        check("# cerberus:start (written by `cerberus setup git`)", &[]);
    }
}
