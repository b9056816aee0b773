//! A block of text between two marker lines in a file that cerberus does not own.
//!
//! The bytes outside the block never change.

use cerberus_model::{UserError, refuse};

/// The first and last line of a block.
#[derive(Debug, Clone, Copy)]
pub struct BlockMarkers<'a> {
    pub start: &'a str,
    pub end: &'a str,
}

/// The markers in a markdown file.
pub const MARKDOWN: BlockMarkers<'static> = BlockMarkers {
    start: "<!-- cerberus:start (written by `cerberus memory inject --into`; changes between the marks are lost) -->",
    end: "<!-- cerberus:end -->",
};

/// The markers in a shell script.
pub const SCRIPT: BlockMarkers<'static> = BlockMarkers {
    start: "# cerberus:start (written by `cerberus setup git`)",
    end: "# cerberus:end",
};

/// The markers in settings with comments that start with `#`.
pub const SETTINGS: BlockMarkers<'static> = BlockMarkers {
    start: "# cerberus:start (written by `cerberus setup`)",
    end: "# cerberus:end",
};

impl BlockMarkers<'_> {
    /// Returns `old` with the block replaced by `text`. Without a block, a non-empty `text` is
    /// appended as a new one. Line endings follow the file.
    pub fn update(self, old: &[u8], text: &str) -> Result<Vec<u8>, UserError> {
        let newline = if old.windows(2).any(|pair| pair == b"\r\n") {
            "\r\n"
        } else {
            "\n"
        };
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

    /// Returns the lines between the markers, if there is a block.
    pub fn text(self, old: &[u8]) -> Result<Option<&[u8]>, UserError> {
        let Some((start, end)) = self.find(old)? else {
            return Ok(None);
        };
        let block = old[start..end].trim_ascii_end();
        let mut bytes = block.iter();
        let Some(first) = bytes.position(|byte| *byte == b'\n') else {
            return Ok(Some(&[]));
        };
        let last = block.iter().rposition(|byte| *byte == b'\n');
        Ok(Some(&block[first + 1..=last.unwrap_or(first)]))
    }

    /// Returns the file without the block.
    pub fn without_block(self, old: &[u8]) -> Result<Vec<u8>, UserError> {
        let (start, end) = self.find(old)?.unwrap_or_default();
        Ok([&old[..start], &old[end..]].concat())
    }

    /// Returns the byte range of the block with its markers; fails if the markers do not pair up.
    fn find(self, old: &[u8]) -> Result<Option<(usize, usize)>, UserError> {
        let start_name = name(self.start);
        let end_name = name(self.end);
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
            [(_, line, _), ..] => refuse(
                format!(
                    "the markers of the cerberus block do not pair up; the first is in line {line}"
                ),
                format!(
                    "keep one `{start_name} …` with one `{end_name} …` below it, or remove all markers"
                ),
            ),
        }
    }
}

/// Returns a marker without the note in parentheses, which may differ between versions.
fn name(marker: &str) -> &str {
    let name = marker.split(" (").next().unwrap_or(marker);
    name.trim_end_matches(" -->")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKERS: BlockMarkers<'static> = BlockMarkers {
        start: "<<",
        end: ">>",
    };

    #[track_caller]
    fn check(old: &str, text: &str, expected: &str) {
        let new = MARKERS
            .update(old.as_bytes(), text)
            .map_err(|error| error.message);
        let new = new.map(|bytes| String::from_utf8(bytes).expect("text"));
        assert_eq!(new.as_deref(), Ok(expected));
        let again = MARKERS
            .update(expected.as_bytes(), text)
            .expect("markers that were written");
        assert_eq!(
            String::from_utf8(again).as_deref(),
            Ok(expected),
            "idempotent"
        );
    }

    #[test]
    fn only_the_block_changes() {
        check("", "x\n", "<<\nx\n>>\n");
        check("a", "x\n", "a\n\n<<\nx\n>>\n");
        check("a\n", "x\n", "a\n\n<<\nx\n>>\n");
        check("a\n\n", "x\n", "a\n\n<<\nx\n>>\n");
        check(
            "a\n<< old name\ny\nz\n>>\n b \t\n\n",
            "x\n",
            "a\n<<\nx\n>>\n b \t\n\n",
        );
        check(
            "a\r\n<<\r\n>>\r\nb",
            "x\ny\n",
            "a\r\n<<\r\nx\r\ny\r\n>>\r\nb",
        );
        check("a\n<<\ny\n>>", "x\n", "a\n<<\nx\n>>");
        check("a\n<<\ny\n>>\nb", "", "a\n<<\n>>\nb");
        check("a", "", "a");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_unchanged() {
        let new = MARKERS
            .update(b"\xFF\xFEa\n<<\n>>\n\x80", "x\n")
            .expect("a pair");
        assert_eq!(new, b"\xFF\xFEa\n<<\nx\n>>\n\x80");
    }

    #[test]
    fn unpaired_markers_are_an_error() {
        for old in [
            "<<\n",
            ">>\n",
            ">>\n<<\n",
            "<<\n<<\n>>\n",
            "<<\n>>\n>>\n",
            "<<\n>>\n<<\n>>\n",
        ] {
            let error = MARKERS.update(old.as_bytes(), "x\n").expect_err("refused");
            assert!(error.message.contains("line 1"), "{}", error.message);
        }
    }
}
