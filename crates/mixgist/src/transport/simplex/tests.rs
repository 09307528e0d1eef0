//! Proofs of optimality, brute force and closed forms for the network simplex.

use super::*;
use crate::kernel::tests::random_values;
use proptest::prelude::*;

fn uniform(k: usize) -> Vec<f64> {
    vec![1.0 / k as f64; k]
}

/// Marginals, complementary slackness and the duality gap: together they prove that a plan is optimal.
fn assert_optimal(plan: &Plan, sources: &[f64], sinks: &[f64], costs: &[f64]) {
    let m = sinks.len();
    let largest = costs.iter().fold(0.0, |a: f64, c| a.max(c.abs())).max(1e-300);
    let (mut rows, mut columns) = (vec![0.0; sources.len()], vec![0.0; m]);
    for step in &plan.moves {
        assert!(step.mass > 0.0);
        rows[step.source] += step.mass;
        columns[step.sink] += step.mass;
    }
    let total: f64 = sources.iter().sum();
    for (got, want) in rows.iter().zip(sources).chain(columns.iter().zip(sinks)) {
        assert!((got - want).abs() <= 1e-13 * total, "{got} {want}");
    }
    for i in 0..sources.len() {
        for j in 0..m {
            assert!(plan.source_potentials[i] + plan.sink_potentials[j] <= costs[i * m + j] + 1e-12 * largest);
        }
    }
    let dual: f64 = sources.iter().zip(&plan.source_potentials).map(|(w, u)| w * u).sum::<f64>()
        + sinks.iter().zip(&plan.sink_potentials).map(|(w, v)| w * v).sum::<f64>();
    assert!((dual - plan.transport_cost).abs() <= 1e-12 * largest * total, "{dual} {}", plan.transport_cost);
    assert!(plan.moves.len() < sources.len() + m);
}

fn permutations(items: &mut Vec<usize>, at: usize, visit: &mut impl FnMut(&[usize])) {
    if at == items.len() {
        return visit(items);
    }
    for other in at..items.len() {
        items.swap(at, other);
        permutations(items, at + 1, visit);
        items.swap(at, other);
    }
}

#[test]
fn uniform_weights_agree_with_the_best_of_all_permutations() {
    for k in 1..=6 {
        for seed in 0..30 {
            let costs: Vec<f64> = random_values(k * k, 1.0, seed).iter().map(|x| x * x).collect();
            let plan = solve(&uniform(k), &uniform(k), &costs).unwrap();
            let mut best = f64::INFINITY;
            permutations(&mut (0..k).collect(), 0, &mut |order| {
                best = best.min((0..k).map(|i| costs[i * k + order[i]]).sum::<f64>() / k as f64);
            });
            assert!((plan.transport_cost - best).abs() < 1e-14, "{} {best}", plan.transport_cost);
            assert_optimal(&plan, &uniform(k), &uniform(k), &costs);
        }
    }
}

#[test]
fn known_values_of_pot() {
    // ot.emd2(a, b, M) with a_i ∝ 1 + i mod 3, b_j ∝ 1 + j mod 4, M_ij = ((7 i + 13 j) mod 17) / 17 (POT 0.9.7)
    for (n, m, expected) in POT_VALUES {
        let scaled = |count: usize, modulus: usize| {
            let raw: Vec<f64> = (0..count).map(|i| (1 + i % modulus) as f64).collect();
            let total: f64 = raw.iter().sum();
            raw.iter().map(|w| w / total).collect::<Vec<_>>()
        };
        let (a, b) = (scaled(n, 3), scaled(m, 4));
        let costs: Vec<f64> = (0..n * m).map(|e| ((7 * (e / m) + 13 * (e % m)) % 17) as f64 / 17.0).collect();
        let plan = solve(&a, &b, &costs).unwrap();
        assert!((plan.transport_cost - expected).abs() < 1e-14, "{n} × {m}: {} {expected}", plan.transport_cost);
        assert_optimal(&plan, &a, &b, &costs);
    }
}

const POT_VALUES: [(usize, usize, f64); 4] = [
    (3, 5, 0.262_923_351_158_645_24),
    (10, 10, 0.155_741_014_941_445_68),
    (7, 40, 0.192_624_434_389_140_26),
    (60, 45, 0.071_568_627_450_980_37),
];

