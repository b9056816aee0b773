//! Objects of the repository, many with one `cat-file` process.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::in_parallel;
use super::process::Git;
use crate::tree::read::MAX_BYTES;

/// Maximum number of bytes of names that are sent to git before its answers are read. A pipe holds
/// them all, so that neither side waits for the other one.
const MAX_REQUEST: usize = 4096;

/// Number of objects, of at most [`MAX_BYTES`] each, that are remembered.
const MAX_RECENT: usize = 8;

/// An object that the repository has.
#[derive(Clone)]
pub struct Found {
    pub id: String,
    /// The content, unless it is a folder or too large.
    pub bytes: Option<Vec<u8>>,
}

/// An object whose content was not read yet.
pub(super) struct Object<'a> {
    id: String,
    is_file: bool,
    pub(super) size: u64,
    pub(super) content: &'a mut dyn Read,
}

impl Object<'_> {
    fn read(self) -> io::Result<Found> {
        let mut bytes = Vec::new();
        let is_read = self.is_file && self.size <= MAX_BYTES;
        if is_read {
            self.content.read_to_end(&mut bytes)?;
        }
        Ok(Found {
            id: self.id,
            bytes: is_read.then_some(bytes),
        })
    }
}

/// Passes the next object that git sends to `read`, or `None` if the repository lacks it.
fn answer<R>(
    stdout: &mut dyn BufRead,
    read: impl FnOnce(Option<Object<'_>>) -> io::Result<R>,
) -> io::Result<R> {
    let mut header = Vec::new();
    stdout.take(MAX_BYTES).read_until(b'\n', &mut header)?;
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
    let (id, is_file) = (id.to_owned(), kind == "blob");
    let result = read(Some(Object {
        id,
        is_file,
        size,
        content: &mut content,
    }))?;
    // The rest of the content and a line break.
    io::copy(&mut content, &mut io::sink())?;
    stdout.take(1).read_exact(&mut [0])?;
    Ok(result)
}

/// Passes the objects with these names to `each`, with their positions, or `None` for a missing
/// one. Returns `None` if git fails.
pub(super) fn objects_of(
    root: &Path,
    names: &[&str],
    mut each: impl FnMut(usize, Option<Object<'_>>) -> io::Result<()>,
) -> Option<()> {
    if names.is_empty() {
        return Some(());
    }
    let input = names.join("\n") + "\n";
    let git = Git::new(root, ["cat-file", "--batch", "--buffer"]).with_input(input.into_bytes());
    git.read(|stdout| (0..names.len()).try_for_each(|idx| answer(stdout, |it| each(idx, it))))
        .ok()
}

/// Passes the contents of objects to `each`, with their positions. Omits objects that are too large, and those that
/// the clone lacks or git cannot read, whose positions it returns.
pub fn read_objects(
    root: &Path,
    objects: &[&str],
    mut each: impl FnMut(usize, &[u8]),
) -> Vec<usize> {
    let mut is_known = vec![false; objects.len()];
    // What was read before a failure counts.
    let _ = objects_of(root, objects, |idx, object| {
        let Some(found) = object.map(Object::read).transpose()? else {
            return Ok(());
        };
        is_known[idx] = true;
        if let Some(bytes) = found.bytes {
            each(idx, &bytes);
        }
        Ok(())
    });
    (0..objects.len()).filter(|idx| !is_known[*idx]).collect()
}

/// Returns a line about each of the objects with these names, in a format of `cat-file`.
pub(super) fn describe<'n>(
    git: Git<'_>,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<Vec<String>> {
    // A name is a line.
    let lines = names
        .into_iter()
        .map(|name| format!("{}\n", name.replace('\n', "\0")));
    let output = git
        .with_input(lines.collect::<String>().into_bytes())
        .text()?;
    Some(output.lines().map(str::to_owned).collect())
}

/// Reads objects of the repository with one process.
pub struct Objects<'a> {
    stdin: &'a mut dyn Write,
    stdout: &'a mut dyn BufRead,
    is_waiting: &'a AtomicBool,
    /// The objects that were read last, oldest first: anchors of one file need the same ones.
    recent: VecDeque<(String, Option<Found>)>,
}

