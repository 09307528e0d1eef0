//! What the files of a checkpoint are: a mark and a version, the record itself in postcard's compact form, and a checksum.

use mixgist::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

const MAGIC: &[u8; 16] = b"mixgist-samplers";
/// Version 1 had a form of its own, version 2 knew no learned scales.
const VERSION: u32 = 3;
const HEADER: usize = MAGIC.len() + 4;

/// FNV-1a, 64 bit.
pub(crate) fn checksum(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Whether a file begins as a checkpoint does, of whatever version.
pub(crate) fn is_checkpoint(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The bytes of a file.
pub(crate) fn encode<T: Serialize>(record: &T) -> Result<Vec<u8>> {
    let mut bytes = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
    bytes = postcard::to_extend(record, bytes)
        .map_err(|cause| Error::resource(format!("the checkpoint cannot be encoded: {cause}")))?;
    let sum = checksum(bytes.iter().copied());
    bytes.extend_from_slice(&sum.to_le_bytes());
    Ok(bytes)
}

/// The record of a file. Lengths in it are not believed: memory is asked for as values arrive.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    if !is_checkpoint(bytes) {
        return Err(Error::input("is not a checkpoint of mixgist"));
    }
    match bytes.get(MAGIC.len()..HEADER).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes) {
        Some(VERSION) => {}
        Some(other) => {
            return Err(Error::input(format!("has checkpoint version {other}, this program reads version {VERSION}"))
                .hint("finish the run with the mixgist that began it, or start it anew in an empty directory"));
        }
        None => return Err(damaged()),
    }
    let (body, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
    if body.len() < HEADER || checksum(body.iter().copied()) != u64::from_le_bytes(*sum) {
        return Err(damaged());
    }
    decode_body(&body[HEADER..])
}

/// The record without what surrounds it.
pub(crate) fn decode_body<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    match postcard::take_from_bytes(body) {
        Ok((record, [])) => Ok(record),
        _ => Err(damaged()),
    }
}

/// The error of a record that does not hold what it should.
pub(crate) fn damaged() -> Error {
    Error::input("the checkpoint is damaged").hint("start the run anew in an empty directory")
}

#[cfg(test)]
mod tests {
    use super::*;

    type Record = (u64, Vec<f64>, Vec<u32>, String);

    fn record() -> Record {
        (7, vec![1.5, f64::NEG_INFINITY, -0.0, 5e-324], vec![1, 2, u32::MAX], "text".into())
    }

    #[test]
    fn records_come_back_to_the_last_bit() {
        let back: Record = decode(&encode(&record()).unwrap()).unwrap();
        assert_eq!(back, record());
        assert!(back.1[2].is_sign_negative());
        let odd = f64::from_bits(0x7ff8_0000_0000_1234);
        assert_eq!(decode::<f64>(&encode(&odd).unwrap()).unwrap().to_bits(), odd.to_bits());
    }

    #[test]
    fn every_flipped_or_missing_byte_is_noticed() {
        let bytes = encode(&record()).unwrap();
        for i in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[i] ^= 0x40;
            assert!(decode::<Record>(&flipped).is_err(), "byte {i} flipped");
            assert!(decode::<Record>(&bytes[..i]).is_err(), "cut at {i}");
        }
    }

    #[test]
    fn lengths_beyond_the_record_are_refused_and_so_is_what_is_left_over() {
        assert!(decode_body::<Vec<f64>>(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1]).is_err());
        assert!(decode_body::<u8>(&[1, 2]).is_err());
    }

    #[test]
    fn other_versions_are_named() {
        let mut bytes = encode(&record()).unwrap();
        bytes[MAGIC.len()] = 1;
        let error = decode::<Record>(&bytes).unwrap_err();
        assert_eq!(error.to_string(), "has checkpoint version 1, this program reads version 3");
        assert!(error.hint_text().is_some());
    }
}
