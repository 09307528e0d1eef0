//! Whole numbers that travel in as few bytes as the largest of them needs.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Numbers that are written with one, two or four bytes each.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Packed<'a>(pub Cow<'a, [u32]>);

impl Serialize for Packed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let width = match self.0.iter().max() {
            None | Some(0..=0xff) => 1,
            Some(0x100..=0xffff) => 2,
            _ => 4,
        };
        let mut bytes = Vec::with_capacity(1 + width * self.0.len());
        bytes.push(width as u8);
        match width {
            1 => bytes.extend(self.0.iter().map(|&number| number as u8)),
            _ => self.0.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()[..width])),
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
        let wrong = || E::custom("packed numbers are damaged");
        let (&width, bytes) = bytes.split_first().ok_or_else(wrong)?;
        match width {
            1 => Ok(bytes.iter().map(|&byte| u32::from(byte)).collect()),
            2 if bytes.len() % 2 == 0 => {
                Ok(bytes.chunks_exact(2).map(|b| u32::from(u16::from_le_bytes([b[0], b[1]]))).collect())
            }
            4 if bytes.len() % 4 == 0 => {
                Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
            }
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_in_as_few_bytes_as_they_need() {
        for (largest, width) in [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4), (u32::MAX, 4)] {
            let numbers = vec![0, largest, 7.min(largest)];
            let bytes = postcard::to_allocvec(&Packed(Cow::Borrowed(&numbers))).unwrap();
            assert_eq!(bytes.len(), 2 + 3 * width);
            let back: Packed = postcard::from_bytes(&bytes).unwrap();
            assert_eq!(back.0, numbers);
        }
        assert_eq!(
            postcard::from_bytes::<Packed>(&postcard::to_allocvec(&Packed(Cow::Borrowed(&[]))).unwrap())
                .unwrap()
                .0
                .len(),
            0
        );
        for damaged in [&[0][..], &[1, 3], &[2, 2, 1], &[3, 4, 1, 1]] {
            assert!(postcard::from_bytes::<Packed>(damaged).is_err(), "{damaged:?}");
        }
    }
}