#[test]
fn degenerate_and_extreme_problems_end() {
    for k in [2, 7, 50, 120] {
        // All costs equal; all masses equal with integer costs; identical rows.
        for modulus in [1, 2, 3] {
            let costs: Vec<f64> = (0..k * k).map(|e| ((e / k + e % k) % modulus) as f64).collect();
            assert_optimal(&solve(&uniform(k), &uniform(k), &costs).unwrap(), &uniform(k), &uniform(k), &costs);
        }
        // Masses and costs that span many orders of magnitude.
        let raw: Vec<f64> = (0..k).map(|i| 0.5f64.powi(i as i32)).collect();
        let total: f64 = raw.iter().sum();
        let masses: Vec<f64> = raw.iter().map(|w| w / total).collect();
        let costs: Vec<f64> = random_values(k * k, 8.0, 3).iter().map(|x| x.exp()).collect();
        assert_optimal(&solve(&masses, &uniform(k), &costs).unwrap(), &masses, &uniform(k), &costs);
    }
}

#[test]
fn nothing_moves_when_both_sides_are_equal() {
    let masses = [0.1, 0.2, 0.3, 0.4];
    let costs: Vec<f64> = (0..16).map(|e| (e as f64 / 4.0).floor() - (e % 4) as f64).map(f64::abs).collect();
    let plan = solve(&masses, &masses, &costs).unwrap();
    assert_eq!(plan.transport_cost, 0.0);
    assert_eq!(
        plan.moves.iter().map(|step| (step.source, step.sink, step.mass)).collect::<Vec<_>>(),
        (0..4).map(|i| (i, i, masses[i])).collect::<Vec<_>>()
    );
}

#[test]
fn bad_problems_are_refused() {
    let message = |a: &[f64], b: &[f64], c: &[f64]| solve(a, b, c).unwrap_err().to_string();
    assert_eq!(message(&[], &[1.0], &[]), "sources weigh 0 in all, must be positive");
    assert_eq!(message(&[1.0], &[0.0], &[1.0]), "sinks weigh 0 in all, must be positive");
    assert_eq!(message(&[1.0], &[-1.0], &[1.0]), "mass of sink 0 is -1, must be finite and not negative");
    assert_eq!(message(&[1.0], &[2.0], &[1.0]), "sources weigh 1 and sinks 2, must weigh the same");
    assert_eq!(message(&[1.0], &[1.0], &[]), "0 costs for 1 sources and 1 sinks");
    assert_eq!(message(&[1.0], &[0.5, 0.5], &[1.0, f64::NAN]), "cost from source 0 to sink 1 is NaN");
}

fn masses(k: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    let mass =
        prop_oneof![3 => 0.0..1.0f64, 1 => Just(0.0), 1 => Just(0.25), 1 => (0.0..40.0f64).prop_map(|x| (-x).exp())];
    prop::collection::vec(mass, k).prop_filter_map("mass", |raw| {
        let total: f64 = raw.iter().sum();
        (total > 0.0).then(|| raw.iter().map(|w| w / total).collect())
    })
}

proptest! {
    #[test]
    fn every_plan_carries_its_proof(a in masses(1..25), b in masses(1..25), seed in 0..1000u64, ties in any::<bool>()) {
        let mut costs = random_values(a.len() * b.len(), 2.0, seed);
        if ties {
            costs.iter_mut().for_each(|c| *c = c.round());
        }
        assert_optimal(&solve(&a, &b, &costs).unwrap(), &a, &b, &costs);
    }

    #[test]
    fn on_the_line_sorting_is_optimal(a in masses(1..20), b in masses(1..20), seed in 0..1000u64) {
        let mut x = random_values(a.len(), 2.0, seed);
        let mut y = random_values(b.len(), 3.0, seed + 7);
        x.sort_by(f64::total_cmp);
        y.sort_by(f64::total_cmp);
        let costs: Vec<f64> = x.iter().flat_map(|x| y.iter().map(move |y| (x - y).powi(2))).collect();
        let (mut i, mut j, mut sorted) = (0, 0, 0.0);
        let (mut left, mut wanted) = (a[0], b[0]);
        while i < a.len() && j < b.len() {
            let moved = left.min(wanted);
            sorted += moved * (x[i] - y[j]).powi(2);
            (left, wanted) = (left - moved, wanted - moved);
            if left <= 0.0 { i += 1; left = a.get(i).copied().unwrap_or(0.0); }
            if wanted <= 0.0 { j += 1; wanted = b.get(j).copied().unwrap_or(0.0); }
        }
        let plan = solve(&a, &b, &costs).unwrap();
        prop_assert!((plan.transport_cost - sorted).abs() < 1e-12, "{} {sorted}", plan.transport_cost);
    }
}
