//! What figures and reports are about: the answer to a summary, with the posterior that it came from as far as it is at hand.

mod evidence;

use mixgist::density::{Bounds, Interval};
use mixgist::fits::Document;
use mixgist::narrative::main_atoms;
use mixgist::text;
use mixgist::text::{Spelling, named};
use mixgist::{
    Answer, Ensemble, Error, Estimator, MixingMeasure, PartitionDraws, Points, Posterior, Progress, Result, Settings,
    Summary,
};

use crate::kind::atoms::View;
use evidence::Evidence;
pub use evidence::Known;

/// A summary and what it came from.
#[non_exhaustive]
pub struct Presentation<'a> {
    /// The summary with its settings.
    pub answer: &'a Answer<Summary>,
    /// The draws with data, slices and the summary, which is kept there.
    pub posterior: Option<&'a Posterior<'a>>,
    /// The observations.
    pub data: Option<Points<'a>>,
    /// The partitions that came with the draws.
    pub partitions: Option<&'a PartitionDraws>,
    /// A name for each coordinate.
    pub columns: Vec<String>,
    /// A figure shows at most this many marks for observations; with more of them every n-th is shown.
    pub most_marks: usize,
    /// A figure shows at most this many marks for draws.
    pub most_draws: usize,
    /// Whether all parts of a report are to be written, not a single figure.
    pub whole: bool,
    /// Parts of a report that are left out, of [`crate::page::PARTS`].
    pub without: Vec<String>,
    /// How options are written in sentences.
    pub spelling: &'a dyn Spelling,
    /// Who listens while figures are computed.
    pub progress: &'a dyn Progress,
    /// What was computed from the draws so far.
    evidence: Evidence,
}

/// Marks that a drawing shows well and a file holds easily.
pub const MOST_MARKS: usize = 40_000;

/// As many draws as a drawing shows well.
pub const MOST_DRAWS: usize = 5000;

impl<'a> Presentation<'a> {
    /// A summary alone.
    pub fn new(answer: &'a Answer<Summary>, spelling: &'a dyn Spelling, progress: &'a dyn Progress) -> Result<Self> {
        let (about, d) = (&answer.about, answer.estimate.dim());
        answer.check()?;
        Ok(Presentation {
            answer,
            posterior: None,
            data: None,
            partitions: None,
            columns: (0..d).map(|a| about.column(a)).collect(),
            most_marks: MOST_MARKS,
            most_draws: MOST_DRAWS,
            whole: false,
            without: Vec::new(),
            spelling,
            progress,
            evidence: Evidence::default(),
        })
    }

    /// With the posterior that was summarised; it must keep the summary ([`Posterior::with_summary`]).
    pub fn with_posterior(mut self, posterior: &'a Posterior<'a>) -> Result<Self> {
        let (draws, about) = (posterior.ensemble(), &self.answer.about);
        if draws.len() != about.draws || draws.dim() != about.dim {
            return Err(Error::input(format!(
                "{} draws of dimension {}, the summary is of {} draws of dimension {}",
                draws.len(),
                draws.dim(),
                about.draws,
                about.dim
            ))
            .hint(text![
                "give the draws that were summarised, with the same ",
                named("burn_in"),
                " and ",
                named("thin")
            ]));
        }
        self.posterior = Some(posterior);
        match posterior.data() {
            Some(data) => self.with_data(data),
            None => Ok(self),
        }
    }

    /// With the observations that were labelled; those of the posterior need not be given again.
    pub fn with_data(mut self, data: Points<'a>) -> Result<Self> {
        let d = self.estimate().dim();
        if data.dim() != d {
            return Err(Error::input(format!("data have {} columns, the estimate has dimension {d}", data.dim())));
        }
        if let Some(labels) = self.labels().filter(|labels| labels.len() != data.len()) {
            return Err(Error::input(format!("{} observations, the summary labels {}", data.len(), labels.len()))
                .hint("give the data that were summarised, or summarise again"));
        }
        self.data = Some(data);
        Ok(self)
    }

    /// With the partitions that came with the draws.
    #[must_use]
    pub fn with_partitions(mut self, partitions: &'a PartitionDraws) -> Self {
        self.partitions = Some(partitions);
        self
    }

    /// Without some parts of a report, of [`crate::page::PARTS`].
    #[must_use]
    pub fn without(mut self, parts: &[String]) -> Self {
        self.without = parts.to_vec();
        self
    }

    /// Whether a part of the report is wanted.
    pub fn wants(&self, part: &str) -> bool {
        !self.without.iter().any(|left_out| left_out == part)
    }

