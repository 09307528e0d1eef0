//! How a job of the core runs under R: on its own thread, while R's thread calls the function `tick` some times per second, which shows
//! progress and notices interrupts.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use mixgist::{Error, Progress};
use mixgist_io::memory;
use rayon::{ThreadPool, ThreadPoolBuilder};
use savvy::{FunctionArgs, FunctionSexp, OwnedRealSexp, OwnedStringSexp};

use crate::error::{Failure, Result};
use crate::options::Options;

/// How often R is called.
const TICK: Duration = Duration::from_millis(50);

/// What every long call takes besides its subject.
pub struct Call {
    /// Number of threads; all cores without it.
    threads: Option<usize>,
    /// A function (phase, done, total, remark) of R.
    tick: FunctionSexp,
}

impl Call {
    /// From the list of options, which holds `threads`, and the function that is called now and then.
    pub fn new(options: &Options, tick: FunctionSexp) -> Result<Self> {
        Ok(Call { threads: options.size("threads")?, tick })
    }

    /// Runs a job. An interrupt, or an error of the function, stops it and goes back to R.
    pub fn run<T: Send>(&self, job: impl FnOnce(&dyn Progress) -> mixgist::Result<T> + Send) -> Result<T> {
        let pool = pool(self.threads)?;
        let watch = Watch::default();
        let mut raised = None;
        let result = std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let _end = End(&watch);
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pool.install(|| job(&watch))))
            });
            while !watch.ended_within(TICK) {
                // Once R has been interrupted it is not called again before it has its interrupt back.
                if raised.is_none()
                    && let Err(error) = self.report(&watch)
                {
                    watch.cancelled.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
            worker.join()
        });
        match (raised, result) {
            (Some(error), _) => Err(Failure::R(error)),
            (None, Ok(Ok(result))) => Ok(result?),
            // No input should lead here; a session of R must survive it all the same.
            (None, _) => Err(Error::resource("mixgist failed within: this is a defect of mixgist").into()),
        }
    }

    fn report(&self, watch: &Watch) -> savvy::Result<()> {
        let state = lock(&watch.state).clone();
        let done = watch.done.load(Ordering::Relaxed).min(state.total);
        let mut arguments = FunctionArgs::new();
        arguments.add("phase", OwnedStringSexp::try_from_scalar(state.phase)?)?;
        arguments.add("done", OwnedRealSexp::try_from_scalar(done as f64)?)?;
        arguments.add("total", OwnedRealSexp::try_from_scalar(state.total as f64)?)?;
        arguments.add("remark", OwnedStringSexp::try_from_scalar(state.remark)?)?;
        self.tick.call(arguments).map(drop)
    }
}

/// What the job and R's thread share.
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

/// A pool of that many threads: the one of the last call, if it fits. A pool of another process is left alone: `parallel::mclapply` forks.
fn pool(threads: Option<usize>) -> Result<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut kept = lock(&KEPT);
    if let Some(own) = kept.as_ref().filter(|own| own.process == process && own.threads == threads) {
        return Ok(Arc::clone(&own.pool));
    }
    let count = threads.unwrap_or(0);
    if threads == Some(0) || count > memory::MOST_THREADS.into() {
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
