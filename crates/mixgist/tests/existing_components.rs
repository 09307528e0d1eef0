//! Estimates whose atoms the draws have: what `auto` refuses, what aligned estimates are.

use mixgist::random::{Purpose, stream};
use mixgist::{
    AtomCount, CovarianceForm, Ensemble, Estimator, GaussianAtoms, MixingMeasure, Settings, Silent, SliceCount,
    Summary, Warning, summarize,
};
use rand::RngExt;

/// Draws with three atoms at 0, 6 and 12 on the first axis, of standard deviation 1, and weights of Dirichlet(200 (0.5, 0.3, 0.2)).
fn three_components(dim: usize, draws: usize, seed: u64) -> Ensemble {
    let mut rng = stream(seed, Purpose::Simulation, 0);
    let diagonal: Vec<f64> = (0..dim * dim).map(|e| f64::from(u8::from(e % (dim + 1) == 0))).collect();
    let draw = |_| {
        // A gamma variate of whole shape is a sum of exponential ones.
        let weights = [100, 60, 40].map(|shape| (0..shape).map(|_| -(1.0 - rng.random::<f64>()).ln()).sum::<f64>());
        let means = (0..3 * dim).map(|i| if i % dim == 0 { 6.0 * (i / dim) as f64 } else { 0.0 }).collect();
        let atoms = GaussianAtoms::new(dim, means, diagonal.repeat(3), CovarianceForm::Covariance).unwrap();
        MixingMeasure::new(weights.to_vec(), atoms).unwrap()
    };
    Ensemble::from_measures(&(0..draws).map(draw).collect::<Vec<_>>()).unwrap()
}

fn run(draws: &Ensemble, law: &str, estimator: Estimator) -> Summary {
    let slicer = mixgist::slice::slicer(law).unwrap().into();
    let settings =
        Settings::default().with_slicer(slicer).with_slices(SliceCount::Fixed(100)).with_estimator(estimator);
    summarize(draws, None, &settings, &Silent).unwrap().result
}

fn is_told(summary: &Summary, name: &str) -> bool {
    summary.warnings.iter().any(|warning| warning.name() == name)
}

/// Every draw has the same three atoms, and only their weights are uncertain: `auto` invents no other, for any distance, and says that the loss
/// asks for them. Named numbers are obeyed, and the warning speaks.
#[test]
fn auto_has_no_atoms_that_no_draw_has() {
    for (dim, law) in [(1, "smix-w"), (2, "mix-sw"), (3, "smix-w"), (1, "sw")] {
        let draws = three_components(dim, 200, dim as u64);
        let summary = run(&draws, law, Estimator::Free(AtomCount::default()));
        let found = summary.free().unwrap();
        assert_eq!(found.estimate.len(), 3, "{dim} {law}: {:?}", found.estimate);
        let told = is_told(&summary, "atoms-refused") && !is_told(&summary, "atoms-without-draws");
        assert!(told, "{:?}", summary.warnings);
        let refused = &found.path[found.refused.unwrap()];
        assert!(refused.measure.len() > 3 && refused.mass_without_draws > 0.01);
        assert_eq!(found.path[found.chosen].mass_without_draws, 0.0);
        // Ten atoms, as the loss would have them, have several per cent of their mass between the components.
        let ten = run(&draws, law, Estimator::Free(AtomCount::Fixed(10)));
        let between = (0..ten.estimate.len())
            .filter(|&k| [0.0, 6.0, 12.0].iter().all(|x| (ten.estimate.atoms().mean(k)[0] - x).abs() > 0.8))
            .map(|k| ten.estimate.weights()[k])
            .sum::<f64>();
        assert!(between > 0.02, "{dim} {law}: {between}");
        let said = ten.warnings.iter().find_map(|warning| match warning {
            Warning::AtomsWithoutDraws { weight, .. } => Some(*weight),
            _ => None,
        });
        assert!(said.is_some_and(|said| said >= between - 1e-12), "{dim} {law}: {said:?} of {between}");
    }
}

