//! Draws in blocks give the bits of draws in memory, however they are cut, and the choice of the other routes.

use std::borrow::Cow;

use mixgist::{
    AtomCount, BlockAnswer, BlockJob, BlockQuestion, BlockWorkers, CovarianceForm, DrawBlocks, Ensemble,
    EnsembleBlocks, Estimator, GaussianAtoms, Judgement, Loss, MixingMeasure, Posterior, Progress, Result, Route,
    Settings, Silent, SliceCount, SlicerName, Summary, Trace, summarize_blocks,
};
use proptest::prelude::*;

/// Numbers without a pattern, from 0 to 1.
fn noise(seed: u64, i: usize) -> f64 {
    let mut x = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (i as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x >> 11) as f64 / (1u64 << 53) as f64
}

/// Draws of one to five atoms in the plane, in two chains; every seventh is a copy of the one before.
fn draws(count: usize, seed: u64) -> Ensemble {
    let mut offsets = vec![0];
    let (mut weights, mut means, mut covariances) = (Vec::new(), Vec::new(), Vec::new());
    for m in 0..count {
        let own = if m % 7 == 6 { m - 1 } else { m };
        let atoms = 1 + (noise(seed, own) * 5.0) as usize;
        for k in 0..atoms {
            let x = |j: usize| noise(seed + 17, 97 * own + 7 * k + j);
            weights.push(0.05 + x(0));
            means.extend([4.0 * k as f64 + x(1), 10.0 * x(2)]);
            covariances.extend([0.5 + x(3), 0.2 * x(4), 0.2 * x(4), 0.3 + x(5)]);
        }
        offsets.push(weights.len());
    }
    let ensemble =
        Ensemble::builder(2).offsets(&offsets).weights(&weights).means(means).covariances(covariances).build().unwrap();
    let chains = (0..count).map(|m| (2 * m / count) as u32).collect();
    let trace = Trace::new(Trace::LOG_POSTERIOR, (0..count).map(|m| noise(seed + 5, m)).collect());
    ensemble.with_chains(chains, (0..count as u64).collect()).unwrap().with_trace(trace).unwrap()
}

fn settings(distance: &str, slices: usize) -> Settings {
    Settings::default()
        .with_slicer(SlicerName::from_name(distance).unwrap())
        .with_slices(SliceCount::Fixed(slices))
        .with_loss(Loss::Power)
        .with_route(Route::Blocks)
}

fn in_blocks(ensemble: &Ensemble, size: usize, settings: &Settings) -> Summary {
    summarize_blocks(&&EnsembleBlocks::new(ensemble, size), None, settings, &Silent).unwrap().result
}

fn in_memory(ensemble: &Ensemble, settings: &Settings) -> Summary {
    Posterior::new(ensemble, None, settings.clone()).unwrap().summary(&Silent).unwrap().clone()
}

#[test]
fn neither_blocks_nor_threads_change_a_bit() {
    let ensemble = draws(301, 1);
    for distance in ["sw", "mix-sw", "smix-w"] {
        for estimator in [Estimator::Medoid, Estimator::Free(AtomCount::Fixed(3))] {
            let settings = settings(distance, 40).with_estimator(estimator);
            let whole = in_memory(&ensemble, &settings);
            assert_eq!(whole.medoid.route, Route::Blocks);
            for size in [1, 7, 100, 300, 1000] {
                assert_eq!(in_blocks(&ensemble, size, &settings), whole, "{distance}, blocks of {size}");
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            assert_eq!(pool.install(|| in_blocks(&ensemble, 64, &settings)), whole);
        }
    }
}

/// Answers the jobs in another order, and each one through bytes.
struct Shuffled<'a>(EnsembleBlocks<'a>, Option<usize>);

impl BlockWorkers for Shuffled<'_> {
    fn blocks(&self) -> usize {
        self.0.blocks()
    }

    fn most_jobs(&self) -> Option<usize> {
        self.1
    }

    fn answer(
        &self,
        jobs: &[BlockJob<'_>],
        progress: &dyn Progress,
        take: &mut dyn FnMut(usize, BlockAnswer) -> Result<()>,
    ) -> Result<()> {
        for place in (0..jobs.len()).rev() {
            let bytes = postcard::to_allocvec(jobs[place].question()).unwrap();
            let question: BlockQuestion = postcard::from_bytes(&bytes).unwrap();
            let answer = question.answer(jobs[place].blocks(), &self.0, progress)?;
            take(place, postcard::from_bytes(&postcard::to_allocvec(&answer).unwrap()).unwrap())?;
        }
        Ok(())
    }
}

#[test]
fn answers_may_come_in_any_order_and_from_elsewhere() {
    let ensemble = draws(200, 2);
    let settings = settings("smix-w", 30).with_estimator(Estimator::Free(AtomCount::Fixed(2)));
    for most in [None, Some(1), Some(4)] {
        let away = Shuffled(EnsembleBlocks::new(&ensemble, 23), most);
        let away = summarize_blocks(&away, None, &settings, &Silent).unwrap();
        assert_eq!(away.result, in_memory(&ensemble, &settings));
        assert_eq!((away.about.draws, away.about.chains, away.about.dim), (200, 2, 2));
    }
}

