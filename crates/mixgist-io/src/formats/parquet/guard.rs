//! Looks through the headers of a Parquet file before the reader of others does.
//!
//! Headers are records of Thrift's compact protocol. That reader believes the lengths of lists in them: a damaged file of 2 kB can make it
//! skip 2³¹ entries past its end, or ask for gigabytes. Here nothing is believed: every entry takes a byte of what is there.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use ::parquet::file::metadata::ParquetMetaData;
use mixgist::{Error, Result};

use crate::source::{Budget, shown};

/// Longest header of a page; it may hold the least and the greatest value.
const LONGEST_HEADER: u64 = 1 << 20;
const DEEPEST: usize = 32;

/// Checks the footer, which says where everything is.
pub(super) fn check_footer(file: &mut File, bytes: u64) -> Result<()> {
    let end = read_at(file, bytes.saturating_sub(8), 8)?;
    let Some((length, b"PAR1")) = end.split_first_chunk() else {
        return Ok(()); // no Parquet file at all: the reader says so
    };
    let length = u64::from(u32::from_le_bytes(*length));
    let Some(start) = bytes.checked_sub(8).and_then(|end| end.checked_sub(length)) else {
        return Err(damaged("its footer is longer than the file"));
    };
    Walker::new(&read_at(file, start, length)?).skip_struct(0).ok_or_else(|| damaged("its footer does not end"))
}

/// Checks the headers of all pages: sound, within their column, and promising no more than the budget has.
pub(super) fn check_pages(file: &mut File, metadata: &ParquetMetaData, budget: &Budget) -> Result<()> {
    for chunk in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let name = shown(&chunk.column_path().string());
        let (mut at, length) = chunk.byte_range();
        let end = at + length;
        while at < end {
            budget.go_on()?;
            let page = page_header(file, at, end).ok_or_else(|| damaged(&format!("a page of column '{name}'")))?;
            budget.fits(&format!("a page of column '{name}'"), page.unpacked)?;
            at += page.header + page.packed;
        }
        if at > end {
            return Err(damaged(&format!("a page of column '{name}' is longer than the column")));
        }
    }
    Ok(())
}

fn damaged(what: &str) -> Error {
    Error::input(format!("is a corrupt Parquet file: {what}"))
}

fn read_at(file: &mut File, start: u64, length: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))
        .and_then(|_| file.take(length).read_to_end(&mut bytes))
        .map_err(|cause| Error::input(format!("cannot be read: {cause}")))?;
    Ok(bytes)
}

/// What the header of a page says.
struct Page {
    /// Bytes of the header itself.
    header: u64,
    packed: u64,
    unpacked: u64,
}

fn page_header(file: &mut File, at: u64, end: u64) -> Option<Page> {
    // Nearly all are short.
    [1 << 10, LONGEST_HEADER].into_iter().find_map(|most| {
        let bytes = read_at(file, at, most.min(end - at)).ok()?;
        let mut walker = Walker::new(&bytes);
        let (mut packed, mut unpacked) = (None, None);
        let mut id = 0;
        loop {
            match walker.field(&mut id)? {
                None => break,
                Some(kind @ 4..=6) => {
                    let value = u64::try_from(walker.signed()?).ok();
                    match (id, kind) {
                        (2, 5) => unpacked = Some(value?),
                        (3, 5) => packed = Some(value?),
                        _ => {}
                    }
                }
                Some(kind) => walker.skip(kind, false, 0)?,
            }
        }
        Some(Page { header: (bytes.len() - walker.rest.len()) as u64, packed: packed?, unpacked: unpacked? })
    })
}

/// Walks over a record; `None` is a record that does not hold what it promises.
struct Walker<'a> {
    rest: &'a [u8],
}

impl<'a> Walker<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Walker { rest: bytes }
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.rest.split_at_checked(length)?;
        self.rest = tail;
        Some(head)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|one| one[0])
    }

    /// An integer in groups of seven bits.
    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let value = self.unsigned()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The kind of the next field, whose number follows that of the last; inside `None` at the end of the record.
    fn field(&mut self, id: &mut i64) -> Option<Option<u8>> {
        let byte = self.byte()?;
        let (step, kind) = (byte >> 4, byte & 0x0f);
        if kind == 0 {
            return Some(None);
        }
        *id = if step == 0 { self.signed()? } else { id.checked_add(step.into())? };
        Some(Some(kind))
    }

    fn skip_struct(&mut self, depth: usize) -> Option<()> {
        let mut id = 0;
        while let Some(kind) = self.field(&mut id)? {
            self.skip(kind, false, depth + 1)?;
        }
        Some(())
    }

    /// Passes over a value; booleans have a byte of their own in lists alone.
    fn skip(&mut self, kind: u8, in_list: bool, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            1 | 2 if !in_list => Some(()),
            1..=3 => self.byte().map(drop),
            4..=6 => self.unsigned().map(drop),
            7 => self.take(8).map(drop),
            8 => {
                let length = usize::try_from(self.unsigned()?).ok()?;
                self.take(length).map(drop)
            }
            9 | 10 => {
                let header = self.byte()?;
                let count = if header >> 4 == 15 { self.unsigned()? } else { u64::from(header >> 4) };
                self.skip_all(count, &[header & 0x0f], depth)
            }
            11 => match self.unsigned()? {
                0 => Some(()),
                count => {
                    let kinds = self.byte()?;
                    self.skip_all(count, &[kinds >> 4, kinds & 0x0f], depth)
                }
            },
            12 => self.skip_struct(depth + 1),
            13 => self.take(16).map(drop),
            _ => None,
        }
    }

    fn skip_all(&mut self, count: u64, kinds: &[u8], depth: usize) -> Option<()> {
        // Every entry takes at least a byte.
        if count > self.rest.len() as u64 {
            return None;
        }
        (0..count).try_for_each(|_| kinds.iter().try_for_each(|&kind| self.skip(kind, true, depth + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_field_is_passed_over() {
        let record = [
            0x15, 0x96, 0x01, // field 1, an integer of two bytes
            0x11, // field 2, true
            0x18, 2, b'a', b'b', // field 3, two bytes
            0x19, 0x25, 1, 2, // field 4, a list of two integers
            0x1b, 1, 0x85, 1, b'k', 9, // field 5, a map from text to an integer
            0x1c, 0x17, 0, 0, 0, 0, 0, 0, 0, 0, 0, // field 6, a record with a double
            0, // the end
        ];
        let mut walker = Walker::new(&record);
        assert_eq!(walker.skip_struct(0), Some(()));
        assert!(walker.rest.is_empty());
        for end in 0..record.len() {
            assert_eq!(Walker::new(&record[..end]).skip_struct(0), None, "cut at {end}");
        }
    }

    #[test]
    fn lengths_are_not_believed() {
        // A list of 2^31 - 1 doubles.
        assert_eq!(Walker::new(b"\xf9\xf7\xff\xff\xff\xff\x07 and so on").skip_struct(0), None);
        // Records within records without end.
        assert_eq!(Walker::new(&[0x1c; 1000]).skip_struct(0), None);
    }
}
