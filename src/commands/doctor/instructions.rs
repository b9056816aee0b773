//! Checks that instructions reach the model: the limits of agents, imports of files that are not there, and documents
//! that hide others.

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_claims::addresses::Addresses;
use cerberus_claims::parse;
use cerberus_engine::tree::{documents, read};
use cerberus_markdown::links::normalize_path;

use super::Doctor;

/// Number of bytes of AGENTS.md that Codex reads, from the root to the folder in which it works, unless
/// `project_doc_max_bytes` of its configuration is higher.
const CODEX_BYTES: usize = 32 * 1024;

/// Number of characters of a rule file that Antigravity reads.
const ANTIGRAVITY_CHARS: usize = 12_000;

/// The folder of the rule files of Antigravity.
const ANTIGRAVITY_RULES: &str = ".agents/rules/";

/// The documents whose `@path` an agent replaces by the file.
const WITH_IMPORTS: [&str; 3] = ["CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"];

impl Doctor<'_> {
    /// Checks the instruction files of all folders.
    pub(super) fn arriving(&mut self) -> Result<()> {
        let root = self.project.root.clone();
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        for path in documents::find_rule_files(&root)?.paths {
            if let Ok(text) = read::text(&root, &path) {
                texts.insert(path, text);
            }
        }
        self.codex_limit(&texts);
        self.antigravity_limit(&texts);
        for (path, text) in &texts {
            self.imports(path, text);
            self.hidden_in_folder(path, &texts);
        }
        Ok(())
    }

    /// Checks the size of the AGENTS.md files that Codex reads together.
    fn codex_limit(&mut self, texts: &BTreeMap<String, String>) {
        for path in texts.keys() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if name != "AGENTS.md" {
                continue;
            }
            let mut n_bytes = 0;
            let mut n_before = 0;
            for (other, text) in texts {
                let (outer, name) = other.rsplit_once('/').unwrap_or(("", other));
                let is_around =
                    outer.is_empty() || format!("{folder}/").starts_with(&format!("{outer}/"));
                if name == "AGENTS.md" && is_around {
                    n_bytes += text.len();
                    n_before += if other == path { 0 } else { text.len() };
                }
            }
            // The first file of a path that passes the limit is named.
            if n_bytes > CODEX_BYTES && n_before <= CODEX_BYTES {
                self.error(
                    format!(
                        "Codex reads {CODEX_BYTES} bytes of AGENTS.md from the root to a folder, and with `{path}` there are {n_bytes}: the end of it does not arrive"
                    ),
                    "shorten it, or raise `project_doc_max_bytes` in the configuration of Codex",
                );
            }
        }
    }

    fn antigravity_limit(&mut self, texts: &BTreeMap<String, String>) {
        for (path, text) in texts {
            let n_chars = text.chars().count();
            if path.contains(ANTIGRAVITY_RULES) && n_chars > ANTIGRAVITY_CHARS {
                self.error(
                    format!(
                        "Antigravity reads {ANTIGRAVITY_CHARS} characters of a rule file, and `{path}` has {n_chars}"
                    ),
                    format!("divide `{path}` into several files"),
                );
            }
        }
    }

    /// Checks that the files exist that an instruction file imports with `@path`.
    fn imports(&mut self, path: &str, text: &str) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_cursor = name.ends_with(".mdc");
        if !is_cursor && !WITH_IMPORTS.contains(&name) {
            return;
        }
        let root = self.project.root.clone();
        for claim in parse::read(text, &Addresses::new(&root)).claims {
            let Some(imported) = claim.target.path() else {
                continue;
            };
            // An import in a piece of code has no effect.
            let is_import = text[..claim.span.start].ends_with('@')
                && !text[..claim.span.start].ends_with("`@");
            if !is_import || imported.contains(['*', '{']) {
                continue;
            }
            let mut places = vec![imported.to_owned()];
            if !is_cursor {
                places = vec![format!("{folder}/{imported}")];
            }
            let mut found = places
                .iter()
                .filter_map(|it| normalize_path(it.trim_start_matches('/')));
            if !found.any(|place| read::exists(&root, &place)) {
                let line = claim_line(text, claim.span.start);
                self.error(
                    format!("`{path}:{line}` imports `@{imported}`, which does not exist"),
                    "correct the path, or remove the import",
                );
            }
        }
    }

    /// Checks that no CLAUDE.md beside an AGENTS.md below the root hides it from Claude Code.
    fn hidden_in_folder(&mut self, path: &str, texts: &BTreeMap<String, String>) {
        let Some(folder) = path.strip_suffix("/AGENTS.md") else {
            return;
        };
        for name in ["CLAUDE.md", "CLAUDE.local.md"] {
            let other = format!("{folder}/{name}");
            let own = read::text(&self.project.root, &other);
            let text = texts.get(&other).cloned().or_else(|| own.ok());
            if text.is_some_and(|text| !text.contains("@AGENTS.md")) {
                self.info(
                    format!("Claude Code does not read `{path}`, because there is `{other}`"),
                    format!("if it should, add the line `@AGENTS.md` to `{other}`"),
                );
            }
        }
    }
}

/// Returns the line of a position, from 1.
fn claim_line(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}
