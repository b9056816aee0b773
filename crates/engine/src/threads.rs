//! Threads of a process that may be limited to few of them (`ulimit -u`, a limit of a container).
//!
//! `std` and `rayon` panic if a thread does not start. Here it is an error, or the work is done without
//! the thread.

use std::io;
use std::panic::resume_unwind;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use rayon::{ThreadBuilder, ThreadPoolBuilder};

/// Starts up to `n_threads` threads for parallel work, and as many as the system allows. Fails if
/// there is none.
pub fn start_pool(n_threads: usize) -> io::Result<()> {
    let start = |_| {
        let (sender, receiver) = channel::<ThreadBuilder>();
        // Without a worker there is nothing to do.
        let run = move || receiver.recv().map_or((), ThreadBuilder::run);
        Builder::new().spawn(run).map(|_| sender)
    };
    let (started, failed) = until_error((0..n_threads).map(start));
    if let (true, Some(error)) = (started.is_empty(), failed) {
        return Err(error);
    }
    let n_started = started.len();
    let mut started = started.into_iter();
    let hand_over = |worker| {
        let sent = started.next().map(|sender| sender.send(worker));
        sent.and_then(Result::ok)
            .ok_or_else(|| io::Error::other("a thread ended early"))
    };
    let pool = ThreadPoolBuilder::new()
        .num_threads(n_started)
        .spawn_handler(hand_over);
    // It fails only if the process has a pool: then that is used, and the new threads end.
    let _ = pool.build_global();
    Ok(())
}

/// Returns the results before the first error, and that error.
fn until_error<T>(results: impl Iterator<Item = io::Result<T>>) -> (Vec<T>, Option<io::Error>) {
    let mut error = None;
    let found = results
        .map_while(|result| result.map_err(|it| error = Some(it)).ok())
        .collect();
    (found, error)
}

/// Work on another thread, or done work if it did not start.
pub enum Running<'scope, T> {
    Elsewhere(ScopedJoinHandle<'scope, T>),
    Done(T),
}

/// Starts `work` on a thread. If none starts, does the work before it returns: `work` must not wait
/// for what the caller does afterwards.
pub fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Running<'scope, T> {
    let work = Arc::new(Mutex::new(Some(work)));
    let shared = Arc::clone(&work);
    match Builder::new().spawn_scoped(scope, move || done(&shared)) {
        Ok(thread) => Running::Elsewhere(thread),
        Err(_) => Running::Done(done(&work)),
    }
}

/// Does the work, which only one caller does.
fn done<T>(work: &Mutex<Option<impl FnOnce() -> T>>) -> T {
    let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
    work.expect("it is done once")()
}

impl<T> Running<'_, T> {
    /// Waits for the result. A panic of the work continues here.
    pub fn join(self) -> T {
        match self {
            Self::Elsewhere(thread) => thread
                .join()
                .unwrap_or_else(|payload| resume_unwind(payload)),
            Self::Done(result) => result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_with_and_without_a_thread() {
        let works = |n_threads| {
            std::thread::scope(|scope| {
                let running: Vec<_> = (0..n_threads).map(|n| spawn(scope, move || n)).collect();
                running.into_iter().map(Running::join).sum::<usize>()
            })
        };
        assert_eq!(works(3), 3);
        let started = until_error([Ok(1), Err(io::Error::other("limit")), Ok(3)].into_iter());
        assert_eq!((started.0, started.1.is_some()), (vec![1], true));
    }
}
