//! npy: one array, as numpy saves it.

mod header;

use std::io::{Read, Write};
use std::path::Path;

use mixgist::slice::Array;
use mixgist::{Error, LabelSlice, Labels, Result};

use crate::array::{RawArray, Values, check_shape, row_major};
use crate::data::DataTable;
use crate::draws::ReadOptions;
use crate::labels::LabelDraws;
use crate::output::{Output, Overwrite, cannot_write, write_whole};
use crate::source::{Budget, Source, size_text};
use header::{DType, Header, Kind};

pub(crate) fn read_data(path: &Path, options: &ReadOptions) -> Result<DataTable> {
    DataTable::from_array(read_file(path, options)?.into_numeric("data")?, None, options)
}

pub(crate) fn read_labels(path: &Path, options: &ReadOptions) -> Result<LabelDraws> {
    LabelDraws::from_array(read_file(path, options)?)
}

pub(crate) fn write_data(output: &mut Output, data: &DataTable) -> Result<()> {
    write_array(output, &[data.rows(), data.columns()], Numbers::Float(data.values()))
}

pub(crate) fn write_labels(output: &mut Output, labels: &LabelDraws) -> Result<()> {
    write_array(output, &[labels.draws, labels.observations], Numbers::Label(labels.labels.as_slice()))
}

fn read_file(path: &Path, options: &ReadOptions) -> Result<RawArray> {
    let Source { mut file, bytes } = Source::open(path)?;
    read_array(&mut file, bytes, &mut Budget::new(options))
}

/// Writes a matrix (or any array) as an npy file of f64, whole or not at all.
pub fn write_npy(path: &Path, array: &Array, overwrite: Overwrite) -> Result<()> {
    check_shape(array).map_err(|error| error.in_file(path))?;
    write_whole(path, overwrite, |output| write_array(output, &array.shape, Numbers::Float(&array.values)))
}

/// The shape of an array of `available` bytes, header included.
pub(crate) fn read_shape(reader: &mut dyn Read, available: u64) -> Result<Vec<usize>> {
    read_header(reader, available).map(|header| header.shape)
}

/// A header that promises as many bytes as there are.
fn read_header(reader: &mut dyn Read, available: u64) -> Result<Header> {
    let header = Header::read(reader)?;
    let left = available.saturating_sub(header.bytes);
    if header.value_bytes() != left {
        let trouble = if header.value_bytes() > left { "is it truncated?" } else { "what follows the array?" };
        return Err(Error::input(format!(
            "promises {} ({}), but {} follow the header: {trouble}",
            header.text(),
            size_text(header.value_bytes()),
            size_text(left)
        )));
    }
    Ok(header)
}

/// Reads one array of `available` bytes, header included; allocates only as the bytes arrive.
pub(crate) fn read_array(reader: &mut dyn Read, available: u64, budget: &mut Budget) -> Result<RawArray> {
    let header = read_header(reader, available)?;
    // Twice, because column-major values are reordered into a second array.
    let copies = if header.fortran_order && header.shape.len() > 1 { 2 } else { 1 };
    let each = match header.dtype.kind {
        Kind::Float | Kind::Signed => 8,
        Kind::Unsigned => header.dtype.size as u64,
        Kind::Unicode | Kind::Bytes => (size_of::<String>() + header.dtype.size) as u64,
    };
    budget.take(
        &format!("an array of shape {}", crate::array::shape_text(&header.shape)),
        header.count as u64 * each * copies,
    )?;
    let big = header.dtype.big_endian;
    let values = match (header.dtype.kind, header.dtype.size) {
        (Kind::Float, 4) => {
            Values::Float(decode(reader, &header, budget, |b| f64::from(f32::from_bits(unsigned(b, big) as u32)))?)
        }
        (Kind::Float, _) => Values::Float(decode(reader, &header, budget, |b| f64::from_bits(unsigned(b, big)))?),
        (Kind::Unsigned, 8) => {
            let values = decode(reader, &header, budget, |b| unsigned(b, big))?;
            match values.iter().all(|&x| i64::try_from(x).is_ok()) {
                true => Values::Integer(values.into_iter().map(|x| x as i64).collect()),
                false => Values::Unsigned(values),
            }
        }
        (Kind::Signed, _) => Values::Integer(decode_integers(reader, &header, budget, |b| signed(b, big))?),
        (Kind::Unsigned, _) => Values::Integer(decode_integers(reader, &header, budget, |b| unsigned(b, big) as i64)?),
        (Kind::Unicode | Kind::Bytes, _) => {
            let texts = decode(reader, &header, budget, |b| text(b, header.dtype))?;
            Values::Text(
                texts
                    .into_iter()
                    .collect::<Option<_>>()
                    .ok_or_else(|| Error::input("holds a string that is not valid text"))?,
            )
        }
    };
    Ok(RawArray { shape: header.shape, values })
}

fn decode<T: Clone>(
    reader: &mut dyn Read,
    header: &Header,
    budget: &Budget,
    one: impl Fn(&[u8]) -> T,
) -> Result<Vec<T>> {
    let mut values: Vec<T> = Vec::new();
    in_chunks(reader, header, budget, |bytes| {
        values.try_reserve(bytes.len()).map_err(|_| {
            Error::resource(format!("no memory for {} ({})", header.text(), size_text(header.value_bytes())))
        })?;
        values.extend(bytes.map(&one));
        Ok(())
    })?;
    if header.fortran_order && header.shape.len() > 1 {
        values = row_major(&values, &header.shape);
    }
    Ok(values)
}

