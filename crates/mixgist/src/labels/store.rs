//! Labels of many draws, in the narrowest integer type that holds them: a hundred thousand observations in four thousand draws take
//! 0.4 GB instead of 3.2.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// A growing list of labels of 8, 16 or 32 bits without a sign, or of 64 bits with one: the first of these widths that holds all of them.
#[derive(Clone)]
pub struct Labels(Store);

#[derive(Clone)]
enum Store {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    I64(Vec<i64>),
}

/// Some labels that lie one behind the other, with their width.
#[derive(Clone, Copy)]
pub enum LabelSlice<'a> {
    /// Labels below 2⁸.
    U8(&'a [u8]),
    /// Labels below 2¹⁶.
    U16(&'a [u16]),
    /// Labels below 2³².
    U32(&'a [u32]),
    /// Any labels.
    I64(&'a [i64]),
}

/// The labels of a [`LabelSlice`], one after the other.
#[derive(Clone)]
pub struct LabelIter<'a>(LabelSlice<'a>);

/// Does the same with the values, whatever their width.
macro_rules! each_width {
    ($what:ident, $store:expr, $values:ident => $do:expr) => {
        match $store {
            $what::U8($values) => $do,
            $what::U16($values) => $do,
            $what::U32($values) => $do,
            $what::I64($values) => $do,
        }
    };
}

/// A label of any width.
#[inline]
fn wide(label: impl Into<i64>) -> i64 {
    label.into()
}

impl Labels {
    /// No labels yet.
    pub fn new() -> Self {
        Labels(Store::U8(Vec::new()))
    }

    /// Room for so many more labels of the present width.
    pub fn reserve(&mut self, more: usize) {
        each_width!(Store, &mut self.0, values => values.reserve(more));
    }

    /// Number of labels.
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All labels.
    pub fn as_slice(&self) -> LabelSlice<'_> {
        match &self.0 {
            Store::U8(values) => LabelSlice::U8(values),
            Store::U16(values) => LabelSlice::U16(values),
            Store::U32(values) => LabelSlice::U32(values),
            Store::I64(values) => LabelSlice::I64(values),
        }
    }

    /// The labels at these places.
    ///
    /// # Panics
    /// When the range reaches beyond the last label.
    pub fn slice(&self, range: Range<usize>) -> LabelSlice<'_> {
        self.as_slice().slice(range)
    }

    /// The labels of draw after draw, each of so many observations; what is left at the end makes no draw.
    pub fn rows(&self, observations: usize) -> impl ExactSizeIterator<Item = LabelSlice<'_>> {
        let all = self.as_slice();
        let draws = all.len().checked_div(observations).unwrap_or(0);
        (0..draws).map(move |m| all.slice(m * observations..(m + 1) * observations))
    }

    /// The label at a place.
    ///
    /// # Panics
    /// When there is none.
    pub fn get(&self, place: usize) -> i64 {
        self.as_slice().get(place)
    }

    /// All labels, one after the other.
    pub fn iter(&self) -> LabelIter<'_> {
        self.as_slice().iter()
    }

    /// Adds labels; of the same width, they are copied as they are.
    pub fn append(&mut self, more: LabelSlice<'_>) {
        match (&mut self.0, more) {
            (Store::U8(values), LabelSlice::U8(more)) => values.extend_from_slice(more),
            (Store::U16(values), LabelSlice::U16(more)) => values.extend_from_slice(more),
            (Store::U32(values), LabelSlice::U32(more)) => values.extend_from_slice(more),
            (Store::I64(values), LabelSlice::I64(more)) => values.extend_from_slice(more),
            (_, more) => self.extend(more.iter()),
        }
    }

    /// The same labels in the first width that also holds `label`.
    fn widen_for(&mut self, label: i64) {
        let widened = match label {
            0..=0xff => return,
            0x100..=0xffff => match &self.0 {
                Store::U8(values) => Store::U16(values.iter().copied().map(u16::from).collect()),
                _ => return,
            },
            0x1_0000..=0xffff_ffff => match &self.0 {
                Store::U8(values) => Store::U32(values.iter().copied().map(u32::from).collect()),
                Store::U16(values) => Store::U32(values.iter().copied().map(u32::from).collect()),
                _ => return,
            },
            _ if matches!(self.0, Store::I64(_)) => return,
            _ => Store::I64(self.iter().collect()),
        };
        self.0 = widened;
    }
}

