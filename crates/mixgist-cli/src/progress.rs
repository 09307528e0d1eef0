//! Progress bars on a terminal for anything longer than a second, and a clean stop on Ctrl-C.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mixgist::Progress;

/// Talks to the terminal on standard error; silent when that is none.
pub struct Terminal {
    started: Instant,
    stopped: Arc<AtomicBool>,
    bar: Option<Mutex<ProgressBar>>,
}

/// Shorter jobs show no bar.
const PATIENCE: Duration = Duration::from_secs(1);

impl Terminal {
    /// Takes over Ctrl-C: the first one asks the job to stop, the second one ends the program at once.
    pub fn new() -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stopped);
        // Without a handler Ctrl-C simply ends the program, which loses nothing: outputs appear whole or not at all.
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        let bar = std::io::stderr().is_terminal().then(|| Mutex::new(ProgressBar::hidden()));
        Terminal { started: Instant::now(), stopped, bar }
    }

    fn with_bar(&self, f: impl FnOnce(&mut ProgressBar)) {
        if let Some(bar) = &self.bar
            && let Ok(mut bar) = bar.lock()
        {
            f(&mut bar);
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.with_bar(|bar| bar.finish_and_clear());
    }
}

impl Progress for Terminal {
    fn begin(&self, phase: &str, total: u64) {
        self.with_bar(|bar| {
            bar.finish_and_clear();
            *bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden())
                .with_message(phase.to_owned())
                .with_style(
                    ProgressStyle::with_template("{msg:26} {bar:30} {pos}/{len} {eta}").expect("the template is valid"),
                );
        });
    }

    fn advance(&self, steps: u64) {
        self.with_bar(|bar| {
            if bar.is_hidden() && self.started.elapsed() > PATIENCE {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            bar.inc(steps);
        });
    }

    fn remark(&self, remark: &str) {
        self.with_bar(|bar| bar.set_message(remark.to_owned()));
    }

    fn cancelled(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
