//! A fit of points that others hold is that of points in memory.

use mixgist::random::{Purpose, standard_normals, stream};
use mixgist::{Progress, Result, Silent};
use mixgist_samplers::{
    Algorithm, FitRecord, FitSettings, HeldPoints, TILE_ROWS, TileAnswers, TileJob, TileWorkers, fit, fit_away,
};

struct Others {
    values: Vec<f64>,
    ends: Vec<usize>,
    held: Vec<HeldPoints>,
}

impl Others {
    fn new(values: &[f64], ends: &[usize]) -> Self {
        let held = ends.iter().map(|_| HeldPoints::default()).collect();
        Others { values: values.to_vec(), ends: ends.to_vec(), held }
    }
}

impl TileWorkers for Others {
    fn dim(&self) -> usize {
        1
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
        jobs.iter().enumerate().try_for_each(|(place, job)| {
            let part = job.part();
            let first = if part == 0 { 0 } else { self.ends[part - 1] };
            let held = &self.held[part];
            let own = if held.wants_values(job) { &self.values[first..self.ends[part]] } else { &[] };
            take(place, held.answer(job, own, first, 1)?)
        })
    }
}

fn values(n: usize) -> Vec<f64> {
    let mut values = vec![0.0; n];
    standard_normals(&mut stream(1, Purpose::Simulation, 0), &mut values);
    values.iter_mut().enumerate().for_each(|(i, x)| *x += 9.0 * (i % 3) as f64);
    values
}

#[test]
fn a_fit_of_points_that_others_hold_has_the_bits_of_one_in_memory() {
    let n = 2 * TILE_ROWS + 1000;
    let values = values(n);
    let settings = FitSettings::default().with_chains(2).with_iterations(30).with_burn_in(20).with_thin(2).with_seed(3);
    let own = fit(&values, 1, &settings, None, &Silent).unwrap();
    for ends in [vec![n], vec![TILE_ROWS, n], vec![TILE_ROWS, 2 * TILE_ROWS, n]] {
        let (theirs, deviations) = fit_away(&Others::new(&values, &ends), &settings, &Silent).unwrap();
        assert_eq!(theirs.ensemble, own.ensemble);
        assert_eq!(theirs.traces, own.traces);
        assert_eq!(theirs.hyperparameters, own.hyperparameters);
        assert_eq!((theirs.observations, theirs.labels.len(), theirs.ends.len()), (n, 0, 0));
        assert!((deviations[0] - 7.4).abs() < 0.1, "{deviations:?}");
        assert_eq!(theirs.labelled_traces().unwrap().traces().len(), 3);
    }
}

#[test]
fn what_cannot_be_done_away_is_refused_by_name() {
    let values = values(TILE_ROWS + 10);
    let settings = FitSettings::default();
    let others = Others::new(&values, &[values.len()]);
    let message =
        |settings: &FitSettings, others: &Others| fit_away(others, settings, &Silent).unwrap_err().to_string();
    assert!(message(&settings.clone().with_algorithm(Algorithm::Slice), &others).contains("blocked"));
    assert!(message(&settings, &Others::new(&values[..100], &[100])).contains("fit into memory"));
    assert!(FitRecord::without_ends().hint_text().is_some());
}
