//! Jobs about slices that are answered elsewhere give the bits of one run.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::*;
use mixgist::credible::Question;
use mixgist::slice::Scheme;
use mixgist::{
    AtomCount, Desk, Ensemble, Error, Estimator, Loss, Points, Posterior, Progress, Pruning, Result, Route, Settings,
    Silent, SliceAnswer, SliceCount, SliceJob, SlicerName, Units, Workers,
};

/// Desks that jobs reach as bytes, in turn; every third job is answered twice.
struct Post {
    desks: Vec<Desk>,
    most_jobs: usize,
    jobs: AtomicUsize,
}

impl Post {
    fn new(ensemble: &Ensemble, threads: &[usize], most_jobs: usize) -> Self {
        let desks = threads.iter().map(|&threads| Desk::new(ensemble.clone(), threads)).collect();
        Post { desks, most_jobs, jobs: AtomicUsize::new(0) }
    }

    fn send(&self, job: &SliceJob) -> Result<SliceAnswer> {
        let number = self.jobs.fetch_add(1, Ordering::Relaxed);
        let job: SliceJob<'static> = postcard::from_bytes(&postcard::to_allocvec(job).unwrap()).unwrap();
        let answer = self.desks[number % self.desks.len()].reply(job)?;
        Ok(postcard::from_bytes(&postcard::to_allocvec(&answer).unwrap()).unwrap())
    }
}

