//! Progress bar on stderr, shown only on a terminal, and only for what takes longer than a second.

use std::time::Duration;

use indicatif::{ProgressDrawTarget, ProgressStyle};

use crate::config::Terminal;

/// Frames per second.
const FRAME_RATE: u8 = 10;

/// Time before the bar is shown.
const DELAY: Duration = Duration::from_secs(1);

/// Progress bar that is removed when dropped.
pub(crate) struct ProgressBar(indicatif::ProgressBar);

impl ProgressBar {
    /// Creates a bar with a label. It is hidden until its first step after the delay.
    pub(crate) fn new(terminal: Terminal, label: &'static str) -> Self {
        let target = if terminal.err_is_terminal {
            ProgressDrawTarget::stderr_with_hz(FRAME_RATE)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = indicatif::ProgressBar::with_draw_target(None, target).with_message(label);
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Shows that `done` of `total` steps are complete.
    pub(crate) fn step(&self, done: usize, total: usize) {
        if self.0.elapsed() < DELAY {
            return;
        }
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
