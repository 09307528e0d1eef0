//! Everything about how far the posterior reaches from one estimate.

use super::{Ball, Conformal, ball, conformal, region, within};
use crate::Result;
use crate::effective::Probability;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::fits::{Fits, has_dim, has_length};
use crate::posterior::{Answer, Posterior};
use crate::progress::Progress;
use crate::summary::Summary;
use crate::warning::Warning;

/// What is asked about an estimate.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Posterior probability of the balls.
    pub level: f64,
    /// A hypothesised measure with the radius of the region around it; without a radius, that of the ball.
    pub hypothesis: Option<(&'a MixingMeasure, Option<f64>)>,
    /// Whether a conformal ball is wanted. Its centre is the estimate that was given to the posterior, which must not come from these draws;
    /// otherwise it is estimated from one half of the draws.
    pub conformal: bool,
}

/// How far from an estimate the posterior reaches.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Credible {
    /// The credible ball.
    pub ball: Ball,
    /// What there is to say about the hypothesised measure.
    pub region: Option<Region>,
    /// The conformal ball.
    pub conformal: Option<Conformal>,
    /// Distance from the estimate to every draw.
    pub distances: Vec<f64>,
    /// Number of slices.
    pub slices: usize,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
}

/// The posterior near a hypothesised measure.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
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

impl Credible {
    /// The ball by the distances of a summary alone, without what takes slices: the error of the last distance.
    pub fn of_summary(ensemble: &Ensemble, summary: &Summary, level: f64) -> Result<Self> {
        Ok(Credible {
            ball: ball(ensemble, &summary.distances, level)?,
            region: None,
            conformal: None,
            distances: summary.distances.clone(),
            slices: summary.slices,
            warnings: Vec::new(),
        })
    }
}

impl Fits for Credible {
    fn fits(&self, draws: usize, dim: usize) -> Result<()> {
        self.ball.fits(draws, dim)?;
        has_length("distances", self.distances.len(), draws)?;
        if let Some(region) = &self.region {
            has_length("distances of the region", region.distances.len(), draws)?;
        }
        self.conformal.as_ref().map_or(Ok(()), |conformal| has_dim("the conformal estimate", &conformal.estimate, dim))
    }
}

impl Posterior<'_> {
    /// Answers a question about the estimate.
    ///
    /// Cost: a row of distances for each measure that is not the summary's own; a conformal ball that is fitted costs an estimate from half
    /// of the draws.
    pub fn credible(&self, question: &Question, progress: &dyn Progress) -> Result<Answer<Credible>> {
        super::check_level(question.level)?;
        let ensemble = self.ensemble();
        let estimate = self.estimate(progress)?;
        let distances = self.distances(progress)?;
        let mut ball = ball(ensemble, distances, question.level)?;
        if let Some(member) = ball.farthest.first() {
            ball.slice_error = self.between(&estimate.measure, &ensemble.draw(member.draw), progress)?.standard_error;
        }
        let region = match question.hypothesis {
            Some((measure, radius)) => {
                let radius = radius.unwrap_or(ball.radius);
                let apart = self.between(&estimate.measure, measure, progress)?.value;
                let row = self.row(measure, progress)?;
                Some(Region {
                    radius,
                    probability: region(ensemble, &row, radius)?,
                    distance_to_estimate: apart,
                    inside_ball: within(apart, ball.radius),
                    smallest_ball: region(ensemble, distances, apart)?,
                    distances: row,
                })
            }
            None => None,
        };
        let conformal = question.conformal.then(|| conformal(self, question.level, progress)).transpose()?;
        let found = Credible {
            ball,
            region,
            conformal,
            distances: distances.to_vec(),
            slices: self.slices(progress)?.len(),
            warnings: Warning::of_distances(ensemble, distances),
        };
        Ok(self.answer_around(estimate, found))
    }
}
