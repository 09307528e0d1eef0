//! A free-support estimate of real draws beats the best of the draws, on slices that it was not fitted to.

mod data;

use mixgist::slice::slicer;
use mixgist::{AtomCount, Estimator, Silent, SliceCount, summarize};
use mixgist_samplers::{Algorithm, FitSettings, Scale, Truncation, fit};

/// 400 draws of 100 atoms under the prior of the experiments. The draws and the slices have fixed seeds, so that nothing here is left to chance.
#[test]
fn five_free_atoms_beat_every_draw_of_old_faithful() {
    let mut settings = FitSettings::default().with_iterations(1_200).with_burn_in(200).with_thin(10).with_seed(5);
    settings.algorithm = Algorithm::Blocked { truncation: Truncation::At(100) };
    settings.component.mu0 = Some(vec![3.0, 70.0]);
    settings.component.lambda = Some(1.0);
    settings.component.psi = Some(Scale::Diagonal(vec![4.0, 36.0]));
    settings.component.nu = Some(4.0);
    let draws = fit(&data::read("faithful", 2), 2, &settings, None, &Silent).unwrap().ensemble;
    assert_eq!(draws.len(), 400);
    for name in ["mix-sw", "smix-w"] {
        let settings = mixgist::Settings::default()
            .with_slicer(slicer(name).unwrap().into())
            .with_slices(SliceCount::Fixed(100))
            .with_estimator(Estimator::Free(AtomCount::Fixed(5)));
        let summary = summarize(&draws, None, &settings, &Silent).unwrap();
        let assessment = summary.assessment.as_ref().unwrap();
        let held_out = assessment.free.as_ref().unwrap().judgement.held_out.unwrap();
        let medoid = assessment.medoid.held_out.unwrap().expected_loss;
        println!("{name}: medoid {medoid}, free {held_out:?}, {:?}", assessment.floor);
        assert!(held_out.expected_loss < 0.98 * medoid, "{name}: {held_out:?}, medoid {medoid}");
        // On the slices that were fitted to, ten atoms are near what nothing can beat.
        let ten = &assessment.free.as_ref().unwrap().path[9].judgement;
        assert!(ten.excess < 0.03, "{name}: {ten:?}");
    }
}
