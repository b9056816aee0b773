//! Where `inject --split-by-folder` writes the rules that apply to some files only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use xxhash_rust::xxh3::xxh3_64;

use super::into::Part;
use cerberus_bank::MemoryFile;
use cerberus_model::error::UserError;
use cerberus_model::text::{from_root, literal_folder};

/// Names of files whose rules hold for their folder, in any folder.
const FOLDER_FILES: &[&str] = &["AGENTS.md", "CLAUDE.md", "GEMINI.md", "WARP.md"];

/// Maximum length of the part of a file name that says its globs.
const MAX_SLUG: usize = 60;

/// Maximum number of globs that the braces of one are expanded to.
const MAX_EXPANDED: usize = 64;

/// A client with files of rules that say their globs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    /// <https://cursor.com/docs/context/rules>: `globs`, a list with commas, without quotes.
    Cursor,
    /// <https://docs.github.com/en/copilot/how-tos/configure-custom-instructions-in-your-ide/add-repository-instructions-in-your-ide>:
    /// `applyTo`, a string with commas.
    Copilot,
    /// <https://code.claude.com/docs/en/memory#path-specific-rules>: `paths`, a list.
    Claude,
}

impl Host {
    /// The folder of the files and what their names end with.
    fn files(self) -> (&'static str, &'static str) {
        match self {
            Self::Cursor => (".cursor/rules/", ".mdc"),
            Self::Copilot => (".github/instructions/", ".instructions.md"),
            Self::Claude => (".claude/rules/", ".md"),
        }
    }

    fn of(file: &str) -> Option<(Self, &str)> {
        [Self::Cursor, Self::Copilot, Self::Claude].into_iter().find_map(|host| {
            let (folder, ending) = host.files();
            Some((host, file.strip_suffix(ending).filter(|stem| stem.starts_with(folder))?))
        })
    }
}

/// What a file of a split applies to.
#[derive(Default)]
pub(super) struct Place {
    host: Option<Host>,
    /// Empty for all files.
    globs: Vec<String>,
}

impl Place {
    /// Returns the place of a file with rules for the whole project.
    pub(super) fn everywhere(file: &str) -> Self {
        Self { host: Host::of(file).map(|(host, _)| host), globs: Vec::new() }
    }

    /// Returns the text at the start of a new file.
    pub(super) fn frontmatter(&self) -> String {
        let lines = match (self.host, &self.globs[..]) {
            (None, _) | (Some(Host::Claude), []) => return String::new(),
            (Some(Host::Cursor), []) => "alwaysApply: true".to_owned(),
            (Some(Host::Cursor), globs) => {
                format!("globs: {}\nalwaysApply: false", globs.join(","))
            }
            (Some(Host::Copilot), []) => "applyTo: \"**\"".to_owned(),
            (Some(Host::Copilot), globs) => format!("applyTo: \"{}\"", globs.join(",")),
            (Some(Host::Claude), globs) => {
                let items = globs.iter().map(|glob| format!("\n  - \"{glob}\""));
                format!("paths:{}", items.collect::<String>())
            }
        };
        format!("---\n{lines}\n---\n\n")
    }
}

/// The folders of a project.
pub(super) struct Folders<'a> {
    pub(super) root: &'a Path,
    /// Those in which rules may be written, by path from the root. The path of the root is empty.
    pub(super) walked: BTreeSet<String>,
}

impl Folders<'_> {
    /// Returns the nearest folder that exists, or nothing if it is not a place for rules: it is
    /// hidden, ignored by git, behind a link, or the bank.
    fn nearest<'f>(&self, mut folder: &'f str) -> Option<&'f str> {
        if folder.split('/').any(|part| part == "..") {
            return None;
        }
        while !folder.is_empty() && !self.root.join(folder).is_dir() {
            folder = folder.rsplit_once('/').map_or("", |it| it.0);
        }
        self.walked.contains(folder).then_some(folder)
    }
}

/// The files of a split by path from the root, with what they apply to and their memories.
type Parts = BTreeMap<String, (Place, Part)>;

/// Returns the files for the rules of folders beside or below the first file, `target`.
pub(super) fn parts(project: &Folders, target: &str, memories: &[MemoryFile]) -> Result<Parts> {
    if let Some((host, stem)) = Host::of(target) {
        return Ok(rules(project, host, stem, memories));
    }
    let (base, name) = target.rsplit_once('/').unwrap_or(("", target));
    if FOLDER_FILES.contains(&name) {
        return Ok(folders(project, base, name, memories));
    }
    Err(UserError::usage(format!("agents read no files of folders beside `{target}`"))
        .hint("name a file such as `AGENTS.md`, `CLAUDE.md`, `.cursor/rules/cerberus.mdc`, `.github/instructions/cerberus.instructions.md` or `.claude/rules/cerberus.md`")
        .into())
}

