//! Whole numbers that travel in as few bits as the largest of them needs.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Numbers that are written with 1, 2, 4, 8, 16 or 32 bits each, behind that and how many they are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Packed<'a>(pub Cow<'a, [u32]>);

impl Serialize for Packed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let numbers = &self.0;
        let width: u32 = match numbers.iter().copied().max().unwrap_or(0) {
            0..=0x1 => 1,
            0x2..=0x3 => 2,
            0x4..=0xf => 4,
            0x10..=0xff => 8,
            0x100..=0xffff => 16,
            _ => 32,
        };
        let mut bytes = Vec::with_capacity(9 + numbers.len() * width as usize / 8);
        bytes.push(width as u8);
        bytes.extend_from_slice(&(numbers.len() as u32).to_le_bytes());
        if width < 8 {
            bytes.extend(
                numbers
                    .chunks(8 / width as usize)
                    .map(|few| few.iter().rev().fold(0, |byte: u8, &number| byte << width | number as u8)),
            );
        } else {
            numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()[..width as usize / 8]));
        }
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Packed<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes).map(|numbers| Packed(Cow::Owned(numbers)))
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Vec<u32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("packed numbers")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        unpacked(bytes).ok_or_else(|| E::custom("packed numbers are damaged"))
    }
}

fn unpacked(bytes: &[u8]) -> Option<Vec<u32>> {
    let (&width, bytes) = bytes.split_first()?;
    let (count, bytes) = bytes.split_first_chunk::<4>()?;
    let count = u32::from_le_bytes(*count) as usize;
    if bytes.len() != count.checked_mul(usize::from(width))?.div_ceil(8) {
        return None;
    }
    Some(match width {
        1 | 2 | 4 => {
            let mask = (1u32 << width) - 1;
            let places = (0..8).step_by(usize::from(width));
            let mut numbers = Vec::with_capacity(count + 8);
            for &byte in bytes {
                numbers.extend(places.clone().map(|place| u32::from(byte) >> place & mask));
            }
            numbers.truncate(count);
            numbers
        }
        8 => bytes.iter().map(|&byte| u32::from(byte)).collect(),
        16 => bytes.chunks_exact(2).map(|b| u32::from(u16::from_le_bytes([b[0], b[1]]))).collect(),
        32 => bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(numbers: &[u32]) -> Vec<u8> {
        postcard::to_allocvec(&Packed(Cow::Borrowed(numbers))).unwrap()
    }

    proptest! {
        #[test]
        fn numbers_come_back(largest in 0u32..33, numbers in prop::collection::vec(any::<u32>(), 0..40)) {
            let numbers: Vec<u32> = numbers.iter().map(|number| number.checked_shr(largest).unwrap_or(0)).collect();
            let back: Packed = postcard::from_bytes(&bytes(&numbers)).unwrap();
            prop_assert_eq!(back.0, numbers);
        }
    }

    #[test]
    fn numbers_take_as_few_bits_as_the_largest_needs() {
        let widths = [
            (0, 1),
            (1, 1),
            (2, 2),
            (3, 2),
            (4, 4),
            (15, 4),
            (16, 8),
            (255, 8),
            (256, 16),
            (65_536, 32),
            (u32::MAX, 32),
        ];
        for (largest, width) in widths {
            assert_eq!(
                bytes(&[0, largest, 0, 1, 0, 0, 0, 1, 0]).len(),
                6 + (9 * width as usize).div_ceil(8),
                "{largest}"
            );
        }
    }

    #[test]
    fn damaged_numbers_are_refused() {
        for damaged in
            [&[][..], &[8], &[8, 1, 0, 0, 0], &[8, 1, 0, 0, 0, 1, 1], &[3, 1, 0, 0, 0, 1], &[32, 255, 255, 255, 255]]
        {
            assert!(unpacked(damaged).is_none(), "{damaged:?}");
        }
    }
}
