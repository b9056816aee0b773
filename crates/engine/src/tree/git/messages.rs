//! What git writes to its error output.

use std::io::Read;

/// Maximum number of bytes of an error message.
const MAX_MESSAGE: u64 = 4096;

/// Reads all messages of git and returns the first [`MAX_MESSAGE`] bytes.
pub(super) fn read(stderr: impl Read) -> Vec<u8> {
    let mut message = Vec::new();
    let mut stderr = stderr.take(MAX_MESSAGE);
    let _ = stderr.read_to_end(&mut message);
    let _ = std::io::copy(&mut stderr.into_inner(), &mut std::io::sink());
    message
}

/// Returns the first error among git's messages. There may be warnings and traces before it.
pub(super) fn reason(message: &str) -> String {
    for line in message.lines() {
        for start in ["error: ", "fatal: "] {
            if let Some(error) = line.strip_prefix(start) {
                return error.to_owned();
            }
        }
    }
    message.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_messages_are_read() {
        let messages = "warning: x\n".repeat(10_000);
        let mut rest = messages.as_bytes();
        let first = read(&mut rest);
        assert!(rest.is_empty(), "git waits for a reader");
        assert_eq!(first.len() as u64, MAX_MESSAGE);
    }

    #[test]
    fn warnings_and_traces_are_no_reason() {
        let trace = "12:00:00.0 git.c:479 trace: built-in: git log\n";
        assert_eq!(
            reason(&format!("{trace}fatal: no commit\nerror: x\n")),
            "no commit"
        );
        assert_eq!(
            reason("warning: unable to access 'x'\nerror: a\nfatal: b\n"),
            "a"
        );
        assert_eq!(reason("something else\n"), "something else");
        assert_eq!(reason(""), "");
    }
}
