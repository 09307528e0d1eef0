//! Points that others hold give the chains of points at hand, to the last bit.

use std::sync::atomic::{AtomicUsize, Ordering};

use mixgist::random::{Purpose, standard_normals, stream};
use mixgist::{ErrorKind, Silent};
use proptest::prelude::*;

use super::*;
use crate::algorithm::informed::Effort;
use crate::algorithm::{Model, State, sampler};
use crate::component::{Component, with_component};
use crate::hyperparameters::Hyperparameters;
use crate::settings::{Algorithm, CovarianceModel, FitSettings, ScaleChoice, Truncation};
use crate::start::start;
use crate::tiles::{HeldPoints, TileAnswers};

/// Workers in this process, to whom everything goes as bytes. Every few jobs one of them dies, and another one does its work.
struct Others<'a> {
    values: &'a [f64],
    dim: usize,
    ends: Vec<usize>,
    jobs: AtomicUsize,
}

impl Others<'_> {
    fn held(&self, part: usize) -> (&[f64], usize) {
        let first = if part == 0 { 0 } else { self.ends[part - 1] };
        (&self.values[first * self.dim..self.ends[part] * self.dim], first)
    }
}

impl TileWorkers for Others<'_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn parts(&self) -> &[usize] {
        &self.ends
    }

    fn answer(
        &self,
        jobs: &[TileJob<'_>],
        _: &dyn Progress,
        take: &mut dyn FnMut(usize, TileAnswers) -> Result<()>,
    ) -> Result<()> {
        let mut held: Vec<HeldPoints> = self.ends.iter().map(|_| HeldPoints::default()).collect();
        for (place, job) in jobs.iter().enumerate() {
            let bytes = postcard::to_allocvec(job).unwrap();
            let job: TileJob<'_> = postcard::from_bytes(&bytes).unwrap();
            let (values, first) = self.held(job.part());
            if self.jobs.fetch_add(1, Ordering::Relaxed).is_multiple_of(7) {
                held[job.part()].answer(&job, values, first, 1)?;
                held[job.part()] = HeldPoints::default();
            }
            let answers = held[job.part()].answer(&job, values, first, 2)?;
            let bytes = postcard::to_allocvec(&answers).unwrap();
            take(place, postcard::from_bytes(&bytes).unwrap())?;
        }
        Ok(())
    }
}

fn chain<C: Component>(
    points: Held<'_>,
    hyperparameters: &Hyperparameters,
    settings: &FitSettings,
    size: usize,
) -> Vec<State> {
    let mut model = Model::<C>::new(points, hyperparameters, 1e-6);
    model.tiling = Tiling { size, threads: 1 };
    model.effort = Effort { proposals: 2, sample: 4 };
    let mut rng = stream(settings.seed, Purpose::Chains, 0);
    let mut state = start(&model, settings.seed % 2, &mut rng).unwrap();
    let mut sampler = sampler::<C>(settings.algorithm);
    (0..20)
        .map(|_| {
            sampler.sweep(&mut model, &mut state, &mut rng).unwrap();
            state.clone()
        })
        .collect()
}

fn values(n: usize, dim: usize, seed: u64) -> Vec<f64> {
    let mut values = vec![0.0; n * dim];
    standard_normals(&mut stream(seed, Purpose::Simulation, 0), &mut values);
    values.iter_mut().enumerate().for_each(|(e, v)| *v += 4.0 * ((e / dim) % 3) as f64);
    values
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn who_holds_the_points_changes_nothing(
        dim in 1usize..4,
        tiles in 2usize..6,
        more in 0usize..13,
        parts in prop::collection::btree_set(1usize..6, 0..4),
        seed in 0u64..1_000_000,
        case in 0usize..6,
    ) {
        let size = 13;
        let n = size * tiles + more;
        let values = values(n, dim, seed);
        let mut settings = FitSettings::default().with_seed(seed);
        settings.component.covariance = CovarianceModel::NAMES[case % 3].1;
        settings.component.scales = if case < 3 { ScaleChoice::Fixed } else { ScaleChoice::Learned };
        settings.algorithm = Algorithm::Blocked { truncation: Truncation::At(12) };
        let mut ends: Vec<usize> = parts.into_iter().map(|part| part * size).filter(|&end| end < n).collect();
        ends.push(n);
        let others = Others { values: &values, dim, ends, jobs: AtomicUsize::new(0) };
        let (away, outline) = Away::new(&others, size, &Silent).unwrap();
        prop_assert_eq!(&outline, &Outline::in_tiles(&values, dim, size));
        let here = ScaledData::scaled(&values, away.frame.clone());
        let hyperparameters = Hyperparameters::for_data(&outline, &settings).unwrap();
        with_component!(settings.component.covariance, C => {
            let own = chain::<C>(Held::Here(&here), &hyperparameters, &settings, size);
            let theirs = chain::<C>(Held::Away(&away), &hyperparameters, &settings, size);
            prop_assert!(own == theirs);
        });
    }
}

#[test]
fn bad_values_are_named_by_their_row() {
    let mut values = values(40, 2, 1);
    values[2 * 33 + 1] = f64::NAN;
    let others = Others { values: &values, dim: 2, ends: vec![26, 40], jobs: AtomicUsize::new(0) };
    let error = Away::new(&others, 13, &Silent).unwrap_err();
    assert_eq!(error.to_string(), "data row 33, column 1 is NaN");
}

#[test]
fn answers_to_other_questions_are_refused() {
    struct Deaf<'a>(Others<'a>, usize);
    impl TileWorkers for Deaf<'_> {
        fn dim(&self) -> usize {
            self.0.dim()
        }

        fn parts(&self) -> &[usize] {
            self.0.parts()
        }

        fn answer(
            &self,
            jobs: &[TileJob<'_>],
            progress: &dyn Progress,
            take: &mut dyn FnMut(usize, TileAnswers) -> Result<()>,
        ) -> Result<()> {
            self.0.answer(jobs, progress, &mut |place, mut answers| {
                answers.0.truncate(self.1);
                if self.1 > 2 {
                    answers.0.iter_mut().for_each(|answer| *answer = TileAnswer::Numbers(vec![0.0]));
                }
                take(place, answers)
            })
        }
    }
    let values = values(40, 2, 1);
    for kept in [1, 9] {
        let others = Others { values: &values, dim: 2, ends: vec![26, 40], jobs: AtomicUsize::new(0) };
        let error = Away::new(&Deaf(others, kept), 13, &Silent).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    }
}
