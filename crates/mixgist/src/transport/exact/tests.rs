//! Reference values, closed forms and metric axioms of the exact distances.

use super::*;
use crate::linalg::apply_to_spectrum;
use crate::mixture::tests::random_measure;
use proptest::prelude::*;

fn measure(dim: usize, weights: &[f64], means: &[f64], covariances: &[f64]) -> MixingMeasure {
    let atoms = GaussianAtoms::new(dim, means.to_vec(), covariances.to_vec(), Default::default()).unwrap();
    MixingMeasure::new(weights.to_vec(), atoms).unwrap()
}

/// The two mixtures of the paper's last appendix.
fn appendix_pair() -> [MixingMeasure; 2] {
    [
        measure(
            2,
            &[0.3, 0.4, 0.3],
            &[0.0, 0.0, 3.0, 3.0, -3.0, 3.0],
            &[1.0, 0.8, 0.8, 1.5, 0.7, -0.3, -0.3, 0.9, 2.0, 1.0, 1.0, 3.0],
        ),
        measure(
            2,
            &[0.2, 0.5, 0.3],
            &[1.0, 1.0, 4.0, 4.0, -2.0, 2.0],
            &[1.2, 0.5, 0.5, 0.8, 0.4, -0.2, -0.2, 0.6, 1.5, 0.7, 0.7, 2.5],
        ),
    ]
}

#[test]
fn the_pair_of_the_appendix_agrees_with_pot_and_scipy() {
    // ot.emd2 (POT 0.9.7) on cost matrices from scipy.linalg.logm and sqrtm.
    let [a, b] = appendix_pair();
    let check = |name: &str, order: Option<f64>, expected: f64| {
        let distance = NamedDistance::from_name(name).unwrap().distance(&a, &b, order).unwrap();
        assert!((distance - expected).abs() < 1e-12, "{name} {order:?}: {distance} {expected}");
    };
    check("exact-w", None, 2.395_984_671_575_162_5);
    check("exact-w", Some(1.0), 1.987_533_723_515_594_3);
    check("exact-w", Some(3.0), 2.919_730_130_600_897);
    check("exact-w-frobenius", None, 2.396_455_716_260_995);
    check("exact-w-frobenius", Some(1.0), 2.006_701_598_070_396);
    check("exact-w-affine", Some(2.0), 2.399_710_486_142_175);
    check("mw", None, 2.270_543_483_304_513_7);
    check("energy", None, 1.294_970_413_390_026_4f64.sqrt());
    check("energy-frobenius", None, 1.294_876_544_584_993_5f64.sqrt());
}

#[test]
fn single_gaussians_have_closed_forms() {
    let (a, b) = (measure(1, &[1.0], &[1.0], &[4.0]), measure(1, &[1.0], &[4.0], &[0.25]));
    let distance = |name: &str| NamedDistance::from_name(name).unwrap().distance(&a, &b, None).unwrap();
    let close = |got: f64, want: f64| assert!((got - want).abs() < 1e-14, "{got} {want}");
    let log_ratio = 16f64.ln();
    close(distance("exact-w"), 3f64.hypot(log_ratio));
    close(distance("exact-w-affine"), 3f64.hypot(log_ratio));
    close(distance("exact-w-frobenius"), 3f64.hypot(3.75));
    // W_2 of two Gaussians on the line: √((μ_1 − μ_2)² + (σ_1 − σ_2)²)
    close(distance("mw"), 3f64.hypot(1.5));
    close(energy_distance_squared(&a, &b, GroundMetric::LogEuclidean).unwrap(), 2.0 * 3f64.hypot(log_ratio));
}

#[test]
fn gaussian_w2_agrees_with_its_formula() {
    for d in [1, 2, 3, 6] {
        for seed in 0..10 {
            let (a, b) = (random_measure(d, 1, seed), random_measure(d, 1, seed + 100));
            let (s1, s2) = (a.atoms().covariance(0), b.atoms().covariance(0));
            let product = |a: &[f64], b: &[f64]| {
                (0..d * d).map(|e| (0..d).map(|k| a[e / d * d + k] * b[k * d + e % d]).sum()).collect::<Vec<f64>>()
            };
            let (mut root, mut inner_root) = (vec![0.0; d * d], vec![0.0; d * d]);
            apply_to_spectrum(s1, d, f64::sqrt, &mut root);
            let mut inner = product(&product(&root, s2), &root);
            for i in 0..d {
                (0..i).for_each(|j| inner[i * d + j] = inner[j * d + i]);
            }
            apply_to_spectrum(&inner, d, |v| v.max(0.0).sqrt(), &mut inner_root);
            let trace = |m: &[f64]| (0..d).map(|i| m[i * d + i]).sum::<f64>();
            let means: f64 = a.atoms().mean(0).iter().zip(b.atoms().mean(0)).map(|(x, y)| (x - y).powi(2)).sum();
            let formula = means + trace(s1) + trace(s2) - 2.0 * trace(&inner_root);
            let got = mw_2(&a, &b).unwrap().transport_cost;
            assert!((got - formula).abs() < 1e-10 * (trace(s1) + trace(s2)), "d {d}: {got} {formula}");
        }
    }
}

