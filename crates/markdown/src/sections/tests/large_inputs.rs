//! Large inputs: a quadratic pass would make these tests time out.

use super::*;

const N: usize = 10_000;

fn parsed(text: &str) -> (usize, usize) {
    let sections = parse(text);
    if let Some(first) = sections.list.first() {
        let _ = content(text, first, &sections, false);
    }
    (sections.list.len(), sections.diagnostics.len())
}

fn tags(pattern: &str) -> String {
    (0..N)
        .map(|n| pattern.replace('N', &n.to_string()))
        .collect()
}

fn opening() -> String {
    tags("<!-- anchor:s/N -->\n")
}

#[test]
fn many_tags() {
    assert_eq!(
        parsed(&tags("<!-- anchor:s/N -->\ntext\n<!-- /anchor:s/N -->\n")),
        (N, 0)
    );
    assert_eq!(parsed(&opening()), (0, N));
    assert_eq!(parsed(&tags("<!-- /anchor:s/N -->")), (0, N));
    assert_eq!(parsed(&tags("<!-- anchor:s -->")), (0, N));
    assert_eq!(
        parsed(&tags("<!-- anchor:s -->x<!-- /anchor:s -->")),
        (N, N - 1)
    );
    assert_eq!(parsed(&tags("<!-- anchor: -->")), (0, N));
    let closing: Vec<String> = (0..N)
        .map(|n| format!("<!-- /anchor:s/{n} -->\n"))
        .collect();
    let forward = closing.concat();
    let backward: String = closing.into_iter().rev().collect();
    assert_eq!(parsed(&(opening() + &backward)), (N, 0));
    assert_eq!(parsed(&(opening() + &forward)), (1, N - 1));
    let same = "<!-- anchor:s -->\n".repeat(N) + &"<!-- /anchor:s -->\n".repeat(N);
    assert_eq!(parsed(&same), (N, N - 1));
}

#[test]
fn many_comments_before_lone_carriage_returns() {
    // Each comment was read inside the one before it, which overflowed the stack.
    assert_eq!(parsed(&"<!-- anchor:s -->`\r".repeat(N)), (0, N));
}

#[test]
fn many_markers() {
    let wide = 1 << 18;
    let tag = |inside: &str| format!("<!-- anchor:a -->{inside}<!-- /anchor:a -->");
    let units = [
        "<!--",
        " ",
        "\t",
        "\n",
        "`",
        "> ",
        "- ",
        "` `` ",
        "\\",
        "-->",
        "*",
        "_",
        "<a",
        "](",
        "[",
        "[a](",
        "![",
        " [a]: b\n",
        "]",
        "- + ",
        "1. ",
        "\r> ",
    ];
    for unit in units.into_iter().chain(["<!-- anchor:"]) {
        parsed(&unit.repeat(wide / unit.len()));
        parsed(&tag(&unit.repeat(wide / unit.len())));
        parsed(&format!("# {}", unit.repeat(wide / unit.len())));
    }
    let ticks: String = (1..1_400).map(|len| "`".repeat(len) + " ").collect();
    assert_eq!(parsed(&tag(&ticks)), (1, 0));
    assert_eq!(parsed(&(" ".repeat(wide) + "\n" + &tag("x"))), (1, 0));
}

#[test]
fn many_blocks() {
    assert_eq!(parsed(&tags("# Title\n")), (N, 0));
    assert_eq!(parsed(&tags("# N\n")), (N, 0));
    parsed(&("- ".repeat(1 << 18) + &"\n".repeat(1 << 18)));
    parsed(&("> ".repeat(1 << 18) + "x\n" + &"y\n".repeat(1 << 18)));
    for marker in ["> ", ">", "- > ", "- + ", "1. 1) ", "> - + "] {
        for line in ["y\n", "  y\n", "> y\n", "\n", "<!--\n", "\r"] {
            parsed(&(marker.repeat(1 << 14) + "x\n" + &line.repeat(1 << 15)));
        }
    }
    parsed(&"```\n".repeat((1 << 18) + 1));
    parsed(&"<!--\n".repeat(1 << 18));
}

#[test]
fn many_tags_on_one_line_and_blank_lines_between() {
    let inside = "<!-- anchor:b -->x<!-- /anchor:b -->".repeat(N);
    assert_eq!(
        parsed(&format!("<!-- anchor:a -->{inside}<!-- /anchor:a -->")).0,
        N + 1
    );
    let inside = format!("\n{}\n", " ".repeat(1 << 20)) + &"<!-- anchor:b -->\n".repeat(N);
    assert_eq!(
        parsed(&format!("<!-- anchor:a -->{inside}<!-- /anchor:a -->")).0,
        1
    );
}
