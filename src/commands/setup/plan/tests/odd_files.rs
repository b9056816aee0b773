//! Odd settings: a removal restores every byte, or nothing is written.

use super::*;

const TEXTS: &str = include_str!("../../../../../tests/fixtures/odd_settings.txt");

/// Only one of so many variants is checked.
const STEP: usize = 7;

/// Returns the texts of a kind.
fn texts(kind: &str) -> Vec<String> {
    let (_, texts) = TEXTS.split_once(&format!("== {kind}\n")).expect("a kind");
    let unescaped = |line: &str| {
        line.replace("\\n", "\n")
            .replace("\\r", "\r")
            .replace("\\t", "\t")
    };
    texts
        .lines()
        .take_while(|line| !line.starts_with("== "))
        .map(unescaped)
        .collect()
}

/// Returns a text with other line ends, other ends of the file, and with what editors put first.
fn variants(text: &str) -> Vec<String> {
    let windows = text.replace("\r\n", "\n").replace('\n', "\r\n");
    let mixed = text.replacen('\n', "\r\n", 1);
    let first = ["", "\u{feff}", "\n", " "];
    let last = ["", "\n", "\r\n", "\n\n", "  ", "\n \t\n"];
    let texts = [text.to_owned(), windows, mixed];
    let with = |text: &String| {
        let pairs = first
            .iter()
            .flat_map(|first| last.iter().map(move |last| (first, last)));
        pairs
            .map(|(first, last)| format!("{first}{text}{last}"))
            .collect::<Vec<_>>()
    };
    texts.iter().flat_map(with).collect()
}

/// Checks all variants of the texts, and returns how many were written and why others were not.
fn check(texts: &[String], name: &str, contents: &[Content<'_>]) -> (usize, Vec<(String, String)>) {
    let mut n_written = 0;
    let mut refused = Vec::new();
    let mut variants: Vec<String> = texts.iter().flat_map(|text| variants(text)).collect();
    variants.sort_unstable();
    variants.dedup();
    // All of them take two minutes without optimization.
    for old in variants.into_iter().step_by(STEP) {
        let new = match new_content(old.as_bytes(), true, contents, false) {
            Ok(new) => new.text,
            Err(why) => {
                refused.push((old, why));
                continue;
            }
        };
        assert_ne!(new, old.as_bytes(), "{name} has an effect");
        let again = new_content(&new, true, contents, false).map(|it| it.text);
        assert_eq!(again.as_ref(), Ok(&new), "{name} {old:?} twice");
        let back = new_content(&new, true, contents, true)
            .expect("it was written")
            .text;
        let new = String::from_utf8_lossy(&new);
        assert_eq!(String::from_utf8_lossy(&back), old, "{name} {new}");
        n_written += 1;
    }
    (n_written, refused)
}

#[test]
fn a_removal_restores_every_byte_or_nothing_is_written() {
    let json = |parent: &str, key: &str| -> Vec<String> {
        let named = |text: String| {
            text.replace("P\"", &format!("{parent}\""))
                .replace("P\\\"", &format!("{parent}\\\""))
                .replace("K\"", &format!("{key}\""))
        };
        texts("json").into_iter().map(named).collect()
    };
    let gemini = vec![server("gemini"), hooks("gemini")];
    let mut n_written = 0;
    let mut refused = Vec::new();
    for (texts, contents) in [
        (json("mcpServers", "other"), vec![server("claude")]),
        (json("mcpServers", "other"), vec![server("copilot")]),
        (json("servers", "other"), vec![server("vscode")]),
        (json("mcp", "other"), vec![server("opencode")]),
        (json("hooks", "PreToolUse"), vec![hooks("claude")]),
        (json("hooks", "postToolUse"), vec![hooks("cursor")]),
        (json("hooks", "sessionStart"), vec![hooks("copilot")]),
        (json("hooks", "AfterTool"), gemini.clone()),
        (json("mcpServers", "other"), gemini),
        (
            json("mcpServers", "other"),
            vec![server("qwen"), hooks("qwen")],
        ),
        (json("hooks", "PreToolUse"), vec![hooks("continue")]),
        (json("cerberus", "PreToolUse"), vec![hooks("antigravity")]),
        (texts("toml"), vec![server("codex")]),
        // Settings with comments that start with `#`, too.
        (texts("toml"), vec![server("aider")]),
        (texts("script"), vec![hooks("git")]),
    ] {
        let (n, why) = check(&texts, "it", &contents);
        n_written += n;
        refused.extend(why);
    }
    let unknown: Vec<_> = refused
        .iter()
        .filter(|(_, why)| why.contains("could not restore"))
        .collect();
    // A file of spaces, one that has what marks an insertion, and a script of an unfinished line.
    let is_known = |text: &str| {
        let is_line = text.starts_with("#!") && !text.contains('\n');
        text.trim().is_empty() || text.contains("{\t\"version\"") || is_line
    };
    let unknown: Vec<_> = unknown
        .into_iter()
        .filter(|(text, _)| !is_known(text.trim_start_matches('\u{feff}')))
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    assert!(
        n_written > 20_000 / STEP,
        "{n_written} written, {} refused",
        refused.len()
    );
}
