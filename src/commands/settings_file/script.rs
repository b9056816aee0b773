//! Lines of cerberus in a shell script.

use cerberus_bank::ops::managed_block;

use super::Edited;

/// Returns a script with the managed block, at the start because a script may exit anywhere.
pub(super) fn merge(old: &[u8], lines: &str) -> Result<Edited, String> {
    if old.is_empty() {
        let script = [b"#!/bin/sh\n".as_slice(), &with_block(b"", lines)?].concat();
        return Ok(Edited::new(script));
    }
    let first = old
        .split_inclusive(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let is_shell = first.starts_with(b"#!") && first.trim_ascii_end().ends_with(b"sh");
    if !is_shell {
        return Err("it is not a shell script with a `#!` line".to_owned());
    }
    let Some(block) = block_of_script(old)? else {
        let script = [&with_block(first, lines)?, &old[first.len()..]].concat();
        return Ok(Edited::new(script));
    };
    let mut script = Edited::new(old.to_vec());
    if block != lines {
        script.edited.push(block);
    }
    Ok(script)
}

fn with_block(script: &[u8], lines: &str) -> Result<Vec<u8>, String> {
    let updated = managed_block::SCRIPT.update(script, lines);
    updated.map_err(|error| error.message)
}

fn block_of_script(script: &[u8]) -> Result<Option<String>, String> {
    let block = managed_block::SCRIPT
        .text(script)
        .map_err(|error| error.message)?;
    Ok(block.map(|block| String::from_utf8_lossy(block).replace("\r\n", "\n")))
}

/// Returns a script without the managed block, or nothing if only the first line remains.
pub(super) fn remove(old: &[u8], lines: &str) -> Result<Edited, String> {
    let block = block_of_script(old)?;
    if block.as_deref() != Some(lines) {
        return Ok(Edited {
            edited: Vec::from_iter(block),
            ..Edited::new(old.to_vec())
        });
    }
    let mut rest = managed_block::SCRIPT
        .without_block(old)
        .map_err(|error| error.message)?;
    // The empty line between the first line and the block, which a merge puts there.
    let mut lines = old.split_inclusive(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default().len();
    for newline in ["\r\n", "\n"] {
        let gap = format!("{newline}{}", managed_block::SCRIPT.start);
        if old[first..].starts_with(gap.as_bytes()) {
            rest.drain(first..first + newline.len());
            return Ok(Edited::new(rest));
        }
    }
    if rest == b"#!/bin/sh\n" {
        rest.clear();
    }
    Ok(Edited::new(rest))
}
