//! The lines of a definition that are shown where there is not room for all: its
//! head, its first and last statements whole, and a comment in place of the rest; no
//! deeper indented than they have to be.

use tree_sitter::{Node, Parser};

use crate::model::Language;

use super::language;

/// Lines from the first to the last, counted from 0.
type Lines = (usize, usize);

/// Returns the lines `first..=last` of `text` in at most `max_lines` lines. Of the head of
/// a file, `is_head`, the end is what is left out, else the middle.
pub(crate) fn excerpt(
    language: Option<Language>,
    text: &str,
    (first, last): Lines,
    max_lines: usize,
    is_head: bool,
) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let last = last.min(lines.len().saturating_sub(1));
    if first > last || max_lines == 0 {
        return String::new();
    }
    let kept = if last - first < max_lines {
        vec![(first, last)]
    } else {
        let room = max_lines - 1;
        let by_statement = language
            .and_then(|language| statements(language, text, (first, last), room))
            .map(|units| choose(&units, (first, last), room, is_head))
            .filter(|kept| !kept.is_empty());
        by_statement.unwrap_or_else(|| {
            if room == 0 { vec![(first, first)] } else { vec![(first, first + room - 1)] }
        })
    };
    let mut shown = Vec::new();
    let mut next = first;
    for (start, end) in kept {
        if start > next {
            shown.push(mark(language, &lines[next..start]));
        }
        shown.extend(lines[start..=end].iter().map(|line| (*line).to_owned()));
        next = end + 1;
    }
    if next <= last && shown.len() < max_lines {
        shown.push(mark(language, &lines[next..=last]));
    }
    outdent(&mut shown);
    shown.join("\n")
}

/// Takes from all lines the white space that all of them start with: a method's depth in
/// its class costs tokens and tells nothing.
fn outdent(lines: &mut [String]) {
    let indent = |line: &String| line.len() - line.trim_start().len();
    let filled = || lines.iter().filter(|line| !line.trim().is_empty());
    let Some(least) = filled().min_by_key(|line| indent(line)) else { return };
    let shared = least[..indent(least)].to_owned();
    if filled().all(|line| line.starts_with(&shared)) {
        for line in lines {
            *line = line.strip_prefix(&shared).unwrap_or_default().to_owned();
        }
    }
}

/// Returns the comment that stands for some lines.
fn mark(language: Option<Language>, lines: &[&str]) -> String {
    let line = lines.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
    let indent = &line[..line.len() - line.trim_start().len()];
    let n = lines.len();
    let what = if n == 1 { "1 line".to_owned() } else { format!("{n} lines") };
    match language {
        Some(Language::Python) => format!("{indent}# … {what}"),
        Some(_) => format!("{indent}// … {what}"),
        None => format!("{indent}… {what}"),
    }
}

/// Returns the statements of a definition on the level on which it is best cut: the
/// innermost that leaves half of the room for them.
fn statements(language: Language, text: &str, whole: Lines, room: usize) -> Option<Vec<Lines>> {
    let mut parser = Parser::new();
    parser.set_language(&language::compiled(language).grammar).ok()?;
    let tree = parser.parse(text, None)?;
    let root = tree.root_node();
    let mut node = around(root, whole);
    let mut best = None;
    loop {
        let units = units(node, whole);
        let (Some(&(start, _)), Some(&(_, end))) = (units.first(), units.last()) else { break };
        // What stands around them is always shown.
        if start - whole.0 + whole.1 - end > room / 2 && best.is_some() {
            break;
        }
        best = Some(units);
        let half = (whole.1 - whole.0).div_ceil(2);
        match children(node, whole).into_iter().find(|child| height(*child) > half) {
            Some(child) => node = child,
            None => break,
        }
    }
    best
}

