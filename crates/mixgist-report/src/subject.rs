//! What figures and reports are about: a summary, with the draws and data that it came from as far as they are at hand.

use mixgist::density::{Bounds, Interval};
use mixgist::slice::NamedArrays;
use mixgist::{Ensemble, Error, MixingMeasure, PartitionDraws, Points, Progress, Result};
use mixgist_io::SummaryDocument;

use crate::evidence::Evidence;
use crate::kind::atoms::View;

/// A summary and what it came from.
pub struct Subject<'a> {
    /// The summary.
    pub summary: &'a SummaryDocument,
    /// The estimate, as a measure.
    pub estimate: MixingMeasure,
    /// The draws.
    pub draws: Option<&'a Ensemble>,
    /// The observations.
    pub data: Option<Points<'a>>,
    /// The partitions that came with the draws.
    pub partitions: Option<&'a PartitionDraws>,
    /// Directions that the user gave instead of random ones.
    pub directions: Option<&'a NamedArrays>,
    /// A name for each coordinate.
    pub columns: Vec<String>,
    /// A figure shows at most this many marks for observations; with more of them every n-th is shown.
    pub most_marks: usize,
    /// A figure shows at most this many marks for draws.
    pub most_draws: usize,
    /// Parts of a report that are left out, of [`crate::page::PARTS`].
    pub without: Vec<String>,
    /// Who listens while figures are computed.
    pub progress: &'a dyn Progress,
    /// What was computed from the draws so far.
    pub(crate) evidence: Evidence,
}

/// Marks that a drawing shows well and a file holds easily.
pub const MOST_MARKS: usize = 40_000;

/// As many draws as a drawing shows well.
pub const MOST_DRAWS: usize = 5000;

/// Lighter atoms without observations are counted, not shown.
pub const LISTED_WEIGHT: f64 = 0.01;

impl<'a> Subject<'a> {
    /// A summary alone.
    pub fn new(summary: &'a SummaryDocument, progress: &'a dyn Progress) -> Result<Self> {
        let estimate = MixingMeasure::try_from(&summary.estimate)?;
        let d = estimate.dim();
        let columns = match &summary.columns {
            Some(names) if names.len() == d => names.clone(),
            Some(names) => {
                return Err(Error::input(format!("the summary names {} columns, its atoms have {d}", names.len())));
            }
            None => (1..=d).map(|a| format!("x{a}")).collect(),
        };
        let atoms = estimate.len();
        if let Some(label) = summary.labels.iter().flatten().find(|label| **label as usize >= atoms) {
            return Err(Error::input(format!("the summary has label {label}, the estimate {atoms} atoms")));
        }
        Ok(Subject {
            summary,
            estimate,
            draws: None,
            data: None,
            partitions: None,
            directions: None,
            columns,
            most_marks: MOST_MARKS,
            most_draws: MOST_DRAWS,
            without: Vec::new(),
            progress,
            evidence: Evidence::default(),
        })
    }

    /// With the draws that were summarised.
    pub fn with_draws(mut self, draws: &'a Ensemble) -> Result<Self> {
        let summary = self.summary;
        if draws.len() != summary.draws || draws.dim() != summary.dim {
            return Err(Error::input(format!(
                "{} draws of dimension {}, the summary is of {} draws of dimension {}",
                draws.len(),
                draws.dim(),
                summary.draws,
                summary.dim
            ))
            .hint("give the draws that were summarised, with the same --burn-in and --thin"));
        }
        let named = [Some(summary.draw), summary.runner_up].into_iter().flatten();
        if named.into_iter().any(|draw| draw >= draws.len()) || summary.distances.len() != draws.len() {
            return Err(Error::input(format!("the summary is damaged: it does not fit its {} draws", draws.len())));
        }
        self.draws = Some(draws);
        Ok(self)
    }

