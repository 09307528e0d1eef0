//! What is asked of tiles of points, and what they answer: plain data, so that it does not matter where the points are.
//!
//! An answer is a function of the question, the points of the tile and what came along with it, so that it may be asked for again anywhere. Labels are with the chain.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use mixgist::{Error, Points, Result};
use serde::{Deserialize, Serialize};

use crate::algorithm::allocate::choose_among;
use crate::algorithm::informed::log_one_plus_exp;
use crate::algorithm::tile::{Slices, Tile, Weighing};
use crate::algorithm::tiling::{Tiling, tile_stream};
use crate::clusters::Change;
use crate::component::AtomShape;
use crate::outline::{Extent, power_sums};
use crate::packing::Packed;
use crate::points::{Frame, LANES, ScaledData};
use crate::variates::uniform;

/// What is asked of every tile.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Question {
    /// Ranges of the values as they were given; also whether they are numbers.
    Extent,
    /// [`power_sums`] of the values as they were given.
    Sums { from: Vec<f64>, and: Vec<f64>, power: i32 },
    /// Scaled coordinates of some points.
    Rows,
    /// Counts and statistics of clusters with these labels.
    Clusters { slots: u32 },
    /// The likeliest atom of each point.
    Join { atoms: Vec<f64> },
    /// New labels, all at once.
    Choose(Choice),
    /// Sums over the points of some clusters that are likelier in either half.
    Launch(Launch),
    /// The halves that the points of some clusters go to; or, where they are to be merged, the halves that they are in.
    Divide { launch: Launch, key: u64, is_split: bool },
}

/// What points choose from when they choose at once.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Choice {
    pub atoms: Vec<f64>,
    pub log_weights: Vec<f64>,
    /// Slice sampling: see [`Slices`]; else empty.
    pub heights: Vec<f64>,
    /// 1 for slots that may be chosen and left.
    pub open: Vec<u32>,
    /// Names the random streams of the tiles.
    pub key: u64,
    /// The obvious way, one point at a time.
    pub plain: bool,
}

/// Two atoms, with their log weights, that points of the clusters are divided by.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Launch {
    pub clusters: [u32; 2],
    pub atoms: [Vec<f64>; 2],
    pub log_weights: [f64; 2],
}

impl Launch {
    /// Places of the points that are divided.
    fn members(&self, labels: &[u32]) -> Vec<u32> {
        let own = |label: u32| self.clusters.contains(&label);
        (0u32..).zip(labels).filter(|(_, label)| own(**label)).map(|(place, _)| place).collect()
    }
}

/// A tile with what a question needs besides the points.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TileInput<'a> {
    pub tile: usize,
    /// Labels of the points of the tile, or places of some of them within the tile; may be empty.
    pub numbers: Packed<'a>,
    /// Slice sampling: see [`Slices`]; else empty.
    pub thresholds: Cow<'a, [f64]>,
}

impl<'a> TileInput<'a> {
    pub(crate) fn new(tile: usize, numbers: impl Into<Cow<'a, [u32]>>) -> Self {
        TileInput { tile, numbers: Packed(numbers.into()), thresholds: Cow::Borrowed(&[]) }
    }

    /// All tiles with their labels.
    pub(crate) fn of_all(labels: &'a [u32], size: usize) -> Vec<Self> {
        labels.chunks(size).enumerate().map(|(tile, labels)| TileInput::new(tile, labels)).collect()
    }
}

/// What a tile answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum TileAnswer {
    Extent(Extent),
    /// Sums of columns, or coordinates.
    Numbers(Vec<f64>),
    /// Counts and statistics.
    Change(Change),
    /// Labels, and how counts and statistics change with them.
    Labels(Packed<'static>, Change),
    Halves(Halves),
    /// The number of an atom for each point.
    Joined(Packed<'static>),
}

/// How some points are divided: the statistics of both halves, the log of the probability of that and of its mirror image, and who is in the second half.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Halves {
    pub sums: Change,
    pub log: [f64; 2],
    /// 1 for those who are.
    pub in_second: Packed<'static>,
}

fn foreign() -> Error {
    Error::input("the answer of a tile of points is not what was asked for")
        .hint("use the same version of mixgist everywhere")
}

