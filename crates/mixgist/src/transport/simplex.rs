//! Exact transport between two weighted point sets under any cost matrix: a network simplex on the bipartite graph.
//!
//! Masses are integers (units of 2⁻⁹⁰ of the total) with a perturbation in 32 further bits: every node but the root sends one
//! extra grain to the root. A tree arc then never carries zero flow, because the grains below it cannot cancel; no pivot is
//! degenerate, every pivot lowers the cost, and the method cannot cycle. (It is the strongly feasible basis rule, by arithmetic.)

mod tree;

use fearless_simd::{Level, dispatch};

use crate::{Error, Result};
use tree::Tree;

/// Mass that goes from one source to one sink.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Move {
    /// Index of the source.
    pub source: usize,
    /// Index of the sink.
    pub sink: usize,
    /// How much goes there, positive.
    pub mass: f64,
}

/// An optimal plan, with the potentials that prove it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Σ mass · cost.
    pub transport_cost: f64,
    /// At most (sources + sinks − 1) moves, by source, then sink.
    pub moves: Vec<Move>,
    /// u_i; with v_j: u_i + v_j ≤ c_ij up to rounding, with equality where mass moves.
    pub source_potentials: Vec<f64>,
    /// v_j.
    pub sink_potentials: Vec<f64>,
    /// How many pivots it took.
    pub pivots: usize,
}

/// The cheapest way to move `sources` to `sinks` at `costs` (sources × sinks, row-major, finite).
///
/// Masses are non-negative and both sides have the same total up to 1e-9 of it (the sinks are scaled to fit). The result is
/// optimal up to rounding: within about 1e-14 of the largest potential. Cost for K atoms a side: about K² log K in practice.
pub fn solve(sources: &[f64], sinks: &[f64], costs: &[f64]) -> Result<Plan> {
    let (total, sinks_total) = (checked_total(sources, "source")?, checked_total(sinks, "sink")?);
    if (total - sinks_total).abs() > 1e-9 * total {
        return Err(Error::input(format!("sources weigh {total} and sinks {sinks_total}, must weigh the same")));
    }
    if Some(costs.len()) != sources.len().checked_mul(sinks.len()) {
        return Err(Error::input(format!(
            "{} costs for {} sources and {} sinks",
            costs.len(),
            sources.len(),
            sinks.len()
        )));
    }
    if let Some(i) = costs.iter().position(|c| !c.is_finite()) {
        let (source, sink) = (i / sinks.len(), i % sinks.len());
        return Err(Error::input(format!("cost from source {source} to sink {sink} is {}", costs[i])));
    }
    let (sources, sinks) = (Side::new(sources, total), Side::new(sinks, sinks_total));
    let packed = pack(&sources, &sinks, costs);
    let mut simplex = Simplex::start(&sources.grains, &sinks.grains, packed.as_deref().unwrap_or(costs));
    simplex.run()?;
    Ok(simplex.plan(&sources, &sinks, costs, total))
}

fn checked_total(masses: &[f64], what: &str) -> Result<f64> {
    if let Some(i) = masses.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        return Err(Error::input(format!("mass of {what} {i} is {}, must be finite and not negative", masses[i])));
    }
    let total = masses.iter().fold(0.0, |sum, w| sum + w);
    if total <= 0.0 || !total.is_finite() {
        return Err(Error::input(format!("{what}s weigh {total} in all, must be positive")));
    }
    Ok(total)
}

/// Grains in a unit of mass and, finer, the bits that the perturbation takes.
const GRAINS: f64 = (1u128 << 90) as f64;
const PERTURBATION_BITS: u32 = 32;

/// The atoms of one side that have mass, in grains that sum to 2⁹⁰ exactly.
struct Side {
    len: usize,
    kept: Vec<usize>,
    grains: Vec<i128>,
}

