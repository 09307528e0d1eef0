//! `mixgist credible`: how far from the estimate the posterior reaches.

use std::path::PathBuf;

use clap::Args;
use mixgist::credible::{Ball, Conformal, ConformalRadius, Source, ball, conformal, region};
use mixgist::effective::Probability;
use mixgist::ruler::Ruler;
use mixgist::{Ensemble, MixingMeasure, Result, summarize};
use mixgist_io::{MeasureDocument, Schema};
use serde::Serialize;

use crate::posterior::{Estimate, EstimateArgs, Posterior, PosteriorArgs, read_measure};
use crate::progress::Terminal;
use crate::text::{line, significant, with_error};

/// Give the credible ball around an estimate, the probability of a region, and a conformal ball
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist credible draws.npz
  mixgist credible draws.npz --estimate summary.json --level 0.9 --conformal
  mixgist credible draws.npz --hypothesis truth.csv --radius 0.5 -o credible.json")]
pub struct Credible {
    #[command(flatten)]
    posterior: PosteriorArgs,

    #[command(flatten)]
    estimate: EstimateArgs,

    /// Posterior probability of the ball
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    level: f64,

    /// A hypothesised measure: a summary (.json), or a file with one draw
    #[arg(long, value_name = "FILE")]
    hypothesis: Option<PathBuf>,

    /// Radius of the region around it; without it, that of the ball
    #[arg(long, value_name = "R", requires = "hypothesis")]
    radius: Option<f64>,

    /// Add a ball that holds the next draw with a probability guaranteed for this number of draws
    #[arg(long)]
    conformal: bool,
}

/// The schema of credible sets.
const CREDIBLE_SCHEMA: Schema = Schema { name: "mixgist.credible", version: 1 };

impl Credible {
    /// Reads, computes, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let posterior = self.posterior.read()?;
        let (ensemble, settings) = (&posterior.ensemble, &posterior.settings);
        let reading = &self.posterior.draws.reading;
        let hypothesis =
            self.hypothesis.as_deref().map(|path| read_measure(path, reading, ensemble.dim())).transpose()?;
        let estimate = self.estimate.resolve(&posterior, reading, terminal)?;
        let ruler = Ruler::new(ensemble, posterior.points()?, settings)?;
        let measures: Vec<MixingMeasure> = std::iter::once(&estimate.measure).chain(&hypothesis).cloned().collect();
        let mut rows = ruler.rows(&measures, terminal)?;
        let ball = ball(ensemble, &rows[0], self.level)?;
        let slice_error = match ball.farthest.first() {
            Some(member) => ruler.between(&estimate.measure, &ensemble.draw(member.draw))?.standard_error,
            None => None,
        };
        let about_hypothesis = match (&hypothesis, rows.get(1)) {
            (Some(measure), Some(row)) => {
                let radius = self.radius.unwrap_or(ball.radius);
                let apart = ruler.between(&estimate.measure, measure)?.value;
                Some(RegionDocument {
                    radius,
                    probability: region(ensemble, row, radius)?.into(),
                    distance_to_estimate: apart,
                    inside_ball: apart <= ball.radius,
                    smallest_ball: region(ensemble, &rows[0], apart)?.into(),
                    distances: row.clone(),
                })
            }
            _ => None,
        };
        let conformal = if self.conformal { Some(self.conformal(&posterior, &estimate, terminal)?) } else { None };
        let document = CredibleDocument {
            level: self.level,
            estimate: MeasureDocument::from(&estimate.measure),
            estimate_source: estimate.source,
            estimate_draw: estimate.draw,
            draws: ensemble.len(),
            chains: chain_count(ensemble),
            distance: settings.slicer.name(),
            order: settings.order.value(),
            slices: ruler.slices(),
            seed: settings.seed,
            units: settings.units.name(),
            ball: BallDocument::new(&ball, slice_error, ensemble),
            region: about_hypothesis,
            conformal: conformal.as_ref().map(|found| ConformalDocument::new(found, self.estimate.estimate.is_some())),
            distances: rows.swap_remove(0),
        };
        let report = document.report(&posterior);
        self.posterior.answer(CREDIBLE_SCHEMA, &document, &report, terminal)
    }

    fn conformal(&self, posterior: &Posterior, estimate: &Estimate, terminal: &Terminal) -> Result<Conformal> {
        let points = posterior.points()?;
        // That of all draws is known by now; what is left is that of half of them.
        let fit = |draws: &Ensemble| match draws.len() == posterior.ensemble.len() {
            true => Ok(estimate.measure.clone()),
            false => Ok(summarize(draws, points, &posterior.settings, terminal)?.estimate),
        };
        let source = match self.estimate.estimate {
            Some(_) => Source::Given(&estimate.measure),
            None => Source::Fitted(&fit),
        };
        conformal(&posterior.ensemble, points, &posterior.settings, self.level, &source, terminal)
    }
}

