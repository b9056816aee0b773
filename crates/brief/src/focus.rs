//! The occasions on which an agent is given something, and the code that they are about.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::ops::Project;
use cerberus_bank::ops::search::signals;
use cerberus_engine::examples::{Options, Query};
use cerberus_engine::tree::{documents, read};

use super::paths;

/// The most files that a task is expected to change. In the trial of `benches/route`, three have the file with the most changes for 19 of 32
/// tasks, and one for 14.
const MAX_LIKELY_FILES: usize = 3;

/// Quality of code from which a task may be about it. Chosen by hand: of 48 tasks, four had worse code, each about files without
/// code.
const MIN_LIKELY_QUALITY: f64 = 0.1;

/// What happens. Paths are relative to the root of the project.
#[derive(Debug, Clone)]
pub enum Occasion {
    /// A session starts.
    Session,
    /// The user asks for something.
    Task {
        text: String,
        /// The files that the task names beside its text.
        files: BTreeSet<String>,
        /// The lines that are added to some of them.
        added: BTreeMap<String, String>,
    },
    /// Files are named without a task.
    Files {
        files: BTreeSet<String>,
        added: BTreeMap<String, String>,
    },
    /// An agent is about to add lines to files.
    Edit { added: BTreeMap<String, String> },
    /// A document is written that agents read. The lines are those of the memories that it states already.
    Block { lines: BTreeMap<String, usize> },
}

/// The task and the files that memories are compared with.
#[derive(Default)]
pub(crate) struct Focus {
    pub(crate) task: Option<String>,
    pub(crate) files: BTreeSet<String>,
    /// The lines that are added to some of the files.
    pub(crate) added: BTreeMap<String, String>,
    pub(crate) is_edit: bool,
    /// Whether the files are only likely ones.
    pub(crate) is_guess: bool,
    /// The files that the task is expected to change, if it names none.
    pub(crate) likely_files: BTreeSet<String>,
}

impl Focus {
    pub(crate) fn of(project: &Workspace, occasion: &Occasion) -> Result<Self> {
        match occasion {
            Occasion::Session | Occasion::Block { .. } => Ok(Self::default()),
            Occasion::Files { files, added } => Ok(Self {
                files: files.clone(),
                added: added.clone(),
                ..Self::default()
            }),
            Occasion::Edit { added } => Ok(Self::of_edit(added)),
            Occasion::Task { text, files, added } => {
                let text = signals::part_to_read(text);
                let mut focus = Self {
                    task: Some(text.to_owned()),
                    files: files.clone(),
                    added: added.clone(),
                    ..Self::default()
                };
                focus.files.extend(named_files(project, text));
                if focus.files.is_empty() {
                    focus.likely_files = likely_files(project, text)?;
                    focus.files.clone_from(&focus.likely_files);
                    focus.is_guess = true;
                }
                Ok(focus)
            }
        }
    }

    fn of_edit(added: &BTreeMap<String, String>) -> Self {
        let mut focus = Self {
            is_edit: true,
            ..Self::default()
        };
        for (path, lines) in added {
            // A rule has the words of the document that it was imported from.
            if !documents::is_rule_file(path) && !lines.trim().is_empty() {
                focus.files.insert(path.clone());
                focus.added.insert(path.clone(), lines.clone());
            }
        }
        focus
    }

    /// Returns the line above the rules, which says why they come now.
    pub(crate) fn header(&self, occasion: &Occasion) -> &'static str {
        match occasion {
            Occasion::Session | Occasion::Block { .. } => "Project memory:\n",
            Occasion::Task { .. } => "Rules of this project about this task:\n",
            Occasion::Files { .. } => "Rules of this project for these files:\n",
            Occasion::Edit { .. } => "Rules of this project for this edit:\n",
        }
    }
}

/// Returns the files of the project that a text names with their whole path.
fn named_files(project: &Project, text: &str) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for word in text.split(|c: char| c.is_whitespace() || "`'\"()[]<>,;".contains(c)) {
        let word = word.trim_end_matches(['.', ':', '?', '!']);
        let path = word.trim_start_matches("./");
        if path.contains('.') && read::is_file(&project.root, path) {
            named.insert(path.to_owned());
        }
    }
    named
}

/// Returns the files that a task will probably change: those whose paths have its words, and those whose code is most
/// similar to its text.
fn likely_files(project: &Workspace, task: &str) -> Result<BTreeSet<String>> {
    let query = Query {
        rule: task.to_owned(),
        ..Query::default()
    };
    let options = Options::distinct(MAX_LIKELY_FILES, 0.0);
    let ranking = project.rank(&[query], options)?.pop();
    let mut files = paths::files_of(project, task)?;
    for ranked in ranking.into_iter().flat_map(|ranking| ranking.candidates) {
        if ranked.quality >= MIN_LIKELY_QUALITY {
            files.insert(ranked.file);
        }
    }
    Ok(files)
}