impl Side {
    fn new(masses: &[f64], total: f64) -> Self {
        let all: Vec<i128> = masses.iter().map(|w| (w / total * GRAINS) as i128).collect();
        let kept: Vec<usize> = (0..masses.len()).filter(|&i| all[i] > 0).collect();
        let mut grains: Vec<i128> = kept.iter().map(|&i| all[i]).collect();
        // The heaviest atom takes what rounding left over; it is far heavier than that.
        let heaviest = heaviest(&grains);
        grains[heaviest] += (1 << 90) - grains.iter().sum::<i128>();
        Side { len: masses.len(), kept, grains }
    }
}

fn heaviest(grains: &[i128]) -> usize {
    (0..grains.len()).fold(0, |best, i| if grains[i] > grains[best] { i } else { best })
}

/// The costs among atoms that have mass, unless all have.
fn pack(sources: &Side, sinks: &Side, costs: &[f64]) -> Option<Vec<f64>> {
    if sources.kept.len() == sources.len && sinks.kept.len() == sinks.len {
        return None;
    }
    let row = |&i: &usize| sinks.kept.iter().map(move |&j| costs[i * sinks.len + j]);
    Some(sources.kept.iter().flat_map(row).collect())
}

struct Simplex<'a> {
    costs: &'a [f64],
    sources: usize,
    sinks: usize,
    tree: Tree,
    next_row: usize,
    pivots: usize,
}

/// A reduced cost counts as negative below −ROUNDING · (|c| + |u| + |v|).
const ROUNDING: f64 = 32.0 * f64::EPSILON;

impl<'a> Simplex<'a> {
    /// A first basis: each source in turn fills the open sinks that are cheapest for it, compared with the cheapest source that
    /// each sink could have. Every step uses up a source or a sink, never both (the perturbation), so the arcs form a tree.
    fn start(sources: &[i128], sinks: &[i128], costs: &'a [f64]) -> Self {
        let (n, m) = (sources.len(), sinks.len());
        let root = heaviest(sinks);
        let mut wanted: Vec<i128> = sinks.iter().map(|grains| (grains << PERTURBATION_BITS) - 1).collect();
        wanted[root] += (n + m) as i128;
        let mut prices = costs[..m].to_vec();
        for row in costs.chunks_exact(m) {
            prices.iter_mut().zip(row).for_each(|(price, c)| *price = c.min(*price));
        }
        let mut arcs = Vec::with_capacity(n + m - 1);
        for (i, grains) in sources.iter().enumerate() {
            let mut left = (grains << PERTURBATION_BITS) + 1;
            let row = &costs[i * m..(i + 1) * m];
            while left > 0 && arcs.len() < n + m - 1 {
                let j = place_of(least(row, &prices), row, &prices);
                let flow = left.min(wanted[j]);
                arcs.push(tree::Arc { source: i as u32, sink: j as u32, flow });
                left -= flow;
                wanted[j] -= flow;
                if wanted[j] == 0 {
                    prices[j] = f64::NEG_INFINITY;
                }
            }
        }
        let mut tree = Tree::new(n, m, root, &arcs);
        tree.set_potentials(costs);
        Simplex { costs, sources: n, sinks: m, tree, next_row: 0, pivots: 0 }
    }

    fn run(&mut self) -> Result<()> {
        let cap = 10_000 + 1000 * (self.sources + self.sinks);
        let mut fresh = true;
        loop {
            match self.entering() {
                Some(arc) => {
                    self.tree.pivot(arc.source, arc.sink, arc.reduced_cost);
                    self.pivots += 1;
                    fresh = false;
                }
                None if fresh => return Ok(()),
                None => {
                    // Updated potentials have drifted: the verdict is for those computed anew.
                    self.tree.set_potentials(self.costs);
                    fresh = true;
                }
            }
            if self.pivots >= cap {
                return Err(Error::resource(format!("exact transport was not done after {cap} pivots"))
                    .hint("costs of extremely different size; rescale the units"));
            }
        }
    }

    /// The most negative reduced cost of the next row that has one, rows taken in turn.
    fn entering(&mut self) -> Option<Entering> {
        for _ in 0..self.sources {
            let entering = self.entering_in_row(self.next_row);
            self.next_row = (self.next_row + 1) % self.sources;
            if entering.is_some() {
                return entering;
            }
        }
        None
    }

