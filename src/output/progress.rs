//! A progress bar on stderr, where that is a terminal and work takes long enough to see.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::config::Terminal;

/// How often the bar is drawn, a second.
const DRAWS: u8 = 10;

/// Shows how far a piece of work is.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// Returns a bar that shows nothing until its first step, nor off a terminal.
    pub(crate) fn new(terminal: Terminal, what: &'static str) -> Self {
        let target = if terminal.err_is_terminal {
            ProgressDrawTarget::stderr_with_hz(DRAWS)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target).with_message(what);
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// Shows that `done` of `total` steps are done.
    pub(crate) fn step(&self, done: usize, total: usize) {
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
