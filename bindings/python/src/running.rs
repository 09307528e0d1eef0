//! How a job of the core runs under Python: on its own threads, with the interpreter released, while the caller's thread listens to signals
//! and reports progress.

use std::sync::mpsc::RecvTimeoutError;

use mixgist::{Error, Progress};
use mixgist_front::running::{State, Stopped, TICK, Watch, run};
use pyo3::prelude::*;

use crate::error::{Failure, Result};

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
        let wait = |watch: &Watch| py.detach(|| watch.has_ended());
        let found = run(self.threads, job, wait, |watch| py.check_signals().and_then(|()| self.report(py, watch)));
        found.map_err(|stopped| match stopped {
            Stopped::Failed(error) => Failure::Core(error),
            Stopped::Raised(error) => Failure::Python(error),
            Stopped::Panicked(panic) => std::panic::resume_unwind(panic),
        })
    }

    fn report(&self, py: Python<'_>, watch: &Watch) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        let State { phase, done, total, remark } = watch.state();
        progress.call1(py, (phase, done, total, remark)).map(drop)
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
