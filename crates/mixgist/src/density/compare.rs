//! How far two densities on one grid are apart: total variation and sliced W_2.

use rayon::prelude::*;

use crate::density::GridDensity;
use crate::random::{Purpose, stream, unit_vector};
use crate::{Error, Progress, Result};

/// Total variation distance ½ Σ_g |p_g − q_g|, both densities scaled to sum 1 on the grid; between 0 and 1.
///
/// (The paper's tables print Σ_g |p_g − q_g|, twice this.)
pub fn total_variation(a: &GridDensity, b: &GridDensity) -> Result<f64> {
    same_grid(a, b)?;
    let (p, q) = (a.probabilities()?, b.probabilities()?);
    Ok(0.5 * p.iter().zip(&q).map(|(p, q)| (p - q).abs()).sum::<f64>())
}

/// Sliced W_2 between two densities on one grid.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SlicedW2 {
    /// Root of the transport cost.
    pub distance: f64,
    /// Mean of W_2² over the directions.
    pub transport_cost: f64,
    /// Monte Carlo standard error of the transport cost; 0 on a line, where one direction is exact.
    pub transport_cost_se: f64,
    /// Number of directions.
    pub directions: usize,
}

/// Sliced W_2 of the two weighted point sets that the densities are: exact W_2 along each of `directions` (the paper: 1000)
/// directions, uniform on the sphere. Direction l depends on (seed, l) alone.
///
/// Directions in parallel; cost O(n log n) each for n grid points.
pub fn sliced_w2(
    a: &GridDensity,
    b: &GridDensity,
    directions: usize,
    seed: u64,
    progress: &dyn Progress,
) -> Result<SlicedW2> {
    same_grid(a, b)?;
    if directions == 0 {
        return Err(Error::usage("0 directions, must be at least 1"));
    }
    let (p, q) = (a.probabilities()?, b.probabilities()?);
    let (points, dim) = (a.grid().points(), a.grid().dim());
    if dim == 1 {
        let order: Vec<Projected> = sorted_projections(&points, &[1.0]);
        let transport_cost = line_transport_cost(&order, &p, &q);
        return Ok(SlicedW2 { distance: transport_cost.sqrt(), transport_cost, transport_cost_se: 0.0, directions: 1 });
    }
    progress.begin("sliced W_2", directions as u64);
    let costs: Vec<f64> = (0..directions)
        .into_par_iter()
        .map(|l| {
            progress.check()?;
            let mut direction = vec![0.0; dim];
            unit_vector(&mut stream(seed, Purpose::Slices, l as u64), &mut direction);
            let cost = line_transport_cost(&sorted_projections(&points, &direction), &p, &q);
            progress.advance(1);
            Ok(cost)
        })
        .collect::<Result<_>>()?;
    let count = directions as f64;
    let transport_cost = costs.iter().sum::<f64>() / count;
    let variance = costs.iter().map(|c| (c - transport_cost).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    Ok(SlicedW2 {
        distance: transport_cost.sqrt(),
        transport_cost,
        transport_cost_se: (variance / count).sqrt(),
        directions,
    })
}

#[derive(Clone, Copy)]
struct Projected {
    position: f64,
    point: u32,
}

/// Grid rows project to monotone runs, which the stable sort finds and merges.
fn sorted_projections(points: &[f64], direction: &[f64]) -> Vec<Projected> {
    let project = |point: &[f64]| point.iter().zip(direction).map(|(x, u)| x * u).sum::<f64>();
    let mut projected: Vec<Projected> = points
        .chunks_exact(direction.len())
        .enumerate()
        .map(|(point, x)| Projected { position: project(x), point: point as u32 })
        .collect();
    projected.sort_by(|a, b| a.position.total_cmp(&b.position));
    projected
}

/// W_2² on the line between p and q, both on the same positions: mass left to right, what fits first.
fn line_transport_cost(order: &[Projected], p: &[f64], q: &[f64]) -> f64 {
    let mass = |side: &[f64], i: usize| side[order[i].point as usize];
    let (mut i, mut j, mut cost) = (0, 0, 0.0);
    let (mut left_p, mut left_q) = (mass(p, 0), mass(q, 0));
    loop {
        let moved = left_p.min(left_q);
        let way = order[i].position - order[j].position;
        cost += moved * (way * way);
        left_p -= moved;
        left_q -= moved;
        // Both sums are 1 up to rounding: what one side has left when the other is used up is rounding.
        if left_p <= 0.0 {
            i += 1;
            if i == order.len() {
                return cost;
            }
            left_p = mass(p, i);
        }
        if left_q <= 0.0 {
            j += 1;
            if j == order.len() {
                return cost;
            }
            left_q = mass(q, j);
        }
    }
}

fn same_grid(a: &GridDensity, b: &GridDensity) -> Result<()> {
    if a.grid() == b.grid() {
        return Ok(());
    }
    Err(Error::usage("the two densities are on different grids").hint("evaluate both on one grid"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::density::{Bounds, Grid, Interval};
    use proptest::prelude::*;

    fn grid(counts: &[usize]) -> Grid {
        let axes = counts.iter().enumerate().map(|(coordinate, &count)| {
            let interval = Interval { low: 0.0, high: (count - 1) as f64 };
            crate::density::Axis { coordinate, interval, count }
        });
        Grid::new(axes.collect()).unwrap()
    }

    fn density(counts: &[usize], values: &[f64]) -> GridDensity {
        GridDensity::new(grid(counts), values.to_vec()).unwrap()
    }

    /// ∫ (Q_p − Q_q)² from the definition: quantile functions looked up between all cumulative weights.
    fn cost_by_quantiles(positions: &[f64], p: &[f64], q: &[f64]) -> f64 {
        let cumulative = |w: &[f64]| {
            w.iter()
                .scan(0.0, |sum, w| {
                    *sum += w;
                    Some(*sum)
                })
                .collect::<Vec<f64>>()
        };
        let (cp, cq) = (cumulative(p), cumulative(q));
        let mut cuts: Vec<f64> = cp.iter().chain(&cq).map(|c| c.min(1.0)).chain([0.0, 1.0]).collect();
        cuts.sort_by(f64::total_cmp);
        let quantile = |c: &[f64], t: f64| positions[c.partition_point(|&x| x < t).min(positions.len() - 1)];
        cuts.windows(2)
            .map(|t| (t[1] - t[0]) * (quantile(&cp, (t[0] + t[1]) / 2.0) - quantile(&cq, (t[0] + t[1]) / 2.0)).powi(2))
            .sum()
    }

    #[test]
    fn known_total_variations() {
        let a = density(&[4], &[1.0, 1.0, 0.0, 0.0]);
        assert_eq!(total_variation(&a, &density(&[4], &[0.0, 0.0, 3.0, 1.0])).unwrap(), 1.0);
        assert_eq!(total_variation(&a, &density(&[4], &[2.0, 2.0, 0.0, 0.0])).unwrap(), 0.0);
        assert_eq!(total_variation(&a, &density(&[4], &[1.0, 1.0, 1.0, 1.0])).unwrap(), 0.5);
        let other = total_variation(&a, &density(&[2], &[1.0, 1.0])).unwrap_err();
        assert_eq!(other.to_string(), "the two densities are on different grids");
    }

    #[test]
    fn a_shift_on_the_line_moves_by_its_length() {
        let a = density(&[9], &[1.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let b = density(&[9], &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 1.0, 0.0]);
        let distance = sliced_w2(&a, &b, 1000, 1, &Silent).unwrap();
        assert_eq!((distance.distance, distance.transport_cost_se, distance.directions), (5.0, 0.0, 1));
    }

    #[test]
    fn a_shift_in_the_plane_costs_half_its_square() {
        let (mut p, mut q) = (vec![0.0; 100], vec![0.0; 100]);
        (p[11], p[22], q[11 + 34], q[22 + 34]) = (1.0, 3.0, 1.0, 3.0);
        let (a, b) = (density(&[10, 10], &p), density(&[10, 10], &q));
        let sliced = sliced_w2(&a, &b, 4000, 3, &Silent).unwrap();
        // E⟨u, s⟩² = |s|²/2 with s = (3, 4). 5 standard errors: false alarms 6e-7 under another seed.
        assert!((sliced.transport_cost - 12.5).abs() < 5.0 * sliced.transport_cost_se, "{sliced:?}");
        assert!(sliced.transport_cost_se < 0.2);
        assert_eq!(sliced_w2(&a, &a, 10, 3, &Silent).unwrap().distance, 0.0);
        assert!(sliced_w2(&a, &b, 0, 3, &Silent).is_err());
    }

    #[test]
    fn three_axes_work_and_threads_change_no_bit() {
        let values =
            |seed| crate::kernel::tests::random_values(64, 1.0, seed).iter().map(|x| x.exp()).collect::<Vec<_>>();
        let bounds = Bounds::new(vec![Interval { low: -1.0, high: 1.0 }; 3]).unwrap();
        let make = |seed| GridDensity::new(bounds.grid(&[0, 1, 2], 4).unwrap(), values(seed)).unwrap();
        let (a, b) = (make(1), make(2));
        let sliced = sliced_w2(&a, &b, 200, 1, &Silent).unwrap();
        let single = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(sliced, single.install(|| sliced_w2(&a, &b, 200, 1, &Silent)).unwrap());
        assert_eq!(sliced, sliced_w2(&b, &a, 200, 1, &Silent).unwrap());
    }

    proptest! {
        #[test]
        fn the_walk_agrees_with_quantile_functions(
            pairs in prop::collection::vec((prop_oneof![Just(0.0), 0.0..1.0f64], prop_oneof![Just(0.0), 0.0..1.0f64]), 2..30),
        ) {
            let scaled = |values: Vec<f64>| { let total: f64 = values.iter().sum(); values.iter().map(|v| v / total).collect::<Vec<_>>() };
            let (p, q): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            prop_assume!(p.iter().sum::<f64>() > 0.0 && q.iter().sum::<f64>() > 0.0);
            let (p, q) = (scaled(p), scaled(q));
            let positions: Vec<f64> = (0..p.len()).map(|i| i as f64).collect();
            let walked = line_transport_cost(&sorted_projections(&positions, &[1.0]), &p, &q);
            prop_assert!((walked - cost_by_quantiles(&positions, &p, &q)).abs() < 1e-11);
        }
    }
}