/// Adds labels as long as they fit; the first that does not is given back.
fn fill<T: TryFrom<i64>>(values: &mut Vec<T>, labels: &mut impl Iterator<Item = i64>) -> Option<i64> {
    values.reserve(labels.size_hint().0);
    for label in labels {
        match T::try_from(label) {
            Ok(fitting) => values.push(fitting),
            Err(_) => return Some(label),
        }
    }
    None
}

impl<T: Into<i64>> Extend<T> for Labels {
    fn extend<I: IntoIterator<Item = T>>(&mut self, labels: I) {
        let mut labels = labels.into_iter().map(Into::into);
        while let Some(wider) = each_width!(Store, &mut self.0, values => fill(values, &mut labels)) {
            self.widen_for(wider);
            each_width!(Store, &mut self.0, values => fill(values, &mut std::iter::once(wider)));
        }
    }
}

impl<T: Into<i64>> FromIterator<T> for Labels {
    fn from_iter<I: IntoIterator<Item = T>>(labels: I) -> Self {
        let mut all = Labels::new();
        all.extend(labels);
        all
    }
}

impl<T: Into<i64>> From<Vec<T>> for Labels {
    fn from(labels: Vec<T>) -> Self {
        labels.into_iter().collect()
    }
}

impl Default for Labels {
    fn default() -> Self {
        Labels::new()
    }
}

impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Labels {}

impl PartialEq<[i64]> for Labels {
    fn eq(&self, other: &[i64]) -> bool {
        self.as_slice() == LabelSlice::I64(other)
    }
}

impl<const N: usize> PartialEq<[i64; N]> for Labels {
    fn eq(&self, other: &[i64; N]) -> bool {
        *self == other[..]
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl<'a> LabelSlice<'a> {
    /// Number of labels.
    pub fn len(self) -> usize {
        each_width!(LabelSlice, self, values => values.len())
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Bytes of a label.
    pub fn width(self) -> usize {
        each_width!(LabelSlice, self, values => size_of_val(values) / values.len().max(1))
    }

    /// The label at a place.
    ///
    /// # Panics
    /// When there is none.
    #[inline]
    pub fn get(self, place: usize) -> i64 {
        each_width!(LabelSlice, self, values => wide(values[place]))
    }

    /// The labels at these places.
    ///
    /// # Panics
    /// When the range reaches beyond the last label.
    pub fn slice(self, range: Range<usize>) -> LabelSlice<'a> {
        match self {
            LabelSlice::U8(values) => LabelSlice::U8(&values[range]),
            LabelSlice::U16(values) => LabelSlice::U16(&values[range]),
            LabelSlice::U32(values) => LabelSlice::U32(&values[range]),
            LabelSlice::I64(values) => LabelSlice::I64(&values[range]),
        }
    }

    /// The labels, one after the other. Loops are fastest by `for_each` and `fold`, which look at the width once.
    pub fn iter(self) -> LabelIter<'a> {
        LabelIter(self)
    }
}

impl<'a> IntoIterator for LabelSlice<'a> {
    type Item = i64;
    type IntoIter = LabelIter<'a>;

    fn into_iter(self) -> LabelIter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a Labels {
    type Item = i64;
    type IntoIter = LabelIter<'a>;

    fn into_iter(self) -> LabelIter<'a> {
        self.iter()
    }
}

impl Iterator for LabelIter<'_> {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        each_width!(LabelSlice, &mut self.0, values => {
            let (&first, rest) = values.split_first()?;
            *values = rest;
            Some(wide(first))
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }

    #[inline]
    fn fold<B, F: FnMut(B, i64) -> B>(self, start: B, mut step: F) -> B {
        each_width!(LabelSlice, self.0, values => values.iter().fold(start, |sum, &label| step(sum, wide(label))))
    }
}

