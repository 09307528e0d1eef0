//! The distance of some settings bound to an ensemble: measures go in as they are, distances come out in the chosen units.

use crate::ensemble::{Ensemble, MixingMeasure};
use crate::line::Order;
use crate::pairwise::{Distance, DistanceMatrix, SlicedDistance};
use crate::points::Points;
use crate::progress::Progress;
use crate::prune::Pruning;
use crate::slice::Slices;
use crate::summary::Settings;
use crate::units::ResolvedUnits;
use crate::{Error, Result};

/// Measures distances between draws and any measures, all in one choice of units, slices and order.
pub struct Ruler {
    units: ResolvedUnits,
    draws: Ensemble,
    slices: Box<dyn Slices>,
    order: Order,
    pruning: Pruning,
}

impl Ruler {
    /// Freezes the slices of `settings` (those that `auto` starts with) and scales the draws; `data` set the scale of `sd` and
    /// `whiten` units.
    pub fn new(ensemble: &Ensemble, data: Option<Points>, settings: &Settings) -> Result<Self> {
        let units = ResolvedUnits::new(&settings.units, ensemble, data)?;
        let slices = settings.freeze(ensemble.dim(), settings.slices.first())?;
        let draws = units.apply(ensemble)?;
        Ok(Ruler { units, draws, slices, order: settings.order, pruning: settings.pruning })
    }

    /// The units with their numbers.
    pub fn units(&self) -> &ResolvedUnits {
        &self.units
    }

    /// Number of slices.
    pub fn slices(&self) -> usize {
        self.slices.len()
    }

    /// Distances from each of the measures to every draw.
    pub fn rows(&self, measures: &[MixingMeasure], progress: &dyn Progress) -> Result<Vec<Vec<f64>>> {
        let scaled = measures.iter().map(|measure| self.scaled(measure)).collect::<Result<Vec<_>>>()?;
        self.distance().rows(&scaled, &self.draws, progress)
    }

    /// Distances from one measure to every draw.
    pub fn row(&self, measure: &MixingMeasure, progress: &dyn Progress) -> Result<Vec<f64>> {
        Ok(self.rows(std::slice::from_ref(measure), progress)?.swap_remove(0))
    }

    /// The distance between two measures, with its Monte Carlo error over slices.
    pub fn between(&self, a: &MixingMeasure, b: &MixingMeasure) -> Result<Distance> {
        self.distance().between(&self.scaled(a)?, &self.scaled(b)?)
    }

    /// All distances between the draws with these indices.
    pub fn matrix(&self, draws: &[usize], progress: &dyn Progress) -> Result<DistanceMatrix> {
        self.distance().matrix(&self.draws.select(draws)?, progress)
    }

    fn distance(&self) -> SlicedDistance<'_> {
        SlicedDistance::new(&*self.slices, self.order).with_pruning(self.pruning)
    }

    fn scaled(&self, measure: &MixingMeasure) -> Result<MixingMeasure> {
        if measure.dim() != self.draws.dim() {
            return Err(Error::input(format!(
                "the measure has dimension {}, the draws have {}",
                measure.dim(),
                self.draws.dim()
            )));
        }
        Ok(self.units.apply(&Ensemble::from_measures(std::slice::from_ref(measure))?)?.draw(0))
    }
}