fn chain_count(ensemble: &Ensemble) -> usize {
    let mut chains = ensemble.chains().to_vec();
    chains.sort_unstable();
    chains.dedup();
    chains.len()
}

/// A probability with its Monte Carlo error.
#[derive(Serialize, Clone, Copy)]
pub struct ProbabilityDocument {
    pub value: f64,
    pub standard_error: f64,
    pub low: f64,
    pub high: f64,
    pub effective_draws: f64,
}

impl From<Probability> for ProbabilityDocument {
    fn from(p: Probability) -> Self {
        let Probability { value, standard_error, low, high, effective_draws } = p;
        ProbabilityDocument { value, standard_error, low, high, effective_draws }
    }
}

impl ProbabilityDocument {
    /// "0.950 (0.931 to 0.964)".
    pub fn text(&self) -> String {
        format!("{:.3} (Monte Carlo: {:.3} to {:.3})", self.value, self.low, self.high)
    }
}

#[derive(Serialize)]
struct CredibleDocument {
    level: f64,
    estimate_source: String,
    estimate_draw: Option<usize>,
    draws: usize,
    chains: usize,
    distance: &'static str,
    order: f64,
    slices: usize,
    seed: u64,
    units: String,
    ball: BallDocument,
    region: Option<RegionDocument>,
    conformal: Option<ConformalDocument>,
    estimate: MeasureDocument,
    distances: Vec<f64>,
}

#[derive(Serialize)]
pub struct BallDocument {
    pub level: f64,
    pub radius: f64,
    radius_low: f64,
    radius_high: Option<f64>,
    radius_error: Option<f64>,
    slice_error: Option<f64>,
    probability: ProbabilityDocument,
    /// At 5, 25, 50, 75 and 95 %.
    distance_quantiles: [f64; 5],
    farthest: Vec<MemberDocument>,
}

#[derive(Serialize)]
struct MemberDocument {
    draw: usize,
    chain: u32,
    iteration: u64,
    distance: f64,
}

