//! Partitions of the observations, one per draw, as they come from files: integers as they are, words as numbers.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::Path;

use mixgist::text::{index, verb};
use mixgist::{Error, LabelSlice, Labels, Partition, PartitionDraws, Result, text};

use crate::ReadOptions;
use crate::array::{RawArray, Values, integer, shape_text};
use crate::format::Format;
use crate::output::{Overwrite, write_whole};

/// Labels of `observations` observations in `draws` draws, row-major. Integers are kept as they were, so that a label that is the number of
/// an atom still is; a draw with words, or with integers beyond 64 bits, is numbered from 0 in order of first appearance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelDraws {
    /// Number of draws M.
    pub draws: usize,
    /// Number of observations n.
    pub observations: usize,
    /// M × n labels, in the narrowest integers that hold them.
    pub labels: Labels,
}

/// Reads labels (M, n): CSV (one draw per line), npy, npz (array `labels`) or Parquet (one draw per row).
pub fn read_labels(path: &Path, options: &ReadOptions) -> Result<LabelDraws> {
    let read = options.format_of(path)?.labels_reader()?;
    read(path, options).map_err(|error| error.in_file(path))
}

/// Writes labels, whole or not at all.
pub fn write_labels(path: &Path, labels: &LabelDraws, format: Option<Format>, overwrite: Overwrite) -> Result<()> {
    let write = Format::to_write_labels(format, path)?;
    labels.check().map_err(|error| error.in_file(path))?;
    write_whole(path, overwrite, |output| write(output, labels))
}

/// Numbers where labels should be: most likely these are the data themselves.
pub(crate) fn not_labels(error: Error) -> Error {
    error.hint(text![
        "labels say for each draw (a row) to which cluster each observation (a column) belongs; if these are data, fit a model to them first: ",
        verb("fit")
    ])
}

impl LabelDraws {
    /// No draws yet, of `observations` observations.
    pub(crate) fn empty(observations: usize) -> Self {
        LabelDraws { draws: 0, observations, labels: Labels::new() }
    }

    /// The labels of draw m.
    pub fn draw(&self, m: usize) -> LabelSlice<'_> {
        self.labels.slice(m * self.observations..(m + 1) * self.observations)
    }

    /// Number of clusters of draw m, and of observations in its largest one.
    pub(crate) fn sizes(&self, m: usize) -> (f64, f64) {
        let partition = match self.draw(m) {
            LabelSlice::U8(labels) => Partition::from_integers(labels),
            LabelSlice::U16(labels) => Partition::from_integers(labels),
            LabelSlice::U32(labels) => Partition::from_integers(labels),
            LabelSlice::I64(labels) => Partition::from_integers(labels),
        };
        partition.map_or((0.0, 0.0), |found| {
            (found.clusters() as f64, found.sizes().into_iter().max().map_or(0.0, f64::from))
        })
    }

    /// The partitions that the labels describe.
    pub fn partitions(&self) -> Result<PartitionDraws> {
        PartitionDraws::from_labels(self.observations, &self.labels)
    }

    /// Adds a draw of labels that are all integers, by `number`, or anything.
    pub(crate) fn push<K: Hash + Eq>(&mut self, labels: &[K], number: impl Fn(&K) -> Option<i64>) {
        self.draws += 1;
        if let Some(numbers) = labels.iter().map(number).collect::<Option<Vec<i64>>>() {
            self.labels.extend(numbers);
            return;
        }
        let mut known = HashMap::new();
        self.labels.extend(labels.iter().map(|label| {
            let next = known.len() as i64;
            *known.entry(label).or_insert(next)
        }));
    }

    /// Labels from an array (M, n) of integers, integral floats or strings.
    pub(crate) fn from_array(array: RawArray) -> Result<Self> {
        let &[draws, observations] = array.shape.as_slice() else {
            return Err(Error::input(format!(
                "array 'labels' has shape {}, expected (draws, observations)",
                shape_text(&array.shape)
            )));
        };
        let mut out = LabelDraws::empty(observations);
        out.check_not_empty(draws)?;
        match array.values {
            Values::Integer(labels) => return Ok(LabelDraws { draws, observations, labels }),
            Values::Unsigned(values) => {
                values.chunks_exact(observations).for_each(|row| out.push(row, |&x| i64::try_from(x).ok()));
            }
            Values::Text(values) => values.chunks_exact(observations).for_each(|row| out.push(row, |_| None)),
            Values::Float(values) => {
                for (m, row) in values.chunks_exact(observations).enumerate() {
                    let label = |(i, &x): (usize, &f64)| {
                        integer(x).ok_or_else(|| {
                            let message =
                                text!["label of observation ", index(i), format!(" is {x}, expected an integer")];
                            not_labels(Error::input(message).at_draw(m))
                        })
                    };
                    let row: Vec<i64> = row.iter().enumerate().map(label).collect::<Result<_>>()?;
                    out.push(&row, |&x| Some(x));
                }
            }
        }
        Ok(out)
    }

    /// Checks that there are as many labels as there should be.
    pub(crate) fn check(&self) -> Result<()> {
        self.check_not_empty(self.draws)?;
        if self.draws.checked_mul(self.observations) == Some(self.labels.len()) {
            return Ok(());
        }
        let LabelDraws { draws, observations, labels } = self;
        Err(Error::input(format!("{} labels for {draws} draws of {observations} observations", labels.len())))
    }

    pub(crate) fn check_not_empty(&self, draws: usize) -> Result<()> {
        match (draws, self.observations) {
            (0, _) => Err(Error::input("labels hold no draws")),
            (_, 0) => Err(Error::input("labels hold no observations")),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_stay_and_others_count_from_zero_in_order_of_appearance() {
        let array = |values| RawArray { shape: vec![2, 3], values };
        for (values, expected) in [
            (Values::Integer(vec![-7, i64::MAX, -7, 3, 2, 1].into()), [-7, i64::MAX, -7, 3, 2, 1]),
            (Values::Unsigned(vec![u64::MAX, 0, u64::MAX, 1, 2, 3]), [0, 1, 0, 1, 2, 3]),
            (Values::Float(vec![-1.0, 1e15, -1.0, 2.0, 1.0, 0.0]), [-1, 1_000_000_000_000_000, -1, 2, 1, 0]),
            (Values::Text(["b", "a", "b", "x", "y", ""].map(String::from).to_vec()), [0, 1, 0, 0, 1, 2]),
        ] {
            let labels = LabelDraws::from_array(array(values)).unwrap();
            assert_eq!((labels.draws, labels.observations), (2, 3));
            assert_eq!(labels.labels, expected);
        }
        let error = LabelDraws::from_array(array(Values::Float(vec![0.0, 1.0, 0.0, 0.0, 0.5, 0.0])));
        assert_eq!(error.unwrap_err().to_string(), "draw 1: label of observation 1 is 0.5, expected an integer");
    }

    #[test]
    fn the_number_of_labels_must_fit() {
        let message = |draws, observations, n| {
            LabelDraws { draws, observations, labels: vec![0; n].into() }.check().unwrap_err().to_string()
        };
        assert_eq!(message(2, 3, 5), "5 labels for 2 draws of 3 observations");
        assert_eq!(message(usize::MAX, 2, 5), format!("5 labels for {} draws of 2 observations", usize::MAX));
        assert_eq!(message(0, 3, 0), "labels hold no draws");
        assert_eq!(message(3, 0, 0), "labels hold no observations");
    }
}