/// The same for integers, which stay as narrow as they are.
fn decode_integers(
    reader: &mut dyn Read,
    header: &Header,
    budget: &Budget,
    one: impl Fn(&[u8]) -> i64,
) -> Result<Labels> {
    let mut values = Labels::new();
    in_chunks(reader, header, budget, |bytes| {
        values.extend(bytes.map(&one));
        Ok(())
    })?;
    if header.fortran_order && header.shape.len() > 1 {
        values = row_major(&values.iter().collect::<Vec<i64>>(), &header.shape).into();
    }
    Ok(values)
}

/// Hands over the bytes of the values as they arrive.
fn in_chunks(
    reader: &mut dyn Read,
    header: &Header,
    budget: &Budget,
    mut take: impl FnMut(std::slice::ChunksExact<'_, u8>) -> Result<()>,
) -> Result<()> {
    let size = header.dtype.size;
    let mut chunk = vec![0; size * (65_536 / size).max(1)];
    let mut left = header.count;
    while left > 0 {
        budget.go_on()?;
        let now = left.min(chunk.len() / size);
        let bytes = &mut chunk[..now * size];
        reader.read_exact(bytes).map_err(|cause| match cause.kind() {
            std::io::ErrorKind::UnexpectedEof => Error::input("ends within the array"),
            _ => Error::input(format!("cannot be read: {cause}")),
        })?;
        take(bytes.chunks_exact(size))?;
        left -= now;
    }
    Ok(())
}

fn unsigned(bytes: &[u8], big_endian: bool) -> u64 {
    let mut wide = [0; 8];
    if big_endian {
        wide[8 - bytes.len()..].copy_from_slice(bytes);
        u64::from_be_bytes(wide)
    } else {
        wide[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(wide)
    }
}

fn signed(bytes: &[u8], big_endian: bool) -> i64 {
    let unused = 64 - 8 * bytes.len();
    (unsigned(bytes, big_endian) << unused) as i64 >> unused
}

fn text(bytes: &[u8], dtype: DType) -> Option<String> {
    match dtype.kind {
        Kind::Unicode => {
            let chars: Option<String> =
                bytes.chunks_exact(4).map(|four| char::from_u32(unsigned(four, dtype.big_endian) as u32)).collect();
            chars.map(|text| text.trim_end_matches('\0').to_owned())
        }
        _ => Some(std::str::from_utf8(bytes).ok()?.trim_end_matches('\0').to_owned()),
    }
}

/// What can be written.
pub(crate) enum Numbers<'a> {
    Float(&'a [f64]),
    Index(&'a [u64]),
    Label(LabelSlice<'a>),
    Text(&'a [String]),
}

/// Writes one array, little-endian and row-major.
pub(crate) fn write_array(output: &mut dyn Write, shape: &[usize], numbers: Numbers<'_>) -> Result<()> {
    write_header(output, shape, &numbers)?;
    write_values(output, &numbers)
}

/// Writes the header of an array of such numbers, padded to a multiple of 64 bytes as numpy does.
pub(crate) fn write_header(output: &mut dyn Write, shape: &[usize], numbers: &Numbers<'_>) -> Result<()> {
    let descr = match numbers {
        Numbers::Float(_) => "<f8".to_owned(),
        // Signed if possible: numpy turns sums of unsigned and plain integers into floats.
        Numbers::Index(values) if values.iter().all(|&x| i64::try_from(x).is_ok()) => "<i8".to_owned(),
        Numbers::Index(_) => "<u8".to_owned(),
        Numbers::Label(LabelSlice::U8(_)) => "|u1".to_owned(),
        Numbers::Label(LabelSlice::U16(_)) => "<u2".to_owned(),
        Numbers::Label(LabelSlice::U32(_)) => "<u4".to_owned(),
        Numbers::Label(LabelSlice::I64(_)) => "<i8".to_owned(),
        Numbers::Text(texts) => format!("<U{}", longest(texts)),
    };
    let mut text =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {}, }}", crate::array::shape_text(shape));
    let padding = (64 - (10 + text.len() + 1) % 64) % 64;
    text.extend(std::iter::repeat_n(' ', padding));
    text.push('\n');
    let length = u16::try_from(text.len()).map_err(|_| Error::input("array has too many axes to be written"))?;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(text.as_bytes());
    output.write_all(&bytes).map_err(cannot_write)
}

/// Writes values that follow a header.
pub(crate) fn write_values(output: &mut dyn Write, numbers: &Numbers<'_>) -> Result<()> {
    match numbers {
        Numbers::Float(values) => encode(output, values, |x, out| out.extend(x.to_le_bytes())),
        Numbers::Index(values) => encode(output, values, |x, out| out.extend(x.to_le_bytes())),
        Numbers::Label(LabelSlice::U8(values)) => output.write_all(values),
        Numbers::Label(LabelSlice::U16(values)) => encode(output, values, |x, out| out.extend(x.to_le_bytes())),
        Numbers::Label(LabelSlice::U32(values)) => encode(output, values, |x, out| out.extend(x.to_le_bytes())),
        Numbers::Label(LabelSlice::I64(values)) => encode(output, values, |x, out| out.extend(x.to_le_bytes())),
        Numbers::Text(values) => {
            let width = longest(values);
            encode(output, values, |text, out| {
                let padded = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
                out.extend(padded.flat_map(u32::to_le_bytes));
            })
        }
    }
    .map_err(cannot_write)
}

fn longest(texts: &[String]) -> usize {
    texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1)
}

fn encode<T>(output: &mut dyn Write, values: &[T], one: impl Fn(&T, &mut Vec<u8>)) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    for chunk in values.chunks(4096) {
        bytes.clear();
        chunk.iter().for_each(|value| one(value, &mut bytes));
        output.write_all(&bytes)?;
    }
    Ok(())
}
