//! Work on slices as plain data: jobs that can be sent anywhere, and answers that are folded to the same bits wherever they were computed.
//!
//! Slices are cut into fixed pieces. A [`SliceJob`] puts one question about all draws to some pieces; its [`SliceAnswer`] holds numbers for each of them, and whoever
//! asked folds those in the order of the pieces. A job is a function of the draws and of itself alone: it may be answered twice, or by anyone.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::ensemble::{Ensemble, MixingMeasure};
use crate::line::Order;
use crate::progress::Progress;
use crate::prune::Pruning;
use crate::slice::{Array, Freeze, NamedArrays, Scheme, Slices, slicer};
use crate::{Error, Result};

/// Whoever answers jobs about the draws of one posterior: processes, other machines, files of earlier answers.
pub trait Workers: Sync {
    /// Answers all jobs; `take` gets the answers in the order of the jobs, as soon as they are there. An error of `take` ends the work and is returned; so does
    /// [`Progress::check`].
    fn answer(
        &self,
        jobs: &[SliceJob<'_>],
        progress: &dyn Progress,
        take: &mut dyn FnMut(SliceAnswer) -> Result<()>,
    ) -> Result<()>;

    /// Into how many jobs the pieces of a pass are cut at most: some for each worker.
    fn most_jobs(&self) -> usize;
}

/// One question about some pieces of slices and all draws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SliceJob<'a> {
    pub(crate) study: Cow<'a, Study>,
    pub(crate) form: Form,
    pub(crate) pieces: Vec<Vec<usize>>,
    pub(crate) question: Cow<'a, Question>,
    /// Whether nothing was asked of these slices before: then the answer has a [`Look`], too.
    pub(crate) first: bool,
}

impl SliceJob<'_> {
    /// Number of slices that the job is about.
    pub fn slices(&self) -> usize {
        self.pieces.iter().map(Vec::len).sum()
    }

    /// The slices that the job is about, piece by piece.
    pub fn pieces(&self) -> &[Vec<usize>] {
        &self.pieces
    }

    /// Whether the other job puts the same question to the same kind of slices, be it to other pieces.
    pub fn asks_the_same(&self, other: &SliceJob<'_>) -> bool {
        self.study == other.study
            && self.form == other.form
            && self.question == other.question
            && self.first == other.first
    }

    /// The job with all that it refers to.
    pub fn into_owned(self) -> SliceJob<'static> {
        let SliceJob { study, form, pieces, question, first } = self;
        let (study, question) = (Cow::Owned(study.into_owned()), Cow::Owned(question.into_owned()));
        SliceJob { study, form, pieces, question, first }
    }

    /// The same question put to other pieces.
    pub fn about(&self, pieces: Vec<Vec<usize>>) -> SliceJob<'_> {
        SliceJob {
            study: Cow::Borrowed(&*self.study),
            form: self.form,
            pieces,
            question: Cow::Borrowed(&*self.question),
            first: self.first,
        }
    }
}

/// The answer to a job.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SliceAnswer {
    /// Numbers for each piece.
    pub(crate) pieces: Vec<Vec<f64>>,
    /// What was seen on the way, for each piece; when nothing was asked before.
    pub(crate) looks: Vec<Look>,
}

impl SliceAnswer {
    /// The answer for each piece, as an answer of its own.
    pub fn apart(self) -> Vec<SliceAnswer> {
        let mut looks = self.looks.into_iter();
        let one = |numbers| SliceAnswer { pieces: vec![numbers], looks: looks.next().into_iter().collect() };
        self.pieces.into_iter().map(one).collect()
    }

    /// Several answers as one.
    pub fn join(answers: impl IntoIterator<Item = SliceAnswer>) -> SliceAnswer {
        let mut all = SliceAnswer::default();
        for answer in answers {
            all.pieces.extend(answer.pieces);
            all.looks.extend(answer.looks);
        }
        all
    }
}

