//! Contours of a function on a regular grid, and the levels whose contours enclose given masses.

use std::collections::BTreeMap;

use crate::figure::Position;

/// Levels t such that {f ≥ t} holds the given shares of the grid's mass: the highest-density regions of a density.
///
/// `values` are those of f at equidistant points. Cost: a sort.
pub fn mass_levels(values: &[f64], shares: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite() && *v > 0.0).collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let total: f64 = sorted.iter().sum();
    shares
        .iter()
        .map(|share| {
            let mut sum = 0.0;
            let level = sorted.iter().find(|v| {
                sum += **v;
                sum >= share * total
            });
            level.or(sorted.last()).copied().unwrap_or(0.0)
        })
        .collect()
}

/// Outlines of {f ≥ level} as closed rings; what lies within an odd number of rings is inside.
///
/// f is given at the product of `xs` and `ys`, the latter running fastest, and interpolated linearly along the edges of the cells
/// (marching squares). Beyond the grid f counts as below the level, so rings close along its border.
pub fn rings(xs: &[f64], ys: &[f64], values: &[f64], level: f64) -> Vec<Vec<Position>> {
    let field = Field { xs, ys, values, level };
    let mut next: BTreeMap<Edge, Edge> = BTreeMap::new();
    for i in 0..=xs.len() {
        for j in 0..=ys.len() {
            field.walk_cell(i, j, &mut next);
        }
    }
    let mut rings = Vec::new();
    while let Some((&start, _)) = next.first_key_value() {
        let mut ring = Vec::new();
        let mut edge = start;
        while let Some(following) = next.remove(&edge) {
            ring.push(field.crossing(edge));
            edge = following;
        }
        ring.dedup();
        if ring.len() > 2 {
            rings.push(ring);
        }
    }
    rings
}

/// An edge of the padded grid: from node (i, j) to the next one in x (`false`) or in y (`true`).
type Edge = (usize, usize, bool);

struct Field<'a> {
    xs: &'a [f64],
    ys: &'a [f64],
    values: &'a [f64],
    level: f64,
}

