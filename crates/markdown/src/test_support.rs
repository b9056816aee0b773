//! Helpers of the tests of several submodules.

use proptest::prelude::*;

use super::Diagnostic;

/// Prints diagnostics with their 1-based positions, each hint on a line of its own.
pub(super) fn print_diagnostics(diagnostics: &[Diagnostic]) -> String {
    let mut printed = String::new();
    for Diagnostic {
        code,
        line,
        column,
        message,
        hint,
    } in diagnostics
    {
        printed += &format!("! {}:{} {code}: {message}\n", line + 1, column + 1);
        printed.extend(hint.iter().map(|hint| format!("    {hint}\n")));
    }
    printed
}

/// Generates markdown with tags, headings, code and containers, most of it malformed.
pub(super) fn any_markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        12 => proptest::sample::select(vec![
            "<!-- ANCHOR:a -->", "<!-- /ANCHOR:a -->", "<!-- ANCHOR:b -->", "<!-- /ANCHOR:b -->", "<!-- /ANCHOR:B -->",
            "\n<!-- ANCHOR:a -->\n", "\n<!-- /ANCHOR:a -->\n", "<!-- ANCHOR:c d -->", "ANCHOR:a", "<!--", "-->",
            "\n", "\n", "\n\n", "\r\n", "```", "~~~", "`", "``", "    ", "\t", "  ", "> ", "- ", "1. ", "# A", "# A\n",
            "## b", "\n## b\n", "---\n", "===", "\n===\n", "text", "words\n", "id: x\n", "é", "\u{FEFF}", "\\", "<",
            "[a](b)", "*", "日本",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,5}",
        1 => any::<String>(),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}
