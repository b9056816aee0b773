//! What a piece of inline code, a link or a word of prose names.

use std::borrow::Cow;

use cerberus_model::text::Span;
use cerberus_model::text::conventions::CONVENTIONS;
use percent_encoding::percent_decode_str;

use super::word_lists::{FILE_NAMES, RUNTIMES, VERSION_WORDS};
use crate::kinds::Target;
use crate::kinds::path::{FilePath, Part};
use crate::kinds::version::RequiredVersion;

/// Maximum number of words between the name of a language and its version.
const MAX_BEFORE_VERSION: usize = 3;

/// Names in capitals that are not variables.
const PLAIN_CAPITALS: &[&str] = &["TODO_", "README_"];

/// Returns the path and the part of a link's destination, or `None` outside the project.
pub(crate) fn link(destination: &str) -> Option<(String, Option<Part>)> {
    let has_scheme = destination.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1
            && scheme
                .bytes()
                .all(|it| it.is_ascii_alphanumeric() || b"+-.".contains(&it))
    });
    if has_scheme || destination.starts_with("//") || destination.contains(['{', '<', '$', '\n']) {
        return None;
    }
    let (path, fragment) = destination.split_once('#').unwrap_or((destination, ""));
    let path = path.split('?').next().unwrap_or_default();
    let path = decoded(path);
    let (path, mut part) = match line_suffix(&path) {
        Some((path, line)) => (path.to_owned(), Some(Part::Line(line))),
        None => (path, None),
    };
    if let Some(line) = lines(fragment) {
        part = Some(Part::Line(line));
    } else if !fragment.is_empty() && part.is_none() {
        part = Some(Part::Heading(decoded(fragment)));
    }
    (!path.is_empty() || matches!(part, Some(Part::Heading(_)))).then_some((path, part))
}

/// Decodes `%20` and others, if they are characters.
fn decoded(text: &str) -> String {
    percent_decode_str(text)
        .decode_utf8()
        .unwrap_or(Cow::Borrowed(text))
        .into_owned()
}

/// Returns what the words of prose name: imports, paths with a folder and an ending, and versions.
pub(crate) fn prose(text: &str) -> Vec<(Span, Target)> {
    let mut found = Vec::new();
    let at = |part: &str| part.as_ptr().addr() - text.as_ptr().addr();
    for word in text.split_whitespace() {
        let trimmed = word
            .trim_matches(|c: char| "()[]\"'`,;:*!?“”".contains(c))
            .trim_end_matches('.');
        let path = trimmed.strip_prefix('@').unwrap_or(trimmed);
        let is_import = path.len() < trimmed.len()
            && path.contains('.')
            && (path.contains('/') || path.ends_with(".md"));
        let file = line_suffix(path).map_or(path, |(file, _)| file);
        let is_folder = file.ends_with('/') && file.matches('/').count() > 2;
        let is_named = is_folder || file.contains('/') && has_ending(file);
        if (is_import || is_named)
            && is_path(path)
            && !file.contains(['*', '{', ':'])
            && !path.starts_with("//")
        {
            let span = Span::new(at(path), at(path) + file.len());
            found.push((span, located(path).into()));
        }
        let after = &text[at(trimmed) + trimmed.len()..];
        if let Some((version, required)) = required(trimmed, after) {
            let span = Span::new(at(trimmed), at(version) + version.len());
            found.push((span, required.into()));
        }
    }
    found
}

/// Returns the version of a language that the text after its name says: `Node.js 22`, `Go version 1.24`,
/// `Node.js LTS (>= 22)`.
pub(crate) fn required<'t>(name: &str, after: &'t str) -> Option<(&'t str, RequiredVersion)> {
    if !RUNTIMES.entries().contains(&name) || !after.starts_with(' ') {
        return None;
    }
    for word in after.split_whitespace().take(MAX_BEFORE_VERSION + 1) {
        if let Some(version) = version(word) {
            let required = RequiredVersion {
                name: name.to_owned(),
                version: version.to_owned(),
            };
            return Some((version, required));
        }
        let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_link_word = VERSION_WORDS.contains(&plain.to_lowercase());
        if !plain.is_empty() && !is_link_word {
            return None;
        }
    }
    None
}

/// Returns the version that a word is: `18.2`, `v3`, `>=1.0`.
pub(crate) fn version(word: &str) -> Option<&str> {
    let word = word.trim_start_matches(['(', '=', '>', '<', '~', '^', '≥']);
    let word = word.strip_prefix(['v', 'V']).unwrap_or(word);
    let end = word
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(word.len());
    let (number, rest) = word.split_at(end);
    let is_wildcard = number.ends_with('.') && rest.starts_with('x');
    let number = number.trim_end_matches('.');
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && number.len() <= 12;
    let is_rest =
        rest.is_empty() || rest.starts_with(['+', ',', ')', ';', ':', '*']) || is_wildcard;
    (is_number && is_rest).then_some(number)
}