/// The aligned estimate as the answer of a summary: three components, judged beside the medoid and the floor.
#[test]
fn a_summary_can_be_an_aligned_estimate() {
    let draws = three_components(2, 150, 4);
    let summary = run(&draws, "smix-w", Estimator::Aligned);
    let aligned = summary.aligned().unwrap();
    assert_eq!((summary.estimate.len(), &summary.estimate), (3, &aligned.estimate));
    assert!(aligned.existence.iter().all(|p| *p == 1.0) && aligned.unmatched < 1e-9, "{aligned:?}");
    for (k, weight) in [0.5, 0.3, 0.2].into_iter().enumerate() {
        assert!((summary.estimate.atoms().mean(k)[0] - 6.0 * k as f64).abs() < 1e-6, "{:?}", summary.estimate);
        assert!((summary.estimate.weights()[k] - weight).abs() < 0.01);
    }
    let assessment = summary.assessment.as_ref().unwrap();
    assert!(aligned.judgement.expected_loss >= assessment.floor.value);
    assert!(aligned.judgement.excess < 0.5 && aligned.judgement.held_out.is_some(), "{aligned:?}");
    let mean = summary.distances.iter().sum::<f64>() / 150.0;
    assert!((mean - summary.expected_loss).abs() < 1e-9 && summary.distances == aligned.distances);
    assert_eq!(summary.judgement(), Some(&aligned.judgement));
}

/// Medoid, aligned and free estimate side by side: how far each is above the floor, from the medoid, and from the densities of the draws. A medoid alone has no table.
#[test]
fn estimates_stand_side_by_side() {
    let draws = three_components(1, 200, 9);
    let settings = |estimator| Settings::default().with_slices(SliceCount::Fixed(60)).with_estimator(estimator);
    let of = |estimator| summarize(&draws, None, &settings(estimator), &Silent).unwrap();
    let answer = of(Estimator::Free(AtomCount::Fixed(5)));
    let assessment = answer.assessment.as_ref().unwrap();
    let (free, aligned) = (assessment.free.as_ref().unwrap(), assessment.aligned.as_ref().unwrap());
    let tv = |judgement: &mixgist::Judgement| judgement.total_variation.unwrap();
    let [of_medoid, of_aligned, of_free] = [&assessment.medoid, &aligned.judgement, &free.judgement].map(tv);
    // Components that hardly overlap and differ in their weights alone: half of what the weights differ by.
    let expected = |own: &[f64]| {
        let one = |of_draw: &[f64]| 0.5 * of_draw.iter().zip(own).map(|(x, y)| (x - y).abs()).sum::<f64>();
        draws.weights().chunks_exact(3).map(one).sum::<f64>() / 200.0
    };
    let medoid = draws.draw(answer.medoid.draw);
    for (found, own) in [(of_medoid, medoid.weights()), (of_aligned, aligned.estimate.weights())] {
        assert!((found.mean - expected(own)).abs() < 0.004, "{found:?} {}", expected(own));
    }
    // Atoms between components are farther from the draws.
    assert!(of_free.mean > of_aligned.mean, "{of_free:?} {of_aligned:?}");
    let said = answer.narrative().plain(&mixgist::text::Neutral);
    for words in ["E[TV]", "aligned, 3 atoms", "free, 5 atoms", "from the medoid", "above the floor"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    // The estimate is the free one, and told as such.
    assert!(answer.estimate == free.estimate && !said.contains("each is a component"), "{said}");
    let alone = of(Estimator::Medoid);
    assert!(alone.assessment.as_ref().unwrap().medoid.total_variation.is_none());
    assert!(!alone.narrative().plain(&mixgist::text::Neutral).contains("E[TV]"));
    let aligned_alone = of(Estimator::Aligned);
    assert_eq!(tv(&aligned_alone.aligned().unwrap().judgement), of_aligned);
}
