//! What others have of cerberus: blocks in their files, and settings that start it.

use std::path::{Path, PathBuf};

use crate::bank::ExternalFile;

use super::super::inject::{self, Host};
use super::super::managed_block;
use super::{Doctor, counted};

/// The files that agents read, with the hosts that a block in them may be for.
const READ_BY_AGENTS: &[(&str, Option<Host>)] = &[
    ("AGENTS.md", Some(Host::AgentsMd)),
    ("CLAUDE.md", None),
    ("GEMINI.md", None),
    ("CONTRIBUTING.md", None),
    (".cursor/rules/cerberus.mdc", Some(Host::Cursor)),
    (".github/copilot-instructions.md", Some(Host::Copilot)),
];

/// The settings of agents that may start cerberus, with what prints them anew.
const SETTINGS: &[(&str, &str)] = &[
    (".claude/settings.json", "cerberus hooks print claude"),
    (".claude/settings.local.json", "cerberus hooks print claude"),
    (".codex/hooks.json", "cerberus hooks print codex"),
    (".cursor/hooks.json", "cerberus hooks print cursor"),
    (".gemini/settings.json", "cerberus hooks print gemini"),
    (".mcp.json", "cerberus mcp --print-config claude"),
    (".codex/config.toml", "cerberus mcp --print-config codex"),
    (".cursor/mcp.json", "cerberus mcp --print-config cursor"),
    (".vscode/mcp.json", "cerberus mcp --print-config vscode"),
    ("opencode.json", "cerberus mcp --print-config opencode"),
];

impl Doctor<'_> {
    /// Looks at the blocks that `inject --into` keeps.
    pub(super) fn blocks(&mut self) {
        for (path, host) in READ_BY_AGENTS {
            let full = self.project.root.join(path);
            let text = self.foreign(&full).unwrap_or_default();
            let is_kept = managed_block::MARKDOWN
                .around(text.as_bytes())
                .map_or(true, |it| it.len() < text.len());
            if !is_kept {
                continue;
            }
            self.looked_at.push(format!("the block in {path}"));
            self.with_store("hosts", |doctor, scratch| {
                // For whom it was made is not written in it.
                let mut is_stale = true;
                for host in [None, *host] {
                    let request = inject::Request { host, ..inject::Request::default() };
                    is_stale &= inject::keep(scratch, &request, &full, true)?.stale;
                }
                if is_stale {
                    let message =
                        format!("the block in `{path}` is not what `inject` gives now, or was made with other options");
                    doctor.remark("hosts", message, format!("cerberus memory inject --into {path}"));
                }
                Ok(())
            });
        }
    }

    /// Looks whether the hooks and settings that start cerberus find it.
    pub(super) fn hooks(&mut self, folders: &[PathBuf]) {
        let root = &self.project.root;
        let mut found = 0;
        let own = SETTINGS.iter().map(|(path, next)| (root.join(path), *next));
        let hook = crate::tree::git::hook(root, "pre-commit");
        let hook = hook.map(|path| (path, "cerberus hooks print git"));
        for (path, next) in own.chain(hook).collect::<Vec<_>>() {
            let Some(text) = self.foreign(&path) else { continue };
            let programs = programs(&text);
            found += usize::from(!programs.is_empty());
            let file = super::shown(self.project, &path);
            for program in programs {
                let is_found = match program.contains('/') {
                    true => root.join(&program).is_file(),
                    false => folders.iter().any(|folder| folder.join(&program).is_file()),
                };
                if is_found {
                    continue;
                }
                let (why, next) = match program.contains('/') {
                    true => (
                        "which is not there",
                        format!("mend the path; see what belongs there with: {next}"),
                    ),
                    false => (
                        "which is not on PATH",
                        "put cerberus, or a link to it, into a folder of PATH".to_owned(),
                    ),
                };
                self.wrong("hosts", format!("`{file}` starts `{program}`, {why}"), next);
            }
        }
        if found > 0 {
            self.looked_at.push(counted(
                found,
                "file that starts cerberus",
                "files that start cerberus",
            ));
        }
    }

    /// Returns the text of somebody else's file, if there is one that can be read.
    fn foreign(&self, path: &Path) -> Option<String> {
        if !path.is_file() {
            return None;
        }
        let file = ExternalFile::open(path, None).ok()?;
        Some(String::from_utf8_lossy(&file.bytes).into_owned())
    }
}

/// Returns the programs called `cerberus` that a script or settings start, each once.
fn programs(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, name) in text.match_indices("cerberus") {
        let after = &text[at + name.len()..];
        let starts = [" memory ", " mcp", "\""].iter().any(|next| after.starts_with(next));
        let start = text[..at].rfind(|c: char| c.is_whitespace() || "\"'`(;&|=".contains(c));
        let start = start.map_or(0, |start| start + 1);
        let program = &text[start..at + name.len()];
        let is_program = program == name || program.ends_with("/cerberus");
        // The name of a server in settings is no program.
        let is_key = after.starts_with('"') && after[1..].trim_start().starts_with(':');
        let is_named = after.starts_with('"') && !is_command(&text[..start]);
        if starts && is_program && !is_key && !is_named && !found.iter().any(|it| it == program) {
            found.push(program.to_owned());
        }
    }
    found
}

/// Returns whether what comes next in settings is the value of `command`.
fn is_command(before: &str) -> bool {
    let before = before.trim_end_matches('"').trim_end().trim_end_matches('[').trim_end();
    let key = before.trim_end_matches([':', '=']).trim_end().trim_end_matches('"');
    key.ends_with("command")
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
        check(r#"{"name": "cerberus", "command": "other"}"#, &[]);
        check("# cerberus:start (written by `cerberus hooks print git --write`)", &[]);
    }
}
