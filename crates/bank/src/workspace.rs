//! A project that a process works on. It is opened once: memories, anchors, the store with the
//! database of the user, and the code index are read when they are first asked for, and not again.
//!
//! A write is the exception. [`Workspace::lock`] forgets what was read, so that a writer reads the
//! bank a second time under the write lock, and so does its end, because the files are new then.
//! [`Workspace::with_repair`] closes a damaged store before it is replaced.

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use anyhow::Result;
use cerberus_engine::examples::{self, CodeIndex, Options, Query, Ranking};
use cerberus_engine::{CodeBase, Progress};
use cerberus_model::Anchor;
use cerberus_store::{self as store, Store};

use crate::memories::Memories;
use crate::project::Project;
use crate::sync::{self, SyncedStore};
use crate::{MemoryFile, WriteGuard};

/// A project with the parts of it that were read.
///
/// The parts are behind cells, so that operations share a workspace. It is for one thread.
pub struct Workspace {
    project: Project,
    store: RefCell<Option<Rc<Store>>>,
    memories: RefCell<Option<Rc<Memories>>>,
    synced: RefCell<Option<SyncedStore>>,
    index: RefCell<Option<CodeIndex>>,
    /// Whether a caller repairs a damaged store.
    is_repaired: Cell<bool>,
}

/// The write lock of the bank. What was read before the lock or under it is forgotten at its end.
pub struct Locked<'w> {
    workspace: &'w Workspace,
    _guard: WriteGuard,
}

impl Workspace {
    /// Opens a project. Reads nothing.
    pub fn new(project: Project) -> Self {
        Self {
            project,
            store: RefCell::default(),
            memories: RefCell::default(),
            synced: RefCell::default(),
            index: RefCell::default(),
            is_repaired: Cell::default(),
        }
    }

    /// Returns the workspace with an agent as the writer of its bank.
    pub fn for_agent(mut self, agent: &str) -> Self {
        self.project.bank = self.project.bank.for_agent(agent);
        self
    }

    /// Returns the memories and anchors of the bank.
    pub fn memories(&self) -> Result<Rc<Memories>> {
        if let Some(memories) = &*self.memories.borrow() {
            return Ok(Rc::clone(memories));
        }
        let memories = Rc::new(Memories::load(&self.project.bank)?);
        *self.memories.borrow_mut() = Some(Rc::clone(&memories));
        Ok(memories)
    }

    /// Waits for the write lock of the bank. The memories are read again under it.
    pub fn lock(&self) -> Result<Locked<'_>> {
        let guard = self.project.bank.lock_for_writing()?;
        self.forget_bank();
        Ok(Locked {
            workspace: self,
            _guard: guard,
        })
    }

    /// Returns the store, to which the database of the user is attached.
    pub fn store(&self) -> Result<Rc<Store>> {
        if let Some(store) = &*self.store.borrow() {
            return Ok(Rc::clone(store));
        }
        let store = Rc::new(Store::open(&self.project.store)?);
        *self.store.borrow_mut() = Some(Rc::clone(&store));
        Ok(store)
    }

    /// Returns the store with the current memories of the bank. It is updated from the memories if
    /// they were read, else from the files that changed.
    pub fn synced(&self) -> Result<SyncedStore> {
        if let Some(synced) = &*self.synced.borrow() {
            return Ok(synced.clone());
        }
        let memories = self.memories.borrow().clone();
        let synced = match memories {
            Some(memories) => sync::from_memories(&self.project, self.store()?, memories)?,
            None => sync::from_files(&self.project, || self.store())?,
        };
        *self.synced.borrow_mut() = Some(synced.clone());
        Ok(synced)
    }

    /// Returns the memory with this id and its anchor, reading only its own file. Returns `None` if
    /// the store does not contain the id or the file now has another one.
    pub fn memory(&self, id: &str) -> Result<Option<(MemoryFile, Option<Anchor>)>> {
        if !self.project.bank.exists() {
            return Ok(None);
        }
        SyncedStore::one(&self.project.bank, self.store()?, id)
    }

    /// Returns the code of the project, whose index is in `store`.
    pub fn code<'a>(&'a self, store: &'a Rc<Store>) -> CodeBase<'a> {
        CodeBase {
            root: &self.project.root,
            store,
            exclude: &self.project.exclude,
            weights: &self.project.weights,
            progress: &|_, _| {},
            now: i64::try_from(self.project.now.as_nanosecond()).unwrap_or(i64::MAX),
        }
    }

    /// Brings the code index up to date unless it is, and returns the warnings about that.
    pub fn index_code(&self) -> Result<Vec<String>> {
        let mut index = self.index.borrow_mut();
        let index = match &mut *index {
            Some(index) => index,
            None => index.insert(examples::open_index(self.code(&self.store()?))?),
        };
        Ok(std::mem::take(&mut index.warnings))
    }

    /// Ranks the candidates of each query, in order. The code index is brought up to date once.
    pub fn rank(&self, queries: &[Query], options: Options) -> Result<Vec<Ranking>> {
        self.rank_with(queries, options, &|_, _| {})
    }

    /// Like [`Self::rank`], and reports the progress.
    pub fn rank_with(
        &self,
        queries: &[Query],
        options: Options,
        progress: Progress<'_>,
    ) -> Result<Vec<Ranking>> {
        let store = self.store()?;
        let code = CodeBase {
            progress,
            ..self.code(&store)
        };
        let mut index = self.index.borrow_mut();
        examples::find(code, &mut index, queries, options)
    }

    /// Passes the code index to `work`. It is brought up to date once.
    pub fn with_index<T>(&self, work: impl FnOnce(CodeBase<'_>, &CodeIndex) -> T) -> Result<T> {
        let store = self.store()?;
        let code = self.code(&store);
        let mut index = self.index.borrow_mut();
        let index = match &mut *index {
            Some(index) => index,
            None => index.insert(examples::open_index(code)?),
        };
        Ok(work(code, index))
    }

    /// Forgets what was read, because a person or an agent was waited for and the files may have
    /// changed. The store remains open.
    pub fn forget(&self) {
        self.forget_bank();
        self.index.take();
    }

    /// Runs `work`. If the store turns out to be damaged, replaces it and repeats the work once,
    /// with a warning. Work reads the store before it writes to the bank.
    ///
    /// Within the work of another call, the damage is repaired by that one: it may use the store.
    pub fn with_repair<T>(&self, mut work: impl FnMut(Option<String>) -> Result<T>) -> Result<T> {
        if self.is_repaired.replace(true) {
            return work(None);
        }
        let done = store::with_repair(&self.project.store, |warning| {
            let done = work(warning);
            if done.is_err() {
                // An open store would remove the log of the one that replaces it.
                self.close();
            }
            done
        });
        self.is_repaired.set(false);
        done
    }

    fn close(&self) {
        self.forget();
        self.store.take();
    }

    fn forget_bank(&self) {
        self.memories.take();
        self.synced.take();
    }
}

