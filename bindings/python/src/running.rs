//! How a job of the core runs under Python: on its own thread, with the interpreter released, while the caller's thread listens to signals
//! and reports progress.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use mixgist::{Error, Progress};
use mixgist_io::memory;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Failure, Result};

/// How often signals are looked at and progress is reported.
const TICK: Duration = Duration::from_millis(50);

/// What every long call takes besides its subject.
pub struct Call {
    /// Number of threads; all cores without it.
    pub threads: Option<usize>,
    /// A function (phase, done, total, remark) that shows progress.
    pub progress: Option<Py<PyAny>>,
}

impl Call {
    /// Runs a job. Ctrl-C, or an exception of the progress function, stops it and is raised.
    pub fn run<T: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&dyn Progress) -> mixgist::Result<T> + Send,
    ) -> Result<T> {
        let pool = pool(self.threads)?;
        let watch = Watch::default();
        let mut raised = None;
        let result = std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let _end = End(&watch);
                pool.install(|| job(&watch))
            });
            while !py.detach(|| watch.ended_within(TICK)) {
                if let Err(error) = py.check_signals().and_then(|()| self.report(py, &watch)) {
                    watch.cancelled.store(true, Ordering::Relaxed);
                    raised.get_or_insert(error);
                }
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        match raised {
            Some(error) => Err(Failure::Python(error)),
            None => Ok(result?),
        }
    }

    fn report(&self, py: Python<'_>, watch: &Watch) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        let state = lock(&watch.state).clone();
        let done = watch.done.load(Ordering::Relaxed).min(state.total);
        progress.call1(py, (state.phase, done, state.total, state.remark)).map(drop)
    }
}

/// Runs a job that may sit in code of others, such as reading a file. Ctrl-C is raised at once; `stop` asks the job to end by itself.
pub fn run_apart<T: Send + 'static>(
    py: Python<'_>,
    stop: impl FnOnce(),
    job: impl FnOnce() -> mixgist::Result<T> + Send + 'static,
) -> Result<T> {
    let (tell, mut told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let _ = tell.send(job()); // nobody listens any more after Ctrl-C
    });
    loop {
        let (heard, listener) = py.detach(move || (told.recv_timeout(TICK), told));
        told = listener;
        match heard {
            Ok(result) => return Ok(result?),
            Err(RecvTimeoutError::Disconnected) => return Err(Error::input("cannot be read: the reader failed").into()),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = py.check_signals() {
                    stop();
                    return Err(Failure::Python(error));
                }
            }
        }
    }
}

/// What the job and the caller's thread share.
#[derive(Default)]
struct Watch {
    cancelled: AtomicBool,
    done: AtomicU64,
    state: Mutex<State>,
    ended: Mutex<bool>,
    bell: Condvar,
}

#[derive(Default, Clone)]
struct State {
    phase: String,
    total: u64,
    remark: String,
}

impl Watch {
    fn ended_within(&self, time: Duration) -> bool {
        let ended = lock(&self.ended);
        *self.bell.wait_timeout_while(ended, time, |ended| !*ended).unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Says that the job has ended, even by a panic.
struct End<'a>(&'a Watch);

impl Drop for End<'_> {
    fn drop(&mut self) {
        *lock(&self.0.ended) = true;
        self.0.bell.notify_all();
    }
}

impl Progress for Watch {
    fn begin(&self, phase: &str, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        *lock(&self.state) = State { phase: phase.to_owned(), total, remark: String::new() };
    }

    fn advance(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    fn remark(&self, remark: &str) {
        lock(&self.state).remark = remark.to_owned();
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// The threads that the last call used.
struct LastPool {
    process: u32,
    threads: Option<usize>,
    pool: Arc<ThreadPool>,
}

static KEPT: Mutex<Option<LastPool>> = Mutex::new(None);

/// A pool of that many threads: the one of the last call, if it fits.
///
/// Rayon's global pool does not survive a fork, which is how `multiprocessing` starts its processes on Linux; a pool that belongs to another
/// process is left alone.
fn pool(threads: Option<usize>) -> Result<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut kept = lock(&KEPT);
    if let Some(own) = kept.as_ref().filter(|own| own.process == process && own.threads == threads) {
        return Ok(Arc::clone(&own.pool));
    }
    let count = threads.map_or(0, |threads| threads.max(1));
    if count > memory::MOST_THREADS.into() {
        let most = memory::MOST_THREADS;
        return Err(Error::usage(format!("threads is {count}, must be from 1 to {most}"))
            .hint("leave it out to use all cores")
            .into());
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(count)
        .thread_name(|index| format!("mixgist-{index}"))
        .build()
        .map_err(|cause| Error::resource(format!("cannot start {count} threads: {cause}")))?;
    let pool = Arc::new(pool);
    if let Some(old) = kept.replace(LastPool { process, threads, pool: Arc::clone(&pool) })
        && old.process != process
    {
        std::mem::forget(old);
    }
    Ok(pool)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