impl TileAnswer {
    pub(crate) fn into_change(self, slots: usize, stride: usize) -> Result<Change> {
        match self {
            TileAnswer::Change(change) if change.fits(slots, stride) => Ok(change),
            _ => Err(foreign()),
        }
    }

    pub(crate) fn into_labels(self, points: usize, slots: usize, stride: usize) -> Result<(Vec<u32>, Change)> {
        match self {
            TileAnswer::Labels(labels, change)
                if labels.0.len() == points
                    && change.fits(slots, stride)
                    && labels.0.iter().all(|&label| (label as usize) < slots) =>
            {
                Ok((labels.0.into_owned(), change))
            }
            _ => Err(foreign()),
        }
    }

    pub(crate) fn into_joined(self, points: usize, clusters: usize) -> Result<Vec<u32>> {
        match self {
            TileAnswer::Joined(labels)
                if labels.0.len() == points && labels.0.iter().all(|&label| (label as usize) < clusters) =>
            {
                Ok(labels.0.into_owned())
            }
            _ => Err(foreign()),
        }
    }

    pub(crate) fn into_halves(self, stride: usize) -> Result<Halves> {
        match self {
            TileAnswer::Halves(halves) if halves.sums.fits(2, stride) => Ok(halves),
            _ => Err(foreign()),
        }
    }

    pub(crate) fn into_numbers(self, count: usize) -> Result<Vec<f64>> {
        match self {
            TileAnswer::Numbers(numbers) if numbers.len() == count => Ok(numbers),
            _ => Err(foreign()),
        }
    }

    pub(crate) fn into_extent(self, dim: usize) -> Result<Extent> {
        match self {
            TileAnswer::Extent(extent) if extent.low.len() == dim && extent.first.len() == dim => Ok(extent),
            _ => Err(foreign()),
        }
    }
}

/// The points of a tile among scaled points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TilePoints<'a> {
    pub data: &'a ScaledData,
    /// Where the tile begins.
    pub start: usize,
    pub len: usize,
}

impl Question {
    /// The same question in fewer bits, as it travels: where points of two clusters are divided, labels need not tell the others apart.
    pub(crate) fn narrowed<'a>(&'a self, inputs: &mut [TileInput<'_>]) -> Cow<'a, Question> {
        let mut question = self.clone();
        let (Question::Launch(launch) | Question::Divide { launch, .. }) = &mut question else {
            return Cow::Borrowed(self);
        };
        let [a, b] = launch.clusters;
        launch.clusters = [0, u32::from(a != b)];
        for input in inputs {
            let label = |&label: &u32| {
                if label == a {
                    0
                } else if label == b {
                    1
                } else {
                    2
                }
            };
            input.numbers.0 = input.numbers.0.iter().map(label).collect();
        }
        Cow::Owned(question)
    }

    /// Answers for one tile.
    pub(crate) fn answer(
        &self,
        shape: AtomShape,
        points: TilePoints<'_>,
        input: &TileInput<'_>,
        room: &mut Tile,
    ) -> Result<TileAnswer> {
        let TilePoints { data, start, len } = points;
        let numbers: &[u32] = &input.numbers.0;
        let row = |place: usize| data.row(start + place);
        let labelled = !matches!(self, Question::Rows | Question::Join { .. });
        let far = matches!(self, Question::Rows) && numbers.iter().any(|&place| place as usize >= len);
        if (labelled && numbers.len() != len) || far {
            return Err(foreign());
        }
        let stride = shape.statistic_len(data.dim());
        Ok(match self {
            Question::Rows => {
                TileAnswer::Numbers(numbers.iter().flat_map(|&place| row(place as usize)).copied().collect())
            }
            Question::Clusters { slots } => {
                let mut sums = Change::new(*slots as usize, stride);
                for (place, &label) in numbers.iter().enumerate() {
                    sums.add(label as usize, shape, row(place), 1);
                }
                TileAnswer::Change(sums)
            }
            Question::Join { atoms } => {
                let atoms: Vec<&[f64]> = atoms.chunks(shape.atom_len(data.dim())).collect();
                let likeliest = |place: usize| {
                    let logs = atoms.iter().map(|atom| shape.log_density(atom, row(place)));
                    logs.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(cluster, _)| cluster as u32)
                };
                TileAnswer::Joined(Packed((0..len).map(likeliest).collect()))
            }
            Question::Choose(choice) => choice.answer(shape, points, input, room),
            Question::Launch(launch) => {
                let mut sums = Change::new(2, stride);
                for places in launch.members(numbers).chunks(LANES) {
                    let odds = room.log_odds(shape, points, places, &launch.atoms, launch.log_weights);
                    for (&place, odds) in places.iter().zip(odds) {
                        sums.add(usize::from(odds < 0.0), shape, row(place as usize), 1);
                    }
                }
                TileAnswer::Halves(Halves { sums, log: [0.0; 2], in_second: Packed(vec![].into()) })
            }
            Question::Divide { launch, key, is_split } => {
                let mut rng = tile_stream(*key, input.tile);
                let (mut sums, mut log, mut in_second) = (Change::new(2, stride), [0.0; 2], Vec::new());
                for places in launch.members(numbers).chunks(LANES) {
                    let odds = room.log_odds(shape, points, places, &launch.atoms, launch.log_weights);
                    for (&place, odds) in places.iter().zip(odds) {
                        let second = if *is_split {
                            uniform(&mut rng) * (1.0 + odds.exp()) < 1.0
                        } else {
                            numbers[place as usize] != launch.clusters[0]
                        };
                        let exponent = if second { odds } else { -odds };
                        // log(1 + e^−x) = log(1 + e^x) − x
                        let one = log_one_plus_exp(exponent);
                        log[0] -= one;
                        log[1] -= one - exponent;
                        in_second.push(u32::from(second));
                        sums.add(usize::from(second), shape, row(place as usize), 1);
                    }
                }
                TileAnswer::Halves(Halves { sums, log, in_second: Packed(in_second.into()) })
            }
            Question::Extent | Question::Sums { .. } => return Err(foreign()),
        })
    }

