//! Finds the lines of a file that import names, without a parser.

use cerberus_model::word_lists;

use super::named_code::identifiers;

word_lists! { "../words/imports.txt": STARTS KEYWORDS }

/// Lines of a file that are searched. Imports are at its beginning, after a licence at most.
const MAX_LINES: usize = 300;

/// Returns the lines that import names: statements, the last line of one that ends with its source
/// (`} from "x"`), and the entries of a block, which are quoted paths.
pub(crate) fn import_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take(MAX_LINES).map(str::trim).filter(|line| {
        STARTS.entries().iter().any(|start| line.starts_with(start))
            || line.starts_with("} from ")
            || line.contains("= require(")
            || (line.ends_with('"') && is_entry(line))
    })
}

/// Returns the names by which code uses what a line imports: those beside a quoted path, those behind the last `import`
/// or in braces, and the last part of the path.
pub(crate) fn imported_names(line: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut path = line;
    if let Some(start) = line.find(['"', '\'']) {
        path = line[start..].trim_end_matches(|c: char| !c.is_alphanumeric());
        names.extend(identifiers(&line[..start]));
    } else if let Some((_, imported)) = line.split_once(" import ") {
        return identifiers(imported).filter(is_name).collect();
    } else if let Some((_, imported)) = line.split_once('{') {
        return identifiers(imported).filter(is_name).collect();
    }
    names.extend(identifiers(path).last());
    names.retain(is_name);
    names
}

/// Returns whether a word of an import is not one of its keywords.
fn is_name(word: &&str) -> bool {
    !KEYWORDS.contains(word)
}

/// Returns whether a line is a quoted path, perhaps after a name: `http "net/http"`.
fn is_entry(line: &str) -> bool {
    let path = match line.split_once(' ') {
        Some((_, path)) => path,
        None => line,
    };
    if path.len() <= 2 || !path.starts_with('"') {
        return false;
    }
    let mut bytes = path[1..path.len() - 1].bytes();
    bytes.all(|byte| byte.is_ascii_graphic() && byte != b'"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imported_names_are_those_that_code_uses() {
        let check =
            |line: &str, expected: &[&str]| assert_eq!(imported_names(line), expected, "{line}");
        check("from depot.crates import Crate, pack", &["Crate", "pack"]);
        check(
            "import { Crate } from \"depot/crates\";",
            &["Crate", "crates"],
        );
        check("\"example.com/depot/crates\"", &["crates"]);
        check("box \"example.com/depot/crates\"", &["box", "crates"]);
        check("use depot::crates::{Crate, pack};", &["Crate", "pack"]);
        check("import com.depot.Crate;", &["Crate"]);
        check("const pack = require('pack')", &["pack", "pack"]);
    }

    #[test]
    fn imports_are_found_in_each_language() {
        let text = "// not this\nimport (\n\t\"fmt\"\n\thttp \"net/http\"\n)\nfrom a import b\n\
            use std::io;\n  x = \"a b\"\nimport {\n  Thing,\n} from \"./thing\"\n\
            const fs = require('fs')\n#include <stdio.h>\ncall(\"x\")\n\"é\"\n";
        let found: Vec<&str> = import_lines(text).collect();
        let expected = [
            "import (",
            "\"fmt\"",
            "http \"net/http\"",
            "from a import b",
            "use std::io;",
            "import {",
            "} from \"./thing\"",
            "const fs = require('fs')",
            "#include <stdio.h>",
        ];
        assert_eq!(found, expected);
    }
}
