//! Comparisons of many similar symbols.

use super::*;

/// Returns functions that differ by their names and numbers only.
fn functions(n: usize, sign: char) -> String {
    let mut code = String::new();
    for number in 0..n {
        code += &format!(
            "def fn_{number}(a, b):\n    c = a + {number}\n    for x in b:\n        c {sign}= x * {number}\n    return c\n\n"
        );
    }
    code
}

#[test]
fn a_symbol_is_compared_with_the_likest_of_many_anchors() {
    let n = 3 * MAX_RELATED;
    let parse = |path: &str, code: &str| FileSymbols::parse(path, code.as_bytes(), ALL);
    let old = parse("src/b.py", &functions(n, '+'));
    let anchors: Vec<Anchor> = (0..n).map(|idx| old.anchor(idx)).collect();
    let missing: Vec<MissingAnchor<'_>> = anchors.iter().map(MissingAnchor::new).collect();
    let files = [parse("src/c.py", &functions(n, '-'))];
    let pairs = pairs(Candidates {
        missing: &missing,
        files: &files,
        claimed: &FxHashSet::default(),
    });
    assert!(pairs.len() <= n * MAX_RELATED, "{}", pairs.len());
    for missing_idx in 0..n {
        let own = pairs
            .iter()
            .find(|pair| pair.missing_idx == missing_idx && pair.symbol_idx == missing_idx);
        assert!(own.is_some(), "fn_{missing_idx}");
    }
}
