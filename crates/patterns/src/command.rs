//! Patterns of commands: a program, the words of its subcommand, and options that must all occur.
//!
//! A pattern is written as a command line, as in `git push --force`, and compared with the words of commands,
//! not with their text.

use cerberus_model::text::shell;

/// Limits on the patterns of a memory.
const MAX_PATTERNS: usize = 50;
const MAX_BYTES: usize = 300;

/// Options after which a program only explains itself.
const EXPLAINING: [&str; 2] = ["--help", "--version"];

/// Maximum number of letters of options in one word, as in `-rf`; a longer word is one option.
const MAX_LETTERS: usize = 4;

/// A command that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPattern {
    program: String,
    words: Vec<String>,
    options: Vec<String>,
}

/// Reads the patterns of a memory. The error names the fault.
pub fn parse(lines: &[String]) -> Result<Vec<CommandPattern>, String> {
    if lines.len() > MAX_PATTERNS {
        return Err(format!("it has more than {MAX_PATTERNS} commands"));
    }
    lines
        .iter()
        .map(|line| CommandPattern::parse(line))
        .collect()
}

impl CommandPattern {
    /// Reads a command line of one command.
    pub fn parse(line: &str) -> Result<Self, String> {
        let tokens = shell::tokens(line);
        let is_one_command = tokens
            .iter()
            .all(|token| !token.is_operator && !token.text.contains(['$', '<', '>', '*']));
        if line.len() > MAX_BYTES || !is_one_command {
            return Err(format!(
                "`{line}` is not one program with words and options"
            ));
        }
        let mut words = tokens.into_iter().map(|token| token.text);
        let first = words.find(|word| word != "--");
        let Some(program) =
            first.filter(|word| !word.starts_with('-') && !shell::is_assignment(word))
        else {
            return Err(format!("`{line}` has no program"));
        };
        let (options, words) = words
            .filter(|word| word != "--")
            .partition(|word| is_option(word));
        Ok(Self {
            program: shell::program_name(&program).to_owned(),
            words,
            options,
        })
    }

    /// Returns whether a command, which starts with its program, is one of these.
    pub fn matches(&self, command: &[String]) -> bool {
        let Some((program, arguments)) = command.split_first() else {
            return false;
        };
        if shell::program_name(program) != self.program {
            return false;
        }
        let is_operand = arguments.iter().any(|argument| argument == "--");
        let last = arguments.last().map(String::as_str).unwrap_or_default();
        let mut options = self.options.iter();
        if EXPLAINING.contains(&last)
            && !is_operand
            && !options.any(|option| EXPLAINING.contains(&option.as_str()))
        {
            return false;
        }
        let mut options = self.options.iter();
        self.has_words(arguments) && options.all(|option| has_option(arguments, option))
    }

    /// Returns whether the first words of the arguments, without options, their values and settings, are those of the
    /// pattern. Whether an option has a value is not known, so that a word after one may be either.
    fn has_words(&self, arguments: &[String]) -> bool {
        let mut wanted = self.words.iter();
        let mut next = wanted.next();
        let mut is_after_option = false;
        for argument in arguments {
            let Some(word) = next else { return true };
            if is_option(argument) || shell::is_assignment(argument) {
                is_after_option = !argument.contains('=');
            } else if argument == word {
                next = wanted.next();
                is_after_option = false;
            } else if !std::mem::take(&mut is_after_option) {
                return false;
            }
        }
        next.is_none()
    }
}

/// Returns whether a word is an option, or a toolchain of cargo.
fn is_option(word: &str) -> bool {
    word.starts_with(['-', '+'])
}

/// Returns whether arguments have an option: alone, with a value after `=`, or its letters among others.
fn has_option(arguments: &[String], option: &str) -> bool {
    for word in arguments {
        if let Some(rest) = word.strip_prefix(option)
            && (rest.is_empty() || rest.starts_with('='))
        {
            return true;
        }
    }
    let wanted = letters(option);
    if wanted.is_empty() {
        return false;
    }
    wanted
        .chars()
        .all(|letter| arguments.iter().any(|word| letters(word).contains(letter)))
}

/// Returns the letters of short options, as in `-rf`; none of another word.
fn letters(word: &str) -> &str {
    let letters = word.strip_prefix('-').unwrap_or_default();
    let is_short = letters.len() <= MAX_LETTERS;
    if is_short && letters.chars().all(|c| c.is_ascii_alphabetic()) {
        letters
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, line: &str, expected: bool) {
        let pattern = CommandPattern::parse(pattern).expect("a pattern");
        let commands = crate::shell::commands(line).commands;
        assert_eq!(
            commands.iter().any(|it| pattern.matches(it)),
            expected,
            "{line}"
        );
    }

    #[test]
    fn words_and_options_must_all_occur() {
        for (pattern, lines) in [
            (
                "pip install",
                &["pip install x", "/usr/bin/pip -q --proxy x install y"][..],
            ),
            (
                "git push --force",
                &["git -C x push origin +main --force", "git push --force=yes"],
            ),
            ("git push -f", &["git push -fu", "cd a && git push -uf"]),
            ("rm -rf", &["rm -r -f x", "rm -fr x", "sudo rm -rf /"]),
            ("npm run test -- --watch", &["npm run test -- --watch"]),
            ("sudo", &["sudo -n true"]),
            ("cargo test", &["cargo +nightly test"]),
        ] {
            lines.iter().for_each(|line| check(pattern, line, true));
        }
    }

    #[test]
    fn look_alikes_pass() {
        for (pattern, lines) in [
            (
                "pip install",
                &[
                    "pip3 install x",
                    "pip show install",
                    "uv pip install x",
                    "pip install",
                ][..3],
            ),
            (
                "pip install",
                &[
                    "echo pip install",
                    "pip install --help",
                    "grep 'pip install' x",
                ],
            ),
            (
                "git push --force",
                &["git push --force-with-lease", "git stash push --force"],
            ),
            ("git push -f", &["git push --follow-tags", "git log -- -f"]),
            ("rm -rf", &["rm -r x", "rm --recursive"]),
            ("npm test", &["npm run test", "npm --help"]),
        ] {
            lines.iter().for_each(|line| check(pattern, line, false));
        }
    }

    #[test]
    fn a_pattern_is_one_command() {
        for line in ["", "a && b", "$A", "-x", "A=1 b", "a > b", "a `b`", "npm *"] {
            assert!(CommandPattern::parse(line).is_err(), "{line}");
        }
    }
}
