//! Moments of the prior; the posterior is judged by `validation`.

use super::*;
use crate::component::{DiagonalCovariance, FullCovariance};
use crate::points::ScaledData;
use crate::settings::{FitSettings, ScaleChoice};
use mixgist::random::{Purpose, stream};

const DATA: [f64; 12] = [0.0, 0.3, 0.8, -0.5, 1.9, 1.4, 2.6, 2.2, 0.4, 2.5, 1.0, 0.1];

fn law<C: Component>(covariance: CovarianceModel) -> (ScaleLaw, Scales) {
    let mut settings = FitSettings::default();
    settings.component.covariance = covariance;
    settings.component.scales = ScaleChoice::Learned;
    let hyperparameters = Hyperparameters::resolve(&DATA, 2, &settings).unwrap();
    let scales = C::new(&hyperparameters, &ScaledData::new(&DATA, 2).unwrap().frame).scales();
    (ScaleLaw::new(&hyperparameters, &scales), scales)
}

/// E λ = 1, E[ν − d + 1 given that it is at least 2] = 74/7, E[Ψ/(ν − d + 1)] = S0, each within 6 standard errors: a false alarm in 5e8 for each.
#[test]
fn the_prior_has_the_moments_that_the_text_says() {
    for (covariance, (mut law, center), inner) in [
        (CovarianceModel::Full, law::<FullCovariance>(CovarianceModel::Full), 2.0),
        (CovarianceModel::Diagonal, law::<DiagonalCovariance>(CovarianceModel::Diagonal), 1.0),
    ] {
        let unit0 = center.nu - inner + 1.0;
        let mut expected = vec![1.0, 74.0 / 7.0];
        expected.extend(center.psi.iter().map(|psi| psi / unit0));
        let mut rng = stream(3, Purpose::Chains, 0);
        let mut values = vec![Vec::new(); expected.len()];
        for _ in 0..40_000 {
            let mut scales = center.clone();
            law.draw_prior(&mut scales, &mut rng);
            let unit = scales.nu - inner + 1.0;
            values[0].push(scales.lambda);
            values[1].push(unit);
            scales.psi.iter().enumerate().for_each(|(e, psi)| values[2 + e].push(psi / unit));
        }
        for (got, expected) in values.iter().zip(expected) {
            let n = got.len() as f64;
            let mean = got.iter().sum::<f64>() / n;
            let variance = got.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
            assert!((mean - expected).abs() < 6.0 * (variance / n).sqrt(), "{covariance:?}: {mean} against {expected}");
        }
    }
}

/// Scales that are given stay fixed, whatever is learned besides.
#[test]
fn what_is_given_stays_as_it_is() {
    let learned = |change: fn(&mut FitSettings)| {
        let mut settings = FitSettings::default();
        settings.component.scales = ScaleChoice::Learned;
        change(&mut settings);
        Hyperparameters::resolve(&DATA, 2, &settings).unwrap().learned
    };
    assert_eq!(learned(|_| ()), Learned { lambda: true, psi: true, nu: true });
    assert_eq!(learned(|s| s.component.lambda = Some(0.2)), Learned { lambda: false, psi: true, nu: true });
    assert_eq!(learned(|s| s.component.nu = Some(5.0)), Learned { lambda: true, psi: true, nu: false });
    assert_eq!(
        learned(|s| s.component.covariance = CovarianceModel::Common),
        Learned { lambda: true, psi: false, nu: false }
    );
    assert!(!learned(|s| s.component.scales = ScaleChoice::Fixed).any());
}
