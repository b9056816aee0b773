//! A door for `tests/fuzz`: what holds for any bytes, one function a reader.
//!
//! Part of no release: it is there for the fuzzer and for the unit tests, which run every
//! seed of `tests/fuzz/seeds` through it. A function panics where its law is broken.
#![expect(clippy::disallowed_methods, reason = "what is read from a file is put into one")]

use std::path::Path;

use crate::bank::{Bank, lockfile};
use crate::cli::{ColorChoice, GlobalArgs, ToolSet};
use crate::config::Settings;
use crate::markdown::edit::{self, EditMode};
use crate::markdown::frontmatter::{self, FieldValue};
use crate::markdown::secrets::{Secret, find_secret};
use crate::markdown::{html, links as links_of, rules as rules_of, sections as sections_of};
use crate::model::{Language, Pin, PinScope, Priority, SymbolKind};
use crate::ops::complete::{self as completion, Request, Wanted};
use crate::rank::dictionary::Dictionary;
use crate::rank::document::Document;
use crate::rank::place::Place;
use crate::rank::raw_words::RawWords;
use crate::rank::rule::Rule;
use crate::rank::score::{Hits, Query, Scorable, Slots, WordHits};
use crate::rank::{tokenize, vector};
use crate::syntax::fingerprint::Code;
use crate::syntax::highlight::highlight;
use crate::syntax::{Source, excerpt};
use crate::text::Span;
use crate::tree::walk;
use crate::{mcp, text};

mod elements;

/// Sections lie in the text, inner ones in outer ones; fixing twice is fixing once; an
/// edit of a section that is not refused can be done twice.
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
    // Each section is read anew for each edit: a few are enough.
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

/// Links lie in the text, and a target that is written is read again.
pub fn links(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    for link in links_of::parse(text) {
        assert!(is_in(link.span, text) && is_in(link.name_span, text), "{link:?}");
        assert_eq!(link.name_span.slice(text), link.target.name);
        assert!(!link.context.contains('\n'));
        let shown = link.target.to_string();
        let read = links_of::Target::parse(&shown).expect("a target is one again");
        assert_eq!(read.to_string(), shown);
    }
    links_of::parse_target(text);
}

/// Setting a key twice is setting it once, keeps the text below, and reads as it was set.
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
        assert!(edited.ends_with(below), "{key}: the text below is another one");
    }
    for way in [EditMode::Append, EditMode::Replace] {
        let Ok(edited) = edit::body(text, "new text", way) else { continue };
        assert_eq!(edit::body(&edited, "new text", way).as_ref(), Ok(&edited), "twice");
    }
}

/// Rules that are taken out of a document lie in it, and are read as language.
pub fn rules(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let n_lines = text.split('\n').count();
    for found in rules_of::parse(text) {
        assert!(found.line < n_lines, "{found:?}");
        assert!(found.text.is_char_boundary(found.prefix_len), "{found:?}");
        rules_of::mentions(&found.text);
        Rule::read(&found.text, &found.headings);
    }
    Rule::read(text, &[]);
}

/// A lock file that can be read is written so that it reads the same, and then stays.
pub fn lock(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let Ok(anchors) = lockfile::parse(text) else { return };
    let written = lockfile::render(&anchors);
    let read = lockfile::parse(&written).expect("what was written can be read");
    assert_eq!(lockfile::render(&read), written);
}

/// A configuration is refused or taken, and the walk with its globs ends.
pub fn config(bytes: &[u8], folder: &Path) {
    std::fs::write(folder.join("cerberus.toml"), bytes).expect("a folder that can be written");
    if let Ok(settings) = Settings::resolve(&project(folder)) {
        // A glob that is none is refused.
        let _ = walk::walk(folder, &settings.project.exclude);
    }
}