    fn entering_in_row(&self, source: usize) -> Option<Entering> {
        let (u, potentials) = (self.tree.potentials[source], &self.tree.potentials[self.sources..]);
        let row = &self.costs[source * self.sinks..(source + 1) * self.sinks];
        let least = least(row, potentials);
        if least - u >= 0.0 {
            return None;
        }
        let negative = |j: usize| {
            let (c, v) = (row[j], potentials[j]);
            c - v - u < -ROUNDING * (c.abs() + u.abs() + v.abs())
        };
        // Rounding is in proportion to the potentials: when the least fails the test, a smaller one may still pass it.
        let place = place_of(least, row, potentials);
        let sink = if negative(place) { Some(place) } else { (0..self.sinks).find(|&j| negative(j)) };
        sink.map(|sink| Entering { source, sink, reduced_cost: row[sink] - potentials[sink] - u })
    }

    fn plan(&self, sources: &Side, sinks: &Side, costs: &[f64], total: f64) -> Plan {
        let mut moves: Vec<Move> = Vec::with_capacity(self.sources + self.sinks);
        for arc in self.tree.arcs() {
            let grains = (arc.flow + (1 << (PERTURBATION_BITS - 1))) >> PERTURBATION_BITS;
            if grains > 0 {
                let mass = grains as f64 / GRAINS * total;
                moves.push(Move {
                    source: sources.kept[arc.source as usize],
                    sink: sinks.kept[arc.sink as usize],
                    mass,
                });
            }
        }
        moves.sort_by_key(|step| (step.source, step.sink));
        let transport_cost = moves.iter().map(|step| step.mass * costs[step.source * sinks.len + step.sink]).sum();

        // Atoms without mass are not in the tree; the largest potentials that the others allow are right for them.
        let mut source_potentials = vec![f64::INFINITY; sources.len];
        let mut sink_potentials = vec![f64::INFINITY; sinks.len];
        sources.kept.iter().zip(&self.tree.potentials).for_each(|(&i, u)| source_potentials[i] = *u);
        for j in 0..sinks.len {
            let slack = |&i: &usize| costs[i * sinks.len + j] - source_potentials[i];
            sink_potentials[j] = sources.kept.iter().map(slack).fold(f64::INFINITY, f64::min);
        }
        for i in (0..sources.len).filter(|&i| source_potentials[i] == f64::INFINITY).collect::<Vec<_>>() {
            let slack = |j: usize| costs[i * sinks.len + j] - sink_potentials[j];
            source_potentials[i] = (0..sinks.len).map(slack).fold(f64::INFINITY, f64::min);
        }
        Plan { transport_cost, moves, source_potentials, sink_potentials, pivots: self.pivots }
    }
}

struct Entering {
    source: usize,
    sink: usize,
    reduced_cost: f64,
}

/// The least c_j − v_j of a row.
fn least(row: &[f64], potentials: &[f64]) -> f64 {
    dispatch!(Level::new(), _simd => least_vectorized(row, potentials))
}

#[inline(always)]
fn least_vectorized(row: &[f64], potentials: &[f64]) -> f64 {
    const WIDTH: usize = 16;
    let mut lanes = [f64::INFINITY; WIDTH];
    let (rows, row_rest) = row.as_chunks::<WIDTH>();
    let (columns, column_rest) = potentials.as_chunks::<WIDTH>();
    for (c, v) in rows.iter().zip(columns) {
        for b in 0..WIDTH {
            let x = c[b] - v[b];
            lanes[b] = if x < lanes[b] { x } else { lanes[b] };
        }
    }
    let rest = row_rest.iter().zip(column_rest).map(|(c, v)| c - v);
    lanes.into_iter().chain(rest).fold(f64::INFINITY, |a, b| if b < a { b } else { a })
}

/// The first j that has the least c_j − v_j.
fn place_of(least: f64, row: &[f64], potentials: &[f64]) -> usize {
    row.iter().zip(potentials).position(|(c, v)| c - v <= least).unwrap_or(0)
}

#[cfg(test)]
mod tests;
