//! Lines of cerberus at the end of YAML settings.

use cerberus_bank::ops::managed_block::SETTINGS;
use cerberus_markdown::frontmatter::yaml_keys;

use super::Edited;

/// Returns `old` with the lines at its end. Refuses a file that has the key of one of them.
///
/// A file without a newline at its end gets a block without one, by which a removal knows it.
pub(super) fn merge(old: &[u8], lines: &str) -> Result<Edited, String> {
    let text = std::str::from_utf8(old).map_err(|_| "it is not valid UTF-8".to_owned())?;
    if let Some(block) = block(old)? {
        let mut file = Edited::new(old.to_vec());
        if block != lines {
            file.edited.push(block);
        }
        return Ok(file);
    }
    let own = yaml_keys(lines)?;
    let mut all = yaml_keys(text)?;
    if let Some(key) = own.intersection(&all).next() {
        let lines = lines.trim_end();
        return Err(format!("it has `{key}` already: add `{lines}` to it"));
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = format!("{}\n{lines}{}", SETTINGS.start, SETTINGS.end).replace('\n', newline);
    let new = if text.is_empty() || text.ends_with('\n') {
        format!("{text}{block}{newline}")
    } else {
        format!("{text}{newline}{block}")
    };
    all.extend(own);
    if yaml_keys(&new).ok() != Some(all) {
        return Err("its form has no place for lines at its end".to_owned());
    }
    Ok(Edited::new(new.into_bytes()))
}

/// Returns `old` without the lines.
pub(super) fn remove(old: &[u8], lines: &str) -> Result<Edited, String> {
    match block(old)? {
        Some(block) if block == lines => {
            let mut rest = SETTINGS.without_block(old).map_err(|error| error.message)?;
            if !old.ends_with(b"\n") {
                let n_newline = if rest.ends_with(b"\r\n") { 2 } else { 1 };
                rest.truncate(rest.len().saturating_sub(n_newline));
            }
            Ok(Edited::new(rest))
        }
        block => Ok(Edited {
            edited: Vec::from_iter(block),
            ..Edited::new(old.to_vec())
        }),
    }
}

fn block(text: &[u8]) -> Result<Option<String>, String> {
    let block = SETTINGS.text(text).map_err(|error| error.message)?;
    Ok(block.map(|block| String::from_utf8_lossy(block).replace("\r\n", "\n")))
}
