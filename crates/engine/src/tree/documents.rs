//! Documents to import: a file, or all documents in a folder.

use ignore::WalkBuilder;

use super::git::past::{self, EntryKind};
use super::ignore_bytes::IgnoreBytes;
use super::read;
use super::walk::{check_ignore_files, is_file, is_folder};
use crate::prelude::*;
use cerberus_model::text::decode;

/// File extensions of documents.
const EXTENSIONS: &[&str] = &["md", "mdc", "mdx", "markdown", "txt"];

/// Folders whose documents are not those of the project.
const SKIPPED: &[&str] = &[".git", ".memories"];

// The files of rules are listed here only: those that hold for their folder, and globs of the others.
word_lists! { "words/documents.txt": OTHER_MARKUP FOLDER_RULE_FILES RULE_FILES GUIDES
SPECIFICATIONS }

/// Returns the paths, relative to `root`, of the file `path` or of the documents in the folder
/// `path`, sorted. A path that is not in the project from the current folder is one from `root`.
/// Symbolic links in a folder are not followed, and memories of a bank are skipped.
pub fn find(root: &Path, path: &Path) -> Result<Vec<String>> {
    let shown = path.display();
    let root = root.canonicalize().context("failed to resolve the project's root")?;
    let from_root = || root.join(path).canonicalize().ok();
    let is_inside = |real: &PathBuf| relative(&root, real).is_some();
    let real = match path.canonicalize() {
        Ok(real) => from_root().filter(|_| !is_inside(&real)).unwrap_or(real),
        Err(error) => from_root().ok_or_else(|| {
            UserError::usage(format!("failed to read `{shown}`: {error}"))
                .hint("name a file of the project, such as `AGENTS.md`")
        })?,
    };
    let outside = || {
        UserError::usage(format!("`{shown}` is outside the project `{}`", root.display()))
            .hint("copy it into the project, or name its project with `--project DIR`")
    };
    let relative = relative(&root, &real).ok_or_else(outside)?;
    if !real.is_dir() {
        check_markup(&relative)?;
        return Ok(vec![relative]);
    }
    let (mut files, failed) = list(&root, &real)?;
    if let Some(error) = failed {
        return Err(UserError::environment(format!("failed to walk: {error}")).into());
    }
    files.retain(|file| is_document(file));
    if files.is_empty() {
        return Err(UserError::usage(format!("no documents found in the folder `{shown}`"))
            .hint(format!("name a file, or a folder with `.{}` files", EXTENSIONS.join("`, `.")))
            .into());
    }
    Ok(files)
}

/// Returns the paths, relative to `root`, of the files of rules that a project has, sorted, without
/// those of other projects in it.
pub fn find_rule_files(root: &Path) -> Result<Vec<String>> {
    let globs = Globs::new(&globs_of(&[&FOLDER_RULE_FILES, &RULE_FILES]));
    find_matching(root, |file| globs.find(file).is_some())
}

/// Returns the paths, relative to `root`, of the documents that describe the work on a project:
/// files of rules, guides and specifications, sorted.
pub fn find_guides(root: &Path) -> Result<Vec<String>> {
    find_matching(root, |file| is_guide(file) || is_specification(file))
}

/// Returns the paths, relative to `root`, of all documents of a project, sorted.
pub fn find_all(root: &Path) -> Result<Vec<String>> {
    find_matching(root, |_| true)
}

/// Returns whether the document at a path relative to the root is a specification or a decision.
pub fn is_specification(path: &str) -> bool {
    static GLOBS: LazyLock<Globs> = LazyLock::new(|| Globs::new(&globs_of(&[&SPECIFICATIONS])));
    GLOBS.find(path).is_some() && !is_rule_file(path)
}

fn globs_of(lists: &[&WordList]) -> Vec<String> {
    lists.iter().flat_map(|list| list.entries()).map(|glob| (*glob).to_owned()).collect()
}

