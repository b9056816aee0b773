//! Shortens a definition to a number of lines for display.
//!
//! The excerpt has the signature, the first and last statements, and a comment with the number
//! of omitted lines. The common indentation is removed.

use tree_sitter::Node;

use crate::model::Language;

use super::{language, parse};

/// The first and last line of a range, both inclusive and 0-based.
type Lines = (usize, usize);

/// Returns the lines `first..=last` of `text`, shortened to `max_lines`: if `is_file_head`, the
/// end is omitted, else the middle.
pub(crate) fn excerpt(
    language: Option<Language>,
    text: &str,
    (first, last): Lines,
    max_lines: usize,
    is_file_head: bool,
) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let last = last.min(lines.len().saturating_sub(1));
    if first > last || max_lines == 0 {
        return String::new();
    }
    let ranges = if last - first < max_lines {
        vec![(first, last)]
    } else {
        let budget = max_lines - 1;
        language
            .and_then(|language| statements(language, text, (first, last), budget))
            .map(|groups| select(&groups, (first, last), budget, is_file_head))
            .filter(|ranges| !ranges.is_empty())
            .unwrap_or_else(|| vec![(first, first + budget.saturating_sub(1))])
    };
    render(language, &lines, (first, last), &ranges, max_lines)
}

/// Returns the first of the lines `first..=last` of `text` and the consecutive ones of the highest
/// weight, with comments in place of the others: at most `max_lines` together.
pub(crate) fn best_lines(
    language: Option<Language>,
    text: &str,
    (first, last): Lines,
    max_lines: usize,
    weight: impl Fn(&str) -> f64,
) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let last = last.min(lines.len().saturating_sub(1));
    if first > last || max_lines == 0 {
        return String::new();
    }
    if last - first < max_lines {
        return render(language, &lines, (first, last), &[(first, last)], max_lines);
    }
    // The first line and up to two omissions need the rest. Of equal weights the first is the best.
    let mut best = (-1.0, vec![(first, first)]);
    for n_lines in (max_lines.saturating_sub(3)..max_lines).rev().filter(|n| *n > 0) {
        for start in first + 1..=last + 1 - n_lines {
            let window = (start, start + n_lines - 1);
            let ranges = joined((first, first), window);
            if n_rendered(&ranges, last) > max_lines {
                continue;
            }
            let weight = weight(&lines[window.0..=window.1].join("\n"));
            if weight > best.0 {
                best = (weight, ranges);
            }
        }
    }
    render(language, &lines, (first, last), &best.1, max_lines)
}

/// Returns two ranges, or one if at most one line is between them: a comment in place of a single
/// line saves nothing.
fn joined(first: Lines, second: Lines) -> Vec<Lines> {
    if second.0 <= first.1 + 2 {
        vec![(first.0, first.1.max(second.1))]
    } else {
        vec![first, second]
    }
}

/// Returns the number of lines that ranges have with their omissions.
fn n_rendered(ranges: &[Lines], last: usize) -> usize {
    let n_shown: usize = ranges.iter().map(|(start, end)| end + 1 - start).sum();
    let omits_end = ranges.last().is_some_and(|range| range.1 < last);
    n_shown + ranges.len() - 1 + usize::from(omits_end)
}

/// Returns the ranges of the lines, without their common indentation, and comments in place of the
/// others.
fn render(
    language: Option<Language>,
    lines: &[&str],
    (first, last): Lines,
    ranges: &[Lines],
    max_lines: usize,
) -> String {
    let mut shown = Vec::new();
    let mut next = first;
    for &(start, end) in ranges {
        if start > next {
            shown.push(omission(language, &lines[next..start]));
        }
        shown.extend(lines[start..=end].iter().map(|line| (*line).to_owned()));
        next = end + 1;
    }
    if next <= last && shown.len() < max_lines {
        shown.push(omission(language, &lines[next..=last]));
    }
    dedent(&mut shown);
    shown.join("\n")
}

