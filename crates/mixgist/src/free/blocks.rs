//! Fits to draws in blocks, for the power loss: their mean quantile functions come from the sweep that found the medoid, and each pass judges some measures.

use std::sync::Arc;

use super::floor::{Center, Floor};
use super::judge::{Judged, OnSlices};
use crate::blocks::{Losses, Passes};
use crate::ensemble::MixingMeasure;
use crate::loss::Loss;
use crate::progress::Progress;
use crate::slice_error::{KEPT_APART, SliceGroups};
use crate::target::SliceTarget;
use crate::{Error, Result};

/// Draws in blocks on some slices.
pub(crate) struct OnBlocks<'a> {
    passes: &'a Passes<'a>,
    draw_weights: Arc<[f64]>,
    targets: &'a [SliceTarget],
}

impl<'a> OnBlocks<'a> {
    /// `targets` are the mean quantile functions, where fits ask for them.
    pub(crate) fn new(passes: &'a Passes<'a>, targets: &'a [SliceTarget]) -> Self {
        let draws = passes.draws();
        OnBlocks { passes, draw_weights: vec![1.0 / draws as f64; draws].into(), targets }
    }
}

impl OnSlices for OnBlocks<'_> {
    fn draw_weights(&self) -> &[f64] {
        &self.draw_weights
    }

    fn slices(&self) -> usize {
        self.passes.slices()
    }

    fn mean_quantiles(
        &self,
        weightings: &[&[f64]],
        _: &[usize],
        most: usize,
        _: &dyn Progress,
    ) -> Result<Vec<Vec<SliceTarget>>> {
        let few = &self.targets[..most.min(self.targets.len())];
        Ok(weightings.iter().map(|_| few.to_vec()).collect())
    }

    fn judge(&self, measures: &[MixingMeasure], loss: Loss, progress: &dyn Progress) -> Result<Vec<Judged>> {
        let groups = SliceGroups::new(self.slices(), self.passes.replicates(), KEPT_APART);
        let judged = |row: crate::blocks::Row| {
            let mut by_group = vec![0.0; groups.sizes.len()];
            row.by_slice.iter().zip(&groups.of_slice).for_each(|(cost, &group)| by_group[group] += cost);
            Judged::new(row.costs, loss, &self.draw_weights, by_group, groups.sizes.clone())
        };
        Ok(self.passes.rows(measures, "expected losses", progress)?.into_iter().map(judged).collect())
    }

    fn glance(&self, _: &[MixingMeasure], _: usize, _: &dyn Progress) -> Result<Vec<Vec<f64>>> {
        Err(Error::usage("draws in blocks are fitted under the power loss alone"))
    }
}

impl Center {
    /// The middle of draws in blocks under the power loss. Half the mean of their losses is the floor, but for how wrong those can be.
    pub(crate) fn of_blocks(found: &Losses) -> Self {
        let draws = found.losses.len();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / draws as f64;
        let (variance, error) = (0.5 * mean(&found.losses), 0.5 * mean(&found.errors));
        let mut nearest_first: Vec<usize> = (0..draws).collect();
        nearest_first.sort_by(|&i, &j| found.losses[i].total_cmp(&found.losses[j]).then(i.cmp(&j)));
        let floor = Floor { value: (variance - error).max(0.0), attained: variance + error };
        Center { weights: vec![1.0 / draws as f64; draws], nearest_first, floor }
    }
}