impl Deref for Workspace {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.project
    }
}

impl Locked<'_> {
    /// Returns the memories and anchors, read under the lock.
    pub fn memories(&self) -> Result<Rc<Memories>> {
        self.workspace.memories()
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        self.workspace.forget_bank();
    }
}

#[cfg(test)]
mod tests {
    use cerberus_engine::rank::calibrate::Weights;
    use cerberus_engine::rank::fusion::Recency;
    use cerberus_model::MemoryId;
    use cerberus_store::StoreFile;

    use super::*;
    use crate::Bank;
    use crate::project::{InjectOptions, PinLimits};

    fn id(text: &str) -> MemoryId {
        text.parse().expect("a valid id")
    }

    fn workspace(folder: &std::path::Path) -> Workspace {
        let bank = Bank::new(folder.join(".memories"));
        bank.create().expect("a bank");
        Workspace::new(Project {
            root: folder.to_owned(),
            store: StoreFile {
                path: bank.folder().join("indices/cerberus.db"),
                state: Some(folder.join("state")),
            },
            bank,
            name: None.into(),
            exclude: Vec::new(),
            min_quality: 1.0,
            min_import_quality: 1.0,
            weights: Weights::default(),
            recency: Recency::default(),
            pins: PinLimits::default(),
            inject: InjectOptions::default(),
            now: "2026-01-02T03:04:05Z".parse().expect("a time"),
        })
    }

    #[test]
    fn memories_are_read_once_and_again_under_the_lock() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = workspace(folder.path());
        let first = project.memories().expect("read");
        project.bank.create_text(&id("a"), "one").expect("created");
        assert!(Rc::ptr_eq(&first, &project.memories().expect("read")));
        let lock = project.lock().expect("free");
        assert_eq!(lock.memories().expect("read").all.len(), 1);
        project.bank.create_text(&id("b"), "two").expect("created");
        drop(lock);
        assert_eq!(project.memories().expect("read").all.len(), 2);
    }

    #[test]
    fn the_store_has_the_memories_that_were_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = workspace(folder.path());
        project.bank.create_text(&id("a"), "one").expect("created");
        project.memories().expect("read");
        let synced = project.synced().expect("synced");
        assert!(Rc::ptr_eq(&synced.store, &project.store().expect("open")));
        // Read before, so that the removed file is not opened again.
        project.bank.discard("a.md").expect("removed");
        assert_eq!(synced.read("a.md").expect("known").text, "one");
        project.forget();
        assert!(project.synced().expect("synced").read("a.md").is_err());
    }

    #[test]
    fn a_damaged_store_is_replaced_once_by_the_outermost_caller() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = workspace(folder.path());
        let damaged = Rc::downgrade(&project.store().expect("open"));
        let mut warnings = Vec::new();
        let done = project.with_repair(|warning| {
            let is_first = warnings.is_empty();
            warnings.push(warning);
            project.with_repair(|_| {
                let store = project.store()?;
                if is_first {
                    store.reader().prepare("SELECT x FROM missing")?;
                }
                Ok(())
            })
        });
        done.expect("repaired");
        assert!(warnings.len() == 2 && warnings[1].is_some(), "{warnings:?}");
        assert!(damaged.upgrade().is_none(), "the damaged store is closed");
    }
}