    /// Answers for one tile from the values as they were given; none where scaled coordinates are asked for.
    fn answer_plain(&self, values: &[f64], dim: usize, first_row: usize) -> Result<Option<TileAnswer>> {
        Ok(match self {
            Question::Extent => {
                Points::starting_at(first_row, dim, values)?;
                Some(TileAnswer::Extent(Extent::of(values, dim)))
            }
            Question::Sums { from, and, power } => Some(TileAnswer::Numbers(power_sums(values, from, and, *power))),
            _ => None,
        })
    }
}

impl Choice {
    fn answer(&self, shape: AtomShape, points: TilePoints<'_>, input: &TileInput<'_>, room: &mut Tile) -> TileAnswer {
        let TilePoints { data, start, len } = points;
        let mut labels = input.numbers.0.to_vec();
        let mut change = Change::new(self.open.len(), shape.statistic_len(data.dim()));
        let mut rng = tile_stream(self.key, input.tile);
        let slices =
            (!self.heights.is_empty()).then_some(Slices { heights: &self.heights, thresholds: &input.thresholds });
        let weighing = Weighing { log_weights: &self.log_weights, slices };
        for first in (0..len).step_by(LANES) {
            let labels = &mut labels[first..len.min(first + LANES)];
            let mut uniforms = [0.5; LANES];
            uniforms[..labels.len()].fill_with(|| uniform(&mut rng));
            if !self.plain {
                let weighing = weighing.from(first);
                room.evaluate(shape, data, start + first, &self.atoms, &self.open, weighing).fill(f64::NEG_INFINITY);
                room.choose(self.open.len(), &[0.0; LANES], &uniforms);
            }
            for (lane, label) in labels.iter_mut().enumerate() {
                let (own, x) = (*label as usize, data.row(start + first + lane));
                let choice = match self.plain {
                    false => room.chosen(lane),
                    true => choose_among(&self.open, shape, &self.atoms, weighing, first + lane, x, uniforms[lane]),
                };
                // by rounding a choice may lie behind the last
                if self.open[own] > 0 && choice != own && choice < self.open.len() {
                    change.add(own, shape, x, -1);
                    change.add(choice, shape, x, 1);
                    *label = choice as u32;
                }
            }
        }
        TileAnswer::Labels(Packed(labels.into()), change)
    }
}