/// Removes the common indentation, which costs LLM tokens without being information.
fn dedent(lines: &mut [String]) {
    let filled = || lines.iter().filter(|line| !line.trim().is_empty());
    let Some(least) = filled().map(|line| indentation(line)).min_by_key(|it| it.len()) else {
        return;
    };
    if filled().all(|line| line.starts_with(least)) {
        let common = least.to_owned();
        for line in lines {
            *line = line.strip_prefix(&common).unwrap_or_default().to_owned();
        }
    }
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// Returns the comment that replaces omitted lines.
fn omission(language: Option<Language>, lines: &[&str]) -> String {
    let line = lines.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
    let indentation = indentation(line);
    let comment = language
        .map_or(String::new(), |language| format!("{} ", language::tables(language).line_comment));
    let plural = if lines.len() == 1 { "" } else { "s" };
    format!("{indentation}{comment}… {} line{plural}", lines.len())
}

/// Returns the lines of the statements in the innermost node whose surroundings need at most
/// half of the budget.
fn statements(
    language: Language,
    text: &str,
    definition: Lines,
    budget: usize,
) -> Option<Vec<Lines>> {
    let tree = parse::tree(language::tables(language), text)?;
    let mut node = enclosing(tree.root_node(), definition);
    let mut best = None;
    loop {
        let groups = line_groups(node, definition);
        let (Some(&(start, _)), Some(&(_, end))) = (groups.first(), groups.last()) else { break };
        let n_around = start - definition.0 + definition.1 - end;
        if n_around > budget / 2 && best.is_some() {
            break;
        }
        best = Some(groups);
        let half = (definition.1 - definition.0).div_ceil(2);
        match children(node, definition).into_iter().find(|child| height(*child) > half) {
            Some(child) => node = child,
            None => break,
        }
    }
    best
}

/// Returns the innermost node that covers all the lines.
fn enclosing(root: Node<'_>, lines: Lines) -> Node<'_> {
    let mut node = root;
    while let Some(child) = children(node, (0, usize::MAX))
        .into_iter()
        .find(|child| rows(*child).0 <= lines.0 && rows(*child).1 >= lines.1)
    {
        node = child;
    }
    node
}

/// Returns the named children inside the lines.
fn children(node: Node<'_>, lines: Lines) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let is_inside = |child: &Node<'_>| rows(*child).0 >= lines.0 && rows(*child).1 <= lines.1;
    node.named_children(&mut cursor).filter(is_inside).collect()
}

fn rows(node: Node<'_>) -> Lines {
    let (start, end) = (node.start_position(), node.end_position());
    // A node that ends with its newline ends on the line before.
    let last = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    (start.row, last)
}

fn height(node: Node<'_>) -> usize {
    rows(node).1 - rows(node).0
}

/// Returns the lines of the children of a node; children on the same line are one group.
fn line_groups(node: Node<'_>, lines: Lines) -> Vec<Lines> {
    let mut groups: Vec<Lines> = Vec::new();
    for child in children(node, lines) {
        let (start, end) = rows(child);
        match groups.last_mut() {
            Some(group) if group.1 >= start => group.1 = group.1.max(end),
            _ => groups.push((start, end)),
        }
    }
    groups
}

/// Returns the ranges of lines to show: the lines around the groups, and as many of the first
/// and last groups as the budget allows. Returns no range if the lines around exceed it.
fn select(groups: &[Lines], whole: Lines, budget: usize, is_file_head: bool) -> Vec<Lines> {
    let (Some(&(start, _)), Some(&(_, end))) = (groups.first(), groups.last()) else {
        return Vec::new();
    };
    let n_before = start - whole.0;
    let n_after = if is_file_head { 0 } else { whole.1 - end };
    let Some(mut budget) = budget.checked_sub(n_before + n_after) else { return Vec::new() };
    // A long comment or docstring at the start is omitted in favour of code.
    let n_skipped =
        usize::from(groups.len() > 2 && groups[0].1 - groups[0].0 >= budget && budget > 1);
    budget -= n_skipped;
    let (mut front, mut back) = (n_skipped, groups.len());
    // Costs include the blank lines between a group and the next one that is shown.
    let cost_back = |group_idx: usize| match groups.get(group_idx + 1) {
        Some(next) => next.0 - groups[group_idx].0,
        None => groups[group_idx].1 + 1 - groups[group_idx].0,
    };
    let cost_front = |group_idx: usize| {
        let is_first = group_idx == n_skipped;
        let first_line = if is_first { groups[group_idx].0 } else { groups[group_idx - 1].1 + 1 };
        groups[group_idx].1 + 1 - first_line
    };
    // The last statement may use a quarter of the budget.
    let last_budget = if budget > 1 { (budget / 4).max(1) } else { 0 };
    if !is_file_head && back > front + 1 && cost_back(back - 1) <= last_budget {
        back -= 1;
        budget -= cost_back(back);
    }
    while front < back && cost_front(front) <= budget {
        budget -= cost_front(front);
        front += 1;
    }
    while !is_file_head && back > front && cost_back(back - 1) <= budget {
        back -= 1;
        budget -= cost_back(back);
    }
    let front_end = if front > n_skipped { groups[front - 1].1 + 1 } else { 0 };
    let mut ranges = if n_skipped == 1 {
        vec![(whole.0, start), (groups[1].0, front_end)]
    } else {
        vec![(whole.0, front_end.max(start))]
    };
    if !is_file_head {
        ranges.push((groups.get(back).map_or(end + 1, |group| group.0), whole.1 + 1));
    }
    ranges.retain(|(start, end)| start < end);
    ranges.into_iter().map(|(start, end)| (start, end - 1)).collect()
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
    fn check(
        language: Option<Language>,
        text: &str,
        lines: Lines,
        max_lines: usize,
        expected: &str,
    ) {
        assert_eq!(excerpt(language, text, lines, max_lines, false), expected.trim_end());
    }

    #[test]
    fn short_code_is_not_changed() {
        check(Some(Language::Python), LONG, (0, 12), 13, LONG);
        check(None, "a\nb\n", (0, 1), 2, "a\nb");
    }

    #[test]
    fn whole_statements_are_omitted_from_the_middle() {
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
    fn the_brackets_around_the_statements_are_shown() {
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
    fn a_long_docstring_is_omitted() {
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
    fn text_and_code_with_errors_are_cut_by_lines() {
        check(None, "a\nb\nc\nd\n", (0, 3), 3, "a\nb\n… 2 lines");
        check(None, "a\nb\nc\nd\n", (0, 3), 1, "a");
        check(Some(Language::Go), "x := `\na\nb\nc\n", (0, 3), 2, "x := `\n// … 3 lines");
    }

    #[test]
    fn the_end_of_a_file_head_is_omitted() {
        let text = "import a\n\n\ndef f():\n    pass\n\n\ndef g():\n    pass\n";
        let head = excerpt(Some(Language::Python), text, (0, 8), 7, true);
        assert_eq!(head, "import a\n\n\ndef f():\n    pass\n# … 4 lines");
    }

    #[test]
    fn the_signature_and_the_best_lines_are_shown() {
        let best = |wanted: &str, max_lines| {
            let weight = |line: &str| f64::from(u8::from(line.contains(wanted)));
            best_lines(Some(Language::Python), LONG, (0, 12), max_lines, weight)
        };
        assert_eq!(
            best("price", 5),
            "def handle(request):\n    # … 7 lines\n    for item in user.items:\n        price(item)\n    # … 3 lines"
        );
        assert_eq!(
            best("nothing", 3),
            "def handle(request):\n    \"\"\"Answers.\"\"\"\n    # … 11 lines"
        );
        assert_eq!(
            best("return", 4),
            "def handle(request):\n    # … 10 lines\n    total = add(user)\n    return total"
        );
        assert_eq!(best("return", 13), LONG.trim_end());
    }

    proptest::proptest! {
        #[test]
        fn an_excerpt_has_at_most_the_maximum_number_of_lines(
            n_statements in 0..30usize, height in 1..6usize, max_lines in 1..40usize, is_file_head: bool,
        ) {
            let statement = format!("    call(\n{}    )\n", "        1,\n".repeat(height));
            let text = format!("def f():\n{}    return 1\n", statement.repeat(n_statements));
            let last = text.lines().count() - 1;
            for language in [Some(Language::Python), None] {
                let shown = excerpt(language, &text, (0, last), max_lines, is_file_head);
                proptest::prop_assert!(shown.lines().count() <= max_lines, "{}", shown);
                proptest::prop_assert!(shown.starts_with("def f():"));
                let weight = |line: &str| line.len() as f64;
                let best = best_lines(language, &text, (0, last), max_lines, weight);
                proptest::prop_assert!(best.lines().count() <= max_lines, "{}", best);
                proptest::prop_assert!(best.starts_with("def f():"));
            }
        }
    }
}