    /// With the observations that were labelled.
    pub fn with_data(mut self, data: Points<'a>) -> Result<Self> {
        let d = self.estimate.dim();
        if data.dim() != d {
            return Err(Error::input(format!("data have {} columns, the estimate has dimension {d}", data.dim())));
        }
        if let Some(labels) = &self.summary.labels
            && labels.len() != data.len()
        {
            return Err(Error::input(format!("{} observations, the summary labels {}", data.len(), labels.len()))
                .hint("give the data that were summarised, or summarise again"));
        }
        self.data = Some(data);
        Ok(self)
    }

    /// With the partitions that came with the draws.
    pub fn with_partitions(mut self, partitions: &'a PartitionDraws) -> Self {
        self.partitions = Some(partitions);
        self
    }

    /// With the directions that the user gave.
    pub fn with_directions(mut self, directions: &'a NamedArrays) -> Self {
        self.directions = Some(directions);
        self
    }

    /// Without some parts of a report, of [`crate::page::PARTS`].
    pub fn without(mut self, parts: &[String]) -> Self {
        self.without = parts.to_vec();
        self
    }

    /// Whether a part of the report is wanted.
    pub fn wants(&self, part: &str) -> bool {
        !self.without.iter().any(|left_out| left_out == part)
    }

    /// Whether the estimate is not one of the draws.
    pub fn is_free(&self) -> bool {
        self.summary.estimator == "free"
    }

    /// The estimate with the observations, for a figure of so many panels.
    pub fn view(&self, panels: usize) -> View<'_> {
        View {
            measure: &self.estimate,
            labels: self.summary.labels.as_deref(),
            data: self.data,
            shown: self.shown(panels),
            panels,
            pointed: true,
        }
    }

    /// The draws, or what the user can do about their absence.
    pub fn need_draws(&self) -> Result<&'a Ensemble> {
        self.draws.ok_or_else(|| {
            Error::usage("this figure needs the draws that were summarised").hint("give them with --draws")
        })
    }

    /// The partitions, or what the user can do about their absence.
    pub fn need_partitions(&self) -> Result<&'a PartitionDraws> {
        self.partitions.ok_or_else(|| Error::usage("this figure needs the labels of the observations in every draw"))
    }

    /// The place of each atom by weight, the heaviest first.
    pub fn ranks(&self) -> Vec<usize> {
        let weights = self.estimate.weights();
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
        let mut ranks = vec![0; order.len()];
        order.iter().enumerate().for_each(|(rank, &k)| ranks[k] = rank);
        ranks
    }

    /// Atoms worth showing, heaviest first: those with some weight or with observations.
    pub fn main_atoms(&self) -> Vec<usize> {
        main_atoms(&self.estimate, self.summary.labels.as_deref())
    }

    /// The part of each coordinate that figures show: that of the observations, and of the atoms that have some, as far as they do
    /// not reach much further; without observations what [`Bounds::of_measure`] says.
    pub fn bounds(&self) -> Result<Bounds> {
        let Some(data) = self.data else { return Bounds::of_measure(&self.estimate) };
        let d = self.estimate.dim();
        let interval = |a: usize| {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for i in 0..data.len() {
                let x = data.point(i)[a];
                (low, high) = (low.min(x), high.max(x));
            }
            let span = if high > low { high - low } else { low.abs().max(1.0) };
            let (mut from, mut to) = (low - 0.05 * span, high + 0.05 * span);
            for k in self.main_atoms() {
                let mean = self.estimate.atoms().mean(k)[a];
                let reach = 2.5 * self.estimate.atoms().covariance(k)[a * d + a].sqrt();
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
}

/// Atoms worth showing, heaviest first: those with some weight or with observations.
pub fn main_atoms(estimate: &MixingMeasure, labels: Option<&[u32]>) -> Vec<usize> {
    let weights = estimate.weights();
    let mut occupied = vec![false; weights.len()];
    labels.unwrap_or(&[]).iter().for_each(|&label| occupied[label as usize] = true);
    let mut atoms: Vec<usize> = (0..weights.len()).filter(|&k| weights[k] >= LISTED_WEIGHT || occupied[k]).collect();
    atoms.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    atoms
}