fn find_matching(root: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<String>> {
    let root = root.canonicalize().context("failed to resolve the project's root")?;
    let (listed, _) = list(&root, &root)?;
    // A rule of an ignore file does not exclude what git tracks.
    let tracked = past::tracked(&root).unwrap_or_default().entries.into_iter();
    let is_skipped = |path: &str| path.split('/').any(|part| SKIPPED.contains(&part));
    let tracked = tracked.filter(|it| it.kind == EntryKind::File && !is_skipped(&it.path));
    let mut files = sorted(listed.into_iter().chain(tracked.map(|it| it.path)));
    // All of the globs are about documents, and most files are none.
    let may_match = |file: &str| is_document(file) || is_folder_rule_file(name_of(file));
    files.retain(|file| {
        may_match(file) && !file.contains(char::is_control) && is_wanted(file) && !is_foreign(file)
    });
    Ok(files)
}

/// Returns whether the file at a path relative to the root belongs to another project.
pub fn is_foreign(path: &str) -> bool {
    conventions::is_below(path, &CONVENTIONS.folders.foreign)
}

/// Returns whether people or agents read rules from the file at a path relative to the root.
pub fn is_rule_file(path: &str) -> bool {
    static GLOBS: LazyLock<Globs> = LazyLock::new(|| {
        let globs = globs_of(&[&FOLDER_RULE_FILES, &RULE_FILES]);
        Globs::new(&globs.iter().map(|glob| glob.to_lowercase()).collect::<Vec<_>>())
    });
    GLOBS.find(&path.to_lowercase()).is_some()
}

/// Returns whether the document at a path relative to the root is a file of rules or a guide, which is about now.
pub fn is_guide(path: &str) -> bool {
    static GLOBS: LazyLock<Globs> =
        LazyLock::new(|| Globs::new(&globs_of(&[&FOLDER_RULE_FILES, &RULE_FILES, &GUIDES])));
    GLOBS.find(path).is_some()
}

/// Returns the text of a document. Refuses a file that is not text, whose rules would be random.
pub fn read(root: &Path, file: &str) -> Result<String> {
    let bytes = read::bytes(root, file)?;
    let (text, is_exact) = decode(&bytes);
    if !is_exact || text.contains('\0') {
        return Err(UserError::usage(format!("`{file}` is not text in UTF-8 or UTF-16"))
            .hint("convert it, for example with `iconv -f LATIN1 -t UTF-8`, if it is text")
            .into());
    }
    Ok(text.into_owned())
}

/// Returns whether a file with this name has the rules of its folder, whatever the folder's name is.
pub fn is_folder_rule_file(name: &str) -> bool {
    FOLDER_RULE_FILES.entries().contains(&name)
}

/// Returns whether the extension of a file is that of a document.
pub fn is_document(file: &str) -> bool {
    extension(file).is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
}

fn extension(file: &str) -> Option<String> {
    name_of(file).rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase())
}

fn name_of(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// Refuses a document in another markup.
fn check_markup(file: &str) -> Result<()> {
    let extension = extension(file).filter(|it| OTHER_MARKUP.entries().contains(&it.as_str()));
    let Some(extension) = extension else { return Ok(()) };
    Err(UserError::usage(format!("`{file}` is not markdown or plain text, but `.{extension}`"))
        .hint(format!("convert it first, for example with `pandoc -t gfm {file} -o rules.md`"))
        .into())
}

fn relative(root: &Path, path: &Path) -> Option<String> {
    let relative = path.strip_prefix(root).ok()?.to_str()?;
    Some(relative.replace(std::path::MAIN_SEPARATOR, "/"))
}

/// Returns the paths, relative to `root`, of the regular files in a folder that its ignore files do
/// not exclude, sorted, and the first error of the walk.
fn list(root: &Path, real: &Path) -> Result<(Vec<String>, Option<ignore::Error>)> {
    check_ignore_files(real)?;
    let ignore_bytes = IgnoreBytes::new(real);
    let counted = ignore_bytes.clone();
    let mut walker = WalkBuilder::new(real);
    // Ignore files inside the folder apply, but not those of its parents.
    walker.hidden(false).parents(false).require_git(false).git_global(false).follow_links(false);
    walker.filter_entry(move |found| {
        let is_skipped = SKIPPED.iter().any(|name| found.file_name() == *name);
        found.depth() == 0 || (!is_skipped && (!is_folder(found) || counted.add(found.path())))
    });
    let mut failed = None;
    let found =
        walker.build().filter_map(|it| it.map_err(|error| failed.get_or_insert(error)).ok());
    let files = found.filter(is_file).filter_map(|it| relative(root, it.path()));
    let files = sorted(files);
    ignore_bytes.check()?;
    Ok((files, failed))
}
