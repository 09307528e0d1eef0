//! Costs of order 2 between a few measures and all draws on one slice.
//!
//! Let a measure stand at x_1 ≤ … ≤ x_k with cumulative weights c_j, and let S be the running integral of a draw's quantile function Q. Then
//! ∫ (Q_x − Q)² = ‖Q_x‖² + ‖Q‖² − 2 x_k S(1) + 2 Σ_j (x_{j+1} − x_j) S(c_j). The levels c_j of all measures are sorted once, and one walk along a draw
//! serves them all, where merging would walk along it once for each measure. Where the terms cancel, the pair is merged after all.

use super::{LineMeasure, Lines, Order, transport_cost};

/// A cost below this part of the norms that it is a difference of is computed by merging: rounding would leave it fewer than nine digits.
pub(super) const CANCELS: f64 = 1e-5;

/// A level c_j below 1.
struct Level {
    at: f64,
    /// Where its jump stands among those of all measures.
    jump: usize,
}

/// A measure besides its levels.
struct Measure {
    /// Its jumps x_{j+1} − x_j among those of all measures.
    jumps: std::ops::Range<usize>,
    last: f64,
    norm: f64,
}

/// The costs of [`transport_cost`], to rounding: measures × draws.
pub(crate) fn table_of_costs(lines: &Lines, draws: &Lines, out: &mut [f64]) {
    table_of_costs_from(draws.middle(), lines, draws, out);
}

/// The same with positions counted from `origin`: costs to a draw have the same bits whatever draws stand beside it.
pub(crate) fn table_of_costs_from(origin: f64, lines: &Lines, draws: &Lines, out: &mut [f64]) {
    let (mut levels, mut jumps, mut measures) = (Vec::<Level>::new(), Vec::<f64>::new(), Vec::<Measure>::new());
    for i in 0..lines.len() {
        let line = lines.draw(i);
        // Atoms after the one that completes the mass have none.
        let last = line.cumulative.partition_point(|&c| c < 1.0);
        let start = jumps.len();
        levels.extend(line.cumulative[..last].iter().zip(start..).map(|(&at, jump)| Level { at, jump }));
        jumps.extend(line.positions[..=last].windows(2).map(|pair| pair[1] - pair[0]));
        let norm = squared_norm(line, origin);
        measures.push(Measure { jumps: start..jumps.len(), last: line.positions[last] - origin, norm });
    }
    levels.sort_unstable_by(|a, b| a.at.total_cmp(&b.at).then(a.jump.cmp(&b.jump)));
    let mut integrals = vec![0.0; jumps.len()];
    for m in 0..draws.len() {
        let draw = draws.draw(m);
        let (total, norm) = walk(draw, origin, &levels, &mut integrals);
        for (i, measure) in measures.iter().enumerate() {
            let of_measure = jumps[measure.jumps.clone()].iter().zip(&integrals[measure.jumps.clone()]);
            let product: f64 = of_measure.map(|(jump, integral)| jump * integral).sum();
            let size = measure.norm + norm;
            let cost = size + 2.0 * (product - measure.last * total);
            let cancels = cost.is_nan() || cost < CANCELS * size;
            let cost = if cancels { transport_cost(lines.draw(i), draw, Order::TWO) } else { cost };
            out[i * draws.len() + m] = cost;
        }
    }
}

/// ‖Q‖², positions counted from `origin`.
pub(crate) fn squared_norm(line: LineMeasure, origin: f64) -> f64 {
    walk(line, origin, &[], &mut []).1
}

/// S at each level, where its jump stands; then S(1) and ‖Q‖². Positions are counted from `origin`.
fn walk(line: LineMeasure, origin: f64, levels: &[Level], integrals: &mut [f64]) -> (f64, f64) {
    let mut atoms = line.positions.iter().zip(line.cumulative).map(|(position, &end)| (position - origin, end));
    let (mut x, mut end) = atoms.next().expect("a draw has an atom");
    let (mut start, mut integral, mut norm) = (0.0, 0.0, 0.0);
    for level in levels {
        // The last atom ends at 1, beyond every level.
        while end <= level.at {
            let part = (end - start) * x;
            integral += part;
            norm += part * x;
            start = end;
            (x, end) = atoms.next().unwrap_or((x, f64::INFINITY));
        }
        integrals[level.jump] = integral + (level.at - start) * x;
    }
    loop {
        let part = (end - start) * x;
        integral += part;
        norm += part * x;
        start = end;
        match atoms.next() {
            Some(next) => (x, end) = next,
            None => return (integral, norm),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::super::SLIVER;
    use super::*;

    /// Some line measures, ragged; weights may be next to nothing, positions may coincide.
    pub(in crate::line) fn table() -> impl Strategy<Value = (Vec<usize>, Vec<f64>, Vec<f64>)> {
        let position = prop_oneof![-5.0..5.0f64, Just(1.0), Just(-2.0)];
        let weight = prop_oneof![0.01..1.0f64, Just(0.25), Just(1e-9), Just(1e-17)];
        let measure = prop::collection::vec((position, weight), 1..40);
        prop::collection::vec(measure, 1..8).prop_map(|measures| {
            let (mut offsets, mut positions, mut weights) = (vec![0], Vec::new(), Vec::new());
            for measure in measures {
                let total: f64 = measure.iter().map(|atom| atom.1).sum();
                positions.extend(measure.iter().map(|atom| atom.0));
                weights.extend(measure.iter().map(|atom| atom.1 / total));
                offsets.push(positions.len());
            }
            (offsets, positions, weights)
        })
    }

    /// Every cost is that of merging, to nine digits of it and to what merging leaves out: steps of the length of a sliver over the whole range.
    fn assert_merged(measures: &Lines, draws: &Lines, range: f64) {
        let mut costs = vec![f64::NAN; measures.len() * draws.len()];
        table_of_costs(measures, draws, &mut costs);
        let slivers = 80.0 * SLIVER * range * range;
        for (pair, cost) in costs.iter().enumerate() {
            let (i, m) = (pair / draws.len(), pair % draws.len());
            let merged = transport_cost(measures.draw(i), draws.draw(m), Order::TWO);
            assert!((cost - merged).abs() <= 1e-9 * merged + slivers, "measure {i}, draw {m}: {cost} against {merged}");
        }
    }

    proptest! {
        #[test]
        fn every_cost_is_that_of_merging(a in table(), b in table(), offset in prop_oneof![Just(0.0), Just(1e6)], scale in prop_oneof![Just(1.0), Just(1e-4)]) {
            let moved = |x: &[f64]| x.iter().map(|x| offset + scale * x).collect();
            let (measures, draws) = (Lines::sort(&a.0, moved(&a.1), &a.2), Lines::sort(&b.0, moved(&b.1), &b.2));
            let range = 10.0 * scale;
            assert_merged(&measures, &draws, range);
            // Measures that are draws, or all but draws, are where the difference of norms says nothing.
            let mut costs = vec![f64::NAN; draws.len() * draws.len()];
            table_of_costs(&draws, &draws, &mut costs);
            prop_assert!((0..draws.len()).all(|m| costs[m * draws.len() + m] == 0.0));
            let nearly = b.1.iter().enumerate().map(|(k, x)| offset + scale * (x + 1e-9 * k as f64)).collect();
            assert_merged(&Lines::sort(&b.0, nearly, &b.2), &draws, range);
        }
    }
}