impl Workers for Post {
    fn answer(
        &self,
        jobs: &[SliceJob<'_>],
        progress: &dyn Progress,
        take: &mut dyn FnMut(SliceAnswer) -> Result<()>,
    ) -> Result<()> {
        // The last job first.
        let mut answers: Vec<SliceAnswer> = jobs.iter().rev().map(|job| self.send(job)).collect::<Result<_>>()?;
        for (number, job) in jobs.iter().enumerate().step_by(3) {
            assert_eq!(self.send(job)?, answers[jobs.len() - 1 - number]);
        }
        answers.reverse();
        progress.check()?;
        answers.into_iter().try_for_each(take)
    }

    fn most_jobs(&self) -> usize {
        self.most_jobs
    }
}

/// What a question prints with the threads of this process and with workers elsewhere.
fn assert_same_bits<T: std::fmt::Debug>(
    ensemble: &Ensemble,
    data: Option<Points>,
    settings: &Settings,
    ask: impl Fn(&Posterior) -> Result<T>,
) {
    let here = ask(&Posterior::new(ensemble, data, settings.clone()).unwrap());
    let here = format!("{:?}", here.unwrap());
    for (threads, most_jobs) in [(&[1][..], 1), (&[1, 2], 5), (&[1, 1, 1], 1000)] {
        let post = Post::new(ensemble, threads, most_jobs);
        let away = ask(&Posterior::new(ensemble, data, settings.clone()).unwrap().with_workers(Some(&post)));
        assert_eq!(here, format!("{:?}", away.unwrap()), "{settings:?}");
        assert!(post.jobs.load(Ordering::Relaxed) > 0, "nobody was asked: {settings:?}");
    }
}

fn fixed(slices: usize) -> Settings {
    Settings::default().with_slices(SliceCount::Fixed(slices))
}

#[test]
fn summaries_by_every_route_have_the_same_bits() {
    let ensemble = Kind::Plain.ensemble(2, 420, 3);
    let cases = [
        fixed(70).with_route(Route::Pairs),
        fixed(70).with_route(Route::Certified),
        fixed(70).with_loss(Loss::Power).with_route(Route::Sweep),
        fixed(33).with_loss(Loss::Power).with_route(Route::Pairs).with_scheme(Scheme::Orthogonal),
        Settings::default().with_slices(SliceCount::Auto { cap: 600 }).with_units(Units::Whiten),
        fixed(7).with_slicer(SlicerName::from_name("mix-sw").unwrap()).with_pruning(Pruning::Off),
    ];
    for settings in cases {
        assert_same_bits(&ensemble, None, &settings, |posterior| posterior.summary(&Silent).cloned());
    }
}

#[test]
fn other_orders_data_and_weights_have_the_same_bits() {
    let ensemble = Kind::LightAtoms.ensemble(2, 60, 3);
    let weights: Vec<f64> = (1..=60).map(f64::from).collect();
    let ensemble = ensemble.with_draw_weights(&weights).unwrap();
    let data: Vec<f64> = (0..600).map(|i| f64::from(i * 37 % 101) - 50.0).collect();
    let points = Points::new(2, &data).unwrap();
    for settings in
        [fixed(40).with_order(order(1.5)).with_units(Units::Sd), fixed(40).with_pruning(Pruning::Tolerance(1e-3))]
    {
        assert_same_bits(&ensemble, Some(points), &settings, |posterior| posterior.summary(&Silent).cloned());
    }
}

#[test]
fn free_and_aligned_estimates_have_the_same_bits() {
    let ensemble = Kind::TwoClusters.ensemble(2, 60, 3);
    for estimator in [Estimator::Free(AtomCount::Fixed(2)), Estimator::Aligned] {
        for loss in [Loss::Distance, Loss::Power] {
            let settings = fixed(40).with_estimator(estimator).with_loss(loss).with_candidate(Some(ensemble.draw(3)));
            assert_same_bits(&ensemble, None, &settings, |posterior| posterior.summary(&Silent).cloned());
        }
    }
}

#[test]
fn matrices_balls_and_cards_have_the_same_bits() {
    let ensemble = Kind::TwoClusters.ensemble(2, 60, 3);
    let settings = fixed(70);
    let some: Vec<usize> = (0..60).filter(|m| m % 3 != 0).collect();
    assert_same_bits(&ensemble, None, &settings, |posterior| posterior.all_distances(&Silent).map(|all| all.cloned()));
    assert_same_bits(&ensemble, None, &settings, |posterior| posterior.matrix(&some, &Silent));
    assert_same_bits(&ensemble, None, &settings, |posterior| posterior.rows(&[ensemble.draw(3)], &Silent));
    let asked = Question { level: 0.9, hypothesis: None, conformal: true };
    assert_same_bits(&ensemble, None, &settings, |posterior| posterior.credible(&asked, &Silent));
    assert_same_bits(&ensemble, None, &fixed(20), |posterior| posterior.stability(0.9, &Silent));
}

/// Workers that answer something else.
struct Wrong(Desk, fn(SliceAnswer) -> Vec<SliceAnswer>);

impl Workers for Wrong {
    fn answer(
        &self,
        jobs: &[SliceJob<'_>],
        _: &dyn Progress,
        take: &mut dyn FnMut(SliceAnswer) -> Result<()>,
    ) -> Result<()> {
        let answer = |job: &SliceJob| self.0.reply(job.clone().into_owned());
        let answers = jobs.iter().map(answer).collect::<Result<Vec<_>>>()?;
        answers.into_iter().flat_map(self.1).try_for_each(take)
    }

    fn most_jobs(&self) -> usize {
        4
    }
}

#[test]
fn answers_that_do_not_fit_are_refused() {
    let ensemble = Kind::Plain.ensemble(2, 30, 3);
    let spoil: [fn(SliceAnswer) -> Vec<SliceAnswer>; 3] =
        [|_| Vec::new(), |answer| vec![answer.clone(), answer], |_| vec![SliceAnswer::default()]];
    for spoil in spoil {
        let wrong = Wrong(Desk::new(ensemble.clone(), 1), spoil);
        for settings in [fixed(40), fixed(40).with_loss(Loss::Power)] {
            let posterior = Posterior::new(&ensemble, None, settings).unwrap().with_workers(Some(&wrong));
            let error: Error = posterior.summary(&Silent).unwrap_err();
            assert!(error.to_string().contains("has not answered"), "{error}");
        }
    }
}