/// Which draws and slices a job is about: all that the line measures depend on besides the draws themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Study {
    /// Some of the draws only.
    pub(crate) subset: Option<Vec<usize>>,
    /// The transformation into working units.
    pub(crate) transform: Option<Vec<f64>>,
    pub(crate) slicer: String,
    pub(crate) order: Order,
    /// The relative tolerance of pruning; negative for none, no number for that of rounding.
    pub(crate) pruning: Option<f64>,
    pub(crate) scheme: Scheme,
    pub(crate) seed: u64,
    pub(crate) slices: usize,
    /// Directions that the user gave instead.
    pub(crate) directions: Option<Vec<PlainArray>>,
}

/// Name, shape and numbers of an array.
type PlainArray = (String, Vec<usize>, Vec<f64>);

impl Study {
    pub(crate) fn new(slicer: &str, order: Order, pruning: Pruning, scheme: Scheme, seed: u64, slices: usize) -> Self {
        let pruning = match pruning {
            Pruning::Off => Some(-1.0),
            Pruning::Rounding => None,
            Pruning::Tolerance(tolerance) => Some(tolerance),
        };
        let slicer = slicer.to_owned();
        Study { subset: None, transform: None, slicer, order, pruning, scheme, seed, slices, directions: None }
    }

    pub(crate) fn with_directions(self, arrays: &NamedArrays) -> Self {
        let array = |(name, array): (&String, &Array)| (name.clone(), array.shape.clone(), array.values.clone());
        Study { directions: Some(arrays.iter().map(array).collect()), ..self }
    }

    pub(crate) fn pruning(&self) -> Pruning {
        match self.pruning {
            None => Pruning::Rounding,
            Some(tolerance) if tolerance < 0.0 => Pruning::Off,
            Some(tolerance) => Pruning::Tolerance(tolerance),
        }
    }

    /// The draws that it is about, in working units.
    pub(crate) fn draws(&self, ensemble: &Ensemble) -> Result<Ensemble> {
        let some = self.subset.as_ref().map(|subset| ensemble.select(subset)).transpose()?;
        let ensemble = some.as_ref().unwrap_or(ensemble);
        match &self.transform {
            Some(transform) => ensemble.transformed(transform),
            None => Ok(ensemble.clone()),
        }
    }

    /// The slices.
    pub(crate) fn freeze(&self, dim: usize) -> Result<Box<dyn Slices>> {
        let slicer = slicer(&self.slicer)?;
        match &self.directions {
            Some(arrays) => {
                let array = |(name, shape, values): &PlainArray| {
                    (name.clone(), Array { shape: shape.clone(), values: values.clone() })
                };
                slicer.given(dim, &arrays.iter().map(array).collect())
            }
            None => Ok(slicer.freeze(&Freeze { dim, slices: 0..self.slices, seed: self.seed, scheme: self.scheme })),
        }
    }
}

/// What the draws are on each slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Form {
    /// The draws themselves.
    Exact,
    /// The draws with neighbouring atoms merged where that is a small fraction of a typical distance: half the atoms, and so half
    /// the time and memory of everything that follows. How far each draw moved is known.
    Compressed,
}

/// What is asked of some slices about all draws. M is the number of draws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Question {
    /// Sums over the slices of the transport costs of these draws to all: rows × M numbers; and more from the same pass.
    Rows { rows: Vec<usize>, also: Also },
    /// The same by merging pair by pair, for a few draws themselves; with the costs on each slice apart or only their sum.
    MergedRows { rows: Vec<usize>, apart: bool },
    /// For each slice and row the weighted sum of its costs; from decomposed slices or by merging.
    WeightedRows { rows: Vec<WeightedRow>, decomposed: bool },
    /// Squared distances from the mean with these weights: M squares and M sizes.
    FromMean { weights: Vec<f64> },
    /// Sums of the costs of measures that are not draws to all: for each group of slices that is among those asked, measures × M numbers.
    Others { measures: Vec<MixingMeasure>, form: Form, groups: Vec<usize> },
    /// Mean quantile functions under several weightings of the draws, each of sum 1; cells are chosen by some draws.
    MeanQuantiles { weightings: Vec<Vec<f64>>, sampled: Vec<usize> },
    /// Sums of the costs of all pairs of draws.
    Pairs,
}

