//! The URL of the remote `origin`.

use std::io::Read;
use std::path::Path;

use cerberus_model::regular_file;

use super::process::{Git, shared_file};

/// Size limit of a file of settings that is read without git.
const MAX_BYTES: u64 = 64 * 1024;

/// Characters of a value that git does not take literally.
const SPECIAL: &[char] = &['"', '\\', '#', ';'];

/// Returns the URL of the remote `origin`.
pub fn origin(root: &Path) -> Option<String> {
    if let Some(url) = settings(root).as_deref().and_then(plain_url) {
        return Some(url.to_owned());
    }
    let text = Git::with_settings(root, &["config", "--get", "remote.origin.url"]).text()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns the settings of the repository.
fn settings(root: &Path) -> Option<String> {
    let file = regular_file::open(&shared_file(root, "config")?).ok()?;
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Returns the URL in settings of the usual form, which need no git to read: there is one, and no other
/// file of the repository can replace it.
fn plain_url(settings: &str) -> Option<&str> {
    let mut section = "";
    let mut found = None;
    for line in settings.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
            let name = line.to_ascii_lowercase();
            if name.starts_with("[include") || !line.ends_with(']') {
                return None;
            }
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let (key, value) = (key.trim(), value.trim());
        if key.eq_ignore_ascii_case("worktreeConfig") || line.ends_with('\\') {
            return None;
        }
        if section == "[remote \"origin\"]" && key.eq_ignore_ascii_case("url") {
            if found.is_some() || value.is_empty() || value.contains(SPECIAL) {
                return None;
            }
            found = Some(value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_settings_are_read_without_git() {
        let check = |settings: &str, expected: Option<&str>| {
            assert_eq!(plain_url(settings), expected, "{settings}");
        };
        let usual =
            "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@host:a/b.git\n\tfetch = +x\n";
        check(usual, Some("git@host:a/b.git"));
        check("[remote \"fork\"]\n\turl = x\n", None);
        check(&format!("{usual}[include]\n\tpath = other\n"), None);
        check(&format!("{usual}[remote \"origin\"]\n\turl = x\n"), None);
        check("[remote \"origin\"]\n\turl = \"a b\" # note\n", None);
        check("[remote \"origin\"] url = x\n", None);
        check("[extensions]\nworktreeConfig = true\n", None);
    }
}
