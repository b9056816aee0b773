//! Resolves a location that a person typed.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use cerberus_model::{Fingerprint, UserError, split_number, text};
use rustc_hash::FxHashSet;

use crate::syntax::parse::limit_warning;
use crate::syntax::{ParsedFile, language};
use crate::track::FoundSymbol;
use crate::track::file_symbols::{ALL, FileSymbol, FileSymbols};
use crate::tree::read;

/// Maximum number of symbols that an error lists.
const MAX_LISTED: usize = 8;

/// Maximum number of symbols of one name that are looked at.
const MAX_SAME: usize = 100;

/// Maximum length of the parameters that an error lists.
const MAX_PARAMETERS: usize = 60;

/// A location and the fingerprint of the code there.
#[derive(Debug, Clone)]
pub struct Located {
    pub found: FoundSymbol,
    pub fingerprint: Fingerprint,
    /// The parameters as written, in one line; empty if there are none.
    parameters: String,
}

impl Located {
    fn new(code: &FileSymbols, symbol_idx: usize) -> Self {
        Self {
            found: code.found(symbol_idx, 1.0),
            fingerprint: code.fingerprint(symbol_idx),
            parameters: String::new(),
        }
    }
}

/// Returns how to name each of the symbols with the same name, and its line.
fn spelled(all: &[Located]) -> Vec<String> {
    let mut spelled = Vec::new();
    for Located {
        found, parameters, ..
    } in all
    {
        let symbol = found.symbol.as_deref().unwrap_or_default();
        let (first_line, _) = found.lines.unwrap_or_default();
        let line = first_line + 1;
        let n_same = all
            .iter()
            .filter(|other| other.parameters == *parameters)
            .count();
        spelled.push(
            if n_same == 1 && (1..=MAX_PARAMETERS).contains(&parameters.len()) {
                let (name, _) = split_number(symbol);
                format!("`{symbol}` or `{name}({parameters})` in line {line}")
            } else {
                format!("`{symbol}` in line {line}")
            },
        );
    }
    spelled
}

/// A symbol as a person names it.
struct Typed<'s> {
    whole: &'s str,
    name: &'s str,
    number: Option<usize>,
    parameters: Option<Vec<String>>,
}

impl<'s> Typed<'s> {
    fn parse(symbol: &'s str) -> Self {
        let mut numbered = symbol;
        let mut parameters = None;
        if let Some(call) = symbol.strip_suffix(')')
            && let Some((called, listed)) = call.split_once('(')
        {
            numbered = called;
            parameters = Some(split_parameters(listed));
        }
        let (name, number) = split_number(numbered);
        Self {
            whole: symbol,
            name,
            number,
            parameters,
        }
    }

    /// Returns whether the parameters of a symbol are the named ones: each as written, or its type or
    /// its name alone.
    fn has_parameters(&self, actual: &str) -> bool {
        let Some(typed) = &self.parameters else {
            return true;
        };
        let actual = split_parameters(actual);
        typed.len() == actual.len()
            && typed
                .iter()
                .zip(&actual)
                .all(|(typed, actual)| is_parameter(typed, actual))
    }
}

/// Returns whether a parameter is named as written, or by its type or its name alone.
fn is_parameter(typed: &str, actual: &str) -> bool {
    let Some((before, after)) = actual.split_once(typed) else {
        return false;
    };
    !is_in_word(before, typed)
        && !is_in_word(typed, after)
        && before
            .chars()
            .chain(after.chars())
            .all(|c| is_word(c) || matches!(c, ' ' | ':' | '?' | '='))
}

/// Returns whether the border of two texts is inside a word.
fn is_in_word(before: &str, after: &str) -> bool {
    before.ends_with(is_word) && after.starts_with(is_word)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Splits parameters at the commas outside of brackets, without receivers.
fn split_parameters(text: &str) -> Vec<String> {
    let mut parameters = vec![String::new()];
    let mut depth = 0;
    let mut previous = ' ';
    for c in text.chars() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if matches!(previous, '-' | '=') => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        match parameters.last_mut() {
            Some(last) if c != ',' || depth > 0 => last.push(c),
            _ => parameters.push(String::new()),
        }
        previous = c;
    }
    let mut named = Vec::new();
    for parameter in &parameters {
        // Spaces count only between words.
        let mut words = String::new();
        for word in parameter.split_whitespace() {
            if is_in_word(&words, word) {
                words.push(' ');
            }
            words += word;
        }
        let name = words.trim_start_matches('&').trim_start_matches("mut ");
        if !matches!(name, "" | "self" | "cls") {
            named.push(words);
        }
    }
    named
}

