//! Entry points of the fuzz targets in `tests/fuzz`, one function per parser.
//!
//! Not part of releases. The unit tests run all seeds in `tests/fuzz/seeds`. Each function checks
//! properties that hold for any input, and panics if one is violated.
#![expect(clippy::disallowed_methods, reason = "some parsers read files")]

use std::path::Path;

use crate::bank::{Bank, lockfile};
use crate::config::Settings;
use crate::config::{ColorChoice, GlobalArgs};
use crate::engine::rank::dictionary::Dictionary;
use crate::engine::rank::document::Document;
use crate::engine::rank::path_class::PathClass;
use crate::engine::rank::query::ParsedQuery;
use crate::engine::rank::score::{
    HitCounter, ScorableFile, TermHits, TermSet, WeightedQuery, WordInCode,
};
use crate::engine::rank::token_cache::TokenCache;
use crate::engine::rank::{postings, tokenize};
use crate::markdown::edit::{self, EditMode};
use crate::markdown::frontmatter::{self, FieldValue};
use crate::markdown::secrets::{Secret, find_secret};
use crate::markdown::{html, links as links_of, rules as rules_of, sections as sections_of};
use crate::mcp::ToolSet;
use crate::model::{Language, Pin, PinScope, Priority, SymbolKind};
use crate::ops::complete::{self as completion, Request, ValueKind};
use crate::syntax::fingerprint::FileFeatures;
use crate::syntax::highlight::highlight;
use crate::syntax::{ParsedFile, excerpt};
use crate::text::Span;
use crate::tree::walk;
use crate::{mcp, text};

mod elements;

/// Sections have valid spans; the inner span is in the outer one. Fixing tags and replacing a
/// section are idempotent.
pub fn sections(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let sections = sections_of::parse(text);
    for section in &sections.list {
        assert!(is_in(section.outer, text) && is_in(section.inner, text), "{section:?}");
        assert!(section.outer.start <= section.inner.start);
        assert!(section.inner.end <= section.outer.end);
        let raw = sections_of::content(text, section, &sections, true);
        assert!(section.inner.slice(text).contains(&raw), "{section:?}");
        sections_of::content(text, section, &sections, false);
    }
    for tag in &sections.tags {
        assert!(is_in(*tag, text), "{tag:?}");
    }
    let fixed = sections_of::fix::fix(text).text;
    let again = sections_of::fix::fix(&fixed);
    assert!(again.closed.is_empty() && again.text == fixed, "fixed twice");
    // Each edit parses the text again, so only some sections are checked.
    for section in sections.list.iter().take(8) {
        for way in [EditMode::Append, EditMode::Replace] {
            let Ok((_, edited)) = edit::section(text, &section.id, "new text", way) else {
                continue;
            };
            let again = edit::section(&edited, &section.id, "new text", way);
            let again = again.map(|(_, text)| text);
            assert_eq!(again.as_ref(), Ok(&edited), "{} twice", section.id);
        }
    }
}

/// Links have valid spans, and targets round-trip.
pub fn links(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    for link in links_of::parse(text) {
        assert!(is_in(link.span, text) && is_in(link.name_span, text), "{link:?}");
        assert_eq!(link.name_span.slice(text), link.target.name);
        assert!(!link.context.contains('\n'));
        let read = links_of::Target::parse(&link.target.to_string());
        assert_eq!(read.as_ref(), Some(&link.target));
    }
    links_of::parse_target(text);
}

/// Setting a key is idempotent and preserves the body.
pub fn frontmatter(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let parsed = frontmatter::parse(text);
    assert!(text.is_char_boundary(parsed.body_start));
    frontmatter::render(&parsed.frontmatter);
    let words = ["a".to_owned(), "b, c".to_owned(), "# d".to_owned()];
    for (key, value) in [
        ("status", FieldValue::Scalar("archived")),
        ("tags", FieldValue::List(&words)),
        ("source", FieldValue::Scalar("é: \"x\" #y")),
    ] {
        let Ok(edited) = frontmatter::set(text, key, value) else { continue };
        assert_eq!(frontmatter::set(&edited, key, value).as_ref(), Ok(&edited), "{key} twice");
        let below = text.get(parsed.body_start..).unwrap_or_default();
        assert!(edited.ends_with(below), "{key}: the body has changed");
    }
    for way in [EditMode::Append, EditMode::Replace] {
        let Ok(edited) = edit::body(text, "new text", way) else { continue };
        assert_eq!(edit::body(&edited, "new text", way).as_ref(), Ok(&edited), "twice");
    }
}

/// Extracted rules have valid positions and can be parsed as queries.
pub fn rules(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let n_lines = text.split('\n').count();
    for found in rules_of::parse(text) {
        assert!(found.line < n_lines, "{found:?}");
        assert!(found.text.is_char_boundary(found.prefix_len), "{found:?}");
        ParsedQuery::rule(&found.text, &found.headings);
    }
    ParsedQuery::rule(text, &[]);
}