/// A question to tiles of points that are held together, as it is sent to who holds them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TileJob<'a> {
    pub(crate) part: usize,
    pub(crate) size: usize,
    pub(crate) shape: AtomShape,
    pub(crate) frame: Cow<'a, Frame>,
    pub(crate) question: Cow<'a, Question>,
    pub(crate) tiles: Vec<TileInput<'a>>,
}

/// What the tiles of a job answer, in order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TileAnswers(pub(crate) Vec<TileAnswer>);

impl TileJob<'_> {
    /// Whether it is about the values as they were given.
    fn is_plain(&self) -> bool {
        matches!(*self.question, Question::Extent | Question::Sums { .. })
    }

    /// The part of the points that it is about, as in [`TileWorkers::parts`].
    pub fn part(&self) -> usize {
        self.part
    }
}

/// Who holds points that are elsewhere, and carries jobs there.
pub trait TileWorkers: Sync {
    /// Number of columns.
    fn dim(&self) -> usize;

    /// Where each part of the rows ends; all but the last at a multiple of [`TILE_ROWS`].
    fn parts(&self) -> &[usize];

    /// Has jobs answered; `take` gets the place of each with its answers, in order.
    fn answer(
        &self,
        jobs: &[TileJob<'_>],
        progress: &dyn mixgist::Progress,
        take: &mut dyn FnMut(usize, TileAnswers) -> Result<()>,
    ) -> Result<()>;
}

/// Rows of a tile: parts of points that are held elsewhere end at multiples of it.
pub const TILE_ROWS: usize = crate::algorithm::tiling::TILE;

/// Scaled points as who holds them keeps them between jobs.
#[derive(Debug, Default)]
pub struct HeldPoints(Mutex<Option<Arc<ScaledData>>>);

impl HeldPoints {
    /// Answers a job about these values (by rows), which begin at row `first_row` of all. What was made of the values is kept for the next job: they are
    /// looked at only where [`HeldPoints::wants_values`] says so.
    pub fn answer(&self, job: &TileJob<'_>, values: &[f64], first_row: usize, threads: usize) -> Result<TileAnswers> {
        let (dim, size) = (job.frame.dim(), job.size);
        let damaged =
            || Error::input("a job does not fit the points").hint("use the same version of mixgist everywhere");
        if dim == 0 || size == 0 || !values.len().is_multiple_of(dim) || !first_row.is_multiple_of(size) {
            return Err(damaged());
        }
        let scaled = (!job.is_plain()).then(|| self.scaled(values, &job.frame));
        let rows = scaled.as_ref().map_or(values.len() / dim, |data| data.len());
        let start = |tile: usize| tile.checked_mul(size)?.checked_sub(first_row).filter(|&start| start < rows);
        let places = job.tiles.iter().map(|input| Some((start(input.tile)?, input)));
        let places: Vec<(usize, &TileInput<'_>)> = places.collect::<Option<_>>().ok_or_else(damaged)?;
        let tiling = Tiling { size, threads };
        let answers = tiling.each(&places, |(start, input), room| {
            let len = size.min(rows - start);
            match &scaled {
                None => {
                    let values = &values[start * dim..(start + len) * dim];
                    job.question.answer_plain(values, dim, first_row + start)?.ok_or_else(foreign)
                }
                Some(data) => job.question.answer(job.shape, TilePoints { data, start: *start, len }, input, room),
            }
        });
        answers.into_iter().collect::<Result<_>>().map(TileAnswers)
    }

    /// Whether a job is answered from the values, and not from what was kept of them.
    pub fn wants_values(&self, job: &TileJob<'_>) -> bool {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        job.is_plain() || held.as_ref().is_none_or(|data| data.frame != *job.frame)
    }

    fn scaled(&self, values: &[f64], frame: &Frame) -> Arc<ScaledData> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*held {
            Some(data) if data.frame == *frame => Arc::clone(data),
            _ => {
                let data = Arc::new(ScaledData::scaled(values, frame.clone()));
                *held = Some(Arc::clone(&data));
                data
            }
        }
    }
}