impl Question {
    /// Whether so many numbers can answer it for a piece.
    fn takes(&self, numbers: usize, piece: &[usize], draws: usize) -> bool {
        let expected = match self {
            Question::Rows { rows, also } => {
                rows.len() * draws
                    + match also {
                        Also::Nothing => 0,
                        Also::MeanSquares => draws + 1,
                        Also::WeightedSquares(weightings) => weightings.len(),
                    }
            }
            Question::MergedRows { rows, apart } => rows.len() * draws * if *apart { piece.len() } else { 1 },
            Question::WeightedRows { rows, .. } => rows.len() * piece.len(),
            Question::FromMean { .. } => 2 * draws,
            Question::Others { measures, groups, .. } => measures.len() * draws * among(groups, piece).len(),
            Question::Pairs => draws * (draws - 1) / 2,
            // Each slice has cells of its own, and tells how many.
            Question::MeanQuantiles { .. } => numbers,
        };
        numbers == expected
    }
}

/// The groups that slices of a piece belong to, ascending.
pub(crate) fn among(groups: &[usize], piece: &[usize]) -> Vec<usize> {
    let mut among: Vec<usize> = piece.iter().map(|&slice| groups[slice]).collect();
    among.sort_unstable();
    among.dedup();
    among
}

/// What a pass for rows tells besides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Also {
    Nothing,
    /// For every draw the mean over all draws of its squared distance, and the size of the draws.
    MeanSquares,
    /// For every draw sums of its squared distances under several weightings of the draws, flat.
    WeightedSquares(Vec<f64>),
}

/// A draw and what each of its costs counts for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WeightedRow {
    pub(crate) draw: usize,
    pub(crate) slopes: Vec<f64>,
}

impl WeightedRow {
    pub(crate) fn weighted(&self, costs: &[f64]) -> f64 {
        self.slopes.iter().zip(costs).map(|(slope, cost)| slope * cost).sum()
    }
}

/// What the first pass over decomposed slices sees of one piece.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Look {
    /// How far compression moved each draw, squared and summed over the slices; empty when nothing moves.
    pub(crate) moved: Vec<f64>,
    /// Bytes that the slices take: decomposed, the draws themselves, and the form that is decomposed.
    pub(crate) bytes: [usize; 3],
}

/// Workers and what they are asked about.
pub(crate) struct Away<'a> {
    pub(crate) workers: &'a dyn Workers,
    pub(crate) study: Study,
}

impl Away<'_> {
    /// Puts a question to the pieces; `take` gets the answer of each piece in order.
    pub(crate) fn ask(
        &self,
        question: &Question,
        (form, first): (Form, bool),
        pieces: &[Vec<usize>],
        draws: usize,
        progress: &dyn Progress,
        mut take: impl FnMut(usize, Vec<f64>, Option<Look>) -> Result<()>,
    ) -> Result<()> {
        let together = pieces.len().div_ceil(self.workers.most_jobs().max(1));
        let job = |pieces: &[Vec<usize>]| SliceJob {
            study: Cow::Borrowed(&self.study),
            form,
            pieces: pieces.to_vec(),
            question: Cow::Borrowed(question),
            first,
        };
        let jobs: Vec<SliceJob> = pieces.chunks(together.max(1)).map(job).collect();
        let mut piece = 0;
        self.workers.answer(&jobs, progress, &mut |answer| {
            let mut looks = answer.looks.into_iter();
            for numbers in answer.pieces {
                let asked = pieces.get(piece).filter(|asked| question.takes(numbers.len(), asked, draws));
                let look = looks.next();
                let sound = look.as_ref().map_or(!first, |look| [0, draws].contains(&look.moved.len()));
                let slices = asked.filter(|_| sound).ok_or_else(wrong_answer)?.len();
                take(piece, numbers, look)?;
                progress.advance(slices as u64);
                piece += 1;
            }
            Ok(())
        })?;
        if piece < pieces.len() { Err(wrong_answer()) } else { Ok(()) }
    }
}

/// The error of an answer that does not fit its question.
pub(crate) fn wrong_answer() -> Error {
    Error::resource("a worker has not answered what it was asked").hint("use the same version of mixgist everywhere")
}
