//! How a job of the core runs under R: on its own threads, while R's thread calls the function `tick` some times per second, which shows
//! progress and notices interrupts.

use mixgist::{Error, Progress};
use mixgist_front::running::{State, Stopped, Watch, run};
use savvy::{FunctionArgs, FunctionSexp, OwnedRealSexp, OwnedStringSexp};

use crate::error::{Failure, Result};
use crate::options::Options;

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

    /// Runs a job. An interrupt, or an error of the function, stops it and goes back to R, which is not called in between.
    pub fn run<T: Send>(&self, job: impl FnOnce(&dyn Progress) -> mixgist::Result<T> + Send) -> Result<T> {
        run(self.threads, job, Watch::has_ended, |watch| self.report(watch)).map_err(|stopped| match stopped {
            Stopped::Failed(error) => Failure::Core(error),
            Stopped::Raised(error) => Failure::R(error),
            // A session of R must survive it all the same.
            Stopped::Panicked(_) => Error::resource("mixgist failed within: this is a defect of mixgist").into(),
        })
    }

    fn report(&self, watch: &Watch) -> savvy::Result<()> {
        let State { phase, done, total, remark } = watch.state();
        let mut arguments = FunctionArgs::new();
        arguments.add("phase", OwnedStringSexp::try_from_scalar(phase)?)?;
        arguments.add("done", OwnedRealSexp::try_from_scalar(done as f64)?)?;
        arguments.add("total", OwnedRealSexp::try_from_scalar(total as f64)?)?;
        arguments.add("remark", OwnedStringSexp::try_from_scalar(remark)?)?;
        self.tick.call(arguments).map(drop)
    }
}