/// A valid lock file round-trips.
pub fn lock(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let Ok(anchors) = lockfile::parse(text) else { return };
    let written = lockfile::render(&anchors);
    let read = lockfile::parse(&written).expect("written files are valid");
    assert_eq!(lockfile::render(&read), written);
}

/// A configuration is accepted or rejected, and a walk with its globs terminates.
pub fn config(bytes: &[u8], folder: &Path) {
    std::fs::write(folder.join("cerberus.toml"), bytes).expect("a writable folder");
    if let Ok(settings) = Settings::resolve(&project(folder)) {
        // An invalid glob is an error.
        let _ = walk::walk(folder, &settings.project.exclude);
    }
}

/// Adding a pin to a valid file preserves all other pins.
pub fn pins(bytes: &[u8], folder: &Path) {
    let bank = Bank::new(folder.to_owned());
    std::fs::write(bank.pin_file(), bytes).expect("a writable folder");
    let Ok(before) = bank.pins() else { return };
    let added = Pin {
        id: "added".to_owned(),
        content: "x".to_owned(),
        priority: Priority::Info,
        scope: PinScope::Persistent,
        created_at: Default::default(),
        expires_at: None,
        tags: Vec::new(),
        metadata: Default::default(),
        project: None,
    };
    if before.pins.iter().any(|pin| pin.id == added.id)
        || bank.write_pins(&[], Some(&added)).is_err()
    {
        return;
    }
    let after = bank.pins().expect("written files are valid");
    assert_eq!(after.fault, None);
    let expected: Vec<Pin> = before.pins.into_iter().chain([added]).collect();
    assert_eq!(after.pins, expected);
}

/// Symbols and tokens have valid spans, and each symbol has a fingerprint and an excerpt. The
/// first byte selects the language.
pub fn code(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let language = Language::ALL[usize::from(*first) % Language::ALL.len()];
    let text = &*text::decode(rest).0;
    let lines = text::LineIndex::new(text);
    let source = ParsedFile::parse(language, text);
    for token in &source.tokens {
        assert!(is_in(token.span, text), "{token:?}");
    }
    let code = FileFeatures::new(text, &source);
    code.file();
    for (at, symbol) in source.symbols.iter().enumerate() {
        assert!(is_in(symbol.span, text) && is_in(symbol.name_span, text), "{symbol:?}");
        assert!(symbol.parent.is_none_or(|parent| parent < at), "{symbol:?}");
        assert!(symbol.leading_comments.is_none_or(|above| is_in(above, text)), "{symbol:?}");
        code.symbol(at);
    }
    let kinds = SymbolKind::ALL;
    let kind = kinds[usize::from(*first) / Language::ALL.len() % kinds.len()];
    let pieces = highlight(Some(language), kind, text).into_iter();
    assert_eq!(pieces.map(|(_, piece)| piece).collect::<String>(), text, "coloured");
    let code = excerpt::Source { language: Some(language), text };
    for symbol in source.symbols.iter().take(4) {
        let shown = (lines.line(symbol.span.start), lines.line(symbol.span.end));
        let evidence = |line: &str| vec![(line.len() % 7, 1.0)];
        let cut = excerpt::excerpt(code, shown, 5, evidence);
        assert!(cut.text.lines().count() <= 5, "{symbol:?}");
    }
}

/// The HTML of a memory contains allowed elements only and is well-formed.
pub fn page(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let href = |target: &links_of::Target| {
        (target.kind == links_of::Kind::Memory).then(|| "m-a".to_owned())
    };
    elements::check(&html::html(text, 4, &href));
}

/// A secret is found on its line independently of the other lines, in linear time.
pub fn secrets(bytes: &[u8]) {
    // Superlinear search would time out for this length. One input in eight is checked.
    const LONG: usize = 1 << 18;
    let text = &*text::decode(bytes).0;
    let found = find_secret(text);
    assert!(found.is_none_or(|secret| secret.line <= text.matches('\n').count()), "{found:?}");
    let below = found.map(|secret| Secret { line: secret.line + 1, ..secret });
    assert_eq!(find_secret(&format!("\n{text}\n")), below);
    if text.len().is_multiple_of(8)
        && let Some(n_times) = LONG.checked_div(text.len())
    {
        find_secret(&text.repeat(n_times));
    }
}