    /// The summary.
    pub fn summary(&self) -> &'a Summary {
        &self.answer.result
    }

    /// The settings of the summary.
    pub fn settings(&self) -> &'a Settings {
        &self.answer.about.settings
    }

    /// The estimate.
    pub fn estimate(&self) -> &'a MixingMeasure {
        &self.answer.result.estimate
    }

    /// The labels of the observations.
    pub fn labels(&self) -> Option<&'a [u32]> {
        self.summary().allocation.as_ref().map(|allocation| &allocation.labels[..])
    }

    /// The draws.
    pub fn draws(&self) -> Option<&'a Ensemble> {
        self.posterior.map(Posterior::ensemble)
    }

    /// Whether the estimate is not one of the draws.
    pub fn is_free(&self) -> bool {
        self.summary().free().is_some()
    }

    /// What figures call the draw of least expected loss.
    pub fn medoid_name(&self) -> &'static str {
        if self.settings().estimator == Estimator::Medoid { "estimate" } else { "medoid" }
    }

    /// The estimate with the observations, for a figure of so many panels.
    pub fn view(&self, panels: usize) -> View<'_> {
        View {
            measure: self.estimate(),
            labels: self.labels(),
            data: self.data,
            shown: self.shown(panels),
            panels,
            pointed: true,
        }
    }

    /// The posterior, or what the user can do about its absence.
    pub fn need_posterior(&self) -> Result<&'a Posterior<'a>> {
        self.posterior.ok_or_else(|| {
            Error::usage("this needs the draws that were summarised").hint(text!["give them: ", named("draws")])
        })
    }

    /// The draws, or what the user can do about their absence.
    pub fn need_draws(&self) -> Result<&'a Ensemble> {
        self.need_posterior().map(Posterior::ensemble)
    }

    /// The observations, or what the user can do about their absence.
    pub fn need_data(&self) -> Result<Points<'a>> {
        self.data.ok_or_else(|| Error::usage("this needs the observations").hint(text!["give them: ", named("data")]))
    }

    /// The partitions, or what the user can do about their absence.
    pub fn need_partitions(&self) -> Result<&'a PartitionDraws> {
        self.partitions.ok_or_else(|| Error::usage("this figure needs the labels of the observations in every draw"))
    }

    /// The place of each atom by weight, the heaviest first.
    pub fn ranks(&self) -> Vec<usize> {
        let weights = self.estimate().weights();
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
        let mut ranks = vec![0; order.len()];
        order.iter().enumerate().for_each(|(rank, &k)| ranks[k] = rank);
        ranks
    }

    /// Atoms worth showing, heaviest first: those with some weight or with observations.
    pub fn main_atoms(&self) -> Vec<usize> {
        main_atoms(self.estimate(), self.labels())
    }

    /// The part of each coordinate that figures show: that of the observations, and of the atoms that have some, as far as they do
    /// not reach much further; without observations what [`Bounds::of_measure`] says.
    pub fn bounds(&self) -> Result<Bounds> {
        let estimate = self.estimate();
        let Some(data) = self.data else { return Bounds::of_measure(estimate) };
        let d = estimate.dim();
        let interval = |a: usize| {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for i in 0..data.len() {
                let x = data.point(i)[a];
                (low, high) = (low.min(x), high.max(x));
            }
            let span = if high > low { high - low } else { low.abs().max(1.0) };
            let (mut from, mut to) = (low - 0.05 * span, high + 0.05 * span);
            for k in self.main_atoms() {
                let mean = estimate.atoms().mean(k)[a];
                let reach = 3.3 * estimate.atoms().covariance(k)[a * d + a].sqrt();
                from = from.min((mean - reach).max(low - 0.3 * span));
                to = to.max((mean + reach).min(high + 0.3 * span));
            }
            Interval { low: from, high: to }
        };
        Bounds::new((0..d).map(interval).collect())
    }

    /// The observations that a figure of so many panels shows: all of them, or every n-th.
    pub fn shown(&self, panels: usize) -> Vec<usize> {
        let n = self.data.map_or(0, |data| data.len());
        let most = (self.most_marks / panels.max(1)).max(1);
        (0..n).step_by(n.div_ceil(most).max(1)).collect()
    }

    /// What a caption says about observations that are left out.
    pub fn left_out(&self, panels: usize) -> String {
        let (n, shown) = (self.data.map_or(0, |data| data.len()), self.shown(panels).len());
        if shown < n { format!(" {shown} of {n} observations are shown.") } else { String::new() }
    }

    /// The distance and the number of slices, for captions: "smix-w distances, 1000 slices".
    pub fn distance_text(&self) -> String {
        let slices = mixgist::narrative::numbers::count(self.summary().slices, "slice");
        format!("{} distances, {slices}", self.settings().slicer.name())
    }
}
