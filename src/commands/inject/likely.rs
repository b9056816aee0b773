//! Predicts which files a task will change, so that the rules for these files can be given before
//! any of them is named.

use crate::commands::prelude::*;

/// The most files. In the trial of `benches/route`, three have the file with the most changes for 19 of 32
/// tasks, and one for 14.
const MAX_FILES: usize = 3;

/// Returns the files whose code is most similar to the text of a task.
pub(super) fn files(project: &Project, task: &str) -> Result<BTreeSet<String>> {
    let query = Query { rule: task.to_owned(), ..Query::default() };
    let options = Options::distinct(MAX_FILES, 0.0);
    let ranking = examples::find(project.code(), &[query], options)?.pop();
    let candidates = ranking.map(|ranking| ranking.candidates).unwrap_or_default();
    Ok(candidates.into_iter().map(|candidate| candidate.file).collect())
}