impl Objects<'_> {
    /// Returns the content of the object with this name. Returns `None` if the clone lacks it, if it
    /// is too large, or if git fails.
    pub fn read(&mut self, name: &str) -> Option<Vec<u8>> {
        self.find(name)?.bytes
    }

    /// Returns the object with this name, which may be a folder, or `None` if the clone lacks it or
    /// git fails.
    pub fn find(&mut self, name: &str) -> Option<Found> {
        if name.contains('\n') {
            return None;
        }
        if let Some((_, found)) = self.recent.iter().find(|(it, _)| it == name) {
            return found.clone();
        }
        let sent = self.send(&format!("{name}\n"));
        let found = sent.and_then(|()| self.receive()).ok()?;
        if self.recent.len() == MAX_RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back((name.to_owned(), found.clone()));
        found
    }

    /// Passes the contents of objects to `each`, with their positions. Omits objects that are too large, and
    /// those that the clone lacks or git cannot read, whose positions it returns.
    pub fn read_all(&mut self, names: &[&str], mut each: impl FnMut(usize, &[u8])) -> Vec<usize> {
        let mut missing = Vec::new();
        let mut first = 0;
        while first < names.len() {
            let mut request = String::new();
            let mut end = first;
            while end < names.len()
                && (end == first || request.len() + names[end].len() < MAX_REQUEST)
            {
                request += names[end];
                request.push('\n');
                end += 1;
            }
            let is_sent = self.send(&request).is_ok();
            for idx in first..end {
                let found = if is_sent { self.receive() } else { Ok(None) };
                match found.ok().flatten() {
                    Some(Found {
                        bytes: Some(bytes), ..
                    }) => each(idx, &bytes),
                    Some(_) => {}
                    None => missing.push(idx),
                }
            }
            first = end;
        }
        missing
    }

    fn send(&mut self, request: &str) -> io::Result<()> {
        self.is_waiting.store(true, Ordering::Relaxed);
        let sent = self
            .stdin
            .write_all(request.as_bytes())
            .and_then(|()| self.stdin.flush());
        self.is_waiting.store(false, Ordering::Relaxed);
        sent
    }

    fn receive(&mut self) -> io::Result<Option<Found>> {
        self.is_waiting.store(true, Ordering::Relaxed);
        let found = answer(self.stdout, |object| object.map(Object::read).transpose());
        self.is_waiting.store(false, Ordering::Relaxed);
        found
    }
}

/// Passes the objects of the repository to `read`. Returns `None` if git fails.
pub fn with_objects<R>(root: &Path, read: impl FnOnce(&mut Objects<'_>) -> R) -> Option<R> {
    converse(Git::new(root, ["cat-file", "--batch"]), read)
}

/// Passes the objects that a `cat-file --batch` process has to `read`. Returns `None` if git fails.
pub(super) fn converse<R>(git: Git<'_>, read: impl FnOnce(&mut Objects<'_>) -> R) -> Option<R> {
    let mut result = None;
    git.converse(|stdin, stdout, is_waiting| {
        let recent = VecDeque::new();
        result = Some(read(&mut Objects {
            stdin,
            stdout,
            is_waiting,
            recent,
        }));
        Ok(())
    })
    .ok()?;
    result
}

/// Applies `work` to each of `jobs`, each on a thread with its own process that reads objects.
/// Returns `None` if git fails.
pub fn with_objects_each<J: Send, R: Send>(
    root: &Path,
    jobs: Vec<J>,
    work: impl Fn(&mut Objects<'_>, J) -> R + Sync,
) -> Option<Vec<R>> {
    let found = in_parallel(jobs, |job| with_objects(root, |objects| work(objects, job)));
    found.into_iter().collect()
}