/// Returns the innermost node that covers all the lines.
fn around(root: Node<'_>, whole: Lines) -> Node<'_> {
    let mut node = root;
    while let Some(child) = children(node, (0, usize::MAX))
        .into_iter()
        .find(|child| rows(*child).0 <= whole.0 && rows(*child).1 >= whole.1)
    {
        node = child;
    }
    node
}

/// Returns the named children that lie within the lines.
fn children(node: Node<'_>, whole: Lines) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let inside = |child: &Node<'_>| rows(*child).0 >= whole.0 && rows(*child).1 <= whole.1;
    node.named_children(&mut cursor).filter(inside).collect()
}

fn rows(node: Node<'_>) -> Lines {
    let (start, end) = (node.start_position(), node.end_position());
    // What ends with its newline does not reach into the next line.
    let last = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    (start.row, last)
}

fn height(node: Node<'_>) -> usize {
    rows(node).1 - rows(node).0
}

/// Returns the lines of the children of a node; those that share a line are one.
fn units(node: Node<'_>, whole: Lines) -> Vec<Lines> {
    let mut units: Vec<Lines> = Vec::new();
    for child in children(node, whole) {
        let (start, end) = rows(child);
        match units.last_mut() {
            Some(unit) if unit.1 >= start => unit.1 = unit.1.max(end),
            _ => units.push((start, end)),
        }
    }
    units
}

/// Returns the runs of lines that are kept: what is around the units, and of these the
/// first ones and the last ones for which there is room.
fn choose(units: &[Lines], whole: Lines, room: usize, is_head: bool) -> Vec<Lines> {
    let (Some(&(start, _)), Some(&(_, end))) = (units.first(), units.last()) else {
        return Vec::new();
    };
    let head = start - whole.0;
    let tail = if is_head { 0 } else { whole.1 - end };
    if head + tail > room {
        return Vec::new();
    }
    let mut left = room - head - tail;
    // A long comment or docstring at the start makes way for the code.
    let skips = usize::from(units.len() > 2 && units[0].1 - units[0].0 >= left && left > 1);
    left -= skips;
    let (mut front, mut back) = (skips, units.len());
    let cost_back = |at: usize| match units.get(at + 1) {
        Some(next) => next.0 - units[at].0,
        None => units[at].1 + 1 - units[at].0,
    };
    // How it ends is worth a quarter of the room.
    if !is_head && back > front + 1 && left > 1 && cost_back(back - 1) <= (left / 4).max(1) {
        back -= 1;
        left -= cost_back(back);
    }
    let first_line = |at: usize| if at == skips { units[at].0 } else { units[at - 1].1 + 1 };
    while front < back && units[front].1 + 1 - first_line(front) <= left {
        left -= units[front].1 + 1 - first_line(front);
        front += 1;
    }
    while !is_head && back > front && cost_back(back - 1) <= left {
        back -= 1;
        left -= cost_back(back);
    }
    let mut kept = Vec::new();
    let mut push = |start: usize, end: usize| {
        if start < end {
            kept.push((start, end - 1));
        }
    };
    if skips == 1 {
        push(whole.0, start);
        push(units[skips].0, if front > skips { units[front - 1].1 + 1 } else { 0 });
    } else {
        push(whole.0, if front > 0 { units[front - 1].1 + 1 } else { start });
    }
    if !is_head {
        push(units.get(back).map_or(end + 1, |unit| unit.0), whole.1 + 1);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "\
def handle(request):
    \"\"\"Answers.\"\"\"
    user = find(request)
    if user is None:
        log(request)
        raise Unknown(
            request,
        )
    for item in user.items:
        price(item)

    total = add(user)
    return total
";

    #[track_caller]
    fn check(language: Option<Language>, text: &str, lines: Lines, max: usize, expected: &str) {
        assert_eq!(excerpt(language, text, lines, max, false), expected.trim_end());
    }

    #[test]
    fn what_fits_is_whole() {
        check(Some(Language::Python), LONG, (0, 12), 13, LONG);
        check(None, "a\nb\n", (0, 1), 2, "a\nb");
    }

    #[test]
    fn the_middle_goes_by_whole_statements() {
        check(
            Some(Language::Python),
            LONG,
            (0, 12),
            9,
            "def handle(request):\n    \"\"\"Answers.\"\"\"\n    user = find(request)\n    # … 5 lines\n    for item in user.items:\n        price(item)\n\n    total = add(user)\n    return total\n",
        );
        check(
            Some(Language::Python),
            LONG,
            (0, 12),
            5,
            "def handle(request):\n    \"\"\"Answers.\"\"\"\n    user = find(request)\n    # … 9 lines\n    return total\n",
        );
    }

    #[test]
    fn brackets_around_are_kept() {
        let text = "impl A {\n    fn f(&self) -> u8 {\n        let a = 1;\n        let b = 2;\n        let c = 3;\n        a + b + c\n    }\n}\n";
        check(
            Some(Language::Rust),
            text,
            (1, 6),
            5,
            "fn f(&self) -> u8 {\n    let a = 1;\n    // … 2 lines\n    a + b + c\n}\n",
        );
    }

    #[test]
    fn a_long_docstring_makes_way() {
        let text = format!(
            "def f():\n    \"\"\"One.\n{}    \"\"\"\n    a = 1\n    b = 2\n    return a\n",
            "    More.\n".repeat(9)
        );
        check(
            Some(Language::Python),
            &text,
            (0, 14),
            6,
            "def f():\n    # … 11 lines\n    a = 1\n    b = 2\n    return a\n",
        );
    }

    #[test]
    fn text_and_broken_code_are_cut_by_lines() {
        check(None, "a\nb\nc\nd\n", (0, 3), 3, "a\nb\n… 2 lines");
        check(None, "a\nb\nc\nd\n", (0, 3), 1, "a");
        check(Some(Language::Go), "x := `\na\nb\nc\n", (0, 3), 2, "x := `\n// … 3 lines");
    }

    #[test]
    fn the_head_of_a_file_loses_its_end() {
        let text = "import a\n\n\ndef f():\n    pass\n\n\ndef g():\n    pass\n";
        let head = excerpt(Some(Language::Python), text, (0, 8), 7, true);
        assert_eq!(head, "import a\n\n\ndef f():\n    pass\n# … 4 lines");
    }

    proptest::proptest! {
        #[test]
        fn no_more_lines_than_allowed(
            n_statements in 0..30usize, height in 1..6usize, max in 1..40usize, is_head: bool,
        ) {
            let statement = format!("    call(\n{}    )\n", "        1,\n".repeat(height));
            let text = format!("def f():\n{}    return 1\n", statement.repeat(n_statements));
            let last = text.lines().count() - 1;
            for language in [Some(Language::Python), None] {
                let shown = excerpt(language, &text, (0, last), max, is_head);
                proptest::prop_assert!(shown.lines().count() <= max, "{}", shown);
                proptest::prop_assert!(shown.starts_with("def f():"));
            }
        }
    }
}