/// A file with its text.
struct Code<'t> {
    symbols: FileSymbols,
    text: &'t str,
}

impl Code<'_> {
    fn located(&self, symbol_idx: usize) -> Located {
        let parameters = self.parameters(symbol_idx).unwrap_or_default();
        Located {
            parameters,
            ..Located::new(&self.symbols, symbol_idx)
        }
    }

    /// Returns the text in the first brackets after the name of a symbol.
    fn parameters(&self, symbol_idx: usize) -> Option<String> {
        let heading = self.symbols.symbols[symbol_idx].heading.slice(self.text);
        let (_, text) = heading.split_once('(')?;
        let mut depth = 1;
        let end = text.find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        let parameters = &text[..end?];
        Some(parameters.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// Returns the symbol of `file` with this qualified name, or the only one whose name ends with
/// `.symbol`. One of several with the same name needs its number or its parameters: `send#2`,
/// `send(String,int)`. Without a symbol, returns the whole file.
pub fn locate(root: &Path, file: &str, symbol: Option<&str>) -> Result<Located> {
    let mut all = locate_all(root, file, symbol)?;
    if let (Some(symbol), [_, _, ..]) = (symbol, &all[..]) {
        let message = format!("`{symbol}` is ambiguous in `{file}`");
        return Err(UserError::usage(message)
            .hint(one_of(&spelled(&all)))
            .into());
    }
    Ok(all.swap_remove(0))
}

/// Like [`locate`], but returns all symbols of the name, at least one.
pub fn locate_all(root: &Path, file: &str, symbol: Option<&str>) -> Result<Vec<Located>> {
    if !root.join(file).exists() {
        let hint = "write the path relative to the project root, with `/` between its parts";
        return Err(UserError::usage(format!("file `{file}` not found"))
            .hint(hint)
            .into());
    }
    let typed = symbol.map(Typed::parse);
    let bytes = read::bytes(root, file).with_context(|| format!("failed to anchor to `{file}`"))?;
    let symbols = FileSymbols::parse(
        file,
        &bytes,
        Some(&|name| match (name, &typed) {
            (Some(name), Some(typed)) => name.ends_with(typed.name),
            (name, typed) => name.is_none() && typed.is_none(),
        }),
    );
    let code = Code {
        symbols,
        text: &text::decode(&bytes).0,
    };
    match typed {
        None => Ok(vec![code.located(code.symbols.symbols.len() - 1)]),
        Some(typed) => resolve(&code, &typed),
    }
}

/// The symbols of a version of a file.
pub struct Version(FileSymbols);

impl Version {
    /// Parses a version of a file.
    pub fn parse(file: &str, bytes: &[u8]) -> Self {
        Self(FileSymbols::parse(file, bytes, ALL))
    }

    /// Returns the name of the innermost symbol that contains a line, counted from 0.
    pub fn symbol_at(&self, line: u32) -> Option<&str> {
        let mut innermost: Option<&FileSymbol> = None;
        for symbol in &self.0.symbols {
            let (first, last) = symbol.lines;
            let is_around = symbol.name.is_some() && first <= line && line <= last;
            if is_around && innermost.is_none_or(|other| first >= other.lines.0) {
                innermost = Some(symbol);
            }
        }
        innermost?.name.as_deref()
    }

    /// Returns the code of a symbol with this qualified name.
    pub fn locate(&self, symbol: &str) -> Option<Located> {
        let mut named = self.0.named(Some(symbol));
        let (symbol_idx, _) = named.find(|(_, other)| other.name.as_deref() == Some(symbol))?;
        Some(Located::new(&self.0, symbol_idx))
    }
}

/// Returns a warning for each of `files` whose parsing takes too much time or memory, so that its
/// symbols are not found.
pub fn limit_warnings(root: &Path, files: &BTreeSet<&str>) -> Vec<String> {
    let mut warnings = Vec::new();
    for path in files {
        if let Some(language) = language::from_path(path)
            && let Ok(text) = read::text(root, path)
            && ParsedFile::outline(language, &text).exceeds_limits
        {
            warnings.push(limit_warning(path));
        }
    }
    warnings
}

/// Returns the symbols of one qualified name that a person named.
fn resolve(code: &Code<'_>, typed: &Typed<'_>) -> Result<Vec<Located>> {
    let path = &code.symbols.path;
    if code.symbols.language.is_none() {
        let why = match language::lacking(path) {
            Some(lacking) => language::lack(lacking),
            None => "its language is not supported".into(),
        };
        let message = format!("`{path}` has no symbols: {why}");
        let hint = format!("anchor to the whole file: `{path}`");
        return Err(UserError::usage(message).hint(hint).into());
    }
    let mut known: Vec<(usize, &str)> = Vec::new();
    for (idx, symbol) in code.symbols.symbols.iter().enumerate() {
        if let Some(name) = &symbol.name {
            known.push((idx, name));
        }
    }
    let mut names: Vec<&str> = Vec::new();
    if known.iter().any(|(_, name)| *name == typed.name) {
        names.push(typed.name);
    } else {
        let mut seen = FxHashSet::default();
        for (_, name) in &known {
            if let Some(container) = name.strip_suffix(typed.name)
                && container.ends_with('.')
                && seen.insert(*name)
            {
                names.push(name);
            }
        }
    }
    let not_found = format!("symbol `{}` not found in `{path}`", typed.whole);
    let (message, hint) = match names.as_slice() {
        [name] => {
            let same: Vec<usize> = known
                .iter()
                .filter(|(_, other)| other == name)
                .map(|(idx, _)| *idx)
                .collect();
            // A file may define one name many thousand times, and each is compared with all.
            let mut found: Vec<Located> = Vec::new();
            for (position, &idx) in same.iter().enumerate() {
                let is_numbered = typed.number.is_none_or(|number| number == position + 1);
                if is_numbered && typed.has_parameters(&code.parameters(idx).unwrap_or_default()) {
                    found.push(code.located(idx));
                    if found.len() == MAX_SAME {
                        break;
                    }
                }
            }
            if !found.is_empty() {
                return Ok(found);
            }
            let listed: Vec<Located> = same
                .into_iter()
                .take(MAX_SAME)
                .map(|idx| code.located(idx))
                .collect();
            (not_found, one_of(&spelled(&listed)))
        }
        [] => (not_found, list_symbols(typed.name, &known)),
        several => {
            let names: Vec<String> = several.iter().map(|name| format!("`{name}`")).collect();
            (
                format!("`{}` is ambiguous in `{path}`", typed.whole),
                one_of(&names),
            )
        }
    };
    Err(UserError::usage(message).hint(hint).into())
}

fn one_of(names: &[String]) -> String {
    format!("specify one of: {}", list(names))
}

/// Returns the first names, and the number of the others.
fn list(names: &[String]) -> String {
    if names.len() <= MAX_LISTED {
        return names.join(", ");
    }
    let listed = names[..MAX_LISTED].join(", ");
    let n_more = names.len() - MAX_LISTED;
    format!("{listed} and {n_more} more")
}

/// Lists the symbols of a file, with the most similar name first.
fn list_symbols(symbol: &str, known: &[(usize, &str)]) -> String {
    let mut names: Vec<&str> = known.iter().map(|(_, name)| *name).collect();
    names.dedup();
    if names.is_empty() {
        return "the file has no symbols; anchor to the whole file".to_owned();
    }
    let nearest = text::suggest(symbol, names.iter().copied()).or_else(|| {
        names
            .iter()
            .copied()
            .find(|name| text::suggest(symbol, name.rsplit('.').next()).is_some())
    });
    names.sort_by_key(|name| Some(*name) != nearest);
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("it defines {}", list(&quoted))
}
