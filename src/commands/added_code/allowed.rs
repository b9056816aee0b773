//! Comments that allow code which breaks a rule: `cerberus: allow ID REASON`.
//!
//! Only a comment of the language counts, and only if it begins with that: a string or a sentence about allowing does
//! not allow.

use cerberus_engine::syntax::parse::TokenKind;
use cerberus_engine::syntax::{ParsedFile, language};
use cerberus_model::{Language, LineIndex};

const MARK: &str = "cerberus: allow ";

/// The comments of a file that allow something.
#[derive(Debug, Default)]
pub(super) struct Allowances {
    found: Vec<Allowance>,
}

#[derive(Debug)]
struct Allowance {
    id: String,
    /// Of the comment, from 0.
    first_line: usize,
    last_line: usize,
}

impl Allowances {
    /// Returns those in the text of a file.
    pub(super) fn new(path: &str, text: &str) -> Self {
        let mut allowances = Self::default();
        let Some(language) = language::from_path(path).filter(|_| text.contains(MARK)) else {
            return allowances;
        };
        let index = LineIndex::new(text);
        for token in ParsedFile::parse(language, text).tokens {
            if token.kind != TokenKind::Comment {
                continue;
            }
            let comment = token.span.slice(text).trim_end();
            if let Some(id) = allowed_id(comment) {
                allowances.found.push(Allowance {
                    id: id.to_owned(),
                    first_line: index.line(token.span.start),
                    last_line: index.line(token.span.start + comment.len()),
                });
            }
        }
        allowances
    }

    /// Returns whether a comment on a line, from 0, or on the line above it allows the rule.
    pub(super) fn allow(&self, line: usize, id: &str) -> bool {
        let mut of_rule = self.found.iter().filter(|allowance| allowance.id == id);
        of_rule.any(|allowance| (allowance.first_line..=allowance.last_line + 1).contains(&line))
    }
}

/// Returns the id that a comment allows, if it has a reason.
fn allowed_id(comment: &str) -> Option<&str> {
    let text = comment.trim_start_matches(|c: char| c.is_whitespace() || "#/*!<-".contains(c));
    let (id, reason) = text
        .strip_prefix(MARK)?
        .trim_start()
        .split_once(char::is_whitespace)?;
    let reason = reason.trim_matches(|c: char| c.is_whitespace() || "*/}->".contains(c));
    (!reason.is_empty()).then_some(id)
}

/// Returns the comment that allows a rule in a file.
pub(super) fn comment(path: &str, id: &str) -> String {
    let start = match language::from_path(path) {
        Some(Language::Python | Language::Ruby | Language::Shell) => "#",
        _ => "//",
    };
    format!("{start} {MARK}{id} REASON")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares whether a line of a file, from 0, may break the rule `no-print`.
    #[track_caller]
    fn check(path: &str, text: &str, line: usize, expected: bool) {
        let is_allowed = Allowances::new(path, text).allow(line, "no-print");
        assert_eq!(is_allowed, expected, "{path}: {text}");
    }

    #[test]
    fn a_comment_with_a_reason_allows_its_rule() {
        check(
            "a.py",
            "# cerberus: allow no-print the output\nprint()",
            1,
            true,
        );
        check(
            "a.py",
            "print()  # cerberus: allow no-print the output",
            0,
            true,
        );
        check(
            "a.tsx",
            "<a>{/* cerberus: allow no-print the output */}\n{f()}</a>",
            1,
            true,
        );
        check(
            "a.ts",
            "/**\n * cerberus: allow no-print\n * the output\n */\nf()",
            4,
            true,
        );
        check(
            "a.go",
            "package a\nfunc f() {\n\t//cerberus: allow no-print it\n\tg()\n}",
            3,
            true,
        );
        check(
            "a.rs",
            "fn f() { g() } // cerberus: allow no-print it",
            0,
            true,
        );
        check(
            "a.java",
            "class A { /* cerberus: allow no-print it */ int a; }",
            0,
            true,
        );
        check(
            "a.vue",
            "<script>\n// cerberus: allow no-print it\nf()\n</script>",
            2,
            true,
        );
        check("a.py", "# cerberus: allow no-print\nprint()", 1, false);
        check("a.ts", "/* cerberus: allow no-print */\nprint()", 1, false);
        check(
            "a.py",
            "# cerberus: allow no-print-2 the output\nprint()",
            1,
            false,
        );
        check(
            "a.py",
            "# cerberus: allow no-print the output\n\nprint()",
            2,
            false,
        );
        assert_eq!(comment("a.py", "x"), "# cerberus: allow x REASON");
        assert_eq!(comment("a.go", "x"), "// cerberus: allow x REASON");
    }

    #[test]
    fn what_is_no_comment_or_only_mentions_it_allows_nothing() {
        let text = "cerberus: allow no-print it";
        for (path, code) in [
            ("a.py", format!("print(\"{text}\")")),
            ("a.py", format!("a = \"# {text}\"; print(1)")),
            ("a.py", format!("print(1)  # do not write {text}")),
            ("a.py", format!("\"\"\"{text}\"\"\"; print(1)")),
            ("a.py", format!("a = '''\n# {text}\n'''; print(1)")),
            ("a.ts", format!("f(`// {text}`)")),
            ("a.tsx", format!("const a = <p>// {text} {{f()}}</p>")),
            ("a.go", format!("package a\nvar a = `// {text}`")),
            ("a.rs", format!("fn f() {{ g(\"// {text}\") }}")),
            ("a.rs", format!("const A: &str = r#\"// {text}\"#;")),
            ("a.java", format!("class A {{ String a = \"// {text}\"; }}")),
            (
                "a.java",
                format!("class A {{ String a = \"\"\"\n// {text}\n\"\"\"; }}"),
            ),
            ("a.rb", format!("puts <<~A\n# {text}\nA")),
            ("a.sh", format!("cat <<A\n# {text}\nA")),
            ("a.php", format!("<?php echo \"// {text}\";")),
            ("a.cs", format!("class A {{ string a = @\"// {text}\"; }}")),
            ("a.kt", format!("val a = \"\"\"// {text}\"\"\"")),
            ("a.swift", format!("let a = \"// {text}\"")),
            ("a.c", format!("char *a = \"/* {text} */\";")),
            ("a.txt", format!("# {text}")),
        ] {
            for line in 0..4 {
                check(path, &code, line, false);
            }
        }
    }
}
