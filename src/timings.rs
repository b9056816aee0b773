//! Where a command's time goes, for `--timings`.
//!
//! A process runs one command, whose steps are on every layer: so there is one record for
//! the process, kept only if it was asked for. A step inside another one is part of it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

static RECORD: Mutex<Option<Record>> = Mutex::new(None);

#[derive(Debug)]
struct Record {
    started: Instant,
    steps: Vec<Step>,
    /// How many steps are under way.
    depth: usize,
}

/// A step that was taken, once or more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    /// How many steps it is inside of.
    pub(crate) depth: usize,
    pub(crate) time: Duration,
    pub(crate) n_times: usize,
}

/// A step under way; it ends when this goes.
#[derive(Debug)]
#[must_use = "a step ends when this is dropped"]
pub(crate) struct Running(Option<(usize, Instant)>);

fn record() -> MutexGuard<'static, Option<Record>> {
    RECORD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts to keep a record.
pub(crate) fn start() {
    *record() = Some(Record { started: Instant::now(), steps: Vec::new(), depth: 0 });
}

/// Starts a step of the command's own thread.
pub(crate) fn step(name: &'static str) -> Running {
    let mut record = record();
    let Some(record) = record.as_mut() else {
        return Running(None);
    };
    let depth = record.depth;
    let known = record.steps.iter().position(|step| step.name == name && step.depth == depth);
    let at = known.unwrap_or(record.steps.len());
    if known.is_none() {
        record.steps.push(Step { name, depth, time: Duration::ZERO, n_times: 0 });
    }
    record.depth += 1;
    Running(Some((at, Instant::now())))
}

impl Drop for Running {
    fn drop(&mut self) {
        if let (Some((at, started)), Some(record)) = (self.0.take(), record().as_mut()) {
            record.steps[at].time += started.elapsed();
            record.steps[at].n_times += 1;
            record.depth = record.depth.saturating_sub(1);
        }
    }
}

/// Ends the record and returns the steps, in the order in which they first began, and
/// the whole time; none if no record was kept.
pub(crate) fn finish() -> Option<(Vec<Step>, Duration)> {
    let record = record().take()?;
    Some((record.steps, record.started.elapsed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_where_they_are() {
        assert!(finish().is_none());
        drop(step("before"));
        start();
        for _ in 0..2 {
            let _outer = step("outer");
            let _inner = step("inner");
        }
        drop(step("inner"));
        let (steps, total) = finish().expect("a record");
        let found: Vec<_> = steps.iter().map(|it| (it.name, it.depth, it.n_times)).collect();
        assert_eq!(found, [("outer", 0, 2), ("inner", 1, 2), ("inner", 0, 1)]);
        assert!(steps.iter().all(|step| step.time <= total));
    }
}
