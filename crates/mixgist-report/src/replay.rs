//! The distance of a summary once more: the same slices, as many of them as a picture needs.

use std::borrow::Cow;

use mixgist::slice::{Scheme, Slices, slicer};
use mixgist::{Ensemble, Loss, Order, ResolvedUnits, Result, Settings, Units};
use mixgist_io::SummaryDocument;

use crate::subject::Subject;

/// The distance of a summary with its draws in the units in which it was computed.
pub struct Replay<'a> {
    /// The draws in those units.
    pub draws: Cow<'a, Ensemble>,
    /// The order.
    pub order: Order,
    /// What was averaged.
    pub loss: Loss,
    settings: Settings,
    slices: usize,
}

impl<'a> Replay<'a> {
    /// From the summary and its draws.
    pub fn new(subject: &Subject<'a>) -> Result<Self> {
        let summary = subject.summary;
        let draws = subject.need_draws()?;
        let order = Order::new(summary.order)?;
        let loss = Loss::NAMES.iter().find(|(name, _)| *name == summary.loss).map_or(Loss::Distance, |(_, loss)| *loss);
        let settings = Settings {
            slicer: slicer(&summary.distance)?,
            // Directions that were given are not in the summary; independent ones stand in for them.
            scheme: Scheme::from_name(&summary.scheme).unwrap_or_default(),
            order,
            loss,
            seed: summary.seed,
            ..Settings::default()
        };
        Ok(Replay { draws: in_units(summary, draws)?, order, loss, settings, slices: summary.slices })
    }

    /// The first slices of the summary, at most `most` of them.
    pub fn slices(&self, most: usize) -> Result<Box<dyn Slices>> {
        self.settings.freeze(self.draws.dim(), self.slices.min(most).max(1))
    }

    /// The loss of a distance.
    pub fn loss_of(&self, distance: f64) -> f64 {
        match self.loss {
            Loss::Distance => distance,
            Loss::Power => self.order.power(distance),
        }
    }

    /// How many slices that are, for captions.
    pub fn count(&self, most: usize) -> String {
        let count = self.slices.min(most);
        if count < self.slices {
            format!("the first {count} of {} slices", self.slices)
        } else {
            format!("{count} slices")
        }
    }
}

fn in_units<'a>(summary: &SummaryDocument, draws: &'a Ensemble) -> Result<Cow<'a, Ensemble>> {
    let Some(transform) = &summary.units.transform else { return Ok(Cow::Borrowed(draws)) };
    let units = ResolvedUnits {
        units: Units::from_name(&summary.units.name)?,
        scales: summary.units.scales.clone(),
        transform: Some(transform.concat()),
    };
    if transform.concat().len() != draws.dim() * draws.dim() {
        return Err(mixgist::Error::input("the units of the summary do not fit its dimension"));
    }
    Ok(Cow::Owned(units.apply(draws)?))
}
