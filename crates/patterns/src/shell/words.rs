//! The words of a command: quotes and escapes are removed, nothing is expanded but braces.

use tree_sitter::Node;

/// Represents, in a word, a value that is only known when the command runs.
pub(super) const UNKNOWN: char = '$';

/// Maximum number of words that the braces of one word can make.
const MAX_EXPANDED: usize = 64;

/// Adds the words of a literal. Braces can make several words of one.
pub(super) fn add(node: Node<'_>, text: &str, words: &mut Vec<String>) {
    let mut word = String::new();
    let mut is_plain = true;
    append(node, text, &mut word, &mut is_plain);
    if is_plain && word.contains('{') && word.contains(',') {
        expand(&word, words);
    } else {
        words.push(word);
    }
}

/// Returns the text of a literal as one word.
pub(super) fn value(node: Node<'_>, text: &str) -> String {
    let mut word = String::new();
    append(node, text, &mut word, &mut true);
    word
}

/// Appends the value of a part of a word. `is_plain` becomes false if a part is quoted.
fn append(node: Node<'_>, text: &str, word: &mut String, is_plain: &mut bool) {
    let source = &text[node.byte_range()];
    match node.kind() {
        "command_name" | "concatenation" => {
            let mut cursor = node.walk();
            for part in node.children(&mut cursor) {
                append(part, text, word, is_plain);
            }
        }
        "string" | "translated_string" => {
            *is_plain = false;
            append_string(node, text, word);
        }
        "raw_string" => {
            *is_plain = false;
            word.push_str(source.trim_start_matches('\'').trim_end_matches('\''));
        }
        "ansi_c_string" => {
            *is_plain = false;
            let quoted = source.strip_prefix("$'").unwrap_or(source);
            append_ansi(quoted.strip_suffix('\'').unwrap_or(quoted), word);
        }
        "word"
        | "number"
        | "special_variable_name"
        | "variable_name"
        | "test_operator"
        | "extglob_pattern"
        | "regex" => {
            append_escaped(source.trim_start_matches('\n'), |_| true, word);
        }
        "simple_expansion" => word.push_str(source),
        _ if !node.is_named() && !source.starts_with('$') => word.push_str(source),
        _ => word.push(UNKNOWN),
    }
}

/// Appends the value of a string in double quotes. Its text is also between its named children.
fn append_string(node: Node<'_>, text: &str, word: &mut String) {
    let mut cursor = node.walk();
    for part in node.children(&mut cursor) {
        match part.kind() {
            "\"" | "$\"" => {}
            "string" => append_string(part, text, word),
            "string_content" => {
                append_escaped(&text[part.byte_range()], is_quoted_in_string, word);
            }
            "simple_expansion" => word.push_str(&text[part.byte_range()]),
            _ if part.is_named() => word.push(UNKNOWN),
            _ => word.push_str(&text[part.byte_range()]),
        }
    }
}

/// Appends a text in which a backslash joins lines and quotes the characters of which `is_quoted` says so.
fn append_escaped(source: &str, is_quoted: fn(char) -> bool, word: &mut String) {
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            word.push(c);
            continue;
        }
        match chars.next() {
            Some('\n') | None => {}
            Some(quoted) if is_quoted(quoted) => word.push(quoted),
            Some(other) => word.extend(['\\', other]),
        }
    }
}

/// Returns whether a backslash quotes a character in double quotes.
fn is_quoted_in_string(c: char) -> bool {
    matches!(c, '$' | '`' | '"' | '\\')
}

/// Appends the text between `$'` and `'`, with the escapes of C.
fn append_ansi(source: &str, word: &mut String) {
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            word.push(c);
            continue;
        }
        let Some(escape) = chars.next() else { break };
        let (radix, max_digits) = match escape {
            'x' => (16, 2),
            'u' => (16, 4),
            'U' => (16, 8),
            '0'..='7' => (8, 3),
            _ => {
                word.push(control(escape));
                continue;
            }
        };
        let mut number = escape.to_digit(8).unwrap_or_default();
        let mut n_digits = usize::from(radix == 8);
        while n_digits < max_digits
            && let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix))
        {
            number = number * radix + digit;
            n_digits += 1;
            chars.next();
        }
        word.extend(char::from_u32(number));
    }
}

/// Returns the character of an escape of one letter.
fn control(escape: char) -> char {
    match escape {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'e' | 'E' => '\u{1b}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        other => other,
    }
}

/// Adds the words that the braces of a word make, as in `a{b,c}`.
fn expand(word: &str, words: &mut Vec<String>) {
    let mut unread = vec![word.to_owned()];
    let mut n_expanded = 0;
    while let Some(word) = unread.pop() {
        let Some(braces) = Braces::first(&word) else {
            words.push(word);
            continue;
        };
        n_expanded += 1;
        if n_expanded > MAX_EXPANDED {
            words.push(UNKNOWN.to_string());
            return;
        }
        for choice in braces.choices.iter().rev() {
            unread.push([braces.before, choice, braces.after].concat());
        }
    }
}

/// The first braces of a word that have a choice.
struct Braces<'w> {
    before: &'w str,
    choices: Vec<&'w str>,
    after: &'w str,
}

impl<'w> Braces<'w> {
    fn first(word: &'w str) -> Option<Self> {
        let open = word.find('{')?;
        let mut choices = Vec::new();
        let mut depth = 0_usize;
        let mut start = open + 1;
        for (at, c) in word.char_indices().skip_while(|(at, _)| *at <= open) {
            match c {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' if depth == 0 => {
                    choices.push(&word[start..at]);
                    start = at + 1;
                }
                '}' if choices.is_empty() => return None,
                '}' => {
                    choices.push(&word[start..at]);
                    let (before, after) = (&word[..open], &word[at + 1..]);
                    return Some(Self {
                        before,
                        choices,
                        after,
                    });
                }
                _ => {}
            }
        }
        None
    }
}
