//! Progress bars on a terminal for anything longer than a second, and a clean stop when asked to.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mixgist::{Error, Progress};

use crate::signals::{STOPPED, listen};
use crate::text::remark;

/// Talks to the terminal on standard error; silent when that is none.
pub struct Terminal {
    started: Instant,
    state: Arc<State>,
}

/// What the job and the handler of signals share.
struct State {
    /// The exit code that goes with the signal; 0 while there was none.
    stopped: AtomicU8,
    /// Whether the user was told of it, by the job or by the thread that ends it.
    told: AtomicBool,
    writing: AtomicBool,
    bar: Option<Mutex<ProgressBar>>,
}

/// Shorter jobs show no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A job that was asked to stop has this long to do so by itself.
const GRACE: Duration = Duration::from_millis(700);

impl Terminal {
    /// Takes over the signals: the job is asked to stop, and ended when it does not within a second (a long read, say), unless
    /// files are being written. A second signal ends it in any case. Unfinished files are removed.
    pub fn new() -> Self {
        let state = Arc::new(State {
            stopped: AtomicU8::new(0),
            told: AtomicBool::new(false),
            writing: AtomicBool::new(false),
            bar: std::io::stderr().is_terminal().then(|| Mutex::new(ProgressBar::hidden())),
        });
        let (asked, asked_again) = (Arc::clone(&state), Arc::clone(&state));
        let end = |state: &State, code: u8| -> ! {
            state.with_bar(|bar| bar.finish_and_clear());
            if state.is_first_to_tell() {
                remark(&format!("error: {}", Error::interrupted()));
            }
            mixgist_files::abandon(code.into())
        };
        let (grace, patience) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            if let Ok(code) = patience.recv() {
                std::thread::sleep(GRACE);
                if !asked.writing.load(Ordering::Relaxed) {
                    end(&asked, code);
                }
            }
        });
        listen(move |code| {
            if asked_again.stopped.swap(code, Ordering::Relaxed) != 0 {
                mixgist_files::abandon(code.into());
            }
            let _ = grace.send(code); // the other thread listens as long as there is one
        });
        Terminal { started: Instant::now(), state }
    }

    /// The exit code of a job that was stopped.
    pub fn stop_code(&self) -> u8 {
        match self.state.stopped.load(Ordering::Relaxed) {
            0 => STOPPED,
            code => code,
        }
    }

    /// Whether the user still is to be told that the job was stopped.
    pub fn is_first_to_tell(&self) -> bool {
        self.state.is_first_to_tell()
    }

    /// Says that files are being written from here on, so that temporary ones are cleaned up whatever happens.
    pub fn begin_writing(&self) {
        self.state.writing.store(true, Ordering::Relaxed);
    }

    /// Removes the bar, so that the answer stands alone.
    pub fn clear(&self) {
        self.state.with_bar(|bar| bar.finish_and_clear());
    }
}

impl State {
    fn is_first_to_tell(&self) -> bool {
        !self.told.swap(true, Ordering::Relaxed)
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
        self.clear();
    }
}

impl Progress for Terminal {
    fn begin(&self, phase: &str, total: u64) {
        self.state.with_bar(|bar| {
            bar.finish_and_clear();
            *bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden())
                .with_message(phase.to_owned())
                .with_style(
                    ProgressStyle::with_template("{msg:26} {bar:30} {pos}/{len} {eta}").expect("the template is valid"),
                );
        });
    }

    fn advance(&self, steps: u64) {
        self.state.with_bar(|bar| {
            if bar.is_hidden() && self.started.elapsed() > PATIENCE {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            bar.inc(steps);
        });
    }

    fn remark(&self, remark: &str) {
        self.state.with_bar(|bar| bar.set_message(remark.to_owned()));
    }

    fn cancelled(&self) -> bool {
        self.state.stopped.load(Ordering::Relaxed) != 0
    }
}
