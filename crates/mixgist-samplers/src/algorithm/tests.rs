//! The fast allocation against the obvious one, and many threads against one: the same random numbers must give the same chain.

use super::*;
use crate::component::with_component;
use crate::points::ScaledData;
use crate::settings::{CovarianceModel, FitSettings, Truncation};
use crate::start::start;
use mixgist::random::{Purpose, stream};
use proptest::prelude::*;

fn chain<C: Component>(
    points: &ScaledData,
    hyperparameters: &Hyperparameters,
    mut sampler: impl Sampler<C>,
    tiling: Tiling,
    seed: u64,
) -> Vec<State> {
    let mut model = Model::<C>::new(points, hyperparameters, 1e-6);
    model.tiling = tiling;
    model.effort = Effort { proposals: 1, sample: 4 };
    let mut rng = stream(seed, Purpose::Chains, 0);
    let mut state = start(&model, 1, &mut rng).unwrap();
    (0..30)
        .map(|_| {
            sampler.sweep(&mut model, &mut state, &mut rng).unwrap();
            state.clone()
        })
        .collect()
}

fn both_paths_agree<C: Component>(values: &[f64], dim: usize, settings: &FitSettings, seed: u64) {
    let points = ScaledData::new(values, dim).unwrap();
    let hyperparameters = Hyperparameters::resolve(values, dim, settings).unwrap();
    let run = |path, tiling| match settings.algorithm {
        Algorithm::Slice => chain::<C>(&points, &hyperparameters, Slice::new(path), tiling, seed),
        _ => chain::<C>(&points, &hyperparameters, Blocked::new(path), tiling, seed),
    };
    for size in [Tiling::default().size, 37] {
        let tiling = Tiling { size, threads: 1 };
        let chain = run(Path::Tiles, tiling);
        assert!(chain == run(Path::Plain, tiling), "{settings:?}, tiles of {size}");
        assert!(chain == run(Path::Tiles, Tiling { size, threads: 3 }), "{settings:?}, tiles of {size}, threads");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Exponentials of the two paths differ in the last bit: a choice differs when a uniform number falls between them, with
    /// probability about 1e-16 for each of some 1e5 choices.
    #[test]
    fn tiles_choose_as_plain_code_does(
        dim in 1usize..5,
        n in 1usize..90,
        seed in 0u64..1_000_000,
        alpha in 0.2f64..8.0,
        case in 0usize..12,
    ) {
        let mut values = vec![0.0; (n + 5) * dim];
        mixgist::random::standard_normals(&mut stream(seed, Purpose::Simulation, 0), &mut values);
        values.iter_mut().enumerate().for_each(|(e, v)| *v += 3.0 * ((e / dim) % 3) as f64);
        let algorithm = if case % 2 == 0 { Algorithm::Slice } else { Algorithm::Blocked { truncation: Truncation::At(12) } };
        let prior = if case < 6 { MixingPrior::DirichletProcess } else { MixingPrior::PitmanYor { discount: 0.2 } };
        let mut settings = FitSettings::default().with_algorithm(algorithm).with_prior(prior).with_concentration(Concentration::Fixed(alpha));
        settings.component.covariance = CovarianceModel::NAMES[case % 3].1;
        with_component!(settings.component.covariance, C => both_paths_agree::<C>(&values, dim, &settings, seed))
    }
}
