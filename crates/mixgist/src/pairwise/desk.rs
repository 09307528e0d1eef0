//! A worker's desk: the draws, and the slices that it was asked about, with what is kept of them.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use super::kept::KEPT_BYTES;
use super::matrix::pair_costs;
use super::rows::Decompositions;
use crate::ensemble::Ensemble;
use crate::progress::{Progress, Silent};
use crate::projection::Projection;
use crate::work::{Form, Question, SliceAnswer, SliceJob, Study, Workers};
use crate::{Error, Result};

/// Draws, ready to answer jobs about them with threads of its own. What was computed for one job is kept for the next, up to some memory.
pub struct Desk {
    ensemble: Arc<Ensemble>,
    threads: usize,
    benches: Mutex<Vec<Bench>>,
}

/// A thread that holds the draws on some slices.
struct Bench {
    study: Study,
    jobs: Sender<Asked>,
}

struct Asked {
    job: SliceJob<'static>,
    reply: Sender<Result<SliceAnswer>>,
}

/// Sets of slices that are kept: those that are fitted to, and the held-out ones.
const MOST_BENCHES: usize = 2;

impl Desk {
    /// A desk that works with so many threads.
    pub fn new(ensemble: Ensemble, threads: usize) -> Self {
        Desk { ensemble: Arc::new(ensemble), threads: threads.max(1), benches: Mutex::default() }
    }

    /// Answers a job.
    pub fn reply(&self, job: SliceJob<'static>) -> Result<SliceAnswer> {
        let (reply, answer) = channel();
        let jobs = self.bench(&job.study)?;
        let ended = |_| Error::resource("a worker ended before it had answered").hint("give it more memory");
        jobs.send(Asked { job, reply }).map_err(|_| ended(()))?;
        answer.recv().map_err(|_| ended(()))?
    }

    /// The thread for these slices.
    fn bench(&self, study: &Study) -> Result<Sender<Asked>> {
        let mut benches = self.benches.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = benches.iter().position(|bench| bench.study == *study) {
            let bench = benches.remove(place);
            let jobs = bench.jobs.clone();
            benches.push(bench);
            return Ok(jobs);
        }
        let (jobs, asked) = channel();
        let (ensemble, own) = (Arc::clone(&self.ensemble), study.clone());
        let failed = |cause: &dyn std::fmt::Display| Error::resource(format!("cannot start threads: {cause}"));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build().map_err(|cause| failed(&cause))?;
        std::thread::Builder::new()
            .name("mixgist-desk".into())
            .spawn(move || pool.install(move || work(&ensemble, &own, asked)))
            .map_err(|cause| failed(&cause))?;
        if benches.len() >= MOST_BENCHES {
            benches.remove(0);
        }
        benches.push(Bench { study: study.clone(), jobs: jobs.clone() });
        Ok(jobs)
    }
}

/// Answers jobs about some slices until nobody asks any more.
fn work(ensemble: &Ensemble, study: &Study, asked: Receiver<Asked>) {
    let bound = || -> Result<_> {
        let draws = study.draws(ensemble)?;
        let slices = study.freeze(draws.dim())?;
        Ok((draws, slices))
    };
    let prepared = bound();
    let projection = prepared
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|(draws, slices)| Projection::new(draws, &**slices, study.order, study.pruning()));
    let mut kept = Vec::new();
    // Those who asked may have gone.
    for Asked { job, reply } in asked {
        let _ = reply.send(match &projection {
            Ok(projection) => answer(projection, &mut kept, &job),
            Err(error) => Err(error.clone()),
        });
    }
}

type Kept<'p, 'a> = Vec<(Form, Vec<usize>, Decompositions<'p, 'a>)>;

fn answer<'p, 'a>(projection: &'p Projection<'a>, kept: &mut Kept<'p, 'a>, job: &SliceJob) -> Result<SliceAnswer> {
    let mut found = SliceAnswer::default();
    for piece in &job.pieces {
        if piece.is_empty() || piece.iter().any(|&slice| slice >= projection.slices()) {
            return Err(Error::input("a job asks for slices that there are not"));
        }
        if *job.question == Question::Pairs {
            found.pieces.push(pair_costs(projection, piece, &Silent)?);
            continue;
        }
        let place = kept.iter().position(|(form, slices, _)| *form == job.form && slices == piece);
        let mut decompositions = match place {
            Some(place) => kept.swap_remove(place).2,
            None => Decompositions::over(projection, job.form, vec![piece.clone()]),
        };
        let mut numbers = Vec::new();
        match &*job.question {
            question @ (Question::MergedRows { .. } | Question::WeightedRows { decomposed: false, .. }) => {
                decompositions.ask_lines(question, Form::Exact, usize::MAX, &Silent, |_, found| numbers = found)?;
            }
            question @ Question::MeanQuantiles { .. } => {
                decompositions.ask_lines(question, job.form, usize::MAX, &Silent, |_, found| numbers = found)?;
            }
            question @ Question::Others { form, .. } => {
                decompositions.ask_lines(question, *form, usize::MAX, &Silent, |_, found| numbers = found)?;
            }
            question => decompositions.ask(question, &Silent, |found| numbers = found)?,
        }
        found.pieces.push(numbers);
        if job.first {
            found.looks.extend(decompositions.looks().first().cloned());
        }
        let slices: usize = kept.iter().map(|(_, slices, _)| slices.len()).sum::<usize>() + piece.len();
        if slices.saturating_mul(projection.kept_bytes_per_slice()) <= KEPT_BYTES {
            kept.push((job.form, piece.clone(), decompositions));
        }
    }
    Ok(found)
}

/// The desk itself as the only worker: what others are compared with.
impl Workers for Desk {
    fn answer(
        &self,
        jobs: &[SliceJob<'_>],
        progress: &dyn Progress,
        take: &mut dyn FnMut(SliceAnswer) -> Result<()>,
    ) -> Result<()> {
        for job in jobs {
            progress.check()?;
            take(self.reply(job.clone().into_owned())?)?;
        }
        Ok(())
    }

    fn most_jobs(&self) -> usize {
        16
    }
}
