//! The names that a file imports from the modules that a rule names.
//!
//! "Use pluggy for hooks" is shown by code with a name of that module. Only the line that imports the name has the word
//! of the rule.

use cerberus_model::Span;

use super::reader::WordAt;
use crate::rank::imports::{import_lines, imported_names};
use crate::rank::named_code::occurrences;

/// The names of one line of imports, and the words of rules in the rest of the line.
pub(super) struct Import<'t> {
    names: Vec<&'t str>,
    term_ids: Vec<u32>,
}

/// Returns the imports of a file whose modules have words of rules. `words` finds these words in a part of the text.
pub(super) fn imports(text: &str, words: impl Fn(Span) -> Vec<WordAt>) -> Vec<Import<'_>> {
    let mut imports = Vec::new();
    for line in import_lines(text) {
        let start = offset(text, line);
        let found = words(Span::new(start, start + line.len()));
        if found.is_empty() {
            continue;
        }
        let names = imported_names(line);
        let mut term_ids = Vec::new();
        for word in found {
            // Code with the name has its words already.
            let is_of_name = names.iter().any(|name| {
                let name_start = offset(text, name);
                (name_start..name_start + name.len()).contains(&word.start)
            });
            if !is_of_name {
                term_ids.push(word.term_id);
            }
        }
        if !term_ids.is_empty() {
            imports.push(Import { names, term_ids });
        }
    }
    imports
}

/// Returns the offset of a part of a text.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// Returns the words of the modules from which code uses names.
pub(super) fn modules_used(imports: &[Import<'_>], code: &str) -> Vec<u32> {
    let mut term_ids = Vec::new();
    for import in imports {
        let is_used = import
            .names
            .iter()
            .any(|name| occurrences(code, name).next().is_some());
        if is_used {
            term_ids.extend(&import.term_ids);
        }
    }
    term_ids
}
