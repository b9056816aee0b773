//! Resolves a location that a person typed.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use cerberus_model::{Fingerprint, UserError, split_number, text};
use rustc_hash::FxHashSet;

use crate::syntax::parse::limit_warning;
use crate::syntax::{ParsedFile, language};
use crate::track::FoundSymbol;
use crate::track::file_symbols::{ALL, FileSymbols};
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
    let spell = |it: &Located| {
        let symbol = it.found.symbol.as_deref().unwrap_or_default();
        let (name, line) = (
            split_number(symbol).0,
            it.found.lines.map_or(0, |it| it.0) + 1,
        );
        let n_same = all
            .iter()
            .filter(|other| other.parameters == it.parameters)
            .count();
        if n_same == 1 && (1..=MAX_PARAMETERS).contains(&it.parameters.len()) {
            format!("`{symbol}` or `{name}({})` in line {line}", it.parameters)
        } else {
            format!("`{symbol}` in line {line}")
        }
    };
    all.iter().map(spell).collect()
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
        let called = symbol.strip_suffix(')').and_then(|it| it.split_once('('));
        let (name, number) = split_number(called.map_or(symbol, |(name, _)| name));
        let parameters = called.map(|(_, parameters)| split_parameters(parameters));
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
        let is_same = |(typed, actual): (&String, &String)| {
            let is_beside = |c: char| is_word(c) || matches!(c, ' ' | ':' | '?' | '=');
            actual.split_once(&**typed).is_some_and(|(before, after)| {
                let joins = |a: &str, b: &str| a.ends_with(is_word) && b.starts_with(is_word);
                !joins(before, typed)
                    && !joins(typed, after)
                    && before.chars().chain(after.chars()).all(is_beside)
            })
        };
        self.parameters.as_ref().is_none_or(|typed| {
            let actual = split_parameters(actual);
            typed.len() == actual.len() && typed.iter().zip(&actual).all(is_same)
        })
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Splits parameters at the commas outside of brackets, without receivers.
fn split_parameters(text: &str) -> Vec<String> {
    let mut parameters = vec![String::new()];
    let (mut depth, mut previous) = (0, ' ');
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
    // Spaces count only between words.
    let words = |it: &String| {
        let mut words = String::new();
        for word in it.split_whitespace() {
            if words.ends_with(is_word) && word.starts_with(is_word) {
                words.push(' ');
            }
            words += word;
        }
        words
    };
    let is_parameter = |it: &String| {
        let name = it.trim_start_matches('&').trim_start_matches("mut ");
        !matches!(name, "" | "self" | "cls")
    };
    parameters.iter().map(words).filter(is_parameter).collect()
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

    /// Returns what is in the first brackets after the name of a symbol.
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
    let may_match = |name: Option<&str>| match (name, &typed) {
        (Some(name), Some(typed)) => name.ends_with(typed.name),
        (name, typed) => name.is_none() && typed.is_none(),
    };
    let bytes = read::bytes(root, file).with_context(|| format!("failed to anchor to `{file}`"))?;
    let code = Code {
        symbols: FileSymbols::parse(file, &bytes, Some(&may_match)),
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

    /// Returns the code of a symbol with this qualified name.
    pub fn locate(&self, symbol: &str) -> Option<Located> {
        let mut named = self.0.named(Some(symbol));
        let (symbol_idx, _) = named.find(|(_, it)| it.name.as_deref() == Some(symbol))?;
        Some(Located::new(&self.0, symbol_idx))
    }
}

/// Returns a warning for each of `files` whose parsing takes too much time or memory, so that its
/// symbols are not found.
pub fn limit_warnings(root: &Path, files: &BTreeSet<&str>) -> Vec<String> {
    let exceeds_limits = |path: &&str| {
        let source = language::from_path(path).zip(read::text(root, path).ok());
        source.is_some_and(|(language, text)| ParsedFile::outline(language, &text).exceeds_limits)
    };
    files
        .iter()
        .copied()
        .filter(exceeds_limits)
        .map(limit_warning)
        .collect()
}

/// Returns the symbols of one qualified name that a person named.
fn resolve(code: &Code<'_>, typed: &Typed<'_>) -> Result<Vec<Located>> {
    let path = &code.symbols.path;
    if code.symbols.language.is_none() {
        let why =
            language::lacking(path).map_or("its language is not supported".into(), language::lack);
        let message = format!("`{path}` has no symbols: {why}");
        let hint = format!("anchor to the whole file: `{path}`");
        return Err(UserError::usage(message).hint(hint).into());
    }
    let known = code.symbols.symbols.iter().enumerate();
    let known: Vec<(usize, &str)> = known
        .filter_map(|(idx, symbol)| Some((idx, symbol.name.as_deref()?)))
        .collect();
    let is_tail = |name: &str| {
        name.strip_suffix(typed.name)
            .is_some_and(|it| it.ends_with('.'))
    };
    let mut names: Vec<&str> = Vec::new();
    if known.iter().any(|(_, name)| *name == typed.name) {
        names.push(typed.name);
    } else {
        let mut seen = FxHashSet::default();
        let tails = known
            .iter()
            .map(|(_, name)| *name)
            .filter(|name| is_tail(name));
        names.extend(tails.filter(|name| seen.insert(*name)));
    }
    let (message, hint) = match names.as_slice() {
        [name] => {
            let own = known
                .iter()
                .filter(|(_, it)| it == name)
                .map(|(idx, _)| *idx);
            let own: Vec<usize> = own.collect();
            let is_typed = |(number, idx): &(usize, &usize)| {
                typed.number.is_none_or(|typed| typed == number + 1)
                    && typed.has_parameters(&code.parameters(**idx).unwrap_or_default())
            };
            let found = own.iter().enumerate().filter(is_typed);
            // A file may define one name many thousand times, and each is compared with all.
            let found = found.take(MAX_SAME).map(|(_, idx)| code.located(*idx));
            let found: Vec<Located> = found.collect();
            if !found.is_empty() {
                return Ok(found);
            }
            let own: Vec<Located> = own
                .iter()
                .take(MAX_SAME)
                .map(|idx| code.located(*idx))
                .collect();
            (
                format!("symbol `{}` not found in `{path}`", typed.whole),
                one_of(&spelled(&own)),
            )
        }
        [] => {
            let message = format!("symbol `{}` not found in `{path}`", typed.whole);
            (message, list_symbols(typed.name, &known))
        }
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
    let n_more = names.len().saturating_sub(MAX_LISTED);
    let listed = names[..names.len().min(MAX_LISTED)].join(", ");
    let more = if n_more > 0 {
        format!(" and {n_more} more")
    } else {
        String::new()
    };
    format!("specify one of: {listed}{more}")
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
    let n_more = names.len().saturating_sub(MAX_LISTED);
    let listed: Vec<String> = names
        .iter()
        .take(MAX_LISTED)
        .map(|name| format!("`{name}`"))
        .collect();
    let more = if n_more > 0 {
        format!(" and {n_more} more")
    } else {
        String::new()
    };
    format!("it defines {}{more}", listed.join(", "))
}
