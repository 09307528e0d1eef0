//! Who holds the points of a chain: this process, or others that are asked tile by tile.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use mixgist::{Error, Progress, Result};

use crate::algorithm::tiling::Tiling;
use crate::component::AtomShape;
use crate::outline::Outline;
use crate::points::{Frame, ScaledData, check_number};
use crate::tiles::{Question, TileAnswer, TileInput, TileJob, TilePoints, TileWorkers};

/// The points of a chain, wherever they are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Held<'a> {
    /// In the memory of this process.
    Here(&'a ScaledData),
    /// With others.
    Away(&'a Away<'a>),
}

/// Points that others hold.
#[derive(Clone)]
pub(crate) struct Away<'a> {
    workers: &'a dyn TileWorkers,
    progress: &'a dyn Progress,
    points: usize,
    size: usize,
    frame: Frame,
}

impl fmt::Debug for Away<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Away").field("points", &self.points).field("frame", &self.frame).finish_non_exhaustive()
    }
}

impl<'a> From<&'a ScaledData> for Held<'a> {
    fn from(points: &'a ScaledData) -> Self {
        Held::Here(points)
    }
}

/// Coordinates of some points, known by their number or by their place among those that were asked for.
#[derive(Debug)]
pub(crate) enum Rows<'a> {
    /// All points are at hand.
    All(&'a ScaledData),
    /// Those that were asked for.
    Some { dim: usize, values: Vec<f64> },
}

impl Rows<'_> {
    /// Point i, which was asked for at this place.
    pub(crate) fn get(&self, place: usize, i: u32) -> &[f64] {
        match self {
            Rows::All(data) => data.row(i as usize),
            Rows::Some { dim, values } => &values[place * dim..(place + 1) * dim],
        }
    }
}

impl<'a> Held<'a> {
    /// Number of points n.
    pub(crate) fn len(self) -> usize {
        match self {
            Held::Here(data) => data.len(),
            Held::Away(away) => away.points,
        }
    }

    /// The coordinates.
    pub(crate) fn frame(self) -> &'a Frame {
        match self {
            Held::Here(data) => &data.frame,
            Held::Away(away) => &away.frame,
        }
    }

    /// Dimension d.
    pub(crate) fn dim(self) -> usize {
        self.frame().dim()
    }

    /// All points, for what needs them all.
    pub(crate) fn in_memory(self) -> Result<&'a ScaledData> {
        match self {
            Held::Here(data) => Ok(data),
            Held::Away(_) => Err(Error::usage("this needs all points in the memory of one process")),
        }
    }

    /// Coordinates of some points.
    pub(crate) fn rows(self, points: &[u32]) -> Result<Rows<'a>> {
        let away = match self {
            Held::Here(data) => return Ok(Rows::All(data)),
            Held::Away(away) => away,
        };
        let (size, dim) = (away.size as u32, away.frame.dim());
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by_key(|&place| points[place] / size);
        let mut inputs: Vec<TileInput<'_>> = Vec::new();
        for &place in &order {
            let (tile, within) = ((points[place] / size) as usize, points[place] % size);
            match inputs.last_mut() {
                Some(input) if input.tile == tile => input.numbers.0.to_mut().push(within),
                _ => inputs.push(TileInput::new(tile, vec![within])),
            }
        }
        let counts: Vec<usize> = inputs.iter().map(|input| input.numbers.0.len()).collect();
        let mut values = vec![0.0; points.len() * dim];
        let mut next = order.into_iter();
        for (answer, count) in away.ask(AtomShape::Diagonal, &Question::Rows, inputs)?.into_iter().zip(counts) {
            let found = answer.into_numbers(count * dim)?;
            for (row, place) in found.chunks(dim).zip(&mut next) {
                values[place * dim..(place + 1) * dim].copy_from_slice(row);
            }
        }
        Ok(Rows::Some { dim, values })
    }

    /// Points that hold this range, and the number of the first of them.
    pub(crate) fn range(self, range: Range<usize>) -> Result<(Cow<'a, ScaledData>, usize)> {
        if let Held::Here(data) = self {
            return Ok((Cow::Borrowed(data), 0));
        }
        let points: Vec<u32> = range.clone().map(|i| i as u32).collect();
        match self.rows(&points)? {
            Rows::All(data) => Ok((Cow::Borrowed(data), 0)),
            Rows::Some { values, .. } => {
                Ok((Cow::Owned(ScaledData::of_rows(&values, self.frame().clone())), range.start))
            }
        }
    }

    /// Asks these tiles, given in order; answers come in the same order.
    pub(crate) fn ask(
        self,
        shape: AtomShape,
        tiling: Tiling,
        question: &Question,
        inputs: Vec<TileInput<'_>>,
    ) -> Result<Vec<TileAnswer>> {
        match self {
            Held::Away(away) => away.ask(shape, question, inputs),
            Held::Here(data) => {
                let answers = tiling.each(&inputs, |input, room| {
                    let start = input.tile * tiling.size;
                    let points = TilePoints { data, start, len: tiling.size.min(data.len() - start) };
                    question.answer(shape, points, input, room)
                });
                answers.into_iter().collect()
            }
        }
    }
}