fn nearly(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

/// The sweep over draws in memory is the twin: the same choice, and the same numbers to rounding; losses of the other draws to what cells leave out.
#[test]
fn the_sweep_says_the_same() {
    for seed in 0..8 {
        let ensemble = draws(240, seed);
        for distance in ["sw", "mix-sw", "smix-w"] {
            let blocks = settings(distance, 48);
            let found = in_blocks(&ensemble, 50, &blocks);
            let twin = in_memory(&ensemble, &blocks.clone().with_route(Route::Sweep));
            assert_eq!(found.medoid.draw, twin.medoid.draw, "{seed} {distance}");
            assert_eq!((found.medoid.chain, found.medoid.iteration), (twin.medoid.chain, twin.medoid.iteration));
            assert_eq!(found.units, twin.units);
            assert_eq!(found.estimate, twin.estimate);
            let (one, other) = (found.medoid.runner_up.unwrap(), twin.medoid.runner_up.unwrap());
            assert_eq!(one.draw, other.draw);
            assert!(nearly(found.expected_loss, twin.expected_loss, 1e-12));
            assert!(nearly(found.expected_loss_se.unwrap(), twin.expected_loss_se.unwrap(), 1e-9));
            assert!(nearly(one.separation.unwrap(), other.separation.unwrap(), 1e-6));
            let (mine, its) = (found.medoid.margin.unwrap(), twin.medoid.margin.unwrap());
            assert_eq!((mine.rival, mine.verdict), (its.rival, its.verdict));
            assert!(nearly(mine.effective_draws, its.effective_draws, 1e-6), "{mine:?} {its:?}");
            let (mine, its) = (found.medoid.expected_losses.unwrap(), twin.medoid.expected_losses.unwrap());
            assert!(mine.iter().zip(&its).all(|(a, b)| nearly(*a, *b, 1e-9)));
            assert!(found.distances.iter().zip(&twin.distances).all(|(a, b)| nearly(*a, *b, 1e-9) || a.max(*b) < 1e-7));
            let (mine, its) = (found.assessment.unwrap().floor, twin.assessment.unwrap().floor);
            assert!(mine.value <= its.attained && its.value <= mine.attained && nearly(mine.value, its.value, 1e-8));
            // Equal draws tie in their ranks up to rounding of their distances.
            assert_eq!(found.agreement.verdict, twin.agreement.verdict, "{seed} {distance}");
            assert_eq!(found.agreement.traces[1..], twin.agreement.traces[1..]);
        }
    }
}

/// Draws whose three atoms are where the index says, but for noise: one fit is clearly the best.
fn three_components(count: usize) -> Ensemble {
    let measure = |m: usize| {
        let x = |j: usize| noise(31, 50 * m + j);
        let place = |k: usize, j: usize| [0.0, 0.0, 9.0, 1.0, -1.0, 8.0][2 * k + j] + x(2 * k + j) - 0.5;
        let means = (0..6).map(|i| place(i / 2, i % 2)).collect();
        let covariances = (0..3).flat_map(|k| [1.0 + 0.2 * x(6 + k), 0.1, 0.1, 0.8 + 0.2 * x(9 + k)]).collect();
        let atoms = GaussianAtoms::new(2, means, covariances, CovarianceForm::Covariance).unwrap();
        MixingMeasure::new(vec![0.5 + 0.05 * x(12), 0.3, 0.2 + 0.05 * x(13)], atoms).unwrap()
    };
    Ensemble::from_measures(&(0..count).map(measure).collect::<Vec<_>>()).unwrap()
}

/// The same for estimates that are not draws. Fits with one clear best end near each other, but not in the same bits; one measure is judged alike.
#[test]
fn free_estimates_are_those_of_draws_in_memory() {
    let ensemble = three_components(300);
    let alike = |mine: &Judgement, its: &Judgement| {
        assert!(nearly(mine.expected_loss, its.expected_loss, 1e-12), "{mine:?} {its:?}");
        let (mine, its) = (mine.held_out.unwrap(), its.held_out.unwrap());
        assert!(nearly(mine.expected_loss, its.expected_loss, 1e-12), "{mine:?} {its:?}");
        assert!(nearly(mine.standard_error.unwrap(), its.standard_error.unwrap(), 1e-6), "{mine:?} {its:?}");
    };
    let mut blocks = settings("smix-w", 64).with_estimator(Estimator::Free(AtomCount::Fixed(3)));
    blocks.candidate = Some(draws(1, 8).draw(0));
    let found = in_blocks(&ensemble, 64, &blocks);
    let twin = in_memory(&ensemble, &blocks.clone().with_route(Route::Sweep));
    let (mine, its) = (found.judgement().unwrap(), twin.judgement().unwrap());
    assert!(nearly(mine.expected_loss, its.expected_loss, 1e-3), "{mine:?} {its:?}");
    let (found_all, twin_all) = (found.assessment.as_ref().unwrap(), twin.assessment.as_ref().unwrap());
    alike(&found_all.medoid, &twin_all.medoid);
    alike(found_all.candidate.as_ref().unwrap(), twin_all.candidate.as_ref().unwrap());
    assert!(found.aligned().is_none());

    // What the blocks say of their fit is what draws in memory say of it as a candidate.
    blocks.candidate = Some(found.estimate.clone());
    let twin = in_memory(&ensemble, &blocks.with_route(Route::Sweep));
    alike(mine, twin.assessment.as_ref().unwrap().candidate.as_ref().unwrap());
}

/// Cells are coarse when there are very many slices: then bounds are wide, and rows decide.
#[test]
fn coarse_cells_find_the_same_draw() {
    let ensemble = draws(1500, 9);
    let blocks = settings("sw", 20).with_route(Route::Blocks);
    let found = in_blocks(&ensemble, 400, &blocks);
    let twin = in_memory(&ensemble, &blocks.with_route(Route::Sweep));
    assert_eq!(found.medoid.draw, twin.medoid.draw);
    let (mine, its) = (found.medoid.expected_losses.unwrap(), twin.medoid.expected_losses.unwrap());
    assert!(mine.iter().zip(&its).all(|(a, b)| nearly(*a, *b, 1e-6)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any draws, also equal weights and equal draws.
    #[test]
    fn any_draws_have_the_medoid_of_the_sweep(
        count in 1usize..40, atoms in 1usize..4, levels in 1u32..4, size in 1usize..9, seed in 0u64..1000,
    ) {
        let values = |from: u64, n: usize, scale: f64| -> Vec<f64> {
            (0..n).map(|i| (noise(seed + from, i) * f64::from(levels)).ceil() * scale).collect()
        };
        let n = count * atoms;
        let ensemble = Ensemble::builder(1)
            .atoms_per_draw(atoms)
            .weights(values(1, n, 1.0))
            .means(values(2, n, 3.0))
            .covariances(values(3, n, 1.0))
            .build()
            .unwrap();
        let blocks = settings("mix-sw", 16).with_units(mixgist::Units::None);
        let found = in_blocks(&ensemble, size, &blocks);
        let twin = in_memory(&ensemble, &blocks.clone().with_route(Route::Sweep));
        prop_assert_eq!(found.medoid.draw, twin.medoid.draw);
        prop_assert_eq!(found.medoid.runner_up.map(|other| other.draw), twin.medoid.runner_up.map(|other| other.draw));
        prop_assert!((found.expected_loss - twin.expected_loss).abs() <= 1e-10 * twin.expected_loss.max(1e-3));
    }
}

/// A source whose second block is of another dimension, or cannot be read.
struct Damaged<'a>(EnsembleBlocks<'a>, Option<Ensemble>);

impl DrawBlocks for Damaged<'_> {
    fn blocks(&self) -> usize {
        self.0.blocks()
    }

    fn block(&self, block: usize) -> Result<Cow<'_, Ensemble>> {
        match &self.1 {
            Some(other) if block == 1 => Ok(Cow::Borrowed(other)),
            None if block == 1 => Err(mixgist::Error::input("is gone").in_file(std::path::Path::new("b.npz"))),
            _ => self.0.block(block),
        }
    }
}

