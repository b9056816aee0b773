//! The diff of a file, and the question before a change is written.

use std::io::{BufRead, IsTerminal};

use anyhow::Result;
use similar::TextDiff;

use crate::output::Printer;

/// Returns the unified diff of a file, without context beyond one line.
pub(super) fn diff(name: &str, old: &[u8], new: &[u8]) -> String {
    let old = String::from_utf8_lossy(old);
    let new = String::from_utf8_lossy(new);
    let diff = TextDiff::from_lines(old.as_ref(), new.as_ref());
    diff.unified_diff()
        .context_radius(1)
        .header(name, name)
        .to_string()
}

/// Whether a person can be asked.
pub(super) fn is_possible(out: &Printer) -> bool {
    std::io::stdin().is_terminal() && out.terminal.out_is_terminal
}

/// Prints the output so far and a question, and returns whether the answer is yes.
pub(super) fn ask(question: &str, out: &mut Printer) -> Result<bool> {
    out.line(&format!("{question} [y/N]"));
    out.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(
        answer.trim().to_ascii_lowercase().as_str(),
        "y" | "yes"
    ))
}
