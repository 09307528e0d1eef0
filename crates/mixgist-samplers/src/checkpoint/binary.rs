//! Little-endian records with a header and a checksum: what a checkpoint is made of.

use mixgist::{Error, Result};

const MAGIC: &[u8; 16] = b"mixgist-samplers";
const VERSION: u32 = 1;
const HEADER: usize = MAGIC.len() + 4;

/// FNV-1a, 64 bit.
pub(crate) fn checksum(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Collects a record.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn new() -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        Writer(bytes)
    }

    pub(crate) fn number(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn real(&mut self, value: f64) {
        self.number(value.to_bits());
    }

    pub(crate) fn bytes(&mut self, values: &[u8]) {
        self.number(values.len() as u64);
        self.0.extend_from_slice(values);
    }

    pub(crate) fn reals(&mut self, values: &[f64]) {
        self.number(values.len() as u64);
        values.iter().for_each(|&value| self.real(value));
    }

    pub(crate) fn numbers(&mut self, values: impl ExactSizeIterator<Item = u64>) {
        self.number(values.len() as u64);
        values.for_each(|value| self.number(value));
    }

    pub(crate) fn shorts(&mut self, values: &[u32]) {
        self.number(values.len() as u64);
        values.iter().for_each(|value| self.0.extend_from_slice(&value.to_le_bytes()));
    }

    /// The record with its checksum.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let sum = checksum(self.0.iter().copied());
        self.number(sum);
        self.0
    }
}

/// Reads a record back; every length is checked against what is there before anything is allocated.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Checks header and checksum.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self> {
        if !bytes.starts_with(MAGIC) {
            return Err(Error::input("is not a checkpoint of mixgist"));
        }
        let version = bytes.get(MAGIC.len()..HEADER).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
        match version {
            Some(VERSION) => {}
            Some(other) => {
                return Err(Error::input(format!(
                    "has checkpoint version {other}, this program reads version {VERSION}"
                )));
            }
            None => return Err(damaged()),
        }
        let (body, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
        if body.len() < HEADER || checksum(body.iter().copied()) != u64::from_le_bytes(*sum) {
            return Err(damaged());
        }
        Ok(Reader(&body[HEADER..]))
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(len).ok_or_else(damaged)?;
        self.0 = tail;
        Ok(head)
    }

    fn length(&mut self, size: usize) -> Result<usize> {
        let count = usize::try_from(self.number()?).map_err(|_| damaged())?;
        count.checked_mul(size).filter(|&bytes| bytes <= self.0.len()).ok_or_else(damaged)
    }

    pub(crate) fn number(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into().map_err(|_| damaged())?))
    }

    pub(crate) fn real(&mut self) -> Result<f64> {
        Ok(f64::from_bits(self.number()?))
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8]> {
        let bytes = self.length(1)?;
        self.take(bytes)
    }

    pub(crate) fn numbers(&mut self) -> Result<Vec<u64>> {
        let bytes = self.length(8)?;
        Ok(self.take(bytes)?.as_chunks().0.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect())
    }

    pub(crate) fn reals(&mut self) -> Result<Vec<f64>> {
        Ok(self.numbers()?.into_iter().map(f64::from_bits).collect())
    }

    pub(crate) fn shorts(&mut self) -> Result<Vec<u32>> {
        let bytes = self.length(4)?;
        Ok(self.take(bytes)?.as_chunks().0.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect())
    }

    /// Nothing may be left.
    pub(crate) fn end(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(damaged()) }
    }
}

/// The error of a record that does not hold what it should.
pub(crate) fn damaged() -> Error {
    Error::input("the checkpoint is damaged").hint("start the run anew in an empty directory")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Vec<u8> {
        let mut writer = Writer::new();
        writer.number(7);
        writer.reals(&[1.5, f64::NEG_INFINITY]);
        writer.shorts(&[1, 2, 3]);
        writer.bytes(b"text");
        writer.finish()
    }

    #[test]
    fn records_come_back() {
        let bytes = record();
        let mut reader = Reader::new(&bytes).unwrap();
        assert_eq!(reader.number().unwrap(), 7);
        assert_eq!(reader.reals().unwrap(), [1.5, f64::NEG_INFINITY]);
        assert_eq!(reader.shorts().unwrap(), [1, 2, 3]);
        assert_eq!(reader.bytes().unwrap(), b"text");
        reader.end().unwrap();
    }

    #[test]
    fn every_flipped_or_missing_byte_is_noticed() {
        let bytes = record();
        for i in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[i] ^= 0x40;
            assert!(Reader::new(&flipped).is_err(), "byte {i} flipped");
            assert!(Reader::new(&bytes[..i]).is_err(), "cut at {i}");
        }
    }

    #[test]
    fn lengths_beyond_the_record_are_refused_before_memory_is_asked_for() {
        let mut writer = Writer::new();
        writer.number(u64::MAX / 2);
        let bytes = writer.finish();
        assert!(Reader::new(&bytes).unwrap().reals().is_err());
    }
}
