//! Programs that run the command, or the text, in their arguments.

use cerberus_model::text::shell::program_name;
use cerberus_model::word_lists;

word_lists! {
    "../words/programs.txt": WRAPPERS SHELLS SHELL_VALUES TEXTS FIRST_TEXTS TEXT_OPTIONS ACTIONS WRITERS
}

/// A command or a text that a program runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// The words of a command.
    Command(Vec<String>),
    /// A text for a shell.
    Text(String),
    /// The text on the input of the program.
    Input,
}

/// Returns everything that a program runs. `words` starts with the program.
pub(super) fn runs(words: &[String]) -> Vec<Run> {
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let name = program_name(program);
    if SHELLS.entries().contains(&name) {
        return shell(arguments).into_iter().collect();
    }
    let mut found = Vec::new();
    if let Some(options) = entry(TEXT_OPTIONS.entries(), name) {
        found.extend(texts_of_options(arguments, &options));
    }
    if let Some(options) = entry(ACTIONS.entries(), name) {
        return actions(arguments, &options);
    }
    if let Some(options) = entry(TEXTS.entries(), name) {
        let start = n_options(arguments, &options);
        found.push(Run::Text(arguments[start..].join(" ")));
    }
    if let Some(options) = entry(FIRST_TEXTS.entries(), name) {
        let start = n_options(arguments, &options);
        found.extend(arguments.get(start).cloned().map(Run::Text));
    }
    if found.is_empty()
        && let Some(start) = wrapped(words)
    {
        found.push(Run::Command(words[start..].to_vec()));
    }
    found
}

/// Returns the fields of the entry of a program after its name.
fn entry<'e>(entries: &[&'e str], name: &str) -> Option<Vec<&'e str>> {
    for entry in entries {
        let mut fields = entry.split(' ');
        if fields.next() == Some(name) {
            return Some(fields.collect());
        }
    }
    None
}

/// Returns where the command in the arguments of a program starts.
fn wrapped(words: &[String]) -> Option<usize> {
    let name = program_name(words.first()?);
    // `command -v NAME` only looks for a program.
    if name == "command"
        && words
            .get(1)
            .is_some_and(|word| word == "-v" || word == "-V")
    {
        return None;
    }
    for entry in WRAPPERS.entries() {
        let mut fields = entry.split(' ');
        let mut path = fields.next().unwrap_or_default().split('/');
        if path.next() != Some(name) {
            continue;
        }
        let options: Vec<&str> = fields.collect();
        let mut at = 1 + n_options(&words[1..], &options);
        if let Some(subcommand) = path.next() {
            if words.get(at).is_none_or(|word| word != subcommand) {
                continue;
            }
            at += 1;
            at += n_options(&words[at..], &options);
        }
        let n_before = options.last().and_then(|last| last.parse().ok());
        at += n_before.unwrap_or(0);
        return (at < words.len()).then_some(at);
    }
    None
}

/// Returns the number of words of options before the first argument, with their values.
fn n_options(words: &[String], with_value: &[&str]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if !word.starts_with('-') || word == "-" {
            break;
        }
        at += 1;
        if word == "--" {
            break;
        }
        at += usize::from(with_value.iter().any(|option| is_option(word, option)));
    }
    at.min(words.len())
}

/// Returns whether a word is an option. The name of a long one may be shortened.
fn is_option(word: &str, option: &str) -> bool {
    word == option || (word.len() > 3 && option.starts_with("--") && option.starts_with(word))
}

/// Returns the part of a shell's arguments that it runs.
fn shell(arguments: &[String]) -> Option<Run> {
    let mut has_text = false;
    let mut reads_input = false;
    let mut at = 0;
    while let Some(option) = arguments.get(at) {
        let letters = option.trim_start_matches(['-', '+']);
        if letters.len() == option.len() || option == "-" {
            break;
        }
        at += 1;
        if option == "--" {
            break;
        }
        if !option.starts_with("--") {
            has_text |= letters.contains('c');
            reads_input |= letters.contains('s');
        }
        at += usize::from(SHELL_VALUES.entries().contains(&option.as_str()));
    }
    let operand = arguments.get(at);
    if has_text {
        return operand.cloned().map(Run::Text);
    }
    (operand.is_none() || reads_input).then_some(Run::Input)
}

/// Returns the values of options that are texts for a shell.
fn texts_of_options(arguments: &[String], options: &[&str]) -> Vec<Run> {
    let mut texts = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        if argument == "--" {
            break;
        }
        for option in options {
            let Some(rest) = argument.strip_prefix(option) else {
                continue;
            };
            let text = if rest.is_empty() {
                arguments.get(at + 1).cloned()
            } else if option.starts_with("--") {
                rest.strip_prefix('=').map(str::to_owned)
            } else {
                Some(rest.to_owned())
            };
            texts.extend(text.map(Run::Text));
        }
    }
    texts
}

/// Returns the commands between actions, such as `-exec`, and their ends.
fn actions(arguments: &[String], options: &[&str]) -> Vec<Run> {
    let mut found = Vec::new();
    let mut words: Option<Vec<String>> = None;
    for argument in arguments {
        match &mut words {
            Some(_) if argument == ";" => found.extend(words.take().map(Run::Command)),
            Some(words) => words.push(argument.clone()),
            None if options.contains(&argument.as_str()) => words = Some(Vec::new()),
            None => {}
        }
    }
    found.extend(words.map(Run::Command));
    found
}

/// Returns whether a word is an option of `echo` in each shell. Others are written.
fn is_writer_option(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    !letters.is_empty() && letters.chars().all(|c| matches!(c, 'n' | 'e' | 'E'))
}

/// Returns the text that a command writes, if it only writes its arguments or its input.
pub(super) fn output(words: &[String], input: Option<&str>) -> Option<String> {
    let (program, arguments) = words.split_first()?;
    let name = program_name(program);
    if WRITERS.entries().contains(&name) {
        let n_options = arguments.iter().take_while(|word| is_writer_option(word));
        return Some(arguments[n_options.count()..].join(" "));
    }
    let is_copy = name == "cat" && arguments.iter().all(|argument| argument.starts_with('-'));
    if is_copy {
        input.map(str::to_owned)
    } else {
        None
    }
}