/// Returns whether a text may be a path.
pub(crate) fn is_path(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_-./*{},[]()@+#:~!?=&$%".contains(c);
    if text.len() < 2
        || !text.chars().all(is_part)
        || text.starts_with(['~', '$', '#', '-', ':', '=', '!', '?', '(', ','])
        || text.contains("...")
        || text.contains("//")
        || text.contains("${")
        || text.contains('$')
        || text.ends_with("()")
        // A command of an agent: `/deploy:staging`.
        || text.starts_with('/') && text.contains(':') && line_suffix(text).is_none()
    {
        return false;
    }
    let base = text.split(['#', ':']).next().unwrap_or(text);
    if base.contains('=') || base.contains('?') || base.contains('&') {
        return false;
    }
    let name = base
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    if FILE_NAMES.entries().contains(&name) {
        return true;
    }
    if is_image(text) {
        return false;
    }
    if base.contains('/') {
        // A package of npm, an address with a port, a ratio.
        let is_scoped =
            base.starts_with('@') && base.matches('/').count() == 1 && !has_ending(base);
        return !is_scoped && base.chars().any(char::is_alphabetic);
    }
    has_ending(base) && !base.contains('(')
}

/// Returns a path in the form of Windows, with slashes: `docs\\guide.md`. A part of one letter may be an escape of a
/// pattern, as in `\\d`.
pub(crate) fn windows_path(text: &str) -> Option<String> {
    if !text.contains('\\') || text.starts_with('\\') {
        return None;
    }
    // A text may escape its backslashes.
    let path = text.replace("\\\\", "/").replace('\\', "/");
    let mut parts = path.split('/');
    let has_short = parts.any(|part| part.len() < 2 && part != ".");
    (!has_short && has_ending(&path) && is_path(&path)).then_some(path)
}

/// Returns whether a text may be an image of a container with its tag: `owner/name:v1`. A capital letter after the
/// colon starts a symbol: `app/models:User`.
fn is_image(text: &str) -> bool {
    text.split_once(':').is_some_and(|(name, tag)| {
        let is_start = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let is_tag = tag.starts_with(is_start) && !tag.contains(['/', '*', '{']);
        is_tag && name.contains('/') && !has_ending(name) && line_suffix(text).is_none()
    })
}

fn has_ending(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && CONVENTIONS.endings.documents.contains(ending)
    })
}

/// Returns a path with the part of the file that its end names.
pub(crate) fn located(text: &str) -> FilePath {
    let text = text.trim_end_matches([',', ';', ':']);
    let path = |path: &str, part| FilePath {
        part,
        ..FilePath::new(path)
    };
    if let Some((file, symbol)) = text.split_once("::") {
        let symbol = symbol
            .trim_end_matches("()")
            .rsplit("::")
            .next()
            .unwrap_or_default();
        let is_plain = !symbol.is_empty()
            && symbol
                .chars()
                .all(|c| c.is_alphanumeric() || "_.".contains(c));
        return path(file, is_plain.then(|| Part::Symbol(symbol.to_owned())));
    }
    if let Some((file, fragment)) = text.split_once('#') {
        let part = lines(fragment).map(Part::Line);
        let heading = || {
            Some(fragment)
                .filter(|_| file.ends_with(".md"))
                .map(|it| Part::Heading(it.to_owned()))
        };
        return path(file, part.or_else(heading));
    }
    if let Some((file, line)) = line_suffix(text) {
        return path(file, Some(Part::Line(line)));
    }
    match text.split_once(':') {
        // `src/a.py:Session.close`
        Some((file, symbol))
            if has_ending(file)
                && symbol
                    .chars()
                    .all(|c| c.is_alphanumeric() || "_.".contains(c)) =>
        {
            path(file, Some(Part::Symbol(symbol.to_owned())))
        }
        Some((file, _)) => path(file, None),
        None => path(text, None),
    }
}

/// Returns the file and the last line of `file:12`, `file:12-40` and `file:12:3`.
fn line_suffix(text: &str) -> Option<(&str, u32)> {
    let (file, rest) = text.split_once(':')?;
    let last = rest
        .split(':')
        .next()?
        .rsplit(['-', '–'])
        .next()?
        .trim_start_matches('L');
    Some((file, last.parse().ok()?))
}

/// Returns the last line of `L10` and `L10-L20`.
fn lines(fragment: &str) -> Option<u32> {
    let last = fragment.strip_prefix('L')?.rsplit('-').next()?;
    last.trim_start_matches('L').parse().ok()
}

/// Returns whether a text is the name of a variable of the environment.
pub(crate) fn is_variable_name(text: &str) -> bool {
    text.len() >= 4
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.contains('_')
        && !text.ends_with('_')
        && text
            .bytes()
            .all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_')
        && !PLAIN_CAPITALS.iter().any(|prefix| text.starts_with(prefix))
}

/// Returns whether a text may be the name of a package.
pub(crate) fn is_package(text: &str) -> bool {
    let name = text
        .strip_prefix('@')
        .and_then(|scoped| scoped.split_once('/'))
        .map_or(text, |(_, name)| name);
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    name.len() >= 2
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| is_part(c) || c == '@' || c == '/')
        && !name.contains('/')
}

/// Returns whether a text may be the name of a module of Go: `example.org/owner/name`.
pub(crate) fn is_module(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let domain = text
        .split_once('/')
        .and_then(|(host, _)| host.rsplit_once('.'));
    let is_end = |end: &str| end.len() > 1 && end.chars().all(char::is_lowercase);
    domain.is_some_and(|(name, end)| !name.is_empty() && is_end(end))
        && text.chars().all(is_part)
        && !has_ending(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_may_be_between_a_language_and_its_version() {
        for (name, after, expected) in [
            ("Node.js", " LTS (>= 18.x)", Some("18")),
            ("Go", " version 1.24 or newer", Some("1.24")),
            ("Python", " 3.11", Some("3.11")),
            ("Python", " code of 3 files", None),
            ("Python", "3", None),
            ("Shop", " 18", None),
        ] {
            let found = required(name, after).map(|(version, _)| version);
            assert_eq!(found, expected, "{name}{after}");
        }
    }
}