impl<'a> Away<'a> {
    /// Looks through the points, once for ranges and twice for sums.
    pub(crate) fn new(
        workers: &'a dyn TileWorkers,
        size: usize,
        progress: &'a dyn Progress,
    ) -> Result<(Self, Outline)> {
        let (points, dim) = (workers.parts().last().copied().unwrap_or(0), workers.dim());
        check_number(points)?;
        let unscaled = Frame { center: vec![0.0; dim], scale: vec![1.0; dim] };
        let mut away = Away { workers, progress, points, size, frame: unscaled };
        let all = || (0..points.div_ceil(size)).map(|tile| TileInput::new(tile, vec![])).collect::<Vec<_>>();
        let ask = |question: &Question| away.ask(AtomShape::Diagonal, question, all());
        let extents = ask(&Question::Extent)?.into_iter().map(|answer| answer.into_extent(dim));
        let extents = extents.collect::<Result<Vec<_>>>()?;
        let outline = Outline::from_tiles(points, dim, extents, |from, and, power| {
            let question = Question::Sums { from: from.to_vec(), and: and.to_vec(), power };
            ask(&question)?.into_iter().map(|answer| answer.into_numbers(dim)).collect()
        })?;
        away.frame = Frame::new(&outline)?;
        Ok((away, outline))
    }

    fn ask(&self, shape: AtomShape, question: &Question, mut inputs: Vec<TileInput<'_>>) -> Result<Vec<TileAnswer>> {
        let (ends, question) = (self.workers.parts(), question.narrowed(&mut inputs));
        let mut jobs: Vec<TileJob<'_>> = Vec::new();
        for input in inputs {
            let part = ends.partition_point(|&end| end <= input.tile * self.size);
            match jobs.last_mut() {
                Some(job) if job.part == part => job.tiles.push(input),
                _ => jobs.push(TileJob {
                    part,
                    size: self.size,
                    shape,
                    frame: Cow::Borrowed(&self.frame),
                    question: Cow::Borrowed(&*question),
                    tiles: vec![input],
                }),
            }
        }
        let counts: Vec<usize> = jobs.iter().map(|job| job.tiles.len()).collect();
        let mut all = Vec::new();
        self.workers.answer(&jobs, self.progress, &mut |place, answers| {
            if counts.get(place) != Some(&answers.0.len()) {
                return Err(Error::input("other tiles have answered than were asked"));
            }
            all.extend(answers.0);
            Ok(())
        })?;
        if all.len() != counts.iter().sum::<usize>() {
            return Err(Error::input("not all tiles have answered"));
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests;
