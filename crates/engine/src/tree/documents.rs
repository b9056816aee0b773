//! Documents to import: a file, or all documents in a folder.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::{Context, Result};
use cerberus_model::text::conventions::CONVENTIONS;
use cerberus_model::text::{conventions, decode};
use cerberus_model::{Globs, UserError, WordList, word_lists};

use super::excludes::Excludes;
use super::folder_walk::{self, WalkOptions};
use super::git::{self, GitFiles};
use super::listed::{self, Names};
use super::read;

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
    Ok(find_named(root, path)?.paths)
}

/// Like [`find`], with the documents of the folder that no path can name.
pub fn find_named(root: &Path, path: &Path) -> Result<Documents> {
    let shown = path.display();
    let root = root
        .canonicalize()
        .context("failed to resolve the project's root")?;
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
        UserError::usage(format!(
            "`{shown}` is outside the project `{}`",
            root.display()
        ))
        .hint("copy it into the project, or name its project with `--project DIR`")
    };
    let relative = relative(&root, &real).ok_or_else(outside)?;
    if !real.is_dir() {
        check_markup(&relative)?;
        return Ok(Documents {
            paths: vec![relative],
            ..Documents::default()
        });
    }
    let mut found = list(&root, &real)?;
    if let Some(warning) = found.warnings.into_iter().next() {
        return Err(UserError::environment(warning).into());
    }
    found.paths.retain(|file| is_document(file));
    found.unnamed.retain(|(file, _)| is_document(file));
    if found.paths.is_empty() && found.unnamed.is_empty() {
        return Err(
            UserError::usage(format!("no documents found in the folder `{shown}`"))
                .hint(format!(
                    "name a file, or a folder with `.{}` files",
                    EXTENSIONS.join("`, `.")
                ))
                .into(),
        );
    }
    Ok(Documents {
        warnings: Vec::new(),
        ..found
    })
}

/// Returns the files of rules that a project has, without those of other projects in it.
pub fn find_rule_files(root: &Path) -> Result<Documents> {
    let globs = Globs::new(&globs_of(&[&FOLDER_RULE_FILES, &RULE_FILES]));
    find_matching(root, |file| globs.find(file).is_some())
}

/// Returns all documents of a project.
pub fn find_all(root: &Path) -> Result<Documents> {
    find_matching(root, |_| true)
}

/// Returns whether the document at a path relative to the root is a specification or a decision.
pub fn is_specification(path: &str) -> bool {
    static GLOBS: LazyLock<Globs> = LazyLock::new(|| Globs::new(&globs_of(&[&SPECIFICATIONS])));
    GLOBS.find(path).is_some() && !is_rule_file(path)
}

fn globs_of(lists: &[&WordList]) -> Vec<String> {
    lists
        .iter()
        .flat_map(|list| list.entries())
        .map(|glob| (*glob).to_owned())
        .collect()
}

