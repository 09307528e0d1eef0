//! What chunks are compressed by.

use std::io::Read;

use mixgist::{Error, Result};

use super::{REMEDY, unsupported};

#[derive(Clone, Copy)]
pub(super) enum Codec {
    Zlib,
    Gzip,
    Zstd,
    Blosc,
}

impl Codec {
    pub(super) fn from_name(name: &str) -> Result<Self> {
        match name {
            "zlib" => Ok(Codec::Zlib),
            "gzip" => Ok(Codec::Gzip),
            "zstd" => Ok(Codec::Zstd),
            "blosc" => Ok(Codec::Blosc),
            _ => Err(unsupported(&format!("the codec '{}'", crate::source::shown(name)))),
        }
    }

    /// At most `expected` bytes, and one to see that there are more.
    pub(super) fn decode(self, bytes: &[u8], expected: usize) -> Result<Vec<u8>> {
        match self {
            Codec::Zlib => read(flate2::read::ZlibDecoder::new(bytes), expected),
            Codec::Gzip => read(flate2::read::GzDecoder::new(bytes), expected),
            Codec::Zstd => zstd(bytes, expected),
            Codec::Blosc => blosc(bytes, expected).unwrap_or_else(|| Err(damaged())),
        }
    }
}

fn damaged() -> Error {
    Error::input("is damaged").hint(REMEDY)
}

fn read(source: impl Read, expected: usize) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    source.take(expected as u64 + 1).read_to_end(&mut out).map_err(|_| damaged())?;
    Ok(out)
}

fn zstd(bytes: &[u8], expected: usize) -> Result<Vec<u8>> {
    read(ruzstd::decoding::StreamingDecoder::new(bytes).map_err(|_| damaged())?, expected)
}

/// A container of blosc, version 1: a header of 16 bytes, where each block starts, then blocks, each in pieces after their lengths. `None` when it is damaged.
fn blosc(bytes: &[u8], expected: usize) -> Option<Result<Vec<u8>>> {
    const SHUFFLED: u8 = 1;
    const COPIED: u8 = 2;
    const BITS_SHUFFLED: u8 = 4;
    const NOT_SPLIT: u8 = 16;
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?) as usize);
    let (flags, width) = (*bytes.get(2)?, usize::from(*bytes.get(3)?).max(1));
    let (total, block) = (number(4)?, number(8)?);
    if total != expected || (block == 0 && total > 0) {
        return None;
    }
    if flags & COPIED != 0 {
        return Some(Ok(bytes.get(16..16 + total)?.to_vec()));
    }
    if flags & BITS_SHUFFLED != 0 {
        return Some(Err(unsupported("blosc with bits shuffled")));
    }
    let mut out = Vec::with_capacity(total);
    for index in 0..total.div_ceil(block.max(1)) {
        let size = block.min(total - index * block);
        // Bytes of numbers are apart in whole blocks that are long enough.
        let pieces =
            if flags & NOT_SPLIT == 0 && width <= 16 && block / width >= 128 && size == block { width } else { 1 };
        let mut at = number(16 + 4 * index)?;
        let mut held = Vec::with_capacity(size);
        for _ in 0..pieces {
            let (length, plain) = (number(at)?, size / pieces);
            let piece = bytes.get(at + 4..(at + 4).checked_add(length)?)?;
            at += 4 + length;
            if length == plain {
                held.extend_from_slice(piece);
                continue;
            }
            let unpacked = match flags >> 5 {
                1 => lz4_flex::block::decompress(piece, plain).ok()?,
                3 => Codec::Zlib.decode(piece, plain).ok()?,
                4 => zstd(piece, plain).ok()?,
                0 => return Some(Err(unsupported("blosc with blosclz"))),
                _ => return Some(Err(unsupported("blosc with snappy"))),
            };
            held.extend(unpacked);
        }
        if held.len() != size {
            return None;
        }
        if flags & SHUFFLED != 0 && width > 1 {
            let count = size / width;
            out.extend((0..count * width).map(|to| held[(to % width) * count + to / width]));
            out.extend_from_slice(&held[count * width..]);
        } else {
            out.extend(held);
        }
    }
    Some(Ok(out))
}
