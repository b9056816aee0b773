//! Syntax trees of texts. The last trees of long texts are stored.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cerberus_model::Language;
use tree_sitter::{Parser, Tree};
use xxhash_rust::xxh3::xxh3_128;

use super::{limits, scripts};
use crate::syntax::language::LanguageTables;

thread_local! {
    /// Reused from file to file, because a parser retains its allocations.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Length of a text whose tree is stored until those of the next two: a command parses the old and the new
/// version of a file several times.
const LONG_BYTES: usize = 128 * 1024;

/// The tree of a text, by its hash.
type Known = ((Language, u128), Option<Tree>);

/// The last trees of long texts.
static LAST_TREES: Mutex<[Option<Known>; 2]> = Mutex::new([None, None]);

/// Returns the syntax tree of a text, or `None` if parsing takes too much time or memory.
pub fn tree(tables: &LanguageTables, text: &str) -> Option<Tree> {
    if text.len() < LONG_BYTES {
        return new_tree(tables, text);
    }
    let key = (tables.language, xxh3_128(text.as_bytes()));
    for (known_key, tree) in last_trees().iter().flatten() {
        if *known_key == key {
            return tree.clone();
        }
    }
    let tree = new_tree(tables, text);
    let mut last = last_trees();
    last.rotate_right(1);
    last[0] = Some((key, tree.clone()));
    tree
}

fn last_trees() -> MutexGuard<'static, [Option<Known>; 2]> {
    LAST_TREES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn new_tree(tables: &LanguageTables, text: &str) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&tables.grammar).ok()?;
        if tables.language.is_component()
            && let Some(scripts) = scripts::only_scripts(text)
        {
            return limits::parse(parser, &scripts);
        }
        limits::parse(parser, text)
    })
}
