//! The settings of a summary once more: the same distance with the same slices, as many of them as a picture needs.

use std::borrow::Cow;

use mixgist::slice::{Array, NamedArrays, Scheme, Slicer, Slices, slicer};
use mixgist::{
    AtomCount, Ensemble, Error, Estimator, Loss, MixingMeasure, Order, ResolvedUnits, Result, Settings, SliceCount,
    Units,
};
use mixgist_io::SummaryDocument;

use crate::subject::Subject;

/// The settings of a summary, with the first of its slices, at most `most` of them.
pub fn settings(subject: &Subject, most: usize) -> Result<Settings> {
    let summary = subject.summary;
    let slices = summary.slices.min(most).max(1);
    let loss = Loss::NAMES.iter().find(|(name, _)| *name == summary.loss).map_or(Loss::Distance, |(_, loss)| *loss);
    // The number of atoms was chosen once; estimates for comparison have as many.
    let estimator = match subject.is_free() {
        true => Estimator::Free(AtomCount::Fixed(subject.estimate.len().clamp(1, AtomCount::LIMIT))),
        false => Estimator::Medoid,
    };
    Ok(Settings {
        slicer: known_slicer(summary)?,
        slices: SliceCount::Fixed(slices),
        // Directions that were given may not be at hand; independent ones stand in for them then.
        scheme: Scheme::from_name(&summary.scheme).unwrap_or_default(),
        directions: subject.directions.map(|arrays| first_of(arrays, slices)),
        order: Order::new(summary.order)?,
        loss,
        units: Units::from_name(&summary.units.name)?,
        seed: summary.seed,
        estimator,
        ..Settings::default()
    })
}

/// The distance of a summary. A function of the user's own, of which the summary has the name alone, is none that can be computed again.
pub fn known_slicer(summary: &SummaryDocument) -> Result<&'static dyn Slicer> {
    slicer(&summary.distance).map_err(|_| {
        Error::usage(format!(
            "the distance '{}' cannot be computed again: it is none of mixgist's own",
            summary.distance
        ))
        .hint("summarise with a distance that has a name, such as smix-w, for all of the report")
    })
}

/// The first `count` directions.
fn first_of(arrays: &NamedArrays, count: usize) -> NamedArrays {
    let first = |array: &Array| {
        let all = array.shape.first().copied().unwrap_or(0);
        if all <= count {
            return array.clone();
        }
        let mut shape = array.shape.clone();
        shape[0] = count;
        Array { shape, values: array.values[..count * (array.values.len() / all)].to_vec() }
    };
    arrays.iter().map(|(name, array)| (name.clone(), first(array))).collect()
}

/// What a caption says when the directions that were given are not at hand.
pub fn stand_in(subject: &Subject) -> String {
    match subject.summary.scheme == "given" && subject.directions.is_none() {
        true => format!(
            " The directions that were given to the summary are not at hand; independent ones (seed {}) stand in for them here.",
            subject.summary.seed
        ),
        false => String::new(),
    }
}

/// How many slices that are, for captions.
pub fn slice_text(summary: &SummaryDocument, most: usize) -> String {
    match summary.slices {
        all if most < all => format!("the first {most} of {all} slices"),
        1 => "1 slice".into(),
        all => format!("{all} slices"),
    }
}

/// The distance of a summary with its draws in the units in which it was computed.
pub struct Replay<'a> {
    /// The draws in those units.
    pub draws: Cow<'a, Ensemble>,
    /// The estimate in those units.
    pub estimate: MixingMeasure,
    /// The order.
    pub order: Order,
    /// What was averaged.
    pub loss: Loss,
    subject: &'a Subject<'a>,
}

impl<'a> Replay<'a> {
    /// From the summary and its draws.
    pub fn new(subject: &'a Subject<'a>) -> Result<Self> {
        let Settings { order, loss, .. } = settings(subject, 1)?;
        let (draws, summary) = (subject.need_draws()?, subject.summary);
        let Some(units) = units_of(summary, draws.dim())? else {
            return Ok(Replay {
                draws: Cow::Borrowed(draws),
                estimate: subject.estimate.clone(),
                order,
                loss,
                subject,
            });
        };
        let estimate = units.apply(&Ensemble::from_measures(std::slice::from_ref(&subject.estimate))?)?.draw(0);
        Ok(Replay { draws: Cow::Owned(units.apply(draws)?), estimate, order, loss, subject })
    }

    /// The first slices of the summary, at most `most` of them.
    pub fn slices(&self, most: usize) -> Result<Box<dyn Slices>> {
        let settings = settings(self.subject, most)?;
        settings.freeze(self.draws.dim(), settings.slices.first())
    }

    /// The loss of a distance.
    pub fn loss_of(&self, distance: f64) -> f64 {
        match self.loss {
            Loss::Distance => distance,
            Loss::Power => self.order.power(distance),
        }
    }
}

fn units_of(summary: &SummaryDocument, dim: usize) -> Result<Option<ResolvedUnits>> {
    let Some(transform) = &summary.units.transform else { return Ok(None) };
    if transform.concat().len() != dim * dim {
        return Err(Error::input("the units of the summary do not fit its dimension"));
    }
    Ok(Some(ResolvedUnits {
        units: Units::from_name(&summary.units.name)?,
        scales: summary.units.scales.clone(),
        transform: Some(transform.concat()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_directions_keep_their_rows() {
        let array = Array { shape: vec![3, 2], values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0] };
        let arrays = NamedArrays::from([("v".to_owned(), array.clone())]);
        let two = first_of(&arrays, 2);
        assert_eq!((two["v"].shape.clone(), two["v"].values.clone()), (vec![2, 2], vec![1.0, 2.0, 3.0, 4.0]));
        assert_eq!(first_of(&arrays, 9)["v"], array);
    }
}
