//! Objects of the repository, all with one `cat-file` process.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::path::Path;

use super::in_parallel;
use super::process::Process;
use super::repository::{MAX_REQUEST, Repository, Talk};
use crate::tree::read::MAX_BYTES;

/// Number of objects, of at most [`MAX_BYTES`] each, that are remembered.
const MAX_RECENT: usize = 8;

/// Maximum number of bytes of a folder.
const MAX_TREE: u64 = 64 * MAX_BYTES;

/// An object that the repository has.
#[derive(Clone)]
pub struct Found {
    pub id: String,
    /// The content, unless it is a folder or too large.
    pub bytes: Option<Vec<u8>>,
}

/// A commit with its time, in seconds since the Unix epoch.
pub(super) struct Commit {
    pub(super) id: String,
    pub(super) seconds: Option<i64>,
}

impl Commit {
    fn parse(id: String, content: &[u8]) -> Self {
        let content = String::from_utf8_lossy(content);
        let header = content.split("\n\n").next().unwrap_or_default();
        let committer = header.lines().find(|line| line.starts_with("committer "));
        // NAME <ADDRESS> SECONDS ZONE
        let seconds = committer.and_then(|line| line.rsplit(' ').nth(1)?.parse().ok());
        Self { id, seconds }
    }
}

/// An object whose content was not read yet.
pub(super) struct Object<'a> {
    id: String,
    kind: String,
    pub(super) size: u64,
    pub(super) content: &'a mut dyn Read,
}

impl Object<'_> {
    fn read(mut self) -> io::Result<Found> {
        let bytes = self.read_if("blob", MAX_BYTES)?;
        Ok(Found { id: self.id, bytes })
    }

    /// Returns the content of an object of a kind that is not larger than a limit.
    fn read_if(&mut self, kind: &str, max_bytes: u64) -> io::Result<Option<Vec<u8>>> {
        if self.kind != kind || self.size > max_bytes {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        self.content.read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }
}