impl Field<'_> {
    /// The value at a node of the grid padded by one node on every side.
    fn value(&self, i: usize, j: usize) -> Option<f64> {
        let inside = (1..=self.xs.len()).contains(&i) && (1..=self.ys.len()).contains(&j);
        inside.then(|| self.values[(i - 1) * self.ys.len() + j - 1])
    }

    fn above(&self, i: usize, j: usize) -> bool {
        self.value(i, j).is_some_and(|v| v >= self.level)
    }

    /// Where the level is crossed on an edge; edges to the padding are crossed at the border of the grid.
    fn crossing(&self, (i, j, upward): Edge) -> Position {
        let (k, l) = if upward { (i, j + 1) } else { (i + 1, j) };
        let place = |i: usize, j: usize| {
            let within = |at: usize, of: &[f64]| of[at.clamp(1, of.len()) - 1];
            [within(i, self.xs), within(j, self.ys)]
        };
        let (from, to) = (place(i, j), place(k, l));
        let t = match (self.value(i, j), self.value(k, l)) {
            (Some(a), Some(b)) if a != b => ((self.level - a) / (b - a)).clamp(0.0, 1.0),
            (Some(_), Some(_)) => 0.5,
            (Some(_), None) => 0.0,
            _ => 1.0,
        };
        [from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])]
    }

    /// Links the edges that the contour enters and leaves the cell by, with the high side always on the left.
    fn walk_cell(&self, i: usize, j: usize, next: &mut BTreeMap<Edge, Edge>) {
        // Corners anticlockwise from the lower left; edge e lies between corners e and e + 1.
        let corners = [self.above(i, j), self.above(i + 1, j), self.above(i + 1, j + 1), self.above(i, j + 1)];
        if corners.iter().all(|above| *above == corners[0]) {
            return;
        }
        let edges: [Edge; 4] = [(i, j, false), (i + 1, j, true), (i, j + 1, false), (i, j, true)];
        // Walking around the cell, the contour leaves the cell where low turns high … and enters where high turns low.
        let turns = |from_high: bool| {
            (0..4).filter(move |&e| corners[e] == from_high && corners[(e + 1) % 4] != from_high).collect::<Vec<_>>()
        };
        let (entries, exits) = (turns(false), turns(true));
        match entries.len() {
            1 => {
                next.insert(edges[exits[0]], edges[entries[0]]);
            }
            _ => {
                // A saddle: the mean of the corners says whether the high corners are connected.
                let nodes = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
                let values: Vec<f64> = nodes.iter().filter_map(|&(i, j)| self.value(i, j)).collect();
                let connected = values.len() == 4 && values.iter().map(|v| v / 4.0).sum::<f64>() >= self.level;
                for &exit in &exits {
                    let entry = if connected { (exit + 1) % 4 } else { (exit + 3) % 4 };
                    next.insert(edges[exit], edges[entry]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(low: f64, high: f64, count: usize) -> Vec<f64> {
        (0..count).map(|i| low + (high - low) * i as f64 / (count - 1) as f64).collect()
    }

    fn area(ring: &[Position]) -> f64 {
        let next = ring.iter().cycle().skip(1);
        0.5 * ring.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>()
    }

    fn sample(xs: &[f64], ys: &[f64], f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        xs.iter().flat_map(|&x| ys.iter().map(move |&y| (x, y))).map(|(x, y)| f(x, y)).collect()
    }

    #[test]
    fn levels_of_a_normal_density_enclose_their_mass() {
        let (xs, ys) = (axis(-6.0, 6.0, 241), axis(-6.0, 6.0, 241));
        let values = sample(&xs, &ys, |x, y| (-0.5 * (x * x + y * y)).exp());
        for share in [0.1, 0.5, 0.9, 0.95] {
            // {f ≥ t} of the standard normal in the plane holds 1 − t / f(0).
            let level = mass_levels(&values, &[share])[0];
            assert!((level - (1.0 - share)).abs() < 4e-3, "{share}: {level}");
            let rings = rings(&xs, &ys, &values, level);
            let radius_squared = -2.0 * level.ln();
            assert_eq!(rings.len(), 1);
            assert!((area(&rings[0]).abs() / (std::f64::consts::PI * radius_squared) - 1.0).abs() < 5e-3);
        }
        assert_eq!(mass_levels(&[0.0; 4], &[0.5]), [0.0]);
        assert_eq!(mass_levels(&[1.0, 3.0], &[0.75, 1.0]), [3.0, 1.0]);
    }

    #[test]
    fn holes_run_the_other_way_and_borders_close() {
        let (xs, ys) = (axis(-2.0, 2.0, 81), axis(-2.0, 2.0, 81));
        let ring_shaped = sample(&xs, &ys, |x, y| -(x.hypot(y) - 1.0).abs());
        let found = rings(&xs, &ys, &ring_shaped, -0.3);
        let mut areas: Vec<f64> = found.iter().map(|ring| area(ring)).collect();
        areas.sort_by(f64::total_cmp);
        let pi = std::f64::consts::PI;
        assert_eq!(areas.len(), 2);
        assert!(areas[0] * areas[1] < 0.0, "{areas:?}");
        assert!((areas[0].abs() - 0.49 * pi).abs() < 0.02 && (areas[1].abs() - 1.69 * pi).abs() < 0.02, "{areas:?}");
        let slope = sample(&xs, &ys, |x, _| x);
        let half = rings(&xs, &ys, &slope, 0.0);
        assert_eq!(half.len(), 1);
        assert!((area(&half[0]).abs() - 8.0).abs() < 1e-9);
    }

    #[test]
    fn every_ring_of_random_values_separates_high_from_low() {
        let (xs, ys) = (axis(0.0, 1.0, 9), axis(0.0, 1.0, 7));
        for seed in 0..50u64 {
            let mut state = seed;
            let values: Vec<f64> = (0..63)
                .map(|_| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    (state >> 40) as f64 / (1u64 << 24) as f64
                })
                .collect();
            let found = rings(&xs, &ys, &values, 0.5);
            for (i, &x) in xs.iter().enumerate().take(8).skip(1) {
                for (j, &y) in ys.iter().enumerate().take(6).skip(1) {
                    let inside = found.iter().filter(|ring| contains(ring, x, y)).count() % 2 == 1;
                    assert_eq!(inside, values[i * 7 + j] >= 0.5, "seed {seed}, node {i} {j}");
                }
            }
        }
    }

    fn contains(ring: &[Position], x: f64, y: f64) -> bool {
        let next = ring.iter().cycle().skip(1);
        let crosses = |a: &Position, b: &Position| {
            (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
        };
        ring.iter().zip(next).filter(|(a, b)| crosses(a, b)).count() % 2 == 1
    }
}