/// Corrupt packed data does not cause panics, and the token cache does not change the tokens.
pub fn packed(bytes: &[u8]) {
    let dictionary = Dictionary::new(bytes.to_vec());
    for (term, _) in dictionary.with_prefix("") {
        dictionary.id(term);
        assert!(dictionary.with_prefix(term).all(|(found, _)| found.starts_with(term)));
    }
    postings::unpack(bytes, |_, _, _| ());
    let text = String::from_utf8_lossy(bytes);
    let mut raw_words = TokenCache::default();
    for _ in 0..2 {
        let mut expected = Vec::new();
        tokenize::words(&text, |word| {
            let mut parts = Vec::new();
            tokenize::parts(word, |part| parts.push(part.len()));
            expected.push((word.to_owned(), parts));
        });
        let mut expected = expected.into_iter();
        raw_words.each(&text, str::len, |at, parts| {
            assert_eq!(Some((text[at].to_owned(), parts.to_owned())), expected.next());
        });
        assert_eq!(expected.next(), None);
    }
    let Some(document) = Document::unpack(bytes) else { return };
    let rule = ParsedQuery::rule("Close the session", &[]);
    let words: Vec<WordInCode> = (1..).zip(&rule.terms).map(|(id, _)| (1, Some(id))).collect();
    let query = WeightedQuery::new(&rule, &words, &[], 9);
    let file = ScorableFile::new(document, PathClass::Source);
    let is_in_path = |id| id <= 2;
    let mut hits = HitCounter::new(&file);
    let words: Vec<(usize, TermHits)> = (query.ids.iter().enumerate())
        .map(|(slot, id)| {
            hits.count(*id, is_in_path);
            (slot, hits.term_hits())
        })
        .collect();
    let words = words.iter().map(|(slot, word)| (*slot, word));
    for (at, score, _) in query.scores(&file, words, 0.5, &mut Vec::new()) {
        assert!(score.is_finite(), "{:?}", file.document.symbols[at]);
        query.explain(&file, TermSet::all(), is_in_path, at);
    }
}

/// Completions start with the typed prefix, are unique, and contain no control characters. The
/// first line is the prefix, the rest is the content of all files.
pub fn complete(bytes: &[u8], folder: &Path) {
    let at = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (typed, rest) = bytes.split_at(at);
    for file in ["a.py", ".memories/a.md", ".memories/pins.toml", ".memories/anchors.lock"] {
        std::fs::write(folder.join(file), rest).expect("a writable folder");
    }
    let settings = Settings::resolve(&project(folder)).expect("default settings");
    let request =
        Request { typed: String::from_utf8_lossy(typed).into_owned(), memory: None, session: None };
    for wanted in [
        ValueKind::Memory,
        ValueKind::Anchored,
        ValueKind::Pin,
        ValueKind::PinTag,
        ValueKind::ScopeFilter,
        ValueKind::Tag,
        ValueKind::Category,
        ValueKind::Section,
        ValueKind::Target,
    ] {
        let found = completion::complete(&settings.project, wanted, &request);
        assert!(found.is_sorted_by(|a, b| a.value < b.value), "{found:?}");
        for candidate in found {
            assert!(candidate.value.starts_with(&request.typed), "{candidate:?}");
            let line = [candidate.value, candidate.description.unwrap_or_default()].concat();
            assert!(text::escaped(&line) == line && !line.contains(['\n', '\t']), "{line}");
        }
    }
}

/// The server answers any input and does not write outside of `folder`.
pub fn messages(bytes: &[u8], folder: &Path) {
    mcp::run_messages(&project(folder), ToolSet::All, bytes);
}

fn project(folder: &Path) -> GlobalArgs {
    GlobalArgs {
        project: Some(folder.to_owned()),
        json: false,
        color: ColorChoice::Never,
        timings: false,
    }
}

fn is_in(span: Span, text: &str) -> bool {
    text.get(span.start..span.end).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs each seed of a target.
    fn run(target: &str, run: impl Fn(&[u8], &Path)) {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds").join(target);
        let seeds = std::fs::read_dir(seeds).expect("a folder of seeds");
        for seed in seeds {
            let bytes = std::fs::read(seed.expect("a seed").path()).expect("a seed");
            let folder = tempfile::tempdir().expect("a temp folder");
            let inside = folder.path().join("inside");
            std::fs::create_dir_all(inside.join(".memories")).expect("a folder");
            run(&bytes, &inside);
            let n_beside = std::fs::read_dir(folder.path()).expect("a folder").count();
            assert_eq!(n_beside, 1, "{target} wrote outside of its folder");
        }
    }

    #[test]
    fn all_seeds_satisfy_the_properties() {
        run("sections", |bytes, _| sections(bytes));
        run("links", |bytes, _| links(bytes));
        run("frontmatter", |bytes, _| frontmatter(bytes));
        run("rules", |bytes, _| rules(bytes));
        run("lock", |bytes, _| lock(bytes));
        run("config", config);
        run("pins", pins);
        run("code", |bytes, _| code(bytes));
        run("messages", messages);
        run("page", |bytes, _| page(bytes));
        run("secrets", |bytes, _| secrets(bytes));
        run("packed", |bytes, _| packed(bytes));
        run("complete", complete);
    }
}