/// A file of pins that can be read keeps them all when one is added.
pub fn pins(bytes: &[u8], folder: &Path) {
    let bank = Bank::new(folder.to_owned());
    std::fs::write(bank.pin_file(), bytes).expect("a folder that can be written");
    let Ok(before) = bank.pins() else { return };
    let added = Pin {
        id: "the one that is added".to_owned(),
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
    let after = bank.pins().expect("what was written can be read");
    assert_eq!(after.fault, None);
    let expected: Vec<Pin> = before.pins.into_iter().chain([added]).collect();
    assert_eq!(after.pins, expected);
}

/// Symbols and leaves of source code lie in it, and each symbol has a fingerprint and an
/// excerpt. The first byte chooses the language.
pub fn code(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let language = Language::ALL[usize::from(*first) % Language::ALL.len()];
    let text = &*text::decode(rest).0;
    let lines = text::LineIndex::new(text);
    let source = Source::parse(language, text);
    for leaf in &source.leaves {
        assert!(is_in(leaf.span, text), "{leaf:?}");
    }
    let code = Code::new(text, &source);
    code.file();
    for (at, symbol) in source.symbols.iter().enumerate() {
        assert!(is_in(symbol.span, text) && is_in(symbol.name_span, text), "{symbol:?}");
        assert!(symbol.parent.is_none_or(|parent| parent < at), "{symbol:?}");
        assert!(symbol.above.is_none_or(|above| is_in(above, text)), "{symbol:?}");
        code.symbol(at);
    }
    let kinds = SymbolKind::ALL;
    let kind = kinds[usize::from(*first) / Language::ALL.len() % kinds.len()];
    let pieces = highlight(Some(language), kind, text).into_iter();
    assert_eq!(pieces.map(|(_, piece)| piece).collect::<String>(), text, "coloured");
    for symbol in source.symbols.iter().take(4) {
        let shown = (lines.line(symbol.span.start), lines.line(symbol.span.end));
        let cut = excerpt::excerpt(Some(language), text, shown, 5, false);
        assert!(cut.lines().count() <= 5, "{symbol:?}");
    }
}

/// A memory's text on a page is of plain elements that lie in each other.
pub fn page(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let href = |target: &links_of::Target| {
        (target.kind == links_of::Kind::Memory).then(|| "m-a".to_owned())
    };
    elements::check(&html::html(text, 4, &href));
}

/// A secret is found on its line whatever the lines around it, however long the text.
pub fn secrets(bytes: &[u8]) {
    // What is not linear in so much does not end in time; one text in eight is enough.
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

/// What the store keeps is read without harm whatever became of it, and words are taken
/// apart the same with or without memory.
pub fn packed(bytes: &[u8]) {
    let dictionary = Dictionary::new(bytes.to_vec());
    for (term, _) in dictionary.with_prefix("") {
        dictionary.id(term);
        assert!(dictionary.with_prefix(term).all(|(found, _)| found.starts_with(term)));
    }
    vector::unpack(bytes, |_, _, _| ());
    let text = String::from_utf8_lossy(bytes);
    let mut raw_words = RawWords::default();
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
    let rule = Rule::read("Close the session", &[]);
    let ids: Vec<[(u32, f64); 1]> = (1..).zip(&rule.terms).map(|(id, _)| [(id, 1.0)]).collect();
    let ids: Vec<&[(u32, f64)]> = ids.iter().map(|ids| &ids[..]).collect();
    let query = Query::new(&rule, &vec![1; ids.len()], 9, &ids);
    let file = Scorable::new(document, Place::Source);
    let is_in_path = |id| id <= 2;
    let mut hits = Hits::new(&file);
    let words: Vec<(usize, WordHits)> = (query.ids.iter().enumerate())
        .map(|(slot, ids)| {
            hits.count(ids, is_in_path);
            (slot, hits.of_word())
        })
        .collect();
    let words = words.iter().map(|(slot, word)| (*slot, word));
    for (at, score) in query.scores(&file, words, 0.5, &mut Vec::new()) {
        assert!(score.is_finite(), "{:?}", file.document.symbols[at]);
        query.explain(&file, Slots::all(), is_in_path, at);
    }
}

/// What a shell is offered goes on from what was typed, each once, and is safe to show.
/// The first line is typed, the rest stands in every file.
pub fn complete(bytes: &[u8], folder: &Path) {
    let at = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (typed, rest) = bytes.split_at(at);
    for file in ["a.py", ".memories/a.md", ".memories/pins.toml", ".memories/anchors.lock"] {
        std::fs::write(folder.join(file), rest).expect("a folder that can be written");
    }
    let settings = Settings::resolve(&project(folder)).expect("settings without a file");
    let request =
        Request { typed: String::from_utf8_lossy(typed).into_owned(), memory: None, session: None };
    for wanted in [
        Wanted::Memory,
        Wanted::Anchored,
        Wanted::Pin,
        Wanted::PinTag,
        Wanted::ScopeFilter,
        Wanted::Tag,
        Wanted::Category,
        Wanted::Section,
        Wanted::Target,
    ] {
        let found = completion::complete(&settings.project, wanted, &request);
        assert!(found.is_sorted_by(|a, b| a.value < b.value), "{found:?}");
        for candidate in found {
            assert!(candidate.value.starts_with(&request.typed), "{candidate:?}");
            let line = [candidate.value, candidate.about.unwrap_or_default()].concat();
            assert!(text::escaped(&line) == line && !line.contains(['\n', '\t']), "{line}");
        }
    }
}

/// The server answers whatever a client says, and writes nothing outside of `folder`.
pub fn messages(bytes: &[u8], folder: &Path) {
    mcp::answer_all(&project(folder), ToolSet::All, bytes);
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
    fn every_seed_keeps_its_laws() {
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