#[test]
fn close_covariances_keep_their_digits() {
    for d in [1, 2, 3] {
        let sphere = |sd: f64| (0..d * d).map(|e| if e % (d + 1) == 0 { sd * sd } else { 0.0 }).collect::<Vec<_>>();
        let (a, b) =
            (measure(d, &[1.0], &vec![0.0; d], &sphere(1.0)), measure(d, &[1.0], &vec![0.0; d], &sphere(1.0 + 1e-9)));
        let distance = mw_2(&a, &b).unwrap().distance / (d as f64).sqrt();
        assert!((distance - 1e-9).abs() < 1e-15, "d {d}: {distance}");
    }
}

#[test]
fn orders_names_and_metrics_are_checked() {
    let [a, b] = appendix_pair();
    let message = |result: Result<f64>| result.unwrap_err().to_string();
    let peer = |name: &str| NamedDistance::from_name(name).unwrap();
    assert_eq!(message(peer("exact-w").distance(&a, &b, Some(0.5))), "order p is 0.5, must be finite and at least 1");
    assert!(message(peer("exact-w").distance(&a, &b, Some(f64::NAN))).contains("order p is NaN"));
    assert_eq!(message(peer("mw").distance(&a, &b, Some(1.0))), "'mw' has no order, got order 1");
    assert!(message(energy_distance(&a, &b, GroundMetric::AffineInvariant)).contains("can be negative"));
    let unknown = NamedDistance::from_name("emd").err().unwrap();
    assert_eq!(unknown.to_string(), "unknown exact distance 'emd'");
    assert!(unknown.hint_text().unwrap().to_string().contains("exact-w, "));
    let line = measure(1, &[1.0], &[0.0], &[1.0]);
    for peer in &EXACT_DISTANCES {
        assert!(message(peer.distance(&a, &line, None)).contains("dimensions 2 and 1"), "{}", peer.name);
    }
}

#[test]
fn the_affine_metric_does_not_see_linear_maps_of_covariances() {
    let (a, b) = (random_measure(2, 3, 1), random_measure(2, 3, 2));
    let moved = |g: &MixingMeasure| {
        let zero = vec![0.0; g.atoms().means().len()];
        let atoms = GaussianAtoms::new(2, zero, g.atoms().covariances().to_vec(), Default::default()).unwrap();
        MixingMeasure::new(g.weights().to_vec(), atoms).unwrap()
    };
    let (a, b) = (moved(&a), moved(&b));
    let map = |g: &MixingMeasure| {
        let atoms = g.atoms().transformed(&[2.0, 1.0, -0.5, 3.0]).unwrap();
        MixingMeasure::new(g.weights().to_vec(), atoms).unwrap()
    };
    let distance = |a, b| exact_w(a, b, GroundMetric::AffineInvariant, 2.0).unwrap().distance;
    let (before, after) = (distance(&a, &b), distance(&map(&a), &map(&b)));
    assert!((before - after).abs() < 1e-12 * before);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_peer_is_a_metric(
        dim in 1..4usize, sizes in [1..12usize, 1..12, 1..12], seed in 0..10_000u64, order in prop_oneof![Just(1.0), Just(1.5), Just(2.0), Just(3.0)],
    ) {
        let [a, b, c] = [0, 1, 2].map(|i| random_measure(dim, sizes[i], seed + i as u64));
        for peer in &EXACT_DISTANCES {
            let order = peer.takes_order.then_some(order);
            let distance = |x, y| peer.distance(x, y, order).unwrap();
            let (ab, ba, bc, ac) = (distance(&a, &b), distance(&b, &a), distance(&b, &c), distance(&a, &c));
            prop_assert!(distance(&a, &a) <= 1e-7, "{}: {} to itself", peer.name, distance(&a, &a));
            prop_assert!(ab > 1e-3, "{}: {ab}", peer.name);
            prop_assert!((ab - ba).abs() <= 1e-10 * ab, "{}: {ab} {ba}", peer.name);
            prop_assert!(ac <= ab + bc + 1e-10, "{}: {ac} > {ab} + {bc}", peer.name);
        }
    }

    #[test]
    fn splitting_and_permuting_atoms_changes_nothing(dim in 1..4usize, k in 1..8usize, seed in 0..10_000u64, share in 0.1..0.9f64) {
        let (a, b) = (random_measure(dim, k, seed), random_measure(dim, 5, seed + 1));
        let order: Vec<usize> = (0..k).rev().chain([0]).collect();
        let mut weights: Vec<f64> = order.iter().map(|&i| a.weights()[i]).collect();
        weights[k - 1] *= share;
        weights[k] *= 1.0 - share;
        let split = MixingMeasure::new(weights, a.atoms().select(order)).unwrap();
        for peer in &EXACT_DISTANCES {
            let (one, other) = (peer.distance(&a, &b, None).unwrap(), peer.distance(&split, &b, None).unwrap());
            prop_assert!((one - other).abs() <= 1e-9 * one, "{}: {one} {other}", peer.name);
        }
    }
}
