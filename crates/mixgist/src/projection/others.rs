//! Measures that are not draws, on the slices that the draws are on.

use super::{PrunedMeasures, check_positions};
use crate::Result;
use crate::line::{Lines, Order, table_of_costs, transport_cost};
use crate::slice::Slices;

/// A few measures bound to the slices of a projection.
pub(crate) struct OtherMeasures<'a> {
    slices: &'a dyn Slices,
    kept: PrunedMeasures,
    order: Order,
}

impl<'a> OtherMeasures<'a> {
    pub(super) fn new(slices: &'a dyn Slices, kept: PrunedMeasures, order: Order) -> Self {
        OtherMeasures { slices, kept, order }
    }

    /// On one slice, the transport costs to every draw: measures × draws.
    pub(crate) fn costs(&self, slice: usize, draws: &Lines) -> Result<Vec<f64>> {
        let PrunedMeasures { coordinates, weights, offsets } = &self.kept;
        let mut positions = vec![0.0; coordinates.atoms()];
        self.slices.project(slice..slice + 1, coordinates, &mut positions);
        check_positions(&positions, self.order).map_err(|beyond| beyond.error(slice))?;
        let own = Lines::sort(offsets, positions, weights);
        let mut costs = vec![0.0; own.len() * draws.len()];
        if self.order == Order::TWO {
            table_of_costs(&own, draws, &mut costs);
        } else {
            for (i, row) in costs.chunks_exact_mut(draws.len()).enumerate() {
                let cost = |m: usize| transport_cost(own.draw(i), draws.draw(m), self.order);
                row.iter_mut().enumerate().for_each(|(m, out)| *out = cost(m));
            }
        }
        Ok(costs)
    }
}