/// Passes the next object that git sends to `read`, or `None` if the repository lacks it.
fn answer<R>(
    stdout: &mut dyn BufRead,
    read: impl FnOnce(Option<Object<'_>>) -> io::Result<R>,
) -> io::Result<R> {
    let mut header = Vec::new();
    stdout.take(MAX_BYTES).read_until(b'\n', &mut header)?;
    if header.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    // OBJECT TYPE SIZE, or the name and the reason if there is no object.
    let header = String::from_utf8_lossy(&header);
    let fields: Vec<&str> = header.trim_end().rsplitn(3, ' ').collect();
    let [size, kind, id] = fields[..] else {
        return read(None);
    };
    let Ok(size) = size.parse() else {
        return read(None);
    };
    let mut content = stdout.take(size);
    let result = read(Some(Object {
        id: id.to_owned(),
        kind: kind.to_owned(),
        size,
        content: &mut content,
    }))?;
    // The rest of the content and a line break.
    io::copy(&mut content, &mut io::sink())?;
    stdout.take(1).read_exact(&mut [0])?;
    Ok(result)
}

/// Passes the objects with these names to `read`, or `None` for a missing one, and the results to `each`,
/// both with their positions. Only `read` has to be fast. The next names are sent before the answers are
/// read, so that git does not wait.
fn converse<R>(
    process: &mut Process,
    names: &[&str],
    mut read: impl FnMut(usize, Option<Object<'_>>) -> io::Result<R>,
    mut each: impl FnMut(usize, R),
) -> io::Result<()> {
    let mut n_sent = send(process, names)?;
    let mut next = 0;
    while next < names.len() {
        let end = n_sent;
        n_sent += send(process, &names[n_sent..])?;
        while next < end {
            let found = process.receive(|stdout| answer(stdout, |object| read(next, object)))?;
            each(next, found);
            next += 1;
        }
    }
    Ok(())
}

/// Sends the first of some names. Returns the number of those that were sent.
fn send(process: &mut Process, names: &[&str]) -> io::Result<usize> {
    let mut request = String::new();
    let mut n_sent = 0;
    for name in names {
        if n_sent > 0 && request.len() + name.len() > MAX_REQUEST {
            break;
        }
        // No object has a name of two lines, and none has the empty name.
        if !name.contains('\n') {
            request += name;
        }
        request.push('\n');
        n_sent += 1;
    }
    if n_sent > 0 {
        process.send(request.as_bytes())?;
    }
    Ok(n_sent)
}

/// Passes the objects with these names to `each`, with their positions, or `None` for a missing
/// one. Returns `None` if git fails.
pub(super) fn objects_of(
    root: &Path,
    names: &[&str],
    each: impl FnMut(usize, Option<Object<'_>>) -> io::Result<()>,
) -> Option<()> {
    if names.is_empty() {
        return Some(());
    }
    let question = |process: &mut Process| converse(process, names, each, |_, ()| ());
    Repository::at(root).ask(Talk::Objects, question)
}

/// Passes the contents of objects to `each`, with their positions. Omits objects that are too large, and those that
/// the clone lacks or git cannot read, whose positions it returns.
pub fn read_objects(root: &Path, objects: &[&str], each: impl FnMut(usize, &[u8])) -> Vec<usize> {
    Objects::new(&Repository::at(root)).read_all(objects, each)
}

/// Reads objects of the repository.
pub struct Objects<'a> {
    repository: &'a Repository,
    /// The objects that were read last, oldest first: anchors of one file need the same ones.
    recent: VecDeque<(String, Option<Found>)>,
    /// Whether git failed.
    has_failed: bool,
}

impl<'a> Objects<'a> {
    fn new(repository: &'a Repository) -> Self {
        Self {
            repository,
            recent: VecDeque::new(),
            has_failed: false,
        }
    }

    /// Returns the content of the object with this name. Returns `None` if the clone lacks it, if it
    /// is too large, or if git fails.
    pub fn read(&mut self, name: &str) -> Option<Vec<u8>> {
        self.find(name)?.bytes
    }

    /// Returns the object with this name, which may be a folder, or `None` if the clone lacks it or
    /// git fails.
    pub fn find(&mut self, name: &str) -> Option<Found> {
        if let Some((_, found)) = self.recent.iter().find(|(known, _)| known == name) {
            return found.clone();
        }
        let mut found = None;
        let is_read = self.converse(
            &[name],
            |_, object| object.map(Object::read).transpose(),
            |_, object| found = object,
        );
        if !is_read {
            return None;
        }
        if self.recent.len() == MAX_RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back((name.to_owned(), found.clone()));
        found
    }

    /// Returns the commit that a revision names.
    pub(super) fn commit(&mut self, revision: &str) -> Option<Commit> {
        let mut found = None;
        self.converse(
            &[&format!("{revision}^{{commit}}")],
            |_, object| match object {
                Some(mut object) => {
                    let content = object.read_if("commit", MAX_BYTES)?;
                    Ok(content.map(|content| Commit::parse(object.id, &content)))
                }
                None => Ok(None),
            },
            |_, commit| found = commit,
        );
        found
    }

    /// Returns the ids of the objects with these names, or `None` for each that the clone lacks.
    pub fn ids(&mut self, names: &[&str]) -> Vec<Option<String>> {
        let mut found = vec![None; names.len()];
        self.converse(
            names,
            |_, object| Ok(object.map(|object| object.id)),
            |idx, id| found[idx] = id,
        );
        found
    }

    /// Returns the contents of the folders with these names, as git stores them; `None` for one that the
    /// clone lacks.
    pub(super) fn folders(&mut self, names: &[&str]) -> Vec<Option<Vec<u8>>> {
        let mut found = vec![None; names.len()];
        self.converse(
            names,
            |_, object| match object {
                Some(mut object) => object.read_if("tree", MAX_TREE),
                None => Ok(None),
            },
            |idx, content| found[idx] = content,
        );
        found
    }

    /// Passes the contents of objects to `each`, with their positions. Omits objects that are too large, and
    /// those that the clone lacks or git cannot read, whose positions it returns. `each` must not ask git.
    pub fn read_all(&mut self, names: &[&str], mut each: impl FnMut(usize, &[u8])) -> Vec<usize> {
        let mut is_known = vec![false; names.len()];
        // What was read before a failure counts.
        self.converse(
            names,
            |_, object| object.map(Object::read).transpose(),
            |idx, found| {
                is_known[idx] = found.is_some();
                if let Some(bytes) = found.and_then(|found| found.bytes) {
                    each(idx, &bytes);
                }
            },
        );
        (0..names.len()).filter(|idx| !is_known[*idx]).collect()
    }

    /// Like [`converse`]. Returns whether git answered.
    fn converse<R>(
        &mut self,
        names: &[&str],
        read: impl FnMut(usize, Option<Object<'_>>) -> io::Result<R>,
        each: impl FnMut(usize, R),
    ) -> bool {
        let question = |process: &mut Process| converse(process, names, read, each);
        let is_answered = self.repository.ask(Talk::Objects, question).is_some();
        self.has_failed |= !is_answered;
        is_answered
    }
}

/// Passes the objects of the repository to `read`. Returns `None` if git fails.
pub fn with_objects<R>(root: &Path, read: impl FnOnce(&mut Objects<'_>) -> R) -> Option<R> {
    let repository = Repository::at(root);
    // It may not answer at all.
    repository.ask(Talk::Objects, |_| Ok(()))?;
    let mut objects = Objects::new(&repository);
    let result = read(&mut objects);
    (!objects.has_failed).then_some(result)
}

/// Applies `work` to each of `jobs`, each on a thread. Returns `None` if git fails.
pub fn with_objects_each<J: Send, R: Send>(
    root: &Path,
    jobs: Vec<J>,
    work: impl Fn(&mut Objects<'_>, J) -> R + Sync,
) -> Option<Vec<R>> {
    let found = in_parallel(jobs, |job| with_objects(root, |objects| work(objects, job)));
    found.into_iter().collect()
}