/// Returns the file `name` in each folder below `base` that has rules.
fn folders(project: &Folders, base: &str, name: &str, memories: &[MemoryFile]) -> Parts {
    let mut parts = Parts::new();
    for stored in memories {
        let (id, globs) = (&stored.memory.id, &stored.memory.paths);
        let folders: Option<Vec<&str>> =
            included(globs).map(|glob| project.nearest(literal_folder(glob))).collect();
        let folders = folders.unwrap_or_default();
        let is_below = |folder: &&str| {
            !folder.is_empty()
                && (base.is_empty()
                    || folder.strip_prefix(base).is_some_and(|it| it.starts_with('/')))
        };
        if folders.is_empty() || !folders.iter().all(is_below) {
            continue;
        }
        let is_whole = globs.iter().all(|glob| folders.contains(&whole_folder(glob)));
        for folder in folders {
            let (_, part) = parts.entry(format!("{folder}/{name}")).or_default();
            part.insert(id.clone(), is_whole);
        }
    }
    parts
}

/// Returns the files beside the first one that say their globs.
fn rules(project: &Folders, host: Host, stem: &str, memories: &[MemoryFile]) -> Parts {
    let mut by_globs: BTreeMap<Vec<String>, Part> = BTreeMap::new();
    for stored in memories {
        let globs = &stored.memory.paths;
        let host_globs: Vec<String> =
            included(globs).flat_map(|glob| host_globs(project.root, host, glob)).collect();
        // Such a path has no form in the frontmatter of all clients.
        let is_plain =
            |glob: &String| !glob.contains(['"', '\\']) && !glob.contains(char::is_control);
        let is_ours = |glob: &String| project.nearest(literal_folder(glob)).is_some();
        if !host_globs.is_empty() && host_globs.iter().all(|it| is_plain(it) && is_ours(it)) {
            let says_all = globs.len() == included(globs).count();
            by_globs.entry(host_globs).or_default().insert(stored.memory.id.clone(), says_all);
        }
    }
    let mut n_by_slug: BTreeMap<String, usize> = BTreeMap::new();
    for globs in by_globs.keys() {
        *n_by_slug.entry(slug(globs)).or_default() += 1;
    }
    let mut parts = BTreeMap::new();
    for (globs, part) in by_globs {
        let slug = slug(&globs);
        let suffix = match n_by_slug[&slug] {
            1 => String::new(),
            _ => format!("-{:08x}", xxh3_64(globs.join("\n").as_bytes()) >> 32),
        };
        let file = format!("{stem}-{slug}{suffix}{}", host.files().1);
        parts.insert(file, (Place { host: Some(host), globs }, part));
    }
    parts
}

/// Returns the globs that do not exclude.
fn included(globs: &[String]) -> impl Iterator<Item = &str> {
    globs.iter().map(|glob| glob.trim()).filter(|glob| !glob.starts_with('!') && !glob.is_empty())
}

/// Returns the folder whose files a glob matches all; empty if it matches others or fewer.
fn whole_folder(glob: &str) -> &str {
    let (path, is_from_root) = from_root(glob);
    let folder = path.strip_suffix("/**/*").or_else(|| path.strip_suffix("/**")).unwrap_or(path);
    if is_from_root && literal_folder(glob).starts_with(folder) { folder } else { "" }
}

/// Returns the globs of a client that match the same files.
fn host_globs(root: &Path, host: Host, glob: &str) -> Vec<String> {
    let (path, is_from_root) = from_root(glob);
    let path = if is_from_root { path.to_owned() } else { format!("**/{path}") };
    let last = path.rsplit('/').next().unwrap_or(&path);
    let has_wildcard = last.contains(['*', '?', '[', '{']);
    let full = root.join(&path);
    let globs = match last {
        "**" => vec![path.clone()],
        _ if has_wildcard && last.contains('.') => vec![path.clone()],
        _ if full.is_dir() => vec![format!("{path}/**")],
        _ if full.is_file() => vec![path.clone()],
        _ => vec![path.clone(), format!("{path}/**")],
    };
    // A comma separates the globs of Cursor and Copilot.
    match host {
        Host::Claude => globs,
        Host::Cursor | Host::Copilot => globs.iter().flat_map(|glob| expanded(glob)).collect(),
    }
}

/// Returns the globs without braces that match the same files as a glob.
fn expanded(glob: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut rest = vec![glob.to_owned()];
    while let Some(glob) = rest.pop() {
        let close = glob.find('}');
        let braces = close.and_then(|close| Some((glob[..close].rfind('{')?, close)));
        match braces {
            Some((open, close)) if done.len() + rest.len() < MAX_EXPANDED => {
                let options = glob[open + 1..close].split(',').rev();
                rest.extend(
                    options
                        .map(|option| format!("{}{option}{}", &glob[..open], &glob[close + 1..])),
                );
            }
            _ if done.contains(&glob) => {}
            _ => done.push(glob),
        }
    }
    done
}

