//! Timings of the steps of a command, for `--timings`.
//!
//! A process runs one command and its steps are in all layers, so the record is global. It is
//! active only if requested. Steps can be nested.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

static RECORD: Mutex<Option<Record>> = Mutex::new(None);

#[derive(Debug)]
struct Record {
    started: Instant,
    steps: Vec<Step>,
    /// Number of running steps.
    depth: usize,
}

/// Step that ran at least once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub name: &'static str,
    /// Number of enclosing steps.
    pub depth: usize,
    pub time: Duration,
    pub n_times: usize,
}

/// Running step. It ends when the value is dropped.
#[derive(Debug)]
#[must_use = "a step ends when this is dropped"]
pub struct Running(Option<(usize, Instant)>);

fn record() -> MutexGuard<'static, Option<Record>> {
    RECORD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts recording.
pub fn start() {
    *record() = Some(Record { started: Instant::now(), steps: Vec::new(), depth: 0 });
}

/// Starts a step on the main thread of the command.
pub fn step(name: &'static str) -> Running {
    let mut record = record();
    let Some(record) = record.as_mut() else {
        return Running(None);
    };
    let depth = record.depth;
    let known = record.steps.iter().position(|step| step.name == name && step.depth == depth);
    let step_idx = known.unwrap_or(record.steps.len());
    if known.is_none() {
        record.steps.push(Step { name, depth, time: Duration::ZERO, n_times: 0 });
    }
    record.depth += 1;
    Running(Some((step_idx, Instant::now())))
}

/// Runs a step on the main thread of the command.
pub fn timed<T>(name: &'static str, run: impl FnOnce() -> T) -> T {
    let _step = step(name);
    run()
}

impl Drop for Running {
    fn drop(&mut self) {
        if let (Some((step_idx, started)), Some(record)) = (self.0.take(), record().as_mut()) {
            record.steps[step_idx].time += started.elapsed();
            record.steps[step_idx].n_times += 1;
            record.depth = record.depth.saturating_sub(1);
        }
    }
}

/// Ends recording. Returns the steps in the order of their first start and the total time, or
/// `None` if recording was not started.
pub fn finish() -> Option<(Vec<Step>, Duration)> {
    let record = record().take()?;
    Some((record.steps, record.started.elapsed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_by_name_and_depth() {
        assert!(finish().is_none());
        drop(step("before"));
        start();
        for _ in 0..2 {
            let _outer = step("outer");
            let _inner = step("inner");
        }
        drop(step("inner"));
        let (steps, total) = finish().expect("a record");
        let found: Vec<_> =
            steps.iter().map(|step| (step.name, step.depth, step.n_times)).collect();
        assert_eq!(found, [("outer", 0, 2), ("inner", 1, 2), ("inner", 0, 1)]);
        assert!(steps.iter().all(|step| step.time <= total));
    }
}