fn find_matching(root: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Documents> {
    let root = root
        .canonicalize()
        .context("failed to resolve the project's root")?;
    let mut found = list(&root, &root)?;
    // All of the globs are about documents, and most files are none.
    let is_found = |file: &str| {
        let may_match = is_document(file) || is_folder_rule_file(name_of(file));
        may_match && is_wanted(file) && !is_foreign(file)
    };
    found.paths.retain(|file| is_found(file));
    found.unnamed.retain(|(file, _)| is_found(file));
    Ok(found)
}

/// Returns whether the file at a path relative to the root belongs to another project.
pub fn is_foreign(path: &str) -> bool {
    conventions::is_below(path, &CONVENTIONS.folders.foreign)
}

/// Returns whether people or agents read rules from the file at a path relative to the root.
pub fn is_rule_file(path: &str) -> bool {
    static GLOBS: LazyLock<Globs> = LazyLock::new(|| {
        let globs = globs_of(&[&FOLDER_RULE_FILES, &RULE_FILES]);
        Globs::new(
            &globs
                .iter()
                .map(|glob| glob.to_lowercase())
                .collect::<Vec<_>>(),
        )
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
        return Err(
            UserError::usage(format!("`{file}` is not text in UTF-8 or UTF-16"))
                .hint("convert it, for example with `iconv -f LATIN1 -t UTF-8`, if it is text")
                .into(),
        );
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

/// Returns patterns of git that documents match, whatever folder they are in.
pub(super) fn pathspecs() -> Vec<String> {
    let mut patterns = Vec::new();
    for extension in EXTENSIONS {
        patterns.push(format!(":(glob,icase)**/*.{extension}"));
    }
    for name in FOLDER_RULE_FILES.entries() {
        if !is_document(name) {
            patterns.push(format!(":(glob)**/{name}"));
        }
    }
    patterns
}

fn extension(file: &str) -> Option<String> {
    name_of(file)
        .rsplit_once('.')
        .map(|(_, extension)| extension.to_ascii_lowercase())
}

fn name_of(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// Refuses a document in another markup.
fn check_markup(file: &str) -> Result<()> {
    let extension = extension(file).filter(|it| OTHER_MARKUP.entries().contains(&it.as_str()));
    let Some(extension) = extension else {
        return Ok(());
    };
    Err(UserError::usage(format!(
        "`{file}` is not markdown or plain text, but `.{extension}`"
    ))
    .hint(format!(
        "convert it first, for example with `pandoc -t gfm {file} -o rules.md`"
    ))
    .into())
}

fn relative(root: &Path, path: &Path) -> Option<String> {
    let relative = path.strip_prefix(root).ok()?.to_str()?;
    Some(relative.replace(std::path::MAIN_SEPARATOR, "/"))
}

/// Paths of documents relative to the root, sorted, and why there may be more.
#[derive(Debug, Default)]
pub struct Documents {
    pub paths: Vec<String>,
    /// Documents that no path can name, with the reasons.
    pub unnamed: Vec<(String, String)>,
    pub warnings: Vec<String>,
}

/// Returns the files of the project in a folder, also those that may exist in a folder without permission.
/// The files of a folder of which git lists none, as another repository, are those that the ignore files
/// in it do not exclude: a person named it.
fn list(root: &Path, real: &Path) -> Result<Documents> {
    let folder = real.strip_prefix(root).unwrap_or(real);
    let is_all = folder == Path::new("");
    let files = if is_all {
        git::files_with_index(root)
    } else {
        git::files(root, folder)
    };
    let listed = match files {
        GitFiles::Listed {
            names, warnings, ..
        } if is_all || names.iter().any(|name| is_in(name, folder)) => Names {
            names,
            warnings,
            ..Names::default()
        },
        GitFiles::Listed { .. } | GitFiles::NoRepository | GitFiles::Failed(_) => {
            let options = WalkOptions {
                excludes: &Excludes::none(),
                includes_hidden: true,
                is_in_repository: git::is_in_repository(root),
                report: &|| {},
            };
            folder_walk::walk(root, real, &options)?
        }
    };
    let Names {
        mut names,
        warnings,
        ..
    } = listed;
    names.retain(|name| {
        let mut parts = name.split(|byte| *byte == b'/');
        !parts.any(|part| SKIPPED.iter().any(|skipped| part == skipped.as_bytes()))
    });
    let found = listed::regular_files(root, names);
    let mut documents = Documents {
        warnings,
        ..Documents::default()
    };
    let files = found.files.iter().map(|file| &file.name);
    for name in files.chain(found.unread.iter().map(|file| &file.name)) {
        match listed::path_of(name) {
            Some(path) if !path.contains(char::is_control) => documents.paths.push(path.to_owned()),
            Some(path) => {
                let why = "its name has control characters";
                documents.unnamed.push((path.to_owned(), why.to_owned()));
            }
            None => {
                let why = listed::why_unnamed(name);
                documents
                    .unnamed
                    .push((listed::shown(name), why.to_owned()));
            }
        }
    }
    documents.paths.sort_unstable();
    Ok(documents)
}

/// Returns whether a name that git lists is in a folder, and not the folder itself.
fn is_in(name: &[u8], folder: &Path) -> bool {
    let name = listed::path(Path::new(""), name);
    name.starts_with(folder) && name != folder
}