impl BallDocument {
    /// The document of a ball around an estimate from these draws.
    pub fn new(ball: &Ball, slice_error: Option<f64>, ensemble: &Ensemble) -> Self {
        let member = |member: &mixgist::credible::Member| MemberDocument {
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

    /// The radius with its error, for a person.
    pub fn text(&self) -> String {
        let radius = with_error(self.radius, self.radius_error);
        let few = if self.radius_high.is_none() { ", too few effective draws for an upper error" } else { "" };
        format!("radius {radius} holds {:.4} of the posterior{few}", self.probability.value)
    }
}

#[derive(Serialize)]
struct RegionDocument {
    radius: f64,
    probability: ProbabilityDocument,
    distance_to_estimate: f64,
    inside_ball: bool,
    /// Probability of the smallest ball around the estimate that holds the hypothesised measure.
    smallest_ball: ProbabilityDocument,
    distances: Vec<f64>,
}

#[derive(Serialize)]
struct ConformalDocument {
    level: f64,
    radius: Option<f64>,
    rank: Option<usize>,
    coverage: Option<f64>,
    coverage_sd: Option<f64>,
    needed_draws: Option<usize>,
    attainable_level: Option<f64>,
    calibration_draws: usize,
    fitted_draws: usize,
    thin: usize,
    effective_draws: f64,
    estimate_given: bool,
    estimate: MeasureDocument,
}

impl ConformalDocument {
    fn new(found: &Conformal, estimate_given: bool) -> Self {
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

    fn lines(&self) -> Vec<String> {
        let n = self.calibration_draws;
        let mut lines = match (self.radius, self.coverage, self.coverage_sd) {
            (Some(radius), Some(coverage), Some(sd)) => vec![line(
                "conformal",
                format!(
                    "radius {} holds the next draw with probability at least {coverage:.4} (± {sd:.4} between splits)",
                    significant(radius, 4)
                ),
            )],
            _ => vec![line(
                "conformal",
                format!(
                    "no radius: {n} calibration draws guarantee at most {:.3}, level {} needs {}",
                    self.attainable_level.unwrap_or(0.0),
                    self.level,
                    self.needed_draws.unwrap_or(0)
                ),
            )],
        };
        let centre = if self.estimate_given {
            "around the given estimate, which must not come from these draws".to_owned()
        } else {
            format!("around the estimate from {} others", self.fitted_draws)
        };
        lines.push(line("", format!("{n} calibration draws, {centre}")));
        lines.push(line(
            "",
            format!(
                "every {} draw kept: all are worth {:.0}, so that these are nearly exchangeable",
                ordinal(self.thin),
                self.effective_draws
            ),
        ));
        lines
    }
}

fn ordinal(n: usize) -> String {
    match n {
        1 => "single".into(),
        2 => "2nd".into(),
        3 => "3rd".into(),
        _ => format!("{n}th"),
    }
}

impl CredibleDocument {
    fn report(&self, posterior: &Posterior) -> String {
        let ball = &self.ball;
        let [low, _, median, _, high] = ball.distance_quantiles;
        let mut lines = vec![
            line("estimate", &self.estimate_source),
            line(
                &format!("{} % ball", significant(100.0 * self.level, 4).trim_end_matches('0').trim_end_matches('.')),
                ball.text(),
            ),
            line(
                "draws",
                format!(
                    "{} in {}, worth {:.0} independent ones",
                    self.draws,
                    crate::text::count(self.chains, "chain"),
                    ball.probability.effective_draws
                ),
            ),
            line(
                "distances",
                format!(
                    "median {}, 5 % {}, 95 % {}",
                    significant(median, 4),
                    significant(low, 4),
                    significant(high, 4)
                ),
            ),
        ];
        if let Some(error) = ball.slice_error {
            lines.push(line("slice error", format!("{} at the radius", significant(error, 2))));
        }
        for (i, member) in ball.farthest.iter().enumerate() {
            let text = format!(
                "draw {} (chain {}, iteration {}) at {}",
                member.draw,
                member.chain,
                member.iteration,
                significant(member.distance, 4)
            );
            lines.push(line(if i == 0 { "most distant" } else { "" }, text));
        }
        if let Some(region) = &self.region {
            let radius = significant(region.radius, 4);
            lines.push(line("hypothesis", format!("P(within {radius} of it) = {}", region.probability.text())));
            let place = if region.inside_ball { "inside" } else { "outside" };
            lines.push(line(
                "",
                format!(
                    "at {} from the estimate, {place} the ball; the smallest ball that holds it has probability {:.3}",
                    significant(region.distance_to_estimate, 4),
                    region.smallest_ball.value
                ),
            ));
        }
        lines.extend(self.conformal.iter().flat_map(ConformalDocument::lines));
        lines.push(line("distance", posterior.distance_text()));
        lines.join("\n")
    }
}