impl ExactSizeIterator for LabelIter<'_> {}

/// Labels are the same when their values are, whatever their width.
impl PartialEq for LabelSlice<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (LabelSlice::U8(a), LabelSlice::U8(b)) => a == b,
            (LabelSlice::U16(a), LabelSlice::U16(b)) => a == b,
            (LabelSlice::U32(a), LabelSlice::U32(b)) => a == b,
            (a, b) => a.len() == b.len() && a.iter().eq(b.iter()),
        }
    }
}

impl Eq for LabelSlice<'_> {}

impl Hash for LabelSlice<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        self.iter().for_each(|label| label.hash(state));
    }
}

impl PartialEq<[u32]> for LabelSlice<'_> {
    fn eq(&self, other: &[u32]) -> bool {
        *self == LabelSlice::U32(other)
    }
}

impl<const N: usize> PartialEq<[u32; N]> for LabelSlice<'_> {
    fn eq(&self, other: &[u32; N]) -> bool {
        *self == other[..]
    }
}

impl fmt::Debug for LabelSlice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_width_is_the_first_that_holds_all() {
        let width = |labels: &[i64]| labels.iter().copied().collect::<Labels>().as_slice().width();
        assert_eq!(width(&[0, 255]), 1);
        assert_eq!(width(&[256, 0]), 2);
        assert_eq!(width(&[0, 65_535]), 2);
        assert_eq!(width(&[1, 65_536]), 4);
        assert_eq!(width(&[300, i64::from(u32::MAX)]), 4);
        assert_eq!(width(&[300, i64::from(u32::MAX) + 1]), 8);
        assert_eq!(width(&[7, -1]), 8);
        assert_eq!((Labels::new().len(), Labels::new().as_slice().width()), (0, 0));
    }

    proptest! {
        /// Whatever is added in whatever pieces, the labels are those of a plain list.
        #[test]
        fn labels_are_those_of_a_plain_list(
            pieces in proptest::collection::vec(
                proptest::collection::vec(
                    prop_oneof![0i64..4, 250i64..260, 65_530i64..65_540, (1i64 << 32) - 3..(1 << 32) + 3, any::<i64>()],
                    0..6,
                ),
                0..6,
            ),
        ) {
            let plain = pieces.concat();
            let (mut extended, mut appended) = (Labels::new(), Labels::new());
            for piece in &pieces {
                extended.extend(piece.iter().copied());
                appended.append(piece.iter().copied().collect::<Labels>().as_slice());
            }
            prop_assert_eq!(&extended, &plain[..]);
            prop_assert_eq!(&appended, &extended);
            prop_assert_eq!(extended.iter().collect::<Vec<_>>(), &plain[..]);
            let mut folded = Vec::new();
            extended.iter().for_each(|label| folded.push(label));
            prop_assert_eq!(&folded, &plain);
            for place in 0..plain.len() {
                prop_assert_eq!(extended.get(place), plain[place]);
                prop_assert!(extended.slice(place..plain.len()).iter().eq(plain[place..].iter().copied()));
            }
            let most = plain.iter().copied().max().unwrap_or(0);
            let least = plain.iter().copied().min().unwrap_or(0);
            let width = match (least, most) {
                (0.., ..=0xff) => 1,
                (0.., ..=0xffff) => 2,
                (0.., ..=0xffff_ffff) => 4,
                _ => 8,
            };
            prop_assert!(plain.is_empty() || extended.as_slice().width() == width);
            let hash = |slice: LabelSlice<'_>| {
                let mut hasher = std::hash::DefaultHasher::new();
                slice.hash(&mut hasher);
                hasher.finish()
            };
            prop_assert_eq!(hash(extended.as_slice()), hash(LabelSlice::I64(&plain)));
        }
    }
}
