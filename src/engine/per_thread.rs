//! One value for each thread that works, kept from one batch of work to the next.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A value for each thread of the pool.
pub(super) struct PerThread<T>(Vec<Mutex<T>>);

impl<T: Default> PerThread<T> {
    pub(super) fn new() -> Self {
        // One more for a thread that is none of the pool's.
        Self((0..=rayon::current_num_threads()).map(|_| Mutex::default()).collect())
    }

    /// Returns the value of the thread that asks. Whoever holds it gives the pool no
    /// other work, since the thread might take up work that asks for it again.
    pub(super) fn own(&self) -> MutexGuard<'_, T> {
        let at = rayon::current_thread_index().map_or(0, |at| at + 1);
        self.0[at % self.0.len()].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