/// Returns the part of a file name for globs.
fn slug(globs: &[String]) -> String {
    let mut slug = String::new();
    for c in globs.join("-").chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() == MAX_SLUG {
            break;
        }
    }
    let slug = slug.trim_matches('-');
    if slug.is_empty() { "files".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test writes source files")]
mod tests {
    use super::*;

    #[test]
    fn a_glob_belongs_to_the_folder_before_its_first_wildcard() {
        for (glob, folder, whole) in [
            ("web/**", "web", "web"),
            ("./web/api/", "web/api", "web/api"),
            ("web/**/*", "web", "web"),
            ("/web", "web", "web"),
            ("web/**/*.ts", "web", ""),
            ("web/a*/b", "web", ""),
            ("web/{a,b}/**", "web", ""),
            ("web", "", ""),
            ("**/*.ts", "", ""),
            ("*.ts", "", ""),
        ] {
            assert_eq!((literal_folder(glob), whole_folder(glob)), (folder, whole), "{glob}");
        }
    }

    #[test]
    fn globs_of_clients_match_the_same_files() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("web/api")).expect("a folder");
        std::fs::write(folder.path().join("web/a.ts"), "").expect("a file");
        for (glob, host, expected) in [
            ("web/api", Host::Claude, "web/api/**"),
            ("/web/", Host::Claude, "web/**"),
            ("web/a.ts", Host::Claude, "web/a.ts"),
            ("web/new", Host::Claude, "web/new web/new/**"),
            ("tests", Host::Claude, "**/tests **/tests/**"),
            ("*.{ts,tsx}", Host::Claude, "**/*.{ts,tsx}"),
            ("*.{ts,tsx}", Host::Cursor, "**/*.ts **/*.tsx"),
            ("{a,b{c,d}}/**", Host::Copilot, "a/** bc/** bd/**"),
            ("packages/*", Host::Copilot, "packages/* packages/*/**"),
        ] {
            let found = host_globs(folder.path(), host, glob).join(" ");
            assert_eq!(found, expected, "{glob}");
        }
    }

    #[test]
    fn only_folders_of_the_project_are_places_for_rules() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["web/api", ".git/refs", "ignored"] {
            std::fs::create_dir_all(folder.path().join(name)).expect("a folder");
        }
        std::fs::write(folder.path().join(".gitignore"), "ignored\n").expect("a file");
        let walked = cerberus_engine::tree::walk::folders(folder.path()).expect("a walk");
        let project = Folders { root: folder.path(), walked };
        for (folder, nearest) in [
            ("", Some("")),
            ("web/api", Some("web/api")),
            ("web/new/deep", Some("web")),
            ("new", Some("")),
            (".git/refs", None),
            (".git/new", None),
            ("web/../.git", None),
            ("ignored", None),
        ] {
            assert_eq!(project.nearest(folder), nearest, "{folder}");
        }
        let memory = |id: &str, glob: &str| {
            let text = format!("---\npaths: [\"{glob}\"]\n---\nA rule.\n");
            let bank = cerberus_bank::Bank::new(folder.path().join(".memories"));
            bank.create().expect("a bank");
            let file = bank.create_text(id, &text).expect("created");
            bank.read(&file).expect("a memory")
        };
        let memories = [memory("a", ".git/refs/**"), memory("b", "web/**")];
        for (target, file) in
            [("AGENTS.md", "web/AGENTS.md"), (".cursor/rules/x.mdc", ".cursor/rules/x-web.mdc")]
        {
            let parts = parts(&project, target, &memories).expect("parts");
            assert_eq!(parts.keys().collect::<Vec<_>>(), [file]);
        }
    }

    #[test]
    fn file_names_say_the_globs() {
        let slug = |glob: &str| slug(&[glob.to_owned()]);
        assert_eq!(slug("**/*_test.go"), "_test-go");
        assert_eq!(slug("Web/**/*.ts"), "web-ts");
        assert_eq!(slug("**"), "files");
        assert!(slug(&"a".repeat(200)).len() == MAX_SLUG);
    }

    #[test]
    fn a_file_belongs_to_the_client_that_reads_it() {
        assert_eq!(
            Host::of(".cursor/rules/sub/x.mdc"),
            Some((Host::Cursor, ".cursor/rules/sub/x"))
        );
        assert_eq!(Host::of(".claude/rules/x.md"), Some((Host::Claude, ".claude/rules/x")));
        for file in [".cursor/rules/x.md", "web/.claude/rules/x.md", "CLAUDE.md"] {
            assert_eq!(Host::of(file), None, "{file}");
        }
    }
}
