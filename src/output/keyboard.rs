//! Keys and lines that a person types on the terminal.

use std::io::ErrorKind;

use anyhow::{Context, Result};
use console::{Key, Term};

/// The keyboard of the terminal.
///
/// Ctrl-C ends the program like any other program, with the terminal in its normal mode.
pub(crate) struct Keyboard(Term);

impl Keyboard {
    pub(crate) fn new() -> Self {
        Self(Term::stdout())
    }

    /// Waits for a key and returns its character, without waiting for the enter key. Returns
    /// `None` at the end of the input, and `\0` for a key without a character.
    pub(crate) fn key(&mut self) -> Result<Option<char>> {
        match self.0.read_key() {
            // Ctrl-D.
            Ok(Key::Char('\u{4}')) => Ok(None),
            Ok(Key::Char(c)) => Ok(Some(c)),
            Ok(Key::Enter) => Ok(Some('\n')),
            Ok(_) => Ok(Some('\0')),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error).context("failed to read a key"),
        }
    }

    /// Waits for a line and returns it without its end.
    pub(crate) fn line(&mut self) -> Result<String> {
        self.0.read_line().context("failed to read a line")
    }
}
