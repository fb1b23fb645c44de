//! How far a run is, on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

use crate::output;

/// A bar on standard error where that is a terminal, else nothing.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A bar over so many cases.
    pub(crate) fn new(cases: usize) -> Self {
        let cases = u64::try_from(cases).unwrap_or(u64::MAX);
        let style = ProgressStyle::with_template("{bar:30} {pos} of {len} vectors, {elapsed}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ");
        let bar =
            ProgressBar::with_draw_target(Some(cases), ProgressDrawTarget::stderr_with_hz(10));
        Self(bar.with_style(style).with_finish(ProgressFinish::AndClear))
    }

    /// One more case has its answer.
    pub(crate) fn step(&self) {
        self.0.inc(1);
    }

    /// Writes a warning, with the bar out of the way.
    pub(crate) fn warn(&self, text: impl std::fmt::Display) {
        self.0.suspend(|| output::warn(text));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
