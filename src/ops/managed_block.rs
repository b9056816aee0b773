//! A block of text between marks in a file that is somebody else's.
//!
//! Everything outside the marks stays as it is, byte for byte.

use crate::error::UserError;

/// What a block begins and ends with, each a line of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Marks {
    pub(crate) start: &'static str,
    pub(crate) end: &'static str,
}

/// In markdown.
pub(crate) const MARKDOWN: Marks = Marks {
    start: "<!-- cerberus:start (written by `cerberus memory inject --into`; changes between the marks are lost) -->",
    end: "<!-- cerberus:end -->",
};

/// In scripts.
pub(crate) const SCRIPT: Marks = Marks {
    start: "# cerberus:start (written by `cerberus hooks print git --write`)",
    end: "# cerberus:end",
};

impl Marks {
    /// Returns `old` with `text` in its block; without a block one is added at the end,
    /// but for an empty text. Lines end as those of the file do.
    pub(crate) fn put(self, old: &[u8], text: &str) -> Result<Vec<u8>, UserError> {
        let newline = if old.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
        let block = format!("{}\n{text}{}\n", self.start, self.end).replace('\n', newline);
        if let Some((start, end)) = self.find(old)? {
            let ends_file = end == old.len() && !old.ends_with(b"\n");
            let block = if ends_file { block.trim_end() } else { &block };
            return Ok([&old[..start], block.as_bytes(), &old[end..]].concat());
        }
        if text.is_empty() {
            return Ok(old.to_vec());
        }
        let gap = match old {
            [] => String::new(),
            old if old.ends_with(b"\n\n") || old.ends_with(b"\n\r\n") => String::new(),
            old if old.ends_with(b"\n") => newline.to_owned(),
            _ => newline.repeat(2),
        };
        Ok([old, gap.as_bytes(), block.as_bytes()].concat())
    }

    /// Returns what the block leaves of a file.
    pub(crate) fn around(self, old: &[u8]) -> Result<Vec<u8>, UserError> {
        match self.find(old)? {
            Some((start, end)) => Ok([&old[..start], &old[end..]].concat()),
            None => Ok(old.to_vec()),
        }
    }

    /// Returns the bytes of the block with its marks; fails where they are no pair.
    fn find(self, old: &[u8]) -> Result<Option<(usize, usize)>, UserError> {
        // What follows the name of a mark is for people, and may have been another.
        let name =
            |mark: &'static str| mark.split(" (").next().unwrap_or(mark).trim_end_matches(" -->");
        let (start_name, end_name) = (name(self.start), name(self.end));
        let mut found = Vec::new();
        let mut at = 0;
        for (n, line) in old.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let text = line.trim_ascii();
            if text.starts_with(start_name.as_bytes()) {
                found.push((true, n + 1, at));
            } else if text.starts_with(end_name.as_bytes()) {
                found.push((false, n + 1, at + line.len()));
            }
            at += line.len();
        }
        match found[..] {
            [] => Ok(None),
            [(true, _, start), (false, _, end)] => Ok(Some((start, end))),
            [(_, line, _), ..] => Err(UserError::usage(format!(
                "the marks of cerberus are no pair, the first is in line {line}"
            ))
            .hint(format!("leave one `{start_name} …` and one `{end_name} …` below it, or none"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: Marks = Marks { start: "<<", end: ">>" };

    #[track_caller]
    fn check(old: &str, text: &str, expected: &str) {
        let new = MARKS.put(old.as_bytes(), text).map_err(|failure| failure.message);
        let new = new.map(|bytes| String::from_utf8(bytes).expect("text"));
        assert_eq!(new.as_deref(), Ok(expected));
        let again = MARKS.put(expected.as_bytes(), text).expect("marks that were written");
        assert_eq!(String::from_utf8(again).as_deref(), Ok(expected), "twice is once");
    }

    #[test]
    fn only_the_block_changes() {
        check("", "x\n", "<<\nx\n>>\n");
        check("a", "x\n", "a\n\n<<\nx\n>>\n");
        check("a\n", "x\n", "a\n\n<<\nx\n>>\n");
        check("a\n\n", "x\n", "a\n\n<<\nx\n>>\n");
        check("a\n<< old name\ny\nz\n>>\n b \t\n\n", "x\n", "a\n<<\nx\n>>\n b \t\n\n");
        check("a\r\n<<\r\n>>\r\nb", "x\ny\n", "a\r\n<<\r\nx\r\ny\r\n>>\r\nb");
        check("a\n<<\ny\n>>", "x\n", "a\n<<\nx\n>>");
        check("a\n<<\ny\n>>\nb", "", "a\n<<\n>>\nb");
        check("a", "", "a");
    }

    #[test]
    fn what_is_no_text_stays() {
        let new = MARKS.put(b"\xFF\xFEa\n<<\n>>\n\x80", "x\n").expect("a pair");
        assert_eq!(new, b"\xFF\xFEa\n<<\nx\n>>\n\x80");
    }

    #[test]
    fn marks_that_are_no_pair_are_told() {
        for old in ["<<\n", ">>\n", ">>\n<<\n", "<<\n<<\n>>\n", "<<\n>>\n>>\n", "<<\n>>\n<<\n>>\n"]
        {
            let failure = MARKS.put(old.as_bytes(), "x\n").expect_err("refused");
            assert!(failure.message.contains("line 1"), "{}", failure.message);
        }
    }
}
