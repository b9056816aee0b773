//! The targets of makefiles.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::Facts;
use crate::kinds::task::Runner;

/// Maximum number of variables in the targets of a rule that are replaced by their values.
const MAX_EXPANSIONS: usize = 20;

/// Maximum length of the values that replace variables in all targets of a makefile.
const MAX_EXPANDED: usize = 1024 * 1024;

/// Reads the targets of a makefile.
pub(super) fn read(_: &str, text: &str, facts: &mut Facts) {
    let text = text.replace("\\\n", " ");
    let rules = || {
        text.lines()
            .filter(|line| !line.starts_with(['\t', '#', ' ']))
    };
    // All values that a variable may have, with patterns or marks in the place of calls.
    let mut variables: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in rules().filter_map(|line| line.split_once('=')) {
        let name = name.trim_end_matches([':', '?', '+', '!']).trim();
        let value = value.split('#').next().unwrap_or_default();
        let known = variables.entry(name).or_default();
        known.push(' ');
        known.push_str(value);
    }
    for (name, value) in &mut variables {
        *value = affixed(name, value.trim()).unwrap_or_else(|| without_calls(name, value));
    }
    let mut n_left = MAX_EXPANDED;
    for line in rules() {
        let Some((targets, rest)) = line.split_once(':') else {
            continue;
        };
        // `.PHONY` may still name a target that was removed.
        let is_assigned = rest.starts_with('=') || rest.starts_with(":=") || targets.contains('=');
        if is_assigned || targets.trim() == ".PHONY" {
            continue;
        }
        for target in expanded(targets, &variables, &mut n_left).split_whitespace() {
            // A path is the name of a file, not of a task. A mark has a colon, which no target has.
            let is_path = target.contains('/');
            if !target.contains('$') && target != "%" {
                facts.task(Runner::Make, target);
                add_pattern(target, &mut facts.patterns);
            } else if target == "%" || (target.starts_with('$') || target.contains(':')) && !is_path
            {
                facts.compute(Runner::Make, target);
            }
        }
    }
}

/// Returns the pattern of the names that the value of a variable computes: `image-%` of
/// `$(addprefix image-, $(ALL))`. A value with more than the call has none.
fn affixed(name: &str, value: &str) -> Option<String> {
    let (function, rest) = value
        .strip_prefix("$(")?
        .strip_suffix(')')?
        .split_once(' ')?;
    let affix = rest.split_once(',')?.0.trim();
    if affix.contains('$') || without_calls(name, value) != format!("$({name}:{function})") {
        return None;
    }
    match function {
        "addprefix" => Some(format!("{affix}%")),
        "addsuffix" => Some(format!("%{affix}")),
        _ => None,
    }
}

/// Rules whose targets have a `%`, by the text before it: the text after it. `build/%` makes `build/shop`.
pub(super) type Patterns = FxHashMap<String, BTreeSet<String>>;

/// Adds a target if it has a `%`.
fn add_pattern(target: &str, patterns: &mut Patterns) {
    if let Some((start, end)) = target.split_once('%') {
        let ends = patterns.entry(start.to_owned()).or_default();
        ends.insert(end.to_owned());
    }
}

/// Returns whether one of the rules makes a target. The time depends on the length of the target, not on the number of
/// rules.
pub(super) fn is_made(target: &str, patterns: &Patterns) -> bool {
    for (at, _) in target.char_indices() {
        let Some(ends) = patterns.get(&target[..at]) else {
            continue;
        };
        let rest = &target[at..];
        for (stem_end, c) in rest.char_indices() {
            // The stem has at least one character.
            if ends.contains(&rest[stem_end + c.len_utf8()..]) {
                return true;
            }
        }
    }
    false
}

/// Returns the targets of a rule of a makefile with the values of the variables that are known.
fn expanded(targets: &str, variables: &BTreeMap<&str, String>, n_left: &mut usize) -> String {
    let mut text = targets.to_owned();
    for _ in 0..MAX_EXPANSIONS {
        let known = text.match_indices("$(").find_map(|(start, _)| {
            let end = start + 2 + text[start + 2..].find([')', '$'])?;
            Some((start..end + 1, variables.get(&text[start + 2..end])?))
        });
        let Some((range, value)) = known else { break };
        let Some(rest) = n_left.checked_sub(value.len()) else {
            break;
        };
        *n_left = rest;
        text.replace_range(range, value.trim());
    }
    text
}

/// Returns the value of a variable with marks in the place of calls: `$(TOOL:shell)/bin` of `$(shell git root)/bin`.
/// No variable has such a name. Variables, as `$(BIN)`, are unchanged.
fn without_calls(name: &str, value: &str) -> String {
    let (mut found, mut rest) = (String::new(), value);
    while let Some(start) = rest.find("$(") {
        let mut depth = 0;
        let closes = |c: char| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            c == ')' && depth == 0
        };
        let end = rest[start..]
            .find(closes)
            .map_or(rest.len(), |at| start + at + 1);
        found.push_str(&rest[..start]);
        match rest[start + 2..end].split_once(' ') {
            Some((function, _)) => found.extend(["$(", name, ":", function, ")"]),
            None => found.push_str(&rest[start..end]),
        }
        rest = &rest[end..];
    }
    found + rest
}

