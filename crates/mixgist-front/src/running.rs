//! How a job of the core runs under an interpreter: on threads of its own, while the interpreter's thread listens to signals and reports
//! progress.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use mixgist::{Error, Progress, Result};
use mixgist_io::memory;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// How often the interpreter's thread listens.
pub const TICK: Duration = Duration::from_millis(50);

/// Why there is no answer.
pub enum Stopped<E> {
    /// The job failed.
    Failed(Error),
    /// Whoever listens stopped it.
    Raised(E),
    /// The job panicked, which no input should make it do.
    Panicked(Box<dyn Any + Send>),
}

/// Runs a job on so many threads, all cores without a number. Meanwhile `wait` waits for at most a [`TICK`] and says whether the job has ended
/// ([`Watch::has_ended`]), and `listen` is called between; its first error stops the job, after which it is not called again.
pub fn run<T: Send, E>(
    threads: Option<usize>,
    job: impl FnOnce(&dyn Progress) -> Result<T> + Send,
    wait: impl Fn(&Watch) -> bool,
    mut listen: impl FnMut(&Watch) -> std::result::Result<(), E>,
) -> std::result::Result<T, Stopped<E>> {
    let pool = pool(threads).map_err(Stopped::Failed)?;
    let watch = Watch::default();
    let mut raised = None;
    let result = std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let _end = End(&watch);
            pool.install(|| job(&watch))
        });
        while !wait(&watch) {
            if raised.is_none()
                && let Err(error) = listen(&watch)
            {
                watch.cancelled.store(true, Ordering::Relaxed);
                raised = Some(error);
            }
        }
        worker.join()
    });
    match (raised, result) {
        (Some(error), _) => Err(Stopped::Raised(error)),
        (None, Ok(result)) => result.map_err(Stopped::Failed),
        (None, Err(panic)) => Err(Stopped::Panicked(panic)),
    }
}

/// What the job and the interpreter's thread share.
#[derive(Default)]
pub struct Watch {
    cancelled: AtomicBool,
    done: AtomicU64,
    state: Mutex<State>,
    ended: Mutex<bool>,
    bell: Condvar,
}

/// How far the job is.
#[derive(Default, Clone)]
pub struct State {
    /// What it does.
    pub phase: String,
    /// Steps that are done.
    pub done: u64,
    /// Steps that there are.
    pub total: u64,
    /// What else there is to know.
    pub remark: String,
}

impl Watch {
    /// Waits for the end of the job, for at most a [`TICK`].
    pub fn has_ended(&self) -> bool {
        let ended = lock(&self.ended);
        *self.bell.wait_timeout_while(ended, TICK, |ended| !*ended).unwrap_or_else(PoisonError::into_inner).0
    }

    /// How far the job is.
    pub fn state(&self) -> State {
        let state = lock(&self.state).clone();
        State { done: self.done.load(Ordering::Relaxed).min(state.total), ..state }
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
        *lock(&self.state) = State { phase: phase.to_owned(), total, ..State::default() };
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
/// Rayon's global pool does not survive a fork, which is how Python's `multiprocessing` and R's `parallel::mclapply` start their processes; a pool
/// that belongs to another process is left alone.
fn pool(threads: Option<usize>) -> Result<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut kept = lock(&KEPT);
    if let Some(own) = kept.as_ref().filter(|own| own.process == process && own.threads == threads) {
        return Ok(Arc::clone(&own.pool));
    }
    let (count, most) = (threads.unwrap_or(0), memory::MOST_THREADS);
    if threads == Some(0) || count > most.into() {
        return Err(
            Error::usage(format!("threads is {count}, must be from 1 to {most}")).hint("leave it out to use all cores")
        );
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

#[cfg(test)]
mod tests {
    use super::*;

    fn listened<T: Send>(
        threads: Option<usize>,
        job: impl FnOnce(&dyn Progress) -> Result<T> + Send,
        listen: impl FnMut(&Watch) -> std::result::Result<(), &'static str>,
    ) -> std::result::Result<T, Stopped<&'static str>> {
        run(threads, job, Watch::has_ended, listen)
    }

    #[test]
    fn a_job_runs_on_its_threads_and_its_answer_or_trouble_comes_back() {
        let threads = listened(Some(2), |_| Ok(rayon::current_num_threads()), |_| Ok(()));
        assert!(matches!(threads, Ok(2)));
        let failed = listened(None, |_| Err::<(), _>(Error::input("no")), |_| Ok(()));
        assert!(matches!(failed, Err(Stopped::Failed(error)) if error.to_string().contains("no")));
        let none = listened(Some(0), |_| Ok(()), |_| Ok(()));
        assert!(matches!(none, Err(Stopped::Failed(error)) if error.to_string().contains("threads is 0")));
        let panicked = listened(None, |_| -> Result<()> { std::panic::resume_unwind(Box::new("x")) }, |_| Ok(()));
        assert!(matches!(panicked, Err(Stopped::Panicked(_))));
    }

    /// The job waits until it is told to stop, so that the test ends only if it is.
    #[test]
    fn who_listens_sees_progress_and_stops_the_job_once() {
        let job = |progress: &dyn Progress| {
            progress.begin("phase", 10);
            progress.advance(20);
            progress.remark("so far");
            while !progress.cancelled() {
                std::thread::yield_now();
            }
            Err::<(), _>(Error::interrupted())
        };
        let mut calls = 0;
        let stopped = listened(None, job, |watch| {
            let State { phase, done, total, remark } = watch.state();
            if remark.is_empty() {
                return Ok(()); // the job has not begun
            }
            assert_eq!((phase.as_str(), done, total, remark.as_str()), ("phase", 10, 10, "so far"));
            calls += 1;
            Err("stop")
        });
        assert!(matches!(stopped, Err(Stopped::Raised("stop"))));
        assert_eq!(calls, 1);
    }
}
