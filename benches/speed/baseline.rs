//! The minimum cost of a part of the work: walking, reading and splitting or parsing the same
//! files on as many threads, without using the result.
//!
//! The benchmark starts itself with `--baseline NAME FOLDER`, so a baseline is a whole process
//! with the same build options too.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ignore::{WalkBuilder, WalkState};
use rayon::prelude::*;
use tree_sitter::{Language, Parser};

/// Runs a baseline on the files below a folder and returns their number and total size.
pub(crate) fn run(name: &str, folder: &Path) -> (usize, usize) {
    let each: fn(&Path, &[u8]) = match name {
        "nothing" => |_, _| (),
        "words" => split,
        "parse" => parse,
        _ => panic!("unknown baseline `{name}`"),
    };
    let files = walk(folder);
    let n_bytes = files.par_iter().map(|path| {
        let bytes = std::fs::read(path).unwrap_or_default();
        each(path, &bytes);
        bytes.len()
    });
    let n_bytes = n_bytes.sum();
    (files.len(), n_bytes)
}

/// Lists the files that have a grammar, using all threads.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let files = Mutex::new(Vec::new());
    WalkBuilder::new(folder)
        .threads(rayon::current_num_threads())
        .build_parallel()
        .run(|| {
            Box::new(|entry| {
                if let Ok(entry) = entry
                    && language(entry.path()).is_some()
                    && entry.metadata().is_ok_and(|it| it.is_file())
                {
                    files.lock().expect("no panic").push(entry.into_path());
                }
                WalkState::Continue
            })
        });
    files.into_inner().expect("no panic")
}

fn language(path: &Path) -> Option<Language> {
    let language = match path.extension()?.to_str()? {
        "py" | "pyi" => tree_sitter_python::LANGUAGE,
        "go" => tree_sitter_go::LANGUAGE,
        "js" | "mjs" | "cjs" | "jsx" => tree_sitter_javascript::LANGUAGE,
        "ts" | "mts" | "cts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX,
        "rs" => tree_sitter_rust::LANGUAGE,
        "java" => tree_sitter_java::LANGUAGE,
        _ => return None,
    };
    Some(language.into())
}

/// Splits a text into lower-case words.
fn split(_: &Path, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for word in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        black_box(word.to_lowercase());
    }
}

/// Parses a file.
fn parse(path: &Path, bytes: &[u8]) {
    let mut parser = Parser::new();
    if let Some(language) = language(path)
        && parser.set_language(&language).is_ok()
    {
        black_box(parser.parse(bytes, None));
    }
}