#[cfg(test)]
mod tests {
    use crate::manifests::read;

    #[test]
    fn targets_of_a_makefile_that_are_variables_are_their_values() {
        let check = |text: &str, tasks: &[&str], is_dynamic: bool| {
            let facts = read("Makefile", text);
            let found: Vec<&str> = facts.tasks.iter().map(|(_, name)| name.as_str()).collect();
            assert_eq!(found, tasks, "{text}");
            assert_eq!(!facts.dynamic.is_empty(), is_dynamic, "{text}");
        };
        assert!(!read("conf/tools.mak", "lint:\n").tasks.is_empty());
        check(
            "TOOL ?= $(BIN)/tool\n$(TOOL): go.mod\nlint: $(TOOL)\n",
            &["lint"],
            false,
        );
        check(
            "ALL := a b\nALL += c\n$(ALL):\n\techo $@\n",
            &["a", "b", "c"],
            false,
        );
        check("$(ALL):\n", &[], true);
        check(
            "A = $(addprefix image-, $(ALL))\n$(A):\n",
            &["image-%"],
            false,
        );
        check("A = $(addprefix x-, $(B)) y\n$(A):\n", &["y"], true);
        check("A = $(addprefix x-, $(B)) $(C)\n$(A):\n", &[], true);
        check("A = $(B) $(C)\nB = b\nC = c\n$(A):\n", &["b", "c"], false);
        check("A = $(addsuffix $(B), $(ALL))\n$(A):\n", &[], true);
        check("ALL = a \\\n  b\n$(ALL):\n", &["a", "b"], false);
        check(
            "A = a/$(B)\nB = b\n$(A)-%:\n$(B)-c:\n",
            &["a/b-%", "b-c"],
            false,
        );
        check("A = $(A)\n$(A):\n", &[], true);
        check(
            "A = $(B)/bin\nB := $(shell pwd -P)\n$(A):\nlint: $(A)\n",
            &["lint"],
            false,
        );
        check("A = $(shell pwd -P)/bin\n$(A):\n", &[], false);
        check("A = $(B)\nB := $(shell pwd -P)\n$(A):\n", &[], true);
        check("A = lint $(shell ls cmd)\n$(A):\n", &["lint"], true);
        check("A = x test-$(shell ls d)\n$(A):\n", &["x"], true);
        check("dir = lint\nA = x $(dir $(B))\n$(A):\n", &["x"], true);
        check("%:\n", &[], true);
        check("%.o: %.c\n$(OUT)/x: y\n", &["%.o"], false);
        check(".PHONY: old lint\nlint: x\n", &["lint"], false);
        // Each value is read a hundred times in the first one, and never in the second one.
        let long = |n| format!("A = {}\n{}a:\n", "a ".repeat(5_000), "$(A):\n".repeat(n));
        check(&long(100), &["a"], false);
        check(&long(100_000), &["a"], true);
        let long = format!(
            "A = $(x y) {}\n{}",
            "$(b)".repeat(100_000),
            "$(A):\n".repeat(50_000)
        );
        check(&long, &[], true);
        let long = format!("A =\n{}{}:\n", "$(".repeat(150_000), "$(A)".repeat(20));
        check(&long, &[], true);
    }

    #[test]
    fn a_pattern_makes_the_targets_that_it_matches() {
        for (target, rule, expected) in [
            ("build/shop", "build/%", true),
            ("é-shop", "é-%", true),
            ("build/", "build/%", false),
            ("shop.o", "%.o", true),
            ("build-shop-all", "build-%-all", true),
            ("build-all", "build-%-all", false),
            ("lint", "lint", false),
        ] {
            let patterns = read("Makefile", &format!("{rule}: x\nother-%: y\n")).patterns;
            let is_made = super::is_made(target, &patterns);
            assert_eq!(is_made, expected, "{target} {rule}");
        }
    }

    #[test]
    fn each_variable_whose_value_is_a_call_is_a_rule() {
        let rules = |text: &str| read("Makefile", text).dynamic;
        let one = "A = $(shell a b)\nB = c d\n$(A) $(B):\n";
        assert_ne!(rules(one), rules(&one.replace("c d", "$(shell c d)")));
        assert_eq!(rules(one), rules(&one.replace("a b", "a c")));
        let two = "A = x $(shell a b)\n$(A):\n";
        assert_ne!(
            rules(two),
            rules(&format!("{two}B = y $(shell c d)\n$(B):\n"))
        );
    }
}
