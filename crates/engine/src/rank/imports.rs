//! Finds the lines of a file that import names, without a parser.

use cerberus_model::word_lists;

word_lists! { "../words/imports.txt": STARTS }

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
