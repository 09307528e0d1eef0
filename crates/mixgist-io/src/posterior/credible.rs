//! How far from an estimate the posterior reaches.

use mixgist::credible::{Ball, Conformal, ConformalRadius, Credible, Member, Region};
use mixgist::{Ensemble, Result};
use serde::{Deserialize, Serialize};

use super::{About, EstimateOrigin, ProbabilityDocument, SettingsDocument};
use crate::formats::json::Schema;
use crate::summary::{MeasureDocument, WarningDocument};

/// The schema of credible sets.
pub const CREDIBLE_SCHEMA: Schema = Schema { name: "mixgist.credible", version: 1 };

/// Credible sets around an estimate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CredibleDocument {
    /// Posterior probability that was asked for.
    pub level: f64,
    /// Where the estimate comes from.
    pub estimate_source: String,
    /// Which draw it is, when it is one of them.
    pub estimate_draw: Option<usize>,
    /// Number of draws.
    pub draws: usize,
    /// Number of chains.
    pub chains: usize,
    /// How distances were computed.
    #[serde(flatten)]
    pub settings: SettingsDocument,
    /// What the reader should know.
    pub warnings: Vec<WarningDocument>,
    /// The credible ball.
    pub ball: BallDocument,
    /// The posterior near a hypothesised measure.
    pub region: Option<RegionDocument>,
    /// The conformal ball.
    pub conformal: Option<ConformalDocument>,
    /// The estimate.
    pub estimate: MeasureDocument,
    /// Distance from it to every draw.
    pub distances: Vec<f64>,
}

/// A credible ball.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BallDocument {
    /// Posterior probability that was asked for.
    pub level: f64,
    /// The least radius that holds it.
    pub radius: f64,
    /// The radius one Monte Carlo standard error of the level below.
    pub radius_low: f64,
    /// The radius one standard error above; `null` with too few effective draws.
    pub radius_high: Option<f64>,
    /// Monte Carlo standard error of the radius.
    pub radius_error: Option<f64>,
    /// Error over slices of the distance to the most distant member.
    pub slice_error: Option<f64>,
    /// The probability that the ball holds.
    pub probability: ProbabilityDocument,
    /// Quantiles of the distance at 5, 25, 50, 75 and 95 %.
    pub distance_quantiles: [f64; 5],
    /// Members that are farthest from the estimate, farthest first.
    pub farthest: Vec<MemberDocument>,
}

/// A draw within a ball.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemberDocument {
    /// Index of the draw.
    pub draw: usize,
    /// Its chain.
    pub chain: u32,
    /// Iteration within the chain.
    pub iteration: u64,
    /// Its distance from the estimate.
    pub distance: f64,
}

/// The posterior near a hypothesised measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegionDocument {
    /// Radius of the region.
    pub radius: f64,
    /// Its posterior probability.
    pub probability: ProbabilityDocument,
    /// How far the hypothesised measure is from the estimate.
    pub distance_to_estimate: f64,
    /// Whether the ball around the estimate holds it.
    pub inside_ball: bool,
    /// Probability of the smallest ball around the estimate that holds it.
    pub smallest_ball: ProbabilityDocument,
    /// Distance from it to every draw.
    pub distances: Vec<f64>,
}

/// A conformal ball, or how many draws are missing for one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConformalDocument {
    /// Coverage that was asked for.
    pub level: f64,
    /// The radius; `null` when there are too few draws.
    pub radius: Option<f64>,
    /// Its rank among the calibration draws, from 1.
    pub rank: Option<usize>,
    /// Coverage of the next draw is at least this.
    pub coverage: Option<f64>,
    /// Standard deviation of the coverage between splits.
    pub coverage_sd: Option<f64>,
    /// The least number of calibration draws that would do.
    pub needed_draws: Option<usize>,
    /// The most that the present number can guarantee.
    pub attainable_level: Option<f64>,
    /// How many draws calibrate.
    pub calibration_draws: usize,
    /// How many draws gave the estimate; 0 when it was given.
    pub fitted_draws: usize,
    /// Every so many draws of a chain were kept.
    pub thin: usize,
    /// How many independent draws all draws are worth.
    pub effective_draws: f64,
    /// Whether the centre was given.
    pub estimate_given: bool,
    /// The centre.
    pub estimate: MeasureDocument,
}

impl CredibleDocument {
    /// The document of what was found about an estimate.
    pub fn new(found: &Credible, estimate: &EstimateOrigin, about: &About) -> Result<Self> {
        let About { ensemble, settings, .. } = *about;
        Ok(CredibleDocument {
            level: found.ball.level,
            estimate_source: estimate.source.into(),
            estimate_draw: estimate.draw,
            draws: ensemble.len(),
            chains: chain_count(ensemble),
            settings: SettingsDocument::new(settings, ensemble.dim())?,
            warnings: found.warnings.iter().map(WarningDocument::from).collect(),
            ball: BallDocument::new(&found.ball, found.slice_error, ensemble),
            region: found.region.as_ref().map(RegionDocument::from),
            conformal: found.conformal.as_ref().map(|ball| ConformalDocument::new(ball, found.conformal_given)),
            estimate: estimate.measure.into(),
            distances: found.distances.clone(),
        })
    }
}

fn chain_count(ensemble: &Ensemble) -> usize {
    let mut chains = ensemble.chains().to_vec();
    chains.sort_unstable();
    chains.dedup();
    chains.len()
}

impl BallDocument {
    /// The document of a ball around an estimate from these draws.
    pub fn new(ball: &Ball, slice_error: Option<f64>, ensemble: &Ensemble) -> Self {
        let member = |member: &Member| MemberDocument {
            draw: member.draw,
            chain: ensemble.chains()[member.draw],
            iteration: ensemble.iterations()[member.draw],
            distance: member.distance,
        };
        BallDocument {
            level: ball.level,
            radius: ball.radius,
            radius_low: ball.radius_low,
            radius_high: ball.radius_high,
            radius_error: ball.radius_error(),
            slice_error,
            probability: ball.probability.into(),
            distance_quantiles: ball.quantiles,
            farthest: ball.farthest.iter().map(member).collect(),
        }
    }
}

impl From<&Region> for RegionDocument {
    fn from(region: &Region) -> Self {
        RegionDocument {
            radius: region.radius,
            probability: region.probability.into(),
            distance_to_estimate: region.distance_to_estimate,
            inside_ball: region.inside_ball,
            smallest_ball: region.smallest_ball.into(),
            distances: region.distances.clone(),
        }
    }
}

impl ConformalDocument {
    /// The document of a conformal ball; `estimate_given` says that its centre does not come from these draws.
    pub fn new(found: &Conformal, estimate_given: bool) -> Self {
        let mut document = ConformalDocument {
            level: found.level,
            radius: None,
            rank: None,
            coverage: None,
            coverage_sd: None,
            needed_draws: None,
            attainable_level: None,
            calibration_draws: found.calibration,
            fitted_draws: found.fitted,
            thin: found.thin,
            effective_draws: found.effective_draws,
            estimate_given,
            estimate: MeasureDocument::from(&found.estimate),
        };
        match found.radius {
            ConformalRadius::Found { rank, radius, coverage, coverage_sd } => {
                document.radius = Some(radius);
                document.rank = Some(rank);
                document.coverage = Some(coverage);
                document.coverage_sd = Some(coverage_sd);
            }
            ConformalRadius::TooFewDraws { needed, attainable } => {
                document.needed_draws = Some(needed);
                document.attainable_level = Some(attainable);
            }
        }
        document
    }
}