#[test]
fn what_cannot_be_summarised_in_blocks_is_refused_by_name() {
    let ensemble = draws(60, 3);
    let settings = settings("sw", 16);
    let message = |blocks: &dyn BlockWorkers, settings: &Settings| {
        summarize_blocks(blocks, None, settings, &Silent).unwrap_err().to_string()
    };
    let line =
        Ensemble::builder(1).atoms_per_draw(1).weights(&[1.0]).means(&[0.0]).covariances(&[1.0]).build().unwrap();
    let other = Damaged(EnsembleBlocks::new(&ensemble, 20), Some(line));
    assert_eq!(message(&&other, &settings), "block 1 has draws of dimension 1, the first block of 2");
    assert_eq!(message(&&Damaged(EnsembleBlocks::new(&ensemble, 20), None), &settings), "b.npz: is gone");
    let whole = EnsembleBlocks::new(&ensemble, 20);
    let distance = settings.clone().with_loss(Loss::Distance);
    assert_eq!(message(&&whole, &distance), "draws in blocks are summarised under the power loss of order 2");
    let aligned = settings.clone().with_estimator(Estimator::Aligned);
    assert_eq!(message(&&whole, &aligned), "an aligned estimate needs all draws in memory");
    let weighted = ensemble.clone().with_draw_weights(&[1.0; 60]).unwrap();
    assert!(
        message(&&EnsembleBlocks::new(&weighted, 20), &settings).starts_with("draws in blocks have no draw weights")
    );
    let mut far = ensemble.atoms().means().to_vec();
    far[7] = 1e60;
    let far = Ensemble::builder(2)
        .offsets(ensemble.offsets())
        .weights(ensemble.weights())
        .means(far)
        .covariances(ensemble.atoms().covariances())
        .build()
        .unwrap();
    let none = settings.with_units(mixgist::Units::Scale(vec![1.0, 1.0]));
    // Squares of the far one swallow the differences between all others: that is said, not guessed.
    assert!(message(&&EnsembleBlocks::new(&far, 9), &none).contains("do not tell them apart"));
}
