//! Everything about how far the posterior reaches from one estimate, measured with one ruler.

use super::{Ball, Conformal, Source, ball, conformal, region, within};
use crate::Result;
use crate::effective::Probability;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::points::Points;
use crate::progress::Progress;
use crate::ruler::Ruler;
use crate::summary::Settings;
use crate::warning::Warning;

/// What is asked about an estimate.
pub struct Question<'a> {
    /// Posterior probability of the balls.
    pub level: f64,
    /// A hypothesised measure with the radius of the region around it; without a radius, that of the ball.
    pub hypothesis: Option<(&'a MixingMeasure, Option<f64>)>,
    /// Where the centre of a conformal ball comes from, when one is wanted.
    pub conformal: Option<Source<'a>>,
}

/// How far from an estimate the posterior reaches.
#[derive(Debug, Clone, PartialEq)]
pub struct Credible {
    /// The credible ball.
    pub ball: Ball,
    /// Error over slices of the distance to the most distant member; `None` with a single slice.
    pub slice_error: Option<f64>,
    /// What there is to say about the hypothesised measure.
    pub region: Option<Region>,
    /// The conformal ball.
    pub conformal: Option<Conformal>,
    /// Whether its centre was given; otherwise it was fitted to a part of the draws.
    pub conformal_given: bool,
    /// Distance from the estimate to every draw.
    pub distances: Vec<f64>,
    /// Number of slices.
    pub slices: usize,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
}

/// The posterior near a hypothesised measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Radius of the region.
    pub radius: f64,
    /// Its posterior probability.
    pub probability: Probability,
    /// How far the hypothesised measure is from the estimate.
    pub distance_to_estimate: f64,
    /// Whether the ball around the estimate holds it.
    pub inside_ball: bool,
    /// Posterior probability of the smallest ball around the estimate that holds it.
    pub smallest_ball: Probability,
    /// Distance from it to every draw.
    pub distances: Vec<f64>,
}

/// Answers a question about an estimate, under the distance of `settings`.
///
/// Cost: a row of distances for each measure; a conformal ball that is fitted costs an estimate from half of the draws.
pub fn credible(
    estimate: &MixingMeasure,
    ensemble: &Ensemble,
    data: Option<Points>,
    settings: &Settings,
    question: &Question,
    progress: &dyn Progress,
) -> Result<Credible> {
    super::check_level(question.level)?;
    let ruler = Ruler::new(ensemble, data, settings)?;
    let mut measures = vec![estimate.clone()];
    measures.extend(question.hypothesis.map(|(measure, _)| measure.clone()));
    let mut rows = ruler.rows(&measures, progress)?;
    let ball = ball(ensemble, &rows[0], question.level)?;
    let slice_error = match ball.farthest.first() {
        Some(member) => ruler.between(estimate, &ensemble.draw(member.draw))?.standard_error,
        None => None,
    };
    let region = match question.hypothesis {
        Some((measure, radius)) => {
            let radius = radius.unwrap_or(ball.radius);
            let apart = ruler.between(estimate, measure)?.value;
            Some(Region {
                radius,
                probability: region(ensemble, &rows[1], radius)?,
                distance_to_estimate: apart,
                inside_ball: within(apart, ball.radius),
                smallest_ball: region(ensemble, &rows[0], apart)?,
                distances: rows.swap_remove(1),
            })
        }
        None => None,
    };
    let of_source = |source| conformal(ensemble, data, settings, question.level, source, &rows[0], progress);
    let conformal = question.conformal.as_ref().map(of_source).transpose()?;
    let warnings = Warning::of_distances(ensemble, &rows[0]);
    Ok(Credible {
        ball,
        slice_error,
        region,
        conformal,
        conformal_given: matches!(question.conformal, Some(Source::Given(_))),
        distances: rows.swap_remove(0),
        slices: ruler.slices(),
        warnings,
    })
}
